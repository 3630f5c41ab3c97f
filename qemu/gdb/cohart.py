"""cohart.py - Cohart's coroutines, harts and objects for gdb; docs/seeing.md shows its commands.

All of it reads memory: no function of the program is called, and no register is written, so that a hart that
hangs and a core are as good as a program that runs. Types and constants come from the image's debug information
(enum co_debug: runtime/fault/debugger.c). Two views of a machine's memory are used: tables read physical addresses,
since each hart's private scratchpad is mapped on that hart alone; frames are read as their own hart sees memory.
"""
import os
import re
import struct
import sys

import gdb

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from cohart_machine import * # noqa

# ---- Commands ----


def table(head, rows, limit=100):
    """Columns as wide as what is in them; the last has what is left."""
    rows = [tuple(str(x) for x in r) for r in rows]
    widths = [min(max(len(r[i]) for r in [head] + rows), limit) for i in range(len(head) - 1)]
    for r in [head] + rows:
        print("  ".join([x.ljust(w) for x, w in zip(r, widths)] + [r[-1]]).rstrip())


class Command(gdb.Command):
    """A command whose failures are one line."""

    def __init__(self, name, run, doc, prefix=False):
        self.__doc__ = doc
        self.run = run
        super().__init__(name, gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, prefix)

    def invoke(self, arg, tty):
        self.dont_repeat()
        try:
            with Physical():
                self.run(arg.strip())
        except gdb.MemoryError as e:
            raise Failure(str(e))
        finally:
            Bulk.parts = []


def info_coroutines(arg):
    m = Machine()
    rows = [c.row() for c in m.live if not arg or arg in (c.name, c.state(), str(c.hart.number))]
    table(("id", "name", "state", "hart", "waits for", "since", "at"), rows)
    print("%d coroutines on %d harts" % (len(rows), m.harts))


def coroutine(arg):
    what, _, command = arg.partition(" ")
    m = Machine()
    if what == "apply":
        which, _, command = command.strip().partition(" ")
        chosen = m.live if which == "all" else m.find(which, several=True)
    elif what:
        chosen = m.find(what)
    else:
        raise Failure("coroutine ID COMMAND, or coroutine apply all COMMAND; info coroutines lists them")
    for c in chosen:
        if what == "apply" or not command:
            print("%s'%s' (%s) on hart %d, %s%s" % (
                "\n" if what == "apply" else "", c.name, c.id, c.hart.number, c.state(),
                ", waits for %s since %s" % (c.waits_for(), c.since()) if c.waits() else ""))
        if command:
            execute_in(c, command)
        else:
            print("  at " + c.top())


Command("info coroutines", info_coroutines, """List coroutines: info coroutines [NAME|STATE|HART]
What each waits for, since when, and the innermost line of the program.""")
Command("coroutine", coroutine, """Run a command in a coroutine: coroutine ID bt, up, frame 2, info locals, p x.
ID is of info coroutines, or a name that one coroutine has. coroutine apply all COMMAND runs it in each.""")


# ---- Tables of objects ----


def harts(arg):
    m = Machine()
    rows = []
    for h in m.all:
        idle, lost = h.window["inbox.idle"], h.window["lost"]
        state = "lost" if lost else "awake" if idle == 0 else "asleep"
        current = m.blocks.get(h.current)
        live = [c for c in h.coroutines if c.is_live()]
        with Selected(h.thread):
            at = top_of(gdb.newest_frame()) if h.thread else "?"
        rows.append((h.number, ROLES[h.role], m.group(h.number), h.thread.num if h.thread else "-", state,
                     "%s (%s)" % (current.name, current.id) if current and current.is_live() else "-",
                     sum(c.state() == "ready" for c in live), len(live), len(h.messages), at))
    table(("hart", "role", "group", "thread", "state", "coroutine", "ready", "all", "messages", "at"), rows)


def objects(kind):
    """Addresses of the image's static variables of that struct."""
    if kind not in cache.statics:
        found, file = {}, ""
        for line in gdb.execute("info variables -q -t '^struct %s$'" % kind, to_string=True).splitlines():
            if line.startswith("File "):
                file = line[5:].rstrip(":")
            name = re.search(r"(\w+);$", line)
            at = value("(unsigned long)&'%s'::%s" % (file, name[1])) if name else None
            if at and at >= constant("WINDOW_BYTES"): # no offset of a hart's variable
                found[at] = name[1]
        cache.statics[kind] = found
    return dict(cache.statics[kind])


def waiters(m):
    """Who waits for the object at an address."""
    found = {}
    for c in m.live:
        if c.waits():
            found.setdefault(c["waits_for"], []).append(c)
    return found


def listed(coroutines):
    names = ["'%s' (%s)" % (c.name, c.id) for c in coroutines[:4]]
    return ", ".join(names) + (" and %d more" % (len(coroutines) - 4) if len(coroutines) > 4 else "") or "-"


def is_channel(c):
    kind = c.wait_kind()
    return any(kind_is(kind, k) for k in ("co_chan_element", "co_chan_taker", "co_chan_room"))


def elements(chan):
    """The elements in a channel, oldest first, each as a number or its first bytes."""
    first, size = chan["ring.slots"], chan["ring.stride"]
    n, bytes_each = chan["ring.last"] // constant("RING_STEP") + 1, chan["elem_size"]
    if not size or n * size > 1 << 20:
        return None
    slots = read(first, n * size)
    form = struct.Struct("<Q" if word_bytes() == 8 else "<I")
    full = []
    for i in range(n):
        stamp = form.unpack_from(slots, i * size)[0]
        if stamp & constant("RING_FULL"):
            payload = slots[i * size + 8:i * size + 8 + bytes_each]
            full.append((stamp // constant("RING_STEP"), i, int.from_bytes(payload, "little", signed=True)
                         if bytes_each in (1, 2, 4, 8) else payload[:16].hex()))
    return [e for _, _, e in sorted(full)]


def channels(arg):
    m = Machine()
    waiting = {at: [c for c in cs if is_channel(c)] for at, cs in waiters(m).items()}
    found = objects("co_chan")
    found.update((at, symbol(at)) for at, cs in waiting.items() if cs and at not in found)
    rows = []
    for at, name in sorted(found.items()):
        chan = Thing("co_chan", at)
        inside = elements(chan)
        who = waiting.get(at, [])
        room = [c for c in who if not kind_is(c.wait_kind(), "co_chan_element")]
        rows.append((name, "?" if inside is None else len(inside),
                     chan["ring.last"] // constant("RING_STEP") + 1, chan["elem_size"],
                     "closed" if chan["ring.final"] else "open",
                     listed([c for c in who if c not in room]), listed(room),
                     " ".join(map(str, (inside or [])[:8])) + (" ..." if len(inside or []) > 8 else "")))
    table(("channel", "full", "of", "bytes", "state", "receivers wait", "senders wait", "elements"), rows)


def barriers(arg):
    m = Machine()
    waiting = {at: [c for c in cs if kind_is(c.wait_kind(), "co_wait_barrier")] for at, cs in waiters(m).items()}
    found = objects("co_barrier")
    found.update((at, symbol(at)) for at, cs in waiting.items() if cs and at not in found)
    rows = []
    for at, name in sorted(found.items()):
        b = Thing("co_barrier", at)
        episodes = []
        for i in range(b["members"]):
            data = word(b["table"] + i * word_bytes()) if b["table"] else b["first"] + i * b["stride"]
            episodes.append(Thing("co_barrier_member", data)["rest.value"] if data else 0)
        latest = max(episodes, default=0)
        missing = [str(i) for i, e in enumerate(episodes) if e != latest]
        if not waiting.get(at):
            missing = []
        rows.append((name, b["members"], len(waiting.get(at, [])), listed(waiting.get(at, [])),
                     " ".join(missing[:16]) + (" ..." if len(missing) > 16 else "") or "-"))
    table(("barrier", "members", "waiting", "who", "members that have not come"), rows)


def hart_var(m, name, hart):
    """Address of a hart's copy of a variable (core/hart_var.h), or None."""
    at = number_of("co_hart_var_" + name)
    if at is None:
        return None
    if m.is_process:
        at -= number_of("__start_co_hart_vars") - Struct.of("co_hart").size - Struct.of("co_area").size
    return hart.address + at


def mailboxes(arg):
    m = Machine()
    if number_of("co_hart_var_mailboxes") is None:
        print("this image has no mailboxes")
        return
    kind = Struct.of("co_mailboxes")
    queues = member(kind.type, "queue")[1]
    n, size = queues.range()[1] + 1, queues.target().sizeof
    waiting = waiters(m)
    rows = []
    for h in m.all:
        at = hart_var(m, "mailboxes", h)
        data = read(at, kind.size)
        for q in range(n):
            base = kind.offset("queue") + q * size
            queue = Thing("co_mail_queue", at + base, data, base)
            tag = struct.unpack_from("<H", data, kind.offset("tags") + 2 * q)[0] if q < 4 else 0
            used = queue["messages.used"] & int(gdb.parse_and_eval("CO_MAILQ_AWAITED")) - 1 if "messages" in [
                f.name for f in queue.kind.type.fields()] else 0
            # A waiter names its queue of the hart's queue; one that takes any message is listed with the last.
            who = [c for place, cs in waiting.items() for c in cs if 0 <= place - at - base < size or
                   q == n - 1 and at <= place < at + kind.offset("queue")]
            if tag or used or who or arg == "all":
                rows.append((h.number, q, tag - 1 if tag else "others", used, listed(who)))
    table(("hart", "queue", "tag", "words", "who waits"), rows)


def spm(arg):
    m = Machine()
    unit = Struct.of("co_heap_block").size
    rows = []
    for h in m.all:
        taken = m.m["with_stack"] & word(h.window.place("made")) & ~word(h.window.place("free"))
        rows.append((h.number, "0x%x" % h.address, h.window["heap.used"] * unit, h.window["heap.high"] * unit,
                     h.window["heap.units"] * unit, bin(taken).count("1"), m.m["spm_stacks"], h.window["slabs"]))
    table(("hart", "window", "heap used", "most", "of", "stacks used", "of", "slabs"), rows)


def heap(arg):
    m = Machine()
    room = (value("fresh_lines.v") or 0) * constant("LINE")
    table(("part of main memory", "from", "to", "KiB"), [
        ("stacks with guard pages", "0x%x" % m.m["stacks_base"], "0x%x" % m.m["stacks_end"],
         m.m["stacks_end"] - m.m["stacks_base"] >> 10),
        ("malloc()'s heap, and slabs from the end", "0x%x" % m.m["heap_base"], "0x%x" % m.m["heap_end"],
         m.m["heap_end"] - m.m["heap_base"] >> 10),
        ("  given out as slabs", "0x%x" % value("fresh_high.v"), "0x%x" % m.m["heap_end"],
         m.m["heap_end"] - value("fresh_high.v") >> 10),
        ("  nobody's yet", "", "", room >> 10)])


def waits(arg):
    """The graph of what waits for what, cycles first."""
    m = Machine()
    waiting = [c for c in m.live if c.waits()]
    seen, on_cycle = set(), set()
    for start in waiting:
        path, c = [], start
        while c and c.waits() and c.address not in seen:
            seen.add(c.address)
            path.append(c)
            c = (c.others() or [None])[0]
        if c in path:
            cycle = path[path.index(c):]
            on_cycle.update(p.address for p in cycle)
            print("cycle: " + " -> ".join("'%s' (%s) waits for %s" % (p.name, p.id, short(p)) for p in cycle) +
                  " -> '%s' (%s)" % (c.name, c.id))
    groups = {}
    for c in waiting:
        groups.setdefault((short(c), tuple(o.id for o in c.others())), []).append(c)
    rows = []
    for (what, _), cs in groups.items():
        others = cs[0].others()
        rows.append((("* " if any(c.address in on_cycle for c in cs) else "") + listed(cs), what,
                     listed(others) if others else "the clock" if what == "sleep" else "?"))
    table(("who", "waits for", "which ends by"), rows)


def short(c):
    return (string_cached(c.wait_kind()) or "?") + (
        " " + symbol(c["waits_for"]) if c["waits_for"] and c["waits_for"] not in c.machine.blocks else "")


# ---- Reports and cores ----


def channels_waited_for(arg):
    m = Machine()
    if any(is_channel(c) for c in m.live):
        channels("")


def stacks(arg):
    """The program's stack of each coroutine."""
    for c in Machine().live:
        print("\n'%s' (%s) on hart %d, %s%s" % (
            c.name, c.id, c.hart.number, c.state(), ", waits for " + c.waits_for() if c.waits() else ""))
        try:
            execute_in(c, "bt 24")
        except Exception as e: # a damaged one is no reason to leave out the others
            print("  no stack: %s" % e)


def events(arg):
    """The last events of each hart (co_trace(), way-points, faults; with a timeline what its scheduler did, too)."""
    m = Machine()
    ring, kinds = Struct.of("co_trace_ring"), {f.enumval: f.name[9:].lower() for f in
                                               gdb.lookup_type("enum co_trace_kind").fields()}
    what_, who_, shift = value("CO_EVENT_WHAT"), value("CO_EVENT_WHO"), value("CO_GENERATION_BITS")
    if None in (what_, who_, shift):
        return
    timeline = value("co_timeline")
    head = Thing("co_timeline_head", timeline) if timeline else None
    for h in m.all:
        place = head["rings"] + h.number * head["ring_bytes"] if head else h.area + Struct.of("co_area").offset("trace")
        r = Thing("co_trace_ring", place)
        for i in range(max(0, r["count"] - min(r["mask"], 8)), r["count"]):
            event = words(place + ring.size + (i & r["mask"]) * (who_ + 1) * word_bytes(), who_ + 1)
            who, stamp = event[who_], event[0] | (event[1] << 32 if what_ > 1 else 0)
            is_wait = who & 7 == value("CO_EVENT_IS_WAIT")
            is_text = who & 7 or event[what_] not in kinds
            what = (string_cached(event[what_]) or "?") if is_text else kinds[event[what_]]
            text = "%d" % event[what_ + 1]
            if is_wait:
                what, text = "wait for", "%s 0x%x" % (what, event[what_ + 1])
            elif what == "waypoint":
                text = string_cached(event[what_ + 1]) or "?"
            ago = (m.now << shift) - stamp >> shift & (1 << 64 - shift) - 1
            print("hart %d: %d ms ago, %s %s" % (h.number, m.ms(ago) if ago < 1 << 62 - shift else 0, what, text))


def stacks_of_harts(arg):
    for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):
        with Selected(thread), Physical(False):
            print("\nthread %d: %s" % (thread.num, thread.name or ""))
            print(gdb.execute("bt 12", to_string=True), end="")


def triage(arg):
    """A report on all of it, for a run that hangs or is about to end; each part whatever becomes of the others."""
    print("cohart triage: %s%s" % (gdb.current_progspace().filename, ": " + arg if arg else ""))
    for head, run in (("coroutines", info_coroutines), ("who waits for whom", waits), ("harts", harts),
                      ("last events", events), ("channels that somebody waits for", channels_waited_for),
                      ("stacks of coroutines", stacks), ("stacks of harts", stacks_of_harts)):
        print("\n==== " + head)
        try:
            run("")
        except Exception as e:
            print("no answer: %s" % e)


def core(arg):
    """Write the machine's memory and registers: cohart core FILE."""
    if not arg:
        raise Failure("cohart core FILE")
    path = os.path.abspath(arg)
    try:
        open(path, "wb").close()
    except OSError as e:
        raise Failure("core %s: %s" % (arg, e.strerror))
    if isinstance(gdb.selected_inferior().connection, gdb.RemoteTargetConnection):
        said = gdb.execute("monitor dump-guest-memory \"%s\"" % path, to_string=True)
    else:
        said = gdb.execute("gcore %s" % path, to_string=True)
    if not os.path.getsize(path):
        raise Failure("core %s: %s" % (arg, said.strip() or "nothing was written"))
    print("core: %s, %d MiB" % (arg, os.path.getsize(path) >> 20))


Command("cohart", None, "Tables of a machine that runs Cohart.", prefix=True)
for run, doc in ((harts, "Harts: role, thread of gdb, state, what runs there, messages that have not been taken."),
                 (channels, "Channels: static ones, and those that somebody waits for."),
                 (mailboxes, "Receive queues of harts that are in use; cohart mailboxes all: all of them."),
                 (barriers, "Barriers: static ones, and those that somebody waits at."),
                 (spm, "Scratchpad windows: heap, stacks, slabs."), (heap, "Main memory behind the image."),
                 (events, "The last events of each hart."), (triage, "All of it: cohart triage [WHY]."),
                 (core, "Write a core: cohart core FILE."),
                 (waits, "Who waits for what, and who can end that; cycles first, and marked by *.")):
    Command("cohart " + run.__name__, run, doc)


# ---- Printers of public structs ----


class Printer:
    """One line for a struct: what a person asks of it first."""

    def __init__(self, said):
        self.said = said

    def to_string(self):
        return self.said


def number_in(v):
    while v.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        v = v[v.type.strip_typedefs().fields()[0]]
    return int(v)


def owner_name(at):
    if not at:
        return "free"
    try:
        return "locked by %s" % Coroutine.name_at(at)
    except (Failure, gdb.error):
        return "locked by 0x%x" % at


def print_channel(v):
    ring = v["ring"]
    full = elements(Thing("co_chan", int(v.address)))
    return "channel of %d elements of %d bytes, %s full%s" % (
        int(ring["last"]) // constant("RING_STEP") + 1, int(v["elem_size"]), "?" if full is None else len(full),
        ", closed" if number_in(ring["final"]) else "")


PRINTERS = {
    "co_a32": lambda v: "%d" % int(v["v"]),
    "co_aword": lambda v: "0x%x" % int(v["v"]),
    "co_mutex": lambda v: "mutex, " + owner_name(number_in(v["owner"])),
    "co_event": lambda v: "event, " + ("set" if number_in(v["set"]) else "not set"),
    "co_signal": lambda v: "signal, %d kept" % number_in(v["kept"]),
    "co_chan": print_channel,
    "co_barrier": lambda v: "barrier of %d members" % int(v["members"]),
    "co": lambda v: "coroutine %s of hart %d" % (Coroutine.name_at(int(v.address)), int(v["hart"])),
}


def printer(v):
    run = PRINTERS.get(v.type.strip_typedefs().unqualified().tag or "")
    if not run or (v.address is None and v.type.tag in ("co_chan", "co")):
        return None
    try:
        return Printer(run(v))
    except (Failure, gdb.error, KeyError):
        return None


gdb.pretty_printers.insert(0, printer)
gdb.execute("set backtrace limit 100") # code without debug information may have no last frame
