"""Hopper steps inwards whenever it can, and else makes any move."""
import random
import sys
from agon_core import Move, Position

for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "agon":
        print("id name Hopper", "wants legal board", "agonok", sep="\n")
    elif word == "legal":
        moves = [Move.from_text(text) for text in rest.split()]
    elif word == "board":
        position = Position.from_text(rest)
    elif word == "go":
        inwards = [move for move in moves if position.is_progress(move)]
        print("bestmove", random.choice(inwards or moves))
    elif word == "quit":
        break
    sys.stdout.flush()
