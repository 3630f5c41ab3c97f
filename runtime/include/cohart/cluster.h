/*
 * cluster.h - boards that run one image as one job (docs/cluster.md): how many there are, and which
 * one this is.
 *
 * In an image of ranks (cohart/process.h) that calls co_cluster_boards(), co_team_of_ranks() spans
 * the boards of a job: with n ranks on each board, board b has ranks b * n to b * n + n - 1 of the
 * team. Messages (cohart/message.h) reach all of them. Collectives of that team do not
 * exist then: a job of several boards has to make its own of messages. All else is a board's own:
 * memory, other teams, channels, links, barriers, tasks.
 */
#ifndef COHART_CLUSTER_H
#define COHART_CLUSTER_H

#include <cohart/detail/base.h>

CO_BEGIN_C
/* How many boards there are: 1 without a job. Context: any. */
unsigned co_cluster_boards(void);

/* The number of this board, from 0 on. Context: any. */
unsigned co_cluster_board(void);

/*
 * ---- Requests: messages that the board executes, whatever its ranks do ----
 *
 * A rank sends a request to a rank of another board: a message (cohart/message.h) with the tag
 * CO_CLUSTER_REQUEST. There the server of its context executes it, on hart 0, in place of the rank.
 * The requests of one rank to one board are executed in the order sent.
 */
#define CO_CLUSTER_REQUEST (UINT32_MAX - 1)

/* Nothing of a request is trusted: another board has made it up. */
struct co_cluster_request {
	uint32_t source, dest; /* ranks of the job: on another board, and here */
	const void *data;      /* aligned to 8 bytes, and valid during the call */
	size_t bytes;
};

/* It is in memory that every hart may use, and left alone until co_cluster_unserve(). */
struct co_cluster_server {
	uint32_t context;
	/*
	 * Executes a request. Context: a coroutine of hart 0, which may wait for mutexes that no
	 * rank keeps; static data of ranks is not there.
	 */
	void (*serve)(struct co_cluster_server *s, const struct co_cluster_request *request);
	struct co_cluster_server *next; /* the runtime's */
};

/*
 * Have a server execute the requests of its context; end that. A request without a server is a
 * message as any.
 * Context: coroutine. co_cluster_unserve() waits for the request that is being executed.
 */
void co_cluster_serve(struct co_cluster_server *s);
void co_cluster_unserve(struct co_cluster_server *s);

/*
 * Send a copy of a message in a rank's place: the answer to a request. Without memory for the copy
 * the run ends, by a line that says so: the rank would wait for ever.
 * @param from  a rank of this board
 * @param to    a rank of the job
 * Context: within `serve`.
 */
void co_cluster_post(uint32_t from, uint32_t to, uint32_t tag, uint32_t context, const void *data,
		     size_t bytes);
CO_END_C
#endif
