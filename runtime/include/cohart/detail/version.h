/* version.h - the version of this tree, by itself: for cohart.h, and for the note of each image. */
#ifndef COHART_DETAIL_VERSION_H
#define COHART_DETAIL_VERSION_H

/* Major, minor, patch. CHANGELOG.md says what each brought. */
#define CO_VERSION "0.1.0"

#endif
