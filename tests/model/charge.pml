/*
 * charge.pml - what moves words beside the two sides of a transfer: co_net_charge(), co_net_finish(),
 * co_net_carrier_lost() and co_net_check() in runtime/libs/network/end.c, carry() in runtime/libs/nm6408/carry.c.
 * Either side puts a carrier in charge; that may be lost at any time, when hart 0 ends the transfer; and
 * the sender's process may fail at any time. The receiver hears of the end exactly once, in any case, and
 * after that the carrier does not write into its memory.
 *
 * With -DSENDER the sender is the one that comes second, and may fail before it has put one in charge.
 *
 * Fair: a process that can go on does.
 * Sizes: -DSENDER
 * Sizes: -DRECEIVER
 * Wrong: -DSENDER -DNO_CHARGE
 * Wrong: -DRECEIVER -DNO_END
 * Wrong: -DSENDER -DNO_LOOK
 * Wrong: -DSENDER -DNO_SWAP
 * Wrong: -DSENDER -DNO_STOP
 */
#define NOBODY 2
#define ENDING 3

byte charge = NOBODY;
bool queued;         /* in the carrier's queue */
bool lost;           /* the carrier is, and hart 0 knows */
bool failed;         /* the sender's process has */
bool gone, stop;     /* at the receiving end */
bool over, heard;    /* the receiving end's number; its owner has seen that */
byte ends;           /* so many have ended it there */
bool up = true;      /* the carrier runs */

/* End the transfer, unless somebody else does. */
inline finish()
{
	d_step {
		won = charge == 0;
#ifdef NO_SWAP
		won = true;
#endif
		charge = (won -> ENDING : charge)
	}
	if
	:: won -> ends++; over = true
	:: else
	fi
}

/* Of the side that has come second: put the carrier in charge, unless it is lost. */
inline begin()
{
	charge = 0;
	if
#ifndef NO_LOOK
	:: lost -> finish()
#endif
	:: else -> queued = true
	fi
}

active proctype sender()
{
	bool won;
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
active proctype carrier()
{
	bool won, writes;

	do
	:: up && queued ->
		atomic {
			if
			:: up -> queued = false
			:: else -> goto stopped
			fi
		}
		atomic { /* a piece, unless one of the two is gone */
			if
			:: up -> writes = !failed
			:: else -> goto stopped
			fi
		}
		atomic {
			if
			:: up -> assert(!(writes && heard))
			:: else -> goto stopped
			fi
		}
		atomic {
			if
			:: up -> finish()
			:: else -> goto stopped
			fi
		}
	:: !up || heard -> break
	od;
stopped:
}

active proctype hart0()
{
	bool won;

	if
	:: true -> goto done
	:: true
	fi;
	up = false;
	lost = true;
#ifndef NO_END
	if
	:: charge == 0 -> finish()
	:: else
	fi
#endif
done:
}

ltl hears { <> heard }
