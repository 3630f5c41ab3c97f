# models.gp - the picture of what `make bench-model` has measured of the network: docs/img/network.svg.
# usage: gnuplot -e "image='build/BOARD/tests/locality/network'" tests/bench/models.gp     (make bench-model PLOT=1)
set style line 1 lc rgb '#b2182b' lw 2 pt 7 ps 1.1
set style line 2 lc rgb '#ef8a62' lw 2 pt 5 ps 1.1
set style line 3 lc rgb '#2166ac' lw 2 pt 7 ps 0.9
set style line 4 lc rgb '#1b7837' lw 2 pt 9 ps 1.1
set style line 5 lc rgb '#762a83' lw 2 pt 13 ps 1.1
set grid lc rgb '#dddddd' lt 1
set border 3
set tics nomirror

# Bytes, and cycles of a message: half of a round trip.
level(name) = sprintf("< tools/locality --raw %s.elf %s.locality | awk -F'\t' '$2 ~ /^%s / && $3 == \"elapsed\" { t[$2] = $4 } \
	$2 ~ /^%s / && $3 == \"messages\" { n[$2] = $4 } \
	END { for (s in t) { split(s, w, \" \"); print w[2], t[s] / n[s] } }' | sort -n", image, image, name, name)
share(bytes, ns) = 100 * bytes / 8 / ns # of 8 bytes a cycle

# What the paper's text says: nanoseconds of the shortest, half of the peak at, the share at 64 KiB. Level 3 has 90 %
# of the others' there.
$paper << EOD
8 250
2048 512
65536 9042
EOD
$paper3 << EOD
8 1000
65536 10047
EOD
set terminal svg size 900,400 noenhanced font 'Helvetica,13' background rgb 'white'
set output 'docs/img/network.svg'
set multiplot layout 1,2 margins 0.09,0.98,0.32,0.9 spacing 0.11
set logscale x 2
set xrange [6:90000]
set xtics ('8' 8, '64' 64, '512' 512, '2K' 2048, '8K' 8192, '64K' 65536)
set xlabel 'bytes of a message'
set key at screen 0.5,0.02 center bottom vertical Left reverse samplen 2 maxrows 3 width -2
set title "bandwidth, % of a port's peak"
set yrange [0:100]
plot $paper using 1:(share($1, $2)) w p ls 1 t 'paper, levels 1 and 2', \
	$paper3 using 1:(share($1, $2)) w p ls 2 t 'paper, level 3', \
	level('ports') using 1:(share($1, $2)) w lp ls 3 t 'ours: 1, ports', \
	level('paths') using 1:(share($1, $2)) w lp ls 4 t 'ours: 2, paths', \
	level('messages') using 1:(share($1, $2)) w lp ls 5 t 'ours: 3, messages'
set title 'latency, ns'
set logscale y
set yrange [200:12000]
set ytics (250, 500, 1000, 2000, 5000, 10000)
plot $paper using 1:2 w p ls 1 notitle, $paper3 using 1:2 w p ls 2 notitle, \
	level('ports') using 1:2 w lp ls 3 notitle, level('paths') using 1:2 w lp ls 4 notitle, \
	level('messages') using 1:2 w lp ls 5 notitle
unset multiplot
print 'docs/img/network.svg'
