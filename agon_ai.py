"""The computer player of Agon: evaluation, search, levels and engine protocol.

    >>> analysis = search(Game(), depth=2)
    >>> analysis.depth
    2

Contents
    1. Vocabulary     scores and what a search reports
    2. Evaluation     how good is a position, in hundredths of a guard's step
    3. Minimax        the idea in its plainest form, with and without alpha-beta
    4. Search         the same result with far less work
    5. Levels         from a child's first game to all the program can
    6. Protocol       `serve`: talking to the window and to other programs
    7. Engines        programs in child processes that are spoken to by the protocol
    8. Match          engines play each other
    9. Page           a tournament to look at while it goes on
    10. Check         does a program speak the protocol?
    11. Bench         how fast is it
    12. Learning      the numbers of the evaluation, from games against itself
    13. Explanations  why a position is worth what it is, and what a move is good for
    14. Review        the mistakes in a game
    15. Puzzles       found in games against itself, proven, and put in order
    16. Link          two computers play each other
    17. Command line
"""

import argparse
import collections
import csv
import errno
import gc
import html
import io
import json
import math
import os
import queue
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections import Counter
from functools import lru_cache, partial, wraps
from itertools import combinations
from typing import IO, Any, BinaryIO, Callable, Counter as CounterOf, Deque, Dict, FrozenSet, Generator, Iterator
from typing import TYPE_CHECKING, List, NamedTuple, NoReturn, Optional, Sequence, TextIO, Tuple, Union

from agon_core import (
    BLACK, BOARD, CELLS, COLUMN, DEFAULT_RULES, INNER, LANGUAGES, LINES, NEIGHBOURS, OUTER, PASS_CHANGE, PRINT,
    QUIET_MOVES_TO_DRAW, RADIUS, REPETITIONS_TO_DRAW, RING, RINGS, ROW, STEPS, STEP_BITS, STEP_CHANGES, THRONE,
    THRONE_BIT, WHITE, AgonError, Bits, Cell, Diagram, Ending, ForcedWins, Game, IllegalMove, Move, Position, Refusal,
    Rules, axial, between, bits, board_sheet, cell_name, cells_of, change_of, count_possible, diagrams_svg, enclosures,
    flanked, game_sheet, has_won, is_placing, lessons_of, load_games, load_lessons, move_of,
    moves_that_reach, moves_to_go, perft, popcount, position_tasks, possible_changes, puzzle_sheet, puzzle_tasks,
    read_text, rules_sheet, surrounds_empty_throne, trapping_cells, trapping_changes, write_games, write_safely)

if TYPE_CHECKING:
    import socket  # used by `link` alone, which imports it itself: every engine would wait for it at its start

# --- 1. Vocabulary ---------------------------------------------------------------

#: The score of a won position; a win n plies away scores WIN - n.
WIN = 1_000_000
#: Scores beyond this mean that the win (or loss) is certain.
SURE_WIN = WIN - 1000
INFINITY = WIN + 1
DRAW = 0
MAX_DEPTH = 64


class Line(NamedTuple):
    """One line of play: its score for the side to move and its moves."""

    score: int
    pv: Tuple[Move, ...]


class Analysis(NamedTuple):
    """What a search has found out.

    `score` is in hundredths of a guard's step, from the view of the side to
    move (see `score_text`); `depth` in plies; `pv` is the principal variation;
    `lines` holds the best lines, best first, when more than one was asked for.
    """

    move: Move
    score: int
    depth: int
    nodes: int
    seconds: float
    pv: Tuple[Move, ...]
    lines: Tuple[Line, ...]


def score_text(score: int) -> str:
    """A score as the protocol shows it: '35', 'win in 3' or 'loss in 2' (own moves).

    >>> score_text(35), score_text(WIN - 1), score_text(WIN - 3), score_text(2 - WIN)
    ('35', 'win in 1', 'win in 2', 'loss in 1')
    """
    if score > SURE_WIN:
        return f"win in {(WIN - score + 1) // 2}"
    if score < -SURE_WIN:
        return f"loss in {(WIN + score + 1) // 2}"
    return str(score)


# --- 2. Evaluation ---------------------------------------------------------------
# The value of a position is a sum of counts, each times its weight.  `counts` makes the counts one by one, to be read,
# explained and learnt from; `Evaluation` finds the same sum fast.


def _kind(cell: Cell) -> Tuple[int, int]:
    """What the twelve symmetries of the board leave of a cell: its ring, and the steps to the ring's nearest corner."""
    q, r = axial(cell)
    return RING[cell] or 0, min(abs(q), abs(r), abs(q + r))


#: The twelve kinds of cells, from the throne outwards, and the number of each cell's kind.
KINDS: Tuple[Tuple[int, int], ...] = tuple(sorted({_kind(cell) for cell in CELLS}))
KIND: Dict[Cell, int] = {cell: KINDS.index(_kind(cell)) for cell in CELLS}
#: Rings 0 to 3, and rings 4 and 5.
INSIDE: Bits = RINGS[0] | RINGS[1] | RINGS[2] | RINGS[3]
OUTSIDE: Bits = RINGS[4] | RINGS[5]


def _round_the_throne() -> Tuple[Cell, ...]:
    """The cells of ring 1 in the order in which they lie round the throne."""
    q, r = 1, 0
    cells = []
    for _ in range(6):
        cells.append(THRONE + q * COLUMN + r * ROW)
        q, r = -r, q + r
    return tuple(cells)


_GOALS = _round_the_throne()


def _pattern(guards: Bits) -> str:
    """The guards on ring 1 as 'x' and free cells as '.', turned and mirrored so that all symmetric cases look alike.

    >>> _pattern(bits([_GOALS[0], _GOALS[3]]))
    'x..x..'
    """
    signs = "".join("x" if guards >> goal & 1 else "." for goal in _GOALS)
    turned = [signs[turn:] + signs[:turn] for turn in range(6)]
    return max(turned + [text[::-1] for text in turned])


#: The patterns of guards on ring 1, the fewest guards first, and the number of the pattern by the set of guards.
PATTERNS: Tuple[str, ...] = tuple(sorted(
    {_pattern(bits(goals)) for count in range(7) for goals in combinations(_GOALS, count)},
    key=lambda text: (text.count("x"), text)))
PATTERN: Dict[Bits, int] = {
    bits(goals): PATTERNS.index(_pattern(bits(goals))) for count in range(7) for goals in combinations(_GOALS, count)}


def _aims() -> Dict[Bits, Bits]:
    """By a guard's bit: the cells of ring 1 to which steps inwards alone lead."""
    aims = {1 << goal: 1 << goal for goal in _GOALS}
    for ring in range(2, RADIUS + 1):
        for cell in cells_of(RINGS[ring]):
            aims[1 << cell] = 0
            for inwards in cells_of(STEP_BITS[1 << cell] & RINGS[ring - 1]):
                aims[1 << cell] |= aims[1 << inwards]
    return aims


AIMS = _aims()


def _steps_to(goal: Cell) -> Dict[Cell, int]:
    """How many steps a guard needs at least from each cell to this one of ring 1, on an empty board."""
    steps, newest, total = {goal: 0}, [goal], 0
    while newest:
        total += 1
        newest = [cell for cell in CELLS if cell not in steps and any(to in newest for to in STEPS[cell])]
        steps.update(dict.fromkeys(newest, total))
    return steps


_STEPS_TO = [_steps_to(goal) for goal in _GOALS]
#: By cell: how many of a guard's steps to each cell of ring 1 are sideways at least; the others lead inwards.
_WAYS = {cell: tuple(steps[cell] - (RING[cell] or 0) + 1 for steps in _STEPS_TO) for cell in CELLS if cell != THRONE}
_WAY_KINDS: Tuple[Tuple[int, ...], ...] = tuple(sorted(set(_WAYS.values())))
#: By cell: its digit in the number that says how many guards have which ways (base 7: there are at most 6 guards).
WAY_DIGIT: Dict[Cell, int] = {cell: 7 ** _WAY_KINDS.index(ways) for cell, ways in _WAYS.items()}
#: By the set of goals that are taken (a bit for each of the six): every other goal, and the set with that goal.
_NEXT_GOALS: Tuple[Tuple[Tuple[int, int], ...], ...] = tuple(
    tuple((goal, taken | 1 << goal) for goal in range(6) if not taken >> goal & 1) for taken in range(64))


class Detours(Dict[int, int]):
    """The least total of sideways steps that brings each guard to a goal of its own; the key adds up WAY_DIGIT."""

    def __missing__(self, guards: int) -> int:
        rows = []
        rest = guards
        for ways in _WAY_KINDS:
            rest, count = divmod(rest, 7)
            rows += [ways] * count
        # best[taken]: the least total with which the first guards take this set of goals, one guard for each goal.
        best = [0] + [1_000] * 63
        for taken in range(64):
            number = popcount(taken)
            if number < len(rows):
                so_far, ways = best[taken], rows[number]
                for goal, following in _NEXT_GOALS[taken]:
                    if so_far + ways[goal] < best[following]:
                        best[following] = so_far + ways[goal]
        self[guards] = least = min(best[taken] for taken in range(64) if popcount(taken) == len(rows))
        return least


DETOURS = Detours()


class Weights(NamedTuple):
    """The numbers of the evaluation, in hundredths of a guard's step: made by the command `learn`.

    Every number belongs to a count that `counts` makes for the side to move, less the same for the other side; the
    last three are for the side to move alone.
    """

    #: A guard by kind of cell (KINDS), and the queen.
    guard: Tuple[int, ...]
    queen: Tuple[int, ...]
    #: Two guards side by side, both on rings 1 to 3; both on rings 4 and 5.
    beside: Tuple[int, ...]
    #: A guard beside the queen.
    escort: int
    #: The ring of the guard farthest out, and of the next one.
    last: Tuple[int, ...]
    second: Tuple[int, ...]
    #: A cell of ring 1 to which no guard's steps inwards lead.
    unaimed: int
    #: Each sideways step the guards need to come to different cells of ring 1.
    detour: int
    #: Which cells of ring 1 the guards hold (PATTERNS) when the queen is on the throne, and when she is not.
    seated: Tuple[int, ...]
    waiting: Tuple[int, ...]
    #: A cell to which a piece can step if no enemy stands there, on rings 0 to 3; on rings 4 and 5.
    reach: Tuple[int, ...]
    #: By ring, each guard of the other side that the side to move can trap with a step, when it need not relocate.
    threat: Tuple[int, ...]
    #: By ring, each guard of the side to move that the other side could trap with a step if it were to move.
    danger: Tuple[int, ...]
    #: Each trapped guard of the side to move, by kind of cell.
    trapped: Tuple[int, ...]


WEIGHTS = Weights(
    guard=(0, 524, 302, 325, 112, 137, -43, -15, 1, -182, -173, -108),
    queen=(634, 632, 262, 383, 42, 58, -175, -97, -21, -391, -228, -218),
    beside=(-55, -117),
    escort=-71,
    last=(0, 0, -189, 5, 76, 108),
    second=(0, -3, -21, 52, 4, -31),
    unaimed=-77,
    detour=-62,
    seated=(-39, 99, -31, 102, 132, 8, -9, 71, 158, 34, -70, -19, 0),
    waiting=(-81, -14, -121, -23, -4, -17, -45, -57, 79, -14, -152, 16, 0),
    reach=(16, -44),
    threat=(0, 512, 605, 391, 182, 56),
    danger=(0, -291, -327, -194, -24, 0),
    trapped=(0, -544, -492, -631, -311, -423, -115, -160, -127, 0, 32, -39))

#: A count of the evaluation: the name of its weight, and its place in the row of that name.
Term = Tuple[str, int]


def _side_counts(own: Bits, queens: Bits) -> CounterOf[Term]:
    """What is counted of one side without regard to the other."""
    counts: CounterOf[Term] = Counter()
    queen, guards = own & queens, own & ~queens
    for cell in cells_of(guards):
        counts["guard", KIND[cell]] += 1
    for cell in cells_of(queen):
        counts["queen", KIND[cell]] += 1
        counts["escort", 0] += popcount(bits(NEIGHBOURS[cell]) & guards)
    for place, region in enumerate((INSIDE, OUTSIDE)):
        for line in LINES:
            counts["beside", place] += popcount(guards & region & (guards & region) << line)
        counts["reach", place] += popcount(_union_of_steps(own) & ~own & region)
    for name, ring in zip(("last", "second"), sorted((RING[cell] or 0 for cell in cells_of(guards)), reverse=True)):
        counts[name, ring] += 1
    aims = 0
    for cell in cells_of(guards):
        aims |= AIMS[1 << cell]
    counts["unaimed", 0] += popcount(INNER & ~aims)
    counts["detour", 0] += DETOURS[sum(WAY_DIGIT[cell] for cell in cells_of(guards))]
    counts["seated" if queen == THRONE_BIT else "waiting", PATTERN[guards & INNER]] += 1
    return counts


def counts(position: Position) -> CounterOf[Term]:
    """All counts of a position for the side to move: its evaluation is their sum, each times its weight."""
    own, enemy, queens = position.own, position.enemy, position.queens
    total = _side_counts(own, queens)
    total.subtract(_side_counts(enemy, queens))
    trapped = own & between(enemy)
    for cell in cells_of(trapped & ~queens):
        total["trapped", KIND[cell]] += 1
    if not trapped:
        for cell in cells_of(_can_be_trapped(own, enemy, queens)):
            total["threat", RING[cell] or 0] += 1
    for cell in cells_of(_can_be_trapped(enemy, own, queens)):
        total["danger", RING[cell] or 0] += 1
    return total


def weight_of(weights: Weights, term: Term) -> int:
    """The number that belongs to a count."""
    row: Union[int, Tuple[int, ...]] = getattr(weights, term[0])
    return row[term[1]] if isinstance(row, tuple) else row


def _union_of_steps(own: Bits) -> Bits:
    """The cells to which steps of these pieces lead, on an empty board."""
    reach = 0
    while own:
        piece = own & -own
        own ^= piece
        reach |= STEP_BITS[piece]
    return reach


def _can_be_trapped(own: Bits, enemy: Bits, queens: Bits) -> Bits:
    """The enemy guards that the own side can trap with one step."""
    landing = _union_of_steps(own) & ~(own | enemy | between(enemy))
    return enemy & ~queens & flanked(own, landing)


class Halves(Dict[Bits, Tuple[int, Bits, Bits, int, int]]):
    """What some guards of a side are by themselves: their worth, reach, aims, how many on each ring, with which ways.

    The guards on rings 1 to 3 and those on rings 4 and 5 are looked up apart: a step changes one half, the other is
    known.
    The guards on ring n are counted by adding 8 ** n, the ways as in WAY_DIGIT.
    """

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.weights = weights

    def __missing__(self, guards: Bits) -> Tuple[int, Bits, Bits, int, int]:
        weights = self.weights
        worth = reach = aims = rings = ways = 0
        for cell in cells_of(guards):
            worth += weights.guard[KIND[cell]]
            reach |= STEP_BITS[1 << cell]
            aims |= AIMS[1 << cell]
            rings += 8 ** (RING[cell] or 0)
            ways += WAY_DIGIT[cell]
        pairs = sum(popcount(guards & guards << line) for line in LINES)
        worth += pairs * weights.beside[1 if guards & OUTSIDE else 0]
        self[guards] = half = worth, reach, aims, rings, ways
        return half


class Rears(Dict[int, int]):
    """The worth of the rings of the two guards farthest out, by the numbers of guards on the rings."""

    def __init__(self, weights: Weights) -> None:
        super().__init__()
        self.weights = weights

    def __missing__(self, rings: int) -> int:
        guards = [ring for ring in range(RADIUS, 0, -1) for _ in range(rings // 8 ** ring % 8)]
        worth = self.weights.last[guards[0]] if guards else 0
        worth += self.weights.second[guards[1]] if len(guards) > 1 else 0
        self[rings] = worth
        return worth


class SideValues(Dict[Bits, int]):
    """The worth of a side's pieces without regard to the other side's: worked out once for each set of pieces.

    There is one of these for each place of the side's queen.
    """

    def __init__(self, queen: Bits, weights: Weights, halves: Halves, rears: Rears) -> None:
        super().__init__()
        self.queen = queen
        self.halves, self.rears = halves, rears
        cell = queen.bit_length() - 1
        self.queen_worth = weights.queen[KIND[cell]] if queen else 0
        self.queen_reach = STEP_BITS.get(queen, 0)
        self.beside_queen = bits(NEIGHBOURS[cell]) if queen else 0
        row = weights.seated if queen == THRONE_BIT else weights.waiting
        self.patterns = {guards: row[number] for guards, number in PATTERN.items()}
        self.escort, self.detour = weights.escort, weights.detour
        self.reach_inside, self.reach_outside = weights.reach
        self.unaimed = {aims: weights.unaimed * (6 - popcount(aims)) for aims in PATTERN}

    def __missing__(self, own: Bits) -> int:
        guards = own ^ self.queen
        worth, reach, aims, rings, ways = self.halves[guards & INSIDE]
        worth_outside, reach_outside, aims_outside, rings_outside, ways_outside = self.halves[guards & OUTSIDE]
        reach = (reach | reach_outside | self.queen_reach) & ~own
        self[own] = value = (
            self.queen_worth + worth + worth_outside + self.rears[rings + rings_outside]
            + self.patterns[guards & INNER] + self.unaimed[aims | aims_outside]
            + self.detour * DETOURS[ways + ways_outside]
            + self.escort * popcount(guards & self.beside_queen)
            + self.reach_inside * popcount(reach & INSIDE) + self.reach_outside * popcount(reach & OUTSIDE))
        return value


class SideSteps(Dict[Bits, List[Tuple[int, Bits]]]):
    """The steps of a side on a board without enemies, each with the side's value after it, the best first.

    There is one of these for each place of the side's queen.
    """

    def __init__(self, queen: Bits, sides: Dict[Bits, SideValues]) -> None:
        super().__init__()
        self.queen = queen
        self.sides = sides

    def __missing__(self, own: Bits) -> List[Tuple[int, Bits]]:
        values = self.sides[self.queen]
        steps: List[Tuple[int, Bits]] = []
        free = ~(own | THRONE_BIT)
        guards = own ^ self.queen
        while guards:
            piece = guards & -guards
            guards ^= piece
            for change in STEP_CHANGES[piece][STEP_BITS[piece] & free]:
                steps.append((values[own ^ change], change))
        if self.queen:
            for change in STEP_CHANGES[self.queen][STEP_BITS[self.queen] & ~own]:
                steps.append((self.sides[self.queen ^ change][own ^ change], change))
        steps.sort(reverse=True)
        self[own] = steps
        return steps


class RingWorths(Dict[Bits, int]):
    """What a set of guards is worth together, by the ring of each."""

    def __init__(self, worths: Sequence[int]) -> None:
        super().__init__()
        self.worths = worths

    def __missing__(self, guards: Bits) -> int:
        self[guards] = total = sum(self.worths[RING[cell] or 0] for cell in cells_of(guards))
        return total


class Shape(NamedTuple):
    """What a set of pieces means for the other side's pieces."""

    #: The cells to which steps lead; those between two of the pieces; those next to one.
    reach: Bits
    flanks: Bits
    near: Bits
    #: After any step: where a piece may stand, and where another may step then.
    standing: Bits
    landing: Bits
    #: The cells next to where a piece may stand after any step.
    grip: Bits


class SideShapes(Dict[Bits, Shape]):
    """The shape of each set of pieces that has been met."""

    def __missing__(self, own: Bits) -> Shape:
        reach = _union_of_steps(own)
        standing = own | reach
        self[own] = shape = Shape(reach, between(own), _next_to(own), standing, reach | _next_to(reach),
                                  _next_to(standing))
        return shape


def _next_to(cells: Bits) -> Bits:
    return (cells << COLUMN | cells >> COLUMN | cells << ROW | cells >> ROW
            | cells << ROW - COLUMN | cells >> ROW - COLUMN)


#: Bounded memory: about this many values of sides, and this many lists of steps, are remembered, for all weights
#: together.  They take about 60 MB; three times as many made a search of 250,000 positions no faster.
SIDE_VALUES_KEPT = 100_000
SIDE_STEPS_KEPT = 10_000
#: Each level has its own weights, and the player may leave out ideas: no more sets than this are kept ready.
EVALUATIONS_KEPT = 4


class Evaluation:
    """Values positions, and remembers what it has worked out about each side."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.halves, rears = Halves(weights), Rears(weights)
        #: By the place of the side's queen (0: no queen), then by its pieces.
        self.sides: Dict[Bits, SideValues] = {
            queen: SideValues(queen, weights, self.halves, rears) for queen in [0] + [1 << cell for cell in CELLS]}
        self.steps: Dict[Bits, SideSteps] = {queen: SideSteps(queen, self.sides) for queen in self.sides}
        self.shapes = SideShapes()
        self.threats, self.dangers = RingWorths(weights.threat), RingWorths(weights.danger)
        self.trapped = {1 << cell: weights.trapped[KIND[cell]] for cell in CELLS}

    def remembered(self) -> List[List[Dict[Bits, Any]]]:
        """The tables that grow: values of sides, steps of sides, and what else is known of sets of pieces."""
        return [list(self.sides.values()), list(self.steps.values()),
                [self.shapes, self.threats, self.dangers, self.halves]]

    def value(self, own: Bits, enemy: Bits, queens: Bits) -> int:
        """The worth of a position for the side to move, without looking ahead."""
        value = (self.sides[own & queens][own] - self.sides[enemy & queens][enemy]
                 + self.danger(own, enemy, queens))
        trapped = own & self.shapes[enemy].flanks
        return value + (self.loss(trapped & ~queens) if trapped else self.threat(own, enemy, queens))

    def loss(self, trapped: Bits) -> int:
        """What these trapped guards count for their owner, whose move it is."""
        return sum(self.trapped[1 << cell] for cell in cells_of(trapped))

    def threat(self, own: Bits, enemy: Bits, queens: Bits) -> int:
        """What counts for the side to move, because it can trap enemy guards with its next step."""
        return self.threats[self.victims(own, enemy, queens)]

    def danger(self, own: Bits, enemy: Bits, queens: Bits) -> int:
        """What counts for the side to move, because the enemy could trap its guards with a step."""
        return self.dangers[self.victims(enemy, own, queens)]

    def victims(self, own: Bits, enemy: Bits, queens: Bits) -> Bits:
        """The enemy guards that the own side can trap with one step."""
        shape = self.shapes[own]
        if not shape.near & enemy:
            return 0
        landing = shape.reach & ~(own | enemy)
        victims = enemy & ~queens & flanked(own, landing)
        return victims and victims & flanked(own, landing & ~self.shapes[enemy].flanks)


def evaluate(position: Position, weights: Weights = WEIGHTS) -> int:
    """The worth of a position for the side to move, without looking ahead."""
    return _evaluation(weights).value(position.own, position.enemy, position.queens)


EVALUATIONS: Dict[Weights, Evaluation] = {}


def _evaluation(weights: Weights) -> Evaluation:
    """One Evaluation for all searches with these weights: what it remembers is always true."""
    if weights not in EVALUATIONS:
        if len(EVALUATIONS) >= EVALUATIONS_KEPT:
            EVALUATIONS.clear()
        EVALUATIONS[weights] = Evaluation(weights)
    return EVALUATIONS[weights]


def make_room() -> None:
    """Forget what has been worked out about the sides when, for all weights together, it has become too much."""
    limits = SIDE_VALUES_KEPT, SIDE_STEPS_KEPT, SIDE_VALUES_KEPT
    for limit, *kind in zip(limits, *(evaluation.remembered() for evaluation in EVALUATIONS.values())):
        tables = [table for tables in kind for table in tables]
        if sum(map(len, tables)) > limit:
            for table in tables:
                table.clear()


# --- 3. Minimax ------------------------------------------------------------------
# For reading aloud and for showing trees step by step; the search of section 4 finds the same values.
# All values in this section are White's, except those of `end_value` and `negamax`.  Elsewhere in the tree White is
# sure of alpha and Black of beta.  The lines of the functions that are shown on the screen fit a projector.

#: In which order moves are looked at: as the rules list them; what looks best for the mover first, or last; by lot.
ORDERS = ("rules", "good", "bad", "random")


class TreeNode:
    """A position in the tree of a minimax search, and what the search has found out about it.

    `move` led here (None at the root), `ply` plies below the root.  `value` is
    White's; `alpha` and `beta` are what White and Black were sure of when the
    search came here; `moves` are all moves in the order in which they are to be
    looked at, `searched` the nodes behind those that have been looked at.
    """

    __slots__ = ("position", "rules", "order", "move", "ply", "value", "alpha", "beta", "moves", "searched")

    def __init__(self, position: Position, rules: Rules = DEFAULT_RULES, order: str = "rules",
                 move: Optional[Move] = None, ply: int = 0) -> None:
        self.position, self.rules, self.order = position, rules, order
        self.move, self.ply = move, ply
        self.value, self.alpha, self.beta = DRAW, -INFINITY, INFINITY
        self.moves: List[Move] = []
        self.searched: List["TreeNode"] = []

    def is_leaf(self, depth: int) -> bool:
        """Whether nothing behind it is looked at: no plies are left, or the game is over."""
        return depth == 0 or self.position.outcome(self.rules) is not None

    def leaf_value(self) -> int:
        """What the position is worth for White without looking ahead."""
        value = end_value(self.position, self.rules, self.ply)
        if value is None:
            value = evaluate(self.position)
        return value if self.position.turn == WHITE else -value

    def children(self) -> Iterator["TreeNode"]:
        """The nodes behind all moves, one after the other; one that has been asked for counts as searched."""
        children = [TreeNode(self.position.play(move, self.rules), self.rules, self.order, move, self.ply + 1)
                    for move in self.position.legal_moves(self.rules)]
        if self.order == "random":
            random.Random(str(self.position)).shuffle(children)
        elif self.order in ("good", "bad"):
            largest_first = (self.order == "good") == (self.position.turn == WHITE)
            children.sort(key=TreeNode.leaf_value, reverse=largest_first)
        self.moves = [child.move for child in children if child.move]
        for child in children:
            self.searched.append(child)
            yield child

    @property
    def left_out(self) -> List[Move]:
        """The moves that were cut off."""
        return self.moves[len(self.searched):]

    @property
    def best(self) -> Optional["TreeNode"]:
        """The node behind the best move; None at a leaf."""
        return next((child for child in self.searched if child.value == self.value), None)

    @property
    def relation(self) -> str:
        """How the true value stands to the one found: '=', or '<=' or '>=' when moves left out might change it."""
        if self.left_out:
            return ">=" if self.position.turn == WHITE else "<="
        relations = [child.relation for child in self.searched if child.value == self.value]
        return "=" if "=" in relations or not relations else relations[0]

    @property
    def nodes(self) -> int:
        """The number of positions in this part of the tree."""
        return 1 + sum(child.nodes for child in self.searched)


def end_value(position: Position, rules: Rules = DEFAULT_RULES, ply: int = 0) -> Optional[int]:
    """The score of a finished game for the side to move, `ply` plies after the root; None while it goes on."""
    outcome = position.outcome(rules)
    if outcome is None:
        return None
    if outcome.winner is None:
        return DRAW
    return WIN - ply if outcome.winner == position.turn else ply - WIN


def _recorded(choose: Callable[..., int]) -> Callable[..., int]:
    """Notes at each node what a function was asked there and what it found, so that the tree can be shown."""
    @wraps(choose)
    def choose_and_record(node: TreeNode, depth: int, *alpha_and_beta: int) -> int:
        if alpha_and_beta:
            node.alpha, node.beta = alpha_and_beta
        node.value = choose(node, depth, *alpha_and_beta)
        return node.value
    return choose_and_record


@_recorded
def largest(node: TreeNode, depth: int) -> int:
    """White is to move: the largest of the values that White's moves lead to."""
    if node.is_leaf(depth):
        return node.leaf_value()
    best = -INFINITY
    for child in node.children():
        best = max(best, smallest(child, depth - 1))
    return best


@_recorded
def smallest(node: TreeNode, depth: int) -> int:
    """Black is to move: the smallest of the values that Black's moves lead to."""
    if node.is_leaf(depth):
        return node.leaf_value()
    best = INFINITY
    for child in node.children():
        best = min(best, largest(child, depth - 1))
    return best


@_recorded
def largest_within(node: TreeNode, depth: int,
                   alpha: int, beta: int) -> int:
    """White is to move; Black avoids what reaches beta."""
    if node.is_leaf(depth):
        return node.leaf_value()
    best = -INFINITY
    for child in node.children():
        best = max(best, smallest_within(child, depth - 1, alpha, beta))
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best


@_recorded
def smallest_within(node: TreeNode, depth: int,
                    alpha: int, beta: int) -> int:
    """Black is to move; White avoids what reaches alpha."""
    if node.is_leaf(depth):
        return node.leaf_value()
    best = INFINITY
    for child in node.children():
        best = min(best, largest_within(child, depth - 1, alpha, beta))
        beta = min(beta, best)
        if alpha >= beta:
            break
    return best


def negamax(position: Position, depth: int, rules: Rules = DEFAULT_RULES, ply: int = 0) -> int:
    """The same value in one function, for the side to move; this is how the search of section 4 is written.

    The smallest value is the largest one with all signs changed: min(a, b) == -max(-a, -b).  So when each side
    counts for itself, and the other side's values with the sign changed, both do the same: they look for the largest.
    """
    value = end_value(position, rules, ply)
    if value is not None:
        return value
    if depth == 0:
        return evaluate(position)
    return max(-negamax(position.play(move, rules), depth - 1, rules, ply + 1) for move in position.legal_moves(rules))


def minimax(position: Position, depth: int, rules: Rules = DEFAULT_RULES, order: str = "rules") -> TreeNode:
    """The tree of a search `depth` plies deep that looks at every line of play."""
    root = TreeNode(position, rules, order)
    if position.turn == WHITE:
        largest(root, depth)
    else:
        smallest(root, depth)
    return root


def alpha_beta(position: Position, depth: int, rules: Rules = DEFAULT_RULES, order: str = "rules") -> TreeNode:
    """The tree of a search that finds the same value without the lines that cannot matter."""
    root = TreeNode(position, rules, order)
    if position.turn == WHITE:
        largest_within(root, depth, -INFINITY, INFINITY)
    else:
        smallest_within(root, depth, -INFINITY, INFINITY)
    return root


class TreeLine(NamedTuple):
    """A node of a minimax tree as it is told in one line; scores are White's, in hundredths of a guard's step."""

    #: '0' is the root, '0.3' what its third move leads to, '0.3.1' the first reply to that.
    path: str
    #: The move that led here; '' at the root.
    move: str
    #: '=' when the value is exact; '<=' or '>=' when moves left out, here or below, might still change it.
    relation: str
    value: int
    #: What White and Black were sure of when the search came here; -INFINITY and INFINITY are nothing yet.
    alpha: int
    beta: int
    #: The positions of this part of the tree.
    nodes: int
    #: The best move found here; '' at a leaf.
    best: str
    #: The moves that were cut off.
    left_out: Tuple[str, ...]


#: The deepest tree, and how many positions it may have: plain, and, before cutting, with alpha-beta.
TREE_DEPTH = 4
PLAIN_TREE_NODES = 100_000
PRUNED_TREE_NODES = 1_000_000


def tree_lines(position: Position, depth: int, rules: Rules = DEFAULT_RULES, plain: bool = False,
               order: str = "rules") -> Tuple[List[TreeLine], int, int]:
    """A minimax tree line by line, every node before those below it, and its positions without and with alpha-beta.

    AgonError if it has too many to be shown.
    """
    full, limit = 1, PLAIN_TREE_NODES if plain else PRUNED_TREE_NODES
    for plies in range(1, depth + 1):
        full += perft(position, plies, rules)
        if full > limit:
            raise ProtocolError(f"this tree has more than {limit} positions: look less deep"
                                + (", or with alpha-beta" if plain else ""))
    pruned = alpha_beta(position, depth, rules, order)
    lines = list(_lines_of(minimax(position, depth, rules, order) if plain else pruned, "0"))
    return lines, full, pruned.nodes


def _lines_of(node: TreeNode, path: str) -> Iterator[TreeLine]:
    best = node.best
    yield TreeLine(path, str(node.move or ""), node.relation, node.value, node.alpha, node.beta, node.nodes,
                   str(best.move) if best else "", tuple(map(str, node.left_out)))
    for number, child in enumerate(node.searched, 1):
        yield from _lines_of(child, f"{path}.{number}")


def expected_moves(lines: Sequence[TreeLine]) -> List[str]:
    """The moves that both sides choose in a tree, from its root on: the line of play it expects."""
    moves: List[str] = []
    path = ""
    for line in lines:
        if line.path.rpartition(".")[0] == path and line.move == (moves[-1] if moves else ""):
            path = line.path
            moves += [line.best] if line.best else []
    return moves


class TreeStep(NamedTuple):
    """One thing that happens while a tree is searched.

    `kind` is 'enter' (a position is looked at), 'leaf' (it is valued without
    looking ahead), 'value' (the value of the child `child` comes back), 'alpha'
    or 'beta' (what White or Black is sure of has changed), 'cut' (the other
    moves are left out) or 'leave' (the value goes up).  It happens at the node
    `path` in line number `line` (from 0) of what `source_of(function)` tells.
    `alpha`, `beta`, `best` (None before any) and `value` are as they are then.
    """

    kind: str
    path: str
    function: str
    line: int
    alpha: int
    beta: int
    best: Optional[int] = None
    #: The value of the leaf, of the child, or that of the node when it is left.
    value: Optional[int] = None
    child: str = ""


#: The line of a function in which a step happens, by what is written there.
_STEP_SIGNS = {"enter": "def ", "leaf": ".leaf_value()", "value": "(best, ", "alpha": "alpha = max",
               "beta": "beta = min", "cut": "break", "leave": "return best"}


@lru_cache(maxsize=None)
def source_of(function: str) -> Tuple[str, ...]:
    """The lines of a function that searches a tree, as they stand in this file.

    There are four: 'largest', 'smallest', 'largest_within' and 'smallest_within'.
    """
    # Not at the top: only who shows a tree needs it.
    from inspect import getsource
    lines = getsource(globals()[function]).rstrip().splitlines()
    return tuple(lines[1:] if lines[0].startswith("@") else lines)


def tree_steps(lines: Sequence[TreeLine], turn: int, plain: bool = False) -> Iterator[TreeStep]:
    """All that happens in the search of a tree with these lines, in order; `turn` is the side to move at its root."""
    below: Dict[str, List[TreeLine]] = {}
    for line in lines:
        below.setdefault(line.path.rpartition(".")[0], []).append(line)
    return _steps_at(below[""][0], below, turn, plain)


def _steps_at(node: TreeLine, below: Dict[str, List[TreeLine]], turn: int, plain: bool) -> Iterator[TreeStep]:
    """What happens at a node and behind it."""
    function = ("largest" if turn == WHITE else "smallest") + ("" if plain else "_within")
    better = max if turn == WHITE else min
    alpha, beta = node.alpha, node.beta
    best: Optional[int] = None

    def step(kind: str, value: Optional[int] = None, child: str = "") -> TreeStep:
        number = [_STEP_SIGNS[kind] in text for text in source_of(function)].index(True)
        return TreeStep(kind, node.path, function, number, alpha, beta, best, value, child)

    yield step("enter")
    if node.path not in below:
        yield step("leaf", node.value)
        return
    for child in below[node.path]:
        yield from _steps_at(child, below, 1 - turn, plain)
        best = child.value if best is None else better(best, child.value)
        yield step("value", child.value, child.path)
        if not plain and turn == WHITE and best > alpha:
            alpha = best
            yield step("alpha")
        if not plain and turn == BLACK and best < beta:
            beta = best
            yield step("beta")
    if node.left_out:
        yield step("cut")
    yield step("leave", node.value)


# --- 4. Search -------------------------------------------------------------------

Key = Tuple[Bits, Bits, Bits]
#: Bounded memory: two tables of this many entries; an entry takes about 400 bytes.
TABLE_ENTRIES = 150_000
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
#: A draw is worth less than nothing, a little more than a step inwards, to the side that searches: this raised the
#: decided games against itself from 62 % to 87 % (120 games each with 1 500 positions a move).
CONTEMPT = 200
#: As a ply: no repetition has been met; the position stands in the game, before the search.
NEVER, IN_THE_GAME = 1_000_000, -1
#: With a seed, moves whose scores differ by no more than this are equally good in the beginning, later by less.
WHIM = 40
#: A change takes one cell, and with pieces two cells away in six directions it encloses six more.
MOST_CELLS_A_CHANGE_CLOSES = 7
#: How often to look at the clock: about every two milliseconds.
NODES_BETWEEN_CHECKS = 300
#: A further depth takes several times as long as the one before: beyond this share of the time it is not begun.
TIME_FOR_NEXT_DEPTH = 0.6


class Tricks(NamedTuple):
    """The ideas that make the search fast; each can be switched off to see what it is worth."""

    #: Positions reached by different orders of moves are searched once.  Never changes a value.
    table: bool = True
    #: All changes but the first are only asked whether they are better.  Never changes a value.
    scout: bool = True
    #: Promising changes come first.  Never changes a value.
    ordering: bool = True
    #: Changes late in the order are looked at less deeply, unless they prove to be better; needs `scout`.
    reductions: bool = True
    #: The side that searches thinks a little less of draws.
    contempt: bool = True


#: The changes that are no progress when no relocation is due: sideways steps and the pass.
_SIDEWAYS = frozenset([PASS_CHANGE] + [
    1 << cell | 1 << to for cell, targets in STEPS.items() for to in targets if RING[cell] == RING[to]])


class _Stopped(Exception):
    """A limit is reached; the move of the last finished depth stands."""


Table = Dict[Key, Tuple[int, int, int, Bits]]


class Memory:
    """What a search leaves to the next one, so that the moves of a game need not all be thought out anew."""

    def __init__(self) -> None:
        self.table: Table = {}
        self.old_table: Table = {}
        #: How often a change has refuted the other side's move.
        self.history: CounterOf[Bits] = Counter()
        #: The circumstances for which the table's scores are true.
        self.circumstances: Tuple[object, ...] = ()

    def recall(self, circumstances: Tuple[object, ...]) -> None:
        """Make ready for a search: what was learnt in other circumstances is forgotten, old refutations count half."""
        if circumstances != self.circumstances:
            self.table, self.old_table, self.history = {}, {}, Counter()
            self.circumstances = circumstances
        for change in self.history:
            self.history[change] //= 2


class Searcher:
    """One search; see `search` for its limits."""

    def __init__(self, game: Game, seconds: Optional[float] = None, depth: Optional[int] = None,
                 nodes: Optional[int] = None, stop: Optional[Callable[[], bool]] = None,
                 weights: Weights = WEIGHTS, tricks: Tricks = Tricks(), seed: Optional[int] = None,
                 memory: Optional[Memory] = None) -> None:
        if game.outcome():
            raise AgonError("after_end", "the search")
        self.started = time.perf_counter()
        self.seconds = seconds
        self.depth_limit = min(depth or MAX_DEPTH, MAX_DEPTH)
        self.node_limit = nodes
        self.stop = stop
        self.tricks = tricks
        self.position = game.position
        #: Once all guards stand, the rules are those without placement, which are looked up faster.
        self.rules = game.rules if any(map(game.to_place, (WHITE, BLACK))) else game.rules._replace(placement=False)
        #: Decides between moves of equal score; without a seed the order of the rules does.
        self.luck = None if seed is None else random.Random(f"{seed} {len(game.moves)}")
        #: A first move has to be better than an earlier one by more than this: so that games differ.
        self.whim = 0 if seed is None else WHIM // (1 + len(game.moves))
        self.quiet = game.quiet_moves()
        #: The best first move, and its score, of the iteration under way, as soon as one has been looked at.
        self.found: Optional[Tuple[int, Bits]] = None
        self.nodes = 0
        self.next_check = 0
        self.evaluation = _evaluation(weights)
        self.contempt = CONTEMPT if tricks.contempt else 0
        #: The positions that are a draw when they come back, by the pieces of the side to move, then by the rest:
        #: the ply at which the position stands on the path, or IN_THE_GAME.
        self.path: Dict[Bits, Dict[Tuple[Bits, Bits], int]] = {}
        # A position of the game is a draw only the third time; inside the tree the first return is enough,
        # because what could be done about it the second time could have been done the first time.
        for position, count in Counter(game.positions[:-1]).items():
            if count == REPETITIONS_TO_DRAW - 1:
                self.enter(position.own, position.enemy, position.queens, IN_THE_GAME)
        self.memory = memory or Memory()
        drawn = frozenset((own, *rest) for own, returns in self.path.items() for rest in returns)
        self.memory.recall((self.rules, weights, tricks, self.position.turn, drawn))
        self.table, self.old_table, self.history = self.memory.table, self.memory.old_table, self.memory.history
        #: The smallest ply of the path to which a repetition has led back since this was last reset.
        self.oldest_repeat = NEVER
        self.killers: List[Bits] = [-1] * (2 * MAX_DEPTH + 2)

    def elapsed(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self.started

    def check_limits(self) -> None:
        """Raise _Stopped when the search must end; otherwise say when to look again."""
        if self.node_limit is not None and self.nodes >= self.node_limit:
            raise _Stopped
        if self.seconds is not None and self.elapsed() >= self.seconds:
            raise _Stopped
        if self.stop is not None and self.stop():
            raise _Stopped
        self.next_check = self.nodes + NODES_BETWEEN_CHECKS
        if self.node_limit is not None:
            self.next_check = min(self.next_check, self.node_limit)
        if len(self.table) > TABLE_ENTRIES:
            self.old_table, self.table = self.table, {}
            self.memory.old_table, self.memory.table = self.old_table, self.table
        make_room()

    def enter(self, own: Bits, enemy: Bits, queens: Bits, ply: int) -> None:
        """Put a position on the path."""
        self.path.setdefault(own, {})[enemy, queens] = ply

    def leave(self, own: Bits, enemy: Bits, queens: Bits) -> None:
        """Take a position off the path."""
        returns = self.path[own]
        del returns[enemy, queens]
        if not returns:
            del self.path[own]

    def draw(self, ply: int) -> int:
        """A draw's score for the side to move at this ply."""
        return self.contempt if ply & 1 else -self.contempt

    def draw_on_this_path(self, since: int, ply: int) -> int:
        """A draw's score at this ply that holds only for paths with the same beginning, up to the ply `since`."""
        if IN_THE_GAME < since < self.oldest_repeat:
            self.oldest_repeat = since
        return self.draw(ply)

    def end_score(self, own: Bits, queens: Bits, ply: int) -> Optional[int]:
        """The score for the side that has just filled ring 1 by its move at this ply; None if play goes on."""
        if has_won(own, queens):
            return WIN - ply - 1
        if self.rules.empty_throne_loses and surrounds_empty_throne(own, queens):
            return ply + 1 - WIN
        return None

    def visit(self, own: Bits, enemy: Bits, queens: Bits, depth: int, alpha: int, beta: int, ply: int, quiet: int
              ) -> int:
        """The score of a position for the side to move: exact inside (alpha, beta), else a bound."""
        if self.nodes >= self.next_check:
            self.check_limits()
        self.nodes += 1
        returns = self.path.get(own)
        if returns and (enemy, queens) in returns or quiet >= QUIET_MOVES_TO_DRAW:
            return self.draw_on_this_path(returns.get((enemy, queens), 0) if returns else 0, ply)
        if depth <= 0:
            if count_possible(own, enemy, queens, self.rules) or count_possible(enemy, own, queens, self.rules):
                return self.evaluation.value(own, enemy, queens)
            return self.draw(ply)

        table_change = -1
        key = (own, enemy, queens)
        if self.tricks.table:
            entry = self.table.get(key) or self.old_table.get(key)
            if entry is not None:
                known_depth, bound, score, table_change = entry
                if known_depth >= depth and quiet + known_depth < QUIET_MOVES_TO_DRAW:
                    if score > SURE_WIN:
                        score -= ply
                    elif score < -SURE_WIN:
                        score += ply
                    if bound == EXACT or (score >= beta if bound == AT_LEAST else score <= alpha):
                        return score

        outer_repeat, self.oldest_repeat = self.oldest_repeat, NEVER
        floor = alpha
        best_change = -1
        if depth == 1:
            best, best_change = self.frontier(own, enemy, queens, alpha, beta, ply, quiet)
        else:
            changes, relocating = self.changes(own, enemy, queens)
            if changes:
                traps = trapping_cells(own, enemy)
                self.enter(own, enemy, queens, ply)
                if self.tricks.ordering:
                    self.sort(changes, own, traps, table_change, ply)
                best, best_change = self.branch(own, enemy, queens, changes, traps, relocating,
                                                depth, alpha, beta, ply, quiet)
                self.leave(own, enemy, queens)
            else:
                best = self.draw(ply)

        if self.oldest_repeat >= ply:
            self.oldest_repeat = outer_repeat
            if self.tricks.table:
                score = best + ply if best > SURE_WIN else best - ply if best < -SURE_WIN else best
                bound = AT_LEAST if best >= beta else AT_MOST if best <= floor else EXACT
                self.table[key] = (depth, bound, score, best_change)
        else:
            # The score holds only on this path: remember the move alone.
            if self.tricks.table and depth > 1:
                self.table[key] = (-1, EXACT, 0, best_change)
            self.oldest_repeat = min(self.oldest_repeat, outer_repeat)
        return best

    def changes(self, own: Bits, enemy: Bits, queens: Bits) -> Tuple[List[Bits], Bits]:
        """The possible changes, steps in the order of the side's value after them, and the pieces to be relocated.

        A pass when nothing else is possible, and no change when the game cannot go on.
        """
        if self.rules.placement and is_placing(own, queens, self.rules):
            return possible_changes(own, enemy, queens, self.rules), 0
        enemy_flanks = self.evaluation.shapes[enemy].flanks
        relocating = own & enemy_flanks
        if relocating:
            changes = possible_changes(own, enemy, queens, self.rules)
        else:
            free = BOARD & ~(own | enemy)
            if free & enemy_flanks:
                free &= ~enclosures(own, enemy)
            changes = [change for _, change in self.evaluation.steps[own & queens][own] if change & free]
        if not changes and count_possible(enemy, own, queens, self.rules):
            changes.append(PASS_CHANGE)
        return changes, relocating

    def sort(self, changes: List[Bits], own: Bits, traps: Bits, table_change: Bits, ply: int) -> None:
        """Put the most promising changes first: early refutations save most of the work."""
        changes.sort(key=self.history.__getitem__, reverse=True)
        killer = self.killers[ply]
        if killer in changes:
            changes.remove(killer)
            changes.insert(0, killer)
        if traps:
            trapping = [change for change in changes if (own ^ change) & traps]
            if trapping:
                changes[:] = trapping + [change for change in changes if not (own ^ change) & traps]
        if table_change >= 0 and changes[0] != table_change and table_change in changes:
            changes.remove(table_change)
            changes.insert(0, table_change)

    def branch(self, own: Bits, enemy: Bits, queens: Bits, changes: List[Bits], traps: Bits, relocating: Bits,
               depth: int, alpha: int, beta: int, ply: int, quiet: int) -> Tuple[int, Bits]:
        """The best score and change, from a visit to each child (as far as needed)."""
        own_queen = own & queens
        best, best_change = -INFINITY, changes[0]
        for index, change in enumerate(changes):
            child = own ^ change
            following = queens ^ change if change & own_queen else queens
            score = self.end_score(child, following, ply) if child & INNER == INNER else None
            if score is None:
                now_quiet = quiet + 1 if change in _SIDEWAYS and not relocating else 0
                if index == 0 or not self.tricks.scout:
                    score = -self.visit(enemy, child, following, depth - 1, -beta, -alpha, ply + 1, now_quiet)
                else:
                    reduction = self.reduction(index, depth - 1) if not child & traps else 0
                    score = self.scout(enemy, child, following, depth - 1, reduction, alpha, ply + 1, now_quiet)
                    if alpha < score < beta:
                        if ply == 0:
                            self.found = score, change
                        score = -self.visit(enemy, child, following, depth - 1, -beta, -alpha, ply + 1, now_quiet)
            if score > best and (ply or score > alpha):
                best, best_change = score, change
                if ply == 0:
                    self.found = score, change
                    score += self.whim
                if score > alpha:
                    alpha = score
                    if alpha >= beta:
                        if not child & traps:
                            self.killers[ply] = change
                        self.history[change] += depth * depth
                        break
        return best, best_change

    def reduction(self, index: int, depth: int) -> int:
        """By how many plies to shorten the look at a change far down in the order, if it does not trap."""
        if not self.tricks.reductions or depth < 2 or index < 3:
            return 0
        return 2 if index >= 10 and depth >= 3 else 1

    def scout(self, own: Bits, enemy: Bits, queens: Bits, depth: int, reduction: int, alpha: int, ply: int, quiet: int
              ) -> int:
        """Whether the child (own, enemy) is better than alpha for the other side; first at a reduced depth.

        The answer is a bound, which takes far less work than the score itself.
        """
        score = -self.visit(own, enemy, queens, depth - reduction, -alpha - 1, -alpha, ply, quiet)
        if reduction and score > alpha:
            score = -self.visit(own, enemy, queens, depth, -alpha - 1, -alpha, ply, quiet)
        return score

    def frontier(self, own: Bits, enemy: Bits, queens: Bits, alpha: int, beta: int, ply: int, quiet: int
                 ) -> Tuple[int, Bits]:
        """The score and best change one ply before the horizon, from the evaluation of each child (as far as needed).

        A child's value is that of its own side after the step, less that of the enemy's side, less what the enemy can
        gain at once.  The steps come with the first of these, the best first: what follows a step that is no better
        than alpha is not looked at, unless it traps.
        """
        evaluation = self.evaluation
        reach, flanks, near, standing, landing, grip = evaluation.shapes[own]
        enemy_reach, enemy_flanks, enemy_near, _, _, _ = evaluation.shapes[enemy]
        relocating = own & enemy_flanks
        missing = INNER & ~own
        if (enemy & flanks or relocating & queens or self.path.get(enemy) or quiet + 1 >= QUIET_MOVES_TO_DRAW
                or popcount(enemy_reach & ~(own | enemy | flanks)) <= MOST_CELLS_A_CHANGE_CLOSES
                or self.rules.placement and is_placing(own, queens, self.rules)
                or not missing & (missing - 1) and (not missing or missing & reach)):
            return self.careful_frontier(own, enemy, queens, alpha, beta, ply, quiet)
        if relocating:
            steps, free = self._relocations(own, enemy, queens), OUTER & ~(own | enemy)
            standing, landing, grip = own | OUTER, reach | OUTSIDE, BOARD
        else:
            steps, free = evaluation.steps[own & queens][own], BOARD & ~(own | enemy)
            if free & enemy_flanks:
                free &= ~enclosures(own, enemy)
        base = -evaluation.sides[enemy & queens][enemy]
        best, best_change, count = -INFINITY, PASS_CHANGE, 0
        hits = trapping_cells(own, enemy) & free if near & enemy else 0
        if hits and (relocating or hits & reach):
            best, best_change, count = self._best_trap(own, enemy, queens, hits, steps)
            free &= ~hits
        if best < beta:
            # What the enemy's guards can be in danger at most after the change.
            victims = enemy & grip & ~queens
            victims = victims & flanked(standing, landing) if victims else 0
            margin = evaluation.dangers[victims] if victims else 0
            base -= margin
            for value, change in steps:
                if change & free:
                    count += 1
                    value += base
                    if value <= alpha or value <= best:
                        # Neither this change nor any of the rest is better.
                        if value > best:
                            best, best_change = value, change
                        break
                    child = own ^ change
                    following = queens ^ change if change & queens else queens
                    if child & enemy_near:
                        value -= evaluation.threat(enemy, child, following)
                    if victims:
                        if value <= best:
                            continue
                        value += margin - evaluation.danger(enemy, child, following)
                    if value > best:
                        best, best_change = value, change
                        if best >= beta:
                            break
        self.nodes += count
        return best, best_change

    def _relocations(self, own: Bits, enemy: Bits, queens: Bits) -> List[Tuple[int, Bits]]:
        """The relocations with the values of their side after them, the best first."""
        values = self.evaluation.sides[own & queens]
        changes = possible_changes(own, enemy, queens, self.rules)
        return sorted(((values[own ^ change], change) for change in changes), reverse=True)

    def _best_trap(self, own: Bits, enemy: Bits, queens: Bits, hits: Bits, steps: Sequence[Tuple[int, Bits]]
                   ) -> Tuple[int, Bits, int]:
        """Of the steps to these cells the best one with its value, and how many there are."""
        best, best_change, count = -INFINITY, PASS_CHANGE, 0
        for _, change in steps:
            if change & hits:
                count += 1
                value = -self.evaluation.value(enemy, own ^ change, queens ^ change if change & queens else queens)
                if value > best:
                    best, best_change = value, change
        return best, best_change, count

    def careful_frontier(self, own: Bits, enemy: Bits, queens: Bits, alpha: int, beta: int, ply: int, quiet: int
                         ) -> Tuple[int, Bits]:
        """The same where a child may be the end of the game, or pieces are trapped: each child by itself."""
        evaluation = self.evaluation
        changes, relocating = self.changes(own, enemy, queens)
        if not changes:
            return self.draw(ply), PASS_CHANGE
        #: The positions with these enemy pieces to move that are a draw when they come back.
        returns = self.path.get(enemy)
        own_queen = own & queens
        open_to_enemy = evaluation.shapes[enemy].reach & ~(own | enemy | evaluation.shapes[own].flanks)
        may_block = popcount(open_to_enemy) <= MOST_CELLS_A_CHANGE_CLOSES
        best, best_change = -INFINITY, changes[0]
        for change in changes:
            self.nodes += 1
            child = own ^ change
            following = queens ^ change if change & own_queen else queens
            score = self.end_score(child, following, ply) if child & INNER == INNER else None
            if score is None:
                quiet_end = quiet + 1 >= QUIET_MOVES_TO_DRAW and change in _SIDEWAYS and not relocating
                if quiet_end or returns and (child, following) in returns:
                    score = -self.draw_on_this_path(returns.get((child, following), 0) if returns else 0, ply + 1)
                elif may_block and not (count_possible(enemy, child, following, self.rules)
                                        or count_possible(child, enemy, following, self.rules)):
                    score = -self.draw(ply + 1)
                else:
                    score = -evaluation.value(enemy, child, following)
            if score > best:
                best, best_change = score, change
                if best >= beta:
                    break
        return best, best_change

    def run(self, on_info: Optional[Callable[["Analysis"], None]] = None, multipv: int = 1) -> Analysis:
        """Search deeper and deeper until a limit is reached."""
        position = self.position
        own, enemy, queens = position.own, position.enemy, position.queens
        root, relocating = self.changes(own, enemy, queens)
        traps = trapping_cells(own, enemy)
        self.enter(own, enemy, queens, 0)
        if self.luck:
            self.luck.shuffle(root)
        self.sort(root, own, traps, -1, 0)
        first = move_of(root[0], own)
        analysis = Analysis(first, 0, 0, 0, 0.0, (first,), (Line(0, (first,)),))
        try:
            for depth in range(1, self.depth_limit + 1):
                self.found = None
                lines: List[Line] = []
                chosen: List[Bits] = []
                while len(lines) < multipv and len(chosen) < len(root):
                    changes = [change for change in root if change not in chosen]
                    score, best = self.branch(own, enemy, queens, changes, traps, relocating,
                                              depth, -INFINITY, INFINITY, 0, self.quiet)
                    chosen.append(best)
                    lines.append(Line(score, self.variation(best)))
                # A later line may come out better than an earlier one where reductions had hidden it.
                lines.sort(key=lambda line: -line.score)
                root = chosen + [change for change in root if change not in chosen]
                analysis = Analysis(lines[0].pv[0], lines[0].score, depth, self.nodes, self.elapsed(),
                                    lines[0].pv, tuple(lines))
                if on_info:
                    on_info(analysis)
                if WIN - abs(analysis.score) <= depth:
                    break
                if self.seconds is not None and (
                        len(root) == 1 or self.elapsed() > TIME_FOR_NEXT_DEPTH * self.seconds):
                    break
        except _Stopped:
            if self.found and multipv == 1:
                score, change = self.found
                line = Line(score, self.variation(change))
                analysis = analysis._replace(move=line.pv[0], score=score, pv=line.pv, lines=(line,))
        return analysis._replace(nodes=self.nodes, seconds=self.elapsed())

    def variation(self, first: Bits) -> Tuple[Move, ...]:
        """The line that the table holds behind a first move."""
        position = self.position
        moves = [move_of(first, position.own)]
        seen = {position}
        position = position.after(first)
        while position not in seen and not position.outcome(self.rules):
            seen.add(position)
            key = (position.own, position.enemy, position.queens)
            entry = self.table.get(key) or self.old_table.get(key)
            if not entry:
                break
            moves.append(move_of(entry[3], position.own))
            position = position.after(entry[3])
        return tuple(moves)


def search(game: Game, seconds: Optional[float] = None, depth: Optional[int] = None, nodes: Optional[int] = None,
           stop: Optional[Callable[[], bool]] = None, on_info: Optional[Callable[[Analysis], None]] = None,
           multipv: int = 1, weights: Weights = WEIGHTS, tricks: Tricks = Tricks(), seed: Optional[int] = None
           ) -> Analysis:
    """The best move and what is known about it; AgonError when the game is over.

    Searches until one of the limits is reached: `seconds`, `depth` in plies,
    `nodes` (positions looked at), or `stop()` being true.  `on_info` is told
    about every finished depth; `multipv` is the number of lines wanted.  For
    given `depth` or `nodes` and `seed` the result is always the same.
    """
    return Searcher(game, seconds, depth, nodes, stop, weights, tricks, seed).run(on_info, multipv)


def leave_out(ideas: Sequence[str]) -> Tuple[Weights, Tricks]:
    """Weights and tricks without these ideas (names of Tricks, or of single Weights): what are they worth?"""
    weights, tricks = WEIGHTS, Tricks()
    for idea in ideas:
        if idea in Tricks._fields:
            tricks = tricks._replace(**{idea: False})
        elif idea in Weights._fields:
            row = getattr(weights, idea)
            nothing: Any = (0,) * len(row) if isinstance(row, tuple) else 0
            weights = weights._replace(**{idea: nothing})
        else:
            raise ProtocolError(f"unknown idea {idea[:40]}")
    return weights, tricks


def changed_weights(text: str) -> Weights:
    """The learnt weights with some of them changed, in percent: 'threat=200,escort=0'; 'beginner' stands for SIMPLE.

    ProtocolError when a name or a number is wrong; a number is from 0 to 400.
    """
    if text in ("none", "beginner"):
        return SIMPLE if text == "beginner" else WEIGHTS
    weights = WEIGHTS
    for word in text.split(","):
        name, _, percent = word.partition("=")
        if name not in Weights._fields:
            raise ProtocolError(f"unknown weight {name[:40]}: they are {', '.join(Weights._fields)}")
        share = _number(percent, 0, 400) / 100
        row = getattr(weights, name)
        changed: Any = tuple(round(share * value) for value in row) if isinstance(row, tuple) else round(share * row)
        weights = weights._replace(**{name: changed})
    return weights


# --- 5. Levels -------------------------------------------------------------------


def _simple_weights() -> Weights:
    """What a beginner knows: go inwards, seat the queen, do not be trapped, trap the other side."""
    nothing, _ = leave_out(Weights._fields)
    guard = (0, 650, 500, 350, 180, 0)
    queen = (900, 900, 550, 350, 170, 0)
    return nothing._replace(
        guard=tuple(guard[ring] for ring, _ in KINDS), queen=tuple(queen[ring] for ring, _ in KINDS),
        detour=-47, reach=(12, 12),
        threat=tuple(worth // 2 for worth in guard),
        trapped=tuple(-60 - guard[ring] if ring else 0 for ring, _ in KINDS))


SIMPLE = _simple_weights()
CARELESS = SIMPLE._replace(threat=(0,) * len(SIMPLE.threat))


class Level(NamedTuple):
    """How a level plays: its limits and its weaknesses."""

    number: int
    #: Limits of its search: plies, positions, and seconds (for slow machines).
    depth: int
    nodes: int
    seconds: float
    #: The chance, at each move, of a slip: any move whose score is at most `margin` below the best one.
    slip: float = 0.0
    margin: int = 0
    #: What it knows: SIMPLE is less than the program has learnt, and CARELESS does not see what can be trapped next.
    weights: Weights = WEIGHTS


#: Measured with `match`: the README has the table.
LEVELS: Tuple[Level, ...] = (
    Level(1, 1, 4_000, 1.0, slip=0.5, margin=300, weights=CARELESS),
    Level(2, 1, 4_000, 1.0, slip=0.1, margin=150, weights=CARELESS),
    Level(3, 1, 4_000, 1.0, weights=SIMPLE),
    Level(4, 2, 4_000, 1.0, weights=SIMPLE),
    Level(5, 3, 4_000, 1.5),
    Level(6, 4, 4_000, 2.0),
    Level(7, MAX_DEPTH, 10_000, 3.0),
    Level(8, MAX_DEPTH, 1_000_000_000, 3.0),
)


def choose(game: Game, level: int, seed: Optional[int] = None, stop: Optional[Callable[[], bool]] = None,
           on_info: Optional[Callable[[Analysis], None]] = None) -> Analysis:
    """What a player of this level (1 to 8) plays, in at most LEVELS[level - 1].seconds.

    With a seed, the same game gets the same move.
    """
    limits = LEVELS[level - 1]
    if seed is None:
        seed = random.randrange(2 ** 32)
    # The number of moves goes into the seed, so that each move has its own luck.
    luck = random.Random(f"{seed} {len(game.moves)}")
    slips = luck.random() < limits.slip
    multipv = len(game.legal_moves()) if slips else 1
    analysis = search(game, limits.seconds, limits.depth, limits.nodes, stop, on_info, multipv,
                      limits.weights, seed=seed)
    if slips:
        line = luck.choice([line for line in analysis.lines if line.score >= analysis.score - limits.margin])
        analysis = analysis._replace(move=line.pv[0], score=line.score, pv=line.pv)
    return analysis


# --- 6. Protocol -----------------------------------------------------------------

ENGINE_NAME = "Agon"
#: Longer input lines are refused.
MAX_LINE_BYTES = 100_000
TOO_LONG = "(a line that is too long)"
#: A closed input ends the engine even if it hangs in an output nobody reads.
GRACE_SECONDS = 1.0


def option_name(field: str) -> str:
    """The protocol's name of a rule option: 'QueenFirst' for queen_first."""
    return "".join(word.capitalize() for word in field.split("_"))


#: The rule options by the lower-case names under which the protocol sets them.
RULE_OPTIONS = {option_name(field).lower(): field for field in Rules._fields}


class ProtocolError(Exception):
    """A command that cannot be obeyed; the text says why."""


def info_line(analysis: Analysis, number: int = 0) -> str:
    """The protocol's report on a finished depth (on one of several lines if `number` is given)."""
    line = analysis.lines[max(number - 1, 0)]
    multipv = f"multipv {number} " if number else ""
    return (f"info depth {analysis.depth} {multipv}score {score_text(line.score)} nodes {analysis.nodes} "
            f"time {round(analysis.seconds * 1000)} pv {' '.join(map(str, line.pv))}")


def game_of(words: Sequence[str], rules: Rules) -> Game:
    """The game that the words behind `position` tell; ProtocolError or AgonError if they tell none."""
    split = words.index("moves") if "moves" in words else len(words)
    place, moves = words[:split], words[split + 1:]
    if place == ["start"]:
        start = Position.start(rules=rules)
    elif place and place[0] == "text":
        start = Position.from_text(" ".join(place[1:]))
    else:
        raise ProtocolError("expected position start or position text <position>")
    game = Game(start, rules)
    for move in moves:
        game.play(Move.from_text(move))
    return game


class Engine:
    """Obeys the commands of the protocol, one line each; `say` sends an answer."""

    def __init__(self, say: Callable[[str], None], stop: Callable[[], bool]) -> None:
        self.say = say
        self.stop = stop
        self.game = Game()
        self.rules = Rules()
        self.level = len(LEVELS)
        self.seed: Optional[int] = None
        self.weights, self.tricks = WEIGHTS, Tricks()
        #: What the searches of a game leave to each other.
        self.memory = Memory()
        #: Whether to think on while the other side does, and how the game is expected to go on then.
        self.ponders = False
        self.expected: Tuple[Move, ...] = ()
        self.commands: Dict[str, Callable[[List[str]], None]] = {
            "agon": self.on_agon, "isready": self.on_isready, "newgame": self.on_newgame,
            "position": self.on_position, "setoption": self.on_setoption, "go": self.on_go,
            "stop": self.on_stop, "tree": self.on_tree}

    def obey(self, line: str) -> None:
        """Carry out one command; anything wrong with it is answered by an error line."""
        words = line.split()
        if not words:
            return
        self.expected = ()
        try:
            command = self.commands.get(words[0])
            if command is None:
                raise ProtocolError(f"unknown command {line.strip()[:40]}")
            command(words[1:])
        except (ProtocolError, AgonError) as error:
            self.say("error " + "".join(sign if sign.isprintable() else "?" for sign in str(error)))

    def on_agon(self, _words: List[str]) -> None:
        """agon: say who we are and what can be set."""
        self.say(f"id name {ENGINE_NAME}")
        self.say(f"option name Level type spin default {len(LEVELS)} min 1 max {len(LEVELS)}")
        self.say("option name Seed type string default none")
        for field, is_on in DEFAULT_RULES._asdict().items():
            self.say(f"option name {option_name(field)} type check default {'on' if is_on else 'off'}")
        self.say("option name Without type string default none")
        self.say("option name Ponder type check default off")
        self.say("option name Weights type string default none")
        self.say("agonok")

    def on_isready(self, _words: List[str]) -> None:
        """isready: say so, once everything before has been done; during a search the reader has said so."""
        self.say("readyok")

    def on_newgame(self, _words: List[str]) -> None:
        """newgame: forget the old game."""
        EVALUATIONS.clear()
        self.memory = Memory()
        self.game = Game(rules=self.rules)

    def on_stop(self, _words: List[str]) -> None:
        """stop: nothing to do: a running search has been stopped by the reader."""

    def on_position(self, words: List[str]) -> None:
        """position start|text <position> [moves ...]: what to think about."""
        self.game = game_of(words, self.rules)

    def on_setoption(self, words: List[str]) -> None:
        """setoption name <name> value <value>."""
        if len(words) != 4 or words[0] != "name" or words[2] != "value":
            raise ProtocolError("expected setoption name <name> value <value>")
        name, value = words[1].lower(), words[3]
        if name == "level":
            self.level = _number(value, 1, len(LEVELS))
        elif name == "seed":
            self.seed = None if value == "none" else _number(value, -2 ** 63, 2 ** 63)
        elif name in RULE_OPTIONS:
            self.set_rules(self.rules._replace(**{RULE_OPTIONS[name]: _switch(value)}))
        elif name == "ponder":
            self.ponders = _switch(value)
        elif name == "without":
            self.set_weights(*leave_out([] if value == "none" else value.split(",")))
        elif name == "weights":
            self.set_weights(changed_weights(value), self.tricks)
        else:
            raise ProtocolError(f"unknown option {words[1][:40]}")

    def set_weights(self, weights: Weights, tricks: Tricks) -> None:
        """Think with other numbers; what was found with those before is forgotten."""
        if weights != self.weights:
            self.memory = Memory()
        self.weights, self.tricks = weights, tricks

    def set_rules(self, rules: Rules) -> None:
        """Play on by other rules; AgonError if the moves so far break them."""
        if rules == self.rules:
            return
        start = self.game.start
        is_fresh = not self.game.moves and start == Position.start(start.turn, self.rules)
        game = Game(Position.start(start.turn, rules) if is_fresh else start, rules)
        for move in self.game.moves:
            game.play(move)
        self.game, self.rules = game, rules

    def on_go(self, words: List[str]) -> None:
        """go [movetime ms] [wtime ms btime ms winc ms binc ms] [depth n] [nodes n] [infinite] [multipv n].

        Think and answer with a move.  Without limits, or with the clocks
        alone, the level's own limits and weaknesses hold; with others the
        engine plays at full strength within these.
        """
        limits: Dict[str, int] = {}
        clock: Dict[str, int] = {}
        rest = iter(words)
        for word in rest:
            if word == "infinite":
                limits[word] = 1
            elif word in ("movetime", "depth", "nodes", "multipv"):
                limits[word] = _number(next(rest, ""), 1, 10 ** 9)
            elif word in ("wtime", "btime", "winc", "binc"):
                clock[word] = _number(next(rest, ""), 0, 10 ** 9)
            else:
                raise ProtocolError(f"unknown limit {word[:40]}")
        if self.game.outcome():
            raise ProtocolError("the game is over")
        multipv = limits.pop("multipv", 1)

        def report(analysis: Analysis) -> None:
            for number in range(1, len(analysis.lines) + 1) if multipv > 1 else [0]:
                self.say(info_line(analysis, number))

        share = None if "infinite" in limits else clock_share(clock, self.game.position.turn)
        if not limits and self.level < len(LEVELS) and multipv == 1:
            analysis = choose(self.game, self.level, self.seed, self.stop_after(share), report)
        else:
            times = [seconds for seconds in (limits.get("movetime", 0) / 1000, share) if seconds]
            seconds = min(times) if times else None if limits else LEVELS[-1].seconds
            seed = random.randrange(2 ** 32) if self.seed is None and not limits else self.seed
            searcher = Searcher(self.game, seconds, limits.get("depth"), limits.get("nodes"), self.stop,
                                self.weights, self.tricks, seed, self.memory)
            analysis = searcher.run(report, multipv)
            while "infinite" in limits and not self.stop():
                time.sleep(0.01)
            if self.ponders and not limits and multipv == 1:
                self.expected = analysis.pv[:2]
        self.say(f"bestmove {analysis.move}")

    def ponder(self, stop: Callable[[], bool]) -> None:
        """Think about the answer to the reply that is expected; what is found is remembered for the next search."""
        if len(self.expected) < 2 or os.cpu_count() == 1:
            return
        game = Game(self.game.start, self.game.rules)
        for move in (*self.game.moves, *self.expected):
            game.play(move)
            if game.outcome():
                return

        def rest_and_look() -> bool:
            time.sleep(PONDER_REST)
            return stop()

        Searcher(game, PONDER_SECONDS, None, None, rest_and_look, self.weights, self.tricks, self.seed,
                 self.memory).run()

    def stop_after(self, seconds: Optional[float]) -> Callable[[], bool]:
        """What tells a search to stop: the reader, and after these seconds the clock."""
        if seconds is None:
            return self.stop
        end = time.perf_counter() + seconds

        def must_stop() -> bool:
            return self.stop() or time.perf_counter() >= end
        return must_stop

    def on_tree(self, words: List[str]) -> None:
        """tree depth n [plain] [order good]: the minimax tree, a line for each node, the expected moves, `treeok`."""
        match = re.fullmatch(rf"depth (\S+)( plain)?(?: order ({'|'.join(ORDERS)}))?", " ".join(words))
        if not match:
            raise ProtocolError(f"expected tree depth <n> [plain] [order {'|'.join(ORDERS)}]")
        depth, plain, order = match.groups()
        for line in tree_answer(self.game.position, _number(depth, 1, TREE_DEPTH), self.rules, bool(plain),
                                order or "rules"):
            self.say(line)


#: How long an engine may think on at most after its move, and how long it rests after every few milliseconds of that: a
#: program that nobody waits for leaves at least half of a processor core to the others.
PONDER_SECONDS, PONDER_REST = 30.0, 0.004


#: A clock is shared out as if this many moves were still to be made.
CLOCK_MOVES = 30


def clock_share(clock: Dict[str, int], side: int) -> Optional[float]:
    """The seconds for this side's move by the clocks (wtime, btime, winc, binc in milliseconds); None without clock.

    Never more than half of what is left, so that there is always something left.
    """
    own = "w" if side == WHITE else "b"
    if own + "time" not in clock:
        return None
    left, increment = clock[own + "time"] / 1000, clock.get(own + "inc", 0) / 1000
    return max(0.01, min(left / CLOCK_MOVES + 0.75 * increment, left / 2))


def _number(text: str, low: int, high: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise ProtocolError(f"{text[:40] or 'the end'} is not a number") from None
    if not low <= number <= high:
        raise ProtocolError(f"{number} is not between {low} and {high}")
    return number


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise ProtocolError(f"{text[:40]} is neither on nor off")
    return text == "on"


def steps_text(score: int) -> str:
    """White's score in a tree: '+3.40' steps, '#2' and '#-2' for a win of White or Black in two moves, 'inf'.

    >>> [steps_text(score) for score in (340, -5, WIN - 3, 2 - WIN, -INFINITY)]
    ['+3.40', '-0.05', '#2', '#-1', '-inf']
    """
    if abs(score) >= INFINITY:
        return "inf" if score > 0 else "-inf"
    if abs(score) > SURE_WIN:
        return f"#{'-' if score < 0 else ''}{(WIN - abs(score) + 1) // 2}"
    return f"{score / 100:+.2f}"


def parse_steps(text: str) -> int:
    """The score that steps_text has written, wins as those of an odd number of plies; ValueError if it is none.

    >>> [parse_steps(text) for text in ("+3.40", "#2", "#-2", "-inf")] == [340, WIN - 3, 3 - WIN, -INFINITY]
    True
    """
    if text in ("inf", "-inf"):
        return INFINITY if text == "inf" else -INFINITY
    if text.startswith("#"):
        moves = int(text[1:])
        return WIN - 2 * moves + 1 if moves > 0 else -WIN - 2 * moves - 1
    return round(100 * float(text))


def tree_line_text(line: TreeLine) -> str:
    """The line of the protocol for a node of a tree."""
    text = (f"node {line.path} {line.move or 'root'} value {line.relation} {steps_text(line.value)} "
            f"alpha {steps_text(line.alpha)} beta {steps_text(line.beta)} nodes {line.nodes}")
    text += f" best {line.best}" if line.best else ""
    return text + (" cut " + " ".join(line.left_out) if line.left_out else "")


def parse_tree_line(text: str) -> Optional[TreeLine]:
    """Read a line that tree_line_text has written; None if it is none."""
    words, _, left_out = text.partition(" cut ")
    head, _, best = words.partition(" best ")
    match = re.fullmatch(r"node (\S+) (\S+) value (=|<=|>=) (\S+) alpha (\S+) beta (\S+) nodes (\d+)", head)
    if not match:
        return None
    path, move, relation, value, alpha, beta, nodes = match.groups()
    try:
        return TreeLine(path, "" if move == "root" else move, relation, parse_steps(value), parse_steps(alpha),
                        parse_steps(beta), int(nodes), best, tuple(left_out.split()))
    except ValueError:
        return None


def tree_answer(position: Position, depth: int, rules: Rules, is_plain: bool, order: str) -> Iterator[str]:
    """The lines that tell a minimax tree."""
    lines, plain, pruned = tree_lines(position, depth, rules, is_plain, order)
    yield from map(tree_line_text, lines)
    yield " ".join(["expected", *expected_moves(lines)])
    yield f"treeok plain {plain} pruned {pruned}"


#: The commands whose answers take time.
QUESTIONS = (["go"], ["tree"])


class Input:
    """Reads commands in a thread, so that `stop`, `quit` and the end of input are noticed during a search."""

    def __init__(self, source: BinaryIO, say: Callable[[str], None], grace: float = GRACE_SECONDS) -> None:
        self.source = source
        self.say = say
        #: Seconds in which the program comes to its end after its input; then it is ended by force.
        self.grace = grace
        self.lines: "queue.Queue[Optional[str]]" = queue.Queue()
        self.closed = False
        self.stops_read = self.stops_obeyed = 0
        self.questions_read = self.questions_answered = 0
        self.finished = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def stop_asked(self) -> bool:
        """Whether a `stop` has been read that is still to be obeyed, or no more can come."""
        return self.closed or self.stops_read > self.stops_obeyed

    def _read(self) -> None:
        try:
            for line in self._decoded_lines():
                words = line.split()
                if words == ["quit"]:
                    break
                self.stops_read += words == ["stop"]
                self.questions_read += words[:1] in QUESTIONS
                if words == ["isready"] and self.questions_read > self.questions_answered:
                    self.say("readyok")  # a search need not end before this is answered
                else:
                    self.lines.put(line)
        except OSError:
            pass  # nobody listens any more
        self.closed = True
        self.lines.put(None)
        if not self.finished.wait(self.grace):
            os._exit(0)

    def _decoded_lines(self) -> Iterator[str]:
        for line in bounded_lines(self.source, MAX_LINE_BYTES + 1):
            yield TOO_LONG if len(line) > MAX_LINE_BYTES else line.decode("utf-8", errors="replace")


def bounded_lines(source: IO[bytes], limit: int) -> Iterator[bytes]:
    """The lines of a stream, each no longer than `limit` bytes: what goes beyond that is dropped."""
    for line in iter(partial(source.readline, limit), b""):
        yield line
        while len(line) == limit and not line.endswith(b"\n"):
            line = source.readline(limit)


def serve(source: BinaryIO, target: TextIO) -> None:
    """Speak the engine protocol until `quit` or the end of input."""
    guard = threading.Lock()

    def say(text: str) -> None:
        with guard:
            target.write(text + "\n")
            target.flush()

    # The search makes no reference cycles, and looking for them in its big tables takes time.
    gc.disable()
    commands = Input(source, say)
    engine = Engine(say, commands.stop_asked)
    try:
        for line in iter(commands.lines.get, None):
            engine.obey(line)
            commands.questions_answered += line.split()[:1] in QUESTIONS
            commands.stops_obeyed += line.split() == ["stop"]
            if commands.closed and line.split()[:1] == ["go"]:
                break
            engine.ponder(lambda: not commands.lines.empty())
    except OSError:
        pass  # Nobody listens any more.
    commands.finished.set()


def serve_here(_options: argparse.Namespace) -> None:
    """Speak the protocol on standard input and output."""
    speak_utf_8()
    serve(sys.stdin.buffer, sys.stdout)


def speak_utf_8() -> None:
    """From now on the standard output is UTF-8, as the protocol has it, whatever the system's code page is."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")


# --- 7. Engines in child processes -----------------------------------------------

HERE = os.path.dirname(os.path.abspath(__file__))
#: This file as a program, before its arguments.  Imported, it comes from the bytecode that Python has kept, and is
#: ready in half the time: what is started as a script is compiled each time.  Nothing is taken from the folder one
#: is in.
OWN_PROGRAM = (
    sys.executable, "-c", "import os, sys; sys.path = [os.path.dirname(sys.argv.pop(1)), *filter(None, sys.path)]; "
    "import agon_ai; sys.exit(agon_ai.main())", os.path.join(HERE, "agon_ai.py"))
#: The computer player as a program of its own.
OWN_ENGINE = (*OWN_PROGRAM, "serve")
#: Seconds a program may take to answer `agon`, and beyond the time it is given for a move.  Generous: on a school's
#: computer a virus scanner looks at every program that is started.
START_PATIENCE = 20.0
#: What is kept of a line an engine writes, in bytes: one gone wild must not fill the memory.
MAX_ANSWER_BYTES = 10_000
#: What runs a file that does not run by itself, by the end of its name.
INTERPRETERS = {".py": sys.executable, ".pyw": sys.executable, ".js": "node", ".sh": "sh"}

#: What is told when an engine has failed, by the code of the EngineFailure.
FAILURE_TEXTS = {
    "missing": "{who} cannot be started: {reason}",
    "ended": "{who} has ended",
    "slow": "{who} has not answered '{asked}' within {seconds:g} s",
    "refused": "{who} has answered '{asked}' with: {answer}",
    "unreadable": "{who} has answered nonsense: {reason}",
    "illegal": "{who} has played {move}: {reason}",
}
#: The same in German, for the tournament of a class.
GERMAN_FAILURE_TEXTS = {
    "missing": "{who} lässt sich nicht starten: {reason}",
    "ended": "{who} hat sich beendet",
    "slow": "{who} hat auf „{asked}“ nicht innerhalb von {seconds:g} s geantwortet",
    "refused": "{who} hat auf „{asked}“ geantwortet: {answer}",
    "unreadable": "{who} hat statt eines Zuges Unsinn genannt: {answer}",
    "illegal": "{who} wollte {move} ziehen, und das ist nicht erlaubt",
}


class EngineFailure(Exception):
    """An engine has failed; `code` is one of FAILURE_TEXTS, `details` fill its sentence.

    'ended' may have a detail `error`: the LastWords of the engine's error output.
    """

    def __init__(self, code: str, **details: object) -> None:
        super().__init__(code, details)
        self.code = code
        self.details = details

    def __str__(self) -> str:
        return self.sentence("en")

    def sentence(self, language: str) -> str:
        """What has happened, in German ('de') or English."""
        texts = GERMAN_FAILURE_TEXTS if language == "de" else FAILURE_TEXTS
        sentence, error = texts[self.code].format(**self.details), self.details.get("error")
        return f"{sentence}: {error.sentence(language)}" if isinstance(error, LastWords) and error.error else sentence


class Info(NamedTuple):
    """What an engine reports while it thinks."""

    depth: int
    #: 1 for the best line, 2 for the second best, ...
    number: int
    #: For the side to move, in hundredths of a guard's step; WIN - n or n - WIN for a win or loss n plies away.
    score: int
    nodes: int
    moves: Tuple[str, ...]


class Answer(NamedTuple):
    """The end of an answer: the words behind `bestmove`."""

    text: str


class Said(NamedTuple):
    """A line of the conversation with an engine: '>' was sent, '<' was received, '!' is its error output."""

    speaker: str
    text: str
    #: When (seconds of the monotonic clock).
    when: float = 0.0


def parse_score(text: str) -> Optional[int]:
    """The score that `score_text` has written; None if it is not one.

    >>> [parse_score(text) for text in ("35", "win in 2", "loss in 1", "soup")] == [35, WIN - 3, 2 - WIN, None]
    True
    """
    match = re.fullmatch(r"(win in |loss in |)([+-]?[0-9]{1,7})", text, re.ASCII)
    if not match:
        return None
    kind, number = match.group(1), int(match.group(2))
    if kind:
        if not 1 <= number <= (WIN - SURE_WIN) // 2:
            return None
        return WIN - 2 * number + 1 if kind == "win in " else 2 * number - WIN
    return number if abs(number) <= WIN else None


def parse_info(words: Sequence[str]) -> Optional[Info]:
    """Read the words of an info line; None when it is not one to show."""
    fields: Dict[str, List[str]] = {}
    name = ""
    for word in words[1:]:
        if name != "pv" and word in ("depth", "multipv", "score", "nodes", "time", "pv"):
            name = word
            fields[name] = []
        elif name:
            fields[name].append(word)
    try:
        score = parse_score(" ".join(fields["score"]))
        depth, number, nodes = (int(fields.get(name, ["1"])[0]) for name in ("depth", "multipv", "nodes"))
        return None if score is None else Info(depth, number, score, nodes, tuple(fields["pv"]))
    except (KeyError, IndexError, ValueError):
        return None


def chosen_move(game: Game, answer: str, who: str = "the engine") -> Optional[Move]:
    """The move behind `bestmove`, or None for `resign`; EngineFailure if it is none that can be played."""
    word = (answer.split() or [""])[0]
    if word == "resign":
        return None
    try:
        move = Move.from_text(word)
    except AgonError as error:
        raise EngineFailure("unreadable", who=who, answer=word, reason=str(error)) from None
    refusal = game.refusal(move)
    if refusal:
        raise EngineFailure("illegal", who=who, move=move, refusal=refusal, reason=refusal.value)
    return move


def program_command(text: str, folder: str = HERE) -> Tuple[str, ...]:
    """The program and arguments that a person has typed.

    Understands quotation marks, `~`, `$HOME`, paths with blanks that lack
    their quotation marks, and files that lie in `folder` (that of the game).
    A file of INTERPRETERS is run with what runs it.  On Windows backslashes
    stay what they are.
    """
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    if os.name == "nt":
        lexer.escape, lexer.quotes = "", '"'
    try:
        words = [os.path.expanduser(os.path.expandvars(word)) for word in lexer]
    except ValueError:  # a quotation mark is missing
        words = [text.strip("\"' ")]
    if os.path.isfile(_found(text.strip(), folder)):
        words = [text.strip()]
    words = [_found(word, folder) for word in _with_blanks(words, folder)]
    if words and shutil.which(words[0]) is None and words[0] in ("python", "python3", "py"):
        words[0] = sys.executable
    interpreter = INTERPRETERS.get(os.path.splitext(words[0])[1].lower()) if words else None
    return (interpreter, *words) if interpreter else tuple(words)


def _with_blanks(words: List[str], folder: str) -> List[str]:
    """The words, those joined that make the path of a file together."""
    for first in range(len(words)):
        for last in range(len(words), first + 1, -1):
            path = " ".join(words[first:last])
            if os.path.isfile(_found(path, folder)):
                return words[:first] + [path] + _with_blanks(words[last:], folder)
    return words


def _found(path: str, folder: str) -> str:
    """This path, or that of the same file in the folder if it is only there."""
    beside = os.path.join(folder, path)
    return beside if path and not os.path.exists(path) and os.path.isfile(beside) else path


def missing_file(command: Sequence[str]) -> Optional[str]:
    """The program or script of a command that does not exist; None if all is there."""
    if not command or shutil.which(command[0]) is None:
        return command[0] if command else ""
    for word in command[1:]:
        if os.path.splitext(word)[1].lower() in INTERPRETERS:
            return None if os.path.isfile(word) else word
        if word in ("-c", "-m"):
            break
    return None


def programs_in(folder: str) -> List[str]:
    """The names of the files in a folder that can be started, in order; OSError if it cannot be read."""
    found = []
    for entry in os.scandir(folder):
        ending = os.path.splitext(entry.name)[1].lower()
        # Not all files that may be executed: on some disks these are all.
        is_marked = os.name == "posix" and os.access(entry.path, os.X_OK)
        can_run = ending in (*INTERPRETERS, ".exe") or not ending and is_marked
        if can_run and entry.is_file() and not entry.name.startswith((".", "_")):
            found.append(entry.name)
    return sorted(found, key=str.casefold)


def program_name(command: Sequence[str]) -> str:
    """What a program is called before it has told its name: its file."""
    scripts = [word for word in command if os.path.splitext(word)[1].lower() in INTERPRETERS]
    return os.path.basename((scripts or list(command) or [""])[0])


def printable(text: str) -> str:
    """The text without signs that would steer a terminal or cannot be seen."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def position_line(game: Game, ply: Optional[int] = None) -> str:
    """The protocol's line for a game, or for the game after `ply` of its moves.

    A line that would be too long begins after the last step inwards or
    relocation: no earlier position can come back unless by many more of them.
    """
    last = len(game.moves) if ply is None else ply
    line = _position_line(game, 0, last)
    if len(line) < MAX_LINE_BYTES:
        return line
    first = last
    while first and not game.positions[first - 1].is_progress(game.moves[first - 1]):
        first -= 1
    return _position_line(game, first, last)


def _position_line(game: Game, first: int, last: int) -> str:
    words = ["position", "text", str(game.positions[first])]
    if last > first:
        words += ["moves", *map(str, game.moves[first:last])]
    return " ".join(words)


def _lines_about(game: Game, options: Sequence[Tuple[str, object]] = (), ply: Optional[int] = None) -> Tuple[str, ...]:
    """The lines that set options, those of the game's rules among them, and tell the game or its first `ply` moves."""
    settings = [*options, *((option_name(field), value) for field, value in game.rules._asdict().items())]
    lines = [f"setoption name {name} value {_option_text(value)}" for name, value in settings]
    return (*lines, position_line(game, ply))


class _Question(NamedTuple):
    """What an engine is asked: the lines before `go`, what it may want to be told besides, and how its answer ends."""

    lines: Tuple[str, ...]
    position: Position
    rules: Rules
    go: str
    until: str


class EngineProcess:
    """A program in a child process that is spoken to by the protocol.

    `command` is the program and its arguments, `patience` the seconds it may
    take to answer `agon`, and beyond its own time for any other answer.  One
    thread reads its answers into a bounded queue, one its error output, and a
    third writes to it, so that a child that hangs or floods never holds up who
    asks.  Every question gets exactly one answer, in order, so that an answer
    that comes too late is known as such.
    """

    LOG_LINES = 500
    #: How many signs of a line are kept for the log.
    LOG_WIDTH = 200
    QUEUE_LINES = 1000
    ERROR_LINES = 100
    LONGEST_NAME = 40
    EVENTS = 100
    #: Seconds in which the threads of an engine that was ended come to their end.
    CLOSING = 1.0
    #: Seconds between two looks at the clock while an answer is awaited.
    SLICE = 0.1

    def __init__(self, command: Sequence[str], patience: float = START_PATIENCE) -> None:
        self.command = tuple(command)
        self.patience = patience
        #: The latest lines of the conversation.
        self.log: Deque[Said] = collections.deque(maxlen=self.LOG_LINES)
        #: What the program calls itself; '' before it has said so.
        self.name = ""
        #: What it is called in failures.
        self.who = program_name(command)
        #: What it wants to be told before each `go`: 'legal', 'board'.
        self.wants: FrozenSet[str] = frozenset()
        #: Whether it has answered `agon`.
        self.is_ready = False
        #: What it has said unasked: the words behind `event`, to be taken by whoever cares, the oldest first.
        self.events: Deque[str] = collections.deque(maxlen=self.EVENTS)
        #: The rules that it has been told; None before the first question.
        self._rules: Optional[Rules] = None
        self._errors: Deque[str] = collections.deque(maxlen=self.ERROR_LINES)
        self._process: Optional["subprocess.Popen[bytes]"] = None
        self._threads: List[threading.Thread] = []
        #: Lines to be written; None ends the thread that writes them.
        self._outbox: "queue.Queue[Optional[str]]" = queue.Queue()
        #: Lines read and not yet looked at; None is the end.  A full queue makes the child wait.
        self._lines: "queue.Queue[Optional[str]]" = queue.Queue(self.QUEUE_LINES)
        self._has_ended = False
        #: What waits for the program to be ready: lines that need no answer, and a question.
        self._notes: List[str] = []
        self._question: Optional[_Question] = None
        #: The words that end the answers still to come, the oldest first.
        self._awaited: Deque[str] = collections.deque()
        self._is_wanted = self._is_hurried = False
        #: What it was asked last, when, and how many seconds it was given for that; None is as long as it likes.
        self._asked, self._since = "", 0.0
        self._given: Optional[float] = 0.0
        #: The error line it has answered the present question with.
        self._complaint = ""

    @property
    def is_busy(self) -> bool:
        """Whether an answer is still wanted."""
        return self._is_wanted

    @property
    def is_running(self) -> bool:
        """Whether the program has been started and has not ended, as far as its lines have been looked at."""
        return self._process is not None and not self._has_ended

    # -- start and end --

    def start(self) -> None:
        """Start the program unless it runs already; OSError with the reason if it cannot be started."""
        if self._process is not None and not self._has_ended:
            return
        self.close()
        missing = missing_file(self.command)
        if missing is not None:
            raise FileNotFoundError(errno.ENOENT, "there is no such file", missing)
        try:
            self._process = process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=_child_environment(), **_APART)
        except ValueError as error:  # a NUL among the arguments
            raise OSError(errno.EINVAL, str(error)) from None
        self.name, self.wants, self.is_ready, self._has_ended = "", frozenset(), False, False
        self._rules = None
        self._errors.clear()
        self._lines, self._outbox = queue.Queue(self.QUEUE_LINES), queue.Queue()
        listener = threading.Thread(target=self._read_errors, args=(process,), daemon=True)
        self._threads = [
            listener, threading.Thread(target=self._read, args=(process, self._lines, listener), daemon=True),
            threading.Thread(target=self._write, args=(process, self._outbox), daemon=True)]
        for thread in self._threads:
            thread.start()
        self._send("agon")
        self._asked, self._since, self._given = "agon", time.monotonic(), 0.0

    def end(self, seconds: float, is_told: bool = True) -> bool:
        """End the program by `quit`, or just by the end of its input; whether it has ended by itself in time."""
        if is_told:
            self._send("quit")
        else:
            self._outbox.put(None)
        deadline = time.monotonic() + seconds
        readers = self._threads[:2]
        for thread in readers:
            thread.join(max(0.0, deadline - time.monotonic()))
        has_ended = not any(thread.is_alive() for thread in readers)
        self.close()
        return has_ended

    def close(self) -> None:
        """End the program at once, and all that it has started itself."""
        process, self._process = self._process, None
        self._question, self._is_wanted, self.is_ready = None, False, False
        self._awaited.clear()
        self._notes.clear()
        if process is None:
            return
        self._outbox.put(None)
        _kill(process)
        process.wait()
        deadline = time.monotonic() + self.CLOSING
        while not self._has_ended and time.monotonic() < deadline:  # a full queue would hold its thread up
            try:
                self._has_ended = self._lines.get(timeout=self.SLICE) is None
            except queue.Empty:
                pass
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    # -- the threads --

    def _read(self, process: "subprocess.Popen[bytes]", lines: "queue.Queue[Optional[str]]",
              listener: threading.Thread) -> None:
        assert process.stdout is not None
        with process.stdout:
            for data in bounded_lines(process.stdout, MAX_ANSWER_BYTES):
                text = printable(data.decode("utf-8", "replace").replace("\t", " ").strip("\ufeff \r\n"))
                self._note("<", text)
                lines.put(text)
        # Its last words should be known when its end is; a grandchild may keep the pipe open.
        listener.join(self.CLOSING / 2)
        lines.put(None)

    def _read_errors(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stderr is not None
        with process.stderr:
            for data in bounded_lines(process.stderr, MAX_ANSWER_BYTES):
                text = printable(data.decode("utf-8", "replace").expandtabs().rstrip())
                self._errors.append(text)
                self._note("!", text)

    @staticmethod
    def _write(process: "subprocess.Popen[bytes]", outbox: "queue.Queue[Optional[str]]") -> None:
        assert process.stdin is not None
        try:
            with process.stdin:
                for line in iter(outbox.get, None):
                    process.stdin.write(line.encode("utf-8") + b"\n")
                    process.stdin.flush()
        except OSError:
            pass  # the child has ended; the end of its output tells

    def _send(self, line: str) -> None:
        self._note(">", line)
        self._outbox.put(line)

    def _note(self, speaker: str, text: str) -> None:
        """Keep a line of the conversation."""
        self.log.append(Said(speaker, text[:self.LOG_WIDTH], time.monotonic()))

    # -- questions --

    def ask(self, game: Game, go: str = "go", options: Sequence[Tuple[str, object]] = (), ply: Optional[int] = None,
            until: str = "bestmove") -> None:
        """Ask something about this game, or about it after only `ply` of its moves.

        `options` are set before, those of the game's rules always.  `until` is
        the word that ends the answer.  What was asked before is cancelled.
        OSError if the program cannot be started.
        """
        self.cancel()
        self._catch_up()
        self.start()
        position = game.position if ply is None else game.positions[ply]
        # By other rules the moves of the game before might be illegal, so that game is forgotten first.
        forget = ("newgame",) if self._rules not in (None, game.rules) else ()
        self._rules = game.rules
        self._question = _Question((*forget, *_lines_about(game, options, ply)), position, game.rules, go, until)
        self._is_wanted, self._is_hurried, self._complaint = True, False, ""
        if self.is_ready:
            self._send_question()

    def inform(self, *lines: str) -> None:
        """Say something that needs no answer, as soon as the program is ready; it must have been started."""
        self._notes += lines
        if self.is_ready:
            self._send_notes()

    def inform_about(self, game: Game) -> None:
        """Say what is on the board, without a question."""
        self.inform(*_lines_about(game))

    def _send_notes(self) -> None:
        for line in self._notes:
            self._send(line)
        self._notes.clear()

    def _catch_up(self) -> None:
        """Look at the lines that have come since the last answer: the program may have ended after it."""
        for _ in range(self.QUEUE_LINES):
            try:
                line = self._lines.get_nowait()
            except queue.Empty:
                return
            if line is None:
                self._has_ended = True
                return
            self._take(line)

    def _send_question(self) -> None:
        question, self._question = self._question, None
        if question is None:
            return
        for line in question.lines:
            self._send(line)
        if "legal" in self.wants:
            self._send(" ".join(["legal", *map(str, question.position.legal_moves(question.rules))]))
        if "board" in self.wants:
            self._send(f"board {question.position}")
        self._send(question.go)
        self._awaited.append(question.until)
        self._asked, self._since, self._given = question.go, time.monotonic(), _seconds_of(question.go)
        if self._is_hurried:
            self.hurry()

    def hurry(self) -> None:
        """Ask for the answer at once."""
        self._is_hurried = True
        if self._is_wanted and self._question is None:
            self._send("stop")
            self._given = time.monotonic() - self._since

    def cancel(self) -> None:
        """Give up the present question; its answer will be dropped."""
        if self._is_wanted and self._question is None:
            self._send("stop")
        self._question, self._is_wanted = None, False

    # -- answers --

    def poll(self) -> List[object]:
        """What the engine has said since about the present question; never waits.

        These are Infos, an Answer at the end, and the other lines as text if
        the answer ends in another word than `bestmove`.  EngineFailure if the
        program has ended instead, or has not answered in time.
        """
        replies: List[object] = []
        for _ in range(self.QUEUE_LINES):  # a chatterbox must not hold up who asks
            try:
                line = self._lines.get_nowait()
            except queue.Empty:
                break
            reply = self._take(line)
            if reply is not None:
                replies.append(reply)
        if self._is_wanted or self._process is not None and not self.is_ready:
            self._check_patience(None if self._given is None else self._given + self.patience)
        return replies

    def wait(self, seconds: float, check: Optional[Callable[[], None]] = None) -> Answer:
        """Wait for the answer, at most `seconds` after the question was sent; EngineFailure otherwise.

        The time to start does not count; it has the usual patience.  `check`
        is called now and then and may give up by an exception of its own.
        """
        while True:
            reply = self._next_reply(seconds if self.is_ready else self.patience, check)
            if isinstance(reply, Answer):
                return reply

    def get_ready(self, check: Optional[Callable[[], None]] = None) -> None:
        """Start the program and wait until it has introduced itself; OSError or EngineFailure if it does not."""
        self.start()
        while not self.is_ready:
            self._next_reply(self.patience, check)

    def _next_reply(self, allowed: float, check: Optional[Callable[[], None]]) -> Optional[object]:
        """What the next line means, if one comes before it is time to look at the clock again."""
        left = self._check_patience(allowed)
        if check is not None:
            check()
        try:
            return self._take(self._lines.get(timeout=min(left, self.SLICE)))
        except queue.Empty:
            return None

    def _check_patience(self, allowed: Optional[float]) -> float:
        """How many seconds the engine may still take; EngineFailure if it has taken too many."""
        if allowed is None:
            return self.SLICE
        left = self._since + allowed - time.monotonic()
        if left <= 0:
            if self._complaint:
                self._fail("refused", asked=self._asked, answer=self._complaint)
            self._fail("slow", asked=self._asked, seconds=round(allowed, 1))
        return left

    def _fail(self, code: str, **details: object) -> NoReturn:
        self._question, self._is_wanted = None, False
        raise EngineFailure(code, who=self.who, **details)

    def _take(self, line: Optional[str]) -> Optional[object]:
        """What a line means for the present question; None is the end of all lines."""
        if line is None:
            self._has_ended = True
            if self._is_wanted or not self.is_ready:
                self._fail("ended", error=self.last_error)
            return None
        word, _, rest = line.partition(" ")
        if not self.is_ready:
            self._introduce(word, rest)
            return None
        if word == "event":
            self.events.append(rest)
            return None
        is_current = self._is_wanted and self._question is None and len(self._awaited) == 1
        if self._awaited and word == self._awaited[0]:
            self._awaited.popleft()
            self._is_wanted = self._is_wanted and not is_current
            return Answer(rest.strip()) if is_current else None
        if not is_current:
            return None
        if word == "info":
            return parse_info(line.split())
        if word == "error":
            # It may only not know an option; if no answer follows, this is why.
            self._complaint = line[:self.LOG_WIDTH]
        return line if self._awaited[0] != "bestmove" else None

    def _introduce(self, word: str, rest: str) -> None:
        """A line of the answer to `agon`."""
        if word == "id" and rest.startswith("name "):
            self.name = rest[len("name "):].strip()[:self.LONGEST_NAME]
        elif word == "wants":
            self.wants |= frozenset(rest.split())
        elif word == "agonok":
            self.is_ready = True
            self._send_notes()
            self._send_question()

    @property
    def last_error(self) -> "LastWords":
        """The last words of its error output."""
        words = last_words(list(self._errors), program_name(self.command))
        return words._replace(error=words.error[:self.LOG_WIDTH])


#: Where an error has happened: in a traceback of Python ('  File "x.py", line 7, in f'), or of JavaScript ('x.js:7').
_ERROR_PLACE = re.compile(r'File "([^"]+)", line (\d+)|(.+\.js):(\d+)$')
#: How the line of an error itself begins, where more follows behind it, as from JavaScript.
_ERROR_NAME = re.compile(r"[\w.]*(Error|Exception|Exit|Interrupt)\b")


class LastWords(NamedTuple):
    """What a program's error output comes down to: the error ('' for none), and the place that led to it, if known."""

    error: str
    file: str = ""
    line: str = ""

    def sentence(self, language: str) -> str:
        """The same in German ('de') or English: 'IndexError: ... (line 7 of crash.py)'."""
        if not self.file:
            return self.error
        place = f"Zeile {self.line} von {self.file}" if language == "de" else f"line {self.line} of {self.file}"
        return f"{self.error} ({place})"


def last_words(lines: Sequence[str], script: str) -> LastWords:
    """What a program's error output comes down to: the error, with the last line of `script` that led to it.

    >>> last_words(['  File "a/crash.py", line 7, in f', '  File "b.py", line 2', "IndexError: no"], "crash.py")
    LastWords(error='IndexError: no', file='crash.py', line='7')
    """
    spoken = [line.strip() for line in lines if line.strip()]
    if not spoken:
        return LastWords("")
    error = ([line for line in spoken if _ERROR_NAME.match(line)] or spoken)[-1]
    places = []
    for match in filter(None, map(_ERROR_PLACE.match, spoken)):
        python_file, python_line, js_file, js_line = match.groups()
        places.append((os.path.basename(python_file or js_file), python_line or js_line))
    if not places:
        return LastWords(error)
    file, number = ([place for place in places if place[0] == script] or places)[-1]
    return LastWords(error, file, number)


#: A process group of its own, so that an interrupted match ends in good order and all of a program can be ended.
_APART: Dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {
    "creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}


def _child_environment() -> Dict[str, str]:
    """What a Python program needs: its lines sent at once, as UTF-8, and the rules to import wherever it lies."""
    paths = [HERE] + [path for path in [os.environ.get("PYTHONPATH")] if path]
    return dict(os.environ, PYTHONUNBUFFERED="1", PYTHONUTF8="1", PYTHONIOENCODING="utf-8",
                PYTHONPATH=os.pathsep.join(paths))


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End a program; on POSIX all of its process group (as long as nobody has waited for it, the number is its own)."""
    try:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass  # it has ended, and so has all that it had started
    process.kill()


def _option_text(value: object) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _seconds_of(go: str) -> Optional[float]:
    """How many seconds a `go` line gives at most (0 if it names no time); None if it gives all the time there is."""
    words = go.split()
    if "infinite" in words:
        return None
    times = [int(value) / 1000 for name, value in zip(words, words[1:]) if name in ("movetime", "wtime", "btime")]
    return max(times, default=0.0)


# --- 8. Match --------------------------------------------------------------------

#: The sides as game files call them.
SIDE_HEADERS = ("White", "Black")


class TimeControl(NamedTuple):
    """How much time a side has: for the whole game, with an increment for each move, or for each move anew.

    Its text is '' without a limit, '300+5' for 300 seconds and 5 more after each move, '30/move'.
    """

    #: Seconds; 0 is no limit.
    seconds: int = 0
    increment: int = 0
    is_per_move: bool = False

    @classmethod
    def from_text(cls, text: str) -> "TimeControl":
        """Read its text; what cannot be read is no limit."""
        match = re.fullmatch(r"([0-9]{1,5})(?:\+([0-9]{1,4})|(/move))", text)
        if not match:
            return cls()
        seconds, increment, per_move = match.groups()
        return cls(int(seconds), int(increment or 0), per_move is not None) if int(seconds) else cls()

    def __str__(self) -> str:
        if not self.seconds:
            return ""
        return f"{self.seconds}/move" if self.is_per_move else f"{self.seconds}+{self.increment}"


class Clock:
    """The time of both sides.  `now` tells the time in seconds; what runs is the clock of one side, or none."""

    #: The headers of a file for a side's time: what it was given, and what is left.
    GIVEN, LEFT = "{}Time", "{}Left"

    def __init__(self, controls: Sequence[TimeControl], left: Sequence[Optional[float]] = (None, None),
                 now: Callable[[], float] = time.monotonic) -> None:
        self.controls = tuple(controls)
        self._now = now
        self._left = [float(control.seconds) if seconds is None else seconds
                      for control, seconds in zip(controls, left)]
        #: Whose time runs, and since when.
        self.side: Optional[int] = None
        self._since = 0.0

    @classmethod
    def from_headers(cls, headers: Dict[str, str]) -> "Clock":
        """The clock of a game that was kept."""
        controls, left = [], []
        for name in SIDE_HEADERS:
            controls.append(TimeControl.from_text(headers.get(cls.GIVEN.format(name), "")))
            match = re.fullmatch(r"[0-9]{1,6}(\.[0-9]+)?", headers.get(cls.LEFT.format(name), ""))
            left.append(float(match.group()) if match else None)
        return cls(controls, left)

    def headers(self) -> Dict[str, str]:
        """The same as headers; {} where nobody has a limit."""
        found = {}
        for side, name in enumerate(SIDE_HEADERS):
            if self.is_limited(side):
                found[self.GIVEN.format(name)] = str(self.controls[side])
                found[self.LEFT.format(name)] = f"{max(0.0, self.left(side)):.1f}"
        return found

    def anew(self) -> "Clock":
        """A clock with the same times for another game."""
        return Clock(self.controls, now=self._now)

    def is_limited(self, side: int) -> bool:
        """Whether a side has limited time."""
        return self.controls[side].seconds > 0

    @property
    def is_used(self) -> bool:
        """Whether any side has limited time."""
        return self.is_limited(WHITE) or self.is_limited(BLACK)

    def left(self, side: int) -> float:
        """The seconds that a side has left."""
        return self._left[side] - (self._now() - self._since if self.side == side else 0.0)

    def run(self, side: Optional[int]) -> None:
        """Let this side's time run from now on, or nobody's."""
        if side != self.side:
            if self.side is not None:
                self._left[self.side] = self.left(self.side)
            self.side, self._since = side, self._now()

    def moved(self, side: int) -> None:
        """A side has moved: it gets its increment, or all its time for the next move."""
        self.run(None)
        control = self.controls[side]
        self._left[side] = float(control.seconds) if control.is_per_move else self._left[side] + control.increment

    def fallen(self) -> Optional[int]:
        """The side whose time has run out, or None."""
        side = self.side
        return side if side is not None and self.is_limited(side) and self.left(side) <= 0 else None

    def words(self, side: int) -> str:
        """The clocks in the words of the protocol, as the side to move is to keep them; '' if it has no limit."""
        if not self.is_limited(side):
            return ""
        words = []
        for each, letter in enumerate("wb"):
            control = self.controls[each]
            if control.seconds:
                left = max(1, round(1000 * self.left(each)))
                words.append(f"{letter}time {left} {letter}inc {self._increment(each)}")
        return " ".join(words)

    def movetime(self, side: int, most: int) -> int:
        """The milliseconds for a move of a program that knows no clocks: its share of the time, `most` at most."""
        share = clock_share({"wtime": round(1000 * self.left(side)), "winc": self._increment(side)}, WHITE)
        return max(20, min(most, math.floor(1000 * share))) if share is not None and self.is_limited(side) else most

    def _increment(self, side: int) -> int:
        """The milliseconds for each move; a time for each move is like an increment that is all there is."""
        control = self.controls[side]
        return 1000 * (control.seconds if control.is_per_move else control.increment)

    def is_low(self, side: int) -> bool:
        """Whether a side has little time left."""
        control = self.controls[side]
        enough = control.seconds / 4 if control.is_per_move else LOW_S
        return self.is_limited(side) and self.left(side) < enough

    def text(self, side: int) -> str:
        """What the clock of a side shows: '4:05', tenths of seconds in the last ten; '' without a limit."""
        if not self.is_limited(side):
            return ""
        left = max(0.0, self.left(side))
        if left < TENTHS_S:
            return f"0:0{math.floor(left * 10 + 0.001) / 10:.1f}"
        seconds = math.ceil(left)
        return f"{seconds // 60}:{seconds % 60:02d}"


#: In the last seconds a clock shows tenths, and in more of the last ones it is red.
TENTHS_S, LOW_S = 10, 20


# -- the games --

#: Seconds an engine may take beyond its time for a move.
PATIENCE = 5.0
#: Seconds for a move without a limit in time: of a level that keeps its own, or by nodes.
LONGEST_MOVE = 30.0
#: A game this long is given up as a draw; no sensible game comes near it.
LONGEST_GAME = 1000


class Contestant(NamedTuple):
    """Who plays in a match: a level of this program or a program of one's own."""

    name: str
    command: Tuple[str, ...]
    options: Tuple[Tuple[str, object], ...]
    #: What it is asked for each move, and how many seconds it may take for that.
    go: str
    seconds: float


def contestant(text: str, limit: str) -> Contestant:
    """Who is meant by what was typed; `limit` is what each move gets, such as 'movetime 100' or 'nodes 5000'.

    That is a level such as 'level3', a level without some of its ideas such
    as 'level8-reductions-threat', or the command of another engine.
    ProtocolError if there is no such level, or no such idea.
    """
    milliseconds = re.fullmatch(r"movetime (\d+)", limit)
    seconds = int(milliseconds.group(1)) / 1000 + PATIENCE if milliseconds else LONGEST_MOVE
    match = re.fullmatch(r"level(\d+)((?:-\w+)*)", text, re.ASCII)
    if not match:
        return Contestant(text, program_command(text), (), f"go {limit}", seconds)
    level, ideas = int(match.group(1)), match.group(2).split("-")[1:]
    if not 1 <= level <= len(LEVELS):
        raise ProtocolError(f"there is no level {level}: they are level1 to level{len(LEVELS)}")
    leave_out(ideas)
    options = [("Level", level)] + ([("Without", ",".join(ideas))] if ideas else [])
    # The levels below the highest keep their own limits.
    return Contestant(text, OWN_ENGINE, tuple(options), f"go {limit}" if level == len(LEVELS) else "go", seconds)


def introduced(texts: Sequence[str], limit: str) -> List[Contestant]:
    """The contestants, each with the name it gives itself; EngineFailure if one does not even start."""
    players = [contestant(text, limit) for text in texts]
    return told_apart([player._replace(name=told_name(player)) for player in players])


def told_name(player: Contestant, check: Optional[Callable[[], None]] = None) -> str:
    """What a program calls itself, else its file; EngineFailure if it does not even start."""
    if player.options:
        return player.name
    engine = EngineProcess(player.command)
    try:
        engine.get_ready(check)
        return engine.name or engine.who
    except OSError as error:
        reason = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
        raise EngineFailure("missing", who=player.name, reason=reason) from None
    finally:
        engine.close()


def told_apart(players: Sequence[Contestant]) -> List[Contestant]:
    """The contestants, those with the same name called after their files, or numbered if these are the same, too."""
    names = [player.name for player in players]
    files = [program_name(player.command) for player in players]
    named = []
    for number, (player, file) in enumerate(zip(players, files), 1):
        if names.count(player.name) > 1:
            is_alone = not player.options and files.count(file) == 1
            player = player._replace(name=file if is_alone else f"{player.name} {number}")
        named.append(player)
    return named


class MatchGame(NamedTuple):
    """A finished game of a match: the points of the first contestant (1, 0.5 or 0) and why it ended."""

    points: float
    reason: str
    game: Game
    #: The error of the loser's program by which it was lost, if it was.
    failure: Optional[EngineFailure] = None

    @property
    def by_error(self) -> bool:
        """Whether it was lost by an error of the loser's program."""
        return self.failure is not None

    @property
    def is_late(self) -> bool:
        """Whether it was lost because the time had run out."""
        outcome = self.game.outcome()
        return outcome is not None and outcome.reason is Ending.TIME


class Pairing(NamedTuple):
    """Which contestants play each other, by their numbers from 0, and in their how manieth game, from 0."""

    first: int
    second: int
    number: int

    @property
    def numbers(self) -> str:
        """The game as table, files and page number it: '1-3-002' is the second game of the first against the third."""
        return f"{self.first + 1}-{self.second + 1}-{self.number + 1:03}"

    @classmethod
    def from_numbers(cls, text: str) -> "Pairing":
        """The inverse of `numbers`."""
        first, second, number = (int(word) - 1 for word in text.split("-"))
        return cls(first, second, number)

    @property
    def sides(self) -> Tuple[int, int]:
        """Who is White and who is Black, by their numbers from 0: they change sides after each game."""
        return (self.second, self.first) if self.number % 2 else (self.first, self.second)


class MatchStopped(Exception):
    """The match was interrupted."""


def random_opening(plies: int, seed: str) -> Game:
    """A game with this many random moves, not ended yet; the same with the same seed."""
    luck = random.Random(seed)
    while True:
        game = Game()
        while len(game.moves) < plies and not game.outcome():
            game.play(luck.choice(game.legal_moves()))
        if not game.outcome():
            return game


def play_game(sides: Sequence[Contestant], number: int, opening_plies: int, seed: int,
              check: Optional[Callable[[], None]] = None, watch: Optional[Callable[[Game], None]] = None,
              control: TimeControl = TimeControl()) -> MatchGame:
    """Game `number` of a match: the first contestant is White in games 0, 2, 4 ...

    Games 0 and 1 share an opening, and so on.  An engine that fails loses, and
    one whose time runs out, if `control` limits it.  `check` is called now and
    then and may give up by an exception; `watch` is shown the game before each
    move.
    """
    game = random_opening(opening_plies, f"{seed} {number // 2}")
    white = number % 2
    players = (sides[white], sides[1 - white])
    game.headers.update(Event=f"{sides[0].name} - {sides[1].name}", Date=time.strftime("%Y.%m.%d"),
                        Round=str(number + 1), White=players[WHITE].name, Black=players[BLACK].name)
    engines = [EngineProcess(player.command) for player in players]
    clock = Clock((control, control))
    reason = ""
    error: Optional[EngineFailure] = None
    try:
        while not game.outcome() and len(game.moves) < LONGEST_GAME:
            side = game.position.turn
            if watch is not None:
                watch(game)
            try:
                move = _asked_move(game, players[side], engines[side], seed + number, check, clock)
            except EngineFailure as failure:
                if clock.fallen() is None or failure.code != "slow":
                    game.resign(side)
                    reason, error = str(failure), failure
                    break
            is_late = clock.fallen() is not None
            clock.moved(side)
            if is_late:
                game.lose_on_time(side)
            elif move is None:
                game.resign(side)
                reason = f"{players[side].name} has resigned"
            else:
                game.play(move)
    finally:
        for engine in engines:
            engine.close()
    if not game.outcome():
        game.agree_draw()
        reason = f"no end after {LONGEST_GAME} moves"
    outcome = game.outcome()
    assert outcome is not None
    game.headers.update(clock.headers(), Termination=reason or outcome.reason.value)
    points = 0.5 if outcome.winner is None else float(outcome.winner == white)
    return MatchGame(points, game.headers["Termination"], game, error)


def _asked_move(game: Game, player: Contestant, engine: EngineProcess, seed: int,
                check: Optional[Callable[[], None]], clock: Clock) -> Optional[Move]:
    """The move of the player whose turn it is, and whose clock then runs; EngineFailure if it names none."""
    engine.who, side = player.name, game.position.turn
    go, seconds = player.go, player.seconds
    try:
        if clock.is_used:
            engine.get_ready(check)  # to start takes none of the time
            clock.run(side)
            go, seconds = f"go {clock.words(side)}", clock.left(side)
            if not player.options:
                go += f" movetime {clock.movetime(side, math.ceil(1000 * seconds))}"
        engine.ask(game, go, [*player.options, ("Seed", seed)] if player.options else [])
    except OSError as error:
        raise EngineFailure("missing", who=player.name, reason=error.strerror) from None
    return chosen_move(game, engine.wait(seconds, check).text, player.name)


def elo(share: float) -> float:
    """The Elo difference that makes one expect this share of the points."""
    share = min(max(share, 0.001), 0.999)
    return -400 * math.log10(1 / share - 1)


def elo_text(points: Sequence[float]) -> str:
    """The Elo difference that these results of games (1, 0.5 or 0 points) show, with 95 % error bars.

    For the bars a win and a loss are added, as is usual (Agresti and Coull
    1998): without them a few equal results would look as if they were certain.
    """
    share = sum(points) / len(points)
    widened = [*points, 1.0, 0.0]
    middle = sum(widened) / len(widened)
    spread = 1.96 * math.sqrt(sum((point - middle) ** 2 for point in widened)) / len(widened)
    low, high = elo(middle - spread), elo(middle + spread)
    if len(points) == 1:
        return "Elo unknown"
    if share in (0, 1):
        return f"Elo at least {round(low):+d}" if share else f"Elo at most {round(high):+d}"
    return f"Elo {round(elo(share)):+d} ± {round((high - low) / 2)}"


def match_summary(names: Sequence[str], points: Sequence[float]) -> str:
    """The result of a match in one line, with 95 % error bars."""
    wins, losses = points.count(1), points.count(0)
    return (f"{names[0]} vs {names[1]}: {wins} wins, {len(points) - wins - losses} draws, {losses} losses, "
            f"{100 * sum(points) / len(points):.1f} %, {elo_text(points)}")


Results = Dict[Pairing, MatchGame]


def play_games(players: Sequence[Contestant], pairings: Sequence[Pairing], options: argparse.Namespace,
               report: Callable[[Results, Optional[Pairing]], None],
               watch: Optional[Callable[[Pairing, Game], None]] = None,
               is_stopped: Callable[[], bool] = bool) -> Results:
    """Play these games, `options.jobs` at a time; Ctrl-C, or `is_stopped`, ends all at once.

    `report` is told about each finished game, and now and then about none;
    `watch` is shown each game before each of its moves, by the thread that
    plays it.  Returns the games that have been finished.
    """
    # Not at the top: importing it takes about as long as importing this file, and every engine would wait for it.
    from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
    results: Results = {}
    stopped = threading.Event()

    def check() -> None:
        if stopped.is_set() or is_stopped():
            raise MatchStopped

    with ThreadPoolExecutor(options.jobs) as pool:
        pending = {pool.submit(play_game, (players[pairing.first], players[pairing.second]), pairing.number,
                               options.openings, options.seed, check, watch and partial(watch, pairing),
                               options.clock): pairing
                   for pairing in pairings}
        waiting = set(pending)
        try:
            while waiting:
                # With a limit in time, Windows notices Ctrl-C while it waits.
                done, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in done:
                    results[pending[future]] = future.result()
                    report(results, pending[future])
                if not done:
                    report(results, None)
        except KeyboardInterrupt:
            print("\ninterrupted", file=sys.stderr)
        except MatchStopped:
            pass  # who has asked for it knows
        finally:
            stopped.set()
            for future in waiting:
                future.cancel()
    return results


def play_match(options: argparse.Namespace) -> int:
    """Play the games of a match and print its progress and result."""
    players = introduced((options.a, options.b), _limit(options))
    names = [player.name for player in players]

    def report(results: Results, played: Optional[Pairing]) -> None:
        if played is None:
            return
        _save(results[played], options, f"{played.number + 1:03}")
        points = sum(result.points for result in results.values())
        print(f"\r{len(results)}/{options.games} games, {points:g} points for {names[0]} ", end="",
              file=sys.stderr, flush=True)

    results = play_games(players, [Pairing(0, 1, number) for number in range(options.games)], options, report)
    print(file=sys.stderr)
    reasons: CounterOf[str] = Counter(result.reason for result in results.values())
    for reason, count in reasons.most_common():
        print(f"{count:4} x {reason}")
    if results:
        print(match_summary(names, [results[pairing].points for pairing in sorted(results)]), flush=True)
    return 0 if len(results) == options.games else INTERRUPTED


def play_tournament(options: argparse.Namespace) -> int:
    """Let all engines play each other, twice in every round, and print the crosstable."""
    if len(options.engines) < 2:
        raise ProtocolError("a tournament needs two players or more")
    options.language = options.language or system_language()
    if options.live:
        return serve_tournament(options)
    players = introduced(options.engines, _limit(options))
    is_german, count = options.language == "de", len(pairings_of(len(players), options.rounds))

    def tell(results: Results, played: Pairing, _path: str) -> None:
        failure = results[played].failure
        if failure:
            word = "Partie" if is_german else "game"
            print(f"{word} {played.numbers}: {failure.sentence(options.language)}", flush=True)
        print(f"\r{len(results)}/{count} {'Partien' if is_german else 'games'} ", end="", file=sys.stderr, flush=True)

    results = hold_tournament(players, options, tell)
    print(file=sys.stderr)
    print(crosstable([player.name for player in players], results, options.language), flush=True)
    return 0 if len(results) == count else INTERRUPTED


def pairings_of(count: int, rounds: int) -> List[Pairing]:
    """All games of a tournament of so many players: in each round everyone meets everyone twice, once as each side."""
    return [Pairing(first, second, number) for number in range(2 * rounds)
            for first in range(count) for second in range(first + 1, count)]


def hold_tournament(players: Sequence[Contestant], options: argparse.Namespace,
                    tell: Callable[[Results, Pairing, str], None],
                    watch: Optional[Callable[[Pairing, Game], None]] = None,
                    is_stopped: Callable[[], bool] = bool) -> Results:
    """Play a tournament and keep its page and its files up to date; the games that have been finished.

    `tell` is told about each finished game and its file ('' if it has none);
    `watch` and `is_stopped` are those of play_games.
    """
    pairings = pairings_of(len(players), options.rounds)
    names = [player.name for player in players]
    page = TournamentPage(options.page, names, len(pairings), options.language) if options.page else None
    if page is not None and not options.save:
        options.save = os.path.splitext(options.page)[0] + ".agon"  # so that each game on the page is a link
    watchers = ([page.watch] if page is not None else []) + ([watch] if watch is not None else [])

    def show(pairing: Pairing, game: Game) -> None:
        for watcher in watchers:
            watcher(pairing, game)

    def report(results: Results, played: Optional[Pairing]) -> None:
        if played is not None:
            path = _save(results[played], options, played.numbers)
            tell(results, played, path)
            if page is not None:
                page.finish(played, path)
        if page is not None:
            page.write(results)

    results = play_games(players, pairings, options, report, show if watchers else None, is_stopped)
    if page is not None:
        page.finish_all()
        page.write(results)
    return results


class Standing(NamedTuple):
    """How a contestant stands in a tournament: its number (from 0), its games, and its points against each other one.

    `errors` counts the games among the lost ones that were lost by an error of the program, `late` those on time.
    """

    number: int
    name: str
    points: float
    won: int
    drawn: int
    lost: int
    errors: int
    against: Dict[int, float]
    late: int = 0


def standings(names: Sequence[str], results: Results) -> List[Standing]:
    """How everyone stands, the best first."""
    rows = []
    for number, name in enumerate(names):
        points: List[float] = []
        against: Dict[int, float] = {}
        errors = late = 0
        for pairing, result in results.items():
            if number in pairing[:2]:
                is_first = number == pairing.first
                gained = result.points if is_first else 1 - result.points
                other = pairing.second if is_first else pairing.first
                points.append(gained)
                against[other] = against.get(other, 0.0) + gained
                errors += result.by_error and gained == 0
                late += result.is_late and gained == 0
        rows.append(Standing(number, name, sum(points), points.count(1.0), points.count(0.5), points.count(0.0),
                             errors, against, late))
    return sorted(rows, key=lambda row: -row.points)


#: What is counted in a crosstable, the last only where time has run out, and the heads of its columns.
COUNTS = ("points", "won", "drawn", "lost", "errors", "late")
TABLE_HEADS = {"de": ("Nr", "Name", "Punkte", "gew.", "remis", "verl.", "Fehler", "Zeit"),
               "en": ("no", "name", "points", "won", "drawn", "lost", "errors", "time")}


def table_rows(names: Sequence[str], results: Results, heads: Sequence[str]) -> List[List[str]]:
    """A crosstable, the best first: the heads, then number, name, points against each other one, and the COUNTS.

    The numbers are those of the order given, which games and files bear, too.
    """
    table = standings(names, results)
    counts = COUNTS if any(row.late for row in table) else COUNTS[:-1]
    rows = [[*heads[:2], *(str(row.number + 1) for row in table), *heads[2:2 + len(counts)]]]
    for row in table:
        cells = [f"{row.against[other.number]:g}" if other.number in row.against else "" for other in table]
        rows.append([str(row.number + 1), row.name, *cells, *(f"{getattr(row, count):g}" for count in counts)])
    return rows


def crosstable(names: Sequence[str], results: Results, language: str = "en") -> str:
    """The points of everyone against everyone as text."""
    width = max(map(len, [*names, "name"]))
    lines = []
    for number, name, *cells in table_rows(names, results, TABLE_HEADS[language]):
        points = [f"{cell or '-':>6}" for cell in cells[:len(names)]]
        counts = [f"{cell:>{wide}}" for cell, wide in zip(cells[len(names):], (9, 6, 6, 6, 7, 6))]
        lines.append(f"{number:>3}{'.' if lines else ' '} {name:{width}}" + "".join(points + counts))
    return "\n".join(lines)


def _save(result: MatchGame, options: argparse.Namespace, numbers: str) -> str:
    """Save a game if that is wanted, and return its path ('' if not); a full disk must not end the match."""
    if not options.save:
        return ""
    stem, extension = os.path.splitext(options.save)
    path = f"{stem}-{numbers}{extension or '.agon'}"
    try:
        result.game.save(path)
    except AgonError as error:
        print(f"\n{error}", file=sys.stderr)
        return ""
    return path


def _limit(options: argparse.Namespace) -> str:
    return f"nodes {options.nodes}" if options.nodes else f"movetime {options.movetime}"


# --- 9. Page ---------------------------------------------------------------------

#: Seconds between two looks of the browser at the page, and the least between two writings.
PAGE_SECONDS = 2

#: The words of the page, German and English.
PAGE_TEXTS = {
    "title": ("Agon-Turnier", "Agon tournament"),
    "played": ("{played} von {count} Partien sind gespielt.", "{played} of {count} games have been played."),
    "number": ("Nr.", "No."), "name": ("Name", "Name"), "points": ("Punkte", "Points"), "won": ("gewonnen", "won"),
    "drawn": ("remis", "drawn"), "lost": ("verloren", "lost"), "errors": ("davon durch Fehler", "of these by error"),
    "late": ("davon auf Zeit", "of these on time"),
    "running": ("Es spielen", "Being played"), "failures": ("Fehler", "Errors"), "games": ("Gespielt", "Finished"),
}
PAGE_STYLE = """body { font: 18px sans-serif; margin: 1.5em; color: #222 }
table { border-collapse: collapse } td, th { border: 1px solid #999; padding: 0.3em 0.7em; text-align: right }
td:nth-child(2), th:nth-child(2) { text-align: left } svg { max-width: 100%; height: auto }"""


def system_language() -> str:
    """'de' where the system speaks German, else 'en'."""
    import locale  # like the two imports of other functions: every engine would wait for it at its start
    names = [os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG")] + [locale.getlocale()[0] or ""]
    chosen = next((name for name in names if name), "")
    return "de" if chosen.lower().startswith(("de", "german")) else "en"


class TournamentPage:
    """Keeps a page (HTML, which loads itself anew) and a table (CSV) of a tournament up to date.

    The games are played by threads that call `watch`; all else is called by one thread.
    """

    def __init__(self, path: str, names: Sequence[str], count: int, language: str) -> None:
        self.path = path
        self.names = names
        self.count = count
        self.language = language
        self.texts = {key: texts[0 if language == "de" else 1] for key, texts in PAGE_TEXTS.items()}
        #: The games being played, as they are to be drawn.
        self.boards: Dict[Pairing, Diagram] = {}
        #: The files of the finished games that have been saved.
        self.files: Dict[Pairing, str] = {}
        self._written: Tuple[float, object] = (-math.inf, None)

    def watch(self, pairing: Pairing, game: Game) -> None:
        """A game goes on."""
        moves = game.moves
        white, black = (self.names[number] for number in pairing.sides)
        self.boards[pairing] = Diagram(game.position, f"{white} - {black}", moves[-1] if moves else None, True)

    def finish(self, pairing: Pairing, path: str) -> None:
        """A game has ended, and may have been saved."""
        self.boards.pop(pairing, None)
        if path:
            self.files[pairing] = path

    def finish_all(self) -> None:
        """No game goes on any more."""
        self.boards.clear()
        self._written = (-math.inf, None)

    def write(self, results: Results) -> None:
        """Write both files, unless nothing has changed or they have just been written; a full disk ends nothing."""
        now, state = time.monotonic(), (len(results), dict(self.boards))
        if state == self._written[1] or now < self._written[0] + PAGE_SECONDS and len(results) < self.count:
            return
        self._written = (now, state)
        try:
            write_safely(self.path, self.html(results))
            write_safely(os.path.splitext(self.path)[0] + ".csv", self.csv(results))
        except AgonError as error:
            print(f"\n{error}", file=sys.stderr)

    def rows(self, results: Results) -> List[List[str]]:
        """The crosstable with its heads."""
        return table_rows(self.names, results, [self.texts[key] for key in ("number", "name", *COUNTS)])

    def csv(self, results: Results) -> str:
        """The crosstable as comma-separated values (RFC 4180)."""
        text = io.StringIO()
        csv.writer(text).writerows(self.rows(results))
        return text.getvalue()

    def html(self, results: Results) -> str:
        """The page: the crosstable, the games being played, what has gone wrong, and the finished games."""
        texts = self.texts
        head, *rows = self.rows(results)
        parts = [f"<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{texts['title']}</title>"]
        if len(results) < self.count:
            parts.append(f"<meta http-equiv=\"refresh\" content=\"{PAGE_SECONDS}\">")
        parts += [f"<style>{PAGE_STYLE}</style></head><body><h1>{texts['title']}</h1>",
                  f"<p>{texts['played'].format(played=len(results), count=self.count)}</p><table>",
                  _html_row("th", head), *(_html_row("td", row) for row in rows), "</table>"]
        boards = [board for _, board in sorted(dict(self.boards).items())]
        if boards:
            parts += [f"<h2>{texts['running']}</h2>", diagrams_svg(boards, PRINT)]
        failures = [(pairing, results[pairing].failure) for pairing in sorted(results) if results[pairing].failure]
        if failures:
            parts += [f"<h2>{texts['failures']}</h2><ul>",
                      *(f"<li>{pairing.numbers}: {html.escape(failure.sentence(self.language))}</li>"
                        for pairing, failure in failures if failure), "</ul>"]
        if results:
            lines = [self._game_line(pairing, results[pairing]) for pairing in sorted(results)]
            parts += [f"<h2>{texts['games']}</h2><ul>", *(f"<li>{line}</li>" for line in lines), "</ul>"]
        return "\n".join(parts + ["</body></html>"]) + "\n"

    def _game_line(self, pairing: Pairing, result: MatchGame) -> str:
        """A finished game: its numbers, linked with its file, who played, and the result."""
        from urllib.parse import quote
        outcome = result.game.outcome()
        headers = result.game.headers
        numbers = pairing.numbers
        if pairing in self.files:
            folder = os.path.dirname(os.path.abspath(self.path))
            link = os.path.relpath(self.files[pairing], folder).replace(os.sep, "/")
            numbers = f"<a href=\"{html.escape(quote(link))}\">{numbers}</a>"
        players = html.escape(f"{headers['White']} - {headers['Black']}")
        return f"{numbers} {players} {outcome.result if outcome else ''}"


def _html_row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


# -- the same for a window --

#: Seconds in which a tournament whose window has gone ends its engines.
LIVE_GRACE = 10.0


def failure_text(failure: EngineFailure) -> str:
    """A failure as one line (JSON) that `parse_failure` reads."""
    details = {name: value if isinstance(value, (int, float, LastWords)) else str(value)
               for name, value in failure.details.items()}
    return json.dumps([failure.code, details])


def parse_failure(text: str) -> EngineFailure:
    """The failure that `failure_text` has written, with words in place of moves and reasons."""
    code, details = json.loads(text)
    if isinstance(details.get("error"), list):
        details["error"] = LastWords(*details["error"])
    return EngineFailure(code, **details)


class Ticker:
    """Tells how a tournament goes on, in a line for each thing that happens; Tournament reads them.

    'absent FAILURE' is a program that does not take part, 'player NAME' one
    that does, 'count N' the number of games; then there are, each with the
    numbers of a game, 'game NUMBERS POSITION' at its start, 'move NUMBERS
    MOVE', and at its end 'file NUMBERS PATH' (JSON), 'failure NUMBERS
    FAILURE', and 'end NUMBERS POINTS ENDING'.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        #: How many moves of each game have been told.
        self._told: Dict[Pairing, int] = {}

    def begin(self, absent: Sequence[EngineFailure], players: Sequence[Contestant], count: int) -> None:
        """Who plays and who does not, and how many games."""
        for failure in absent:
            self._say(f"absent {failure_text(failure)}")
        for player in players:
            self._say(f"player {player.name}")
        self._say(f"count {count}")

    def watch(self, pairing: Pairing, game: Game) -> None:
        """A game goes on; called by the thread that plays it."""
        if pairing not in self._told:
            self._say(f"game {pairing.numbers} {game.start}")
        for move in game.moves[self._told.get(pairing, 0):]:
            self._say(f"move {pairing.numbers} {move}")
        self._told[pairing] = len(game.moves)

    def finish(self, pairing: Pairing, result: MatchGame, path: str) -> None:
        """A game has ended, and may have been saved."""
        self.watch(pairing, result.game)
        outcome = result.game.outcome()
        assert outcome is not None
        if path:
            self._say(f"file {pairing.numbers} {json.dumps(os.path.abspath(path))}")
        if result.failure:
            self._say(f"failure {pairing.numbers} {failure_text(result.failure)}")
        self._say(f"end {pairing.numbers} {result.points:g} {outcome.reason.name}")


class Tournament:
    """A tournament as a Ticker tells it, line by line."""

    def __init__(self) -> None:
        self.names: List[str] = []
        #: Why programs do not take part.
        self.absent: List[EngineFailure] = []
        #: How many games there are to be; None before that is known.
        self.count: Optional[int] = None
        #: All games that have begun, in that order, and those of them that have ended.
        self.games: Dict[Pairing, Game] = {}
        self.results: Results = {}
        #: The files of the games that have been saved.
        self.files: Dict[Pairing, str] = {}
        self._failures: Dict[Pairing, EngineFailure] = {}

    @property
    def running(self) -> List[Pairing]:
        """The games that are being played, in the order in which they have begun."""
        return [pairing for pairing in self.games if pairing not in self.results]

    def players(self, pairing: Pairing) -> Tuple[str, str]:
        """The names of White and Black in a game."""
        white, black = pairing.sides
        return self.names[white], self.names[black]

    def hear(self, line: str) -> None:
        """Take in what a line tells; another line than those of a Ticker tells nothing."""
        word, _, rest = line.partition(" ")
        if word == "absent":
            self.absent.append(parse_failure(rest))
        elif word == "player":
            self.names.append(rest)
        elif word == "count":
            self.count = int(rest)
        elif word in ("game", "move", "file", "failure", "end"):
            numbers, _, what = rest.partition(" ")
            self._hear_of_game(word, Pairing.from_numbers(numbers), what)

    def _hear_of_game(self, word: str, pairing: Pairing, what: str) -> None:
        if word == "game":
            white, black = self.players(pairing)
            self.games[pairing] = Game(Position.from_text(what), headers={"White": white, "Black": black})
        elif word == "move":
            self.games[pairing].play(Move.from_text(what))
        elif word == "file":
            self.files[pairing] = json.loads(what)
        elif word == "failure":
            self._failures[pairing] = parse_failure(what)
        else:
            self._end(pairing, *what.split())

    def _end(self, pairing: Pairing, points: str, ending: str) -> None:
        game = self.games[pairing]
        if game.outcome() is None:
            loser = pairing.sides.index(pairing.first if float(points) == 0 else pairing.second)
            if ending == "TIME":
                game.lose_on_time(loser)
            elif ending == "RESIGNATION":
                game.resign(loser)
            else:
                game.agree_draw()
        outcome = game.outcome()
        assert outcome is not None
        self.results[pairing] = MatchGame(float(points), outcome.reason.value, game, self._failures.get(pairing))


def serve_tournament(options: argparse.Namespace) -> int:
    """Speak the engine protocol with a window: `go` begins the tournament; a Ticker tells of it until `tournamentok`.

    `stop`, `quit` and the end of input end it, and all of its engines.
    """
    speak_utf_8()
    guard = threading.Lock()

    def say(text: str) -> None:
        with guard:
            print(text, flush=True)

    commands = Input(sys.stdin.buffer, say, LIVE_GRACE)
    for line in iter(commands.lines.get, None):
        if line.split()[:1] == ["agon"]:
            say("id name Tournament\nwants quit\nagonok")
        elif line.split()[:1] == ["go"]:
            try:
                _play_live(options, Ticker(say), commands.stop_asked)
                say("tournamentok")
            except OSError:
                break  # nobody listens any more
    commands.finished.set()
    return 0


def _play_live(options: argparse.Namespace, ticker: Ticker, is_stopped: Callable[[], bool]) -> None:
    """Play a tournament without the programs that do not start."""
    def check() -> None:
        if is_stopped():
            raise MatchStopped

    players: List[Contestant] = []
    absent: List[EngineFailure] = []
    for text in options.engines:
        player = contestant(text, _limit(options))
        try:
            name = told_name(player, check)
        except MatchStopped:
            return
        except EngineFailure as failure:
            absent.append(failure)
        else:
            word = "Stufe " if options.language == "de" else "Level "
            players.append(player._replace(name=re.sub(r"^level(?=\d)", word, name) if player.options else name))
    players = told_apart(players)
    ticker.begin(absent, players, len(pairings_of(len(players), options.rounds)))
    hold_tournament(players, options, lambda results, played, path: ticker.finish(played, results[played], path),
                    ticker.watch, is_stopped)


# --- 10. Check -------------------------------------------------------------------

#: Milliseconds a program is given for a move, and the seconds beyond that after which it is called slow.
CHECK_MS = 100
SLOW = 1.0
#: Seconds in which a program should obey `stop` and `quit`.
PROMPT = 1.0

#: What is tried: in words, a position, the moves that follow, and the rules.
CHECKS: Tuple[Tuple[str, str, str, Rules], ...] = (
    ("at the start", "Qf1 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2 w", "", DEFAULT_RULES),
    ("as Black, after two moves", "Qf1 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2 w", "b1-c2 d1-e2 c2-c3",
     DEFAULT_RULES),
    ("with a trapped guard", "Qf1 b1 d9 e5 h9 k1 l5 / Qf11 a4 a6 e4 e6 k7 l2 w", "", DEFAULT_RULES),
    ("with a trapped queen", "Qf6 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 f5 f7 k7 l2 w", "", DEFAULT_RULES),
    ("with two trapped pieces", "Qg4 a5 b1 d9 e5 h9 l5 / Qf11 e4 e6 g3 g5 k7 l2 w", "", DEFAULT_RULES),
    ("when the trapped queen must go first", "Qg4 a5 b1 d9 e5 h9 l5 / Qf11 e4 e6 g3 g5 k7 l2 w", "",
     Rules(queen_first=True)),
    ("when only a pass is possible", "Qf6 f5 g4 g5 g6 h4 h5 / Qh6 d5 e5 e6 e7 f4 f7 w", "", DEFAULT_RULES),
    ("with few pieces", "Qf2 d4 c5 / Qf10 d5 b", "", DEFAULT_RULES),
    ("when guards are to be placed", "Qf1 / Qf11 w", "@a5 @b1", Rules(placement=True)),
)


class Finding(NamedTuple):
    """What a check has found: `grade` is 'good', 'note' (it can play all the same) or 'fault'."""

    grade: str
    text: str


def _finding(is_good: bool, good: str, otherwise: str, grade: str = "note") -> Finding:
    return Finding("good", good) if is_good else Finding(grade, otherwise)


def findings(command: Sequence[str]) -> Iterator[Finding]:
    """Try a program on the whole protocol; what is found, one after the other."""
    engine = EngineProcess(command)
    try:
        began = time.monotonic()
        engine.get_ready()
        yield Finding("good", f"starts and says agonok after {time.monotonic() - began:.1f} s")
        yield _finding(engine.name != "", f"calls itself {engine.name}",
                       f"tells no name (id name ...), so it is called {engine.who}")
        if engine.wants:
            yield _finding(engine.wants <= {"legal", "board"}, f"wants to be told: {' '.join(sorted(engine.wants))}",
                           f"wants {' '.join(sorted(engine.wants))}; only legal and board are known")
        yield from _check_moves(engine)
        yield from _check_manners(engine)
    except OSError as error:
        yield Finding("fault", f"cannot be started: {error.strerror}: {error.filename or engine.who}")
    except EngineFailure as failure:
        yield Finding("fault", f"{failure}; it should say agonok, and send every line at once (flush)")
    finally:
        engine.close()


def _check_moves(engine: EngineProcess) -> Iterator[Finding]:
    """Whether the program names a legal move in time, in one position after the other."""
    slow_ones = 0
    for what, text, moves, rules in CHECKS:
        game = Game(Position.from_text(text), rules)
        for word in moves.split():
            game.play(Move.from_text(word))
        began = time.monotonic()
        try:
            engine.ask(game, f"go movetime {CHECK_MS}")
            move = chosen_move(game, engine.wait(CHECK_MS / 1000 + PATIENCE).text, "it")
        except EngineFailure as failure:
            engine.close()
            failure.details["who"] = "it"
            if rules == DEFAULT_RULES:
                yield Finding("fault", f"{what}: {failure}")
            else:
                yield Finding("note", f"{what}: {failure} (this matters with a rule option only)")
            slow_ones += failure.code == "slow"
            if slow_ones == 2:
                return  # each costs seconds, and all is said
            continue
        seconds = time.monotonic() - began
        answer = f"{what}: {'it has resigned' if move is None else move} after {seconds:.1f} s"
        yield _finding(seconds <= CHECK_MS / 1000 + SLOW, answer, f"{answer} in place of {CHECK_MS / 1000:g}")


def _check_manners(engine: EngineProcess) -> Iterator[Finding]:
    """What is told to a program besides questions for moves."""
    yield _finding(_answers(engine, f"go movetime {CHECK_MS}", "bestmove", PATIENCE, [("NoSuchOption", "1")]),
                   "plays on after an option it does not know", "does not play on after an option it does not know",
                   "fault")
    yield _finding(_answers(engine, "isready", "readyok", PROMPT), "answers isready",
                   "does not answer isready with readyok (neither window nor matches ask it)")
    yield _finding(_answers(engine, "go movetime 600000", "bestmove", PROMPT, is_hurried=True),
                   "answers when it is told to stop", f"does not answer within {PROMPT:g} s when it is told to stop")
    for is_told, end in ((True, "quit"), (False, "the end of its input")):
        engine.get_ready()
        yield _finding(engine.end(PROMPT, is_told), f"ends at {end}",
                       f"does not end at {end} within {PROMPT:g} s; it is then ended by force")


def _answers(engine: EngineProcess, asked: str, until: str, seconds: float,
             options: Sequence[Tuple[str, object]] = (), is_hurried: bool = False) -> bool:
    """Whether the answer to a question comes in time."""
    try:
        engine.ask(Game(), asked, options, until=until)
        if is_hurried:
            engine.hurry()
        engine.wait(seconds)
        return True
    except EngineFailure:
        engine.close()
        return False


def check(options: argparse.Namespace) -> int:
    """Try a program on the whole protocol and say what it does well and what not."""
    faults = notes = 0
    for finding in findings(program_command(options.program)):
        print(f"{finding.grade:5}  {finding.text}", flush=True)
        faults += finding.grade == "fault"
        notes += finding.grade == "note"
    print(f"{'It can play' if not faults else 'It cannot play yet'}. Faults: {faults}, notes: {notes}.")
    return 1 if faults else 0


# --- 11. Bench -------------------------------------------------------------------

#: The start and five positions from play.
BENCH_POSITIONS = (
    "Qf1 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2 w",
    "Qf5 c3 e5 g6 h2 e8 i4 / Qf6 d6 e7 g4 h6 b5 a2 b",
    "Qf4 c5 e6 e8 g7 h5 i3 / Qf8 d4 e4 f5 g8 h7 i6 w",
    "Qe3 d5 e5 e6 f5 g4 g5 / Qh4 c5 f7 f8 g6 h3 h5 w",
    "Qg4 b3 c4 e7 f8 h6 i5 / Qe8 c6 d3 f3 g8 i3 k5 b",
    "Qf6 e5 f7 g6 c4 d8 h3 / Qe4 f5 f4 g5 h7 i6 b6 w",
)


def bench(options: argparse.Namespace) -> None:
    """Print how fast the rules and the search are on this machine."""
    began = time.perf_counter()
    count = perft(Position.start(), 4)
    print(f"perft 4: {count} moves, {count / (time.perf_counter() - began):,.0f} moves/s")
    nodes, seconds = 0, 0.0
    for text in BENCH_POSITIONS:
        analysis = search(Game(Position.from_text(text)), seconds=options.seconds)
        nodes += analysis.nodes
        seconds += analysis.seconds
        print(f"depth {analysis.depth:2}, {analysis.nodes:8} nodes, score {score_text(analysis.score):>10}: {text}",
              flush=True)
    print(f"search: {nodes / seconds:,.0f} nodes/s")


# --- 12. Learning ----------------------------------------------------------------
# Where the numbers of WEIGHTS come from.  The program plays against itself and notes, for every position, what its
# search found there and two, four, six ... plies later.  Then it looks for the weights with which the evaluation alone
# comes nearest to that, and goes round again with the better evaluation.

#: Scores beyond this are cut off: how far a side is ahead matters less than who is.
HIGHEST_LABEL = 4_000
#: What the later scores of a game count in a label, against the score of the position itself.
LATER = 0.5
#: How often a random move is played, so that the games lead to many kinds of positions.
STRAY = 0.06
LONGEST_LESSON = 300
#: How strongly the weights are held where they are: as if so many positions spoke for each of them.
RIDGE = 100.0
#: What is added to what the fit says: for each ring a piece has come inwards, for each guard on ring 1, and for each
#: sideways step needed.  A search of a few plies finds that guards on ring 1 are worth little, because they can no
#: longer help the others, and does not see the end of a long way round; but without these no game has an end.
STEP_URGE, HOME_URGE, DETOUR_URGE = 20, 100, -40
#: Every so many games one is set aside: the error is measured on its positions, from which nothing is learnt.
UNSEEN = 5

#: What learning has done to the error on games set aside, round by round: games learnt from, and the error.  The first
#: round began with nothing; the first two were those of an earlier version of `learn`, as the README tells.
LEARNT: Tuple[Tuple[Tuple[int, int], ...], ...] = (
    ((0, 970), (10, 388), (20, 356), (40, 349), (80, 345), (160, 342)),
    ((0, 374), (5, 365), (10, 335), (20, 313), (39, 308)),
    ((0, 463), (8, 394), (16, 393), (32, 390), (63, 386), (126, 384)))

#: All terms of the evaluation, in the order of the table of weights.
TERMS: Tuple[Term, ...] = tuple(
    (name, place) for name, row in WEIGHTS._asdict().items()
    for place in range(len(row) if isinstance(row, tuple) else 1))
_TERM_NUMBER = {term: number for number, term in enumerate(TERMS)}


class Lesson(NamedTuple):
    """A game of the program against itself: its positions as text, and the score that the evaluation should give each.

    `round`, `game`, `nodes`, `seed` and `numbers` (see `fingerprint`) are what it was played with.
    """

    round: int
    game: int
    nodes: int
    seed: int
    numbers: int
    positions: Tuple[str, ...]
    labels: Tuple[int, ...]


def play_lesson(round_number: int, number: int, nodes: int, seed: int, weights: Weights) -> Lesson:
    """Play a game with so many positions a move, and label its positions; the same for the same arguments."""
    luck = random.Random(f"{seed} {round_number} {number}")
    game = random_opening(luck.choice((2, 4, 5, 6, 7, 8)), f"{seed} {round_number} {number}")
    memory = Memory()
    #: The score of each position from here on, None before a random move.
    scores: List[Optional[int]] = []
    first = len(game.moves)
    while not game.outcome() and len(game.moves) < LONGEST_LESSON:
        if luck.random() < STRAY:
            scores.append(None)
            game.play(luck.choice(game.legal_moves()))
            continue
        analysis = Searcher(game, nodes=nodes, weights=weights, seed=number, memory=memory).run()
        scores.append(analysis.score)
        game.play(analysis.move)
        if abs(analysis.score) > SURE_WIN:
            break
    positions = game.positions[first:first + len(scores)]
    labelled = [(position, label) for position, label, score in zip(positions, labels_of(scores), scores)
                if label is not None and score is not None and abs(score) <= SURE_WIN]
    return Lesson(round_number, number, nodes, seed, fingerprint(weights),
                  tuple(str(position) for position, _ in labelled), tuple(label for _, label in labelled))


def labels_of(scores: Sequence[Optional[int]]) -> List[Optional[int]]:
    """Each score blended with the later ones of the same side, up to the next random move (None).

    This is the return of temporal differences (source: R. Sutton, "Learning to predict by the methods of temporal
    differences", 1988), with steps of two plies, so that the same side is to move.

    >>> labels_of([100, 0, 300, None, 50])
    [200, 0, 300, None, 50]
    """
    labels: List[Optional[float]] = [None] * len(scores)
    for ply in range(len(scores) - 1, -1, -1):
        score = scores[ply]
        if score is None:
            continue
        label: float = max(-HIGHEST_LABEL, min(HIGHEST_LABEL, score))
        later = labels[ply + 2] if ply + 2 < len(scores) and scores[ply + 1] is not None else None
        labels[ply] = label if later is None else (1 - LATER) * label + LATER * later
    return [None if label is None else round(label) for label in labels]


#: A position as the fit sees it: the counts that are not 0, by number of the term, and the label.
Example = Tuple[List[Tuple[int, int]], int]


def examples_of(lessons: Sequence[Lesson]) -> List[Example]:
    """The positions of these games, counted."""
    return [([(_TERM_NUMBER[term], count) for term, count in counts(Position.from_text(text)).items() if count], label)
            for lesson in lessons for text, label in zip(lesson.positions, lesson.labels)]


def error_of(weights: Weights, examples: Sequence[Example]) -> float:
    """How far the evaluation is from the labels: the root of the mean square, in hundredths of a guard's step."""
    values = [weight_of(weights, term) for term in TERMS]
    total = sum((label - sum(values[number] * count for number, count in row)) ** 2 for row, label in examples)
    return math.sqrt(total / max(1, len(examples)))


def fitted(weights: Weights, examples: Sequence[Example], ridge: float = RIDGE) -> Weights:
    """The weights with the least squared error, held to the given ones.

    Solves (A'A + ridge I) change = A' (labels - A weights), A being the counts (source: A. Hoerl and R. Kennard,
    "Ridge regression", 1970).
    """
    values = [weight_of(weights, term) for term in TERMS]
    size = len(TERMS)
    matrix = [[0.0] * size for _ in range(size)]
    right = [0.0] * size
    for number in range(size):
        matrix[number][number] = ridge
    for row, label in examples:
        missing = label - sum(values[number] * count for number, count in row)
        for number, count in row:
            right[number] += count * missing
            line = matrix[number]
            for other, other_count in row:
                line[other] += count * other_count
    change = solved(matrix, right)
    return _allowed({term: round(value + more) for term, value, more in zip(TERMS, values, change)})


def solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> List[float]:
    """x with matrix x = right, for a symmetric positive definite matrix (by Cholesky's factors L L').

    >>> solved([[4.0, 2.0], [2.0, 10.0]], [8.0, 22.0])
    [1.0, 2.0]
    """
    size = len(right)
    lower = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = matrix[i][j] - sum(a * b for a, b in zip(lower[i][:j], lower[j][:j]))
            lower[i][j] = math.sqrt(rest) if i == j else rest / lower[j][j]
    half: List[float] = []
    for i in range(size):
        half.append((right[i] - sum(a * b for a, b in zip(lower[i], half))) / lower[i][i])
    solution = [0.0] * size
    for i in range(size - 1, -1, -1):
        solution[i] = (half[i] - sum(lower[k][i] * solution[k] for k in range(i + 1, size))) / lower[i][i]
    return solution


def _allowed(values: Dict[Term, int]) -> Weights:
    """The table with these numbers; the search relies on it that threats are never bad and dangers never good."""
    rows: Dict[str, object] = {}
    for name, row in WEIGHTS._asdict().items():
        if isinstance(row, tuple):
            numbers = tuple(values[name, place] for place in range(len(row)))
            if name == "threat":
                numbers = tuple(max(0, number) for number in numbers)
            elif name == "danger":
                numbers = tuple(min(0, number) for number in numbers)
            rows[name] = numbers
        else:
            rows[name] = values[name, 0]
    return Weights(**rows)  # type: ignore[arg-type]


def urged(weights: Weights) -> Weights:
    """The weights with what makes the pieces go inwards."""
    urge = [STEP_URGE * (RADIUS - ring) for ring, _ in KINDS]
    guard = [number + more for number, more in zip(weights.guard, [0] + urge[1:])]
    guard[KINDS.index((1, 0))] += HOME_URGE
    return weights._replace(guard=tuple(guard), queen=tuple(map(sum, zip(weights.queen, urge))),
                            detour=weights.detour + DETOUR_URGE)


def weights_text(weights: Weights) -> str:
    """The table as it stands in this file."""
    return "WEIGHTS = Weights(\n" + ",\n".join(f"    {name}={row}" for name, row in weights._asdict().items()) + ")\n"


def fingerprint(weights: Weights) -> int:
    """A number that tells these weights from others."""
    return zlib.crc32(weights_text(weights).encode())


#: What a game of `learn` was played with: its round, number, positions a move and seed, and the weights' fingerprint.
Task = Tuple[int, int, int, int, int]


def read_lessons(path: str) -> Dict[Task, Lesson]:
    """The games of earlier runs by what they were played with; a line that was cut off is left out."""
    lessons: Dict[Task, Lesson] = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    lesson = Lesson(*json.loads(line))
                except (ValueError, TypeError):
                    continue
                lessons[lesson[:5]] = lesson
    return lessons


def learn(options: argparse.Namespace) -> int:
    """Learn the weights of the evaluation from games of the program against itself; prints them as a table.

    The games are kept in a file: the same command goes on where it was stopped.
    """
    known = read_lessons(options.file)
    weights = SIMPLE if options.beginner else WEIGHTS
    earlier: List[Lesson] = []
    for round_number in range(1, options.rounds + 1):
        lessons = _lessons_of_round(round_number, weights, known, options)
        unseen = examples_of([lesson for lesson in lessons if lesson.game % UNSEEN == 0])
        lessons = [lesson for lesson in lessons if lesson.game % UNSEEN]
        print(f"round {round_number}: error on {len(unseen)} positions not seen {error_of(weights, unseen):.1f} before")
        learnt = weights
        for share in (16, 8, 4, 2, 1):
            part = [lesson for lesson in lessons if lesson.game * share <= options.games]
            examples = examples_of(earlier + part)
            learnt = fitted(weights, examples)
            print(f"{len(part):6} games, {len(examples):7} positions: error {error_of(learnt, unseen):.1f}", flush=True)
        weights = urged(learnt)
        # The next round learns from these games, too: their scores are a little worse, but the more, the better.
        earlier = lessons
    print(weights_text(weights), end="")
    if options.write:
        write_weights(weights, os.path.abspath(__file__))
    return 0


def _lessons_of_round(round_number: int, weights: Weights, known: Dict[Task, Lesson], options: argparse.Namespace
                      ) -> List[Lesson]:
    """The games of a round in their order: those known, and the others, which are played now."""
    tasks = [(round_number, number, options.nodes, options.seed, fingerprint(weights))
             for number in range(1, options.games + 1)]
    missing = [task for task in tasks if task not in known]
    if missing:
        with open(options.file, "a", encoding="utf-8") as file:
            played = _played(play_lesson, [(*task[:4], weights) for task in missing], options.jobs)
            for count, lesson in enumerate(played, options.games - len(missing) + 1):
                known[lesson[:5]] = lesson
                file.write(json.dumps(lesson) + "\n")
                file.flush()
                print(f"\rround {round_number}: {count}/{options.games} games ", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
    return [known[task] for task in tasks]


def _played(play: Callable[..., Any], tasks: Sequence[Tuple[Any, ...]], jobs: int) -> Iterator[Any]:
    """What `play` returns for these arguments, as its games come to their end, `jobs` at a time."""
    if jobs == 1:
        for task in tasks:
            yield play(*task)
        return
    # Not at the top: see play_games.
    from concurrent.futures import ProcessPoolExecutor, as_completed
    with ProcessPoolExecutor(jobs) as pool:
        playing = [pool.submit(play, *task) for task in tasks]
        try:
            for future in as_completed(playing):
                yield future.result()
        finally:
            for future in playing:
                future.cancel()


def write_weights(weights: Weights, path: str) -> None:
    """Put the table into a program's file, in the place of the one that stands there; AgonError if that fails."""
    text = read_text(path)
    table = re.compile(r"^WEIGHTS = Weights\(\n.*?\)\n", re.DOTALL | re.MULTILINE)
    write_safely(path, table.sub(lambda _: weights_text(weights), text, count=1))


# --- 13. Explanations ------------------------------------------------------------
# In words: why a position is worth what it is worth, and what a move is good for.

#: The parts of the evaluation: the names of the weights that belong to each, and what it is about.
PARTS: Dict[str, Tuple[Tuple[str, ...], str]] = {
    "guards": (("guard",), "how far the guards have come"),
    "queen": (("queen",), "where the queen stands"),
    "ring": (("seated", "waiting"), "which cells of ring 1 the guards hold"),
    "stragglers": (("last", "second"), "the two guards farthest out"),
    "unaimed": (("unaimed",), "cells of ring 1 that no guard's steps inwards lead to"),
    "detours": (("detour",), "steps along their ring that the guards still need"),
    "pairs": (("beside",), "guards side by side"),
    "escort": (("escort",), "guards beside the queen"),
    "room": (("reach",), "cells to step to"),
    "threats": (("threat",), "enemy guards that a step can trap now"),
    "dangers": (("danger",), "own guards that an enemy step could trap"),
    "trapped": (("trapped",), "own guards that are trapped"),
}


class Part(NamedTuple):
    """A part of the evaluation: what it counts for White and for Black, in hundredths of a guard's step."""

    #: One of PARTS.
    name: str
    white: int
    black: int


class Explanation(NamedTuple):
    """All parts of the evaluation of a position; the sum of White's less that of Black's is its value for White.

    What counts for the side to move alone (threats, dangers, trapped guards)
    stands on its side.
    """

    parts: Tuple[Part, ...]

    @property
    def white(self) -> int:
        """The sum of all that counts for White."""
        return sum(part.white for part in self.parts)

    @property
    def black(self) -> int:
        """The sum of all that counts for Black."""
        return sum(part.black for part in self.parts)


def explain(position: Position, weights: Weights = WEIGHTS) -> Explanation:
    """The parts of the evaluation of a position by name: together they are exactly what `evaluate` says."""
    enemy = _side_counts(position.enemy, position.queens)
    # `counts` are those of the mover less those of the enemy.
    of_the_mover = counts(position)
    of_the_mover.update(enemy)
    sides = (of_the_mover, enemy) if position.turn == WHITE else (enemy, of_the_mover)
    return Explanation(tuple(
        Part(name, *(sum(count * weight_of(weights, term) for term, count in side.items() if term[0] in names)
                     for side in sides))
        for name, (names, _) in PARTS.items()))


def explanation_lines(position: Position) -> Iterator[str]:
    """The parts of the evaluation as a table, in guard's steps; parts that count for neither side are left out."""
    explanation = explain(position)
    yield f"{'':54}{'White':>8}{'Black':>8}"
    for part in explanation.parts:
        if part.white or part.black:
            yield f"{PARTS[part.name][1]:54}{steps_text(part.white):>8}{steps_text(part.black):>8}"
    yield f"{'together':54}{steps_text(explanation.white):>8}{steps_text(explanation.black):>8}"
    yield f"White less Black: {steps_text(explanation.white - explanation.black)} guard's steps"


class Reason(NamedTuple):
    """What a move is good for; every reason is checked by the rules, or by a search."""

    #: One of REASONS.
    kind: str
    #: The pieces it is about: those trapped or protected, or where the piece that moves comes to.
    cells: Tuple[Cell, ...] = ()
    #: The enemy's move that is prevented, or the own move that is threatened, as it is and in the form for people.
    move: Optional[Move] = None
    shown: str = ""
    #: The number of own moves until the game is won, this one included, or of the enemy's until it is lost.
    number: int = 0


#: What is said of a move, by kind of reason; the first that is true is told.
REASONS: Dict[str, str] = {
    "wins": "wins in {number}",
    "draws": "ends the game in a draw",
    "only": "is the only possible move",
    "lost": "cannot avoid the loss in {number}",
    "prevents": "prevents {move}",
    "traps": "traps {cells}",
    "protects": "protects {cells} against {move}",
    "escapes": "takes {cells} out of the way of {move}",
    "threatens": "threatens {move}",
    "throne": "brings the queen to the throne",
    "home": "brings a guard home to {cells}",
    "nearer": "brings a piece nearer to the throne",
}
#: How far a reason looks ahead for a win when no search has said how the move ends.
REASON_DEPTH, REASON_NODES = 5, 3000


def reason_text(reason: Reason) -> str:
    """The reason in words, such as 'traps g7'."""
    cells = " and ".join(map(cell_name, reason.cells))
    return REASONS[reason.kind].format(number=reason.number, cells=cells, move=reason.shown)


def score_before(score: int) -> int:
    """The mover's score of a move after which the enemy's is `score`: the end is a ply farther away.

    >>> score_before(30), score_text(score_before(2 - WIN))
    (-30, 'win in 2')
    """
    if score > SURE_WIN:
        return 1 - score
    return -1 - score if score < -SURE_WIN else -score


def reason(game: Game, move: Move, score: Optional[int] = None) -> Optional[Reason]:
    """What a legal move is good for; None when nothing can be said.

    `score` is what a search has found for the side to move if it plays so;
    without it a short search looks for a win.  IllegalMove if the rules forbid
    the move.
    """
    before, rules = game.position, game.rules
    following = game.branch()
    following.play(move)
    outcome = following.outcome()
    if outcome and outcome.winner == before.turn:
        return Reason("wins", number=1)
    if outcome:
        return Reason("draws") if outcome.winner is None else Reason("lost")
    if score is None:
        score = score_before(search(following, depth=REASON_DEPTH, nodes=REASON_NODES).score)
    if score > SURE_WIN:
        return Reason("wins", number=(WIN - score + 1) // 2)
    if game.legal_moves() == [move]:
        return Reason("only")
    if score < -SURE_WIN:
        return Reason("lost", number=(WIN + score + 1) // 2)
    after = following.position
    again = after.with_turn(before.turn)
    return (_prevented_win(before, after, rules) or _trapping(before, move) or _protection(before, move, after, rules)
            or _threatened_win(again, rules) or _arrival(before, move) or _threatened_trap(before, again, rules)
            or _approach(before, move))


def _win_at_once(position: Position, rules: Rules) -> Optional[Move]:
    """A move with which the side to move has won."""
    return next(iter(ForcedWins(rules).winning_moves(position, 1)), None)


def trapping_moves(position: Position, rules: Rules = DEFAULT_RULES) -> List[Move]:
    """The moves of the side to move that trap a piece."""
    return [move_of(change, position.own) for change in trapping_changes(*position[:3], rules)]


def _traps(position: Position, rules: Rules) -> Dict[Cell, Move]:
    """The enemy pieces that the side to move can trap, each with the move that is best for it of those that do so.

    Queens count on the throne only: elsewhere it rather helps them to be put where they like.
    """
    found: Dict[Cell, Tuple[int, Move]] = {}
    for move in trapping_moves(position, rules):
        for cell in position.newly_trapped(move):
            if cell == THRONE or not position.is_queen(cell):
                value = -evaluate(position.after(change_of(move)))
                if cell not in found or value > found[cell][0]:
                    found[cell] = value, move
    return {cell: move for cell, (_, move) in found.items()}


def _prevented_win(before: Position, after: Position, rules: Rules) -> Optional[Reason]:
    """The enemy could win if it were to move now, and after the move it cannot."""
    enemy = before.with_turn(1 - before.turn)
    threat = _win_at_once(enemy, rules)
    if threat is None or _win_at_once(after, rules):
        return None
    return Reason("prevents", move=threat, shown=enemy.describe(threat, rules))


def _trapping(before: Position, move: Move) -> Optional[Reason]:
    cells = before.newly_trapped(move)
    return Reason("traps", tuple(cells)) if cells else None


def _protection(before: Position, move: Move, after: Position, rules: Rules) -> Optional[Reason]:
    """The enemy could trap a piece if it were to move now, and after the move it cannot, wherever the piece is then."""
    enemy = before.with_turn(1 - before.turn)
    still = _traps(after, rules)
    saved = {cell: threat for cell, threat in _traps(enemy, rules).items()
             if (move.target if cell == move.source else cell) not in still}
    if not saved:
        return None
    cell = min(saved, key=lambda cell: evaluate(enemy.after(change_of(saved[cell]))))
    return Reason("escapes" if cell == move.source else "protects", (cell,), saved[cell],
                  enemy.describe(saved[cell], rules))


def _threatened_win(again: Position, rules: Rules) -> Optional[Reason]:
    """If the side were to move again after the move, it could win."""
    win = _win_at_once(again, rules)
    return Reason("threatens", move=win, shown=again.describe(win, rules)) if win else None


def _threatened_trap(before: Position, again: Position, rules: Rules) -> Optional[Reason]:
    """If the side were to move again after the move, it could trap a piece that it cannot trap now."""
    now = _traps(before, rules)
    threat = next((trap for cell, trap in _traps(again, rules).items() if cell not in now), None)
    return Reason("threatens", move=threat, shown=again.describe(threat, rules)) if threat else None


def _arrival(before: Position, move: Move) -> Optional[Reason]:
    """The move is the last step of a piece on its way to where it belongs."""
    if not before.is_inwards(move):
        return None
    if move.target == THRONE:
        return Reason("throne", (THRONE,))
    return Reason("home", (move.target,)) if RING[move.target] == 1 and not before.is_queen(move.source) else None


def _approach(before: Position, move: Move) -> Optional[Reason]:
    """The move is a step inwards."""
    return Reason("nearer", (move.target,)) if before.is_inwards(move) else None


# --- 14. Review ------------------------------------------------------------------
# A finished game is looked through for moves that have made a win less likely.

#: What makes a chance of winning of a score s: its log odds are CHANCE_STEEPNESS * sinh(s / CHANCE_BEND).  Fitted by
#: the command `curve` (the README has the figures).  A lead in the middle of a game says little, pieces are trapped and
#: come back; it is the last steps of a long lead that decide, which is why the curve is flat in the middle.
CHANCE_STEEPNESS, CHANCE_BEND = 0.146, 800.0
#: The bends that are tried, in hundredths of a guard's step; the last one is as good as none (a logistic curve).
BENDS = (600.0, 800.0, 1000.0, 1200.0, 1500.0, 2000.0, 3000.0, 1e6)
#: By how many points of 100 a move lowers the chance of winning that bears this mark.
MARKS: Tuple[Tuple[int, str], ...] = ((30, "??"), (20, "?"), (10, "?!"))
#: A win in so many own moves that is missed counts always.
MISSED_WIN_MOVES = 3
#: From so many points on a move without a mark belongs to the weak ones, and this many of them are shown at most.
WEAK_POINTS, WEAK_MOVES = 3, 3
#: How many positions a review looks at for each move, without another limit.
REVIEW_NODES = 10_000


def _bent(score: int, bend: float) -> float:
    """The score on the scale of the curve, where one far ahead counts more than in proportion."""
    return math.sinh(max(-10.0, min(10.0, score / bend)))


def chance(score: int, steepness: float = CHANCE_STEEPNESS, bend: float = CHANCE_BEND) -> float:
    """The chance of winning, from 0 to 1, of a side with this score; a draw counts as half a win.

    >>> chance(0), chance(WIN - 3), chance(3 - WIN), chance(500) > 0.5
    (0.5, 1.0, 0.0, True)
    """
    if abs(score) > SURE_WIN:
        return 1.0 if score > 0 else 0.0
    odds = steepness * _bent(score, bend)
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, odds))))


def _lost(before: int, after: int) -> float:
    """By how many points of 100 the chance of winning sinks from one score to the other."""
    return 100 * (chance(before) - chance(after))


class Mistake(NamedTuple):
    """A move that has lowered the mover's chance of winning, and what would have been better."""

    #: It is the move after this ply of the game, played in this position; its mark is '?!', '?' or '??', '' if the move
    #: is only weak.
    ply: int
    position: Position
    move: Move
    mark: str
    #: The best line of play instead: its first move is the better one.
    line: Tuple[Move, ...]
    #: The scores for the mover after the better move and after the move played.
    before: int
    after: int
    #: What the better move is good for; None if nothing can be said.
    reason: Optional[Reason]

    @property
    def better(self) -> Move:
        """The move that should have been played."""
        return self.line[0]

    @property
    def missed_win(self) -> int:
        """In how many own moves the game could have been won for sure; 0 if it could not, or can still."""
        return _missed_win(self.before, self.after)

    def is_mended_by(self, score: int) -> bool:
        """Whether another move that leads to this score for the mover would do: it is no mistake itself.

        Instead of a weak move it must cost less than half of what that has cost.
        """
        if self.mark:
            return not mark_of(self.before, score)
        return 2 * _lost(self.before, score) < _lost(self.before, self.after)


def _missed_win(before: int, after: int) -> int:
    return (WIN - before + 1) // 2 if before > SURE_WIN >= after else 0


def mark_of(before: int, after: int) -> str:
    """The mark of a move with the score `after` where one with `before` could be played; '' if it is no mistake."""
    lost = _lost(before, after)
    missed = 0 < _missed_win(before, after) <= MISSED_WIN_MOVES
    return next((mark for points, mark in MARKS if lost >= points), "?!" if missed else "")


def _is_weak(before: int, after: int) -> bool:
    return bool(mark_of(before, after)) or _lost(before, after) >= WEAK_POINTS


#: What a search has found: the score and the best line of play for the side to move.
Found = Tuple[int, Tuple[Move, ...]]


class Review:
    """Looks through a game, one question after the other; who holds it decides who answers them, and when.

    `question` is a game whose position is to be searched (it changes with the
    next answer), None when all has been looked at; `answer` takes what was found
    there, and puts the next question.
    The search should take draws for what they are worth: `Tricks(contempt=False)`,
    in the protocol the option `Without` with the value `contempt`.
    """

    def __init__(self, game: Game, sides: Sequence[int] = (WHITE, BLACK)) -> None:
        self.sides = sides
        #: All moves of the game, those taken back included.
        self.moves = game.moves + game.undone
        #: What has been found out so far, in the order of the game: mistakes, weak moves, and White's scores by ply.
        self.mistakes: List[Mistake] = []
        self.weak: List[Mistake] = []
        self.scores: Dict[int, int] = {}
        self._game = Game(game.start, game.rules)
        self._looks = self._look()
        self.question: Optional[Game] = next(self._looks, None)

    @property
    def done(self) -> int:
        """How many positions of the game have been looked at; there is one more than there are moves."""
        return len(self.scores)

    def answer(self, score: int, line: Sequence[Move]) -> None:
        """Take the score and the best line for the side to move in the question's position."""
        try:
            self.question = self._looks.send((score, tuple(line)))
        except StopIteration:
            self.question = None

    def tasks(self, sides: Sequence[int]) -> List[Mistake]:
        """The mistakes of these sides; if they have made none, the few weak moves that have cost them the most."""
        def of_them(moves: Sequence[Mistake]) -> List[Mistake]:
            return [move for move in moves if move.position.turn in sides]

        weakest = sorted(of_them(self.weak), key=lambda move: _lost(move.before, move.after), reverse=True)
        return of_them(self.mistakes) or sorted(weakest[:WEAK_MOVES], key=lambda move: move.ply)

    def _look(self) -> Generator[Game, Found, None]:
        score, line = yield from self._search()
        self._note(score)
        for ply, move in enumerate(self.moves):
            before = self._game.position
            self._game.play(move)
            found, following = yield from self._search()
            self._note(found)
            after = score_before(found)
            if before.turn in self.sides and line and line[0] != move and _is_weak(score, after):
                self._game.undo()
                if score <= SURE_WIN:
                    score, line = yield from self._second_look(score, line)
                if _is_weak(score, after):
                    mark, why = mark_of(score, after), reason(self._game, line[0], score)
                    kind = self.mistakes if mark else self.weak
                    kind.append(Mistake(ply, before, move, mark, line, score, after, why))
                self._game.play(move)
            score, line = found, following

    def _second_look(self, score: int, line: Tuple[Move, ...]) -> Generator[Game, Found, Found]:
        """The better move with as long a look behind it as behind the move played: it may not be so good after all."""
        self._game.play(line[0])
        found, following = yield from self._search()
        self._game.undo()
        return min(score, score_before(found)), max(line, (line[0], *following), key=len)

    def _search(self) -> Generator[Game, Found, Found]:
        """What is found in the game's present position."""
        outcome = self._game.outcome()
        if outcome is None:
            return (yield self._game)
        if outcome.winner is None:
            return DRAW, ()
        return (WIN if outcome.winner == self._game.position.turn else -WIN), ()

    def _note(self, score: int) -> None:
        self.scores[self._game.ply] = score if self._game.position.turn == WHITE else -score


def look_further(review: Review, seconds: Optional[float] = None, nodes: Optional[int] = None) -> None:
    """Answer the question of a review that is not at its end by a search with these limits."""
    assert review.question is not None
    limit = REVIEW_NODES if seconds is None and nodes is None else nodes
    found = search(review.question, seconds, nodes=limit, tricks=Tricks(contempt=False))
    review.answer(found.score, found.pv)


def better_play(mistake: Mistake, rules: Rules = DEFAULT_RULES) -> Game:
    """The line that would have been better, as a variation: a game that begins where the mistake was made."""
    variation = Game(mistake.position, rules)
    for move in mistake.line:
        if not variation.outcome():
            variation.play(move)
    return variation


def mistake_text(mistake: Mistake, rules: Rules = DEFAULT_RULES) -> str:
    """What is said of a mistake, such as 'chance of winning 62 % -> 31 %; better d5-d6+ (traps c4)'."""
    if mistake.missed_win:
        text = f"misses a win in {mistake.missed_win}"
    else:
        text = f"chance of winning {100 * chance(mistake.before):.0f} % -> {100 * chance(mistake.after):.0f} %"
    text += f"; better {mistake.position.describe(mistake.better, rules)}"
    return text + (f" ({reason_text(mistake.reason)})" if mistake.reason and not mistake.missed_win else "")


def _with_better_play(mistake: Mistake, game: Game) -> str:
    """The move with its number, what is said of it, and in a second line the better play."""
    return (f"{game.numbered(mistake.ply)}{mistake.mark} {mistake_text(mistake, game.rules)}\n"
            f"    {' '.join(better_play(mistake, game.rules).descriptions())}")


def annotate(game: Game, mistakes: Sequence[Mistake],
             words: Callable[[Mistake, Rules], str] = mistake_text) -> None:
    """Write mistakes into a game as marks, comments (by `words`) and variations; what stands there already stays."""
    for mistake in mistakes:
        if mistake.mark:
            game.marks.setdefault(mistake.ply, mistake.mark)
        comment, text = game.comments.get(mistake.ply + 1, ""), words(mistake, game.rules)
        if text not in comment:
            game.comments[mistake.ply + 1] = f"{comment} {text}".strip()
        variations = game.variations.setdefault(mistake.ply, [])
        better = better_play(mistake, game.rules)
        if all(variation.moves != better.moves for variation in variations):
            variations.append(better)


def worth_of_marks(games: Sequence[Game], mistakes: Sequence[Sequence[Mistake]]) -> Dict[str, List[float]]:
    """By mark ('' for none): what the games brought those who made the moves that bear it, 1, 0.5 or 0 a move."""
    worth: Dict[str, List[float]] = {mark: [] for mark in ("", *(mark for _, mark in reversed(MARKS)))}
    for game, found in zip(games, mistakes):
        outcome = game.outcome()
        marks = {mistake.ply: mistake.mark for mistake in found}
        for ply, position in enumerate(game.positions[:-1] if outcome else []):
            winner = outcome.winner if outcome else None
            worth[marks.get(ply, "")].append(0.5 if winner is None else float(position.turn == winner))
    return worth


def review(options: argparse.Namespace) -> None:
    """Look through the games of a file and name the mistakes, each with the better move and its line.

    Of a side that has made none the weakest moves are named.  With --out the
    file is written with marks, comments and variations; without it the games
    are printed so.  Of several games that have ended it is told how often they
    were won in spite of the mistakes.
    """
    games = load_games(options.file)
    found: List[List[Mistake]] = []
    sides = {"white": (WHITE,), "black": (BLACK,), "both": (WHITE, BLACK)}[options.side]
    for number, game in enumerate(games, 1):
        if len(games) > 1:
            print(f"game {number}")
        looking = Review(game, sides)
        while looking.question:
            told = len(looking.mistakes)
            look_further(looking, options.seconds, options.nodes)
            for mistake in looking.mistakes[told:]:
                print(_with_better_play(mistake, game), flush=True)
        found.append(looking.mistakes)
        for side in sides:
            tasks = looking.tasks((side,))
            annotate(game, tasks)
            marks = Counter(mistake.mark for mistake in tasks)
            counted = [f"{marks[mark]} {mark}" for _, mark in reversed(MARKS)]
            counted += ["its weakest moves:"] * bool(marks[""])
            print(f"{('White', 'Black')[side]}: {', '.join(counted)}")
            for mistake in tasks[:marks[""]]:
                print(_with_better_play(mistake, game))
    if len(games) > 1 and options.side == "both":
        for mark, results in worth_of_marks(games, found).items():
            if results:
                print(f"{mark or 'no mark':>7}: {len(results)} moves, {100 * sum(results) / len(results):.0f} % of the "
                      "points for those who made them")
    text = write_games(games, with_undone=True)
    if options.out:
        write_safely(options.out, text)
    else:
        print("\n" + text, end="")


#: A score of a game and what the game brought that side: 1, 0.5 or 0.
Sample = Tuple[int, float]


def fitted_steepness(samples: Sequence[Sample], bend: float) -> float:
    """The steepness of `chance` that makes these results most likely, for a given bend.

    There the sum of (result - chance) * sinh(score / bend) is 0 (logistic
    regression without a constant); it falls while the steepness grows, so the
    place is found by halving, on a scale of powers.
    """
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        slope = sum((result - chance(score, math.exp(middle), bend)) * _bent(score, bend)
                    for score, result in samples)
        low, high = (middle, high) if slope > 0 else (low, middle)
    return math.exp(low)


def log_loss(samples: Sequence[Sample], steepness: float, bend: float) -> float:
    """How surprising the results are for one who believes in this curve; who says 50 % always has 0.693.

    >>> round(log_loss([(0, 1.0), (-300, 0.0)], 0.0, 1000.0), 3)
    0.693
    """
    total = 0.0
    for score, result in samples:
        believed = min(max(chance(score, steepness, bend), 1e-9), 1 - 1e-9)
        total -= result * math.log(believed) + (1 - result) * math.log(1 - believed)
    return total / max(1, len(samples))


def samples_of_a_game(number: int, nodes: int, seed: int) -> List[Sample]:
    """The scores of all positions of a game against itself, with so many positions a move, and what it came to."""
    game = random_opening(4 + number % 5, f"{seed} {number}")
    memory = Memory()
    scores: List[Tuple[int, int]] = []
    while not game.outcome() and len(game.moves) < LONGEST_GAME:
        found = Searcher(game, nodes=nodes, tricks=Tricks(contempt=False), seed=seed + number, memory=memory).run()
        scores.append((game.position.turn, found.score))
        game.play(found.move)
    outcome = game.outcome()
    winner = outcome.winner if outcome else None
    return [(score, 0.5 if winner is None else float(side == winner))
            for side, score in scores if abs(score) <= SURE_WIN]


def curve(options: argparse.Namespace) -> None:
    """Fit the curve that makes a chance of winning of a score, on games of the program against itself.

    Every fifth game is set aside: on its positions it is measured how well a curve describes what it has not seen.
    """
    games = []
    for number in range(1, options.games + 1):
        games.append(samples_of_a_game(number, options.nodes, options.seed))
        print(f"\r{number}/{options.games} games ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    seen = [sample for number, game in enumerate(games) if number % UNSEEN for sample in game]
    unseen = [sample for game in games[::UNSEEN] for sample in game]
    print(f"{options.games} games, {len(seen)} positions to learn from, {len(unseen)} not seen")
    losses: List[Tuple[float, float]] = []
    for bend in BENDS:
        steepness = fitted_steepness(seen, bend)
        losses.append((log_loss(unseen, steepness, bend), bend))
        print(f"bend {bend:9.0f}, steepness {steepness:10.4g}: log-loss {losses[-1][0]:.4f} on positions not seen")
    print(f"the curve that is used: log-loss {log_loss(unseen, CHANCE_STEEPNESS, CHANCE_BEND):.4f}")
    bend = min(losses)[1]
    steepness = fitted_steepness(seen + unseen, bend)
    print(f"best bend {bend:.0f}, steepness with all positions {steepness:.4g}; points won by scores, and the curve:")
    bands: Dict[int, List[float]] = {}
    for score, result in seen + unseen:
        bands.setdefault(round(abs(score) / 500), []).append(result if score >= 0 else 1 - result)
    for band, results in sorted(bands.items()):
        print(f"{steps_text(500 * band):>7} {len(results):6} positions {100 * sum(results) / len(results):3.0f} %, "
              f"curve {100 * chance(500 * band, steepness, bend):3.0f} %")


# --- 15. Puzzles -----------------------------------------------------------------
# Puzzles are found, not made: the program plays against itself and looks in every position whether one of the things a
# pupil can learn is there, with one right answer or few.  All that a puzzle claims is proven by trying every move.

#: By theme, the number of puzzles of each number of moves that a collection is to have.
PUZZLE_THEMES: Dict[str, Dict[int, int]] = {
    "trap": {1: 16}, "trap_two": {1: 14}, "relocate": {1: 16}, "save": {1: 16}, "exception": {1: 12},
    "trap_queen": {1: 14}, "ring": {1: 4, 2: 6, 3: 4}, "win": {1: 2, 2: 4, 3: 6, 4: 6, 5: 6},
    "hold": {1: 4, 2: 5, 3: 5}}
#: Where fewer moves than this are legal, a puzzle can be solved by trying: at all, and when one move is asked for.
#: (Guards that stand round the throne can hardly move, so that a win always has few moves to choose from.)
FEWEST_CHOICES, FEWEST_FOR_ONE_MOVE = 5, 12
#: So many own moves before the win the ring may still be the theme; beyond that it is a win like others.
LONGEST_RING = 3
#: So many pieces may stand alike in two puzzles, however the board is turned.
MOST_ALIKE = 9
#: So many puzzles of a theme may have the same pattern: the kinds of piece and the rings that matter.
MOST_OF_A_PATTERN = 2
#: How many positions the search looks at that has to agree with a solution of one move.
JUDGE_NODES = 3_000
#: A puzzle about holding out is none when a deeper look sees the game lost by so much all the same.
LOST = 600
#: The positions a game's player looks at for each move: good and bad players meet.
PUZZLE_NODES = (60, 150, 400)
PUZZLE_STRAY = 0.05
LONGEST_PUZZLE_GAME = 200
#: From so many times the puzzles wanted those are taken that differ in difficulty.
CHOICE = 3


class Puzzle(NamedTuple):
    """A position with a task; texts are those of game files."""

    theme: str
    goal: str
    moves: int
    position: str
    #: All right moves; for a win in several moves a line with the best moves of both sides.
    solution: Tuple[str, ...]


def puzzle_game(seed: int, number: int) -> Game:
    """A game of the program against itself, in which good and bad players meet; the same for the same numbers."""
    luck = random.Random(f"puzzles {seed} {number}")
    game = random_opening(luck.choice((2, 4, 6, 8)), f"puzzles {seed} {number}")
    nodes = luck.choice(PUZZLE_NODES), luck.choice(PUZZLE_NODES)
    memories = Memory(), Memory()
    while not game.outcome() and game.ply < LONGEST_PUZZLE_GAME:
        turn = game.position.turn
        if luck.random() < PUZZLE_STRAY:
            game.play(luck.choice(game.legal_moves()))
        else:
            game.play(Searcher(game, nodes=nodes[turn], seed=number, memory=memories[turn]).run().move)
    return game


def puzzles_of_game(seed: int, number: int) -> List[Puzzle]:
    """All puzzles in a game of the program against itself."""
    return [puzzle for position in puzzle_game(seed, number).positions for puzzle in puzzles_in(position)]


def _puzzles_of_game(seed: int, number: int) -> Tuple[int, List[Puzzle]]:
    return number, puzzles_of_game(seed, number)


def puzzles_in(position: Position) -> Iterator[Puzzle]:
    """The puzzles that a position holds for the side to move."""
    choices = 0 if position.outcome() else count_possible(*position[:3], DEFAULT_RULES)
    if choices >= FEWEST_FOR_ONE_MOVE:
        yield from _puzzles_of_one_move(position)
    if choices >= FEWEST_CHOICES:
        yield from _puzzles_to_hold(position)
        yield from _puzzles_to_win(position)


def _puzzles_of_one_move(position: Position) -> Iterator[Puzzle]:
    own, enemy, queens, _turn = position
    traps = trapping_moves(position)
    is_relocating = bool(position.trapped())
    if is_relocating:
        yield from _puzzle(position, "relocate", "relocate_trap", traps, 2)
    elif traps:
        victims = {move: position.newly_trapped(move) for move in traps}
        exceptions = [move for move in traps if position.after(change_of(move)).enclosers(move.target or 0)]
        pairs = [move for move in traps if len(victims[move]) > 1]
        if enemy & queens & THRONE_BIT:
            yield from _puzzle(position, "trap_queen", "trap_queen",
                               [move for move in traps if THRONE in victims[move]], 2)
        elif exceptions:
            yield from _puzzle(position, "exception", "exception", exceptions, 1)
        elif pairs:
            yield from _puzzle(position, "trap_two", "trap_two", pairs, 1)
        else:
            yield from _puzzle(position, "trap", "trap", traps, 1)
    if is_relocating or trapping_changes(enemy, own, queens, DEFAULT_RULES):
        safe = [move for move in position.legal_moves() if not _can_trap(position.after(change_of(move)))]
        yield from _puzzle(position, "relocate" if is_relocating else "save", "safe", safe, 2)


def _can_trap(position: Position) -> bool:
    return bool(trapping_changes(*position[:3], DEFAULT_RULES))


def _puzzles_to_hold(position: Position) -> Iterator[Puzzle]:
    """All moves but one or two lose, and a deeper look does not see the game lost all the same."""
    for moves in range(max(1, moves_to_go(position.enemy, position.queens)), 4):
        defences = ForcedWins().defences(position, moves)
        if not defences:
            return
        if len(defences) <= 2:
            table = Game(position)
            table.play(defences[0])
            if table.outcome() or search(table, nodes=10 * JUDGE_NODES).score > LOST:
                return
            yield from _puzzle(position, "hold", "hold", defences, 2, moves)
            return


def _puzzles_to_win(position: Position) -> Iterator[Puzzle]:
    most = max(PUZZLE_THEMES["win"])
    if moves_to_go(position.own, position.queens) > most:
        return
    wins = ForcedWins()
    moves = wins.shortest(position, most)
    if moves is None:
        return
    is_ring = moves <= LONGEST_RING and position.own & position.queens & THRONE_BIT and not position.trapped()
    right = wins.winning_moves(position, moves)
    if len(right) == 1:
        line = wins.line(position, moves) if moves > 1 else right
        yield from _puzzle(position, "ring" if is_ring else "win", "win", right, 1, moves, line)


def _puzzle(position: Position, theme: str, goal: str, right: Sequence[Move], most: int, moves: int = 1,
            line: Sequence[Move] = ()) -> Iterator[Puzzle]:
    """The puzzle with these right moves, if they are not too many."""
    if 1 <= len(right) <= most:
        yield Puzzle(theme, goal, moves, str(position), tuple(map(str, line or right)))


def difficulty_of(position: Position, goal: str, moves: int) -> int:
    """How hard a puzzle is: first its number of moves, then the wrong moves that look right, or the search needed.

    A win is harder the more positions must be looked at to prove it.  A task of
    one move is harder the more wrong moves do half of what is asked for, and
    the fewer right ones there are.
    """
    if goal in ("win", "hold"):
        wins = ForcedWins()
        if goal == "win":
            wins.winning_moves(position, moves)
        else:
            wins.defences(position, moves)
        return 1000 * moves + round(50 * math.log2(1 + wins.nodes))
    right = moves_that_reach(goal, Game(position))
    return 1000 * moves + 10 * len(tempting_moves(position, goal)) - 20 * len(right)


def tempting_moves(position: Position, goal: str) -> List[Move]:
    """The wrong moves that do half of what a puzzle of one move asks for."""
    table = Game(position)
    right = moves_that_reach(goal, table)
    wrong = [move for move in table.legal_moves() if move not in right and move.target is not None]
    if goal in ("trap_two", "exception"):
        return [move for move in wrong if position.newly_trapped(move)
                or len(_enemies_beside(position, move.target)) > 1]
    if goal == "safe":
        threatened = victims_of(position.with_turn(1 - position.turn))
        return [move for move in wrong if move.source in threatened]
    return [move for move in wrong if _enemies_beside(position, move.target)]


def _enemies_beside(position: Position, cell: Optional[Cell]) -> List[Cell]:
    return [] if cell is None else [near for near in NEIGHBOURS[cell] if position.enemy >> near & 1]


def victims_of(position: Position) -> FrozenSet[Cell]:
    """The enemy pieces that the side to move can trap with its next move."""
    return frozenset(cell for move in trapping_moves(position) for cell in position.newly_trapped(move))


# -- the sentence that explains a puzzle --

#: By name, what can be said about a solution, in German and English; {Enemy} is the other side's colour.
PUZZLE_SENTENCES: Dict[str, Tuple[str, str]] = {
    "between": ("{Victim} steht jetzt zwischen {target} und {partner} und muss zurück auf den Außenring.",
                "{Victim} now stands between {target} and {partner} and must go back to the outer ring."),
    "at_throne": ("{Victim} hatte ihren Platz am Thron schon erreicht; nun beginnt ihr Weg von vorn.",
                  "{Victim} had already reached its place at the throne; now its way begins again."),
    "queen_helps": ("Auch eine Königin schließt ein: Zwischen {target} und {partner} sitzt {victim} fest.",
                    "A queen traps as well: between {target} and {partner} {victim} is stuck."),
    "along": ("Ein Schritt auf dem Ring genügte: {partner} hielt schon die eine Seite, {target} fehlte noch.",
              "A step along the ring was enough: {partner} held one side already, {target} was missing."),
    "opposite": ("{partner} und {target} liegen einander gegenüber, {victim} genau dazwischen.",
                 "{partner} and {target} lie opposite each other, {victim} is right between them."),
    "queen_victim": ("{Victim} muss jetzt umgesetzt werden, ob {Enemy} will oder nicht: "
                     "Sie steht zwischen {target} und {partner}.",
                     "{Victim} must be relocated now, whether {Enemy} likes it or not: "
                     "she is between {target} and {partner}."),
    "two_lines": ("Von {target} aus schließt dein Stein zwei Linien auf einmal: "
                  "mit {partner} die eine, mit {partner2} die andere.",
                  "From {target} your piece closes two lines at once: one with {partner}, the other with {partner2}."),
    "two_moves": ("{Victim} und {victim2} müssen beide umgesetzt werden: Das kostet {Enemy} zwei Züge.",
                  "{Victim} and {victim2} must both be relocated: that costs {Enemy} two moves."),
    "two_rings": ("Zusammen werden {victim} und {victim2} um {rings} Ringe zurückgeworfen.",
                  "Together {victim} and {victim2} are thrown back by {rings} rings."),
    "two_at": ("{Victim} und {victim2} berühren beide {target}: Ein Stein dort schließt beide ein.",
               "{Victim} and {victim2} both touch {target}: a piece there traps both."),
    "line_of_five": ("{partner}, {side}, {target}, {side2}, {partner2} in einer Linie: "
                     "Der Stein in der Mitte schließt beide ein.",
                     "{partner}, {side}, {target}, {side2}, {partner2} in one line: "
                     "the piece in the middle traps both."),
    "but_here": ("Sonst darf kein Stein zwischen {side} und {side2}; "
                 "hier schon, denn {partner} und {partner2} stehen dahinter.",
                 "Elsewhere no piece may go between {side} and {side2}; "
                 "here it may, as {partner} and {partner2} stand behind them."),
    "both_ends": ("An den Enden warten {partner} und {partner2}: So schließt der Zug nach {target} beide Nachbarn ein.",
                  "At the ends {partner} and {partner2} are waiting: so the move to {target} traps both neighbours."),
    "attack": ("Umsetzen kann auch angreifen: "
               "Auf {target} schließt dein Stein mit dem auf {partner} sofort {victim} ein.",
               "A relocation can attack, too: on {target} your piece and the one on {partner} trap {victim} at once."),
    "back_again": ("{Enemy} hat dich eingeschlossen, jetzt muss {Enemy} selbst umsetzen: {victim} sitzt fest.",
                   "{Enemy} has trapped you, and now {Enemy} must relocate: {victim} is stuck."),
    "chosen_cell": ("Du darfst das Feld wählen, also wähl eines mit Wirkung: {target} liegt {partner} genau gegenüber.",
                    "The cell is yours to choose, so choose one that does something: "
                    "{target} is right opposite {partner}."),
    "queen_lands": ("Eine Königin darf fast überallhin: Auf {target} hilft sie sofort, {victim} einzuschließen.",
                    "A queen may go almost anywhere: on {target} she helps at once to trap {victim}."),
    "few_safe": ("Von {choices} erlaubten Zügen lässt nur dieser keinen Einschluss zu.",
                 "Of {choices} legal moves only this one allows no trap."),
    "few_safe_two": ("Von {choices} erlaubten Zügen lassen nur zwei keinen Einschluss zu.",
                     "Of {choices} legal moves only two allow no trap."),
    "blocks": ("Von {target} aus hätte {Enemy} {victim} eingeschlossen; jetzt steht dort dein eigener Stein.",
               "From {target} {Enemy} would have trapped {victim}; now your own piece stands there."),
    "steps_aside": ("Der bedrohte Stein weicht aus: Auf {target} kann ihn der nächste Zug nicht einschließen.",
                    "The piece in danger steps aside: on {target} the next move cannot trap it."),
    "counter": ("Angriff als Verteidigung: {victim} ist eingeschlossen, also muss {Enemy} erst umsetzen.",
                "Attack as defence: {victim} is trapped, so {Enemy} has to relocate first."),
    "two_saved": ("{Victim} und {victim2} waren in Gefahr; ein einziger Zug rettet beide.",
                  "{Victim} and {victim2} were in danger; one single move saves both."),
    "forbids": ("Nach {cell} darf {Enemy} nun nicht mehr: Dort stünde der Stein selbst zwischen zwei von deinen.",
                "{Enemy} may no longer go to {cell}: there the piece would itself stand between two of yours."),
    "danger": ("Mit {threat} wollte {Enemy} {victim} einschließen; das geht nicht mehr.",
               "{Enemy} wanted to trap {victim} with {threat}; that is no longer possible."),
    "throne_is_open": ("Der Thron allein schützt nicht: Zwischen {target} und {partner} muss die Königin herunter.",
                       "The throne alone is no shelter: between {target} and {partner} the queen must leave it."),
    "no_guard": ("Gegenüber von {partner} fehlte der Königin eine Wache; auf {target} steht jetzt dein Stein.",
                 "Opposite {partner} the queen had no guard; on {target} your piece stands now."),
    "guards_in_vain": ("{Enemy} hatte schon {count} Wachen am Thron; ohne Königin nützen sie nichts.",
                       "{Enemy} had {count} guards at the throne already; without the queen they are of no use."),
    "comes_back": ("{move} vertreibt die Königin. Zurück auf den Thron darf sie nicht umgesetzt werden: "
                   "Sie braucht mindestens zwei Züge.",
                   "{move} drives the queen away. She may not be relocated to the throne: "
                   "she needs two moves at least to come back."),
    "closed": ("{target} war der letzte freie Platz am Thron: Sechs Wachen stehen um die Königin.",
               "{target} was the last free place at the throne: six guards stand around the queen."),
    "no_gap": ("Die Wache auf {other} hätte {target} auch erreicht, aber auf {other} eine neue Lücke gelassen.",
               "The guard on {other} could have reached {target}, too, but would have left a new gap on {other}."),
    "from_outside": ("Die Wache kommt von außen, von {source}; so bleibt keine Lücke, und der Ring ist zu.",
                     "The guard comes from outside, from {source}; so no gap is left, and the ring is closed."),
    "wins_time": ("{move} schließt {victim} ein: {Enemy} muss umsetzen, und dieser Zug fehlt zur Verteidigung.",
                  "{move} traps {victim}: {Enemy} has to relocate and lacks that move for the defence."),
    "queen_before": ("Erst die Königin auf den Thron, dann die letzte Wache: Andersherum wäre das Spiel verloren.",
                     "First the queen on the throne, then the last guard: the other way round the game would be lost."),
    "order_trap": ("Die Reihenfolge entscheidet: Nach {wrong} schließt {reply} {victim} ein.",
                   "The order decides: after {wrong}, {reply} traps {victim}."),
    "order_place": ("Die Reihenfolge entscheidet: Nach {wrong} setzt sich {Enemy} mit {reply} selbst an den Thron.",
                    "The order decides: after {wrong}, {Enemy} takes a place at the throne with {reply}."),
    "order_time": ("{wrong} sieht ebenso gut aus, doch dann hält {reply} den Gewinn auf.",
                   "{wrong} looks just as good, but then {reply} holds up the win."),
    "in_time": ("Nach {move} fehlen noch {count} Züge, und keine Antwort kommt rechtzeitig.",
                "After {move} {count} more moves are needed, and no answer comes in time."),
    "in_time_one": ("Nach {move} fehlt nur noch ein Zug, und keine Antwort verhindert ihn.",
                    "After {move} only one more move is needed, and no answer stops it."),
    "hold_guard": ("{Victim} muss jetzt auf den Außenring, und zum Gewinn fehlt {Enemy} wieder mehr als ein Zug.",
                   "{Victim} must go to the outer ring now, and {Enemy} needs more than one move to win again."),
    "hold_queen": ("{Victim} muss umgesetzt werden, und ohne Königin auf dem Thron gewinnt {Enemy} nicht.",
                   "{Victim} must be relocated, and without the queen on the throne {Enemy} does not win."),
    "hold_place": ("Auf {target} am Thron fehlte {Enemy} noch eine Wache; jetzt steht dort dein Stein.",
                   "{Enemy} still lacked a guard on {target} at the throne; now your piece stands there."),
    "hold_on": ("Nach {move} kann {Enemy} in {count} Zügen nicht gewinnen; fast alles andere verliert.",
                "After {move} {Enemy} cannot win in {count} moves; nearly everything else loses."),
    "hold_on_one": ("Nach {move} kann {Enemy} nicht sofort gewinnen; fast alles andere verliert.",
                    "After {move} {Enemy} cannot win at once; nearly everything else loses."),
    "hold_only": ("Jeder andere Zug verliert, nach {wrong} zum Beispiel gewinnt {reply}.",
                  "Every other move loses: after {wrong}, for example, {reply} wins."),
    "hold_only_moves": ("Jeder andere Zug verliert in höchstens {count} Zügen; dieser hält stand.",
                        "Every other move loses in {count} moves at most; this one holds out."),
}


#: Small numbers in words, in German and English.
NUMBERS = (("null", "no"), ("ein", "one"), ("zwei", "two"), ("drei", "three"), ("vier", "four"), ("fünf", "five"),
           ("sechs", "six"))


class Explanations:
    """Makes the sentences of a collection: each is true of its puzzle; what has been said least often comes first."""

    def __init__(self) -> None:
        self.used: CounterOf[str] = Counter()

    def sentence(self, puzzle: Puzzle) -> Tuple[str, str]:
        """What explains a solution, in German and English."""
        position = Position.from_text(puzzle.position)
        move = Move.from_text(puzzle.solution[0])
        facts = dict(_FACTS[puzzle.goal](position, move, puzzle))
        key = min(facts, key=lambda name: (self.used[name], list(facts).index(name)))
        self.used[key] += 1
        values = {"target": _name(move.target), "source": _name(move.source),
                  "move": position.describe(move).rstrip("+#"), **facts[key]}
        return _said(key, 0, position, values), _said(key, 1, position, values)


def _said(key: str, language: int, position: Position, values: Dict[str, object]) -> str:
    """A sentence in one language; pieces (their cells) become words, such as 'the guard on e5'."""
    words = {"enemy": (("Weiß", "White"), ("Schwarz", "Black"))[1 - position.turn][language]}
    for name, value in values.items():
        if isinstance(value, int) and name.startswith("victim"):
            kind = (("die Wache auf {}", "the guard on {}"), ("die Königin auf {}", "the queen on {}")
                    )[position.is_queen(value)][language]
            value = kind.format(cell_name(value))
        if isinstance(value, int) and name == "count":
            value = NUMBERS[value][language]
        words[name] = str(value)
    words.update({name[0].upper() + name[1:]: word[0].upper() + word[1:] for name, word in list(words.items())})
    text = PUZZLE_SENTENCES[key][language].format(**words)
    return text[0].upper() + text[1:] if not re.match("[a-l][0-9]", text) else text


def _name(cell: Optional[Cell]) -> str:
    return "" if cell is None else cell_name(cell)


Facts = Iterator[Tuple[str, Dict[str, object]]]


def _partners(position: Position, move: Move, victim: Cell) -> List[Cell]:
    """The pieces that enclose a victim together with the one that has just moved."""
    around = position.after(change_of(move)).enclosers(victim)
    pairs = [around[index:index + 2] for index in range(0, len(around), 2)]
    return [cell for pair in pairs if move.target in pair for cell in pair if cell != move.target]


def _facts_of_a_trap(position: Position, move: Move, _puzzle_: Puzzle) -> Facts:
    victim = position.newly_trapped(move)[0]
    partner = _partners(position, move, victim)[0]
    known: Dict[str, object] = {"victim": victim, "partner": _name(partner)}
    if position.is_queen(victim):
        yield "queen_victim", known
    elif RING[victim] == 1:
        yield "at_throne", known
    if not position.is_queen(victim):
        if position.is_queen(partner) or move.source is not None and position.is_queen(move.source):
            yield "queen_helps", known
        if RING[victim] != RADIUS:
            yield "between", known
    if not position.is_progress(move):
        yield "along", known
    yield "opposite", known


def _facts_of_two(position: Position, move: Move, _puzzle_: Puzzle) -> Facts:
    first, second = position.newly_trapped(move)[:2]
    partners = [_partners(position, move, victim)[0] for victim in (first, second)]
    known: Dict[str, object] = {"victim": first, "victim2": second, "partner": _name(partners[0]),
                                "partner2": _name(partners[1])}
    yield "two_lines", known
    rings = sum(RADIUS - (RING[victim] or 0) for victim in (first, second))
    if rings > 1 and not position.is_queen(first) and not position.is_queen(second):
        yield "two_rings", {**known, "rings": rings}
    yield "two_moves", known
    yield "two_at", known


def _facts_of_the_exception(position: Position, move: Move, _puzzle_: Puzzle) -> Facts:
    side, side2 = position.after(change_of(move)).enclosers(move.target or 0)[:2]
    target = move.target or 0
    known: Dict[str, object] = {"side": _name(side), "side2": _name(side2), "partner": _name(2 * side - target),
                                "partner2": _name(2 * side2 - target)}
    for key in ("line_of_five", "but_here", "both_ends"):
        yield key, known


def _facts_of_a_relocation(position: Position, move: Move, _puzzle_: Puzzle) -> Facts:
    victim = position.newly_trapped(move)[0]
    known: Dict[str, object] = {"victim": victim, "partner": _name(_partners(position, move, victim)[0])}
    if move.source is not None and position.is_queen(move.source):
        yield "queen_lands", known
    for key in ("attack", "back_again", "chosen_cell"):
        yield key, known


def _facts_of_safety(position: Position, move: Move, puzzle: Puzzle) -> Facts:
    following = position.after(change_of(move))
    waiting = position.with_turn(1 - position.turn)
    threats = {} if position.trapped() else {
        threat: waiting.newly_trapped(threat) for threat in trapping_moves(waiting)}
    victims = sorted({cell for cells in threats.values() for cell in cells})
    trapped = position.newly_trapped(move)
    if trapped:
        yield "counter", {"victim": trapped[0]}
    if victims and {threat.target for threat in threats} == {move.target}:
        yield "blocks", {"victim": victims[0]}
    if victims == [move.source]:
        yield "steps_aside", {}
    if len(victims) == 2:
        yield "two_saved", {"victim": victims[0], "victim2": victims[1]}
    refused = [threat for threat in threats if following.refusal(threat) is Refusal.SELF_ENCLOSURE]
    if refused:
        yield "forbids", {"cell": _name(refused[0].target)}
    if victims and move.source not in victims:
        threat = next(iter(threats))
        yield "danger", {"victim": threats[threat][0], "threat": waiting.describe(threat).rstrip("+")}
    count = len(puzzle.solution)
    choices = len(position.legal_moves())
    yield ("few_safe" if count == 1 else "few_safe_two"), {"choices": choices}


def _facts_of_the_throne(position: Position, move: Move, _puzzle_: Puzzle) -> Facts:
    known: Dict[str, object] = {"partner": _name(_partners(position, move, THRONE)[0])}
    for key in ("throne_is_open", "no_guard", "comes_back"):
        yield key, known
    guards = popcount(position.enemy & INNER)
    if guards > 2:
        yield "guards_in_vain", {**known, "count": guards}


def _facts_of_a_win(position: Position, move: Move, puzzle: Puzzle) -> Facts:
    if puzzle.moves == 1:
        for other in position.legal_moves():
            if other != move and other.target == move.target and other.source is not None and RING[other.source] == 1:
                yield "no_gap", {"other": _name(other.source)}
                break
        yield "closed", {}
        if move.source is not None and RING[move.source] == 2:
            yield "from_outside", {}
        return
    trapped = position.newly_trapped(move)
    if trapped:
        yield "wins_time", {"victim": trapped[0]}
    if move.target == THRONE:
        yield "queen_before", {}
    yield from _wrong_order(position, move, puzzle)
    yield ("in_time_one" if puzzle.moves == 2 else "in_time"), {"count": puzzle.moves - 1}


def _wrong_order(position: Position, move: Move, puzzle: Puzzle) -> Facts:
    """What is wrong with another step towards the win."""
    wins = ForcedWins()
    missing = moves_to_go(position.own, position.queens)
    for wrong in position.legal_moves():
        following = position.after(change_of(wrong))
        if wrong == move or moves_to_go(following.enemy, following.queens) >= missing or following.outcome():
            continue
        replies = wins.defences(following, puzzle.moves - 1)
        if not replies or following.trapped():
            continue
        known: Dict[str, object] = {"wrong": position.describe(wrong)}
        for reply in replies:
            caught = following.newly_trapped(reply)
            if caught and caught[0] != wrong.target:
                yield "order_trap", {**known, "reply": following.describe(reply).rstrip("+"), "victim": caught[0]}
                return
        for reply in replies:
            if RING[reply.target or 0] == 1 and not following.newly_trapped(reply):
                yield "order_place", {**known, "reply": following.describe(reply)}
                return
        yield "order_time", {**known, "reply": following.describe(replies[0]).rstrip("+")}
        return


def _facts_of_holding_out(position: Position, move: Move, puzzle: Puzzle) -> Facts:
    trapped = position.newly_trapped(move)
    if trapped and position.is_queen(trapped[0]) and trapped[0] == THRONE:
        yield "hold_queen", {"victim": trapped[0]}
    elif trapped and not position.is_queen(trapped[0]) and RING[trapped[0]] != RADIUS:
        yield "hold_guard", {"victim": trapped[0]}
    if move.target is not None and RING[move.target] == 1 and not position.own & THRONE_BIT:
        yield "hold_place", {}
    if len(puzzle.solution) == 1:
        if puzzle.moves == 1:
            for wrong in position.legal_moves():
                following = position.after(change_of(wrong))
                if wrong != move and not following.outcome():
                    won = ForcedWins().winning_moves(following, 1)[0]
                    yield "hold_only", {"wrong": position.describe(wrong), "reply": following.describe(won).rstrip("#")}
                    break
        else:
            yield "hold_only_moves", {"count": puzzle.moves}
    else:
        yield ("hold_on_one" if puzzle.moves == 1 else "hold_on"), {"count": puzzle.moves}


#: By goal, what can truly be said about a solution, the most telling first.
_FACTS: Dict[str, Callable[[Position, Move, Puzzle], Facts]] = {
    "trap": _facts_of_a_trap, "trap_two": _facts_of_two, "exception": _facts_of_the_exception,
    "relocate_trap": _facts_of_a_relocation, "safe": _facts_of_safety, "trap_queen": _facts_of_the_throne,
    "win": _facts_of_a_win, "hold": _facts_of_holding_out}


# -- which ones make a collection --

@lru_cache(maxsize=None)
def _turnings() -> Tuple[Dict[Cell, Cell], ...]:
    """The twelve ways to turn and mirror the board: where each cell comes to lie."""
    cell_at = {axial(cell): cell for cell in CELLS}
    ways = []
    for is_mirrored in (False, True):
        for turns in range(6):
            way = {}
            for cell in CELLS:
                q, r = axial(cell)
                q, r = (r, q) if is_mirrored else (q, r)
                for _ in range(turns):
                    q, r = -r, q + r
                way[cell] = cell_at[q, r]
            ways.append(way)
    return tuple(ways)


def likeness(first: Position, second: Position) -> int:
    """How many pieces stand alike in two positions, seen from the side to move, when one board is turned to fit."""
    def parts(position: Position) -> Tuple[Bits, ...]:
        own, enemy, queens, _turn = position
        return own & ~queens, own & queens, enemy & ~queens, enemy & queens
    fixed, cells = parts(second), [list(cells_of(part)) for part in parts(first)]
    return max(sum(fixed[kind] >> way[cell] & 1 for kind in range(4) for cell in cells[kind]) for way in _turnings())


def pattern(puzzle: Puzzle) -> Tuple[object, ...]:
    """What a solution of one move looks like: the kinds of the pieces and the rings that take part."""
    position, move = Position.from_text(puzzle.position), Move.from_text(puzzle.solution[0])
    if move.source is None or move.target is None:
        return ()
    caught = sorted((position.is_queen(cell), RING[cell]) for cell in position.newly_trapped(move))
    return puzzle.goal, position.is_queen(move.source), RING[move.source], RING[move.target], tuple(caught)


def is_best(puzzle: Puzzle) -> bool:
    """Whether what a puzzle teaches is worth doing: the engine, asked for its move, finds a right one.

    The exception is rare, so there it is enough that no queen who is still far from the throne is given a free trip.
    """
    if puzzle.goal in ("win", "hold"):
        return True
    if puzzle.goal == "exception":
        position, move = Position.from_text(puzzle.position), Move.from_text(puzzle.solution[0])
        return not any(position.is_queen(cell) and (RING[cell] or 0) > 1 for cell in position.newly_trapped(move))
    return str(search(Game(Position.from_text(puzzle.position)), nodes=JUDGE_NODES).move) in puzzle.solution


def collection_of(found: Sequence[Puzzle], report: Callable[[str], None] = lambda _line: None) -> List[Puzzle]:
    """The best of the puzzles found: as many of each theme and length as wanted, no two alike, easy ones first."""
    taken: List[Puzzle] = []
    for theme, numbers in PUZZLE_THEMES.items():
        for moves, count in numbers.items():
            pool = [puzzle for puzzle in found if puzzle.moves == moves and puzzle.theme == theme]
            if theme == "win":
                pool += [puzzle for puzzle in found if puzzle.moves == moves and puzzle.theme == "ring"]
            chosen = _unlike_ones(pool, taken, CHOICE * count)
            hard = sorted(((difficulty_of(Position.from_text(puzzle.position), puzzle.goal, moves), puzzle)
                           for puzzle in chosen), key=lambda pair: pair[0])
            places = range(count) if count >= len(hard) else [i * (len(hard) - 1) // max(1, count - 1)
                                                              for i in range(count)]
            taken += [hard[place][1]._replace(theme=theme) for place in places if place < len(hard)]
            report(f"{theme} {moves}: {min(count, len(hard))} of {len(pool)}")
    return taken


def _unlike_ones(pool: Sequence[Puzzle], taken: Sequence[Puzzle], count: int) -> List[Puzzle]:
    """The first so many of a pool that are unlike all others, by what they show and by where the pieces stand."""
    chosen: List[Puzzle] = []
    boards = [Position.from_text(puzzle.position) for puzzle in taken]
    patterns: CounterOf[Tuple[object, ...]] = Counter()
    most = max(MOST_OF_A_PATTERN, count // 6)
    for puzzle in pool:
        board, kind = Position.from_text(puzzle.position), pattern(puzzle)
        if len(chosen) == count:
            break
        if (patterns[kind] < most or puzzle.goal in ("win", "hold")) and is_best(puzzle) and not any(
                likeness(board, other) > MOST_ALIKE for other in boards):
            patterns[kind] += 1
            chosen.append(puzzle)
            boards.append(board)
    return chosen


# -- the command --

#: The heading of each theme and what its page says, in German and English.
THEME_TEXTS: Dict[str, Tuple[str, str, str, str]] = {
    "trap": ("Einschließen", "Trapping", "Such einen gegnerischen Stein, neben dem schon einer von deinen steht. "
             "Gegenüber, auf der anderen Seite, fehlt nur noch ein zweiter.",
             "Look for an enemy piece that has one of yours beside it. On the opposite side only a second one is "
             "missing."),
    "trap_two": ("Doppelt einschließen", "Trapping two", "Wer zwei Steine auf einmal einschließt, gewinnt Zeit: "
                 "Der Gegner muss zweimal umsetzen.",
                 "Trapping two pieces at once wins time: the opponent has to relocate twice."),
    "relocate": ("Gut umsetzen", "Relocating well", "Umsetzen müssen ist kein Unglück. Du darfst das Feld wählen: "
                 "Such eines, das etwas bewirkt oder wo nichts mehr passieren kann.",
                 "Having to relocate is no misfortune. The cell is yours to choose: look for one that does something, "
                 "or where nothing can happen any more."),
    "save": ("Retten", "Saving", "Gleich wird ein Stein von dir eingeschlossen. Such erst den Zug, mit dem der Gegner "
             "das täte; dann siehst du, was dagegen hilft.",
             "One of your pieces is about to be trapped. First look for the move that would do it; then you see what "
             "helps."),
    "exception": ("Die Ausnahme nutzen", "Using the exception", "Zwischen zwei gegnerische Steine darfst du nur, wenn "
                  "du mit dem Zug beide einschließt. Hier ist das möglich.",
                  "You may go between two enemies only if that very move traps both of them. Here it does."),
    "trap_queen": ("Vom Thron vertreiben", "Off the throne", "Auch auf dem Thron kann eine Königin eingeschlossen "
                   "werden. Such zwei gegenüberliegende Felder neben ihr.",
                   "A queen can be trapped on the throne, too. Look for two opposite cells beside her."),
    "ring": ("Den Ring schließen", "Closing the ring", "Die Königin sitzt schon auf dem Thron. Welche Wache nimmt "
             "welchen Platz, und in welcher Reihenfolge?",
             "The queen is on the throne already. Which guard takes which place, and in what order?"),
    "win": ("Gewinnen", "Winning", "Finde Züge, gegen die es keine Verteidigung gibt. Oft entscheidet die Reihenfolge, "
            "manchmal gewinnt ein Einschluss die nötige Zeit.",
            "Find moves against which there is no defence. Often the order decides; sometimes a trap wins the time "
            "you need."),
    "hold": ("Standhalten", "Holding the draw", "Gleich ist alles verloren, kaum ein Zug hält das Spiel noch im "
             "Gleichgewicht. Was fehlt dem Gegner zum Gewinn?",
             "Everything is about to be lost, and hardly a move keeps the game level. What does the opponent need to "
             "win?")}


def collection_text(puzzles: Sequence[Puzzle]) -> str:
    """The text of a file with puzzles: for each theme a page, then its puzzles with the sentences that explain them."""
    explanations = Explanations()
    lines = ['{ Rätsel: erst zu jedem Thema eine Seite (Kind "theme"), dann seine Rätsel.',
             '  Puzzles: for each theme first a page (Kind "theme"), then its puzzles. }', ""]
    for theme, texts in THEME_TEXTS.items():
        lines += ['[Kind "theme"]', f'[Theme "{theme}"]']
        lines += [f'[{name} "{text}"]' for name, text in zip(("Title.de", "Title.en", "Text.de", "Text.en"), texts)]
        lines += ["", "*", ""]
        for puzzle in puzzles:
            if puzzle.theme == theme:
                german, english = explanations.sentence(puzzle)
                lines += ['[Kind "puzzle"]', f'[Theme "{theme}"]', f'[Goal "{puzzle.goal}"]',
                          f'[Moves "{puzzle.moves}"]', f'[Position "{puzzle.position}"]',
                          f'[Solution "{" ".join(puzzle.solution)}"]', f'[Praise.de "{german}"]',
                          f'[Praise.en "{english}"]', "", "*", ""]
    return "\n".join(lines)


def find_puzzles(options: argparse.Namespace) -> None:
    """Find puzzles in games of the program against itself and write the best of each theme into a file.

    What each game holds is kept: the same command goes on where it was stopped.
    The same seed and number of games give the same puzzles.
    """
    known = _known_puzzles(options.found, options.seed)
    missing = [(options.seed, number) for number in range(1, options.games + 1) if number not in known]
    if missing:
        with open(options.found, "a", encoding="utf-8") as file:
            for count, (number, puzzles) in enumerate(_played(_puzzles_of_game, missing, options.jobs), 1):
                known[number] = puzzles
                file.write(json.dumps([options.seed, number, puzzles]) + "\n")
                file.flush()
                print(f"\r{count}/{len(missing)} games ", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
    found = [puzzle for number in range(1, options.games + 1) for puzzle in known[number]]
    puzzles = collection_of(found, partial(print, flush=True))
    write_safely(options.out, collection_text(puzzles))
    print(f"{len(puzzles)} puzzles in {options.out}")


def _known_puzzles(path: str, seed: int) -> Dict[int, List[Puzzle]]:
    """The puzzles by the number of their game that have been found already; a line that was cut off is left out."""
    known: Dict[int, List[Puzzle]] = {}
    for line in read_text(path).splitlines() if os.path.exists(path) else ():
        try:
            of_seed, number, puzzles = json.loads(line)
        except ValueError:
            continue
        if of_seed == seed:
            known[number] = [Puzzle(theme, goal, moves, position, tuple(solution))
                             for theme, goal, moves, position, solution in puzzles]
    return known


# --- 16. Link --------------------------------------------------------------------
# Two computers play each other, and others may watch.  On each of them `link` is a player of the window: towards the
# window it speaks the protocol, towards the other computer it says one line for each move.  What both agree on is a
# Record.  A Correspondent brings the window and the other side together and knows no network; a Link carries the lines.

LINK_VERSION = 1
#: The port that is tried first: the game is known since 1842.
LINK_PORT = 18420
#: How many ports after it are tried where that is in use.
LINK_PORTS = 10
#: The longest line, in bytes: before somebody has named the code, and of a whole game.
LONGEST_GREETING = 100
LONGEST_LINK_LINE = 50_000
#: A longer game is not carried.
LONGEST_LINK_GAME = 5000
#: How many may be at the door at a time, how many may watch, and how many bytes may wait to be taken by one of them.
MAX_AT_THE_DOOR = 8
MAX_WATCHERS = 30
MAX_UNSENT = 1_000_000
#: Wrong codes from one address within a minute, and altogether: with four digits, 30 guesses hit once in 333 times.
TRIES_A_MINUTE = 5
TRIES_AT_ALL = 30
#: Lines that may come at once, and how many more each second.
LINE_BURST, LINES_A_SECOND = 200, 50
#: How often somebody may send what is no line of a game before nobody is waited for any more.
MAX_NONSENSE = 5
#: Seconds: for a greeting or its answer, between two signs of life, of silence until the line counts as lost, until the
#: one who waits is told that the other has to join, and until waiting or trying to come back ends.
GREETING_SECONDS, PING_SECONDS, SILENCE_SECONDS, HINT_SECONDS, WAITING_SECONDS = 5.0, 5.0, 20.0, 60.0, 3600.0
#: Seconds before a lost line is tried again; each time twice as many, up to the second number.
RETRY_SECONDS = (0.1, 3.0)
#: How often a guest knocks that gets no answer at all.
EARLY_TRIES = 3
#: Seconds between two looks at the window's lines.
LINK_TICK = 0.03
SIDE_WORDS = ("white", "black")

#: What is said in the window, German and English.
LINK_TEXTS = {
    "waiting": ("Der andere Computer wählt Spiel, Mit einem anderen Computer, dann „Mitspielen“ und tippt Adresse und "
                "Code ein.",
                "The other computer chooses Game, With another computer, then “Join”, and types address and code."),
    "hint": ("Noch ist niemand gekommen. Nur einer von euch wartet, der andere wählt „Mitspielen“. Beide müssen im "
             "selben Netz sein, und eine Firewall muss Python zulassen.",
             "Nobody has come yet. Only one of you waits, the other chooses “Join”. Both must be in the same network, "
             "and a firewall must let Python through."),
    "waited": ("Lange ist niemand gekommen; es wird nicht mehr gewartet.",
               "Nobody has come for a long time; waiting has ended."),
    "no_port": ("Hier lässt sich nicht warten ({reason}).", "It is not possible to wait here ({reason})."),
    "connecting": ("{address} wird gesucht …", "Looking for {address} …"),
    "lost": ("Die Verbindung ist abgerissen. Das Spiel bleibt, wie es ist, und geht weiter, sobald der andere Computer "
             "wieder da ist.",
             "The line is lost. The game stays as it is and goes on as soon as the other computer is back."),
    "left": ("Der andere Computer hat sich verabschiedet. Das Spiel bleibt, wie es ist.",
             "The other computer has left. The game stays as it is."),
    "gave_up": ("Der andere Computer ist nicht wiedergekommen.", "The other computer has not come back."),
    "wrong_code": ("Der Code stimmt nicht. Schau auf dem anderen Bildschirm nach.",
                   "The code is wrong. Look at the other screen."),
    "too_many": ("Zu viele falsche Codes. Warte eine Minute.", "Too many wrong codes. Wait a minute."),
    "guessed": ("Jemand hat zu oft einen falschen Code genannt; es wird nicht mehr gewartet. Mit einem neuen Code geht "
                "es weiter.",
                "Somebody has named wrong codes too often; waiting has ended. It goes on with a new code."),
    "version": ("Der andere Computer hat eine andere Version von Agon. Nehmt beide dieselbe.",
                "The other computer has another version of Agon. Take the same one, both of you."),
    "taken": ("Dort spielt schon jemand mit.", "Somebody else has joined already."),
    "private": ("Dort ist Zuschauen nicht erlaubt.", "Watching is not allowed there."),
    "full": ("Dort schauen schon zu viele zu.", "Too many are watching there already."),
    "nobody": ("Unter {address} wartet niemand. Einer von euch wählt „Warten“; wenn dort schon gespielt wird, kommt "
               "niemand mehr dazu.",
               "Nobody is waiting at {address}. One of you chooses “Wait”; where a game is on, nobody can join."),
    "unreachable": ("{address} ist nicht zu erreichen. Seid ihr im selben Netz, und lässt die Firewall Python zu?",
                    "{address} cannot be reached. Are you in the same network, and does the firewall let Python "
                    "through?"),
    "no_address": ("{address} ist keine Adresse. Erwartet wird eine wie 192.168.1.20.",
                   "{address} is no address. Expected is one like 192.168.1.20."),
    "no_agon": ("Unter {address} antwortet etwas anderes als Agon.", "Something other than Agon answers at {address}."),
    "nonsense": ("Vom anderen Computer kam etwas, das nicht zum Spiel gehört; die Verbindung wurde beendet. Das Spiel "
                 "bleibt, wie es ist.",
                 "The other computer has sent something that does not belong to the game; the line was closed. The "
                 "game stays as it is."),
    "illegal": ("Vom anderen Computer kam ein Zug, der nicht erlaubt ist ({move}); die Verbindung wurde beendet. Das "
                "Spiel bleibt, wie es ist.",
                "The other computer has sent a move that is not allowed ({move}); the line was closed. The game stays "
                "as it is."),
    "flood": ("Vom anderen Computer kommt zu viel auf einmal; die Verbindung wurde beendet. Das Spiel bleibt, wie es "
              "ist.",
              "Too much at once comes from the other computer; the line was closed. The game stays as it is."),
    "connected": ("Verbunden.", "Connected."),
    "differs": ("Die beiden Spiele passen nicht zueinander. Es geht mit dem Spiel des wartenden Computers weiter; "
                "deines liegt unter Spiel, Voriges Spiel zurückholen.",
                "The two games do not fit together. The game of the computer that waited goes on; yours is kept under "
                "Game, Bring back the previous game."),
}


#: What the one who waits may answer to a greeting.
REFUSALS = ("wrong_code", "too_many", "version", "taken", "private", "full")


class Record(NamedTuple):
    """What two computers agree on: which of their games it is, by which rules, and all that has happened in it.

    `number` counts the games since the two have met, `host` is the side that
    the computer plays which has waited, `end` how the game was ended without
    a move: "" (it was not), "draw", or "white" or "black" for who gave up.
    """

    number: int
    host: int
    rules: Rules
    start: Position
    moves: Tuple[Move, ...] = ()
    end: str = ""

    def game(self) -> Game:
        """The game as far as its moves go, then ended if it was; IllegalMove if the rules forbid a move."""
        game = Game(self.start, self.rules)
        for move in self.moves:
            game.play(move)
        if self.end == "draw":
            game.agree_draw()
        elif self.end:
            game.resign(SIDE_WORDS.index(self.end))
        return game

    def line(self) -> str:
        """The record as a line, for `parse_record`."""
        rules = ",".join(f"{option_name(field)}={_option_text(value)}" for field, value in self.rules._asdict().items())
        words = ["game", str(self.number), SIDE_WORDS[self.host], self.end or "-", rules, str(self.start), "moves"]
        return " ".join([*words, *map(str, self.moves)])


def parse_record(text: str) -> Record:
    """Read a line that Record.line has written; ProtocolError or AgonError if it is none, or if a move is illegal."""
    head, _, tail = text.partition(" moves")
    match = re.fullmatch(r"game ([0-9]{1,6}) (white|black) (-|draw|white|black) (\S+) (.+)", head, re.ASCII)
    moves = tail.split()
    if not match or len(moves) > LONGEST_LINK_GAME:
        raise ProtocolError(f"{text[:40]} is no game")
    number, host, end, options, start = match.groups()
    rules: Dict[str, bool] = {}
    for option in options.split(","):
        name, _, value = option.partition("=")
        if name.lower() not in RULE_OPTIONS:
            raise ProtocolError(f"unknown rule {name[:40]}")
        rules[RULE_OPTIONS[name.lower()]] = _switch(value)
    record = Record(int(number), SIDE_WORDS.index(host), Rules(**rules), Position.from_text(start),
                    tuple(map(Move.from_text, moves)), "" if end == "-" else end)
    record.game()
    return record


def united(own: Record, other: Record) -> Optional[Record]:
    """The longer of two histories if it continues the other, with the end that one of them knows; else None.

    Of two games of different number the later one counts.
    """
    if own.number != other.number:
        return max(own, other, key=lambda record: record.number)
    shorter, longer = sorted((own, other), key=lambda record: len(record.moves))
    if own[:4] != other[:4] or longer.moves[:len(shorter.moves)] != shorter.moves:
        return None
    return longer._replace(end=own.end or other.end)


class Correspondent:
    """One end of a game with another computer: brings what its window says and what comes over the line together.

    `role` is "host" (it has waited), "join" or "watch", `side` the side that is
    played in this window, as far as it is known.  `tell` says a line to the
    window, `send` one to everybody at the other end who is there.  It knows no network.
    """

    def __init__(self, role: str, side: Optional[int], tell: Callable[[str], None],
                 send: Callable[[str], None]) -> None:
        self.role = role
        self.side = side
        self.tell = tell
        self.send = send
        #: What has happened as far as this end knows, and as far as the window has shown or been told it.
        self.record: Optional[Record] = None
        self.shown: Optional[Record] = None
        #: Whether the other side is there, and whether it has ever been.
        self.is_joined = self.has_met = False
        #: Whether the window has asked who this is: before that, it hears nothing.
        self.is_introduced = False
        #: Who has offered a draw: "", "ours" or "theirs".
        self.offer = ""
        self._rules = DEFAULT_RULES
        self._is_asked = False
        #: Whether the window begins another game, and as which side.
        self._begins: Optional[int] = None
        self._from_window: Dict[str, Callable[[List[str]], None]] = {
            "agon": self._introduce, "isready": self._be_ready, "setoption": self._on_option, "newgame": self._on_new,
            "position": self._on_position, "go": self._on_go, "stop": self._on_stop, "resign": self._on_resign,
            "draw": self._on_draw, "nodraw": self._on_no_draw}
        self._from_other: Dict[str, Callable[[List[str]], None]] = {
            "move": self._other_moves, "end": self._other_ends, "offer": self._other_offers,
            "decline": self._other_declines, "game": self._other_game}

    def state(self, name: str, key: str, signs: Sequence[str] = (), **values: Any) -> None:
        """Say in the window how things stand: a state for it to go by, a sentence, and what is shown large."""
        self.tell(f"event state {name}")
        for sign in signs:
            self.tell(f"event sign {sign}")
        for language, text in zip(("de", "en"), LINK_TEXTS[key]):
            self.tell(f"event say.{language} {printable(text.format(**values))}")

    # -- from the window --

    def hear_window(self, line: str) -> None:
        """Obey a line of the window; what cannot be obeyed is answered by an error line."""
        words = line.split()
        try:
            if words and words[0] in self._from_window:
                self._from_window[words[0]](words[1:])
            elif words:
                raise ProtocolError(f"unknown command {words[0][:40]}")
        except (ProtocolError, AgonError) as error:
            self.tell("error " + printable(str(error)))

    def _introduce(self, _words: List[str]) -> None:
        self.is_introduced = True
        self.tell("id name Another computer")
        self.tell("wants events")
        self.tell("agonok")

    def _be_ready(self, _words: List[str]) -> None:
        self.tell("readyok")

    def _on_option(self, words: List[str]) -> None:
        if len(words) == 4 and words[1].lower() in RULE_OPTIONS:
            self._rules = self._rules._replace(**{RULE_OPTIONS[words[1].lower()]: _switch(words[3])})

    def _on_new(self, words: List[str]) -> None:
        """newgame [white|black]: the next position begins another game, in which the window plays this side."""
        if self.record and not self.record.game().outcome():
            raise ProtocolError("the game is not over")
        if words and words[0] in SIDE_WORDS:
            self.side = SIDE_WORDS.index(words[0])
        self._begins = self.side

    def _on_position(self, words: List[str]) -> None:
        """position text P moves ...: the window's game; its own moves that are new in it go to the other side."""
        game = game_of(words, self._rules)
        record = self.record
        if record is None or self._begins is not None:
            self._begin(game)
            return
        shown = record._replace(rules=game.rules, start=game.start, moves=game.moves, end="")
        longer = united(record, shown)
        if longer is None:
            raise ProtocolError("this is not the game that is played")
        self.shown = shown._replace(end=self.shown.end if self.shown and self.shown.moves == shown.moves else "")
        for ply in range(len(record.moves), len(game.moves)):
            if self.role == "watch" or self._mover(ply) != self.side:
                raise ProtocolError("this is not the move of this side")
            self.offer = "" if self.offer == "theirs" else self.offer
            self._send_move(ply, game.moves[ply])
        self.record = longer
        self._bring_up()

    def _begin(self, game: Game) -> None:
        """The window's game becomes that of both."""
        if self.role == "watch" or self.side is None or len(game.moves) > LONGEST_LINK_GAME:
            raise ProtocolError("no game can be begun here")
        number = self.record.number + 1 if self.record else 1
        host = self.side if self.role == "host" else 1 - self.side
        self.record = self.shown = Record(number, host, game.rules, game.start, game.moves)
        self._begins, self.offer = None, ""
        self.send(self.record.line())

    def _send_move(self, ply: int, move: Move) -> None:
        if self.record:
            self.send(f"move {self.record.number} {ply} {move}")

    def _on_go(self, _words: List[str]) -> None:
        """go: the window waits for the other side's move."""
        self._is_asked = True
        self._bring_up()

    def _on_stop(self, _words: List[str]) -> None:
        """stop: the window does not wait any more; every `go` has its answer."""
        if self._is_asked:
            self._is_asked = False
            self.tell("bestmove none")

    def _on_resign(self, _words: List[str]) -> None:
        if self.role != "watch" and self.side is not None:
            self._end(SIDE_WORDS[self.side])

    def _on_draw(self, _words: List[str]) -> None:
        """draw: the window offers a draw, or takes the one that was offered."""
        if self.record is None or self.record.end or self.role == "watch":
            return
        if self.offer == "theirs":
            self._end("draw")
        elif self.is_joined:
            self.offer = "ours"
            self.send(f"offer {self.record.number}")
        else:
            self.tell("event draw gone")

    def _on_no_draw(self, _words: List[str]) -> None:
        if self.offer == "theirs" and self.record:
            self.offer = ""
            self.send(f"decline {self.record.number}")

    def _end(self, how: str) -> None:
        """End the game as this window wants it."""
        if self.record is None or self.record.game().outcome():
            return
        self.record = self.record._replace(end=how)
        if how != "draw" and self.shown:  # the window knows that it has given up
            self.shown = self.shown._replace(end=how)
        self.send(f"end {self.record.number} {how}")
        self._bring_up()

    # -- to the window --

    def _mover(self, ply: int) -> int:
        """The side that makes the move after so many moves."""
        assert self.record is not None
        return (self.record.start.turn + ply) % 2

    def _bring_up(self) -> None:
        """Tell the window what it does not know: the next move if it waits for one, else the whole game; its end."""
        record, shown = self.record, self.shown
        if record is None or record == shown:
            return
        if shown is None or united(record, shown) is None or shown.number != record.number:
            self._tell_all()
            return
        ply = len(shown.moves)
        if ply < len(record.moves):
            if self._mover(ply) == self.side or shown.end:  # it has given up before it knew of this move
                self._tell_all()
            elif self._is_asked:
                self._is_asked = False
                self.shown = shown._replace(moves=record.moves[:ply + 1])
                self.tell(f"bestmove {record.moves[ply]}")
                if self.shown.moves == record.moves:
                    self._bring_up()
        elif record.end != shown.end and ply == len(record.moves):
            self.shown = record
            self.tell(f"event end {record.end}")

    def _tell_all(self) -> None:
        assert self.record is not None
        self.shown = self.record
        side = "none" if self.side is None else SIDE_WORDS[self.side]
        self.tell(f"event play {side} {self.record.line()}")

    # -- from the other side --

    def meet(self, other: Optional[Record]) -> None:
        """As host: somebody has joined with this history; the one that counts is sent back, and it goes on."""
        assert self.record is not None
        # At the first meeting, a game without moves is one that was asked for, whatever the other remembers.
        is_new = not self.has_met and not self.record.moves
        if other is not None and not is_new:
            self.record = self._trusted(other) or self.record
        self.is_joined = self.has_met = True
        self.send(self.record.line())
        self.state("connected", "connected")
        self._bring_up()

    def _trusted(self, other: Record) -> Optional[Record]:
        """The longer history; once the two have met, nobody is told of moves of his own that he has not made."""
        own = self.record
        together = united(own, other) if own else other
        if together is None or own is None or not self.has_met or self.role == "watch":
            return together
        if any(self._mover(ply) == self.side for ply in range(len(own.moves), len(together.moves))):
            return None
        is_agreed = together.end in ("", own.end) or together.end == "draw" and self.offer == "ours" or (
            self.side is not None and together.end == SIDE_WORDS[1 - self.side])
        return together if is_agreed else together._replace(end=own.end)

    def lose(self) -> None:
        """The line is lost."""
        self.is_joined = False
        if self.offer == "theirs":
            self.offer = ""
            self.tell("event draw gone")

    def hear_other(self, line: str) -> None:
        """A line of the other side; ProtocolError or AgonError if it does not belong to the game."""
        words = line.split()
        if not words or words[0] not in self._from_other:
            raise ProtocolError(f"unknown line {line[:40]}")
        self._from_other[words[0]](words[1:])
        self._bring_up()

    def _is_of_this_game(self, number: str) -> bool:
        """Whether a line is about the present game; what belongs to an earlier one is old and means nothing."""
        if self.record is None or _number(number, 1, 10 ** 6) > self.record.number:
            raise ProtocolError(f"there is no game {number}")
        return int(number) == self.record.number

    def _other_moves(self, words: List[str]) -> None:
        """move <game> <ply> <move>."""
        if len(words) != 3:
            raise ProtocolError("expected move <game> <ply> <move>")
        ply, move = _number(words[1], 0, LONGEST_LINK_GAME - 1), Move.from_text(words[2])
        if not self._is_of_this_game(words[0]):
            return
        assert self.record is not None
        moves = self.record.moves
        if ply < len(moves) and moves[ply] == move:
            return  # it is known already
        if ply != len(moves) or self._mover(ply) == self.side:
            raise ProtocolError(f"{move} is not the next move")
        game = self.record._replace(end="").game()
        game.play(move)
        self.record = self.record._replace(moves=game.moves)
        self.offer = "" if self.offer == "ours" else self.offer

    def _other_ends(self, words: List[str]) -> None:
        """end <game> draw|white|black: the draw we offered is taken, or the other side gives up."""
        if len(words) != 2 or words[1] not in ("draw", *SIDE_WORDS):
            raise ProtocolError("expected end <game> draw|white|black")
        if not self._is_of_this_game(words[0]):
            return
        assert self.record is not None
        if self.record.end == words[1]:
            return  # it is known already
        is_own = self.side is not None and words[1] == SIDE_WORDS[self.side]
        if self.role != "watch" and (is_own or words[1] == "draw" and self.offer != "ours"):
            raise ProtocolError(f"nobody has agreed to the end {words[1]}")
        if not self.record.game().outcome():
            self.record = self.record._replace(end=words[1])

    def _other_offers(self, words: List[str]) -> None:
        """offer <game>: the other side offers a draw."""
        if words and self._is_of_this_game(words[0]) and not self.offer and self.role != "watch":
            self.offer = "theirs"
            self.tell("event draw offered")

    def _other_declines(self, words: List[str]) -> None:
        """decline <game>: the other side does not take the draw we offered."""
        if words and self._is_of_this_game(words[0]) and self.offer == "ours":
            self.offer = ""
            self.tell("event draw declined")

    def _other_game(self, words: List[str]) -> None:
        """game ...: the whole game, when we have just joined; later another one, once this has ended."""
        other = parse_record(" ".join(["game", *words]))
        own = self.record
        if not self.is_joined and self.role != "host":
            self._join(other)
        elif self.role == "watch":
            self.record = other
        elif own is not None and other.number <= own.number:
            return  # both have begun the next game at the same moment
        elif own is not None and own.game().outcome() and other.number == own.number + 1 and not other.moves:
            self.record, self.offer = other, ""
            self.side = other.host if self.role == "host" else 1 - other.host
        else:
            raise ProtocolError("the game is not over")

    def _join(self, other: Record) -> None:
        """As guest: the host has said what counts; what it does not know yet is sent after it."""
        own = self.record
        # As in `meet`: a host that comes without a move has begun anew.
        is_new = not self.has_met and not other.moves and own is not None and bool(own.moves)
        together = None if is_new else self._trusted(other)
        self.record = together or other
        self.side = None if self.role == "watch" else 1 - self.record.host
        if not self.has_met:
            self.shown = None  # even the game that the window knows begins anew, with the other side in its seat
        self.is_joined = self.has_met = True
        self.state("connected", "differs" if own and together is None else "connected")
        if self.role == "join":
            for ply in range(len(other.moves), len(self.record.moves)):
                self._send_move(ply, self.record.moves[ply])
            if self.record.end and not other.end:
                self.send(f"end {self.record.number} {self.record.end}")


class Flood(Exception):
    """More came over a line than is taken."""


class LinkLine:
    """A line to another computer, in and out, both bounded; `role` is "" until the code was named.

    `now` is the monotonic clock in seconds.
    """

    def __init__(self, connected: "socket.socket", address: str, role: str, now: float) -> None:
        connected.setblocking(False)
        self.socket = connected
        self.address = address
        self.role = role
        self.began_at = self.heard_at = self.spoke_at = self._credit_at = now
        #: Whether it is closed once all has been sent.
        self.is_closing = False
        self._in, self._out = b"", b""
        self._credit = float(LINE_BURST)

    @property
    def has_unsent(self) -> bool:
        """Whether something waits to be sent."""
        return bool(self._out)

    def read(self, now: float) -> List[str]:
        """The lines that have come; OSError when the line is lost, Flood when too much comes."""
        try:
            data = self.socket.recv(1 << 16)
        except BlockingIOError:
            return []
        if not data:
            raise ConnectionResetError
        self.heard_at = now
        *lines, self._in = (self._in + data).split(b"\n")
        longest = LONGEST_LINK_LINE if self.role else LONGEST_GREETING
        self._credit = min(LINE_BURST, self._credit + LINES_A_SECOND * (now - self._credit_at)) - len(lines)
        self._credit_at = now
        if self._credit < 0 or max(map(len, [*lines, self._in])) > longest:
            raise Flood
        return [printable(line.decode("utf-8", "replace").strip()) for line in lines]

    def send(self, text: str, now: float) -> None:
        """Send a line as soon as it can be taken; who takes nothing for long is dropped (OSError from flush)."""
        self._out += text.encode("utf-8") + b"\n"
        self.spoke_at = now

    def flush(self) -> None:
        """Send what can be sent now; OSError when the line is lost or nothing is taken any more."""
        try:
            while self._out:
                self._out = self._out[self.socket.send(self._out):]
        except BlockingIOError:
            pass
        if len(self._out) > MAX_UNSENT:
            raise ConnectionAbortedError

    def close(self) -> None:
        """Close the line."""
        self.socket.close()


class Doorkeeper:
    """Decides who may come in: by the code, with few tries."""

    def __init__(self, code: str, may_watch: bool) -> None:
        self.code = code
        self.may_watch = may_watch
        self.wrong_tries = 0
        self._tries: Dict[str, List[float]] = {}

    @property
    def is_beaten(self) -> bool:
        """Whether so many codes were tried that it is better not to wait any longer."""
        return self.wrong_tries >= TRIES_AT_ALL

    def answer(self, greeting: str, address: str, now: float) -> Tuple[str, str, str]:
        """Role and token of who may come in, and ""; or "", "", and why not (a key of LINK_TEXTS)."""
        match = re.fullmatch(r"agon-link ([0-9]{1,6}) (.*)", greeting, re.ASCII)
        if not match:
            return "", "", "version"
        if int(match.group(1)) != LINK_VERSION:
            return "", "", "version"
        words = match.group(2).split()
        if len(words) != 3 or words[0] not in ("join", "watch"):
            return "", "", "version"
        recent = [then for then in self._tries.get(address, []) if now - then < 60]
        if len(recent) >= TRIES_A_MINUTE or self.is_beaten:
            return "", "", "too_many"
        role, code, token = words
        if code != self.code:
            self.wrong_tries += 1
            self._tries[address] = [*recent, now]
            return "", "", "wrong_code"
        if role == "watch" and not self.may_watch:
            return "", "", "private"
        return role, token, ""


def new_code() -> str:
    """A code of four digits that nobody can foresee."""
    return f"{random.SystemRandom().randrange(10_000):04}"


def split_address(text: str) -> Optional[Tuple[str, int]]:
    """Host and port of what a person has typed, such as '192.168.1.20' or 'room7:18421'; None if it is neither."""
    match = re.fullmatch(r"([\w.-]{1,100})(?::([0-9]{1,5}))?", text.strip())
    port = int(match.group(2) or LINK_PORT) if match else 0
    return (match.group(1), port) if match and 0 < port < 65536 else None


def own_addresses() -> List[str]:
    """The addresses at which other computers may find this one, the likeliest first; it may take seconds."""
    import socket
    found: List[str] = []
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # an address that nobody has (RFC 5737): nothing is sent
            found.append(probe.getsockname()[0])
        found += socket.gethostbyname_ex(socket.gethostname())[2]
    except (OSError, UnicodeError):
        pass  # no network, or a name that nobody knows
    outside = [address for address in dict.fromkeys(found) if not address.startswith(("127.", "0."))]
    return outside[:3] or ["127.0.0.1"]


class Link:
    """Carries the lines of a Correspondent: what all kinds of ends have in common.

    One thread reads the window's lines, all else happens in `run`.
    """

    def __init__(self, correspondent: Correspondent, source: BinaryIO) -> None:
        self.correspondent = correspondent
        #: The line to the other player (as guest or watcher: to the host).
        self.other: Optional[LinkLine] = None
        #: All lines, also of those at the door and those who watch.
        self.all_lines: List[LinkLine] = []
        self.now = time.monotonic()
        #: How often the other side has sent what does not belong to the game.
        self.nonsense = 0
        self.window: "queue.Queue[Optional[str]]" = queue.Queue()
        threading.Thread(target=self._read, args=(source,), daemon=True).start()

    def _read(self, source: BinaryIO) -> None:
        for line in bounded_lines(source, MAX_LINE_BYTES):
            self.window.put(line.decode("utf-8", "replace").strip())
        self.window.put(None)

    def run(self) -> None:
        """Carry lines until the window wants no more."""
        import select
        while self._hear_window():
            if not self.correspondent.is_introduced:  # the window does not listen yet
                time.sleep(LINK_TICK)
                continue
            self.now = time.monotonic()
            self.look_at_clock()
            doors = [door for door in [self.door()] if door]
            sockets = {line.socket: line for line in self.all_lines}
            if not sockets and not doors:
                time.sleep(LINK_TICK)
                continue
            writers = [line.socket for line in self.all_lines if line.has_unsent]
            readable, writable, _ = select.select([*doors, *sockets], writers, [], LINK_TICK)
            for ready in {*readable, *writable}:
                if ready in sockets:
                    self._serve(sockets[ready])
                else:
                    self.open_door()
        self._say_goodbye()

    def _hear_window(self) -> bool:
        """Obey what the window has said; whether it wants to go on."""
        while True:
            try:
                line = self.window.get_nowait()
            except queue.Empty:
                return True
            if line is None or line == "quit":
                return False
            if line == "retry":
                self.retry()
            else:
                self.correspondent.hear_window(line)

    def _serve(self, line: LinkLine) -> None:
        """Read and write what is to be read and written on a line."""
        try:
            line.flush()
            if line.is_closing and not line.has_unsent:
                self.drop(line)
            for text in line.read(self.now) if line in self.all_lines else ():
                if line in self.all_lines and not line.is_closing:
                    self.hear(line, text)
        except OSError:
            self.lose(line, "lost")
        except Flood:
            self._blame(line, "flood")
        except IllegalMove as error:
            self._blame(line, "illegal", move=error.details["token"])
        except (ProtocolError, AgonError):
            self._blame(line, "nonsense")

    def _blame(self, line: LinkLine, key: str, **values: Any) -> None:
        self.nonsense += line is self.other
        self.lose(line, key, **values)

    def send_all(self, text: str) -> None:
        """Send a line to the other player, once the game with it goes on, and to those who watch."""
        for line in self.all_lines:
            if line.role and not line.is_closing and (line is not self.other or self.correspondent.is_joined):
                line.send(text, self.now)

    def drop(self, line: LinkLine) -> None:
        """Close a line and forget it."""
        line.close()
        if line in self.all_lines:
            self.all_lines.remove(line)
        if line is self.other:
            self.other = None
            self.correspondent.lose()

    def ping(self) -> None:
        """Give signs of life, and drop who gives none."""
        for line in list(self.all_lines):
            if line.role and self.now - line.spoke_at >= PING_SECONDS:
                line.send("ping", self.now)
            is_silent = line.role and self.now - line.heard_at >= SILENCE_SECONDS
            if is_silent or not line.role and self.now - line.began_at >= GREETING_SECONDS:
                self.lose(line, "lost")

    def _say_goodbye(self) -> None:
        self.send_all("bye")
        for line in list(self.all_lines):
            try:
                line.flush()
            except OSError:
                pass  # it has gone first
            line.close()

    # -- what host and guest do each in their way --

    def door(self) -> "Optional[socket.socket]":
        """Where somebody may come in."""
        return None

    def open_door(self) -> None:
        """Somebody is at the door."""

    def look_at_clock(self) -> None:
        """Do what is to be done by now."""

    def hear(self, line: LinkLine, text: str) -> None:
        """A line has come; ProtocolError or AgonError if it does not belong to the game."""

    def lose(self, line: LinkLine, key: str, **values: Any) -> None:
        """A line is lost; `key` says why."""

    def retry(self) -> None:
        """The window wants it tried once more."""


class HostLink(Link):
    """The end that waits.  It listens only as long as it waits, or as long as others may watch."""

    def __init__(self, correspondent: Correspondent, source: BinaryIO, address: str, port: int,
                 may_watch: bool) -> None:
        super().__init__(correspondent, source)
        self.address, self.port, self.may_watch = address, port, may_watch
        self.doorkeeper = Doorkeeper(new_code(), may_watch)
        self.listener: "Optional[socket.socket]" = None
        self.addresses = [address] if address else []
        #: What the guest shows when it comes back on a new line before the old one is known to be lost.
        self.token = f"{random.SystemRandom().getrandbits(64):016x}"
        #: Since when it waits and why, and until when a port that is still taken is tried again.
        self._waits_since = self._listens_by = self.now
        self._why = "waiting"
        self._values: Dict[str, Any] = {}
        self._is_waiting = self._is_shown = self._has_given_up = False
        if not address:
            threading.Thread(target=self._find_addresses, daemon=True).start()

    def _find_addresses(self) -> None:
        self.addresses = own_addresses()

    def door(self) -> "Optional[socket.socket]":
        return self.listener

    def look_at_clock(self) -> None:
        is_idle = not self._is_waiting and not self._has_given_up and self.other is None
        if is_idle and self.correspondent.record is not None:
            self.wait("waiting")
        if self.listener is None and (self._is_waiting or self.may_watch and self.other is not None):
            self._listen()
        if self._is_waiting and self.listener and self.addresses and not self._is_shown:
            self._show()
        waited = self.now - self._waits_since
        if self._is_waiting and self._why == "waiting" and waited > HINT_SECONDS:
            self._why, self._is_shown = "hint", False
        if self._is_waiting and waited > WAITING_SECONDS:
            self.give_up("waited")
        self.ping()

    def wait(self, key: str, **values: Any) -> None:
        """Wait for somebody to join, and say why."""
        self._is_waiting, self._is_shown = True, False
        self._why, self._values = key, values
        self._waits_since, self._listens_by = self.now, self.now + SILENCE_SECONDS

    def _show(self) -> None:
        self._is_shown = True
        port = self.listener.getsockname()[1] if self.listener else LINK_PORT
        suffix = "" if port == LINK_PORT else f":{port}"
        signs = [address + suffix for address in self.addresses]
        self.correspondent.state("waiting", self._why, [*signs, f"Code {self.doorkeeper.code}"], **self._values)

    def give_up(self, key: str, **values: Any) -> None:
        """Wait no longer, and say why."""
        self._is_waiting, self._has_given_up = False, True
        self._close_door()
        self.correspondent.state("failed", key, **values)

    def retry(self) -> None:
        if not self._is_waiting and self.other is None:
            self.doorkeeper = Doorkeeper(new_code(), self.may_watch)
            self.nonsense, self._has_given_up = 0, False
            self.wait("waiting")

    def _listen(self) -> None:
        """Begin to listen; a port that is still taken by the line just lost is tried again for a while."""
        import socket
        ports = range(self.port, self.port + LINK_PORTS) if self.port == LINK_PORT else [self.port]
        reason = ""
        for port in ports:
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            try:
                if os.name == "posix":  # elsewhere this would let two programs listen at once
                    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind((self.address, port))
                listener.listen(MAX_AT_THE_DOOR)
                listener.setblocking(False)
                self.listener = listener
                self.port = listener.getsockname()[1]  # who comes back finds the same
                return
            except OSError as error:
                listener.close()
                reason = error.strerror or str(error)
        if not self.correspondent.has_met or self.now > self._listens_by:
            self.give_up("no_port", reason=reason)

    def _close_door(self) -> None:
        if self.listener:
            self.listener.close()
            self.listener = None
        for line in list(self.all_lines):
            if not line.role and not line.is_closing:
                self.drop(line)

    def open_door(self) -> None:
        assert self.listener is not None
        try:
            connected, address = self.listener.accept()
        except OSError:
            return  # it has gone again
        line = LinkLine(connected, address[0], "", self.now)
        if len([line for line in self.all_lines if not line.role]) >= MAX_AT_THE_DOOR:
            line.close()
        else:
            self.all_lines.append(line)

    def hear(self, line: LinkLine, text: str) -> None:
        if not line.role:
            self._greet(line, text)
        elif text == "ping":
            pass
        elif text == "bye":
            self.lose(line, "left")
        elif line is not self.other:
            raise ProtocolError("who watches says nothing")
        elif not self.correspondent.is_joined:
            self._begin(text)
        else:
            self.correspondent.hear_other(text)
            for watcher in self.all_lines:
                if watcher.role == "watch" and text.startswith(("move ", "end ", "game ")):
                    watcher.send(text, self.now)

    def _greet(self, line: LinkLine, text: str) -> None:
        """The first line of somebody at the door."""
        role, token, why = self.doorkeeper.answer(text, line.address, self.now)
        is_back = token == self.token
        if role == "join" and self.other is not None and not is_back:
            why = "taken"
        if role == "watch" and sum(other.role == "watch" for other in self.all_lines) >= MAX_WATCHERS:
            why = "full"
        if why:
            line.send(f"no {why} {LINK_VERSION}", self.now)
            line.is_closing = True
            if self.doorkeeper.is_beaten and self._is_waiting:
                self.give_up("guessed")
            return
        line.role = role
        line.send(f"welcome {self.token if role == 'join' else '-'}", self.now)
        if role == "watch":
            assert self.correspondent.record is not None
            line.send(self.correspondent.record.line(), self.now)
            return
        if self.other is not None:
            self.drop(self.other)
        self.other = line

    def _begin(self, text: str) -> None:
        """The guest tells what it remembers, and the game goes on."""
        if not text.startswith("have "):
            raise ProtocolError("expected have none or have <game>")
        memory = text[len("have "):]
        other = None if memory == "none" else parse_record(memory)
        self._is_waiting = False
        if not self.may_watch:
            self._close_door()
        self.correspondent.meet(other)

    def lose(self, line: LinkLine, key: str, **values: Any) -> None:
        is_other = line is self.other
        self.drop(line)
        if not is_other:
            return
        if self.nonsense >= MAX_NONSENSE:
            self.give_up("nonsense")
        else:
            self.wait(key, **values)


class GuestLink(Link):
    """The end that joins or watches; a line that is lost is tried again."""

    def __init__(self, correspondent: Correspondent, source: BinaryIO, address: str, code: str) -> None:
        super().__init__(correspondent, source)
        self.address, self.code = address, code
        self.token = "-"
        #: Whether the host has taken the code on this line, whether it ever has, and how often it was lost before.
        self._is_welcome = self._was_welcome = False
        self._lost_early = 0
        #: What has come of the attempt to connect: a socket, or what has gone wrong.
        self._attempts: "queue.Queue[Any]" = queue.Queue()
        self._is_connecting = False
        self._next_at = 0.0
        self._pause = RETRY_SECONDS[0]
        self._gives_up_at = math.inf
        self._is_shown = False

    def look_at_clock(self) -> None:
        if not self._is_shown:
            self._is_shown = True
            self.correspondent.state("connecting", "connecting", address=self.address)
        is_ready = self.correspondent.record is not None or self.correspondent.side is None
        if self.other is None and not self._is_connecting and is_ready and self.now >= self._next_at:
            if self.now > self._gives_up_at:
                self.fail("gave_up")
            else:
                self._is_connecting = True
                threading.Thread(target=self._connect, daemon=True).start()
        try:
            attempt = self._attempts.get_nowait()
        except queue.Empty:
            pass
        else:
            self._is_connecting = False
            self._arrive(attempt)
        if self.other and not self._is_welcome and self.now - self.other.began_at > GREETING_SECONDS:
            self.lose(self.other, "lost")
        self.ping()

    def _connect(self) -> None:
        """Try to connect, in a thread of its own: names and silent computers take their time."""
        import socket
        place = split_address(self.address)
        try:
            if place is None:
                raise socket.gaierror
            self._attempts.put(socket.create_connection(place, GREETING_SECONDS))
        except (OSError, UnicodeError) as error:
            is_name = isinstance(error, (socket.gaierror, UnicodeError))
            is_nobody = isinstance(error, ConnectionRefusedError)
            self._attempts.put("no_address" if is_name else "nobody" if is_nobody else "unreachable")

    def _arrive(self, attempt: "Union[str, socket.socket]") -> None:
        if isinstance(attempt, str):
            if self._was_welcome:
                self._try_later()
            else:
                self.fail(attempt)
            return
        self.other = LinkLine(attempt, self.address, self.correspondent.role, self.now)
        self.all_lines.append(self.other)
        self._is_welcome = False
        if self._was_welcome and self._gives_up_at == math.inf:
            self._gives_up_at = self.now + WAITING_SECONDS
        self.other.send(f"agon-link {LINK_VERSION} {self.correspondent.role} {self.code} {self.token}", self.now)

    def _try_later(self) -> None:
        self._next_at = self.now + self._pause
        self._pause = min(2 * self._pause, RETRY_SECONDS[1])

    def fail(self, key: str, **values: Any) -> None:
        """Try no more, and say why."""
        self._next_at = math.inf
        self.correspondent.state("failed", key, **{"address": self.address, **values})

    def retry(self) -> None:
        if self._next_at == math.inf:
            self._next_at, self._pause, self._gives_up_at = 0.0, RETRY_SECONDS[0], math.inf
            self.nonsense = self._lost_early = 0
            self._is_shown = False

    def hear(self, line: LinkLine, text: str) -> None:
        words = text.split()
        if text == "ping":
            pass
        elif text == "bye":
            self.drop(line)
            self.fail("left")
        elif not self._is_welcome:
            self._be_received(line, words)
        elif not self.correspondent.is_joined and words[:1] != ["game"]:
            raise ProtocolError("expected game")
        else:
            self.correspondent.hear_other(text)
            self._pause, self._gives_up_at = RETRY_SECONDS[0], math.inf

    def _be_received(self, line: LinkLine, words: List[str]) -> None:
        """The host's answer to the greeting."""
        if len(words) == 2 and words[0] == "welcome":
            self._is_welcome = self._was_welcome = True
            self.token = words[1][:32]
            if self.correspondent.role == "join":
                record = self.correspondent.record
                line.send(f"have {record.line() if record else 'none'}", self.now)
        elif len(words) == 3 and words[0] == "no" and words[1] in REFUSALS:
            self.drop(line)
            if words[1] == "taken" and self.correspondent.has_met:
                self._try_later()  # the host does not know yet that the old line is lost
            else:
                self.fail(words[1])
        else:
            self.drop(line)
            self.fail("no_agon")

    def lose(self, line: LinkLine, key: str, **values: Any) -> None:
        self.drop(line)
        self._lost_early += 1
        if self.nonsense >= (MAX_NONSENSE if self.correspondent.has_met else 1):
            self.fail(key, **values)
        elif not self._was_welcome and self._lost_early >= EARLY_TRIES:
            self.fail("no_agon")
        elif not self.correspondent.has_met:
            self._try_later()
        else:
            self.correspondent.state("waiting", key, **values)
            self._try_later()


def link(options: argparse.Namespace) -> None:
    """Be the other computer's player in a window: wait for it, join it where it waits, or watch.

    Speaks the player protocol on standard input and output and one line for each move with the other computer. It
    listens only when told to `wait`, and only until somebody has joined or, with --watchers, until the end.
    """
    speak_utf_8()

    def tell(text: str) -> None:
        print(text, flush=True)

    def send(text: str) -> None:
        end.send_all(text)

    side = SIDE_WORDS.index(options.side) if options.side else WHITE if options.role == "host" else None
    correspondent = Correspondent(options.role, side, tell, send)
    source = sys.stdin.buffer
    end: Link = (HostLink(correspondent, source, options.address, options.port, options.watchers)
                 if options.role == "host" else GuestLink(correspondent, source, options.address, options.code))
    try:
        end.run()
    except OSError as error:
        if not is_closed_pipe(error):
            raise


# --- 17. Command line ------------------------------------------------------------


def analyse(options: argparse.Namespace) -> None:
    """Print what the search finds out about a position, depth by depth."""
    position = Position.start() if options.position == "start" else Position.from_text(options.position)

    def report(analysis: Analysis) -> None:
        for number in range(1, len(analysis.lines) + 1) if options.multipv > 1 else [0]:
            print(info_line(analysis, number), flush=True)

    limited = options.depth or options.nodes
    seconds = options.seconds if options.seconds is not None or limited else LEVELS[-1].seconds
    game = Game(position)
    if options.explain:
        for line in explanation_lines(position):
            print(line, flush=True)
    outcome = game.outcome()
    if outcome:
        print(f"The game is over. {outcome.reason.value}")
        return
    analysis = search(game, seconds, options.depth, options.nodes, None, report, options.multipv)
    print(f"best move {position.describe(analysis.move)}, score {score_text(analysis.score)} for "
          f"{'Black' if position.turn else 'White'}")
    why = reason(game, analysis.move, analysis.score) if options.explain else None
    if why:
        print(f"It {reason_text(why)}.")


def show_tree(options: argparse.Namespace) -> None:
    """Print the tree of a minimax search, one line for each position, values in guard's steps for White.

    Then the moves that both sides are expected to play, and how many positions there are without and with alpha-beta.
    """
    position = Position.start() if options.position == "start" else Position.from_text(options.position)
    rules = Rules(**{field: getattr(options, field) == "on" for field in Rules._fields})
    for line in tree_answer(position, options.depth, rules, options.plain, options.order):
        print(line)


#: The moves after which a printed game has a board, unless others are named: every tenth, and the last.
BOARD_MOVES = 10


def sheet(options: argparse.Namespace) -> None:
    """Make pages to print: the rules, puzzles, a game, or an empty board, as HTML that any browser prints on A4 paper.

    Puzzles come from a collection such as those in the folder classroom; positions
    and games of any other file stand there to be thought about.
    """
    language = options.language or system_language()
    classroom = os.path.join(HERE, "classroom")
    if options.what == "board":
        text = board_sheet(language)
    elif options.what == "rules":
        text = rules_sheet(load_lessons(options.file or os.path.join(classroom, "rules.agon")), language)
    elif options.what == "game":
        if not options.file:
            options.fail("a game needs its file: sheet game GAME.agon")
        game = Game.load(options.file)
        outcome = game.outcome()
        ending = outcome.reason.value if outcome and language == "en" else ""
        text = game_sheet(game, board_plies(game, options.moves), language, ending)
    else:
        games = load_games(options.file or os.path.join(classroom, "puzzles.agon"))
        if any("Kind" in game.headers for game in games):
            lessons = [lesson for lesson in lessons_of(games) if options.theme in ("", lesson.theme)]
            tasks = puzzle_tasks(lessons, language)
        else:
            tasks = position_tasks([game.position for game in games], language)
        if not tasks:
            options.fail(f"there are no puzzles {options.theme} in this file")
        text = puzzle_sheet(tasks, language)
    if options.out:
        write_safely(options.out, text)
    else:
        print(text, end="")


def board_plies(game: Game, moves: Sequence[int] = ()) -> List[int]:
    """After how many moves of both sides a printed game has a board: where the list of moves has these numbers.

    Without numbers: after every tenth move of the list, and after the last one.
    """
    wanted = moves or range(BOARD_MOVES, game.move_number(), BOARD_MOVES)
    plies = {min(game.ply, max(0, 2 * number - game.start.turn)) for number in wanted}
    return sorted(plies if moves else plies | {game.ply})


#: The exit code of a command that Ctrl-C has ended.
INTERRUPTED = 130


def _count(text: str) -> int:
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 up")
    return int(text)


def _numbers(text: str) -> List[int]:
    return [_count(number) for number in text.split(",")]


def _openings(text: str) -> int:
    if not re.fullmatch(r"[0-9]|[1-3][0-9]|40", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 40")
    return int(text)


def _seed(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,15}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at most 15 digits")
    return int(text)


def _port(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text, re.ASCII) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port from 0 to 65535")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return seconds


def _clock(text: str) -> TimeControl:
    """The time for a game, such as '5+3': five minutes, and three seconds for each move."""
    match = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,2})?)(?:\+([0-9]{1,3}))?", text, re.ASCII)
    seconds = round(60 * float(match.group(1))) if match else 0
    if not match or not seconds:
        raise argparse.ArgumentTypeError(f"{text} is no time such as 5+3: minutes, and seconds for each move")
    return TimeControl(seconds, int(match.group(2) or 0))


def _file_to_write(text: str) -> str:
    folder = os.path.dirname(os.path.abspath(text))
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text}: there is no folder {folder} that can be written to")
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="agon_ai.py", description="The computer player of Agon.")
    commands = parser.add_subparsers(dest="command", metavar="command", required=True)
    for add in (_add_engine, _add_games, _add_link, _add_positions, _add_sheet, _add_learning):
        add(commands)
    return parser


def _add_engine(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The commands about one program."""
    command = commands.add_parser("serve", help="speak the engine protocol on standard input and output",
                                  description="Speak the engine protocol on standard input and output.")
    command.set_defaults(run=serve_here)

    command = commands.add_parser("bench", help="measure the speed", description=bench.__doc__)
    command.add_argument("--seconds", type=_seconds, default=1.0, help="time for each position (default 1)")
    command.set_defaults(run=bench)

    command = commands.add_parser(
        "check", help="try a player of one's own on the whole protocol", description=check.__doc__,
        epilog="A fault loses games; a note is worth knowing. The exit code is 1 if there are faults.")
    command.add_argument("program", metavar="PLAYER", help="the command that starts the player, such as hopper.py")
    command.set_defaults(run=check)


def _add_games(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The commands that play games."""
    games = argparse.ArgumentParser(add_help=False)
    games.add_argument("--movetime", type=_count, default=100, help="milliseconds for each move (default 100)")
    games.add_argument("--nodes", type=_count, help="positions to look at for each move, instead of a time: "
                       "level 8 then plays the same match on any machine")
    games.add_argument("--clock", type=_clock, default=TimeControl(), metavar="MINUTES+SECONDS",
                       help="in place of a limit for each move: minutes for the whole game, and seconds more for each "
                       "move, such as 1+2 or 0.5; who runs out of time loses")
    games.add_argument("--jobs", type=_count, default=1, help="games at the same time (default 1)")
    games.add_argument("--openings", type=_openings, default=4, metavar="PLIES",
                       help="random moves at the start, the same for both games of a pair (default 4)")
    games.add_argument("--seed", type=_seed, default=1, help="seed of the openings and the levels (default 1)")
    games.add_argument("--save", metavar="FILE", type=_file_to_write,
                       help="save the games under this name with their numbers, such as FILE-001.agon; in a "
                       "tournament FILE-1-2-001.agon")

    command = commands.add_parser(
        "match", parents=[games], help="let two engines play each other", description=play_match.__doc__,
        epilog="Engines: level1 to level8; level8-scout-threat is level 8 without these ideas of the search or the "
               "evaluation; anything else is the command of a program that speaks the protocol. Levels below 8 "
               "keep their own limits. An engine that crashes, hangs or plays an illegal move loses the game.")
    command.add_argument("a", metavar="A", help="the first engine")
    command.add_argument("b", metavar="B", help="the second engine")
    command.add_argument("--games", type=_count, default=20, help="number of games (default 20)")
    command.set_defaults(run=play_match)

    command = commands.add_parser("tournament", parents=[games], help="let several engines play each other",
                                  description=play_tournament.__doc__)
    command.add_argument("engines", metavar="ENGINE", nargs="+", help="levels or commands, as in match")
    command.add_argument("--page", metavar="FILE", type=_file_to_write,
                         help="keep a page (HTML) of the tournament up to date, a table (CSV) and the games beside it")
    command.add_argument("--language", choices=("de", "en"),
                         help="of the page and of what is printed (default: the system's)")
    command.add_argument("--rounds", type=_count, default=1,
                         help="how often everyone plays everyone, twice (default 1)")
    command.add_argument("--live", action="store_true", help="speak the engine protocol with a window, and tell it all "
                         "that happens, a line for each move; programs that do not start are left out")
    command.set_defaults(run=play_tournament)


def _add_positions(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The commands that look at positions and games."""
    command = commands.add_parser("analyse", help="look for the best move in a position",
                                  description=analyse.__doc__)
    command.add_argument("position", metavar="POSITION", help="such as 'Qf1 a5 ... / Qf11 a2 ... w', or start")
    command.add_argument("--seconds", type=_seconds, help="time limit (default 3, without another limit)")
    command.add_argument("--depth", type=_count, help="plies to look ahead")
    command.add_argument("--nodes", type=_count, help="positions to look at")
    command.add_argument("--multipv", type=_count, default=1, metavar="LINES", help="number of lines (default 1)")
    command.add_argument("--explain", action="store_true",
                         help="first the parts of the evaluation, at last what the best move is good for")
    command.set_defaults(run=analyse)

    command = commands.add_parser("review", help="name the mistakes in a game", description=review.__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("file", metavar="GAME", help="a game file, such as game.agon")
    command.add_argument("--side", choices=("white", "black", "both"), default="both", help="whose (default both)")
    command.add_argument("--seconds", type=_seconds, help="time for each position")
    command.add_argument("--nodes", type=_count,
                         help=f"positions to look at for each move (default {REVIEW_NODES}, without --seconds)")
    command.add_argument("--out", metavar="FILE", type=_file_to_write,
                         help="write the game with marks, comments and variations into this file")
    command.set_defaults(run=review)

    command = commands.add_parser(
        "tree", help="print a minimax tree", description=show_tree.__doc__,
        epilog="A line reads: node 0.3.1 e7-e6 value <= +3.40 alpha +3.40 beta inf nodes 7 best c1-c2 cut d5-d6. "
               "0.3.1 is the first reply to the third move; <= and >= mark values that the moves cut off could still "
               "change; #2 and #-2 are a win of White and of Black in two moves.")
    command.add_argument("position", metavar="POSITION", help="such as 'Qf1 a5 ... / Qf11 a2 ... w', or start")
    command.add_argument("--depth", type=int, default=2, choices=range(1, TREE_DEPTH + 1),
                         help="plies to look ahead (default 2)")
    command.add_argument("--plain", action="store_true", help="without alpha-beta")
    command.add_argument("--order", choices=ORDERS, default="rules",
                         help="look at the moves as the rules list them (default), at those that look good or bad "
                         "first, or by lot: alpha-beta saves the more the better the order")
    for field, is_on in DEFAULT_RULES._asdict().items():
        command.add_argument(f"--{field.replace('_', '-')}", choices=("on", "off"), default="on" if is_on else "off",
                             help=f"rule option (default {'on' if is_on else 'off'})")
    command.set_defaults(run=show_tree)


def _add_sheet(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command that makes pages to print."""
    command = commands.add_parser("sheet", help="make pages to print", description=sheet.__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("what", choices=("rules", "puzzles", "game", "board"))
    command.add_argument("file", metavar="FILE", nargs="?", default="",
                         help="a game or a collection (default: classroom/)")
    command.add_argument("--theme", default="", help="only the puzzles of this theme, such as trap")
    command.add_argument("--moves", type=_numbers, default=[], metavar="10,20",
                         help="the moves after which a game has a board (default: every tenth and the last)")
    command.add_argument("--language", choices=LANGUAGES, help="of the pages (default: the system's)")
    command.add_argument("--out", metavar="FILE", type=_file_to_write, help="write the pages into this file")
    command.set_defaults(run=sheet, fail=command.error)


def _add_learning(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The commands that learn from games of the program against itself."""
    command = commands.add_parser(
        "learn", help="learn the weights of the evaluation", description=learn.__doc__,
        epilog="An hour on two cores is about 400 games of 2000 positions a move.")
    command.add_argument("--rounds", type=_count, default=2,
                         help="how often to play anew with what has been learnt (default 2)")
    command.add_argument("--games", type=_count, default=200, help="games in each round (default 200)")
    command.add_argument("--nodes", type=_count, default=2000, help="positions to look at for each move (default 2000)")
    command.add_argument("--jobs", type=_count, default=os.cpu_count() or 1,
                         help="games at the same time (default: one for each core)")
    command.add_argument("--seed", type=_seed, default=1, help="other games with another seed (default 1)")
    command.add_argument("--file", metavar="FILE", type=_file_to_write, default="learn.jsonl",
                         help="keeps the games (default learn.jsonl)")
    command.add_argument("--beginner", action="store_true",
                         help="begin with what a beginner knows, not with the numbers that stand in this file")
    command.add_argument("--write", action="store_true", help="write the weights into this program's file")
    command.set_defaults(run=learn)

    command = commands.add_parser("curve", help="fit the chance of winning to the score", description=curve.__doc__)
    command.add_argument("--games", type=_count, default=60, help="number of games (default 60)")
    command.add_argument("--nodes", type=_count, default=400, help="positions to look at for each move (default 400)")
    command.add_argument("--seed", type=_seed, default=1, help="other games with another seed (default 1)")
    command.set_defaults(run=curve)

    command = commands.add_parser(
        "puzzles", help="find puzzles", description=find_puzzles.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("out", metavar="FILE", type=_file_to_write, help="the file to write, such as puzzles.agon")
    command.add_argument("--games", type=_count, default=189, help="number of games to look through (default 189)")
    command.add_argument("--seed", type=_seed, default=1, help="other games with another seed (default 1)")
    command.add_argument("--jobs", type=_count, default=os.cpu_count() or 1,
                         help="games at the same time (default: one for each core)")
    command.add_argument("--found", metavar="FILE", type=_file_to_write, default="puzzles.jsonl",
                         help="keeps what each game holds (default puzzles.jsonl)")
    command.set_defaults(run=find_puzzles)


def _add_link(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command that lets two computers play each other, in its three roles."""
    command = commands.add_parser("link", help="let two computers play each other",
                                  description=link.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    roles = command.add_subparsers(dest="role", metavar="role", required=True)
    role = roles.add_parser("host", help="wait for the other computer")
    role.add_argument("--side", choices=SIDE_WORDS, default="white", help="played at this window (default white)")
    role.add_argument("--watchers", action="store_true", help="let others watch, and listen for them until the end")
    role.add_argument("--address", default="", help="listen at this address only, such as 127.0.0.1")
    role.add_argument("--port", type=_port, default=LINK_PORT,
                      help=f"listen at this port; 0 is any (default {LINK_PORT} or one of the next)")
    for name, purpose in (("join", "join the other computer, which waits"), ("watch", "watch a game")):
        role = roles.add_parser(name, help=purpose)
        role.add_argument("address", metavar="ADDRESS", help="such as 192.168.1.20 or 192.168.1.20:18421")
        role.add_argument("code", metavar="CODE", help="the four digits on the other screen")
        role.add_argument("--side", choices=SIDE_WORDS if name == "join" else (), help="to go on with a game: the side "
                          "played at this window" if name == "join" else argparse.SUPPRESS)
    command.set_defaults(run=link)


def is_closed_pipe(error: OSError) -> bool:
    """Whether writing has failed because nobody reads any more; Windows calls that an invalid argument."""
    return isinstance(error, BrokenPipeError) or sys.platform == "win32" and error.errno == errno.EINVAL


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run a command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # what the system's code page lacks becomes a question mark
            stream.reconfigure(errors="replace")
    options = _parser().parse_args(arguments)
    try:
        code: Optional[int] = options.run(options)
        sys.stdout.flush()
        return code or 0
    except (AgonError, ProtocolError, EngineFailure) as error:
        print(f"agon_ai.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if not is_closed_pipe(error):
            raise
        # Who reads has seen enough, as in `| head -1`; nothing is left to be flushed at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
