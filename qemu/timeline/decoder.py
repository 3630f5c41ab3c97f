"""decoder.py - what events mean: whose they are, and by what names (core/timeline.h)."""
from memory import END, IS_SENT, IS_WAIT, MARKS, READY, SPAWN, SWITCH, WAKE

class Decoder:
    """Events of harts, by an image and a machine's memory, as calls of what a kind of view does of itself."""

    def __init__(self, elf, ram):
        self.elf, self.ram, self.hz = elf, ram, ram.head["hz"]
        self.texts, self.all, self.latest = {}, {}, {}  # coroutines, and the latest of each block

    def coroutine(self, who, stamp, name=0):
        key = who << 16 | stamp & 0xffff
        c = self.all.get(key)
        if c is None:
            c = self.all[key] = self.latest[who] = self.appears(key, name)
        return c

    def event(self, hart, stamp, what, value, who):
        """Of a hart: whatever has `running`, its coroutine or None."""
        mark = who & MARKS
        if mark >= IS_SENT:
            self.passes(hart, mark == IS_SENT, self.text(what), (value, stamp & 0xffff), who >> 3)
        elif mark > IS_WAIT:
            self.mark(mark, self.text(what), value, who & ~MARKS, stamp)
        elif mark or what == END:
            c = self.coroutine(who & ~MARKS, stamp)
            self.stops(hart, "unknown")
            self.becomes(hart, c, self.waits(what, value) if mark else None)
            if not mark:
                self.all.pop(who << 16 | stamp & 0xffff)
        elif what == SWITCH:
            c = self.coroutine(who, stamp, value)
            self.stops(hart, "ready")
            hart.running = c
            self.runs(hart, c)
        elif what == WAKE or what == READY:
            self.wakes(hart, who, stamp, what == WAKE, value)
        elif what == SPAWN:
            self.spawns(hart, self.coroutine(who, stamp, value))
        else:
            self.notes(hart, what, value)

    def passes(self, hart, sent, kind, key, size):
        pass

    def mark(self, mark, name, value, block, stamp):
        pass

    def notes(self, hart, what, value):
        pass

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

    def waits(self, kind, what):
        """Of a block of several coroutines, one after another: the latest so far."""
        t = self.texts.get((kind, what))
        if t is None:
            t = "waits for " + self.text(kind)
            if what in self.latest:
                return "%s '%s'" % (t, self.latest[what].name)
            if what:
                t += " " + (self.elf.object(what) or "0x%x" % what)
            self.texts[kind, what] = t
        return t
