# SPDX-License-Identifier: Apache-2.0
"""Cases in a process of their own: where it dies or hangs, the case under way gets the blame and the rest goes on."""
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 600  # seconds in which no case is finished: it hangs, and is not only kept waiting by a loaded machine
IDLE = 20       # seconds in which it does not even compute


def run(command, cases, env=None):
    """{number: (answer, why there is none)} of `cases`, {number: (operator, seed, index)}. The command gets two files
    more: one with a case a line, and one to which it appends (number, answer, why) for each."""
    done = {}
    while len(done) < len(cases):
        left = {i: c for i, c in cases.items() if i not in done}
        with tempfile.TemporaryDirectory() as folder:
            names, out, errors = (os.path.join(folder, f) for f in ("names", "out", "errors"))
            with open(names, "w") as f:
                f.writelines("%d %s %d %d\n" % ((i,) + c) for i, c in left.items())
            why = watch(command + [names, out], out, errors, env)
            found = answers(out)
            with open(errors) as f:
                text = f.read()
        done.update(found)
        first = next((i for i in left if i not in done), None)
        if first is not None:
            if not found and why.startswith("ended with status 1"):  # it does not even start
                sys.exit(text)
            done[first] = (None, why)
            print("%s: the process %s" % ("%s/%d/%d" % cases[first], why), file=sys.stderr, flush=True)
    return done


def watch(command, out, errors, env):
    """Runs it to its end, or until it stands still; how it ended. Files, not pipes: nothing that it leaves behind can
    hold this process up."""
    with open(errors, "w") as e, open(out, "wb"):
        p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=e, env=env,
                             start_new_session=True)
    size, used, since, active = 0, 0, time.monotonic(), time.monotonic()
    while True:
        try:
            return "ended with status %d" % p.wait(timeout=1)
        except subprocess.TimeoutExpired:
            now = time.monotonic()
            if os.path.getsize(out) != size:
                size, since = os.path.getsize(out), now
            if computed(p.pid) != used:
                used, active = computed(p.pid), now
            if now - since > PATIENCE or min(now - since, now - active) > IDLE:
                os.killpg(p.pid, signal.SIGKILL)
                p.wait()
                return "stood still for %d seconds" % (now - since)


def computed(pid):
    """Processor time of the process so far; where the system does not say, a number that changes."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return sum(int(n) for n in f.read().rpartition(")")[2].split()[11:13])
    except OSError:
        return time.monotonic()


def answers(out):
    found = {}
    with open(out, "rb") as f:
        while True:
            try:
                number, answer, why = pickle.load(f)
            except (EOFError, pickle.UnpicklingError):  # the end, or where the process was stopped
                return found
            found[number] = (answer, why)


def serve(names, out, answer):
    """The other end: answer(operator, seed, index) for each case; what it raises is why there is none. Ends the process
    at once: MXNet's threads are known to wait for each other at exit."""
    with open(names) as cases, open(out, "ab") as f:
        for line in cases:
            number, op, seed, index = line.split()
            try:
                entry = (int(number), answer(op, int(seed), int(index)), None)
            except Exception as e:  # a refusal is a result
                entry = (int(number), None, "%s: %s" % (type(e).__name__, e))
            pickle.dump(entry, f)
            f.flush()
    os._exit(0)
