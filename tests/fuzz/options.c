/*
 * options.c - fuzzes the command line: what the host answers to SYS_GET_CMDLINE, and its words.
 *
 * An input is a line as the host gives it, and besides a list of words, one a line, that must
 * arrive as they were sent.
 */
#include <setjmp.h>
#include <stdarg.h>

#include "../../hal/drivers/semihost.c"
#include "../../runtime/core/boot/options.c"
#include "fuzz.h"

/* What the linker says of an image of ranks, whose options are read, too. */
__asm__(".data\n"
	".globl __private_end, __image_end\n"
	"__private_end: .byte 0\n"
	"__image_end: .byte 0\n"
	".text\n");

/* Of two rooms; the linker names where they begin and end. */
static unsigned depth, wanted;
#define DEPTH_MOST 64
const struct co_option rooms[] __asm__("__options_start") = {
	{ "--depth=", &depth, DEPTH_MOST, "messages" },
	{ "--wanted", &wanted, 1, "" },
};
__asm__(".globl __options_end\n.set __options_end, __options_start + 64\n");

struct hal_board hal_board;
struct co_options co_options;
const char *co_image;
static char *ram; /* behind the image: a line, then its words */

void *hal_probe_take(size_t bytes)
{
	uintptr_t p = co_round_up(hal_board.free, 8);

	MUST(p + bytes <= (uintptr_t)ram + LINE_BYTES + (WORDS + 2) * sizeof(char *));
	hal_board.free = p + bytes;
	return memset((void *)p, 0, bytes);
}

static jmp_buf died;
static const char *answer; /* of the host */
static size_t answer_bytes;

void co_die(const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	MUST(vsnprintf(text, sizeof(text), format, ap) > 0);
	va_end(ap);
	longjmp(died, 1);
}

/* A host that keeps to the buffer, but for the NUL behind the text. */
intptr_t hal_semihost(uintptr_t op, void *block)
{
	const uintptr_t *word = block;

	MUST(op == HAL_SYS_GET_CMDLINE);
	if (answer_bytes > word[1])
		return -1;
	memcpy((void *)word[0], answer, answer_bytes);
	if (answer_bytes < word[1])
		((char *)word[0])[answer_bytes] = '\0';
	return 0;
}

int hal_host_command_line(char *buf, size_t bytes)
{
	return hal_semihost_command_line(buf, bytes);
}

/* Read that line; -1 if the runtime would have ended with a message. */
static int read_line(const char *text, size_t bytes, char ***argv)
{
	int argc = -1;

	answer = text;
	answer_bytes = bytes;
	co_options = (struct co_options){ 0 };
	depth = wanted = 0;
	hal_board.free = (uintptr_t)ram;
	if (setjmp(died))
		return -1;
	co_options_read(&argc, argv);
	MUST(depth <= DEPTH_MOST && wanted <= 1);
	MUST(argc >= 0 && argc <= WORDS && !(*argv)[argc]);
	for (int i = 0; i < argc; i++) {
		MUST((*argv)[i] >= ram && (*argv)[i] < ram + LINE_BYTES);
		MUST((*argv)[i] + strlen((*argv)[i]) < (char *)*argv);
	}
	return argc;
}

/* One more word of the line, as qemu/run writes it. */
static size_t quote(char *to, const char *word, size_t bytes)
{
	char *start = to;

	*to++ = ' ';
	for (; bytes; bytes--, word++) {
		if (*word == ' ' || *word == '\\')
			*to++ = '\\';
		*to++ = *word;
	}
	return (size_t)(to - start);
}

/* The words behind a -- are the program's, as they were. */
static void send_words(const char *text)
{
	static const char head[] = "image --";
	char *sent = malloc(sizeof(head) + 2 * strlen(text) + 2);
	size_t bytes = sizeof(head) - 1;
	char **argv;
	int argc;

	memcpy(sent, head, bytes);
	for (const char *w = text; *w; w += strcspn(w, "\n") + (w[strcspn(w, "\n")] == '\n'))
		if (*w != '\n')
			bytes += quote(sent + bytes, w, strcspn(w, "\n"));
	argc = read_line(sent, bytes, &argv);
	free(sent);
	for (int i = 1; i < argc; i++) {
		text += strspn(text, "\n");
		MUST(strlen(argv[i]) == strcspn(text, "\n"));
		MUST(memcmp(argv[i], text, strlen(argv[i])) == 0);
		text += strlen(argv[i]);
	}
	MUST(argc < 0 || !text[strspn(text, "\n")]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	char **argv;

	ram = malloc(LINE_BYTES + (WORDS + 2) * sizeof(char *));
	(void)read_line(text, size, &argv);
	send_words(text);
	free(ram);
	free(text);
	return 0;
}
