# models.mk - build the models; tools/verify-models and its kin run it: make -f tests/model/models.mk OUT=dir
#
# A model is a file here with `models[]`; its lines "Sources:" name what of runtime/ is linked to it. All
# is C as it ships, but for the numbers of orders (tests/model/copy), compiled for this machine; relacy.cpp
# stands in for the sanitizer's library, so that it sees the runtime's plain accesses too.
OUT ?= build/verify
V ?= 0
ifneq ($(shell tests/model/copy $(OUT) && echo copied),copied)
$(error tests/model/copy $(OUT) has failed)
endif
Q := $(if $(filter 1,$(V)),,@)
.SUFFIXES:
.SECONDARY:
.DELETE_ON_ERROR:

M := tests/model
MODELS := $(patsubst $(M)/%.c,%,$(wildcard $(M)/*.c))
SCHEDULER := core/hart.c core/timeline.c core/memory/block.c \
	$(patsubst %,core/sched/%.c,coroutine counter deadline end executor spawn wait)
# Patterns, so that a file may be split without a word here.
named_by = $(patsubst scheduler,$(SCHEDULER),$(shell sed -n "s:^/. Sources\: *\(.*\) ./$$:\1:p" $(M)/$(1).c))
sources_of = $(patsubst runtime/%,%,$(sort $(wildcard $(addprefix runtime/,$(named_by)))))
LEVEL := -I$(M) -I$(M)/relacy -I$(OUT)/runtime/include -I$(OUT)/runtime -Ihal/include
FLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Wno-unused-parameter -Werror -fno-common $(LEVEL) \
	'-D_Thread_local=__attribute__((section("hart_local")))'

all: $(MODELS:%=$(OUT)/%)

$(OUT)/relacy.o: $(M)/relacy/relacy.cpp $(M)/relacy/cohart/detail/atomic_backend.h $(M)/relacy/model.h $(M)/models.mk
	@mkdir -p $(@D)
	$(Q)g++ -std=c++17 -O2 -g -w -I$(M)/relacy -c $< -o $@

$(OUT)/model/%.o: $(M)/%.c $(M)/models.mk
	@mkdir -p $(@D)
	$(Q)gcc $(FLAGS) -MMD -MP -c $< -o $@

$(OUT)/object/%.o: $(OUT)/runtime/%.c $(M)/models.mk
	@mkdir -p $(@D)
	$(Q)gcc $(FLAGS) -fsanitize=thread -MMD -MP -c $< -o $@

# Contexts as in a program of this PC, which neither the models nor the runtime look into.
$(OUT)/%.o: hal/arch/host/%.c $(M)/models.mk
	@mkdir -p $(@D)
	$(Q)gcc -std=gnu11 -O2 -Wall -Werror -I$(M)/relacy -Ihal/include -MMD -MP -c $< -o $@
$(OUT)/%.o: hal/arch/host/%.S $(M)/models.mk
	@mkdir -p $(@D)
	$(Q)gcc -I$(M)/relacy -Ihal/include -c $< -o $@

# What needs a machine has sources. No rank has static data of its own, and thread-locals are a hart's alone:
# linker/host.ld.S says the same.
PRIVATE := -no-pie -Wl,-z,noexecstack \
	$(foreach symbol,private_start private_end private_bytes thread_locals_shared,-Wl,--defsym=__$(symbol)=0)
define rule
$(OUT)/$(1): $(OUT)/model/$(1).o $(OUT)/relacy.o \
	$(patsubst %.c,$(OUT)/object/%.o,$(2)) $(if $(2),$(addprefix $(OUT)/,model/relacy/machine.o context.o switch.o))
	$$(Q)g++ $$(PRIVATE) $$(filter %.o,$$^) -o $$@
endef
$(foreach m,$(MODELS),$(eval $(call rule,$(m),$(call sources_of,$(m)))))

-include $(OUT)/context.d $(shell find $(OUT)/model $(OUT)/object -name '*.d' 2>/dev/null)
.PHONY: all
