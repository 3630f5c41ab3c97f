/* files.c - what ranks read, write and print from static data of their own. */
#include <fcntl.h>
#include <unistd.h>

#include "case.h"

int elsewhere = 11, elsewhere_zero, *nowhere;

static char name[32], record[3000], back[3000], buffer[600], line[1000];

static void fill(void)
{
	for (unsigned i = 0; i < sizeof(record); i++)
		record[i] = (char)(i * 7 + co_process_rank() * 31);
	memset(back, 0, sizeof(back));
}

/* There are 61 open files. */
#define WITH_FILES 60

/* By streams, with a buffer of one's own, then by descriptors. */
int files(void)
{
	int number = 0, fd;
	FILE *f;

	if (co_process_rank() >= WITH_FILES) {
		meet();
		return 0;
	}
	snprintf(name, sizeof(name), "rank.%u", co_process_rank());
	fill();
	f = fopen(name, "w+b");
	CHECK(f && setvbuf(f, buffer, _IOFBF, sizeof(buffer)) == 0);
	CHECK(fwrite(record, 1, sizeof(record), f) == sizeof(record));
	CHECK(fprintf(f, "%u %s\n", co_process_rank(), name) > 0);
	CHECK(fwrite(record, 1, 10, f) == 10);
	meet();
	rewind(f);
	CHECK(fread(back, 1, sizeof(back), f) == sizeof(back));
	CHECK(memcmp(back, record, sizeof(back)) == 0);
	CHECK(fscanf(f, "%d %999s", &number, line) == 2);
	CHECK(number == (int)co_process_rank() && strcmp(line, name) == 0);
	CHECK(fgetc(f) == '\n' && fread(back, 1, 20, f) == 10 && feof(f));
	CHECK(fclose(f) == 0);

	fill();
	fd = open(name, O_RDWR | O_TRUNC);
	CHECK(fd >= 0 && write(fd, record, sizeof(record)) == (ssize_t)sizeof(record));
	CHECK(lseek(fd, 1, SEEK_SET) == 1);
	CHECK(read(fd, back, sizeof(back)) == (ssize_t)sizeof(back) - 1);
	CHECK(memcmp(back, record + 1, sizeof(back) - 1) == 0);
	CHECK(close(fd) == 0);

	/* What is in one's own buffer when the run ends is written, too. */
	f = fopen(name, "w");
	CHECK(f && setvbuf(f, buffer, _IOFBF, sizeof(buffer)) == 0);
	CHECK(fprintf(f, "the end of rank %u\n", co_process_rank()) > 0);
	return 0;
}

int prints(void)
{
	snprintf(name, sizeof(name), "rank %u", co_process_rank());
	memset(line, 'a' + (int)co_process_rank() % 26, 480);
	printf("%s: one\n", name);
	printf("%s: %s %.3f\n", name, "two", co_process_rank() / 8.0);
	fputs(name, stdout);
	fputs(": three", stdout);
	fputs("\n", stdout);
	puts(line);
	fwrite(line, 1, 3, stdout);
	printf(" %s\n", line + 477);
	strcpy(name, "gone");
	return 0;
}
