/*
 * edges.c - runs on the build machine and prints ../printable.h: which characters can be seen, as
 * its C library knows them. Needed again only for a newer Unicode.
 *
 *	gcc -O2 -o /tmp/edges apps/wordcount/host/edges.c && /tmp/edges >apps/wordcount/printable.h
 */
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <wctype.h>

/* Characters up to here are looked up in a smaller table of text.c. */
#define FIRST 0x80
#define LAST 0x10ffff
#define COLUMN 100

int main(void)
{
	if (!setlocale(LC_ALL, "C.UTF-8")) {
		fputs("edges: this machine has no locale C.UTF-8\n", stderr);
		return 1;
	}
	puts("/* printable.h - made by host/edges.c: where printable characters begin and end. */");
	puts("#ifndef WORDCOUNT_PRINTABLE_H\n#define WORDCOUNT_PRINTABLE_H\n");
	puts("#include <stdint.h>\n");
	puts("/* clang-format off */");
	puts("static const uint32_t printable_edges[] = {");
	bool inside = false;
	int column = 0;
	for (uint32_t c = FIRST; c <= LAST + 1; c++) {
		bool printable = c <= LAST && iswprint((wint_t)c);

		if (printable == inside)
			continue;
		inside = printable;
		char text[16];
		int length = snprintf(text, sizeof(text), "0x%x,", (unsigned)c);

		if (column + 1 + length > COLUMN) {
			putchar('\n');
			column = 0;
		}
		column += column ? printf(" %s", text) : 7 + printf("\t%s", text);
	}
	puts("\n};\n/* clang-format on */\n\n#endif");
	return 0;
}
