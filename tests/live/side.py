# SPDX-License-Identifier: Apache-2.0
"""Cases in a separate process: where it dies or hangs, the case under way gets the blame and the rest goes on."""
import mmap
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
    """Runs it until it ends or makes no progress; returns how it ended. Files, not pipes: a process that it started cannot
    block this one."""
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
                return "did not compute for %d seconds" % (now - since)


def computed(pid):
    """Processor time of the process and its child so far; where the system does not say, a number that changes."""
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            pids = [pid] + [int(child) for child in f.read().split()]
        return [spent(each) for each in pids]
    except OSError:
        return time.monotonic()


def spent(pid):
    with open("/proc/%d/stat" % pid) as f:
        return sum(int(n) for n in f.read().rpartition(")")[2].split()[11:13])


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
    """The other end: answer(operator, seed, index) for each case; what it raises is why there is none. A child does the
    work, and where it dies the next one goes on without the imports that this process made."""
    with open(names) as f:
        cases = [line.split() for line in f]
    begun = mmap.mmap(-1, 8)  # how many, shared with the children
    while int.from_bytes(begun[:], "little") < len(cases):
        child = os.fork()
        if child == 0:
            work(cases, begun, out, answer)
        status = os.waitpid(child, 0)[1]
        if status == 0:
            break
        number = cases[int.from_bytes(begun[:], "little") - 1][0]
        write(out, (int(number), None, "the process ended with status %d" % os.waitstatus_to_exitcode(status)))
    os._exit(0)  # MXNet's threads are known to wait for each other at exit


def work(cases, begun, out, answer):
    for i in range(int.from_bytes(begun[:], "little"), len(cases)):
        begun[:] = (i + 1).to_bytes(8, "little")
        number, op, seed, index = cases[i]
        try:
            entry = (int(number), answer(op, int(seed), int(index)), None)
        except Exception as e:  # a refusal is a result
            entry = (int(number), None, "%s: %s" % (type(e).__name__, e))
        write(out, entry)
    os._exit(0)


def write(out, entry):
    with open(out, "ab") as f:
        pickle.dump(entry, f)
