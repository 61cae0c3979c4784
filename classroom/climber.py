"""Climber learns to play by trying: it changes one of its numbers and keeps the change if it then wins more.

    python classroom/climber.py 40 10 1

tries 40 changes, each in 10 games, with the luck of seed 1.  The numbers are what a piece is worth on the
throne and on rings 1 to 5, and what it is worth to trap an enemy.  At the beginning all of them are 0.
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # agon_core lies one folder up
from agon_core import BLACK, PASS, RING, WHITE, Game, cells_of

TRAP = 6      # the place of the number for trapping, behind those of the throne and the five rings
LONGEST = 150  # single moves of a game; then it counts who has come further inwards


def choose(position, numbers, luck):
    """The move by which the moving piece, and what it traps, gain most; among equal ones luck decides."""
    def worth(move):
        if move == PASS:
            return 0
        step = numbers[RING[move.target]] - numbers[RING[move.source]]
        return step + numbers[TRAP] * len(position.newly_trapped(move)) + luck.random() / 1000

    return max(position.legal_moves(), key=worth)


def play_game(white, black, luck):
    """A game between two lists of numbers: 1 if White wins it, -1 if Black does, else how much further White is."""
    game = Game()
    while not game.outcome() and game.ply < LONGEST:
        game.play(choose(game.position, (white, black)[game.position.turn], luck))
    outcome = game.outcome()
    if outcome and outcome.winner is not None:
        return 1 if outcome.winner == WHITE else -1
    white_steps, black_steps = (sum(RING[cell] for cell in cells_of(game.position.pieces(side)))
                                for side in (WHITE, BLACK))
    return (black_steps - white_steps) / 35  # each side begins with 35 steps before it


def gain(new, old, games, luck):
    """How much better the new numbers play than the old ones (-1 to 1); each has White equally often."""
    pairs = max(1, games // 2)
    return sum(play_game(new, old, luck) - play_game(old, new, luck) for _ in range(pairs)) / (2 * pairs)


def learn(tries, games, luck):
    """Climb: the numbers that are left after so many changes have been tried."""
    numbers = [0, 0, 0, 0, 0, 0, 0]
    for number in range(1, tries + 1):
        new = list(numbers)
        new[luck.randrange(len(new))] += luck.choice((-2, -1, 1, 2))
        change = gain(new, numbers, games, luck)
        print(f"{number:3}  {new}  {change:+.2f}  {'kept' if change > 0 else ''}".rstrip(), flush=True)
        if change > 0:
            numbers = new
    return numbers


if __name__ == "__main__":
    tries, games, seed = (int(word) for word in sys.argv[1:4])
    print("learnt", learn(tries, games, random.Random(seed)))
