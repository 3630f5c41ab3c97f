#!/usr/bin/env python3
"""top.py - a view of a run that is on, in a terminal, twice a second: qemu/run --top starts it (docs/seeing.md).

usage: top.py IMAGE.elf MEMORY OUTPUT END
MEMORY and OUTPUT are files of qemu/run's, whose pipe END is closed when the run has ended. All is read from the rings
of events, in memory that the machine has, too: the run goes on undisturbed, and if it hangs, that shows.
"""
import bisect
import curses
import os
import select
import signal
import sys
import time

import decoder
import image
import memory
from memory import SPAWN, WAKE

EVERY = 0.5  # seconds
OUTPUT_LINES = 5
KEYS = "q quit  space freeze  sort by: t time  w wait  n name  h hart  |  g who waits for what  d dump  arrows scroll"


class Coroutine:
    def __init__(self, name, key):
        self.name, self.key, self.on, self.state = name, key, None, "not started"
        self.since = self.counted = self.ran = self.waited = 0

    def count(self, ticks):
        """Add up what it has done until then."""
        spent = max(ticks - self.counted, 0)
        self.counted = max(ticks, self.counted)
        if self.state == "runs":
            self.ran += spent
            self.on.busy += spent
        elif self.state.startswith("waits"):
            self.waited += spent

    def becomes(self, state, ticks):
        self.count(ticks)
        self.state, self.since = state, ticks


class Hart:
    def __init__(self, ring):
        self.ring, self.number, self.running, self.seen = ring, ring.hart, None, ring.begin
        self.switches = self.wakes = self.busy = 0


class Live(decoder.Decoder):
    """What the events so far say: harts and coroutines, by control block and generation."""

    def __init__(self, elf, ram):
        super().__init__(elf, ram)
        self.harts = [Hart(ring) for ring in ram.rings()]
        self.held = []
        self.ticks = self.now = self.before = self.events = self.missed = 0
        self.looked = time.monotonic()
        self.past = 1.0

    def appears(self, key, name):
        if key >> 16 in self.latest:  # which has ended, even if that was missed
            self.all.pop(self.latest[key >> 16].key, None)
        return Coroutine(self.text(name) if name else "coroutine", key)

    def look(self):
        """Take what is new, in order of time. What may have a cause that is not read yet waits for the next look."""
        self.before, self.events = self.now, 0
        for h in self.harts:
            h.switches = h.wakes = h.busy = 0
        for _ in range(2):  # the second time all harts' events up to the latest of the first are there
            until = max((e[0] for e in self.held), default=0)
            for h in self.harts:
                self.held += self.take(h)
        self.held.sort(key=lambda e: e[0])
        n = bisect.bisect_right(self.held, until, key=lambda e: e[0])
        for order, h, event in self.held[:n]:
            self.ticks = order >> 1
            if event:
                self.event(h, *event)
            else:
                self.stops(h, "unknown")
        now = time.monotonic()
        self.past, self.looked = now - self.looked, now
        # Where nothing is noted, time goes on as this PC's.
        self.now = self.held[n - 1][0] >> 1 if n else self.now + int(self.past * self.hz) if self.now else 0
        del self.held[:n]
        for c in self.all.values():
            c.count(self.now)

    def take(self, h):
        """What is new of a hart, each with its place in time; an event None stands for some that are missing."""
        ring = h.ring
        count = ring.read_count()
        first = max(h.seen, count - ring.mask)
        ring.next, ring.count, ring.times, ring.done = first, count, (), 0
        events = []
        while ring.fill(1 << 16):
            events += zip(*ring.take(len(ring.times)))
        late = min(max(ring.read_count() - ring.mask - first, 0), len(events))  # they have been overwritten meanwhile
        lost = first - h.seen + late
        self.missed += lost
        self.events += count - h.seen
        h.seen = count
        if lost:
            yield (events[late][0] >> 16 if late < len(events) else self.now) << 1, h, None
        for event in events[late:]:
            yield event[0] >> 16 << 1 | (event[1] not in (WAKE, SPAWN)), h, event

    def becomes(self, h, c, state):
        if state != "ready":
            c.count(self.ticks)
            c.on = h
        c.becomes(state or "ended", self.ticks)

    def stops(self, h, state):
        if h.running:
            self.becomes(h, h.running, state)
            h.running = None

    def runs(self, h, c):
        self.becomes(h, c, "runs")
        h.switches += 1

    def wakes(self, h, who, stamp, away, _):
        h.wakes += away
        c = self.all.get(who << 16 | stamp & 0xffff)
        if c and c.state.startswith("waits"):
            c.becomes("ready", self.ticks)

    def spawns(self, h, c):
        if c.state == "not started":
            c.becomes(c.state, self.ticks)

    def seconds(self, ticks):
        s = ticks / self.hz
        return "%d s" % s if s >= 10 else "%.1f s" % s if s >= 1 else "%d ms" % (s * 1e3) if s >= 0.001 \
            else "%d us" % (s * 1e6)

    def hart_lines(self):
        span = max(self.now - self.before, 1)
        ready = [c.on for c in self.all.values() if c.state == "ready"]
        yield "hart  role            busy  switches/s  wakes/s  ready  now"
        for h in self.harts:
            c = h.running
            yield "%4d  %-14s %4d %%  %10d  %7d  %5d  %s" % (
                h.number, h.ring.role, min(100 * h.busy // span, 100), h.switches / self.past,
                h.wakes / self.past, ready.count(h),
                "%s, for %s" % (c.name, self.seconds(self.now - c.since)) if c and c.state == "runs" else "idle")

    def coroutine_lines(self, order):
        key = {"t": lambda c: (-c.ran, c.name), "n": lambda c: c.name,
               "h": lambda c: (c.on.number if c.on else -1, c.name),
               "w": lambda c: (not c.state.startswith("waits"), c.since)}[order]
        yield "coroutine             hart   ran      waited   since    state"
        for c in sorted(self.all.values(), key=key):
            times = c.ran, c.waited, self.now - c.since
            yield "%-20.20s  %4s   %-8s %-8s %-8s %s" % (
                c.name, c.on.number if c.on else "", *map(self.seconds, times), c.state)

    def graph_lines(self):
        of = {}
        for c in self.all.values():
            if c.state.startswith("waits"):
                of.setdefault(c.state, []).append(c)
        yield "who waits for what"
        for state, who in sorted(of.items(), key=lambda item: (-len(item[1]), item[0])):
            yield "%s: %d, the longest %s since %s" % (state, len(who), min(who, key=lambda c: c.since).name,
                                                       self.seconds(self.now - min(c.since for c in who)))
            yield "      " + ", ".join(sorted("%s on hart %d" % (c.name, c.on.number) for c in who))[:400]


class View:
    def __init__(self, screen, name, output, end, live):
        self.screen, self.name, self.output, self.end, self.live = screen, name, output, end, live
        self.order, self.graph, self.frozen, self.top, self.over = "t", False, False, 0, False

    def last_output(self):
        size = os.fstat(self.output).st_size
        text = os.pread(self.output, 2000, max(size - 2000, 0)).decode("utf-8", "replace")
        return ["".join(ch for ch in line if ch.isprintable()) for line in text.splitlines()[-OUTPUT_LINES:]]

    def draw(self):
        live, screen = self.live, self.screen
        height, width = screen.getmaxyx()
        lines = list(live.hart_lines()) + [""]
        lines += live.graph_lines() if self.graph else live.coroutine_lines(self.order)
        output = self.last_output()
        room = max(height - len(output) - 4, 1)
        self.top = max(min(self.top, len(lines) - room), 0)
        state = "ended" if self.over else "frozen" if self.frozen else "runs"
        head = "%s: %s, %d harts, %d coroutines, %s, %d events/s%s" % (
            self.name, state, len(live.harts), len(live.all), live.seconds(live.now), live.events / live.past,
            ", %d missed" % live.missed if live.missed else "")
        screen.erase()
        shown = [(head, curses.A_REVERSE)] + [(line, 0) for line in lines[self.top:self.top + room]]
        shown += [("", 0)] * (room + 1 - len(shown)) + [("its output:" if output else "", curses.A_BOLD)]
        shown += [(line, 0) for line in output] + [(KEYS, curses.A_REVERSE)]
        for y, (line, how) in enumerate(shown[:height]):
            if line.startswith(("hart  ", "coroutine  ", "who waits")):
                how = curses.A_BOLD
            screen.addnstr(y, 0, line.ljust(width - 1) if how == curses.A_REVERSE else line, width - 1, how)
        screen.refresh()

    def key(self, key):
        page = max(self.screen.getmaxyx()[0] - 10, 1)
        self.top += {curses.KEY_DOWN: 1, curses.KEY_UP: -1, curses.KEY_NPAGE: page, curses.KEY_PPAGE: -page}.get(key, 0)
        if key == ord("q"):
            return False
        if key == ord(" "):
            self.frozen = not self.frozen
        elif key == ord("g"):
            self.graph = not self.graph
        elif key == ord("d") and not self.over:
            os.kill(os.getppid(), signal.SIGQUIT)
        elif key in map(ord, "twnh"):
            self.order, self.graph = chr(key), False
        return True

    def run(self):
        curses.use_default_colors()
        curses.curs_set(0)
        self.screen.nodelay(True)
        next_ = time.monotonic()
        while True:
            if time.monotonic() >= next_:
                next_ = time.monotonic() + EVERY
                if not self.frozen and not self.over:
                    self.live.look()
                self.draw()
            ends = [] if self.over else [self.end]
            ready, _, _ = select.select([0] + ends, [], [], max(next_ - time.monotonic(), 0))
            if self.end in ready:
                self.over, next_ = True, 0
                self.live.look()
            key = self.screen.getch() if 0 in ready else -1
            if 0 in ready and key == -1 and not os.isatty(0):
                return  # the terminal is gone
            while key != -1:
                next_ = 0
                self.screen.clearok(True)  # and all is drawn anew
                if not self.key(key):
                    return
                key = self.screen.getch()


def await_rings(path, end):
    """The runtime makes them at boot; None: the run has ended before."""
    over = False
    while True:
        try:
            return memory.Memory(path)
        except memory.Bad:
            if over:
                return None
            over = bool(select.select([end], [], [], 0.05)[0])  # it may have made them meanwhile


def main(elf, path, output, end):
    end = int(end)
    ram = await_rings(path, end)
    if not ram:
        return 0
    live = Live(image.Image(elf), ram)
    output = os.open(output, os.O_RDONLY)
    try:
        curses.wrapper(lambda screen: View(screen, os.path.basename(elf), output, end, live).run())
    except curses.error as e:
        if os.isatty(2):
            print("top: this terminal cannot show it: %s" % e, file=sys.stderr)
    except KeyboardInterrupt:
        pass
    finally:  # with the view, or without a terminal, the run ends
        if not select.select([end], [], [], 0)[0]:
            os.kill(os.getppid(), signal.SIGTERM)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
