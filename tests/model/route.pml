/*
 * route.pml - routes that are shared: runtime/data/network/route.c. Each of USERS takes a route
 * of two of a channel's three parts, holds it a while and gives it back, ROUNDS times: a part never
 * has two holders, nobody waits for ever, each request is served, and once it has queued up
 * it is overtaken at most once by each other.
 *
 * The queues are the runtime's (core/wait.c, comm/sync/mutex.c): to enter, to take the first out and
 * wake it, to leave, to hand a mutex over are one step each. One that wakes has left.
 *
 * Fair: a process that can go on does.
 * Sizes: -DUSERS=2 -DROUNDS=2
 * Sizes: -DUSERS=3 -DROUNDS=1
 * Full: -DUSERS=3 -DROUNDS=2
 * Wrong: -DUSERS=2 -DROUNDS=1 -DNO_UNDO
 * Wrong: -DUSERS=2 -DROUNDS=1 -DNO_LOOK
 * Wrong: -DUSERS=3 -DROUNDS=2 -DNO_TURN
 */
#define NONE USERS

byte taken;        /* bits of parts */
byte waiters;      /* the count above them: both are one word */
byte holder[3];    /* how many have that part */
byte turn = NONE;  /* the mutex */
chan turns = [USERS] of { byte };
byte sleeper = NONE; /* the queue, of one at most */
bool woken[USERS];
byte overtaken[USERS];
bool counted[USERS];
byte served;

inline wake_one()
{
	d_step {
		if
		:: sleeper != NONE -> woken[sleeper] = true; sleeper = NONE
		:: else
		fi
	}
}

inline clear(bits)
{
	d_step {
		taken = taken & (7 - (bits));
		some = waiters > 0
	}
	if
	:: some -> wake_one()
	:: else
	fi
}

/* have: all of the parts are taken now. */
inline try_take()
{
	d_step {
		was = taken;
		taken = taken | parts;
#ifdef NO_TURN
		have = !(was & parts);
#else
		have = !(was & parts) && waiters == 0;
#endif
		if
		:: have -> overtake()
		:: else
		fi
	}
#ifndef NO_UNDO
	if
	:: !have && (parts & ~was) -> clear(parts & ~was & 7)
	:: else
	fi
#endif
}

inline take_now()
{
	d_step {
		was = taken;
		taken = taken | parts;
		have = !(was & parts);
		if
		:: have -> overtake()
		:: else
		fi
	}
	if
	:: !have -> taken = taken & (7 - (parts & ~was & 7))
	:: else
	fi
}

/* This one has a route: all that wait for one that it has a part of have been overtaken by it. */
inline overtake()
{
	k = 0;
	do
	:: k < USERS ->
		if
		:: k != me && counted[k] -> overtaken[k]++; assert(overtaken[k] < USERS)
		:: else
		fi;
		k++
	:: else -> break
	od;
	counted[me] = false;
	overtaken[me] = 0
}

inline take_in_turn()
{
	waiters++;
	atomic {
		counted[me] = true;
		if
		:: turn == NONE -> turn = me
		:: else -> turns ! me
		fi
	}
	turn == me;
	do
	:: have -> break
	:: else ->
		sleeper = me;
#ifndef NO_LOOK
		take_now();
#endif
		if
		:: have ->
			d_step {
				woken[me] = false;
				if
				:: sleeper == me -> sleeper = NONE
				:: else
				fi
			}
		:: else -> woken[me]; woken[me] = false
		fi
	od;
	atomic {
		if
		:: turns ? turn
		:: empty(turns) -> turn = NONE
		fi
	}
	waiters--
}

/* Who has which part. */
inline hold(by)
{
	d_step {
		k = 0;
		do
		:: k < 3 ->
			if
			:: parts >> k & 1 -> holder[k] = holder[k] + by; assert(holder[k] <= 1)
			:: else
			fi;
			k++
		:: else -> break
		od
	}
}

proctype user(byte me)
{
	byte parts, was, i, k;
	bool have, some;

	parts = (me == 0 -> 3 : (me == 1 -> 6 : 5));
	for (i : 1 .. ROUNDS) {
		try_take();
		if
		:: have -> skip
		:: else -> take_in_turn()
		fi;
		hold(1);
		hold(-1);
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
	assert(!taken && !waiters)
}

ltl each_is_served { <> (served == USERS * ROUNDS) }
