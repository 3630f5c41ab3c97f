/* bfskn_shape.h - names of the steps of a port through memory, for all message libraries. */
#ifndef BFSKN_SHAPE_H
#define BFSKN_SHAPE_H

/* _1D: consecutive words; _2D: rows of words, with words left out between them. */
enum bfskn_addressing { _1D, _2D };

#endif
