/*
 * program.c - a program of two processes, as tests/network/run places and misuses it.
 *
 * usage: program [--tfx=...] [--routes | --stuck | --stuck-port | --dangling [--unfinished]]
 */
#include <bfskn_f.h>
#include <bupv.h>
#include <cohart/cohart.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 3 };

static uint64_t from[WORDS] = { 1, 2, 3 }, to[WORDS];
static MP_event sent, received;
static const char *what = "";
static bool unfinished;

static int print_routes(void)
{
	for (unsigned a = 0; a < CO_NET_CORES; a++) {
		for (unsigned b = 0; b < CO_NET_CORES; b++) {
			struct co_net_route r;

			if (co_net_route(a, b, &r))
				continue;
			printf("%s -> %s: CP%u", co_net_core_name(a), co_net_core_name(b),
			       (unsigned)r.send_cp);
			for (unsigned i = 0; i < r.hops; i++)
				printf(" LC%u%u(%u,%u)", r.at[i].number / 4u, r.at[i].number % 4u,
				       (unsigned)r.at[i].in, (unsigned)r.at[i].out);
			printf(" CP%u\n", (unsigned)r.recv_cp);
		}
	}
	return 0;
}

static int send_one(void)
{
	bool dangling = strcmp(what, "--dangling") == 0;
	int v1, v2, r;

	if (strncmp(what, "--stuck", 7) == 0)
		return 0;
	r = MP_send(1, from, dangling ? 1 : WORDS, &v1, &v2, &sent, NULL);
	return r || dangling ? r : MP_wait_event(&sent);
}

static int receive_one(void)
{
	int v1, v2, r;

	if (strcmp(what, "--dangling") == 0)
		return 0;
	if (strcmp(what, "--stuck-port") == 0) {
		start_recv(CP0, to, WORDS);
		return wait_recv_cp(CP0);
	}
	r = MP_recv(0, to, WORDS, &v1, &v2, &received);
	r = r ? r : MP_wait_event(&received);
	return r ? r : memcmp(from, to, sizeof(from));
}

static int process(int id)
{
	int r = MP_init();

	if (r)
		return r;
	printf("process %d on %s\n", id, co_net_core_name(co_hart()));
	r = id ? receive_one() : send_one();
	if (unfinished)
		return r;
	if (MP_finalize() && strcmp(what, "--dangling") != 0)
		return 1;
	return r;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--unfinished") == 0)
			unfinished = true;
		else if (strncmp(argv[i], "--tfx=", 6) != 0)
			what = argv[i];
	}
	if (strcmp(what, "--routes") == 0)
		return print_routes();
	return MP_load(argc, argv, 2, process) ? 1 : 0;
}
