# launch.pl - run a command for qemu/run: names pass into its reports, its input gets an end, its time a limit. One loop
# moves all that, so that beside QEMU no other process need be started.
package Launch;
use strict;
use warnings;

# Modules that have these cost 3 ms each. Of fcntl(2), prctl(2), personality(2), waitpid(2), errno(3), on Linux:
sub F_SETFD() { 2 }
sub F_SETFL() { 4 }
sub F_SETPIPE_SZ() { 1031 }
sub O_WRONLY_NONBLOCK() { 04001 }
sub PR_SET_PDEATHSIG() { 1 }
sub ADDR_NO_RANDOMIZE() { 0x0040000 }
sub WNOHANG() { 1 }
sub EINTR() { 4 }
sub EAGAIN() { 11 }
sub EPIPE() { 32 }
# The numbers of the three calls that Perl has no name for, by e_machine: x86-64, AArch64, RISC-V.
my %prctl = (62 => 157, 183 => 167, 243 => 167);
my %memfd_create = (62 => 319, 183 => 279, 243 => 279);
my %personality = (62 => 135, 183 => 92, 243 => 92);

sub PIPE_BYTES() { 1 << 20 }
sub ATOMIC_BYTES() { 4096 } # a pipe that select() finds writable takes so many at once
# hal/console.h: a UART's input has a DLE before each DLE and EOT, and an EOT behind all. It begins with the sign in the
# UART's output, which does not pass: before, nobody reads, and a UART may drop it.
sub EOT() { "\x04" }
sub DLE() { "\x10" }
sub SIGN() { "\x11\x10\x11" }
# hal/host.h: without a host a run's end is a last line, which does not pass; nor does its beginning, for HOLD seconds.
my $last = "cohart: exit code ";
my $begun = "(?:\\d{1,3}\\n?)?";
$begun = "(?:\Q$_\E$begun)?" for reverse split //, $last;
sub HOLD() { 0.05 }
# Seconds: from a look at the clock to the next; how long the program has to answer who asks what it waits for; how long
# it is silent when it has; from the request to end to the kill.
sub TICK() { 1 }
sub ANSWER() { 2 }
sub SILENCE() { 0.3 }
sub KILL_AFTER() { 10 }

my %l;       # what launch() was given
my $pid;     # the command's
my @streams; # what comes of it: { from, to, queue, names, held, waits_for_sign, noise, banner }
my $input;   # its standard input's other end
my $port;    # QEMU's debugger's

sub uptime {
	open my $in, "<", "/proc/uptime" or return time;
	return (split " ", <$in>)[0];
}

# ---- What comes out ----

# passer NAMES: a function that is given what comes, piece by piece, and returns what may be written; with a second
# argument that is true nothing more comes. A line waits for its end only while it can be one of a report's: these pass
# through NAMES (with_names() of tools/lines).
my @begins = ("  '", "  barrier 0x", "  block of ", "  rank ", "  backtrace: make lines ", "  it is at pc ");
sub passer {
	my ($names) = @_;
	my ($line, $plain) = ("", 0);
	return sub {
		my ($got, $last) = @_;
		my $passes = "";
		for my $piece ($got =~ /[^\n]*\n|[^\n]+/g) {
			$line .= $piece;
			my $ends = $piece =~ /\n\z/;
			$plain ||= !grep { index($_, $line) == 0 || index($line, $_) == 0 } @begins;
			next if !$plain && !$ends;
			$passes .= $plain ? $line : eval { $names->($line) } // $line;
			warn $@ if $@;
			($line, $plain) = ("", !$ends);
		}
		return $passes . ($last ? $line : "");
	};
}

# named LINE: by tools/lines, which is read when the first line is one of a report's.
sub named {
	require "$l{top}/tools/lines";
	Lines::know($l{cross}, $l{image});
	return Lines::with_names($_[0]);
}

# passes STREAM TEXT: TEXT as it is to be written.
sub passes {
	my ($s, $got) = @_;
	if (defined $s->{banner}) { # kept until its last line, for it may be all that is said
		$got = $s->{before} .= $got;
		return "" if $got !~ s/\A.*?^(?:$s->{banner})[^\n]*\n//ms;
		$s->{before} = "";
		delete $s->{banner};
	}
	if ($s->{last_line}) {
		my $new = $got;
		$got = $s->{kept} . $got;
		my $newline = $s->{ended} ? qr/\n|\A/ : qr/\n/;
		$s->{kept} = $got =~ s/((?:$newline)$begun)\z// ? $1 : "";
		$s->{ended} = $got =~ /\n\z/ if $got ne "";
		$s->{tail} = substr $s->{tail} . $new, -32;
		@l{qw(said said_at)} = $s->{tail} =~ /\n$last(\d+)\n\z/ ? ($1, uptime()) : ();
	}
	if ($s->{waits_for_sign}) { # it may come in pieces
		$got = $s->{held} . $got;
		if ($got =~ s/${\SIGN}//) {
			$s->{waits_for_sign} = 0;
			$l{begun} = 1;
		}
		$s->{held} = $s->{waits_for_sign} && $got =~ s/(\x11\x10?)\z// ? $1 : "";
	}
	if ($s->{noise}) { # whole lines
		$got = $s->{line} . $got;
		$s->{line} = $got =~ s/([^\n]+)\z// ? $1 : "";
		$got =~ s/^(.*)\n/$1 =~ $s->{noise} ? "" : $&/gem;
	}
	return $s->{names} ? $s->{names}->($got) : $got;
}

# take STREAM: read what there is; at the end, what was held.
sub take {
	my ($s) = @_;
	my $n = sysread $s->{from}, my $got, PIPE_BYTES;
	if ($n) {
		$s->{queue} .= passes($s, $got);
		return $l{heard} = 1;
	}
	return if !defined $n && ($! == EINTR || $! == EAGAIN);
	my $rest = ($s->{before} // "") . $s->{held} . ($s->{line} // "") . ($s->{kept} =~ /$last/ ? "" : $s->{kept});
	$s->{queue} .= $s->{names} ? $s->{names}->($rest, 1) : $rest;
	delete $s->{from};
}

# let_go: what may begin the last line does not.
sub let_go {
	for my $s (grep { $_->{kept} ne "" && !defined $l{said} } @streams) {
		$s->{queue} .= $s->{names} ? $s->{names}->($s->{kept}) : $s->{kept};
		$s->{ended} = $s->{kept} =~ /\n\z/;
		$s->{kept} = "";
	}
}

# give STREAM: write of its queue what is taken at once.
sub give {
	my ($s) = @_;
	my $n = syswrite $s->{to}, $s->{queue}, ATOMIC_BYTES;
	if (defined $n) {
		substr $s->{queue}, 0, $n, "";
	} elsif ($! != EINTR && $! != EAGAIN) {
		# Nobody will know what the program says: it ends, as any that writes to a closed pipe.
		::say_error("standard " . ($s == $streams[0] ? "output" : "error") . ": $!: the run ends")
			if !$l{unwritable}++;
		$_->{queue} = "" for @streams;
		stop("TERM");
	}
}

# ---- What goes in ----

sub feed {
	if ($l{left} ne "") {
		my $n = syswrite $input, $l{left};
		$n = length $l{left} if !defined $n && $! == EPIPE; # nobody reads any more
		substr $l{left}, 0, $n // 0, "";
		return;
	}
	my $n = sysread STDIN, my $piece, 1 << 16;
	return if !defined $n && ($! == EINTR || $! == EAGAIN);
	$l{over} = !$n;
	$l{left} = $n ? $piece =~ s/[\x04\x10]/${\DLE}$&/gr : EOT;
}

# ---- How long it takes ----

# stop SIGNAL: ask it to end; if it does not, it is killed.
sub stop {
	kill $_[0] => $pid;
	$l{kill_at} //= uptime() + KILL_AFTER;
}

# ask: write 1 where the program looks for it, and let it go on: then it lists what waits (co_debug_dump()). QEMU
# swallows the first byte.
sub ask {
	my $at = $port ? address_of("co_dump_wanted") : undef;
	return !::say_error("the program cannot be asked what it waits for") if !defined $at;
	send_packets(sprintf("M%x,4:01000000", $at), "c");
	return 1;
}

# send_packets TEXT...: to QEMU's debugger's port. Its first byte stops a machine that runs, and is swallowed.
sub send_packets {
	syswrite $port, join "", "+", map { sprintf '$%s#%02x', $_, unpack "%8C*", $_ } @_;
}

# address_of SYMBOL IMAGE: of that image, or of the one that runs; or undef.
sub address_of {
	my ($name, $image) = @_;
	my $elf = ::slurp($image // $l{image});
	my $wide = unpack("x4C", $elf) == 2;
	my ($sections, $bytes, $n) = unpack $wide ? "x40Q x10v2" : "x32V x10v2", $elf;
	my @header = map { [unpack $wide ? "x4V x16Q2 V" : "x4V x8V2 V", substr $elf, $sections + $_ * $bytes, $bytes] }
		0 .. $n - 1;
	my ($symbols) = grep { $_->[0] == 2 } @header or return; # SHT_SYMTAB
	my $table = substr $elf, $symbols->[1], $symbols->[2];
	my $names = $header[$symbols->[3]];
	my $at = 1 + index substr($elf, $names->[1], $names->[2]), "\0$name\0";
	my ($key, $found, $size) = (pack("V", $at), -1, $wide ? 24 : 16);
	while ($at && ($found = index $table, $key, $found + 1) >= 0) {
		return unpack $wide ? "x8Q" : "x4V", substr $table, $found, $size if $found % $size == 0;
	}
	return;
}

# processors: how many this process may use.
sub processors {
	open my $in, "<", "/proc/self/status" or return 1;
	my ($list) = map { /^Cpus_allowed_list:\s*(\S+)/ } <$in>;
	my $n = 0;
	$n += /^(\d+)-(\d+)$/ ? $2 - $1 + 1 : 1 for split /,/, $list // "";
	return $n || 1;
}

# ran: of each thread of the command the nanoseconds that it had, and that it waited for a processor.
sub ran {
	my %ran;
	for my $file (glob "/proc/$pid/task/*/schedstat") {
		open my $in, "<", $file or next;
		my ($had, $waited) = split " ", <$in> // next;
		$ran{$file} = [$had, $waited];
	}
	return \%ran;
}

# passed: seconds that the command would have needed on an idle PC for what it did since the last call. What it had of
# the processors is put against what it wanted of those that there are; who sleeps needs them all.
sub passed {
	my ($now, $ran) = (uptime(), ran());
	my $seconds = $now - $l{looked};
	my ($had, $waited) = (0, 0);
	for (keys %$ran) {
		my $before = $l{ran}{$_} // [0, 0];
		$had += ($ran->{$_}[0] - $before->[0]) / 1e9;
		$waited += ($ran->{$_}[1] - $before->[1]) / 1e9;
	}
	@l{qw(looked ran)} = ($now, $ran);
	my $all = $seconds * ($l{processors} //= processors());
	my $wanted = $had + $waited < $all ? $had + $waited : $all;
	return $wanted > $had ? $seconds * $had / $wanted : $seconds;
}

# look: is its time over? Then it is asked what it waits for, asked to end when it has
# answered, and killed.
sub look {
	my $now = uptime();
	if (defined $l{kill_at}) {
		kill KILL => $pid if $now >= $l{kill_at};
	} elsif ($l{halts} && defined $l{said} && $now >= $l{said_at} + SILENCE) {
		kill KILL => $pid; # the board has no way to end QEMU, which would report another signal
	} elsif ($l{asked}) {
		my $seconds = passed();
		$l{answering} += $seconds;
		$l{answers} ||= $l{heard};
		$l{silent} = $l{heard} ? 0 : $l{silent} + $seconds;
		$l{heard} = 0;
		my $over = $l{answers} ? $l{silent} >= SILENCE : $l{answering} >= ANSWER;
		return if !$over && $l{answering} < 2 * ANSWER;
		::say_error("nothing is listed: hart 0 neither gives way nor takes an alarm",
			$l{watch} ? () : "(--watch=0, as with ranks: --watch=1000 behind the image has it take one)")
			if !$l{answers} && $l{waits};
		stop("TERM");
	} elsif ($l{timeout} ne "" && $now > $l{looked}) {
		$l{passed} += passed();
		return if $l{passed} < $l{timeout};
		::say_error("no end after $l{timeout} s");
		$l{expired} = 1;
		triage("no end after $l{timeout} s");
		@l{qw(asked answering answers silent heard)} = (1, 0, 0, 0, 0);
		$l{waits} = ask() or $l{answering} = 2 * ANSWER;
	}
}

# patience: seconds until the next look, or undef.
sub patience {
	return HOLD if grep { $_->{kept} ne "" } @streams;
	return if $l{timeout} eq "" && !defined $l{kill_at};
	return 0.1 if $l{asked};
	my $left = defined $l{kill_at} ? 1 : $l{timeout} - $l{passed};
	return $left < 0.01 ? 0.01 : $left < TICK ? $left : TICK;
}

# ---- The run ----

# machine: e_machine of this Perl, by which system calls are numbered.
sub machine {
	my $header;
	open my $perl, "<", "/proc/self/exe" or return 0;
	return (sysread($perl, $header, 20) // 0) == 20 ? unpack "x18v", $header : 0;
}

# memory_file FD: the open file of that number, without one an empty file without a name, in memory if it may be. What
# is run has it, too.
sub memory_file {
	my ($given) = @_;
	my $number = $memfd_create{machine()} // -1;
	my $name = "ram"; # no literal: the call could write to it
	my $fd = $given // ($number < 0 ? -1 : syscall $number, $name, 0);
	my $file;
	$fd >= 0 ? open $file, "+<&=", $fd : open $file, "+>", undef or ::fail("a file for the memory: $!");
	fcntl $file, F_SETFD, 0;
	return $file;
}

# become: this process is the command from now on. OUT: what takes its standard output and error.
sub become {
	my ($parent, $from, $out, $err, $their_port) = @_;
	my $machine = machine();
	$SIG{QUIT} = "IGNORE" if $l{debugger};
	setpgrp if $l{gdb}; # Ctrl-C is gdb's
	open STDIN, "<&", $from or die "$!\n" if $from;
	open STDOUT, ">&", $out or die "$!\n";
	open STDERR, ">&", $err or die "$!\n" if $err;
	fcntl $their_port, F_SETFD, 0 if $their_port;
	# Who kills this script kills what it runs.
	syscall $prctl{$machine}, PR_SET_PDEATHSIG, 9 if $prctl{$machine};
	exit 1 if getppid != $parent;
	# Addresses of a program of this PC that repeat, and that ThreadSanitizer can place on every kernel.
	syscall $personality{$machine}, ADDR_NO_RANDOMIZE if !$l{debugger} && $personality{$machine};
	my @command = @{$l{command}};
	push @command, "-chardev", "socket,id=debugger,fd=" . fileno $their_port, "-gdb", "chardev:debugger"
		if $their_port;
	no warnings 'exec';
	exec { $command[0] } @command;
	die "$command[0]: $!\n";
}

# ---- gdb ----

# gdb TOP WORDS...: become gdb, with Cohart's commands.
sub gdb {
	my ($top, @words) = @_;
	no warnings 'exec';
	# A packet that gdb sends again, since a busy PC is late with the answer, has two answers.
	exec "gdb-multiarch", "-q", "-d", $top, "-iex", "set remotetimeout 60",
		"-ex", "source $top/qemu/gdb/cohart.py", @words;
	::say_error("gdb-multiarch is missing: run 'make deps' in Cohart's tree, as root");
	exit 2;
}

# remote: what connects gdb with QEMU's debugger's port, which this process has open.
sub remote {
	my $fd = fileno $port;
	fcntl $port, F_SETFD, 0;
	return "-ex", "target remote | trap '' INT; cat <&$fd & cat >&$fd; kill \$!";
}

# start_gdb: on the terminal. The run ends when it does.
sub start_gdb {
	my $gdb = $l{gdb_pid} = fork // ::fail("fork: $!");
	if (!$gdb) {
		open STDIN, "<&", $l{gdb};
		$SIG{INT} = "DEFAULT";
		gdb($l{top}, remote(), $l{image});
	}
	undef $port;
	$SIG{INT} = "IGNORE";
	my $ends = sub {
		local ($?, $!);
		return if $l{quit} || waitpid($gdb, WNOHANG) == 0;
		$l{quit} = 1;
		kill KILL => $pid;
	};
	$SIG{CHLD} = $ends;
	$ends->(); # it may have ended before
}

# ---- Triage ----

# gdb in batch mode has this long.
sub TRIAGE() { 60 }

# report_on WHY, FILE: have gdb write a report on the machine, which stands still meanwhile, and its core.
sub report_on {
	my ($why, $file) = @_;
	return if !$port && $l{debugger};
	if ($port && !$l{stopped}) {
		send_packets();
		my $ready = "";
		vec($ready, fileno $port, 1) = 1;
		sysread $port, my $stop, 1 << 16 if select $ready, undef, undef, 10; # that it has stopped
		syswrite $port, "+";
	}
	local $SIG{QUIT} = "IGNORE"; # gdb's, too
	my $gdb = fork // return;
	if (!$gdb) {
		$SIG{INT} = "IGNORE";
		open STDIN, "<", "/dev/null";
		$file =~ s/^&=// ? open STDOUT, ">&=", $file : open STDOUT, ">", $file or exit 1;
		open STDERR, ">&", \*STDOUT;
		my @core = $l{core} ne "" ? ("-ex", "cohart core $l{core}") : ();
		my @reach = $port ? remote() : ();
		my @leave = $port ? ("-ex", "disconnect", $l{image}) : ("-ex", "detach", $l{image}, "-p", $pid);
		gdb($l{top}, qw(-nx -batch), @reach, "-ex", "cohart triage $why", @core, @leave);
	}
	my $until = uptime() + TRIAGE;
	while (waitpid($gdb, WNOHANG) == 0) {
		select undef, undef, undef, 0.02;
		kill KILL => $gdb if uptime() > $until;
	}
	::say_error("triage: gdb has failed, see $file") if $?;
	# gdb has removed the breakpoint, if it got so far. A machine that stands at it does not go on with it.
	my $breakpoint = defined $l{end} ? sprintf("%s1,%x,4", $l{stopped} ? "z" : "Z", $l{end}) : undef;
	send_packets($breakpoint // (), "c") if $port;
	@l{qw(looked ran stopped)} = (uptime(), ran(), 0);
}

# triage WHY: to the files that were asked for, once.
sub triage {
	my ($why) = @_;
	return if $l{triage} eq "" && $l{core} eq "";
	report_on($why, $l{triage} ne "" ? $l{triage} : "/dev/null");
	my @files = map { $l{$_} ne "" ? "$_ $l{$_}" : () } qw(triage core);
	::say_error("$why: @files");
}

# stopped: QEMU has answered. Where the run is about to end by a fault or a deadlock it stands at co_debug_end().
sub stopped {
	my ($answer) = @_;
	return if $answer !~ /\$T05/ || !defined $l{end};
	syswrite $port, "+";
	$l{stopped} = 1;
	triage("a fault or a deadlock");
}

# listen_for: who connects to this abstract name gets a report (cohart-triage).
sub listen_for {
	socket my $listener, 1, 1, 0 or return;
	bind $listener, pack "Sa*", 1, "\0cohart-run.$$" or return;
	listen $listener, 1 or return;
	return $listener;
}

# serve LISTENER: a report to who connects, of the same user.
sub serve {
	accept my $client, $_[0] or return;
	my ($peer, $user) = unpack "l3", getsockopt $client, 1, 17; # SOL_SOCKET, SO_PEERCRED
	return if $user != $> && $user != 0;
	report_on("cohart-triage", "&=" . fileno $client);
}

# print_report PID: of a run of this script's that is on; PID may be its QEMU's. Returns false if there is none.
sub print_report {
	my ($of) = @_;
	socket my $to, 1, 1, 0 or return;
	my $reach = sub { connect $to, pack "Sa*", 1, "\0cohart-run.$_[0]" };
	if (!$reach->($of)) {
		open my $stat, "<", "/proc/$of/stat" or return;
		$reach->((<$stat> =~ /.*\) \S (\d+)/)[0] // return) or return;
	}
	print while <$to>;
	return 1;
}

# stream FILE: what is written to the second that this returns goes to FILE.
sub stream {
	my ($to, %more) = @_;
	pipe my $from, my $into or ::fail("pipe: $!");
	# If it may be: some of QEMU's serial lines drop what a full pipe does not take.
	fcntl $into, F_SETPIPE_SZ, PIPE_BYTES;
	my $names = $l{names} ? passer(\&named) : undef;
	push @streams, {
		from => $from, to => $to, queue => "", held => "", kept => "", tail => "", names => $names, %more };
	return $into;
}

# launch OPTIONS: run a command. Its exit code is what this returns.
sub launch {
	%l = (left => "", over => 0, begun => 0, passed => 0, ran => {}, looked => uptime(), @_);
	# What goes to one place stays in its order.
	my $same = join(" ", (stat STDOUT)[0, 1]) eq join(" ", (stat STDERR)[0, 1]);
	my ($err, $from, $their_port);
	# What firmware says before the image does, where the UART goes.
	my @banner = defined $l{banner} ? (banner => qr/$l{banner}/, before => "") : ();
	my $out = stream(\*STDOUT, waits_for_sign => $l{uart}, last_line => $l{last_line},
		$l{uart} || $same && !defined $l{noise} ? @banner : ());
	if (defined $l{noise}) {
		my $noise = $l{noise} =~ s/\\\|/|/gr; # as of grep
		$err = stream(\*STDERR, noise => qr/$noise/, line => "");
	} elsif ($same) {
		$err = $out;
	} elsif ($l{errors}) {
		$err = stream(\*STDERR, @banner);
	}
	pipe $from, $input or ::fail("pipe: $!") if $l{uart};
	socketpair $port, $their_port, 1, 1, 0 or ::fail("socketpair: $!") if $l{debugger}; # local, a stream
	my $parent = $$;
	$pid = fork // ::fail("fork: $!");
	become($parent, $from, $out, $err, $their_port) if !$pid;
	undef $_ for $out, $err, $from, $their_port;
	$SIG{PIPE} = "IGNORE";
	for my $signal (qw(INT TERM HUP)) {
		$SIG{$signal} = sub { kill $signal => $pid } if ($SIG{$signal} // "") ne "IGNORE";
	}
	$SIG{QUIT} = sub { triage("asked by SIGQUIT"); ask() } if $l{debugger};
	start_gdb() if $l{gdb};
	if ($l{triage} . $l{core} ne "" && $port) {
		$l{end} = address_of("co_debug_end");
		send_packets(defined $l{end} ? sprintf("Z1,%x,4", $l{end}) : (), "c");
	}
	my $listener = $l{gdb} ? undef : listen_for();
	fcntl $input, F_SETFL, O_WRONLY_NONBLOCK if $input;
	while (my @open = grep { $_->{from} || $_->{queue} ne "" } @streams) {
		my ($ready, $room) = ("", "");
		for (@open) {
			vec($ready, fileno $_->{from}, 1) = 1 if $_->{from} && length $_->{queue} < PIPE_BYTES;
			vec($room, fileno $_->{to}, 1) = 1 if $_->{queue} ne "";
		}
		vec($ready, fileno STDIN, 1) = 1 if $input && $l{begun} && !$l{over} && $l{left} eq "";
		vec($room, fileno $input, 1) = 1 if $input && $l{left} ne "";
		vec($ready, fileno $port, 1) = 1 if $port;
		vec($ready, fileno $listener, 1) = 1 if $listener;
		my $n = select $ready, $room, undef, patience();
		look();
		let_go() if !$n;
		next if $n <= 0; # a signal, or time
		for (@open) {
			give($_) if vec $room, fileno $_->{to}, 1;
			take($_) if $_->{from} && vec $ready, fileno $_->{from}, 1;
		}
		feed() if $input && (vec($room, fileno $input, 1) || vec $ready, fileno STDIN, 1);
		if ($port && vec $ready, fileno $port, 1) {
			sysread $port, my $answer, 1 << 16 or undef $port;
			stopped($answer) if $port;
		}
		serve($listener) if $listener && vec $ready, fileno $listener, 1;
	}
	# It has closed its output, and mostly that is its end.
	my $wait = 0.002;
	while ((my $ended = waitpid $pid, patience() ? WNOHANG : 0) != $pid) {
		next if $ended < 0 && $! == EINTR;
		last if $ended < 0;
		select undef, undef, undef, $wait;
		$wait = 0.1 if ($wait *= 2) > 0.1;
		look();
	}
	my $status = $?;
	$SIG{CHLD} = "DEFAULT";
	waitpid $l{gdb_pid}, 0 if $l{gdb_pid} && !$l{quit}; # the terminal is gdb's until it ends
	return 0 if $l{quit};
	return $status == 9 ? 137 : 124 if $l{expired};
	my $code = $l{said} // ($status & 127 ? 128 + ($status & 127) : $status >> 8);
	if ($l{last_line} && !defined $l{said} && !$code) {
		::say_error("the run has ended without a last line");
		$code = 1;
	}
	return $l{unwritable} ? 1 : $code;
}
1;
