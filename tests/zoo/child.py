# SPDX-License-Identifier: Apache-2.0
"""A process that answers questions, each in a new child process: both halves. Questions and answers are JSON texts of one
line. What is to be imported once, the server imports before; a child may fail, hang or die."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback


TOO_LONG = "not done within its processor time"


class Server:
    """The side that asks."""

    def __init__(self, python, script):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([python, os.path.join(os.path.dirname(os.path.abspath(__file__)), script)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)

    def ask(self, **question):
        """The answer; "error" in it says why there is none."""
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        text = self.process.stdout.readline()
        if not text:
            self.errors.seek(0)
            sys.exit("the process of %s ended:\n%s" % (self.process.args[1], self.errors.read()[-3000:]))
        return json.loads(text)


def headline(text):
    """The first line that says something: MXNet's errors begin with where they were thrown."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return ([line for line in lines if not line.startswith(("Traceback", "File "))] + [""])[0][:300]


def answer(work, question, pipe):
    os.dup2(2, 1)  # what libraries print is not an answer
    signal.alarm(question["seconds"])
    try:
        told = work(question)
    except BaseException as e:  # noqa: B902 any failure is the answer
        traceback.print_exc()
        told = {"error": "%s: %s" % (type(e).__name__, headline(str(e)))}
    with os.fdopen(pipe, "w") as f:
        json.dump(told, f)
    os._exit(0)


def serve(work):
    """The side that answers, until its input ends: work(question) -> answer."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        question = json.loads(line)
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            answer(work, question, writer)
        os.close(writer)
        with os.fdopen(reader) as f:
            text = f.read()
        _, status = os.waitpid(pid, 0)
        if not text:
            late = {signal.SIGALRM: "not done after %d s" % question["seconds"], signal.SIGXCPU: TOO_LONG}
            number = os.WTERMSIG(status)
            text = json.dumps({"error": late.get(number, "ended by signal %d" % number)})
        answers.write(text + "\n")
        answers.flush()
