#!/usr/bin/env python3
"""terminal.py - run a command in a terminal, wait for what it shows, and press keys.

usage: terminal.py COMMAND... -- STEP...    A step is a pattern to wait for, on the screen since the last key, or =KEY, or =
alone: the terminal is gone. Signals of that kind are ignored, as by nohup.
The exit code is 1 if a pattern does not come within 60 s, or if the command does not end after the last step.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

LIMIT = 60


class Screen:
    def __init__(self, command):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            os.environ["TERM"] = "xterm"
            os.execvp(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("4H", 40, 140, 0, 0))
        self.raw = b""

    def read(self):
        """False: the command has closed it."""
        if not select.select([self.fd], [], [], 1)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.raw += data
        return bool(data)

    def text(self):
        """What was written, in one line: a sequence that moves the cursor is a blank."""
        return re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()=>78]B?|[\0- ]+", b" ", self.raw).decode("utf-8", "replace")

    def sees(self, pattern):
        end = again = time.monotonic() + LIMIT
        while not re.search(pattern, self.text()):
            now = time.monotonic()
            if now > end or not self.read():
                return False
            if len(self.raw) > 10000 or now > again:  # what has changed comes in parts; by Ctrl-L the whole comes
                self.press(b"\f")
                again = now + 3
            again = min(again, now + 3)
        return True

    def fail(self, why):
        """End the command, which ignores its terminal's end."""
        print("%s:\n%s" % (why, self.text()))
        os.closerange(self.fd, self.fd + 1)  # maybe again
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        return 1

    def press(self, key):
        self.raw = b""
        os.write(self.fd, key)


def main(words):
    at = words.index("--")
    screen = Screen(words[:at])
    for step in words[at + 1:]:
        if step == "=":
            break
        if step[0] == "=":
            screen.press(step[1:].encode())
        elif not screen.sees(step):
            return screen.fail("not seen: %s, but" % step)
    end = time.monotonic() + LIMIT
    if words[-1] == "=":
        os.close(screen.fd)
        while os.waitpid(screen.pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                return screen.fail("it does not end without its terminal")
            time.sleep(0.1)
        return 0
    while screen.read():
        if time.monotonic() > end:
            return screen.fail("it does not end")
    os.waitpid(screen.pid, 0)
    print(screen.text())
    return 0


sys.exit(main(sys.argv[1:]))
