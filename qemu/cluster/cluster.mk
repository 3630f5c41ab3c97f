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
cluster: $(RANK) $(B)/apps/$(APP).elf ## APP on BOARDS=n boards as one job of Open MPI (docs/cluster.md)
	@tools/deps --need $(firstword $(MPIRUN))
	@$(MPIRUN) -n $(call sq,$(BOARDS_OF_JOB)) $(RANK) --board $(BOARD) $(call option,HARTS,harts) \
		$(call option,RANKS,ranks) $(call option,TOPOLOGY,topology) $(call option,MEM,mem) \
		$(B)/apps/$(APP).elf $(ARGS)
deps-cluster: ## and what several boards need (Open MPI)

# What tests/cluster/run runs.
CLUSTER_MPI := arguments collective collective_order group info intercomm neighbour ops ordinary p2p pack \
	profile requests send_modes topology types types_random unexpected
export CLUSTER_MPI
CLUSTER_TESTS := $(RANK) $(patsubst %.c,$(B)/%.elf,$(wildcard tests/cluster/*.c)) \
	$(CLUSTER_MPI:%=$(B)/tests/mpi/%.elf) $(patsubst %,$(B)/apps/mpi/%.elf,heat sort)
.PHONY: cluster deps-cluster
