/*
 * main.c - a matrix product, blocked over the clusters of NM6408MP, by level 3 of its message
 * libraries: the central core deals bands of rows to clusters' managers, these to their nodes.
 *
 * usage: matmul [--tfx=...] [--events]
 * --events: the last events of each core afterwards. On topology nm6408: make run APP=matmul
 * TOPOLOGY=nm6408
 */
#include <bupv.h>
#include <cohart/cohart.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { N = 48, CLUSTERS = 4, NODES = 4, PROCESSES = 21, BAND = N / CLUSTERS, ROWS = BAND / NODES };

static uint64_t a[N][N], b[N][N], c[N][N];

/* What a cluster has, and what a node has: in main memory, one for each. */
static uint64_t band[CLUSTERS][BAND][N], band_b[CLUSTERS][N][N], band_c[CLUSTERS][BAND][N];
static uint64_t rows[CLUSTERS * NODES][ROWS][N], rows_b[CLUSTERS * NODES][N][N];
static uint64_t rows_c[CLUSTERS * NODES][ROWS][N];

/* Processes are numbered like cores. */
static unsigned manager(unsigned cluster)
{
	return 1 + 5 * cluster;
}

static unsigned node(unsigned cluster, unsigned n)
{
	return manager(cluster) + 1 + n;
}

/* One transfer at a time with a process, and wait for it. */
static int send(unsigned to, const void *from, uint32_t words)
{
	MP_event sent = { 0 };
	int v1, v2;
	int r = MP_send(to, from, words, &v1, &v2, &sent, NULL);

	co_trace("words sent", words);
	return r ? r : MP_wait_event(&sent);
}

static int receive(unsigned from, void *to, uint32_t words)
{
	MP_event received = { 0 };
	int v1, v2;
	int r = MP_recv(from, to, words, &v1, &v2, &received);

	r = r ? r : MP_wait_event(&received);
	co_trace("words received", words);
	return r;
}

static void multiply(uint64_t (*to)[N], uint64_t (*of)[N], unsigned n, uint64_t (*by)[N])
{
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < N; k++) {
			uint64_t sum = 0;

			for (unsigned j = 0; j < N; j++)
				sum += of[i][j] * by[j][k];
			to[i][k] = sum;
		}
	}
}

static int deal(void)
{
	int r = 0;

	for (unsigned i = 0; i < CLUSTERS && r == 0; i++) {
		r = send(manager(i), b, N * N);
		r = r ? r : send(manager(i), a[(size_t)i * BAND], BAND * N);
	}
	for (unsigned i = 0; i < CLUSTERS && r == 0; i++)
		r = receive(manager(i), c[(size_t)i * BAND], BAND * N);
	return r;
}

static int manage(unsigned i)
{
	int r = receive(0, band_b[i], N * N);

	r = r ? r : receive(0, band[i], BAND * N);
	for (unsigned n = 0; n < NODES && r == 0; n++) {
		r = send(node(i, n), band_b[i], N * N);
		r = r ? r : send(node(i, n), band[i][(size_t)n * ROWS], ROWS * N);
	}
	for (unsigned n = 0; n < NODES && r == 0; n++)
		r = receive(node(i, n), band_c[i][(size_t)n * ROWS], ROWS * N);
	return r ? r : send(0, band_c[i], BAND * N);
}

static int compute(unsigned i, unsigned n)
{
	unsigned at = i * NODES + n;
	int r = receive(manager(i), rows_b[at], N * N);

	r = r ? r : receive(manager(i), rows[at], ROWS * N);
	if (r)
		return r;
	multiply(rows_c[at], rows[at], ROWS, rows_b[at]);
	co_trace("rows computed", ROWS);
	return send(manager(i), rows_c[at], ROWS * N);
}

static int process(int id)
{
	unsigned cluster = (unsigned)(id - 1) / 5, n = (unsigned)(id - 1) % 5;
	int r = MP_init();

	if (r)
		return r;
	r = id == 0 ? deal() : n == 0 ? manage(cluster) : compute(cluster, n - 1);
	return MP_finalize() && r == 0 ? -EBUSY : r;
}

static unsigned wrong(void)
{
	static uint64_t plain[N][N];
	unsigned n = 0;

	multiply(plain, a, N, b);
	for (unsigned i = 0; i < N; i++) {
		for (unsigned k = 0; k < N; k++)
			n += plain[i][k] != c[i][k];
	}
	return n;
}

int main(int argc, char **argv)
{
	bool events = argc > 1 && strcmp(argv[argc - 1], "--events") == 0;
	unsigned bad;
	int r;

	for (unsigned i = 0; i < N; i++) {
		for (unsigned k = 0; k < N; k++) {
			a[i][k] = 3 * i + k;
			b[i][k] = i ^ k;
		}
	}
	r = MP_load(argc, argv, PROCESSES, process);
	if (r) {
		fprintf(stderr, "matmul: %s\n",
			r == -ENOSPC ? "it takes 21 cores: TOPOLOGY=nm6408" : strerror(-r));
		return 1;
	}
	bad = wrong();
	printf("%d x %d, bands of %d rows for %d clusters, of %d for %d nodes: %u wrong\n", N, N,
	       BAND, CLUSTERS, ROWS, CLUSTERS * NODES, bad);
	for (unsigned hart = 0; events && hart < co_harts(); hart++) {
		printf("%s\n", co_net_core_name(hart));
		fflush(stdout);
		co_trace_print(hart);
	}
	return bad != 0;
}
