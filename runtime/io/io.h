/*
 * io.h - the interface between the files of this folder, and to a C library's folder.
 *
 * One rule: the console's lines and, where the runtime serves the C library, its state (FILEs,
 * heap, open files) are used on hart 0 only. A function that needs them is written as a server
 * function (co_io_fn), which gets its arguments in an array of words; co_io_call() runs it directly
 * on hart 0, and through the proxy on other harts. Data that hart 0 cannot reach travels in the
 * calling hart's bounce buffer.
 */
#ifndef COHART_IO_H
#define COHART_IO_H

#include <cohart/coroutine.h>
#include <cohart/spm.h>
#include <cohart/sync.h>

#include "../core/core.h"

#define IO_WORDS 4
#define CO_BOUNCE_BYTES 4096
typedef intptr_t co_io_fn(intptr_t w[IO_WORDS]);

static inline bool co_io_is_server(void)
{
	return co_executor.hart == 0;
}

/*
 * Can the server read or write [p, p + bytes) itself? Most arguments, string literals above all,
 * lie outside of all scratchpads, which is checked first.
 */
static inline bool co_io_reachable(const void *p, size_t bytes)
{
	uintptr_t windows = (uintptr_t)co_machine.harts * BOARD_SPM_BYTES;

	return (uintptr_t)p - co_machine.spm >= windows || co_io_is_server() ||
	       co_spm_shared(p, bytes);
}

/* proxy.c */

/* Run fn on these words, wherever they lie; changes of them come back. */
intptr_t co_io_call_words(co_io_fn *fn, intptr_t w[IO_WORDS]);

/* Run fn on three words. */
intptr_t co_io_call(co_io_fn *fn, intptr_t a, intptr_t b, intptr_t c);

/*
 * Run fn on two strings and a word; strings that the server cannot reach are copied. NULL
 * stays. @return fn's result; -1 and ENAMETOOLONG if a copy does not fit.
 */
intptr_t co_io_call_strings(co_io_fn *fn, const char *a, const char *b, intptr_t c);

/* Write out the caller's unfinished line. Context: as co_proxy_call(); a handler has none. */
void co_io_flush_line(void);

/* Has c's last output ended no line? Then its end list has an entry for that. */
static inline bool co_io_is_unended(const struct co *c)
{
	return c->req.unended.run;
}

/* Add that entry, or remove it. Context: c's hart. */
void co_io_line_changes(struct co *c);

/* Note how c's last output ends. Context: c's hart. */
static inline void co_io_note_line(struct co *c, bool unended)
{
	if (unended != co_io_is_unended(c))
		co_io_line_changes(c);
}

enum co_io_direction { IO_IN, IO_OUT };

/*
 * Run fn(x, p, bytes) until `bytes` are moved, it moves less than it was asked for, or it fails:
 * once if the server can reach p, else in pieces.
 * @return bytes moved; -1 if fn failed before any were.
 */
intptr_t co_io_transfer(co_io_fn *fn, intptr_t x, enum co_io_direction d, void *p, size_t bytes);

/*
 * remote.c: only where something is spawned. Context: coroutine of another hart than 0; as
 * co_proxy_call() and the functions above.
 */
#define IO_REMOTE __attribute__((weak))
IO_REMOTE intptr_t co_remote_call(intptr_t (*fn)(void *arg), void *arg);
IO_REMOTE intptr_t co_remote_call_words(co_io_fn *fn, intptr_t w[IO_WORDS]);
IO_REMOTE intptr_t co_remote_call_strings(co_io_fn *fn, const char *a, const char *b, intptr_t c);
/* With p out of the server's reach. */
IO_REMOTE intptr_t co_remote_transfer(co_io_fn *fn, intptr_t x, enum co_io_direction d,
				      unsigned char *p, size_t bytes);

/*
 * Let a caller that waits for a coroutine go on with hart 0's work, for which that coroutine may
 * wait.
 * @return true: the caller is the server, and has served another request or let others run
 */
IO_REMOTE bool co_io_serve_meanwhile(void);

/*
 * Lock m, even if the caller is cancelled: its owner waits for hart 0 at most. An -EOWNERDEAD is
 * ignored. Context: coroutine.
 */
IO_REMOTE void co_io_mutex_lock(struct co_mutex *m);

/* console.c: for hart 0 alone. */

/* The coroutine that hart 0 works for now; none in a handler. */
struct co_io_client {
	const struct co *worker;
	struct co *client; /* NULL: for the caller itself */
};

static inline struct co_io_client co_io_client_of(struct co *client)
{
	return (struct co_io_client){ co_executor.current, client };
}

/* Returns the client before. */
struct co_io_client co_io_client_set(struct co_io_client now);

/* The host's standard input, with --console=semihost. */
extern int co_io_tty_in;

/* Bytes of the client's output: whole lines go out, the rest waits for its end. */
void co_io_console_write(const char *s, size_t bytes);
/* Bytes of code outside of coroutines, of a hart or hart 0's (NULL): they go out as they come. */
void co_io_console_put(struct co_hart *outside, const char *s, size_t bytes);
/* Write out the client's unfinished line. */
void co_io_console_flush(void);
/* Write out c's unfinished line; NULL: nothing. */
void co_io_console_flush_of(struct co *c);
/* Write out all unfinished lines. */
void co_io_console_flush_all(void);

/* input.c */
/* Does stdin have a byte that was pushed back? The C library's part. */
bool co_io_input_pushed_back(void);

/*
 * Lock the input: nobody else reads meanwhile. Its owner may lock it again.
 * @return false, and errno: ECANCELED; EAGAIN: outside of coroutines. Context: any.
 */
bool co_io_input_lock(void);
void co_io_input_unlock(void);
/*
 * Take up to `bytes`, waiting for the first.
 * @return how many; 0: the end; -1, and errno: EIO; ECANCELED.
 * Context: the caller has locked the input.
 */
intptr_t co_io_input_take(void *to, size_t bytes);
/* The next byte, which stays there; -1: none has come. Context: of co_io_input_take(). */
int co_io_input_next(void);
/* Take a byte. Returns it, or one of these; errno and context as of co_io_input_take(). */
enum { IO_CONSOLE_END = -1, IO_CONSOLE_FAILED = -2, IO_CONSOLE_CANCELED = -3 };
int co_io_console_get(void);
/* co_io_input_take() with the lock; 0 for no bytes. Context: any. */
intptr_t co_io_input_read(void *to, size_t bytes);

#endif
