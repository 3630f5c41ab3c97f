/*
 * objects.h - what MPI's handles point to, and what the files of this folder call of each other.
 *
 * The library is a part of the program, not of the runtime: each rank has its static data for
 * itself (cohart/process.h), and uses nothing of Cohart but <cohart/...>. All messages are of one
 * team, that of all ranks: a communicator is a list of ranks there, and a context that keeps its
 * messages apart.
 *
 * Calls go down: p2p, collective, window -> schedule -> request -> communicator -> type, op, group
 * -> attribute, error.
 *
 * Rules: what may fail returns an error class of mpi.h, 0 is none; a function MPI_X() hands one to
 * co_mpi_error(), once, and returns what that returns. Memory is from malloc(). Objects count what
 * refers to them: their own handle, and requests and objects that use them.
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
/* The name that it had until MPI 2: a report says the one of today. */
#define CO_MPI_OLD_NAME(old, name)                                                      \
	extern __typeof__(PMPI_##old) PMPI_##old __attribute__((alias("PMPI_" #name))); \
	extern __typeof__(PMPI_##old) MPI_##old __attribute__((weak, alias("PMPI_" #name)))

/*
 * The first word of an object, cleared when it is freed. A freed handle is known for stale until
 * its memory is another object's of that kind, of any rank: the heap is one for all.
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

/* An object is about to be freed: its handles are known for stale. */
static inline void co_mpi_unmark(enum co_mpi_magic *magic)
{
	*magic = (enum co_mpi_magic)0;
	/* A compiler leaves out what is stored before free(). */
	__asm__ volatile("" : "+m"(*magic));
}

/* ---- The rank: init.c ---- */
/*
 * What an all-reduce at once (reduce.c) sends, where every hart may use it. A call that was
 * cancelled may leave `sent` under way: until that has ended, both are left alone.
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
	int threads; /* the level that was given */
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

/* Keep a text for the report of an error that is about to be returned; its class. */
void co_mpi_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define co_mpi_say(error_class, ...) (co_mpi_note(__VA_ARGS__), (error_class))

/*
 * Hand an error (0: there is none) to the handler of the communicator, or, where it is none, of
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
/* The same with a handler (NULL: fatal) of an object, whose handle is at `handle`. */
int co_mpi_handle_error(MPI_Errhandler handler, void *handle, const char *name, const char *call,
			int code);
/* The class of a negative errno number of Cohart's. */
int co_mpi_class_of(int error);
static inline int co_mpi_class(int error)
{
	return error ? co_mpi_class_of(error) : MPI_SUCCESS;
}

void co_mpi_errhandler_set(MPI_Errhandler *to, MPI_Errhandler handler);
/* One more refers to it (NULL is returned as it is); one fewer does. */
MPI_Errhandler co_mpi_errhandler_get(MPI_Errhandler handler);
void co_mpi_errhandler_put(MPI_Errhandler handler);
extern int co_mpi_last_code; /* MPI_LASTUSEDCODE */

/* ---- Attributes: attribute.c ---- */
struct co_mpi_attribute;
/*
 * The attributes of an object that is duplicated, or freed: by the program's functions, whose error
 * ends it. `handle` is the old object.
 */
int co_mpi_attributes_copy(void *handle, struct co_mpi_attribute *from,
			   struct co_mpi_attribute **to);
int co_mpi_attributes_free(void *handle, struct co_mpi_attribute **list);

/* ---- Groups: group.c ---- */
struct co_mpi_group {
	enum co_mpi_magic magic;
	int references;
	int size, rank; /* this rank's, or MPI_UNDEFINED */
	int first;      /* with `world` NULL rank i is first + i in MPI_COMM_WORLD, */
	int *world;     /* else world[i] */
};

static inline int co_mpi_group_world(const struct co_mpi_group *g, int rank)
{
	return g->world ? g->world[rank] : g->first + rank;
}

/* The rank there of one in MPI_COMM_WORLD, or MPI_UNDEFINED. */
int co_mpi_group_find(const struct co_mpi_group *g, int world);
/* A group of n ranks of MPI_COMM_WORLD (none: MPI_GROUP_EMPTY); NULL: no memory. */
MPI_Group co_mpi_group_new(int n, const int world[]);
int co_mpi_group_compare(const struct co_mpi_group *a, const struct co_mpi_group *b);
/* The ranks of both, those of `a` first. Returns a class. */
int co_mpi_group_unite(MPI_Group a, MPI_Group b, MPI_Group *group);
int *co_mpi_group_list(MPI_Group g); /* its ranks in MPI_COMM_WORLD, to be freed; NULL: no memory */
/* Is it a group of ranks that are all in that one, which is `name`'s? */
int co_mpi_check_part(MPI_Group part, MPI_Group of, const char *name);
/* One more refers to it; one fewer does. NULL, too. */
static inline MPI_Group co_mpi_group_get(MPI_Group group)
{
	if (group)
		group->references++;
	return group;
}
void co_mpi_group_put(MPI_Group group);

/* ---- Infos: info.c ---- */
int co_mpi_check_info(MPI_Info info);     /* an info, or MPI_INFO_NULL: a class */
MPI_Info co_mpi_info_copy(MPI_Info info); /* NULL of NULL, and for lack of memory */
void co_mpi_info_put(MPI_Info info);      /* NULL, too */
/* An object's: a copy takes the place of the one at `at`, and is handed out. Return a class. */
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
	MPI_Group remote; /* of an inter-communicator: where messages go to; else NULL */
	MPI_Group peers;  /* the one of the two that messages go to */
	int rank;         /* this rank's in `group` */
	bool local_leads; /* of an inter-communicator: this side is the first in order (low) */
	MPI_Errhandler errhandler;
	struct co_mpi_attribute *attributes;
	struct co_mpi_topology *topology;
	MPI_Info info;
	char name[MPI_MAX_OBJECT_NAME];
};

/* 0, or the class: is it a communicator, has it such a rank (MPI_PROC_NULL, too)? */
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
 * A new context, even: numbers of a rank's own, so that no two ranks hand out the same. The first
 * rank of a new communicator hands it out and tells the others.
 */
uint32_t co_mpi_context(void);
void co_mpi_comm_put(MPI_Comm comm); /* refers to it no more */

/* ---- Datatypes: type.c, pack.c ---- */
struct co_mpi_made; /* how it was made: type.h */

struct co_mpi_type {
	enum co_mpi_magic magic;
	int references; /* a predefined one has enough for ever */
	bool predefined, committed;
	/* Elements of it lie behind each other without holes, in their order: copied as bytes. */
	bool plain;
	bool dense;                /* that holds inside of one */
	bool has_lower, has_upper; /* its bounds were set: those of a type made of it follow */
	unsigned char basic;       /* enum co_mpi_basic */
	unsigned char external;    /* bytes of a basic one in external32 */
	unsigned char align;
	MPI_Count size;     /* bytes of data in one */
	MPI_Count elements; /* basic elements in one */
	MPI_Aint lower, extent, true_lower, true_extent;
	MPI_Datatype only; /* co_mpi_type_only(), of one that is made */
	struct co_mpi_made *made;
	struct co_mpi_attribute *attributes;
	char name[MPI_MAX_OBJECT_NAME];
};

/* 0, or the class: is it a type, and committed? And that count, of that buffer, valid, too? */
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

/* One more refers to it; one fewer does. */
static inline MPI_Datatype co_mpi_type_get(MPI_Datatype type)
{
	type->references++;
	return type;
}
void co_mpi_type_put(MPI_Datatype type);
/* Where the data of n of them lies, if it is plain. */
static inline void *co_mpi_type_data(MPI_Datatype type, const void *buf)
{
	return (char *)buf + type->true_lower;
}

/* n of them to bytes; returns how many. */
MPI_Count co_mpi_pack(const void *buf, MPI_Count n, MPI_Datatype type, void *bytes);
/* Bytes to up to n of them: as far as the bytes go. */
void co_mpi_unpack(const void *bytes, MPI_Count n_bytes, void *buf, MPI_Count n, MPI_Datatype type);
/* From one place to another, of types with the same signature; the first error is MPI_ERR_NO_MEM,
 * or MPI_ERR_TRUNCATE: there was more. */
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

/* 0, or the class: is it an operation, and for such a type? */
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
	CO_MPI_ACCESS, /* of a window: the same, but it is neither cancelled nor freed */
};

struct co_mpi_request {
	enum co_mpi_magic magic;
	enum co_mpi_kind kind;
	bool persistent, active, ended, freed, cancelled;
	int error;
	MPI_Status status;
	MPI_Comm comm;
	void *buf;    /* where it goes to, or comes from */
	void *packed; /* the bytes that were sent, or are to be unpacked; NULL: buf itself */
	MPI_Count count;
	MPI_Datatype type;
	int peer, tag;            /* of a persistent one */
	int mode;                 /* of a send: request.h */
	MPI_Count buffered;       /* bytes of the program's buffer that it counts for */
	struct co_mpi_user *user; /* of a generalised one: request.h */
	void (*at_end)(struct co_mpi_request *r); /* of one that the program does not know */
	struct co_mpi_request *next;              /* of a list of request.c */
	struct co_message message; /* of a send, a receive; the last: most of it is not cleared */
};

MPI_Request co_mpi_request_new(enum co_mpi_kind kind, MPI_Comm comm); /* NULL: no memory */
/* A request that has ended: of a call that did all at once. */
int co_mpi_request_ready(MPI_Request *request);
/* Wait until it has ended, and let others go on meanwhile. Returns its class. */
int co_mpi_request_wait(MPI_Request request);
void co_mpi_request_put(MPI_Request request);
/* Let all that is under way go on, without waiting. Returns a class. */
int co_mpi_progress(void);
/*
 * Wait for what was freed, or sent from a copy, before it had ended: for those with that `at_end`,
 * or all (NULL). Returns a class.
 */
int co_mpi_requests_end(void (*at_end)(MPI_Request request));
/* Put one that may be under way, after an error: a receive is withdrawn. */
void co_mpi_request_drop(MPI_Request request);
/* Begin a send or a receive by what the request says; the peer is a rank of MPI_COMM_WORLD. */
int co_mpi_begin(MPI_Request request, unsigned world, uint32_t tag, uint32_t context);
/* Has it ended? Looks at that request alone. */
bool co_mpi_request_poll(MPI_Request request);

/* ---- Point to point: p2p.c; for other files, on their own contexts: no checks ---- */
int co_mpi_send(const void *buf, MPI_Count n, MPI_Datatype type, int world, uint32_t tag,
		uint32_t context);
int co_mpi_recv(void *buf, MPI_Count n, MPI_Datatype type, int world, uint32_t tag,
		uint32_t context);

/* ---- Schedules: schedule.c ---- */
/*
 * A collective is a schedule: steps in rounds. All steps of a round begin together, and the next
 * round begins when all have ended. It is made by the calls below, then run to its end, or started
 * as a request: blocking and non-blocking collectives are the same code. Messages of a schedule are
 * in its communicator's second context, and tagged by its number there.
 *
 * Buffers, types and operations are used until it ends. What fails while it is made (no memory) is
 * returned by co_mpi_schedule_run(). Ranks are the communicator's peers, unless `local` is set: in
 * an inter-communicator its own side's.
 */
struct co_mpi_schedule *co_mpi_schedule_new(MPI_Comm comm); /* NULL: no memory */
/* Memory until it ends; NULL: no memory. At least one byte. */
void *co_mpi_schedule_room(struct co_mpi_schedule *s, MPI_Count bytes);
/*
 * Memory for n of that type, as for a buffer of the program: what is returned is the address of the
 * buffer, to be given with the type.
 */
void *co_mpi_schedule_buffer(struct co_mpi_schedule *s, MPI_Count n, MPI_Datatype type);
void co_mpi_schedule_local(struct co_mpi_schedule *s, bool local);
void co_mpi_schedule_send(struct co_mpi_schedule *s, const void *buf, MPI_Count n,
			  MPI_Datatype type, int to);
void co_mpi_schedule_recv(struct co_mpi_schedule *s, void *buf, MPI_Count n, MPI_Datatype type,
			  int from);
/* These run in the order given, when the round begins, before its messages. */
void co_mpi_schedule_copy(struct co_mpi_schedule *s, const void *from, MPI_Count from_n,
			  MPI_Datatype from_type, void *to, MPI_Count to_n, MPI_Datatype to_type);
void co_mpi_schedule_reduce(struct co_mpi_schedule *s, const void *in, void *inout, MPI_Count n,
			    MPI_Datatype type, MPI_Op op);
void co_mpi_schedule_call(struct co_mpi_schedule *s, int (*call)(void *arg), void *arg);
/* What follows is the next round. */
void co_mpi_schedule_then(struct co_mpi_schedule *s);
/*
 * With DEBUG=1: what the collective is that is being made, so that it is compared with the other
 * ranks' when it runs (agree.c). CO_MPI_HERE() begins each collective call of mpi.h.
 */
struct co_mpi_here {
	const char *call;
	const void *at;
	int root;        /* or MPI_UNDEFINED */
	MPI_Count bytes; /* the same on all ranks; -1: not */
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
/* One for a call that says so: `bytes` is looked at there alone. */
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
 * Run it: to its end (request NULL), or begin it. It is freed in any case, now or at its end.
 * @param s  NULL: there was no memory for it
 */
int co_mpi_schedule_run(struct co_mpi_schedule *s, MPI_Request *request);
#endif
