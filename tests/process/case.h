/*
 * case.h - the cases of an image of ranks. Each rank runs the cases that the command line names,
 * one after the other; a check that fails says so and ends all.
 */
#ifndef TESTS_PROCESS_CASE_H
#define TESTS_PROCESS_CASE_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cohart/cohart.h>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("%s:%d: rank %u: %s\n", __FILE__, __LINE__, co_process_rank(), #x); \
			exit(99);                                                                  \
		}                                                                                  \
	} while (0)

/* Each is one line in program.c's table. */
int static_data(void), library_state(void), handlers(void);
int files(void), prints(void), stacks(void);
int channels(void), teams(void), messages(void), transfers(void), links_and_mail(void);

/* Ranks meet; the place where they find what rank 0 has allocated. */
void meet(void);
/* An address of rank 0, the same for all. */
void *from_rank_0(void *p);

#endif
