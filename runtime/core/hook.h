/*
 * hook.h - calls of files in the layers above: no file of a lower folder names one of a higher.
 *
 * A file that wants to be called has one CO_HOOKS of its own, with the calls that it wants; the
 * linker puts them side by side. A file is in an image if something there refers to one of its
 * symbols, as with any library; else it is not called either. These are for rare events: an
 * ordinary pause, wait, wake or end passes none.
 *
 * Example
 *	CO_HOOKS = { .hart_boot = boot_mover, .hart_lost = fail_transfers };
 */
#ifndef COHART_HOOK_H
#define COHART_HOOK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/coroutine.h>

struct co_text;

/* A wait that does not end. */
struct co_stuck {
	const char *kind; /* the object's; NULL: of all waits, where all harts sleep */
	uintptr_t object;
	struct co_text *text; /* to add to, where no coroutine runs any more; or NULL */
	const struct co *co;
	const struct co *(*member)(unsigned i); /* NULL behind the last */
};

/* Each hook is called in every file that has it, in any order. */
struct co_hooks {
	/* On each hart while it boots, with its executor set up, before it is online. */
	void (*hart_boot)(unsigned hart);
	/* On hart 0, once: all harts are up or left out; before any code of the program. */
	void (*machine_up)(void);
	/* On hart 0: it has slept for CO_STUCK_US without a deadline, and nothing has come. */
	void (*idle)(void);
	/*
	 * On hart 0: a hart is lost. If it has stopped (co_hart_past()), its coroutines wait no
	 * more, and their cleanups are about to run: wake whoever waits for an object that is in no
	 * list of cleanups. Called every millisecond for a second or longer, in which other harts
	 * may still spawn there, or post, and at least once when joins return -EHOSTDOWN
	 * (co_hart_notified()). For a hart that was left out at boot: once, after machine_up.
	 */
	void (*hart_lost)(unsigned hart);
	/* On hart 0: a report of c (or NULL) is about to be printed, after all earlier output. */
	void (*report)(struct co *c);
	/* On hart 0: the run is about to end; write out buffered data. */
	void (*run_ends)(void);
	/*
	 * In the trap: the hart's alarm has come. `can`: it has interrupted the program's own code,
	 * in a coroutine, so that the hook can call functions that a coroutine may call and that do
	 * not wait. Returns true if it needs to, but cannot: the alarm is to come again soon.
	 */
	bool (*alarm)(bool can);
	/*
	 * On hart 0: why does a wait not end? False: the object is not this file's, or it is not
	 * known. True: w->text says why, if there is one; else nobody but w->member(i), coroutines
	 * that have slept for a second, can end it, or, without an object, a device will.
	 */
	bool (*explain)(const struct co_stuck *w);
};

/* With this alignment the linker puts them side by side, as an array. */
#define CO_HOOKS_IN(name)                  \
	static const struct co_hooks hooks \
		__attribute__((section(name), used, aligned(sizeof(void *))))
#define CO_HOOKS CO_HOOKS_IN("co_hooks")

/*
 * CO_HOOKS for a file that other files may bring into an image: its hooks, and the functions that
 * they call, are there only where a function is linked that has co_hooks_needed() of that name in
 * it. This is no instruction: a relocation without effect, to a symbol by which the linker keeps
 * all sections of a name.
 */
#define CO_HOOKS_OF(name) CO_HOOKS_IN("co_hooks_" #name)
#define co_hooks_needed(name)                                             \
	__asm__ volatile(".weak __start_co_hooks_" #name "\n\t.reloc ., " \
			 "BFD_RELOC_NONE, __start_co_hooks_" #name)

/*
 * The hook of a panic and of a failed assertion, in one file: `CO_PANIC_HOOK = panic;`. A section
 * of its own, of one word, since every image has it, and a small one no other hook. It does not
 * return. Context: any.
 */
typedef void co_panic_fn(const char *format, va_list args, void *frame, const char *what);
#define CO_PANIC_HOOK \
	static co_panic_fn *const panic_hook __attribute__((section("co_panic"), used))

/*
 * Have the linker look for the object that has this symbol, to link it if it is called for: a weak
 * reference to a function of the object does not make the linker look. A part of the object that
 * nothing refers to is not in the image, nor is this pointer.
 */
#define co_brings(symbol)                  \
	static const void *brings_##symbol \
		__attribute__((used, section(".data.brings"))) = (const void *)&(symbol)
/* A symbol of the object for programs that start coroutines, on other harts, too: io/remote.c. */
extern const char co_spawn_brings[1];

extern const struct co_hooks __hooks_start[], __hooks_end[]; /* linker/ */
extern co_panic_fn *const __panic_start[], *const __panic_end[];

/* Call one in every file that has it: co_hooks_call(hart_boot, hart). */
#define co_hooks_call(which, ...)                                                       \
	do {                                                                            \
		for (const struct co_hooks *h_ = __hooks_start; h_ < __hooks_end; h_++) \
			if (h_->which)                                                  \
				h_->which(__VA_ARGS__);                                 \
	} while (0)

/* Ask each file that has the hook, until one answers other than by 0: the answer, or 0. */
#define co_hooks_ask(which, ...)                                                              \
	({                                                                                    \
		__typeof__(__hooks_start->which(__VA_ARGS__)) answer_ = 0;                    \
		for (const struct co_hooks *h_ = __hooks_start; h_ < __hooks_end && !answer_; \
		     h_++)                                                                    \
			answer_ = h_->which ? h_->which(__VA_ARGS__) : 0;                     \
		answer_;                                                                      \
	})

#endif
