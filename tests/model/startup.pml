/*
 * startup.pml - how harts come up: start_harts() and co_boot_hart() in runtime/core/boot/boot.c, with the
 * secondaries' wait in boot/riscv/start.S. Harts leave reset in any order and at any time, also after
 * hart 0 has released them. Each finds its record whole, lays out its own memory before anybody uses it,
 * and main starts when all are up. One that never comes up is named, and main does not start.
 *
 * Sizes: -DHARTS=3
 * Full: -DHARTS=5
 * Wrong: -DHARTS=3 -DRECORD_LATE
 * Wrong: -DHARTS=3 -DMAIN_EARLY
 * Wrong: -DHARTS=3 -DNO_RING
 * Wrong: -DHARTS=3 -DONLINE_EARLY
 */
bool record[HARTS], slot[HARTS], msip[HARTS], online[HARTS], laid_out[HARTS];
bool broken[HARTS]; /* stays in reset for ever */
byte posted[HARTS]; /* messages in the inbox */
byte ran;           /* harts that have run main's message */
bool started, named;

active [HARTS - 1] proctype secondary()
{
	byte me = _pid + 1;

	/* M-mode: the interrupt is enabled, then the slot looked at before each sleep. */
end_broken:
	!broken[me];
	do
	:: slot[me] -> break
	:: else ->
end_wait:
		msip[me]
	od;
	assert(record[me]);
#ifdef ONLINE_EARLY
	online[me] = true;
#endif
	/* co_boot_hart(): what laying out does would wipe out a message. */
	assert(!posted[me]);
	laid_out[me] = true;
#ifndef ONLINE_EARLY
	online[me] = true;
#endif
end_run:
	posted[me] > 0;
	ran++
}

active proctype zero()
{
	byte h;
	bool late = false;

	/* One of them may be broken. */
	if
	:: select (h : 1 .. HARTS - 1);
	   broken[h] = true
	:: skip
	fi;
#ifndef RECORD_LATE
	for (h : 1 .. HARTS - 1) {
		record[h] = true
	}
#endif
	for (h : 1 .. HARTS - 1) {
		slot[h] = true;
#ifndef NO_RING
		msip[h] = true;
#endif
#ifdef RECORD_LATE
		record[h] = true;
#endif
	}
#ifndef MAIN_EARLY
	h = 1;
	do
	:: h < HARTS && online[h] -> h++
	:: h < HARTS && broken[h] -> late = true; break /* its deadline passes */
	:: h == HARTS -> break
	od;
#endif
	if
	:: late -> named = true
	:: else ->
		started = true;
		for (h : 1 .. HARTS - 1) {
			assert(laid_out[h]);
			posted[h]++
		}
	fi
}

ltl main_or_a_name { <> (named || (started && ran == HARTS - 1)) }
ltl not_both { [] !(named && started) }
