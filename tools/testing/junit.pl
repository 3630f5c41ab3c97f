# junit.pl - verdicts as JUnit's XML.
package JUnit;
use strict;
use warnings;

my %entity = ("&" => "&amp;", "<" => "&lt;", ">" => "&gt;", "\"" => "&quot;");
sub xml { return $_[0] =~ s/[^\x20-\x7e\n\t]/sprintf "\\x%02x", ord $&/ger =~ s/[&<>"]/$entity{$&}/gr }

# write_file FILE, VERDICTS...
sub write_file {
	my ($file, @verdicts) = @_;
	open my $to, ">", $file or ::fail("--junit $file: $!");
	my (%suites, @order);
	for (@verdicts) { my $of = ::place($_->{boot}); push @order, $of if !$suites{$of}; push @{$suites{$of}}, $_ }
	print $to qq(<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n);
	for my $suite (@order) {
		my @all = @{$suites{$suite}};
		my ($seconds, %n) = (0, failed => 0, skipped => 0);
		for (@all) { $seconds += $_->{seconds}; $n{$_->{how}}++ }
		printf $to qq(  <testsuite name="%s" tests="%d" failures="%d" errors="0" skipped="%d" time="%.3f">\n),
			xml($suite), scalar @all, $n{failed}, $n{skipped}, $seconds;
		for my $v (@all) {
			my $c = $v->{case};
			printf $to qq(    <testcase classname="%s" name="%s" file="%s" line="%d" time="%.6f"),
				xml($suite), xml($c->{name}), xml($c->{source}), $c->{line}, $v->{seconds};
			if ($v->{how} eq "failed") {
				print $to qq(>\n      <failure message="), xml(::first_line($v)), qq(">),
					xml($v->{text}), "</failure>\n    </testcase>\n";
			} elsif ($v->{how} eq "skipped") {
				print $to qq(>\n      <skipped message="), xml($v->{why}), qq("/>\n    </testcase>\n);
			} else {
				print $to "/>\n";
			}
		}
		print $to "  </testsuite>\n";
	}
	print $to "</testsuites>\n";
	close $to or ::fail("--junit $file: $!");
}
1;
