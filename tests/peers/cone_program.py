"""Cone programs against CVXOPT: the program that is named prints problems and solutions, one JSON object a line.

usage: cone_program.py PROGRAM        exit status 77: CVXOPT is not there
"""
import json
import subprocess
import sys

try:
    from cvxopt import matrix, solvers, spmatrix
except ImportError:
    print("python3-cvxopt is not installed")
    sys.exit(77)

solvers.options.update(show_progress=False, abstol=1e-10, reltol=1e-10, feastol=1e-10, maxiters=200)
INFINITE = 1e299


def constraints(p):
    """G x + s = h, s in a product of the nonnegative numbers and second-order cones; equal bounds as A x = b."""
    rows, values, equal = [], [], []

    def at_most(column, sign, bound):
        rows.append([(column, sign)])
        values.append(bound)

    for i, (lower, upper) in enumerate(zip(p["lower"], p["upper"])):
        if lower == upper:
            equal.append((i, lower))
            continue
        if upper < INFINITE:
            at_most(i, 1.0, upper)
        if lower > -INFINITE:
            at_most(i, -1.0, -lower)
    second = []
    for k, (mu, limit) in enumerate(zip(p["friction"], p["limit"])):
        at = p["boxes"] + 3 * k
        flat = mu == 0 or limit == 0
        if limit == 0:
            equal.append((at, 0.0))
        else:
            at_most(at, -1.0, 0.0)
            if limit < INFINITE:
                at_most(at, 1.0, limit)
        if flat:
            equal += [(at + 1, 0.0), (at + 2, 0.0)]
        else:
            second.append([[(at, -mu)], [(at + 1, -1.0)], [(at + 2, -1.0)]])
    linear = len(rows)
    for block in second:
        rows += block
        values += [0.0] * 3
    n = len(p["g"])
    G = spmatrix([], [], [], (len(rows), n))
    for i, row in enumerate(rows):
        for column, value in row:
            G[i, column] = value
    A = spmatrix([1.0] * len(equal), range(len(equal)), [i for i, _ in equal], (len(equal), n))
    return G, matrix(values, (len(rows), 1)), {"l": linear, "q": [3] * len(second), "s": []}, A, matrix(
        [v for _, v in equal], (len(equal), 1), "d")


def objective(p, x):
    n = len(x)
    H, g = p["H"], p["g"]
    return sum(x[i] * (0.5 * sum(H[i * n + j] * x[j] for j in range(n)) + g[i]) for i in range(n))


def main():
    worst_cost, worst_place, count = 0.0, 0.0, 0
    text = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines():
        p = json.loads(line)
        n = len(p["g"])
        G, h, dims, A, b = constraints(p)
        H = matrix(p["H"], (n, n))
        if G.size[0] == 0:
            G, h, dims = None, None, None
        free = A.size[0] < n
        out = solvers.coneqp(H, matrix(p["g"]), G, h, dims, A if A.size[0] else None, b if A.size[0] else None) if free else None
        if out is None or out["status"] != "optimal":
            continue
        count += 1
        theirs = list(out["x"])
        size = max(max(abs(v) for v in theirs), max(abs(v) for v in p["x"]), 1e-9)
        scale = abs(objective(p, theirs)) + 1e-9
        # theirs may leave the set by its tolerance, ours must not be worse than that
        worst_cost = max(worst_cost, (objective(p, p["x"]) - objective(p, theirs)) / scale)
        worst_place = max(worst_place, max(abs(a - c) for a, c in zip(theirs, p["x"])) / size)
    print(f"{count} programs that CVXOPT solves: cost at most {worst_cost:.1e} above its own, places at most {worst_place:.1e} apart")
    return 0 if count >= 150 and worst_cost < 1e-9 and worst_place < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
