/*
 * bytes.c - memcpy(), memmove(), memset(), memcmp() and strlen() by words. They are linked before
 * the C library's, which goes byte by byte where it was built for size.
 *
 * Once `to` is aligned, words are stored; where `from` is not aligned then, each is put together
 * from the two aligned words that it lies in. So no access is misaligned, and none leaves the
 * aligned words that the caller's bytes are in. Words are little-endian.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A program may have its own. */
#define WEAK __attribute__((weak))

/* May alias anything, as the caller's bytes do. */
typedef uintptr_t __attribute__((may_alias)) word;
typedef uint32_t __attribute__((may_alias)) word32;
typedef uint16_t __attribute__((may_alias)) word16;

enum {
	WORD = sizeof(word),
	FEW = 2 * WORD,    /* below this, words are not worth their set-up */
	FEW_32 = 4 * WORD, /* below this, shifts are not worth theirs where 4 bytes are aligned */
	BLOCK = 32         /* words */
};

#define ONES (UINTPTR_MAX / 0xff)
#define HIGHS (ONES << 7)

/* Four words, all loaded before the first is stored: the two ranges may overlap. */
static inline void copy_4(word *t, const word *f)
{
	word a = f[0], b = f[1], c = f[2], d = f[3];

	t[0] = a;
	t[1] = b;
	t[2] = c;
	t[3] = d;
}

static inline void copy_16(word *t, const word *f)
{
	copy_4(t, f);
	copy_4(t + 4, f + 4);
	copy_4(t + 8, f + 8);
	copy_4(t + 12, f + 12);
}

static inline void set_8(word *t, word w)
{
	t[0] = t[1] = t[2] = t[3] = t[4] = t[5] = t[6] = t[7] = w;
}

/* The word at f, `shift` bits from the beginning of an aligned one. */
static inline word word_at(const word *f, unsigned shift)
{
	return f[0] >> shift | f[1] << (8 * WORD - shift);
}

/* Upwards, words, each from `shift` bits behind f's beginning, which is aligned. */
static void copy_askew(word *t, const word *f, size_t words, unsigned shift)
{
	const unsigned back = 8 * WORD - shift;
	word w = *f++;

	for (; words >= 4; words -= 4, t += 4, f += 4) {
		word a = f[0], b = f[1], c = f[2], d = f[3];

		t[0] = w >> shift | a << back;
		t[1] = a >> shift | b << back;
		t[2] = b >> shift | c << back;
		t[3] = c >> shift | d << back;
		w = d;
	}
	for (; words; words--, w = *f++)
		*t++ = w >> shift | *f << back;
}

/* Upwards, byte by byte. Returns `to`. */
static void *copy_bytes(void *to, unsigned char *t, const unsigned char *f, size_t n)
{
	while (n--)
		*t++ = *f++;
	return to;
}

/* Upwards, less than 4 bytes, both at the beginning of words of 4 bytes. Returns `to`. */
static inline void *copy_rest(void *to, unsigned char *t, const unsigned char *f, size_t n)
{
	if (n & 2) {
		*(word16 *)(void *)t = *(const word16 *)(const void *)f;
		t += 2;
		f += 2;
	}
	if (n & 1)
		*t = *f;
	return to;
}

/* Upwards, by words of 4 bytes, which both are aligned to. Returns `to`. */
static inline void *copy_32(void *to, unsigned char *t, const unsigned char *f, size_t n)
{
	for (; n >= 4; n -= 4, t += 4, f += 4)
		*(word32 *)(void *)t = *(const word32 *)(const void *)f;
	return copy_rest(to, t, f, n);
}

/* Upwards; both are aligned. Returns `to`. */
static inline void *copy_up_aligned(void *to, word *t, const word *f, size_t n)
{
	for (; n >= BLOCK * WORD; n -= BLOCK * WORD, t += BLOCK, f += BLOCK) {
		copy_16(t, f);
		copy_16(t + 16, f + 16);
	}
	for (; n >= 4 * WORD; n -= 4 * WORD, t += 4, f += 4)
		copy_4(t, f);
	for (; n >= WORD; n -= WORD)
		*t++ = *f++;
	return n ? copy_32(to, (void *)t, (const void *)f, n) : to;
}

/* Upwards; one of the two is not aligned. Returns `to`. */
static void *copy_up_askew(void *to, const void *from, size_t n)
{
	unsigned char *t = to;
	const unsigned char *f = from;
	unsigned skew;

	if (n < FEW_32 && ((uintptr_t)t | (uintptr_t)f) % 4 == 0)
		return copy_32(to, t, f, n);
	if (n < WORD)
		return copy_bytes(to, t, f, n);
	for (; (uintptr_t)t % WORD; n--)
		*t++ = *f++;
	skew = (uintptr_t)f % WORD;
	if (skew == 0)
		return copy_up_aligned(to, (void *)t, (const void *)f, n);
	copy_askew((void *)t, (const void *)(f - skew), n / WORD, 8 * skew);
	return copy_bytes(to, t + n / WORD * WORD, f + n / WORD * WORD, n % WORD);
}

static inline void *copy_up(void *to, const void *from, size_t n)
{
	return ((uintptr_t)to | (uintptr_t)from) % WORD ? copy_up_askew(to, from, n)
							: copy_up_aligned(to, to, from, n);
}

static void *copy_down(void *to, const void *from, size_t n)
{
	unsigned char *t = (unsigned char *)to + n;
	const unsigned char *f = (const unsigned char *)from + n;

	if (n >= FEW) {
		unsigned shift;

		for (; (uintptr_t)t % WORD; n--)
			*--t = *--f;
		shift = 8 * ((uintptr_t)f % WORD);
		for (; n >= WORD; n -= WORD) {
			t -= WORD;
			f -= WORD;
			*(word *)(void *)t = shift ? word_at((const void *)(f - shift / 8), shift)
						   : *(const word *)(const void *)f;
		}
	}
	while (n--)
		*--t = *--f;
	return to;
}

WEAK void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	return copy_up(to, from, n);
}

WEAK void *memmove(void *to, const void *from, size_t n)
{
	/* Upwards unless `to` lies within [from, from + n). */
	return (uintptr_t)to - (uintptr_t)from >= n ? copy_up(to, from, n) : copy_down(to, from, n);
}

WEAK void *memset(void *to, int value, size_t n)
{
	unsigned char *t = to;

	if (n >= FEW) {
		word w = ONES * (unsigned char)value;
		word *aligned;

		for (; (uintptr_t)t % WORD; n--)
			*t++ = (unsigned char)value;
		aligned = (void *)t;
		for (; n >= BLOCK * WORD; n -= BLOCK * WORD, aligned += BLOCK) {
			set_8(aligned, w);
			set_8(aligned + 8, w);
			set_8(aligned + 16, w);
			set_8(aligned + 24, w);
		}
		for (; n >= WORD; n -= WORD)
			*aligned++ = w;
		t = (void *)aligned;
	}
	while (n--)
		*t++ = (unsigned char)value;
	return to;
}

/* Four words of both. */
static inline bool same_4(const word *a, const word *b)
{
	word a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
	word b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];

	return a0 == b0 && a1 == b1 && a2 == b2 && a3 == b3;
}

WEAK int memcmp(const void *one, const void *other, size_t n)
{
	const unsigned char *a = one, *b = other;

	if (n >= FEW && ((uintptr_t)a - (uintptr_t)b) % WORD == 0) {
		for (; (uintptr_t)a % WORD && *a == *b; n--, a++, b++)
			;
		if ((uintptr_t)a % WORD == 0)
			for (; n >= 8 * WORD && same_4((const void *)a, (const void *)b) &&
			       same_4((const word *)(const void *)a + 4,
				      (const word *)(const void *)b + 4);
			     n -= 8 * WORD)
				a += 8 * WORD, b += 8 * WORD;
	}
	for (; n; n--, a++, b++)
		if (*a != *b)
			return *a - *b;
	return 0;
}

WEAK size_t strlen(const char *s)
{
	const char *end = s;
	const word *w;

	for (; (uintptr_t)end % WORD; end++)
		if (!*end)
			return (size_t)(end - s);
	/*
	 * The lowest byte whose highest bit the subtraction sets, and was not set, is 0. Text
	 * seldom has bytes in which it sets or leaves it.
	 */
	for (w = (const void *)end;; w++) {
		word high = (*w - ONES) & HIGHS;

		if (__builtin_expect(high != 0, 0) && high & ~*w)
			break;
	}
	for (end = (const char *)w; *end; end++)
		;
	return (size_t)(end - s);
}
