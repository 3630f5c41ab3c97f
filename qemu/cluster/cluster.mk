# cluster.mk - the part of the Makefile that runs a program on several boards as one job: docs/cluster.md.

# cohart-rank runs beside each board, as a process of MPI.
RANK := $(O)/cohart-rank
MPICC ?= mpicc
$(RANK): $(wildcard qemu/cluster/*.[ch]) hal/drivers/uplink_ram.h hal/include/hal/uplink.h Makefile \
		qemu/cluster/cluster.mk
	@tools/deps --need $(MPICC)
	$(call say,LD,$@)
	$(Q)$(MPICC) -std=gnu11 -O2 -g -Wall -Wextra -Wshadow -Werror -DQEMU_RUN='"$(CURDIR)/qemu/run"' \
		-Ihal/arch/host/include -Ihal/include -idirafter runtime/include $(filter %.c,$^) -o $@

BOARDS_OF_JOB := $(if $(filter command,$(origin BOARDS)),$(BOARDS),2)
MPIRUN := mpirun -q --oversubscribe
BOARD_UPLINK := $(filter uplink_ram,$(BOARD_DRIVERS))
# mpirun refuses root, in 20 lines; none is no number of boards.
cluster_fails = { echo "make cluster:" $1 >&2; exit 2; }
cluster: $(if $(BOARD_UPLINK),$(RANK) $(B)/apps/$(APP).elf) ## APP on BOARDS=n boards as one job (docs/cluster.md)
	@$(if $(BOARD_UPLINK),:,$(call cluster_fails,'$(BOARD) has no uplink: docs/cluster.md'))
	@[ -z "$$(printf %s $(call sq,$(BOARDS_OF_JOB)) | tr -d 0-9)" ] && [ $(call sq,$(BOARDS_OF_JOB)) -gt 0 ] || \
		$(call cluster_fails,'BOARDS is to be a number: 1 or more')
	@tools/deps --need $(firstword $(MPIRUN))
	@[ "$$(id -u)" != 0 ] || [ "$$OMPI_ALLOW_RUN_AS_ROOT$$OMPI_ALLOW_RUN_AS_ROOT_CONFIRM" = 11 ] || \
		$(call cluster_fails,'root needs OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1')
	@$(MPIRUN) -n $(call sq,$(BOARDS_OF_JOB)) $(RANK) --board $(BOARD) $(call option,HARTS,harts) \
		$(call option,RANKS,ranks) $(call option,TOPOLOGY,topology) $(call option,MEM,mem) \
		$(B)/apps/$(APP).elf $(ARGS)
scale: ## what docs/scale.md says of 1,000 boards: a model of the baseline's rows, beside SimGrid
	@for p in smpirun gnuplot; do tools/deps --need $$p || exit; done; mkdir -p $(O)/scale
	$(Q)smpicc -O2 -Wall -Wextra -Werror tests/cluster/patterns.c -o $(O)/scale/patterns
	@tests/cluster/scale $(O)/scale/patterns $(O)/scale && gnuplot tests/cluster/scale.gp && tools/figures
deps-cluster: ## and what several boards need (Open MPI, SimGrid)

# What tests/cluster/run runs.
CLUSTER_MPI := arguments collective collective_order group info intercomm neighbour ops ordinary p2p pack \
	profile requests rma rma_errors send_modes topology types types_random unexpected window_objects
export CLUSTER_MPI
CLUSTER_TESTS := $(RANK) $(patsubst %.c,$(B)/%.elf,$(wildcard tests/cluster/*.c)) \
	$(CLUSTER_MPI:%=$(B)/tests/mpi/%.elf) $(patsubst %,$(B)/apps/mpi/%.elf,heat sort) $(B)/tests/test_size.elf
.PHONY: cluster scale deps-cluster
