/*
 * objects.h - what all of the library stands on: the rank, errors, attributes, groups, infos and
 * communicators.
 *
 * The library is a part of the program, not of the runtime: each rank has its own copy of the
 * library's static data (cohart/process.h), and the library uses nothing of Cohart but
 * <cohart/...>. All messages are of the team of all ranks: a communicator is a list of ranks of
 * that team, and a context that keeps its messages apart.
 *
 * Folders, lowest first; includes and calls point down only (make check C=layers):
 *
 *	base      the rank, errors, attributes, groups, infos, communicators
 *	type      datatypes, packing, operations
 *	request   requests, the waits for them, and schedules: the steps of a collective
 *	p2p       sends, receives, probes
 *	coll      collectives
 *	comm      communicators made of others
 *	topo      topologies
 *	rma       windows
 *	file      files
 *	env       MPI_Init() to MPI_Finalize(), the clock
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
#include <cohart/sync.h>
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
	CO_MPI_IS_COMM = 0x6d430000,
	CO_MPI_IS_GROUP = 0x6d470000,
	CO_MPI_IS_TYPE = 0x6d540000,
	CO_MPI_IS_OP = 0x6d4f0000,
	CO_MPI_IS_REQUEST = 0x6d520000,
	CO_MPI_IS_ERRHANDLER = 0x6d450000,
	CO_MPI_IS_INFO = 0x6d490000,
	CO_MPI_IS_WIN = 0x6d570000,
	CO_MPI_IS_MATCHED = 0x6d4d0000,
	CO_MPI_IS_FILE = 0x6d460000,
	CO_MPI_IS_SIMPLE = 0x6d530000, /* struct co_mpi_type */
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

/* ---- The rank: rank.c ---- */
/*
 * Memory of the schedule that runs while it is made (request/schedule.c), which every hart can
 * read. A cancelled call may leave `sent` under way: until it has ended, neither `sent` nor `value`
 * is written.
 */
struct co_mpi_now {
	struct co_message sent;
	_Alignas(max_align_t) char value[CO_MESSAGE_SHORT];
	_Alignas(max_align_t) char rooms[512];
};

struct co_mpi_rank {
	struct co_member *me; /* in the team of all ranks; NULL before and after MPI */
	int rank, ranks;      /* in MPI_COMM_WORLD */
	int board, boards;    /* of the job (cohart/cluster.h) */
	uint32_t contexts;    /* handed out by this rank: co_mpi_context() */
	bool finalized;
	int threads;             /* the level that MPI_Init_thread() has granted */
	bool traced;             /* there is a timeline, and no call is being made */
	bool busy;               /* schedules are under way */
	struct co_member *quick; /* `me`, or NULL while `traced` or `busy`: for the fastest calls */
	const char *inside;      /* with a timeline the call that is being made, or NULL */
	struct co_mpi_now *now;
	size_t near; /* bytes that co_mpi_near_take() has taken of the scratchpad */
};
extern struct co_mpi_rank co_mpi;

/*
 * Memory for objects that short calls read: up to CO_MPI_NEAR bytes of this rank's scratchpad, then
 * main memory. NULL: no memory.
 */
#define CO_MPI_NEAR 2048
void *co_mpi_near_take(size_t bytes);
void co_mpi_near_give(void *p, size_t bytes); /* `bytes` as it was taken */

/*
 * ---- Calls in a timeline: trace.c ----
 *
 * A call that sends, receives or may wait is a span of its coroutine; calls that the library makes
 * on its behalf are not. `call` is the call's __func__.
 */
void co_mpi_trace(bool on);
void co_mpi_busy(bool on); /* `busy` of the rank */
void co_mpi_enter(const char *call);
void co_mpi_left(const char *call);
/* Note values of the span: peer and tag if they are not negative, bytes unless -1. */
void co_mpi_tell(int peer, int tag, MPI_Count bytes);
void co_mpi_tell_from(int source); /* of a call that sends, too */
static inline void co_mpi_leave(const char *const *call)
{
	if (__builtin_expect(co_mpi.inside != NULL, 0))
		co_mpi_left(*call);
}

/* A declaration: from here to the end of the block is a call; `tell` notes its values. */
#define CO_MPI_SLICE(call, tell)                                         \
	__attribute__((cleanup(co_mpi_leave))) const char *const slice = \
		__builtin_expect(co_mpi.traced, 0) ? (co_mpi_enter(call), (tell), (call)) : (call)

/*
 * For a short call, whose frame should not grow: CO_MPI_TRACED() defines a function that makes the
 * call again, as a span; `args`, in brackets, are the arguments, whose declarations follow.
 * CO_MPI_TRACE() goes there, with a timeline.
 */
#define CO_MPI_TRACED(name, tell, args, ...)                                  \
	static __attribute__((noinline, cold)) int traced_##name(__VA_ARGS__) \
	{                                                                     \
		static const char call[] = "PMPI_" #name;                     \
		CO_MPI_SLICE(call, tell);                                     \
		return PMPI_##name args;                                      \
	}
#define CO_MPI_TRACE(name, args)                \
	if (__builtin_expect(co_mpi.traced, 0)) \
	return traced_##name args

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

/* Report an error to the handler (NULL: fatal) of an object, whose handle is at `handle`. */
int co_mpi_handle_error(MPI_Errhandler handler, void *handle, const char *name, const char *call,
			int code);
/* The class of a negative errno number of Cohart's. */
int co_mpi_class_of(int error);
/* Lock a mutex, which may have been a lost rank's. Returns a class. */
int co_mpi_lock(struct co_mutex *m);
static inline int co_mpi_class(int error)
{
	return error ? co_mpi_class_of(error) : MPI_SUCCESS;
}

/* Make a handler that calls the program's function. Returns a class. */
int co_mpi_errhandler_new(void (*call)(void *, int *, ...), MPI_Errhandler *handler);
void co_mpi_errhandler_set(MPI_Errhandler *to, MPI_Errhandler handler);
/* Set, or hand out, the handler at `at`; NULL: the object is invalid. Return `none` then, or a
 * class. */
int co_mpi_handler_set(MPI_Errhandler *at, int none, MPI_Errhandler handler);
int co_mpi_handler_get(const MPI_Errhandler *at, int none, MPI_Errhandler *handler);
/* Take a reference to a handler, which is returned (NULL, too); drop a reference. */
MPI_Errhandler co_mpi_errhandler_get(MPI_Errhandler handler);
void co_mpi_errhandler_put(MPI_Errhandler handler);
extern int co_mpi_last_code; /* MPI_LASTUSEDCODE */

/* ---- Attributes: attribute.c ---- */
struct co_mpi_attribute;

/* The kind of object that a key value is for. */
enum co_mpi_owner { CO_MPI_OF_COMM, CO_MPI_OF_TYPE, CO_MPI_OF_WIN };

/* The program's functions: for datatypes and windows they are called as for communicators. */
typedef int co_mpi_copy_function(void *, int, void *, void *, void *, int *);
typedef int co_mpi_delete_function(void *, int, void *, void *);

/*
 * The calls for the attributes of an object that has been checked: `list` is the object's list,
 * `handle` is handed to the program's functions. Return a class.
 */
int co_mpi_keyval_create(enum co_mpi_owner of, co_mpi_copy_function *copy,
			 co_mpi_delete_function *drop, int *keyval, void *state);
int co_mpi_keyval_free(enum co_mpi_owner of, int *keyval);
int co_mpi_attribute_set(enum co_mpi_owner of, void *handle, struct co_mpi_attribute **list,
			 int keyval, void *value);
int co_mpi_attribute_get(enum co_mpi_owner of, struct co_mpi_attribute *list, int keyval,
			 void *value, int *flag);
int co_mpi_attribute_delete(enum co_mpi_owner of, void *handle, struct co_mpi_attribute **list,
			    int keyval);
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
/* What topo/ knows of a communicator. */
struct co_mpi_topology {
	int references;
	int kind; /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
	int n;    /* dimensions; nodes */
	int *dims, *periods, *coords;
	int *index, *edges;
	int ins, outs; /* neighbours of this rank, for neighbourhood collectives */
	int *from, *to;
	int *in_weights, *out_weights; /* NULL: it has none */
	int used;
	int memory[]; /* of the lists above */
};
void co_mpi_topology_put(struct co_mpi_topology *t); /* drop a reference; NULL, too */

/*
 * May short collectives be lines of the team of all ranks (coll/short.c)? In a communicator of all
 * ranks, of which there are more than one.
 */
enum co_mpi_lines {
	CO_MPI_NO_LINES,
	CO_MPI_LINES,
	CO_MPI_LINES_IN_ORDER, /* its ranks are in the order of the team */
};

/* In the scratchpad if there is room: co_mpi_near_take(). */
struct co_mpi_comm {
	enum co_mpi_magic magic;
	int references;
	uint32_t context;  /* of its messages; + 1: of its collectives */
	uint32_t sequence; /* collectives so far: the tag of the next one */
	MPI_Group group;
	MPI_Group remote; /* of an inter-communicator; else NULL */
	MPI_Group peers;  /* `remote` or else `group`: messages go to its ranks */
	int reach, first; /* of `peers`: `size`, `first` and `world` */
	const int *world;
	int rank; /* this rank's in `group` */
	enum co_mpi_lines lines;
	bool local_leads; /* of an inter-communicator: this side is the first in order (low) */
	MPI_Errhandler errhandler;
	struct co_mpi_attribute *attributes;
	struct co_mpi_topology *topology;
	MPI_Info info;
	char name[MPI_MAX_OBJECT_NAME];
};

/* An object's name, or `kind`, words for an object without a name. */
static inline const char *co_mpi_named(const char *name, const char *kind)
{
	return name[0] ? name : kind;
}

static inline const char *co_mpi_comm_name(MPI_Comm comm)
{
	return co_mpi_named(comm->name, "an unnamed communicator");
}

/* The number of the collective that begins: the tag of its messages. */
static inline uint32_t co_mpi_number(MPI_Comm comm)
{
	return comm->sequence++ & INT32_MAX;
}

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
	bool fine = (unsigned)rank < (unsigned)comm->reach || rank == MPI_PROC_NULL;

	return fine ? MPI_SUCCESS : co_mpi_rank_error(comm, rank);
}

/* Set the fields of a new communicator that its groups determine; `remote` may be NULL. */
void co_mpi_comm_set_groups(MPI_Comm comm, MPI_Group group, MPI_Group remote);
int co_mpi_comms_begin(void); /* MPI_COMM_WORLD and _SELF: by MPI_Init, and MPI_Finalize */
void co_mpi_comms_end(void);
/* MPI_TAG_UB: the highest bits keep the library's own tags apart. */
#define CO_MPI_TAG_MAX 0x3fffffff
static inline int co_mpi_check_tag(int tag)
{
	bool fine = tag >= 0 && tag <= CO_MPI_TAG_MAX;

	return fine ? MPI_SUCCESS : co_mpi_say(MPI_ERR_TAG, "tag %d", tag);
}

#define CO_MPI_RANKS_MOST 1024
/*
 * A new context, an even number; 0: no context is left. It contains the rank's number, so that no
 * two ranks hand out equal contexts. The first rank of a new communicator hands it out, and sends
 * it to all ranks.
 */
uint32_t co_mpi_context(void);
/* The context that co_mpi_context() would return; co_mpi_context_used() hands it out. */
uint32_t co_mpi_context_next(void);
int co_mpi_context_used(uint32_t context);
void co_mpi_comm_put(MPI_Comm comm); /* drop a reference */
/* Refuse a feature, by its name, that a job of several boards does not have. Returns a class. */
int co_mpi_check_one_board(const char *what);
int co_mpi_check_intra(MPI_Comm comm); /* has it one group? */
static inline int co_mpi_size(MPI_Comm comm)
{
	return comm->group->size;
}
#endif
