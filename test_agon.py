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
    11. The window: moving pieces
    12. The window: everything else
    13. The classroom: tour, puzzles, set-up, own programs, paper
    14. Nothing breaks it
    15. What the README says is true
"""

import ast
import collections
import doctest
import errno
import functools
import importlib.util
import itertools
import json
import math
import os
import pickle
import random
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
import types
import xml.etree.ElementTree
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import pytest

import agon_ai
import agon_core
from agon_core import (
    BLACK, CELLS, DEFAULT_RULES, PASS, START_TEXT, THRONE, WHITE, AgonError, Diagram, Ending, Game, IllegalMove, Layout,
    Lesson, Move, Outcome, Position, Refusal, Rules, cell_name, parse_cell, perft)

try:
    import agon
except SystemExit:  # no tkinter here; the tests of the window say so
    agon = None  # type: ignore[assignment]

HERE = os.path.dirname(os.path.abspath(__file__))

# === 1. Helpers, and a slow second implementation of the rules ===================


def takes_long(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test of several seconds; `python -m pytest -k "not takes_long"` leaves such tests out.

    (-k looks at a test's attributes, too.  A mark of pytest's own would have to be named in a file of settings.)
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


def encloses_itself(board: Board, source: XY, target: XY) -> bool:
    """Whether the piece would stand between two enemies without enclosing both of them."""
    side = board[source].lower()
    rest = {cell: letter for cell, letter in board.items() if cell != source}
    return any(not owner(rest.get(moved(target, step, 2))) == side == owner(rest.get(moved(target, step, -2)))
               for step in squeezing(rest, target, other(side)))


def slow_changes(board: Board, side: str, rules: Rules) -> List[Tuple[XY, XY]]:
    """Steps or relocations; neither passes nor the end of the game."""
    mine = [cell for cell in board if owner(board[cell]) == side]
    trapped = slow_trapped(board, side)
    trapped_queen = [cell for cell in trapped if board[cell].isupper()]
    if rules.queen_first and trapped_queen:
        trapped = trapped_queen
    moves = []
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
                  if target not in board and not encloses_itself(board, source, target)]
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
    return sorted(f"{name(a)}-{name(b)}" for a, b in slow_changes(board, side, rules)) or ["--"]


def slow_play(board: Board, move: str) -> Board:
    if move == "--":
        return board
    source, target = (CALLED[word] for word in move.split("-"))
    return {**{cell: letter for cell, letter in board.items() if cell != source}, target: board[source]}


def slow_describe(board: Board, side: str, move: str, rules: Rules) -> str:
    if move == "--":
        return move
    after = slow_play(board, move)
    if slow_trapped(board, side):
        move = move.replace("-", "*")
    queen = "Q" if board[CALLED[move.replace("*", "-").split("-")[0]]].isupper() else ""
    end = slow_outcome(after, rules)
    fresh = set(slow_trapped(after, other(side))) - set(slow_trapped(board, other(side)))
    return queen + move + ("#" if end and end[0] == side else "+" if fresh else "")


def slow_perft(board: Board, side: str, depth: int) -> int:
    moves = slow_legal(board, side)
    if depth == 1:
        return len(moves)
    return sum(slow_perft(slow_play(board, move), other(side), depth - 1) for move in moves)


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
]


@pytest.mark.parametrize("text, move, refusal, causes", REFUSALS, ids=[
    f"{row[2].name}-{row[1]}" for row in REFUSALS])
def test_each_refusal_comes_with_the_cells_that_cause_it(
        text: str, move: str, refusal: Refusal, causes: str) -> None:
    assert pos(text).refusal(mv(move)) is refusal
    assert " ".join(names(pos(text).causes(mv(move)))) == causes


def test_with_queen_first_the_trapped_queen_causes_the_refusal() -> None:
    position = pos(BOTH_TRAPPED)
    assert position.refusal(mv("e5-a1"), QUEEN_FIRST) is Refusal.QUEEN_FIRST
    assert names(position.causes(mv("e5-a1"), QUEEN_FIRST)) == ["g4"]
    assert position.refusal(mv("a5-b5"), QUEEN_FIRST) is Refusal.TRAPPED_FIRST
    assert names(position.causes(mv("a5-b5"), QUEEN_FIRST)) == ["g4"]


def test_every_refusal_has_an_example_here() -> None:
    assert {row[2] for row in REFUSALS} | {Refusal.QUEEN_FIRST} == set(Refusal)


def test_a_legal_move_has_no_refusal_and_no_causes() -> None:
    assert Position.start().refusal(mv("f1-f2")) is None
    assert Position.start().causes(mv("f1-f2")) == []


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


def test_what_a_killed_program_left_behind_is_removed_and_nothing_else(tmp_path: "os.PathLike[str]") -> None:
    path = os.path.join(tmp_path, "autosave.agon")
    left = ["autosave.ago.0123abcd.tmp", "autosave.agon.4711.tmp"]
    others = ["autosave-2.a.0123abcd.tmp", "autosave.agon", "autosave.ago.tmp", "settings.jso.0123abcd.tmp"]
    for name in left + others:
        with open(os.path.join(tmp_path, name), "wb"):
            pass
    agon_core.remove_leftovers(path)
    assert sorted(os.listdir(tmp_path)) == sorted(others)
    agon_core.remove_leftovers(os.path.join(tmp_path, "no such folder", "x.agon"))


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
    agon_core.remove_leftovers(path)
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
    ("win", "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 w", "h5-g6", "h5-h6"),
    ("win", "Qf4 e5 e6 f5 f7 g5 h5 / Qf11 w", "", "h5-g6")]


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
    assert kinds["puzzles.agon"]["puzzle"] >= 28 and set(kinds["puzzles.agon"]) == {"puzzle", "theme"}
    assert set(kinds["rules.agon"]) == {"rules"}


@pytest.mark.parametrize("name", classroom_files())
def test_every_text_of_the_classroom_is_there_in_both_languages_and_fits_its_page(name: str) -> None:
    for lesson in lessons(name):
        for texts in (lesson.title, lesson.text, lesson.task, lesson.praise, lesson.wrong):
            assert set(texts) in (set(), {"de", "en"})
            assert all(text == " ".join(text.split()) and len(text) < 600 for text in texts.values()), texts
            assert not texts or texts["de"] != texts["en"]
        assert lesson.theme or lesson.kind in ("tour", "rules")
    titles = [lesson.title["de"] for lesson in lessons(name) if lesson.title]
    assert len(set(titles)) == len(titles)


def test_every_page_of_the_tour_is_a_running_game_of_white() -> None:
    for lesson in lessons("tour.agon"):
        assert lesson.start.turn == WHITE and Game(lesson.start).outcome() is None
        assert bool(lesson.goals) == bool(lesson.task)
        assert bool(lesson.goals) == (lesson != lessons("tour.agon")[-1])


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


def test_puzzles_of_one_move_have_a_solution_and_those_of_more_need_more() -> None:
    for lesson in lessons("puzzles.agon"):
        if lesson.kind == "puzzle":
            game = Game(lesson.start)
            good = agon_core.moves_that_reach(lesson.goals[0], game)
            assert bool(good) == (lesson.moves == 1) and len(good) < len(game.legal_moves()), str(lesson.start)


def test_the_readme_of_the_classroom_names_every_header_and_every_goal() -> None:
    with open(os.path.join(CLASSROOM, "README.txt"), encoding="utf-8") as file:
        german, english = file.read().split("ENGLISH")
    for part in (german, english):
        for word in (*agon_core.KINDS, "Kind", "Title", "Text", "Task", "Praise", "Wrong", "Goal", "Reply", "Moves",
                     "Theme", "Picture", "Position", *(goal for goal in agon_core.GOALS if "refused" not in goal)):
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


@pytest.mark.parametrize("size", LAYOUT_SIZES)
@pytest.mark.parametrize("flipped", [False, True])
def test_board_letters_and_rank_numbers_lie_on_the_canvas_and_apart(size: Tuple[int, int], flipped: bool) -> None:
    layout = Layout.fit(*size, flipped, agon_core.RANK_MARGIN)
    places = [*layout.letters().values(), *layout.ranks().values()]
    half = 0.25 * layout.size
    corners = [(corner[0], corner[1]) for cell in CELLS
               for corner in (layout.corners(cell)[first:first + 2] for first in range(0, 12, 2))]
    for x, y in corners + [(x + dx, y + dy) for x, y in places for dx in (-half, half) for dy in (-half, half)]:
        assert 0 <= x <= size[0] and 0 <= y <= size[1]
    assert all(layout.cell_at(x, y) is None for x, y in [*places, (1, 1)])
    assert all(math.hypot(x1 - x2, y1 - y2) > layout.size
               for number, (x1, y1) in enumerate(places) for x2, y2 in places[:number])


@pytest.mark.parametrize("size", [(400, 300), (300, 400), (1000, 1000), (900, 1100), (1000, 950)])
@pytest.mark.parametrize("side", [agon_core.MARGIN, agon_core.RANK_MARGIN])
@pytest.mark.parametrize("flipped", [False, True])
def test_the_board_is_as_large_as_its_margins_allow(size: Tuple[int, int], side: float, flipped: bool) -> None:
    layout = Layout.fit(*size, flipped, side)
    corners = [corner for cell in CELLS for corner in layout.corners(cell)]
    left, top = min(corners[::2]), min(corners[1::2])
    right, bottom = size[0] - max(corners[::2]), size[1] - max(corners[1::2])
    letters, bare = (top, bottom) if flipped else (bottom, top)  # the letters stand at White's end
    assert left == pytest.approx(right) and letters - bare == pytest.approx(agon_core.LETTER_MARGIN * layout.size)
    spare = left - side * layout.size, bare - agon_core.MARGIN * layout.size
    assert min(spare) == pytest.approx(0, abs=1e-6)


def test_a_board_without_room_keeps_a_least_size() -> None:
    assert Layout.fit(1, 1).size == Layout.fit(0, 500).size == 4


def test_letters_and_numbers_stand_at_the_ends_of_their_files_and_ranks() -> None:
    for flipped in (False, True):
        layout = Layout.fit(700, 700, flipped)
        assert list(layout.letters()) == list(agon_core.FILES) and list(layout.ranks()) == list(range(1, 12))
        for letter, (x, y) in layout.letters().items():
            file_end = layout.centre(parse_cell(f"{letter}1"))
            assert x == file_end[0]
            assert y == pytest.approx(file_end[1] + (-1 if flipped else 1) * 1.36 * layout.size)
        for rank, (x, y) in layout.ranks().items():
            row = [layout.centre(cell) for cell in CELLS if cell_name(cell)[1:] == str(rank)]
            left = min(row)
            assert left[0] - 1.4 * layout.size < x < left[0] - layout.size
            assert abs(y - left[1]) < 0.7 * layout.size


def test_the_board_is_as_large_as_its_numbers_say() -> None:
    layout = Layout(10, 0, 0)
    corners = [layout.corners(cell) for cell in CELLS]
    xs, ys = [x for points in corners for x in points[::2]], [y for points in corners for y in points[1::2]]
    assert max(xs) - min(xs) == pytest.approx(10 * agon_core.BOARD_WIDTH)
    assert max(ys) - min(ys) == pytest.approx(10 * agon_core.BOARD_HEIGHT)


def test_wedges_press_on_a_piece_from_the_cells_that_enclose_it() -> None:
    layout, cell = Layout(10, 0, 0), parse_cell("e5")
    middle = complex(*layout.centre(cell))
    for line in agon_core.LINES:
        sources = [cell + line, cell - line]
        flat = layout.wedges(cell, sources)
        points = [complex(x, y) - middle for x, y in zip(flat[::2], flat[1::2])]
        first, second = (complex(*layout.centre(source)) - middle for source in sources)
        tips = [5.8 * way / abs(way) for way in (first, second)]
        assert sum(abs(point - tips[0]) < 1e-9 for point in points) >= 2  # each wedge is closed at its tip
        assert sum(abs(point - tips[1]) < 1e-9 for point in points) >= 2
        backs = [point for point in points if min(abs(point - tip) for tip in tips) > 1e-9]
        assert len(backs) == 4 and all(abs(point) < 10 and abs(point) > 8 for point in backs)
        assert sum(backs) == pytest.approx(0)


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
    white, black = count(root, "circle", fill="url(#white)"), count(root, "circle", fill="url(#black)")
    assert white == black == 1 + 6 * 2  # a queen's disc, and of each guard the disc and its middle
    assert count(root, "polygon", fill="#000000") == 30 + 1  # the frame's hexagons, the white queen's crown
    assert count(root, "circle", fill="#000000") == 14 + 6 + 3  # rims, rings of the white guards, balls of the crown
    texts = [item.text for item in root.iter(SVG + "text")]
    assert texts == [*"abcdefghikl", *map(str, range(1, 12)), "1. <a5> & b5"]


def test_rings_can_be_told_apart_on_paper() -> None:
    rings = agon_core.PRINT.rings
    assert all(rings[number] != rings[number + 1] for number in range(5))
    root = drawn(Diagram(pos("/ w")))
    assert count(root, "polygon", fill=rings[1], stroke="#808080") == 6 + 18 + 30
    assert count(root, "polygon", fill=rings[2], stroke="#808080") == 12 + 24


def test_marks_of_a_diagram_are_drawn_only_where_they_are_asked_for() -> None:
    position = pos("Qf1 e5 / Qf11 e4 e6 w")
    plain = drawn(Diagram(position))
    assert count(plain, "line") == 0 and count(plain, "polygon", fill="none") == 0
    marked = drawn(Diagram(position, last=mv("d6-e6"), shows_trapped=True, arrows=(mv("e5-a1"), mv("e5-b1"))))
    assert count(marked, "line") == 3
    assert count(marked, "polygon", fill="none", stroke="#000000") == 1  # round the trapped guard
    assert count(marked, "polygon", fill="#000000") == count(plain, "polygon", fill="#000000") + 1 + 2  # wedges, heads
    assert count(drawn(Diagram(position, last=PASS)), "line") == 0


def test_a_diagram_has_cells_of_its_size_and_its_caption_below_in_the_middle() -> None:
    root = drawn(Diagram(Position.start(), "caption"), Diagram(Position.start(), "second"))
    cells = [item for item in root.iter(SVG + "polygon") if item.get("stroke") == agon_core.PRINT.edge]
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


def test_the_parts_of_a_piece_lie_inside_each_other_and_the_cell() -> None:
    rim, *rest = agon_core.PIECE_SHAPES
    assert rim[:3] == (0, 0, 1) and agon_core.PIECE_DIAMETER < agon_core.ROOT3
    for guard in agon_core.PIECE_SHAPES + agon_core.GUARD_SHAPES:
        assert guard[:2] == (0, 0) and 0 < guard.radius <= 1
    radii = [shape.radius for shape in agon_core.PIECE_SHAPES + agon_core.GUARD_SHAPES]
    assert radii == sorted(radii, reverse=True) and len(set(radii)) == len(radii)
    crown, *balls = agon_core.QUEEN_SHAPES
    assert sorted(crown.points) == sorted((-x if x else 0, y) for x, y in crown.points)
    assert sorted(ball[:3] for ball in balls) == sorted((-ball.x if ball.x else 0, *ball[1:3]) for ball in balls)
    for x, y in crown.points + tuple((x, y - radius) for x, y, radius, _ in balls):
        assert math.hypot(x, y) < rest[0].radius


@pytest.mark.parametrize("shape", [*agon_core.STAR, agon_core.CROSS, agon_core.WEDGE, agon_core.HEXAGON])
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
    assert tops[0]["url(#white)"] > tops[0]["url(#black)"] and tops[1]["url(#white)"] < tops[1]["url(#black)"]


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


def test_fast_and_slow_rules_agree() -> None:
    rng = random.Random(2)
    for position, rules in positions()[::3]:
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
            assert str(after) == write_board(slow_play(board, text), other(side)), where
            assert position.describe(move, rules) == slow_describe(board, side, text, rules), where
            assert mv(position.describe(move, rules)) == move, where
            fresh = set(after.trapped()) - set(position.with_turn(after.turn).trapped())
            assert position.newly_trapped(move) == sorted(fresh, key=cell_name), where


def test_refusal_is_none_exactly_for_the_legal_moves() -> None:
    rng = random.Random(3)
    ends = [pair for pair in positions() if pair[0].outcome(pair[1])]
    trapped = [pair for pair in positions() if len(pair[0].trapped()) > 1]
    chosen = rng.sample(ends, 4) + rng.sample(trapped, 20) + rng.sample(positions(), 30)
    chosen += [(pos(case.position), DEFAULT_RULES) for case in CASES[:14]]
    for number, (position, rules) in enumerate(chosen):
        sources = CELLS if number % 10 == 0 else list(agon_core.cells_of(position.own | position.enemy))
        pairs = [PASS] + [Move(source, target) for source in sources for target in CELLS]
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

def imported(file_name: str) -> List[str]:
    """The top-level modules a file imports, anywhere in it."""
    path = os.path.join(HERE, file_name)
    if not os.path.exists(path):
        pytest.skip(f"no {file_name} yet")
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    modules = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules.append(node.module or ".")
    return sorted({module.split(".")[0] for module in modules})


def test_the_rules_import_nothing_but_a_little_of_the_standard_library() -> None:
    assert set(imported("agon_core.py")) <= {
        "enum", "functools", "html", "math", "os", "re", "stat", "textwrap", "time", "typing"}


def test_the_engine_never_imports_the_window() -> None:
    assert not {"tkinter", "agon"} & set(imported("agon_ai.py"))


def test_the_examples_in_the_rules_library_are_true() -> None:
    results = doctest.testmod(agon_core)
    assert results.attempted > 3
    assert results.failed == 0


# === 10. The computer player =====================================================

ENGINE = [sys.executable, agon_ai.__file__, "serve"]
START = str(Position.start())
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
        if event in ("call", "line"):
            first = frame.f_code.co_firstlineno + 1  # behind the decorator
            number = 0 if event == "call" else frame.f_lineno - first
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
    assert agon_ai.search(game, depth=depth, tricks=agon_ai.PLAIN).score == agon_ai.negamax(game.position, depth)


@pytest.mark.parametrize("text", RANDOM_TEXTS[:4])
def test_the_plain_search_finds_the_value_of_minimax_at_depth_3(text):
    game = game_at(text)
    found = agon_ai.search(game, depth=3, tricks=agon_ai.PLAIN).score
    assert found == of_the_mover(agon_ai.alpha_beta(game.position, 3).value, game.position)


@pytest.mark.parametrize("trick", ["table", "scout", "ordering"])
@pytest.mark.parametrize("text", RANDOM_TEXTS[:6])
def test_a_sound_trick_never_changes_the_value(trick, text):
    game = game_at(text)
    tricky = agon_ai.PLAIN._replace(**{trick: True})
    assert agon_ai.search(game, depth=3, tricks=tricky).score == agon_ai.search(game, depth=3, tricks=agon_ai.PLAIN).score


def nodes_to_depth_4(tricks):
    """How many positions the search looks at in four positions of `bench`, with weights that are not learnt anew."""
    return sum(agon_ai.search(game_at(text), depth=4, tricks=tricks, weights=agon_ai.SIMPLE).nodes
               for text in agon_ai.BENCH_POSITIONS[1:5])


def test_each_trick_saves_nodes_and_all_together_save_most():
    with_all, plain = nodes_to_depth_4(agon_ai.Tricks()), nodes_to_depth_4(agon_ai.PLAIN)
    for trick, saved in (("table", 1.3), ("scout", 2), ("ordering", 1.15), ("reductions", 2)):
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
    total["tempo", 0] += 1
    trapped = slow_trapped(board, side)
    for cell in trapped:
        total["trapped", KINDS_IN_ORDER.index(kind_of(cell))] += board[cell] == side
        total["trapped_queen", ring(cell)] += board[cell] == side.upper()
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
    ("Qf1 / Qf11 w", {("tempo", 0): 1}),
    ("d4 e4 a5 / w", {("guard", 2): 1, ("guard", 3): 1, ("guard", 10): 1}),
    ("Qf6 f7 g7 / w", {("queen", 0): 1, ("escort", 0): 1, ("beside", 0): 1, ("last", 2): 1, ("second", 1): 1}),
    ("Qf6 f7 g6 f5 / w", {("seated", 6): 1, ("escort", 0): 3}), ("Qf4 f7 f5 / w", {("waiting", 2): 1}),
    ("a1 / w", {("unaimed", 0): -1, ("reach", 1): 3}),
    ("d4 / d3 d5 w", {("trapped", 2): 1}), ("Qd4 / d3 d5 w", {("trapped_queen", 2): 1}),
    ("d3 c5 / d4 w", {("threat", 2): 1}), ("c3 f3 / d4 w", {("threat", 2): 0}), ("d4 / d3 c5 w", {("danger", 2): 1})])
def test_what_is_counted_of_a_few_pieces(text, terms):
    found = agon_ai.counts(pos(text))
    assert {term: found[term] for term in terms} == terms


#: Small positions with all their counts: what is White's, less what is Black's.
COUNTED = {
    # Two guards side by side on ring 1 leave four goals without a guard aiming at them; a1 is in line with one goal.
    "e6 f7 / a1 w": "guard1 2, guard9 -1, beside0 1, reach0 3, reach1 -3, last1 1, last5 -1, second1 1, unaimed -1, "
                    "waiting4 1, waiting0 -1, tempo 1",
    # A queen on the throne beside three guards in a row, two pairs of them.
    "Qf6 e6 f7 g6 / Qa1 e3 b1 w": "guard1 3, guard5 -1, guard10 -1, queen0 1, queen9 -1, escort 2, beside0 2, reach0 -2, "
                                  "reach1 -4, last1 1, last5 -1, second1 1, second3 -1, unaimed -1, seated7 1, "
                                  "waiting0 -1, tempo 1",
    # e5 and g6 are opposite each other across the throne.
    "Qf6 e6 g5 / Qf1 w": "guard1 2, queen0 1, queen9 -1, escort 2, reach0 4, reach1 -3, last1 1, second1 1, unaimed -2, "
                         "seated2 1, waiting0 -1, tempo 1",
    # A pair on ring 5; on ring 4 and 5 none side by side.
    "a5 a6 / l6 f2 w": "guard10 1, guard6 -1, beside1 1, reach0 -1, reach1 -1, second5 1, second4 -1, tempo 1",
    # f4 stands between f3 and f5.
    "f4 / f3 f5 w": "guard2 1, guard1 -1, guard4 -1, reach0 -3, last2 1, last3 -1, second1 -1, waiting0 1, waiting1 -1, "
                    "detour -1, tempo 1, trapped2 1",
    "Qf4 a1 / f3 f5 w": "guard9 1, guard1 -1, guard4 -1, queen2 1, reach0 -3, reach1 3, last5 1, last3 -1, second1 -1, "
                        "waiting0 1, waiting1 -1, detour -1, tempo 1, trapped_queen2 1",
    # e3-f3 would enclose f4.
    "e3 f5 / f4 b1 w": "guard1 1, guard5 1, guard2 -1, guard10 -1, reach0 4, reach1 -4, last3 1, last5 -1, second1 1, "
                       "second2 -1, waiting1 1, waiting0 -1, tempo 1, threat2 1",
    "f4 b1 / e3 f5 w": "guard2 1, guard10 1, guard1 -1, guard5 -1, reach0 -4, reach1 4, last5 1, last3 -1, second2 1, "
                       "second1 -1, waiting0 1, waiting1 -1, tempo 1, danger2 1",
    # f2-f3 would enclose f4, but f3 lies between e3 and g2: no piece may go there.
    "f2 f5 / f4 e3 g2 w": "guard1 1, guard6 1, guard2 -1, guard5 -1, guard7 -1, beside0 -1, reach0 -2, second1 1, "
                          "second3 -1, unaimed 2, detour 1, waiting1 1, waiting0 -1, tempo 1",
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
    of_the_mover = {"tempo", "threat", "danger", "trapped", "trapped_queen"}
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
        searcher = agon_ai.Searcher(Game(position), depth=2, tricks=agon_ai.PLAIN)

        def frontier(alpha, beta):
            return searcher.frontier(position.own, position.enemy, position.queens, alpha, beta, 0, 0)[0]

        assert frontier(-agon_ai.INFINITY, agon_ai.INFINITY) == best, str(position)
        for alpha in (best - 40, best - 1, best, best + 40):
            bound = frontier(alpha, alpha + 1)
            assert alpha < bound <= best if best > alpha else best <= bound <= alpha, str(position)
    assert with_trapped >= 4


# -- results --

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
    analysis = agon_ai.search(Game(), nodes=20_000, on_info=reports.append)
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
    analysis = agon_ai.search(game, depth=2, multipv=99, tricks=agon_ai.PLAIN)
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
SOUND = agon_ai.PLAIN._replace(table=True, scout=True, ordering=True)


@pytest.mark.parametrize("tricks", [agon_ai.PLAIN, SOUND], ids=["plain", "with sound tricks"])
def test_the_search_knows_which_returns_are_draws(tricks):
    assert sum(max(collections.Counter(game.positions).values()) == 2 for game in SHUFFLING_GAMES) > 5
    for game in SHUFFLING_GAMES:
        for depth in (1, 2):
            assert agon_ai.search(game, depth=depth, tricks=tricks).score == slow_search(game, depth), game.to_text()


@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize("tricks", [agon_ai.PLAIN, SOUND], ids=["plain", "with sound tricks"])
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
        assert agon_ai.search(game, depth=depth, tricks=agon_ai.PLAIN).score == slow_search(game, depth)


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


def test_a_table_entry_holds_on_every_path_and_at_every_ply():
    """A score that came from a draw by repetition holds only on its path, a distance to a win only from its ply."""
    for text in ("Qg6 f5 e6 / Qf8 d5 g4 w", "Qf7 f5 / e4 Qg8 b", "Qf6 e6 f5 f4 g5 g6 d6 / Qf9 b4 c3 w"):
        depth = 6 if text.startswith("Qf7") else 5
        with_table = agon_ai.PLAIN._replace(table=True, scout=True, ordering=True)
        without = with_table._replace(table=False)
        game = game_at(text)
        assert agon_ai.search(game, depth=depth, tricks=with_table).score == agon_ai.search(
            game, depth=depth, tricks=without).score


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
    early = [agon_ai.search(game, nodes=nodes, weights=agon_ai.SIMPLE) for nodes in range(before.nodes, after.nodes, 40)]
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
                    "weights": {"weights": agon_ai.WEIGHTS._replace(tempo=1)}}.get(change, {})
    if change == "rules":
        game = game_at(QUIET, Rules(queen_first=True))
    elif change == "turn":
        game.play(Move.from_text("a5-a4"))
    elif change == "drawn":
        for move in "a5-a4 l2-l3 a4-a5 l3-l2 a5-a4 l2-l3".split():
            game.play(Move.from_text(move))
    agon_ai.Searcher(game, nodes=1, memory=memory, **with_options)
    assert not memory.table and not memory.history


def test_a_draw_counts_less_than_nothing_for_the_side_that_searches():
    game = Game()
    searcher = agon_ai.Searcher(game, depth=2)
    assert searcher.draw(0) == -agon_ai.CONTEMPT and searcher.draw(1) == agon_ai.CONTEMPT
    assert agon_ai.Searcher(game, tricks=agon_ai.PLAIN).draw(0) == 0
    drawn = game_at("Qf6 / a4 b")
    for move in "a4-a5 -- a5-a4 -- a4-a5 -- a5-a4".split():
        drawn.play(Move.from_text(move))
    # White's only move, a pass, ends the game in a draw, which counts against White, who thinks.
    assert agon_ai.search(drawn, depth=1).score == -agon_ai.CONTEMPT


# -- learning --

def test_the_fit_finds_the_weights_that_made_the_labels():
    taught = agon_ai.WEIGHTS._replace(tempo=33, reach=(40, 5), beside=(-90, 70))
    lessons = [agon_ai.Lesson(1, 1, 0, 0, tuple(map(str, MEETING_POSITIONS)),
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
    assert capsys.readouterr().out == first
    assert agon_ai.main(arguments + ["--seed", "2"]) == 0
    assert capsys.readouterr().out != first


def test_learnt_weights_are_written_into_a_program_in_place_of_the_old_ones(tmp_path):
    path = tmp_path / "agon_ai.py"
    shutil.copy(agon_ai.__file__, path)
    weights = agon_ai.WEIGHTS._replace(tempo=77, reach=(1, -2))
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
        for field, is_on in Rules()._asdict().items()] + ["option name Without type string default none", "agonok"]
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
told = open(sys.argv[1], "a", encoding="utf-8")
for line in sys.stdin:
    told.write(line)
    told.flush()
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
        "position text a5 / Qf7 b moves f7-f6",
        "legal " + " ".join(map(str, game.positions[1].legal_moves(game.rules))), "board a5 / Qf6 w", "go movetime 7"]
    assert engine.name == "Listener" and engine.wants == {"legal", "board"}


def test_an_engine_that_wants_nothing_is_told_no_more_than_the_position(engine_of, tmp_path):
    engine = engine_of(LISTENER + AGON + "    if word == 'go': print('bestmove resign')\n")
    engine.ask(Game())
    assert engine.wait(20).text == "resign"
    assert told(tmp_path) == [
        "agon", "setoption name QueenFirst value off", "setoption name EmptyThroneLoses value on",
        f"position text {Position.start()}", "go"]


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
    assert told(tmp_path)[-5:] == ["stop", "setoption name QueenFirst value off",
                                   "setoption name EmptyThroneLoses value on", f"position text {Position.start()}",
                                   "go depth 1"]
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
    assert agon_ai.Said("<", "?[2J") in engine.log and not any("\x1b" in said.text for said in engine.log)


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
    assert agon_ai.last_words(lines, "player.py") == words


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
        "agon", "setoption", "setoption", "position", "go"]


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
    assert [side.name for side in sides] == commands  # both say they are First
    long_game = agon_ai.play_game([sides[0]] * 2, 0, 2, 1)
    assert long_game.game.outcome() and len(long_game.game.moves) > 4 and not long_game.by_error
    game = agon_ai.play_game(sides, 3, 2, 1).game
    assert game.headers["White"] == sides[1].name and game.headers["Black"] == sides[0].name
    assert game.headers["Event"] == f"{sides[0].name} - {sides[1].name}" and game.headers["Round"] == "4"
    assert re.fullmatch(r"\d{4}\.\d\d\.\d\d", game.headers["Date"])
    assert game.headers["Termination"] == f"{commands[1]} has resigned"
    assert len(game.moves) == 2 and game.outcome().result == "0-1"


def test_contestants_are_called_by_the_name_they_tell_or_by_their_file(player_of, tmp_path):
    silent = tmp_path / "silent one.py"
    silent.write_text(LISTENER.replace("sys.argv[1]", repr(os.devnull)) + AGON, "utf-8")
    names = [player.name for player in agon_ai.introduced([player_of(), f'"{silent}"', "level3"], "nodes 5")]
    assert names == ["First", "silent one.py", "level3"]


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
        return agon_ai.MatchGame(points, "", Game(), by_error)
    table = agon_ai.crosstable(["a", "longer", "c"], {
        agon_ai.Pairing(0, 1, 0): result(0.0, True), agon_ai.Pairing(0, 1, 1): result(0.5),
        agon_ai.Pairing(1, 2, 0): result(1.0), agon_ai.Pairing(0, 2, 0): result(0.5)})
    assert table.splitlines() == [
        " no  name       2     1     3   points   won drawn  lost errors",
        "  2. longer     -   1.5     1      2.5     2     1     0      0",
        "  1. a        0.5     -   0.5        1     0     2     1      1",
        "  3. c          0   0.5     -      0.5     0     1     1      0"]


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
    text = page.html({agon_ai.Pairing(0, 1, 0): agon_ai.MatchGame(0.0, "has <ended>", game, True)})
    assert "<svg" not in text and "<li>1-2-001: has &lt;ended&gt;</li>" in text
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
        [sys.executable, agon_ai.__file__, "match", quick, slow, "--games", "9", "--openings", "0",
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
    return subprocess.run([sys.executable, agon_ai.__file__, *arguments], env=environment, capture_output=True,
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
        assert any(re.match(rf"{what}: (\w+-\w+|--) after ", text) for text in found["good"] + found["note"]), what


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


def test_analyse_says_what_is_wrong_with_a_position(capsys):
    assert agon_ai.main(["analyse", "Qz9 / w"]) == 1
    assert "z9" in capsys.readouterr().err


TREE_POSITION = "Qf2 b6 c2 g9 h4 h6 l4 / Qe8 d4 d7 e2 g1 h7 i5 b"


def tree_of(capsys, *arguments):
    """The lines and the last line that the command prints for a tree."""
    assert agon_ai.main(["tree", *arguments]) == 0
    *lines, expected, last = capsys.readouterr().out.splitlines()
    assert expected.split()[0] == "expected"
    assert all(agon_ai.tree_line_text(agon_ai.parse_tree_line(line)) == line for line in lines)
    return {line.path: line for line in map(agon_ai.parse_tree_line, lines)}, last


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


@pytest.mark.parametrize("text", [TREE_POSITION, "Qf2 d4 c5 h4 / Qf10 d5 g8 w", SEAT_AND_WIN])
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
    assert agon_ai.main(["tree", TREE_POSITION, "--depth", "3", "--order", order]) == 0
    *lines, expected, _ = capsys.readouterr().out.splitlines()
    position = pos(TREE_POSITION)
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


# === 11. The window: moving pieces ===============================================
# A real window receives real Tk events.  Without a display these tests are
# skipped, unless AGON_GUI_TESTS=required makes that a failure; with AGON_GUI_TESTS=off no window is tried at all.



class Window:
    """The program's window under test, with the gestures of a player."""

    def __init__(self, app):
        self.app = app
        self.view = app.view
        self.root = app.root

    def until(self, condition, seconds=20):
        """Let the main loop run until the condition holds."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, "the window did not get there in time"
            heartbeat = self.root.after(5, lambda: None)
            self.root.tk.dooneevent(0)
            self.root.after_cancel(heartbeat)
        self.root.update()

    def rest(self):
        """Let all animations and answers come to an end."""
        quiet = (agon.Mode.IDLE, agon.Mode.OVER)
        self.until(lambda: self.app.mode in quiet and not self.app.computer.engine.is_busy)

    def set_up(self, position, levels=(0, 0), rules=Rules()):
        self.app.adopt(Game(Position.from_text(position), rules), [agon.Player(level) for level in levels])
        self.root.update()

    def point(self, place):
        x, y = self.view.layout.centre(parse_cell(place)) if isinstance(place, str) else place
        return {"x": round(x), "y": round(y)}

    def press(self, place, button=1):
        self.view.event_generate(f"<ButtonPress-{button}>", **self.point(place))

    def release(self, place, button=1):
        self.view.event_generate(f"<ButtonRelease-{button}>", **self.point(place))

    def motion(self, place):
        self.view.event_generate("<B1-Motion>", **self.point(place))

    def click(self, place):
        self.press(place)
        self.release(place)

    def carry(self, source, target):
        """Pick up and move, but do not drop yet."""
        self.press(source)
        start, end = self.point(source), self.point(target)
        for step in range(1, 5):
            self.motion(tuple(start[axis] + (end[axis] - start[axis]) * step / 4 for axis in "xy"))

    def drag(self, source, target):
        self.carry(source, target)
        self.release(target)

    def moves(self):
        return [str(move) for move in self.app.game.moves]

    def drawn_pieces(self):
        """Where pieces are drawn: cell name -> kind, read from the canvas items themselves."""
        found = {}
        for (side, is_queen), items in self.view._pieces.items():
            for item in items:
                if self.view.itemcget(item, "state") == "normal":
                    cell = self.view.layout.cell_at(*self.view.coords(item))
                    found[cell_name(cell)] = (side, is_queen)
        return found

    def shows_the_position(self):
        position = self.app.game.position
        expected = {cell_name(cell): (position.side_at(cell), position.is_queen(cell))
                    for cell in CELLS if position.side_at(cell) is not None}
        return self.drawn_pieces() == expected


def open_window(tmp_path, monkeypatch, command=None, language="de", adopt=True):
    monkeypatch.setenv("AGON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", language)
    if os.environ.get("AGON_GUI_TESTS") == "off":
        pytest.skip("window tests are switched off")
    if agon is None:
        reason = "no tkinter"
    else:
        try:
            root = agon.tk.Tk()
            reason = ""
        except agon.tk.TclError as error:
            reason = str(error)
    if reason:
        if os.environ.get("AGON_GUI_TESTS") == "required":
            pytest.fail(f"window tests are required: {reason}")
        pytest.skip(reason)
    for name, value in (("GLIDE_MS", 20), ("SNAP_MS", 10), ("PASS_MS", 30), ("LEAST_THINK_MS", 0), ("HINT_MS", 50)):
        monkeypatch.setattr(agon, name, value)
    root.report_callback_exception = lambda kind, value, trace: errors.append(value)
    errors = []
    app = agon.App(root, *([command] if command else []))
    if adopt:
        app.adopt(Game(), [agon.Player(), agon.Player()])
    root.update()
    window = Window(app)
    window.errors = errors
    return window


@pytest.fixture
def window(tmp_path, monkeypatch):
    window = open_window(tmp_path, monkeypatch)
    yield window
    if not window.app.is_closed:
        window.app.on_close()
    assert window.errors == []


def test_a_piece_picture_is_a_png_with_a_smooth_edge():
    data = agon.piece_png(40, agon.LIGHT.white, True)
    assert data.startswith(b"\x89PNG\r\n\x1a\n") and b"IEND" in data
    raster = agon.Raster(20)
    raster.disc(10, 10, 8, "#ffffff")
    alphas = {row[at] for row in raster.rows for at in range(3, 80, 4)}
    assert {0, 255} < alphas


def test_a_dragged_piece_moves_where_it_is_dropped(window):
    window.drag("b1", "c2")
    window.rest()
    assert window.moves() == ["b1-c2"]
    assert window.shows_the_position()


def test_the_carried_piece_is_under_the_pointer_and_above_all_others(window):
    window.carry("b1", "d4")
    item = window.view.find_all()[-1]
    target = window.point("d4")
    assert window.view.coords(item) == [target["x"], target["y"]]
    assert window.app.mode is agon.Mode.DRAGGING


def test_legal_targets_are_marked_while_a_piece_is_carried(window):
    window.carry("b1", "d4")
    marked = {cell_name(cell) for cell, item in window.view._dots.items()
              if window.view.itemcget(item, "state") == "normal"}
    assert marked == {"a1", "b2", "c1", "c2"}


def test_a_click_on_a_piece_and_a_click_on_a_target_move_it(window):
    window.click("b1")
    window.click("c2")
    window.rest()
    assert window.moves() == ["b1-c2"]


def test_a_double_click_moves_nothing_and_leaves_nothing_picked(window):
    window.click("b1")
    window.click("b1")
    assert window.moves() == []
    assert window.app.hand.selected is None


def test_a_press_on_another_own_piece_picks_that_one(window):
    window.click("b1")
    window.click("k1")
    window.click("k2")
    window.rest()
    assert window.moves() == ["k1-k2"]


def test_an_illegal_drop_glides_back_says_why_and_marks_the_causes(window):
    window.set_up("Qf1 a5 c4 d2 h9 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w")
    window.drag("c4", "d4")
    window.rest()
    assert window.moves() == []
    assert window.app.hand.selected is None
    assert window.app.status.cget("text") == window.app.texts("no_SELF_ENCLOSURE")
    crossed = {cell_name(cell) for cell, cross in window.view._crosses.items()
               if window.view.itemcget(cross, "state") == "normal"}
    assert crossed == {"d3", "d5"}
    assert window.shows_the_position()


@pytest.mark.parametrize("away", [(1, 1), (-500, 90), (5000, 5000)])
def test_a_piece_released_beside_the_board_is_back_on_its_cell(window, away):
    window.carry("b1", "c2")
    window.motion(away)
    window.release(away)
    window.rest()
    assert window.moves() == [] and window.shows_the_position()
    assert window.app.hand.selected is None


@pytest.mark.parametrize("interruption", ["other button", "escape", "focus", "hidden", "resize", "lost release"])
def test_an_interrupted_drag_puts_the_piece_back(window, interruption):
    window.carry("b1", "c2")
    if interruption == "other button":
        window.press("c2", button=3)
    elif interruption == "escape":
        window.view.focus_force()
        window.root.update()
        window.view.event_generate("<Escape>")
    elif interruption == "focus":
        window.root.event_generate("<FocusOut>")
    elif interruption == "hidden":
        window.root.withdraw()
        window.root.update()
        window.root.deiconify()
    elif interruption == "resize":
        window.root.geometry("700x560")
        window.until(lambda: window.app.mode is not agon.Mode.DRAGGING)
    else:
        window.press((2, 2))
    window.root.update()
    window.release("c2")
    window.rest()
    assert window.moves() == []
    assert window.shows_the_position()


def test_trapped_pieces_are_marked_and_the_player_is_told(window):
    window.set_up("Qg4 a5 b1 d9 e5 h9 l5 / Qf11 e4 e6 g3 g5 k7 l2 w")
    marked = {cell_name(cell) for cell, wedge in window.view._wedges.items()
              if window.view.itemcget(wedge, "state") == "normal"}
    assert marked == {"e5", "g4"}
    assert "e5" in window.app.status.cget("text") and "g4" in window.app.status.cget("text")


def test_a_piece_that_is_not_trapped_cannot_move_while_another_is(window):
    window.set_up("Qf1 b1 d9 e5 h9 k1 l5 / Qf11 a4 a6 e4 e6 k7 l2 w")
    window.drag("b1", "b2")
    window.rest()
    assert window.moves() == []
    assert window.app.status.cget("text") == window.app.texts("no_TRAPPED_FIRST")


def test_a_relocation_is_made_by_dragging_to_the_outer_ring(window):
    window.set_up("Qf1 b1 d9 e5 h9 k1 l5 / Qf11 a4 a6 e4 e6 k7 l2 w")
    window.drag("e5", "a1")
    window.rest()
    assert window.moves() == ["e5-a1"]


def test_a_blocked_side_passes_by_itself_and_the_window_says_so(window):
    window.set_up("Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w")
    assert window.app.status.cget("text") == window.app.texts("say_pass", side=WHITE)
    window.until(lambda: window.moves() == ["--"])
    window.rest()


def test_the_window_says_who_has_won_and_why(window):
    window.set_up("Qf6 e5 e6 f5 f7 g5 h5 / Qf11 a2 b7 d1 h1 k7 l2 w")
    window.drag("h5", "g6")
    window.rest()
    assert window.app.mode is agon.Mode.OVER
    assert window.app.title.cget("text") == "Weiß gewinnt"
    assert window.app.status.cget("text") == window.app.texts("end_THRONE")
    window.drag("e5", "e4")
    window.rest()
    assert window.moves() == ["h5-g6"]


def test_the_computer_answers_and_its_move_is_legal(window):
    window.set_up(str(Position.start()), levels=(0, 1))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    assert window.app.game.position.turn == WHITE and window.shows_the_position()


def test_undo_against_the_computer_goes_back_to_ones_own_turn(window):
    window.set_up(str(Position.start()), levels=(0, 1))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    window.app.on_undo()
    window.rest()
    assert window.moves() == []
    window.app.on_redo()
    window.rest()
    assert len(window.moves()) == 2


def test_undo_while_the_computer_thinks_drops_its_answer(window):
    window.set_up(str(Position.start()), levels=(0, 8))
    window.drag("b1", "c2")
    window.until(lambda: window.app.mode is agon.Mode.THINKING)
    window.app.on_undo()
    window.rest()
    window.drag("k1", "k2")
    window.until(lambda: window.app.mode is agon.Mode.THINKING)
    window.app.on_undo()
    window.rest()
    assert window.moves() == [] and window.shows_the_position()


@pytest.mark.parametrize("answer", ["bestmove f1-f9", "bestmove", "bestmove nonsense"])
def test_an_illegal_answer_of_an_engine_is_not_played(tmp_path, monkeypatch, answer):
    script = ("import sys\nfor line in sys.stdin:\n    if line == 'agon\\n': print('agonok', flush=True)\n"
              f"    if line.startswith('go'): print({answer!r}, flush=True)")
    window = open_window(tmp_path, monkeypatch, [sys.executable, "-c", script])
    window.set_up(str(Position.start()), levels=(0, 1))
    window.drag("b1", "c2")
    window.until(lambda: "Strg+P" in window.app.message)
    assert window.moves() == ["b1-c2"]
    window.app.on_undo()
    window.rest()
    assert window.moves() == []
    window.app.on_close()
    assert window.errors == []


def test_the_hint_is_a_legal_move_shown_as_an_arrow(window):
    window.app.on_hint()
    window.until(lambda: window.app.hint is not None)
    assert window.app.hint in window.app.game.legal_moves()
    assert window.view.itemcget(window.view._arrows[0], "state") == "normal"


def test_the_new_game_dialog_starts_the_game_it_describes(window):
    window.app.on_new_game()
    dialog = window.app.dialog
    window.root.update()
    dialog.choice.set("play_both")
    dialog.queen_first.set(True)
    dialog.on_ok()
    window.rest()
    assert all(player.is_person for player in window.app.players)
    assert window.app.game.rules == Rules(queen_first=True)
    assert agon.Settings()["queen_first"] is True


def test_playing_black_lets_the_computer_begin(window):
    window.app.start_game(agon.NewGame((1, 0), 1, False, Rules()))
    window.until(lambda: len(window.moves()) == 1)
    window.rest()
    assert window.app.game.position.turn == BLACK


def test_the_language_changes_at_once(window):
    assert window.app.title.cget("text") == "Weiß ist am Zug"
    window.app.set_language("en")
    assert window.app.title.cget("text") == "White to move"
    assert window.app.buttons["hint_button"].cget("text") == "Hint"


def test_every_text_has_both_languages_and_the_same_blanks():
    for key, (german, english) in agon.TEXTS.items():
        assert german and english, key
        blanks, known = set(re.findall(r"\{\w+\}", german)), set(re.findall(r"\{\w+\}", english))
        assert blanks == known or key == "error_bad_position" and blanks < known, key


def test_every_refusal_and_every_ending_has_its_sentence():
    for refusal in Refusal:
        assert "no_" + refusal.name in agon.TEXTS
    for ending in Ending:
        assert "end_" + ending.name in agon.TEXTS


def test_closing_while_the_computer_thinks_leaves_no_process(window):
    window.set_up(str(Position.start()), levels=(0, 8))
    window.drag("b1", "c2")
    window.until(lambda: window.app.mode is agon.Mode.THINKING)
    process = window.app.computer.engine._process
    window.app.on_close()
    assert process.poll() is not None


def test_without_tkinter_the_program_says_in_one_line_what_to_install(tmp_path):
    (tmp_path / "tkinter.py").write_text("raise ImportError", encoding="utf-8")
    environment = dict(os.environ, PYTHONPATH=str(tmp_path))
    done = subprocess.run([sys.executable, "agon.py"], cwd=HERE, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "python3-tk" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="a display is always there")
def test_without_a_display_the_program_says_so_in_one_line():
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    done = subprocess.run([sys.executable, "agon.py"], cwd=HERE, env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_an_old_python_gets_one_plain_line():
    script = ("import sys; sys.version_info = (3, 7, 1); sys.argv = ['agon.py'];"
              "exec(compile(open('agon.py', encoding='utf-8').read(), 'agon.py', 'exec'), {'__name__': '__main__'})")
    done = subprocess.run([sys.executable, "-c", script], cwd=HERE, capture_output=True, text=True)
    assert done.returncode == 1 and "Python 3.8" in done.stderr
    assert done.stderr.count("\n") == 1


# === 12. The window: everything else =============================================


def press_keys(window, *keys):
    """Type on the board as a person would: the window has the focus."""
    window.view.focus_force()
    window.root.update()
    for key in keys:
        window.view.event_generate(f"<Key-{key}>" if len(key) > 1 and "-" not in key else f"<{key}>"
                                   if "-" in key and len(key) > 1 else f"<Key-{key}>")
        window.root.update()


def status(window):
    return window.app.status.cget("text")


def test_a_small_movement_is_a_click_and_no_drag(window):
    x, y = window.point("b1").values()
    window.press("b1")
    window.motion((x + 2, y + 2))
    assert window.app.mode is agon.Mode.SELECTED
    window.release((x + 2, y + 2))
    assert window.app.hand.selected == parse_cell("b1")


def test_a_click_beside_all_targets_clears_the_pick(window):
    window.click("b1")
    window.click("f6")
    window.rest()
    assert window.app.hand.selected is None and window.moves() == []


def test_a_right_click_with_a_picked_piece_only_puts_it_back(window):
    window.click("b1")
    window.press("c2", button=3)
    assert window.app.hand.selected is None
    assert "menu" not in window.app._jobs


def test_a_right_click_with_nothing_picked_opens_the_context_menu(window):
    window.press("c2", button=3)
    assert "menu" in window.app._jobs
    window.app.forget("menu")


def test_a_move_is_made_with_the_keyboard_alone(window):
    press_keys(window, "Tab")
    first = window.app.hand.cursor
    assert window.app.game.position.side_at(first) == WHITE
    press_keys(window, "Return", "Tab", "Return")
    window.rest()
    assert len(window.moves()) == 1 and window.app.game.moves[0].source == first


def test_the_arrow_keys_reach_every_cell_of_the_board(window):
    press_keys(window, "Down")
    seen, waiting = set(), [window.app.hand.cursor]
    while waiting:
        cell = waiting.pop()
        if cell in seen:
            continue
        seen.add(cell)
        for key in ("Up", "Down", "Left", "Right"):
            window.app.hand.cursor = cell
            window.app.hand.on_arrow({"Up": (0, -1), "Down": (0, 1), "Left": (-1, 0), "Right": (1, 0)}[key], None)
            waiting.append(window.app.hand.cursor)
    assert seen == set(CELLS)


def test_left_and_then_right_leads_back(window):
    for name in ("f6", "e5", "d4", "g3", "c6"):
        window.app.hand.cursor = parse_cell(name)
        press_keys(window, "Left", "Right")
        assert cell_name(window.app.hand.cursor) == name


def test_escape_lays_a_piece_down_that_the_keyboard_picked(window):
    press_keys(window, "Tab", "Return", "Escape")
    assert window.app.hand.selected is None and window.app.hand.cursor is None


def test_a_typed_move_is_played(window):
    press_keys(window, "b", "1", "c", "2", "Return")
    window.rest()
    assert window.moves() == ["b1-c2"]


def test_a_typed_move_that_is_none_is_explained(window):
    press_keys(window, "b", "1", "c", "Return")
    assert "b1c" in status(window) and window.moves() == []


def test_a_held_key_does_no_harm(window):
    press_keys(window, *["Return"] * 60, *["Tab"] * 60, *["a"] * 60, *["Left"] * 60)
    assert window.shows_the_position()


def test_a_click_in_the_move_list_goes_to_that_position(window):
    for source, target in (("b1", "c2"), ("b7", "c7"), ("k1", "k2")):
        window.drag(source, target)
        window.rest()
    text = window.app.moves.text
    text.update_idletasks()
    x, y, width, height = text.bbox(text.tag_ranges("move0")[0])
    text.event_generate("<Button-1>", x=x + 12, y=y + height // 2)
    window.rest()
    assert window.moves() == ["b1-c2"] and window.shows_the_position()
    assert len(window.app.game.undone) == 2


def test_the_arrow_keys_in_the_move_list_go_through_the_game(window):
    window.drag("b1", "c2")
    window.rest()
    window.app.moves._on_arrow(-1, None)
    assert window.moves() == []
    window.app.moves._on_arrow(1, None)
    assert window.moves() == ["b1-c2"]
    window.app.moves._on_arrow(1, None)
    assert window.moves() == ["b1-c2"]


def test_the_move_list_marks_the_move_on_the_board(window):
    for source, target in (("b1", "c2"), ("b7", "c7"), ("k1", "k2")):
        window.drag(source, target)
        window.rest()
    window.app.go_to(2)
    text = window.app.moves.text
    assert text.get(*text.tag_ranges("current")).strip() == "b7-c7"
    assert text.get(*text.tag_ranges("undone")).split() == ["2.", "k1-k2"]


def test_a_game_that_black_begins_is_listed_from_blacks_column(window):
    window.app.adopt(Game(Position.start(BLACK)), [agon.Player(), agon.Player()])
    window.drag("b7", "c7")
    window.rest()
    window.drag("b1", "c2")
    window.rest()
    assert window.app.moves.text.get("1.0", "end").split() == ["1.", "…", "b7-c7", "2.", "b1-c2"]


def test_resigning_asks_first_and_then_ends_the_game(window):
    window.app.on_resign()
    window.root.update()
    window.app.dialog.on_cancel()
    assert window.app.game.outcome() is None
    window.app.on_resign()
    window.root.update()
    window.app.dialog.on_ok()
    assert window.app.game.outcome().winner == BLACK
    assert window.app.title.cget("text") == "Schwarz gewinnt"


def test_a_draw_is_offered_to_the_other_person_who_may_decline(window):
    for answer, outcome in (("on_cancel", None), ("on_ok", Ending.AGREEMENT)):
        window.app.on_offer_draw()
        window.root.update()
        window.app.dialog.on_ok()
        window.root.update()
        getattr(window.app.dialog, answer)()
        found = window.app.game.outcome()
        assert (found and found.reason) == outcome


@pytest.mark.parametrize("score, accepts", [(250, True), (-250, False)])
def test_the_computer_accepts_a_draw_only_when_it_is_not_better(tmp_path, monkeypatch, score, accepts):
    script = ("import sys\nfor line in sys.stdin:\n    if line == 'agon\\n': print('agonok', flush=True)\n"
              f"    if line.startswith('go'): print('info depth 1 score {score} nodes 9 time 1 pv b1-c2');"
              "print('bestmove b1-c2', flush=True)")
    window = open_window(tmp_path, monkeypatch, (sys.executable, "-c", script))
    monkeypatch.setattr(agon, "DRAW_PLIES", 0)
    window.set_up(str(Position.start()), levels=(0, 3))
    window.app._offer_draw(None)
    window.rest()
    assert bool(window.app.game.outcome()) == accepts
    assert accepts or status(window) == window.app.texts("say_draw_declined")
    window.app.on_close()
    assert window.errors == []


def test_computer_against_computer_can_be_paused_and_stepped(window):
    window.set_up(str(Position.start()), levels=(1, 1))
    window.until(lambda: len(window.moves()) >= 2)
    window.app.on_pause()
    window.rest()
    count = len(window.moves())
    window.until(lambda: window.app.mode is agon.Mode.IDLE)
    window.app.on_one_move()
    window.until(lambda: len(window.moves()) == count + 1)
    window.rest()
    assert len(window.moves()) == count + 1
    window.app.on_pause()
    window.until(lambda: len(window.moves()) >= count + 3)


def test_undo_pauses_computer_against_computer(window):
    window.set_up(str(Position.start()), levels=(1, 1))
    window.until(lambda: len(window.moves()) >= 2)
    window.app.on_undo()
    window.rest()
    assert window.app.is_paused and window.shows_the_position()
    assert "Strg+P" in status(window)


def test_move_now_ends_the_thinking_at_once(window):
    window.set_up(str(Position.start()), levels=(0, 8))
    window.drag("b1", "c2")
    window.until(lambda: window.app.mode is agon.Mode.THINKING)
    window.app.on_move_now()
    window.until(lambda: len(window.moves()) == 2, seconds=2)


def test_sides_and_level_change_in_the_running_game(window):
    window.set_up(str(Position.start()), levels=(0, 2))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    window.app.on_swap()
    window.until(lambda: len(window.moves()) == 3)
    window.rest()
    window.app.set_level(1)
    assert window.app.players == [agon.Player(1), agon.Player(0)]
    assert "1" in window.app.context.cget("text").split("Stufe")[-1]


def test_a_second_occurrence_of_a_position_is_announced(window):
    for source, target in (("f1", "e1"), ("f11", "e10"), ("e1", "f1"), ("e10", "f11")):
        window.drag(source, target)
        window.rest()
    assert status(window) == window.app.texts("say_repetition")
    window.app.on_undo()
    window.rest()
    assert status(window) != window.app.texts("say_repetition")


# -- files --

def test_a_saved_game_can_be_opened_again(window, tmp_path):
    window.drag("b1", "c2")
    window.rest()
    path = str(tmp_path / "Spiel für Ü.agon")
    window.app.files.save(path)
    assert window.root.title() == "Spiel für Ü.agon – Agon"
    window.app.new_game(agon.NewGame((0, 0), 1, False, Rules()))
    window.app.files.load(path)
    assert window.moves() == ["b1-c2"] and window.shows_the_position()
    assert window.app.settings["recent"] == [path]


@pytest.mark.parametrize("content, hint", [
    (b"[Format \"2\"]\n\n*\n", "neueres Agon"), (b"[Event \"x\"]\n\n1. e4 e5 *\n", "e4"), (b"\xff\xfe\x00", "UTF-8"),
    (b"[Format \"1\"]\n\n1. b1-c8 *\n", "b1-c8"), (b"", "kein Spiel"), (b"a" * 5_000_000, "zu groß"), (None, "lesen")],
    ids=["newer", "chess", "binary", "illegal", "empty", "huge", "missing"])
def test_a_file_that_is_no_game_is_explained_and_the_running_game_stays(window, tmp_path, content, hint):
    window.drag("b1", "c2")
    window.rest()
    path = tmp_path / "strange.agon"
    if content is not None:
        path.write_bytes(content)
    window.app.files.load(str(path))
    assert hint in window.app.dialog.message and "strange.agon" in window.app.dialog.message
    assert window.moves() == ["b1-c2"] and window.shows_the_position()


def test_a_game_that_cannot_be_saved_is_explained(window, tmp_path):
    window.app.files.save(str(tmp_path / "no such folder" / "game.agon"))
    assert "schreiben" in window.app.dialog.message


def test_position_and_game_travel_over_the_clipboard(window):
    window.drag("b1", "c2")
    window.rest()
    before = window.app.game.position
    window.app.files.on_copy_position()
    assert window.root.clipboard_get() == str(before)
    window.app.new_game(agon.NewGame((0, 0), 1, False, Rules()))
    window.app.files.on_paste()
    assert window.app.game.position == before and window.moves() == []
    window.drag("b7", "c7")
    window.rest()
    window.app.files.on_copy_game()
    window.app.new_game(agon.NewGame((0, 0), 1, False, Rules()))
    window.app.files.on_paste()
    assert window.moves() == ["b7-c7"]


def test_pasting_nonsense_is_explained_and_the_running_game_stays(window):
    window.drag("b1", "c2")
    window.rest()
    window.root.clipboard_clear()
    window.root.clipboard_append("Guten Morgen")
    window.app.files.on_paste()
    assert "Guten" in window.app.dialog.message and window.moves() == ["b1-c2"]


def reopened(window, tmp_path, monkeypatch):
    window.app.on_close()
    assert window.errors == []
    return open_window(tmp_path, monkeypatch, adopt=False)


def test_the_next_start_goes_on_with_the_running_game(window, tmp_path, monkeypatch):
    window.set_up(str(Position.start()), levels=(0, 1))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    moves = window.moves()
    again = reopened(window, tmp_path, monkeypatch)
    assert again.moves() == moves and again.app.players == [agon.Player(0), agon.Player(1)]
    again.app.on_close()


def test_a_damaged_autosave_or_settings_file_does_not_hinder_the_start(window, tmp_path, monkeypatch):
    window.app.set_theme("dark")
    window.app.on_close()
    (tmp_path / "home" / "autosave.agon").write_bytes(b"\xff\x00 broken")
    (tmp_path / "home" / "settings.json").write_text('{"theme": 7, "zoom": 99, "recent": [3], "level": "x"}', "utf-8")
    again = open_window(tmp_path, monkeypatch, adopt=False)
    assert again.moves() == [] and again.app.settings["theme"] == "light" and again.app.settings["zoom"] == 0
    again.app.on_close()


def test_settings_and_the_place_of_the_window_are_remembered(window, tmp_path, monkeypatch):
    window.root.geometry("733x555+40+30")
    window.root.update()
    window.app.set_theme("contrast")
    again = reopened(window, tmp_path, monkeypatch)
    assert again.app.settings["theme"] == "contrast"
    assert (again.root.winfo_width(), again.root.winfo_height()) == (733, 555)
    again.app.on_close()


def test_a_remembered_place_beside_the_screen_is_moved_onto_it(window, tmp_path, monkeypatch):
    window.app.on_close()
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "settings.json").write_text('{"geometry": "800x600+90000+-9000"}', "utf-8")
    again = open_window(tmp_path, monkeypatch)
    assert 0 <= again.root.winfo_x() <= again.root.winfo_screenwidth() - 100
    assert 0 <= again.root.winfo_y() <= again.root.winfo_screenheight() - 100
    again.app.on_close()


def test_without_a_writable_folder_the_program_plays_and_says_so_once(tmp_path, monkeypatch):
    (tmp_path / "home").write_text("a file where the folder should be", "utf-8")
    window = open_window(tmp_path, monkeypatch)
    window.drag("b1", "c2")
    window.rest()
    assert window.moves() == ["b1-c2"]
    assert window.app.files._has_complained
    window.app.on_close()
    assert window.errors == []


# -- look --

def luminance(colour):
    """Relative luminance (source: WCAG 2, section 'relative luminance')."""
    parts = [value / 255 for value in agon.rgb(colour)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first, second):
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_texts_and_marks_stand_out_in_every_theme(name):
    theme = agon.THEMES[name]
    assert contrast(theme.text, theme.window) >= 7 and contrast(theme.text, theme.panel) >= 7
    assert contrast(theme.quiet_text, theme.window) >= 4.5
    for ring in theme.rings[1:]:
        assert contrast(theme.allowed, ring) >= 2.5 and contrast(theme.forbidden, ring) >= 2.5


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_the_sides_differ_in_a_grey_picture(name):
    theme = agon.THEMES[name]
    assert contrast(theme.white[0], theme.black[0]) >= 5
    assert contrast(theme.white[1], theme.black[0]) >= 4


def test_every_theme_and_text_size_keeps_the_panel_whole(window):
    for language in ("de", "en"):
        window.app.set_language(language)
        for zoom in (agon.MIN_ZOOM, 0, 4, agon.MAX_ZOOM):
            window.app._change_look(zoom=zoom)
            window.root.geometry("640x480")
            window.root.update()
            for button in window.app.buttons.values():
                needed = window.app.fonts["body"].measure(button.cget("text"))
                assert needed < button.winfo_width(), (language, zoom, button.cget("text"))
            assert window.app.title.winfo_reqwidth() <= window.app.panel.winfo_width()


@pytest.mark.parametrize("height", [600, 768, 1080])
def test_the_largest_text_still_lets_the_dialogs_fit_the_screen(window, monkeypatch, height):
    monkeypatch.setattr(window.root, "winfo_screenheight", lambda: height)
    window.app._make_fonts()
    window.app.set_language("de")
    for _ in range(agon.MAX_ZOOM):
        window.app.on_larger()
    assert window.app.settings["zoom"] == window.app.zoom > 0
    for command in (window.app.on_new_game, window.app.on_own_program, window.app.on_about):
        command()
        window.root.update()
        assert window.app.dialog.winfo_reqheight() < height - 30
        window.app.dialog.on_cancel()
    window.app.on_smaller()
    assert window.app.settings["zoom"] == window.app._largest_zoom - 1


def test_the_number_of_canvas_items_never_changes(window):
    before = len(window.view.find_all())
    for theme in agon.THEMES:
        window.app.set_theme(theme)
    window.drag("b1", "c2")
    window.rest()
    window.app.on_flip()
    window.root.geometry("900x700")
    window.root.update()
    assert len(window.view.find_all()) == before


def test_a_turned_board_is_played_like_the_other(window):
    window.app.on_flip()
    window.root.update()
    window.drag("b1", "c2")
    window.rest()
    assert window.moves() == ["b1-c2"] and window.shows_the_position()
    assert window.view.layout.centre(parse_cell("f1"))[1] < window.view.layout.centre(parse_cell("f11"))[1]


def test_pictures_of_former_sizes_are_forgotten(window):
    for size in ("700x560", "900x700", "1000x800"):
        window.root.geometry(size)
        window.root.update()
    window.until(lambda: "rest" not in window.app._jobs)
    assert len(window.view._images) <= 5
    width = window.view._images["wQ"].width()
    assert abs(width - 1.17 * agon.PIECE_DIAMETER * window.view.layout.size) < 4


def test_every_menu_entry_has_its_method_and_its_own_shortcut():
    entries = [entry for _menu, entries in agon.MENUS for entry in entries if entry is not None]
    for entry in entries:
        owner = (agon.Menus if entry.method.startswith("[")
                 else agon.Files if entry.method.startswith("files.") else agon.App)
        assert callable(getattr(owner, entry.method.strip("[]").split(".")[-1]))
        assert entry.key in agon.TEXTS
    shortcuts = [entry.shortcut for entry in entries if entry.shortcut]
    assert len(shortcuts) == len(set(shortcuts))
    assert set(agon.CONTEXT_MENU) <= {entry.key for entry in entries}


def test_shortcuts_work_and_also_under_caps_lock(window):
    window.drag("b1", "c2")
    window.rest()
    press_keys(window, "Control-z")
    window.rest()
    assert window.moves() == []
    press_keys(window, "Control-y")
    window.rest()
    assert window.moves() == ["b1-c2"]
    assert agon.shortcut_sequences("Mod-z")[1].endswith("-Lock-Key-Z>")


def test_the_analysis_shows_depth_lines_and_arrows(window):
    window.app.menus.switches["analysis"].set(True)
    window.app.on_switch("analysis")
    window.until(lambda: len(window.app.analyst.best_moves()) == 3)
    assert "Tiefe" in window.app.analysis.summary.cget("text")
    assert all(label.cget("text") for label in window.app.analysis.lines)
    shown = [item for item in window.view._arrows if window.view.itemcget(item, "state") == "normal"]
    assert len(shown) == 3
    window.drag("b1", "c2")
    window.rest()
    window.until(lambda: window.app.analyst.best_moves())
    assert all(move in window.app.game.legal_moves() for move in window.app.analyst.best_moves())


def test_a_finished_game_gets_a_curve_and_a_click_on_it_goes_there(window, monkeypatch):
    monkeypatch.setattr(agon.Analyst, "REVIEW_MS", 5)
    window.app.menus.switches["analysis"].set(True)
    window.app.on_switch("analysis")
    window.set_up("Qf6 e5 e6 f5 f7 g4 h5 / Qf11 a2 b7 d1 h1 k7 l2 w")
    for source, target in (("g4", "g5"), ("f11", "f10"), ("h5", "g6")):
        window.drag(source, target)
        window.rest()
    window.until(lambda: len(window.app.analysis.scores) == 4)
    assert window.app.analysis.scores[3] == agon.WON_SCORE
    window.app.analysis.chart.event_generate("<Button-1>", x=2, y=10)
    window.rest()
    assert window.moves() == [] and window.shows_the_position()


def test_help_shows_rules_and_keys_and_does_not_hold_the_game_up(window):
    window.app.on_help()
    window.root.update()
    pages = [child for child in window.app.dialog.winfo_children() if isinstance(child, agon.tk.Text)]
    text = pages[0].get("1.0", "end")
    assert "Selbsteinschließung" in text and "Strg+N" in text
    window.drag("b1", "c2")
    window.rest()
    assert window.moves() == ["b1-c2"]


def test_every_dialog_closes_with_escape(window):
    for open_dialog in (window.app.on_new_game, window.app.on_about, window.app.on_resign, window.app.on_help):
        open_dialog()
        dialog = window.app.dialog
        window.root.update()
        dialog.focus_force()
        window.root.update()
        dialog.event_generate("<Escape>")
        window.root.update()
        assert not dialog.winfo_exists()


@pytest.mark.parametrize("moment", ["at once", "gliding", "thinking", "analysing", "dialog open", "passing"])
def test_closing_at_any_moment_is_quiet(window, moment):
    app = window.app
    if moment == "gliding":
        app.attempt(mv("b1-c2"), None)
    elif moment == "thinking":
        window.set_up(str(Position.start()), levels=(8, 8))
    elif moment == "analysing":
        app.menus.switches["analysis"].set(True)
        app.on_switch("analysis")
    elif moment == "dialog open":
        app.on_new_game()
    elif moment == "passing":
        window.set_up("Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w")
    processes = [engine._process for engine in (app.computer.engine, app.analyst.engine) if engine._process]
    app.on_close()
    assert all(process.poll() is not None for process in processes)
    assert app._jobs == {}


@takes_long
def test_a_storm_of_events_leaves_picture_and_game_in_agreement(window):
    """Some thousand random events, while the computer thinks and the window changes its size."""
    app, seed = window.app, 20
    rng = random.Random(seed)
    items = len(window.view.find_all())
    window.set_up(str(Position.start()), levels=(0, 1))

    def anywhere():
        return rng.randrange(-20, 800), rng.randrange(-20, 700)

    def resize():
        window.root.geometry(f"{rng.randrange(600, 1000)}x{rng.randrange(440, 800)}")

    def key():
        window.view.event_generate(f"<Key-{rng.choice(['Tab', 'Return', 'Escape', 'Left', 'Up', 'a', '1', 'Prior'])}>")

    def play():
        moves = app.game.legal_moves()
        if moves and app.mode is agon.Mode.IDLE and not app.is_computers_turn and moves[0] != PASS:
            move = rng.choice(moves)
            window.drag(cell_name(move.source), cell_name(move.target))

    actions = ([lambda: window.press(anywhere())] * 6 + [lambda: window.release(anywhere())] * 6
               + [lambda: window.motion(anywhere())] * 8 + [lambda: window.view.event_generate("<ButtonPress-3>")]
               + [key] * 6 + [play] * 6 + [resize, app.on_undo, app.on_redo, app.on_flip, app.on_pause, app.on_swap,
                                           app.on_hint, app.on_move_now, app.on_one_move, app.on_first, app.on_last])
    for number in range(3000):
        rng.choice(actions)()
        app.forget("menu")
        if number % 3 == 0:
            window.root.update()
        if number % 400 == 399:
            app.new_game(agon.NewGame((rng.choice((0, 1)), rng.choice((0, 1))), 1, True, Rules()))
    window.set_up(str(Position.start()))
    window.rest()
    assert window.shows_the_position(), f"seed {seed}"
    assert len(window.view.find_all()) == items
    window.drag("b1", "c2")
    window.rest()
    assert window.moves() == ["b1-c2"] and window.shows_the_position()


# === 13. The classroom: tour, puzzles, set-up, own programs, paper ===============


def moves_that_reach(goal, game):
    """The legal moves after which a lesson's or puzzle's goal is reached."""
    found = []
    for move in game.legal_moves():
        game.play(move)
        if agon.is_goal_reached(goal, game):
            found.append(move)
        game.undo()
    return found


@pytest.mark.skipif(agon is None, reason="no tkinter")
def test_every_goal_of_every_lesson_can_be_reached_and_also_missed():
    for lesson in agon.LESSONS:
        position = pos(lesson.position)
        for number, goal in enumerate(lesson.goals):
            game = Game(position)
            if goal == "refused_self_enclosure":
                assert position.refusal(mv("c4-d4")) is Refusal.SELF_ENCLOSURE
                continue
            good = moves_that_reach(goal, game)
            assert good, lesson.key
            assert goal == "relocate" or len(good) < len(game.legal_moves()), lesson.key
            position = game.play(good[0])
            if lesson.reply and number + 1 < len(lesson.goals):
                position = position.play(mv(lesson.reply))
            else:
                position = position.with_turn(WHITE)


def test_the_tour_can_be_walked_through_with_the_mouse(window, monkeypatch):
    monkeypatch.setattr(agon, "REPLY_MS", 10)
    window.drag("b1", "c2")
    window.rest()
    window.app.on_tour()
    for number, lesson in enumerate(agon.LESSONS):
        tour = window.app.activity
        assert tour.number == number
        for goal in lesson.goals:
            window.until(lambda: window.app.mode is agon.Mode.IDLE and tour.accepts_moves)
            move = mv("c4-d4") if goal == "refused_self_enclosure" else moves_that_reach(goal, window.app.game)[0]
            window.drag(cell_name(move.source), cell_name(move.target))
            window.rest()
        assert tour.is_done, lesson.key
        window.app.page.buttons[1].invoke()
        window.root.update()
    assert window.app.activity is None
    assert window.moves() == ["b1-c2"] and window.shows_the_position()


def test_a_wrong_try_in_the_tour_is_explained_and_taken_back(window, monkeypatch):
    monkeypatch.setattr(agon, "WRONG_MS", 10)
    window.app.on_tour()
    window.drag("b1", "a1")
    window.until(lambda: window.app.activity.feedback and not window.moves())
    window.rest()
    assert window.app.page.feedback.cget("text") == window.app.texts("lesson_other")
    assert window.shows_the_position()


def test_tour_puzzles_and_set_up_leave_the_kept_game_alone(window, tmp_path):
    window.drag("b1", "c2")
    window.rest()
    kept = (tmp_path / "home" / "autosave.agon").read_bytes()
    window.app.on_tour()
    window.drag("b1", "b2")
    window.rest()
    window.app.on_puzzles()
    window.app.on_set_up()
    window.click("f6")
    assert (tmp_path / "home" / "autosave.agon").read_bytes() == kept
    window.app.activity.close()
    assert window.moves() == ["b1-c2"]


def test_opening_a_game_ends_the_tour(window, tmp_path):
    window.app.on_tour()
    window.app.new_game(agon.NewGame((0, 0), 1, False, Rules()))
    assert window.app.activity is None and window.app.moves.winfo_manager() == "grid"


def test_tour_and_puzzles_are_leafed_through_with_the_keyboard(window):
    for begin in (window.app.on_tour, window.app.on_puzzles):
        begin()
        first = window.app.activity.number
        press_keys(window, "Next", "Next", "Prior")
        assert window.app.activity.number == first + 1


def test_the_keyboard_reaches_the_buttons_beside_the_board(window):
    window.app.on_tour()
    window.root.update()
    press_keys(window, "Control-Tab")
    button = window.root.focus_get()
    assert button in window.app.page.buttons
    number = window.app.activity.number
    window.app.page.buttons[1].focus_force()
    window.root.update()
    window.app.page.buttons[1].event_generate("<Key-space>")
    window.app.page.buttons[1].event_generate("<KeyRelease-space>")
    window.root.update()
    assert window.app.activity.number == number + 1


# -- set-up --

def test_pieces_are_placed_moved_and_removed_by_mouse(window):
    window.app.on_set_up()
    window.app.activity._change(pos("/ w"))
    window.app.activity.on_tool("tool_black_queen")
    window.click("f6")
    window.app.activity.on_tool("tool_white_guard")
    window.click("a1")
    window.click("b2")
    window.click("b2")
    assert str(window.app.game.position) == "a1 / Qf6 w"
    window.drag("a1", "c3")
    assert str(window.app.game.position) == "c3 / Qf6 w"
    window.drag("f6", (2, 2))
    window.root.update()
    assert str(window.app.game.position) == "c3 / w" and window.shows_the_position()


def test_the_set_up_refuses_what_cannot_stand_and_says_why(window):
    window.app.on_set_up()
    window.app.activity._change(pos("/ w"))
    window.click("f6")
    assert "Thron" in window.app.page.feedback.cget("text")
    assert str(window.app.game.position) == "/ w"


def test_playing_on_needs_all_fourteen_pieces(window):
    window.app.on_set_up()
    window.drag("f1", (2, 2))
    window.app.activity.on_play()
    assert window.app.page.feedback.cget("text") == window.app.texts("setup_incomplete")
    window.app.activity._change(pos("Qf2 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2 b"))
    window.app.activity.on_play()
    assert window.app.activity is None
    assert str(window.app.game.start) == "Qf2 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2 b"


def test_the_keyboard_sets_pieces_up_as_well(window):
    window.app.on_set_up()
    window.app.activity._change(pos("/ w"))
    press_keys(window, "Down", "Down", "Return")
    assert str(window.app.game.position) == "f5 / w"


# -- own programs --

def program(tmp_path, body):
    """A pupil's program: `body` is what it does when it is told to go."""
    path = tmp_path / "my player.py"
    path.write_text("import sys, time\nfor line in sys.stdin:\n    if line == 'agon\\n':\n        print('agonok')\n"
                    "    if line.startswith('go'):\n"
                    + "\n".join("        " + row for row in body.splitlines()) + "\n    sys.stdout.flush()\n", "utf-8")
    return f'"{path}"'


def test_a_program_of_ones_own_plays_and_its_conversation_can_be_read(window, tmp_path):
    window.app._let_program_play((BLACK, program(tmp_path, "print('bestmove b7-c7')")))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    assert window.moves()[1] == "b7-c7" and "my player.py" in window.app.context.cget("text")
    window.app.on_output()
    window.root.update()
    text = window.app.dialog.main.get("1.0", "end")
    assert "> go movetime" in text and "< bestmove b7-c7" in text


@pytest.mark.parametrize("body, words", [
    ("sys.exit(1)", "hat sich beendet"), ("raise ValueError", "hat sich beendet"),
    ("print('bestmove f1-f6')", "f1-f6"), ("print('bestmove hello')", "hello"), ("print('bestmove')", "keinen möglichen Zug"),
    ("time.sleep(60)", "antwortet nicht mehr"),
    ("while True: print('x' * 5000)", "antwortet nicht mehr")])
def test_a_program_that_misbehaves_is_ended_with_a_clear_sentence(window, tmp_path, monkeypatch, body, words):
    if "antwortet" in words:
        monkeypatch.setattr(agon, "START_PATIENCE", 1.0)
        monkeypatch.setattr(agon, "PROGRAM_MS", 10)
    window.app._let_program_play((BLACK, program(tmp_path, body)))
    window.drag("b1", "c2")
    window.until(lambda: window.app.message)
    window.rest()
    assert words in window.app.message and "my player.py" in window.app.message and "Strg+P" in window.app.message
    assert window.moves() == ["b1-c2"]
    assert all(engine._process is None for engine in window.app.computer.programs.values())
    window.app.on_undo()
    window.rest()
    assert window.moves() == []


def test_a_program_may_resign(window, tmp_path):
    window.app._let_program_play((BLACK, program(tmp_path, "print('bestmove resign')")))
    window.drag("b1", "c2")
    window.until(lambda: window.app.game.outcome() is not None)
    assert window.app.game.outcome() == Outcome(WHITE, Ending.RESIGNATION) and window.moves() == ["b1-c2"]


def test_a_program_that_does_not_exist_is_reported(window):
    window.app._let_program_play((WHITE, "/no/such/program"))
    window.until(lambda: window.app.message)
    assert "/no/such/program".rsplit("/", 1)[-1] in window.app.message


def test_a_game_file_never_starts_a_program(window, tmp_path):
    path = tmp_path / "bad.agon"
    path.write_text('[White "Program rm"]\n[Black "Program /bin/sh"]\n\n*\n', "utf-8")
    window.app.files.load(str(path))
    assert all(player.is_person for player in window.app.players) and window.app.computer.programs == {}


def readme():
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        return file.read()


def test_the_player_in_the_readme_plays_a_whole_game(window, tmp_path):
    source = re.search(r"```python\n(.*?)```", readme(), re.S).group(1)
    assert len(source.splitlines()) <= 26
    path = tmp_path / "hopper.py"
    path.write_text(source, "utf-8")
    window.app._let_program_play((BLACK, f'"{path}"'))
    os.environ["PYTHONPATH"] = HERE
    try:
        window.app.settings["animation"] = False
        for _ in range(6):
            window.until(lambda: window.app.mode is agon.Mode.IDLE and not window.app.is_computers_turn)
            move = window.app.game.legal_moves()[0]
            window.app.attempt(move, None)
        window.until(lambda: len(window.moves()) == 12)
    finally:
        del os.environ["PYTHONPATH"]


# -- on paper --

@pytest.mark.parametrize("of_game", [False, True])
@pytest.mark.parametrize("for_print", [False, True])
def test_an_exported_picture_is_valid_svg_with_every_piece(window, tmp_path, of_game, for_print):
    for source, target in (("b1", "c2"), ("b7", "c7")):
        window.drag(source, target)
        window.rest()
    path = tmp_path / "picture.svg"
    window.app.files.export(str(path), of_game, for_print)
    root = xml.etree.ElementTree.parse(str(path)).getroot()
    space = "{http://www.w3.org/2000/svg}"
    boards = 2 if of_game else 1
    assert root.tag == space + "svg"
    assert len(root.findall(space + "circle")) == boards * (12 * 4 + 2 * 5)
    captions = [text.text for text in root.findall(space + "text") if len(text.text) > 2]
    assert len(captions) == boards and "b7-c7" in captions[-1]
    fills = {element.get("fill") for element in root.iter() if element.get("fill") not in (None, "none")}
    assert not for_print or all(fill[1:3] == fill[3:5] == fill[5:7] for fill in fills if fill.startswith("#"))


def test_a_picture_that_cannot_be_written_is_explained(window, tmp_path):
    window.app.files.export(str(tmp_path / "no such folder" / "x.svg"), False, False)
    assert "schreiben" in window.app.dialog.message


# === 14. Nothing breaks it =======================================================


def children_of(pid):
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


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_killed_engine_is_reported_and_started_again_with_one_command(window):
    window.set_up(str(Position.start()), levels=(0, 8))
    window.drag("b1", "c2")
    window.until(lambda: window.app.mode is agon.Mode.THINKING)
    window.app.computer.engine._process.kill()
    window.until(lambda: window.app.message)
    assert "hat sich beendet" in status(window) and window.moves() == ["b1-c2"]
    window.app.set_level(1)
    window.app.on_pause()
    window.until(lambda: len(window.moves()) == 2)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop a process")
def test_a_stopped_engine_is_ended_and_the_game_goes_on(window, monkeypatch):
    window.set_up(str(Position.start()), levels=(0, 8))
    window.drag("b1", "c2")
    window.until(lambda: window.app.mode is agon.Mode.THINKING)
    os.kill(window.app.computer.engine._process.pid, signal.SIGSTOP)
    window.app.computer.engine.patience = 0.3
    window.until(lambda: window.app.message)
    assert "antwortet nicht mehr" in status(window)
    window.app.computer.engine.patience = 20.0
    window.app.set_level(1)
    window.app.on_pause()
    window.until(lambda: len(window.moves()) == 2)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_no_engine_outlives_a_window_that_is_killed(window, tmp_path):
    script = ("import tkinter, agon, sys\nroot = tkinter.Tk(); app = agon.App(root)\n"
              "app.adopt(agon.Game(), [agon.Player(8), agon.Player(8)])\n"
              "root.after(200, lambda: print('thinking', flush=True))\nroot.mainloop()\n")
    process = subprocess.Popen([sys.executable, "-c", script], cwd=HERE, stdout=subprocess.PIPE,
                               env=dict(os.environ, AGON_HOME=str(tmp_path)))
    assert process.stdout.readline().strip() == b"thinking"
    engines = children_of(process.pid)
    assert engines
    process.kill()
    process.wait()
    process.stdout.close()
    window.until(lambda: not any(is_running(pid) for pid in engines), seconds=5)


def test_an_idle_window_has_nothing_to_do(window):
    window.drag("b1", "c2")
    window.rest()
    window.until(lambda: not set(window.app._jobs) - {"garbage"})
    window.app.forget("garbage")
    assert window.app._jobs == {}


def test_a_full_disk_is_reported_and_the_old_file_stays_whole(window, tmp_path, monkeypatch):
    window.drag("b1", "c2")
    window.rest()
    path = tmp_path / "game.agon"
    window.app.files.save(str(path))
    before = path.read_bytes()

    def no_space(_number):
        raise OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(os, "fsync", no_space)
    window.drag("b7", "c7")
    window.rest()
    window.app.files.save(str(path))
    assert "voll" in window.app.dialog.message
    assert path.read_bytes() == before and window.moves() == ["b1-c2", "b7-c7"]
    assert [name for name in os.listdir(tmp_path) if name.endswith(".tmp")] == []


@pytest.mark.parametrize("home", ["Ordner mit Leerzeichen", "Übung ß 六角"])
def test_any_folder_name_will_do(tmp_path, monkeypatch, home):
    folder = tmp_path / home
    folder.mkdir()
    for name in ("agon.py", "agon_core.py", "agon_ai.py"):
        shutil.copy(os.path.join(HERE, name), folder / name)
    command = (sys.executable, str(folder / "agon_ai.py"), "serve")
    window = open_window(folder, monkeypatch, command)
    window.set_up(str(Position.start()), levels=(0, 1))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    window.app.files.save(str(folder / "Spiel ä.agon"))
    assert Game.load(str(folder / "Spiel ä.agon")).moves == window.app.game.moves
    window.app.on_close()
    assert window.errors == []


# -- what differs on other systems, with their answers put in --

def platform_module(monkeypatch, platform, windowing, **modules):
    """The window's file as another system would load it."""
    monkeypatch.setattr(sys, "platform", platform)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    spec = importlib.util.spec_from_file_location("agon_elsewhere", os.path.join(HERE, "agon.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FakeWindowsCalls:
    """ctypes.windll as far as the window uses it."""

    def __init__(self):
        self.log = []
        self.shcore = types.SimpleNamespace(SetProcessDpiAwareness=lambda value: self.log.append(value))


def test_on_windows_the_screen_is_sharp_before_the_first_window(monkeypatch):
    if agon is None:
        pytest.skip("no tkinter")
    calls = types.SimpleNamespace(windll=FakeWindowsCalls())
    module = platform_module(monkeypatch, "win32", "win32", ctypes=calls)

    class FirstWindow(Exception):
        pass

    def first_window(**_options):
        assert calls.windll.log == [1]
        raise FirstWindow
    monkeypatch.setattr(module.tk, "Tk", first_window)
    with pytest.raises(FirstWindow):
        module.main()


def test_on_the_mac_shortcuts_use_the_command_key(monkeypatch):
    if agon is None:
        pytest.skip("no tkinter")
    module = platform_module(monkeypatch, "darwin", "aqua")
    texts = module.Texts("en")
    assert module.shortcut_text("Mod-n", texts) == "Command-N"
    assert module.shortcut_sequences("Mod-n")[0] == "<Command-Key-n>"
    assert module.IS_MAC and module.ALT_MASK == 8


@pytest.mark.parametrize("platform, variables, expected", [
    ("win32", {"APPDATA": "X:/data"}, "Agon"), ("darwin", {}, "Application Support"), ("linux", {}, "agon"),
    ("linux", {"XDG_CONFIG_HOME": "/x/config"}, "/x/config"), ("linux", {"AGON_HOME": "/x/home"}, "/x/home")])
def test_the_users_folder_is_where_the_platform_keeps_such_things(monkeypatch, platform, variables, expected):
    if agon is None:
        pytest.skip("no tkinter")
    for name in ("AGON_HOME", "APPDATA", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert expected in agon.user_folder()


@pytest.mark.parametrize("locale, language", [
    ("de_DE.UTF-8", "de"), ("de_AT", "de"), ("en_US.UTF-8", "en"), ("C", "en"), ("fr_FR", "en")])
def test_the_language_follows_the_system(tmp_path, monkeypatch, locale, language):
    window = open_window(tmp_path, monkeypatch, language=locale)
    assert window.app.texts.language == language
    window.app.on_close()


def test_every_file_is_opened_with_its_encoding_said():
    """Windows would otherwise take its own code page."""
    for name in ("agon.py", "agon_core.py", "agon_ai.py"):
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open":
                modes = [arg.value for arg in node.args[1:2] if isinstance(arg, ast.Constant)]
                assert "b" in "".join(modes) or any(keyword.arg == "encoding" for keyword in node.keywords), name


def test_the_window_neither_sleeps_nor_updates_nor_catches_everything():
    with open(os.path.join(HERE, "agon.py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            assert node.attr not in ("sleep", "setlocale", "wait_window", "wait_variable"), node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            assert node.func.attr != "update" or node.args or node.keywords, node.lineno
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None and getattr(node.type, "id", "") != "Exception", node.lineno
        assert not isinstance(node, (ast.Lambda, ast.Global))


# -- faults that were found by playing, each with its cure --

def test_enter_on_the_cancel_button_does_not_confirm(window):
    window.app.on_resign()
    window.root.update()
    dialog = window.app.dialog
    dialog.cancel_button.focus_force()
    window.root.update()
    dialog.cancel_button.event_generate("<Return>")
    window.root.update()
    assert window.app.game.outcome() is None and not dialog.winfo_exists()


def test_saving_while_looking_back_keeps_the_later_moves(window, tmp_path):
    for source, target in (("b1", "c2"), ("b7", "c7"), ("k1", "k2")):
        window.drag(source, target)
        window.rest()
    window.app.go_to(1)
    path = str(tmp_path / "game.agon")
    window.app.files.save(path)
    window.app.new_game(agon.NewGame((0, 0), 1, False, Rules()))
    window.app.files.load(path)
    assert window.moves() == ["b1-c2"] and len(window.app.game.undone) == 2


def test_looking_through_a_resigned_game_does_not_revive_it(window):
    window.drag("b1", "c2")
    window.rest()
    window.app._resign(BLACK, None)
    window.app.on_previous()
    window.app.on_next()
    assert window.app.game.outcome() == Outcome(WHITE, Ending.RESIGNATION) and window.app.mode is agon.Mode.OVER


def test_a_resignation_can_be_taken_back_even_before_the_first_move(window):
    window.app._resign(WHITE, None)
    assert window.app.menus.is_possible("on_undo")
    window.app.on_undo()
    window.rest()
    assert window.app.game.outcome() is None


def test_looking_back_onto_a_pass_keeps_the_moves_behind_it(window):
    window.set_up("Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w")
    window.until(lambda: window.moves() == ["--"])
    window.rest()
    window.app.attempt(window.app.game.legal_moves()[0], None)
    window.rest()
    window.app.go_to(0)
    window.root.after(4 * agon.PASS_MS, window.app.say, "say_start")
    window.until(lambda: window.app.message)
    assert window.moves() == [] and len(window.app.game.undone) == 2


def test_undo_is_whole_even_when_something_else_happens_during_its_animation(window, monkeypatch):
    monkeypatch.setattr(agon, "GLIDE_MS", 5000)
    window.set_up(str(Position.start()), levels=(0, 1))
    window.app.settings["animation"] = False
    window.app.attempt(mv("b1-c2"), None)
    window.until(lambda: len(window.moves()) == 2)
    window.app.settings["animation"] = True
    window.app.on_undo()
    assert window.app.mode is agon.Mode.ANIMATING and window.moves() == []
    window.app.set_level(2)
    assert window.moves() == [] and window.shows_the_position()


def test_redo_is_kept_for_the_next_start(window, tmp_path):
    for source, target in (("b1", "c2"), ("b7", "c7")):
        window.drag(source, target)
        window.rest()
    window.app.on_undo()
    window.rest()
    window.app.on_redo()
    window.rest()
    kept = Game.load(str(tmp_path / "home" / "autosave.agon"))
    assert len(kept.moves) == 2 and "Ply" not in kept.headers


def test_names_in_a_file_survive_opening_and_saving(window, tmp_path):
    path = str(tmp_path / "game.agon")
    Game(headers={"White": "Ada", "Black": "Computer level 3"}).save(path)
    window.app.files.load(path)
    window.app.files.save(path)
    assert Game.load(path).headers["White"] == "Ada"
    assert window.app.players == [agon.Player(), agon.Player(3)]


def test_a_replaced_game_can_be_brought_back(window):
    window.drag("b1", "c2")
    window.rest()
    window.app.new_game(agon.NewGame((0, 0), 1, False, Rules()))
    assert window.moves() == [] and window.app.menus.is_possible("on_previous_game")
    window.app.on_previous_game()
    assert window.moves() == ["b1-c2"] and window.shows_the_position()


def test_a_position_without_pieces_is_not_pasted(window):
    window.drag("b1", "c2")
    window.rest()
    window.root.clipboard_clear()
    window.root.clipboard_append(" / w")
    window.app.files.on_paste()
    assert window.moves() == ["b1-c2"]


def test_a_second_window_has_a_game_of_its_own(window, tmp_path, monkeypatch):
    window.drag("b1", "c2")
    window.rest()
    second = open_window(tmp_path, monkeypatch, adopt=False)
    assert second.moves() == []
    second.app.adopt(Game(), [agon.Player(), agon.Player()])
    second.drag("k1", "k2")
    second.rest()
    second.app.on_close()
    assert Game.load(str(tmp_path / "home" / "autosave.agon")).moves == window.app.game.moves
    assert Game.load(str(tmp_path / "home" / "autosave-2.agon")).moves == (mv("k1-k2"),)


def test_the_keyboard_works_from_the_start(window):
    window.root.focus_force()
    window.view.focus_set()
    window.root.update()
    assert window.root.focus_get() == window.view


def test_typing_works_after_a_click_in_the_move_list(window):
    window.app.moves.text.focus_force()
    window.root.update()
    for key in ("b", "1", "c", "2", "Return"):
        window.app.moves.text.event_generate(f"<Key-{key}>")
    window.rest()
    assert window.moves() == ["b1-c2"]


def test_an_engine_that_dies_during_a_drag_puts_the_piece_back(window):
    window.app.on_hint()
    window.carry("b1", "c2")
    window.app.computer.engine._process.kill()
    window.until(lambda: "beendet" in window.app.message)
    assert window.app.mode is agon.Mode.IDLE and window.app.hand.selected is None and window.shows_the_position()
    assert "Strg+P" not in window.app.message


def test_a_double_click_on_the_target_says_nothing(window):
    window.click("b1")
    window.click("c2")
    window.rest()
    window.click("c2")
    assert window.app.message == ""


def test_the_computer_takes_no_draw_at_the_very_beginning(tmp_path, monkeypatch):
    script = ("import sys\nfor line in sys.stdin:\n    if line == 'agon\\n': print('agonok', flush=True)\n"
              "    if line.startswith('go'): print('info depth 1 score 900 nodes 9 time 1 pv b1-c2');"
              "print('bestmove b1-c2', flush=True)")
    window = open_window(tmp_path, monkeypatch, (sys.executable, "-c", script))
    window.set_up(str(Position.start()), levels=(0, 3))
    window.app._offer_draw(None)
    window.rest()
    assert window.app.game.outcome() is None
    window.app.on_close()


def test_pausing_stays_visible(window):
    window.set_up(str(Position.start()), levels=(1, 1))
    window.until(lambda: len(window.moves()) >= 1)
    window.app.on_pause()
    window.app.on_escape()
    assert "Strg+P" in status(window) and "angehalten" in window.app.context.cget("text")


def test_menu_entries_without_meaning_are_grey(window):
    bar = window.root.nametowidget(window.root.cget("menu"))
    menu = bar.nametowidget(bar.entrycget(1, "menu"))
    entries = dict(agon.MENUS)["menu_game"]
    window.app.menus.set_states(menu, entries)
    states = {entry.key: menu.entrycget(index, "state") for index, entry in enumerate(entries) if entry is not None}
    assert states["undo"] == states["swap"] == states["move_now"] == "disabled"
    assert states["new_game"] == states["resign"] == states["hint"] == "normal"


def test_context_menus_do_not_pile_up(window):
    def menus():
        return [child for child in window.root.winfo_children() if isinstance(child, agon.tk.Menu)]
    window.app.menus.show_context_menu(5, 5)
    window.app.forget("menu")
    before = len(menus())
    for _ in range(5):
        window.app.menus.show_context_menu(5, 5)
        window.app.forget("menu")
    assert len(menus()) == before


def test_turning_the_board_during_a_glide_finishes_it(window, monkeypatch):
    monkeypatch.setattr(agon, "GLIDE_MS", 5000)
    window.app.attempt(mv("b1-c2"), None)
    assert window.app.hand.carried
    window.app.on_flip()
    assert window.app.hand.carried == () and window.shows_the_position()


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("size, zoom", [("640x480", 0), ("640x480", 3), ("800x600", 3), ("800x600", 8), ("1060x820", 8)])
def test_no_sentence_below_the_board_is_cut_off(window, language, size, zoom):
    window.app.set_language(language)
    window.app._change_look(zoom=zoom)
    window.root.geometry(size)
    window.root.update()
    window.until(lambda: "arrange" not in window.app._jobs)
    height = int(window.app._status_box.cget("height"))
    for key in agon.TEXTS:
        if key.startswith(("say_", "no_", "end_")):
            text = re.sub(r"\{\w+\}", "Strg+Umschalt+P", agon.TEXTS[key][0 if language == "de" else 1])
            window.app._render_status(text)
            name = str(window.app.status.cget("font"))
            font = next(font for font in window.app.fonts.values() if str(font) == name)
            lines = agon.wrapped_lines(text, font, window.app._status_width)
            assert lines * font.metrics("linespace") <= height, text


def test_wedges_point_from_the_enclosing_pieces(window):
    window.set_up("Qf2 e5 h4 / Qf10 e4 e6 g8 w")
    points = window.view.coords(window.view._wedges[parse_cell("e5")])
    x, y = window.view.layout.centre(parse_cell("e5"))
    assert all(abs(px - x) < abs(py - y) for px, py in zip(points[::2], points[1::2]))


@pytest.mark.parametrize("flipped", [False, True])
def test_rank_numbers_stand_beside_the_board(window, flipped):
    window.app.settings.update(ranks=True, flipped=flipped)
    window.app._apply_look()
    window.app.arrange()
    for item in window.view._ranks.values():
        point = window.view.coords(item)
        assert window.view.itemcget(item, "state") == "normal"
        assert window.view.layout.cell_at(*point) is None and point[0] > 0


def click_button(window, button):
    """A real click on a button of the page or the panel."""
    window.root.update()
    place = {"x": button.winfo_width() // 2, "y": button.winfo_height() // 2}
    for sequence in ("<Enter>", "<ButtonPress-1>", "<ButtonRelease-1>"):
        button.event_generate(sequence, **place)
    window.root.update()


def test_the_keyboard_cursor_names_the_pieces_it_meets(window):
    for direction in ("<Tab>", "<Left>", "<Up>"):
        window.view.event_generate(direction)
        window.root.update()
        cell = window.app.hand.cursor
        expected = window.app.texts("say_guard", side=WHITE, cell=cell_name(cell))
        if window.app.game.position.side_at(cell) == WHITE and not window.app.game.position.is_queen(cell):
            assert window.app.status.cget("text") == expected
    window.app.hand.cursor = parse_cell("f11")
    window.app.hand._speak_cursor()
    assert window.app.status.cget("text") == "f11: K\u00f6nigin (Schwarz)" and not window.errors


@pytest.mark.parametrize("activity", ["on_tour", "on_puzzles", "on_set_up"])
def test_a_button_of_a_page_gives_the_keyboard_back_to_the_board(window, activity, monkeypatch):
    monkeypatch.setattr(window.app.files, "_ask_path", lambda **_: "")
    window.root.focus_force()
    window.app.moves.text.focus_set()
    getattr(window.app, activity)()
    window.root.update()
    assert window.root.focus_get() is window.view
    for button in list(window.app.page.buttons):
        click_button(window, button)
        assert window.root.focus_get() is window.view
    assert window.app.activity is None
    window.view.event_generate("<space>")
    window.drag("b1", "c2")
    window.rest()
    assert window.moves() == ["b1-c2"]


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("size, zoom", [("640x480", 0), ("640x480", 3), ("800x600", 0), ("1000x700", 0), ("640x480", 12)])
def test_tour_puzzles_and_set_up_fit_beside_the_board(window, language, size, zoom):
    window.app.set_language(language)
    window.app._change_look(zoom=zoom)
    window.root.geometry(size)
    window.root.update()
    for activity, pages in (("on_tour", len(agon.LESSONS)), ("on_puzzles", 3), ("on_set_up", 1)):
        getattr(window.app, activity)()
        for number in range(pages):
            if pages > 1:
                window.app.activity.open(number)
            else:
                window.app.activity.click(parse_cell("b1"))
                window.app.activity.on_play()  # it complains that a guard is missing
            window.root.update()
            page = window.app.page
            for label in (page.heading, page.text, page.task, page.feedback, *page.choices.winfo_children()):
                assert label.winfo_reqwidth() <= label.winfo_width(), label.cget("text")
                assert label.winfo_rootx() + label.winfo_width() <= page.winfo_rootx() + page.winfo_width()
            for button in page.buttons:
                assert window.app.fonts["body"].measure(button.cget("text")) < button.winfo_width() - 8
                assert button.winfo_rooty() + button.winfo_height() <= window.root.winfo_rooty() + window.root.winfo_height()
            assert page.winfo_reqheight() <= page.winfo_height(), (activity, number)


def test_a_switch_in_the_menu_leaves_the_open_pages_alone(window):
    window.root.focus_force()
    window.app.on_help()
    window.root.update()
    page = window.app.pages["on_help"].main
    page.see("20.0")
    place = page.index("@0,0")
    window.view.focus_force()
    window.root.update()
    window.app.menus.switches["ranks"].set(True)
    window.app.on_switch("ranks")
    window.root.update()
    assert window.app.pages["on_help"].main is page and page.index("@0,0") == place
    window.app.set_language("en")
    window.root.update()
    page = window.app.pages["on_help"]
    assert page.title() == window.app.texts("help") and "Aim" in page.main.get("1.0", "end")
    assert window.root.focus_get() is window.view


def test_the_conversation_may_be_opened_before_the_program_has_said_anything(window, tmp_path):
    window.app._let_program_play((BLACK, program(tmp_path, "print('bestmove b7-c7')")))
    window.app.on_output()
    window.drag("b1", "c2")
    window.until(lambda: "< bestmove b7-c7" in window.app.pages["on_output"].main.get("1.0", "end"))


@pytest.mark.parametrize("activity", ["on_tour", "on_puzzles", "on_set_up"])
def test_a_pause_outlasts_an_activity(window, activity):
    window.app.adopt(Game(), [agon.Player(1), agon.Player(1)])
    window.until(lambda: len(window.moves()) >= 2)
    window.app.on_pause()
    moves = window.moves()
    getattr(window.app, activity)()
    window.app.activity.close()
    window.root.update()
    assert window.app.is_paused and window.moves() == moves and window.app.mode is agon.Mode.IDLE


def test_a_game_between_computers_waits_when_it_is_opened(window, tmp_path):
    path = tmp_path / "computers.agon"
    game = Game(headers={"White": "Computer level 1", "Black": "Computer level 2"})
    game.play(mv("b1-c2"))
    game.save(str(path))
    window.app.files.load(str(path))
    assert window.app.is_paused and window.app.mode is agon.Mode.IDLE and window.moves() == ["b1-c2"]
    window.app.files.on_copy_game()
    window.app.adopt(Game(), [agon.Player(), agon.Player()])
    window.app.files.on_paste()
    assert window.app.is_paused and window.app.mode is agon.Mode.IDLE and window.moves() == ["b1-c2"]


def test_the_panel_stands_still_while_two_computers_play(window):
    window.app.adopt(Game(), [agon.Player(1), agon.Player(2)])
    seen = set()
    for count in range(6):
        window.until(lambda: len(window.moves()) > count)
        seen.add((window.app.context.cget("text").partition(" \u00b7 ")[2], window.app.mode is agon.Mode.THINKING))
    assert {text for text, _ in seen} == {"Stufe 1 \u2013 Stufe 2"}
    window.app.on_pause()


def test_a_tree_can_be_read_by_keyboard_and_left_by_escape(window):
    window.app.on_tree()
    tree = window.app.pages["on_tree"].tree
    window.until(lambda: tree.exists("0.1"))
    assert tree.focus() == "0"
    tree.selection_set("0.1")
    window.until(lambda: window.app.preview is not None)
    window.view.focus_force()
    window.view.event_generate("<Escape>")
    assert window.app.preview is None
    tree.selection_set("0.1")
    window.until(lambda: window.app.preview is not None)
    for key in "b1c2":
        window.view.event_generate(f"<Key-{key}>")
    window.view.event_generate("<Return>")
    window.rest()
    assert window.moves() == ["b1-c2"]


def test_praise_is_green_and_a_hint_clears_old_marks(window, monkeypatch):
    monkeypatch.setattr(agon, "REPLY_MS", 10)
    window.app.on_puzzles()
    book = window.app.activity
    book.open(next(i for i, puzzle in enumerate(agon.PUZZLES) if puzzle.goal == "win" and puzzle.moves == 2))
    own = next(cell for cell in CELLS if window.app.game.position.side_at(cell) == book.side)
    window.app.attempt(Move(own, own), None)
    assert window.app.tried is not None
    book.on_hint()
    window.until(lambda: window.app.hint is not None)
    assert window.app.tried is None and not window.app.causes
    window.app.attempt(window.app.hint, None)
    window.until(lambda: book.feedback.startswith("Gut!"))
    assert str(window.app.page.feedback.cget("style")) == "Good.TLabel"
    window.app.set_language("en")
    assert book.feedback == "Good! Now it can be done in one move."


def test_a_move_whose_judge_has_failed_can_be_made_again(window, monkeypatch):
    monkeypatch.setattr(agon, "WRONG_MS", 10)
    window.app.on_puzzles()
    book = window.app.activity
    book.open(next(i for i, puzzle in enumerate(agon.PUZZLES) if puzzle.goal == "win" and puzzle.moves == 4))
    window.app.attempt(window.app.game.legal_moves()[0], None)
    window.until(lambda: window.app.mode is agon.Mode.THINKING)
    window.app.computer.engine._process.kill()
    window.until(lambda: book.feedback == window.app.texts("puzzle_failed") and not window.moves())
    assert book.accepts_moves


def test_reasons_of_the_system_are_told_in_the_language_chosen(window, tmp_path, monkeypatch):
    window.app._let_program_play((WHITE, "no-such-program"))
    window.until(lambda: "no-such-program" in window.app.status.cget("text"))
    assert "(Datei oder Ordner gibt es nicht)" in window.app.status.cget("text")
    (tmp_path / "taken").write_text("", "utf-8")
    monkeypatch.setenv("AGON_HOME", str(tmp_path / "taken"))
    window.app.files.autosave()
    assert "ist eine Datei" in window.app.notice


def test_the_tools_of_the_set_up_work_every_time(window):
    for _ in range(2):
        window.app.on_set_up()
        for button in window.app.page.choices.winfo_children():
            if isinstance(button, agon.ttk.Radiobutton):
                button.invoke()
                assert window.app.activity.tool == button.cget("value")
        window.app.activity.close()


def test_the_first_window_has_its_size(tmp_path, monkeypatch):
    window = open_window(tmp_path, monkeypatch)
    em = window.app.fonts["body"].measure("m")
    assert window.root.winfo_width() == min(agon.FIRST_WIDTH * em, window.root.winfo_screenwidth() - 40)
    assert window.root.winfo_height() == min(agon.FIRST_HEIGHT * em, window.root.winfo_screenheight() - 100)
    window.app.on_close()


def test_a_save_that_failed_is_forgotten_when_the_next_succeeds(window, tmp_path, monkeypatch):
    gate = threading.Event()

    def fail(name, text):
        gate.wait(20)
        raise AgonError("unwritable", reason="a reason")

    with monkeypatch.context() as patch:
        patch.setattr(agon, "write_user_file", fail)
        window.app.files.autosave()
        saver = window.app.files._saver
        gate.set()
        saver.join(20)
    window.app.files.autosave()
    assert window.app.notice == ""


def test_no_program_no_game(window, tmp_path):
    window.app.on_own_program()
    dialog = window.app.dialog
    dialog.command_text.set("  ")
    dialog.on_ok()
    assert dialog.winfo_exists()
    dialog.on_cancel()
    path = tmp_path / "a b.py"
    path.write_text("", "utf-8")
    assert agon_ai.program_command(str(path)) == (sys.executable, str(path))


def test_the_analysis_goes_on_when_a_program_has_failed(window, tmp_path):
    window.app.settings["analysis"] = True
    window.app._let_program_play((WHITE, program(tmp_path, "sys.exit(1)")))
    window.until(lambda: window.app.analyst.engine.is_busy)
    assert window.app.is_paused


def test_the_place_in_the_game_is_kept(window, tmp_path):
    for source, target in (("b1", "c2"), ("d1", "e2")):
        window.drag(source, target)
        window.rest()
    window.app.on_first()
    game = Game.load(str(tmp_path / "home" / "autosave.agon"))
    assert game.moves == () and len(game.undone) == 2


def test_the_menu_offers_what_the_keys_do_in_an_activity(window):
    window.app.on_puzzles()
    assert all(window.app.menus.is_possible(method) for method in ("on_hint", "on_next", "on_previous"))
    assert not any(window.app.menus.is_possible(method) for method in ("on_undo", "on_first", "on_resign"))
    window.app.on_tour()
    assert window.app.menus.is_possible("on_next") and not window.app.menus.is_possible("on_hint")
    window.app.on_set_up()
    assert not window.app.menus.is_possible("on_next")


def test_a_slow_folder_does_not_hold_the_game_up(window, tmp_path, monkeypatch):
    window.app.adopt(Game(), [agon.Player(), agon.Player()])
    gate, written = threading.Event(), []

    def slowly(name, text):
        if name == window.app.files.autosave_name:
            gate.wait(20)
            written.append(text)
        agon_core.write_safely(str(tmp_path / "home" / name), text)

    monkeypatch.setattr(agon, "write_user_file", slowly)
    for source, target in (("b1", "c2"), ("d1", "e2"), ("a5", "b5")):
        window.drag(source, target)
        window.rest()
    assert window.moves() == ["b1-c2", "d1-e2", "a5-b5"] and not written
    gate.set()
    window.app.on_close()
    assert len(written) == 2  # the first move, and the newest when that was done
    assert len(Game.load(str(tmp_path / "home" / "autosave.agon")).moves) == 3


@pytest.mark.parametrize("activity", ["on_tour", "on_puzzles", "on_set_up"])
def test_a_game_interrupted_by_an_activity_can_be_brought_back_after_another_was_started(window, activity):
    window.drag("b1", "c2")
    window.rest()
    getattr(window.app, activity)()
    window.app.new_game(agon.NewGame((0, 0), 1, False, Rules()))
    window.app.on_previous_game()
    assert window.moves() == ["b1-c2"]


def test_a_computer_never_plays_over_moves_that_can_be_played_again(window, tmp_path):
    window.set_up(str(Position.start()), levels=(0, 1))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    window.rest()
    window.app.go_to(1)
    window.app.on_tour()
    window.app.activity.close()
    assert window.app.is_paused and len(window.app.game.undone) == 1
    window.app.files.save(str(tmp_path / "game.agon"))
    window.app.files.load(str(tmp_path / "game.agon"))
    assert window.app.is_paused and len(window.app.game.undone) == 1


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system cannot stop a process")
def test_a_stopped_analyst_does_not_hold_the_window_up(window):
    window.app.menus.switches["analysis"].set(True)
    window.app.on_switch("analysis")
    window.until(lambda: window.app.analyst.best_moves())
    os.kill(window.app.analyst.engine._process.pid, signal.SIGSTOP)
    for number in range(400):
        window.app.analyst.engine._send("position start moves " + "b1-c2 " * 40)
    window.drag("b1", "c2")
    window.rest()
    assert window.moves() == ["b1-c2"]


def test_a_program_that_only_reports_is_ended_too(window, tmp_path, monkeypatch):
    monkeypatch.setattr(agon, "START_PATIENCE", 1.0)
    monkeypatch.setattr(agon, "PROGRAM_MS", 10)
    body = "while True:\n    print('info depth 1 score 1 nodes 1 time 1 pv b7-c7', flush=True)\n    time.sleep(0.02)"
    window.app._let_program_play((BLACK, program(tmp_path, body)))
    window.drag("b1", "c2")
    window.until(lambda: "antwortet nicht mehr" in window.app.message)


def test_a_program_ends_with_its_game(window, tmp_path):
    window.app._let_program_play((BLACK, program(tmp_path, "print('bestmove b7-c7')")))
    window.drag("b1", "c2")
    window.until(lambda: len(window.moves()) == 2)
    process = list(window.app.computer.programs.values())[0]._process
    window.app.new_game(agon.NewGame((0, 0), 1, False, Rules()))
    assert window.app.computer.programs == {} and process.poll() is not None


def test_the_analysis_is_silent_during_puzzles(window):
    window.app.menus.switches["analysis"].set(True)
    window.app.on_switch("analysis")
    window.app.on_puzzles()
    assert not window.app.analyst.engine.is_busy and window.app.picture().arrows == ()


def test_the_level_does_not_touch_the_tour(window):
    window.app.on_tour()
    window.drag("b1", "c2")
    window.rest()
    step = window.app.activity.step
    window.app.set_level(5)
    assert window.app.activity.step == step


def test_two_windows_keep_each_others_solved_puzzles(window, tmp_path, monkeypatch):
    second = open_window(tmp_path, monkeypatch)
    window.app.files.remember(solved=["first"])
    second.app.files.remember(theme="dark")
    assert agon.Settings()["solved"] == ["first"] and agon.Settings()["theme"] == "dark"
    second.app.on_close()


def test_impossible_file_names_are_reported():
    for action in (lambda: Game.load("a\0b"), lambda: Game().save("a\0b")):
        with pytest.raises(AgonError):
            action()


def test_typed_moves_do_nothing_while_a_position_is_set_up(window):
    window.app.on_set_up()
    before = window.app.game.position
    press_keys(window, "b", "1", "c", "2", "Return")
    assert window.app.game.position == before


def test_many_renders_leave_no_commands_behind(window):
    window.app.on_tour()
    count = len(window.app.page.buttons[0]._tclCommands or [])
    for _ in range(20):
        window.app.render()
    assert len(window.app.page.buttons[0]._tclCommands or []) == count


# -- watching minimax --

@pytest.fixture
def tree(window):
    window.set_up("Qf2 d4 c5 h4 / Qf10 d5 g8 w")
    window.app.on_tree()
    yield window.app.dialog
    if window.app.dialog.winfo_exists():
        window.app.dialog.on_close()


def tree_is_there(tree):
    return bool(tree.tree.get_children()) and tree._job == ""


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_tree_shows_what_minimax_finds(window, tree, depth):
    tree.depth.set(depth)
    tree.on_change()
    window.until(lambda: tree_is_there(tree))
    node = agon_ai.minimax(window.app.game.position, depth)
    assert tree._nodes["0"][0].value == node.value
    assert str(node.nodes) in tree.summary.cget("text")
    assert len(tree.tree.get_children("0")) == len(window.app.game.legal_moves())


def test_a_node_is_filled_when_it_is_unfolded_and_shown_when_selected(window, tree):
    window.until(lambda: tree_is_there(tree))
    tree.tree.focus("0.1")
    tree.on_open()
    child = tree.tree.get_children("0.1")[0]
    tree.tree.selection_set(child)
    window.root.update()
    shown = window.view.picture
    assert shown.position == tree._nodes[child][1] != window.app.game.position
    window.drag("h4", "g4")
    assert window.moves() == []
    tree.on_close()
    assert window.view.picture.position == window.app.game.position


def test_cut_branches_say_why(window, tree):
    window.until(lambda: tree_is_there(tree))
    notes = [tree.tree.set(child, "note") for child in tree.tree.get_children("0")]
    assert any("abgeschnitten" in note and "α" in note for note in notes)
    tree.pruned.set(False)
    tree.on_change()
    window.until(lambda: tree_is_there(tree))
    notes = [tree.tree.set(child, "note") for child in tree.tree.get_children("0")]
    assert not any("abgeschnitten" in note for note in notes)


def test_closing_the_tree_while_it_is_computed_leaves_no_process(window, tree):
    tree.depth.set(3)
    tree.on_change()
    process = tree.engine._process
    tree.on_close()
    assert process.returncode is not None


def test_a_tree_that_is_too_big_is_refused_in_a_sentence(window):
    window.set_up("Qf6 c5 d6 f5 g3 g5 h5 / Qe6 c6 e5 e7 f3 g4 g6 w")
    window.app.on_tree()
    tree = window.app.dialog
    tree.pruned.set(False)
    tree.depth.set(3)
    tree.on_change()
    window.until(lambda: tree.summary.cget("text") == window.app.texts("tree_too_big"))
    assert tree.tree.get_children() == () and not tree.engine.is_busy
    tree.on_close()


# -- puzzles --

@pytest.mark.skipif(agon is None, reason="no tkinter")
def test_there_are_enough_puzzles_of_every_kind_in_order_of_difficulty():
    assert len(agon.PUZZLES) >= 24 and len({puzzle.position for puzzle in agon.PUZZLES}) == len(agon.PUZZLES)
    assert {(puzzle.goal, puzzle.moves) for puzzle in agon.PUZZLES} >= {("win", 1), ("win", 2), ("win", 3), ("trap", 1)}
    difficulty = [(puzzle.moves, puzzle.goal == "win") for puzzle in agon.PUZZLES]
    assert difficulty == sorted(difficulty)


@takes_long
@pytest.mark.skipif(agon is None, reason="no tkinter")
@pytest.mark.parametrize("puzzle", agon.PUZZLES if agon else [], ids=lambda puzzle: puzzle.position)
def test_a_puzzle_has_the_solution_it_promises(puzzle):
    game = Game(pos(puzzle.position))
    if puzzle.goal != "win":
        assert len(moves_that_reach(puzzle.goal, game)) == 1
        return
    complete = agon_ai.Tricks(reductions=False)  # every line of play is looked at
    analysis = agon_ai.search(game, depth=2 * puzzle.moves - 1, tricks=complete)
    assert agon_ai.score_text(analysis.score) == f"win in {puzzle.moves}"
    if puzzle.moves > 1:
        sooner = agon_ai.search(game, depth=2 * puzzle.moves - 3, tricks=complete)
        assert "win" not in agon_ai.score_text(sooner.score)


def test_a_puzzle_is_solved_with_the_mouse_against_the_best_defence(window, monkeypatch):
    monkeypatch.setattr(agon, "REPLY_MS", 10)
    window.app.on_puzzles()
    book = window.app.activity
    book.open(next(i for i, puzzle in enumerate(agon.PUZZLES) if puzzle.goal == "win" and puzzle.moves == 2))
    for _ in range(2):
        window.until(lambda: book.accepts_moves and window.app.mode is agon.Mode.IDLE)
        best = agon_ai.search(window.app.game, depth=2 * book.moves_left - 1).move
        window.drag(cell_name(best.source), cell_name(best.target))
        window.until(lambda: window.app.mode is agon.Mode.IDLE)
    window.until(lambda: book.is_solved)
    assert book.puzzle.position in agon.Settings()["solved"]


def test_a_move_that_lets_the_win_slip_is_refuted_and_taken_back(window, monkeypatch):
    monkeypatch.setattr(agon, "WRONG_MS", 10)
    window.app.on_puzzles()
    book = window.app.activity
    book.open(next(i for i, puzzle in enumerate(agon.PUZZLES) if puzzle.goal == "win" and puzzle.moves == 2))
    for move in window.app.game.legal_moves():
        after = window.app.game.position.play(move)
        answer = agon_ai.search(Game(after), depth=2)
        if "loss" not in agon_ai.score_text(answer.score):
            break
    window.drag(cell_name(move.source), cell_name(move.target))
    window.until(lambda: book.feedback == window.app.texts("puzzle_refuted") and not window.moves())
    window.rest()
    assert window.shows_the_position() and not book.is_solved


def test_the_solution_plays_itself(window, monkeypatch):
    monkeypatch.setattr(agon, "REPLY_MS", 10)
    window.app.on_puzzles()
    book = window.app.activity
    book.open(next(i for i, puzzle in enumerate(agon.PUZZLES) if puzzle.goal == "win" and puzzle.moves == 3))
    book.on_solution()
    window.until(lambda: book.is_solved)
    assert len(window.moves()) == 5 and book.feedback == window.app.texts("puzzle_shown")
    assert book.puzzle.position not in window.app.settings["solved"]


@pytest.mark.parametrize("goal", ["win", "trap", "trap_two"])
def test_the_hint_of_a_puzzle_is_its_first_move(window, goal):
    window.app.on_puzzles()
    book = window.app.activity
    book.open(next(i for i, puzzle in enumerate(agon.PUZZLES) if puzzle.goal == goal and puzzle.moves == 1))
    book.on_hint()
    window.until(lambda: window.app.hint is not None)
    assert window.app.hint in moves_that_reach(goal, window.app.game)


# === 15. What the README says is true ============================================

COMMANDS = re.findall(r"^    (python agon_ai\.py .*)$", readme(), re.M)


@pytest.fixture(scope="module")
def copied_folder(tmp_path_factory):
    """The program as a teacher copies it, with the player of the README saved beside it."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("agon.py", "agon_core.py", "agon_ai.py"):
        shutil.copy(os.path.join(HERE, name), folder / name)
    shutil.copytree(os.path.join(HERE, "classroom"), folder / "classroom")
    source = re.search(r"```python\n(.*?)```", readme(), re.S).group(1)
    (folder / "hopper.py").write_text(source, "utf-8")
    return folder


#: What the commands of the README print, by their first words: a pattern for all of the output.
OUTPUTS = {
    "check": r"(?s)good   starts and says agonok after [\d.]+ s\ngood   calls itself Trapper\n.*"
             r"\nIt can play\. Faults: 0, notes: \d\.\n",
    "tournament": r"""(?s).* no  name +\d +\d +\d +points +won drawn  lost errors
(?=.*^ +1\. level1 .* 0$)(?=.*^ +2\. level2 .* 0$)(?=.*^ +3\. Hopper .* 0$).*""",
    "match": r"(?s)(.*\n)?level\S+ vs level\S+: \d wins, \d draws, \d losses, [\d.]+ %, Elo [^\n]+\n",
    "learn": r"(?s)round 1: error on \d+ positions not seen [\d.]+ before\n( +\d+ games, +\d+ positions: error [\d.]+\n){4}"
             r"WEIGHTS = Weights\(\n.*\)\n",
    "bench": r"(?s)perft 4: 466551 moves, [\d,]+ moves/s\n(depth +\d+, +\d+ nodes, score [^\n]+\n){6}"
             r"search: [\d,]+ nodes/s\n",
    "analyse": r"(?s)(info depth \d score -?\d+ nodes \d+ time \d+ pv [^\n]+\n){4}"
               r"best move \S+, score -?\d+ for White\n",
    "tree": r"(?s)node 0 root value = \S+ alpha -inf beta inf nodes 28 best \S+\n(node 0\.\d+ \S+ value = [^\n]+\n){27}"
            r"expected \S+\ntreeok plain 28 pruned 28\n",
}
#: The same commands, but quick: less time, and games that end after twelve moves.
QUICKER = {"--rounds 2": "--rounds 1", "--movetime 200": "--movetime 10", "bench": "bench --seconds 0.01",
           "--games 200 --nodes 2000": "--games 5 --nodes 20"}
SHORT_GAMES = "import agon_ai, sys; agon_ai.LONGEST_GAME = 12; sys.exit(agon_ai.main(sys.argv[1:]))"


@takes_long
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_readme_works(copied_folder, command):
    for slow, quick in QUICKER.items():
        command = command.replace(slow, quick)
    words = shlex.split(command)
    done = subprocess.run([sys.executable, "-c", SHORT_GAMES, *words[2:]], cwd=copied_folder, capture_output=True,
                          encoding="utf-8", timeout=240)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(OUTPUTS[words[2]], done.stdout, re.M), done.stdout
    if "--save" in words:
        games = games_of(copied_folder)
        assert sorted(games) == [f"tournament-{pair}-00{number}.agon" for pair in ("1-2", "1-3", "2-3")
                                 for number in (1, 2)]
        assert all(game.outcome() for game in games.values())


def test_the_readme_names_the_commands_to_play_and_to_test():
    lines = readme().splitlines()
    assert "    python agon.py" in lines and "    python -m pytest" in lines


def test_the_game_file_of_the_readme_can_be_read():
    game = Game.from_text(re.search(r"```\n(\[Format.*?)```", readme(), re.S).group(1))
    assert len(game.moves) == 4 and game.rules == Rules(queen_first=True) and game.comments == {2: "a remark"}


def test_the_pictures_of_the_readme_are_there():
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", readme())
    assert len(pictures) >= 2
    for picture in pictures:
        with open(os.path.join(HERE, picture), "rb") as file:
            assert file.read(8) == b"\x89PNG\r\n\x1a\n"


def test_the_project_is_the_five_files_and_little_else():
    here = {name for name in os.listdir(HERE) if not name.startswith(".") and name != "__pycache__"}
    assert here == {"agon.py", "agon_core.py", "agon_ai.py", "test_agon.py", "README.md", "classroom", "docs"}
