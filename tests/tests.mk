# tests.mk - the part of the Makefile that builds and runs tests, stress and benchmarks.

# HOST=none: qemu/run answers no calls of semihosting, in all that make starts. Some shells have a HOST, too.
ifneq ($(and $(filter command,$(origin HOST)),$(filter-out none,$(HOST))),)
$(error HOST='$(HOST)': it is none, or not given)
endif
export COHART_NO_HOST := $(filter none,$(HOST))
# QEMU=, RUNNER=: what qemu/run starts instead of the QEMU in PATH, in all that make starts.
export COHART_QEMU := $(and $(filter command,$(origin QEMU)),$(if $(findstring /,$(QEMU)),$(abspath $(QEMU)),$(QEMU)))
# DISPLAY=1: a screen. It hides where X is, but for the environment in which make began.
SCREEN := $(and $(filter command,$(origin DISPLAY)),$(filter 1,$(DISPLAY)),--display)
WHERE_X_IS := $(if $(SCREEN),DISPLAY="$$(sed -zn 's/^DISPLAY=//p' /proc/$$PPID/environ)")
export COHART_RUNNER := $(if $(filter command,$(origin RUNNER)),$(RUNNER))

# Tests: tests/test_<T>.c on the BOARD and HARTS that are asked for. Without BOARD=, the first of TEST_BOARDS on
# TEST_HARTS; of the others, unless T= says what, the images on OTHER_HARTS.
OTHER_TESTS := selftest crashes deadlocks reports apps variants injected install locality fuzz resume plan digits \
	input process mpi omp network differential growth rooms debug nohost ontarget devices timeline cluster bringup
KNOWN_TESTS := $(TESTS:test_%=%) $(OTHER_TESTS)
ifneq ($(filter-out $(KNOWN_TESTS) all images brief,$(T)),)
$(error no test '$(filter-out $(KNOWN_TESTS) all images brief,$(T))'; there are: all images (all but $(OTHER_TESTS)) \
	brief $(KNOWN_TESTS))
endif
# What looks most at the architecture, the board and its C library: boot, maps, contexts, traps, atomics, drivers.
BRIEF_TESTS := topology map time coroutine kernel stack spm guarded channel select mailbox_driver dma dma_driver \
	containment confined watch lost files streams input printf libc malloc parallel
ifneq ($(and $(filter brief,$(T)),$(filter-out $(KNOWN_TESTS),$(BRIEF_TESTS))),)
$(error BRIEF_TESTS: no test '$(filter-out $(KNOWN_TESTS),$(BRIEF_TESTS))')
endif
ifneq ($(and $(CASE),$(if $(T),,no T)),)
$(error CASE=$(CASE) wants T=, the test it is in; there are: $(KNOWN_TESTS))
endif
IMAGE_TESTS := $(TESTS:test_%=%)
# What fuzzers have found is replayed where there is a compiler for them: make deps-verify.
WANTED_TESTS := $(or $(patsubst all,$(KNOWN_TESTS),$(patsubst brief,$(BRIEF_TESTS),$(T:images=$(IMAGE_TESTS)))),\
	$(filter-out fuzz,$(KNOWN_TESTS)))
SELFTEST_IMAGES := $(patsubst %.c,$(B)/%.elf,$(wildcard tests/selftest/*.c))
# clang 14 knows less of OpenMP than GCC 12.
CLANG_OMP_TESTS := $(patsubst %,$(B)/tests/omp/clang/%.elf,cancel loops private regions tasks)
OMP_TESTS := $(if $(filter clang,$(COMPILER)),$(subst clang/,,$(CLANG_OMP_TESTS)),\
	$(patsubst %.c,$(B)/%.elf,$(wildcard tests/omp/*.c)))
OMP_TESTS += $(if $(filter clang,$(COMPILER)),,$(patsubst %,$(B)/tests/omp/ranks/%.elf,hybrid loops private tasks))
MPI_TESTS := $(patsubst %.c,$(B)/%.elf,$(wildcard tests/mpi/*.c))
DIFFERENTIAL := $(B)/tests/differential/differential.elf $(B)/tests/differential/names $(O)/differential/pc
ONTARGET_TESTS := $(patsubst %.c,$(B)/%.elf,$(wildcard tests/ontarget/*.c))
NOHOST_TESTS := $(patsubst %,$(B)/tests/nohost/%.elf,program wordcount)
NETWORK_TESTS := $(patsubst %.c,$(B)/%.elf,$(wildcard tests/network/*.c))
HARDWARE_TESTS := $(patsubst %,$(B)/tests/network/hardware/%.elf,ports paths messages failures program)

SUBMAKE_JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# What tests/variants/run looks at, built with NOCAS=1, with DEBUG=1, and with MONITORS=3.
export VARIANT_TESTS := batch channel channel_modes channel_rendezvous released_mailbox stress select
variant-images: $(VARIANT_TESTS:%=$(B)/tests/test_%.elf) $(addprefix $(B)/tests/,\
	$(if $(filter 1,$(DEBUG)),$(patsubst %,test_%.elf,trace spm $(filter-out $(BOARD_NO_TESTS),malloc streams)) \
		variants/misuse.elf variants/heap.elf $(if $(BOARD_QEMU),mpi/mismatch.elf mpi/collective.elf))) \
	$(if $(MONITORS),$(patsubst %,$(B)/tests/test_%.elf,monitors tlock),$(if $(BOARD_QEMU),$(filter \
		%paths.elf %messages.elf %failures.elf,$(NETWORK_TESTS)))) ; @:
variants: ; @+for v in $(if $(filter NOCAS,$(BOARD_NO_VARIANTS)),,NOCAS=1) DEBUG=1 MONITORS=3; do \
		$(MAKE) --no-print-directory BOARD=$(BOARD) $$v variant-images || exit; done

# What tests/timeline/run runs with a timeline.
export TIMELINE_TESTS := channel mutex barrier batch select timer

# What tests/injected/run looks at, built with FAULTS=1.
export INJECTED_TESTS := faults shortage channel barrier link parallel stress mutex
injected-images: $(INJECTED_TESTS:%=$(B)/tests/test_%.elf) $(B)/tests/ontarget/bench.elf ; @:
injected: $(if $(BOARD_QEMU),$(B)/tests/injected/stopped.elf \
		$(addprefix $(B)/tests/test_,confined.elf files.elf streams.elf))
	@+$(MAKE) --no-print-directory BOARD=$(BOARD) FAULTS=1 injected-images

test-images: $(patsubst %,$(B)/tests/test_%.elf,$(filter-out $(OTHER_TESTS) $(BOARD_NO_TESTS),$(WANTED_TESTS))) \
	$(if $(filter selftest crashes deadlocks reports,$(WANTED_TESTS)),$(SELFTEST_IMAGES)) \
	$(if $(filter fuzz,$(WANTED_TESTS)),$$(FUZZERS)) \
	$(if $(filter plan apps,$(WANTED_TESTS)),$(PLAN)) $(if $(filter digits,$(WANTED_TESTS)),$$(DIGITS)) \
	$(and $(filter install,$(WANTED_TESTS)),$(BOARD_QEMU),$(LIB) $(addprefix $(B)/,\
		libmpi.a libbfskn.a libomp.a image.ld process.ld)) \
	$(filter variants injected,$(WANTED_TESTS)) \
	$(if $(filter rooms,$(WANTED_TESTS)),$(LIB) $(B)/libmpi.a $(B)/libbfskn.a) \
	$(if $(filter resume,$(WANTED_TESTS)),$(B)/resume/resume.elf) \
	$(if $(filter input,$(WANTED_TESTS)),$(B)/tests/input/reader.elf) \
	$(if $(filter ontarget,$(WANTED_TESTS)),$(ONTARGET_TESTS) $(COVERAGE)) \
	$(if $(filter debug,$(WANTED_TESTS)),$(B)/tests/debug/states.elf $(B)/apps/tour.elf) \
	$(and $(filter timeline,$(WANTED_TESTS)),$(BOARD_QEMU),$(B)/tests/timeline/known.elf \
		$(addprefix $(B)/tests/timeline/,ranks.elf work.elf) $(TIMELINE_TESTS:%=$(B)/tests/test_%.elf)) \
	$(and $(filter nohost,$(WANTED_TESTS)),$(BOARD_QEMU),$(NOHOST_TESTS)) \
	$(if $(filter bringup,$(WANTED_TESTS)),$$(patsubst %,$$(BRINGUP)/%.elf,1 5 6 7)) \
	$(if $(filter devices,$(WANTED_TESTS)),$(patsubst %,$(B)/apps/%.elf,alarm disk echo render)) \
	$(and $(filter differential,$(WANTED_TESTS)),$(BOARD_QEMU),$(DIFFERENTIAL)) \
	$(and $(filter cluster,$(WANTED_TESTS)),$(BOARD_QEMU),$(shell command -v mpicc),$(CLUSTER_TESTS)) \
	$(and $(filter growth,$(WANTED_TESTS)),$(BOARD_QEMU),$(B)/tests/growth/growth.elf) \
	$(and $(filter process,$(WANTED_TESTS)),$(BOARD_QEMU),$(B)/tests/process/process.elf) \
	$(and $(filter mpi,$(WANTED_TESTS)),$(BOARD_QEMU),$(MPI_TESTS) \
		$(patsubst %,$(B)/apps/mpi/%.elf,heat ring sort) $(MPI_APPS:%=$(B)/apps/%.elf)) \
	$(and $(filter omp,$(WANTED_TESTS)),$(BOARD_QEMU),$(OMP_TESTS) $(CLANG_OMP_TESTS)) \
	$(and $(filter network,$(WANTED_TESTS)),$(NETWORK_TESTS) $(HARDWARE_TESTS) $(B)/apps/matmul.elf) \
	$(if $(filter apps,$(WANTED_TESTS)),$(B)/stress/stress.elf \
		$(patsubst %,$(B)/apps/%.elf,$(filter-out $(BOARD_NO_APPS),$(APPS)))) \
	$(and $(filter locality,$(WANTED_TESTS)),$(BOARD_QEMU),$(PLUGIN) \
		$(addprefix $(B)/,$(addprefix tests/locality/,known.elf steady.elf tiled.elf vectors.elf) \
			apps/pingpong.elf)) ; @:

# One more at a time than the cores, since some sleep.
TEST_JOBS = $(shell echo $$(($$(nproc) + 1)))
test: TEST_ON = $(if $(filter file,$(origin BOARD)),$(TEST_BOARDS),$(BOARD))
test: ## tests on both 64-bit boards; BOARD= HARTS= TOPOLOGY= T=channel CASE=name SEED=n
	@$(MAKE) --no-print-directory $(SUBMAKE_JOBS) BOARD=$(firstword $(TEST_ON)) test-images
	@for b in $(wordlist 2,9,$(TEST_ON)); do \
		$(MAKE) --no-print-directory $(SUBMAKE_JOBS) BOARD=$$b T=$(call sq,$(or $(T),images)) test-images || \
			exit; done
	@HARTS='$(TEST_HARTS)' OTHER_HARTS='$(if $(T),$(TEST_HARTS),$(OTHER_HARTS))' tools/suite $(OUT) '$(TEST_ON)' \
		$(call sq,$(or $(TOPOLOGY),$(HARTS))) '$(WANTED_TESTS)' \
		'$(if $(T),$(WANTED_TESTS),$(IMAGE_TESTS))' >$(OUT)/suite
	@INJECTED_SEEDS='$(if $(T),1 2 3,1)' ROOMS=$(if $(T),each) LONG=$(call sq,$(T)) \
		tools/cohart-test --suite $(OUT)/suite -j $(or $(JOBS),$(TEST_JOBS)) --triage $(OUT)/reports \
		--timeout $(or $(TEST_TIMEOUT),$(if $(filter thread,$(SAN)),240,60)) $(if $(filter 1,$(V)),-v) \
		$(if $(CASE),--case=$(call sq,$(CASE))) $(if $(SEED),--seed=$(call sq,$(SEED)) \
		$(if $(filter 1,$(FAULTS)),--faults=$(call sq,$(SEED))))

test-all: ## everything on every board, the sanitizers, the checks' own tests, and the coverage gate
	@$(MAKE) --no-print-directory test T=all TEST_BOARDS='$(ALL_BOARDS)'
	@for s in thread address undefined; do \
		$(MAKE) --no-print-directory test T=images BOARD=host SAN=$$s HARTS=5 || exit; done
	@$(MAKE) --no-print-directory check C=selftest
	@$(MAKE) --no-print-directory coverage CHECK=1
.PHONY: test test-all test-images variants variant-images injected injected-images

# The formatter and the scanner as a program of this PC, beside its own. Their long doubles have 128 bits.
DIGITS := $(O)/digits
DIGITS_SRC := tests/digits/digits.c $(patsubst %,runtime/io/served/%.c,format real number scan)
LONG_DOUBLE := $(if $(filter x86_64,$(shell uname -m)),-mlong-double-128)
$(DIGITS): $(DIGITS_SRC) $(wildcard runtime/io/served/*.h tests/digits/*.h) tests/tests.mk
	$(call say,LD,$@)
	$(Q)$(BUILD_CC) -std=gnu11 -O2 -g $(LONG_DOUBLE) -Wall -Wextra -Wshadow -Wno-psabi -Werror \
		$(DIGITS_SRC) -lm -o $@

# Fuzzers: tests/fuzz/*.c, each a program of this PC; tests/fuzz/fuzz runs them, docs/bad-input.md explains.
FUZZERS := $(patsubst tests/fuzz/%.c,$(O)/fuzz/%,$(wildcard tests/fuzz/*.c))
FUZZ_CC ?= clang
FUZZ_CFLAGS := -std=gnu11 -D_GNU_SOURCE -O2 -g -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=all $(LONG_DOUBLE) -Wall -Wextra -Wno-unused-parameter -Wshadow -Wvla -Werror \
	-Ihal/boards/host -Ihal/arch/host/include -Ihal/include -Iruntime/include -Iruntime/io/host

$(O)/fuzz/%: tests/fuzz/%.c tests/tests.mk
	@tools/deps --need $(firstword $(FUZZ_CC))
	$(call say,LD,$@)
	$(Q)$(FUZZ_CC) $(FUZZ_CFLAGS) -MMD -MP $< -o $@
-include $(FUZZERS:=.d)

fuzz: $(FUZZERS) ## inputs made up for all that parses; SECONDS= each, F=fdt one, ACCEPT=1: the corpus anew
	@OUT=$(O)/fuzz tests/fuzz/fuzz $(if $(filter 1,$(ACCEPT)),--accept,$(call sq,$(or $(SECONDS),10))) \
		$(foreach f,$(F),$(call sq,$f))
.PHONY: fuzz

# ThreadSanitizer's library has guards of statics, too: they block the thread, which is a hart here.
$(B)/tests/test_cxx.elf: $(if $(filter thread,$(SAN)),$(B)/obj/runtime/libs/cxx/guard.o)

# The C library beside the PC's: tests/differential/*.c is one program for both; tests/differential/run compares them.
# Its calls are calls; a function that the board's library does not have does nothing.
DIFFERENTIAL_SRC := $(wildcard tests/differential/*.c)
DIFFERENTIAL_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(filter-out %/beside.c %/absent.c,$(DIFFERENTIAL_SRC)))
DIFFERENTIAL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -fno-builtin -frounding-math -Wno-unused-parameter

$(DIFFERENTIAL_OBJ): CFLAGS += $(DIFFERENTIAL_CFLAGS) -Wno-shadow -Wno-frame-larger-than
$(B)/obj/tests/differential/absent.o: CFLAGS += $(DIFFERENTIAL_CFLAGS)
$(B)/tests/differential/absent.a: $(B)/obj/tests/differential/absent.o
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(BOARD_CROSS)ar qcs $@ $^
$(B)/tests/differential/differential.elf: LINK_LIB += $(B)/tests/differential/absent.a
$(B)/tests/differential/differential.elf: $(DIFFERENTIAL_OBJ) $(LIB) $(B)/image.ld $(B)/tests/differential/absent.a
	$(LINK)
# The library's functions that a program may call, and what the cases call of them.
$(B)/tests/differential/names: $(B)/tests/differential/differential.elf tests/differential/names
	$(Q)tests/differential/names '$(CC) $(TARGET_FLAGS)' $(DIFFERENTIAL_OBJ) >$@
$(O)/differential/pc: $(filter-out %/absent.c,$(DIFFERENTIAL_SRC)) $(wildcard tests/differential/*.h)
	$(call say,LD,$@)
	$(Q)$(BUILD_CC) $(DIFFERENTIAL_CFLAGS) -O2 -g $(filter %.c,$^) -lm -o $@

# Runs that are killed and go on: tests/resume/run.
RESUME_ELF := $(B)/resume/resume.elf

$(RESUME_ELF): $(LIB) $(B)/obj/tests/resume/main.o $(B)/image.ld
	$(LINK)

# Stress: tests/stress/*.c is one image; tests/stress/stress runs it, docs/testing.md explains.
STRESS_ELF := $(B)/stress/stress.elf

STRESS_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(filter-out %/main.c,$(wildcard tests/stress/*.c)))

$(STRESS_ELF): $(LIB) $(STRESS_OBJ) $(B)/obj/tests/stress/main.o $(B)/image.ld
	$(LINK)
$(B)/tests/test_stress.elf: $(STRESS_OBJ)

stress: $(STRESS_ELF) ## seeded traffic on 5, 65 and 260 harts; MINUTES= SEED= BOARD= PLANT=lost-wakeup
	@tests/stress/stress $(OUT) $(BOARD) '$(or $(MINUTES),1)' '$(or $(SEED),1)' \
		'$(or $(TOPOLOGY),$(HARTS),$(shell tools/machines $(BOARD) 5 65 sw26010))' $(PLANT)
.PHONY: stress

# Benchmarks: tests/bench_*.c and tests/bench/*.c are one image; tests/bench/bench runs it: docs/performance.md.
BENCH_ELF := $(B)/bench/bench.elf

$(BENCH_ELF): $(LIB) $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/bench_*.c tests/bench/*.c)) $(B)/image.ld
	$(LINK)

$(B)/bench/devices.elf: $(LIB) $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/bench/devices/*.c tests/bench/*.c)) \
		$(B)/image.ld
	$(LINK)

# Of these the size is what is counted.
$(B)/size/%.elf: $(B)/obj/tests/size/%.o $(LIB) $(B)/image.ld
	$(LINK)

bench: $(BENCH_ELF) ## what things cost on BOARD: a table, build/BOARD/bench.csv; PLOT=1: docs/img/bench-*
	@tests/bench/bench $(OUT) $(BOARD)
	$(if $(PLOT),@tools/deps --need gnuplot && \
		gnuplot -e "csv='$(B)/bench.csv'; board='$(BOARD)'" tests/bench/plots.gp)
# Go cannot be cross-built into an image: both are programs of this PC.
$(O)/native-go: tests/bench/native.go
	@tools/deps --need go
	$(call say,GO,$@)
	$(Q)GOCACHE=$(abspath $(O))/go-cache go build -o $@ $<
bench-native: $(O)/native-go ## Cohart beside Go, on this PC, in nanoseconds
	@$(MAKE) --no-print-directory -s BOARD=host $(O)/host/bench/bench.elf
	@tests/bench/native $(O)/host/bench/bench.elf $(O)/native-go
MODEL_IMAGES := $(patsubst %,$(B)/%.elf,$(addprefix apps/,stencil weather montecarlo matvec pingpong passwords \
	molecules turbulence render) $(addprefix tests/locality/,tiled figures messages network ranks))
bench-model: $(PLUGIN) $(MODEL_IMAGES) ## the papers' figures beside ours; N=rows QUICK= FULL= ACCEPT= SENSITIVITY=1
	@tests/bench/models $(if $(filter 1,$(ACCEPT)),--accept,$(if $(filter 1,$(SENSITIVITY)),--sensitivity)) \
		$(OUT) $(BOARD) $(if $(filter 1,$(FULL)),full,$(if $(filter 1,$(QUICK)),quick,default)) $(N)
	$(if $(filter 1,$(ACCEPT)),@tools/figures)
	$(if $(PLOT),@tools/deps --need gnuplot && \
		gnuplot -e "image='$(B)/tests/locality/network'" tests/bench/models.gp)
bench-check: ## fail if a cost has grown by more than 2 % over tests/bench/baseline/BOARD.csv
bench-accept: ## make what is counted now the baseline
bench-check bench-accept:
	@printf '%s\n' $(if $(filter file,$(origin BOARD)),$(TEST_BOARDS),$(BOARD)) | \
		xargs -P $$(nproc) -n 1 tests/bench/bench --$(@:bench-%=%) $(OUT)
	$(if $(filter %accept,$@),@tools/figures)
figures: ## write the figures of pages and headers from the baselines; make check C=docs refuses others
	@tools/figures
.PHONY: bench bench-native bench-model bench-check bench-accept figures

# Campaign: tests/campaign/*.c is one image; tests/campaign/campaign damages it, docs/protection.md explains.
CAMPAIGN_ELF := $(B)/campaign/campaign.elf

$(CAMPAIGN_ELF): $(LIB) $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/campaign/*.c)) $(B)/image.ld
	$(LINK)

campaign: $(CAMPAIGN_ELF) ## flip bits in one coroutine's code, a run each, and see who suffers; N= SEED= CONFINED=1
	@tests/campaign/campaign $(OUT) $(BOARD) $(call sq,$(BOARD_CROSS)) $(call sq,$(or $(N),1000)) \
		$(call sq,$(or $(SEED),1)) $(if $(filter 1,$(CONFINED)),confined,free) $(if $(FLIP),$(call sq,$(FLIP)))
.PHONY: campaign

coverage: $(COVERAGE) ## what the tests reach of runtime/, on BOARD=host or BOARD; CHECK=1 fails if that is too little
	@tools/coverage $(O) $(BOARD) $(if $(filter 1,$(CHECK)),--check)
.PHONY: coverage

# Coroutines in every state, which tests/debug/run looks at from outside.
$(B)/tests/debug/states.elf: $(B)/obj/tests/debug/states.o $(LIB) $(B)/image.ld
	$(LINK)

# Growth: an image of rows, which tests/growth/run judges.
$(B)/tests/growth/growth.elf: $(patsubst %,$(B)/obj/tests/growth/%.o,growth objects) $(LIB) $(B)/image.ld
	$(LINK)

# Images that have files and words of their own, for machines without a host: tests/nohost/run.
$(B)/tests/nohost/embedded.c: README.md LICENSE tools/embed tests/tests.mk
	@mkdir -p $(@D)
	$(Q)tools/embed 'two\ words b"' README.md LICENSE >$@
$(B)/tests/nohost/embedded.o: $(B)/tests/nohost/embedded.c
	$(Q)$(EMBED) $< -o $@
$(B)/tests/nohost/program.elf: $(B)/obj/tests/nohost/program.o
$(B)/tests/nohost/wordcount.elf: $(call APP_OBJ,wordcount)
$(NOHOST_TESTS): $(B)/tests/nohost/embedded.o $(LIB) $(B)/image.ld
	$(LINK)

# Ranks: tests/process/*.c is one image; tests/process/run looks at it.
$(B)/tests/process/process.elf: $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/process/*.c)) $(LIB) $(B)/process.ld
	$(LINK)

# MPI: each of tests/mpi/*.c is a program of its own; tests/mpi/run runs them on several numbers of ranks.
$(filter-out %/no_memory.elf,$(MPI_TESTS)) $(patsubst %,$(B)/tests/%/ranks.elf,locality timeline cluster) \
	$(addprefix $(B)/tests/cluster/,hostile.elf mirror.elf patterns.elf): $(B)/%.elf: \
	$(B)/obj/%.o $(B)/libmpi.a $(LIB) $(B)/process.ld
	$(LINK)
# A carrier in the image takes what the library submits.
$(B)/tests/cluster/mirror.elf: LDFLAGS += $(addprefix $(WRAP)hal_uplink_,open submit)
# Its copy of the library allocates by the test's functions.
$(B)/no_memory/libmpi.a: $(B)/libmpi.a
	@mkdir -p $(@D)
	$(Q)$(BOARD_CROSS)objcopy $< $@ \
		$(foreach f,malloc calloc realloc aligned_alloc co_spm_alloc,--redefine-sym $f=failing_$f)
$(B)/tests/mpi/no_memory.elf: LDFLAGS += -L$(B)/no_memory
$(B)/tests/mpi/no_memory.elf: $(B)/obj/tests/mpi/no_memory.o $(B)/no_memory/libmpi.a $(LIB) $(B)/process.ld
	$(LINK)
# OpenMP: the same, tests/omp/run. What a scan needs GCC takes from the stack.
$(B)/obj/tests/omp/reductions.o: CFLAGS += -Wno-alloca
$(B)/obj/tests/omp/clang/%.o: tests/omp/%.c $(STAMP)
	$(call say,CC,$< by clang)
	$(Q)mkdir -p $(@D) && tools/clang $(BOARD_CROSS)gcc $(CPPFLAGS) $(filter-out $(STYLE_CFLAGS),$(CFLAGS)) \
		-fopenmp=libomp $(RELATIVE) -MMD -MP -c $< -o $@
$(sort $(filter-out $(B)/tests/omp/ranks/%,$(OMP_TESTS) $(CLANG_OMP_TESTS))): $(B)/%.elf: $(B)/obj/%.o \
		$(B)/libomp.a $(LIB) $(B)/image.ld
	$(LINK)
# Of ranks: with MPI, and of one rank alone.
$(B)/tests/omp/ranks/hybrid.elf: $(B)/%.elf: $(B)/obj/%.o $(B)/libmpi.a $(B)/libomp.a $(LIB) $(B)/process.ld
	$(LINK)
$(B)/tests/omp/ranks/%.elf: $(B)/obj/tests/omp/%.o $(B)/libomp.a $(LIB) $(B)/process.ld
	$(Q)mkdir -p $(@D)
	$(LINK)
test-mpi: ## others' MPI programs, from a folder or .tar: SUITE=path ONLY='coll pt2pt/bsend1'
	@O=$(O) V=$(V) tools/test-mpi $(OUT) $(BOARD) $(call sq,$(SUITE)) $(ONLY)
.PHONY: test-mpi

# The network of NM6408MP and its message libraries: tests/network/run.
$(filter-out %/program.elf,$(NETWORK_TESTS)): $(HARNESS_OBJ)
$(NETWORK_TESTS): $(B)/%.elf: $(B)/obj/%.o $(B)/libbfskn.a $(LIB) $(B)/image.ld
	$(LINK)
$(B)/tests/locality/network.elf: $(B)/libbfskn.a
# The same with ports as hardware has them, by the driver that models them.
$(filter-out %/program.elf,$(HARDWARE_TESTS)): $(HARNESS_OBJ)
$(HARDWARE_TESTS): $(B)/tests/network/hardware/%.elf: \
	$(B)/obj/tests/network/%.o $(B)/obj/tests/network/hardware/model.o $(B)/libbfskn.a $(LIB) $(B)/image.ld
	$(LINK)

# Images as others have them, with cohart/test.h alone: tests/ontarget/run.
$(ONTARGET_TESTS): $(B)/%.elf: $(B)/obj/%.o $(LIB) $(B)/image.ld
	$(LINK)

# Bring-up of a board, rung by rung (docs/porting.md): 1 to 5 stand where the runtime stands, above the HAL alone. In
# rung 1 nobody has let AArch64's harts use floating-point registers, which clang would save for a variable list.
BRINGUP := $(B)/tests/bringup
BRINGUP_ENTRY := $(wildcard boot/$(BOARD_ARCH)/bringup.S)
$(BRINGUP)/libcohart_hal.a: $(filter $(B)/obj/boot/% $(B)/obj/hal/% %/boot/note.o,$(OBJ))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(BOARD_CROSS)ar qcs $@ $^
$(BRINGUP)/1.elf: $(BRINGUP)/1/first.o $(BRINGUP_ENTRY:%.S=$(B)/obj/%.o)
$(BRINGUP)/1.elf: LDFLAGS += $(BRINGUP_ENTRY:%=-Xlinker -ehal_bringup_entry)
$(patsubst %,$(BRINGUP)/%.elf,2 3 4 5): $(BRINGUP)/%.elf: $(BRINGUP)/%/harts.o
$(patsubst %,$(BRINGUP)/%.elf,1 2 3 4 5): $(BRINGUP)/%.elf: $(BRINGUP)/%/say.o $(BRINGUP)/%/trap.o \
		$(BRINGUP)/libcohart_hal.a $(B)/obj/runtime/core/boot/note.o $(B)/image.ld tests/tests.mk
	$(call say,LD,$@)
	$(Q)$(CC) $(LDFLAGS) -T $(filter %.ld,$^) $(filter %.o,$^) $(filter %.a,$^) -o $@ \
		$(if $(BOARD_QEMU),&& qemu/run --seal $@,-Xlinker -uhal_semihost_exit)
$(foreach n,1 2 3 4 5,$(eval $(BRINGUP)/$n/%.o: tests/bringup/%.c $(STAMP) | $(B)/compiler ; \
		$$(call say,CC,$$<)$$(Q)$$(CC) $$(CPPFLAGS) $$(CFLAGS) -DRUNG=$n \
		$(if $(filter aarch64,$(BOARD_ARCH)),-mgeneral-regs-only) $$(RELATIVE) -MMD -MP -c $$< -o $$@))
# 6 is a program, 7 the suite: of its images what a board is to blame for, in one.
BRINGUP_TESTS := $(filter-out $(BOARD_NO_TESTS),topology map time wait channel mutex barrier mailbox link message \
	select)
$(BRINGUP)/6.elf: $(B)/obj/tests/bringup/windows.o $(LIB) $(B)/image.ld
	$(LINK)
$(BRINGUP)/7.elf: $(HARNESS_OBJ) $(BRINGUP_TESTS:%=$(B)/obj/tests/test_%.o) $(LIB) $(B)/image.ld tests/tests.mk
	$(LINK)
-include $(wildcard $(BRINGUP)/[1-5]/*.d)
ifneq ($(filter bringup,$(MAKECMDGOALS))$(filter-out 1 2 3 4 5 6 7,$(RUNG)),$(filter bringup,$(MAKECMDGOALS)))
$(error RUNG='$(RUNG)': it is 1 to 7, or not given: docs/porting.md)
endif
RUNGS := $(or $(RUNG),1 5 6 7) # 5 climbs 2 to 4, too
bringup: $(RUNGS:%=$(BRINGUP)/%.elf) ## a new BOARD, step by step: RUNG=1 to 7, or all (docs/porting.md)
	@HARTS=$(call sq,$(HARTS)) TEST_TIMEOUT=$(call sq,$(TEST_TIMEOUT)) tools/bringup $(BOARD) $(BRINGUP) $(RUNGS)
.PHONY: bringup

# What debug, top, lines, size and boot-order look at.
IMAGE ?= $(if $(T),$(T:%=test_%),$(APP))
ELF := $(B)/$(if $(wildcard apps/$(IMAGE)),apps,tests$(if $(filter bringup/%,$(IMAGE))$(wildcard \
	tests/$(IMAGE).c),,/selftest))/$(IMAGE).elf
