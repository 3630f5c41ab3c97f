/* time.c - <time.h>, in UTC. */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "say.h"

/* What not every library declares. */
time_t timegm(struct tm *);

static void say_tm(const struct tm *t)
{
	if (!t) {
		say("NULL");
		return;
	}
	say("%d-%d-%d %d:%d:%d %d %d %d", t->tm_year, t->tm_mon, t->tm_mday, t->tm_hour, t->tm_min,
	    t->tm_sec, t->tm_wday, t->tm_yday, t->tm_isdst);
}

static const long long times[] = { 0,
				   1,
				   -1,
				   59,
				   60,
				   3599,
				   86399,
				   86400,
				   -86400,
				   -86401,
				   951782399,
				   951782400,
				   951868799,
				   951868800,
				   978307199,
				   1078012800,
				   1230768000,
				   1234567890,
				   1456704000,
				   1483228799,
				   1709164800,
				   1735689599,
				   2147483647,
				   2147483648,
				   -2147483648,
				   -2147483649,
				   4102444800,
				   4107542400,
				   4133980799,
				   253402300799,
				   253402300800,
				   -62135596800,
				   -62135596801,
				   -62167219200,
				   -62167219201,
				   -11644473600,
				   13569465600,
				   32503680000,
				   64092211200,
				   -2203891200,
				   -2208988801,
				   1000000000000 };

static void dates(void)
{
	for (unsigned i = 0; i < COUNT(times); i++) {
		time_t t = (time_t)times[i];
		struct tm tm, *p;
		char b[80];

		say_part("gmtime_r %l = ", times[i]);
		p = gmtime_r(&t, &tm);
		say_tm(p);
		if (!p)
			continue;
		say_part("localtime_r %l = ", times[i]);
		say_tm(localtime_r(&t, &(struct tm){ 0 }));
		say("timegm %l = %l", times[i],
		    (long long)timegm(&(struct tm){ .tm_sec = tm.tm_sec,
						    .tm_min = tm.tm_min,
						    .tm_hour = tm.tm_hour,
						    .tm_mday = tm.tm_mday,
						    .tm_mon = tm.tm_mon,
						    .tm_year = tm.tm_year }));
		say("mktime %l = %l", times[i], (long long)mktime(&tm));
		if (tm.tm_year < 8100 && tm.tm_year > -1900) {
			say("asctime_r %l = %s", times[i], asctime_r(&tm, b));
			say("ctime_r %l = %s", times[i], ctime_r(&t, b));
		}
		if (!has_statics)
			continue;
		say_part("gmtime %l = ", times[i]);
		say_tm(gmtime(&t));
		say_part("localtime %l = ", times[i]);
		say_tm(localtime(&t));
		if (tm.tm_year < 8100 && tm.tm_year > -1900) {
			say("asctime %l = %s", times[i], asctime(&tm));
			say("ctime %l = %s", times[i], ctime(&t));
		}
	}
	say("difftime = %D %D", difftime(100, 1), difftime((time_t)-5, (time_t)0x7fffffff));
}

/* What mktime() makes of fields that are out of their range. */
static void normalize(void)
{
	static const struct tm some[] = {
		{ .tm_year = 100, .tm_mon = 1, .tm_mday = 30 },
		{ .tm_year = 101, .tm_mon = 1, .tm_mday = 29 },
		{ .tm_year = 100, .tm_mon = 12, .tm_mday = 1 },
		{ .tm_year = 100, .tm_mon = -1, .tm_mday = 1 },
		{ .tm_year = 100, .tm_mon = -13, .tm_mday = 1 },
		{ .tm_year = 100, .tm_mon = 25, .tm_mday = 31 },
		{ .tm_year = 100, .tm_mon = 0, .tm_mday = 0 },
		{ .tm_year = 100, .tm_mon = 2, .tm_mday = 0 },
		{ .tm_year = 100, .tm_mon = 2, .tm_mday = -400 },
		{ .tm_year = 100, .tm_mon = 0, .tm_mday = 400 },
		{ .tm_year = 100, .tm_mon = 0, .tm_mday = 1, .tm_sec = -1 },
		{ .tm_year = 100, .tm_mon = 0, .tm_mday = 1, .tm_sec = 60 },
		{ .tm_year = 100, .tm_mon = 0, .tm_mday = 1, .tm_sec = 86400 },
		{ .tm_year = 100, .tm_mon = 0, .tm_mday = 1, .tm_sec = 2000000000 },
		{ .tm_year = 100, .tm_mon = 0, .tm_mday = 1, .tm_min = -1 },
		{ .tm_year = 100, .tm_mon = 0, .tm_mday = 1, .tm_min = 1500 },
		{ .tm_year = 100, .tm_mon = 0, .tm_mday = 1, .tm_hour = -25 },
		{ .tm_year = 100, .tm_mon = 0, .tm_mday = 1, .tm_hour = 9000 },
		{ .tm_year = 70, .tm_mon = 0, .tm_mday = 1, .tm_hour = -1 },
		{ .tm_year = 69,
		  .tm_mon = 11,
		  .tm_mday = 31,
		  .tm_hour = 23,
		  .tm_min = 59,
		  .tm_sec = 59 },
		{ .tm_year = 0, .tm_mon = 0, .tm_mday = 1 },
		{ .tm_year = 200, .tm_mon = 1, .tm_mday = 29 },
		{ .tm_year = 300, .tm_mon = 1, .tm_mday = 29 },
		{ .tm_year = -1, .tm_mon = 5, .tm_mday = 15 },
		{ .tm_year = -1000, .tm_mon = 5, .tm_mday = 15 },
		{ .tm_year = 8099, .tm_mon = 11, .tm_mday = 31 },
	};

	for (unsigned i = 0; i < COUNT(some); i++) {
		struct tm t = some[i], u = some[i];

		say_part("mktime.fields %d = %l ", i, (long long)mktime(&t));
		say_tm(&t);
		say_part("timegm.fields %d = %l ", i, (long long)timegm(&u));
		say_tm(&u);
	}
}

static const struct tm shown[] = {
	{ .tm_year = 124,
	  .tm_mon = 1,
	  .tm_mday = 29,
	  .tm_hour = 13,
	  .tm_min = 5,
	  .tm_sec = 9,
	  .tm_wday = 4,
	  .tm_yday = 59 },
	{ .tm_year = 99,
	  .tm_mon = 11,
	  .tm_mday = 31,
	  .tm_hour = 23,
	  .tm_min = 59,
	  .tm_sec = 60,
	  .tm_wday = 5,
	  .tm_yday = 364 },
	{ .tm_year = 105, .tm_mon = 0, .tm_mday = 1, .tm_hour = 0, .tm_wday = 6, .tm_yday = 0 },
	{ .tm_year = 109, .tm_mon = 11, .tm_mday = 31, .tm_wday = 4, .tm_yday = 364 },
	{ .tm_year = 110, .tm_mon = 0, .tm_mday = 3, .tm_hour = 1, .tm_wday = 0, .tm_yday = 2 },
	{ .tm_year = -1000, .tm_mon = 6, .tm_mday = 4, .tm_hour = 11, .tm_wday = 3 },
	{ .tm_year = 8200, .tm_mon = 6, .tm_mday = 4, .tm_hour = 12, .tm_wday = 3, .tm_yday = 184 },
	{ .tm_year = 137, .tm_mon = 0, .tm_mday = 1, .tm_hour = 12, .tm_wday = 4, .tm_yday = 0 },
};
static const char *const formats[] = {
	"%a",      "%A", "%b", "%B",  "%c",  "%C",           "%d",  "%D",
	"%e",      "%F", "%g", "%G",  "%h",  "%H",           "%I",  "%j",
	"%m",      "%M", "%n", "%p",  "%r",  "%R",           "%S",  "%t",
	"%T",      "%u", "%U", "%V",  "%w",  "%W",           "%x",  "%X",
	"%y",      "%Y", "%%", "%Ec", "%Ey", "%Od",          "%OH", "%z",
	"%Z",      "%s", "%k", "%l",  "%P",  "no directive", "",    "%Y-%m-%dT%H:%M:%S",
	"a%%b%dc", "%5Y"
};

static void print(void)
{
	char b[100];

	for (unsigned i = 0; i < COUNT(shown); i++) {
		for (unsigned j = 0; j < COUNT(formats); j++) {
			memset(b, '#', 8);
			b[0] = '\0';
			say_part("strftime %s %d = %d", formats[j], i,
				 (int)strftime(b, sizeof(b), formats[j], &shown[i]));
			say(" %s", b);
		}
		/* What does not fit. */
		for (unsigned room = 0; room < 12; room++)
			say("strftime.room %d %d = %d", i, room,
			    (int)strftime(b, room, "%F", &shown[0]));
	}
}

static void parse(void)
{
	static const struct {
		const char *text, *format;
	} some[] = { { "2024-02-29", "%Y-%m-%d" },
		     { "2024-2-9", "%Y-%m-%d" },
		     { "13:05:09", "%H:%M:%S" },
		     { "13:05:09", "%T" },
		     { "24:00", "%R" },
		     { "12:05 PM", "%I:%M %p" },
		     { "12:05 AM", "%I:%M %p" },
		     { "Mon Feb 29 2024", "%a %b %d %Y" },
		     { "monday february 1", "%A %B %d" },
		     { "99", "%y" },
		     { "68", "%y" },
		     { "69", "%y" },
		     { "20", "%C" },
		     { "366", "%j" },
		     { "  7", "%n%d" },
		     { "x", "x" },
		     { "x", "y" },
		     { "%", "%%" },
		     { "02/29/24", "%D" },
		     { "60", "%S" },
		     { "62", "%S" },
		     { "13", "%m" },
		     { "32", "%d" },
		     { "2024-02-29T01", "%FT%H" },
		     { "", "%d" },
		     { "", "" },
		     { "1e", "%e" },
		     { "2024 60", "%Y %j" },
		     { "12345", "%Y" },
		     { "Tue", "%a" },
		     { "xyz", "%a" },
		     { "3", "%u" },
		     { "6", "%w" },
		     { "10:11:12 PM", "%r" },
		     { "1000000000", "%s" },
		     { "+0130", "%z" } };

	for (unsigned i = 0; i < COUNT(some); i++) {
		struct tm t = { .tm_mday = 1 };
		const char *end;

		end = strptime(some[i].text, some[i].format, &t);
		if (!end) { /* and what it has set by then is anything */
			say("strptime %s %s = NULL", some[i].text, some[i].format);
			continue;
		}
		say_part("strptime %s %s = %d ", some[i].text, some[i].format,
			 AT(end, some[i].text));
		say_tm(&t);
	}
}

static void by_locale(void)
{
	static const nl_item items[] = { RADIXCHAR, THOUSEP,    DAY_1,   DAY_7,  ABDAY_2, MON_1,
					 MON_12,    ABMON_3,    AM_STR,  PM_STR, D_T_FMT, D_FMT,
					 T_FMT,     T_FMT_AMPM, YESEXPR, NOEXPR };
	locale_t l = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	struct tm t = { .tm_year = 124, .tm_mon = 1, .tm_mday = 29, .tm_wday = 4 };
	char b[40];

	say_part("strftime_l = %d", (int)strftime_l(b, sizeof(b), "%A %x", &t, l));
	say(" %s", b);
	say_part("strptime_l = %d", strptime_l("1999", "%Y", &t, l) != NULL);
	say(" %d", t.tm_year);
	for (unsigned i = 0; i < COUNT(items); i++)
		say("nl_langinfo %d = %s %s", i, nl_langinfo(items[i]), nl_langinfo_l(items[i], l));
	freelocale(l);
}

void cases_time(void)
{
	setenv("TZ", "UTC0", 1);
	tzset();
	dates();
	normalize();
	print();
	parse();
	by_locale();
	say("time = %d", time(NULL) > 1600000000);
	say("clock = %d", clock() != (clock_t)-1);
}
