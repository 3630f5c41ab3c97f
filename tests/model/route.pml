/*
 * route.pml - routes that are shared: runtime/data/network/route.c. Each of USERS takes a route
 * of two of a channel's three parts, holds it a while and gives it back, ROUNDS times: a part never
 * has two holders, nobody waits for ever, each request is served.
 *
 * The queue is the runtime's (core/wait.c): to enter, to take the first out and wake it, and to leave
 * are one step each. One that wakes has left.
 *
 * Fair: a process that can go on does.
 * Sizes: -DUSERS=2 -DROUNDS=1
 * Sizes: -DUSERS=2 -DROUNDS=2
 * Full: -DUSERS=3 -DROUNDS=1
 * Wrong: -DUSERS=2 -DROUNDS=1 -DNO_UNDO
 * Wrong: -DUSERS=2 -DROUNDS=1 -DNO_LOOK
 */
#define WANTED 8

byte taken;        /* bits of parts, and WANTED */
byte holder[3];    /* how many have that part */
chan queue = [USERS] of { byte };
bool woken[USERS];
byte served;

inline wake_one()
{
	d_step {
		some = len(queue) > 0;
		if
		:: some -> queue ? first; woken[first] = true
		:: else
		fi
	}
}

inline wake_next()
{
	wake_one();
	if
	:: !some ->
		taken = taken & 7;
		wake_one()
	:: else
	fi
}

inline clear(bits)
{
	d_step {
		old = taken;
		taken = taken & (15 - (bits))
	}
	if
	:: old & WANTED -> wake_next()
	:: else
	fi
}

/* have: all of the parts are taken now. */
inline try_take(turn)
{
	d_step {
		was = taken;
		taken = taken | parts
	}
	if
	:: !(was & parts) && (turn || !(was & WANTED)) -> have = true
	:: else ->
#ifndef NO_UNDO
		if
		:: parts & ~was -> clear(parts & ~was & 7)
		:: else
		fi
#endif
		have = false
	fi
}

proctype user(byte me)
{
	byte parts, was, old, first, i, k;
	bool have, some, mine, again;

	parts = (me == 0 -> 3 : (me == 1 -> 6 : 5));
	for (i : 1 .. ROUNDS) {
		try_take(false);
		if
		:: have -> skip
		:: else ->
			again = false;
			queue ! me;
			do
			:: have -> break
			:: else ->
				d_step {
					mine = !(taken & WANTED) || again;
					taken = taken | WANTED
				}
#ifndef NO_LOOK
				if
				:: mine -> try_take(true)
				:: else
				fi;
#endif
				if
				:: have ->
					/* It leaves, and hands on a wake-up that has come. */
					atomic {
						if
						:: woken[me] -> woken[me] = false; some = true
						:: else -> queue ?? eval(me); some = false
						fi
					}
					if
					:: some -> wake_one()
					:: else
					fi
				:: else ->
					woken[me];
					woken[me] = false;
					again = true;
					try_take(true);
					if
					:: have -> skip
					:: else -> /* to the front */
						atomic {
							k = len(queue);
							queue ! me;
							do
							:: k > 0 -> queue ? first; queue ! first; k--
							:: else -> break
							od
						}
					fi
				fi
			od;
			wake_next()
		fi;
		/* It has them: nobody else does. */
		d_step {
			k = 0;
			do
			:: k < 3 ->
				if
				:: parts >> k & 1 -> holder[k]++; assert(holder[k] == 1)
				:: else
				fi;
				k++
			:: else -> break
			od
		}
		d_step {
			k = 0;
			do
			:: k < 3 ->
				if
				:: parts >> k & 1 -> holder[k]--
				:: else
				fi;
				k++
			:: else -> break
			od
		}
		clear(parts);
		served++;
		have = false
	}
}

init {
	byte n;

	atomic {
		for (n : 0 .. USERS - 1) {
			run user(n)
		}
	}
	(served == USERS * ROUNDS);
	assert(!(taken & 7))
}

ltl each_is_served { <> (served == USERS * ROUNDS) }
