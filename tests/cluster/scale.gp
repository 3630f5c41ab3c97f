# scale.gp - the picture of what `make scale` has calculated: docs/img/scale.svg.
csv = 'tests/bench/baseline/scale.csv'
rows(name, column) = sprintf("< awk -F, '$1 == \"%s\" && $%d { print $2, $%d / 1000 }' %s", name, column, column, csv)
set terminal svg size 700,420 noenhanced font 'Helvetica,13' background rgb 'white'
set output 'docs/img/scale.svg'
set grid ytics lc rgb '#dddddd' lt 1
set border 3
set tics nomirror
set logscale xy
set xrange [0.9:1300]
set xlabel 'boards of 64 harts'
set ylabel 'milliseconds'
set format y '%g'
set key top left reverse Left
plot for [i=1:3] rows(word('all_to_all halo all_reduce', i), 3) w lp lw 2 pt 7 ps 0.7 lc i \
	t word('all-to-all halo all-reduce', i), \
	for [i=1:3] rows(word('all_to_all halo all_reduce', i), 4) w p pt 6 ps 1.8 lw 2 lc i t (i == 1 ? 'SimGrid' : '')
