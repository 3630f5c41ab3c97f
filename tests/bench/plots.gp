# plots.gp - pictures of what `make bench` has counted: docs/img/bench-*.svg.
# usage: gnuplot -e "csv='build/BOARD/bench.csv'; board='BOARD'" tests/bench/plots.gp     (make bench PLOT=1)
set style line 1 lc rgb '#b2182b' lw 2 pt 7 ps 0.9
set style line 2 lc rgb '#ef8a62' lw 2 pt 5 ps 0.9
set style line 3 lc rgb '#2166ac' lw 2 pt 7 ps 0.9
set style line 4 lc rgb '#1b7837' lw 2 pt 9 ps 1.1
set style line 5 lc rgb '#762a83' lw 2 pt 13 ps 1.1
set style line 6 lc rgb '#888888' lw 2 pt 6 ps 1.0 dt 2
set grid ytics lc rgb '#dddddd' lt 1
set border 3
set tics nomirror

# The rows whose names match: param, value, value as a multiple of the first row's, name.
rows(names) = "< awk -F, '$1 ~ /^(".names.")$/ { if (!one) one = $5; print $4, $5, $5 / one, $1 }' ".csv
picture(name, wide, high) = sprintf("set terminal svg size %d,%d noenhanced font 'Helvetica,13' background rgb 'white';\
	set output 'docs/img/bench-%s.svg'; print 'docs/img/bench-%s.svg'", wide, high, name, name)

# Microseconds of the paper's Table I with 1, 10 and 32: send and receive of compute harts, then of management harts.
$paper << EOD
1 1.37 1.95 0.13 0.12
10 30 54 0.22 0.23
32 457 791 0.22 0.22
EOD
eval picture('table1', 900, 480)
set multiplot layout 1,2 margins 0.09,0.98,0.33,0.92 spacing 0.1
set logscale y
set yrange [0.8:600]
set xrange [0:34]
set xtics (1, 10, 32)
set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500)
set ylabel 'cost, as a multiple of that with one'
set key at screen 0.5,0.02 center bottom vertical Left reverse samplen 2 maxrows 3 width -2
set title 'a send, against other senders'
set xlabel 'producers'
plot $paper using 1:($2/1.37) w lp ls 1 t 'paper, compute harts: adds', \
	$paper using 1:($4/0.13) w lp ls 2 t 'paper, management harts: CAS', \
	rows('table1_add_send') using 1:3 w lp ls 5 t 'ours: adds, as in the paper', \
	rows('table1_cas_send') using 1:3 w lp ls 3 t 'ours: CAS', \
	rows('table1_ticket_send') using 1:3 w lp ls 4 t 'ours: tickets, no CAS'
set title 'a receive, against other receivers'
set xlabel 'consumers'
unset ylabel
plot $paper using 1:($3/1.95) w lp ls 1 notitle, $paper using 1:($5/0.12) w lp ls 2 notitle, \
	rows('table1_add_recv') using 1:3 w lp ls 5 notitle, rows('table1_cas_recv') using 1:3 w lp ls 3 notitle, \
	rows('table1_ticket_recv') using 1:3 w lp ls 4 notitle
unset multiplot
unset logscale

# Of others: members, ck's combining tree, its dissemination barrier, and the floor.
$others << EOD
4 67 61 28
16 73 97 29
64 87 131 29
EOD
eval picture('barriers', 760, 420)
set logscale x 2
set xrange [1.8:570]
set yrange [0:*]
set xtics (2, 4, 8, 16, 32, 64, 128, 256, 512)
set ytics auto
set xlabel 'members, each on a hart of its own'
set ylabel 'instructions a hart, an episode'
set title 'barriers, '.board
set key outside right top Left reverse samplen 2 spacing 1.2 maxrows auto width 0
plot rows('barrier_tree_[0-9]+') using 1:2 w lp ls 3 t 'tree', \
	rows('barrier_central_[0-9]+') using 1:2 w lp ls 4 t 'central', \
	$others using 1:3 w lp ls 6 t 'ck dissemination (polls)', $others using 1:2 w lp ls 2 t 'ck combining (polls)', \
	$others using 1:4 w lp ls 1 t 'floor: WFI and doorbell'
unset logscale

# Rows of several sizes, which are in their names: bytes, value.
sizes(names) = "< awk -F, '$1 ~ /^(".names.")$/ { bytes = $1; sub(/_bulk32$/, \"\", bytes); sub(/.*_/, \"\", bytes); print bytes, $5 }' ".csv
eval picture('size', 760, 400)
set logscale x 2
set xrange [0.9:70]
set yrange [0:*]
set xtics (1, 2, 4, 8, 16, 32, 64)
set xlabel 'bytes of an element'
set ylabel 'instructions, send and receive'
set title 'a channel over the size of its elements, '.board
set key outside right top Left reverse samplen 2 spacing 1.2
plot sizes('chan_spsc_[0-9]+') using 1:2 w lp ls 3 t 'one sender, one receiver', \
	sizes('chan_mpmc_[0-9]+') using 1:2 w lp ls 4 t 'CO_CHANNEL: many', \
	sizes('chan_mpmc_ticket_[0-9]+') using 1:2 w lp ls 5 t 'many, by tickets', \
	sizes('chan_spsc_[0-9]+_bulk32') using 1:2 w lp ls 6 t 'one and one, 32 a call', \
	sizes('chan_mpmc_[0-9]+_bulk32') using 1:2 w lp ls 1 t 'CO_CHANNEL, 32 a call'

eval picture('number', 640, 380)
set logscale x 10
set xrange [1.5:6000]
set xtics (2, 8, 64, 512, 4000)
set xlabel 'coroutines on one hart'
set ylabel 'instructions, with the switch'
set title 'a token in a ring of coroutines, '.board
set key at graph 0.98,0.3 right Left reverse samplen 2
plot rows('ring_hop') using 1:2 w lp ls 3 t 'a hand'
unset logscale

eval picture('idle-senders', 640, 380)
set xrange [0:50]
set xtics auto
set xlabel 'senders that are connected; one sends'
set ylabel 'instructions a message, both harts'
set title 'a receiver with idle senders, '.board
set key at graph 0.98,0.75 right Left reverse samplen 2 spacing 1.2
plot rows('idle_senders_link') using 1:2 w lp ls 3 t 'link', rows('idle_senders_mail') using 1:2 w lp ls 5 t 'mailbox'

eval picture('pingpong', 900, 420)
set style data histograms
set style histogram clustered gap 1.5
set style fill solid 0.9 border -1
set boxwidth 0.9
set xrange [*:*]
set xtics scale 0
unset xlabel
set ylabel 'instructions a round trip, both sides'
set title 'ping-pong, '.board
set key outside right top Left reverse samplen 2 spacing 1.2
pingpong(where) = rows('pingpong_(chan|link|event|signal|mail|mailbox)_'.where)
plot pingpong('same') using 2:xtic(system("expr '".strcol(4)."' : 'pingpong_\\(.*\\)_'")) lc rgb '#2166ac' t 'on one hart', \
	pingpong('cross') using 2 lc rgb '#1b7837' t 'two harts, asleep between', \
	471 w l lc rgb '#b2182b' lw 2 dt 2 t 'ThreadX queue, one hart', \
	956 w l lc rgb '#ef8a62' lw 2 dt 2 t 'FreeRTOS queue, one hart', \
	2018 w l lc rgb '#762a83' lw 2 dt 2 t 'LK semaphore, two harts'
