/* ctype.c - <ctype.h>, <wctype.h> and the same of a locale, of every character. */
#include <ctype.h>
#include <locale.h>
#include <wctype.h>

#include "say.h"

/* Each as a bit; the functions themselves, not macros. */
#define BIT(n, call) ((unsigned long long)((call) != 0) << (n))

static void of_bytes(int c)
{
	unsigned long long is = BIT(0, (isalnum)(c)) | BIT(1, (isalpha)(c)) | BIT(2, (isblank)(c)) |
				BIT(3, (iscntrl)(c)) | BIT(4, (isdigit)(c)) | BIT(5, (isgraph)(c)) |
				BIT(6, (islower)(c)) | BIT(7, (isprint)(c)) | BIT(8, (ispunct)(c)) |
				BIT(9, (isspace)(c)) | BIT(10, (isupper)(c)) |
				BIT(11, (isxdigit)(c));
	unsigned long long macros = BIT(0, isalnum(c)) | BIT(1, isalpha(c)) | BIT(2, isblank(c)) |
				    BIT(3, iscntrl(c)) | BIT(4, isdigit(c)) | BIT(5, isgraph(c)) |
				    BIT(6, islower(c)) | BIT(7, isprint(c)) | BIT(8, ispunct(c)) |
				    BIT(9, isspace(c)) | BIT(10, isupper(c)) | BIT(11, isxdigit(c));

	say("isalnum... %d = %x %x", c, is, macros);
	say("toupper %d = %d %d", c, (toupper)(c), (tolower)(c));
	say("toupper.macro %d = %d %d", c, toupper(c), tolower(c));
	say("isascii %d = %d %d", c, !!(isascii)(c), (toascii)(c));
}

static void of_locale(int c, locale_t l)
{
	unsigned long long is = BIT(0, (isalnum_l)(c, l)) | BIT(1, (isalpha_l)(c, l)) |
				BIT(2, (isblank_l)(c, l)) | BIT(3, (iscntrl_l)(c, l)) |
				BIT(4, (isdigit_l)(c, l)) | BIT(5, (isgraph_l)(c, l)) |
				BIT(6, (islower_l)(c, l)) | BIT(7, (isprint_l)(c, l)) |
				BIT(8, (ispunct_l)(c, l)) | BIT(9, (isspace_l)(c, l)) |
				BIT(10, (isupper_l)(c, l)) | BIT(11, (isxdigit_l)(c, l));

	say("isalnum_l... %d = %x", c, is);
	say("toupper_l %d = %d %d", c, toupper_l(c, l), tolower_l(c, l));
}

static void of_wide(wint_t c, locale_t l)
{
	unsigned long long is = BIT(0, iswalnum(c)) | BIT(1, iswalpha(c)) | BIT(2, iswblank(c)) |
				BIT(3, iswcntrl(c)) | BIT(4, iswdigit(c)) | BIT(5, iswgraph(c)) |
				BIT(6, iswlower(c)) | BIT(7, iswprint(c)) | BIT(8, iswpunct(c)) |
				BIT(9, iswspace(c)) | BIT(10, iswupper(c)) | BIT(11, iswxdigit(c));
	unsigned long long of_l =
		BIT(0, iswalnum_l(c, l)) | BIT(1, iswalpha_l(c, l)) | BIT(2, iswblank_l(c, l)) |
		BIT(3, iswcntrl_l(c, l)) | BIT(4, iswdigit_l(c, l)) | BIT(5, iswgraph_l(c, l)) |
		BIT(6, iswlower_l(c, l)) | BIT(7, iswprint_l(c, l)) | BIT(8, iswpunct_l(c, l)) |
		BIT(9, iswspace_l(c, l)) | BIT(10, iswupper_l(c, l)) | BIT(11, iswxdigit_l(c, l));

	say("iswalnum... %d = %x", (int)c, is);
	say("iswalnum_l... %d = %x", (int)c, of_l);
	say("towupper %d = %d %d", (int)c, (int)towupper(c), (int)towlower(c));
	say("towupper_l %d = %d %d", (int)c, (int)towupper_l(c, l), (int)towlower_l(c, l));
}

static void of_names(locale_t l)
{
	static const char *const names[] = { "alnum", "alpha",  "blank",   "cntrl", "digit",
					     "graph", "lower",  "print",   "punct", "space",
					     "upper", "xdigit", "nothing", "" };

	for (unsigned i = 0; i < COUNT(names); i++) {
		wctype_t t = wctype(names[i]), tl = wctype_l(names[i], l);

		say("wctype %s = %d %d", names[i], t != 0, tl != 0);
		for (wint_t c = 0; c < 128; c += 7)
			say("iswctype %s %d = %d %d", names[i], (int)c, t && iswctype(c, t),
			    tl && iswctype_l(c, tl, l));
	}
	say("wctrans = %d %d", wctrans("tolower") != 0, wctrans("nothing") != 0);
	say("wctrans_l = %d", wctrans_l("toupper", l) != 0);
	say("towctrans = %d %d", (int)towctrans(L'A', wctrans("tolower")),
	    (int)towctrans(L'a', wctrans("toupper")));
	say("towctrans_l = %d", (int)towctrans_l(L'A', wctrans_l("tolower", l), l));
}

void cases_ctype(void)
{
	locale_t l = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	say("newlocale = %d", l != 0);
	for (int c = -1; c < 256; c++) {
		of_bytes(c);
		of_locale(c, l);
	}
	/* What a wide character beyond ASCII is depends on the locale, and there is but "C". */
	for (wint_t c = 0; c < 128; c++)
		of_wide(c, l);
	of_wide(WEOF, l);
	of_names(l);
	freelocale(l);
}
