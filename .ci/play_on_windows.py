"""Plays a little in the window under the Windows Python that .ci/windows has built, with real mouse and keys.

    python .ci/play_on_windows.py FOLDER     needs a display with a window manager, and xdotool

The window opens; a dragged and a typed move are answered by the computer; the game is saved under a name with an
umlaut; the window closes and leaves no process behind.  Then a tournament is played whose command has blanks.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # seconds
HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What runs on the Windows Python: the program itself, which first tells where on the screen its cells are.
PROGRAM = r"""
import sys, tkinter
import agon

def boards(widget):
    return [part for child in widget.winfo_children() for part in [child, *boards(child)] if hasattr(part, "layout")]

def tell(root):
    board = boards(root)[0]
    with open("cells.txt", "w") as file:
        for cell in agon.CELLS:
            x, y = board.layout.centre(cell)
            print(agon.cell_name(cell), round(board.winfo_rootx() + x), round(board.winfo_rooty() + y), file=file)
        print("end", file=file)

def mainloop(root, n=0, original=tkinter.Misc.mainloop):
    root.after(2000, tell, root)
    original(root, n)

tkinter.Misc.mainloop = tkinter.Tk.mainloop = mainloop
sys.argv = ["agon.py"]
agon.main()
"""


def until(condition, what):
    """Wait for a condition and return what it gives; end with a sentence when it never comes true."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.2)
    sys.exit(f"window on Windows: {what} did not happen within {PATIENCE} seconds")


def text_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def moves_of(path):
    """The moves in a game file."""
    return re.findall(r"\bQ?([a-l]\d+[-*][a-l]\d+)", text_of(path).rpartition("]")[2])


def xdotool(*words):
    return subprocess.run(["xdotool", *map(str, words)], stdout=subprocess.PIPE, universal_newlines=True).stdout


def processes(folder):
    """The processes of the Windows Python in this folder."""
    listed = subprocess.run(["ps", "-eo", "args"], stdout=subprocess.PIPE, universal_newlines=True).stdout
    return [line for line in listed.splitlines() if f"{folder}/py/python.exe" in line.replace("\\", "/")]


def play_in_the_window(folder, copy, home):
    program = subprocess.Popen([os.path.join(folder, "python"), "-c", PROGRAM], cwd=copy,
                               env={**os.environ, "AGON_HOME": home})
    until(lambda: text_of(os.path.join(copy, "cells.txt")).endswith("end\n"), "the start")
    cells = {name: where for name, *where in (line.split() for line in
                                              text_of(os.path.join(copy, "cells.txt")).splitlines())}
    window = until(lambda: xdotool("search", "--name", "Agon").split(), "the window")[-1]
    xdotool("windowactivate", "--sync", window)

    kept = os.path.join(home, "autosave.agon")
    xdotool("mousemove", *cells["a5"], "mousedown", 1)
    for step in (1, 2, 3, 4):  # a hand takes its time
        xdotool("mousemove", *(int(a) + (int(b) - int(a)) * step // 4 for a, b in zip(cells["a5"], cells["b5"])))
        time.sleep(0.1)
    xdotool("mouseup", 1)
    until(lambda: len(moves_of(kept)) == 2, "the answer to a dragged move")
    time.sleep(2)  # the answer is kept before it has come to rest on the board
    xdotool("type", "--delay", 50, "b1c2")
    xdotool("key", "Return")
    until(lambda: len(moves_of(kept)) == 4, "the answer to a typed move")
    time.sleep(2)
    moves = moves_of(kept)
    assert moves[0] == "a5-b5" and moves[2] == "b1-c2", moves

    xdotool("key", "ctrl+shift+s")
    until(lambda: xdotool("search", "--onlyvisible", "--name", "^Save$"), "the question for a file")
    time.sleep(2)
    saved = os.path.join(home, "pr\u00fcfung.agon")
    for key in ("End", "shift+Home"):  # a name is proposed
        xdotool("key", key)
        time.sleep(0.3)
    # A letter that the keyboard lacks is lent to it for a moment only, which a busy machine misses: take another one.
    for keyboard, part in zip(("us", "de", "us"), re.split("(\u00fc)", "Z:" + saved.replace("/", "\\"))):
        subprocess.run(["setxkbmap", keyboard], check=True)
        time.sleep(1)
        xdotool("type", "--delay", 50, part)
        time.sleep(1)
    xdotool("key", "Return")
    until(lambda: len(moves_of(saved)) == 4, "saving under a name with an umlaut")
    xdotool("windowactivate", "--sync", window, "key", "ctrl+q")
    program.wait(PATIENCE)
    until(lambda: not processes(folder), "the end of all processes")
    assert program.returncode == 0, program.returncode
    assert len(moves_of(kept)) == 4


def play_a_tournament(folder, copy):
    python = os.path.join(folder, "python")
    os.makedirs(os.path.join(copy, "with blank"))
    hopper = re.search(r"```python\n(.*?)```", text_of(os.path.join(copy, "README.md")), re.S)[1]
    with open(os.path.join(copy, "with blank", "hopper.py"), "w", encoding="utf-8") as file:
        file.write(hopper)
    played = subprocess.run(
        [python, "agon_ai.py", "tournament", "level1", '"with blank\\hopper.py"', "--rounds", "1", "--nodes", "20"],
        cwd=copy, stdout=subprocess.PIPE, universal_newlines=True, timeout=PATIENCE)
    print(played.stdout)
    assert played.returncode == 0 and "hopper" in played.stdout.lower(), played.returncode
    until(lambda: not processes(folder), "the end of the tournament's programs")


def main():
    folder = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        copy, home = os.path.join(work, "copy"), os.path.join(work, "home")
        shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        os.mkdir(home)
        play_in_the_window(folder, copy, home)
        play_a_tournament(folder, copy)
    print("window on Windows: opened, dragged, typed, answered, saved, closed; tournament played")


if __name__ == "__main__":
    main()
