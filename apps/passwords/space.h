/* space.h - the words that are searched: all of some lengths over an alphabet, numbered from 0. */
#ifndef APPS_PASSWORDS_SPACE_H
#define APPS_PASSWORDS_SPACE_H

#include <stdint.h>

#define LENGTH_MOST 16

struct space {
	unsigned n; /* letters */
	char letters[256];
	unsigned least, most; /* length: 0 to LENGTH_MOST */
	uint64_t words;       /* how many there are */
};

struct word {
	unsigned bytes;
	char text[LENGTH_MOST + 1];
	uint8_t place[LENGTH_MOST]; /* of each letter in the alphabet */
};

/*
 * Take an alphabet, in which a-z stands for all letters between: "a-z0-9_".
 * @return NULL; or the text of an error
 */
const char *space_init(struct space *s, const char *alphabet, unsigned least, unsigned most);
/* The word of a number below s->words. The last letter changes first; short words come first. */
void space_word(const struct space *s, uint64_t number, struct word *w);
/* From a word to the next. Behind the last one is nothing. */
void space_next(const struct space *s, struct word *w);

#endif
