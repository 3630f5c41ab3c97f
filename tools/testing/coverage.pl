# coverage.pl - the lines and branches of the images' sources that ran, in lcov's format.
package Coverage;
use strict;
use warnings;

use Cwd qw(realpath);

# write_info TOP, TO, IMAGES...: of sources that are here, without those of compilers and of the installed library.
# Returns how many lines there are, how many of them ran; how many ways branches have, how many were gone.
sub write_info {
	my ($top, $info, @images) = @_;
	my (%count, %functions, %branches);
	my $library = -d "$top/../../lib/cohart" ? realpath("$top/../../lib/cohart") . "/" : "\0";
	for my $i (grep { $_->{ran} } @images) {
		my ($cross) = ::board_text($i->{board}) =~ /^BOARD_CROSS *:= *(\S*)/m;
		# An installed library's sources have paths from its tree's top on, as the program's may have.
		# Images of one board have a function's branches alike.
		Lines::count_lines($cross // "", $i->{file}, $i->{ran}, \%count, \%functions,
			$branches{ $i->{board} } //= {}, $library ne "\0");
	}
	my ($lines, $ran, $ways, $gone) = (0, 0, 0, 0);
	for my $file (sort grep { -f && !m{^/usr/(lib|include|share)/} && index(realpath($_), $library) } keys %count) {
		my ($f, $c) = ($functions{$file} // {}, $count{$file});
		my @hit = grep { $c->{$_} } keys %$c;
		$lines += keys %$c;
		$ran += @hit;
		print $info "TN:\nSF:$file\n";
		print $info map { "FN:$f->{$_}[0],$_\n" } sort keys %$f;
		print $info map { "FNDA:$f->{$_}[1],$_\n" } sort keys %$f;
		printf $info "FNF:%d\nFNH:%d\n", scalar keys %$f, scalar grep { $_->[1] } values %$f;
		print $info map { "DA:$_,$c->{$_}\n" } sort { $a <=> $b } keys %$c;
		my @branches;
		for my $of (map { $branches{$_}{$file} // {} } sort keys %branches) {
			for my $n (sort { $a <=> $b } keys %$of) {
				push @branches, map { [$n, $of->{$n}{$_}] } sort keys %{ $of->{$n} };
			}
		}
		my @ways = map { @{ $_->[1] // [0, 0] } } @branches;
		my $went = grep { $_ } @ways;
		for my $i (0 .. $#branches) {
			my ($n, $counts) = @{ $branches[$i] };
			printf $info "BRDA:%d,%d,%d,%s\n", $n, $i, $_, $counts ? $counts->[$_] : "-" for 0, 1;
		}
		printf $info "BRF:%d\nBRH:%d\n", scalar @ways, $went;
		printf $info "LF:%d\nLH:%d\nend_of_record\n", scalar keys %$c, scalar @hit;
		$ways += @ways;
		$gone += $went;
	}
	return $lines, $ran, $ways, $gone;
}
1;
