"""Tests on the Windows Python that .ci/windows has built, then plays a little in the window.

    python .ci/windows_tests.py FOLDER     needs what .ci/play_on_windows.py needs

Wine is slow, so only what may differ there is tested (see .ci/touching.py): files, processes, protocol, network,
encodings.  The tests that take long and those with a real window are left out: the play is in one.

A failure counts.  But Wine ends, hangs and crashes now and then by itself, which says nothing of the program, so what
went wrong gets a second chance: a test that failed runs again with the others that did, and the play is played again.
A run that comes to no end is begun anew; if it stops at the same test once more, that counts, too, and if it stops
elsewhere, it is said that Wine has no verdict.  Exit code: 0, or 1 when something counts.
"""

import os
import subprocess
import sys
import time
from typing import List, NamedTuple, Optional, Sequence

HERE = os.path.dirname(os.path.abspath(__file__))
#: Seconds after which a test that has not ended hangs; none takes a quarter of that.
HANGS = 100
#: Runs under Wine, which does not always come to its own end: pytest's exit code and the tests that failed go to one
#: file, and the test that has begun to another.
RUN_TESTS = """
import os, sys, pytest

class Notes:
    failed = []
    def pytest_runtest_logstart(self, nodeid, location):
        with open(sys.argv[1] + ".at", "w", encoding="utf-8") as file:
            file.write(nodeid)
    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)

code = int(pytest.main(sys.argv[2:], plugins=[Notes()]))
sys.stdout.flush()
with open(sys.argv[1] + ".new", "w", encoding="utf-8") as file:
    file.write("\\n".join([str(code), *Notes.failed]))
os.replace(sys.argv[1] + ".new", sys.argv[1])
os._exit(code)
"""


class Verdict(NamedTuple):
    """How a run of tests has ended: pytest's exit code, None if it never came; the tests that failed; the last test."""

    code: Optional[int]
    failed: List[str]
    last: str


def read(path: str) -> str:
    """What a file holds; nothing if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def end_wine(folder: str) -> None:
    """End all processes of Wine, hanging ones, too."""
    subprocess.run([os.path.join(HERE, "windows"), "end", folder], check=True)


def run_tests(folder: str, options: Sequence[str]) -> Verdict:
    """Run tests on the Windows Python until they have a verdict, or end or hang without one."""
    verdict = os.path.join(folder, "verdict")
    for path in (verdict, verdict + ".at"):
        if os.path.exists(path):
            os.remove(path)
    # The options go through a file: a command line of Windows holds 32 000 characters.
    with open(os.path.join(folder, "options"), "w", encoding="utf-8") as file:
        file.write("\n".join(options))
    tests = subprocess.Popen([os.path.join(folder, "python"), "-c", RUN_TESTS, verdict, "-q", "-p", "no:cacheprovider",
                              "@" + os.path.join(folder, "options")], env={**os.environ, "AGON_GUI_TESTS": "off"})
    last, since = "", time.monotonic()
    while tests.poll() is None and not os.path.exists(verdict) and time.monotonic() - since < HANGS:
        time.sleep(1)
        if read(verdict + ".at") != last:
            last, since = read(verdict + ".at"), time.monotonic()
    time.sleep(2)  # for its last lines
    # What runs without a screen would show no window; and what a test has left behind would be waited for.
    end_wine(folder)
    tests.wait()
    code, *failed = read(verdict).splitlines() or [""]
    return Verdict(int(code) if code else None, list(dict.fromkeys(failed)), last)


def do_tests_pass(folder: str) -> bool:
    """Whether nothing counts against the program, after the second chances."""
    names = subprocess.run([sys.executable, os.path.join(HERE, "touching.py")], stdout=subprocess.PIPE, check=True,
                           universal_newlines=True).stdout.split()
    options = ["-k", "not takes_long and not real_window", *names]
    found = run_tests(folder, options)
    if found.code is None:
        print(f"Wine has stopped in {found.last or 'no test'}; once more:", flush=True)
        again = run_tests(folder, options)
        if again.code is None:
            print(f"Wine has stopped again, in {again.last or 'no test'}: no verdict", flush=True)
            return again.last != found.last
        found = again
    if not found.failed:
        return found.code == 0
    print("once more, what has failed:", *found.failed, sep="\n    ", flush=True)
    return run_tests(folder, found.failed).code == 0


def does_play_go_well(folder: str) -> bool:
    """Whether the play goes well the first or the second time."""
    for _ in range(2):
        played = subprocess.run([sys.executable, os.path.join(HERE, "play_on_windows.py"), folder])
        end_wine(folder)
        if played.returncode == 0:
            return True
    return False


def main() -> int:
    folder = os.path.abspath(sys.argv[1])
    os.chdir(os.path.dirname(HERE))
    return 0 if do_tests_pass(folder) and does_play_go_well(folder) else 1


if __name__ == "__main__":
    sys.exit(main())
