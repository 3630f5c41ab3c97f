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

struct co_chan;
struct co_msg;
struct co_text;

/* Each hook is called in every file that has it, in any order. */
struct co_hooks {
	/* On each hart while it boots, with its executor set up, before it is online. */
	void (*hart_boot)(unsigned hart);
	/* On hart 0, once: all harts are up or left out; before any code of the program. */
	void (*machine_up)(void);
	/* On hart 0, after machine_up: `hart` is left out. It counts as lost, and has never run. */
	void (*hart_left_out)(unsigned hart);
	/*
	 * On hart 0: the time co_look_next has come (executor.h). One file has this hook, since the
	 * hook sets the next time. May wake waiters.
	 */
	void (*look)(uint64_t now);
	/* On hart 0: it has slept for CO_STUCK_US without a deadline, and nothing has come. */
	void (*idle)(void);
	/* On hart 0, once: a lost hart has stopped, and its coroutines' objects are cleaned up. */
	void (*hart_stopped)(unsigned hart);
	/* On hart 0, once: a hart is given up, and joins return -EHOSTDOWN. */
	void (*hart_lost)(unsigned hart);
	/* On hart 0: a lost hart has not taken this message. True: it belongs to this file. */
	bool (*message_lost)(struct co_msg *m);
	/*
	 * c ends early; called before its cleanups run. co_faulted: in c, after a fault; it may
	 * wait. co_lost: on hart 0, when c's hart is lost and has stopped.
	 */
	void (*co_faulted)(struct co *c);
	void (*co_lost)(struct co *c);
	/*
	 * A coroutine with CO_FLAG_LISTED ends, or any that cleans up after a fault, on its own
	 * hart, before its stack and scratchpad memory are freed: take the objects that end with it
	 * out of this file's lists; they may be overwritten already. Must not wait.
	 */
	void (*leaves)(struct co *c);
	/* c, which is about to start, counts as a sender of chan: sets c->last. */
	void (*count)(struct co *c, struct co_chan *chan);
	/* In a coroutine that ends with an unfinished line of output; may wait. */
	void (*line_ends)(void);
	/* On hart 0, after co_input_listen(true): look whether input has come to the console. */
	void (*input)(void);
	/* On hart 0: a report of c (or NULL) is about to be printed, after all earlier output. */
	void (*report_begins)(struct co *c);
	/*
	 * On a hart while it boots: start a coroutine that serves other coroutines, as co_spawn().
	 * Not there where main()'s coroutine is the only one, which needs no service.
	 */
	int (*serve)(const struct co_attr *attr, co_fn *fn);
	/*
	 * In main()'s coroutine: main() has returned. Cancel all other live coroutines but the
	 * runtime's own, and wait for a bounded time. Returns how many have not ended.
	 */
	unsigned (*end_others)(void);
	/* On hart 0: the run is about to end; write out buffered data. */
	void (*run_ends)(void);
	/* On hart 0, after run_ends: sum the run up. `live`: how many coroutines have not ended. */
	void (*summary)(unsigned live);
	/* On hart 0: main() has returned. Ends the run, where co_run_end() is not the way. */
	void (*exit)(int code);
	/*
	 * In the trap: the hart's alarm has come. `can`: it has interrupted the program's own code,
	 * in a coroutine, so that the hook can call functions that a coroutine may call and that do
	 * not wait. Returns true if it needs to, but cannot: the alarm is to come again soon.
	 */
	bool (*alarm)(bool can);
	/*
	 * In a trap or a panic: the coroutine that it ends, or NULL: it ends the hart or the run.
	 * Counted, unless `silent` is NULL; *silent: this hart's are not reported any more.
	 */
	struct co *(*victim)(bool *silent);
	/*
	 * After `victim`: c ends, for the reason `why`. Completes its report (NULL: nothing is
	 * reported). Returns the stack on which c goes on, by *fn.
	 */
	uintptr_t (*ends)(struct co *c, const struct co_fault *why, struct co_text *report,
			  uintptr_t sp, void (**fn)(void));
	/* In a trap or a panic: append this hart's last events to the report. */
	void (*history)(struct co_text *t);
	/* In the trap, on a hart other than 0, if there is no victim. Does not return. */
	void (*hart_faults)(void);
	/*
	 * In the trap: c, a coroutine of the runtime, has faulted. Returns the function to run on
	 * its stack when it has cleaned up, or NULL if it does not belong to this file: the proxy
	 * alone begins anew, on hart 0.
	 */
	void (*(*restart)(struct co *c))(void);
	/* On the executor's stack: c has used more stack than it has. Ends the run. */
	void (*overflown)(const struct co *c);
	/*
	 * Describe in `text` why waits for an object of `kind` do not end. False: the kind is not
	 * this file's. No coroutine runs any more.
	 */
	bool (*blame)(const char *kind, uintptr_t object, char *text, size_t bytes);
	/*
	 * On hart 0, while other harts run: can nobody but the members of a set, which have slept
	 * for a second, end c's wait for an object of `kind`? False: others can, or it is unknown.
	 * member(i): one of the set, NULL behind the last.
	 */
	bool (*hopeless)(const struct co *c, const char *kind, uintptr_t object,
			 const struct co *(*member)(unsigned i));
	/* On hart 0, all harts sleep: will an interrupt end that, since a device works? */
	bool (*goes_on)(void);
#ifdef CO_DEBUG
	/* In a coroutine, on any hart: check a heap, and end the coroutine if it is damaged. */
	void (*check_heap)(void);
#endif
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
#define co_brings(symbol)            \
	extern const char(symbol)[]; \
	static const char *brings_##symbol __attribute__((used, section(".data.brings"))) = symbol
/*
 * The symbol of the object for programs that start coroutines, on other harts, too: only its name
 * counts.
 */
#define CO_SPAWN_BRINGS const char co_spawn_brings[1]

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
