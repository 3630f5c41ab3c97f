#!/usr/bin/env python3
"""decode.py - reads Perfetto's format by itself, checks what every reader relies on, and prints a line an event.

usage: decode.py FILE     Lines: "PROCESS / TRACK: BEGIN ns name", "... END ns", "... INSTANT ns name", "flow TRACK -> TRACK name"
"""
import sys

KINDS = {1: "BEGIN", 2: "END", 3: "INSTANT", 4: "COUNTER"}


def fields(data):
    at = 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = data[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n
    while at < len(data):
        key = varint()
        field, wire = key >> 3, key & 7
        if wire == 0:
            yield field, varint()
        elif wire == 2:
            n = varint()
            assert at + n <= len(data), "a field is cut off"
            yield field, data[at:at + n]
            at += n
        elif wire == 1:
            yield field, int.from_bytes(data[at:at + 8], "little")
            at += 8
        else:
            raise AssertionError("wire type %d" % wire)


def signed(n):
    return n - (n >> 63 << 64)


def main(path):
    with open(path, "rb") as f:
        data = f.read()
    tracks, parents, names, open_, lasts = {}, {}, {}, {}, {}
    begins, ends = {}, []
    lines = []
    for field, packet in fields(data):
        assert field == 1
        p = dict(fields(packet))
        assert p[10] == 1
        if 60 in p:
            d = dict(fields(p[60]))
            name = d.get(2)
            for kind, at in ((3, 6), (4, 5)):
                if kind in d:
                    name = dict(fields(d[kind]))[at]
            assert d[1] not in tracks and (5 not in d or d[5] in tracks)
            tracks[d[1]], parents[d[1]] = name.decode(), d.get(5)
        if 12 in p:
            for _, entry in fields(p[12]):
                e = dict(fields(entry))
                assert e[1] not in names
                names[e[1]] = e[2].decode()
        if 11 in p:
            e = list(fields(p[11]))
            one = dict(e)
            kind, track, ns = KINDS[one[9]], one[11], p[8]
            assert track in tracks and ns >= lasts.get(track, 0), "times of %s go back" % tracks.get(track)
            lasts[track] = ns
            text = names[one[10]] if 10 in one else ""
            stack = open_.setdefault(track, [])
            if kind == "BEGIN":
                stack.append(text)
            elif kind == "END":
                assert stack, "an end without a beginning on " + tracks[track]
                stack.pop()
            notes = ["%s=%s" % (n[10].decode(), signed(n[4]) if 4 in n else n[6])
                     for n in (dict(fields(v)) for f, v in e if f == 4)]
            if kind == "COUNTER":
                notes.append("%d" % signed(one[30]))
            for f, v in e:
                if f == 47:
                    assert v not in begins
                    begins[v] = (track, text, ns)
                elif f == 48:
                    ends.append((v, track, text, ns))
            parent = parents[track]
            lines.append("%s / %s: %s %d %s" % (tracks[parent] if parent else "", tracks[track], kind, ns,
                                                " ".join([text] + notes)))
    assert not any(open_.values()), "slices that do not end"
    whole = not any("events were overwritten" in name for name in names.values())
    to = {v for v, _, _, _ in ends}
    lost = [begins[v][1] for v in begins if v not in to] + [text for v, _, text, _ in ends if v not in begins]
    if whole and lost:
        lines.append("arrows with one end: " + ", ".join(lost))
    for v, track, text, ns in ends:
        if v in begins:
            assert begins[v][2] <= ns, "an arrow goes back in time"
            lines.append("flow %s: %s -> %s: %s" % (tracks[begins[v][0]], begins[v][1], tracks[track], text))
    print("\n".join(lines))


main(sys.argv[1])
