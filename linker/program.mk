# program.mk - the part of the Makefile that says how code of programs is compiled, in this tree and outside.

# What the code of a program is to be like, in this tree and by what is installed. A frame of any size meets the guard
# page, whose size is that of a page: GCC touches large ones page by page. Where it does not, it says so.
GUARD_BYTES := $(shell sed -n 's/^.define HAL_PAGE_BYTES \([0-9]*\).*/\1/p' \
	$(wildcard $(ARCH_DIR:%=%/include/hal_arch/cpu.h)))
GUARD_BITS := $(words $(shell n=$(GUARD_BYTES); while [ $$n -gt 1 ]; do n=$$((n / 2)); echo x; done))
PROBE_CFLAGS := $(if $(filter clang,$(COMPILER)),,-fstack-clash-protection \
	--param=stack-clash-protection-guard-size=$(GUARD_BITS))
CODE_CFLAGS := $(TARGET_FLAGS) $(NO_UNWIND) -ftls-model=local-exec \
	$(if $(filter 1,$(DEBUG)),-fsanitize=integer-divide-by-zero -fsanitize-recover=integer-divide-by-zero)
# Found when it is first wanted, and once.
FRAME_LIMIT = $(eval FRAME_LIMIT := $$(shell tools/frame-limit \
	$(GUARD_BYTES) '$(PROBE_CFLAGS)' $(CC) $(TARGET_FLAGS)))$(FRAME_LIMIT)
PROGRAM_CFLAGS = $(CODE_CFLAGS) $(PROBE_CFLAGS) \
	$(patsubst -W%,$(if $(filter 1,$(DEBUG)),-Werror=,-W)%,$(FRAME_LIMIT))
