/* report.h - the runtime's reports: text.c, report.c; and how it fails. */
#ifndef COHART_REPORT_H
#define COHART_REPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cohart/atomic.h>
#include <cohart/debug.h>
#include <cohart/spm.h>

struct co;

/* A text that is being put together. */
struct co_text {
	char *buf;
	size_t bytes, used;
};
/* Append to a text; the end of a longer one is cut off. Of printf()'s formats: see text.c. */
void co_text_add(struct co_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void co_text_addv(struct co_text *t, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
/*
 * How many of the `most` bytes from p on this hart may read: for reports, since a program may have
 * damaged the address. Devices are not read; before there is a map, all is. Context: any.
 */
size_t co_readable(const void *p, size_t most);
/* Not 0: the program's output is in the middle of a line: a report begins a new one. */
extern struct co_a32 co_console_mid_line;
/* Write one line to the console. Context: hart 0, or a hart that is about to stop. */
void co_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * co_panic() of the runtime's own: its formats are co_text_add()'s. The backtrace begins at frame,
 * or here. This, and a failed assertion, go on by CO_PANIC_HOOK, as a trap does. Context: any.
 */
_Noreturn void co_fail_at(void *frame, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
#define co_fail(...) co_fail_at(NULL, __VA_ARGS__)
/*
 * Assertions of the runtime state a rule for programs in the words of its public interface:
 * CO_ASSERT_THAT(). CO_ASSERT_SHARED(): an object of the caller's is one that every hart may use.
 */
#define CO_ASSERT_SHARED(p, bytes, what) \
	CO_ASSERT_THAT((p) && co_spm_shared(p, bytes), CO_SHARED(what))
#define CO_SHARED(what) what " is in memory that every hart may use (co_spm_shared())"
/* The call is allowed to coroutines alone; c: the caller, or NULL. */
#define CO_ASSERT_COROUTINE(c) \
	CO_ASSERT_THAT(        \
		c, "the caller is a coroutine: a mailbox's function, or another handler, is none")
/* For data that no call of a program can break, but a wild store of it can. */
#define CO_ASSERT_OWN(x) \
	CO_ASSERT_THAT(  \
		x,       \
		"the runtime's own data is whole: no store of the program's hit it, no defect of Cohart's")
/* Write one line and end the run with exit code 1. Context: hart 0 while it boots. */
_Noreturn void co_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern const char co_wait_mutex[]; /* kind of a wait for an object whose first word is its owner */
extern const char co_wait_barrier[]; /* kind of a wait at a barrier */
extern const char co_wait_counter[]; /* kind of a wait for a counter, a batch's among them */
extern const char co_wait_child[];   /* kind of a wait for a child of a batch */
#endif
