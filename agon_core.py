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
    9. Game files   the .agon text format
"""

import os
import re
from enum import Enum
from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Type

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


DEFAULT_RULES = Rules()


class Refusal(Enum):
    """Why a move is illegal."""

    GAME_OVER = "the game is over"
    NO_PASS = "passing is allowed only when no move is possible"
    NO_PIECE = "there is no piece on that cell"
    NOT_YOURS = "that piece belongs to the other side"
    SAME_CELL = "the piece has not moved"
    TAKEN = "the cell is taken"
    TRAPPED_FIRST = "a trapped piece must be relocated first"
    QUEEN_FIRST = "the trapped queen must be relocated first"
    OUTER_RING = "a trapped guard must go to the outer ring"
    NOT_TO_THRONE = "a trapped queen may go anywhere except on the throne"
    TOO_FAR = "a piece moves only one step"
    OUTWARDS = "a piece never steps outwards"
    THRONE_IS_QUEENS = "only a queen may step on the throne"
    SELF_ENCLOSURE = "a piece may not go between two enemies"


class Ending(Enum):
    """How a game has ended."""

    THRONE = "queen on the throne, six guards around her"
    EMPTY_THRONE = "six guards round a throne without their queen"
    BLOCKED = "neither side can move"
    REPETITION = "the same position for the third time"
    QUIET = "100 moves without a step inwards or a relocation"
    RESIGNATION = "resignation"
    AGREEMENT = "draw agreed"


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
    "bad_format": '"{token}" is not a format number; expected 1',
    "newer_format": "the file has format {token}, this program reads format 1; please use a newer Agon",
    "bad_rules": '"{token}" is not a rule option; expected queen_first=on|off or empty_throne_loses=on|off',
    "bad_result": '"{token}" is not a result; expected 1-0, 0-1, 1/2-1/2 or *',
    "other_result": "the result {token} contradicts {expected}, to which the moves or the header lead",
    "cut_off": "the file ends before the result {token} that its header announces; it seems to be cut off",
    "after_end": '"{token}" comes after the end of the game',
    "open_comment": "the comment beginning here is never closed; expected }}",
    "no_game": "there is no game in this text; expected moves such as 1. a5-b5 d1-d2",
    "too_big": "the file is too big for a game ({token} bytes; at most {expected})",
    "not_text": "the file is not UTF-8 text; expected an .agon game",
    "unreadable": "cannot be read: {reason}",
    "unwritable": "cannot be written: {reason}",
}


class AgonError(ValueError):
    """Something a person typed or loaded is wrong; the message says what to do.

    `code` is a key of ERROR_TEXTS, `details` fills its blanks; `line` (from 1)
    and `path` tell the place when text came from a file.
    """

    def __init__(self, code: str, token: object = "", **details: object) -> None:
        text = str(token)
        shown = text if len(text) <= 40 else text[:37] + "..."
        self.code = code
        self.details: Dict[str, object] = {"token": shown, **details}
        self.line: Optional[int] = None
        self.path: Optional[str] = None
        super().__init__(code)

    def __reduce__(self) -> Tuple[object, ...]:
        """Errors travel between processes whole, with their place."""
        return _restored, (type(self), self.__dict__)

    def at(self, line: Optional[int] = None, path: Optional[str] = None) -> "AgonError":
        """The same error with its place filled in."""
        self.line = self.line or line
        self.path = self.path or path
        return self

    def __str__(self) -> str:
        place = [self.path] if self.path else []
        place += [f"line {self.line}"] if self.line else []
        return ": ".join(place + [ERROR_TEXTS[self.code].format(**self.details)])


def _restored(kind: Type["AgonError"], state: Dict[str, object]) -> "AgonError":
    error = kind.__new__(kind)
    error.__dict__.update(state)
    return error


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


def enclosures(own: Bits, enemy: Bits) -> Bits:
    """The cells an own piece may not go to, because enemies would enclose it there.

    A line on which the newcomer would in turn enclose both of these enemies
    (own, enemy, newcomer, enemy, own) does not count.  `own` is without the
    moving piece, which cannot be one of the outer two.
    """
    forbidden = 0
    for line in LINES:
        flanked = enemy << line & enemy >> line
        if flanked:
            forbidden |= flanked & ~(own << 2 * line & own >> 2 * line)
    return forbidden


# --- 4. Changes ------------------------------------------------------------------
# Everything here sees the board from the side to move: `own` pieces, `enemy`
# pieces, and `queens` of either side.  A move is a *change*: the two cells it
# alters, as a bitboard.  own ^ change plays it, own & change is where it comes
# from, and the empty change is a pass.

PASS_CHANGE: Bits = 0


def has_won(own: Bits, queens: Bits) -> bool:
    """Own queen on the throne and the own six guards on ring 1."""
    return own & INNER == INNER and bool(own & queens & THRONE_BIT)


def surrounds_empty_throne(own: Bits, queens: Bits) -> bool:
    """Own six guards on ring 1, but the own queen not on the throne."""
    guards = own & ~queens
    return guards & INNER == INNER and not own & queens & THRONE_BIT


def is_decided(own: Bits, enemy: Bits, queens: Bits, rules: Rules) -> bool:
    """Whether one side has won, or lost by the empty throne."""
    for side in (own, enemy):
        if side & INNER == INNER and (
                has_won(side, queens)
                or rules.empty_throne_loses and surrounds_empty_throne(side, queens)):
            return True
    return False


def must_relocate(own: Bits, enemy: Bits, queens: Bits, rules: Rules) -> Bits:
    """The trapped pieces of which one has to be relocated now; 0 when there is none."""
    trapped = own & between(enemy)
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
    """All steps, or all relocations when a piece is trapped; no passes, no look at the end of the game."""
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


def legal_changes(own: Bits, enemy: Bits, queens: Bits, rules: Rules) -> List[Bits]:
    """All legal moves: a pass when nothing else is possible, none when the game cannot go on."""
    if is_decided(own, enemy, queens, rules):
        return []
    changes = possible_changes(own, enemy, queens, rules)
    if not changes and count_possible(enemy, own, queens, rules):
        changes.append(PASS_CHANGE)
    return changes


# --- 5. Move ---------------------------------------------------------------------

_MOVE_TEXT = re.compile(r"Q?([a-l][0-9]{1,2})[-*]([a-l][0-9]{1,2})[+#]?")


class Move(NamedTuple):
    """A step or relocation from one cell to another; PASS has neither.

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
        return cls(parse_cell(match.group(1)), parse_cell(match.group(2)))

    def __str__(self) -> str:
        if self.source is None or self.target is None:
            return "--"
        return f"{cell_name(self.source)}-{cell_name(self.target)}"


PASS = Move(None, None)


def move_of(change: Bits, own: Bits) -> Move:
    """The move that a change of these own pieces means."""
    if change == PASS_CHANGE:
        return PASS
    return Move((change & own).bit_length() - 1, (change & ~own).bit_length() - 1)


def change_of(move: Move) -> Bits:
    """The change that a move means."""
    if move.source is None or move.target is None:
        return PASS_CHANGE
    return 1 << move.source | 1 << move.target


# --- 6. Position -----------------------------------------------------------------

MAX_GUARDS = 6
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
    def start(cls, turn: int = WHITE) -> "Position":
        """The starting position; White begins, or the side given."""
        return cls.from_text(f"{START_TEXT} {SIDE_LETTERS[turn]}")

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

    def trapped(self) -> List[Cell]:
        """The mover's pieces that stand between two enemies, sorted by name."""
        return sorted(cells_of(self.own & between(self.enemy)), key=cell_name)

    def enclosers(self, cell: Cell) -> List[Cell]:
        """The enemies of the piece on a cell that enclose it, in pairs."""
        enemy = self.enemy if self.own >> cell & 1 else self.own
        return [cell + sign * line for line in LINES if 1 << cell & (enemy << line & enemy >> line) for sign in (1, -1)]

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

    def outcome(self, rules: Rules = DEFAULT_RULES) -> Optional[Outcome]:
        """The end of the game as far as the position alone shows it, or None."""
        for side in (1 - self.turn, self.turn):
            pieces = self.pieces(side)
            if has_won(pieces, self.queens):
                return Outcome(side, Ending.THRONE)
            if rules.empty_throne_loses and surrounds_empty_throne(pieces, self.queens):
                return Outcome(1 - side, Ending.EMPTY_THRONE)
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
        if self.outcome(rules):
            return Refusal.GAME_OVER
        own, enemy, queens = self.own, self.enemy, self.queens
        if move == PASS:
            return Refusal.NO_PASS if count_possible(own, enemy, queens, rules) else None
        if move.source is None or move.source not in _CELL_SET or not (own | enemy) >> move.source & 1:
            return Refusal.NO_PIECE
        if move.target is None or move.target not in _CELL_SET:
            return Refusal.TOO_FAR
        source, target = 1 << move.source, 1 << move.target
        if source & enemy:
            return Refusal.NOT_YOURS
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

    def causes(self, move: Move, rules: Rules = DEFAULT_RULES) -> List[Cell]:
        """The cells that make an illegal move illegal: enclosing enemies, trapped pieces, a taken target."""
        refusal = self.refusal(move, rules)
        if refusal is Refusal.TRAPPED_FIRST or refusal is Refusal.QUEEN_FIRST:
            return self.must_relocate(rules)
        if refusal is Refusal.SELF_ENCLOSURE:
            assert move.source is not None and move.target is not None
            own = self.own ^ 1 << move.source
            target = 1 << move.target
            lines = [line for line in LINES
                     if target & (self.enemy << line & self.enemy >> line)
                     and not target & (own << 2 * line & own >> 2 * line)]
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
        """Whether a legal move is a relocation or a step inwards, so that the count of quiet moves starts anew."""
        if move.source is None or move.target is None:
            return False
        return self.is_relocation(move) or RING[move.source] != RING[move.target]

    def describe(self, move: Move, rules: Rules = DEFAULT_RULES) -> str:
        """The form of a legal move for people: 'Qf7-f6', 'e5*a1+' (rules: Notation)."""
        if move.source is None:
            return str(move)
        following = self.after(change_of(move))
        outcome = following.outcome(rules)
        newly_trapped = self.enemy & between(following.enemy) & ~between(self.own)
        suffix = "#" if outcome and outcome.winner == self.turn else "+" if newly_trapped else ""
        text = str(move).replace("-", "*") if self.is_relocation(move) else str(move)
        return ("Q" if self.is_queen(move.source) else "") + text + suffix


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
    first lines, `comments` the remarks by the number of moves played before them.
    """

    def __init__(self, start: Optional[Position] = None, rules: Rules = DEFAULT_RULES,
                 headers: Optional[Dict[str, str]] = None) -> None:
        self.rules = rules
        self.headers: Dict[str, str] = dict(headers or {})
        self.comments: Dict[int, str] = {}
        # The whole line of play, of which the first `_played` moves are on the
        # board and the others have been taken back.
        self._played = 0
        self._moves: List[Move] = []
        #: The moves in the form for people, as far as somebody has asked for them.
        self._descriptions: List[str] = []
        self._positions: List[Position] = [start or Position.start()]
        self._quiet: List[int] = [0]
        #: How often each position has occurred up to now.
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
    def moves(self) -> Tuple[Move, ...]:
        """The moves played, without those taken back."""
        return tuple(self._moves[:self._played])

    @property
    def undone(self) -> Tuple[Move, ...]:
        """The moves taken back that `redo` would play, the next one first."""
        return tuple(self._moves[self._played:])

    @property
    def positions(self) -> Tuple[Position, ...]:
        """The positions from the start to now: one more than there are moves."""
        return tuple(self._positions[:self._played + 1])

    def descriptions(self, with_undone: bool = False) -> List[str]:
        """The moves played, in the form for people; on request those taken back as well."""
        for number in range(len(self._descriptions), len(self._moves)):
            self._descriptions.append(self._positions[number].describe(self._moves[number], self.rules))
        return self._descriptions[:None if with_undone else self._played]

    def repetitions(self) -> int:
        """How often the position now on the board has occurred, this time included."""
        return self._seen[self.position]

    def quiet_moves(self) -> int:
        """How many moves in a row, up to now, were neither a step inwards nor a relocation."""
        return self._quiet[self._played]

    @property
    def is_declared(self) -> bool:
        """Whether a resignation or an agreement, not a move, has ended the game here."""
        return self._declared is not None and self._played == self._declared_after

    def outcome(self) -> Optional[Outcome]:
        """Who has won and why; winner None in a draw; None while the game goes on."""
        if self.is_declared:
            return self._declared
        decided = self.position.outcome(self.rules)
        if decided:
            return decided
        if self.repetitions() >= REPETITIONS_TO_DRAW:
            return Outcome(None, Ending.REPETITION)
        if self.quiet_moves() >= QUIET_MOVES_TO_DRAW:
            return Outcome(None, Ending.QUIET)
        return None

    # -- what can be done --

    def legal_moves(self) -> List[Move]:
        """All legal moves now; [] when the game has ended."""
        return [] if self.outcome() else self.position.legal_moves(self.rules)

    def refusal(self, move: Move) -> Optional[Refusal]:
        """None for a legal move, else the reason why it is illegal now."""
        return Refusal.GAME_OVER if self.outcome() else self.position.refusal(move, self.rules)

    def play(self, move: Move) -> Position:
        """Play a move and return the new position; IllegalMove if the rules forbid it."""
        refusal = self.refusal(move)
        if refusal:
            raise IllegalMove(move, refusal)
        self._forget_undone()
        before = self.position
        self._moves.append(move)
        self._positions.append(before.after(change_of(move)))
        self._quiet.append(0 if before.is_progress(move) else self.quiet_moves() + 1)
        return self._step_forward()

    def undo(self) -> Optional[Move]:
        """Take the last move back and return it; None at the start."""
        if not self._played:
            return None
        self._seen[self.position] -= 1
        self._played -= 1
        return self._moves[self._played]

    def redo(self) -> Optional[Move]:
        """Play the move last taken back and return it; None when there is none."""
        if self._played == len(self._moves):
            return None
        self._step_forward()
        return self._moves[self._played - 1]

    def resign(self, side: int) -> None:
        """End the game: this side gives up (no effect when it has ended)."""
        self._declare(Outcome(1 - side, Ending.RESIGNATION))

    def agree_draw(self) -> None:
        """End the game in a draw by agreement (no effect when it has ended)."""
        self._declare(Outcome(None, Ending.AGREEMENT))

    def reopen(self) -> None:
        """Take a resignation or an agreed draw back."""
        self._declared = None

    def _step_forward(self) -> Position:
        self._played += 1
        self._seen[self.position] = self._seen.get(self.position, 0) + 1
        return self.position

    def _forget_undone(self) -> None:
        self._declared = None
        if self._played < len(self._moves):
            del self._moves[self._played:]
            del self._descriptions[self._played:]
            del self._positions[self._played + 1:]
            del self._quiet[self._played + 1:]
            self.comments = {number: text for number, text in self.comments.items() if number <= self._played}

    def _declare(self, outcome: Outcome) -> None:
        if not self.outcome():
            self._forget_undone()
            self._declared, self._declared_after = outcome, self._played

    # -- game files --

    def to_text(self, with_undone: bool = False) -> str:
        """The game as .agon text, on request with the moves taken back; from_text reads it back."""
        undone = len(self.undone) if with_undone else 0
        for _ in range(undone):
            self.redo()
        text = write_game(self)
        for _ in range(undone):
            self.undo()
        return text

    @classmethod
    def from_text(cls, text: str) -> "Game":
        """Read .agon text; AgonError with the line when something in it is wrong."""
        return read_game(text)

    def save(self, path: str, with_undone: bool = False) -> None:
        """Write the game to a file that is whole at every moment; AgonError if it cannot be written."""
        write_safely(path, self.to_text(with_undone))

    @classmethod
    def load(cls, path: str) -> "Game":
        """Read a game file; AgonError with file and line when something is wrong."""
        try:
            return cls.from_text(read_text(path))
        except AgonError as error:
            raise error.at(path=path)


# --- 9. Game files ---------------------------------------------------------------
# Headers [Name "value"], an empty line, numbered moves, the result:
#
#     [Format "1"]
#     [White "Ada"]
#     [Result "*"]
#
#     1. a5-b5 d1-d2 { a remark } 2. Qf1-f2 e5*a1+ *

FORMAT = 1
MAX_FILE_BYTES = 1_000_000
UNFINISHED = "*"
RESULTS: Tuple[str, ...] = ("1-0", "0-1", "1/2-1/2", UNFINISHED)
LINE_WIDTH = 79

_HEADER_NAME = re.compile(r"[A-Za-z]\w*")
_HEADER = re.compile(r'\[([A-Za-z]\w*)\s+"((?:[^"\\]|\\.)*)"\]')
_TOKEN = re.compile(r"\{[^}]*\}|\{|[^\s{]+")
_MOVE_NUMBER = re.compile(r"[0-9]+\.+")
_RULE_OPTION = re.compile(r"(queen_first|empty_throne_loses)=(on|off)")


def write_game(game: Game) -> str:
    """The game as .agon text."""
    outcome = game.outcome()
    result = outcome.result if outcome else UNFINISHED
    kept = {name: value for name, value in game.headers.items()
            if _HEADER_NAME.fullmatch(name) and name not in ("Format", "Result", "Rules", "Position")}
    headers = {"Format": str(FORMAT), **kept, "Result": result}
    if game.rules != DEFAULT_RULES:
        headers["Rules"] = " ".join(
            f"{name}={'on' if value else 'off'}" for name, value in game.rules._asdict().items())
    if game.start != Position.start():
        headers["Position"] = str(game.start)
    lines = [f'[{name} "{_escape(value)}"]' for name, value in headers.items()] + [""]

    words: List[str] = []
    number_needed = True
    first_ply = game.start.turn
    for ply, text in enumerate(game.descriptions() + [result]):
        comment = game.comments.get(ply)
        if comment:
            words += ["{", *comment.replace("}", ")").split(), "}"]
            number_needed = True
        side = (first_ply + ply) % 2
        if ply < len(game.moves) and (side == WHITE or number_needed):
            words.append(f"{(first_ply + ply) // 2 + 1}{'.' if side == WHITE else '...'}")
        number_needed = False
        words.append(text)
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > LINE_WIDTH:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return "\n".join(lines + [line]) + "\n"


def _escape(value: str) -> str:
    return re.sub(r"[\r\n]", " ", value).replace("\\", "\\\\").replace('"', '\\"')


def read_game(text: str) -> Game:
    """Read .agon text; AgonError with the line (from 1) when something in it is wrong."""
    lines = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    headers: Dict[str, str] = {}
    rules, start = DEFAULT_RULES, None
    has_headers = False
    number = 0
    while number < len(lines) and (not lines[number].strip() or lines[number].lstrip().startswith("[")):
        line = lines[number].strip()
        number += 1
        if not line:
            continue
        match = _HEADER.fullmatch(line)
        if not match:
            raise AgonError("bad_header", line).at(line=number)
        has_headers = True
        name, value = match.group(1), re.sub(r"\\(.)", r"\1", match.group(2))
        try:
            if name == "Format":
                _check_format(value)
            elif name == "Rules":
                rules = _parse_rules(value)
            elif name == "Position":
                start = Position.from_text(value)
            elif name == "Result" and value not in RESULTS:
                raise AgonError("bad_result", value)
            else:
                headers[name] = value
        except AgonError as error:
            raise error.at(line=number)
    declared = headers.pop("Result", UNFINISHED)
    game = Game(start, rules, headers)
    result = _read_moves(game, "\n".join(lines[number:]), number + 1)
    if not (has_headers or game.moves or result):
        raise AgonError("no_game")
    if declared != UNFINISHED and result is None:
        raise AgonError("cut_off", declared).at(line=len(lines))
    if declared not in (UNFINISHED, result):
        raise AgonError("other_result", result, expected=declared).at(line=len(lines))
    _apply_result(game, result or UNFINISHED, len(lines))
    return game


def _check_format(value: str) -> None:
    if not value.isdecimal():
        raise AgonError("bad_format", value)
    if len(value) > 9 or int(value) > FORMAT:
        raise AgonError("newer_format", value)


def _parse_rules(value: str) -> Rules:
    options = {}
    for word in value.split():
        match = _RULE_OPTION.fullmatch(word)
        if not match:
            raise AgonError("bad_rules", word)
        options[match.group(1)] = match.group(2) == "on"
    return Rules(**options)


def _read_moves(game: Game, text: str, line: int) -> Optional[str]:
    """Play the moves of a game text beginning on `line`; its result if it states one."""
    result: Optional[str] = None
    comments: Dict[int, List[str]] = {}
    position = played = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        line += text.count("\n", position, match.start())
        position = match.start()
        try:
            if token == "{":
                raise AgonError("open_comment")
            if token.startswith("{"):
                comments.setdefault(played, []).extend(token[1:-1].split())
                continue
            if result is not None:
                raise AgonError("after_end", token)
            if token in RESULTS:
                result = token
                continue
            token = _MOVE_NUMBER.sub("", token, count=1) if token[0].isdigit() else token
            if token:
                game.play(Move.from_text(token))
                played += 1
        except AgonError as error:
            raise error.at(line=line)
    game.comments = {number: " ".join(words) for number, words in comments.items()}
    return result


def _apply_result(game: Game, result: str, line: int) -> None:
    """Declare the end that a file states and the moves alone do not show."""
    outcome = game.outcome()
    if result == UNFINISHED:
        return
    if outcome:
        if outcome.result != result:
            raise AgonError("other_result", result, expected=outcome.result).at(line=line)
    elif result == "1/2-1/2":
        game.agree_draw()
    else:
        game.resign(BLACK if result == "1-0" else WHITE)


def read_text(path: str) -> str:
    """The text of a UTF-8 file of at most MAX_FILE_BYTES; AgonError if it cannot be had."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise AgonError("too_big", os.path.getsize(path), expected=MAX_FILE_BYTES)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise AgonError("not_text").at(path=path) from None
    except OSError as error:
        raise AgonError("unreadable", reason=error.strerror or error, number=error.errno).at(path=path) from None
    except AgonError:
        raise
    except ValueError as error:  # a path with a zero character, say
        raise AgonError("unreadable", reason=error).at(path=path) from None


def write_safely(path: str, text: str) -> None:
    """Write a UTF-8 file so that at every moment the old or the new one is there whole.

    The text goes to a temporary file beside the target, is flushed to the disk,
    and then takes the target's place.  AgonError if that fails; the old file stays.
    """
    temporary = ""
    try:
        target = os.path.realpath(path)
        temporary = f"{target}.{os.getpid()}.tmp"
        with open(temporary, "w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(temporary, os.stat(target).st_mode)
        os.replace(temporary, target)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AgonError("unwritable", reason=reason, number=getattr(error, "errno", None)).at(path=path) from None
    finally:
        try:
            os.remove(temporary)
        except (OSError, ValueError):
            pass  # it has taken the target's place
