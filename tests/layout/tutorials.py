#!/usr/bin/env python3
"""Follow a tutorial to the letter, in a clean folder, with an installed Pronk.

  tutorials.py PAGE.md PREFIX FOLDER

What a fenced block's first line says decides what is done with it, in the order of the page:

  ```c file=walk.c          the block is written to that file
  ```sh run                 the block is run by bash and must succeed; `run status=1` must end with that status
  ```text output            these lines are in what the last run printed, in this order; a line `...` stands for any lines, and
                            `...` within a line for any text. Numbers may differ by 2 %, words may not
  anything else             is only read

Lines next to each other in an output block are next to each other in what was printed, the first and the last are anywhere.
"""
import os
import re
import shutil
import subprocess
import sys

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def blocks(page):
    """(line, kind, options, text) of each fenced block."""
    found, start, info, lines = [], 0, None, []
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if info is None and line.startswith("```"):
                start, info, lines = number, line[3:].split(), []
            elif info is not None and line.rstrip() == "```":
                found.append((start, info[0] if info else "", info[1:], "".join(lines)))
                info = None
            elif info is not None:
                lines.append(line)
    return found


def numbers_agree(expected, given):
    a, b = float(expected), float(given)
    return abs(a - b) <= 0.02 * max(abs(a), abs(b))


def line_agrees(expected, given):
    """Whether a line that was printed is the one that the page shows."""
    pattern, wanted, end = "", [], 0
    text = " ".join(expected.split())
    for token in re.finditer(NUMBER.pattern + r"|\.\.\.", text):
        pattern += re.escape(text[end:token.start()])
        pattern += ".*?" if token.group() == "..." else f"({NUMBER.pattern})"
        if token.group() != "...":
            wanted.append(token.group())
        end = token.end()
    match = re.fullmatch(pattern + re.escape(text[end:]), " ".join(given.split()))
    return match is not None and all(map(numbers_agree, wanted, match.groups()))


def missing(expected, printed):
    """The first line of the page that was not printed; None when all were."""
    at, anywhere = 0, True
    for line in expected.rstrip("\n").split("\n"):
        if line.strip() == "...":
            anywhere = True
            continue
        last = len(printed) if anywhere else min(at + 1, len(printed))
        found = next((i for i in range(at, last) if line_agrees(line, printed[i])), None)
        if found is None:
            return line
        at, anywhere = found + 1, False
    return None


def run(line, text, options, environment, folder):
    status = next((int(o[7:]) for o in options if o.startswith("status=")), 0)
    done = subprocess.run(["bash", "-eu", "-o", "pipefail", "-c", text], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(f"--- line {line}, status {done.returncode}\n{text}{done.stdout}", flush=True)
    if done.returncode != status:
        sys.exit(f"line {line}: status {done.returncode}, expected {status}")
    return done.stdout.split("\n")


def main():
    page, prefix, folder = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    config = next(root for root, _, files in os.walk(prefix) if "pronk.pc" in files)
    environment = dict(os.environ, HOME=folder, PKG_CONFIG_PATH=config, LD_LIBRARY_PATH=os.path.dirname(config),
                       CMAKE_PREFIX_PATH=prefix, PATH=os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"])
    for unwanted in ("DESTDIR", "MAKEFLAGS", "CFLAGS", "LDFLAGS"):
        environment.pop(unwanted, None)
    printed, runs = [], 0
    for line, kind, options, text in blocks(page):
        names = [o[5:] for o in options if o.startswith("file=")]
        for name in names:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(text)
        if "run" in options:
            printed, runs = run(line, text, options, environment, folder), runs + 1
        elif kind == "text" and "output" in options:
            lost = missing(text, printed)
            if lost is not None:
                sys.exit(f"{page}:{line}: this was not printed, or not there: {lost}")
    if runs == 0:
        sys.exit(f"{page} has nothing to run")


if __name__ == "__main__":
    main()
