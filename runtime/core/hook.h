/*
 * hook.h - what the layers above are called for: no file of a lower folder names one of a higher.
 *
 * A file that wants to be called has one CO_HOOKS of its own, with the calls that it wants; the
 * linker puts them side by side. So a layer that is not in an image is not called either. These are
 * for rare events: an ordinary yield, wait, wake or end passes none.
 *
 * Example
 *	CO_HOOKS = { .hart_boot = boot_mover, .hart_lost = fail_transfers };
 */
#ifndef COHART_HOOK_H
#define COHART_HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct co;
struct co_chan;
struct co_msg;

/* Each is called in every file that has it, in no order that can be relied on. */
struct co_hooks {
	/* On each hart while it boots: its executor is there, it is not online yet. */
	void (*hart_boot)(unsigned hart);
	/* On hart 0, once: all harts are up or left out, and nothing of the program has run yet. */
	void (*machine_up)(void);
	/* On hart 0, once: a lost hart has stopped, and what its coroutines held is cleaned up. */
	void (*hart_stopped)(unsigned hart);
	/* On hart 0, once: a hart is given up, and joins say so. */
	void (*hart_lost)(unsigned hart);
	/* On hart 0: a message that a lost hart has not taken. True: it was this file's. */
	bool (*message_lost)(struct co_msg *m);
	/*
	 * For c, which ends early, before its list of cleanups is gone through: in c itself, which
	 * a fault has ended and which may wait; or on hart 0, and its hart is lost and has stopped.
	 */
	void (*co_faulted)(struct co *c);
	void (*co_lost)(struct co *c);
	/*
	 * A coroutine with CO_FLAG_AT_END ends: on its own hart before its stack is gone, with 0:
	 * it has called co_exit() or returned, or -EFAULT; or, on hart 0, -EHOSTDOWN. It does not
	 * wait.
	 */
	void (*at_end)(struct co *c, int why);
	/*
	 * A coroutine that is about to start counts as a sender of c; and does not any more, once,
	 * however it ends: `lost`: with its hart, and this is hart 0.
	 */
	void (*count)(struct co_chan *c);
	void (*uncount)(struct co_chan *c, bool lost);
	/* In a coroutine that ends with a line of output unfinished; it may wait. */
	void (*line_ends)(void);
	/* On hart 0: a report of c (or NULL) is about to be printed, after all earlier output. */
	void (*report_begins)(struct co *c);
	/* On hart 0: the run is about to end, so what was written is to go out. */
	void (*run_ends)(void);
	/* On hart 0: main() has returned. It ends the run. */
	void (*exit)(int code);
	/*
	 * c, the runtime's own, has faulted, in the trap: what to run on its stack; NULL: not ours.
	 */
	void (*(*restart)(struct co *c))(void);
	/*
	 * Which are missing, where c's wait is for an object of that kind; `text` is cut to fit.
	 * False: not this file's. Nobody runs any more.
	 */
	bool (*blame)(const char *kind, uintptr_t object, char *text, size_t bytes);
};

/* The alignment keeps compilers from choosing a larger one: they lie side by side. */
#define CO_HOOKS                           \
	static const struct co_hooks hooks \
		__attribute__((section("co_hooks"), used, aligned(sizeof(void *))))

extern const struct co_hooks __hooks_start[], __hooks_end[]; /* linker/ */

/* Call one in every file that has it: co_hooks_call(hart_boot, hart). */
#define co_hooks_call(which, ...)                                                       \
	do {                                                                            \
		for (const struct co_hooks *h_ = __hooks_start; h_ < __hooks_end; h_++) \
			if (h_->which)                                                  \
				h_->which(__VA_ARGS__);                                 \
	} while (0)

#endif
