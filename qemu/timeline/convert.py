#!/usr/bin/env python3
"""convert.py - a run's timeline, from the memory that it leaves, to Perfetto's format (docs/seeing.md).

usage: convert.py IMAGE.elf MEMORY FILE.pftrace
A process is a group, its threads are harts, with a slice for each time that a coroutine has the hart; each coroutine
has a track of its own beside them: runs, is ready, waits for what. Arrows go from a wake-up to the run that follows.
"""
import bisect
import sys

import image
import memory
import perfetto
from memory import END, FAULT, IS_BEGIN, IS_COUNT, IS_WAIT, KINDS, MARKS, READY, SPAWN, SWITCH, WAKE, WAYPOINT
from perfetto import INSTANT


class Coroutine:
    """One of a block's: its own hart's events of it in their order, and wake-ups by others."""

    def __init__(self, number, block, hart):
        self.number, self.block, self.hart = number, block, hart
        self.name = None
        self.spawned = self.first = None  # when; when it ran first
        self.own = []  # time, kind, text or None
        self.wakes = []  # time, flow
        self.spans = []  # time, whether it begins, name
        self.track = 0


class Converter:
    def __init__(self, elf, ram, out):
        self.elf, self.ram, self.hz = elf, ram, ram.head["hz"]
        self.out = perfetto.Writer(out)
        self.texts, self.all, self.counts = {}, {}, {}
        self.bits = 8 * ram.head["word"]
        self.tracks = 0
        self.last = 0

    def new_track(self, *words, **more):
        self.tracks += 1
        self.out.track(self.tracks, *words, **more)
        return self.tracks

    def ns(self, stamp):
        return (stamp >> 16) * 1000000000 // self.hz

    def text(self, address):
        """What a name's or a text's address stands for: a text, or a function."""
        t = self.texts.get(address)
        if t is None:
            t = self.elf.function(address)
            if t is None:
                data = self.elf.read(address, 128) or self.ram.read(address, 128)
                end = data.find(b"\0")
                t = data[:end if end >= 0 else 64].decode("utf-8", "replace")
                if not t or not t.isprintable():
                    t = "0x%x" % address
            self.texts[address] = t
        return t

    def waits(self, kind, what, ns):
        """Of a block of several coroutines, one after another: the latest before the wait."""
        t = self.texts.get((kind, what))
        if t is None:
            t = "waits for " + self.text(kind)
            if what in self.of_block:
                begun, who = self.of_block[what]
                return "%s '%s'" % (t, who[max(bisect.bisect_right(begun, ns) - 1, 0)].name)
            if what:
                t += " " + (self.elf.object(what) or "0x%x" % what)
            self.texts[kind, what] = t
        return t

    def coroutine(self, block, generation, hart=None):
        key = block << 16 | generation
        c = self.all.get(key)
        if c is None:
            c = self.all[key] = Coroutine(len(self.all), block, hart)
        if hart is not None and c.hart is None:
            c.hart = hart
        return c

    def name_all(self, rings):
        """Who there is, and their names, which waits of others need."""
        for ring in rings:
            ring.events = list(ring.events)
            for stamp, what, value, who in ring.events:
                if who & MARKS:
                    continue
                if what == SPAWN:
                    c = self.coroutine(who, stamp & 0xffff)
                    c.name, c.spawned = self.text(value), self.ns(stamp)
                elif what == SWITCH:
                    c = self.coroutine(who, stamp & 0xffff, ring.hart)
                    if c.name is None:
                        c.name = self.text(value)
                    if c.first is None:
                        c.first = self.ns(stamp)
        self.of_block = {}  # of each block: since when, and who
        for c in sorted(self.all.values(), key=lambda c: (c.spawned or c.first or 0, c.number)):
            if c.name is None:
                c.name = "coroutine"
            begun, who = self.of_block.setdefault(c.block, ([], []))
            begun.append(c.spawned or c.first or 0)
            who.append(c)

    def flow(self, c):
        """A wake-up's number: of the coroutine, and how many came before."""
        return c.number << 32 | len(c.wakes) + 1

    def hart(self, ring, thread):
        out, running = self.out, None
        if ring.lost and ring.events:
            out.event(INSTANT, thread, self.ns(ring.events[0][0]), "%d earlier events were overwritten" % ring.lost)
        for stamp, what, value, who in ring.events:
            ns = self.ns(stamp)
            if what == SWITCH:
                c = self.coroutine(who, stamp & 0xffff, ring.hart)
                if running:
                    out.event(perfetto.END, thread, ns)
                    running.own.append((ns, READY, None))
                running = c
                ring.runs.append((ns, c))
                c.own.append((ns, SWITCH, None))
                out.event(perfetto.BEGIN, thread, ns, c.name)
            elif who & MARKS > IS_WAIT:
                self.mark(ns, who & MARKS, self.text(what), value, who & ~MARKS, stamp & 0xffff)
            elif who & MARKS or what == END:
                c = self.coroutine(who & ~MARKS, stamp & 0xffff, ring.hart)
                if running:
                    out.event(perfetto.END, thread, ns)
                running = None
                c.own.append((ns, END, None) if what == END else (ns, memory.WAIT, self.waits(what, value, ns)))
            elif what in (WAKE, READY):
                c = self.coroutine(who, stamp & 0xffff, ring.hart if what == READY else None)
                if what == WAKE or value:
                    flow = self.flow(c)
                    out.event(INSTANT, thread, ns, "wakes " + c.name, perfetto.flow_from(flow))
                    c.wakes.append((ns, flow))
                else:
                    c.wakes.append((ns, 0))
            elif what == SPAWN:
                out.event(INSTANT, thread, ns, "spawns " + self.text(value))
            elif what == WAYPOINT:
                out.event(INSTANT, thread, ns, self.text(value))
            elif what == FAULT:
                at = self.elf.function(value)
                out.event(INSTANT, thread, ns, "fault" + (" in " + at if at else ""))
            elif what >= KINDS:
                value -= value >> 63 << 64
                out.event(INSTANT, thread, ns, self.text(what), perfetto.note("value", value))
            self.last = max(self.last, ns)
        if running:
            running.own.append((self.last, None, None))
            ring.open = True

    def mark(self, ns, mark, name, value, block, generation):
        if mark == IS_COUNT:
            self.counts.setdefault(name, []).append((ns, value - (value >> self.bits - 1 << self.bits)))
        elif block:
            self.coroutine(block, generation).spans.append((ns, mark == IS_BEGIN, name))

    def spans(self, c):
        """A track below the coroutine's, since spans go on over waits."""
        track, names = self.new_track("spans", parent=c.track), []
        for ns, begins, name in c.spans:
            if begins:
                names.append(name)
                self.out.event(perfetto.BEGIN, track, ns, name)
            elif name in names:  # those in it end, too
                while names.pop() != name:
                    self.out.event(perfetto.END, track, ns)
                self.out.event(perfetto.END, track, ns)
        for _ in names:
            self.out.event(perfetto.END, track, self.last)

    def own_track(self, c):
        """A coroutine's own track. What its hart has noted is in order; a wake-up belongs before the run behind it."""
        out, state, wakes, w = self.out, None, sorted(c.wakes), 0

        def becomes(ns, text, more=b""):
            nonlocal state
            if state:
                out.event(perfetto.END, c.track, max(ns, state[1]))
            state = (text, max(ns, state[1] if state else 0)) if text else None
            if text:
                out.event(perfetto.BEGIN, c.track, state[1], text, more)

        if c.spawned is not None:
            becomes(c.spawned, "not started")
        for ns, kind, text in c.own:
            if kind == SWITCH:
                flow = 0
                while w < len(wakes) and wakes[w][0] <= ns:
                    if state and state[0].startswith("waits"):
                        becomes(wakes[w][0], "ready")
                    flow = wakes[w][1] or flow
                    w += 1
                becomes(ns, "runs", perfetto.flow_to(flow) if flow else b"")
            elif kind == READY:
                becomes(ns, "ready")
            elif kind == END:
                becomes(ns, None)
            elif kind is not None:
                becomes(ns, text)
        if w < len(wakes) and state and state[0].startswith("waits"):
            becomes(wakes[w][0], "ready")
        if state:
            becomes(max(self.last, state[1]), None)

    def run(self):
        rings = self.ram.rings()
        self.name_all(rings)
        groups, threads = {}, []
        ids = {}  # of a group's process: as of its first hart, whom a viewer takes for the main thread
        for ring in rings:
            if ring.group not in groups:
                ids[ring.group] = ring.hart + 1
                groups[ring.group] = self.new_track("group %d" % ring.group, process=ids[ring.group], rank=ring.group)
            threads.append(self.new_track("hart %d (%s)" % (ring.hart, ring.role), parent=groups[ring.group],
                                          thread=(ids[ring.group], ring.hart + 1), rank=ring.hart))
            ring.runs, ring.open = [], False
        for ring, thread in zip(rings, threads):
            self.hart(ring, thread)
        for ring, thread in zip(rings, threads):
            if ring.open:
                self.out.event(perfetto.END, thread, self.last)
        for c in sorted(self.all.values(), key=lambda c: (c.hart or 0, c.number)):
            if not c.own and c.spawned is None:
                continue
            group = groups[rings[c.hart].group] if c.hart is not None else groups[rings[0].group]
            c.track = self.new_track("%s %d" % (c.name, c.number), parent=group, rank=1000 + c.number)
            self.own_track(c)
            if c.spans:
                self.spans(c)
        for name in sorted(self.counts):
            track = self.new_track(name, counter=True)
            for ns, n in sorted(self.counts[name], key=lambda at: at[0]):
                self.out.event(perfetto.COUNTER, track, ns, None, perfetto.count(n))
        self.out.close()
        return sum(min(r.count, self.ram.head["events"] - 1) for r in rings), sum(r.lost for r in rings)


def main(elf, path, to):
    try:
        ram, known = memory.Memory(path), image.Image(elf)
        with open(to, "wb") as out:
            noted, lost = Converter(known, ram, out).run()
    except memory.Bad as e:
        print("timeline: %s" % e, file=sys.stderr)
        return 1
    except OSError as e:
        print("timeline: %s: %s" % (e.filename or to, e.strerror), file=sys.stderr)
        return 1
    if lost:
        print("timeline: %s has the last %d events; %d earlier ones were overwritten (--timeline=N keeps N a hart)" %
              (to, noted, lost), file=sys.stderr)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
