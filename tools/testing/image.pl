# image.pl - the cases of an image, read from its ELF file.
package Image;
use strict;
use warnings;

# read_file FILE: { file, short, board, cases }; a case: { number, name, source, line, tags, harts, timeout,
# expects, by_name }, as struct co_test of cohart/test.h has them.
sub read_file {
	my ($file) = @_;
	-f $file or ::fail("no image $file");
	my $bytes = ::slurp($file) // ::fail("$file: $!");
	my ($short) = $file =~ m{([^/]*?)(?:\.elf)?\z};
	# The note of any Cohart (runtime/core/boot/note.c): the run says more.
	my ($board, $version) = $bytes =~ /[\x01-\x7f]\0\0\0Cohart\0\0([\w-]+)\0([^\0]*)\0/;
	my $seal = defined $board ? $-[0] + length("$board$version") + 14 : 0;
	$seal += $-[0] - $seal & 3;
	defined $board && $bytes =~ /^\x7fELF[\x01\x02]\x01/ && length $bytes > 64 or
		::fail("$file is no image of Cohart");
	my $wide = ord(substr $bytes, 4) == 2;
	my ($programs, $sections, $each, $count, $size, $n, $names) =
		unpack $wide ? "x32 Q2 x6 v5" : "x28 V2 x6 v5", $bytes;
	my $damaged = sub { ::fail("$file is damaged: its cases lie outside of it") };
	my $part = sub {
		my ($at, $most) = @_;
		$at >= 0 && $at < length $bytes or $damaged->();
		return substr $bytes, $at, $most;
	};
	# Segments: where an address is in the file.
	my @loads = grep { $_->[0] == 1 } map {
		[unpack $wide ? "V x4 Q2 x8 Q" : "V3 x4 V", $part->($programs + $_ * $each, $each)]
	} 0 .. $count - 1;
	my $at = sub {
		my ($address) = @_;
		for (@loads) {
			my ($offset, $begin, $size) = @$_[1 .. 3];
			return $offset + $address - $begin if $address >= $begin && $address < $begin + $size;
		}
		$damaged->();
	};
	my $text = sub { return $_[0] ? unpack "Z*", $part->($at->($_[0]), 200) : "" };
	my @header = map { [unpack $wide ? "V x20 Q2" : "V x12 V2", $part->($sections + $_ * $size, $size)] }
		0 .. $n - 1;
	$names < $n or $damaged->();
	my ($tests) = grep { unpack("Z*", $part->($header[$names][1] + $_->[0], 20)) eq ".tests" } @header;
	my @cases;
	my ($word, $w) = $wide ? (8, "Q") : (4, "V");
	undef $tests if $tests && $tests->[2] < 8 + $word; # what aligns it
	my $entry = $tests ? unpack "x" . (4 * $word + 12) . "V", $part->($tests->[1], 5 * $word + 12) : 0;
	!$tests || $entry && $tests->[2] % $entry == 0 && $entry == ($wide ? 120 : 84) or
		::fail("$file has cases of another version of cohart/test.h");
	for my $i (0 .. ($tests ? $tests->[2] / $entry : 0) - 1) {
		my ($id, $source, undef, undef, $line, undef, $rows, undef, $kind, undef, $tags, $skip, undef, undef,
			$harts, $timeout, $expects, $by_name) =
			unpack "${w}4 V6 ${w}4 V4", $part->($tests->[1] + $i * $entry, $entry);
		my %case = (index => $i, number => $i, source => $text->($source), line => $line,
			tags => $text->($tags), harts => $harts, timeout => $timeout, expects => $expects,
			by_name => $by_name, bench => $kind == 2);
		my $called = $text->($id);
		if ($rows) {
			push @cases, { %case, name => "$called/$_", number => "$i.$_" } for 0 .. $rows - 1;
		} else {
			push @cases, { %case, name => $called };
		}
	}
	@cases or ::fail("$file has no cases: CO_TEST() of cohart/test.h defines some");
	my %seen;
	for (@cases) {
		my $other = $seen{$_->{name}} //= $_;
		$other == $_ or ::fail("$file has two cases of the name $_->{name}:",
			"$other->{source}:$other->{line} and $_->{source}:$_->{line}");
	}
	# Files one after the other, as they come in the image.
	my %order;
	$order{$_->{source}} //= keys %order for @cases;
	@cases = sort { $order{$a->{source}} <=> $order{$b->{source}} || $a->{index} <=> $b->{index} } @cases;
	return { file => $file, short => $short, board => $board, cases => \@cases,
		checksum => sprintf("%08x", unpack "V", $part->($seal, 4)),
		faulty => scalar($bytes =~ /--faults=%s: write a seed/) };
}
1;
