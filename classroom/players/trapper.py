"""Trapper traps as many pieces as it can at once; if it can trap none, it hops inwards."""
import random
import sys
from agon_core import Move, Position


def worth(position, move):
    """What a move is worth: most of all the pieces it traps, then a step inwards."""
    return 2 * len(position.newly_trapped(move)) + position.is_progress(move)


def best_move(position, moves):
    """One of the moves that are worth the most."""
    most = max(worth(position, move) for move in moves)
    return random.choice([move for move in moves if worth(position, move) == most])


for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "agon":
        print("id name Trapper", "wants legal board", "agonok", sep="\n")
    elif word == "legal":
        moves = [Move.from_text(text) for text in rest.split()]
    elif word == "board":
        position = Position.from_text(rest)
    elif word == "go":
        print("bestmove", best_move(position, moves))
    elif word == "quit":
        break
    sys.stdout.flush()
