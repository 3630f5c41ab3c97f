/* space.c - see space.h. */
#include <string.h>

#include "space.h"

static const char *add_letter(struct space *s, int c)
{
	if (memchr(s->letters, c, s->n))
		return "the alphabet has a letter twice";
	s->letters[s->n++] = (char)c;
	return NULL;
}

static const char *parse_alphabet(struct space *s, const char *text)
{
	const char *wrong = NULL;

	for (; *text && !wrong; text++) {
		int first = (unsigned char)text[0], last = first;

		if (text[1] == '-' && text[2]) {
			last = (unsigned char)text[2];
			text += 2;
		}
		if (last < first)
			return "a range of letters begins with the lower one";
		for (int c = first; c <= last && !wrong; c++)
			wrong = add_letter(s, c);
	}
	return wrong ? wrong : s->n ? NULL : "the alphabet has no letter";
}

const char *space_init(struct space *s, const char *alphabet, unsigned least, unsigned most)
{
	const char *wrong;
	uint64_t of_length = 1;

	*s = (struct space){ .least = least, .most = most };
	wrong = parse_alphabet(s, alphabet);
	if (wrong)
		return wrong;
	if (least > most)
		return "the least length is above the most";
	for (unsigned length = 0; length <= most; length++) {
		if (length >= least)
			s->words += of_length;
		/* So the sum of all lengths stays below 2^63. */
		if (of_length > (UINT64_C(1) << 62) / s->n && length < most)
			return "that are more than 2^62 words";
		of_length *= s->n;
	}
	return NULL;
}

void space_word(const struct space *s, uint64_t number, struct word *w)
{
	uint64_t of_length = 1;

	for (w->bytes = 0; w->bytes < s->least; w->bytes++)
		of_length *= s->n;
	for (; number >= of_length; w->bytes++) {
		number -= of_length;
		of_length *= s->n;
	}
	for (unsigned i = w->bytes; i-- > 0; number /= s->n) {
		w->place[i] = (uint8_t)(number % s->n);
		w->text[i] = s->letters[w->place[i]];
	}
	w->text[w->bytes] = 0;
}

void space_next(const struct space *s, struct word *w)
{
	for (unsigned i = w->bytes; i-- > 0;) {
		if (++w->place[i] < s->n) {
			w->text[i] = s->letters[w->place[i]];
			return;
		}
		w->place[i] = 0;
		w->text[i] = s->letters[0];
	}
	/* All letters are the first one again: the next word is longer by one. */
	w->place[w->bytes] = 0;
	w->text[w->bytes++] = s->letters[0];
	w->text[w->bytes] = 0;
}
