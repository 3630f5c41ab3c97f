/* carry.h - transfers between cores without a route: carry.c. */
#ifndef NM6408_CARRY_H
#define NM6408_CARRY_H

#include "load.h"

/* The carrier of this receiving end's transfer is lost: have it carried by another. */
void bfskn_carry_again(struct co_net_end *recv);

#endif
