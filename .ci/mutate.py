"""Do the tests notice faults?  Changes single places of a source file at random and counts which changes fail a test.

    python .ci/mutate.py agon_core.py --count 60 --seed 1 --test-sections 2-9
    python .ci/mutate.py agon_ai.py --only "Protocol,Match" --tests "-k serve"

A fault is one place of the source changed as by a slip of the pen: a comparison or a sign turned, a number one too
high, a condition negated, `and` for `or`, a statement left out, a return value dropped.  For each those tests run on a
copy of the folder that have called the changed function in the unchanged program, be it in a process of their own; the
quickest first, as far as the first failure.  If they stay green, the other tests run, too: what tests share, such as a
window, was built in one of them.  A test that fails has to fail again alone: a busy machine is no fault.  A fault with
which all stay green survives and is printed; some survivors mean the same as the original, which only a reader can
tell.  Strings, type hints, decorators, assertions, tables of texts and what runs only as a program are left aside, and
so is how things look: the sections named by --skip, functions that draw on a canvas or have something painted, the
columns and distances with which widgets are laid out (not whether they are laid out), and their colours and sizes.
The same seed tries the same faults.  Exit code: 0, or 1 when the unchanged tests fail.
"""

import argparse
import ast
import os
import queue
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

TESTS = "test_agon.py"
#: Sections that are left aside unless --skip names others: words, colours and sizes are judged by eye.
LOOKS = "Texts,Look"
SECTION = re.compile(r"# (?:---|===) (?P<number>\d+)\. (?P<title>.*?) (?:-|=)*$")
#: The calls that lay widgets out: with which values is judged by eye.
LAYING_OUT = ("pack", "grid", "place", "rowconfigure", "columnconfigure", "pack_configure", "grid_configure")
#: The options of widgets that are judged by eye, too.
LOOK_OPTIONS = frozenset(
    "padding padx pady width height wraplength borderwidth activeborderwidth highlightthickness background foreground "
    "activebackground activeforeground disabledforeground font justify anchor relief".split())
TURNED = {"<": ("<=", ">="), ">": (">=", "<="), "<=": ("<", ">"), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
          "is": ("is not",), "is not": ("is",), "in": ("not in",), "not in": ("in",), "and": ("or",), "or": ("and",),
          "+": ("-",), "-": ("+",), "*": ("+",), "/": ("*",), "//": ("*",), "%": ("//",), "&": ("|",), "|": ("&",),
          "^": ("|",), "<<": (">>",), ">>": ("<<",)}
OPERATOR = re.compile(r"is\s+not|not\s+in|is|in|and|or|<<|>>|//|<=|>=|==|!=|[-+*/%&|^<>]")


#: Runs at the start of each Python that the unchanged tests start, and as a part of pytest: notes which test calls
#: which function of the file, in a line each, "test<tab>first line of the function".  Children are told by pytest.
RECORDER = '''
import os, sys, threading
notes = os.open({notes!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
test, seen = os.environ.get("PYTEST_CURRENT_TEST", ""), set()
def note(frame, event, argument):
    code = frame.f_code
    if id(code) not in seen:
        seen.add(id(code))
        if code.co_filename.endswith({file!r}):
            os.write(notes, f"{{test.partition('[')[0].partition(' (')[0]}}\\t{{code.co_firstlineno}}\\n".encode())
def pytest_runtest_logstart(nodeid, location):
    global test
    test = nodeid
    seen.clear()
sys.settrace(note)
threading.settrace(note)
'''


class Fault(NamedTuple):
    """One change: the bytes from `start` to `end` of the source become `text`."""

    start: int
    end: int
    text: str


class Section(NamedTuple):
    """A numbered section of a file: its title and its first and last line (from 1)."""

    number: int
    title: str
    first: int
    last: int


def sections_of(source: str) -> List[Section]:
    """The sections that headings such as `# --- 3. Look ---` divide a source into."""
    lines = source.splitlines()
    found = [(match, line) for line, match in enumerate(map(SECTION.match, lines), 1) if match]
    ends = [line - 1 for _, line in found[1:]] + [len(lines)]
    return [Section(int(match["number"]), match["title"], line, end) for (match, line), end in zip(found, ends)]


def draws(function: ast.FunctionDef) -> bool:
    """Whether a function draws on a canvas, or has something painted."""
    return any(isinstance(part, ast.Attribute) and part.attr.startswith("create_")
               or isinstance(part, ast.Name) and part.id.startswith("paint_") for part in ast.walk(function))


def only_changes_the_look(call: ast.Call) -> bool:
    """Whether a call lays a widget out, or gives it nothing but options that are judged by eye."""
    name = getattr(call.func, "attr", "")
    return name in LAYING_OUT or name == "configure" and not call.args and all(
        keyword.arg in LOOK_OPTIONS for keyword in call.keywords)


class FaultFinder(ast.NodeVisitor):
    """Collects the faults that can be put into a source, one list of alternatives for each place."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.line_starts = [0]
        for line in source.splitlines(keepends=True):
            self.line_starts.append(self.line_starts[-1] + len(line))
        self.places: List[List[Fault]] = []
        self.visit(ast.parse(source))

    def span(self, node: ast.AST) -> Tuple[int, int]:
        return (self.line_starts[node.lineno - 1] + node.col_offset,
                self.line_starts[node.end_lineno - 1] + node.end_col_offset)

    def replace(self, node: ast.AST, *texts: str) -> None:
        """The node's text becomes one of these; {} stands for what it was."""
        start, end = self.span(node)
        was = self.source[start:end].decode()
        self.places.append([Fault(start, end, text.replace("{}", was)) for text in texts])

    def turn(self, left: ast.AST, right: ast.AST) -> None:
        """Turn the operator that stands between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        between = re.sub(r"#.*", lambda comment: " " * len(comment[0]), self.source[start:end].decode())
        operator = OPERATOR.search(between)
        for_it = TURNED.get(" ".join(operator[0].split()), ()) if operator else ()
        if for_it:
            start, end = start + operator.start(), start + operator.end()
            self.places.append([Fault(start, end, text) for text in for_it])

    def visit(self, node: ast.AST) -> None:
        kind = type(node).__name__
        if kind in ("JoinedStr", "Assert") or self.is_left_aside(node):
            return
        if kind == "FunctionDef" and draws(node) or kind == "keyword" and node.arg in LOOK_OPTIONS:
            return
        call = node.value if kind == "Expr" else node
        if isinstance(call, ast.Call) and only_changes_the_look(call):
            if kind == "Call" or call.func.attr.endswith("configure"):
                return
        if kind == "Compare":
            for left, right in zip([node.left] + node.comparators, node.comparators):
                self.turn(left, right)
        elif kind == "BoolOp":
            for left, right in zip(node.values, node.values[1:]):
                self.turn(left, right)
        elif kind == "BinOp":
            # A text or list joined with - fails by itself and would say nothing of the tests.
            if not any(type(part).__name__ in ("JoinedStr", "List") or isinstance(getattr(part, "value", 0), str)
                       for part in (node.left, node.right)):
                self.turn(node.left, node.right)
        elif kind == "AugAssign":
            self.turn(node.target, node.value)
            self.replace(node, "pass")
        elif kind == "UnaryOp" and not isinstance(node.operand, ast.Constant):
            start, end = self.span(node)[0], self.span(node.operand)[0]
            self.places.append([Fault(start, end - self.source[start:end].count(b"("), "")])
        elif kind == "Constant" and isinstance(node.value, bool):
            self.replace(node, str(not node.value))
        elif kind == "Constant" and isinstance(node.value, (int, float)):
            self.replace(node, "({} + 1)")
        elif kind == "Call" and isinstance(node.func, ast.Name) and node.func.id in ("min", "max", "any", "all"):
            other = {"min": "max", "max": "min", "any": "all", "all": "any"}
            self.replace(node.func, other[node.func.id])
        elif kind == "Expr" and isinstance(node.value, ast.Call) or kind == "Raise":
            self.replace(node, "pass")
        elif kind == "Assign" and isinstance(node.targets[0], (ast.Attribute, ast.Subscript)):
            self.replace(node, "pass")
        elif kind == "Return" and getattr(node.value, "value", node.value) is not None:
            self.replace(node, "return None")
        elif kind in ("Continue", "Break"):
            self.replace(node, "break" if kind == "Continue" else "continue")
        conditions = getattr(node, "ifs", None) or ([node.test] if kind in ("If", "While", "IfExp") else [])
        for condition in conditions:
            self.replace(condition, "(not ({}))")
        for field, child in ast.iter_fields(node):
            if field not in ("annotation", "returns", "decorator_list"):
                for part in child if isinstance(child, list) else [child]:
                    if isinstance(part, ast.AST):
                        self.visit(part)

    @staticmethod
    def is_left_aside(node: ast.AST) -> bool:
        """Whether this statement runs only as a program, or is a table of texts."""
        if isinstance(node, ast.If):
            return "__name__" in {part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)}
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        return isinstance(node, (ast.Assign, ast.AnnAssign)) and "TEXTS" in getattr(targets[0], "id", "")


def chosen_faults(source: bytes, seed: int, only: str, skip: str) -> Iterator[Fault]:
    """Faults in places drawn by lot, each in a place of its own and readable as Python."""
    def named(titles: str, section: Section) -> bool:
        return section.title.lower() in [title.strip().lower() for title in titles.split(",")]

    text = source.decode()
    aside = [section for section in sections_of(text) if named(skip, section) or only and not named(only, section)]
    rng = random.Random(seed)
    places = FaultFinder(source).places
    rng.shuffle(places)
    for place in places:
        fault = rng.choice(place)
        line = source.count(b"\n", 0, fault.start) + 1
        if any(section.first <= line <= section.last for section in aside):
            continue
        try:
            compile(with_fault(source, fault), "fault", "exec")
        except SyntaxError:
            continue
        yield fault


def with_fault(source: bytes, fault: Fault) -> bytes:
    """The source with this fault in it."""
    return source[:fault.start] + fault.text.encode() + source[fault.end:]


def tests_of_sections(wanted: str) -> List[str]:
    """The tests, by node id, in sections given as '2-9' or '4,6'; all of them if none are given."""
    numbers = set()
    for part in wanted.split(",") if wanted else ():
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    with open(TESTS, encoding="utf-8") as file:
        source = file.read()
    lines = {line for section in sections_of(source) if section.number in numbers
             for line in range(section.first, section.last + 1)}
    return [f"{TESTS}::{node.name}" for node in ast.parse(source).body
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
            and (not wanted or node.lineno in lines)]


def quickest_first(tests: Sequence[str], output: str) -> List[str]:
    """The tests in the order of the seconds that each took, all its cases together, as pytest has printed them."""
    seconds = dict.fromkeys(tests, 0.0)
    for took, test in re.findall(r"^([0-9.]+)s \w+ +([^[\s]+)", output, re.M):
        seconds[test] = seconds.get(test, 0.0) + float(took)
    return sorted(tests, key=seconds.__getitem__)


def read_callers(notes: str) -> Dict[int, Set[str]]:
    """Which tests have called the function that begins in a line, as the recorder has noted it."""
    callers: Dict[int, Set[str]] = {}
    with open(notes, encoding="utf-8") as file:
        for test, line in (words.split("\t") for words in file.read().splitlines()):
            callers.setdefault(int(line), set()).add(test)
    return callers


def span_of_function(tree: ast.Module, line: int) -> Tuple[int, int]:
    """First and last line of the function or method that holds a line in its body, (0, 0) where none does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) or node is tree:
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.body[0].lineno <= line <= part.end_lineno:
                    return min([part.lineno, *(hint.lineno for hint in part.decorator_list)]), part.end_lineno
    return 0, 0


def tests_for(line: int, tree: ast.Module, tests: Sequence[str], callers: Dict[int, Set[str]]) -> List[str]:
    """The tests, in their order, that have called the function of this line; all of them outside of functions."""
    first, last = span_of_function(tree, line)
    if not first:
        return list(tests)
    calling = set().union(*(callers[begun] for begun in callers if first <= begun <= last))
    return [test for test in tests if test in calling]


def run_tests(folder: str, tests: Sequence[str], timeout: Optional[float], recorder: str = ""
              ) -> Tuple[Optional[int], str]:
    """Run the tests in a folder: their exit code, None when they take too long, and what they print.

    A folder with a recorder is put where Python looks for what runs at its start.
    """
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryFile() as output:
        # The bytecode is kept beside the folder: compiling the tests anew for each fault would take the most time.
        environment = {**os.environ, "AGON_HOME": home, "PYTHONPYCACHEPREFIX": f"{folder}-bytecode"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if recorder:
            environment.update(PYTHONPATH=recorder, PYTEST_PLUGINS="sitecustomize")
        child = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--assert=plain", *tests],
            cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            start_new_session=True)
        try:
            code: Optional[int] = child.wait(timeout)
        except subprocess.TimeoutExpired:
            code = None
        finally:  # a fault may leave engines behind
            if hasattr(os, "killpg"):
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except OSError:
                    pass
            child.kill()
            child.wait()
        output.seek(0)
        return code, output.read().decode(errors="replace")


def changed_lines(source: bytes, fault: Fault) -> str:
    """Line number, and the line before and after the change."""
    first = source.rfind(b"\n", 0, fault.start) + 1
    last = source.find(b"\n", fault.end)
    before = source[first:last].decode()
    after = with_fault(source, fault)[first:last + len(fault.text.encode()) - (fault.end - fault.start)].decode()
    line = source.count(b"\n", 0, fault.start) + 1
    return f"{line}: {' '.join(before.split())}  ->  {' '.join(after.split())}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--count", type=int, default=60, help="how many faults (60)")
    parser.add_argument("--seed", type=int, default=1, help="which faults (1)")
    parser.add_argument("--tests", default="", help="options for pytest, in one word")
    parser.add_argument("--test-sections", default="", metavar="2-9", help=f"only tests of these sections of {TESTS}")
    parser.add_argument("--only", default="", metavar="TITLES", help="faults in these sections only, commas between")
    parser.add_argument("--skip", default=LOOKS, metavar="TITLES", help=f"no faults in these sections ({LOOKS})")
    parser.add_argument("--jobs", type=int, default=1, help="how many runs at a time (1)")
    parser.add_argument("--timeout", type=float, help="seconds for one run (four times the unchanged tests and 10)")
    options = parser.parse_args()
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    chosen, tests = shlex.split(options.tests), tests_of_sections(options.test_sections)
    with open(options.file, "rb") as file:
        source = file.read()
    faults = list(islice(chosen_faults(source, options.seed, options.only, options.skip), options.count))
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(options.jobs) as pool:
        folders: "queue.Queue[str]" = queue.Queue()
        for job in range(options.jobs):
            folders.put(os.path.join(work, str(job)))
            shutil.copytree(".", os.path.join(work, str(job)), ignore=shutil.ignore_patterns(".git", "__pycache__"))
        recorder, notes = os.path.join(work, "recorder"), os.path.join(work, "notes")
        os.mkdir(recorder)
        with open(os.path.join(recorder, "sitecustomize.py"), "w", encoding="utf-8") as file:
            file.write(RECORDER.format(file=os.sep + options.file, notes=notes))
        run_tests(os.path.join(work, "0"), [*chosen, "--maxfail=1000", *tests], None, recorder)  # slow: some may fail
        callers, tree = read_callers(notes), ast.parse(source)
        begun = time.monotonic()
        code, output = run_tests(os.path.join(work, "0"), [*chosen, "--durations=0", *tests], None)
        timeout = options.timeout or 4 * (time.monotonic() - begun) + 10
        if code != 0:
            print(output[-4000:], "the unchanged tests fail", sep="\n")
            return 1
        tests = quickest_first(tests, output)
        print(f"unchanged tests: {output.strip().splitlines()[-1]}", flush=True)

        def is_noticed(number: int, fault: Fault) -> bool:
            wanted = tests_for(source.count(b"\n", 0, fault.start) + 1, tree, tests, callers)
            folder = folders.get()
            path = os.path.join(folder, options.file)
            with open(path, "wb") as file:
                file.write(with_fault(source, fault))
            os.utime(path, (number, number))  # each with a time of its own, by which Python knows bytecode as outdated
            is_seen = False
            for part in (wanted, [test for test in tests if test not in wanted]):
                while part and not is_seen:
                    code, output = run_tests(folder, [*chosen, *part], timeout)
                    failed = re.search(r"^FAILED (\S+::\w+)", output, re.M)
                    is_seen = code not in (0, 5)  # 5: the options have left no test of these
                    if is_seen and failed:
                        is_seen = run_tests(folder, [failed[1]], timeout)[0] != 0
                        part = part[part.index(failed[1]) + 1:]
                    else:
                        part = []
            folders.put(folder)
            return is_seen

        noticed = 0
        for tried, (fault, is_seen) in enumerate(zip(faults, pool.map(is_noticed, range(len(faults)), faults)), 1):
            noticed += is_seen
            print(f"\r{noticed} of {tried} ", end="", file=sys.stderr, flush=True)
            if not is_seen:
                print(f"survived: {options.file}:{changed_lines(source, fault)}", flush=True)
    share = 100 * noticed / max(1, len(faults))
    print(f"{options.file}, seed {options.seed}: {noticed} of {len(faults)} faults noticed ({share:.0f} %)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
