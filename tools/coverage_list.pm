# coverage_list.pm - what tools/coverage-gaps and tools/coverage-target share: the lists of what need not be reached.
# A list has lines "FILE | TEXT | KIND: REASON": a line of FILE (* in it is any) whose text is TEXT (without blanks
# around it), any of FILE if TEXT is *, any of functions if it is f() g(), any that matches x if it is /x/.
package coverage_list;
use strict;
use warnings;

sub lines_of {
	my ($name) = @_;
	open(my $f, '<', $name) or die "coverage: $name: $!\n";
	chomp(my @lines = <$f>);
	return @lines;
}

# The function that each line is in: one begins where { is alone in the first column.
sub functions {
	my ($text) = @_;
	my ($from, @of) = (0);
	for my $i (0 .. $#$text) {
		$from = $i + 1 if $text->[$i] =~ /^\s*$|^\}|\*\/\s*$|^#/;
		next if $text->[$i] ne '{';
		my $head = join(' ', @$text[$from .. $i - 1]) =~ s/__attribute__\(\(.*?\)\)+//gr;
		my ($name) = $head =~ /(\w+)\(/;
		for (my $k = $from; $k <= $#$text; $k++) {
			$of[$k + 1] = $name // '';
			last if $text->[$k] eq '}';
		}
	}
	return \@of;
}

# The entries of a list.
sub entries {
	my ($list) = @_;
	my (@listed, $number);
	for (-e $list ? lines_of($list) : ()) {
		$number++;
		next if /^#|^\s*$/;
		my @part = split(/ \| /, $_, 3);
		die "$list:$number: FILE | TEXT | KIND: REASON, not '$_'\n" if @part != 3 || $part[2] !~ /^\w+: \w/;
		my $like = join('.*', map { quotemeta } split(/\*/, $part[0], -1));
		push @listed, { file => qr/^$like$/, text => $part[1], at => "$list:$number", there => 0,
			kind => $part[2] =~ s/:.*//r, like => $part[1] =~ m{^/(.*)/$} ? qr/$1/ : undef,
			functions => { map { $_ => 1 } $part[1] =~ /^(\w+\(\) ?)+$/ ? $part[1] =~ /(\w+)\(\)/g : () } };
		$listed[-1]{left} = { %{ $listed[-1]{functions} } };
	}
	return @listed;
}

# Does the entry have line $t of file $f, in function $in?
sub is_of {
	my ($l, $f, $t, $in) = @_;
	return 0 if $f !~ $l->{file};
	return 1 if $l->{text} eq '*' || $l->{text} eq $t || $l->{functions}{$in};
	return $l->{like} && $t =~ $l->{like};
}

# The entries that have this line. They are marked: stale() tells what was never found.
sub found {
	my ($listed, $f, $t, $in) = @_;
	my @by = grep { is_of($_, $f, $t, $in) } @$listed;
	$_->{there}++ for @by;
	delete $_->{left}{$in} for @by;
	return @by;
}

sub stale {
	my @listed = @_;
	my @stale = map { "$_->{at}: no line of such a file is like '$_->{text}': take it out" }
		grep { !$_->{there} } @listed;
	for my $l (@listed) {
		push @stale, map { "$l->{at}: no function $_() there: take it out" } sort keys %{ $l->{left} };
	}
	return @stale;
}

1;
