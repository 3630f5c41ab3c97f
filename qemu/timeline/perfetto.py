"""perfetto.py - writes Perfetto's trace format: packets of descriptors of tracks, and of their events.

Numbers of fields are those of protos/perfetto/trace/*.proto: TracePacket, TrackDescriptor, TrackEvent, InternedData.
"""

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
SEQUENCE = b"\x50\x01"  # trusted_packet_sequence_id: 1
CLEARED, NEEDED = 1, 2  # of sequence_flags


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n & (1 << 64) - 1)


def some(field, data):
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    return varint(field << 3 | 2) + varint(len(data)) + data


def fixed64(field, n):
    return varint(field << 3 | 1) + n.to_bytes(8, "little")


# Each two bytes of a varint that goes on behind them.
PAIRS = [bytes((n & 127 | 128, n >> 7 | 128)) for n in range(1 << 14)]


class Writer:
    """Tracks are numbers from 1. Events may come in any order, but those of one track in that of their times."""

    def __init__(self, file):
        self.file, self.names, self.tails, self.out, self.flags = file, {}, {}, bytearray(), CLEARED
        self.ns = self.high = -1
        self.high_bytes = self.time = b""
        self.at(0)

    def at(self, ns):
        """Events to come are of this time. Its bytes are as many for all times up to 34 s."""
        if ns != self.ns:
            self.ns = ns
            if ns >> 28 != self.high:
                self.high = ns >> 28
                high = varint(self.high)
                if len(high) != len(self.high_bytes):
                    self.tails = {}
                self.high_bytes = high
            self.time = PAIRS[ns & 16383] + PAIRS[ns >> 14 & 16383] + self.high_bytes

    def packet(self, body):
        self.out += b"\x0a" + varint(len(body)) + body

    def flush(self):
        self.file.write(self.out)
        self.out.clear()
        if len(self.tails) > 1 << 16:
            self.tails = {}

    def track(self, track, name, parent=0, rank=None, process=None, thread=None, counter=False):
        """process: its id; thread: ids of process and thread."""
        d = number(1, track)
        if parent:
            d += number(5, parent)
        if process is not None:
            d += some(3, number(1, process) + some(6, name))
        elif thread is not None:
            d += some(4, number(1, thread[0]) + number(2, thread[1]) + some(5, name))
        else:
            d += some(2, name)
        if counter:
            d += some(8, b"")
        if rank is not None:
            d += number(12, rank)
        if process is not None or thread is None:
            d += number(11, 3)  # child_ordering: EXPLICIT
        self.packet(SEQUENCE + some(60, d))

    def name(self, text):
        """The number of a name, which is written once."""
        n = self.names.get(text)
        if n is None:
            n = self.names[text] = len(self.names) + 1
            self.packet(SEQUENCE + number(13, self.flags if self.flags == NEEDED else CLEARED | NEEDED) +
                        some(12, some(2, number(1, n) + some(2, text))))
            self.flags = NEEDED
        return n

    def parts(self, kind, track, text, more):
        """What is before and behind the time of an event with so many bytes more."""
        e = (number(10, self.name(text)) if text is not None else b"") + number(9, kind) + number(11, track)
        tail = SEQUENCE + b"\x68\x02\x5a" + varint(len(e) + more) + e
        return b"\x0a" + varint(1 + len(self.time) + len(tail) + more) + b"\x40", tail

    def event(self, kind, track, text=None, more=b""):
        key = (kind, track, text, len(more))
        parts = self.tails.get(key)
        if parts is None:
            parts = self.parts(kind, track, text, len(more))
            self.tails[key] = parts
        out = self.out
        out += parts[0]
        out += self.time
        out += parts[1]
        out += more


def flow_from(n):
    return fixed64(47, n)


def flow_to(n):
    return fixed64(48, n)


def count(n):
    return number(30, n)


def note(name, value):
    """A debug annotation: a number or a text."""
    return some(4, some(10, name) + (number(4, value) if isinstance(value, int) else some(6, value)))
