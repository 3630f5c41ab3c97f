/*
 * mpi.h - MPI 3.1 for C, on the ranks of an image of processes (cohart/process.h, docs/mpi.md).
 *
 * The standard (mpi-forum.org) describes the functions. Each also has its profiling name, PMPI_...;
 * a function that is not declared here does not exist, and a call of it does not link. Dynamic
 * processes, MPI_T and Fortran are missing.
 *
 * Context: a rank's main(), or coroutines of its hart that call one at a time (FUNNELED).
 */
#ifndef COHART_MPI_H
#define COHART_MPI_H

#include <stddef.h>
#include <stdint.h>

#include <cohart/detail/base.h>

CO_BEGIN_C

#define MPI_VERSION 3
#define MPI_SUBVERSION 1

typedef intptr_t MPI_Aint;
typedef long long MPI_Count;
typedef long long MPI_Offset;
typedef int MPI_Fint;

/* Handles point to the library's objects; a null handle is a null pointer. */
typedef struct co_mpi_comm *MPI_Comm;
typedef struct co_mpi_group *MPI_Group;
typedef struct co_mpi_type *MPI_Datatype;
typedef struct co_mpi_op *MPI_Op;
typedef struct co_mpi_request *MPI_Request;
typedef struct co_mpi_matched *MPI_Message;
typedef struct co_mpi_errhandler *MPI_Errhandler;
typedef struct co_mpi_info *MPI_Info;
typedef struct co_mpi_win *MPI_Win;
typedef struct co_mpi_file *MPI_File;

typedef struct co_mpi_status {
	int MPI_SOURCE, MPI_TAG, MPI_ERROR;
	int cancelled;   /* from here on the library's */
	MPI_Count bytes; /* as many as were received */
} MPI_Status;

#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_ARGV_NULL ((char **)0)
#define MPI_ARGVS_NULL ((char ***)0)
#define MPI_BOTTOM ((void *)0)
#define MPI_IN_PLACE ((void *)-1)
#define MPI_UNWEIGHTED ((int *)-1)
#define MPI_WEIGHTS_EMPTY ((int *)-2)

#define MPI_ANY_SOURCE (-1)
#define MPI_PROC_NULL (-2)
#define MPI_ROOT (-3)
#define MPI_UNDEFINED (-32766)
#define MPI_ANY_TAG (-1)
#define MPI_KEYVAL_INVALID 0
#define MPI_BSEND_OVERHEAD 64

#define MPI_MAX_PROCESSOR_NAME 64
#define MPI_MAX_LIBRARY_VERSION_STRING 128
#define MPI_MAX_ERROR_STRING 256
#define MPI_MAX_OBJECT_NAME 64
#define MPI_MAX_INFO_KEY 255
#define MPI_MAX_INFO_VAL 1024
#define MPI_MAX_PORT_NAME 64
#define MPI_MAX_DATAREP_STRING 32

#define MPI_THREAD_SINGLE 0
#define MPI_THREAD_FUNNELED 1
#define MPI_THREAD_SERIALIZED 2
#define MPI_THREAD_MULTIPLE 3

/* Results of MPI_Comm_compare() and its kin, MPI_Topo_test(), MPI_Comm_split_type(). */
#define MPI_IDENT 0
#define MPI_CONGRUENT 1
#define MPI_SIMILAR 2
#define MPI_UNEQUAL 3
#define MPI_GRAPH 1
#define MPI_CART 2
#define MPI_DIST_GRAPH 3
#define MPI_COMM_TYPE_SHARED 1

/* Error classes. */
#define MPI_SUCCESS 0
#define MPI_ERR_BUFFER 1
#define MPI_ERR_COUNT 2
#define MPI_ERR_TYPE 3
#define MPI_ERR_TAG 4
#define MPI_ERR_COMM 5
#define MPI_ERR_RANK 6
#define MPI_ERR_REQUEST 7
#define MPI_ERR_ROOT 8
#define MPI_ERR_GROUP 9
#define MPI_ERR_OP 10
#define MPI_ERR_TOPOLOGY 11
#define MPI_ERR_DIMS 12
#define MPI_ERR_ARG 13
#define MPI_ERR_UNKNOWN 14
#define MPI_ERR_TRUNCATE 15
#define MPI_ERR_OTHER 16
#define MPI_ERR_INTERN 17
#define MPI_ERR_PENDING 18
#define MPI_ERR_IN_STATUS 19
#define MPI_ERR_ACCESS 20
#define MPI_ERR_AMODE 21
#define MPI_ERR_ASSERT 22
#define MPI_ERR_BAD_FILE 23
#define MPI_ERR_BASE 24
#define MPI_ERR_CONVERSION 25
#define MPI_ERR_DISP 26
#define MPI_ERR_DUP_DATAREP 27
#define MPI_ERR_FILE_EXISTS 28
#define MPI_ERR_FILE_IN_USE 29
#define MPI_ERR_FILE 30
#define MPI_ERR_INFO_KEY 31
#define MPI_ERR_INFO_NOKEY 32
#define MPI_ERR_INFO_VALUE 33
#define MPI_ERR_INFO 34
#define MPI_ERR_IO 35
#define MPI_ERR_KEYVAL 36
#define MPI_ERR_LOCKTYPE 37
#define MPI_ERR_NAME 38
#define MPI_ERR_NO_MEM 39
#define MPI_ERR_NOT_SAME 40
#define MPI_ERR_NO_SPACE 41
#define MPI_ERR_NO_SUCH_FILE 42
#define MPI_ERR_PORT 43
#define MPI_ERR_QUOTA 44
#define MPI_ERR_READ_ONLY 45
#define MPI_ERR_RMA_ATTACH 46
#define MPI_ERR_RMA_CONFLICT 47
#define MPI_ERR_RMA_RANGE 48
#define MPI_ERR_RMA_SHARED 49
#define MPI_ERR_RMA_SYNC 50
#define MPI_ERR_RMA_FLAVOR 51
#define MPI_ERR_SERVICE 52
#define MPI_ERR_SIZE 53
#define MPI_ERR_SPAWN 54
#define MPI_ERR_UNSUPPORTED_DATAREP 55
#define MPI_ERR_UNSUPPORTED_OPERATION 56
#define MPI_ERR_WIN 57
#define MPI_ERR_LASTCODE 127

/* Predefined objects: the address of `what` is the handle. */
#define CO_MPI_OBJECT(kind, what) extern struct co_mpi_##kind co_mpi_##what
CO_MPI_OBJECT(comm, world);
CO_MPI_OBJECT(comm, self);
CO_MPI_OBJECT(group, empty);
CO_MPI_OBJECT(errhandler, fatal);
CO_MPI_OBJECT(errhandler, errors_return);
CO_MPI_OBJECT(matched, no_proc);
CO_MPI_OBJECT(info, env);

#define MPI_COMM_NULL ((MPI_Comm)0)
#define MPI_COMM_WORLD (&co_mpi_world)
#define MPI_COMM_SELF (&co_mpi_self)
#define MPI_GROUP_NULL ((MPI_Group)0)
#define MPI_GROUP_EMPTY (&co_mpi_empty)
#define MPI_REQUEST_NULL ((MPI_Request)0)
#define MPI_MESSAGE_NULL ((MPI_Message)0)
#define MPI_MESSAGE_NO_PROC (&co_mpi_no_proc)
#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0)
#define MPI_ERRORS_ARE_FATAL (&co_mpi_fatal)
#define MPI_ERRORS_RETURN (&co_mpi_errors_return)
#define MPI_INFO_NULL ((MPI_Info)0)
#define MPI_INFO_ENV (&co_mpi_env)
#define MPI_WIN_NULL ((MPI_Win)0)
#define MPI_FILE_NULL ((MPI_File)0)

/* Predefined attributes. */
#define MPI_TAG_UB 1
#define MPI_HOST 2
#define MPI_IO 3
#define MPI_WTIME_IS_GLOBAL 4
#define MPI_UNIVERSE_SIZE 5
#define MPI_APPNUM 6
#define MPI_LASTUSEDCODE 7
#define MPI_WIN_BASE 8
#define MPI_WIN_SIZE 9
#define MPI_WIN_DISP_UNIT 10
#define MPI_WIN_CREATE_FLAVOR 11
#define MPI_WIN_MODEL 12

/* ---- Datatypes ---- */
CO_MPI_OBJECT(type, char);
CO_MPI_OBJECT(type, signed_char);
CO_MPI_OBJECT(type, unsigned_char);
CO_MPI_OBJECT(type, byte);
CO_MPI_OBJECT(type, wchar);
CO_MPI_OBJECT(type, short);
CO_MPI_OBJECT(type, unsigned_short);
CO_MPI_OBJECT(type, int);
CO_MPI_OBJECT(type, unsigned);
CO_MPI_OBJECT(type, long);
CO_MPI_OBJECT(type, unsigned_long);
CO_MPI_OBJECT(type, long_long);
CO_MPI_OBJECT(type, unsigned_long_long);
CO_MPI_OBJECT(type, float);
CO_MPI_OBJECT(type, double);
CO_MPI_OBJECT(type, long_double);
CO_MPI_OBJECT(type, int8);
CO_MPI_OBJECT(type, int16);
CO_MPI_OBJECT(type, int32);
CO_MPI_OBJECT(type, int64);
CO_MPI_OBJECT(type, uint8);
CO_MPI_OBJECT(type, uint16);
CO_MPI_OBJECT(type, uint32);
CO_MPI_OBJECT(type, uint64);
CO_MPI_OBJECT(type, c_bool);
CO_MPI_OBJECT(type, c_float_complex);
CO_MPI_OBJECT(type, c_double_complex);
CO_MPI_OBJECT(type, c_long_double_complex);
CO_MPI_OBJECT(type, aint);
CO_MPI_OBJECT(type, count);
CO_MPI_OBJECT(type, offset);
CO_MPI_OBJECT(type, packed);
CO_MPI_OBJECT(type, float_int);
CO_MPI_OBJECT(type, double_int);
CO_MPI_OBJECT(type, long_int);
CO_MPI_OBJECT(type, two_int);
CO_MPI_OBJECT(type, short_int);
CO_MPI_OBJECT(type, long_double_int);
CO_MPI_OBJECT(type, lower_bound);
CO_MPI_OBJECT(type, upper_bound);

#define MPI_DATATYPE_NULL ((MPI_Datatype)0)
#define MPI_CHAR (&co_mpi_char)
#define MPI_SIGNED_CHAR (&co_mpi_signed_char)
#define MPI_UNSIGNED_CHAR (&co_mpi_unsigned_char)
#define MPI_BYTE (&co_mpi_byte)
#define MPI_WCHAR (&co_mpi_wchar)
#define MPI_SHORT (&co_mpi_short)
#define MPI_UNSIGNED_SHORT (&co_mpi_unsigned_short)
#define MPI_INT (&co_mpi_int)
#define MPI_UNSIGNED (&co_mpi_unsigned)
#define MPI_LONG (&co_mpi_long)
#define MPI_UNSIGNED_LONG (&co_mpi_unsigned_long)
#define MPI_LONG_LONG (&co_mpi_long_long)
#define MPI_LONG_LONG_INT MPI_LONG_LONG
#define MPI_UNSIGNED_LONG_LONG (&co_mpi_unsigned_long_long)
#define MPI_FLOAT (&co_mpi_float)
#define MPI_DOUBLE (&co_mpi_double)
#define MPI_LONG_DOUBLE (&co_mpi_long_double)
#define MPI_INT8_T (&co_mpi_int8)
#define MPI_INT16_T (&co_mpi_int16)
#define MPI_INT32_T (&co_mpi_int32)
#define MPI_INT64_T (&co_mpi_int64)
#define MPI_UINT8_T (&co_mpi_uint8)
#define MPI_UINT16_T (&co_mpi_uint16)
#define MPI_UINT32_T (&co_mpi_uint32)
#define MPI_UINT64_T (&co_mpi_uint64)
#define MPI_C_BOOL (&co_mpi_c_bool)
#define MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX
#define MPI_C_FLOAT_COMPLEX (&co_mpi_c_float_complex)
#define MPI_C_DOUBLE_COMPLEX (&co_mpi_c_double_complex)
#define MPI_C_LONG_DOUBLE_COMPLEX (&co_mpi_c_long_double_complex)
#define MPI_AINT (&co_mpi_aint)
#define MPI_COUNT (&co_mpi_count)
#define MPI_OFFSET (&co_mpi_offset)
#define MPI_PACKED (&co_mpi_packed)
#define MPI_FLOAT_INT (&co_mpi_float_int)
#define MPI_DOUBLE_INT (&co_mpi_double_int)
#define MPI_LONG_INT (&co_mpi_long_int)
#define MPI_2INT (&co_mpi_two_int)
#define MPI_SHORT_INT (&co_mpi_short_int)
#define MPI_LONG_DOUBLE_INT (&co_mpi_long_double_int)
/* Until MPI 2. */
#define MPI_LB (&co_mpi_lower_bound)
#define MPI_UB (&co_mpi_upper_bound)

#define MPI_COMBINER_NAMED 1
#define MPI_COMBINER_DUP 2
#define MPI_COMBINER_CONTIGUOUS 3
#define MPI_COMBINER_VECTOR 4
#define MPI_COMBINER_HVECTOR 5
#define MPI_COMBINER_INDEXED 6
#define MPI_COMBINER_HINDEXED 7
#define MPI_COMBINER_INDEXED_BLOCK 8
#define MPI_COMBINER_HINDEXED_BLOCK 9
#define MPI_COMBINER_STRUCT 10
#define MPI_COMBINER_SUBARRAY 11
#define MPI_COMBINER_DARRAY 12
#define MPI_COMBINER_RESIZED 13
#define MPI_COMBINER_F90_REAL 14
#define MPI_COMBINER_F90_COMPLEX 15
#define MPI_COMBINER_F90_INTEGER 16
#define MPI_COMBINER_HVECTOR_INTEGER 17
#define MPI_COMBINER_HINDEXED_INTEGER 18
#define MPI_COMBINER_STRUCT_INTEGER 19
#define MPI_ORDER_C 1
#define MPI_ORDER_FORTRAN 2
#define MPI_DISTRIBUTE_BLOCK 1
#define MPI_DISTRIBUTE_CYCLIC 2
#define MPI_DISTRIBUTE_NONE 3
#define MPI_DISTRIBUTE_DFLT_DARG (-1)
#define MPI_TYPECLASS_REAL 1
#define MPI_TYPECLASS_INTEGER 2
#define MPI_TYPECLASS_COMPLEX 3

/* ---- Operations ---- */
CO_MPI_OBJECT(op, max);
CO_MPI_OBJECT(op, min);
CO_MPI_OBJECT(op, sum);
CO_MPI_OBJECT(op, prod);
CO_MPI_OBJECT(op, land);
CO_MPI_OBJECT(op, band);
CO_MPI_OBJECT(op, lor);
CO_MPI_OBJECT(op, bor);
CO_MPI_OBJECT(op, lxor);
CO_MPI_OBJECT(op, bxor);
CO_MPI_OBJECT(op, maxloc);
CO_MPI_OBJECT(op, minloc);
CO_MPI_OBJECT(op, replace);
CO_MPI_OBJECT(op, no_op);

#define MPI_OP_NULL ((MPI_Op)0)
#define MPI_MAX (&co_mpi_max)
#define MPI_MIN (&co_mpi_min)
#define MPI_SUM (&co_mpi_sum)
#define MPI_PROD (&co_mpi_prod)
#define MPI_LAND (&co_mpi_land)
#define MPI_BAND (&co_mpi_band)
#define MPI_LOR (&co_mpi_lor)
#define MPI_BOR (&co_mpi_bor)
#define MPI_LXOR (&co_mpi_lxor)
#define MPI_BXOR (&co_mpi_bxor)
#define MPI_MAXLOC (&co_mpi_maxloc)
#define MPI_MINLOC (&co_mpi_minloc)
#define MPI_REPLACE (&co_mpi_replace)
#define MPI_NO_OP (&co_mpi_no_op)

/* ---- Windows ---- */
#define MPI_LOCK_EXCLUSIVE 1
#define MPI_LOCK_SHARED 2
#define MPI_MODE_NOCHECK 1024
#define MPI_MODE_NOSTORE 2048
#define MPI_MODE_NOPUT 4096
#define MPI_MODE_NOPRECEDE 8192
#define MPI_MODE_NOSUCCEED 16384
#define MPI_WIN_FLAVOR_CREATE 1
#define MPI_WIN_FLAVOR_ALLOCATE 2
#define MPI_WIN_FLAVOR_DYNAMIC 3
#define MPI_WIN_FLAVOR_SHARED 4
#define MPI_WIN_SEPARATE 1
#define MPI_WIN_UNIFIED 2

/* ---- Files ---- */
#define MPI_MODE_CREATE 1
#define MPI_MODE_RDONLY 2
#define MPI_MODE_WRONLY 4
#define MPI_MODE_RDWR 8
#define MPI_MODE_DELETE_ON_CLOSE 16
#define MPI_MODE_UNIQUE_OPEN 32
#define MPI_MODE_EXCL 64
#define MPI_MODE_APPEND 128
#define MPI_MODE_SEQUENTIAL 256
#define MPI_SEEK_SET 0
#define MPI_SEEK_CUR 1
#define MPI_SEEK_END 2
#define MPI_DISPLACEMENT_CURRENT ((MPI_Offset)-1)
#define MPI_MAX_DATAREP_STRING 32

/* ---- Functions of the program ---- */
typedef void MPI_User_function(void *in, void *inout, int *count, MPI_Datatype *type);
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void *, void *);
typedef int MPI_Type_copy_attr_function(MPI_Datatype, int, void *, void *, void *, int *);
typedef int MPI_Type_delete_attr_function(MPI_Datatype, int, void *, void *);
typedef int MPI_Win_copy_attr_function(MPI_Win, int, void *, void *, void *, int *);
typedef int MPI_Win_delete_attr_function(MPI_Win, int, void *, void *);
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;
typedef void MPI_Comm_errhandler_function(MPI_Comm *, int *, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *, int *, ...);
typedef void MPI_File_errhandler_function(MPI_File *, int *, ...);
typedef MPI_Comm_errhandler_function MPI_Handler_function;
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef int MPI_Grequest_query_function(void *, MPI_Status *);
typedef int MPI_Grequest_free_function(void *);
typedef int MPI_Grequest_cancel_function(void *, int);

int co_mpi_copy_always(MPI_Comm, int, void *, void *, void *, int *);
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_COMM_DUP_FN co_mpi_copy_always
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)
#define MPI_TYPE_DUP_FN ((MPI_Type_copy_attr_function *)co_mpi_copy_always)
#define MPI_WIN_NULL_COPY_FN ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_NULL_DELETE_FN ((MPI_Win_delete_attr_function *)0)
#define MPI_WIN_DUP_FN ((MPI_Win_copy_attr_function *)co_mpi_copy_always)
#define MPI_NULL_COPY_FN MPI_COMM_NULL_COPY_FN
#define MPI_NULL_DELETE_FN MPI_COMM_NULL_DELETE_FN
#define MPI_DUP_FN MPI_COMM_DUP_FN

CO_END_C

#include <cohart/detail/mpi_calls.h>
#endif
