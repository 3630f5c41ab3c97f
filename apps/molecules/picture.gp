# picture.gp - the last frame of a run, cut open, and its g(r) beside Rahman's nearest neighbours.
# usage: gnuplot -e "name='liquid'" apps/molecules/picture.gp     reads liquid.xyz and liquid.gr, writes liquid.png
set terminal pngcairo size 800,380 font 'sans,10'
set output name . '.png'
atoms = real(system('head -1 ' . name . '.xyz'))
side = real(system("sed -n '2s/[^0-9]*\\([0-9.]*\\).*/\\1/p' " . name . '.xyz'))
slice = sprintf("< tail -%d %s.xyz | awk '$4 < 7' | sort -g -k4", atoms, name)
set multiplot layout 1,2 margins 0.05,0.97,0.14,0.9 spacing 0.06
set title 'a slice of 7 Angstrom, the lower atoms darker'
set size ratio -1
set xlabel 'Angstrom'
set xrange [0:side]
set yrange [0:side]
set cbrange [0:7]
set palette defined (0 '#1f3b57', 1 '#cfe3f5')
unset colorbox
set style fill solid border lc rgb '#13263a'
# Atoms are as large as the potential's zero, and drawn from below.
plot slice using 2:3:(1.7):4 with circles lc palette notitle
set title 'g(r): pairs, by those of an ideal gas'
set size noratio
set xlabel 'r / sigma'
set xrange [0:2.5]
set yrange [0:3.5]
set grid lc rgb '#dddddd'
set arrow 1 from 3.7 / 3.4, 0 to 3.7 / 3.4, 3.5 nohead dt 2 lc rgb '#c0392b'
set label 1 'Rahman 1964: 3.7 Angstrom' at 3.7 / 3.4 + 0.05, 3.3 textcolor rgb '#c0392b'
plot name . '.gr' using 1:2 with lines lw 2 lc rgb '#1f3b57' notitle
