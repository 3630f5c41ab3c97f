/*
 * shutdown.pml - the end of main: shut_down() in runtime/core/sched/shutdown.c and sweep() of spawn.c. Every
 * coroutine that lives is asked to end, also one that is being started meanwhile; the message that asks a
 * hart is never in two places; the run ends, with the names of those that do not obey if there are any.
 *
 * A coroutine runs, waits, starts another one anywhere, and ends; once asked, it ends at its next wait. It
 * may be shielded (a wait that a cancel does not end, but somebody does), and with STUBBORN one never
 * ends. Since the live are counted one by one, a coroutine that is started behind the count, by one that
 * ends before it is counted itself, is not waited for: it dies with the machine.
 *
 * Fair: main counts again and again.
 * Sizes: -DHARTS=2 -DSTARTS=0
 * Sizes: -DHARTS=2 -DSTARTS=0 -DSTUBBORN
 * Full: -DHARTS=2 -DSTARTS=1
 * Full: -DHARTS=2 -DSTARTS=1 -DSTUBBORN
 * Wrong: -DHARTS=2 -DSTARTS=1 -DNO_SENT
 * Wrong: -DHARTS=2 -DSTARTS=1 -DASK_ONCE
 * Wrong: -DHARTS=2 -DSTARTS=0 -DFLAG_ONLY
 */
#define EACH 2 /* coroutines on a hart, hart() knows it */
#define ALL (HARTS * EACH)
#define IS_LIVE(c) (state[c] != FREE)

mtype = { FREE, STARTING, READY, WAITING, SHIELDED };

mtype state[ALL];
bool asked[ALL];
bool to_end[ALL]; /* the tree of cancelled blocks; a bit may be an earlier coroutine's */
bool sweep_sent[HARTS];
byte sweeps[HARTS];   /* messages of cancels in the inbox */
byte starts = STARTS;      /* coroutines that may still be started */
bool over, listed, late;
bool fresh[ALL]; /* started since the last count began */

#define RUNNABLE(c) (state[c] == STARTING || state[c] == SHIELDED || state[c] == READY)

/* A turn of a coroutine, up to its next wait; or what it waited for has come. */
inline turn(c)
{
	atomic {
		if
		:: state[c] != READY -> state[c] = READY
#ifdef STUBBORN
		:: state[c] == READY && c == 0 -> state[c] = WAITING
#endif
		:: state[c] == READY && !asked[c] -> state[c] = WAITING
		:: state[c] == READY && !asked[c] -> state[c] = SHIELDED
		:: state[c] == READY && starts > 0 ->
			starts--;
			select (other : 0 .. ALL - 1);
			if
			:: state[other] == FREE ->
				asked[other] = false;
				fresh[other] = true;
				state[other] = STARTING
			:: else
			fi;
			other = 0
		:: state[c] == READY -> state[c] = FREE; asked[c] = false
		fi
	}
}

/* The message: the waits of those that are asked to end are over. */
inline end_waits()
{
	sweeps[h]--;
	sweep_sent[h] = false;
#ifndef FLAG_ONLY
	c = h * EACH;
	do
	:: c < (h + 1) * EACH ->
		atomic {
			if
			:: to_end[c] && asked[c] && state[c] == WAITING -> state[c] = READY
			:: else
			fi;
			to_end[c] = false;
			c++
		}
	:: else -> break
	od;
#endif
	c = 0
}

/* A hart runs what it has, in any order, but looks at its messages before each turn. */
proctype hart(byte h)
{
	byte c, other;

end_idle:
	do
	:: sweeps[h] > 0 || RUNNABLE(h * EACH) || RUNNABLE(h * EACH + 1) ->
		if
		:: sweeps[h] > 0 -> end_waits()
		:: else
		fi;
		if
		:: RUNNABLE(h * EACH) -> turn(h * EACH)
		:: RUNNABLE(h * EACH + 1) -> turn(h * EACH + 1)
		:: else
		fi
	od
}

init
{
	byte c, h, live, here;
	bool new;

	atomic {
		state[0] = WAITING;
		state[1] = FREE;
		state[2] = READY;
		if
		:: state[3] = FREE
		:: state[3] = WAITING
		fi;
		for (h : 0 .. HARTS - 1) {
			run hart(h)
		}
	}
	do
	:: atomic {
		live = 0;
		for (c : 0 .. ALL - 1) {
			fresh[c] = false
		}
		c = 0;
		h = 0
	   }
	   do
	   :: h < HARTS ->
		here = 0;
		new = false;
		do
		:: c < (h + 1) * EACH ->
			atomic {
				here = here + (IS_LIVE(c) -> 1 : 0);
				if
				:: IS_LIVE(c) && !asked[c] ->
					asked[c] = true;
					to_end[c] = true;
					new = true
				:: else
				fi;
				c++
			}
		:: else -> break
		od;
		atomic {
			live = live + here;
			if
#ifndef NO_SENT
			:: new && !sweep_sent[h] ->
#else
			:: new ->
#endif
				sweep_sent[h] = true;
				assert(sweeps[h] == 0);
				sweeps[h]++
			:: else
			fi;
			h++
		}
	   :: else -> break
	   od;
	   if
	   :: live == 0 -> break
#ifdef STUBBORN
	   :: live > 0 -> late = true; break /* the deadline */
#endif
	   :: else
	   fi;
#ifdef ASK_ONCE
	   live == 0
#endif
	od;
	listed = live > 0;
	for (c : 0 .. ALL - 1) {
		assert(listed || !IS_LIVE(c) || fresh[c])
	}
	over = true
}

ltl over_in_the_end { <> over }
ltl named_if_late { [] (over -> (listed == late)) }
