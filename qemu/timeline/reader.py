"""reader.py - reads what convert.py has written, as far as a report wants it: what coroutines did when, and arrows."""
import array
import re

import perfetto
from memory import Bad


def varint(data, at):
    n = shift = 0
    while True:
        byte = data[at]
        at += 1
        n |= (byte & 127) << shift
        if byte < 128:
            return n, at
        shift += 7


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            n, at = varint(data, at)
            value, at = data[at:at + n], at + n
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        else:
            raise Bad("it is not of this format")
        yield key >> 3, value


EVENT = perfetto.SEQUENCE + b"\x68\x02\x5a"  # what follows the time of an event: convert.py writes no other
OVERWRITTEN = re.compile("[0-9]+ earlier events were overwritten$")


class Track:
    def __init__(self, name, parent, kind):
        self.name, self.parent, self.kind = name, parent, kind


class Coroutine:
    """What it did from when on: texts of Trace.texts, -1: nothing; and by which hart's arrow, of when, or -1."""

    def __init__(self, name, number):
        self.name, self.number, self.hart = name, number, -1
        self.begin, self.what = array.array("q"), array.array("i")
        self.by, self.by_begin = array.array("i"), array.array("q")

    def add(self, ns, what, by=-1, by_begin=-1):
        if self.begin and self.begin[-1] == ns and self.what[-1] < 0:  # the end of one is the beginning of the next
            self.what[-1], self.by[-1], self.by_begin[-1] = what, by, by_begin
            return
        self.begin.append(ns)
        self.what.append(what)
        self.by.append(by)
        self.by_begin.append(by_begin)


class Trace:
    def __init__(self, path):
        self.tracks, self.names, self.harts, self.coroutines = {}, {}, [], []
        self.texts, self.number_of = [], {}
        self.spans = []  # name, coroutine, begin, end, values
        self.overwritten = []  # hart, text that says so
        self.arrows = {}  # that have begun: hart, when
        self.messages = {}  # (from hart, to hart): arrows
        self.places = array.array("q")  # of each arrow: hart, when, hart, when
        self.first, self.last, self.whole = 1 << 62, 0, True
        self.known = {}
        with open(path, "rb") as f:
            data = f.read()
        self.read(data)
        if not self.harts:
            raise Bad("it has no hart")

    def text(self, name):
        n = self.number_of.get(name)
        if n is None:
            n = self.number_of[name] = len(self.texts)
            self.texts.append(name)
        return n

    def read(self, data):
        at, n = 0, len(data)
        try:
            while at < n:
                if data[at] != 10:
                    raise Bad("it is not of this format")
                size, at = varint(data, at + 1)
                if at + size > n:
                    raise IndexError
                end = at + size
                if data[at] == 0x40:
                    high = data[at + 5]
                    if high < 128:  # as the writer has it up to 34 s
                        ns = data[at + 1] & 127 | (data[at + 2] & 127) << 7 | (data[at + 3] & 127) << 14 | \
                            (data[at + 4] & 127) << 21 | high << 28
                        at += 6
                    else:
                        ns, at = varint(data, at + 1)
                    if data[at:at + 5] != EVENT:
                        raise Bad("it is not of this format")
                    self.event(ns, data[at + (6 if data[at + 5] < 128 else 7):end])
                else:
                    self.declare(dict(fields(data[at:end])))
                at = end
        except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError):  # what damage leads to
            if at < n and not self.harts:
                raise Bad("it is not of this format")
            self.whole = False

    def declare(self, packet):
        if 12 in packet:
            entry = dict(fields(dict(fields(packet[12]))[2]))
            self.names[entry[1]] = entry[2].decode()
        if 60 in packet:
            d = dict(fields(packet[60]))
            kind, name = "", d.get(2)
            if 3 in d:
                kind, name = "group", dict(fields(d[3]))[6]
            elif 4 in d:
                kind, name = "hart", dict(fields(d[4]))[5]
            elif 8 in d:
                kind = "count"
            parent = self.tracks.get(d.get(5))
            t = self.tracks[d[1]] = Track(name.decode(), parent, kind)
            if kind == "hart":
                t.hart = len(self.harts)
                self.harts.append(t)
            elif not kind and parent and parent.kind == "group":
                t.kind = "coroutine"
                name, number = t.name.rsplit(" ", 1)
                t.coroutine = Coroutine(name, int(number))
                self.coroutines.append(t.coroutine)
            elif not kind:
                t.kind, t.open = "spans", []

    def of(self, e):
        """An event: kind, track, name, arrows from it, arrow to it, notes."""
        kind = track = to = 0
        name, away, notes = "", [], {}
        for field, value in fields(e):
            if field == 9:
                kind = value
            elif field == 11:
                track = self.tracks[value]
            elif field == 10:
                name = self.names[value]
            elif field == 47:
                away.append(value)
            elif field == 48:
                to = value
            elif field == 4:
                note = dict(fields(value))
                notes[note[10].decode()] = note[4] - (note[4] >> 63 << 64)
        return kind, track, name, away, to, notes

    def arrow(self, to, hart, ns):
        by, begin = self.arrows.pop(to)
        self.messages[by, hart] = self.messages.get((by, hart), 0) + 1
        self.places.extend((by, begin, hart, ns))
        return by, begin

    def event(self, ns, e):
        known = self.known.get(e)
        if known is None:
            known = self.of(e)
            if not known[3] and not known[4] and len(self.known) < 1 << 16:
                self.known[e] = known
        kind, track, name, away, to, notes = known
        self.last = max(self.last, ns)
        lost = kind == perfetto.INSTANT and not notes and OVERWRITTEN.match(name)
        if ns < self.first and not lost:
            self.first = ns
        if track.kind == "coroutine":
            c = track.coroutine
            if kind == perfetto.END:
                c.add(ns, -1)
                return
            c.hart = notes.get("hart", c.hart)
            if c.hart >= len(self.harts):
                raise IndexError
            c.add(ns, self.text(name), *(self.arrow(to, c.hart, ns) if to in self.arrows and c.hart >= 0 else (-1, -1)))
        elif track.kind == "hart":
            for v in away:
                self.arrows[v] = track.hart, ns
            if to in self.arrows:
                self.arrow(to, track.hart, ns)
            if lost:
                self.overwritten.append((track.hart, name))
        elif track.kind == "spans":
            if kind == perfetto.BEGIN:
                track.open.append((name, ns))
            elif track.open:
                name, begin = track.open.pop()
                self.spans.append((name, track.parent and track.parent.coroutine, begin, ns, notes))
