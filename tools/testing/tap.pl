# tap.pl - verdicts of programs that print TAP.
package Tap;
use strict;
use warnings;

# What a program that prints TAP says of a case follows the case's line.
my $tap = qr/\A(not )?ok(?= |\r?\n)(?: +(\d+))?(?: +-)? *(.*?)(?: *(?<!\\)# *(?:skip\S*|todo\b) *(.*?))?\r?\n\z/i;
sub heard {
	my ($b, $line) = @_;
	if ($line =~ $tap) {
		my ($not, $number, $case, $skipped) = ($1, $2, $3, $4);
		settle($b);
		$b->{case} = { name => $case, source => "", line => 0 };
		$b->{how} = defined $skipped ? "skipped" : $not ? "failed" : "passed";
		$b->{why} = $skipped // "";
		$b->{at}++;
		$b->{wrong} //= "the program has numbered a case $number, and it is the $b->{at}. one"
			if defined $number && $number != $b->{at};
	} elsif ($line =~ /\A1\.\.(\d+)(?: *# *SKIP *(.*?))?\r?\n\z/i) {
		$b->{wrong} //= "the program has printed a second plan" if defined $b->{planned};
		@$b{qw(planned left_out)} = ($1, $2);
	} elsif ($line =~ /\ABail out!/i) {
		$b->{bails} = $line =~ s/\s+\z//r;
	} else {
		::say_text($b, $line);
	}
}

# settle BOOT: the verdict that it has said last.
sub settle {
	my ($b) = @_;
	my $c = delete $b->{case} or return;
	my $now = ::uptime();
	::judge($b, $c, @$b{qw(how why)}, $now - ($b->{settled} // $b->{began}));
	$b->{settled} = $now;
}

# ended BOOT, CODE: has it said as many verdicts as it planned, and ended well?
sub ended {
	my ($b, $code) = @_;
	settle($b);
	my ($all, $n, $planned) = ($b->{cases}[0], @$b{qw(at planned)});
	my $seconds = ::uptime() - $b->{began};
	my $why = $b->{silent} ? "not a line in " . ::silence() . " s"
		: defined $b->{bails} ? "the program has given up: $b->{bails}"
		: !defined $planned ? "the program has ended with exit code $code, and has printed no plan (1..N)"
		: !$planned && !defined $b->{left_out} ? "the program has no cases"
		: defined $b->{wrong} ? $b->{wrong}
		: $planned != $n ? "the program has planned $planned cases, and $n have a verdict"
		: $code && !$b->{failed} ? "the program has ended with exit code $code, though all cases passed"
		: undef;
	return ::judge($b, $all, "failed", $why, $seconds) if defined $why;
	::judge($b, $all, "skipped", $b->{left_out}, $seconds) if !$n;
}
1;
