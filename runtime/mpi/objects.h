/*
 * objects.h - the objects that MPI's handles point to, and the interface between the files of this
 * folder.
 *
 * The library is a part of the program, not of the runtime: each rank has its own copy of the
 * library's static data (cohart/process.h), and the library uses nothing of Cohart but
 * <cohart/...>. All messages are of the team of all ranks: a communicator is a list of ranks of
 * that team, and a context that keeps its messages apart.
 *
 * Calls go down: p2p, collective, window -> schedule -> request -> communicator -> type, op, group
 * -> attribute, error.
 *
 * Rules: a function that may fail returns an error class of mpi.h, or 0; a function MPI_X() hands
 * its class to co_mpi_error(), once, and returns the result. Memory is from malloc(). Objects count
 * their references: their own handle, and requests and objects that use them.
 */
#ifndef COHART_MPI_OBJECTS_H
#define COHART_MPI_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include <cohart/message.h>
#include <cohart/team.h>

#include <mpi.h>

/* MPI_name() is PMPI_name(), which this file defines, unless the program defines it. */
#define CO_MPI_NAME(name) \
	extern __typeof__(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)))
/* The definition of PMPI_name(), and so of MPI_name(): the parameters here, the body follows. */
#define CO_MPI_DEFINE(name, ...) \
	CO_MPI_NAME(name);       \
	int PMPI_##name(__VA_ARGS__)
/* Define the name until MPI 2 of a function: a report says the current name. */
#define CO_MPI_OLD_NAME(old, name)                                                      \
	extern __typeof__(PMPI_##old) PMPI_##old __attribute__((alias("PMPI_" #name))); \
	extern __typeof__(PMPI_##old) MPI_##old __attribute__((weak, alias("PMPI_" #name)))

/*
 * The first word of an object, cleared when the object is freed. So a stale handle is detected
 * until its memory is another object of this kind, of any rank: all ranks have one heap.
 */
enum co_mpi_magic {
	CO_MPI_IS_COMM = 0x6d706943,
	CO_MPI_IS_GROUP = 0x6d706947,
	CO_MPI_IS_TYPE = 0x6d706954,
	CO_MPI_IS_OP = 0x6d70694f,
	CO_MPI_IS_REQUEST = 0x6d706952,
	CO_MPI_IS_ERRHANDLER = 0x6d706945,
	CO_MPI_IS_INFO = 0x6d706949,
	CO_MPI_IS_WIN = 0x6d706957,
	CO_MPI_IS_MATCHED = 0x6d70694d,
	CO_MPI_IS_FILE = 0x6d706946,
};

static inline bool co_mpi_is(const void *object, enum co_mpi_magic kind)
{
	return object && *(const enum co_mpi_magic *)object == kind;
}

/* Clear the magic of an object that is about to be freed, so that stale handles are detected. */
static inline void co_mpi_unmark(enum co_mpi_magic *magic)
{
	*magic = (enum co_mpi_magic)0;
	/* Otherwise the compiler may leave out a store before free(). */
	__asm__ volatile("" : "+m"(*magic));
}

/* ---- The rank: init.c ---- */
/*
 * The message of an all-reduce at once (reduce.c), in memory that every hart can read. A cancelled
 * call may leave `sent` under way: until it has ended, neither field is written.
 */
struct co_mpi_now {
	struct co_message sent;
	_Alignas(max_align_t) char value[CO_MESSAGE_SHORT];
};

struct co_mpi_rank {
	struct co_member *me; /* in the team of all ranks; NULL before and after MPI */
	int rank, ranks;      /* in MPI_COMM_WORLD */
	uint32_t contexts;    /* handed out by this rank: co_mpi_context() */
	bool finalized;
	int threads; /* the level that MPI_Init_thread() has granted */
	struct co_mpi_now *now;
};
extern struct co_mpi_rank co_mpi;

/* ---- Errors: error.c ---- */
struct co_mpi_errhandler {
	enum co_mpi_magic magic;
	int references;
	void (*call)(void *handle, int *code, ...); /* NULL: fatal, or return, by `returns` */
	bool returns;
};

/* Keep a text for the report of an error. co_mpi_say() keeps it, and is the class to return. */
void co_mpi_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define co_mpi_say(error_class, ...) (co_mpi_note(__VA_ARGS__), (error_class))

/*
 * Report an error (0: success) to the handler of the communicator or, if `comm` is invalid, of
 * MPI_COMM_WORLD.
 * @param call  __func__
 * @return the error
 */
int co_mpi_report(MPI_Comm comm, const char *call, int code);
static inline int co_mpi_error(MPI_Comm comm, const char *call, int code)
{
	return code ? co_mpi_report(comm, call, code) : MPI_SUCCESS;
}

int co_mpi_win_error(MPI_Win win, const char *call, int code);
/* Report an error to the handler (NULL: fatal) of an object, whose handle is at `handle`. */
int co_mpi_handle_error(MPI_Errhandler handler, void *handle, const char *name, const char *call,
			int code);
/* The class of a negative errno number of Cohart's. */
int co_mpi_class_of(int error);
static inline int co_mpi_class(int error)
{
	return error ? co_mpi_class_of(error) : MPI_SUCCESS;
}

void co_mpi_errhandler_set(MPI_Errhandler *to, MPI_Errhandler handler);
/* Take a reference to a handler, which is returned (NULL, too); drop a reference. */
MPI_Errhandler co_mpi_errhandler_get(MPI_Errhandler handler);
void co_mpi_errhandler_put(MPI_Errhandler handler);
extern int co_mpi_last_code; /* MPI_LASTUSEDCODE */

/* ---- Attributes: attribute.c ---- */
struct co_mpi_attribute;
/*
 * Copy the attributes of an object that is duplicated, or free the attributes of an object that is
 * freed, by the program's functions; their first error ends it. `handle` is the old object.
 */
int co_mpi_attributes_copy(void *handle, struct co_mpi_attribute *from,
			   struct co_mpi_attribute **to);
int co_mpi_attributes_free(void *handle, struct co_mpi_attribute **list);

/* ---- Groups: group.c ---- */
struct co_mpi_group {
	enum co_mpi_magic magic;
	int references;
	int size, rank; /* `rank`: this rank's, or MPI_UNDEFINED */
	int first;      /* with `world` NULL rank i is first + i in MPI_COMM_WORLD */
	int *world;     /* otherwise rank i is world[i] */
};

static inline int co_mpi_group_world(const struct co_mpi_group *g, int rank)
{
	return g->world ? g->world[rank] : g->first + rank;
}

/* The rank in a group of a rank of MPI_COMM_WORLD, or MPI_UNDEFINED. */
int co_mpi_group_find(const struct co_mpi_group *g, int world);
/* A group of n ranks of MPI_COMM_WORLD (none: MPI_GROUP_EMPTY); NULL: no memory. */
MPI_Group co_mpi_group_new(int n, const int world[]);
int co_mpi_group_compare(const struct co_mpi_group *a, const struct co_mpi_group *b);
/* Make a group of the ranks of `a`, followed by the ranks that only `b` has. Returns a class. */
int co_mpi_group_unite(MPI_Group a, MPI_Group b, MPI_Group *group);
int *co_mpi_group_list(MPI_Group g); /* its ranks in MPI_COMM_WORLD, to be freed; NULL: no memory */
/* Is `part` a group of ranks that are all in `of`? `name` is the name of the object with `of`. */
int co_mpi_check_part(MPI_Group part, MPI_Group of, const char *name);
/* Take a reference to a group, or drop one. NULL is allowed. */
static inline MPI_Group co_mpi_group_get(MPI_Group group)
{
	if (group)
		group->references++;
	return group;
}
void co_mpi_group_put(MPI_Group group);

/* ---- Infos: info.c ---- */
int co_mpi_check_info(MPI_Info info);     /* an info, or MPI_INFO_NULL: a class */
MPI_Info co_mpi_info_copy(MPI_Info info); /* NULL of NULL, and without memory */
void co_mpi_info_put(MPI_Info info);      /* NULL, too */
/* Replace an object's info by a copy; hand out a copy of an object's info. Return a class. */
int co_mpi_info_set(MPI_Info *at, MPI_Info info);
int co_mpi_info_get(MPI_Info of, MPI_Info *info);

/* ---- Communicators: comm.c ---- */
struct co_mpi_topology; /* topology.c */

struct co_mpi_comm {
	enum co_mpi_magic magic;
	int references;
	uint32_t context;  /* of its messages; + 1: of its collectives */
	uint32_t sequence; /* collectives so far: the tag of the next one */
	MPI_Group group;
	MPI_Group remote; /* of an inter-communicator; else NULL */
	MPI_Group peers;  /* `remote` or else `group`: messages go to its ranks */
	int rank;         /* this rank's in `group` */
	bool local_leads; /* of an inter-communicator: this side is the first in order (low) */
	MPI_Errhandler errhandler;
	struct co_mpi_attribute *attributes;
	struct co_mpi_topology *topology;
	MPI_Info info;
	char name[MPI_MAX_OBJECT_NAME];
};

/*
 * The class, with its text, of an invalid communicator, and of an invalid rank. The checks return
 * it or 0; MPI_PROC_NULL is a valid rank.
 */
int co_mpi_comm_error(MPI_Comm comm);
int co_mpi_rank_error(MPI_Comm comm, int rank);
static inline int co_mpi_check_comm(MPI_Comm comm)
{
	bool fine = co_mpi.me && co_mpi_is(comm, CO_MPI_IS_COMM);

	return fine ? MPI_SUCCESS : co_mpi_comm_error(comm);
}

static inline int co_mpi_check_rank(MPI_Comm comm, int rank)
{
	bool fine = (unsigned)rank < (unsigned)comm->peers->size || rank == MPI_PROC_NULL;

	return fine ? MPI_SUCCESS : co_mpi_rank_error(comm, rank);
}

int co_mpi_comms_begin(void); /* MPI_COMM_WORLD and _SELF: by MPI_Init, and MPI_Finalize */
void co_mpi_comms_end(void);
/* MPI_TAG_UB: the highest bits keep the library's own tags apart. */
#define CO_MPI_TAG_MAX 0x3fffffff
static inline int co_mpi_check_tag(int tag)
{
	bool fine = tag >= 0 && tag <= CO_MPI_TAG_MAX;

	return fine ? MPI_SUCCESS : co_mpi_say(MPI_ERR_TAG, "tag %d", tag);
}

/*
 * A new context, an even number; 0: no context is left. It contains the rank's number, so that no
 * two ranks hand out equal contexts. The first rank of a new communicator hands it out, and sends
 * it to all ranks.
 */
uint32_t co_mpi_context(void);
void co_mpi_comm_put(MPI_Comm comm); /* drop a reference */

/* ---- Datatypes: type.c, pack.c ---- */
struct co_mpi_made; /* how it was made: type.h */

struct co_mpi_type {
	enum co_mpi_magic magic;
	int references; /* a predefined one has enough for ever */
	bool predefined, committed;
	/* Elements lie one behind another without holes, in order: they are copied as bytes. */
	bool plain;
	bool dense;                /* inside of one element there are no holes */
	bool has_lower, has_upper; /* its bounds were set: types made of it use them */
	unsigned char basic;       /* enum co_mpi_basic */
	unsigned char external;    /* bytes of a basic type in external32 */
	unsigned char align;
	MPI_Count size;     /* bytes of data in one */
	MPI_Count elements; /* basic elements in one */
	MPI_Aint lower, extent, true_lower, true_extent;
	MPI_Datatype only; /* co_mpi_type_only(), of a type that is not predefined */
	struct co_mpi_made *made;
	struct co_mpi_attribute *attributes;
	char name[MPI_MAX_OBJECT_NAME];
};

/*
 * 0, or the class, with a text: is the type valid and committed; are buffer and count valid, too?
 * The checks below call these if a quick look is not enough.
 */
int co_mpi_type_error(MPI_Datatype type);
int co_mpi_buffer_error(const void *buf, MPI_Count count, MPI_Datatype type);
static inline int co_mpi_check_type(MPI_Datatype type)
{
	bool ready = co_mpi_is(type, CO_MPI_IS_TYPE) && type->committed;

	return ready ? MPI_SUCCESS : co_mpi_type_error(type);
}

/* Neither NULL nor MPI_IN_PLACE, which is the byte before it (mpi.h): one comparison. */
static inline bool co_mpi_is_buffer(const void *buf)
{
	return (uintptr_t)buf - (uintptr_t)MPI_IN_PLACE > 1;
}

static inline int co_mpi_check_buffer(const void *buf, MPI_Count count, MPI_Datatype type)
{
	bool fine = count >= 0 && co_mpi_is_buffer(buf);

	fine = fine && co_mpi_is(type, CO_MPI_IS_TYPE) && type->committed;
	return fine ? MPI_SUCCESS : co_mpi_buffer_error(buf, count, type);
}

/* Take a reference to a type, or drop one. */
static inline MPI_Datatype co_mpi_type_get(MPI_Datatype type)
{
	type->references++;
	return type;
}
void co_mpi_type_put(MPI_Datatype type);
/* Where the data of elements of a plain type begins. */
static inline void *co_mpi_type_data(MPI_Datatype type, const void *buf)
{
	return (char *)buf + type->true_lower;
}

/* Pack n elements; returns the number of bytes. */
MPI_Count co_mpi_pack(const void *buf, MPI_Count n, MPI_Datatype type, void *bytes);
/* Unpack bytes to at most n elements: as far as the bytes go. */
void co_mpi_unpack(const void *bytes, MPI_Count n_bytes, void *buf, MPI_Count n, MPI_Datatype type);
/*
 * Copy between buffers whose types have equal signatures. Returns a class: MPI_ERR_NO_MEM, or
 * MPI_ERR_TRUNCATE if `from` has more bytes.
 */
int co_mpi_copy(const void *from, MPI_Count from_n, MPI_Datatype from_type, void *to,
		MPI_Count to_n, MPI_Datatype to_type);

/* ---- Operations: op.c ---- */
struct co_mpi_op {
	enum co_mpi_magic magic;
	int references;
	bool predefined, commutes;
	int code;
	MPI_User_function *function;
};

/* 0, or the class: is it an operation, and can it reduce this type? */
int co_mpi_check_op(MPI_Op op, MPI_Datatype type);
/* result = in op result, for n elements. */
void co_mpi_op_apply(MPI_Op op, const void *in, void *result, MPI_Count n, MPI_Datatype type);
void co_mpi_op_put(MPI_Op op);

/* ---- Requests: request.c ---- */
enum co_mpi_kind {
	CO_MPI_SEND,
	CO_MPI_RECV,
	CO_MPI_SCHEDULE,
	CO_MPI_USER,   /* generalised */
	CO_MPI_READY,  /* has ended when it begins */
	CO_MPI_ACCESS, /* of a window: as CO_MPI_READY, but neither cancelled nor freed */
};

struct co_mpi_request {
	enum co_mpi_magic magic;
	enum co_mpi_kind kind;
	bool persistent, active, ended, freed, cancelled;
	int error;
	MPI_Status status;
	MPI_Comm comm;
	void *buf;    /* the program's buffer */
	void *packed; /* the packed bytes to send, or to unpack; NULL: buf itself */
	MPI_Count count;
	MPI_Datatype type;
	int peer, tag;            /* of a persistent one */
	int mode;                 /* of a send: request.h */
	MPI_Count buffered;       /* bytes of the program's buffer that it counts for */
	struct co_mpi_user *user; /* of a generalised one: request.h */
	void (*at_end)(struct co_mpi_request *r); /* of a request that the program does not know */
	struct co_mpi_request *next;              /* of a list of request.c */
	struct co_message message; /* of a send, a receive; the last: most of it is not cleared */
};

MPI_Request co_mpi_request_new(enum co_mpi_kind kind, MPI_Comm comm); /* NULL: no memory */
/* Make a request that has ended, for a call that did all at once. */
int co_mpi_request_ready(MPI_Request *request);
/*
 * Wait until the request has ended; other requests go on meanwhile. Returns the class of an error
 * of the wait; the request's own is in its `error`.
 */
int co_mpi_request_wait(MPI_Request request);
void co_mpi_request_put(MPI_Request request);
/* Let all that is under way go on, without waiting. Returns a class. */
int co_mpi_progress(void);
/*
 * Wait for all requests that were freed before they had ended, or that send a copy: with this
 * `at_end` alone, unless that is NULL. Returns a class.
 */
int co_mpi_requests_end(void (*at_end)(MPI_Request request));
/* Put a request that may be under way, after an error: a receive is withdrawn. */
void co_mpi_request_drop(MPI_Request request);
/* Begin the send or receive that the request describes; `world` is a rank of MPI_COMM_WORLD. */
int co_mpi_begin(MPI_Request request, unsigned world, uint32_t tag, uint32_t context);
/* Has the request ended? Checks this request alone. */
bool co_mpi_request_poll(MPI_Request request);

/* ---- Point to point: p2p.c; for other files, on their own contexts: no checks ---- */
int co_mpi_send(const void *buf, MPI_Count n, MPI_Datatype type, int world, uint32_t tag,
		uint32_t context);
int co_mpi_recv(void *buf, MPI_Count n, MPI_Datatype type, int world, uint32_t tag,
		uint32_t context);

/* ---- Schedules: schedule.c ---- */
/*
 * A collective is a schedule: steps in rounds. All steps of a round begin together, and the next
 * round begins when all have ended. A schedule is made by the calls below, then run to its end, or
 * started as a request: blocking and non-blocking collectives share their code. Its messages are in
 * its communicator's second context, and tagged by its number there.
 *
 * Buffers, types and operations are used until the schedule ends. An error while it is made (no
 * memory) is returned by co_mpi_schedule_run(). Ranks are the communicator's peers or, if `local`
 * is set in an inter-communicator, ranks of this side.
 */
struct co_mpi_schedule *co_mpi_schedule_new(MPI_Comm comm); /* NULL: no memory */
/* Memory until the schedule ends, at least one byte; NULL: no memory. */
void *co_mpi_schedule_room(struct co_mpi_schedule *s, MPI_Count bytes);
/*
 * Memory for n elements of a type. Returns the address to use with the type, as for a buffer of the
 * program.
 */
void *co_mpi_schedule_buffer(struct co_mpi_schedule *s, MPI_Count n, MPI_Datatype type);
void co_mpi_schedule_local(struct co_mpi_schedule *s, bool local);
void co_mpi_schedule_send(struct co_mpi_schedule *s, const void *buf, MPI_Count n,
			  MPI_Datatype type, int to);
void co_mpi_schedule_recv(struct co_mpi_schedule *s, void *buf, MPI_Count n, MPI_Datatype type,
			  int from);
/*
 * Copies, reductions and calls run in the order given, when the round begins, before its messages.
 */
void co_mpi_schedule_copy(struct co_mpi_schedule *s, const void *from, MPI_Count from_n,
			  MPI_Datatype from_type, void *to, MPI_Count to_n, MPI_Datatype to_type);
void co_mpi_schedule_reduce(struct co_mpi_schedule *s, const void *in, void *inout, MPI_Count n,
			    MPI_Datatype type, MPI_Op op);
void co_mpi_schedule_call(struct co_mpi_schedule *s, int (*call)(void *arg), void *arg);
/* Steps that are added later are in the next round. */
void co_mpi_schedule_then(struct co_mpi_schedule *s);
/*
 * With DEBUG=1: the description of the collective that is being made, for the comparison with the
 * calls of other ranks when it runs (agree.c). Each collective call of mpi.h begins with
 * CO_MPI_HERE().
 */
struct co_mpi_here {
	const char *call;
	const void *at;
	int root;        /* or MPI_UNDEFINED */
	MPI_Count bytes; /* -1: ranks may differ in it */
	bool known;
};
#ifdef CO_DEBUG
#define CO_MPI_COMPARES true
#else
#define CO_MPI_COMPARES false
#endif
extern struct co_mpi_here co_mpi_here;
#define CO_MPI_HERE()                                                           \
	(CO_MPI_COMPARES ? (void)(co_mpi_here.call = __func__ + 1,              \
				  co_mpi_here.at = __builtin_return_address(0)) \
			 : (void)0)
#define co_mpi_schedule_is(comm, root, bytes) \
	(CO_MPI_COMPARES && !(comm)->remote ? co_mpi_schedule_says(root, bytes) : (void)0)
/* A schedule for a call that gives root and bytes; `bytes` is evaluated only with DEBUG=1. */
#define co_mpi_schedule_for(comm, root, bytes) \
	(co_mpi_schedule_is(comm, root, bytes), co_mpi_schedule_new(comm))
static inline void co_mpi_schedule_says(int root, MPI_Count bytes)
{
	co_mpi_here.root = root;
	co_mpi_here.bytes = bytes;
	co_mpi_here.known = true;
}

int co_mpi_agree(MPI_Comm comm, uint32_t number); /* a class */
/*
 * Run a schedule to its end (request NULL), or begin it. It is freed in any case, now or at its
 * end.
 * @param s  NULL: there was no memory for it
 */
int co_mpi_schedule_run(struct co_mpi_schedule *s, MPI_Request *request);
#endif
