"""cohart_machine.py - what of a machine that runs Cohart can be read: harts, coroutines, their frames. For cohart.py."""
import re
import struct
import tempfile
import time

import gdb

# ---- Types and memory ----


class Failure(gdb.GdbError):
    """What a command says instead of a traceback."""


def field(kind, path):
    """(offset, type) of a member, whose path may lead through members; the first one of a struct that is left."""
    offset = 0
    for name in path.split(".") if path else ():
        inside, kind = member(kind, name)
        offset += inside
    while kind.code == gdb.TYPE_CODE_STRUCT:
        kind = kind.fields()[0].type.strip_typedefs()
    return offset, kind


def member(kind, name):
    """(offset, type) of a member, of an anonymous one's, too."""
    kind = kind.strip_typedefs()
    for f in kind.fields():
        if f.name == name:
            return f.bitpos // 8, f.type.strip_typedefs()
        if not f.name:
            try:
                offset, found = member(f.type, name)
                return f.bitpos // 8 + offset, found
            except KeyError:
                pass
    raise KeyError(name)


class Struct:
    """A struct of the image: its members are read from bytes that are here already."""

    known = {}

    def __init__(self, name):
        self.type = gdb.lookup_type("struct " + name)
        self.size = self.type.sizeof
        self.at = {}
        self.places = {}

    @classmethod
    def of(cls, name):
        if name not in cls.known:
            cls.known[name] = cls(name)
        return cls.known[name]

    def offset(self, path):
        if path not in self.places:
            self.places[path] = field(self.type, path)[0]
        return self.places[path]

    def get(self, data, base, path):
        if path not in self.at:
            offset, kind = field(self.type, path)
            signed = kind.code == gdb.TYPE_CODE_INT and kind.is_signed
            code = {1: "b", 2: "h", 4: "i", 8: "q"}[kind.sizeof]
            self.at[path] = offset, struct.Struct("<" + (code if signed else code.upper()))
        offset, form = self.at[path]
        return form.unpack_from(data, base + offset)[0]


class Thing:
    """A struct in memory, by its bytes as they were read."""

    def __init__(self, kind, address, data=None, base=0):
        self.kind = Struct.of(kind)
        self.address = address
        self.base = base
        self.data = read(address, self.kind.size) if data is None else data

    def __getitem__(self, path):
        return self.kind.get(self.data, self.base, path)

    def place(self, path):
        return self.address + self.kind.offset(path)


class Bulk:
    """Memory that was fetched at once: a machine with many coroutines takes seconds by the debug stub's packets."""

    parts = []

    @classmethod
    def fetch(cls, first, end):
        if end - first < 1 << 18 or end - first > 1 << 30 or not Physical.now or \
                not isinstance(gdb.selected_inferior().connection, gdb.RemoteTargetConnection):
            return
        with tempfile.TemporaryDirectory() as folder:
            try:
                gdb.execute('monitor pmemsave 0x%x %d "%s/part"' % (first, end - first, folder), to_string=True)
                with open(folder + "/part", "rb") as part:
                    data = part.read()
            except (gdb.error, OSError):
                return # no QEMU of this PC
        if len(data) == end - first:
            cls.parts.append((first, data))


def read(address, size):
    for first, data in Bulk.parts:
        if first <= address and address + size <= first + len(data):
            return data[address - first:address - first + size]
    try:
        return bytes(gdb.selected_inferior().read_memory(address, size))
    except gdb.MemoryError:
        raise Failure("memory at 0x%x cannot be read" % address)


def word_bytes():
    return gdb.lookup_type("unsigned long").sizeof


def words(address, n):
    return struct.unpack("<%d%s" % (n, "Q" if word_bytes() == 8 else "I"), read(address, n * word_bytes()))


def word(address):
    return words(address, 1)[0]


def string(address):
    """The text at an address of the image, or None."""
    if address < 4096:
        return None
    try:
        return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string("utf-8", "replace", length=-1)[:64]
    except gdb.error:
        return None


def value(expression):
    """The integer value of an expression, or None where the image has no such variable."""
    try:
        return int(gdb.parse_and_eval(expression))
    except gdb.error:
        return None


def number_of(name):
    """The value of a symbol of the linker's."""
    return value("(unsigned long)&" + name)


class Cache:
    """What an image says once for all: dropped when gdb reads another."""

    def __init__(self):
        self.drop()

    def drop(self, *_):
        Struct.known.clear()
        self.constants = {}
        self.names = {}
        self.routes = {}
        self.statics = {}


cache = Cache()
gdb.events.new_objfile.connect(cache.drop)


def constant(name):
    if not cache.constants:
        cache.constants = {f.name[9:]: f.enumval for f in gdb.lookup_type("enum co_debug").fields()}
    return cache.constants[name]


class Physical:
    """with Physical(): addresses are physical, where a machine is emulated."""

    def __init__(self, on=True):
        self.on = on

    def __enter__(self):
        self.before, Physical.now = Physical.now, self.on
        self.set()

    def __exit__(self, *_):
        Physical.now = self.before
        self.set()

    now = False

    @staticmethod
    def set():
        to = gdb.selected_inferior().connection
        if isinstance(to, gdb.RemoteTargetConnection):
            try:
                to.send_packet("Qqemu.PhyMemMode:%d" % Physical.now)
                gdb.execute("maintenance flush dcache", to_string=True)
            except gdb.error:
                pass # another stub: the selected hart's view is what there is


# ---- Names of places ----


def symbol(address):
    """The variable or function at an address, as reports name it."""
    if address not in cache.names:
        said = gdb.execute("info symbol 0x%x" % address, to_string=True)
        found = re.match(r"(\S+?)(?:\.\d+)?(?: \+ (\d+))? in section (\S+)", said)
        near = found and found.group(3) not in (".hart_vars", ".hart_buffers")
        cache.names[address] = (found.group(1) + ("+" + found.group(2) if found.group(2) else "")) if near else None
    return cache.names[address] or "0x%x" % address


def line_of(frame):
    """'file.c:12 (function)' of a frame."""
    place, function = frame.find_sal(), frame.function()
    if place.symtab and function:
        return "%s:%d (%s)" % (re.sub(r"^\./|.*/\./", "", place.symtab.filename), place.line, function.name)
    return symbol(frame.pc())


def is_programs(frame):
    """Is it in the program's code, and in no function of <cohart/...> that was inlined there?"""
    if not is_program(frame.pc()):
        return False
    place = frame.find_sal().symtab
    return not place or "include/cohart/" not in place.filename


def is_program(pc):
    if "program" not in cache.constants:
        constant("PER_HART")
        cache.constants["program"] = number_of("__program_start"), number_of("__program_end")
    first, end = cache.constants["program"]
    return first <= pc < end


# ---- The machine ----

ROLES = {1: "manage", 2: "compute", 3: "manage+compute", 4: "move"}


class Hart:
    def __init__(self, machine, number):
        self.number = number
        self.address = machine.spm + number * constant("WINDOW_BYTES")
        self.window = Thing("co_hart", self.address)
        self.thread = machine.threads.get(number)
        self.role = machine.role(number)
        # Areas of tight windows are in main memory, as far apart as the harts' stacks.
        self.area = self.address + Struct.of("co_hart").size if constant("ROOMY") else \
            machine.main_parts + self.window["boot.sp"] - machine.first_stack(self)
        at = machine.executor_of(self)
        self.executor = Thing("co_executor", at) if at else None
        self.coroutines = []
        self.messages = self.inbox()

    def inbox(self):
        """Addresses of the messages that have not been taken, oldest first."""
        found, stub = [], self.window.place("inbox.stub")
        at = self.executor["outlet"] if self.executor else 0
        while at and len(found) < 1 << 16:
            if at != stub:
                found.append(at)
            at = Thing("co_msg", at)["next"]
        return found

    def blocks(self, machine):
        """The hart's control blocks that were ever in use, as Coroutine."""
        kind, w = Struct.of("co"), word_bytes()
        made = 0
        for i in range(constant("PER_HART") // (8 * w)):
            made |= word(self.window.place("made") + i * w) << i * 8 * w
        if made:
            at = self.area + Struct.of("co_area").offset("co")
            data = read(at, made.bit_length() * kind.size)
            for i in range(made.bit_length()):
                if made >> i & 1:
                    yield Coroutine(machine, self, at + i * kind.size, data, i * kind.size)
        count = self.window["slabs"]
        for entry in words(machine.tables + self.number * machine.table_bytes, count) if count else ():
            at = entry & -constant("LINE")
            data = read(at, 8 * w * kind.size) if at else b""
            for i in range(len(data) // kind.size):
                yield Coroutine(machine, self, at + i * kind.size, data, i * kind.size)

    def sp(self):
        return frame_registers(self.thread)[1] if self.thread else 0

    def aside(self):
        """Of hart 0, while it looks on its executor's stack: where it has left the coroutine's; or 0."""
        try:
            return 0 if self.number else value("co_aside_caller.sp")
        except gdb.error: # the image does not look
            return 0

    def on_stack(self):
        """The coroutine on whose stack the hart is: it runs, or sleeps in place, or handlers run there."""
        e = self.executor
        if e and e["current"]:
            return e["current"]
        sp = self.aside() or self.sp()
        tops = [(c["stack_top"], c.address) for c in self.coroutines if not c["fresh"]]
        tops += [(self.window["boot.sp"], 0), (self.window["boot.trap_sp"], 0)]
        return min([t for t in tops if t[0] >= sp], default=(0, 0))[1]


def check_image():
    """Is what runs, or the core, of gdb's image? Its notes say so: board, version, build."""
    said = gdb.execute("compare-sections .note", to_string=True)
    if "MIS-MATCHED" in said:
        raise Failure("this is no run of %s: its build is another" % gdb.current_progspace().filename)


class Machine:
    """The machine as it stands; made anew by each command."""

    def __init__(self):
        if not gdb.selected_inferior().pid:
            raise Failure("nothing runs and no core is open")
        try:
            m = Thing("co_machine", number_of("co_machine"))
        except (gdb.error, TypeError):
            raise Failure("this image has no debug information of Cohart's runtime")
        check_image()
        self.m = m
        self.harts = m["harts"]
        self.spm, self.main_parts = m["spm"], m["main_parts"]
        self.tables, self.table_bytes = m["tables"], m["table_bytes"]
        self.hz = m["hz"]
        if not self.spm or not m["main"]:
            raise Failure("the machine has not booted yet: break main")
        self.is_process = bool(value("hal_board.is_process"))
        self.threads = self.find_threads()
        self.top = None
        Bulk.fetch(self.spm, m["spm_end"])
        slabs = value("fresh_high.v")
        if slabs and not self.is_process:
            Bulk.fetch(slabs, m["heap_end"])
        self.all = [Hart(self, i) for i in range(self.harts)]
        self.blocks = {}
        for hart in self.all:
            hart.coroutines = [c for c in hart.blocks(self)]
            self.blocks.update((c.address, c) for c in hart.coroutines)
        for hart in self.all:
            hart.current = hart.on_stack()
        self.live = [c for hart in self.all for c in hart.coroutines if c.is_live()]
        self.now = self.newest()

    def find_threads(self):
        """gdb's thread of each hart. QEMU's are in the order of hardware ids."""
        threads = sorted(gdb.selected_inferior().threads(), key=lambda t: t.num)
        if self.is_process:
            self.executors = {}
            found = {}
            with Selected(None):
                for t in threads:
                    t.switch()
                    try:
                        e = gdb.parse_and_eval("&co_executor")
                        if int(e["self"]):
                            found[int(e["hart"])] = t
                            self.executors[int(e["hart"])] = int(e)
                    except gdb.error:
                        pass
            return found
        ids = words(value("(unsigned long)hal_board.hwid"), value("hal_board.harts"))
        rank = {hwid: i for i, hwid in enumerate(sorted(ids))}
        return {hart: threads[rank[hwid]] for hart, hwid in enumerate(ids) if rank[hwid] < len(threads)}

    def executor_of(self, hart):
        if self.is_process:
            return self.executors.get(hart.number)
        if "executor" not in cache.constants:
            said = gdb.execute("info address co_executor", to_string=True)
            cache.constants["executor"] = int(re.search(r"offset (0x[0-9a-f]+)", said).group(1), 16)
        return hart.window["boot.tp"] + constant("TLS_HEAD") + cache.constants["executor"]

    def first_stack(self, hart):
        if self.top is None:
            self.top = hart.window["boot.sp"]
        return self.top

    def role(self, number):
        if self.harts == 1:
            return 3
        group = Thing("co_group", self.m["group"] + Struct.of("co_group").size * self.group(number))
        if number == group["manager"]:
            return 1
        return 2 if number < group["compute"] + group["computes"] else 4

    def group(self, number):
        return struct.unpack("<H", read(self.m["group_of"] + 2 * number, 2))[0]

    def newest(self):
        """The time now, in words of co_since(): on a machine the latest that any hart has noted."""
        if self.is_process:
            return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        look = value("last_look") or 0
        times = [c["since"] for c in self.live if c["since"]]
        newest = look >> constant("SINCE_SHIFT") & (1 << 8 * word_bytes()) - 1
        for t in times:
            if 0 < (t - newest) & (1 << 8 * word_bytes()) - 1 < 1 << 8 * word_bytes() - 1:
                newest = t
        return newest

    def ms(self, ticks):
        return ticks * 1000 // self.hz if self.hz else 0

    def find(self, what, several=False):
        """The coroutines of that id, address or name; unless there may be several, one."""
        alike = [c for c in self.live if what in (c.id, c.name) or what == "0x%x" % c.address]
        if not alike or len(alike) > 1 and not several:
            raise Failure("no coroutine '%s': info coroutines lists them" % what if not alike else
                          "'%s' are %d coroutines: %s" % (what, len(alike), " ".join(c.id for c in alike[:20])))
        return alike


class Selected:
    """with Selected(thread): it is, until the end."""

    def __init__(self, thread):
        self.thread = thread

    def __enter__(self):
        self.before = gdb.selected_thread()
        try:
            self.level = gdb.selected_frame().level() if self.before else 0
        except gdb.error:
            self.level = 0
        if self.thread:
            self.thread.switch()

    def __exit__(self, *_):
        if self.before and self.before.is_valid():
            self.before.switch()
            frame = frame_at(self.level) if self.level else None
            if frame:
                frame.select()


def frame_registers(thread):
    """(pc, sp) of a thread."""
    with Selected(thread):
        return value("(unsigned long)$pc"), value("(unsigned long)$sp")


# ---- Coroutines ----

KINDS = ("co_wait_join", "co_wait_mutex", "co_wait_barrier", "co_wait_counter", "co_wait_child")


def kind_is(kind, name):
    """Is that address, of a kind's text, the one of this name?"""
    if name not in cache.statics:
        cache.statics[name] = number_of(name) or -1
    return kind == cache.statics[name]


class Coroutine(Thing):
    def __init__(self, machine, hart, address, data, base):
        Thing.__init__(self, "co", address, data, base)
        self.machine, self.hart = machine, hart
        self.id = "%d.%d" % (hart.number, self["index"])

    @property
    def name(self):
        at = self["name"] if self["noted"] == self["generation"] else 0
        return (string_cached(at) or "?") if at else "unnamed"

    @staticmethod
    def name_at(address):
        c = Thing("co", address)
        at = c["name"] if c["noted"] == c["generation"] else 0
        return "'%s'" % (string_cached(at) or "?") if at else "'unnamed'"

    def is_live(self):
        return self["refs"] & (constant("RUNNING") | constant("SERVICE")) == constant("RUNNING")

    def is_here(self):
        """Is its hart on its stack?"""
        return self.hart.current == self.address

    def suspended_sp(self):
        """Its stack pointer where it is suspended; 0: it runs, or its hart sleeps on its stack."""
        return self.hart.aside() if self.is_here() else self["context.sp"]

    def waits(self):
        return bool(self["token"] & constant("ARMED"))

    def begins(self):
        """Has it not run yet? Its start may be under way to its hart."""
        return self["fresh"] or self.hart.window["inbox.start_slot"] == self.address or \
            kind_is(self["msg.run"], "co_start_msg") and self.place("msg") in self.hart.messages

    def state(self):
        if self.begins():
            return "not started"
        if self.waits():
            return "asleep" if self.is_here() else "parked"
        return "running" if self.is_here() else "ready"

    def wait_kind(self):
        if not self.waits():
            return 0
        if self["token"] & constant("AT_BARRIER"):
            return number_of("co_wait_barrier")
        return self["waits_kind"]

    def others(self):
        """The coroutines that can end the wait, where they are known: of a join, a mutex, a batch."""
        kind, at, blocks = self.wait_kind(), self["waits_for"], self.machine.blocks
        if kind_is(kind, "co_wait_join"):
            return [blocks[at]] if at in blocks else []
        if kind_is(kind, "co_wait_mutex"):
            try:
                owner = word(at)
            except Failure:
                return []
            return [blocks[owner]] if owner in blocks else []
        if kind_is(kind, "co_wait_counter") or kind_is(kind, "co_wait_child"):
            return [c for c in self.machine.live if c["batch"] == at]
        return []

    def waits_for(self):
        """As reports of the runtime say it (runtime/fault/stuck.c)."""
        kind, at = self.wait_kind(), self["waits_for"]
        if not kind:
            return ""
        others = self.others()
        text = string_cached(kind) or "?"
        if others and kind_is(kind, "co_wait_counter"):
            text = "end of batch"
        if others and kind_is(kind, "co_wait_join"):
            return "%s '%s' on hart %d" % (text, others[0].name, others[0].hart.number)
        if at:
            text += " " + symbol(at)
        if others and kind_is(kind, "co_wait_mutex"):
            text += ", which '%s' on hart %d has" % (others[0].name, others[0].hart.number)
        elif others:
            text += ", of which '%s' on hart %d %s not ended" % (
                others[0].name, others[0].hart.number,
                "and %d more have" % (len(others) - 1) if len(others) > 1 else "has")
        return text

    def since(self):
        """Milliseconds that it has waited, '12 ms'; with a deadline: '12 of 100 ms'."""
        if not self.waits():
            return ""
        span, bits = self.machine.now - self["since"], 8 * word_bytes()
        span &= (1 << bits) - 1
        shift = constant("SINCE_SHIFT")
        span = 0 if span >> bits - 1 else span << shift
        text = "%d" % self.machine.ms(span)
        low, deadline = self["deadline"], 0
        deadline = low if word_bytes() == 8 else low | word(self.place("deadline") + 4) << 32
        if deadline != (1 << 64) - 1:
            text += " of %d" % self.machine.ms(max(deadline - (self["since"] << shift), 0))
        return text + " ms"

    def top(self):
        """The innermost line of the program; '?': its stack makes no sense, as in the middle of a switch."""
        try:
            return self.innermost()
        except (Failure, gdb.error, OverflowError):
            return "?"

    def innermost(self):
        if self.begins():
            return "begins with " + symbol(self["fn"])
        if not self.hart.thread:
            return "?"
        if not self.suspended_sp():
            with Selected(self.hart.thread):
                return top_of(gdb.newest_frame())
        return top_of_suspended(self)

    def row(self):
        return (self.id, self.name, self.state(), str(self.hart.number), self.waits_for(), self.since(), self.top())


def string_cached(at):
    key = "text", at
    if key not in cache.names:
        cache.names[key] = string(at)
    return cache.names[key]


def older(frame):
    try:
        return frame.older()
    except gdb.error:
        return None


def top_of(frame):
    first = frame
    for _ in range(40): # code without debug information may have no last frame
        if frame and not is_programs(frame):
            frame = older(frame)
    return line_of(frame or first)


ROUTE_BELOW, ROUTE_BYTES = 128, 640


def top_of_suspended(c):
    """The line of a suspended coroutine. Its return addresses are found by gdb once for all coroutines that have the
    same ones at the same distances from their stack pointers: thousands are looked at by one read each."""
    sp = c.suspended_sp()
    try:
        stack = read(sp - ROUTE_BELOW, ROUTE_BYTES)
    except Failure:
        stack = b""
    w = word_bytes()
    form = struct.Struct("<Q" if w == 8 else "<I")
    routes = cache.routes.setdefault("all", [])
    for slots, text in routes:
        if stack and all(form.unpack_from(stack, at)[0] == pc for at, pc in slots):
            return text
    with Suspended(c) as base:
        frame, slots, low, complete = frame_at(base), [], 0, bool(stack)
        pc = frame.pc()
        while frame and not is_programs(frame):
            caller = older(frame)
            # A function that was left by a jump has no return address.
            if caller and caller.pc() != pc and caller.type() != gdb.TAILCALL_FRAME:
                pc = caller.pc()
                high = (int(caller.read_register("sp")) & mask()) - sp + ROUTE_BELOW
                at = [i for i in range(low, min(high, len(stack) - w + 1), w)
                      if form.unpack_from(stack, i)[0] == caller.pc()]
                complete &= bool(at)
                slots += [(i, caller.pc()) for i in at]
                low = max(high, 0)
            frame = caller
        text = line_of(frame) if frame else "in a call by %s" % symbol(c["fn"]) # which was a jump
    if complete and slots and frame:
        routes.insert(0, (slots, text))
    return text


# ---- Frames of coroutines that do not run ----


class Id:
    def __init__(self, sp, pc):
        self.sp, self.pc = gdb.Value(sp), gdb.Value(pc)


class Unwinder(gdb.unwinder.Unwinder if hasattr(gdb, "unwinder") else object):
    """Puts a suspended coroutine behind the frame that its hart is in: that frame's caller is where the coroutine was
    suspended (hal_context_suspended, hal/arch/), with its stack pointer. From there gdb follows the debug
    information. The frame itself belongs to another: commands count from the one behind."""

    def __init__(self):
        super().__init__("cohart")
        self.at = None # (the hart's pc, its sp, the coroutine's sp)

    def __call__(self, pending):
        if not self.at:
            return None
        pc, sp, to = self.at
        if int(pending.read_register("sp")) & mask() != sp or int(pending.read_register("pc")) & mask() != pc:
            return None
        info = pending.create_unwind_info(Id(to - 4096, pc))
        where = number_of("hal_context_suspended")
        for name, what in (("pc", where), ("sp", to)):
            kind = pending.read_register(name).type
            info.add_saved_register(name, gdb.Value(what).cast(gdb.lookup_type("unsigned long")).cast(kind))
        for name in ("gp", "tp"): # they are the hart's
            try:
                info.add_saved_register(name, pending.read_register(name))
            except ValueError:
                break
        return info


def mask():
    return (1 << 8 * word_bytes()) - 1


try:
    import gdb.unwinder

    unwinder = type("CohartUnwinder", (Unwinder, gdb.unwinder.Unwinder), {})()
    gdb.unwinder.register_unwinder(None, unwinder, replace=True)
except ImportError:
    unwinder = None


def frame_at(level):
    frame = gdb.newest_frame()
    for _ in range(level):
        frame = older(frame) if frame else None
    return frame


class Suspended:
    """with Suspended(coroutine) as level: its hart's thread is selected, and its frames begin at that level."""

    def __init__(self, c):
        self.c = c

    def __enter__(self):
        c = self.c
        if not c.hart.thread:
            raise Failure("hart %d is none of gdb's threads" % c.hart.number)
        self.selected = Selected(c.hart.thread)
        self.selected.__enter__()
        if not c.suspended_sp():
            return 0
        try:
            pc, sp = frame_registers(c.hart.thread)
            unwinder.at = pc & mask(), sp & mask(), c.suspended_sp()
            gdb.invalidate_cached_frames()
            frame, level = gdb.newest_frame(), 0
            while frame and frame.type() == gdb.INLINE_FRAME:
                frame, level = frame.older(), level + 1
            return level + 1
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        if unwinder.at:
            unwinder.at = None
            gdb.invalidate_cached_frames()
        self.selected.__exit__()


def execute_in(c, command):
    """Run a command of gdb's in a coroutine: frames have the numbers that they would have if it ran."""
    if c.begins():
        print("not started yet: it begins with %s, arg 0x%x" % (symbol(c["fn"]), c["arg"]))
        return
    with Physical(False), Suspended(c) as base:
        command = re.sub(r"^((?:f|frame|bt|backtrace|where)(?:\s.*)?\s)(\d+)$",
                         lambda f: "%s%d" % (f[1], int(f[2]) + base), command)
        before = frame_at(base)
        before.select()
        said = gdb.execute("with suppress-cli-notifications on -- " + command, to_string=True)
        if gdb.selected_frame() != before:
            said += gdb.execute("frame", to_string=True)
    shown = True
    for line in said.splitlines(True):
        number = re.match(r"#(\d+)(\s+)", line)
        if number:
            level = int(number[1]) - base
            # A coroutine's first function has no caller.
            shown = level >= 0 and not re.match(r"#\d+\s+0x0+ in \?\?", line)
            line = "#%-3d" % level + line[number.end():]
        if shown and not line.startswith("Backtrace stopped: "):
            print(line, end="")
