/*
 * stuck.pml - the search for stuck harts: runtime/fault/stuck.c against harts that send each other messages
 * and sleep. Hart 0 looks at one word after another, twice, with any time between: it never declares a
 * deadlock while a message is on its way or a hart at work, and it always declares a true one.
 *
 * A message is claimed (swapped in: it can be seen from outside), linked (it can be taken), and rung for.
 * Who takes one works, and may send others, HOPS in all. (One exception, which stuck.c has models of: a
 * message cannot be seen while the next is being linked to it. Its hart says then that it does not sleep
 * for good.)
 *
 * Fair: hart 0 looks again and again.
 * Sizes: -DHARTS=3 -DHOPS=1
 * Full: -DHARTS=3 -DHOPS=2
 * Wrong: -DHARTS=3 -DHOPS=1 -DONE_LOOK
 * Wrong: -DHARTS=3 -DHOPS=3 -DNO_EPOCHS
 * Wrong: -DHARTS=3 -DHOPS=1 -DNO_INBOX
 */
bool sleeps[HARTS], rung[HARTS], works[HARTS];
byte claimed[HARTS], linked[HARTS]; /* less those taken */
byte epochs[HARTS];
byte hops = HOPS;
bool declared;

inline post(to)
{
	claimed[to]++;
	linked[to]++;
	if
	:: sleeps[to] -> rung[to] = true
	:: else
	fi
}

/* What a woken coroutine does: nothing, or send to any other hart. */
inline work(me)
{
	atomic {
		linked[me]--;
		claimed[me]--;
		works[me] = true
	}
	do
	:: break
	:: atomic {
		hops > 0 ->
		hops--;
		select (to : 0 .. HARTS - 1)
	   }
	   post(to)
	od;
	atomic {
		to = 0;
		works[me] = false
	}
}

/* Harts 1.. */
active [HARTS - 1] proctype hart()
{
	byte me = _pid + 1;
	byte to;
	bool ready;

end_idle:
	do
	:: linked[me] > 0 -> work(me)
	:: else ->
		rung[me] = false;
		epochs[me]++;
		sleeps[me] = true;
		ready = linked[me] > 0;
		if
		:: ready
		:: else ->
end_wait:
			rung[me]
		fi;
		atomic {
			ready = false;
			sleeps[me] = false
		}
	od
}

/* Hart 0 sends the first messages, then works like the others, and looks whenever it sleeps. */
active proctype zero()
{
	byte to, h, sum, last_sum;
	bool asleep, last_asleep;

	select (to : 1 .. HARTS - 1);
	works[0] = true;
	post(to);
	atomic {
		to = 0;
		works[0] = false
	}
	do
	:: linked[0] > 0 -> work(0)
	:: else ->
		atomic {
			sum = 0;
			asleep = true;
			h = 1
		}
		do
		:: h < HARTS && asleep ->
#ifndef NO_INBOX
			if
			:: claimed[h] > 0 -> asleep = false
			:: else
			fi;
#endif
			if
			:: !sleeps[h] -> asleep = false
			:: else
			fi;
			atomic {
				sum = sum + epochs[h];
				h++
			}
		:: else -> break
		od;
#ifdef NO_EPOCHS
		sum = 0;
#endif
		if
#ifdef ONE_LOOK
		:: asleep -> break
#else
		:: asleep && last_asleep && sum == last_sum -> break
#endif
		:: else
		fi;
		atomic {
			last_asleep = asleep;
			last_sum = (asleep -> sum : 0);
			asleep = false;
			sum = 0;
			h = 0
		}
	od;
	declared = true;
	for (h : 0 .. HARTS - 1) {
		assert(!claimed[h] && !works[h])
	}
}

ltl declared_in_the_end { <> declared }
