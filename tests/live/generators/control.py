# SPDX-License-Identifier: Apache-2.0
"""Random cases: loops and branches with random bodies."""
from . import build, data, op, options, param

ONE = ("tanh", "sigmoid", "relu", "negative", "square", "scaled", "halved", "dense", "rows")
TWO = ("add", "sub", "mul", "maximum", "less")


def steps(r, values, most=4):
    """A random body: operators by name, each with the places of its operands among what is there before it."""
    made = []
    for i in range(r.int(1, most)):
        kind = r.pick(*ONE, *TWO, *TWO)
        made.append((kind, [r.int(0, values + i - 1) for _ in range(2 if kind in TWO else 1)]))
    return made


def write(mx, made, values, w):
    """All values, the given ones first. Of one shape, (n, k), and near 1, so that they can be combined at will. The
    last one reads all the given ones, which MXNet asks of a loop's data."""
    given, values = list(values), list(values)
    for kind, places in made:
        x = [values[p] for p in places]
        if kind in TWO:
            y = {"add": lambda: x[0] + x[1], "sub": lambda: x[0] - x[1], "mul": lambda: mx.sym.tanh(x[0]) * x[1],
                 "maximum": lambda: mx.sym.broadcast_maximum(x[0], x[1]), "less": lambda: x[0] < x[1]}[kind]()
        else:
            y = {"scaled": lambda: x[0] * 0.5 + 0.25, "halved": lambda: x[0] / 2, "square": lambda: mx.sym.square(
                mx.sym.tanh(x[0])), "dense": lambda: mx.sym.dot(x[0], w), "rows": lambda: mx.sym.broadcast_sub(
                    x[0], mx.sym.mean(x[0], axis=1, keepdims=True))}.get(kind, lambda: getattr(mx.sym, kind)(x[0]))()
        values.append(y)
    return values + [sum(given, values[-1])]


def choice(r, made, given, count):
    """Places of `count` results of a body: whatever is there, what it was given as well, and the last one of all."""
    last = given + len(made)
    return [last] + [r.int(0, last) for _ in range(count - 1)]


def group(mx, outs, states, variables):
    """All outputs, and one that reads every variable: a body need not."""
    flat = [s for part in (outs, states) for s in (part if isinstance(part, (list, tuple)) else [part])]
    return mx.sym.Group(flat + [sum(mx.sym.sum(v) for v in variables)])


def sizes(r):
    """(n, k), and which of them are dynamic."""
    return (r.int(1, 3), r.int(1, 4)), {0: "n"} if r.chance() else {}


def case(r, make, inputs, dims, k):
    return build("case", make, inputs, {"w": param(k, k)}, **options(r, *dims))


@op("_foreach")
def foreach(r):
    (n, k), batch = sizes(r)
    n_data, n_states, n_out = r.int(1, 2), r.int(0, 3), r.int(0, 2)
    n_out += not n_out and not n_states
    time = {0: "t"} if r.chance() else {}
    length, given = r.int(1, 4), n_data + n_states
    made = steps(r, given)
    results = choice(r, made, given, n_out + n_states)
    inner = n_states and r.chance(.2)  # a loop over the rows of a slice

    def make(mx):
        xs = [mx.sym.Variable("x%d" % i) for i in range(n_data)]
        ss = [mx.sym.Variable("s%d" % i) for i in range(n_states)]
        w = mx.sym.Variable("w")

        def body(d, s):
            d, s = (d if isinstance(d, list) else [d]), (s if isinstance(s, list) else [s])
            values = write(mx, made, d + s, w)
            if inner:
                _, rows = mx.sym.contrib.foreach(lambda e, u: (e, [mx.sym.broadcast_mul(u[0], mx.sym.tanh(e))]),
                                                 d[0], [values[-1]])
                values[-1] = rows[0]
            chosen = [values[i] for i in results]
            return chosen[:n_out], chosen[n_out:]

        outs, states = mx.sym.contrib.foreach(body, xs, ss)
        return group(mx, outs, states, xs + ss + [w])

    inputs = {"x%d" % i: data(length, n, k) for i in range(n_data)}
    inputs.update({"s%d" % i: data(n, k) for i in range(n_states)})
    dims = [{**time, **{a + 1: d for a, d in batch.items()}}] * n_data + [batch] * n_states
    return case(r, make, inputs, dims, k)


@op("_while_loop")
def while_loop(r):
    (n, k), batch = sizes(r)
    n_states, most = r.int(1, 2), r.int(1, 5)
    limit = r.int(0, 6)
    whole = limit >= most  # otherwise rows of the outputs are left as they are: they are not compared
    made, by_value = steps(r, n_states), r.chance(.3)
    results = choice(r, made, n_states, 1 + n_states)

    def make(mx):
        i, w = mx.sym.Variable("i"), mx.sym.Variable("w")
        ss = [mx.sym.Variable("s%d" % j) for j in range(n_states)]

        def condition(i, *s):
            below = i < limit
            return below * (mx.sym.sum(mx.sym.abs(s[0])) > -1) if by_value else below

        def body(i, *s):
            values = write(mx, made, s, w)
            out, *states = [values[j] for j in results]
            return [out], [i + 1] + states

        outs, states = mx.sym.contrib.while_loop(condition, body, [i] + ss, max_iterations=most)
        return group(mx, outs if whole else [], states, [i] + ss + [w])

    inputs = {"i": data(1, values=[0.0])}
    inputs.update({"s%d" % j: data(n, k) for j in range(n_states)})
    return case(r, make, inputs, [{}] + [batch] * n_states, k)


@op("_cond")
def cond(r):
    (n, k), batch = sizes(r)
    n_in, n_out = r.int(1, 3), r.int(1, 2)
    yes, no = [(made, choice(r, made, n_in, n_out)) for made in (steps(r, n_in), steps(r, n_in))]
    bound, nested = r.pick(-100, 0, 0, 100), r.chance(.3)

    def make(mx):
        xs, w = [mx.sym.Variable("x%d" % i) for i in range(n_in)], mx.sym.Variable("w")

        def branch(which):
            def written():
                values = write(mx, which[0], xs, w)
                return [values[i] for i in which[1]]
            return written

        def other():
            if not nested:
                return branch(no)()
            made = mx.sym.contrib.cond(mx.sym.sum(xs[-1]) > 0, branch(no), branch(yes))
            return made if isinstance(made, list) else [made]

        return group(mx, mx.sym.contrib.cond(mx.sym.sum(xs[0]) > bound, branch(yes), other), [], xs + [w])

    return case(r, make, {"x%d" % i: data(n, k) for i in range(n_in)}, [batch] * n_in, k)
