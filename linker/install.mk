# install.mk - the part of the Makefile that makes a library of it: docs/library.md.

# What `make install` puts in place: any C program, from any folder, becomes an image by cohart-cc.
PREFIX ?= /usr/local
install: $(LIB) $(B)/image.ld ## cohart-cc, cohart-run, library and headers for BOARD: PREFIX= DESTDIR=
	@tools/install $(call sq,$(DESTDIR)) $(call sq,$(PREFIX)) \
		$(BOARD) $(B) '$(BOARD_CROSS)' '$(ARCH_DIR)' '$(LIBC)' \
		'$(TARGET_FLAGS) $(filter -D%,$(CPPFLAGS)) -ftls-model=local-exec $(PROBE_CFLAGS)' \
		$(call sq,$(filter-out $(TARGET_FLAGS),$(LDFLAGS))) '$(call LINK_LIB,@)'
