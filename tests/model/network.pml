/*
 * network.pml - two ends of the network meet: co_net_start() and co_net_withdraw() in
 * runtime/data/network/end.c, over ROUNDS transfers, the receiver's start and the sender's at any time
 * to each other. Each transfer is carried out once, with what both sides have said of it, and both
 * hear of it. With -DWITHDRAW=n the receiver may take its offer back so often, and then starts again.
 *
 * Fair: a process that can go on does.
 * Sizes: -DROUNDS=3
 * Sizes: -DROUNDS=2 -DWITHDRAW=2
 * Full: -DROUNDS=5
 * Full: -DROUNDS=3 -DWITHDRAW=2
 * Wrong: -DROUNDS=2 -DNO_CLAIM
 * Wrong: -DROUNDS=2 -DNO_LOOK
 * Wrong: -DROUNDS=3 -DNO_OVER
 */
#define SEND 0
#define RECV 1

byte offered[2];           /* at that end, by the other: its number, or 0 */
byte theirs[2];            /* at that end: the other's number */
byte number[2], over[2];   /* of transfers, modulo nothing: few */
byte claimed;              /* at the sending end */
byte carried;              /* transfers */

/* Both numbers are those of one transfer, which nobody has carried out. */
inline carry_out(me, mine, other)
{
	assert(number[me] == mine && number[1 - me] == other);
	assert(over[me] != mine && over[1 - me] != other);
	carried++;
	over[1 - me] = other;
	over[me] = mine
}

inline start(me)
{
	number[me]++;
	/* take_offer() */
	atomic {
		took = offered[me] != 0;
		offered[me] = 0
	}
	if
	:: took -> carry_out(me, number[me], theirs[me])
	:: else ->
		theirs[1 - me] = number[me];
		offered[1 - me] = number[me];
#ifndef NO_LOOK
		do
		:: their = offered[me];
			if
			:: their == 0 -> break
			:: else
			fi;
			mark = (me == SEND -> number[me] : their);
#ifndef NO_OVER
			if
			:: over[me] == number[me] -> break
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
				took = offered[me] == their;
				offered[me] = (took -> 0 : offered[me])
			}
			if
			:: took ->
				offered[1 - me] = 0;
				carry_out(me, number[me], theirs[me]);
				break
			:: else -> claimed = mark - 1
			fi
		od
#endif
	fi
}

active proctype sender()
{
	bool took;
	byte their, mark, was, i;

	for (i : 1 .. ROUNDS) {
		start(SEND);
		over[SEND] == number[SEND]
	}
}

active proctype receiver()
{
	bool took;
	byte their, mark, was, i, withdrawn;

	for (i : 1 .. ROUNDS) {
again:
		start(RECV);
		do
		:: over[RECV] == number[RECV] -> break
#ifdef WITHDRAW
		:: over[RECV] != number[RECV] && withdrawn < WITHDRAW ->
			atomic {
				took = offered[SEND] != 0;
				offered[SEND] = 0
			}
			if
			:: took -> withdrawn++; over[RECV] = number[RECV]; goto again
			:: else
			fi
#endif
		od
	}
	assert(carried == ROUNDS)
}

ltl all_arrive { <> (carried == ROUNDS && over[SEND] == number[SEND]) }
