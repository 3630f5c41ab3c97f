/*
 * stdio.c - streams of files: what each call returns, and what the file holds afterwards.
 *
 * A session is a line of words, each a letter and an argument:
 *	oMODE fopen    x fclose    nMODE freopen    gN fgetc N times    pTEXT fputs    kC fputc uC
 *ungetc    t ftell sN eN cN fseek from start, end, here    R rewind    rN fread    wTEXT fwrite lN
 *fgets    F fflush    ? feof, ferror C clearerr    G fgetpos    P fsetpos    bN setvbuf, N bytes
 *(0: none; L: lines)    # what the file holds now
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../harness/random.h"
#include "beside.h"
#include "say.h"

/* What not every library declares. */
ssize_t getline(char **, size_t *, FILE *);
ssize_t getdelim(char **, size_t *, int, FILE *);

static char name[200], other[200];

static const char *path(char *room, const char *suffix)
{
	strcpy(room, folder);
	return strcat(room, suffix);
}

static void hold(const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || close(fd))
		say("hold = failed");
}

static void say_file(const char *file)
{
	static char b[9000];
	int fd = open(file, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, b, sizeof(b));

	if (n < 0)
		say_part(" none");
	else
		say_part(" %b", b, (int)n);
	if (fd >= 0)
		close(fd);
}

struct session {
	FILE *f;
	fpos_t position;
	char buffer[64];
};

static void move(struct session *s, const char *word)
{
	int r;

	errno = 0;
	if (word[0] == 'e')
		r = fseeko(s->f, atol(word + 1), SEEK_END);
	else
		r = fseek(s->f, atol(word + 1), word[0] == 's' ? SEEK_SET : SEEK_CUR);
	say_part("%d", r);
	if (r)
		say_part(" %e", errno);
}

static void get(struct session *s, const char *word)
{
	char b[300];
	int n = atoi(word + 1), c;

	memset(b, '#', sizeof(b));
	if (word[0] == 'g') {
		do {
			c = n % 2 ? fgetc(s->f) : (getc)(s->f);
			say_part(c == EOF ? "EOF" : "%c", c);
		} while (--n > 0);
	} else if (word[0] == 'r') {
		int got = (int)fread(b, 1, (size_t)n, s->f);

		say_part("%d %b", got, b, got);
	} else {
		char *p = fgets(b, n, s->f);

		if (p)
			say_part("%b", b, (int)strlen(b) + 2);
		else
			say_part("NULL");
	}
}

static void put(struct session *s, const char *word)
{
	errno = 0;
	switch (word[0]) {
	case 'p':
		say_part("%d", fputs(word + 1, s->f) < 0 ? -1 : 0);
		break;
	case 'k':
		say_part("%d", word[1] == '~' ? (putc)('\n', s->f) : fputc(word[1], s->f));
		break;
	default:
		say_part("%d", (int)fwrite(word + 1, 1, strlen(word + 1), s->f));
	}
	if (errno)
		say_part(" %e", errno);
}

static void buffer(struct session *s, const char *word)
{
	int n = atoi(word + 1);

	if (word[1] == 'L')
		say_part("%d", setvbuf(s->f, NULL, _IOLBF, 64));
	else
		say_part("%d", setvbuf(s->f, n ? s->buffer : NULL, n ? _IOFBF : _IONBF, (size_t)n));
}

static void open_one(struct session *s, const char *word)
{
	errno = 0;
	s->f = word[0] == 'o' ? fopen(name, word + 1) : freopen(name, word + 1, s->f);
	if (s->f)
		say_part("ok");
	else
		say_part("%e", errno);
}

static void place(struct session *s, const char *word)
{
	switch (word[0]) {
	case 't':
		say_part("%l", (long long)ftell(s->f));
		say_part(ftello(s->f) == ftell(s->f) ? "" : "!");
		break;
	case 'R':
		rewind(s->f);
		break;
	case 'G':
		say_part("%d", fgetpos(s->f, &s->position));
		break;
	default:
		say_part("%d", fsetpos(s->f, &s->position));
	}
}

static void state(struct session *s, const char *word)
{
	switch (word[0]) {
	case '?':
		say_part("%d%d", !!(feof)(s->f), !!(ferror)(s->f));
		break;
	case 'C':
		clearerr(s->f);
		break;
	case 'F':
		say_part("%d", fflush(s->f));
		break;
	case 'u':
		say_part("%d", ungetc(word[1] == '~' ? EOF : (unsigned char)word[1], s->f));
		break;
	case 'x':
		say_part("%d", fclose(s->f));
		s->f = NULL;
		break;
	default:
		say_file(name);
	}
}

static void step(struct session *s, const char *word)
{
	static const struct {
		const char *letters;
		void (*call)(struct session *s, const char *word);
	} calls[] = { { "on", open_one }, { "sec", move },   { "grl", get },     { "pkw", put },
		      { "b", buffer },    { "tRGP", place }, { "?CFux#", state } };

	say_part(" %r:", word);
	if (!s->f && !strchr("o#", word[0])) {
		say_part("no");
		return;
	}
	for (unsigned i = 0; i < COUNT(calls); i++) {
		if (strchr(calls[i].letters, word[0]))
			calls[i].call(s, word);
	}
}

static void session(const char *title, const char *first, const char *words)
{
	static struct session s;
	char copy[400], *save = NULL;

	if (first)
		hold(first);
	else
		remove(name);
	s.f = NULL;
	say_part("%r %r", title, words);
	say_part(" =");
	strcpy(copy, words);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		step(&s, w);
	if (s.f)
		say_part(" x:%d", fclose(s.f));
	say_file(name);
	say("");
}

static const char text[] = "one\ntwo three\n\nlast";

static const char *const sessions[] = {
	/* modes, of a file that is there */
	"or r30 ? g ?",
	"orb g2 t",
	"ow pnew t",
	"ow+ pnew R r9",
	"oa t pmore t",
	"oa+ R r3 t e0 pmore t",
	"or+ r3 c0 pX t",
	"orb+ pX t",
	"or+b pX",
	"owb pX",
	"oab pX",
	"oa+b pX",
	"owx",
	"ow+x",
	"orw",
	"ox",
	"o",
	"oz",
	"or,ccs=x",

	"or pX ?",
	"or kX ? C ?",
	"ow g ?",
	"ow r3 ? C ?",
	"oa g ?",
	"oa s0 pX t",
	"oa+ s1 g c0 pX t s2 g",
	/* the end and errors */
	"or r18 ? g ? g",
	"or r17 ? g ? g ?",
	"or r100 ? C ? g ?",
	"or e0 g ? s0 ? g",
	"or e0 g ? R ? g",
	"or e0 g ? ux ? g g",
	"or e5 ? g",
	"or s100 t g ?",
	"or s-1 t",
	"or c-1 t",
	"or e-100 t",
	"or e-18 t g",
	"or e-4 l9 ?",
	/* fgets */
	"or l100 l100 l100 l100 l100 ?",
	"or l4 l4 l4 l4 l4",
	"or l5 t l2 t l1 t",
	"or l1 t",
	"or l19 t l19 t l19 t ?",
	"ow+ pabc R l100 ? l100",
	"or e0 l10 ? t",
	"or l3 t c-1 l3 t",
	/* ungetc */
	"or g t uX t g t g",
	"or g2 u~ t g",
	"or uX t g t",
	"or g uX s0 g",
	"or g uX c0 g",
	"or g uX c1 g",
	"or g uX R g",
	"or g uX e0 g",
	"or r18 g uX ? t g g ?",
	"or g uX r5 t",
	"or g uX l9 t",
	"or g uX C g",
	"or uX l3 t",
	"or g uo t r18 t",
	"or+ g uX s1 pZ t",
	"or g uX G P g",
	"or s5 uX t g t g t",
	"or e0 uX t g t g",
	"or e-1 g g uX t ? g g",
	"or r6 uX t c0 t g",
	"or r6 uX t c-1 t g",
	"or r6 uX t c2 t g",
	"or l4 uX t l9 t",
	"or b0 g uX t g t g",
	"or b16 r20 uX t g t",
	"or b4 r6 uX t g g g t",
	"or b4 g4 uX t g g t",
	/* positions */
	"or G r5 P t g",
	"or r5 G r5 P t g",
	"ow+ pabcdef s2 pX t G e0 pY P t g",
	"or+ e0 pmore s0 r30",
	"or+ s3 pX c0 r4 c0 pY t",
	"ow s5 pX t",
	"ow pabc c3 pX",
	"ow pabc e2 pX t",
	"ow pabc s1 t",
	"ow+ pabc s1 g t c0 pX s0 r9",
	"or+ r3 s3 pX s0 r30",
	"or+ pX F c0 g t",
	"or+ r2 F pX",
	"ow pabc F # pdef #",
	"or s2 t s4 t s0 t",
	"or r1 c0 r1 c0 r1 t",
	"or g3 c-2 t g",
	"or e0 t c-5 t r9 ?",
	"or e-5 c2 t g",
	/* buffers */
	"ow b0 pabc # kX #",
	"ow bL pabc # k~ # pde #",
	"ow b8 pabcdefgh # pi #",
	"ow b4 pabcdefghijk # t",
	"or b0 r5 t l4 t g",
	"or b5 r3 r3 r3 t",
	"or b1 r5 t g t",
	"ow+ b0 pabc s1 g t",
	"or+ b3 r2 c0 pXY c0 g t",
	"ow bL pa~ # t",
	"or b16 r2 c1 g t s17 g ? g ?",
	/* freopen */
	"or r3 nr r3 t",
	"or r3 nw pX",
	"ow pabc nr r9",
	"ow pabc na pX t",
	"ow+ pabc nr+ r2 c0 pX",
	"or nz",
	/* nothing */
	"or r0 ? t",
	"ow w ? t",
	"or l0 t",
	"ow p #",
	"or F t",
	"ow F F",
};

static const char *const fresh[] = { "or",         "or+",    "ow pX",       "oa pX t", "oa+ pX R g",
				     "ow+ pX R g", "owx pX", "ow+x pX R g", "oax pX" };

/* Sessions that chance wrote; a call that goes the other way comes after a fseek(). */
static void by_chance(unsigned seed)
{
	static const char *const modes[] = { "or", "or+", "ow+", "oa+" };
	static const char *const buffers[] = { "", " b0", " b7", " bL" };
	static const char *const reads[] = { "g", "g3", "r1", "r5", "r9", "l2", "l6", "l40" };
	static const char *const writes[] = { "pX", "pyz", "k!", "wabcdefghij", "k~" };
	static const char *const moves[] = { "s0",  "s1", "s3", "s17", "s25", "e0", "e-1",
					     "e-9", "c0", "c1", "c-1", "c-3", "R" };
	static const char *const asks[] = { "t", "?", "t", "C" };
	struct test_random r = { seed };
	unsigned mode = test_below(&r, 4);
	char words[400] = "";
	int direction = 0, back = 0;

	strcat(strcat(words, modes[mode]), buffers[test_below(&r, 4)]);
	/* Where the first read of one that is appended to begins is open. */
	strcat(words, mode == 3 ? " R" : "");
	for (unsigned i = 0; i < 16; i++) {
		unsigned what = test_below(&r, 8);
		int want = what < 3 ? 1 : what < 5 && mode ? 2 : 0;

		if (want && direction && want != direction) {
			strcat(strcat(words, " "), moves[test_below(&r, COUNT(moves) - 1)]);
			back = 0;
		}
		strcat(words, " ");
		if (want == 1) {
			strcat(words, reads[test_below(&r, COUNT(reads))]);
			back = 1;
		} else if (want == 2) {
			strcat(words, writes[test_below(&r, COUNT(writes))]);
		} else if (what == 5) {
			strcat(words, moves[test_below(&r, COUNT(moves))]);
			want = -1, back = 0;
		} else if (what == 6 && direction == 1 && back) {
			strcat(words, "g uU g");
			back = 0;
		} else {
			strcat(words, asks[test_below(&r, COUNT(asks))]);
		}
		direction = want > 0 ? want : want < 0 ? 0 : direction;
	}
	session("chance", text, words);
}

static void large(void)
{
	static char b[5000], c[5000];
	FILE *f = fopen(name, "w+");
	bool same = true;

	for (unsigned i = 0; i < sizeof(b); i++)
		b[i] = (char)('a' + i % 23);
	say("fwrite.large = %d", (int)fwrite(b, 1, sizeof(b), f));
	for (unsigned at = 0; at < sizeof(b); at += 333) {
		size_t n;

		same &= fseek(f, (long)at, SEEK_SET) == 0 && fgetc(f) == b[at];
		n = fread(c, 1, 700, f);
		same &= memcmp(c, b + at + 1, n) == 0 &&
			n == (sizeof(b) - at - 1 < 700 ? sizeof(b) - at - 1 : 700);
		same &= ftell(f) == (long)(at + 1 + n);
	}
	say("fread.large = %d", same);
	fseek(f, -10, SEEK_END);
	say("fread.elements = %d", (int)fread(c, 4, 5, f));
	say("fread.position = %l", (long long)ftell(f));
	say("fread.none = %d %d", (int)fread(c, 0, 5, f), (int)fread(c, 5, 0, f));
	say("fwrite.none = %d %d", (int)fwrite(c, 0, 5, f), (int)fwrite(c, 5, 0, f));
	fclose(f);
}

static void names(void)
{
	FILE *f;
	int fd;

	hold("abc");
	errno = 0;
	say("remove = %d", remove(name));
	say_part("remove.none = %d", remove(name));
	say(" %e", errno);
	hold("abc");
	say("rename = %d", rename(name, path(other, "other")));
	say_part("rename.there =");
	say_file(other);
	say_file(name);
	say("");
	hold("new");
	say_part("rename.over = %d", rename(name, other));
	say_file(other);
	say("");
	errno = 0;
	say_part("rename.none = %d", rename(name, other));
	say(" %e", errno);
	remove(other);
	errno = 0;
	f = fopen(path(other, "no/where"), "w");
	say("fopen.nowhere = %d %e", f != NULL, errno);
	errno = 0;
	f = fopen("", "r");
	say("fopen.empty = %d %e", f != NULL, errno);
	errno = 0;
	f = fopen(folder, "w");
	say("fopen.folder = %d %e", f != NULL, errno);
	hold("0123456789");
	fd = open(name, O_RDWR);
	f = fdopen(fd, "r+");
	say("fdopen = %d %d", f != NULL, f && fileno(f) == fd);
	say("fdopen.get = %c", fgetc(f));
	say("fdopen.tell = %l", (long long)ftell(f));
	say("fclose = %d", fclose(f));
	errno = 0;
	f = fdopen(fd, "r");
	say("fdopen.closed = %d %e", f != NULL, errno);
}

/* What ends without a newline or has zero bytes is read whole; what is full says so. */
static void in_memory_ends(void)
{
	static const char *const modes[] = { "r", "rb", "r+b", "w", "w+", "a", "a+" };
	char b[12], line[20], whole[16];
	FILE *f;

	for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		memcpy(b, "one\ntwo\0x\0y", sizeof(b));
		f = fmemopen(b, 10, modes[i]);
		say("fmemopen.mode = %d", f != NULL);
		if (!f)
			continue;
		say("fmemopen.tell = %l", (long long)ftell(f));
		if (modes[i][0] == 'r') {
			say("fmemopen.read = %d", (int)fread(whole, 1, sizeof(whole), f));
			say("fmemopen.seek = %d", fseek(f, 0, SEEK_SET));
			while (fgets(line, sizeof(line), f))
				say("fmemopen.line = %s", line);
		} else {
			say("fmemopen.put = %d", fputs("23", f) >= 0);
		}
		say("fmemopen.far = %d", fseek(f, 11, SEEK_SET));
		say("fmemopen.end = %d", fseek(f, 0, SEEK_END));
		say("fmemopen.tell = %l", (long long)ftell(f));
		say("fmemopen.close = %d", fclose(f));
		say("fmemopen.text = %s", b);
	}
	f = fmemopen(b, 4, "w");
	say("fmemopen.full = %d", fputs("12345", f) < 0 || fflush(f) < 0);
	fclose(f);
	say("fmemopen.text = %s", b);
	f = fmemopen(NULL, 8, "w+");
	fputs("own", f);
	rewind(f);
	say("fmemopen.own = %s", fgets(line, sizeof(line), f) ? line : "none");
	fclose(f);
}

static void in_memory(void)
{
	char b[20] = "hello";
	FILE *f = fmemopen(b, sizeof(b), "r+");

	say("fmemopen = %d", f != NULL);
	if (!f)
		return;
	say("fmemopen.get = %c", fgetc(f));
	say("fmemopen.get = %c", fgetc(f));
	say("fmemopen.tell = %l", (long long)ftell(f));
	say("fmemopen.seek = %d", fseek(f, 0, SEEK_SET));
	say("fmemopen.get = %c", fgetc(f));
	fseek(f, 3, SEEK_SET);
	say("fmemopen.put = %d", fputs("XY", f) >= 0);
	say("fmemopen.flush = %d", fflush(f));
	say("fmemopen.close = %d", fclose(f));
	say("fmemopen.text = %s", b);
	f = fmemopen(b, 4, "r");
	for (unsigned i = 0; i < 6; i++)
		say("fmemopen.end = %d", fgetc(f));
	say("fmemopen.feof = %d", !!feof(f));
	say("fmemopen.ferror = %d", !!ferror(f));
	fclose(f);
	in_memory_ends();
}

static void temporary(void)
{
	char made[200], b[40] = "";
	FILE *f = tmpfile();
	int fd;

	say("tmpfile = %d", f != NULL);
	if (f) {
		fputs("text", f);
		rewind(f);
		say("tmpfile.read = %d", fgets(b, 9, f) && strcmp(b, "text") == 0);
		fclose(f);
	}
	say("tmpnam = %d", tmpnam(made) == made && !fopen(made, "r"));
	fd = mkstemp(strcat(strcpy(made, folder), "t-XXXXXX"));
	say("mkstemp = %d %d", fd >= 0, strstr(made, "XXXXXX") == NULL);
	if (fd >= 0)
		close(fd), remove(made);
	errno = 0;
	fd = mkstemp(strcat(strcpy(made, folder), "t-XX"));
	say("mkstemp.short = %d %e", fd, errno);
}

static void lines(void)
{
	static ssize_t (*volatile get)(char **, size_t *, FILE *) = getline;
	static ssize_t (*volatile get_to)(char **, size_t *, int, FILE *) = getdelim;
	char *line = NULL;
	size_t room = 0;
	FILE *f;
	ssize_t n;

	if (!get || !get_to)
		return;

	hold("short\n\na line of more than a hundred and twenty-eight bytes, which is what a first guess may be of how long "
	     "lines are, and so it has to grow at least once\nlast");
	f = fopen(name, "r");
	while ((n = get(&line, &room, f)) >= 0)
		say("getline = %d %d %s", (int)n, room > (size_t)n, line);
	say("getline.end = %d", !!feof(f));
	rewind(f);
	while ((n = get_to(&line, &room, 'e', f)) >= 0)
		say("getdelim = %d %s", (int)n, line);
	free(line);
	fclose(f);
}

void cases_stdio(void)
{
	path(name, "file");
	for (unsigned i = 0; i < COUNT(sessions); i++)
		session("session", text, sessions[i]);
	for (unsigned i = 0; i < COUNT(fresh); i++)
		session("fresh", NULL, fresh[i]);
	for (unsigned i = 0; i < 400; i++)
		by_chance(i);
	large();
	names();
	lines();
	in_memory();
	temporary();
	remove(name);
}
