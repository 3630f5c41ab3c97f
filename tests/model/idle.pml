/*
 * idle.pml - a hart that sleeps, its doorbell, its timer: idle() in runtime/core/sched/executor.c against
 * co_post(). A message that was posted is taken and a deadline that has come is noticed, whatever the hart
 * was about to do. (Its wait instruction may also end for no reason: that helps, so it is left out.)
 *
 * One step is one access that others can see; the orders that make it so are what the models of
 * wait.c check. The list is a count of linked messages and one of those whose link is missing yet.
 *
 * Sizes: -DPOSTERS=1 -DEACH=2
 * Sizes: -DPOSTERS=2 -DEACH=2
 * Full: -DPOSTERS=3 -DEACH=2
 * Wrong: -DPOSTERS=1 -DEACH=2 -DLOOK_FIRST
 * Wrong: -DPOSTERS=1 -DEACH=2 -DCLEAR_EARLY
 * Wrong: -DPOSTERS=1 -DEACH=2 -DRING_FIRST
 * Wrong: -DPOSTERS=1 -DEACH=2 -DNO_TIMER
 */
#define MESSAGES (POSTERS * EACH)

bool sleeps;   /* inbox.idle */
bool rung;     /* the doorbell is pending */
byte claimed;  /* messages that have swapped themselves in */
byte linked;   /* ... and can be reached */
byte taken;
bool due;      /* the clock is past the deadline */
bool noticed;  /* ... and the hart has seen it */
bool timer_on; /* the timer will end the sleep when due */

active [POSTERS] proctype poster()
{
	byte i;

	for (i : 1 .. EACH) {
#ifdef RING_FIRST
		if
		:: sleeps -> rung = true
		:: else
		fi;
		claimed++;
		linked++
#else
		claimed++;
		linked++;
		if
		:: sleeps -> rung = true
		:: else
		fi
#endif
	}
}

active proctype clock()
{
	due = true
}

/* Prepare to sleep, look, wait, wake up; work is what can be taken or noticed. */
active proctype hart()
{
	bool ready;

end_idle:
	do
	:: linked > taken -> taken++
	:: due && !noticed -> noticed = true
	:: else ->
#ifdef LOOK_FIRST
		if
		:: linked > taken -> skip
		:: else ->
			sleeps = true;
#else
		sleeps = true;
		ready = linked > taken;
#ifdef CLEAR_EARLY
		rung = false; /* of what has come after the look, too */
#endif
		if
		:: ready -> skip
		:: else ->
#endif
#ifndef NO_TIMER
			timer_on = !noticed;
#endif
			/* The wait instruction: until something is pending. */
end_wait:
			if
			:: rung
			:: timer_on && due
			fi;
			timer_on = false;
			rung = false
		fi;
		sleeps = false
	od
}

ltl taken_in_the_end { <> [] (taken == MESSAGES) }
ltl noticed_in_the_end { <> noticed }
