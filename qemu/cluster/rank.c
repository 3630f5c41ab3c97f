/*
 * rank.c - cohart-rank: one board of a job, a process of MPI beside the board's emulator. It starts
 * the emulator, moves the board's messages (board.c), and ends all boards if one fails.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
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
#define TAG_FAILED (HAL_UPLINK_TAG_MOST + 2) /* and its failure, which ends the job, by another */
#define TIMED_OUT 124                        /* an exit code of qemu/run's */
#define WORDS_MOST 400                       /* of a command line; an image takes fewer */
#define PATIENCE_MS 8000                     /* after it, for boards that time out, too */

/* Looks that find nothing: the first give way, then each sleeps, at last for longer and longer. */
#define PATIENT_LOOKS 200
#define PATIENT_SLEEPS 500
#define SHORTEST_NS 5000
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

/* Report to all other boards; nobody waits for that. */
static void tell_all(int tag)
{
	MPI_Request unused;

	for (int i = 0; i < rank_boards; i++) {
		if (i != rank_board)
			MPI_Isend(NULL, 0, MPI_BYTE, i, tag, MPI_COMM_WORLD, &unused);
	}
}

/* Has a board reported that? Returns its number, or -1. */
static int hear(int tag)
{
	int came = 0;
	MPI_Status status;

	MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &came, &status);
	if (!came)
		return -1;
	MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return status.MPI_SOURCE;
}

/* mpirun ends this process, for another board has failed. */
_Noreturn static void be_ended(void)
{
	end_emulator();
	exit(1);
}

void rank_abort(int code, const char *format, ...)
{
	char text[512];
	va_list args;

	tell_all(TAG_FAILED);
	if (hear(TAG_FAILED) >= 0) { /* what the first one has said is the reason */
		end_emulator();
		sleep(PATIENCE_MS / 1000 + 1);
		exit(code);
	}
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "cohart-rank: board %d of %d (%s): %s\n", rank_board, rank_boards, host,
		text);
	end_emulator();
	/* Other boards' time is soon over, too: they list what waits there. */
	for (int ms = 0, n = 1; code == TIMED_OUT && n < rank_boards && ms < PATIENCE_MS;
	     ms += 10) {
		n += hear(TAG_FAILED) >= 0;
		usleep(10000);
	}
	MPI_Abort(MPI_COMM_WORLD, code);
	exit(code);
}

/*
 * ---- The board's output: whole lines, each with the board's number ----
 *
 * mpirun reads blocks from a terminal that it has made, and passes them on: what two boards say
 * stays apart where a block is whole lines, and has been read when the next one is written.
 */

#define BLOCK_BYTES 2048 /* that a terminal takes at once */
#define BLOCK_NS 200000  /* for mpirun to read it */

static struct output {
	int from, to; /* -1: its end has come */
	size_t kept;
	uint64_t next; /* when a block may be written, in ns */
	char line[4096];
} outputs[2] = { { -1, 1, 0, 0, "" }, { -1, 2, 0, 0, "" } };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

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

/* Put a line that is kept at *at into a block. False: there is none, or the block is full. */
static bool add_line(const struct output *o, size_t *at, char *text, size_t *used)
{
	const char *line = o->line + *at, *end = memchr(line, '\n', o->kept - *at);
	size_t bytes = end ? (size_t)(end - line) : o->kept - *at;

	if (*at == o->kept || (!end && o->from >= 0 && o->kept < sizeof(o->line)) ||
	    (*used && *used + bytes + 32 > BLOCK_BYTES))
		return false;
	*used += (size_t)snprintf(text + *used, 32, "%d: ", rank_board);
	memcpy(text + *used, line, bytes);
	*used += bytes;
	text[(*used)++] = '\n';
	*at += bytes + (end ? 1 : 0);
	return true;
}

static void write_block(struct output *o)
{
	char text[sizeof(o->line) + 32];
	size_t at = 0, used = 0;

	if (now_ns() < o->next)
		return;
	while (add_line(o, &at, text, &used))
		;
	if (!used)
		return;
	write_all(o->to, text, used);
	o->kept -= at;
	memmove(o->line, o->line + at, o->kept);
	o->next = now_ns() + BLOCK_NS;
}

/* Pass on what there is. Returns whether there was something. */
static bool pass_output(void)
{
	bool any = false;

	for (struct output *o = outputs; o < outputs + 2; o++) {
		size_t room = sizeof(o->line) - o->kept;
		ssize_t n = -1;

		if (o->from >= 0 && room)
			n = read(o->from, o->line + o->kept, room);
		if (n > 0)
			o->kept += (size_t)n;
		if (!n) {
			close(o->from);
			o->from = -1;
		}
		any |= n >= 0;
		write_block(o);
	}
	return any;
}

/* All there is until the emulator has closed it. */
static void pass_rest(void)
{
	for (struct output *o = outputs; o < outputs + 2; o++) {
		while (o->from >= 0 || o->kept) {
			if (!pass_output())
				usleep(BLOCK_NS / 1000);
		}
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

/* Where qemu/run is: beside this program as it is installed, or in the source tree. */
static void run_path(char run[PATH_MAX + 16])
{
	ssize_t n = readlink("/proc/self/exe", run, PATH_MAX);

	while (n > 0 && run[n - 1] != '/')
		n--;
	strcpy(run + (n > 0 ? n : 0), "cohart-run");
#ifdef QEMU_RUN
	if (access(run, X_OK))
		strcpy(run, QEMU_RUN);
#endif
}

/* In the child: become qemu/run, which ends when this process does, by whatever. */
_Noreturn static void become(pid_t parent, int ram, const int *pipes, char **argv, int at,
			     bool has_word)
{
	char fd[16], run[PATH_MAX + 16], *words[WORDS_MOST + 4] = { "cohart-run", "--ram", fd };
	size_t n = 3;

	snprintf(fd, sizeof(fd), "%d", ram);
	for (int i = 1; argv[i]; i++) {
		words[n++] = argv[i];
		if (i == at && has_word)
			words[n++] = "--uplink";
	}
	dup2(pipes[0], 1);
	dup2(pipes[1], 2);
	setenv("COHART_RUN_FOR", "cohart-rank", 1);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	run_path(run);
	execv(run, words);
	fprintf(stderr, "cohart-rank: %s: %s\n", run, strerror(errno));
	_exit(127);
}

/* @param at  the image's place in argv; before it are options of qemu/run's */
static void start_emulator(char **argv, int at, bool has_word)
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
		become(self, ram, (int[]){ pipes[0][1], pipes[1][1] }, argv, at, has_word);
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

/* A signal has ended the emulator: mpirun's, for another board has failed, or another. */
_Noreturn static void end_by_signal(int signal)
{
	for (int i = 0; i < 50 && signal == SIGTERM && !is_to_end; i++)
		usleep(10000);
	if (is_to_end)
		be_ended();
	rank_abort(128 + signal, "signal %d has ended its emulator: the job ends", signal);
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
	if (WIFSIGNALED(status) || WEXITSTATUS(status) > 128)
		end_by_signal(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128);
	if (WEXITSTATUS(status) == TIMED_OUT)
		rank_abort(TIMED_OUT, "its time is over (--timeout): the job ends");
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

/* Until all boards have ended. */
static void run(const struct image *image)
{
	int others = rank_boards - 1, board;
	bool reported = false;
	unsigned looks = 0;

	while (!reported || others) {
		bool runs = !has_ended();

		looks = board_progress(image, runs) ? 0 : looks + 1;
		if (is_to_end)
			be_ended();
		if ((!looks || looks > PATIENT_LOOKS) && pass_output())
			looks = 0;
		if (others && (board = hear(TAG_ENDED)) >= 0) {
			board_peer_ended(board);
			others--;
			looks = 0;
		}
		if (!runs && !reported && board_is_done()) {
			tell_all(TAG_ENDED);
			reported = true;
		}
		if (looks)
			rest(looks);
	}
}

/* ---- The beginning ---- */

/* The place of the image in argv, behind options of qemu/run's. *wrong: a wrong one, or NULL. */
static int image_at(int argc, char **argv, const char **wrong)
{
	static const struct option options[] = {
		{ "board", 1, 0, 0 },   { "harts", 1, 0, 0 },    { "ranks", 1, 0, 0 },
		{ "mem", 1, 0, 0 },     { "topology", 1, 0, 0 }, { "timeout", 1, 0, 0 },
		{ "numbers", 0, 0, 0 }, { "icount", 2, 0, 0 },   { 0 },
	};
	int got;

	opterr = 0;
	while ((got = getopt_long(argc, argv, "+", options, NULL)) == 0)
		;
	*wrong = got == -1 ? NULL : argv[optind - 1];
	return optind;
}

/* If something is wrong here or on other boards, the first of these says what, and all end. */
static void end_if(const char *what, const char *wrong)
{
	int mine = wrong ? rank_board : rank_boards, first;

	MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (first == rank_boards)
		return;
	if (first == rank_board)
		fprintf(stderr, "cohart-rank: %s: %s\n", what, wrong);
	MPI_Finalize();
	exit(2);
}

int main(int argc, char **argv)
{
	const char *file, *wrong;
	int at, unused;
	struct image image;
	uint64_t sum;

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
	at = image_at(argc, argv, &wrong);
	end_if(wrong,
	       wrong ? "is no option here, or its value is missing (cohart-rank --help)" : NULL);
	file = argv[at];
	end_if("no image is given", file ? NULL : "cohart-rank --help");
	end_if("the command line", argc > WORDS_MOST ? "more than 400 words" : NULL);
	wrong = image_read(file, &image);
	end_if(file, wrong);
	sum = image.sum;
	MPI_Bcast(&sum, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	end_if(file, sum == image.sum ? NULL : "is not the image of board 0: give all boards one");
	start_emulator(argv, at, image.has_word);
	run(&image);
	MPI_Finalize();
	return 0;
}
