/*
 * network.pml - two ends of the network meet: co_net_start() and co_net_withdraw() in
 * runtime/libs/network/end.c, over ROUNDS transfers, the receiver's start and the sender's at any time
 * to each other. Each transfer is carried out once, with what both sides have said of it, and both
 * hear of it. With -DWITHDRAW=n the receiver may take its offer back so often, and then starts again.
 * With -DSWITCH=n a third core ends the connection so often, at any time, and makes it again
 * (runtime/libs/network/switch.c). Left out: another connection of either side in between; and a side
 * that is lost (charge.pml).
 *
 * Fair: a process that can go on does.
 * Sizes: -DROUNDS=3
 * Sizes: -DROUNDS=2 -DWITHDRAW=2
 * Sizes: -DROUNDS=2 -DSWITCH=1
 * Full: -DROUNDS=5
 * Full: -DROUNDS=3 -DWITHDRAW=2
 * Full: -DROUNDS=2 -DSWITCH=2
 * Wrong: -DROUNDS=2 -DNO_CLAIM -DNO_OWN
 * Wrong: -DROUNDS=2 -DNO_LOOK
 * Wrong: -DROUNDS=3 -DNO_OVER -DNO_OWN
 * Wrong: -DROUNDS=2 -DSWITCH=1 -DNO_OWN
 * Wrong: -DROUNDS=2 -DSWITCH=1 -DNO_RESET
 * Wrong: -DROUNDS=2 -DSWITCH=1 -DCLEAR
 */
#define SEND 0
#define RECV 1

byte offered[2];           /* at that end, by the other: its number, or 0 */
byte theirs[2];            /* at that end: the other's number */
byte number[2], over[2];   /* of transfers, modulo nothing: few */
byte claimed;              /* at the sending end */
byte carried;              /* transfers */
bool cut[2];               /* that end has no other side */
bool waits[2];             /* it has been started, and has no route: under the lock */
bool setting;              /* the lock */

/* Both numbers are those of one transfer, which nobody has carried out. */
inline carry_out()
{
	assert(theirs[as] == number[1 - as]);
	assert(over[as] != number[as] && over[1 - as] != number[1 - as]);
	carried++;
	theirs[as] = 0;
	over[1 - as] = number[1 - as];
	over[as] = number[as]
}

inline lock()
{
	atomic {
		!setting;
		setting = true
	}
}

/* Take back what `as` has offered. */
inline take_own()
{
	d_step {
		took = offered[1 - as] == number[as];
		offered[1 - as] = (took -> 0 : offered[1 - as])
	}
}

/* co_net_begin_anew(): go on as that end under the lock, or leave it to one that makes a connection. */
inline begin_anew()
{
	if
	:: has_lock
	:: else -> lock(); has_lock = true; release = true
	fi;
	if
	:: over[as] == number[as]
	:: over[as] != number[as] && !cut[as] -> again = true
	:: over[as] != number[as] && cut[as] -> waits[as] = true
	fi
}

/* co_net_meet(), for that end */
inline meet(end)
{
	as = end;
	again = true;
	do
	:: !again -> break
	:: again ->
		again = false;
		/* take_offer() */
		d_step {
			took = offered[as] != 0;
			offered[as] = 0
		}
		if
		:: took -> carry_out()
		:: else -> offer()
		fi
	od;
	if
	:: release -> release = false; has_lock = false; setting = false
	:: else
	fi
}

inline offer()
{
	theirs[1 - as] = number[as];
	offered[1 - as] = number[as];
	if
	:: cut[as] ->
		take_own();
		if
		:: took -> begin_anew()
		:: else
		fi
	:: else ->
#ifndef NO_LOOK
		claim()
#else
		skip
#endif
	fi
}

inline claim()
{
	do
	:: their = offered[as];
		if
		:: their == 0 -> break
		:: else
		fi;
		mark = (as == SEND -> number[as] : their);
#ifndef NO_OVER
		if
		:: over[as] == number[as] -> break
		:: else
		fi;
#endif
		d_step {
			was = claimed;
			claimed = mark
		}
#ifndef NO_CLAIM
		if
		:: was == mark -> break
		:: else
		fi;
#endif
		d_step {
			took = offered[as] == their;
			offered[as] = (took -> 0 : offered[as])
		}
		if
		:: took ->
			take_own();
#ifdef NO_OWN
			took = true;
#endif
			if
			:: took -> carry_out()
			:: else ->
#ifndef NO_RESET
				claimed = mark - 1;
#endif
				as = 1 - as;
				begin_anew()
			fi;
			break
		:: else -> claimed = mark - 1
		fi
	od
}

active proctype sender()
{
	bool took, again, release, has_lock;
	byte as, their, mark, was, i;

	for (i : 1 .. ROUNDS) {
		number[SEND]++;
		meet(SEND);
		over[SEND] == number[SEND]
	}
}

active proctype receiver()
{
	bool took, again, release, has_lock;
	byte as, their, mark, was, i, withdrawn;

	for (i : 1 .. ROUNDS) {
restart:
		number[RECV]++;
		meet(RECV);
		do
		:: over[RECV] == number[RECV] -> break
#ifdef WITHDRAW
		:: over[RECV] != number[RECV] && withdrawn < WITHDRAW ->
			atomic {
				took = offered[SEND] != 0;
				offered[SEND] = 0
			}
			if
			:: took -> withdrawn++; over[RECV] = number[RECV]; goto restart
			:: else
			fi
#endif
		od
	}
	assert(carried == ROUNDS)
}

#ifdef SWITCH
inline unroute(end)
{
	d_step {
		took = offered[1 - end] != 0;
		offered[1 - end] = 0
	}
	if
	:: took && over[end] != number[end] -> waits[end] = true
	:: else
	fi
}

inline start_late(end)
{
	if
	:: waits[end] -> waits[end] = false; meet(end)
	:: else
	fi
}

active proctype setter()
{
	bool took, again, release, has_lock = true;
	byte as, their, mark, was, i;

	for (i : 1 .. SWITCH) {
		lock();
		cut[RECV] = true;
		cut[SEND] = true;
		unroute(SEND);
		unroute(RECV);
		setting = false;
		lock();
#ifdef CLEAR
		offered[SEND] = 0;
		offered[RECV] = 0;
#endif
		cut[SEND] = false;
		cut[RECV] = false;
		start_late(SEND);
		start_late(RECV);
		setting = false
	}
}
#endif

ltl all_arrive { <> (carried == ROUNDS && over[SEND] == number[SEND]) }
