#!/usr/bin/env python3
"""convert.py - a run's timeline, from the memory that it leaves, to Perfetto's format (docs/seeing.md).

usage: convert.py IMAGE.elf MEMORY FILE.pftrace
A process is a group, its threads are harts, with a slice for each time that a coroutine has the hart; each coroutine
has a track of its own beside them: runs, is ready, waits for what. Arrows go from a wake-up, or a spawn, to the run
that follows. Events are taken by their times and written at once, so that memory is that of the coroutines.
"""
import itertools
import sys

import decoder
import image
import memory
import perfetto
from memory import FAULT, IS_BEGIN, IS_COUNT, IS_END, IS_VALUE, KINDS, MARKS, SWITCH, WAYPOINT
from perfetto import BEGIN, INSTANT


class Coroutine:
    """One of a block's, whose number is also that of its arrows: with how many wake-ups came before."""
    __slots__ = ("number", "name", "track", "spawned", "state", "flow", "woken", "spans", "span_track")

    def __init__(self, number, name):
        self.number, self.name = number, name
        self.spawned = self.state = None
        self.track = self.flow = self.woken = self.span_track = 0
        self.spans = ()


class Converter(decoder.Decoder):
    def __init__(self, elf, ram, out):
        super().__init__(elf, ram)
        self.out, self.counts, self.names = perfetto.Writer(out), {}, {}
        self.bits = 8 * ram.head["word"]
        self.tracks = self.coroutines = self.messages = 0
        self.under_way, self.free = {}, []  # by place and number; tracks of transfers

    def new_track(self, *words, **more):
        self.tracks += 1
        self.out.track(self.tracks, *words, **more)
        return self.tracks

    def name_all(self, rings):
        """Names of coroutines whose spawns have been dropped: from where they go on first."""
        for ring, stamp, what, value, who in (e for part in memory.merged(rings) for e in part):
            if what == SWITCH and not who & MARKS:
                self.names.setdefault(who << 16 | stamp & 0xffff, value)
        for ring in rings:
            ring.rewind()

    def appears(self, key, name):
        name = name or self.names.get(key, 0)
        self.coroutines += 1
        return Coroutine(self.coroutines - 1, self.text(name) if name else "coroutine")

    def own(self, c, ring):
        """A first event of c's own, on the hart of this ring; returns a note of that."""
        c.track = self.new_track("%s %d" % (c.name, c.number), parent=ring.group_track, rank=1000 + c.number)
        if c.spawned is not None:
            now = self.out.ns
            self.out.at(c.spawned)
            self.out.event(BEGIN, c.track, "not started")
            self.out.at(now)
            c.state = "not started"
        return perfetto.note("hart", ring.hart)

    def becomes(self, ring, c, state, more=b""):
        if not c.track:
            more += self.own(c, ring)
        if c.state:
            self.out.event(perfetto.END, c.track)
        c.state = state
        if state:
            self.out.event(BEGIN, c.track, state, more)
        else:
            self.end_spans(c, 0)

    def stops(self, ring, state):
        if ring.running:
            self.out.event(perfetto.END, ring.thread)
            if state == "ready":
                self.becomes(ring, ring.running, state)
            ring.running = None

    def runs(self, ring, c):
        self.out.event(BEGIN, ring.thread, c.name)
        self.becomes(ring, c, "runs", perfetto.flow_to(c.flow) if c.flow else b"")
        c.flow = 0

    def wakes(self, ring, who, stamp, away, by_running):
        """By who is on this hart, or by a message, or by the clock. The wake-up of c's spawn is noted."""
        c = self.coroutine(who, stamp)
        if (away or by_running) and (c.track or c.spawned is None):
            c.woken += 1
            c.flow = c.number + 1 << 32 | c.woken
            self.out.event(INSTANT, ring.thread, "wakes " + c.name, perfetto.flow_from(c.flow))
        if c.state and c.state.startswith("waits"):
            self.becomes(ring, c, "ready")

    def spawns(self, ring, c):
        c.spawned, c.flow = self.out.ns, c.number + 1 << 32
        self.out.event(INSTANT, ring.thread, "spawns " + c.name, perfetto.flow_from(c.flow))

    def notes(self, ring, what, value):
        if what == FAULT:
            at = self.elf.function(value)
            self.out.event(INSTANT, ring.thread, "fault" + (" in " + at if at else ""))
        elif what == WAYPOINT:
            self.out.event(INSTANT, ring.thread, self.text(value))
        elif what >= KINDS:
            self.out.event(INSTANT, ring.thread, self.text(what), perfetto.note("value", self.signed(value)))

    def passes(self, ring, sent, kind, key, size):
        """A message or a transfer begins, or is at its end: an arrow, and of a transfer a slice."""
        out, moves = self.out, kind == "transfer"
        if sent:
            self.messages += 1
            flow, more, track = 1 << 63 | self.messages, perfetto.note("bytes", size), 0
            if moves:
                track = self.free.pop() if self.free else self.new_track("transfers", rank=2000)
                out.event(BEGIN, track, kind)
            self.under_way.setdefault(key, []).append((flow, track, more))
            out.event(INSTANT, ring.thread, ("begins " if moves else "sends ") + kind, perfetto.flow_from(flow) + more)
        elif self.under_way.get(key):
            flow, track, more = self.under_way[key].pop(0)
            if track:
                out.event(perfetto.END, track, None, more)
                self.free.append(track)
            out.event(INSTANT, ring.thread, ("ends " if moves else "receives ") + kind, perfetto.flow_to(flow))

    def signed(self, value):
        return value - (value >> self.bits - 1 << self.bits)

    def mark(self, mark, name, value, block, stamp):
        if mark == IS_COUNT:
            track = self.counts.get(name)
            if track is None:
                track = self.counts[name] = self.new_track(name, counter=True)
            self.out.event(perfetto.COUNTER, track, None, perfetto.count(self.signed(value)))
        elif block:
            c = self.coroutine(block, stamp)
            if value and mark in (IS_BEGIN, IS_END):  # a function's
                name += " " + self.text(value)
            if mark == IS_BEGIN:
                if not c.span_track:  # below the coroutine's, since spans go on over waits
                    if not c.track:
                        return
                    c.span_track, c.spans = self.new_track("spans", parent=c.track), []
                c.spans.append((name, {}))
                self.out.event(BEGIN, c.span_track, name)
            elif mark == IS_VALUE:
                if c.spans:
                    c.spans[-1][1][name] = self.signed(value)
            elif name in [span for span, _ in c.spans]:  # those in it end, too
                self.end_spans(c, max(i for i, (span, _) in enumerate(c.spans) if span == name))

    def end_spans(self, c, left):
        for _, values in reversed(c.spans[left:]):  # what is noted at an end is of the whole slice
            self.out.event(perfetto.END, c.span_track, None, b"".join(map(perfetto.note, values, values.values())))
        c.spans = c.spans[:left]

    def run(self):
        rings, out = self.ram.rings(), self.out
        groups = {}
        for ring in rings:
            if ring.group not in groups:  # its process: as of its first hart, whom a viewer takes for the main thread
                groups[ring.group] = (ring.hart + 1, self.new_track("group %d" % ring.group, process=ring.hart + 1,
                                                                    rank=ring.group))
            process, ring.group_track = groups[ring.group]
            ring.thread = self.new_track("hart %d (%s)" % (ring.hart, ring.role), parent=ring.group_track,
                                         rank=ring.hart, thread=(process, ring.hart + 1))
            ring.running = None
        if any(ring.lost for ring in rings):
            self.name_all(rings)
        fresh, hz = {ring for ring in rings if ring.lost}, self.hz
        for part in memory.merged(rings):
            for ring, stamp, what, value, who in part:
                out.at((stamp >> 16) * 1000000000 // hz)
                if ring in fresh:
                    fresh.remove(ring)
                    out.event(INSTANT, ring.thread, "%d earlier events were overwritten" % ring.lost)
                self.event(ring, stamp, what, value, who)
            out.flush()
        for ring in rings:
            self.stops(ring, None)
        for _, track, _ in itertools.chain(*self.under_way.values()):
            if track:
                out.event(perfetto.END, track)
        for c in self.all.values():
            if c.track or c.spawned is not None:
                self.becomes(rings[0], c, None)
        out.flush()
        return sum(r.count - r.lost for r in rings), sum(r.lost for r in rings)


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
