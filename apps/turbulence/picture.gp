# picture.gp - the vorticity in a plane of the box, and the spectrum.
# usage: gnuplot -e "name='vortex'" apps/turbulence/picture.gp     reads vortex.slice and vortex.spectrum, writes vortex.png
set terminal pngcairo size 800,380 font 'sans,10'
set output name . '.png'
n = real(system('wc -l < ' . name . '.slice'))
set multiplot layout 1,2 margins 0.05,0.97,0.14,0.9 spacing 0.1
set title 'how fast the flow turns, where z is pi / 2'
set size ratio -1
set xlabel 'x / pi'
set xrange [0:2]
set yrange [0:2]
set palette defined (0 '#f7fbff', 1 '#6baed6', 2 '#1f3b57', 3 '#c0392b')
set colorbox
plot name . '.slice' matrix using (($1 + 0.5) * 2 / n):(($2 + 0.5) * 2 / n):3 with image notitle
set title 'energy, by wave number'
set size noratio
set xlabel 'wave number'
set logscale xy
set format y '10^{%T}'
set xrange [1:n / 2]
set yrange [1e-7:1e-1]
set grid lc rgb '#dddddd'
set key bottom left
plot name . '.spectrum' using ($1 > 0 ? $1 : NaN):($2 > 0 ? $2 : NaN) with linespoints pt 7 ps 0.4 lw 2 lc rgb '#1f3b57' notitle, \
	[3:16] 0.06 * x**(-5.0 / 3) dt 2 lc rgb '#c0392b' title 'k^{-5/3}'
