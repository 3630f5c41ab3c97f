/*
 * route.pml - routes that are shared: runtime/libs/network/route.c. Each of USERS takes a route
 * of two of a channel's three parts, holds it a while and gives it back, ROUNDS times: a part never
 * has two holders, nobody waits for ever, each request is served, and once it has queued up
 * it is overtaken at most once by each other. With -DKEEP each, on a core of its own, may keep what it
 * has had, any time: the one whose turn it is says to all that it wants something, and takes from
 * them what they keep. Before it has said so, one that keeps a route takes it as often as it wants.
 *
 * The queues are the runtime's (core/sched/wait.c, comm/sync/mutex.c): to enter, to take the first out and
 * wake it, to leave, to hand a mutex over are one step each. One that wakes has left.
 *
 * Fair: a process that can go on does.
 * Sizes: -DUSERS=2 -DROUNDS=2
 * Sizes: -DUSERS=3 -DROUNDS=1
 * Sizes: -DUSERS=2 -DROUNDS=3 -DKEEP
 * Sizes: -DUSERS=3 -DROUNDS=1 -DKEEP
 * Full: -DUSERS=3 -DROUNDS=2
 * Full: -DUSERS=3 -DROUNDS=2 -DKEEP
 * Wrong: -DUSERS=2 -DROUNDS=1 -DNO_UNDO
 * Wrong: -DUSERS=2 -DROUNDS=1 -DNO_LOOK
 * Wrong: -DUSERS=3 -DROUNDS=2 -DNO_TURN
 * Wrong: -DUSERS=2 -DROUNDS=2 -DKEEP -DNO_STEAL
 * Wrong: -DUSERS=2 -DROUNDS=2 -DKEEP -DNO_WANT
 * Wrong: -DUSERS=2 -DROUNDS=3 -DKEEP -DNO_SWAP
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
byte kept[USERS];   /* parts that this core keeps; 0: none */
byte wanted[USERS]; /* by so many */

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

/* co_net_keep_nothing(), of one core */
inline keep_nothing(core)
{
#ifdef NO_SWAP
	stolen = kept[core];
	kept[core] = 0;
#else
	d_step {
		stolen = kept[core];
		kept[core] = 0
	}
#endif
	if
	:: stolen -> clear(stolen)
	:: else
	fi
}

/* want(): to all, one after the other */
inline want()
{
	core = 0;
	do
	:: core < USERS ->
#ifndef NO_WANT
		wanted[core]++;
#endif
#ifndef NO_STEAL
		keep_nothing(core);
#endif
		core++
	:: else -> break
	od
}

/* from the last one that it was said to */
inline want_no_more()
{
	do
	:: core > 0 ->
		core--;
#ifndef NO_WANT
		wanted[core]--
#endif
	:: else -> break
	od
}

/* co_net_take_kept() and co_net_keep() */
inline take_kept()
{
#ifdef NO_SWAP
	have = kept[me] == parts;
	kept[me] = 0;
#else
	d_step {
		have = kept[me] == parts;
		kept[me] = 0
	}
#endif
}

inline keep()
{
	kept[me] = parts;
	if
	:: wanted[me] -> keep_nothing(me)
	:: else
	fi
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
#ifdef KEEP
	want();
#endif
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
#ifdef KEEP
	want_no_more();
#endif
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
#ifdef KEEP
	byte core, stolen;
#endif

	parts = (me == 0 -> 3 : (me == 1 -> 6 : 5));
	for (i : 1 .. ROUNDS) {
#ifdef KEEP
		take_kept();
#endif
		if
		:: have -> skip
		:: else ->
			try_take();
			if
			:: have -> skip
			:: else -> take_in_turn()
			fi
		fi;
		hold(1);
		hold(-1);
#ifdef KEEP
		if
		:: keep()
		:: clear(parts)
		fi;
#else
		clear(parts);
#endif
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
#ifdef KEEP
	for (n : 0 .. USERS - 1) {
		taken = taken & (7 - kept[n])
	}
#endif
	assert(!taken && !waiters)
}

ltl each_is_served { <> (served == USERS * ROUNDS) }
