/*
 * detail/mpi_calls.h - the functions of mpi.h, by the standard's chapters.
 *
 * Parameters have the standard's names and meaning.
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
CO_MPI_CALL(Send, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm);
CO_MPI_CALL(Bsend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm);
CO_MPI_CALL(Ssend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm);
CO_MPI_CALL(Rsend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm);
CO_MPI_CALL(Recv, void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	    MPI_Status *status);
CO_MPI_CALL(Sendrecv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
	    int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source,
	    int recvtag, MPI_Comm comm, MPI_Status *status);
CO_MPI_CALL(Sendrecv_replace, void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
	    int source, int recvtag, MPI_Comm comm, MPI_Status *status);
CO_MPI_CALL(Isend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Ibsend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Issend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Irsend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Irecv, void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
	    MPI_Request *request);
CO_MPI_CALL(Send_init, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Bsend_init, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Ssend_init, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Rsend_init, const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Recv_init, void *buf, int count, MPI_Datatype datatype, int source, int tag,
	    MPI_Comm comm, MPI_Request *request);
CO_MPI_CALL(Start, MPI_Request *request);
CO_MPI_CALL(Startall, int count, MPI_Request array_of_requests[]);
CO_MPI_CALL(Wait, MPI_Request *request, MPI_Status *status);
CO_MPI_CALL(Waitany, int count, MPI_Request array_of_requests[], int *index, MPI_Status *status);
CO_MPI_CALL(Waitall, int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]);
CO_MPI_CALL(Waitsome, int incount, MPI_Request array_of_requests[], int *outcount,
	    int array_of_indices[], MPI_Status array_of_statuses[]);
CO_MPI_CALL(Test, MPI_Request *request, int *flag, MPI_Status *status);
CO_MPI_CALL(Testany, int count, MPI_Request array_of_requests[], int *index, int *flag,
	    MPI_Status *status);
CO_MPI_CALL(Testall, int count, MPI_Request array_of_requests[], int *flag,
	    MPI_Status array_of_statuses[]);
CO_MPI_CALL(Testsome, int incount, MPI_Request array_of_requests[], int *outcount,
	    int array_of_indices[], MPI_Status array_of_statuses[]);
CO_MPI_CALL(Request_free, MPI_Request *request);
CO_MPI_CALL(Request_get_status, MPI_Request request, int *flag, MPI_Status *status);
CO_MPI_CALL(Cancel, MPI_Request *request);
CO_MPI_CALL(Test_cancelled, const MPI_Status *status, int *flag);
CO_MPI_CALL(Status_set_cancelled, MPI_Status *status, int flag);
CO_MPI_CALL(Status_set_elements, MPI_Status *status, MPI_Datatype datatype, int count);
CO_MPI_CALL(Status_set_elements_x, MPI_Status *status, MPI_Datatype datatype, MPI_Count count);
CO_MPI_CALL(Get_count, const MPI_Status *status, MPI_Datatype datatype, int *count);
CO_MPI_CALL(Get_elements, const MPI_Status *status, MPI_Datatype datatype, int *count);
CO_MPI_CALL(Get_elements_x, const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count);
CO_MPI_CALL(Probe, int source, int tag, MPI_Comm comm, MPI_Status *status);
CO_MPI_CALL(Iprobe, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
CO_MPI_CALL(Mprobe, int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
CO_MPI_CALL(Improbe, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
	    MPI_Status *status);
CO_MPI_CALL(Mrecv, void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
	    MPI_Status *status);
CO_MPI_CALL(Imrecv, void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
	    MPI_Request *request);
CO_MPI_CALL(Buffer_attach, void *buffer, int size);
CO_MPI_CALL(Buffer_detach, void *buffer_addr, int *size);
CO_MPI_CALL(Grequest_start, MPI_Grequest_query_function *query_fn,
	    MPI_Grequest_free_function *free_fn, MPI_Grequest_cancel_function *cancel_fn,
	    void *extra_state, MPI_Request *request);
CO_MPI_CALL(Grequest_complete, MPI_Request request);

/* ---- Datatypes ---- */
CO_MPI_CALL(Type_contiguous, int count, MPI_Datatype oldtype, MPI_Datatype *newtype);
CO_MPI_CALL(Type_vector, int count, int blocklength, int stride, MPI_Datatype oldtype,
	    MPI_Datatype *newtype);
CO_MPI_CALL(Type_create_hvector, int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
	    MPI_Datatype *newtype);
CO_MPI_CALL(Type_indexed, int count, const int array_of_blocklengths[],
	    const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype);
CO_MPI_CALL(Type_create_hindexed, int count, const int array_of_blocklengths[],
	    const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype);
CO_MPI_CALL(Type_create_indexed_block, int count, int blocklength,
	    const int array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype);
CO_MPI_CALL(Type_create_hindexed_block, int count, int blocklength,
	    const MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype);
CO_MPI_CALL(Type_create_struct, int count, const int array_of_blocklengths[],
	    const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[],
	    MPI_Datatype *newtype);
CO_MPI_CALL(Type_create_subarray, int ndims, const int array_of_sizes[],
	    const int array_of_subsizes[], const int array_of_starts[], int order,
	    MPI_Datatype oldtype, MPI_Datatype *newtype);
CO_MPI_CALL(Type_create_darray, int size, int rank, int ndims, const int array_of_gsizes[],
	    const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[],
	    int order, MPI_Datatype oldtype, MPI_Datatype *newtype);
CO_MPI_CALL(Type_create_resized, MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
	    MPI_Datatype *newtype);
CO_MPI_CALL(Type_dup, MPI_Datatype oldtype, MPI_Datatype *newtype);
CO_MPI_CALL(Type_commit, MPI_Datatype *datatype);
CO_MPI_CALL(Type_free, MPI_Datatype *datatype);
CO_MPI_CALL(Type_size, MPI_Datatype datatype, int *size);
CO_MPI_CALL(Type_size_x, MPI_Datatype datatype, MPI_Count *size);
CO_MPI_CALL(Type_get_extent, MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent);
CO_MPI_CALL(Type_get_extent_x, MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent);
CO_MPI_CALL(Type_get_true_extent, MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent);
CO_MPI_CALL(Type_get_true_extent_x, MPI_Datatype datatype, MPI_Count *true_lb,
	    MPI_Count *true_extent);
CO_MPI_CALL(Type_get_envelope, MPI_Datatype datatype, int *num_integers, int *num_addresses,
	    int *num_datatypes, int *combiner);
CO_MPI_CALL(Type_get_contents, MPI_Datatype datatype, int max_integers, int max_addresses,
	    int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[],
	    MPI_Datatype array_of_datatypes[]);
CO_MPI_CALL(Type_match_size, int typeclass, int size, MPI_Datatype *datatype);
CO_MPI_CALL(Type_set_name, MPI_Datatype datatype, const char *type_name);
CO_MPI_CALL(Type_get_name, MPI_Datatype datatype, char *type_name, int *resultlen);
CO_MPI_CALL(Get_address, const void *location, MPI_Aint *address);
CO_MPI_CALL(Pack, const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
	    int *position, MPI_Comm comm);
CO_MPI_CALL(Unpack, const void *inbuf, int insize, int *position, void *outbuf, int outcount,
	    MPI_Datatype datatype, MPI_Comm comm);
CO_MPI_CALL(Pack_size, int incount, MPI_Datatype datatype, MPI_Comm comm, int *size);
CO_MPI_CALL(Pack_external, const char *datarep, const void *inbuf, int incount,
	    MPI_Datatype datatype, void *outbuf, MPI_Aint outsize, MPI_Aint *position);
CO_MPI_CALL(Unpack_external, const char *datarep, const void *inbuf, MPI_Aint insize,
	    MPI_Aint *position, void *outbuf, int outcount, MPI_Datatype datatype);
CO_MPI_CALL(Pack_external_size, const char *datarep, int incount, MPI_Datatype datatype,
	    MPI_Aint *size);
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
CO_MPI_COLLECTIVE(Bcast, Ibcast, void *buffer, int count, MPI_Datatype datatype, int root,
		  MPI_Comm comm);
CO_MPI_COLLECTIVE(Gather, Igather, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		  void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
CO_MPI_COLLECTIVE(Gatherv, Igatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		  void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype,
		  int root, MPI_Comm comm);
CO_MPI_COLLECTIVE(Scatter, Iscatter, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		  void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
CO_MPI_COLLECTIVE(Scatterv, Iscatterv, const void *sendbuf, const int sendcounts[],
		  const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
		  MPI_Datatype recvtype, int root, MPI_Comm comm);
CO_MPI_COLLECTIVE(Allgather, Iallgather, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		  void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
CO_MPI_COLLECTIVE(Allgatherv, Iallgatherv, const void *sendbuf, int sendcount,
		  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
		  MPI_Datatype recvtype, MPI_Comm comm);
CO_MPI_COLLECTIVE(Alltoall, Ialltoall, const void *sendbuf, int sendcount, MPI_Datatype sendtype,
		  void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm);
CO_MPI_COLLECTIVE(Alltoallv, Ialltoallv, const void *sendbuf, const int sendcounts[],
		  const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
		  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
CO_MPI_COLLECTIVE(Alltoallw, Ialltoallw, const void *sendbuf, const int sendcounts[],
		  const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
		  const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
		  MPI_Comm comm);
CO_MPI_COLLECTIVE(Reduce, Ireduce, const void *sendbuf, void *recvbuf, int count,
		  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm);
CO_MPI_COLLECTIVE(Allreduce, Iallreduce, const void *sendbuf, void *recvbuf, int count,
		  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
CO_MPI_COLLECTIVE(Reduce_scatter, Ireduce_scatter, const void *sendbuf, void *recvbuf,
		  const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
CO_MPI_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, const void *sendbuf, void *recvbuf,
		  int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
CO_MPI_COLLECTIVE(Scan, Iscan, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
		  MPI_Op op, MPI_Comm comm);
CO_MPI_COLLECTIVE(Exscan, Iexscan, const void *sendbuf, void *recvbuf, int count,
		  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
CO_MPI_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, const void *sendbuf, int sendcount,
		  MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
		  MPI_Comm comm);
CO_MPI_COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, const void *sendbuf, int sendcount,
		  MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
		  MPI_Datatype recvtype, MPI_Comm comm);
CO_MPI_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, const void *sendbuf, int sendcount,
		  MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
		  MPI_Comm comm);
CO_MPI_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, const void *sendbuf,
		  const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
		  const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
		  MPI_Comm comm);
CO_MPI_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, const void *sendbuf,
		  const int sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
		  void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
		  const MPI_Datatype recvtypes[], MPI_Comm comm);
CO_MPI_CALL(Op_create, MPI_User_function *user_fn, int commute, MPI_Op *op);
CO_MPI_CALL(Op_free, MPI_Op *op);
CO_MPI_CALL(Op_commutative, MPI_Op op, int *commute);
CO_MPI_CALL(Reduce_local, const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype,
	    MPI_Op op);

/* ---- Groups, communicators, attributes ---- */
CO_MPI_CALL(Group_size, MPI_Group group, int *size);
CO_MPI_CALL(Group_rank, MPI_Group group, int *rank);
CO_MPI_CALL(Group_translate_ranks, MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
	    int ranks2[]);
CO_MPI_CALL(Group_compare, MPI_Group group1, MPI_Group group2, int *result);
CO_MPI_CALL(Group_union, MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);
CO_MPI_CALL(Group_intersection, MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);
CO_MPI_CALL(Group_difference, MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);
CO_MPI_CALL(Group_incl, MPI_Group group, int n, const int ranks[], MPI_Group *newgroup);
CO_MPI_CALL(Group_excl, MPI_Group group, int n, const int ranks[], MPI_Group *newgroup);
CO_MPI_CALL(Group_range_incl, MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup);
CO_MPI_CALL(Group_range_excl, MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup);
CO_MPI_CALL(Group_free, MPI_Group *group);
CO_MPI_CALL(Comm_size, MPI_Comm comm, int *size);
CO_MPI_CALL(Comm_rank, MPI_Comm comm, int *rank);
CO_MPI_CALL(Comm_compare, MPI_Comm comm1, MPI_Comm comm2, int *result);
CO_MPI_CALL(Comm_dup, MPI_Comm comm, MPI_Comm *newcomm);
CO_MPI_CALL(Comm_dup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm);
CO_MPI_CALL(Comm_idup, MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request);
CO_MPI_CALL(Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm);
CO_MPI_CALL(Comm_create_group, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm);
CO_MPI_CALL(Comm_split, MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
CO_MPI_CALL(Comm_split_type, MPI_Comm comm, int split_type, int key, MPI_Info info,
	    MPI_Comm *newcomm);
CO_MPI_CALL(Comm_free, MPI_Comm *comm);
CO_MPI_CALL(Comm_disconnect, MPI_Comm *comm);
CO_MPI_CALL(Comm_group, MPI_Comm comm, MPI_Group *group);
CO_MPI_CALL(Comm_test_inter, MPI_Comm comm, int *flag);
CO_MPI_CALL(Comm_remote_size, MPI_Comm comm, int *size);
CO_MPI_CALL(Comm_remote_group, MPI_Comm comm, MPI_Group *group);
CO_MPI_CALL(Intercomm_create, MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
	    int remote_leader, int tag, MPI_Comm *newintercomm);
CO_MPI_CALL(Intercomm_merge, MPI_Comm intercomm, int high, MPI_Comm *newintracomm);
CO_MPI_CALL(Comm_set_name, MPI_Comm comm, const char *comm_name);
CO_MPI_CALL(Comm_get_name, MPI_Comm comm, char *comm_name, int *resultlen);
CO_MPI_CALL(Comm_set_info, MPI_Comm comm, MPI_Info info);
CO_MPI_CALL(Comm_get_info, MPI_Comm comm, MPI_Info *info_used);

CO_MPI_CALL(Comm_create_keyval, MPI_Comm_copy_attr_function *comm_copy_attr_fn,
	    MPI_Comm_delete_attr_function *comm_delete_attr_fn, int *comm_keyval,
	    void *extra_state);
CO_MPI_CALL(Comm_free_keyval, int *comm_keyval);
CO_MPI_CALL(Comm_set_attr, MPI_Comm comm, int comm_keyval, void *attribute_val);
CO_MPI_CALL(Comm_get_attr, MPI_Comm comm, int comm_keyval, void *attribute_val, int *flag);
CO_MPI_CALL(Comm_delete_attr, MPI_Comm comm, int comm_keyval);
CO_MPI_CALL(Type_create_keyval, MPI_Type_copy_attr_function *type_copy_attr_fn,
	    MPI_Type_delete_attr_function *type_delete_attr_fn, int *type_keyval,
	    void *extra_state);
CO_MPI_CALL(Type_free_keyval, int *type_keyval);
CO_MPI_CALL(Type_set_attr, MPI_Datatype datatype, int type_keyval, void *attribute_val);
CO_MPI_CALL(Type_get_attr, MPI_Datatype datatype, int type_keyval, void *attribute_val, int *flag);
CO_MPI_CALL(Type_delete_attr, MPI_Datatype datatype, int type_keyval);
CO_MPI_CALL(Win_create_keyval, MPI_Win_copy_attr_function *win_copy_attr_fn,
	    MPI_Win_delete_attr_function *win_delete_attr_fn, int *win_keyval, void *extra_state);
CO_MPI_CALL(Win_free_keyval, int *win_keyval);
CO_MPI_CALL(Win_set_attr, MPI_Win win, int win_keyval, void *attribute_val);
CO_MPI_CALL(Win_get_attr, MPI_Win win, int win_keyval, void *attribute_val, int *flag);
CO_MPI_CALL(Win_delete_attr, MPI_Win win, int win_keyval);

/* ---- Topologies ---- */
CO_MPI_CALL(Dims_create, int nnodes, int ndims, int dims[]);
CO_MPI_CALL(Cart_create, MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
	    int reorder, MPI_Comm *comm_cart);
CO_MPI_CALL(Cartdim_get, MPI_Comm comm, int *ndims);
CO_MPI_CALL(Cart_get, MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]);
CO_MPI_CALL(Cart_rank, MPI_Comm comm, const int coords[], int *rank);
CO_MPI_CALL(Cart_coords, MPI_Comm comm, int rank, int maxdims, int coords[]);
CO_MPI_CALL(Cart_shift, MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest);
CO_MPI_CALL(Cart_sub, MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm);
CO_MPI_CALL(Cart_map, MPI_Comm comm, int ndims, const int dims[], const int periods[],
	    int *newrank);
CO_MPI_CALL(Graph_create, MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
	    int reorder, MPI_Comm *comm_graph);
CO_MPI_CALL(Graphdims_get, MPI_Comm comm, int *nnodes, int *nedges);
CO_MPI_CALL(Graph_get, MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]);
CO_MPI_CALL(Graph_neighbors_count, MPI_Comm comm, int rank, int *nneighbors);
CO_MPI_CALL(Graph_neighbors, MPI_Comm comm, int rank, int maxneighbors, int neighbors[]);
CO_MPI_CALL(Graph_map, MPI_Comm comm, int nnodes, const int index[], const int edges[],
	    int *newrank);
CO_MPI_CALL(Dist_graph_create, MPI_Comm comm_old, int n, const int sources[], const int degrees[],
	    const int destinations[], const int weights[], MPI_Info info, int reorder,
	    MPI_Comm *comm_dist_graph);
CO_MPI_CALL(Dist_graph_create_adjacent, MPI_Comm comm_old, int indegree, const int sources[],
	    const int sourceweights[], int outdegree, const int destinations[],
	    const int destweights[], MPI_Info info, int reorder, MPI_Comm *comm_dist_graph);
CO_MPI_CALL(Dist_graph_neighbors_count, MPI_Comm comm, int *indegree, int *outdegree,
	    int *weighted);
CO_MPI_CALL(Dist_graph_neighbors, MPI_Comm comm, int maxindegree, int sources[],
	    int sourceweights[], int maxoutdegree, int destinations[], int destweights[]);
CO_MPI_CALL(Topo_test, MPI_Comm comm, int *status);

/* ---- Environment, errors, info ---- */
CO_MPI_CALL(Init, int *argc, char ***argv);
CO_MPI_CALL(Init_thread, int *argc, char ***argv, int required, int *provided);
CO_MPI_CALL(Initialized, int *flag);
CO_MPI_CALL(Finalize, void);
CO_MPI_CALL(Finalized, int *flag);
CO_MPI_CALL(Query_thread, int *provided);
CO_MPI_CALL(Is_thread_main, int *flag);
CO_MPI_CALL(Abort, MPI_Comm comm, int errorcode);
CO_MPI_CALL(Get_version, int *version, int *subversion);
CO_MPI_CALL(Get_library_version, char *version, int *resultlen);
CO_MPI_CALL(Get_processor_name, char *name, int *resultlen);
CO_MPI_CALL(Alloc_mem, MPI_Aint size, MPI_Info info, void *baseptr);
CO_MPI_CALL(Free_mem, void *base);
CO_MPI_CALL(Pcontrol, const int level, ...);
double MPI_Wtime(void);
double PMPI_Wtime(void);
double MPI_Wtick(void);
double PMPI_Wtick(void);

CO_MPI_CALL(Comm_create_errhandler, MPI_Comm_errhandler_function *comm_errhandler_fn,
	    MPI_Errhandler *errhandler);
CO_MPI_CALL(Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler errhandler);
CO_MPI_CALL(Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler *errhandler);
CO_MPI_CALL(Comm_call_errhandler, MPI_Comm comm, int errorcode);
CO_MPI_CALL(Win_create_errhandler, MPI_Win_errhandler_function *win_errhandler_fn,
	    MPI_Errhandler *errhandler);
CO_MPI_CALL(Win_set_errhandler, MPI_Win win, MPI_Errhandler errhandler);
CO_MPI_CALL(Win_get_errhandler, MPI_Win win, MPI_Errhandler *errhandler);
CO_MPI_CALL(Win_call_errhandler, MPI_Win win, int errorcode);
CO_MPI_CALL(Errhandler_free, MPI_Errhandler *errhandler);
CO_MPI_CALL(Error_string, int errorcode, char *string, int *resultlen);
CO_MPI_CALL(Error_class, int errorcode, int *errorclass);
CO_MPI_CALL(Add_error_class, int *errorclass);
CO_MPI_CALL(Add_error_code, int errorclass, int *errorcode);
CO_MPI_CALL(Add_error_string, int errorcode, const char *string);

CO_MPI_CALL(Info_create, MPI_Info *info);
CO_MPI_CALL(Info_set, MPI_Info info, const char *key, const char *value);
CO_MPI_CALL(Info_get, MPI_Info info, const char *key, int valuelen, char *value, int *flag);
CO_MPI_CALL(Info_get_valuelen, MPI_Info info, const char *key, int *valuelen, int *flag);
CO_MPI_CALL(Info_get_nkeys, MPI_Info info, int *nkeys);
CO_MPI_CALL(Info_get_nthkey, MPI_Info info, int n, char *key);
CO_MPI_CALL(Info_delete, MPI_Info info, const char *key);
CO_MPI_CALL(Info_dup, MPI_Info info, MPI_Info *newinfo);
CO_MPI_CALL(Info_free, MPI_Info *info);

/* ---- Windows ---- */
CO_MPI_CALL(Win_create, void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
	    MPI_Win *win);
CO_MPI_CALL(Win_allocate, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
	    MPI_Win *win);
CO_MPI_CALL(Win_allocate_shared, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
	    void *baseptr, MPI_Win *win);
CO_MPI_CALL(Win_shared_query, MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr);
CO_MPI_CALL(Win_create_dynamic, MPI_Info info, MPI_Comm comm, MPI_Win *win);
CO_MPI_CALL(Win_attach, MPI_Win win, void *base, MPI_Aint size);
CO_MPI_CALL(Win_detach, MPI_Win win, const void *base);
CO_MPI_CALL(Win_free, MPI_Win *win);
CO_MPI_CALL(Win_get_group, MPI_Win win, MPI_Group *group);
CO_MPI_CALL(Win_set_name, MPI_Win win, const char *win_name);
CO_MPI_CALL(Win_get_name, MPI_Win win, char *win_name, int *resultlen);
CO_MPI_CALL(Win_set_info, MPI_Win win, MPI_Info info);
CO_MPI_CALL(Win_get_info, MPI_Win win, MPI_Info *info_used);
CO_MPI_CALL(Win_fence, int assert, MPI_Win win);
CO_MPI_CALL(Win_post, MPI_Group group, int assert, MPI_Win win);
CO_MPI_CALL(Win_start, MPI_Group group, int assert, MPI_Win win);
CO_MPI_CALL(Win_complete, MPI_Win win);
CO_MPI_CALL(Win_wait, MPI_Win win);
CO_MPI_CALL(Win_test, MPI_Win win, int *flag);
CO_MPI_CALL(Win_lock, int lock_type, int rank, int assert, MPI_Win win);
CO_MPI_CALL(Win_unlock, int rank, MPI_Win win);
CO_MPI_CALL(Win_lock_all, int assert, MPI_Win win);
CO_MPI_CALL(Win_unlock_all, MPI_Win win);
CO_MPI_CALL(Win_flush, int rank, MPI_Win win);
CO_MPI_CALL(Win_flush_all, MPI_Win win);
CO_MPI_CALL(Win_flush_local, int rank, MPI_Win win);
CO_MPI_CALL(Win_flush_local_all, MPI_Win win);
CO_MPI_CALL(Win_sync, MPI_Win win);
CO_MPI_CALL(Put, const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	    MPI_Win win);
CO_MPI_CALL(Get, void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
	    MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win);
CO_MPI_CALL(Accumulate, const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	    MPI_Op op, MPI_Win win);
CO_MPI_CALL(Get_accumulate, const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	    void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
	    MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
	    MPI_Win win);
CO_MPI_CALL(Fetch_and_op, const void *origin_addr, void *result_addr, MPI_Datatype datatype,
	    int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win);
CO_MPI_CALL(Compare_and_swap, const void *origin_addr, const void *compare_addr, void *result_addr,
	    MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win);
CO_MPI_CALL(Rput, const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	    MPI_Win win, MPI_Request *request);
CO_MPI_CALL(Rget, void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	    MPI_Win win, MPI_Request *request);
CO_MPI_CALL(Raccumulate, const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	    MPI_Op op, MPI_Win win, MPI_Request *request);
CO_MPI_CALL(Rget_accumulate, const void *origin_addr, int origin_count,
	    MPI_Datatype origin_datatype, void *result_addr, int result_count,
	    MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp, int target_count,
	    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request);

/* ---- Until MPI 2: programs of then, and tests, have these names ---- */
CO_MPI_CALL(Address, void *location, MPI_Aint *address);
CO_MPI_CALL(Attr_put, MPI_Comm comm, int keyval, void *attribute_val);
CO_MPI_CALL(Attr_get, MPI_Comm comm, int keyval, void *attribute_val, int *flag);
CO_MPI_CALL(Attr_delete, MPI_Comm comm, int keyval);
CO_MPI_CALL(Keyval_create, MPI_Copy_function *copy_fn, MPI_Delete_function *delete_fn, int *keyval,
	    void *extra_state);
CO_MPI_CALL(Keyval_free, int *keyval);
CO_MPI_CALL(Errhandler_create, MPI_Handler_function *handler_fn, MPI_Errhandler *errhandler);
CO_MPI_CALL(Errhandler_get, MPI_Comm comm, MPI_Errhandler *errhandler);
CO_MPI_CALL(Errhandler_set, MPI_Comm comm, MPI_Errhandler errhandler);
CO_MPI_CALL(Type_extent, MPI_Datatype datatype, MPI_Aint *extent);
CO_MPI_CALL(Type_lb, MPI_Datatype datatype, MPI_Aint *displacement);
CO_MPI_CALL(Type_ub, MPI_Datatype datatype, MPI_Aint *displacement);
CO_MPI_CALL(Type_hvector, int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
	    MPI_Datatype *newtype);
CO_MPI_CALL(Type_hindexed, int count, int array_of_blocklengths[],
	    MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype);
CO_MPI_CALL(Type_struct, int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
	    MPI_Datatype array_of_types[], MPI_Datatype *newtype);
/* ---- Files ---- */
CO_MPI_CALL(File_open, MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh);
CO_MPI_CALL(File_close, MPI_File *fh);
CO_MPI_CALL(File_delete, const char *filename, MPI_Info info);
CO_MPI_CALL(File_set_size, MPI_File fh, MPI_Offset size);
CO_MPI_CALL(File_preallocate, MPI_File fh, MPI_Offset size);
CO_MPI_CALL(File_get_size, MPI_File fh, MPI_Offset *size);
CO_MPI_CALL(File_get_group, MPI_File fh, MPI_Group *group);
CO_MPI_CALL(File_get_amode, MPI_File fh, int *amode);
CO_MPI_CALL(File_set_info, MPI_File fh, MPI_Info info);
CO_MPI_CALL(File_get_info, MPI_File fh, MPI_Info *info_used);
CO_MPI_CALL(File_set_view, MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
	    const char *datarep, MPI_Info info);
CO_MPI_CALL(File_get_view, MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype,
	    MPI_Datatype *filetype, char *datarep);
CO_MPI_CALL(File_seek, MPI_File fh, MPI_Offset offset, int whence);
CO_MPI_CALL(File_get_position, MPI_File fh, MPI_Offset *offset);
CO_MPI_CALL(File_get_byte_offset, MPI_File fh, MPI_Offset offset, MPI_Offset *disp);
CO_MPI_CALL(File_get_type_extent, MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent);
CO_MPI_CALL(File_set_atomicity, MPI_File fh, int flag);
CO_MPI_CALL(File_get_atomicity, MPI_File fh, int *flag);
CO_MPI_CALL(File_sync, MPI_File fh);
CO_MPI_CALL(File_create_errhandler, MPI_File_errhandler_function *file_errhandler_fn,
	    MPI_Errhandler *errhandler);
CO_MPI_CALL(File_set_errhandler, MPI_File file, MPI_Errhandler errhandler);
CO_MPI_CALL(File_get_errhandler, MPI_File file, MPI_Errhandler *errhandler);
CO_MPI_CALL(File_call_errhandler, MPI_File fh, int errorcode);
CO_MPI_CALL(File_read, MPI_File fh, void *buf, int count, MPI_Datatype datatype,
	    MPI_Status *status);
CO_MPI_CALL(File_iread, MPI_File fh, void *buf, int count, MPI_Datatype datatype,
	    MPI_Request *request);
CO_MPI_CALL(File_read_all, MPI_File fh, void *buf, int count, MPI_Datatype datatype,
	    MPI_Status *status);
CO_MPI_CALL(File_iread_all, MPI_File fh, void *buf, int count, MPI_Datatype datatype,
	    MPI_Request *request);
CO_MPI_CALL(File_read_all_begin, MPI_File fh, void *buf, int count, MPI_Datatype datatype);
CO_MPI_CALL(File_read_all_end, MPI_File fh, void *buf, MPI_Status *status);
CO_MPI_CALL(File_read_at, MPI_File fh, MPI_Offset offset, void *buf, int count,
	    MPI_Datatype datatype, MPI_Status *status);
CO_MPI_CALL(File_iread_at, MPI_File fh, MPI_Offset offset, void *buf, int count,
	    MPI_Datatype datatype, MPI_Request *request);
CO_MPI_CALL(File_read_at_all, MPI_File fh, MPI_Offset offset, void *buf, int count,
	    MPI_Datatype datatype, MPI_Status *status);
CO_MPI_CALL(File_iread_at_all, MPI_File fh, MPI_Offset offset, void *buf, int count,
	    MPI_Datatype datatype, MPI_Request *request);
CO_MPI_CALL(File_read_at_all_begin, MPI_File fh, MPI_Offset offset, void *buf, int count,
	    MPI_Datatype datatype);
CO_MPI_CALL(File_read_at_all_end, MPI_File fh, void *buf, MPI_Status *status);
CO_MPI_CALL(File_write, MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
	    MPI_Status *status);
CO_MPI_CALL(File_iwrite, MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
	    MPI_Request *request);
CO_MPI_CALL(File_write_all, MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
	    MPI_Status *status);
CO_MPI_CALL(File_iwrite_all, MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
	    MPI_Request *request);
CO_MPI_CALL(File_write_all_begin, MPI_File fh, const void *buf, int count, MPI_Datatype datatype);
CO_MPI_CALL(File_write_all_end, MPI_File fh, const void *buf, MPI_Status *status);
CO_MPI_CALL(File_write_at, MPI_File fh, MPI_Offset offset, const void *buf, int count,
	    MPI_Datatype datatype, MPI_Status *status);
CO_MPI_CALL(File_iwrite_at, MPI_File fh, MPI_Offset offset, const void *buf, int count,
	    MPI_Datatype datatype, MPI_Request *request);
CO_MPI_CALL(File_write_at_all, MPI_File fh, MPI_Offset offset, const void *buf, int count,
	    MPI_Datatype datatype, MPI_Status *status);
CO_MPI_CALL(File_iwrite_at_all, MPI_File fh, MPI_Offset offset, const void *buf, int count,
	    MPI_Datatype datatype, MPI_Request *request);
CO_MPI_CALL(File_write_at_all_begin, MPI_File fh, MPI_Offset offset, const void *buf, int count,
	    MPI_Datatype datatype);
CO_MPI_CALL(File_write_at_all_end, MPI_File fh, const void *buf, MPI_Status *status);
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
