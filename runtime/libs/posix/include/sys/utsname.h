/* sys/utsname.h - the names of the machine and of its system. */
#ifndef COHART_SYS_UTSNAME_H
#define COHART_SYS_UTSNAME_H

#define _UTSNAME_LENGTH 65

struct utsname {
	char sysname[_UTSNAME_LENGTH];  /* "Cohart" */
	char nodename[_UTSNAME_LENGTH]; /* as of gethostname() */
	char release[_UTSNAME_LENGTH];  /* Cohart's version */
	char version[_UTSNAME_LENGTH];  /* the topology */
	char machine[_UTSNAME_LENGTH];  /* the board */
};

#ifdef __cplusplus
extern "C" {
#endif
int uname(struct utsname *name);
#ifdef __cplusplus
}
#endif
#endif
