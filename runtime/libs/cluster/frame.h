/*
 * frame.h - frames, which boards exchange by their uplinks, and the interface between this folder's
 * files.
 *
 * A message of a rank goes to its board's stand-in (group/team/team.h), as a message that waits to
 * be fetched. The stand-in sends a frame; up to FRAME_DATA bytes travel with it. There it becomes a
 * message of the receiving board's stand-in, and is matched, probed and fetched as any. Only then
 * the receiving board reports its end, and the sender's message ends. So senders' kept messages
 * limit the bytes on their way, and a synchronous send waits for its receive. Where no sender
 * waits, the report rides on the next message to that board; a frame ENDED carries all others.
 *
 * A longer message is announced; the receiving board takes memory for it, answers READY, and gets
 * the data as an uplink message of their own. Frames of a board are delivered in their order.
 */
#ifndef COHART_CLUSTER_FRAME_H
#define COHART_CLUSTER_FRAME_H

#include <cohart/cluster.h>
#include <cohart/message.h>

#define FRAME_DATA CO_MESSAGE_KEPT
#define FRAME_TAG 0    /* of frames; FRAME_TAG + 1 + slot: of data */
#define FRAMES 16      /* buffers for frames that come, and as many for frames that go */
#define SLOTS 16       /* long messages whose data come, and as many whose data go */
#define FRAME_ENDS 6   /* in a frame ENDED */
#define FRAME_RIDERS 2 /* in a frame MESSAGE */

enum frame_kind { FRAME_MESSAGE = 1, FRAME_READY, FRAME_ENDED };

struct frame {
	uint32_t kind;
	uint32_t ranks; /* on the sending board */
	union {
		struct {
			uint32_t source, dest; /* ranks of the job */
			uint32_t tag, context;
			uint64_t bytes; /* more than FRAME_DATA: they come later */
			uint64_t id;    /* the sending board's */
			uint32_t waits; /* 1: the sender waits for the end */
			uint32_t n_ended;
			uint64_t ended[FRAME_RIDERS];
		} message;
		struct {
			uint64_t id;
			uint32_t tag; /* of the data */
			uint32_t zero;
		} ready;
		struct {
			uint32_t n, zero;
			uint64_t id[FRAME_ENDS];
		} ended;
	};
};

_Static_assert(sizeof(struct frame) == 64, "boards of any width have one layout");

/* ---- cluster.c ---- */
struct cluster {
	unsigned board, boards;
	uint32_t here;               /* ranks on each board */
	struct co_team_beyond *span; /* `first` is this board's first rank */
	struct co_member *me;        /* the stand-in */
};
extern struct cluster co_cluster;

/* The part of n that each other board may have. */
static inline uint32_t co_cluster_share(uint32_t n)
{
	uint32_t others = co_cluster.boards > 1 ? co_cluster.boards - 1 : 1;

	return others < n ? n / others : 1;
}

/* End the run by a line. Context: hart 0. */
_Noreturn void co_cluster_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- outgoing.c: messages of this board's ranks; frames that go ---- */
bool co_outgoing_begin(void); /* false: no memory */
/* Take messages of ranks, and send frames. Returns whether there was something. */
bool co_outgoing_progress(void);
bool co_outgoing_is_done(void);
/* A frame has gone; the data of a long message have. `error`: enum hal_uplink_error. */
void co_outgoing_gone(uint32_t buffer, uint32_t error);
void co_outgoing_data_gone(uint32_t board, uint32_t error);
/* Frames for ranks of this board. False: they make no sense. */
bool co_outgoing_ready(const struct frame *f, unsigned from);
bool co_outgoing_ended(const uint64_t *ids, uint32_t n, unsigned from);
/* A buffer for a frame to that board, to be filled and sent; NULL: none is free for that board. */
struct frame *co_outgoing_frame(uint32_t kind, unsigned to);
void co_outgoing_send(struct frame *f, unsigned to, size_t data_bytes);
/* A message in a rank's place, of co_main_alloc(): freed when it has been received. */
void co_outgoing_post(struct co_message *m);

/* ---- incoming.c: messages for this board's ranks; frames that come ---- */
bool co_incoming_begin(void);
bool co_incoming_progress(void);
bool co_incoming_is_done(void);
/* Put ends of messages from that board, FRAME_RIDERS at most, into `ids`. Returns how many. */
uint32_t co_incoming_riders(unsigned board, uint64_t *ids);
/* A message from this board to a rank of it, in another rank's place. False: no memory. */
bool co_incoming_post(const struct co_message_info *from, uint32_t to, uint32_t context,
		      const void *data);
/* An uplink message has come into that buffer; the data for that slot have. */
void co_incoming_frame(uint32_t buffer, unsigned from, uint64_t bytes, uint32_t error);
void co_incoming_data(uint32_t slot, uint64_t bytes, uint32_t error);

/* ---- request.c ---- */
/* Execute a request; may wait. False: it has no server. */
bool co_request_execute(uint32_t context, const struct co_cluster_request *request);

/* An uplink's request: its kind, and a number. */
enum request_kind { REQUEST_FRAME_OUT, REQUEST_FRAME_IN, REQUEST_DATA_OUT, REQUEST_DATA_IN };
#define REQUEST(kind, number) ((uint64_t)(kind) << 32 | (number))
#endif
