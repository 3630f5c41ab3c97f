#!/usr/bin/env python3
"""made.py - timelines of events that are made up: what the converter, the report and the live view say of them.

usage: made.py IMAGE.elf DIR FILE.pftrace      FILE is damaged, too, in copies
A test is a function whose name begins with test_; for each there is a line: ok or no, its name, what was found.
"""
import os
import random
import struct
import sys
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, "qemu/timeline")
import convert
import image
import memory
import reader
import report
import top
from memory import END, IS_BEGIN, IS_COUNT, IS_END, IS_RECEIVED, IS_SENT, IS_WAIT, READY, SPAWN, SWITCH, WAKE, WAYPOINT

BASE, PLACES, TICK = 0xf0000000, 64, 1000  # a tick is 1 us
NAMES = BASE + 0x40000
BLOCK = BASE + 0x80000
ELF, DIR, KNOWN = image.Image(sys.argv[1]), sys.argv[2], sys.argv[3]


class Made:
    """A machine's memory, and what it becomes: an event is (tick, what, value, block), or (block, generation)."""

    def __init__(self, *harts, word=8):
        self.path, self.texts, self.harts = os.path.join(DIR, "made"), {}, len(harts)
        self.word, self.ring_bytes = word, 64 + PLACES * (32 if word == 8 else 20)
        with open(self.path, "wb") as f:
            f.write(struct.pack("<16s4I4Q", b"Cohart timeline", word, 4 if word == 8 else 5, PLACES, len(harts),
                                1000000, BASE, BASE + 4096, self.ring_bytes))
            f.truncate(BLOCK - BASE)
        for hart, events in enumerate(harts):
            self.note(hart, events)

    def name(self, text):
        at = self.texts.setdefault(text, NAMES + 64 * len(self.texts))
        with open(self.path, "r+b") as f:
            f.seek(at - BASE)
            f.write(text.encode() + b"\0")
        return at

    def note(self, hart, events):
        """All of a hart's events, from its first one on."""
        at = 4096 + hart * self.ring_bytes
        names = [tuple(self.name(w) if isinstance(w, str) else w for w in e) for e in events]
        with open(self.path, "r+b") as f:
            f.seek(at)
            f.write(struct.pack("<QQII40x" if self.word == 8 else "<4I48x", len(events), PLACES - 1, 0, 2))
            for i, (tick, what, value, who) in list(enumerate(names))[-PLACES:]:
                who, generation = who if isinstance(who, tuple) else (who, 1)
                f.seek(at + 64 + i % PLACES * (32 if self.word == 8 else 20))
                f.write(struct.pack("<4Q" if self.word == 8 else "<Q3I", tick << 16 | generation, what, value, who))

    def trace(self):
        path = self.path + ".pftrace"
        with open(path, "wb") as out:
            convert.Converter(ELF, memory.Memory(self.path), out).run()
        return reader.Trace(path)


def block(n):
    return BLOCK + (n << 12)


A, B, C = map(block, (1, 2, 3))


def table(r, title):
    return [row for t, _, _, rows in r.tables() if t == title for row in rows]


def equal(found, wanted):
    assert found == wanted, "%r, not %r" % (found, wanted)


def states(trace, name):
    return [trace.texts[w] for c in trace.coroutines if c.name == name for w in c.what if w >= 0]


def met(extra=(), rounds=3, end=1100):
    """Two members at a barrier, in rounds, of which each ends so late."""
    harts = []
    for hart, (name, who) in enumerate((("a", A), ("b", B))):
        events = [(100, SWITCH, name, who)]
        for r in range(rounds):
            t = 1000 * r + 10 * hart
            events += [(t + 200, "barrier", 0, who | IS_WAIT), (1000 * r + end, READY, 0, who),
                       (1000 * r + end, SWITCH, name, who)]
        harts.append(events)
    harts[0] += extra
    return Made(*harts)


def test_times_have_a_unit_that_three_digits_fit():
    for ns, text in ((999, "999 ns"), (1000, "1 us"), (999700, "1 ms"), (999700000, "1 s"), (999400000, "999 ms"),
                     (12345, "12.3 us"), (5000000000000, "5000 s")):
        equal(report.time(ns), text)


def test_a_spawn_comes_before_the_run_of_the_same_tick():
    t = Made([(100, SWITCH, "worker", A), (200, END, 0, A)],
             [(90, SWITCH, "main", B), (100, SPAWN, "worker", A)]).trace()
    equal(t.messages, {(1, 0): 1})
    equal(states(t, "worker"), ["not started", "runs"])


def test_a_path_that_comes_round_within_a_tick_ends():
    t = 500
    h0 = [(101, SWITCH, "a", A), (102, "k", 0, A | IS_WAIT), (t, READY, 0, A), (t, SWITCH, "a", A), (t, WAKE, 1, B),
          (t, "k", 0, A | IS_WAIT), (t, READY, 0, A), (t, SWITCH, "a", A), (t + 60, END, 0, A)]
    h1 = [(101, SWITCH, "b", B), (t, WAKE, 0, A), (t, "k", 0, B | IS_WAIT), (t, READY, 0, B), (t, SWITCH, "b", B),
          (t, WAKE, 0, A), (t + 50, END, 0, B)]
    path = report.Report(Made(h0, h1).trace()).path
    equal(path[-1][1] // TICK, 101)


def test_a_path_reaches_the_begin_through_a_last_member_that_waits_again_before_others_went_on():
    h0 = [(100, SWITCH, "a", A), (200, "barrier", 0, A | IS_WAIT), (1100, READY, 0, A), (1100, SWITCH, "a", A),
          (2500, END, 0, A)]
    h1 = [(100, SWITCH, "b", B), (1090, "barrier", 0, B | IS_WAIT), (2000, READY, 0, B), (2000, SWITCH, "b", B),
          (2600, END, 0, B)]
    path = report.Report(Made(h0, h1).trace()).path
    equal(path[-1][1] // TICK, 100)
    equal(sum(hop[0] - hop[1] for hop in path) // TICK, 2600 - 100)


def test_a_way_point_that_ends_in_overwritten_is_a_way_point():
    equal([row[0] for row in table(report.Report(met().trace()), "Barriers")], ["barrier"])
    r = report.Report(met([(3300, WAYPOINT, "buffer overwritten", 0)]).trace())
    equal([row[0] for row in table(r, "Barriers")], ["barrier"])
    assert report.Report(met(rounds=40).trace()).trace.overwritten
    equal(table(report.Report(met(rounds=40).trace()), "Barriers"), [])


def test_a_value_is_signed_as_wide_as_the_board():
    for word in (4, 8):
        minus = (1 << 8 * word) - 7
        made = Made([(100, SWITCH, "a", A), (110, "seen", minus, 0), (120, "left", minus, A | IS_COUNT)], word=word)
        made.trace()
        with open(made.path + ".pftrace", "rb") as f:
            equal(f.read().count(b"\xf9" + 8 * b"\xff" + b"\x01"), 2)


def test_only_waits_are_waited_for():
    t = Made([(90, SWITCH, "a", A), (100, SPAWN, "b", B), (150, "k", 0, A | IS_WAIT), (160, SWITCH, "b", B),
              (170, READY, 0, A), (180, END, 0, B), (190, SWITCH, "a", A), (200, END, 0, A)]).trace()
    assert "ready" in states(t, "a") and "not started" in states(t, "b")
    equal([row[0] for row in table(report.Report(t), "What was waited for")], ["waits for k"])


def test_a_receipt_is_that_of_the_message_with_its_place_and_number():
    here = 0x1000
    t = Made([(100, SWITCH, "a", A), (110, "m", here, (8 << 3 | IS_SENT, 1)), (120, "m", here, (IS_SENT, 2)),
              (130, "m", here + 8, (IS_SENT, 1))],
             [(100, SWITCH, "b", B), (140, "m", here, (IS_RECEIVED, 2)), (150, "m", here, (IS_RECEIVED, 3)),
              (160, "m", here, (IS_RECEIVED, 1))]).trace()
    equal(t.messages, {(0, 1): 2})
    equal([ns // TICK for ns in t.places[1::2]], [120, 140, 110, 160])


def test_a_span_of_a_function_has_its_name():
    main = next(at for at, _, name in ELF.functions if name == "main")
    t = Made([(100, SWITCH, "a", A), (110, "task", main, A | IS_BEGIN), (120, "task", main, A | IS_END)]).trace()
    equal([span[0] for span in t.spans], ["task main"])


def test_a_transfer_is_a_slice_with_its_bytes():
    t = Made([(100, "transfer", 64, 4096 << 3 | IS_SENT), (110, "transfer", 128, IS_SENT)],
             [(120, "transfer", 64, IS_RECEIVED)]).trace()
    equal([(span[0], span[3] - span[2], span[4]) for span in t.spans], [("transfer", 20 * TICK, {"bytes": 4096}),
                                                                       ("transfer", 10 * TICK, {})])


def test_a_page_has_texts_as_they_are():
    r = report.Report(met([(3300, "@DATA@ @NAME@", 0, A | IS_BEGIN)]).trace())
    page = report.as_page(r, "@TABLES@")
    equal(page.count("Timeline @TABLES@"), 2)
    assert "<td>@DATA@ @NAME@</td>" in page


def test_a_member_of_a_barrier_that_never_waits_is_last():
    barrier, = table(report.Report(met().trace()), "Barriers")
    equal(barrier[1:5] + barrier[6:], (3, 3, "900 us", "900 us", "a member that did not wait",
                                       "a member that did not wait (100.0 %)"))
    barrier, = table(report.Report(met(end=230).trace()), "Barriers")
    equal(barrier[1:5] + barrier[7:], (2, 3, "10 us", "10 us", "b 1 on hart 1 (100.0 %)"))


def looked(made):
    live = top.Live(ELF, memory.Memory(made.path))
    live.look()
    return live


def harts(live):
    """Percents that each was busy, and what it does now."""
    lines = [line.split(", for")[0].split("%") for line in live.hart_lines() if "%" in line]
    return ["%s %% %s" % (busy.split()[-1], now.split()[-1]) for busy, now in lines]


def coroutines(live):
    return sorted((c.name, c.state) for c in live.all.values())


SPAWNER = [(90, SWITCH, "main", B), (100, SPAWN, "spinner", A)]


def test_top_takes_harts_events_in_order_of_time():
    live = looked(Made([], [(110, SWITCH, "spinner", A)], SPAWNER + [(200, WAKE, 1, C)]))
    equal(coroutines(live), [("main", "runs"), ("spinner", "runs")])
    equal(harts(live)[1], "45 % spinner")
    live = looked(Made([], [(110, SWITCH, "spinner", A), (120, END, 0, A)], SPAWNER))
    equal(coroutines(live), [("main", "runs")])


def test_top_holds_what_may_have_a_cause_that_is_not_read_yet():
    made, calls = Made([], []), []
    live = looked(made)
    take = live.take

    def take_and_note(h):  # events are noted while harts are read
        events = list(take(h))
        calls.append(h.number)
        if calls == [0]:
            made.note(0, SPAWNER)
            made.note(1, [(110, SWITCH, "spinner", A)])
        elif calls == [0, 1, 0]:
            made.note(0, SPAWNER + [(120, SPAWN, "next", C)])
            made.note(1, [(110, SWITCH, "spinner", A), (115, END, 0, A), (130, SWITCH, "next", C), (140, END, 0, C)])
        return events

    live.take = take_and_note
    live.look()
    equal(coroutines(live), [("main", "runs"), ("spinner", "runs")])
    live.look()
    equal(coroutines(live), [("main", "runs")])


def test_top_counts_short_coroutines_and_keeps_what_it_counted():
    short = []
    for i in range(20):
        short += [(100 + i * 100, SWITCH, "short", block(i)), (199 + i * 100, END, 0, block(i))]
    live = looked(Made(short))
    equal(harts(live), ["94 % idle"])
    equal(harts(live), ["94 % idle"])
    equal(coroutines(live), [])


def test_top_drops_what_ended_in_events_that_were_missed():
    events = []
    for i in range(400):
        who = block(i % 4), i
        events += [(100 * i + 100, SWITCH, "short", who), (100 * i + 150, END, 0, who)]
    made = Made(events[:1])
    live = looked(made)
    for n in range(167, 800, 166):
        made.note(0, events[:n])
        live.look()
        assert len(live.all) <= 4, coroutines(live)
        equal([state for _, state in coroutines(live)].count("runs"), n % 2)
    assert live.missed > 300


def test_top_leaves_out_what_is_overwritten_while_it_is_read():
    made = Made([(100 + i, SWITCH, "old", A) for i in range(40)])
    live = looked(made)
    made.note(0, [(100 + i, SWITCH, "old" if i < 42 else "new", A if i < 42 else (B, i)) for i in range(60)])
    counts, ring = iter([60, 42 + PLACES - 1]), live.harts[0].ring  # before that is read, and behind
    ring.read_count = lambda: next(counts, 60)
    live.look()
    equal(live.missed, 2)
    equal(coroutines(live), [("new", "runs"), ("old", "unknown")])


def test_damage_is_no_surprise():
    with open(KNOWN, "rb") as f:
        data = f.read()
    path, n = os.path.join(DIR, "damaged"), random.Random(1)
    for i in range(400):
        b = bytearray(data)
        if i % 2:
            b[n.randrange(len(b))] = n.randrange(256)
        else:
            del b[n.randrange(len(b)):]
        with open(path, "wb") as f:
            f.write(b)
        try:
            r = report.Report(reader.Trace(path))
            list(r.tables())
            report.as_page(r, "x")
        except memory.Bad:
            pass


for name, test in [(n, t) for n, t in globals().items() if n.startswith("test_")]:
    try:
        test()
        print("ok", name[5:].replace("_", " "))
    except Exception as e:
        at = traceback.extract_tb(e.__traceback__)[-1]
        print("no", name[5:].replace("_", " ") + ":", repr(e), "at %s:%d" % (at.filename, at.lineno))
