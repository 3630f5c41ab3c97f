/*
 * rank.c - cohart-rank: one board of a job, a process of MPI beside the board's emulator. It starts
 * the emulator, moves the board's messages (board.c), and ends all boards if one fails.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rank.h"

/* A board reports its end to the others by a message whose tag no descriptor has. */
#define TAG_ENDED (HAL_UPLINK_TAG_MOST + 1)

/* Looks that find nothing: the first give way, then each sleeps, at last for longer and longer. */
#define PATIENT_LOOKS 20
#define PATIENT_SLEEPS 500
#define SHORTEST_NS 20000
#define LONGEST_NS 500000

int rank_board, rank_boards;
static char host[MPI_MAX_PROCESSOR_NAME];
static pid_t emulator;
static volatile sig_atomic_t child_has_news = 1, is_to_end;

static const char usage[] =
	"usage: mpirun -n BOARDS cohart-rank [options] IMAGE.elf [ARGS...]\n\n"
	"Run an image on BOARDS boards, each in an emulator of its own, as one job: docs/cluster.md.\n"
	"Options are those of cohart-run, for each board: --board --harts --ranks --topology --mem\n"
	"--timeout --numbers --icount[=N].\n";

static void end_emulator(void);

/* ---- What is said ---- */

static void say(const char *before, const char *format, va_list args)
{
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	fprintf(stderr, "cohart-rank: %s%s\n", before, text);
	fflush(stderr);
}

void rank_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("", format, args);
	va_end(args);
}

void rank_abort(int code, const char *format, ...)
{
	char before[64 + sizeof(host)];
	va_list args;

	snprintf(before, sizeof(before), "board %d of %d (%s): ", rank_board, rank_boards, host);
	va_start(args, format);
	say(before, format, args);
	va_end(args);
	end_emulator();
	MPI_Abort(MPI_COMM_WORLD, code);
	exit(code);
}

/* All boards fail alike: the first one says so. */
_Noreturn static void end_all(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (rank_board == 0)
		say("", format, args);
	va_end(args);
	MPI_Finalize();
	exit(2);
}

/* ---- The board's output: whole lines, each with the board's number ---- */

static struct output {
	int from, to; /* -1: its end has come */
	size_t kept;
	char line[4096];
} outputs[2] = { { -1, 1, 0, "" }, { -1, 2, 0, "" } };

static void write_all(int to, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(to, text, bytes);

		if (n < 0 && errno != EINTR)
			return;
		text += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
}

/* Write a line, or what may be one; false: there is none yet. */
static bool write_line(struct output *o, bool last)
{
	char *end = memchr(o->line, '\n', o->kept), text[sizeof(o->line) + 32];
	size_t bytes = end ? (size_t)(end - o->line) : o->kept;
	int n;

	if (!o->kept || (!end && !last && o->kept < sizeof(o->line)))
		return false;
	n = snprintf(text, 32, "%d: ", rank_board);
	memcpy(text + n, o->line, bytes);
	text[n + (int)bytes] = '\n';
	write_all(o->to, text, (size_t)n + bytes + 1);
	bytes += end ? 1 : 0;
	o->kept -= bytes;
	memmove(o->line, o->line + bytes, o->kept);
	return true;
}

/* Pass on what there is. Returns whether there was something. */
static bool pass_output(void)
{
	bool any = false;

	for (struct output *o = outputs; o < outputs + 2; o++) {
		ssize_t n;

		if (o->from < 0)
			continue;
		n = read(o->from, o->line + o->kept, sizeof(o->line) - o->kept);
		if (n < 0)
			continue;
		o->kept += (size_t)n;
		while (write_line(o, !n))
			;
		any = true;
		if (!n) {
			close(o->from);
			o->from = -1;
		}
	}
	return any;
}

/* All there is until the emulator has closed it. */
static void pass_rest(void)
{
	while (outputs[0].from >= 0 || outputs[1].from >= 0) {
		if (!pass_output())
			usleep(1000);
	}
}

/* ---- The emulator ---- */

static void note_end(int signal)
{
	(void)signal;
	is_to_end = 1;
}

static void note_child(int signal)
{
	(void)signal;
	child_has_news = 1;
}

/* In the child: become qemu/run, which ends when this process does, by whatever. */
_Noreturn static void become(pid_t parent, int ram, const int *pipes, char **options, int n_options,
			     char **image, bool has_word)
{
	char fd[16], **words = calloc((size_t)n_options + 8, sizeof(*words));
	size_t n = 0, n_words = 0;

	while (image[n_words])
		n_words++;
	words = realloc(words, ((size_t)n_options + n_words + 8) * sizeof(*words));
	if (!words)
		_exit(127);
	snprintf(fd, sizeof(fd), "%d", ram);
	words[n++] = (char *)"cohart-run";
	words[n++] = (char *)"--ram";
	words[n++] = fd;
	for (int i = 0; i < n_options; i++)
		words[n++] = options[i];
	words[n++] = image[0];
	if (has_word)
		words[n++] = (char *)"--uplink";
	for (size_t i = 1; i <= n_words; i++)
		words[n++] = image[i];
	dup2(pipes[0], 1);
	dup2(pipes[1], 2);
	setenv("COHART_RUN_FOR", "cohart-rank", 1);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	execv(QEMU_RUN, words);
	fprintf(stderr, "cohart-rank: %s: %s\n", QEMU_RUN, strerror(errno));
	_exit(127);
}

static void start_emulator(char **options, int n_options, char **image, bool has_word)
{
	pid_t self = getpid();
	int ram = board_memory(), pipes[2][2];

	if (ram < 0)
		rank_abort(1, "no file for its memory: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		if (pipe2(pipes[i], O_CLOEXEC))
			rank_abort(1, "pipe: %s", strerror(errno));
		fcntl(pipes[i][0], F_SETFL, O_NONBLOCK);
		outputs[i].from = pipes[i][0];
	}
	signal(SIGCHLD, note_child);
	signal(SIGTERM, note_end);
	emulator = fork();
	if (emulator < 0)
		rank_abort(1, "fork: %s", strerror(errno));
	if (!emulator)
		become(self, ram, (int[]){ pipes[0][1], pipes[1][1] }, options, n_options, image,
		       has_word);
	close(pipes[0][1]);
	close(pipes[1][1]);
}

/* Have it end, and pass on what it still says. */
static void end_emulator(void)
{
	if (emulator)
		kill(emulator, SIGTERM);
	pass_rest();
}

/* Has it ended well? A board that ends otherwise ends the job. */
static bool has_ended(void)
{
	int status = 0;

	if (!emulator || !child_has_news)
		return !emulator;
	child_has_news = 0;
	if (waitpid(emulator, &status, WNOHANG) != emulator)
		return false;
	emulator = 0;
	pass_rest();
	if (WIFSIGNALED(status))
		rank_abort(128 + WTERMSIG(status), "signal %d has ended it: the job ends",
			   WTERMSIG(status));
	if (WEXITSTATUS(status) > 128)
		rank_abort(WEXITSTATUS(status), "signal %d has ended its emulator: the job ends",
			   WEXITSTATUS(status) - 128);
	if (WEXITSTATUS(status))
		rank_abort(WEXITSTATUS(status), "it has ended with exit code %d: the job ends",
			   WEXITSTATUS(status));
	return true;
}

/* ---- The job ---- */

static void rest(unsigned looks)
{
	long more = looks > PATIENT_SLEEPS ? (long)(looks - PATIENT_SLEEPS) * 1000 : 0;
	struct timespec t = { 0, SHORTEST_NS + more };

	if (looks < PATIENT_LOOKS) {
		sched_yield();
		return;
	}
	if (t.tv_nsec > LONGEST_NS)
		t.tv_nsec = LONGEST_NS;
	nanosleep(&t, NULL);
}

/* Report to all others that this board has ended. */
static void report_end(void)
{
	for (int i = 0; i < rank_boards; i++) {
		if (i != rank_board)
			MPI_Send(NULL, 0, MPI_BYTE, i, TAG_ENDED, MPI_COMM_WORLD);
	}
}

/* Has a board reported its end? */
static bool hear_end(void)
{
	int came = 0;
	MPI_Status status;

	MPI_Iprobe(MPI_ANY_SOURCE, TAG_ENDED, MPI_COMM_WORLD, &came, &status);
	if (!came)
		return false;
	MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, TAG_ENDED, MPI_COMM_WORLD, &status);
	board_peer_ended(status.MPI_SOURCE);
	return true;
}

/* Until all boards have ended. */
static void run(const struct image *image)
{
	int others = rank_boards - 1;
	bool reported = false;
	unsigned looks = 0;

	while (!reported || others) {
		bool runs = !has_ended();

		looks = board_progress(image, runs) ? 0 : looks + 1;
		if (is_to_end) { /* mpirun says so, for another board has failed */
			end_emulator();
			exit(1);
		}
		if ((!looks || looks > PATIENT_LOOKS) && pass_output())
			looks = 0;
		if (others && hear_end()) {
			others--;
			looks = 0;
		}
		if (!runs && !reported && board_is_done()) {
			report_end();
			reported = true;
		}
		if (looks)
			rest(looks);
	}
}

/* ---- The beginning ---- */

/* The words before the image are qemu/run's. Returns how many, or -1. */
static int count_options(int argc, char **argv)
{
	static const char *const valued[] = { "--board",    "--harts", "--ranks",
					      "--topology", "--mem",   "--timeout" };
	int i = 1;

	while (i < argc && argv[i][0] == '-') {
		bool known = !strcmp(argv[i], "--numbers") || !strncmp(argv[i], "--icount", 8);

		for (size_t k = 0; k < sizeof(valued) / sizeof(valued[0]) && !known; k++) {
			if (strcmp(argv[i], valued[k]))
				continue;
			known = true;
			i++;
		}
		if (!known || ++i > argc)
			return -1;
	}
	return i - 1;
}

/* Do all boards run one image? */
static void compare_images(const char *file, const char *wrong, const struct image *image)
{
	uint64_t mine[2] = { image->sum, wrong != NULL };
	uint64_t *all = calloc((size_t)rank_boards, sizeof(mine));

	if (!all)
		rank_abort(1, "no memory");
	MPI_Allgather(mine, sizeof(mine), MPI_BYTE, all, sizeof(mine), MPI_BYTE, MPI_COMM_WORLD);
	if (wrong && (!rank_board || !all[1])) /* once, if it is wrong on all of them */
		rank_say("board %d of %d (%s): %s: %s", rank_board, rank_boards, host, file, wrong);
	for (int i = 0; i < rank_boards; i++) {
		if (all[2 * i + 1]) {
			MPI_Finalize();
			exit(2);
		}
	}
	for (int i = 1; i < rank_boards; i++) {
		if (all[2 * i] != all[0])
			end_all("boards 0 and %d run different images: give all boards one (this is %s)",
				i, file);
	}
	free(all);
}

int main(int argc, char **argv)
{
	int n_options = count_options(argc, argv), unused;
	struct image image;
	const char *file;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return 0;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TIMERSLACK, 1000);
	MPI_Init(NULL, NULL);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank_board);
	MPI_Comm_size(MPI_COMM_WORLD, &rank_boards);
	MPI_Get_processor_name(host, &unused);
	if (n_options < 0)
		end_all("no option %s here, or a value is missing (cohart-rank --help)",
			argv[argc - 1]);
	if (n_options + 1 == argc)
		end_all("no image is given (cohart-rank --help)");
	file = argv[n_options + 1];
	compare_images(file, image_read(file, &image), &image);
	start_emulator(argv + 1, n_options, argv + 1 + n_options, image.has_word);
	run(&image);
	MPI_Finalize();
	return 0;
}
