/* say.h - text on the console without a C library: for rungs below the runtime. */
#ifndef TESTS_BRINGUP_SAY_H
#define TESTS_BRINGUP_SAY_H

/* The last rung that an image climbs; tests/tests.mk gives it. */
#ifndef RUNG
#define RUNG 5
#endif

/*
 * Print text with %lu, %lx and %s in it.
 * Context: the console is initialized; one hart at a time.
 */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/* The rung that is climbed: an image climbs several. */
extern unsigned climbing;

/* The last line of a rung, by which tools/bringup judges it; then end the run. */
_Noreturn void end(unsigned rung, unsigned wrong);

#endif
