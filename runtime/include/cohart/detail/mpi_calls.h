/*
 * detail/mpi_calls.h - the functions of mpi.h, by the standard's chapters.
 *
 * Arguments have the order and the meaning of the standard; names here are short: `to` and `from`
 * are ranks, `out`, `outs` and `out_type` are the data to send, the number of its elements and
 * their type, `in`, `ins` and `in_type` those of the data to receive; `n` is how many there are of
 * an array that follows, `which` an index into it. A count is of elements.
 *
 * @return MPI_SUCCESS, or an error code (MPI_Error_class(), MPI_Error_string()) where the handler
 *         of the communicator, window or file returns. By default a communicator's and a window's
 *         ends the run, by name; a file's returns. Limits: docs/mpi.md, docs/limits.md.
 * Context: that of mpi.h, between MPI_Init() and MPI_Finalize(). A call that waits lets other
 * coroutines of its hart run. Cost: docs/mpi.md.
 */
#ifndef COHART_DETAIL_MPI_CALLS_H
#define COHART_DETAIL_MPI_CALLS_H

#include <mpi.h>

CO_BEGIN_C

/*
 * int MPI_name(...), and PMPI_name(...), which a profiling library with its own MPI_name() calls.
 */
#define CO_MPI_CALL(name, ...)       \
	int MPI_##name(__VA_ARGS__); \
	int PMPI_##name(__VA_ARGS__)

/* ---- Point to point ---- */
CO_MPI_CALL(Send, const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
CO_MPI_CALL(Bsend, const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
CO_MPI_CALL(Ssend, const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
CO_MPI_CALL(Rsend, const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
CO_MPI_CALL(Recv, void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	    MPI_Status *status);
CO_MPI_CALL(Sendrecv, const void *out, int outs, MPI_Datatype out_type, int to, int out_tag,
	    void *in, int ins, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
	    MPI_Status *status);
CO_MPI_CALL(Sendrecv_replace, void *buf, int count, MPI_Datatype type, int to, int out_tag,
	    int from, int in_tag, MPI_Comm comm, MPI_Status *status);
CO_MPI_CALL(Isend, const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	    MPI_Request *request);
CO_MPI_CALL(Ibsend, const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	    MPI_Request *request);
CO_MPI_CALL(Issend, const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	    MPI_Request *request);
CO_MPI_CALL(Irsend, const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	    MPI_Request *request);
CO_MPI_CALL(Irecv, void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	    MPI_Request *request);
CO_MPI_CALL(Send_init, const void *buf, int count, MPI_Datatype type, int to, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Bsend_init, const void *buf, int count, MPI_Datatype type, int to, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Ssend_init, const void *buf, int count, MPI_Datatype type, int to, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Rsend_init, const void *buf, int count, MPI_Datatype type, int to, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Recv_init, void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	    MPI_Request *request);
CO_MPI_CALL(Start, MPI_Request *request);
CO_MPI_CALL(Startall, int n, MPI_Request requests[]);
CO_MPI_CALL(Wait, MPI_Request *request, MPI_Status *status);
CO_MPI_CALL(Waitany, int n, MPI_Request requests[], int *which, MPI_Status *status);
CO_MPI_CALL(Waitall, int n, MPI_Request requests[], MPI_Status statuses[]);
CO_MPI_CALL(Waitsome, int n, MPI_Request requests[], int *ended, int which[],
	    MPI_Status statuses[]);
CO_MPI_CALL(Test, MPI_Request *request, int *flag, MPI_Status *status);
CO_MPI_CALL(Testany, int n, MPI_Request requests[], int *which, int *flag, MPI_Status *status);
CO_MPI_CALL(Testall, int n, MPI_Request requests[], int *flag, MPI_Status statuses[]);
CO_MPI_CALL(Testsome, int n, MPI_Request requests[], int *ended, int which[],
	    MPI_Status statuses[]);
CO_MPI_CALL(Request_free, MPI_Request *request);
CO_MPI_CALL(Request_get_status, MPI_Request request, int *flag, MPI_Status *status);
CO_MPI_CALL(Cancel, MPI_Request *request);
CO_MPI_CALL(Test_cancelled, const MPI_Status *status, int *flag);
CO_MPI_CALL(Status_set_cancelled, MPI_Status *status, int flag);
CO_MPI_CALL(Status_set_elements, MPI_Status *status, MPI_Datatype type, int count);
CO_MPI_CALL(Status_set_elements_x, MPI_Status *status, MPI_Datatype type, MPI_Count count);
CO_MPI_CALL(Get_count, const MPI_Status *status, MPI_Datatype type, int *count);
CO_MPI_CALL(Get_elements, const MPI_Status *status, MPI_Datatype type, int *count);
CO_MPI_CALL(Get_elements_x, const MPI_Status *status, MPI_Datatype type, MPI_Count *count);
CO_MPI_CALL(Probe, int from, int tag, MPI_Comm comm, MPI_Status *status);
CO_MPI_CALL(Iprobe, int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
CO_MPI_CALL(Mprobe, int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
CO_MPI_CALL(Improbe, int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
	    MPI_Status *status);
CO_MPI_CALL(Mrecv, void *buf, int count, MPI_Datatype type, MPI_Message *message,
	    MPI_Status *status);
CO_MPI_CALL(Imrecv, void *buf, int count, MPI_Datatype type, MPI_Message *message,
	    MPI_Request *request);
CO_MPI_CALL(Buffer_attach, void *buffer, int bytes);
CO_MPI_CALL(Buffer_detach, void *buffer, int *bytes);
CO_MPI_CALL(Grequest_start, MPI_Grequest_query_function *query, MPI_Grequest_free_function *free,
	    MPI_Grequest_cancel_function *cancel, void *state, MPI_Request *request);
CO_MPI_CALL(Grequest_complete, MPI_Request request);

/* ---- Datatypes ---- */
CO_MPI_CALL(Type_contiguous, int count, MPI_Datatype of, MPI_Datatype *type);
CO_MPI_CALL(Type_vector, int count, int block, int stride, MPI_Datatype of, MPI_Datatype *type);
CO_MPI_CALL(Type_create_hvector, int count, int block, MPI_Aint stride, MPI_Datatype of,
	    MPI_Datatype *type);
CO_MPI_CALL(Type_indexed, int count, const int blocks[], const int at[], MPI_Datatype of,
	    MPI_Datatype *type);
CO_MPI_CALL(Type_create_hindexed, int count, const int blocks[], const MPI_Aint at[],
	    MPI_Datatype of, MPI_Datatype *type);
CO_MPI_CALL(Type_create_indexed_block, int count, int block, const int at[], MPI_Datatype of,
	    MPI_Datatype *type);
CO_MPI_CALL(Type_create_hindexed_block, int count, int block, const MPI_Aint at[], MPI_Datatype of,
	    MPI_Datatype *type);
CO_MPI_CALL(Type_create_struct, int count, const int blocks[], const MPI_Aint at[],
	    const MPI_Datatype of[], MPI_Datatype *type);
CO_MPI_CALL(Type_create_subarray, int dims, const int sizes[], const int parts[],
	    const int starts[], int order, MPI_Datatype of, MPI_Datatype *type);
CO_MPI_CALL(Type_create_darray, int size, int rank, int dims, const int sizes[], const int how[],
	    const int args[], const int procs[], int order, MPI_Datatype of, MPI_Datatype *type);
CO_MPI_CALL(Type_create_resized, MPI_Datatype of, MPI_Aint lower, MPI_Aint extent,
	    MPI_Datatype *type);
CO_MPI_CALL(Type_dup, MPI_Datatype of, MPI_Datatype *type);
CO_MPI_CALL(Type_commit, MPI_Datatype *type);
CO_MPI_CALL(Type_free, MPI_Datatype *type);
CO_MPI_CALL(Type_size, MPI_Datatype type, int *size);
CO_MPI_CALL(Type_size_x, MPI_Datatype type, MPI_Count *size);
CO_MPI_CALL(Type_get_extent, MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent);
CO_MPI_CALL(Type_get_extent_x, MPI_Datatype type, MPI_Count *lower, MPI_Count *extent);
CO_MPI_CALL(Type_get_true_extent, MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent);
CO_MPI_CALL(Type_get_true_extent_x, MPI_Datatype type, MPI_Count *lower, MPI_Count *extent);
CO_MPI_CALL(Type_get_envelope, MPI_Datatype type, int *ints, int *addresses, int *types,
	    int *combiner);
CO_MPI_CALL(Type_get_contents, MPI_Datatype type, int max_ints, int max_addresses, int max_types,
	    int ints[], MPI_Aint addresses[], MPI_Datatype types[]);
CO_MPI_CALL(Type_match_size, int type_class, int size, MPI_Datatype *type);
CO_MPI_CALL(Type_set_name, MPI_Datatype type, const char *name);
CO_MPI_CALL(Type_get_name, MPI_Datatype type, char *name, int *length);
CO_MPI_CALL(Get_address, const void *where, MPI_Aint *address);
CO_MPI_CALL(Pack, const void *in, int count, MPI_Datatype type, void *out, int bytes, int *position,
	    MPI_Comm comm);
CO_MPI_CALL(Unpack, const void *in, int bytes, int *position, void *out, int count,
	    MPI_Datatype type, MPI_Comm comm);
CO_MPI_CALL(Pack_size, int count, MPI_Datatype type, MPI_Comm comm, int *bytes);
CO_MPI_CALL(Pack_external, const char *form, const void *in, int count, MPI_Datatype type,
	    void *out, MPI_Aint bytes, MPI_Aint *position);
CO_MPI_CALL(Unpack_external, const char *form, const void *in, MPI_Aint bytes, MPI_Aint *position,
	    void *out, int count, MPI_Datatype type);
CO_MPI_CALL(Pack_external_size, const char *form, int count, MPI_Datatype type, MPI_Aint *bytes);
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint by);
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint by);
MPI_Aint MPI_Aint_diff(MPI_Aint a, MPI_Aint b);
MPI_Aint PMPI_Aint_diff(MPI_Aint a, MPI_Aint b);

/* ---- Collectives ---- */
#define CO_MPI_REQUEST , MPI_Request *request
/* One that waits, and one that begins. */
#define CO_MPI_COLLECTIVE(name, iname, ...) \
	CO_MPI_CALL(name, __VA_ARGS__);     \
	CO_MPI_CALL(iname, __VA_ARGS__ CO_MPI_REQUEST)

CO_MPI_COLLECTIVE(Barrier, Ibarrier, MPI_Comm comm);
CO_MPI_COLLECTIVE(Bcast, Ibcast, void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm);
CO_MPI_COLLECTIVE(Gather, Igather, const void *out, int outs, MPI_Datatype out_type, void *in,
		  int ins, MPI_Datatype in_type, int root, MPI_Comm comm);
CO_MPI_COLLECTIVE(Gatherv, Igatherv, const void *out, int outs, MPI_Datatype out_type, void *in,
		  const int ins[], const int at[], MPI_Datatype in_type, int root, MPI_Comm comm);
CO_MPI_COLLECTIVE(Scatter, Iscatter, const void *out, int outs, MPI_Datatype out_type, void *in,
		  int ins, MPI_Datatype in_type, int root, MPI_Comm comm);
CO_MPI_COLLECTIVE(Scatterv, Iscatterv, const void *out, const int outs[], const int at[],
		  MPI_Datatype out_type, void *in, int ins, MPI_Datatype in_type, int root,
		  MPI_Comm comm);
CO_MPI_COLLECTIVE(Allgather, Iallgather, const void *out, int outs, MPI_Datatype out_type, void *in,
		  int ins, MPI_Datatype in_type, MPI_Comm comm);
CO_MPI_COLLECTIVE(Allgatherv, Iallgatherv, const void *out, int outs, MPI_Datatype out_type,
		  void *in, const int ins[], const int at[], MPI_Datatype in_type, MPI_Comm comm);
CO_MPI_COLLECTIVE(Alltoall, Ialltoall, const void *out, int outs, MPI_Datatype out_type, void *in,
		  int ins, MPI_Datatype in_type, MPI_Comm comm);
CO_MPI_COLLECTIVE(Alltoallv, Ialltoallv, const void *out, const int outs[], const int out_at[],
		  MPI_Datatype out_type, void *in, const int ins[], const int in_at[],
		  MPI_Datatype in_type, MPI_Comm comm);
CO_MPI_COLLECTIVE(Alltoallw, Ialltoallw, const void *out, const int outs[], const int out_at[],
		  const MPI_Datatype out_types[], void *in, const int ins[], const int in_at[],
		  const MPI_Datatype in_types[], MPI_Comm comm);
CO_MPI_COLLECTIVE(Reduce, Ireduce, const void *out, void *in, int count, MPI_Datatype type,
		  MPI_Op op, int root, MPI_Comm comm);
CO_MPI_COLLECTIVE(Allreduce, Iallreduce, const void *out, void *in, int count, MPI_Datatype type,
		  MPI_Op op, MPI_Comm comm);
CO_MPI_COLLECTIVE(Reduce_scatter, Ireduce_scatter, const void *out, void *in, const int counts[],
		  MPI_Datatype type, MPI_Op op, MPI_Comm comm);
CO_MPI_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, const void *out, void *in, int count,
		  MPI_Datatype type, MPI_Op op, MPI_Comm comm);
CO_MPI_COLLECTIVE(Scan, Iscan, const void *out, void *in, int count, MPI_Datatype type, MPI_Op op,
		  MPI_Comm comm);
CO_MPI_COLLECTIVE(Exscan, Iexscan, const void *out, void *in, int count, MPI_Datatype type,
		  MPI_Op op, MPI_Comm comm);
CO_MPI_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, const void *out, int outs,
		  MPI_Datatype out_type, void *in, int ins, MPI_Datatype in_type, MPI_Comm comm);
CO_MPI_COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, const void *out, int outs,
		  MPI_Datatype out_type, void *in, const int ins[], const int at[],
		  MPI_Datatype in_type, MPI_Comm comm);
CO_MPI_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, const void *out, int outs,
		  MPI_Datatype out_type, void *in, int ins, MPI_Datatype in_type, MPI_Comm comm);
CO_MPI_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, const void *out, const int outs[],
		  const int out_at[], MPI_Datatype out_type, void *in, const int ins[],
		  const int in_at[], MPI_Datatype in_type, MPI_Comm comm);
CO_MPI_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, const void *out, const int outs[],
		  const MPI_Aint out_at[], const MPI_Datatype out_types[], void *in,
		  const int ins[], const MPI_Aint in_at[], const MPI_Datatype in_types[],
		  MPI_Comm comm);
CO_MPI_CALL(Op_create, MPI_User_function *function, int commutes, MPI_Op *op);
CO_MPI_CALL(Op_free, MPI_Op *op);
CO_MPI_CALL(Op_commutative, MPI_Op op, int *commutes);
CO_MPI_CALL(Reduce_local, const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op);

/* ---- Groups, communicators, attributes ---- */
CO_MPI_CALL(Group_size, MPI_Group group, int *size);
CO_MPI_CALL(Group_rank, MPI_Group group, int *rank);
CO_MPI_CALL(Group_translate_ranks, MPI_Group from, int n, const int ranks[], MPI_Group to,
	    int translated[]);
CO_MPI_CALL(Group_compare, MPI_Group a, MPI_Group b, int *result);
CO_MPI_CALL(Group_union, MPI_Group a, MPI_Group b, MPI_Group *group);
CO_MPI_CALL(Group_intersection, MPI_Group a, MPI_Group b, MPI_Group *group);
CO_MPI_CALL(Group_difference, MPI_Group a, MPI_Group b, MPI_Group *group);
CO_MPI_CALL(Group_incl, MPI_Group of, int n, const int ranks[], MPI_Group *group);
CO_MPI_CALL(Group_excl, MPI_Group of, int n, const int ranks[], MPI_Group *group);
CO_MPI_CALL(Group_range_incl, MPI_Group of, int n, int ranges[][3], MPI_Group *group);
CO_MPI_CALL(Group_range_excl, MPI_Group of, int n, int ranges[][3], MPI_Group *group);
CO_MPI_CALL(Group_free, MPI_Group *group);
CO_MPI_CALL(Comm_size, MPI_Comm comm, int *size);
CO_MPI_CALL(Comm_rank, MPI_Comm comm, int *rank);
CO_MPI_CALL(Comm_compare, MPI_Comm a, MPI_Comm b, int *result);
CO_MPI_CALL(Comm_dup, MPI_Comm comm, MPI_Comm *dup);
CO_MPI_CALL(Comm_dup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm *dup);
CO_MPI_CALL(Comm_idup, MPI_Comm comm, MPI_Comm *dup, MPI_Request *request);
CO_MPI_CALL(Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm *created);
CO_MPI_CALL(Comm_create_group, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *created);
CO_MPI_CALL(Comm_split, MPI_Comm comm, int color, int key, MPI_Comm *part);
CO_MPI_CALL(Comm_split_type, MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part);
CO_MPI_CALL(Comm_free, MPI_Comm *comm);
CO_MPI_CALL(Comm_disconnect, MPI_Comm *comm);
CO_MPI_CALL(Comm_group, MPI_Comm comm, MPI_Group *group);
CO_MPI_CALL(Comm_test_inter, MPI_Comm comm, int *flag);
CO_MPI_CALL(Comm_remote_size, MPI_Comm comm, int *size);
CO_MPI_CALL(Comm_remote_group, MPI_Comm comm, MPI_Group *group);
CO_MPI_CALL(Intercomm_create, MPI_Comm local, int leader, MPI_Comm peers, int remote_leader,
	    int tag, MPI_Comm *inter);
CO_MPI_CALL(Intercomm_merge, MPI_Comm inter, int high, MPI_Comm *merged);
CO_MPI_CALL(Comm_set_name, MPI_Comm comm, const char *name);
CO_MPI_CALL(Comm_get_name, MPI_Comm comm, char *name, int *length);
CO_MPI_CALL(Comm_set_info, MPI_Comm comm, MPI_Info info);
CO_MPI_CALL(Comm_get_info, MPI_Comm comm, MPI_Info *info);

CO_MPI_CALL(Comm_create_keyval, MPI_Comm_copy_attr_function *copy,
	    MPI_Comm_delete_attr_function *drop, int *keyval, void *state);
CO_MPI_CALL(Comm_free_keyval, int *keyval);
CO_MPI_CALL(Comm_set_attr, MPI_Comm comm, int keyval, void *value);
CO_MPI_CALL(Comm_get_attr, MPI_Comm comm, int keyval, void *value, int *flag);
CO_MPI_CALL(Comm_delete_attr, MPI_Comm comm, int keyval);
CO_MPI_CALL(Type_create_keyval, MPI_Type_copy_attr_function *copy,
	    MPI_Type_delete_attr_function *drop, int *keyval, void *state);
CO_MPI_CALL(Type_free_keyval, int *keyval);
CO_MPI_CALL(Type_set_attr, MPI_Datatype type, int keyval, void *value);
CO_MPI_CALL(Type_get_attr, MPI_Datatype type, int keyval, void *value, int *flag);
CO_MPI_CALL(Type_delete_attr, MPI_Datatype type, int keyval);
CO_MPI_CALL(Win_create_keyval, MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *drop,
	    int *keyval, void *state);
CO_MPI_CALL(Win_free_keyval, int *keyval);
CO_MPI_CALL(Win_set_attr, MPI_Win win, int keyval, void *value);
CO_MPI_CALL(Win_get_attr, MPI_Win win, int keyval, void *value, int *flag);
CO_MPI_CALL(Win_delete_attr, MPI_Win win, int keyval);

/* ---- Topologies ---- */
CO_MPI_CALL(Dims_create, int ranks, int n, int dims[]);
CO_MPI_CALL(Cart_create, MPI_Comm comm, int n, const int dims[], const int periods[], int reorder,
	    MPI_Comm *cart);
CO_MPI_CALL(Cartdim_get, MPI_Comm comm, int *n);
CO_MPI_CALL(Cart_get, MPI_Comm comm, int max, int dims[], int periods[], int coords[]);
CO_MPI_CALL(Cart_rank, MPI_Comm comm, const int coords[], int *rank);
CO_MPI_CALL(Cart_coords, MPI_Comm comm, int rank, int max, int coords[]);
CO_MPI_CALL(Cart_shift, MPI_Comm comm, int dim, int by, int *from, int *to);
CO_MPI_CALL(Cart_sub, MPI_Comm comm, const int remain[], MPI_Comm *part);
CO_MPI_CALL(Cart_map, MPI_Comm comm, int n, const int dims[], const int periods[], int *rank);
CO_MPI_CALL(Graph_create, MPI_Comm comm, int n, const int index[], const int edges[], int reorder,
	    MPI_Comm *graph);
CO_MPI_CALL(Graphdims_get, MPI_Comm comm, int *nodes, int *edges);
CO_MPI_CALL(Graph_get, MPI_Comm comm, int max_index, int max_edges, int index[], int edges[]);
CO_MPI_CALL(Graph_neighbors_count, MPI_Comm comm, int rank, int *n);
CO_MPI_CALL(Graph_neighbors, MPI_Comm comm, int rank, int max, int neighbors[]);
CO_MPI_CALL(Graph_map, MPI_Comm comm, int n, const int index[], const int edges[], int *rank);
CO_MPI_CALL(Dist_graph_create, MPI_Comm comm, int n, const int sources[], const int degrees[],
	    const int destinations[], const int weights[], MPI_Info info, int reorder,
	    MPI_Comm *graph);
CO_MPI_CALL(Dist_graph_create_adjacent, MPI_Comm comm, int ins, const int sources[],
	    const int in_weights[], int outs, const int destinations[], const int out_weights[],
	    MPI_Info info, int reorder, MPI_Comm *graph);
CO_MPI_CALL(Dist_graph_neighbors_count, MPI_Comm comm, int *ins, int *outs, int *weighted);
CO_MPI_CALL(Dist_graph_neighbors, MPI_Comm comm, int max_ins, int sources[], int in_weights[],
	    int max_outs, int destinations[], int out_weights[]);
CO_MPI_CALL(Topo_test, MPI_Comm comm, int *kind);

/* ---- Environment, errors, info ---- */
CO_MPI_CALL(Init, int *argc, char ***argv);
CO_MPI_CALL(Init_thread, int *argc, char ***argv, int required, int *provided);
CO_MPI_CALL(Initialized, int *flag);
CO_MPI_CALL(Finalize, void);
CO_MPI_CALL(Finalized, int *flag);
CO_MPI_CALL(Query_thread, int *provided);
CO_MPI_CALL(Is_thread_main, int *flag);
CO_MPI_CALL(Abort, MPI_Comm comm, int code);
CO_MPI_CALL(Get_version, int *version, int *subversion);
CO_MPI_CALL(Get_library_version, char *version, int *length);
CO_MPI_CALL(Get_processor_name, char *name, int *length);
CO_MPI_CALL(Alloc_mem, MPI_Aint bytes, MPI_Info info, void *base);
CO_MPI_CALL(Free_mem, void *base);
CO_MPI_CALL(Pcontrol, const int level, ...);
double MPI_Wtime(void);
double PMPI_Wtime(void);
double MPI_Wtick(void);
double PMPI_Wtick(void);

CO_MPI_CALL(Comm_create_errhandler, MPI_Comm_errhandler_function *function,
	    MPI_Errhandler *handler);
CO_MPI_CALL(Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler handler);
CO_MPI_CALL(Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler *handler);
CO_MPI_CALL(Comm_call_errhandler, MPI_Comm comm, int code);
CO_MPI_CALL(Win_create_errhandler, MPI_Win_errhandler_function *function, MPI_Errhandler *handler);
CO_MPI_CALL(Win_set_errhandler, MPI_Win win, MPI_Errhandler handler);
CO_MPI_CALL(Win_get_errhandler, MPI_Win win, MPI_Errhandler *handler);
CO_MPI_CALL(Win_call_errhandler, MPI_Win win, int code);
CO_MPI_CALL(Errhandler_free, MPI_Errhandler *handler);
CO_MPI_CALL(Error_string, int code, char *text, int *length);
CO_MPI_CALL(Error_class, int code, int *error_class);
CO_MPI_CALL(Add_error_class, int *error_class);
CO_MPI_CALL(Add_error_code, int error_class, int *code);
CO_MPI_CALL(Add_error_string, int code, const char *text);

CO_MPI_CALL(Info_create, MPI_Info *info);
CO_MPI_CALL(Info_set, MPI_Info info, const char *key, const char *value);
CO_MPI_CALL(Info_get, MPI_Info info, const char *key, int max, char *value, int *flag);
CO_MPI_CALL(Info_get_valuelen, MPI_Info info, const char *key, int *length, int *flag);
CO_MPI_CALL(Info_get_nkeys, MPI_Info info, int *n);
CO_MPI_CALL(Info_get_nthkey, MPI_Info info, int n, char *key);
CO_MPI_CALL(Info_delete, MPI_Info info, const char *key);
CO_MPI_CALL(Info_dup, MPI_Info info, MPI_Info *dup);
CO_MPI_CALL(Info_free, MPI_Info *info);

/* ---- Windows ---- */
CO_MPI_CALL(Win_create, void *base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
	    MPI_Win *win);
CO_MPI_CALL(Win_allocate, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base,
	    MPI_Win *win);
CO_MPI_CALL(Win_allocate_shared, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base,
	    MPI_Win *win);
CO_MPI_CALL(Win_shared_query, MPI_Win win, int rank, MPI_Aint *bytes, int *unit, void *base);
CO_MPI_CALL(Win_create_dynamic, MPI_Info info, MPI_Comm comm, MPI_Win *win);
CO_MPI_CALL(Win_attach, MPI_Win win, void *base, MPI_Aint bytes);
CO_MPI_CALL(Win_detach, MPI_Win win, const void *base);
CO_MPI_CALL(Win_free, MPI_Win *win);
CO_MPI_CALL(Win_get_group, MPI_Win win, MPI_Group *group);
CO_MPI_CALL(Win_set_name, MPI_Win win, const char *name);
CO_MPI_CALL(Win_get_name, MPI_Win win, char *name, int *length);
CO_MPI_CALL(Win_set_info, MPI_Win win, MPI_Info info);
CO_MPI_CALL(Win_get_info, MPI_Win win, MPI_Info *info);
CO_MPI_CALL(Win_fence, int assert, MPI_Win win);
CO_MPI_CALL(Win_post, MPI_Group group, int assert, MPI_Win win);
CO_MPI_CALL(Win_start, MPI_Group group, int assert, MPI_Win win);
CO_MPI_CALL(Win_complete, MPI_Win win);
CO_MPI_CALL(Win_wait, MPI_Win win);
CO_MPI_CALL(Win_test, MPI_Win win, int *flag);
CO_MPI_CALL(Win_lock, int kind, int rank, int assert, MPI_Win win);
CO_MPI_CALL(Win_unlock, int rank, MPI_Win win);
CO_MPI_CALL(Win_lock_all, int assert, MPI_Win win);
CO_MPI_CALL(Win_unlock_all, MPI_Win win);
CO_MPI_CALL(Win_flush, int rank, MPI_Win win);
CO_MPI_CALL(Win_flush_all, MPI_Win win);
CO_MPI_CALL(Win_flush_local, int rank, MPI_Win win);
CO_MPI_CALL(Win_flush_local_all, MPI_Win win);
CO_MPI_CALL(Win_sync, MPI_Win win);
CO_MPI_CALL(Put, const void *out, int outs, MPI_Datatype out_type, int rank, MPI_Aint at, int ins,
	    MPI_Datatype in_type, MPI_Win win);
CO_MPI_CALL(Get, void *in, int ins, MPI_Datatype in_type, int rank, MPI_Aint at, int outs,
	    MPI_Datatype out_type, MPI_Win win);
CO_MPI_CALL(Accumulate, const void *out, int outs, MPI_Datatype out_type, int rank, MPI_Aint at,
	    int ins, MPI_Datatype in_type, MPI_Op op, MPI_Win win);
CO_MPI_CALL(Get_accumulate, const void *out, int outs, MPI_Datatype out_type, void *result,
	    int results, MPI_Datatype result_type, int rank, MPI_Aint at, int ins,
	    MPI_Datatype in_type, MPI_Op op, MPI_Win win);
CO_MPI_CALL(Fetch_and_op, const void *out, void *result, MPI_Datatype type, int rank, MPI_Aint at,
	    MPI_Op op, MPI_Win win);
CO_MPI_CALL(Compare_and_swap, const void *out, const void *expected, void *result,
	    MPI_Datatype type, int rank, MPI_Aint at, MPI_Win win);
CO_MPI_CALL(Rput, const void *out, int outs, MPI_Datatype out_type, int rank, MPI_Aint at, int ins,
	    MPI_Datatype in_type, MPI_Win win, MPI_Request *request);
CO_MPI_CALL(Rget, void *in, int ins, MPI_Datatype in_type, int rank, MPI_Aint at, int outs,
	    MPI_Datatype out_type, MPI_Win win, MPI_Request *request);
CO_MPI_CALL(Raccumulate, const void *out, int outs, MPI_Datatype out_type, int rank, MPI_Aint at,
	    int ins, MPI_Datatype in_type, MPI_Op op, MPI_Win win, MPI_Request *request);
CO_MPI_CALL(Rget_accumulate, const void *out, int outs, MPI_Datatype out_type, void *result,
	    int results, MPI_Datatype result_type, int rank, MPI_Aint at, int ins,
	    MPI_Datatype in_type, MPI_Op op, MPI_Win win, MPI_Request *request);

/* ---- Until MPI 2: programs of then, and tests, have these names ---- */
CO_MPI_CALL(Address, void *where, MPI_Aint *address);
CO_MPI_CALL(Attr_put, MPI_Comm comm, int keyval, void *value);
CO_MPI_CALL(Attr_get, MPI_Comm comm, int keyval, void *value, int *flag);
CO_MPI_CALL(Attr_delete, MPI_Comm comm, int keyval);
CO_MPI_CALL(Keyval_create, MPI_Copy_function *copy, MPI_Delete_function *drop, int *keyval,
	    void *state);
CO_MPI_CALL(Keyval_free, int *keyval);
CO_MPI_CALL(Errhandler_create, MPI_Handler_function *function, MPI_Errhandler *handler);
CO_MPI_CALL(Errhandler_get, MPI_Comm comm, MPI_Errhandler *handler);
CO_MPI_CALL(Errhandler_set, MPI_Comm comm, MPI_Errhandler handler);
CO_MPI_CALL(Type_extent, MPI_Datatype type, MPI_Aint *extent);
CO_MPI_CALL(Type_lb, MPI_Datatype type, MPI_Aint *lower);
CO_MPI_CALL(Type_ub, MPI_Datatype type, MPI_Aint *upper);
CO_MPI_CALL(Type_hvector, int count, int block, MPI_Aint stride, MPI_Datatype of,
	    MPI_Datatype *type);
CO_MPI_CALL(Type_hindexed, int count, int blocks[], MPI_Aint at[], MPI_Datatype of,
	    MPI_Datatype *type);
CO_MPI_CALL(Type_struct, int count, int blocks[], MPI_Aint at[], MPI_Datatype of[],
	    MPI_Datatype *type);
/* ---- Files ---- */
CO_MPI_CALL(File_open, MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file);
CO_MPI_CALL(File_close, MPI_File *file);
CO_MPI_CALL(File_delete, const char *name, MPI_Info info);
CO_MPI_CALL(File_set_size, MPI_File file, MPI_Offset bytes);
CO_MPI_CALL(File_preallocate, MPI_File file, MPI_Offset bytes);
CO_MPI_CALL(File_get_size, MPI_File file, MPI_Offset *bytes);
CO_MPI_CALL(File_get_group, MPI_File file, MPI_Group *group);
CO_MPI_CALL(File_get_amode, MPI_File file, int *mode);
CO_MPI_CALL(File_set_info, MPI_File file, MPI_Info info);
CO_MPI_CALL(File_get_info, MPI_File file, MPI_Info *info);
CO_MPI_CALL(File_set_view, MPI_File file, MPI_Offset at, MPI_Datatype unit, MPI_Datatype type,
	    const char *representation, MPI_Info info);
CO_MPI_CALL(File_get_view, MPI_File file, MPI_Offset *at, MPI_Datatype *unit, MPI_Datatype *type,
	    char *representation);
CO_MPI_CALL(File_seek, MPI_File file, MPI_Offset offset, int whence);
CO_MPI_CALL(File_get_position, MPI_File file, MPI_Offset *offset);
CO_MPI_CALL(File_get_byte_offset, MPI_File file, MPI_Offset offset, MPI_Offset *byte);
CO_MPI_CALL(File_get_type_extent, MPI_File file, MPI_Datatype type, MPI_Aint *extent);
CO_MPI_CALL(File_set_atomicity, MPI_File file, int flag);
CO_MPI_CALL(File_get_atomicity, MPI_File file, int *flag);
CO_MPI_CALL(File_sync, MPI_File file);
CO_MPI_CALL(File_create_errhandler, MPI_File_errhandler_function *function,
	    MPI_Errhandler *handler);
CO_MPI_CALL(File_set_errhandler, MPI_File file, MPI_Errhandler handler);
CO_MPI_CALL(File_get_errhandler, MPI_File file, MPI_Errhandler *handler);
CO_MPI_CALL(File_call_errhandler, MPI_File file, int code);
CO_MPI_CALL(File_read, MPI_File file, void *buf, int count, MPI_Datatype type, MPI_Status *status);
CO_MPI_CALL(File_iread, MPI_File file, void *buf, int count, MPI_Datatype type,
	    MPI_Request *request);
CO_MPI_CALL(File_read_all, MPI_File file, void *buf, int count, MPI_Datatype type,
	    MPI_Status *status);
CO_MPI_CALL(File_iread_all, MPI_File file, void *buf, int count, MPI_Datatype type,
	    MPI_Request *request);
CO_MPI_CALL(File_read_all_begin, MPI_File file, void *buf, int count, MPI_Datatype type);
CO_MPI_CALL(File_read_all_end, MPI_File file, void *buf, MPI_Status *status);
CO_MPI_CALL(File_read_at, MPI_File file, MPI_Offset offset, void *buf, int count, MPI_Datatype type,
	    MPI_Status *status);
CO_MPI_CALL(File_iread_at, MPI_File file, MPI_Offset offset, void *buf, int count,
	    MPI_Datatype type, MPI_Request *request);
CO_MPI_CALL(File_read_at_all, MPI_File file, MPI_Offset offset, void *buf, int count,
	    MPI_Datatype type, MPI_Status *status);
CO_MPI_CALL(File_iread_at_all, MPI_File file, MPI_Offset offset, void *buf, int count,
	    MPI_Datatype type, MPI_Request *request);
CO_MPI_CALL(File_read_at_all_begin, MPI_File file, MPI_Offset offset, void *buf, int count,
	    MPI_Datatype type);
CO_MPI_CALL(File_read_at_all_end, MPI_File file, void *buf, MPI_Status *status);
CO_MPI_CALL(File_write, MPI_File file, const void *buf, int count, MPI_Datatype type,
	    MPI_Status *status);
CO_MPI_CALL(File_iwrite, MPI_File file, const void *buf, int count, MPI_Datatype type,
	    MPI_Request *request);
CO_MPI_CALL(File_write_all, MPI_File file, const void *buf, int count, MPI_Datatype type,
	    MPI_Status *status);
CO_MPI_CALL(File_iwrite_all, MPI_File file, const void *buf, int count, MPI_Datatype type,
	    MPI_Request *request);
CO_MPI_CALL(File_write_all_begin, MPI_File file, const void *buf, int count, MPI_Datatype type);
CO_MPI_CALL(File_write_all_end, MPI_File file, const void *buf, MPI_Status *status);
CO_MPI_CALL(File_write_at, MPI_File file, MPI_Offset offset, const void *buf, int count,
	    MPI_Datatype type, MPI_Status *status);
CO_MPI_CALL(File_iwrite_at, MPI_File file, MPI_Offset offset, const void *buf, int count,
	    MPI_Datatype type, MPI_Request *request);
CO_MPI_CALL(File_write_at_all, MPI_File file, MPI_Offset offset, const void *buf, int count,
	    MPI_Datatype type, MPI_Status *status);
CO_MPI_CALL(File_iwrite_at_all, MPI_File file, MPI_Offset offset, const void *buf, int count,
	    MPI_Datatype type, MPI_Request *request);
CO_MPI_CALL(File_write_at_all_begin, MPI_File file, MPI_Offset offset, const void *buf, int count,
	    MPI_Datatype type);
CO_MPI_CALL(File_write_at_all_end, MPI_File file, const void *buf, MPI_Status *status);
CO_MPI_CALL(File_read_shared, MPI_File fh, void *buf, int count, MPI_Datatype datatype,
	    MPI_Status *status);
CO_MPI_CALL(File_iread_shared, MPI_File fh, void *buf, int count, MPI_Datatype datatype,
	    MPI_Request *request);
CO_MPI_CALL(File_read_ordered, MPI_File fh, void *buf, int count, MPI_Datatype datatype,
	    MPI_Status *status);
CO_MPI_CALL(File_read_ordered_begin, MPI_File fh, void *buf, int count, MPI_Datatype datatype);
CO_MPI_CALL(File_read_ordered_end, MPI_File fh, void *buf, MPI_Status *status);
CO_MPI_CALL(File_write_shared, MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
	    MPI_Status *status);
CO_MPI_CALL(File_iwrite_shared, MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
	    MPI_Request *request);
CO_MPI_CALL(File_write_ordered, MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
	    MPI_Status *status);
CO_MPI_CALL(File_write_ordered_begin, MPI_File fh, const void *buf, int count,
	    MPI_Datatype datatype);
CO_MPI_CALL(File_write_ordered_end, MPI_File fh, const void *buf, MPI_Status *status);
CO_MPI_CALL(File_seek_shared, MPI_File fh, MPI_Offset offset, int whence);
CO_MPI_CALL(File_get_position_shared, MPI_File fh, MPI_Offset *offset);

CO_END_C
#endif
