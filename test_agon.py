"""Tests of Agon.  Positions, moves and files are text; names are the sentences they check.

    python -m pytest test_agon.py

Contents
    1. Helpers, and a slow second implementation of the rules
    2. Cells and board
    3. Steps
    4. Sandwich and relocation
    5. End of the game, draws, and the table of known positions
    6. Notation and text forms
    7. Game: undo, redo, repetition, quiet moves, headers, comments
    8. Game files, the disk, lessons, geometry and pictures
    9. Properties and fuzz
    10. The computer player
    11. The table without a window
    12. The window: mouse, keyboard, drawing
    13. The window: classroom, programs, files
    14. Nothing breaks it
    15. What README, instructions and lessons say is true
"""

import ast
import collections
import doctest
import errno
import functools
import gc
import html.parser
import importlib.util
import inspect
import io
import itertools
import json
import math
import os
import pickle
import random
import re
import select
import shlex
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
import types
import weakref
import xml.etree.ElementTree
import zlib
from pathlib import Path
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

import pytest

import agon_ai
import agon_core
from agon_ai import Record
from agon_core import (
    BLACK, CELLS, DEFAULT_RULES, PASS, START_TEXT, THRONE, WHITE, AgonError, Diagram, Ending, ForcedWins, Game,
    IllegalMove, Layout, Lesson, Move, Outcome, Position, Refusal, Rules, cell_name, parse_cell, perft)

try:
    import agon
except SystemExit:  # no tkinter here; the tests of the window say so
    agon = None  # type: ignore[assignment]

HERE = os.path.dirname(os.path.abspath(__file__))

# === 1. Helpers, and a slow second implementation of the rules ===================


def takes_long(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test of several seconds; `python -m pytest -k "not takes_long"` leaves such tests out.

    (-k looks at a test's attributes, too, as at those given at the end of this file.  A mark of pytest's own would have
    to be named in a file of settings.)
    """
    test.takes_long = True  # type: ignore[attr-defined]
    return test


def pos(text: str) -> Position:
    return Position.from_text(text)


def mv(text: str) -> Move:
    return Move.from_text(text)


def legal(text: str, rules: Rules = DEFAULT_RULES) -> List[str]:
    """The legal moves of a position, as sorted plain text."""
    return sorted(str(move) for move in pos(text).legal_moves(rules))


def targets(text: str, source: str, rules: Rules = DEFAULT_RULES) -> str:
    """Where the piece on one cell may go, as 'a1 a2 ...'."""
    return " ".join(move.split("-")[1] for move in legal(text, rules) if move.startswith(source + "-"))


def names(cells: List[int]) -> List[str]:
    return sorted(agon_core.cell_name(cell) for cell in cells)


def played(moves: str, start: Optional[str] = None, rules: Rules = DEFAULT_RULES) -> Game:
    """A game with these moves."""
    game = Game(pos(start) if start else None, rules)
    for word in moves.split():
        game.play(mv(word))
    return game


def is_running(pid: int) -> bool:
    """Whether a process is there and not just waiting to be buried."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return True  # alive, on a system without /proc
    except OSError:
        return False


# The second implementation knows nothing of agon_core and is written for obviousness alone, sentence
# by sentence after the rules.  A cell is (q, r); a board is a dictionary from cells to letters:
# W and B are the queens, w and b the guards.

XY = Tuple[int, int]
Board = Dict[XY, str]
STRAIGHT = ((1, 0), (0, 1), (1, -1))


def ring(cell: XY) -> int:
    q, r = cell
    return max(abs(q), abs(r), abs(q + r))


def moved(cell: XY, step: XY, times: int = 1) -> XY:
    return cell[0] + times * step[0], cell[1] + times * step[1]


ALL = [(q, r) for q in range(-5, 6) for r in range(-5, 6) if ring((q, r)) <= 5]


def name(cell: XY) -> str:
    q, r = cell
    return "abcdefghikl"[q + 5] + str(min(5, 5 - q) - r + 1)


CALLED = {name(cell): cell for cell in ALL}


def owner(letter: Optional[str]) -> Optional[str]:
    return letter.lower() if letter else None


def other(side: str) -> str:
    return "b" if side == "w" else "w"


def around(cell: XY) -> List[XY]:
    near = [moved(cell, step, times) for step in STRAIGHT for times in (1, -1)]
    return [at for at in near if ring(at) <= 5]


def read_board(text: str) -> Tuple[Board, str]:
    white, rest = text.split("/")
    black, side = rest.split()[:-1], rest.split()[-1]
    board = {}
    for letter, words in (("w", white.split()), ("b", black)):
        for word in words:
            board[CALLED[word.lstrip("Q")]] = letter.upper() if word[0] == "Q" else letter
    return board, side


def write_board(board: Board, side: str) -> str:
    def pieces(letter: str) -> List[str]:
        queen = ["Q" + name(cell) for cell in board if board[cell] == letter.upper()]
        return queen + sorted(name(cell) for cell in board if board[cell] == letter)
    return " ".join(pieces("w") + ["/"] + pieces("b") + [side])


def squeezing(board: Board, cell: XY, enemy: str) -> List[XY]:
    """The straight lines on which the cell lies between two enemies."""
    return [step for step in STRAIGHT
            if owner(board.get(moved(cell, step, 1))) == enemy == owner(board.get(moved(cell, step, -1)))]


def slow_trapped(board: Board, side: str) -> List[XY]:
    return [cell for cell in board if owner(board[cell]) == side and squeezing(board, cell, other(side))]


def encloses_itself(board: Board, side: str, source: Optional[XY], target: XY) -> bool:
    """Whether the piece would stand between two enemies without enclosing both of them."""
    rest = {cell: letter for cell, letter in board.items() if cell != source}
    return any(not owner(rest.get(moved(target, step, 2))) == side == owner(rest.get(moved(target, step, -2)))
               for step in squeezing(rest, target, other(side)))


def slow_changes(board: Board, side: str, rules: Rules) -> List[Tuple[Optional[XY], XY]]:
    """Steps, relocations or placements (from nowhere); neither passes nor the end of the game."""
    if rules.placement and list(board.values()).count(side) < 6:
        return [(None, cell) for cell in ALL
                if ring(cell) == 5 and cell not in board and not encloses_itself(board, side, None, cell)]
    mine = [cell for cell in board if owner(board[cell]) == side]
    trapped = slow_trapped(board, side)
    trapped_queen = [cell for cell in trapped if board[cell].isupper()]
    if rules.queen_first and trapped_queen:
        trapped = trapped_queen
    moves: List[Tuple[Optional[XY], XY]] = []
    for source in trapped or mine:
        is_queen = board[source].isupper()
        if trapped and is_queen:
            wished = [cell for cell in ALL if cell != (0, 0)]
        elif trapped:
            wished = [cell for cell in ALL if ring(cell) == 5]
        else:
            wished = [cell for cell in around(source) if ring(cell) <= ring(source)]
            wished = [cell for cell in wished if is_queen or cell != (0, 0)]
        moves += [(source, target) for target in wished
                  if target not in board and not encloses_itself(board, side, source, target)]
    return moves


def slow_outcome(board: Board, rules: Rules) -> Optional[Tuple[Optional[str], str]]:
    for side in "wb":
        if all(board.get(cell) == side for cell in around((0, 0))):
            if board.get((0, 0)) == side.upper():
                return side, "THRONE"
            if rules.empty_throne_loses:
                return other(side), "EMPTY_THRONE"
    if not slow_changes(board, "w", rules) and not slow_changes(board, "b", rules):
        return None, "BLOCKED"
    return None


def slow_legal(board: Board, side: str, rules: Rules = DEFAULT_RULES) -> List[str]:
    if slow_outcome(board, rules):
        return []
    return sorted(f"{name(a)}-{name(b)}" if a else f"@{name(b)}" for a, b in slow_changes(board, side, rules)) or ["--"]


def slow_play(board: Board, side: str, move: str) -> Board:
    if move == "--":
        return board
    if move.startswith("@"):
        return {**board, CALLED[move[1:]]: side}
    source, target = (CALLED[word] for word in move.split("-"))
    return {**{cell: letter for cell, letter in board.items() if cell != source}, target: board[source]}


def slow_describe(board: Board, side: str, move: str, rules: Rules) -> str:
    if move == "--":
        return move
    after = slow_play(board, side, move)
    queen = "" if move.startswith("@") or board[CALLED[move.split("-")[0]]].islower() else "Q"
    if slow_trapped(board, side):
        move = move.replace("-", "*")
    end = slow_outcome(after, rules)
    fresh = set(slow_trapped(after, other(side))) - set(slow_trapped(board, other(side)))
    return queen + move + ("#" if end and end[0] == side else "+" if fresh else "")


def slow_perft(board: Board, side: str, depth: int, rules: Rules = DEFAULT_RULES) -> int:
    moves = slow_legal(board, side, rules)
    if depth == 1:
        return len(moves)
    return sum(slow_perft(slow_play(board, side, move), other(side), depth - 1, rules) for move in moves)


# --- positions to try things on --------------------------------------------------

def play_out(rng: random.Random, text: str, rules: Rules, length: int) -> Iterator[Position]:
    """The positions of a random game that likes to go inwards, from its start to its end."""
    position = pos(text)
    for _ in range(length):
        yield position
        moves = position.legal_moves(rules)
        if not moves:
            return
        inwards = [move for move in moves if position.is_progress(move)]
        position = position.play(rng.choice(inwards if inwards and rng.random() < 0.6 else moves), rules)
    yield position


def random_crowd(rng: random.Random) -> str:
    """A position with the pieces thrown on the cells of the two to four inner rings."""
    crowd = rng.choice((2, 2, 3, 3, 4))
    cells = [cell for cell in ALL if ring(cell) <= crowd]
    rng.shuffle(cells)
    board: Board = {}
    for letter, count in (("W", 1), ("B", 1), ("w", 6), ("b", 6)):
        if rng.random() < 0.1:
            count -= 1
        for _ in range(count):
            cell = cells.pop()
            if cell == (0, 0) and letter.islower():
                cell = cells.pop()
            board[cell] = letter
    return write_board(board, rng.choice("wb"))


def random_stroke(rng: random.Random) -> str:
    """A position with own, enemy, free cell, enemy, own in a straight line: the stroke may be possible."""
    side, step = rng.choice("wb"), rng.choice(STRAIGHT)
    middle = rng.choice([cell for cell in ALL if max(ring(moved(cell, step, at)) for at in (2, -2)) <= 5])
    board = {moved(middle, step, at): letter
             for at, letter in ((2, side), (1, other(side)), (-1, other(side)), (-2, side))}
    board.pop((0, 0), None)
    free = [cell for cell in ALL if cell not in board and cell not in ((0, 0), middle)]
    free.sort(key=lambda cell: rng.random() * (1 + ring((cell[0] - middle[0], cell[1] - middle[1]))))
    for letter in side * rng.randint(2, 4) + other(side) * rng.randint(2, 4) + "WB":
        board[free.pop(0)] = letter
    return write_board(board, side)


def random_jam(rng: random.Random) -> str:
    """A position in which one side stands on the throne and ring 1 alone and is likely to be blocked."""
    side = rng.choice("wb")
    inner = around((0, 0))
    rng.shuffle(inner)
    guards = rng.randint(1, 4)
    board = {cell: side if place < guards else other(side) for place, cell in enumerate(inner)}
    board[(0, 0)] = side.upper()
    rest = [cell for cell in ALL if cell not in board]
    for letter in rng.choice((other(side) * guards, "")) + rng.choice((other(side).upper(), "")):
        board[rest.pop(rng.randrange(len(rest)))] = letter
    return write_board(board, rng.choice("wb"))


def near_the_end(rng: random.Random) -> str:
    """A position in which one side has four to six guards on ring 1 and the queen on the throne or near."""
    side = rng.choice("wb")
    board: Board = {}
    inner = around((0, 0))
    rng.shuffle(inner)
    guards = rng.randint(4, 6)
    for cell in inner[:guards]:
        board[cell] = side
    rest = [cell for cell in ALL if cell not in board and ring(cell) in (1, 2, 5)]
    rng.shuffle(rest)
    queen = (0, 0) if rng.random() < 0.6 else rest.pop()
    board[queen] = side.upper()
    for letter in side * (6 - guards) + other(side) * 6 + other(side).upper():
        board[rest.pop()] = letter
    return write_board(board, rng.choice("wb"))


def many_positions(seed: int, games: int, setups: int) -> List[Tuple[Position, Rules]]:
    """Positions from random games, crowded middles and near ends, with alternating rule options."""
    rng = random.Random(seed)
    found: List[Tuple[Position, Rules]] = []
    for number in range(games):
        rules = Rules(bool(number & 1), not number & 2)
        start = str(Position.start(number // 4 % 2))
        found += [(position, rules) for position in play_out(rng, start, rules, 70)]
    for number in range(setups):
        rules = Rules(bool(number & 1), not number & 2)
        setup = rng.choice((near_the_end, random_stroke, random_jam, random_crowd, random_crowd))
        text = setup(rng)
        found += [(position, rules) for position in play_out(rng, text, rules, 2)]
    return found


# === 2. Cells and board ==========================================================

CELL = agon_core.parse_cell


def test_the_board_has_91_cells_in_rings_of_1_6_12_18_24_30() -> None:
    assert len(set(agon_core.CELLS)) == len(agon_core.CELLS) == 91
    rings = [agon_core.RING[cell] for cell in agon_core.CELLS]
    assert [rings.count(number) for number in range(6)] == [1, 6, 12, 18, 24, 30]


def test_every_cell_has_the_name_the_coordinates_say() -> None:
    assert {agon_core.axial(cell): agon_core.cell_name(cell) for cell in agon_core.CELLS} \
        == {cell: name(cell) for cell in ALL}


@pytest.mark.parametrize("text, where", [
    ("f6", (0, 0)), ("f1", (0, 5)), ("f11", (0, -5)), ("a1", (-5, 5)), ("a6", (-5, 0)), ("l1", (5, 0)),
    ("l6", (5, -5)), ("k7", (4, -5))])
def test_landmarks_have_their_coordinates(text: str, where: XY) -> None:
    assert agon_core.axial(CELL(text)) == where


def test_files_have_6_to_11_and_back_to_6_cells_and_no_j() -> None:
    cells = [agon_core.cell_name(cell) for cell in agon_core.CELLS]
    assert [sum(cell[0] == letter for cell in cells) for letter in "abcdefghijkl"] \
        == [6, 7, 8, 9, 10, 11, 10, 9, 8, 0, 7, 6]


def test_every_name_reads_back_as_its_cell() -> None:
    assert [CELL(agon_core.cell_name(cell)) for cell in agon_core.CELLS] == list(agon_core.CELLS)


@pytest.mark.parametrize("text", [
    "j1", "a7", "a0", "f12", "l7", "m1", "", "f", "6f", "F6", "f06", " f6", "f6 "])
def test_what_is_no_cell_is_refused_by_name(text: str) -> None:
    with pytest.raises(AgonError) as caught:
        CELL(text)
    assert caught.value.code == "bad_cell"
    assert caught.value.details["token"] == text


def test_neighbours_and_rings_are_those_of_the_coordinates() -> None:
    for cell in ALL:
        near = {agon_core.cell_name(to) for to in agon_core.NEIGHBOURS[CELL(name(cell))]}
        assert near == {name(to) for to in around(cell)}
        assert agon_core.RING[CELL(name(cell))] == ring(cell)


def test_steps_of_a_lone_queen_are_on_the_ring_or_inwards_from_every_cell() -> None:
    for cell in ALL:
        wanted = sorted(name(to) for to in around(cell) if ring(to) <= ring(cell))
        assert targets(f"Q{name(cell)} / w", name(cell)).split() == wanted


def test_each_side_starts_as_the_rules_say() -> None:
    assert str(Position.start()) == "Qf1 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2 w"
    assert str(Position.start(BLACK)) == "Qf1 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2 b"
    assert (Position.start().turn, Position.start(BLACK).turn) == (WHITE, BLACK)


def test_a_position_tells_who_stands_where() -> None:
    for turn in "wb":
        position = pos(f"Qf1 a5 / Qf11 a2 {turn}")
        assert [position.side_at(CELL(cell)) for cell in "f1 a5 f11 a2 f6".split()] \
            == [WHITE, WHITE, BLACK, BLACK, None]
        assert [position.is_queen(CELL(cell)) for cell in "f1 a5 f11 a2 f6".split()] \
            == [True, False, True, False, False]
        assert names(list(agon_core.cells_of(position.pieces(WHITE)))) == ["a5", "f1"]
        assert names(list(agon_core.cells_of(position.pieces(BLACK)))) == ["a2", "f11"]


# === 3. Steps ====================================================================

def test_a_guard_steps_along_its_ring_or_inwards() -> None:
    assert targets("d3 / Qf11 w", "d3") == "c3 d4 e3 e4"


def test_a_corner_guard_has_two_ways_along_and_one_inwards() -> None:
    assert targets("a1 / Qf11 w", "a1") == "a2 b1 b2"


def test_no_piece_steps_outwards() -> None:
    position = pos("Qf1 d3 / Qf11 w")
    for target in ("c2", "d2"):
        assert position.refusal(mv(f"d3-{target}")) is Refusal.OUTWARDS


def test_a_step_needs_a_free_cell() -> None:
    assert targets("c3 d3 / Qf11 e3 w", "d3") == "d4 e4"


def test_only_a_queen_steps_on_the_throne() -> None:
    assert targets("f5 / Qf11 w", "f5") == "e5 g5"
    assert targets("Qf5 / Qf11 w", "f5") == "e5 f6 g5"


def test_there_is_no_step_off_the_throne() -> None:
    assert legal("Qf6 a1 / Qf11 w") == ["a1-a2", "a1-b1", "a1-b2"]


def test_the_side_to_move_moves_and_then_the_other() -> None:
    position = Position.start().play(mv("a5-b5"))
    assert str(position) == "Qf1 b1 b5 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2 b"
    assert str(position.play(mv("f11-f10"))) == "Qf1 b1 b5 d9 h9 k1 l5 / Qf10 a2 b7 d1 h1 k7 l2 w"


def test_an_illegal_move_is_not_played_and_says_why() -> None:
    with pytest.raises(IllegalMove) as caught:
        Position.start().play(mv("a5-c5"))
    assert caught.value.refusal is Refusal.TOO_FAR
    assert str(caught.value) == '"a5-c5" is not possible: A piece moves only one step.'


BOTH_TRAPPED = "Qg4 a5 b1 d9 e5 h9 l5 / Qf11 e4 e6 g3 g5 k7 l2 w"
QUEEN_FIRST = Rules(queen_first=True)

#: Position, move, why it is refused, the cells that cause it.
REFUSALS = [
    ("Qf6 e5 e6 f5 f7 g5 g6 / Qf11 b", "f11-f10", Refusal.GAME_OVER, ""),
    ("Qf6 e5 f5 g5 / e6 f7 g6 w", "--", Refusal.GAME_OVER, ""),
    ("Qf1 a5 / Qf11 w", "--", Refusal.NO_PASS, ""),
    (BOTH_TRAPPED, "--", Refusal.NO_PASS, ""),
    ("Qf1 a5 / Qf11 w", "f6-f7", Refusal.NO_PIECE, ""),
    ("Qf1 a5 / Qf11 w", "f11-f10", Refusal.NOT_YOURS, "f11"),
    (BOTH_TRAPPED, "f11-f10", Refusal.NOT_YOURS, "f11"),
    ("Qf1 a5 / Qf11 w", "f1-f1", Refusal.SAME_CELL, ""),
    (BOTH_TRAPPED, "e5-e5", Refusal.SAME_CELL, ""),
    ("Qf1 f2 / Qf11 w", "f1-f2", Refusal.TAKEN, "f2"),
    ("Qf1 / Qf2 w", "f1-f2", Refusal.TAKEN, "f2"),
    (BOTH_TRAPPED, "e5-a5", Refusal.TAKEN, "a5"),
    (BOTH_TRAPPED, "a5-b5", Refusal.TRAPPED_FIRST, "e5 g4"),
    (BOTH_TRAPPED, "e5-b5", Refusal.OUTER_RING, ""),
    (BOTH_TRAPPED, "e5-f6", Refusal.OUTER_RING, ""),
    (BOTH_TRAPPED, "g4-f6", Refusal.NOT_TO_THRONE, "f6"),
    ("Qf1 a5 / Qf11 w", "a5-c5", Refusal.TOO_FAR, ""),
    ("Qf1 a5 / Qf11 w", "f1-f6", Refusal.TOO_FAR, ""),
    ("Qf2 / Qf11 w", "f2-f1", Refusal.OUTWARDS, ""),
    ("Qf6 a1 / Qf11 w", "f6-f7", Refusal.OUTWARDS, ""),
    ("Qf1 f7 / Qf11 w", "f7-f6", Refusal.THRONE_IS_QUEENS, "f6"),
    ("Qf1 c4 d2 / Qf11 d3 d5 w", "c4-d4", Refusal.SELF_ENCLOSURE, "d3 d5"),
    ("Qf1 c3 d2 d6 / Qf11 c4 d3 d5 e4 w", "c3-d4", Refusal.SELF_ENCLOSURE, "c4 e4"),
    ("Qf1 c3 d2 / Qf11 c4 d3 d5 e4 w", "c3-d4", Refusal.SELF_ENCLOSURE, "c4 d3 d5 e4"),
    ("Qf1 a1 a5 / Qf11 a2 a4 a6 w", "a5-a3", Refusal.SELF_ENCLOSURE, "a2 a4"),
    ("Qf1 a5 / Qf11 w", "@a1", Refusal.NONE_TO_PLACE, ""),
]

#: The same where guards are to be placed.
PLACING = Rules(placement=True)
PLACING_REFUSALS = [
    ("Qf1 a5 / Qf11 b1 w", "a5-b5", Refusal.PLACE_FIRST, ""),
    ("Qf1 a5 / Qf11 b1 w", "f1-f2", Refusal.PLACE_FIRST, ""),
    ("Qf1 a5 / Qf11 b1 w", "f11-f10", Refusal.NOT_YOURS, "f11"),
    ("Qf1 a5 / Qf11 b1 w", "f6-f7", Refusal.NO_PIECE, ""),
    ("Qf1 a5 / Qf11 b1 w", "--", Refusal.NO_PASS, ""),
    ("Qf1 a5 / Qf11 b1 w", "@b2", Refusal.PLACED_OUTSIDE, ""),
    ("Qf1 a5 / Qf11 b1 w", "@f6", Refusal.PLACED_OUTSIDE, ""),
    ("Qf1 a5 / Qf11 b1 w", "@a5", Refusal.TAKEN, "a5"),
    ("Qf1 a5 / Qf11 b1 w", "@b1", Refusal.TAKEN, "b1"),
    ("Qf1 / Qf11 a2 a4 w", "@a3", Refusal.SELF_ENCLOSURE, "a2 a4"),
    ("Qf1 a5 b1 d9 h9 k1 l5 / Qf11 w", "@a1", Refusal.NONE_TO_PLACE, ""),
]


@pytest.mark.parametrize("text, move, refusal, causes", PLACING_REFUSALS, ids=[
    f"{row[2].name}-{row[1]}" for row in PLACING_REFUSALS])
def test_each_refusal_while_guards_are_placed_comes_with_its_cells(
        text: str, move: str, refusal: Refusal, causes: str) -> None:
    assert pos(text).refusal(mv(move), PLACING) is refusal
    assert " ".join(names(pos(text).causes(mv(move), PLACING))) == causes


@pytest.mark.parametrize("text, move, refusal, causes", REFUSALS, ids=[
    f"{row[2].name}-{row[1]}" for row in REFUSALS])
def test_each_refusal_comes_with_the_cells_that_cause_it(
        text: str, move: str, refusal: Refusal, causes: str) -> None:
    assert pos(text).refusal(mv(move)) is refusal
    assert " ".join(names(pos(text).causes(mv(move)))) == causes


@pytest.mark.parametrize("source", [-1, -12, 11, 1000])
def test_a_number_that_is_no_cell_has_no_piece_that_could_move(source: int) -> None:
    assert Position.start().refusal(Move(source, THRONE)) is Refusal.NO_PIECE


def test_with_queen_first_the_trapped_queen_causes_the_refusal() -> None:
    position = pos(BOTH_TRAPPED)
    assert position.refusal(mv("e5-a1"), QUEEN_FIRST) is Refusal.QUEEN_FIRST
    assert names(position.causes(mv("e5-a1"), QUEEN_FIRST)) == ["g4"]
    assert position.refusal(mv("a5-b5"), QUEEN_FIRST) is Refusal.TRAPPED_FIRST
    assert names(position.causes(mv("a5-b5"), QUEEN_FIRST)) == ["g4"]


def test_every_refusal_has_an_example_here() -> None:
    assert {row[2] for row in REFUSALS + PLACING_REFUSALS} | {Refusal.QUEEN_FIRST} == set(Refusal)


def test_a_legal_move_has_no_refusal_and_no_causes() -> None:
    assert Position.start().refusal(mv("f1-f2")) is None
    assert Position.start().causes(mv("f1-f2")) == []


# -- the old second way to begin --

def test_with_placement_the_queens_stand_alone_at_first() -> None:
    assert str(Position.start(rules=PLACING)) == "Qf1 / Qf11 w" and str(Position.start(BLACK, PLACING)) == "Qf1 / Qf11 b"
    assert Game(rules=PLACING).start == Position.start(rules=PLACING) and Game().start == Position.start()
    moves = legal("Qf1 / Qf11 w", PLACING)
    assert len(moves) == 28 and all(move[0] == "@" and ring(CALLED[move[1:]]) == 5 for move in moves)


def test_when_all_guards_stand_the_beginner_makes_the_first_step() -> None:
    game = played("@a5 @d1 @b1 @h1 @d9 @a2 @h9 @l2 @k1 @b7 @l5", rules=PLACING)
    assert game.position.turn == BLACK and game.is_placing and (game.to_place(WHITE), game.to_place(BLACK)) == (0, 1)
    game.play(mv("@k7"))
    assert not game.is_placing and game.position == Position.start()
    assert game.legal_moves() == Position.start().legal_moves()


def test_as_long_as_guards_are_placed_nothing_is_relocated_and_then_as_usual() -> None:
    trapped = "Qf1 a4 b1 d9 h9 k1 / Qf11 a3 a5 d1 h1 l2 w"
    assert names(pos(trapped).trapped()) == ["a4"] and pos(trapped).must_relocate(PLACING) == []
    assert all(move.startswith("@") for move in legal(trapped, PLACING))
    game = played("@l5 @k7", trapped, PLACING)
    assert names(game.must_relocate()) == ["a4"]
    assert all(move.startswith("a4-") for move in legal(str(game.position), PLACING))


def test_a_guard_may_be_placed_between_two_enemies_that_it_encloses_itself() -> None:
    assert "@a3" in legal("Qf1 a1 a5 / Qf11 a2 a4 w", PLACING)
    assert "@a3" not in legal("Qf1 a1 / Qf11 a2 a4 w", PLACING)


def test_a_placement_is_no_quiet_move_and_can_trap() -> None:
    game = played("@a1 @a2", rules=PLACING)
    assert game.describe(mv("@a3")) == "@a3+" and names(game.position.newly_trapped(mv("@a3"))) == ["a2"]
    game.play(mv("@a3"))
    assert game.quiet_moves() == 0 and not game.position_at(2).is_relocation(mv("@a3"))


@pytest.mark.parametrize("depth, count", [(1, 28), (2, 754), (3, 19_552)])
def test_a_start_with_placement_has_these_perft_counts_by_both_rules(depth: int, count: int) -> None:
    assert perft(Position.start(rules=PLACING), depth, PLACING) == count
    assert slow_perft(*read_board("Qf1 / Qf11 w"), depth, PLACING) == count


def test_without_the_option_nothing_is_placed() -> None:
    assert legal("Qf1 / Qf11 w") == ["f1-e1", "f1-f2", "f1-g1"]


def test_a_game_with_placement_is_written_and_read_again() -> None:
    game = played("@a5 @d1 @b1", rules=PLACING)
    text = game.to_text()
    assert '[Rules "queen_first=off empty_throne_loses=on placement=on"]' in text and "[Position" not in text
    assert "1. @a5 @d1 2. @b1" in text
    again = Game.from_text(text)
    assert (again.rules, again.moves, again.position) == (PLACING, game.moves, game.position)
    assert "placement" not in Game(rules=QUEEN_FIRST).to_text()  # which programs from before should read
    whole = Game(Position.start(), PLACING)
    assert Game.from_text(whole.to_text()).start == Position.start()


def test_a_placement_is_read_as_it_is_written() -> None:
    for cell in CELLS:
        move = Move(None, cell)
        assert str(move) == "@" + cell_name(cell) and mv(str(move)) == mv(f"{move}+") == move and move.is_placement
    assert not PASS.is_placement and not mv("a5-b5").is_placement
    for text in ("@", "@m1", "@a5-b5", "Q@a5", "@@a5", "a5@"):
        with pytest.raises(AgonError):
            mv(text)


# === 4. Sandwich and relocation ==================================================

@pytest.mark.parametrize("enemies", ["d3 d5", "c4 e4", "c3 e5"])
def test_a_piece_between_two_enemies_is_trapped_on_each_line(enemies: str) -> None:
    assert names(pos(f"Qf1 d4 / Qf11 {enemies} w").trapped()) == ["d4"]
    assert names(pos(f"Qd4 / Qf11 {enemies} w").trapped()) == ["d4"]


@pytest.mark.parametrize("enemies", ["d3 e4", "d3 e5", "d3 c4", "d3 c3", "d3 d6", "d2 d6", "d3"])
def test_enemies_off_the_line_or_with_a_gap_trap_nothing(enemies: str) -> None:
    assert pos(f"Qf1 d4 / Qf11 {enemies} w").trapped() == []


def test_own_pieces_trap_nothing() -> None:
    assert pos("Qf1 d3 d4 d5 / Qf11 w").trapped() == []


def test_an_enemy_queen_traps_like_a_guard() -> None:
    assert names(pos("Qf1 d4 / Qd3 d5 w").trapped()) == ["d4"]


def test_the_edge_of_the_board_traps_nothing() -> None:
    assert pos("Qf1 a3 l3 / Qf11 b3 b4 k3 k4 w").trapped() == []


def test_a_queen_on_the_throne_traps_and_is_trapped_like_anywhere() -> None:
    assert names(pos("Qf1 f7 / Qf6 f8 w").trapped()) == ["f7"]
    assert names(pos("Qf6 / Qf11 f5 f7 w").trapped()) == ["f6"]


def test_trapped_are_only_the_pieces_of_the_side_to_move() -> None:
    text = "Qf1 d2 d4 / Qf11 d3 d5"
    assert names(pos(text + " w").trapped()) == ["d4"]
    assert names(pos(text + " b").trapped()) == ["d3"]


def test_the_enclosers_of_a_piece_are_the_enemies_on_both_sides_whoever_is_to_move() -> None:
    for turn in "wb":
        position = pos(f"Qf1 e5 b3 d3 / Qf11 e4 e6 d5 c3 {turn}")
        assert names(position.enclosers(CELL("e5"))) == ["e4", "e6"]
        assert names(position.enclosers(CELL("c3"))) == ["b3", "d3"]
        assert names(position.enclosers(CELL("d5"))) == []
        assert names(pos(f"Qf1 d4 f4 / Qf11 e4 {turn}").enclosers(CELL("e4"))) == ["d4", "f4"]


def test_trapped_cells_are_sorted_by_name() -> None:
    position = pos("Qf1 a2 h6 / Qf11 a1 a3 h5 h7 w")
    assert [agon_core.cell_name(cell) for cell in position.trapped()] == ["a2", "h6"]


def test_while_a_piece_is_trapped_only_trapped_pieces_move() -> None:
    assert {move.split("-")[0] for move in legal(BOTH_TRAPPED)} == {"e5", "g4"}


def test_a_trapped_guard_goes_to_every_free_cell_of_ring_5() -> None:
    outer = sorted(name(cell) for cell in ALL if ring(cell) == 5 and name(cell) not in ("f1", "f11"))
    assert targets("Qf1 d4 / Qf11 d3 d5 w", "d4").split() == outer


def test_a_trapped_guard_on_ring_5_leaves_its_cell() -> None:
    found = targets("Qf1 a3 / Qf11 a2 a4 w", "a3").split()
    assert "a3" not in found
    assert len(found) == 30 - 5


def test_a_trapped_queen_goes_to_every_free_cell_but_the_throne() -> None:
    taken = ("d3", "d4", "d5", "a1", "f11", "f6")
    free = sorted(name(cell) for cell in ALL if name(cell) not in taken)
    assert targets("Qd4 a1 / Qf11 d3 d5 w", "d4").split() == free


def test_several_trapped_pieces_go_in_any_order() -> None:
    assert targets(BOTH_TRAPPED, "e5").split()[:3] == ["a1", "a2", "a3"]
    assert targets(BOTH_TRAPPED, "g4").split()[:3] == ["a1", "a2", "a3"]


def test_with_queen_first_the_queen_goes_before_the_guards() -> None:
    assert {move.split("-")[0] for move in legal(BOTH_TRAPPED, QUEEN_FIRST)} == {"g4"}
    assert targets(BOTH_TRAPPED, "g4", QUEEN_FIRST) == targets(BOTH_TRAPPED, "g4")


def test_with_queen_first_trapped_guards_alone_still_go() -> None:
    text = "Qf1 a5 d2 d4 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 b"
    assert legal(text, QUEEN_FIRST) == legal(text)
    assert {move.split("-")[0] for move in legal(text)} == {"d3", "d5"}


def test_the_opponent_moves_between_two_relocations() -> None:
    game = played("c4-d4 d3-a1 a5-b5", "Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w")
    assert names(game.position.trapped()) == ["d5"]


def test_a_piece_set_free_by_the_opponent_need_not_be_relocated() -> None:
    game = played("c4-d4 d3-a1 d6-e7", "Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w")
    assert game.position.trapped() == []
    assert "a1-a2" in [str(move) for move in game.legal_moves()]


def test_a_step_between_two_enemies_is_forbidden() -> None:
    assert targets("Qf1 c4 / Qf11 d3 d5 w", "c4") == "c3 c5"


def test_a_relocation_between_two_enemies_is_forbidden() -> None:
    assert pos("Qf1 d4 / Qf11 d3 d5 a1 a3 w").refusal(mv("d4-a2")) is Refusal.SELF_ENCLOSURE
    assert pos("Qd4 / Qf11 d3 d5 h3 h5 w").refusal(mv("d4-h4")) is Refusal.SELF_ENCLOSURE


def test_the_queen_may_not_step_on_the_throne_between_two_enemies() -> None:
    assert targets("Qe5 / Qf11 f5 f7 w", "e5") == "e6"


@pytest.mark.parametrize("text, move", [
    ("Qf1 c4 d2 d6 / Qf11 d3 d5 w", "c4-d4"),
    ("Qf1 d3 b4 f4 / Qf11 c4 e4 w", "d3-d4"),
    ("Qf6 d3 b2 / Qf11 c3 e5 w", "d3-d4"),
    ("Qd2 c4 d6 / Qf11 d3 d5 w", "c4-d4"),
    ("Qc4 d2 d6 / Qf11 d3 d5 w", "c4-d4"),
], ids=["upright", "level", "slanting", "queen as outer piece", "queen as mover"])
def test_the_stroke_that_encloses_both_neighbours_is_legal(text: str, move: str) -> None:
    assert pos(text).refusal(mv(move)) is None
    assert len(pos(text).play(mv(move)).trapped()) == 2


@pytest.mark.parametrize("text", ["Qf1 c4 d2 / Qf11 d3 d5 w", "Qf1 c4 d6 / Qf11 d3 d5 w"])
def test_enclosing_only_one_neighbour_is_not_enough(text: str) -> None:
    assert pos(text).refusal(mv("c4-d4")) is Refusal.SELF_ENCLOSURE


def test_outer_pieces_must_be_own() -> None:
    assert pos("Qf1 c4 d2 / Qf11 d3 d5 d6 w").refusal(mv("c4-d4")) is Refusal.SELF_ENCLOSURE


def test_the_exception_must_hold_on_every_line() -> None:
    assert pos("Qf1 c3 d2 d6 / Qf11 c4 d3 d5 e4 w").refusal(mv("c3-d4")) is Refusal.SELF_ENCLOSURE
    assert pos("Qf1 b4 c3 d2 d6 f4 / Qf11 c4 d3 d5 e4 w").refusal(mv("c3-d4")) is None


def test_the_exception_holds_for_relocations_too() -> None:
    assert pos("Qf1 a1 a5 e5 / Qf11 a2 a4 e4 e6 w").refusal(mv("e5-a3")) is None
    assert pos("Qe5 a1 a5 / Qf11 a2 a4 e4 e6 w").refusal(mv("e5-a3")) is None


def test_the_moving_piece_cannot_be_an_outer_one_of_the_stroke() -> None:
    assert pos("Qf1 a1 a5 / Qf11 a2 a4 a6 w").refusal(mv("a5-a3")) is Refusal.SELF_ENCLOSURE
    assert "a5-a3" not in legal("Qf1 a1 a5 / Qf11 a2 a4 a6 w")


def test_a_relocation_can_trap_enemy_pieces() -> None:
    position = pos("Qf1 a1 e5 / Qf11 a2 e4 e6 w")
    assert names(position.play(mv("e5-a3")).trapped()) == ["a2"]


# === 5. End of the game, draws, and the table of known positions =================

WON = "Qf6 e5 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2"
EMPTY = "Qf4 e5 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2"
BLOCKED = "Qf6 e5 f5 g5 / e6 f7 g6"
THRONE_MAY_BE_EMPTY = Rules(empty_throne_loses=False)


def colours_swapped(text: str) -> str:
    white, rest = text.split(" / ")
    black, turn = rest.rsplit(" ", 1)
    return f"{black} / {white} {'b' if turn == 'w' else 'w'}"


@pytest.mark.parametrize("turn", ["w", "b"])
def test_queen_on_the_throne_with_six_guards_wins(turn: str) -> None:
    assert pos(f"{WON} {turn}").outcome() == Outcome(WHITE, Ending.THRONE)
    assert pos(colours_swapped(f"{WON} {turn}")).outcome() == Outcome(BLACK, Ending.THRONE)
    assert pos(f"{WON} {turn}").outcome(THRONE_MAY_BE_EMPTY) == Outcome(WHITE, Ending.THRONE)


@pytest.mark.parametrize("turn", ["w", "b"])
def test_six_guards_round_an_empty_throne_lose(turn: str) -> None:
    assert pos(f"{EMPTY} {turn}").outcome() == Outcome(BLACK, Ending.EMPTY_THRONE)
    assert pos(colours_swapped(f"{EMPTY} {turn}")).outcome() == Outcome(WHITE, Ending.EMPTY_THRONE)


def test_six_guards_round_the_enemy_queen_lose() -> None:
    assert pos("Qf1 e5 e6 f5 f7 g5 g6 / Qf6 a2 b").outcome() == Outcome(BLACK, Ending.EMPTY_THRONE)
    assert pos("Qf1 e5 e6 f5 f7 g5 g6 / Qf6 a2 b").legal_moves() == []


def test_without_that_option_an_empty_throne_is_no_end() -> None:
    for turn in "wb":
        position = pos(f"{EMPTY} {turn}")
        assert position.outcome(THRONE_MAY_BE_EMPTY) is None
        assert len(position.legal_moves(THRONE_MAY_BE_EMPTY)) \
            == perft(position, 1, THRONE_MAY_BE_EMPTY) == (2 if turn == "w" else 27)


@pytest.mark.parametrize("text", [
    "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 w", "Qf6 e5 e6 f5 f7 g5 / Qf11 g6 w", "Qg6 e5 e6 f5 f7 g5 a1 / Qf11 w",
    "Qf11 e5 e6 f5 f7 g5 / Qf1 w"])
def test_fewer_than_six_own_guards_on_ring_1_are_no_end(text: str) -> None:
    assert pos(text).outcome() is None


def test_a_finished_position_has_no_moves() -> None:
    for text in (WON, EMPTY, BLOCKED):
        for turn in "wb":
            assert pos(f"{text} {turn}").legal_moves() == []
            assert perft(pos(f"{text} {turn}"), 1) == 0


def test_the_last_move_of_a_finished_game_counts_but_nothing_after_it() -> None:
    text = "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 w"
    assert legal(text) == ["f7-g6", "g5-g6", "h5-g6", "h5-h4", "h5-h6"]
    assert perft(pos(text), 2) == 4 * 3


def test_a_blocked_side_passes_and_may_do_nothing_else() -> None:
    position = pos("Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w")
    assert position.legal_moves() == [PASS]
    assert position.outcome() is None
    assert str(position.play(PASS)) == "Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 b"


def test_a_side_that_can_move_may_not_pass() -> None:
    assert Position.start().refusal(PASS) is Refusal.NO_PASS


def test_when_neither_side_can_move_the_game_is_drawn() -> None:
    for turn in "wb":
        assert pos(f"{BLOCKED} {turn}").outcome() == Outcome(None, Ending.BLOCKED)


def test_the_step_that_blocks_both_sides_ends_the_game() -> None:
    game = played("h6-g6", "Qf6 e5 f5 g5 / e6 f7 h6 b")
    assert game.outcome() == Outcome(None, Ending.BLOCKED)
    assert game.legal_moves() == []


def test_outcomes_are_written_as_results() -> None:
    results = [Outcome(winner, Ending.THRONE).result for winner in (WHITE, BLACK, None)]
    assert results == ["1-0", "0-1", "1/2-1/2"]


SHUFFLE = "f1-g1 f11-g10 g1-f1 g10-f11 "


def test_the_third_repetition_draws_with_the_start_counted() -> None:
    game = played(2 * SHUFFLE)
    assert game.repetitions() == 3
    assert game.outcome() == Outcome(None, Ending.REPETITION)
    assert game.legal_moves() == []
    assert game.refusal(mv("f1-f2")) is Refusal.GAME_OVER


def test_two_repetitions_are_not_enough() -> None:
    game = played(2 * SHUFFLE)
    game.undo()
    assert (game.repetitions(), game.outcome()) == (2, None)
    assert (played(SHUFFLE).repetitions(), played(SHUFFLE).outcome()) == (2, None)


def test_the_same_pieces_with_the_other_side_to_move_are_another_position() -> None:
    assert Position.start(WHITE) != Position.start(BLACK)
    assert pos("Qf1 a1 / Qf11 w") != pos("Qa1 f1 / Qf11 w")


def circle(number: int) -> List[str]:
    """The cells of a ring, clockwise from the top."""
    cell, found = (0, -number), []
    for step in ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)):
        for _ in range(number):
            found.append(name(cell))
            cell = moved(cell, step)
    return found


def walks(count: int, first: Tuple[int, int], second: Tuple[int, int]) -> str:
    """Moves of two pieces in turn, each clockwise on its ring from the place given as (ring, index)."""
    words = []
    for ply in range(count):
        number, index = second if ply % 2 else first
        path = circle(number)
        at = index + ply // 2
        words.append(f"{path[at % len(path)]}-{path[(at + 1) % len(path)]}")
    return " ".join(words)


def test_the_hundredth_quiet_move_draws() -> None:
    game = played(walks(99, (5, 15), (5, 0)), "Qf1 / Qf11 w")
    assert (game.quiet_moves(), game.outcome()) == (99, None)
    last = walks(100, (5, 15), (5, 0)).split()[-1]
    game.play(mv(last))
    assert game.quiet_moves() == 100
    assert game.outcome() == Outcome(None, Ending.QUIET)
    assert game.legal_moves() == []
    game.undo()
    assert (game.quiet_moves(), game.outcome()) == (99, None)


def test_a_step_inwards_after_99_quiet_moves_starts_the_count_anew() -> None:
    game = played(walks(99, (5, 15), (5, 0)), "Qf1 / Qf11 w")
    inwards = [move for move in game.legal_moves() if game.position.is_progress(move)]
    game.play(inwards[0])
    assert (game.quiet_moves(), game.outcome()) == (0, None)


def test_a_winning_hundredth_move_wins() -> None:
    start = "Qf6 e5 e6 f5 f7 g5 h6 / Qf11 b"
    game = played(walks(99, (5, 0), (2, circle(2).index("h6"))), start)
    assert (game.quiet_moves(), game.outcome()) == (99, None)
    game.play(mv("h5-g6"))
    assert game.outcome() == Outcome(WHITE, Ending.THRONE)


def test_a_relocation_is_no_quiet_move() -> None:
    game = played("f1-g1 a5-a4", "Qf1 a3 / Qf11 a2 a5 w")
    assert game.quiet_moves() == 2
    game.play(mv("a3-l3"))
    assert game.quiet_moves() == 0


def test_a_pass_is_a_quiet_move() -> None:
    game = played("--", "Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w")
    assert game.quiet_moves() == 1


# The table: a label, the position, what is trapped, where each piece may go ("a5: a4 a6", pieces with the
# same targets together; "--" is a pass), and the perft counts for depth 1, 2, ...
TABLE = """
# start
Qf1 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2 w
a5: a4 a6 b5 b6
b1: a1 b2 c1 c2
d9: c8 d8 e10 e9
f1: e1 f2 g1
h9: g10 g9 h8 i8
k1: i1 i2 k2 l1
l5: k5 k6 l4 l6
perft 27 713 18417

# seed example: the stroke between two enemies that encloses both is legal
Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w
a5: a4 a6 b5 b6
c4: c3 c5 d4
d2: c2 e2 e3
d6: e6 e7
f1: e1 f2 g1
k1: i1 i2 k2 l1
l5: k5 k6 l4 l6
perft 23 599

# one end open: the same stroke is a self-enclosure
Qf1 a5 c4 d2 h9 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w
a5: a4 a6 b5 b6
c4: c3 c5
d2: c2 e2 e3
f1: e1 f2 g1
h9: g10 g9 h8 i8
k1: i1 i2 k2 l1
l5: k5 k6 l4 l6
perft 24 635

# after the seed example: both black guards are enclosed, one is resolved per turn
Qf1 a5 d2 d4 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 b
trapped d3 d5
d3 d5: a1 a2 a3 a4 a6 b1 c1 c8 d1 d9 e1 e10 g1 g10 h9 i1 i8 l1 l3 l4 l6
perft 42 966

# enclosed guard goes to a free outer cell that is no sandwich cell
Qf1 b1 d9 e5 h9 k1 l5 / Qf11 a4 a6 e4 e6 k7 l2 w
trapped e5
e5: a1 a2 a3 b7 c1 c8 d1 e1 e10 g1 g10 h1 i1 i8 l1 l3 l4 l6
perft 18 424

# enclosed queen goes anywhere but the throne
Qg4 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 g3 g5 k7 l2 w
trapped g4
g4: a1 a3 a4 a6 b2 b3 b4 b5 b6 c1 c2 c3 c4 c5 c6 c7 c8 d1 d2 d3 d4 d5 d6 d7 d8 e1 e10 e2 e3 e4 e5 e6 e7 e8
    e9 f1 f10 f2 f3 f4 f5 f7 f8 f9 g1 g10 g2 g6 g7 g8 g9 h1 h2 h3 h4 h5 h6 h7 h8 i1 i2 i3 i4 i5 i6 i7 i8 k2
    k3 k4 k5 k6 l1 l3 l4 l6
perft 76 1872

# queen and guard enclosed: either may be resolved
Qg4 a5 b1 d9 e5 h9 l5 / Qf11 e4 e6 g3 g5 k7 l2 w
trapped e5 g4
e5: a1 a2 a3 a4 a6 b7 c1 c8 d1 e1 e10 f1 g1 g10 h1 i1 i8 k1 l1 l3 l4 l6
g4: a1 a2 a3 a4 a6 b2 b3 b4 b5 b6 b7 c1 c2 c3 c4 c5 c6 c7 c8 d1 d2 d3 d4 d5 d6 d7 d8 e1 e10 e2 e3 e7 e8 e9
    f1 f10 f2 f3 f7 f8 f9 g1 g10 g2 g6 g7 g8 g9 h1 h2 h3 h4 h5 h6 h7 h8 i1 i2 i3 i4 i5 i6 i7 i8 k1 k2 k3 k4
    k5 k6 l1 l3 l4 l6
perft 96 2016

# queen on the throne enclosed
Qf6 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 f5 f7 k7 l2 w
trapped f6
f6: a1 a3 a4 a6 b2 b3 b4 b5 b6 c1 c2 c3 c4 c5 c6 c7 c8 d1 d2 d3 d4 d5 d6 d7 d8 e1 e10 e2 e3 e4 e5 e6 e7 e8
    e9 f1 f10 f2 f3 f4 f8 f9 g1 g10 g2 g3 g4 g5 g6 g7 g8 g9 h1 h2 h3 h4 h5 h6 h7 h8 i1 i2 i3 i4 i5 i6 i7 i8
    k2 k3 k4 k5 k6 l1 l3 l4 l6
perft 77 1744

# an enclosed piece forbids every other move
Qf2 d8 e5 e6 f5 g5 g6 / Qf11 c8 d7 d9 h9 k7 l2 w
trapped d8
d8: a1 a2 a3 a4 a5 a6 b1 b7 c1 d1 e1 f1 g1 h1 i1 k1 l1 l3 l4 l5 l6
perft 21 521

# one step from the win
Qf6 e5 e6 f5 f7 g5 h5 / Qf11 a2 b7 d1 h1 k7 l2 w
f7 g5: g6
h5: g6 h4 h6
perft 5 108

# last guard round an empty throne
Qf4 e5 e6 f5 f7 g5 h5 / Qf11 a2 b7 d1 h1 k7 l2 w
f4: e4 g4
f7 g5: g6
h5: g6 h4 h6
perft 7 162

# blocked side passes
Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w
--
perft 1 6

# blocked side passes, black
Qh4 d4 e4 e5 e6 f5 f8 / Qf6 f7 g5 g6 g7 h5 h6 b
--
perft 1 4

Qf6 d5 d6 e4 f5 f8 g5 / Qg6 d2 e6 e7 f2 f4 g7 b
trapped e6 e7
e6 e7: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 60 420

Qf6 d6 f5 f8 g5 g6 h4 / Qf7 b1 c3 d4 e4 e5 e7 b
trapped e7 f7
e7: a1 a2 a3 a4 a5 a6 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
f7: a1 a2 a3 a4 a5 a6 b2 b3 b4 b5 b6 b7 c1 c2 c4 c5 c6 c7 c8 d1 d2 d3 d5 d7 d8 d9 e1 e10 e2 e3 e8 e9 f1 f10
    f11 f2 f3 f4 f9 g1 g10 g2 g3 g4 g7 g8 g9 h1 h2 h3 h5 h6 h7 h8 h9 i1 i2 i3 i4 i5 i6 i7 i8 k1 k2 k3 k4 k5
    k6 k7 l1 l2 l3 l4 l5 l6
perft 105 725

Qf6 c2 d6 f7 f8 g5 g6 / Qe7 e5 e6 f3 f5 g3 h6 b
trapped e6 e7
e6: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
e7: a1 a2 a3 a4 a5 a6 b1 b2 b3 b4 b5 b6 b7 c1 c3 c4 c5 c6 c7 c8 d1 d2 d3 d4 d5 d7 d8 d9 e1 e10 e2 e3 e4 e8
    e9 f1 f10 f11 f2 f4 f9 g1 g10 g2 g4 g7 g8 g9 h1 h2 h3 h4 h5 h7 h8 h9 i1 i2 i3 i4 i5 i6 i7 i8 k1 k2 k3 k4
    k5 k6 k7 l1 l2 l3 l4 l5 l6
perft 107 853

Qe4 a5 f5 f7 g7 h5 i7 / Qf8 c6 e2 e6 g4 h4 h6 w
trapped g7 h5
g7 h5: a1 a2 a3 a4 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 58 783

Qf2 d5 e7 f5 f7 f8 g5 / Qf9 c3 e4 e5 e6 g2 h6 b
trapped e5 e6
e5 e6: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 60 672

Qf2 e5 e6 e7 g5 g7 g8 / Qf7 c6 d4 e4 f5 g6 i3 b
trapped f7 g6
f7: a1 a2 a3 a4 a5 a6 b1 b2 b3 b4 b5 b6 b7 c1 c2 c3 c4 c5 c7 c8 d1 d2 d3 d5 d6 d7 d8 d9 e1 e10 e2 e3 e8 e9
    f1 f10 f11 f3 f4 f9 g1 g10 g2 g3 g4 g9 h1 h2 h3 h4 h5 h6 h7 h8 h9 i1 i2 i4 i5 i6 i7 i8 k1 k2 k3 k4 k5 k6
    k7 l1 l2 l3 l4 l5 l6
g6: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 105 1378

Qf8 b4 b6 d1 g4 g6 i6 / Qe7 d5 e6 f4 f5 g5 h6 b
trapped g5 h6
g5 h6: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 58 1069

Qg4 d4 e5 e6 g6 g9 i4 / Qf7 c3 c5 e4 g5 h4 h6 b
trapped g5 h4
g5 h4: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 60 690

Qd6 d5 e6 f7 g1 h6 i3 / Qe7 c6 d4 g5 g6 h4 i6 w
trapped f7 h6
f7 h6: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 58 667

Qf6 c1 d5 e6 g6 h4 i6 / Qf7 e4 f5 g1 h5 k1 k6 w
trapped f6 g6
f6: a1 a2 a3 a4 a5 a6 b1 b2 b3 b4 b5 b6 b7 c2 c3 c4 c5 c6 c7 c8 d1 d2 d3 d4 d6 d7 d8 d9 e1 e10 e2 e3 e5 e7
    e8 e9 f1 f10 f11 f2 f3 f4 f8 f9 g10 g2 g3 g4 g7 g8 g9 h1 h2 h3 h6 h7 h8 h9 i1 i2 i3 i4 i5 i7 i8 k2 k3 k4
    k5 k7 l1 l2 l3 l4 l5 l6
g6: a1 a2 a3 a4 a5 a6 b1 b7 c8 d1 d9 e1 e10 f1 f11 g10 h1 h9 i1 i8 k7 l1 l2 l3 l4 l5 l6
perft 103 1879

Qf2 a5 c2 d9 h3 i7 l5 / Qf10 a2 b6 d1 i2 k6 l2 b
trapped k6
k6: a1 a3 a4 a6 b1 b7 c1 c8 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l3 l4 l6
perft 24 618

Ql4 d6 e4 e6 e7 f5 g9 / Qf8 c6 e5 f7 g6 h5 k2 b
trapped e5
e5: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l5 l6
perft 29 433

Qf6 e5 e6 f5 g5 g6 h4 / Qf8 b4 d5 d6 f4 f7 k3 w
trapped e6
e6: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 30 510

Qf6 c7 e6 f9 g5 i5 k2 / Qg10 c3 d5 g6 h5 i8 l6 b
trapped h5
h5: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 h1 h9 i1 k1 k7 l1 l2 l3 l4 l5
perft 27 459

Qf2 b6 c2 g9 h4 h6 l4 / Qe8 d4 d7 e2 g1 h7 i5 w
trapped f2
f2: a1 a2 a3 a4 a5 a6 b1 b2 b3 b4 b5 b7 c1 c3 c4 c5 c6 c7 c8 d1 d2 d3 d5 d6 d8 d9 e1 e10 e3 e4 e5 e6 e7 e9
    f1 f10 f11 f3 f4 f5 f7 f8 f9 g10 g2 g3 g4 g5 g6 g7 g8 h1 h2 h3 h5 h8 h9 i1 i2 i3 i4 i6 i7 i8 k1 k2 k3 k4
    k5 k6 k7 l1 l2 l3 l5 l6
perft 76 1660

Qf4 d5 e6 f5 f7 f8 g4 / Qg7 c5 e4 g5 g6 i5 i6 w
trapped f5
f5: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 30 390

Qe2 b6 d6 f4 h9 i3 k4 / Qf10 a1 b7 e3 g4 h5 i6 w
trapped f4
f4: a2 a3 a4 a5 a6 b1 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 27 644

Qf6 d4 e7 f7 f8 g5 g6 / Qg8 d8 e3 e5 f5 g3 h6 b
trapped e5
e5: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 30 210

Qk1 d6 f5 f7 g7 h4 i6 / Qg8 b2 e4 e5 g3 g6 h7 w
trapped g7
g7: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k7 l1 l2 l3 l4 l5 l6
perft 29 464

Qe4 d6 e6 f7 g6 g8 h6 / Qf6 d4 d5 f4 f5 g5 i8 w
trapped e4
e4: a1 a2 a3 a4 a5 a6 b1 b2 b3 b4 b5 b6 b7 c1 c2 c3 c4 c5 c6 c7 c8 d1 d2 d3 d7 d8 d9 e1 e10 e2 e3 e7 e8 e9
    f1 f10 f11 f2 f3 f8 f9 g1 g10 g2 g3 g4 g7 g9 h1 h2 h3 h4 h5 h7 h8 h9 i1 i2 i3 i4 i5 i6 i7 k1 k2 k3 k4 k5
    k6 k7 l1 l2 l3 l4 l5 l6
perft 76 794

Qf6 c3 d4 d8 f5 g5 g9 / Qf7 e2 e4 e6 e7 g7 g8 b
e2: d2 e3 f2 f3
e4: f4
e7: d6 f8
f7: g6
g7: f8 g6 h6
g8: f8 f9 h7
perft 14 157

Qe2 a3 b2 d9 f10 i3 k4 / Qf11 b7 c3 d4 g7 h2 i5 b
b7: a6 b6 c7 c8
c3: c4 d3
d4: d5 e4 e5
f11: e10 g10
g7: f7 f8 g6 h6
h2: g2 g3 h3 i2
i5: h5 h6 i4 i6
perft 23 530

Qf1 b2 b6 e10 f8 i6 k2 / Qf9 a1 d7 f2 g1 k6 l2 w
b2: b3 c2 c3
b6: b5 c6 c7
e10: d9 e9 f10 f11
f1: e1
f8: e7 f7 g7
i6: h6 h7 i5
k2: i2 i3 k3
perft 20 428

Qh1 d7 f4 f8 g6 i1 i5 / Qe10 d8 e4 e5 e6 f5 i6 w
d7: c6 d6 e7 e8
f4: g4
f8: e7 f7 g7
g6: f7 g5
h1: g1 g2 h2
i1: h2 i2 k1
i5: h5 h6 i4
perft 19 227

Qf4 e3 e6 f7 g4 g6 g7 / Qf9 a3 b7 d3 f2 f5 h6 b
a3: a2 a4 b3 b4
b7: a6 b6 c7 c8
d3: c3 d4 e4
f2: e2 f3 g2
f5: e5
f9: e8 f8 g8
h6: h5
perft 19 242

Qe3 d6 e6 f10 f7 g6 i5 / Qf6 d4 d5 e5 f5 g4 g5 b
d4: e4
g4: f4 h4
perft 3 33

Qf6 e5 e6 e8 f9 i2 i5 / Qf7 a1 b2 d4 e4 h4 h6 w
e5: f5
e8: d7 e7 f8
f9: f8 g8
i2: h2 h3 i3 k2
i5: i4 i6
perft 12 304

Qf1 b5 c2 d9 g8 k1 l5 / Qg10 a2 c6 d1 g3 k7 l2 w
b5: b4 b6 c5
c2: b2 c3 d2 d3
d9: c8 d8 e10 e9
f1: e1 f2 g1
g8: f8 f9 g7 h7
k1: i1 i2 k2 l1
l5: k5 k6 l4 l6
perft 26 694

Qf1 b2 b6 e10 h8 k1 k6 / Qf11 a2 b7 d1 d9 h1 k2 w
trapped e10
e10: a1 a3 a4 a5 a6 b1 c1 e1 g1 g10 h9 i1 i8 k7 l1 l2 l3 l4 l5 l6
perft 20 472

Qf4 d6 f8 g5 g6 h5 k1 / Qf9 c3 d5 d8 e5 e6 f5 b
c3: c4 d3 d4
d5: d4
d8: c7 d7 e8 e9
e6: f7
f9: e8 g8
perft 11 171

Qe4 d6 e6 f3 f8 g7 l6 / Qf6 a1 c1 d4 f5 g5 h4 b
a1: a2 b1 b2
c1: b1 c2 d1 d2
d4: d5
g5: g6
h4: g4 h5
perft 11 164

Qf1 a1 b6 d8 g9 i2 k5 / Qf11 a2 b7 d2 i1 i3 i6 w
trapped i2
i2: a3 a4 a5 a6 b1 c1 c8 d1 d9 e1 e10 g1 g10 h1 h9 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 24 522

Qg4 b6 f7 f9 h1 h4 i4 / Qg8 a6 c2 c4 f5 h5 h6 b
a6: a5 b7
c2: b2 c3 d2 d3
c4: c3 c5 d4 d5
f5: e5 g5
g8: g7 h7
h5: g5 g6
h6: g6 g7
perft 18 262

Qf6 f4 f5 g5 g6 h4 h5 / Qf7 d4 e4 e5 e6 g7 i3 b
d4: d5
g7: f8 h6
i3: h3 i4
perft 5 14

Qf5 c3 d6 e7 g9 h2 i6 / Qf9 c8 d3 g1 g3 k4 k6 b
c8: b7 c7 d8 d9
d3: d4 e3 e4
f9: e8 f8 g8
g1: f1 f2 g2 h1
g3: f3 f4 g4 h3
k4: i4 i5 k3 k5
k6: i7 k5
perft 24 444

Qe4 d5 e7 f7 g6 h7 k2 / Qg8 e5 e6 f5 g2 g5 i3 b
trapped e6
e6: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 30 433

Qf4 c3 e6 f8 f9 g6 h4 / Qd6 c7 d4 e5 f5 g5 g7 w
trapped g6
g6: a1 a2 a3 a4 a5 a6 b1 b7 c1 c8 d1 d9 e1 e10 f1 f11 g1 g10 h1 h9 i1 i8 k1 k7 l1 l2 l3 l4 l5 l6
perft 30 360

Qf1 b2 b6 d9 h8 i6 l1 / Qf10 b7 c4 d1 g1 k2 k6 w
b2: b3 c2 c3
b6: b5 c6 c7
d9: c8 d8 e10 e9
f1: e1 f2
h8: g8 g9 h7 i7
i6: h6 h7 i5
l1: k1 l2
perft 21 461

Qf6 c4 f7 f8 g5 g6 h6 / Qd7 b6 c6 d4 e3 k5 k6 b
b6: b5 c7
c6: c5 d6
d4: d5 e4 e5
d7: d6 e7 e8
e3: d3 e4 f3 f4
k5: i5 i6 k4
k6: i6 i7
perft 19 169

Qf4 a6 e6 f5 f7 f8 i3 / Qh6 b1 b4 g5 g6 i4 i6 w
a6: a5 b6 b7
e6 f5: e5
f4: e4 g4
f8: e7 g7
i3: h3 h4
perft 11 166
"""


class Case(NamedTuple):
    label: str
    position: str
    trapped: List[str]
    legal: List[str]
    perft: List[int]


def read_case(block: str) -> Case:
    lines = block.replace("\n    ", " ").split("\n")
    label = lines.pop(0)[2:] if lines[0].startswith("#") else lines[0]
    position, trapped, moves, counts = lines.pop(0), [], [], []
    for line in lines:
        if line.startswith("trapped "):
            trapped = line.split()[1:]
        elif line.startswith("perft "):
            counts = [int(word) for word in line.split()[1:]]
        elif line == "--":
            moves = ["--"]
        else:
            sources, goals = line.split(": ")
            moves += [f"{source}-{goal}" for source in sources.split() for goal in goals.split()]
    return Case(label, position, trapped, sorted(moves), counts)


CASES = [read_case(block) for block in TABLE.strip().split("\n\n")]
every_case = pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])


def test_the_table_is_whole() -> None:
    assert len(CASES) == 53
    assert sum(len(case.legal) for case in CASES) == 1930


@every_case
def test_trapped_pieces_are_those_of_the_table(case: Case) -> None:
    assert names(pos(case.position).trapped()) == case.trapped


@every_case
def test_legal_moves_are_those_of_the_table(case: Case) -> None:
    assert legal(case.position) == case.legal


@every_case
def test_perft_counts_are_those_of_the_table(case: Case) -> None:
    assert [perft(pos(case.position), depth + 1) for depth in range(len(case.perft))] == case.perft


@every_case
def test_the_slow_rules_agree_with_the_table(case: Case) -> None:
    board, side = read_board(case.position)
    assert sorted(name(cell) for cell in slow_trapped(board, side)) == case.trapped
    assert slow_legal(board, side) == case.legal
    assert [slow_perft(board, side, depth) for depth in (1, 2)] == case.perft[:2]


@pytest.mark.parametrize("depth, count", list(enumerate([27, 713, 18417, 466551], 1)))
def test_the_start_has_these_perft_counts(depth: int, count: int) -> None:
    assert perft(Position.start(), depth) == count


@takes_long
def test_the_start_has_11_661_523_move_sequences_of_length_5() -> None:
    assert perft(Position.start(), 5) == 11_661_523


def test_the_slow_rules_count_the_same_from_the_start() -> None:
    board, side = read_board(str(Position.start()))
    assert [slow_perft(board, side, depth) for depth in (1, 2, 3)] == [27, 713, 18417]


def test_perft_of_depth_0_is_1() -> None:
    assert perft(Position.start(), 0) == 1
    assert perft(pos(WON + " b"), 0) == 1


def test_perft_minds_the_rule_options() -> None:
    assert perft(pos(BOTH_TRAPPED), 1, QUEEN_FIRST) == len(targets(BOTH_TRAPPED, "g4").split())
    assert perft(pos(EMPTY + " b"), 2, THRONE_MAY_BE_EMPTY) > perft(pos(EMPTY + " b"), 2) == 0


# === 6. Notation and text forms ==================================================

@pytest.mark.parametrize("text", ["a5-b5", "f11-f10", "Qf7-f6", "e5*a1+", "Qe5*a1", "h5-g6#", "Qf5-f6#"])
def test_both_forms_of_a_move_are_read(text: str) -> None:
    source, target = text.strip("Q+#").replace("*", "-").split("-")
    assert mv(text) == Move(CELL(source), CELL(target))
    assert str(mv(text)) == f"{source}-{target}"


def test_a_pass_is_two_dashes() -> None:
    assert mv("--") == PASS
    assert str(PASS) == "--"


def test_every_pair_of_cells_reads_back_as_its_move() -> None:
    for source in agon_core.CELLS:
        for target in agon_core.CELLS:
            assert mv(str(Move(source, target))) == Move(source, target)


@pytest.mark.parametrize("text, code", [
    ("", "bad_move"), ("-", "bad_move"), ("---", "bad_move"), ("a5", "bad_move"), ("a5-", "bad_move"),
    ("a5-b5-c5", "bad_move"), ("a5b5", "bad_move"), ("a5-b5 ", "bad_move"), ("a5-b5\n", "bad_move"),
    ("qa5-b5", "bad_move"), ("A5-b5", "bad_move"), ("a5-b5+#", "bad_move"), ("a5-Qb5", "bad_move"),
    ("a\u0665-b5", "bad_move"), ("m1-a1", "bad_move"), ("--#", "bad_move"),
    ("j1-a1", "bad_cell"), ("a1-j1", "bad_cell"), ("a1-a7", "bad_cell"), ("a0-a1", "bad_cell"),
    ("f12-f11", "bad_cell")])
def test_what_is_no_move_is_refused(text: str, code: str) -> None:
    with pytest.raises(AgonError) as caught:
        mv(text)
    assert caught.value.code == code


def test_a_long_token_is_shortened_in_the_message() -> None:
    with pytest.raises(AgonError) as caught:
        mv("x" * 100)
    assert str(caught.value).startswith('"' + "x" * 37 + '..." is not a move')


@pytest.mark.parametrize("text, move, described", [
    (str(Position.start()), "a5-b5", "a5-b5"),
    (str(Position.start()), "f1-f2", "Qf1-f2"),
    ("Qf1 c4 d2 d6 / Qf11 d3 d5 w", "c4-d4", "c4-d4+"),
    ("Qc4 d2 d6 / Qf11 d3 d5 w", "c4-d4", "Qc4-d4+"),
    ("Qf1 a1 e5 / Qf11 a2 e4 e6 w", "e5-a3", "e5*a3+"),
    ("Qf1 a1 e5 / Qf11 a2 e4 e6 w", "e5-l1", "e5*l1"),
    ("Qe5 a1 / Qf11 a2 e4 e6 w", "e5-e7", "Qe5*e7"),
    ("Qf1 d4 / Qf11 d3 d5 w", "d4-d9", "d4*d9"),
    ("Qf6 e5 e6 f5 f7 g5 h5 / Qf11 w", "h5-g6", "h5-g6#"),
    ("Qf11 / Qf6 e5 e6 f5 f7 g5 h5 b", "h5-g6", "h5-g6#"),
    ("Qf6 e5 e6 f5 f7 g5 h5 / Qf11 h6 h7 w", "h5-g6", "h5-g6#"),
    ("Qf4 e5 e6 f5 f7 g5 h5 / Qf11 w", "h5-g6", "h5-g6"),
    ("Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w", "--", "--"),
    ("Qf1 a5 d2 d4 d6 / Qf11 a1 b7 d5 w", "a5-b5", "a5-b5"),
    ("Qf1 a5 d2 d4 d6 / Qf11 a1 b7 d5 w", "d6-e6", "d6-e6"),
])
def test_moves_are_described_for_people(text: str, move: str, described: str) -> None:
    assert pos(text).describe(mv(move)) == described


def test_a_move_that_loses_or_ends_nothing_gets_no_hash_either() -> None:
    position = pos("Qf4 e5 e6 f5 f7 g5 h5 / Qf11 w")
    assert position.describe(mv("h5-g6"), THRONE_MAY_BE_EMPTY) == "h5-g6"


def test_a_relocation_and_a_step_inwards_are_progress_and_the_rest_is_not() -> None:
    start = Position.start()
    assert [start.is_progress(mv(move)) for move in ("f1-f2", "f1-g1")] == [True, False]
    assert not start.is_progress(PASS) and not start.is_relocation(mv("f1-f2"))
    trapped = pos("Qf1 a3 / Qf11 a2 a4 w")
    assert trapped.is_progress(mv("a3-l3")) and trapped.is_relocation(mv("a3-l3"))


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
def test_positions_of_the_table_are_written_as_they_are_read(case: Case) -> None:
    assert str(pos(case.position)) == case.position


def test_order_and_spaces_in_a_position_do_not_matter() -> None:
    assert str(pos("  l5 b1\tQf1\na5 / a2  Qf11 b ")) == "Qf1 a5 b1 l5 / Qf11 a2 b"


@pytest.mark.parametrize("text", ["/ w", "/ b", "Qf6 / w", "/ a1 b", "a1 / Qf6 b"])
def test_positions_may_hold_fewer_pieces(text: str) -> None:
    assert str(pos(text)) == text


@pytest.mark.parametrize("text, code, token", [
    ("", "bad_position", "the end"),
    ("Qf1 a5", "bad_position", "the end"),
    ("Qf1 / Qf11", "bad_position", "the end"),
    ("Qf1 w", "bad_position", "w"),
    ("Qf1 / Qf11 / w", "bad_position", "/"),
    ("Qf1 / Qf11 w b", "bad_position", "b"),
    ("Qf1 / Qf11 w a1", "bad_position", "a1"),
    ("Qf1 / Qf11 W", "bad_cell", "W"),
    ("Qf1/Qf11 w", "bad_cell", "Qf1/Qf11"),
    ("Qf1 j5 / Qf11 w", "bad_cell", "j5"),
    ("Qz9 / w", "bad_cell", "Qz9"),
    ("qf1 / w", "bad_cell", "qf1"),
    ("Qf1 a5 / Qf11 a5 w", "taken_twice", "a5"),
    ("Qf1 f1 / Qf11 w", "taken_twice", "f1"),
    ("f6 / Qf11 w", "guard_on_throne", "f6"),
    ("/ f6 w", "guard_on_throne", "f6"),
    ("Qf1 Qf2 / w", "too_many", "Qf2"),
    ("/ Qf1 Qf2 w", "too_many", "Qf2"),
    ("a1 a2 a3 a4 a5 a6 b1 / w", "too_many", "b1"),
    ("Qf1 a1 a2 a3 a4 a5 a6 b1 / w", "too_many", "b1"),
    ("/ a1 a2 a3 a4 a5 a6 Qf1 b1 w", "too_many", "b1"),
])
def test_what_is_no_position_is_refused_by_token(text: str, code: str, token: str) -> None:
    with pytest.raises(AgonError) as caught:
        pos(text)
    assert (caught.value.code, caught.value.details["token"]) == (code, token)
    assert token in str(caught.value)


def test_two_side_letters_in_one_word_are_refused() -> None:
    with pytest.raises(AgonError):
        pos("Qf1 / Qf11 wb")


def test_a_position_is_changed_piece_by_piece() -> None:
    position = pos("Qf6 a5 / Qf11 b7 b")
    assert str(position.without_piece(CELL("f6"))) == "a5 / Qf11 b7 b"
    assert str(position.without_piece(CELL("b7"))) == "Qf6 a5 / Qf11 b"
    assert position.without_piece(CELL("c4")) == position
    assert str(position.with_piece(CELL("c4"), WHITE, False)) == "Qf6 a5 c4 / Qf11 b7 b"
    assert str(position.with_piece(CELL("c4"), BLACK, False)) == "Qf6 a5 / Qf11 b7 c4 b"
    assert str(position.with_piece(CELL("f11"), WHITE, False)) == "Qf6 a5 f11 / b7 b"
    assert str(position.with_piece(CELL("f6"), WHITE, True)) == "Qf6 a5 / Qf11 b7 b"
    assert str(position.with_turn(WHITE)) == "Qf6 a5 / Qf11 b7 w" and position.with_turn(BLACK) == position


@pytest.mark.parametrize("cell, is_queen, code", [
    ("c4", True, "too_many"), ("c4", False, "too_many"), ("f6", False, "guard_on_throne")])
def test_a_piece_that_cannot_stand_in_a_position_is_refused(cell: str, is_queen: bool, code: str) -> None:
    for side in (WHITE, BLACK):
        with pytest.raises(AgonError) as caught:
            Position.start(side).with_piece(CELL(cell), 1 - side, is_queen)
        assert (caught.value.code, caught.value.details["token"]) == (code, cell)


@pytest.mark.parametrize("text, complete", [
    (f"{agon_core.START_TEXT} w", True), (f"{agon_core.START_TEXT} b", True),
    ("Qf1 a5 b1 d9 h9 k1 / Qf11 a2 b7 d1 h1 k7 l2 w", False), ("a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2 w", False),
    ("Qf1 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 b", False), ("Qf1 a5 b1 d9 h9 k1 l5 / a2 b7 d1 h1 k7 l2 b", False)])
def test_a_position_is_complete_with_fourteen_pieces(text: str, complete: bool) -> None:
    assert pos(text).is_complete == complete


def test_every_error_text_can_be_filled_in() -> None:
    for code in agon_core.ERROR_TEXTS:
        error = AgonError(code, "TOKEN", name="NAME", expected="EXPECTED", reason="REASON").at(line=7, path="PATH")
        assert str(error).startswith("PATH: line 7: ")
        assert "{" not in str(error) and error.code == code


def test_invisible_characters_are_named_in_messages() -> None:
    for character, shown in (("\u200b", "U+200B"), ("\u00ad", "U+00AD"), ("\u200f", "U+200F"), ("\0", "U+0000"),
                             ("\ud800", "U+D800"), ("\u00e4", "\u00e4")):
        assert str(pytest.raises(AgonError, mv, f"a5{character}b5").value).startswith(f'"a5{shown}b5" is not a move')


# === 7. Game: undo, redo, repetition, quiet moves, headers, comments =============

def state(game: Game) -> Tuple[object, ...]:
    """All that can be seen of a game."""
    return (game.position, game.moves, game.undone, game.positions, game.descriptions(), game.rules,
            game.start, game.outcome(), game.repetitions(), game.quiet_moves(),
            dict(game.comments), dict(game.headers), game.to_text())


def test_a_new_game_begins_at_the_start() -> None:
    game = Game()
    assert game.position == game.start == Position.start()
    assert game.moves == game.undone == ()
    assert (game.repetitions(), game.quiet_moves(), game.outcome()) == (1, 0, None)
    assert (game.rules, game.headers, game.comments) == (Rules(False, True), {}, {})


def test_black_may_begin() -> None:
    game = Game(Position.start(BLACK))
    assert game.play(mv("f11-f10")).turn == WHITE
    assert game.start == Position.start(BLACK)


def test_play_returns_the_new_position_and_records_the_move() -> None:
    game = Game()
    position = game.play(mv("a5-b5"))
    assert position == game.position == Position.start().play(mv("a5-b5"))
    assert game.moves == (mv("a5-b5"),)
    assert game.positions == (Position.start(), position)


def test_an_illegal_move_changes_nothing_in_a_game() -> None:
    game = played("a5-b5")
    game.undo()
    before = state(game)
    with pytest.raises(IllegalMove):
        game.play(mv("a5-c5"))
    assert state(game) == before


def test_undo_takes_back_and_redo_plays_again() -> None:
    game = played("a5-b5 f11-f10 f1-f2")
    after = state(game)
    assert [game.undo(), game.undo()] == [mv("f1-f2"), mv("f11-f10")]
    assert game.moves == (mv("a5-b5"),)
    assert game.undone == (mv("f11-f10"), mv("f1-f2"))
    assert [game.redo(), game.redo(), game.redo()] == [mv("f11-f10"), mv("f1-f2"), None]
    assert state(game) == after


def test_undo_at_the_start_and_redo_at_the_end_do_nothing() -> None:
    game = Game()
    before = state(game)
    assert (game.undo(), game.redo()) == (None, None)
    assert state(game) == before


def test_a_new_move_forgets_the_moves_taken_back() -> None:
    game = played("a5-b5 f11-f10")
    game.undo()
    game.play(mv("f11-g10"))
    assert (game.undone, game.redo()) == ((), None)
    assert game.moves == (mv("a5-b5"), mv("f11-g10"))
    assert state(game) == state(played("a5-b5 f11-g10"))


def test_after_any_undone_line_a_game_is_as_if_it_had_never_been() -> None:
    rng = random.Random(10)
    for _ in range(20):
        game, plain = Game(), Game()
        for _ in range(30):
            for _ in range(rng.choice((0, 0, 1, 3))):
                if game.legal_moves():
                    game.play(rng.choice(game.legal_moves()))
            while len(game.moves) > len(plain.moves):
                game.undo()
            if not plain.outcome():
                move = rng.choice(plain.legal_moves())
                game.play(move)
                plain.play(move)
            assert state(game) == state(plain)


def test_a_new_move_forgets_the_comments_on_moves_taken_back() -> None:
    game = played("a5-b5 f11-f10")
    game.comments.update({0: "start", 1: "one", 2: "two"})
    game.undo()
    assert game.comments == {0: "start", 1: "one", 2: "two"}
    game.play(mv("f11-g10"))
    assert game.comments == {0: "start", 1: "one"}


def test_comments_stay_when_moves_are_taken_back_and_played_again() -> None:
    game = played("a5-b5 f11-f10")
    game.comments[2] = "two"
    game.undo()
    game.redo()
    assert game.comments == {2: "two"}


def test_undo_decreases_the_count_of_repetitions() -> None:
    game = played(2 * SHUFFLE)
    for _ in range(4):
        game.undo()
    assert game.repetitions() == 2
    for _ in range(4):
        game.redo()
    assert game.repetitions() == 3
    for _ in range(8):
        game.undo()
    assert game.repetitions() == 1
    for word in SHUFFLE.split():
        game.play(mv(word))
    assert (game.repetitions(), game.outcome()) == (2, None)


def test_undo_takes_the_count_of_quiet_moves_back() -> None:
    game = played("f1-g1 f11-g10 a5-b5")
    assert game.quiet_moves() == 0
    game.undo()
    assert game.quiet_moves() == 2


def test_the_rule_options_rule_the_whole_game() -> None:
    start = "Qf4 e5 e6 f5 f7 g5 h5 / Qf11 w"
    assert played("h5-g6", start).outcome() == Outcome(BLACK, Ending.EMPTY_THRONE)
    assert played("h5-g6 f11-f10", start, THRONE_MAY_BE_EMPTY).outcome() is None
    game = Game(pos(BOTH_TRAPPED), QUEEN_FIRST)
    assert game.refusal(mv("e5-a1")) is Refusal.QUEEN_FIRST
    assert {str(move)[:2] for move in game.legal_moves()} == {"g4"}
    assert Game(pos(BOTH_TRAPPED)).refusal(mv("e5-a1")) is None


def test_resignation_ends_the_game_for_the_other_side() -> None:
    for side in (WHITE, BLACK):
        game = played("a5-b5")
        game.resign(side)
        assert game.outcome() == Outcome(1 - side, Ending.RESIGNATION)
        assert game.legal_moves() == []
        assert game.refusal(mv("f11-f10")) is Refusal.GAME_OVER


def test_a_draw_can_be_agreed() -> None:
    game = played("a5-b5")
    game.agree_draw()
    assert game.outcome() == Outcome(None, Ending.AGREEMENT)


def test_a_finished_game_can_be_neither_resigned_nor_drawn() -> None:
    game = played("h5-g6", "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 w")
    game.resign(WHITE)
    game.agree_draw()
    assert game.outcome() == Outcome(WHITE, Ending.THRONE)
    resigned = Game()
    resigned.resign(BLACK)
    resigned.agree_draw()
    assert resigned.outcome() == Outcome(WHITE, Ending.RESIGNATION)


def test_a_declared_end_holds_where_it_was_declared() -> None:
    game = played("a5-b5 f11-f10")
    game.resign(WHITE)
    assert game.undo() == mv("f11-f10")
    assert game.outcome() is None
    game.redo()
    assert game.outcome() == Outcome(BLACK, Ending.RESIGNATION)


def test_a_declared_end_can_be_taken_back() -> None:
    for game in (played("a5-b5 f11-f10"), Game()):
        game.agree_draw()
        assert game.is_declared
        game.reopen()
        assert game.outcome() is None and not game.is_declared


def test_a_new_move_forgets_a_declared_end_behind_it() -> None:
    game = played("a5-b5 f11-f10")
    game.resign(WHITE)
    game.undo()
    game.play(mv("a2-a3"))
    assert game.outcome() is None


def test_moves_taken_back_are_written_only_on_request() -> None:
    game = played("a5-b5 f11-f10 b5-c5")
    game.undo()
    again = Game.from_text(game.to_text())
    assert (again.moves, again.undone) == (game.moves, ())
    again = Game.from_text(game.to_text(with_undone=True))
    assert (again.moves, again.undone) == (game.moves, game.undone) == ((mv("a5-b5"), mv("f11-f10")), (mv("b5-c5"),))
    assert "Ply" not in again.headers


def test_writing_a_game_leaves_it_as_it_was() -> None:
    game = played("a5-b5 f11-f10 b5-c5")
    game.undo()
    before = state(game)
    text = game.to_text(with_undone=True, headers={"White": "Ada"})
    assert '[White "Ada"]' in text and '[Ply "2"]' in text
    assert state(game) == before and game.headers == {}


def test_the_time_to_write_or_read_a_game_grows_with_its_length_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once every move written copied all the moves: 70 000 moves took 76 seconds."""
    text = VARIATIONS.replace("*\n", "{ so } h1-h2 (h1-g1) *")
    game = Game.from_text(text)
    written = game.to_text()
    calls = []
    descriptions = Game.descriptions

    def copied(_: Game) -> None:
        raise AssertionError("all moves copied")

    def counted(self: Game, with_undone: bool = False) -> List[str]:
        calls.append(self)
        return descriptions(self, with_undone)
    for name in ("moves", "undone", "positions"):
        monkeypatch.setattr(Game, name, property(copied))
    monkeypatch.setattr(Game, "descriptions", counted)
    assert game.to_text(with_undone=True) == written
    assert len(calls) == 4  # once for each line of play
    assert Game.from_text(text).length == game.length


def test_the_time_to_read_remarks_grows_with_their_number_alone() -> None:
    """Texts of remarks that grow by joining would take hours here; lists of words take a moment."""
    for text in ("{a}" * 200_000 + "*", "a5-b5 (b1-c2 " + "{a}" * 200_000 + ") *"):
        game = Game.from_text(text)
        remarks = game.comments or game.variations[0][0].comments
        assert [len(text) for text in remarks.values()] == [399_999]


def test_a_branch_has_variations_of_its_own() -> None:
    game = Game.from_text(VARIATIONS)
    branch = game.branch()
    assert branch.to_text() == VARIATIONS
    branch.variations[0][0].undo()
    branch.variations[0].append(Game())
    assert game.to_text() == VARIATIONS


def commented() -> Game:
    """Four moves, the first of them on the board, with a mark, a remark and a variation behind it."""
    game = played("b1-c2 b7-c7 k1-k2 c7-c6")
    game.marks.update({0: "!", 1: "?"})
    game.comments.update({1: "before", 3: "hm"})
    while game.ply > 2:
        game.undo()
    other = Game(game.position)
    other.play(mv("a5-b5"))
    game.variations[2] = [other]
    game.undo()
    return game


def test_the_moves_taken_back_can_be_kept_as_a_variation_with_all_that_was_said_of_them() -> None:
    game = commented()
    before = game.to_text(with_undone=True)
    rest = game.rest()
    assert rest.start == game.position and [str(move) for move in rest.moves] == ["b7-c7", "k1-k2", "c7-c6"]
    assert (rest.marks, rest.comments, set(rest.variations)) == ({0: "?"}, {2: "hm"}, {1})
    assert game.to_text(with_undone=True) == before and played("b1-c2").rest().length == 0


def test_a_variation_can_take_the_place_of_the_game_and_back_again_without_a_loss() -> None:
    game = commented()
    branch = game.branch()
    branch.play(mv("k7-k6"))
    branch.variations[1] = [game.rest()]
    text = branch.to_text()
    assert Game.from_text(text).to_text() == text
    assert "(1... b7-c7? 2. k1-k2 (2. a5-b5) { hm } 2... c7-c6)" in " ".join(text.split())
    branch.take_variation(1, 0)
    assert [str(move) for move in branch.moves] == ["b1-c2", "b7-c7"] and branch.length == 4
    assert [str(move) for move in branch.variations[1][0].moves] == ["k7-k6"] and branch.comments[3] == "hm"
    branch.take_variation(1, 0)
    assert branch.to_text() == text
    with pytest.raises(KeyError):
        branch.take_variation(0, 0)


def test_headers_given_for_writing_go_before_those_of_the_game() -> None:
    game = Game(headers={"Date": "2024", "White": "Person", "Black": "Bob"})
    text = game.to_text(headers={"White": "Ada", "Round": "3", "Result": "1-0", "Ply": "5"})
    assert text == ('[Format "1"]\n[Date "2024"]\n[White "Ada"]\n[Black "Bob"]\n[Round "3"]\n[Result "*"]\n\n*\n')


def test_the_line_written_after_undo_and_another_move_is_the_one_played() -> None:
    game = played("a5-b5 f11-f10 f1-f2")
    assert game.descriptions() == ["a5-b5", "Qf11-f10", "Qf1-f2"]
    game.undo()
    game.undo()
    game.play(mv("d1-e2"))
    assert game.descriptions() == ["a5-b5", "d1-e2"]
    assert game.to_text().endswith("\n1. a5-b5 d1-e2 *\n")


def test_a_game_ended_behind_the_moves_on_the_board_is_written_with_its_result_and_read_back() -> None:
    for ended in (played("a5-b5 f11-f10"), played("h5-g6", "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 w"),
                  played(2 * SHUFFLE)):
        ended.resign(WHITE)  # only the first of them had not ended before
        outcome = ended.outcome()
        ended.undo()
        again = Game.from_text(ended.to_text(with_undone=True))
        assert (again.moves, again.outcome()) == (ended.moves, None)
        again.redo()
        assert again.outcome() == ended.outcome(ended.length) == outcome
        assert outcome is not None


def test_no_move_is_played_again_after_a_resignation() -> None:
    game = played("a5-b5 f11-f10")
    game.undo()
    game.resign(BLACK)
    game.redo()
    assert game.moves == (mv("a5-b5"),) or game.outcome() is None


def test_resigning_after_an_undo_keeps_the_position_and_the_comments_before_it() -> None:
    game = played("a5-b5 f11-f10")
    game.comments.update({1: "one", 2: "two"})
    game.undo()
    game.resign(BLACK)
    assert game.comments == {1: "one"}
    assert Game.from_text(game.to_text()).outcome() == game.outcome() == Outcome(WHITE, Ending.RESIGNATION)


def test_ply_and_length_count_the_moves_on_the_board_and_all() -> None:
    game = played("a5-b5 f11-f10 f1-f2")
    assert (game.ply, game.length, game.last_move) == (3, 3, mv("f1-f2"))
    game.undo()
    assert (game.ply, game.length, game.last_move) == (2, 3, mv("f11-f10"))
    assert (Game().ply, Game().length, Game().last_move) == (0, 0, None)


def test_moves_are_numbered_as_in_their_list() -> None:
    game = played("a5-b5 f11-f10 f1-f2")
    assert [game.move_number(ply) for ply in range(4)] == [1, 1, 2, 2]
    assert [game.numbered(ply) for ply in range(3)] == ["1. a5-b5", "1... Qf11-f10", "2. Qf1-f2"]
    game.undo()
    assert game.move_number() == 2 and game.numbered(2) == "2. Qf1-f2"
    blacks = played("f11-f10 a5-b5", str(Position.start(BLACK)))
    assert [blacks.move_number(ply) for ply in range(3)] == [1, 2, 2]
    assert [blacks.numbered(ply) for ply in range(2)] == ["1... Qf11-f10", "2. a5-b5"]


def test_counts_and_outcome_of_an_earlier_ply_can_be_asked_for() -> None:
    game = played(2 * SHUFFLE)
    assert [game.repetitions(ply) for ply in (0, 1, 4, 8)] == [1, 1, 2, 3]
    assert [game.quiet_moves(ply) for ply in (0, 1, 4, 8)] == [0, 1, 4, 8]
    assert [game.outcome(ply) for ply in (0, 7)] == [None, None]
    assert game.outcome(8) == game.outcome() == Outcome(None, Ending.REPETITION)


def test_a_game_answers_by_its_own_rules() -> None:
    game = Game(pos(BOTH_TRAPPED), QUEEN_FIRST)
    assert names(game.must_relocate()) == ["g4"] == names(game.causes(mv("e5-a1")))
    assert names(Game(pos(BOTH_TRAPPED)).must_relocate()) == ["e5", "g4"]
    assert Game(pos(EMPTY + " b"), THRONE_MAY_BE_EMPTY).describe(mv("f11-f10")) == "Qf11-f10"
    game.resign(WHITE)
    assert game.must_relocate() == game.causes(mv("e5-a1")) == []


def test_a_game_tells_what_its_last_move_has_trapped() -> None:
    game = played("c4-d4", "Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w")
    assert names(game.newly_trapped()) == ["d3", "d5"]
    game.play(mv("d3-a1"))
    assert game.newly_trapped() == []
    game.undo()
    game.undo()
    assert game.newly_trapped() == []


def test_what_was_trapped_before_is_not_newly_trapped() -> None:
    position = pos("Qf1 b2 c5 e5 g4 / Qf11 d5 g5 w")
    assert names(position.newly_trapped(mv("b2-c3"))) == []
    assert names(pos("Qf1 b2 c5 e5 g4 h6 / Qf11 d5 g5 w").newly_trapped(mv("h6-g6"))) == ["g5"]


def test_a_branch_is_a_game_of_its_own_up_to_now() -> None:
    game = played("a5-b5 f11-f10 f1-f2", rules=QUEEN_FIRST)
    game.headers["White"] = "Ada"
    game.comments = {0: "zero", 2: "two", 3: "three"}
    game.undo()
    before = state(game)
    branch = game.branch()
    assert (branch.moves, branch.undone, branch.rules) == (game.moves, (), game.rules)
    assert (branch.headers, branch.comments) == ({"White": "Ada"}, {0: "zero", 2: "two"})
    branch.play(mv("b5-c5"))
    branch.headers["White"] = "Bob"
    branch.comments[1] = "one"
    assert state(game) == before and game.undone == (mv("f1-f2"),)


def test_a_branch_of_a_resigned_game_goes_on() -> None:
    game = played("a5-b5")
    game.resign(WHITE)
    assert game.branch().outcome() is None and game.outcome() is not None


def test_a_game_describes_its_moves() -> None:
    game = played("c4-d4 d3-a1 f1-f2", "Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w")
    assert game.descriptions() == ["c4-d4+", "d3*a1", "Qf1-f2"]
    game.undo()
    assert game.descriptions() == ["c4-d4+", "d3*a1"]
    assert game.descriptions(with_undone=True) == ["c4-d4+", "d3*a1", "Qf1-f2"]


def test_a_game_describes_its_moves_by_its_own_rules() -> None:
    assert played("f11-f10", EMPTY + " b", THRONE_MAY_BE_EMPTY).descriptions() == ["Qf11-f10"]


def test_nothing_a_game_hands_out_changes_it() -> None:
    headers = {"White": "Ada"}
    game = Game(headers=headers)
    headers["White"] = "Bob"
    game.play(mv("a5-b5"))
    before = state(game)
    game.legal_moves().clear()
    game.descriptions().clear()
    game.position.trapped().append(0)
    game.position.legal_moves().clear()
    assert state(game) == before
    assert game.headers == {"White": "Ada"}
    assert all(isinstance(value, tuple) for value in (game.moves, game.undone, game.positions))
    assert Game().headers == {} and Game().comments == {}


# === 8. Game files, the disk, lessons, geometry and pictures =====================

SAMPLE = """\
[Format "1"]
[Date "2024-05-01"]
[White "Ada \\"the \\\\ queen\\" L\u00f6we"]
[Black "Bob"]
[Opening "unknown to us"]
[Result "1-0"]
[Rules "queen_first=on empty_throne_loses=off"]
[Position "Qf6 e5 e6 f5 f7 g5 h6 / Qf11 b"]

{ Black } 1... Qf11-f10 2. h6-h5 Qf10-g9 { now } 3. h5-g6# { the end } 1-0
"""


def test_a_game_file_is_written_as_it_was_read() -> None:
    assert Game.from_text(SAMPLE).to_text() == SAMPLE


def test_all_of_a_game_file_is_understood() -> None:
    game = Game.from_text(SAMPLE)
    assert game.headers == {"Date": "2024-05-01", "White": 'Ada "the \\ queen" L\u00f6we', "Black": "Bob",
                            "Opening": "unknown to us"}
    assert game.rules == Rules(True, False)
    assert str(game.start) == "Qf6 e5 e6 f5 f7 g5 h6 / Qf11 b"
    assert " ".join(map(str, game.moves)) == "f11-f10 h6-h5 f10-g9 h5-g6"
    assert game.comments == {0: "Black", 3: "now", 4: "the end"}
    assert game.outcome() == Outcome(WHITE, Ending.THRONE)


def test_a_new_game_is_written_in_the_simplest_form() -> None:
    assert Game().to_text() == '[Format "1"]\n[Result "*"]\n\n*\n'
    assert played("a5-b5 f11-f10 f1-f2").to_text() \
        == '[Format "1"]\n[Result "*"]\n\n1. a5-b5 Qf11-f10 2. Qf1-f2 *\n'


def test_a_comment_before_a_black_move_makes_its_number_appear() -> None:
    game = played("a5-b5 f11-f10 f1-f2")
    game.comments[1] = "hm"
    assert "1. a5-b5 { hm } 1... Qf11-f10 2. Qf1-f2 *" in game.to_text()


def test_declared_ends_are_saved_as_results() -> None:
    for side, result in ((WHITE, "0-1"), (BLACK, "1-0")):
        game = played("a5-b5")
        game.resign(side)
        assert game.to_text().endswith(f" {result}\n") and f'[Result "{result}"]' in game.to_text()
        assert Game.from_text(game.to_text()).outcome() == Outcome(1 - side, Ending.RESIGNATION)
    drawn = played("a5-b5")
    drawn.agree_draw()
    assert drawn.to_text().endswith(" 1/2-1/2\n")
    assert Game.from_text(drawn.to_text()).outcome() == Outcome(None, Ending.AGREEMENT)


def test_lines_of_moves_stay_under_80_characters() -> None:
    game = played(walks(90, (5, 15), (5, 0)), "Qf1 / Qf11 w")
    game.comments[7] = "word " * 40 + "x" * 100
    lines = game.to_text().split("\n")
    assert all(len(line) < 80 for line in lines if line != "x" * 100)
    assert len(lines) > 10
    assert Game.from_text(game.to_text()).comments == {7: "word " * 40 + "x" * 100}


def test_a_hyphen_in_a_remark_is_no_place_to_break_a_line() -> None:
    game = played("a5-b5 d1-d2")
    game.comments = {1: "a well-known and often-played, so-called opening " * 6}
    assert Game.from_text(game.to_text()).comments == {1: game.comments[1].strip()}


def test_a_closing_brace_in_a_comment_is_replaced() -> None:
    game = played("a5-b5")
    game.comments[1] = "a } b { c\nd"
    assert Game.from_text(game.to_text()).comments == {1: "a ) b { c d"}


def test_headers_with_quotes_and_line_breaks_round_trip_on_one_line() -> None:
    game = Game(headers={"White": 'a\\"b\\\\', "Black": "two\nlines\rmore", "Empty": ""})
    assert Game.from_text(game.to_text()).headers == {"White": 'a\\"b\\\\', "Black": "two lines more", "Empty": ""}
    by_hand = Game.from_text('[White "C:\\x \\\\ \\"y\\""]\n\n*')
    assert by_hand.headers == {"White": 'C:\\x \\ "y"'}, "a stroke before any other letter is a stroke"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_any_line_end_and_a_byte_order_mark_are_read(line_end: str, mark: str) -> None:
    assert state(Game.from_text(mark + SAMPLE.replace("\n", line_end))) == state(Game.from_text(SAMPLE))


@pytest.mark.parametrize("text", [
    "1. a5-b5 Qf11-f10 2. Qf1-f2 *", "1.a5-b5 1...f11-f10 2.f1-f2 *", "a5-b5 f11-f10 f1-f2 *",
    "1. a5-b5 f11-f10 2. f1-f2", "\n1.\na5-b5\n\nf11-f10{x}f1-f2 *", "7. a5-b5 f11-f10 99. f1-f2 *",
    "\n1. a5-b5 f11-f10 f1-f2",
    "[Format \"1\"]\n\n\n1. a5-b5 f11-f10 f1-f2", "[Format   \"1\"]   \n1. a5-b5 f11-f10 f1-f2\n\n"])
def test_moves_are_read_in_many_layouts(text: str) -> None:
    assert Game.from_text(text).moves == (mv("a5-b5"), mv("f11-f10"), mv("f1-f2"))


@pytest.mark.parametrize("text", ["", "\n", "  \r\n", "\ufeff"])
def test_an_empty_text_is_no_game(text: str) -> None:
    with pytest.raises(AgonError):
        Game.from_text(text)


@pytest.mark.parametrize("text", ['[White "Ada"]', '[White "Ada"]\n\n*', "*"])
def test_headers_or_a_result_alone_are_a_game_without_moves(text: str) -> None:
    assert Game.from_text(text).moves == ()


def test_a_text_without_header_moves_and_result_is_no_game() -> None:
    with pytest.raises(AgonError) as caught:
        Game.from_text("{ nothing }")
    assert caught.value.code == "no_game"


def test_comments_in_a_row_become_one() -> None:
    assert Game.from_text("\n{ a\n b } {c}{  d e }" + "{f}" * 500 + " a5-b5 {g} *").comments \
        == {0: "a b c d e" + " f" * 500, 1: "g"}


HEAD = '[Format "1"]\n[White "Ada"]\n\n'


@pytest.mark.parametrize("text, code, line, token", [
    (HEAD + "1. a5-b5 zz", "bad_move", 4, "zz"),
    (HEAD + "1. a5-b5\n\n{ a\nb }\n\nf11-f10 2. zz", "bad_move", 9, "zz"),
    (HEAD + "{ a\nb }zz", "bad_move", 5, "zz"),
    (HEAD + "1. a5-c5", "illegal_move", 4, "a5-c5"),
    (HEAD + "1. a5-b5\nf11-f10 2.\nf1-f3 f10-f9", "illegal_move", 6, "f1-f3"),
    (HEAD + "1. a5-j5", "bad_cell", 4, "j5"),
    (HEAD + "1. a5-b5 1-0\nf11-f10", "after_end", 5, "f11-f10"),
    (HEAD + "1. a5-b5 *\n*", "after_end", 5, "*"),
    (HEAD + "1. a5-b5\n{ open\n\n", "open_comment", 5, None),
    (HEAD + "1. a5-b5 }", "bad_move", 4, "}"),
    (HEAD + "a5-b5 [Black \"Bob\"]", "bad_move", 4, "[Black"),
    (HEAD + "a5-b5\n[Black Bob]", "bad_header", 5, "[Black Bob]"),
    ('[White "Ada"]\n\n[White "Bob"]', "repeated_header", 3, "White"),
    ('[Result "*"]\n[Result "*"]\n', "repeated_header", 2, "Result"),
    ('[Rules "queen_first=on queen_first=off"]', "bad_rules", 1, "queen_first=off"),
    ('[Ply "2"]\n\na5-b5', "bad_ply", 1, "2"),
    ('[White "Ada"]\n[Ply "-1"]\n\na5-b5', "bad_ply", 2, "-1"),
    (f'[Ply "{"9" * 5000}"]\n\na5-b5', "bad_ply", 1, "9" * 37 + "..."),
    ('[Format "1"]\n[White Ada]\n', "bad_header", 2, "[White Ada]"),
    ('[Format "1"]\n[White "Ada]\n', "bad_header", 2, '[White "Ada]'),
    ('[Format "1"]\n[White "A"da"]\n', "bad_header", 2, '[White "A"da"]'),
    ('\n[White "Ada"] x\n', "bad_header", 2, '[White "Ada"] x'),
    ('[White "Ada"]\n[Format "one"]', "bad_format", 2, "one"),
    ('[Format "1.5"]', "bad_format", 1, "1.5"),
    ('[Format "-1"]', "bad_format", 1, "-1"),
    ('[Format "2"]\n\n1. a5~b5', "newer_format", 1, "2"),
    ('[Format "99999999999999999999"]', "newer_format", 1, "9" * 20),
    (f'[Format "{"9" * 9999}"]', "newer_format", 1, "9" * 37 + "..."),
    ('[Format "1"]\n[Rules "queen_first=yes"]', "bad_rules", 2, "queen_first=yes"),
    ('[Format "1"]\n[Rules "fly=on"]', "bad_rules", 2, "fly=on"),
    ('[Format "1"]\n[Position "Qf1 / Qj1 w"]', "bad_cell", 2, "Qj1"),
    ('[Format "1"]\n[Position "Qf1 / Qf11"]', "bad_position", 2, "the end"),
])
def test_an_error_in_a_file_names_line_and_token(
        text: str, code: str, line: int, token: Optional[str]) -> None:
    for variant in (text, text.replace("\n", "\r\n"), text.replace("\n", "\r"), "\ufeff" + text):
        with pytest.raises(AgonError) as caught:
            Game.from_text(variant)
        assert (caught.value.code, caught.value.line) == (code, line)
        assert str(caught.value).startswith(f"line {line}: ")
        assert token is None or caught.value.details["token"] == token and token in str(caught.value)


def test_a_long_row_of_digits_is_refused_at_once() -> None:
    """What grew with the square of its length took hours."""
    for digits in ("1" * 500_000, "1." * 250_000):
        error = pytest.raises(AgonError, Game.from_text, HEAD + digits).value
        assert (error.code, error.line, error.details["token"]) == ("bad_move", 4, digits[:37] + "...")


def test_an_illegal_move_in_a_file_says_why() -> None:
    with pytest.raises(IllegalMove) as caught:
        Game.from_text(HEAD + "1. a5-c5")
    assert caught.value.refusal is Refusal.TOO_FAR
    assert str(caught.value) == 'line 4: "a5-c5" is not possible: A piece moves only one step.'


def test_a_move_after_the_end_of_the_game_is_refused() -> None:
    with pytest.raises(IllegalMove) as caught:
        Game.from_text('[Position "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 w"]\n\n1. h5-g6 f11-f10')
    assert caught.value.refusal is Refusal.GAME_OVER


WIN_IN_ONE = '[Position "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 w"]\n'


@pytest.mark.parametrize("result", ["0-1", "1/2-1/2"])
def test_a_result_that_contradicts_the_moves_is_refused(result: str) -> None:
    for header in ("", f'[Result "{result}"]\n'):
        with pytest.raises(AgonError) as caught:
            Game.from_text(f"{WIN_IN_ONE}{header}\n1. h5-g6 {result}")
        assert (caught.value.code, caught.value.details["token"]) == ("other_result", result)


def test_a_result_that_contradicts_the_header_is_refused() -> None:
    with pytest.raises(AgonError) as caught:
        Game.from_text('[Result "0-1"]\n\n1. a5-b5 1-0')
    assert caught.value.code == "other_result" and caught.value.line == 3


def test_a_result_that_fits_or_is_left_open_is_read() -> None:
    for result in ("1-0", "*", ""):
        assert Game.from_text(f"{WIN_IN_ONE}\n1. h5-g6 {result}").outcome() == Outcome(WHITE, Ending.THRONE)


def test_a_result_that_is_none_is_refused() -> None:
    with pytest.raises(AgonError) as caught:
        Game.from_text('[Result "2-0"]\n\n1. a5-b5')
    assert caught.value.code == "bad_result"


def test_a_file_cut_off_before_the_result_its_header_announces_is_refused() -> None:
    with pytest.raises(AgonError) as caught:
        Game.from_text('[Result "0-1"]\n\n1. a5-b5')
    assert caught.value.code == "cut_off" and caught.value.line == 3


def test_a_saved_file_keeps_its_permissions(tmp_path: "os.PathLike[str]") -> None:
    path = write(tmp_path, b"old")
    os.chmod(path, 0o600)
    Game().save(path)
    assert os.stat(path).st_mode & 0o777 == 0o600 or sys.platform == "win32"


def test_headers_that_would_change_what_is_read_back_are_not_written() -> None:
    game = Game(headers={"Bad Name": "x", "Position": "Qf1 / w", "White": "Ada"})
    again = Game.from_text(game.to_text())
    assert again.headers == {"White": "Ada"} and again.start == Position.start()


def test_half_a_move_is_refused() -> None:
    blocked = pos("Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w")
    for move in (Move(60, None), Move(None, 60)):
        assert blocked.refusal(move) is not None


def test_the_rules_header_may_name_one_option_only() -> None:
    assert Game.from_text('[Rules "queen_first=on"]\n\n*').rules == Rules(True, True)
    assert Game.from_text('[Rules "empty_throne_loses=off"]\n\n*').rules == Rules(False, False)


def test_the_rules_of_a_file_hold_for_its_moves() -> None:
    moves = '[Position "Qf4 e5 e6 f5 f7 g5 h5 / Qf11 w"]\n\n1. h5-g6 f11-f10 *'
    assert len(Game.from_text('[Rules "empty_throne_loses=off"]\n' + moves).moves) == 2
    with pytest.raises(IllegalMove):
        Game.from_text(moves)


def test_every_truncated_file_gives_a_shorter_game_or_an_error() -> None:
    whole = Game.from_text(SAMPLE)
    for length in range(1, len(SAMPLE)):
        try:
            game = Game.from_text(SAMPLE[:length])
        except AgonError as error:
            assert str(error)
        else:
            assert game.moves == whole.moves[:len(game.moves)]


def test_a_saved_game_is_loaded_as_it_was(tmp_path: "os.PathLike[str]") -> None:
    path = os.path.join(tmp_path, "L\u00f6we.agon")
    game = Game.from_text(SAMPLE)
    game.save(path)
    with open(path, "rb") as file:
        assert file.read() == SAMPLE.encode("utf-8")
    assert state(Game.load(path)) == state(game)
    assert os.listdir(tmp_path) == ["L\u00f6we.agon"]


def test_saving_replaces_an_older_file(tmp_path: "os.PathLike[str]") -> None:
    path = os.path.join(tmp_path, "game.agon")
    Game.from_text(SAMPLE).save(path)
    Game().save(path)
    assert Game.load(path).moves == ()


def test_a_file_with_a_byte_order_mark_is_loaded(tmp_path: "os.PathLike[str]") -> None:
    path = write(tmp_path, b"\xef\xbb\xbf" + SAMPLE.replace("\n", "\r\n").encode())
    assert state(Game.load(path)) == state(Game.from_text(SAMPLE))


def write(folder: "os.PathLike[str]", data: bytes) -> str:
    path = os.path.join(folder, "game.agon")
    with open(path, "wb") as file:
        file.write(data)
    return path


@pytest.mark.parametrize("data, code", [
    (b"\xff\xfe1\x00", "not_text"), (HEAD.encode() + b"\n{ \xe4 }", "not_text"),
    (b" " * 2_000_001, "too_big"),
    (b"\x89PNG\r\n\x1a\n\x00\x00", "not_text"), (b"\x00\x01\x02", "bad_move")],
    ids=["two bytes a letter", "latin letters", "too big", "a picture", "zeros"])
def test_what_is_no_game_file_is_refused_with_its_name(
        tmp_path: "os.PathLike[str]", data: bytes, code: str) -> None:
    path = write(tmp_path, data)
    with pytest.raises(AgonError) as caught:
        Game.load(path)
    assert (caught.value.code, caught.value.path) == (code, path)
    assert str(caught.value).startswith(path + ": ")


def test_the_biggest_file_allowed_is_read(tmp_path: "os.PathLike[str]") -> None:
    path = write(tmp_path, b"\n1. a5-b5 *" + b" " * (agon_core.MAX_FILE_BYTES - 11))
    assert len(Game.load(path).moves) == 1


def test_an_error_in_a_loaded_file_names_file_and_line(tmp_path: "os.PathLike[str]") -> None:
    path = write(tmp_path, HEAD.encode() + b"zz")
    with pytest.raises(AgonError) as caught:
        Game.load(path)
    assert str(caught.value).startswith(f'{path}: line 4: "zz" is not a move')


def test_the_size_of_a_text_is_counted_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "{ " + 40 * "\u20ac" + " } *"
    monkeypatch.setattr(agon_core, "MAX_FILE_BYTES", len(text) + 80)
    assert Game.from_text(text).comments
    monkeypatch.setattr(agon_core, "MAX_FILE_BYTES", len(text) + 79)
    error = pytest.raises(AgonError, Game.from_text, text).value
    assert (error.code, error.details) == ("too_big", {"token": str(len(text) + 80), "expected": len(text) + 79})


def test_a_game_that_could_not_be_read_again_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    game = played("a5-b5")
    game.comments[1] = "\u20ac" * 40
    size = len(game.to_text().encode())
    monkeypatch.setattr(agon_core, "MAX_FILE_BYTES", size)
    assert Game.from_text(game.to_text()).comments == game.comments
    monkeypatch.setattr(agon_core, "MAX_FILE_BYTES", size - 1)
    assert pytest.raises(AgonError, game.to_text).value.code == "too_big"


def test_the_end_mark_of_old_editors_is_ignored() -> None:
    for end in ("\x1a", "\r\n\x1a\x1a", "\x1a\n"):
        assert Game.from_text("1. a5-b5 *" + end).moves == (mv("a5-b5"),)
    with pytest.raises(AgonError):
        Game.from_text("1. a5-b5\x1a f11-f10")


def test_characters_that_utf_8_cannot_hold_become_question_marks() -> None:
    game = Game(headers={"White": "A\ud800da"})
    game.comments[0] = "\udfff"
    assert '[White "A?da"]' in game.to_text() and "{ ? }" in game.to_text()


def test_header_names_may_have_dots() -> None:
    for name in ("Title.de", "Title.de.long", "A1.b_2"):
        game = Game.from_text(f'[{name} "x"]\n\n*')
        assert game.headers == {name: "x"} and f'[{name} "x"]' in game.to_text()
    for name in (".de", "Title.", "Title..de", "1.a"):
        assert pytest.raises(AgonError, Game.from_text, f'[{name} "x"]').value.code == "bad_header"


def test_a_game_knows_on_which_lines_its_headers_stood() -> None:
    assert Game.from_text('\n[White "Ada"]\n\n[Black "Bob"]\n\n*').header_lines == {"White": 2, "Black": 4}
    assert Game().header_lines == {}


COLLECTION = """\
{ for the
first lesson }
[Title "one"]
[Result "*"]

{ hm } 1. a5-b5 *
{ about two }

[Title "two"]
[Position "Qf1 / Qf11 b"]

1... Qf11-f10
[Title "three"]

1-0 { the end }
"""


def test_a_file_may_hold_several_games() -> None:
    one, two, three = agon_core.read_games(COLLECTION)
    assert [game.headers["Title"] for game in (one, two, three)] == ["one", "two", "three"]
    assert [" ".join(map(str, game.moves)) for game in (one, two, three)] == ["a5-b5", "f11-f10", ""]
    assert one.comments == {0: "for the first lesson hm"}
    assert two.comments == {0: "about two"} and str(two.start) == "Qf1 / Qf11 b"
    assert three.comments == {0: "the end"} and three.outcome() == Outcome(WHITE, Ending.RESIGNATION)
    assert three.start == Position.start()
    assert (one.header_lines["Title"], three.header_lines["Title"]) == (3, 13)


def test_a_collection_is_written_as_it_was_read() -> None:
    games = agon_core.read_games(COLLECTION)
    text = agon_core.write_games(games)
    assert [state(game) for game in agon_core.read_games(text)] == [state(game) for game in games]
    assert agon_core.write_games(agon_core.read_games(text)) == text


def test_where_one_game_is_expected_several_are_refused() -> None:
    error = pytest.raises(AgonError, Game.from_text, COLLECTION).value
    assert str(error) == "there are 3 games in this text; expected one"


@pytest.mark.parametrize("text, code, line", [
    ('[A "1"]\n\n*\n\n[A "2"]\n\nzz', "bad_move", 7),
    ('[A "1"]\n[Result "1-0"]\n\na5-b5\n\n[A "2"]\n\n*', "cut_off", 4),
    ('[A "1"]\n\na5-b5 *\na5-b5', "after_end", 4),
    ('[A "1"]\n\n*\n[B "2"]\n[B "2"]', "repeated_header", 5)])
def test_an_error_in_a_collection_names_its_line(text: str, code: str, line: int) -> None:
    error = pytest.raises(AgonError, agon_core.read_games, text).value
    assert (error.code, error.line) == (code, line)


def test_a_collection_is_loaded_and_its_errors_name_the_file(tmp_path: "os.PathLike[str]") -> None:
    assert len(agon_core.load_games(write(tmp_path, COLLECTION.encode()))) == 3
    path = write(tmp_path, b"zz")
    assert str(pytest.raises(AgonError, agon_core.load_games, path).value).startswith(f"{path}: line 1: ")


def test_a_missing_file_and_a_folder_cannot_be_read(tmp_path: "os.PathLike[str]") -> None:
    for path, code in ((os.path.join(tmp_path, "missing.agon"), "unreadable"), (str(tmp_path), "is_folder")):
        with pytest.raises(AgonError) as caught:
            Game.load(path)
        assert (caught.value.code, caught.value.path) == (code, path)
    assert pytest.raises(AgonError, Game.load, "missing.agon").value.details["number"] == errno.ENOENT


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_neither_read_nor_replaced(tmp_path: "os.PathLike[str]") -> None:
    path = os.path.join(tmp_path, "pipe.agon")
    os.mkfifo(path)
    for action in (Game.load, Game().save):
        with pytest.raises(AgonError) as caught:
            action(path)
        assert (caught.value.code, caught.value.path) == ("not_a_file", path)
    assert stat.S_ISFIFO(os.stat(path).st_mode) and os.listdir(tmp_path) == ["pipe.agon"]


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no devices here")
def test_a_device_is_neither_read_nor_replaced() -> None:
    for action in (Game.load, Game().save):
        assert pytest.raises(AgonError, action, "/dev/zero").value.code == "not_a_file"
    assert stat.S_ISCHR(os.stat("/dev/zero").st_mode)


def test_a_folder_is_not_replaced(tmp_path: "os.PathLike[str]") -> None:
    assert pytest.raises(AgonError, Game().save, str(tmp_path)).value.code == "is_folder"


def test_a_write_protected_file_is_not_replaced_unless_it_is_the_programs_own(tmp_path: "os.PathLike[str]") -> None:
    path = write(tmp_path, b"old")
    os.chmod(path, 0o444)
    assert pytest.raises(AgonError, Game().save, path).value.code == "write_protected"
    with open(path, "rb") as file:
        assert file.read() == b"old"
    agon_core.write_safely(path, "new", is_own=True)
    assert os.listdir(tmp_path) == ["game.agon"]
    assert agon_core.read_text(path) == "new" and os.stat(path).st_mode & 0o600 == 0o600


def test_a_file_that_nobody_may_read_is_readable_again_when_the_program_has_written_it(
        tmp_path: "os.PathLike[str]") -> None:
    path = write(tmp_path, b"old")
    os.chmod(path, 0)
    agon_core.write_safely(path, "new", is_own=True)
    assert os.stat(path).st_mode & 0o777 == 0o600 or sys.platform == "win32"


def test_a_disk_without_permissions_is_written_all_the_same(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")
    path = write(tmp_path, b"old")
    monkeypatch.setattr(os, "chmod", refuse)
    Game().save(path)
    assert Game.load(path).moves == () and os.listdir(tmp_path) == ["game.agon"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_a_private_game_is_private_from_the_first_moment(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, b"old")
    os.chmod(path, 0o600)
    seen = []
    monkeypatch.setattr(os, "fsync", lambda number: seen.append(os.fstat(number).st_mode & 0o777))
    Game().save(path)
    assert seen[0] == 0o600


def test_the_name_of_a_temporary_file_is_short_and_cannot_be_guessed(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    longest = 255 if sys.platform != "win32" else 255 - len(str(tmp_path))  # Windows counts the folders, too
    path = os.path.join(tmp_path, "x" * (longest - 5) + ".agon")
    names_seen = set()
    replace = os.replace

    def watched_replace(source: str, target: str) -> None:
        names_seen.add(os.path.basename(source))
        replace(source, target)
    monkeypatch.setattr(os, "replace", watched_replace)
    for _ in range(3):
        Game().save(path)
    assert len(names_seen) == 3 and all(len(name) < 40 for name in names_seen)


def make_link(target: str, link: str) -> None:
    """A symbolic link; the test is skipped where there are none."""
    try:
        os.symlink(target, link)
    except (OSError, NotImplementedError):
        pass
    if not os.path.islink(link):
        pytest.skip("no symbolic links here")


def test_a_link_laid_in_the_place_of_the_temporary_file_is_not_followed(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    path, victim = os.path.join(tmp_path, "game.agon"), write(tmp_path, b"precious")
    victim = shutil.move(victim, os.path.join(tmp_path, "victim"))
    monkeypatch.setattr(os, "urandom", lambda count: b"\1" * count)
    laid = os.path.join(tmp_path, "game.agon.01010101.tmp")
    make_link(victim, laid)
    assert pytest.raises(AgonError, Game().save, path).value.code == "unwritable"
    with open(laid, "rb") as file:
        assert file.read() == b"precious"


def test_on_windows_a_file_that_is_open_elsewhere_for_a_moment_is_replaced_all_the_same(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, b"old")
    tries: List[str] = []
    pauses: List[float] = []
    replace = os.replace

    def refuse_twice(source: str, target: str) -> None:
        tries.append(target)
        if len(tries) < 3:
            raise PermissionError(13, "Access denied")
        replace(source, target)
    monkeypatch.setattr(os, "replace", refuse_twice)
    monkeypatch.setattr(time, "sleep", pauses.append)
    monkeypatch.setattr(agon_core, "_is_windows", lambda: True)
    Game().save(path)
    assert Game.load(path).moves == () and len(tries) == 3 and 0 < sum(pauses) < 1
    monkeypatch.setattr(agon_core, "_is_windows", lambda: False)
    tries.clear()
    assert pytest.raises(AgonError, Game().save, path).value.code == "unwritable"
    assert len(tries) == 1 and os.listdir(tmp_path) == ["game.agon"]


def test_where_no_lock_can_tell_only_what_is_old_was_left_behind_by_a_killed_program(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon_core, "_seize", lambda file: None)
    path = os.path.join(tmp_path, "autosave.agon")
    left = ["autosave.ago.0123abcd.tmp", "autosave.agon.4711.tmp"]
    others = ["autosave-2.a.0123abcd.tmp", "autosave.agon", "autosave.ago.tmp", "settings.jso.0123abcd.tmp"]
    for name in left + others:
        with open(os.path.join(tmp_path, name), "wb"):
            pass
    agon_core.remove_leftovers(path)
    assert sorted(os.listdir(tmp_path)) == sorted(left + others), "somebody may be writing just now"
    old = time.time() - agon_core.LEFTOVER_S - 1
    os.utime(os.path.join(tmp_path, left[0]), (old, old))
    agon_core.remove_leftovers(path)
    assert sorted(os.listdir(tmp_path)) == sorted(left[1:] + others)
    agon_core.remove_leftovers(path, 0)
    assert sorted(os.listdir(tmp_path)) == sorted(others)
    agon_core.remove_leftovers(os.path.join(tmp_path, "no such folder", "x.agon"))
    agon_core.remove_leftovers(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == sorted(others)
    agon_core.remove_leftovers(str(tmp_path), 0)
    assert sorted(os.listdir(tmp_path)) == ["autosave.ago.tmp", "autosave.agon"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no file that is open")
def test_a_file_being_written_is_not_taken_for_one_that_a_killed_program_left_behind(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    path = os.path.join(tmp_path, "autosave.agon")
    os.mkfifo(os.path.join(tmp_path, "autosave.ago.0123abcd.tmp"))  # nobody may wait for what it holds
    kept: List[int] = []

    def look(*_: object) -> None:
        agon_core.remove_leftovers(path)
        kept.append(len(os.listdir(tmp_path)))
    monkeypatch.setattr(os, "fsync", look)
    monkeypatch.setattr(agon_core, "_replace", lambda source, target: look() or os.replace(source, target))
    Game().save(path)
    assert kept[:2] == [2, 2] and Game.load(path).moves == ()
    with open(os.path.join(tmp_path, "autosave.ago.89abcdef.tmp"), "wb"):
        pass
    agon_core.remove_leftovers(path)
    assert sorted(os.listdir(tmp_path)) == ["autosave.ago.0123abcd.tmp", "autosave.agon"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows renames no file that is open")
def test_a_temporary_file_removed_before_it_was_locked_is_made_anew(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    seized: List[str] = []

    def seize_too_late(file: Any) -> bool:
        seized.append(file.name)
        if len(seized) == 1:
            os.rename(file.name, os.path.join(tmp_path, "gone"))
        return True
    monkeypatch.setattr(agon_core, "_seize", seize_too_late)
    path = os.path.join(tmp_path, "x.agon")
    Game().save(path)
    assert len(set(seized)) == 2 and sorted(os.listdir(tmp_path)) == ["gone", "x.agon"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no file that is open")
def test_a_temporary_file_that_another_program_is_about_to_remove_is_not_used(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    real, others = agon_core._seize, []

    def seized_by_another_before(file: Any) -> Any:
        if not others:
            others.append(open(file.name, "rb"))
            assert real(others[0])
        return real(file)
    monkeypatch.setattr(agon_core, "_seize", seized_by_another_before)
    path = os.path.join(tmp_path, "x.agon")
    Game().save(path)
    (other,) = others
    with other:
        assert os.listdir(tmp_path) == ["x.agon"] and not os.path.samestat(os.fstat(other.fileno()), os.stat(path))
    monkeypatch.setattr(agon_core, "_seize", lambda file: False)  # a disk that calls everything locked
    Game().save(path)
    assert os.listdir(tmp_path) == ["x.agon"]


def test_a_file_killed_while_it_was_written_leaves_what_is_later_removed(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    path = os.path.join(tmp_path, "autosave.agon")

    def killed(*_: object) -> None:
        raise SystemExit
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", killed)
        patch.setattr(os, "remove", lambda path: None)
        with pytest.raises(SystemExit):
            Game().save(path)
    assert len(os.listdir(tmp_path)) == 1
    agon_core.remove_leftovers(path, 0)
    assert os.listdir(tmp_path) == []


def test_a_file_set_aside_gets_a_free_name_beside_it(tmp_path: "os.PathLike[str]") -> None:
    for number in (1, 2):
        path = write(tmp_path, b"%d" % number)
        aside = agon_core.set_aside(path)
        assert aside == os.path.join(tmp_path, f"game.aside-{number}.agon")
        with open(aside, "rb") as file:
            assert file.read() == b"%d" % number
    assert sorted(os.listdir(tmp_path)) == ["game.aside-1.agon", "game.aside-2.agon"]
    assert pytest.raises(AgonError, agon_core.set_aside, path).value.path == path


def test_a_folder_that_cannot_be_written_is_an_error_with_its_path(tmp_path: "os.PathLike[str]") -> None:
    not_a_folder = write(tmp_path, b"")
    for path in (os.path.join(tmp_path, "missing", "x.agon"), os.path.join(not_a_folder, "x.agon")):
        with pytest.raises(AgonError) as caught:
            Game().save(path)
        assert (caught.value.code, caught.value.path) == ("unwritable", path)


def test_a_failed_save_leaves_the_old_file_and_nothing_else(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, b"old")

    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")
    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, no_space)
            with pytest.raises(AgonError) as caught:
                Game().save(path)
        assert str(caught.value) == f"{path}: cannot be written: No space left on device"
        assert os.listdir(tmp_path) == ["game.agon"]
        with open(path, "rb") as file:
            assert file.read() == b"old"


def test_a_saved_file_is_whole_and_flushed_before_it_takes_the_place_of_the_old(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, b"old")
    steps = []
    fsync, replace = os.fsync, os.replace

    def watched_fsync(number: int) -> None:
        if not steps:
            assert os.fstat(number).st_size == len(SAMPLE.encode())  # nothing waits in the program's own memory
        steps.append("fsync")
        fsync(number)

    def watched_replace(source: str, target: str) -> None:
        steps.append("replace")
        assert os.path.dirname(source) == os.path.dirname(target) == os.path.realpath(tmp_path)
        with open(source, "rb") as file:
            assert file.read() == SAMPLE.encode()
        with open(path, "rb") as file:
            assert file.read() == b"old"
        replace(source, target)
    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "replace", watched_replace)
    Game.from_text(SAMPLE).save(path)
    assert steps == ["fsync", "replace"] + ([] if sys.platform == "win32" else ["fsync"])  # the folder at last


@pytest.mark.skipif(sys.platform == "win32", reason="Windows opens no folders")
def test_a_folder_that_was_opened_to_be_flushed_is_closed_again(
        tmp_path: "os.PathLike[str]", monkeypatch: pytest.MonkeyPatch) -> None:
    open_it, numbers = os.open, []

    def watched_open(path: str, *arguments: Any, **named: Any) -> int:
        number = open_it(path, *arguments, **named)
        numbers.extend([number] if os.path.isdir(path) else [])
        return number
    monkeypatch.setattr(os, "open", watched_open)
    Game.from_text(SAMPLE).save(os.path.join(tmp_path, "x.agon"))
    assert len(numbers) == 1
    with pytest.raises(OSError):
        os.fstat(numbers[0])


def test_saving_through_a_link_keeps_the_link(tmp_path: "os.PathLike[str]") -> None:
    path, link = write(tmp_path, b"old"), os.path.join(tmp_path, "link.agon")
    make_link(path, link)
    Game().save(link)
    assert os.path.islink(link)
    assert Game.load(path).moves == ()


def test_characters_that_utf_8_cannot_hold_do_not_stop_a_save(tmp_path: "os.PathLike[str]") -> None:
    path = os.path.join(tmp_path, "game.agon")
    Game(headers={"White": "A\ud800da"}).save(path)
    assert Game.load(path).headers == {"White": "A?da"}
    agon_core.write_safely(path, "\ud800")
    assert agon_core.read_text(path) == "?"


# --- lessons ---------------------------------------------------------------------

#: A goal, a position, the moves that reach it, and moves that do not.
GOAL_EXAMPLES = [
    ("inwards", START_TEXT + " w", "b1-c2 f1-f2", "b1-c1 a5-a4"),
    ("inwards", "Qf1 e5 / Qf11 e4 e6 w", "", "e5-a1"),
    ("inwards_guard", START_TEXT + " w", "b1-c2 a5-b5", "f1-f2 b1-c1"),
    ("along", START_TEXT + " w", "b1-c1 f1-g1", "b1-c2"),
    ("along", "Qf1 e5 / Qf11 e4 e6 w", "", "e5-a1"),
    ("throne", "Qf5 / Qf11 w", "f5-f6", "f5-g5"),
    ("trap", "Qf2 d4 c5 h4 / Qf10 d5 g8 w", "d4-e5", "h4-h5"),
    ("trap", "Qf1 e5 d1 / Qf11 e4 e6 c1 w", "e5-b1", "e5-a1"),
    ("trap_two", "Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w", "c4-d4", "a5-b5"),
    ("trap_two", "Qf2 d4 c5 h4 / Qf10 d5 g8 w", "", "d4-e5"),
    ("trap_queen", "Qf2 d4 c5 h4 / Qd5 f10 g8 w", "d4-e5", "h4-h5"),
    ("trap_queen", "Qf2 d4 c5 h4 / Qf10 d5 g8 w", "", "d4-e5"),
    ("relocate", "Qf1 e5 / Qf11 e4 e6 w", "e5-a1", ""),
    ("relocate", START_TEXT + " w", "", "b1-c2"),
    ("relocate_near", "Qe5 / Qf11 e4 e6 w", "e5-e7 e5-f7 e5-g6", "e5-e8 e5-a1"),
    ("relocate_near", "Qf2 / Qf11 w", "", "f2-f3"),
    ("block", "Qf1 e5 h4 / Qf6 f5 w", "h4-g5", "h4-h5"),
    ("exception", "Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w", "c4-d4", "c4-c5 a5-b5"),
    ("relocate_trap", "Qf2 e5 a4 / Qf10 e4 e6 a3 g8 w", "e5-a2", "e5-a1 e5-b1"),
    ("relocate_trap", "Qf2 d4 c5 h4 / Qf10 d5 g8 w", "", "c5-d6"),  # a trap, but no relocation
    ("safe", "Qf1 e5 / Qf11 e6 d3 w", "e5-f5", "f1-e1 f1-f2"),
    ("safe", "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 w", "h5-g6 h5-h6", ""),  # the first one wins
    ("hold", "Qf9 h6 / Qf6 e5 e6 f5 f7 g5 g7 w", "f9-f8", "f9-e8 h6-h5"),
    ("win", "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 w", "h5-g6", "h5-h6"),
    ("win", "Qf4 e5 e6 f5 f7 g5 h5 / Qf11 w", "", "h5-g6"),
    ("home", "Qf6 e5 h5 / Qf11 w", "h5-g5 h5-g6", "e5-f5 h5-h4"), ("home", "Qf5 e5 / Qf11 w", "f5-f6", "e5-e6"),
    ("home", "e5 h5 / Qf11 w", "", "h5-g5")]  # without a queen nobody is at home


@pytest.mark.parametrize("goal, start, reached, missed", GOAL_EXAMPLES)
def test_a_goal_is_reached_by_what_it_asks_for_and_by_nothing_else(
        goal: str, start: str, reached: str, missed: str) -> None:
    for move in reached.split():
        assert agon_core.is_goal_reached(goal, played(move, start)), move
    for move in missed.split():
        assert not agon_core.is_goal_reached(goal, played(move, start)), move
    assert not agon_core.is_goal_reached(goal, Game(pos(start)))


def test_a_refused_try_reaches_the_goal_of_that_name_alone() -> None:
    game = played("b1-c2")
    assert agon_core.is_goal_reached("refused_outwards", game, Refusal.OUTWARDS)
    assert not agon_core.is_goal_reached("refused_outwards", game, Refusal.TAKEN)
    assert not agon_core.is_goal_reached("refused_outwards", game)
    assert not agon_core.is_goal_reached("inwards", game, Refusal.OUTWARDS)


def test_every_goal_has_an_example_here() -> None:
    assert {example[0] for example in GOAL_EXAMPLES} == {goal for goal in agon_core.GOALS if "refused_" not in goal}
    assert {f"refused_{refusal.name.lower()}" for refusal in Refusal} < set(agon_core.GOALS)


def test_the_moves_that_reach_a_goal_are_found_without_touching_the_game() -> None:
    game = Game(pos("Qf2 d4 c5 h4 / Qf10 d5 g8 w"))
    before = state(game)
    assert sorted(map(str, agon_core.moves_that_reach("trap", game))) == ["c5-d6", "d4-e5"]
    assert agon_core.moves_that_reach("refused_taken", game) == []
    assert state(game) == before


PAGE = """\
[Kind "tour"]
[Title.de "Titel"]
[Title.en "Title"]
[Text.de "Worte"]
[Text.en "Words"]
[Task.de "Zieh!"]
[Task.en "Move!"]
[Goal "refused_outwards relocate relocate"]
[Reply "k1-k2"]
[Position "Qf1 b7 d3 d5 h1 k7 l2 / Qf11 a5 d2 d4 d6 k1 l5 w"]
[Picture "lines"]
[Praise.de "Gut"]
[Praise.en "Good"]
[Praise.fr "Bien"]

*
"""


def page(text: str = PAGE) -> Lesson:
    """The one page of this text."""
    return agon_core.lessons_of(agon_core.read_games(text))[0]


def test_a_page_is_read_from_its_headers() -> None:
    assert page() == Lesson(
        "tour", pos("Qf1 b7 d3 d5 h1 k7 l2 / Qf11 a5 d2 d4 d6 k1 l5 w"), ("refused_outwards", "relocate", "relocate"),
        (mv("k1-k2"),), 1, "", "lines", {"de": "Titel", "en": "Title"}, {"de": "Worte", "en": "Words"},
        {"de": "Zieh!", "en": "Move!"}, {"de": "Gut", "en": "Good", "fr": "Bien"}, {})
    puzzle = page('[Kind "puzzle"]\n[Theme "ends"]\n[Goal "win"]\n[Moves "3"]\n\n*')
    assert (puzzle.theme, puzzle.goals, puzzle.moves, puzzle.title) == ("ends", ("win",), 3, {})
    assert puzzle.solution == () and puzzle.is_line and not page().is_line


def test_the_solution_of_a_puzzle_is_one_move_or_several_or_a_line_of_play() -> None:
    text = '[Kind "puzzle"]\n[Goal "{}"]\n[Moves "{}"]\n[Solution "{}"]\n\n*'
    assert page(text.format("win", 2, "a5-b5 f11-f10")).solution == (mv("a5-b5"), mv("f11-f10"))
    for goal, moves in (("trap", 1), ("win", 1), ("hold", 2)):
        lesson = page(text.format(goal, moves, "a5-b5 f1-f2"))
        assert lesson.solution == (mv("a5-b5"), mv("f1-f2")) and not lesson.is_line
        error = pytest.raises(AgonError, page, text.format(goal, moves, "a5-b5 f11-f10")).value
        assert (error.line, error.details["token"]) == (4, "f11-f10")
    assert pytest.raises(AgonError, page, text.format("trap", 1, "a5b5")).value.line == 4


@pytest.mark.parametrize("old, new, line, token", [
    ('[Kind "tour"]', '[Sort "tour"]', 1, "Kind"), ('"tour"', '"trip"', 1, "trip"),
    ('[Title.de "Titel"]', "{ none }", 3, "Title.de"), ('[Title.en "Title"]', "{ none }", 2, "Title.en"),
    ('[Text.de "Worte"]\n[Text.en "Words"]', "{ no\nne }", 1, "Text.de"),
    ('[Task.de "Zieh!"]\n[Task.en "Move!"]', "{ no\nne }", 1, "Task.de"),
    ("outwards", "outward", 8, "refused_outward"), ("k1-k2", "k1k2", 9, "k1k2"),
    ("k1-k2", "k1-k2 k2-k3", 9, "k1-k2 k2-k3"), ("lines", 'lines"]\n[Moves "0', 12, "0"),
    ("lines", 'lines"]\n[Moves "two', 12, "two"), ("lines", 'lines"]\n[Moves "100', 12, "100"),
    ('[Praise.en "Good"]', "{ none }", 12, "Praise.en"), (" / Qf11", "", 10, "a5")])
def test_a_page_with_something_missing_or_wrong_is_refused_with_line_and_header(
        old: str, new: str, line: int, token: str) -> None:
    assert PAGE.count(old) == 1
    error = pytest.raises(AgonError, page, PAGE.replace(old, new)).value
    assert (error.line, error.details["token"]) == (line, token) and token in str(error)


@pytest.mark.parametrize("text, missing", [
    ('[Kind "puzzle"]\n\n*', "Goal"), ('[Kind "theme"]\n[Title.de "T"]\n[Title.en "T"]\n\n*', "Theme"),
    ('[Kind "theme"]\n[Theme "T"]\n\n*', "Title.de"), ('[Kind "rules"]\n[Text.de "T"]\n[Text.en "T"]\n\n*', "Title.de"),
    ("a5-b5", "Kind")])
def test_each_kind_of_page_needs_its_headers(text: str, missing: str) -> None:
    error = pytest.raises(AgonError, page, text).value
    assert (error.code, error.details["token"]) == ("missing_header", missing)


def test_a_page_without_goals_is_there_to_be_read() -> None:
    lesson = page(re.sub(r"\[(Goal|Reply|Task).*\n", "", PAGE))
    assert lesson.goals == () and lesson.task == {}


def test_an_error_in_a_file_of_pages_names_the_file(tmp_path: "os.PathLike[str]") -> None:
    assert agon_core.load_lessons(write(tmp_path, PAGE.encode())) == [page()]
    path = write(tmp_path, PAGE.replace("tour", "trip").encode())
    assert str(pytest.raises(AgonError, agon_core.load_lessons, path).value).startswith(f'{path}: line 1: "trip"')


def test_the_other_side_answers_as_the_page_says_or_otherwise_if_it_must() -> None:
    lesson = page()
    game = Game(lesson.start)
    assert lesson.answer(0, game) is None  # a refused try is no move
    game.play(mv("d5-a1"))
    assert lesson.answer(1, game) == mv("k1-k2")
    game.undo()
    game.play(mv("d5-d1"))  # traps d2
    answer = lesson.answer(1, game)
    assert answer in game.legal_moves() and answer != mv("k1-k2")
    assert page(PAGE.replace('[Reply "k1-k2"]', "")).answer(1, game) is None


def test_another_answer_keeps_the_next_goal_within_reach_if_it_can() -> None:
    lesson = page(PAGE.replace("relocate relocate", "inwards trap")
                  .replace("Qf1 b7 d3 d5 h1 k7 l2 / Qf11 a5 d2 d4 d6 k1 l5 w", "Qf2 d4 c5 h4 / Qf10 d5 g8 w"))
    game = played("h4-g5", str(lesson.start))
    answer = lesson.answer(1, game)
    assert answer is not None and answer.source != parse_cell("d5")
    game.play(answer)
    assert agon_core.moves_that_reach("trap", game)


def test_who_holds_out_keeps_the_other_side_from_winning_in_so_many_moves() -> None:
    start = pos("Qf6 d5 e6 e7 f5 g5 g6 / Qh6 d4 d7 f4 g8 h4 i6 b")  # White threatens to win in two moves
    assert ForcedWins().can_win(start.with_turn(WHITE), 2) and not ForcedWins().can_win(start.with_turn(WHITE), 1)
    assert len(agon_core.moves_that_reach("hold", Game(start), 1)) == len(start.legal_moves())
    held = agon_core.moves_that_reach("hold", Game(start), 2)
    assert held == ForcedWins().defences(start, 2) and 0 < len(held) < len(start.legal_moves())


# -- small games --

def small(goal: str, position: str, moves: int = 0, rival: str = "", **headers: object) -> Lesson:
    """A small game."""
    texts = {f"{name}_{language}": f"{name} {language}" for name in ("Title", "Task") for language in ("de", "en")}
    more = {**({"Moves": moves} if moves else {}), **({"Rival": rival} if rival else {})}
    return page(leaf(Kind="game", Goal=goal, Position=position, **texts, **more, **headers))


#: A small game (goal, position, moves, rival), moves played, and how it stands then: reached, rival, moves, is_won.
SMALL_GAMES: List[Tuple[Tuple[Any, ...], str, Tuple[Any, ...]]] = [
    (("throne", "Qf4 / Qf11 w", 2), "", (0, 0, 0, None)),
    (("throne", "Qf4 / Qf11 w", 2), "f4-f5", (0, 0, 1, None)),
    (("throne", "Qf4 / Qf11 w", 2), "f4-f5 f11-f10", (0, 0, 1, None)),
    (("throne", "Qf4 / Qf11 w", 2), "f4-f5 f11-f10 f5-f6", (1, 0, 2, True)),
    (("throne", "Qf4 / Qf11 w", 2), "f4-f5 f11-f10 f5-g5", (0, 0, 2, False)),  # the moves are used up
    (("throne", "Qf5 / Qf7 w", 0, "throne"), "f5-g5 f7-f6", (0, 1, 1, False)),  # the other one was faster
    (("throne", "Qf10 / Qf5 b"), "f5-f6", (1, 0, 1, True)),  # Black is the player who begins
    (("along inwards", "Qf4 / Qf11 w"), "f4-e4", (1, 0, 1, None)),  # one goal after the other
    (("along inwards", "Qf4 / Qf11 w"), "f4-f5", (0, 0, 1, None)),
    (("along inwards", "Qf4 / Qf11 w"), "f4-e4 f11-f10 e4-e5", (2, 0, 2, True)),
    (("inwards inwards", "Qf4 / Qf11 w", 0, "inwards inwards"), "f4-e4 f11-f10 e4-d4 f10-f9", (0, 2, 2, False)),
    (("hold", "Qf3 / Qf8 w", 2, "throne"), "f3-f4 f8-f7 f4-f5", (0, 0, 2, None)),  # Black has a move left
    (("hold", "Qf3 / Qf8 w", 2, "throne"), "f3-f4 f8-f7 f4-f5 f7-f6", (0, 1, 2, False)),
    (("hold", "Qf3 / Qf8 w", 2, "throne"), "f3-f4 f8-f7 f4-f5 f7-e6", (0, 0, 2, True)),
    (("trap", "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 w"), "h5-g6", (0, 0, 1, True)),  # who wins the whole game has won
    (("trap", "Qf10 / Qf6 e5 e6 f5 f7 g5 h5 w"), "f10-f9 h5-g6", (0, 0, 1, False)),
    (("trap", "Qf6 / Qf11 w"), "-- f11-f10", (0, 0, 1, None)),  # a pass is a move
]


@pytest.mark.parametrize("game, moves, expected", SMALL_GAMES)
def test_a_small_game_is_won_by_who_reaches_its_goals_first(
        game: Tuple[Any, ...], moves: str, expected: Tuple[Any, ...]) -> None:
    lesson = small(*game)
    assert tuple(agon_core.standing(lesson, played(moves, str(lesson.start)))) == expected


def test_a_small_game_that_ends_in_a_draw_is_missed_but_to_hold_out_that_is_enough() -> None:
    back_and_forth = "f5-g5 f7-e6 g5-f5 e6-f7 f5-g5 f7-e6 g5-f5 e6-f7"
    for goal, more, is_won in (("throne", (), False), ("hold", (9, "throne"), True)):
        lesson = small(goal, "Qf5 / Qf7 w", *more)
        assert agon_core.standing(lesson, played(back_and_forth, str(lesson.start))).is_won is is_won


def test_a_small_game_has_headers_of_its_own() -> None:
    lesson = small("trap throne", "Qf4 d4 / Qf11 b", 7, "throne", Level=3, Solution="f11-f10 f4-f5")
    assert (lesson.kind, lesson.goals, lesson.rival, lesson.moves, lesson.level) == (
        "game", ("trap", "throne"), ("throne",), 7, 3)
    assert lesson.solution == (mv("f11-f10"), mv("f4-f5")) and lesson.is_line and not lesson.is_to_hold
    lesson = small("throne", "Qf4 / Qf11 w")
    assert (lesson.moves, lesson.level, lesson.rival) == (0, 0, ()) and lesson.title == {"de": "Title de", "en": "Title en"}
    assert small("hold", "Qf4 / Qf11 w", 3, "throne").is_to_hold


@pytest.mark.parametrize("values, code", [
    (("hold", "Qf4 / Qf11 w", 3), "bad_hold"), (("hold", "Qf4 / Qf11 w", 0, "throne"), "bad_hold"),
    (("throne hold", "Qf4 / Qf11 w", 3, "throne"), "bad_hold"), (("throne", "Qf4 / w"), "no_small_game"),
    (("throne", "/ Qf11 w"), "no_small_game"), (("throne", "Qf4 / Qf11 w", 0, "thrones"), "bad_goal"),
    (("trap", "Qf6 e5 e6 f5 f7 g5 g6 / Qf11 b"), "no_small_game")])
def test_a_small_game_that_nobody_could_play_or_end_is_refused(values: Tuple[Any, ...], code: str) -> None:
    error = pytest.raises(AgonError, small, *values).value
    assert error.code == code and error.line is not None and error.line > 1
    assert pytest.raises(AgonError, small, "throne", "Qf4 / Qf11 w", Level="x").value.code == "bad_number"


def test_a_move_that_forces_the_goal_of_a_small_game_is_found_without_touching_the_game() -> None:
    lesson = small("throne", "Qf4 / Qf11 w", 9)
    game = Game(lesson.start)
    assert agon_core.forcing_moves(lesson, game, 1) == [] and state(game) == state(Game(lesson.start))
    assert sorted(map(str, agon_core.forcing_moves(lesson, game, 2))) == ["f4-f5"]
    race = small("throne", "Qf4 / Qf7 w", 9, "throne")  # Black is on the throne before
    assert agon_core.forcing_moves(race, Game(race.start), 2) == []
    held = small("hold", "Qf9 / Qf5 e5 w", 1, "throne")
    assert agon_core.forcing_moves(held, Game(held.start), 1) == []
    held = small("hold", "Qf9 / Qf4 e5 w", 1, "throne")
    assert len(agon_core.forcing_moves(held, Game(held.start), 1)) == len(held.start.legal_moves())


# --- forced wins -----------------------------------------------------------------

def wins_by_trying(position: Position, moves: int) -> bool:
    """Whether the side to move can win in so many moves, found by trying everything, without any short cut."""
    for move in position.legal_moves() if moves else ():
        following = position.play(move)
        outcome = following.outcome()
        if outcome and outcome.winner == position.turn:
            return True
        replies = [] if outcome else [following.play(reply) for reply in following.legal_moves()]
        if replies and all(reply.outcome().winner == position.turn if reply.outcome() else
                           wins_by_trying(reply, moves - 1) for reply in replies):
            return True
    return False


@pytest.mark.parametrize("text, moves", [
    ("Qf6 d5 e6 e7 f5 g5 g6 / Qh6 d4 d7 f4 g8 h4 i6 w", 2), ("Qf6 e5 e6 f5 f7 g6 i5 / Qf4 a4 e9 f9 h8 k1 k5 w", 2),
    ("Qe4 d4 e3 f8 g7 h5 i6 / Qf6 c6 e5 f5 f7 g5 g6 b", 2), ("Qe5 d4 e6 f7 g6 / Qf6 w", 0),
    ("Qf5 e5 e6 e4 f7 g5 g6 / Qf6 e7 w", 0)])
def test_a_forced_win_is_what_trying_everything_finds(text: str, moves: int) -> None:
    for turn in (WHITE, BLACK):
        start = pos(text).with_turn(turn)
        for most in (1, 2):
            assert ForcedWins().can_win(start, most) == wins_by_trying(start, most)
    assert (ForcedWins().shortest(pos(text), 2) or 0) == moves


def test_a_win_with_one_move_is_a_step_into_the_last_gap_round_the_queen() -> None:
    rng, won = random.Random(8), collections.Counter()
    for _ in range(400):
        ring = set(agon_core.cells_of(agon_core.INNER))
        gap = rng.choice(sorted(ring))
        guards = ring - {gap} | {rng.choice(agon_core.NEIGHBOURS[gap])} - {THRONE}
        if rng.random() < 0.2:
            guards = guards - {rng.choice(sorted(guards))}
        queen = THRONE if rng.random() < 0.9 else rng.choice(sorted(set(CELLS) - guards))
        enemies = rng.sample(sorted(set(CELLS) - guards - {queen}), rng.randint(1, 7))
        own, enemy = agon_core.bits([*guards, queen]), agon_core.bits(enemies)
        rules = Rules(*(rng.random() < 0.2 for _ in Rules._fields))
        position = Position(own, enemy, 1 << queen | 1 << enemies[0], WHITE)
        if not position.outcome(rules):
            endings = [position.play(move, rules).outcome(rules) for move in position.legal_moves(rules)]
            can_win = any(ending and ending.winner == WHITE for ending in endings)
            assert agon_core.wins_at_once(*position[:3], rules) == can_win, f"{position} {rules}"
            won[can_win] += 1
    assert min(won[True], won[False]) > 80


def test_no_side_wins_faster_than_its_pieces_can_walk() -> None:
    for text, moves in (("Qf6 e5 e6 f5 f7 g5 g6 / Qf9 w", 0), ("Qf5 e5 e6 e7 f7 g5 g6 / Qf9 w", 2),
                        ("Qf1 a5 b1 d9 h9 k1 l5 / Qf9 w", 6 * 4 + 2)):
        assert agon_core.moves_to_go(*pos(text)[:3:2]) == moves


def test_a_won_line_of_play_is_won_in_time_and_as_long_as_the_defence_can_make_it() -> None:
    start = pos("Qf6 d5 e6 e7 f5 g5 g6 / Qh6 d4 d7 f4 g8 h4 i6 w")
    wins = ForcedWins()
    line = wins.line(start, 2)
    game = Game(start)
    for move in line:
        game.play(move)
    assert len(line) == 3 and game.outcome().winner == WHITE and wins.winning_moves(start, 2) == [line[0]]
    assert wins.winning_moves(start, 1) == []


def test_a_proof_counts_the_positions_it_has_looked_at() -> None:
    """The winner's, each once however often it is met, and one for each defence that has been tried."""
    ahead, wins = pos("Qf6 e5 e6 e4 f7 g5 g6 / Qf9 b3 w"), ForcedWins()
    for _ in range(2):
        assert wins.can_win(ahead, 1) and wins.nodes == 1
    defended: List[Any] = []

    class Watched(ForcedWins):
        def _holds_after(self, *values: Any) -> bool:
            defended.append(values)
            return super()._holds_after(*values)
    wins = Watched()
    assert wins.can_win(pos("Qf6 d5 e6 e7 f5 g5 g6 / Qh6 d4 d7 f4 g8 h4 i6 w"), 2)
    assert wins.nodes == len(wins._known) + len(defended) > 10


def test_six_guards_round_an_empty_throne_win_nothing() -> None:
    start = pos("Qf4 e5 e6 e4 f7 g5 g6 / Qf9 b3 w")
    closing = [move for move in start.legal_moves() if start.play(move).outcome()]
    assert closing and not ForcedWins().can_win(start, 1)
    enemy = pos("Qf4 e5 e6 e4 f7 g5 g6 / Qf9 b3 b")
    assert not ForcedWins().can_win(enemy, 1)  # White need not close it


# --- the classroom ---------------------------------------------------------------

CLASSROOM = os.path.join(HERE, "classroom")


def lessons(name: str) -> List[Lesson]:
    """The pages of a file of the classroom."""
    return agon_core.load_lessons(os.path.join(CLASSROOM, name))


def classroom_files() -> List[str]:
    return sorted(name for name in os.listdir(CLASSROOM) if name.endswith(".agon"))


def test_the_classroom_has_a_tour_puzzles_and_rules() -> None:
    kinds = {name: collections.Counter(lesson.kind for lesson in lessons(name)) for name in classroom_files()}
    assert kinds["tour.agon"] == {"tour": 14}
    assert kinds["puzzles.agon"]["puzzle"] >= 120 and set(kinds["puzzles.agon"]) == {"puzzle", "theme"}
    assert set(kinds["rules.agon"]) == {"rules"}
    assert set(kinds["trees.agon"]) == {"tree"} and kinds["games.agon"] == {"game": 9}


@pytest.mark.parametrize("name", classroom_files())
def test_every_text_of_the_classroom_is_there_in_both_languages_and_fits_its_page(name: str) -> None:
    for lesson in lessons(name):
        for texts in (lesson.title, lesson.text, lesson.task, lesson.praise, lesson.wrong):
            assert set(texts) in (set(), {"de", "en"})
            assert all(text == " ".join(text.split()) and len(text) < 600 for text in texts.values()), texts
            assert not texts or texts["de"] != texts["en"]
        assert lesson.theme or lesson.kind in ("tour", "rules", "tree", "game")
    titles = [lesson.title["de"] for lesson in lessons(name) if lesson.title]
    assert len(set(titles)) == len(titles)


def test_every_page_of_the_tour_is_a_running_game_of_white() -> None:
    for lesson in lessons("tour.agon"):
        assert lesson.start.turn == WHITE and Game(lesson.start).outcome() is None
        assert bool(lesson.goals) == bool(lesson.task)
        assert bool(lesson.goals) == (lesson != lessons("tour.agon")[-1])


@pytest.mark.parametrize("lesson", lessons("trees.agon"), ids=lambda lesson: lesson.title["en"])
def test_the_trees_of_the_classroom_are_small_enough_for_a_projector(lesson: Lesson) -> None:
    nodes = 1 + sum(agon_core.perft(lesson.start, plies) for plies in range(1, lesson.moves + 1))
    assert 3 <= nodes <= 40 and lesson.moves in agon.Theatre.DEPTHS
    assert lesson.start.outcome() is None and lesson.start.trapped() == []
    assert max(len(text) for text in lesson.text.values()) < 160


@pytest.mark.parametrize("lesson", lessons("games.agon"), ids=lambda lesson: lesson.title["en"])
def test_each_small_game_is_legal_and_its_goal_is_reached_in_the_game_that_the_file_tells(lesson: Lesson) -> None:
    game = Game(lesson.start)
    assert game.outcome() is None and not game.start.trapped() and not game.start.with_turn(1 - game.start.turn).trapped()
    assert 1 <= lesson.level <= 4 and all((lesson.text, lesson.task, lesson.praise, lesson.wrong))
    assert agon_core.forcing_moves(lesson, game, 1) == []  # no move ends it at once
    for move in lesson.solution:
        assert agon_core.standing(lesson, game).is_won is None
        game.play(move)
    assert agon_core.standing(lesson, game).is_won is True
    if lesson.moves:
        assert re.search(rf"\b{lesson.moves}\b", lesson.task["de"]) and re.search(rf"\b{lesson.moves}\b", lesson.task["en"])


def test_the_goals_of_the_short_small_games_can_be_forced_against_every_defence() -> None:
    forced = {lesson.title["en"]: [str(move) for move in agon_core.forcing_moves(lesson, Game(lesson.start), moves)]
              for lesson, moves in zip((lesson for lesson in lessons("games.agon") if lesson.moves == 6), (3, 2))}
    assert forced == {"The way to the throne": ["f3-f4"], "Off the throne": ["h4-g5", "h4-h5", "e5-e6"]}


def follow_hints(lesson: Lesson, seed: int) -> bool:
    """Whether a player who follows the window's hints reaches the goal against the level that is proposed."""
    game = Game(lesson.start)
    while agon_core.standing(lesson, game).is_won is None:
        legal = game.legal_moves()
        if len(legal) == 1:
            game.play(legal[0])
        elif game.position.turn != lesson.start.turn:
            game.play(agon_ai.choose(game, lesson.level, seed=seed).move)
        else:
            forcing = [move for moves in (1, 2) for move in agon_core.forcing_moves(lesson, game, moves)]
            game.play((forcing or [agon_ai.search(game, depth=4, nodes=20_000).move])[0])
    return bool(agon_core.standing(lesson, game).is_won)


@takes_long
def test_whoever_follows_the_hints_reaches_the_goals_of_most_small_games() -> None:
    for lesson in lessons("games.agon"):
        reached = filter(None, (follow_hints(lesson, seed) for seed in range(6)))
        assert len(list(itertools.islice(reached, 3))) == 3, lesson.title["en"]


def refused_tries(goal: str, game: Game) -> List[Move]:
    """The moves whose refusal is what a goal asks for."""
    tries = [Move(source, target) for source in agon_core.cells_of(game.position.own) for target in CELLS]
    return [move for move in tries if agon_core.is_goal_reached(goal, game, game.refusal(move) or Refusal.NO_PASS)]


def ways_through(lesson: Lesson, step: int, game: Game) -> int:
    """Try every way through a page from one of its goals on; how many ways there are."""
    if step == len(lesson.goals):
        return 1
    goal = lesson.goals[step]
    if goal.startswith("refused_"):
        assert refused_tries(goal, game), f"{lesson.title} {goal}"
        return ways_through(lesson, step + 1, game)
    good = agon_core.moves_that_reach(goal, game)
    assert good, f"{lesson.title}: no move reaches {goal} in {game.position}"
    assert goal == "relocate" or len(good) < len(game.legal_moves()), f"{lesson.title}: no move misses {goal}"
    ways = 0
    for move in good:
        following = game.branch()
        following.play(move)
        if step + 1 < len(lesson.goals):
            answer = lesson.answer(step, following)
            if answer is None:
                following = Game(following.position.with_turn(WHITE))
            else:
                following.play(answer)
        ways += ways_through(lesson, step + 1, following)
    return ways


def test_every_right_first_answer_leads_to_the_end_of_its_page() -> None:
    ways = {lesson.title["en"]: ways_through(lesson, 0, Game(lesson.start)) for lesson in lessons("tour.agon")}
    assert ways["Trapping"] == 2 and ways["The exception"] == 1  # as their tasks say
    assert ways["Several trapped"] > 400


def test_the_moves_that_the_tour_names_are_those_it_asks_for() -> None:
    by_title = {lesson.title["en"]: lesson for lesson in lessons("tour.agon")}
    for title, move in (("The throne", "e5-f6"), ("Self-enclosure", "c4-d4"), ("Nor by a relocation", "e5-a3")):
        lesson = by_title[title]
        assert mv(move) in refused_tries(lesson.goals[0], Game(lesson.start))
    passing = by_title["Passing and draws"]
    assert str(agon_core.moves_that_reach("block", Game(passing.start))[0]).endswith("-g5")
    driven = by_title["Driven from the throne"]
    assert str(agon_core.moves_that_reach("trap_queen", Game(driven.start))[0]).endswith("-f7")


def test_puzzles_stand_behind_the_page_of_their_theme_and_grow_longer() -> None:
    theme, moves, seen = "", 0, set()
    for lesson in lessons("puzzles.agon"):
        if lesson.kind == "theme":
            theme, moves = lesson.theme, 0
        assert lesson.theme == theme
        if lesson.kind == "puzzle":
            assert lesson.moves >= moves and lesson.start.is_complete and lesson.start not in seen
            moves = lesson.moves
            seen.add(lesson.start)
            assert len(lesson.goals) == 1 and Game(lesson.start).outcome() is None


def puzzles_of(moves: Sequence[int]) -> List[Lesson]:
    """The puzzles of the classroom with these numbers of moves."""
    return [lesson for lesson in lessons("puzzles.agon") if lesson.kind == "puzzle" and lesson.moves in moves]


def test_the_puzzles_are_about_all_there_is_to_learn() -> None:
    themes: Dict[str, List[Lesson]] = {}
    for lesson in puzzles_of(range(1, 9)):
        themes.setdefault(lesson.theme, []).append(lesson)
    assert list(themes) == list(agon_ai.THEME_TEXTS) and all(len(found) >= 8 for found in themes.values())
    assert {lesson.moves for lesson in themes["win"]} == {1, 2, 3, 4, 5}
    assert {goal for lesson in themes["relocate"] for goal in lesson.goals} == {"relocate_trap", "safe"}
    for lesson in themes["relocate"]:
        assert lesson.start.trapped()
    for lesson in themes["save"]:
        assert agon_core.moves_that_reach("trap", Game(lesson.start.with_turn(1 - lesson.start.turn)))
    for lesson in themes["trap_queen"]:
        assert lesson.start.enemy & lesson.start.queens == agon_core.THRONE_BIT
    for lesson in themes["ring"]:
        assert lesson.start.own & lesson.start.queens == agon_core.THRONE_BIT
    for lesson in themes["hold"]:  # whoever did nothing would lose
        assert ForcedWins().can_win(lesson.start.with_turn(1 - lesson.start.turn), lesson.moves)


def test_there_are_puzzles_of_each_theme_and_length_as_many_as_are_wanted_and_were_found() -> None:
    found: Dict[str, Dict[int, int]] = {}
    for lesson in puzzles_of(range(1, 9)):
        numbers = found.setdefault(lesson.theme, {})
        numbers[lesson.moves] = numbers.get(lesson.moves, 0) + 1
    assert {theme: list(numbers) for theme, numbers in found.items()} == {
        theme: list(numbers) for theme, numbers in agon_ai.PUZZLE_THEMES.items()}
    for theme, numbers in agon_ai.PUZZLE_THEMES.items():
        assert all(2 / 3 * count <= found[theme][moves] <= count for moves, count in numbers.items()), theme


def test_no_two_puzzles_are_alike_however_the_board_is_turned() -> None:
    boards = [lesson.start for lesson in puzzles_of(range(1, 9))]
    assert max(agon_ai.likeness(first, second) for first, second in itertools.combinations(boards, 2)
               ) <= agon_ai.MOST_ALIKE < 14


def test_the_puzzles_of_a_theme_become_harder() -> None:
    before: Dict[str, int] = {}
    for lesson in puzzles_of(range(1, 6)):
        harder = agon_ai.difficulty_of(lesson.start, lesson.goals[0], lesson.moves)
        assert harder >= before.get(lesson.theme, -1000), str(lesson.start)
        before[lesson.theme] = harder


def test_each_puzzle_is_explained_and_the_explanations_speak_of_the_same_cells_in_both_languages() -> None:
    puzzles = puzzles_of(range(1, 9))
    for lesson in puzzles:
        german, english = lesson.praise["de"], lesson.praise["en"]
        assert german.endswith(".") and "{" not in german + english
        cells = [sorted(re.findall(r"\b[a-l][0-9]{1,2}\b", text)) for text in (german, english)]
        assert cells[0] == cells[1], german
        for kind, cell in re.findall(r"(guard|queen) on ([a-l][0-9]{1,2}) (?:and|now|has|had|is|at)", english):
            assert lesson.start.side_at(parse_cell(cell)) is not None, english
            assert lesson.start.is_queen(parse_cell(cell)) == (kind == "queen"), english
    texts = collections.Counter(lesson.praise["de"] for lesson in puzzles)
    assert len(texts) > 0.9 * len(puzzles) and max(texts.values()) == 2


@functools.lru_cache(maxsize=None)
def puzzles_to_win(start: Position) -> "Tuple[agon_ai.Puzzle, ...]":
    """The forced win of a position if only one move leads to it: every move and every defence has been tried."""
    return tuple(agon_ai._puzzles_to_win(start))


def test_every_solution_of_a_puzzle_is_proven_and_all_other_moves_are_wrong() -> None:
    for lesson in puzzles_of(range(1, 6)):
        start = lesson.start
        if lesson.goals == ("win",):
            (found,) = puzzles_to_win(start)
            assert found.moves == lesson.moves
            right = [mv(found.solution[0])]
        else:
            right = agon_core.moves_that_reach(lesson.goals[0], Game(start), lesson.moves)
        assert 1 <= len(right) <= 2 and len(start.legal_moves()) >= 5, str(start)
        if not lesson.is_line:
            assert set(lesson.solution) == set(right)
            continue
        assert lesson.solution[0] in right and len(lesson.solution) == 2 * lesson.moves - 1
        game = Game(start)
        for move in lesson.solution:
            game.play(move)
        outcome = game.outcome()
        assert outcome and outcome.winner == start.turn


# -- how puzzles are found --

def as_found(lesson: Lesson) -> "agon_ai.Puzzle":
    return agon_ai.Puzzle(lesson.theme, lesson.goals[0], lesson.moves, str(lesson.start), tuple(map(str, lesson.solution)))


def test_the_shipped_puzzles_are_what_is_found_in_their_positions() -> None:
    for lesson in puzzles_of(range(1, 9)):
        if lesson.theme != "hold":  # which asks the engine, too
            puzzle = as_found(lesson)
            find = puzzles_to_win if puzzle.goal == "win" else agon_ai._puzzles_of_one_move
            found = [other._replace(theme=puzzle.theme) if other.theme == "ring" else other
                     for other in find(lesson.start)]
            assert puzzle in found, puzzle


def test_only_a_solution_that_the_engine_would_play_is_worth_teaching() -> None:
    lesson = next(lesson for lesson in puzzles_of((1,)) if lesson.goals == ("trap_two",))
    assert agon_ai.is_best(as_found(lesson))
    others = [move for move in lesson.start.legal_moves() if move not in lesson.solution]
    assert not agon_ai.is_best(as_found(lesson)._replace(solution=(str(others[0]),)))


def test_a_win_is_about_the_ring_only_when_the_queen_sits_and_nothing_is_trapped() -> None:
    for text, theme in (("Qf5 e5 e6 f7 g3 g5 g6 / Qd5 c3 d7 e4 e7 h4 h6 w", "win"),
                        ("Qf6 e5 e6 f5 f7 g5 h5 / Qf11 a2 b7 d1 h1 k7 l2 w", "ring")):
        assert [puzzle.theme for puzzle in puzzles_to_win(pos(text))] == [theme]


def test_the_text_of_the_shipped_puzzles_is_what_their_positions_lead_to() -> None:
    puzzles = [as_found(lesson) for lesson in lessons("puzzles.agon") if lesson.kind == "puzzle"]
    text = agon_ai.collection_text(puzzles)
    with open(os.path.join(CLASSROOM, "puzzles.agon"), encoding="utf-8") as file:
        assert file.read() == text


def test_a_collection_goes_from_the_easiest_to_the_hardest_of_what_there_is_in_even_steps(
        monkeypatch: pytest.MonkeyPatch) -> None:
    puzzles = [as_found(lesson) for lesson in puzzles_of((2,)) if lesson.theme == "ring"]
    hard = [agon_ai.difficulty_of(pos(puzzle.position), "win", 2) for puzzle in puzzles]
    assert len(set(hard)) > 4
    monkeypatch.setattr(agon_ai, "PUZZLE_THEMES", {"ring": {2: 3}})
    taken = [agon_ai.difficulty_of(pos(puzzle.position), "win", 2) for puzzle in agon_ai.collection_of(puzzles[::-1])]
    assert taken == [min(hard), sorted(hard)[(len(hard) - 1) // 2], max(hard)]


def test_solutions_that_look_alike_are_few_in_a_collection() -> None:
    pool = [as_found(lesson) for lesson in puzzles_of((1,)) if lesson.theme == "trap_queen"]
    few, many = (collections.Counter(map(agon_ai.pattern, agon_ai._unlike_ones(pool, [], count))) for count in (11, 48))
    assert set(few) == set(many) and set(few.values()) == {2} and max(many.values()) > 3


@pytest.mark.parametrize("text, puzzles", [
    ("Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w", [("exception", "exception", 1, ("c4-d4",))]),
    (str(Position.start()), []),
    ("Qf6 e5 e6 f5 f7 g5 h5 / Qf11 a2 b7 d1 h1 k7 l2 w", [("ring", "win", 1, ("h5-g6",))]),
    ("Qf6 e5 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 b", [])])
def test_a_position_is_looked_at_for_everything_a_puzzle_can_be_about(text: str, puzzles: Sequence[Any]) -> None:
    found = [puzzle for puzzle in agon_ai.puzzles_in(pos(text)) if puzzle.goal not in ("safe", "trap")]
    assert [(puzzle.theme, puzzle.goal, puzzle.moves, puzzle.solution) for puzzle in found] == puzzles


def test_a_board_turned_or_mirrored_or_with_colours_changed_is_alike() -> None:
    board = pos("Qe5 b5 d4 f8 g4 g5 i3 / Qg6 a5 d2 e6 f9 g3 g7 w")
    for way in agon_ai._turnings():
        own, enemy, queens = (agon_core.bits([way[cell] for cell in agon_core.cells_of(part)]) for part in board[:3])
        for turn in (WHITE, BLACK):
            assert agon_ai.likeness(board, Position(own, enemy, queens, turn)) == 14
    assert len(set(tuple(way.items()) for way in agon_ai._turnings())) == 12
    assert agon_ai.likeness(board, Position.start()) < 7


@pytest.mark.parametrize("goal, moves, position, solution, german, english", [
    ("exception", 1, "Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w", "c4-d4",
     "d2, d3, d4, d5, d6 in einer Linie: Der Stein in der Mitte schließt beide ein.",
     "d2, d3, d4, d5, d6 in one line: the piece in the middle traps both."),
    ("trap_queen", 1, "Qf2 f5 e7 h4 / Qf6 d7 g8 w", "e7-f7",
     "Der Thron allein schützt nicht: Zwischen f7 und f5 muss die Königin herunter.",
     "The throne alone is no shelter: between f7 and f5 the queen must leave it."),
    ("win", 1, "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 a2 b7 d1 h1 k7 l2 w", "h5-g6",
     "Die Wache auf f7 hätte g6 auch erreicht, aber auf f7 eine neue Lücke gelassen.", None),
    ("relocate_trap", 1, "Qf2 e5 a4 / Qf10 e4 e6 a3 g8 w", "e5-a2",
     "Umsetzen kann auch angreifen: Auf a2 schließt dein Stein mit dem auf a4 sofort die Wache auf a3 ein.", None),
    ("hold", 1, "Qf9 h6 / Qf6 e5 e6 f5 f7 g5 g7 w", "f9-f8",
     "Die Wache auf g7 muss jetzt auf den Außenring, und zum Gewinn fehlt Schwarz wieder mehr als ein Zug.", None),
])
def test_a_solution_is_explained_from_its_position(
        goal: str, moves: int, position: str, solution: str, german: str, english: Optional[str]) -> None:
    found = agon_ai.Explanations().sentence(agon_ai.Puzzle("theme", goal, moves, position, (solution,)))
    assert found[0] == german and english in (None, found[1])


@pytest.mark.parametrize("goal, moves, position, solution, sentence", [
    ("trap_queen", 1, "Qf6 d1 e6 f5 g5 g8 i6 / Qd6 e5 e8 f3 g7 h5 i5 b", "g7-g6 h5-g6",
     "White had three guards at the throne already; without the queen they are of no use."),
    ("trap_queen", 1, "Qf6 d1 e6 f5 g8 i6 / Qd6 e5 e8 f3 g7 h5 i5 b", "g7-g6 h5-g6", None),
    ("hold", 2, "Qh1 e5 h6 c2 f8 h2 k5 / Qf6 e6 f5 f7 g5 e8 h9 w", "h6-g6",
     "The queen on f6 must be relocated, and without the queen on the throne Black does not win."),
    ("hold", 2, "Qh5 h3 c2 f8 h2 k5 f9 / Qf6 e5 g5 e6 g6 f5 e8 w", "f8-f7",
     "Black still lacked a guard on f7 at the throne; now your piece stands there."),
    ("hold", 1, "Qh4 d4 d5 d7 e4 f8 g4 / Qf6 e5 e6 e7 f5 g5 g6 w", "d7-d6 d5-d6",
     "After d7-d6 Black cannot win at once; nearly everything else loses."),
])
def test_what_can_be_said_of_a_solution_depends_on_who_stands_at_the_throne(
        goal: str, moves: int, position: str, solution: str, sentence: Optional[str]) -> None:
    puzzle = agon_ai.Puzzle("theme", goal, moves, position, tuple(solution.split()))
    explanations = agon_ai.Explanations()
    said = [explanations.sentence(puzzle)[1] for _ in range(6)]
    assert sentence in said if sentence else not any("guards" in text for text in said)


def test_what_has_been_said_is_said_otherwise_the_next_time() -> None:
    explanations = agon_ai.Explanations()
    puzzle = agon_ai.Puzzle("exception", "exception", 1, "Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w", ("c4-d4",))
    assert len({explanations.sentence(puzzle) for _ in range(3)}) == 3


def test_a_game_in_which_puzzles_are_looked_for_is_the_same_every_time(monkeypatch: Any) -> None:
    monkeypatch.setattr(agon_ai, "PUZZLE_NODES", (5, 20))
    monkeypatch.setattr(agon_ai, "LONGEST_PUZZLE_GAME", 14)
    games = [agon_ai.puzzle_game(seed, number).moves for seed, number in ((1, 1), (1, 1), (1, 2), (2, 1))]
    assert games[0] == games[1] and len(set(games)) == 3 and len(games[0]) == 14


def test_the_search_for_puzzles_goes_on_where_it_was_stopped_and_writes_a_collection(
        tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    ring = next(as_found(lesson) for lesson in lessons("puzzles.agon") if lesson.theme == "ring" and lesson.moves == 2)
    played: List[int] = []

    def of_game(_seed: int, number: int) -> Tuple[int, List[Any]]:
        played.append(number)
        return number, [ring] if number == 2 else []

    monkeypatch.setattr(agon_ai, "_puzzles_of_game", of_game)
    found, out = tmp_path / "found.jsonl", tmp_path / "out.agon"
    command = ["puzzles", str(out), "--games", "3", "--jobs", "1", "--found", str(found)]
    assert agon_ai.main(command) == 0 and played == [1, 2, 3]
    assert "1 puzzles in" in capsys.readouterr().out
    found.write_text(found.read_text("utf-8") + '[1, 4, [["cut o', "utf-8")
    assert agon_ai.main([*command[:3], "4", *command[4:]]) == 0 and played == [1, 2, 3, 4]
    written = [lesson for lesson in agon_core.load_lessons(str(out)) if lesson.kind == "puzzle"]
    assert [as_found(lesson) for lesson in written] == [ring]


def test_the_readme_of_the_classroom_names_every_header_and_every_goal() -> None:
    with open(os.path.join(CLASSROOM, "README.txt"), encoding="utf-8") as file:
        german, english = file.read().split("ENGLISH")
    for part in (german, english):
        for word in (*agon_core.KINDS, "Kind", "Title", "Text", "Task", "Praise", "Wrong", "Goal", "Reply", "Moves", "Solution",
                     "Rival", "Level", "Theme", "Picture", "Position", *(goal for goal in agon_core.GOALS if "refused" not in goal)):
            assert re.search(rf"\b{word}\b", part), word
        for goal in re.findall(r"refused_\w+", part):
            assert goal in agon_core.GOALS
    example = re.search(r"(?m)(^    \[Kind[\s\S]*?\*)$", german)
    assert example and page(re.sub("(?m)^ +", "", example.group())).goals == ("along", "inwards")


# --- geometry and pictures -------------------------------------------------------

LAYOUT_SIZES = [(300, 280), (760, 640), (1803, 1501), (500, 1200)]


@pytest.mark.parametrize("size", LAYOUT_SIZES)
@pytest.mark.parametrize("flipped", [False, True])
def test_every_point_inside_a_drawn_hexagon_picks_its_cell(size: Tuple[int, int], flipped: bool) -> None:
    layout = Layout.fit(*size, flipped)
    for cell in CELLS:
        corners = layout.corners(cell, 1 - 1 / layout.size)
        points = list(zip(corners[::2], corners[1::2]))
        middles = [((x1 + x2) / 2, (y1 + y2) / 2) for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1])]
        for point in [layout.centre(cell)] + points + middles:
            assert layout.cell_at(*point) == cell


def is_inside(outline: Sequence[Tuple[float, float]], point: Tuple[float, float]) -> bool:
    """Whether a point lies on the same side of all edges of a convex outline."""
    x, y = point
    turns = [(x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
             for (x1, y1), (x2, y2) in zip(outline, [*outline[1:], outline[0]])]
    return all(turn >= 0 for turn in turns) or all(turn <= 0 for turn in turns)


@pytest.mark.parametrize("size", LAYOUT_SIZES)
@pytest.mark.parametrize("flipped", [False, True])
def test_board_letters_and_rank_numbers_lie_on_the_plate_and_apart(size: Tuple[int, int], flipped: bool) -> None:
    layout = Layout.fit(*size, flipped)
    places = [*layout.letters().values(), *layout.ranks().values()]
    half = 0.2 * layout.size
    corners = [(corner[0], corner[1]) for cell in CELLS
               for corner in (layout.corners(cell)[first:first + 2] for first in range(0, 12, 2))]
    for x, y in corners + [(x + dx, y + dy) for x, y in places for dx in (-half, half) for dy in (-half, half)]:
        assert is_inside(layout.plate(), (x, y))
    for x, y in layout.plate():
        assert 0 <= x <= size[0] and 0 <= y <= size[1]
    assert all(layout.cell_at(x, y) is None for x, y in [*places, (1, 1)])
    assert all(math.hypot(x1 - x2, y1 - y2) > 0.9 * layout.size
               for number, (x1, y1) in enumerate(places) for x2, y2 in places[:number])


@pytest.mark.parametrize("size", LAYOUT_SIZES)
@pytest.mark.parametrize("flipped", [False, True])
def test_the_guards_to_be_placed_stand_beside_the_plate_on_their_own_half(size: Tuple[int, int], flipped: bool) -> None:
    layout = Layout.fit(*size, flipped)
    radius = layout.size * agon_core.PIECE_DIAMETER / 2
    edge = [(math.cos(angle) * radius, math.sin(angle) * radius) for angle in map(math.radians, range(0, 360, 15))]
    for side in (WHITE, BLACK):
        tray = layout.tray(side)
        assert len(tray) == agon_core.MAX_GUARDS
        for number, (x, y) in enumerate(tray):
            assert (y > layout.y) == ((side == WHITE) != flipped) and layout.tray_at(x, y) == side
            assert layout.cell_at(x, y) is None
            for dx, dy in edge:
                assert not is_inside(layout.plate(), (x + dx, y + dy))
                assert -1 <= x + dx <= size[0] + 1 and -1 <= y + dy <= size[1] + 1
            assert all(math.hypot(x - x2, y - y2) > 2 * radius for x2, y2 in tray[:number])
    assert layout.tray_at(layout.x, layout.y) is None


@pytest.mark.parametrize("size", [(400, 300), (300, 400), (1000, 1000), (900, 1100), (1000, 950)])
@pytest.mark.parametrize("flipped", [False, True])
def test_the_board_is_as_large_as_its_margins_allow(size: Tuple[int, int], flipped: bool) -> None:
    plate = Layout.fit(*size, flipped).plate()
    xs, ys = [x for x, _y in plate], [y for _x, y in plate]
    left, right, top, bottom = min(xs), size[0] - max(xs), min(ys), size[1] - max(ys)
    assert abs(left - right) <= 1 and abs(top - bottom) <= 1
    margin = min(left, top) - min(27, 0.035 * min(size))
    assert -6 < margin < 12  # whole pixels from column to column and from row to row cost so much


def test_a_board_without_room_keeps_a_least_size() -> None:
    assert Layout.fit(1, 1).size == Layout.fit(0, 500).size == 4


def test_letters_and_numbers_stand_at_the_ends_of_their_files_and_ranks() -> None:
    for flipped in (False, True):
        layout = Layout.fit(700, 700, flipped)
        assert list(layout.letters()) == list(agon_core.FILES) and list(layout.ranks()) == list(range(1, 12))
        for letter, (x, y) in layout.letters().items():
            file_end = layout.centre(parse_cell(f"{letter}1"))
            assert x == file_end[0]
            assert y == pytest.approx(file_end[1] + (-1 if flipped else 1) * 1.25 * layout.size)
        for rank, (x, y) in layout.ranks().items():
            row = [layout.centre(cell) for cell in CELLS if cell_name(cell)[1:] == str(rank)]
            left = min(row)
            assert left[0] - 1.3 * layout.size < x < left[0] - layout.size
            assert abs(y - left[1]) < 0.7 * layout.size


@pytest.mark.parametrize("flipped, start, ways", [
    (False, "f6", "f7 f5 e6 g6"), (False, "g5", "g6 g4 f5 h4"), (False, "b3", "b4 b2 a3 c4"),
    (False, "f1", "f2 f1 e1 g1"), (False, "f11", "f11 f10 e10 g10"), (False, "a3", "a4 a2 a3 b3"),
    (True, "f6", "f5 f7 g5 e5"), (True, "l6", "l5 l6 l6 k7")])
def test_the_next_cell_is_the_one_that_the_eye_finds_in_that_direction(flipped: bool, start: str, ways: str) -> None:
    layout, cell = Layout.fit(600, 600, flipped), parse_cell(start)
    found = [layout.next_cell(cell, columns, rows) for columns, rows in ((0, -1), (0, 1), (-1, 0), (1, 0))]
    assert " ".join(map(cell_name, found)) == ways


def test_cells_are_read_by_column_from_the_bottom_up() -> None:
    order = sorted(CELLS, key=Layout.fit(600, 600).reading_order)
    assert [cell_name(cell) for cell in order[:8]] == ["a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2"]
    order = sorted(CELLS, key=Layout.fit(600, 600, True).reading_order)
    assert [cell_name(cell) for cell in order[:8]] == ["l6", "l5", "l4", "l3", "l2", "l1", "k7", "k6"]


def test_the_board_is_as_large_as_its_numbers_say() -> None:
    layout = Layout(10, 0, 0)
    corners = [layout.corners(cell) for cell in CELLS]
    xs, ys = [x for points in corners for x in points[::2]], [y for points in corners for y in points[1::2]]
    assert max(xs) - min(xs) == pytest.approx(10 * 17)
    assert max(ys) - min(ys) == pytest.approx(10 * 11 * math.sqrt(3))


def test_whites_queen_stands_below_unless_the_board_is_turned() -> None:
    below, above = parse_cell("f1"), parse_cell("f11")
    normal, turned = Layout.fit(600, 600), Layout.fit(600, 600, True)
    assert normal.centre(below)[1] > normal.centre(above)[1]
    assert turned.centre(below)[1] < turned.centre(above)[1]
    assert normal.centre(parse_cell("a1"))[0] < normal.centre(parse_cell("l1"))[0]


SVG = "{http://www.w3.org/2000/svg}"


def drawn(*diagrams: Diagram, flipped: bool = False) -> xml.etree.ElementTree.Element:
    """The SVG document of some diagrams."""
    return xml.etree.ElementTree.fromstring(agon_core.diagrams_svg(diagrams, agon_core.PRINT, flipped))


def count(root: xml.etree.ElementTree.Element, element: str, **attributes: str) -> int:
    """How many elements of this kind have these attributes."""
    return sum(all(item.get(name) == value for name, value in attributes.items()) for item in root.iter(SVG + element))


def test_a_diagram_shows_every_piece_and_the_names_of_files_and_ranks() -> None:
    root = drawn(Diagram(Position.start(), "1. <a5> & b5"))
    for side in ("white", "black"):
        assert count(root, "circle", fill=f"url(#{side}-face)") == 7
        assert count(root, "circle", fill=f"url(#{side}-dish)") == 1 + 6 * 2  # of a guard the dish and its middle
    assert count(root, "polygon", fill="#000000") == 1  # the white queen's crown
    assert count(root, "polygon", fill=agon_core.PRINT.frame, stroke=agon_core.PRINT.edge) == 1 + 6 + 18 + 30
    assert count(root, "circle", fill="#000000") == 14 + 6 + 3  # rims, rings of the white guards, balls of the crown
    texts = [item.text for item in root.iter(SVG + "text")]
    assert texts == [*"abcdefghikl", *map(str, range(1, 12)), "1. <a5> & b5"]


def test_letters_and_ranks_of_a_diagram_have_their_places_in_their_middle() -> None:
    layout = Layout(20, 0, 0)
    board = agon_core.board_svg(Diagram(pos("/ w")), agon_core.PRINT, layout)
    root = xml.etree.ElementTree.fromstring(f"<g>{board}</g>")
    for label, (x, y) in (*layout.letters().items(), *layout.ranks().items()):
        (item,) = [item for item in root.iter("text") if item.text == str(label)]
        size = float(item.get("font-size") or 0)
        assert float(item.get("x") or 0) == pytest.approx(x, abs=0.1) and item.get("text-anchor") == "middle"
        # What a line of text stands on lies about a third of its size below the middle of its letters.
        assert float(item.get("y") or 0) - y == pytest.approx(size / 3, abs=size / 10)


def test_rings_can_be_told_apart_on_paper() -> None:
    rings = agon_core.PRINT.rings
    assert all(rings[number] != rings[number + 1] for number in range(5))
    root = drawn(Diagram(pos("/ w")))
    assert count(root, "polygon", fill=rings[1], stroke="#808080") == 1 + 6 + 18 + 30  # the plate is white, too
    assert count(root, "polygon", fill=rings[2], stroke="#808080") == 12 + 24


def test_marks_of_a_diagram_are_drawn_only_where_they_are_asked_for() -> None:
    position = pos("Qf1 e5 / Qf11 e4 e6 w")
    plain = drawn(Diagram(position))
    assert count(plain, "line") == 0 and count(plain, "polygon", fill="none") == 0
    marked = drawn(Diagram(position, last=mv("d6-e6"), shows_trapped=True, arrows=(mv("e5-a1"), mv("e5-b1"))))
    assert count(marked, "line") == 3 + 1  # three moves, and the bar through the trapped guard
    assert count(marked, "polygon", fill="none", stroke="#000000") == 1  # round the trapped guard
    assert count(marked, "polygon", fill="#000000") == count(plain, "polygon", fill="#000000") + 2  # heads of arrows
    assert count(drawn(Diagram(position, last=PASS)), "line") == 0
    assert count(drawn(Diagram(pos("Qf1 e5 / Qf11 d5 e4 e6 f5 w"), shows_trapped=True)), "line") == 2  # trapped twice


def test_a_diagram_has_cells_of_its_size_and_its_caption_below_in_the_middle() -> None:
    root = drawn(Diagram(Position.start(), "caption"), Diagram(Position.start(), "second"))
    cells = [item for item in root.iter(SVG + "polygon")
             if item.get("stroke") == agon_core.PRINT.edge and len((item.get("points") or "").split()) == 6]
    assert len(cells) == 2 * 91
    for item in cells:
        points = [tuple(map(float, point.split(","))) for point in (item.get("points") or "").split()]
        assert math.dist(points[0], points[3]) == pytest.approx(2 * agon_core.SVG_CELL, abs=0.2)
    width, height = float(root.get("width") or 0) / 2, float(root.get("height") or 0)
    places = {item.text: (float(item.get("x") or 0), float(item.get("y") or 0)) for item in root.iter(SVG + "text")}
    lowest = max(float(point.split(",")[1]) for item in cells for point in (item.get("points") or "").split())
    assert places["caption"][0] == pytest.approx(width / 2, abs=1)
    assert places["second"][0] == pytest.approx(1.5 * width, abs=1)
    assert lowest + agon_core.SVG_CELL < places["caption"][1] == places["second"][1] < height - 5


@pytest.mark.parametrize("move", ["a5-b5", "f1-g2", "h5-h6", "d4-c4", "a1-l6"])
@pytest.mark.parametrize("flipped", [False, True])
def test_an_arrow_points_from_beside_its_source_into_the_middle_of_its_target(move: str, flipped: bool) -> None:
    layout = Layout(100, 50, 70, flipped)
    svg = agon_core.board_svg(Diagram(pos("/ w"), arrows=(mv(move),)), agon_core.PRINT, layout)
    *_, line, head = [xml.etree.ElementTree.fromstring(part) for part in svg.splitlines()]
    start, end = ([float(line.get(axis + number) or 0) for axis in "xy"] for number in "12")
    tip, left, right = [[float(number) for number in point.split(",")] for point in (head.get("points") or "").split()]
    source, target = layout.centre(mv(move).source or 0), layout.centre(mv(move).target or 0)
    way = math.dist(source, target)
    assert math.dist(tip, target) < 0.2
    for point, from_source in ((start, 62), (end, way - 30)):
        assert math.dist(source, point) == pytest.approx(from_source, abs=0.2)
        assert math.dist(source, point) + math.dist(point, target) == pytest.approx(way, abs=0.2)  # on the way
    middle = [(a + b) / 2 for a, b in zip(left, right)]
    assert math.dist(middle, target) == pytest.approx(50, abs=0.2)
    assert math.dist(source, middle) == pytest.approx(way - 50, abs=0.2)
    assert math.dist(left, right) == pytest.approx(56, abs=0.2)
    assert math.dist(left, target) == pytest.approx(math.dist(right, target), abs=0.2)


def test_the_last_move_is_a_line_from_the_middle_of_its_cell_without_a_head() -> None:
    layout, move = Layout(10, 100, 100), mv("a5-b5")
    plain, marked = (agon_core.board_svg(Diagram(pos("/ w"), last=last), agon_core.PRINT, layout).splitlines()
                     for last in (None, move))
    (line,) = (xml.etree.ElementTree.fromstring(element) for element in marked if element not in plain)
    start = layout.centre(move.source or 0)
    assert math.dist([float(line.get(name) or 0) for name in ("x1", "y1")], start) < 0.1


def test_the_parts_of_a_piece_lie_inside_each_other_and_the_cell() -> None:
    rim, face, *_ = agon_core.PIECE_SHAPES
    assert rim[:3] == (0, 0, 1) and agon_core.PIECE_DIAMETER < agon_core.ROOT3
    radii = []
    for shape in agon_core.PIECE_SHAPES + agon_core.GUARD_SHAPES:
        assert isinstance(shape, agon_core.Disc) and (shape.x, shape.y) == (0, 0) and 0 < shape.radius <= 1
        radii.append(shape.radius)
    assert radii == sorted(radii, reverse=True) and len(set(radii)) == len(radii)
    balls = [shape for shape in agon_core.QUEEN_SHAPES if isinstance(shape, agon_core.Disc)]
    (crown,) = (shape for shape in agon_core.QUEEN_SHAPES if isinstance(shape, agon_core.Outline))
    assert set(crown.points) == {(-x, y) for x, y in crown.points}
    assert {ball[:3] for ball in balls} == {(-x, y, radius) for x, y, radius, _ in balls}
    for x, y in crown.points + tuple((ball.x, ball.y - ball.radius) for ball in balls):
        assert math.hypot(x, y) < face.radius


@pytest.mark.parametrize("shape", [*agon_core.STAR, agon_core.CROSS, agon_core.HEXAGON])
def test_a_mark_is_drawn_inside_its_cell_and_looks_the_same_upside_down(shape: Sequence[Tuple[float, float]]) -> None:
    assert all(math.hypot(x, y) < 1.001 for x, y in shape)
    assert {(round(x, 9), round(y, 9)) for x, y in shape} == {(round(x, 9), round(-y, 9) + 0.0) for x, y in shape}


def test_the_star_has_six_points_at_equal_distances() -> None:
    points = {(round(x, 6), round(y, 6)) for triangle in agon_core.STAR for x, y in triangle}
    assert len(points) == 6 and {round(math.hypot(x, y), 5) for x, y in points} == {0.62}


def numbers(item: xml.etree.ElementTree.Element, *names_: str) -> List[float]:
    """The values of some attributes."""
    return [float(item.get(name) or "nan") for name in names_]


def test_boards_fill_their_place_and_captions_stand_below_them() -> None:
    root = drawn(Diagram(pos("Qf6 / w"), "caption"))
    rim = next(iter(root.iter(SVG + "circle")))
    assert numbers(rim, "r") == [pytest.approx(agon_core.SVG_CELL * agon_core.PIECE_DIAMETER / 2, abs=0.06)]
    width, height = numbers(root, "width", "height")
    assert numbers(rim, "cx") == [pytest.approx(width / 2, abs=1)]
    sizes = {item.text: numbers(item, "font-size", "y") for item in root.iter(SVG + "text")}
    assert (sizes["caption"][0], sizes["a"][0]) == (0.8 * agon_core.SVG_CELL, 0.5 * agon_core.SVG_CELL)
    assert sizes["f"][1] + 0.5 * agon_core.SVG_CELL < sizes["caption"][1] < height - 0.3 * agon_core.SVG_CELL


def test_diagrams_stand_side_by_side_without_touching() -> None:
    one, four = drawn(Diagram(Position.start())), drawn(*4 * [Diagram(Position.start())])
    size, size_of_four = ([float(root.get(name) or 0) for name in ("width", "height")] for root in (one, four))
    assert size_of_four == pytest.approx([3 * size[0], 2 * size[1]], abs=2)
    for root, columns, rows in ((one, 1, 1), (four, 3, 2)):
        for item in root.iter(SVG + "polygon"):
            for point in (item.get("points") or "").split():
                x, y = map(float, point.split(","))
                assert 0 < x < columns * size[0] and 0 < y < rows * size[1]
    discs = [(float(item.get("cx") or 0), float(item.get("cy") or 0)) for item in four.iter(SVG + "circle")]
    assert {(int(x / size[0]), int(y / size[1])) for x, y in discs} == {(0, 0), (1, 0), (2, 0), (0, 1)}


def test_a_turned_diagram_shows_blacks_side_below() -> None:
    tops = []
    for flipped in (False, True):
        root = drawn(Diagram(pos("Qf1 / Qf11 w")), flipped=flipped)
        tops.append({item.get("fill"): float(item.get("cy") or 0) for item in root.iter(SVG + "circle")})
    white, black = "url(#white-face)", "url(#black-face)"
    assert tops[0][white] > tops[0][black] and tops[1][white] < tops[1][black]


VARIATIONS = """[Format "1"]
[Result "*"]

1. a5-b5?! (1. b1-c2 { good } 1... d1-d2 (1... h1-h2) 2. a5-b5!) 1... d1-d2 { x
} 2. b1-c2 *
"""


def test_variations_remarks_and_marks_are_kept() -> None:
    game = Game.from_text(VARIATIONS)
    assert game.to_text() == VARIATIONS
    variation = game.variations[0][0]
    assert [str(move) for move in variation.moves] == ["b1-c2", "d1-d2", "a5-b5"]
    assert [str(move) for move in variation.variations[1][0].moves] == ["h1-h2"]
    assert (game.marks, variation.marks, variation.comments) == ({0: "?!"}, {2: "!"}, {1: "good"})


def test_a_variation_counts_on_from_where_it_branches_off() -> None:
    game = played("a5-b5 d1-d2 b1-c2")
    game.variations[1] = [Game(game.positions[1])]
    game.variations[1][0].play(Move.from_text("h1-h2"))
    assert "1. a5-b5 d1-d2 (1... h1-h2) 2. b1-c2" in game.to_text()


def test_a_game_that_branches_off_keeps_what_belongs_to_its_own_moves() -> None:
    game = Game.from_text(VARIATIONS)
    game.undo()
    game.undo()
    assert set(game.branch().variations) == {0}
    game.undo()
    assert game.branch().variations == {} and game.branch().marks == {}
    game.play(Move.from_text("b1-c2"))
    assert game.variations == {} and game.marks == {}


@pytest.mark.parametrize("text, words", [
    ("1. a5-b5\n( 1. b1-c2 *", "line 2: the variation beginning here is never closed"),
    ("1. a5-b5\n( 1. b1-c2", "line 2: the variation beginning here is never closed"),
    ("1. a5-b5 ) *", '")" is not possible here'), ("( 1. a5-b5 ) *", '"(" is not possible here'),
    ("1. a5-b5 () *", '")" is not possible here'), ("1. a5-b5 * (1. b1-c2)", '"(" is not possible here'),
    ("1. a5-b5 (1. a5-c5) *", '"a5-c5" is not possible'),
    ("1. a5-b5 " + "(1. b1-c2 " * 60, '"(" is not possible here')])
def test_a_broken_variation_is_named(text: str, words: str) -> None:
    with pytest.raises(AgonError) as caught:
        Game.from_text(text)
    assert words in str(caught.value)


# --- paper -----------------------------------------------------------------------

class Sheet(html.parser.HTMLParser):
    """What stands on printed pages: by page, its number of boards, and its texts in reading order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.boards: List[int] = []
        self.texts: List[List[str]] = []
        self.open: List[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attributes: List[Tuple[str, Optional[str]]]) -> None:
        if ("class", "page") in attributes:
            self.boards.append(0)
            self.texts.append([])
        self.boards[-1:] = [count + (tag == "svg") for count in self.boards[-1:]]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attributes: List[Tuple[str, Optional[str]]]) -> None:
        pass

    def handle_data(self, text: str) -> None:
        if text.strip() and self.texts and "svg" not in self.open:
            self.texts[-1].append(text.strip())


def tasks(count: int) -> List["agon_core.Task"]:
    return [agon_core.Task(agon_core.Diagram(Position.start()), f"task {number}", f"a{number}" if number % 2 else "")
            for number in range(1, count + 1)]


@pytest.mark.parametrize("count, pages", [(1, [1, 0]), (6, [6, 0]), (7, [6, 1, 0]), (13, [6, 6, 1, 0])])
def test_six_puzzles_stand_on_a_page_and_the_solutions_on_the_last_one(count: int, pages: List[int]) -> None:
    sheet = Sheet(agon_core.puzzle_sheet(tasks(count), "en"))
    assert sheet.boards == pages
    assert [text for page in sheet.texts for text in page if "task" in text] == [
        f"{number}. task {number}" for number in range(1, count + 1)]
    assert all({"Name:", "Date:"} <= set(page) for page in sheet.texts[:-1])
    assert sheet.texts[-1] == ["Solutions"] + [f"{number}. a{number}" for number in range(1, count + 1, 2)]


def test_without_known_solutions_there_is_no_page_of_them() -> None:
    sheet = Sheet(agon_core.puzzle_sheet(agon_core.position_tasks([pos("Qf1 / Qf11 b")] * 2, "de"), "de", "Übung & mehr"))
    assert sheet.boards == [2] and sheet.texts[0][0] == "Übung & mehr" and "1. Schwarz" in sheet.texts[0]


def test_a_printed_puzzle_says_who_moves_its_theme_and_how_many_moves_and_its_answers_are_right() -> None:
    pages = agon_core.lessons_of(agon_core.read_games("""
[Kind "theme"]
[Theme "win"]
[Title.de "Gewinnen"]
[Title.en "Winning"]
[Text.de "..."]
[Text.en "..."]

*

[Kind "puzzle"]
[Theme "win"]
[Goal "win"]
[Moves "2"]
[Solution "e6-f7 f9-f8 d5-e6"]
[Position "Qf6 d5 e5 e6 f5 g5 g6 / Qf9 c2 c4 e3 e9 i4 h6 w"]

*

[Kind "puzzle"]
[Goal "trap"]
[Position "%s"]

*

[Kind "puzzle"]
[Goal "trap"]
[Task.de "Schließ!"]
[Task.en "Trap!"]
[Position "Qf1 / Qf11 b"]

*
""" % DOUBLE_TRAP))
    english, german = (agon_core.puzzle_tasks(pages, language) for language in ("en", "de"))
    assert [task.text for task in english] == ["White · Winning · 2 moves", "White", "Trap!"]
    assert [task.text for task in german] == ["Weiß · Gewinnen · 2 Züge", "Weiß", "Schließ!"]
    assert english[0].answer == "e6-f7 Qf9-f8 d5-e6#" and english[2].answer == ""
    assert english[1].answer == "f5-e5+, Qc3-d3+, e3-d3+"
    assert [task.diagram.position.turn for task in english] == [WHITE, WHITE, BLACK]


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_printed_rules_are_one_page_of_texts_with_boards(language: str) -> None:
    pages = lessons("rules.agon")
    sheet = Sheet(agon_core.rules_sheet(pages, language))
    printed = [page for page in pages if page.start != Position.start()]
    assert sheet.boards == [len(printed)] == [5]
    assert sheet.texts[0][1:] == [text for page in printed for text in (page.title[language], page.text[language])]


def test_the_boards_of_the_printed_rules_show_what_the_texts_say() -> None:
    aim, moving, trapping, exception, end = (page for page in lessons("rules.agon") if page.start != Position.start())
    outcome, empty = Game(aim.start).outcome(), Game(end.start).outcome()
    assert outcome and (outcome.winner, outcome.reason) == (WHITE, Ending.THRONE)
    assert empty and (empty.winner, empty.reason) == (BLACK, Ending.EMPTY_THRONE)
    assert set(moving.arrows) == {move for move in moving.start.legal_moves() if move.source == CELL("d4")}
    assert names(trapping.start.trapped()) == ["e5"]
    (move,) = exception.arrows
    assert names(exception.start.newly_trapped(move)) == ["e4", "e6"]
    assert exception.start.without_piece(CELL("e7")).refusal(move) is Refusal.SELF_ENCLOSURE
    drawn = agon_core.rules_sheet([moving], "de")
    assert drawn.count("<line ") == 3 and agon_core.rules_sheet([trapping], "de").count("<line ") == 1


def test_the_solution_that_a_file_tells_is_printed_and_not_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = agon_core.puzzle_tasks(lessons("puzzles.agon"), "de")
    monkeypatch.setattr(agon_core, "is_goal_reached", None)
    assert agon_core.puzzle_tasks(lessons("puzzles.agon"), "de") == expected and all(task.answer for task in expected)


def test_a_printed_game_tells_players_moves_and_result_and_shows_boards() -> None:
    game = played("a5-b5 d1-d2 f1-f2")
    game.headers.update(White="Mia <3", Black="Jo")
    game.resign(BLACK)
    sheet = Sheet(agon_core.game_sheet(game, [0, 2, 3], "en", "Black has resigned."))
    assert sheet.texts == [["Mia <3 – Jo", "1-0 · Black has resigned.", "1. a5-b5 d1-d2", "2. Qf1-f2",
                            "0.", "1... d1-d2", "2. Qf1-f2"]]
    assert sheet.boards == [3]
    nameless = Sheet(agon_core.game_sheet(Game(Position.start(BLACK)), [], "de"))
    assert nameless.texts == [["Weiß – Schwarz"]]


def test_a_game_that_black_begins_is_printed_with_its_first_row_half_empty() -> None:
    game = Game(Position.start(BLACK))
    for word in ("a2-b2", "a5-b5", "b2-c2"):
        game.play(mv(word))
    assert Sheet(agon_core.game_sheet(game, [], "en")).texts[0][1:] == ["1... a2-b2", "2. a5-b5 b2-c2"]


def test_an_empty_board_is_printed_without_pieces_for_two_names() -> None:
    sheet = Sheet(agon_core.board_sheet("de"))
    assert sheet.boards == [1] and sheet.texts == [["Weiß:", "Schwarz:"]]
    assert "<circle" not in agon_core.board_sheet("de")


def test_pages_for_a_language_without_words_are_english() -> None:
    assert Sheet(agon_core.board_sheet("fr")).texts == [["White:", "Black:"]]
    assert "lang=\"en\"" in agon_core.board_sheet("fr")


def test_words_of_paper_are_there_in_all_languages() -> None:
    german, english = agon_core.PAPER_TEXTS["de"], agon_core.PAPER_TEXTS["en"]
    assert german.keys() == english.keys() and set(agon_core.PAPER_TEXTS) == set(agon_core.LANGUAGES)


def sheet_of(capsys: pytest.CaptureFixture[str], *words: str) -> Sheet:
    """What the command `sheet` prints with these words."""
    assert agon_ai.main(["sheet", *words]) == 0
    return Sheet(capsys.readouterr().out)


def test_the_command_makes_the_same_pages_as_the_window(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sheet_of(capsys, "rules", "--language", "de").boards == [5]
    assert sheet_of(capsys, "board", "--language", "en").texts == [["White:", "Black:"]]
    count = sum(page.kind == "puzzle" and page.theme == "trap" for page in lessons("puzzles.agon"))
    assert sum(sheet_of(capsys, "puzzles", "--theme", "trap").boards) == count
    game = played("a5-b5 d1-d2 f1-f2")
    game.resign(WHITE)
    game.save(str(tmp_path / "game.agon"))
    sheet = sheet_of(capsys, "game", str(tmp_path / "game.agon"), "--moves", "1,2", "--language", "en")
    assert sheet.boards == [2] and "0-1 · The other side has resigned." in sheet.texts[0]
    assert sheet_of(capsys, "puzzles", str(tmp_path / "game.agon"), "--language", "en").texts[0][-2] == "1. Black"
    out = tmp_path / "out.html"
    assert agon_ai.main(["sheet", "board", "--out", str(out)]) == 0 and capsys.readouterr().out == ""
    assert Sheet(out.read_text("utf-8")).boards == [1]


@pytest.mark.parametrize("words, sentence", [
    (["game"], "a game needs its file"), (["puzzles", "--theme", "nonsense"], "no puzzles nonsense"),
    (["board", "--moves", "0"], "0 is not a number"), (["board", "--out", "/no/such/x"], "no folder"), (["poem"], "poem")])
def test_a_sheet_that_cannot_be_made_is_explained(capsys: pytest.CaptureFixture[str], words: List[str],
                                                  sentence: str) -> None:
    with pytest.raises(SystemExit):
        agon_ai.main(["sheet", *words])
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("plies, moves, expected", [
    (0, [], [0]), (3, [], [3]), (20, [], [20]), (21, [], [20, 21]), (45, [], [20, 40, 45]), (45, [1, 7], [2, 14]),
    (5, [9], [5])])
def test_a_printed_game_has_boards_where_its_moves_have_these_numbers(plies: int, moves: List[int],
                                                                     expected: List[int]) -> None:
    game = quiet_game(plies)
    assert game.ply == plies and game.start.turn == WHITE
    assert agon_ai.board_plies(game, moves) == expected


BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@takes_long
@pytest.mark.skipif(not BROWSER, reason="no browser that prints without a window")
@pytest.mark.parametrize("name, text, pages", [
    ("rules-de", lambda: agon_core.rules_sheet(lessons("rules.agon"), "de"), 1),
    ("rules-en", lambda: agon_core.rules_sheet(lessons("rules.agon"), "en"), 1),
    ("puzzles", lambda: agon_core.puzzle_sheet(tasks(12), "de"), 3),
    ("board", lambda: agon_core.board_sheet("de"), 1)])
def test_a_browser_prints_as_many_pages_as_there_are(tmp_path: Path, name: str, text: Callable[[], str],
                                                     pages: int) -> None:
    source, target = tmp_path / f"{name}.html", tmp_path / f"{name}.pdf"
    source.write_text(text(), "utf-8")
    subprocess.run([str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile",
                    "--no-pdf-header-footer", f"--print-to-pdf={target}", source.as_uri()],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=True)
    assert len(re.findall(rb"/Type\s*/Page\b", target.read_bytes())) == pages


# === 9. Properties and fuzz ======================================================

@functools.lru_cache(maxsize=None)
def positions() -> List[Tuple[Position, Rules]]:
    return many_positions(seed=1, games=16, setups=900)


def test_there_are_thousands_of_positions_of_every_kind() -> None:
    """Or else the tests below would prove little."""
    assert len(positions()) > 2000
    ends = [position.outcome(rules) for position, rules in positions()]
    assert {end.reason for end in ends if end} == {Ending.THRONE, Ending.EMPTY_THRONE, Ending.BLOCKED}
    assert {end.winner for end in ends if end} == {WHITE, BLACK, None}
    assert sum(position.legal_moves(rules) == [PASS] for position, rules in positions()) > 20
    assert sum(len(position.trapped()) > 1 for position, _ in positions()) > 100
    assert {rules for _, rules in positions()} == {Rules(a, b) for a in (False, True) for b in (False, True)}


def placings(seed: int, games: int) -> List[Tuple[Position, Rules]]:
    """Positions from the beginnings of random games with placement."""
    rng = random.Random(seed)
    return [(position, rules) for number in range(games)
            for rules in [Rules(bool(number & 1), not number & 2, True)]
            for position in play_out(rng, str(Position.start(number % 2, rules)), rules, 16)]


def test_fast_and_slow_rules_agree() -> None:
    rng = random.Random(2)
    for position, rules in positions()[::3] + placings(4, 20):
        board, side = read_board(str(position))
        where = f"{position} {rules}"
        moves = slow_legal(board, side, rules)
        assert sorted(map(str, position.legal_moves(rules))) == moves, where
        assert names(position.trapped()) == sorted(map(name, slow_trapped(board, side))), where
        assert perft(position, 1, rules) == len(moves), where
        outcome, slow = position.outcome(rules), slow_outcome(board, rules)
        assert (outcome and (outcome.winner, outcome.reason.name)) \
            == (slow and ({"w": WHITE, "b": BLACK, None: None}[slow[0]], slow[1])), where
        for text in rng.sample(moves, min(1, len(moves))):
            move = mv(text)
            after = position.play(move, rules)
            assert str(after) == write_board(slow_play(board, side, text), other(side)), where
            assert position.describe(move, rules) == slow_describe(board, side, text, rules), where
            assert mv(position.describe(move, rules)) == move, where
            fresh = set(after.trapped()) - set(position.with_turn(after.turn).trapped())
            assert position.newly_trapped(move) == sorted(fresh, key=cell_name), where


def test_refusal_is_none_exactly_for_the_legal_moves() -> None:
    rng = random.Random(3)
    ends = [pair for pair in positions() if pair[0].outcome(pair[1])]
    trapped = [pair for pair in positions() if len(pair[0].trapped()) > 1]
    chosen = rng.sample(ends, 4) + rng.sample(trapped, 20) + rng.sample(positions(), 30)
    chosen += [(pos(case.position), DEFAULT_RULES) for case in CASES[:14]] + placings(5, 2)
    for number, (position, rules) in enumerate(chosen):
        sources = CELLS if number % 10 == 0 else list(agon_core.cells_of(position.own | position.enemy))
        pairs = [PASS] + [Move(source, target) for source in [None, *sources] for target in CELLS]
        allowed = {move for move in pairs if position.refusal(move, rules) is None}
        moves = position.legal_moves(rules)
        assert len(moves) == len(set(moves))
        assert allowed == set(moves), f"{position} {rules}"


def test_a_target_off_the_board_is_refused() -> None:
    position = pos("Qg4 a5 b1 / Qf11 a2 g3 g5 w")
    off_board = [number for number in range(max(agon_core.CELLS)) if number not in agon_core.CELLS]
    assert [position.refusal(Move(CELL("g4"), number)) for number in off_board].count(None) == 0


def test_the_cells_that_would_trap_lie_behind_an_enemy_beside_an_own_piece() -> None:
    for position, _ in positions()[::20]:
        board, side = read_board(str(position))
        wanted = sorted(name(cell) for cell in ALL if cell not in board and any(
            owner(board.get(moved(cell, step, way))) == other(side)
            and owner(board.get(moved(cell, step, 2 * way))) == side
            for step in STRAIGHT for way in (1, -1)))
        found = agon_core.trapping_cells(position.own, position.enemy)
        assert names(list(agon_core.cells_of(found & agon_core.BOARD))) == wanted, str(position)


def test_cells_are_flanked_by_an_own_piece_and_a_landing_cell_on_opposite_sides() -> None:
    for position, _ in positions()[::20]:
        board, side = read_board(str(position))
        landing = {cell for cell in ALL if cell not in board and ring(cell) % 2}
        wanted = sorted(name(cell) for cell in ALL if any(
            owner(board.get(moved(cell, step, way))) == side and moved(cell, step, -way) in landing
            for step in STRAIGHT for way in (1, -1)))
        found = agon_core.flanked(position.own, agon_core.bits([CELL(name(cell)) for cell in landing]))
        assert names(list(agon_core.cells_of(found & agon_core.BOARD))) == wanted, str(position)


def test_play_keeps_every_piece_and_changes_no_position() -> None:
    rng = random.Random(4)
    for position, rules in positions()[::2]:
        text, number = str(position), hash(position)
        moves = position.legal_moves(rules)
        if moves:
            after = position.play(rng.choice(moves), rules)
            for side in (WHITE, BLACK):
                queens = (position.pieces(side) & position.queens, after.pieces(side) & after.queens)
                assert [bin(queen).count("1") for queen in queens] == 2 * [bin(queens[0]).count("1")]
                assert bin(after.pieces(side)).count("1") == bin(position.pieces(side)).count("1")
            assert after.turn != position.turn
            assert not after.own & after.enemy
        assert (str(position), hash(position)) == (text, number)


def test_no_move_ends_between_two_enemies_unless_it_encloses_both() -> None:
    closings = 0
    for position, rules in positions()[::3]:
        side = "wb"[position.turn]
        for move in position.legal_moves(rules):
            if move == PASS:
                continue
            board, _ = read_board(str(position.play(move, rules)))
            cell = agon_core.axial(move.target or 0)
            for step in squeezing(board, cell, other(side)):
                closings += 1
                assert owner(board.get(moved(cell, step, 2))) == side, f"{position} {move}"
                assert owner(board.get(moved(cell, step, -2))) == side, f"{position} {move}"
    assert closings > 10


TWELVE = [(turns, mirror) for turns in range(6) for mirror in (False, True)]


def turned(cell: XY, turns: int, mirror: bool) -> XY:
    q, r = (cell[1], cell[0]) if mirror else cell
    for _ in range(turns):
        q, r = -r, q + r
    return q, r


@pytest.mark.parametrize("turns, mirror", TWELVE)
def test_perft_is_the_same_under_every_symmetry_of_the_board(turns: int, mirror: bool) -> None:
    for case in CASES:
        board, side = read_board(case.position)
        image = write_board({turned(cell, turns, mirror): board[cell] for cell in board}, side)
        depth = 3 if case.perft[0] < 12 else 2
        assert perft(pos(image), depth) == perft(pos(case.position), depth), image


def test_legal_moves_turn_with_the_board() -> None:
    for position, rules in positions()[::30]:
        board, side = read_board(str(position))
        for turns, mirror in TWELVE:
            image = write_board({turned(cell, turns, mirror): board[cell] for cell in board}, side)
            there = {name(cell): name(turned(cell, turns, mirror)) for cell in ALL}
            there[""] = ""
            wanted = sorted("-".join(there[word] for word in str(move).split("-"))
                            for move in position.legal_moves(rules))
            assert legal(image, rules) == wanted, image


def test_perft_is_the_same_with_colours_swapped() -> None:
    for case in CASES:
        image = pos(colours_swapped(case.position))
        assert [perft(image, depth) for depth in (1, 2)] == case.perft[:2]


def test_undo_is_the_opposite_of_play() -> None:
    rng = random.Random(5)
    for number in range(10):
        game = Game(Position.start(number % 2), Rules(number % 3 == 0))
        history: List[Tuple[object, ...]] = []
        while not game.outcome() and len(history) < 60:
            history.append(state(game))
            game.play(rng.choice(game.legal_moves()))
        last = state(game)
        for before in reversed(history):
            game.undo()
            seen = state(game)
            assert seen[:2] + seen[3:] == before[:2] + before[3:]
        while game.redo():
            pass
        assert state(game) == last


def random_variation(rng: random.Random, game: Game, depth: int = 0) -> Game:
    """Some moves in place of the next one, with remarks and variations of their own."""
    variation = Game(game.position, game.rules)
    for _ in range(rng.randint(1, 4)):
        moves = variation.legal_moves()
        if not moves:
            break
        inner = [random_variation(rng, variation, depth + 1)] if depth < 3 and rng.random() < 0.2 else []
        variation.play(rng.choice(moves))
        if inner:
            variation.variations[variation.ply - 1] = inner
        if rng.random() < 0.2:
            variation.comments[variation.ply] = "a (b) !"
    return variation


def random_game(rng: random.Random) -> Game:
    """A game with some of everything a file can hold."""
    rules = Rules(rng.random() < 0.3, rng.random() < 0.7)
    starts = [None, Position.start(BLACK), pos(near_the_end(rng)), pos(random_crowd(rng))]
    letters = "ab 1.*-\"\\[](){!?\u00e4\u2654"
    game = Game(rng.choice(starts), rules, {
        word: "".join(rng.choice(letters) for _ in range(rng.randrange(12)))
        for word in rng.sample(["White", "Black", "Date", "Event", "X_1"], rng.randrange(5))})
    for _ in range(rng.randrange(50)):
        if rng.random() < 0.2:
            words = "".join(rng.choice(letters) for _ in range(rng.randrange(1, 60))).split()
            game.comments.update({len(game.moves): " ".join(words)} if words else {})
        moves = game.legal_moves()
        if moves:
            variations = [random_variation(rng, game) for _ in range(rng.choice((0, 0, 0, 0, 1, 2)))]
            game.play(rng.choice(moves))
            if variations:
                game.variations[game.ply - 1] = variations
            if rng.random() < 0.1:
                game.marks[game.ply - 1] = rng.choice(["!", "?", "!!", "??", "!?", "?!"])
    end = rng.randrange(6)
    if end == 0:
        game.agree_draw()
    elif end <= 2:
        game.resign(end - 1)
    return game


def test_games_are_read_back_as_they_were_written() -> None:
    rng = random.Random(6)
    for _ in range(60):
        game = random_game(rng)
        again = Game.from_text(game.to_text())
        assert state(again) == state(game), game.to_text()


def test_positions_are_values() -> None:
    for position, _ in positions()[::7]:
        again = pos(str(position))
        assert again == position and hash(again) == hash(position)
        assert pickle.loads(pickle.dumps(position)) == position
        assert all(type(field) is int for field in position)
    with pytest.raises(AttributeError):
        Position.start().turn = BLACK  # type: ignore[misc]
    with pytest.raises(AttributeError):
        PASS.source = 1  # type: ignore[misc]


def mutated(rng: random.Random, text: str, most: int = 4) -> str:
    """The text with up to `most` times a few characters lost, doubled, replaced or moved."""
    letters = "abcdefghiklwbQ/0123456789 -*+#.!?(){}[]\"\\\n\r\t\x00\ufeff\u0665\u00e4\u2028\ud800"
    for _ in range(rng.randint(1, most)):
        at, to = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:at] + text[at + 1:]
        elif kind == 1:
            text = text[:at] + rng.choice(letters) + text[at:]
        elif kind == 2:
            text = text[:at] + rng.choice(letters) + text[at + 1:]
        elif kind == 3:
            text = text[:at] + text[to:] if rng.random() < 0.2 else text[:at] + text[at:at + 9] + text[at:]
        else:
            text = text[:at] + text[to:to + 5] + text[at:]
    return text


def test_mutated_moves_are_read_or_refused_cleanly() -> None:
    rng = random.Random(7)
    read = 0
    for _ in range(4000):
        text = mutated(rng, rng.choice(["a5-b5", "Qf7-f6", "e5*a1+", "--", "Qf11*l1#"]))
        try:
            move = mv(text)
        except AgonError as error:
            assert str(error)
        else:
            read += 1
            assert mv(str(move)) == move
    assert 100 < read < 3900


def test_mutated_positions_are_read_or_refused_cleanly() -> None:
    rng = random.Random(8)
    read = 0
    for _ in range(4000):
        text = mutated(rng, rng.choice(CASES).position, most=2)
        try:
            position = pos(text)
        except AgonError as error:
            assert str(error)
        else:
            read += 1
            assert pos(str(position)) == position
            assert (position.legal_moves() == []) == (position.outcome() is not None)
    assert 100 < read < 3900


def test_mutated_games_are_read_or_refused_cleanly() -> None:
    rng = random.Random(9)
    texts = [SAMPLE] + [random_game(rng).to_text() for _ in range(20)]
    read = 0
    for _ in range(1000):
        text = mutated(rng, rng.choice(texts))
        try:
            game = Game.from_text(text)
        except AgonError as error:
            assert str(error)
        else:
            read += 1
            assert Game.from_text(game.to_text()).moves == game.moves
    assert 50 < read < 950


# --- the files themselves --------------------------------------------------------

@functools.lru_cache(maxsize=None)
def syntax_of(file_name: str) -> ast.Module:
    """A file of the project as Python reads it."""
    with open(os.path.join(HERE, file_name), encoding="utf-8") as file:
        return ast.parse(file.read())


def imported(file_name: str) -> List[str]:
    """The top-level modules a file imports, anywhere in it."""
    modules = []
    for node in ast.walk(syntax_of(file_name)):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules.append(node.module or ".")
    return sorted({module.split(".")[0] for module in modules})


def test_the_rules_import_nothing_but_a_little_of_the_standard_library() -> None:
    locks_of_unix = {"fcntl"}  # asked for only where a file is written, and not needed
    assert set(imported("agon_core.py")) - locks_of_unix <= {
        "enum", "functools", "html", "math", "os", "re", "stat", "textwrap", "time", "typing"}


def test_the_engine_never_imports_the_window() -> None:
    assert not {"tkinter", "agon"} & set(imported("agon_ai.py"))


@pytest.mark.parametrize("module", [agon_core, agon_ai], ids=lambda module: module.__name__)
def test_the_examples_in_the_docstrings_are_true(module: types.ModuleType) -> None:
    results = doctest.testmod(module)
    assert results.failed == 0 and results.attempted > 4


# === 10. The computer player =====================================================

ENGINE = list(agon_ai.OWN_ENGINE)
START = str(Position.start())
#: The search without any of its ideas.
PLAIN = agon_ai.Tricks(*[False] * len(agon_ai.Tricks._fields))
#: What `curve` prints.
CURVE = (r"5 games, \d+ positions to learn from, \d+ not seen\n"
         r"(bend +\d+, steepness +[-+.e\d]+: log-loss \d\.\d{4} on positions not seen\n){8}"
         r"the curve that is used: log-loss \d\.\d{4}\n"
         r"best bend \d+, steepness with all positions [-+.e\d]+; points won by scores, and the curve:\n"
         r"( +[-+.\d]+ +\d+ positions +\d+ %, curve +\d+ %\n)*")
#: White seats the queen and wins.
SEAT_AND_WIN = "Qf6 e5 e6 f7 g5 g6 e4 / Qf11 a2 b7 d1 h1 k7 l2 w"


def game_at(text, rules=Rules()):
    return Game(Position.from_text(text), rules)


def random_games(count, seed, plies=120):
    luck = random.Random(seed)
    for _ in range(count):
        game = Game()
        for _ in range(luck.randrange(plies)):
            moves = game.legal_moves()
            if not moves:
                break
            game.play(luck.choice(moves))
        if not game.outcome():
            yield game


def meeting_positions(count, seed):
    luck = random.Random(seed)
    while count:
        game = Game()
        for _ in range(luck.randrange(20, 110)):
            moves = game.legal_moves()
            inwards = [move for move in moves if game.position.is_progress(move)]
            if moves:
                game.play(luck.choice(inwards if inwards and luck.random() < 0.5 else moves))
        if not game.outcome():
            count -= 1
            yield game.position


RANDOM_GAMES = list(random_games(40, 5))
RANDOM_TEXTS = [str(game.position) for game in RANDOM_GAMES[:12]]


# -- minimax and search agree --

@pytest.mark.parametrize("text", RANDOM_TEXTS[:4])
def test_alpha_beta_finds_the_value_of_minimax_with_fewer_nodes(text):
    position = Position.from_text(text)
    full, cut = agon_ai.minimax(position, 2), agon_ai.alpha_beta(position, 2)
    assert full.value == cut.value
    assert cut.nodes < full.nodes


def test_a_minimax_tree_counts_its_nodes_and_names_its_moves():
    tree = agon_ai.minimax(Position.start(), 2)
    assert tree.nodes == 1 + 27 + 713
    assert tree.move is None
    assert [child.move for child in tree.searched] == tree.moves == Position.start().legal_moves()
    assert tree.value == max(child.value for child in tree.searched) == tree.best.value


def walk(node):
    yield node
    for child in node.searched:
        yield from walk(child)


def test_a_cut_in_the_tree_leaves_replies_out_and_has_reached_alpha_or_beta():
    for start in (Position.start(), Position.start(BLACK)):
        cuts = [node for node in walk(agon_ai.alpha_beta(start, 2)) if node.left_out]
        assert cuts
        for node in cuts:
            assert node.value >= node.beta if node.position.turn == WHITE else node.value <= node.alpha
            assert [child.move for child in node.searched] + node.left_out == node.position.legal_moves()


def of_the_mover(value, position):
    return value if position.turn == WHITE else -value


@pytest.mark.parametrize("text", RANDOM_TEXTS[:6])
@pytest.mark.parametrize("order", agon_ai.ORDERS)
def test_one_function_for_both_sides_finds_what_a_function_for_each_side_finds(text, order):
    position = pos(text)
    value = of_the_mover(agon_ai.negamax(position, 2), position)
    assert agon_ai.minimax(position, 2, order=order).value == value
    assert agon_ai.alpha_beta(position, 2, order=order).value == value


def test_wins_of_both_sides_are_found_by_both_ways_of_saying_it():
    for text, rules in ((SEAT_AND_WIN, DEFAULT_RULES), ("Qf11 a2 b7 d1 / Qf6 c3 e6 f5 f7 g5 g6 w", DEFAULT_RULES),
                        ("Qf4 e5 e6 f5 f7 g6 h4 / Qf11 h7 w", DEFAULT_RULES),
                        ("Qf4 e5 e6 f5 f7 g6 h4 / Qf11 h7 w", Rules(empty_throne_loses=False))):
        position = pos(text)
        values = [of_the_mover(agon_ai.negamax(position, 3, rules), position),
                  agon_ai.alpha_beta(position, 3, rules).value,
                  agon_ai.alpha_beta(position, 3, rules, "good").value]
        assert len(set(values)) == 1
    assert agon_ai.minimax(pos(SEAT_AND_WIN), 1).value == agon_ai.WIN - 1
    assert agon_ai.minimax(pos("Qf11 a2 / Qf6 e5 e6 f7 g5 g6 e4 b"), 1).value == 1 - agon_ai.WIN


@pytest.mark.parametrize("text", RANDOM_TEXTS[:2])
def test_the_better_the_order_of_the_moves_the_more_is_cut_off(text):
    good, bad = (agon_ai.alpha_beta(pos(text), 2, order=order).nodes for order in ("good", "bad"))
    by_lot = [agon_ai.alpha_beta(pos(text), 2, order="random") for _ in range(2)]
    assert good < by_lot[0].nodes < bad
    assert by_lot[0].moves == by_lot[1].moves != pos(text).legal_moves()


def traced(position, depth, is_plain):
    """What the functions of the tree really do: the lines they come to, with the names and numbers of that moment."""
    seen = []
    functions = {getattr(agon_ai, name).__wrapped__.__code__: name
                 for name in ("largest", "smallest", "largest_within", "smallest_within")}

    def on_line(frame, event, _argument):
        name = functions.get(frame.f_code)
        if name is None:
            return None
        first = frame.f_code.co_firstlineno + 1  # behind the decorator
        number = 0 if event == "call" else frame.f_lineno - first
        # Python 3.14 does not tell that it comes to the line `return` behind a loop, but every Python that it returns.
        is_return = agon_ai.source_of(name)[number].strip().startswith("return")
        if event == ("return" if is_return else "line") or event == "call":
            seen.append((name, number, {key: frame.f_locals.get(key) for key in ("alpha", "beta", "best")}))
        return on_line

    before = sys.gettrace()
    sys.settrace(on_line)
    try:
        (agon_ai.minimax if is_plain else agon_ai.alpha_beta)(position, depth)
    finally:
        sys.settrace(before)
    return seen


@pytest.mark.parametrize("text", ["Qf2 d4 c5 / Qf10 d5 w", "Qf2 d4 c5 / Qf10 d5 b", SEAT_AND_WIN])
@pytest.mark.parametrize("is_plain", [True, False])
def test_the_steps_told_of_a_tree_are_what_its_functions_do(text, is_plain):
    position = pos(text)
    steps = list(agon_ai.tree_steps(agon_ai.tree_lines(position, 2, plain=is_plain)[0], position.turn, is_plain))
    seen = traced(position, 2, is_plain)
    lines = {name: agon_ai.source_of(name) for name in ("largest", "smallest", "largest_within", "smallest_within")}
    assert [(step.function, step.line) for step in steps if step.kind in ("enter", "leaf", "cut", "leave")] == [
        (name, number) for name, number, _ in seen
        if lines[name][number].split()[0] in ("def", "break") or lines[name][number].strip().startswith("return")]
    # What a value that comes back changes shows when the next line of its function begins.
    told = [step.best for step in steps if step.kind == "value"]
    if is_plain:
        assert len(told) == len(agon_ai.tree_lines(position, 2, plain=True)[0]) - 1
    else:
        assert told == [names["best"] for name, number, names in seen
                        if lines[name][number].strip().startswith(("alpha = ", "beta = "))]
        bounds = [names for name, number, names in seen if "if alpha" in lines[name][number]]
        moved = [place for place, step in enumerate(steps) if step.kind == "value"]
        after = [steps[place + 1] if steps[place + 1].kind in ("alpha", "beta") else steps[place] for place in moved]
        assert [(step.alpha, step.beta) for step in after] == [(names["alpha"], names["beta"]) for names in bounds]
        assert {"alpha", "beta"} <= {step.kind for step in steps}


def test_a_step_of_a_tree_names_a_line_that_can_be_shown():
    for name in ("largest", "smallest", "largest_within", "smallest_within"):
        source = agon_ai.source_of(name)
        assert source[0].startswith(f"def {name}(") and source[-1] == "    return best" and len(source) <= 12
    position = pos("Qf2 d4 / Qf10 d5 w")
    kinds = {step.kind for step in agon_ai.tree_steps(agon_ai.tree_lines(position, 2)[0], WHITE)}
    assert kinds == {"enter", "leaf", "value", "alpha", "beta", "cut", "leave"}


@pytest.mark.parametrize("text", RANDOM_TEXTS)
@pytest.mark.parametrize("depth", [1, 2])
def test_the_plain_search_finds_the_value_of_minimax(text, depth):
    game = game_at(text)
    assert agon_ai.search(game, depth=depth, tricks=PLAIN).score == agon_ai.negamax(game.position, depth)


@pytest.mark.parametrize("text", RANDOM_TEXTS[:4])
def test_the_plain_search_finds_the_value_of_minimax_at_depth_3(text):
    game = game_at(text)
    found = agon_ai.search(game, depth=3, tricks=PLAIN).score
    assert found == of_the_mover(agon_ai.alpha_beta(game.position, 3).value, game.position)


@pytest.mark.parametrize("trick", ["table", "scout", "ordering"])
@pytest.mark.parametrize("text", RANDOM_TEXTS[:6])
def test_a_sound_trick_never_changes_the_value(trick, text):
    game = game_at(text)
    tricky = PLAIN._replace(**{trick: True})
    assert agon_ai.search(game, depth=3, tricks=tricky).score == agon_ai.search(game, depth=3, tricks=PLAIN).score


def nodes_to_depth_4(tricks):
    """How many positions the search looks at in the positions of `bench`, with weights that are not learnt anew."""
    return sum(agon_ai.search(game_at(text), depth=4, tricks=tricks, weights=agon_ai.SIMPLE).nodes
               for text in agon_ai.BENCH_POSITIONS)


def test_each_trick_saves_nodes_and_all_together_save_most():
    with_all, plain = nodes_to_depth_4(agon_ai.Tricks()), nodes_to_depth_4(PLAIN)
    # Measured: 1.27, 2.4, 1.13 and 2.4 times as many without.
    for trick, saved in (("table", 1.2), ("scout", 2), ("ordering", 1.1), ("reductions", 2)):
        assert saved * with_all < nodes_to_depth_4(agon_ai.Tricks()._replace(**{trick: False})) < plain, trick


#: Positions from games in which the sides like to go inwards, so that their pieces meet.
MEETING_POSITIONS = list(meeting_positions(80, 1))


def test_the_fast_evaluation_is_the_sum_of_all_counts_each_times_its_weight():
    for position in MEETING_POSITIONS:
        counts = agon_ai.counts(position)
        total = sum(count * agon_ai.weight_of(agon_ai.WEIGHTS, term) for term, count in counts.items())
        assert agon_ai.evaluate(position) == total, str(position)


# A second implementation of what the evaluation counts, after the descriptions of its weights.

def steps_inwards_end(cell: XY) -> List[XY]:
    """The cells of ring 1 to which steps inwards lead."""
    return [cell] if ring(cell) == 1 else [
        end for near in around(cell) if ring(near) < ring(cell) for end in steps_inwards_end(near)]


@functools.lru_cache(maxsize=None)
def sideways_steps(cell: XY, goal: XY) -> int:
    """How many of the steps from a cell to a goal on ring 1 are not inwards, at least."""
    steps, reached = 0, {cell}
    while goal not in reached:
        reached |= {near for here in reached for near in around(here) if 1 <= ring(near) <= ring(here)}
        steps += 1
    return steps - (ring(cell) - 1)


def kind_of(cell: XY) -> Tuple[int, int]:
    """Ring of a cell, and steps to the nearest of the ring's six corners."""
    return ring(cell), min(ring((cell[0] - q * ring(cell), cell[1] - r * ring(cell))) for q, r in around((0, 0)))


KINDS_IN_ORDER = sorted({kind_of(cell) for cell in ALL})
PATTERNS_IN_ORDER = ("...... x..... x..x.. x.x... xx.... x.x.x. xx.x.. xxx... "
                     "xx.xx. xxx.x. xxxx.. xxxxx. xxxxxx").split()


def pattern_number(cells: List[XY]) -> int:
    """Which of the patterns these cells of ring 1 form when they are turned or mirrored suitably."""
    round_the_throne = [turned((1, 0), turns, False) for turns in range(6)]
    signs = "".join("x" if cell in cells else "." for cell in round_the_throne)
    images = [text[turn:] + text[:turn] for text in (signs, signs[::-1]) for turn in range(6)]
    return [number for number, pattern in enumerate(PATTERNS_IN_ORDER) if pattern in images][0]


def slow_side_counts(board: Board, side: str) -> "collections.Counter[Tuple[str, int]]":
    guards = [cell for cell, letter in board.items() if letter == side]
    own = [cell for cell, letter in board.items() if owner(letter) == side]
    found: "collections.Counter[Tuple[str, int]]" = collections.Counter()
    for cell in own:
        found["guard" if cell in guards else "queen", KINDS_IN_ORDER.index(kind_of(cell))] += 1
        if cell not in guards:
            found["escort", 0] += sum(near in guards for near in around(cell))
    for place, rings in enumerate(((0, 1, 2, 3), (4, 5))):
        there = [cell for cell in guards if ring(cell) in rings]
        found["beside", place] += sum(near in there for cell in there for near in around(cell)) // 2
        found["reach", place] += len({near for cell in own for near in around(cell)
                                      if ring(near) <= ring(cell) and near not in own and ring(near) in rings})
    for word, far in zip(("last", "second"), sorted(map(ring, guards), reverse=True)):
        found[word, far] += 1
    found["unaimed", 0] += len(set(around((0, 0))) - {end for cell in guards for end in steps_inwards_end(cell)})
    goals = list(itertools.permutations(around((0, 0)), len(guards)))
    found["detour", 0] += min(sum(map(sideways_steps, guards, chosen)) for chosen in goals)
    found["seated" if board.get((0, 0)) == side.upper() else "waiting",
          pattern_number([cell for cell in guards if ring(cell) == 1])] += 1
    return found


def slow_victims(board: Board, side: str) -> List[XY]:
    """The enemy guards with a piece of this side at one side, and at the other a free cell it can step to."""
    landing = {near for cell in board if owner(board[cell]) == side for near in around(cell)
               if ring(near) <= ring(cell) and near not in board and not squeezing(board, near, other(side))}
    return [cell for cell, letter in board.items() if letter == other(side) and any(
        owner(board.get(moved(cell, step, way))) == side and moved(cell, step, -way) in landing
        for step in STRAIGHT for way in (1, -1))]


def slow_counts(board: Board, side: str) -> Dict[Tuple[str, int], int]:
    total = slow_side_counts(board, side)
    total.subtract(slow_side_counts(board, other(side)))
    trapped = slow_trapped(board, side)
    for cell in trapped:
        total["trapped", KINDS_IN_ORDER.index(kind_of(cell))] += board[cell] == side
    for cell in [] if trapped else slow_victims(board, side):
        total["threat", ring(cell)] += 1
    for cell in slow_victims(board, other(side)):
        total["danger", ring(cell)] += 1
    return {term: count for term, count in total.items() if count}


def test_the_counts_are_those_that_the_weights_describe():
    for position in MEETING_POSITIONS:
        found = {term: count for term, count in agon_ai.counts(position).items() if count}
        assert found == slow_counts(*read_board(str(position))), str(position)


@pytest.mark.parametrize("text, terms", [
    ("d4 e4 a5 / w", {("guard", 2): 1, ("guard", 3): 1, ("guard", 10): 1}),
    ("Qf6 f7 g7 / w", {("queen", 0): 1, ("escort", 0): 1, ("beside", 0): 1, ("last", 2): 1, ("second", 1): 1}),
    ("Qf6 f7 g6 f5 / w", {("seated", 6): 1, ("escort", 0): 3}), ("Qf4 f7 f5 / w", {("waiting", 2): 1}),
    ("a1 / w", {("unaimed", 0): -1, ("reach", 1): 3}),
    ("d4 / d3 d5 w", {("trapped", 2): 1}), ("Qd4 / d3 d5 w", {("trapped", 2): 0}),
    ("d3 c5 / d4 w", {("threat", 2): 1}), ("c3 f3 / d4 w", {("threat", 2): 0}), ("d4 / d3 c5 w", {("danger", 2): 1})])
def test_what_is_counted_of_a_few_pieces(text, terms):
    found = agon_ai.counts(pos(text))
    assert {term: found[term] for term in terms} == terms


#: Small positions with all their counts: what is White's, less what is Black's.
COUNTED = {
    # Two guards side by side on ring 1 leave four goals without a guard aiming at them; a1 is in line with one goal.
    "e6 f7 / a1 w": "guard1 2, guard9 -1, beside0 1, reach0 3, reach1 -3, last1 1, last5 -1, second1 1, unaimed -1, "
                    "waiting4 1, waiting0 -1",
    # A queen on the throne beside three guards in a row, two pairs of them.
    "Qf6 e6 f7 g6 / Qa1 e3 b1 w": "guard1 3, guard5 -1, guard10 -1, queen0 1, queen9 -1, escort 2, beside0 2, reach0 -2, "
                                  "reach1 -4, last1 1, last5 -1, second1 1, second3 -1, unaimed -1, seated7 1, "
                                  "waiting0 -1",
    # e5 and g6 are opposite each other across the throne.
    "Qf6 e6 g5 / Qf1 w": "guard1 2, queen0 1, queen9 -1, escort 2, reach0 4, reach1 -3, last1 1, second1 1, unaimed -2, "
                         "seated2 1, waiting0 -1",
    # A pair on ring 5; on ring 4 and 5 none side by side.
    "a5 a6 / l6 f2 w": "guard10 1, guard6 -1, beside1 1, reach0 -1, reach1 -1, second5 1, second4 -1",
    # f4 stands between f3 and f5.
    "f4 / f3 f5 w": "guard2 1, guard1 -1, guard4 -1, reach0 -3, last2 1, last3 -1, second1 -1, waiting0 1, waiting1 -1, "
                    "detour -1, trapped2 1",
    "Qf4 a1 / f3 f5 w": "guard9 1, guard1 -1, guard4 -1, queen2 1, reach0 -3, reach1 3, last5 1, last3 -1, second1 -1, "
                        "waiting0 1, waiting1 -1, detour -1",
    # e3-f3 would enclose f4.
    "e3 f5 / f4 b1 w": "guard1 1, guard5 1, guard2 -1, guard10 -1, reach0 4, reach1 -4, last3 1, last5 -1, second1 1, "
                       "second2 -1, waiting1 1, waiting0 -1, threat2 1",
    "f4 b1 / e3 f5 w": "guard2 1, guard10 1, guard1 -1, guard5 -1, reach0 -4, reach1 4, last5 1, last3 -1, second2 1, "
                       "second1 -1, waiting0 1, waiting1 -1, danger2 1",
    # f2-f3 would enclose f4, but f3 lies between e3 and g2: no piece may go there.
    "f2 f5 / f4 e3 g2 w": "guard1 1, guard6 1, guard2 -1, guard5 -1, guard7 -1, beside0 -1, reach0 -2, second1 1, "
                          "second3 -1, unaimed 2, detour 1, waiting1 1, waiting0 -1",
}


def counted(text):
    """The counts written in a row of COUNTED."""
    counts = {}
    for words in text.split(", "):
        term, count = words.split()
        name = term.rstrip("0123456789")
        counts[name, int(term[len(name):] or 0)] = int(count)
    return counts


@pytest.mark.parametrize("text", COUNTED)
def test_a_position_has_these_counts(text):
    counts = agon_ai.counts(Position.from_text(text))
    assert {term: count for term, count in counts.items() if count} == counted(COUNTED[text])


@pytest.mark.parametrize("name", agon_ai.Weights._fields)
def test_an_idea_left_out_takes_exactly_its_part_from_the_evaluation(name):
    seen = False
    for text, row in COUNTED.items():
        part = sum(count * agon_ai.weight_of(agon_ai.WEIGHTS, term)
                   for term, count in counted(row).items() if term[0] == name)
        weights, tricks = agon_ai.leave_out([name])
        position = Position.from_text(text)
        assert agon_ai.evaluate(position) - agon_ai.evaluate(position, weights) == part
        assert tricks == agon_ai.Tricks()
        seen = seen or part != 0
    assert seen


def test_the_kinds_of_cells_are_what_the_twelve_symmetries_leave():
    assert len(agon_ai.KINDS) == 12 and len(agon_ai.PATTERNS) == 13
    for cell in CELLS:
        alike = {turned_cell(cell, turns, mirrored) for turns in range(6) for mirrored in (False, True)}
        assert {other for other in CELLS if agon_ai.KIND[other] == agon_ai.KIND[cell]} == alike


def turned_cell(cell, turns, mirrored):
    """The cell after so many turns of 60 degrees, and perhaps a reflection."""
    q, r = agon_core.axial(cell)
    if mirrored:
        q, r = r, q
    for _ in range(turns):
        q, r = -r, q + r
    return THRONE + q * agon_core.COLUMN + r * agon_core.ROW


def test_the_counts_of_one_side_are_those_of_the_other_with_the_sign_changed():
    of_the_mover = {"threat", "danger", "trapped"}
    for position in MEETING_POSITIONS:
        counts, other = (agon_ai.counts(side) for side in (position, position.with_turn(1 - position.turn)))
        assert {term: count for term, count in counts.items() if count and term[0] not in of_the_mover} == {
            term: -count for term, count in other.items() if count and term[0] not in of_the_mover}


def test_just_before_the_horizon_the_score_is_that_of_the_best_child():
    """The short way through the steps finds the same as an evaluation of every child, and true bounds."""
    with_trapped = 0
    for position in MEETING_POSITIONS:
        with_trapped += bool(position.trapped())
        children = [position.after(agon_core.change_of(move)) for move in position.legal_moves()]
        ends = [agon_ai.end_value(child, DEFAULT_RULES, 1) for child in children]
        best = max(-(agon_ai.evaluate(child) if end is None else end) for child, end in zip(children, ends))
        searcher = agon_ai.Searcher(Game(position), depth=2, tricks=PLAIN)

        def frontier(alpha, beta):
            return searcher.frontier(position.own, position.enemy, position.queens, alpha, beta, 0, 0)[0]

        assert frontier(-agon_ai.INFINITY, agon_ai.INFINITY) == best, str(position)
        for alpha in (best - 40, best - 1, best, best + 40):
            bound = frontier(alpha, alpha + 1)
            assert alpha < bound <= best if best > alpha else best <= bound <= alpha, str(position)
    assert with_trapped >= 4


# -- explanations --

def test_the_parts_of_the_evaluation_add_up_to_it():
    positions = MEETING_POSITIONS + [game.position for game in RANDOM_GAMES] + [
        pos(text) for text in ("Qf6 / a1 w", "a1 / Qf6 b", "Qf6 e5 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 b")]
    with_trapped = 0
    for position in positions:
        with_trapped += bool(position.trapped())
        explanation = agon_ai.explain(position)
        assert explanation.white - explanation.black == of_the_mover(agon_ai.evaluate(position), position), str(position)
        assert [part.name for part in explanation.parts] == list(agon_ai.PARTS)
    assert with_trapped >= 4


def test_every_weight_belongs_to_one_part_of_the_evaluation():
    names = [name for of_the_part, _ in agon_ai.PARTS.values() for name in of_the_part]
    assert sorted(names) == sorted(agon_ai.Weights._fields)


def parts_of(text):
    return {part.name: part[1:] for part in agon_ai.explain(pos(text)).parts}


def test_a_part_of_the_evaluation_stands_on_the_side_it_belongs_to():
    weights, kind = agon_ai.WEIGHTS, agon_ai.KIND
    white, black = parts_of("Qf1 d5 b2 / Qf11 c4 e4 w"), parts_of("Qf11 c4 e4 / Qf1 d5 b2 b")
    for parts, own, other in ((white, 0, 1), (black, 1, 0)):
        assert parts["threats"][own] == weights.threat[3] != 0 == parts["threats"][other]
        assert parts["guards"][own] == sum(weights.guard[kind[parse_cell(cell)]] for cell in ("d5", "b2"))
        assert parts["guards"][other] == sum(weights.guard[kind[parse_cell(cell)]] for cell in ("c4", "e4"))
        assert parts["trapped"] == (0, 0)
    assert parts_of("Qf1 d5 / Qf11 c5 e5 w")["trapped"] == (weights.trapped[kind[parse_cell("d5")]], 0) != (0, 0)


def test_the_parts_of_the_evaluation_are_printed_as_a_table(capsys):
    assert agon_ai.main(["analyse", SEAT_AND_WIN, "--explain", "--depth", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    end = next(number for number, line in enumerate(lines) if line.startswith("White less Black: "))
    rows = {line[:54].strip(): tuple(agon_ai.parse_steps(word) for word in line[54:].split()) for line in lines[1:end]}
    explanation = agon_ai.explain(pos(SEAT_AND_WIN))
    told = {agon_ai.PARTS[part.name][1]: part[1:] for part in explanation.parts if part[1:] != (0, 0)}
    assert rows == {**told, "together": (explanation.white, explanation.black)} and 5 < len(told) < len(agon_ai.PARTS)
    assert lines[0].split() == ["White", "Black"]
    assert lines[end] == f"White less Black: {agon_ai.steps_text(agon_ai.evaluate(pos(SEAT_AND_WIN)))} guard's steps"
    assert lines[-2:] == ["best move e4-f5#, score win in 1 for White", "It wins in 1."]


#: A move for each kind of reason, and the reason in words.
REASONS = {
    "wins": ("Qf6 e5 e6 f4 f7 g5 g6 / Qg7 c3 d4 e7 g4 h5 h7 w", "f4-f5", "wins in 1"),
    "only": ("Qf6 / Qa3 f7 g3 w", "--", "is the only possible move"),
    "prevents": ("Qf6 e5 e6 f7 g5 g6 e4 / Qd1 e3 d4 k4 b", "e3-f4", "prevents e4-f5#"),
    "traps": ("Qf1 d5 b2 / Qf11 c4 e4 w", "b2-b3", "traps c4"),
    "protects": ("Qf6 a6 b5 d6 e8 g5 g6 / Qf8 d5 f5 g8 h4 h6 k3 w", "g6-f7", "protects f6 against Qf8-f7+"),
    "escapes": ("Qf1 d5 / Qf11 c5 e4 w", "d5-d6", "takes d5 out of the way of e4-e5+"),
    "threatens": ("Qf1 c5 e3 / Qf11 d5 w", "e3-e4", "threatens e4-e5+"),
    "throne": ("Qf5 a5 / Qf11 l6 w", "f5-f6", "brings the queen to the throne"),
    "home": ("Qf1 e4 / Qf11 l6 w", "e4-e5", "brings a guard home to e5"),
    "nearer": ("Qf1 a5 / Qf11 l6 w", "a5-b5", "brings a piece nearer to the throne"),
}


@pytest.mark.parametrize("kind", REASONS)
def test_a_reason_for_a_move_is_told(kind):
    text, move, told = REASONS[kind]
    reason = agon_ai.reason(game_at(text), mv(move), score=0)
    assert reason.kind == kind and agon_ai.reason_text(reason) == told


def test_nothing_is_said_of_a_move_without_a_reason():
    for text, move in (("Qf1 a5 / Qf11 l6 w", "a5-a4"), ("Qf1 c5 e3 / Qf11 d5 w", "e3-d3"),
                       ("Qf1 d5 / Qf11 c5 e4 w", "d5-d4"),  # e4 can still trap it there
                       ("Qf3 d6 e5 g4 g6 i3 i6 / Qe4 d5 e6 e7 f2 h2 k6 w", "e5-h9")):
        assert agon_ai.reason(game_at(text), mv(move), score=0) is None


def test_a_threat_to_win_is_told_before_anything_smaller():
    game = game_at("Qf6 e5 e6 f7 g5 g6 d3 / Qf11 l6 w")
    assert agon_ai.reason_text(agon_ai.reason(game, mv("d3-e4"), score=0)) == "threatens e4-f5#"


@pytest.mark.parametrize("score", [None, "found"])
def test_a_sure_win_or_loss_is_the_reason_told(score):
    wins = game_at("Qf6 c3 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w")
    for move, number in (("c3-d4", 2), ("c3-d3", 3)):
        found = None if score is None else agon_ai.WIN - 2 * number + 1
        assert agon_ai.reason(wins, mv(move), found) == agon_ai.Reason("wins", number=number)
    lost = game_at("Qf11 a2 b7 d1 h1 k7 l2 / Qf6 c3 e6 f5 f7 g5 g6 w")
    found = None if score is None else 4 - agon_ai.WIN
    assert agon_ai.reason(lost, mv("f11-f10"), found) == agon_ai.Reason("lost", number=2)


def test_a_move_that_ends_the_game_at_once_is_told_as_what_it_is():
    draw = game_at("Qf1 a5 / Qf11 l6 w")
    for move in "f1-e1 f11-e10 e1-f1 e10-f11 f1-e1 f11-e10 e1-f1".split():
        draw.play(mv(move))
    assert agon_ai.reason(draw, mv("e10-f11")).kind == "draws"
    loss = game_at("Qf4 d4 e6 f5 f7 g5 g6 / Qf11 l6 w")
    assert agon_ai.reason(loss, mv("d4-e5")).kind == "lost"
    with pytest.raises(IllegalMove):
        agon_ai.reason(loss, mv("d4-d6"))


def test_a_reason_leaves_the_game_as_it_is():
    game = game_at("Qf1 d5 b2 / Qf11 c4 e4 w")
    agon_ai.reason(game, mv("b2-b3"))
    assert game.length == 0 and game.outcome() is None


# -- review --

@pytest.mark.parametrize("lost, mark", [(9, ""), (11, "?!"), (19, "?!"), (21, "?"), (29, "?"), (31, "??"), (99, "??")])
def test_a_move_is_marked_by_how_much_less_likely_it_makes_a_win(lost, mark):
    share = 1 - lost / 100
    after = round(agon_ai.CHANCE_BEND * math.asinh(math.log(share / (1 - share)) / agon_ai.CHANCE_STEEPNESS))
    assert agon_ai.mark_of(agon_ai.WIN - 7, after) == mark  # a win in four that is not sure any more


def test_what_does_not_change_the_chances_is_no_mistake():
    assert agon_ai.mark_of(900, 700) == agon_ai.mark_of(-700, -900) == agon_ai.mark_of(300, 400) == ""
    assert agon_ai.mark_of(agon_ai.WIN - 1, agon_ai.WIN - 9) == agon_ai.mark_of(5 - agon_ai.WIN, 3 - agon_ai.WIN) == ""


def test_a_missed_win_in_one_to_three_counts_always():
    for moves, mark in ((1, "?!"), (2, "?!"), (3, "?!"), (4, "")):
        assert agon_ai.mark_of(agon_ai.WIN - 2 * moves + 1, 100_000) == mark


def test_the_chance_of_winning_grows_with_the_score():
    chances = [agon_ai.chance(score) for score in (-agon_ai.WIN, -100_000, -500, 0, 500, 100_000, agon_ai.WIN)]
    assert chances == sorted(chances) and chances[3] == 0.5
    assert chances[0] == 0 and chances[-1] == 1 and chances[2] + chances[4] == pytest.approx(1)


def mistakes_in(game: Game, sides: Sequence[int] = (WHITE, BLACK)) -> "List[agon_ai.Mistake]":
    """The mistakes of these sides in a game, found with 300 positions for each move."""
    review = agon_ai.Review(game, sides)
    while review.question:
        agon_ai.look_further(review, nodes=300)
    return review.mistakes


def lost_points(mistake: "agon_ai.Mistake") -> int:
    """By how many points of 100 the chance of winning has sunk."""
    return round(100 * (agon_ai.chance(mistake.before) - agon_ai.chance(mistake.after)))


def test_a_review_names_the_mistake_with_the_better_move_its_line_and_its_reason():
    text = "Qf6 c3 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w"
    game = played("e6-e5 f11-f10", text)
    (mistake,) = mistakes_in(game)
    assert (mistake.ply, mistake.position, mistake.move, mistake.better) == (0, pos(text), mv("e6-e5"), mv("c3-d4"))
    assert mistake.missed_win == 2 and mistake.reason == agon_ai.Reason("wins", number=2)
    assert agon_ai.better_play(mistake).outcome().winner == WHITE and len(mistake.line) == 3
    assert agon_ai.mistake_text(mistake) == "misses a win in 2; better c3-d4"
    assert game.length == 2 and not (game.marks or game.comments or game.variations)
    assert mistakes_in(game, (BLACK,)) == []


def test_a_move_that_loses_at_once_is_a_blunder():
    (mistake,) = mistakes_in(played("d4-e5", "Qf4 d4 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w"))
    assert mistake.mark == "??" and mistake.after == 1 - agon_ai.WIN and mistake.missed_win == 0
    assert lost_points(mistake) == round(100 * agon_ai.chance(mistake.before))
    assert re.fullmatch(r"chance of winning \d+ % -> 0 %; better \S+( \(.+\))?", agon_ai.mistake_text(mistake))


def test_moves_taken_back_are_looked_through_too():
    game = played("d4-e5", "Qf4 d4 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w")
    game.undo()
    assert [mistake.ply for mistake in mistakes_in(game)] == [0]
    assert game.ply == 0 and game.length == 1


def answered(review, *answers):
    """Answer a review's questions, each a score and a line; the moves that lead to the positions it asks about."""
    positions = []
    for score, line in answers:
        positions.append(" ".join(map(str, review.question.moves)))
        review.answer(score, [mv(word) for word in line.split()])
    return positions


def test_a_review_asks_for_one_position_after_the_other_and_twice_where_it_doubts():
    review = agon_ai.Review(played("a5-b5 f11-f10"))
    assert answered(review, (2500, "b1-c2 f11-f10"), (2500, "f11-f10"), (-2480, "f11-e10 c2-d3"), (90, "b1-c2")) == [
        "", "a5-b5", "b1-c2", "a5-b5 f11-f10"]
    assert review.question is None and review.done == 3
    assert review.scores == {0: 2500, 1: -2500, 2: 90}
    (mistake,) = review.mistakes
    assert (mistake.ply, mistake.before, mistake.after) == (0, 2480, -2500)
    assert mistake.line == tuple(map(mv, ["b1-c2", "f11-e10", "c2-d3"]))


def test_a_second_look_may_find_that_a_move_is_no_mistake():
    review = agon_ai.Review(played("a5-b5 f11-f10"))
    answered(review, (2500, "b1-c2"), (2500, "f11-f10"), (2490, "f11-f10"), (90, "b1-c2"))
    assert review.mistakes == [] and review.question is None


def test_the_best_move_and_the_other_side_s_are_no_mistakes():
    review = agon_ai.Review(played("a5-b5 f11-f10"))
    assert answered(review, (2500, "a5-b5"), (2500, "f11-f10"), (2500, "b1-c2")) == ["", "a5-b5", "a5-b5 f11-f10"]
    assert review.mistakes == []
    review = agon_ai.Review(played("a5-b5 f11-f10"), (BLACK,))
    assert answered(review, (2500, "b1-c2"), (2500, "f11-e10"), (2500, "b1-c2"), (-2500, "a5-a6")) == [
        "", "a5-b5", "a5-b5 f11-f10", "a5-b5 f11-e10"]
    assert [mistake.ply for mistake in review.mistakes] == [1]


def test_of_a_side_without_mistakes_the_moves_that_cost_the_most_are_its_tasks():
    review = agon_ai.Review(played("a5-b5 f11-f10"))
    assert answered(review, (0, "b1-c2"), (800, "f11-f10"), (10, "f11-e10"), (-800, "b1-c2")) == [
        "", "a5-b5", "b1-c2", "a5-b5 f11-f10"]
    (weak,) = review.tasks((WHITE,))
    assert review.mistakes == [] and (weak.mark, lost_points(weak), weak.missed_win) == ("", 4, 0)
    assert weak.line == tuple(map(mv, ["b1-c2", "f11-e10"])) and (weak.before, weak.after) == (-10, -800)
    assert review.tasks((BLACK,)) == []
    review.weak[:] = [weak._replace(ply=2 * number, after=-10 * score) for number, score in enumerate((70, 95, 65, 90, 80))]
    assert [task.ply for task in review.tasks((WHITE, BLACK))] == [2, 6, 8]
    review.mistakes.append(weak._replace(mark="?!", ply=4))
    assert review.tasks((WHITE,)) == review.mistakes


def test_a_move_that_costs_little_is_not_even_weak():
    review = agon_ai.Review(played("a5-b5"))
    answered(review, (0, "b1-c2"), (500, "f11-f10"))
    assert review.weak == [] and review.question is None and 2 < agon_ai._lost(0, -500) < agon_ai.WEAK_POINTS


def test_a_mistake_is_mended_by_a_move_that_is_none_and_a_weak_move_by_half_its_cost():
    bad = agon_ai.Mistake(0, pos(ONE_MOVE_TO_WIN), mv("h5-h4"), "??", (mv("h5-g6"),), 0, -2900, None)
    assert agon_ai.mark_of(0, -1200) == "" != agon_ai.mark_of(0, -1600)
    assert bad.is_mended_by(-1200) and not bad.is_mended_by(-1600)
    weak = bad._replace(mark="", after=-900)
    assert weak.is_mended_by(0) and weak.is_mended_by(-450) and not weak.is_mended_by(-600)
    assert not weak._replace(after=0).is_mended_by(0)


def test_weak_moves_are_written_into_a_game_without_a_mark():
    game = played("a5-b5 f11-f10")
    agon_ai.annotate(game, [agon_ai.Mistake(0, game.start, mv("a5-b5"), "", (mv("b1-c2"),), 0, -900, None)])
    assert game.marks == {} and "better b1-c2" in game.comments[1] and len(game.variations[0]) == 1


def test_a_game_without_moves_or_with_an_end_is_reviewed_as_far_as_it_goes():
    review = agon_ai.Review(game_at("Qf1 / Qf11 w"))
    answered(review, (0, "f1-f2"))
    assert review.question is None and review.done == 1
    assert agon_ai.Review(game_at("Qf6 e5 e6 f5 f7 g5 g6 / Qf11 w")).question is None
    won = agon_ai.Review(played("e4-f5", SEAT_AND_WIN))
    answered(won, (agon_ai.WIN - 1, "e4-f5"))
    assert won.question is None and won.scores == {0: agon_ai.WIN - 1, 1: agon_ai.WIN}


def test_mistakes_are_written_into_the_game_once_and_what_stands_there_stays():
    game = played("e6-e5 f11-f10", "Qf6 c3 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w")
    game.comments[1] = "a pity"
    mistakes = mistakes_in(game)
    agon_ai.annotate(game, mistakes)
    text = game.to_text()
    assert re.match(r"1\. e6-e5\?! \(1\. c3-d4 \S+ 2\. d4-e5#\) { a pity misses a win in 2; better c3-d4 } 1\.\.\. Qf11-f10",
                    " ".join(text.split("\n\n")[1].split()))
    again = Game.from_text(text)
    agon_ai.annotate(again, mistakes)
    assert again.to_text() == text
    again.marks[0] = "!"
    agon_ai.annotate(again, mistakes, lambda mistake, rules: "in other words")
    assert again.marks == {0: "!"} and again.comments[1].endswith("in other words")


@pytest.fixture
def game_file(tmp_path):
    path = tmp_path / "game.agon"
    played("e6-e5 f11-f10", "Qf6 c3 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w").save(str(path))
    return path


def test_the_review_command_prints_mistakes_and_leaves_the_file_alone(game_file, capsys):
    before = game_file.read_bytes()
    assert agon_ai.main(["review", str(game_file), "--nodes", "300"]) == 0
    told, text = capsys.readouterr().out.split("\n\n", 1)
    first, line, *rest = told.splitlines()
    assert first == "1. e6-e5?! misses a win in 2; better c3-d4" and re.fullmatch(r"    c3-d4 \S+ d4-e5#", line)
    assert rest == ["White: 1 ?!, 0 ?, 0 ??", "Black: 0 ?!, 0 ?, 0 ??"]
    assert Game.from_text(text).marks == {0: "?!"}
    assert game_file.read_bytes() == before


def test_the_review_command_writes_what_it_is_told_to(game_file, tmp_path, capsys):
    out = tmp_path / "reviewed.agon"
    game_file.write_bytes(game_file.read_bytes() * 2)
    arguments = ["review", str(game_file), "--nodes", "300", "--side", "white", "--out", str(out)]
    assert agon_ai.main(arguments) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0::4] == ["game 1", "game 2"] and told[3::4] == ["White: 1 ?!, 0 ?, 0 ??"] * 2
    assert [game.marks for game in agon_core.load_games(str(out))] == [{0: "?!"}] * 2
    assert agon_ai.main(["review", str(tmp_path / "none.agon")]) == 1
    assert "none.agon" in capsys.readouterr().err


def test_a_piece_arrives_with_its_step_to_ring_1_or_the_throne_and_not_by_walking_round_it():
    position = pos("Qf5 e5 e4 / Qf11 w")
    reasons = {text: agon_ai._arrival(position, mv(text)) for text in ("e4-e5", "e5-e6", "e4-d4", "f5-f6", "f5-g5")}
    assert {text: found and found.kind for text, found in reasons.items()} == {
        "e4-e5": "home", "e5-e6": None, "e4-d4": None, "f5-f6": "throne", "f5-g5": None}


def test_what_marks_are_worth_shows_in_the_results_of_the_games():
    text = "Qf6 c3 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w"
    won, running = played("e6-e5 f11-f10 c3-d4 f10-f9 d4-e4 f9-f8", text), played("e6-e5", text)
    lost = played("d4-e5", "Qf4 d4 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w")
    mistake = agon_ai.Mistake(0, won.start, mv("e6-e5"), "?!", (mv("c3-d4"),), 0, 0, None)
    marked = [[mistake], [mistake._replace(mark="??")], [mistake]]
    assert lost.outcome() and running.outcome() is None
    won.resign(BLACK)
    assert agon_ai.worth_of_marks([won, lost, running], marked) == {
        "": [0.0, 1.0, 0.0, 1.0, 0.0], "?!": [1.0], "?": [], "??": [0.0]}


@pytest.mark.parametrize("bend", [800.0, 1e6])
def test_the_curve_is_the_one_that_explains_the_results_best(bend):
    steepness = 0.4 * bend / 1000
    samples = [(score, agon_ai.chance(score, steepness, bend)) for score in range(-2000, 2001, 100)]
    assert agon_ai.fitted_steepness(samples, bend) == pytest.approx(steepness)
    losses = [agon_ai.log_loss(samples, share * steepness, bend) for share in (0.8, 1, 1.2)]
    assert losses[1] == min(losses) < math.log(2)


def test_the_samples_of_a_game_are_told_from_the_side_to_move_and_end_with_its_result():
    samples = agon_ai.samples_of_a_game(5, 60, 1)
    assert samples == agon_ai.samples_of_a_game(5, 60, 1) != agon_ai.samples_of_a_game(2, 60, 1)
    results = [result for _, result in samples]
    assert set(results[::2]) | set(results[1::2]) == {0.0, 1.0} and len(set(results[::2])) == 1
    winner = results.index(1.0) % 2
    assert samples[-2:][(len(samples) - winner) % 2][0] > 1000  # who wins knows it at the end


def test_the_curve_command_plays_games_and_fits_a_curve(capsys, monkeypatch):
    monkeypatch.setattr(agon_ai, "LONGEST_GAME", 60)
    assert agon_ai.main(["curve", "--games", "5", "--nodes", "10"]) == 0
    told = capsys.readouterr()
    assert re.fullmatch(CURVE, told.out), told.out
    assert re.findall(r"(\d)/5 games", told.err) == ["1", "2", "3", "4", "5"]
    assert agon_ai.main(["curve", "--games", "5", "--nodes", "10"]) == 0
    assert capsys.readouterr().out == told.out


# -- results --

def test_a_position_in_which_nobody_can_move_is_worth_a_draw_at_the_horizon():
    own, enemy, queens, _turn = pos(f"{BLOCKED} w")
    searcher = agon_ai.Searcher(Game(), nodes=100, tricks=agon_ai.Tricks(contempt=False))
    for sides in ((own, enemy), (enemy, own)):
        assert searcher.visit(*sides, queens, 0, -1000, 1000, 3, 0) == agon_ai.DRAW


def test_a_win_in_one_is_found_and_named():
    analysis = agon_ai.search(game_at(SEAT_AND_WIN), depth=3)
    game = game_at(SEAT_AND_WIN)
    game.play(analysis.move)
    assert agon_ai.score_text(analysis.score) == "win in 1" and game.outcome().winner == 0


@pytest.mark.parametrize("level", range(3, 9))
def test_higher_levels_take_a_win_in_one(level):
    game = game_at(SEAT_AND_WIN)
    game.play(agon_ai.choose(game, level, seed=1).move)
    assert game.outcome() and game.outcome().winner == 0


def test_a_win_in_two_is_found_and_played():
    game = game_at("Qf6 c3 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w")
    analysis = agon_ai.search(game, depth=4)
    assert agon_ai.score_text(analysis.score) == "win in 2"
    for _ in range(3):
        game.play(agon_ai.search(game, depth=4).move)
    assert game.outcome() and game.outcome().winner == 0


def test_a_lost_side_still_moves():
    game = game_at("Qf11 a2 b7 d1 h1 k7 l2 / Qf6 c3 e6 f5 f7 g5 g6 w")
    analysis = agon_ai.search(game, depth=4)
    assert analysis.move in game.legal_moves()
    assert agon_ai.score_text(analysis.score).startswith("loss in")


def test_six_guards_round_an_empty_throne_are_avoided_unless_the_rules_allow_them():
    text = "Qf4 d4 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w"
    game = game_at(text)
    after = Game(game.position)
    after.play(agon_ai.search(game, depth=3).move)
    assert after.outcome() is None


@pytest.mark.parametrize("game", RANDOM_GAMES, ids=lambda game: str(len(game.moves)))
def test_the_move_is_legal_in_any_position(game):
    assert agon_ai.search(game, depth=1).move in game.legal_moves()
    for level in (1, 2, 4):
        assert agon_ai.choose(game, level, seed=3).move in game.legal_moves()


def test_the_move_is_legal_under_every_rule_option():
    for rules in (Rules(queen_first=True), Rules(empty_throne_loses=False), Rules(True, False)):
        for text in RANDOM_TEXTS:
            game = game_at(text, rules)
            if not game.outcome():
                assert agon_ai.search(game, depth=2).move in game.legal_moves()


def test_every_level_places_its_guards():
    for level in range(1, 7):
        game = Game(rules=PLACING)
        while game.is_placing and game.ply < 4:
            game.play(agon_ai.choose(game, level, seed=1).move)
        assert game.to_place(WHITE) == 4 and game.quiet_moves() == 0, level
    game = played("@a5 @b1 @d9 @h1 @l5 @a2 @h9 @k7 @k1 @c1 @d1", rules=PLACING)
    assert agon_ai.search(game, depth=3).pv[0].is_placement and not agon_ai.search(game, depth=3).pv[1].is_placement


def test_the_tricks_of_the_search_change_no_value_while_guards_are_placed():
    game = played("@a5 @b1 @d9 @h1 @l5 @a2 @h9 @k7 @k1", rules=PLACING)
    value = agon_ai.negamax(game.position, 2, PLACING)
    exact = agon_ai.Tricks(reductions=False, contempt=False)
    assert [agon_ai.search(game, depth=2, tricks=tricks).score for tricks in (PLAIN, exact)] == [value, value]


def test_a_position_with_few_pieces_is_played_too():
    for text in ("Qf1 / a5 w", "a5 / b2 w", "f3 / Qf6 b", "Qf6 / w".replace("/ w", "/ a1 w")):
        game = game_at(text)
        assert agon_ai.search(game, depth=3).move in game.legal_moves()


def test_a_search_in_a_finished_game_is_refused():
    game = Game()
    game.agree_draw()
    with pytest.raises(agon_ai.AgonError):
        agon_ai.search(game, depth=1)


def test_the_same_limits_give_the_same_analysis():
    first, second = (agon_ai.search(Game(), nodes=5000) for _ in range(2))
    assert first._replace(seconds=0) == second._replace(
        seconds=0) and first.nodes == second.nodes


def test_the_game_is_left_as_it_was():
    game = RANDOM_GAMES[3]
    before = game.positions, game.moves
    agon_ai.search(game, nodes=3000)
    assert (game.positions, game.moves) == before


@pytest.mark.parametrize("nodes", list(range(1, 60)) + [100, 333, 1000, 2500])
def test_an_interrupted_search_has_a_legal_move(nodes):
    game = RANDOM_GAMES[1]
    analysis = agon_ai.search(game, nodes=nodes)
    assert analysis.move in game.legal_moves()


def test_a_stopped_search_plays_the_move_of_the_last_finished_depth():
    reports = []
    analysis = agon_ai.search(Game(), nodes=5_000, on_info=reports.append)
    assert analysis.move == reports[-1].move and analysis.depth == reports[-1].depth
    assert [report.depth for report in reports] == list(range(1, len(reports) + 1))


def test_stop_ends_a_search_without_other_limits():
    reports = []
    agon_ai.search(Game(), stop=lambda: len(reports) >= 3, on_info=reports.append)
    assert len(reports) >= 3


def test_a_long_search_remembers_no_more_than_it_may(monkeypatch):
    monkeypatch.setattr(agon_ai, "TABLE_ENTRIES", 2_000)
    monkeypatch.setattr(agon_ai, "SIDE_VALUES_KEPT", 5_000)
    searcher = agon_ai.Searcher(game_at(agon_ai.BENCH_POSITIONS[1]), nodes=60_000)
    searcher.run()
    between_checks = 2_000  # without the limits it would be 9,600 and 15,600
    for size, limit in ((len(searcher.table), 2_000), (len(searcher.old_table), 2_000),
                        (sum(map(len, searcher.evaluation.sides.values())), 5_000)):
        assert 0 < size < limit + between_checks


def test_levels_with_different_weights_remember_together_no_more_than_one_may(monkeypatch):
    agon_ai.EVALUATIONS.clear()
    monkeypatch.setattr(agon_ai, "SIDE_VALUES_KEPT", 3_000)
    monkeypatch.setattr(agon_ai, "SIDE_STEPS_KEPT", 60)
    between_checks = 1_000  # without the limits there would be 9,800 values and 245 lists of steps
    for number, weights in enumerate((agon_ai.WEIGHTS, agon_ai.SIMPLE, agon_ai.CARELESS) * 2):
        agon_ai.search(RANDOM_GAMES[number], nodes=3_000, weights=weights)
        kinds = zip(*(evaluation.remembered() for evaluation in agon_ai.EVALUATIONS.values()))
        values, steps, others = (sum(map(len, itertools.chain(*kind))) for kind in kinds)
        assert values < 3_000 + between_checks and steps < 60 + between_checks / 10 and others < 3_000 + between_checks


def test_only_a_few_sets_of_weights_are_kept_ready():
    for detour in range(3 * agon_ai.EVALUATIONS_KEPT):
        agon_ai.evaluate(Position.start(), agon_ai.WEIGHTS._replace(detour=detour))
        assert 0 < len(agon_ai.EVALUATIONS) <= agon_ai.EVALUATIONS_KEPT


def test_every_line_of_multipv_is_legal_different_and_in_order():
    for game in RANDOM_GAMES[:6]:
        analysis = agon_ai.search(game, depth=2, multipv=3)
        assert len(analysis.lines) == min(3, len(game.legal_moves()))
        assert len({line.pv[0] for line in analysis.lines}) == len(analysis.lines)
        scores = [line.score for line in analysis.lines]
        assert scores == sorted(scores, reverse=True)
        for line in analysis.lines:
            position = game.position
            for move in line.pv:
                position = position.play(move, game.rules)


def test_multipv_scores_are_the_true_scores_of_the_moves():
    game = RANDOM_GAMES[2]
    analysis = agon_ai.search(game, depth=2, multipv=99, tricks=PLAIN)
    for line in analysis.lines:
        assert line.score == -agon_ai.negamax(game.position.play(line.pv[0]), 1, ply=1)


def test_the_side_that_is_ahead_does_not_repeat():
    game = Game(Position.from_text("Qf6 c3 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w"))
    for _ in range(6):
        if game.outcome():
            break
        game.play(agon_ai.search(game, depth=3).move)
    assert game.outcome() and game.outcome().winner == 0


def test_a_score_is_told_in_own_moves():
    assert agon_ai.score_text(agon_ai.WIN - 1) == "win in 1"
    assert agon_ai.score_text(agon_ai.WIN - 3) == "win in 2"
    assert agon_ai.score_text(-agon_ai.WIN + 2) == "loss in 1"
    assert agon_ai.score_text(-12) == "-12"


# -- draws --

def slow_search(game, depth, line=()):
    """Negamax over whole games: what a search without any trick must find.

    A position that comes back inside the tree is a draw at once, one of the game only by the rules.
    """
    outcome = game.outcome()
    if outcome:
        if outcome.winner is None:
            return agon_ai.DRAW
        return (1 if outcome.winner == game.position.turn else -1) * (agon_ai.WIN - len(line))
    if game.position in line:
        return agon_ai.DRAW
    if depth == 0:
        return agon_ai.evaluate(game.position)
    scores = []
    for move in game.legal_moves():
        line_so_far = line + (game.position,)
        game.play(move)
        scores.append(-slow_search(game, depth - 1, line_so_far))
        game.undo()
    return max(scores)


def shuffling_games(count, seed, rules=Rules()):
    """Games with few pieces in which the sides like to take their last move back."""
    luck = random.Random(seed)
    while count:
        cells = luck.sample([cell for cell in CELLS if cell != THRONE], 6)
        names = [cell_name(cell) for cell in cells]
        game = game_at(f"Q{names[0]} {names[1]} {names[2]} / Q{names[3]} {names[4]} {names[5]} w", rules)
        for _ in range(luck.randrange(4, 12)):
            moves = game.legal_moves()
            if not moves:
                break
            back = [move for move in moves if len(game.moves) > 1 and move == game.moves[-2][::-1]]
            game.play(luck.choice(back if back and luck.random() < 0.8 else moves))
        if not game.outcome():
            count -= 1
            yield game


SHUFFLING_GAMES = list(shuffling_games(30, 3))
SOUND = PLAIN._replace(table=True, scout=True, ordering=True)


@pytest.mark.parametrize("tricks", [PLAIN, SOUND], ids=["plain", "with sound tricks"])
def test_the_search_knows_which_returns_are_draws(tricks):
    assert sum(max(collections.Counter(game.positions).values()) == 2 for game in SHUFFLING_GAMES) > 5
    for game in SHUFFLING_GAMES:
        for depth in (1, 2):
            assert agon_ai.search(game, depth=depth, tricks=tricks).score == slow_search(game, depth), game.to_text()


@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize("tricks", [PLAIN, SOUND], ids=["plain", "with sound tricks"])
def test_the_search_sees_the_draw_after_too_many_quiet_moves(monkeypatch, limit, tricks):
    for module in (agon_core, agon_ai):  # the limit of 100, brought nearer
        monkeypatch.setattr(module, "QUIET_MOVES_TO_DRAW", limit)
    for text in ("Qf6 e5 e6 f4 f7 g5 a3 / Qf11 b4 c2 c7 g2 g8 h1 w", "Qf6 e5 e6 f4 f7 g5 g7 / Qf9 c4 l2 w",
                 "Qf11 b4 c2 c7 / Qf6 e5 e6 f4 f7 a3 w", "Qf6 / a5 w", "Qe5 a5 / d5 b2 c7 b"):
        for depth in (1, 2):
            assert agon_ai.search(game_at(text), depth=depth, tricks=tricks).score == slow_search(game_at(text), depth)


@pytest.mark.parametrize("text, moves", [("Qf6 / a5 w", "-- a5-a4 -- a4-a5 -- a5-a4 --"),
                                         ("Qf6 / a4 b", "a4-a5 -- a5-a4 -- a4-a5 -- a5-a4")])
def test_a_pass_can_bring_a_position_back(text, moves):
    game = game_at(text)
    for move in moves.split():
        game.play(Move.from_text(move))
    for depth in (1, 2):  # a4-a5, or the pass, ends the game
        assert agon_ai.search(game, depth=depth, tricks=PLAIN).score == slow_search(game, depth)


@pytest.mark.parametrize("tricks", [PLAIN, SOUND], ids=["plain", "with sound tricks"])
@pytest.mark.parametrize("text, plies", [("Qf6 e5 f5 g4 / e6 f7 g6 w", 1), ("Qf6 e5 f5 g5 / e6 f7 g7 b", 1),
                                         ("Qf6 e5 f5 g4 / e6 f7 g7 w", 2)])
def test_the_search_knows_that_it_is_a_draw_when_nobody_can_move(text, plies, tricks):
    game = game_at(text)
    for depth in (1, 2, 3):
        assert agon_ai.search(game, depth=depth, tricks=tricks).score == slow_search(game, depth)
    ends = [line for line in agon_ai.search(game, depth=3, multipv=9, tricks=tricks).lines if has_end_of(game, line.pv)]
    # Without a table a line has one move.
    assert {line.score for line in ends} == ({0} if plies == 1 or tricks.table else set())


def has_end_of(game, moves):
    """Whether nobody can move any more after these moves."""
    after = game.branch()
    for move in moves:
        after.play(move)
    outcome = after.outcome()
    return outcome is not None and outcome.reason is Ending.BLOCKED


def test_a_position_of_the_game_that_comes_back_once_is_no_draw_yet():
    game = game_at("Qf6 e6 f4 f5 f7 g5 g6 / Qg9 e3 e4 h1 i3 k3 l3 w")
    for move in "f5-e5 g9-h8 e5-f5 h8-g9".split():
        game.play(Move.from_text(move))
    analysis = agon_ai.search(game, depth=4)
    assert (str(analysis.move), agon_ai.score_text(analysis.score)) == ("f5-e5", "win in 2")


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_the_losers_drawing_move_just_before_the_horizon_is_seen(depth):
    game = game_at("Qf6 e5 e6 f4 f7 g5 g6 / Qf11 b4 c2 c7 g2 g8 h1 w")
    for move in "e5-f5 f11-e10 f5-e5 e10-f11 e5-f5 g2-f2".split():
        game.play(Move.from_text(move))
    # After f5-e5 the move f2-g2 would bring the start back for the third time.
    assert str(agon_ai.search(game, depth=depth).move) != "f5-e5"


@pytest.mark.parametrize("text, depth", [
    ("Qb3 l6 / Qg4 e6 w", 7),  # a score that comes from a return holds on its path alone
    ("Qf6 f7 g6 g5 e5 f5 c5 / Qc4 h9 b", 4), ("Qf6 g6 e6 g5 e5 f5 d8 / Qb7 w", 5),  # wins, counted from their ply
    ("Qf6 f7 e6 g5 e5 f5 f9 / Qf4 w", 5)])
def test_a_table_entry_holds_on_every_path_and_at_every_ply(text, depth):
    scores = {agon_ai.search(game_at(text), depth=depth, tricks=tricks, weights=agon_ai.SIMPLE).score
              for tricks in (SOUND, SOUND._replace(table=False))}
    assert len(scores) == 1


# -- the limits and the memory of the search --

def test_the_time_is_looked_at_within_a_depth(monkeypatch):
    now = [0.0]

    def clock():  # every look at it takes a hundredth of a second
        now[0] += 0.01
        return now[0]

    monkeypatch.setattr(agon_ai.time, "perf_counter", clock)
    reports = []
    analysis = agon_ai.search(Game(), seconds=0.5, on_info=reports.append)
    assert analysis.nodes > 3_000 and reports
    # About fifty looks, at most so many positions apart: no waiting for the depth to be finished.
    assert analysis.nodes <= 60 * (agon_ai.NODES_BETWEEN_CHECKS + 60)


def test_an_unfinished_depth_is_used_as_far_as_it_has_come():
    """At some numbers of positions the better move of the next depth is known already."""
    game = game_at(agon_ai.BENCH_POSITIONS[2])
    reports = []
    agon_ai.search(game, depth=5, on_info=reports.append, weights=agon_ai.SIMPLE)
    changed = [(before, after) for before, after in zip(reports, reports[1:]) if before.move != after.move]
    assert changed
    before, after = changed[-1]
    early = [agon_ai.search(game, nodes=nodes, weights=agon_ai.SIMPLE)
             for nodes in range(before.nodes, after.nodes, (after.nodes - before.nodes) // 16)]
    assert any(analysis.move == after.move and analysis.depth == before.depth for analysis in early)
    assert all(analysis.pv[0] == analysis.move == analysis.lines[0].pv[0] for analysis in early)


#: The start: nothing is near anything else.
QUIET = START


def test_the_table_of_a_game_is_kept_for_its_next_move_and_saves_work():
    nodes = fresh_nodes = 0
    for text in agon_ai.BENCH_POSITIONS[4:]:
        game, memory = game_at(text), agon_ai.Memory()
        for _ in range(3):
            fresh_nodes += agon_ai.Searcher(game, depth=5, weights=agon_ai.SIMPLE).run().nodes
            analysis = agon_ai.Searcher(game, depth=5, weights=agon_ai.SIMPLE, memory=memory).run()
            nodes += analysis.nodes
            game.play(analysis.move)
            game.play(agon_ai.search(game, depth=4, weights=agon_ai.SIMPLE).move)
    assert nodes < 0.95 * fresh_nodes


@pytest.mark.parametrize("change", ["turn", "rules", "tricks", "weights", "drawn"])
def test_the_table_is_forgotten_when_its_scores_no_longer_hold(change):
    game, memory = game_at(QUIET), agon_ai.Memory()
    agon_ai.Searcher(game, depth=2, memory=memory).run()
    assert memory.table
    with_options = {"tricks": {"tricks": agon_ai.Tricks(contempt=False)},
                    "weights": {"weights": agon_ai.WEIGHTS._replace(detour=1)}}.get(change, {})
    if change == "rules":
        game = game_at(QUIET, Rules(queen_first=True))
    elif change == "turn":
        game.play(Move.from_text("a5-a4"))
    elif change == "drawn":
        for move in "a5-a4 l2-l3 a4-a5 l3-l2 a5-a4 l2-l3".split():
            game.play(Move.from_text(move))
    agon_ai.Searcher(game, nodes=1, memory=memory, **with_options)
    assert not memory.table and not memory.history


@pytest.mark.parametrize("has_table", [True, False])
def test_a_win_that_only_a_later_move_brings_is_as_far_away_as_it_is(has_table):
    """The move is asked first whether it is better at all, and then by how much."""
    game = game_at("Qd5 c3 c6 d6 e3 h4 k4 / Qf6 e5 e6 f5 f9 g5 g6 b")
    tricks = agon_ai.Tricks(reductions=False, contempt=False, table=has_table)
    assert agon_ai.search(game, depth=3, tricks=tricks).score == agon_ai.WIN - 3


def test_of_a_score_that_holds_on_one_path_only_the_move_is_remembered():
    """Where few pieces stand, draws by repetition are near: a score with one in it is true only after these moves."""
    for has_table in (True, False):
        memory = agon_ai.Memory()
        agon_ai.Searcher(game_at("Qf6 e5 / Qf10 w"), depth=4, memory=memory,
                         tricks=agon_ai.Tricks(table=has_table)).run()
        moves_alone = [(score, change) for depth, _bound, score, change in memory.table.values() if depth == -1]
        assert bool(moves_alone) == bool(memory.table) == has_table
        assert all(score == 0 and change for score, change in moves_alone)


def test_a_draw_counts_less_than_nothing_for_the_side_that_searches():
    game = Game()
    searcher = agon_ai.Searcher(game, depth=2)
    assert searcher.draw(0) == -agon_ai.CONTEMPT and searcher.draw(1) == agon_ai.CONTEMPT
    assert agon_ai.Searcher(game, tricks=PLAIN).draw(0) == 0
    drawn = game_at("Qf6 / a4 b")
    for move in "a4-a5 -- a5-a4 -- a4-a5 -- a5-a4".split():
        drawn.play(Move.from_text(move))
    # White's only move, a pass, ends the game in a draw, which counts against White, who thinks.
    assert agon_ai.search(drawn, depth=1).score == -agon_ai.CONTEMPT


# -- learning --

def test_the_fit_finds_the_weights_that_made_the_labels():
    taught = agon_ai.WEIGHTS._replace(detour=33, reach=(40, 5), beside=(-90, 70))
    lessons = [agon_ai.Lesson(1, 1, 0, 0, 0, tuple(map(str, MEETING_POSITIONS)),
                              tuple(agon_ai.evaluate(position, taught) for position in MEETING_POSITIONS))]
    examples = agon_ai.examples_of(lessons)
    before = agon_ai.error_of(agon_ai.WEIGHTS, examples)
    learnt = agon_ai.fitted(agon_ai.WEIGHTS, examples, ridge=0.01)
    assert agon_ai.error_of(taught, examples) == 0 < 1 + agon_ai.error_of(learnt, examples) < before / 10
    held = agon_ai.fitted(agon_ai.WEIGHTS, examples, ridge=1e12)
    assert held == agon_ai.fitted(held, [], ridge=1.0)


def test_learnt_threats_are_never_bad_and_dangers_never_good():
    examples = [([(agon_ai.TERMS.index(("threat", 2)), 1)], -5000), ([(agon_ai.TERMS.index(("danger", 3)), 1)], 5000)]
    learnt = agon_ai.fitted(agon_ai.WEIGHTS, examples, ridge=0.001)
    assert learnt.threat[2] == 0 and learnt.danger[3] == 0


def test_what_is_learnt_is_urged_inwards():
    learnt, urged = agon_ai.WEIGHTS, agon_ai.urged(agon_ai.WEIGHTS)
    rings = [ring for ring, _ in agon_ai.KINDS]
    assert [more - number for more, number in zip(urged.queen, learnt.queen)] == [20 * (5 - ring) for ring in rings]
    assert [more - number for more, number in zip(urged.guard, learnt.guard)] == [
        0 if ring == 0 else 20 * (5 - ring) + 100 * (ring == 1) for ring in rings]
    assert urged.detour == learnt.detour - 40
    assert urged._replace(guard=learnt.guard, queen=learnt.queen, detour=learnt.detour) == learnt


LEARNING = ["learn", "--games", "6", "--rounds", "1", "--nodes", "40", "--jobs", "1"]


def test_learning_goes_on_where_it_was_stopped_and_comes_to_the_same_end(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(agon_ai, "LONGEST_LESSON", 24)
    file = tmp_path / "games.jsonl"
    arguments = LEARNING + ["--file", str(file)]
    assert agon_ai.main(arguments) == 0
    first = capsys.readouterr().out
    assert "WEIGHTS = Weights(" in first and "error" in first
    lines = file.read_text().splitlines(True)
    assert len(lines) == 6
    file.write_text("".join(lines[:3]) + lines[3][:50])  # stopped in the middle of a line
    assert agon_ai.main(arguments) == 0
    told = capsys.readouterr()
    assert told.out == first
    assert re.findall(r"round 1: (\d)/6 games", told.err) == ["4", "5", "6"]
    assert agon_ai.main(arguments + ["--seed", "2"]) == 0
    assert capsys.readouterr().out != first


@pytest.mark.parametrize("more, weights", [([], agon_ai.WEIGHTS), (["--beginner"], agon_ai.SIMPLE)])
def test_learning_begins_with_the_numbers_of_the_file_or_with_what_a_beginner_knows(
        tmp_path, capsys, monkeypatch, more, weights):
    used = []

    def play(round_number, number, nodes, seed, weights):
        used.append(weights)
        return agon_ai.Lesson(round_number, number, nodes, seed, agon_ai.fingerprint(weights), (START,), (70 * number,))
    monkeypatch.setattr(agon_ai, "play_lesson", play)
    arguments = [*LEARNING, "--rounds", "2", "--file", str(tmp_path / "games.jsonl"), *more]
    assert agon_ai.main(arguments) == 0
    told = capsys.readouterr().out.splitlines()
    assert used[:6] == [weights] * 6 and len(set(used)) == 2  # the second round plays with what has been learnt
    positions = [int(line.split()[2]) for line in told if " games, " in line]
    # Of six games one is set aside; the second round learns from the first one's games, too.
    assert positions == [0, 0, 1, 3, 5] + [5, 5, 6, 8, 10]


def test_games_that_were_played_with_other_numbers_are_not_taken_for_those_of_a_run(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(agon_ai, "LONGEST_LESSON", 12)
    file = tmp_path / "games.jsonl"
    for more, lines in (([], 6), (["--beginner"], 12), (["--beginner"], 12), ([], 12)):
        assert agon_ai.main([*LEARNING, "--file", str(file), *more]) == 0
        assert len(file.read_text("utf-8").splitlines()) == lines


def test_learnt_weights_are_written_into_a_program_in_place_of_the_old_ones(tmp_path):
    path = tmp_path / "agon_ai.py"
    shutil.copy(agon_ai.__file__, path)
    weights = agon_ai.WEIGHTS._replace(detour=77, reach=(1, -2))
    agon_ai.write_weights(weights, str(path))
    assert agon_ai.weights_text(weights) in path.read_text(encoding="utf-8")
    agon_ai.write_weights(agon_ai.WEIGHTS, str(path))
    with open(agon_ai.__file__, encoding="utf-8") as program:
        assert path.read_text(encoding="utf-8") == program.read()


# -- levels --

def test_the_levels_are_numbered_and_never_weaker_in_their_limits():
    assert [level.number for level in agon_ai.LEVELS] == list(range(1, 9))
    for lower, higher in zip(agon_ai.LEVELS, agon_ai.LEVELS[1:]):
        assert lower.depth <= higher.depth and lower.nodes <= higher.nodes and lower.slip >= higher.slip
    assert all(level.seconds <= 5 for level in agon_ai.LEVELS)
    assert agon_ai.LEVELS[-1].slip == 0


def answers_of_a_level(monkeypatch, level, seeds, scores=(0, -100, -150, -151, -300, -301)):
    """What a level asks of the search, and which of the lines with these scores it plays, for each seed."""
    asked, played_scores = [], []
    moves = Game().legal_moves()[:len(scores)]
    lines = tuple(agon_ai.Line(score, (move,)) for score, move in zip(scores, moves))

    def search(game, seconds, depth, nodes, stop, on_info, multipv, weights, seed):
        asked.append((seconds, depth, nodes, multipv, weights))
        return agon_ai.Analysis(moves[0], scores[0], 1, 1, 0.0, (moves[0],), lines[:multipv])
    monkeypatch.setattr(agon_ai, "search", search)
    for seed in range(seeds):
        analysis = agon_ai.choose(Game(), level, seed)
        assert scores[moves.index(analysis.move)] == analysis.score and analysis.pv == (analysis.move,)
        played_scores.append(analysis.score)
    return asked, played_scores


@pytest.mark.parametrize("level, slips, margin", [(1, 0.5, 300), (2, 0.1, 150)])
def test_a_low_level_slips_now_and_then_by_no_more_than_its_margin(monkeypatch, level, slips, margin):
    asked, played_scores = answers_of_a_level(monkeypatch, level, 400)
    of_all_moves = [multipv for _, _, _, multipv, _ in asked if multipv > 1]
    assert set(of_all_moves) == {len(Game().legal_moves())}
    assert 0.8 * slips < len(of_all_moves) / len(asked) < 1.2 * slips + 0.02
    assert set(played_scores) == {score for score in (0, -100, -150, -151, -300, -301) if score >= -margin}
    for (_, _, _, multipv, weights), score in zip(asked, played_scores):
        assert multipv > 1 or score == 0
        assert weights == agon_ai.CARELESS == agon_ai.SIMPLE._replace(threat=(0,) * 6)


@pytest.mark.parametrize("level", range(1, 9))
def test_a_level_keeps_its_limits_and_from_level_3_on_plays_what_it_finds(monkeypatch, level):
    asked, played_scores = answers_of_a_level(monkeypatch, level, 20)
    limits = agon_ai.LEVELS[level - 1]
    assert {question[:3] for question in asked} == {(limits.seconds, limits.depth, limits.nodes)}
    if level >= 3:
        knowledge = agon_ai.SIMPLE if level < 5 else agon_ai.WEIGHTS
        assert {question[3:] for question in asked} == {(1, knowledge)} and set(played_scores) == {0}


def level_game(level, seed, plies=30):
    game = Game()
    while not game.outcome() and len(game.moves) < plies:
        game.play(agon_ai.choose(game, level, seed).move)
    return game.moves


def test_a_careless_level_does_not_see_what_can_be_trapped_next():
    game = game_at("f4 b1 a6 / e3 f5 l6 w")  # f4 is in danger from e3-f3
    careful = agon_ai.search(game, depth=1, weights=agon_ai.SIMPLE)
    careless = agon_ai.search(game, depth=1, weights=agon_ai.CARELESS)
    assert careful.move != careless.move
    assert agon_ai.choose(game, 3, seed=1).move == careful.move
    assert careless.move in {agon_ai.choose(game, 2, seed).move for seed in range(9)}
    trap = Move.from_text("e3-f3")
    assert careless.move != careful.move
    for move, is_trapped in ((careful.move, False), (careless.move, True)):
        after = Game(game.position.play(move))
        assert (after.refusal(trap) is None and bool(after.position.play(trap).trapped())) == is_trapped


def test_the_same_seed_gives_the_same_game():
    assert level_game(1, 7) == level_game(1, 7)


def test_another_seed_gives_another_game():
    assert level_game(1, 7) != level_game(1, 8)


def test_the_seed_decides_between_moves_that_are_about_equal():
    best = agon_ai.search(Game(), depth=2).score
    analyses = [agon_ai.search(Game(), depth=2, seed=seed) for seed in range(12)]
    assert len({analysis.move for analysis in analyses}) > 1
    assert all(best - agon_ai.WHIM <= analysis.score <= best for analysis in analyses)
    assert agon_ai.search(Game(), depth=2, seed=4)[:4] == agon_ai.search(Game(), depth=2, seed=4)[:4]


def test_level_1_moves_inwards():
    moves = level_game(1, 3, plies=40)
    game = Game()
    inwards = 0
    for move in moves:
        inwards += game.position.is_progress(move)
        game.play(move)
    assert inwards >= len(moves) // 2


# -- protocol --

def talk(commands, end=b"quit\n", timeout=20):
    """All answers of a fresh engine to these bytes."""
    done = subprocess.run(ENGINE, input=commands + end, capture_output=True, timeout=timeout)
    assert done.stderr == b"" and done.returncode == 0
    return done.stdout.decode("utf-8").splitlines()


def test_an_engine_can_be_told_other_weights() -> None:
    said_: List[str] = []
    asked = agon_ai.Engine(said_.append, lambda: False)
    asked.obey("setoption name Weights value threat=200,escort=0")
    assert asked.weights == agon_ai.WEIGHTS._replace(threat=tuple(2 * value for value in agon_ai.WEIGHTS.threat), escort=0)
    memory = asked.memory
    asked.obey("setoption name Weights value beginner")
    assert asked.weights == agon_ai.SIMPLE and asked.memory is not memory
    asked.obey("setoption name Without value none")
    assert asked.weights == agon_ai.WEIGHTS and said_ == []
    for value, why in (("luck=3", "unknown weight luck"), ("threat=many", "many is not a number"),
                       ("threat", "the end is not a number"), ("threat=401", "401 is not between 0 and 400")):
        asked.obey(f"setoption name Weights value {value}")
        assert said_.pop().startswith(f"error {why}") and asked.weights == agon_ai.WEIGHTS


class Talk:
    """A conversation with an engine."""

    def __enter__(self):
        self.process = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()

    def say(self, text):
        self.process.stdin.write(text if isinstance(text, bytes) else text.encode() + b"\n")
        self.process.stdin.flush()

    def hear(self, word):
        answers = []
        while True:
            line = self.process.stdout.readline().decode().strip()
            assert line, "the engine has ended"
            answers.append(line)
            if line.split()[0] == word:
                return answers


def test_the_engine_introduces_itself():
    answers = talk(b"agon\nisready\n")
    assert answers[0].startswith("id name ") and "agonok" in answers and answers[-1] == "readyok"
    assert any(answer.startswith("option name Level ") for answer in answers)


def test_the_engine_names_all_that_can_be_set():
    said = []
    agon_ai.Engine(said.append, lambda: False).obey("agon")
    assert said == ["id name Agon", "option name Level type spin default 8 min 1 max 8",
                    "option name Seed type string default none"] + [
        f"option name {agon_ai.option_name(field)} type check default {'on' if is_on else 'off'}"
        for field, is_on in Rules()._asdict().items()] + [
            "option name Without type string default none", "option name Ponder type check default off",
            "option name Weights type string default none", "agonok"]
    assert [agon_ai.option_name(field) for field in Rules._fields[:2]] == ["QueenFirst", "EmptyThroneLoses"]


@pytest.fixture
def asked(monkeypatch):
    """An engine that asks no search; what it would ask is listed."""
    found = []
    moves = Game().legal_moves()[:3]
    analysis = agon_ai.Analysis(moves[0], 5, 2, 9, 0.25, (moves[0],), tuple(
        agon_ai.Line(5 - number, (move,)) for number, move in enumerate(moves)))

    class Searcher:
        def __init__(self, game, seconds, depth, nodes, stop, weights, tricks, seed, memory):
            found.append({"seconds": seconds, "depth": depth, "nodes": nodes, "weights": weights, "tricks": tricks,
                          "seed": seed, "memory": memory, "stop": stop})

        def run(self, report, multipv):
            found[-1]["multipv"] = multipv
            report(analysis._replace(lines=analysis.lines[:multipv]))
            return analysis

    def choose(game, level, seed, stop, report):
        found.append({"level": level, "seed": seed, "stop": stop})
        report(analysis._replace(lines=analysis.lines[:1]))
        return analysis
    monkeypatch.setattr(agon_ai, "Searcher", Searcher)
    monkeypatch.setattr(agon_ai, "choose", choose)
    engine = agon_ai.Engine([].append, lambda: True)
    engine.asked = found
    engine.said = []
    engine.say = engine.said.append
    return engine


@pytest.mark.parametrize("command, seconds, depth, nodes, multipv", [
    ("go", agon_ai.LEVELS[-1].seconds, None, None, 1), ("go movetime 1500", 1.5, None, None, 1),
    ("go depth 3", None, 3, None, 1), ("go nodes 400", None, None, 400, 1), ("go infinite", None, None, None, 1),
    ("go movetime 20 depth 1 nodes 1 multipv 2", 0.02, 1, 1, 2),
    ("go multipv 3", agon_ai.LEVELS[-1].seconds, None, None, 3),
    ("go wtime 60000 btime 90", 2.0, None, None, 1), ("go btime 60000", agon_ai.LEVELS[-1].seconds, None, None, 1),
    ("go wtime 60000 movetime 500", 0.5, None, None, 1), ("go wtime 60000 movetime 5000", 2.0, None, None, 1),
    ("go wtime 60000 infinite", None, None, None, 1)])
def test_go_searches_within_the_limits_it_names(asked, command, seconds, depth, nodes, multipv):
    asked.obey(command)
    question = asked.asked.pop()
    assert (question["depth"], question["nodes"], question["multipv"]) == (depth, nodes, multipv)
    assert question["seconds"] == (None if seconds is None else pytest.approx(seconds))
    assert question["weights"] == agon_ai.WEIGHTS and question["tricks"] == agon_ai.Tricks()
    assert question["stop"]() and question["memory"] is asked.memory
    assert [line.split()[0] for line in asked.said] == ["info"] * multipv + ["bestmove"]
    assert all((f" multipv {number} " in line) == (multipv > 1) for number, line in enumerate(asked.said[:-1], 1))


@pytest.mark.parametrize("command, level", [
    ("go", 3), ("go wtime 60000", 3), ("go depth 2", None), ("go movetime 50", None), ("go nodes 9", None),
    ("go infinite", None), ("go multipv 2", None)])
def test_a_level_plays_by_its_own_limits_and_any_other_limit_is_searched_at_full_strength(asked, command, level):
    asked.obey("setoption name Level value 3")
    asked.obey(command)
    assert asked.asked.pop().get("level") == level


def test_a_seed_holds_until_it_is_taken_away(asked, monkeypatch):
    monkeypatch.setattr(agon_ai.random, "randrange", lambda stop: 77 if stop == 2 ** 32 else None)
    for command, seed_of_go, seed_of_depth in (
            ("isready", 77, None), ("setoption name Seed value -5", -5, -5),
            ("setoption name Seed value none", 77, None)):
        asked.obey(command)
        asked.obey("go")
        asked.obey("go depth 1")
        assert [question["seed"] for question in asked.asked[-2:]] == [seed_of_go, seed_of_depth]


@pytest.mark.parametrize("seed, is_taken", [
    (2 ** 63, True), (-2 ** 63, True), (2 ** 63 + 1, False), (-2 ** 63 - 1, False)])
def test_a_seed_has_64_bits(asked, seed, is_taken):
    asked.obey(f"setoption name Seed value {seed}")
    assert asked.seed == (seed if is_taken else None) and bool(asked.said) != is_taken


@pytest.mark.parametrize("level, is_taken", [(0, False), (1, True), (8, True), (9, False)])
def test_levels_are_numbered_from_1_to_8(asked, level, is_taken):
    asked.obey("setoption name Level value 5")
    asked.obey(f"setoption name Level value {level}")
    assert asked.level == (level if is_taken else 5) and bool(asked.said) != is_taken


def test_ideas_are_left_out_until_they_are_brought_back(asked):
    for value, threat, table in (("threat,table", (0,) * 6, False), ("none", agon_ai.WEIGHTS.threat, True)):
        asked.obey(f"setoption name Without value {value}")
        asked.obey("go")
        question = asked.asked.pop()
        assert (question["weights"].threat, question["tricks"].table) == (threat, table)


def test_a_level_stops_at_its_clock_or_when_it_is_told_to(asked, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(agon_ai.time, "perf_counter", lambda: now[0])
    asked.stop = lambda: False
    asked.obey("setoption name Level value 2")
    asked.obey("go wtime 60000")
    stop = asked.asked.pop()["stop"]
    assert [stop() for now[0] in (100.0, 101.9, 102.0, 103.0)] == [False, False, True, True]
    asked.stop = lambda: True
    now[0] = 100.0
    assert stop()


def test_a_new_game_forgets_the_moves_and_what_was_learnt_but_not_the_rules(asked):
    for line in ("setoption name QueenFirst value on", "position start moves a5-b5", "newgame"):
        memory = asked.memory
        asked.obey(line)
    assert asked.game.moves == () and asked.game.rules == Rules(queen_first=True) == asked.rules
    assert asked.memory is not memory


def test_other_rules_are_taken_in_the_running_game_if_its_moves_allow_them(asked):
    asked.obey("position start moves a5-b5")
    asked.obey("setoption name EmptyThroneLoses value off")
    assert asked.rules == asked.game.rules == Rules(empty_throne_loses=False)
    assert [str(move) for move in asked.game.moves] == ["a5-b5"]
    guard_first = next(move for move in legal(BOTH_TRAPPED) if not move.startswith("g4"))
    asked.obey(f"position text {BOTH_TRAPPED} moves {guard_first}")
    asked.obey("setoption name QueenFirst value on")  # by which the queen would have had to go first
    assert [str(move) for move in asked.game.moves] == [guard_first]
    assert asked.rules == asked.game.rules == Rules(empty_throne_loses=False) and asked.said[-1].startswith("error")


def test_with_placement_the_engine_begins_with_the_queens_alone(asked):
    asked.obey("setoption name Placement value on")
    assert asked.game.start == Position.start(rules=PLACING) and asked.game.rules == PLACING
    asked.obey("position start moves @a5 @b1")
    assert [str(move) for move in asked.game.moves] == ["@a5", "@b1"]
    asked.obey("setoption name Placement value off")  # by which nothing could have been placed
    assert asked.said[-1].startswith("error") and asked.rules == PLACING
    asked.obey("newgame")
    asked.obey("setoption name Placement value off")
    assert asked.game.start == Position.start() and asked.rules == DEFAULT_RULES


def test_go_reports_depths_and_a_legal_best_move():
    with Talk() as engine:
        engine.say("position start moves a5-b5 d1-d2")
        engine.say("go depth 3")
        answers = engine.hear("bestmove")
    infos = [answer.split() for answer in answers if answer.startswith("info")]
    assert [int(info[2]) for info in infos] == [1, 2, 3]
    assert all("score" in info and "nodes" in info and "time" in info and "pv" in info for info in infos)
    game = Game()
    game.play(Move.from_text("a5-b5"))
    game.play(Move.from_text("d1-d2"))
    assert Move.from_text(answers[-1].split()[1]) in game.legal_moves()


@pytest.fixture
def pondering(monkeypatch):
    """Tells an engine these lines; what it looks at then while it waits, as moves, and whether that ends when it must."""
    looks = []

    class Searcher:
        def __init__(self, game, seconds, depth, nodes, stop, *_):
            self.look = (" ".join(map(str, game.moves)), seconds, depth, nodes, stop())

        def run(self, *_):
            looks.append(self.look)
            line = (mv("a5-b5"), mv("d1-d2"), mv("b5-c5"))
            return agon_ai.Analysis(line[0], 5, 3, 9, 0.25, line, (agon_ai.Line(5, line),))
    monkeypatch.setattr(agon_ai, "Searcher", Searcher)
    monkeypatch.setattr(agon_ai.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(agon_ai.time, "sleep", lambda _seconds: None)

    def tell(*lines):
        engine = agon_ai.Engine(lambda _line: None, lambda: False)
        for line in lines:
            engine.obey(line)
        looks.clear()
        engine.ponder(lambda: True)
        return looks
    return tell


PONDER = "setoption name Ponder value on"


def test_an_engine_thinks_on_about_its_answer_to_the_reply_that_it_expects(pondering):
    assert pondering(PONDER, "position start", "go") == [("a5-b5 d1-d2", agon_ai.PONDER_SECONDS, None, None, True)]
    assert pondering(PONDER, "position start", "go wtime 9000 btime 9000")


@pytest.mark.parametrize("lines", [
    ("position start", "go"), (PONDER, "position start"), (PONDER, "position start", "go nodes 9"),
    (PONDER, "position start", "go multipv 2"), (PONDER, "position start", "go", "isready"),
    (PONDER, "setoption name Ponder value off", "position start", "go"),
    (PONDER, "setoption name Level value 3", "position start", "go")])
def test_an_engine_thinks_on_only_after_a_move_of_the_highest_level_and_when_it_may(pondering, lines):
    assert pondering(*lines) == []


def test_an_engine_does_not_think_on_when_there_is_no_second_processor(pondering, monkeypatch):
    monkeypatch.setattr(agon_ai.os, "cpu_count", lambda: 1)
    assert pondering(PONDER, "position start", "go") == []


@pytest.mark.parametrize("expected, looks", [("e4-f5 f11-f10", 0), ("e4-d4 f11-f10", 1)])
def test_an_engine_does_not_think_on_about_a_game_that_is_over(pondering, expected, looks):
    engine, looked = agon_ai.Engine(lambda _line: None, lambda: False), pondering()
    engine.obey("position text " + SEAT_AND_WIN)
    engine.expected = tuple(map(mv, expected.split()))
    engine.ponder(lambda: True)
    assert len(looked) == looks


def test_thinking_on_rests_between_its_looks_and_is_remembered(monkeypatch):
    rests = []
    monkeypatch.setattr(agon_ai.os, "cpu_count", lambda: 2)
    monkeypatch.setattr(agon_ai.time, "sleep", rests.append)
    engine = agon_ai.Engine(lambda _line: None, lambda: False)
    engine.obey("position start")
    engine.expected = (mv("a5-b5"), mv("d1-d2"))
    engine.ponder(lambda: len(rests) > 3)
    assert rests == [agon_ai.PONDER_REST] * 4
    assert len(engine.memory.table) > 10


def test_a_program_that_thinks_on_hears_the_next_command_at_once():
    with Talk() as engine:
        engine.say(PONDER)
        engine.say("position start")
        engine.say("go wtime 300 btime 300")
        engine.hear("bestmove")
        engine.say("isready")
        assert engine.hear("readyok") == ["readyok"]
        engine.say("quit")
        assert engine.process.wait(10) == 0


def test_a_level_answers_go_without_limits():
    with Talk() as engine:
        engine.say("setoption name Level value 2")
        engine.say("setoption name Seed value 5")
        engine.say("go")
        move = engine.hear("bestmove")[-1].split()[1]
    assert move == str(agon_ai.choose(Game(), 2, 5).move)


def test_a_level_that_slips_reports_one_line_for_each_depth():
    said = []
    engine = agon_ai.Engine(said.append, lambda: False)
    engine.obey("setoption name Level value 1")
    for seed in range(5):
        said.clear()
        engine.obey(f"setoption name Seed value {seed}")
        engine.obey("go")
        assert [line.split()[0] for line in said] == ["info", "bestmove"]


def test_stop_ends_infinite_thinking_with_a_best_move():
    with Talk() as engine:
        engine.say("go infinite")
        engine.hear("info")
        engine.say("stop")
        assert engine.hear("bestmove")
        engine.say("isready")
        assert engine.hear("readyok") == ["readyok"]


def test_a_stop_out_of_place_stops_nothing_else():
    with Talk() as engine:
        engine.say("stop")
        engine.say("stop")
        engine.say("go depth 3")
        assert any(" depth 3 " in answer for answer in engine.hear("bestmove"))


@pytest.mark.parametrize("command", [
    "hello", "go fast", "go depth", "go depth x", "go depth 0", "go depth 99999999999999", "position", "position foo",
    "position text Qf1", "position start moves a5-c5", "position start moves x", "setoption", "setoption name Level",
    "setoption name Level value 9", "setoption name Level value x", "setoption name Colour value 1",
    "setoption name QueenFirst value maybe", "setoption name Without value luck", "\u00e4\u00f6\u00fc \u2620"])
def test_a_wrong_command_is_answered_by_an_error_and_changes_nothing(command):
    said = []
    engine = agon_ai.Engine(said.append, lambda: False)
    engine.obey("position start moves a5-b5")
    before = engine.game.positions
    engine.obey(command)
    assert len(said) == 1 and said[0].startswith("error ") and "\n" not in said[0]
    assert engine.game.positions == before and engine.level == 8


def test_go_after_the_end_of_the_game_is_an_error():
    said = []
    engine = agon_ai.Engine(said.append, lambda: False)
    game = game_at(SEAT_AND_WIN)
    engine.obey(f"position text {SEAT_AND_WIN} moves {agon_ai.search(game, depth=1).move}")
    engine.obey("go depth 1")
    assert said[0].startswith("error ") and len(said) == 1


def test_rule_options_reach_the_rules():
    engine = agon_ai.Engine(lambda _: None, lambda: False)
    engine.obey("setoption name QueenFirst value on")
    engine.obey("setoption name EmptyThroneLoses value off")
    engine.obey("position start")
    assert engine.game.rules == Rules(queen_first=True, empty_throne_loses=False)


def test_garbage_long_lines_and_other_encodings_are_answered():
    answers = talk(b"\xff\xfe\x00\n" + b"x" * 1_000_000 + b"\n\n   \nposition " + b"a " * 500_000 + b"\nisready\n")
    assert [answer.split()[0] for answer in answers] == ["error", "error", "error", "readyok"]
    assert all(len(answer) < 200 for answer in answers)


PROTOCOL_LINES = (
    "agon", "isready", "newgame", "stop", "position start", "position start moves a5-b5 d1-e2",
    "position text Qg4 b3 c4 e7 f8 h6 i5 / Qe8 c6 d3 f3 g8 i3 k5 b", f"position text {SEAT_AND_WIN} moves Qf5-f6",
    "setoption name Level value 3", "setoption name Seed value 7", "setoption name QueenFirst value on",
    "setoption name EmptyThroneLoses value off", "setoption name Without value reductions,threat",
    "go", "go movetime 20", "go depth 2", "go nodes 300 multipv 3", "go infinite")


def test_mutated_commands_are_obeyed_or_refused_cleanly():
    rng = random.Random(10)
    said = []
    engine = agon_ai.Engine(said.append, lambda: True)
    answered = collections.Counter()
    for _ in range(4000):
        line = rng.choice(PROTOCOL_LINES)
        line = mutated(rng, line, most=2) if rng.random() < 0.7 else line
        said.clear()
        before = engine.game.moves
        engine.obey(line)
        assert all(answer.isprintable() and len(answer) < 300 for answer in said), line
        kinds = {answer.split()[0] for answer in said}
        assert "error" not in kinds or len(said) == 1 and engine.game.moves == before
        assert 1 <= engine.level <= 8 and isinstance(engine.seed, (int, type(None)))
        if "bestmove" in kinds:
            assert engine.game.refusal(mv(said[-1].split()[1])) is None
        answered.update(kinds)
    assert min(answered[kind] for kind in ("error", "bestmove", "readyok", "agonok")) > 50


def test_a_half_line_at_the_end_of_input_is_harmless():
    assert talk(b"isready\nisrea", end=b"")[0] == "readyok"


def test_the_end_of_input_ends_a_thinking_engine():
    with Talk() as engine:
        engine.say("go infinite")
        engine.hear("info")
        engine.process.stdin.close()
        assert engine.process.wait(timeout=3) == 0


def test_quit_ends_a_thinking_engine():
    with Talk() as engine:
        engine.say("go infinite")
        engine.hear("info")
        engine.say("quit")
        assert engine.process.wait(timeout=3) == 0


def test_the_module_works_without_standard_output():
    code = "import sys; sys.stdout = sys.stderr = None; import agon_ai; agon_ai.search(agon_ai.Game(), depth=2)"
    folder = agon_ai.__file__.rpartition("agon_ai")[0]
    assert subprocess.run([sys.executable, "-c", code], cwd=folder or None).returncode == 0


def test_an_engine_whose_answers_nobody_reads_ends_with_its_input():
    with Talk() as engine:
        engine.process.stdout.close()
        engine.say("go depth 3")
        engine.process.stdin.close()
        assert engine.process.wait(timeout=30) is not None


def test_multipv_reports_that_many_lines():
    with Talk() as engine:
        engine.say("go depth 2 multipv 3")
        answers = engine.hear("bestmove")
    assert [answer.split()[4] for answer in answers if " depth 2 multipv" in answer] == ["1", "2", "3"]


# -- engines in child processes --

#: An engine: every line it is told goes into a file; what is appended says how it answers.
LISTENER = """
import sys, time
path = sys.argv[1]
for line in sys.stdin:
    with open(path, "a", encoding="utf-8") as told:
        told.write(line)
    word = line.split()[0]
"""
AGON = "    if word == 'agon': print('agonok')\n"


@pytest.fixture
def engine_of(tmp_path):
    """Makes engines from the source of a program; all are ended afterwards."""
    engines = []

    def make(source, name="player.py", **options):
        path = tmp_path / name
        path.write_text(source, "utf-8")
        engines.append(agon_ai.EngineProcess((sys.executable, str(path), str(tmp_path / "told")), **options))
        return engines[-1]
    yield make
    for engine in engines:
        engine.close()


def told(tmp_path):
    return (tmp_path / "told").read_text("utf-8").splitlines()


def test_an_engine_is_told_rules_position_and_what_it_wants_line_by_line(engine_of, tmp_path):
    engine = engine_of(LISTENER + "    if word == 'agon': print('id name Listener\\nwants legal board\\nagonok')\n"
                       "    if word == 'go': print('bestmove b1-c2')\n")
    game = played("Qf7-f6 a5-b5", "a5 / Qf7 b", Rules(queen_first=True, empty_throne_loses=False))
    engine.ask(game, "go movetime 7", [("Level", 3), ("Ponder", True)], ply=1)
    assert engine.is_busy and engine.wait(20) == agon_ai.Answer("b1-c2") and not engine.is_busy
    assert told(tmp_path) == [
        "agon", "setoption name Level value 3", "setoption name Ponder value on",
        "setoption name QueenFirst value on", "setoption name EmptyThroneLoses value off",
        "setoption name Placement value off",
        "position text a5 / Qf7 b moves f7-f6",
        "legal " + " ".join(map(str, game.positions[1].legal_moves(game.rules))), "board a5 / Qf6 w", "go movetime 7"]
    assert engine.name == "Listener" and engine.wants == {"legal", "board"}


def test_an_engine_that_wants_nothing_is_told_no_more_than_the_position(engine_of, tmp_path):
    engine = engine_of(LISTENER + AGON + "    if word == 'go': print('bestmove resign')\n")
    engine.ask(Game())
    assert engine.wait(20).text == "resign"
    assert told(tmp_path) == [
        "agon", "setoption name QueenFirst value off", "setoption name EmptyThroneLoses value on",
        "setoption name Placement value off", f"position text {Position.start()}", "go"]


def test_an_engine_forgets_a_game_by_other_rules_before_it_is_told_the_new_ones(engine_of, tmp_path):
    engine = engine_of(LISTENER + AGON + "    if word == 'go': print('bestmove resign')\n")
    for game in (Game(), Game(rules=PLACING), played("@a5", rules=PLACING), Game()):
        engine.ask(game)
        engine.wait(20)
    lines = [line for line in told(tmp_path) if line == "newgame" or line.startswith(("setoption name Pl", "pos"))]
    assert lines == [
        "setoption name Placement value off", f"position text {Position.start()}",
        "newgame", "setoption name Placement value on", "position text Qf1 / Qf11 w",
        "setoption name Placement value on", "position text Qf1 / Qf11 w moves @a5",
        "newgame", "setoption name Placement value off", f"position text {Position.start()}"]


def test_the_programs_own_engine_goes_from_placing_to_few_pieces_without_it():
    engine = agon_ai.EngineProcess(agon_ai.OWN_ENGINE)
    try:
        for game in (played("@a5 @b1", rules=PLACING), played("", "Qf2 d4 / Qf10 d5 b")):
            engine.ask(game, "go depth 1")
            assert agon_ai.chosen_move(game, engine.wait(20).text) in game.legal_moves()
    finally:
        engine.close()


def polled(engine, count=1, seconds=20):
    """The next replies of an engine that is polled as the window does."""
    replies, deadline = [], time.monotonic() + seconds
    while len(replies) < count:
        assert time.monotonic() < deadline
        replies += engine.poll()
    return replies


def test_what_an_engine_reports_is_read_and_the_answer_comes_last(engine_of):
    engine = engine_of(LISTENER + AGON + "    if word == 'go':\n        print('info depth 3 multipv 2 score win in 2 "
                       "nodes 77 time 5 pv b1-c2 d1-e2\\ninfo string hello\\nbestmove b1-c2')\n")
    engine.ask(Game())
    assert polled(engine, 2) == [
        agon_ai.Info(3, 2, agon_ai.WIN - 3, 77, ("b1-c2", "d1-e2")), agon_ai.Answer("b1-c2")]


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next(engine_of, tmp_path):
    engine = engine_of(LISTENER + AGON + "    if word == 'stop': print('bestmove a5-b5')\n"
                       "    if line.startswith('go depth'): print('bestmove b1-c2')\n")
    engine.ask(Game(), "go infinite")
    while not engine.is_ready:
        engine.poll()
    engine.ask(Game(), "go depth 1")
    assert engine.wait(20).text == "b1-c2"
    assert told(tmp_path)[-6:] == ["stop", "setoption name QueenFirst value off",
                                   "setoption name EmptyThroneLoses value on", "setoption name Placement value off",
                                   f"position text {Position.start()}", "go depth 1"]
    engine.ask(Game(), "go infinite")
    engine.hurry()
    assert engine.wait(20).text == "a5-b5"


def test_an_answer_too_many_does_not_confuse_the_count(engine_of):
    engine = engine_of("print('bestmove a1-a2', flush=True)\n" + LISTENER + AGON
                       + "    if word == 'go': print('bestmove b1-c2')\n")
    for _ in range(3):
        engine.ask(Game())
        assert engine.wait(20).text == "b1-c2"


def test_lines_that_are_no_answers_lose_nothing(engine_of):
    engine = engine_of(LISTENER + AGON + "    if word == 'go':\n"
                       "        print('errors so far: 0\\nbestmoves\\n\\x1b[2J')\n"
                       "        print('info string ' + 9988 * 'x' + 'bestmove f11-e11 and more')\n"
                       "        print('error unknown option QueenFirst\\nbestmove b1-c2')\n")
    engine.ask(Game())
    assert engine.wait(20).text == "b1-c2"
    assert ("<", "?[2J") in [said[:2] for said in engine.log] and not any("\x1b" in said.text for said in engine.log)


@pytest.mark.parametrize("body, code, sentence", [
    ("sys.exit(1)", "ended", "player.py has ended"),
    ("[][1]", "ended", "player.py has ended: IndexError: list index out of range (line 9 of player.py)"),
    ("import json; json.loads('')", "ended",
     "player.py has ended: json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0) "
     "(line 9 of player.py)"),
    ("sys.exit('\\x1b]0;no more\\x07')", "ended", "player.py has ended: ?]0;no more?"),
    ("time.sleep(600)", "slow", "player.py has not answered 'go nodes 5' within 0.3 s"),
    ("print('error what now')", "refused", "player.py has answered 'go nodes 5' with: error what now"),
    ("\n        while True: print('info depth 1')", "slow", "player.py has not answered 'go nodes 5' within 0.3 s"),
    ("\n        while True: sys.stdout.write(9000 * 'x')", "slow",
     "player.py has not answered 'go nodes 5' within 0.3 s"),
])
@pytest.mark.parametrize("asked_by", ["window", "match"])
def test_an_engine_that_fails_is_described_and_leaves_nothing_running(engine_of, body, code, sentence, asked_by):
    engine = engine_of(LISTENER + AGON + f"    if word == 'go': {body}\n", patience=20)
    engine.ask(Game(), "go nodes 5")
    while not engine.is_ready:
        engine.poll()
    while code == "refused" and not engine._complaint:
        engine.poll()
    engine.patience = 0.3 if code != "ended" else 20
    with pytest.raises(agon_ai.EngineFailure) as failure:
        if asked_by == "match":
            engine.wait(engine.patience)
        while True:
            engine.poll()
            time.sleep(0.002)
    assert failure.value.code == code and str(failure.value) == sentence
    assert not engine.is_busy
    process = engine._process
    engine.close()
    assert process.returncode is not None and not any(thread.is_alive() for thread in engine._threads)


@pytest.mark.parametrize("lines, words", [
    ([], ""), (["", "  "], ""), (["just words"], "just words"),
    (["hop.sh: 3: soup: not found"], "hop.sh: 3: soup: not found"),
    (['  File "/x/player.py", line 3, in f', '  File "/y/agon_core.py", line 9, in g', "ValueError: no"],
     "ValueError: no (line 3 of player.py)"),
    (['  File "/y/agon_core.py", line 9, in g', "my.own.Problem: no"], "my.own.Problem: no (line 9 of agon_core.py)"),
    (["/x/hop.js:5", "soup()", "^", "", "TypeError: no", "    at Object (/x/hop.js:5:1)", "", "Node.js v20.1"],
     "TypeError: no (line 5 of hop.js)")])
def test_error_output_comes_down_to_the_error_and_its_line(lines, words):
    assert agon_ai.last_words(lines, "player.py").sentence("en") == words


def test_the_place_of_an_error_is_told_in_german_too():
    words = agon_ai.last_words(['  File "/x/player.py", line 3, in f', "ValueError: no"], "player.py")
    assert words.sentence("de") == "ValueError: no (Zeile 3 von player.py)"
    failure = agon_ai.EngineFailure("ended", who="x", error=words)
    assert failure.sentence("de") == "x hat sich beendet: ValueError: no (Zeile 3 von player.py)"
    assert agon_ai.last_words(["soup: not found"], "player.py").sentence("de") == "soup: not found"


def test_an_engine_that_never_gets_ready_is_given_up(engine_of):
    engine = engine_of("import time\ntime.sleep(600)", patience=0.2)
    engine.ask(Game())
    with pytest.raises(agon_ai.EngineFailure, match="has not answered 'agon' within 0.2 s"):
        engine.wait(600)
    engine.close()
    engine.start()
    with pytest.raises(agon_ai.EngineFailure) as failure:
        while True:
            engine.poll()
    assert failure.value.code == "slow" and failure.value.details["asked"] == "agon"


def test_the_time_to_start_does_not_count_as_time_to_think(engine_of):
    engine = engine_of(LISTENER + AGON + "    if word == 'go': print('bestmove b1-c2')\n", patience=1000)
    engine.ask(Game())
    engine._since -= 500  # as if it had taken so long to start
    assert engine.wait(100).text == "b1-c2"


def test_an_engine_that_never_reads_does_not_hold_up_who_asks(engine_of):
    engine = engine_of("import time\nprint('agonok')\ntime.sleep(600)", patience=0.2)
    game = Game()
    for _ in range(300):
        engine.ask(game, "go infinite", [("Filler", 1000 * "x")])
        engine.poll()
    assert engine.is_busy


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_what_an_engine_has_started_ends_with_it(engine_of, tmp_path):
    engine = engine_of("import subprocess, sys\nchild = subprocess.Popen([sys.executable, '-c', "
                       "'import time; time.sleep(600)'])\nprint('id name', child.pid, flush=True)\n"
                       "print('agonok', flush=True)\nchild.wait()\n")
    engine.start()
    while not engine.is_ready:
        engine.poll()
    assert is_running(int(engine.name))
    engine.close()
    deadline = time.monotonic() + 20
    while is_running(int(engine.name)):
        assert time.monotonic() < deadline


def test_an_engine_that_has_ended_is_started_again_by_the_next_question(engine_of):
    engine = engine_of(LISTENER + AGON + "    if word == 'go':\n        print('bestmove b1-c2')\n        break\n")
    for _ in range(3):
        engine.ask(Game())
        assert engine.wait(20).text == "b1-c2"
        engine._threads[1].join(20)  # it has read the end


@pytest.mark.parametrize("command, error", [
    (("no-such-program",), errno.ENOENT), ((sys.executable, "no-such.py"), errno.ENOENT), ((), errno.ENOENT),
    ((sys.executable, "-c", "a\0b"), errno.EINVAL)])
def test_an_engine_that_cannot_be_started_says_so_at_once(command, error):
    engine = agon_ai.EngineProcess(command)
    with pytest.raises(OSError) as failure:
        engine.ask(Game())
    assert failure.value.errno == error and not engine.is_busy and engine.poll() == []


def test_a_conversation_tells_who_has_spoken_and_keeps_the_form_of_errors(engine_of):
    engine = engine_of("import sys\nsys.stderr.write('if x:\\n\\ty = (\\n       ^\\n')\n" + LISTENER + AGON
                       + "    if word == 'go':\n        print('bestmove b1-c2 Grüße')\n        break\n")
    engine.ask(Game())
    assert engine.wait(20).text == "b1-c2 Grüße"
    while not engine._has_ended:
        engine.poll()
    spoken = list(engine.log)
    assert [said.text for said in spoken if said.speaker == "!"] == ["if x:", "        y = (", "       ^"]
    assert [said.text for said in spoken if said.speaker == "<"] == [
        "agonok", "bestmove b1-c2 Grüße"]
    assert [said.text.split()[0] for said in spoken if said.speaker == ">"] == [
        "agon", "setoption", "setoption", "setoption", "position", "go"]


def test_an_engine_that_floods_is_held_up_in_place_of_filling_the_memory(engine_of):
    engine = engine_of("print('agonok')\nwhile True: print('info depth 1')\n")
    engine.start()
    while engine._lines.qsize() < engine.QUEUE_LINES:
        pass
    engine.poll()
    assert len(engine.log) == engine.LOG_LINES
    engine.close()
    assert not any(thread.is_alive() for thread in engine._threads)


def test_engines_leave_no_open_pipe_and_no_warning(tmp_path):
    code = ("import agon_ai, sys\n"
            "engine = agon_ai.EngineProcess((sys.executable, '-c', sys.argv[1]))\n"
            "for _ in range(2):\n    engine.ask(agon_ai.Game())\n    print(engine.wait(20).text)\n    engine.close()\n"
            "engine.ask(agon_ai.Game())\nengine.close()\n")
    player = ("import sys\nfor line in sys.stdin:\n"
              "    print({'agon': 'agonok', 'go': 'bestmove b1-c2'}.get(line.strip(), 'info'))\n")
    done = subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", code, player], cwd=HERE,
                          capture_output=True, encoding="utf-8", timeout=60)
    assert (done.stdout.split(), done.stderr) == (["b1-c2", "b1-c2"], "")


def test_a_very_long_game_is_told_from_its_last_move_that_cannot_come_back(monkeypatch):
    game = played("a5-b5 d1-d2 b1-a1 d2-d3 a1-b1 a2-a3")
    assert agon_ai.position_line(game) == f"position text {Position.start()} moves " + " ".join(map(str, game.moves))
    assert agon_ai.position_line(game, 0) == f"position text {Position.start()}"
    monkeypatch.setattr(agon_ai, "MAX_LINE_BYTES", 100)
    progress = max(ply for ply in range(6) if game.positions[ply].is_progress(game.moves[ply]))
    assert agon_ai.position_line(game) == " ".join(
        ["position text", str(game.positions[progress + 1])] + (["moves"] if progress < 5 else [])
        + [str(move) for move in game.moves[progress + 1:]])


def test_a_very_long_game_is_told_from_its_last_relocation(monkeypatch):
    game = played("d4-a1 f11-e10 f1-e1", "Qf1 d4 / Qf11 d3 d5 w")
    monkeypatch.setattr(agon_ai, "MAX_LINE_BYTES", 10)
    assert agon_ai.position_line(game) == f"position text {game.positions[1]} moves f11-e10 f1-e1"


@pytest.mark.parametrize("score", [0, 35, -1234, agon_ai.WIN - 1, agon_ai.WIN - 3, agon_ai.WIN - 7, 2 - agon_ai.WIN,
                                   8 - agon_ai.WIN])
def test_a_score_is_read_as_it_was_written(score):
    assert agon_ai.parse_score(agon_ai.score_text(score)) == score


@pytest.mark.parametrize("text", ["", "soup", "win", "win in", "win in 0", "win in -1", "loss in 99999", "1.5",
                                  "9" * 40, "9999999", "win in 2 or 3", "\u0665"])
def test_what_is_no_score_is_not_read_as_one(text):
    assert agon_ai.parse_score(text) is None
    assert agon_ai.parse_info(f"info depth 1 score {text} nodes 1 pv a5-b5".split()) is None


def test_a_move_that_loses_at_once_is_a_loss_in_one():
    assert [agon_ai.score_text(plies - agon_ai.WIN) for plies in (1, 2, 3, 4)] == [
        "loss in 1", "loss in 1", "loss in 2", "loss in 2"]


@pytest.mark.parametrize("answer, result", [
    ("a5-b5", "a5-b5"), ("a5-b5 ponder x", "a5-b5"), ("resign", "None"), ("", "unreadable"), ("soup", "unreadable"),
    ("a5-f6", "illegal"), ("--", "illegal")])
def test_an_answer_is_a_move_or_a_resignation_or_a_failure(answer, result):
    try:
        found = str(agon_ai.chosen_move(Game(), answer))
    except agon_ai.EngineFailure as failure:
        found = failure.code
        assert str(failure).startswith("the engine has ")
    assert found == result


@pytest.mark.parametrize("system, text, expected", [
    ("posix", "my.py --fast", ("PYTHON", "my.py", "--fast")),
    ("posix", '"a b/c.py"', ("PYTHON", "a b/c.py")),
    ("posix", "./engine x", ("./engine", "x")), ("posix", "", ()), ("posix", '"broken', ("broken",)),
    ("posix", "Zweite.PY", ("PYTHON", "Zweite.PY")), ("posix", "x.pyw", ("PYTHON", "x.pyw")),
    ("posix", "hop.js -v", ("node", "hop.js", "-v")), ("posix", "hop.sh", ("sh", "hop.sh")),
    ("posix", "~/x.py", ("PYTHON", "HOME/x.py")), ("posix", "$HOME/x.py", ("PYTHON", "HOME/x.py")),
    ("posix", "beside.py", ("PYTHON", "FOLDER/beside.py")),
    ("posix", "python3 with blank/x.py -v", ("python3", "FOLDER/with blank/x.py", "-v")),
    ("posix", "with blank/x.py", ("PYTHON", "FOLDER/with blank/x.py")),
    ("posix", 'run --arg="x y"', ("run", "--arg=x y")), ("posix", "M\u00fcller 100%/x", ("M\u00fcller", "100%/x")),
    ("nt", r'"C:\Program Files\python.exe" hopper.py', (r"C:\Program Files\python.exe", "hopper.py")),
    ("nt", r'python "C:\Users\Max Muster\hopper.py"', ("python", r"C:\Users\Max Muster\hopper.py")),
    ("nt", r"C:\Max's\hop.py", ("PYTHON", r"C:\Max's\hop.py")), ("nt", '--arg="x y"', ("--arg=x y",)),
])
def test_a_typed_command_becomes_program_and_arguments(tmp_path, monkeypatch, system, text, expected):
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    (tmp_path / "with blank").mkdir()
    for name in ("beside.py", "with blank/x.py"):
        (tmp_path / name).write_text("", "utf-8")
    monkeypatch.setattr(agon_ai.shutil, "which", lambda word: word)
    with monkeypatch.context() as patch:
        patch.setattr(agon_ai.os, "name", system)
        found = agon_ai.program_command(text, str(tmp_path))
    names = {"PYTHON": sys.executable, "HOME": str(tmp_path / "home"), "FOLDER": str(tmp_path)}
    for name, value in names.items():
        expected = tuple(word.replace(name, value) for word in expected)
    if os.name == "nt":  # where a path may be written with both kinds of strokes
        found, expected = [[word.replace("\\", "/") for word in words] for words in (found, expected)]
    assert found == expected


def test_where_no_python_is_on_the_path_this_one_runs_the_program(monkeypatch):
    monkeypatch.setattr(agon_ai.shutil, "which", lambda word: None)
    assert agon_ai.program_command("python -m hopper") == (sys.executable, "-m", "hopper")


@pytest.mark.parametrize("command, missing", [
    ((sys.executable, "-c", "x.py"), None), ((sys.executable, "no-such.py", "-v"), "no-such.py"),
    (("no-such-program",), "no-such-program"), ((), ""), ((sys.executable, agon_ai.__file__, "serve"), None),
    ((sys.executable, "-u", "no/such.js"), "no/such.js"), (("/no/such/program", "x"), "/no/such/program")])
def test_a_file_of_a_command_that_is_missing_is_named(command, missing):
    assert agon_ai.missing_file(command) == missing


def test_there_is_one_place_that_starts_programs():
    sources = []
    for name in ("agon.py", "agon_ai.py", "agon_core.py"):
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            sources.append(file.read())
    assert [source.count("subprocess.Popen(") for source in sources] == [0, 1, 0]
    assert not any(word in source for source in sources for word in ("subprocess.run(", "os.system(", "os.popen("))


# -- match --

#: A player that needs no rules: the first of the legal moves it is told.
FIRST = """
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] == "agon":
        print("id name First\\nwants legal\\nagonok")
    elif words[0] == "legal":
        move = words[1]
    elif words[0] == "go":
        print("bestmove", move)
"""


@pytest.fixture
def player_of(tmp_path):
    """Makes players: their commands, from what they do when they are told to go."""
    def make(on_go="print('bestmove', move)", name="first.py", called="First"):
        path = tmp_path / name
        path.write_text(FIRST.replace("print(\"bestmove\", move)", on_go).replace("First", called), "utf-8")
        return str(path)
    return make


def games_of(folder):
    """The games saved in a folder, by the names of their files."""
    return {name: Game.load(str(folder / name)) for name in sorted(os.listdir(folder)) if name.endswith(".agon")}


@pytest.mark.parametrize("on_go, reason, by_error", [
    ("sys.exit(1)", "PLAYER has ended", True),
    ("[][1]", "PLAYER has ended: IndexError: list index out of range (line 10 of player.py)", True),
    ("__import__('time').sleep(60)", "PLAYER has not answered 'go movetime 10' within 0.5 s", True),
    ("\n        while True: print('info depth 1')", "PLAYER has not answered 'go movetime 10' within 0.5 s", True),
    ("print('bestmove a5-f6')", "PLAYER has played a5-f6: A piece moves only one step.", True),
    ("print('bestmove \\x1b[2J')", "PLAYER has answered nonsense: ", True),
    ("print('bestmove')", "PLAYER has answered nonsense: ", True),
    ("print('bestmove resign')", "PLAYER has resigned", False),
])
def test_an_engine_that_fails_loses_with_the_reason(player_of, monkeypatch, on_go, reason, by_error):
    if "within" in reason:
        monkeypatch.setattr(agon_ai, "PATIENCE", 0.49)
    player = player_of(on_go, "player.py")
    sides = [agon_ai.contestant(name, "movetime 10") for name in (player, "level1")]
    result = agon_ai.play_game(sides, 0, 2, 1)
    assert result.points == 0 and result.by_error == by_error
    assert result.reason.startswith(reason.replace("PLAYER", player)) and result.reason.isprintable()
    assert result.game.headers["Termination"] == result.reason
    assert Game.from_text(result.game.to_text()).headers["Termination"] == result.reason


def test_a_player_of_eight_lines_plays_a_whole_game_and_the_file_says_who_and_why(player_of):
    commands = [player_of(), player_of("print('bestmove', 'resign')", "other.py")]
    sides = agon_ai.introduced(commands, "movetime 10")
    assert [side.name for side in sides] == ["first.py", "other.py"]  # both say they are First
    long_game = agon_ai.play_game([sides[0]] * 2, 0, 2, 1)
    assert long_game.game.outcome() and len(long_game.game.moves) > 4 and not long_game.by_error
    game = agon_ai.play_game(sides, 3, 2, 1).game
    assert game.headers["White"] == sides[1].name and game.headers["Black"] == sides[0].name
    assert game.headers["Event"] == f"{sides[0].name} - {sides[1].name}" and game.headers["Round"] == "4"
    assert re.fullmatch(r"\d{4}\.\d\d\.\d\d", game.headers["Date"])
    assert game.headers["Termination"] == "other.py has resigned"
    assert len(game.moves) == 2 and game.outcome().result == "0-1"


def test_contestants_are_called_by_the_name_they_tell_or_by_their_file(player_of, tmp_path):
    silent = tmp_path / "silent one.py"
    silent.write_text(LISTENER.replace("sys.argv[1]", repr(os.devnull)) + AGON, "utf-8")
    names = [player.name for player in agon_ai.introduced([player_of(), f'"{silent}"', "level3"], "nodes 5")]
    assert names == ["First", "silent one.py", "level3"]


def test_contestants_with_the_same_name_are_told_apart_by_their_files_or_by_their_numbers():
    def called(name, *command):
        return agon_ai.Contestant(name, command, (), "go", 1.0)
    players = agon_ai.told_apart([called("A", "x/a.py"), called("B", "x/b.py"), called("A", "y/a.py"),
                                  called("C", "x/c.py"), called("C", "y/d.py")])
    assert [player.name for player in players] == ["A 1", "B", "A 3", "c.py", "d.py"]


@pytest.mark.parametrize("text, go, options, seconds", [
    ("level3", "go", (("Level", 3),), 5.1), ("level8", "go movetime 100", (("Level", 8),), 5.1),
    ("level8-threat-table", "go movetime 100", (("Level", 8), ("Without", "threat,table")), 5.1)])
def test_a_level_is_a_contestant(text, go, options, seconds):
    player = agon_ai.contestant(text, "movetime 100")
    assert (player.name, player.command, player.go, player.options, player.seconds) == (
        text, agon_ai.OWN_ENGINE, go, options, seconds)


@pytest.mark.parametrize("command", ["match", "tournament"])
@pytest.mark.parametrize("player, sentence", [
    ("level9", "there is no level 9"), ("level0", "there is no level 0"), ("level8-luck", "unknown idea luck"),
    ("no-such-engine", "no-such-engine cannot be started: there is no such file: no-such-engine"),
    ("no-such.py -v", "no-such.py -v cannot be started: there is no such file: no-such.py"),
    ("DIES", "dies.py has ended: ValueError: at once (line 1 of dies.py)"),
    ("HANGS", "hangs.py has not answered 'agon' within 0.3 s")])
def test_a_contestant_that_cannot_be_started_is_no_result(
        tmp_path, player_of, monkeypatch, capsys, command, player, sentence):
    (tmp_path / "dies.py").write_text("raise ValueError('at once')", "utf-8")
    (tmp_path / "hangs.py").write_text("import time; time.sleep(600)", "utf-8")
    if player == "HANGS":
        impatient = functools.partial(agon_ai.EngineProcess, patience=0.3)
        monkeypatch.setattr(agon_ai, "EngineProcess", impatient)
        player_of = lambda: "level1"  # noqa: E731
    player = player.replace("DIES", str(tmp_path / "dies.py")).replace("HANGS", str(tmp_path / "hangs.py"))
    assert agon_ai.main([command, player_of(), player]) == 1
    captured = capsys.readouterr()
    assert sentence in captured.err and captured.out == ""


@pytest.mark.parametrize("typed, control", [
    ("5+3", (300, 3, False)), ("0.5", (30, 0, False)), ("90+0", (5400, 0, False)), ("1.25+10", (75, 10, False))])
def test_a_clock_is_typed_as_minutes_and_seconds_for_each_move(typed, control):
    options = agon_ai._parser().parse_args(["match", "a", "b", "--clock", typed])
    assert tuple(options.clock) == control
    assert not agon_ai._parser().parse_args(["tournament", "a", "b"]).clock.seconds


@pytest.mark.parametrize("typed", ["", "0", "0.001", "+3", "5+", "x", "5 + 3", "-1", "1e3", "30/move", "5+3.5"])
def test_what_is_no_clock_is_refused_with_an_example(typed, capsys):
    with pytest.raises(SystemExit):
        agon_ai.main(["match", "a", "b", f"--clock={typed}"])
    assert f"{typed} is no time such as 5+3" in capsys.readouterr().err


def test_who_runs_out_of_time_loses_and_the_table_says_so(player_of):
    sleeper = player_of("__import__('time').sleep(600)", "sleeper.py", "Sleeper")
    sides = [agon_ai.contestant(name, "movetime 10") for name in (sleeper, player_of())]
    result = agon_ai.play_game(sides, 1, 0, 1, control=agon_ai.TimeControl(0.3))
    outcome = result.game.outcome()
    assert (result.points, result.reason, outcome.winner) == (0, "Time has run out.", WHITE)
    assert result.is_late and not result.by_error and len(result.game.moves) == 1
    assert result.game.headers["BlackLeft"] == "0.0" and float(result.game.headers["WhiteLeft"]) > 0
    results = {agon_ai.Pairing(0, 1, 1): result}
    assert agon_ai.crosstable(["Sleeper", "First"], results).splitlines() == [
        " no  name        2     1   points   won drawn  lost errors  time",
        "  2. First       -     1        1     1     0     0      0     0",
        "  1. Sleeper     0     -        0     0     0     1      0     1"]
    page = agon_ai.TournamentPage("t.html", ["Sleeper", "First"], 2, "de")
    assert page.rows(results)[0][-2:] == ["davon durch Fehler", "davon auf Zeit"]


def test_a_program_that_crashes_under_a_clock_has_not_run_out_of_time(player_of):
    sides = [agon_ai.contestant(name, "movetime 10") for name in (player_of("[][1]", "crasher.py"), player_of())]
    result = agon_ai.play_game(sides, 0, 0, 1, control=agon_ai.TimeControl(60))
    assert result.by_error and not result.is_late


def test_engines_are_told_the_clocks_and_programs_their_share_of_it_too(player_of, monkeypatch):
    told = player_of("\n        open(sys.argv[0] + '.go', 'a').write(line)\n        print('bestmove', move)", "told.py")
    asked = []
    ask = agon_ai.EngineProcess.ask
    monkeypatch.setattr(agon_ai, "LONGEST_GAME", 2)
    monkeypatch.setattr(agon_ai.EngineProcess, "ask", lambda engine, game, go, *rest: (
        asked.append(go), ask(engine, game, go, *rest))[1])
    sides = [agon_ai.contestant(name, "movetime 10") for name in (told, "level1")]
    agon_ai.play_game(sides, 0, 0, 1, control=agon_ai.TimeControl(60, 5))
    words = [go.split() for go in asked]
    assert words[0][1::2] == ["wtime", "winc", "btime", "binc", "movetime"]
    assert words[0][2:9:2] == ["60000", "5000", "60000", "5000"] and 5700 <= int(words[0][10]) <= 5750
    assert words[1][1::2] == ["wtime", "winc", "btime", "binc"] and int(words[1][2]) <= 65000
    assert Path(told + ".go").read_text("utf-8").strip() == asked[0]


def test_the_two_games_of_a_pair_share_their_opening():
    openings = [agon_ai.random_opening(4, f"1 {number // 2}").moves for number in range(4)]
    assert openings[0] == openings[1] != openings[2] == openings[3]


def test_a_match_ends_in_its_summary(player_of, capsys, tmp_path):
    loser = player_of("[][1]", "loser.py")
    folder = tmp_path / "games"
    folder.mkdir()
    resigner = player_of("print('bestmove resign')", "resigner.py", called="Shy")
    command = ["match", loser, resigner, "--games", "4", "--openings", "2", "--save", str(folder / "match.agon")]
    assert agon_ai.main(command) == 0
    assert capsys.readouterr().out.splitlines() == [
        "   2 x First has ended: IndexError: list index out of range (line 10 of loser.py)", "   2 x Shy has resigned",
        "First vs Shy: 2 wins, 0 draws, 2 losses, 50.0 %, Elo +0 \u00b1 382"]
    games = games_of(folder)
    assert list(games) == [f"match-{number:03}.agon" for number in (1, 2, 3, 4)]
    assert [game.headers["White"] for game in games.values()] == ["First", "Shy"] * 2
    assert [game.headers["Round"] for game in games.values()] == ["1", "2", "3", "4"]


def test_a_match_by_nodes_is_the_same_every_time(monkeypatch):
    monkeypatch.setattr(agon_ai, "LONGEST_GAME", 16)
    sides = [agon_ai.contestant(name, "nodes 300") for name in ("level8", "level8-threat")]
    games = [agon_ai.play_game(sides, number, 6, 4) for number in (0, 0, 1)]
    moves = [game.game.moves for game in games]
    assert moves[0] == moves[1] != moves[2] and len(moves[0]) == 16
    assert {game.reason for game in games} == {"no end after 16 moves"} and games[0].points == 0.5


@pytest.mark.parametrize("option", ["--games", "--nodes", "--movetime", "--jobs"])
def test_a_match_refuses_numbers_that_make_no_sense(option, capsys):
    for number in ("0", "-1", "soup", "1.5"):
        with pytest.raises(SystemExit) as ended:
            agon_ai.main(["match", "level1", "level1", f"{option}={number}"])
        assert ended.value.code == 2 and f"{option}: {number} is not a number from 1 up" in capsys.readouterr().err


@pytest.mark.parametrize("arguments, sentence", [
    (["match", "a", "b", "--seed=99999999999999999999"], "99999999999999999999 is not a whole number"),
    (["match", "a", "b", "--seed=x"], "x is not a whole number"),
    (["match", "a", "b", "--openings=-1"], "-1 is not a number from 0 to 40"),
    (["match", "a", "b", "--openings=5000"], "5000 is not a number from 0 to 40"),
    (["match", "a", "b", "--save=no/such/folder/x.agon"], "that can be written to"),
    (["tournament", "a", "b", "--save=no/such/folder/x.agon"], "that can be written to"),
    (["analyse", "start", "--multipv=0"], "0 is not a number from 1 up"),
    (["analyse", "start", "--depth=-1"], "-1 is not a number from 1 up"),
    (["analyse", "start", "--nodes=0"], "0 is not a number from 1 up"),
    (["analyse", "start", "--seconds=nan"], "nan is not a number of seconds above 0"),
    (["analyse", "start", "--seconds=inf"], "inf is not a number of seconds above 0"),
    (["analyse", "start", "--seconds=-1"], "-1 is not a number of seconds above 0"),
    (["bench", "--seconds=0"], "0 is not a number of seconds above 0"),
    (["tree", "start", "--depth=9"], "argument --depth: invalid choice: ")])
def test_what_makes_no_sense_is_refused_before_anything_is_done(arguments, sentence, capsys):
    with pytest.raises(SystemExit) as ended:
        agon_ai.main(arguments)
    assert ended.value.code == 2 and sentence in capsys.readouterr().err


def test_the_summary_counts_wins_draws_and_losses():
    line = agon_ai.match_summary(("level3 100%", "level2"), [1] * 12 + [0.5] * 3 + [0] * 5)
    assert line == "level3 100% vs level2: 12 wins, 3 draws, 5 losses, 67.5 %, Elo +127 \u00b1 153"


@pytest.mark.parametrize("points, text", [
    ([1.0], "Elo unknown"), ([0.5], "Elo unknown"), ([0.5] * 10, "Elo +0 \u00b1 82"),
    ([1, 0], "Elo +0 \u00b1 798"), ([1.0] * 5, "Elo at least +69"), ([0.0] * 5, "Elo at most -69"),
    ([1.0] * 100, "Elo at least +610")])
def test_error_bars_do_not_promise_what_few_games_cannot_show(points, text):
    assert agon_ai.elo_text(points) == text


def test_a_tournament_ends_in_its_crosstable(player_of, tmp_path, capsys):
    folder = tmp_path / "games"
    folder.mkdir()
    crasher = player_of("[][1]", "crasher.py", called="Crasher")
    cheat = player_of("print('bestmove a5-a5')", "cheat.py", called="Cheat")
    player_of("print('bestmove resign')")
    command = ["tournament", crasher, cheat, str(tmp_path / "first.py"), "--jobs", "2", "--openings", "0",
               "--save", str(folder / "class.agon"), "--page", str(tmp_path / "page.html"), "--language", "en"]
    assert agon_ai.main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[-4:]
    # White loses by its error or resignation, so everybody wins two of four games.
    assert [line.split() for line in table] == [
        "no name 1 2 3 points won drawn lost errors".split(), "1. Crasher - 1 1 2 2 0 2 2".split(),
        "2. Cheat 1 - 1 2 2 0 2 2".split(), "3. First 1 1 - 2 2 0 2 0".split()]
    assert sorted(lines[:-4]) == [
        "game 1-2-001: Crasher has ended: IndexError: list index out of range (line 10 of crasher.py)",
        "game 1-2-002: Cheat has played a5-a5: The piece is already there.",
        "game 1-3-001: Crasher has ended: IndexError: list index out of range (line 10 of crasher.py)",
        "game 2-3-001: Cheat has played a5-a5: The piece is already there."]
    games = games_of(folder)
    assert sorted(games) == [f"class-{pair}-00{number}.agon" for pair in ("1-2", "1-3", "2-3") for number in (1, 2)]
    assert games["class-2-3-001.agon"].headers["White"] == "Cheat"
    assert games["class-2-3-002.agon"].headers["White"] == "First"
    page = (tmp_path / "page.html").read_text("utf-8")
    assert page.count('<li><a href="games/class-') == 6 and "<svg" not in page and "refresh" not in page
    assert "<li>1-2-002: Cheat has played a5-a5: The piece is already there.</li>" in page
    assert '<li><a href="games/class-2-3-002.agon">2-3-002</a> First - Cheat 0-1</li>' in page
    assert (tmp_path / "page.csv").read_text("utf-8").splitlines()[:2] == [
        "No.,Name,1,2,3,Points,won,drawn,lost,of these by error", "1,Crasher,,1,1,2,2,0,2,2"]


def test_a_crosstable_is_ordered_by_points_and_keeps_the_numbers_of_the_files():
    def result(points, by_error=False):
        return agon_ai.MatchGame(points, "", Game(), agon_ai.EngineFailure("ended", who="x") if by_error else None)
    table = agon_ai.crosstable(["a", "longer", "c"], {
        agon_ai.Pairing(0, 1, 0): result(0.0, True), agon_ai.Pairing(0, 1, 1): result(0.5),
        agon_ai.Pairing(1, 2, 0): result(1.0), agon_ai.Pairing(0, 2, 0): result(0.5)})
    assert table.splitlines() == [
        " no  name       2     1     3   points   won drawn  lost errors",
        "  2. longer     -   1.5     1      2.5     2     1     0      0",
        "  1. a        0.5     -   0.5        1     0     2     1      1",
        "  3. c          0   0.5     -      0.5     0     1     1      0"]
    assert agon_ai.crosstable(["a", "b"], {agon_ai.Pairing(0, 1, 0): result(0.0, True)}, "de").splitlines() == [
        " Nr  Name     2     1   Punkte  gew. remis verl. Fehler",
        "  2. b        -     1        1     1     0     0      0",
        "  1. a        0     -        0     0     0     1      1"]


def test_every_failure_of_a_program_is_told_in_both_languages():
    assert set(agon_ai.FAILURE_TEXTS) == set(agon_ai.GERMAN_FAILURE_TEXTS)
    details = dict(who="x", reason="r", asked="go", seconds=5.5, answer="soup", move="a5-f6", error="")
    for code in agon_ai.FAILURE_TEXTS:
        failure = agon_ai.EngineFailure(code, **details)
        assert failure.sentence("en") == str(failure) != failure.sentence("de") and "{" not in failure.sentence("de")
    crash = agon_ai.EngineFailure("ended", who="x", error=agon_ai.LastWords("IndexError", "x.py", "3"))
    assert crash.sentence("de") == "x hat sich beendet: IndexError (Zeile 3 von x.py)"


def test_the_games_on_the_page_of_a_tournament_are_links_also_when_nobody_has_asked_for_files(
        player_of, tmp_path, capsys):
    crasher = player_of("[][1]", "crasher.py", called="Crasher")
    player_of("print('bestmove resign')")
    command = ["tournament", crasher, str(tmp_path / "first.py"), "--page", str(tmp_path / "turnier.html"),
               "--language", "de"]
    assert agon_ai.main(command) == 0
    page = (tmp_path / "turnier.html").read_text("utf-8")
    assert sorted(games_of(tmp_path)) == ["turnier-1-2-001.agon", "turnier-1-2-002.agon"]
    assert '<a href="turnier-1-2-001.agon">1-2-001</a>' in page and '<a href="turnier-1-2-002.agon">' in page
    sentence = "1-2-001: Crasher hat sich beendet: IndexError: list index out of range (Zeile 10 von crasher.py)"
    assert sentence in page and f"Partie {sentence}" in capsys.readouterr().out


def test_the_page_of_a_tournament_shows_what_is_played_and_what_was(tmp_path):
    names = ["<b>\u00dc & Co", "c"]
    page = agon_ai.TournamentPage(str(tmp_path / "t.html"), names, 2, "de")
    page.watch(agon_ai.Pairing(0, 1, 0), played("a5-b5 d1-e2"))
    page.watch(agon_ai.Pairing(0, 1, 1), Game())
    text = page.html({})
    assert "<p>0 von 2 Partien sind gespielt.</p>" in text and '<meta http-equiv="refresh" content="2">' in text
    assert "<td>&lt;b&gt;\u00dc &amp; Co</td>" in text and "<b>" not in text
    assert text.index("&lt;b&gt;\u00dc &amp; Co - c") < text.index("c - &lt;b&gt;\u00dc &amp; Co")
    picture = text[text.index("<svg"):text.index("</svg>") + 6]
    assert picture.strip() == agon_core.diagrams_svg([
        agon_core.Diagram(played("a5-b5 d1-e2").position, "<b>\u00dc & Co - c", mv("d1-e2"), True),
        agon_core.Diagram(Position.start(), "c - <b>\u00dc & Co", None, True)], agon_core.PRINT).strip()
    game = Game(headers={"White": names[0], "Black": "c"})
    game.resign(WHITE)
    page.finish(agon_ai.Pairing(0, 1, 0), str(tmp_path / "games" / "x 1.agon"))
    page.finish(agon_ai.Pairing(0, 1, 1), "")
    text = page.html({agon_ai.Pairing(0, 1, 0): agon_ai.MatchGame(
        0.0, "", game, agon_ai.EngineFailure("ended", who="<x>"))})
    assert "<svg" not in text and "<li>1-2-001: &lt;x&gt; hat sich beendet</li>" in text
    assert '<li><a href="games/x%201.agon">1-2-001</a> &lt;b&gt;\u00dc &amp; Co - c 0-1</li>' in text


def test_the_page_of_a_tournament_is_written_when_something_has_changed_and_not_too_often(tmp_path, monkeypatch):
    now, written = [100.0], []
    monkeypatch.setattr(agon_ai, "write_safely", lambda path, text: written.append(path))
    monkeypatch.setattr(agon_ai, "time", types.SimpleNamespace(monotonic=lambda: now[0]))
    page = agon_ai.TournamentPage("t.html", ["a", "b"], 3, "en")
    results = {}
    for seconds, change in ((0, "nothing yet"), (5, ""), (5, "move"), (1, "move"), (2, ""), (0.1, "game")):
        now[0] += seconds
        if change == "move":
            page.watch(agon_ai.Pairing(0, 1, 0), played("a5-b5") if page.boards else Game())
        elif change == "game":
            results = {agon_ai.Pairing(0, 1, number): agon_ai.MatchGame(0.5, "", Game(headers={
                "White": "a", "Black": "b"})) for number in range(3)}
        page.write(results)
        written.append(change)
    assert written == ["t.html", "t.csv", "nothing yet", "", "t.html", "t.csv", "move", "move", "t.html", "t.csv", "",
                       "t.html", "t.csv", "game"]


def test_a_page_that_cannot_be_written_does_not_end_the_tournament(tmp_path, capsys):
    agon_ai.TournamentPage(str(tmp_path), ["a", "b"], 1, "en").write({})
    assert "folder" in capsys.readouterr().err


def test_everyone_meets_everyone_twice_in_a_round_and_changes_sides():
    pairings = agon_ai.pairings_of(3, 2)
    assert len(pairings) == len(set(pairings)) == 12
    assert collections.Counter(pairing.sides for pairing in pairings) == {
        (one, other): 2 for one in range(3) for other in range(3) if one != other}
    assert [agon_ai.Pairing.from_numbers(pairing.numbers) for pairing in pairings] == pairings


def told_tournament(*games: Tuple[str, str, Any]) -> agon_ai.Tournament:
    """A tournament of Ada and Bo as its lines tell it: the moves of each game, how it ends, and an error."""
    lines: List[str] = []
    ticker = agon_ai.Ticker(lines.append)
    ticker.begin([agon_ai.EngineFailure("missing", who="x.py", reason="soup")],
                 [agon_ai.Contestant(name, ("x",), (), "go", 1.0) for name in ("Ada", "Bo \u00fc")], 4)
    for number, (moves, ending, failure) in enumerate(games):
        pairing, game = agon_ai.Pairing(0, 1, number), Game()
        for word in moves.split():
            ticker.watch(pairing, game)
            game.play(mv(word))
        ticker.watch(pairing, game)
        if ending:
            getattr(game, ending)(*(() if ending == "agree_draw" else (game.position.turn,)))
            winner = game.outcome().winner
            points = 0.5 if winner is None else float(pairing.sides[winner] == 0)
            ticker.finish(pairing, agon_ai.MatchGame(points, "", game, failure), f"/x/ \u00e4 {number}.agon")
    tournament = agon_ai.Tournament()
    for line in ["id name x", "agonok", *lines]:
        assert "\n" not in line
        tournament.hear(line)
    return tournament


def test_a_window_learns_from_lines_who_plays_what_is_played_and_how_it_has_ended():
    crash = agon_ai.EngineFailure("ended", who="Ada", error=agon_ai.LastWords("IndexError: \u00e4", "a.py", "3"))
    cheat = agon_ai.EngineFailure("illegal", who="Bo", move=mv("a5-f6"), refusal=agon_core.Refusal.SAME_CELL,
                                  reason="no")
    told = told_tournament(("a5-b5", "resign", cheat), ("", "agree_draw", None), ("a5-b5 d1-e2", "resign", crash),
                           ("b1-c2", "", None))
    assert told.names == ["Ada", "Bo \u00fc"] and told.count == 4
    assert [failure.sentence("de") for failure in told.absent] == ["x.py l\u00e4sst sich nicht starten: soup"]
    assert list(told.games) == [agon_ai.Pairing(0, 1, number) for number in range(4)]
    assert told.running == [agon_ai.Pairing(0, 1, 3)] and told.games[told.running[0]].moves == (mv("b1-c2"),)
    results = list(told.results.values())
    assert [result.points for result in results] == [1.0, 0.5, 0.0]
    assert [result.game.outcome().result for result in results] == ["1-0", "1/2-1/2", "0-1"]
    assert [result.failure and result.failure.sentence("de") for result in results] == [
        "Bo wollte a5-f6 ziehen, und das ist nicht erlaubt", None,
        "Ada hat sich beendet: IndexError: \u00e4 (Zeile 3 von a.py)"]
    assert told.files[agon_ai.Pairing(0, 1, 1)] == os.path.abspath("/x/ \u00e4 1.agon") and len(told.files) == 3
    assert told.players(agon_ai.Pairing(0, 1, 3)) == ("Bo \u00fc", "Ada")
    assert agon_ai.standings(told.names, told.results)[0][2:7] == (1.5, 1, 1, 1, 1)


def test_time_that_has_run_out_is_told_as_such_by_the_lines_too():
    told = told_tournament(("a5-b5", "lose_on_time", None))
    outcome = told.results[agon_ai.Pairing(0, 1, 0)].game.outcome()
    assert outcome.reason is agon_core.Ending.TIME and outcome.winner == WHITE


def live_tournament(*arguments):
    """A tournament that speaks to a window, told to begin, with what it has said up to the first game."""
    process = subprocess.Popen([*agon_ai.OWN_PROGRAM, "tournament", *arguments, "--live", "--openings", "0"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(b"agon\nposition x\ngo infinite\n")
    process.stdin.flush()
    said = []
    while not said or not said[-1].startswith(("game", "tournamentok")):
        said.append(process.stdout.readline().decode("utf-8").strip())
    return process, said


def test_a_tournament_speaks_to_a_window_leaves_out_who_does_not_start_and_names_the_levels(player_of, tmp_path):
    shy = player_of("print('bestmove resign')", "shy.py", called="Sch\u00fc")
    (tmp_path / "dies.py").write_text("raise ValueError('at once')", "utf-8")
    process, said = live_tournament(shy, str(tmp_path / "dies.py"), "level1", "--language", "de",
                                    "--page", str(tmp_path / "t.html"))
    rest, _ = process.communicate(timeout=60)
    tournament = agon_ai.Tournament()
    lines = said + rest.decode("utf-8").splitlines()
    for line in lines:
        tournament.hear(line)
    assert lines[:3] == ["id name Tournament", "wants quit", "agonok"]
    assert tournament.names == ["Sch\u00fc", "Stufe 1"] and tournament.count == 2
    assert [failure.sentence("de") for failure in tournament.absent] == [
        "dies.py hat sich beendet: ValueError: at once (Zeile 1 von dies.py)"]


@pytest.mark.skipif(os.name != "posix", reason="is_running")
@pytest.mark.parametrize("end", ["stop", "quit", "closed"])
def test_a_tournament_ends_with_its_window_and_leaves_no_engine_however_it_hangs(player_of, tmp_path, end):
    hanging = "\n        open(sys.argv[0] + '.pid', 'w').write(str(__import__('os').getpid()))\n        while True: pass"
    process, _said = live_tournament(player_of(hanging, "hangs.py"), "level1", "--movetime", "600000")
    pid_file = tmp_path / "hangs.py.pid"
    deadline = time.monotonic() + 60
    try:
        while not pid_file.exists() or not pid_file.read_text("utf-8"):
            assert time.monotonic() < deadline and process.poll() is None
        if end != "closed":
            process.stdin.write(f"{end}\n".encode())
            process.stdin.flush()
        if end == "stop":
            while process.stdout.readline() != b"tournamentok\n":
                assert time.monotonic() < deadline
            assert process.poll() is None
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    while is_running(int(pid_file.read_text("utf-8"))):
        assert time.monotonic() < deadline


@pytest.mark.parametrize("variables, language", [
    ({"LANG": "de_AT.UTF-8"}, "de"), ({"LANG": "de_DE", "LC_ALL": "C"}, "en"),
    ({"LC_MESSAGES": "German_Germany"}, "de"), ({"LANG": "nl_NL"}, "en")])
def test_the_language_of_the_page_is_the_systems(monkeypatch, variables, language):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert agon_ai.system_language() == language


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupted_match_tells_what_was_played_and_leaves_nothing_running(player_of, tmp_path):
    quick = player_of("print('bestmove resign')")
    slow = player_of("\n        print(open(sys.argv[0] + '.pid', 'w').write(str(__import__('os').getpid())));"
                     " __import__('time').sleep(600)", "slow.py")
    # White resigns in the first game; in the second White thinks for ever.
    process = subprocess.Popen(
        [*agon_ai.OWN_PROGRAM, "match", quick, slow, "--games", "9", "--openings", "0",
         "--movetime", "600000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        # What a shell starts in the background ignores Ctrl-C, and so would its children.
        preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL))
    try:
        pid_file = tmp_path / "slow.py.pid"
        deadline = time.monotonic() + 30
        while not pid_file.exists() or not pid_file.read_text("utf-8"):
            assert time.monotonic() < deadline and process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == agon_ai.INTERRUPTED and b"Traceback" not in errors
    assert output.decode().splitlines()[-1].endswith(": 0 wins, 0 draws, 1 losses, 0.0 %, Elo unknown")
    while is_running(int(pid_file.read_text("utf-8"))):
        assert time.monotonic() < deadline


def run_ai(arguments, code_page="utf-8", **options):
    """A command of agon_ai.py, its output going into pipes in this code page."""
    environment = dict(os.environ, PYTHONIOENCODING=code_page, PYTHONUTF8="0")
    return subprocess.run([*agon_ai.OWN_PROGRAM, *arguments], env=environment, capture_output=True,
                          timeout=60, **options)


@pytest.mark.parametrize("code_page", ["ascii", "cp1252"])
def test_results_are_printed_in_any_code_page(player_of, tmp_path, code_page):
    player = player_of("print('bestmove \u0416\\udcff')", "\u0141uk\u00e4sz.py", "\u0141uk\u00e4sz")
    done = run_ai(["match", player, "level1", "--games", "2", "--openings", "0"], code_page)
    assert done.returncode == 0 and done.stderr.count(b"Traceback") == 0
    assert b" vs level1: 0 wins, 0 draws, 2 losses, 0.0 %, Elo at most " in done.stdout


@pytest.mark.parametrize("code_page", ["ascii", "cp1252"])
def test_the_protocol_is_utf_8_in_any_code_page(code_page):
    lines = "zug \u6f22\nposition text \u00e4 w\n".encode("utf-8") + b"\xff\xfe\nisready\nquit\n"
    done = run_ai(["serve"], code_page, input=lines)
    answers = done.stdout.decode("utf-8").splitlines()
    assert answers[0] == "error unknown command zug \u6f22" and answers[-1] == "readyok" and done.stderr == b""


def test_a_reader_that_has_seen_enough_gets_no_traceback():
    process = subprocess.Popen([sys.executable, agon_ai.__file__, "tree", "start"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b"" and process.wait(20) == 1
    process.stderr.close()


@pytest.mark.parametrize("error, platform, is_closed", [
    (BrokenPipeError(errno.EPIPE, "x"), "linux", True), (OSError(errno.EINVAL, "x"), "win32", True),
    (OSError(errno.EINVAL, "x"), "linux", False), (OSError(errno.ENOSPC, "x"), "win32", False)])
def test_a_closed_pipe_is_known_by_its_error(monkeypatch, error, platform, is_closed):
    monkeypatch.setattr(sys, "platform", platform)
    assert agon_ai.is_closed_pipe(error) == is_closed


@pytest.mark.parametrize("go, seconds", [
    ("go", 0.0), ("go movetime 1500", 1.5), ("go infinite multipv 3", None),
    ("go wtime 60000 btime 90000 winc 5", 90.0), ("tree depth 2", 0.0)])
def test_an_engine_is_patiently_given_the_time_it_was_told(go, seconds):
    assert agon_ai._seconds_of(go) == seconds


@pytest.mark.parametrize("clock, side, share", [
    ({}, WHITE, None), ({"btime": 60_000}, WHITE, None), ({"wtime": 60_000, "btime": 1}, WHITE, 2.0),
    ({"wtime": 1, "btime": 60_000, "binc": 1000}, BLACK, 2.75), ({"wtime": 1000, "winc": 60_000}, WHITE, 0.5),
    ({"wtime": 0}, WHITE, 0.01)])
def test_a_clock_is_shared_out_fairly_and_never_used_up(clock, side, share):
    assert agon_ai.clock_share(clock, side) == share


@pytest.mark.parametrize("go, seconds", [
    ("go wtime 60000 btime 300 winc 0 binc 0", 0.01), ("go wtime 9 btime 60000 movetime 50", 0.05),
    ("go btime 6000 movetime 5000", 0.2), ("go wtime 100", 3.0), ("go infinite btime 10", None)])
def test_an_engine_at_full_strength_is_given_its_share_of_the_clock(monkeypatch, go, seconds):
    given = []

    class Quick(agon_ai.Searcher):
        def __init__(self, game, seconds, depth, nodes, *others, **named):
            given.append(seconds)
            super().__init__(game, seconds, depth, 30, *others, **named)
    monkeypatch.setattr(agon_ai, "Searcher", Quick)
    said = []
    engine = agon_ai.Engine(said.append, lambda: True)
    engine.obey("position start moves a5-b5")
    engine.obey(go)
    assert given == [seconds] and said[-1].startswith("bestmove ")
    engine.obey("go wtime soup")
    assert said[-1] == "error soup is not a number"


def test_a_lower_level_stops_when_its_share_of_the_clock_is_used_up(monkeypatch):
    now, stops = [50.0], []
    monkeypatch.setattr(agon_ai.time, "perf_counter", lambda: now[0])

    def choose(game, level, seed, stop, report):
        for seconds in (0.0, 1.9, 0.2):
            now[0] += seconds
            stops.append(stop())
        return types.SimpleNamespace(move=PASS)
    monkeypatch.setattr(agon_ai, "choose", choose)
    said = []
    engine = agon_ai.Engine(said.append, lambda: False)
    engine.obey("setoption name Level value 5")
    engine.obey("go wtime 60000")
    assert stops == [False, False, True] and said == ["bestmove --"]


def test_isready_is_answered_while_the_engine_thinks():
    with Talk() as engine:
        engine.say("go infinite")
        engine.say("isready")
        engine.hear("readyok")
        engine.say("stop")
        assert engine.hear("bestmove")


# -- the check, and the example players --

@pytest.fixture
def quick_check(monkeypatch):
    """Lets checks give little time; returns the texts of what is found, by grade."""
    monkeypatch.setattr(agon_ai, "CHECK_MS", 20)
    monkeypatch.setattr(agon_ai, "PROMPT", 0.3)

    def found(command):
        texts = collections.defaultdict(list)
        for finding in agon_ai.findings(agon_ai.program_command(command)):
            texts[finding.grade].append(finding.text)
        return texts
    return found


PLAYERS = os.path.join(HERE, "classroom", "players")


@pytest.mark.parametrize("name", sorted(os.listdir(PLAYERS)))
def test_every_example_player_is_short_and_passes_the_check(quick_check, name):
    path = os.path.join(PLAYERS, name)
    with open(path, encoding="utf-8") as file:
        assert 8 <= len(file.read().splitlines()) <= 40
    if agon_ai.missing_file(agon_ai.program_command(f'"{path}"')):
        pytest.skip("nothing here that runs it")
    found = quick_check(f'"{path}"')
    assert found["fault"] == [] and any(text.startswith("calls itself ") for text in found["good"])
    for what, *_ in agon_ai.CHECKS:
        assert any(re.match(rf"{what}: (\w+-\w+|--|@\w+) after ", text) for text in found["good"] + found["note"]), what


@pytest.mark.parametrize("name, position, wanted", [
    ("hopper.py", "Qf1 a1 / Qf11 w", lambda position, move: position.is_progress(move)),
    ("hopper.js", "Qf1 a1 / Qf11 w", lambda position, move: position.is_progress(move)),
    ("trapper.py", "Qf1 d4 d7 / Qf11 d5 e7 w", lambda position, move: position.newly_trapped(move)),
    ("two_plies.py", SEAT_AND_WIN, lambda position, move: position.play(move).outcome())])
def test_an_example_player_plays_as_its_first_line_says(name, position, wanted):
    command = agon_ai.program_command(f'"{os.path.join(PLAYERS, name)}"')
    if agon_ai.missing_file(command):
        pytest.skip("nothing here that runs it")
    game = Game(pos(position))
    moves = [str(move) for move in game.legal_moves() if wanted(game.position, move)]
    assert 0 < len(moves) < len(game.legal_moves())
    engine = agon_ai.EngineProcess(command)
    try:
        for _ in range(4):
            engine.ask(game, "go movetime 20")
            assert engine.wait(20).text in moves
    finally:
        engine.close()


#: Programs with a fault or a habit each, and what the check says of them.
CHECKED = {
    "dies at once": ("raise ValueError('at once')", [
        ("fault", "player.py has ended: ValueError: at once (line 1 of player.py); "
         "it should say agonok, and send every line at once (flush)")]),
    "ends at once": ("print('hello')", [
        ("fault", "player.py has ended; it should say agonok, and send every line at once (flush)")]),
    "is well behaved": (
        FIRST + "    elif words[0] == 'quit': break\n    elif words[0] == 'isready': print('readyok')\n", [
        ("good", "calls itself First"), ("good", "wants to be told: legal"), ("good", "answers isready"),
        ("good", "plays on after an option it does not know"), ("good", "answers when it is told to stop"),
        ("good", "ends at quit"), ("good", "ends at the end of its input")]),
    "hears little": (FIRST.replace("id name First\\n", "").replace("wants legal", "wants legal tea"), [
        ("note", "tells no name (id name ...), so it is called player.py"),
        ("note", "wants legal tea; only legal and board are known"),
        ("note", "does not answer isready with readyok (neither window nor matches ask it)"),
        ("note", "does not end at quit within 0.3 s; it is then ended by force")]),
    "knows one move": (FIRST.replace("words[1]", "'e5-a1'"), [
        ("fault", "at the start: it has played e5-a1: There is no piece on that cell."),
        ("note", "when the trapped queen must go first: it has played e5-a1: "
         "The trapped queen must be relocated first. (this matters with a rule option only)")]),
    "talks nonsense": (FIRST.replace("words[1]", "'soup'"), [
        ("fault", 'at the start: it has answered nonsense: '
         '"soup" is not a move; expected one such as a5-b5, Qf1-f2, e5*a1 or --')]),
    "cannot pass": (FIRST.replace("words[1]", "words[1] if len(words) > 2 else words[2]"), [
        ("fault", "when only a pass is possible: it has ended: "
         "IndexError: list index out of range (line 8 of player.py)")]),
    "is afraid of options": (FIRST + "    elif 'NoSuchOption' in line: sys.exit()\n", [
        ("fault", "does not play on after an option it does not know")]),
    "never stops": (
        "import time" + FIRST.replace('print("best', 'time.sleep("600" in line); print("best'),
        [("note", "does not answer within 0.3 s when it is told to stop")]),
}


@pytest.mark.parametrize("habit", sorted(CHECKED))
def test_the_check_says_what_a_program_does_well_and_what_not(tmp_path, quick_check, monkeypatch, habit):
    source, expected = CHECKED[habit]
    (tmp_path / "player.py").write_text(source, "utf-8")
    if habit == "is well behaved":
        monkeypatch.setattr(agon_ai, "PROMPT", 20)
    found = quick_check(str(tmp_path / "player.py"))
    assert [(grade, text) for grade, text in expected if text not in found[grade]] == []


def test_the_check_gives_a_program_up_that_is_too_slow_twice(tmp_path, quick_check, monkeypatch):
    monkeypatch.setattr(agon_ai, "PATIENCE", 0.1)
    (tmp_path / "player.py").write_text(FIRST.replace("print(\"best", "sys.stdin.read(); print(\"best"), "utf-8")
    found = quick_check(str(tmp_path / "player.py"))
    assert len([text for text in found["fault"] if "has not answered 'go movetime 20' within 0.1 s" in text]) == 2


def test_the_check_command_ends_in_a_verdict(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(agon_ai, "PROMPT", 20)
    monkeypatch.setattr(agon_ai, "SLOW", 20)
    (tmp_path / "player.py").write_text(CHECKED["is well behaved"][0].replace("id name First\\n", ""), "utf-8")
    assert agon_ai.main(["check", str(tmp_path / "player.py")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "note   tells no name (id name ...), so it is called player.py"
    assert lines[-1] == "It can play. Faults: 0, notes: 1."
    assert [line.split()[0] for line in lines[:-1]].count("good") == len(lines) - 2
    assert agon_ai.main(["check", "no-such-player.py"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "fault  cannot be started: there is no such file: no-such-player.py",
        "It cannot play yet. Faults: 1, notes: 0."]


# -- command line --

@pytest.mark.parametrize("command", [[], ["serve"], ["bench"], ["match"], ["analyse"]])
def test_every_command_has_help(command, capsys):
    with pytest.raises(SystemExit) as ended:
        agon_ai.main(command + ["--help"])
    assert ended.value.code == 0 and "usage:" in capsys.readouterr().out


def test_what_the_help_says_is_the_default_is_the_default():
    subcommands, = [action for action in agon_ai._parser()._actions if isinstance(action.choices, dict)]
    told = [(action.dest, re.search(r"default:? ([\w.]+)", action.help or ""), action.default)
            for parser in subcommands.choices.values() for action in parser._actions]
    numbers = [(name, float(match[1]), default) for name, match, default in told
               if match and isinstance(default, (int, float)) and re.fullmatch("[0-9.]+", match[1])]
    assert len(numbers) > 15 and [(name, said) for name, said, default in numbers if said != default] == []


def test_analyse_prints_depths_and_the_best_move(capsys):
    assert agon_ai.main(["analyse", SEAT_AND_WIN, "--depth", "2"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("best move ") and "win in 1" in out


def test_analyse_numbers_its_lines_when_several_are_wanted(capsys):
    for wanted, starts in ((1, ["info depth 1 score"]), (2, ["info depth 1 multipv 1", "info depth 1 multipv 2"])):
        assert agon_ai.main(["analyse", "start", "--depth", "1", "--multipv", str(wanted)]) == 0
        lines = capsys.readouterr().out.splitlines()[:-1]
        assert [" ".join(line.split()[:len(start.split())]) for line, start in zip(lines, starts)] == starts
        assert len(lines) == wanted


def test_analyse_says_that_a_game_is_over_and_why(capsys):
    assert agon_ai.main(["analyse", "Qf6 e5 e6 f5 f7 g5 g6 / Qf11 w"]) == 0
    assert capsys.readouterr().out == "The game is over. The queen is on the throne, all six guards around her.\n"


def test_analyse_says_what_is_wrong_with_a_position(capsys):
    assert agon_ai.main(["analyse", "Qz9 / w"]) == 1
    assert "z9" in capsys.readouterr().err


FEW_PIECES = "Qf2 d4 c5 h4 / Qf10 d5 g8 w"
TREE_POSITION = "Qf2 b6 c2 g9 h4 h6 l4 / Qe8 d4 d7 e2 g1 h7 i5 b"


def tree_of(capsys, *arguments):
    """The lines and the last line that the command prints for a tree."""
    assert agon_ai.main(["tree", *arguments]) == 0
    *lines, expected, last = capsys.readouterr().out.splitlines()
    assert expected.split()[0] == "expected"
    assert all(agon_ai.tree_line_text(agon_ai.parse_tree_line(line)) == line for line in lines)
    return {line.path: line for line in map(agon_ai.parse_tree_line, lines)}, last


@functools.lru_cache(maxsize=None)
def white_value(position, depth, ply=0):
    """What White can reach, written as the schoolbook has it: the largest for White, the smallest for Black."""
    found = agon_ai.end_value(position, ply=ply)
    if found is not None or depth == 0:
        found = agon_ai.evaluate(position) if found is None else found
        found = found if position.turn == WHITE else -found
    else:
        values = [white_value(position.play(move), depth - 1, ply + 1) for move in position.legal_moves()]
        found = max(values) if position.turn == WHITE else min(values)
    return agon_ai.parse_steps(agon_ai.steps_text(found))  # a win is told in moves, not in plies


def test_the_tree_command_prints_the_tree_as_white_sees_it(capsys):
    lines, last = tree_of(capsys, TREE_POSITION, "--depth", "1", "--plain")
    position = pos(TREE_POSITION)
    moves = position.legal_moves()
    assert lines["0"].value == white_value(position, 1) and lines["0"].nodes == len(lines) == len(moves) + 1
    assert [lines[f"0.{number}"].move for number in range(1, len(moves) + 1)] == [str(move) for move in moves]
    for number, move in enumerate(moves, 1):
        assert lines[f"0.{number}"].value == white_value(position.play(move), 0, 1)
    assert lines["0"].best == min((line for line in lines.values() if line.move), key=lambda line: line.value).move
    assert last == f"treeok plain {len(lines)} pruned {len(lines)}"


@pytest.mark.parametrize("text", [TREE_POSITION, FEW_PIECES, SEAT_AND_WIN])
def test_what_a_tree_says_of_its_values_is_true(capsys, text):
    lines, last = tree_of(capsys, text, "--depth", "2")
    plain, _ = tree_of(capsys, text, "--depth", "2", "--plain")
    assert lines["0"].relation == "=" and lines["0"].value == plain["0"].value == white_value(pos(text), 2)
    assert last == f"treeok plain {len(plain)} pruned {len(lines)}"
    for line in lines.values():
        position = pos(text)
        for length in range(2, line.path.count(".") + 2):
            position = position.play(mv(lines[".".join(line.path.split(".")[:length])].move))
        ply = line.path.count(".")
        true = white_value(position, 2 - ply, ply)
        assert {"=": true == line.value, "<=": true <= line.value, ">=": true >= line.value}[line.relation], line
        below = [other.move for other in lines.values() if other.path.rpartition(".")[0] == line.path]
        if below:
            assert sorted(below + list(line.left_out)) == sorted(map(str, position.legal_moves()))
            assert line.best in below
        assert line.nodes == sum((other.path + ".").startswith(line.path + ".") for other in lines.values())
    assert not any(line.left_out for line in plain.values()) and any(line.left_out for line in lines.values())


def test_a_player_of_the_protocol_can_ask_for_the_tree():
    answers = talk(b"position start\ntree depth 1\ntree depth 9\ntree\ntree depth 1 fast\n")
    assert answers[0].startswith("node 0 root value = ") and " alpha -inf beta inf nodes 28 best " in answers[0]
    assert [answer.split()[0] for answer in answers[28:]] == ["expected", "treeok", "error", "error", "error"]


def test_the_tree_can_be_asked_for_in_another_order():
    answers = talk(b"position start\ntree depth 1 plain order bad\ntree depth 1 order good\ntree depth 1 order best\n")
    values = [line.value for line in map(agon_ai.parse_tree_line, answers) if line and line.move]
    assert values == sorted(values[:27]) + sorted(values[27:], reverse=True) and len(values) == 54
    assert answers[-1] == "error expected tree depth <n> [plain] [order rules|good|bad|random]"


@pytest.mark.parametrize("order", agon_ai.ORDERS)
def test_a_tree_tells_the_line_of_play_it_expects(capsys, order):
    assert agon_ai.main(["tree", FEW_PIECES, "--depth", "3", "--order", order]) == 0
    *lines, expected, _ = capsys.readouterr().out.splitlines()
    position = pos(FEW_PIECES)
    for ply, move in enumerate(expected.split()[1:], 1):
        position = position.play(mv(move))
        value = white_value(position, 3 - ply, ply)
    assert ply == 3 and value == agon_ai.parse_tree_line(lines[0]).value


def test_a_tree_that_is_too_big_is_refused_before_it_is_grown(capsys):
    assert agon_ai.main(["tree", "Qf6 c5 d6 f5 g3 g5 h5 / Qe6 c6 e5 e7 f3 g4 g6 w", "--depth", "3", "--plain"]) == 1
    assert capsys.readouterr().err == ("agon_ai.py: this tree has more than 100000 positions: "
                                       "look less deep, or with alpha-beta\n")


@pytest.mark.parametrize("text", [
    "", "node", "node 0 root value = +1.00 alpha -inf beta inf nodes",
    "node 0 root value ~ +1.00 alpha -inf beta inf nodes 1",
    "node 0 root value = x alpha -inf beta inf nodes 1", "node 0 root value = #x alpha -inf beta inf nodes 1"])
def test_what_is_no_line_of_a_tree_is_not_read_as_one(text):
    assert agon_ai.parse_tree_line(text) is None


# --- two computers ---------------------------------------------------------------

LINKED = Record(1, WHITE, DEFAULT_RULES, Position.start())


def record_with(moves: str = "", end: str = "", number: int = 1, host: int = WHITE) -> Record:
    return Record(number, host, DEFAULT_RULES, Position.start(), tuple(map(mv, moves.split())), end)


@pytest.mark.parametrize("record", [
    LINKED, record_with("b1-c2 b7-c7", "black", 12, BLACK), record_with("b1-c2", "draw"),
    LINKED._replace(rules=Rules(queen_first=True, empty_throne_loses=False), start=pos("Qf1 a5 / Qf11 b"))])
def test_what_two_computers_agree_on_is_read_as_it_was_written(record: Record) -> None:
    assert agon_ai.parse_record(record.line()) == record


@pytest.mark.parametrize("line", [
    "", "game", "game 1 white - QueenFirst=on", LINKED.line().replace("white", "green"),
    LINKED.line().replace("QueenFirst", "KingFirst"), LINKED.line().replace("=off", "=maybe"),
    LINKED.line().replace("Qf1", "Qf99"), LINKED.line() + " b1-b4", LINKED.line() + " soup",
    LINKED.line().replace("1", "9" * 50, 1), LINKED.line() + " --" * (agon_ai.LONGEST_LINK_GAME + 1)])
def test_what_is_no_game_is_refused(line: str) -> None:
    with pytest.raises((agon_ai.ProtocolError, AgonError)):
        agon_ai.parse_record(line)


@pytest.mark.parametrize("own, other, together", [
    (record_with("b1-c2"), record_with("b1-c2 b7-c7"), record_with("b1-c2 b7-c7")),
    (record_with("b1-c2 b7-c7"), record_with("b1-c2"), record_with("b1-c2 b7-c7")),
    (record_with("b1-c2", "black"), record_with("b1-c2 b7-c7"), record_with("b1-c2 b7-c7", "black")),
    (record_with("b1-c2"), record_with("a5-b5"), None),
    (record_with("b1-c2"), record_with("b1-c2 b7-c7", host=BLACK), None),
    (record_with("b1-c2"), record_with(number=2), record_with(number=2)),
    (record_with("b1-c2", number=3), record_with("a5-b5 d1-d2", number=2), record_with("b1-c2", number=3))])
def test_the_longer_of_two_histories_counts_if_it_continues_the_other(
        own: Record, other: Record, together: Optional[Record]) -> None:
    assert agon_ai.united(own, other) == together


class LinkEnd:
    """One end of a linked game without a network: a window that plays, its correspondent, the lines on their way."""

    def __init__(self, role: str, side: Optional[int]) -> None:
        self.on_the_way: List[str] = []
        self.events: List[str] = []
        self.game: Optional[Game] = None
        self.side = side
        self.is_waiting = False
        #: The moves that were made in this window.
        self.made: List[Move] = []
        self.correspondent = agon_ai.Correspondent(role, side, self.hear, self.send)

    def send(self, line: str) -> None:
        if self.correspondent.is_joined:
            self.on_the_way.append(line)

    def hear(self, line: str) -> None:
        """What the correspondent tells the window."""
        word, _, rest = line.partition(" ")
        if word == "bestmove" and rest != "none":
            assert self.game is not None
            self.is_waiting = False
            self.game.play(mv(rest))
        elif word == "event" and rest.startswith("play"):
            side, _, record = rest[len("play "):].partition(" ")
            self.game = agon_ai.parse_record(record).game()
            self.side = {"white": WHITE, "black": BLACK, "none": None}[side]
            self.is_waiting = False
            self.correspondent.hear_window("stop")
        elif word == "event" and rest.startswith("end "):
            assert self.game is not None
            if rest == "end draw":
                self.game.agree_draw()
            else:
                self.game.resign(agon_ai.SIDE_WORDS.index(rest[len("end "):]))
        if word == "event":
            self.events.append(rest)
        assert word != "error", line

    def tell(self) -> None:
        """Say what is on the board, and wait for the other side's move when it is its turn."""
        assert self.game is not None
        hear = self.correspondent.hear_window
        hear(f"position text {self.game.start} moves {' '.join(map(str, self.game.moves))}")
        if not self.game.outcome() and self.game.position.turn != self.side and not self.is_waiting:
            self.is_waiting = True
            hear("go infinite")

    def play(self, move: Move) -> None:
        assert self.game is not None and self.game.position.turn == self.side
        self.game.play(move)
        self.made.append(move)
        self.tell()


def linked(host_side: int = WHITE) -> Tuple[LinkEnd, LinkEnd]:
    """Host and guest, joined at the start of a game."""
    host, guest = LinkEnd("host", host_side), LinkEnd("join", None)
    host.game = Game()
    host.tell()
    meet(host, guest)
    return host, guest


def meet(host: LinkEnd, guest: LinkEnd) -> None:
    """A line between the two is made; what was on the way before is lost."""
    for end in (host, guest):
        end.correspondent.lose()
        end.on_the_way.clear()
    record = guest.correspondent.record
    host.correspondent.meet(None if record is None else agon_ai.parse_record(record.line()))
    deliver(host, guest, 1)
    for end in (host, guest):
        end.tell()


def deliver(sender: LinkEnd, receiver: LinkEnd, count: int = 10 ** 6) -> None:
    """The first lines on the way arrive."""
    for _ in range(min(count, len(sender.on_the_way))):
        receiver.correspondent.hear_other(sender.on_the_way.pop(0))


def settle(host: LinkEnd, guest: LinkEnd) -> None:
    """All that is on the way arrives, and both windows ask on."""
    while host.on_the_way or guest.on_the_way:
        deliver(host, guest)
        deliver(guest, host)
        for end in (host, guest):
            end.tell()


def positions_of(*ends: LinkEnd) -> List[Tuple[Tuple[Move, ...], Optional[Outcome]]]:
    return [(end.game.moves, end.game.outcome()) if end.game else ((), None) for end in ends]


@pytest.mark.parametrize("host_side", [WHITE, BLACK])
def test_moves_travel_between_two_windows_and_each_plays_its_own_side(host_side: int) -> None:
    host, guest = linked(host_side)
    assert guest.side == 1 - host_side and "state connected" in guest.events
    ends = (host, guest) if host_side == WHITE else (guest, host)
    for end, word in zip(itertools.cycle(ends), "b1-c2 b7-c7 c2-c3 c7-d7".split()):
        end.play(mv(word))
        settle(host, guest)
    assert [len(end.game.moves) for end in ends if end.game] == [4, 4] and ends[0].made == [mv("b1-c2"), mv("c2-c3")]


def test_no_move_is_lost_or_doubled_wherever_a_line_is_cut() -> None:
    cuts = 0
    for seed in range(12):
        luck = random.Random(seed)
        host, guest = linked(luck.choice((WHITE, BLACK)))
        ends = [host, guest]
        for _ in range(40):
            if luck.random() < 0.25:
                meet(host, guest)
                cuts += 1
            luck.shuffle(ends)
            deliver(ends[0], ends[1], luck.randrange(3))
            for end in ends:
                if end.game and end.game.position.turn == end.side and luck.random() < 0.7:
                    end.play(luck.choice(end.game.legal_moves()))
                end.tell()
        if seed % 2:
            end = luck.choice(ends)
            assert end.game is not None and end.side is not None
            end.game.resign(end.side)
            end.correspondent.hear_window("resign")
        meet(host, guest)
        settle(host, guest)
        here, there = positions_of(host, guest)
        assert here == there and (here[1] is not None) == bool(seed % 2), seed
        for end in ends:
            first = 0 if end.side == WHITE else 1
            assert list(here[0][first::2]) == end.made, "each of its moves once, and in their order"
    assert cuts > 100


@pytest.mark.parametrize("line", [
    "move 1 0 b1-c2", "move 1 1 b1-c2", "move 1 1 b7-b1", "move 1 5 b7-c7", "move 2 1 b7-c7", "move 1 1",
    "move 1 ² b7-c7", "move 1 1 soup", "end 1 white", "end 1 draw", "end 1 nobody", "game 2 white", "hello", "", "have none", "welcome -",
    record_with(number=2).line()])
def test_what_does_not_belong_to_a_game_is_refused_and_changes_nothing(line: str) -> None:
    host, guest = linked()
    host.play(mv("a5-b5"))
    settle(host, guest)
    before = host.correspondent.record
    with pytest.raises((agon_ai.ProtocolError, AgonError)):
        host.correspondent.hear_other(line)
    assert host.correspondent.record == before and host.game is not None and len(host.game.moves) == 1


def test_what_is_known_already_or_belongs_to_an_earlier_game_means_nothing() -> None:
    host, guest = linked()
    host.play(mv("a5-b5"))
    settle(host, guest)
    before = guest.correspondent.record
    for line in ("move 1 0 a5-b5", LINKED.line()):
        guest.correspondent.hear_other(line)
    assert guest.correspondent.record == before


def test_a_side_that_gives_up_is_known_on_both_sides_also_when_moves_cross() -> None:
    host, guest = linked()
    assert host.game and guest.game
    host.play(mv("a5-b5"))
    guest.game.resign(BLACK)
    guest.correspondent.hear_window("resign")
    settle(host, guest)
    assert positions_of(host)[0] == positions_of(guest)[0]
    assert host.game.moves == (mv("a5-b5"),) and host.game.outcome() == Outcome(WHITE, Ending.RESIGNATION)


def test_a_draw_is_offered_and_taken_or_declined() -> None:
    host, guest = linked()
    assert host.game and guest.game
    host.correspondent.hear_window("draw")
    settle(host, guest)
    assert guest.events[-1] == "draw offered"
    guest.correspondent.hear_window("nodraw")
    settle(host, guest)
    assert host.events[-1] == "draw declined" and host.game.outcome() is None
    host.correspondent.hear_window("draw")
    settle(host, guest)
    guest.correspondent.hear_window("draw")
    settle(host, guest)
    assert host.game.outcome() == guest.game.outcome() == Outcome(None, Ending.AGREEMENT)


def test_an_offer_of_a_draw_lapses_with_a_move_and_with_the_line() -> None:
    host, guest = linked()
    host.correspondent.hear_window("draw")
    host.play(mv("a5-b5"))
    settle(host, guest)
    guest.play(mv("b7-c7"))
    guest.correspondent.hear_window("nodraw")
    settle(host, guest)
    assert "draw declined" not in host.events and not host.correspondent.offer
    host.correspondent.hear_window("draw")
    settle(host, guest)
    guest.correspondent.lose()
    assert guest.events[-1] == "draw gone"
    guest.correspondent.hear_window("draw")
    assert guest.events[-1] == "draw gone" and guest.game is not None and guest.game.outcome() is None


def test_after_the_end_either_side_begins_the_next_game_also_both_at_once() -> None:
    host, guest = linked()
    assert host.game
    host.game.resign(WHITE)
    host.correspondent.hear_window("resign")
    settle(host, guest)
    for end, side in ((host, "black"), (guest, "white")):
        end.correspondent.hear_window(f"newgame {side}")
        end.side = agon_ai.SIDE_WORDS.index(side)
        end.game, end.is_waiting = Game(), False
        end.tell()
    guest.play(mv("a5-b5"))
    settle(host, guest)
    assert host.game and host.game.moves == (mv("a5-b5"),) and host.side == BLACK
    assert host.correspondent.record == guest.correspondent.record == record_with("a5-b5", number=2, host=BLACK)


def test_nobody_is_told_of_moves_of_his_own_that_he_has_not_made() -> None:
    host, guest = linked()
    host.correspondent.lose()
    host.correspondent.meet(record_with("a5-b5 b7-c7"))
    assert host.correspondent.record == LINKED and host.game and not host.game.moves
    host.correspondent.lose()
    host.correspondent.meet(record_with("", "white"))
    assert host.correspondent.record == LINKED, "nor that he has given up"


def test_a_game_goes_on_after_both_windows_were_closed_and_one_of_them_knows_more() -> None:
    for host_knows, guest_knows in (("a5-b5 b7-c7", "a5-b5"), ("a5-b5", "a5-b5 b7-c7"), ("a5-b5", "a5-b5")):
        host, guest = LinkEnd("host", WHITE), LinkEnd("join", BLACK)
        host.game, guest.game = played(host_knows), played(guest_knows)
        for end in (host, guest):
            end.tell()
        meet(host, guest)
        longest = max(host_knows, guest_knows, key=len)
        assert [" ".join(map(str, moves)) for moves, _ in positions_of(host, guest)] == [longest, longest]
        assert any(event.startswith("play black game") for event in guest.events), "the guest's window seats its player"


def test_a_game_begun_anew_stands_whatever_the_guest_remembers_but_only_at_the_first_meeting() -> None:
    host, guest = LinkEnd("host", BLACK), LinkEnd("join", WHITE)
    host.game, guest.game = Game(), played("a5-b5 b7-c7")
    for end in (host, guest):
        end.tell()
    meet(host, guest)
    settle(host, guest)
    assert not host.game.moves and not guest.game.moves
    assert "say.en " + agon_ai.LINK_TEXTS["differs"][1] in guest.events, "its own game is kept, and that is said"
    guest.play(mv("a5-b5"))
    meet(host, guest)  # the move was lost on its way
    settle(host, guest)
    assert host.game.moves == guest.game.moves == (mv("a5-b5"),)


def test_when_two_games_do_not_fit_together_that_of_the_host_goes_on_and_the_guest_is_told() -> None:
    host, guest = LinkEnd("host", WHITE), LinkEnd("join", BLACK)
    host.game, guest.game = played("a5-b5"), played("b1-c2 b7-c7")
    for end in (host, guest):
        end.tell()
    meet(host, guest)
    assert guest.game.moves == (mv("a5-b5"),) and "say.en " + agon_ai.LINK_TEXTS["differs"][1] in guest.events


def test_who_watches_sees_every_move_and_changes_nothing() -> None:
    host, guest = linked()
    watcher = LinkEnd("watch", None)
    assert host.correspondent.record is not None
    host.play(mv("a5-b5"))
    watcher.correspondent.hear_other(host.correspondent.record.line())
    lines = [f"move 1 {ply} {word}" for ply, word in enumerate("a5-b5 b7-c7 b5-b4 c7-c6".split())]
    for line in lines:
        watcher.correspondent.hear_other(line)
    for _ in lines:
        watcher.tell()
    assert watcher.side is None and watcher.game and len(watcher.game.moves) == 4
    watcher.correspondent.hear_window("resign")
    watcher.correspondent.hear_other("end 1 white")
    assert watcher.game.outcome() == Outcome(BLACK, Ending.RESIGNATION) and not watcher.on_the_way


def test_who_watches_is_shown_another_game_from_its_start_also_when_it_has_the_number_of_the_last() -> None:
    watcher = LinkEnd("watch", None)
    for moves in ("a5-b5 b7-c7", "b1-c2", "b1-c2 b7-c7"):
        watcher.correspondent.lose()
        watcher.correspondent.hear_other(record_with(moves).line())
        watcher.tell()
        assert watcher.game and watcher.game.moves == played(moves).moves


def test_a_window_that_has_lost_its_own_move_is_told_it_after_the_other_side_s() -> None:
    host, guest = linked()
    assert guest.side == BLACK and guest.is_waiting
    correspondent = guest.correspondent
    correspondent.record = correspondent.record._replace(moves=(mv("b1-c2"), mv("b7-c7")))
    correspondent._bring_up()
    assert guest.game and guest.game.moves == correspondent.shown.moves == (mv("b1-c2"),)
    guest.tell()
    assert [str(move) for move in guest.game.moves] == ["b1-c2", "b7-c7"]


def test_what_the_host_names_a_guest_by_is_kept_only_up_to_a_length() -> None:
    link = agon_ai.GuestLink(agon_ai.Correspondent("join", None, print, print), io.BytesIO(), "127.0.0.1", "0042")
    link._be_received(types.SimpleNamespace(send=lambda *_values: None), ["welcome", 50 * "x"])
    assert link.token == 32 * "x"


@pytest.mark.parametrize("words, key", [
    ("no wrong_code 1", "wrong_code"), ("no full 1", "full"), ("no room 1", "no_agon"), ("so wrong_code 1", "no_agon"),
    ("no wrong_code", "no_agon"), ("welcome", "no_agon"), ("HTTP/1.1 400 Bad", "no_agon")])
def test_a_guest_who_is_not_let_in_is_told_why(words: str, key: str) -> None:
    heard: List[str] = []
    link = agon_ai.GuestLink(agon_ai.Correspondent("join", None, heard.append, print), io.BytesIO(), "127.0.0.1", "0042")
    link._be_received(types.SimpleNamespace(close=lambda: None), words.split())
    assert "event state failed" in heard
    words_said = agon_ai.LINK_TEXTS[key][1].partition("{")[0]
    assert any(line.startswith(f"event say.en {words_said}") for line in heard), heard


def test_who_watches_hears_of_moves_ends_and_games_and_of_nothing_else() -> None:
    host = agon_ai.HostLink(agon_ai.Correspondent("host", WHITE, print, print), io.BytesIO(), "127.0.0.1", 0, True)
    told: List[Tuple[str, str]] = []
    lines = {role: types.SimpleNamespace(role=role, send=lambda text, _now, role=role: told.append((role, text)))
             for role in ("join", "watch")}
    host.all_lines, host.other = list(lines.values()), lines["join"]
    host.correspondent.is_joined = True
    host.correspondent.hear_other = lambda _line: None
    for text in ("move 1 0 a5-b5", "offer 1", "decline 1", "end 1 draw", "ping"):
        host.hear(lines["join"], text)
    assert told == [("watch", "move 1 0 a5-b5"), ("watch", "end 1 draw")]


def test_a_lost_line_is_told_only_to_who_has_been_joined_and_given_up_if_it_never_was() -> None:
    for has_met, told in ((False, []), (True, ["event state waiting"])):
        heard: List[str] = []
        correspondent = agon_ai.Correspondent("join", None, heard.append, print)
        correspondent.has_met = has_met
        link = agon_ai.GuestLink(correspondent, io.BytesIO(), "127.0.0.1", "0042")
        line = types.SimpleNamespace(close=lambda: None)
        link.lose(line, "lost")
        assert heard[:1] == told and link._next_at == link.now + agon_ai.RETRY_SECONDS[0]
    for _ in range(agon_ai.EARLY_TRIES):
        link.lose(line, "lost")
    assert link._next_at == math.inf


@pytest.mark.parametrize("role, side, plies", [("watch", WHITE, 0), ("host", None, 0), ("host", WHITE, 2)])
def test_no_linked_game_is_begun_without_a_side_or_when_it_is_too_long(
        monkeypatch: pytest.MonkeyPatch, role: str, side: Optional[int], plies: int) -> None:
    monkeypatch.setattr(agon_ai, "LONGEST_LINK_GAME", 1)
    correspondent = agon_ai.Correspondent(role, side, print, print)
    with pytest.raises(agon_ai.ProtocolError):
        correspondent._begin(played("a5-b5 f11-f10" if plies else ""))
    assert correspondent.record is None


def test_where_the_port_is_taken_one_of_the_next_is_listened_at(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(agon_ai, "LINK_PORT", port)
        host = agon_ai.HostLink(agon_ai.Correspondent("host", WHITE, print, print), io.BytesIO(), "127.0.0.1", port, False)
        host._listen()
        assert host.listener is not None and port < host.port < port + agon_ai.LINK_PORTS
        host.listener.close()


def test_a_code_lets_in_and_few_wrong_ones_may_be_tried() -> None:
    door = agon_ai.Doorkeeper("0042", may_watch=False)
    assert door.answer("agon-link 1 join 0042 -", "a", 0) == ("join", "-", "")
    assert door.answer("agon-link 1 watch 0042 -", "a", 0)[2] == "private"
    assert agon_ai.Doorkeeper("0042", True).answer("agon-link 1 watch 0042 -", "a", 0)[0] == "watch"
    for greeting in ("agon-link 2 join 0042 -", "agon-link 1 host 0042 -", "agon-link 1 join", "GET / HTTP/1.1", ""):
        assert door.answer(greeting, "a", 0)[2] == "version"
    for number in range(agon_ai.TRIES_A_MINUTE):
        assert door.answer(f"agon-link 1 join 1{number:03} -", "a", number)[2] == "wrong_code"
    assert door.answer("agon-link 1 join 0042 -", "a", 59)[2] == "too_many"
    assert door.answer("agon-link 1 join 0042 -", "b", 59)[0] == "join", "somebody else is not held up"
    assert door.answer("agon-link 1 join 0042 -", "a", 70)[0] == "join"
    for number in range(agon_ai.TRIES_AT_ALL - agon_ai.TRIES_A_MINUTE):
        assert not door.is_beaten
        door.answer("agon-link 1 join 9999 -", str(number), 100)
    assert door.is_beaten and door.answer("agon-link 1 join 0042 -", "c", 1000)[2] == "too_many"


@pytest.mark.parametrize("text, place", [
    ("192.168.1.20", ("192.168.1.20", agon_ai.LINK_PORT)), (" room-7:99 ", ("room-7", 99)), ("", None), ("a b", None),
    ("host:0", None), ("host:70000", None), ("x" * 101, None), ("::1", None)])
def test_an_address_is_understood_or_refused(text: str, place: Optional[Tuple[str, int]]) -> None:
    assert agon_ai.split_address(text) == place


@pytest.fixture
def line() -> Iterator[Tuple[agon_ai.LinkLine, socket.socket]]:
    """A line on which nobody has named the code yet, and the other end of it."""
    here, there = socket.socketpair()
    yield agon_ai.LinkLine(here, "a", "", 0.0), there
    here.close()
    there.close()


def test_a_line_takes_whole_lines_and_no_more_than_it_should(line: Tuple[agon_ai.LinkLine, socket.socket]) -> None:
    here, there = line
    assert here.read(1) == []
    there.sendall(b"agon-link 1 jo")
    assert here.read(2) == [] and here.heard_at == 2
    there.sendall(b"in 0042 -\r\nping\n\xff\x1b\n")
    assert here.read(3) == ["agon-link 1 join 0042 -", "ping", "\ufffd?"]
    there.sendall(b"x" * (agon_ai.LONGEST_GREETING + 1))
    with pytest.raises(agon_ai.Flood):
        here.read(4)


def test_too_many_lines_at_once_are_a_flood_and_as_many_in_time_are_not(
        line: Tuple[agon_ai.LinkLine, socket.socket]) -> None:
    here, there = line
    here.role = "join"
    for second in range(5):
        there.sendall(b"ping\n" * agon_ai.LINES_A_SECOND)
        assert len(here.read(second)) == agon_ai.LINES_A_SECOND
    there.sendall(b"ping\n" * (agon_ai.LINE_BURST + 1))
    with pytest.raises(agon_ai.Flood):
        here.read(5)


def test_a_line_that_is_closed_or_takes_nothing_is_lost(line: Tuple[agon_ai.LinkLine, socket.socket]) -> None:
    here, there = line
    with pytest.raises(OSError):
        for _ in range(400):  # how much the system takes by itself differs
            here.send("x" * 100_000, 1)
            here.flush()
    there.close()
    with pytest.raises(OSError):
        here.read(2)


class LinkProcess:
    """`agon_ai.py link` in a process of its own, and a window without a window that plays random moves."""

    def __init__(self, *arguments: str, side: Optional[int] = None, seed: int = 0) -> None:
        self.engine = agon_ai.EngineProcess((*agon_ai.OWN_PROGRAM, "link", *arguments))
        self.luck = random.Random(seed)
        self.side = side
        self.game: Optional[Game] = None
        self.states: List[str] = []
        self.signs: List[str] = []
        #: Everything that was said, in English, and the other events.
        self.said: List[str] = []
        self.told: List[str] = []
        self.engine.start()

    def step(self, plays: bool = False) -> None:
        """Take what has come; then make a move if it is this side's turn, or ask for the other's."""
        engine = self.engine
        for reply in engine.poll():
            if isinstance(reply, agon_ai.Answer) and self.game:
                self.game.play(mv(reply.text))
        while engine.events:
            word, _, rest = engine.events.popleft().partition(" ")
            if word == "state":
                self.states.append(rest)
                self.signs = []
            elif word == "sign":
                self.signs.append(rest)
            elif word == "say.en":
                self.said.append(rest)
            elif word == "play":
                side, _, record = rest.partition(" ")
                engine.cancel()
                self.game = agon_ai.parse_record(record).game()
                self.side = {"white": WHITE, "black": BLACK, "none": None}[side]
            elif word != "say.de":
                self.told.append(f"{word} {rest}")
        game = self.game
        if game is None or not plays or game.outcome():
            return
        if game.position.turn == self.side:
            game.play(self.luck.choice(game.legal_moves()))
            engine.inform_about(game)
        if not game.outcome() and game.position.turn != self.side and not engine.is_busy:
            engine.ask(game, "go infinite")


@pytest.fixture
def link_of() -> Iterator[Callable[..., LinkProcess]]:
    """Starts `agon_ai.py link`, and ends all that were started."""
    processes: List[LinkProcess] = []

    def start(*arguments: str, **options: Any) -> LinkProcess:
        processes.append(LinkProcess(*arguments, **options))
        return processes[-1]
    yield start
    for process in processes:
        process.engine.close()


def link_until(condition: Callable[[], object], *processes: LinkProcess, plays: bool = False,
               seconds: float = 60) -> None:
    """Let the processes go on until the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        states = [(process.states[-2:], process.said[-1:], process.game and process.game.ply) for process in processes]
        assert time.monotonic() < deadline, states
        for process in processes:
            process.step(plays)
        time.sleep(0.002)


def is_told(process: LinkProcess, sentence: str) -> bool:
    """Whether the last sentence has come, which follows the state."""
    return bool(process.said) and sentence in process.said[-1]


def waiting_host(link_of: Callable[..., LinkProcess], *options: str) -> Tuple[LinkProcess, int, str]:
    """A process that waits at the loopback address, its port and its code."""
    host = link_of("host", "--address", "127.0.0.1", "--port", "0", *options, side=WHITE)
    host.game = Game()
    host.engine.inform_about(host.game)
    link_until(lambda: len(host.signs) == 2, host)
    return host, int(host.signs[0].split(":")[1]), host.signs[1].split()[1]


def knock(port: int, *lines: str) -> "socket.socket":
    """Connect as another program would, and say something."""
    connected = socket.create_connection(("127.0.0.1", port), 20)
    connected.sendall("".join(text + "\n" for text in lines).encode())
    return connected


def test_two_processes_play_each_other_and_nobody_else_comes_in(link_of: Callable[..., LinkProcess]) -> None:
    host, port, code = waiting_host(link_of)
    assert host.states == ["waiting"] and len(code) == 4
    wrong = f"{(int(code) + 1) % 10_000:04}"
    for greeting, answer in (
            (f"agon-link 1 join {wrong} -", b"no wrong_code 1\n"), ("GET / HTTP/1.0", b"no version 1\n"),
            (f"agon-link 2 join {code} -", b"no version 1\n"), (f"agon-link 1 watch {code} -", b"no private 1\n"),
            ("x" * 5000, b"")):
        with knock(port, greeting) as stranger:
            link_until(lambda: True, host)
            try:
                assert stranger.recv(1000) == answer
            except ConnectionResetError:
                assert not answer  # more has come than was read
    guest = link_of("join", f"127.0.0.1:{port}", code)
    link_until(lambda: guest.game and "connected" in host.states, host, guest)
    with pytest.raises(OSError):
        knock(port).close()  # it listens only as long as it waits
    second = link_of("join", f"127.0.0.1:{port}", code)
    link_until(lambda: "failed" in second.states and is_told(second, "Nobody is waiting"), second)
    link_until(lambda: host.game and guest.game and min(host.game.ply, guest.game.ply) >= 10, host, guest, plays=True)
    guest.engine.end(20)
    link_until(lambda: host.states[-1] == "waiting" and is_told(host, "has left"), host)
    assert host.signs[1] == f"Code {code}"


def test_nonsense_a_flood_and_a_forbidden_move_end_the_line_and_not_the_game(
        link_of: Callable[..., LinkProcess]) -> None:
    host, port, code = waiting_host(link_of)
    for lines, sentence in (
            (["soup"], "does not belong to the game"), (["move 1 0 b1-c2"], "does not belong"),
            ([f"have {record_with().line()} b1-b4"], "a move that is not allowed (b1-b4)"),
            (["have none", *["ping"] * 1000], "Too much at once")):
        before = len(host.said)
        with knock(port, f"agon-link 1 join {code} -") as stranger:
            assert stranger.recv(1000).startswith(b"welcome ")
            stranger.sendall("".join(text + "\n" for text in lines).encode())
            link_until(lambda: len(host.said) > before and len(host.signs) == 2 and is_told(host, sentence), host)
    guest = link_of("join", f"127.0.0.1:{port}", code)
    link_until(lambda: guest.game, host, guest)
    assert host.game is not None and host.game.ply == 0


def test_a_third_computer_watches_when_that_is_allowed(link_of: Callable[..., LinkProcess]) -> None:
    host, port, code = waiting_host(link_of, "--watchers")
    guest, watcher = (link_of(role, f"127.0.0.1:{port}", code) for role in ("join", "watch"))
    link_until(lambda: guest.game and watcher.game, host, guest, watcher)
    second = link_of("join", f"127.0.0.1:{port}", code)
    link_until(lambda: "failed" in second.states and is_told(second, "Somebody else has joined already."), host, second)
    link_until(lambda: watcher.game and watcher.game.ply >= 8, host, guest, watcher, plays=True)
    assert host.game and watcher.game and watcher.side is None
    both = min(host.game.ply, 8)  # the last move may have come to the watcher first
    assert both >= 7 and watcher.game.moves[:both] == host.game.moves[:both]


@pytest.mark.parametrize("place, sentence", [
    ("127.0.0.1:1", "Nobody is waiting at 127.0.0.1:1"), ("no such place", "no such place is no address"),
    ("..:18420", "is no address")])
def test_who_cannot_be_joined_is_told_in_a_sentence(
        link_of: Callable[..., LinkProcess], place: str, sentence: str) -> None:
    guest = link_of("join", place, "1234")
    link_until(lambda: "failed" in guest.states and is_told(guest, sentence), guest)
    assert guest.engine.is_running
    guest.engine.inform("retry")
    link_until(lambda: guest.states.count("failed") == 2, guest)


def test_nothing_is_told_before_the_window_has_asked_who_is_there() -> None:
    command = [*agon_ai.OWN_PROGRAM, "link", "join", "..:18420", "1234"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdin and process.stdout
        for line, answer in (("isready", "readyok"), ("agon", "id name Another computer")):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == answer + "\n"
        assert any("failed" in line for line in iter(process.stdout.readline, ""))
        process.stdin.write("quit\n")
        process.stdin.close()


def test_what_answers_and_is_not_agon_is_named_so(link_of: Callable[..., LinkProcess]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        guest = link_of("join", "127.0.0.1:{}".format(server.getsockname()[1]), "1234")
        with server.accept()[0] as connected:
            connected.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            link_until(lambda: "failed" in guest.states and guest.said[-1].startswith("Something other"), guest)


class Cutter:
    """Stands between two computers and cuts their line after a number of bytes, often in the middle of a line."""

    def __init__(self, luck: random.Random, port: int) -> None:
        self.luck, self.port = luck, port
        self.cuts = 0
        self.server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                guest = self.server.accept()[0]
                with guest, socket.create_connection(("127.0.0.1", self.port), 5) as host:
                    self._carry({guest: host, host: guest})
            except OSError:
                if self.server.fileno() == -1:
                    return

    def _carry(self, others: Dict["socket.socket", "socket.socket"]) -> None:
        left = self.luck.randrange(1, 2500)
        while True:
            for here in select.select(list(others), [], [], 20)[0]:
                data = here.recv(4096)
                others[here].sendall(data[:left])
                left -= len(data)
                self.cuts += left <= 0
                if not data or left <= 0:
                    return


@takes_long
def test_a_line_that_is_cut_at_random_loses_and_doubles_no_move(link_of: Callable[..., LinkProcess]) -> None:
    host, port, code = waiting_host(link_of)
    cutter = Cutter(random.Random(3), port)
    guest = link_of("join", "127.0.0.1:{}".format(cutter.server.getsockname()[1]), code, seed=1)
    link_until(lambda: cutter.cuts >= 6, host, guest, plays=True)
    link_until(lambda: host.game and guest.game and abs(host.game.ply - guest.game.ply) <= 1, host, guest)
    assert host.game and guest.game and min(host.game.ply, guest.game.ply) > 10
    shorter = min(host.game.moves, guest.game.moves, key=len)
    assert host.game.moves[:len(shorter)] == guest.game.moves[:len(shorter)]
    cutter.server.close()


# === 11. The table without a window ==============================================
# What the window shows is a value, agon.view_of(...), and hand, engines, commands and files can be tried with nothing
# but what they are made of.  Here no window is opened, no program started, and no clock waited for.

#: What has been defined so far: the tests that need no tkinter.
WITHOUT_TKINTER = frozenset(globals())


class Tried(list):
    """In the place of Table.attempt: what the player has tried, and where the piece was dropped."""

    def __call__(self, move: Move, point: object) -> None:
        self.append((str(move), point))


def running(moves: str = "", levels: Tuple[int, int] = (0, 0), start: Optional[str] = None,
            rules: Rules = DEFAULT_RULES, undone: int = 0, programs: Tuple[str, str] = ("", ""),
            headers: Optional[Dict[str, str]] = None, **more: object) -> "agon.RunningGame":
    """A running game after these moves, the last `undone` taken back; a level of 0 is a person."""
    game = played(moves, start, rules)
    game.headers.update(headers or {})
    for _ in range(undone):
        game.undo()
    called = [agon.Player.from_file_name((headers or {}).get(side, "")).name for side in ("White", "Black")]
    players = [agon.Player(level, (path,) if path else (), "" if level or path else name)
               for level, path, name in zip(levels, programs, called)]
    return agon.RunningGame(game, players, Tried(), **more)


def on_table(moves: str = "", *values: object, **named: object) -> "agon.Session":
    """A session with that game on its table."""
    return agon.Session(running(moves, *values, **named))


def shown(session: "agon.Session", language: str = "en", hand: object = None, report: object = None,
          notice: object = None, **settings: object) -> "agon.View":
    """What the window shows of a session, to somebody who is not new."""
    settings = agon.Settings(**{"is_new": False, **settings})
    return agon.view_of(session, hand or agon.HandState(), report or agon.Report(), settings, agon.Texts(language),
                        notice)


def said(text_key: str, language: str = "en", **values: object) -> str:
    return agon.Texts(language)(text_key, **values)


def cells(names_of_cells: str) -> FrozenSet[int]:
    return frozenset(parse_cell(word) for word in names_of_cells.split())


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder, which is not there yet; what is written is not flushed, which a busy disk makes slow."""
    monkeypatch.setenv("AGON_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(os, "fsync", lambda number: None)
    return tmp_path / "home"


#: Positions: White has a trapped guard, a trapped queen, guard and queen, two guards; White has won, or wins by h5-g6.
TRAPPED_GUARD = "Qf1 b1 d9 e5 h9 k1 l5 / Qf11 a4 a6 e4 e6 k7 l2 w"
TRAPPED_QUEEN = "Qg4 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 g3 g5 k7 l2 w"
TRAPPED_BOTH = "Qg4 a5 b1 d9 e5 h9 l5 / Qf11 e4 e6 g3 g5 k7 l2 w"
TRAPPED_GUARDS = "Qf1 b7 d3 d5 h1 k7 l2 / Qf11 a5 d2 d4 d6 k1 l5 w"
ONE_MOVE_TO_WIN = "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 a2 b7 d1 h1 k7 l2 w"
#: White cannot move and has to pass.
MUST_PASS = "Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w"
#: c4-d4 would be a self-enclosure between d3 and d5.
FORBIDDEN_STEP = "Qf1 a5 c4 d2 h9 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w"


# -- texts --

def test_every_text_is_there_in_both_languages_with_the_same_blanks() -> None:
    for key, (german, english) in agon.TEXTS.items():
        assert german and english, key
        blanks, known = set(re.findall(r"\{\w+\}", german)), set(re.findall(r"\{\w+\}", english))
        assert blanks == known or key == "error_bad_position" and blanks < known, key


@functools.lru_cache(maxsize=None)
def parts_of_the_window() -> List[ast.AST]:
    """Every node of agon.py outside its tables of texts."""
    tables = {"TEXTS", "GERMAN_ERRORS", "GERMAN_REASONS"}
    return [node for part in syntax_of("agon.py").body
            if getattr(getattr(part, "target", None) or getattr(part, "targets", [None])[0], "id", "") not in tables
            for node in ast.walk(part)]


def test_every_text_is_used_somewhere() -> None:
    literals, patterns = set(), []
    for node in parts_of_the_window():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            literals.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            patterns.append("".join(re.escape(part.value) if isinstance(part, ast.Constant) else r"\w+"
                                    for part in node.values))
    patterns += [re.escape(literal) + r"\w+" for literal in literals if literal.endswith("_")]
    patterns = [pattern for pattern in patterns if re.match("[a-z]{2,}", pattern)]
    is_made = re.compile("|".join(patterns)).fullmatch
    assert [key for key in agon.TEXTS if key not in literals and not is_made(key)] == []


def test_every_text_that_is_asked_for_by_name_exists_and_gets_its_blanks_filled() -> None:
    checked = 0
    for node in parts_of_the_window():
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        key = getattr(node.args[0], "value", None)
        is_own = isinstance(getattr(node.func, "value", None), ast.Name) and node.func.value.id == "self"
        if called not in ("texts", "Message", "of") and not (called == "tell" and is_own) or not isinstance(key, str):
            continue
        given = {keyword.arg for keyword in node.keywords}
        if "side" in given:
            given.add("other")
        assert key in agon.TEXTS, node.lineno
        if None not in given:
            assert set(re.findall(r"\{(\w+)\}", agon.TEXTS[key][1])) <= given, (node.lineno, key)
        checked += 1
    assert checked > 100


def test_every_refusal_ending_and_error_has_its_sentence_and_the_errors_a_german_one() -> None:
    assert {"no_" + refusal.name for refusal in Refusal} | {"end_" + ending.name for ending in Ending} <= set(agon.TEXTS)
    for code, english in agon_core.ERROR_TEXTS.items():
        german, also_english = agon.TEXTS["error_" + code]
        assert also_english == english
        assert german != english, code


@pytest.mark.parametrize("language, expected", [("de", "Weiß muss umsetzen"), ("en", "White must relocate")])
def test_a_side_is_named_in_the_language_chosen(language: str, expected: str) -> None:
    assert said("must_relocate", language, side=WHITE) == expected


def test_a_text_about_one_side_can_name_the_other() -> None:
    assert said("ask_draw", side=WHITE) == "White offers a draw. Black, do you accept?"
    assert said("ask_draw", side=BLACK) == "Black offers a draw. White, do you accept?"


def test_messages_are_put_into_words_as_a_whole_only_when_they_are_said() -> None:
    failure = agon.Message.of("fail_ended", who=agon.Message("computer_player"), last="")
    message = agon.Message.of("say_try_again", failure=failure, key=agon.Shortcut("Mod-p"))
    assert agon.Texts("en").say(message) == "The computer player has ended. Ctrl+P tries again."
    assert agon.Texts("de").say(message) == "Der Computerspieler hat sich beendet. Strg+P versucht es noch einmal."
    assert agon.Texts("en").say("as it is") == "as it is"


def test_a_text_that_comes_in_both_languages_is_said_in_the_one_chosen() -> None:
    message = agon.Message.of("lesson_right", praise={"de": "Ja.", "en": "Yes."})
    assert (agon.Texts("de").say(message), agon.Texts("en").say(message)) == ("Richtig! Ja.", "Right! Yes.")
    assert agon.Texts("en").say(agon.Message.of("lesson_right", praise={})) == "Right!"


def test_a_file_name_is_shown_even_if_it_holds_what_is_no_character() -> None:
    assert agon.shown_name("/a/b c.agon") == "b c.agon"
    assert agon.shown_name("/a/\udce4\n.agon") == "U+DCE4U+000A.agon"
    assert len(agon.shown_name("x" * 200)) == 60


def test_errors_are_told_with_file_and_line_in_the_language_chosen() -> None:
    error = AgonError("bad_cell", "x9").at(line=3, path="/somewhere/a game.agon")
    assert agon.Texts("de").say(error).startswith("a game.agon: Zeile 3: „x9“ ist kein Feld")
    assert agon.Texts("en").say(error).startswith('a game.agon: line 3: "x9" is not a cell')
    assert agon.Texts("en").say(AgonError("bad_cell", "x9")).startswith('"x9" is not a cell')


def test_an_illegal_move_is_explained_in_the_language_chosen() -> None:
    error = IllegalMove(mv("a5-c5"), Refusal.TOO_FAR)
    assert agon.Texts("de").say(error) == "„a5-c5“ geht nicht: Ein Stein zieht nur einen Schritt weit."
    assert agon.Texts("en").say(error) == '"a5-c5" is not possible: A piece moves only one step.'


@pytest.mark.parametrize("number, german, english", [
    (errno.ENOSPC, "der Datenträger ist voll", "the disk is full"),
    (errno.EACCES, "keine Erlaubnis", "permission denied"), (errno.EPIPE, "as the system says", "as the system says"),
    (None, "as the system says", "as the system says")])
def test_what_the_system_refuses_is_told_in_the_language_chosen(
        number: Optional[int], german: str, english: str) -> None:
    for error in (AgonError("unwritable", reason="as the system says", number=number),
                  OSError(number, "as the system says")):
        assert german in agon.Texts("de").say(error) and english in agon.Texts("en").say(error)


def test_an_error_of_the_system_without_words_is_told_all_the_same() -> None:
    assert agon.Texts("en").say(OSError("just this")) == "just this"


def test_numbers_are_written_as_the_language_does() -> None:
    assert agon.Texts("en").number(1234.5, "{:,.1f}") == "1,234.5"
    assert agon.Texts("de").number(1234.5, "{:,.1f}") == "1.234,5"
    assert agon.Texts("de").number(0.25) == "0,2"


@pytest.mark.parametrize("value, text", [(0.4, "+0.4"), (-1.2, "−1.2"), (0.0, "0.0")])
def test_scores_are_written_with_their_sign(value: float, text: str) -> None:
    assert agon.Texts("en").steps(value) == text


@pytest.mark.parametrize("keys, german, english", [
    ("Mod-n", "Strg+N", "Ctrl+N"), ("Mod-Shift-s", "Strg+Umschalt+S", "Ctrl+Shift+S"), ("Prior", "Bild↑", "PgUp"),
    ("Mod-plus", "Strg++", "Ctrl++"), ("F8", "F8", "F8"), ("Home", "Pos1", "Home")])
def test_a_shortcut_is_written_as_menus_do(keys: str, german: str, english: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(agon, "IS_MAC", False)
    assert agon.shortcut_text(keys, agon.Texts("de")) == german
    assert agon.Texts("en").say(agon.Shortcut(keys)) == english


def test_on_the_mac_a_shortcut_has_the_command_key(monkeypatch: Any) -> None:
    monkeypatch.setattr(agon, "IS_MAC", True)
    assert agon.shortcut_text("Mod-Shift-s", agon.Texts("en")) == "Command-Shift-S"
    assert agon.shortcut_sequences("Mod-n") == ["<Command-Key-n>", "<Command-Lock-Key-N>"]


@pytest.mark.parametrize("keys, sequences", [
    ("F8", ["<F8>"]), ("Mod-z", ["<Control-Key-z>", "<Control-Lock-Key-Z>"]),
    ("Mod-Shift-s", ["<Control-Key-S>", "<Control-Lock-Key-s>", "<Control-Shift-Lock-Key-S>"]),
    ("Mod-plus", ["<Control-plus>", "<Control-KP_Add>"]),
    ("Mod-minus", ["<Control-minus>", "<Control-KP_Subtract>"])])
def test_a_shortcut_works_under_caps_lock_and_on_the_number_pad(
        keys: str, sequences: List[str], monkeypatch: Any) -> None:
    monkeypatch.setattr(agon, "IS_MAC", False)
    assert agon.shortcut_sequences(keys) == sequences


@pytest.mark.parametrize("locale, language", [("de", "de"), ("de_at", "de"), ("en_us", "en"), ("c", "en"), ("", "en")])
def test_the_language_is_the_systems_where_it_is_german(locale: str, language: str) -> None:
    root = types.SimpleNamespace(tk=types.SimpleNamespace(eval=lambda script: locale if "mclocale" in script else None))
    assert agon.system_language(root) == language


# -- settings, and the one who writes files --

@pytest.mark.parametrize("platform, variables, expected", [
    ("win32", {"APPDATA": "X:/data"}, "X:/data/Agon"), ("win32", {}, "~/Agon"),
    ("darwin", {}, "~/Library/Application Support/Agon"), ("linux", {}, "~/.config/agon"),
    ("linux", {"XDG_CONFIG_HOME": "/x/config"}, "/x/config/agon"), ("darwin", {"AGON_HOME": "/x/home"}, "/x/home")])
def test_the_users_files_lie_where_the_platform_keeps_such_things(
        monkeypatch: Any, platform: str, variables: Dict[str, str], expected: str) -> None:
    for variable in ("AGON_HOME", "APPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert agon.user_path("a file").replace(os.sep, "/") == os.path.expanduser(expected).replace(os.sep, "/") + "/a file"


def test_the_users_folder_is_made_when_something_is_written_there(home: Path) -> None:
    agon.write_file(agon.user_path("note"), "Grüße")
    assert (home / "note").read_text("utf-8") == "Grüße"
    agon.write_file(agon.user_path("note"), "again")
    assert (home / "note").read_text("utf-8") == "again"


def test_whoever_writes_a_file_removes_what_was_left_behind_beside_it(
        home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon_core, "_seize", lambda file: None)
    home.mkdir()
    for name, age in (("note.0123abcd.tmp", 2), ("note.89abcdef.tmp", 0), ("other.0123abcd.tmp", 2)):
        (home / name).write_text("half", "utf-8")
        written = time.time() - age * agon_core.LEFTOVER_S
        os.utime(home / name, (written, written))
    agon.write_file(agon.user_path("note"), "whole")
    assert sorted(path.name for path in home.iterdir()) == ["note", "note.89abcdef.tmp", "other.0123abcd.tmp"]


def test_other_folders_are_not_made(home: Path, tmp_path: Path) -> None:
    with pytest.raises(AgonError) as caught:
        agon.write_file(str(tmp_path / "elsewhere" / "note"), "x")
    assert caught.value.details["number"] == errno.ENOENT


def test_a_file_in_the_place_of_the_users_folder_is_named(home: Path) -> None:
    home.write_text("a file", "utf-8")
    with pytest.raises(AgonError) as caught:
        agon.write_file(agon.user_path("note"), "x")
    assert caught.value.details["number"] == errno.EEXIST and caught.value.path == agon.user_path("note")
    assert "there is a file in the folder's place" in agon.Texts("en").say(caught.value)


class Slow:
    """Writes files one after the other, each only when it is let; some cannot be written."""

    def __init__(self) -> None:
        self.written: List[Tuple[str, str]] = []
        self.begun, self.gate = threading.Semaphore(0), threading.Semaphore(0)
        self.broken: List[str] = []

    def __call__(self, path: str, text: str) -> None:
        self.begun.release()
        assert self.gate.acquire(timeout=20)
        if path in self.broken:
            raise AgonError("unwritable", reason="broken")
        self.written.append((path, text))

    def let(self, count: int) -> None:
        for _ in range(count):
            self.gate.release()


def test_of_each_file_only_the_newest_text_is_written() -> None:
    slow = Slow()
    writer = agon.Writer(slow)
    writer.put("game", "1")
    assert slow.begun.acquire(timeout=20)
    writer.put("game", "2")
    writer.put("settings", lambda: "made when its turn comes")
    writer.put("game", "3")
    slow.let(3)
    assert writer.wait(20)
    assert slow.written == [("game", "1"), ("game", "3"), ("settings", "made when its turn comes")]


def test_the_writer_tells_what_is_still_to_be_written() -> None:
    slow = Slow()
    writer = agon.Writer(slow)
    assert not writer.is_busy() and not writer.is_busy("game") and writer.wait(0)
    writer.put("game", "1")
    writer.put("settings", "2")
    assert slow.begun.acquire(timeout=20)
    assert writer.is_busy() and writer.is_busy("game") and writer.is_busy("settings") and not writer.is_busy("other")
    assert not writer.wait(0)
    slow.let(1)
    assert slow.begun.acquire(timeout=20)
    assert not writer.is_busy("game") and writer.is_busy("settings")
    slow.let(1)
    assert writer.wait(20)
    assert not writer.is_busy() and not writer.is_busy("settings")


def test_a_failure_lasts_until_the_file_is_written_or_somebody_has_told() -> None:
    slow = Slow()
    slow.broken = ["game"]
    slow.let(9)
    writer = agon.Writer(slow)
    writer.put("game", "1")
    writer.put("settings", "2")
    assert writer.wait(20)
    assert list(writer.failures) == ["game"] and slow.written == [("settings", "2")]
    writer.put("settings", "3")
    assert writer.wait(20) and list(writer.failures) == ["game"]
    slow.broken = []
    writer.put("game", "4")
    assert writer.wait(20) and writer.failures == {}
    slow.broken = ["game"]
    writer.put("game", "5")
    assert writer.wait(20)
    assert writer.take_failure("settings") is None
    assert writer.take_failure("game").details["reason"] == "broken" and writer.failures == {}
    assert writer.take_failure("game") is None


def test_a_text_that_cannot_be_made_is_a_failure_too() -> None:
    def too_big() -> str:
        raise AgonError("too_big", 1)
    writer = agon.Writer(lambda path, text: None)
    writer.put("game", too_big)
    assert writer.wait(20) and writer.failures["game"].code == "too_big"


def test_the_thread_that_writes_ends_when_nothing_is_left_and_comes_again() -> None:
    threads = []
    writer = agon.Writer(lambda path, text: threads.append(threading.current_thread()))
    for _ in range(2):
        writer.put("game", "1")
        assert writer.wait(20)
    assert all(thread.daemon for thread in threads) and threads[0] is not threading.main_thread()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()


def test_each_window_has_an_autosave_of_its_own_which_the_next_may_have_afterwards(home: Path) -> None:
    first, first_lock = agon.lock_autosave()
    second, second_lock = agon.lock_autosave()
    third, third_lock = agon.lock_autosave()
    assert (first, second, third) == ("autosave.agon", "autosave-2.agon", "autosave-3.agon")
    second_lock.close()
    again, again_lock = agon.lock_autosave()
    assert again == "autosave-2.agon"
    for lock in (first_lock, third_lock, again_lock):
        lock.close()


def test_where_no_lock_can_be_made_there_is_a_name_all_the_same(home: Path) -> None:
    home.write_text("a file", "utf-8")
    assert agon.lock_autosave() == ("autosave.agon", None)


def test_a_folder_in_the_place_of_a_lock_is_no_lock(home: Path) -> None:
    (home / "autosave.agon.lock").mkdir(parents=True)
    assert agon.lock_autosave() == ("autosave.agon", None)


def test_when_all_names_are_taken_windows_share_the_first(home: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(agon, "AUTOSAVE_NAMES", agon.AUTOSAVE_NAMES[:2])
    locks = [agon.lock_autosave() for _ in range(3)]
    assert [name for name, _ in locks] == ["autosave.agon", "autosave-2.agon", "autosave.agon"]
    assert [lock is not None for _, lock in locks] == [True, True, False]
    for _, lock in locks[:2]:
        lock.close()


def test_there_are_names_for_nineteen_windows() -> None:
    assert agon.AUTOSAVE_NAMES[:2] == ("autosave.agon", "autosave-2.agon")
    assert agon.AUTOSAVE_NAMES[-1] == "autosave-19.agon" and len(set(agon.AUTOSAVE_NAMES)) == 19


def test_settings_are_read_as_they_were_written() -> None:
    settings = agon.Settings("de", "dark", -3, "800x600+1+2", True, False, True, False, True, True, False, ("a", "ä"),
                             ("Qf1 / Qf11 w",), "prog.py", 3, 0, 8, "Ada", "Bo", "a.py", "b.py", "A", "B",
                             "600+5", "", True, True, False, "Ada", "1.2.3.4", "/x/players", True)
    assert agon.read_settings(json.dumps(settings._asdict())) == (settings, {})
    assert settings.rules == Rules(queen_first=True, empty_throne_loses=False, placement=True)
    assert agon.Settings().rules == DEFAULT_RULES


@pytest.mark.parametrize("text", ["", "[1, 2]", "7", "{", "null", "[" * 100_000, '{"zoom": 1'])
def test_what_are_no_settings_are_the_settings_of_the_beginning(text: str) -> None:
    assert agon.read_settings(text) == (agon.Settings(), {})


@pytest.mark.parametrize("name, value", [
    ("theme", 7), ("theme", "pink"), ("zoom", 99), ("zoom", -4), ("zoom", 1.0), ("zoom", True), ("ranks", 0),
    ("language", "fr"), ("level", "x"), ("level", 0), ("level", 9), ("white", 9), ("black", -2), ("recent", "a"),
    ("recent", {"a": 1}), ("program", "\ud800"), ("geometry", None), ("white", [0]), ("pupil", 7)])
def test_a_damaged_setting_is_left_out_and_the_others_stay(name: str, value: object) -> None:
    text = json.dumps({"animation": False, name: value})
    assert agon.read_settings(text) == (agon.Settings(animation=False), {})


@pytest.mark.parametrize("name, value", [
    ("zoom", 12), ("zoom", -3), ("level", 8), ("level", 1), ("white", 8), ("black", 0), ("theme", "contrast"),
    ("language", "en"), ("language", "")])
def test_every_value_that_makes_sense_is_taken(name: str, value: object) -> None:
    assert getattr(agon.read_settings(json.dumps({name: value}))[0], name) == value


def test_lists_keep_only_what_can_be_written() -> None:
    settings, _ = agon.read_settings('{"recent": ["a", 3, null, "\\ud800", "b"]}')
    assert settings.recent == ("a", "b")


class Pad:
    """In the place of a Writer: what was to be written last, by path; nothing is written before flush()."""

    def __init__(self) -> None:
        self.waiting: Dict[str, Any] = {}
        self.failures: Dict[str, AgonError] = {}

    def put(self, path: str, text: Any) -> None:
        self.waiting[path] = text

    def flush(self) -> None:
        for path, text in self.waiting.items():
            agon.write_file(path, text if isinstance(text, str) else text())
        self.waiting.clear()


def stored(home: Path) -> Dict[str, Any]:
    return json.loads((home / "settings.json").read_text("utf-8"))


def a_store() -> Tuple["agon.Store", Pad]:
    pad = Pad()
    return agon.Store(pad), pad


def test_a_setting_counts_at_once_and_is_written_beside_what_a_newer_version_keeps(home: Path) -> None:
    home.mkdir()
    (home / "settings.json").write_text('{"future": {"a": [1]}, "theme": "dark", "program": "ä"}', "utf-8")
    store, pad = a_store()
    assert store.settings == agon.Settings(theme="dark", program="ä")
    store.change(zoom=2, ranks=False)
    assert store.settings == agon.Settings(theme="dark", program="ä", zoom=2, ranks=False)
    assert stored(home) == {"future": {"a": [1]}, "theme": "dark", "program": "ä"}
    pad.flush()
    expected = {"future": {"a": [1]}, **store.settings._asdict(), "recent": [], "gathered": []}
    assert stored(home) == expected
    assert "ä" in (home / "settings.json").read_text("utf-8")
    assert agon.Store(pad).settings == store.settings


def test_without_a_file_or_with_a_broken_one_the_settings_are_those_of_the_beginning(home: Path) -> None:
    assert a_store()[0].settings == agon.Settings()
    home.mkdir()
    (home / "settings.json").write_bytes(b"\xff\xfe\x00")
    assert a_store()[0].settings == agon.Settings()


def test_two_windows_write_their_changes_beside_each_other(home: Path) -> None:
    first, first_pad = a_store()
    second, second_pad = a_store()
    first.change(theme="dark")
    first.change(zoom=1)
    second.change(ranks=False)
    second.change(zoom=2)
    first_pad.flush()
    second_pad.flush()
    assert (stored(home)["theme"], stored(home)["ranks"], stored(home)["zoom"]) == ("dark", False, 2)


def test_two_windows_keep_each_others_files(home: Path) -> None:
    first, first_pad = a_store()
    second, second_pad = a_store()
    for store, entry in ((first, "b"), (first, "a"), (second, "c")):
        store.add("recent", entry)
    first_pad.flush()
    second_pad.flush()
    assert stored(home)["recent"] == ["c", "a", "b"]


LOST_GAME = ("2026-12-01 09:30:05", 3, BLACK, "lost", 41)


def progress_of(pages: str = "", solved: str = "", helped: str = "", *games: Tuple[Any, ...]) -> "agon.Progress":
    """What a pupil has done, with keys as words."""
    return agon.Progress(*(frozenset(keys.split()) for keys in (pages, solved, helped)),
                         frozenset(agon.GameResult(*game) for game in games))


def test_what_has_been_done_here_and_there_is_united_in_whatever_order() -> None:
    first = progress_of("1 2", "a", "b c", LOST_GAME)
    second = progress_of("2 3", "b", "a d", ("2026-12-02 10:00:00", *LOST_GAME[1:]))
    both = first.merged(second)
    assert both == second.merged(first) == both.merged(first)
    assert (both.pages, both.solved, both.helped) == (frozenset("123"), frozenset("ab"), frozenset("cd"))
    assert len(both.games) == 2 and first.merged(first) == first


def test_a_puzzle_solved_alone_no_longer_counts_as_solved_with_help_nor_the_other_way_round(home: Path) -> None:
    store, _pad = a_store()
    store.note(helped="a")
    assert (store.progress.solved, store.progress.helped) == (frozenset(), frozenset("a"))
    for way in ("solved", "helped"):
        store.note(**{way: "a"})
        assert (store.progress.solved, store.progress.helped) == (frozenset("a"), frozenset())


def test_progress_is_read_as_it_was_written() -> None:
    pupils = {"": progress_of("1"), "Jörg Äpfel": progress_of("1 2", "a", "b", LOST_GAME)}
    text = agon.progress_text(pupils)
    assert agon.read_progress(text) == pupils and "Jörg" in text
    assert agon.progress_text(dict(reversed(pupils.items()))) == text


@pytest.mark.parametrize("name, value", [
    ("pages", 7), ("solved", {"a": 1}), ("helped", [3, None, "\ud800"]), ("games", "lost"), ("games", [None, {}]),
    *(("games", [{**agon.GameResult(*LOST_GAME)._asdict(), field: broken}]) for field, broken in (
        ("when", "\ud800"), ("level", 9), ("level", 0), ("level", True), ("side", 2), ("result", "gone"), ("moves", -1),
        ("moves", 1.5)) if agon)] if agon else [])
def test_damaged_progress_is_left_out_and_the_rest_stays(name: str, value: object) -> None:
    text = json.dumps({"pupils": {"Ada": {"pages": ["1"], "solved": ["a"], name: value}, "Ben": {"pages": ["2"]},
                                  " Cleo": {}, "Dora": 7}})
    kept = {"pages": "1", "solved": "a", name: ""}
    assert agon.read_progress(text) == {"Ada": progress_of(kept["pages"], kept["solved"]), "Ben": progress_of("2")}


@pytest.mark.parametrize("text", ["", "7", "[]", "{", "{}", '{"pupils": []}', "[" * 100_000])
def test_what_is_no_progress_is_named_so_and_put_aside_before_anything_is_written(home: Path, text: str) -> None:
    with pytest.raises(ValueError, match="no progress file"):
        agon.read_progress(text)
    home.mkdir()
    (home / "progress.json").write_text(text, "utf-8")
    store, pad = a_store()
    assert store.progress == agon.Progress()
    store.note(pages="1")
    pad.flush()
    assert agon.read_progress((home / "progress.json").read_text("utf-8")) == {"": progress_of("1")}
    assert (home / "progress.aside-1.json").read_text("utf-8") == text


def test_two_windows_unite_the_progress_of_all_pupils(home: Path) -> None:
    first, first_pad = a_store()
    second, second_pad = a_store()
    first.change(pupil="Ada")
    second.change(pupil="Ada")
    first.note(solved="a")
    second.note(helped="a")
    second.note(helped="b")
    second.note(games=agon.GameResult(*LOST_GAME))
    second.change(pupil="Ben")
    second.note(pages="1")
    assert first.progress == progress_of("", "a") and second.progress == progress_of("1")
    first_pad.flush()
    second_pad.flush()
    expected = {"Ada": progress_of("", "a", "b", LOST_GAME), "Ben": progress_of("1")}
    assert agon.read_progress((home / "progress.json").read_text("utf-8")) == expected == a_store()[0].register.pupils
    first.register.look_again()
    assert first.register.pupils == expected and first.register.of("Cleo") == agon.Progress()


def stored_progress(home: Path) -> Dict[str, "agon.Progress"]:
    return agon.read_progress((home / "progress.json").read_text("utf-8"))


def test_a_name_that_is_deleted_is_gone_with_its_progress_and_nobody_is_set_then(home: Path) -> None:
    store, pad = a_store()
    for name in ("Ada", "Ben"):
        store.change(pupil=name)
        store.note(solved="a")
    store.forget("Ada")
    assert store.settings.pupil == "Ben" and set(store.register.pupils) == {"Ben"}
    store.forget("Ben")
    assert store.settings.pupil == "" and store.register.pupils == {}
    pad.flush()
    assert stored_progress(home) == {} == a_store()[0].register.pupils
    text = (home / "progress.json").read_text("utf-8")
    assert "Ada" not in text and "Ben" not in text and agon.read_forgotten(text) == {
        agon.fingerprint("Ada"): 1, agon.fingerprint("Ben"): 1}


def test_a_deleted_name_does_not_come_back_from_what_another_window_writes_but_may_begin_anew(home: Path) -> None:
    first, first_pad = a_store()
    second, second_pad = a_store()
    for store, key in ((first, "a"), (second, "b")):
        store.change(pupil="Ada")
        store.note(solved=key)
    first_pad.flush()
    second_pad.flush()
    first.forget("Ada")
    first_pad.flush()
    second.change(pupil="Ben")
    second.note(pages="1")  # with this, all that the second window has added is written once more
    second_pad.flush()
    assert stored_progress(home) == {"Ben": progress_of("1")}
    first.register.look_again()
    assert set(first.register.pupils) == set(second.register.pupils) == {"Ben"}
    second.change(pupil="Ada")
    second.note(solved="c")
    second_pad.flush()
    first.register.look_again()
    assert first.register.of("Ada") == progress_of("", "c") and stored_progress(home)["Ada"] == progress_of("", "c")
    first.note(solved="d")  # the first window does not remember what it once added
    first.change(pupil="Ada")
    first.note(solved="e")
    first_pad.flush()
    assert stored_progress(home)["Ada"] == progress_of("", "c e")


def test_two_windows_may_delete_the_same_name_and_what_a_window_did_before_it_knew_is_gone(home: Path) -> None:
    first, first_pad = a_store()
    second, second_pad = a_store()
    first.register.add("Ada", progress_of("", "a"))
    first_pad.flush()
    second.register.look_again()
    first.forget("Ada")
    second.forget("Ada")
    second_pad.flush()
    first_pad.flush()
    assert stored_progress(home) == {}
    first.register.add("Ada", progress_of("", "b"))
    first_pad.flush()
    assert stored_progress(home) == {"Ada": progress_of("", "b")}
    third, third_pad = a_store()
    third.register.add("Ada", progress_of("", "x"))
    first.forget("Ada")
    first_pad.flush()
    third_pad.flush()
    assert stored_progress(home) == {}
    third.register.add("Ada", progress_of("", "y"))  # it sees now that the name has been deleted meanwhile
    third_pad.flush()
    assert stored_progress(home) == {"Ada": progress_of("", "y")} == third.register.pupils


@pytest.mark.parametrize("text", ["", "7", "[]", '{"forgotten": 3}', '{"forgotten": {"Ada": 1}}',
                                  '{"forgotten": {"0123456789abcdef": true}}'])
def test_a_damaged_list_of_deleted_names_deletes_nobody(text: str) -> None:
    assert agon.read_forgotten(text) == {}


def test_puzzles_solved_with_an_older_version_stay_solved_for_who_gives_no_name(home: Path) -> None:
    home.mkdir()
    (home / "settings.json").write_text('{"solved": ["a", 7, "b"]}', "utf-8")
    store, pad = a_store()
    store.note(solved="c")
    assert store.progress == progress_of("", "a b c")
    store.change(pupil="Ada")
    assert store.progress == agon.Progress()
    pad.flush()
    assert stored(home)["solved"] == ["a", 7, "b"]


@pytest.mark.parametrize("text, name", [
    ("  Ada \n Lovelace ", "Ada Lovelace"), ("Jörg\u200b\ud800\x07", "Jörg"), ("x" * 50, "x" * 40), ("\t", "")])
def test_a_name_is_kept_in_one_line_with_what_can_be_seen(text: str, name: str) -> None:
    assert agon.tidy_name(text) == name == agon.tidy_name(name)


def test_an_entry_that_is_added_again_comes_to_the_front(home: Path) -> None:
    store, pad = a_store()
    for entry in ("a", "b", "a"):
        store.add("recent", entry)
    assert store.settings.recent == ("a", "b")
    pad.flush()
    assert stored(home)["recent"] == ["a", "b"]


def test_an_entry_taken_out_does_not_come_back_from_the_file_unless_it_is_added_again(home: Path) -> None:
    store, pad = a_store()
    for entry in ("a", "b", "c"):
        store.add("recent", entry)
    pad.flush()
    store.drop("recent", "b")
    assert store.settings.recent == ("c", "a")
    pad.flush()
    assert stored(home)["recent"] == ["c", "a"]
    store.change(zoom=1)
    pad.flush()
    assert stored(home)["recent"] == ["c", "a"]
    store.add("recent", "b")
    pad.flush()
    assert stored(home)["recent"] == ["b", "c", "a"]


def test_so_many_recent_files_are_remembered_and_no_more(home: Path) -> None:
    store, pad = a_store()
    for number in range(11):
        store.add("recent", str(number))
    pad.flush()
    assert stored(home)["recent"] == "10 9 8 7 6 5 4 3".split()


# -- players, modes, and the running game --

@pytest.mark.parametrize("level, program, file_name", [
    (0, (), "Person"), (3, (), "Computer level 3"), (0, ("python", "/a b/hopper.PY", "x.txt"), "Program hopper.PY"),
    (0, ("/bin/player", "-x"), "Program player")])
def test_players_have_their_names_in_game_files(level: int, program: Tuple[str, ...], file_name: str) -> None:
    player = agon.Player(level, program)
    assert player.file_name() == file_name
    assert player.is_person == (file_name == "Person")


def test_a_person_and_a_program_are_called_by_their_names_where_they_have_one() -> None:
    assert agon.Player(name="Ada").file_name() == "Ada" and agon.Player(name="Ada").is_person
    hopper = agon.Player(program=("python", "h.py"), name="Hopper")
    assert (hopper.file_name(), hopper.called) == ("Program Hopper", "Hopper")
    session = agon.Session(agon.RunningGame(Game(), (agon.Player(name="Ada"), hopper), Tried()))
    assert (seat(session, WHITE).name, seat(session, BLACK).name) == ("Ada", "Hopper")
    assert shown(session).title == "Ada – Hopper – Agon" and voice(session).heading == "Your move"
    session.game.play(mv("b1-c2"))
    assert voice(session).heading == "Hopper is thinking …"
    session.game.resign(WHITE)
    assert voice(session).heading == "Hopper wins"


def test_two_persons_with_names_are_told_apart_by_them() -> None:
    session = on_table(headers={"White": "Ada", "Black": "Bo"}, path="/x/final.agon")
    assert voice(session).heading == "Ada to move" and voice(session, "de").heading == "Ada ist am Zug"
    assert shown(session).title == "final.agon · Ada – Bo – Agon"
    session.open(set_up())
    assert shown(session).title == "Agon"


@pytest.mark.parametrize("stored, seat_settings, player", [
    (agon and agon.Seat("person", "Ada", 5, "x.py", "X"), {"white": 0, "white_name": "Ada"}, agon and agon.Player(name="Ada")),
    (agon and agon.Seat("level", "Ada", 5, "", ""), {"white": 5, "level": 5}, agon and agon.Player(5)),
    (agon and agon.Seat("program", "Ada", 5, "x.py", "X"), {"white": -1, "program": "x.py", "white_called": "X"},
     agon and agon.Player(program=agon_ai.program_command("x.py"), name="X"))])
def test_a_seat_is_remembered_with_all_that_is_not_chosen_now(
        stored: "agon.Seat", seat_settings: Dict[str, object], player: "agon.Player") -> None:
    kept = stored.as_settings(WHITE)
    assert seat_settings.items() <= kept.items() and stored.player() == player
    settings = agon.Settings(**{"level": 5, **kept})
    assert agon.Seat.from_settings(settings, WHITE) == stored
    assert agon.read_settings(json.dumps(settings._asdict())) == (settings, {})


def test_a_program_that_has_not_been_named_leaves_its_place_to_a_person() -> None:
    assert agon.Seat("program").player() == agon.Player()


@pytest.mark.parametrize("name, level", [
    ("Computer level 1", 1), ("Computer level 8", 8), ("Computer level 9", 0), ("Computer level 12", 0), ("Ada", 0),
    ("Program rm", 0), ("", 0), ("computer level 1", 0), ("Computer level 1 ", 0), ("Person", 0)])
def test_game_files_name_persons_and_levels_but_start_no_program(name: str, level: int) -> None:
    assert agon.Player.from_file_name(name) == agon.Player(level, (), "" if level or name == "Person" else name)


#: From each mode the modes that may follow it, besides itself.
ALLOWED_MODES = {
    "IDLE": "SELECTED ANIMATING THINKING OVER", "SELECTED": "IDLE DRAGGING ANIMATING", "DRAGGING": "IDLE ANIMATING",
    "ANIMATING": "IDLE", "THINKING": "IDLE", "OVER": "IDLE"}


@pytest.mark.parametrize("before", sorted(ALLOWED_MODES))
@pytest.mark.parametrize("after", sorted(ALLOWED_MODES))
def test_a_session_goes_from_mode_to_mode_only_on_allowed_ways(before: str, after: str) -> None:
    session = on_table()
    session.mode = agon.Mode[before]
    if after == before or after in ALLOWED_MODES[before].split():
        session.enter(agon.Mode[after])
        assert session.mode is agon.Mode[after]
    else:
        with pytest.raises(AssertionError):
            session.enter(agon.Mode[after])
        assert session.mode is agon.Mode[before]


def test_the_player_may_act_while_waited_for() -> None:
    for mode in agon.Mode:
        session = on_table()
        session.mode = mode
        assert session.may_act == (mode in (agon.Mode.IDLE, agon.Mode.SELECTED))
    assert not on_table(levels=(1, 0)).may_act
    assert on_table(levels=(0, 1)).may_act


def test_a_message_lasts_until_the_marks_of_the_last_try_are_cleared() -> None:
    session = on_table()
    session.say(agon.Message("say_wait"), is_refusal=True)
    session.mark(tried=3)
    session.mark(hint=mv("b1-c2"))
    assert session.marks == agon.Marks(tried=3, hint=mv("b1-c2"))
    session.clear_marks()
    assert (session.marks, session.message, session.is_refusal) == (agon.Marks(), None, False)


def test_saying_nothing_is_no_refusal() -> None:
    session = on_table()
    session.say(None, is_refusal=True)
    assert not session.is_refusal


def test_a_refusal_says_why_and_marks_the_cells_that_forbid_the_move() -> None:
    session = on_table(start=FORBIDDEN_STEP)
    session.mark(hint=mv("b7-c7"))
    session.refuse(mv("c4-d4"))
    assert session.message == agon.Message("no_SELF_ENCLOSURE") and session.is_refusal
    assert session.marks == agon.Marks(cells("d3 d5"), parse_cell("d4"), mv("b7-c7"))
    session.clear_marks()
    session.refuse(mv("c4-c5"))  # which is legal
    assert session.message is None and session.marks == agon.Marks()


def test_a_lesson_takes_the_board_and_the_running_game_waits() -> None:
    session = on_table("b1-c2")
    game = session.running.game
    setup = agon.SetUp(Position.start(), Tried())
    assert session.game is game and not session.is_lesson
    session.open(setup)
    assert session.table is setup and session.is_lesson and session.game is not game and session.running.game is game
    session.close()
    assert session.table is session.running and not session.is_lesson


def test_a_game_that_is_replaced_can_be_brought_back_and_back_again() -> None:
    session = on_table("b1-c2")
    first, second = session.running, running("k1-k2")
    session.replace(second)
    assert (session.running, session.table, session.previous) == (second, second, first)
    session.bring_back()
    assert (session.running, session.table, session.previous) == (first, first, second)
    session.bring_back()
    assert (session.running, session.table, session.previous) == (second, second, first)


def test_a_start_without_moves_is_not_worth_keeping() -> None:
    session = on_table("b1-c2")
    first = session.running
    session.replace(running())
    session.replace(running())
    assert session.previous is first
    only = on_table()
    only.replace(running("b1-c2"))
    assert only.previous is None
    only.bring_back()
    assert only.previous is None and only.table is only.running and only.game.ply == 1


def test_the_same_game_with_other_players_replaces_nothing() -> None:
    session = on_table("b1-c2")
    session.replace(agon.RunningGame(session.game, session.running.players, Tried()))
    assert session.previous is None


def test_who_looks_back_and_moves_begins_a_new_game_and_the_old_one_stays_whole() -> None:
    session = on_table("b1-c2 b7-c7 k1-k2", path="/x/game.agon")
    session.running.look_at(1)
    whole = session.game
    session.branch()
    kept = session.previous
    assert kept.game is whole and kept.game.length == 3 and kept.path == "/x/game.agon" and kept.is_paused
    assert session.running.path == "" and [str(move) for move in session.game.moves] == ["b1-c2"]
    assert session.game.length == 1 and session.table is session.running


def test_the_line_that_was_left_stays_as_a_variation_in_list_file_and_copy() -> None:
    session = on_table("b1-c2 b7-c7 k1-k2")
    session.running.look_at(1)
    session.branch()
    session.play(mv("k7-k6"))
    assert "1. b1-c2 k7-k6 (1... b7-c7 2. k1-k2)" in session.running.text()
    assert shown(session).moves.lines == (agon.LineView(1, 0, "1... b7-c7 k1-k2"),)
    session.play(mv("l5-k5"))  # which branches off from nothing
    assert len(session.game.variations) == 1 and session.previous.game.variations == {}
    session.running.take_line(1, 0)
    assert [str(move) for move in session.game.moves] == ["b1-c2", "b7-c7"] and session.running.looks_back
    assert session.running.is_paused and shown(session).moves.lines[0].text == "1... k7-k6 l5-k5"
    session.running.look_at(1)  # a second line from the same place joins the first
    session.branch()
    session.play(mv("d1-d2"))
    assert [line.number for line in shown(session).moves.lines] == [0, 1]


def test_the_game_that_was_left_is_a_click_away() -> None:
    session = on_table("b1-c2 b7-c7 k1-k2")
    session.running.look_at(1)
    session.branch()
    session.say(agon.Message.of("say_branched", number=1))
    assert [button.command for button in voice(session).buttons] == ["previous_game"]
    session.say(None)
    assert voice(session).buttons == ()


@pytest.mark.parametrize("first_side, rows", [
    (WHITE, [(0, None), (0, 0), (1, None), (1, 1), (1, 2)]), (BLACK, [(0, None), (1, None), (1, 0), (1, 1), (1, 2)])])
def test_variations_stand_below_the_moves_they_are_about(first_side: int, rows: List[Any]) -> None:
    lines = [agon.LineView(ply, number, "") for ply, number in ((1, 0), (2, 0), (2, 1))]
    view = agon.MovesView(("a", "b", "c"), 1, first_side, tuple(lines))
    assert view.rows() == [(pair, None if line is None else lines[line]) for pair, line in rows]


def test_only_another_move_in_the_middle_of_a_game_that_has_ended_would_leave_it() -> None:
    session = on_table("b1-c2 b7-c7 k1-k2")
    session.game.resign(WHITE)
    assert not session.would_leave(mv("k7-k6"))
    session.running.look_at(1)
    assert session.would_leave(mv("k7-k6")) and not session.would_leave(mv("b7-c7"))
    session.open(set_up())
    assert not session.would_leave(mv("k7-k6"))
    session.close()
    session.game.reopen()
    assert not session.would_leave(mv("k7-k6"))
    session.game.resign(WHITE)  # here and now, which the moves behind it do not outlive
    assert not session.would_leave(mv("k7-k6"))


@pytest.mark.parametrize("levels, person", [((0, 0), None), ((0, 1), WHITE), ((1, 0), BLACK), ((1, 2), None)])
def test_a_game_knows_its_only_person(levels: Tuple[int, int], person: Optional[int]) -> None:
    game = running(levels=levels)
    assert game.person == person and game.has_person == (0 in levels)
    assert game.is_computers_turn == (levels[WHITE] > 0) and game.accepts_moves == (levels[WHITE] == 0)
    assert game.player == agon.Player(levels[WHITE])
    game.game.play(mv("b1-c2"))
    assert game.player == agon.Player(levels[BLACK]) and game.is_computers_turn == (levels[BLACK] > 0)


def test_a_program_is_a_computer_too() -> None:
    game = running(programs=("", "hopper.py"))
    assert game.person == WHITE and not game.is_computers_turn
    game.game.play(mv("b1-c2"))
    assert game.is_computers_turn and not game.accepts_moves


@pytest.mark.parametrize("levels, headers, expected", [
    ((0, 3), {}, {"White": "Person", "Black": "Computer level 3"}),
    ((0, 3), {"White": "Ada", "Black": "Computer level 8"}, {"Black": "Computer level 3"}),
    ((0, 0), {"White": "Ada", "Black": "Computer level 8"}, {"Black": "Person"}),
    ((2, 0), {"White": "Ada", "Black": "Bo"}, {"White": "Computer level 2"})])
def test_a_files_names_are_the_players_but_persons_keep_theirs(
        levels: Tuple[int, int], headers: Dict[str, str], expected: Dict[str, str]) -> None:
    game = running(levels=levels, headers=headers)
    assert game.headers() == {**headers, **expected}
    read = Game.from_text(game.text())
    assert {side: read.headers[side] for side in ("White", "Black")} == {**headers, **expected}


def test_the_text_of_a_running_game_has_the_moves_taken_back() -> None:
    read = Game.from_text(running("b1-c2 b7-c7 k1-k2", undone=2).text())
    assert read.ply == 1 and read.length == 3


def test_a_person_is_waited_for() -> None:
    for game in (running(), running(levels=(0, 5)), running("b1-c2", levels=(5, 0))):
        assert game.settled() == agon.Next()


def test_a_computer_is_asked_for_its_move_and_a_program_in_so_much_time() -> None:
    thinking = agon.Mode.THINKING
    assert running(levels=(5, 0)).settled() == agon.Next(thinking, ask=agon.Question(agon.Player(5), "go"))
    assert running(programs=("x.py", "")).settled() == agon.Next(
        thinking, ask=agon.Question(agon.Player(program=("x.py",)), "go movetime 2000"))


def test_a_computer_that_is_paused_or_could_play_over_moves_taken_back_is_not_asked() -> None:
    assert running(levels=(5, 5), is_paused=True).settled() == agon.Next()
    game = running("b1-c2 b7-c7", levels=(0, 5), undone=1)
    assert game.is_paused and game.settled() == agon.Next()


def test_a_pause_does_not_hold_a_person_up() -> None:
    assert running(levels=(0, 5), is_paused=True).settled() == agon.Next()
    assert running(start=MUST_PASS, levels=(0, 5), is_paused=True).settled().play == PASS


def test_a_finished_game_is_over_whoever_plays() -> None:
    won = "Qf6 e5 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 b"
    for levels in ((0, 0), (3, 3)):
        assert running(start=won, levels=levels).settled() == agon.Next(agon.Mode.OVER)


def test_a_side_that_cannot_move_passes_by_itself_after_a_while_and_that_is_said() -> None:
    for levels in ((0, 0), (3, 3)):
        following = running(start=MUST_PASS, levels=levels).settled()
        assert following == agon.Next(agon.Mode.ANIMATING, play=PASS, delay=1400,
                                      say=agon.Message.of("say_pass", side=WHITE))
    assert running(start=MUST_PASS, levels=(3, 3), is_paused=True).settled() == agon.Next()


def test_who_looks_back_onto_a_pass_keeps_the_moves_behind_it() -> None:
    game = running("--", start=MUST_PASS, undone=1)
    assert game.settled() == agon.Next()


def test_one_move_is_made_by_whoever_is_asked_for_it_even_during_a_pause() -> None:
    for game in (running(), running(levels=(2, 2), is_paused=True)):
        game.helper = agon.Player(4)
        assert game.settled() == agon.Next(agon.Mode.THINKING, ask=agon.Question(agon.Player(4), "go"))
    game = running(levels=(2, 2))
    game.helper = agon.Player()
    assert game.settled() == agon.Next()


def test_the_move_of_an_engine_is_played_and_of_its_failure_the_game_is_held_up() -> None:
    game = running(levels=(3, 0))
    assert game.answered(mv("b1-c2"), 35) == agon.Next(play=mv("b1-c2"))
    game.helper = agon.Player(4)
    assert game.failed() == agon.Next()
    assert game.helper is None and game.is_paused
    helped = running(levels=(0, 3))
    helped.helper = agon.Player(4)
    helped.failed()
    assert not helped.is_paused


@pytest.mark.parametrize("moves, levels, count", [
    ("", (0, 0), 0), ("b1-c2", (0, 0), 1), ("b1-c2 b7-c7", (0, 0), 1), ("", (0, 1), 0), ("b1-c2", (0, 1), 1),
    ("b1-c2 b7-c7", (0, 1), 2), ("b1-c2", (1, 0), 0), ("b1-c2 b7-c7", (1, 0), 1), ("b1-c2 b7-c7 k1-k2", (1, 0), 2),
    ("", (1, 1), 0), ("b1-c2 b7-c7", (1, 1), 1)])
def test_undo_goes_back_to_ones_own_turn(moves: str, levels: Tuple[int, int], count: int) -> None:
    assert running(moves, levels=levels).undo_count() == count


def test_undo_goes_back_behind_a_pass_which_nobody_has_chosen() -> None:
    free = str(running("--", start=MUST_PASS).game.legal_moves()[0])
    assert running(f"-- {free}", start=MUST_PASS).undo_count() == 1
    assert running("--", start=MUST_PASS).undo_count() == 0
    assert running(f"-- {free}", start=MUST_PASS, levels=(0, 1)).undo_count() == 0
    before = running("--", start=MUST_PASS).game
    assert before.position.turn == BLACK


@pytest.mark.parametrize("undone, levels, count", [
    (0, (0, 0), 0), (1, (0, 0), 1), (4, (0, 0), 1), (4, (0, 1), 2), (3, (0, 1), 1), (1, (0, 1), 1), (4, (1, 0), 1),
    (3, (1, 0), 2), (1, (1, 0), 1), (4, (1, 1), 1)])
def test_redo_goes_on_to_ones_own_turn(undone: int, levels: Tuple[int, int], count: int) -> None:
    assert running("b1-c2 b7-c7 k1-k2 k7-k6", levels=levels, undone=undone).redo_count() == count


def test_travelling_moves_pieces_back_and_on_and_tells_where_each_has_come_from() -> None:
    game = running("b1-c2 b7-c7 c2-c3 c7-c6")
    there = {parse_cell(here): parse_cell(before) for here, before in (("b1", "c3"), ("b7", "c6"))}
    assert game.travel(-4) == there
    assert game.game.ply == 0 and game.game.length == 4
    assert game.travel(4) == {before: here for here, before in there.items()}
    assert game.game.ply == 4
    assert game.travel(-1) == {parse_cell("c7"): parse_cell("c6")} and game.travel(0) == {}
    assert running("--", start=MUST_PASS).travel(-1) == {}


def test_travelling_holds_only_two_computers_up() -> None:
    for levels, is_paused in (((0, 0), False), ((0, 3), False), ((3, 3), True)):
        game = running("b1-c2 b7-c7", levels=levels)
        game.travel(-2)
        assert game.is_paused == is_paused and not game.looks_back
    game = running("b1-c2 b7-c7", levels=(0, 3), is_paused=True)
    game.travel(-1)
    assert not game.is_paused


def test_looking_at_a_place_in_the_game_takes_nothing_back_for_good() -> None:
    game = running("b1-c2 b7-c7 k1-k2", levels=(0, 1))
    game.look_at(1)
    assert game.game.ply == 1 and game.is_paused and game.looks_back
    game.look_at(2)
    assert game.game.ply == 2 and game.looks_back
    game.look_at(3)
    assert game.game.ply == 3 and not game.looks_back
    game.look_at(0)
    assert game.game.ply == 0
    game.look_at(99)
    assert game.game.ply == 3 and game.game.length == 3
    game.look_at(-1)
    assert game.game.ply == 0


def test_who_has_come_to_the_end_again_takes_moves_back_in_earnest() -> None:
    game = running("b1-c2 b7-c7 k1-k2")
    game.look_at(1)
    game.travel(-1)
    assert game.looks_back  # still in the middle
    game.look_at(3)
    game.travel(-1)
    assert not game.looks_back


def test_a_game_read_with_moves_taken_back_is_one_that_is_looked_through() -> None:
    assert running("b1-c2 b7-c7", undone=1).looks_back
    assert not running("b1-c2 b7-c7").looks_back and not running("b1-c2 b7-c7").is_paused


def test_a_game_has_no_page_no_praise_and_no_commands_of_its_own() -> None:
    game = running()
    assert game.commands() == {} and game.hint() == agon.Next() and game.is_ready()
    assert game.page(agon.Texts("en"), agon.Settings()) is None
    game.tell("lesson_right", is_praise=True)
    assert game.feedback == agon.Message("lesson_right") and game.is_praise
    game.tell()
    assert game.feedback is None and not game.is_praise


def test_a_table_tells_the_hand_what_may_be_picked_and_where_it_may_go() -> None:
    game = running()
    assert game.is_picked_by_click and game.place == "game"
    assert game.may_pick(parse_cell("b1")) and not game.may_pick(parse_cell("b7")) and not game.may_pick(THRONE)
    assert game.targets(parse_cell("b1")) == cells("a1 b2 c1 c2") and game.targets(parse_cell("b7")) == frozenset()
    assert game.movable() == cells("f1 a5 b1 d9 h9 k1 l5")
    trapped = running(start=TRAPPED_GUARD)
    assert trapped.movable() == cells("e5") and trapped.targets(parse_cell("b1")) == frozenset()
    assert running(start=MUST_PASS).movable() == frozenset()


def test_a_click_beside_ones_own_pieces_says_something_only_of_the_others() -> None:
    game = running("b1-c2")
    assert game.click(parse_cell("k1")) == agon.Message("no_NOT_YOURS")
    assert game.click(parse_cell("c2")) is None  # the second click of a double click on the target
    assert game.click(parse_cell("b1")) is None and game.click(THRONE) is None
    assert running().click(parse_cell("b7")) == agon.Message("no_NOT_YOURS")


def test_a_piece_dropped_beside_the_board_goes_home_and_on_a_cell_it_is_tried() -> None:
    game = running()
    assert not game.drop(parse_cell("b1"), None, (3.0, 4.0)) and game.attempt == []
    assert game.drop(parse_cell("b1"), parse_cell("c2"), (3.0, 4.0)) and game.attempt == [("b1-c2", (3.0, 4.0))]


# -- tour, puzzles, set-up --

def leaf(**headers: object) -> str:
    """A page of a collection, with its texts named after it in both languages."""
    words = "\n".join(f'[{header.replace("_", ".")} "{value}"]' for header, value in headers.items())
    return f'[Format "1"]\n{words}\n\n*\n'


def tour_leaf(title: str, **headers: object) -> str:
    both = {f"{header}_{language}": f"{header} {title} {language}"
            for header in ("Title", "Text") + (("Task",) if "Goal" in headers else ()) for language in ("de", "en")}
    return leaf(Kind="tour", **both, **headers)


#: Pages with two goals one after the other, with an answer between two goals, with a refusal to be seen, and to read.
TOUR = "\n".join((
    tour_leaf("one", Goal="along inwards", Position="Qf3 d4 / Qf9 w", Praise_de="Ja.", Praise_en="Yes.",
              Wrong_de="Nein.", Wrong_en="No.", Picture="lines"),
    tour_leaf("two", Goal="relocate relocate", Reply="k1-l1", Position=TRAPPED_GUARDS),
    tour_leaf("three", Goal="refused_self_enclosure", Position=FORBIDDEN_STEP),
    tour_leaf("four", Position=FORBIDDEN_STEP)))

#: Puzzles: trap two pieces (c6-d6), win in one move (h5-g6), win in two moves as Black.
TRAP_TWO = "Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w"
BLACK_WINS_IN_TWO = "Qf3 d2 e9 f8 g4 g8 h5 / Qf6 e4 e6 f5 f7 g5 g7 b"
PUZZLES = "\n".join((
    leaf(Kind="theme", Theme="two", Title_de="Titel", Title_en="Two at once", Text_de="Text", Text_en="Look for two."),
    leaf(Kind="puzzle", Theme="two", Goal="trap_two", Moves=1, Position=TRAP_TWO),
    leaf(Kind="puzzle", Goal="win", Moves=1, Position=ONE_MOVE_TO_WIN),
    leaf(Kind="puzzle", Goal="win", Moves=2, Position=BLACK_WINS_IN_TWO),
    leaf(Kind="puzzle", Goal="trap", Moves=1, Position=TRAP_TWO.replace("Qf11", "Qf10"))))


def small_leaf(title: str, **headers: object) -> str:
    both = {f"{header}_{language}": f"{header} {title} {language}"
            for header in ("Title", "Text", "Task", "Praise", "Wrong") for language in ("de", "en")}
    return leaf(Kind="game", **both, **headers)


#: Small games: to the throne in two moves, a race of Black, two traps without an end.
SMALL = "\n".join((
    small_leaf("one", Goal="throne", Moves=2, Level=3, Position="Qf4 d4 / Qf11 h7 w"),
    small_leaf("two", Goal="throne", Rival="throne", Position="Qf4 / Qf9 b"),
    small_leaf("three", Goal="trap trap", Rival="trap trap", Level=8, Position="Qf2 d4 c5 h4 / Qf10 d5 g8 w")))


@pytest.fixture
def classroom(tmp_path: Path, monkeypatch: Any) -> Path:
    """A classroom with this tour, these puzzles and these small games."""
    folder = tmp_path / "classroom"
    folder.mkdir()
    (folder / "tour.agon").write_text(TOUR, "utf-8")
    (folder / "puzzles.agon").write_text(PUZZLES, "utf-8")
    (folder / "games.agon").write_text(SMALL, "utf-8")
    monkeypatch.setattr(agon, "CLASSROOM", str(folder))
    return folder


def open_tour(number: int = 0) -> "agon.Tour":
    tour = agon.Tour(agon.read_lessons("tour.agon")[0], Tried())
    tour.open(number)
    return tour


def open_puzzles(number: int = 0, solved: Sequence[str] = (), **settings: object) -> "agon.PuzzleBook":
    store = agon.Store(Pad())
    store.settings = agon.Settings(**settings)
    for key in solved:
        store.note(solved=key)
    book = agon.PuzzleBook(agon.read_lessons("puzzles.agon")[0], Tried(), store)
    book.open(number)
    return book


def after(table: "agon.Table", move: str) -> "agon.Next":
    """What happens when the player has made this move."""
    table.game.play(mv(move))
    return table.settled()


WRONG = {"take_back": True, "delay": 1100}


def test_lessons_are_read_from_the_classroom_and_what_is_wrong_with_them_is_told(classroom: Path) -> None:
    lessons, error = agon.read_lessons("tour.agon")
    assert len(lessons) == 4 and error is None
    assert agon.read_lessons("nothing.agon") == ([], None)
    (classroom / "tour.agon").write_text("1. a5-b9 *", "utf-8")
    lessons, error = agon.read_lessons("tour.agon")
    assert lessons == [] and error.line == 1 and error.path.endswith("tour.agon")


def test_a_page_of_the_tour_is_done_when_its_goals_are_reached_one_after_the_other(classroom: Path) -> None:
    tour = open_tour()
    assert (tour.place, tour.side, tour.settled(), tour.accepts_moves) == ("learn", WHITE, agon.Next(), True)
    following = after(tour, "f3-e3")
    assert following.put_up.position == pos("Qe3 d4 / Qf9 w") and following.mode is agon.Mode.IDLE
    assert (tour.step, tour.is_done, tour.feedback, tour.is_praise) == (
        1, False, agon.Message.of("lesson_next_step", praise=tour.lesson.praise), True)
    assert agon.Texts("en").say(tour.feedback) == "Good! Now the second part."
    assert not tour.accepts_moves  # it is the other side's turn still
    tour.game = following.put_up
    assert tour.accepts_moves and tour.settled() == agon.Next()
    assert after(tour, "d4-e5") == agon.Next() == tour.settled()
    assert tour.is_done and not tour.accepts_moves and tour.is_praise
    assert agon.Texts("en").say(tour.feedback) == "Right! Yes." and agon.Texts("de").say(tour.feedback) == "Richtig! Ja."


def test_a_legal_move_that_is_not_asked_for_is_taken_back(classroom: Path) -> None:
    tour = open_tour()
    assert after(tour, "f3-f4") == agon.Next(agon.Mode.ANIMATING, **WRONG)
    assert (tour.step, tour.is_praise) == (0, False)
    assert agon.Texts("en").say(tour.feedback) == "No." and agon.Texts("de").say(tour.feedback) == "Nein."
    tour.game.undo()
    assert tour.settled() == agon.Next() and tour.accepts_moves
    tour.open(2)  # a page that does not say what is wrong
    assert after(tour, "c4-c5") == agon.Next(agon.Mode.ANIMATING, **WRONG)
    assert agon.Texts("en").say(tour.feedback) == said("lesson_other")


def test_a_page_to_read_has_nothing_to_be_done(classroom: Path) -> None:
    tour = open_tour(3)
    assert tour.is_done and not tour.accepts_moves and tour.settled() == agon.Next()
    tour.refused(Refusal.SELF_ENCLOSURE)
    assert tour.feedback is None


def test_the_other_side_answers_between_two_goals_as_the_page_says(classroom: Path) -> None:
    tour = open_tour(1)
    reply = agon.Next(agon.Mode.ANIMATING, play=mv("k1-l1"), delay=600)
    assert after(tour, "d3-a1") == reply
    assert after(tour, "k1-l1") == agon.Next() and tour.accepts_moves and tour.step == 1
    assert after(tour, "d5-a2") == agon.Next() and tour.is_done
    tour.open(1)
    following = after(tour, "d3-l1")  # where the answer was to go
    assert following == reply._replace(play=following.play)
    assert following.play in tour.game.legal_moves()


def test_a_page_about_what_is_forbidden_is_done_by_trying_just_that(classroom: Path) -> None:
    tour = open_tour(2)
    session = on_table()
    session.open(tour)
    session.refuse(mv("c4-c6"))
    assert not tour.is_done and shown(session).page.feedback == said("no_TOO_FAR") and not shown(session).page.is_praise
    session.refuse(mv("c4-d4"))
    assert tour.is_done and tour.is_praise
    page = shown(session).page
    assert page.feedback == f"{said('no_SELF_ENCLOSURE')} Right!" and page.is_praise
    tour.refused(Refusal.SELF_ENCLOSURE)  # a second time
    assert tour.is_done
    tour.open(0)
    tour.refused(Refusal.SELF_ENCLOSURE)  # where something else is asked for
    assert tour.step == 0 and tour.feedback is None


def test_enter_and_space_go_on_where_a_page_is_done_and_pick_pieces_where_it_is_not(classroom: Path) -> None:
    session, tour = on_table(), open_tour()
    session.open(tour)
    hands = Gestures(session)
    hands.point_at("f3")
    hands.hand.enter()
    assert hands.commands == [] and hands.hand.state.selected == parse_cell("f3")
    hands.hand.enter()  # lays it down
    after(tour, "f3-e3")
    assert tour.onward == ""  # it is the other side's turn
    tour.step = 2
    hands.hand.space()
    hands.hand.enter()
    assert hands.commands == ["page_next", "page_next"]
    hands.type("f3-e3")  # a move that is typed is not a wish to go on
    assert hands.commands == ["page_next", "page_next"] and session.message is None
    tour.open(3)  # a page to read, and the last one
    assert tour.onward == "puzzles"
    session.enter(agon.Mode.ANIMATING)
    hands.hand.enter()
    assert len(hands.commands) == 2


def test_enter_goes_on_to_the_next_puzzle_or_takes_a_wrong_move_back(classroom: Path) -> None:
    session, book = on_table(), open_puzzles()
    session.open(book)
    hands = Gestures(session)
    assert book.onward == ""
    after(book, "c4-d4")
    hands.hand.enter()
    assert book.is_solved and hands.commands == ["puzzle_next"] and "puzzle_next" in book.commands()
    book.try_again()
    after(book, "a5-b6")
    hands.hand.space()
    assert book.is_wrong and hands.commands[1:] == ["page_again"] and "page_again" in book.commands()


def test_pages_are_leafed_through_and_opened_at_their_beginning(classroom: Path) -> None:
    tour = open_tour()
    after(tour, "f3-f4")
    assert set(tour.commands()) == {"page_again", "next", "page_next"}
    tour.commands()["page_again"]()
    assert tour.game.ply == 0 and tour.feedback is None and tour.number == 0
    after(tour, "f3-e3")
    tour.commands()["next"]()
    assert (tour.number, tour.step, tour.feedback) == (1, 0, None) and tour.game.start == pos(TRAPPED_GUARDS)
    assert set(tour.commands()) == {"page_again", "next", "page_next", "previous", "page_back"}
    tour.commands()["page_next"]()
    tour.commands()["page_next"]()
    assert tour.number == 3 and set(tour.commands()) == {"page_again", "previous", "page_back"}
    tour.commands()["page_back"]()
    tour.commands()["previous"]()
    assert tour.number == 1
    for number, opened in ((-5, 0), (99, 3)):
        tour.open(number)
        assert tour.number == opened


def buttons(page: "agon.PageView") -> List[Tuple[str, str, bool, bool]]:
    return [tuple(button) for button in page.buttons]


def test_the_page_of_the_tour_shows_texts_task_and_what_can_be_done(classroom: Path) -> None:
    session = on_table()
    tour = open_tour(1)
    session.open(tour)
    page = shown(session).page
    assert page == agon.PageView(
        "Getting to know Agon", "Page 2 of 4", 4, 1, "Title two en", "Text two en", task="Task two en",
        buttons=page.buttons, note="Your game waits under “Game”.")
    assert buttons(page) == [("page_next", "Skip ›", True, False), ("page_again", "Once more", True, False),
                             ("page_back", "‹ Back", True, False), ("page_close", "Back to the game", True, False)]
    tour.step = 2
    assert buttons(shown(session).page)[0] == ("page_next", "Next ›", True, True)
    tour.open(0)
    page = shown(session, "de").page
    assert (page.title, page.context, page.heading, page.picture) == (
        "Agon kennenlernen", "Seite 1 von 4", "Title one de", "lines")
    assert buttons(page)[2] == ("page_back", "‹ Zurück", False, False)
    tour.open(3)
    page = shown(session).page
    assert page.task == "" and buttons(page)[0] == ("puzzles", "To the puzzles ›", True, True)
    assert buttons(page)[1:3] == [("play_at_once", "First game, level 1", True, False),
                                  ("small_games", "Small games ›", True, False)]


def test_the_last_page_leads_to_the_puzzles_when_it_is_done(classroom: Path) -> None:
    (classroom / "tour.agon").write_text(tour_leaf("only", Goal="along", Position="Qf3 / Qf9 w"), "utf-8")
    session = on_table()
    tour = open_tour()
    session.open(tour)
    assert buttons(shown(session).page)[0] == ("puzzles", "To the puzzles ›", True, False)
    assert buttons(shown(session).page)[1] == ("page_again", "Once more", True, False)  # there is something to be tried
    after(tour, "f3-e3")
    assert buttons(shown(session).page)[0] == ("puzzles", "To the puzzles ›", True, True)


def test_the_shelf_opens_at_the_first_puzzle_that_is_open_and_those_solved_with_help_come_back(classroom: Path) -> None:
    lessons = agon.read_lessons("puzzles.agon")[0]
    keys = [str(lesson.start) for lesson in lessons if lesson.kind == "puzzle"]
    for solved, helped, number in (((), (), 0), (keys[:1], (), 1), (keys[:1], keys[1:2], 2), (keys[1:], keys[:1], 0),
                                   (keys[:2], keys[2:], 2), (keys, (), 0)):
        store = agon.Store(Pad())
        for key in solved:
            store.note(solved=key)
        for key in helped:
            store.note(helped=key)
        book = agon.PuzzleBook(lessons, Tried(), store)
        assert book.number == number and not book.is_open and not book.accepts_moves
        assert book.settled() == agon.Next() and book.hint() == agon.Next()
    book = open_puzzles(0, solved=keys[1:2])
    assert book.following(0) == 2 and book.following(3) == 0


def test_the_shelf_shows_every_puzzle_with_its_state_by_theme(classroom: Path) -> None:
    book = open_puzzles(1, solved=[str(pos(TRAP_TWO))])
    book.store.note(helped=str(pos(BLACK_WINS_IN_TWO)))
    session = on_table()
    session.open(book)
    assert shown(session).shelf is None
    book.commands()["puzzle_shelf"]()
    shelf = shown(session).shelf
    assert [(title, count, [(tile.number, tile.moves, tile.state) for tile in tiles])
            for title, count, tiles in shelf.groups] == [
        ("Two at once", "1 of 1", [(0, 1, "solved")]),
        ("Puzzles", "1 of 3", [(1, 1, "open"), (2, 2, "helped"), (3, 1, "open")])]
    assert shelf.chosen == 1 and shelf.groups[1][2][1].position == pos(BLACK_WINS_IN_TWO)
    assert shelf.legend == ("solved alone", "solved with a hint")
    page = shown(session).page
    assert (page.context, page.heading, page.task) == (
        "2 of 4 solved, 1 with a hint", "Puzzle 2", "You are White. Win in one move.")
    book.look_at(0)
    assert shown(session).page.heading == "Puzzle 1: Two at once"
    book.look_at(1)
    assert buttons(page) == [("puzzle_open", "Open puzzle 2 ›", True, True), ("small_games", "Small games ›", True, False),
                             ("page_close", "Back to the game", True, False)]


def test_a_puzzle_is_chosen_and_opened_on_the_shelf(classroom: Path) -> None:
    book = open_puzzles()
    book.commands()["puzzle_shelf"]()
    assert set(book.commands()) == {"puzzle_open", "previous", "next"}
    for key, number in (("previous", 0), ("next", 1), ("next", 2), ("next", 3), ("next", 3)):
        book.commands()[key]()
        assert book.number == number and not book.is_open
    book.choose("look 1")
    assert book.number == 1 and not book.is_open
    book.commands()["puzzle_open"]()
    assert book.number == 1 and book.is_open
    book.choose("open 2")
    assert book.number == 2 and book.is_open and book.accepts_moves


def test_the_board_turns_to_the_solver_and_cannot_be_turned_by_hand(classroom: Path) -> None:
    session = on_table()
    book = open_puzzles(0)
    session.open(book)
    for flipped in (False, True):
        book.open(0)
        view = shown(session, flipped=flipped)
        assert not view.flipped and "flip" in view.resting
        book.open(2)
        assert shown(session, flipped=flipped).flipped
    session.close()
    assert shown(session, flipped=True).flipped and "flip" not in shown(session).resting


def test_a_puzzle_is_solved_by_what_it_asks_for_and_remembered(classroom: Path) -> None:
    book = open_puzzles(0)
    assert (book.place, book.settled(), book.accepts_moves) == ("puzzles", agon.Next(), True)
    assert after(book, "c4-d4") == agon.Next()
    assert book.is_solved and not book.accepts_moves and book.settled() == agon.Next()
    assert (book.feedback, book.is_praise) == (agon.Message.of("puzzle_solved", praise={}), True)
    assert book.store.progress.solved == {str(pos(TRAP_TWO))} and book.was_known == "open"
    book.open(1)
    assert not book.is_solved and book.accepts_moves and book.feedback is None
    assert after(book, "h5-g6") == agon.Next() and book.is_solved


def test_what_is_solved_with_a_hint_is_marked_so_until_it_is_solved_alone(classroom: Path) -> None:
    book = open_puzzles(0)
    book.hint()
    after(book, "c4-d4")
    assert agon.Texts("en").say(book.feedback) == "Solved with a hint; the puzzle will come back."
    progress = book.store.progress
    assert progress.helped == {str(pos(TRAP_TWO))} and not progress.solved
    book.open(0)
    assert book.was_known == "helped" and not book.was_helped
    after(book, "c4-d4")
    assert book.store.progress.solved == {str(pos(TRAP_TWO))} and not book.store.progress.helped


def explained(position: str, goal: str, **headers: object) -> str:
    both = {"Praise_de": "Darum.", "Praise_en": "That is why."}
    return leaf(Kind="puzzle", Goal=goal, Position=position, **both, **headers)


def test_a_solved_puzzle_is_explained(classroom: Path) -> None:
    (classroom / "puzzles.agon").write_text(explained(TRAP_TWO, "trap_two"), "utf-8")
    book = open_puzzles(0)
    after(book, "c4-d4")
    assert agon.Texts("en").say(book.feedback) == "Solved! That is why."
    assert agon.Texts("de").say(book.feedback) == "Gelöst! Darum."


TRAPPED_ON_THRONE = "Qf2 f5 e7 h4 / Qf6 d7 g8 w"


@pytest.mark.parametrize("goal, position, move, verdict", [
    ("trap_two", TRAP_TWO, "k1-k2", "That traps no piece."),
    ("trap", TRAP_TWO, "k1-k2", "That traps no piece."),
    ("trap_two", "Qf2 d4 c5 h4 / Qf10 d5 g8 w", "c5-d6", "That traps only one piece."),
    ("trap_queen", TRAPPED_ON_THRONE, "h4-g5", "That traps no piece."),
    ("exception", TRAP_TWO, "k1-k2", "There your piece does not stand between two enemies."),
    ("win", ONE_MOVE_TO_WIN, "h5-h4", "The ring around your queen is not closed yet: one more move is needed."),
    ("win", "Qf4 e5 e6 f5 f7 g5 h5 / Qf11 a2 w", "h5-h6",
     "That is too slow: after it you still need at least 3 moves."),
    ("win", "Qf4 e5 e6 f5 f7 g5 h5 / Qf11 a2 w", "h5-g6",
     "The ring is closed, but your queen is not on the throne: that loses the game."),
])
def test_a_wrong_move_stays_on_the_board_and_is_told_what_is_wrong_with_it(
        classroom: Path, goal: str, position: str, move: str, verdict: str) -> None:
    (classroom / "puzzles.agon").write_text(leaf(Kind="puzzle", Goal=goal, Position=position), "utf-8")
    book = open_puzzles(0)
    assert after(book, move) == agon.Next() and book.is_wrong and not book.accepts_moves
    assert (agon.Texts("en").say(book.feedback), book.is_praise, book.is_solved) == (verdict, False, False)
    assert not book.store.progress.solved and book.settled() == agon.Next()
    session = on_table()
    session.open(book)
    assert buttons(shown(session).page)[0] == ("page_again", "Once more", True, True)
    came_from = book.commands()["page_again"]()
    assert came_from == {mv(move).source: mv(move).target} and book.game.ply == 0
    assert book.accepts_moves and book.feedback is None


@pytest.mark.parametrize("goal, position, move, refutation, verdict", [
    ("safe", "Qf1 e5 / Qf11 e6 d3 w", "f1-f2", None, "traps the guard on e5."),
    ("hold", "Qf9 h6 / Qf6 e5 e6 f5 f7 g5 g7 w", "f9-e8", "g7-g6", "g7-g6 wins at once."),
])
def test_what_refutes_a_wrong_move_is_played_and_both_are_taken_back(
        classroom: Path, goal: str, position: str, move: str, refutation: Optional[str], verdict: str) -> None:
    (classroom / "puzzles.agon").write_text(leaf(Kind="puzzle", Goal=goal, Position=position), "utf-8")
    book = open_puzzles(0)
    following = after(book, move)
    assert following == agon.Next(agon.Mode.ANIMATING, play=following.play, delay=600) and following.play
    assert refutation is None or str(following.play) == refutation
    assert agon.Texts("en").say(book.feedback).endswith(verdict)
    assert after(book, str(following.play)) == agon.Next() and not book.accepts_moves
    session = on_table()
    session.open(book)
    picture = shown(session).picture
    assert bool(picture.winners) == (goal == "hold") and not (picture.winners and picture.is_celebrated)
    assert set(book.commands()["page_again"]()) == {mv(move).source, following.play.source}
    assert book.game.ply == 0 and book.accepts_moves


def test_a_first_move_that_may_win_is_judged_by_the_best_engine(classroom: Path) -> None:
    book = open_puzzles(2)
    assert book.side == BLACK and book.moves_left == 2
    assert after(book, "g7-g6") == agon.Next(agon.Mode.THINKING, ask=agon.Question(agon.Player(8), "go depth 2", "reductions"))
    assert book.moves_left == 1 and book.feedback is None


@pytest.mark.parametrize("score, wins", [
    (2 - agon_ai.WIN, True), (3 - agon_ai.WIN, True), (4 - agon_ai.WIN, False), (-500, False), (None, False),
    (agon_ai.WIN - 2, False)])
def test_a_move_still_wins_when_the_defence_loses_in_time(classroom: Path, score: Optional[int], wins: bool) -> None:
    book = open_puzzles(2)
    after(book, "g7-g6")
    defence = book.game.legal_moves()[0]
    following = book.answered(defence, score)
    assert following == agon.Next(agon.Mode.ANIMATING, play=defence, delay=600) and book.is_wrong != wins
    if wins:
        assert (book.feedback, book.is_praise) == (
            agon.Message.of("puzzle_go_on", within=agon.Message("within_1")), True)
        assert agon.Texts("en").say(book.feedback) == "Good! Now it can be done in one move."
        assert after(book, str(defence)) == agon.Next() and book.accepts_moves and book.right_ply == 2
    else:
        assert "it cannot be done in two moves any more." in agon.Texts("en").say(book.feedback) and not book.is_praise
        after(book, str(defence))
        book.try_again()
        assert book.game.ply == 0 and book.accepts_moves


def test_a_refutation_is_named_by_what_it_does(classroom: Path) -> None:
    book = open_puzzles(2)
    book.game.play(mv("g7-g6"))
    position = book.position
    traps = [other for other in position.legal_moves() if position.newly_trapped(other)]
    places = [other for other in position.legal_moves() if agon.RING[other.target] == 1 and other not in traps]
    others = [other for other in position.legal_moves() if other not in traps + places]
    for moves, words in ((traps, "traps the"), (places, "stands at the throne"), (others, "helps against that")):
        for other in moves[:1]:
            book.answered(other, 0)
            assert words in agon.Texts("en").say(book.feedback)
    assert others


def test_once_more_goes_back_to_where_all_was_still_right(classroom: Path) -> None:
    book = open_puzzles(2)
    after(book, "g7-g6")
    defence = book.game.legal_moves()[0]
    book.answered(defence, 2 - agon_ai.WIN)
    after(book, str(defence))
    wrong = next(move for move in book.game.legal_moves()
                 if move not in agon_core.moves_that_reach("win", book.game))
    after(book, str(wrong))
    assert book.is_wrong
    book.try_again()
    assert book.game.ply == 2 and book.accepts_moves
    book.try_again()
    assert book.game.ply == 0  # nothing was wrong: from the beginning


def test_a_move_whose_judge_has_failed_is_taken_back_to_be_made_again(classroom: Path) -> None:
    book = open_puzzles(2)
    after(book, "g7-g6")
    assert book.failed() == agon.Next(take_back=True)
    assert (book.feedback, book.is_praise) == (agon.Message("puzzle_failed"), False)
    book.game.undo()
    assert book.failed() == agon.Next(take_back=False) and book.accepts_moves


def test_the_first_hint_is_the_piece_and_the_second_the_move(classroom: Path) -> None:
    book = open_puzzles(0)
    first = book.hint()
    assert (first.point, first.show, agon.Texts("en").say(first.say)) == (
        parse_cell("c4"), None, "It is about the guard on c4. Another hint shows the move.")
    assert book.hint() == agon.Next(show=mv("c4-d4"))
    book.open(1)
    assert book.hint() == agon.Next(agon.Mode.THINKING, ask=agon.Question(agon.Player(8), "go depth 1", "reductions"))
    assert book.answered(mv("h5-g6"), 5).point == parse_cell("h5")
    assert book.answered(mv("h5-g6"), 5) == agon.Next(show=mv("h5-g6"))
    book.open(2)
    assert book.hint().ask.go == "go depth 3" and book.was_helped
    after(book, "g7-g6")
    assert book.hint() == agon.Next()
    book.open(1)
    after(book, "h5-g6")
    assert book.hint() == agon.Next() and not book.was_helped


def test_hints_and_solution_come_from_the_file_as_long_as_the_game_follows_it(classroom: Path) -> None:
    line = ForcedWins().line(pos(BLACK_WINS_IN_TWO), 2)
    (classroom / "puzzles.agon").write_text(leaf(
        Kind="puzzle", Goal="win", Moves=2, Position=BLACK_WINS_IN_TWO, Solution=" ".join(map(str, line))), "utf-8")
    book = open_puzzles(0)
    assert book.hint().point == line[0].source and book.hint() == agon.Next(show=line[0])
    book.show_solution()
    assert book.settled() == agon.Next(play=line[0])
    assert after(book, str(line[0])) == agon.Next(agon.Mode.ANIMATING, play=line[1], delay=600)
    assert after(book, str(line[1])) == agon.Next(play=line[2])
    assert after(book, str(line[2])) == agon.Next() and book.is_solved
    book.open(0)
    book.game.play(line[0])
    other = next(move for move in book.game.legal_moves() if move != line[1])
    book.game.play(other)
    assert book.settled() == agon.Next() and book.hint().ask.go == "go depth 1"


def test_the_piece_of_a_hint_is_outlined_until_another_is_picked(classroom: Path) -> None:
    session = on_table()
    session.open(open_puzzles(0))
    session.mark(piece=parse_cell("c4"))
    assert shown(session).picture.pointed == parse_cell("c4")
    session.clear_marks()
    assert shown(session).picture.pointed is None


def test_a_trap_that_cannot_be_found_is_no_hint(classroom: Path) -> None:
    (classroom / "puzzles.agon").write_text(leaf(Kind="puzzle", Goal="trap", Position="Qf2 d4 / Qf10 w"), "utf-8")
    assert open_puzzles(0).hint() == agon.Next()


def test_the_solution_plays_itself_and_counts_for_nothing(classroom: Path) -> None:
    book = open_puzzles(0)
    after(book, "k1-k2")
    book.commands()["puzzle_solution"]()
    assert book.game.ply == 0 and book.feedback is None and not book.accepts_moves
    assert book.settled() == agon.Next(play=mv("c4-d4"))
    assert after(book, "c4-d4") == agon.Next()
    assert book.is_solved and not book.store.progress.solved and not book.store.progress.helped
    assert agon.Texts("en").say(book.feedback) == "That was the solution."
    assert book.settled() == agon.Next()
    book.open(2)
    book.show_solution()
    assert book.number == 2 and book.settled().ask.go == "go depth 3"
    assert book.answered(mv("g7-g6"), 5) == agon.Next(play=mv("g7-g6"))
    assert after(book, "g7-g6").ask.go == "go depth 2"
    defence = book.game.legal_moves()[0]
    assert book.answered(defence, 2 - agon_ai.WIN).play == defence and book.feedback is None
    assert after(book, str(defence)).ask.go == "go depth 1"
    book.failed()
    assert book.accepts_moves


def test_the_page_of_a_puzzle_shows_task_and_what_can_be_done(classroom: Path) -> None:
    session = on_table()
    book = open_puzzles(0, solved=(str(pos(TRAP_TWO)), "another"))
    session.open(book)
    page = shown(session).page
    assert page == agon.PageView(
        "Two at once", "Puzzle 1 of 4", heading="You are White.", text="Look for two.", is_praise=True,
        task="Trap two pieces with one move.", feedback="Solved before.", buttons=page.buttons,
        note="Your game waits under “Game”.")
    assert buttons(page) == [
        ("puzzle_next", "Next puzzle ›", True, False), ("hint", "Hint", True, False),
        ("puzzle_solution", "Solution", True, False), ("page_again", "Once more", True, False),
        ("puzzle_shelf", "‹ All puzzles", True, False), ("page_close", "Back to the game", True, False)]
    after(book, "c4-d4")
    page = shown(session).page
    assert page.feedback == "Solved!" and page.is_praise
    assert buttons(page)[:3] == [("puzzle_next", "Next puzzle ›", True, True), ("hint", "Hint", False, False),
                                 ("puzzle_solution", "Solution", True, False)]
    book.commands()["puzzle_next"]()
    assert book.number == 1 and book.is_open
    book.open(3)
    page = shown(session, "de").page
    assert (page.title, page.context, page.task, page.text) == (
        "Rätsel", "Rätsel 4 von 4", "Schließ mit einem Zug einen Stein ein.", "")
    assert page.feedback == ""
    book.open(2)
    page = shown(session, "de").page
    assert (page.heading, page.task) == ("Du bist Schwarz.", "Gewinn in zwei Zügen.")
    book.open(0)
    assert shown(session, "de").page.title == "Titel" and shown(session, "de").page.text == "Text"
    book.open(1)
    assert shown(session).page.task == "Win in one move."
    book.show_solution()
    assert buttons(shown(session).page)[2] == ("puzzle_solution", "Solution", False, False)


def test_every_goal_of_the_shipped_puzzles_has_its_order(classroom: Path) -> None:
    for goal in ("win", "trap", "trap_two", "trap_queen", "exception", "relocate_trap", "safe", "hold"):
        (classroom / "puzzles.agon").write_text(leaf(Kind="puzzle", Goal=goal, Moves=3, Position=TRAP_TWO), "utf-8")
        book = open_puzzles()
        for language in ("de", "en"):
            task = book.task(agon.Texts(language))
            assert task.endswith(".") and ("three" in task or "drei" in task) == (goal in ("win", "hold"))
            assert goal not in ("safe", "hold") or ("Black" in task or "Schwarz" in task)


# -- learning from mistakes --

def looked_through(table: "agon.Mistakes", *found: Tuple[int, str]) -> List[str]:
    """Answer what is asked while a game is looked through, each with a score and a line; the positions asked about."""
    asked = []
    for score, line in found:
        following = table.settled()
        assert following == agon.Next(agon.Mode.THINKING, ask=agon.Question(
            agon.Player(8), "go nodes 10000", "contempt", table.review.question, 0))
        asked.append(" ".join(map(str, following.ask.game.moves)))
        table.heard(info(1, score, *line.split()))
        table.answered(mv(line.split()[0]), score)
    return asked


#: What is found in a game of two moves, both of them mistakes: White's looked at twice, Black's too.
BOTH_BAD = ((2500, "b1-c2 f11-f10"), (2500, "f11-e10"), (-2480, "f11-e10 c2-d3"), (2600, "b1-c2"), (-2490, "k1-k2"))


def mistakes(*found: Tuple[int, str], moves: str = "a5-b5 f11-f10", **game: Any) -> "agon.Mistakes":
    """The page of a game of these moves that has been looked through with these results."""
    table = agon.Mistakes(running(moves, **game), Tried())
    looked_through(table, *(found or BOTH_BAD))
    return table


def test_a_game_is_looked_through_position_by_position_while_the_board_follows() -> None:
    table = agon.Mistakes(running("a5-b5 f11-f10"), Tried())
    session = on_table()
    session.open(table)
    assert table.is_looking and not table.accepts_moves and table.mistake is None and not table.has_hint
    page = shown(session).page
    assert (page.heading, page.text) == ("Looking through the game", "0 of 3 positions. Mistakes found: 0")
    assert buttons(page) == [("mistakes_stop", "Stop", True, False), ("page_close", "Back to the game", True, False)]
    assert looked_through(table, *BOTH_BAD[:3]) == ["", "a5-b5", "b1-c2"]
    table.settled()
    assert [str(move) for move in table.game.moves] == ["a5-b5"]  # never the better move
    page = shown(session).page
    assert page.text == "2 of 3 positions. Mistakes found: 1" and page.curve.scores == ((0, 25.0), (1, -25.0))
    assert looked_through(table, *BOTH_BAD[3:]) == ["a5-b5 f11-f10", "a5-b5 f11-e10"]
    assert not table.is_looking and [mistake.ply for mistake in table.tasks] == [0, 1]


def test_what_was_found_stays_with_the_game_and_is_seen_in_list_and_curve() -> None:
    session = on_table("a5-b5 f11-f10")
    table = agon.Mistakes(session.running, Tried())
    looked_through(table, *BOTH_BAD)
    view = shown(session, analysis=True)
    assert view.moves.moves == ("a5-b5??", "Qf11-f10??")
    assert view.analysis.marks == ((0, "??"), (1, "??")) and view.analysis.scores == ((0, 25.0), (1, -25.0), (2, 26.0))
    again = agon.Mistakes(session.running, Tried())
    assert not again.is_looking and again.mistake == again.tasks[0] and again.game.ply == again.mistake.ply
    session.game.marks[0] = "!"  # what stands in the file comes first
    assert shown(session).moves.moves == ("a5-b5!", "Qf11-f10??")
    session.game.undo()
    assert shown(session).moves.moves == ("a5-b5!", "Qf11-f10??")
    session.game.play(mv("f11-e10"))
    assert shown(session).moves.moves == ("a5-b5!", "Qf11-e10")
    assert agon.Mistakes(session.running, Tried()).is_looking


def test_looking_can_be_stopped_and_goes_on_where_it_was() -> None:
    table = agon.Mistakes(running("a5-b5 f11-f10"), Tried())
    looked_through(table, *BOTH_BAD[:3])
    assert set(table.commands()) == {"mistakes_stop"}
    table.commands()["mistakes_stop"]()
    assert not table.is_looking and table.mistake.ply == 0 and table.settled() == agon.Next()
    session = on_table()
    session.open(table)
    table.choose("sides_black")
    page = shown(session).page
    assert page.heading == "No mistakes found" and page.text.endswith("Looked through up to move 1.")
    assert buttons(page)[0] == ("mistakes_go_on", "Go on looking", True, True)
    table.commands()["mistakes_go_on"]()
    looked_through(table, *BOTH_BAD[3:])
    assert table.mistake.ply == 1 and "mistakes_go_on" not in table.commands()


def test_the_board_stands_before_the_bad_move_turned_to_its_side_and_shows_nothing_better() -> None:
    session = on_table(levels=(3, 0))
    table = mistakes(levels=(3, 0))
    session.open(table)
    assert table.sides == "sides_black" and [task.ply for task in table.tasks] == [1]
    view = shown(session, language="de")
    assert view.flipped and view.place == "analysis" and view.analysis is None
    assert [str(move) for move in table.game.moves] == ["a5-b5"]
    assert view.picture.blamed == mv("f11-f10") and view.picture.arrows == () and view.picture.pointed is None
    assert (view.page.heading, view.page.task) == ("Du hast Qf11-f10?? gespielt.", "Findest du etwas Besseres?")
    assert "e10" not in repr(view.page)
    lost = f"{(table.tasks[0].before - table.tasks[0].after) / 100:.1f}".replace(".", ",")
    assert view.page.rows == (agon.Row("1", "1... Qf11-f10", f"kostete {lost} Schritte", "??", "open"),)
    table.choose("sides_white")
    view = shown(session)
    assert not view.flipped and view.page.heading == "White played a5-b5??." and table.mistake.ply == 0
    table.choose("sides_both")
    assert [row.name for row in shown(session).page.rows] == ["0", "1"] and not shown(session, flipped=True).flipped
    for name, ply in (("1", 1), ("0", 0), ("99", 1)):  # a row, or the nearest to a place of the curve
        table.choose(name)
        assert table.mistake.ply == ply and shown(session).page.chosen_row == str(ply)


def test_the_better_move_is_right_at_once_and_its_line_can_be_played() -> None:
    table = mistakes()
    assert after(table, "b1-c2") == agon.Next()
    assert (table.verdict, table.is_praise, table.accepts_moves, table.blamed) == ("right", True, False, None)
    assert agon.Texts("en").say(table.feedback) == "Right! b1-c2 brings a piece nearer to the throne."
    session = on_table()
    session.open(table)
    page = shown(session).page
    assert page.text == "It may go on like this: Qf11-e10 c2-d3" and page.rows[0].state == "done" and page.task == ""
    assert buttons(page)[:2] == [("page_next", "Next mistake ›", True, True), ("mistakes_play", "Play it", True, False)]
    assert table.onward == "page_next"
    for _ in range(2):
        table.commands()["mistakes_play"]()
        for word in ("f11-e10", "c2-d3"):
            assert table.settled() == agon.Next(agon.Mode.ANIMATING, play=mv(word), delay=600)
            assert not buttons(shown(session).page)[1][2]
            table.game.play(mv(word))
        assert table.settled() == agon.Next() and not table.is_showing
    table.commands()["page_next"]()
    assert table.mistake.ply == 1 and table.verdict == "" and table.line == ()


def test_any_move_about_as_good_is_right_too() -> None:
    table = mistakes()
    assert after(table, "k1-k2") == agon.Next(
        agon.Mode.THINKING, ask=agon.Question(agon.Player(8), "go nodes 10000", "contempt"))
    assert not table.accepts_moves
    table.heard(info(1, -2470, "f11-f10", "b1-c2"))
    assert table.answered(mv("f11-f10"), -2470) == agon.Next()
    assert table.verdict == "right" and table.mended == {0} and table.line == (mv("f11-f10"), mv("b1-c2"))
    assert agon.Texts("en").say(table.feedback).startswith("Just as good!")


def test_the_answer_to_a_move_that_is_not_much_better_is_played_and_stays() -> None:
    table = mistakes()
    after(table, "k1-k2")
    table.heard(info(1, 2400, "f11-f10"))
    assert table.answered(mv("f11-e10"), 400) == agon.Next(agon.Mode.ANIMATING, play=mv("f11-e10"), delay=600)
    assert after(table, "f11-e10") == agon.Next()
    assert (table.verdict, table.is_praise, table.mended, table.accepts_moves) == ("wrong", False, set(), False)
    assert agon.Texts("en").say(table.feedback) == "That is not much better: the answer is Qf11-e10."
    session = on_table()
    session.open(table)
    assert buttons(shown(session).page)[0] == ("page_again", "Once more", True, True) and table.onward == "page_again"
    assert "b1-c2" not in repr(shown(session).page)
    table.commands()["page_again"]()
    assert table.accepts_moves and table.game.ply == 0 and table.feedback is None


def test_the_move_of_the_game_and_a_worse_end_are_not_better() -> None:
    table = mistakes()
    assert after(table, "a5-b5") == agon.Next() and table.verdict == "wrong"
    assert table.feedback == agon.Message("mistakes_same")
    losing = "Qf4 d4 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w"
    for start, bad, better, move, verdict in ((ONE_MOVE_TO_WIN, "h5-h4", "g5-f5", "h5-g6", "right"),
                                              (losing, "d4-d5", "f4-g4", "d4-e5", "wrong")):
        game = running(bad, start=start)
        game.review = agon_ai.Review(game.game)
        game.review.question = None
        game.review.mistakes.append(agon_ai.Mistake(0, pos(start), mv(bad), "??", (mv(better),), 2400, -2900, None))
        table = agon.Mistakes(game, Tried())
        assert after(table, move) == agon.Next() and table.verdict == verdict
        said_so = agon.Texts("en").say(table.feedback)
        assert said_so == ("Just as good! h5-g6# wins at once." if verdict == "right" else said("mistakes_ended"))


@pytest.mark.parametrize("before, after", [(agon_ai.WIN - 1, 500), (900, 5 - agon_ai.WIN), (900, -900)])
def test_what_a_mistake_has_cost_is_said_in_list_and_file(before: int, after: int) -> None:
    start = pos(ONE_MOVE_TO_WIN)
    mistake = agon_ai.Mistake(0, start, mv("h5-h4"), "??", (mv("h5-g6"),), before, after, None)
    missed = before > agon_ai.SURE_WIN
    cost = agon.mistake_row(played("h5-h4", ONE_MOVE_TO_WIN), mistake, "open", ENGLISH)
    assert (cost.name, cost.mark, cost.state) == ("0", "??", "open")
    assert cost.detail == (said("cost_win", number=1) if missed else said("cost_loss") if after < -agon_ai.SURE_WIN else
                           said("cost_steps", steps="18.0"))
    what = said("comment_win", number=1) if missed else said(
        "comment_chance", before=round(100 * agon_ai.chance(before)), after=round(100 * agon_ai.chance(after)))
    assert agon.mistake_comment(ENGLISH, mistake, Rules()) == said("comment_better", what=what, move="h5-g6#")
    with_reason = mistake._replace(reason=agon_ai.Reason("home", (parse_cell("g6"),)))
    assert ("g6" in agon.mistake_comment(ENGLISH, with_reason, Rules()).replace("h5-g6", "")) == (not missed)


def test_hints_go_from_the_piece_to_the_move_and_count_as_help_with_the_second() -> None:
    for hints, state in ((1, "done"), (2, "helped")):
        table = mistakes()
        session = on_table()
        session.open(table)
        assert table.has_hint and "hint" not in shown(session).resting
        found = [table.hint() for _ in range(hints)]
        assert found[0] == agon.Next(point=parse_cell("b1"), say=agon.Message("hint_piece"))
        assert [following.show for following in found[1:]] == [mv("b1-c2")] * (hints - 1)
        table.commands()["page_again"]()  # which does not make up for help
        after(table, "b1-c2")
        assert shown(session).page.rows[0].state == state
        assert "hint" in shown(session).resting and table.hint() == agon.Next()


def test_the_solution_plays_itself_and_counts_as_help() -> None:
    table = mistakes()
    table.commands()["mistakes_solution"]()
    assert agon.Texts("en").say(table.feedback) == "Better was b1-c2."
    for word in ("b1-c2", "f11-e10", "c2-d3"):
        assert table.settled().play == mv(word)
        table.game.play(mv(word))
    assert table.settled() == agon.Next() and (table.mended, table.helped) == ({0}, {0})


def test_a_game_without_mistakes_says_so() -> None:
    session = on_table()
    session.open(mistakes((0, "a5-b5"), (0, "f11-f10"), (0, "b1-c2")))
    page = shown(session).page
    assert (page.heading, page.text, page.rows) == (said("mistakes_none"), said("mistakes_none_text"), ())
    assert [button.command for button in page.buttons] == ["page_close"]  # there are no mistakes to be saved
    assert session.table.below is None and session.table.hint() == agon.Next()


def test_of_a_game_without_mistakes_the_weakest_moves_are_the_tasks() -> None:
    session = on_table()
    table = mistakes((0, "b1-c2"), (800, "f11-f10"), (10, "f11-e10"), (-800, "b1-c2"), moves="a5-b5 f11-f10")
    session.open(table)
    page = shown(session).page
    assert (page.heading, page.text) == ("White played a5-b5.", said("mistakes_weak")) and page.task == said("mistakes_task")
    assert [(row.mark, row.detail) for row in page.rows] == [("", "cost 7.9 steps")] and table.accepts_moves
    assert [button[1] for button in buttons(page)[2:4]] == [said("weak_next"), said("weak_back")]
    after(table, "k1-k2")
    table.answered(mv("f11-f10"), 700)
    assert table.verdict == "wrong" and shown(session).page.text == ""
    table.commands()["page_again"]()
    after(table, "k1-k2")
    table.answered(mv("f11-f10"), 200)
    assert table.verdict == "right" and table.mended == {0}
    assert Game.from_text(table.written(agon.Texts("en"))).variations[0]


def test_weak_moves_are_not_shown_while_the_game_is_still_looked_through() -> None:
    table = agon.Mistakes(running("a5-b5 f11-f10"), Tried())
    looked_through(table, (0, "b1-c2"), (800, "f11-f10"), (10, "f11-e10"))
    assert table.is_looking and table.review.weak and table.tasks == []
    table.commands()["mistakes_stop"]()
    assert [task.ply for task in table.tasks] == [0]


def test_an_engine_that_fails_stops_the_look_or_lets_the_player_try_again() -> None:
    table = agon.Mistakes(running("a5-b5 f11-f10"), Tried())
    looked_through(table, *BOTH_BAD[:3])
    assert table.failed() == agon.Next() and not table.is_looking and table.feedback == agon.Message("puzzle_failed")
    after(table, "k1-k2")
    assert table.failed() == agon.Next() and table.accepts_moves and table.game.ply == 0


def test_an_engine_without_a_line_is_taken_at_its_move() -> None:
    table = agon.Mistakes(running("a5-b5"), Tried())
    table.settled()
    table.answered(mv("b1-c2"), None)
    assert table.review.scores == {0: 0}
    table.settled()
    table.heard(info(1, 2900, "f11-f10"))
    table.answered(mv("f11-e10"), 2900)
    assert table.review.question is not None  # the second look at b1-c2
    assert [str(move) for move in table.review.question.moves] == ["b1-c2"]


@pytest.mark.parametrize("language, comment", [
    ("en", "chance of winning {} % -> {} %; better b1-c2: brings a piece nearer to the throne"),
    ("de", "Gewinnchance {} % -> {} %; besser b1-c2: bringt einen Stein näher an den Thron")])
def test_the_file_has_the_mistakes_as_marks_comments_and_variations_and_the_game_stays(
        language: str, comment: str) -> None:
    table = mistakes(headers={"White": "Ada"})
    before = table.running.text()
    game = Game.from_text(table.written(agon.Texts(language)))
    shares = [round(100 * agon_ai.chance(score)) for score in (2480, -2500)]
    assert game.marks[0] == "??" and game.comments[1] == comment.format(*shares) and game.headers["White"] == "Ada"
    assert [str(move) for move in game.variations[0][0].moves] == ["b1-c2", "f11-e10", "c2-d3"]
    assert table.running.text() == before and table.running.game.marks == {}


def test_a_game_can_be_learnt_from_as_soon_as_it_has_moves() -> None:
    session = on_table()
    assert "learn_mistakes" in shown(session).resting
    session.game.play(mv("b1-c2"))
    assert "learn_mistakes" not in shown(session).resting
    at = desk("b1-c2")
    at.run("learn_mistakes")
    assert isinstance(at.session.table, agon.Mistakes) and at.session.is_lesson
    assert at.session.table.running is at.session.running


# -- progress by name --

def progress_page() -> "agon.ProgressPage":
    """The page for three pages of the tour and four puzzles, with Ada's and Ben's progress."""
    store = agon.Store(Pad())
    store.register.add("Ada", agon.Progress(helped=frozenset(("game s",))))
    store.register.add("Ada", progress_of("1 2 gone", "a b", "c gone", LOST_GAME, ("2026-12-02 08:00:00", 3, WHITE, "won", 30),
                                          ("2026-12-01 08:00:00", 1, WHITE, "drawn", 50)))
    store.register.add("ben", progress_of("1", "a"))
    return agon.ProgressPage(Game(), store, ["1", "2", "3"], ["a", "b", "c", "d"], ["game s", "game t"])


def test_the_page_of_progress_shows_all_names_and_what_the_chosen_one_has_done() -> None:
    table = progress_page()
    session = on_table()
    session.open(table)
    assert not session.may_act and table.place == "learn"
    page = shown(session, pupil="").page
    assert (page.heading, page.context, page.chosen_row) == ("Without a name", "Names on this computer: 2", "")
    assert page.text == ("Getting to know Agon: 0 of 3 tasks\nSmall games: 0 of 2 done\nPuzzles: 0 of 4 solved\n"
                         "No game against the computer finished.")
    assert [(row.name, row.text, row.detail) for row in page.rows] == [
        ("", "Without a name", "Puzzles 0 · games 0"), ("Ada", "Ada", "Puzzles 3 · games 3"),
        ("ben", "ben", "Puzzles 1 · games 0")]
    table.choose("Ada")
    assert table.store.settings.pupil == "Ada"
    page = shown(session, "de", pupil="Ada").page
    assert (page.heading, page.chosen_row) == ("Ada", "Ada")
    assert page.text == ("Agon kennenlernen: 2 von 3 Aufgaben\nKleine Spiele: 1 von 2 geschafft\n"
                         "Rätsel: 2 von 4 gelöst, mit Hilfe 1\n"
                         "Stufe 1: gewonnen 0, remis 1, verloren 0\nStufe 3: gewonnen 1, remis 0, verloren 1")
    assert buttons(page) == [
        ("progress_name", "Anderer Name …", True, True), ("progress_export", "Als CSV speichern …", True, False),
        ("progress_forget", "Name löschen …", True, False), ("page_close", "Zurück zum Spiel", True, False)]
    clear = ("progress_forget", "Delete progress …")
    assert buttons(shown(session, pupil="").page)[2] == (*clear, False, False)
    table.store.register.add("", progress_of("1"))
    assert buttons(shown(session, pupil="").page)[2] == (*clear, True, False)


def test_progress_counts_what_the_classroom_has() -> None:
    at = desk()
    at.run("progress")
    table = at.session.table
    tour, puzzles, games = (agon.read_lessons(f"{name}.agon")[0] for name in ("tour", "puzzles", "games"))
    assert table.pages == {str(page.start) for page in tour if page.kind == "tour" and page.goals}
    assert table.puzzles == {str(page.start) for page in puzzles if page.kind == "puzzle"}
    assert len(table.small_games) == sum(page.kind == "game" for page in games)


def test_a_name_is_deleted_only_after_a_question_that_says_what_goes_with_it() -> None:
    at = desk()
    at.run("progress")
    at.run("progress_forget")
    assert at.dialogs.asked == []  # there is no name yet
    at.store.register.add("Ada", progress_of("1", "a", "b", LOST_GAME))
    at.session.table.choose("Ada")
    at.run("progress_forget")
    asked = at.dialogs.asked[-1]
    assert asked.question == said("ask_forget_name", name="Ada", solved=3, games=1) and asked.yes == "delete"
    assert not asked.is_safe and "Ada" in at.session.table.names()
    asked.on_yes()
    assert at.session.table.names() == [""] and at.settings.pupil == ""


def test_what_was_done_without_a_name_can_be_deleted_for_the_next_class(home: Path) -> None:
    home.mkdir()
    (home / "settings.json").write_text('{"solved": ["a"], "newer": 1}', "utf-8")
    at = desk()
    at.store.note(solved="b")
    at.run("progress")
    at.run("progress_forget")
    asked = at.dialogs.asked[-1]
    assert asked.question == said("ask_forget_nameless", solved=2, games=0) and not asked.is_safe
    asked.on_yes()
    at.store._writer.flush()
    assert at.store.progress == agon.Progress()
    store, _pad = a_store()
    assert store.progress == agon.Progress() and stored(home)["newer"] == 1 and "solved" not in stored(home)


def test_a_new_name_is_tidied_chosen_and_seen_at_once() -> None:
    at = desk()
    at.run("progress")
    at.run("progress_name")
    at.dialogs.asked[-1].on_done("  Cleo \n")
    assert at.settings.pupil == "Cleo" and at.session.table.names() == ["", "Cleo"]


# -- the tournament of a class --

@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with two programs, one whose interpreter is missing, and other things."""
    folder = tmp_path / "programs of mine"
    (folder / "data.py").mkdir(parents=True)
    for name in ("Bee.py", "ant.py", "cat.js", "notes.txt", ".hidden.py", "_part.py"):
        (folder / name).write_text("", "utf-8")
    return folder


def test_the_folder_of_a_tournament_is_kept_and_looked_into_whenever_its_page_is_opened(
        programs: Path, home: Path) -> None:
    session, store, dialogs, thinker = on_table(), agon.Store(Pad()), Dialogs(), Answering()
    setattr(dialogs, "choose_folder", lambda _before: str(programs))
    commands = agon.TournamentCommands(session, store, thinker, dialogs, ENGLISH,
                                       lambda action, *values: action(*values), print, bool)
    assert not commands.is_running
    commands.open()
    assert session.table is commands.table and "hopper.py" in commands.table.programs and not store.settings.is_new
    commands.choose_folder()
    assert list(commands.table.programs) == ["ant.py", "Bee.py", "cat.js"] and store.settings.tournament_folder == str(programs)
    (programs / "cow.py").write_text("", "utf-8")
    commands.open()
    assert list(commands.table.programs) == ["ant.py", "Bee.py", "cat.js", "cow.py"]
    commands.start()
    asked, = thinker.asked
    assert commands.is_running and list(asked.question.player.program[:len(agon.OWN_PROGRAM)]) == list(agon.OWN_PROGRAM)
    commands.choose_folder()
    commands.open()
    assert commands.table.is_running, "what is being played goes on"
    commands.stop()
    assert thinker.done[-1] == "hurry"


def test_a_tournament_says_when_it_has_no_place_and_when_no_browser_shows_its_page(
        programs: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, thinker, shown_pages = on_table(), Answering(), []
    commands = agon.TournamentCommands(session, agon.Store(Pad()), thinker, Dialogs(), ENGLISH,
                                       lambda action, *values: action(*values), print, shown_pages.append)
    commands.start()
    commands.stop()
    commands.show_page()
    assert thinker.asked == [] and shown_pages == []
    commands.open()
    with monkeypatch.context() as patch:
        patch.setattr(agon, "user_path", lambda _name: str(programs / "ant.py" / "below a file"))
        commands.start()
    assert not commands.is_running and thinker.asked == [] and session.is_refusal
    assert ENGLISH.say(session.message).startswith(said("tournament_no_place", reason="").rstrip(". ")[:20])
    commands.start()
    assert commands.is_running and len(thinker.asked) == 1
    commands.show_page()
    page_path, = shown_pages
    assert page_path.startswith("file://") and page_path.endswith(".html")
    assert ENGLISH.say(session.message) == said("say_no_browser", name=agon.shown_name(commands.table.page_path))


def test_the_programs_of_a_folder_are_the_files_that_can_be_started(programs: Path) -> None:
    assert agon_ai.programs_in(str(programs)) == ["ant.py", "Bee.py", "cat.js"]
    if os.name == "posix":
        for name in ("dog", "eel"):
            (programs / name).write_text("", "utf-8")
        (programs / "dog").chmod(0o755)
        assert agon_ai.programs_in(str(programs)) == ["ant.py", "Bee.py", "cat.js", "dog"]


def tournament_page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> "agon.ClassTournament":
    monkeypatch.setattr(agon, "missing_file", lambda command: "node" if command[0] == "node" else None)
    return agon.ClassTournament(str(folder))


def test_who_takes_part_in_a_tournament_is_ticked(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tournament_page(programs, monkeypatch)
    session = on_table()
    session.open(table)
    page = shown(session).page
    assert page.context == "Programs of the folder programs of mine" and not session.may_act
    assert [(row.text, row.detail, row.state) for row in page.rows][:5] == [
        ("ant.py", "", "on"), ("Bee.py", "", "on"), ("cat.js", "node is missing here", ""),
        ("Level 1", "a first game", "on"), ("Level 2", "slips rarely", "off")]
    assert len(page.rows) == 3 + len(agon_ai.LEVELS)
    assert page.note == "3 take part, which makes 6 games." and buttons(page)[0][2]
    for name in ("program cat.js", "program gone.py", "level 1", "level 3", "rounds_2", "time_500"):
        table.choose(name)
    page = shown(session, "de").page
    assert page.note == "3 spielen mit, das sind 12 Partien." and page.chosen == "rounds_2 time_500"
    assert page.chosen_row == "level 3"
    assert [label for _, label in page.choices[1][1]] == ["0,1", "0,5", "2"]
    assert table.players() == [str(programs / "ant.py"), str(programs / "Bee.py"), "level3"]
    monkeypatch.setattr(agon.os, "cpu_count", lambda: 4)
    page_path = str(programs / "turnier.html")
    options = agon_ai._parser().parse_args(table.arguments(page_path, "de"))
    assert (options.engines, options.live, options.page, options.language, options.rounds, options.movetime,
            options.jobs) == (table.players(), True, page_path, "de", 2, 500, 2)
    for name in ("program ant.py", "level 3"):
        table.choose(name)
    page = shown(session, "de").page
    assert page.note == "Wähl mindestens zwei aus." and not buttons(page)[0][2]


def test_a_folder_without_programs_or_that_is_gone_is_told(tmp_path: Path) -> None:
    table = agon.ClassTournament(str(tmp_path))
    assert "kein Programm" in table.page(agon.Texts("de"), agon.Settings()).feedback
    table.look_into(str(tmp_path / "gone"))
    assert table.page(ENGLISH, agon.Settings()).feedback == (
        "This folder cannot be read (there is no such file or folder).")
    assert table.programs == {}


def played_tournament(folder: Path, monkeypatch: pytest.MonkeyPatch) -> "agon.ClassTournament":
    """A tournament of which one game has been won, one lost by an error, and one is being played."""
    table = tournament_page(folder, monkeypatch)
    table.begin(str(folder / "t.html"))
    lines: List[str] = []
    ticker = agon_ai.Ticker(lines.append)
    ticker.begin([agon_ai.EngineFailure("missing", who="x.py", reason="soup")],
                 [agon_ai.Contestant(name, ("x",), (), "go", 1.0) for name in ("Ant", "Bee")], 4)
    for number, failure in enumerate((None, agon_ai.EngineFailure("ended", who="Bee"))):
        game = played("a5-b5 d1-e2" if number else "a5-b5")
        game.resign(WHITE if number else BLACK)
        ticker.finish(agon_ai.Pairing(0, 1, number), agon_ai.MatchGame(1.0, "", game, failure), str(folder / "a.agon"))
    ticker.watch(agon_ai.Pairing(0, 1, 2), played("b1-c2"))
    for line in lines:
        table.hear(line)
    return table


def test_the_page_of_a_tournament_in_the_window_shows_table_games_and_who_is_missing(
        programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = played_tournament(programs, monkeypatch)
    session = on_table("k1-k2")
    session.open(table)
    view = shown(session)
    page = view.page
    assert view.is_wide and page.context == "2 of 4 games played"
    assert page.table == (("no", "name", "1", "2", "points", "won", "drawn", "lost", "errors"),
                          ("1", "Ant", "", "2", "2", "2", "0", "0", "0"), ("2", "Bee", "0", "", "0", "0", "0", "2", "1"))
    assert [row[:4] for row in page.rows] == [
        ("", "Always a game being played", "", ""), ("1-2-003", "Ant – Bee", "1-2-003 · playing", ""),
        ("1-2-002", "Bee – Ant", "1-2-002 · 0-1", "!"), ("1-2-001", "Ant – Bee", "1-2-001 · 1-0", "")]
    assert page.feedback == "Does not take part: x.py cannot be started: soup."
    assert (page.heading, page.text, page.chosen_row) == ("Ant – Bee", "Game 1-2-003, move 1", "")
    assert session.game.moves == (mv("b1-c2"),) and session.running.game.moves == (mv("k1-k2"),)
    assert [button[0] for button in buttons(page) if not button[2]] == ["tournament_open"]
    table.hear("move 1-2-003 d1-e2")
    assert shown(session).picture.last == mv("d1-e2")
    table.choose("1-2-002")
    page = shown(session, "de").page
    assert (page.heading, page.text) == ("Bee – Ant", "Partie 1-2-002: 0-1\nBee hat sich beendet")
    assert page.chosen_row == "1-2-002" and all(button[2] for button in buttons(page))


def test_the_game_that_is_watched_can_be_leafed_through_and_goes_on_at_its_end(
        programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = played_tournament(programs, monkeypatch)
    assert table.shown == agon_ai.Pairing(0, 1, 2)
    table.commands()["previous"]()
    assert table.game.moves == () and table.watched == agon_ai.Pairing(0, 1, 2)
    table.hear("move 1-2-003 d1-e2")
    assert table.game.moves == (), "who looks back stays there"
    table.commands()["last"]()
    table.hear("move 1-2-003 c2-c3")
    assert len(table.game.moves) == 3
    table.commands()["previous"]()
    assert len(table.game.moves) == 2
    table.commands()["first"]()
    table.commands()["next"]()
    assert table.game.moves == (mv("b1-c2"),)
    table.choose("")
    assert len(table.game.moves) == 3 and table.watched is None


def test_the_end_of_a_tournament_names_the_winner_and_one_that_was_cut_says_so(
        programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = played_tournament(programs, monkeypatch)
    table.stop()
    assert not buttons(table.page(ENGLISH, agon.Settings()))[0][2]
    table.end()
    page = table.page(ENGLISH, agon.Settings())
    assert (page.heading, page.context) == ("In the lead: Ant", "Ended after 2 of 4 games")
    assert page.rows[0][:3] == ("1-2-003", "Ant – Bee", "1-2-003 · broken off")
    assert buttons(page)[0] == ("tournament_new", "New tournament", True, True) and page.rows[0].name == "1-2-003"
    table.tournament.count = 2
    assert table.page(agon.Texts("de"), agon.Settings()).heading == "Gewonnen: Ant"
    table.end(agon.Message.of("fail_ended_with", who="x", last={"en": "soup", "de": "Suppe"}))
    assert table.page(agon.Texts("de"), agon.Settings()).feedback.startswith("x hat sich beendet: Suppe.\n")
    table.clear()
    assert table.tournament is None and table.commands() == {} and table.game.moves == ()
    alone = tournament_page(programs, monkeypatch)
    alone.begin("/x/t.html")
    assert alone.page(ENGLISH, agon.Settings()).context == "The programs are being started …"
    alone.hear("count 0")
    assert "at least two that can be started" in alone.page(ENGLISH, agon.Settings()).feedback


@pytest.mark.parametrize("room, columns", [
    (1000, "0 1 2 3 4 5 6 7 8"), (260, "0 1 2 3 4 8"), (210, "0 1 2 3 4"), (200, "0 1 4 8"),
    (150, "0 1 4"), (10, "0 1 4")])
def test_a_crosstable_shows_the_columns_that_there_is_room_for(room: int, columns: str) -> None:
    widths = (30, 80, 30, 30, 40, 40, 40, 40, 40)  # number, name, two players, and five counts
    assert " ".join(map(str, agon.columns_with_room(widths, 2, room))) == columns


@pytest.mark.parametrize("language, mark, name", [("de", ";", "Stufe 3 verloren"), ("en", ",", "Level 3 lost")])
def test_the_table_for_the_teacher_has_a_line_for_each_name(language: str, mark: str, name: str) -> None:
    pupils = {**progress_page().store.register.pupils, "=1+1": agon.Progress(), f'A{mark} "B"': agon.Progress()}
    lines = agon.progress_csv(pupils, agon.Texts(language)).splitlines()
    assert lines[0].split(mark)[:5] == [
        said(key, language) for key in ("csv_name", "csv_tour", "csv_small", "csv_solved", "csv_helped")]
    ada = dict(zip(lines[0].split(mark), next(line for line in lines if line.startswith("Ada")).split(mark)))
    assert list(ada.values())[:5] == ["Ada", "3", "1", "2", "2"] and ada[name] == "1"
    assert list(ada.values())[-1] == "2026-12-02 08:00:00" and len(lines) == 5
    assert lines[1].startswith("'=1+1" + mark) and lines[2].startswith(f'"A{mark} ""B"""{mark}0{mark}')
    assert len({line.count(mark) for line in (lines[0], lines[1], lines[3], lines[4])}) == 1


def test_pages_of_the_tour_that_are_done_are_noted(classroom: Path) -> None:
    store = agon.Store(Pad())
    tour = agon.Tour(agon.read_lessons("tour.agon")[0], Tried(), store)
    tour.step = 1
    assert store.progress.pages == frozenset()
    after(tour, "d4-e5")
    assert store.progress.pages == {str(tour.lesson.start)}


def set_up(text: str = "/ w") -> "agon.SetUp":
    return agon.SetUp(pos(text), Tried())


def standing(table: "agon.Table") -> str:
    return str(table.position)


def test_pieces_are_placed_and_taken_away_by_the_tool_chosen() -> None:
    table = set_up()
    assert table.place == "analysis" and not table.is_picked_by_click and table.accepts_moves
    for tool, cell, expected in (("tool_white_guard", "a1", "a1 / w"), ("tool_black_guard", "b2", "a1 / b2 w"),
                                 ("tool_white_queen", "f6", "Qf6 a1 / b2 w"), ("tool_black_guard", "a1", "Qf6 / a1 b2 w"),
                                 ("tool_black_queen", "b2", "Qf6 / Qb2 a1 w"), ("tool_black_queen", "b2", "Qf6 / a1 w"),
                                 ("tool_black_guard", "a1", "Qf6 / w"), ("tool_remove", "f6", "/ w"),
                                 ("tool_remove", "f6", "/ w")):
        table.choose(tool)
        assert table.click(parse_cell(cell)) is None
        assert standing(table) == expected


def test_pieces_are_moved_by_dragging_and_vanish_beside_the_board() -> None:
    table = set_up("Qf6 a1 / Qb2 w")
    for source, target, expected in (("a1", "c3", "Qf6 c3 / Qb2 w"), ("b2", "f6", "c3 / Qf6 w"),
                                     ("c3", "c3", "c3 / Qf6 w"), ("f6", "", "c3 / w")):
        assert table.drop(parse_cell(source), parse_cell(target) if target else None, None)
        assert standing(table) == expected
    assert table.attempt == []


def test_all_pieces_may_be_picked_in_the_set_up_and_none_has_targets() -> None:
    table = set_up("Qf6 a1 / Qb2 b")
    assert table.movable() == cells("f6 a1 b2") and table.targets(parse_cell("b2")) == frozenset()
    assert table.may_pick(parse_cell("a1")) and not table.may_pick(parse_cell("a2"))


def test_what_cannot_stand_on_a_cell_is_refused_in_the_language_chosen() -> None:
    table = set_up()
    table.is_praise = True
    table.click(THRONE)
    assert standing(table) == "/ w" and not table.is_praise
    session = on_table()
    session.open(table)
    assert "only a queen may stand on the throne" in shown(session).page.feedback
    assert "Nur eine Königin" in shown(session, "de").page.feedback
    table.click(parse_cell("a1"))
    assert table.feedback is None and shown(session).page.feedback == ""


def test_changes_of_the_set_up_can_be_taken_back() -> None:
    table = set_up("Qf2 a1 / Qf10 b")
    before = standing(table)
    assert "undo" not in table.commands()
    table.commands()["setup_turn"]()
    assert standing(table) == "Qf2 a1 / Qf10 w"
    table.commands()["setup_clear"]()
    assert standing(table) == "/ w"
    table.commands()["setup_start"]()
    assert table.position == Position.start()
    for expected in ("/ w", "Qf2 a1 / Qf10 w", before):
        table.commands()["undo"]()
        assert standing(table) == expected
    assert "undo" not in table.commands()


def test_to_play_on_each_side_needs_a_piece() -> None:
    for text, is_ready in (("Qf2 / b7 w", True), ("Qf2 / w", False), ("/ b7 w", False)):
        table = set_up(text)
        assert table.is_ready() == is_ready
        assert table.feedback == (None if is_ready else agon.Message("setup_incomplete"))


def test_the_page_of_the_set_up_shows_tools_turn_and_what_can_be_done() -> None:
    session = on_table()
    table = set_up("Qf2 / b7 b")
    session.open(table)
    table.choose("tool_black_queen")
    page = shown(session).page
    assert page == agon.PageView(
        "Set up a position", "Black to move", heading="What should a click do?", text=said("setup_text"),
        choices=(("White", (("tool_white_guard", "guard"), ("tool_white_queen", "queen"))),
                 ("Black", (("tool_black_guard", "guard"), ("tool_black_queen", "queen"))),
                 ("", (("tool_remove", "take away"),))), chosen="tool_black_queen", buttons=page.buttons)
    assert buttons(page) == [
        ("setup_play", "Play on", True, True), ("setup_turn", "Change turn", True, False),
        ("undo", "Undo", False, False), ("setup_clear", "Clear", True, False),
        ("setup_start", "Start", True, False), ("exercise", "As exercise …", True, False),
        ("save_as", "Save as …", True, False), ("page_close", "Cancel", True, False)]
    assert {name for _, tools in page.choices for name, _ in tools} == set(table.TOOLS)
    table.click(parse_cell("a1"))
    assert buttons(shown(session).page)[2] == ("undo", "Undo", True, False)


# -- exercises of one's own --

RACE = "Qf3 d3 h3 / Qf9 d7 h7 w"


@pytest.mark.parametrize("goal", agon.EXERCISE_GOALS["game"] if agon else ())
@pytest.mark.parametrize("moves, has_rival", [(0, False), (7, False), (1, True)])
def test_every_small_game_that_can_be_made_is_read_again_with_its_texts_in_both_languages(
        goal: str, moves: int, has_rival: bool) -> None:
    exercise = agon.Exercise("game", goal, moves, has_rival, 4)
    if goal == "hold" and not moves:
        assert exercise.problem(pos(RACE)) == agon.Message("exercise_endless")
        return
    assert exercise.problem(pos(RACE)) is None
    lesson = page(exercise.text(pos(RACE), 3))
    assert (lesson.kind, " ".join(lesson.goals), lesson.moves, lesson.level, lesson.start) == (
        "game", goal, moves, 4, pos(RACE))
    assert " ".join(lesson.rival) == ("home" if goal == "hold" else goal if has_rival else "")
    assert lesson.title == {"de": "Eigenes kleines Spiel 3", "en": "Own small game 3"}
    for language, first in (("de", "Sei schneller als Schwarz."), ("en", "Be faster than Black.")):
        task = lesson.task[language]
        assert task.endswith(".") and "  " not in task and " ." not in task and "{" not in task
        assert (first in task) == (has_rival and goal != "hold")
    assert ("in 7 Zügen" in lesson.task["de"] or "nächsten 7 Zügen" in lesson.task["de"]) == (moves == 7)


def test_own_words_of_an_exercise_stand_in_its_file_and_a_puzzle_needs_none() -> None:
    for kind, goal in (("game", "home"), ("puzzle", "trap")):
        own = page(agon.Exercise(kind, goal, 3, title="My  title", task="Do it").text(pos(SHOWN), 1))
        assert own.title == {"de": "My title", "en": "My title"} and own.task == {"de": "Do it", "en": "Do it"}
    silent = page(agon.Exercise("puzzle", "trap", 1).text(pos(SHOWN), 1))
    assert silent.title == silent.task == {}


@pytest.mark.parametrize("goal, position, moves, solution", [
    ("trap", "Qf2 d4 c5 h4 / Qf10 d5 g8 w", 0, "c5-d6 d4-e5"), ("trap_two", TRAP_TWO, 1, "c4-d4"),
    ("win", ONE_MOVE_TO_WIN, 1, "h5-g6"), ("win", BLACK_WINS_IN_TWO, 2, None),
    ("safe", "Qf1 e5 / Qf11 e6 d3 w", 0, None)])
def test_a_puzzle_that_is_made_has_its_solution_with_it(
        goal: str, position: str, moves: int, solution: Optional[str]) -> None:
    exercise = agon.Exercise("puzzle", goal, moves)
    assert exercise.problem(pos(position)) is None
    lesson = page(exercise.text(pos(position), 1))
    assert (lesson.kind, lesson.goals, lesson.moves) == ("puzzle", (goal,), moves or 1)
    assert lesson.title == lesson.task == {}
    assert lesson.solution and solution in (None, " ".join(sorted(map(str, lesson.solution))))


def test_own_words_stand_in_both_languages_on_one_line() -> None:
    exercise = agon.Exercise(title='  Ein "Test"\n von mir', task="Zieh!")
    lesson = page(exercise.text(pos(RACE), 1))
    assert lesson.title == dict.fromkeys(("de", "en"), 'Ein "Test" von mir') and lesson.task["en"] == "Zieh!"


@pytest.mark.parametrize("kind, goal, moves, position, problem", [
    ("game", "throne", 0, "Qf3 / w", "unplayable"), ("game", "throne", 0, "/ Qf9 w", "unplayable"),
    ("game", "trap", 0, "Qf6 e5 e6 f5 f7 g5 g6 / Qf11 b", "unplayable"), ("puzzle", "win", 4, RACE, "long"),
    ("game", "throne", 0, "d3 / Qf9 w", "no_queen"), ("game", "trap_queen", 0, "Qf3 d3 / d7 w", "no_queen"),
    ("game", "hold", 3, "Qf3 d3 / d7 w", "no_queen"), ("puzzle", "trap", 1, RACE, "unsolvable"),
    ("puzzle", "win", 3, RACE, "unsolvable")])
def test_of_a_position_that_does_not_fit_no_exercise_is_made_and_it_is_said_why(
        kind: str, goal: str, moves: int, position: str, problem: str) -> None:
    found = agon.Exercise(kind, goal, moves).problem(pos(position))
    assert found is not None and found.key == "exercise_" + problem
    assert agon.Exercise("game", "trap_queen", 0, True).problem(pos("d3 / Qf9 w")).key == "exercise_no_queen"


@pytest.mark.parametrize("name, file_name", [
    ("mine", "mine.agon"), (" mine.agon ", "mine.agon"), ("", "exercises.agon"), ("../../x", "x.agon"),
    ("a/b\\c:d", "abcd.agon"), ("...", "exercises.agon"), (".agon", "agon.agon"), ("Übung 1\n", "Übung 1.agon")])
def test_the_file_of_an_exercise_always_lies_in_the_classroom(
        at_files: Callable[..., "FileDesk"], name: str, file_name: str) -> None:
    assert at_files().exercises.file_name(name) == file_name


def test_an_exercise_is_saved_added_to_its_file_after_a_question_and_then_stands_in_the_menu(
        at_files: Callable[..., "FileDesk"], classroom: Path) -> None:
    at = at_files("b1-c2")
    at.run("set_up")
    at.session.table.change(pos(RACE))
    at.run("exercise")
    asked = at.dialogs.asked.pop()
    assert asked.before == agon.Exercise(name="exercises")
    asked.on_done(agon.Exercise("game", "home", 20, True, 3, name="mine"))
    at.saved()
    assert at.dialogs.asked == []
    assert agon.Texts("en").say(at.session.message) == said("say_exercise_saved", name="mine")
    first = (classroom / "mine.agon").read_text("utf-8")
    assert at.lesson_commands.own_pages(agon.Texts("en")) == [("mine.agon", "mine")]
    at.run("exercise")
    assert at.dialogs.asked.pop().before.goal == "home"  # what was chosen last is proposed
    at.exercises.take(agon.Exercise("game", "throne", name="mine.agon"))
    question = at.dialogs.asked.pop()
    assert question.question == "mine.agon holds exercises already (1). Add this one?"
    assert (classroom / "mine.agon").read_text("utf-8") == first  # nothing is written before the answer
    question.on_yes()
    at.saved()
    assert (classroom / "mine.agon").read_text("utf-8").startswith(first.rstrip())
    lessons, error = agon.read_lessons("mine.agon")
    assert error is None and [(lesson.goals, lesson.title["en"]) for lesson in lessons] == [
        (("home",), "Own small game 1"), (("throne",), "Own small game 2")]
    at.lesson_commands.open_own("mine.agon")
    assert isinstance(at.session.table, agon.SmallGames) and at.session.running.game.ply == 1


def test_a_file_of_the_program_a_broken_one_and_a_game_are_left_alone_when_an_exercise_is_saved(
        at_files: Callable[..., "FileDesk"], classroom: Path) -> None:
    at = at_files()
    at.run("set_up")
    texts = {"puzzles": PUZZLES, "broken": PUZZLES.replace('"trap_two"', '"trap_too"', 1), "game": "1. a5-b5 *\n"}
    for name, text in texts.items():
        (classroom / f"{name}.agon").write_text(text, "utf-8")
        at.exercises.take(agon.Exercise(name=name))
        asked = at.dialogs.asked.pop()
        assert (asked.yes, asked.no) == ("change_it", "cancel") and f"{name}.agon" in asked.question
        assert (classroom / f"{name}.agon").read_text("utf-8") == text
    asked.on_yes()
    assert at.dialogs.asked.pop().before.name == "game"  # the dialog comes back as it was
    at.exercises.take(agon.Exercise("puzzle", "trap", name="new"))
    assert at.dialogs.asked.pop().question == said("exercise_unsolvable") and not (classroom / "new.agon").exists()


def test_an_exercise_can_be_saved_elsewhere_when_the_classroom_takes_no_file(
        at_files: Callable[..., "FileDesk"], classroom: Path, tmp_path: Path) -> None:
    def write(path: str, content: Any) -> None:
        if "classroom" in path:
            raise AgonError("write_protected")
        agon.write_file(path, content)

    at = at_files(write=write)
    at.run("set_up")
    at.exercises.take(agon.Exercise(name="mine"))
    at.saved()
    at.dialogs.path = str(tmp_path / "mine.agon")
    at.dialogs.asked.pop().on_yes()
    at.saved()
    assert agon_core.load_lessons(at.dialogs.path)[0].goals == ("throne",)
    assert at.dialogs.chosen == [("agon", True, "mine.agon")]


@pytest.mark.parametrize("name", ["tour.agon", "puzzles.agon"])
def test_the_collections_beside_the_program_can_be_read_and_opened(name: str) -> None:
    lessons, error = agon.read_lessons(name)
    assert error is None and len(lessons) > 5
    table = agon.Tour(lessons, Tried()) if name == "tour.agon" else agon.PuzzleBook(lessons, Tried(), agon.Store(Pad()))
    session = on_table()
    session.open(table)
    for number in range(len(lessons)):
        table.open(number)
        for language in ("de", "en"):
            page = shown(session, language).page
            assert page.title and page.text and page.heading, (number, language)
            assert bool(page.task) == bool(table.lesson.goals)


# -- small games --

def open_small(number: int = 0, **changes: Any) -> Tuple["agon.Session", "agon.SmallGames"]:
    """A session with a small game open, with other values than its file has where they are given."""
    lessons = [lesson._replace(**changes) for lesson in agon.read_lessons("games.agon")[0]]
    games = agon.SmallGames(lessons, Tried(), agon.Store(Pad()))
    games.open(number)
    session = on_table("b1-c2")
    session.open(games)
    return session, games


@pytest.mark.parametrize("moves, words", [(3, "3 moves left."), (2, "2 moves left."), (1, "One move left!")])
def test_how_many_moves_are_left_of_a_small_game_is_said(classroom: Path, moves: int, words: str) -> None:
    _session, games = open_small(moves=moves)
    assert games.task(ENGLISH).endswith(words)


@pytest.mark.parametrize("goals, rival, words", [
    (("trap",), (), ""), (("trap",), ("home",), ""), (("trap", "trap"), (), "Done: 0."),
    (("trap",), ("trap", "trap"), "The score is 0 : 0.")])
def test_how_far_a_small_game_of_several_goals_has_come_is_said(
        classroom: Path, goals: Tuple[str, ...], rival: Tuple[str, ...], words: str) -> None:
    _session, games = open_small(goals=goals, rival=rival, moves=0)
    told = games.task(ENGLISH)
    assert told.endswith(words) and ("Done" in told or "score" in told) == bool(words)


def asks(level: int, go: str = "go", **more: Any) -> "agon.Next":
    return agon.Next(agon.Mode.THINKING, ask=agon.Question(agon.Player(level), go), **more)


def test_a_small_game_is_played_against_the_level_that_the_file_proposes_until_its_goal_is_reached(
        classroom: Path) -> None:
    session, games = open_small()
    assert (games.place, games.side, games.below, games.accepts_moves) == ("learn", WHITE, WHITE, True)
    assert games.settled() == agon.Next() and games.onward == ""
    assert after(games, "f4-f5") == asks(3) and not games.accepts_moves and games.has_hint
    page = shown(session).page
    assert (page.feedback, page.is_neutral) == (said("computer_turn"), True)
    assert games.answered(mv("f11-f10"), 5) == agon.Next(play=mv("f11-f10"))
    assert after(games, "f11-f10") == agon.Next() and games.accepts_moves
    assert shown(session).page.task == "You are White. Task one en One move left!"
    assert after(games, "f5-f6") == agon.Next() and not games.accepts_moves
    assert games.is_solved and games.store.progress.solved == {games.key} and games.key.startswith("game ")
    page = shown(session).page
    assert (page.feedback, page.is_praise, page.task) == ("Well done! Praise one en", True, "You are White. Task one en")
    assert buttons(page) == [
        ("puzzle_next", "Next small game ›", True, True), ("small_higher", "Once more, level 4", True, False),
        ("page_again", "Once more", True, False), ("puzzle_shelf", "‹ All small games", True, False),
        ("page_close", "Back to the game", True, False)]
    assert games.onward == "puzzle_next" and session.running.game.ply == 1  # the game of before waits
    games.commands()["puzzle_next"]()
    assert games.number == 1 and games.is_open and games.side == BLACK == games.below


def test_a_small_game_that_is_missed_says_why_and_can_be_taken_back_repeated_or_made_easier(classroom: Path) -> None:
    session, games = open_small()
    for move in "f4-f5 f11-f10 f5-g5".split():
        after(games, move)
    page = shown(session).page
    assert (page.feedback, page.is_praise, page.is_neutral) == ("The 2 moves are used up. Wrong one en", False, False)
    assert buttons(page) == [
        ("page_again", "Once more", True, True), ("undo", "Take back move", True, False),
        ("small_lower", "Easier: level 2", True, False), ("puzzle_next", "Skip ›", True, False),
        ("puzzle_shelf", "‹ All small games", True, False), ("page_close", "Back to the game", True, False)]
    assert games.onward == "page_again" and not games.accepts_moves and games.store.progress.solved == frozenset()
    assert games.commands()["undo"]() == {parse_cell("f5"): parse_cell("g5")}
    assert games.settled() == agon.Next() and games.accepts_moves and shown(session).page.feedback == ""
    after(games, "f5-f6")
    assert shown(session, "de").page.feedback == "Mit Hilfe geschafft. Praise one de"
    assert games.store.progress.helped == {games.key} and games.states() == ["helped", "open", "open"]
    games.commands()["page_again"]()
    assert games.game.ply == 0 and not games.was_helped and games.level == 3
    games.commands()["small_lower"]()
    assert games.level == 2 and games.game.ply == 0


def test_a_small_game_that_ends_as_a_game_does_says_so(classroom: Path) -> None:
    session, games = open_small(moves=0)
    for move in 2 * "f4-g4 f11-g10 g4-f4 g10-f11 ".split():
        after(games, move)
    assert games.is_over and shown(session).page.feedback == "The same position for the third time. Wrong one en"


def test_taking_back_in_a_small_game_goes_back_to_the_players_own_turn(classroom: Path) -> None:
    _session, games = open_small(1)
    assert "undo" not in games.commands()
    for move in "f9-f8 f4-f5".split():
        after(games, move)
    assert games.commands()["undo"]() == {parse_cell("f9"): parse_cell("f8"), parse_cell("f4"): parse_cell("f5")}
    assert games.game.ply == 0 and games.position.turn == BLACK
    after(games, "f9-f8")
    assert games.settled() == asks(games.store.settings.level)  # the file proposes none
    games.commands()["undo"]()  # while the computer thinks
    assert games.game.ply == 0


def test_the_other_side_may_be_faster_in_a_small_game_and_giving_up_ends_it(classroom: Path) -> None:
    session, games = open_small(1)
    for move in "f9-f8 f4-f5 f8-f7 f5-f6".split():
        after(games, move)
    assert shown(session).page.feedback == "White was faster. Wrong two en"
    games.open(1)
    assert games.is_solved is False and games.accepts_moves
    games.commands()["resign"]()
    assert games.settled() == agon.Next() and games.is_over and "resign" not in games.commands()
    assert shown(session, "de").page.feedback == "Du hast aufgegeben. Wrong two de"
    assert "resign" in agon.resting_commands(session, None) and "undo" in agon.resting_commands(session, None)
    session, games = open_small(2)
    assert shown(session).page.task == "You are White. Task three en The score is 0 : 0."
    after(games, "d4-e5")
    assert shown(session).page.task.endswith("The score is 1 : 0.") and games.settled() == asks(8)
    assert shown(session).page.feedback == said("computer_turn")


def test_a_side_that_cannot_move_passes_in_a_small_game_and_who_is_trapped_is_told_what_to_do(classroom: Path) -> None:
    (classroom / "games.agon").write_text("\n".join((
        small_leaf("pass", Goal="trap", Position="Qf6 / Qf9 w"),
        small_leaf("trapped", Goal="trap", Position="Qf1 e5 / Qf11 e4 e6 w"))), "utf-8")
    session, games = open_small()
    assert games.settled() == agon.Next(agon.Mode.ANIMATING, play=PASS, delay=agon.PASS_MS,
                                        say=agon.Message.of("say_pass", side=WHITE))
    after(games, "--")
    after(games, "f9-f8")
    assert "undo" not in games.commands()  # a pass cannot be taken back by the player: it would be made again
    games.open(1)
    page = shown(session).page
    assert (page.feedback, page.is_neutral) == (f"Your guard is trapped. {said('task_guard')}", True)


def test_a_hint_in_a_small_game_forces_the_goal_if_that_can_be_seen_and_else_comes_from_the_engine(
        classroom: Path) -> None:
    session, games = open_small()
    assert games.hint() == agon.Next(show=mv("f4-f5"), say=agon.Message.of("small_hint_2", move="Qf4-f5"))
    assert games.was_helped
    after(games, "f4-f5")
    assert games.hint() == agon.Next()  # it is not the player's turn
    after(games, "f11-f10")
    assert games.hint() == agon.Next(show=mv("f5-f6"), say=agon.Message.of("small_hint_1", move="Qf5-f6"))
    games.open(1)
    assert not games.was_helped
    assert games.hint() == asks(8, "go movetime 1000", say=agon.Message("say_thinking"))
    assert games.answered(mv("f9-f8"), None).show == mv("f9-f8")
    after(games, "f9-f8")
    assert games.failed() == agon.Next(take_back=True)  # the engine has ended: the move can be made again
    assert shown(session).page.feedback == said("puzzle_failed")
    (classroom / "games.agon").write_text(small_leaf("full", Goal="inwards inwards"), "utf-8")
    _session, games = open_small()  # two steps are easily forced, but with all pieces it takes too long to see that
    assert games.hint() == asks(8, "go movetime 1000", say=agon.Message("say_thinking"))


def test_small_games_stand_on_a_shelf_and_the_level_can_be_chosen_there_and_while_one_plays(classroom: Path) -> None:
    session, games = open_small()
    games.store.note(solved="game throne Qf4 / Qf9 b")
    games.store.note(solved="game trap Qf4 d4 / Qf11 h7 w")  # another game with the first one's position
    games.commands()["puzzle_shelf"]()
    view = shown(session)
    assert [(title, count, [(tile.number, tile.moves, tile.state, tile.title) for tile in tiles])
            for title, count, tiles in view.shelf.groups] == [
        ("Small games", "1 of 3", [(0, 0, "open", "Title one en"), (1, 0, "solved", "Title two en"),
                                   (2, 0, "open", "Title three en")])]
    assert view.shelf.legend == ("done alone", "done with help")
    assert (view.page.title, view.page.context, view.page.heading, view.page.text, view.page.task) == (
        "Small games", "1 of 3 done, 0 with help", "1: Title one en", "Text one en", "You are White. Task one en")
    assert buttons(view.page) == [("puzzle_open", "Play ›", True, True), ("puzzles", "To the puzzles ›", True, False),
                                  ("page_close", "Back to the game", True, False)]
    assert [name for _, row in view.page.choices for name, _ in row] == [f"level_{number}" for number in range(1, 9)]
    assert view.page.chosen == "level_3"
    games.choose("level_5")
    games.choose("open 0")
    assert games.level == 5 and after(games, "f4-e4") == asks(5)
    games.choose("level_1")
    assert games.settled() == asks(1) and "small_lower" not in games.commands() and games.game.ply == 1
    games.choose("look 2")
    assert games.level == 8 and "small_higher" not in games.commands() and not games.is_open
    assert games.settled() == agon.Next()


def test_puzzles_may_ask_for_any_goal_in_words_of_their_own(classroom: Path) -> None:
    (classroom / "puzzles.agon").write_text(
        "\n".join(leaf(Kind="puzzle", Goal=goal, Position="Qf2 d4 / Qf10 w") for goal in agon_core.GOALS), "utf-8")
    session = on_table()
    book = open_puzzles()
    session.open(book)
    for number, goal in enumerate(agon_core.GOALS):
        book.open(number)
        assert (shown(session).page.task != "") == ("puzzle_task_" + goal in agon.TEXTS)
    task = {"Task_de": "Setz die Königin auf den Thron.", "Task_en": "Put the queen on the throne."}
    (classroom / "puzzles.agon").write_text(leaf(Kind="puzzle", Goal="throne", **task), "utf-8")
    book = open_puzzles()
    session.open(book)
    assert shown(session).page.task == "Put the queen on the throne."
    assert after(book, "f1-e1") == agon.Next() and book.is_wrong
    assert agon.Texts("en").say(book.feedback) == said("lesson_other")


def test_pages_of_other_kinds_are_passed_over(classroom: Path) -> None:
    (classroom / "tour.agon").write_text(PUZZLES + "\n" + TOUR, "utf-8")
    tour = open_tour()
    assert len(tour.lessons) == 4 and tour.game.start == pos("Qf3 d4 / Qf9 w")


def test_a_puzzle_that_asks_for_nothing_is_refused_with_its_line(classroom: Path) -> None:
    (classroom / "puzzles.agon").write_text(leaf(Kind="puzzle", Goal=""), "utf-8")
    lessons, error = agon.read_lessons("puzzles.agon")
    assert lessons == [] and error.code == "missing_header" and error.line == 3


# -- the view --

def test_the_title_names_the_file_of_the_game_but_not_while_something_else_is_on_the_board() -> None:
    session = on_table(path="/somewhere/a game.agon")
    assert shown(session).title == "a game.agon – Agon"
    session.open(set_up())
    assert shown(session).title == "Agon"
    assert shown(on_table()).title == "Agon"


def test_the_toolbar_says_where_one_is(classroom: Path) -> None:
    session = on_table()
    assert shown(session).place == "game" and shown(session, analysis=True).place == "analysis"
    for table, place in ((open_tour(), "learn"), (open_puzzles(), "puzzles"), (set_up(), "analysis")):
        session.open(table)
        assert shown(session).place == place and shown(session, analysis=True).place == place


def test_rank_numbers_and_the_side_below_follow_the_settings() -> None:
    view = shown(on_table(), ranks=False, flipped=True)
    assert (view.ranks, view.flipped) == (False, True)
    view = shown(on_table(), ranks=True, flipped=False)
    assert (view.ranks, view.flipped) == (True, False)


def test_the_notice_is_what_cannot_be_saved() -> None:
    message = agon.Message.of("say_not_kept", reason=AgonError("unwritable", reason="x", number=errno.ENOSPC))
    assert shown(on_table(), notice=message).notice == (
        "The running game cannot be kept (cannot be written: the disk is full).")
    assert shown(on_table()).notice == ""


def test_the_card_for_newcomers_is_shown_until_something_has_been_tried() -> None:
    card = shown(on_table(), is_new=True).card
    assert [tuple(button) for button in card] == [
        ("tour", "Get to know Agon · 10 minutes", True, True), ("play_at_once", "Play at once, level 1", True, False)]
    for session in (on_table("b1-c2"), on_table("b1-c2", undone=1)):
        assert shown(session, is_new=True).card == ()
    session = on_table()
    assert shown(session, is_new=False).card == ()
    session.open(set_up())
    assert shown(session, is_new=True).card == ()


def test_the_list_has_all_moves_and_knows_which_is_on_the_board_and_who_began() -> None:
    view = shown(on_table("b1-c2 b7-c7 k1-k2", undone=1))
    assert view.moves == agon.MovesView(("b1-c2", "b7-c7", "k1-k2"), 2, WHITE)
    view = shown(on_table("b7-c7", start=str(Position.start(BLACK))))
    assert view.moves == agon.MovesView(("b7-c7",), 1, BLACK)


def test_the_list_shows_the_move_played_instead_of_one_taken_back() -> None:
    session = on_table("a5-b5", undone=1)
    assert shown(session).moves.moves == ("a5-b5",)
    session.game.play(mv("b1-c2"))
    assert shown(session).moves.moves == ("b1-c2",)
    assert "1. b1-c2" in session.running.text() and "a5-b5" not in session.running.text()


def test_in_a_lesson_the_list_has_the_moves_of_the_lesson(classroom: Path) -> None:
    session = on_table("b1-c2 b7-c7")
    session.open(open_tour())
    assert shown(session).moves == agon.MovesView((), 0, WHITE)


# -- the view: the board --

def picture(session: "agon.Session", **hand: object) -> "agon.Picture":
    return shown(session, hand=agon.HandState(**hand)).picture


def test_the_board_shows_the_position_and_the_last_move_and_nothing_else_by_itself() -> None:
    session = on_table()
    assert picture(session) == agon.Picture(Position.start())
    session = on_table("b1-c2 b7-c7 k1-k2", undone=1)
    assert picture(session) == agon.Picture(session.game.position, last=mv("b7-c7"))
    assert session.game.position != Position.start()


def test_the_board_shows_the_guards_to_be_placed_and_where_they_may_go() -> None:
    session = on_table("@a5", rules=PLACING)
    seen = picture(session)
    assert seen == agon.Picture(session.game.position, last=mv("@a5"), tray=(5, 6), targets=frozenset(
        move.target for move in session.game.legal_moves()))
    assert picture(session, selected=agon.TRAY, carried=(3.0, 4.0)).carried == (agon.TRAY, (3.0, 4.0))
    assert picture(on_table("@a5", rules=PLACING, levels=(0, 1))).targets == frozenset()
    whole = on_table("@a5 @d1 @b1 @h1 @d9 @a2 @h9 @l2 @k1 @b7 @l5 @k7", rules=PLACING)
    assert picture(whole).tray == (0, 0) and picture(whole).targets == frozenset()


def test_pieces_that_are_trapped_while_guards_are_placed_are_not_marked_and_nobody_is_told() -> None:
    session = on_table(start="Qf1 a4 b1 d9 h9 k1 / Qf11 a3 a5 d1 h1 l2 w", rules=PLACING)
    assert picture(session).trapped == frozenset() and picture(session).bars == ()
    assert voice(session) == agon.Voice("plain", said("turn", side=WHITE), said("say_place", count=1))


def test_the_board_shows_what_the_hand_holds_and_points_at() -> None:
    session = on_table()
    held = {"selected": parse_cell("b1"), "targets": cells("a1 b2 c1 c2"), "hovered": parse_cell("c2"),
            "cursor": parse_cell("f6")}
    assert picture(session, **held) == agon.Picture(Position.start(), **held)
    assert picture(session, carried=(3.0, 4.0)).carried is None
    assert picture(session, **held, carried=(3.0, 4.0)).carried == (parse_cell("b1"), (3.0, 4.0))
    assert picture(session, typed="b1").selected is None


def test_trapped_pieces_are_joined_with_their_captors() -> None:
    shown_picture = picture(on_table(start=TRAPPED_BOTH))
    assert shown_picture.trapped == cells("e5 g4")
    assert {frozenset(bar) for bar in shown_picture.bars} == {cells("e4 e6"), cells("g3 g5")}
    crossed = picture(on_table(start="Qf2 e5 h4 / Qf10 e4 e6 d5 f5 w")).bars
    assert len(crossed) == 2 and {frozenset(bar) for bar in crossed} == {cells("e4 e6"), cells("d5 f5")}
    assert picture(on_table(start=TRAPPED_BOTH.replace(" w", " b"))).trapped == frozenset()


def test_the_only_trapped_piece_shows_where_it_may_go_before_it_is_picked(classroom: Path) -> None:
    session = on_table(start=TRAPPED_GUARD)
    expected = session.table.targets(parse_cell("e5"))
    assert len(expected) > 10 and picture(session).targets == expected and picture(session).selected is None
    for other in (on_table(start=TRAPPED_BOTH), on_table(start=TRAPPED_GUARD, levels=(1, 0)), on_table()):
        assert picture(other).targets == frozenset()
    session.mode = agon.Mode.ANIMATING
    assert picture(session).targets == frozenset()
    session.mode = agon.Mode.SELECTED
    assert picture(session, selected=parse_cell("b1")).targets == frozenset()
    session.mode = agon.Mode.IDLE
    session.open(set_up(TRAPPED_GUARD))
    assert picture(session).targets == frozenset() and picture(session).trapped == cells("e5")


def test_what_made_the_last_try_illegal_is_marked_with_the_cell_of_the_try() -> None:
    session = on_table(start=FORBIDDEN_STEP)
    session.refuse(mv("c4-d4"))
    assert (picture(session).causes, picture(session).tried) == (cells("d3 d5"), parse_cell("d4"))


def test_the_cells_of_a_won_figure_are_marked_and_nothing_is_trapped_any_more() -> None:
    won = picture(on_table("h5-g6", start=ONE_MOVE_TO_WIN))
    assert won.winners == cells("f6 e5 e6 f5 f7 g5 g6") and won.last == mv("h5-g6")
    assert picture(on_table(start=ONE_MOVE_TO_WIN)).winners == frozenset()
    session = on_table("b1-c2")
    session.game.resign(BLACK)
    assert picture(session).winners == frozenset()
    trapped = on_table(start=TRAPPED_GUARD)
    trapped.game.resign(WHITE)
    assert picture(trapped).trapped == frozenset() and picture(trapped).bars == ()


def info(number: int, score: int, *moves: str, depth: int = 4) -> "agon.Info":
    return agon.Info(depth, number, score, 12345, moves)


def test_a_hint_or_the_best_moves_found_are_shown_as_arrows() -> None:
    session = on_table()
    report = agon.Report((info(1, 30, "b1-c2", "b7-c7"), info(2, 20, "k1-k2"), info(3, 0), info(4, 0, "b1-c9"),
                          info(5, 0, "--")))
    assert shown(session, report=report).picture.arrows == (mv("b1-c2"), mv("k1-k2"))
    for mode in agon.Mode:
        session.mode = mode
        expected = (mv("b1-c2"), mv("k1-k2")) if mode is agon.Mode.IDLE else ()
        assert shown(session, report=report).picture.arrows == expected
    session.mark(hint=mv("a5-b5"))
    assert shown(session, report=report).picture.arrows == (mv("a5-b5"),)
    assert shown(session).picture.arrows == (mv("a5-b5"),)


# -- the view: the players --

def seat(session: "agon.Session", side: int, language: str = "en") -> "agon.SeatView":
    return next(row for row in shown(session, language).seats if row.side == side)


@pytest.mark.parametrize("language, you, computer", [
    ("de", "Du", "Computer, Stufe 3"), ("en", "You", "Computer, level 3")])
def test_players_are_called_as_people_would(language: str, you: str, computer: str) -> None:
    short = seat(on_table(levels=(0, 3)), BLACK, language).short
    assert short and computer.lower().endswith(short.lower()), "where there is little room, the level is what counts"
    for weights in ("beginner", "guard=0"):
        row = seat(agon.Session(agon.RunningGame(Game(), (agon.Player(), agon.Player(level=8, weights=weights)), print)),
                   BLACK, language)
        assert 0 < len(row.short) < 14 < len(row.name)
    session = on_table(levels=(0, 3))
    assert (seat(session, WHITE, language).name, seat(session, BLACK, language).name) == (you, computer)


@pytest.mark.parametrize("headers, white, black", [
    ({}, "White", "Black"), ({"White": "Ada", "Black": "Bo"}, "Ada", "Bo"),
    ({"White": "Person", "Black": "Computer level 3"}, "White", "Black")])
def test_two_persons_have_the_names_of_the_file_or_of_their_colours(
        headers: Dict[str, str], white: str, black: str) -> None:
    session = on_table(headers=headers)
    assert (seat(session, WHITE).name, seat(session, BLACK).name) == (white, black)


def test_a_program_is_called_by_its_file_and_a_person_by_name_even_against_the_computer() -> None:
    session = on_table(headers={"White": "Ada", "Black": "Bo"}, programs=("", "/a/hopper.py"))
    assert (seat(session, WHITE).name, seat(session, BLACK).name) == ("Ada", "hopper.py")


def test_whose_side_is_above_stands_above() -> None:
    assert [row.side for row in shown(on_table()).seats] == [BLACK, WHITE]
    assert [row.side for row in shown(on_table(), flipped=True).seats] == [WHITE, BLACK]


def test_the_side_to_move_is_active_and_in_the_end_the_winner() -> None:
    session = on_table()
    assert (seat(session, WHITE).caption, seat(session, WHITE).is_active) == ("White · to move", True)
    assert (seat(session, BLACK).caption, seat(session, BLACK).is_active) == ("Black", False)
    session.game.play(mv("b1-c2"))
    assert seat(session, BLACK, "de").caption == "Schwarz · am Zug" and not seat(session, WHITE).is_active
    session.game.resign(BLACK)
    assert (seat(session, WHITE, "de").caption, seat(session, BLACK, "de").caption) == ("Weiß · gewonnen", "Schwarz")
    assert seat(session, WHITE).is_active and not seat(session, BLACK).is_active
    session = on_table()
    session.game.agree_draw()
    assert [row.caption for row in shown(session).seats] == ["Black", "White"]
    assert not any(row.is_active for row in shown(session).seats)


def test_each_player_sees_how_far_the_side_has_come() -> None:
    session = on_table(start=ONE_MOVE_TO_WIN)
    white, black = seat(session, WHITE), seat(session, BLACK, "de")
    assert (white.guards, white.guards_home, white.is_enthroned) == ("Guards 5/6", 5, True)
    assert (black.guards, black.guards_home, black.is_enthroned) == ("Wachen 0/6", 0, False)


def test_during_a_lesson_the_players_are_those_of_the_running_game() -> None:
    session = on_table("b1-c2", levels=(0, 3))
    before = shown(session).seats
    session.open(set_up(ONE_MOVE_TO_WIN))
    assert shown(session).seats == before
    session = on_table(start="Qf6 e5 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 b")
    session.open(set_up())
    assert seat(session, WHITE).caption == "White · has won"


# -- the view: the message box --

def voice(session: "agon.Session", language: str = "en") -> "agon.Voice":
    return shown(session, language).voice


#: Situations without a message: game, players, and the heading in German and in English.
TURNS = [
    ("", {}, "Weiß ist am Zug", "White to move"), ("b1-c2", {}, "Schwarz ist am Zug", "Black to move"),
    ("", {"levels": (0, 3)}, "Du bist am Zug", "Your move"),
    ("b1-c2", {"levels": (3, 0)}, "Du bist am Zug", "Your move"),
    ("", {"levels": (3, 0)}, "Der Computer denkt …", "The computer is thinking …"),
    ("", {"levels": (3, 6)}, "Computer, Stufe 3 denkt …", "Computer, level 3 is thinking …"),
    ("", {"headers": {"White": "Ada"}}, "Ada ist am Zug", "Ada to move"),
    ("", {"programs": ("x/hopper.py", "")}, "hopper.py denkt …", "hopper.py is thinking …"),
    ("", {"levels": (3, 0), "start": TRAPPED_GUARD}, "Weiß muss umsetzen", "White must relocate")]


@pytest.mark.parametrize("moves, game, german, english", TURNS)
def test_the_message_box_says_whose_turn_it_is(moves: str, game: Dict[str, Any], german: str, english: str) -> None:
    session = on_table(moves, **game)
    assert (voice(session, "de").heading, voice(session, "en").heading) == (german, english)
    assert voice(session).kind == ("quiet" if session.running.is_computers_turn else "plain")
    assert voice(session).task == "" and voice(session).buttons == ()


def test_the_first_player_is_told_how_to_move() -> None:
    assert voice(on_table()) == agon.Voice("plain", "White to move", said("say_start"))
    assert voice(on_table("b1-c2")) == agon.Voice("plain", "Black to move")
    assert voice(on_table(levels=(3, 0))) == agon.Voice("quiet", "The computer is thinking …")


def test_a_message_takes_the_place_of_what_is_said_by_itself() -> None:
    for session, heading in ((on_table(), "White to move"), (on_table(levels=(3, 0)), "The computer is thinking …")):
        session.say(agon.Message.of("say_saved", name="x.agon"))
        assert voice(session).heading == heading and voice(session).text == "Saved: x.agon"
        assert voice(session, "de").text == "Gespeichert: x.agon"


def test_a_pause_stays_visible_until_the_computer_thinks() -> None:
    session = on_table(levels=(3, 3), is_paused=True)
    assert voice(session) == agon.Voice("quiet", "Paused", said("say_paused", key=agon.Shortcut("Mod-p")))
    assert "Ctrl+P" in voice(session).text or agon.IS_MAC
    session.say(agon.Message("say_no_moves"))
    assert voice(session) == agon.Voice("quiet", "Paused", said("say_no_moves"))
    session.say(None)
    session.mode = agon.Mode.THINKING  # for one move only
    assert voice(session) == agon.Voice("quiet", "Computer, level 3 is thinking …")
    assert voice(on_table(is_paused=True)).heading == "White to move"


@pytest.mark.parametrize("start, kind, german, english, task", [
    (TRAPPED_GUARD, "guard", "Eine Wache von Weiß ist eingeschlossen", "A guard of White is trapped", "task_guard"),
    (TRAPPED_QUEEN, "queen", "Die Königin von Weiß ist eingeschlossen", "The queen of White is trapped", "task_queen"),
    (TRAPPED_BOTH, "several", "Mehrere Steine von Weiß sind eingeschlossen", "Several pieces of White are trapped",
     "task_several"),
    (TRAPPED_GUARDS, "several", "Mehrere Steine von Weiß sind eingeschlossen", "Several pieces of White are trapped",
     "task_guards")])
def test_a_player_is_told_what_is_trapped_and_what_to_do(
        start: str, kind: str, german: str, english: str, task: str) -> None:
    session = on_table(start=start)
    assert (voice(session).kind, voice(session).heading, voice(session).task) == ("alert", english, said(task))
    assert (voice(session, "de").heading, voice(session, "de").task) == (german, said(task, "de"))
    against_computer = on_table(start=start, levels=(0, 3))
    assert voice(against_computer).heading == said(f"trapped_your_{kind}")
    black = on_table(start=start, levels=(3, 0))
    assert voice(black).kind == "quiet"


def test_with_that_rule_a_player_is_told_that_the_queen_goes_first() -> None:
    for start, task in ((TRAPPED_BOTH, "task_queen_first"), (TRAPPED_GUARDS, "task_guards"),
                        (TRAPPED_QUEEN, "task_queen"), (TRAPPED_GUARD, "task_guard")):
        assert voice(on_table(start=start, rules=Rules(queen_first=True))).task == said(task)


def test_a_player_is_told_between_which_pieces_and_by_which_move() -> None:
    assert voice(on_table(start=TRAPPED_GUARD)).text == "The guard on e5 stands between e4 and e6."
    assert voice(on_table(start=TRAPPED_QUEEN), "de").text == "Die Königin auf g4 steht zwischen g3 und g5."
    assert voice(on_table(start=TRAPPED_BOTH)).text == (
        "The guard on e5 stands between e4 and e6. The queen on g4 stands between g3 and g5.")
    crossed = voice(on_table(start="Qf2 e5 h4 / Qf10 e4 e6 d5 f5 w")).text
    assert crossed.startswith("The guard on e5 stands between ") and crossed.count(" and ") == 2 and ", " in crossed
    session = on_table("c5-d6", start="Qf2 d4 c5 h4 / Qf10 d5 g8 w")
    assert voice(session).text == "White played c5-d6+. The guard on d5 stands between d4 and d6."
    assert voice(session, "de").text == "Weiß zog c5-d6+. Die Wache auf d5 steht zwischen d4 und d6."
    session.say(agon.Message("say_thinking"))
    assert voice(session).text == said("say_thinking") and voice(session).task == said("task_guard")


def test_a_relocation_of_the_other_side_is_told() -> None:
    session = on_table("e5-a1", start=TRAPPED_GUARD)
    assert voice(session).text == "White puts the trapped guard e5 on a1."
    assert voice(session, "de").text == "Weiß setzt die eingeschlossene Wache e5 nach a1 um."
    session = on_table("f6-c3", start="Qf6 a5 / Qf11 f5 f7 w")
    assert voice(session).text == "White puts the trapped queen f6 on c3."
    assert voice(on_table("--", start=MUST_PASS)).text == ""


def test_a_position_that_comes_again_is_announced() -> None:
    there_and_back = "f1-e1 f11-e10 e1-f1 e10-f11"
    assert voice(on_table(there_and_back)).text == said("say_repetition")
    assert voice(on_table(there_and_back.rsplit(" ", 1)[0])).text == ""


def quiet_game(count: int) -> Game:
    """A game of so many moves of which none goes inwards and no position comes again."""
    game = Game(pos("Qa1 a3 / Ql1 l3 w"))
    while game.ply < count:
        for move in game.legal_moves():
            game.play(move)
            if game.quiet_moves() == game.ply and game.repetitions() == 1 and not game.position.trapped():
                break
            game.undo()
    return game


@pytest.mark.parametrize("count, text", [
    (59, ""), (60, "Moves until then: 40."), (61, "Moves until then: 39."), (99, "Moves until then: 1.")])
def test_a_draw_after_many_quiet_moves_is_announced_in_time(count: int, text: str) -> None:
    session = agon.Session(agon.RunningGame(quiet_game(count), (agon.Player(), agon.Player()), Tried()))
    assert voice(session).text == (f"Without a step inwards or a relocation the game will soon be drawn. {text}"
                                   if text else "")


def test_a_refusal_is_told_with_what_is_to_be_done_instead() -> None:
    session = on_table()
    session.refuse(mv("b1-b3"))
    assert voice(session) == agon.Voice("refused", said("no_TOO_FAR"))
    session = on_table(start=TRAPPED_BOTH, levels=(0, 3))
    session.refuse(mv("b1-b2"))
    assert voice(session) == agon.Voice("refused", said("no_TRAPPED_FIRST"), task=said("task_several"))
    assert voice(session, "de").heading == said("no_TRAPPED_FIRST", "de")
    session.game.resign(WHITE)
    session.refuse(mv("b1-b2"))
    assert voice(session) == agon.Voice("refused", said("no_GAME_OVER"))


def ended(how: str, **game: Any) -> "agon.Session":
    """A session with a game that has ended: 'won' or 'lost' by White, 'drawn'."""
    session = on_table("b1-c2 b7-c7 k1-k2", **game)
    if how == "drawn":
        session.game.agree_draw()
    else:
        session.game.resign(BLACK if how == "won" else WHITE)
    return session


@pytest.mark.parametrize("how, game, german, english", [
    ("won", {"levels": (0, 3)}, "Du hast gewonnen!", "You have won!"),
    ("lost", {"levels": (0, 3)}, "Der Computer hat gewonnen", "The computer has won"),
    ("won", {"levels": (3, 0)}, "Der Computer hat gewonnen", "The computer has won"),
    ("lost", {"levels": (3, 0)}, "Du hast gewonnen!", "You have won!"),
    ("won", {}, "Weiß gewinnt", "White wins"), ("lost", {}, "Schwarz gewinnt", "Black wins"),
    ("won", {"headers": {"White": "Ada"}}, "Ada gewinnt", "Ada wins"),
    ("lost", {"levels": (2, 3)}, "Computer, Stufe 3 gewinnt", "Computer, level 3 wins"),
    ("lost", {"programs": ("", "x/hopper.py")}, "hopper.py gewinnt", "hopper.py wins"),
    ("drawn", {"levels": (0, 3)}, "Unentschieden", "Draw"), ("drawn", {}, "Unentschieden", "Draw")])
def test_the_card_of_the_end_says_who_has_won(how: str, game: Dict[str, Any], german: str, english: str) -> None:
    session = ended(how, **game)
    assert (voice(session).kind, voice(session).heading, voice(session, "de").heading) == ("end", english, german)


def test_who_looks_back_is_told_the_two_ways_on_where_the_computer_is_to_move() -> None:
    session = on_table("b1-c2 a2-b3 c2-d3", levels=(0, 3))
    session.game.resign(BLACK)
    session.running.look_at(1)
    assert voice(session) == agon.Voice(
        "quiet", "Looking back", "End leads to the last move; with Ctrl+P the game goes on from here.")
    session.running.look_at(2)
    assert voice(session).heading == "Your move"


def test_the_card_of_the_end_says_why_and_when() -> None:
    assert voice(ended("won")).text == "The other side has resigned.\n1-0 · ended on move 2"
    assert voice(ended("drawn"), "de").text == "Remis vereinbart.\n1/2-1/2 · Ende im 2. Zug"
    won = on_table("h5-g6", start=ONE_MOVE_TO_WIN)
    assert voice(won).text == f"{said('end_THRONE')}\n1-0 · ended on move 1"
    at_once = on_table()
    at_once.game.resign(WHITE)
    assert voice(at_once).text == f"{said('end_RESIGNATION')}\n0-1 · ended on move 1"
    for levels, german in (((0, 3), "Du hast aufgegeben."), ((3, 0), "Die andere Seite hat aufgegeben.")):
        resigned = on_table("b1-c2", levels=levels)
        resigned.game.resign(WHITE)
        assert voice(resigned, "de").text == f"{german}\n0-1 · Ende im 1. Zug"
    won.say(agon.Message.of("say_saved", name="x"))
    assert voice(won).text == "Saved: x\n1-0 · ended on move 1"


def test_whoever_has_beaten_a_level_may_try_the_next() -> None:
    for session, level in ((ended("won", levels=(0, 3)), 4), (ended("lost", levels=(7, 0)), 8)):
        assert [tuple(button) for button in voice(session).buttons] == [
            ("next_level", f"Try level {level}", True, True), ("again", "Rematch", True, False),
            ("look_through", "Review the game", True, False), ("learn_mistakes", "Learn from mistakes", True, False)]
    for session in (ended("lost", levels=(0, 3)), ended("drawn", levels=(0, 3)), ended("won", levels=(0, 8)),
                    ended("won"), ended("won", levels=(3, 3)), ended("won", programs=("", "hopper.py"))):
        assert [tuple(button) for button in voice(session).buttons] == [
            ("learn_mistakes", "Learn from mistakes", True, True), ("again", "Rematch", True, False),
            ("look_through", "Review the game", True, False)]
    given_up = on_table(levels=(0, 3))
    given_up.game.resign(WHITE)  # before the first move: there is nothing to learn from
    assert [button.command for button in voice(given_up).buttons] == ["again", "look_through"]


def test_during_a_lesson_the_page_says_what_there_is_to_say_and_a_refusal_takes_the_place_of_a_verdict(
        classroom: Path) -> None:
    session = on_table(levels=(3, 3))
    tour = open_tour()
    session.open(tour)
    assert voice(session).heading == "" and voice(session).kind == "plain"
    tour.tell("lesson_other")
    session.refuse(mv("d4-d6"))
    page = shown(session).page
    assert (page.feedback, page.is_praise) == (said("no_TOO_FAR"), False)
    assert voice(session) == agon.Voice("refused", said("no_TOO_FAR"))
    session.clear_marks()
    assert shown(session).page.feedback == said("lesson_other")
    tour.tell("lesson_next_step", is_praise=True)
    session.say(agon.Message.of("say_hint", move="b1-c2"))
    page = shown(session).page
    assert (page.feedback, page.is_praise) == ("Suggestion: b1-c2", True)


def test_a_game_has_no_page() -> None:
    assert shown(on_table()).page is None


# -- the view: the analysis --

def analysis(session: "agon.Session", report: "agon.Report", language: str = "en") -> "agon.AnalysisView":
    return shown(session, language, report=report, analysis=True).analysis


def test_the_analysis_is_there_when_it_is_wanted_and_a_game_is_on_the_board() -> None:
    session = on_table()
    assert shown(session).analysis is None
    assert analysis(session, agon.Report()) == agon.AnalysisView("The analysis is waiting.")
    session.open(set_up())
    assert analysis(session, agon.Report()) is None


def test_the_analysis_tells_depth_lines_and_score_in_the_language_chosen() -> None:
    report = agon.Report((info(1, 40, "b1-c2", "b7-c7", depth=6), info(2, -123, "k1-k2")))
    session = on_table()
    assert analysis(session, report) == agon.AnalysisView(
        "Depth 6 · 12,345 positions", (("+0.4", "b1-c2", "b7-c7"), ("−1.2", "k1-k2")), 0.4)
    view = analysis(session, report, "de")
    assert view.summary == "Tiefe 6 · 12.345 Stellungen" and view.lines[0][0] == "+0,4"


def test_scores_are_whites_whoever_is_to_move() -> None:
    report = agon.Report((info(1, 40, "b7-c7"), info(2, -123, "k7-k6")))
    view = analysis(on_table("b1-c2"), report)
    assert [line[0] for line in view.lines] == ["−0.4", "+1.2"] and view.score == -0.4


@pytest.mark.parametrize("score, white, black, steps", [
    (agon_ai.WIN - 1, "White wins in 1", "Black wins in 1", 100.0),
    (agon_ai.WIN - 2, "White wins in 1", "Black wins in 1", 100.0),
    (agon_ai.WIN - 3, "White wins in 2", "Black wins in 2", 100.0),
    (3 - agon_ai.WIN, "Black wins in 2", "White wins in 2", -100.0),
    (agon_ai.SURE_WIN, "+9990.0", "−9990.0", agon_ai.SURE_WIN / 100), (0, "0.0", "0.0", 0.0)])
def test_sure_wins_are_told_in_moves_and_fill_every_scale(score: int, white: str, black: str, steps: float) -> None:
    for moves, expected, sign in (("", white, 1), ("b1-c2", black, -1)):
        view = analysis(on_table(moves), agon.Report((info(1, score),)))
        assert view.lines == ((expected,),) and view.score == sign * steps
    assert said("wins_in", "de", side=BLACK, moves=2) == "Schwarz gewinnt in 2"


def test_of_a_line_found_the_legal_beginning_is_shown() -> None:
    session = on_table(start=TRAPPED_GUARD)
    lines = analysis(session, agon.Report((info(1, 0, "e5-a1", "f11-f10", "a1-f6", "b1-b2"),
                                           info(2, 0, "soup", "e5-a1")))).lines
    assert lines == (("0.0", "e5*a1", "Qf11-f10"), ("0.0",))


def test_a_line_found_is_told_under_the_rules_of_the_game() -> None:
    report = agon.Report((info(1, 0, "e5-a1"),))
    assert analysis(on_table(start=TRAPPED_BOTH), report).lines == (("0.0", "e5*a1"),)
    assert analysis(on_table(start=TRAPPED_BOTH, rules=Rules(queen_first=True)), report).lines == (("0.0",),)


def test_the_curve_of_a_game_tells_how_much_of_it_has_been_looked_at() -> None:
    session = ended("won")
    for scores, summary in (((), "Analysing the game: 0 %"), (((0, 0.5), (3, 100.0)), "Analysing the game: 50 %"),
                            (((0, 0.5), (1, 0.0), (2, -0.5), (3, 100.0)), said("review_done"))):
        view = analysis(session, agon.Report((), scores))
        assert view == agon.AnalysisView(summary, (), dict(scores).get(3), scores, 3, 3)
    session.running.look_at(1)
    view = analysis(session, agon.Report((), ((0, 0.5), (1, -0.25))))
    assert (view.summary, view.score, view.plies, view.current) == ("The analysis is waiting.", -0.25, 3, 1)
    assert analysis(ended("won"), agon.Report(), "de").summary == "Das Spiel wird durchgesehen: 0 %"


# -- the view: commands without a meaning --

#: What may rest in a game, by the situation.
EVERYTHING = set(("undo redo first previous next last hint offer_draw move_now pause swap one_move resign "
                  "previous_game").split())


def offered(session: "agon.Session") -> Set[str]:
    """Of the commands of a game those that have a meaning now."""
    resting = shown(session).resting
    assert session.is_lesson or resting <= EVERYTHING | {"learn_mistakes"}
    return EVERYTHING - resting


PERSONS = {"hint", "offer_draw", "one_move", "resign"}
BACK, ON = {"first", "previous"}, {"next", "last"}


def test_in_a_game_of_two_persons_one_may_ask_offer_resign_and_look_through() -> None:
    assert offered(on_table()) == PERSONS
    assert offered(on_table("b1-c2")) == PERSONS | BACK | {"undo"}


def test_who_looks_back_ends_no_game_which_would_forget_the_moves_behind() -> None:
    looking = {"hint", "one_move"} | ON | {"redo"}
    assert offered(on_table("b1-c2", undone=1)) == looking
    session = on_table("b1-c2 b7-c7 k1-k2")
    session.running.look_at(1)
    assert offered(session) == looking | BACK | {"undo"}
    session.running.look_at(3)
    assert offered(session) == PERSONS | BACK | {"undo"}
    session.running.travel(-1)
    assert offered(session) == PERSONS | BACK | ON | {"undo", "redo"}


def test_against_the_computer_one_may_also_pause_it_and_swap() -> None:
    assert offered(on_table(levels=(0, 3))) == PERSONS | {"pause", "swap"}
    thinking = on_table("b1-c2", levels=(0, 3))
    thinking.mode = agon.Mode.THINKING
    assert offered(thinking) == BACK | {"undo", "pause", "swap", "move_now", "resign"}
    paused = on_table("b1-c2", levels=(0, 3), is_paused=True)
    assert offered(paused) == BACK | {"undo", "pause", "swap", "one_move", "resign"}
    assert offered(on_table("b1-c2", programs=("", "x.py"))) == BACK | {"undo", "pause", "swap", "one_move", "resign"}


def test_between_two_computers_nobody_resigns() -> None:
    assert offered(on_table(levels=(3, 3))) == {"pause", "swap", "one_move"}


def test_after_the_end_one_may_look_through_the_game_and_take_back_but_not_go_on() -> None:
    session = ended("won", levels=(0, 3))
    session.mode = agon.Mode.OVER
    assert offered(session) == BACK | {"undo", "swap"}
    at_once = on_table(levels=(3, 0))  # a resignation is taken back even before the first move
    at_once.game.resign(BLACK)
    at_once.mode = agon.Mode.OVER
    assert offered(at_once) == {"undo", "swap"}


@pytest.mark.parametrize("mode, rests", [
    ("IDLE", set()), ("SELECTED", set()), ("DRAGGING", {"hint", "offer_draw", "one_move"}),
    ("ANIMATING", {"hint", "offer_draw", "one_move"}), ("THINKING", {"hint", "offer_draw", "one_move"})])
def test_while_something_goes_on_nothing_new_is_asked(mode: str, rests: Set[str]) -> None:
    session = on_table()
    session.mode = agon.Mode[mode]
    assert offered(session) == PERSONS - rests | ({"move_now"} if mode == "THINKING" else set())


def test_a_game_that_was_replaced_may_be_brought_back() -> None:
    session = on_table("b1-c2")
    session.replace(running())
    assert "previous_game" in offered(session)
    session.open(set_up())
    assert "previous_game" not in shown(session).resting


def test_in_a_lesson_the_games_commands_rest_unless_the_lesson_gives_them_a_meaning(classroom: Path) -> None:
    session = on_table("b1-c2")
    resting = EVERYTHING | {"save", "again", "next_level", "look_through", "conversation"}
    tour = open_tour()
    session.open(tour)
    assert shown(session).resting == resting - {"next"}
    tour.open(1)
    assert shown(session).resting == resting - {"next", "previous"}
    session.open(open_puzzles())
    assert shown(session).resting == (resting | {"flip"}) - {"next", "hint"}
    session.mode = agon.Mode.THINKING
    assert shown(session).resting == (resting | {"flip"}) - {"next"}
    session.mode = agon.Mode.IDLE
    table = set_up()
    session.open(table)
    assert shown(session).resting == resting
    table.click(parse_cell("a1"))
    assert shown(session).resting == resting - {"undo"}


def test_everything_that_may_rest_is_a_command_of_the_window() -> None:
    assert EVERYTHING <= set(agon.TEXTS) and agon.GAME_COMMANDS <= set(agon.TEXTS)


def count_questions(monkeypatch: Any) -> "collections.Counter[str]":
    """How often games are asked for their outcome and their legal moves from now on."""
    asked: "collections.Counter[str]" = collections.Counter()

    def counted(name: str) -> Callable[..., Any]:
        ask = getattr(Game, name)

        def answer(game: Game, *values: Any) -> Any:
            asked[name] += 1
            return ask(game, *values)
        return answer
    for name in ("outcome", "legal_moves"):
        monkeypatch.setattr(Game, name, counted(name))
    return asked


def test_showing_asks_each_thing_once_and_changes_nothing(monkeypatch: Any) -> None:
    session = on_table("b1-c2 b7-c7", levels=(0, 3))
    asked = count_questions(monkeypatch)
    before = session.running.text()
    asked.clear()
    first = shown(session)
    assert asked["legal_moves"] == 0 and asked["outcome"] == 1
    assert shown(session) == first and session.running.text() == before


# -- the hand --

class Gestures:
    """A hand over a session, with the gestures of a player; nothing glides, a move that is tried is only noted."""

    def __init__(self, session: "agon.Session", flipped: bool = False) -> None:
        self.session = session
        self.board = types.SimpleNamespace(layout=Layout.fit(600, 600, flipped))
        self.hand = agon.Hand(session, self.board, self.finish, self.glide_home, lambda key: self.commands.append(key))
        self.commands: List[str] = []
        self.finished = 0
        self.gone_home: List[Tuple[str, object]] = []

    def finish(self) -> None:
        self.finished += 1
        self.session.enter(agon.Mode.IDLE)

    def glide_home(self, cell: int, point: object) -> None:
        self.gone_home.append((cell_name(cell), point))

    def point(self, place: str) -> Tuple[float, float]:
        """The middle of a cell, or a point beside the board."""
        return self.board.layout.centre(parse_cell(place)) if place else (-50.0, 3.0)

    def press(self, place: str) -> None:
        self.hand.press(self.point(place))

    def motion(self, place: str) -> None:
        self.hand.motion(self.point(place))

    def release(self, place: str) -> None:
        self.hand.release(self.point(place))

    def click(self, *places: str) -> None:
        for place in places:
            self.press(place)
            self.release(place)

    def carry(self, source: str, *way: str) -> None:
        self.press(source)
        for place in way:
            self.motion(place)

    def drag(self, source: str, target: str) -> None:
        self.carry(source, target)
        self.release(target)

    def point_at(self, place: str) -> None:
        """Put the cursor of the keyboard on a cell."""
        self.hand.state = self.hand.state._replace(cursor=parse_cell(place))

    def type(self, text: str) -> None:
        for letter in text:
            (self.hand.space if letter == " " else lambda: self.hand.type(letter))()
        self.hand.enter()

    @property
    def tried(self) -> List[Tuple[str, object]]:
        return self.session.table.attempt

    @property
    def selected(self) -> str:
        cell = self.hand.state.selected
        return "" if cell is None else cell_name(cell)

    @property
    def cursor(self) -> str:
        cell = self.hand.state.cursor
        return "" if cell is None else cell_name(cell)

    @property
    def words(self) -> str:
        return agon.Texts("en").say(self.session.message) if self.session.message else ""

    @property
    def mode(self) -> str:
        return self.session.mode.name

    def is_empty(self) -> bool:
        """Whether nothing is held."""
        return (self.mode, self.hand.state) == ("IDLE", agon.HandState()) and not self.hand.is_holding


def gestures(moves: str = "", **game: Any) -> Gestures:
    return Gestures(on_table(moves, **game))


def test_a_piece_that_is_dragged_is_tried_where_it_is_dropped() -> None:
    player = gestures()
    player.press("b1")
    assert (player.mode, player.selected) == ("SELECTED", "b1") and player.hand.is_holding
    assert player.hand.state.targets == cells("a1 b2 c1 c2") and not player.hand.is_carrying
    player.motion("c2")
    assert (player.mode, player.hand.state.carried) == ("DRAGGING", player.point("c2")) and player.hand.is_carrying
    player.release("c2")
    assert player.tried == [("b1-c2", player.point("c2"))] and player.is_empty()


def test_a_guard_is_placed_by_a_click_or_dragged_from_beside_the_board() -> None:
    for flipped in (False, True):
        player = Gestures(on_table("@a5", rules=PLACING), flipped)
        player.click("d1")
        player.point = lambda place: (layout.tray(BLACK)[5] if place == "tray" else layout.tray(WHITE)[0]
                                      if place == "other" else layout.centre(parse_cell(place)))
        layout = player.board.layout
        player.press("tray")
        assert (player.mode, player.hand.state.selected) == ("SELECTED", agon.TRAY)
        assert player.hand.state.targets == frozenset(move.target for move in player.session.game.legal_moves())
        player.motion("e1")
        assert (player.mode, player.hand.state.carried) == ("DRAGGING", player.point("e1"))
        player.release("e1")
        player.click("tray", "h1")
        assert player.tried == [("@d1", None), ("@e1", player.point("e1")), ("@h1", None)] and player.is_empty()
        player.drag("other", "h1")  # White's guards
        assert len(player.tried) == 3


def test_a_guard_that_is_dropped_beside_the_board_or_in_the_tray_goes_home() -> None:
    player = gestures(rules=PLACING)
    gone = []
    player.hand.glide_home = lambda cell, point: gone.append(cell)
    for place in ((-50.0, 3.0), player.board.layout.tray(WHITE)[2]):
        player.hand.press(player.board.layout.tray(WHITE)[0])
        player.motion("d4")
        player.hand.motion(place)
        player.hand.release(place)
    assert gone == [agon.TRAY] * 2 and player.tried == [] and player.is_empty()


def test_own_pieces_say_that_the_guards_come_first() -> None:
    player = gestures("@a5 @b1", rules=PLACING)
    for cell in ("f1", "a5"):
        player.click(cell)
        assert player.words == said("no_PLACE_FIRST") and player.session.is_refusal and player.selected == ""
    player.click("f11")
    assert player.words == said("no_NOT_YOURS") and player.tried == []


def test_a_placement_is_typed_or_made_with_the_cursor() -> None:
    player = gestures(rules=PLACING)
    for text in ("a1", "@a2"):
        player.type(text)
    player.hand.step_cursor(1)
    assert player.cursor == "a1"
    player.hand.enter()
    assert player.tried == [("@a1", None), ("@a2", None), ("@a1", None)]
    player = gestures()
    player.type("a1")  # where nothing is placed
    assert player.tried == [] and player.session.is_refusal
    player.type("@a1")
    assert player.tried == [("@a1", None)]  # the rules say why not


def test_a_placed_guard_comes_from_its_tray() -> None:
    layout = Layout.fit(600, 600)
    game = played("@a5", rules=PLACING)
    assert agon.home_of(game, mv("@b1"), layout) == layout.tray(BLACK)[5]
    assert agon.home_of(Game(), mv("a5-b5"), layout) == layout.centre(parse_cell("a5"))
    assert agon.home_of(Game(), PASS, layout) is None


def test_on_a_turned_board_the_same_gestures_move_the_same_pieces() -> None:
    player = Gestures(on_table(), flipped=True)
    player.drag("b1", "c2")
    assert player.tried == [("b1-c2", player.point("c2"))]


def test_the_target_under_the_pointer_is_marked_and_other_cells_are_not() -> None:
    player = gestures()
    player.carry("b1", "c2")
    assert picture(player.session, **player.hand.state._asdict()).hovered == parse_cell("c2")
    for place in ("d4", "b1", "", "b7"):
        player.motion(place)
        assert player.hand.state.hovered is None and player.hand.state.carried == player.point(place)
    player.motion("a1")
    assert player.hand.state.hovered == parse_cell("a1")


def test_a_piece_may_be_tried_on_a_cell_that_is_no_target() -> None:
    player = gestures()
    player.drag("b1", "f6")
    assert player.tried == [("b1-f6", player.point("f6"))]


def test_a_piece_dropped_on_its_own_cell_or_beside_the_board_just_goes_home() -> None:
    player = gestures()
    for target in ("b1", ""):
        player.carry("b1", "c2", target)
        player.release(target)
        assert player.is_empty()
    assert player.gone_home == [("b1", player.point("b1")), ("b1", player.point(""))] and player.tried == []


def test_a_small_movement_is_a_click_and_not_a_drag() -> None:
    player = gestures()
    x, y = player.point("b1")
    player.press("b1")
    player.hand.motion((x + 4, y))
    assert player.mode == "SELECTED" and player.hand.state.carried is None
    player.hand.motion((x + 3, y - 4))
    assert player.mode == "DRAGGING"
    player = gestures()
    player.press("b1")
    player.hand.release((x + 2, y + 2))
    assert player.selected == "b1" and player.mode == "SELECTED" and player.gone_home == []


def test_a_click_on_a_piece_and_a_click_on_a_target_try_a_move() -> None:
    player = gestures()
    player.click("b1", "c2")
    assert player.tried == [("b1-c2", None)] and player.is_empty() and player.gone_home == []


def test_a_second_click_on_the_same_piece_lays_it_down_again() -> None:
    player = gestures()
    player.click("b1", "b1")
    assert player.is_empty() and player.tried == []
    player.click("b1")
    assert player.selected == "b1"


def test_a_click_on_another_own_piece_picks_that_one() -> None:
    player = gestures()
    player.click("b1", "k1")
    assert player.selected == "k1" and player.hand.state.targets == player.session.table.targets(parse_cell("k1"))
    player.click("k2")
    assert player.tried == [("k1-k2", None)]


def test_a_picked_piece_can_still_be_dragged() -> None:
    player = gestures()
    player.click("b1")
    player.drag("b1", "c2")
    assert player.tried == [("b1-c2", player.point("c2"))]


def test_a_click_beside_the_board_lays_the_piece_down() -> None:
    player = gestures()
    player.click("b1", "")
    assert player.is_empty() and player.tried == [] and player.gone_home == []


def test_a_click_on_a_piece_of_the_other_side_says_so_and_on_an_empty_cell_nothing() -> None:
    player = gestures("b1-c2")
    player.click("k1")
    assert player.words == said("no_NOT_YOURS") and player.session.is_refusal and player.is_empty()
    player.click("f6")
    assert player.words == "" and not player.session.is_refusal
    player.click("c2")  # a double click on the target of the last move
    assert player.words == ""


def test_a_press_clears_what_was_said_marked_and_typed_before() -> None:
    player = gestures(start=FORBIDDEN_STEP)
    player.session.refuse(mv("c4-d4"))
    player.hand.type("b")
    player.point_at("f6")
    player.press("a5")
    assert player.session.marks == agon.Marks() and player.words == ""
    assert player.hand.state == agon.HandState(parse_cell("a5"), player.session.table.targets(parse_cell("a5")))
    for place in ("f6", "b7", ""):
        player.hand.escape()
        player.hand.type("b")
        player.press(place)
        assert player.hand.state == agon.HandState()


@pytest.mark.parametrize("start, rules, cell, words, causes", [
    (TRAPPED_GUARD, DEFAULT_RULES, "b1", "no_TRAPPED_FIRST", "e5"),
    (TRAPPED_BOTH, DEFAULT_RULES, "a5", "no_TRAPPED_FIRST", "e5 g4"),
    (TRAPPED_BOTH, Rules(queen_first=True), "e5", "no_QUEEN_FIRST", "g4"),
    (TRAPPED_BOTH, Rules(queen_first=True), "a5", "no_TRAPPED_FIRST", "g4"),
    ("Qa1 b1 / Qf11 a2 b2 c2 w", DEFAULT_RULES, "a1", "say_no_moves", "")])
def test_a_piece_that_cannot_move_says_why_when_it_is_picked(
        start: str, rules: Rules, cell: str, words: str, causes: str) -> None:
    player = gestures(start=start, rules=rules)
    player.press(cell)
    assert player.hand.state.targets == frozenset() and player.selected == cell
    assert player.words == said(words) and player.session.is_refusal
    assert player.session.marks == agon.Marks(causes=cells(causes))


def test_a_piece_that_can_move_is_picked_without_a_word() -> None:
    player = gestures(start=TRAPPED_BOTH)
    player.press("e5")
    assert player.words == "" and player.session.marks == agon.Marks() and len(player.hand.state.targets) > 10


def test_a_press_while_something_runs_by_itself_brings_it_to_its_end_first() -> None:
    player = gestures()
    player.session.enter(agon.Mode.ANIMATING)
    player.press("b1")
    assert player.finished == 1 and player.selected == "b1"
    player.release("b1")
    player.press("b1")
    assert player.finished == 1


@pytest.mark.parametrize("game, mode, words", [
    ({"levels": (3, 0)}, "IDLE", "say_wait"), ({"levels": (3, 0)}, "THINKING", "say_wait"),
    ({"levels": (3, 0), "is_paused": True}, "IDLE", ""), ({}, "OVER", "no_GAME_OVER"), ({}, "THINKING", "")])
def test_who_cannot_move_now_is_told_why(game: Dict[str, Any], mode: str, words: str) -> None:
    player = gestures(**game)
    player.session.mode = agon.Mode[mode]
    for act in (lambda: player.click("b1"), player.hand.enter, lambda: player.type("b1c2")):
        player.session.say(None)
        act()
        assert player.words == (said(words) if words else "") and player.session.is_refusal == bool(words)
        assert player.selected == "" and player.tried == [] and player.hand.state.typed == ""


def test_who_looks_back_in_a_game_with_another_computer_is_told_how_it_goes_on() -> None:
    linked = far_game("b1-c2 b7-c7")
    linked.look_at(0)
    player = Gestures(agon.Session(linked))
    player.press("b1")
    assert player.words == ENGLISH.say(agon.Message.of("say_look_only", key=agon.Shortcut("End")))
    assert player.mode == "IDLE" and player.session.is_refusal


@pytest.mark.parametrize("elsewhere, words", [((WHITE,), "other_turn"), ((WHITE, BLACK), "say_watching")])
def test_who_plays_with_another_computer_waits_and_who_watches_two_watches(elsewhere: Sequence[int], words: str) -> None:
    player = gestures()
    for side in elsewhere:
        player.session.running.players[side] = agon.Player(program=("link",), is_elsewhere=True)
    player.click("b1")
    assert player.words == said(words) and player.session.is_refusal


def test_during_a_lesson_and_while_a_piece_glides_nothing_is_explained(classroom: Path) -> None:
    player = gestures(levels=(3, 3))
    player.session.enter(agon.Mode.ANIMATING)
    player.hand.enter()
    assert player.words == ""
    book = open_puzzles()
    book.is_solved = True
    player.session.open(book)
    player.session.mode = agon.Mode.IDLE
    player.click("c4")
    assert player.words == "" and player.selected == ""


def test_a_press_during_a_drag_whose_release_got_lost_puts_that_piece_back() -> None:
    player = gestures()
    player.carry("b1", "c2")
    player.press("k1")
    assert (player.mode, player.selected, player.hand.state.carried) == ("SELECTED", "k1", None)
    player.carry("k1", "k2")
    player.press("")
    assert player.is_empty() and player.tried == [] and player.gone_home == []


def test_a_release_without_a_press_means_nothing() -> None:
    player = gestures()
    player.release("c2")
    player.click("b1")
    player.release("c2")
    assert player.tried == [] and player.selected == "b1"
    player.motion("c2")
    assert player.mode == "SELECTED"


@pytest.mark.parametrize("how", ["escape", "lost"])
def test_a_drag_that_is_given_up_puts_the_piece_back(how: str) -> None:
    player = gestures()
    player.carry("b1", "c2")
    getattr(player.hand, how)()
    assert player.is_empty()
    player.motion("c2")
    player.release("c2")
    assert player.tried == [] and player.is_empty()


def test_a_piece_that_is_only_picked_stays_picked_when_the_focus_is_lost() -> None:
    player = gestures()
    player.click("b1")
    player.hand.lost()
    assert player.selected == "b1"


def test_escape_clears_everything_there_is() -> None:
    player = gestures(start=FORBIDDEN_STEP)
    player.session.refuse(mv("c4-d4"))
    player.click("")
    player.click("a5")
    player.point_at("f6")
    player.hand.type("b")
    player.hand.escape()
    assert player.is_empty() and player.words == "" and player.session.marks == agon.Marks()
    player.session.enter(agon.Mode.OVER)
    player.hand.escape()
    assert player.mode == "OVER"


def test_the_cursor_stays_when_the_hand_is_emptied() -> None:
    player = gestures()
    player.point_at("b1")
    player.hand.enter()
    player.hand.clear()
    assert player.hand.state == agon.HandState(cursor=parse_cell("b1"))
    player.press("k1")
    assert player.cursor == ""


# -- the hand in the set-up --

def test_in_the_set_up_a_click_uses_the_tool_and_a_drag_moves_the_piece() -> None:
    player = gestures()
    table = set_up("Qf6 a1 / Qb2 w")
    player.session.open(table)
    player.click("c3")
    assert standing(table) == "Qf6 a1 c3 / Qb2 w"
    player.click("a1")
    assert standing(table) == "Qf6 c3 / Qb2 w" and player.is_empty()
    player.drag("b2", "d4")
    assert standing(table) == "Qf6 c3 / Qd4 w"
    player.carry("c3", "e5", "c3")
    player.release("c3")
    assert standing(table) == "Qf6 c3 / Qd4 w"
    player.drag("d4", "")
    assert standing(table) == "Qf6 c3 / w"
    assert player.is_empty() and player.gone_home == [] and table.attempt == [] and player.words == ""


def test_a_piece_in_the_set_up_is_picked_without_a_word_although_it_has_no_targets() -> None:
    player = gestures()
    player.session.open(set_up(TRAPPED_BOTH))
    player.press("b1")
    assert (player.selected, player.words, player.session.marks) == ("b1", "", agon.Marks())


def test_the_keyboard_sets_pieces_up_too_and_typing_means_nothing_there() -> None:
    player = gestures()
    table = set_up()
    player.session.open(table)
    player.point_at("f5")
    player.hand.enter()
    assert standing(table) == "f5 / w"
    player.hand.enter()
    assert standing(table) == "/ w"
    player.hand.type("b")
    assert player.hand.state.typed == "" and player.words == ""
    player.hand.space()
    assert standing(table) == "f5 / w"


# -- the hand at the keyboard --

ARROWS = {"Up": (0, -1), "Down": (0, 1), "Left": (-1, 0), "Right": (1, 0)}


@pytest.mark.parametrize("flipped", [False, True])
def test_the_arrows_reach_every_cell_of_the_board(flipped: bool) -> None:
    player = Gestures(on_table(), flipped)
    player.hand.move_cursor(0, 1)
    assert player.cursor == "f6"
    seen, waiting = set(), ["f6"]
    while waiting:
        place = waiting.pop()
        if place not in seen:
            seen.add(place)
            for arrow in ARROWS.values():
                player.point_at(place)
                player.hand.move_cursor(*arrow)
                waiting.append(player.cursor)
    assert len(seen) == 91


def test_the_arrows_go_where_they_point_and_left_and_right_lead_back() -> None:
    player = gestures()
    for arrow, expected in (("Up", "f7"), ("Down", "f5"), ("Left", "e5 e6"), ("Right", "g5 g6")):
        player.point_at("f6")
        player.hand.move_cursor(*ARROWS[arrow])
        assert player.cursor in expected.split()
    for place in ("f6", "e5", "d4", "g3", "c6"):
        player.point_at(place)
        player.hand.move_cursor(*ARROWS["Left"])
        player.hand.move_cursor(*ARROWS["Right"])
        assert player.cursor == place


def test_on_a_turned_board_up_is_still_up() -> None:
    player = Gestures(on_table(), flipped=True)
    player.point_at("f6")
    player.hand.move_cursor(*ARROWS["Up"])
    assert player.cursor == "f5"


def test_the_cursor_begins_on_the_piece_that_is_picked() -> None:
    player = gestures()
    player.click("b1")
    player.hand.move_cursor(*ARROWS["Up"])
    assert player.cursor == "b1"
    player.hand.move_cursor(*ARROWS["Up"])
    assert player.cursor == "b2" and player.selected == "b1"


def test_the_cursor_names_what_it_meets() -> None:
    player = gestures()
    for place, arrow, words in (("f2", "Down", "f1: queen (White)"), ("b2", "Down", "b1: guard (White)"),
                                ("f10", "Up", "f11: queen (Black)"), ("f7", "Down", "f6: free")):
        player.point_at(place)
        player.hand.move_cursor(*ARROWS[arrow])
        assert player.words == words and not player.session.is_refusal
    assert agon.Texts("de").say(agon.Message.of("say_queen", side=BLACK, cell="f11")) == "f11: Königin (Schwarz)"


def test_tab_goes_through_the_pieces_that_can_move_as_one_reads() -> None:
    player = gestures()
    order = "a5 b1 d9 f1 h9 k1 l5".split()
    for expected in order + order[:1]:
        player.hand.step_cursor(1)
        assert player.cursor == expected
    for expected in (order[::-1] + order[-1:]):
        player.hand.step_cursor(-1)
        assert player.cursor == expected
    player.point_at("f6")
    player.hand.step_cursor(-1)
    assert player.cursor == "l5"
    assert player.words == "l5: guard (White)"


def test_tab_goes_through_the_targets_of_the_piece_that_is_picked() -> None:
    player = gestures()
    player.click("b1")
    for expected in ("a1", "b2", "c1", "c2", "a1"):
        player.hand.step_cursor(1)
        assert player.cursor == expected
    assert player.selected == "b1" and player.words == "a1: free"


def test_on_a_turned_board_tab_goes_from_the_left_as_well() -> None:
    player = Gestures(on_table(), flipped=True)
    player.hand.step_cursor(1)
    assert player.cursor == "l5"


def test_tab_finds_nothing_where_nothing_can_move_or_the_player_may_not() -> None:
    for player in (gestures(start=MUST_PASS), gestures(levels=(3, 0))):
        player.hand.step_cursor(1)
        assert player.cursor == ""


def test_a_move_is_made_by_cursor_and_enter_alone() -> None:
    player = gestures()
    player.point_at("b1")
    player.hand.enter()
    assert player.selected == "b1" and player.cursor == "b1"
    player.point_at("c2")
    player.hand.space()
    assert player.tried == [("b1-c2", None)] and player.selected == "" and player.cursor == "c2"


def test_enter_on_the_piece_that_is_picked_lays_it_down() -> None:
    player = gestures()
    player.point_at("b1")
    player.hand.enter()
    player.hand.enter()
    assert player.selected == "" and player.mode == "IDLE" and player.tried == []


def test_enter_without_a_cursor_only_clears_the_marks() -> None:
    player = gestures(start=FORBIDDEN_STEP)
    player.session.refuse(mv("c4-d4"))
    player.hand.enter()
    assert player.words == "" and player.is_empty()


@pytest.mark.parametrize("text", [
    "b1c2", "B1C2", "b1-c2", "b1 c2", "Qb1-c2+", "qb1*c2#", "b1-c2 ", "b1*c2"])
def test_a_typed_move_is_tried(text: str) -> None:
    player = gestures()
    player.type(text)
    assert player.tried == [("b1-c2", None)] and player.hand.state.typed == ""


def test_long_moves_and_passes_can_be_typed() -> None:
    player = gestures()
    for text in ("qf10-f11+", "--", "f10 f11"):
        player.type(text)
    assert [move for move, _ in player.tried] == ["f10-f11", "--", "f10-f11"]


@pytest.mark.parametrize("text", ["b1c", "d9d8x", "d9ej10", "b1  c2", "b1=c2", "hello", "m1c2", "-", "b1c2b3"])
def test_a_typed_move_that_is_none_is_refused_with_what_was_typed(text: str) -> None:
    player = gestures()
    player.type(text)
    assert f'"{text}' in player.words and player.session.is_refusal and player.tried == []
    assert player.hand.state.typed == ""


def test_what_is_typed_is_shown_and_can_be_corrected() -> None:
    player = gestures()
    player.hand.type("b")
    assert player.words == "Move: b" and not player.session.is_refusal
    player.hand.type("2")
    player.hand.erase()
    player.hand.type("1")
    assert player.words == "Move: b1" and player.hand.state.typed == "b1"
    player.hand.erase()
    player.hand.erase()
    assert player.words == "" and player.hand.state.typed == ""
    player.session.say(agon.Message("say_wait"))
    player.hand.erase()
    assert player.words == said("say_wait")
    for _ in range(20):
        player.hand.type("a")
    assert player.hand.state.typed == 12 * "a"


def test_a_typed_move_lays_the_picked_piece_down() -> None:
    player = gestures()
    player.click("k1")
    player.type("b1c2")
    assert player.tried == [("b1-c2", None)] and player.mode == "IDLE" and player.selected == ""


def test_a_blank_between_two_typed_cells_belongs_to_the_move() -> None:
    player = gestures()
    player.point_at("k1")
    player.hand.type("b")
    player.hand.space()
    assert player.hand.state.typed == "b " and player.selected == ""


def test_a_press_a_motion_and_a_release_ask_for_the_legal_moves_once(monkeypatch: Any) -> None:
    player = gestures(levels=(0, 3))
    asked = count_questions(monkeypatch)

    def cost(action: Callable[[], None]) -> Tuple[int, int]:
        """How often an event and showing what has come of it ask for the outcome and for the legal moves."""
        asked.clear()
        action()
        shown(player.session, hand=player.hand.state)
        return asked["outcome"], asked["legal_moves"]
    assert cost(lambda: player.press("b1")) == (2, 1)
    assert cost(lambda: player.motion("c2")) == (1, 0)
    assert cost(lambda: player.release("c2")) == (1, 0)


# -- jobs, engines, and the analysis --

class Clock:
    """Time that is turned by hand, in milliseconds: `after` and `after_cancel` of a widget."""

    def __init__(self) -> None:
        self.now = 0
        self.made = 0
        self.waiting: Dict[str, Tuple[int, Callable[[], object]]] = {}

    def after(self, milliseconds: object, function: Callable[..., object], *values: object) -> str:
        self.made += 1
        at = self.now + (0 if milliseconds == "idle" else milliseconds)
        self.waiting[f"after#{self.made}"] = at, functools.partial(function, *values)
        return f"after#{self.made}"

    def cancel(self, job: str) -> None:
        del self.waiting[job]

    def turn(self, milliseconds: int) -> None:
        """Let so much time pass, and what is due happen."""
        end = self.now + milliseconds
        while True:
            due = sorted((at, job) for job, (at, _) in self.waiting.items() if at <= end)
            if not due:
                break
            self.now, job = due[0]
            self.waiting.pop(job)[1]()
        self.now = end

    def jobs(self, handle: Callable[..., object] = lambda action: action()) -> "agon.Jobs":
        return agon.Jobs(self.after, self.cancel, handle)


# -- the clock of a game --

TEN_PLUS_FIVE, THIRTY_A_MOVE = "600+5", "30/move"


def timed(white: str, black: str, moves: str = "", **game: Any) -> Tuple["agon.Session", Clock, agon_ai.Clock]:
    """A session with a clock for each side, the time that is turned by hand, and the clock."""
    session, hand = on_table(moves, **game), Clock()
    controls = [agon_ai.TimeControl.from_text(text) for text in (white, black)]
    session.running.clock = agon_ai.Clock(controls, now=lambda: hand.now / 1000)
    return session, hand, session.running.clock


@pytest.mark.parametrize("text, control", [
    ("600+5", (600, 5, False)), ("600+0", (600, 0, False)), ("30/move", (30, 0, True)), ("", (0, 0, False)),
    ("x", (0, 0, False)), ("-5+1", (0, 0, False)), ("0+5", (0, 0, False)), ("999999+1", (0, 0, False)), ("30", (0, 0, False))])
def test_a_time_control_is_read_from_its_text_and_anything_else_is_no_limit(text: str, control: Tuple[Any, ...]) -> None:
    read = agon_ai.TimeControl.from_text(text)
    assert tuple(read) == control and agon_ai.TimeControl.from_text(str(read)) == read
    assert not control[0] or str(read) == text


def test_only_the_time_of_the_side_that_runs_goes_by() -> None:
    _session, hand, clock = timed(TEN_PLUS_FIVE, THIRTY_A_MOVE)
    hand.turn(9000)
    assert (clock.left(WHITE), clock.left(BLACK), clock.side) == (600, 30, None)
    clock.run(WHITE)
    hand.turn(2000)
    clock.run(WHITE)
    hand.turn(2000)
    assert (clock.left(WHITE), clock.left(BLACK)) == (596, 30)
    clock.moved(WHITE)
    assert (clock.left(WHITE), clock.side) == (601, None), "its increment, and nobody's time runs"
    clock.run(BLACK)
    hand.turn(29_000)
    assert clock.left(BLACK) == 1 and clock.is_low(BLACK) and clock.fallen() is None
    clock.moved(BLACK)
    assert clock.left(BLACK) == 30 and not clock.is_low(BLACK), "each move has its time anew"
    clock.run(BLACK)
    hand.turn(30_000)
    assert clock.fallen() == BLACK and clock.left(WHITE) == 601


def test_a_side_without_a_limit_never_runs_out_of_time() -> None:
    _session, hand, clock = timed("", THIRTY_A_MOVE)
    clock.run(WHITE)
    hand.turn(10 ** 9)
    assert clock.fallen() is None and clock.text(WHITE) == "" and not clock.is_low(WHITE) and clock.is_used
    assert not agon_ai.Clock((agon_ai.TimeControl(), agon_ai.TimeControl())).is_used


@pytest.mark.parametrize("gone, text", [
    (0, "10:00"), (1, "10:00"), (1000, "9:59"), (535_000, "1:05"), (589_999, "0:11"), (590_000, "0:10"),
    (590_100, "0:09.9"), (599_950, "0:00.0"), (700_000, "0:00.0")])
def test_a_clock_shows_minutes_and_seconds_and_in_the_end_tenths(gone: int, text: str) -> None:
    _session, hand, clock = timed("600+0", "")
    clock.run(WHITE)
    hand.turn(gone)
    assert clock.text(WHITE) == text


def test_the_time_runs_from_the_first_move_on_and_rests_with_the_game() -> None:
    session, _hand, _clock = timed(TEN_PLUS_FIVE, TEN_PLUS_FIVE)
    running = session.running
    assert running.side_on_the_clock is None
    running.game.play(mv("b1-c2"))
    assert running.side_on_the_clock == BLACK
    running.pause(True)
    assert running.side_on_the_clock is None
    running.pause(False)
    running.game.play(mv("b7-c7"))
    assert running.side_on_the_clock == WHITE
    running.look_at(1)
    running.pause(False)
    assert running.side_on_the_clock is None, "who looks back does not play"
    running.look_at(2)
    running.pause(False)
    assert running.side_on_the_clock == WHITE
    running.game.resign(WHITE)
    assert running.side_on_the_clock is None


class Timed:
    """A timekeeper with time that is turned by hand, and a record of whose time was up."""

    def __init__(self, *values: Any, **game: Any) -> None:
        self.session, self.hand, self.clock = timed(*values, **game)
        self.is_held = False
        self.up: List[int] = []
        self.keeper = agon.Timekeeper(self.session, self.hand.jobs(self.handle), lambda: self.is_held, self.time_is_up)
        self.handle(lambda: None)

    def handle(self, action: Callable[[], object]) -> None:
        action()
        self.keeper.follow()

    def time_is_up(self, side: int) -> None:
        self.up.append(side)
        self.session.game.lose_on_time(side)


def test_whoever_runs_out_of_time_has_lost_and_the_game_says_so() -> None:
    at = Timed("60+0", "5/move", "b1-c2")
    at.hand.turn(4900)
    assert at.up == [] and at.clock.text(BLACK) == "0:00.1"
    at.hand.turn(300)
    assert at.up == [BLACK] and at.session.game.outcome() == Outcome(WHITE, Ending.TIME)
    assert voice(at.session).text.startswith("Time has run out.\n1-0") and at.hand.waiting == {}
    read = Game.from_text(at.session.running.text())
    assert read.outcome() == Outcome(WHITE, Ending.TIME) and '[Ended "time"]' in at.session.running.text()
    assert "Ended" not in read.headers


def test_the_time_is_held_while_a_dialog_is_open_a_lesson_has_the_board_or_a_pause_is_on(classroom: Path) -> None:
    at = Timed("60+0", "60+0", "b1-c2")
    at.hand.turn(10_000)
    at.is_held = True
    at.handle(lambda: None)
    at.hand.turn(10_000)
    assert at.clock.left(BLACK) == 50
    at.is_held = False  # it has been closed without a word
    at.hand.turn(10_100)
    assert 40 <= at.clock.left(BLACK) < 40.3
    at.handle(lambda: at.session.open(open_tour()))
    at.hand.turn(10_000)
    at.handle(at.session.close)
    assert 40 <= at.clock.left(BLACK) < 40.3
    at.handle(lambda: at.session.running.pause(True))
    at.hand.turn(10_000)
    assert 40 <= at.clock.left(BLACK) < 40.3 and at.hand.waiting == {}
    assert voice(at.session) == agon.Voice("quiet", "Paused", said("say_clock_held", key=agon.Shortcut("Mod-p")))
    assert "pause" not in shown(at.session).resting


def test_a_game_without_a_clock_costs_no_time() -> None:
    at = Timed("", "", "b1-c2")
    assert at.hand.waiting == {} and at.session.running.headers() == {"White": "Person", "Black": "Person"}
    assert [row.clock for row in shown(at.session).seats] == ["", ""] and "pause" in shown(at.session).resting


def test_the_clocks_stand_beside_the_players_and_are_red_when_little_is_left() -> None:
    session, hand, clock = timed(TEN_PLUS_FIVE, THIRTY_A_MOVE, "b1-c2")
    assert [(row.clock, row.is_low, row.caption) for row in shown(session).seats] == [
        ("0:30", False, "Black"), ("10:00", False, "White")]
    clock.run(BLACK)
    hand.turn(23_000)
    assert (seat(session, BLACK).clock, seat(session, BLACK).is_low) == ("0:07.0", True)


def test_a_file_keeps_the_time_of_each_side() -> None:
    session, hand, clock = timed(TEN_PLUS_FIVE, THIRTY_A_MOVE, "b1-c2")
    clock.run(BLACK)
    hand.turn(12_340)
    headers = Game.from_text(session.running.text()).headers
    assert {name: headers[name] for name in headers if name.endswith(("Time", "Left"))} == {
        "WhiteTime": "600+5", "WhiteLeft": "600.0", "BlackTime": "30/move", "BlackLeft": "17.7"}
    again = agon_ai.Clock.from_headers(headers)
    assert again.controls == clock.controls and (again.left(WHITE), again.left(BLACK)) == (600, 17.7)
    for broken in ({"WhiteTime": "soon"}, {"WhiteLeft": "12"}, {"WhiteTime": "600+5", "WhiteLeft": "-3"}):
        read = agon_ai.Clock.from_headers(broken)
        assert read.is_used == ("600+5" in broken.values()) and (not read.is_used or read.left(WHITE) == 600)


def test_a_kept_game_with_a_clock_waits_until_somebody_moves(at_files: Any, home: Path) -> None:
    home.mkdir()
    (home / "autosave.agon").write_text('[WhiteTime "600+5"]\n[WhiteLeft "77.5"]\n\n1. b1-c2 b7-c7 *\n', "utf-8")
    running = at_files().files.resume(Tried())
    assert running.is_paused and running.clock.left(WHITE) == 77.5 and running.clock.text(BLACK) == ""


@pytest.mark.parametrize("player, white, black, go", [
    (dict(levels=(3, 0)), "600+5", "300+0", "go wtime 600000 winc 5000 btime 300000 binc 0"),
    (dict(levels=(3, 0)), "30/move", "", "go wtime 30000 winc 30000"), (dict(levels=(3, 0)), "", "30/move", "go"),
    (dict(levels=(8, 0)), "600+5", "", "go wtime 600000 winc 5000 movetime 8000"),
    (dict(programs=("x.py", "")), "600+5", "", "go wtime 600000 winc 5000 movetime 2000"),
    (dict(programs=("x.py", "")), "10+0", "", "go wtime 10000 winc 0 movetime 333"),
    (dict(programs=("x.py", "")), "2/move", "", "go wtime 2000 winc 2000 movetime 1000"),
    (dict(programs=("x.py", "")), "", "600+5", "go movetime 2000")])
def test_an_engine_is_told_its_time(player: Dict[str, Any], white: str, black: str, go: str) -> None:
    session, _hand, _clock = timed(white, black, **player)
    assert session.running.settled().ask.go == go


def test_levels_keep_the_time_they_are_told() -> None:
    for text, least in (("600+5", 20), ("30/move", 10), ("2/move", 0.5)):
        session, _hand, _clock = timed(text, "", levels=(8, 0))
        words = session.running.settled().ask.go.split()
        clock = {words[i]: int(words[i + 1]) for i in range(1, len(words), 2)}
        share = agon_ai.clock_share({name: value for name, value in clock.items() if name != "movetime"}, WHITE)
        assert least <= share <= agon_ai.TimeControl.from_text(text).seconds


@pytest.mark.parametrize("side", [WHITE, BLACK])
def test_who_has_no_time_left_has_lost(side: int) -> None:
    at = desk("b1-c2")
    at.game_commands.time_is_up(side)
    assert at.changes == 1 and at.game.outcome() == Outcome(1 - side, Ending.TIME)


def test_a_rematch_has_the_times_anew_with_the_players() -> None:
    at = desk("b1-c2", levels=(0, 3))
    at.session.running.clock = agon_ai.Clock([agon_ai.TimeControl(600, 5), agon_ai.TimeControl(30, 0, True)], (7.0, 8.0))
    at.run("again")
    clock = at.session.running.clock
    assert [str(control) for control in clock.controls] == ["30/move", "600+5"] and clock.left(BLACK) == 600
    at.run("next_level")
    assert [str(control) for control in at.session.running.clock.controls] == ["30/move", "600+5"]
    at.game_commands.play_position(pos("Qf2 d4 / Qf10 d5 b"))
    assert [str(control) for control in at.session.running.clock.controls] == ["30/move", "600+5"]


def test_a_seat_remembers_its_time() -> None:
    at = desk()
    pair = agon.Seat(name="Ada", clock="600+5"), agon.Seat("level", level=3, clock="30/move")
    at.game_commands.start(agon.NewGame(pair, False, Rules()))
    assert at.game_commands.wanted().seats[0].clock == "600+5" and at.settings.black_clock == "30/move"
    assert at.session.running.clock.text(WHITE) == "10:00"


def test_a_job_is_done_when_its_time_has_come_by_who_carries_events_out() -> None:
    clock, done = Clock(), []
    jobs = clock.jobs(lambda action: done.append(("handled", action())))
    jobs.later("one", 100, lambda: "action")
    assert jobs.waits("one") and not jobs.waits("two")
    clock.turn(99)
    assert done == []
    clock.turn(1)
    assert done == [("handled", "action")] and not jobs.waits("one") and clock.waiting == {}


def test_a_new_job_takes_the_place_of_an_older_one_of_its_name() -> None:
    clock, done = Clock(), []
    jobs = clock.jobs()
    for value in "abc":
        jobs.later("one", 100, functools.partial(done.append, value))
        jobs.later(value, "idle", functools.partial(done.append, value.upper()))
        clock.turn(50)
    clock.turn(100)
    assert done == ["A", "B", "C", "c"] and clock.waiting == {}


def test_jobs_are_forgotten_by_name_or_all_together() -> None:
    clock, done = Clock(), []
    jobs = clock.jobs()
    for name in "abcd":
        jobs.later(name, 10, functools.partial(done.append, name))
    jobs.forget("a", "b", "never heard of")
    assert [jobs.waits(name) for name in "abcd"] == [False, False, True, True] and len(clock.waiting) == 2
    clock.turn(10)
    assert done == ["c", "d"]
    for name in "ab":
        jobs.later(name, 10, functools.partial(done.append, name))
    jobs.forget()
    assert clock.waiting == {} and not jobs.waits("a")


def test_a_job_may_ask_for_itself_again() -> None:
    clock, done = Clock(), []
    jobs = clock.jobs()

    def again() -> None:
        done.append(clock.now)
        jobs.later("one", 10, again)
    again()
    clock.turn(25)
    assert done == [0, 10, 20] and jobs.waits("one")


def test_what_waits_goes_on_when_the_clock_has_been_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, done, hour = Clock(), [], [36000.0]
    times = types.SimpleNamespace(monotonic=lambda: clock.now / 1000, time=lambda: hour[0] + clock.now / 1000)
    monkeypatch.setattr(agon, "time", times)
    jobs = clock.jobs()
    jobs.later("answer", 300, functools.partial(done.append, "answer"))
    jobs.later("tidy", "idle", functools.partial(done.append, "tidy"))
    clock.turn(100)
    waiting = dict(clock.waiting)
    for hour[0] in (36000.0, 39600.0, 39599.5):  # as it was, set forward, corrected by half a second
        jobs.wake()
        assert clock.waiting == waiting
    hour[0] = 35970.0
    clock.waiting = {job: (due + 30000, action) for job, (due, action) in clock.waiting.items()}  # as Tk does it
    jobs.wake()
    jobs.wake()
    clock.turn(199)
    assert done == ["tidy"] and jobs.waits("answer")
    clock.turn(1)
    assert done == ["tidy", "answer"] and clock.waiting == {}


@pytest.mark.parametrize("keysym, keycode, platform, letter", [
    ("Cyrillic_ya", 52, "linux", "z"), ("Cyrillic_ze", 33, "linux", "p"), ("Greek_zeta", 52, "linux", "z"),
    ("z", 52, "linux", ""), ("Z", 52, "linux", ""), ("Control_L", 37, "linux", ""), ("KP_Add", 86, "linux", ""),
    ("Cyrillic_ya", 10, "linux", ""), ("Cyrillic_ya", 90, "win32", "z"), ("Cyrillic_ya", 189, "win32", ""),
    ("Cyrillic_ya", "??", "linux", ""), ("Cyrillic_ya", "??", "win32", ""), ("z", 90, "win32", "")])
def test_a_key_that_writes_no_latin_letter_counts_by_its_place(
        monkeypatch: pytest.MonkeyPatch, keysym: str, keycode: object, platform: str, letter: str) -> None:
    if agon is None:
        pytest.skip("no tkinter")
    monkeypatch.setattr(sys, "platform", platform)
    assert agon.latin_letter(types.SimpleNamespace(keysym=keysym, keycode=keycode)) == letter


@pytest.mark.parametrize("wants, is_ready, seconds", [
    ((), True, None), (("board",), True, None), (("events",), True, agon.GOODBYE_S["events"] if agon else 0),
    (("events", "quit"), True, agon.GOODBYE_S["quit"] if agon else 0), (("events", "quit"), False, None)])
def test_a_program_gets_the_time_that_it_needs_to_end(
        wants: Tuple[str, ...], is_ready: bool, seconds: Optional[float]) -> None:
    if agon is None:
        pytest.skip("no tkinter")
    ends: List[Optional[float]] = []
    agon.Thinker._end(types.SimpleNamespace(wants=frozenset(wants), is_ready=is_ready, end=ends.append,
                                            close=lambda: ends.append(None)))
    assert ends == [seconds]


class FakeEngine:
    """In the place of an EngineProcess: answers what a test lays ready, one entry for each look."""

    def __init__(self, command: Tuple[str, ...]) -> None:
        self.command = command
        self.asked: List[Tuple[Any, ...]] = []
        self.answers: List[Any] = []
        self.done: List[str] = []
        self.is_ready = False
        self.wants: FrozenSet[str] = frozenset()
        self.is_busy = False
        self.name = ""
        self.last_error = agon_ai.LastWords("the last words", "x.py", "4")
        self.log = [agon_ai.Said("<", "agonok")]
        self.trouble: Optional[Exception] = None

    def ask(self, *question: Any) -> None:
        if self.trouble:
            raise self.trouble
        self.asked.append(question)
        self.is_busy = True

    def poll(self) -> List[Any]:
        replies = self.answers.pop(0) if self.answers else []
        if isinstance(replies, Exception):
            raise replies
        return replies

    def hurry(self) -> None:
        self.done.append("hurry")

    def cancel(self) -> None:
        self.done.append("cancel")
        self.is_busy = False

    def close(self) -> None:
        self.done.append("close")
        self.is_busy = False


OWN = ("python", "agon_ai.py", "serve")


class Questions:
    """A thinker with engines that are none, a clock turned by hand, and a record of what it has told."""

    def __init__(self, monkeypatch: Any) -> None:
        self.clock = Clock()
        monkeypatch.setattr(agon, "time", types.SimpleNamespace(monotonic=lambda: self.clock.now / 1000, time=float))
        self.jobs = self.clock.jobs()
        self.thinker = agon.Thinker("test", self.jobs, OWN, FakeEngine)
        self.told: List[Tuple[Any, ...]] = []
        self.game = Game()

    def ask(self, player: Any = None, go: str = "go", **more: Any) -> FakeEngine:
        """Ask for a move; the engine that is asked."""
        player = player or agon.Player(3)
        self.thinker.ask(agon.Asked(
            agon.Question(player, go), self.game, lambda *answer: self.told.append(("answer", *answer)),
            lambda message: self.told.append(("failure", agon.Texts("en").say(message))), **more))
        return self.thinker.engine_for(player)

    def failure(self, player: Any, reply: Any, **more: Any) -> str:
        """What is said when an engine replies this."""
        self.ask(player, **more).answers = [reply]
        self.clock.turn(30)
        (kind, words), = self.told
        assert kind == "failure"
        return words


@pytest.fixture
def questions(monkeypatch: Any) -> Questions:
    return Questions(monkeypatch)


def test_an_engine_is_asked_about_the_game_and_answers_with_move_and_score(questions: Questions) -> None:
    engine = questions.ask()
    options = [("Level", 3), ("Without", "none")]
    assert engine.command == OWN and engine.asked == [(questions.game, "go", options, None, "bestmove")]
    assert questions.thinker.is_busy
    engine.answers = [[], [info(1, 20), info(2, 90)], [info(1, 35), info(2, 99), agon_ai.Answer("b1-c2")]]
    questions.clock.turn(89)
    assert questions.told == []
    questions.clock.turn(1)
    assert questions.told == [("answer", mv("b1-c2"), 35)] and questions.clock.waiting == {}


@pytest.mark.parametrize("player, options", [
    (dict(level=8, weights="threat=50"), [("Level", 8), ("Without", "none"), ("Weights", "threat=50")]),
    (dict(level=5), [("Level", 5), ("Without", "none")]), (dict(program=("python", "a.py")), [])])
def test_an_engine_is_told_its_level_and_its_numbers_and_a_program_neither(
        questions: Questions, player: Dict[str, Any], options: List[Tuple[str, Any]]) -> None:
    engine = questions.ask(agon.Player(**player))
    assert engine.asked[0][2] == options


def test_an_answer_without_a_report_has_no_score_even_after_one_that_had(questions: Questions) -> None:
    for replies, score in (([info(1, 35), agon_ai.Answer("b1-c2")], 35), ([agon_ai.Answer("b1-c2")], None)):
        questions.ask().answers = [replies]
        questions.clock.turn(30)
        assert questions.told[-1] == ("answer", mv("b1-c2"), score)


def test_an_answer_is_not_given_at_once_but_after_so_much_time(questions: Questions) -> None:
    questions.ask(least_ms=350).answers = [[], [], [agon_ai.Answer("b1-c2")]]
    questions.clock.turn(349)
    assert questions.told == []
    questions.clock.turn(1)
    assert questions.told == [("answer", mv("b1-c2"), None)]
    questions.told.clear()
    questions.ask(least_ms=50).answers = [[], [agon_ai.Answer("b1-c2")]]
    questions.clock.turn(60)
    assert len(questions.told) == 1  # longer ago already


def test_reports_and_lines_are_handed_on_as_they_come(questions: Questions) -> None:
    reports, lines = [], []
    engine = questions.ask(go="tree depth 2", until="treeok", on_info=reports.append, on_line=lines.append)
    assert engine.asked[0][1:] == ("tree depth 2", [("Level", 3), ("Without", "none")], None, "treeok")
    engine.answers = [["node 1", info(2, 3)], ["node 2", agon_ai.Answer("plain 7")]]
    questions.clock.turn(60)
    assert (reports, lines) == ([info(2, 3)], ["node 1", "node 2"]) and questions.told == [("answer", "plain 7")]
    questions.ask().answers = [["a line nobody wants", agon_ai.Answer("b1-c2")]]
    questions.clock.turn(30)
    assert questions.told[-1] == ("answer", mv("b1-c2"), None)


def test_a_question_about_an_earlier_position_is_answered_with_a_move_of_that_position(questions: Questions) -> None:
    questions.game = played("b1-c2 b7-c7")
    engine = questions.ask(ply=0)
    assert engine.asked[0][3] == 0
    engine.answers = [[agon_ai.Answer("b1-c2")]]
    questions.clock.turn(30)
    assert questions.told == [("answer", mv("b1-c2"), None)]


@pytest.mark.parametrize("answer, words", [
    ("b1-d4", '"b1-d4" is not possible: A piece moves only one step.'), ("soup", '"soup" is not a move'),
    ("", '"" is not a move'), ("--", "Only a side that cannot move at all may pass.")])
def test_an_illegal_answer_is_not_played_but_told(questions: Questions, answer: str, words: str) -> None:
    said_words = questions.failure(None, [agon_ai.Answer(answer)])
    assert said_words.startswith("The computer player named no possible move. ") and words in said_words
    assert questions.thinker.engine_for(agon.Player(3)).done == ["close"] and not questions.thinker.is_busy


def test_an_engine_may_give_up(questions: Questions) -> None:
    questions.ask().answers = [[info(1, -900), agon_ai.Answer("resign")]]
    questions.clock.turn(30)
    assert questions.told == [("answer", None, -900)] and questions.thinker.engine_for(agon.Player(3)).done == []


PROGRAM = ("python", "/a/my player.py")


def test_a_program_is_asked_by_its_own_command_and_knows_no_levels(questions: Questions) -> None:
    engine = questions.ask(agon.Player(program=PROGRAM), "go movetime 2000")
    assert engine.command == PROGRAM and engine.asked == [(questions.game, "go movetime 2000", [], None, "bestmove")]
    assert set(questions.thinker.engines) == {PROGRAM}
    assert questions.ask(agon.Player(program=PROGRAM)) is engine


@pytest.mark.parametrize("failure, words", [
    (agon_ai.EngineFailure("ended", who="x", error="boom"), "my player.py has ended: the last words (line 4 of x.py)."),
    (agon_ai.EngineFailure("slow", who="x", asked="go", seconds=2), "my player.py no longer answers and was ended."),
    (agon_ai.EngineFailure("refused", who="x", asked="go", answer="error no"), "my player.py: ")])
def test_an_engine_that_fails_is_ended_and_named(questions: Questions, failure: Exception, words: str) -> None:
    assert questions.failure(agon.Player(program=PROGRAM), failure).startswith(words)
    assert questions.thinker.engines[PROGRAM].done == ["close"] and questions.clock.waiting == {}


def test_what_else_an_engine_complains_of_is_told_in_its_words(questions: Questions) -> None:
    failure = agon_ai.EngineFailure("refused", who="x", asked="go", answer="error no")
    assert questions.failure(agon.Player(program=PROGRAM), failure) == f"my player.py: {failure}"


@pytest.mark.parametrize("trouble", [FileNotFoundError(errno.ENOENT, "no such file"), ValueError("embedded null")])
def test_a_program_that_cannot_be_started_is_told_at_once(questions: Questions, trouble: Exception) -> None:
    player = agon.Player(program=PROGRAM)
    questions.thinker.engine_for(player).trouble = trouble
    questions.ask(player)
    reason = "there is no such file or folder" if isinstance(trouble, OSError) else "embedded null"
    assert questions.told == [("failure", f"my player.py cannot be started ({reason}).")]
    assert questions.clock.waiting == {}


def test_an_engine_has_patience_for_so_long_unless_it_thinks_without_end(questions: Questions) -> None:
    questions.ask()
    questions.clock.turn(20_000)
    assert questions.told == []
    questions.clock.turn(60)
    assert questions.told == [("failure", "The computer player no longer answers and was ended.")]
    assert questions.thinker.engine_for(agon.Player(3)).done == ["close"]
    questions.told.clear()
    questions.ask(go="go infinite multipv 3")
    questions.clock.turn(100_000)
    assert questions.told == [] and questions.thinker.is_busy


def test_an_answer_that_comes_with_the_last_patience_counts(questions: Questions) -> None:
    engine = questions.ask()
    engine.answers = [[] for _ in range(699)] + [[agon_ai.Answer("b1-c2")]]
    questions.clock.turn(30 * 700)
    assert questions.told[0][0] == "failure"
    questions.told.clear()
    engine = questions.ask()
    engine.answers = [[] for _ in range(660)] + [[agon_ai.Answer("b1-c2")]]
    questions.clock.turn(30 * 661)
    assert questions.told == [("answer", mv("b1-c2"), None)]


@pytest.mark.parametrize("how", ["fails", "ends", "ends with a traceback"])
def test_what_a_program_says_unasked_is_heard_and_its_end_told_with_its_last_words(how: str) -> None:
    error = "NameError" if how == "ends with a traceback" else ""
    engine = types.SimpleNamespace(
        is_busy=False, is_running=True, events=collections.deque(), start=lambda: None, poll=lambda: [],
        close=lambda: None, last_error=agon_ai.LastWords(error, "x.py" if error else "", "4" if error else ""))
    clock, heard, ended = Clock(), [], []
    thinker = agon.Thinker("test", clock.jobs(), OWN, lambda _command: engine)
    thinker.listen(agon.Player(program=("link",)), heard.append, lambda why: ended.append(ENGLISH.say(why)))
    for number in range(3):
        engine.events.extend([f"sign {number}", f"state {number}"])
        clock.turn(agon.EVENTS_MS)
    assert heard == ["sign 0", "state 0", "sign 1", "state 1", "sign 2", "state 2"] and ended == []

    def fails() -> None:
        raise agon_ai.EngineFailure("ended", who="link")

    if how == "fails":
        engine.poll = fails
    else:
        engine.is_running = False
    engine.events.append("the last one")
    clock.turn(agon.EVENTS_MS)
    clock.turn(10 * agon.EVENTS_MS)
    assert heard[-1] == "the last one" and len(ended) == 1
    assert ("NameError" in ended[0]) == bool(error) and said("other_computer") in ended[0]


def test_a_new_question_takes_the_place_of_an_older_one(questions: Questions) -> None:
    first = questions.ask()
    first.answers = [[agon_ai.Answer("b1-c2")]]
    second = questions.ask(agon.Player(program=PROGRAM))
    assert first.done == ["cancel"]
    second.answers = [[agon_ai.Answer("k1-k2")]]
    questions.clock.turn(100)
    assert questions.told == [("answer", mv("k1-k2"), None)]


def test_a_question_that_is_given_up_is_not_answered_not_even_late(questions: Questions) -> None:
    engine = questions.ask(least_ms=500)
    engine.answers = [[agon_ai.Answer("b1-c2")]]
    questions.clock.turn(100)
    questions.thinker.cancel()
    assert engine.done == ["cancel"] and not questions.thinker.is_busy and questions.clock.waiting == {}
    questions.clock.turn(1000)
    assert questions.told == []


def test_an_engine_is_hurried_when_one_is_asked(questions: Questions) -> None:
    questions.thinker.hurry()
    questions.thinker.cancel()
    assert not questions.thinker.is_busy
    engine = questions.ask()
    questions.thinker.hurry()
    assert engine.done == ["hurry"]


def test_programs_that_no_longer_play_are_ended_and_the_own_engine_stays(questions: Questions) -> None:
    other = ("other.py",)
    engines = [questions.ask(player) for player in (
        agon.Player(3), agon.Player(program=PROGRAM), agon.Player(program=other))]
    for engine in engines:
        engine.done.clear()
    questions.thinker.keep_only([agon.Player(), agon.Player(program=PROGRAM)])
    assert set(questions.thinker.engines) == {OWN, PROGRAM}
    assert [engine.done for engine in engines] == [[], [], ["close"]]
    questions.thinker.close()
    assert [engine.done[-1:] for engine in engines[:2]] == [["close"], ["close"]] and questions.clock.waiting == {}


def test_the_conversation_is_that_of_all_programs_that_play_or_of_the_own_engine(questions: Questions) -> None:
    persons = [agon.Player(), agon.Player()]
    playing = [agon.Player(program=("other.py",), name="Bo"), agon.Player(program=PROGRAM)]
    assert questions.thinker.conversation(persons) == []
    own = questions.ask()
    assert questions.thinker.conversation(persons) == [("", line) for line in own.log]
    assert questions.thinker.conversation(playing) == []
    engines = [questions.ask(player) for player in playing]
    engines[1].name = "Ada"
    for engine, seconds in zip(engines, ((1.0, 3.0), (2.0, 4.0))):
        engine.log[:] = [agon_ai.Said("<", str(when), when) for when in seconds]
    assert [(name, said.text) for name, said in questions.thinker.conversation(playing)] == [
        ("Bo", "1.0"), ("Ada", "2.0"), ("Bo", "3.0"), ("Ada", "4.0")]
    assert questions.thinker.conversation([playing[1], agon.Player(3)]) == [("Ada", line) for line in engines[1].log]
    assert len(questions.thinker.conversation([playing[1]] * 2)) == 2, "a program that plays itself is one program"


def test_a_conversation_says_who_speaks_wherever_that_changes() -> None:
    spoken = [(name, agon_ai.Said(speaker, text)) for name, speaker, text in (
        ("Bo", ">", "agon"), ("Bo", "<", "agonok"), ("Bo", "<", "info"), ("Bo", "!", "  ^"), ("", "<", "x"))]
    assert agon.talk_of(spoken, agon.Texts("de")) == (
        ("name", "An Bo"), (">", "agon"), ("name", "Bo"), ("<", "agonok"), ("<", "info"), ("name", "Fehler von Bo"),
        ("!", "  ^"), ("name", "Der Computerspieler"), ("<", "x"))
    session = on_table()
    assert shown(session).talk is None and "conversation" not in shown(session).resting
    assert shown(session, conversation=True).talk == (("", "The program is asked as soon as it is its turn."),)
    session.open(learning_page()[0])
    view = shown(session, conversation=True)
    assert view.talk is None and "conversation" in view.resting


def test_an_engine_is_told_the_rules_the_level_and_the_moves_of_the_game(monkeypatch: Any) -> None:
    """What the engine plays by is what the player has chosen: said here in the words of the protocol."""
    engine = agon_ai.EngineProcess(OWN)
    monkeypatch.setattr(engine, "start", lambda: None)
    engine.is_ready = True
    thinker = agon.Thinker("test", Clock().jobs(), OWN, lambda command: engine)
    game = played("b1-c2", rules=Rules(queen_first=True, empty_throne_loses=False))
    ask = agon.Asked(agon.Question(agon.Player(5), "go"), game, print, print)
    thinker.ask(ask)
    assert [line.text for line in engine.log] == [
        "setoption name Level value 5", "setoption name Without value none",
        "setoption name QueenFirst value on", "setoption name EmptyThroneLoses value off",
        "setoption name Placement value off", f"position text {Position.start()} moves b1-c2", "go"]


class Answering:
    """In the place of a Thinker: keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: List[Any] = []
        self.done: List[str] = []
        self.is_busy = False

    def ask(self, asked: Any) -> None:
        self.asked.append(asked)

    def cancel(self) -> None:
        self.done.append("cancel")

    def close(self) -> None:
        self.done.append("close")

    def hurry(self) -> None:
        self.done.append("hurry")


def test_the_analysis_looks_at_the_game_without_end_with_three_lines() -> None:
    thinker = Answering()
    analyst, game = agon.Analyst(thinker), Game()
    analyst.begin(game)
    asked, = thinker.asked
    assert asked.question == agon.Question(agon.Player(8), "go infinite multipv 3")
    assert asked.game is game and asked.ply is None and asked.until == "bestmove" and thinker.done == ["cancel"]
    for report in (info(2, 5), info(1, 9), info(2, 7, depth=5)):
        asked.on_info(report)
    assert analyst.report(game) == agon.Report((info(1, 9), info(2, 7, depth=5)))
    assert analyst.report(Game()) == agon.Report()  # another game is on the board
    asked.on_answer(mv("b1-c2"), 9)
    assert len(thinker.asked) == 1 and analyst.report(game).scores == ()


def test_the_analysis_starts_anew_when_it_begins_rests_or_fails() -> None:
    thinker = Answering()
    analyst, game = agon.Analyst(thinker), Game()
    for stop in (lambda: analyst.begin(game), analyst.rest,
                 lambda: thinker.asked[-1].on_failure(agon.Message("fail_slow"))):
        analyst.begin(game)
        thinker.asked[-1].on_info(info(1, 9))
        stop()
        assert analyst.report(game) == agon.Report()
    analyst.close()
    assert thinker.done[-1] == "close"


def test_a_finished_game_is_looked_through_from_its_start_and_its_scores_are_whites() -> None:
    thinker = Answering()
    analyst = agon.Analyst(thinker)
    game = played("b1-c2 b7-c7 k1-k2")
    game.resign(BLACK)
    analyst.begin(game)
    assert analyst.report(game) == agon.Report((), ((3, 100.0),))
    for ply, score, expected in ((0, 40, 0.4), (1, 40, -0.4), (2, None, 0.0)):
        asked = thinker.asked[-1]
        assert (asked.ply, asked.question) == (ply, agon.Question(agon.Player(8), "go movetime 120"))
        asked.on_info(info(1, 1))
        assert analyst.report(game).infos == ()
        asked.on_answer(mv("b1-c2"), score)
        assert dict(analyst.report(game).scores)[ply] == expected
    assert len(thinker.asked) == 3 and [ply for ply, _ in analyst.report(game).scores] == [0, 1, 2, 3]


@pytest.mark.parametrize("end, score", [
    (lambda game: game.resign(WHITE), -100.0), (lambda game: game.resign(BLACK), 100.0), (Game.agree_draw, 0.0)])
def test_the_end_of_the_curve_is_the_result(end: Callable[[Game], None], score: float) -> None:
    game = played("b1-c2")
    end(game)
    analyst = agon.Analyst(Answering())
    analyst.begin(game)
    assert analyst.report(game).scores == ((1, score),)


def test_sure_wins_fill_the_curve() -> None:
    thinker, game = Answering(), played("b1-c2")
    game.agree_draw()
    analyst = agon.Analyst(thinker)
    analyst.begin(game)
    thinker.asked[-1].on_answer(mv("b1-c2"), 3 - agon_ai.WIN)
    assert analyst.report(game).scores == ((0, -100.0), (1, 0.0))


def test_the_curve_stays_while_the_game_is_looked_through_and_goes_with_it() -> None:
    thinker, game = Answering(), played("b1-c2 b7-c7")
    game.resign(WHITE)
    analyst = agon.Analyst(thinker)
    analyst.begin(game)
    thinker.asked[-1].on_answer(mv("b1-c2"), 10)
    game.undo()
    analyst.begin(game)
    assert thinker.asked[-1].question.go == "go infinite multipv 3"
    thinker.asked[-1].on_info(info(1, 5))
    assert analyst.report(game) == agon.Report((info(1, 5),), ((0, 0.1), (2, -100.0)))
    game.redo()
    analyst.begin(game)
    assert thinker.asked[-1].ply == 1  # it goes on where it was
    assert analyst.report(played("b1-c2 k7-k6")).scores == ()
    assert analyst.report(played("b1-c2")).scores == ()
    assert analyst.report(Game(Position.start(BLACK))).scores == ()
    other = played("k1-k2")
    other.resign(WHITE)
    analyst.begin(other)
    assert analyst.report(other).scores == ((1, -100.0),) and analyst.report(game).scores == ()


# -- the commands of a game --

class Dialogs:
    """In the place of the dialogs: what was asked and told; a test presses the buttons."""

    def __init__(self) -> None:
        self.asked: List[types.SimpleNamespace] = []
        self.told: List[Tuple[str, str]] = []
        self.chosen: List[Tuple[str, bool, str]] = []
        self.path = ""

    def ask(self, title: str, question: Any, yes: str, no: str, on_yes: Callable[[], object],
            on_no: Optional[Callable[[], object]] = None, is_safe: bool = True) -> None:
        words = agon.Texts("en").say(question)
        self.asked.append(types.SimpleNamespace(title=title, question=words, yes=yes, no=no, on_yes=on_yes,
                                                on_no=on_no, is_safe=is_safe))

    def tell(self, title: str, message: Any) -> None:
        self.told.append((title, agon.Texts("en").say(message)))

    def ask_exercise(self, before: Any, on_done: Callable[..., object]) -> None:
        self.asked.append(types.SimpleNamespace(before=before, on_done=on_done))

    def ask_name(self, name: str, on_done: Callable[..., object]) -> None:
        self.asked.append(types.SimpleNamespace(name=name, on_done=on_done))

    def ask_new_game(self, before: Any, on_done: Callable[..., object]) -> None:
        self.asked.append(types.SimpleNamespace(before=before, on_done=on_done))

    def choose_file(self, kind: str, for_saving: bool = False, name: str = "") -> str:
        self.chosen.append((kind, for_saving, name))
        return self.path


# --- the theatre -----------------------------------------------------------------

class Show(agon.Theatre if agon else object):  # type: ignore[misc]
    """A theatre whose engine answers at once, within the test."""

    def __init__(self, game: Game, lessons_: Sequence[Lesson] = ()) -> None:
        self.asked: List[Any] = []
        self.jobs: Dict[str, Callable[[], None]] = {}
        self.is_cancelled = False
        super().__init__(game, lessons_, self.asked.append, self.cancel, self)

    def cancel(self) -> None:
        self.is_cancelled = True

    def later(self, name: str, _milliseconds: int, action: Callable[[], None]) -> None:
        self.jobs[name] = action

    def forget(self, name: str) -> None:
        self.jobs.pop(name, None)

    def answer(self, everything: bool = True) -> "Show":
        """Let the engine answer what it has been asked, and what that makes the theatre ask."""
        while self.asked:
            asked = self.asked.pop(0)
            words = asked.question.go.split()
            lines = list(agon_ai.tree_answer(asked.game.position, int(words[2]), asked.game.rules, "plain" in words,
                                             words[words.index("order") + 1]))
            for line in lines[:-1] if asked.on_line else ():
                asked.on_line(line)
            asked.on_answer(lines[-1].partition(" ")[2])
            if not everything:
                break
        return self

    def step(self) -> agon_ai.TreeStep:
        return self.steps[self.now]

    def at(self, kind: str, path: str = "") -> "Show":
        """Go to the first step of this kind, at a node if one is named."""
        self.go_to(next(number for number, step in enumerate(self.steps)
                        if step.kind == kind and path in ("", step.path)))
        return self


def show_of(game: Union[Game, str], lessons_: Sequence[Lesson] = ()) -> Show:
    return Show(Game(pos(game)) if isinstance(game, str) else game, lessons_)


#: Fourteen positions, two plies deep, with cuts.
SHOWN = "Qf6 e4 f5 / Qd4 g5 w"
ENGLISH = agon.Texts("en") if agon else None


def stage(show: Show) -> "agon.Stage":
    view = show.theatre(ENGLISH)
    assert view is not None
    return view.stage


def test_the_stage_holds_every_position_and_every_move_that_was_cut_off() -> None:
    show = show_of(SHOWN).answer()
    drawn = stage(show)
    root = agon_ai.alpha_beta(pos(SHOWN), 2)
    cut = sum(len(child.left_out) for child in root.searched)
    assert len(drawn.nodes) == root.nodes + cut and cut > 0
    assert len(drawn.edges) == len(drawn.nodes) - 1
    assert [node.label for node in drawn.nodes if node.level == 1] == ["f5-e5", "e4-f4", "e4-e5"]
    assert [level[:2] for level in drawn.levels] == [(WHITE, "White"), (BLACK, "Black"), (None, "Leaves")]


def test_boxes_of_a_level_never_touch_and_parents_stand_over_their_children() -> None:
    for lesson in lessons("trees.agon"):
        drawn = stage(show_of(Game(lesson.start)).answer())
        for level in range(len(drawn.levels)):
            columns = [node.column for node in drawn.nodes if node.level == level]
            assert columns == sorted(columns)
            assert all(second - first >= 0.999 for first, second in zip(columns, columns[1:]))
        places = {node.path: node for node in drawn.nodes}
        for node in drawn.nodes:
            children = [places[edge.child].column for edge in drawn.edges if edge.parent == node.path]
            assert not children or abs((children[0] + children[-1]) / 2 - node.column) < 1e-9
            assert 0.5 <= node.column <= drawn.columns - 0.5


def test_the_show_begins_with_the_root_and_ends_with_the_value_that_minimax_finds() -> None:
    for lesson in lessons("trees.agon"):
        show = Show(Game(), [lesson]).answer()
        assert (show.root.position, show.depth, show.number) == (lesson.start, lesson.moves, 1)
        assert (show.step().kind, show.step().path) == ("enter", "0")
        show.go_to(10 ** 6)
        value = agon_ai.minimax(lesson.start, lesson.moves).value
        known = agon.known_after(show.branches, show.steps)
        assert known["0"].stage == "done"
        # A win is told in moves, so it may lie a ply beside the exact one.
        assert abs(known["0"].value - value) <= (1 if abs(value) > agon_ai.SURE_WIN else 0)
        way = [str(show.branches[path].move) for path in agon.best_way(known, "0")]
        assert way == agon_ai.expected_moves(agon_ai.tree_lines(lesson.start, lesson.moves)[0])


def test_values_in_the_tree_are_told_in_steps() -> None:
    values = (340, -20, agon_ai.WIN - 3, 3 - agon_ai.WIN, agon_ai.INFINITY, -agon_ai.INFINITY)
    assert [agon.tree_number(value, ENGLISH) for value in values] == ["+3.4", "−0.2", said("tree_win"), said("tree_loss"),
                                                                      "+∞", "−∞"]


def test_one_sees_alpha_and_beta_move_a_branch_cut_and_why() -> None:
    show = show_of(SHOWN).answer()
    drawn = stage(show)
    assert (drawn.alpha, drawn.beta) == ("−∞", "+∞") and all(node.stage == "waiting" for node in drawn.nodes[1:])
    show.at("cut")
    step, drawn = show.step(), stage(show)
    show.go_to(show.now - 1)
    assert not any(node.stage == "cut" for node in stage(show).nodes), "not yet"
    show.at("cut")
    cut = [node for node in drawn.nodes if node.stage == "cut"]
    assert cut and all(node.kind == "cut" and node.path.startswith(step.path + ".") for node in cut)
    assert {edge.kind for edge in drawn.edges if edge.child in {node.path for node in cut}} == {"cut"}
    (note,) = drawn.notes
    assert note.text == (f"{len(cut)} cut off:\n{agon.tree_number(step.best, ENGLISH)} ≤ "
                         f"{agon.tree_number(step.alpha, ENGLISH)}")
    assert note.begin < cut[0].column < note.end
    columns = [node.column for node in drawn.nodes if node.path.rpartition(".")[0] == step.path]
    assert (note.middle, note.room) == ((columns[0] + columns[-1]) / 2, columns[-1] - columns[0] + 1)
    view = show.theatre(ENGLISH)
    assert view.conclusion.startswith("β ≤ α: ") and cut[0].label in view.conclusion
    assert view.code[view.line].strip() == "break"
    show.at("leave", step.path)
    (parent,) = [node for node in stage(show).nodes if node.path == step.path]
    assert parent.value.startswith("≤ ")


def test_a_value_that_comes_back_climbs_and_the_best_way_is_marked() -> None:
    show = show_of(SHOWN).answer().at("value", "0")
    drawn = stage(show)
    assert drawn.rising == "0.1" and [node.path for node in drawn.nodes if node.is_current] == ["0.1"]
    assert ("0", "0.1", "current") in drawn.edges
    best = {node.path for node in drawn.nodes if node.is_best}
    assert "0.1" in best and len(best) == 2, "the move and the best reply to it"
    assert show.theatre(ENGLISH).conclusion == "For White that is the best so far."


def test_a_tree_that_is_computed_anew_is_shown_from_its_beginning() -> None:
    show = show_of(SHOWN).answer()
    show.go_to(5)
    show.run()
    assert show.is_running
    show.raise_curtain()
    assert (show.now, show.selected, show.counts, show.is_running, show.jobs) == (0, "", {}, False, {})


def test_without_pruning_nothing_is_cut_and_both_counts_are_told() -> None:
    show = show_of(SHOWN).answer()
    pruned = show.theatre(ENGLISH)
    show.choose("pruning_without")
    plain = show.answer().theatre(ENGLISH)
    show.go_to(10 ** 6)
    last = show.theatre(ENGLISH)
    assert not [node for node in last.stage.nodes if node.kind == "cut"] and last.stage.alpha == ""
    assert last.code[0].startswith("def largest(")
    assert plain.counts == pruned.counts and plain.counts[0][1] == 14 > plain.counts[1][1]
    assert "pruning_with" in pruned.chosen and "pruning_without" in plain.chosen and not plain.is_double
    assert [label for _, label in plain.choices[2][1]] == ["with: 12", "without: 14", "both"]


def test_both_searches_stand_beside_each_other_and_what_one_cuts_the_other_works_out() -> None:
    show = show_of(SHOWN).answer()
    show.choose("pruning_both")
    show.at("cut")
    cut = [node.path for node in stage(show).nodes if node.stage == "cut"]
    show.at("leave", show.step().path)
    view = show.theatre(ENGLISH)
    twins = {node.path: node for node in view.whole.nodes}
    assert view.is_double and cut and all(twins[path].stage == "done" and twins[path].value for path in cut)
    assert [node.path for node in view.stage.nodes] == list(twins), "each box has its twin in the other tree"
    assert {node.label for node in view.stage.nodes if node.path in cut} == {twins[path].label for path in cut}
    assert [node.value for node in view.whole.nodes if node.is_current][0] not in ("", "?")
    show.go_to(10 ** 6)
    assert show.theatre(ENGLISH).captions == ("with alpha-beta: 12 of 12 positions",
                                              "without pruning: 14 of 14 positions")
    show.go_to(0)
    assert show.theatre(ENGLISH).captions == ("with alpha-beta: 1 of 12 positions", "without pruning: 1 of 14 positions")
    show.choose(f"node_{cut[0]}")
    assert not any(node.is_selected and node.path != cut[0] for node in show.theatre(ENGLISH).whole.nodes)
    reasons = show.theatre(ENGLISH).reasons
    assert show.game.ply == 2 and (reasons.heading, reasons.text) == ("No value yet", said("reasons_waiting_text"))
    assert reasons.parts == () and reasons.total == 0, "what it will be worth is not told before"


def test_the_show_goes_on_where_it_is_when_pruning_is_switched_on_or_off() -> None:
    show = show_of(SHOWN).answer().at("leave", "0.2")
    show.choose("pruning_without")
    assert not show.asked and (show.step().kind, show.step().path) == ("leave", "0.2")
    show.at("leaf", "0.2.3")
    show.choose("pruning_with")
    assert (show.step().kind, show.step().path) == ("value", "0.2"), "what comes next has been cut off"


def test_a_large_tree_is_not_shown_twice_and_its_other_search_is_asked_for_only_when_it_is_wanted() -> None:
    show = show_of("Qf2 d4 c5 h4 / Qf10 d5 g8 w").answer()
    assert show.plain > agon.WHOLE_TREE and [name for name, _ in show.theatre(ENGLISH).choices[2][1]] == [
        "pruning_with", "pruning_without"]
    show.choose("pruning_both")
    view = show.theatre(ENGLISH)
    assert "pruning_with" in view.chosen and not view.is_double and view.whole == agon.Stage() and not show.asked
    show.choose("pruning_without")
    assert [asked.question.go for asked in show.asked] == ["tree depth 2 plain order rules"]
    assert show.theatre(ENGLISH).sentence == said("say_thinking")
    assert show.answer().theatre(ENGLISH).code[0].startswith("def largest(")
    show.choose("pruning_with")
    assert not show.theatre(ENGLISH).whole.nodes


def test_folding_one_of_both_trees_folds_its_twin() -> None:
    show = show_of(SHOWN).answer()
    show.choose("pruning_both")
    show.choose("fold_0.2")
    view = show.theatre(ENGLISH)
    for drawn in (view.stage, view.whole):
        assert [node.path for node in drawn.nodes if node.kind == "folded"] == ["0.2"]
    show.go_to(10 ** 6)
    assert show.theatre(ENGLISH).captions[1] == "without pruning: 14 of 14 positions"


def test_the_order_of_moves_can_be_chosen_and_all_orders_are_counted() -> None:
    show = show_of(SHOWN).answer()
    expected = {order: agon_ai.alpha_beta(pos(SHOWN), 2, order=order).nodes for order in agon_ai.ORDERS}
    assert dict(show.theatre(ENGLISH).orders) == expected
    show.choose("order_bad")
    show.answer(everything=False)
    first = [branch.label for branch in show.branches.values() if branch.path.count(".") == 1]
    assert first == [str(move) for move in agon_ai.alpha_beta(pos(SHOWN), 2, order="bad").moves]
    assert show.counts == {"bad": expected["bad"]}


def test_a_large_tree_is_folded_and_unfolds_where_one_wants_to_look() -> None:
    show = show_of("Qf2 d4 c5 h4 / Qf10 d5 g8 w").answer()
    folded = [branch for branch in show.branches.values() if branch.folded]
    assert len(show.branches) < 40 and len(folded) == len(Game(show.root.position).legal_moves())
    show.at("folded", "0.2")
    assert show.theatre(ENGLISH).sentence.startswith(f"Behind {show.branches['0.2'].label} lie ")
    assert show.theatre(ENGLISH).code[show.step().line].strip() == "return best"
    show.choose("fold_0.2")
    assert show.branches["0.2"].children and not show.branches["0.2"].folded and show.branches["0.3"].folded
    assert (show.step().kind, show.step().path) == ("enter", "0.2")
    show.choose("fold_0.2")
    assert show.branches["0.2"].folded
    show.choose("fold_0")
    assert not show.branches["0"].folded, "the root stays open"


def test_what_stands_in_a_box_depends_on_who_is_to_move_there() -> None:
    show = show_of(SHOWN).answer(everything=False)
    show.go_to(10 ** 6)
    kinds = {node.level: set() for node in stage(show).nodes}
    for node in stage(show).nodes:
        kinds[node.level].add(node.kind)
    assert kinds == {0: {"max"}, 1: {"min"}, 2: {"leaf", "cut"}}
    show.choose("node_" + next(node.path for node in stage(show).nodes if node.kind == "cut"))
    reasons = show.theatre(ENGLISH).reasons
    assert (reasons.heading, reasons.text, reasons.parts) == (said("reasons_cut"), said("reasons_cut_text"), ())


def test_a_small_tree_can_be_folded_too() -> None:
    show = show_of(SHOWN).answer()
    shown = len(show.branches)
    show.choose("fold_0.1")
    assert show.branches["0.1"].folded == 3 and len(show.branches) == shown - 3
    show.choose("node_0.1")
    assert show.theatre(ENGLISH).reasons.text == said("reasons_folded", count=3)
    show.choose("node_0")
    assert show.theatre(ENGLISH).reasons.text == said("reasons_white")


def test_the_second_tree_of_a_small_position_leaves_the_show_where_it_is() -> None:
    show = show_of(SHOWN).answer(everything=False)
    assert show.depth == 2 and show.now == 0 and len(show.steps) > 4
    show.go_to(4)
    show.answer()
    assert show.now == 4 and show.plain


def test_the_parts_of_a_leaf_add_up_to_its_value() -> None:
    show = show_of(SHOWN).answer().at("leaf")
    reasons = show.theatre(ENGLISH).reasons
    value = show.step().value
    assert round(100 * reasons.total) == value and reasons.heading == f"Why {agon.tree_number(value, ENGLISH)}?"
    sizes = [abs(part) for _, part in reasons.parts]
    assert sizes == sorted(sizes, reverse=True) and 0 not in sizes
    rows = agon.ReasonBox.rows_of(reasons, 3, "rest")
    assert len(rows) == 3 and rows[:2] == list(reasons.parts[:2]) and rows[2][0] == "rest"
    assert abs(sum(value for _, value in rows) - reasons.total) < 1e-9
    assert {f"part_{name}" for name in agon_ai.PARTS} <= set(agon.TEXTS)


def test_a_node_that_is_selected_is_shown_on_the_board_and_explained() -> None:
    show = show_of(SHOWN).answer()
    show.choose("node_0.1.2")
    moves = show.theatre(ENGLISH).reasons.context
    assert show.game.position == show.branches["0.1.2"].position and show.game.ply == 2
    assert moves == "after f5-e5, " + show.branches["0.1.2"].label
    show.choose("node_down")
    assert show.selected == "0.1.3"
    show.choose("node_up")
    show.choose("node_up")
    assert show.selected == "0.1.1"
    show.commands()["next"]()
    assert show.selected == "" and show.game.position == show.branches[show.step().path].position


def test_a_game_that_ends_in_the_tree_says_who_has_won() -> None:
    lesson = lessons("trees.agon")[3]
    show = Show(Game(), [lesson]).answer()
    wins = [node for node in (show.go_to(10 ** 6), stage(show))[1].nodes if node.value == "+win"]
    assert {node.level for node in wins} == {0, 1}
    show.at("leaf", next(node.path for node in wins if node.level == 1))
    view = show.theatre(agon.Texts("de"))
    assert view.sentence == "Nach h5-g5# ist das Spiel aus: Weiß hat gewonnen." and view.reasons.parts == ()


def test_beside_the_code_stand_the_values_of_the_moment() -> None:
    show = show_of(SHOWN).answer()
    compared = set()
    for number, step in enumerate(show.steps):
        show.go_to(number)
        source, told = agon_ai.source_of(step.function), dict(show.theatre(ENGLISH).remarks)
        expected = {}
        for line, text in enumerate(source):
            words = text.split()
            if words[:2] == ["best", "="] and "child" in text and step.best is not None:
                expected[line] = agon.tree_number(step.best, ENGLISH)
            elif words[:2] in (["alpha", "="], ["beta", "="]):
                expected[line] = agon.tree_number(getattr(step, words[0]), ENGLISH)
            elif words[0] == "if" and "alpha" in text and step.kind == "cut":
                expected[line] = f"{agon.tree_number(step.alpha, ENGLISH)} ≥ {agon.tree_number(step.beta, ENGLISH)}"
                compared.add(step.path)
        assert told == expected, step
    assert compared


def shown_buttons(show: Show) -> Dict[str, bool]:
    """Which buttons of the theatre can be pressed."""
    return {button.command: button.is_possible for button in show.theatre(ENGLISH).buttons}


def test_the_show_runs_by_itself_until_its_end_or_until_it_is_stopped() -> None:
    show = show_of(SHOWN).answer()
    show.commands()["show_run"]()
    assert show.theatre(ENGLISH).is_running and show.now == 0
    assert not shown_buttons(show)["previous"]
    show.jobs.pop("show")()
    assert show.now == 1 and "show" in show.jobs and shown_buttons(show)["previous"]
    show.commands()["previous"]()
    assert show.now == 0 and show.jobs == {} and not show.is_running
    show.go_to(len(show.steps) - 2)
    show.run()
    show.jobs.pop("show")()
    assert not show.is_running and show.jobs == {} and show.now == len(show.steps) - 1
    show.run()
    assert show.now == 0 and show.is_running, "from the end it begins anew"
    show.leave()
    assert show.jobs == {} and show.is_cancelled


def test_a_show_stops_when_something_else_gets_the_board_but_not_when_it_is_opened_once_more() -> None:
    session, show = on_table(), show_of(SHOWN).answer()
    session.open(show)
    show.run()
    session.open(show)
    assert show.is_running
    session.close()
    assert not show.is_running


def test_the_theatre_opens_with_the_board_or_before_and_after_a_game_with_an_example() -> None:
    trees = lessons("trees.agon")
    assert Show(Game(), trees).number == 1
    assert Show(Game()).number == 0
    assert Show(played("b1-c2"), trees).number == 0
    assert Show(Game(pos(SHOWN)), trees).number == 0
    over = played("b1-c2")
    over.resign(WHITE)
    assert Show(over, trees).number == 1
    finished = Show(Game(pos("Qf6 e5 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 b")))
    assert finished.asked == [] and finished.theatre(ENGLISH).sentence == said("tree_over")


def test_an_engine_that_fails_is_said_in_place_of_the_tree_but_not_beside_it() -> None:
    show = show_of(SHOWN)
    show.asked[0].on_failure(agon.Message("say_wait"))
    assert show.theatre(ENGLISH).sentence == said("say_wait") and stage(show) == agon.Stage()
    show = show_of(SHOWN).answer()
    show._failed(agon.Message("say_wait"))
    assert show.theatre(ENGLISH).sentence != said("say_wait")


def test_every_step_of_every_example_is_told_in_both_languages() -> None:
    for lesson in lessons("trees.agon"):
        show = Show(Game(), [lesson]).answer()
        for number in range(len(show.steps)):
            show.go_to(number)
            views = [show.theatre(agon.Texts(language)) for language in ("de", "en")]
            assert views[0].sentence and views[0].sentence != views[1].sentence
            assert not any("{" in view.sentence + view.conclusion for view in views)
            assert views[0].progress == f"Schritt {number + 1} von {len(show.steps)}"
            assert views[0].code[views[0].line]


def learning_page(text: str = SHOWN) -> Tuple["agon.Learning", List[str]]:
    """The page about learning with a position, and what is played against from there."""
    begun: List[str] = []
    return agon.Learning(Game(pos(text)), begun.append), begun


def test_the_page_about_learning_shows_the_curve_and_every_number_before_and_after() -> None:
    view = learning_page()[0].learning(ENGLISH)
    assert view.curve == agon_ai.LEARNT
    assert [row.part for row in view.rows] == list(agon_ai.PARTS)
    trapped = {row.part: row for row in view.rows}["trapped"]
    assert trapped.after == tuple(value / 100 for value in agon_ai.WEIGHTS.trapped)
    assert trapped.before == tuple(value / 100 for value in agon_ai.SIMPLE.trapped)
    assert round(100 * view.reasons.total) == agon_ai.evaluate(pos(SHOWN)) and not view.buttons[2].is_possible


def test_the_curve_of_learning_is_what_the_readme_tells() -> None:
    text = " ".join(text_of("README.md").split("### Learn")[1].split())
    for curve in agon_ai.LEARNT:
        errors = [str(error) for _, error in curve]
        assert errors[0] in text and ", ".join(errors[1:-1]) in text and f"and {errors[-1]} with" in text
        games = [str(count) for count, _ in curve[1:]]
        assert ", ".join(games[:-1]) + f" and {games[-1]} games" in text


def test_a_weight_can_be_changed_and_the_result_played_against() -> None:
    page, begun = learning_page()
    page.choose(f"row_{list(agon_ai.PARTS).index('trapped')}")
    page.choose("percent_0")
    page.choose("percent_more")
    assert page.weights_text() == "trapped=50"
    page.choose("percent_less")
    page.choose("row_up")
    page.choose("percent_more")
    page.choose("percent_more")
    page.choose("row_up")
    page.choose("percent_less")
    assert page.weights_text() == "threat=50,danger=200,trapped=0"
    weights = agon_ai.changed_weights(page.weights_text())
    assert weights.trapped == (0,) * len(agon_ai.WEIGHTS.trapped) and weights.danger[1] == 2 * agon_ai.WEIGHTS.danger[1]
    assert round(100 * page.learning(ENGLISH).reasons.total) == agon_ai.evaluate(pos(SHOWN), weights)
    page.play_weights(False)
    page.play_weights(True)
    page.commands()["learning_reset"]()
    page.play_weights(False)
    assert begun == ["threat=50,danger=200,trapped=0", "beginner", "none"]


def test_the_computer_plays_with_changed_numbers_and_the_game_file_keeps_them() -> None:
    desk = Desk(on_table())
    desk.game_commands.play_against_weights("threat=0")
    player = desk.session.running.players[BLACK]
    assert player == agon.Player(8, weights="threat=0") and desk.session.running.players[WHITE].is_person
    assert agon.Player.from_file_name(player.file_name()) == player
    assert agon.Player.from_file_name("Computer level 8 with nonsense=3") == agon.Player(8)
    desk.game_commands.play_against_weights("none")
    assert desk.session.running.players[BLACK] == agon.Player(8)
    game = running("b1-c2", levels=(0, 8))
    game.seat([agon.Player(), player])
    assert game.settled().ask == agon.Question(player, "go depth 3")
    assert agon.player_name(game, BLACK, ENGLISH) == "Computer with your numbers"


class Desk:
    """The commands of a game with what they need, and a record of what they do."""

    def __init__(self, session: "agon.Session", writer: Any = None, **settings: Any) -> None:
        self.session = session
        self.store = agon.Store(writer or Pad())
        self.store.settings = agon.Settings(**settings)
        self.thinker = Answering()
        self.dialogs = Dialogs()
        self.questions: List[Any] = []
        self.performed: List[Any] = []
        self.changes = 0
        self.links: List[Any] = []
        self.game_commands = agon.GameCommands(
            session, self.store, self.thinker, self.dialogs, self.change, self.ask, self.performed.append,
            self.links.append)
        self.lesson_commands = agon.LessonCommands(
            session, self.store, self.dialogs, self.change, Tried(), self.game_commands.play_position, self.make_theatre,
            self.game_commands.play_against_weights)
        self.commands = {command.key: command for part in (self.game_commands, self.lesson_commands)
                         for command in part.commands()}

    def make_theatre(self, game: Game, lessons: Sequence[Lesson]) -> "agon.Theatre":
        return show_of(game, lessons)

    def change(self, action: Callable[..., object], *values: object) -> None:
        self.changes += 1
        action(*values)

    def ask(self, question: Any, on_answer: Callable[..., Any]) -> None:
        self.questions.append(question)
        self.on_answer = on_answer

    def run(self, key: str) -> None:
        self.commands[key].action()

    @property
    def players(self) -> List[Tuple[int, Tuple[str, ...]]]:
        return [(player.level, player.program) for player in self.session.running.players]

    @property
    def game(self) -> Game:
        return self.session.running.game

    @property
    def settings(self) -> Any:
        return self.store.settings

    @property
    def words(self) -> str:
        return agon.Texts("en").say(self.session.message) if self.session.message else ""


def desk(moves: str = "", settings: Optional[Dict[str, Any]] = None, **game: Any) -> Desk:
    return Desk(on_table(moves, **game), **(settings or {}))


def test_every_command_has_a_text_and_its_own_key_and_shortcut() -> None:
    keys = [command.key for part in (desk().game_commands, desk().lesson_commands) for command in part.commands()]
    assert len(keys) == len(set(keys)) and set(keys) <= set(agon.TEXTS) | {"play_at_once"}
    shortcuts = [command.shortcut for command in desk().commands.values() if command.shortcut]
    assert len(shortcuts) == len(set(shortcuts)) >= 14


def results(at: Desk) -> List[Tuple[int, int, str, int]]:
    """Level, side, result and number of moves of the games that have been counted."""
    return [tuple(game)[1:] for game in sorted(at.store.progress.games)]


@pytest.mark.parametrize("levels, resigns, expected", [
    ((0, 3), WHITE, [(3, WHITE, "lost", 2)]), ((0, 3), BLACK, [(3, WHITE, "won", 2)]), ((0, 3), None, [(3, WHITE, "drawn", 2)]),
    ((5, 0), WHITE, [(5, BLACK, "won", 2)]), ((0, 0), WHITE, []), ((3, 4), WHITE, [])])
def test_a_game_against_a_level_counts_for_who_played_it(
        levels: Tuple[int, int], resigns: Optional[int], expected: List[Any]) -> None:
    at = desk("b1-c2 b7-c7 k1-k2", levels=levels)
    at.game_commands.count_result()
    assert results(at) == []
    at.game.agree_draw() if resigns is None else at.game.resign(resigns)
    at.game_commands.count_result()
    at.game_commands.count_result()
    assert results(at) == expected


def test_a_game_counts_once_even_if_its_end_is_taken_back_and_not_if_it_came_finished() -> None:
    at = desk("b1-c2", levels=(0, 2))
    at.game.resign(WHITE)
    at.game_commands.count_result()
    at.game.reopen()
    at.game.resign(BLACK)
    at.game_commands.count_result()
    assert results(at) == [(2, WHITE, "lost", 1)]
    finished = played("b1-c2")
    finished.resign(BLACK)
    at.game_commands.adopt(agon.RunningGame(finished, at.session.running.players, Tried()))
    at.game_commands.count_result()
    assert len(results(at)) == 1


def test_only_whole_games_count() -> None:
    at = desk(start=ONE_MOVE_TO_WIN, levels=(0, 2))
    at.game.play(mv("h5-g6"))
    at.game_commands.count_result()
    assert at.game.outcome().winner == WHITE and results(at) == []


def seats(white: int, black: int, level: int = 2) -> "Tuple[agon.Seat, agon.Seat]":
    """Two seats; a level of 0 is a person, who had the computer on `level`."""
    return tuple(agon.Seat("level", level=number) if number else agon.Seat(level=level) for number in (white, black))


def test_a_new_game_is_the_one_described_and_remembered_for_the_next_time() -> None:
    at = desk("b1-c2", {"white": 0, "black": 3, "level": 3})
    first = at.session.running
    at.run("new_game")
    asked, = at.dialogs.asked
    assert asked.before == agon.NewGame(seats(0, 3, 3), False, Rules()) and at.changes == 0
    asked.on_done(agon.NewGame(seats(4, 0, 4), False, Rules(True, False)))
    assert at.players == [(4, ()), (0, ())] and at.game.rules == Rules(True, False) and at.changes == 1
    assert at.game.start == Position.start() and at.game.ply == 0
    assert re.fullmatch(r"\d{4}\.\d\d\.\d\d", at.game.headers["Date"])
    assert at.session.previous is first and at.session.table is at.session.running
    assert at.settings.flipped and at.session.running.attempt is first.attempt
    assert at.game_commands.wanted() == agon.NewGame(seats(4, 0, 4), False, Rules(True, False))


def test_any_pair_can_play_each_with_its_own_level_program_or_name() -> None:
    at = desk()
    pair = agon.Seat("level", level=3), agon.Seat("level", level=6)
    at.game_commands.start(agon.NewGame(pair, False, PLACING))
    assert at.players == [(3, ()), (6, ())] and at.game.start == Position.start(rules=PLACING)
    assert at.game_commands.wanted() == agon.NewGame(pair, False, PLACING)
    pair = agon.Seat("program", program="a.py", called="A"), agon.Seat("program", program="b.py", called="B")
    at.game_commands.start(agon.NewGame(pair, False, Rules()))
    assert [player.called for player in at.session.running.players] == ["A", "B"]
    assert at.session.running.headers() == {"White": "Program A", "Black": "Program B"}
    assert [seat.called for seat in at.game_commands.wanted().seats] == ["A", "B"]


def test_another_computer_is_one_more_kind_of_player_of_a_new_game() -> None:
    at = desk()
    before = at.session.running
    pair = agon.Seat("other", role="join", address="1.2.3.4", code="0042"), agon.Seat(name="Ada")
    at.game_commands.start(agon.NewGame(pair, False, PLACING))
    assert at.links == [agon.LinkWanted("join", BLACK, address="1.2.3.4", code="0042", name="Ada")]
    assert at.session.running is before and at.settings.rules == PLACING
    white, black = at.game_commands.wanted().seats
    assert (white.kind, black.kind, black.name) == ("person", "person", "Ada"), "nobody is there the next time"
    at.game_commands.start(agon.NewGame(pair[::-1], False, Rules()))
    assert at.links[1].side == WHITE and agon.NewGame((agon.Seat(), agon.Seat()), False, Rules()).link is None


@pytest.mark.parametrize("role, address, code, is_complete", [
    ("host", "", "", True), ("join", "a", "1234", True), ("join", "", "1234", False), ("watch", "a", "123", False),
    ("join", "a", "١٢٣٤", False)])
def test_address_and_four_digits_are_needed_to_go_to_another_computer(
        role: str, address: str, code: str, is_complete: bool) -> None:
    assert agon.LinkWanted(role, address=address, code=code).is_complete == is_complete


def test_the_own_program_is_asked_for_as_black_unless_one_plays_already() -> None:
    for stored, kinds in (({"white": 0, "black": 2}, ["person", "program"]), ({"white": -1, "black": 0}, ["program", "person"])):
        at = desk(settings=stored)
        at.run("own_program")
        assert [seat.kind for seat in at.dialogs.asked[0].before.seats] == kinds and at.changes == 0


def test_who_begins_is_drawn_by_lot_where_that_is_wanted(monkeypatch: Any) -> None:
    drawn = []
    monkeypatch.setattr(agon.random, "choice", lambda sides: drawn.append(sides) or sides[-1])
    at = desk()
    at.game_commands.start(agon.NewGame(seats(0, 0), True, Rules()))
    assert at.game.position.turn == BLACK and drawn == [(WHITE, BLACK)] and at.settings.by_lot
    at.game_commands.start(agon.NewGame(seats(0, 0), False, Rules()))
    assert at.game.position.turn == WHITE and len(drawn) == 1


@pytest.mark.parametrize("levels, flipped", [((0, 3), False), ((3, 0), True), ((0, 0), False), ((3, 3), False)])
def test_the_only_person_plays_from_below(levels: Tuple[int, int], flipped: bool) -> None:
    for before in (False, True):
        at = desk(settings={"flipped": before})
        at.game_commands.start(agon.NewGame(seats(*levels), False, Rules()))
        assert at.settings.flipped == flipped


def test_a_newcomer_plays_at_once_against_level_1() -> None:
    at = desk(settings={"white": 5, "black": 5, "level": 5, "queen_first": True})
    at.run("play_at_once")
    assert at.players == [(0, ()), (1, ())] and not at.settings.is_new and at.game.rules == Rules(queen_first=True)
    assert (at.settings.white, at.settings.black, at.settings.level) == (0, 1, 1)


def test_once_more_begins_the_same_game_with_changed_sides() -> None:
    for start in (str(Position.start()), ONE_MOVE_TO_WIN):
        at = desk(levels=(3, 0), start=start, rules=Rules(True, False), path="/x/old.agon")
        at.game.play(at.game.legal_moves()[0])
        old = at.session.running
        at.run("again")
        assert at.players == [(0, ()), (3, ())] and at.game.rules == Rules(True, False) and at.game.length == 0
        assert str(at.game.start) == str(pos(start)) and at.session.previous is old and at.session.running.path == ""
        assert not at.settings.flipped and at.session.running is not old
        at.run("again")
        assert at.players == [(3, ()), (0, ())] and at.settings.flipped


@pytest.mark.parametrize("levels, expected", [((0, 3), (0, 4)), ((1, 0), (2, 0)), ((0, 8), (0, 8))])
def test_the_next_level_is_one_higher(levels: Tuple[int, int], expected: Tuple[int, int]) -> None:
    at = desk("b1-c2", levels=levels)
    at.run("next_level")
    assert at.players == [(level, ()) for level in expected] and at.game.length == 0
    assert (at.settings.white, at.settings.black, at.settings.level) == (*expected, max(expected))


def test_a_replaced_game_comes_back_by_its_command() -> None:
    at = desk("b1-c2")
    at.run("again")
    at.run("previous_game")
    assert at.game.ply == 1 and at.changes == 2


def test_undo_and_redo_go_to_ones_own_turn() -> None:
    at = desk("b1-c2 b7-c7 k1-k2 k7-k6", levels=(0, 3))
    at.run("undo")
    assert at.game.ply == 2
    at.run("undo")
    assert at.game.ply == 0
    at.run("redo")
    assert at.game.ply == 2 and not at.session.running.is_paused and at.changes == 3


def test_undo_takes_a_resignation_back_before_it_takes_moves_back() -> None:
    at = desk("b1-c2")
    at.game.resign(BLACK)
    at.run("undo")
    assert at.game.outcome() is None and at.game.ply == 1
    at.run("undo")
    assert at.game.ply == 0


def test_one_goes_through_the_game_and_not_beyond_its_ends() -> None:
    at = desk("b1-c2 b7-c7 k1-k2", levels=(0, 3))
    for key, ply in (("next", 3), ("previous", 2), ("previous", 1), ("next", 2), ("first", 0), ("first", 0),
                     ("previous", 0), ("last", 3), ("last", 3)):
        changes = at.changes
        before = at.game.ply
        at.run(key)
        assert at.game.ply == ply and at.changes - changes == (before != ply), key
    at.game_commands.go_to(1)
    assert at.game.ply == 1 and at.session.running.looks_back and at.session.running.is_paused
    at.game_commands.go_to(-3)
    assert at.game.ply == 0
    at.game_commands.go_to(99)
    assert at.game.ply == 3


def test_looking_through_a_resigned_game_does_not_revive_it() -> None:
    at = desk("b1-c2")
    at.game.resign(BLACK)
    at.run("previous")
    assert at.game.outcome() is None
    at.run("next")
    assert at.game.outcome() == Outcome(WHITE, Ending.RESIGNATION)


def test_a_hint_comes_from_the_strongest_level_and_is_shown_as_an_arrow() -> None:
    at = desk(start=FORBIDDEN_STEP, levels=(0, 1))
    at.session.refuse(mv("c4-d4"))
    at.run("hint")
    assert at.questions == [agon.Question(agon.Player(8), "go movetime 1000")]
    assert at.words == said("say_thinking") and not at.session.is_refusal and at.session.marks == agon.Marks()
    for mode in (agon.Mode.IDLE, agon.Mode.SELECTED):
        at.session.mode = mode
        say = agon.hint_message(at.game, mv("c4-c5"), 7)
        assert at.on_answer(mv("c4-c5"), 7) == agon.Next(mode, show=mv("c4-c5"), say=say)
    at.thinker.is_busy = True
    at.run("hint")
    assert len(at.questions) == 1


def test_a_hint_says_what_the_move_is_good_for_in_the_language_chosen() -> None:
    game = Game(pos("Qf2 d4 h4 c5 / Qf10 d5 g8 w"))
    hint = agon.hint_message(game, mv("c5-d6"), 40)
    assert agon.Texts("en").say(hint) == "Suggestion: c5-d6+. The move traps d5."
    assert agon.Texts("de").say(hint) == "Vorschlag: c5-d6+. Der Zug schließt d5 ein."
    assert agon.Texts("en").say(agon.hint_message(game, mv("c5-d6"), None)) == "Suggestion: c5-d6+"
    nothing = agon.hint_message(Game(pos("Qf1 a5 / Qf11 l6 w")), mv("a5-a4"), 40)
    assert agon.Texts("en").say(nothing) == "Suggestion: a5-a4"


@pytest.mark.parametrize("kind", agon_ai.REASONS)
def test_every_reason_has_words_in_both_languages_with_all_it_is_about(kind: str) -> None:
    for number in (0, 1, 2):
        why = agon_ai.Reason(kind, (parse_cell("e5"), parse_cell("f7"), parse_cell("g7")), None, "d5-d6+", number)
        english, german = (agon.Texts(language).say(agon.why_message(why)) for language in ("en", "de"))
        assert english != german
        for blank, words, native in (("{cells}", "e5, f7 and g7", "e5, f7 und g7"), ("{move}", "d5-d6+", "d5-d6+")):
            is_told = blank in agon_ai.REASONS[kind]
            assert (words in english) == (native in german) == is_told
        assert ("2" in english) == ("2" in german) == ("{number}" in agon_ai.REASONS[kind] and number == 2)
        assert "0" not in english + german


def test_in_a_lesson_the_lesson_gives_the_hint(classroom: Path) -> None:
    at = desk()
    at.session.open(open_puzzles())
    at.session.say(agon.Message("say_wait"))
    at.run("hint")
    at.run("hint")
    assert [following.show for following in at.performed] == [None, mv("c4-d4")]
    assert at.performed[0].point == parse_cell("c4") and at.questions == []


def test_move_now_hurries_the_engine() -> None:
    at = desk()
    at.run("move_now")
    assert at.thinker.done == ["hurry"]


def test_the_computer_is_held_up_and_let_go_on() -> None:
    at = desk(levels=(3, 3))
    for is_paused in (True, False):
        at.run("pause")
        assert at.session.running.is_paused == is_paused
    assert at.changes == 2


@pytest.mark.parametrize("game, helper", [
    ({}, agon and agon.Player(5)), ({"levels": (3, 3), "is_paused": True}, agon and agon.Player(3)),
    ({"programs": ("x.py", "")}, agon and agon.Player(program=("x.py",)))])
def test_one_move_is_made_by_the_computer_of_that_side_or_else_on_the_level_of_the_settings(
        game: Dict[str, Any], helper: Any) -> None:
    at = desk(settings={"level": 5}, **game)
    at.run("one_move")
    assert at.session.running.helper == helper and at.changes == 1
    assert at.session.running.settled().ask.player == helper


@pytest.mark.parametrize("before, levels, after, stored_levels", [
    ((0, 3), (0, 2), (0, 6), (0, 6)), ((3, 0), (0, 2), (6, 0), (0, 6)), ((2, 3), (4, 4), (6, 6), (6, 6)),
    ((0, 0), (0, 0), (0, 0), (0, 0))])
def test_the_level_is_changed_in_the_running_game_and_for_the_next(
        before: Tuple[int, int], levels: Tuple[int, int], after: Tuple[int, int], stored_levels: Tuple[int, int]
) -> None:
    at = desk(settings={"white": levels[0], "black": levels[1], "level": 2}, levels=before)
    at.game_commands.set_level(6)
    assert at.players == [(level, ()) for level in after] and at.changes == 1
    assert (at.settings.white, at.settings.black, at.settings.level) == (*stored_levels, 6)
    assert at.game_commands.level() == 6


def test_the_level_shown_is_that_of_the_running_game() -> None:
    assert desk(levels=(0, 3), settings={"level": 7}).game_commands.level() == 3
    assert desk(levels=(0, 0), settings={"level": 7}).game_commands.level() == 7
    levels = desk().game_commands.levels(agon.Texts("de"))
    assert levels == [(number, f"Stufe {number}") for number in range(1, 9)]


def test_changing_sides_turns_the_board() -> None:
    at = desk("b1-c2", levels=(0, 3))
    at.run("swap")
    assert at.players == [(3, ()), (0, ())] and at.settings.flipped and at.changes == 1
    at.run("swap")
    assert at.players == [(0, ()), (3, ())] and not at.settings.flipped


def test_level_and_sides_change_behind_a_lesson_without_touching_it(classroom: Path) -> None:
    at = desk(levels=(0, 3))
    tour = open_tour()
    at.session.open(tour)
    after(tour, "f3-e3")
    at.game_commands.set_level(5)
    at.run("swap")
    assert at.players == [(5, ()), (0, ())] and at.changes == 0 and tour.step == 1 and at.session.table is tour


def test_a_program_of_ones_own_plays_the_side_chosen(tmp_path: Path) -> None:
    path = tmp_path / "my player.py"
    path.write_text("", "utf-8")
    for side in (WHITE, BLACK):
        at = desk("b1-c2")
        pair = [agon.Seat(), agon.Seat()]
        pair[side] = agon.Seat("program", program=f'"{path}" --fast')
        at.game_commands.start(agon.NewGame(tuple(pair), False, Rules(queen_first=True)))
        assert at.players[side] == (0, (sys.executable, str(path), "--fast")) and at.players[1 - side] == (0, ())
        assert at.settings.program == f'"{path}" --fast' and at.game.rules == Rules(queen_first=True)
        assert at.settings.flipped == (side == WHITE) and at.game.length == 0 and "Date" in at.game.headers


@pytest.mark.parametrize("moves, levels, winner, question", [
    ("", (0, 0), BLACK, "White, do you really want to resign?"),
    ("b1-c2", (0, 0), WHITE, "Black, do you really want to resign?"),
    ("", (0, 3), BLACK, "Do you really want to resign?"), ("b1-c2", (0, 3), BLACK, "Do you really want to resign?"),
    ("", (3, 0), WHITE, "Do you really want to resign?")])
def test_who_resigns_is_asked_first_and_cancel_has_the_focus(
        moves: str, levels: Tuple[int, int], winner: int, question: str) -> None:
    at = desk(moves, levels=levels)
    at.run("resign")
    asked, = at.dialogs.asked
    assert (asked.question, asked.yes, asked.no, asked.is_safe, asked.on_no) == (
        question, "resign_yes", "cancel", False, None)
    assert at.game.outcome() is None
    asked.on_yes()
    assert at.game.outcome() == Outcome(winner, Ending.RESIGNATION) and at.changes == 1


def test_a_draw_is_explained_and_offered_to_the_other_person_who_may_decline() -> None:
    at = desk("f1-e1 f11-e10 e1-f1 e10-f11")
    at.run("offer_draw")
    asked, = at.dialogs.asked
    assert (asked.title, asked.yes, asked.no, asked.is_safe) == ("draw_title", "draw_yes", "cancel", True)
    assert "(occurrences now: 2)" in asked.question and "(now: 4)" in asked.question
    asked.on_yes()
    question = at.dialogs.asked[1]
    assert question.question == "White offers a draw. Black, do you accept?"
    assert (question.yes, question.no, question.on_no) == ("accept", "decline", None) and at.game.outcome() is None
    question.on_yes()
    assert at.game.outcome() == Outcome(None, Ending.AGREEMENT) and at.changes == 1 and at.questions == []


def offer(ply: int, score: Optional[int]) -> Tuple[Desk, Any]:
    """A draw offered to the computer after so many moves, and what its answer leads to."""
    game = quiet_game(ply)
    running = agon.RunningGame(game, [agon.Player(level) for level in ((0, 2), (2, 0))[ply % 2]], Tried())
    at = Desk(agon.Session(running))
    at.run("offer_draw")
    at.dialogs.asked[0].on_yes()
    assert at.questions == [agon.Question(agon.Player(8), "go movetime 1000")] and at.words == said("say_thinking")
    return at, at.on_answer(game.legal_moves()[0], score)


@pytest.mark.parametrize("ply, score", [(20, 50), (21, 50), (40, 900)])
def test_the_computer_accepts_a_draw_when_the_player_stands_better(ply: int, score: int) -> None:
    at, following = offer(ply, score)
    assert at.game.outcome() == Outcome(None, Ending.AGREEMENT) and following == agon.Next() and at.changes == 1


@pytest.mark.parametrize("ply, score", [(20, 49), (20, -900), (20, None), (19, 900), (0, 900)])
def test_the_computer_declines_a_draw_when_it_stands_as_well_and_in_the_beginning(
        ply: int, score: Optional[int]) -> None:
    at, following = offer(ply, score)
    assert at.game.outcome() is None and at.changes == 0
    assert following == agon.Next(say=agon.Message("say_draw_declined"))


# -- the commands of the lessons --

def test_tour_puzzles_and_set_up_take_the_board_and_the_newcomers_card_is_gone(classroom: Path) -> None:
    for keys, kind in ((("tour", "place_learn"), agon.Tour), (("puzzles", "place_puzzles"), agon.PuzzleBook),
                       (("small_games",), agon.SmallGames), (("set_up",), agon.SetUp)):
        for key in keys:
            at = desk("b1-c2", {"is_new": True})
            at.run(key)
            assert type(at.session.table) is kind and at.session.is_lesson and at.changes == 1
            assert not at.settings.is_new and at.game.ply == 1
            at.run("page_close")
            assert at.session.table is at.session.running and at.changes == 2
            at.run("page_close")
            assert at.changes == 2


def test_a_lesson_that_is_not_there_or_broken_is_told_and_the_board_stays(classroom: Path) -> None:
    (classroom / "tour.agon").unlink()
    (classroom / "puzzles.agon").write_text("1. a5-b9 *", "utf-8")
    at = desk("b1-c2", {"is_new": True})
    at.run("tour")
    at.run("puzzles")
    assert [title for title, _ in at.dialogs.told] == ["menu_learn", "menu_learn"]
    assert at.dialogs.told[0][1] == said("no_classroom")
    assert at.dialogs.told[1][1].startswith("puzzles.agon: line 1: ")
    assert not at.session.is_lesson and at.changes == 0 and at.settings.is_new
    (classroom / "puzzles.agon").write_text(PUZZLES.partition("*")[0] + "*\n", "utf-8")  # a theme, but no puzzle
    (classroom / "games.agon").write_text(SMALL.replace('"trap trap"', '"trap twice"', 1), "utf-8")
    at.run("small_games")
    line = 1 + SMALL.split("\n").index('[Goal "trap trap"]')
    assert at.dialogs.told.pop()[1].startswith(f"games.agon: line {line}: ") and not at.session.is_lesson
    at.run("puzzles")
    assert at.dialogs.told[2][1] == said("no_classroom") and at.changes == 0


def test_a_teachers_own_files_are_in_the_menu_and_a_broken_one_is_named_while_the_rest_works(classroom: Path) -> None:
    at = desk("b1-c2")
    commands = at.lesson_commands
    assert commands.own_pages(agon.Texts("en")) == [(None, "none in the folder “classroom”")]
    (classroom / "mine.agon").write_text(PUZZLES, "utf-8")
    (classroom / "first steps.agon").write_text(TOUR, "utf-8")
    (classroom / "broken.agon").write_text(PUZZLES.replace('"trap_two"', '"trap_too"', 1), "utf-8")
    (classroom / "nothing.agon").write_text(PUZZLES.partition("*")[0] + "*\n", "utf-8")
    (classroom / "notes.txt").write_text("no pages", "utf-8")
    assert commands.own_pages(agon.Texts("en")) == [
        (name + ".agon", name) for name in ("broken", "first steps", "mine", "nothing")]
    for name in ("broken.agon", "nothing.agon"):
        commands.open_own(name)
        assert not at.session.is_lesson
    line = 1 + (classroom / "broken.agon").read_text("utf-8").split("\n").index('[Goal "trap_too"]')
    assert at.dialogs.told[0][1].startswith(f"broken.agon: line {line}: “trap_too”") or \
        at.dialogs.told[0][1].startswith(f'broken.agon: line {line}: "trap_too"')
    assert at.dialogs.told[1][1] == "nothing.agon holds no puzzle, no small game and no page of the tour."
    commands.open_own("mine.agon")
    assert isinstance(at.session.table, agon.PuzzleBook) and len(at.session.table.lessons) == 4
    commands.open_own("first steps.agon")
    assert isinstance(at.session.table, agon.Tour) and len(at.session.table.lessons) == 4
    at.run("puzzles")
    assert isinstance(at.session.table, agon.PuzzleBook)


def test_an_own_file_with_several_kinds_of_pages_stands_in_the_menu_for_each_of_them(classroom: Path) -> None:
    at = desk("b1-c2")
    (classroom / "mine.agon").write_text(PUZZLES + SMALL, "utf-8")
    (classroom / "games only.agon").write_text(SMALL, "utf-8")
    assert at.lesson_commands.own_pages(agon.Texts("en")) == [
        ("games only.agon", "games only"), ("mine.agon/puzzle", "mine: Puzzles"), ("mine.agon/game", "mine: Small games")]
    for choice, kind, count in (("mine.agon/game", agon.SmallGames, 3), ("mine.agon/puzzle", agon.PuzzleBook, 4),
                                ("games only.agon", agon.SmallGames, 3)):
        at.lesson_commands.open_own(choice)
        assert type(at.session.table) is kind and len(at.session.table.lessons) == count


def test_the_set_up_begins_with_the_position_on_the_board_and_is_played_with_the_same_players_and_rules() -> None:
    at = desk("b1-c2", levels=(0, 3), rules=Rules(queen_first=True))
    old = at.session.running
    at.run("set_up")
    assert at.session.table.position == old.game.position
    at.session.table.change(pos("/ b7 w"))
    changes = at.changes
    at.run("setup_play")
    assert at.session.is_lesson and at.changes == changes
    assert at.session.table.feedback == agon.Message("setup_incomplete")
    at.session.table.change(pos("Qf2 / b7 b"))
    at.run("setup_play")
    assert str(at.game.start) == "Qf2 / b7 b" and at.players == [(0, ()), (3, ())]
    assert at.game.rules == Rules(queen_first=True) and not at.session.is_lesson and at.session.previous is old
    assert "Date" in at.game.headers


def test_the_level_of_a_puzzle_book_is_remembered_where_it_was_solved(classroom: Path) -> None:
    at = desk()
    at.run("puzzles")
    at.session.table.open(0)
    after(at.session.table, "c4-d4")
    assert at.store.progress.solved == {str(pos(TRAP_TWO))}


# -- files, pictures, and the clipboard --

class FileDesk(Desk):
    """A desk with files in a folder of its own, a clipboard, and a clock turned by hand."""

    def __init__(self, session: "agon.Session", write: Optional[Callable[[str, str], None]] = None,
                 language: str = "en", **settings: Any) -> None:
        self.writer = agon.Writer(write or agon.write_file)
        super().__init__(session, self.writer, **settings)
        self.clock = Clock()
        self.clip = ""
        self.files = agon.Files(
            session, self.store, self.writer, self.clock.jobs(), self.dialogs, agon.Texts(language), self.clipboard,
            self.game_commands.adopt, lambda: agon_core.PRINT._replace(window="#123456"), lambda: b"a painted board")
        self.addresses: List[str] = []
        self.has_browser = True
        self.printer = agon.Printer(session, self.store, agon.Texts(language), self.dialogs, self.files.put, self.browse)
        self.exercises = agon.Exercises(session, agon.Texts(language), self.dialogs, self.files.put)
        for part in (self.files, self.printer, self.exercises):
            self.commands.update({command.key: command for command in part.commands()})

    def browse(self, address: str) -> bool:
        self.addresses.append(address)
        return self.has_browser

    def clipboard(self, text: Optional[str] = None) -> str:
        self.clip = self.clip if text is None else text
        return self.clip

    def change(self, action: Callable[..., object], *values: object) -> None:
        super().change(action, *values)
        if not self.session.is_lesson:
            self.files.autosave()

    def play(self, moves: str) -> None:
        for word in moves.split():
            self.game.play(mv(word))
        self.files.autosave()

    def saved(self) -> None:
        assert self.writer.wait(20)
        self.clock.turn(1000)


@pytest.fixture
def at_files(home: Path, request: Any) -> Callable[..., FileDesk]:
    """Makes desks with files, each as a window of its own; they are closed in the end."""
    def open_desk(moves: str = "", settings: Optional[Dict[str, Any]] = None, write: Any = None, language: str = "en",
                  **game: Any) -> FileDesk:
        at = FileDesk(on_table(moves, **game), write, language, **(settings or {}))
        request.addfinalizer(at.files.close)
        return at
    return open_desk


def moves_of(game: Game) -> str:
    return " ".join(map(str, game.moves))


def next_start(at: FileDesk, at_files: Callable[..., FileDesk]) -> Tuple[FileDesk, Any]:
    """What the next start finds."""
    at.saved()
    at.files.close()
    again = at_files()
    return again, again.files.resume(Tried())


def test_the_file_commands_have_texts_and_shortcuts_of_their_own(at_files: Callable[..., FileDesk]) -> None:
    at = at_files()
    commands = at.files.commands()
    assert {command.key for command in commands} == set(
        "open save save_as copy_position copy_game paste progress_export export_board_png export_board export_board_print "
        "export_game export_game_print".split()) <= set(agon.TEXTS)
    shortcuts = [command.shortcut for command in at.commands.values() if command.shortcut]
    assert len(shortcuts) == len(set(shortcuts)) and {"Mod-o", "Mod-s", "Mod-c", "Mod-v"} <= set(shortcuts)


def test_the_running_game_goes_on_at_the_next_start(at_files: Callable[..., FileDesk]) -> None:
    at = at_files(levels=(0, 3), rules=Rules(queen_first=True))
    at.play("b1-c2 b7-c7")
    assert at.files.autosave_path == agon.user_path("autosave.agon")
    again, running = next_start(at, at_files)
    assert moves_of(running.game) == "b1-c2 b7-c7" and [player.level for player in running.players] == [0, 3]
    assert running.game.rules == Rules(queen_first=True) and not running.is_paused and running.path == ""
    assert again.session.previous is None and again.words == ""


def test_the_place_in_the_game_is_kept_and_what_was_taken_back_can_be_played_again(
        at_files: Callable[..., FileDesk]) -> None:
    at = at_files("b1-c2 d1-e2", levels=(0, 3))
    at.game_commands.go_to(0)
    _, running = next_start(at, at_files)
    assert running.game.ply == 0 and running.game.length == 2 and running.is_paused and running.looks_back


def test_two_computers_wait_at_the_next_start_until_they_are_told_to_go_on(at_files: Callable[..., FileDesk]) -> None:
    at = at_files(levels=(2, 3))
    at.play("b1-c2")
    assert next_start(at, at_files)[1].is_paused


@pytest.mark.parametrize("moves, end", [("", None), ("b1-c2", "resign"), ("b1-c2", "draw")])
def test_a_game_without_moves_or_with_an_end_is_not_gone_on_with(
        at_files: Callable[..., FileDesk], moves: str, end: Optional[str]) -> None:
    at = at_files(moves)
    if end:
        (at.game.agree_draw if end == "draw" else functools.partial(at.game.resign, WHITE))()
    at.files.autosave()
    again, running = next_start(at, at_files)
    assert running is None and again.words == ""


def test_the_game_replaced_can_be_brought_back_even_after_the_next_start(at_files: Callable[..., FileDesk]) -> None:
    at = at_files("b1-c2")
    at.run("again")
    at.play("k1-k2")
    again, running = next_start(at, at_files)
    assert moves_of(running.game) == "k1-k2" and moves_of(again.session.previous.game) == "b1-c2"
    again.session.replace(running)
    again.run("previous_game")
    assert moves_of(again.game) == "b1-c2"
    third, running = next_start(again, at_files)
    assert moves_of(running.game) == "b1-c2" and moves_of(third.session.previous.game) == "k1-k2"


def test_the_game_replaced_is_written_when_it_changes_and_not_with_every_move(
        at_files: Callable[..., FileDesk]) -> None:
    slow = Slow()
    slow.let(99)
    at = at_files("b1-c2", write=slow)
    at.run("again")
    at.saved()
    at.play("k1-k2")
    at.saved()
    previous = agon.user_path("previous.agon")
    assert [path for path, _ in slow.written].count(previous) == 1


def test_each_window_keeps_a_game_of_its_own(at_files: Callable[..., FileDesk], home: Path) -> None:
    first, second = at_files(), at_files()
    first.play("b1-c2")
    second.play("k1-k2")
    second.run("again")
    for at in (first, second):
        at.saved()
    assert moves_of(Game.load(str(home / "autosave.agon"))) == "b1-c2"
    assert moves_of(Game.load(str(home / "previous-2.agon"))) == "k1-k2"
    assert second.files.autosave_path == str(home / "autosave-2.agon") and not (home / "previous.agon").exists()


def test_leftovers_of_a_writing_that_was_killed_are_removed_at_the_start(
        at_files: Callable[..., FileDesk], home: Path) -> None:
    home.mkdir()
    (home / "autosave.ago.0123abcd.tmp").write_text("half", "utf-8")
    (home / "a file of mine.tmp").write_text("x", "utf-8")
    at_files()
    assert sorted(path.name for path in home.iterdir()) == ["a file of mine.tmp", "autosave.agon.lock"]


@pytest.mark.parametrize("content", [
    b"", b"[Format \"2\"]\n\n*\n", b"\xff\x00 broken", b"1. a5-b5 {", b"1. a5-b9 *", b"a" * 3_000_000],
    ids=["empty", "newer", "binary", "cut off", "illegal", "huge"])
def test_a_running_game_that_cannot_be_read_is_put_aside_and_that_is_said(
        at_files: Callable[..., FileDesk], home: Path, content: bytes) -> None:
    home.mkdir()
    (home / "autosave.agon").write_bytes(content)
    at = at_files()
    assert at.files.resume(Tried()) is None
    assert at.words.startswith("The game that was running could not be read (autosave.agon: ")
    assert at.words.endswith("It is kept as: autosave.aside-1.agon") and at.session.is_refusal
    assert (home / "autosave.aside-1.agon").read_bytes() == content and not (home / "autosave.agon").exists()


def test_a_running_game_that_cannot_even_be_put_aside_is_told(
        at_files: Callable[..., FileDesk], home: Path, monkeypatch: Any) -> None:
    def refuse(path: str) -> str:
        raise AgonError("unwritable", reason="x", number=errno.EACCES).at(path=path)
    home.mkdir()
    (home / "autosave.agon").write_bytes(b"broken {")
    monkeypatch.setattr(agon, "set_aside", refuse)
    at = at_files()
    assert at.files.resume(Tried()) is None
    assert "cannot be kept" in at.words and "permission denied" in at.words and at.session.is_refusal


def test_a_program_goes_on_only_if_the_player_has_named_it_and_then_it_waits(
        at_files: Callable[..., FileDesk], home: Path) -> None:
    home.mkdir()
    (home / "autosave.agon").write_text('[White "Program hopper.py"]\n[Black "Computer level 2"]\n\n1. b1-c2 *\n', "utf-8")
    stranger = agon.Player(name="Program hopper.py")
    for program, called, expected in (
            ("", "", stranger), ("other.py", "", stranger), ("/a/hopper.py", "Hopper", stranger),
            ("/a/hopper.py", "", agon.Player(program=agon_ai.program_command("/a/hopper.py"))),
            ("/a/h.py", "hopper.py", agon.Player(program=agon_ai.program_command("/a/h.py"), name="hopper.py"))):
        at = at_files(settings={"white_program": program, "white_called": called})
        running = at.files.resume(Tried())
        assert running.players == [expected, agon.Player(2)] and running.is_paused == bool(expected.program)
        at.files.close()


def test_at_the_start_nothing_is_left_of_what_was_being_written_when_the_program_was_killed(
        at_files: Callable[..., FileDesk], home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = ["autosave.ago.0123abcd.tmp", "previous.ago.0123abcd.tmp", "settings.jso.0123abcd.tmp",
            "progress.jso.0123abcd.tmp", "autosave-2.a.0123abcd.tmp"]
    home.mkdir()
    for name in left:
        (home / name).write_text("half", "utf-8")
    monkeypatch.setattr(agon_core, "_is_abandoned", lambda temporary: False)
    at_files()
    assert sorted(home.glob("*.tmp")) == sorted(home / name for name in left[2:]), "another window may be writing"
    monkeypatch.setattr(agon_core, "_is_abandoned", lambda temporary: True)
    at_files()
    assert not list(home.glob("*.tmp"))


def test_the_game_a_second_window_has_left_behind_can_be_brought_back(
        at_files: Callable[..., FileDesk], home: Path) -> None:
    home.mkdir()
    for name, text in (("autosave-2.agon", "*"), ("autosave-3.agon", "1. a5-b5 *"), ("autosave-4.agon", "1. b1-c2 *")):
        (home / name).write_text(text, "utf-8")
    at = at_files()
    assert at.files.resume(Tried()) is None
    at.files.adopt_orphan(Tried())
    assert moves_of(at.session.previous.game) == "a5-b5" and at.words == said("say_orphan")
    at.saved()
    assert moves_of(Game.load(str(home / "previous.agon"))) == "a5-b5"
    names_there = {path.name for path in home.iterdir() if not path.name.endswith(".lock")}
    assert names_there == {"previous.agon", "autosave-4.agon"}
    at.files.adopt_orphan(Tried())
    assert moves_of(at.session.previous.game) == "a5-b5"  # there is one to be brought back already


def test_a_game_left_behind_is_at_no_moment_without_a_file(at_files: Callable[..., FileDesk], home: Path) -> None:
    def full(path: str, _text: str) -> None:
        raise AgonError("unwritable", reason="x", number=errno.ENOSPC).at(path=path)
    home.mkdir()
    (home / "autosave-2.agon").write_text("1. a5-b5 *", "utf-8")
    at = at_files(write=full)
    at.files.adopt_orphan(Tried())
    at.saved()
    assert at.session.previous is not None
    assert [moves_of(Game.load(str(path))) for path in home.glob("*.agon")] == ["a5-b5"]


def test_a_game_of_a_window_that_is_open_is_left_to_it(at_files: Callable[..., FileDesk], home: Path) -> None:
    first, second = at_files(), at_files()
    second.play("b1-c2")
    second.saved()
    first.files.adopt_orphan(Tried())
    assert first.session.previous is None and (home / "autosave-2.agon").exists()
    first.files.close()
    (home / "autosave-3.agon").write_text("1. a5-b5 *", "utf-8")
    second.files.adopt_orphan(Tried())  # only the first window looks for them
    assert second.session.previous is None


def test_a_game_left_behind_that_has_ended_is_not_brought_back(at_files: Callable[..., FileDesk], home: Path) -> None:
    home.mkdir()
    (home / "autosave-2.agon").write_text("1. a5-b5 1-0", "utf-8")
    at = at_files()
    at.files.adopt_orphan(Tried())
    assert at.session.previous is None and at.words == "" and not (home / "autosave-2.agon").exists()


def test_what_cannot_be_kept_is_told_as_long_as_that_is_so(at_files: Callable[..., FileDesk], home: Path) -> None:
    at = at_files()
    (home / "settings.json").mkdir(parents=True)
    (home / "autosave.agon").mkdir()

    def notice() -> str:
        at.store.change(zoom=1)
        at.play("")
        at.saved()
        message = at.files.notice()
        return agon.Texts("en").say(message) if message else ""
    assert at.files.notice() is None
    assert notice() == "The running game cannot be kept (autosave.agon: this is a folder, not a file)."
    (home / "autosave.agon").rmdir()
    assert notice() == "The settings cannot be kept (settings.json: this is a folder, not a file)."
    (home / "settings.json").rmdir()
    assert notice() == ""


def test_a_move_is_written_before_anything_else_happens(at_files: Callable[..., FileDesk], monkeypatch: Any) -> None:
    monkeypatch.setattr(agon, "SAVING_S", 20)
    at = at_files()
    at.play("b1-c2")
    assert moves_of(Game.load(at.files.autosave_path)) == "b1-c2" and not at.files.jobs.waits("saving")


def test_a_slow_folder_is_not_waited_for_but_looked_at_until_everything_is_written(
        at_files: Callable[..., FileDesk], monkeypatch: Any) -> None:
    monkeypatch.setattr(agon, "SAVING_S", 0)
    slow = Slow()
    at = at_files(write=slow)
    at.play("b1-c2")
    assert at.files.jobs.waits("saving")
    at.clock.turn(500)
    assert at.files.jobs.waits("saving")
    slow.let(1)
    at.saved()
    assert not at.files.jobs.waits("saving")


def test_a_game_too_long_for_a_file_is_told_and_played_on(
        at_files: Callable[..., FileDesk], monkeypatch: Any) -> None:
    monkeypatch.setattr(agon_core, "MAX_FILE_BYTES", 3000)
    at = at_files()
    at.game.comments[0] = "x " * 2000
    at.play("b1-c2")
    assert at.files.notice().key == "say_not_kept"
    at.dialogs.path = "somewhere.agon"
    at.run("save_as")
    assert "too big for a game (" in at.dialogs.asked[0].question
    at.run("copy_game")
    assert at.dialogs.told[0][0] == "copy_game" and "too big" in at.dialogs.told[0][1] and at.clip == ""
    at.game.comments.clear()
    at.play("b7-c7")
    at.saved()
    assert at.files.notice() is None


# -- game files --

def test_a_game_is_opened_with_its_players_and_is_the_first_of_the_recent_files(
        at_files: Callable[..., FileDesk], tmp_path: Path) -> None:
    path = tmp_path / "Spiel für Ü.agon"
    path.write_text('[White "Ada"]\n[Black "Computer level 3"]\n\n1. b1-c2 b7-c7 *\n', "utf-8")
    at = at_files("k1-k2", {"recent": ("other.agon",)})
    old = at.session.running
    at.dialogs.path = str(path)
    at.run("open")
    assert at.dialogs.chosen == [("agon", False, "")] and moves_of(at.game) == "b1-c2 b7-c7"
    assert at.players == [(0, ()), (3, ())] and at.session.running.path == str(path) and at.session.previous is old
    assert at.settings.recent == (str(path), "other.agon") and at.session.running.attempt is old.attempt
    assert shown(at.session).title == "Spiel für Ü.agon · Ada – Computer, level 3 – Agon" and seat(at.session, WHITE).name == "Ada"


def test_nothing_is_opened_when_no_file_is_chosen(at_files: Callable[..., FileDesk]) -> None:
    at = at_files("k1-k2")
    at.run("open")
    assert moves_of(at.game) == "k1-k2" and at.changes == 0 and at.dialogs.told == []


def test_a_file_is_known_by_its_whole_path(
        at_files: Callable[..., FileDesk], tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "game.agon").write_text("1. b1-c2 *", "utf-8")
    monkeypatch.chdir(tmp_path)
    at = at_files()
    at.files.load("game.agon")
    assert at.settings.recent == (os.path.join(os.getcwd(), "game.agon"),)


@pytest.mark.parametrize("content, words", [
    (b"[Format \"2\"]\n\n*\n", "newer Agon"), (b"[Event \"x\"]\n\n1. e4 e5 *\n", "e4"), (b"\xff\xfe\x00", "UTF-8"),
    (b"[Format \"1\"]\n\n1. b1-c8 *\n", "b1-c8"), (b"", "no game"), (b"a" * 2_100_000, "too big"),
    (None, "no such file"), (b"1. a5-b5 *\n[Format \"1\"]\n*", "2 games")],
    ids=["newer", "chess", "binary", "illegal", "empty", "huge", "missing", "several"])
def test_a_file_that_is_no_game_is_explained_and_dropped_from_the_recent_ones(
        at_files: Callable[..., FileDesk], tmp_path: Path, content: Optional[bytes], words: str) -> None:
    path = tmp_path / "strange.agon"
    if content is not None:
        path.write_bytes(content)
    at = at_files("b1-c2", {"recent": (str(path), "other.agon")})
    at.files.load(str(path))
    (title, told), = at.dialogs.told
    assert title == "open" and told.startswith("strange.agon: ") and words in told
    assert moves_of(at.game) == "b1-c2" and at.changes == 0 and at.settings.recent == ("other.agon",)


def test_two_computers_of_a_file_wait_until_they_are_told_to_go_on(
        at_files: Callable[..., FileDesk], tmp_path: Path) -> None:
    path = tmp_path / "game.agon"
    for names, is_paused in ((("Computer level 1", "Computer level 2"), True), (("Computer level 1", "Bo"), False)):
        Game(headers=dict(zip(("White", "Black"), names))).save(str(path))
        at = at_files()
        at.files.load(str(path))
        assert at.session.running.is_paused == is_paused


def test_no_game_file_starts_a_program(at_files: Callable[..., FileDesk], tmp_path: Path) -> None:
    path = tmp_path / "bad.agon"
    path.write_text('[White "Program rm"]\n[Black "Program /bin/sh"]\n\n*\n', "utf-8")
    at = at_files(settings={"program": "rm"})
    at.files.load(str(path))
    assert at.players == [(0, ()), (0, ())]


def test_a_game_with_a_name_is_saved_without_a_question_and_one_without_is_asked_for_it(
        at_files: Callable[..., FileDesk], tmp_path: Path) -> None:
    path = str(tmp_path / "game.agon")
    at = at_files("b1-c2", headers={"Date": "2024.05.06"}, levels=(0, 3))
    at.run("save")
    assert at.dialogs.chosen == [("agon", True, "agon-2024-05-06.agon")] and at.session.running.path == ""
    at.dialogs.path = path
    at.run("save")
    at.saved()
    assert (at.session.running.path, at.settings.recent, at.words) == (path, (path,), "Saved: game.agon")
    assert len(at.dialogs.chosen) == 2 and Game.load(path).headers["Black"] == "Computer level 3"
    at.play("b7-c7")
    at.run("save")
    at.saved()
    assert len(at.dialogs.chosen) == 2 and moves_of(Game.load(path)) == "b1-c2 b7-c7"
    at.run("save_as")
    assert at.dialogs.chosen[2] == ("agon", True, "game.agon")
    assert not at.session.is_refusal


def test_a_game_without_a_date_is_proposed_to_be_saved_under_todays(at_files: Callable[..., FileDesk]) -> None:
    at = at_files("b1-c2")
    at.run("save")
    assert re.fullmatch(r"agon-\d{4}-\d\d-\d\d\.agon", at.dialogs.chosen[0][2])


def test_a_name_under_which_nothing_has_been_done_has_its_line_for_the_teacher_too(
        at_files: Callable[..., FileDesk], tmp_path: Path) -> None:
    at = at_files(settings={"pupil": "Cleo"})
    at.store.register.add("Ada", agon.Progress(solved=frozenset(["a"])))
    at.dialogs.path = str(tmp_path / "progress.csv")
    at.run("progress_export")
    at.saved()
    lines = (tmp_path / "progress.csv").read_text("utf-8-sig").splitlines()
    assert [line.split(",")[0] for line in lines] == ["Name", "Ada", "Cleo"]


def test_a_name_that_no_file_can_have_is_no_file_of_the_program() -> None:
    for name in ("settings\0.json", "settings\ud800.json\0", "\ud800"):
        assert not agon.is_own_file(os.path.join(agon.user_folder(), name))
    assert agon.is_own_file(os.path.join(agon.user_folder(), "settings.json"))


def test_nothing_is_saved_over_what_the_program_keeps_for_itself(at_files: Callable[..., FileDesk]) -> None:
    at = at_files("b1-c2")
    at.play("b7-c7")
    at.saved()
    kept = {name: Path(agon.user_path(name)).read_bytes() for name in os.listdir(agon.user_folder())}
    for name in ("autosave.agon", "autosave-2.agon", "previous.agon", "settings.json", "progress.json", "autosave.agon.lock"):
        at.dialogs.path = os.path.join(agon.user_folder(), ".", name)
        for command in ("save_as", "export_board", "progress_export", "export_board_png"):
            at.run(command)
            (answer,) = [told[1] for told in at.dialogs.told] + [asked.question for asked in at.dialogs.asked]
            assert "keeps something for itself" in answer, (command, name)
            at.dialogs.told.clear()
            at.dialogs.asked.clear()
    at.saved()
    assert {name: Path(agon.user_path(name)).read_bytes() for name in os.listdir(agon.user_folder())} == kept
    at.dialogs.path = agon.user_path("mine.agon")
    at.run("save_as")
    at.saved()
    assert moves_of(Game.load(at.dialogs.path)) == "b1-c2 b7-c7"


def test_a_game_opened_from_the_programs_own_file_is_saved_under_a_name_of_its_own(
        at_files: Callable[..., FileDesk]) -> None:
    at = at_files()
    at.play("b1-c2 b7-c7")
    at.saved()
    at.files.load(at.files.autosave_path)
    assert moves_of(at.session.game) == "b1-c2 b7-c7" and at.session.running.path == "" and at.settings.recent == ()


def test_moves_taken_back_and_names_are_saved_too(at_files: Callable[..., FileDesk], tmp_path: Path) -> None:
    at = at_files("b1-c2 b7-c7 k1-k2", headers={"White": "Ada"}, levels=(0, 3), undone=2)
    at.dialogs.path = str(tmp_path / "game.agon")
    at.run("save")
    at.saved()
    read = Game.load(at.dialogs.path)
    assert (read.ply, read.length, read.headers["White"]) == (1, 3, "Ada")


def test_what_has_been_set_up_is_saved_under_a_name_of_its_own(
        at_files: Callable[..., FileDesk], tmp_path: Path) -> None:
    at = at_files("b1-c2", path="/x/game.agon")
    at.session.open(set_up("Qf2 / b7 b"))
    for key in ("save", "save_as"):
        at.dialogs.path = str(tmp_path / f"{key}.agon")
        at.run(key)
        at.saved()
        assert str(Game.load(at.dialogs.path).start) == "Qf2 / b7 b"
        assert at.dialogs.chosen[-1][2].startswith("agon-")
    assert at.session.running.path == "/x/game.agon" and at.settings.recent == () and at.words == "Saved: save_as.agon"


def test_a_game_that_cannot_be_saved_is_explained_and_may_be_saved_elsewhere(
        at_files: Callable[..., FileDesk], tmp_path: Path) -> None:
    at = at_files("b1-c2")
    at.dialogs.path = str(tmp_path / "no such folder" / "game.agon")
    at.run("save")
    at.saved()
    asked, = at.dialogs.asked
    assert asked.question == "game.agon: cannot be written: there is no such file or folder"
    assert (asked.title, asked.yes, asked.no) == ("save", "save_elsewhere", "cancel")
    assert at.session.running.path == "" and at.settings.recent == () and at.words == ""
    at.dialogs.path = str(tmp_path / "game.agon")
    asked.on_yes()
    at.saved()
    assert at.session.running.path == at.dialogs.path and len(at.dialogs.asked) == 1


def test_a_full_disk_leaves_the_old_file_whole(
        at_files: Callable[..., FileDesk], tmp_path: Path, monkeypatch: Any) -> None:
    def no_space(_number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")
    at = at_files("b1-c2")
    at.dialogs.path = str(tmp_path / "game.agon")
    at.run("save")
    at.saved()
    before = (tmp_path / "game.agon").read_bytes()
    at.play("b7-c7")
    at.saved()
    monkeypatch.setattr(os, "fsync", no_space)
    at.run("save")
    at.saved()
    assert "the disk is full" in at.dialogs.asked[0].question and (tmp_path / "game.agon").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".tmp")] == []


def test_saving_into_a_slow_folder_waits_and_then_says_so(at_files: Callable[..., FileDesk], monkeypatch: Any) -> None:
    monkeypatch.setattr(agon, "SAVING_S", 0)
    slow = Slow()
    at = at_files("b1-c2", write=slow)
    at.dialogs.path = "/x/game.agon"
    at.run("save")
    assert slow.begun.acquire(timeout=20)
    at.clock.turn(200)
    assert at.words == "" and at.session.running.path == ""
    slow.let(9)
    at.saved()
    assert at.words == "Saved: game.agon" and at.session.running.path == "/x/game.agon"


def test_the_recent_files_are_offered_by_name_and_folder(at_files: Callable[..., FileDesk]) -> None:
    assert at_files(language="de").files.recent() == [(None, "noch keine")]
    folder = "/" + 50 * "x"
    paths = ("/a/one.agon", folder + "/two.agon", *(f"/b/{number}" for number in range(10)))
    offered_files = at_files(settings={"recent": paths}).files.recent()
    assert offered_files[:2] == [("/a/one.agon", "one.agon   (/a)"),
                                 (folder + "/two.agon", f"two.agon   ({40 * 'x'})")]
    assert len(offered_files) == 8


# -- pictures --

@pytest.mark.parametrize("key, of_game, is_grey", [
    ("export_board", False, False), ("export_board_print", False, True), ("export_game", True, False),
    ("export_game_print", True, True)])
def test_board_and_game_are_exported_in_the_windows_colours_or_for_paper(
        at_files: Callable[..., FileDesk], tmp_path: Path, key: str, of_game: bool, is_grey: bool) -> None:
    at = at_files("b1-c2 b7-c7", headers={"Date": "2024.05.06"})
    at.dialogs.path = str(tmp_path / "picture.svg")
    at.run(key)
    at.saved()
    assert at.dialogs.chosen == [("svg", True, "agon-2024-05-06.svg")] and at.words == "Saved: picture.svg"
    text = (tmp_path / "picture.svg").read_text("utf-8")
    expected = agon_core.diagrams_svg(
        [Diagram(Position.start(), "White to move")] * of_game
        + [Diagram(at.game.position, "1... b7-c7 · White to move", mv("b7-c7"))],
        agon_core.PRINT if is_grey else agon_core.PRINT._replace(window="#123456"))
    assert text == expected and xml.etree.ElementTree.fromstring(text) is not None
    assert at.session.running.path == "" and at.settings.recent == ()


def test_a_picture_is_proposed_to_have_the_games_name_and_has_its_side_below(
        at_files: Callable[..., FileDesk], tmp_path: Path) -> None:
    at = at_files("b1-c2", {"flipped": True}, path="/x/my.game.agon", language="de")
    at.run("export_board")
    assert at.dialogs.chosen == [("svg", True, "my.game.svg")] and at.words == ""
    at.dialogs.path = str(tmp_path / "x.svg")
    at.run("export_board")
    at.saved()
    assert (tmp_path / "x.svg").read_text("utf-8") == agon_core.diagrams_svg(
        [Diagram(at.game.position, "1. b1-c2 · Schwarz ist am Zug", mv("b1-c2"))],
        agon_core.PRINT._replace(window="#123456"), True)


def test_an_exported_game_has_a_diagram_of_every_tenth_move_and_the_last(
        at_files: Callable[..., FileDesk], monkeypatch: Any, tmp_path: Path) -> None:
    drawn = []
    monkeypatch.setattr(agon, "diagrams_svg", lambda diagrams, *_: drawn.extend(diagrams) or "picture")
    for plies, expected in ((0, [0]), (1, [0, 1]), (10, [0, 10]), (21, [0, 10, 20, 21])):
        game = quiet_game(plies)
        at = at_files(start=str(game.start))
        at.play(moves_of(game))
        drawn.clear()
        at.files.export(str(tmp_path / "x.svg"), True, False)
        at.saved()
        assert [diagram.position for diagram in drawn] == [game.positions[ply] for ply in expected]
        assert [diagram.last for diagram in drawn] == [game.moves[ply - 1] if ply else None for ply in expected]
        for ply, diagram in list(zip(expected, drawn))[1:]:
            assert diagram.caption == f"{game.numbered(ply - 1)} · {('White', 'Black')[ply % 2]} to move"
        at.files.close()


def test_the_board_is_written_as_a_png_picture_under_a_proposed_name(
        at_files: Callable[..., FileDesk], tmp_path: Path) -> None:
    at = at_files("b1-c2", headers={"Date": "2024.05.06"})
    at.dialogs.path = str(tmp_path / "board.png")
    at.run("export_board_png")
    at.saved()
    assert at.dialogs.chosen == [("png", True, "agon-2024-05-06.png")] and at.words == "Saved: board.png"
    assert (tmp_path / "board.png").read_bytes() == b"a painted board" and at.session.running.path == ""


@pytest.mark.parametrize("choice, words, boards", [
    ("rules", "Agon: the rules", [5]), ("game", "White – Black", [1]), ("board", "White:", [1]),
    ("theme trap", "Agon: puzzles", None)])
def test_what_is_printed_stands_in_the_browser(at_files: Callable[..., FileDesk], choice: str, words: str,
                                               boards: Optional[List[int]]) -> None:
    at = at_files("b1-c2")
    at.printer.choose(choice)
    at.saved()
    path = os.path.join(agon.user_folder(), "print.html")
    assert at.addresses == [Path(path).as_uri()] and at.words == "The pages stand in the browser. There you can print them."
    sheet = Sheet(Path(path).read_text("utf-8"))
    assert sheet.texts[0][0] == words and boards in (None, sheet.boards)
    if choice == "game":
        assert "1. b1-c2" in sheet.texts[0]
    if boards is None:
        puzzles = [page for page in lessons("puzzles.agon") if page.kind == "puzzle" and page.theme == "trap"]
        assert sum(sheet.boards) == len(puzzles)


def test_a_printed_game_says_in_the_windows_language_why_it_ended(at_files: Callable[..., FileDesk]) -> None:
    at = at_files("b1-c2", language="de")
    at.game.resign(WHITE)
    at.printer.choose("game")
    at.saved()
    assert "0-1 · Die andere Seite hat aufgegeben." in Path(agon.user_folder(), "print.html").read_text("utf-8")


def test_without_a_browser_it_is_said_where_the_pages_are(at_files: Callable[..., FileDesk]) -> None:
    at = at_files()
    at.has_browser = False
    at.printer.choose("board")
    at.saved()
    assert at.words == "No browser opens here. The pages are in print.html."


def test_without_the_classroom_rules_and_puzzles_cannot_be_printed_but_all_else_can(
        at_files: Callable[..., FileDesk], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon, "CLASSROOM", str(tmp_path / "nowhere"))
    at = at_files()
    assert [choice for choice, _name in at.printer.choices()] == ["rules", "game", "board"]
    at.printer.choose("rules")
    assert at.dialogs.told == [("print", agon.Texts("en")("no_classroom"))] and at.addresses == []
    (tmp_path / "nowhere").mkdir()
    (tmp_path / "nowhere" / "rules.agon").write_text("[Kind \"nonsense\"]\n\n*\n", "utf-8")
    at.printer.choose("rules")
    assert "nonsense" in at.dialogs.told[1][1]


def test_positions_are_gathered_printed_in_their_order_and_forgotten_only_after_a_question(
        at_files: Callable[..., FileDesk]) -> None:
    at = at_files("b1-c2")
    at.run("gather")
    assert at.words == "Gathered: 1. They are printed by “Print” in the menu “File”."
    at.session.running.look_at(0)
    at.run("gather")
    at.store.change(gathered=(*at.settings.gathered, "nonsense"))
    assert at.settings.gathered == (str(Position.start()), str(played("b1-c2").position), "nonsense")
    assert at.printer.choices()[-2:] == [("gathered", "Gathered positions: 3"), ("forget", "Forget gathered positions")]
    at.printer.choose("gathered")
    at.saved()
    sheet = Sheet(Path(agon.user_folder(), "print.html").read_text("utf-8"))
    assert sheet.boards == [2] and [text for text in sheet.texts[0] if "." in text] == ["1. Black", "2. White"]
    at.printer.choose("forget")
    (asked,) = at.dialogs.asked
    assert "(3)" in asked.question and not asked.is_safe and len(at.settings.gathered) == 3
    asked.on_yes()
    assert at.settings.gathered == () and "forget" not in dict(at.printer.choices())


def test_two_windows_gather_positions_together(at_files: Callable[..., FileDesk]) -> None:
    first, second = at_files("b1-c2"), at_files("b1-b2")
    first.run("gather")
    assert first.writer.wait(20)
    second.run("gather")
    assert second.writer.wait(20)
    stored, _others = agon.read_settings(Path(agon.user_path(agon.SETTINGS_FILE)).read_text("utf-8"))
    assert set(stored.gathered) == {str(played(move).position) for move in ("b1-c2", "b1-b2")}


def test_captions_count_moves_from_the_side_that_began(
        at_files: Callable[..., FileDesk], monkeypatch: Any, tmp_path: Path) -> None:
    drawn = []
    monkeypatch.setattr(agon, "diagrams_svg", lambda diagrams, *_: drawn.extend(diagrams) or "picture")
    at = at_files("b7-c7 b1-c2 c7-c6", start=str(Position.start(BLACK)))
    for ply, caption in ((3, "2... c7-c6 · White to move"), (2, "2. b1-c2 · Black to move"),
                         (1, "1... b7-c7 · White to move"), (0, "Black to move")):
        at.game_commands.go_to(ply)
        at.files.export(str(tmp_path / "x.svg"), False, False)
        assert drawn[-1].caption == caption


def test_a_picture_that_cannot_be_written_is_explained(at_files: Callable[..., FileDesk], tmp_path: Path) -> None:
    at = at_files()
    at.files.export(str(tmp_path / "no such folder" / "x.svg"), False, False)
    at.saved()
    (title, told), = at.dialogs.told
    assert title == "export" and told == "x.svg: cannot be written: there is no such file or folder"
    assert at.dialogs.asked == [] and at.words == ""


# -- the clipboard --

def test_position_and_game_travel_over_the_clipboard(at_files: Callable[..., FileDesk]) -> None:
    at = at_files("b1-c2", levels=(0, 3), rules=Rules(queen_first=True))
    at.run("copy_position")
    assert at.clip == str(at.game.position) and at.words == said("say_copied_position")
    position = at.game.position
    at.run("again")
    at.run("paste")
    assert at.game.position == position and at.game.length == 0 and at.players == [(3, ()), (0, ())]
    assert at.game.rules == Rules(queen_first=True)
    at.game.play(mv("b7-c7"))
    at.run("copy_game")
    assert at.words == said("say_copied_game") and "queen_first=on" in at.clip and "Computer level 3" in at.clip
    text = at.clip
    at.run("again")
    at.run("paste")
    assert moves_of(at.game) == "b7-c7" and at.players == [(3, ()), (0, ())] and at.clip == text
    assert at.dialogs.told == []


def test_in_a_lesson_its_own_position_and_game_are_copied(at_files: Callable[..., FileDesk]) -> None:
    at = at_files("b1-c2")
    at.session.open(set_up("Qf2 / b7 b"))
    at.run("copy_position")
    assert at.clip == "Qf2 / b7 b"
    at.run("copy_game")
    assert '[Position "Qf2 / b7 b"]' in at.clip and "b1-c2" not in at.clip
    at.clip = "1. a5-b5 *"
    at.run("paste")
    assert not at.session.is_lesson and moves_of(at.game) == "a5-b5"


def test_two_computers_of_a_pasted_game_wait(at_files: Callable[..., FileDesk]) -> None:
    at = at_files()
    at.clip = '[White "Computer level 1"]\n[Black "Computer level 2"]\n\n1. b1-c2 *'
    at.run("paste")
    assert at.session.running.is_paused and at.players == [(1, ()), (2, ())]


@pytest.mark.parametrize("text", ["d9-d8", "1. a5-b5 1/2-1/2", '[White "A/B"]\n\n*', "Qf2 / b7 w"])
def test_moves_headers_and_positions_can_be_pasted(at_files: Callable[..., FileDesk], text: str) -> None:
    at = at_files()
    at.clip = text
    at.run("paste")
    assert at.dialogs.told == [] and at.changes == 1


@pytest.mark.parametrize("text, words", [
    ("Guten Morgen", '"Guten"'), ("", "no game"), (" / w", "no game"), ("Qf2 / w", "no game"), ("/ b7 b", "no game"),
    ("*", "no game"), ("Qf2 / b99 w", '"b99"'), ("1. a5-b9", '"b9"'),
    ('[Position "Qf2 / w"]\n\n*', "no game")])
def test_what_is_no_game_is_not_pasted_but_explained(
        at_files: Callable[..., FileDesk], text: str, words: str) -> None:
    at = at_files("b1-c2")
    at.clip = text
    at.run("paste")
    (title, told), = at.dialogs.told
    assert title == "paste" and words in told and moves_of(at.game) == "b1-c2" and at.changes == 0


# -- looks that can be computed --

def luminance(colour: str) -> float:
    """Relative luminance (source: WCAG 2, section 'relative luminance')."""
    parts = [value / 255 for value in agon.rgb(colour)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_the_two_sides_differ_even_in_a_grey_picture(name: str) -> None:
    theme = agon.THEMES[name]
    assert contrast(theme.white.lit, theme.black.lit) >= 5 and contrast(theme.white.shaded, theme.black.lit) >= 4


def pixels_of(png: bytes) -> Tuple[int, List[bytes]]:
    """Width and rows (red, green, blue, alpha, ...) of a picture without filters."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n") and png.endswith(b"IEND" + struct.pack(">I", zlib.crc32(b"IEND")))
    width, height = struct.unpack(">II", png[16:24])
    begin = png.index(b"IDAT") + 4
    rows = zlib.decompress(png[begin:begin + struct.unpack(">I", png[begin - 8:begin - 4])[0]])
    size = 4 * width + 1
    assert len(rows) == height * size and set(rows[::size]) == {0}
    return width, [rows[at + 1:at + size] for at in range(0, len(rows), size)]


@pytest.mark.parametrize("is_queen", [False, True])
def test_a_piece_is_painted_as_a_png_with_a_smooth_edge(is_queen: bool) -> None:
    width, rows = pixels_of(agon.paint_piece(40, agon.LIGHT.white, is_queen).png())
    alphas = {row[at] for row in rows for at in range(3, 4 * width, 4)}
    assert {0, 255} < alphas and len(alphas) > 10 and width >= 40
    assert rows[0][3] == rows[-1][-1] == 0 and rows[width // 2][4 * (width // 2) + 3] == 255


def test_colours_are_mixed_by_their_shares() -> None:
    assert agon.rgb("#0a80ff") == (10, 128, 255)
    assert [agon.mix("#000000", "#0a80ff", share) for share in (0, 0.5, 1)] == ["#000000", "#0540" + "80", "#0a80ff"]


@pytest.mark.parametrize("score, share", [
    (0.0, 0.5), (100.0, 1.0), (-100.0, 0.0), (agon and agon.AnalysisPanel.FULL, 1.0),
    (agon and agon.AnalysisPanel.FULL / 2, 0.75), (agon and -agon.AnalysisPanel.FULL / 2, 0.25)])
def test_the_bar_of_the_analysis_is_whites_share(score: float, share: float) -> None:
    assert agon.AnalysisPanel.share(types.SimpleNamespace(FULL=agon.AnalysisPanel.FULL), score) == share


# -- the beginning of the program --

def another_agon(monkeypatch: Any, platform: str = sys.platform, **modules: Any) -> Any:
    """The window's file as another system would load it."""
    monkeypatch.setattr(sys, "platform", platform)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    spec = importlib.util.spec_from_file_location("agon_elsewhere", os.path.join(HERE, "agon.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def last_words(capsys: Any, action: Callable[[], object]) -> str:
    """What a program that ends at once says, in one line."""
    with pytest.raises(SystemExit) as caught:
        action()
    assert caught.value.code == 1
    out, words = capsys.readouterr()
    assert out == "" and words.endswith("\n") and words.count("\n") == 1
    return words


@pytest.mark.parametrize("module, words", [("tkinter", "needs Tk, which this Python lacks"), ("zlib", "module zlib")])
def test_what_is_missing_in_python_is_told_in_one_line(
        monkeypatch: Any, capsys: Any, module: str, words: str) -> None:
    assert words in last_words(capsys, lambda: another_agon(monkeypatch, **{module: None}))


def test_an_old_python_and_an_old_tk_are_told_in_one_line(monkeypatch: Any, capsys: Any) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(agon.tk, "TkVersion", 8.5)
        assert "Tk 8.6 or newer; this is Tk 8.5" in last_words(capsys, lambda: another_agon(patch))
    with monkeypatch.context() as patch:
        patch.setattr(sys, "version_info", (3, 7, 9))
        assert "Python 3.8 or newer" in last_words(capsys, lambda: another_agon(patch))


def test_the_line_that_a_python_too_old_to_read_the_file_shows_says_what_is_needed() -> None:
    """Such a Python stops at the first f-string and shows that line."""
    with open(os.path.join(HERE, "agon.py"), encoding="utf-8") as file:
        lines = [line for line in file if re.search(r'\bf"', line)]
    assert "Agon needs Python 3.8 or newer" in lines[0]


def test_without_a_screen_the_program_says_so_in_one_line(monkeypatch: Any, capsys: Any) -> None:
    def no_screen(**_options: object) -> None:
        raise agon.tk.TclError("no display name")
    monkeypatch.setattr(agon.tk, "Tk", no_screen)
    monkeypatch.setattr(sys, "argv", ["agon.py"])
    monkeypatch.setattr(sys, "platform", "linux")
    assert "needs a screen to show its window (no display name)" in last_words(capsys, agon.main)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_program_tells_how_it_is_called_without_opening_a_window(
        monkeypatch: Any, capsys: Any, option: str) -> None:
    monkeypatch.setattr(sys, "argv", ["agon.py", option])
    monkeypatch.setattr(agon.tk, "Tk", None)
    agon.main()
    out = capsys.readouterr().out
    assert "python agon.py [game.agon]" in out and "Contents" not in out


@pytest.mark.parametrize("is_old", [False, True])
def test_on_windows_the_screen_is_sharp_before_anything_is_shown(monkeypatch: Any, is_old: bool) -> None:
    done = []
    calls = types.SimpleNamespace(user32=types.SimpleNamespace(SetProcessDPIAware=lambda: done.append("old")))
    calls.shcore = types.SimpleNamespace() if is_old else types.SimpleNamespace(SetProcessDpiAwareness=done.append)
    module = another_agon(monkeypatch, "win32", ctypes=types.SimpleNamespace(windll=calls))

    class FirstWindow(Exception):
        """Stands for the window, which need not come."""

    def first_window(**_options: object) -> None:
        raise FirstWindow
    monkeypatch.setattr(module.tk, "Tk", first_window)
    monkeypatch.setattr(sys, "argv", ["agon.py"])
    with pytest.raises(FirstWindow):
        module.main()
    assert done == (["old"] if is_old else [1])


def test_ctrl_c_in_the_terminal_ends_the_program_without_a_word(monkeypatch: Any, capsys: Any) -> None:
    opened = []

    def interrupted() -> None:
        raise KeyboardInterrupt
    monkeypatch.setattr(agon.tk, "Tk", lambda **options: types.SimpleNamespace(mainloop=interrupted))
    monkeypatch.setattr(agon, "App", lambda root, path: opened.append(path))
    monkeypatch.setattr(sys, "platform", "linux")
    for arguments in ([], ["a game.agon"]):
        monkeypatch.setattr(sys, "argv", ["agon.py", *arguments])
        agon.main()
    assert opened == ["", "a game.agon"] and capsys.readouterr() == ("", "")


def test_the_mac_is_known_as_such(monkeypatch: Any) -> None:
    module = another_agon(monkeypatch, "darwin")
    assert module.IS_MAC and module.shortcut_text("Mod-n", module.Texts("en")) == "Command-N" and module.ALT_MASK == 8
    assert module.shortcut_sequences("Mod-n")[0] == "<Command-Key-n>"
    assert another_agon(monkeypatch, "win32").ALT_MASK == 0x20000


# -- how the file is built --

def test_only_the_start_of_the_program_knows_the_application_and_only_one_place_sets_the_mode() -> None:
    parts = syntax_of("agon.py").body
    users = {getattr(part, "name", "") for part in parts for node in ast.walk(part)
             if isinstance(node, ast.Name) and node.id == "App"}
    assert users == {"main"}
    writers = [(part.name, method.name) for part in parts if isinstance(part, ast.ClassDef)
               for method in part.body if isinstance(method, ast.FunctionDef) for node in ast.walk(method)
               if isinstance(node, ast.Attribute) and node.attr == "mode" and isinstance(node.ctx, ast.Store)]
    assert writers == [("Session", "__init__"), ("Session", "enter")]


def test_the_window_has_no_loop_of_its_own_and_hides_no_mistake() -> None:
    for node in parts_of_the_window():
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("sleep", "setlocale", "wait_window", "wait_variable"), node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            assert node.func.attr != "update" or node.args or node.keywords, node.lineno
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None and getattr(node.type, "id", "") not in ("Exception", "BaseException"), node.lineno
        assert not isinstance(node, ast.Global)


@pytest.mark.parametrize("name", ["agon.py", "agon_core.py", "agon_ai.py"])
def test_no_file_is_opened_in_the_systems_own_code_page(name: str) -> None:
    """Windows would otherwise take another than that in which the files are written."""
    for node in ast.walk(syntax_of(name)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open":
            modes = "".join(str(argument.value) for argument in node.args[1:2] if isinstance(argument, ast.Constant))
            assert "b" in modes or any(keyword.arg == "encoding" for keyword in node.keywords), node.lineno


def test_two_windows_that_change_settings_at_the_same_moment_lose_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    """Each reads what the file holds, and writes: nobody else may write in between."""
    monkeypatch.setenv("AGON_HOME", str(tmp_path))
    stores = [(writer, agon.Store(writer)) for writer in (agon.Writer(), agon.Writer(), agon.Writer())]
    for number in range(20):
        for name, (_writer, store) in enumerate(stores):
            store.note(solved=f"{name} {number}")
            store.change(**{("zoom", "level", "black")[name]: 1 + number % 8})
    assert all(writer.wait(20) for writer, _store in stores)
    stored = agon.read_progress((tmp_path / agon.PROGRESS_FILE).read_text("utf-8"))[""]
    assert stored.solved == {f"{name} {number}" for name in range(3) for number in range(20)}
    settings = agon.read_settings((tmp_path / agon.SETTINGS_FILE).read_text("utf-8"))[0]
    assert (settings.zoom, settings.level, settings.black) == (4, 4, 4)


if agon is None:  # agon.py cannot be read where there is no tkinter
    for defined in [value for name, value in globals().items()
                    if name.startswith("test_") and name not in WITHOUT_TKINTER]:
        pytest.mark.skip(reason="no tkinter")(defined)


# --- another computer ------------------------------------------------------------

def far_game(moves: str = "", far: Sequence[int] = (BLACK,)) -> "agon.RunningGame":
    """A running game in which these sides are played at another computer."""
    at = running(moves)
    other = agon.Player(program=("link",), is_elsewhere=True)
    at.seat([other if side in far else agon.Player() for side in (WHITE, BLACK)])
    return at


def test_another_computer_is_waited_for_as_long_as_it_takes() -> None:
    at = far_game("b1-c2")
    following = at.settled()
    assert following.mode is agon.Mode.THINKING and following.ask.go == "go infinite" and not at.accepts_moves
    assert far_game().settled() == agon.Next() and far_game().accepts_moves
    passing = far_game(far=(WHITE,))
    passing.game = Game(pos(MUST_PASS))
    assert passing.game.legal_moves() == [PASS] and passing.settled().ask is not None, "it passes for itself"


class LinkDesk:
    """The commands of a game with another computer, with a program that only listens."""

    def __init__(self, running: "agon.RunningGame", **settings: Any) -> None:
        self.told: List[str] = []
        engine = types.SimpleNamespace(
            is_running=True, inform=self.told.append,
            inform_about=lambda game: self.told.append(f"game {' '.join(map(str, game.moves))}".strip()))
        self.engine = engine
        self.thinker = types.SimpleNamespace(
            is_busy=False, engines={}, engine_for=lambda player: engine, keep_only=lambda _players: None, listen=self.listen)
        self.session = agon.Session(running)
        self.store = agon.Store(Pad())
        self.store.settings = agon.Settings(**settings)
        self.dialogs = Dialogs()
        self.asked: List[Any] = []
        setattr(self.dialogs, "ask_link", lambda *values: self.asked.append(values))
        self.commands = agon.PartnerCommands(self.session, self.store, self.thinker, self.dialogs,
                                             lambda action, *values: action(*values), self.session.replace)

    def listen(self, player: "agon.Player", hear: Any, _fail: Any) -> None:
        self.thinker.engines[player.program] = self.engine
        self.program = player.program[len(agon.LINK_PROGRAM):]

    @property
    def words(self) -> str:
        return agon.Texts("en").say(self.session.message) if self.session.message else ""


def linked_before(moves: str, resigned: bool = False) -> "agon.RunningGame":
    """A game of White here against another computer, as it comes from its file."""
    game = played(moves)
    game.headers["Black"] = agon.ELSEWHERE
    if resigned:
        game.resign(BLACK)
    return agon.RunningGame(game, [agon.Player(name="Ada"), agon.Player(name=agon.ELSEWHERE)], Tried())


@pytest.mark.parametrize("before, side, can_go_on", [
    (linked_before("a5-b5"), WHITE, True), (linked_before("a5-b5", resigned=True), None, False),
    (linked_before(""), WHITE, False), (running("a5-b5"), None, True)] if agon else [])
def test_an_unfinished_game_with_another_computer_can_be_taken_up(
        before: "agon.RunningGame", side: Optional[int], can_go_on: bool) -> None:
    desk = LinkDesk(before, link_address="192.168.1.20")
    desk.commands.ask()
    (wanted, may_go_on, _start), = desk.asked
    assert (wanted.role, wanted.side, wanted.goes_on, wanted.address) == (
        "host", WHITE if side is None else side, side is not None, "192.168.1.20")
    assert may_go_on == can_go_on
    desk.commands.start(wanted._replace(role="join", address="10.0.0.7", code="1234"))
    known = ["--side", "white"] if side is not None and before.game.length else []
    assert list(desk.program) == ["join", "10.0.0.7", "1234", *known] and desk.store.settings.link_address == "10.0.0.7"
    assert desk.told == (["game a5-b5"] if known else []) and not desk.store.settings.is_new


def test_a_game_that_is_looked_back_in_goes_on_whole_with_another_computer() -> None:
    desk = LinkDesk(running("a5-b5 b7-c7 b5-b4", undone=2))
    desk.commands.start(agon.LinkWanted("host", WHITE, goes_on=True))
    desk.commands.follow()
    assert desk.told == ["game a5-b5 b7-c7 b5-b4"]


def test_a_broken_connection_is_tried_again_for_the_side_that_was_played() -> None:
    desk = LinkDesk(running("a5-b5"))
    desk.commands.start(agon.LinkWanted("host", WHITE))
    other = desk.session.partner.player
    desk.commands.retry()
    assert desk.told[-1] == "retry"
    desk.engine.is_running = False
    desk.session.replace(agon.RunningGame(played("b1-c2"), [other, agon.Player()], Tried()))
    desk.commands.retry()
    assert list(desk.program) == ["host", "--side", "black"] and desk.session.running.person == BLACK
    assert [str(move) for move in desk.session.running.game.moves] == ["b1-c2"], "and goes on"
    desk.session.replace(running("a5-b5", levels=(0, 3)))  # one that has nothing to do with it
    desk.commands.retry()
    assert list(desk.program) == ["host", "--side", "black"] and desk.session.running.game.moves == ()


def test_a_connection_that_cannot_be_begun_or_breaks_is_told_and_the_game_stays() -> None:
    desk = LinkDesk(running("a5-b5"))

    def fails(_player: "agon.Player", _hear: Any, _fail: Any) -> None:
        raise OSError("no such file")

    desk.thinker.listen = fails
    desk.commands.start(agon.LinkWanted("join", WHITE, address="10.0.0.7", code="1234"))
    partner = desk.session.partner
    assert partner.state == "failed" and "no such file" in agon.Texts("en").say(partner.sentence) and partner.signs == ()
    assert [str(move) for move in desk.session.running.game.moves] == ["a5-b5"]
    kept: List[Any] = []
    desk.thinker.keep_only = kept.append
    desk.thinker.engines[partner.player.program] = desk.engine
    desk.commands.follow()
    assert desk.session.partner is None and kept == [desk.session.running.players], "the player goes on without"


def test_who_waits_for_another_computer_has_a_game_on_the_board_and_tells_what_is_moved() -> None:
    desk = LinkDesk(running("a5-b5"))
    desk.commands.start(agon.LinkWanted("host", BLACK, may_watch=True, name="Bo"))
    players = desk.session.running.players
    assert list(desk.program) == ["host", "--side", "black", "--watchers"]
    assert players[BLACK] == agon.Player(name="Bo") and players[WHITE].is_elsewhere
    assert desk.session.running.game.moves == ()
    desk.commands.follow()
    assert desk.told == ["game"]
    desk.session.running.game.play(mv("a5-b5"))
    desk.commands.follow()
    desk.commands.follow()
    assert desk.told[1:] == ["game a5-b5"], "each position once"
    desk.session.running.game.resign(BLACK)
    desk.commands.follow()
    assert desk.told[-1] == "resign"
    desk.told.clear()
    desk.session.replace(agon.RunningGame(Game(), players, Tried()))  # the next game
    desk.commands.follow()
    assert desk.told == ["newgame black", "game"]


def test_games_whose_line_is_gone_can_be_played_on_by_two_persons_here() -> None:
    desk = LinkDesk(running("a5-b5"))
    desk.commands.start(agon.LinkWanted("host", WHITE))
    linked_game = desk.session.running
    desk.session.replace(running("b1-c2"))
    desk.session.previous = linked_game
    desk.thinker.engines.clear()
    desk.commands.follow()
    assert desk.session.partner is None and not any(player.is_elsewhere for player in linked_game.players)
    assert [player.name for player in linked_game.players] == ["", agon.ELSEWHERE]


def test_what_the_other_computer_says_is_shown_and_waits_while_a_lesson_has_the_board(classroom: Path) -> None:
    desk = LinkDesk(running(""))
    hear = desk.commands.hear
    hear("state waiting")  # nobody is there yet
    assert desk.session.partner is None
    desk.commands.start(agon.LinkWanted("host", WHITE))
    for event in ("state waiting", "sign 192.168.1.20", "sign Code 1234", "say.de Warten.", "say.en Waiting."):
        hear(event)
    assert desk.session.partner[1:] == ("waiting", {"de": "Warten.", "en": "Waiting."}, ("192.168.1.20", "Code 1234"))
    hear("state connected")
    hear("say.en Connected.")
    assert desk.words == "Connected." and desk.session.partner.signs == ()
    desk.session.open(open_puzzles())
    hear("end draw")
    assert desk.session.running.game.outcome() is None
    desk.session.close()
    desk.commands.follow()
    assert desk.session.running.game.outcome() == Outcome(None, Ending.AGREEMENT)


def test_the_other_computers_moves_come_before_what_it_said_after_them() -> None:
    desk = LinkDesk(running(""))
    desk.commands.start(agon.LinkWanted("host", WHITE))
    for mode, is_busy, waits in (("ANIMATING", False, True), ("THINKING", False, True), ("THINKING", True, False),
                                 ("IDLE", False, False)):
        desk.session.mode, desk.thinker.is_busy = agon.Mode[mode], is_busy
        desk.commands.hear("draw declined")
        assert bool(desk.commands._waiting) == waits, mode
        desk.commands._waiting.clear()


def test_a_draw_is_asked_about_and_what_became_of_an_offer_is_said() -> None:
    desk = LinkDesk(running(""))
    desk.commands.start(agon.LinkWanted("host", WHITE))
    desk.commands.hear("draw offered")
    desk.dialogs.asked[-1].on_no()
    desk.dialogs.asked[-1].on_yes()
    assert desk.told[-2:] == ["nodraw", "draw"]
    for what, key in (("declined", "say_draw_refused"), ("gone", "say_draw_gone")):
        desk.commands.hear(f"draw {what}")
        assert desk.words == said(key)


def test_what_has_failed_is_tried_again_by_the_program_or_begun_anew_if_that_has_ended() -> None:
    desk = LinkDesk(running("a5-b5"))
    desk.commands.retry()  # there is nothing to try
    assert desk.told == []
    desk.commands.start(agon.LinkWanted("join", WHITE, address="10.0.0.7", code="1234"))
    desk.commands.retry()
    assert desk.told == ["retry"]
    desk.engine.is_running = False
    desk.program = ()
    desk.commands.retry()
    assert list(desk.program) == ["join", "10.0.0.7", "1234"] and desk.told == ["retry"]


def test_a_game_with_another_computer_can_be_looked_through_but_not_changed() -> None:
    at = far_game("b1-c2 b7-c7")
    session = agon.Session(at)
    assert agon.WITHOUT_PARTNER <= agon.resting_commands(session, None)
    at.look_at(1)
    assert at.settled() == agon.Next() and not at.accepts_moves
    at.look_at(0)
    assert not at.accepts_moves and not session.may_act
    at.look_at(2)
    assert at.accepts_moves and not at.is_paused


def test_the_message_box_tells_how_things_stand_with_another_computer() -> None:
    session = agon.Session(far_game())
    far = session.running.players[BLACK]
    session.partner = agon.Partner(far, "waiting", {"de": "Warte.", "en": "Wait."}, ("192.168.1.20", "Code 0042"))
    voice = shown(session).voice
    assert (voice.kind, voice.heading, voice.text) == ("sign", "192.168.1.20\nCode 0042", "Wait.")
    assert [button.command for button in voice.buttons] == ["link_leave"]
    assert shown(session, "de").voice.text == "Warte."
    session.partner = agon.Partner(far, "failed", {"de": "Falsch.", "en": "Wrong."})
    voice = shown(session).voice
    assert voice.heading == "No connection"
    assert [button.command for button in voice.buttons] == ["link_retry", "with_computer"]
    session.partner = agon.Partner(far, "connected")
    assert shown(session).voice.heading == "Your move"
    session.running.game.play(mv("b1-c2"))
    assert shown(session).voice.heading == "The other computer is to move"
    session.running.game.resign(BLACK)
    session.partner = agon.Partner(far, "failed", {"en": "It has left."})
    voice = shown(session).voice
    assert voice.heading == "You have won!" and "again" in [button.command for button in voice.buttons]


def test_who_only_watches_is_nobody_s_opponent() -> None:
    session = agon.Session(far_game("b1-c2", (WHITE, BLACK)))
    session.partner = agon.Partner(session.running.players[0], "connected")
    assert shown(session).voice.heading == "Black to move" and "resign" in shown(session).resting
    assert {seat.name for seat in shown(session).seats} == {"White", "Black"}
    session.running.game.resign(WHITE)
    assert [button.command for button in shown(session).voice.buttons if button.command == "again"] == []


def test_a_game_with_another_computer_is_kept_as_such_and_can_be_played_on_without_it() -> None:
    at = far_game("b1-c2")
    assert at.headers()["Black"] == agon.ELSEWHERE
    at.let_partner_go()
    assert not at.has_partner and at.accepts_moves and Game.from_text(at.text()).headers["Black"] == agon.ELSEWHERE
    assert agon.player_name(at, BLACK, agon.Texts("de")) == "Der andere"


# === 12. The window: mouse, keyboard, drawing ====================================
# A real window receives real Tk events.  Most tests share one window, which is made as new before each of them.
# Without a display they are skipped, unless AGON_GUI_TESTS=required makes that a failure; with AGON_GUI_TESTS=off always.

#: What a test begins with: a small window in German, no card for newcomers, two persons at one computer; pieces
#: glide only where a test is about that.
FRESH_SETTINGS = dict(language="de", is_new=False, black=0, animation=False)
WINDOW_SIZE = "1000x760"
TRAPPED = "Qg4 a5 b1 d9 e5 h9 l5 / Qf11 e4 e6 g3 g5 k7 l2 w"
ONE_BEFORE_THE_END = "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 a2 b7 d1 h1 k7 l2 w"


class Window:
    """The program's window under test, with the gestures of a player."""

    def __init__(self, app: "agon.App", home: str, errors: List[BaseException]) -> None:
        self.app = app
        self.home = home
        self.root = app.root
        self.board = app.board
        self.session = app.session
        #: What Tk has reported as gone wrong in an event.
        self.errors = errors

    # -- time --

    def until(self, condition: Callable[[], object], seconds: float = 60) -> None:
        """Let the main loop run until the condition holds."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "the window did not get there in time"
            heartbeat = self.root.after(5, int)
            self.root.tk.dooneevent(0)
            self.root.after_cancel(heartbeat)
        self.root.update()

    def comes_true(self, condition: Callable[[], object], seconds: float = 10) -> bool:
        """Whether a condition holds, which the window manager may bring about in its own time."""
        try:
            self.until(condition, seconds)
        except AssertionError:
            pass
        return bool(condition())

    def rest(self) -> None:
        """Let all animations and answers come to an end."""
        quiet = (agon.Mode.IDLE, agon.Mode.OVER)
        self.until(lambda: self.session.mode in quiet and not self.app.thinker.is_busy and not self.board.is_moving)

    def thinks(self) -> bool:
        return self.session.mode is agon.Mode.THINKING

    # -- mouse --

    def point(self, place: "Place") -> Dict[str, int]:
        x, y = self.board.layout.centre(parse_cell(place)) if isinstance(place, str) else place
        return {"x": round(x), "y": round(y)}

    def press(self, place: "Place", button: int = 1) -> None:
        self.board.event_generate(f"<ButtonPress-{button}>", **self.point(place))

    def release(self, place: "Place", button: int = 1) -> None:
        self.board.event_generate(f"<ButtonRelease-{button}>", **self.point(place))

    def motion(self, place: "Place") -> None:
        self.board.event_generate("<B1-Motion>", **self.point(place))

    def click(self, place: "Place") -> None:
        self.press(place)
        self.release(place)

    def carry(self, source: str, target: "Place") -> None:
        """Pick up and move, but do not drop yet."""
        self.press(source)
        start, end = self.point(source), self.point(target)
        for step in (1, 2):
            self.motion((start["x"] + (end["x"] - start["x"]) * step / 2,
                         start["y"] + (end["y"] - start["y"]) * step / 2))

    def drag(self, source: str, target: "Place") -> None:
        self.carry(source, target)
        self.release(target)

    def play(self, moves: str) -> None:
        """Drag one move after the other, each to its end."""
        for word in moves.split():
            move = mv(word)
            assert move.source is not None and move.target is not None
            self.drag(cell_name(move.source), cell_name(move.target))
            self.rest()

    def press_button(self, button: "agon.tk.Misc") -> None:
        """A real click on a button."""
        self.root.update()
        place = {"x": button.winfo_width() // 2, "y": button.winfo_height() // 2}
        for sequence in ("<Enter>", "<ButtonPress-1>", "<ButtonRelease-1>", "<Leave>"):
            if not self.app.is_closed and button.winfo_exists():
                button.event_generate(sequence, **place)
        if not self.app.is_closed:
            self.root.update()

    def page_button(self, command: str) -> "agon.ttk.Button":
        """The button of a page that gives this command."""
        page = self.app.window.page
        return page.buttons.buttons[[button.command for button in page.shown.buttons].index(command)]

    # -- keyboard --

    def keys(self, *keys: str) -> None:
        """Type on the board as a person would: the window has the focus."""
        self.board.focus_force()
        self.root.update()
        for key in keys:
            focused = self.root.focus_get() or self.board
            focused.event_generate(f"<{key}>" if "-" in key else f"<Key-{key}>")
            self.root.update()

    def run(self, key: str) -> None:
        """Carry out a command, as its menu, button or key does."""
        self.app.handle(self.app.run, key)
        self.root.update()

    # -- what there is --

    def begin(self, position: str = str(Position.start()), levels: Tuple[int, int] = (0, 0),
              rules: Rules = DEFAULT_RULES) -> None:
        """Begin a game; a level of 0 is a person."""
        self.adopt(Game(pos(position), rules), [agon.Player(level) for level in levels])

    def adopt(self, game: Game, players: "Optional[Sequence[agon.Player]]" = None) -> None:
        """Let a game run; without players it is one of two persons."""
        running = agon.RunningGame(game, players or (agon.Player(), agon.Player()), self.app.attempt)
        self.app.handle(self.app.game_commands.adopt, running)
        self.root.update()

    def change_look(self, **values: object) -> None:
        """Take other settings that concern the look."""
        for name, value in values.items():
            self.app.handle(self.app.view_commands.change_look, name, value)
        self.root.update()

    def speak(self, language: str) -> None:
        self.app.handle(self.app.view_commands.set_language, language)
        self.root.update()

    def resize(self, size: str) -> None:
        """Give the window another size, and let it arrange itself."""
        width, height = (max(int(number), least) for number, least in zip(size.split("x"), self.root.minsize()))
        self.root.geometry(f"{width}x{height}")
        self.until(lambda: (self.root.winfo_width(), self.root.winfo_height()) == (width, height)
                   and not self.app.jobs.waits("arrange"))

    def moves(self) -> List[str]:
        return [str(move) for move in self.session.game.moves]

    def kept(self, name: str = "autosave.agon") -> Game:
        """The game that lies in the user's folder, once all is written."""
        assert self.app.writer.wait(20)
        return Game.load(os.path.join(self.home, name))

    def voice(self) -> str:
        """All that the message box says."""
        box = self.app.window.voice
        return " ".join(str(label.cget("text")) for label in (box.heading, box.text, box.task))

    def feedback(self) -> str:
        """The verdict on the page, with the sign before it; what is neither right nor wrong has none."""
        page = self.app.window.page
        signs = {str(page.look.sign("tick")): "✓ ", str(page.look.sign("cross")): "✗ "}
        return "".join(signs[str(image)] for image in page.feedback.cget("image")) + str(page.feedback.cget("text"))

    def dialog(self) -> "agon.Dialog":
        """The dialog that is open."""
        self.root.update()
        return [child for child in self.root.winfo_children() if isinstance(child, agon.Dialog)][-1]

    def come_to_rest(self) -> None:
        """Wait until the board is painted in its new size: before that, marks are not."""
        self.until(lambda: not self.app.jobs.waits("rest"))

    def marked(self, paint: Callable[..., "agon.Raster"]) -> List[str]:
        """The names of the cells in the middle of which something lies that is painted so."""
        cells = (self.board.layout.cell_at(sprite.x, sprite.y) for sprite in self.board.sprites if sprite.paint is paint)
        return names([cell for cell in cells if cell is not None])

    def drawn_pieces(self) -> Dict[str, Tuple[int, bool]]:
        """Where pieces are drawn: cell name -> kind, with the canvas items where the sprites say."""
        board, found = self.board, {}
        for sprite in board.sprites:
            if sprite.paint is agon.paint_board_piece:
                colours, is_queen, _crown = sprite.values
                item = board._items[sprite]
                assert board.coords(item) == [sprite.x, sprite.y] and board.itemcget(item, "state") == "normal"
                cell = board.layout.cell_at(sprite.x, sprite.y)
                assert cell is not None
                found[cell_name(cell)] = (int(colours == board.look.theme.black), is_queen)
        return found

    def shows_the_position(self) -> bool:
        position = self.session.game.position
        expected = {cell_name(cell): (position.side_at(cell), position.is_queen(cell))
                    for cell in CELLS if position.side_at(cell) is not None}
        return self.drawn_pieces() == expected

    # -- from one test to the next --

    def make_new(self) -> None:
        """Bring the shared window back to where each test begins."""
        app, fresh = self.app, agon.Settings(**FRESH_SETTINGS)
        app.pages.close()
        app.tournament_thinker.close()
        app.tournament_commands.table = app.menus.opened = None
        for child in self.root.winfo_children():
            if isinstance(child, (agon.tk.Toplevel, agon.tk.Menu, agon.tk.Label)):  # dialogs, menus, words at the pointer
                child.destroy()
        looks = ("language", "theme", "zoom", "ranks")
        is_dressed = all(getattr(app.settings, name) == getattr(fresh, name) for name in looks)
        app.store.change(**fresh._asdict())
        app.texts.language = fresh.language
        if self.root.attributes("-fullscreen"):
            self.root.attributes("-fullscreen", False)
        self.root.deiconify()
        self.begin()
        self.session.previous = None
        app.handle(app.hand.escape)
        if not is_dressed:
            app.handle(app._dress)
        self.resize(WINDOW_SIZE)
        self.come_to_rest()
        self.board.focus_force()
        self.root.update()
        assert app.writer.wait(20)
        for name in os.listdir(self.home):
            if not name.endswith(".lock"):
                path = os.path.join(self.home, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        app.store.register = agon.Register(app.writer)
        self.errors.clear()


#: A cell by its name, or pixels of the canvas.
Place = Union[str, Tuple[float, float]]


def remembering(paint: Callable[..., "agon.Raster"]) -> Callable[..., "agon.Raster"]:
    """A painting function that paints and packs each picture once, for all windows of all tests."""
    pictures: Dict[str, "agon.Raster"] = {}

    @functools.wraps(paint)
    def painted(*values: Any, **named: Any) -> "agon.Raster":
        key = repr((values, named))  # points may come as a list, which could be no key
        if key not in pictures:
            pictures[key] = paint(*values, **named)
            setattr(pictures[key], "png", functools.lru_cache(maxsize=None)(pictures[key].png))
        return pictures[key]
    return painted


def plain_board(scale: Tuple[float, float], theme: "agon.Theme") -> "agon.Raster":
    """What lies in the place of the painted board, in its size: one colour, for tests that are not about how it looks."""
    return agon.Raster(agon.PLATE_WIDTH / 2 * scale[0] + agon.SHADOW,
                       agon.PLATE_HEIGHT / 2 * scale[1] + agon.SHADOW + agon.SHADOW_LOWER, theme.window)


PAINTERS = {name: remembering(getattr(agon, name)) for name in dir(agon) if name.startswith("paint_")} if agon else {}


def hurry_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the window takes longer than it must, and no disk is waited for."""
    for name, value in (("GLIDE_MS", 20), ("SNAP_MS", 10), ("PASS_MS", 30), ("LEAST_THINK_MS", 0), ("HINT_MS", 50),
                        ("WRONG_MS", 10), ("REPLY_MS", 10), ("POLL_MS", 5), ("REST_MS", 10), ("GARBAGE_MS", 600_000),
                        *PAINTERS.items(), ("paint_board", plain_board)):
        monkeypatch.setattr(agon, name, value)
    monkeypatch.setattr(os, "fsync", int)


def open_window(monkeypatch: pytest.MonkeyPatch, home: str, language: str = "de",
                command: Optional[Tuple[str, ...]] = None, path: str = "") -> Window:
    """Open the program's window as a start of the program does, with this folder for the user's files."""
    wanted = os.environ.get("AGON_GUI_TESTS")
    reason = "no tkinter" if agon is None else "windows are not wanted" if wanted == "off" else ""
    if not reason:
        monkeypatch.setenv("AGON_HOME", home)
        monkeypatch.setenv("LC_ALL", language)
        try:
            root = agon.tk.Tk()
        except agon.tk.TclError as error:
            reason = str(error)
    if reason:
        if wanted == "required":
            pytest.fail(f"window tests are required: {reason}")
        pytest.skip(reason)
    errors: List[BaseException] = []
    root.report_callback_exception = lambda kind, value, trace: errors.append(value)
    app = agon.App(root, command or agon.OWN_ENGINE, path)
    root.update()
    return Window(app, home, errors)


@pytest.fixture(scope="module")
def garbage() -> Iterator[None]:
    """From the first window on garbage is collected between the tests, in the thread of the windows, as main does it."""
    gc.disable()
    yield
    gc.collect()
    gc.enable()


#: So many new objects are worth a search for garbage.
MUCH_GARBAGE = 100_000


def collect_much_garbage() -> None:
    """Look for garbage if there may be much."""
    if gc.get_count()[0] > MUCH_GARBAGE:
        gc.collect()


@pytest.fixture(scope="module")
def shared_windows(garbage: None) -> Iterator[List[Window]]:
    """Holds the window that the tests share, once it is open."""
    windows: List[Window] = []
    yield windows
    for window in windows:
        if not window.app.is_closed:
            window.app.close()


@pytest.fixture
def window(shared_windows: List[Window], tmp_path_factory: pytest.TempPathFactory,
           monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    """The window that the tests share, as new."""
    if agon is not None:
        hurry_up(monkeypatch)
    if not shared_windows or shared_windows[-1].app.is_closed:
        shared_windows.append(open_window(monkeypatch, str(tmp_path_factory.mktemp("home"))))
    window = shared_windows[-1]
    monkeypatch.setenv("AGON_HOME", window.home)
    window.make_new()
    yield window
    if not window.app.is_closed:
        window.root.update()
    collect_much_garbage()
    assert window.errors == []


class Opener:
    """Opens windows of a test's own, all with the same folder for the user's files."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, home: str) -> None:
        self._monkeypatch = monkeypatch
        self.home = home
        self.windows: List[Window] = []

    def __call__(self, **options: Any) -> Window:
        self.windows.append(open_window(self._monkeypatch, self.home, **options))
        return self.windows[-1]

    def settings(self, **values: object) -> None:
        """Leave these settings behind, as an earlier run would."""
        self.write(agon.SETTINGS_FILE, json.dumps(values))

    def write(self, name: str, text: str) -> None:
        """Leave a file in the user's folder behind."""
        os.makedirs(self.home, exist_ok=True)
        with open(os.path.join(self.home, name), "w", encoding="utf-8") as file:
            file.write(text)

    def close(self) -> None:
        """Close what is still open; nothing may have gone wrong anywhere."""
        for window in self.windows:
            if not window.app.is_closed:
                window.app.handle(window.app.end)
            assert window.errors == []


@pytest.fixture
def opener(garbage: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opener]:
    """Opens windows of a test's own."""
    if agon is not None:
        hurry_up(monkeypatch)
    opener = Opener(monkeypatch, str(tmp_path / "home"))
    yield opener
    opener.close()
    collect_much_garbage()


def is_shown(widget: "agon.tk.Misc") -> bool:
    """Whether a widget can be seen, as far as its parents go."""
    return bool(widget.winfo_viewable())


def cut_off(widget: "agon.tk.Misc", inside: Optional[Tuple[int, int, int, int]] = None,
            origin: Optional[Tuple[int, int]] = None) -> List[str]:
    """The widgets at or below this one that are not whole: beyond a parent's edge, or too small for their words."""
    width, height, x, y = map(int, re.findall(r"-?\d+", widget.winfo_geometry()))
    x, y = (x + origin[0], y + origin[1]) if origin else (widget.winfo_rootx(), widget.winfo_rooty())
    own = (x, y, x + width, y + height)
    left, top, right, bottom = inside or own
    found = []
    if not (left <= own[0] and top <= own[1] and own[2] <= right and own[3] <= bottom):
        found.append(f"{widget} {own} beyond {inside}")
    ttk = agon.ttk
    if isinstance(widget, (ttk.Label, ttk.Button, ttk.Radiobutton, ttk.Checkbutton)) and widget.cget("text"):
        if widget.winfo_reqwidth() > width + 2 or widget.winfo_reqheight() > height:
            found.append(f"{widget} too small for {widget.cget('text')!r}")
    if isinstance(widget, ttk.Button):  # a button asks for little and gets what there is
        font = ttk.Style(widget).lookup(str(widget.cget("style")) or "TButton", "font")
        image = str((widget.cget("image") or ("",))[0])
        wide = int(widget.tk.call("font", "measure", font, "-displayof", widget, str(widget.cget("text"))))
        wide += int(widget.tk.call("image", "width", image)) if image else 0
        if wide + 8 > width:
            found.append(f"{widget} too narrow for {widget.cget('text')!r}")
    bounds = (max(left, own[0]), max(top, own[1]), min(right, own[2]), min(bottom, own[3]))
    for child in widget.winfo_children():
        if not isinstance(child, agon.tk.Toplevel) and is_shown(child):
            found += cut_off(child, bounds, (x, y))
    return found


# --- mouse -----------------------------------------------------------------------

@pytest.mark.parametrize("is_turned", [False, True])
def test_a_dragged_piece_moves_where_it_is_dropped(window: Window, is_turned: bool) -> None:
    window.run("animation")
    if is_turned:
        window.run("flip")
        below, above = (window.board.layout.centre(parse_cell(name))[1] for name in ("f11", "f1"))
        assert below > above
    window.drag("b1", "c2")
    window.rest()
    assert window.moves() == ["b1-c2"] and window.shows_the_position()


def test_the_carried_piece_is_under_the_pointer_and_above_all_others(window: Window) -> None:
    window.carry("b1", "d4")
    board, target = window.board, window.point("d4")
    seen = [item for item in board.find_all() if board.itemcget(item, "state") == "normal"]
    assert board.coords(seen[-1]) == [target["x"], target["y"]]
    assert window.session.mode is agon.Mode.DRAGGING


def test_dots_mark_the_targets_and_a_hexagon_the_one_under_the_pointer(window: Window) -> None:
    window.carry("b1", "d4")
    assert window.marked(agon.paint_dot) == ["a1", "b2", "c1", "c2"]
    assert window.marked(agon.paint_hexagon) == ["b1"]
    window.motion("c2")
    assert window.marked(agon.paint_hexagon) == ["b1", "c2"]
    window.release("c2")
    window.rest()
    assert window.marked(agon.paint_dot) == [] and window.marked(agon.paint_hexagon) == ["c2"]


def test_clicks_pick_a_piece_and_name_its_target(window: Window) -> None:
    window.click("b1")
    window.click("k1")
    assert window.marked(agon.paint_dot) == ["i1", "i2", "k2", "l1"]
    window.click("k2")
    window.rest()
    assert window.moves() == ["k1-k2"]
    window.click("k2")  # the second click of a double click on the target
    assert window.voice() == "Schwarz ist am Zug  "


def test_an_illegal_drop_glides_back_says_why_and_marks_the_causes(window: Window) -> None:
    window.begin("Qf1 a5 c4 d2 h9 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w")
    window.run("animation")
    window.drag("c4", "d4")
    window.rest()
    assert window.moves() == [] and window.shows_the_position()
    assert window.app.texts("no_SELF_ENCLOSURE") in window.voice()
    assert window.marked(agon.paint_cross) == ["d3", "d5"]
    assert window.marked(agon.paint_hexagon) == ["d3", "d4", "d5"]
    window.click("a5")
    assert window.marked(agon.paint_cross) == []


@pytest.mark.parametrize("away", [(1, 1), (-500, 90), (5000, 5000)])
def test_a_piece_released_beside_the_board_is_back_on_its_cell(window: Window, away: Tuple[int, int]) -> None:
    window.drag("b1", away)
    window.rest()
    assert window.moves() == [] and window.shows_the_position() and window.session.mode is agon.Mode.IDLE


@pytest.mark.parametrize("interruption", [
    "other button", "escape", "focus", "hidden", "resize", "lost release", "free motion", "undo", "tour", "theme", "flip", "new game"])
def test_an_interrupted_drag_plays_nothing(window: Window, interruption: str) -> None:
    window.play("b1-c2 b7-c7")
    window.carry("k1", "k2")
    if interruption == "other button":
        window.press("k2", button=3)
        assert window.app.menus.opened is None or not is_shown(window.app.menus.opened)
    elif interruption == "escape":
        window.keys("Escape")
    elif interruption == "focus":
        window.root.event_generate("<FocusOut>")
    elif interruption == "hidden":
        window.root.withdraw()
        window.root.update()
        window.root.deiconify()
    elif interruption == "resize":
        window.resize("700x560")
    elif interruption == "lost release":
        window.press((2, 2))
    elif interruption == "free motion":
        window.board.event_generate("<Motion>", x=200, y=200)
    elif interruption == "theme":
        window.change_look(theme="dark")
    elif interruption == "new game":
        window.begin()
    else:
        window.run(interruption)
    window.root.update()
    if interruption not in ("theme", "flip"):  # these change the look alone; the piece stays in the hand
        window.release("k2")
        window.rest()
    else:
        assert window.session.mode is agon.Mode.DRAGGING
        window.motion((2, 2))
        window.release((2, 2))
        window.rest()
    undone = {"undo": ["b1-c2"], "tour": [], "new game": []}
    assert window.moves() == undone.get(interruption, ["b1-c2", "b7-c7"]) and window.shows_the_position()


@pytest.mark.parametrize("interruption", ["flip", "resize", "press", "undo", "theme", "tour"])
def test_whatever_happens_during_a_glide_leaves_the_picture_right(
        window: Window, monkeypatch: pytest.MonkeyPatch, interruption: str) -> None:
    monkeypatch.setattr(agon, "GLIDE_MS", 60_000)
    window.run("animation")
    window.app.handle(window.app.attempt, mv("b1-c2"), None)
    window.root.update()
    assert window.session.mode is agon.Mode.ANIMATING and window.board._origins
    monkeypatch.setattr(agon, "GLIDE_MS", 1)
    if interruption == "resize":
        window.resize("700x560")
    elif interruption == "press":
        window.click((2, 2))
    elif interruption == "theme":
        window.change_look(theme="contrast")
        assert window.session.mode is agon.Mode.ANIMATING
        window.app.handle(window.app.finish)
    else:
        window.run(interruption)
    window.rest()
    assert window.moves() == ([] if interruption in ("undo", "tour") else ["b1-c2"]) and window.shows_the_position()


def test_the_other_button_opens_a_menu_only_when_nothing_is_picked(window: Window) -> None:
    window.click("b1")
    window.press("c2", button=3)
    assert window.marked(agon.paint_dot) == [] and window.app.menus.opened is None
    window.press("c2", button=3)
    menu = window.app.menus.opened
    window.until(lambda: menu.winfo_viewable())
    labels = [menu.entrycget(i, "label").strip() for i in range(menu.index("end") + 1)]
    assert labels == [window.app.texts(key) for key in agon.CONTEXT_MENU]
    menu.unpost()


def test_every_event_is_shown_once(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon, "GLIDE_MS", 60_000)
    monkeypatch.setattr(agon, "SNAP_MS", 60_000)
    window.run("animation")
    shown: List[object] = []
    show = window.app.window.show

    def count(view: "agon.View") -> None:
        shown.append(view)
        show(view)

    def views(action: Callable[..., object], *values: object) -> int:
        shown.clear()
        action(*values)
        return len(shown)
    monkeypatch.setattr(window.app.window, "show", count)
    assert views(window.press, "b1") == 1
    assert views(window.motion, "b2") == 1
    assert views(window.release, "c2") == 1
    assert views(window.app.handle, window.app.finish) == 1  # the glide is over
    assert views(window.board.event_generate, "<Down>") == 1
    assert views(window.app.window.buttons["undo"].invoke) == 1
    assert views(window.press, "k1") == 1  # in the middle of the glide
    assert window.moves() == [] and window.session.mode is agon.Mode.SELECTED
    assert views(window.app.handle, window.app.run, "set_up") == 1


def test_carrying_a_piece_moves_that_item_alone(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    window.carry("b1", (4, 4))
    changed: List[int] = []
    monkeypatch.setattr(window.board, "itemconfigure", lambda item, **_options: changed.append(item))
    monkeypatch.setattr(window.board, "refresh", lambda: changed.append(-1))
    for step in range(20):
        window.motion((4 + step, 4))
    assert changed == []


@pytest.mark.parametrize("interruption", ["flip", "resize", "language", "theme", "analysis"])
def test_the_computer_goes_on_thinking_whatever_happens_to_the_look(window: Window, interruption: str) -> None:
    window.begin(levels=(0, 3))
    window.drag("b1", "c2")
    window.until(window.thinks)
    if interruption == "resize":
        window.resize("700x560")
    elif interruption == "language":
        window.speak("en")
    elif interruption == "theme":
        window.change_look(theme="dark")
    else:
        window.run(interruption)
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    assert window.shows_the_position() and window.moves()[0] == "b1-c2"


def test_a_press_while_the_computer_thinks_picks_nothing_and_says_why(window: Window) -> None:
    window.begin(levels=(0, 8))
    window.drag("b1", "c2")
    window.until(window.thinks)
    window.carry("k1", "k2")
    assert window.thinks() and window.app.texts("say_wait") in window.voice()
    window.run("undo")
    window.rest()
    window.release("k2")
    assert window.moves() == [] and window.shows_the_position()


def test_an_engine_that_dies_during_a_drag_puts_the_piece_back(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon, "HINT_MS", 60_000)
    window.run("hint")
    window.carry("b1", "c2")
    window.app.thinker.engine_for(agon.Player(8))._process.kill()
    window.until(lambda: "beendet" in window.voice())
    assert window.session.mode is agon.Mode.IDLE and window.marked(agon.paint_dot) == []
    assert window.shows_the_position() and "Strg+P" not in window.voice()


# --- keyboard --------------------------------------------------------------------

def test_the_keyboard_alone_makes_a_move(window: Window) -> None:
    window.keys("Tab")
    source = window.app.hand.state.cursor
    window.keys("Return", "Tab")
    assert window.app.hand.state.cursor in window.app.hand.state.targets
    window.keys("Return")
    window.rest()
    assert len(window.moves()) == 1 and window.session.game.moves[0].source == source


@pytest.mark.parametrize("is_turned", [False, True])
def test_the_arrow_keys_move_the_cursor_as_one_sees_the_board(window: Window, is_turned: bool) -> None:
    if is_turned:
        window.run("flip")
    window.keys("Down")
    for key, axis, sign in (("Up", 1, -1), ("Down", 1, 1), ("KP_Left", 0, -1), ("KP_Right", 0, 1)):
        before, = (sprite for sprite in window.board.sprites if sprite.paint is agon.paint_cursor)
        way = (sign, 0) if axis == 0 else (0, sign)
        beside = window.board.layout.next_cell(window.app.hand.state.cursor, *way)
        window.keys(key)
        after, = (sprite for sprite in window.board.sprites if sprite.paint is agon.paint_cursor)
        assert sign * ((after.x, after.y)[axis] - (before.x, before.y)[axis]) > 0
        assert window.app.hand.state.cursor == beside
    assert cell_name(window.app.hand.state.cursor) in window.voice()
    window.keys("Escape")
    assert window.marked(agon.paint_cursor) == []


@pytest.mark.parametrize("typed, moves", [("b 1 c 2 Return", ["b1-c2"]), ("b 1 space c 2 KP_Enter", ["b1-c2"]),
                                          ("B 1 C 2 x BackSpace Return", ["b1-c2"]), ("b 1 c Return", []),
                                          ("b 1 f 6 Return", [])])
def test_moves_can_be_typed(window: Window, typed: str, moves: List[str]) -> None:
    *letters, last = typed.split()
    window.keys(*letters)
    assert window.app.texts("say_typed", text="b1")[:-1] in window.voice()
    window.keys(last)
    window.rest()
    assert window.moves() == moves and window.app.hand.state.typed == ""
    assert moves or window.session.is_refusal


def test_a_typed_move_out_of_turn_is_answered(window: Window) -> None:
    window.begin(levels=(0, 8))
    window.drag("b1", "c2")
    window.until(window.thinks)
    window.keys("k", "1", "k", "2", "Return")
    assert window.app.texts("say_wait") in window.voice() and window.thinks()


def test_typing_works_after_a_click_in_the_move_list(window: Window) -> None:
    moves = window.app.window.move_canvas
    moves.focus_force()
    window.root.update()
    moves.event_generate("<Button-1>", x=20, y=40)
    assert window.root.focus_get() is moves
    for key in ("b", "1", "space", "c", "2", "Return"):
        moves.event_generate(f"<Key-{key}>")
    window.rest()
    assert window.moves() == ["b1-c2"]


def with_manager(monkeypatch: pytest.MonkeyPatch, root: "agon.tk.Tk") -> Dict[str, bool]:
    """Let a window believe that a window manager is there who knows the whole screen; what it has been told."""
    wished: Dict[str, bool] = {"-fullscreen": False, "-zoomed": False}

    def attributes(name: str = "", *values: bool) -> object:
        wished.update((name, value) for value in values)
        return wished.get(name) if name else tuple(wished)
    monkeypatch.setattr(root, "attributes", attributes)
    return wished


def test_escape_lays_a_piece_down_and_then_leaves_the_full_screen(
        window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    wished = with_manager(monkeypatch, window.root)
    window.keys("F11")
    window.keys("Tab", "Return")
    assert window.session.mode is agon.Mode.SELECTED
    window.keys("Escape")
    assert window.session.mode is agon.Mode.IDLE and window.app.hand.state.cursor is None
    assert wished["-fullscreen"]
    window.keys("Escape")
    assert not wished["-fullscreen"]


def test_a_held_key_does_no_harm(window: Window) -> None:
    for key in ("Return", "Tab", "a", "Left", "BackSpace", "Control-z", "Next"):
        window.board.focus_force()
        window.root.update()
        for _ in range(40):
            window.board.event_generate(f"<{key}>" if "-" in key else f"<Key-{key}>")
        window.root.update()
    window.rest()
    assert window.moves() == [] and window.shows_the_position()


def test_a_shortcut_held_down_opens_one_dialog_which_escape_closes_from_anywhere(window: Window) -> None:
    window.board.focus_force()
    window.root.update()
    for _ in range(3):  # the dialog has not got the keyboard yet
        window.board.event_generate("<Control-n>")
    window.root.update()
    dialogs = [child for child in window.root.winfo_children() if isinstance(child, agon.Dialog)]
    assert len(dialogs) == 1
    window.board.event_generate("<Escape>")
    assert not dialogs[0].winfo_exists()


def test_every_shortcut_gives_its_command_also_under_caps_lock_and_num_lock(
        window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    app, given = window.app, []
    monkeypatch.setattr(app, "_resting", frozenset)
    for key, command in app.commands.items():
        monkeypatch.setitem(app.commands, key, command._replace(action=functools.partial(given.append, key)))
    control, shift, caps_lock, num_lock = 4, 1, 2, 16
    window.board.focus_force()
    window.root.update()
    for key, command in app.commands.items():
        words = command.shortcut.split("-")
        state = (control if "Mod" in words else 0) | (shift if "Shift" in words else 0)
        for locks in (0, caps_lock, num_lock, caps_lock | num_lock):
            letter = words[-1]
            if len(letter) == 1 and bool(state & shift) != bool(locks & caps_lock):
                letter = letter.upper()
            if command.shortcut:
                given.clear()
                window.board.event_generate(f"<Key-{letter}>", state=state | locks)
                assert given == [key], (key, locks)
    for sequence, key in (("<Control-Key-equal>", "larger"), ("<Control-KP_Add>", "larger"), ("<<Redo>>", "redo"),
                          ("<Alt-Key-m>", "menu")):
        given.clear()
        window.board.event_generate(sequence)
        assert given == [key]


def test_the_keyboard_is_at_the_board_from_the_start_and_reaches_the_buttons(window: Window) -> None:
    assert window.root.focus_get() is window.board
    window.play("b1-c2 b7-c7")
    window.keys("Control-Tab")
    reached = []
    for _ in range(6):
        focused = window.root.focus_get()
        reached.append(focused)
        focused.event_generate("<Control-Tab>" if focused is window.board else "<Tab>")
        window.root.update()
    buttons = window.app.window.buttons
    assert buttons["undo"] in reached and buttons["hint"] in reached and window.app.window.move_canvas in reached
    buttons["undo"].focus_force()
    window.root.update()
    buttons["undo"].event_generate("<Key-space>")
    buttons["undo"].event_generate("<KeyRelease-space>")
    window.rest()
    assert window.moves() == ["b1-c2"]


# --- the list of moves -----------------------------------------------------------

def listed(window: Window) -> Dict[str, Tuple[int, int]]:
    """The moves that are seen in the list, with the middle of their text."""
    canvas, found = window.app.window.move_canvas, {}
    for item in canvas.find_all():
        if canvas.type(item) == "text" and "-" in canvas.itemcget(item, "text"):
            left, top, right, bottom = canvas.bbox(item)
            found[canvas.itemcget(item, "text")] = ((left + right) // 2, (top + bottom) // 2)
    return found


def long_game(plies: int) -> Game:
    """A game of so many random moves that has not ended."""
    for seed in range(100):
        rng, game = random.Random(seed), Game()
        while game.length < plies and not game.outcome():
            game.play(rng.choice(game.legal_moves()))
        if not game.outcome():
            return game
    raise AssertionError("no game lasted so long")


def test_a_click_in_the_list_goes_to_that_position(window: Window) -> None:
    window.play("b1-c2 b7-c7 k1-k2")
    x, y = listed(window)["b1-c2"]
    window.app.window.move_canvas.event_generate("<Button-1>", x=x, y=y)
    window.rest()
    assert window.moves() == ["b1-c2"] and window.shows_the_position() and len(window.session.game.undone) == 2


def test_a_click_on_a_variation_in_the_list_goes_on_with_it_and_the_other_line_takes_its_place(window: Window) -> None:
    window.play("b1-c2 b7-c7 k1-k2")
    window.run("first")
    window.rest()
    window.play("k1-k2")
    words = listed(window)
    line = next(text for text in words if text.startswith("(1. b1-c2 b7-c7"))
    assert "(1. b1-c2 b7-c7 2. k1-k2)" in window.kept().to_text(with_undone=True)
    x, y = words[line]
    window.app.window.move_canvas.event_generate("<Button-1>", x=x, y=y)
    window.rest()
    assert window.moves() == ["b1-c2"] and len(window.session.game.undone) == 2 and window.shows_the_position()
    assert any(text.startswith("(1. k1-k2") for text in listed(window))


def test_arrows_and_the_foot_of_the_list_go_through_the_game(window: Window) -> None:
    window.play("b1-c2 b7-c7 k1-k2")
    moves = window.app.window.moves
    moves.canvas.focus_force()
    window.root.update()
    lengths = []
    for key in ("Left", "Up", "Right", "Down", "Down"):
        moves.canvas.event_generate(f"<Key-{key}>")
        window.rest()
        lengths.append(len(window.moves()))
    for key in ("first", "next", "last", "previous"):
        window.press_button(moves.buttons[key])
        window.rest()
        lengths.append(len(window.moves()))
    assert lengths == [2, 1, 2, 3, 3, 0, 1, 3, 2]
    window.press_button(moves.buttons["first"])
    window.rest()
    assert {key for key, button in moves.buttons.items() if button.instate(["disabled"])} == {"first", "previous"}
    assert {key for key, button in window.app.window.buttons.items() if button.instate(["disabled"])} == {"undo"}


def test_a_long_list_shows_whole_rows_and_the_move_on_the_board(window: Window) -> None:
    window.adopt(long_game(120))
    moves = window.app.window.moves
    canvas = moves.canvas
    for sequence, rows_above in (("", 0), ("<Button-4>", 3), ("<MouseWheel>", 6), ("<Button-5>", 3), ("<Button-5>", 0),
                                 ("<Button-5>", 0)):
        if sequence:
            canvas.event_generate(sequence, x=20, y=60, **({"delta": 120} if sequence == "<MouseWheel>" else {}))
        window.root.update()
        assert moves.top == 60 - moves.visible_rows - rows_above
        tops = [canvas.bbox(item)[1] for item in canvas.find_all() if canvas.type(item) == "text"]
        bottoms = [canvas.bbox(item)[3] for item in canvas.find_all() if canvas.type(item) == "text"]
        assert min(tops) >= 0 and max(bottoms) <= canvas.winfo_height()
        seen = [item for item in canvas.find_all() if canvas.type(item) == "text" and canvas.coords(item)[1] > 30]
        assert len(seen) == 3 * moves.visible_rows
    for key in ("Home", "End"):
        window.keys(key)
        window.rest()
        assert moves.top == (0 if key == "Home" else 60 - moves.visible_rows)
    for ply in (100, 10, 70):
        moves.on_go(ply)
        window.rest()
        assert moves.top <= (ply - 1) // 2 < moves.top + moves.visible_rows
    window.keys("End")
    window.rest()
    assert moves.scrollbar.winfo_y() >= moves.canvas.winfo_y() + moves.row_height, "it stands below the titles"
    assert moves.scrollbar.winfo_y() + moves.scrollbar.winfo_height() == canvas.winfo_y() + canvas.winfo_height()
    for sequence in ("<ButtonPress-1>", "<ButtonRelease-1>"):
        moves.scrollbar.event_generate(sequence, x=4, y=moves.scrollbar.winfo_height() // 2)
    assert moves.top == max(0, 60 - 2 * moves.visible_rows)
    window.resize("900x500")
    row = (moves.shown.current - 1) // 2
    assert moves.top <= row < moves.top + moves.visible_rows


def test_another_move_in_an_old_position_begins_a_new_game_and_keeps_the_old_one(window: Window) -> None:
    window.play("b1-c2 b7-c7 k1-k2")
    window.keys("Home")
    window.rest()
    window.play("b1-c2")
    assert len(window.session.game.undone) == 2, "the same move goes on in the same game"
    window.keys("Prior")
    window.rest()
    window.play("a5-b5")
    assert window.moves() == ["a5-b5"] and not window.session.game.undone
    assert window.kept().moves == (mv("a5-b5"),)
    assert window.kept("previous.agon").length == 3
    window.run("previous_game")
    window.rest()
    assert window.session.game.length == 3 and window.shows_the_position()


def test_that_a_new_game_has_begun_can_be_read_until_the_player_acts(window: Window) -> None:
    window.begin(levels=(0, 1))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    window.keys("Home")
    window.rest()
    window.drag("a5", "b5")
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    assert "Ein neues Spiel ab Zug 1." in window.voice(), "the computer's answer does not wipe it away"
    window.speak("en")
    assert "A new game from move 1." in window.voice()
    window.click("k1")
    assert "new game" not in window.voice()


# --- the picture -----------------------------------------------------------------

def test_bars_lead_through_trapped_pieces_from_captor_to_captor(window: Window) -> None:
    window.begin(TRAPPED)
    board = window.board
    bars = [sprite for sprite in board.sprites if sprite.paint is agon.paint_bar]
    ends = {frozenset(cell_name(board.layout.cell_at(bar.x + sign * bar.values[0][0], bar.y + sign * bar.values[0][1]))
                      for sign in (1, -1)) for bar in bars}
    assert ends == {frozenset(("e4", "e6")), frozenset(("g3", "g5"))}
    assert window.marked(agon.paint_hexagon) == ["e5", "g4"]
    order = board.find_all()
    pieces = [board._items[sprite] for sprite in board.sprites if sprite.paint is agon.paint_board_piece]
    assert min(order.index(board._items[bar]) for bar in bars) > max(order.index(piece) for piece in pieces)
    window.play("e5-a1")
    assert window.marked(agon.paint_bar) == []


def test_the_last_move_is_shown_with_its_way(window: Window) -> None:
    board = window.board
    assert window.marked(agon.paint_ghost) == window.marked(agon.paint_way) == []
    window.play("b1-c2")
    assert window.marked(agon.paint_ghost) == ["b1"] and len(window.marked(agon.paint_way)) == 1
    assert window.marked(agon.paint_hexagon) == ["c2"]
    tinted = [cell for cell, colour in board._colours.items() if colour != agon.LIGHT.rings[agon.RING[cell] or 0]]
    assert names(tinted) == ["b1", "c2"]
    window.run("undo")
    window.rest()
    assert window.marked(agon.paint_ghost) == window.marked(agon.paint_way) == []


def test_the_end_is_shown_on_the_board_and_beside_it(window: Window) -> None:
    window.begin(ONE_BEFORE_THE_END, levels=(0, 1))
    window.play("h5-g6")
    assert window.session.mode is agon.Mode.OVER and "Du hast gewonnen!" in window.voice()
    assert window.marked(agon.paint_contour) == window.marked(agon.paint_rays) == ["f6"]
    window.drag("e5", "e4")
    assert window.moves() == ["h5-g6"] and window.app.texts("no_GAME_OVER") in window.voice()
    window.keys("Escape")
    buttons = window.app.window.voice.buttons.buttons
    assert [str(button.cget("text")) for button in buttons] == [
        "Stufe 2 versuchen", "Revanche", "Spiel durchsehen", "Aus Fehlern lernen"]
    window.press_button(buttons[0])
    window.rest()
    assert [player.level for player in window.session.running.players] == [0, 2] and window.moves() == []


def test_the_hint_is_a_legal_move_shown_as_an_arrow(window: Window) -> None:
    window.press_button(window.app.window.buttons["hint"])
    window.until(lambda: window.session.marks.hint is not None)
    board, hint = window.board, window.session.marks.hint
    assert hint in window.session.game.legal_moves()
    arrow, = (sprite for sprite in board.sprites if sprite.paint is agon.paint_way)
    x, y = arrow.values[0][-1]
    assert board.layout.cell_at(arrow.x + x, arrow.y + y) == hint.target
    window.click((2, 2))
    assert window.marked(agon.paint_way) == []


@pytest.mark.parametrize("size", ["640x480", "1280x900"])
@pytest.mark.parametrize("is_turned", [False, True])
def test_letters_and_ranks_lie_on_the_plate_and_touch_nothing(
        window: Window, monkeypatch: pytest.MonkeyPatch, size: str, is_turned: bool) -> None:
    monkeypatch.setattr(agon, "paint_board", PAINTERS["paint_board"])
    window.resize(size)
    if is_turned:
        window.run("flip")
    board, boxes = window.board, []
    for item in (*board._letters.values(), *board._ranks.values()):
        assert board.itemcget(item, "state") != "hidden"
        boxes.append(board.bbox(item))
        x, y = board.coords(item)
        assert board.layout.cell_at(x, y) is None
    for i, (left, top, right, bottom) in enumerate(boxes):
        assert 0 <= left and 0 <= top and right <= board.winfo_width() and bottom <= board.winfo_height()
        for left2, top2, right2, bottom2 in boxes[:i]:
            assert right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top
    window.until(lambda: board._painted and board._scale == board.layout.scale)
    left, top = board.layout.x - board._painted.width() // 2, board.layout.y - board._painted.height() // 2
    for item in (*board._letters.values(), *board._ranks.values()):
        x, y = board.coords(item)
        r, g, b = board._painted.get(round(x - left), round(y - top))
        assert 60 < r < 110 and r > g > b, "the brown of the plate"
    window.run("ranks")
    assert all(board.itemcget(item, "state") == "hidden" for item in board._ranks.values())


def test_no_cell_stays_coloured_when_the_painted_board_is_turned(
        window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon, "paint_board", PAINTERS["paint_board"])
    window.resize("900x600")
    board = window.board
    window.until(lambda: board._painted and board._scale == board.layout.scale)
    painting = board._painted
    window.play("b1-c2")
    assert board._colours[parse_cell("c2")] not in agon.LIGHT.rings
    window.run("flip")
    window.run("undo")
    assert board._painted is painting and set(board._colours.values()) == set(agon.LIGHT.rings)
    left, top = board.layout.x - painting.width() // 2, board.layout.y - painting.height() // 2
    for cell in CELLS:
        x, y = board.layout.centre(cell)
        colour = painting.get(round(x - left), round(y - top))
        assert cell == THRONE or "#%02x%02x%02x" % colour == board._colours[cell], cell_name(cell)


def test_themes_repaint_everything_and_items_stay_the_same(window: Window) -> None:
    board = window.board
    pictures = {}
    window.play("b1-c2")
    items = board.find_all()
    for theme in agon.THEMES:
        window.change_look(theme=theme)
        colours = agon.THEMES[theme]
        assert board._colours[THRONE] == colours.rings[0]
        assert str(board.cget("background")) == colours.window
        queen = next(board._items[sprite] for sprite in board.sprites
                     if sprite.paint is agon.paint_board_piece and sprite.values[0] == colours.black)
        image = board.itemcget(queen, "image")
        pictures[theme] = window.root.tk.call(image, "get", window.root.tk.call("image", "width", image) // 2, 10)
        assert str(window.app.window.moves.canvas.cget("background")) == colours.list
    window.run("flip")
    window.resize("900x700")
    assert sorted(board.find_all()) == sorted(items) and len(set(pictures.values())) > 1
    assert window.shows_the_position()


def test_pictures_of_former_sizes_are_forgotten(window: Window) -> None:
    for size in ("700x560", "900x700", "1280x900"):
        window.resize(size)
    window.until(lambda: not window.app.jobs.waits("rest"))
    board = window.board
    assert len(board._images) <= 5
    diameter = agon.PIECE_DIAMETER * board.layout.size
    piece = next(board._items[sprite] for sprite in board.sprites if sprite.paint is agon.paint_board_piece)
    assert 0 < window.root.tk.call("image", "width", board.itemcget(piece, "image")) - 1.2 * diameter < 0.2 * diameter
    board_width = window.root.tk.call("image", "width", board.itemcget(board._board, "image"))
    assert 0 < board_width - agon.PLATE_WIDTH * board.layout.size < 20


def test_picture_and_game_agree_after_every_step_back_and_forth(window: Window) -> None:
    window.adopt(long_game(30))
    rng = random.Random(4)
    for _ in range(40):
        window.run(rng.choice(("undo", "undo", "redo", "first", "last", "previous", "next", "flip")))
        window.rest()
        assert window.shows_the_position()


# --- the frame -------------------------------------------------------------------

def test_the_widgets_say_what_the_view_says(window: Window) -> None:
    app = window.app
    for position, levels in ((str(Position.start()), (0, 0)), (TRAPPED, (0, 3)), (MUST_PASS, (0, 0))):
        window.begin(position, levels)
        view, main = app.window.shown, app.window
        assert window.voice() == " ".join((view.voice.heading, view.voice.text, view.voice.task))
        assert "Computer, Stufe 3" in [row.name.cget("text") for row in main.seats] or levels == (0, 0)
        for row, seat in zip(main.seats, view.seats):
            assert (row.name.cget("text"), row.caption.cget("text")) == (seat.name, seat.caption)
            assert str(row.cget("style")).startswith("Active" if seat.is_active else "Seat")
        for key, button in (*main.buttons.items(), *main.moves.buttons.items()):
            assert button.instate(["disabled"]) == (key in view.resting)
    window.until(lambda: window.moves() == ["--"])
    assert window.root.title() == view.title == "Agon"


def test_the_four_places_lead_everywhere_and_back(window: Window) -> None:
    window.play("b1-c2")
    toolbar = window.app.window.toolbar
    for key, place in (("place_learn", "learn"), ("place_puzzles", "puzzles"), ("place_analysis", "analysis"),
                       ("place_game", "game")):
        window.press_button(toolbar.places[key])
        assert window.app.window.shown.place == place
        chosen = [other for other, button in toolbar.places.items() if button.instate(["selected"])]
        assert chosen == [key]
        assert window.root.focus_get() is (window.app.window.shelf.canvas if place == "puzzles" else window.board)
    assert window.moves() == ["b1-c2"] and not window.app.settings.analysis
    window.press_button(toolbar.new_button)
    assert isinstance(window.dialog(), agon.NewGameDialog)


def test_buttons_without_words_say_in_a_tip_what_they_do(window: Window) -> None:
    tips = window.app.window._tips
    window.speak("en")
    assert {key: tip.text for key, tip in tips.items()} == {
        "first": "To the start", "previous": "Previous position", "next": "Next position", "last": "To the last move"}


def test_the_list_of_moves_stands_there_from_the_start_and_comes_back_with_the_room_for_it(opener: Opener) -> None:
    opener.settings(geometry="1100x860+0+0", is_new=True)
    window = opener()
    moves = window.app.window.moves
    assert window.app.window.shown.card and moves.winfo_ismapped()
    window.resize("640x480")
    assert not moves.winfo_ismapped()
    window.resize("1100x860")
    assert moves.winfo_ismapped()


def test_words_that_find_no_room_in_the_toolbar_become_tips(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon.ToolTip, "WAIT_MS", 1)
    button = window.app.window.toolbar.places["place_puzzles"]
    assert str(button.cget("text")).strip() == "Rätsel"
    window.resize("640x480")
    assert button.cget("text") == ""

    def tips() -> List["agon.tk.Label"]:
        return [child for child in window.root.winfo_children() if isinstance(child, agon.tk.Label)]
    for end in ("<Leave>", "<ButtonPress>", "<Unmap>"):  # the pointer leaves, presses, or the button is hidden under it
        button.event_generate("<Enter>", x=5, y=5)
        window.until(tips)
        assert [tip.cget("text") for tip in tips()] == ["Rätsel"]
        button.event_generate(end)
        assert not tips(), end


def test_the_card_for_newcomers_leads_to_the_tour_or_to_a_first_game(window: Window) -> None:
    app = window.app
    for command, place in ((0, "learn"), (1, "game")):
        app.store.change(is_new=True)
        window.begin()
        assert is_shown(app.window.card)
        window.press_button(app.window.card_buttons.buttons[command])
        assert app.window.shown.place == place and not is_shown(app.window.card) and not app.settings.is_new
    assert [player.level for player in window.session.running.players] == [0, 1]


def states(window: Window) -> Iterator[str]:
    """Bring the window into the states in which it has most to show, one after the other."""
    app = window.app
    app.store.change(is_new=True)
    window.begin(levels=(0, 2))
    yield "card"
    long_names = [agon.Player(name="A name that is " + "much " * 20 + "too long"), agon.Player(name="Ada")]
    window.adopt(Game(), long_names)
    assert str(app.window.seats[1].name.cget("text")).startswith("A name")
    assert str(app.window.seats[1].name.cget("text")).endswith("…")
    yield "long names"
    app.store.change(is_new=False, analysis=True)
    window.begin(TRAPPED, levels=(0, 8))
    window.drag("a5", "a6")
    window.rest()
    window.until(lambda: len(app.window.shown.analysis.lines) == 3)
    yield "trapped and refused, with the analysis"
    app.store.change(analysis=False)
    window.begin(ONE_BEFORE_THE_END, levels=(0, 1))
    window.drag("h5", "g6")
    window.rest()
    yield "end"
    window.run("analysis")
    yield "end, with the analysis"
    window.run("analysis")
    window.run("tour")
    for number in range(len(window.session.table.lessons)):
        app.handle(window.session.table.open, number)
        if window.session.table.lesson.goals:
            app.handle(functools.partial(window.session.table.tell, "lesson_wrong", wrong=window.session.table.lesson.wrong))
        yield f"tour {number + 1}"
    window.run("puzzles")
    seen = set()
    for number, lesson in enumerate(window.session.table.lessons):
        if lesson.goals not in seen:
            seen.add(lesson.goals)
            app.handle(window.session.table.open, number)
            app.handle(functools.partial(window.session.table.tell, "puzzle_refuted", move="a5-b5", within="in 2"))
            yield f"puzzle {number + 1}"
    window.run("set_up")
    window.click("b1")
    window.run("setup_clear")
    window.run("setup_play")
    yield "set-up"
    window.run("page_close")
    app.store.change(conversation=True, analysis=True)
    window.begin(TRAPPED, levels=(0, 8))
    yield "trapped, with the conversation and the analysis"
    app.store.change(conversation=False, analysis=False)
    window.run("tournament")
    yield "tournament, to be begun"
    table = app.tournament_commands.table
    table.begin("/a/rather/long/path/" * 3)
    for line in ["absent " + agon_ai.failure_text(agon_ai.EngineFailure("missing", who="x.py", reason="soup")),
                 *(f"player Name {number}" for number in range(8)), "count 56",
                 f"game 1-2-001 {Position.start()}", f"game 1-3-001 {Position.start()}"]:
        table.hear(line)
    app.handle(table.end)
    yield "tournament"
    app.handle(table.clear)


@pytest.mark.parametrize("size, zoom, language", [
    ("640x450", 0, "de"), ("640x480", 0, "en"), ("640x480", 3, "de"), ("640x480", 3, "en"), ("800x600", 0, "de"),
    ("800x600", 12, "de"), ("800x600", 12, "en"), ("1060x820", 0, "de"), ("1280x900", 0, "de")])
def test_nothing_is_cut_off_at_any_size(window: Window, size: str, zoom: int, language: str) -> None:
    window.speak(language)
    window.change_look(zoom=zoom)
    window.resize(size)
    for state in states(window):
        window.root.update()
        assert cut_off(window.root) == [], state


@pytest.mark.parametrize("height", [600, 768, 1080])
def test_the_largest_text_still_lets_the_dialogs_fit_the_screen(
        window: Window, monkeypatch: pytest.MonkeyPatch, height: int) -> None:
    app = window.app
    monkeypatch.setattr(window.root, "winfo_screenheight", lambda: height)
    look = agon.Look(window.root, app.store, app.texts)
    monkeypatch.setattr(app.look, "largest_zoom", look.largest_zoom)
    window.change_look(zoom=look.largest_zoom - 1)
    window.keys("Control-plus", "Control-plus")
    assert app.settings.zoom == app.look.zoom == look.largest_zoom
    for command in ("new_game", "own_program", "about", "offer_draw"):
        window.run(command)
        dialog = window.dialog()
        assert dialog.winfo_reqheight() < height - 30 and dialog.winfo_reqwidth() < 1920, command
        dialog.on_cancel()
    window.keys("Control-minus")
    assert app.settings.zoom == look.largest_zoom - 1


# --- menus -----------------------------------------------------------------------

def menu_entries(menu: "agon.tk.Menu") -> Iterator[Tuple["agon.tk.Menu", int]]:
    """All entries of a menu and of those below it."""
    for index in range((menu.index("end") or 0) + 1 if menu.index("end") is not None else 0):
        yield menu, index
        if menu.type(index) == "cascade":
            yield from menu_entries(menu.nametowidget(menu.entrycget(index, "menu")))


def menu_states(window: Window) -> Dict[str, str]:
    """Whether each command can be chosen in the menu now, by its label."""
    return {menu.entrycget(index, "label").strip(): str(menu.entrycget(index, "state"))
            for menu, index in menu_entries(window.app.menus.make()) if menu.type(index) in ("command", "checkbutton")}


def test_every_command_of_the_menus_exists_and_has_its_text_and_its_own_shortcut(window: Window) -> None:
    app = window.app
    entries = [entry for _menu, entries in agon.MENUS for entry in entries if entry]
    assert all(entry.strip("[]") in agon.TEXTS for entry in entries)
    assert {entry for entry in entries if entry[0] != "["} <= set(app.commands)
    assert {entry.strip("[]") for entry in entries if entry[0] == "["} == set(app.menus.submenus)
    assert set(agon.CONTEXT_MENU) <= set(entries)
    shortcuts = [command.shortcut for command in app.commands.values() if command.shortcut]
    assert len(shortcuts) == len(set(shortcuts))
    menu = app.menus.make()
    accelerators = {below.entrycget(index, "label").strip(): below.entrycget(index, "accelerator").strip()
                    for below, index in menu_entries(menu) if below.type(index) in ("command", "checkbutton")}
    for entry in entries:
        if entry[0] != "[":
            assert accelerators[app.texts(entry)] == (
                agon.shortcut_text(app.commands[entry].shortcut, app.texts) if app.commands[entry].shortcut else "")


@pytest.mark.parametrize("state, possible, impossible", [
    ("start", "new_game hint resign tour", "undo redo first last move_now pause swap previous_game"),
    ("after a move", "undo first previous offer_draw", "redo next last"),
    ("looking back", "redo next last undo", "move_now pause"),
    ("thinking", "undo move_now pause swap", "hint offer_draw redo"),
    ("over", "undo first", "hint resign offer_draw pause one_move move_now"),
    ("tour", "next page_again", "undo redo first last hint resign swap save"),
    ("puzzles", "next hint", "undo first resign save"),
    ("set-up", "save_as paste", "undo next hint resign save")])
def test_commands_without_meaning_are_grey_and_do_nothing(
        window: Window, monkeypatch: pytest.MonkeyPatch, state: str, possible: str, impossible: str) -> None:
    if state == "thinking":
        window.begin(levels=(0, 8))
    if state in ("after a move", "looking back", "thinking"):
        window.drag("b1", "c2")
        window.rest() if state != "thinking" else window.until(window.thinks)
    if state == "looking back":
        window.play("b7-c7")
        window.keys("Prior")
    if state == "over":
        window.begin(ONE_BEFORE_THE_END, levels=(0, 1))
        window.play("h5-g6")
    if state in ("tour", "puzzles", "set-up"):
        window.run(state.replace("-", "_"))
    if state == "puzzles":
        window.app.handle(window.session.table.open, 0)
    grey = menu_states(window)
    texts = window.app.texts
    for key in possible.split():
        assert grey.get(texts(key), "normal") == "normal", key
    before, given = window.app.window.shown, []
    for key in impossible.split():
        assert grey[texts(key)] == "disabled", key
        monkeypatch.setitem(window.app.commands, key, window.app.commands[key]._replace(
            action=functools.partial(given.append, key)))
        window.run(key)
    assert given == [] and window.app.window.shown == before


def test_menus_follow_the_settings_and_do_not_pile_up(window: Window) -> None:
    app, texts = window.app, window.app.texts

    def chosen() -> List[str]:
        found = []
        for menu, index in menu_entries(app.menus.make()):
            if menu.type(index) in ("checkbutton", "radiobutton"):
                on = menu.entrycget(index, "onvalue" if menu.type(index) == "checkbutton" else "value")
                if str(window.root.tk.globalgetvar(str(menu.entrycget(index, "variable")))) == str(on):
                    found.append(menu.entrycget(index, "label").strip())
        return found
    window.begin(levels=(0, 4))
    assert chosen() == [texts("level", level=4), texts("ranks"), texts("theme_light"), "Deutsch"]
    for key in ("flip", "ranks", "animation", "analysis"):
        window.run(key)
    window.change_look(theme="dark")
    window.speak("en")
    assert chosen() == ["Level 4", texts("flip"), texts("analysis"), texts("animation"), texts("theme_dark"), "English"]
    before = len(window.root.winfo_children())
    for _ in range(5):
        app.menus.make()
        app.menus.make_context()
    assert len(window.root.winfo_children()) == before
    menu = app.menus.make()
    assert str(menu.cget("background")) == agon.DARK.list


def test_the_menus_can_be_opened_and_their_choices_made(window: Window) -> None:
    app = window.app
    window.begin(levels=(0, 4))
    window.keys("F10")
    assert app.menus.opened is not None and is_shown(app.menus.opened)
    right = window.root.winfo_rootx() + window.root.winfo_width()
    assert app.menus.opened.winfo_rootx() + app.menus.opened.winfo_reqwidth() <= right
    app.menus.opened.unpost()
    labels = {}
    for menu, index in menu_entries(app.menus.make()):
        if menu.type(index) == "radiobutton":
            labels[menu.entrycget(index, "label").strip()] = menu, index
    for label in (app.texts("level", level=6), app.texts("theme_contrast"), "English"):
        menu, index = labels[label]
        menu.invoke(index)
    window.root.update()
    assert [player.level for player in window.session.running.players] == [0, 6]
    assert app.settings.theme == "contrast" and app.settings.level == 6
    assert app.window.toolbar.places["place_learn"].cget("text").strip() == "Learn"


# --- dialogs ---------------------------------------------------------------------

def test_guards_are_dragged_from_beside_the_board_or_placed_by_a_click(window: Window) -> None:
    window.begin(str(Position.start(rules=PLACING)), rules=PLACING)
    window.rest()
    tray = window.board.layout.tray(WHITE)
    window.press(tray[5])
    window.motion(window.board.layout.centre(parse_cell("a5")))
    lifted = [sprite for sprite in window.board.sprites if sprite.layer == agon.CARRIED]
    lying = [sprite for sprite in window.board.sprites if sprite.layer == agon.PIECES]
    assert (len(lifted), len(lying)) == (1, 13) and window.session.mode is agon.Mode.DRAGGING
    x, y = window.board.layout.centre(parse_cell("a5"))
    assert math.dist((lifted[0].x, lifted[0].y), (x, y)) < 2
    window.release("a5")
    window.rest()
    window.click("b1")
    window.rest()
    assert window.session.game.descriptions() == ["@a5", "@b1"]
    window.press(tray[4])
    window.motion("d4")
    window.release("d4")
    window.rest()
    assert window.app.window.shown.voice.heading == said("no_PLACED_OUTSIDE", window.app.texts.language)
    assert window.session.game.ply == 2 and window.session.mode is agon.Mode.IDLE
    assert window.app.window.shown.picture.tray == (5, 5) and not window.errors


def test_the_new_game_dialog_starts_the_game_it_describes(window: Window) -> None:
    window.keys("Control-n")
    dialog = window.dialog()
    texts = window.app.texts

    def press(widget: "agon.tk.Misc", label: str) -> None:
        found, = [part for part in descendants(widget) if part.winfo_class() in ("TRadiobutton", "TCheckbutton")
                  and str(part.cget("text")) == label]
        window.press_button(found)
    white, black = dialog.forms
    press(white, texts("kind_level"))
    press(white, "5")
    assert white.word.cget("text") == "Stufe 5: hat aus vielen Spielen gelernt"
    press(black, texts("kind_person"))
    black.name.set("  Ada ")
    for label in (texts("drawn_by_lot"), texts("rule_queen_first"), texts("rule_placement")):
        press(dialog, label)
    press(white, texts("clock_total"))
    white.minutes.set("soon")
    window.press_button(dialog.ok_button)
    assert dialog.error.cget("text") == "Weiß: Nenne die Zeit in ganzen Zahlen, mindestens 1."
    white.minutes.set(" 3 ")
    white.increment.set("2")
    press(black, texts("clock_move"))
    black.seconds.set("40")
    window.press_button(dialog.ok_button)
    assert [row.clock for row in window.app.window.shown.seats] == ["3:00", "0:40"]
    settings = window.app.settings
    assert (settings.white, settings.black, settings.level, settings.by_lot) == (5, 0, 5, True)
    assert settings.rules == window.session.game.rules == Rules(queen_first=True, placement=True)
    assert settings.flipped, "Black plays from below"
    assert window.session.running.players == [agon.Player(5), agon.Player(name="Ada")]
    window.run("new_game")
    assert window.dialog().result() == (agon.NewGame(
        (agon.Seat("level", level=5, clock="180+2"), agon.Seat(name="Ada", level=5, clock="40/move")), True,
        settings.rules),)


def descendants(widget: "agon.tk.Misc") -> Iterator["agon.tk.Misc"]:
    """All widgets below this one."""
    for child in widget.winfo_children():
        yield child
        yield from descendants(child)


@pytest.mark.parametrize("command", ["new_game", "about", "resign", "offer_draw", "own_program", "help"])
def test_every_dialog_and_page_closes_with_escape_and_changes_nothing(window: Window, command: str) -> None:
    window.play("b1-c2")
    before = window.session.running
    window.run(command)
    opened = [child for child in window.root.winfo_children() if isinstance(child, agon.tk.Toplevel)][-1]
    window.root.update()
    opened.focus_force()
    window.root.update()
    assert cut_off(opened) == []
    opened.event_generate("<Escape>")
    window.root.update()
    assert not opened.winfo_exists() and window.session.running is before
    assert window.session.game.outcome() is None and window.moves() == ["b1-c2"]
    window.drag("b7", "c7")
    window.rest()
    assert window.moves() == ["b1-c2", "b7-c7"]


def test_resigning_asks_first_and_return_alone_does_not_resign(window: Window) -> None:
    for keys, is_over in (("Return", False), ("Tab Return", True)):
        window.run("resign")
        dialog = window.dialog()
        dialog.cancel_button.focus_force()
        window.root.update()
        assert dialog.first_focus() is dialog.cancel_button
        for key in keys.split():
            dialog.focus_get().event_generate(f"<{key}>" if key != "Tab" else "<Shift-Tab>")
            window.root.update()
        assert not dialog.winfo_exists() and bool(window.session.game.outcome()) == is_over
    assert window.session.game.outcome() == Outcome(BLACK, Ending.RESIGNATION)
    assert window.kept().outcome() == Outcome(BLACK, Ending.RESIGNATION)
    window.run("undo")
    assert window.session.game.outcome() is None


def test_a_draw_is_offered_to_the_other_person_who_may_decline(window: Window) -> None:
    for accepts in (False, True):
        window.run("offer_draw")
        window.dialog().on_ok()
        question = window.dialog()
        question.on_ok() if accepts else question.on_cancel()
        window.root.update()
        outcome = window.session.game.outcome()
        assert (outcome is not None and outcome.reason is Ending.AGREEMENT) == accepts
    window.run("previous")
    assert window.session.mode is agon.Mode.OVER, "a declared end holds"


# --- the computer ----------------------------------------------------------------

def test_the_computer_answers_and_undo_goes_back_to_ones_own_turn(window: Window) -> None:
    window.begin(levels=(0, 1))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    moves = window.moves()
    assert window.session.game.position.turn == WHITE and window.shows_the_position()
    for key, expected in (("undo", []), ("redo", moves), ("undo", [])):
        window.run(key)
        window.rest()
        assert window.moves() == expected
    window.run("swap")  # the computer has White now
    window.until(lambda: window.session.running.is_paused or len(window.moves()) == 1)
    assert window.session.running.players == [agon.Player(1), agon.Player(0)] and window.app.settings.flipped


def test_undo_while_the_computer_thinks_drops_its_answer(window: Window) -> None:
    window.begin(levels=(0, 8))
    for source, target in (("b1", "c2"), ("k1", "k2")):
        window.drag(source, target)
        window.until(window.thinks)
        window.run("undo")
        window.rest()
        assert window.moves() == [] and window.shows_the_position()


def test_undo_is_whole_even_when_something_else_happens_during_its_animation(
        window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    window.begin(levels=(0, 1))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    monkeypatch.setattr(agon, "GLIDE_MS", 60_000)
    window.run("animation")
    window.run("undo")
    assert window.session.mode is agon.Mode.ANIMATING and window.moves() == []
    window.app.handle(window.app.game_commands.set_level, 2)
    assert window.moves() == [] and window.shows_the_position()


def test_move_now_ends_the_thinking_at_once(window: Window) -> None:
    window.begin(levels=(0, 8))
    window.drag("b1", "c2")
    window.until(window.thinks)
    window.keys("Control-g")
    window.until(lambda: len(window.moves()) == 2, seconds=3)


def test_two_computers_can_be_paused_and_stepped(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon, "LEAST_THINK_MS", 50)  # else they play on while the window is waited for
    window.begin(levels=(1, 1))
    window.until(lambda: len(window.moves()) >= 2)
    window.keys("Control-p")
    window.rest()
    count = len(window.moves())
    assert window.session.running.is_paused and "Strg+P" in window.voice()
    window.keys("Escape")
    assert "Strg+P" in window.voice()
    window.run("one_move")
    window.until(lambda: len(window.moves()) == count + 1)
    window.rest()
    assert len(window.moves()) == count + 1 and window.session.running.is_paused
    window.keys("Control-p")
    window.until(lambda: len(window.moves()) >= count + 3)
    window.run("undo")
    window.rest()
    assert window.session.running.is_paused and window.shows_the_position()


def test_a_blocked_side_passes_by_itself_and_looking_back_onto_it_keeps_what_follows(
        window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(agon, "PASS_MS", 60_000)
        window.begin(MUST_PASS)
        assert window.app.texts("say_pass", side=WHITE) in window.voice()
        window.click((2, 2))  # a click need not wait for it
    window.until(lambda: window.moves() == ["--"])
    window.rest()
    window.app.handle(window.app.attempt, window.session.game.legal_moves()[0], None)
    window.rest()
    window.run("first")
    window.until(lambda: not window.app.jobs.waits("next"))
    window.rest()
    assert window.moves() == [] and len(window.session.game.undone) == 2


# --- painted pictures and motion -------------------------------------------------

needs_tk = pytest.mark.skipif(agon is None, reason="no tkinter")


def cell_colours(theme: "agon.Theme", **picture: Any) -> Set[str]:
    """All colours that the cells take in a picture."""
    scene = agon.Scene(agon.Picture(Position.start(), **picture), Layout(20, 0, 0), theme, {})
    return set(scene.colours().values())


@needs_tk
@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_every_mark_can_be_told_from_every_cell_it_can_lie_on(name: str) -> None:
    theme = agon.THEMES[name]
    plain = cell_colours(theme)
    rings = (THRONE, *(parse_cell(cell) for cell in ("f7", "f8", "f9", "f10", "f11")))
    last = set().union(*(cell_colours(theme, last=Move(cell, cell)) for cell in rings))
    trapped = cell_colours(theme, trapped=frozenset(rings))
    won = cell_colours(theme, winners=frozenset(agon.WINNING_CELLS), is_celebrated=True)
    assert len(last) > len(plain) or not theme.shine
    for mark, cells in ((theme.allowed, plain | last | trapped), (theme.forbidden, plain | last | trapped),
                        (theme.recent, plain | last), (theme.text, plain | last | trapped),
                        (theme.contour[0], won if theme.shine else plain), (theme.star, {theme.rings[0]})):
        assert min(contrast(mark, cell) for cell in cells) >= 3, mark
    for side in (theme.white, theme.black):
        assert min(max(contrast(side.rim, cell), min(contrast(side.lit, cell), contrast(side.shaded, cell)))
                   for cell in plain | last | trapped) >= 3
        assert min(contrast(side.ring, side.lit), contrast(side.ring, side.shaded)) >= 3
        assert min(contrast(side.crown, side.lit), contrast(side.crown, side.shaded)) >= 3
    assert contrast(theme.allowed, theme.halo) >= 3, "the dot on a ghost has a halo"
    assert contrast(agon.LIGHT.forbidden, agon.HALO) >= 4.5 and contrast(agon.HALO, theme.black.lit) >= 3
    assert min(contrast(agon.LIGHT.forbidden, face) for face in (theme.white.lit, theme.white.shaded)) >= 3
    assert contrast(*theme.contour) >= 3


@needs_tk
@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_every_text_and_every_border_can_be_read_on_its_ground(name: str) -> None:
    theme = agon.THEMES[name]
    paper = {theme.window, theme.panel, theme.list, theme.zebra}
    tints = {theme.good_tint, theme.bad_tint, theme.gold_tint}
    plate = {agon.mix(theme.frame, "#ffffff", 0.1), theme.frame, agon.mix(theme.frame, "#000000", 0.12)}
    for text, grounds, least in (
            (theme.text, paper | tints, 7), (theme.quiet_text, paper | tints, 4.5), (theme.letters, plate, 4.5),
            (theme.allowed, paper | {theme.good_tint}, 4.5), (theme.forbidden, paper | {theme.bad_tint}, 4.5),
            (theme.on_colour, {theme.allowed, theme.recent, theme.forbidden, theme.gold}, 4.5),
            (theme.border, paper | tints, 3), (theme.gold, paper | {theme.gold_tint}, 3),
            (theme.disabled_text, paper, 3)):
        assert min(contrast(text, ground) for ground in grounds) >= least, text


@needs_tk
@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_everything_in_the_theatre_can_be_read(name: str) -> None:
    theme, code = agon.THEMES[name], agon.CODE
    ground = {theme.list, theme.zebra}
    for colour, grounds, least in (
            (code.text, {code.ground}, 7), (code.live, {code.ground}, 7), (code.on_live, {code.live}, 7),
            (code.number, {code.ground}, 4.5), (agon.ON_PIECES[WHITE], {theme.white.lit}, 7),
            (agon.ON_PIECES[BLACK], {theme.black.shaded}, 7), (theme.gold, ground, 3), (theme.allowed, ground, 3),
            (theme.forbidden, ground, 3), (theme.border, ground, 3), (theme.quiet_text, ground, 4.5)):
        assert min(contrast(colour, other) for other in grounds) >= least, colour


def pixel(raster: "agon.Raster", x: float, y: float) -> Tuple[str, int]:
    """The colour and the alpha of a pixel, seen from the middle."""
    r, g, b, alpha = raster.rows[int(y + raster.y)][4 * int(x + raster.x):][:4]
    return f"#{r:02x}{g:02x}{b:02x}", alpha


def covered(raster: "agon.Raster") -> float:
    """How many pixels are covered, parts of pixels included."""
    return sum(sum(row[3::4]) for row in raster.rows) / 255


@needs_tk
def test_shapes_cover_as_many_pixels_as_they_are_large() -> None:
    raster = agon.Raster(20)
    raster.fill([[(-10.3, -5.2), (8.1, -7.4), (3.3, 9.6)]], "#ff0000")
    assert covered(raster) == pytest.approx(abs((18.4 * 14.8 - 13.6 * -2.2) / 2), rel=0.01)
    assert pixel(raster, 0, 0) == ("#ff0000", 255) and pixel(raster, -15, 0)[1] == 0
    ring = agon.Raster(20)
    ring.fill([agon._rounded(15, 15, 15), agon._rounded(9, 9, 9)], "#00ff00")
    assert covered(ring) == pytest.approx(math.pi * (225 - 81), rel=0.02) and pixel(ring, 0, 0)[1] == 0
    disc = agon.Raster(20)
    disc.disc(0.3, -0.4, 11, "#0000ff")
    assert covered(disc) == pytest.approx(math.pi * 121, rel=0.01)


@needs_tk
def test_an_edge_between_two_pixels_is_mixed_from_both_colours() -> None:
    raster = agon.Raster(4, 4, "#ffffff")
    raster.fill([[(-4, -4), (0.5, -4), (0.5, 4), (-4, 4)]], "#000000")
    assert [pixel(raster, x, 0) for x in (-1, 0, 1)] == [("#000000", 255), ("#7f7f7f", 255), ("#ffffff", 255)]


@needs_tk
def test_pictures_can_be_laid_over_each_other_faded_doubled_and_packed() -> None:
    ground, tile = agon.Raster(6, 4, "#102030"), agon.Raster(2)
    tile.fill([[(-1.5, -2), (1.5, -2), (1.5, 2), (-1.5, 2)]], "#f0e0d0")
    ground.lay(tile, [(3, 0)])
    assert [pixel(ground, x, 0)[0] for x in (0, 1, 2, 3, 4, 5)] == [
        "#102030", "#808080", "#f0e0d0", "#f0e0d0", "#808080", "#102030"]
    header, data = ground.ppm()[:11], ground.ppm()[11:]
    assert header == b"P6 12 8 255" and data[1:4] == b"\x10\x20\x30" and len(data) == 1 + 3 * 12 * 8
    double = tile.doubled()
    assert (double.width, double.height) == (8, 8) and covered(double) == 4 * covered(tile)
    tile.fade(0.5)
    assert pixel(tile, 0, 0) == ("#f0e0d0", 128)


@needs_tk
@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_the_painted_board_has_every_cell_in_its_place_and_colour(name: str) -> None:
    theme, layout = agon.THEMES[name], Layout.fit(400, 420)
    board = agon.paint_board(layout.scale, theme)
    for cell in CELLS:
        x, y = (a - b for a, b in zip(layout.centre(cell), (layout.x, layout.y)))
        colour = theme.star if cell == THRONE else theme.rings[agon.RING[cell] or 0]
        assert pixel(board, x + 0.5 * layout.size, y)[0] == colour
    assert pixel(board, 1 - board.x, 1 - board.y) == (theme.window, 255)
    assert {row[3::4].count(255) for row in board.rows} == {board.width}, "an opaque picture needs no screen to be drawn"


@pytest.mark.parametrize("size", [(300, 320), (400, 380), (640, 700), (864, 840), (1360, 1000), (2600, 2100)])
def test_all_cells_lie_on_whole_pixels_and_the_board_stays_regular(size: Tuple[int, int]) -> None:
    layout = Layout.fit(*size)
    for cell in CELLS:
        assert all(coordinate == pytest.approx(round(coordinate), abs=1e-6) for coordinate in layout.centre(cell))
    assert abs(layout.stretch - 1) < 0.04
    xs, ys = zip(*layout.plate())
    assert 0 < min(xs) and max(xs) < size[0] and 0 < min(ys) and max(ys) < size[1]
    assert max(max(xs) - min(xs) + 80, 0) > size[0] or max(ys) - min(ys) + 90 > size[1], "it takes the room it can get"


@needs_tk
def test_a_way_bends_round_the_pieces_and_ends_before_its_target() -> None:
    layout = Layout.fit(864, 840)
    position = pos("Qf6 f7 l6 a2 d3 g4 i5 / Qf8 e6 e4 c4 h5 h7 h9 b")
    pieces = tuple(layout.centre(cell) for cell in agon_core.cells_of(position.pieces(WHITE) | position.pieces(BLACK))
                   if cell_name(cell) != "l6")
    first, last = layout.centre(parse_cell("e5")), layout.centre(parse_cell("l6"))
    points = agon.free_way(first, last, 20.0, 30.0, pieces, 30.0)
    assert min(math.dist(point, piece) for point in points for piece in pieces) >= 30
    assert 10 < math.dist(points[0], first) < 40 and 15 < math.dist(points[-1], last) < 60
    assert len(points) > 2, "it is bent"
    straight = agon.free_way(first, last, 20.0, 30.0, (), 30.0)
    assert len(straight) == 2 and math.dist(straight[-1], last) == pytest.approx(30)


@needs_tk
def test_a_dashed_line_is_drawn_in_equal_parts_round_corners() -> None:
    parts = agon.dashes([(0, 0), (10, 0), (10, 10)], 3, 2)
    lengths = [sum(math.dist(a, b) for a, b in zip(part, part[1:])) for part in parts]
    assert lengths == pytest.approx([3, 3, 3, 3]) and parts[2] == [(10, 0), (10, 3)] or len(parts) == 4


def scene_at(milliseconds: float, picture: "agon.Picture") -> "agon.Scene":
    return agon.Scene(picture, Layout.fit(500, 500), agon.LIGHT, {}, milliseconds)


def painted(scene: "agon.Scene", paint: Callable[..., "agon.Raster"]) -> List["agon.Sprite"]:
    return [sprite for sprite in scene.sprites() if sprite.paint is paint]


def trapping_picture() -> "agon.Picture":
    """Black's d6-e6 has trapped a guard on e5."""
    after = pos("Qf6 f7 e5 a2 d3 g4 i5 / Qf8 d6 e4 c4 h5 h7 h9 b").play(mv("d6-e6"))
    return agon.Picture(after, trapped=frozenset((parse_cell("e5"),)), bars=((parse_cell("e4"), parse_cell("e6")),),
                        last=mv("d6-e6"), targets=frozenset((parse_cell("a1"),)))


@needs_tk
def test_what_has_come_of_a_move_is_shown_after_its_piece_has_arrived_one_after_the_other() -> None:
    picture, e5 = trapping_picture(), parse_cell("e5")
    marks = (agon.paint_bar, agon.paint_dot)
    assert [len(painted(scene_at(-1, picture), paint)) for paint in marks] == [0, 0]
    assert scene_at(-1, picture).colours()[e5] == agon.LIGHT.rings[1]
    grown = [painted(scene_at(time, picture), agon.paint_bar)[0].values[1] for time in (20, 80, 160, 500, math.inf)]
    assert grown == sorted(grown) and 0 < grown[0] < grown[1] < grown[2] == grown[4] == 1
    places = {time: {sprite.x for sprite in painted(scene_at(time, picture), agon.paint_board_piece)}
              for time in (100, 190, 400, math.inf)}
    assert places[100] == places[400] == places[math.inf] != places[190], "the trapped piece shakes, and lies still again"
    assert not painted(scene_at(390, picture), agon.paint_dot)
    assert painted(scene_at(430, picture), agon.paint_dot)[0].values[0] < 1
    assert painted(scene_at(agon.news_ms(picture), picture), agon.paint_dot)[0].values[0] == 1
    assert scene_at(agon.news_ms(picture), picture).sprites() == scene_at(math.inf, picture).sprites()


@needs_tk
def test_marks_lie_over_pieces_and_ways_below_them() -> None:
    layers = {sprite.paint: sprite.layer for sprite in scene_at(math.inf, trapping_picture()).sprites()}
    order = (agon.paint_ghost, agon.paint_way, agon.paint_board_piece, agon.paint_hexagon, agon.paint_bar, agon.paint_dot)
    assert [layers[paint] for paint in order] == sorted(set(layers.values()))


def won_picture(is_celebrated: bool) -> "agon.Picture":
    return agon.Picture(pos("Qf6 e6 f7 g6 g5 f5 e5 / Qd5 d7 c4 e3 h5 h6 g4 b"), last=mv("e7-e6"),
                        winners=frozenset(agon.WINNING_CELLS), is_celebrated=is_celebrated)


@needs_tk
def test_a_won_game_lights_up_clockwise_grows_dark_outside_and_crowns_the_queen() -> None:
    picture = won_picture(True)
    assert [cell_name(cell) for cell in scene_at(0, picture).clockwise()] == ["e6", "f7", "g6", "g5", "f5", "e5"]
    lit = [sum(colour == agon.LIGHT.shining[1] for colour in scene_at(time, picture).colours().values())
           for time in (-1, 40, 120, 200, 280, 360, 440, math.inf)]
    assert lit == [0, 1, 2, 3, 4, 5, 6, 6]
    dark = [sum(scene_at(time, picture).colours()[cell] != agon.LIGHT.rings[agon.RING[cell] or 0]
                for cell in map(parse_cell, ("f8", "f9", "f10", "f11"))) for time in (480, 545, 605, 665, 725)]
    assert dark == [0, 1, 2, 3, 4]
    crowns = [next(sprite.values[2] for sprite in painted(scene_at(time, picture), agon.paint_board_piece)
                   if sprite.values[1] and sprite.values[0] == agon.LIGHT.white) for time in (500, 850, math.inf)]
    assert crowns == [1.0, 1.2, 1.15]
    for paint in (agon.paint_contour, agon.paint_glow, agon.paint_rays):
        assert not painted(scene_at(300, picture), paint) and len(painted(scene_at(math.inf, picture), paint)) == 1
    assert 900 <= agon.news_ms(picture) <= 1000


@needs_tk
def test_a_lost_game_ends_without_glow_and_growing() -> None:
    scene = scene_at(math.inf, won_picture(False))
    assert painted(scene, agon.paint_contour) and not painted(scene, agon.paint_glow) and not painted(scene, agon.paint_rays)
    assert {sprite.values[2] for sprite in painted(scene, agon.paint_board_piece)} == {1.0}


def test_news_is_shown_once_when_it_happens_and_a_press_ends_it(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon, "BAR_MS", 60_000)
    monkeypatch.setattr(agon, "FRAME_MS", 200)
    window.run("animation")
    window.begin("Qf6 f7 e5 a2 d3 g4 i5 / Qf8 d6 e4 c4 h5 h7 h9 b")
    board = window.board
    window.drag("d6", "e6")
    window.until(lambda: window.session.mode is agon.Mode.IDLE and window.moves())
    assert board.is_moving and window.marked(agon.paint_dot) == []
    window.press((2, 2))
    assert not board.is_moving and len(window.marked(agon.paint_dot)) > 20 and window.marked(agon.paint_bar) == ["e5"]
    window.run("undo")
    window.rest()
    window.app.store.change(animation=False)
    window.run("redo")
    assert not board.is_moving and window.marked(agon.paint_bar) == ["e5"]


def test_the_card_of_a_won_game_waits_for_the_board_but_not_for_who_is_in_a_hurry(
        window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    window.run("animation")
    window.begin(ONE_BEFORE_THE_END, levels=(0, 1))
    monkeypatch.setattr(agon, "CROWN_MS", 60_000)
    monkeypatch.setattr(agon, "FRAME_MS", 200)
    box, moves = window.app.window.voice, window.app.window.moves
    window.root.update()
    top = moves.winfo_y()
    window.drag("h5", "g6")
    window.until(lambda: window.session.mode is agon.Mode.OVER)
    window.root.update()
    assert window.board.is_moving and not box.winfo_manager(), "nobody is told to move any more"
    assert moves.winfo_y() == top, "nothing moves beside the board"
    window.press((2, 2))
    assert not window.board.is_moving and box.shown == window.app.window.shown.voice and box.winfo_manager()


def test_the_board_is_painted_once_when_its_size_has_come_to_rest(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    board, paint, sizes = window.board, agon.paint_board, []

    def count(scale: Tuple[float, float], theme: "agon.Theme") -> "agon.Raster":
        sizes.append(scale)
        return paint(scale, theme)
    monkeypatch.setattr(agon, "paint_board", count)
    monkeypatch.setattr(agon, "REST_MS", 60_000)
    for size in ("700x560", "760x600", "900x700"):
        window.resize(size)
        assert board.itemcget(board._board, "state") == "hidden" and board.itemcget(board._plate[0], "state") == "normal"
    monkeypatch.setattr(agon, "REST_MS", 1)
    window.resize("800x640")
    window.until(lambda: not window.app.jobs.waits("rest"))
    assert board.itemcget(board._board, "state") == "normal" and board.itemcget(board._plate[0], "state") == "hidden"
    for command in ("flip", "ranks"):
        window.run(command)
    window.play("b1-c2")
    assert sizes == [board.layout.scale]


def png_of(data: bytes) -> Tuple[int, int, List[bytes]]:
    """Width, height and rows (RGBA) of a picture of the program's own."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    begin = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[begin - 4:begin])
    pixels = zlib.decompress(data[begin + 4:begin + 4 + length])
    row = 4 * width + 1
    return width, height, [pixels[row * number + 1:row * (number + 1)] for number in range(height)]


def colour_at(png: Tuple[int, int, List[bytes]], cell: str, flipped: bool = False, beside: float = 0) -> str:
    """The colour of an exported board so many cell radii right of a cell's middle."""
    width, height, rows = png
    x, y = Layout(agon.PICTURE_CELL, 0, 0, flipped).centre(parse_cell(cell))
    at = 4 * round(x + width // 2 + beside * agon.PICTURE_CELL)
    return "#" + rows[round(y + height // 2)][at:at + 3].hex()


@needs_tk
def test_an_exported_board_shows_cells_pieces_marks_letters_and_numbers() -> None:
    theme = agon.LIGHT
    empty = png_of(agon.picture_png(agon.Picture(pos("/ w")), theme, False, True))
    needed = (agon.PLATE_WIDTH * agon.PICTURE_CELL + 2 * agon.SHADOW,
              agon.PLATE_HEIGHT * agon.PICTURE_CELL + 2 * (agon.SHADOW + agon.SHADOW_LOWER))
    assert all(least <= pixels < least + 4 for pixels, least in zip(empty[:2], needed))  # the shadow's pixels are doubled
    assert [colour_at(empty, cell, beside=0.7) for cell in ("f6", "f7", "f8", "f11")] == [
        theme.rings[ring] for ring in (0, 1, 2, 5)]
    assert colour_at(empty, "f6", beside=0.4) == theme.star
    board = pos("Qf1 e5 / Qf10 e4 e6 w")
    picture = agon.Picture(board, bars=((parse_cell("e4"), parse_cell("e6")),), trapped=frozenset([parse_cell("e5")]))
    for flipped in (False, True):
        shown = png_of(agon.picture_png(picture, theme, flipped, True))
        assert colour_at(shown, "e5", flipped) == agon.LIGHT.forbidden
        assert colour_at(shown, "f1", flipped, 0.55) != colour_at(shown, "f10", flipped, 0.55)
        assert colour_at(shown, "f4", flipped, 0.5) == theme.rings[2]
    nameless = png_of(agon.picture_png(agon.Picture(pos("/ w")), theme, False, False))
    different = [number for number, (with_ranks, without) in enumerate(zip(empty[2], nameless[2])) if with_ranks != without]
    places = [y + empty[1] // 2 for _x, y in Layout(agon.PICTURE_CELL, 0, 0).ranks().values()]
    assert all(min(abs(number - place) for place in places) < 10 for number in different)
    assert all(any(abs(number - place) < 10 for number in different) for place in places)


@needs_tk
def test_every_letter_and_figure_of_the_board_can_be_painted() -> None:
    assert {*agon_core.FILES, *"0123456789"} == set(agon.GLYPHS)
    for strokes in agon.GLYPHS.values():
        assert all(-0.2 <= x <= agon.GLYPH_WIDTH + 0.3 and -6.1 <= y <= 2.1 for stroke in strokes for x, y in stroke)


@needs_tk
def test_a_hollow_picture_is_laid_over_another_without_its_hole() -> None:
    below, ring = agon.Raster(10, 10, "#ffffff"), agon.Raster(8, 8)
    ring.stroke([(-6, -6), (6, -6), (6, 6), (-6, 6), (-6, -6)], 3, "#ff0000")
    below.lay(ring, [(0, 0)])
    assert below.rows[10][4 * 10:4 * 10 + 4] == bytes((255, 255, 255, 255))
    assert bytes((255, 0, 0, 255)) in bytes(below.rows[10])


def test_pictures_of_former_moves_do_not_pile_up(window: Window) -> None:
    window.come_to_rest()
    board, items = window.board, 0
    for source in CELLS[:60]:
        for target in CELLS[60:62]:
            board.render(agon.Picture(Position.start(), last=Move(source, target)))
            items = items or len(board.find_all())
    assert board.MOST_IMAGES - 20 < len(board._images) <= board.MOST_IMAGES + 20
    assert len(board.find_all()) <= items + 4


def test_text_grows_with_a_full_screen(window: Window) -> None:
    look = window.app.look
    assert look.growth_on(1280, 900) == look.growth_on(1000, 700) == 1.0
    assert look.growth_on(1920, 1080) == pytest.approx(1.2) and look.growth_on(1920, 1440) == pytest.approx(1.5)
    before = look.fonts["body"].metrics("linespace")
    look.growth = 1.5
    window.app.handle(window.app._dress)  # the window itself does not fill the screen, so it goes back
    assert look.growth == 1.0 and look.fonts["body"].metrics("linespace") == before


# === 13. The window: classroom, programs, files ==================================


def wait_for_turn(window: Window) -> None:
    """Let a lesson come to the point where the player moves, or is done."""
    table = window.session.table
    window.until(lambda: window.session.mode is agon.Mode.IDLE and not window.app.thinker.is_busy
                 and (table.accepts_moves or getattr(table, "is_done", False) or getattr(table, "is_solved", False)))


#: A search that passes nothing over.
EVERY_LINE = agon_ai.Tricks(reductions=False)


def open_puzzle(window: Window, goal: str, moves: int) -> "agon.PuzzleBook":
    """Open the first puzzle with this goal."""
    window.run("puzzles")
    book = window.session.table
    assert isinstance(book, agon.PuzzleBook)
    numbers = [i for i, lesson in enumerate(book.lessons) if lesson.goals == (goal,) and lesson.moves == moves]
    window.app.handle(book.open, numbers[0])
    return book


def a_refused_move(game: Game, goal: str) -> Move:
    """A move that is refused for the reason that a lesson asks for."""
    moves = (Move(source, target) for source in CELLS for target in CELLS)
    return next(move for move in moves if (game.refusal(move) or Refusal.NO_PASS).name.lower() == goal[len("refused_"):])


def test_the_tour_can_be_walked_through_with_the_mouse(window: Window) -> None:
    window.play("b1-c2")
    window.run("tour")
    tour = window.session.table
    for number, lesson in enumerate(tour.lessons):
        assert tour.number == number and lesson.title["de"] == window.app.window.page.heading.cget("text")
        for goal in lesson.goals:
            wait_for_turn(window)
            game = window.session.game
            move = a_refused_move(game, goal) if goal.startswith("refused_") else \
                agon_core.moves_that_reach(goal, game)[0]
            window.drag(cell_name(move.source), cell_name(move.target))
            wait_for_turn(window)
        assert tour.is_done and (window.feedback().startswith("✓") or not lesson.goals), lesson.title
        if number < len(tour.lessons) - 1:
            window.press_button(window.page_button("page_next"))
    window.press_button(window.page_button("puzzles"))
    assert isinstance(window.session.table, agon.PuzzleBook) and window.root.focus_get() is window.app.window.shelf.canvas
    window.press_button(window.page_button("page_close"))
    assert window.moves() == ["b1-c2"] and window.shows_the_position()


def test_a_wrong_try_in_the_tour_is_explained_and_taken_back(window: Window) -> None:
    window.run("tour")
    window.drag("b1", "a1")
    window.until(lambda: window.session.game.undone)
    window.rest()
    assert window.feedback().startswith("✗ Das ist erlaubt.") and window.shows_the_position()
    window.speak("en")
    assert window.feedback().startswith("✗ That is allowed.")
    window.drag("b1", "d4")
    window.rest()
    assert window.feedback() == f"✗ {window.app.texts('no_TOO_FAR')}"
    window.drag("b1", "c2")
    window.rest()
    assert window.feedback().startswith("✓ Right!") and window.page_button("page_next").cget("style") == "Primary.TButton"
    window.run("page_again")
    assert window.feedback().strip() == "" or not is_shown(window.app.window.page.feedback)


def test_lessons_leave_the_kept_game_alone_and_a_new_game_ends_them(window: Window) -> None:
    window.play("b1-c2")
    before = window.kept().to_text()
    window.run("tour")
    window.play("b1-c2")
    window.run("puzzles")
    window.run("set_up")
    window.click("f6")
    window.app.handle(window.app.game_commands.set_level, 5)
    assert window.kept().to_text() == before and window.session.is_lesson
    window.begin()
    assert not window.session.is_lesson and is_shown(window.app.window.moves)
    window.run("previous_game")
    assert window.moves() == ["b1-c2"]


@pytest.mark.parametrize("lesson", ["tour", "puzzles"])
def test_lessons_are_leafed_through_with_the_keyboard(window: Window, lesson: str) -> None:
    window.run(lesson)
    table = window.session.table
    next_key = "page_next" if lesson == "tour" else "puzzle_next"
    window.app.handle(table.open, table.number)
    window.app.window.focus()
    first = table.number
    window.keys("Next", "Next", "Prior")
    assert table.number == first + 1
    window.keys("Control-Tab")
    buttons = window.app.window.page.buttons.buttons
    assert window.root.focus_get() in buttons
    button = window.page_button(next_key)
    button.focus_force()
    window.root.update()
    button.event_generate("<Key-space>")
    button.event_generate("<KeyRelease-space>")
    window.root.update()
    assert table.number == first + 2 and window.root.focus_get() in window.app.window.page.buttons.buttons


@pytest.mark.parametrize("lesson", ["tour", "puzzles", "set_up"])
def test_a_button_pressed_by_mouse_gives_the_keyboard_back_to_the_board(
        window: Window, monkeypatch: pytest.MonkeyPatch, lesson: str) -> None:
    monkeypatch.setattr(window.app.dialogs, "choose_file", lambda *_values, **_named: "")
    window.root.focus_force()
    window.app.window.move_canvas.focus_set()
    window.run(lesson)
    for button in window.app.window.page.shown.buttons:
        window.run(lesson)
        window.press_button(window.page_button(button.command))
        if window.app.dialogs.top:
            window.app.dialogs.top.on_cancel()
            window.root.update()
        shelf = window.app.window.shelf.canvas if window.app.window.shown.shelf else None
        assert window.comes_true(lambda: window.root.focus_get() is (shelf or window.board)), button.command
    assert not window.session.is_lesson, "the last button leads back to the game"


def test_the_computer_waits_where_it_was_held_up_before_a_lesson(window: Window) -> None:
    window.begin(levels=(1, 1))
    window.until(lambda: len(window.moves()) >= 2)
    window.run("pause")
    moves = window.moves()
    for lesson in ("tour", "puzzles", "set_up"):
        window.run(lesson)
        window.run("page_close")
        window.rest()
        assert window.session.running.is_paused and window.moves() == moves
    window.begin(levels=(0, 1))
    window.drag("b1", "c2")
    window.until(window.thinks)
    window.run("tour")
    assert not window.app.thinker.is_busy
    window.run("page_close")
    window.until(lambda: len(window.moves()) == 2)


# --- puzzles ---------------------------------------------------------------------

def test_a_puzzle_is_solved_with_the_mouse_against_the_best_defence(window: Window) -> None:
    book = open_puzzle(window, "win", 2)
    for _ in range(2):
        wait_for_turn(window)
        best = agon_ai.search(window.session.game, depth=2 * book.moves_left - 1, tricks=EVERY_LINE).move
        window.drag(cell_name(best.source), cell_name(best.target))
        window.until(lambda: book.is_praise)
    window.until(lambda: book.is_solved)
    assert "✓" in window.feedback() and book.key in window.app.store.progress.solved
    assert str(window.app.window.page.feedback.cget("style")) == "Good.TLabel"
    assert window.page_button("puzzle_next").cget("style") == "Primary.TButton"
    window.speak("en")
    assert window.feedback().startswith("✓ Solved!")


def test_a_move_that_lets_the_win_slip_stays_and_is_refuted_until_once_more_takes_both_back(window: Window) -> None:
    book = open_puzzle(window, "win", 3)
    number, slip = next((number, move) for number, lesson in enumerate(book.lessons) if lesson.moves in (2, 3)
                        for move in set(lesson.start.legal_moves()) - {lesson.solution[0]} if lesson.goals == ("win",)
                        and agon_core.moves_to_go(*lesson.start.play(move)[1:3]) <= lesson.moves - 1
                        and not lesson.start.play(move).outcome())
    window.app.handle(book.open, number)
    game = window.session.game
    window.drag(cell_name(slip.source), cell_name(slip.target))
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    assert book.is_wrong and window.shows_the_position() and window.feedback().startswith("✗")
    window.drag(cell_name(game.legal_moves()[0].source), cell_name(game.legal_moves()[0].target))
    assert len(window.moves()) == 2
    window.press_button(window.page_button("page_again"))
    window.rest()
    assert window.moves() == [] and window.shows_the_position() and not book.is_solved and book.accepts_moves


def test_tiles_are_larger_where_titles_stand_on_them_and_have_room(window: Window) -> None:
    shelf = window.app.window.shelf
    sizes = {}
    for size in ("1280x900", "640x480"):
        window.resize(size)
        for command in ("puzzles", "small_games"):
            window.run(command)
            sizes[size, command] = [round(pixels / shelf.look.em) for pixels in shelf.tile_size[:2]]
    plain, titled = ([round(share) for share in shape] for shape in (
        (agon.TILE_WIDTH, agon.TILE_HEIGHT), (agon.TITLED_WIDTH, agon.TITLED_HEIGHT)))
    assert sizes == {("1280x900", "puzzles"): plain, ("1280x900", "small_games"): titled,
                     ("640x480", "puzzles"): plain, ("640x480", "small_games"): plain}


def middle_of_tile(shelf: "agon.Shelf", number: int) -> Tuple[float, float]:
    """The middle of a tile in pixels of the window."""
    width, height, _apart = shelf.tile_size
    left, top = shelf._places[number]
    return left + width / 2 - shelf.canvas.canvasx(0), top + height / 2 - shelf.canvas.canvasy(0)


def test_the_shelf_is_walked_by_arrow_keys_and_a_click_opens_a_puzzle(window: Window) -> None:
    window.run("puzzles")
    shelf, book = window.app.window.shelf, window.session.table
    assert is_shown(shelf) and window.root.focus_get() is shelf.canvas
    for key, number in (("Right", 1), ("Right", 2), ("Left", 1)):
        shelf.canvas.event_generate(f"<{key}>")
        window.root.update()
        assert book.number == number == shelf.shown.chosen and not book.is_open
    shelf.canvas.event_generate("<Down>")
    window.root.update()
    below = book.number
    assert shelf._places[below][1] > shelf._places[1][1] and shelf._places[below][0] == shelf._places[1][0]
    shelf.canvas.event_generate("<Up>")
    shelf.canvas.event_generate("<Return>")
    window.root.update()
    assert book.is_open and book.number == 1 and not is_shown(shelf) and window.root.focus_get() is window.board
    window.press_button(window.page_button("puzzle_shelf"))
    x, y = middle_of_tile(shelf, 2)
    shelf.canvas.event_generate("<Button-1>", x=round(x), y=round(y))
    window.root.update()
    assert book.is_open and book.number == 2
    window.run("puzzle_shelf")
    shelf.canvas.event_generate("<Button-1>", x=2, y=2)  # beside all tiles
    window.root.update()
    assert not book.is_open


def test_the_shelf_scrolls_to_the_puzzle_that_is_chosen_and_dresses_anew(window: Window) -> None:
    window.run("puzzles")
    shelf, book = window.app.window.shelf, window.session.table
    window.app.handle(book.choose, f"look {len(book.lessons) - 1}")
    window.root.update()
    assert 0 < middle_of_tile(shelf, len(book.lessons) - 1)[1] < shelf.canvas.winfo_height()
    first = shelf.canvas.canvasy(0)
    shelf.canvas.event_generate("<Button-4>")
    window.root.update()
    assert shelf.canvas.canvasy(0) < first
    top = shelf.canvas.canvasy(0)
    shelf.canvas.event_generate("<MouseWheel>", x=20, y=60, delta=-120)
    window.root.update()
    assert shelf.canvas.canvasy(0) == first
    shelf.canvas.event_generate("<MouseWheel>", x=20, y=60, delta=120)
    window.root.update()
    assert shelf.canvas.canvasy(0) == top
    for number in (20, 0):  # far above what is seen
        window.app.handle(book.choose, f"look {number}")
        window.root.update()
        assert 0 < middle_of_tile(shelf, number)[1] < shelf.canvas.winfo_height()
    assert shelf.canvas.canvasy(0) == 0
    window.app.handle(book.choose, f"look {len(book.lessons) - 1}")
    window.root.update()
    for theme in ("dark", "contrast"):
        window.app.handle(window.app.view_commands.change_look, "theme", theme)
        window.root.update()
        assert str(shelf.canvas.cget("background")) == agon.THEMES[theme].window
        assert 0 < middle_of_tile(shelf, len(book.lessons) - 1)[1] < shelf.canvas.winfo_height()


def test_the_themes_of_the_shelf_stand_apart_however_many_columns_there_are(window: Window) -> None:
    window.run("puzzles")
    canvas, heading = window.app.window.shelf.canvas, window.app.look.fonts["bold"]
    for width in range(640, 1600, 120):
        window.resize(f"{width}x600")
        texts = [item for item in canvas.find_all() if canvas.type(item) == "text"]
        headings = [item for item in texts if canvas.itemcget(item, "font") == str(heading)]
        assert len(headings) >= len(agon_ai.THEME_TEXTS)
        for item in headings:
            assert {canvas.type(other) for other in canvas.find_overlapping(*canvas.bbox(item))} == {"text"}, width


def test_the_solution_plays_itself(window: Window) -> None:
    book = open_puzzle(window, "win", 3)
    window.press_button(window.page_button("puzzle_solution"))
    window.until(lambda: book.is_solved)
    assert len(window.moves()) == 5 and window.app.texts("puzzle_shown", praise="").strip() in window.feedback()
    assert book.key not in window.app.store.progress.solved


def test_a_hint_in_a_puzzle_clears_old_marks_and_shows_the_first_move(window: Window) -> None:
    book = open_puzzle(window, "win", 1)
    own = next(cell_name(cell) for cell in CELLS if window.session.game.position.side_at(cell) == book.side)
    window.drag(own, next(cell_name(cell) for cell in CELLS if agon.RING[cell] == 5 and cell_name(cell) != own))
    window.rest()
    assert window.session.marks.tried is not None
    window.press_button(window.page_button("hint"))
    window.until(lambda: window.session.marks.piece is not None)
    assert window.app.window.shown.picture.pointed == window.session.marks.piece and window.session.marks.tried is None
    window.press_button(window.page_button("hint"))
    window.until(lambda: window.session.marks.hint is not None)
    assert window.session.marks.tried is None and not window.session.marks.causes
    assert window.session.marks.hint in agon_core.moves_that_reach("win", window.session.game)


@pytest.mark.parametrize("goal", ["trap", "win"])
def test_a_hint_in_a_puzzle_lays_the_picked_piece_down(window: Window, goal: str) -> None:
    book = open_puzzle(window, goal, 1)
    own = next(cell_name(cell) for cell in CELLS if window.session.game.position.side_at(cell) == book.side)
    window.click(own)
    assert window.session.mode is agon.Mode.SELECTED
    window.press_button(window.page_button("hint"))
    window.until(lambda: window.session.marks.piece is not None)
    assert window.session.mode is agon.Mode.IDLE and window.app.hand.state.selected is None


def test_a_move_whose_judge_has_failed_can_be_made_again(window: Window) -> None:
    book = open_puzzle(window, "win", 5)  # so deep that the engine thinks for a while
    move = book.lesson.solution[0]
    window.drag(cell_name(move.source), cell_name(move.target))
    window.until(window.thinks)
    window.app.thinker.engine_for(agon.Player(8))._process.kill()
    window.until(lambda: window.app.texts("puzzle_failed") in window.feedback() and not window.moves())
    assert book.accepts_moves


# --- small games -----------------------------------------------------------------

def test_a_small_game_is_played_with_the_mouse_against_the_computer_and_the_running_game_waits(window: Window) -> None:
    window.begin(levels=(0, 1))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    kept = window.moves()
    window.run("small_games")
    shelf, games = window.app.window.shelf, window.session.table
    x, y = middle_of_tile(shelf, 0)
    shelf.canvas.event_generate("<Button-1>", x=round(x), y=round(y))
    window.root.update()
    assert games.is_open and games.level == 1
    window.drag("f3", "f4")
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    window.press_button(window.page_button("undo"))
    window.rest()
    assert window.moves() == [] and window.shows_the_position() and games.was_helped
    while not games.is_over:
        moves = window.session.game.legal_moves()
        inwards = [move for move in moves if games.position.is_queen(move.source) and games.position.is_progress(move)]
        move = games.hint().show or (inwards or moves)[0]
        before = len(window.moves())
        window.drag(cell_name(move.source), cell_name(move.target))
        window.until(lambda: games.is_over or len(window.moves()) >= before + 2)
        window.rest()
    assert games.is_solved and "✓" in window.feedback() and games.key in window.app.store.progress.helped
    window.keys("Return")
    assert games.number == 1 and games.is_open and window.moves() == []
    window.run("page_close")
    window.rest()
    assert window.moves() == kept and not window.session.is_lesson


# --- set-up ----------------------------------------------------------------------

def test_the_choices_of_the_set_up_stay_where_they_are_when_something_is_said_below_them(window: Window) -> None:
    window.resize("1280x900")
    window.run("set_up")
    page = window.app.window.page
    before = page.choices.winfo_y(), page.buttons.winfo_y()
    for command in ("setup_clear", "setup_play"):
        window.run(command)
        window.root.update()
    assert is_shown(page.feedback) and (page.choices.winfo_y(), page.buttons.winfo_y()) == before


def test_pieces_are_placed_moved_and_removed_by_mouse_and_undone(window: Window) -> None:
    window.run("set_up")
    window.press_button(window.page_button("setup_clear"))
    tools = {str(button.cget("value")): button for button in window.app.window.page.choices.winfo_children()
             if isinstance(button, agon.ttk.Radiobutton)}
    for tool, cell in (("tool_black_queen", "f6"), ("tool_white_guard", "a1"), ("tool_white_guard", "b2"),
                       ("tool_white_guard", "b2")):
        window.press_button(tools[tool])
        window.click(cell)
    position = window.session.table.position
    assert str(position) == "a1 / Qf6 w" and window.root.focus_get() is window.board
    window.drag("a1", "c3")
    window.drag("f6", (2, 2))
    assert str(window.session.table.position) == "c3 / w" and window.shows_the_position()
    window.keys("Control-z", "Control-z")
    assert window.session.table.position == position and window.shows_the_position()
    window.press_button(tools["tool_white_guard"])
    window.keys("Escape", "Down", "Down", "Return", "b", "1")
    assert window.app.hand.state.typed == "" and "f5" in str(window.session.table.position)
    window.run("setup_clear")
    window.click("f6")
    assert "Thron" in window.feedback() and str(window.session.table.position) == "/ w"


def test_a_press_on_a_page_that_has_gone_chooses_nothing(window: Window) -> None:
    window.run("puzzles")
    shelf = window.app.window.shelf
    window.run("set_up")
    shelf.on_choice("open 5")  # as a quick second hand does
    assert window.session.table.tool == "tool_white_guard"
    window.run("puzzle_open")
    assert isinstance(window.session.table, agon.SetUp)
    window.click("f6")
    assert window.session.game.position.side_at(THRONE) is None and window.errors == []


def test_a_set_up_position_is_played_as_soon_as_each_side_has_a_piece(window: Window) -> None:
    window.run("set_up")
    window.press_button(window.page_button("setup_clear"))
    window.click("a1")
    window.press_button(window.page_button("setup_play"))
    assert window.app.texts("setup_incomplete") in window.feedback() and window.session.is_lesson
    window.app.handle(window.session.table.choose, "tool_black_guard")
    window.click("l6")
    window.press_button(window.page_button("setup_turn"))
    window.press_button(window.page_button("setup_play"))
    assert not window.session.is_lesson and str(window.session.game.start) == "a1 / l6 b"
    window.play("l6-l5")
    assert window.kept().moves == (mv("l6-l5"),)


@pytest.mark.parametrize("size", ["640x480", "1280x900"])
def test_a_position_is_saved_as_an_exercise_by_mouse_and_keyboard(
        window: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: str) -> None:
    monkeypatch.setattr(agon, "CLASSROOM", str(tmp_path))
    window.resize(size)
    window.run("set_up")
    window.app.handle(window.session.table.change, pos("Qf2 d4 c5 h4 / Qf10 d5 g8 w"))
    window.press_button(window.page_button("exercise"))
    dialog = window.dialog()
    for kind in ("game", "puzzle"):
        dialog.kind.set(kind)
        dialog.show_kind()
        window.root.update_idletasks()
        assert dialog.winfo_reqwidth() <= 640 and dialog.winfo_reqheight() <= (450 if size == "640x480" else 500)
    assert dialog.goal.get() == "trap" and all(widget.instate(["disabled"]) for widget in dialog.of_games)
    dialog.moves.set("many")
    dialog.on_ok()
    assert window.dialog() is dialog and "many" in dialog.error.cget("text")
    dialog.moves.set(" 1 ")
    dialog.moves_entry.focus_force()
    dialog.moves_entry.event_generate("<Return>")
    window.until(lambda: window.app.texts("exercise_name") in window.feedback())
    lessons, error = agon.read_lessons(window.app.texts("exercise_name") + ".agon")
    assert error is None and [lesson.goals for lesson in lessons] == [("trap",)]


# --- own programs ----------------------------------------------------------------

def program(tmp_path: Path, body: str, besides: str = "") -> str:
    """A pupil's program: `body` is what it does when it is told to go, `besides` what else with every line."""
    path = tmp_path / "my player.py"
    path.write_text("import sys, time\nfor line in sys.stdin:\n    if line.startswith('agon'): print('agonok')\n" + besides
                    + "    if line.startswith('go'):\n" + "\n".join("        " + row for row in body.splitlines())
                    + "\n    sys.stdout.flush()\n", "utf-8")
    return f'"{path}"'


def let_program_play(window: Window, tmp_path: Path, body: str, side: int = BLACK) -> None:
    play_program(window, program(tmp_path, body), side)


def play_program(window: Window, command: str, side: int) -> None:
    """Begin a game of a person against a program, without trying that first."""
    pair = [agon.Seat(), agon.Seat()]
    pair[side] = agon.Seat("program", program=command)
    window.app.handle(window.app.game_commands.start, agon.NewGame(tuple(pair), False, Rules()))


def test_a_program_of_ones_own_plays_and_its_conversation_can_be_read(window: Window, tmp_path: Path) -> None:
    window.run("conversation")
    panel = window.app.window.talk
    assert panel.winfo_ismapped() and not window.app.window.moves.winfo_manager()
    assert panel.text.get("1.0", "end").strip(), "what the computer player has said, or that nothing has been said yet"
    window.run("own_program")
    dialog = window.dialog()
    form = dialog.forms[BLACK]
    body = "print('bestmove', 'b7-c7' if ' moves ' in said else 'a5-b5')"  # the trial is at the start
    form.program.set(program(tmp_path, body, "    if line.startswith('position'): said = line\n"))
    window.press_button(dialog.ok_button)
    window.until(lambda: not dialog.winfo_exists())
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    assert window.moves()[1] == "b7-c7" and "my player.py" in window.app.window.seats[0].name.cget("text")
    window.until(lambda: "\nbestmove b7-c7\n" in panel.text.get("1.0", "end"))
    talk = panel.text.get("1.0", "end")
    assert "An my player.py\nagon\n" in talk and "\nmy player.py\nagonok\n" in talk and "\ngo movetime" in talk
    window.press_button(panel.copy_button)
    assert window.root.clipboard_get() == talk.strip() + "\n" and "Gespräch ist in der Zwischenablage" in window.voice()
    panel.text.tag_add("sel", "2.0", "2.4")
    panel.text.focus_force()
    panel.text.event_generate("<Control-c>")
    window.root.update()
    assert window.root.clipboard_get() == "agon", "what is selected, and not the position"
    window.speak("en")
    assert "To my player.py\nagon\n" in panel.text.get("1.0", "end")
    window.press_button(panel.close_button)
    assert not panel.winfo_manager() and window.app.window.moves.winfo_ismapped()
    process = window.app.thinker.engine_for(window.session.running.players[BLACK])._process
    window.begin()
    assert process.poll() is not None, "a program ends with its game"


@pytest.mark.parametrize("body, words", [
    ("sys.exit(1)", "hat sich beendet"), ("raise ValueError('so nicht')", "so nicht (Zeile 5 von my player.py)"),
    ("print('bestmove f1-f6')", "f1-f6"), ("print('bestmove')", "keinen möglichen Zug"),
    ("time.sleep(60)", "antwortet nicht mehr"),
    ("while True: print('x' * 5000)", "antwortet nicht mehr")])
def test_a_program_that_misbehaves_is_ended_with_a_clear_sentence(
        window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, words: str) -> None:
    if "antwortet" in words:
        monkeypatch.setattr(agon, "PATIENCE_S", 0.5)
    let_program_play(window, tmp_path, body)
    window.drag("b1", "c2")
    window.until(lambda: words in window.voice())
    assert "my player.py" in window.voice() and "Strg+P" in window.voice() and window.moves() == ["b1-c2"]
    assert all(engine._process is None for command, engine in window.app.thinker.engines.items()
               if command != agon.OWN_ENGINE)
    window.run("undo")
    window.rest()
    assert window.moves() == [] and window.shows_the_position()


def test_a_program_is_tried_before_the_game_begins(
        window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window.run("own_program")
    dialog = window.dialog()
    form = dialog.forms[BLACK]
    assert form.kind.get() == "program" and form.program_entry.winfo_manager()
    for text, body, words in (("  ", "", "Schwarz: Nenne ein Programm"), ("no such program.py", "", "gibt es nicht"),
                              ("", "raise ValueError('so nicht')", "ValueError: so nicht"),
                              ("", "print('bestmove f1-f6')", "f1-f6")):
        form.program.set(text or program(tmp_path, body))
        window.press_button(dialog.ok_button)
        window.until(lambda: words in dialog.error.cget("text"))
        assert dialog.winfo_exists() and window.app.thinker.engines.keys() <= {agon.OWN_ENGINE}
    monkeypatch.setattr(window.app.dialogs, "choose_file", lambda *_values, **_named: str(tmp_path / "a b.py"))
    (tmp_path / "a b.py").write_text("print('id name Bee\\nagonok', flush=True)\n"
                                     "for line in iter(input, 'quit'):\n"
                                     "    if line.startswith('go'): print('bestmove a5-b5', flush=True)\n", "utf-8")
    form._on_browse()
    assert agon.program_command(form.program.get())[-1] == str(tmp_path / "a b.py")
    window.until(lambda: form.state_label.cget("text") == "Bee ist bereit.")
    assert dialog.error.cget("text") == ""
    window.press_button(dialog.ok_button)
    assert not dialog.winfo_exists()
    assert [player.called for player in window.session.running.players] == ["", "Bee"]
    assert "Bee" in window.root.title() and window.app.settings.black_called == "Bee"


def test_a_trial_ends_with_its_dialog(window: Window, tmp_path: Path) -> None:
    window.run("own_program")
    dialog = window.dialog()
    dialog.forms[BLACK].program.set(program(tmp_path, "time.sleep(60)"))
    window.press_button(dialog.ok_button)
    trial = window.app.dialogs._trial._thinker
    assert trial.is_busy and dialog.ok_button.instate(["disabled"])
    dialog.event_generate("<Escape>")
    window.root.update()
    assert not dialog.winfo_exists() and not trial.engines
    assert all(player.is_person for player in window.session.running.players)


def test_a_program_that_is_lost_while_it_plays_is_reported(window: Window) -> None:
    play_program(window, "/no/such/program", WHITE)
    window.until(lambda: "program lässt sich nicht starten" in window.voice())
    assert "(Datei oder Ordner gibt es nicht)" in window.voice()
    window.speak("en")
    assert "program cannot be started (there is no such file or folder)" in window.voice()


def test_the_player_in_the_readme_plays(window: Window, tmp_path: Path) -> None:
    source = re.search(r"```python\n(.*?)```", readme(), re.S).group(1)
    path = tmp_path / "hopper.py"
    path.write_text(source, "utf-8")
    play_program(window, f'"{path}"', BLACK)
    for count in range(1, 5):
        window.until(lambda: window.session.mode is agon.Mode.IDLE and not window.session.running.is_computers_turn)
        window.app.handle(window.app.attempt, window.session.game.legal_moves()[0], None)
        window.until(lambda: len(window.moves()) == 2 * count)


# --- the tournament of a class ---------------------------------------------------

TALKER = ("import sys\nfor line in sys.stdin:\n    if line.startswith('agon'): print('id name {name}\\nwants legal\\nagonok')\n"
          "    if line.startswith('legal'): move = line.split()[1]\n    if line.startswith('go'): {on_go}\n"
          "    sys.stdout.flush()\n")


def test_a_tournament_is_played_beside_the_running_game_and_ends_with_the_window(
        window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, on_go in (("shy", "print('bestmove resign')"), ("crasher", "[][1]"), ("first", "print('bestmove', move)")):
        (tmp_path / f"{name}.py").write_text(TALKER.format(name=name.title(), on_go=on_go), "utf-8")
    window.play("b1-c2")
    commands, pages = window.app.tournament_commands, []
    monkeypatch.setattr(commands, "browse", lambda address: pages.append(address) or True)
    monkeypatch.setattr(window.app.dialogs, "choose_folder", lambda _before: str(tmp_path))
    window.run("tournament")
    window.press_button(window.page_button("tournament_folder"))
    assert window.app.settings.tournament_folder == str(tmp_path)
    window.app.handle(window.app._choose, "level 1")
    window.press_button(window.page_button("tournament_start"))
    table = commands.table
    window.until(lambda: table.tournament.results)
    window.run("page_close")
    assert window.moves() == ["b1-c2"] and not window.session.is_lesson, "the running game has waited"
    window.run("tournament")
    window.until(lambda: not table.is_running)
    assert table.tournament.names == ["Crasher", "First", "Shy"] and len(table.tournament.results) == 6
    errors = {row.name: row.errors for row in agon_ai.standings(table.tournament.names, table.tournament.results)}
    assert errors["Crasher"] >= 2 and errors["First"] == errors["Shy"] == 0 and window.app.tournament_thinker.engines == {}
    window.press_button(window.page_button("tournament_page"))
    assert pages[0].startswith("file:") and Path(table.page_path).read_text("utf-8").count("<li><a href") == 6
    window.app.handle(window.app._choose, "1-3-002")
    assert "Crasher" in window.app.window.page.shown.heading
    window.press_button(window.page_button("tournament_open"))
    assert window.session.running.path.endswith("-1-3-002.agon") and not window.session.is_lesson
    window.run("previous_game")
    assert window.moves() == ["b1-c2"]
    window.run("tournament")
    window.press_button(window.page_button("tournament_new"))
    (tmp_path / "hangs.py").write_text(TALKER.format(name="Hangs", on_go="__import__('time').sleep(600)"), "utf-8")
    window.run("tournament")
    for name in ("program crasher.py", "program first.py", "level 1"):
        window.app.handle(window.app._choose, name)
    window.press_button(window.page_button("tournament_start"))
    window.until(lambda: table.tournament.running)
    window.app.handle(window.app.close)
    question = window.dialog()
    assert question.message == said("ask_close_tournament", "de") and question.focus_get() is question.cancel_button
    window.press_button(question.cancel_button)
    assert table.is_running and not window.app.is_closed and is_shown(window.root)
    window.press_button(window.page_button("tournament_stop"))
    window.until(lambda: not table.is_running)
    assert "Beendet nach 0 von 2 Partien" in window.app.window.page.shown.context


# --- another computer ------------------------------------------------------------

def wait_for_another(window: Window, monkeypatch: pytest.MonkeyPatch, **choices: object) -> Tuple[str, str]:
    """Wait for another computer by the dialog; the address and the code that are shown."""
    monkeypatch.setattr(agon.PartnerCommands, "HOST_OPTIONS", ("--address", "127.0.0.1", "--port", "0"))
    window.run("with_computer")
    dialog = window.dialog()
    for name, value in choices.items():
        getattr(dialog, name).set(value)
    window.press_button(dialog.ok_button)
    window.until(lambda: window.session.partner and len(window.session.partner.signs) == 2)
    address, code = window.session.partner.signs
    assert window.app.window.voice.heading.cget("text") == f"{address}\n{code}"
    return address, code.split()[1]


def with_window(window: Window, process: LinkProcess, condition: Callable[[], object], plays: bool = False) -> None:
    """Let the window and a process at the other end go on until the condition holds."""
    def steps() -> bool:
        process.step(plays)
        return bool(condition())
    window.until(steps)


def test_a_window_plays_with_another_computer(window: Window, monkeypatch: pytest.MonkeyPatch,
                                              link_of: Callable[..., LinkProcess]) -> None:
    address, code = wait_for_another(window, monkeypatch)
    window.drag("b1", "c2")
    guest = link_of("join", address, code)
    with_window(window, guest, lambda: guest.game and guest.game.ply == 1)
    with_window(window, guest, lambda: len(window.moves()) == 2, plays=True)
    assert guest.game and window.session.may_act and window.moves() == [str(move) for move in guest.game.moves]
    window.run("offer_draw")
    window.press_button(window.dialog().ok_button)
    with_window(window, guest, lambda: guest.told[-1:] == ["draw offered"])
    guest.engine.inform("nodraw")
    with_window(window, guest, lambda: "lehnt das Remis ab" in window.voice())
    guest.engine.inform("draw")
    with_window(window, guest, lambda: any(isinstance(child, agon.Dialog) for child in window.root.winfo_children()))
    window.press_button(window.dialog().ok_button)
    with_window(window, guest, lambda: guest.told[-1:] == ["end draw"] and "Remis vereinbart" in window.voice())
    window.run("again")
    with_window(window, guest, lambda: guest.game and not guest.game.moves)
    guest.engine.inform("resign")
    with_window(window, guest, lambda: "Du hast gewonnen" in window.voice())
    process = window.app.thinker.engines[window.session.partner.player.program]._process
    window.begin()
    assert process.poll() is not None and window.session.partner is None, "the line ends with the game"
    with_window(window, guest, lambda: guest.states[-1] == "failed" and is_told(guest, "has left"))


def test_what_another_computer_does_waits_while_a_lesson_has_the_board(
        window: Window, monkeypatch: pytest.MonkeyPatch, link_of: Callable[..., LinkProcess]) -> None:
    address, code = wait_for_another(window, monkeypatch)
    window.drag("b1", "c2")
    guest = link_of("join", address, code)
    with_window(window, guest, lambda: guest.game)
    window.run("set_up")
    with_window(window, guest, lambda: guest.game and guest.game.ply == 2, plays=True)
    guest.engine.inform("resign")
    window.run("page_close")
    with_window(window, guest, lambda: "Du hast gewonnen" in window.voice())
    assert len(window.moves()) == 2 and window.shows_the_position()


def test_who_goes_back_in_a_game_that_has_ended_and_plays_another_move_is_asked(window: Window) -> None:
    window.begin(ONE_BEFORE_THE_END)
    window.play("h5-g6")
    window.keys("Home")
    window.rest()
    for answer, moves in (("cancel_button", []), ("ok_button", ["h5-h4"])):
        window.drag("h5", "h4")
        dialog = window.dialog()
        assert window.app.texts("branch_text") in str(dialog.message)
        window.press_button(getattr(dialog, answer))
        window.rest()
        assert window.moves() == moves and window.shows_the_position()
    assert [str(move) for move in window.session.previous.game.moves + window.session.previous.game.undone] == ["h5-g6"]


def test_a_program_may_resign(window: Window, tmp_path: Path) -> None:
    let_program_play(window, tmp_path, "print('bestmove resign')")
    window.drag("b1", "c2")
    window.until(lambda: window.session.mode is agon.Mode.OVER)
    outcome = window.session.game.outcome()
    assert (outcome.winner, outcome.reason) == (WHITE, Ending.RESIGNATION) and window.moves() == ["b1-c2"]


def test_on_a_page_without_replies_the_same_side_goes_on(window: Window) -> None:
    steps = next(lesson for lesson in agon.read_lessons("tour.agon")[0] if lesson.goals == ("along", "inwards"))
    tour = agon.Tour([steps._replace(replies=())], window.app.attempt, window.app.store)
    window.app.handle(window.session.open, tour)
    window.root.update()
    window.drag("d4", "d5")
    window.rest()
    assert tour.position.turn == tour.side and tour.accepts_moves and window.shows_the_position()
    window.drag("d5", "e6")
    window.rest()
    assert tour.is_done and window.shows_the_position()


def test_in_a_list_of_boxes_the_arrows_only_go_about_and_the_space_bar_ticks(window: Window) -> None:
    window.run("tournament")
    table, page_list = window.session.table, window.app.window.page.list
    boxes = [row.name for row in page_list.rows if row.state in agon.BOXES]
    before, canvas = set(table.chosen), page_list.canvas
    canvas.focus_force()
    canvas.event_generate("<Key-Down>")
    canvas.event_generate("<Key-Down>")
    window.root.update()
    assert page_list.chosen in boxes and table.chosen == before
    for _ in range(2):
        before ^= {page_list.chosen}
        canvas.event_generate("<space>")
        window.root.update()
        assert table.chosen == before
    last = boxes[-1]
    for _ in boxes:
        canvas.event_generate("<Key-Down>")
    assert page_list.chosen == last
    if page_list.visible_rows < len(page_list.rows):
        assert page_list.top == len(page_list.rows) - page_list.visible_rows, "it is in view"
        canvas.event_generate("<MouseWheel>", x=20, y=20, delta=120)
        assert page_list.top == len(page_list.rows) - page_list.visible_rows - 1


def test_a_long_crosstable_is_scrolled_by_the_wheel(window: Window) -> None:
    table = window.app.window.page.table
    rows = agon_ai.table_rows([f"player {number}" for number in range(40)], {}, agon_ai.TABLE_HEADS["en"])
    table.grid(row=3, column=0, sticky="ew")
    table.show(rows, 300)
    window.app.window.page.grid()
    window.root.update()
    for delta, top in ((-120, 1), (-120, 2), (120, 1), (120, 0), (120, 0)):
        table.event_generate("<MouseWheel>", x=20, y=20, delta=delta)
        window.root.update()
        assert table.top == top
    for _ in rows:
        table.event_generate("<Button-5>", x=20, y=20)
    assert table.top == len(table.rows) - table.winfo_height() // table._height


def test_what_is_solved_has_a_tick_on_its_tile(window: Window) -> None:
    window.run("puzzles")
    shelf, book = window.app.window.shelf, window.session.table

    def ticks() -> List[str]:
        canvas, signs = shelf.canvas, {str(shelf._tick("solved")), str(shelf._tick("helped"))}
        return [canvas.itemcget(item, "image") for item in canvas.find_all()
                if canvas.type(item) == "image" and canvas.itemcget(item, "image") in signs]

    before = ticks()  # those that say what a tick means
    window.app.store.note(solved=str(book.lessons[0].start))
    window.app.store.note(helped=str(book.lessons[2].start))
    window.run("place_game")
    window.run("puzzles")
    window.root.update()
    assert sorted(ticks()) == sorted([*before, str(shelf._tick("solved")), str(shelf._tick("helped"))])


def test_a_long_variation_is_cut_where_the_list_ends_and_the_scrollbar_moves_the_list(window: Window) -> None:
    window.adopt(long_game(120))
    moves = window.app.window.moves
    moves.canvas.delete("all")
    moves._draw_line(20, 30, " ".join(60 * ["b1-c2"]), 200)
    item, = moves.canvas.find_all()
    assert moves.canvas.bbox(item)[2] <= 222 and moves.canvas.itemcget(item, "text").startswith("(b1-c2 ")
    assert moves.canvas.itemcget(item, "text").endswith(" …)")
    for share, top in (("0.0", 0), ("0.5", 30), ("1.0", 60 - moves.visible_rows)):
        window.root.tk.call(moves.scrollbar.cget("command"), "moveto", share)
        assert moves.top == top


def test_a_folder_is_chosen_in_the_dialog_of_the_system(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    from tkinter import filedialog
    asked: List[Dict[str, Any]] = []

    def fails(**_options: Any) -> str:
        raise agon.tk.TclError("gone")

    monkeypatch.setattr(filedialog, "askdirectory", lambda **options: asked.append(options) or "/new")
    assert window.app.dialogs.choose_folder("/old") == "/new" and asked[0]["initialdir"] == "/old"
    monkeypatch.setattr(filedialog, "askdirectory", fails)
    assert window.app.dialogs.choose_folder("/old") == "" and not window.app.dialogs.is_choosing


def test_the_bar_of_menus_of_a_mac_has_all_commands_but_the_one_to_end_the_program(window: Window) -> None:
    menus, root = window.app.menus, window.root
    menus.make_bar()
    try:
        bar = root.nametowidget(root.cget("menu"))
        titles = [bar.entrycget(number, "label") for number in range(bar.index("end") + 1)]
        assert titles == [window.app.texts(key) for key, _entries in agon.MENUS]
        labels = []
        for number in range(len(titles)):
            menu = root.nametowidget(bar.entrycget(number, "menu"))
            for _ in range(2):  # what has been there before goes
                root.tk.call(menu.cget("postcommand"))
            labels += [menu.entrycget(place, "label").strip() for place in range(menu.index("end") + 1)
                       if menu.type(place) != "separator"]
        assert labels.count(window.app.texts("save_as")) == 1 and window.app.texts("quit") not in labels
    finally:
        root.configure(menu="")


def test_shortcuts_work_on_a_keyboard_that_writes_other_letters(window: Window) -> None:
    window.play("b1-c2")
    for keysym, code, moves in (("Cyrillic_ve", 40, 1), ("Cyrillic_ya", 52, 0)):  # where d and z are
        window.app._on_control_key(types.SimpleNamespace(keysym=keysym, keycode=code, state=4, char=""))
        window.rest()
        assert len(window.moves()) == moves


def test_a_picture_of_the_board_is_saved_as_it_is_seen_but_without_what_is_picked(
        window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = []
    for name, key in (("a", ""), ("b", "picked"), ("c", "played")):
        if key == "picked":
            window.click("b1")
        elif key == "played":
            window.play("b1-c2")
        path = tmp_path / f"{name}.png"
        monkeypatch.setattr(window.app.dialogs, "choose_file", lambda *_values, path=path, **_options: str(path))
        window.run("export_board_png")
        window.until(path.exists)
        window.rest() if key != "picked" else window.root.update()
        saved.append(path.read_bytes())
        window.keys("Escape")
    assert saved[0][:8] == b"\x89PNG\r\n\x1a\n" and saved[0] == saved[1] != saved[2]


def test_a_new_game_may_be_one_with_another_computer(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon.PartnerCommands, "HOST_OPTIONS", ("--address", "127.0.0.1", "--port", "0"))
    window.run("new_game")
    dialog = window.dialog()
    mine, other = dialog.forms
    clocks = [widget for form in dialog.forms for widget in form._clock_widgets]
    assert len(clocks) == 12 and not any(widget.instate(["disabled"]) for widget in clocks)
    mine.clock_kind.set("clock_total")
    mine.minutes.set("what?")  # not asked for
    choice, = [part for part in descendants(other) if part.winfo_class() == "TRadiobutton" and part.cget("value") == "other"]
    choice.invoke()
    window.root.update()
    assert all(widget.instate(["disabled"]) for widget in clocks)
    grey = agon.ttk.Style(dialog).lookup("Level.TRadiobutton", "foreground", ["disabled", "selected"])
    assert str(grey) == window.app.look.theme.disabled_text, "which can be seen"
    mine.kind.set("level")
    window.press_button(dialog.ok_button)
    assert "spielt dann ein Mensch" in dialog.error.cget("text")
    mine.kind.set("person")
    mine.name.set("Ada")
    other.role.set("join")
    window.press_button(dialog.ok_button)
    assert "vier Ziffern" in dialog.error.cget("text") and dialog.winfo_exists()
    other.role.set("host")
    window.press_button(dialog.ok_button)
    window.until(lambda: window.session.partner and len(window.session.partner.signs) == 2)
    players = window.session.running.players
    assert players[WHITE] == agon.Player(name="Ada") and players[BLACK].is_elsewhere
    window.run("link_leave")


A_SEAT = ("Person, Computer, Program, Network, Name, if you like, ___, 1, 2, 3, 4, 5, 6, 7, 8, Level 2: slips rarely, ___, "
          "Browse …, In any language; it speaks the protocol of the README., Wait here, Join, Address, ___, Code, ___, "
          "Somebody at another computer, without a clock. Who waits chooses the sides., Time, none, minutes, per move, "
          "Minutes:, ___, + seconds a move:, ___, Seconds:, ___")


@pytest.mark.parametrize("command, words", [
    ("new_game", f"White, {A_SEAT}, Black, {A_SEAT}, Who moves first?, White moves first, Drawn by lot, Rules, "
     "A trapped queen goes before guards, Six guards round an empty throne lose, Place the guards freely, "
     "Start game, Cancel"),
    ("with_computer", "Wait until the other one joins, "
     "This computer shows an address and a code. It takes a connection only as long as it waits., "
     "I play White, I play Black, Others may watch, Join, Watch, "
     "Address and code stand on the screen of the computer that waits., Address, ___, Code, ___, Go, Cancel"),
    ("exercise", "The side to move solves it. The program fills in what you leave empty., Small game, Puzzle, "
     "queen on the throne, trap a piece, trap twice, trap the queen, queen and guards at home, hold out, "
     "Own moves, ___, empty: as many as one likes, Level, 1, 2, 3, 4, 5, 6, 7, 8, "
     "The computer can do the same first., Title, ___, Task, ___, File, ___, Save, Cancel"),
    ("progress_name", "What is your name? By it the program keeps, on this computer, what you have done so far. "
     "It works without a name, too., ___, Go on, Cancel"),
])
def test_each_dialog_has_all_that_there_is_to_choose_with_its_caption(window: Window, command: str, words: str) -> None:
    window.speak("en")
    window.run("set_up" if command == "exercise" else "progress" if command == "progress_name" else "place_game")
    window.run(command)
    if command == "exercise":  # it begins with what was chosen last
        window.dialog().kind.set("game")
        window.dialog().show_kind()
    parts = [part for part in descendants(window.dialog()) if part.winfo_manager()]
    captions = [str(part.cget("text")).strip() if "text" in part.keys() else "___" for part in parts
                if part.winfo_class() in ("TLabel", "TButton", "TRadiobutton", "TCheckbutton", "TEntry")]
    assert ", ".join(caption for caption in captions if caption) == words


@pytest.mark.parametrize("moves, is_offered", [("", False), ("b1-c2 b7-c7", True)])
def test_a_game_that_has_begun_can_go_on_with_another_computer(window: Window, moves: str, is_offered: bool) -> None:
    window.play(moves)
    window.run("with_computer")
    dialog = window.dialog()
    choices = {str(part.cget("text")): part for part in descendants(dialog) if part.winfo_class() == "TRadiobutton"}
    assert (window.app.texts("link_go_on") in choices) == (window.app.texts("link_new") in choices) == is_offered
    for key in ("link_go_on", "link_new") if is_offered else ():
        choices[window.app.texts(key)].invoke()
        assert dialog.result()[0].goes_on == (key == "link_go_on")


def test_all_that_is_typed_in_a_field_is_selected_by_one_shortcut(window: Window) -> None:
    window.run("new_game")
    form = window.dialog().forms[WHITE]
    form.name.set("Ada")
    entry = next(part for part in descendants(form._details["person"]) if part.winfo_class() == "TEntry")
    entry.focus_force()
    entry.event_generate("<Control-a>")
    window.root.update()
    assert entry.selection_present() and entry.selection_get() == "Ada"


def test_the_keyboard_stays_with_the_buttons_of_a_page_when_they_change(window: Window) -> None:
    window.run("tour")
    grid = window.app.window.page.buttons
    grid.buttons[-1].focus_force()
    window.root.update()
    grid.show((agon.Button("page_close", "Close"), agon.Button("hint", "Hint")))
    window.root.update()
    assert window.root.focus_get() is grid.buttons[0] and grid.buttons[0].cget("text") == "Close"


def test_who_types_an_address_wants_to_join_but_who_only_moves_about_does_not(window: Window) -> None:
    def press(entry: Any, **key: Any) -> None:
        entry.focus_force()
        entry.event_generate("<Key>", **key)
        window.root.update()
    window.run("with_computer")
    dialog = window.dialog()
    for role, key, then in (("host", "Shift_L", "host"), ("host", "Left", "host"), ("host", "Escape", "host"),
                            ("host", "1", "join"), ("watch", "1", "watch")):
        if not dialog.winfo_exists():
            window.run("with_computer")
            dialog = window.dialog()
        dialog.role.set(role)
        press(dialog.entries[0], keysym=key)
        assert dialog.role.get() == then, key
    dialog.destroy()
    window.run("new_game")
    form = window.dialog().forms[BLACK]
    form.kind.set("other")
    form._show_kind()
    entry = next(part for part in descendants(form._details["other"]) if part.winfo_class() == "TEntry")
    for key, then in (("Shift_L", "host"), ("Left", "host"), ("1", "join")):
        form.role.set("host")
        press(entry, keysym=key)
        assert form.role.get() == then, key


def test_a_window_joins_another_computer_or_says_why_not(
        window: Window, link_of: Callable[..., LinkProcess], monkeypatch: pytest.MonkeyPatch) -> None:
    host, port, code = waiting_host(link_of)
    window.run("with_computer")
    dialog = window.dialog()
    dialog.role.set("join")
    window.press_button(dialog.ok_button)
    assert "vier Ziffern" in dialog.error.cget("text")
    dialog.address.set(f"127.0.0.1:{port}")
    dialog.code.set(f"{(int(code) + 1) % 10_000:04}")
    window.press_button(dialog.ok_button)
    with_window(window, host, lambda: "Der Code stimmt nicht" in window.voice())
    assert window.session.running.has_person and not window.session.running.has_partner
    told: List[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(window.app.thinker.engine_for(window.session.partner.player), "inform", told.append)
        window.press_button(window.app.window.voice.buttons.buttons[0])
    assert told == ["retry"]
    window.press_button(window.app.window.voice.buttons.buttons[1])
    dialog = window.dialog()
    assert (dialog.role.get(), dialog.address.get()) == ("join", f"127.0.0.1:{port}")
    dialog.code.set(code)
    window.press_button(dialog.ok_button)
    with_window(window, host, lambda: window.session.running.person == BLACK)
    assert window.app.settings.flipped and "Der andere Computer ist am Zug" in window.voice()
    window.click("b7")
    assert not window.session.may_act and window.session.mode is agon.Mode.THINKING
    with_window(window, host, lambda: len(window.moves()) == 1, plays=True)
    host.engine.close()
    window.until(lambda: "abgerissen" in window.voice())
    assert len(window.moves()) == 1 and window.kept().length == 1, "the game stays as it is"


# --- analysis --------------------------------------------------------------------

def test_the_analysis_shows_lines_and_arrows_and_follows_the_game(window: Window) -> None:
    app, board = window.app, window.board

    def arrows() -> List["agon.Sprite"]:
        return [sprite for sprite in board.sprites if sprite.paint is agon.paint_way and sprite.layer == agon.DOTS]
    window.keys("F8")
    window.until(lambda: len(arrows()) == 3)
    assert "Tiefe" in app.window.analysis.summary.cget("text")
    assert all(label.cget("text") for label in app.window.analysis.lines)
    window.play("b1-c2")
    window.until(lambda: len(arrows()) == 3)
    black = {board.layout.cell_at(arrow.x + arrow.values[0][0][0], arrow.y + arrow.values[0][0][1]) for arrow in arrows()}
    assert black <= set(board.layout.cell_at(*window.point(name).values()) for name in ("f11 a2 b7 d1 h1 k7 l2".split()))
    window.run("puzzles")
    assert not app.analyst._thinker.is_busy and arrows() == []
    window.run("page_close")
    window.until(lambda: len(arrows()) == 3)
    window.keys("F8")
    assert not app.analyst._thinker.is_busy and not is_shown(app.window.analysis) and arrows() == []


def test_a_finished_game_gets_a_curve_and_a_click_on_it_goes_there(
        window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon.Analyst, "REVIEW_MS", 5)
    window.begin("Qf6 e5 e6 f5 f7 g4 h5 / Qf11 a2 b7 d1 h1 k7 l2 w")
    window.play("g4-g5 f11-f10 h5-g6")
    panel = window.app.window.analysis
    window.run("look_through")
    window.until(lambda: len(panel.shown.scores) == 4)
    assert panel.shown.scores[3][1] == agon.WON_STEPS and panel.summary.cget("text") == window.app.texts("review_done")
    assert panel.summary.cget("wraplength") == panel.winfo_width(), "its caption has the whole width"
    curve = panel.points()
    assert len(curve) == 4 and curve[3][1] == min(y for _, y in curve)
    for ply, (x, _y) in enumerate(panel.points()):
        panel.chart.event_generate("<Button-1>", x=round(x), y=10)
        window.rest()
        assert len(window.moves()) == ply
    panel.chart.event_generate("<Button-1>", x=2, y=10)
    window.rest()
    assert window.moves() == [] and window.shows_the_position()
    assert panel.shown.current == 0
    asked: List[int] = []
    monkeypatch.setattr(panel, "on_go", asked.append)
    monkeypatch.setattr(panel, "shown", panel.shown._replace(plies=90, scores=tuple((ply, 0.0) for ply in range(91))))
    for x, _y in panel.points():
        panel.chart.event_generate("<Button-1>", x=round(x), y=10)
    assert asked == list(range(91))


def test_the_analysis_goes_on_when_a_program_has_failed(window: Window, tmp_path: Path) -> None:
    window.run("analysis")
    let_program_play(window, tmp_path, "sys.exit(1)", WHITE)
    window.until(lambda: window.app.window.shown.analysis.lines)
    assert window.session.running.is_paused


def test_the_conversation_follows_its_end_but_who_reads_further_up_stays_there(window: Window) -> None:
    window.run("conversation")
    panel = window.app.window.talk
    lines = [agon.TalkLine("<", f"info depth {number}") for number in range(200)]

    def is_seen(place: str) -> bool:
        window.root.update()
        return panel.text.bbox(place) is not None

    for count in (100, 150):
        panel.show(tuple(lines[:count]))
        assert is_seen("end-1c") and not is_seen("1.0")
    panel.text.yview_moveto(0)
    panel.show(tuple(lines))
    assert is_seen("1.0") and not is_seen("end-1c") and panel.text.get("1.0", "end").count("\n") == 201
    panel.show(tuple(lines[-3:]))
    assert panel.text.get("1.0", "end").split("\n")[:3] == [line.text for line in lines[-3:]]
    panel.text.see("end")
    panel.show((*lines[-3:], agon.TalkLine("<", "bestmove b1-c2")))
    assert is_seen("end-1c")


# --- progress by name -----------------------------------------------------------------

@pytest.mark.parametrize("size", ["640x480", "1000x760"])
def test_a_name_is_given_and_another_chosen_by_mouse_and_keyboard(window: Window, size: str) -> None:
    window.resize(size)
    window.app.store.register.add("Ben", agon.Progress(frozenset("1")))
    window.run("progress")
    page = window.app.window.page
    window.press_button(window.page_button("progress_name"))
    dialog = window.dialog()
    dialog.name.set(" Ada ")
    dialog.entry.focus_force()
    dialog.entry.event_generate("<Return>")
    window.until(lambda: window.app.settings.pupil == "Ada")
    assert page.heading.cget("text") == "Ada" and [row.name for row in page.list.rows] == ["", "Ada", "Ben"]
    if size == "1000x760":  # a list that is short leaves no empty lines before the buttons
        window.root.update()
        assert page.list.visible_rows == len(page.list.rows)
    if page.list.winfo_ismapped():
        page.list.canvas.focus_force()
        page.list.canvas.event_generate("<Key-Down>")
        window.rest()
        assert window.app.settings.pupil == "Ben" and page.heading.cget("text") == "Ben"
        page.list.canvas.event_generate("<Button-1>", x=30, y=4)
        window.rest()
        assert window.app.settings.pupil == ""
    for button in page.buttons.buttons:
        assert button.winfo_rooty() + button.winfo_height() <= window.root.winfo_rooty() + window.root.winfo_height()


# --- learning from mistakes ---------------------------------------------------------

def learn(window: Window) -> "agon.Mistakes":
    """Open the page for a game in which both sides have made a mistake that is known already."""
    window.begin()
    running, start = window.session.running, Position.start()
    for word in ("a5-b5", "f11-f10"):
        running.game.play(mv(word))
    running.review = agon_ai.Review(running.game)
    running.review.question = None
    running.review.scores.update({0: 2500, 1: -2500, 2: 2600})
    for ply, bad, better in ((0, "a5-b5", "b1-c2"), (1, "f11-f10", "f11-e10")):
        running.review.mistakes.append(agon_ai.Mistake(
            ply, running.game.positions[ply], mv(bad), "??", (mv(better),), 2500, -2500, None))
    assert start == running.game.start
    window.run("learn_mistakes")
    window.rest()
    return window.session.table


@pytest.mark.parametrize("size", ["640x480", "1000x760", "1600x1000"])
def test_mistakes_are_chosen_in_list_and_curve_by_mouse_and_keyboard_and_mended_on_the_board(
        window: Window, size: str) -> None:
    window.resize(size)
    window.come_to_rest()
    table, page = learn(window), window.app.window.page
    assert table.mistake.ply == 0 and not window.board.layout.flipped and page.list.winfo_ismapped()
    assert len(window.marked(agon.paint_hexagon)) == 0
    canvas = page.list.canvas
    canvas.event_generate("<Button-1>", x=40, y=page.list.row_height * 3 // 2)
    window.rest()
    assert table.mistake.ply == 1 and window.board.layout.flipped and window.shows_the_position()
    canvas.focus_force()
    canvas.event_generate("<Key-Up>")
    window.rest()
    assert table.mistake.ply == 0 and page.list.chosen == "0" and not window.board.layout.flipped
    if page.curve.winfo_ismapped():
        chart = page.curve.chart
        left, top, right, bottom = chart.bbox("mark")  # at the first and the last move
        assert left >= 0 and top >= 0 and right <= chart.winfo_width() and bottom <= chart.winfo_height()
        assert [round(x) for x, _ in page.curve.points()] == [6, chart.winfo_width() // 2, chart.winfo_width() - 6]
        page.curve.chart.event_generate("<Button-1>", x=page.curve.chart.winfo_width() - 8, y=5)
        window.rest()
        assert table.mistake.ply == 1
        window.run("previous")
    window.run("hint")
    window.come_to_rest()
    assert window.marked(agon.paint_hexagon) == ["b1"]
    window.drag("b1", "c2")
    window.rest()
    assert table.verdict == "right" and window.feedback() == "✓ Richtig!" and window.shows_the_position()
    for button in page.buttons.buttons:
        assert button.winfo_rooty() + button.winfo_height() <= window.root.winfo_rooty() + window.root.winfo_height()
    window.run("page_close")
    window.rest()
    assert window.moves() == ["a5-b5", "f11-f10"] and window.shows_the_position()


def test_a_game_is_looked_through_by_the_engine_and_a_try_is_judged(window: Window) -> None:
    window.begin("Qf4 d4 e6 f5 f7 g5 g6 / Qf11 a2 b7 d1 h1 k7 l2 w")
    window.play("d4-e5")  # six guards round an empty throne
    window.run("learn_mistakes")
    table = window.session.table
    window.until(lambda: not table.is_looking)
    window.rest()
    assert (table.mistake.ply, table.mistake.mark, table.game.ply) == (0, "??", 0)
    other = next(move for move in table.game.legal_moves() if move not in (table.mistake.move, table.mistake.better))
    window.drag(cell_name(other.source), cell_name(other.target))
    window.until(lambda: table.verdict)
    window.rest()
    assert window.app.window.shown.page.feedback and window.session.running.game.moves == (mv("d4-e5"),)


# --- watching minimax ------------------------------------------------------------

def open_theatre(window: Window, position: str = SHOWN) -> "agon.Theatre":
    """Open the theatre with a small position and wait until the tree is there."""
    window.begin(position)
    window.play(str(window.session.game.legal_moves()[0]))
    window.keys("F6")
    show = window.session.table
    assert isinstance(show, agon.Theatre)
    window.until(lambda: show.steps and len(show.counts) == 4)
    return show


def test_the_theatre_stands_beside_the_board_and_works_from_the_keyboard(window: Window) -> None:
    show = open_theatre(window)
    page, canvas = window.app.window.theatre, window.app.window.theatre.stage
    canvas.focus_force()
    window.root.update()
    assert page.winfo_ismapped() and window.board.winfo_ismapped() and not window.app.window.column.winfo_ismapped()
    board = window.board
    assert board.winfo_rootx() + board.winfo_width() <= page.winfo_rootx()
    for key, now in (("Right", 1), ("Right", 2), ("Left", 1), ("End", len(show.steps) - 1), ("Home", 0), ("Next", 1)):
        canvas.event_generate(f"<{key}>")
        window.root.update()
        assert show.now == now, key
    canvas.event_generate("<Down>")
    window.root.update()
    assert show.selected and window.board.picture.position == show.branches[show.selected].position
    canvas.event_generate("<space>")
    assert show.is_running
    canvas.event_generate("<space>")
    assert not show.is_running


def test_below_the_board_the_reasons_of_the_box_that_is_looked_at_are_drawn(window: Window) -> None:
    show = open_theatre(window)
    box = window.app.window.reasons
    window.run("last")
    for path in ("0.1.1", "0.1.2", "0", "0.1.1"):
        window.app.handle(show.choose, f"node_{path}")
        window.root.update()
        reasons = window.app.window.shown.theatre.reasons
        drawn = [box.itemcget(item, "text") for item in box.find_all() if box.type(item) == "text"]
        rows = agon.ReasonBox.rows_of(reasons, box.most_rows, window.app.texts("reasons_rest"))
        sums = [text for name, value in rows for text in (name, window.app.texts.steps(value))]
        total = [window.app.texts("reasons_total"), window.app.texts.steps(reasons.total)] if rows else []
        wanted = [reasons.heading, reasons.context, reasons.text, *sums, *total]
        assert sorted(filter(None, drawn)) == sorted(filter(None, wanted)) and bool(rows) == (path != "0")


def test_a_value_climbs_to_the_box_above_and_arrives_there(window: Window) -> None:
    show = open_theatre(window)
    window.app.store.change(animation=True)
    stage = window.app.window.theatre.stage
    number = next(number for number, step in enumerate(show.steps) if step.kind == "value")
    window.app.handle(show.go_to, number - 1)
    window.root.update()
    assert not stage.find_withtag("rise")
    window.run("next")
    rising = stage.find_withtag("rise")
    first = [stage.coords(item)[1] for item in rising]
    window.until(lambda: not window.app.jobs.waits(stage._job))
    last = [stage.coords(item)[1] for item in rising]
    assert rising and all(now < before for now, before in zip(last, first)), "upwards"
    assert [stage.coords(item) for item in rising] == [list(stage._rise[1])] * len(rising)


def test_the_wheel_scrolls_the_tree_and_with_the_shift_key_across(window: Window) -> None:
    window.resize("640x480")
    open_theatre(window)
    window.run("last")
    stage = window.app.window.theatre.stage
    for view, move, shift in ((stage.yview, stage.yview_moveto, 0), (stage.xview, stage.xview_moveto, 1)):
        move(0)
        window.root.update()
        assert view()[1] < 1, "there is something to scroll"
        places = []
        for delta in (-120, -120, 120):
            stage.event_generate("<MouseWheel>", x=40, y=20, delta=delta, state=shift)
            window.root.update()
            places.append(view()[0])
        assert 0 < places[2] <= places[0] <= places[1]


def test_both_trees_stand_beside_each_other_where_there_is_room_and_one_can_be_switched_to_elsewhere(
        opener: Opener) -> None:
    window = opener()
    window.root.geometry("1600x900")
    window.speak("en")
    show = open_theatre(window)
    page = window.app.window.theatre
    window.until(lambda: page.shown.whole.nodes)
    legend = page.stage._legend[0]
    assert page.counts.winfo_ismapped() and legend.winfo_ismapped()
    both = page._labels["pruning_both"]
    both.focus_force()
    window.root.update()
    both.event_generate("<space>")
    window.root.update()
    window.run("last")
    window.root.update()
    first, second = page.boxes
    assert first.winfo_ismapped() and second.winfo_ismapped() and cut_off(page) == []
    assert abs(first.winfo_height() - second.winfo_height()) <= agon.NEAR and first.winfo_width() == second.winfo_width()
    assert second.caption["text"].endswith(f"{show.plain} of {show.plain} positions") and second.caption.winfo_ismapped()
    cut = next(node.path for node in first.stage.shown.nodes if node.kind == "cut")
    x, y = second.stage.places[cut]
    second.stage.event_generate("<Button-1>", x=round(x), y=round(y))
    window.root.update()
    assert show.selected == cut and window.board.picture.position == show.branches[cut].position
    window.root.geometry("640x460")
    window.until(lambda: not second.winfo_ismapped())
    assert not page.counts.winfo_ismapped() and not legend.winfo_ismapped(), "there is no room for them"
    assert not page._labels["pruning_both"].winfo_ismapped() and page._rows["pruning"].get() == "pruning_with"
    assert page._labels["pruning_without"]["text"] == f"without: {show.plain}"
    assert page._labels["pruning_with"]["text"] == f"with: {show.counts['rules']}"
    window.app.handle(window.app._choose, "pruning_without")
    assert not [node for node in page.stage.shown.nodes if node.kind == "cut"]


def test_what_was_cut_off_is_struck_out_and_has_scissors_at_its_edge(window: Window) -> None:
    open_theatre(window)
    stage = window.app.window.theatre.stage
    window.run("last")
    window.root.update()
    nodes = {node.path: node for node in stage.shown.nodes}
    cut = {node.label for node in nodes.values() if node.stage == "cut"}
    struck = {stage.itemcget(item, "text") for item in stage.find_all() if stage.type(item) == "text"
              and stage.itemcget(item, "font") == str(window.app.look.fonts["struck"])}
    assert struck == cut != set()
    pictures = [stage.coords(item) for item in stage.find_all() if stage.type(item) == "image"]
    for edge in stage.shown.edges:
        (x1, y1), (x2, y2) = stage._ends(edge, nodes)
        on_it = [(x, y) for x, y in pictures if y1 < y < y2 and abs((x - x1) * (y2 - y1) - (y - y1) * (x2 - x1)) < y2 - y1]
        assert len(on_it) == 1 + (edge.kind == "cut"), "its line, and scissors if it is cut"


def test_the_box_that_is_worked_on_is_always_in_view(window: Window) -> None:
    window.resize("640x480")
    show = open_theatre(window)
    stage = window.app.window.theatre.stage
    for _ in range(len(show.steps) - 1):
        window.run("next")
        window.root.update()
        path = next(node.path for node in stage.shown.nodes if node.is_current)
        x, y = stage.places[path]
        assert 0 < x - stage.canvasx(0) < stage.winfo_width() and 0 < y - stage.canvasy(0) < stage.winfo_height(), path


def test_a_click_on_a_box_shows_its_position_and_a_second_one_folds_it(window: Window) -> None:
    show = open_theatre(window)
    canvas = window.app.window.theatre.stage
    x, y = canvas.places["0.1"]
    place = {"x": round(x - canvas.canvasx(0)), "y": round(y - canvas.canvasy(0))}
    for _ in range(2):
        canvas.event_generate("<Button-1>", **place)
        window.root.update()
    assert show.branches["0.1"].folded
    assert window.board.picture.position == show.branches["0.1"].position


def test_the_theatre_gives_the_game_and_the_keyboard_back(window: Window) -> None:
    open_theatre(window)
    running, process = window.session.running, window.app.tree_thinker.engine_for(agon.Player(8))._process
    before = running.game.ply
    window.click("f6")  # in the theatre nobody moves by hand
    window.run("page_close")
    assert window.session.table is running and running.game.ply == before
    assert window.app.window.column.winfo_ismapped() and not window.app.window.theatre.winfo_ismapped()
    window.until(lambda: process is None or process.poll() is not None)


def test_the_theatre_is_closed_while_its_tree_is_computed(window: Window) -> None:
    window.begin()
    window.play("b1-c2")
    window.keys("F6")
    window.app.handle(window.app._choose, "depth_3")
    window.until(lambda: window.app.tree_thinker.is_busy)
    process = window.app.tree_thinker.engine_for(agon.Player(8))._process
    window.run("puzzles")
    window.until(lambda: process.poll() is not None)
    assert not window.app.tree_thinker.is_busy


@pytest.mark.parametrize("size", [(640, 420), (1000, 700), (1280, 840)])
@pytest.mark.parametrize("language", ["de", "en"])
def test_the_theatre_fits_small_windows(window: Window, size: Tuple[int, int], language: str) -> None:
    window.resize("{}x{}".format(*size))
    window.speak(language)
    open_theatre(window)
    page = window.app.window.theatre
    for command in ("first", "next"):  # a page that has just been opened has to measure its parts before Tk does
        window.run(command)
        window.root.update()
        assert cut_off(page) == []
        assert is_shown(page.stage) and page.stage.winfo_height() >= 100
        assert [name for name, button in page._buttons.items() if not is_shown(button)] == []


def test_the_page_about_learning_works_by_mouse_and_keyboard_and_leads_to_a_game(window: Window) -> None:
    window.begin(SHOWN)
    window.run("learning")
    page = window.app.window.learning
    table = window.session.table
    page.table.focus_force()
    window.root.update()
    assert page.winfo_ismapped() and cut_off(page) == []
    for key in ("Down", "Left"):
        page.table.event_generate(f"<{key}>")
    window.root.update()
    assert table.percents["queen"] == 50 and sum(percent != 100 for percent in table.percents.values()) == 1
    height, _, end, factor = page._measures(page.shown)
    page.table.event_generate("<Button-1>", x=round(end + 4 + 0.5 * factor), y=round(1.5 * height))
    window.root.update()
    assert table.percents["guards"] == 0
    window.run("learning_play")
    assert window.session.running.players[BLACK].weights == "guard=0,queen=50"
    window.play("b1-c2")
    window.rest()
    assert len(window.moves()) == 2


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_parts_on_a_small_page_about_learning_stand_below_each_other(window: Window, language: str) -> None:
    window.resize("640x480")
    window.speak(language)
    window.run("learning")
    window.root.update()
    page = window.app.window.learning
    table, labels = page.table, {row.label for row in page.shown.rows}
    boxes = [table.bbox(item) for item in table.find_all()
             if table.type(item) == "text" and table.itemcget(item, "text") in labels]
    assert len(boxes) == len(labels)
    assert all(above[3] <= below[1] for above, below in zip(boxes, boxes[1:]))


# --- pages that stay open --------------------------------------------------------

def test_help_stays_open_where_it_was_read_and_follows_language_and_colours(window: Window) -> None:
    window.keys("F1")
    page = window.app.pages.open_pages["help"]
    window.root.update()
    assert "Selbsteinschließung" in page.main.get("1.0", "end") or "einschließen" in page.main.get("1.0", "end")
    for command in window.app.commands.values():
        if command.shortcut and command.key in agon.TEXTS and command.key != "menu":
            assert agon.shortcut_text(command.shortcut, window.app.texts) in page.main.get("1.0", "end"), command.key
    page.main.see("end")
    page.main.update_idletasks()
    page.main.tk.call(page.main, "sync")  # the heights of all lines are known, so that nothing shifts by itself
    text, place = page.main, page.main.yview()
    window.keys("Control-f")
    window.root.update()
    assert page.main is text and text.yview() == place
    window.change_look(theme="dark")
    window.speak("en")
    assert page.title() == "Rules and keys" and str(page.main.cget("background")) == agon.DARK.panel
    assert page.main is not text and page.main.yview()[0] > 0.3, "a page that is filled anew stays where it was read"
    assert "Aim" in page.main.get("1.0", "end") or "aim" in page.main.get("1.0", "end")
    assert window.root.focus_get() is window.board
    window.play("b1-c2")
    window.keys("F1")
    assert len([child for child in window.root.winfo_children() if isinstance(child, agon.HelpWindow)]) == 1


# --- files -----------------------------------------------------------------------

def choose(window: Window, monkeypatch: pytest.MonkeyPatch, path: object) -> None:
    """Let the next file dialogs be answered with this path."""
    monkeypatch.setattr(window.app.dialogs, "choose_file", lambda *_values, **_named: str(path))


def test_a_saved_game_can_be_opened_again(window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window.play("b1-c2 b7-c7 k1-k2")
    window.run("previous")
    window.rest()
    path = tmp_path / "Spiel für Ü.agon"
    choose(window, monkeypatch, path)
    window.keys("Control-s")
    window.until(path.exists)
    window.until(lambda: "Spiel für Ü.agon" in window.voice())
    assert window.root.title() == "Spiel für Ü.agon – Agon"
    window.begin()
    assert window.root.title() == "Agon"
    window.keys("Control-o")
    window.rest()
    assert window.moves() == ["b1-c2", "b7-c7"] and len(window.session.game.undone) == 1
    assert window.shows_the_position() and window.app.settings.recent == (str(path),)
    window.begin()
    entries = [menu.entrycget(index, "label") for menu, index in menu_entries(window.app.menus.make())
               if menu.type(index) == "command"]
    assert sum("Spiel für Ü.agon" in entry for entry in entries) == 1


def test_a_file_that_is_no_game_is_explained_and_the_running_game_stays(
        window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window.play("b1-c2")
    path = tmp_path / "strange.agon"
    path.write_text('[Format "1"]\n\n1. b1-c8 *\n', "utf-8")
    choose(window, monkeypatch, path)
    window.run("open")
    message = window.dialog().message
    assert "b1-c8" in message and "strange.agon" in message and "3" in message
    window.dialog().on_ok()
    assert window.moves() == ["b1-c2"] and window.shows_the_position() and window.app.settings.recent == ()


def test_a_full_disk_is_reported_and_another_place_offered(
        window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, elsewhere = tmp_path / "game.agon", tmp_path / "elsewhere.agon"
    window.play("b1-c2")
    choose(window, monkeypatch, path)
    window.run("save")
    window.until(lambda: window.session.running.path)
    before = path.read_bytes()

    def no_space(_number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_space)
        window.play("b7-c7")
        window.until(lambda: "voll" in window.app.window.notice.cget("text"))
        assert is_shown(window.app.window.notice)
        window.run("save")
        window.until(lambda: any(isinstance(child, agon.Dialog) for child in window.root.winfo_children()))
        dialog = window.dialog()
        assert "voll" in dialog.message
        window.press_button(dialog.cancel_button)
        window.play("k1-k2")
        assert is_shown(window.app.window.notice), "as long as it is so"
        window.run("save")
        dialog = window.dialog()
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["game.agon"]
    choose(window, monkeypatch, elsewhere)
    window.press_button(dialog.ok_button)
    window.until(elsewhere.exists)
    assert Game.load(str(elsewhere)).length == 3
    window.play("k7-k6")
    window.until(lambda: not is_shown(window.app.window.notice))


def test_a_slow_folder_does_not_hold_the_game_up(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, write, written = threading.Event(), window.app.writer._write, []

    def slowly(path: str, text: str) -> None:
        gate.wait(20)
        written.append(os.path.basename(path))
        write(path, text)
    monkeypatch.setattr(window.app.writer, "_write", slowly)
    window.play("b1-c2 d1-e2 a5-b5")
    window.change_look(theme="dark")
    assert len(window.moves()) == 3 and written == []
    gate.set()
    assert window.kept().length == 3 and written.count("autosave.agon") <= 2, "the first, and the newest"


def test_the_clipboard_carries_positions_and_games(window: Window) -> None:
    window.play("b1-c2")
    position = window.session.game.position
    window.keys("Control-c")
    assert window.root.clipboard_get() == str(position)
    window.begin()
    window.keys("Control-v")
    assert window.session.game.position == position and window.moves() == []
    window.play("b7-c7")
    window.keys("Control-C")
    window.begin()
    window.keys("Control-v")
    window.rest()
    assert window.moves() == ["b7-c7"]
    window.root.clipboard_clear()
    window.root.clipboard_append("Guten Morgen")
    window.keys("Control-v")
    assert "Guten" in window.dialog().message and window.moves() == ["b7-c7"]
    window.root.clipboard_clear()
    window.keys("Control-v")
    assert window.app._clipboard() == "" and window.moves() == ["b7-c7"]


def test_the_board_is_exported_as_it_is_seen(window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window.play("b1-c2 b7-c7")
    path = tmp_path / "board.svg"
    choose(window, monkeypatch, path)
    window.run("export_board")
    window.until(path.exists)
    picture = xml.etree.ElementTree.parse(str(path)).getroot()
    assert picture.tag.endswith("svg") and "board.svg" in window.voice()
    choose(window, monkeypatch, tmp_path / "no such folder" / "x.svg")
    window.run("export_game_print")
    window.until(lambda: any(isinstance(child, agon.Dialog) for child in window.root.winfo_children()))
    assert "schreiben" in window.dialog().message


def test_a_file_dialog_offers_the_kind_that_is_asked_for_first(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: List[Tuple[str, Any]] = []
    monkeypatch.setattr(window.app.dialogs, "_choose", lambda ask, parent, **options: asked.append((ask, options)) or "")
    window.app.dialogs.choose_file("agon")
    window.app.dialogs.choose_file("svg", for_saving=True, name="board")
    window.app.dialogs.choose_file("")
    kinds = [[pattern for _, pattern in options["filetypes"]] for _, options in asked]
    assert kinds == [["*.agon", "*"], ["*.svg", "*"], ["*"]]
    assert asked[1][0] == "asksaveasfilename" and asked[1][1]["defaultextension"] == ".svg"


def test_the_window_outlives_a_file_dialog_of_the_system(window: Window) -> None:
    if agon.windowing_system(window.root) != "x11":
        pytest.skip("elsewhere the dialog is the system's own, and cannot be closed from here")
    answers: List[object] = []
    window.begin(ONE_BEFORE_THE_END)
    window.change_look(theme="dark")

    def close_then_cancel() -> None:
        window.app.handle(window.app.close)
        answers.append(window.app.is_closed)
        answers.append(window.app.dialogs.choose_file("agon"))  # a second one is not opened
        window.app.handle(window.app.attempt, mv("h5-g6"), None)  # the game goes on meanwhile
        window.app.handle(window.app.finish)
        lists = [path for path in widget_paths(window.root, ".__tk_filedialog") if path.endswith(".canvas")]
        evaluate = window.root.tk.eval
        texts = [item for item in evaluate(f"{lists[0]} find all").split() if evaluate(f"{lists[0]} type {item}") == "text"]
        colours = [evaluate(f"{lists[0]} cget -background"), evaluate(f"{lists[0]} itemcget {texts[0]} -fill")]
        paper, ink = ("#{:02x}{:02x}{:02x}".format(*(part // 257 for part in window.root.winfo_rgb(colour)))
                      for colour in colours)
        answers.append(contrast(paper, ink) > 7)
        window.root.tk.eval("set ::tk::Priv(selectFilePath) {}")  # what its Cancel button does
    window.root.after(50, window.app.handle, close_then_cancel)
    assert window.app.dialogs.choose_file("agon") == ""
    assert answers == [False, "", True] and not window.app.is_closed, "the names of files can be read"
    assert window.session.mode is agon.Mode.OVER and "Weiß gewinnt" in window.voice()

    def press_escape() -> None:
        window.board.event_generate("<Escape>")
        if window.app.dialogs.is_choosing:  # it was not there yet
            window.root.after(20, press_escape)
    window.root.after(20, press_escape)
    assert window.app.dialogs.choose_file("agon") == "", "Escape closes it from anywhere"


def test_a_click_anywhere_brings_a_dialog_to_the_front_above_which_a_page_has_been_laid(window: Window) -> None:
    if agon.windowing_system(window.root) != "x11":
        pytest.skip("elsewhere the system's own dialogs know what is above them")
    window.run("help")
    page = window.app.pages.open_pages["help"]
    seen: List[bool] = []

    def press_on_the_page_and_cancel(path: str) -> None:
        page.lift()
        window.root.update()
        if window.root.tk.eval("grab current") != path:  # it is not there yet
            window.root.after(20, press_on_the_page_and_cancel, path)
            return

        def is_above() -> bool:
            return window.root.tk.getboolean(window.root.tk.eval(f"wm stackorder {path} isabove {page}"))

        seen.append(window.comes_true(lambda: not is_above()))
        page.main.event_generate("<ButtonPress-1>", x=30, y=30)
        page.main.event_generate("<ButtonRelease-1>", x=30, y=30)
        seen.append(window.comes_true(is_above))
        seen.append(window.comes_true(lambda: window.root.tk.eval("focus").startswith(path)))
        window.app.dialogs.cancel()
    window.run("new_game")
    press_on_the_page_and_cancel(str(window.dialog()))
    window.until(lambda: not window.app.dialogs.is_open)
    window.root.after(20, press_on_the_page_and_cancel, ".__tk_filedialog")
    window.app.dialogs.choose_file("agon")
    was_covered = is_above = has_keyboard = True
    assert seen == [was_covered, is_above, has_keyboard] * 2


def widget_paths(root: "agon.tk.Tk", path: str) -> Iterator[str]:
    """The names of all widgets at or below one that tkinter does not know."""
    yield path
    for child in root.tk.splitlist(root.tk.call("winfo", "children", path)):
        yield from widget_paths(root, str(child))


def test_without_the_classroom_the_game_says_what_is_missing(
        window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon, "CLASSROOM", str(tmp_path / "classroom"))
    for key in ("tour", "puzzles"):
        window.run(key)
        assert "classroom" in window.dialog().message and not window.session.is_lesson
        window.dialog().on_ok()
    window.run("help")
    assert "Strg+N" in window.app.pages.open_pages["help"].main.get("1.0", "end")
    (tmp_path / "classroom").mkdir()
    (tmp_path / "classroom" / "tour.agon").write_text('[Kind "tour"]\n[Position "x"]\n\n*\n', "utf-8")
    window.run("place_learn")
    assert "tour.agon" in window.dialog().message and "2" in window.dialog().message
    window.dialog().on_ok()
    window.play("b1-c2")
    assert window.app.window.toolbar.places["place_game"].instate(["selected"])


# === 14. Nothing breaks it =======================================================


def children_of(pid: int) -> List[int]:
    """The process numbers of a process's children (Linux)."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(name))
    return found


# --- engines that fail -----------------------------------------------------------

@pytest.mark.parametrize("fate", ["killed", "stopped"])
def test_an_engine_that_is_lost_is_reported_and_started_again_with_one_command(
        window: Window, monkeypatch: pytest.MonkeyPatch, fate: str) -> None:
    if not hasattr(signal, "SIGSTOP"):
        pytest.skip("this system cannot stop a process")
    window.begin(levels=(0, 8))
    window.drag("b1", "c2")
    window.until(window.thinks)
    with monkeypatch.context() as patch:
        patch.setattr(agon, "PATIENCE_S", 0.3 if fate == "stopped" else 20)
        process = window.app.thinker.engine_for(agon.Player(8))._process
        os.kill(process.pid, signal.SIGSTOP if fate == "stopped" else signal.SIGKILL)
        window.until(lambda: "Strg+P" in window.voice())
    words = "antwortet nicht mehr" if fate == "stopped" else "hat sich beendet"
    assert words in window.voice() and window.moves() == ["b1-c2"] and process.poll() is not None
    window.app.handle(window.app.game_commands.set_level, 1)
    window.keys("Control-p")
    window.until(lambda: len(window.moves()) == 2)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop a process")
def test_a_stopped_analyst_does_not_hold_the_window_up(window: Window) -> None:
    window.run("analysis")
    window.until(lambda: window.app.window.shown.analysis.lines)
    engine = window.app.analyst._thinker.engine_for(agon.Player(8))
    os.kill(engine._process.pid, signal.SIGSTOP)
    for _ in range(400):
        engine._send("position start moves " + "b1-c2 " * 40)
    window.play("b1-c2")
    assert window.moves() == ["b1-c2"]
    engine.close()


# --- starting, ending, resuming --------------------------------------------------

@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_a_killed_window_leaves_no_process_and_loses_no_move(opener: Opener, window: Window) -> None:
    script = ("import tkinter, agon, sys\nroot = tkinter.Tk(); app = agon.App(root)\n"
              "game = agon.Game(); game.play(agon.Move.from_text('b1-c2'))\n"
              "players = [agon.Player(), agon.Player(8)]\n"
              "app.handle(app.game_commands.adopt, agon.RunningGame(game, players, app.attempt))\n"
              "app.handle(app.run, 'tree')\n"
              "app.writer.wait(20)\n"
              "root.after(100, lambda: print('thinking', flush=True))\nroot.mainloop()\n")
    process = subprocess.Popen([sys.executable, "-c", script], cwd=HERE, stdout=subprocess.PIPE,
                               env=dict(os.environ, AGON_HOME=opener.home))
    assert process.stdout is not None and process.stdout.readline().strip() == b"thinking"
    engines = children_of(process.pid)
    assert len(engines) == 2
    process.kill()
    process.wait()
    process.stdout.close()
    window.until(lambda: not any(is_running(pid) for pid in engines), seconds=5)
    again = opener()
    assert again.moves()[:1] == ["b1-c2"] and [player.level for player in again.session.running.players] == [0, 8]


def test_the_next_start_goes_on_where_the_last_one_ended(opener: Opener) -> None:
    first = opener()
    first.begin(levels=(0, 1))
    first.drag("b1", "c2")
    first.until(lambda: len(first.moves()) == 2)
    first.rest()
    moves = first.moves()
    first.app.store.change(theme="contrast", zoom=1)
    first.app.handle(first.app.close)
    again = opener()
    assert again.moves() == moves and again.session.running.players == [agon.Player(0), agon.Player(1)]
    assert again.shows_the_position() and again.app.settings.theme == "contrast" and again.app.look.zoom == 1
    again.run("first")
    again.rest()
    again.app.handle(again.app.close)
    third = opener()
    assert third.moves() == [] and len(third.session.game.undone) == 2 and third.session.running.is_paused
    third.begin(ONE_BEFORE_THE_END)
    third.play("h5-g6")
    third.app.handle(third.app.close)
    fourth = opener()
    assert fourth.moves() == [] and str(fourth.session.game.start) == str(Position.start()), "that game has ended"


def test_an_unreadable_game_is_put_aside_and_said_and_damaged_settings_are_passed_over(opener: Opener) -> None:
    opener.write("autosave.agon", '[Format "2"]\n\n1. a5-b5 *\n')
    opener.settings(theme=7, zoom=99, recent=[3], level="x", language="de", geometry="12x", black=0)
    window = opener()
    assert window.moves() == [] and window.app.settings.theme == "light" and window.app.settings.zoom == 0
    aside = [name for name in os.listdir(opener.home) if "aside" in name]
    assert len(aside) == 1 and aside[0] in window.voice() and "Format 2" in window.voice()
    window.play("b1-c2")
    with open(os.path.join(opener.home, aside[0]), encoding="utf-8") as file:
        assert "a5-b5" in file.read()


def test_the_game_named_on_the_command_line_is_opened_or_it_is_said_why_not(opener: Opener, tmp_path: Path) -> None:
    path = str(tmp_path / "game.agon")
    Game(headers={"White": "Ada"}).save(path)
    opener.settings(black=0)
    window = opener(path=path)
    assert window.root.title() == "game.agon · Ada – Schwarz – Agon" and "Ada" in window.app.window.seats[1].name.cget("text")
    window.app.handle(window.app.end)
    window = opener(path=str(tmp_path / "missing.agon"))
    assert "missing.agon" in window.dialog().message and window.root.title() == "Agon"


def test_where_nothing_can_be_kept_that_is_said_and_asked_again_at_the_end(
        opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").write_text("a file where the folder should be", "utf-8")
    window = opener()
    window.begin()
    for moves in ("b1-c2", "b7-c7"):
        window.play(moves)
        window.until(lambda: "ist eine Datei" in window.app.window.notice.cget("text"))
        assert is_shown(window.app.window.notice)
    window.app.handle(window.app.close)
    assert not window.app.is_closed and "ist eine Datei" in window.dialog().message
    assert is_shown(window.root)
    choose(window, monkeypatch, tmp_path / "saved.agon")
    window.press_button(window.dialog().ok_button)
    window.until((tmp_path / "saved.agon").exists)
    window.app.handle(window.app.close)
    window.press_button(window.dialog().cancel_button)
    assert window.app.is_closed and Game.load(str(tmp_path / "saved.agon")).length == 2


@pytest.mark.parametrize("moment", [
    "at once", "dragging", "gliding", "thinking", "reviewing", "saving", "pages and dialogs open"])
def test_closing_at_any_moment_is_quiet(
        opener: Opener, window: Window, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture, moment: str) -> None:
    monkeypatch.setattr(agon, "GLIDE_MS", 5000)
    mine = opener()
    app, engines = mine.app, []
    if moment == "dragging":
        mine.begin()
        mine.run("analysis")
        mine.carry("b1", "c2")
    elif moment == "gliding":
        mine.begin()
        app.handle(app.attempt, mv("b1-c2"), None)
    elif moment == "thinking":
        mine.begin(levels=(8, 8))
        engines = [app.thinker]
    elif moment == "reviewing":
        app.store.change(analysis=True, animation=False)
        mine.begin(ONE_BEFORE_THE_END)
        mine.play("h5-g6")
        engines = [app.analyst._thinker]
    elif moment == "saving":
        write = app.writer._write
        monkeypatch.setattr(app.writer, "_write", lambda path, text: (time.sleep(0.1), write(path, text)))
        app.store.change(animation=False)
        mine.begin()
        mine.play("b1-c2")
    elif moment == "pages and dialogs open":
        for key in ("help", "tree", "menu", "new_game", "about"):
            mine.run(key)
        engines = [app.tree_thinker]
    processes = [engine._process for thinker in engines for engine in thinker.engines.values()]
    assert all(processes) and len(processes) == len(engines)
    app.handle(app.close)
    assert app.is_closed and app.jobs._jobs == {} and not app.writer.is_busy()
    window.until(lambda: all(process.poll() is not None for process in processes), seconds=5)
    heard: List[int] = []
    window.root.after(30, heard.append, 1)
    window.until(lambda: heard)  # what might still wait for the closed window would speak up now
    assert capfd.readouterr().err == ""
    if moment == "saving":
        assert Game.load(os.path.join(opener.home, "autosave.agon")).length == 1


def test_a_second_window_has_a_game_of_its_own_and_leaves_it_to_the_next_start(opener: Opener) -> None:
    first, second = opener(), opener()
    for window, move in ((first, "b1-c2"), (second, "k1-k2")):
        window.begin()
        window.play(move)
        assert window.kept("autosave.agon" if window is first else "autosave-2.agon").moves == (mv(move),)
    first.app.handle(functools.partial(first.app.store.note, solved="first"))
    second.app.store.change(theme="dark")
    for window in (first, second):
        window.app.handle(window.app.close)
    third = opener()
    assert third.moves() == ["b1-c2"] and third.app.settings.theme == "dark"
    assert third.app.store.progress.solved == {"first"}
    third.run("previous_game")
    third.rest()
    assert third.moves() == ["k1-k2"]


def test_any_folder_name_will_do(opener: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "Übung mit ß und 六角 100%"
    folder.mkdir()
    for name in ("agon_core.py", "agon_ai.py"):
        shutil.copy(os.path.join(HERE, name), folder / name)
    opener.home = str(folder / "home")
    window = opener(command=(sys.executable, str(folder / "agon_ai.py"), "serve"))
    window.begin(levels=(0, 1))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    path = folder / "Spiel ä.agon"
    choose(window, monkeypatch, path)
    window.run("save")
    window.until(path.exists)
    assert Game.load(str(path)).moves == window.session.game.moves


def test_a_closed_window_is_forgotten_as_a_whole(opener: Opener) -> None:
    window = opener()
    for key in ("tour", "tree", "help", "new_game"):
        window.run(key)
    app = weakref.ref(window.app)
    window.app.handle(window.app.close)
    opener.windows.clear()
    del window
    gc.collect()
    assert app() is None


def test_python_looks_for_no_garbage_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would in any thread, and there each variable of Tk waits a second for the window's, with the files to write."""
    states: List[bool] = []
    before = gc.isenabled()
    monkeypatch.setattr(sys, "argv", ["agon.py"])
    monkeypatch.setattr(agon.tk, "Tk", lambda **_options: types.SimpleNamespace(mainloop=lambda: None))
    monkeypatch.setattr(agon, "App", lambda *_values, **_named: states.append(gc.isenabled()))
    gc.enable()
    try:
        agon.main()
    finally:
        (gc.enable if before else gc.disable)()
    assert states == [False]


def test_the_window_looks_for_garbage_itself(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agon, "GARBAGE_MS", 50)  # without a pause between two searches update() would find no end
    freed: List[int] = []
    circle = Circle(freed)
    circle.own = circle
    del circle
    window = opener()
    window.until(lambda: freed == [1])


class Circle:
    """Something that only a search for garbage can free."""

    def __init__(self, freed: List[int]) -> None:
        self.freed = freed
        self.own: Optional["Circle"] = None

    def __del__(self) -> None:
        self.freed.append(1)


# --- where the window stands -----------------------------------------------------

def screen(monkeypatch: pytest.MonkeyPatch, root: "agon.tk.Tk", width: int, height: int) -> None:
    """Let a window believe that the screen has this size."""
    for name, value in (("winfo_screenwidth", width), ("winfo_screenheight", height), ("winfo_vrootwidth", 0),
                        ("winfo_vrootheight", 0)):
        monkeypatch.setattr(root, name, lambda value=value: value)


@pytest.mark.parametrize("geometry, expected", [
    ("733x555+40+30", (733, 555, 40, 30)),
    ("1600x980+100+50", (1280, 860, 0, 0)),  # from a larger screen: room for the title is left
    ("800x600+90000+-9000", (800, 600, 480, 0)), ("800x600+-300+700", (800, 600, 0, 260))])
def test_a_remembered_window_lies_on_the_screen_there_is(
        window: Window, monkeypatch: pytest.MonkeyPatch, geometry: str, expected: Tuple[int, int, int, int]) -> None:
    screen(monkeypatch, window.root, 1280, 900)
    window.app.store.change(geometry=geometry)
    window.app.placement.restore()
    window.root.update()
    wanted = "{}x{}+{}+{}".format(*expected)
    window.until(lambda: window.root.geometry() == wanted)  # a window manager may take its time
    window.app.placement.remember()
    assert window.app.settings.geometry == wanted


def test_the_first_window_has_its_size(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    for width, height in ((1920, 1080), (800, 600)):
        screen(monkeypatch, window.root, width, height)
        window.app.placement.restore()
        window.root.update()
        em = window.app.look.em
        assert window.root.winfo_width() == max(min(agon.FIRST_WIDTH * em, width - 40), window.root.minsize()[0])
        assert window.root.winfo_height() == max(min(agon.FIRST_HEIGHT * em, height - 100), window.root.minsize()[1])


def test_a_maximised_window_is_so_again_and_keeps_the_size_it_had(
        window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    wished = with_manager(monkeypatch, window.root)
    monkeypatch.setattr(window.root, "state", lambda *values: fail_as_on_x11() if values else "normal")
    window.app.placement.remember()
    geometry = window.app.settings.geometry
    wished["-zoomed"] = True
    window.resize("1280x900")
    window.app.placement.remember()
    assert window.app.settings.is_maximised and window.app.settings.geometry == geometry != window.root.geometry()
    wished["-zoomed"] = False
    window.app.placement.restore()
    window.root.update()
    assert wished["-zoomed"] and window.root.geometry() == geometry
    wished["-fullscreen"] = True
    window.app.store.change(is_maximised=False)
    window.app.placement.remember()
    assert window.app.settings.geometry == geometry and not window.app.settings.is_maximised


def fail_as_on_x11() -> None:
    raise agon.tk.TclError("bad argument \"zoomed\"")


# --- nothing is left over --------------------------------------------------------

def test_an_idle_window_has_nothing_to_do(window: Window) -> None:
    window.play("b1-c2 b7-c7")
    window.run("hint")
    window.rest()
    window.until(lambda: not set(window.app.jobs._jobs) - {"garbage"})
    waiting = {job: window.root.tk.call("after", "info", job)
               for job in window.root.tk.splitlist(window.root.tk.call("after", "info"))}
    waiting.pop(window.app.jobs._jobs["garbage"].name)
    # A scrollbar that was pressed in an earlier test repeats itself: that is Tk's own.
    assert [job for job in waiting.values() if "ttk::Repeat" not in str(job)] == []


def test_nothing_piles_up(window: Window) -> None:
    """Tk commands, widgets, pictures and canvas items: after many turns there are as many as after one."""
    app = window.app

    def turn() -> None:
        for theme in agon.THEMES:
            window.change_look(theme=theme)
        for key in ("tour", "page_next", "puzzles", "hint", "set_up", "page_close", "analysis", "analysis", "tree",
                    "learning", "page_close", "conversation", "conversation", "flip", "flip", "help", "new_game", "about"):
            window.run(key)
            if key in ("new_game", "about"):
                window.dialog().destroy()  # no command has a meaning while it is open
            if key == "tree":
                window.until(lambda: len(window.session.table.counts) == 4)
        for child in window.root.winfo_children():
            if isinstance(child, agon.tk.Toplevel):
                child.destroy()
        app.menus.make()
        window.play("b1-c2 b7-c7")
        window.begin()
        window.change_look(theme="light")
        window.rest()

    def count() -> Tuple[int, ...]:
        gc.collect()
        return (len(window.root.tk.splitlist(window.root.tk.call("info", "commands"))),
                len(list(descendants(window.root))), len(app.look._pictures), len(window.board.find_all()),
                len(window.root.tk.splitlist(window.root.tk.call("image", "names"))))
    turn()
    first = count()
    turn()
    assert count() == first


def test_a_storm_of_events_leaves_picture_game_and_file_in_agreement(
        window: Window, capfd: pytest.CaptureFixture) -> None:
    """Some thousand random events, while the computer thinks and the window changes its size and its look."""
    app, seed = window.app, 20
    rng = random.Random(seed)
    items = len(window.board.find_all())
    window.run("animation")
    window.begin(levels=(0, 1))

    def anywhere() -> Tuple[int, int]:
        return rng.randrange(-20, 800), rng.randrange(-20, 700)

    def resize() -> None:
        window.root.geometry(rng.choice(("640x480", "900x700", WINDOW_SIZE)))

    def key() -> None:
        name = rng.choice(["Tab", "Return", "Escape", "Left", "Up", "a", "1", "Prior", "space", "Control-z", "Next"])
        window.board.event_generate(f"<{name}>" if "-" in name else f"<Key-{name}>")

    def play() -> None:
        moves = window.session.game.legal_moves()
        if moves and window.session.may_act and moves[0] != PASS:
            move = rng.choice(moves)
            window.drag(cell_name(move.source), cell_name(move.target))

    def command() -> None:
        key = rng.choice(["undo", "redo", "flip", "pause", "swap", "hint", "move_now", "one_move", "first", "last",
                          "previous_game", "analysis", "ranks", "tour", "page_next", "set_up", "page_close", "page_close",
                          "copy_game", "paste"])
        if key in app.commands or key in window.session.table.commands():
            app.handle(app.run, key)

    def close_dialogs() -> None:
        for child in window.root.winfo_children():
            if isinstance(child, agon.Dialog):
                rng.choice((child.on_ok, child.on_cancel))()

    actions = ([lambda: window.press(anywhere())] * 6 + [lambda: window.release(anywhere())] * 6 + [play] * 6
               + [lambda: window.motion(anywhere())] * 8 + [lambda: window.board.event_generate("<Motion>")]
               + [lambda: window.root.event_generate("<FocusOut>")] + [key] * 6 + [command] * 6 + [resize])
    monkey = len(actions)
    for number in range(250):
        actions[rng.randrange(monkey)]()
        if number % 3 == 0:
            window.root.update()
            close_dialogs()
        if number % 80 == 79:
            window.change_look(zoom=rng.randrange(2))
            window.begin(levels=(rng.choice((0, 1)), rng.choice((0, 1))))
    window.run("page_close")
    close_dialogs()
    if any(not player.is_person for player in window.session.running.players):
        app.handle(app.game_commands._set_players, [agon.Player(), agon.Player()])
    window.rest()
    assert window.shows_the_position(), f"seed {seed}"
    assert window.kept().moves == window.session.game.moves
    assert len(window.board.find_all()) < items + 60  # spare ones are used again
    window.begin()
    window.play("b1-c2")
    assert window.moves() == ["b1-c2"] and window.shows_the_position()
    assert capfd.readouterr().err == "" and window.errors == []


def test_a_name_that_no_file_can_have_is_reported(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    window.play("b1-c2")
    choose(window, monkeypatch, "/tmp/a\0b.agon")
    for key in ("open", "save_as"):
        window.run(key)
        window.until(lambda: any(isinstance(child, agon.Dialog) for child in window.root.winfo_children()))
        assert "a" in window.dialog().message
        window.dialog().on_cancel()
    assert window.moves() == ["b1-c2"]


# --- starting the program, here and elsewhere ------------------------------------

def start_program(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Start the program as a user does, and wait for its end."""
    kept = {name: value for name, value in os.environ.items() if name != "DISPLAY" or sys.platform in ("win32", "darwin")}
    return subprocess.run([sys.executable, *arguments], cwd=HERE, env={**kept, **environment}, capture_output=True,
                          encoding="utf-8", timeout=60)


def test_without_tkinter_the_program_says_in_one_line_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "tkinter.py").write_text("raise ImportError", encoding="utf-8")
    done = start_program("agon.py", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1 and "python3-tk" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="a display is always there")
def test_without_a_display_the_program_says_so_in_one_line() -> None:
    done = start_program("agon.py")
    assert done.returncode == 1 and "screen" in done.stderr and done.stderr.count("\n") == 1


def test_an_old_python_gets_one_plain_line() -> None:
    script = ("import sys; sys.version_info = (3, 7, 1); sys.argv = ['agon.py'];"
              "exec(compile(open('agon.py', encoding='utf-8').read(), 'agon.py', 'exec'), {'__name__': '__main__'})")
    done = start_program("-c", script)
    assert done.returncode == 1 and "Python 3.8" in done.stderr and done.stderr.count("\n") == 1


def test_asked_for_help_the_program_says_how_it_is_started() -> None:
    done = start_program("agon.py", "--help")
    assert done.returncode == 0 and "python agon.py [game.agon]" in done.stdout and done.stderr == ""


# --- on a screen far away ---------------------------------------------------------

class CountingScreen:
    """Stands between the window and the screen (X11) and counts the answers that the window waits for."""

    FOLDER = "/tmp/.X11-unix"

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        real = re.fullmatch(r".*:([0-9]+)(\.[0-9]+)?", os.environ.get("DISPLAY", ""))
        if real is None or not os.path.exists(f"{self.FOLDER}/X{real[1]}"):
            pytest.skip("no screen that one can stand before")
        self._real, self.answers = f"{self.FOLDER}/X{real[1]}", 0
        number = next(number for number in range(7000, 8000) if not os.path.exists(f"{self.FOLDER}/X{number}"))
        self.path = f"{self.FOLDER}/X{number}"
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(self.path)
        self._server.listen(1)
        monkeypatch.setenv("DISPLAY", f":{number}")
        if os.path.exists(os.environ.get("XAUTHORITY", "")):  # the key to the screen is kept by its number
            monkeypatch.setenv("XAUTHORITY", self._keys_for(str(number), folder / "keys"))
        threading.Thread(target=self._serve, daemon=True).start()

    @staticmethod
    def _keys_for(number: str, path: Path) -> str:
        """A copy of the user's keys to screens that opens this one with each of them (source: Xau's file format)."""
        data, keys = Path(os.environ["XAUTHORITY"]).read_bytes(), b""
        while data:
            fields, rest = [], data[2:]
            for _ in range(4):  # address, number, name, key
                length = 2 + struct.unpack(">H", rest[:2])[0]
                fields.append(rest[:length])
                rest = rest[length:]
            fields[1] = struct.pack(">H", len(number)) + number.encode()
            keys, data = keys + data[:2] + b"".join(fields), rest
        path.write_bytes(keys)
        return str(path)

    def _serve(self) -> None:
        window, _ = self._server.accept()
        screen = socket.socket(socket.AF_UNIX)
        screen.connect(self._real)
        threading.Thread(target=self._pass_on, args=(window, screen), daemon=True).start()
        left = b""

        def take(length: int) -> bytes:
            nonlocal left
            while len(left) < length:
                data = screen.recv(1 << 16)
                if not data:
                    raise EOFError
                window.sendall(data)
                left += data
            taken, left = left[:length], left[length:]
            return taken

        try:  # the greeting, then answers, events and errors, of 32 bytes each and what an answer is longer by
            take(4 * struct.unpack("=H", take(8)[6:])[0])
            while True:
                message = take(32)
                is_answer, is_long = message[0] == 1, message[0] & 127 in (1, 35)
                self.answers += is_answer
                take(4 * struct.unpack("=I", message[4:8])[0] if is_long else 0)
        except (EOFError, OSError):
            window.close()

    @staticmethod
    def _pass_on(window: socket.socket, screen: socket.socket) -> None:
        try:
            data = window.recv(1 << 16)
            while data:
                screen.sendall(data)
                data = window.recv(1 << 16)
        except OSError:
            pass
        screen.close()

    def close(self) -> None:
        self._server.close()
        os.remove(self.path)


#: Opens the window, and closes it once the board is painted.
OPEN_AND_CLOSE = """
import agon
root = agon.tk.Tk()
app = agon.App(root)
def look():
    if app.board._painted:
        app.handle(app.end)
    else:
        root.after(20, look)
root.after(20, look)
root.mainloop()
"""


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="no X11 here")
def test_the_start_waits_for_few_answers_of_the_screen(
        window: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    screen = CountingScreen(monkeypatch, tmp_path)
    try:
        done = start_program("-c", OPEN_AND_CLOSE, DISPLAY=os.environ["DISPLAY"], AGON_HOME=str(tmp_path / "home"))
    finally:
        screen.close()
    assert done.returncode == 0 and done.stderr == ""
    # Tk itself asks 256 times for the first picture, and some 80 times for any window.
    assert 100 < screen.answers < 600


def test_the_main_window_has_the_icon_and_all_later_ones_too(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    given: List[Tuple[bool, Any]] = []
    monkeypatch.setattr(window.root, "iconphoto", lambda is_default, picture: given.append((is_default, picture)))
    before = window.app._icon
    window.root.withdraw()
    window.app._set_icon()
    assert given == [], "Windows would take no icon for a window that has not been seen"
    window.root.deiconify()
    window.until(lambda: len(given) == 2)
    assert [is_default for is_default, _ in given] == [True, False], "the default alone leaves Tk's own on Windows"
    assert given[0][1] == given[1][1] is window.app._icon and str(window.app._icon) != str(before)


def test_a_page_that_has_the_keyboard_keeps_it_in_another_look_and_shows_the_rules(window: Window) -> None:
    window.run("help")
    page = window.app.pages.open_pages["help"]
    page.main.focus_force()

    def has_keyboard() -> bool:
        return str(window.root.tk.call("focus", "-displayof", page)).startswith(str(page))

    window.until(has_keyboard)
    window.change_look(theme="dark")
    assert window.comes_true(has_keyboard)
    lines = page.main.get("1.0", "end").splitlines()
    assert lines[0] == page.rules[0].title["de"] and said("no_classroom", "de") not in lines
    page.rules = []
    window.speak("en")
    assert page.main.get("1.0", "end").splitlines()[0] == said("no_classroom")


def test_a_name_that_is_there_is_typed_over(window: Window) -> None:
    window.app.store.change(pupil="Ada")
    window.run("progress")
    window.run("progress_name")
    entry = window.dialog().entry
    assert entry.get() == "Ada" and (entry.index("sel.first"), entry.index("sel.last")) == (0, 3)


@pytest.mark.parametrize("key", ["Return", "KP_Enter"])
def test_both_enter_keys_answer_a_dialog(window: Window, key: str) -> None:
    window.run("about")
    dialog = window.dialog()
    dialog.focus_force()
    window.until(lambda: str(window.root.tk.call("focus")).startswith(str(dialog)))
    dialog.event_generate(f"<{key}>")
    window.root.update()
    assert not dialog.winfo_exists()


def test_a_dialog_tells_the_window_manager_what_it_is(window: Window) -> None:
    if agon.windowing_system(window.root) != "x11":
        pytest.skip("elsewhere windows have no such types")
    window.run("new_game")
    assert "dialog" in str(window.dialog().attributes("-type"))


def test_letters_are_composed_where_words_are_typed(window: Window) -> None:
    def composes() -> bool:
        return bool(window.root.tk.getboolean(window.root.tk.call("tk", "useinputmethods")))

    if agon.windowing_system(window.root) != "x11":
        pytest.skip("the system composes letters everywhere")
    assert not composes()
    for order in (1, -1):  # whichever is closed first
        window.run("own_program")
        window.app.dialogs.tell("about", agon.Message("ok"))
        assert composes()
        dialogs = [child for child in window.root.winfo_children() if isinstance(child, agon.Dialog)]
        for dialog, still_composes in zip(dialogs[::order], (True, False)):
            dialog.on_cancel()
            assert composes() == still_composes


# === 15. What README, instructions and lessons say is true =======================
# Commands, files and programs are taken out of the texts themselves and tried; what stands in *italics* there has to
# stand on the screen, too.

#: The texts, and the language of each: 0 for German and 1 for English, as in agon.TEXTS.
TEXT_FILES = {
    "README.md": 1, "classroom/anleitung.de.md": 0, "classroom/lessons.de.md": 0, "classroom/lessons.en.md": 1}
LESSONS = ("classroom/lessons.de.md", "classroom/lessons.en.md")


def text_of(name: str) -> str:
    """One of the texts."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def readme() -> str:
    return text_of("README.md")


#: For the tests that look into the window's tables.
needs_tkinter = pytest.mark.skipif(agon is None, reason="no tkinter")


class Block(NamedTuple):
    """A block of code between two fences."""

    name: str
    language: str
    text: str


FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^ *```$", re.M | re.S)


def blocks_of(name: str) -> List[Block]:
    """The blocks of code of a text, without the indentation of the list they stand in."""
    return [Block(name, match["language"], re.sub(rf"(?m)^{match['indent']}", "", match["text"]))
            for match in FENCE.finditer(text_of(name))]


def lines_of(name: str) -> List[str]:
    """The lines of a text that are code by their indentation: shell commands and positions."""
    return [line.strip() for line in FENCE.sub("", text_of(name)).split("\n") if re.match(r"( {4}| {7})\S", line)]


def prose_of(name: str) -> str:
    """A text without code of any kind, each paragraph and list on one line."""
    text = re.sub(r"(?m)^( {4}| {7})\S.*$", "", FENCE.sub("", text_of(name)))
    return re.sub(r"\n(?!\n) *", " ", re.sub(r"`[^`]*`", "", text))


def section(name: str, lesson: int, part: int) -> str:
    """The exercises (part 1) or the solutions (part 2) of a lesson, on one line."""
    return " ".join(text_of(name).split("\n## ")[lesson].split("\n### ")[part].split())


# --- what stands on the screen ---------------------------------------------------

def menu_paths(language: int) -> Set[Tuple[str, ...]]:
    """Every way through the menus, as one says it: ('Menu', 'View', 'Theme', 'Dark')."""
    def word(key: str) -> str:
        return agon.TEXTS[key][language].rstrip(" …")

    deeper = {"theme": [word("theme_" + name) for name in agon.THEMES], "language": list(agon.LANGUAGES.values()),
              "export": [word(key) for key in agon.TEXTS if key.startswith("export_")],
              "level_menu": [word("level").format(level=level.number) for level in agon_ai.LEVELS]}
    paths: Set[Tuple[str, ...]] = {(word("menu"), word(menu)) for menu, _ in agon.MENUS}
    for menu, entries in agon.MENUS:
        for entry in filter(None, entries):
            path = (word("menu"), word(menu), word(entry.strip("[]")))
            paths.add(path)
            paths.update((*path, name) for name in deeper.get(entry.strip("[]"), ()))
    return paths


def in_italics(name: str) -> List[str]:
    """What a text shows in italics."""
    return [" ".join(words.split()) for words in re.findall(r"(?<![*\w])\*(?![*\s])([^*]+)\*(?!\*)", prose_of(name))]


@needs_tkinter
@pytest.mark.parametrize("name", TEXT_FILES)
def test_what_stands_in_italics_stands_on_the_screen(name: str) -> None:
    language = TEXT_FILES[name]
    paths = menu_paths(language)
    captions = {texts[language].strip("‹› …") for texts in agon.TEXTS.values()}
    found = in_italics(name)
    assert len(found) >= 15
    for words in found:
        path = tuple(words.split(", "))
        if path[0] == agon.TEXTS["menu"][language]:
            assert path in paths, words
        else:
            assert words in captions | {"schräger Schrift", "italics"}, words


@needs_tkinter
def test_a_menu_path_that_does_not_exist_would_be_noticed() -> None:
    assert ("Menü", "Lernen", "Rätsel") in menu_paths(0) and ("Menu", "View", "Theme", "Dark") in menu_paths(1)
    assert ("Menü", "Spiel", "Rätsel") not in menu_paths(0) and ("Menü", "Learn", "Puzzles") not in menu_paths(1)


@needs_tkinter
def test_the_menu_paths_that_the_window_names_itself_exist() -> None:
    named = [(language, match) for texts in agon.TEXTS.values() for language in (0, 1)
             for match in re.findall(r"(?i)\b(?:menü|menu), ([^,.]+), ([^,.]+)", texts[language])]
    assert len(named) >= 2
    for language, path in named:
        assert (agon.TEXTS["menu"][language], *path) in menu_paths(language), path


@needs_tkinter
def test_the_keys_that_the_texts_name_are_those_of_the_commands() -> None:
    with open(os.path.join(HERE, "agon.py"), encoding="utf-8") as file:
        keys = dict(re.findall(r'\("(\w+)",[^"\n]*(?:"\w+"[^"\n]*)?"(F\d+|Mod-v)"\)', file.read()))
    places = {"place_learn": "tour", "place_puzzles": "puzzles", "place_analysis": "analysis"}
    for name, language in TEXT_FILES.items():
        named = re.findall(r"(?<!\*)\*([^*]+)\*,? \(?(F\d+|Ctrl\+V|Strg\+V)\)?", prose_of(name))
        assert len(named) >= 2
        for words, key in named:
            caption = " ".join(words.split()).split(", ")[-1]
            commands = [places.get(command, command) for command, texts in agon.TEXTS.items()
                        if texts[language].rstrip(" …") == caption]
            assert re.sub(r"\w+\+V", "Mod-v", key) in [keys.get(command) for command in commands], (name, words, key)


def test_every_link_of_the_texts_leads_somewhere() -> None:
    for name in TEXT_FILES:
        links = re.findall(r"\]\(([^)]+)\)", text_of(name))
        assert links
        for link in links:
            path = os.path.join(HERE, os.path.dirname(name), link)
            assert os.path.isfile(path), (name, link)
            if path.endswith(".png"):
                with open(path, "rb") as file:
                    assert file.read(8) == b"\x89PNG\r\n\x1a\n"


# --- commands --------------------------------------------------------------------

#: Games that end after a few moves.
SHORT_GAMES = ("import agon_ai, sys; agon_ai.LONGEST_GAME = 4; agon_ai.LONGEST_LESSON = 30; "
               "agon_ai.LONGEST_PUZZLE_GAME = 80; sys.exit(agon_ai.main(sys.argv[1:]))")
TOURNAMENT = r".* no  name +\d +\d( +\d)? +points +won drawn  lost errors\n"
SCORES = r"\d wins, \d draws, \d losses, [\d.]+ %, Elo [^\n]+\n"
LEARNT = r"round \d: error on \d+ positions not seen [\d.]+ before\n( +\d+ games, +\d+ positions: error [\d.]+\n){5}"
WEIGHTS_TABLE = r"WEIGHTS = Weights\(\n( +\w+=[-\d(), ]+\n)+"
CHECK_RESULT = (r"good   starts and says agonok after [\d.]+ s\n{}\n.*\n"
                r"It can play\. Faults: 0, notes: \d\.\n")

#: Every command of the texts: how it is made quick, and a pattern for all that it prints (in pytest's case: the end).
COMMANDS: Dict[str, Tuple[Dict[str, str], str]] = {
    "python agon_ai.py check classroom/players/trapper.py": ({}, CHECK_RESULT.format("good   calls itself Trapper")),
    "python agon_ai.py check player.py": ({}, CHECK_RESULT.format("good   calls itself Trapper")),
    "python agon_ai.py check zufall.py": ({}, CHECK_RESULT.format("note   tells no name[^\n]+")),
    'python agon_ai.py tournament level1 level2 "python hopper.py" --rounds 2 --movetime 200 --save tournament.agon': (
        {"--rounds 2": "--rounds 1", "--movetime 200": "--movetime 10"},
        TOURNAMENT + r"(?=.*^ +1\. level1 .* 0$)(?=.*^ +2\. level2 .* 0$)(?=.*^ +3\. Hopper .* 0$).*"),
    'python agon_ai.py tournament level1 level2 "python zufall.py" --rounds 2 --movetime 200 --save turnier.agon': (
        {"--rounds 2": "--rounds 1", "--movetime 200": "--movetime 10"},
        TOURNAMENT + r"(?=.*^ +1\. level1 .* 0$)(?=.*^ +2\. level2 .* 0$)(?=.*^ +3\. zufall\.py .* 0$).*"),
    'python agon_ai.py tournament "python anymove.py" "python player.py" level1 --rounds 1 --movetime 200 '
    "--page tournament.html": (
        {"--movetime 200": "--movetime 10"},
        TOURNAMENT + r"(?=.*^ +1\. anymove\.py .* 0$)(?=.*^ +2\. Trapper .* 0$)(?=.*^ +3\. level1 .* 0$).*"),
    "python agon_ai.py match level2 level1 --games 4": (
        {"--games 4": "--games 2"}, "(.*\n)?level2 vs level1: " + SCORES),
    "python agon_ai.py match level8 level8-threat --games 2 --nodes 300 --openings 6": (
        {}, "(.*\n)?level8 vs level8-threat: " + SCORES),
    'python agon_ai.py match "python learned.py" "python anymove.py" --games 10 --movetime 200': (
        {"--games 10": "--games 2"}, r"(.*\n)?Learned vs anymove\.py: " + SCORES),
    "python agon_ai.py bench": (
        {"bench": "bench --seconds 0.01"}, r"perft 4: 466551 moves, [\d,]+ moves/s\n"
        r"(depth +\d+, +\d+ nodes, score [^\n]+\n){6}search: [\d,]+ nodes/s\n"),
    "python agon_ai.py analyse start --depth 4": (
        {}, r"(info depth \d score -?\d+ nodes \d+ time \d+ pv [^\n]+\n){4}best move \S+, score -?\d+ for White\n"),
    'python agon_ai.py analyse "Qf1 a5 d5 b2 / Qf11 c4 e4 l2 w" --explain --depth 3': (
        {}, r" +White +Black\n([^\n]+ [-+.\d]+ +[-+.\d]+\n)+White less Black: [-+.\d]+ guard's steps\n"
        r"(info depth \d score -?\d+ nodes \d+ time \d+ pv [^\n]+\n){3}best move \S+, score -?\d+ for White\n"
        r"It traps c4\.\n"),
    "python agon_ai.py review game.agon --out reviewed.agon": (
        {"--out": "--nodes 300 --out"}, r".*White: \d \?!, \d \?, \d \?\?\nBlack: \d \?!, \d \?, \d \?\?\n"),
    "python agon_ai.py curve --games 200 --nodes 400 --seed 1": (
        {"--games 200 --nodes 400": "--games 5 --nodes 10"}, CURVE),
    "python agon_ai.py sheet puzzles --theme trap --out puzzles.html": ({}, ""),
    "python agon_ai.py puzzles puzzles.agon --games 189": (
        {"--games 189": "--games 1 --jobs 1"}, r"(\w+ \d: \d+ of \d+\n){17}\d+ puzzles in puzzles\.agon\n"),
    "python agon_ai.py tree start --depth 1": (
        {}, r"node 0 root value = \S+ alpha -inf beta inf nodes 28 best \S+\n(node 0\.\d+ \S+ value = [^\n]+\n){27}"
        r"expected \S+\ntreeok plain 28 pruned 28\n"),
    "python agon_ai.py learn --rounds 2 --games 200 --nodes 2000 --file games.jsonl --write": (
        {"--games 200 --nodes 2000": "--games 2 --nodes 20 --jobs 1", " --write": ""}, 2 * LEARNT + WEIGHTS_TABLE),
    "python agon_ai.py learn --rounds 1 --games 157 --write": (
        {"--games 157 --write": "--games 2 --nodes 20 --jobs 1"}, LEARNT + WEIGHTS_TABLE),
    "python agon_ai.py learn --beginner --rounds 3 --games 60 --nodes 1000 --file games.jsonl": (
        {"--games 60 --nodes 1000": "--games 2 --nodes 20 --jobs 1", "games.jsonl": "lessons.jsonl"},
        3 * LEARNT + WEIGHTS_TABLE),
    "python agon_ai.py learn --rounds 1 --games 20 --nodes 100": (
        {"--games 20 --nodes 100": "--games 3 --nodes 20 --jobs 1"}, LEARNT + WEIGHTS_TABLE),
    "python classroom/climber.py 60 10 1": (
        {"60 10 1": "3 2 1"}, r"( +\d  \[(-?\d, ){6}-?\d\]  [-+]0\.\d\d(  kept)?\n){3}learnt \[(-?\d, ){6}-?\d\]\n"),
    "python anymove.py": ({}, r"wants legal\nagonok\nbestmove a5-(b5|a4)\n"),
    "python -m pytest": ({}, r".*\n=+ 2 passed in [\d.]+s =+\n"),
    'python -m pytest -k "not takes_long"': ({}, r".*\n=+ 1 passed, 1 deselected in [\d.]+s =+\n"),
    "python .ci/mutate.py agon_core.py": (
        {"core.py": "core.py --jobs 2"}, r"unchanged tests: 2 passed in [\d.]+s\n"
        r"agon_core\.py, seed 1: 2 of 2 faults noticed \(100 %\)\n"),
}
#: What is typed into a program that reads, by the command.
TYPED = {"python anymove.py": "agon\nlegal a5-b5 a5-a4\ngo\nquit\n"}
#: A small project in the place of this one, for the commands that would run all tests.
SMALL_PROJECT = {
    "agon_core.py": "def one():\n    return 1\n",
    "test_agon.py": "import agon_core\n\n{takes_long}\n\ndef test_quick():\n    assert agon_core.one() == 1\n\n\n"
                    "@takes_long\ndef test_long():\n    assert agon_core.one() == 1\n"}


def python_block(name: str, words: str) -> str:
    """The only Python program of a text that contains these words."""
    found = [block.text for block in blocks_of(name) if block.language == "python" and words in block.text]
    assert len(found) == 1, (name, words)
    return found[0]


@pytest.fixture(scope="module")
def copied_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program as a teacher copies it, with the players saved beside it that the texts show."""
    folder: Path = tmp_path_factory.mktemp("copy")
    for name in ("agon.py", "agon_core.py", "agon_ai.py"):
        shutil.copy(os.path.join(HERE, name), folder / name)
    shutil.copytree(os.path.join(HERE, "classroom"), folder / "classroom")
    shutil.copy(folder / "classroom" / "players" / "trapper.py", folder / "player.py")
    for player, name, words in (("hopper.py", "README.md", "id name Hopper"),
                                ("anymove.py", LESSONS[0], '"wants legal"'),
                                ("zufall.py", "classroom/anleitung.de.md", '"wants legal"'),
                                ("learned.py", LESSONS[0], "id name Learned")):
        (folder / player).write_text(python_block(name, words), "utf-8")
    (game,) = (block.text for block in blocks_of("README.md") if block.text.startswith("[Format"))
    (folder / "game.agon").write_text(game, "utf-8")
    return folder


@pytest.fixture(scope="module")
def small_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of one function and two tests, with the tool that puts faults into it."""
    folder: Path = tmp_path_factory.mktemp("small")
    (folder / ".ci").mkdir()
    shutil.copy(os.path.join(HERE, ".ci", "mutate.py"), folder / ".ci")
    mark = inspect.getsource(takes_long)
    for name, source in SMALL_PROJECT.items():
        source = source.replace("{takes_long}", "from typing import Callable\n\n\n" + mark)
        (folder / name).write_text(source, "utf-8")
    return folder


def test_every_command_of_the_texts_is_tried_here() -> None:
    found = {line for name in TEXT_FILES for line in lines_of(name) if line.startswith("python")}
    assert found == {*COMMANDS, "python agon.py"}


@takes_long
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_texts_does_what_they_say(copied_folder: Path, small_project: Path, command: str) -> None:
    quicker, expected = COMMANDS[command]
    quick = command
    for slow, instead in quicker.items():
        assert slow in quick
        quick = quick.replace(slow, instead)
    words = shlex.split(quick)
    if words[1] == "agon_ai.py":
        words[1:2] = ["-c", SHORT_GAMES]
    is_about_tests = "pytest" in words or ".ci/mutate.py" in words
    done = subprocess.run([sys.executable, *words[1:]], cwd=small_project if is_about_tests else copied_folder,
                          input=TYPED.get(command, ""), capture_output=True, encoding="utf-8", timeout=240,
                          env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})  # what else is installed says more
    assert done.returncode == 0, done.stderr + done.stdout
    assert re.fullmatch(expected, done.stdout, re.M | re.S), done.stdout
    if "--save" in words:
        name = words[words.index("--save") + 1].replace(".agon", "")
        games = {file: game for file, game in games_of(copied_folder).items() if file.startswith(name + "-")}
        assert sorted(games) == [f"{name}-{pair}-00{number}.agon" for pair in ("1-2", "1-3", "2-3")
                                 for number in (1, 2)]
        assert all(game.outcome() for game in games.values())
    if "--page" in words:
        page = (copied_folder / words[words.index("--page") + 1]).read_text("utf-8")
        assert "Trapper" in page and "anymove.py" in page


@needs_tkinter
@pytest.mark.parametrize("command", ["python agon.py"])
def test_the_command_to_play_opens_the_window(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    opened = []
    monkeypatch.setattr(agon, "App", lambda root, path: opened.append(path))
    monkeypatch.setattr(agon.tk, "Tk", lambda className: types.SimpleNamespace(mainloop=lambda: opened.append("shown")))
    for arguments, path in ((command.split()[1:], ""), (command.split()[1:] + ["a.agon"], "a.agon")):
        opened.clear()
        monkeypatch.setattr(sys, "argv", arguments)
        agon.main()
        assert opened == [path, "shown"]


# --- positions, files and programs -----------------------------------------------

def test_the_positions_of_the_texts_can_be_read() -> None:
    for name in TEXT_FILES:
        found = [line for line in lines_of(name) if not line.startswith("python")]
        assert found
        for line in found:
            assert sorted(str(pos(line)).split()) == sorted(line.split())


def with_added(block: str) -> List[Lesson]:
    """The puzzles of the classroom with a block at their end."""
    return agon_core.lessons_of(agon_core.read_games(text_of("classroom/puzzles.agon") + "\n" + block))


def check_puzzle(block: Block) -> None:
    before, after = with_added(""), with_added(block.text)
    added = after[len(before):]
    assert after[:len(before)] == before and added[-1].kind == "puzzle"
    assert {lesson.theme for lesson in added} <= {lesson.theme for lesson in after if lesson.kind == "theme"}
    assert added[-1].start not in [lesson.start for lesson in before]
    game = Game(added[-1].start)
    good = agon_core.moves_that_reach(added[-1].goals[0], game)
    assert 0 < len(good) < len(game.legal_moves())


def check_game(block: Block) -> None:
    game = Game.from_text(block.text)
    if block.name in LESSONS:
        outcome = game.outcome()
        assert game.length == 24 and outcome and outcome.reason is Ending.RESIGNATION and outcome.winner == BLACK
    else:
        assert " ".join(map(str, game.moves)) == "a5-b5 d1-d2 f1-f2 h1-h2" and not game.outcome()
        remark = {"README.md": "a remark", "classroom/anleitung.de.md": "eine Bemerkung"}[block.name]
        assert game.comments == {2: remark} and game.headers["Black"] == "Computer level 2"
        assert game.rules.queen_first == (block.name == "README.md")


def check_house(block: Block) -> None:
    names_in_it = set(re.findall(r"\b(?:[A-Z][a-z]+)+\b|\b[a-z]+_[a-z]+(?=\()", block.text)) - {"Tk"}
    assert len(names_in_it) >= 15
    for word in names_in_it:
        assert hasattr(agon, word), word


def answers(source: str, *lines: str) -> List[str]:
    """What a player answers to these lines."""
    done = subprocess.run([sys.executable, "-c", source], input="\n".join(lines) + "\n", cwd=HERE, capture_output=True,
                          encoding="utf-8", timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.splitlines()


def lines_told(text: str, times: int = 3) -> List[str]:
    """What the window says to a player in a position, several times."""
    moves = " ".join(map(str, pos(text).legal_moves()))
    return ["agon", "isready", "newgame", "setoption name Seed value 1",
            *[f"position text {text}", f"board {text}", f"legal {moves}", "go movetime 200"] * times, "quit"]


def chosen(source: str, text: str, times: int = 3) -> Set[str]:
    """The moves that a player chooses in a position when it is asked several times."""
    told = answers(source, *lines_told(text, times))
    assert "agonok" in told and told[-times:] == [line for line in told if line.startswith("bestmove ")]
    return {line.split()[1] for line in told[-times:]}


#: Positions of the second lesson: a move that traps two pieces, and the only move that lets nothing be trapped.
DOUBLE_TRAP, ONLY_SAFE_MOVE = "Qc3 e3 f3 f5 / Qf8 d4 e4 h5 w", "Qc5 e6 f4 h4 / Qf3 g6 h3 i4 w"


def check_any_move(block: Block) -> None:
    assert len(chosen(block.text, str(Position.start()), 20)) > 5


def check_hopper(block: Block) -> None:
    moves = [mv(move) for move in chosen(block.text, str(Position.start()), 10)]
    assert len(moves) > 1 and all(Position.start().is_progress(move) for move in moves)


def check_learned(block: Block) -> None:
    moves = [mv(move) for move in chosen(block.text, str(Position.start()), 10)]
    assert len(moves) > 1 and all(Position.start().is_progress(move) for move in moves)
    assert chosen(block.text, DOUBLE_TRAP) == {"f5-e5"}


def check_worth(block: Block) -> None:
    """The function in the place of that of Trapper: the player traps, and of two steps inwards takes the queen's."""
    trapper = text_of("classroom/players/trapper.py")
    source, count = re.subn(r"(?s)def worth.*?\n\n\n", lambda _: block.text + "\n\n", trapper)
    assert count == 1
    assert chosen(source, DOUBLE_TRAP) == {"f5-e5"}
    assert {move.split("-")[0] for move in chosen(source, START_TEXT + " w")} == {"f1"}  # the queen
    assert chosen(source, "Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w") == {"--"}
    is_careful = "danger" in block.text
    assert (chosen(source, ONLY_SAFE_MOVE, 20) == {"h4-g4"}) == is_careful


def check_minimax(block: Block) -> None:
    assert answers(block.text) == ["4 4 [3, 5, 4, 2, 8, 4, 6]", "4 4 [8, 4, 6, 3, 2]"]


def check_chances(block: Block) -> None:
    assert answers(block.text) == ["17.2% 2.8%"]


def check_view(block: Block) -> None:
    assert "assert view" in block.text
    exec(compile(block.text, block.name, "exec"), {})
    with pytest.raises(AssertionError):
        exec(compile(block.text.replace("one step", "two steps"), block.name, "exec"), {})


#: How a block of code is tried, by words that stand in it.
CHECKS: Dict[str, Callable[[Block], None]] = {
    '[Kind "puzzle"]': check_puzzle, "[Format ": check_game, "main ──> App": check_house, "agon.view_of(": check_view,
    'print("wants legal", "agonok"': check_any_move, "id name Hopper": check_hopper, "id name Learned": check_learned,
    "def worth(": check_worth, "def minimax(": check_minimax, "from math import comb": check_chances}


@needs_tkinter
@pytest.mark.parametrize("block", [
    pytest.param(block, id=f"{name}-{number}") for name in TEXT_FILES for number, block in enumerate(blocks_of(name))])
def test_every_example_of_the_texts_does_what_they_say(block: Block) -> None:
    checks = [check for words, check in CHECKS.items() if words in block.text]
    assert len(checks) == 1, block.text
    checks[0](block)


def test_there_are_examples_of_every_kind() -> None:
    texts = [block.text for name in TEXT_FILES for block in blocks_of(name)]
    assert all(any(words in text for text in texts) for words in CHECKS)


def climber() -> types.ModuleType:
    """The program that learns in the fifth lesson."""
    spec = importlib.util.spec_from_file_location("climber", os.path.join(HERE, "classroom", "climber.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_climber_keeps_what_wins_and_forgets_what_loses(monkeypatch: pytest.MonkeyPatch,
                                                        capsys: pytest.CaptureFixture[str]) -> None:
    module = climber()
    monkeypatch.setattr(module, "gain", lambda new, old, games, luck: sum(new) - sum(old))
    numbers = module.learn(30, 10, random.Random(1))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 30 and sum(numbers) > 10 and min(numbers) >= 0
    assert all(line.endswith("kept") == ("+" in line) for line in lines)


def test_climber_gains_by_going_inwards_and_by_trapping() -> None:
    module = climber()
    nothing, inwards = [0] * 7, [6, 5, 4, 3, 2, 1, 0]
    setattr(module, "LONGEST", 40)
    assert module.gain(inwards, nothing, 2, random.Random(1)) > 0.2
    assert -module.gain(nothing, inwards, 2, random.Random(1)) > 0.2
    assert module.choose(pos(DOUBLE_TRAP), [0] * 6 + [1], random) == mv("f5-e5")
    assert module.choose(pos(DOUBLE_TRAP), [0] * 6 + [-1], random) != mv("f5-e5")
    assert module.choose(pos("Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w"), inwards, random) == PASS


# --- the lessons -----------------------------------------------------------------

def skeleton(name: str) -> List[str]:
    """What both lesson files must have alike: headings, tables, lists, code, and the moves and cells in every part."""
    found = []
    for line in FENCE.sub("", text_of(name)).split("\n"):
        heading, item, row = re.match("#+", line), re.match(r" *(\d+\.|-) ", line), line.strip().startswith("|")
        if heading:
            found.append(heading.group())
        elif row:
            found.append(" | ".join(cell if re.search(r"\d", cell) else "" for cell in line.split("|")[:2]) +
                         str(line.count("|")))
        elif item:
            found.append(item.group())
    for part in re.split(r"\n##+ ", text_of(name)):
        on_one_line = " ".join(FENCE.sub("", part).split())
        words = sorted(re.findall(r"`[^`]+`|\b[a-l]\d+(?:-[a-l]\d+)?\b|\bF\d+\b", on_one_line))
        found.append(" ".join(words).replace("anleitung.de.md", "README.md"))
        found.append(str(len(re.findall(r"(?<![*\w])\*(?![*\s])[^*]+\*(?!\*)", part))))
    return found


def test_both_lesson_files_have_the_same_structure() -> None:
    german, english = LESSONS
    assert skeleton(german) == skeleton(english)
    assert skeleton(german).count("##") == 5 and skeleton(german).count("###") == 10
    assert [block.text for block in blocks_of(german)] == [block.text for block in blocks_of(english)]
    assert lines_of(german) == lines_of(english)
    assert text_of(german).count("**Ziele**") == text_of(english).count("**Aims**") == 5


def test_every_lesson_fills_its_45_minutes() -> None:
    for name in LESSONS:
        for lesson in text_of(name).split("\n## ")[1:]:
            times = [int(minute) for row in re.findall(r"\| (\d+–\d+) \|", lesson) for minute in row.split("–")]
            assert times[0] == 0 and times[-1] == 45 and len(times) >= 10
            assert times[1:-1:2] == times[2::2] and times == sorted(times)


def says(lesson: int, *words: object) -> None:
    """Both files say all of this in the solutions of a lesson."""
    for name in LESSONS:
        solutions = section(name, lesson, 2)
        for word in words:
            assert re.search(rf"(?<![\w-]){re.escape(str(word))}(?![\w-])", solutions), (name, lesson, word)


def test_the_solutions_of_the_first_lesson_are_right() -> None:
    sizes = collections.Counter(ring for ring in agon_core.RING if ring is not None)
    assert sizes == {0: 1, **{number: 6 * number for number in range(1, 6)}}
    moves = collections.Counter(move.source for move in Position.start().legal_moves() if move.source is not None)
    assert moves == {cell: 3 if Position.start().is_queen(cell) else 4 for cell in moves} and len(moves) == 7
    alone = Game(pos("Qf1 a5 b1 d9 h9 k1 l5 / Qf11 w"))
    ways = dict(re.findall(r"\b([a-l]\d+) (?:to|nach) ([a-l]\d+)\b", section(LESSONS[1], 1, 2)))
    assert ways == dict(re.findall(r"\b([a-l]\d+) (?:to|nach) ([a-l]\d+)\b", section(LESSONS[0], 1, 2)))
    for source, target in [("f1", "f6"), *ways.items()]:  # straight on, without a sideways step, queen first
        while source != target:
            steps = [move for move in alone.position.legal_moves()
                     if cell_name(move.source or 0) == source and alone.position.is_progress(move)]
            best = min(steps, key=lambda move: math.dist(agon_core.axial(move.target or 0),
                                                         agon_core.axial(parse_cell(target))))
            alone.play(best)
            source = cell_name(best.target or 0)
            if not alone.outcome():
                alone = Game(alone.position.with_turn(WHITE))
    outcome = alone.outcome()
    assert len(ways) == 6 and outcome and outcome.reason is Ending.THRONE
    trapped = pos("Qf2 e5 h4 / Qf10 e4 e6 a2 a4 w")
    assert names(trapped.trapped()) == ["e5"] and names(trapped.enclosers(parse_cell("e5"))) == ["e4", "e6"]
    free = [cell for cell in CELLS if agon_core.RING[cell] == 5 and trapped.side_at(cell) is None]
    allowed = [move.target for move in trapped.legal_moves()]
    assert names(sorted(set(free) - set(allowed))) == ["a3"] and set(allowed) < set(free)
    exception = pos("Qf2 d5 e3 e7 / Qf10 e4 e6 k7 w")
    assert names(exception.newly_trapped(mv("d5-e5"))) == ["e4", "e6"]
    without = exception.without_piece(parse_cell("e7"))
    assert without.refusal(mv("d5-e5")) is Refusal.SELF_ENCLOSURE and names(without.causes(mv("d5-e5"))) == ["e4", "e6"]
    says(1, f"= {len(CELLS)}", f"6 · 4 + 3 = {sum(moves.values())}", f"6 · 4 + 5 = {6 * 4 + 5}", len(allowed), "a3")


def test_the_solutions_of_the_second_lesson_are_right() -> None:
    start = pos(DOUBLE_TRAP)
    traps = {str(move): names(start.newly_trapped(move)) for move in start.legal_moves()}
    assert {move: cells for move, cells in traps.items() if cells} == {
        "c3-d3": ["e4"], "e3-d3": ["e4"], "f5-e5": ["d4", "e4"]}
    start = pos(ONLY_SAFE_MOVE)
    assert not any(map(start.newly_trapped, start.legal_moves()))
    assert names(start.with_turn(BLACK).newly_trapped(mv("i4-h5"))) == ["h4"]
    safe = [str(move) for move in start.legal_moves()
            if not any(map(start.play(move).newly_trapped, start.play(move).legal_moves()))]
    assert safe == ["h4-g4"] and names(start.play(mv("h4-g5")).newly_trapped(mv("h3-g4"))) == ["g5"]
    game = Game(pos("Qf6 d5 e5 e6 f5 g5 g6 / Qi3 c2 c4 e3 e7 g3 h6 w"))
    assert forced_wins(game) == ["e6-f7"]
    game.play(mv("e6-f7"))
    assert game.refusal(mv("e7-e6")) is Refusal.SELF_ENCLOSURE and names(game.causes(mv("e7-e6"))) == ["d5", "f7"]
    assert forced_wins(Game(game.position.with_turn(WHITE)), 1) == ["d5-e6"]
    (text,) = [block.text for block in blocks_of(LESSONS[0]) if "[Result" in block.text]
    played_game = Game.from_text(text)
    before = played_game.positions[18]
    bad = {}
    for move in before.legal_moves():
        after = before.play(move)
        bad[str(move)] = [str(reply) for reply in after.legal_moves() if after.newly_trapped(reply)]
    assert {move for move, replies in bad.items() if replies} == {"c5-d5", "k1-i2", "b1-c2"}
    assert bad["c5-d5"] == ["b3-c4"] and agon_core.RING[parse_cell("c2")] == 4
    assert str(played_game.moves[18]) == "c5-d5" and played_game.numbered(18) == "10. c5-d5"
    assert agon_core.RING[parse_cell("d5")] == 2 and names(played_game.positions[20].enclosers(parse_cell("d5"))) == [
        "c4", "e6"]
    says(2, len(bad), len(bad) - 3, *safe, "10. c5-d5", "b3-c4", "e6-f7", "d5-e6", "f5-e5")


def forced_wins(game: Game, moves: int = 2) -> List[str]:
    """The moves that win in so many own moves, whatever the other side does."""
    found = []
    for move in game.legal_moves():
        game.play(move)
        outcome = game.outcome()
        if outcome:
            wins = outcome.reason is Ending.THRONE
        else:
            wins = moves > 1 and all(after_reply(game, reply, moves) for reply in game.legal_moves())
        if wins:
            found.append(str(move))
        game.undo()
    return found


def after_reply(game: Game, reply: Move, moves: int) -> bool:
    """Whether the side to move before a reply can still win in time after it."""
    game.play(reply)
    wins = not game.outcome() and bool(forced_wins(game, moves - 1))
    game.undo()
    return wins


def test_the_solutions_of_the_third_lesson_are_right() -> None:
    small = pos("Qf6 d6 / Qg6 g5 h6 w")
    lines, plain, pruned = agon_ai.tree_lines(small, 2)
    assert {line.move: len(line.left_out) for line in lines if line.left_out} == {"d6-d5": 3, "d6-e7": 3}
    assert lines[0].best == "d6-e6" and plain == 16 and pruned == 10
    assert [len(small.play(move).legal_moves()) for move in small.legal_moves()] == [4] * 3
    assert [line.move for line in lines if line.path in ("0.2.1", "0.3.1")] == ["h6-g7"] * 2
    worst = min(line.value for line in lines if line.path.startswith("0.1."))
    assert all(line.value < worst for line in lines if line.path in ("0.2.1", "0.3.1"))
    counts = [perft(Position.start(), depth) for depth in range(4)]
    says(3, f"{plain} = 1 + 3 + 12", pruned, f"{sum(counts[:3])} = 1 + 27 + 713", "18 417")
    assert counts == [1, 27, 713, 18417]
    for name in LESSONS:
        exercises = section(name, 3, 1)
        assert f"{sum(counts):,}".replace(",", " ") in exercises and str(sum(counts[:3])) in exercises
    assert round(counts[3] / counts[2]) == round(counts[2] / counts[1]) == 26
    seconds = 26 ** 8 / 100_000
    assert 1.9e6 < seconds < 2.2e6 and seconds > 21 * 86_400 and 0.8e6 < 2 * 26 ** 4 < 1.1e6


def test_the_solutions_of_the_fifth_lesson_are_right() -> None:
    numbers = [4, 2, 1, 1, -2, -3, 1]
    for name in LESSONS:
        assert ", ".join(map(str, numbers[:6])) in section(name, 5, 1)
    assert f"NUMBERS = {numbers}" in python_block(LESSONS[0], "id name Learned")
    says(5, f"1 - (-2) = {numbers[3] - numbers[4]}", f"1 - 1 = {numbers[2] - numbers[3]}",
         f"0 + 2 · 1 = {2 * numbers[6]}")
    assert "17,2 % und 2,8 %" in section(LESSONS[0], 5, 2) and "17.2 % and 2.8 %" in section(LESSONS[1], 5, 2)
    assert climber().LONGEST == 150
    says(5, "150")


# --- the project -----------------------------------------------------------------

def test_the_first_screen_of_the_readme_has_a_picture_a_command_and_the_german_instructions() -> None:
    first_screen = text_of("README.md").split("\n## ")[0].splitlines()
    assert "    python agon.py" in first_screen and len(first_screen) <= 15
    assert any(line.startswith("![") for line in first_screen)
    assert any("Deutsch" in line and "classroom/anleitung.de.md" in line for line in first_screen)


def test_the_tour_has_as_many_pages_as_the_texts_say() -> None:
    assert len(lessons("tour.agon")) == 14
    assert "fourteen pages" in text_of("README.md") and "vierzehn Seiten" in text_of("classroom/anleitung.de.md")


def test_the_project_is_the_five_files_and_little_else() -> None:
    here = {name for name in os.listdir(HERE) if not name.startswith(".") and name != "__pycache__"}
    assert here == {"agon.py", "agon_core.py", "agon_ai.py", "test_agon.py", "README.md", "classroom", "docs"}


# --- halves ----------------------------------------------------------------------
# The tests of real windows are found by `-k real_window`, all others by `-k "not real_window"`.

for _test in [value for _name, value in list(globals().items()) if _name.startswith("test_")]:
    if {"window", "opener"} & set(inspect.signature(_test).parameters):
        _test.real_window = True
