/*
 * charge.pml - what moves words beside the two sides of a transfer: co_net_charge(), co_net_finish(),
 * co_net_recharge() and co_net_check() in runtime/network/end.c, carry() in runtime/nm6408/carry.c.
 * Either side puts carrier 0 in charge; that one may be lost at any time, when hart 0 puts carrier 1 in
 * charge; and the sender's process may fail at any time. The receiver hears of the end exactly once, in
 * any case, and after that no carrier writes into its memory.
 *
 * With -DSENDER the sender is the one that comes second, and may fail before it has put one in charge.
 *
 * Fair: a process that can go on does.
 * Sizes: -DSENDER
 * Sizes: -DRECEIVER
 * Wrong: -DSENDER -DNO_CHARGE
 * Wrong: -DRECEIVER -DNO_RECHARGE
 * Wrong: -DSENDER -DNO_SWAP
 * Wrong: -DSENDER -DNO_STOP
 */
#define NOBODY 2
#define ENDING 3

byte charge = NOBODY;
bool queued[2];      /* in that carrier's queue */
bool lost;           /* carrier 0 is, and hart 0 knows */
bool failed;         /* the sender's process has */
bool gone, stop;     /* at the receiving end */
bool over, heard;    /* the receiving end's number; its owner has seen that */
byte ends;           /* so many have ended it there */
bool up = true;      /* carrier 0 runs */

inline carry(was)
{
	d_step {
		won = charge == was;
#ifdef NO_SWAP
		won = true;
#endif
		charge = (won -> to : charge)
	}
}

/* Of the side that has come second: put one in charge, unless it is lost. */
inline begin()
{
	to = 0;
	charge = 0;
	if
	:: lost ->
		to = 1;
		carry(0);
		if
		:: won -> queued[1] = true
		:: else
		fi
	:: else -> queued[0] = true
	fi
}

/* The same, again and again for what a queue has. */
inline serve(i)
{
	queued[i];
	queued[i] = false;
	/* A piece, unless one of the two is gone. */
	if
	:: !failed ->
		assert(!heard)
	:: else
	fi;
	to = ENDING;
	carry(i);
	if
	:: won -> ends++; over = true
	:: else
	fi
}

active proctype sender()
{
	bool won;
	byte to;
#ifdef SENDER
	if
	:: begin()
	:: skip /* it fails before that */
	fi;
	goto fails;
#endif
	if
	:: true
	:: true -> goto done
	fi;
fails:
	failed = true;
	gone = true;
#ifndef NO_STOP
	stop = true
#endif
done:
}

active proctype receiver()
{
	bool won;
	byte to;
#ifdef RECEIVER
	begin();
#endif
	do
	:: over -> break
	:: !over && stop ->
		stop = false;
		if
		:: over -> break
#ifdef NO_CHARGE
		:: !over && gone -> break
#else
		:: !over && gone && charge == NOBODY -> break
#endif
		:: else
		fi
	od;
	heard = true;
	assert(ends <= 1)
}

/* Each of its steps may be the last one; the end of a transfer is one. */
active proctype carrier0()
{
	bool won;
	byte to;

	do
	:: up && queued[0] ->
		atomic {
			if
			:: up -> queued[0] = false
			:: else -> goto stopped
			fi
		}
		atomic {
			if
			:: up && !failed -> assert(!heard)
			:: up && failed
			:: else -> goto stopped
			fi
		}
		atomic {
			if
			:: up ->
				to = ENDING;
				carry(0);
				if
				:: won -> ends++; over = true
				:: else
				fi
			:: else -> goto stopped
			fi
		}
	:: !up || heard -> break
	od;
stopped:
}

active proctype carrier1()
{
	bool won;
	byte to;

	do
	:: queued[1] -> serve(1)
	:: heard -> break
	od
}

active proctype hart0()
{
	bool won;
	byte to;

	if
	:: true -> goto done
	:: true
	fi;
	up = false;
	lost = true;
#ifndef NO_RECHARGE
	if
	:: charge == 0 && failed ->
		to = ENDING;
		carry(0);
		if
		:: won -> ends++; over = true
		:: else
		fi
	:: charge == 0 && !failed ->
		to = 1;
		carry(0);
		if
		:: won -> queued[1] = true
		:: else
		fi
	:: else
	fi
#endif
done:
}

ltl hears { <> heard }
