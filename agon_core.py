"""The rules of Agon: cells, positions, moves, whole games and their text forms.

Agon is played on 91 hexagons: the throne in the middle and five rings around
it.  Each side has a queen and six guards.  A piece steps along its ring or
inwards, never outwards.  A piece in a straight line between two enemies is
trapped and must be relocated.  The side that seats its queen on the throne
with all six guards around her wins.

    >>> game = Game()
    >>> position = game.play(Move.from_text("a5-b5"))
    >>> str(position)
    'Qf1 b1 b5 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2 b'
    >>> len(position.legal_moves())
    27

Contents
    1. Vocabulary   sides, cells, bitboards, rule options, errors
    2. Tables       directions, rings, steps: all computed from coordinates
    3. Sandwich     the one idea that makes the game
    4. Changes      what the side to move may do, in bits
    5. Move         a move as people write it
    6. Position     an immutable position: legal moves, refusals, text
    7. Perft        counting move sequences, the classic test of the rules
    8. Game         a start and its moves: undo, outcome, repetition
    9. Game files   the .agon text format, one game or several in a text
   10. Disk         reading and writing files so that nothing is lost
   11. Forced wins  who can win in a few moves against every defence
   12. Lessons      what a page of the tour or a puzzle asks for
   13. Geometry     cells to pixels and back
   14. Pictures     the shapes of pieces and marks, and positions as SVG
   15. Paper        pages to print: rules, puzzles, a game, an empty board
"""

import html
import math
import os
import re
import stat
import textwrap
import time
from enum import Enum
from functools import lru_cache, partial
from typing import BinaryIO, Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

# --- 1. Vocabulary ---------------------------------------------------------------

WHITE, BLACK = 0, 1
SIDE_LETTERS = ("w", "b")

#: A cell is a small int, and at the same time the number of its bit in a bitboard.
#: With axial coordinates q (file, -5 to 5) and r (downwards, -5 to 5) it is
#: THRONE + q * COLUMN + r * ROW.  The board is 11 cells wide; the stride of 12
#: leaves one column empty, so that a shift never runs from one edge onto the other.
Cell = int
#: A set of cells: bit `cell` is set when the cell belongs to it.
Bits = int

RADIUS = 5
COLUMN, ROW = 1, 12
THRONE: Cell = RADIUS * ROW
FILES = "abcdefghikl"


class Rules(NamedTuple):
    """The rule options of a game; the defaults are the usual game."""

    #: With queen and guards trapped, the queen must be relocated first.
    queen_first: bool = False
    #: Six own guards round a throne without the own queen lose the game.
    empty_throne_loses: bool = True
    #: The queens stand alone at first, and the sides place their guards on ring 5, one after the other.
    placement: bool = False


DEFAULT_RULES = Rules()


class Refusal(Enum):
    """Why a move is illegal, as a sentence."""

    GAME_OVER = "The game is over."
    NO_PASS = "Only a side that cannot move at all may pass."
    NO_PIECE = "There is no piece on that cell."
    NOT_YOURS = "That piece belongs to the other side."
    SAME_CELL = "The piece is already there."
    TAKEN = "That cell is taken; pieces are never captured."
    TRAPPED_FIRST = "A trapped piece must be relocated first."
    QUEEN_FIRST = "The trapped queen must be relocated first."
    OUTER_RING = "A trapped guard must go to the outer ring."
    NOT_TO_THRONE = "A relocated queen may go anywhere except on the throne."
    TOO_FAR = "A piece moves only one step."
    OUTWARDS = "No piece steps outwards: only along its ring or inwards."
    THRONE_IS_QUEENS = "Only a queen may step on the throne."
    SELF_ENCLOSURE = "There the piece would stand between two enemies: self-enclosure is forbidden."
    PLACE_FIRST = "First you place all six guards; only then do your pieces move."
    PLACED_OUTSIDE = "A guard is placed on the outer ring."
    NONE_TO_PLACE = "There is no guard to be placed: yours stand on the board already."


class Ending(Enum):
    """How a game has ended, as a sentence."""

    THRONE = "The queen is on the throne, all six guards around her."
    EMPTY_THRONE = "Six guards stand round a throne without their queen: that loses."
    BLOCKED = "Neither side can move any more."
    REPETITION = "The same position for the third time."
    QUIET = "100 moves without a step inwards or a relocation."
    RESIGNATION = "The other side has resigned."
    TIME = "Time has run out."
    AGREEMENT = "A draw was agreed."


class Outcome(NamedTuple):
    """The end of a game: the winning side (None in a draw) and the reason."""

    winner: Optional[int]
    reason: Ending

    @property
    def result(self) -> str:
        """The result as written in game files."""
        return {WHITE: "1-0", BLACK: "0-1", None: "1/2-1/2"}[self.winner]


#: The sentences of AgonError, by code.  A program in another language
#: translates the code and fills in `error.details`.
ERROR_TEXTS = {
    "bad_cell": '"{token}" is not a cell; expected a file letter a to l (without j) and a rank, such as f6',
    "bad_move": '"{token}" is not a move; expected one such as a5-b5, Qf1-f2, e5*a1 or --',
    "illegal_move": '"{token}" is not possible: {reason}',
    "bad_position": '"{token}" was not expected in a position; expected {expected}',
    "taken_twice": '"{token}": this cell is already taken',
    "too_many": '"{token}": a side has one queen and six guards at most',
    "guard_on_throne": '"{token}": only a queen may stand on the throne',
    "bad_header": '"{token}" is not a header line; expected [Name "value"]',
    "repeated_header": "the header {token} is there twice; the next game begins behind a result (* if it has none)",
    "bad_format": '"{token}" is not a format number; expected 1',
    "newer_format": "the file has format {token}, this program reads format 1; please use a newer Agon",
    "bad_rules": '"{token}" is not a rule option; expected one of {expected}, followed by =on or =off',
    "bad_result": '"{token}" is not a result; expected 1-0, 0-1, 1/2-1/2 or *',
    "bad_ply": 'the header Ply says "{token}"; expected how many of the {expected} moves are on the board',
    "other_result": "the result {token} contradicts {expected}, to which the moves or the header lead",
    "cut_off": "the file ends before the result {token} that its header announces; it seems to be cut off",
    "after_end": '"{token}" comes after the end of the game',
    "open_comment": "the comment beginning here is never closed; expected }}",
    "bad_variation": '"{token}" is not possible here: a variation in parentheses stands behind the move it replaces, '
                     "and holds one move at least",
    "open_variation": "the variation beginning here is never closed; expected )",
    "no_game": "there is no game in this text; expected moves such as 1. a5-b5 d1-d2",
    "several_games": "there are {token} games in this text; expected one",
    "too_big": "this is too big for a game ({token} bytes; at most {expected})",
    "not_text": "the file is not UTF-8 text; expected an .agon game",
    "is_folder": "this is a folder, not a file",
    "not_a_file": "this is a pipe or a device, not a file",
    "own_file": "here the program keeps something for itself; please choose another name",
    "write_protected": "the file is write-protected; please choose another name",
    "unreadable": "cannot be read: {reason}",
    "unwritable": "cannot be written: {reason}",
    "missing_header": "this page has no header {token}; expected [{token} \"...\"]",
    "bad_kind": '"{token}" is not a kind of page; expected {expected}',
    "bad_goal": '"{token}" is not a goal; expected {expected}',
    "bad_number": 'the header {name} says "{token}"; expected a number from 1 on',
    "bad_reply": 'the header Reply says "{token}"; expected at most one move between two goals',
    "bad_hold": "the goal hold stands alone in a small game, which also needs Rival (what is to be prevented) and "
                "Moves",
    "no_small_game": "nobody could play from here: each side needs a piece, and the game must not have ended",
}


def visible(text: str, length: int = 40) -> str:
    """A text of at most this many characters for a message, invisible characters named as U+200B and so on."""
    shown = text if len(text) <= length else text[:length - 3] + "..."
    return "".join(letter if letter.isprintable() else f"U+{ord(letter):04X}" for letter in shown)


class AgonError(ValueError):
    """Something a person typed or loaded is wrong; the message says what to do.

    `code` is a key of ERROR_TEXTS, `details` fills its blanks; `line` (from 1)
    and `path` tell the place when text came from a file.
    """

    def __init__(self, code: str, token: object = "", **details: object) -> None:
        self.code = code
        self.details: Dict[str, object] = {"token": visible(str(token)), **details}
        self.line: Optional[int] = None
        self.path: Optional[str] = None
        super().__init__(code)

    def at(self, line: Optional[int] = None, path: Optional[str] = None) -> "AgonError":
        """The same error with its place filled in."""
        self.line = self.line or line
        self.path = self.path or path
        return self

    def __str__(self) -> str:
        place = [self.path] if self.path else []
        place += [f"line {self.line}"] if self.line else []
        return ": ".join(place + [ERROR_TEXTS[self.code].format(**self.details)])


class IllegalMove(AgonError):
    """The move can be read, but the rules forbid it; `refusal` says why."""

    def __init__(self, move: "Move", refusal: Refusal) -> None:
        super().__init__("illegal_move", move, reason=refusal.value)
        self.refusal = refusal


# --- 2. Tables -------------------------------------------------------------------

#: The three straight lines through a cell; a line's other direction is its negative.
LINES = (COLUMN, ROW, ROW - COLUMN)
DIRECTIONS = tuple(sign * line for line in LINES for sign in (1, -1))


def axial(cell: Cell) -> Tuple[int, int]:
    """The axial coordinates (q, r) of a cell, the throne being (0, 0)."""
    r, q = divmod(cell - THRONE + RADIUS * COLUMN, ROW)
    return q - RADIUS, r


def _distance(q: int, r: int) -> int:
    """Steps from the throne to (q, r) (source: the cube distance of hexagonal grids)."""
    return max(abs(q), abs(r), abs(q + r))


#: All 91 cells, from the top of the board down.
CELLS: Tuple[Cell, ...] = tuple(
    THRONE + q * COLUMN + r * ROW
    for r in range(-RADIUS, RADIUS + 1) for q in range(-RADIUS, RADIUS + 1)
    if _distance(q, r) <= RADIUS)
_CELL_SET: FrozenSet[Cell] = frozenset(CELLS)

#: Ring number by cell (None where the padded board has no cell).
RING: Tuple[Optional[int], ...] = tuple(
    _distance(*axial(cell)) if cell in _CELL_SET else None for cell in range(CELLS[-1] + 1))


def bits(cells: Sequence[Cell]) -> Bits:
    """The set of these cells as a bitboard."""
    return sum(1 << cell for cell in set(cells))


def cells_of(board: Bits) -> Iterator[Cell]:
    """The cells of a bitboard, in ascending order."""
    while board:
        lowest = board & -board
        yield lowest.bit_length() - 1
        board ^= lowest


#: Number of cells in a bitboard (a method of int from Python 3.10 on).
popcount = getattr(int, "bit_count", None) or (lambda board: bin(board).count("1"))

BOARD = bits(CELLS)
RINGS: Tuple[Bits, ...] = tuple(
    bits([cell for cell in CELLS if RING[cell] == number]) for number in range(RADIUS + 1))
THRONE_BIT = RINGS[0]
INNER = RINGS[1]
#: The throne and the six cells round it, which the winner holds.
WINNING_CELLS: Tuple[Cell, ...] = tuple(cell for cell in CELLS if (1 << cell) & (THRONE_BIT | INNER))
OUTER = RINGS[RADIUS]


def _neighbours(cell: Cell) -> Tuple[Cell, ...]:
    return tuple(cell + d for d in DIRECTIONS if cell + d in _CELL_SET)


def _subsets(cells: Sequence[Cell]) -> Iterator[Tuple[Cell, ...]]:
    for chosen in range(1 << len(cells)):
        yield tuple(cell for i, cell in enumerate(cells) if chosen >> i & 1)


#: By cell: the neighbouring cells.
NEIGHBOURS: Dict[Cell, Tuple[Cell, ...]] = {cell: _neighbours(cell) for cell in CELLS}
#: By cell: where a step may lead: the same ring or the next inner one.
STEPS: Dict[Cell, Tuple[Cell, ...]] = {
    cell: tuple(to for to in near if RING[to] <= RING[cell])  # type: ignore[operator]
    for cell, near in NEIGHBOURS.items()}
#: The same by the cell's bit, as a bitboard.
STEP_BITS: Dict[Bits, Bits] = {1 << cell: bits(targets) for cell, targets in STEPS.items()}
#: By the cell's bit and the set of open targets: the ready-made changes (see section 4).
#: A look-up in place of a loop over targets makes the search about a third faster.
STEP_CHANGES: Dict[Bits, Dict[Bits, Tuple[Bits, ...]]] = {
    1 << cell: {bits(open_cells): tuple(1 << cell | 1 << to for to in open_cells)
                for open_cells in _subsets(targets)}
    for cell, targets in STEPS.items()}
#: Each direction with the cells from which a step that way stays off the throne.
_DEPARTURES: Tuple[Tuple[int, Bits], ...] = tuple(
    (d, bits([cell for cell in CELLS if cell + d in STEPS[cell] and cell + d != THRONE]))
    for d in DIRECTIONS)


def cell_name(cell: Cell) -> str:
    """The name of a cell as in hexagonal chess.

    >>> cell_name(THRONE)
    'f6'
    """
    q, r = axial(cell)
    return f"{FILES[q + RADIUS]}{min(RADIUS, RADIUS - q) - r + 1}"


_CELL_BY_NAME: Dict[str, Cell] = {cell_name(cell): cell for cell in CELLS}


def parse_cell(text: str) -> Cell:
    """The cell with this name; AgonError if there is none."""
    if text not in _CELL_BY_NAME:
        raise AgonError("bad_cell", text)
    return _CELL_BY_NAME[text]


# --- 3. Sandwich -----------------------------------------------------------------

def between(pieces: Bits) -> Bits:
    """The cells that have one of `pieces` on both sides in a straight line.

    Shifting by a direction moves every piece one step at once, so one "and"
    per line finds all sandwiches of the whole board.  (The result may hold
    cells of the padding; they vanish in the "and" with any real cells.)
    """
    return (pieces << COLUMN & pieces >> COLUMN
            | pieces << ROW & pieces >> ROW
            | pieces << ROW - COLUMN & pieces >> ROW - COLUMN)


def enclosures(own: Bits, enemy: Bits, lines: Sequence[int] = LINES) -> Bits:
    """The cells an own piece may not go to, because enemies would enclose it there on one of these lines.

    A line on which the newcomer would in turn enclose both of these enemies
    (own, enemy, newcomer, enemy, own) does not count.  `own` is without the
    moving piece, which cannot be one of the outer two.
    """
    forbidden = 0
    for line in lines:
        flanked = enemy << line & enemy >> line
        if flanked:
            forbidden |= flanked & ~(own << 2 * line & own >> 2 * line)
    return forbidden


def flanked(own: Bits, landing: Bits) -> Bits:
    """The cells with an own piece on one side and a landing cell on the opposite side."""
    return (own << COLUMN & landing >> COLUMN | own >> COLUMN & landing << COLUMN
            | own << ROW & landing >> ROW | own >> ROW & landing << ROW
            | own << ROW - COLUMN & landing >> ROW - COLUMN | own >> ROW - COLUMN & landing << ROW - COLUMN)


def trapping_cells(own: Bits, enemy: Bits) -> Bits:
    """The cells from which a newly arrived own piece would trap an enemy together with another one."""
    # An enemy with an own piece on one side: the cell on its other side.
    return ((own << COLUMN & enemy) << COLUMN | (own >> COLUMN & enemy) >> COLUMN
            | (own << ROW & enemy) << ROW | (own >> ROW & enemy) >> ROW
            | (own << ROW - COLUMN & enemy) << ROW - COLUMN | (own >> ROW - COLUMN & enemy) >> ROW - COLUMN
            ) & ~(own | enemy)


# --- 4. Changes ------------------------------------------------------------------
# Everything here sees the board from the side to move: `own` pieces, `enemy`
# pieces, and `queens` of either side.  A move is a *change*: the two cells it
# alters, as a bitboard.  own ^ change plays it, own & change is where it comes
# from, and the empty change is a pass.  A guard that is placed comes from
# nowhere: its change is the one cell where it stands then.

PASS_CHANGE: Bits = 0
MAX_GUARDS = 6


def has_won(own: Bits, queens: Bits) -> bool:
    """Own queen on the throne and the own six guards on ring 1."""
    return own & INNER == INNER and bool(own & queens & THRONE_BIT)


def surrounds_empty_throne(own: Bits, queens: Bits) -> bool:
    """Own six guards on ring 1, but the own queen not on the throne."""
    guards = own & ~queens
    return guards & INNER == INNER and not own & queens & THRONE_BIT


def ring_ending(pieces: Bits, queens: Bits, rules: Rules) -> Optional[Ending]:
    """How a side's guards round the throne end the game: THRONE wins, EMPTY_THRONE loses; None while it goes on."""
    if pieces & INNER != INNER:
        return None
    if has_won(pieces, queens):
        return Ending.THRONE
    if rules.empty_throne_loses and surrounds_empty_throne(pieces, queens):
        return Ending.EMPTY_THRONE
    return None


def is_decided(own: Bits, enemy: Bits, queens: Bits, rules: Rules) -> bool:
    """Whether one side has won, or lost by the empty throne."""
    return ring_ending(own, queens, rules) is not None or ring_ending(enemy, queens, rules) is not None


def is_placing(own: Bits, queens: Bits, rules: Rules) -> bool:
    """Whether a side has to place guards before anything else; nothing leaves the board, so their number tells."""
    return rules.placement and popcount(own & ~queens) < MAX_GUARDS


def placement_cells(own: Bits, enemy: Bits) -> Bits:
    """Where a side may place a guard: on ring 5, and by the rule of self-enclosure."""
    return OUTER & ~(own | enemy | enclosures(own, enemy))


def must_relocate(own: Bits, enemy: Bits, queens: Bits, rules: Rules) -> Bits:
    """The trapped pieces of which one has to be relocated now; 0 when there is none, or guards are to be placed."""
    trapped = own & between(enemy)
    if trapped and is_placing(own, queens, rules):
        return 0
    if trapped and rules.queen_first and trapped & queens:
        return trapped & queens
    return trapped


def relocation_cells(piece: Bits, own: Bits, enemy: Bits, queens: Bits) -> Bits:
    """Where a trapped piece (its bit) may be put: a guard on ring 5, a queen off the throne."""
    region = BOARD ^ THRONE_BIT if piece & queens else OUTER
    return region & ~(own | enemy | enclosures(own ^ piece, enemy))


def step_cells(own: Bits, enemy: Bits) -> Bits:
    """The cells open to a step of an own piece, if it can reach them.

    The mover's own cell needs no care here: an outer piece of
    own-enemy-cell-enemy-own stands two cells away, out of reach of a step.
    """
    free = BOARD & ~(own | enemy)
    if free & between(enemy):
        free &= ~enclosures(own, enemy)
    return free


def possible_changes(own: Bits, enemy: Bits, queens: Bits, rules: Rules) -> List[Bits]:
    """All steps, or all relocations when a piece is trapped, or all placements; no passes, no look at the end."""
    if rules.placement and is_placing(own, queens, rules):
        return [1 << cell for cell in cells_of(placement_cells(own, enemy))]
    changes: List[Bits] = []
    trapped = must_relocate(own, enemy, queens, rules)
    if trapped:
        for cell in cells_of(trapped):
            piece = 1 << cell
            changes += [piece | 1 << to for to in cells_of(relocation_cells(piece, own, enemy, queens))]
        return changes
    open_cells = step_cells(own, enemy)
    open_to_guards = open_cells & ~THRONE_BIT
    rest = own
    while rest:
        piece = rest & -rest
        rest ^= piece
        reach = STEP_BITS[piece] & (open_cells if piece & queens else open_to_guards)
        changes += STEP_CHANGES[piece][reach]
    return changes


def count_possible(own: Bits, enemy: Bits, queens: Bits, rules: Rules) -> int:
    """len(possible_changes(...)), found without making the list: each direction counts at once."""
    if rules.placement and is_placing(own, queens, rules):
        return popcount(placement_cells(own, enemy))
    trapped = must_relocate(own, enemy, queens, rules)
    if trapped:
        return sum(popcount(relocation_cells(1 << cell, own, enemy, queens)) for cell in cells_of(trapped))
    open_cells = step_cells(own, enemy)
    queen_steps_up = own & queens & INNER and open_cells & THRONE_BIT
    count = 1 if queen_steps_up else 0
    for direction, departures in _DEPARTURES:
        leaving = own & departures
        arriving = leaving << direction if direction > 0 else leaving >> -direction
        count += popcount(arriving & open_cells)
    return count


def trapping_changes(own: Bits, enemy: Bits, queens: Bits, rules: Rules) -> List[Bits]:
    """The legal moves that trap an enemy piece which was not trapped before."""
    hits = trapping_cells(own, enemy)
    untrapped = enemy & ~between(own)
    return [change for change in legal_changes(own, enemy, queens, rules)
            if change & hits and untrapped & between(own ^ change)] if hits else []


def legal_changes(own: Bits, enemy: Bits, queens: Bits, rules: Rules) -> List[Bits]:
    """All legal moves: a pass when nothing else is possible, none when the game cannot go on."""
    if is_decided(own, enemy, queens, rules):
        return []
    changes = possible_changes(own, enemy, queens, rules)
    if not changes and count_possible(enemy, own, queens, rules):
        changes.append(PASS_CHANGE)
    return changes


# --- 5. Move ---------------------------------------------------------------------

_MOVE_TEXT = re.compile(r"(?:Q?([a-l][0-9]{1,2})[-*]|@)([a-l][0-9]{1,2})[+#]?")


class Move(NamedTuple):
    """A step or relocation from one cell to another; a placement has no source, and PASS has neither.

    >>> Move.from_text("Qf7-f6") == Move(parse_cell("f7"), parse_cell("f6"))
    True
    """

    source: Optional[Cell]
    target: Optional[Cell]

    @classmethod
    def from_text(cls, text: str) -> "Move":
        """Read the plain form or the form for people; AgonError if it is neither."""
        if text == "--":
            return PASS
        match = _MOVE_TEXT.fullmatch(text)
        if not match:
            raise AgonError("bad_move", text)
        source, target = match.groups()
        return cls(parse_cell(source) if source else None, parse_cell(target))

    @property
    def is_placement(self) -> bool:
        """Whether a guard is placed on the board."""
        return self.source is None and self.target is not None

    def __str__(self) -> str:
        if self.target is None:
            return "--"
        target = cell_name(self.target)
        return f"@{target}" if self.source is None else f"{cell_name(self.source)}-{target}"


PASS = Move(None, None)


def move_of(change: Bits, own: Bits) -> Move:
    """The move that a change of these own pieces means."""
    if change == PASS_CHANGE:
        return PASS
    source, target = change & own, change & ~own
    return Move(source.bit_length() - 1 if source else None, target.bit_length() - 1)


def change_of(move: Move) -> Bits:
    """The change that a move means."""
    if move.target is None:
        return PASS_CHANGE
    return 1 << move.target if move.source is None else 1 << move.source | 1 << move.target


# --- 6. Position -----------------------------------------------------------------

START_TEXT = "Qf1 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 d1 h1 k7 l2"


def _check_piece(piece: Bits, is_queen: bool, pieces: Bits, queens: Bits, token: str) -> None:
    """AgonError if this piece cannot join those of its side."""
    if piece == THRONE_BIT and not is_queen:
        raise AgonError("guard_on_throne", token)
    of_its_kind = pieces & queens if is_queen else pieces & ~queens
    if popcount(of_its_kind) == (1 if is_queen else MAX_GUARDS):
        raise AgonError("too_many", token)


class Position(NamedTuple):
    """Who stands where and who is to move; equal positions are equal for the rules."""

    #: All pieces of the side to move, and of the other side.
    own: Bits
    enemy: Bits
    #: The queens of both sides.
    queens: Bits
    #: The side to move, WHITE or BLACK.
    turn: int

    # -- making one --

    @classmethod
    def start(cls, turn: int = WHITE, rules: Rules = DEFAULT_RULES) -> "Position":
        """The starting position by these rules; White begins, or the side given."""
        return (_PLACEMENT_STARTS if rules.placement else _STARTS)[turn]

    @classmethod
    def from_text(cls, text: str) -> "Position":
        """Read 'Qf1 a5 ... / Qf11 a2 ... w' (rules: Notation); AgonError if it cannot be read."""
        pieces = [0, 0]
        queens = 0
        side = WHITE
        turn: Optional[int] = None
        for token in text.split():
            if turn is not None:
                raise AgonError("bad_position", token, expected="nothing after the side to move")
            if token == "/" and side == WHITE:
                side = BLACK
            elif token in SIDE_LETTERS and side == BLACK:
                turn = SIDE_LETTERS.index(token)
            elif token == "/" or token in SIDE_LETTERS:
                raise AgonError("bad_position", token, expected="white pieces / black pieces, then w or b")
            else:
                is_queen = token.startswith("Q")
                cell = _CELL_BY_NAME.get(token[1:] if is_queen else token)
                if cell is None:
                    raise AgonError("bad_cell", token)
                piece = 1 << cell
                if piece & (pieces[WHITE] | pieces[BLACK]):
                    raise AgonError("taken_twice", token)
                _check_piece(piece, is_queen, pieces[side], queens, token)
                pieces[side] |= piece
                queens |= piece if is_queen else 0
        if turn is None:
            raise AgonError("bad_position", "the end", expected="white pieces / black pieces, then w or b")
        return cls(pieces[turn], pieces[1 - turn], queens, turn)

    def with_piece(self, cell: Cell, side: int, is_queen: bool) -> "Position":
        """The position with a piece put on a cell, in place of what stands there; AgonError if that cannot be."""
        cleared = self.without_piece(cell)
        piece = 1 << cell
        _check_piece(piece, is_queen, cleared.pieces(side), cleared.queens, cell_name(cell))
        own, enemy = (piece, 0) if side == self.turn else (0, piece)
        queens = cleared.queens | (piece if is_queen else 0)
        return Position(cleared.own | own, cleared.enemy | enemy, queens, self.turn)

    def without_piece(self, cell: Cell) -> "Position":
        """The position with nothing on a cell."""
        keep = ~(1 << cell)
        return Position(self.own & keep, self.enemy & keep, self.queens & keep, self.turn)

    def with_turn(self, turn: int) -> "Position":
        """The same pieces with this side to move."""
        return self if turn == self.turn else Position(self.enemy, self.own, self.queens, turn)

    # -- looking at it --

    @property
    def is_complete(self) -> bool:
        """Whether both sides have all their seven pieces, as a game needs."""
        return all(popcount(pieces & self.queens) == 1 and popcount(pieces) == 1 + MAX_GUARDS
                   for pieces in (self.own, self.enemy))

    def pieces(self, side: int) -> Bits:
        """All pieces of a side."""
        return self.own if side == self.turn else self.enemy

    def side_at(self, cell: Cell) -> Optional[int]:
        """The side whose piece stands on the cell, or None."""
        if self.own >> cell & 1:
            return self.turn
        return 1 - self.turn if self.enemy >> cell & 1 else None

    def is_queen(self, cell: Cell) -> bool:
        """Whether a queen stands on the cell."""
        return bool(self.queens >> cell & 1)

    def progress(self, side: int) -> Tuple[int, bool]:
        """How far a side has come: its guards on ring 1 (0 to 6), and whether its queen sits on the throne."""
        pieces = self.pieces(side)
        return popcount(pieces & ~self.queens & INNER), bool(pieces & self.queens & THRONE_BIT)

    def queen_steps(self, side: int) -> Optional[int]:
        """How many steps a side's queen has to the throne at least: the number of her ring; None without a queen."""
        queen = self.pieces(side) & self.queens
        return RING[queen.bit_length() - 1] if queen else None

    def trapped(self) -> List[Cell]:
        """The mover's pieces that stand between two enemies, sorted by name."""
        return sorted(cells_of(self.own & between(self.enemy)), key=cell_name)

    def enclosers(self, cell: Cell) -> List[Cell]:
        """The enemies of the piece on a cell that enclose it, in pairs."""
        enemy = self.enemy if self.own >> cell & 1 else self.own
        return [cell + sign * line for line in LINES if 1 << cell & (enemy << line & enemy >> line) for sign in (1, -1)]

    def to_place(self, side: int, rules: Rules = DEFAULT_RULES) -> int:
        """How many guards a side has still to place."""
        return MAX_GUARDS - popcount(self.pieces(side) & ~self.queens) if rules.placement else 0

    def must_relocate(self, rules: Rules = DEFAULT_RULES) -> List[Cell]:
        """The trapped pieces of which one has to be relocated now, sorted by name."""
        return sorted(cells_of(must_relocate(self.own, self.enemy, self.queens, rules)), key=cell_name)

    def __str__(self) -> str:
        words: List[str] = []
        for side in (WHITE, BLACK):
            pieces = self.pieces(side)
            words += ["Q" + cell_name(cell) for cell in cells_of(pieces & self.queens)]
            words += sorted(cell_name(cell) for cell in cells_of(pieces & ~self.queens))
            words.append("/" if side == WHITE else SIDE_LETTERS[self.turn])
        return " ".join(words)

    # -- the rules --

    @lru_cache(maxsize=4096)  # a game asks more than once for the position on the board
    def outcome(self, rules: Rules = DEFAULT_RULES) -> Optional[Outcome]:
        """The end of the game as far as the position alone shows it, or None."""
        for side in (WHITE, BLACK):
            ending = ring_ending(self.pieces(side), self.queens, rules)
            if ending:
                return Outcome(side if ending is Ending.THRONE else 1 - side, ending)
        if not (count_possible(self.own, self.enemy, self.queens, rules)
                or count_possible(self.enemy, self.own, self.queens, rules)):
            return Outcome(None, Ending.BLOCKED)
        return None

    def legal_moves(self, rules: Rules = DEFAULT_RULES) -> List[Move]:
        """All legal moves: [PASS] when nothing else is possible, [] when the game cannot go on."""
        return [move_of(change, self.own)
                for change in legal_changes(self.own, self.enemy, self.queens, rules)]

    def refusal(self, move: Move, rules: Rules = DEFAULT_RULES) -> Optional[Refusal]:
        """None for a legal move, else the reason why it is illegal."""
        return Refusal.GAME_OVER if self.outcome(rules) else self.refusal_in_play(move, rules)

    def refusal_in_play(self, move: Move, rules: Rules = DEFAULT_RULES) -> Optional[Refusal]:
        """The same for a game that is known to go on."""
        own, enemy, queens = self.own, self.enemy, self.queens
        if move == PASS:
            return Refusal.NO_PASS if count_possible(own, enemy, queens, rules) else None
        if move.source is None:
            return self._placement_refusal(move.target, rules)
        if move.source not in _CELL_SET or not (own | enemy) >> move.source & 1:
            return Refusal.NO_PIECE
        if move.target is None or move.target not in _CELL_SET:
            return Refusal.TOO_FAR
        source, target = 1 << move.source, 1 << move.target
        if source & enemy:
            return Refusal.NOT_YOURS
        if is_placing(own, queens, rules):
            return Refusal.PLACE_FIRST
        trapped = must_relocate(own, enemy, queens, rules)
        if trapped and not source & trapped:
            return Refusal.QUEEN_FIRST if source & between(enemy) else Refusal.TRAPPED_FIRST
        if target == source:
            return Refusal.SAME_CELL
        if target & (own | enemy):
            return Refusal.TAKEN
        if trapped:
            if source & queens and target == THRONE_BIT:
                return Refusal.NOT_TO_THRONE
            if not source & queens and not target & OUTER:
                return Refusal.OUTER_RING
        else:
            if move.target not in NEIGHBOURS[move.source]:
                return Refusal.TOO_FAR
            if move.target not in STEPS[move.source]:
                return Refusal.OUTWARDS
            if target == THRONE_BIT and not source & queens:
                return Refusal.THRONE_IS_QUEENS
        if target & enclosures(own ^ source, enemy):
            return Refusal.SELF_ENCLOSURE
        return None

    def _placement_refusal(self, target: Optional[Cell], rules: Rules) -> Optional[Refusal]:
        """Why a guard cannot be placed on a cell; None if it can."""
        if not is_placing(self.own, self.queens, rules):
            return Refusal.NONE_TO_PLACE
        if target is None or target not in _CELL_SET or RING[target] != RADIUS:
            return Refusal.PLACED_OUTSIDE
        if (self.own | self.enemy) >> target & 1:
            return Refusal.TAKEN
        return Refusal.SELF_ENCLOSURE if enclosures(self.own, self.enemy) >> target & 1 else None

    def causes(self, move: Move, rules: Rules = DEFAULT_RULES) -> List[Cell]:
        """The cells that make an illegal move illegal: enclosing enemies, trapped pieces, a taken target."""
        refusal = self.refusal(move, rules)
        if refusal is Refusal.TRAPPED_FIRST or refusal is Refusal.QUEEN_FIRST:
            return self.must_relocate(rules)
        if refusal is Refusal.SELF_ENCLOSURE:
            assert move.target is not None
            own = self.own if move.source is None else self.own ^ 1 << move.source
            lines = [line for line in LINES if enclosures(own, self.enemy, (line,)) >> move.target & 1]
            return sorted((move.target + sign * line for line in lines for sign in (1, -1)), key=cell_name)
        if refusal in (Refusal.TAKEN, Refusal.THRONE_IS_QUEENS, Refusal.NOT_TO_THRONE, Refusal.NOT_YOURS):
            cell = move.source if refusal is Refusal.NOT_YOURS else move.target
            return [] if cell is None else [cell]
        return []

    def after(self, change: Bits) -> "Position":
        """The position after a change that is known to be legal."""
        queens = self.queens ^ change if self.own & change & self.queens else self.queens
        return Position(self.enemy, self.own ^ change, queens, 1 - self.turn)

    def play(self, move: Move, rules: Rules = DEFAULT_RULES) -> "Position":
        """The position after the move; IllegalMove if the rules forbid it."""
        refusal = self.refusal(move, rules)
        if refusal:
            raise IllegalMove(move, refusal)
        return self.after(change_of(move))

    def is_relocation(self, move: Move) -> bool:
        """Whether a legal move takes a trapped piece off rather than making a step."""
        return move.source is not None and bool(self.own & between(self.enemy))

    def is_progress(self, move: Move) -> bool:
        """Whether a legal move is a placement, a relocation or a step inwards: then the quiet moves count anew."""
        if move.source is None or move.target is None:
            return move.is_placement
        return self.is_relocation(move) or RING[move.source] != RING[move.target]

    def is_inwards(self, move: Move) -> bool:
        """Whether a legal move is a step to the next inner ring."""
        return not move.is_placement and self.is_progress(move) and not self.is_relocation(move)

    def newly_trapped(self, move: Move) -> List[Cell]:
        """The enemy pieces that a legal move traps and that were not trapped before, sorted by name."""
        following = self.after(change_of(move))
        return sorted(cells_of(self.enemy & between(following.enemy) & ~between(self.own)), key=cell_name)

    def describe(self, move: Move, rules: Rules = DEFAULT_RULES) -> str:
        """The form of a legal move for people: 'Qf7-f6', 'e5*a1+', '@a5' (rules: Notation)."""
        if move.target is None:
            return str(move)
        outcome = self.after(change_of(move)).outcome(rules)
        suffix = "#" if outcome and outcome.winner == self.turn else "+" if self.newly_trapped(move) else ""
        text = str(move).replace("-", "*") if self.is_relocation(move) else str(move)
        return ("Q" if move.source is not None and self.is_queen(move.source) else "") + text + suffix


_STARTS = tuple(Position.from_text(f"{START_TEXT} {letter}") for letter in SIDE_LETTERS)
_PLACEMENT_STARTS = tuple(Position.from_text(f"Qf1 / Qf11 {letter}") for letter in SIDE_LETTERS)

# --- 7. Perft --------------------------------------------------------------------

def perft(position: Position, depth: int, rules: Rules = DEFAULT_RULES) -> int:
    """The number of move sequences of this length (passes count as moves).

    >>> perft(Position.start(), 3)
    18417
    """
    if depth <= 0:
        return 1
    return _perft(position.own, position.enemy, position.queens, depth, rules)


def _perft(own: Bits, enemy: Bits, queens: Bits, depth: int, rules: Rules) -> int:
    if depth == 1:
        if is_decided(own, enemy, queens, rules):
            return 0
        return count_possible(own, enemy, queens, rules) or len(legal_changes(own, enemy, queens, rules))
    own_queen = own & queens
    return sum(_perft(enemy, own ^ change, queens ^ change if change & own_queen else queens, depth - 1, rules)
               for change in legal_changes(own, enemy, queens, rules))


# --- 8. Game ---------------------------------------------------------------------

REPETITIONS_TO_DRAW = 3
QUIET_MOVES_TO_DRAW = 100


class Game:
    """A start position and the moves played from it; moves taken back can be played again.

    `rules` are the rule options, `headers` the names and values of the file's
    first lines, `comments` the remarks by the number of moves played before
    them, `marks` what is thought of a move ("?", "!!", ...) and `variations` what
    could have been played in its place, by the number of moves before it.  A
    variation is a game that starts there.  `header_lines` tells on which line of
    its text each header stood.

    A *ply* counts the moves of both sides from the start of the game: 0 before
    the first move.  Methods that take one mean the game after so many moves,
    moves taken back included; without one they mean the game as it is now.
    """

    def __init__(self, start: Optional[Position] = None, rules: Rules = DEFAULT_RULES,
                 headers: Optional[Dict[str, str]] = None) -> None:
        self.rules = rules
        self.headers: Dict[str, str] = dict(headers or {})
        self.comments: Dict[int, str] = {}
        self.marks: Dict[int, str] = {}
        self.variations: Dict[int, List["Game"]] = {}
        self.header_lines: Dict[str, int] = {}
        # The whole line of play, of which the first `_played` moves are on the
        # board and the others have been taken back.
        self._played = 0
        self._moves: List[Move] = []
        #: The moves in the form for people, as far as somebody has asked for them.
        self._descriptions: List[str] = []
        self._positions: List[Position] = [start or Position.start(rules=rules)]
        self._quiet: List[int] = [0]
        #: By ply, how often the position has occurred, and by position, how often in the whole line.
        self._occurrence: List[int] = [1]
        self._seen: Dict[Position, int] = {self._positions[0]: 1}
        #: An end by resignation or agreement, and after how many moves it came.
        self._declared: Optional[Outcome] = None
        self._declared_after = 0

    # -- what has happened --

    @property
    def start(self) -> Position:
        """The position the game began with."""
        return self._positions[0]

    @property
    def position(self) -> Position:
        """The position now on the board."""
        return self._positions[self._played]

    @property
    def ply(self) -> int:
        """How many moves are on the board."""
        return self._played

    @property
    def length(self) -> int:
        """How many moves there are, those taken back included."""
        return len(self._moves)

    @property
    def moves(self) -> Tuple[Move, ...]:
        """The moves played, without those taken back."""
        return tuple(self._moves[:self._played])

    @property
    def last_move(self) -> Optional[Move]:
        """The move that led to the position now on the board; None at the start."""
        return self._moves[self._played - 1] if self._played else None

    @property
    def undone(self) -> Tuple[Move, ...]:
        """The moves taken back that `redo` would play, the next one first."""
        return tuple(self._moves[self._played:])

    @property
    def positions(self) -> Tuple[Position, ...]:
        """The positions from the start to now: one more than there are moves."""
        return tuple(self._positions[:self._played + 1])

    def position_at(self, ply: int) -> Position:
        """The position after so many moves, without copying all of them."""
        return self._positions[ply]

    def descriptions(self, with_undone: bool = False) -> List[str]:
        """The moves played, in the form for people; on request those taken back as well."""
        for number in range(len(self._descriptions), len(self._moves)):
            self._descriptions.append(self._positions[number].describe(self._moves[number], self.rules))
        return self._descriptions[:None if with_undone else self._played]

    def move_number(self, ply: Optional[int] = None) -> int:
        """The number that a list of moves gives to the move after this ply; White's and Black's share one."""
        return (self.start.turn + (self._played if ply is None else ply)) // 2 + 1

    def numbered(self, ply: int) -> str:
        """The move after this ply with its number: '3. a5-b5', or '3... Qf11-f10' for Black's."""
        dots = "." if self._positions[ply].turn == WHITE else "..."
        return f"{self.move_number(ply)}{dots} {self.descriptions(with_undone=True)[ply]}"

    def newly_trapped(self) -> List[Cell]:
        """The pieces that the last move has trapped, sorted by name; [] at the start."""
        last = self.last_move
        return [] if last is None else self._positions[self._played - 1].newly_trapped(last)

    def repetitions(self, ply: Optional[int] = None) -> int:
        """How often the position has occurred, this time included."""
        return self._occurrence[self._played if ply is None else ply]

    def quiet_moves(self, ply: Optional[int] = None) -> int:
        """How many moves in a row, up to this one, were neither a step inwards nor a relocation or placement."""
        return self._quiet[self._played if ply is None else ply]

    @property
    def is_declared(self) -> bool:
        """Whether a resignation or an agreement, not a move, has ended the game here."""
        return self._declared is not None and self._played == self._declared_after

    def outcome(self, ply: Optional[int] = None) -> Optional[Outcome]:
        """Who has won and why; winner None in a draw; None while the game goes on."""
        place = self._played if ply is None else ply
        if self._declared and place == self._declared_after:
            return self._declared
        decided = self._positions[place].outcome(self.rules)
        if decided:
            return decided
        if self._occurrence[place] >= REPETITIONS_TO_DRAW:
            return Outcome(None, Ending.REPETITION)
        if self._quiet[place] >= QUIET_MOVES_TO_DRAW:
            return Outcome(None, Ending.QUIET)
        return None

    # -- what can be done --

    def legal_moves(self) -> List[Move]:
        """All legal moves now; [] when the game has ended."""
        return [] if self.outcome() else self.position.legal_moves(self.rules)

    def refusal(self, move: Move) -> Optional[Refusal]:
        """None for a legal move, else the reason why it is illegal now."""
        return Refusal.GAME_OVER if self.outcome() else self.position.refusal_in_play(move, self.rules)

    def causes(self, move: Move) -> List[Cell]:
        """The cells that make an illegal move illegal now; [] when the game has ended."""
        return [] if self.outcome() else self.position.causes(move, self.rules)

    def must_relocate(self) -> List[Cell]:
        """The trapped pieces of which one has to be relocated now, sorted by name; [] when the game has ended."""
        return [] if self.outcome() else self.position.must_relocate(self.rules)

    def to_place(self, side: int) -> int:
        """How many guards a side has still to place; 0 when the game has ended."""
        count = self.position.to_place(side, self.rules)
        return count if count and not self.outcome() else 0

    @property
    def is_placing(self) -> bool:
        """Whether the side to move has to place a guard."""
        return self.to_place(self.position.turn) > 0

    def describe(self, move: Move) -> str:
        """The form of a legal move for people, such as 'e5*a1+'."""
        return self.position.describe(move, self.rules)

    def play(self, move: Move) -> Position:
        """Play a move and return the new position; IllegalMove if the rules forbid it."""
        refusal = self.refusal(move)
        if refusal:
            raise IllegalMove(move, refusal)
        self._forget_undone()
        before = self.position
        after = before.after(change_of(move))
        self._seen[after] = self._seen.get(after, 0) + 1
        self._moves.append(move)
        self._positions.append(after)
        self._quiet.append(0 if before.is_progress(move) else self.quiet_moves() + 1)
        self._occurrence.append(self._seen[after])
        self._played += 1
        return after

    def undo(self) -> Optional[Move]:
        """Take the last move back and return it; None at the start."""
        if not self._played:
            return None
        self._played -= 1
        return self._moves[self._played]

    def redo(self) -> Optional[Move]:
        """Play the move last taken back and return it; None when there is none."""
        if self._played == len(self._moves):
            return None
        self._played += 1
        return self._moves[self._played - 1]

    def branch(self) -> "Game":
        """A new game with the same rules, headers, moves and comments up to now: for trying another move.

        Nothing in it has been taken back, and an end by resignation or agreement is left out.
        """
        game = Game(self.start, self.rules, self.headers)
        for move in self._moves[:self._played]:
            game.play(move)
        game.comments = {ply: text for ply, text in self.comments.items() if ply <= self._played}
        game.marks = {ply: mark for ply, mark in self.marks.items() if ply < self._played}
        game.variations = {ply: [variation.branch() for variation in variations]
                           for ply, variations in self.variations.items() if ply < self._played}
        return game

    def rest(self) -> "Game":
        """The moves taken back as a variation: a game that starts with the position on the board."""
        variation = Game(self.position, self.rules)
        for move in self.undone:
            variation.play(move)
        begin = self._played
        variation.comments = {ply - begin: text for ply, text in self.comments.items() if ply > begin}
        variation.marks = {ply - begin: mark for ply, mark in self.marks.items() if ply >= begin}
        variation.variations = {ply - begin: list(games) for ply, games in self.variations.items() if ply > begin}
        return variation

    def take_variation(self, ply: int, number: int) -> None:
        """Go on after this ply with one of its variations; the moves that stood there become the variation.

        The board then shows the variation's first move.  KeyError or IndexError
        if there is no such variation.
        """
        chosen = self.variations[ply][number]
        while self._played > ply:
            self.undo()
        while self._played < ply:
            self.redo()
        others = list(self.variations[ply])
        others[number] = self.rest()
        self._forget_undone()
        for move in chosen.moves + chosen.undone:
            self.play(move)
        for theirs, own in ((chosen.comments, self.comments), (chosen.marks, self.marks),
                            (chosen.variations, self.variations)):
            own.update({ply + at: value for at, value in theirs.items()})
        self.variations[ply] = others
        while self._played > ply + 1:
            self.undo()

    def resign(self, side: int) -> None:
        """End the game: this side gives up (no effect when it has ended)."""
        self._declare(Outcome(1 - side, Ending.RESIGNATION))

    def lose_on_time(self, side: int) -> None:
        """End the game: this side's time has run out (no effect when it has ended)."""
        self._declare(Outcome(1 - side, Ending.TIME))

    def agree_draw(self) -> None:
        """End the game in a draw by agreement (no effect when it has ended)."""
        self._declare(Outcome(None, Ending.AGREEMENT))

    def reopen(self) -> None:
        """Take a resignation or an agreed draw back."""
        self._declared = None

    def _forget_undone(self) -> None:
        self._declared = None
        if self._played < len(self._moves):
            for position in self._positions[self._played + 1:]:
                self._seen[position] -= 1
            del self._moves[self._played:]
            del self._descriptions[self._played:]
            for by_ply in (self._positions, self._quiet, self._occurrence):
                del by_ply[self._played + 1:]
            self.comments = {number: text for number, text in self.comments.items() if number <= self._played}
            self.marks = {number: mark for number, mark in self.marks.items() if number < self._played}
            self.variations = {number: games for number, games in self.variations.items() if number < self._played}

    def _declare(self, outcome: Outcome) -> None:
        if not self.outcome():
            self._forget_undone()
            self._declared, self._declared_after = outcome, self._played

    # -- game files --

    def to_text(self, with_undone: bool = False, headers: Optional[Dict[str, str]] = None) -> str:
        """The game as .agon text (see write_game); from_text reads it back."""
        return write_game(self, with_undone, headers)

    @classmethod
    def from_text(cls, text: str) -> "Game":
        """Read .agon text; AgonError with the line when something in it is wrong."""
        return read_game(text)

    def save(self, path: str) -> None:
        """Write the game to a file that is whole at every moment; AgonError if it cannot be written."""
        write_safely(path, self.to_text())

    @classmethod
    def load(cls, path: str) -> "Game":
        """Read a file with one game; AgonError with file and line when something is wrong."""
        try:
            return read_game(read_text(path))
        except AgonError as error:
            raise error.at(path=path)


# --- 9. Game files ---------------------------------------------------------------
# Headers [Name "value"], an empty line, numbered moves, the result:
#
#     [Format "1"]
#     [White "Ada"]
#     [Result "*"]
#
#     1. a5-b5 d1-d2?! { a remark } (1... h1-h2 2. b1-c2) 2. Qf1-f2 e5*a1+ *
#
# Behind a move may stand what somebody thinks of it (!, ?, !!, ??, !?, ?!), and
# in parentheses what could have been played in its place, as in chess files.
# Rules, Position and Ply stand there when they are needed: other rule options,
# another start, and how many of the moves are on the board when some have been
# taken back.  Headers of other names are kept.  In a collection one game
# follows the other: a header line behind a move or a result begins the next.

FORMAT = 1
#: The longest text that is read, and the longest that is written, in bytes of UTF-8.
MAX_FILE_BYTES = 2_000_000
UNFINISHED = "*"
RESULTS: Tuple[str, ...] = ("1-0", "0-1", "1/2-1/2", UNFINISHED)
LINE_WIDTH = 79
#: Variations in variations in variations: no deeper.
MAX_NESTING = 50
#: Headers that are made from the game itself.
_OWN_HEADERS = ("Format", "Result", "Rules", "Position", "Ply", "Ended")
#: What the header Ended says when a side's time has run out; without it a declared end is a resignation or agreement.
ENDED_BY_TIME = "time"

_HEADER_NAME = re.compile(r"[A-Za-z]\w*(?:\.\w+)*")
_HEADER = re.compile(rf'\[({_HEADER_NAME.pattern})\s+"((?:[^"\\]|\\.)*)"\]')
_TOKEN = re.compile(r"(?P<header>^[^\S\n]*\[.*)|(?P<comment>\{[^}]*\})|(?P<open_comment>\{)|(?P<word>[()]|[^\s{()]+)",
                    re.MULTILINE)
_MOVE_NUMBER = re.compile(r"[0-9]+\.+")
_MARK = re.compile(r"[!?]{1,2}$")
_RULE_OPTION = re.compile(rf"({'|'.join(Rules._fields)})=(on|off)")


def write_game(game: Game, with_undone: bool, headers: Optional[Dict[str, str]] = None) -> str:
    """The game as .agon text, on request with the moves taken back; the game stays as it is.

    `headers` go before game.headers of the same name; both are left out where
    the name is no header name or says what the game itself says.  AgonError
    ("too_big") when the text is longer than what can be read again.
    """
    length = game.length if with_undone else game.ply
    outcome = game.outcome(length)
    result = outcome.result if outcome else UNFINISHED
    lines = [f'[{name} "{_escape(value)}"]' for name, value in _headers_of(game, length, result, headers).items()]
    words = _words_of(game, length, game.start.turn) + [result]
    moves = textwrap.fill(" ".join(words), LINE_WIDTH, break_long_words=False, break_on_hyphens=False)
    # A lone half of a character pair, which UTF-8 cannot hold, becomes a question mark.
    data = "\n".join(lines + ["", moves, ""]).encode("utf-8", "replace")
    if len(data) > MAX_FILE_BYTES:
        raise AgonError("too_big", len(data), expected=MAX_FILE_BYTES)
    return data.decode("utf-8")


def _headers_of(game: Game, length: int, result: str, headers: Optional[Dict[str, str]]) -> Dict[str, str]:
    """All headers of a game's text in their order; `length` counts the moves that are written."""
    kept = {name: value for name, value in {**game.headers, **(headers or {})}.items()
            if _HEADER_NAME.fullmatch(name) and name not in _OWN_HEADERS}
    written = {"Format": str(FORMAT), **kept, "Result": result}
    if game.rules != DEFAULT_RULES:
        written["Rules"] = _rules_text(game.rules)
    if game.start != Position.start(rules=game.rules):
        written["Position"] = str(game.start)
    if game.ply < length:
        written["Ply"] = str(game.ply)
    outcome = game.outcome(length)
    if outcome and outcome.reason is Ending.TIME:
        written["Ended"] = ENDED_BY_TIME
    return written


def _rules_text(rules: Rules) -> str:
    """The rule options as a header; programs from before the placement should read the games without it."""
    return " ".join(f"{name}={'on' if value else 'off'}" for name, value in rules._asdict().items()
                    if value or name != "placement")


def _words_of(game: Game, length: int, first: int) -> List[str]:
    """The first `length` moves of a game with numbers, marks, remarks and variations.

    `first` counts half moves, from 0 for White's first move: it numbers the
    first of these moves, since a variation counts on from where it branches off.
    """
    words: List[str] = []
    descriptions = game.descriptions(with_undone=True)
    number_needed = True
    for ply in range(length + 1):
        comment = game.comments.get(ply)
        if comment:
            words += ["{", *comment.replace("}", ")").split(), "}"]
            number_needed = True
        if ply == length:
            break
        number, side = divmod(first + ply, 2)
        if side == WHITE or number_needed:
            words.append(f"{number + 1}{'.' if side == WHITE else '...'}")
        words.append(descriptions[ply] + game.marks.get(ply, ""))
        number_needed = False
        for variation in game.variations.get(ply, ()):
            inner = _words_of(variation, variation.length, first + ply)
            inner[0] = "(" + inner[0]
            inner[-1] += ")"
            words += inner
            number_needed = True
    return words


def _escape(value: str) -> str:
    return re.sub(r"[\r\n]", " ", value).replace("\\", "\\\\").replace('"', '\\"')


def write_games(games: Sequence[Game], with_undone: bool = False) -> str:
    """Several games as one .agon text, which read_games reads back."""
    return "\n".join(write_game(game, with_undone) for game in games)


def read_game(text: str) -> Game:
    """Read .agon text with one game; AgonError with the line (from 1) when something in it is wrong.

    A text with several games is refused, so that none is lost without a word: read_games reads them all.
    """
    games = read_games(text)
    if len(games) > 1:
        raise AgonError("several_games", len(games))
    return games[0]


def read_games(text: str) -> List[Game]:
    """Read .agon text with one game or several; AgonError with the line (from 1) when something in it is wrong.

    A header may stand there once in each game.  The header Ply takes its game
    back to that many moves.  A comment in front of a game becomes its first.
    """
    size = len(text.encode("utf-8", "replace"))
    if size > MAX_FILE_BYTES:
        raise AgonError("too_big", size, expected=MAX_FILE_BYTES)
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").rstrip("\x1a\n")  # old editors end with ^Z
    drafts = [_Draft()]
    line, position = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        try:
            token = match.group().strip()
            if match.lastgroup == "open_comment":
                raise AgonError("open_comment")
            if match.lastgroup == "comment":
                drafts[-1].add_comment(token[1:-1])
            elif match.lastgroup == "header":
                if drafts[-1].has_body:
                    drafts.append(_Draft(drafts[-1].take_afterword()))
                drafts[-1].add_header(token, line)
            else:
                drafts[-1].add_word(token, line)
        except AgonError as error:
            raise error.at(line=line)
        drafts[-1].last_line = line
    return [draft.finish() for draft in drafts]


def load_games(path: str) -> List[Game]:
    """Read a file with one game or several; AgonError with file and line when something is wrong."""
    try:
        return read_games(read_text(path))
    except AgonError as error:
        raise error.at(path=path)


class _Line(NamedTuple):
    """A line of play while it is being read: that of the game or of a variation."""

    game: Game
    #: The words of its remarks by the number of moves before them.
    words: Dict[int, List[str]]

    def close(self) -> None:
        """Give the remarks to the game; a list of words grows faster than a text would."""
        self.game.comments.update((ply, " ".join(words)) for ply, words in self.words.items() if words)


class _Draft:
    """One game while its text is being read."""

    def __init__(self, preface: Sequence[str] = ()) -> None:
        self.last_line = 1
        self._headers: Dict[str, str] = {}
        self._header_lines: Dict[str, int] = {}
        self._rules = DEFAULT_RULES
        #: Where the game starts, if a header says so.
        self._start: Optional[Position] = None
        self._result: Optional[str] = None
        #: The game's own line of play, once a move has come, and the variations that are open, the innermost last.
        self._open: List[_Line] = []
        #: The line of the text on which the outermost open variation begins.
        self._open_line = 0
        #: The words of remarks before the first move.
        self._preface: List[str] = list(preface)
        #: The words of remarks behind the result: they belong to the next game if there is one.
        self._afterword: List[str] = []

    @property
    def has_body(self) -> bool:
        """Whether moves or a result have been read, so that a header begins another game."""
        return bool(self._open) or self._result is not None

    def add_comment(self, text: str) -> None:
        """Keep a remark."""
        if self._result is not None:
            self._afterword += text.split()
        elif self._open:
            line = self._open[-1]
            line.words.setdefault(line.game.ply, []).extend(text.split())
        else:
            self._preface += text.split()

    def take_afterword(self) -> List[str]:
        """The words behind the result, which are then no longer this game's."""
        words, self._afterword = self._afterword, []
        return words

    def add_header(self, token: str, line: int) -> None:
        """Read a header line; AgonError if it cannot be read."""
        match = _HEADER.fullmatch(token)
        if not match:
            raise AgonError("bad_header", token)
        name, value = match.group(1), re.sub(r"\\([\\\"])", r"\1", match.group(2))
        if name in self._header_lines:
            raise AgonError("repeated_header", name)
        self._header_lines[name] = line
        if name == "Format":
            _check_format(value)
        elif name == "Rules":
            self._rules = _parse_rules(value)
        elif name == "Position":
            self._start = Position.from_text(value)
        elif name == "Result" and value not in RESULTS:
            raise AgonError("bad_result", value)
        else:
            self._headers[name] = value

    def add_word(self, token: str, line: int) -> None:
        """Read a move with or without its number, a number alone, a parenthesis or the result; AgonError otherwise."""
        if token == "(":
            self._open_variation(line)
        elif token == ")":
            self._close_variation()
        elif self._result is not None:
            raise AgonError("after_end", token)
        elif token in RESULTS:
            self._check_variations()
            self._result = token
        else:
            number = _MOVE_NUMBER.match(token)
            text = token[number.end():] if number else token
            if text:
                self._add_move(text)

    def _add_move(self, text: str) -> None:
        mark = _MARK.search(text)
        move = Move.from_text(text[:mark.start()] if mark else text)
        self._begin()
        game = self._open[-1].game
        game.play(move)
        if mark:
            game.marks[game.ply - 1] = mark.group()

    def _begin(self) -> None:
        """Begin the game's own line of play, now that the headers are known."""
        if not self._open:
            self._open.append(_Line(Game(self._start, self._rules), {0: self._preface}))

    def _open_variation(self, line: int) -> None:
        """Begin a variation of the move that stands before it."""
        game = self._open[-1].game if self._open else Game()
        if not game.ply or self._result is not None or len(self._open) > MAX_NESTING:
            raise AgonError("bad_variation", "(")
        if len(self._open) == 1:
            self._open_line = line
        variation = Game(game.position_at(game.ply - 1), game.rules)
        game.variations.setdefault(game.ply - 1, []).append(variation)
        self._open.append(_Line(variation, {}))

    def _close_variation(self) -> None:
        if len(self._open) < 2 or not self._open[-1].game.ply:
            raise AgonError("bad_variation", ")")
        self._open.pop().close()

    def _check_variations(self) -> None:
        """AgonError if a variation is open."""
        if len(self._open) > 1:
            raise AgonError("open_variation").at(line=self._open_line)

    def finish(self) -> Game:
        """The whole game; AgonError if something is missing or contradicts the moves."""
        if not (self._header_lines or self.has_body):
            raise AgonError("no_game")
        self._check_variations()
        self._begin()
        game, words = self._open[0]
        declared, ply = self._headers.pop("Result", UNFINISHED), self._headers.pop("Ply", None)
        is_time_up = self._headers.pop("Ended", "") == ENDED_BY_TIME
        if declared != UNFINISHED and self._result is None:
            raise AgonError("cut_off", declared).at(line=self.last_line)
        if declared not in (UNFINISHED, self._result):
            raise AgonError("other_result", self._result, expected=declared).at(line=self.last_line)
        self._apply_result(game, is_time_up)
        words.setdefault(game.length, []).extend(self._afterword)
        self._open[0].close()
        if ply is not None:
            if not ply.isdecimal() or len(ply) > 9 or int(ply) > game.length:
                raise AgonError("bad_ply", ply, expected=game.length).at(line=self._header_lines["Ply"])
            while game.ply > int(ply):
                game.undo()
        game.headers, game.header_lines = self._headers, self._header_lines
        return game

    def _apply_result(self, game: Game, is_time_up: bool) -> None:
        """Declare the end that the text states and the moves alone do not show."""
        outcome = game.outcome()
        if self._result is None or self._result == UNFINISHED:
            return
        if outcome:
            if outcome.result != self._result:
                raise AgonError("other_result", self._result, expected=outcome.result).at(line=self.last_line)
        elif self._result == "1/2-1/2":
            game.agree_draw()
        else:
            loser = BLACK if self._result == "1-0" else WHITE
            end = game.lose_on_time if is_time_up else game.resign
            end(loser)


def _check_format(value: str) -> None:
    if not value.isdecimal():
        raise AgonError("bad_format", value)
    if len(value) > 9 or int(value) > FORMAT:
        raise AgonError("newer_format", value)


def _parse_rules(value: str) -> Rules:
    options: Dict[str, bool] = {}
    for word in value.split():
        match = _RULE_OPTION.fullmatch(word)
        if not match or match.group(1) in options:
            raise AgonError("bad_rules", word, expected=", ".join(Rules._fields))
        options[match.group(1)] = match.group(2) == "on"
    return Rules(**options)


# --- 10. Disk --------------------------------------------------------------------

#: Windows refuses to replace a file that another program, a virus scanner say,
#: has open for a moment: how often it is tried again, and after how many seconds.
REPLACE_TRIES, REPLACE_PAUSE_S = 10, 0.05
#: How many temporary files are made before one is used that cannot be told from a leftover.
LOCK_TRIES = 5
#: A temporary file so old (seconds) belongs to nobody any more, wherever no lock can tell.
LEFTOVER_S = 600.0
#: How many characters of the target's name the name of its temporary file begins with.
_TEMPORARY_STEM = 12


def read_text(path: str) -> str:
    """The text of a UTF-8 file of at most MAX_FILE_BYTES; AgonError if it cannot be had.

    Folders, pipes and devices are refused before they are opened, which could take for ever.
    """
    try:
        _check_file(os.stat(path).st_mode)
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise AgonError("too_big", os.path.getsize(path), expected=MAX_FILE_BYTES)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise AgonError("not_text").at(path=path) from None
    except AgonError as error:
        raise error.at(path=path)
    except (OSError, ValueError) as error:  # ValueError: a path with a zero character, say
        raise _disk_error("unreadable", error).at(path=path) from None


def write_safely(path: str, content: Union[str, bytes], is_own: bool = False) -> None:
    """Write a file, text as UTF-8, so that at every moment the old or the new one is there whole, or raise AgonError.

    The content goes to a new file of a random name beside the target, with the
    target's permissions, is flushed to the disk, and then takes the target's
    place; a link stays a link.  Folders, pipes, devices and write-protected
    files are refused.  `is_own` marks files of the program itself, settings
    say: those are replaced and made readable again whatever their permissions.
    """
    temporary = ""
    try:
        target = os.path.realpath(path)
        mode = 0o666  # of which the system takes away what the user does not want
        is_new = not os.path.lexists(target)
        if not is_new:
            mode = os.stat(target).st_mode
            _check_file(mode)
            if not is_own and not (mode & 0o222 and os.access(target, os.W_OK)):
                raise AgonError("write_protected")
            mode = stat.S_IMODE(mode) | stat.S_IRUSR | stat.S_IWUSR
        with _open_temporary(target, mode) as file:
            temporary = file.name
            file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
            if not is_new:
                _try_quietly(os.chmod, temporary, mode)  # some disks know no permissions
            if _is_windows():
                file.close()  # or it would not be renamed; elsewhere it stays locked until it is in its place
            _replace(temporary, target)
        temporary = ""
        _flush_folder(os.path.dirname(target))
    except AgonError as error:
        raise error.at(path=path)
    except (OSError, ValueError) as error:
        raise _disk_error("unwritable", error).at(path=path) from None
    finally:
        if temporary:
            _try_quietly(os.remove, temporary)


def remove_leftovers(path: str, least_age: float = LEFTOVER_S) -> None:
    """Remove the temporary files that writing this file, or those of this folder, has left behind where it was killed.

    Somebody else may be writing the file just now, so those that are locked are
    left alone, and where no lock can tell, young ones (seconds); who holds the
    file's own lock need not wait: 0.
    """
    folder, name = (path, "") if os.path.isdir(path) else os.path.split(os.path.realpath(path))
    stem = re.escape(name[:_TEMPORARY_STEM]) or ".+"
    leftover = re.compile(rf"{stem}\.[0-9a-f]{{8}}\.tmp|{re.escape(name)}\.[0-9]+\.tmp")
    try:
        for entry in filter(leftover.fullmatch, os.listdir(folder)):
            temporary = os.path.join(folder, entry)
            if _is_abandoned(temporary) or time.time() - os.stat(temporary).st_mtime >= least_age:
                _try_quietly(os.remove, temporary)
    except OSError:
        pass  # a folder that cannot be read holds nothing that could be removed


def set_aside(path: str) -> str:
    """Give a file that cannot be used a free name beside it ('game.agon' -> 'game.aside-1.agon'), and return that."""
    stem, extension = os.path.splitext(path)
    number = 1
    while os.path.lexists(f"{stem}.aside-{number}{extension}"):
        number += 1
    aside = f"{stem}.aside-{number}{extension}"
    try:
        os.rename(path, aside)
    except (OSError, ValueError) as error:
        raise _disk_error("unwritable", error).at(path=path) from None
    return aside


def _check_file(mode: int) -> None:
    """AgonError if a file's mode says that it is no ordinary file."""
    if stat.S_ISDIR(mode):
        raise AgonError("is_folder")
    if not stat.S_ISREG(mode):
        raise AgonError("not_a_file")


def _disk_error(code: str, error: Exception) -> AgonError:
    """What the system complains of as an AgonError: its sentence, and its number where it has one."""
    return AgonError(code, reason=getattr(error, "strerror", None) or error, number=getattr(error, "errno", None))


def _temporary_stem(target: str) -> str:
    """How the names of a file's temporary files begin; short, since names have a limit."""
    folder, name = os.path.split(os.path.realpath(target))
    return os.path.join(folder, name[:_TEMPORARY_STEM])


def _open_temporary(target: str, mode: int) -> BinaryIO:
    """A new file of a random name beside the target, locked while it is open: so others see that its writer lives."""
    for tries_left in range(LOCK_TRIES - 1, -1, -1):
        file = open(f"{_temporary_stem(target)}.{os.urandom(4).hex()}.tmp", "xb", opener=partial(os.open, mode=mode))
        if not tries_left or _seize(file) is not False and os.path.exists(file.name):
            break
        file.close()  # it has been taken for a leftover before it was locked
        _try_quietly(os.remove, file.name)
    return file


def _seize(file: BinaryIO) -> Optional[bool]:
    """Lock an open file until it is closed or its process has ended; False if it is locked, None if it cannot be."""
    try:
        import fcntl
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _is_abandoned(temporary: str) -> bool:
    """Whether the lock of a temporary file tells that nobody is writing it any more."""
    try:
        if not stat.S_ISREG(os.lstat(temporary).st_mode):
            return False  # a pipe of that name would never open
        with open(temporary, "rb") as file:
            return _seize(file) is True
    except OSError:
        return False  # it has its place by now, or may not be read


def _try_quietly(action: Callable[..., object], *arguments: object) -> None:
    """Do something to a file that may fail without harm."""
    try:
        action(*arguments)
    except (OSError, ValueError):  # a name with a zero character is no name on Windows
        pass


def _is_windows() -> bool:
    return os.name == "nt"


def _replace(source: str, target: str) -> None:
    """Put one file in the place of another; on Windows tried again while another program has it open."""
    for _ in range(REPLACE_TRIES if _is_windows() else 0):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            time.sleep(REPLACE_PAUSE_S)
    os.replace(source, target)


def _flush_folder(folder: str) -> None:
    """Write a folder's list of names to the disk, where the system can do that."""
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows opens no folders
    try:
        _try_quietly(os.fsync, number)
    finally:
        os.close(number)


# --- 11. Forced wins -------------------------------------------------------------

#: The cells farther out than ring 1, 2, 3 and 4.
_BEYOND_1, _BEYOND_2, _BEYOND_3, _BEYOND_4 = (sum(RINGS[number + 1:]) for number in range(1, RADIUS))
#: By the bit of each cell of ring 1: the cells of ring 2 from which a step leads there.
_WAYS_INTO_RING_1: Dict[Bits, Bits] = {
    1 << cell: bits(NEIGHBOURS[cell]) & RINGS[2] for cell in cells_of(INNER)}


def moves_to_go(own: Bits, queens: Bits) -> int:
    """So many own moves at least are needed before a side can have won, even if the other one never moved.

    A guard comes one ring nearer with a move.  A queen may be trapped and then
    be put beside the throne, so she is never farther away than two moves.
    """
    guards, queen = own & ~queens, own & queens
    return (popcount(guards & _BEYOND_1) + popcount(guards & _BEYOND_2) + popcount(guards & _BEYOND_3)
            + popcount(guards & _BEYOND_4) + (queen != THRONE_BIT) + bool(queen & _BEYOND_1))


def wins_at_once(own: Bits, enemy: Bits, queens: Bits, rules: Rules) -> bool:
    """Whether the side to move can win with one move: a guard's step from ring 2 into the last gap round its queen.

    She cannot be the last to come, as she comes from ring 1, which is full then;
    and whoever has to place or to relocate puts nothing on ring 1 or the throne.
    """
    coming_in = _WAYS_INTO_RING_1.get(INNER & ~own, 0)
    return bool(coming_in & own and own & queens & THRONE_BIT and not must_relocate(own, enemy, queens, rules)
                and INNER & ~own & step_cells(own, enemy) and not is_placing(own, queens, rules))


class ForcedWins:
    """Who can force a win in a few moves: found by trying every move and every defence, so it is proven.

    Only moves after which the win cannot come in time any more are passed over
    (see moves_to_go).  Draws by repetition and by quiet moves are left aside:
    a shortest win meets no position twice.
    """

    def __init__(self, rules: Rules = DEFAULT_RULES) -> None:
        self.rules = rules
        #: How many positions have been looked at: a measure of how hard the question was.
        self.nodes = 0
        self._known: Dict[Tuple[Bits, Bits, Bits, int], bool] = {}
        #: By moves left: the defence that has helped last; it often helps again.
        self._helpful: Dict[int, Bits] = {}

    def can_win(self, position: Position, moves: int) -> bool:
        """Whether the side to move can win with at most so many moves, whatever the other side does."""
        return (not position.outcome(self.rules) and moves_to_go(position.own, position.queens) <= moves
                and self._can_win(*position[:3], moves))

    def winning_moves(self, position: Position, moves: int) -> List[Move]:
        """The moves with which the side to move can win in at most so many moves, this one counted."""
        return [move for move in position.legal_moves(self.rules)
                if self._wins_after(*position[:3], change_of(move), moves)]

    def defences(self, position: Position, moves: int) -> List[Move]:
        """The moves of the side to move after which the other side cannot win with at most so many moves."""
        return [move for move in position.legal_moves(self.rules)
                if self._holds_after(*position[:3], change_of(move), moves)]

    def shortest(self, position: Position, most: int) -> Optional[int]:
        """In how many moves the side to move can win; None if it needs more than `most`, or cannot at all."""
        return next((moves for moves in range(1, most + 1) if self.can_win(position, moves)), None)

    def line(self, position: Position, moves: int) -> Tuple[Move, ...]:
        """A won line of play: the winner wins as fast as it can, the other side holds out as long as it can."""
        played: List[Move] = []
        while not position.outcome(self.rules) and len(played) < 2 * moves:
            move = self.winning_moves(position, self.shortest(position, moves) or moves)[0]
            played.append(move)
            position = position.play(move, self.rules)
            if position.outcome(self.rules):
                break
            replies = position.legal_moves(self.rules)
            waits = [self.shortest(position.play(reply, self.rules), moves) or 0 for reply in replies]
            reply = replies[waits.index(max(waits))]
            played.append(reply)
            position = position.play(reply, self.rules)
        return tuple(played)

    def _can_win(self, own: Bits, enemy: Bits, queens: Bits, moves: int) -> bool:
        key = (own, enemy, queens, moves)
        known = self._known.get(key)
        if known is None:
            self.nodes += 1
            known = wins_at_once(own, enemy, queens, self.rules) if moves == 1 else any(
                self._wins_after(own, enemy, queens, change, moves) for change in self._changes(own, enemy, queens))
            self._known[key] = known
        return known

    def _wins_after(self, own: Bits, enemy: Bits, queens: Bits, change: Bits, moves: int) -> bool:
        """Whether this change wins, at once or in at most so many moves with it."""
        own, queens = own ^ change, queens ^ change if change & own & queens else queens
        ending = ring_ending(own, queens, self.rules)
        if ending is not None:
            return ending is Ending.THRONE
        if moves_to_go(own, queens) > moves - 1:
            return False
        helpful = self._helpful.get(moves, PASS_CHANGE)
        changes = self._changes(enemy, own, queens)
        if helpful in changes:
            changes.remove(helpful)
            changes.insert(0, helpful)
        for reply in changes:
            self.nodes += 1
            if self._holds_after(enemy, own, queens, reply, moves - 1):
                self._helpful[moves] = reply
                return False
        return bool(changes)

    def _holds_after(self, own: Bits, enemy: Bits, queens: Bits, change: Bits, moves: int) -> bool:
        """Whether the other side cannot win in so many moves after this change."""
        own, queens = own ^ change, queens ^ change if change & own & queens else queens
        ending = ring_ending(own, queens, self.rules)
        if ending is not None:
            return ending is Ending.THRONE
        return not self._can_win(enemy, own, queens, moves)

    def _changes(self, own: Bits, enemy: Bits, queens: Bits) -> List[Bits]:
        """All changes, a pass when nothing else is possible; those that trap come first."""
        changes = legal_changes(own, enemy, queens, self.rules)
        traps = trapping_cells(own, enemy) & ~own
        if not traps:
            return changes
        return [change for change in changes if change & traps] + [change for change in changes if not change & traps]


# --- 12. Lessons -----------------------------------------------------------------
# A page of the tour, a puzzle or a page of the rules is a game of a collection
# with more headers (classroom/README.txt lists them all):
#
#     [Kind "tour"]
#     [Title.en "The steps"]
#     [Text.en "A piece moves one step ..."]
#     [Task.en "Move a piece along its ring, then one inwards."]
#     [Goal "along inwards"]
#     [Reply "f9-f8"]
#     [Position "Qf3 d4 / Qf9 w"]
#
# Goals are reached one after the other; Reply is what the other side plays
# between them.

#: What can be asked for, by name.
GOALS: Dict[str, str] = {
    "inwards": "a step to the next inner ring",
    "inwards_guard": "a guard's step to the next inner ring",
    "along": "a step along the ring",
    "throne": "the queen's step on the throne",
    "trap": "a move that traps an enemy piece",
    "trap_two": "a move that traps two enemy pieces or more",
    "trap_queen": "a move that traps the enemy queen",
    "exception": "a move between two enemies that traps both of them",
    "relocate": "a relocation of a trapped piece",
    "relocate_near": "a relocation to ring 1 or 2",
    "relocate_trap": "a relocation that traps an enemy piece",
    "safe": "a move after which the other side cannot trap anything with its next one",
    "hold": "a move after which the other side cannot force a win in the number of moves that the page names",
    "block": "a move after which the other side has to pass",
    "win": "a move that wins the game",
    "home": "a move after which the queen sits on the throne and all her guards, however few, stand beside it",
    **{f"refused_{refusal.name.lower()}": f"a try that is refused: {refusal.value}" for refusal in Refusal},
}


def _winner(game: Game) -> Optional[int]:
    outcome = game.outcome()
    return outcome.winner if outcome else None


#: Whether the last move of a game has reached a goal: by the game, the position before that move, and the move.
_IS_REACHED: Dict[str, Callable[[Game, Position, Move], bool]] = {
    "inwards": lambda _game, before, move: before.is_inwards(move),
    "inwards_guard": lambda _game, before, move: before.is_inwards(move) and not before.is_queen(move.source),
    "along": lambda _game, before, move: not before.is_progress(move),
    "throne": lambda _game, _before, move: move.target == THRONE,
    "trap": lambda game, _before, _move: len(game.newly_trapped()) >= 1,
    "trap_two": lambda game, _before, _move: len(game.newly_trapped()) >= 2,
    "trap_queen": lambda game, _before, _move: any(map(game.position.is_queen, game.newly_trapped())),
    "relocate": lambda _game, before, move: before.is_relocation(move),
    "exception": lambda game, _before, move: bool(game.position.enclosers(move.target)),
    "relocate_near": lambda _game, before, move: before.is_relocation(move) and RING[move.target] in (1, 2),
    "relocate_trap": lambda game, before, move: before.is_relocation(move) and len(game.newly_trapped()) >= 1,
    "block": lambda game, _before, _move: game.legal_moves() == [PASS],
    "home": lambda game, _before, _move: is_at_home(game.position.enemy, game.position.queens),
    "win": lambda game, before, _move: _winner(game) == before.turn,
}


def is_goal_reached(goal: str, game: Game, refused: Optional[Refusal] = None, moves: int = 1) -> bool:
    """Whether the last move of a game does what one of GOALS asks for.

    `refused` is the reason why a move has just been refused: such a try, which
    is no move, can only be what a goal refused_... asks for.  `moves` is what
    the other side is given to win, where the goal is to hold out.
    """
    if refused is not None:
        return goal == f"refused_{refused.name.lower()}"
    move = game.last_move
    if move is None or move.source is None or move.target is None:
        return False
    before = game.position_at(game.ply - 1)
    if goal in _IS_REACHED:
        return _IS_REACHED[goal](game, before, move)
    if goal not in ("safe", "hold"):
        return False
    outcome = game.outcome()
    if outcome:
        return outcome.winner in (before.turn, None)
    if goal == "safe":
        return not trapping_changes(*game.position[:3], game.rules)
    return not ForcedWins(game.rules).can_win(game.position, moves)


def is_at_home(own: Bits, queens: Bits) -> bool:
    """Whether a side's queen sits on the throne and all its guards, however few, stand on ring 1."""
    return bool(own & queens & THRONE_BIT) and not own & ~queens & ~INNER


def moves_that_reach(goal: str, game: Game, moves: int = 1) -> List[Move]:
    """The legal moves that do what one of GOALS asks for; [] for a goal that is a refusal."""
    trial = game.branch()
    found = []
    for move in trial.legal_moves():
        trial.play(move)
        if is_goal_reached(goal, trial, moves=moves):
            found.append(move)
        trial.undo()
    return found


KINDS = ("tour", "puzzle", "theme", "rules", "tree", "game")
#: The languages in which every text has to be there; more are allowed.
LANGUAGES = ("de", "en")
#: By kind, the headers that a page must have; texts are asked for in every language.
_NEEDED = {"tour": ("Title", "Text"), "puzzle": ("Goal",), "theme": ("Theme", "Title", "Text"),
           "rules": ("Title", "Text"), "tree": ("Title", "Text", "Moves"), "game": ("Title", "Task", "Goal")}
_TEXTS = ("Title", "Text", "Task", "Praise", "Wrong")
#: The headers that hold moves.
_MOVES = ("Reply", "Arrows", "Solution")


class Lesson(NamedTuple):
    """A page of a collection in the classroom; its texts are by language, and empty where it has none."""

    #: "tour", "puzzle", "theme" (what the puzzles of a theme teach), "rules" (a page to read), "tree" (a position
    #: of which the search tree is shown) or "game" (a small game, to be played against the computer).
    kind: str
    start: Position
    #: What is to be reached, one after the other; none on a page to read.
    goals: Tuple[str, ...]
    #: The other side's answers to the moves that reach a goal but the last; without one the same side moves on.
    replies: Tuple[Move, ...]
    #: In how many own moves the goal of a puzzle can be reached; to hold out, how many the other side has to win;
    #: how many moves a tree looks ahead; how many own moves a small game lasts at most, 0 without an end.
    moves: int
    theme: str
    #: The name of a picture that the window draws beside the text: "lines" shows the three ways to be trapped.
    picture: str
    title: Dict[str, str]
    text: Dict[str, str]
    task: Dict[str, str]
    #: What is said when all goals are reached, and when a legal move is not what was asked for.
    praise: Dict[str, str]
    wrong: Dict[str, str]
    #: Moves that are drawn as arrows where the page is printed.
    arrows: Tuple[Move, ...] = ()
    #: The solution of a puzzle: all right moves, or for a win in several moves a line with both sides' best moves; of a
    #: small game, a game in which its goal is reached.
    solution: Tuple[Move, ...] = ()
    #: In a small game, what the other side may reach first, one after the other, and the computer's level (0: any).
    rival: Tuple[str, ...] = ()
    level: int = 0

    @property
    def is_line(self) -> bool:
        """Whether the goal takes several own moves, so that the solution is a line of play."""
        return self.kind == "game" or self.moves > 1 and self.goals[:1] == ("win",)

    @property
    def is_to_hold(self) -> bool:
        """Whether a small game is won by holding out."""
        return self.goals == ("hold",)

    def answer(self, step: int, game: Game) -> Optional[Move]:
        """What the other side plays after goal number `step` (from 0) has been reached; None when it does not move.

        When the move that the page names is not legal now, another legal one
        is taken, if possible one that keeps the next goal within reach.
        """
        if self.goals[step].startswith("refused_"):
            return None
        made = sum(not goal.startswith("refused_") for goal in self.goals[:step])
        legal = game.legal_moves()
        if made >= len(self.replies) or not legal:
            return None
        if self.replies[made] in legal:
            return self.replies[made]
        for move in legal:
            trial = game.branch()
            trial.play(move)
            if moves_that_reach(self.goals[step + 1], trial):
                return move
        return legal[0]


def lessons_of(games: Sequence[Game]) -> List[Lesson]:
    """The pages that the games of a collection are; AgonError with the line when a header is missing or wrong."""
    return [_lesson_of(game) for game in games]


def load_lessons(path: str) -> List[Lesson]:
    """Read a collection of pages; AgonError with file and line when something is wrong."""
    try:
        return lessons_of(read_games(read_text(path)))
    except AgonError as error:
        raise error.at(path=path)


def _lesson_of(game: Game) -> Lesson:
    headers = game.headers
    moves_of: Dict[str, Tuple[Move, ...]] = {}
    name = "Kind"  # of the header that is being looked at, for the error's line
    try:
        kind = headers.get("Kind", "")
        if "Kind" not in headers:
            raise AgonError("missing_header", "Kind")
        if kind not in KINDS:
            raise AgonError("bad_kind", kind, expected=", ".join(KINDS))
        texts = [_texts_of(game, name) for name in _TEXTS]
        for name in _NEEDED[kind] + (("Task",) if kind == "tour" and "Goal" in headers else ()):
            if not headers.get(name) and not _texts_of(game, name):
                raise AgonError("missing_header", f"{name}.{LANGUAGES[0]}" if name in _TEXTS else name)
        goals_of: Dict[str, Tuple[str, ...]] = {}
        for name in ("Goal", "Rival"):
            goals_of[name] = tuple(headers.get(name, "").split())
            for goal in goals_of[name]:
                if goal not in GOALS:
                    raise AgonError("bad_goal", goal, expected=", ".join(GOALS))
        goals = goals_of["Goal"]
        name = "Goal"
        if kind == "game" and "hold" in goals and (len(goals) > 1 or not goals_of["Rival"] or "Moves" not in headers):
            raise AgonError("bad_hold")  # else nobody could say when it is over
        name = "Position"
        if kind == "game" and (not game.start.own or not game.start.enemy or game.start.outcome()):
            raise AgonError("no_small_game")
        for name in _MOVES:
            moves_of[name] = tuple(Move.from_text(word) for word in headers.get(name, "").split())
        name = "Reply"
        replies = moves_of["Reply"]
        if replies and len(replies) >= sum(not goal.startswith("refused_") for goal in goals):
            raise AgonError("bad_reply", headers["Reply"])
        numbers = {}
        for name, default in (("Moves", 0 if kind == "game" else 1), ("Level", 0)):
            number = headers.get(name, "")
            if number and (not number.isdecimal() or len(number) > 2 or int(number) < 1):
                raise AgonError("bad_number", number, name=name)
            numbers[name] = int(number or default)
        name = "Solution"
        lesson = Lesson(kind, game.start, goals, replies, numbers["Moves"], headers.get("Theme", ""),
                        headers.get("Picture", ""), *texts, arrows=moves_of["Arrows"], solution=moves_of["Solution"],
                        rival=goals_of["Rival"], level=numbers["Level"])
        position = game.start
        for move in lesson.solution:
            following = position.play(move, game.rules)
            position = following if lesson.is_line else position
    except AgonError as error:
        lines = game.header_lines
        raise error.at(line=lines.get(name, min(lines.values(), default=None)))
    return lesson


def _texts_of(game: Game, name: str) -> Dict[str, str]:
    """A text of a page by language, {} if there is none; AgonError if it lacks one of LANGUAGES."""
    texts = {header[len(name) + 1:]: value for header, value in game.headers.items() if header.startswith(name + ".")}
    for language in LANGUAGES if texts else ():
        if language not in texts:
            line = game.header_lines.get(f"{name}.{next(iter(texts))}")
            raise AgonError("missing_header", f"{name}.{language}").at(line=line)
    return texts


# -- small games --

class Standing(NamedTuple):
    """How a small game stands: what each side has reached, how often the player has moved, and who has won."""

    #: How many of the player's goals have been reached, and how many of the other side's, one after the other.
    reached: int = 0
    rival: int = 0
    #: The player's moves, passes included.
    moves: int = 0
    #: Whether the player has reached what the game is about (True) or missed it (False); None while it goes on.
    is_won: Optional[bool] = None

    def after(self, lesson: Lesson, game: Game) -> "Standing":
        """The standing after the last move of a game, which stood like this before it."""
        is_own = game.position.turn != lesson.start.turn
        goals, reached = (lesson.goals, self.reached) if is_own else (lesson.rival, self.rival)
        if reached < len(goals) and goals[reached] != "hold" and is_goal_reached(goals[reached], game):
            reached += 1
        new = self._replace(reached=reached, moves=self.moves + 1) if is_own else self._replace(rival=reached)
        return new._replace(is_won=new._verdict(lesson, game, is_own))

    def _verdict(self, lesson: Lesson, game: Game, is_own: bool) -> Optional[bool]:
        """Who reaches all goals first has won; the end of the game decides, too, and so does the number of moves."""
        if self.reached == len(lesson.goals):
            return True
        if lesson.rival and self.rival == len(lesson.rival):
            return False
        outcome = game.outcome()
        if outcome:
            return outcome.winner == lesson.start.turn or lesson.is_to_hold and outcome.winner is None
        if not lesson.moves or self.moves < lesson.moves:
            return None
        if lesson.is_to_hold:
            return None if is_own else True  # the other side's last move has come to nothing
        return False


def standing(lesson: Lesson, game: Game) -> Standing:
    """How a small game stands after the moves that have been played."""
    trial, found = Game(lesson.start, game.rules), Standing()
    for move in game.moves:
        trial.play(move)
        found = found.after(lesson, trial)
    return found


def forcing_moves(lesson: Lesson, game: Game, moves: int) -> List[Move]:
    """The player's moves that win a small game in at most so many moves, this one counted, against every defence."""
    trial, now = game.branch(), standing(lesson, game)
    return [move for move in trial.legal_moves() if _is_forced(lesson, trial, now, move, moves)]


def _is_forced(lesson: Lesson, game: Game, before: Standing, move: Move, moves: int) -> bool:
    """Whether the player wins a small game in so many own moves, counted with this move, if that is one of them."""
    game.play(move)
    now = before.after(lesson, game)
    is_own = game.position.turn != lesson.start.turn
    left = moves - 1 if is_own else moves
    is_waiting = is_own and lesson.is_to_hold  # for the other side's last move
    if now.is_won is not None or not left and not is_waiting:
        is_forced = now.is_won is True
    else:
        # The branch is walked through from move to move, so each of them is played on the way down and undone after.
        forced = (_is_forced(lesson, game, now, following, left) for following in game.legal_moves())
        is_forced = all(forced) if is_own else any(forced)
    game.undo()
    return is_forced


# --- 13. Geometry ----------------------------------------------------------------

Point = Tuple[float, float]

ROOT3 = math.sqrt(3)
#: The plate on which the cells lie, in cell radii: a hexagon with round corners that carries letters and numbers.
PLATE_RADIUS, PLATE_CORNER = 9.12, 1.5
#: Its width and height.
PLATE_WIDTH = 2 * PLATE_RADIUS
PLATE_HEIGHT = 2 * ((PLATE_RADIUS - PLATE_CORNER) * 2 / ROOT3 + PLATE_CORNER)
#: What stays free round the plate on the screen: a share of the smaller side, and at most so many pixels.
MARGIN_SHARE, MOST_MARGIN = 0.035, 27
#: A piece, in cell radii: it fits the hexagon, whose inner diameter is the root of three.
PIECE_DIAMETER = 1.36


#: The guards that are still to be placed: from one to the next in cell radii, and how many stand in each row.
TRAY_PITCH, TRAY_ROWS = 1.5, (4, 2)


class Layout(NamedTuple):
    """Where the cells are on the canvas (source: flat-topped axial grids, as in Red Blob Games' guide).

    `size` is the radius of a cell in pixels, (x, y) the throne's centre; a
    flipped board shows Black's side below.  `stretch` (near 1) makes everything
    a little higher or lower, so that all centres can lie on whole pixels.
    """

    size: float
    x: float
    y: float
    flipped: bool = False
    stretch: float = 1.0

    @classmethod
    def fit(cls, width: float, height: float, flipped: bool = False) -> "Layout":
        """The largest board with centres on whole pixels that fits into this space (pixels), a margin round its plate.

        So all cells are alike: a picture painted for one of them fits every other.
        """
        margin = min(MOST_MARGIN, MARGIN_SHARE * min(width, height))
        most = min((width - 2 * margin) / PLATE_WIDTH, (height - 2 * margin) / PLATE_HEIGHT)
        column = max(6, int(1.5 * most))
        half_row = round(column / ROOT3)
        return cls(column / 1.5, width // 2, height // 2, flipped, half_row * ROOT3 / column)

    @property
    def scale(self) -> Point:
        """The radius of a cell along x and along y, in pixels."""
        return self.size, self.size * self.stretch

    def centre(self, cell: Cell) -> Point:
        """The middle of a cell in pixels."""
        q, r = axial(cell)
        sign = -1 if self.flipped else 1
        width, height = self.scale
        return self.x + sign * width * 1.5 * q, self.y + sign * height * ROOT3 * (r + q / 2)

    def corners(self, cell: Cell, share: float = 1.0) -> List[float]:
        """The six corners of a cell as x, y, x, y, ...; `share` makes the hexagon smaller or larger."""
        return self.outline(cell, HEXAGON, share)

    def outline(self, cell: Cell, shape: Sequence[Point], share: float = 1.0) -> List[float]:
        """A shape given in cell radii, placed on a cell, as x, y, x, y, ...; `share` makes it smaller or larger."""
        x, y = self.centre(cell)
        width, height = self.scale
        return [coordinate for dx, dy in shape for coordinate in (x + dx * width * share, y + dy * height * share)]

    def cell_at(self, x: float, y: float) -> Optional[Cell]:
        """The cell under a pixel, or None beside the board."""
        sign = -1 if self.flipped else 1
        width, height = self.scale
        q = sign * (x - self.x) / (1.5 * width)
        r = sign * (y - self.y) / (ROOT3 * height) - q / 2
        return _CELL_AT.get(_round_axial(q, r))

    def plate(self, inset: float = 0.0) -> List[Point]:
        """The outline of the plate, or a line this many cell radii inside it."""
        radius, corner = PLATE_RADIUS - inset, PLATE_CORNER - inset
        reach = (radius - corner) * 2 / ROOT3
        width, height = self.scale
        points = []
        for tip in range(6):
            angle = math.radians(60 * tip - 90)
            x, y = reach * math.cos(angle), reach * math.sin(angle)
            for part in range(-4, 5):
                turned = angle + math.radians(30 * part / 4)
                points.append((self.x + width * (x + corner * math.cos(turned)),
                               self.y + height * (y + corner * math.sin(turned))))
        return points

    def letters(self) -> Dict[str, Point]:
        """Where each file letter stands: at the end of its file that is White's, so that no rank number is near."""
        places = {}
        for letter in FILES:
            x, y = self.centre(_CELL_BY_NAME[f"{letter}1"])
            places[letter] = x, y + self.size * (-1.25 if self.flipped else 1.25)
        return places

    def ranks(self) -> Dict[int, Point]:
        """Where each rank number stands: at the left end of its rank."""
        places = {}
        for rank in range(1, len(FILES) + 1):
            shorter = max(0, rank - RADIUS - 1)  # cells that the rank lacks at each end
            x, y = self.centre(_CELL_BY_NAME[f"{FILES[-1 - shorter if self.flipped else shorter]}{rank}"])
            if shorter:  # the edge is slanted there
                places[rank] = x - 1.08 * self.size, y + self.size * (0.62 if self.flipped else -0.62)
            else:
                places[rank] = x - 1.27 * self.size, y
        return places

    def tray(self, side: int) -> List[Point]:
        """Where the guards stand that a side has still to place: in a corner beside the plate, on its own half."""
        sign = 1 if (side == BLACK) == self.flipped else -1  # 1: the side that is below, whose corner is on the left
        left, bottom = TRAY_PITCH / 2 - PLATE_RADIUS, PLATE_HEIGHT / 2 - TRAY_PITCH / 2
        places = [(left + TRAY_PITCH * i, bottom - TRAY_PITCH * row) for row, count in enumerate(TRAY_ROWS)
                  for i in range(count)]
        return [(self.x + sign * self.size * dx, self.y + sign * self.size * dy) for dx, dy in places]

    def tray_at(self, x: float, y: float) -> Optional[int]:
        """The side in whose tray a pixel is, or None."""
        for side in (WHITE, BLACK):
            if any(math.hypot(x - left, y - top) <= self.size * TRAY_PITCH / 2 for left, top in self.tray(side)):
                return side
        return None

    def reading_order(self, cell: Cell) -> Point:
        """A key that sorts cells as one reads them: by column, from the bottom up."""
        x, y = self.centre(cell)
        return x, -y

    def next_cell(self, cell: Cell, columns: int, rows: int) -> Cell:
        """The cell one column or row away as one sees it, or the same cell at the edge of the board."""
        x, y = self.centre(cell)
        q, _ = axial(cell)
        half = 0.5 if q % 2 else -0.5  # neighbouring columns stand half a cell higher or lower
        for shift in (half, -half) if columns else (0.0,):
            found = self.cell_at(x + columns * 1.5 * self.size, y + (rows + shift) * ROOT3 * self.size * self.stretch)
            if found is not None:
                return found
        return cell


def _round_axial(q: float, r: float) -> Tuple[int, int]:
    """The hexagon that holds a point: cube coordinates rounded so that their sum stays zero."""
    rounded_q, rounded_r, rounded_s = round(q), round(r), round(-q - r)
    error_q, error_r, error_s = abs(rounded_q - q), abs(rounded_r - r), abs(rounded_s + q + r)
    if error_q > error_r and error_q > error_s:
        rounded_q = -rounded_r - rounded_s
    elif error_r > error_s:
        rounded_r = -rounded_q - rounded_s
    return rounded_q, rounded_r


_CELL_AT: Dict[Tuple[int, int], Cell] = {axial(cell): cell for cell in CELLS}

# --- 14. Pictures ----------------------------------------------------------------
# Shapes are data: the window paints the same ones with smooth edges.

#: A cell, in cell radii, and the two triangles of the star on the throne.
HEXAGON: Tuple[Point, ...] = tuple(
    (math.cos(math.radians(60 * corner)), math.sin(math.radians(60 * corner))) for corner in range(6))
STAR: Tuple[Tuple[Point, ...], ...] = tuple(
    tuple((0.62 * x, 0.62 * y) for x, y in HEXAGON[first::2]) for first in (0, 1))

#: The mark on a cell that forbids a move, in cell radii.
CROSS: Tuple[Point, ...] = ((0, -0.1), (0.26, -0.36), (0.36, -0.26), (0.1, 0), (0.36, 0.26), (0.26, 0.36), (0, 0.1),
                            (-0.26, 0.36), (-0.36, 0.26), (-0.1, 0), (-0.36, -0.26), (-0.26, -0.36))


class Disc(NamedTuple):
    """A disc of a piece, in radii of the piece.

    `paint` names one of PieceColours, or the "face", lit from the upper left, or
    the "dish", lit from the lower right, so that it looks hollow.
    """

    x: float
    y: float
    radius: float
    paint: str


class Outline(NamedTuple):
    """A filled polygon of a piece, in radii of the piece; `paint` as for a disc."""

    points: Tuple[Point, ...]
    paint: str


Shape = Union[Disc, Outline]

#: What every piece is made of from below, then what a guard and a queen carry on it.
PIECE_SHAPES: Tuple[Disc, ...] = (Disc(0, 0, 1, "rim"), Disc(0, 0, 0.945, "face"), Disc(0, 0, 0.76, "dish"))
GUARD_SHAPES: Tuple[Shape, ...] = (Disc(0, 0, 0.5325, "ring"), Disc(0, 0, 0.4075, "dish"))
CROWN: Tuple[Point, ...] = ((-0.44, 0.35), (-0.53, -0.19), (-0.23, 0.05), (0, -0.35), (0.23, 0.05), (0.53, -0.19),
                            (0.44, 0.35))
CROWN_BALLS: Tuple[Point, ...] = ((-0.53, -0.24), (0, -0.4), (0.53, -0.24))
QUEEN_SHAPES: Tuple[Shape, ...] = (
    Outline(CROWN, "crown"), *(Disc(x, y, 0.085, "crown") for x, y in CROWN_BALLS))


class PieceColours(NamedTuple):
    """The colours of a side's pieces: the face is lit from the upper left."""

    lit: str
    shaded: str
    rim: str
    ring: str
    crown: str


class Colours(NamedTuple):
    """The colours of a board, as "#rrggbb"."""

    window: str
    text: str
    quiet_text: str
    #: The cells by ring, from the throne (0) outwards.
    rings: Tuple[str, ...]
    star: str
    #: The joints between the cells, the plate and what is written on it.
    edge: str
    frame: str
    letters: str
    #: The last move.
    recent: str
    #: Trapped pieces.
    forbidden: str
    #: What is suggested.
    allowed: str
    white: PieceColours
    black: PieceColours


#: Black on white, for printing: no areas of ink; every second ring is light grey, so that one sees the rings.
PRINT = Colours(
    window="#ffffff", text="#000000", quiet_text="#000000",
    rings=("#c8c8c8", "#ffffff", "#e9e9e9", "#ffffff", "#e9e9e9", "#ffffff"),
    star="#808080", edge="#808080", frame="#ffffff", letters="#000000", recent="#808080", forbidden="#000000",
    allowed="#000000",
    white=PieceColours("#ffffff", "#ffffff", "#000000", "#000000", "#000000"),
    black=PieceColours("#1a1a1a", "#1a1a1a", "#000000", "#ffffff", "#ffffff"))


class Diagram(NamedTuple):
    """A position on paper, with what is marked in it."""

    position: Position
    caption: str = ""
    #: The move that led to it.
    last: Optional[Move] = None
    #: Whether the trapped pieces of the side to move are marked.
    shows_trapped: bool = False
    #: Moves that are suggested.
    arrows: Tuple[Move, ...] = ()


#: The radius of a cell in diagrams, in the units of the document.
SVG_CELL = 20.0


def board_svg(diagram: Diagram, colours: Colours, layout: Layout) -> str:
    """The elements that draw a diagram without its caption, to be set into a document that has svg_gradients."""
    position, size = diagram.position, layout.size
    plate = [coordinate for point in layout.plate() for coordinate in point]
    parts = [_polygon(plate, colours.frame, colours.edge, size / 18)]
    parts += [_polygon(layout.corners(cell), colours.rings[RING[cell] or 0], colours.edge, size / 18)
              for cell in CELLS]
    parts += [_polygon(layout.outline(THRONE, triangle), colours.star) for triangle in STAR]
    for label, (x, y) in (*layout.letters().items(), *layout.ranks().items()):
        parts.append(_text(x, y + 0.17 * size, 0.5 * size, colours.letters, str(label)))
    parts += _way(diagram.last, colours.recent, layout, is_arrow=False)
    for side in (WHITE, BLACK):
        for cell in cells_of(position.pieces(side)):
            parts += _piece(cell, side, position.is_queen(cell), colours, layout)
    for cell in position.trapped() if diagram.shows_trapped else ():
        parts.append(_polygon(layout.corners(cell, 0.86), "none", colours.forbidden, size / 10))
        captors = position.enclosers(cell)
        parts += [_bar(captors[i], captors[i + 1], colours, layout) for i in range(0, len(captors), 2)]
    for move in diagram.arrows:
        parts += _way(move, colours.allowed, layout, is_arrow=True)
    return "\n".join(parts)


def svg_gradients(colours: Colours) -> str:
    """The definitions of the light on the pieces, which a document with boards needs once."""
    ways = (("face", "0", "1"), ("dish", "1", "0"))
    gradients = [
        f'<linearGradient id="{name}-{paint}" x1="{begin}" y1="{begin}" x2="{end}" y2="{end}">'
        f'<stop offset="0.1" stop-color="{piece.lit}"/><stop offset="0.9" stop-color="{piece.shaded}"/>'
        "</linearGradient>"
        for name, piece in (("white", colours.white), ("black", colours.black)) for paint, begin, end in ways]
    return f"<defs>{''.join(gradients)}</defs>"


def diagrams_svg(diagrams: Sequence[Diagram], colours: Colours, flipped: bool = False) -> str:
    """An SVG document (source: SVG 1.1) with diagrams and their captions, if any, below them, several in a row."""
    columns = max(1, min(3, len(diagrams)))
    rows = -(-len(diagrams) // columns)
    has_captions = any(diagram.caption for diagram in diagrams)
    margin = 2.0 if has_captions else 0.4
    width, board_height = SVG_CELL * (PLATE_WIDTH + margin), SVG_CELL * (PLATE_HEIGHT + margin / 2)
    height = board_height + (1.5 * SVG_CELL if has_captions else 0)
    size = f"{columns * width:.0f}", f"{rows * height:.0f}"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
             f'viewBox="0 0 {size[0]} {size[1]}">',
             svg_gradients(colours), f'<rect width="100%" height="100%" fill="{colours.window}"/>']
    for number, diagram in enumerate(diagrams):
        x, y = number % columns * width, number // columns * height
        layout = Layout(SVG_CELL, x + width / 2, y + board_height / 2, flipped)
        parts.append(board_svg(diagram, colours, layout))
        if diagram.caption:
            middle, bottom = x + width / 2, y + height - 0.6 * SVG_CELL
            parts.append(_text(middle, bottom, 0.8 * SVG_CELL, colours.text, diagram.caption))
    return "\n".join(parts + ["</svg>"]) + "\n"


def _polygon(points: Sequence[float], fill: str, stroke: str = "none", width: float = 1) -> str:
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(points[::2], points[1::2]))
    return f'<polygon points="{text}" fill="{fill}" stroke="{stroke}" stroke-width="{width:.1f}"/>'


def _text(x: float, y: float, size: float, fill: str, text: str) -> str:
    """Text whose line stands on y, centred at x."""
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-family="sans-serif" font-size="{size:.1f}" '
            f'fill="{fill}">{html.escape(text)}</text>')


def _piece(cell: Cell, side: int, is_queen: bool, colours: Colours, layout: Layout) -> List[str]:
    x, y = layout.centre(cell)
    radius = layout.size * PIECE_DIAMETER / 2
    name, piece = ("black", colours.black) if side else ("white", colours.white)
    paints = {"face": f"url(#{name}-face)", "dish": f"url(#{name}-dish)", **piece._asdict()}
    parts = []
    for shape in PIECE_SHAPES + (QUEEN_SHAPES if is_queen else GUARD_SHAPES):
        if isinstance(shape, Disc):
            parts.append(f'<circle cx="{x + shape.x * radius:.1f}" cy="{y + shape.y * radius:.1f}" '
                         f'r="{shape.radius * radius:.1f}" fill="{paints[shape.paint]}"/>')
        else:
            parts.append(_polygon(layout.outline(cell, shape.points, PIECE_DIAMETER / 2), paints[shape.paint]))
    return parts


def _bar(first: Cell, second: Cell, colours: Colours, layout: Layout) -> str:
    """The bar from one captor to the other, through the piece that they trap."""
    (x1, y1), (x2, y2) = layout.centre(first), layout.centre(second)
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colours.forbidden}" '
            f'stroke-width="{layout.size * 0.15:.1f}" stroke-linecap="round"/>')


def _way(move: Optional[Move], colour: str, layout: Layout, is_arrow: bool) -> List[str]:
    """A move as a line from cell to cell, or as an arrow that begins and ends beside the middles; [] for none."""
    if move is None or move.source is None or move.target is None:
        return []
    (x1, y1), (x2, y2) = layout.centre(move.source), layout.centre(move.target)
    length = math.hypot(x2 - x1, y2 - y1)
    dx, dy = layout.size * (x2 - x1) / length, layout.size * (y2 - y1) / length
    if is_arrow:
        x1, y1 = x1 + 0.62 * dx, y1 + 0.62 * dy
    parts = [f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2 - 0.3 * dx:.1f}" y2="{y2 - 0.3 * dy:.1f}" stroke="{colour}" '
             f'stroke-width="{layout.size / 6:.1f}" stroke-linecap="round"/>']
    if is_arrow:
        parts.append(_polygon((x2, y2, x2 - 0.5 * dx + 0.28 * dy, y2 - 0.5 * dy - 0.28 * dx,
                               x2 - 0.5 * dx - 0.28 * dy, y2 - 0.5 * dy + 0.28 * dx), colour))
    return parts


# --- 15. Paper -------------------------------------------------------------------
# Pages for A4 paper as one HTML document, which any browser shows and prints and any editor changes.

#: The words on the pages, by language.
PAPER_TEXTS: Dict[str, Dict[str, str]] = {
    "de": {"rules": "Agon: die Regeln", "puzzles": "Agon: Rätsel", "solutions": "Lösungen", "board": "Agon",
           "game": "Agon: eine Partie", "name": "Name", "date": "Datum", "answer": "Lösung",
           "sides": "Weiß Schwarz", "moves": "{moves} Züge"},
    "en": {"rules": "Agon: the rules", "puzzles": "Agon: puzzles", "solutions": "Solutions", "board": "Agon",
           "game": "Agon: a game", "name": "Name", "date": "Date", "answer": "Answer",
           "sides": "White Black", "moves": "{moves} moves"},
}
PAPER_STYLE = """@page { size: A4; margin: 12mm 15mm }
body { font: 11.5pt/1.35 sans-serif; color: #000; background: #fff; max-width: 180mm; margin: 0 auto }
.page { break-after: page }
.page:last-child { break-after: auto }
h1 { font-size: 17pt; margin: 0 0 4mm }
h2 { font-size: 12.5pt; margin: 0 0 1mm }
svg { display: block; width: 100%; height: auto }
.line { display: flex; gap: 8mm; margin: 0 0 4mm }
.line span { flex: 1; border-bottom: 0.3mm solid #000 }
.rule { display: flex; gap: 8mm; align-items: center; margin: 0 0 3mm; break-inside: avoid }
.rule div { flex: 1 }
.rule svg { flex: none; width: 42mm }
.boards { display: grid; grid-template-columns: 1fr 1fr; gap: 3mm 10mm }
.boards section { break-inside: avoid }
.boards svg { width: 61mm; margin: 0 auto }
.boards p { margin: 0 }
.moves { columns: 3; margin: 0 0 6mm; padding: 0; list-style: none }
.large svg { width: 172mm; margin: 0 auto }"""
#: So many boards stand on a page, in two columns.
BOARDS_ON_A_PAGE = 6


class Task(NamedTuple):
    """A puzzle on paper: its board, what is asked, and the answer ("" where nobody has written it down)."""

    diagram: Diagram
    text: str
    answer: str = ""


def paper_language(language: str) -> str:
    """The language of PAPER_TEXTS for a language that may not be there."""
    return language if language in PAPER_TEXTS else "en"


def position_tasks(positions: Sequence[Position], language: str) -> List[Task]:
    """Positions as they are printed to be thought about: who is to move."""
    sides = PAPER_TEXTS[paper_language(language)]["sides"].split()
    return [Task(Diagram(position, shows_trapped=True), sides[position.turn]) for position in positions]


def puzzle_tasks(lessons: Sequence[Lesson], language: str) -> List[Task]:
    """The puzzles of a collection as they are printed: who is to move, and the theme that its page names."""
    words = PAPER_TEXTS[paper_language(language)]
    titles = {lesson.theme: lesson.title.get(language, "") for lesson in lessons if lesson.kind == "theme"}
    tasks = []
    for lesson in lessons:
        if lesson.kind != "puzzle":
            continue
        parts = [words["sides"].split()[lesson.start.turn], titles.get(lesson.theme, ""),
                 words["moves"].format(moves=lesson.moves) if lesson.moves > 1 else ""]
        text = lesson.task.get(language) or " · ".join(filter(None, parts))
        tasks.append(Task(Diagram(lesson.start, shows_trapped=True), text, _answer(lesson)))
    return tasks


def _answer(lesson: Lesson) -> str:
    """The moves that solve a puzzle: all that do when one is enough, else the line that its file tells."""
    game = Game(lesson.start)
    if not lesson.is_line:
        right = lesson.solution or moves_that_reach(lesson.goals[0], game, lesson.moves)
        return ", ".join(map(game.describe, right))
    for move in lesson.solution:
        game.play(move)
    return " ".join(game.descriptions())


def puzzle_sheet(tasks: Sequence[Task], language: str, title: str = "") -> str:
    """A document with puzzles to be filled in, two beside each other and three below; the last page has the answers."""
    words = PAPER_TEXTS[paper_language(language)]
    title = title or words["puzzles"]
    pages = []
    for first in range(0, len(tasks), BOARDS_ON_A_PAGE):
        boards = [_board_section(task.diagram, f"{number}. {task.text}", f"{words['answer']}: {'_' * 22}")
                  for number, task in enumerate(tasks[first:first + BOARDS_ON_A_PAGE], first + 1)]
        pages.append(f"{_heading(title)}{_lines(words['name'], words['date'])}" + _boards(boards))
    answers = [f"<li>{number}. {html.escape(task.answer)}</li>" for number, task in enumerate(tasks, 1) if task.answer]
    if answers:
        pages.append(f"{_heading(words['solutions'])}<ol class=\"moves\">{''.join(answers)}</ol>")
    return _document(title, pages, language)


def rules_sheet(lessons: Sequence[Lesson], language: str) -> str:
    """A document with those pages of the rules that have a position, each with its board, on one page of paper."""
    title = PAPER_TEXTS[paper_language(language)]["rules"]
    parts = [f"<section class=\"rule\"><div><h2>{html.escape(lesson.title[language])}</h2>"
             f"{html.escape(lesson.text[language])}</div>"
             f"{_drawn(Diagram(lesson.start, shows_trapped=True, arrows=lesson.arrows))}</section>"
             for lesson in lessons if lesson.kind == "rules" and lesson.start != Position.start()]
    return _document(title, [_heading(title) + "\n".join(parts)], language)


def game_sheet(game: Game, plies: Sequence[int], language: str, ending: str = "") -> str:
    """A document with a game: who played, how it ended, its moves, and its boards after so many moves of both sides.

    `ending` is the reason of the result as a sentence.
    """
    words = PAPER_TEXTS[paper_language(language)]
    names = [game.headers.get(side, word) for side, word in zip(("White", "Black"), words["sides"].split())]
    outcome = game.outcome()
    about = [game.headers.get("Date", ""), outcome.result if outcome else "", ending]
    moves = [game.numbered(ply) if game.positions[ply].turn == WHITE or not ply else game.descriptions()[ply]
             for ply in range(game.ply)]
    first = [ply for ply in range(game.ply) if game.positions[ply].turn == WHITE or not ply]
    rows = [" ".join(moves[begin:end]) for begin, end in zip(first, first[1:] + [game.ply])]
    page = (f"{_heading(' – '.join(names))}<p>{html.escape(' · '.join(filter(None, about)))}</p>"
            f"<ol class=\"moves\">{''.join(f'<li>{html.escape(row)}</li>' for row in rows)}</ol>")
    boards = []
    for ply in plies:
        diagram = Diagram(game.positions[ply], last=game.moves[ply - 1] if ply else None, shows_trapped=True)
        boards.append(_board_section(diagram, game.numbered(ply - 1) if ply else "0."))
    return _document(words["game"], [page + _boards(boards)], language)


def board_sheet(language: str) -> str:
    """A document with a large empty board and room for two names."""
    words = PAPER_TEXTS[paper_language(language)]
    empty = Diagram(Position(0, 0, 0, WHITE))
    return _document(words["board"], [_lines(*words["sides"].split()) + f"<div class=\"large\">{_drawn(empty)}</div>"],
                     language)


def _document(title: str, pages: Sequence[str], language: str) -> str:
    body = "\n".join(f"<div class=\"page\">{page}</div>" for page in pages)
    return (f"<!DOCTYPE html>\n<html lang=\"{paper_language(language)}\"><head><meta charset=\"utf-8\">"
            f"<title>{html.escape(title)}</title>\n<style>{PAPER_STYLE}</style></head>\n<body>{body}</body></html>\n")


def _heading(text: str) -> str:
    return f"<h1>{html.escape(text)}</h1>"


def _lines(*labels: str) -> str:
    """Words, each with a line to write on."""
    return "<div class=\"line\">" + "".join(f"{html.escape(label)}: <span></span>" for label in labels) + "</div>"


def _boards(sections: Sequence[str]) -> str:
    return "<div class=\"boards\">" + "\n".join(sections) + "</div>"


def _board_section(diagram: Diagram, *texts: str) -> str:
    """A board with lines of text below it."""
    return f"<section>{_drawn(diagram)}" + "".join(f"<p>{html.escape(text)}</p>" for text in texts) + "</section>"


def _drawn(diagram: Diagram) -> str:
    return diagrams_svg([diagram], PRINT)
