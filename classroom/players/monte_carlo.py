"""Monte Carlo plays games with random moves from the position on, and takes the move with which it won most of them."""
import random
import sys
import time
from agon_core import RING, Move, Position, Rules, cells_of

LONGEST = 60  # single moves of a random game; after that it counts who has come further inwards


def random_game(position, side):
    """The result of a game with random moves: 1 if this side wins it, -1 if it loses, something between otherwise."""
    for _ in range(LONGEST):
        moves = position.legal_moves(rules)
        if moves:
            position = position.play(random.choice(moves), rules)
    outcome = position.outcome()
    if outcome:
        return {side: 1, 1 - side: -1}.get(outcome.winner, 0)
    own, other = (sum(RING[cell] for cell in cells_of(position.pieces(who))) for who in (side, 1 - side))
    return (other - own) / 35


for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "agon":
        print("id name Monte Carlo", "wants legal board", "agonok", sep="\n")
    elif word == "legal":
        totals = {Move.from_text(text): [] for text in rest.split()}
        rules = Rules(placement="@" in rest)
    elif word == "board":
        position = Position.from_text(rest)
    elif word == "go":
        end = time.monotonic() + int(rest.partition("movetime ")[2] or 1000) / 1000
        while time.monotonic() < end or not all(totals.values()):
            move = min(totals, key=lambda move: len(totals[move]))
            totals[move].append(random_game(position.play(move, rules), position.turn))
        print("bestmove", max(totals, key=lambda move: sum(totals[move]) / len(totals[move])))
    elif word == "quit":
        break
    sys.stdout.flush()
