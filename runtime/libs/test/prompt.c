/*
 * prompt.c - words over the console's input, on a board that has neither a host nor other words.
 *
 * The image says which one it is, "# cohart-test 1a2b3c4d?", and waits for a moment. The answer of
 * cohart-test --serial is a line: SOH, the sum of the words in four digits, the words. Other input
 * is left to the cases.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cohart/input.h>
#include <hal/host.h>

#include "../../io/io.h"

#include "test.h"

#define SOH 0x01
#define BEGIN_US 1000000 /* until the answer begins */
#define NEXT_US 1000000  /* and from one of its bytes to the next */
#define TIMES 4          /* prompts, while answers are garbled */
#define WORDS 24

/* The note of runtime/core/boot/note.c, as words: a checksum is its last word. */
extern const uint32_t __note_start[] __attribute__((weak)); /* linker/ */
#define NOTE_TEXT 5

static char line[4096];
static char *words[WORDS + 1];

uint16_t co_test_sum(const char *text)
{
	uint16_t sum = 0;

	while (*text)
		sum = (uint16_t)(sum * 31 + (unsigned char)*text++);
	return sum;
}

/* A byte of the input; -1: none has come in time, or it has ended. */
static int next_byte(uint64_t us)
{
	unsigned char c;

	if (co_input_wait_until(co_after_us(us)) || read(STDIN_FILENO, &c, 1) != 1)
		return -1;
	return c;
}

/* Is the next byte an answer's first? Then it is taken. Any other one stays for the cases. */
static bool begins_answer(void)
{
	bool begins = co_input_wait_until(co_after_us(BEGIN_US)) == 0 && co_io_input_next() == SOH;

	return begins && next_byte(0) == SOH;
}

/* Read the rest of the line. True: it is whole. */
static bool read_line(void)
{
	char *end;
	size_t n = 0;
	int c;

	while ((c = next_byte(NEXT_US)) >= 0 && c != '\n' && n < sizeof(line) - 1)
		line[n++] = (char)c;
	line[n] = '\0';
	return c == '\n' && n >= 5 && strtoul(line, &end, 16) == co_test_sum(line + 5) &&
	       end == line + 4;
}

static int split(char **argv)
{
	int n = 1;

	for (char *w = strtok(line + 5, " "); w && n < WORDS; w = strtok(NULL, " "))
		argv[n++] = w;
	return n;
}

bool co_test_ask(int *argc, char ***argv)
{
	if (hal_host_answers())
		return true;
	for (unsigned i = 0; i < TIMES; i++) {
		printf("# cohart-test %08x?\n",
		       (unsigned)__note_start[NOTE_TEXT + __note_start[1] / 4 - 1]);
		if (!begins_answer())
			return true;
		if (read_line()) {
			words[0] = (*argv)[0];
			*argc = split(words);
			*argv = words;
			return true;
		}
	}
	printf("# the words have come garbled %d times\n", TIMES);
	return false;
}
