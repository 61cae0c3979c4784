"""Two Plies tries each of its moves with every reply of the other side, and plays the one whose worst reply is best."""
import sys
from agon_core import RING, Move, Position, Rules, cells_of


def steps_left(position, side):
    """How many steps inwards the pieces of a side still have before them, all together."""
    return sum(RING[cell] for cell in cells_of(position.pieces(side)))


def worth(position, side):
    """What a position is worth for a side."""
    outcome = position.outcome()
    if outcome:
        return {side: 1000, 1 - side: -1000}.get(outcome.winner, 0)
    return steps_left(position, 1 - side) - steps_left(position, side)


def worst_reply(position, side):
    """What a position is worth when the other side has answered as well as it can."""
    replies = position.legal_moves(rules)
    return min((worth(position.play(reply, rules), side) for reply in replies), default=worth(position, side))


for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "agon":
        print("id name Two Plies", "wants legal board", "agonok", sep="\n")
    elif word == "legal":
        moves = [Move.from_text(text) for text in rest.split()]
        rules = Rules(placement="@" in rest)
    elif word == "board":
        position = Position.from_text(rest)
    elif word == "go":
        side = position.turn
        print("bestmove", max(moves, key=lambda move: worst_reply(position.play(move, rules), side)))
    elif word == "quit":
        break
    sys.stdout.flush()
