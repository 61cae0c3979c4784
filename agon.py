"""Agon on the desktop: the window, the mouse, and the computer as a player.

    python agon.py [game.agon]

The window is divided into parts that can each be built and tried alone.  What
lies on the table is a Session, which knows no Tk; what the window shows is a
pure function of it (view_of); the widgets show that view and decide nothing.
All rules come from agon_core.  The computer thinks in a child process
(agon_ai.py serve), so the window stays alive while it does.

Contents
     1. Start-up      a plain sentence where Python or Tk is missing
     2. Texts         every short sentence in German and English, side by side
     3. User data     settings, and the one thread that writes files
     4. Session       the game on the table, its players, and what is going on
     5. Lessons       tour, puzzles and set-up, each a table of its own
     6. View          what the window shows, as a value
     7. Hand          picking, carrying, dropping
     8. Thinker       asking engines: the players, hints, the analysis
     9. Commands      what menus, buttons and keys do with a game
    10. Files         games, pictures and the clipboard
    11. Look          colours, fonts, painted pictures
    12. Board         the canvas: draws a Picture, knows the pixels
    13. Panel         the widgets beside the board
    14. Window        toolbar, board and panel in one frame; menus
    15. Dialogs       questions, new game, help
    16. Application   one event, one transition, one picture
"""

# --- 1. Start-up -----------------------------------------------------------------

import sys
import typing


# Pythons too old to read this file show this line, of all lines, as their error.
NEEDED = f"Agon needs Python 3.8 or newer, see python.org"


def stop_with(sentence: str) -> "typing.NoReturn":
    """End the program with one plain sentence on the error output."""
    if sys.stderr:
        sys.stderr.write(sentence + "\n")
    sys.exit(1)


if sys.version_info < (3, 8):
    stop_with(f"{NEEDED}; this is Python {sys.version.split()[0]}")

try:
    import tkinter as tk
    from tkinter import font as tkfont
    from tkinter import ttk
except ImportError:
    stop_with("Agon needs Tk, which this Python lacks. It is a system package: install python3-tk "
              "(Debian, Ubuntu) or python3-tkinter (Fedora); on Windows and macOS take Python from python.org")
if tk.TkVersion < 8.6:
    stop_with(f"Agon needs Tk 8.6 or newer; this is Tk {tk.TkVersion}. Take a newer Python from python.org")
try:
    import zlib
except ImportError:
    stop_with("Agon needs the module zlib, which this Python was built without. Take a Python from python.org")

import collections
import contextlib
import copy
import csv
import errno
import functools
import gc
import hashlib
import io
import json
import math
import os
import random
import re
import shlex
import struct
import threading
import time
from enum import Enum
from functools import partial
from typing import IO, Any, Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from agon_ai import (
    DRAW, INFINITY, LEARNT, LEVELS, ORDERS, OWN_ENGINE, OWN_PROGRAM, PARTS, SIDE_HEADERS, SIDE_WORDS, SIMPLE, SURE_WIN,
    TABLE_HEADS, WEIGHTS, WIN, Answer, Clock, EngineFailure, EngineProcess, Info, LastWords, Mistake, Pairing,
    ProtocolError, Reason, Review, Said, TimeControl, Tournament, TreeLine, TreeStep, Weights, annotate, board_plies,
    chance, changed_weights, explain, missing_file, pairings_of, parse_record, parse_tree_line, program_command,
    program_name, programs_in, score_before, source_of, standings, table_rows, tree_steps)
from agon_ai import reason as reason_of
from agon_core import (
    BLACK, CELLS, CROSS, CROWN, ERROR_TEXTS, FILES, GUARD_SHAPES, HEXAGON, NEIGHBOURS, PASS, PIECE_DIAMETER,
    PIECE_SHAPES, PLATE_HEIGHT, PLATE_WIDTH, PRINT, QUEEN_SHAPES, QUIET_MOVES_TO_DRAW, RADIUS, RING, ROOT3, STAR,
    THRONE, WHITE, WINNING_CELLS, AgonError, Cell, Colours, Diagram, Disc, Ending, ForcedWins, Game, IllegalMove,
    Layout, Lesson, Move, Outcome, PieceColours, Point, Position, Refusal, Rules, Standing, board_sheet, cell_name,
    cells_of, diagrams_svg, forcing_moves, game_sheet, is_goal_reached, lessons_of, load_lessons, moves_that_reach,
    moves_to_go, parse_cell, position_tasks, puzzle_sheet, puzzle_tasks, read_games, read_text, remove_leftovers,
    rules_sheet, set_aside, standing, visible, write_safely)

VERSION = "2.0"
HERE = os.path.dirname(os.path.abspath(__file__))
CLASSROOM = os.path.join(HERE, "classroom")
IS_MAC = sys.platform == "darwin"

# --- 2. Texts --------------------------------------------------------------------

LANGUAGES = {"de": "Deutsch", "en": "English"}

#: Every text of the window: key -> (German, English).
TEXTS: Dict[str, Tuple[str, str]] = {
    "white": ("Weiß", "White"),
    "black": ("Schwarz", "Black"),
    "you": ("Du", "You"),
    "level": ("Stufe {level}", "Level {level}"),
    "computer_changed": ("Computer mit deinen Zahlen", "Computer with your numbers"),
    "short_changed": ("Deine Zahlen", "Your numbers"),
    "short_beginner": ("Anfänger", "A beginner"),
    "computer_beginner": ("Computer als Anfänger", "Computer as a beginner"),
    "computer": ("Computer, Stufe {level}", "Computer, level {level}"),
    # the four places
    "place_game": ("Spiel", "Game"),
    "place_learn": ("Lernen", "Learn"),
    "place_puzzles": ("Rätsel", "Puzzles"),
    "place_analysis": ("Analyse", "Analysis"),
    "new": ("Neues Spiel", "New game"),
    "menu": ("Menü", "Menu"),
    # the players
    "guards_home": ("Wachen {count}/6", "Guards {count}/6"),
    "to_move": ("{side} · am Zug", "{side} · to move"),
    "has_won": ("{side} · gewonnen", "{side} · has won"),
    # the message box: whose turn it is
    "your_turn": ("Du bist am Zug", "Your move"),
    "turn": ("{side} ist am Zug", "{side} to move"),
    "turn_of": ("{name} ist am Zug", "{name} to move"),
    "computer_turn": ("Der Computer denkt …", "The computer is thinking …"),
    "program_turn": ("{name} denkt …", "{name} is thinking …"),
    "other_turn": ("Der andere Computer ist am Zug", "The other computer is to move"),
    "paused": ("Angehalten", "Paused"),
    "say_paused": ("Weiter mit {key}.", "Go on with {key}."),
    "looking_back": ("Du schaust zurück", "Looking back"),
    "say_from_here": ("{last} führt zum letzten Zug, mit {key} geht das Spiel von hier weiter.",
                      "{last} leads to the last move; with {key} the game goes on from here."),
    "say_clock_held": ("Die Uhr steht. Weiter mit {key} oder mit einem Zug.",
                       "The clock is held. Go on with {key} or with a move."),
    "say_start": ("Zieh einen Stein mit der Maus: den Ring entlang oder einen Ring weiter nach innen.",
                  "Drag a piece with the mouse: along its ring or one ring further inwards."),
    "say_place": ("Stell eine Wache auf: Klick auf ein Feld mit Punkt, oder zieh sie von neben dem Brett dorthin. "
                  "Noch {count}.", "Place a guard: click on a cell with a dot, or drag it there from beside the "
                  "board. {count} to go."),
    "say_thinking": ("Der Computer denkt …", "The computer is thinking …"),
    # the message box: pieces that are trapped
    "trapped_your_guard": ("Deine Wache ist eingeschlossen", "Your guard is trapped"),
    "trapped_your_queen": ("Deine Königin ist eingeschlossen", "Your queen is trapped"),
    "trapped_your_several": ("Mehrere deiner Steine sind eingeschlossen", "Several of your pieces are trapped"),
    "trapped_guard": ("Eine Wache von {side} ist eingeschlossen", "A guard of {side} is trapped"),
    "trapped_queen": ("Die Königin von {side} ist eingeschlossen", "The queen of {side} is trapped"),
    "trapped_several": ("Mehrere Steine von {side} sind eingeschlossen", "Several pieces of {side} are trapped"),
    "trapped_move": ("{side} zog {move}.", "{side} played {move}."),
    "trapped_between": ("{piece} steht zwischen {cells}.", "{piece} stands between {cells}."),
    "and": (" und ", " and "),
    "piece_guard": ("Die Wache auf {cell}", "The guard on {cell}"),
    "piece_queen": ("Die Königin auf {cell}", "The queen on {cell}"),
    "task_guard": ("Setz sie auf den Außenring: auf ein Feld mit einem Punkt.",
                   "Put it on the outer ring: on a cell with a dot."),
    "task_queen": ("Setz sie auf irgendein freies Feld außer dem Thron.",
                   "Put her on any free cell except the throne."),
    "task_guards": ("Setz eine von ihnen auf ein freies Feld des Außenrings.",
                    "Put one of them on a free cell of the outer ring."),
    "task_several": ("Setz einen dieser Steine um: Wachen auf den Außenring, die Königin irgendwohin, nur nicht auf "
                     "den Thron.",
                     "Relocate one of them: guards to the outer ring, the queen anywhere but the throne."),
    "task_queen_first": ("Die Königin geht vor: Setz sie auf irgendein freies Feld außer dem Thron.",
                         "The queen goes first: put her on any free cell except the throne."),
    "must_relocate": ("{side} muss umsetzen", "{side} must relocate"),
    "relocated_guard": ("{side} setzt die eingeschlossene Wache {cell} nach {target} um.",
                        "{side} puts the trapped guard {cell} on {target}."),
    "relocated_queen": ("{side} setzt die eingeschlossene Königin {cell} nach {target} um.",
                        "{side} puts the trapped queen {cell} on {target}."),
    # the message box: what has happened
    "say_pass": ("{side} kann nicht ziehen und setzt aus.", "{side} cannot move and passes."),
    "say_hint": ("Vorschlag: {move}", "Suggestion: {move}"),
    "say_hint_why": ("Vorschlag: {move}. Der Zug {why}.", "Suggestion: {move}. The move {why}."),
    "hint_piece": ("Es geht um den markierten Stein.", "It is about the piece that is marked."),
    # what a move is good for
    "why_wins": ("gewinnt in {number} Zügen", "wins in {number} moves"),
    "why_wins_now": ("gewinnt sofort", "wins at once"),
    "why_draws": ("macht das Spiel unentschieden", "makes the game a draw"),
    "why_only": ("ist der einzig mögliche", "is the only one possible"),
    "why_lost": ("kann nicht verhindern, dass du in {number} Zügen verlierst",
                 "cannot prevent the loss in {number} moves"),
    "why_lost_now": ("kann die Niederlage nicht verhindern", "cannot prevent the loss"),
    "why_prevents": ("verhindert {move}", "prevents {move}"),
    "why_traps": ("schließt {cells} ein", "traps {cells}"),
    "why_protects": ("schützt {cells} davor, durch {move} eingeschlossen zu werden",
                     "protects {cells} from being trapped by {move}"),
    "why_escapes": ("bringt {cells} in Sicherheit vor {move}", "takes {cells} out of the way of {move}"),
    "why_threatens": ("droht {move}", "threatens {move}"),
    "why_throne": ("bringt die Königin auf den Thron", "brings the queen to the throne"),
    "why_home": ("bringt eine Wache auf {cells} an ihren Platz", "brings a guard home to {cells}"),
    "why_nearer": ("bringt einen Stein näher an den Thron", "brings a piece nearer to the throne"),
    "say_no_moves": ("Dieser Stein kann jetzt nicht ziehen.", "This piece cannot move now."),
    "say_wait": ("Du bist nicht am Zug.", "It is not your turn."),
    "say_watching": ("Du schaust zu: Gezogen wird an den beiden anderen Computern.",
                     "You are watching: the moves are made at the two other computers."),
    "computer_player": ("Der Computerspieler", "The computer player"),
    "say_look_only": ("Du schaust zurück. Mit {key} kommst du zum letzten Zug.",
                      "You are looking back. {key} brings you to the last move."),
    "fail_missing": ("{who} lässt sich nicht starten ({reason}).", "{who} cannot be started ({reason})."),
    "fail_ended": ("{who} hat sich beendet.", "{who} has ended."),
    "fail_ended_with": ("{who} hat sich beendet: {last}.", "{who} has ended: {last}."),
    "fail_slow": ("{who} antwortet nicht mehr und wurde beendet.", "{who} no longer answers and was ended."),
    "fail_illegal": ("{who} hat keinen möglichen Zug genannt. {why}", "{who} named no possible move. {why}"),
    "fail_other": ("{who}: {why}", "{who}: {why}"),
    "say_try_again": ("{failure} {key} versucht es noch einmal.", "{failure} {key} tries again."),
    "say_repetition": ("Diese Stellung gab es jetzt zweimal; beim dritten Mal ist das Spiel unentschieden.",
                       "This position has occurred twice; the third time the game is drawn."),
    "say_quiet": ("Ohne Schritt nach innen oder Umsetzen ist das Spiel bald unentschieden. Züge bis dahin: {count}.",
                  "Without a step inwards or a relocation the game will soon be drawn. Moves until then: {count}."),
    "say_draw_declined": ("Dein Remis-Angebot wird abgelehnt.", "Your offer of a draw is declined."),
    "say_saved": ("Gespeichert: {name}", "Saved: {name}"),
    "say_not_kept": ("Das laufende Spiel kann nicht gesichert werden ({reason}).",
                     "The running game cannot be kept ({reason})."),
    "say_progress_not_kept": ("Der Fortschritt kann nicht gesichert werden ({reason}).",
                              "The progress cannot be kept ({reason})."),
    "say_settings_not_kept": ("Die Einstellungen können nicht gesichert werden ({reason}).",
                              "The settings cannot be kept ({reason})."),
    "say_set_aside": ("Das zuletzt laufende Spiel war nicht lesbar ({reason}). Es liegt jetzt unter: {name}",
                      "The game that was running could not be read ({reason}). It is kept as: {name}"),
    "say_orphan": ("Das Spiel eines zweiten Fensters liegt bereit: Menü, Spiel, Voriges Spiel zurückholen.",
                   "The game of a second window is at hand: menu, Game, Bring back the previous game."),
    "say_branched": ("Ein neues Spiel ab Zug {number}. Das alte bleibt, wie es ist.",
                     "A new game from move {number}. The old one stays as it is."),
    "say_copied_position": ("Die Stellung ist in der Zwischenablage.", "The position is on the clipboard."),
    "say_copied_talk": ("Das Gespräch ist in der Zwischenablage.", "The conversation is on the clipboard."),
    "say_copied_game": ("Das Spiel ist in der Zwischenablage.", "The game is on the clipboard."),
    "say_typed": ("Zug: {text}", "Move: {text}"),
    "say_cell": ("{cell}: frei", "{cell}: free"),
    "say_guard": ("{cell}: Wache ({side})", "{cell}: guard ({side})"),
    "say_queen": ("{cell}: Königin ({side})", "{cell}: queen ({side})"),
    # a game with another computer
    "other_computer": ("Der andere Computer", "The other computer"),
    "other_player": ("Der andere", "The other one"),
    "say_other": ("{text}", "{text}"),
    "say_draw_offered": ("Remis angeboten. Der andere Computer kann annehmen, bis er zieht.",
                         "Draw offered. The other computer may accept until it moves."),
    "say_draw_refused": ("Der andere lehnt das Remis ab.", "The other player declines the draw."),
    "say_draw_gone": ("Das Angebot gilt nicht mehr: Die Verbindung fehlt.", "The offer has lapsed: the line is gone."),
    "ask_other_draw": ("Der andere bietet ein Remis an. Nimmst du an?",
                       "The other player offers a draw. Do you accept?"),
    "link_failed": ("Keine Verbindung", "No connection"),
    "link_retry": ("Noch einmal versuchen", "Try again"),
    "link_change": ("Ändern …", "Change …"),
    "link_leave": ("Nicht mehr warten", "Stop waiting"),
    # how it ended
    "you_won": ("Du hast gewonnen!", "You have won!"),
    "computer_won": ("Der Computer hat gewonnen", "The computer has won"),
    "won": ("{name} gewinnt", "{name} wins"),
    "drawn": ("Unentschieden", "Draw"),
    "you_resigned": ("Du hast aufgegeben.", "You have resigned."),
    "ended_on": ("Ende im {number}. Zug", "ended on move {number}"),
    "next_level": ("Stufe {level} versuchen", "Try level {level}"),
    "again": ("Revanche", "Rematch"),
    "look_through": ("Spiel durchsehen", "Review the game"),
    # the first start
    "welcome": ("Neu bei Agon?", "New to Agon?"),
    "welcome_text": ("Alle Regeln, Zug für Zug auf dem Brett. Später jederzeit oben unter „Lernen“.",
                     "All the rules, move by move on the board. Later always above, under “Learn”."),
    "welcome_tour": ("Agon kennenlernen · 10 Minuten", "Get to know Agon · 10 minutes"),
    "welcome_play": ("Gleich spielen, Stufe 1", "Play at once, level 1"),
    # menus
    "ctrl": ("Strg", "Ctrl"),
    "menu_file": ("Datei", "File"),
    "menu_game": ("Spiel", "Game"),
    "menu_learn": ("Lernen", "Learn"),
    "menu_view": ("Ansicht", "View"),
    "menu_help": ("Hilfe", "Help"),
    "open": ("Öffnen …", "Open …"),
    "recent": ("Zuletzt geöffnet", "Recent files"),
    "no_recent": ("noch keine", "none yet"),
    "save": ("Speichern", "Save"),
    "save_as": ("Speichern unter …", "Save as …"),
    "export": ("Als Bild exportieren", "Export as picture"),
    "export_board_png": ("Brett (PNG) …", "Board (PNG) …"),
    "export_board": ("Brett (SVG) …", "Board (SVG) …"),
    "export_board_print": ("Brett, schwarz auf weiß (SVG) …", "Board, black on white (SVG) …"),
    "export_game": ("Diagramme des Spiels (SVG) …", "Diagrams of the game (SVG) …"),
    "export_game_print": ("Diagramme des Spiels, schwarz auf weiß (SVG) …",
                          "Diagrams of the game, black on white (SVG) …"),
    "print": ("Drucken", "Print"),
    "print_rules": ("Regeln auf einer Seite", "Rules on one page"),
    "print_game": ("Dieses Spiel", "This game"),
    "print_board": ("Leeres Brett", "Empty board"),
    "print_puzzles": ("Rätsel: {title}", "Puzzles: {title}"),
    "print_gathered": ("Gesammelte Stellungen: {count}", "Gathered positions: {count}"),
    "gather": ("Stellung zum Drucken sammeln", "Gather position for printing"),
    "forget_gathered": ("Gesammelte Stellungen vergessen", "Forget gathered positions"),
    "forget": ("Vergessen", "Forget"),
    "ask_forget": ("Die gesammelten Stellungen ({count}) gibt es nur hier. Vergessen?",
                   "The gathered positions ({count}) are nowhere else. Forget them?"),
    "gathered_title": ("Agon: Stellungen", "Agon: positions"),
    "say_gathered": ("Gesammelt: {count}. Gedruckt wird im Menü „Datei“ unter „Drucken“.",
                     "Gathered: {count}. They are printed by “Print” in the menu “File”."),
    "say_printing": ("Die Seiten stehen im Browser. Dort kannst du sie drucken.",
                     "The pages stand in the browser. There you can print them."),
    "say_no_browser": ("Hier öffnet sich kein Browser. Die Seiten stehen in {name}.",
                       "No browser opens here. The pages are in {name}."),
    "copy_position": ("Stellung kopieren", "Copy position"),
    "copy_game": ("Spiel kopieren", "Copy game"),
    "paste": ("Stellung oder Spiel einfügen", "Paste position or game"),
    "quit": ("Beenden", "Quit"),
    "new_game": ("Neues Spiel …", "New game …"),
    "with_computer": ("Mit einem anderen Computer …", "With another computer …"),
    "previous_game": ("Voriges Spiel zurückholen", "Bring back the previous game"),
    "undo": ("Zug zurücknehmen", "Take back move"),
    "redo": ("Zug wiederholen", "Redo move"),
    "first": ("Zum Anfang", "To the start"),
    "previous": ("Vorige Stellung", "Previous position"),
    "next": ("Nächste Stellung", "Next position"),
    "last": ("Zum letzten Zug", "To the last move"),
    "hint": ("Tipp", "Hint"),
    "move_now": ("Sofort ziehen", "Move now"),
    "pause": ("Computer anhalten / weiterspielen lassen", "Pause / resume the computer"),
    "one_move": ("Computer einen Zug ziehen lassen", "Let the computer make one move"),
    "level_menu": ("Spielstärke", "Level"),
    "swap": ("Seiten tauschen", "Swap sides"),
    "offer_draw": ("Remis anbieten …", "Offer a draw …"),
    "resign": ("Aufgeben …", "Resign …"),
    "tour": ("Agon kennenlernen", "Getting to know Agon"),
    "puzzles": ("Rätsel", "Puzzles"),
    "set_up": ("Stellung aufbauen", "Set up a position"),
    "tree": ("Minimax beim Denken zusehen", "Watch minimax think"),
    "own_program": ("Eigenes Programm spielen lassen …", "Let your own program play …"),
    "conversation": ("Gespräch mit dem Programm", "Conversation with the program"),
    "flip": ("Brett drehen", "Turn the board"),
    "ranks": ("Reihenzahlen", "Rank numbers"),
    "analysis": ("Analyse", "Analysis"),
    "animation": ("Züge animieren", "Animate moves"),
    "theme": ("Farben", "Theme"),
    "theme_light": ("Hell", "Light"),
    "theme_dark": ("Dunkel", "Dark"),
    "theme_contrast": ("Starker Kontrast", "High contrast"),
    "larger": ("Größere Schrift", "Larger text"),
    "smaller": ("Kleinere Schrift", "Smaller text"),
    "full_screen": ("Vollbild", "Full screen"),
    "language": ("Sprache", "Language"),
    "help": ("Regeln und Tasten", "Rules and keys"),
    "about": ("Über Agon", "About Agon"),
    "about_text": ("Agon {version}\n\nDas älteste bekannte Spiel auf einem Brett mit sechseckigen "
                   "Feldern, auch „Königinswache“ genannt (1842).\n\nPython {python} · Tk {tk}",
                   "Agon {version}\n\nThe oldest known game on a board of hexagons, also called “Queen’s Guards” "
                   "(1842).\n\nPython {python} · Tk {tk}"),
    "help_keys": ("Tasten", "Keys"),
    # the list of moves, and the analysis
    "no_moves": ("Hier stehen gleich die Züge.", "The moves will stand here."),
    "analysis_summary": ("Tiefe {depth} · {nodes} Stellungen", "Depth {depth} · {nodes} positions"),
    "analysis_waits": ("Die Analyse wartet.", "The analysis is waiting."),
    "review": ("Das Spiel wird durchgesehen: {percent} %", "Analysing the game: {percent} %"),
    "review_done": ("Ein Klick auf die Kurve zeigt die Stellung.", "Click on the curve to see the position."),
    "wins_in": ("{side} gewinnt in {moves}", "{side} wins in {moves}"),
    # tour, puzzles, set-up
    "no_classroom": ("Der Ordner „classroom“ neben dem Programm fehlt oder ist leer; dort liegen Tour und Rätsel.",
                     "The folder “classroom” beside the program is missing or empty; it holds tour and puzzles."),
    "own_pages": ("Eigene Seiten", "Pages of your own"),
    "no_own_pages": ("keine im Ordner „classroom“", "none in the folder “classroom”"),
    "own_pages_empty": ("In {name} steht kein Rätsel, kein kleines Spiel und keine Seite der Tour.",
                        "{name} holds no puzzle, no small game and no page of the tour."),
    "waiting_game": ("Dein angefangenes Spiel wartet unter „Spiel“.", "Your game waits under “Game”."),
    "page_of": ("Seite {number} von {count}", "Page {number} of {count}"),
    "page_back": ("‹ Zurück", "‹ Back"),
    "page_next": ("Weiter ›", "Next ›"),
    "page_skip": ("Überspringen ›", "Skip ›"),
    "page_again": ("Noch einmal", "Once more"),
    "first_game": ("Erstes Spiel, Stufe 1", "First game, level 1"),
    "to_puzzles": ("Zu den Rätseln ›", "To the puzzles ›"),
    "page_close": ("Zurück zum Spiel", "Back to the game"),
    "lesson_right": ("Richtig! {praise}", "Right! {praise}"),
    "lesson_wrong": ("{wrong}", "{wrong}"),
    "lesson_next_step": ("Gut! Nun der zweite Teil.", "Good! Now the second part."),
    "lesson_other": ("Das ist erlaubt, aber hier ist etwas anderes gefragt.",
                     "That is allowed, but something else is asked for here."),
    "puzzles_count": ("{solved} von {count} gelöst, {helped} davon mit Tipp",
                      "{solved} of {count} solved, {helped} with a hint"),
    "puzzle_number": ("Rätsel {number}", "Puzzle {number}"),
    "puzzle_of": ("Rätsel {number} von {count}", "Puzzle {number} of {count}"),
    "puzzle_open": ("Rätsel {number} öffnen ›", "Open puzzle {number} ›"),
    "puzzle_next": ("Nächstes Rätsel ›", "Next puzzle ›"),
    "puzzle_shelf": ("‹ Alle Rätsel", "‹ All puzzles"),
    "shelf_note": ("Pfeiltasten wählen, die Eingabetaste oder ein Klick öffnet.",
                   "The arrow keys choose, Enter or a click opens."),
    "shelf_count": ("{solved} von {count}", "{solved} of {count}"),
    "shelf_alone": ("allein gelöst", "solved alone"),
    "shelf_helped": ("mit Tipp gelöst", "solved with a hint"),
    "puzzle_you": ("Du bist {side}.", "You are {side}."),
    "puzzle_task_win": ("Gewinn {within}.", "Win {within}."),
    "puzzle_task_trap": ("Schließ mit einem Zug einen Stein ein.", "Trap a piece with one move."),
    "puzzle_task_trap_two": ("Schließ mit einem Zug zwei Steine ein.", "Trap two pieces with one move."),
    "puzzle_task_trap_queen": ("Schließ mit einem Zug die gegnerische Königin ein.",
                               "Trap the enemy queen with one move."),
    "puzzle_task_exception": ("Zieh zwischen zwei gegnerische Steine und schließ damit beide ein.",
                              "Go between two enemies and trap both of them by that."),
    "puzzle_task_relocate_trap": ("Setz den eingeschlossenen Stein so um, dass du selbst einen einschließt.",
                                  "Relocate the trapped piece so that you trap one yourself."),
    "puzzle_task_safe": ("Zieh so, dass {other} danach nichts einschließen kann.",
                         "Move so that {other} can trap nothing with the next move."),
    "puzzle_task_hold": ("Zieh so, dass {other} nicht {within} gewinnen kann.",
                         "Move so that {other} cannot win {within}."),
    "within_1": ("in einem Zug", "in one move"),
    "within_2": ("in zwei Zügen", "in two moves"),
    "within_3": ("in drei Zügen", "in three moves"),
    "within_4": ("in vier Zügen", "in four moves"),
    "within_5": ("in fünf Zügen", "in five moves"),
    "within": ("in {count} Zügen", "in {count} moves"),
    "puzzle_known": ("Schon gelöst.", "Solved before."),
    "puzzle_known_helped": ("Mit Tipp schon gelöst. Geht es auch ohne?",
                            "Solved with a hint before. Can you do it without?"),
    "puzzle_solution": ("Lösung", "Solution"),
    "puzzle_solved": ("Gelöst! {praise}", "Solved! {praise}"),
    "puzzle_solved_helped": ("Mit Tipp gelöst; das Rätsel kommt wieder. {praise}",
                             "Solved with a hint; the puzzle will come back. {praise}"),
    "puzzle_shown": ("Das war die Lösung. {praise}", "That was the solution. {praise}"),
    "puzzle_go_on": ("Gut! Jetzt geht es {within}.", "Good! Now it can be done {within}."),
    "puzzle_hint_piece": ("Es geht um {piece}. Noch ein Tipp zeigt den Zug.",
                          "It is about {piece}. Another hint shows the move."),
    "puzzle_too_slow": ("Das ist zu langsam: Danach brauchst du noch mindestens {count} Züge.",
                        "That is too slow: after it you still need at least {count} moves."),
    "puzzle_too_slow_by_one": ("Noch ist der Ring um deine Königin nicht geschlossen: Es fehlt noch ein Zug.",
                               "The ring around your queen is not closed yet: one more move is needed."),
    "puzzle_drawn": ("Jetzt kann niemand mehr ziehen: Das Spiel ist remis.",
                     "Now nobody can move any more: the game is drawn."),
    "puzzle_lost": ("Der Ring ist zu, aber deine Königin sitzt nicht auf dem Thron: Damit ist das Spiel verloren.",
                    "The ring is closed, but your queen is not on the throne: that loses the game."),
    "puzzle_traps_none": ("Damit ist kein Stein eingeschlossen.", "That traps no piece."),
    "puzzle_traps_one": ("Damit ist nur ein Stein eingeschlossen.", "That traps only one piece."),
    "puzzle_traps_other": ("Damit ist die Königin nicht eingeschlossen.", "That does not trap the queen."),
    "puzzle_not_between": ("Dort steht dein Stein nicht zwischen zwei gegnerischen.",
                           "There your piece does not stand between two enemies."),
    "puzzle_refuted": ("Dagegen hilft {move}: {within} geht es nun nicht mehr.",
                       "{move} helps against that: it cannot be done {within} any more."),
    "puzzle_refuted_trap": ("{move} schließt {piece} ein, und {within} geht es nicht mehr.",
                            "{move} traps {piece}, and it cannot be done {within} any more."),
    "puzzle_refuted_place": ("Mit {move} steht {other} selbst am Thron, und der Ring bleibt offen.",
                             "With {move} {other} stands at the throne, and the ring stays open."),
    "puzzle_unsafe": ("{move} schließt {piece} ein.", "{move} traps {piece}."),
    "puzzle_not_held": ("Nach {move} gewinnt {other} {within}.", "After {move} {other} wins {within}."),
    "puzzle_not_held_now": ("{move} gewinnt sofort.", "{move} wins at once."),
    "the_guard": ("die Wache auf {cell}", "the guard on {cell}"),
    "the_queen": ("die Königin auf {cell}", "the queen on {cell}"),
    "puzzle_failed": ("Der Computerspieler ist ausgefallen. Versuch es noch einmal.",
                      "The computer player has failed. Try once more."),
    # the progress of who learns here
    # small games
    "small_games": ("Kleine Spiele", "Small games"),
    "to_small_games": ("Kleine Spiele ›", "Small games ›"),
    "small_count": ("{solved} von {count} geschafft, {helped} davon mit Hilfe",
                    "{solved} of {count} done, {helped} with help"),
    "small_of": ("Kleines Spiel {number} von {count}", "Small game {number} of {count}"),
    "small_open": ("Spielen ›", "Play ›"),
    "small_next": ("Nächstes kleines Spiel ›", "Next small game ›"),
    "small_shelf": ("‹ Alle kleinen Spiele", "‹ All small games"),
    "small_level": ("Stufe", "Level"),
    "small_higher": ("Noch einmal, Stufe {level}", "Once more, level {level}"),
    "small_lower": ("Leichter: Stufe {level}", "Easier: level {level}"),
    "small_alone": ("allein geschafft", "done alone"),
    "small_with_help": ("mit Hilfe geschafft", "done with help"),
    "small_left": ("Noch {count} Züge.", "{count} moves left."),
    "small_last": ("Noch ein Zug!", "One move left!"),
    "small_score": ("Geschafft: {count}.", "Done: {count}."),
    "small_score_both": ("Es steht {count} : {rival}.", "The score is {count} : {rival}."),
    "small_reached": ("Geschafft! {praise}", "Well done! {praise}"),
    "small_helped": ("Mit Hilfe geschafft. {praise}", "Done with help. {praise}"),
    "small_missed": ("{why} {wrong}", "{why} {wrong}"),
    "small_too_late": ("{other} war schneller.", "{other} was faster."),
    "small_not_held": ("{other} hat es geschafft.", "{other} has done it."),
    "small_no_moves": ("Die {count} Züge sind aufgebraucht.", "The {count} moves are used up."),
    "small_resigned": ("Du hast aufgegeben.", "You have given up."),
    "small_hint_1": ("Mit {move} hast du es geschafft.", "With {move} you are there."),
    "small_hint_2": ("Mit {move} schaffst du es im nächsten Zug, was der Computer auch tut.",
                     "With {move} you will be there next move, whatever the computer does."),
    "progress": ("Fortschritt", "Progress"),
    "progress_of": ("Namen auf diesem Computer: {count}", "Names on this computer: {count}"),
    "nameless": ("Ohne Namen", "Without a name"),
    "progress_tour": ("Agon kennenlernen: {done} von {count} Aufgaben",
                      "Getting to know Agon: {done} of {count} tasks"),
    "progress_small": ("Kleine Spiele: {done} von {count} geschafft", "Small games: {done} of {count} done"),
    "progress_puzzles": ("Rätsel: {done} von {count} gelöst", "Puzzles: {done} of {count} solved"),
    "progress_helped": ("Rätsel: {done} von {count} gelöst, mit Hilfe {helped}",
                        "Puzzles: {done} of {count} solved, with help {helped}"),
    "progress_no_games": ("Kein Spiel gegen den Computer beendet.", "No game against the computer finished."),
    "progress_level": ("Stufe {level}: gewonnen {won}, remis {drawn}, verloren {lost}",
                       "Level {level}: won {won}, drawn {drawn}, lost {lost}"),
    "progress_row": ("Rätsel {puzzles} · Spiele {games}", "Puzzles {puzzles} · games {games}"),
    "progress_name": ("Anderer Name …", "Another name …"),
    "progress_export": ("Als CSV speichern …", "Save as CSV …"),
    "progress_forget": ("Name löschen …", "Delete name …"),
    "ask_forget_name": ("„{name}“ mit allem löschen, was unter diesem Namen geschafft ist (Aufgaben: {solved}, Spiele: "
                        "{games})? Zurückholen lässt es sich nicht.",
                        "Delete “{name}” with all that has been done under this name (tasks: {solved}, games: "
                        "{games})? It cannot be brought back."),
    "progress_clear": ("Fortschritt löschen …", "Delete progress …"),
    "ask_forget_nameless": ("Alles löschen, was ohne Namen geschafft ist (Aufgaben: {solved}, Spiele: {games})? "
                            "Zurückholen lässt es sich nicht.",
                            "Delete all that has been done without a name (tasks: {solved}, games: {games})? It cannot "
                            "be brought back."),
    "delete": ("Löschen", "Delete"),
    "progress_note": ("Alle Namen bleiben auf diesem Computer.", "All names stay on this computer."),
    "name_text": ("Wie heißt du? Unter diesem Namen merkt sich das Programm auf diesem Computer, was du schon kannst. "
                  "Ohne Namen geht es auch.",
                  "What is your name? By it the program keeps, on this computer, what you have done so far. It works "
                  "without a name, too."),
    "name_ok": ("Weiter", "Go on"),
    "csv_name": ("Name", "Name"),
    "csv_tour": ("Tour: Aufgaben", "Tour: tasks"),
    "csv_small": ("Kleine Spiele", "Small games"),
    "csv_solved": ("Rätsel allein", "Puzzles alone"),
    "csv_helped": ("Rätsel mit Hilfe", "Puzzles with help"),
    "csv_won": ("Stufe {level} gewonnen", "Level {level} won"),
    "csv_drawn": ("Stufe {level} unentschieden", "Level {level} drawn"),
    "csv_lost": ("Stufe {level} verloren", "Level {level} lost"),
    "csv_last": ("Letztes Spiel", "Last game"),
    "files_csv": ("Tabellen", "Tables"),
    # learning from mistakes
    "learn_mistakes": ("Aus Fehlern lernen", "Learn from mistakes"),
    "mistakes_players": ("{white} – {black}", "{white} – {black}"),
    "mistakes_looking": ("Das Spiel wird durchgesehen", "Looking through the game"),
    "mistakes_done": ("{done} von {count} Stellungen. Gefundene Fehler: {found}",
                      "{done} of {count} positions. Mistakes found: {found}"),
    "mistakes_stop": ("Anhalten", "Stop"),
    "mistakes_none": ("Keine Fehler gefunden", "No mistakes found"),
    "mistakes_none_text": ("Hier hat kein einzelner Zug die Gewinnchance deutlich verschlechtert. Die Kurve zeigt, wie "
                           "es auf und ab ging.",
                           "Here no single move has clearly lowered the chance of winning. The curve shows how things "
                           "went up and down."),
    "mistakes_weak": ("Ein deutlicher Fehler war nicht dabei. Diese Züge haben am meisten gekostet.",
                      "There was no clear mistake. These moves have cost the most."),
    "mistakes_partly": ("Durchgesehen bis zum {number}. Zug.", "Looked through up to move {number}."),
    "mistakes_go_on": ("Weiter durchsehen", "Go on looking"),
    "mistakes_you": ("Du hast {move}{mark} gespielt.", "You played {move}{mark}."),
    "mistakes_side": ("{side} hat {move}{mark} gespielt.", "{side} played {move}{mark}."),
    "mistakes_task": ("Findest du etwas Besseres?", "Find something better."),
    "sides_white": ("Weiß", "White"),
    "sides_black": ("Schwarz", "Black"),
    "sides_both": ("beide", "both"),
    "mistakes_right": ("Richtig! {why}", "Right! {why}"),
    "mistakes_as_good": ("Auch gut! {why}", "Just as good! {why}"),
    "mistakes_why": ("{move} {why}.", "{move} {why}."),
    "mistakes_same": ("Das ist der Zug aus dem Spiel.", "That is the move of the game."),
    "mistakes_wrong": ("Das ist nicht viel besser: Die Antwort ist {move}.",
                       "That is not much better: the answer is {move}."),
    "mistakes_ended": ("Damit ist das Spiel zu Ende, und es ging besser.",
                       "That ends the game, and there was something better."),
    "mistakes_shown": ("Besser war {move}.", "Better was {move}."),
    "mistakes_line": ("So kann es weitergehen: {line}", "It may go on like this: {line}"),
    "mistakes_play": ("Vorspielen", "Play it"),
    "mistakes_next": ("Nächster Fehler ›", "Next mistake ›"),
    "mistakes_back": ("‹ Voriger Fehler", "‹ Previous mistake"),
    "weak_next": ("Nächster Zug ›", "Next move ›"),
    "weak_back": ("‹ Voriger Zug", "‹ Previous move"),
    "mistakes_solution": ("Lösung zeigen", "Show solution"),
    "mistakes_save": ("Fehler speichern …", "Save the mistakes …"),
    "mistakes_note": ("Dein Spiel bleibt, wie es ist: Versuche hier ändern nichts daran.",
                      "Your game stays as it is: what you try here changes nothing in it."),
    "cost_steps": ("kostete {steps} Schritte", "cost {steps} steps"),
    "cost_win": ("Gewinn in {number} verpasst", "missed a win in {number}"),
    "cost_loss": ("verlor das Spiel", "lost the game"),
    "comment_win": ("verpasst den Gewinn in {number}", "misses a win in {number}"),
    "comment_chance": ("Gewinnchance {before} % -> {after} %", "chance of winning {before} % -> {after} %"),
    "comment_better": ("{what}; besser {move}", "{what}; better {move}"),
    "comment_better_why": ("{what}; besser {move}: {why}", "{what}; better {move}: {why}"),
    # exercises of one's own
    "exercise": ("Als Aufgabe …", "As exercise …"),
    "exercise_save": ("Als Aufgabe speichern", "Save as exercise"),
    "exercise_game": ("Kleines Spiel", "Small game"),
    "exercise_puzzle": ("Rätsel", "Puzzle"),
    "goal_throne": ("Königin auf den Thron", "queen on the throne"),
    "goal_home": ("Königin und Wachen nach Hause", "queen and guards at home"),
    "goal_hold": ("durchhalten", "hold out"),
    "goal_trap": ("einen Stein einschließen", "trap a piece"),
    "goal_trap_trap": ("zweimal einschließen", "trap twice"),
    "goal_trap_two": ("zwei Steine einschließen", "trap two pieces"),
    "goal_trap_queen": ("die Königin einschließen", "trap the queen"),
    "goal_exception": ("die Ausnahme nutzen", "use the exception"),
    "goal_relocate_trap": ("umsetzen und einschließen", "relocate and trap"),
    "goal_safe": ("nichts einschließen lassen", "let nothing be trapped"),
    "goal_win": ("gewinnen", "win"),
    "exercise_moves": ("Eigene Züge", "Own moves"),
    "exercise_moves_any": ("leer: so viele man will", "empty: as many as one likes"),
    "exercise_rival": ("Der Computer kann dasselbe zuerst schaffen.", "The computer can do the same first."),
    "exercise_title": ("Überschrift", "Title"),
    "exercise_task": ("Aufgabe", "Task"),
    "exercise_file": ("Datei", "File"),
    "exercise_text": ("Wer am Zug ist, löst. Was du leer lässt, schreibt das Programm.",
                      "The side to move solves it. The program fills in what you leave empty."),
    "exercise_ok": ("Speichern", "Save"),
    "exercise_name": ("aufgaben", "exercises"),
    "exercise_own_game": ("Eigenes kleines Spiel {number}", "Own small game {number}"),
    "exercise_task_throne": ("Bring deine Königin {within} auf den Thron.", "Put your queen on the throne {within}."),
    "exercise_task_home": ("Setz {within} die Königin auf den Thron und alle ihre Wachen neben sie.",
                           "Put the queen on the throne and all her guards beside her {within}."),
    "exercise_task_hold": ("{other} darf in deinen nächsten {count} Zügen nicht die Königin auf den Thron und alle "
                           "Wachen neben sie bringen.",
                           "During your next {count} moves {other} must not get the queen on the throne and all guards "
                           "beside her."),
    "exercise_task_trap": ("Schließ {within} einen Stein ein.", "Trap a piece {within}."),
    "exercise_task_trap_trap": ("Schließ {within} zweimal einen Stein ein.", "Trap a piece twice {within}."),
    "exercise_task_trap_queen": ("Schließ {within} die gegnerische Königin ein.", "Trap the enemy queen {within}."),
    "exercise_first": ("Sei schneller als {other}.", "Be faster than {other}."),
    "exercise_unplayable": ("Aus dieser Stellung wird keine Aufgabe: Jede Seite braucht einen Stein, und das Spiel "
                            "darf nicht schon zu Ende sein.",
                            "This position makes no exercise: each side needs a piece, and the game must not be over."),
    "exercise_endless": ("Zum Durchhalten gehört eine Zahl von Zügen.",
                         "To hold out, there must be a number of moves."),
    "exercise_long": ("Ein Rätsel darf hier höchstens {count} Züge lang sein.",
                      "A puzzle may be {count} moves long here at most."),
    "exercise_bad_moves": ("„{text}“ ist keine Zahl von Zügen: Erwartet wird 1 bis 99.",
                           "“{text}” is no number of moves: 1 to 99 is expected."),
    "exercise_no_queen": ("Für dieses Ziel fehlt eine Königin.", "A queen is missing for this goal."),
    "exercise_unsolvable": ("So ist das Rätsel nicht zu lösen: Kein Zug erreicht das Ziel. Wer ist am Zug?",
                            "The puzzle cannot be solved like this: no move reaches the goal. Whose move is it?"),
    "exercise_shipped": ("{name} gehört zum Programm. Nimm bitte einen anderen Namen.",
                         "{name} belongs to the program. Please take another name."),
    "exercise_broken": ("In dieser Datei stimmt etwas nicht, darum bleibt sie, wie sie ist. {reason}",
                        "Something is wrong in this file, so it stays as it is. {reason}"),
    "ask_append": ("In {name} stehen schon Aufgaben ({count}). Diese dazuschreiben?",
                   "{name} holds exercises already ({count}). Add this one?"),
    "append": ("Dazuschreiben", "Add"),
    "change_it": ("Ändern", "Change"),
    "say_exercise_saved": ("Gespeichert: {name}. Zu finden unter Menü, Lernen, Eigene Seiten.",
                           "Saved: {name}. It stands under Menu, Learn, Pages of your own."),
    "setup_title": ("Stellung aufbauen", "Set up a position"),
    "setup_heading": ("Was soll ein Klick tun?", "What should a click do?"),
    "setup_text": ("Ziehen verschiebt einen Stein; neben dem Brett losgelassen, verschwindet er.",
                   "Dragging moves a piece; dropped beside the board, it disappears."),
    "tool_guard": ("Wache", "guard"),
    "tool_queen": ("Königin", "queen"),
    "tool_remove": ("wegnehmen", "take away"),
    "setup_undo": ("Rückgängig", "Undo"),
    "setup_turn": ("Zug wechseln", "Change turn"),
    "setup_play": ("Weiterspielen", "Play on"),
    "setup_clear": ("Leeren", "Clear"),
    "setup_start": ("Anfang", "Start"),
    "setup_incomplete": ("Zum Spielen braucht jede Seite mindestens einen Stein.",
                         "To play, each side needs at least one piece."),
    # watching minimax
    "tree_depth": ("Tiefe", "Depth"),
    "tree_pruned": ("Alpha-Beta", "Alpha-beta"),
    "tree_over": ("Das Spiel ist zu Ende: Hier gibt es nichts mehr zu denken. Wähle oben ein Beispiel.",
                  "The game is over: there is nothing left to think about. Choose an example above."),
    "tree_examples": ("Stellung", "Position"),
    "tree_mine": ("Brett", "Board"),
    "tree_board": ("Die Stellung auf deinem Brett. Was hinter einem Zug liegt, klappt ein Klick auf und zu.",
                   "The position on your board. A click unfolds what lies behind a move, and folds it again."),
    "tree_order": ("Züge", "Moves"),
    "pruning_with": ("mit", "with"),
    "pruning_without": ("ohne", "without"),
    "pruning_both": ("beides", "both"),
    "pruning_count": ("{name}: {count}", "{name}: {count}"),
    "pruning_progress": ("{name}: {count} von {most} Stellungen", "{name}: {count} of {most} positions"),
    "order_rules": ("Regel", "rules"),
    "order_good": ("gut", "good"),
    "order_bad": ("schlecht", "bad"),
    "order_random": ("Zufall", "random"),
    "tree_max": ("größter\nWert (max)", "largest\nvalue (max)"),
    "tree_min": ("kleinster\nWert (min)", "smallest\nvalue (min)"),
    "tree_leaves": ("Blätter", "Leaves"),
    "tree_leaf_word": ("Wert der\nStellung", "value of the\nposition"),
    "tree_best_so_far": ("bester Weg bisher", "best way so far"),
    "tree_here": ("hier wird gerechnet", "at work here"),
    "tree_win": ("+Sieg", "+win"),
    "tree_loss": ("−Sieg", "−win"),
    "tree_cut": ("{count} abgeschnitten:\n{value} {sign} {bound}", "{count} cut off:\n{value} {sign} {bound}"),
    "tree_after": ("nach {moves}", "after {moves}"),
    "tree_progress": ("Schritt {number} von {count}", "Step {number} of {count}"),
    "tree_looked_at": ("Angesehene Stellungen", "Positions looked at"),
    "tree_count_plain": ("ohne Abschneiden", "without pruning"),
    "tree_count_pruned": ("mit Alpha-Beta", "with alpha-beta"),
    "tree_by_order": ("Alpha-Beta nach Reihenfolge der Züge", "Alpha-beta by the order of moves"),
    "show_first": ("Zum Anfang", "To the start"),
    "show_back": ("Schritt zurück", "Step back"),
    "show_next": ("Nächster Schritt", "Next step"),
    "show_last": ("Zum Ende", "To the end"),
    "show_play": ("Abspielen", "Play"),
    "show_stop": ("Anhalten", "Stop"),
    "step_enter_root": ("{side} ist am Zug.", "{side} is to move."),
    "step_enter": ("Nach {move} ist {side} am Zug.", "After {move} it is {side}’s turn."),
    "step_seeks_white": ("Gesucht wird der größte Wert.", "The largest value is wanted."),
    "step_seeks_black": ("Gesucht wird der kleinste Wert.", "The smallest value is wanted."),
    "step_leaf": ("Weiter wird nicht vorausgedacht: Die Stellung nach {move} ist {value} wert.",
                  "There is no looking further ahead: the position after {move} is worth {value}."),
    "step_leaf_root": ("Diese Stellung ist {value} wert.", "This position is worth {value}."),
    "step_leaf_over": ("Nach {move} ist das Spiel aus: {winner} hat gewonnen.",
                       "After {move} the game is over: {winner} has won."),
    "step_folded": ("Hinter {move} liegen {count} Stellungen. Sie ergeben {value}.",
                    "Behind {move} lie {count} positions. They come to {value}."),
    "step_value": ("{move} bringt {value}.", "{move} brings {value}."),
    "step_best": ("Für {side} ist das bisher das Beste.", "For {side} that is the best so far."),
    "step_not_better": ("Für {side} bleibt {move} besser.", "For {side}, {move} remains better."),
    "step_alpha": ("Weiß kann hier mindestens {alpha} erreichen.", "White can reach at least {alpha} here."),
    "step_alpha_so": ("α steigt auf {alpha}.", "α rises to {alpha}."),
    "step_beta": ("Schwarz kann Weiß hier auf höchstens {beta} halten.",
                  "Black can hold White to at most {beta} here."),
    "step_beta_so": ("β sinkt auf {beta}.", "β falls to {beta}."),
    "step_cut_black": ("Schwarz drückt {move} auf höchstens {best}. "
                       "Weiß hat mit einem anderen Zug schon {alpha} sicher.",
                       "Black holds {move} to at most {best}. With another move White is sure of {alpha} already."),
    "step_cut_white": ("Weiß kommt nach {move} auf mindestens {best}. "
                       "Schwarz hat mit einem anderen Zug schon {beta} sicher.",
                       "White gets at least {best} after {move}. With another move Black is sure of {beta} already."),
    "step_cut_so": ("{comparison}: {moves} muss niemand mehr ansehen.",
                    "{comparison}: nobody need look at {moves} any more."),
    "step_leave": ("Ergebnis nach {move}: {value}. Der Wert geht eine Stufe nach oben.",
                   "The result after {move}: {value}. The value goes up one level."),
    "step_done": ("Fertig: {move} ist der beste Zug, mit {value}.", "Done: {move} is the best move, with {value}."),
    "step_expected": ("Erwartet wird: {moves}", "Expected: {moves}"),
    "reasons_why": ("Warum {value}?", "Why {value}?"),
    "reasons_waiting": ("Noch ohne Wert", "No value yet"),
    "reasons_waiting_text": ("Diese Stellung wird erst noch bewertet.", "This position is still to be evaluated."),
    "reasons_unit": ("In Schritten einer Wache, aus der Sicht von Weiß.",
                     "In steps of a guard, from White’s point of view."),
    "reasons_over": ("Hier ist das Spiel aus.", "Here the game is over."),
    "reasons_cut": ("Abgeschnitten", "Cut off"),
    "reasons_cut_text": ("Diesen Zug sieht niemand an: Er kann das Ergebnis nicht mehr ändern.",
                         "Nobody looks at this move: it can no longer change the result."),
    "reasons_folded": ("Dahinter liegen {count} Stellungen. Ein Klick klappt sie auf.",
                       "{count} positions lie behind it. A click unfolds them."),
    "reasons_white": ("Weiß ist am Zug und nimmt den größten Wert von unten.",
                      "White is to move and takes the largest value from below."),
    "reasons_black": ("Schwarz ist am Zug und nimmt den kleinsten Wert von unten.",
                      "Black is to move and takes the smallest value from below."),
    "reasons_total": ("Summe", "Sum"),
    "reasons_rest": ("alles Übrige", "all the rest"),
    # how the program has learnt
    "learning": ("Wie der Computer gelernt hat", "How the computer has learnt"),
    "learning_text": (
        "Der Computer hat gegen sich selbst gespielt und danach seine Zahlen verbessert: so, dass sein erster Blick "
        "auf eine Stellung möglichst gut zu dem passt, was die Suche dort findet. Die Kurve zeigt den Fehler auf "
        "Spielen, aus denen er nicht gelernt hat.",
        "The computer has played against itself and then improved its numbers, so that its first glance at a position "
        "fits what the search finds there as well as possible. The curve shows the error on games it has not learnt "
        "from."),
    "learning_error": ("Fehler", "error"),
    "learning_games": ("Spiele", "games"),
    "learning_rounds": ("Erste Runde|Zweite Runde|Dritte Runde", "First round|Second round|Third round"),
    "learning_part": ("Was zählt", "What counts"),
    "learning_numbers": ("seine Zahlen: hell der Anfänger, dunkel gelernt",
                         "its numbers: pale a beginner’s, dark the learnt"),
    "learning_factor": ("Ändere sie", "Change them"),
    "learning_play": ("Dagegen spielen", "Play against it"),
    "learning_beginner": ("Gegen den Anfänger spielen", "Play against the beginner"),
    "learning_reset": ("Wie gelernt", "As learnt"),
    "learning_tree": ("Zum Baum", "To the tree"),
    "learning_value": ("Diese Stellung: {value}", "This position: {value}"),
    # the parts of the evaluation
    "part_guards": ("Wachen näher am Thron", "Guards nearer to the throne"),
    "part_queen": ("Königin näher am Thron", "Queen nearer to the throne"),
    "part_ring": ("Stand der Wachen auf Ring 1", "Guards on ring 1"),
    "part_stragglers": ("Nachzügler", "Stragglers"),
    "part_unaimed": ("Unerreichte Plätze am Thron", "Places at the throne not aimed at"),
    "part_detours": ("Umwege", "Detours"),
    "part_pairs": ("Wachen nebeneinander", "Guards side by side"),
    "part_escort": ("Wachen bei der Königin", "Guards beside the queen"),
    "part_room": ("Freie Felder", "Room to move"),
    "part_threats": ("Drohungen", "Threats"),
    "part_dangers": ("Gefahren", "Dangers"),
    "part_trapped": ("Eingeschlossene Wachen", "Trapped guards"),
    # own programs
    "program_hint": ("In beliebiger Sprache; es spricht das Protokoll aus der README.",
                     "In any language; it speaks the protocol of the README."),
    "program_empty": ("{side}: Nenne ein Programm.", "{side}: name a program."),
    "program_trial": ("{name} wird ausprobiert …", "{name} is being tried …"),
    "program_passed": ("{name} ist bereit.", "{name} is ready."),
    "program_failed": ("{side}: {failure}", "{side}: {failure}"),
    "browse": ("Suchen …", "Browse …"),
    "talk_to": ("An {name}", "To {name}"),
    "talk_error": ("Fehler von {name}", "Errors of {name}"),
    "talk_copy": ("Kopieren", "Copy"),
    "talk_close": ("Schließen", "Close"),
    "no_conversation": ("Das Programm wird gefragt, sobald es am Zug ist.",
                        "The program is asked as soon as it is its turn."),
    # the tournament of a class
    "tournament": ("Klassenturnier", "Class tournament"),
    "tournament_text": ("Jeder spielt gegen jeden, in jeder Runde einmal mit Weiß und einmal mit Schwarz. Klick an, "
                        "wer mitspielt.",
                        "Everyone plays everyone, in each round once as White and once as Black. Click on who takes "
                        "part."),
    "tournament_from": ("Programme aus dem Ordner {folder}", "Programs of the folder {folder}"),
    "tournament_rounds": ("Runden", "Rounds"),
    "tournament_time": ("Sek. je Zug", "Sec. a move"),
    "tournament_start": ("Turnier beginnen", "Begin the tournament"),
    "tournament_folder": ("Anderer Ordner …", "Another folder …"),
    "tournament_games": ("{players} spielen mit, das sind {count} Partien.",
                         "{players} take part, which makes {count} games."),
    "tournament_few": ("Wähl mindestens zwei aus.", "Choose at least two."),
    "tournament_empty": ("In diesem Ordner liegt kein Programm. Programme enden auf .py, .js, .sh oder .exe.",
                         "There is no program in this folder. Programs end in .py, .js, .sh or .exe."),
    "tournament_unreadable": ("Dieser Ordner lässt sich nicht lesen ({reason}).",
                              "This folder cannot be read ({reason})."),
    "tournament_no_place": ("Für Seite und Partien ist kein Platz: {reason}.",
                            "There is no place for the page and the games: {reason}."),
    "tournament_missing": ("{name} fehlt hier", "{name} is missing here"),
    "tournament_begins": ("Die Programme werden gestartet …", "The programs are being started …"),
    "tournament_played": ("{played} von {count} Partien gespielt", "{played} of {count} games played"),
    "tournament_stopped": ("Beendet nach {played} von {count} Partien", "Ended after {played} of {count} games"),
    "tournament_follow": ("Immer eine laufende Partie", "Always a game being played"),
    "tournament_plays": ("läuft", "playing"),
    "tournament_move": ("Partie {numbers}, Zug {number}", "Game {numbers}, move {number}"),
    "tournament_ended": ("Partie {numbers}: {result}\n{reason}", "Game {numbers}: {result}\n{reason}"),
    "tournament_absent": ("Spielt nicht mit: {failure}.", "Does not take part: {failure}."),
    "tournament_alone": ("Für ein Turnier braucht es mindestens zwei, die sich starten lassen.",
                         "A tournament needs at least two that can be started."),
    "tournament_winner": ("Gewonnen: {names}", "Winner: {names}"),
    "tournament_leader": ("An der Spitze: {names}", "In the lead: {names}"),
    "tournament_cut": ("abgebrochen", "broken off"),
    "tournament_stop": ("Turnier beenden", "End the tournament"),
    "tournament_page": ("Seite im Browser", "Page in the browser"),
    "tournament_open": ("Partie öffnen", "Open the game"),
    "tournament_new": ("Neues Turnier", "New tournament"),
    "tournament_note": ("Seite, Tabelle (CSV) und Partien liegen in {folder}",
                        "Page, table (CSV) and games are in {folder}"),
    "tournament_file": ("turnier", "tournament"),
    # dialogs
    "ok": ("OK", "OK"),
    "cancel": ("Abbrechen", "Cancel"),
    "start_game": ("Spiel starten", "Start game"),
    "new_title": ("Neues Spiel", "New game"),
    "kind_person": ("Mensch", "Person"),
    "kind_level": ("Computer", "Computer"),
    "kind_program": ("Programm", "Program"),
    "kind_other": ("Im Netz", "Network"),
    "other_text": ("Jemand an einem anderen Computer, ohne Uhr. Wer wartet, wählt die Seiten.",
                   "Somebody at another computer, without a clock. Who waits chooses the sides."),
    "other_host": ("Hier warten", "Wait here"),
    "other_person": ("Auf der anderen Seite spielt dann ein Mensch: Gegen einen anderen Computer spielt hier kein "
                     "Programm.",
                     "Then a person plays the other side: no program plays another computer from here."),
    "seat_name": ("Name, wenn du magst", "Name, if you like"),
    "level_word": ("Stufe {level}: {word}", "Level {level}: {word}"),
    "word_1": ("ein erstes Spiel", "a first game"),
    "word_2": ("macht kaum noch Flüchtigkeitsfehler", "slips rarely"),
    "word_3": ("sieht, was sich einschließen lässt", "sees what can be trapped"),
    "word_4": ("denkt auch an deine Antwort", "thinks of your answer, too"),
    "word_5": ("hat aus vielen Spielen gelernt", "has learnt from many games"),
    "word_6": ("plant voraus", "plans ahead"),
    "word_7": ("für Könner", "for experts"),
    "word_8": ("alles, was es kann", "all it can"),
    "clock": ("Bedenkzeit", "Time"),
    "clock_none": ("keine", "none"),
    "clock_total": ("Minuten", "minutes"),
    "clock_move": ("je Zug", "per move"),
    "clock_plus": ("+ Sekunden je Zug:", "+ seconds a move:"),
    "clock_minutes": ("Minuten:", "Minutes:"),
    "clock_seconds": ("Sekunden:", "Seconds:"),
    "clock_wrong": ("{side}: Nenne die Zeit in ganzen Zahlen, mindestens 1.",
                    "{side}: give the time in whole numbers, at least 1."),
    "beginner": ("Wer beginnt?", "Who moves first?"),
    "white_begins": ("Weiß beginnt", "White moves first"),
    "drawn_by_lot": ("Das Los entscheidet", "Drawn by lot"),
    "rule_options": ("Regeln", "Rules"),
    "link_title": ("Mit einem anderen Computer", "With another computer"),
    "link_host": ("Warten, bis der andere dazukommt", "Wait until the other one joins"),
    "link_join": ("Mitspielen", "Join"),
    "link_watch": ("Zuschauen", "Watch"),
    "link_host_text": ("Dieser Computer zeigt eine Adresse und einen Code. Nur solange er wartet, nimmt er eine "
                       "Verbindung an.",
                       "This computer shows an address and a code. It takes a connection only as long as it waits."),
    "link_side": ("Ich spiele {side}", "I play {side}"),
    "link_new": ("Ein neues Spiel", "A new game"),
    "link_go_on": ("Das Spiel auf dem Brett", "The game on the board"),
    "link_watchers": ("Andere dürfen zuschauen", "Others may watch"),
    "link_join_text": ("Adresse und Code stehen auf dem Bildschirm des Computers, der wartet.",
                       "Address and code stand on the screen of the computer that waits."),
    "link_address": ("Adresse", "Address"),
    "link_code": ("Code", "Code"),
    "link_start": ("Los", "Go"),
    "link_incomplete": ("Nenne die Adresse und die vier Ziffern des Codes.",
                        "Name the address and the four digits of the code."),
    "rule_queen_first": ("Eingeschlossene Königin geht vor Wachen", "A trapped queen goes before guards"),
    "rule_empty_throne_loses": ("Sechs Wachen um einen leeren Thron verlieren",
                                "Six guards round an empty throne lose"),
    "rule_placement": ("Wachen frei aufstellen", "Place the guards freely"),
    "branch_title": ("Neues Spiel von hier", "New game from here"),
    "branch_text": ("Dieses Spiel ist zu Ende. Möchtest du von hier aus ein neues weiterspielen? Das alte bleibt, wie "
                    "es ist.",
                    "This game has ended. Do you want to play a new one on from here? The old one stays as it is."),
    "branch_yes": ("Weiterspielen", "Play on"),
    "ask_resign": ("Willst du wirklich aufgeben?", "Do you really want to resign?"),
    "ask_side_to_resign": ("{side}, willst du wirklich aufgeben?", "{side}, do you really want to resign?"),
    "resign_yes": ("Aufgeben", "Resign"),
    "draw_title": ("Remis", "Draw"),
    "draw_text": ("Von selbst unentschieden ist das Spiel,\n"
                  " • wenn dieselbe Stellung zum dritten Mal entsteht (jetzt: {repetitions}. Mal),\n"
                  " • nach 100 Zügen ohne Schritt nach innen und ohne Umsetzen (jetzt: {quiet}),\n"
                  " • wenn keine Seite mehr ziehen kann.\n\nMöchtest du der anderen Seite ein Remis anbieten?",
                  "The game is drawn automatically\n"
                  " • when the same position occurs for the third time (occurrences now: {repetitions}),\n"
                  " • after 100 moves without a step inwards and without a relocation (now: {quiet}),\n"
                  " • when neither side can move.\n\nDo you want to offer the other side a draw?"),
    "draw_yes": ("Remis anbieten", "Offer a draw"),
    "ask_draw": ("{side} bietet ein Remis an. {other}, nimmst du an?", "{side} offers a draw. {other}, do you accept?"),
    "accept": ("Annehmen", "Accept"),
    "decline": ("Ablehnen", "Decline"),
    "files_agon": ("Agon-Spiele", "Agon games"),
    "files_svg": ("Bilder", "Pictures"), "files_png": ("Bilder", "Pictures"),
    "files_all": ("Alle Dateien", "All files"),
    "save_elsewhere": ("Anderswo speichern …", "Save elsewhere …"),
    "close_anyway": ("Trotzdem beenden", "Quit anyway"),
    "ask_close": ("{reason}\n\nMöchtest du es anderswo speichern, bevor Agon endet?",
                  "{reason}\n\nDo you want to save it elsewhere before Agon ends?"),
    "ask_close_tournament": (
        "Das Turnier läuft noch und endet mit Agon. Die gespielten Partien und die Tabelle sind gespeichert.",
        "The tournament is still going on and ends with Agon. The games that have been played and the table are "
        "saved."),
    "errno_ENOENT": ("Datei oder Ordner gibt es nicht", "there is no such file or folder"),
    "errno_EACCES": ("keine Erlaubnis", "permission denied"),
    "errno_ENOSPC": ("der Datenträger ist voll", "the disk is full"),
    "errno_EROFS": ("hier darf nur gelesen werden", "the disk is read-only"),
    "errno_EEXIST": ("dort, wo der Ordner sein soll, ist eine Datei", "there is a file in the folder's place"),
    "errno_ENOTDIR": ("dort, wo der Ordner sein soll, ist eine Datei", "there is a file in the folder's place"),
    "errno_EISDIR": ("das ist ein Ordner", "this is a folder"),
    "errno_ENOEXEC": ("das ist kein Programm", "this is not a program"),
    "line": ("Zeile {number}", "line {number}"),
}

#: The German sentences for the refusals and endings of agon_core, which hold the English ones.
GERMAN_REASONS = {
    "end_THRONE": "Die Königin sitzt auf dem Thron, und alle sechs Wachen stehen um sie.",
    "end_EMPTY_THRONE": "Sechs Wachen stehen um einen Thron ohne ihre Königin: Das verliert.",
    "end_BLOCKED": "Keine Seite kann mehr ziehen.",
    "end_REPETITION": "Dreimal dieselbe Stellung.",
    "end_QUIET": "100 Züge ohne Schritt nach innen und ohne Umsetzen.",
    "end_RESIGNATION": "Die andere Seite hat aufgegeben.",
    "end_TIME": "Die Zeit ist abgelaufen.",
    "end_AGREEMENT": "Remis vereinbart.",
    "no_GAME_OVER": "Das Spiel ist zu Ende.",
    "no_NO_PASS": "Aussetzen darf nur, wer gar nicht ziehen kann.",
    "no_NO_PIECE": "Auf diesem Feld steht kein Stein.",
    "no_NOT_YOURS": "Dieser Stein gehört der anderen Seite.",
    "no_SAME_CELL": "Der Stein steht schon dort.",
    "no_TAKEN": "Dieses Feld ist besetzt; geschlagen wird nicht.",
    "no_TRAPPED_FIRST": "Erst muss ein eingeschlossener Stein umgesetzt werden.",
    "no_QUEEN_FIRST": "Erst muss die eingeschlossene Königin umgesetzt werden.",
    "no_OUTER_RING": "Eine eingeschlossene Wache muss auf den Außenring.",
    "no_NOT_TO_THRONE": "Beim Umsetzen darf die Königin überallhin, nur nicht auf den Thron.",
    "no_TOO_FAR": "Ein Stein zieht nur einen Schritt weit.",
    "no_OUTWARDS": "Kein Stein zieht nach außen: nur auf seinem Ring oder nach innen.",
    "no_THRONE_IS_QUEENS": "Den Thron darf nur eine Königin betreten.",
    "no_SELF_ENCLOSURE": "Dort stünde der Stein zwischen zwei gegnerischen: Selbsteinschließung ist verboten.",
    "no_PLACE_FIRST": "Erst stellst du alle sechs Wachen auf; danach ziehen deine Steine.",
    "no_PLACED_OUTSIDE": "Eine Wache wird auf dem Außenring aufgestellt.",
    "no_NONE_TO_PLACE": "Es gibt keine Wache aufzustellen: Deine stehen schon auf dem Brett.",
}
TEXTS.update({f"no_{refusal.name}": (GERMAN_REASONS[f"no_{refusal.name}"], refusal.value) for refusal in Refusal})
TEXTS.update({f"end_{ending.name}": (GERMAN_REASONS[f"end_{ending.name}"], ending.value) for ending in Ending})

#: The German sentences for the errors of agon_core, whose table holds the English ones.
GERMAN_ERRORS = {
    "bad_cell": "„{token}“ ist kein Feld; erwartet wird ein Buchstabe von a bis l (ohne j) und eine Zahl, etwa f6",
    "bad_move": "„{token}“ ist kein Zug; erwartet wird einer wie a5-b5, Qf1-f2, e5*a1 oder --",
    "illegal_move": "„{token}“ geht nicht: {reason}",
    "bad_position": "„{token}“ passt hier nicht; erwartet werden weiße Steine / schwarze Steine, dann w oder b",
    "taken_twice": "„{token}“: Dieses Feld ist schon besetzt",
    "too_many": "„{token}“: Eine Seite hat höchstens eine Königin und sechs Wachen",
    "guard_on_throne": "„{token}“: Nur eine Königin darf auf dem Thron stehen",
    "bad_header": "„{token}“ ist keine Kopfzeile; erwartet wird [Name \"Wert\"]",
    "bad_format": "„{token}“ ist keine Formatnummer; erwartet wird 1",
    "newer_format": "Die Datei hat Format {token}, dieses Programm liest Format 1; bitte ein neueres Agon benutzen",
    "bad_rules": "„{token}“ ist keine Regel; erwartet wird eine von {expected}, dahinter =on oder =off",
    "bad_result": "„{token}“ ist kein Ergebnis; erwartet wird 1-0, 0-1, 1/2-1/2 oder *",
    "other_result": "Das Ergebnis {token} passt nicht zu {expected}, das Züge oder Kopfzeile ergeben",
    "cut_off": "Die Datei endet vor dem Ergebnis {token}, das ihre Kopfzeile ankündigt; sie ist wohl abgeschnitten",
    "after_end": "„{token}“ steht hinter dem Ende des Spiels",
    "open_comment": "Die Bemerkung, die hier beginnt, endet nirgends; erwartet wird }}",
    "bad_variation": "„{token}“ geht hier nicht: Eine Variante in Klammern steht hinter dem Zug, den sie ersetzt, und "
                     "hat mindestens einen Zug",
    "open_variation": "Die Variante, die hier beginnt, endet nirgends; erwartet wird )",
    "no_game": "In diesem Text ist kein Spiel; erwartet werden Züge wie 1. a5-b5 d1-d2",
    "too_big": "Das ist zu groß für ein Spiel ({token} Bytes; höchstens {expected})",
    "not_text": "Die Datei ist kein UTF-8-Text; erwartet wird ein Agon-Spiel",
    "repeated_header": "Die Kopfzeile {token} steht zweimal da; das nächste Spiel beginnt hinter einem Ergebnis (* "
                       "wenn es keines hat)",
    "bad_ply": "Die Kopfzeile Ply nennt „{token}“; erwartet wird, wie viele der {expected} Züge auf dem Brett sind",
    "several_games": "In diesem Text sind {token} Spiele; erwartet wird eines",
    "own_file": "Hier bewahrt das Programm selbst etwas auf; bitte wähl einen anderen Namen",
    "is_folder": "Das ist ein Ordner, keine Datei",
    "not_a_file": "Das ist eine Pipe oder ein Gerät, keine Datei",
    "write_protected": "Die Datei ist schreibgeschützt; bitte einen anderen Namen wählen",
    "missing_header": "Dieser Seite fehlt die Kopfzeile {token}; erwartet wird [{token} \"...\"]",
    "bad_kind": "„{token}“ ist keine Art von Seite; erwartet wird {expected}",
    "bad_goal": "„{token}“ ist kein Ziel; erwartet wird {expected}",
    "bad_number": "Die Kopfzeile {name} nennt „{token}“; erwartet wird eine Zahl ab 1",
    "bad_reply": "Die Kopfzeile Reply nennt „{token}“; erwartet wird höchstens ein Zug zwischen zwei Zielen",
    "bad_hold": "das Ziel hold steht in einem kleinen Spiel allein; dazu gehören Rival (was zu verhindern ist) und "
                "Moves",
    "no_small_game": "von hier aus kann niemand spielen: Jede Seite braucht einen Stein, und das Spiel darf nicht zu "
                     "Ende sein",
    "unreadable": "lässt sich nicht lesen: {reason}",
    "unwritable": "lässt sich nicht schreiben: {reason}",
}
TEXTS.update({"error_" + code: (GERMAN_ERRORS[code], english) for code, english in ERROR_TEXTS.items()})


class Shortcut(NamedTuple):
    """A key with its modifiers, as in 'Mod-p'; put into words in the language and the manner of the system."""

    keys: str


class Message(NamedTuple):
    """A sentence as a key of TEXTS and the values for its blanks; it is put into words when it is shown.

    A value may be a side, another Message, an error, or a text by language: each is put into words, too.
    """

    key: str
    values: Tuple[Tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, text_key: str, **values: Any) -> "Message":
        """The message with these values."""
        return cls(text_key, tuple(values.items()))


class Texts:
    """The texts in the language chosen: texts("undo"), texts("level", level=3), texts("turn", side=WHITE)."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, text_key: str, **values: Any) -> str:
        if "side" in values:
            names = self("white"), self("black")
            values.update(side=names[values["side"]], other=names[1 - values["side"]])
        return TEXTS[text_key][0 if self.language == "de" else 1].format(
            **{name: self.say(value) for name, value in values.items()})

    def say(self, value: Any) -> Any:
        """A Message or an error in words; anything else as it is."""
        if isinstance(value, Message):
            return self(value.key, **dict(value.values)).strip()
        if isinstance(value, AgonError):
            return self.error(value)
        if isinstance(value, dict):
            return value.get(self.language, "")
        if isinstance(value, OSError):
            return self.reason(value.errno, value.strerror or value)
        if isinstance(value, Shortcut):
            return shortcut_text(value.keys, self)
        return value

    def error(self, error: AgonError) -> str:
        """An error as a sentence, with its place."""
        details = dict(error.details)
        if isinstance(error, IllegalMove):
            details["reason"] = self("no_" + error.refusal.name)
        elif "number" in details:
            details["reason"] = self.reason(details["number"], details["reason"])
        text = self("error_" + error.code, **details)
        place = [shown_name(error.path)] if error.path else []
        place += [self("line", number=error.line)] if error.line else []
        return ": ".join(place + [text])

    def reason(self, number: object, otherwise: object) -> str:
        """Why the system has refused something, by its error number."""
        key = "errno_" + errno.errorcode.get(number, "") if isinstance(number, int) else ""
        return self(key) if key in TEXTS else str(otherwise)

    def number(self, value: float, pattern: str = "{:.1f}") -> str:
        """A number with the decimal mark and the grouping of the language."""
        text = pattern.format(value)
        return text.translate(str.maketrans(",.", ".,")) if self.language == "de" else text

    def steps(self, value: float) -> str:
        """A score in guard's steps, with its sign: '+0.4', '−1.2', '0.0'."""
        text = self.number(abs(value))
        return ("+" if value > 0 else "−" if value < 0 else "") + text


def shown_name(path: str) -> str:
    """The name of a file as it can be shown, even if it holds what is no character."""
    return visible(os.path.basename(path), 60)


def system_language(root: tk.Tk) -> str:
    """'de' where the system speaks German, else 'en'; Tcl knows where each system keeps this."""
    return "de" if str(root.tk.eval("package require msgcat; ::msgcat::mclocale")).startswith("de") else "en"


KEY_NAMES = {"Prior": ("Bild↑", "PgUp"), "Next": ("Bild↓", "PgDn"), "Home": ("Pos1", "Home"), "End": ("Ende", "End"),
             "plus": ("+", "+"), "minus": ("-", "-"), "Shift": ("Umschalt", "Shift")}


def shortcut_text(shortcut: str, texts: Texts) -> str:
    """A shortcut as menus show it on this platform: 'Strg+N', 'Ctrl+N', 'Command-N'."""
    words = []
    for word in shortcut.split("-"):
        if word == "Mod":
            words.append("Command" if IS_MAC else texts("ctrl"))
        elif word in KEY_NAMES:
            words.append(KEY_NAMES[word][0 if texts.language == "de" else 1])
        else:
            words.append(word.upper())
    return ("-" if IS_MAC else "+").join(words)


def shortcut_sequences(shortcut: str) -> List[str]:
    """The Tk event sequences of a shortcut; with a letter it works under Caps Lock, too."""
    if "Mod-" not in shortcut:
        return [f"<{shortcut}>"]
    modifier = "Command" if IS_MAC else "Control"
    key = shortcut.split("-")[-1]
    if len(key) > 1:
        return [f"<{modifier}-{key}>", f"<{modifier}-KP_{'Add' if key == 'plus' else 'Subtract'}>"]
    if "Shift" not in shortcut:
        return [f"<{modifier}-Key-{key}>", f"<{modifier}-Lock-Key-{key.upper()}>"]
    # Both locks together are a small letter for some keyboards and a capital for others.
    return [f"<{modifier}-Key-{key.upper()}>", f"<{modifier}-Lock-Key-{key}>",
            f"<{modifier}-Shift-Lock-Key-{key.upper()}>"]


# --- 3. User data ----------------------------------------------------------------

def user_folder() -> str:
    """The folder for settings and the running game: AGON_HOME, else the platform's place."""
    home = os.environ.get("AGON_HOME")
    if home:
        return home
    if sys.platform == "win32":
        return os.path.join(os.environ.get("APPDATA") or os.path.expanduser("~"), "Agon")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/Agon")
    return os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "agon")


def user_path(name: str) -> str:
    """The path of a file in the user's folder."""
    return os.path.join(user_folder(), name)


#: How the names of the files begin that the program keeps for itself.
OWN_NAMES = ("autosave", "previous", "settings", "progress")


def is_own_file(path: str) -> bool:
    """Whether the program keeps this file for itself: whoever saved something there would lose the one or the other."""
    try:
        folder, name = os.path.split(os.path.normcase(os.path.realpath(path)))
    except ValueError:  # with a zero character (older Pythons let it pass) or half a sign, which no file can have
        return False
    is_in_folder = folder == os.path.normcase(os.path.realpath(user_folder()))
    return is_in_folder and name.startswith(OWN_NAMES) and "\0" not in name


def write_file(path: str, content: Union[str, bytes]) -> None:
    """Write a file, making its folder if it is the user's own; AgonError if that fails."""
    folder = os.path.dirname(path)
    is_own = folder == user_folder()
    if is_own:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise AgonError("unwritable", reason=error.strerror or error, number=error.errno).at(path=path) from None
    write_safely(path, content, is_own)
    remove_leftovers(path)


class Writer:
    """The one place where files are written: a thread of its own, so that a slow folder holds nothing up.

    Of each file only the newest text counts; `failures` names the files whose
    last writing has failed, as long as that is so.
    """

    def __init__(self, write: Callable[[str, Union[str, bytes]], None] = write_file) -> None:
        self._write = write
        self.failures: Dict[str, AgonError] = {}
        #: What waits to be written, by path; the content, or what makes it when its turn comes.
        self._waiting: Dict[str, Union[str, bytes, Callable[[], str]]] = {}
        self._changed = threading.Condition()
        #: Whether the thread is there; both sides look at it under the condition.
        self._is_running = False
        self._being_written = ""

    def put(self, path: str, content: Union[str, bytes, Callable[[], str]]) -> None:
        """Let a file be written; what still waits for the same file is dropped."""
        with self._changed:
            self._waiting[path] = content
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, daemon=True).start()

    def is_busy(self, path: str = "") -> bool:
        """Whether something, or this file, is still to be written."""
        with self._changed:
            return self._is_running if not path else path in self._waiting or path == self._being_written

    def fail(self, path: str, error: AgonError) -> None:
        """Count a file as one that cannot be written."""
        self.failures[path] = error

    def take_failure(self, path: str) -> Optional[AgonError]:
        """Why the last writing of a file has failed, if it has; whoever asks has to tell."""
        return self.failures.pop(path, None)

    def wait(self, seconds: float) -> bool:
        """Wait until everything is written; False if the time is up before."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._is_running, seconds)

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._is_running = False
                    self._changed.notify_all()
                    return
                path, content = next(iter(self._waiting.items()))
                del self._waiting[path]
                self._being_written = path
            try:
                if isinstance(content, (str, bytes)):
                    self._write(path, content)
                else:  # made from what the file holds now: no other window may write in between
                    with held(path):
                        self._write(path, content())
                self.failures.pop(path, None)
            except AgonError as error:
                self.failures[path] = error
            with self._changed:
                self._being_written = ""


#: How long one window waits for another one that is changing the same file (seconds).
HOLD_S = 1.0
#: The files of running games; each window has one of its own.
AUTOSAVE_NAMES = ("autosave.agon", *(f"autosave-{number}.agon" for number in range(2, 20)))


def lock_file(path: str) -> Optional[IO[str]]:
    """A lock that makes a file ours as long as it is open, or None if another window has it.

    The system frees the lock when the process ends, however it ends.  OSError
    if nothing can be written there.
    """
    name = f"{path}.lock"
    if os.path.exists(name) and not os.path.isfile(name):
        raise OSError(errno.EEXIST, "not a file")  # a pipe, say, which would never open
    lock = open(name, "a", encoding="utf-8")
    try:
        if sys.platform == "win32":
            import msvcrt
            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # a Python without file locks: windows may share the file
    except OSError:
        lock.close()
        return None
    return lock


@contextlib.contextmanager
def held(path: str) -> Iterator[None]:
    """Keep one of the user's own files to oneself for a moment; whoever holds it too long is not waited for."""
    lock, deadline = None, time.monotonic() + HOLD_S
    pause = threading.Event()  # which nobody sets: it only makes the writer's thread wait
    try:
        while os.path.dirname(path) == user_folder() and lock is None and time.monotonic() < deadline:
            lock = lock_file(path)
            if lock is None:
                pause.wait(0.01)
    except OSError:
        pass  # nothing can be written there; the writing will say so
    try:
        yield
    finally:
        if lock:
            lock.close()


def lock_autosave() -> Tuple[str, Optional[IO[str]]]:
    """The name of an autosave file that no other window uses, and the lock that keeps it ours, if there can be one."""
    try:
        os.makedirs(user_folder(), exist_ok=True)
        for name in AUTOSAVE_NAMES:
            lock = lock_file(user_path(name))
            if lock:
                return name, lock
    except OSError:
        pass  # nothing can be written here; the autosave will say so
    return AUTOSAVE_NAMES[0], None


def _try_file(action: Callable[..., None], *paths: str) -> None:
    try:
        action(*paths)
    except OSError:
        pass  # it will be looked at again next time


SETTINGS_FILE = "settings.json"
MAX_RECENT = 8
MIN_ZOOM, MAX_ZOOM = -3, 12


class Settings(NamedTuple):
    """What is remembered between two starts."""

    language: str = ""
    theme: str = "light"
    #: Points by which all text is larger than the system's.
    zoom: int = 0
    geometry: str = ""
    is_maximised: bool = False
    ranks: bool = True
    flipped: bool = False
    animation: bool = True
    analysis: bool = False
    #: Whether the conversation with the programs stands in the place of the moves.
    conversation: bool = False
    #: Whether the card for newcomers is still to be shown.
    is_new: bool = True
    recent: Tuple[str, ...] = ()
    #: Positions that are to be printed, the last one first.
    gathered: Tuple[str, ...] = ()
    program: str = ""
    #: Who played White and Black in the last new game: a level, 0 for a person, PROGRAM for a program; and the level
    #: that the computer had last.
    white: int = 0
    black: int = 2
    level: int = 2
    #: The names of persons, the programs, and what these call themselves.
    white_name: str = ""
    black_name: str = ""
    white_program: str = ""
    black_program: str = ""
    white_called: str = ""
    black_called: str = ""
    #: The time of each side, as TimeControl writes it.
    white_clock: str = ""
    black_clock: str = ""
    by_lot: bool = False
    queen_first: bool = False
    empty_throne_loses: bool = True
    #: The name of the pupil whose progress is kept; '' for who has given none.
    pupil: str = ""
    #: Where another computer waited last.
    link_address: str = ""
    #: The folder of the programs that played the last tournament.
    tournament_folder: str = ""
    placement: bool = False

    @property
    def rules(self) -> Rules:
        """The rule options of a new game."""
        return Rules(*[getattr(self, name) for name in Rules._fields])


#: In place of a level: a program plays.
PROGRAM = -1
#: The values that a setting may have; a stored value beside them is ignored.
_SEAT_NUMBERS = range(PROGRAM, len(LEVELS) + 1)
_ALLOWED: Dict[str, Sequence[Any]] = {
    "white": _SEAT_NUMBERS, "black": _SEAT_NUMBERS, "level": range(1, len(LEVELS) + 1),
    "theme": ("light", "dark", "contrast"), "zoom": range(MIN_ZOOM, MAX_ZOOM + 1), "language": ("", *LANGUAGES)}


def read_settings(text: str) -> Tuple[Settings, Dict[str, Any]]:
    """Settings from JSON, and what a newer version has stored beside them; damaged values are left out."""
    try:
        stored = json.loads(text)
    except (ValueError, RecursionError):
        return Settings(), {}
    if not isinstance(stored, dict):
        return Settings(), {}
    values: Dict[str, Any] = {}
    for name, default in Settings()._asdict().items():
        value = stored.pop(name, default)
        if isinstance(default, tuple) and isinstance(value, list):
            value = tuple(entry for entry in value if isinstance(entry, str) and _is_writable(entry))
        if type(value) is type(default) and value in _ALLOWED.get(name, (value,)) and _is_writable(value):
            values[name] = value
    return Settings(**values), stored


def _is_writable(value: object) -> bool:
    """Whether a text has no half of a character in it, which neither Tk nor a file could hold."""
    try:
        str(value).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


PROGRESS_FILE = "progress.json"
#: A name is never longer.
MAX_NAME = 40
#: How a game can have ended for a pupil.
RESULT_NAMES = ("won", "drawn", "lost")


class GameResult(NamedTuple):
    """A game against the computer that a pupil has brought to its end."""

    #: When that was, as '2026-12-01 09:30:05'.
    when: str
    #: The computer's level, the pupil's side, one of RESULT_NAMES, and the number of the last move.
    level: int
    side: int
    result: str
    moves: int


class Progress(NamedTuple):
    """What a pupil has done so far.

    Pages of the tour and puzzles are known by their keys; `helped` are the
    puzzles that have been solved only with help yet.
    """

    pages: FrozenSet[str] = frozenset()
    solved: FrozenSet[str] = frozenset()
    helped: FrozenSet[str] = frozenset()
    games: FrozenSet[GameResult] = frozenset()

    def merged(self, other: "Progress") -> "Progress":
        """All that the two have done; in which order one merges makes no difference."""
        solved = self.solved | other.solved
        return Progress(self.pages | other.pages, solved, (self.helped | other.helped) - solved,
                        self.games | other.games)


def tidy_name(text: str) -> str:
    """A pupil's name as it is kept: in one line, without what cannot be written or seen."""
    signs = [sign for sign in " ".join(text.split()) if sign.isprintable() and _is_writable(sign)]
    return "".join(signs)[:MAX_NAME].strip()


def progress_text(pupils: Dict[str, Progress], forgotten: Optional[Dict[str, int]] = None) -> str:
    """The text of the progress file; the order of its entries depends on nothing but what they are.

    `forgotten` says by the fingerprints of names how often they have been deleted.
    """
    kept = {name: {"pages": sorted(progress.pages), "solved": sorted(progress.solved),
                   "helped": sorted(progress.helped),
                   "games": [game._asdict() for game in sorted(progress.games)]}
            for name, progress in sorted(pupils.items())}
    deleted = {"forgotten": dict(sorted(forgotten.items()))} if forgotten else {}
    return json.dumps({"pupils": kept, **deleted}, indent=1, ensure_ascii=False) + "\n"


def fingerprint(name: str) -> str:
    """What a deleted name is known by, so that the name itself is nowhere any more: the beginning of its SHA-256."""
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def read_forgotten(text: str) -> Dict[str, int]:
    """How often names have been deleted, by their fingerprints; {} where nothing can be read."""
    try:
        stored = json.loads(text).get("forgotten", {}).items()
    except (ValueError, RecursionError, AttributeError):
        return {}
    return {key: count for key, count in stored if type(count) is int and re.fullmatch("[0-9a-f]{16}", key)}


def read_progress(text: str) -> Dict[str, Progress]:
    """The progress by name; damaged entries are left out, ValueError if it is no progress file at all."""
    try:
        stored = json.loads(text)["pupils"].items()
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        raise ValueError("no progress file") from None
    return {name: _read_pupil(values) for name, values in stored
            if name == tidy_name(name) and isinstance(values, dict)}


def _read_pupil(values: Dict[str, Any]) -> Progress:
    def entries(name: str) -> List[Any]:
        value = values.get(name)
        return value if isinstance(value, list) else []
    keys = {name: frozenset(key for key in entries(name) if isinstance(key, str) and _is_writable(key))
            for name in ("pages", "solved", "helped")}
    games = frozenset(game for game in map(_read_result, entries("games")) if game)
    return Progress(games=games, **keys).merged(Progress())


def _read_result(value: Any) -> Optional[GameResult]:
    model = GameResult("", 0, WHITE, "", 0)._asdict()
    if not isinstance(value, dict) or any(type(value.get(name)) is not type(model[name]) for name in model):
        return None
    game = GameResult(**{name: value[name] for name in model})
    is_sound = (_is_writable(game.when) and game.level in range(1, len(LEVELS) + 1) and game.side in (WHITE, BLACK)
                and game.result in RESULT_NAMES and game.moves >= 0)
    return game if is_sound else None


class Register:
    """The progress of all who learn on this computer, by name; '' is whoever has given none.

    What is added here is united with what other windows have added meanwhile,
    and nothing leaves the computer.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.path = user_path(PROGRESS_FILE)
        self.pupils: Dict[str, Progress] = {}
        #: What has been added here, to be united with what the file holds when it is written.
        self._added: Dict[str, Progress] = {}
        #: How often each name has been deleted, by its fingerprint, as far as this window knows.
        self._forgotten: Dict[str, int] = {}
        self.look_again()

    def look_again(self) -> None:
        """See what other windows have added or deleted meanwhile."""
        try:
            text = read_text(self.path)
            stored, forgotten = read_progress(text), read_forgotten(text)
        except ValueError:  # also an AgonError: no file yet, or one that will be put aside before it is written
            stored, forgotten = {}, {}
        self.pupils = self._united(stored, forgotten)
        self._added = {name: done for name, done in self._added.items() if not self._is_old(name, forgotten)}
        self._forgotten = self._deleted(forgotten)

    def of(self, name: str) -> Progress:
        """What this pupil has done so far."""
        return self.pupils.get(name, Progress())

    def add(self, name: str, done: Progress) -> None:
        """Add what a pupil has done, and let it be written."""
        self.look_again()  # what was done before the name was deleted elsewhere must not come back with this
        self.pupils = {**self.pupils, name: self.of(name).merged(done)}
        # Made anew, not changed: the writer's thread may be reading it.
        self._added = {**self._added, name: self._added.get(name, Progress()).merged(done)}
        self._writer.put(self.path, self._text)

    def forget(self, name: str) -> None:
        """Delete a name with all its progress, in other windows, too; whoever takes it later begins anew."""
        self.look_again()
        key = fingerprint(name)
        self._forgotten = {**self._forgotten, key: self._forgotten.get(key, 0) + 1}
        self.pupils = {other: done for other, done in self.pupils.items() if other != name}
        self._added = {other: done for other, done in self._added.items() if other != name}
        self._writer.put(self.path, self._text)

    def _is_old(self, name: str, forgotten: Dict[str, int]) -> bool:
        """Whether what was added here under a name has been deleted by another window since."""
        key = fingerprint(name)
        return forgotten.get(key, 0) > self._forgotten.get(key, 0)

    def _deleted(self, forgotten: Dict[str, int]) -> Dict[str, int]:
        """How often each name has been deleted by all windows together."""
        keys = {**forgotten, **self._forgotten}
        return {key: max(forgotten.get(key, 0), self._forgotten.get(key, 0)) for key in keys}

    def _united(self, stored: Dict[str, Progress], forgotten: Dict[str, int]) -> Dict[str, Progress]:
        """What the file holds and what has been added here, without what either side has deleted."""
        kept = {name: done for name, done in stored.items()
                if self._forgotten.get(fingerprint(name), 0) <= forgotten.get(fingerprint(name), 0)}
        added = {name: done for name, done in self._added.items() if not self._is_old(name, forgotten)}
        return {**kept, **{name: kept.get(name, Progress()).merged(done) for name, done in added.items()}}

    def _text(self) -> str:
        """The text of the file: what it holds and what has been added here; one that cannot be read is put aside."""
        try:
            text = read_text(self.path)
            stored, forgotten = read_progress(text), read_forgotten(text)
        except ValueError:  # an AgonError is one, too
            stored, forgotten = {}, {}
            if os.path.lexists(self.path):
                set_aside(self.path)
        return progress_text(self._united(stored, forgotten), self._deleted(forgotten))


class Store:
    """The settings, read once, changed here alone, written beside what other windows have changed; and the progress."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.path = user_path(SETTINGS_FILE)
        self.register = Register(writer)
        self.settings, others = self._stored()
        #: Where older versions kept the puzzles that had been solved.
        self._formerly_solved = frozenset(key for key in others.get("solved", ()) if isinstance(key, str)
                                          ) if isinstance(others.get("solved"), list) else frozenset()
        #: What has been changed here, to be laid over what the file holds when it is written.
        self._changes: Dict[str, Any] = {}
        #: Entries taken out of lists here, which must not come back from the file.
        self._dropped: List[str] = []

    def _stored(self) -> Tuple[Settings, Dict[str, Any]]:
        try:
            return read_settings(read_text(self.path))
        except AgonError:  # no file yet, or unreadable: the defaults are fine
            return Settings(), {}

    def change(self, **values: Any) -> None:
        """Change settings and let them be written."""
        self.settings = self.settings._replace(**values)
        self._changes = {**self._changes, **values}
        self._writer.put(self.path, self._merged)

    @property
    def progress(self) -> Progress:
        """What the pupil whose name is set has done so far."""
        return self.progress_of(self.settings.pupil)

    def progress_of(self, name: str) -> Progress:
        """What a pupil has done so far."""
        progress = self.register.of(name)
        return progress if name else progress.merged(Progress(solved=self._formerly_solved))

    def names(self) -> Set[str]:
        """All names with progress ('' is who has given none), and the one that is set."""
        return {*self.register.pupils, *filter(None, [self.settings.pupil])}

    def note(self, **done: Any) -> None:
        """Note what the pupil has done: pages=, solved= or helped= with a key, games= with a GameResult."""
        self.register.add(self.settings.pupil, Progress(**{name: frozenset((entry,)) for name, entry in done.items()}))

    def forget(self, name: str) -> None:
        """Delete a pupil's name and progress; if it was the name that is set, nobody's is set then."""
        self.register.forget(name)
        if not name:
            self._formerly_solved = frozenset()
        if self.settings.pupil == name:
            self.change(pupil="")

    def add(self, name: str, entry: str) -> None:
        """Put an entry in front of a list of settings, of which other windows may have more."""
        entries = getattr(self.settings, name)
        self._dropped = [other for other in self._dropped if other != entry]
        self.change(**{name: (entry, *(other for other in entries if other != entry))})

    def drop(self, name: str, entry: str) -> None:
        """Take an entry out of a list of settings."""
        self._dropped.append(entry)
        self.change(**{name: tuple(other for other in getattr(self.settings, name) if other != entry)})

    def _merged(self) -> str:
        """The text of the file: the stored values, the changes made here, and what a newer version keeps there."""
        stored, others = self._stored()
        changes = dict(self._changes)
        for name in [name for name in ("recent", "gathered") if name in changes]:
            more = [entry for entry in getattr(stored, name) if entry not in (*changes[name], *self._dropped)]
            changes[name] = (*changes[name], *more)[:MAX_RECENT if name == "recent" else None]
        values = stored._replace(**changes)._asdict()
        if not self._formerly_solved:
            others.pop("solved", None)
        return json.dumps({**others, **values}, indent=1, ensure_ascii=False) + "\n"


# --- 4. Session ------------------------------------------------------------------

#: What game files call a player at another computer.
ELSEWHERE = "Another computer"


class Player(NamedTuple):
    """Who moves the pieces of a side: a person, here or elsewhere, the computer on a level, or one's own program."""

    level: int = 0
    #: Program and arguments.
    program: Tuple[str, ...] = ()
    #: A person's name, or what a program calls itself; '' if there is none.
    name: str = ""
    #: What the computer's numbers are changed by, as the protocol's option Weights tells it.
    weights: str = ""
    #: Whether somebody at another computer plays, for whom the program speaks.
    is_elsewhere: bool = False

    @property
    def is_person(self) -> bool:
        """Whether a person plays."""
        return self.level == 0 and not self.program

    def file_name(self) -> str:
        """The name written into game files."""
        if self.is_elsewhere:
            return ELSEWHERE
        if self.program:
            return f"Program {self.called}"
        with_weights = f" with {self.weights}" if self.weights else ""
        return self.name or "Person" if self.is_person else f"Computer level {self.level}{with_weights}"

    @property
    def called(self) -> str:
        """The name of a person or a program; '' for who has none, for the computer, and for who is elsewhere."""
        return "" if self.is_elsewhere else self.name or program_name(self.program)

    @classmethod
    def from_file_name(cls, name: str) -> "Player":
        """The player a game file names; unknown names are persons, and no file ever starts a program."""
        match = re.fullmatch(r"Computer level ([1-9])(?: with (\S+))?", name)
        if not match or int(match.group(1)) > len(LEVELS):
            return cls(name="" if name == cls().file_name() else name)
        try:
            changed_weights(match.group(2) or "none")
        except ProtocolError:
            return cls(int(match.group(1)))
        return cls(int(match.group(1)), weights=match.group(2) or "")


#: The sides as the names of settings begin.
SIDE_KEYS = ("white", "black")


class Seat(NamedTuple):
    """Who is to play a side, as the New game dialog asks for it; what is not chosen is kept for the next time.

    `kind` is person, level, program, or other: somebody at another computer,
    who is not there any more the next time.
    """

    kind: str = "person"
    name: str = ""
    level: int = 2
    #: The program and its arguments as they are typed, and what it calls itself.
    program: str = ""
    called: str = ""
    #: The side's time, as TimeControl writes it.
    clock: str = ""
    #: How the other computer is reached: by waiting for it ('host') or going to it ('join'), there with its code.
    role: str = "host"
    address: str = ""
    code: str = ""

    @classmethod
    def from_settings(cls, settings: Settings, side: int) -> "Seat":
        """Who played this side in the last new game."""
        key = SIDE_KEYS[side]
        number = getattr(settings, key)
        kind = "program" if number == PROGRAM else "level" if number else "person"
        return cls(kind, getattr(settings, f"{key}_name"), number if number > 0 else settings.level,
                   getattr(settings, f"{key}_program") or settings.program, getattr(settings, f"{key}_called"),
                   getattr(settings, f"{key}_clock"), address=settings.link_address)

    def as_settings(self, side: int) -> Dict[str, Any]:
        """The same as settings."""
        key, number = SIDE_KEYS[side], {"level": self.level, "program": PROGRAM}.get(self.kind, 0)
        kept: Dict[str, Any] = {key: number, f"{key}_name": self.name, f"{key}_called": self.called,
                                f"{key}_program": self.program, f"{key}_clock": self.clock}
        kept.update({"level": self.level} if self.kind == "level" else {})
        kept.update({"program": self.program} if self.kind == "program" else {})
        return kept

    def player(self) -> Player:
        """Who plays; a person where no program has been named."""
        if self.kind == "level":
            return Player(self.level)
        if self.kind == "program" and self.program:
            return Player(program=program_command(self.program), name=self.called)
        return Player(name=self.name)


class Mode(Enum):
    """What the window is doing; everything leads back to IDLE."""

    IDLE = "waiting for the player"
    SELECTED = "a piece is picked, its target not yet"
    DRAGGING = "a piece follows the pointer"
    ANIMATING = "something runs by itself and is soon over"
    THINKING = "an engine is to answer"
    OVER = "the game has ended"


#: From which mode to which others; every mode may stay what it is.
TRANSITIONS: Dict[Mode, Tuple[Mode, ...]] = {
    Mode.IDLE: (Mode.SELECTED, Mode.ANIMATING, Mode.THINKING, Mode.OVER),
    Mode.SELECTED: (Mode.IDLE, Mode.DRAGGING, Mode.ANIMATING),
    Mode.DRAGGING: (Mode.IDLE, Mode.ANIMATING),
    Mode.ANIMATING: (Mode.IDLE,),
    Mode.THINKING: (Mode.IDLE,),
    Mode.OVER: (Mode.IDLE,),
}


#: An instant answer would look as if the player's own move had done two things.
LEAST_THINK_MS = 350


class Question(NamedTuple):
    """What an engine is asked: as which player, and the words of the protocol that limit it."""

    player: Player
    go: str = "go"
    #: The ideas that the program's own engine leaves out; "reductions" where no line of play may be missed.
    without: str = "none"
    #: The game that it is about, if that is not the one on the board.
    game: Optional[Game] = None
    #: The answer is given after this many milliseconds at the earliest.
    least_ms: int = LEAST_THINK_MS


class Next(NamedTuple):
    """What happens when the board has come to rest; by default the player is waited for."""

    mode: Mode = Mode.IDLE
    #: A move that is played by itself, or the last one taken back, or another game put on the board ...
    play: Optional[Move] = None
    take_back: bool = False
    put_up: Optional[Game] = None
    #: ... after this many milliseconds.
    delay: int = 0
    #: A question to an engine; answered() says what becomes of its answer.
    ask: Optional[Question] = None
    #: A move shown as an arrow, or just a piece that is to be thought of.
    show: Optional[Move] = None
    point: Optional[Cell] = None
    say: Optional[Message] = None


class Button(NamedTuple):
    """A button of a page: the command it gives, and what stands on it."""

    command: str
    label: str
    is_possible: bool = True
    is_primary: bool = False


class Row(NamedTuple):
    """A line of a list on a page: the name it is chosen by, a mark ('?', ...), two texts, and how far it is done."""

    name: str
    text: str
    detail: str = ""
    mark: str = ""
    #: 'open', 'done', 'helped', or '' where there is nothing to be done; 'on' and 'off' are a box to be ticked.
    state: str = ""


#: Rows of choices: a title, and the labels by the name of what is chosen.
Choices = Tuple[Tuple[str, Tuple[Tuple[str, str], ...]], ...]


class PageView(NamedTuple):
    """What a page beside the board shows, from top to bottom."""

    title: str
    context: str = ""
    #: Progress as dots: how many pages there are, which is open (from 0), and which are done.
    dots: int = 0
    current: int = 0
    heading: str = ""
    text: str = ""
    #: The name of a picture below the text: "lines" are the three ways to be trapped.
    picture: str = ""
    choices: Choices = ()
    #: What is chosen, names parted by blanks if it is one in each row.
    chosen: str = ""
    #: A table in words, its heads first; it makes the page wide.
    table: Tuple[Tuple[str, ...], ...] = ()
    #: The course of a game.
    curve: Optional["AnalysisView"] = None
    #: A list of which one line is chosen.
    rows: Tuple[Row, ...] = ()
    chosen_row: str = ""
    task: str = ""
    feedback: str = ""
    is_praise: bool = False
    buttons: Tuple[Button, ...] = ()
    note: str = ""
    #: Whether what is said is neither praise nor blame, such as a hint.
    is_neutral: bool = False


class Tile(NamedTuple):
    """A puzzle among all others: its position, its number of moves, and whether it is 'open', 'solved' or 'helped'."""

    number: int
    position: Position
    moves: int
    state: str
    #: What stands below its board, if anything: small games have names.
    title: str = ""


class ShelfView(NamedTuple):
    """All puzzles by theme (heading, how many are solved, tiles), and the number of the one chosen (from 0)."""

    groups: Tuple[Tuple[str, str, Tuple[Tile, ...]], ...]
    chosen: int
    #: What the signs on the tiles mean: solved alone, solved with a hint.
    legend: Tuple[str, str]


#: How long the line "... passes" stands before the pass is made.
PASS_MS = 1400
#: How many plies the computer looks ahead with numbers that have been changed: as many as level 5.
CHANGED_DEPTH = 3
#: Thinking time of a player's own program, and what the highest level takes at most when it has a clock.
PROGRAM_MS, LONGEST_THOUGHT_MS = 2000, 8000
#: How long a wrong move in tour or puzzles is seen, and how long an answer waits.
WRONG_MS, REPLY_MS = 1100, 600


#: In place of a cell: where the guards stand that are still to be placed.
TRAY: Cell = -1


class Table:
    """What lies before the player and what the hand plays on: a game, or a page of tour, puzzles or set-up.

    `attempt` is what tries a move of the player: Move and the pixel where the
    piece was dropped, if it was dragged.
    """

    #: Which of the four places of the toolbar this is.
    place = "game"
    #: Whether a click picks a piece up; else only dragging does.
    is_picked_by_click = True
    #: The side that sits below while this lies on the table; None: as the settings say.
    below: Optional[int] = None
    #: Whether the table itself gives hints.
    has_hint = False
    #: A move that is shown as a bad one.
    blamed: Optional[Move] = None

    def __init__(self, game: Game, attempt: Callable[[Move, Optional[Point]], None]) -> None:
        self.game = game
        self.attempt = attempt
        #: What is said about what has been tried, and whether it is praise.
        self.feedback: Optional[Message] = None
        self.is_praise = False

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.game.position

    # -- what the hand asks and does --

    @property
    def accepts_moves(self) -> bool:
        """Whether the player may move now, as far as the table knows."""
        return True

    def may_pick(self, cell: Cell) -> bool:
        """Whether there is a piece to be picked up; as long as guards are to be placed, only in the tray."""
        if self.game.is_placing:
            return cell == TRAY
        return self.position.side_at(cell) == self.position.turn

    def targets(self, cell: Cell) -> FrozenSet[Cell]:
        """Where the piece on a cell, or a guard from the tray, may go."""
        source = None if cell == TRAY else cell
        return frozenset(move.target for move in self.game.legal_moves()
                         if move.source == source and move.target is not None)

    @property
    def onward(self) -> str:
        """The command that Enter gives where there is nothing left to be moved; '' if there is none."""
        return ""

    def movable(self) -> FrozenSet[Cell]:
        """The cells of the pieces that can move, or those where a guard can be placed."""
        if self.game.is_placing:
            return self.targets(TRAY)
        return frozenset(move.source for move in self.game.legal_moves() if move.source is not None)

    def click(self, cell: Cell) -> Optional[Message]:
        """A click where nothing can be picked; what there is to say about it."""
        position, last = self.position, self.game.moves[-1:]
        if position.side_at(cell) == position.turn:
            return Message("no_PLACE_FIRST")
        if position.side_at(cell) is None or last and cell in last[0]:
            return None  # also after the second click of a double click on the target
        return Message("no_NOT_YOURS")

    def drop(self, source: Cell, target: Optional[Cell], point: Optional[Point]) -> bool:
        """A piece is put on a target (None: beside the board); False if it simply goes home."""
        if target is None:
            return False
        self.attempt(Move(None if source == TRAY else source, target), point)
        return True

    # -- what the window asks and tells --

    def tell(self, text_key: str = "", is_praise: bool = False, **values: Any) -> None:
        """Say something about what has been tried; without a key, nothing."""
        self.feedback = Message.of(text_key, **values) if text_key else None
        self.is_praise = is_praise

    def settled(self) -> Next:
        """The board has come to rest: what is to happen next."""
        return Next()

    def heard(self, info: Info) -> None:
        """The engine that was asked tells what it thinks so far."""

    def answered(self, move: Move, score: Optional[int]) -> Next:
        """An engine has answered with a legal move: what becomes of it."""
        return Next(play=move)

    def failed(self) -> Next:
        """The engine that was asked has failed."""
        return Next()

    def refused(self, refusal: Refusal) -> None:
        """The player has tried an illegal move."""

    def hint(self) -> Next:
        """The player asks for a hint."""
        return Next()

    def is_ready(self) -> bool:
        """Whether what is on the board can be played on as a game."""
        return True

    def page(self, texts: Texts, settings: Settings) -> Optional[PageView]:
        """What the page beside the board shows, in place of all that belongs to the running game."""
        return None

    def theatre(self, texts: Texts) -> Optional["TheatreView"]:
        """What the theatre shows, in place of all that belongs to the running game."""
        return None

    def learning(self, texts: Texts) -> Optional["LearningView"]:
        """What the page about learning shows."""
        return None

    def leave(self) -> None:
        """Something else gets the board."""

    def shelf(self, texts: Texts) -> Optional["ShelfView"]:
        """What is shown in place of the board: all puzzles, to choose one from."""
        return None

    def choose(self, name: str) -> None:
        """A choice on the page has been made."""

    def written(self, texts: Texts) -> str:
        """The text of the file that Save as writes; AgonError if it is too long."""
        return self.game.to_text()

    def commands(self) -> Dict[str, Callable[[], None]]:
        """Commands that mean something of their own here, by their keys."""
        return {}


class RunningGame(Table):
    """The game that is played, with its players and its file; it waits while tour, puzzles or set-up are open."""

    def __init__(self, game: Game, players: Sequence[Player], attempt: Callable[[Move, Optional[Point]], None],
                 path: str = "", is_paused: bool = False, clock: Optional[Clock] = None) -> None:
        super().__init__(game, attempt)
        self.players: List[Player] = list(players)
        self.clock = clock or Clock((TimeControl(), TimeControl()))
        self.path = path
        #: Whether computers wait; they also wait where moves can be played again.
        self.is_paused = is_paused or bool(game.undone)
        #: Whether the player looks back: a move then begins a new game and leaves this one as it is.
        self._looks_back = bool(game.undone)
        #: Who makes just the next move, whoever plays that side.
        self.helper: Optional[Player] = None
        #: Whether its end is known already: a game counts once, and not when it came here finished.
        self.is_counted = game.outcome(game.length) is not None
        #: What has been found out about its mistakes.
        self.review: Optional[Review] = None

    @property
    def side_on_the_clock(self) -> Optional[int]:
        """The side whose time runs, if nothing else holds it up; it runs from the first move on."""
        is_at_rest = not self.game.ply or self.is_paused or self.looks_back or self.game.outcome() is not None
        return None if is_at_rest else self.position.turn

    @property
    def looks_back(self) -> bool:
        """Whether the board shows an earlier position because somebody looks through the game."""
        return self._looks_back and bool(self.game.undone)

    @property
    def player(self) -> Player:
        """Who is to move."""
        return self.players[self.position.turn]

    @property
    def is_computers_turn(self) -> bool:
        """Whether the computer is to move, even if it is held up."""
        return not self.player.is_person

    @property
    def has_partner(self) -> bool:
        """Whether somebody at another computer plays; then nothing can be taken back."""
        return any(player.is_elsewhere for player in self.players)

    @property
    def accepts_moves(self) -> bool:
        return not self.is_computers_turn and not (self.has_partner and self.looks_back)

    @property
    def has_person(self) -> bool:
        """Whether a person plays."""
        return any(player.is_person for player in self.players)

    @property
    def person(self) -> Optional[int]:
        """The side of the only person who plays, or None."""
        sides = [side for side in (WHITE, BLACK) if self.players[side].is_person]
        return sides[0] if len(sides) == 1 else None

    def seat(self, players: Sequence[Player]) -> None:
        """Let others play on."""
        self.players = list(players)

    def pause(self, is_paused: bool) -> None:
        """Let computers wait, or go on."""
        self.is_paused = is_paused

    def let_help(self, helper: Player) -> None:
        """Let somebody make just the next move."""
        self.helper = helper

    def headers(self) -> Dict[str, str]:
        """The names that a file of this game gets."""
        names = {name: player.file_name() for name, player in zip(SIDE_HEADERS, self.players)}
        return {**names, **self.clock.headers()}

    def result(self, when: str) -> Optional[GameResult]:
        """The result of a whole game that a person has just ended against a level of the computer; else None."""
        outcome, person = self.game.outcome(), self.person
        is_whole = self.game.start == Position.start(self.game.start.turn, self.game.rules)
        if self.is_counted or outcome is None or person is None or not is_whole or not self.players[1 - person].level:
            return None
        name = "drawn" if outcome.winner is None else "won" if outcome.winner == person else "lost"
        number = self.game.move_number(max(0, self.game.ply - 1))
        return GameResult(when, self.players[1 - person].level, person, name, number)

    def text(self) -> str:
        """The game as .agon text, with the moves taken back."""
        return self.game.to_text(with_undone=True, headers=self.headers())

    def written(self, texts: Texts) -> str:
        return self.text()

    def reviewed(self) -> Optional[Review]:
        """What has been found out about the mistakes of the game as it is now."""
        review = self.review
        return review if review and review.moves == self.game.moves + self.game.undone else None

    def settled(self) -> Next:
        game, mover = self.game, self.helper or self.player
        if game.outcome():
            return Next(Mode.OVER)
        if not self.helper and self.is_computers_turn and self.is_paused:
            return Next()
        if mover.is_elsewhere:  # for as long as it takes, and passes are made there, too
            return Next() if self.looks_back else Next(Mode.THINKING, ask=Question(mover, "go infinite"))
        if game.legal_moves() == [PASS] and not game.undone:
            say = Message.of("say_pass", side=game.position.turn)
            return Next(Mode.ANIMATING, play=PASS, delay=PASS_MS, say=say)
        if mover.is_person:
            return Next()
        return Next(Mode.THINKING, ask=Question(mover, self._go(mover)))

    def _go(self, mover: Player) -> str:
        """The words of the protocol that ask a player for a move, in time."""
        side = self.position.turn
        words = ["go", self.clock.words(side)]
        if mover.program:
            words.append(f"movetime {self.clock.movetime(side, PROGRAM_MS)}")
        elif mover.weights:
            words.append(f"depth {CHANGED_DEPTH}")
        elif mover.level == len(LEVELS) and self.clock.is_limited(side):
            words.append(f"movetime {LONGEST_THOUGHT_MS}")  # its other limits are its level's own
        return " ".join(word for word in words if word)

    def failed(self) -> Next:
        self.helper = None
        self.is_paused = self.is_computers_turn
        return Next()

    # -- through the game --

    def undo_count(self) -> int:
        """How many moves Undo takes back: to the player's own turn, if the computer plays too."""
        turn, moves = self.position.turn, self.game.moves
        if not self.has_person:
            return min(1, len(moves))
        for count in range(1, len(moves) + 1):
            if self.players[(turn + count) % 2].is_person and moves[-count] != PASS:
                return count
        return 0

    def redo_count(self) -> int:
        """How many moves Redo plays again: to the player's next turn."""
        turn, undone = self.position.turn, self.game.undone
        count = 1 if undone else 0
        while 0 < count < len(undone) and not self.players[(turn + count) % 2].is_person and self.has_person:
            count += 1
        return count

    def travel(self, count: int) -> Dict[Cell, Cell]:
        """Take moves back (below 0) or play them again (above 0); where each piece that moved has come from."""
        came_from: Dict[Cell, Cell] = {}
        self._looks_back = self.looks_back  # who had come to the end again takes moves back in earnest
        for _ in range(abs(count)):
            move = self.game.undo() if count < 0 else self.game.redo()
            if move is not None and move.source is not None and move.target is not None:
                here, there = (move.target, move.source) if count < 0 else (move.source, move.target)
                came_from[there] = came_from.pop(here, here)
        self.is_paused = not self.has_person
        return came_from

    def look_at(self, ply: int) -> None:
        """Show the game after this many moves; a computer whose turn it is there waits."""
        while self.game.ply > ply and self.game.undo():
            pass
        while self.game.ply < ply and self.game.redo():
            pass
        self._looks_back = True
        self.is_paused = not self.has_partner

    def let_partner_go(self) -> None:
        """The line to another computer is closed: the game can be played on here."""
        for side, player in enumerate(self.players):
            if player.is_elsewhere:
                self.players[side] = Player(name=ELSEWHERE)

    def branch(self) -> "RunningGame":
        """This game as it is, to be kept; here a new one goes on from the position on the board."""
        kept = RunningGame(self.game, self.players, self.attempt, self.path, True, self.clock)
        self.game, self.path, self.clock = self.game.branch(), "", self.clock.anew()
        return kept

    def take_line(self, ply: int, number: int) -> None:
        """Go on with a variation; what was played there is kept in its place."""
        self.game.take_variation(ply, number)
        self.is_paused = self._looks_back = True


class Marks(NamedTuple):
    """What the last try or a hint has marked on the board."""

    #: The cells that made the last try illegal, and the cell of that try.
    causes: FrozenSet[Cell] = frozenset()
    tried: Optional[Cell] = None
    hint: Optional[Move] = None
    #: The piece that a hint points at.
    piece: Optional[Cell] = None


#: Sentences about where a game is kept: they stay until the player acts, for the computer's answer may come at once.
LASTING = ("say_branched", "say_orphan", "say_set_aside")


class Partner(NamedTuple):
    """Somebody at another computer, and how things stand, as the program says that speaks for him.

    `state` is connecting, waiting, connected or failed.
    """

    player: Player
    state: str = "connecting"
    #: What is to be said about it, by language, and what is to be shown large.
    sentence: Union[Message, Dict[str, str], str] = ""
    signs: Tuple[str, ...] = ()


class Session:
    """All that the window knows about what lies on the table; it holds no Tk and can be tried alone."""

    def __init__(self, running: RunningGame) -> None:
        self.running = running
        #: What is on the board: the running game, or for a while something else.
        self.table: Table = running
        #: The game that the running one has replaced.
        self.previous: Optional[RunningGame] = None
        self.mode = Mode.IDLE
        self.marks = Marks()
        #: What the message box says until the next action, and whether it is a refusal.
        self.message: Optional[Message] = None
        self.is_refusal = False
        #: The game that the next move branches off from.
        self._left: Optional[Game] = None
        #: Who plays at another computer, from the first try to reach it.
        self.partner: Optional[Partner] = None

    @property
    def game(self) -> Game:
        """The game on the board."""
        return self.table.game

    @property
    def is_lesson(self) -> bool:
        """Whether something other than the running game has the board."""
        return self.table is not self.running

    @property
    def may_act(self) -> bool:
        """Whether the player may pick, drop or type now: the one place that says so."""
        return self.mode in (Mode.IDLE, Mode.SELECTED) and self.table.accepts_moves

    def enter(self, mode: Mode) -> None:
        """Change the mode: its only writer."""
        assert mode is self.mode or mode in TRANSITIONS[self.mode], (self.mode, mode)
        self.mode = mode

    def say(self, message: Optional[Message], is_refusal: bool = False) -> None:
        """Put a sentence into the message box; nothing (None) is no refusal."""
        self.message, self.is_refusal = message, is_refusal and message is not None

    def answered(self) -> None:
        """The computer has moved: marks and message are old, unless the player should still read it."""
        message, is_refusal = self.message, self.is_refusal
        self.clear_marks()
        if message and message.key in LASTING:
            self.say(message, is_refusal)

    def mark(self, **marks: Any) -> None:
        """Add marks to those on the board."""
        self.marks = self.marks._replace(**marks)

    def clear_marks(self) -> None:
        """Forget message and marks of the last try."""
        self.marks = Marks()
        self.say(None)

    def refuse(self, move: Move) -> None:
        """Say why a move is illegal and mark the cells that make it so."""
        refusal = self.game.refusal(move)
        if refusal is not None:
            self.say(Message("no_" + refusal.name), is_refusal=True)
            self.mark(causes=frozenset(self.game.causes(move)), tried=move.target)
            self.table.refused(refusal)

    def _put(self, table: Table) -> None:
        if table is not self.table:
            self.table.leave()
        self.table = table

    def open(self, table: Table) -> None:
        """Let a lesson take the board; the running game waits."""
        self._put(table)

    def close(self) -> None:
        """Give the board back to the running game."""
        self._put(self.running)

    def replace(self, running: RunningGame) -> None:
        """Let another game run; the one before is kept, if it was more than a start."""
        if running.game is not self.running.game and self.running.game.length:
            self.previous = self.running
        self.running = running
        self._put(running)

    def would_leave(self, move: Move) -> bool:
        """Whether a move would begin another game in the middle of one that has ended."""
        running, game = self.running, self.running.game
        is_other = not self.is_lesson and running.looks_back and game.undone[0] != move
        return is_other and game.outcome(game.length) is not None

    def branch(self) -> None:
        """Let a new game go on from the position on the board; the one looked through stays whole."""
        self.previous = self.running.branch()
        self._left = self.previous.game

    def play(self, move: Move) -> None:
        """Play a move; what the game just left went on with is kept as its variation."""
        game, left = self.game, self._left
        self._left = None
        others = [left.rest(), *left.variations.get(left.ply, ())] if left and left.undone else []
        game.play(move)
        if others:
            game.variations[game.ply - 1] = others

    def bring_back(self) -> None:
        """Exchange the running game with the one it has replaced."""
        if self.previous:
            self.running, self.previous = self.previous, self.running
            self._put(self.running)


# --- 5. Lessons ------------------------------------------------------------------
# The tour, the puzzles and the set-up: each is a table of its own, which fills a
# page beside the board while the running game waits.

class Leaflet(Table):
    """Pages that are leafed through, each with a position and a task."""

    def __init__(self, lessons: Sequence[Lesson], attempt: Callable[[Move, Optional[Point]], None]) -> None:
        super().__init__(Game(lessons[0].start), attempt)
        self.lessons = lessons
        self.number = 0

    @property
    def lesson(self) -> Lesson:
        """The page that is open."""
        return self.lessons[self.number]

    @property
    def side(self) -> int:
        """The side that the player has."""
        start = self.lesson.start
        return start.turn

    @property
    def key(self) -> str:
        """What the page is remembered by."""
        return str(self.lesson.start)

    def open(self, number: int) -> None:
        """Open a page, at its beginning."""
        self.number = max(0, min(number, len(self.lessons) - 1))
        self.game = Game(self.lesson.start)
        self.tell()

    def commands(self) -> Dict[str, Callable[[], None]]:
        """Previous and Next turn the pages."""
        back, on = partial(self.open, self.number - 1), partial(self.open, self.number + 1)
        commands: Dict[str, Callable[[], None]] = {"page_again": partial(self.open, self.number)}
        if self.number > 0:
            commands.update(previous=back, page_back=back)
        if self.number < len(self.lessons) - 1:
            commands.update(next=on, page_next=on)
        return commands


class Tour(Leaflet):
    """The tour through the rules: one page after the other, each with something to try."""

    place = "learn"

    def __init__(self, lessons: Sequence[Lesson], attempt: Callable[[Move, Optional[Point]], None],
                 store: Optional[Store] = None) -> None:
        super().__init__([lesson for lesson in lessons if lesson.kind == "tour"], attempt)
        #: Where pages that are done are noted, if anywhere.
        self.store = store
        #: How many of the page's goals have been reached, and which pages are done.
        self.step = 0
        self.open(0)

    @property
    def is_done(self) -> bool:
        """Whether everything on the page has been tried."""
        return self.step == len(self.lesson.goals)

    @property
    def accepts_moves(self) -> bool:
        return not self.is_done and self.position.turn == self.side

    @property
    def onward(self) -> str:
        is_last = self.number == len(self.lessons) - 1
        return "" if not self.is_done else "puzzles" if is_last else "page_next"

    def open(self, number: int) -> None:
        super().open(number)
        self.step = 0

    def settled(self) -> Next:
        game, lesson = self.game, self.lesson
        if self.is_done or not game.moves or game.position.turn == self.side:
            return Next()
        if not is_goal_reached(lesson.goals[self.step], game):
            self.tell("lesson_wrong" if lesson.wrong else "lesson_other", wrong=lesson.wrong)
            return Next(Mode.ANIMATING, take_back=True, delay=WRONG_MS)
        self._step_done()
        if self.is_done:
            return Next()
        reply = lesson.answer(self.step - 1, game)
        if reply is None:
            return Next(put_up=Game(game.position.with_turn(self.side)))
        return Next(Mode.ANIMATING, play=reply, delay=REPLY_MS)

    def refused(self, refusal: Refusal) -> None:
        """On a page about what is forbidden the refusal is what was asked for."""
        if not self.is_done and is_goal_reached(self.lesson.goals[self.step], self.game, refusal):
            self._step_done()

    def _step_done(self) -> None:
        self.step += 1
        if self.is_done and self.store:
            self.store.note(pages=self.key)
        self.tell("lesson_right" if self.is_done else "lesson_next_step", True, praise=self.lesson.praise)

    def page(self, texts: Texts, settings: Settings) -> Optional[PageView]:
        """The page's text and task."""
        lesson, language, number = self.lesson, texts.language, self.number
        is_last = number == len(self.lessons) - 1
        onward = (Button("puzzles", texts("to_puzzles"), is_primary=self.is_done) if is_last else
                  Button("page_next", texts("page_next" if self.is_done else "page_skip"), is_primary=self.is_done))
        return PageView(
            texts("tour"), texts("page_of", number=number + 1, count=len(self.lessons)), len(self.lessons), number,
            lesson.title[language], lesson.text[language], picture=lesson.picture, task=lesson.task.get(language, ""),
            feedback=texts.say(self.feedback) if self.feedback else "", is_praise=self.is_praise,
            buttons=(onward, Button("play_at_once", texts("first_game")) if is_last and not lesson.goals else
                     Button("page_again", texts("page_again")),
                     *((Button("small_games", texts("to_small_games")),) if is_last else ()),
                     Button("page_back", texts("page_back"), number > 0), Button("page_close", texts("page_close"))),
            note=texts("waiting_game"))


class Shelved(Leaflet):
    """Pages that stand on a shelf, by theme, until one of them is opened; each is open, solved, or solved with help."""

    has_hint = True
    #: The kind of lesson, the text that names all of them, and what a pupil's keys for them begin with.
    kind, name, prefix = "puzzle", "puzzles", ""
    #: The texts that say what the signs on the tiles mean.
    legend = ("shelf_alone", "shelf_helped")

    def __init__(self, lessons: Sequence[Lesson], attempt: Callable[[Move, Optional[Point]], None],
                 store: Store) -> None:
        super().__init__([lesson for lesson in lessons if lesson.kind == self.kind], attempt)
        self.store = store
        #: The page that says what a theme teaches, by theme.
        self.themes = {lesson.theme: lesson for lesson in lessons if lesson.kind == "theme"}
        #: By which the pages are known in what a pupil has done.
        self._keys = [self.key_of(lesson) for lesson in self.lessons]
        #: Whether a page is open; else the shelf is seen, on which one of them is chosen.
        self.is_open = False
        self._begin()
        self.look_at(self.following(-1))

    @classmethod
    def key_of(cls, lesson: Lesson) -> str:
        """What a page is remembered by."""
        return cls.prefix + str(lesson.start)

    @property
    def key(self) -> str:
        return self._keys[self.number]

    def _begin(self) -> None:
        """The page lies there as at the beginning; whether it is solved, and whether with help."""
        self.is_solved = self.was_helped = False

    def states(self) -> List[str]:
        """Whether each page has been 'solved', has been solved with help only ('helped'), or is still 'open'."""
        progress = self.store.progress
        return ["solved" if key in progress.solved else "helped" if key in progress.helped else "open"
                for key in self._keys]

    def following(self, number: int) -> int:
        """The number of the page to be solved after this one: the next open one, then those solved with help."""
        numbers = [*range(number + 1, len(self.lessons)), *range(number + 1)]
        known = self.states()
        states = [known[other] for other in numbers]
        return next((numbers[states.index(state)] for state in ("open", "helped") if state in states), numbers[0])

    def look_at(self, number: int) -> None:
        """Choose a page on the shelf."""
        super().open(number)
        self.is_open = False
        self._begin()

    def open(self, number: int) -> None:
        super().open(number)
        self.is_open = True
        self._begin()

    def choose(self, name: str) -> None:
        """A tile is chosen ('look 12') or opened ('open 12')."""
        action, number = name.split()
        (self.open if action == "open" else self.look_at)(int(number))

    def commands(self) -> Dict[str, Callable[[], Any]]:
        """On the shelf: choosing and opening; with a page open: the next one, back to the shelf, and leafing."""
        if not self.is_open:
            return {"puzzle_open": partial(self.open, self.number),
                    "previous": partial(self.look_at, max(0, self.number - 1)),
                    "next": partial(self.look_at, min(len(self.lessons) - 1, self.number + 1))}
        return {**super().commands(), "puzzle_next": self.open_next, "puzzle_shelf": self.close_puzzle}

    def open_next(self) -> None:
        """Open the page to be solved after this one."""
        self.open(self.following(self.number))

    def close_puzzle(self) -> None:
        """Go back to the shelf; once this page is solved, the next one is chosen there."""
        self.look_at(self.following(self.number) if self.is_solved else self.number)

    def shelf(self, texts: Texts) -> Optional["ShelfView"]:
        if self.is_open:
            return None
        by_theme: Dict[str, List[Tile]] = {}
        for number, (lesson, state) in enumerate(zip(self.lessons, self.states())):
            tile = (Tile(number, lesson.start, lesson.moves, state) if self.kind == "puzzle" else
                    Tile(number, lesson.start, 0, state, lesson.title.get(texts.language, "")))
            by_theme.setdefault(lesson.theme, []).append(tile)
        groups = []
        for theme, tiles in by_theme.items():
            solved = sum(tile.state != "open" for tile in tiles)
            count = texts("shelf_count", solved=solved, count=len(tiles))
            groups.append((self._title(theme, texts), count, tuple(tiles)))
        alone, helped = self.legend
        return ShelfView(tuple(groups), self.number, (texts(alone), texts(helped)))

    @property
    def below(self) -> Optional[int]:  # type: ignore[override]
        """The board turns to the solver."""
        return self.side

    def _title(self, theme: str, texts: Texts) -> str:
        page = self.themes.get(theme)
        return page.title[texts.language] if page else texts(self.name)

    def failed(self) -> Next:
        """The player may make the move again."""
        self.tell("puzzle_failed")
        return Next(take_back=self.position.turn != self.side)

    def _taken_back(self, ply: int) -> Dict[Cell, Cell]:
        """Take back all moves after this ply; the cells of the pieces that go back, and where they come from."""
        came_from: Dict[Cell, Cell] = {}
        while self.game.ply > ply:
            move = self.game.undo()
            if move is not None and move.source is not None and move.target is not None:
                came_from[move.source] = came_from.pop(move.target, move.target)
        return came_from


def within(moves: int) -> Message:
    """'in two moves'."""
    key = f"within_{moves}"
    return Message(key) if key in TEXTS else Message.of("within", count=moves)


class PuzzleBook(Shelved):
    """The puzzles: a shelf with all of them, and the one that is open, with hints, verdicts and refutations."""

    place = "puzzles"

    def _begin(self) -> None:
        """A puzzle lies there as at the beginning."""
        super()._begin()
        self.is_showing = self.is_wrong = False
        #: How many hints have been given for this move, and the number of moves made when all was still right.
        self.hints, self.right_ply = 0, 0
        self.was_known = self.states()[self.number]

    @property
    def moves_left(self) -> int:
        """How many own moves are left to reach the goal."""
        return self.lesson.moves - (self.game.ply + 1) // 2

    @property
    def accepts_moves(self) -> bool:
        is_over = self.is_solved or self.is_showing or self.is_wrong
        return self.is_open and not is_over and self.position.turn == self.side

    @property
    def onward(self) -> str:
        return "page_again" if self.is_wrong else "puzzle_next" if self.is_solved else ""

    # -- a move and what is said to it --

    def settled(self) -> Next:
        game = self.game
        if not self.is_open or self.is_solved or self.is_wrong:
            return Next()
        if not game.moves or game.position.turn == self.side:
            self.hints, self.right_ply = 0, game.ply
            return self._next_move() if self.is_showing else Next()
        if is_goal_reached(self.lesson.goals[0], game, moves=self.lesson.moves):
            self._solved()
            return Next()
        missing = moves_to_go(game.position.enemy, game.position.queens)
        if self.lesson.goals[0] == "win" and missing <= self.moves_left and not game.outcome():
            known = self._known_move() if self.is_showing else None
            return Next(Mode.ANIMATING, play=known, delay=REPLY_MS) if known else self._ask(2 * self.moves_left)
        return self._wrong(*self._verdict())

    def _solved(self) -> None:
        self.is_solved = True
        key = "puzzle_shown" if self.is_showing else "puzzle_solved_helped" if self.was_helped else "puzzle_solved"
        self.tell(key, True, praise=self.lesson.praise)
        if not self.is_showing:
            self.store.note(**{"helped" if self.was_helped else "solved": self.key})

    def _wrong(self, verdict: Message, refutation: Optional[Move] = None) -> Next:
        """The move stays on the board and is answered by what refutes it, until the player wants to try once more."""
        self.is_wrong = True
        self.tell(verdict.key, **dict(verdict.values))
        return Next(Mode.ANIMATING, play=refutation, delay=REPLY_MS) if refutation else Next()

    def _verdict(self) -> Tuple[Message, Optional[Move]]:
        """Why the move is not the right one, and the move of the other side that shows it."""
        game, goal, outcome = self.game, self.lesson.goals[0], self.game.outcome()
        if goal in ("win", "hold") and outcome:
            return Message("puzzle_lost" if outcome.reason is Ending.EMPTY_THRONE else "puzzle_drawn"), None
        if goal == "win":
            missing = moves_to_go(game.position.enemy, game.position.queens)
            key = "puzzle_too_slow" if missing > 1 else "puzzle_too_slow_by_one"
            return Message.of(key, count=missing), None
        if goal == "hold":
            wins = ForcedWins(game.rules)
            moves = wins.shortest(game.position, self.lesson.moves) or 1
            refutation = wins.winning_moves(game.position, moves)[0]
            return Message.of("puzzle_not_held" if moves > 1 else "puzzle_not_held_now", side=self.side,
                              move=self._shown(refutation), within=within(moves)), refutation
        if goal == "safe":
            refutation = moves_that_reach("trap", game)[0]
            return Message.of("puzzle_unsafe", move=self._shown(refutation),
                              piece=self._piece(game.position.newly_trapped(refutation)[0])), refutation
        if goal == "exception" and not game.position.trapped():
            return Message("puzzle_not_between"), None
        if goal in ("trap", "trap_two", "exception", "relocate_trap", "trap_queen"):
            several = "puzzle_traps_other" if goal == "trap_queen" else "puzzle_traps_one"
            return Message(several if game.newly_trapped() else "puzzle_traps_none"), None
        return Message.of("lesson_wrong" if self.lesson.wrong else "lesson_other", wrong=self.lesson.wrong), None

    def answered(self, move: Move, score: Optional[int]) -> Next:
        """The engine's best move: the solution's next move, or the best defence."""
        if self.position.turn == self.side:
            return Next(play=move) if self.is_showing else self._hint_at(move)
        if score is not None and (WIN + score) // 2 <= self.moves_left:
            if not self.is_showing:
                self.tell("puzzle_go_on", is_praise=True, within=within(self.moves_left))
            return Next(Mode.ANIMATING, play=move, delay=REPLY_MS)
        trapped = self.position.newly_trapped(move)
        is_at_throne = move.target is not None and RING[move.target] == 1
        key = "puzzle_refuted_trap" if trapped else "puzzle_refuted_place" if is_at_throne else "puzzle_refuted"
        return self._wrong(Message.of(key, side=self.side, move=self._shown(move),
                                      piece=self._piece(trapped[0]) if trapped else "",
                                      within=within(self.lesson.moves)), move)

    def failed(self) -> Next:
        self.is_showing = False
        return super().failed()

    def _shown(self, move: Move) -> str:
        return self.game.describe(move).rstrip("+#")

    def _piece(self, cell: Cell) -> Message:
        return Message.of("the_queen" if self.position.is_queen(cell) else "the_guard", cell=cell_name(cell))

    # -- what can be done --

    def commands(self) -> Dict[str, Callable[[], Any]]:
        """With a puzzle open, also the solution, and trying once more."""
        more = {"page_again": self.try_again, "puzzle_solution": self.show_solution} if self.is_open else {}
        return {**super().commands(), **more}

    def try_again(self) -> Dict[Cell, Cell]:
        """Take back the wrong move and what refuted it; with no wrong move there, begin the puzzle again.

        Returns the cells of the pieces that go back, and where they come from.
        """
        if not self.is_wrong:
            self.open(self.number)
            return {}
        came_from = self._taken_back(self.right_ply)
        self.is_wrong = False
        self.tell()
        return came_from

    def hint(self) -> Next:
        """First the piece that is to be moved, then the move."""
        if not self.accepts_moves:
            return Next()
        self.was_helped = True
        return self._next_move()

    def show_solution(self) -> None:
        """Play the solution, the defender defending as well as possible."""
        self.open(self.number)
        self.is_showing = True

    def _hint_at(self, move: Move) -> Next:
        self.hints += 1
        if self.hints == 1 and move.source is not None:
            return Next(point=move.source, say=Message.of("puzzle_hint_piece", piece=self._piece(move.source)))
        return Next(show=move)

    def _ask(self, plies: int) -> Next:
        return Next(Mode.THINKING, ask=Question(Player(len(LEVELS)), f"go depth {plies}", "reductions"))

    def _known_move(self) -> Optional[Move]:
        """The next move of the solution that the file tells, as long as the game has gone along with it."""
        solution, played = self.lesson.solution, self.game.moves
        return solution[len(played)] if len(solution) > len(played) and solution[:len(played)] == played else None

    def _next_move(self) -> Next:
        """The solution's next move: as the file tells it, or else a win found by the engine, or by trying all moves."""
        goal = self.lesson.goals[0]
        move = self._known_move()
        if move is None and goal == "win":
            return self._ask(2 * self.moves_left - 1)
        right = [move] if move else moves_that_reach(goal, self.game, self.lesson.moves)
        return self.answered(right[0], None) if right else Next()

    # -- the page --

    def task(self, texts: Texts) -> str:
        """What is to be done, as an order."""
        lesson, key = self.lesson, "puzzle_task_" + self.lesson.goals[0]
        own = lesson.task.get(texts.language, "")
        return own or (texts(key, side=self.side, within=within(lesson.moves)) if key in TEXTS else "")

    def page(self, texts: Texts, settings: Settings) -> Optional[PageView]:
        """The task and what can be done; on the shelf, how far one has come, and the puzzle that is chosen."""
        lesson, number, count = self.lesson, self.number, len(self.lessons)
        theme = self.themes.get(lesson.theme)
        text = theme.text[texts.language] if theme else ""
        name = lesson.title.get(texts.language) or (theme.title[texts.language] if theme else "")
        close = Button("page_close", texts("page_close"))
        if not self.is_open:
            states = collections.Counter(self.states())
            return PageView(
                texts("puzzles"), texts("puzzles_count", solved=states["solved"] + states["helped"], count=count,
                                        helped=states["helped"]),
                heading=": ".join(filter(None, (texts("puzzle_number", number=number + 1), name))),
                text=text, task=f"{texts('puzzle_you', side=self.side)} {self.task(texts)}".strip(),
                buttons=(Button("puzzle_open", texts("puzzle_open", number=number + 1), is_primary=True),
                         Button("small_games", texts("to_small_games")), close),
                note=texts("shelf_note"))
        known = {"solved": "puzzle_known", "helped": "puzzle_known_helped"}.get(self.was_known)
        return PageView(
            self._title(lesson.theme, texts), texts("puzzle_of", number=number + 1, count=count),
            heading=texts("puzzle_you", side=self.side), text=text, task=self.task(texts),
            feedback=texts.say(self.feedback) if self.feedback else texts(known) if known else "",
            is_praise=self.is_praise if self.feedback else bool(known),
            buttons=(Button("page_again", texts("page_again"), is_primary=True) if self.is_wrong else
                     Button("puzzle_next", texts("puzzle_next"), is_primary=self.is_solved),
                     Button("hint", texts("hint"), self.accepts_moves),
                     Button("puzzle_solution", texts("puzzle_solution"), not self.is_showing),
                     Button("puzzle_next", texts("page_skip")) if self.is_wrong else
                     Button("page_again", texts("page_again")),
                     Button("puzzle_shelf", texts("puzzle_shelf")), close),
            note=texts("waiting_game"))


#: A win in so many own moves is found by trying all moves and answers, for a hint in a small game; more than one only
#: where the player has so few moves that this takes no time (0.07 s at most in the games of the classroom).
HINT_MOVES, HINT_CHOICES = 2, 20


class SmallGames(Shelved):
    """Small games: positions with few pieces that are played against the computer until a goal is reached or missed."""

    place = "learn"
    kind, name, prefix = "game", "small_games", "game "
    legend = ("small_alone", "small_with_help")

    def __init__(self, lessons: Sequence[Lesson], attempt: Callable[[Move, Optional[Point]], None],
                 store: Store) -> None:
        #: The levels that the player has chosen, by the number of the game.
        self._levels: Dict[int, int] = {}
        super().__init__(lessons, attempt, store)

    def _begin(self) -> None:
        super()._begin()
        self.standing = Standing()
        self.has_resigned = False

    @property
    def level(self) -> int:
        """The computer's level: the one chosen, or else the one that the file proposes."""
        settings = self.store.settings
        return min(len(LEVELS), self._levels.get(self.number, self.lesson.level or settings.level))

    @property
    def is_over(self) -> bool:
        """Whether the goal has been reached or missed."""
        return self.has_resigned or self.standing.is_won is not None

    @property
    def accepts_moves(self) -> bool:
        return self.is_open and not self.is_over and self.position.turn == self.side

    @property
    def onward(self) -> str:
        return "" if not self.is_over else "puzzle_next" if self.is_solved else "page_again"

    @classmethod
    def key_of(cls, lesson: Lesson) -> str:
        """Several small games may begin with the same position."""
        return f"{cls.prefix}{' '.join(lesson.goals)} {lesson.start}"

    # -- playing --

    def settled(self) -> Next:
        if not self.is_open or self.has_resigned:
            return Next()
        game = self.game
        self.standing = standing(self.lesson, game)
        if self.is_over:
            self._ended()
            return Next()
        if game.legal_moves() == [PASS]:
            say = Message.of("say_pass", side=game.position.turn)
            return Next(Mode.ANIMATING, play=PASS, delay=PASS_MS, say=say)
        if game.position.turn == self.side:
            return Next()
        return Next(Mode.THINKING, ask=Question(Player(self.level)))

    def _ended(self) -> None:
        """Say what has come of the game; what has been reached is kept."""
        lesson, was_solved = self.lesson, self.is_solved
        self.is_solved = bool(self.standing.is_won)
        if not self.is_solved:
            self.tell("small_missed", why=self._why_missed(), wrong=lesson.wrong)
            return
        self.tell("small_helped" if self.was_helped else "small_reached", True, praise=lesson.praise)
        if not was_solved:
            self.store.note(**{"helped" if self.was_helped else "solved": self.key})

    def _why_missed(self) -> Message:
        """What has kept the player from the goal."""
        lesson, outcome = self.lesson, self.game.outcome()
        if lesson.rival and self.standing.rival == len(lesson.rival):
            return Message.of("small_not_held" if lesson.is_to_hold else "small_too_late", side=self.side)
        if outcome:
            return Message("end_" + outcome.reason.name)
        return Message.of("small_no_moves", count=lesson.moves)

    def answered(self, move: Move, score: Optional[int]) -> Next:
        """The computer's move, or one that it would make in the player's place."""
        if self.position.turn == self.side:
            return Next(show=move, say=hint_message(self.game, move, score))
        return Next(play=move)

    # -- what can be done --

    def hint(self) -> Next:
        """A move that reaches the goal soon whatever the computer does, or else what the engine would play."""
        if not self.accepts_moves:
            return Next()
        self.was_helped = True
        is_quick = len(self.game.legal_moves()) <= HINT_CHOICES
        for moves in range(1, (HINT_MOVES if is_quick else 1) + 1):
            forcing = forcing_moves(self.lesson, self.game, moves)
            if forcing:
                move = self.game.describe(forcing[0])
                return Next(show=forcing[0], say=Message.of(f"small_hint_{moves}", move=move))
        question = Question(Player(len(LEVELS)), f"go movetime {HINT_MS}")
        return Next(Mode.THINKING, ask=question, say=Message("say_thinking"))

    def choose(self, name: str) -> None:
        """Also a level ('level_3') can be chosen, at any time."""
        if name.startswith("level_"):
            self._levels[self.number] = int(name.split("_")[1])
        else:
            super().choose(name)

    def commands(self) -> Dict[str, Callable[[], Any]]:
        """With a game open, also taking back, giving up, and playing against a higher or a lower level."""
        commands = super().commands()
        if self.is_open:
            if any(move != PASS for move in self.game.moves[::2]):
                commands["undo"] = self.take_back
            if not self.is_over:
                commands["resign"] = self.resign
            if self.level < len(LEVELS):
                commands["small_higher"] = partial(self.change_level, 1)
            if self.level > 1:
                commands["small_lower"] = partial(self.change_level, -1)
        return commands

    def take_back(self) -> Dict[Cell, Cell]:
        """Take back the player's last move and the computer's answer; what is reached then is reached with help."""
        ply = self.game.ply - 1
        while ply % 2 or self.game.moves[ply] == PASS:
            ply -= 1  # the player has the moves after an even number of them
        came_from = self._taken_back(ply)
        self.is_solved = self.has_resigned = False
        self.was_helped = True
        self.tell()
        return came_from

    def resign(self) -> None:
        """Give up; another attempt is one click away."""
        self.has_resigned = True
        self.tell("small_missed", why=Message("small_resigned"), wrong=self.lesson.wrong)

    def change_level(self, step: int) -> None:
        """Begin again, against another level."""
        self._levels[self.number] = self.level + step
        self.open(self.number)

    # -- the page --

    def task(self, texts: Texts) -> str:
        """What is to be done by whom, and how much of it is left."""
        lesson, now = self.lesson, self.standing
        parts = [texts("puzzle_you", side=self.side), lesson.task.get(texts.language, "")]
        left = lesson.moves - now.moves
        if lesson.moves and self.is_open and not self.is_over:
            parts.append(texts("small_left" if left > 1 else "small_last", count=left))
        if max(len(lesson.goals), len(lesson.rival)) > 1 and self.is_open:
            key = "small_score_both" if len(lesson.rival) > 1 else "small_score"
            parts.append(texts(key, side=self.side, count=now.reached, rival=now.rival))
        return " ".join(parts)

    def page(self, texts: Texts, settings: Settings) -> Optional[PageView]:
        """The task, the level and what can be done; on the shelf, how far one has come, and the game that is chosen."""
        lesson, number, count = self.lesson, self.number, len(self.lessons)
        close = Button("page_close", texts("page_close"))
        levels = tuple((f"level_{level.number}", str(level.number)) for level in LEVELS)
        half = len(levels) // 2
        page = PageView(
            texts(self.name), heading=lesson.title.get(texts.language, ""), text=lesson.text.get(texts.language, ""),
            choices=((texts("small_level"), levels[:half]), ("", levels[half:])), chosen=f"level_{self.level}",
            task=self.task(texts), note=texts("waiting_game"))
        if not self.is_open:
            states = collections.Counter(self.states())
            return page._replace(
                context=texts("small_count", solved=states["solved"] + states["helped"], count=count,
                              helped=states["helped"]),
                heading=f"{number + 1}: {page.heading}", note=texts("shelf_note"),
                buttons=(Button("puzzle_open", texts("small_open"), is_primary=True),
                         Button("puzzles", texts("to_puzzles")), close))
        feedback, is_neutral = texts.say(self.feedback) if self.feedback else "", False
        if not self.is_over and not feedback:
            feedback, is_neutral = self._situation(texts), True
        return page._replace(context=texts("small_of", number=number + 1, count=count), feedback=feedback,
                             is_praise=self.is_praise, is_neutral=is_neutral, buttons=(*self._buttons(texts), close))

    def _situation(self, texts: Texts) -> str:
        """What the player should know now: that the computer is thinking, or that a piece is trapped."""
        if self.position.turn != self.side:
            return texts("computer_turn")
        if not self.game.must_relocate():
            return ""
        return f"{texts('trapped_your_' + trapped_kind(self.position))}. {trapped_task(self.game, texts)}"

    def _buttons(self, texts: Texts) -> Tuple[Button, ...]:
        """What can be done, the next thing first."""
        own = self.commands()
        undo = Button("undo", texts("undo"), "undo" in own)
        again = Button("page_again", texts("page_again"), is_primary=self.is_over and not self.is_solved)
        following = texts("small_next" if self.is_solved else "page_skip")
        onward = Button("puzzle_next", following, is_primary=self.is_solved)
        shelf = Button("puzzle_shelf", texts("small_shelf"))
        if self.is_solved:
            higher = Button("small_higher", texts("small_higher", level=self.level + 1), "small_higher" in own)
            return onward, higher, again, shelf
        if self.is_over:
            lower = Button("small_lower", texts("small_lower", level=self.level - 1), "small_lower" in own)
            return again, undo, lower, onward, shelf
        return Button("hint", texts("hint"), self.accepts_moves), undo, again, onward, shelf


#: What the engine is asked about each position of a game that is looked through, and about a try.
REVIEW_GO = "go nodes 10000"


class Mistakes(Table):
    """Learning from the mistakes of a game: it is looked through, then each mistake is a task of its own.

    All is tried on copies; the game itself stays as it is.  Nothing shows a
    better move before the player has found one or asks for it.
    """

    place = "analysis"
    #: The sides whose mistakes are tasks, by the name of the choice.
    SIDES = {"sides_white": (WHITE,), "sides_black": (BLACK,), "sides_both": (WHITE, BLACK)}

    def __init__(self, running: RunningGame, attempt: Callable[[Move, Optional[Point]], None]) -> None:
        super().__init__(Game(running.game.start, running.game.rules), attempt)
        self.running = running
        review = running.reviewed()
        if review is None:
            review = running.review = Review(running.game)
        self.review = review
        self.is_stopped = False
        person = running.person
        self.sides = "sides_both" if person is None else ("sides_white", "sides_black")[person]
        #: Which mistakes have been mended, and where help was given, by their plies.
        self.mended: Set[int] = set()
        self.helped: Set[int] = set()
        self.number = 0
        #: What has come of the last try: '' (nothing yet), 'right', 'wrong' or 'shown'.
        self.verdict = ""
        #: The line that follows, how much of the board's game it begins after, and whether it is being played.
        self.line: Tuple[Move, ...] = ()
        self.line_from = 0
        #: The same line in the form for people.
        self.line_words: List[str] = []
        self.is_showing = False
        self._hints = 0
        self._info: Optional[Info] = None
        if not self.is_looking:
            self.open(0)

    # -- what there is --

    @property
    def is_looking(self) -> bool:
        """Whether the game is still being looked through."""
        return self.review.question is not None and not self.is_stopped

    @property
    def tasks(self) -> List[Mistake]:
        """The mistakes found, of the sides that are wanted, or their weakest moves if there are none."""
        return [task for task in self.review.tasks(self.SIDES[self.sides]) if task.mark or not self.is_looking]

    @property
    def _are_mistakes(self) -> bool:
        """Whether the tasks are mistakes, not only weak moves."""
        return any(task.mark for task in self.tasks)

    @property
    def mistake(self) -> Optional[Mistake]:
        """The mistake that is the task now."""
        tasks = self.tasks
        return tasks[self.number] if not self.is_looking and self.number < len(tasks) else None

    @property
    def accepts_moves(self) -> bool:
        return self.mistake is not None and not self.verdict and self.game.ply == self.mistake.ply

    @property
    def onward(self) -> str:
        if self.verdict == "wrong":
            return "page_again"
        return "page_next" if self.verdict and not self.is_showing and self.number < len(self.tasks) - 1 else ""

    @property
    def has_hint(self) -> bool:  # type: ignore[override]
        """Whether there is a task to give a hint for."""
        return self.accepts_moves

    @property
    def below(self) -> Optional[int]:  # type: ignore[override]
        """The side that made the mistake."""
        return self.mistake.position.turn if self.mistake else None

    @property
    def blamed(self) -> Optional[Move]:  # type: ignore[override]
        """The bad move, as long as the board stands before it."""
        return self.mistake.move if self.mistake and self.accepts_moves else None

    # -- from one to the next --

    def open(self, number: int) -> None:
        """Put up the position before a mistake."""
        self.number = max(0, min(number, len(self.tasks) - 1))
        self.verdict, self.line, self.is_showing, self._hints = "", (), False, 0
        self.tell()
        self._put_up(self.mistake.ply if self.mistake else len(self.review.moves))

    def _put_up(self, ply: int) -> None:
        running_game = self.running.game
        game = Game(running_game.start, running_game.rules)
        for move in self.review.moves[:ply]:
            game.play(move)
        self.game = game

    def choose(self, name: str) -> None:
        """Choose whose mistakes are wanted, or the mistake at this move of the game."""
        if name in self.SIDES:
            self.sides = name
            if not self.is_looking:
                self.open(0)
        elif self.tasks and not self.is_looking:
            ply = int(name)
            self.open(min(range(len(self.tasks)), key=lambda number: abs(self.tasks[number].ply - ply)))

    def commands(self) -> Dict[str, Callable[[], None]]:
        """Stop and go on looking; leaf through the mistakes; the solution, and its line on the board."""
        if self.is_looking:
            return {"mistakes_stop": self._stop}
        commands: Dict[str, Callable[[], None]] = {"page_again": partial(self.open, self.number)}
        if self.review.question is not None:
            commands["mistakes_go_on"] = self._go_on
        if self.mistake:
            commands["mistakes_solution"] = self.show_solution
        if self.line:
            commands["mistakes_play"] = self.play_line
        if self.number > 0:
            commands.update(dict.fromkeys(("previous", "page_back"), partial(self.open, self.number - 1)))
        if self.number < len(self.tasks) - 1:
            commands.update(dict.fromkeys(("next", "page_next"), partial(self.open, self.number + 1)))
        return commands

    def _stop(self) -> None:
        self.is_stopped = True
        self.open(0)

    def _go_on(self) -> None:
        self.is_stopped = False

    # -- looking, trying, showing --

    def settled(self) -> Next:
        mistake, game = self.mistake, self.game
        if self.is_looking:
            self._put_up(max(0, self.review.done - 1))
            return self._ask(self.review.question)
        if self.is_showing:
            following = self.line[game.ply - self.line_from:]
            self.is_showing = bool(following)
            return Next(Mode.ANIMATING, play=following[0], delay=REPLY_MS) if following else Next()
        if mistake is None or self.verdict or game.ply == mistake.ply:
            return Next()
        move, outcome = game.last_move, game.outcome()
        if move == mistake.move:
            return self._wrong("mistakes_same")
        if move == mistake.better:
            return self._right(mistake.line[1:], mistake.before)
        if outcome:
            is_good = outcome.winner == mistake.position.turn or outcome.winner is None and mistake.is_mended_by(DRAW)
            if not is_good:
                return self._wrong("mistakes_ended")
            return self._right((), DRAW)  # a win at once needs no score to be told from
        return self._ask(None)

    def _ask(self, game: Optional[Game]) -> Next:
        self._info = None
        return Next(Mode.THINKING, ask=Question(Player(len(LEVELS)), REVIEW_GO, "contempt", game,
                                                0 if game else LEAST_THINK_MS))

    def heard(self, info: Info) -> None:
        """The engine's best line so far."""
        self._info = info

    def answered(self, move: Move, score: Optional[int]) -> Next:
        """What the engine has found: about the next position of the game, or about a try."""
        words = self._info.moves if self._info else ()
        line = tuple(Move.from_text(word) for word in words) if words[:1] == (str(move),) else (move,)
        score = score or 0
        if self.is_looking:
            self.review.answer(score, line)
            if not self.is_looking:
                self.open(0)
            return self.settled()
        mistake = self.mistake
        if mistake is None:
            return Next()
        if mistake.is_mended_by(score_before(score)):
            return self._right(line, score_before(score))
        self._wrong("mistakes_wrong", move=self.game.describe(move))
        return Next(Mode.ANIMATING, play=move, delay=REPLY_MS)

    def failed(self) -> Next:
        """Without the engine nothing can be found out; the player may go on, or try once more."""
        if self.is_looking:
            self._stop()
        elif self.mistake:
            self.open(self.number)
        self.tell("puzzle_failed")
        return Next()

    def _right(self, line: Tuple[Move, ...], score: int) -> Next:
        """The player has found a move that is good enough, worth `score` for the side that makes it."""
        mistake, move = self.mistake, self.game.last_move
        assert mistake is not None and move is not None
        self.verdict = "right"
        self.mended.add(mistake.ply)
        self._follow(line)
        why = mistake.reason if move == mistake.better else reason_of(self._before(), move, score)
        described = mistake.position.describe(move, self.game.rules)
        reason: Union[str, Message] = Message.of("mistakes_why", move=described, why=why_message(why)) if why else ""
        self.tell("mistakes_right" if move == mistake.better else "mistakes_as_good", True, why=reason)
        return Next()

    def _wrong(self, text_key: str, **values: Any) -> Next:
        self.verdict = "wrong"
        self.tell(text_key, **values)
        return Next()

    def _before(self) -> Game:
        """The game of the board before the last move."""
        game = self.game.branch()
        game.undo()
        return game

    def _follow(self, line: Tuple[Move, ...]) -> None:
        """Keep a line that goes on from the board, as far as it is legal."""
        trial, begin = self.game.branch(), self.game.ply
        for move in line:
            if trial.refusal(move):
                break
            trial.play(move)
        self.line, self.line_from = tuple(trial.moves[begin:]), begin
        self.line_words = trial.descriptions()[begin:]

    def show_solution(self) -> None:
        """Play the better move and its line on the board; the mistake then counts as mended with help."""
        self.open(self.number)
        mistake = self.mistake
        if mistake:
            self.mended.add(mistake.ply)
            self.helped.add(mistake.ply)
            self.verdict = "shown"
            self.tell("mistakes_shown", True, move=mistake.position.describe(mistake.better, self.game.rules))
            self._follow(mistake.line)
            self.is_showing = True

    def play_line(self) -> None:
        """Play the line that may follow, from its beginning."""
        while self.game.ply > self.line_from:
            self.game.undo()
        self.game = self.game.branch()
        self.is_showing = True

    def hint(self) -> Next:
        """First the piece that should move, then the move and what it is good for."""
        mistake = self.mistake
        if mistake is None or not self.accepts_moves:
            return Next()
        self._hints += 1
        if self._hints == 1:
            return Next(point=mistake.better.source, say=Message("hint_piece"))
        self.helped.add(mistake.ply)
        return Next(show=mistake.better, say=hint_message(self.game, mistake.better, mistake.before))

    # -- what is shown --

    def page(self, texts: Texts, settings: Settings) -> Optional[PageView]:
        """The course of the game, the mistakes, and the task."""
        running, review, mistake = self.running, self.review, self.mistake
        names = [player_name(running, side, texts) for side in (WHITE, BLACK)]
        page = PageView(
            texts("learn_mistakes"), texts("mistakes_players", white=names[WHITE], black=names[BLACK]),
            choices=(("", tuple((name, texts(name)) for name in self.SIDES)),), chosen=self.sides,
            curve=AnalysisView("", (), None, scores_of(review), len(review.moves), self.game.ply,
                               tuple((task.ply, task.mark) for task in self.tasks)),
            rows=tuple(mistake_row(running.game, task, self._state(task), texts) for task in self.tasks),
            chosen_row=str(mistake.ply) if mistake else "",
            feedback=texts.say(self.feedback) if self.feedback else "", is_praise=self.is_praise,
            note=texts("mistakes_note"))
        close = Button("page_close", texts("page_close"))
        if self.is_looking:
            return page._replace(
                heading=texts("mistakes_looking"), text=texts("mistakes_done", done=review.done,
                                                              count=len(review.moves) + 1, found=len(review.mistakes)),
                buttons=(Button("mistakes_stop", texts("mistakes_stop")), close), chosen_row="")
        can_go_on = review.question is not None
        on = (Button("mistakes_go_on", texts("mistakes_go_on"), is_primary=mistake is None),) * can_go_on
        save = Button("save_as", texts("mistakes_save"))
        if mistake is None:
            return page._replace(heading=texts("mistakes_none"), text=self._extent(texts, "mistakes_none_text"),
                                 buttons=(*on, close, *((save,) if review.mistakes else ())))
        return page._replace(heading=self._said(mistake, texts), text=self._line_text(texts),
                             task="" if self.verdict else texts("mistakes_task"),
                             buttons=(*self._buttons(texts), *on, close, save))

    def _state(self, mistake: Mistake) -> str:
        """How far a task is done, as a state of a row."""
        return "open" if mistake.ply not in self.mended else "helped" if mistake.ply in self.helped else "done"

    def _extent(self, texts: Texts, text_key: str) -> str:
        """A sentence, with how far the game has been looked through if that is not to its end."""
        if self.review.question is None:
            return texts(text_key)
        number = self.running.game.move_number(max(0, self.review.done - 1))
        return f"{texts(text_key)} {texts('mistakes_partly', number=number)}"

    def _said(self, mistake: Mistake, texts: Texts) -> str:
        """Who has played the bad move."""
        side = mistake.position.turn
        move = mistake.position.describe(mistake.move, self.game.rules)
        key = "mistakes_you" if self.running.person == side else "mistakes_side"
        return texts(key, side=side, move=move, mark=mistake.mark)

    def _line_text(self, texts: Texts) -> str:
        """The line that may follow, once the task is done; before, what a weak move is."""
        if self.line and self.verdict in ("right", "shown"):
            return texts("mistakes_line", line=" ".join(self.line_words))
        return "" if self.verdict or self._are_mistakes else self._extent(texts, "mistakes_weak")

    def _buttons(self, texts: Texts) -> Tuple[Button, ...]:
        """What can be done about the task: the next thing to do first."""
        is_last, is_done = self.number == len(self.tasks) - 1, self.verdict in ("right", "shown")
        back_text, onward_text = "mistakes_back", "mistakes_next"
        if not self._are_mistakes:
            back_text, onward_text = "weak_back", "weak_next"
        back = Button("page_back", texts(back_text), self.number > 0)
        onward = Button("page_next", texts(onward_text), not is_last, is_done)
        again = Button("page_again", texts("page_again"), is_primary=self.verdict == "wrong")
        solution = Button("mistakes_solution", texts("mistakes_solution"))
        if self.verdict == "wrong":
            return again, solution, onward
        if not is_done:
            return solution, Button("hint", texts("hint"), self.accepts_moves), onward, back
        play = Button("mistakes_play", texts("mistakes_play"), bool(self.line) and not self.is_showing)
        return (again, play) if is_last else (onward, play, again)

    def written(self, texts: Texts) -> str:
        """The game with the mistakes as marks, comments and variations."""
        game = Game.from_text(self.running.text())
        annotate(game, self.review.mistakes or self.tasks, partial(mistake_comment, texts))
        return game.to_text(with_undone=True, headers=self.running.headers())


def mistake_row(game: Game, mistake: Mistake, state: str, texts: Texts) -> Row:
    """A mistake as a line of the list: the move with its number, and what it has cost."""
    if mistake.missed_win:
        cost = texts("cost_win", number=mistake.missed_win)
    elif mistake.after < -SURE_WIN:
        cost = texts("cost_loss")
    else:
        cost = texts("cost_steps", steps=texts.number((mistake.before - mistake.after) / 100))
    return Row(str(mistake.ply), game.numbered(mistake.ply), cost, mistake.mark, state)


def mistake_comment(texts: Texts, mistake: Mistake, rules: Rules) -> str:
    """What is written into a game file about a mistake."""
    if mistake.missed_win:
        what = texts("comment_win", number=mistake.missed_win)
    else:
        before, after = (round(100 * chance(score)) for score in (mistake.before, mistake.after))
        what = texts("comment_chance", before=before, after=after)
    move = mistake.position.describe(mistake.better, rules)
    if mistake.reason is None or mistake.missed_win:
        return texts("comment_better", what=what, move=move)
    return texts("comment_better_why", what=what, move=move, why=why_message(mistake.reason))


def games_by_level(progress: Progress) -> Dict[int, Dict[str, int]]:
    """How many games have been won, drawn and lost, by the level of the computer."""
    counted: Dict[int, Dict[str, int]] = {}
    for game in progress.games:
        results = counted.setdefault(game.level, dict.fromkeys(RESULT_NAMES, 0))
        results[game.result] += 1
    return dict(sorted(counted.items()))


def progress_csv(pupils: Dict[str, Progress], texts: Texts) -> str:
    """The progress of all as a table for a spreadsheet, a line for each name.

    German spreadsheets expect semicolons.  A name that would be taken for a
    formula gets an apostrophe before it.
    """
    results = [(name, level.number) for level in LEVELS for name in RESULT_NAMES]
    titles = [texts(key) for key in ("csv_name", "csv_tour", "csv_small", "csv_solved", "csv_helped")]
    titles += [texts(f"csv_{name}", level=level) for name, level in results] + [texts("csv_last")]
    table = io.StringIO()
    writer = csv.writer(table, delimiter=";" if texts.language == "de" else ",", lineterminator="\n")
    writer.writerow(titles)
    for name, progress in sorted(pupils.items()):
        games = games_by_level(progress)
        counts = [games.get(level, {}).get(result, 0) for result, level in results]
        shown = "'" + name if name[:1] in ("=", "+", "-", "@") else name
        solved, helped = ({key for key in keys if not key.startswith(SmallGames.prefix)}
                          for keys in (progress.solved, progress.helped))
        small = len(progress.solved | progress.helped) - len(solved | helped)
        writer.writerow([shown, len(progress.pages), small, len(solved), len(helped), *counts,
                         max((game.when for game in progress.games), default="")])
    return table.getvalue()


class ProgressPage(Table):
    """What all who learn on this computer have done so far; the name chosen is the one whose progress is kept."""

    place = "learn"
    accepts_moves = False

    def __init__(self, game: Game, store: Store, pages: Sequence[str], puzzles: Sequence[str],
                 small_games: Sequence[str] = ()) -> None:
        super().__init__(game, ignore_move)
        self.store = store
        #: The keys of all pages with a task, of all puzzles and of all small games.
        self.pages, self.puzzles, self.small_games = frozenset(pages), frozenset(puzzles), frozenset(small_games)
        store.register.look_again()

    def names(self) -> List[str]:
        """All names; '' comes first."""
        return sorted({"", *self.store.names()}, key=str.casefold)

    def choose(self, name: str) -> None:
        """From now on this name's progress is kept."""
        self.store.change(pupil=name)

    def _row(self, name: str, texts: Texts) -> Row:
        progress = self.store.progress_of(name)
        done = self.puzzles & (progress.solved | progress.helped)
        detail = texts("progress_row", puzzles=len(done), games=len(progress.games))
        return Row(name, name or texts("nameless"), detail)

    def summary(self, texts: Texts) -> str:
        """What the chosen one has done, in a few lines."""
        progress = self.store.progress
        solved, helped = self.puzzles & progress.solved, self.puzzles & progress.helped
        small = self.small_games & (progress.solved | progress.helped)
        lines = [texts("progress_tour", done=len(self.pages & progress.pages), count=len(self.pages)),
                 texts("progress_small", done=len(small), count=len(self.small_games)),
                 texts("progress_helped" if helped else "progress_puzzles", done=len(solved), count=len(self.puzzles),
                       helped=len(helped))]
        lines += [texts("progress_level", level=level, **results)
                  for level, results in games_by_level(progress).items()]
        return "\n".join(lines if progress.games else [*lines, texts("progress_no_games")])

    def page(self, texts: Texts, settings: Settings) -> Optional[PageView]:
        """The names, and what the chosen one has done."""
        names = self.names()
        return PageView(
            texts("progress"), texts("progress_of", count=sum(bool(name) for name in names)),
            heading=settings.pupil or texts("nameless"), text=self.summary(texts),
            rows=tuple(self._row(name, texts) for name in names), chosen_row=settings.pupil,
            buttons=(Button("progress_name", texts("progress_name"), is_primary=True),
                     Button("progress_export", texts("progress_export")),
                     Button("progress_forget", texts("progress_forget" if settings.pupil else "progress_clear"),
                            bool(settings.pupil) or self.store.progress_of("") != Progress()),
                     Button("page_close", texts("page_close"))),
            note=texts("progress_note"))


def ignore_move(_move: Move, _point: Optional[Point]) -> None:
    """What becomes of a move where none is asked for."""


class ClassTournament(Table):
    """The tournament of a class: who takes part, then what is played, any game of it on the board.

    A program of its own plays it (agon_ai.py tournament), line by line told to `hear`.
    """

    place = "learn"
    accepts_moves = False
    below = WHITE
    #: How often everyone may play everyone, and the times for a move to choose from (milliseconds).
    ROUNDS, TIMES_MS = (1, 2, 4), (100, 500, 2000)

    def __init__(self, folder: str) -> None:
        super().__init__(Game(), ignore_move)
        self.rounds, self.milliseconds = self.ROUNDS[0], self.TIMES_MS[0]
        #: What is played, once it has begun, whether it still is, and the path of its page.
        self.tournament: Optional[Tournament] = None
        self.is_running = self.is_stopping = False
        self.page_path = ""
        #: The game that is watched; None: always one that is being played.  And after how many moves it is seen.
        self.watched: Optional[Pairing] = None
        self._ply: Optional[int] = None
        self.look_into(folder)

    # -- before it begins --

    def look_into(self, folder: str) -> None:
        """Take the programs of a folder, all of them to begin with."""
        self.folder, names = folder, []
        self.tell()
        try:
            names = programs_in(folder)
            if not names:
                self.tell("tournament_empty")
        except OSError as error:
            self.tell("tournament_unreadable", reason=error)
        #: The programs, each with what is missing to run it; and the rows that are ticked.
        self.programs = {name: missing_file(program_command(os.path.join(folder, name))) or "" for name in names}
        self.chosen = {f"program {name}" for name, missing in self.programs.items() if not missing} | {"level 1"}
        self.last_chosen = ""

    def players(self) -> List[str]:
        """Those who take part, as the command line calls them."""
        programs = [os.path.join(self.folder, name) for name in self.programs if f"program {name}" in self.chosen]
        return programs + [f"level{level.number}" for level in LEVELS if f"level {level.number}" in self.chosen]

    def arguments(self, page_path: str, language: str) -> Tuple[str, ...]:
        """The command line of the tournament that is wanted: a game at a time for every two cores."""
        return ("tournament", *self.players(), "--live", "--page", page_path, "--language", language,
                "--rounds", str(self.rounds), "--movetime", str(self.milliseconds),
                "--jobs", str(max(1, (os.cpu_count() or 1) // 2)))

    def choose(self, name: str) -> None:
        """Tick a box, take a number, or watch a game."""
        word, _, rest = name.partition(" ")
        if self.tournament is not None:
            self.watched, self._ply = Pairing.from_numbers(name) if name else None, None
            self._put_up()
        elif name.startswith("rounds_"):
            self.rounds = int(name[len("rounds_"):])
        elif name.startswith("time_"):
            self.milliseconds = int(name[len("time_"):])
        elif word == "level" or not self.programs.get(rest, "?"):
            self.chosen ^= {name}
            self.last_chosen = name

    # -- while it is played --

    def begin(self, page_path: str) -> None:
        """It is being played now."""
        self.tournament, self.is_running, self.page_path = Tournament(), True, page_path
        self.watched = self._ply = None
        self._ended: List[Row] = []
        self._table = table_rows((), {}, TABLE_HEADS["en"])
        self.tell()

    def hear(self, line: str) -> None:
        """The program that plays it tells something."""
        tournament = self.tournament
        if tournament is None:
            return
        tournament.hear(line)
        self._put_up()
        if line.startswith(("count", "end")):
            self._count(tournament)

    def _count(self, tournament: Tournament) -> None:
        """Keep what only changes at the end of a game: the table, and the lines of the games played."""
        names = [visible(name, HEADING_NAME) for name in tournament.names]
        self._table = table_rows(names, tournament.results, TABLE_HEADS["en"])
        for pairing, result in list(tournament.results.items())[len(self._ended):]:
            outcome = result.game.outcome()
            how = outcome.result if outcome else ""
            self._ended.append(self._game_row(tournament, pairing, how, "!" if result.failure else ""))

    @staticmethod
    def _game_row(tournament: Tournament, pairing: Pairing, how: str, mark: str = "") -> Row:
        names = " – ".join(visible(name, HEADING_NAME) for name in tournament.players(pairing))
        return Row(pairing.numbers, names, f"{pairing.numbers} · {how}", mark)

    def stop(self) -> None:
        """It is going to end soon."""
        self.is_stopping = True

    def end(self, failure: Optional[Message] = None) -> None:
        """It is played no more."""
        self.is_running = self.is_stopping = False
        if failure:
            self.feedback = failure

    def clear(self) -> None:
        """Make room for another one."""
        self.tournament, self.game, self.watched, self._ply = None, Game(), None, None
        self.look_into(self.folder)

    @property
    def shown(self) -> Optional[Pairing]:
        """The game on the board: the one that is watched, else one that is being played, else the last one."""
        if self.watched is not None or self.tournament is None:
            return self.watched
        running, games = self.tournament.running, list(self.tournament.results)
        return running[0] if running else games[-1] if games else None

    def _put_up(self) -> None:
        """Put the game that is watched on the board."""
        pairing = self.shown
        if pairing is None or self.tournament is None:
            return
        self.game = game = self.tournament.games[pairing]
        if self._ply is not None:
            self.game = Game(game.start, game.rules)
            for move in game.moves[:self._ply]:
                self.game.play(move)

    def _go_by(self, count: int) -> None:
        """Show the game that is watched some moves earlier or later; its last position goes on with the game."""
        if self.tournament is None or self.shown is None:
            return
        self.watched = self.shown
        length = self.tournament.games[self.watched].ply
        ply = max(0, (length if self._ply is None else self._ply) + count)
        self._ply = ply if ply < length else None
        self._put_up()

    def commands(self) -> Dict[str, Callable[[], None]]:
        """Leafing through the game that is watched."""
        if self.shown is None:
            return {}
        return {key: partial(self._go_by, count) for key, count in (
            ("first", -10 ** 6), ("previous", -1), ("next", 1), ("last", 10 ** 6))}

    # -- what is shown --

    def page(self, texts: Texts, settings: Settings) -> Optional[PageView]:
        """Who takes part, or how it stands."""
        return self._choosing(texts) if self.tournament is None else self._playing(texts, self.tournament)

    def _choosing(self, texts: Texts) -> PageView:
        players = self.players()
        rows = []
        for name, missing in self.programs.items():
            row, lacks = f"program {name}", texts("tournament_missing", name=shown_name(missing)) if missing else ""
            rows.append(Row(row, shown_name(name), lacks, "", "" if missing else "on" if row in self.chosen else "off"))
        for level in LEVELS:
            row = f"level {level.number}"
            rows.append(Row(row, texts("level", level=level.number), texts(f"word_{level.number}"), "",
                            "on" if row in self.chosen else "off"))
        times = [(f"time_{time_ms}", texts.number(time_ms / 1000, "{:g}")) for time_ms in self.TIMES_MS]
        count = len(pairings_of(len(players), self.rounds))
        return PageView(
            texts("tournament"), texts("tournament_from", folder=shown_name(self.folder)),
            text=texts("tournament_text"), rows=tuple(rows),
            chosen_row=self.last_chosen,
            choices=((texts("tournament_rounds"), tuple((f"rounds_{count}", str(count)) for count in self.ROUNDS)),
                     (texts("tournament_time"), tuple(times))),
            chosen=f"rounds_{self.rounds} time_{self.milliseconds}",
            feedback=texts.say(self.feedback) if self.feedback else "",
            buttons=(Button("tournament_start", texts("tournament_start"), len(players) > 1, is_primary=True),
                     Button("tournament_folder", texts("tournament_folder")),
                     Button("page_close", texts("page_close"))),
            note=texts("tournament_games", players=len(players), count=count) if count else texts("tournament_few"))

    def _playing(self, texts: Texts, tournament: Tournament) -> PageView:
        absent = [texts("tournament_absent", failure=spoken(failure)) for failure in tournament.absent]
        if tournament.count == 0:
            absent.append(texts("tournament_alone"))
        heading, text = self._caption(texts, tournament)
        shown, is_over = self.shown, not self.is_running
        heads = dict(zip(TABLE_HEADS["en"], TABLE_HEADS[texts.language]))
        return PageView(
            texts("tournament"), self._progress(texts, tournament), heading=heading, text=text,
            table=(tuple(map(heads.get, self._table[0], self._table[0])), *map(tuple, self._table[1:])),
            rows=self._games(texts, tournament), chosen_row=self.watched.numbers if self.watched else "",
            feedback="\n".join([texts.say(self.feedback)] * bool(self.feedback) + absent),
            buttons=(Button("tournament_new", texts("tournament_new"), is_primary=True) if is_over else
                     Button("tournament_stop", texts("tournament_stop"), not self.is_stopping),
                     Button("tournament_page", texts("tournament_page"), bool(tournament.count)),
                     Button("tournament_open", texts("tournament_open"), shown in tournament.files),
                     Button("page_close", texts("page_close"))),
            note=texts("tournament_note", folder=visible(os.path.dirname(self.page_path), 200)))

    def _progress(self, texts: Texts, tournament: Tournament) -> str:
        if tournament.count is None:
            return texts("tournament_begins") if self.is_running else ""
        played = len(tournament.results)
        is_cut = not self.is_running and played < tournament.count
        return texts("tournament_stopped" if is_cut else "tournament_played", played=played, count=tournament.count)

    def _caption(self, texts: Texts, tournament: Tournament) -> Tuple[str, str]:
        """Who plays on the board, and how it stands; or who has won, when all has been played."""
        pairing = self.shown
        if not self.is_running and self.watched is None and tournament.results:
            table = standings(tournament.names, tournament.results)
            best = [visible(row.name, HEADING_NAME) for row in table if row.points == table[0].points]
            is_whole = len(tournament.results) == tournament.count
            return texts("tournament_winner" if is_whole else "tournament_leader", names=", ".join(best)), ""
        if pairing is None:
            return "", ""
        heading = " – ".join(visible(name, HEADING_NAME) for name in tournament.players(pairing))
        result = tournament.results.get(pairing)
        outcome = result.game.outcome() if result else None
        if result is None or outcome is None:
            number = self.game.move_number(self.game.ply)
            return heading, texts("tournament_move", numbers=pairing.numbers, number=number)
        reason = texts.say(spoken(result.failure)) if result.failure else texts("end_" + outcome.reason.name)
        return heading, texts("tournament_ended", numbers=pairing.numbers, result=outcome.result, reason=reason)

    def _games(self, texts: Texts, tournament: Tournament) -> Tuple[Row, ...]:
        """All games that have begun, those being played first and then the latest ones."""
        first = [Row("", texts("tournament_follow"))] if self.is_running else []
        how = texts("tournament_plays" if self.is_running else "tournament_cut")
        playing = [self._game_row(tournament, pairing, how) for pairing in tournament.running]
        return (*first, *playing, *self._ended[::-1])


class SetUp(Table):
    """Setting up a position by mouse: place, move and remove pieces without rules."""

    place = "analysis"
    is_picked_by_click = False
    #: The tools by name: side and whether it is a queen; None takes pieces away.
    TOOLS: Dict[str, Optional[Tuple[int, bool]]] = {
        "tool_white_guard": (WHITE, False), "tool_black_guard": (BLACK, False),
        "tool_white_queen": (WHITE, True), "tool_black_queen": (BLACK, True), "tool_remove": None}

    def __init__(self, position: Position, attempt: Callable[[Move, Optional[Point]], None]) -> None:
        super().__init__(Game(position), attempt)
        self.tool = "tool_white_guard"
        #: The positions before, for Undo.
        self._before: List[Position] = []

    def may_pick(self, cell: Cell) -> bool:
        return self.position.side_at(cell) is not None

    def targets(self, _cell: Cell) -> FrozenSet[Cell]:
        return frozenset()

    def movable(self) -> FrozenSet[Cell]:
        return frozenset(cell for cell in CELLS if self.may_pick(cell))

    def click(self, cell: Cell) -> Optional[Message]:
        """Use the tool on a cell; a piece of the tool's own kind is taken away."""
        position, tool = self.position, self.TOOLS[self.tool]
        if tool is None or (position.side_at(cell), position.is_queen(cell)) == tool:
            self.change(position.without_piece(cell))
        else:
            self._put(position, cell, *tool)
        return None

    def drop(self, source: Cell, target: Optional[Cell], _point: Optional[Point]) -> bool:
        """Move a piece to another cell; beside the board it is taken away."""
        position = self.position
        side, is_queen = position.side_at(source), position.is_queen(source)
        if target is None:
            self.change(position.without_piece(source))
        elif side is not None and target != source:
            self._put(position.without_piece(source), target, side, is_queen)
        return True

    def _put(self, position: Position, cell: Cell, side: int, is_queen: bool) -> None:
        try:
            self.change(position.with_piece(cell, side, is_queen))
        except AgonError as error:
            self.feedback, self.is_praise = Message.of("error_" + error.code, **error.details), False

    def change(self, position: Position) -> None:
        """Put another position on the board."""
        self._before.append(self.position)
        self._show(position)

    def _show(self, position: Position) -> None:
        self.tell()
        self.game = Game(position)

    def choose(self, tool: str) -> None:
        """Take another tool."""
        self.tool = tool

    def commands(self) -> Dict[str, Callable[[], None]]:
        """What the buttons of the page do; Undo takes the last change back."""
        commands: Dict[str, Callable[[], None]] = {
            "setup_turn": partial(self.change, self.position.with_turn(1 - self.position.turn)),
            "setup_clear": partial(self.change, Position.from_text("/ w")),
            "setup_start": partial(self.change, Position.start())}
        if self._before:
            commands["undo"] = self._undo
        return commands

    def _undo(self) -> None:
        self._show(self._before.pop())

    def is_ready(self) -> bool:
        """Whether the position can be played: both sides need something to move, and else are told so."""
        if self.position.own and self.position.enemy:
            return True
        self.tell("setup_incomplete")
        return False

    def page(self, texts: Texts, settings: Settings) -> Optional[PageView]:
        """Tools and commands."""
        choices = tuple((texts(side), tuple((f"tool_{side}_{kind}", texts("tool_" + kind))
                                            for kind in ("guard", "queen"))) for side in ("white", "black"))
        return PageView(
            texts("setup_title"), texts("turn", side=self.position.turn), heading=texts("setup_heading"),
            text=texts("setup_text"), choices=(*choices, ("", (("tool_remove", texts("tool_remove")),))),
            chosen=self.tool, feedback=texts.say(self.feedback) if self.feedback else "",
            buttons=(Button("setup_play", texts("setup_play"), is_primary=True),
                     Button("setup_turn", texts("setup_turn")), Button("undo", texts("setup_undo"), bool(self._before)),
                     Button("setup_clear", texts("setup_clear")), Button("setup_start", texts("setup_start")),
                     Button("exercise", texts("exercise")), Button("save_as", texts("save_as")),
                     Button("page_close", texts("cancel"))))


# -- exercises of one's own --

#: What may be asked for by a small game and by a puzzle that are made from a position.
EXERCISE_GOALS = {"game": ("throne", "trap", "trap trap", "trap_queen", "home", "hold"),
                  "puzzle": ("trap", "trap_two", "trap_queen", "exception", "relocate_trap", "safe", "win")}
#: A puzzle of so many moves at most is proven while one waits.
MOST_PUZZLE_MOVES = 3


class Exercise(NamedTuple):
    """A small game or a puzzle that is to be made from a position, as the dialog describes it."""

    kind: str = "game"
    goal: str = "throne"
    #: How many own moves there are; 0: as many as one likes.
    moves: int = 0
    #: Whether the computer wins when it reaches the same goal first.
    has_rival: bool = False
    level: int = 2
    #: Heading and task in words of one's own; '' lets the program find some.
    title: str = ""
    task: str = ""
    #: The name of the file, without its ending.
    name: str = ""

    @property
    def rival(self) -> str:
        """What the computer may reach first."""
        if self.kind != "game" or not (self.has_rival or self.goal == "hold"):
            return ""
        return "home" if self.goal == "hold" else self.goal

    def solution(self, position: Position) -> Tuple[Move, ...]:
        """The solution of a puzzle: all right moves, or the line of a win; () if it has none."""
        if self.goal != "win":
            return tuple(moves_that_reach(self.goal, Game(position)))
        wins, most = ForcedWins(), max(1, self.moves)
        return wins.line(position, most) if wins.can_win(position, most) else ()

    def problem(self, position: Position) -> Optional[Message]:
        """Why nothing can be made of the position, or None."""
        own, enemy = (side & position.queens for side in (position.own, position.enemy))
        if not position.own or not position.enemy or position.outcome():
            return Message("exercise_unplayable")
        if self.goal == "hold" and not self.moves:
            return Message("exercise_endless")
        if self.kind == "puzzle" and self.moves > MOST_PUZZLE_MOVES:
            return Message.of("exercise_long", count=MOST_PUZZLE_MOVES)
        needed = {"throne": own, "home": own, "trap_queen": enemy, "hold": enemy}.get(self.goal, 1)
        if not needed or self.has_rival and self.goal in ("throne", "home", "trap_queen") and not (own and enemy):
            return Message("exercise_no_queen")
        if self.kind == "puzzle" and not self.solution(position):
            return Message("exercise_unsolvable")
        return None

    def headers(self, position: Position, number: int) -> Dict[str, str]:
        """The headers of the page, all texts in both languages; `number` is its place among its kind in the file."""
        headers = {"Kind": self.kind}
        title, task = " ".join(self.title.split()), " ".join(self.task.split())
        limit: Union[Message, str] = within(self.moves) if self.moves else ""
        values: Dict[str, Any] = {"side": position.turn, "count": self.moves, "within": limit}
        for language in LANGUAGES:
            texts = Texts(language)
            if title or self.kind == "game":
                headers[f"Title.{language}"] = title or texts("exercise_own_game", number=number)
            if self.kind == "game":
                asked = texts("exercise_task_" + self.goal.replace(" ", "_"), **values)
                first = texts("exercise_first", side=position.turn) if self.has_rival and self.goal != "hold" else ""
                headers[f"Task.{language}"] = task or " ".join(f"{asked} {first}".split()).replace(" .", ".")
            elif task:
                headers[f"Task.{language}"] = task
        headers["Goal"] = self.goal
        if self.rival:
            headers["Rival"] = self.rival
        if self.moves:
            headers["Moves"] = str(self.moves)
        if self.kind == "game":
            headers["Level"] = str(self.level)
        else:
            headers["Solution"] = " ".join(map(str, self.solution(position)))
        return headers

    def text(self, position: Position, number: int) -> str:
        """The page as it stands in a file."""
        return Game(position, headers=self.headers(position, number)).to_text()


# -- the theatre: how minimax thinks, step by step --

#: A tree of at most so many positions is shown whole; in a larger one what lies behind the moves is folded away.
WHOLE_TREE = 50
#: The other orders of moves are counted, too, when a tree without pruning has at most so many positions.
COUNTED_TREE = 3000
#: Pause between two steps of the show when it runs by itself.
SHOW_MS = 1200


class Branch(NamedTuple):
    """A node of the tree that is shown: a position, and how it is reached."""

    path: str
    #: The move that leads here as people read it; '' at the root.
    label: str
    move: Optional[Move]
    position: Position
    #: What the search has told about it; None where the move was cut off.
    line: Optional[TreeLine]
    #: The paths of the nodes below it, those that were cut off last.
    children: Tuple[str, ...] = ()
    #: How many positions lie behind it that are folded away.
    folded: int = 0


def branches_of(lines: Dict[str, List[TreeLine]], position: Position, rules: Rules,
                unfolded: Optional[FrozenSet[str]] = None) -> Dict[str, Branch]:
    """The nodes that are shown, by path and every node before those below it.

    `lines` are all nodes by the path of the one above them; what is not
    `unfolded` keeps its inside to itself (None: all is shown).
    """
    branches: Dict[str, Branch] = {}

    def add(path: str, label: str, move: Optional[Move], position: Position, line: Optional[TreeLine]) -> None:
        below = lines.get(path, []) if line else []
        cut = line.left_out if line else ()
        if unfolded is not None and path not in unfolded and (below or cut):
            branches[path] = Branch(path, label, move, position, line, folded=line.nodes - 1 if line else 0)
            return
        words = [child.move for child in below] + list(cut)
        # What was cut off has the path that it has in the search without pruning.
        paths = [child.path for child in below] + [f"{path}.{len(below) + number}" for number in range(1, len(cut) + 1)]
        branches[path] = Branch(path, label, move, position, line, tuple(paths))
        for number, word in enumerate(words):
            move = Move.from_text(word)
            add(paths[number], position.describe(move, rules), move, position.play(move, rules),
                below[number] if number < len(below) else None)

    for root in lines.get("", [])[:1]:
        add("0", "", None, position, root)
    return branches


def show_steps(branches: Dict[str, Branch], is_plain: bool) -> List[TreeStep]:
    """What happens in the search of the nodes that are shown, in order; a leaf or what is folded is one step."""
    if not branches:
        return []
    told = [branch.line for branch in branches.values() if branch.line]
    steps = []
    for step in tree_steps(told, branches["0"].position.turn, is_plain):
        branch = branches[step.path]
        is_inner = any(branches[child].line for child in branch.children)
        if step.kind == "leaf" and branch.folded:
            returns = [number for number, text in enumerate(source_of(step.function)) if "return best" in text]
            step = step._replace(kind="folded", line=returns[0])
        if step.kind != "enter" or is_inner:
            steps.append(step)
    return steps


class Course(NamedTuple):
    """A search as it is shown: the nodes by path, and all that happens there in order."""

    branches: Dict[str, Branch]
    steps: Sequence[TreeStep]


#: A search as far as it has come at a moment of the show, and what is known of each node by then.
Moment = Tuple[Course, Dict[str, "Known"]]


def same_moment(steps: Sequence[TreeStep], now: int, others: Sequence[TreeStep]) -> int:
    """How far another search of the same tree is when this one has made its step `now`.

    It is at the last thing that happens in both: what only one of them does is passed over.
    """
    places = {(step.kind, step.path, step.child): number for number, step in enumerate(others)}
    met = (places.get((step.kind, step.path, step.child)) for step in reversed(steps[:now + 1]))
    return next((number for number in met if number is not None), 0)


def looked_at(branches: Dict[str, Branch], known: Dict[str, "Known"]) -> int:
    """How many positions a search has looked at by now, those behind what is folded away included."""
    return sum(1 + (branches[path].folded if now.stage == "done" else 0)
               for path, now in known.items() if now.stage in ("open", "done"))


class Known(NamedTuple):
    """What the show has found out about a node by now; values are White's, in hundredths of a guard's step."""

    #: "waiting" (not yet looked at), "open" (being looked at), "done" or "cut" (never looked at).
    stage: str = "waiting"
    value: Optional[int] = None
    #: How the true value stands to this one: '=', '<=' or '>='.
    relation: str = "="
    alpha: int = -INFINITY
    beta: int = INFINITY
    #: The path of the best child; '' before there is one.
    best: str = ""


def known_after(branches: Dict[str, Branch], steps: Sequence[TreeStep]) -> Dict[str, Known]:
    """What is known about each node when these steps have been made."""
    known = {path: Known() for path in branches}
    for step in steps:
        branch = branches[step.path]
        now = known[step.path]._replace(alpha=step.alpha, beta=step.beta)
        if step.kind in ("leaf", "folded", "leave") and branch.line:
            now = now._replace(stage="done", value=step.value, relation=branch.line.relation)
        elif step.kind == "value":
            is_better = not now.best or step.best != now.value
            now = now._replace(stage="open", value=step.best, best=step.child if is_better else now.best,
                               relation=">=" if branch.position.turn == WHITE else "<=")
        elif now.stage == "waiting":
            now = now._replace(stage="open")
        if step.kind == "cut":
            known.update((child, Known("cut")) for child in branch.children if not branches[child].line)
        known[step.path] = now
    return known


def best_way(known: Dict[str, Known], path: str) -> List[str]:
    """The paths of the best moves found so far, one below the other."""
    way = []
    while known[path].best:
        path = known[path].best
        way.append(path)
    return way


class StageNode(NamedTuple):
    """A box of the drawn tree; places are columns (each as wide as a leaf) and levels, its middle counts."""

    path: str
    column: float
    level: int
    #: "max", "min", "leaf", "folded" or "cut".
    kind: str
    #: What stands in it, and above it.
    value: str
    label: str
    #: "waiting", "open", "done" or "cut".
    stage: str
    is_best: bool = False
    is_current: bool = False
    is_selected: bool = False


class StageEdge(NamedTuple):
    """A line of the drawn tree, from one box to another below it: plain, waiting, best, current or cut."""

    parent: str
    child: str
    kind: str


class StageNote(NamedTuple):
    """Why some moves were cut off, below their boxes; columns are the outer edges of the boxes."""

    begin: float
    end: float
    level: int
    text: str
    #: The middle of the room that the text has, and its width (columns).
    middle: float
    room: float


class Stage(NamedTuple):
    """The drawn tree as a value."""

    columns: float = 0.0
    #: By level: the side that is to move (None: leaves), its name, and what it looks for.
    levels: Tuple[Tuple[Optional[int], str, str], ...] = ()
    nodes: Tuple[StageNode, ...] = ()
    edges: Tuple[StageEdge, ...] = ()
    notes: Tuple[StageNote, ...] = ()
    #: Alpha and beta at the node that is being looked at; '' without pruning.
    alpha: str = ""
    beta: str = ""
    #: The box whose value is going up now.
    rising: str = ""


#: The least width of an inner node, and what lies between the children of two nodes (columns).
INNER_WIDTH, FAMILY_GAP = 1.5, 0.25


def columns_of(branches: Dict[str, Branch]) -> Tuple[Dict[str, float], float]:
    """The column of each node, so that parents stand over the middle of their children; and how many there are."""
    widths: Dict[str, float] = {}
    #: By node: how much room its children take, and what lies between them.
    families: Dict[str, Tuple[float, float]] = {}
    for path, branch in reversed(list(branches.items())):
        gap = FAMILY_GAP if any(branches[child].children for child in branch.children) else 0.0
        inside = sum(widths[child] for child in branch.children) + gap * (len(branch.children) - 1)
        families[path] = inside, gap
        widths[path] = max(inside, INNER_WIDTH) if branch.children else 1.0
    begins: Dict[str, float] = {"0": 0.0}
    for path, branch in branches.items():
        inside, gap = families[path]
        begin = begins[path] + (widths[path] - inside) / 2
        for child in branch.children:
            begins[child] = begin
            begin += widths[child] + gap
    columns: Dict[str, float] = {}
    for path, branch in reversed(list(branches.items())):
        ends = (columns[branch.children[0]], columns[branch.children[-1]]) if branch.children else ()
        columns[path] = sum(ends) / 2 if ends else begins[path] + 0.5
    return columns, widths["0"]


def tree_number(score: int, texts: Texts) -> str:
    """A score for White in steps; '+win' is a game that White wins, '−win' one that Black wins."""
    if abs(score) > WIN:
        return "+∞" if score > 0 else "−∞"
    if abs(score) > SURE_WIN:
        return texts("tree_win" if score > 0 else "tree_loss")
    return texts.steps(score / 100)


def with_relation(known: Known, texts: Texts) -> str:
    """The value of a node as it is read: '+8.9', '≤ +3.2'; '' before there is one."""
    if known.value is None:
        return ""
    return {"<=": "≤ ", ">=": "≥ "}.get(known.relation, "") + tree_number(known.value, texts)


def stage_of(branches: Dict[str, Branch], known: Dict[str, Known], step: TreeStep, depth: int, selected: str,
             texts: Texts) -> Stage:
    """The tree as it is drawn with what is known of it at this step."""
    columns, width = columns_of(branches)
    turn = branches["0"].position.turn
    levels: List[Tuple[Optional[int], str, str]] = []
    for level in range(1 + max(path.count(".") for path in branches)):
        side = turn if level % 2 == 0 else 1 - turn
        is_inner = level < depth
        levels.append((side if is_inner else None, texts(SIDE_KEYS[side] if is_inner else "tree_leaves"),
                       texts(("tree_max", "tree_min")[side] if is_inner else "tree_leaf_word")))
    current = step.child if step.kind == "value" else step.path
    on_the_way = [path for path in branches if (step.path + ".").startswith(path + ".")]
    best = {path for start in on_the_way for path in best_way(known, start)}
    active = set(on_the_way) | ({step.child} if step.kind == "value" else set())
    nodes, edges = [], []
    for path, branch in branches.items():
        now = known[path]
        kind = ("folded" if branch.folded else "cut" if branch.line is None else
                "leaf" if not branch.children else "max" if branch.position.turn == WHITE else "min")
        nodes.append(StageNode(path, columns[path], path.count("."), kind, with_relation(now, texts), branch.label,
                               now.stage, path in best, path == current, path == selected))
        for child in branch.children:
            state = known[child].stage
            edges.append(StageEdge(path, child, "current" if child in active else "best" if child in best else
                                   state if state in ("waiting", "cut") else "plain"))
    is_pruned = step.function.endswith("_within")
    alpha, beta = ((tree_number(score, texts) for score in (step.alpha, step.beta)) if is_pruned else ("", ""))
    return Stage(width, tuple(levels), tuple(nodes), tuple(edges), tuple(_cut_notes(branches, known, columns, texts)),
                 alpha, beta, step.child if step.kind == "value" else "")


def _cut_notes(branches: Dict[str, Branch], known: Dict[str, Known], columns: Dict[str, float], texts: Texts
               ) -> Iterator[StageNote]:
    """Below the moves that were cut off: how many they are, and which comparison made them needless."""
    for path, branch in branches.items():
        cut = [child for child in branch.children if known[child].stage == "cut"]
        value = known[path].value
        if not cut or value is None:
            continue
        bound = known[path].alpha if branch.position.turn == BLACK else known[path].beta
        sign = "≤" if branch.position.turn == BLACK else "≥"
        text = texts("tree_cut", count=len(cut), value=tree_number(value, texts), sign=sign,
                     bound=tree_number(bound, texts))
        first, last = columns[branch.children[0]] - 0.5, columns[branch.children[-1]] + 0.5
        yield StageNote(columns[cut[0]] - 0.44, columns[cut[-1]] + 0.44, path.count(".") + 1, text,
                        (first + last) / 2, last - first)


def step_words(step: TreeStep, branches: Dict[str, Branch], known: Dict[str, Known], texts: Texts) -> Tuple[str, str]:
    """What happens in a step, in one sentence, and what follows from it."""
    branch = branches[step.path]
    side = "white" if branch.position.turn == WHITE else "black"
    values = {"move": branch.label, "alpha": tree_number(step.alpha, texts), "beta": tree_number(step.beta, texts),
              "value": "" if step.value is None else tree_number(step.value, texts),
              "best": "" if step.best is None else tree_number(step.best, texts), "count": branch.folded,
              "winner": texts("white" if (step.value or 0) > 0 else "black")}
    root = "" if branch.label else "_root"
    if step.kind == "enter":
        return texts(f"step_enter{root}", **values, side=branch.position.turn), texts(f"step_seeks_{side}")
    if step.kind in ("leaf", "folded"):
        is_over = step.value is not None and abs(step.value) > SURE_WIN and step.kind == "leaf"
        return texts(f"step_{step.kind}{'_over' if is_over else root}", **values), ""
    if step.kind == "value":
        best = known[step.path].best
        better = branches[best].label if best else ""
        key = "step_best" if best == step.child else "step_not_better"
        return (texts("step_value", **{**values, "move": branches[step.child].label}),
                texts(key, **{**values, "move": better}, side=branch.position.turn))
    if step.kind in ("alpha", "beta"):
        return texts(f"step_{step.kind}", **values), texts(f"step_{step.kind}_so", **values)
    if step.kind == "cut":
        cut = [branches[child].label for child in branch.children if branches[child].line is None]
        return (texts(f"step_cut_{side}", **values),
                texts("step_cut_so", comparison="β ≤ α", moves=", ".join(cut)))
    if branch.label:
        return texts("step_leave", **{**values, "value": with_relation(known[step.path], texts)}), ""
    way = [branches[path].label for path in best_way(known, "0")]
    return texts("step_done", **{**values, "move": way[0] if way else ""}), texts("step_expected", moves="  ".join(way))


def code_remarks(step: TreeStep, texts: Texts) -> Dict[int, str]:
    """The values of the moment beside the lines of code that work on them, by the number of the line."""
    remarks = {}
    for number, text in enumerate(source_of(step.function)):
        if "best = m" in text and step.best is not None:
            remarks[number] = tree_number(step.best, texts)
        elif "alpha = max" in text:
            remarks[number] = tree_number(step.alpha, texts)
        elif "beta = min" in text:
            remarks[number] = tree_number(step.beta, texts)
        elif "alpha >= beta" in text and step.kind == "cut":
            remarks[number] = f"{tree_number(step.alpha, texts)} ≥ {tree_number(step.beta, texts)}"
    return remarks


class Reasons(NamedTuple):
    """Why a position is worth what it is worth: the parts of its evaluation for White, in steps."""

    heading: str = ""
    #: The moves that lead to it from the root.
    context: str = ""
    text: str = ""
    parts: Tuple[Tuple[str, float], ...] = ()
    total: float = 0.0


def reasons_of(branch: Branch, known: Known, moves: Sequence[str], texts: Texts) -> Reasons:
    """What the box below the board says about a node: at a leaf the parts of its value, the greatest first."""
    context = texts("tree_after", moves=", ".join(moves)) if moves else ""
    if branch.line is None:
        return Reasons(texts("reasons_cut"), context, texts("reasons_cut_text"))
    value = with_relation(known, texts)
    heading = texts("reasons_why", value=value) if value else texts("reasons_waiting")
    if abs(branch.line.value) > SURE_WIN and not branch.children:
        return Reasons(heading, context, texts("reasons_over") if value else "")
    if branch.folded or branch.children:
        side = SIDE_KEYS[branch.position.turn]
        key = "reasons_folded" if branch.folded else f"reasons_{side}"
        return Reasons(heading, context, texts(key, count=branch.folded))
    if not value:
        return Reasons(heading, context, texts("reasons_waiting_text"))
    return parts_of(branch.position, WEIGHTS, texts)._replace(heading=heading, context=context)


def parts_of(position: Position, weights: Weights, texts: Texts) -> Reasons:
    """The parts of the evaluation of a position, the weightiest first, and their sum, in steps for White."""
    parts = [(texts("part_" + part.name), (part.white - part.black) / 100) for part in explain(position, weights).parts]
    parts = sorted((part for part in parts if part[1]), key=lambda part: -abs(part[1]))
    return Reasons("", "", texts("reasons_unit"), tuple(parts), sum(value for _, value in parts))


class TheatreView(NamedTuple):
    """What the theatre shows."""

    title: str
    text: str
    #: Rows of choices by what they are about: the position, the depth, the order of moves.
    choices: Choices
    #: The names of the choices that are in force.
    chosen: FrozenSet[str]
    stage: Stage
    sentence: str
    conclusion: str
    code: Tuple[str, ...]
    #: The line that is carried out, and the values of the moment by line.
    line: int
    remarks: Tuple[Tuple[int, str], ...]
    #: The positions looked at: captions and numbers, the largest first; and for each order of moves.
    counts: Tuple[Tuple[str, int], ...]
    orders: Tuple[Tuple[str, int], ...]
    progress: str
    buttons: Tuple[Button, ...]
    reasons: Reasons
    #: Whether the show runs by itself.
    is_running: bool = False
    #: The tree without pruning, to stand beside the other, whether it is to, and how far each of the two searches is.
    whole: Stage = Stage()
    is_double: bool = False
    captions: Tuple[str, str] = ("", "")


class Theatre(Table):
    """The search of minimax as a show: a tree that is computed by the engine, and how far one has watched it.

    `ask` asks an engine (it takes an Asked), `cancel` ends that engine, `later`
    and `forget` are those of Jobs.
    """

    place = "analysis"
    is_picked_by_click = False
    DEPTHS = (1, 2, 3)
    PRUNING = ("with", "without", "both")
    #: The job that makes the next step when the show runs by itself.
    JOB = "show"

    def __init__(self, game: Game, lessons: Sequence[Lesson], ask: Callable[["Asked"], None],
                 cancel: Callable[[], None], jobs: "Jobs") -> None:
        super().__init__(Game(game.position, game.rules), ignore_move)
        self.examples = [lesson for lesson in lessons if lesson.kind == "tree"]
        self._board = self.root = Game(game.position, game.rules)
        self._ask, self._cancel, self._jobs = ask, cancel, jobs
        #: The example that is shown; 0 is the position of the board.
        self.number = 0
        self.depth, self.pruning, self.order = 2, self.PRUNING[0], ORDERS[0]
        #: For the search without pruning (True) and with it (False), when they have come: all nodes by the path of the
        #: one above, and the search as it is shown.
        self._lines: Dict[bool, Dict[str, List[TreeLine]]] = {}
        self._courses: Dict[bool, Course] = {}
        self._unfolded: Optional[FrozenSet[str]] = None
        #: The present step of the search that leads.
        self.now = 0
        self.selected = ""
        self.is_running = False
        #: What is said in place of a tree; the positions of the tree without and with pruning, by order of moves.
        self.message: Optional[Message] = Message("say_thinking")
        self.plain = 0
        self.counts: Dict[str, int] = {}
        is_whole = game.position in (Position.start(WHITE), Position.start(BLACK))
        if self.examples and (is_whole or game.outcome()):
            self.choose("example_1")
        else:
            self.raise_curtain()

    # -- the tree --

    @property
    def is_plain(self) -> bool:
        """Whether the search that leads the show is the one without pruning."""
        return self.pruning == "without"

    @property
    def branches(self) -> Dict[str, Branch]:
        """The nodes of the search that leads, by path; empty while it is not there."""
        return self._courses[self.is_plain].branches if self.is_plain in self._courses else {}

    @property
    def steps(self) -> Sequence[TreeStep]:
        """All that happens in the search that leads."""
        return self._courses[self.is_plain].steps if self.is_plain in self._courses else ()

    @property
    def is_small(self) -> bool:
        """Whether the tree is small enough to be shown with and without pruning at the same time."""
        return 0 < self.plain <= WHOLE_TREE

    def raise_curtain(self) -> None:
        """Have the tree computed anew."""
        self.stop()
        self._lines, self._courses, self._unfolded = {}, {}, None
        self.now, self.selected, self.plain, self.counts = 0, "", 0, {}
        self.game = Game(self.root.position, self.root.rules)
        self._ask_on()

    def _ask_on(self) -> None:
        """Ask for what is missing: the tree that leads, that of the other search, what other orders of moves need."""
        kinds = (self.is_plain, not self.is_plain) if self.is_small else (self.is_plain,)
        missing = [is_plain for is_plain in kinds if is_plain not in self._courses]
        orders = [order for order in ORDERS if order not in self.counts]
        self.message = None
        if self.root.outcome():
            self.message = Message("tree_over")
        elif missing:
            self.message = None if self.branches else Message("say_thinking")
            self._lines[missing[0]] = {}
            self._ask_engine(f"tree depth {self.depth}{' plain' if missing[0] else ''} order {self.order}",
                             partial(self._arrived, missing[0]), partial(self._keep, missing[0]))
        elif orders and self.plain <= COUNTED_TREE:
            self._ask_engine(f"tree depth {self.depth} order {orders[0]}", partial(self._count, orders[0]), None)

    def _ask_engine(self, go: str, on_answer: Callable[[str], None], on_line: Optional[Callable[[str], None]]) -> None:
        self._ask(Asked(Question(Player(len(LEVELS)), go), self.root, on_answer, self._failed, until="treeok",
                        on_line=on_line))

    def _keep(self, is_plain: bool, text: str) -> None:
        line = parse_tree_line(text)
        if line:
            self._lines[is_plain].setdefault(line.path.rpartition(".")[0], []).append(line)

    def _failed(self, message: Message) -> None:
        if not self.branches:  # else only a count is missing
            self.message = message

    def _arrived(self, is_plain: bool, counts: str) -> None:
        """A tree is there: the show begins with its first step."""
        if not self._courses:
            nodes = self._lines[is_plain][""][0].nodes if "" in self._lines[is_plain] else 0
            self._unfolded = None if nodes <= WHOLE_TREE else frozenset(("0",))
        self._courses[is_plain] = self._course(is_plain)
        if is_plain == self.is_plain:
            self.go_to(0)
        self._count(self.order, counts)

    def _count(self, order: str, counts: str) -> None:
        """Note how many positions the tree has; then what is still missing is asked for."""
        words = counts.split()
        self.plain, self.counts[order] = int(words[1]), int(words[3])
        self._ask_on()

    def _course(self, is_plain: bool) -> Course:
        """A search as it is shown, with what is folded away now."""
        branches = branches_of(self._lines[is_plain], self.root.position, self.root.rules, self._unfolded)
        return Course(branches, show_steps(branches, is_plain))

    def _branch(self, path: str) -> Optional[Branch]:
        """A node by its path: that of the search that leads, or of the other where the first has cut it off."""
        found = [self._courses[is_plain].branches.get(path) for is_plain in (self.is_plain, not self.is_plain)
                 if is_plain in self._courses]
        return next((branch for branch in found if branch and branch.line), found[0] if found else None)

    def fold(self, path: str) -> None:
        """Fold away what lies behind a node, or show it."""
        if self._unfolded is None:
            self._unfolded = frozenset(path for course in self._courses.values()
                                       for path, branch in course.branches.items() if branch.children)
        branch = self._branch(path)
        if branch and branch.line and path != "0":
            self._unfolded ^= {path}
            self._courses = {is_plain: self._course(is_plain) for is_plain in self._courses}
            places = [number for number, step in enumerate(self.steps) if step.path == path]
            self.go_to(places[0] if places else self.now)

    # -- the show --

    def go_to(self, number: int) -> None:
        """Go to a step, counted from 0."""
        self.now = max(0, min(number, len(self.steps) - 1))
        self.selected = ""
        self._show_position(self.steps[self.now].path if self.steps else "0")

    def _show_position(self, path: str) -> None:
        """Put the position of a node on the board, with the moves that lead to it."""
        game = Game(self.root.position, self.root.rules)
        for branch in self._way_to(path):
            if branch.move is not None:
                game.play(branch.move)
        self.game = game

    def _way_to(self, path: str) -> List[Branch]:
        parts = path.split(".")
        way = [self._branch(".".join(parts[:count])) for count in range(1, len(parts) + 1)]
        return [branch for branch in way if branch]

    def select(self, path: str) -> None:
        """Look at a node, apart from the show."""
        if self._branch(path):
            self.stop()
            self.selected = path
            self._show_position(path)

    def run(self) -> None:
        """Let the show run by itself, or stop it."""
        if self.is_running:
            self.stop()
            return
        self.is_running = True
        if self.now >= len(self.steps) - 1:
            self.go_to(0)
        self._jobs.later(self.JOB, SHOW_MS, self._run_on)

    def _run_on(self) -> None:
        self.go_to(self.now + 1)
        self.is_running = self.now < len(self.steps) - 1
        if self.is_running:
            self._jobs.later(self.JOB, SHOW_MS, self._run_on)

    def stop(self) -> None:
        """Let the show stand still."""
        self.is_running = False
        self._jobs.forget(self.JOB)

    def leave(self) -> None:
        """Something else gets the board: nothing goes on."""
        self.stop()
        self._cancel()

    # -- what the window asks and tells --

    @property
    def accepts_moves(self) -> bool:
        """The pieces belong to the show."""
        return False

    def commands(self) -> Dict[str, Callable[[], None]]:
        """The keys and buttons that lead through the show."""
        return {"first": partial(self._lead, 0), "last": partial(self._lead, len(self.steps)),
                "next": partial(self._lead, self.now + 1), "previous": partial(self._lead, self.now - 1),
                "show_run": self.run}

    def _lead(self, number: int) -> None:
        self.stop()
        self.go_to(number)

    def choose(self, name: str) -> None:
        """A choice has been made: example_2, depth_3, order_good, pruning_both, or node_ and fold_ with a path."""
        kind, _, value = name.partition("_")
        if kind == "node":
            self.select(self._beside(value) if value in ("up", "down") else value)
        elif kind == "fold":
            self.fold(value or self.selected or (self.steps[self.now].path if self.steps else ""))
        elif kind == "pruning":
            self._change_pruning(value)
        else:
            self._change(kind, value)
            self.raise_curtain()

    def _change(self, kind: str, value: str) -> None:
        if kind == "example":
            self.number = int(value)
            lesson = self.examples[self.number - 1] if self.number else None
            self.root = Game(lesson.start) if lesson else self._board
            self.depth = lesson.moves if lesson else 2
        elif kind == "depth":
            self.depth = int(value)
        elif kind == "order":
            self.order = value

    def _change_pruning(self, pruning: str) -> None:
        """Watch the search with or without pruning, or both; the show goes on where it is."""
        steps = self.steps
        self.stop()
        self.pruning = pruning
        if self.steps is not steps:
            self.go_to(same_moment(steps, self.now, self.steps))
        self._ask_on()

    def _beside(self, way: str) -> str:
        """The node before or behind the selected one, as they stand on the stage from left to right."""
        paths = list(self.branches)
        if not paths:
            return ""
        here = self.selected or (self.steps[self.now].path if self.steps else "0")
        return paths[(paths.index(here) + (1 if way == "down" else -1)) % len(paths)]

    def theatre(self, texts: Texts) -> Optional[TheatreView]:
        """The stage, what is said about the present step, its line of code, and the counts."""
        moments = self._moments()
        (_, steps), known = moments.get(self.is_plain, (Course({}, ()), {}))
        function = steps[-1].function if steps else "largest" if self.is_plain else "largest_within"
        sentence, conclusion = step_words(steps[-1], self.branches, known, texts) if steps else ("", "")
        lesson = self.examples[self.number - 1] if self.number else None
        counts = ((texts("tree_count_plain"), self.plain), (texts("tree_count_pruned"), self.counts.get(self.order, 0)))
        pictures = {is_plain: self._stage(is_plain, moments, texts) for is_plain in (False, True)}
        pruning = "with" if self.pruning == "both" and not self.is_small else self.pruning
        return TheatreView(
            title=lesson.title[texts.language] if lesson else texts("tree"),
            text=lesson.text[texts.language] if lesson else texts("tree_board"),
            choices=self._choices(texts),
            chosen=frozenset((f"example_{self.number}", f"depth_{self.depth}", f"order_{self.order}",
                              f"pruning_{pruning}")),
            stage=pictures[self.is_plain][0],
            sentence=texts.say(self.message) if self.message else sentence, conclusion=conclusion,
            code=source_of(function), line=steps[-1].line if steps else -1,
            remarks=tuple(code_remarks(steps[-1], texts).items()) if steps else (),
            counts=counts if self.plain else (),
            orders=tuple((texts("order_" + order), self.counts[order]) for order in ORDERS if order in self.counts),
            progress=texts("tree_progress", number=self.now + 1, count=len(self.steps)) if steps else "",
            buttons=self._buttons(texts), reasons=self._reasons(moments, texts), is_running=self.is_running,
            whole=pictures[True][0], is_double=pruning == "both", captions=(pictures[False][1], pictures[True][1]))

    def _moments(self) -> Dict[bool, Moment]:
        """What each search that is there has done at the present moment of the show, and what is known by then."""
        moments: Dict[bool, Moment] = {}
        for is_plain, (branches, steps) in self._courses.items():
            now = self.now if is_plain == self.is_plain else same_moment(self.steps, self.now, steps)
            made = Course(branches, steps[:now + 1])
            moments[is_plain] = made, known_after(*made)
        return moments

    def _stage(self, is_plain: bool, moments: Dict[bool, Moment], texts: Texts) -> Tuple[Stage, str]:
        """The drawn tree of a search, and how many positions that has looked at; nothing of what is not to be seen."""
        if is_plain not in moments or not self.steps or not (is_plain == self.is_plain or self.is_small):
            return Stage(), ""
        (branches, steps), known = moments[is_plain]
        name = texts("tree_count_plain" if is_plain else "tree_count_pruned")
        return (stage_of(branches, known, steps[-1], self.depth, self.selected, texts),
                texts("pruning_progress", name=name, count=looked_at(branches, known),
                      most=self._lines[is_plain][""][0].nodes))

    def _reasons(self, moments: Dict[bool, Moment], texts: Texts) -> Reasons:
        """Why the node that is looked at is worth what it is worth."""
        path = self.selected or (self.steps[self.now].path if self.steps else "")
        branch = self._branch(path)
        if branch is None:
            return Reasons()
        is_own = self.branches.get(path) is branch
        _, known = moments[self.is_plain if is_own else not self.is_plain]
        return reasons_of(branch, known[path], [above.label for above in self._way_to(path) if above.label], texts)

    def _choices(self, texts: Texts) -> Choices:
        examples = (("example_0", texts("tree_mine")),
                    *((f"example_{number}", str(number)) for number in range(1, len(self.examples) + 1)))
        counts = {"with": self.counts.get(self.order, 0), "without": self.plain, "both": 0}
        pruning = tuple((f"pruning_{name}", texts("pruning_count", name=texts(f"pruning_{name}"), count=counts[name])
                         if counts[name] else texts(f"pruning_{name}"))
                        for name in self.PRUNING if name != "both" or self.is_small)
        return ((texts("tree_examples"), examples),
                (texts("tree_depth"), tuple((f"depth_{depth}", str(depth)) for depth in self.DEPTHS)),
                (texts("tree_pruned"), pruning),
                (texts("tree_order"), tuple((f"order_{order}", texts("order_" + order)) for order in ORDERS)))

    def _buttons(self, texts: Texts) -> Tuple[Button, ...]:
        has_next, has_previous = self.now < len(self.steps) - 1, self.now > 0
        return (Button("first", texts("show_first"), has_previous),
                Button("previous", texts("show_back"), has_previous),
                Button("next", texts("show_next"), has_next, is_primary=True),
                Button("last", texts("show_last"), has_next),
                Button("show_run", texts("show_stop" if self.is_running else "show_play"), bool(self.steps)),
                Button("learning", texts("learning")),
                Button("page_close", texts("page_close")))


class WeightRow(NamedTuple):
    """A part of the evaluation on the page about learning: a beginner's numbers and the learnt ones, in steps."""

    part: str
    label: str
    before: Tuple[float, ...]
    after: Tuple[float, ...]
    #: By how many percent the learnt numbers are multiplied.
    percent: int


class LearningView(NamedTuple):
    """What the page about learning shows."""

    title: str
    text: str
    #: The curve, round by round: games learnt from, and the error.
    curve: Tuple[Tuple[Tuple[int, int], ...], ...]
    rows: Tuple[WeightRow, ...]
    chosen: int
    buttons: Tuple[Button, ...]
    reasons: Reasons


class Learning(Table):
    """How the program has learnt: the curve of its error, its numbers before and after, and a change to play against.

    `play` begins a game against the computer with these weights (the value of
    the protocol's option).
    """

    place = "analysis"
    is_picked_by_click = False
    #: What the numbers of a part can be multiplied by, in percent.
    PERCENTS = (0, 50, 100, 200)

    def __init__(self, game: Game, play: Callable[[str], None]) -> None:
        super().__init__(Game(game.position, game.rules), ignore_move)
        self._play = play
        self.percents = {part: 100 for part in PARTS}
        self.chosen = 0

    @property
    def accepts_moves(self) -> bool:
        """The position is only looked at."""
        return False

    def weights_text(self) -> str:
        """The changes as the option Weights of the protocol tells them; 'none' without any."""
        return ",".join(f"{name}={percent}" for part, percent in self.percents.items() if percent != 100
                        for name in PARTS[part][0]) or "none"

    def choose(self, name: str) -> None:
        """A choice has been made: row_up, row_down, row_3, percent_200, percent_more, percent_less."""
        kind, _, value = name.partition("_")
        parts = list(self.percents)
        if kind == "row":
            step = {"up": -1, "down": 1}.get(value)
            self.chosen = (self.chosen + step) % len(parts) if step else int(value)
            return
        part = parts[self.chosen]
        place = self.PERCENTS.index(self.percents[part])
        place = {"more": min(place + 1, len(self.PERCENTS) - 1), "less": max(place - 1, 0)}.get(value, place)
        self.percents[part] = int(value) if value.isdigit() else self.PERCENTS[place]

    def commands(self) -> Dict[str, Callable[[], None]]:
        """What the buttons do that change nothing but the page."""
        return {"learning_reset": self._reset}

    def _reset(self) -> None:
        self.percents = {part: 100 for part in PARTS}

    def play_weights(self, is_beginner: bool) -> None:
        """Play against these numbers, or against those of a beginner."""
        self._play("beginner" if is_beginner else self.weights_text())

    def learning(self, texts: Texts) -> Optional[LearningView]:
        """The page, and what the position on the board is worth with the numbers as they are."""
        weights = changed_weights(self.weights_text())
        rows = tuple(WeightRow(part, texts("part_" + part), weight_numbers(SIMPLE, part), weight_numbers(weights, part),
                               percent) for part, percent in self.percents.items())
        reasons = parts_of(self.game.position, weights, texts)
        reasons = reasons._replace(heading=texts("learning_value", value=texts.steps(reasons.total)))
        is_changed = set(self.percents.values()) != {100}
        buttons = (Button("learning_play", texts("learning_play"), is_primary=True),
                   Button("learning_beginner", texts("learning_beginner")),
                   Button("learning_reset", texts("learning_reset"), is_changed),
                   Button("tree", texts("learning_tree")), Button("page_close", texts("page_close")))
        return LearningView(texts("learning"), texts("learning_text"), LEARNT, rows, self.chosen, buttons, reasons)


def weight_numbers(weights: Weights, part: str) -> Tuple[float, ...]:
    """The numbers of a part of the evaluation, in steps."""
    rows = [getattr(weights, name) for name in PARTS[part][0]]
    return tuple(value / 100 for row in rows for value in (row if isinstance(row, tuple) else (row,)))


#: The files of the classroom that have a place of their own in the window; all others are a teacher's own.
SHIPPED_FILES = ("tour.agon", "puzzles.agon", "games.agon", "rules.agon", "trees.agon")


def own_files() -> List[str]:
    """The names of a teacher's own files in the classroom folder."""
    try:
        return sorted(name for name in os.listdir(CLASSROOM) if name.endswith(".agon") and name not in SHIPPED_FILES)
    except OSError:  # there is no such folder
        return []


def read_lessons(name: str) -> Tuple[List[Lesson], Optional[AgonError]]:
    """The lessons of a file in the classroom folder, and what is wrong with it; both empty if it is not there."""
    path = os.path.join(CLASSROOM, name)
    if not os.path.isfile(path):
        return [], None
    try:
        state = os.stat(path)
        return list(_load_lessons(path, state.st_mtime_ns, state.st_size)), None
    except AgonError as error:
        return [], error
    except OSError:  # it has just gone
        return [], None


@functools.lru_cache(maxsize=50)
def _load_lessons(path: str, _changed: int, _size: int) -> List[Lesson]:
    """A file of lessons, read anew only when it has changed: each opening of the menu asks for the themes."""
    return load_lessons(path)


# --- 6. View ---------------------------------------------------------------------
# What the window shows is a value, worked out from the session by pure functions.

class HandState(NamedTuple):
    """What the hand holds and points at."""

    selected: Optional[Cell] = None
    #: Where the selected piece may go.
    targets: FrozenSet[Cell] = frozenset()
    #: The legal target under the pointer.
    hovered: Optional[Cell] = None
    #: Where the selected piece is carried (pixels).
    carried: Optional[Point] = None
    #: The cell the keyboard points at, once the keyboard is used.
    cursor: Optional[Cell] = None
    #: The letters of a move being typed.
    typed: str = ""


class Report(NamedTuple):
    """What the analysis has found: the best lines here, and White's score (in steps) by the number of moves played."""

    infos: Tuple[Info, ...] = ()
    scores: Tuple[Tuple[int, float], ...] = ()


class Picture(NamedTuple):
    """Everything that the board shows."""

    position: Position
    selected: Optional[Cell] = None
    targets: FrozenSet[Cell] = frozenset()
    hovered: Optional[Cell] = None
    trapped: FrozenSet[Cell] = frozenset()
    #: Lines through trapped pieces, from one captor to the other.
    bars: Tuple[Tuple[Cell, Cell], ...] = ()
    #: The cells that made the last try illegal, and the cell of that try.
    causes: FrozenSet[Cell] = frozenset()
    tried: Optional[Cell] = None
    last: Optional[Move] = None
    arrows: Tuple[Move, ...] = ()
    cursor: Optional[Cell] = None
    #: The cells of the picture that has won, and whether that is a joy to who sits at the board.
    winners: FrozenSet[Cell] = frozenset()
    is_celebrated: bool = False
    #: The piece that is carried: its cell, and where it is now (pixels).
    carried: Optional[Tuple[Cell, Point]] = None
    #: The piece that a hint points at, and a move shown as a bad one.
    pointed: Optional[Cell] = None
    blamed: Optional[Move] = None
    #: How many guards White and Black have still to place.
    tray: Tuple[int, int] = (0, 0)


class SeatView(NamedTuple):
    """A player's row: name, what the side is doing, and how far it has come."""

    side: int
    name: str
    caption: str
    guards: str
    guards_home: int
    is_enthroned: bool
    is_active: bool
    #: The queen's steps to the throne; None where there is no queen.
    queen_steps: Optional[int] = None
    #: What the side's clock shows, '' without one; and whether there is little time left.
    clock: str = ""
    is_low: bool = False
    #: What the player is called where there is little room; '' if the beginning of the name will do.
    short: str = ""


class Voice(NamedTuple):
    """The message box, the window's only voice: what happened, why, and what to do.

    `kind` is plain, alert (red), refused (red, with a cross), quiet, sign (a
    card, to be read from afar), or end (a card, with a crown when it is a joy to who
    sits at the board).
    """

    kind: str
    heading: str
    text: str = ""
    task: str = ""
    buttons: Tuple[Button, ...] = ()
    is_joy: bool = False


class LineView(NamedTuple):
    """A variation in the list of moves: after how many moves it begins, its number there, and its moves in words."""

    ply: int
    number: int
    text: str


class MovesView(NamedTuple):
    """The list of moves: all moves, how many are on the board, the side that began, and the variations."""

    moves: Tuple[str, ...]
    current: int
    first_side: int
    lines: Tuple[LineView, ...] = ()

    def rows(self) -> List[Tuple[int, Optional[LineView]]]:
        """The rows of the list: the numbers of pairs of moves from 0, each followed by the variations of its moves."""
        rows: List[Tuple[int, Optional[LineView]]] = []
        for pair in range((len(self.moves) + self.first_side + 1) // 2):
            rows.append((pair, None))
            rows += [(pair, line) for line in self.lines if (line.ply + self.first_side) // 2 == pair]
        return rows


class AnalysisView(NamedTuple):
    """The analysis: a summary, lines of words, White's score now and over the game (in steps)."""

    summary: str
    lines: Tuple[Tuple[str, ...], ...] = ()
    score: Optional[float] = None
    scores: Tuple[Tuple[int, float], ...] = ()
    plies: int = 0
    current: int = 0
    #: What is thought of moves, by the number of moves before them.
    marks: Tuple[Tuple[int, str], ...] = ()


class TalkLine(NamedTuple):
    """A line of a conversation: who speaks ('name', above his lines), or what he says ('>', '<', '!' as in Said)."""

    kind: str
    text: str


class View(NamedTuple):
    """All that the window shows."""

    title: str
    place: str
    picture: Picture
    #: What is shown in place of the board, if anything is.
    shelf: Optional[ShelfView]
    flipped: bool
    ranks: bool
    seats: Tuple[SeatView, SeatView]
    voice: Voice
    #: What is wrong with saving, as long as it is.
    notice: str
    moves: MovesView
    #: The card for newcomers: its buttons, if it is shown.
    card: Tuple[Button, ...]
    analysis: Optional[AnalysisView]
    #: The page of tour, puzzles or set-up, in place of all but the board.
    page: Optional[PageView]
    #: The keys of the commands that have no meaning now.
    resting: FrozenSet[str]
    #: The theatre of minimax, in place of all but the board.
    theatre: Optional[TheatreView] = None
    #: The page about learning, in its place.
    learning: Optional[LearningView] = None
    #: The conversation with the programs that play, in the place of the moves, if it is shown.
    talk: Optional[Tuple[TalkLine, ...]] = None

    @property
    def is_wide(self) -> bool:
        """Whether the panel is wide, so that the board stands beside it."""
        return bool(self.theatre or self.learning or self.page and self.page.table)


#: From so many quiet moves on the player is told that a draw is coming.
QUIET_WARNING = 60
#: A won game as a number of guard's steps.
WON_STEPS = 100.0


#: What programs and window have said to each other, by the names of the programs.
Conversation = Sequence[Tuple[str, Said]]


def view_of(session: Session, hand: HandState, report: Report, settings: Settings, texts: Texts,
            notice: Optional[Message] = None, conversation: Conversation = ()) -> View:
    """What the window shows for this state; nothing is asked twice and nothing is changed."""
    running, table = session.running, session.table
    game = table.game
    outcome = game.outcome()
    page = table.page(texts, settings)
    return View(
        title=title_of(running, session.is_lesson, texts),
        place="analysis" if settings.analysis and not session.is_lesson else table.place,
        picture=picture_of(session, hand, report, outcome), shelf=table.shelf(texts),
        flipped=settings.flipped if table.below is None else table.below == BLACK, ranks=settings.ranks,
        seats=seats_of(running, outcome if table is running else running.game.outcome(), texts, settings.flipped),
        voice=voice_of(session, outcome, texts),
        notice=texts.say(notice) if notice else "",
        moves=MovesView(marked_moves(running, game), game.ply, game.start.turn, variations_of(game)),
        card=card_of(session, settings, texts),
        analysis=(analysis_of(running, outcome is not None, report, texts)
                  if settings.analysis and not session.is_lesson else None),
        page=page_with_refusal(page, session, texts) if page else None,
        resting=resting_commands(session, outcome), theatre=table.theatre(texts),
        learning=table.learning(texts),
        talk=talk_of(conversation, texts) if settings.conversation and not session.is_lesson else None)


def talk_of(conversation: Conversation, texts: Texts) -> Tuple[TalkLine, ...]:
    """A conversation with a heading wherever the speaker changes."""
    lines: List[TalkLine] = []
    before: Tuple[str, str] = ("", "")
    for name, said in conversation:
        if (name, said.speaker) != before:
            before = name, said.speaker
            shown = visible(name or texts("computer_player"), HEADING_NAME)
            keys = {">": "talk_to", "!": "talk_error"}
            lines.append(TalkLine("name", texts(keys[said.speaker], name=shown) if said.speaker in keys else shown))
        lines.append(TalkLine(said.speaker, said.text))
    return tuple(lines) or (TalkLine("", texts("no_conversation")),)


def picture_of(session: Session, hand: HandState, report: Report, outcome: Optional[Outcome]) -> Picture:
    """The board as it is to be shown now."""
    game, marks = session.game, session.marks
    position = game.position
    is_placing = position.to_place(position.turn, game.rules) > 0
    trapped = position.trapped() if outcome is None and not is_placing else []
    enclosers = [position.enclosers(cell) for cell in trapped]
    bars = tuple((cells[i], cells[i + 1]) for cells in enclosers for i in range(0, len(cells), 2))
    arrows = (marks.hint,) if marks.hint else best_moves(game, report) if session.mode is Mode.IDLE else ()
    carried = None if hand.selected is None or hand.carried is None else (hand.selected, hand.carried)
    targets = hand.targets
    if len(trapped) == 1 and hand.selected is None and session.may_act and session.table.is_picked_by_click:
        targets = session.table.targets(trapped[0])  # there is nothing else to be moved
    if is_placing and hand.selected is None and session.may_act:
        targets = session.table.targets(TRAY)
    has_won = outcome is not None and outcome.reason is Ending.THRONE and session.table.is_picked_by_click
    person = session.table.below if session.is_lesson else session.running.person
    return Picture(
        position, hand.selected, targets, hand.hovered,
        frozenset(trapped), bars, marks.causes, marks.tried,
        game.moves[-1] if game.ply else None, arrows, hand.cursor,
        frozenset(WINNING_CELLS) if has_won else frozenset(),
        outcome is not None and person in (None, outcome.winner), carried, marks.piece,
        session.table.blamed, (position.to_place(WHITE, game.rules), position.to_place(BLACK, game.rules)))


def home_of(game: Game, move: Move, layout: Layout) -> Optional[Point]:
    """Where the piece of a legal move stands before it (pixels): on its cell or in the tray; None for a pass."""
    if move.source is not None:
        return layout.centre(move.source)
    turn = game.position.turn
    return layout.tray(turn)[game.to_place(turn) - 1] if move.is_placement else None


def variations_of(game: Game) -> Tuple[LineView, ...]:
    """The variations of a game for the list of its moves."""
    lines = []
    for ply, variations in sorted(game.variations.items()):
        dots = "." if game.position_at(ply).turn == WHITE else "..."
        before = f"{game.move_number(ply)}{dots} "
        lines += [LineView(ply, number, before + " ".join(line.descriptions(with_undone=True)))
                  for number, line in enumerate(variations) if ply < game.length and line.length]
    return tuple(lines)


def marked_moves(running: RunningGame, game: Game) -> Tuple[str, ...]:
    """The moves of a game for the list, with the marks that they bear or that a review has found."""
    review = running.reviewed() if game is running.game else None
    marks = dict(marks_of(game, review))
    return tuple(move + marks.get(ply, "") for ply, move in enumerate(game.descriptions(with_undone=True)))


def best_moves(game: Game, report: Report) -> Tuple[Move, ...]:
    """The first moves of the best lines found, as far as they are legal."""
    if not report.infos:
        return ()
    legal = {str(move): move for move in game.legal_moves() if move != PASS}
    firsts = [info.moves[0] for info in report.infos if info.moves]
    return tuple(legal[text] for text in firsts if text in legal)


def player_name(running: RunningGame, side: int, texts: Texts) -> str:
    """What a player is called: 'You', 'Computer, level 3', a program's or a person's name, or the colour."""
    player = running.players[side]
    if player.is_elsewhere:
        return texts("other_player" if running.has_person else SIDE_KEYS[side])
    if player.weights:
        return texts("computer_beginner" if player.weights == "beginner" else "computer_changed")
    if player.level:
        return texts("computer", level=player.level)
    if player.name == ELSEWHERE:
        return texts("other_player")
    return player.called or texts("you" if running.person == side else SIDE_KEYS[side])


def title_of(running: RunningGame, is_lesson: bool, texts: Texts) -> str:
    """The title of the window: the file of the game, and who plays if anybody has a name."""
    parts = [] if is_lesson or not running.path else [shown_name(running.path)]
    if not is_lesson and any(player.called for player in running.players):
        names = [visible(player_name(running, side, texts), MAX_NAME) for side in (WHITE, BLACK)]
        parts.append(" – ".join(names))
    return " – ".join([" · ".join(parts), "Agon"] if parts else ["Agon"])


def short_name(player: Player, texts: Texts) -> str:
    """What tells a computer player from others, where there is no room for its whole name; '' for everybody else."""
    if player.weights:
        return texts("short_beginner" if player.weights == "beginner" else "short_changed")
    return texts("level", level=player.level) if player.level else ""


def seats_of(running: RunningGame, outcome: Optional[Outcome], texts: Texts, flipped: bool
             ) -> Tuple[SeatView, SeatView]:
    """The two players, the one whose side is above first."""
    position = running.position
    seats = []
    for side in (WHITE, BLACK) if flipped else (BLACK, WHITE):
        player = running.players[side]
        guards, is_enthroned = position.progress(side)
        is_active = position.turn == side if outcome is None else outcome.winner == side
        key = "has_won" if outcome else "to_move"
        # A clock leaves no room for more than the side.
        caption = texts(key, side=side) if is_active and not running.clock.is_used else texts(SIDE_KEYS[side])
        seats.append(SeatView(side, player_name(running, side, texts), caption, texts("guards_home", count=guards),
                              guards, is_enthroned, is_active, position.queen_steps(side), running.clock.text(side),
                              running.clock.is_low(side),
                              short_name(player, texts)))
    return seats[0], seats[1]


def voice_of(session: Session, outcome: Optional[Outcome], texts: Texts) -> Voice:
    """What the message box says: a refusal, the end, what is trapped, or whose turn it is."""
    running, game = session.running, session.running.game
    message = texts.say(session.message) if session.message else ""
    if session.is_lesson:
        return Voice("refused" if session.is_refusal else "plain", message)
    if session.is_refusal:
        must_relocate = not outcome and game.position.must_relocate(game.rules)
        task = trapped_task(game, texts) if must_relocate else ""
        return Voice("refused", message, task=task)
    partner = session.partner
    if partner and partner.state != "connected" and not (running.has_partner and outcome):
        return partner_voice(partner, texts)
    if outcome:
        return end_voice(running, outcome, message, texts)
    if running.is_computers_turn:
        if running.is_paused and session.mode is not Mode.THINKING:
            if running.looks_back:
                ways = (texts("say_look_only", key=Shortcut("End")) if running.has_partner else
                        texts("say_from_here", last=Shortcut("End"), key=Shortcut(PAUSE_KEY)))
                return Voice("quiet", texts("looking_back"), message or ways)
            return Voice("quiet", texts("paused"), message or texts("say_paused", key=Shortcut(PAUSE_KEY)))
        return Voice("quiet", turn_text(running, texts), message)
    if running.is_paused and running.clock.is_used and game.ply and not running.looks_back:
        return Voice("quiet", texts("paused"), message or texts("say_clock_held", key=Shortcut(PAUSE_KEY)))
    if game.position.must_relocate(game.rules):
        return trapped_voice(running, message, texts)
    is_branched = session.message is not None and session.message.key == "say_branched"
    back = (Button("previous_game", texts("previous_game")),) if is_branched else ()
    return Voice("plain", turn_text(running, texts), message or situation_text(game, texts), buttons=back)


def partner_voice(partner: Partner, texts: Texts) -> Voice:
    """How things stand with somebody at another computer who is not there."""
    has_failed = partner.state == "failed"
    buttons = (("link_retry", "link_retry"), ("with_computer", "link_change")) if has_failed else (
        ("link_leave", "link_leave"),)
    heading = "\n".join(partner.signs) or texts("link_failed" if has_failed else "link_title")
    return Voice("sign", heading, texts.say(partner.sentence),
                 buttons=tuple(Button(command, texts(key)) for command, key in buttons))


#: So much of a name stands in a heading.
HEADING_NAME = 24


def turn_text(running: RunningGame, texts: Texts) -> str:
    """Whose turn it is, as a person would say it."""
    player, side = running.player, running.position.turn
    if player.is_elsewhere:
        must_relocate = running.position.must_relocate(running.game.rules)
        key = "must_relocate" if must_relocate else "other_turn" if running.has_person else "turn"
        return texts(key, side=side)
    name = visible(player_name(running, side, texts), HEADING_NAME)
    if player.level and running.has_person:
        must_relocate = running.position.must_relocate(running.game.rules)
        return texts("must_relocate", side=side) if must_relocate else texts("computer_turn")
    if not player.is_person:
        return texts("program_turn", name=name)
    return texts("your_turn") if running.person == side else texts("turn_of", name=name)


def situation_text(game: Game, texts: Texts) -> str:
    """What a player should know before moving: a draw that comes near, what the other side has just relocated."""
    if game.is_placing:
        return texts("say_place", count=game.to_place(game.position.turn))
    if game.repetitions() > 1:
        return texts("say_repetition")
    if game.quiet_moves() >= QUIET_WARNING:
        return texts("say_quiet", count=QUIET_MOVES_TO_DRAW - game.quiet_moves())
    if not game.ply:
        return texts("say_start")
    move = game.moves[-1]
    if move.source is not None and move.target is not None and game.positions[-2].is_relocation(move):
        kind = "queen" if game.position.is_queen(move.target) else "guard"
        return texts(f"relocated_{kind}", side=1 - game.position.turn, cell=cell_name(move.source),
                     target=cell_name(move.target))
    return ""


def trapped_voice(running: RunningGame, message: str, texts: Texts) -> Voice:
    """What is trapped, by which move and between which pieces, and what is to be done."""
    game = running.game
    position, side = game.position, game.position.turn
    trapped, kind = position.trapped(), trapped_kind(position)
    heading = texts(f"trapped_your_{kind}" if running.person == side else f"trapped_{kind}", side=side)
    sentences = [texts("trapped_move", side=1 - side, move=game.descriptions()[-1])] if game.ply else []
    for cell in trapped:
        around = [cell_name(other) for other in position.enclosers(cell)]
        pairs = [texts("and").join(around[i:i + 2]) for i in range(0, len(around), 2)]
        piece = texts("piece_queen" if position.is_queen(cell) else "piece_guard", cell=cell_name(cell))
        sentences.append(texts("trapped_between", piece=piece, cells=", ".join(pairs)))
    return Voice("alert", heading, message or " ".join(sentences), trapped_task(game, texts))


def trapped_kind(position: Position) -> str:
    """What is trapped, as the keys of texts name it: a guard, the queen or several pieces."""
    trapped = position.trapped()
    return "several" if len(trapped) > 1 else "queen" if position.is_queen(trapped[0]) else "guard"


def trapped_task(game: Game, texts: Texts) -> str:
    """What the side with trapped pieces has to do."""
    trapped = game.position.trapped()
    has_queen = any(game.position.is_queen(cell) for cell in trapped)
    if len(trapped) == 1:
        return texts("task_queen" if has_queen else "task_guard")
    if not has_queen:
        return texts("task_guards")
    return texts("task_queen_first" if game.rules.queen_first else "task_several")


def end_voice(running: RunningGame, outcome: Outcome, message: str, texts: Texts) -> Voice:
    """How the game has ended, and what may come next."""
    winner, person = outcome.winner, running.person
    level = running.players[1 - person].level if person is not None else 0
    if winner is None:
        heading = texts("drawn")
    elif winner == person:
        heading = texts("you_won")
    elif person is not None and level:
        heading = texts("computer_won")
    else:
        heading = texts("won", name=visible(player_name(running, winner, texts), HEADING_NAME))
    game = running.game
    last = texts("ended_on", number=game.move_number(max(0, game.ply - 1)))
    has_next = winner is not None and winner == person and 0 < level < len(LEVELS)
    learn = (Button("learn_mistakes", texts("learn_mistakes"), is_primary=not has_next),) * (game.length > 0)
    again = (Button("again", texts("again")),) * (running.has_person or not running.has_partner)
    others = (*again, Button("look_through", texts("look_through")))
    if has_next:
        buttons = (Button("next_level", texts("next_level", level=level + 1), is_primary=True), *others, *learn)
    else:
        buttons = (*learn, *others)
    has_resigned = outcome.reason is Ending.RESIGNATION and person is not None and winner != person
    text = message or texts("you_resigned" if has_resigned else "end_" + outcome.reason.name)
    is_joy = winner is not None and person in (None, winner)
    return Voice("end", heading, f"{text}\n{outcome.result} · {last}", buttons=buttons, is_joy=is_joy)


def card_of(session: Session, settings: Settings, texts: Texts) -> Tuple[Button, ...]:
    """The buttons of the card for newcomers, until the first move has been made or the tour opened."""
    if not settings.is_new or session.is_lesson or session.running.game.length:
        return ()
    return (Button("tour", texts("welcome_tour"), is_primary=True), Button("play_at_once", texts("welcome_play")))


def page_with_refusal(page: PageView, session: Session, texts: Texts) -> PageView:
    """A page on which a refusal, or whatever else is said, takes the place of an older verdict."""
    if session.message is None:
        return page
    is_praise = page.is_praise and not session.is_refusal
    if session.is_refusal and page.is_praise:  # the refusal was what was asked for
        return page._replace(feedback=f"{texts.say(session.message)} {page.feedback}", is_praise=True)
    return page._replace(feedback=texts.say(session.message), is_praise=is_praise, is_neutral=not session.is_refusal)


def scores_of(review: Review) -> Tuple[Tuple[int, float], ...]:
    """White's scores (in steps) that a review has found, by the number of moves played."""
    return tuple((ply, steps_of(score)) for ply, score in sorted(review.scores.items()))


def marks_of(game: Game, review: Optional[Review]) -> Tuple[Tuple[int, str], ...]:
    """The marks that moves bear in the game or that a review has found, by the number of moves before them."""
    found = {mistake.ply: mistake.mark for mistake in review.mistakes} if review else {}
    return tuple(sorted({**found, **game.marks}.items()))


def analysis_of(running: RunningGame, is_over: bool, report: Report, texts: Texts) -> AnalysisView:
    """The analysis in words, from White's side."""
    game, review = running.game, running.reviewed()
    sign = 1 if game.position.turn == WHITE else -1
    if review and review.question is None:
        report = report._replace(scores=scores_of(review))
    scores = dict(report.scores)
    if is_over:
        percent = 100 * len(scores) // (game.ply + 1)
        summary = texts("review_done") if percent >= 100 else texts("review", percent=percent)
    elif report.infos:
        best = report.infos[0]
        summary = texts("analysis_summary", depth=best.depth, nodes=texts.number(best.nodes, "{:,}"))
    else:
        summary = texts("analysis_waits")
    lines = tuple((score_words(sign * info.score, texts), *variation(game, info.moves)) for info in report.infos)
    score = steps_of(sign * report.infos[0].score) if report.infos else scores.get(game.ply)
    return AnalysisView(summary, lines, score, report.scores, game.length, game.ply, marks_of(game, review))


def steps_of(score: int) -> float:
    """A score of an engine in guard's steps; a sure win fills every scale."""
    if abs(score) > SURE_WIN:
        return WON_STEPS if score > 0 else -WON_STEPS
    return score / 100


def score_words(score: int, texts: Texts) -> str:
    """White's score as people read it: '+0.4', '−1.2', 'White wins in 3'."""
    if abs(score) > SURE_WIN:
        return texts("wins_in", side=WHITE if score > 0 else BLACK, moves=(WIN - abs(score) + 1) // 2)
    return texts.steps(score / 100)


def variation(game: Game, words: Sequence[str]) -> List[str]:
    """A principal variation in the notation for people, as far as it is legal."""
    rules, position, described = game.rules, game.position, []
    try:
        for word in words:
            move = Move.from_text(word)
            following = position.play(move, rules)
            described.append(position.describe(move, rules))
            position = following
    except AgonError:
        pass  # an engine may say what it likes; the legal beginning is shown
    return described


def why_message(reason: Reason) -> Message:
    """What a move is good for, as the rest of a sentence that begins with 'The move'."""
    key = "why_" + reason.kind + ("_now" if reason.kind in ("wins", "lost") and reason.number <= 1 else "")
    return Message.of(key, number=reason.number, move=reason.shown, cells=listed(reason.cells))


def listed(cells: Sequence[Cell]) -> Dict[str, str]:
    """Cells in words, by language: 'e5', 'e5 and f6', 'e5, f6 and g7'."""
    names = [cell_name(cell) for cell in cells]
    first, last = ", ".join(names[:-1]), names[-1:]
    return {language: Texts(language)("and").join(([first] if first else []) + last) for language in LANGUAGES}


def hint_message(game: Game, move: Move, score: Optional[int]) -> Message:
    """A move suggested in the game's position, with what it is good for; `score` is what the engine found for it."""
    why = reason_of(game, move, score) if score is not None else None
    if why is None:
        return Message.of("say_hint", move=game.describe(move))
    return Message.of("say_hint_why", move=game.describe(move), why=why_message(why))


#: Commands that rest while a lesson has the board, unless it gives them a meaning.
GAME_COMMANDS = frozenset((
    "undo", "redo", "first", "previous", "next", "last", "hint", "move_now", "pause", "one_move", "swap",
    "offer_draw", "resign", "save", "again", "next_level", "look_through", "conversation"))


#: Commands that would change the game for one of two computers alone.
WITHOUT_PARTNER = frozenset(("undo", "redo", "move_now", "pause", "one_move", "swap"))


def resting_commands(session: Session, outcome: Optional[Outcome]) -> FrozenSet[str]:
    """The keys of the commands that have no meaning now."""
    running, game = session.running, session.running.game
    never = frozenset((*(() if session.previous else ("previous_game",)),
                       *(() if game.length else ("learn_mistakes",))))
    if session.is_lesson:
        own = frozenset(session.table.commands())
        hints = frozenset(("hint",)) if session.table.has_hint and session.may_act else frozenset()
        turned = frozenset(() if session.table.below is None else ("flip",))  # the board turns by itself
        return GAME_COMMANDS - own - hints | turned | never
    is_persons_turn = session.may_act and outcome is None
    has_computer = not all(player.is_person for player in running.players)
    has_moves, has_undone = game.ply > 0, game.ply < game.length
    is_latest = not running.looks_back  # an end in the middle would forget the moves behind it
    meaning = {
        "undo": game.is_declared or running.undo_count() > 0, "redo": has_undone,
        "first": has_moves, "previous": has_moves, "next": has_undone, "last": has_undone,
        "hint": is_persons_turn, "offer_draw": is_persons_turn and is_latest,
        "move_now": session.mode is Mode.THINKING,
        "pause": (has_computer or running.clock.is_used) and outcome is None, "swap": has_computer,
        "one_move": session.mode in (Mode.IDLE, Mode.SELECTED) and outcome is None,
        "resign": running.has_person and outcome is None and is_latest}
    if running.has_partner:
        never |= WITHOUT_PARTNER
    return frozenset(key for key, has_meaning in meaning.items() if not has_meaning) | never


# --- 7. Hand ---------------------------------------------------------------------

#: The pointer has to move this many pixels before a press becomes a drag.
DRAG_PIXELS = 5
#: A typed move is never longer.
TYPED_LETTERS = 12
_TYPED_MOVE = re.compile(r"q?([a-l][0-9]{1,2})[-* ]?([a-l][0-9]{1,2})[+#]?")
#: Where a guard is to be placed; the @ is not easy to find on every keyboard.
_TYPED_CELL = re.compile(r"@?([a-l][0-9]{1,2})[+#]?")


class Hand:
    """The player's hand: pressing, moving, releasing and keys become picked pieces and attempted moves.

    It plays on the session's table and knows no widget: points are pixels,
    `board.layout` tells which cell lies there.  `finish` brings an animation to
    its end, `glide_home` lets a piece that was carried go back to its cell, and
    `command` carries out a command by its key.
    """

    def __init__(self, session: Session, board: Any, finish: Callable[[], None],
                 glide_home: Callable[[Cell, Point], None], command: Callable[[str], None]) -> None:
        self.session = session
        self.board = board
        self.finish = finish
        self.glide_home = glide_home
        self.command = command
        self.state = HandState()
        self._pressed_at: Optional[Point] = None
        self._was_selected = False

    # -- what it holds --

    @property
    def is_holding(self) -> bool:
        """Whether a piece is picked."""
        return self.session.mode in (Mode.SELECTED, Mode.DRAGGING)

    @property
    def is_carrying(self) -> bool:
        """Whether a piece follows the pointer."""
        return self.session.mode is Mode.DRAGGING

    def clear(self) -> None:
        """Hold nothing; the cursor of the keyboard stays."""
        self.state = HandState(cursor=self.state.cursor)
        self._pressed_at = None

    def put_down(self) -> None:
        """Lay the picked piece down where it was."""
        if self.is_holding:
            self.session.enter(Mode.IDLE)
        self.clear()

    def pick(self, cell: Cell) -> None:
        """Pick a piece, and say so when it cannot move at all."""
        session, table = self.session, self.session.table
        targets = table.targets(cell)
        self.state = HandState(cell, targets, cursor=self.state.cursor)
        session.enter(Mode.SELECTED)
        if not targets and table.is_picked_by_click:
            first = session.game.must_relocate()
            is_trapped = cell in table.position.trapped()
            session.mark(causes=frozenset(first))
            session.say(Message("say_no_moves" if not first else
                                "no_QUEEN_FIRST" if is_trapped else "no_TRAPPED_FIRST"), is_refusal=True)

    def choose(self, cell: Cell) -> None:
        """A click or Enter on a cell: pick the piece there, or name the target of the one picked."""
        table, selected = self.session.table, self.state.selected
        if table.is_picked_by_click and table.may_pick(cell):
            self.pick(cell)
        elif table.is_picked_by_click and selected is not None:
            self.drop(selected, cell, None)
        elif table.game.is_placing and table.position.side_at(cell) is None:
            self.drop(TRAY, cell, None)
        else:
            self.session.say(table.click(cell), is_refusal=True)

    def drop(self, source: Cell, target: Optional[Cell], point: Optional[Point]) -> None:
        """Put a piece on a target, if the table has a use for that."""
        table = self.session.table
        self.put_down()
        if not table.drop(source, target, point) and point is not None:
            self.glide_home(source, point)

    def explain_wait(self) -> None:
        """Say why the player cannot move now."""
        session, running = self.session, self.session.running
        if session.is_lesson or session.mode is Mode.ANIMATING:
            return
        if session.mode is Mode.OVER:
            session.say(Message("no_GAME_OVER"), is_refusal=True)
        elif running.has_partner and running.looks_back:
            session.say(Message.of("say_look_only", key=Shortcut("End")), is_refusal=True)
        elif running.is_computers_turn and not running.is_paused:
            elsewhere = "other_turn" if running.has_person else "say_watching"
            session.say(Message(elsewhere if running.player.is_elsewhere else "say_wait"), is_refusal=True)

    def _cell_at(self, point: Point) -> Optional[Cell]:
        """The cell at a point; TRAY where the guards stand that the side to move has still to place."""
        layout, table = self.board.layout, self.session.table
        if table.game.is_placing and layout.tray_at(*point) == table.position.turn:
            return TRAY
        return layout.cell_at(*point)

    # -- mouse --

    def press(self, point: Point) -> None:
        """Pick a piece up, or name the target of the one already picked."""
        session = self.session
        self.state = self.state._replace(cursor=None)
        if session.mode is Mode.DRAGGING:
            self.put_down()  # the release of that drag got lost
        if session.mode is Mode.ANIMATING:
            self.finish()
        cell = self._cell_at(point)
        if not session.may_act:
            self.explain_wait()
            return
        session.clear_marks()
        self.state = self.state._replace(typed="")
        if cell is None:
            self.put_down()
            return
        self._was_selected = cell == self.state.selected
        if session.table.may_pick(cell):
            self.pick(cell)  # a drag moves it; where clicks use a tool, the release tells which it was
            self._pressed_at = point
        else:
            self.choose(cell)

    def motion(self, point: Point) -> None:
        """Carry the picked piece under the pointer."""
        session, state = self.session, self.state
        if session.mode is Mode.SELECTED and self._pressed_at is not None:
            if math.dist(point, self._pressed_at) < DRAG_PIXELS:
                return
            session.enter(Mode.DRAGGING)
        if session.mode is Mode.DRAGGING:
            cell = self._cell_at(point)
            self.state = state._replace(carried=point, hovered=cell if cell in state.targets else None)

    def release(self, point: Point) -> None:
        """Drop the piece on the cell under the pointer."""
        session, selected = self.session, self.state.selected
        pressed_at, self._pressed_at = self._pressed_at, None
        if selected is None or pressed_at is None:
            return
        if session.mode is Mode.DRAGGING:
            cell = self._cell_at(point)
            self.drop(selected, None if cell == selected and session.table.is_picked_by_click else cell, point)
        elif not session.table.is_picked_by_click:
            self.put_down()
            session.say(session.table.click(selected), is_refusal=True)
        elif self._was_selected:
            self.put_down()  # a second click on the same piece

    def escape(self) -> None:
        """Put the piece back and clear all marks."""
        self.state = HandState()
        self.session.clear_marks()
        self.put_down()

    def lost(self) -> None:
        """Focus or visibility is lost, so the release of a drag may never come: put the piece back."""
        if self.is_carrying:
            self.put_down()

    # -- keyboard --

    def move_cursor(self, columns: int, rows: int) -> None:
        """Move the cursor to the cell above, below, left or right as one sees the board."""
        state, layout = self.state, self.board.layout
        if state.cursor is None:
            self._point_at(THRONE if state.selected in (None, TRAY) else state.selected)
        else:
            self._point_at(layout.next_cell(state.cursor, columns, rows))

    def step_cursor(self, direction: int) -> None:
        """Move the cursor to the next piece that can move, or to the next target of the one picked."""
        session, state, layout = self.session, self.state, self.board.layout
        if not session.may_act:
            return
        cells, cursor = sorted(state.targets or session.table.movable(), key=layout.reading_order), state.cursor
        if cursor in cells:
            self._point_at(cells[(cells.index(cursor) + direction) % len(cells)])
        elif cells:
            self._point_at(cells[0 if direction > 0 else -1])

    def _point_at(self, cell: Cell) -> None:
        """Put the cursor on a cell and name what stands there."""
        session, table = self.session, self.session.table
        position = table.position
        self.state = self.state._replace(cursor=cell)
        side, name = position.side_at(cell), cell_name(cell)
        if side is None:
            session.say(Message.of("say_cell", cell=name))
        else:
            session.say(Message.of("say_queen" if position.is_queen(cell) else "say_guard", side=side, cell=name))

    def enter(self) -> None:
        """Play the typed move, or pick and drop at the cursor; where nothing is to be moved, go on to what is next."""
        session, cursor, typed = self.session, self.state.cursor, self.state.typed
        if not session.may_act:
            onward = session.table.onward if session.mode is Mode.IDLE else ""
            if typed:
                self._show_typed("")
            if onward and not typed:
                self.command(onward)
            else:
                self.explain_wait()
            return
        session.clear_marks()
        if typed:
            self._play_typed(typed)
        elif cursor is not None and cursor == self.state.selected:
            self.put_down()
        elif cursor is not None:
            self.choose(cursor)

    def space(self) -> None:
        """Between two typed cells a blank is part of the move; otherwise it is like Enter."""
        if self.state.typed:
            self.type(" ")
        else:
            self.enter()

    def type(self, letter: str) -> None:
        """Letters and digits become a typed move."""
        table = self.session.table
        if table.is_picked_by_click:
            self._show_typed((self.state.typed + letter.lower())[:TYPED_LETTERS])

    def erase(self) -> None:
        """Take the last typed letter back."""
        if self.state.typed:
            self._show_typed(self.state.typed[:-1])

    def _show_typed(self, text: str) -> None:
        self.state = self.state._replace(typed=text)
        self.session.say(Message.of("say_typed", text=text) if text else None)

    def _play_typed(self, text: str) -> None:
        session = self.session
        self.put_down()
        match = _TYPED_MOVE.fullmatch(text.strip())
        placed = _TYPED_CELL.fullmatch(text.strip()) if session.game.is_placing else None
        try:
            move = Move.from_text("{}-{}".format(*match.groups()) if match else
                                  f"@{placed.group(1)}" if placed else text.strip())
        except AgonError as error:
            session.say(Message.of("error_" + error.code, **error.details), is_refusal=True)
            return
        session.table.attempt(move, None)


# --- 8. Thinker ------------------------------------------------------------------

#: The program that speaks for another computer.
LINK_PROGRAM = (*OWN_PROGRAM, "link")
POLL_MS = 30
#: How often it is looked whether somebody at another computer has done something besides moving.
EVENTS_MS = 100
#: How often it is looked what has happened in a tournament.
TOURNAMENT_MS = 100
#: How long a program may take to say goodbye, by what it wants: one that speaks for another computer, and one that
#: has programs of its own to end.
GOODBYE_S = {"events": 0.3, "quit": 5.0}
#: When an engine that has been asked for a move counts as hanging.
PATIENCE_S = 20.0
HINT_MS = 1000


#: By how much the system's clock must have been set back (seconds) to be noticed.
CLOCK_JUMP_S = 1.0


class Job(NamedTuple):
    """Something to be done later: Tk's name for it, when (seconds, monotonic clock; None: when idle), and what."""

    name: str
    due: Optional[float]
    action: Callable[[], Any]


class Jobs:
    """What is to be done later, by name; a new job takes the place of an older one of the same name.

    `after` and `cancel` are those of a Tk widget; `handle` carries an action out.
    """

    def __init__(self, after: Callable[..., str], cancel: Callable[[str], None],
                 handle: Callable[[Callable[[], Any]], Any]) -> None:
        self._after, self._cancel, self._handle = after, cancel, handle
        self._jobs: Dict[str, Job] = {}
        self._ahead = self._clock_ahead()

    def later(self, name: str, milliseconds: Union[int, str], action: Callable[[], Any]) -> None:
        """Do something later ('idle': when the events have run out)."""
        self.forget(name)
        due = None if isinstance(milliseconds, str) else time.monotonic() + milliseconds / 1000
        self._jobs[name] = Job(self._after(milliseconds, self._run, name, action), due, action)

    def waits(self, name: str) -> bool:
        """Whether a job of this name waits."""
        return name in self._jobs

    def _run(self, name: str, action: Callable[[], Any]) -> None:
        self._jobs.pop(name, None)
        self._handle(action)

    def forget(self, *names: str) -> None:
        """Cancel jobs that wait; without names all of them."""
        for name in names or tuple(self._jobs):
            job = self._jobs.pop(name, None)
            if job is not None:
                self._cancel(job.name)

    @staticmethod
    def _clock_ahead() -> float:
        """How far the system's clock, which can be set, is ahead of the monotonic one (seconds)."""
        return time.time() - time.monotonic()

    def wake(self) -> None:
        """Ask anew for what waits, if the system's clock was set back: Tk goes by it and would wait as much longer."""
        before, self._ahead = self._ahead, self._clock_ahead()
        if self._ahead < before - CLOCK_JUMP_S:
            for name, job in tuple(self._jobs.items()):
                if job.due is not None:
                    self.later(name, max(0, round(1000 * (job.due - time.monotonic()))), job.action)


class Asked(NamedTuple):
    """A question under way: about which game (after `ply` moves only, if given), and who is to be told."""

    question: Question
    game: Game
    #: Told the move (None: it gives up) and its score for the side to move; or, if no move was asked for, the answer's
    #: words.
    on_answer: Callable[..., None]
    on_failure: Callable[[Message], None]
    on_info: Optional[Callable[[Info], None]] = None
    ply: Optional[int] = None
    #: The answer is given after this many milliseconds at the earliest.
    least_ms: int = 0
    #: The word that the answer begins with, and who is told about the lines before it.
    until: str = "bestmove"
    on_line: Optional[Callable[[str], None]] = None


def spoken(words: Union[LastWords, EngineFailure]) -> Dict[str, str]:
    """What has gone wrong with an engine, by language."""
    return {language: words.sentence(language) for language in LANGUAGES}


class Thinker:
    """Asks an engine and calls back once, with a legal move or with what has gone wrong.

    Engines are started when they are first asked, one for each command; the
    only loop that looks for their answers is here.
    """

    def __init__(self, name: str, jobs: Jobs, own_engine: Sequence[str] = OWN_ENGINE,
                 make_engine: Callable[[Sequence[str]], EngineProcess] = EngineProcess, poll_ms: int = POLL_MS) -> None:
        self._job = f"{name} poll"
        self._poll_ms = poll_ms
        self._jobs = jobs
        self._own_engine = tuple(own_engine)
        self._make_engine = make_engine
        self.engines: Dict[Tuple[str, ...], EngineProcess] = {}
        #: The engine asked last, when (seconds of the monotonic clock), and its score for the side to move.
        self._engine: Optional[EngineProcess] = None
        self._asked_at = 0.0
        self._score: Optional[int] = None

    @property
    def is_busy(self) -> bool:
        """Whether an answer is still wanted."""
        return self._engine is not None and self._engine.is_busy

    def engine_for(self, player: Player) -> EngineProcess:
        """The engine that plays for a player, made when it is first needed."""
        command = player.program or self._own_engine
        if command not in self.engines:
            self.engines[command] = self._make_engine(command)
        return self.engines[command]

    def ask(self, asked: Asked) -> None:
        """Ask for a move; an older question is given up."""
        self.cancel()
        player = asked.question.player
        self._engine, self._asked_at, self._score = self.engine_for(player), time.monotonic(), None
        options = [] if player.program else [("Level", player.level), ("Without", asked.question.without)]
        if player.weights:
            options.append(("Weights", player.weights))
        try:
            self._engine.ask(asked.game, asked.question.go, options, asked.ply, asked.until)
        except (OSError, ValueError) as error:
            self._fail(asked, "fail_missing", reason=error)
            return
        self._jobs.later(self._job, self._poll_ms, partial(self._poll, asked))

    def _poll(self, asked: Asked) -> None:
        engine = self._engine
        assert engine is not None
        try:
            replies = engine.poll()
        except EngineFailure as failure:
            key = f"fail_{failure.code}" if failure.code in ("ended", "slow") else "fail_other"
            key += "_with" if failure.code == "ended" and engine.last_error.error else ""
            self._fail(asked, key, last=spoken(engine.last_error), why=spoken(failure))
            return
        waited = time.monotonic() - self._asked_at
        for reply in replies:
            if isinstance(reply, Info):
                self._score = reply.score if reply.number == 1 else self._score
                if asked.on_info:
                    asked.on_info(reply)
            elif isinstance(reply, Answer):
                pause = max(0, asked.least_ms - int(1000 * waited))
                self._jobs.later(self._job, pause, partial(self._answered, asked, reply.text))
                return
            elif asked.on_line:
                asked.on_line(str(reply))
        if waited > PATIENCE_S and "infinite" not in asked.question.go:
            self._fail(asked, "fail_slow")
        else:
            self._jobs.later(self._job, self._poll_ms, partial(self._poll, asked))

    def _answered(self, asked: Asked, text: str) -> None:
        if asked.until != "bestmove":
            asked.on_answer(text)
            return
        if text == "resign":
            asked.on_answer(None, self._score)
            return
        try:
            move = Move.from_text(text)
            refusal = asked.game.refusal(move) if asked.ply is None else None
            if refusal:
                raise IllegalMove(move, refusal)
        except AgonError as error:
            self._fail(asked, "fail_illegal", why=error)
            return
        asked.on_answer(move, self._score)

    def _fail(self, asked: Asked, text_key: str, **values: Any) -> None:
        """End an engine that does not play properly, and say why."""
        if self._engine is not None:
            self._engine.close()
        player = asked.question.player
        who = (Message("other_computer") if player.is_elsewhere else
               player.called if player.program else Message("computer_player"))
        asked.on_failure(Message.of(text_key, who=who, **values))

    def hurry(self) -> None:
        """Ask for the answer at once."""
        if self._engine is not None:
            self._engine.hurry()

    def cancel(self) -> None:
        """Give up the present question."""
        self._jobs.forget(self._job)
        if self._engine is not None:
            self._engine.cancel()

    def keep_only(self, players: Sequence[Player]) -> None:
        """End the programs that no longer play."""
        for command in set(self.engines) - {player.program for player in players} - {self._own_engine}:
            self._end(self.engines.pop(command))

    def close(self) -> None:
        """End all engines."""
        self.cancel()
        for engine in self.engines.values():
            self._end(engine)

    @staticmethod
    def _end(engine: EngineProcess) -> None:
        """End an engine; one that has something to end itself may do so."""
        goodbye = max((GOODBYE_S.get(wish, 0.0) for wish in engine.wants), default=0.0)
        if engine.is_ready and goodbye:
            engine.end(goodbye)
        else:
            engine.close()

    def listen(self, player: Player, on_event: Callable[[str], None], on_end: Callable[[Message], None]) -> None:
        """Start a player's program and tell what it says unasked, as long as it plays; `on_end` is told why it ended.

        OSError if it cannot be started.
        """
        self.engine_for(player).start()
        self._jobs.later(self._job + " events", EVENTS_MS, partial(self._listen, player, on_event, on_end))

    def _listen(self, player: Player, on_event: Callable[[str], None], on_end: Callable[[Message], None]) -> None:
        engine = self.engines.get(player.program)
        if engine is None:
            return
        reason = ""
        try:
            if not engine.is_busy:  # else whoever has asked looks for what it says
                engine.poll()
        except EngineFailure as failure:
            reason = str(failure)
        while engine.events and player.program in self.engines:
            on_event(engine.events.popleft())
        if reason or not engine.is_running:
            key = "fail_ended_with" if engine.last_error.error else "fail_ended"
            on_end(Message.of(key, who=Message("other_computer"), last=spoken(engine.last_error)))
        else:
            self._jobs.later(self._job + " events", EVENTS_MS, partial(self._listen, player, on_event, on_end))

    def conversation(self, players: Sequence[Player]) -> Conversation:
        """What the programs that play, or else the computer player, have said and been told of late, in order."""
        commands = {player.program: player.called for player in players if player.program} or {self._own_engine: ""}
        spoken = [(self.engines[command].name or called, said) for command, called in commands.items()
                  if command in self.engines for said in list(self.engines[command].log)]
        return sorted(spoken, key=lambda line: line[1].when)


class Trial:
    """Tries a program before it plays: it has to start, to say agonok, and to name a move by the rules of the game."""

    MOVE_MS = 200

    def __init__(self, thinker: Thinker) -> None:
        self._thinker = thinker

    def begin(self, text: str, rules: Rules, on_end: Callable[[str, Optional[Message]], None]) -> None:
        """Try a program; `on_end` is told what it calls itself, and what is wrong with it (None: nothing)."""
        player = Player(program=program_command(text))
        self._thinker.ask(Asked(Question(player, f"go movetime {self.MOVE_MS}"), Game(rules=rules),
                                partial(self._passed, player, on_end), partial(self._failed, on_end)))

    def _passed(self, player: Player, on_end: Callable[[str, Optional[Message]], None], _move: Optional[Move],
                _score: Optional[int]) -> None:
        name = self._thinker.engine_for(player).name
        self.stop()
        on_end(name or player.called, None)

    def _failed(self, on_end: Callable[[str, Optional[Message]], None], failure: Message) -> None:
        self.stop()
        on_end("", failure)

    def stop(self) -> None:
        """Give the trial up, and end the program."""
        self._thinker.cancel()
        self._thinker.keep_only(())


class Timekeeper:
    """Lets the clock of the side to move run, and says when its time is up.

    The time is held while `is_held` says so: a dialog is open, say; and while
    a lesson has the board.
    """

    TICK_MS = 100

    def __init__(self, session: Session, jobs: Jobs, is_held: Callable[[], bool], on_time_up: Callable[[int], None]
                 ) -> None:
        self.session, self.jobs = session, jobs
        self._is_held, self._on_time_up = is_held, on_time_up

    def follow(self) -> None:
        """Let that clock run whose time it is now; asked after every event."""
        session, running = self.session, self.session.running
        if not running.clock.is_used:
            self.jobs.forget("clock")
            return
        side = None if session.is_lesson else running.side_on_the_clock
        running.clock.run(None if self._is_held() else side)
        if side is None:
            self.jobs.forget("clock")
        elif not self.jobs.waits("clock"):
            self.jobs.later("clock", self.TICK_MS, self._tick)

    def _tick(self) -> None:
        running = self.session.running
        side = running.clock.fallen()
        if side is not None:
            self._on_time_up(side)

    def hold(self) -> None:
        """Let nobody's time run while something changes."""
        running = self.session.running
        running.clock.run(None)


class Analyst:
    """Looks at the position on the board, or through a finished game, with a thinker of its own."""

    #: How many lines are shown, and how long each position of a finished game is looked at.
    LINES = 3
    REVIEW_MS = 120

    def __init__(self, thinker: Thinker) -> None:
        self._thinker = thinker
        self._infos: Dict[int, Info] = {}
        #: White's score (in steps) by the number of moves played, and the finished game that it belongs to.
        self._scores: Dict[int, float] = {}
        self._line: Tuple[Position, List[str]] = (Position.start(), [])
        self._game: Optional[Game] = None
        self._is_reviewing = False

    def begin(self, game: Game) -> None:
        """Look at what is on the board now."""
        self.rest()
        outcome = game.outcome()
        self._game, self._is_reviewing = game, outcome is not None
        if outcome:
            self._review_next(game)
        else:
            self._ask(game, f"go infinite multipv {self.LINES}", None)

    def rest(self) -> None:
        """Stop looking."""
        self._thinker.cancel()
        self._infos.clear()

    def close(self) -> None:
        """End the engine."""
        self._thinker.close()

    def report(self, game: Game) -> Report:
        """What has been found about a game: the lines for what is on the board, and the curve of a finished one."""
        start, line = self._line
        is_same = bool(line) and game.start == start and game.descriptions(with_undone=True)[:len(line)] == line
        is_shown = game is self._game and not self._is_reviewing
        infos = tuple(info for _, info in sorted(self._infos.items())) if is_shown else ()
        return Report(infos, tuple(sorted(self._scores.items())) if is_same else ())

    def _ask(self, game: Game, go: str, ply: Optional[int]) -> None:
        self._thinker.ask(Asked(Question(Player(len(LEVELS)), go), game, partial(self._on_answer, game, ply),
                                self._on_failure, self._on_info, ply))

    def _on_info(self, info: Info) -> None:
        self._infos[info.number] = info

    def _on_failure(self, _message: Message) -> None:
        self._infos.clear()  # the panel says that it waits

    def _on_answer(self, game: Game, ply: Optional[int], _move: Move, score: Optional[int]) -> None:
        if ply is None:
            return
        sign = 1 if game.positions[ply].turn == WHITE else -1
        self._scores[ply] = sign * steps_of(score) if score is not None else 0.0
        self._review_next(game)

    def _review_next(self, game: Game) -> None:
        """Ask for the score of the first position of the finished game that has none yet."""
        outcome, line = game.outcome(), (game.start, list(game.descriptions()))
        if line != self._line:
            self._scores, self._line = {}, line
        if outcome:
            sign = 0 if outcome.winner is None else 1 if outcome.winner == WHITE else -1
            self._scores[game.ply] = sign * WON_STEPS
        missing = next((ply for ply in range(game.ply) if ply not in self._scores), None)
        self._infos.clear()
        if missing is not None:
            self._ask(game, f"go movetime {self.REVIEW_MS}", missing)


# --- 9. Commands -----------------------------------------------------------------

class Command(NamedTuple):
    """Something a menu, a button or a key does.  Its key names its text, too."""

    key: str
    action: Callable[[], Any]
    shortcut: str = ""
    #: The setting that it switches, if it has a check mark.
    setting: str = ""


PAUSE_KEY = "Mod-p"
#: The computer takes a draw when the player is at least so many hundredths of a step ahead, and after so many moves.
DRAW_SCORE = 50
DRAW_PLIES = 20


class LinkWanted(NamedTuple):
    """What a dialog has been told about another computer; `role` is host, join or watch."""

    role: str
    side: int = WHITE
    goes_on: bool = False
    may_watch: bool = False
    address: str = ""
    code: str = ""
    #: The name of who plays here.
    name: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether address and code are there where they are needed."""
        return self.role == "host" or bool(self.address) and bool(re.fullmatch("[0-9]{4}", self.code))


class NewGame(NamedTuple):
    """What the New game dialog has been told: who plays White and Black, who begins, and by which rules."""

    seats: Tuple[Seat, Seat]
    by_lot: bool
    rules: Rules

    @property
    def link(self) -> Optional[LinkWanted]:
        """How another computer is wanted, if one is."""
        for side, seat in enumerate(self.seats):
            if seat.kind == "other":
                return LinkWanted(seat.role, 1 - side, address=seat.address, code=seat.code,
                                  name=self.seats[1 - side].name)
        return None


class GameCommands:
    """The commands of the running game.

    `change` carries a change of the game out whole: it stops what runs, acts,
    lets the pieces glide that the action says have moved, saves and goes on;
    `ask` asks an engine and hands its answer to what is given; `perform`
    carries out a Next; `play_elsewhere` begins a game with another computer.
    """

    def __init__(self, session: Session, store: Store, thinker: Thinker, dialogs: "Dialogs",
                 change: Callable[..., None], ask: Callable[..., None], perform: Callable[[Next], None],
                 play_elsewhere: Callable[[LinkWanted], None]) -> None:
        self.session = session
        self.store = store
        self.thinker = thinker
        self.dialogs = dialogs
        self.change = change
        self.ask = ask
        self.perform = perform
        self.play_elsewhere = play_elsewhere

    def commands(self) -> Tuple[Command, ...]:
        """The commands, with their shortcuts."""
        return (
            Command("new_game", self.ask_for_game, "Mod-n"), Command("own_program", self.ask_for_program),
            Command("previous_game", self.bring_back),
            Command("undo", self.undo, "Mod-z"), Command("redo", self.redo, "Mod-y"),
            Command("first", partial(self.go_by, -10 ** 6), "Home"),
            Command("previous", partial(self.go_by, -1), "Prior"),
            Command("next", partial(self.go_by, 1), "Next"), Command("last", partial(self.go_by, 10 ** 6), "End"),
            Command("hint", self.hint, "Mod-t"), Command("move_now", self.thinker.hurry, "Mod-g"),
            Command("pause", self.pause, PAUSE_KEY), Command("one_move", self.one_move, "Mod-e"),
            Command("swap", self.swap), Command("offer_draw", self.offer_draw), Command("resign", self.ask_resign),
            Command("again", self.again), Command("next_level", self.next_level),
            Command("play_at_once", self.play_at_once))

    def levels(self, texts: Texts) -> Sequence[Tuple[int, str]]:
        """The levels to choose from."""
        return [(level.number, texts("level", level=level.number)) for level in LEVELS]

    def level(self) -> int:
        """The level that the computer has in the running game, else that of the settings."""
        levels, settings = [player.level for player in self.running.players if player.level], self.store.settings
        return levels[0] if levels else settings.level

    @property
    def running(self) -> RunningGame:
        """The game that these commands are about."""
        return self.session.running

    @property
    def game(self) -> Game:
        """The game itself."""
        return self.running.game

    # -- beginning --

    def wanted(self) -> NewGame:
        """The game that the last New game dialog described."""
        settings = self.store.settings
        white, black = (Seat.from_settings(settings, side) for side in (WHITE, BLACK))
        return NewGame((white, black), settings.by_lot, settings.rules)

    def ask_for_game(self) -> None:
        """Open the New game dialog."""
        self.dialogs.ask_new_game(self.wanted(), self.start)

    def ask_for_program(self) -> None:
        """Open the New game dialog with a program as Black, if none plays yet."""
        wanted = self.wanted()
        white, black = wanted.seats
        seats = wanted.seats if "program" in (white.kind, black.kind) else (white, black._replace(kind="program"))
        self.dialogs.ask_new_game(wanted._replace(seats=seats), self.start)

    def start(self, wanted: NewGame) -> None:
        """Begin the game that the dialog describes, and remember it for the next time."""
        kept: Dict[str, Any] = {}
        for side, seat in enumerate(wanted.seats):
            kept.update(seat.as_settings(side))
        self.store.change(by_lot=wanted.by_lot, **kept, **wanted.rules._asdict())
        if wanted.link:
            self.play_elsewhere(wanted.link)
        else:
            self.adopt(self.make(wanted))

    def make(self, wanted: NewGame) -> RunningGame:
        """The game that is wanted, at its start."""
        turn = random.choice((WHITE, BLACK)) if wanted.by_lot else WHITE
        game = Game(Position.start(turn, wanted.rules), wanted.rules, today())
        clock = Clock([TimeControl.from_text(seat.clock) for seat in wanted.seats])
        return RunningGame(game, [seat.player() for seat in wanted.seats], self.running.attempt, clock=clock)

    def adopt(self, running: RunningGame) -> None:
        """Let another game run, with its only person's side below."""
        self.change(self.session.replace, running)
        self.face()

    def face(self) -> None:
        """Turn the board so that the only person plays from below; else White does."""
        flipped, settings = self.running.person == BLACK, self.store.settings
        if flipped != settings.flipped:
            self.store.change(flipped=flipped)

    def play_position(self, position: Position) -> None:
        """Play on from a position, with the players and the rules of the running game."""
        running, game = self.running, Game(position, self.game.rules, today())
        self.adopt(RunningGame(game, running.players, running.attempt, clock=running.clock.anew()))

    def play_at_once(self) -> None:
        """Begin a first game, against level 1."""
        self.store.change(is_new=False)
        self.start(self.wanted()._replace(seats=(Seat(), Seat("level", level=1))))

    def again(self) -> None:
        """Begin the same game once more, with changed sides."""
        running, game = self.running, Game(self.game.start, self.game.rules, today())
        clock = Clock(running.clock.controls[::-1])
        self.adopt(RunningGame(game, running.players[::-1], running.attempt, clock=clock))

    def time_is_up(self, side: int) -> None:
        """A side has run out of time, and so has lost."""
        self.change(self.game.lose_on_time, side)

    def next_level(self) -> None:
        """Begin a game against the next level."""
        running = self.running
        level = min(len(LEVELS), max(player.level for player in running.players) + 1)
        white, black = (Seat("level" if player.level else "person", player.name, level, clock=str(control))
                        for player, control in zip(running.players, running.clock.controls))
        self.start(self.wanted()._replace(seats=(white, black)))

    def bring_back(self) -> None:
        """Bring back the game that the present one has replaced."""
        self.change(self.session.bring_back)

    def count_result(self) -> None:
        """Let a game that has just ended count in the player's progress, once."""
        running = self.running
        result = running.result(time.strftime("%Y-%m-%d %H:%M:%S"))
        if result:
            self.store.note(games=result)
        running.is_counted = running.is_counted or self.game.outcome() is not None

    # -- through the game --

    def undo(self) -> None:
        """Take back the last move, and the computer's answer with it; or a resignation."""
        if self.game.is_declared:
            self.change(self.game.reopen)
        else:
            self.change(self.running.travel, -self.running.undo_count())

    def redo(self) -> None:
        """Play again what was taken back, up to the player's next turn."""
        self.change(self.running.travel, self.running.redo_count())

    def go_to(self, ply: int) -> None:
        """Show the game after this many moves."""
        game = self.running.game
        ply = max(0, min(ply, game.length))
        if ply != game.ply:
            self.change(self.running.look_at, ply)

    def take_line(self, ply: int, number: int) -> None:
        """Go on with a variation of the move after this ply."""
        self.change(self.running.take_line, ply, number)

    def go_by(self, count: int) -> None:
        """Show the game some moves earlier (below 0) or later."""
        self.go_to(self.game.ply + count)

    # -- the computer --

    def hint(self) -> None:
        """Ask the engine what it would play here."""
        session = self.session
        if self.thinker.is_busy:
            return
        session.clear_marks()
        if session.is_lesson:
            self.perform(session.table.hint())
        else:
            self.session.say(Message("say_thinking"))
            self.ask(Question(Player(len(LEVELS)), f"go movetime {HINT_MS}"), self._show_hint)

    def _show_hint(self, move: Move, score: Optional[int]) -> Next:
        return Next(self.session.mode, show=move, say=hint_message(self.game, move, score))

    def pause(self) -> None:
        """Hold the computer up, or let it go on."""
        self.change(self.running.pause, not self.running.is_paused)

    def one_move(self) -> None:
        """Let the computer play a single move for the side to move, whoever plays it."""
        player, settings = self.running.player, self.store.settings
        self.change(self.running.let_help, Player(settings.level) if player.is_person else player)

    def set_level(self, level: int) -> None:
        """Change the computer's level in the running game."""
        settings = self.store.settings
        self.store.change(level=level, **{key: level for key in SIDE_KEYS if getattr(settings, key) > 0})
        self._set_players([Player(level) if player.level else player
                           for player in self.running.players])

    def swap(self) -> None:
        """Change sides with the computer."""
        self._set_players(self.running.players[::-1])
        self.face()

    def _set_players(self, players: List[Player]) -> None:
        if self.session.is_lesson:
            self.running.seat(players)
        else:
            self.change(self.running.seat, players)

    def play_against_weights(self, weights: str) -> None:
        """Begin a game, as White, against the computer with changed numbers."""
        players = [Player(), Player(len(LEVELS), weights="" if weights == "none" else weights)]
        self.adopt(RunningGame(Game(rules=self.game.rules, headers=today()), players, self.running.attempt))

    # -- giving up and agreeing --

    def ask_resign(self) -> None:
        """Ask whether the player whose turn it is really gives up."""
        running, position = self.running, self.game.position
        turn = position.turn
        side = 1 - turn if running.is_computers_turn else turn
        question = Message("ask_resign") if running.person is not None else Message.of("ask_side_to_resign", side=side)
        self.dialogs.ask("resign_yes", question, "resign_yes", "cancel",
                         partial(self.change, running.game.resign, side), is_safe=False)

    def offer_draw(self) -> None:
        """Explain when a game is drawn by itself, and offer a draw to the other side."""
        game = self.running.game
        explanation = Message.of("draw_text", repetitions=game.repetitions(), quiet=game.quiet_moves())
        self.dialogs.ask("draw_title", explanation, "draw_yes", "cancel", self._offer)

    def _offer(self) -> None:
        game = self.running.game
        side = game.position.turn
        other = self.running.players[1 - side]
        if other.is_elsewhere:
            self.thinker.engine_for(other).inform("draw")
            self.session.say(Message("say_draw_offered"))
        elif other.is_person:
            self.dialogs.ask("draw_title", Message.of("ask_draw", side=side), "accept", "decline",
                             partial(self.change, game.agree_draw))
        else:
            self.session.say(Message("say_thinking"))
            self.ask(Question(Player(len(LEVELS)), f"go movetime {HINT_MS}"), self._answer_offer)

    def _answer_offer(self, _move: Move, score: Optional[int]) -> Next:
        """The computer agrees when the player to move, as it sees it, stands better than itself."""
        if score is not None and score >= DRAW_SCORE and self.game.ply >= DRAW_PLIES:
            self.change(self.game.agree_draw)
            return Next(self.session.mode)
        return Next(self.session.mode, say=Message("say_draw_declined"))


class PartnerCommands:
    """The commands of a game with another computer, and what the other side does besides moving.

    A program speaks for the other side (agon_ai.py link), so that nothing here
    knows of networks.  What it says waits while a lesson has the board.
    """

    #: More arguments for who waits; tests listen at the loopback address alone.
    HOST_OPTIONS: Tuple[str, ...] = ()

    def __init__(self, session: Session, store: Store, thinker: Thinker, dialogs: "Dialogs",
                 change: Callable[..., None], adopt: Callable[[RunningGame], None]) -> None:
        self.session = session
        self.store = store
        self.thinker = thinker
        self.dialogs = dialogs
        self.change = change
        self.adopt = adopt
        #: The game that the program knows, and how many of its moves.
        self._told: Tuple[Optional[Game], int] = (None, 0)
        #: What the dialog was last told.
        self._wanted: Optional[LinkWanted] = None
        #: What it has said that waits for the board.
        self._waiting: List[str] = []

    def commands(self) -> Tuple[Command, ...]:
        """The commands; none has a shortcut."""
        return (Command("with_computer", self.ask), Command("link_retry", self.retry),
                Command("link_leave", self.leave))

    # -- beginning and ending --

    def ask(self) -> None:
        """Open the dialog: wait, join or watch."""
        running = self.session.running
        can_go_on = bool(running.game.length) and running.game.outcome(running.game.length) is None
        side, partner = self._side_before(), self.session.partner
        role = self._wanted.role if self._wanted and partner and partner.state == "failed" else "host"
        before = LinkWanted(role, WHITE if side is None else side, side is not None, False,
                            self.store.settings.link_address)
        self.dialogs.ask_link(before, can_go_on, self.start)

    def _side_before(self) -> Optional[int]:
        """The side played here in an unfinished game with another computer; None if the running game is none."""
        running = self.session.running
        sides = [1 - side for side, name in enumerate(("White", "Black"))
                 if running.players[side].is_elsewhere or running.game.headers.get(name) == ELSEWHERE]
        return sides[0] if len(sides) == 1 and running.game.outcome(running.game.length) is None else None

    def start(self, wanted: LinkWanted) -> None:
        """Wait for another computer, join it or watch."""
        side, game, self._wanted = self._side_before(), self._whole_game(), wanted
        self.store.change(is_new=False)
        self.change(self._let_go)
        if wanted.role == "host":
            options = ["--side", SIDE_WORDS[wanted.side], *self.HOST_OPTIONS]
            options += ["--watchers"] if wanted.may_watch else []
            self._set_up(Player(program=(*LINK_PROGRAM, "host", *options), is_elsewhere=True), None)
            new = Game(rules=self.store.settings.rules, headers=today())
            self._put_up(game if wanted.goes_on else new, wanted.side)
            return
        self.store.change(link_address=wanted.address)
        options = ["--side", SIDE_WORDS[side]] if wanted.role == "join" and side is not None and game.length else []
        player = Player(program=(*LINK_PROGRAM, wanted.role, wanted.address, wanted.code, *options), is_elsewhere=True)
        self._set_up(player, game if options else None)

    def _whole_game(self) -> Game:
        """The running game with all its moves."""
        running = self.session.running
        game = running.game
        if not game.undone:
            return game
        whole = game.branch()
        for move in game.undone:
            whole.play(move)
        return whole

    def _set_up(self, player: Player, game: Optional[Game]) -> None:
        """Start the program, and tell it the game it is to go on with."""
        self.session.partner = Partner(player)
        try:
            self.thinker.listen(player, self.hear, self._fail)
        except OSError as error:
            self._fail(Message.of("fail_missing", who=Message("other_computer"), reason=error))
        else:
            if game is not None:
                self.thinker.engine_for(player).inform_about(game)

    def _fail(self, message: Message) -> None:
        """The program has ended; the game stays as it is."""
        session = self.session
        if session.partner:
            session.partner = session.partner._replace(state="failed", sentence=message, signs=())
            session.say(None)

    def _put_up(self, game: Game, side: Optional[int]) -> None:
        """Put a game on the board in which this side is played here (None: only watched)."""
        partner, running = self.session.partner, self.session.running
        assert partner is not None
        own = Player(name=self._wanted.name if self._wanted else "")
        players = [own if number == side else partner.player for number in (WHITE, BLACK)]
        self._told = (game, -1)
        self.adopt(RunningGame(game, players, running.attempt))

    def retry(self) -> None:
        """Try once more what has failed."""
        partner = self.session.partner
        if partner is None:
            return
        engine, running = self.thinker.engine_for(partner.player), self.session.running
        if engine.is_running:
            engine.inform("retry")
        elif self._wanted:
            side = self._wanted.side if running.person is None or not running.has_partner else running.person
            self.start(self._wanted._replace(goes_on=running.has_partner, side=side))

    def leave(self) -> None:
        """Wait no longer; the game can be played on at this computer."""
        self.change(self._let_go)

    def _let_go(self) -> None:
        running = self.session.running
        running.let_partner_go()

    # -- what happens --

    def follow(self) -> None:
        """Tell the program what has happened on the board, and take up what has waited; the board is at rest."""
        session, partner = self.session, self.session.partner
        if partner is None or session.is_lesson:
            return
        engine, running = self.thinker.engines.get(partner.player.program), session.running
        if engine is None:  # another game has been begun
            session.partner = None
            for other in (running, session.previous):
                if other:
                    other.let_partner_go()
            return
        if partner.state == "failed" and not running.has_partner:  # and the player has gone on without
            self.thinker.keep_only(running.players)
            session.partner = None
            return
        game = running.game
        if running.has_partner and not running.looks_back and self._told != (game, game.length):
            person = running.person
            if self._told[0] is not game and person is not None:
                engine.inform(f"newgame {SIDE_WORDS[person]}")
            self._told = (game, game.length)
            engine.inform_about(game)
        outcome = game.outcome() if running.has_partner else None
        if outcome and outcome.reason is Ending.RESIGNATION and outcome.winner != running.person:
            engine.inform("resign")
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            self.hear(event)

    def hear(self, event: str) -> None:
        """The program says something unasked."""
        partner, running = self.session.partner, self.session.running
        if partner is None:
            return
        word, _, rest = event.partition(" ")
        if word == "state":
            self.session.partner = partner._replace(state=rest, sentence="", signs=())
            if not self.session.is_lesson:
                self.session.say(None)
        elif word == "sign":
            self.session.partner = partner._replace(signs=(*partner.signs, rest))
        elif word.startswith("say."):
            sentence = partner.sentence if isinstance(partner.sentence, dict) else {}
            self.session.partner = partner._replace(sentence={**sentence, word[len("say."):]: rest})
            self._say_sentence()
        elif self.session.is_lesson or self._is_moving:
            self._waiting.append(event)
        elif word == "play":
            self._on_play(rest)
        elif word == "end" and running.has_partner:
            game = running.game
            self.change(game.agree_draw if rest == "draw" else partial(game.resign, SIDE_WORDS.index(rest)))
        elif word == "draw":
            self._on_draw(rest)

    @property
    def _is_moving(self) -> bool:
        """Whether a move of the other side is on its way to the board: what was said after it comes after it."""
        mode = self.session.mode
        return mode is Mode.ANIMATING or mode is Mode.THINKING and not self.thinker.is_busy

    def _say_sentence(self) -> None:
        """Say in the message box what there is to say about a line that is there."""
        partner = self.session.partner
        if partner and partner.state == "connected" and not self.session.is_lesson:
            self.session.say(Message.of("say_other", text=partner.sentence))

    def _on_play(self, text: str) -> None:
        """Another game is to be put on the board: 'white game ...', 'none game ...' to watch."""
        side_word, _, line = text.partition(" ")
        game = parse_record(line).game()
        game.headers.update(today())
        self._put_up(game, SIDE_WORDS.index(side_word) if side_word in SIDE_WORDS else None)
        self._say_sentence()

    def _on_draw(self, what: str) -> None:
        """The other side offers a draw or declines one; or an offer has lapsed."""
        partner = self.session.partner
        assert partner is not None
        if what == "offered":
            inform = self.thinker.engine_for(partner.player).inform
            self.dialogs.ask("draw_title", Message("ask_other_draw"), "accept", "decline", partial(inform, "draw"),
                             partial(inform, "nodraw"))
        else:
            self.session.say(Message("say_draw_refused" if what == "declined" else "say_draw_gone"))


#: The kinds of pages that a teacher's own file may hold, and the texts that name them.
OWN_KINDS = {"puzzle": "puzzles", "game": "small_games", "tour": "tour"}


class LessonCommands:
    """The commands that open tour, puzzles and set-up, and lead back to the running game."""

    def __init__(self, session: Session, store: Store, dialogs: "Dialogs", change: Callable[..., None],
                 attempt: Callable[[Move, Optional[Point]], None], play_position: Callable[[Position], None],
                 make_theatre: Callable[[Game, Sequence[Lesson]], Theatre],
                 play_against: Callable[[str], None]) -> None:
        self.session = session
        self.store = store
        self.dialogs = dialogs
        self.change = change
        self.attempt = attempt
        self.play_position = play_position
        self.make_theatre = make_theatre
        self.play_against = play_against

    def commands(self) -> Tuple[Command, ...]:
        """The commands, with their shortcuts."""
        return (Command("tour", self.open_tour, "F2"), Command("puzzles", self.open_puzzles, "F3"),
                Command("small_games", self.open_small_games, "F5"),
                Command("learn_mistakes", self.open_mistakes, "F7"), Command("progress", self.open_progress),
                Command("progress_name", self.ask_name), Command("progress_forget", self.ask_to_forget),
                Command("set_up", self.open_set_up, "F4"), Command("setup_play", self.play_set_up),
                Command("tree", self.open_theatre, "F6"), Command("learning", self.open_learning),
                Command("learning_play", partial(self.play_weights, False)),
                Command("learning_beginner", partial(self.play_weights, True)),
                Command("page_close", self.close), Command("place_learn", self.open_tour),
                Command("place_puzzles", self.open_puzzles))

    def open_tour(self) -> None:
        """Open the tour through the rules."""
        lessons = self._read("tour.agon", "tour")
        if lessons:
            self._open(Tour(lessons, self.attempt, self.store))

    def open_puzzles(self) -> None:
        """Open the puzzles."""
        lessons = self._read("puzzles.agon", "puzzle")
        if lessons:
            self._open(PuzzleBook(lessons, self.attempt, self.store))

    def open_small_games(self) -> None:
        """Open the small games."""
        lessons = self._read("games.agon", "game")
        if lessons:
            self._open(SmallGames(lessons, self.attempt, self.store))

    def own_pages(self, texts: Texts) -> Sequence[Tuple[Optional[str], str]]:
        """A teacher's own files in the classroom, by name; one with several kinds of pages stands there for each."""
        choices: List[Tuple[Optional[str], str]] = []
        for name in own_files():
            kinds = self._kinds(name)
            if len(kinds) > 1:
                choices += [(f"{name}/{kind}", f"{name[:-len('.agon')]}: {texts(OWN_KINDS[kind])}") for kind in kinds]
            else:
                choices.append((name, name[:-len(".agon")]))
        return choices or [(None, texts("no_own_pages"))]

    @staticmethod
    def _kinds(name: str) -> List[str]:
        """The kinds of pages in a file that can be opened."""
        found = {lesson.kind for lesson in read_lessons(name)[0]}
        return [kind for kind in OWN_KINDS if kind in found]

    def open_own(self, choice: str) -> None:
        """Open a teacher's own file: 'mine.agon', or 'mine.agon/game' for one of several kinds of pages in it."""
        name, _, kind = choice.partition("/")
        lessons, error = read_lessons(name)
        kinds = [kind] if kind else self._kinds(name)
        make = {"puzzle": PuzzleBook, "game": SmallGames, "tour": Tour}
        if kinds:
            self._open(make[kinds[0]](lessons, self.attempt, self.store))
        else:
            self.dialogs.tell("menu_learn", error or Message.of("own_pages_empty", name=name))

    def open_mistakes(self) -> None:
        """Look through the running game for mistakes and learn from them."""
        self._open(Mistakes(self.session.running, self.attempt))

    def open_progress(self) -> None:
        """Show what all who learn here have done so far."""
        tour, _error = read_lessons("tour.agon")
        puzzles, _error = read_lessons("puzzles.agon")
        games, _error = read_lessons("games.agon")
        self._open(ProgressPage(
            Game(self.session.game.position), self.store,
            [str(lesson.start) for lesson in tour if lesson.kind == "tour" and lesson.goals],
            [str(lesson.start) for lesson in puzzles if lesson.kind == "puzzle"],
            [SmallGames.key_of(lesson) for lesson in games if lesson.kind == "game"]))

    def ask_name(self) -> None:
        """Ask who learns from now on."""
        self.dialogs.ask_name(self.store.settings.pupil, self._take_name)

    def ask_to_forget(self) -> None:
        """Ask whether the name that is set is to be deleted, with its progress, or what was done without a name."""
        store = self.store
        name, progress = store.settings.pupil, store.progress
        if name or progress != Progress():
            solved = len(progress.pages | progress.solved | progress.helped)
            question = Message.of("ask_forget_name" if name else "ask_forget_nameless", name=name, solved=solved,
                                  games=len(progress.games))
            self.dialogs.ask("progress_forget", question, "delete", "cancel", partial(store.forget, name),
                             is_safe=False)

    def _take_name(self, name: str) -> None:
        self.store.change(pupil=tidy_name(name))

    def open_set_up(self) -> None:
        """Set up a position, beginning with the one on the board."""
        game = self.session.game
        self._open(SetUp(game.position, self.attempt))

    def open_theatre(self) -> None:
        """Open the theatre of minimax, with the position on the board."""
        if not isinstance(self.session.table, Theatre):
            self._open(self.make_theatre(self.session.game, read_lessons("trees.agon")[0]))

    def open_learning(self) -> None:
        """Open the page about how the program has learnt, with the position on the board."""
        if not isinstance(self.session.table, Learning):
            self._open(Learning(self.session.game, self.play_against))

    def play_weights(self, is_beginner: bool) -> None:
        """Begin a game against the numbers of the page about learning."""
        table = self.session.table
        if isinstance(table, Learning):
            table.play_weights(is_beginner)

    def _read(self, name: str, kind: str) -> List[Lesson]:
        """The lessons of a file; when none of them is of this kind, say what is missing."""
        lessons, error = read_lessons(name)
        if any(lesson.kind == kind for lesson in lessons):
            return lessons
        self.dialogs.tell("menu_learn", error or Message("no_classroom"))
        return []

    def _open(self, table: Table) -> None:
        self.store.change(is_new=False)
        self.change(self.session.open, table)

    def play_set_up(self) -> None:
        """Play on from the position that has been set up."""
        table = self.session.table
        if table.is_ready():
            self.play_position(table.position)

    def close(self) -> None:
        """Go back to the running game."""
        if self.session.is_lesson:
            self.change(self.session.close)


class TournamentCommands:
    """The commands of the tournament of a class, which goes on while other things have the board."""

    def __init__(self, session: Session, store: Store, thinker: Thinker, dialogs: "Dialogs", texts: Texts,
                 change: Callable[..., None], load: Callable[[str], None], browse: Callable[[str], bool]) -> None:
        self.session, self.store, self.thinker = session, store, thinker
        self.dialogs, self.texts = dialogs, texts
        self.change, self.load, self.browse = change, load, browse
        self.table: Optional[ClassTournament] = None

    def commands(self) -> Tuple[Command, ...]:
        """The commands; none has a shortcut."""
        return (Command("tournament", self.open), Command("tournament_folder", self.choose_folder),
                Command("tournament_start", self.start), Command("tournament_stop", self.stop),
                Command("tournament_page", self.show_page), Command("tournament_open", self.open_game),
                Command("tournament_new", self.begin_anew))

    @property
    def is_running(self) -> bool:
        """Whether a tournament is being played."""
        return self.table is not None and self.table.is_running

    def open(self) -> None:
        """Open the page: what is being played, or who is to play."""
        self.store.change(is_new=False)
        if self.table is None:
            folder = self.store.settings.tournament_folder
            self.table = ClassTournament(folder if os.path.isdir(folder) else os.path.join(CLASSROOM, "players"))
        elif self.table.tournament is None:
            self.table.look_into(self.table.folder)  # there may be others by now
        self.change(self.session.open, self.table)

    def choose_folder(self) -> None:
        """Ask for the folder of the programs."""
        table = self.table
        folder = self.dialogs.choose_folder(table.folder) if table else ""
        if table and folder and table.tournament is None:
            self.store.change(tournament_folder=folder)
            self.change(table.look_into, folder)

    def start(self) -> None:
        """Begin; page and games get a folder of their own in the user's folder."""
        table, name = self.table, self.texts("tournament_file")
        if table is None or table.tournament is not None:
            return
        folder = user_path(f"{name}-{time.strftime('%Y-%m-%d-%H%M%S')}")
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            self.session.say(Message.of("tournament_no_place", reason=error), is_refusal=True)
            return
        path = os.path.join(folder, f"{name}.html")
        command = (*OWN_PROGRAM, *table.arguments(path, self.texts.language))
        self.change(table.begin, path)
        self.thinker.ask(Asked(Question(Player(program=command, name=self.texts("tournament")), "go infinite"), Game(),
                               self._ended, self._failed, until="tournamentok", on_line=table.hear))

    def _ended(self, _text: str) -> None:
        self._failed(None)

    def _failed(self, failure: Optional[Message]) -> None:
        if self.table:
            self.table.end(failure)
        self.thinker.keep_only(())

    def stop(self) -> None:
        """End the tournament before all has been played."""
        if self.table:
            self.table.stop()
        self.thinker.hurry()

    def show_page(self) -> None:
        """Let the browser show the page."""
        from pathlib import Path  # here, since it would slow the start down
        path = self.table.page_path if self.table else ""
        if path and not self.browse(Path(path).as_uri()):
            self.session.say(Message.of("say_no_browser", name=shown_name(path)))

    def open_game(self) -> None:
        """Let the game that is watched run in the window; the one before is kept."""
        table = self.table
        if table and table.tournament and table.shown in table.tournament.files:
            self.load(table.tournament.files[table.shown])

    def begin_anew(self) -> None:
        """Make ready for another tournament."""
        if self.table and not self.table.is_running:
            self.change(self.table.clear)


def today() -> Dict[str, str]:
    """The headers of a game that begins now."""
    return {"Date": time.strftime("%Y.%m.%d")}


# --- 10. Files -------------------------------------------------------------------

#: An exported game has a diagram after every so many moves.
DIAGRAM_PLIES = 10
#: How long a move waits for the game to be written, and how often the window looks whether a file is.
SAVING_S, SAVING_MS = 0.05, 50


class Files:
    """Everything that leaves or enters the window: game files, the running game, the clipboard, pictures.

    `clipboard` reads the clipboard, or writes what it is given; `adopt` lets
    another game run; `paint` makes a PNG picture of the board.
    """

    def __init__(self, session: Session, store: Store, writer: Writer, jobs: Jobs, dialogs: "Dialogs",
                 texts: Texts, clipboard: Callable[..., str], adopt: Callable[[RunningGame], None],
                 colours: Callable[[], Colours], paint: Callable[[], bytes]) -> None:
        self.session = session
        self.store = store
        self.writer = writer
        self.jobs = jobs
        self.dialogs = dialogs
        self.texts = texts
        self.clipboard = clipboard
        self.adopt = adopt
        self.colours = colours
        self.paint = paint
        name, self._lock = lock_autosave()
        self.autosave_path = user_path(name)
        self.previous_path = user_path(name.replace("autosave", "previous"))
        for path in (self.autosave_path, self.previous_path) if self._lock else ():
            remove_leftovers(path, 0)
        remove_leftovers(user_folder())
        self._previous: Optional[RunningGame] = None

    def commands(self) -> Tuple[Command, ...]:
        """The commands, with their shortcuts."""
        exports = [Command("export_board_png", self.ask_for_png),
                   *(Command(f"export_{what}{how}", partial(self.ask_export, what == "game", bool(how)))
                     for what in ("board", "game") for how in ("", "_print"))]
        return (Command("open", self.ask_open, "Mod-o"), Command("save", self.save, "Mod-s"),
                Command("save_as", self.save_as, "Mod-Shift-s"),
                Command("copy_position", self.copy_position, "Mod-c"),
                Command("copy_game", self.copy_game, "Mod-Shift-c"), Command("paste", self.paste, "Mod-v"),
                Command("progress_export", self.ask_for_csv), *exports)

    def recent(self) -> Sequence[Tuple[Any, str]]:
        """The files opened or saved of late, to choose from."""
        settings = self.store.settings
        names = [(path, f"{os.path.basename(path)}   ({os.path.dirname(path)[-40:]})")
                 for path in settings.recent[:MAX_RECENT]]
        return names or [(None, self.texts("no_recent"))]

    # -- the running game --

    def autosave(self) -> None:
        """Keep the running game, and the one it has replaced, for the next start.

        As a rule it is written when this returns, so that not even a kill loses
        a move; a slow folder is not waited for.
        """
        session = self.session
        self._keep(self.autosave_path, session.running)
        if session.previous is not self._previous:
            self._previous = session.previous
            if session.previous:
                self._keep(self.previous_path, session.previous)
        self.writer.wait(SAVING_S)
        self._watch()

    def _keep(self, path: str, running: RunningGame) -> None:
        """Let a game be written; one that is too long for a file counts as one that cannot be written."""
        try:
            self.writer.put(path, running.text())
        except AgonError as error:
            self.writer.fail(path, error)

    def _watch(self) -> None:
        """Look again until everything is written, so that a failure is seen."""
        if self.writer.is_busy():
            self.jobs.later("saving", SAVING_MS, self._watch)

    def notice(self) -> Optional[Message]:
        """What cannot be saved, as long as that is so."""
        failures = self.writer.failures
        for path, key in ((self.autosave_path, "say_not_kept"), (self.store.path, "say_settings_not_kept"),
                          (self.store.register.path, "say_progress_not_kept")):
            if path in failures:
                return Message.of(key, reason=failures[path])
        return None

    def resume(self, attempt: Callable[[Move, Optional[Point]], None]) -> Optional[RunningGame]:
        """The game that was running when the program last ended; None when there is none to go on with."""
        previous = self._read_kept(self.previous_path, attempt)
        if previous:
            self.session.previous = self._previous = previous
        running = self._read_kept(self.autosave_path, attempt)
        if running is None or not running.game.length or running.game.outcome():
            return None
        return running

    def adopt_orphan(self, attempt: Callable[[Move, Optional[Point]], None]) -> None:
        """Let a game that a second window has left behind be brought back, if there is no other to be brought back."""
        if self.session.previous or self.autosave_path != user_path(AUTOSAVE_NAMES[0]):
            return
        for name in AUTOSAVE_NAMES[1:]:
            path = user_path(name)
            lock = lock_file(path) if os.path.lexists(path) else None
            if lock is None:
                continue
            orphan = self._read_kept(path, attempt)
            if orphan and orphan.game.length and not orphan.game.outcome():
                self.session.previous = self._previous = orphan
                self.session.say(Message("say_orphan"))
                _try_file(os.replace, path, self.previous_path)  # at no moment is the game without a file
            else:
                _try_file(os.remove, path)
            lock.close()
            if self.session.previous:
                return

    def _read_kept(self, path: str, attempt: Callable[[Move, Optional[Point]], None]) -> Optional[RunningGame]:
        """A game kept from last time; one that cannot be read is put aside, and that is said."""
        try:
            running = self._running(Game.load(path), attempt)
        except AgonError as error:
            if error.details.get("number") != errno.ENOENT:  # else there simply is none
                self._put_aside(path, error)
            return None
        # The program that the player has named in the dialog may go on; a game file alone never starts one.
        settings, headers = self.store.settings, running.game.headers
        players = list(running.players)
        for side, name in enumerate(SIDE_HEADERS):
            player = Seat.from_settings(settings, side)._replace(kind="program").player()
            if player.program and player.file_name() == headers.get(name):
                players[side], running.is_paused = player, True
        running.seat(players)
        running.is_paused = running.is_paused or running.clock.is_used  # nobody's time runs before the board is seen
        return running

    def _put_aside(self, path: str, error: AgonError) -> None:
        try:
            name = os.path.basename(set_aside(path))
        except AgonError as failure:
            self.session.say(Message.of("say_not_kept", reason=failure), is_refusal=True)
        else:
            self.session.say(Message.of("say_set_aside", reason=error, name=name), is_refusal=True)

    @staticmethod
    def _running(game: Game, attempt: Callable[[Move, Optional[Point]], None], path: str = "") -> RunningGame:
        """A game from outside with its players; two computers wait until they are told to go on."""
        players = [Player.from_file_name(game.headers.get(name, "")) for name in SIDE_HEADERS]
        return RunningGame(game, players, attempt, path, not any(player.is_person for player in players),
                           Clock.from_headers(game.headers))

    def close(self) -> None:
        """Let another window have this autosave file."""
        if self._lock:
            self._lock.close()

    # -- game files --

    def ask_open(self) -> None:
        """Choose a game file and open it."""
        path = self.dialogs.choose_file("agon")
        if path:
            self.load(path)

    def load(self, path: str) -> None:
        """Open a game file; when it cannot be read, say why and leave the running game alone."""
        path = os.path.abspath(path)
        try:
            game = Game.load(path)
        except AgonError as error:
            self.store.drop("recent", path)
            self.dialogs.tell("open", error)
            return
        remove_leftovers(path)
        if is_own_file(path):
            path = ""  # what is saved gets a name of its own
        else:
            self.store.add("recent", path)
        running = self.session.running
        self.adopt(self._running(game, running.attempt, path))

    def save(self) -> None:
        """Save under the name the game has, or ask for one."""
        session, running = self.session, self.session.running
        if running.path and not session.is_lesson:
            self._write(running.path)
        else:
            self.save_as()

    def save_as(self) -> None:
        """Ask for a name and save."""
        path = self.dialogs.choose_file("agon", for_saving=True, name=self._proposed_name(".agon"))
        if path:
            self._write(path)

    def _proposed_name(self, ending: str) -> str:
        """A file name from the date of the game."""
        session, running = self.session, self.session.running
        date = session.game.headers.get("Date") or time.strftime("%Y.%m.%d")
        name = "" if session.is_lesson else os.path.basename(running.path)
        return name or f"agon-{date.replace('.', '-')}{ending}"

    def _write(self, path: str) -> None:
        running = None if self.session.is_lesson else self.session.running
        try:
            self.put(path, self._text(), partial(self._saved, path, running), self.save_as)
        except AgonError as error:
            self.dialogs.ask("save", error, "save_elsewhere", "cancel", self.save_as)

    def _text(self) -> str:
        """The game on the board as .agon text; AgonError if it is too long for a file."""
        return self.session.table.written(self.texts)

    def put(self, path: str, content: Union[str, bytes], then: Callable[[], None],
            elsewhere: Optional[Callable[[], None]] = None) -> None:
        """Let a file be written and do what follows once it is there; else say why not, and offer another place."""
        if is_own_file(path):
            self._say_why_not(AgonError("own_file").at(path=shown_name(path)), elsewhere)
            return
        self.writer.put(path, content)
        self._await(path, then, elsewhere)

    def _await(self, path: str, then: Callable[[], None], elsewhere: Optional[Callable[[], None]]) -> None:
        self.writer.wait(SAVING_S)
        if self.writer.is_busy(path):
            self.jobs.later(f"writing {path}", SAVING_MS, partial(self._await, path, then, elsewhere))
            return
        error = self.writer.take_failure(path)
        if error:
            self._say_why_not(error, elsewhere)
        else:
            then()

    def _say_why_not(self, error: AgonError, elsewhere: Optional[Callable[[], None]]) -> None:
        """Say why a file has not been written, and offer another place if there may be one."""
        if elsewhere:
            self.dialogs.ask("save", error, "save_elsewhere", "cancel", elsewhere)
        else:
            self.dialogs.tell("export", error)

    def _saved(self, path: str, running: Optional[RunningGame] = None) -> None:
        """Say that a file has been written; the running game may have its name from it."""
        if running:
            running.path = path
            self.store.add("recent", path)
        self.session.say(Message.of("say_saved", name=shown_name(path)))

    # -- pictures --

    def ask_export(self, of_game: bool, for_print: bool) -> None:
        """Ask for a name and write the board, or diagrams of the game, as an SVG picture."""
        path = self._ask_for_picture("svg")
        if path:
            self.export(path, of_game, for_print)

    def ask_for_csv(self) -> None:
        """Ask for a name and write the progress of all as a table for a spreadsheet."""
        path = self.dialogs.choose_file("csv", for_saving=True, name=f"{self.texts('progress').lower()}-agon.csv")
        if path:
            store = self.store
            store.register.look_again()
            table = progress_csv({name: store.progress_of(name) for name in store.names()}, self.texts)
            # Spreadsheets know by the first sign that the text is UTF-8.
            self.put(path, "\ufeff" + table, partial(self._saved, path))

    def ask_for_png(self) -> None:
        """Ask for a name and write the board as it is seen, as a PNG picture."""
        path = self._ask_for_picture("png")
        if path:
            self.put(path, self.paint(), partial(self._saved, path))

    def _ask_for_picture(self, kind: str) -> str:
        name = os.path.splitext(self._proposed_name("." + kind))[0]
        return self.dialogs.choose_file(kind, for_saving=True, name=f"{name}.{kind}")

    def export(self, path: str, of_game: bool, for_print: bool) -> None:
        """Write an SVG picture, or say why that is impossible."""
        game = self.session.game
        plies = list(range(0, game.ply, DIAGRAM_PLIES)) + [game.ply] if of_game else [game.ply]
        diagrams = [self._diagram(game, ply) for ply in plies]
        colours = PRINT if for_print else self.colours()
        settings = self.store.settings
        self.put(path, diagrams_svg(diagrams, colours, settings.flipped), partial(self._saved, path))

    def _diagram(self, game: Game, ply: int) -> Diagram:
        """A position with the move that led to it and who is to move as its caption."""
        turn = self.texts("turn", side=game.positions[ply].turn)
        if ply == 0:
            return Diagram(game.positions[0], turn)
        return Diagram(game.positions[ply], f"{game.numbered(ply - 1)} · {turn}", game.moves[ply - 1])

    # -- clipboard --

    def copy_talk(self, words: str) -> None:
        """Copy what has been said in the conversation."""
        self.clipboard(words)
        self.session.say(Message("say_copied_talk"))

    def copy_position(self) -> None:
        """Copy the position on the board as a line of text."""
        session = self.session
        self.clipboard(str(session.table.position))
        session.say(Message("say_copied_position"))

    def copy_game(self) -> None:
        """Copy the game as the text of a game file."""
        try:
            self.clipboard(self._text())
        except AgonError as error:
            self.dialogs.tell("copy_game", error)
            return
        self.session.say(Message("say_copied_game"))

    def paste(self) -> None:
        """Put the position or game of the clipboard on the board."""
        text, running = self.clipboard(), self.session.running
        try:
            is_position = "/" in text and "[" not in text and "-" not in text
            game = Game(Position.from_text(text), running.game.rules) if is_position else Game.from_text(text)
            if not (game.start.own and game.start.enemy) or not is_position and not (game.length or game.headers):
                raise AgonError("no_game")
        except AgonError as error:
            self.dialogs.tell("paste", error)
            return
        if is_position:
            self.adopt(RunningGame(game, running.players, running.attempt, clock=running.clock.anew()))
        else:
            self.adopt(self._running(game, running.attempt))


class Exercises:
    """Saves what has been set up as an exercise in a file of the classroom, or adds it to one; nothing is replaced.

    `put` writes a file and then does what follows, or offers another place.
    """

    def __init__(self, session: Session, texts: Texts, dialogs: "Dialogs", put: Callable[..., None]) -> None:
        self.session, self.texts, self.dialogs, self.put = session, texts, dialogs, put
        #: What the dialog was told last.
        self.before = Exercise()

    def commands(self) -> Tuple[Command, ...]:
        """The command."""
        return (Command("exercise", self.ask),)

    def ask(self) -> None:
        """Ask what is to be made of the position on the board."""
        before = self.before._replace(name=self.before.name or self.texts("exercise_name"))
        self.dialogs.ask_exercise(before, self.take)

    def take(self, exercise: Exercise) -> None:
        """Save an exercise as it was asked for, or say what is in the way and let it be changed."""
        self.before = exercise
        file_name = self.file_name(exercise.name)
        path = os.path.join(CLASSROOM, file_name)
        table = self.session.table
        problem = exercise.problem(table.position)
        if file_name in SHIPPED_FILES:
            problem = Message.of("exercise_shipped", name=file_name)
        stored, lessons = "", []
        if not problem and os.path.lexists(path):
            try:
                stored = read_text(path).rstrip() + "\n\n"
                lessons = lessons_of(read_games(stored))
            except AgonError as error:
                problem = Message.of("exercise_broken", reason=error.at(path=path))
        if problem:
            self.dialogs.ask("exercise_save", problem, "change_it", "cancel", self.ask)
            return
        number = 1 + sum(lesson.kind == exercise.kind for lesson in lessons)
        text = stored + exercise.text(table.position, number)
        save = partial(self._save, path, text)
        if lessons:
            question = Message.of("ask_append", name=file_name, count=len(lessons))
            self.dialogs.ask("exercise_save", question, "append", "cancel", save)
        else:
            save()

    def file_name(self, name: str) -> str:
        """The name of a file in the classroom, without what a file name cannot hold."""
        tidy = re.sub(r'[\\/:*?"<>|]', "", tidy_name(name)).strip(". ")
        stem = tidy[:-len(".agon")] if tidy.lower().endswith(".agon") else tidy
        return (stem.strip(". ") or self.texts("exercise_name")) + ".agon"

    def _save(self, path: str, text: str) -> None:
        said = partial(self.session.say, Message.of("say_exercise_saved", name=os.path.splitext(shown_name(path))[0]))
        self.put(path, text, said, partial(self._save_elsewhere, path, text))

    def _save_elsewhere(self, path: str, text: str) -> None:
        """The folder takes no file: another place may, from where the file can be carried there."""
        chosen = self.dialogs.choose_file("agon", for_saving=True, name=os.path.basename(path))
        if chosen:
            saved = partial(self.session.say, Message.of("say_saved", name=shown_name(chosen)))
            self.put(chosen, text, saved, partial(self._save_elsewhere, path, text))


class Printer:
    """The pages to print: written into the user's folder, and shown by the browser, which prints them.

    `put` writes a file and then does what follows; `browse` lets the browser
    open an address and says whether there is one.
    """

    def __init__(self, session: Session, store: Store, texts: Texts, dialogs: "Dialogs", put: Callable[..., None],
                 browse: Callable[[str], bool]) -> None:
        self.session, self.store, self.texts, self.dialogs = session, store, texts, dialogs
        self.put, self.browse = put, browse
        self.path = user_path("print.html")

    def commands(self) -> Tuple[Command, ...]:
        """The command that gathers positions; what can be printed is a menu."""
        return (Command("gather", self.gather),)

    @property
    def gathered(self) -> Tuple[str, ...]:
        """The gathered positions as texts, the last one first."""
        return self.store.settings.gathered

    def choices(self) -> Sequence[Tuple[str, str]]:
        """What can be printed, and what it is called."""
        texts, count = self.texts, len(self.gathered)
        themes = [(f"theme {lesson.theme}", texts("print_puzzles", title=lesson.title[texts.language]))
                  for lesson in read_lessons("puzzles.agon")[0] if lesson.kind == "theme"]
        gathered = [("gathered", texts("print_gathered", count=count)), ("forget", texts("forget_gathered"))]
        return [("rules", texts("print_rules")), ("game", texts("print_game")), ("board", texts("print_board")),
                *themes, *(gathered if count else ())]

    def choose(self, choice: str) -> None:
        """Print what has been chosen."""
        if choice == "forget":
            count = len(self.gathered)
            self.dialogs.ask("gather", Message.of("ask_forget", count=count), "forget", "cancel", self._forget,
                             is_safe=False)
            return
        name = "rules.agon" if choice == "rules" else "puzzles.agon" if choice.startswith("theme ") else ""
        lessons, error = read_lessons(name) if name else ([], None)
        if name and not lessons:
            self.dialogs.tell("print", error or Message("no_classroom"))
            return
        self.put(self.path, self._pages(choice, lessons), self._show)

    def _pages(self, choice: str, lessons: Sequence[Lesson]) -> str:
        """The pages as HTML."""
        texts, language = self.texts, self.texts.language
        if choice == "rules":
            return rules_sheet(lessons, language)
        if choice == "board":
            return board_sheet(language)
        if choice == "game":
            game = self.session.game
            outcome = game.outcome()
            ending = texts(f"end_{outcome.reason.name}") if outcome else ""
            return game_sheet(game, board_plies(game), language, ending)
        if choice == "gathered":
            tasks = position_tasks(self._gathered(), language)
            return puzzle_sheet(tasks, language, texts("gathered_title"))
        theme = choice.split()[1]
        return puzzle_sheet(puzzle_tasks([lesson for lesson in lessons if lesson.theme == theme], language), language)

    def _gathered(self) -> List[Position]:
        """The gathered positions, the oldest first, as far as they can be read."""
        positions = []
        for text in reversed(self.gathered):
            with contextlib.suppress(AgonError):
                positions.append(Position.from_text(text))
        return positions

    def _show(self) -> None:
        from pathlib import Path  # here, since it would slow the start down
        if self.browse(Path(self.path).as_uri()):
            self.session.say(Message("say_printing"))
        else:
            self.session.say(Message.of("say_no_browser", name=shown_name(self.path)))

    def gather(self) -> None:
        """Keep the position on the board for a sheet of positions."""
        self.store.add("gathered", str(self.session.table.position))
        self.session.say(Message.of("say_gathered", count=len(self.gathered)))

    def _forget(self) -> None:
        for text in self.gathered:
            self.store.drop("gathered", text)


# --- 11. Look --------------------------------------------------------------------

class Theme(NamedTuple):
    """The colours of the window."""

    window: str
    panel: str
    list: str
    zebra: str
    text: str
    quiet_text: str
    disabled_text: str
    #: The border of what can be clicked, and a line that only adorns.
    border: str
    hairline: str
    #: The cells by ring, from the throne (0) outwards.
    rings: Tuple[str, str, str, str, str, str]
    star: str
    #: The joints between the cells; the plate they lie on: face, rim, hairline, letters.
    edge: str
    frame: str
    frame_rim: str
    frame_hairline: str
    letters: str
    #: May be done now; the last move; trapped pieces and the cells that forbid a move; the best so far.
    allowed: str
    recent: str
    forbidden: str
    gold: str
    #: Text on the four colours before.
    on_colour: str
    #: Tinted boxes: what may be done, what is wrong, what is to be celebrated.
    good_tint: str
    bad_tint: str
    gold_tint: str
    #: How much light lies on the upper edges of cells; 0 means a board without any light, shade and tints.
    shine: float
    #: What lies thinly round a mark, so that it can be told from the cell.
    halo: str
    #: A game that is won: throne and ring 1 shine, the other rings grow dark; a contour is dark with a light line in
    #: it.
    shining: Tuple[str, str]
    dimming: str
    contour: Tuple[str, str]
    #: White's and Black's pieces: lit side, shaded side, rim, ring, crown.
    white: PieceColours
    black: PieceColours


LIGHT = Theme(
    window="#f1ece1", panel="#fbf9f4", list="#fffdf9", zebra="#f6f1e6", text="#26221c", quiet_text="#6a5b45",
    disabled_text="#8c7f69", border="#948567", hairline="#ddd4c2",
    rings=("#dba842", "#f4e9cd", "#d3bb8d", "#f0e4c6", "#d8c398", "#efe3c6"),
    star="#74500b", edge="#6f5940", frame="#5a4632", frame_rim="#3f2f20", frame_hairline="#a98a54", letters="#e2d3b3",
    allowed="#14663b", recent="#87400d", forbidden="#a3241c", gold="#7d560c", on_colour="#ffffff",
    good_tint="#e6ece3", bad_tint="#f4e8e3", gold_tint="#f5e9d0",
    shine=0.35, halo="#fff6ee", shining=("#f3c04e", "#ffe6a0"), dimming="#5c3a12", contour=("#5c3d06", "#ffd769"),
    white=PieceColours("#ffffff", "#d9d2c1", "#68563c", "#86713f", "#95660c"),
    black=PieceColours("#4d5262", "#1d1f27", "#101116", "#a6adc2", "#e6ba52"))

DARK = Theme(
    window="#24221e", panel="#2d2a25", list="#332f29", zebra="#38342d", text="#efe8da", quiet_text="#b3a58c",
    disabled_text="#8d8472", border="#8f8570", hairline="#4a4439",
    rings=("#855a12", "#5d523e", "#40382a", "#584d3a", "#3d3528", "#554a38"),
    star="#f0c25c", edge="#1b1811", frame="#14110d", frame_rim="#060504", frame_hairline="#6b5a3a", letters="#b3a58c",
    allowed="#7cf0b0", recent="#ffb35c", forbidden="#ffa69d", gold="#f0c25c", on_colour="#14110d",
    good_tint="#30392f", bad_tint="#43302b", gold_tint="#41372a",
    shine=0.1, halo="#14110d", shining=("#7a5416", "#75581f"), dimming="#14110d", contour=("#ffd769", "#5c3d06"),
    white=PieceColours("#ffffff", "#d3cbb9", "#4a4130", "#7d6a3e", "#8a5f0a"),
    black=PieceColours("#343844", "#0f1014", "#c6cbdc", "#a3aac0", "#f0c25c"))

CONTRAST = Theme(
    window="#ffffff", panel="#ffffff", list="#ffffff", zebra="#f2f2f2", text="#000000", quiet_text="#333333",
    disabled_text="#6b6b6b", border="#000000", hairline="#808080",
    rings=("#ffd84d", "#ffffff", "#b5b5b5", "#ffffff", "#b5b5b5", "#ffffff"),
    star="#5c4300", edge="#000000", frame="#000000", frame_rim="#000000", frame_hairline="#ffffff", letters="#ffffff",
    allowed="#00407f", recent="#000000", forbidden="#8f1d00", gold="#5c4300", on_colour="#ffffff",
    good_tint="#ffffff", bad_tint="#ffffff", gold_tint="#ffffff",
    shine=0.0, halo="#ffffff", shining=("#ffd84d", "#ffffff"), dimming="#000000", contour=("#000000", "#ffffff"),
    white=PieceColours("#ffffff", "#f2f2f2", "#000000", "#000000", "#000000"),
    black=PieceColours("#1a1a1a", "#000000", "#000000", "#ffffff", "#ffffff"))

class CodeColours(NamedTuple):
    """The colours of the source in the theatre, the same in all themes; the line that works now lies on `live`."""

    ground: str = "#2b2924"
    text: str = "#f3ede0"
    number: str = "#a89f8c"
    live: str = "#f0cf7a"
    on_live: str = "#26221c"


CODE = CodeColours()
#: Text on boxes in the colours of White's and of Black's pieces.
ON_PIECES = ("#26221c", "#ffffff")

THEMES = {"light": LIGHT, "dark": DARK, "contrast": CONTRAST}
#: Fonts of the window as shares of the system's text, and those that are bold.
FONTS = {"small": 0.93, "struck": 0.93, "strong": 0.93,
         "body": 1.0, "bold": 1.0, "lead": 1.14, "name": 1.14, "heading": 1.29, "title": 1.71}
BOLD_FONTS = ("strong", "bold", "name", "heading", "title")
#: Text is never smaller than this share of the screen's height: 4K screens do not always say what they are.
SCREEN_TEXT_LINES = 90
#: Text is never so large that the screen holds fewer lines of it: the dialogs need as many.
LINES_ON_SCREEN = 27
#: On a screen that is larger than this (pixels) and filled by the window, text and panel grow with it.
FULL_WIDTH, FULL_HEIGHT = 1280, 900
#: What stands between twins, between buttons, and between groups (pixels).
NEAR, APART, GROUP = 6, 12, 20

RGB = Tuple[int, int, int]


def rgb(text: str) -> RGB:
    """The three bytes of a colour such as '#d9a441'."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def mix(first: str, second: str, share: float) -> str:
    """The colour between two, `share` (0 to 1) of the way to the second."""
    return "#%02x%02x%02x" % tuple(round(a + (b - a) * share) for a, b in zip(rgb(first), rgb(second)))


#: Pixels of a row that are covered by the same share: the row, the first one, the one behind the last, the share.
Span = Tuple[int, int, int, float]
#: The same without the row.
Stretch = Tuple[int, int, float]


@functools.lru_cache(maxsize=64)
def spans_of(outlines: Tuple[Tuple[Point, ...], ...], left: int, top: int, height: int, lines: int) -> Sequence[Span]:
    """What polygons cover of the pixels; their origin lies `left` and `top` from the upper left corner.

    Each row of pixels is sampled along some lines; two polygons that overlap leave a hole (the even-odd rule).
    Many pictures differ in their colours only: at the start of the program nearly half of the spans are known.
    """
    edges = [(x1, y1, x2, y2) if y1 < y2 else (x2, y2, x1, y1)
             for points in outlines for (x1, y1), (x2, y2) in zip(points, (*points[1:], points[0]))]
    first_row = max(0, int(min(edge[1] for edge in edges) + top))
    last_row = min(height, int(max(edge[3] for edge in edges) + top) + 1)
    crossings: List[List[float]] = [[] for _ in range((last_row - first_row) * lines)]
    for x1, y1, x2, y2 in edges:
        first = max(0, math.ceil((y1 + top - first_row) * lines - 0.5))
        last = min(len(crossings), math.ceil((y2 + top - first_row) * lines - 0.5))
        if first < last:
            slope = (x2 - x1) / (y2 - y1)
            x = x1 + left + slope * ((first + 0.5) / lines + first_row - top - y1)
            for i in range(first, last):
                crossings[i].append(x)
                x += slope / lines
    spans: List[Span] = []
    here: Sequence[List[float]] = ()
    stretches: List[Stretch] = []
    for row in range(first_row, last_row):
        above, here = here, crossings[(row - first_row) * lines:(row - first_row + 1) * lines]
        if here != above:  # between upright edges all rows are the same
            stretches = list(_stretches(here))
        spans += [(row, begin, end, cover) for begin, end, cover in stretches]
    return spans


def _stretches(crossings: Sequence[Sequence[float]]) -> Iterator[Stretch]:
    """What is covered of a row between the crossings along each of its lines."""
    #: By how much each pixel is covered more than the one before it, and what the ends of spans add to one pixel.
    rises: Dict[int, float] = {}
    share = 1 / len(crossings)
    for line in map(sorted, crossings):
        for begin, end in zip(line[::2], line[1::2]):
            for x, sign in ((begin, share), (end, -share)):
                column = int(x)
                part = sign * (column + 1 - x)
                rises[column] = rises.get(column, 0) + part
                rises[column + 1] = rises.get(column + 1, 0) + sign - part
    cover, columns = 0.0, sorted(rises)
    for begin_column, end_column in zip(columns, columns[1:]):
        cover += rises[begin_column]
        if cover > 0.002:
            yield begin_column, end_column, cover


class Raster:
    """A picture with an alpha channel, painted by coverage so that its edges are smooth.

    Its origin is its middle, so all shapes are given by where they lie around it (pixels).
    """

    def __init__(self, reach_x: float, reach_y: float = 0.0, background: str = "") -> None:
        self.x, self.y = math.ceil(reach_x), math.ceil(reach_y or reach_x)
        self.width, self.height = 2 * self.x, 2 * self.y
        row = bytearray((*rgb(background), 255) * self.width) if background else bytearray(4 * self.width)
        self.rows = [bytearray(row) for _ in range(self.height)]

    def blend(self, column: int, row_number: int, colour: Sequence[int], alpha: float) -> None:
        """Lay a colour over one pixel (Porter and Duff's "over")."""
        if not 0 <= column < self.width:
            return
        row, at = self.rows[row_number], 4 * column
        if not row[at + 3]:
            row[at:at + 4] = bytes((*colour[:3], int(alpha * 255 + 0.5)))
            return
        share = alpha
        if row[at + 3] < 255:
            total = alpha + row[at + 3] / 255 * (1 - alpha)
            share = alpha / total
            row[at + 3] = int(total * 255 + 0.5)
        parts = int(share * 256 + 0.5)
        row[at] += (colour[0] - row[at]) * parts >> 8
        row[at + 1] += (colour[1] - row[at + 1]) * parts >> 8
        row[at + 2] += (colour[2] - row[at + 2]) * parts >> 8

    def _strip(self, lit: str, shaded: str, opacity: float, begin: float, length: float) -> bytes:
        """The colours by column + row: light falls from the upper left, so every row of it is a slice of one strip."""
        alpha, pixels = int(255 * opacity + 0.5), self.width + self.height
        if not shaded:
            return bytes((*rgb(lit), alpha)) * pixels
        (r, g, b), (r2, g2, b2) = rgb(lit), rgb(shaded)
        strip = bytearray()
        for i in range(pixels):
            share = min(max((i - begin) / length, 0), 1)
            strip += bytes((int(r + (r2 - r) * share), int(g + (g2 - g) * share), int(b + (b2 - b) * share), alpha))
        return bytes(strip)

    def _lay(self, strip: bytes, row_number: int, begin: int, end: int, cover: float) -> None:
        """Lay a part of a row; what is covered wholly by an opaque colour is one slice."""
        begin, end = max(0, begin), min(self.width, end)
        if begin >= end:
            return
        alpha = cover * strip[3] / 255
        if alpha > 0.996:
            self.rows[row_number][4 * begin:4 * end] = strip[4 * (begin + row_number):4 * (end + row_number)]
            return
        for column in range(begin, end):
            at = 4 * (column + row_number)
            self.blend(column, row_number, strip[at:at + 3], alpha)

    def disc(self, x: float, y: float, radius: float, lit: str, shaded: str = "", opacity: float = 1.0,
             softness: float = 1.0) -> None:
        """A disc lit from the upper left; its edge fades over `softness` pixels."""
        x, y = x + self.x, y + self.y
        strip = self._strip(lit, shaded, opacity, x + y - 1.5 * radius, 3 * radius)
        outer, inner = radius + softness / 2, max(radius - softness / 2, 0)
        for row_number in range(max(0, int(y - outer)), min(self.height, int(y + outer) + 1)):
            dy = row_number + 0.5 - y
            if abs(dy) >= outer:
                continue
            reach, solid = math.sqrt(outer * outer - dy * dy), math.sqrt(max(0.0, inner * inner - dy * dy))
            begin = math.ceil(x - solid)
            end = max(begin, int(x + solid))
            self._lay(strip, row_number, begin, end, 1.0)
            for column in (*range(int(x - reach), begin), *range(end, int(x + reach) + 1)):
                cover = (outer - math.hypot(column + 0.5 - x, dy)) / softness
                if cover > 0:
                    self._lay(strip, row_number, column, column + 1, min(cover, 1))

    def fill(self, outlines: Sequence[Sequence[Point]], lit: str, shaded: str = "", lines: int = 4) -> None:
        """Fill polygons, each row of pixels sampled along some lines; two that overlap leave a hole (even-odd rule)."""
        strip = self._strip(lit, shaded, 1.0, 0, self.width + self.height)
        for row_number, begin, end, cover in spans_of(tuple(map(tuple, outlines)), self.x, self.y, self.height, lines):
            self._lay(strip, row_number, begin, end, cover)

    def stroke(self, points: Sequence[Point], width: float, colour: str) -> None:
        """A line along some points, as thin quads with round joints."""
        for (x1, y1), (x2, y2) in zip(points, points[1:]):
            length = math.hypot(x2 - x1, y2 - y1) or 1.0
            dx, dy = (y2 - y1) / length * width / 2, (x1 - x2) / length * width / 2
            self.fill([((x1 + dx, y1 + dy), (x2 + dx, y2 + dy), (x2 - dx, y2 - dy), (x1 - dx, y1 - dy))], colour)
        for x, y in points[1:-1]:
            self.disc(x, y, width / 2, colour)

    def lay(self, other: "Raster", places: Sequence[Tuple[int, int]]) -> None:
        """Lay another picture over this one, its middle at each of these places."""
        #: By row of the other: its opaque middle, which is one slice, and the pixels that have to be blended.
        rows = []
        for row in other.rows:
            alphas = row[3::4]
            begin, end = max(0, alphas.find(255)), alphas.rfind(255) + 1
            if alphas.count(255) < end - begin:  # hollow
                begin = end = 0
            rows.append((begin, end, row[4 * begin:4 * end],
                         [(column, row[4 * column:4 * column + 3], alphas[column] / 255)
                          for column in (*range(begin), *range(end, other.width)) if alphas[column]]))
        for x, y in places:
            left, top = x + self.x - other.x, y + self.y - other.y
            for row_number, (begin, end, middle, around) in enumerate(rows, top):
                self.rows[row_number][4 * (left + begin):4 * (left + end)] = middle
                for column, colour, alpha in around:
                    self.blend(left + column, row_number, colour, alpha)

    def fade(self, opacity: float) -> None:
        """Make all of it more transparent."""
        table = bytes(int(alpha * opacity + 0.5) for alpha in range(256))
        for row in self.rows:
            row[3::4] = row[3::4].translate(table)

    def doubled(self) -> "Raster":
        """The same picture twice as large, for soft light that needs no sharpness."""
        double = Raster(2 * self.x, 2 * self.y)
        for row_number, row in enumerate(self.rows):
            for i in range(8):
                double.rows[2 * row_number][i::8] = row[i % 4::4]
            double.rows[2 * row_number + 1] = bytearray(double.rows[2 * row_number])
        return double

    def widen(self, pixels: int) -> None:
        """Repeat the middle column and the middle row so often; what lies around them stays as it is."""
        left = 4 * self.x
        self.rows = [row[:left] + row[left:left + 4] * pixels + row[left:] for row in self.rows]
        self.rows[self.y:self.y] = [self.rows[self.y]] * pixels
        self.width += pixels
        self.height += pixels

    def png(self) -> bytes:
        """The picture as a PNG file (source: the PNG specification, sections 5 and 11)."""
        def chunk(kind: bytes, data: bytes) -> bytes:
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 6, 0, 0, 0)
        data = b"".join(b"\0" + row for row in self.rows)
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                + chunk(b"IDAT", zlib.compress(data, 1)) + chunk(b"IEND", b""))

    def ppm(self) -> bytes:
        """An opaque picture as a portable pixmap: packed and read ten times as fast as a PNG file of a whole board."""
        data = bytearray(3 * self.width * self.height)
        pixels = b"".join(self.rows)
        for i in range(3):
            data[i::3] = pixels[i::4]
        return b"P6 %d %d 255\n" % (self.width, self.height) + data


# -- the board and its pieces --

#: How far the plate's shadow reaches, and by how much it lies lower (pixels).
SHADOW, SHADOW_LOWER = 7, 6
#: The cream that lies round marks, so that they can be seen on pieces too: 7.3:1 on black ones.
HALO = "#fff6ee"
#: Shares of a cell's radius: hexagon marks, arrival, ghost, dots, bars, and the way of the last move.
MARK, ARRIVED, GHOST, DOT, BAR = 0.86, 0.90, 0.54, 0.19, 0.15
WAY_FROM, WAY_TO, WAY_WIDTH, HEAD = 0.60, 0.71, 0.11, 0.30


def _pairs(points: Sequence[Point]) -> List[float]:
    """Points as x, y, x, y, ..."""
    return [coordinate for point in points for coordinate in point]


def _scaled(shape: Sequence[Point], scale: Point, share: float = 1.0, lower: float = 0.0) -> List[Point]:
    """A shape given in cell radii, in pixels."""
    return [(x * scale[0] * share, (y * share + lower) * scale[1]) for x, y in shape]


def paint_cell(scale: Point, face: str, edge: str, shine: float, star: str = "") -> Raster:
    """A cell: its half of the joints, an edge that catches the light, the face, and on the throne a star."""
    raster = Raster(scale[0] + 1, scale[1])
    inner = 1 - max(0.033, 0.9 / scale[0])
    raster.fill([_scaled(HEXAGON, scale, 1.01)], edge)
    raster.fill([_scaled(HEXAGON, scale, inner)], mix(face, "#ffffff", shine))
    raster.fill([_scaled(HEXAGON, scale, inner - 0.022, 0.022)], face)
    if star:
        raster.fill([_scaled(triangle, scale) for triangle in STAR], star)
    return raster


def paint_board(scale: Point, theme: Theme) -> Raster:
    """The board without pieces and letters: a soft shadow, the plate with its light and its hairline, the cells."""
    layout = Layout(scale[0], 0, 0, stretch=scale[1] / scale[0])
    reach_x, reach_y = PLATE_WIDTH / 2 * scale[0] + SHADOW, PLATE_HEIGHT / 2 * scale[1] + SHADOW + SHADOW_LOWER
    shadow = Raster(reach_x / 2, reach_y / 2, theme.window)
    for step in range(-SHADOW, SHADOW, 2):
        points = [(x / 2, (y + SHADOW_LOWER) / 2) for x, y in layout.plate(step / scale[0])]
        shadow.fill([points], mix(theme.window, theme.frame_rim, 0.02 * (step + SHADOW + 2)), lines=1)
    raster = shadow.doubled()
    raster.fill([layout.plate()], theme.frame_rim)
    raster.fill([layout.plate(1.5 / scale[0])], mix(theme.frame, "#ffffff", 0.1), mix(theme.frame, "#000000", 0.12))
    half = 0.65 / scale[0]
    raster.fill([layout.plate(0.14 - half), layout.plate(0.14 + half)], theme.frame_hairline)
    tiles = [paint_cell(scale, face, theme.edge, theme.shine, "" if ring else theme.star)
             for ring, face in enumerate(theme.rings)]
    for ring, tile in enumerate(tiles):
        centres = [layout.centre(cell) for cell in CELLS if RING[cell] == ring]
        raster.lay(tile, [(round(x), round(y)) for x, y in centres])
    return raster


def _paint_shapes(raster: Raster, shapes: Sequence[Any], radius: float, colours: PieceColours) -> None:
    """Paint some shapes of a piece into the middle of a picture."""
    for shape in shapes:
        if not isinstance(shape, Disc):
            raster.fill([_scaled(shape.points, (radius, radius))], getattr(colours, shape.paint))
            continue
        light = {"face": (colours.lit, colours.shaded), "dish": (mix(colours.lit, colours.shaded, 0.6), colours.lit)}
        lit, shaded = light.get(shape.paint) or (getattr(colours, shape.paint), "")
        raster.disc(shape.x * radius, shape.y * radius, shape.radius * radius, lit, shaded)


@functools.lru_cache(maxsize=2)
def _blank_piece(diameter: int, colours: PieceColours) -> Raster:
    """A piece of which the kind cannot be seen yet, with its shadow: the same for guards and queens."""
    radius = diameter / 2
    raster = Raster(1.25 * radius)
    raster.disc(0.06 * radius, 0.12 * radius, 0.97 * radius, "#20150a", opacity=0.5, softness=max(2, 0.32 * radius))
    _paint_shapes(raster, PIECE_SHAPES, radius, colours)
    return raster


def paint_piece(diameter: int, colours: PieceColours, is_queen: bool, crown: float = 1.0) -> Raster:
    """A piece: a hollow disc with a ring for a guard, with a crown (so much larger than usual) for a queen."""
    raster = copy.deepcopy(_blank_piece(diameter, colours))
    _paint_shapes(raster, QUEEN_SHAPES if is_queen else GUARD_SHAPES, diameter / 2 * crown, colours)
    return raster


# -- sprites on the board: `scale` is the radius of a cell along x and y --

def paint_board_piece(scale: Point, colours: PieceColours, is_queen: bool, crown: float) -> Raster:
    """A piece in the size of a cell."""
    return paint_piece(max(8, round(scale[0] * PIECE_DIAMETER)), colours, is_queen, crown)


def paint_dot(scale: Point, share: float, colour: str, halo: str = "") -> Raster:
    """The dot on a cell where a piece may go, which opens from a share of its size."""
    radius = max(3.0, DOT * scale[0]) * share
    raster = Raster(radius + 4)
    if halo:
        raster.disc(0, 0, radius + 3, halo)
    raster.disc(0, 0, radius, colour)
    return raster


def paint_ring(diameter: int, line: str, fill: str, halo: str = "") -> Raster:
    """A small disc with an outline; on request with a ring round it."""
    radius = diameter / 2
    raster = Raster(radius + (4 if halo else 1))
    if halo:
        raster.disc(0, 0, radius + 3.5, line)
        raster.disc(0, 0, radius + 1.5, halo)
    raster.disc(0, 0, radius, line)
    raster.disc(0, 0, radius - 1.5, fill)
    return raster


def paint_small_board(radius: float, theme: Theme) -> Raster:
    """The board in small, its rings as hexagons without joints; `radius` is that of a cell in pixels."""
    raster = Raster(6.3 * ROOT3 * radius)
    for ring, colour in ((5.75, theme.frame), *((ring + 0.5, theme.rings[ring]) for ring in range(RADIUS, -1, -1))):
        reach = ring * ROOT3 * radius
        raster.fill([[(reach * x, reach * y) for x, y in ((0, -1), (ROOT3 / 2, -0.5), (ROOT3 / 2, 0.5), (0, 1),
                                                          (-ROOT3 / 2, 0.5), (-ROOT3 / 2, -0.5))]], colour)
    return raster


def paint_small_piece(radius: float, colours: PieceColours, is_queen: bool) -> Raster:
    """A piece on the board in small; a queen has a dot of gold."""
    raster = Raster(radius + 1)
    raster.disc(0, 0, radius, colours.rim)
    raster.disc(0, 0, radius - max(0.8, 0.16 * radius), colours.lit)
    if is_queen:
        raster.disc(0, 0, 0.62 * radius, colours.rim)
        raster.disc(0, 0, 0.5 * radius, colours.crown)
    return raster


def paint_hexagon(scale: Point, colour: str, share: float, width: float, halo: str) -> Raster:
    """A hexagon as a mark on a cell: a line (its width in cell radii) between two thin ones."""
    raster = Raster(scale[0], scale[1])
    for paint, half in ((halo, width / 2 + 1.2 / scale[0]), (colour, width / 2)):
        raster.fill([_scaled(HEXAGON, scale, share + half), _scaled(HEXAGON, scale, share - half)], paint)
    return raster


def paint_cursor(scale: Point, colour: str) -> Raster:
    """The cursor of the keyboard: a dashed hexagon."""
    raster = Raster(scale[0], scale[1])
    corners = _scaled(HEXAGON, scale, 0.95)
    for dash in dashes([*corners, corners[0]], 0.2 * scale[0], 0.13 * scale[0]):
        raster.stroke(dash, 0.09 * scale[0], colour)
    return raster


def paint_cross(scale: Point, colour: str, halo: str) -> Raster:
    """The cross on a cell that forbids a move."""
    raster = Raster(0.5 * scale[0])
    raster.fill([_scaled(CROSS, scale, 1.2)], halo)
    raster.fill([_scaled(CROSS, scale)], colour)
    return raster


def paint_ghost(scale: Point, colours: PieceColours, is_queen: bool, rim: str) -> Raster:
    """Where a piece has come from: a pale smaller one with a dashed rim."""
    radius = GHOST * scale[0]
    raster = Raster(radius + 0.1 * scale[0])
    _paint_shapes(raster, PIECE_SHAPES + (QUEEN_SHAPES if is_queen else GUARD_SHAPES), radius, colours)
    raster.fade(0.36)
    circle = [(radius * math.cos(math.tau * i / 72), radius * math.sin(math.tau * i / 72)) for i in range(73)]
    for dash in dashes(circle, 0.16 * scale[0], 0.125 * scale[0]):
        raster.stroke(dash, 0.065 * scale[0], rim)
    return raster


def paint_bar(scale: Point, captor: Point, share: float, colour: str) -> Raster:
    """The bar through a trapped piece from one captor to the other, with a pin on each.

    `captor` is where one of them lies, seen from the trapped piece (pixels); a share below 1 is a bar that still grows.
    """
    x, y = captor
    size = scale[0]
    raster = Raster(abs(x) + 0.3 * size, abs(y) + 0.3 * size)
    for paint, width, pin in ((HALO, 1.8 * BAR, 0.26), (colour, BAR, 0.19)):
        for sign in (1, -1):
            begin = (sign * x, sign * y)
            raster.stroke([begin, (begin[0] * (1 - share), begin[1] * (1 - share))], width * size, paint)
            raster.disc(*begin, pin * size, paint)
    return raster


def paint_way(scale: Point, points: Tuple[Point, ...], width: float, colour: str, is_dashed: bool) -> Raster:
    """An arrow along some points (pixels); its width is in cell radii."""
    size = scale[0]
    head = HEAD / WAY_WIDTH * width * size
    raster = Raster(max(abs(x) for x, _ in points) + head, max(abs(y) for _, y in points) + head)
    (x1, y1), (x2, y2) = points[-2:]
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    neck = (x2 - 0.9 * head * dx, y2 - 0.9 * head * dy)
    line = [point for point in points if math.dist(point, points[-1]) > head] + [neck]
    for dash in dashes(line, 1.6 * width * size, 1.1 * width * size) if is_dashed else [line]:
        raster.stroke(dash, width * size, colour)
    raster.fill([((x2, y2), (x2 - head * dx + 0.55 * head * dy, y2 - head * dy - 0.55 * head * dx),
                  (x2 - head * dx - 0.55 * head * dy, y2 - head * dy + 0.55 * head * dx))], colour)
    return raster


def dashes(points: Sequence[Point], on: float, off: float) -> List[List[Point]]:
    """The parts of a line that are drawn when it is dashed."""
    parts: List[List[Point]] = []
    left, is_on = on, True
    part = [points[0]]
    for begin, end in zip(points, points[1:]):
        length, done = math.dist(begin, end), 0.0
        while length - done > left:
            done += left
            share = done / length
            turn = (begin[0] + (end[0] - begin[0]) * share, begin[1] + (end[1] - begin[1]) * share)
            if is_on:
                parts.append([*part, turn])
            part, is_on = [turn], not is_on
            left = on if is_on else off
        left -= length - done
        part.append(end)
    return parts + [part] if is_on and len(part) > 1 else parts


def paint_contour(scale: Point, dark: str, light: str) -> Raster:
    """The line round the seven cells of the picture that has won."""
    layout = Layout(scale[0], 0, 0, stretch=scale[1] / scale[0])
    corners = {(round(x, 3), round(y, 3)) for cell in WINNING_CELLS
               for x, y in zip(layout.corners(cell)[::2], layout.corners(cell)[1::2])}
    outer = sorted((point for point in corners if math.hypot(*point) > 1.5 * scale[0]),
                   key=lambda point: math.atan2(point[1], point[0]))
    raster = Raster(2.9 * scale[0])
    for width, colour in ((0.22, dark), (0.105, light)):
        raster.stroke([*outer, *outer[:2]], width * scale[0], colour)
    return raster


#: The light round the throne when a game is won.
GLOW_COLOUR = "#ffd769"


def paint_glow(scale: Point, share: float, colour: str) -> Raster:
    """Soft light round the throne; painted at half its size, since it needs no sharpness."""
    radius = 2 * scale[0] * share
    raster = Raster(radius + 1)
    raster.disc(0, 0, 0.81 * radius, colour, opacity=0.65, softness=0.38 * radius)
    return raster.doubled()


def paint_rays(scale: Point, colour: str) -> Raster:
    """Twelve rays round the queen that has won."""
    raster = Raster(0.95 * scale[0])
    for i in range(12):
        x, y = math.cos(math.tau * (i + 0.5) / 12) * scale[0], math.sin(math.tau * (i + 0.5) / 12) * scale[0]
        raster.stroke([(0.75 * x, 0.75 * y), (0.87 * x, 0.87 * y)], 0.05 * scale[0], colour)
    return raster


# -- the panel --

def _rounded(x: float, y: float, radius: float) -> List[Point]:
    """The outline of a rectangle with round corners that reaches so far from its middle."""
    return [(corner_x + radius * math.cos(math.radians(angle)), corner_y + radius * math.sin(math.radians(angle)))
            for corner_x, corner_y, start in ((x - radius, y - radius, 0), (radius - x, y - radius, 90),
                                              (radius - x, radius - y, 180), (x - radius, radius - y, 270))
            for angle in range(start, start + 91, 15)]


def paint_chip(width: int, height: int, radius: float, colour: str) -> Raster:
    """A rectangle with round corners."""
    raster = Raster(width / 2, height / 2)
    raster.fill([_rounded(width / 2, height / 2, radius)], colour)
    return raster


BOX_SIZE, BOX_RADIUS, BAR_WIDTH = 32, 9, 5
#: Tk fills the middle of a box with copies of the picture's middle: a larger middle needs fewer of them.
BOX_MIDDLE = 96


def paint_box(ground: str, fill: str, border: str = "", bar: str = "", focus: str = "") -> Raster:
    """A box with round corners that can be stretched; on request with a coloured bar at its left or a focus ring.

    It is opaque, for the ground it lies on: a picture with smooth edges asks the
    screen what is below it, each time that it is drawn and for each copy of its middle.
    """
    half = BOX_SIZE / 2
    raster = Raster(half, background=ground)
    if focus:
        raster.fill([_rounded(half, half, BOX_RADIUS)], focus)
        raster.fill([_rounded(half - 2, half - 2, BOX_RADIUS - 2)], fill)
    elif bar:
        outline = _rounded(half, half, BOX_RADIUS - 3)
        raster.fill([outline], fill)
        edge = BAR_WIDTH - half
        raster.fill([[(edge, half), *((min(x, edge), y) for x, y in outline if x < 0), (edge, -half)]], bar)
    else:
        raster.fill([_rounded(half - 1, half - 1, BOX_RADIUS)], border or fill)
        raster.fill([_rounded(half - 2.2, half - 2.2, BOX_RADIUS - 1.2)], fill)
    raster.widen(BOX_MIDDLE)
    return raster


def paint_choice(ground: str, size: int, is_round: bool, line: str, fill: str, mark: str = "", focus: str = ""
                 ) -> Raster:
    """The box of a check box, or the round one of a radio button, with its tick or dot and a ring for the focus."""
    half, corner = size / 2, 1.0 if is_round else 0.3
    raster = Raster(half + 3, background=ground)
    for reach, colour in ((half, line), (half - 1.4, fill)):
        raster.fill([_rounded(reach, reach, corner * reach)], colour)
    if focus:
        raster.fill([_rounded(reach, reach, corner * reach) for reach in (half + 3, half + 1)], focus)
    if mark and is_round:
        raster.disc(0, 0, 0.5 * half, mark)
    elif mark:
        _paint_icon(raster, "tick", 1.05 * size, mark)
    return raster


def paint_sign(size: int, disc: str, name: str, colour: str) -> Raster:
    """An icon on a disc: right, wrong, or a crown."""
    raster = Raster(size / 2 + 1)
    raster.disc(0, 0, size / 2, disc)
    if name == "crown":
        raster.disc(0, 0, size / 2 - 1.5, GLOW_COLOUR)
        _paint_shapes(raster, QUEEN_SHAPES, size / 2, PieceColours(*[colour] * 5))
    else:
        _paint_icon(raster, name, size, colour)
    return raster


def paint_outlined_sign(size: int, line: str, fill: str, name: str) -> Raster:
    """An icon in a ring: what has been done in part."""
    raster = paint_ring(size, line, fill)
    _paint_icon(raster, name, size, line)
    return raster


def paint_small_dot(radius: float, colour: str) -> Raster:
    """A small dot."""
    raster = Raster(radius + 1)
    raster.disc(0, 0, radius, colour)
    return raster


def paint_thumb(ground: str, x: int, y: int, colour: str) -> Raster:
    """The thumb of a scrollbar: a thin bar, for a scrollbar that reaches so far across and along."""
    raster = Raster(x, y, ground)
    raster.fill([_rounded(2 if x < y else x, 2 if y < x else y, 2)], colour)
    return raster


def paint_pips(apart: int, guards: int, has_queen: bool, done: str, line: str) -> Raster:
    """How far a side has come: six discs and a crown, filled when they are home."""
    raster, radius = Raster(3.7 * apart, 0.6 * apart), 0.37 * apart
    for i in range(6):
        x = (i - 3.2) * apart
        colour, reaches = (done, (radius,)) if i < guards else (line, (radius, radius - 1.4))
        raster.fill([[(dx + x, dy) for dx, dy in _rounded(reach, reach, reach)] for reach in reaches], colour)
    crown = [(3.15 * apart + 0.8 * x * apart, 0.8 * y * apart) for x, y in CROWN]
    if has_queen:
        raster.fill([crown], done)
    raster.stroke([*crown, crown[0]], 1.3, done if has_queen else line)
    return raster


def paint_share(width: int, height: int, share: float, theme: Theme) -> Raster:
    """A bar of which White has a share, with a mark in its middle."""
    raster, x, y = Raster(width / 2, height / 2), width / 2, height / 2
    inner, end = _rounded(x - 1.2, y - 1.2, 3), (2 * share - 1) * x
    raster.fill([_rounded(x, y, 4)], theme.border)
    raster.fill([inner], theme.black.lit)
    raster.fill([[(min(px, end), py) for px, py in inner]], theme.white.lit)
    raster.stroke([(0, -y), (0, y)], 2, theme.recent)
    return raster


def paint_curve(width: int, height: int, points: Sequence[Point], now: float, theme: Theme) -> Raster:
    """A curve over a game, given around the middle (pixels), the areas on either side of zero, and a line for now."""
    raster, x, y = Raster(width / 2, height / 2), width / 2, height / 2
    raster.fill([_rounded(x, y, 9)], theme.border)
    raster.fill([_rounded(x - 1.2, y - 1.2, 7.8)], theme.list)
    for paint, pick in ((theme.allowed, min), (theme.quiet_text, max)):
        area = [(px, pick(py, 0.0)) for px, py in points]
        raster.fill([[(area[0][0], 0.0), *area, (area[-1][0], 0.0)]], mix(theme.list, paint, 0.22))
    raster.stroke([(6 - x, 0), (x - 6, 0)], 1, theme.border)
    raster.stroke(points, 2, theme.text)
    raster.stroke([(now, 2 - y), (now, y - 2)], 2, theme.allowed)
    return raster


def paint_enclosures(width: int, size: int, theme: Theme) -> Raster:
    """The three ways to be trapped, as small pieces of the board side by side."""
    raster, scale = Raster(width / 2, 3 * size), (float(size), float(size))
    for i, names in enumerate(("f5 f6 f7", "e6 f6 g5", "e5 f6 g6")):
        layout = Layout(size, (i - 1) * width / 3, 0)
        cells = [parse_cell(name) for name in names.split()]
        places = [(round(x), round(y)) for x, y in map(layout.centre, cells)]
        for (x, y), ring, colours in zip(places, (1, 2, 1), (theme.white, theme.black, theme.white)):
            raster.lay(paint_cell(scale, theme.rings[ring], theme.edge, theme.shine), [(x, y)])
            raster.lay(paint_piece(round(PIECE_DIAMETER * size), colours, False), [(x, y)])
        (x1, y1), (x, y), _ = places
        raster.lay(paint_bar(scale, (x1 - x, y1 - y), 1.0, LIGHT.forbidden), [(x, y)])
    return raster


def paint_line(dx: int, dy: int, width: float, colour: str, is_dashed: bool) -> Raster:
    """A straight line that reaches so far along x and y, whole or dashed."""
    raster = Raster(abs(dx) / 2 + width, abs(dy) / 2 + width)
    ends = [(-dx / 2, -dy / 2), (dx / 2, dy / 2)]
    for part in dashes(ends, 4, 4) if is_dashed else [ends]:
        raster.stroke(part, width, colour)
    return raster


def paint_strokes(size: int, colour: str, halo: str) -> Raster:
    """Two slanted strokes, as one strikes a branch out."""
    raster, reach = Raster(size / 2 + 2), size / 2
    for width, paint in ((5, halo), (2.2, colour)):
        for x in (-0.2 * size, 0.2 * size):
            raster.stroke([(x - 0.25 * reach, 0.9 * reach), (x + 0.25 * reach, -0.9 * reach)], width, paint)
    return raster


def paint_card(width: int, height: int, fill: str, border: str, ring: str, is_dashed: bool, is_stack: bool) -> Raster:
    """A box of a tree: with a ring where one is, a dashed border if it was cut off, doubled if more lies behind it."""
    raster, x, y = Raster(width / 2 + 6, height / 2 + 6), width / 2, height / 2
    if is_stack:
        for shift in (4, 0):
            raster.fill([[(px + shift, py + shift) for px, py in _rounded(x, y, 6)]], border)
            raster.fill([[(px + shift, py + shift) for px, py in _rounded(x - 1.4, y - 1.4, 5)]], fill)
    if ring:
        raster.fill([_rounded(x + 5, y + 5, 10), _rounded(x + 2.4, y + 2.4, 8)], ring)
    if is_dashed:
        outline = _rounded(x - 1, y - 1, 6)
        raster.fill([outline], fill)
        for part in dashes([*outline, outline[0]], 4, 4):
            raster.stroke(part, 1.4, border)
    elif not is_stack:
        raster.fill([_rounded(x, y, 7)], border)
        raster.fill([_rounded(x - 1.6, y - 1.6, 5.6)], fill)
    return raster


#: Icons in a square of 22: filled polygons, lines (with their width) and discs.
ICONS: Dict[str, Dict[str, Any]] = {
    "place_game": {"lines": ((2.0, ((1.5, 11), (6, 3), (16, 3), (20.5, 11), (16, 19), (6, 19), (1.5, 11))),),
                   "discs": ((11, 11, 3.6),)},
    "place_learn": {"polygons": (((0, 8), (11, 3), (22, 8), (11, 13)),
                                 ((5, 11.4), (11, 14.2), (17, 11.4), (17, 16), (11, 19), (5, 16))),
                    "lines": ((1.4, ((20.6, 8.4), (20.6, 15.5))),)},
    "place_puzzles": {"polygons": (((1, 7), (15, 7), (15, 20), (1, 20)),), "discs": ((8, 5.6, 3), (16.6, 14, 3))},
    "place_analysis": {"lines": ((1.8, ((2, 2), (2, 20), (21, 20))),
                                 (1.8, ((5, 15), (9.5, 9), (13, 12.5), (20, 4.5))))},
    "tick": {"lines": ((2.6, ((6, 11.4), (9.6, 15), (16, 7.4))),)},
    "cross": {"lines": ((2.6, ((7, 7), (15, 15))), (2.6, ((15, 7), (7, 15))))},
    "new": {"lines": ((2.2, ((11, 4), (11, 18))), (2.2, ((4, 11), (18, 11))))},
    "menu": {"lines": tuple((2.2, ((3, y), (19, y))) for y in (5, 11, 17))},
    "first": {"polygons": (((18, 4), (18, 18), (8, 11)), ((4, 4), (6.6, 4), (6.6, 18), (4, 18)))},
    "previous": {"polygons": (((16, 4), (16, 18), (5, 11)),)},
    "next": {"polygons": (((6, 4), (6, 18), (17, 11)),)},
    "last": {"polygons": (((4, 4), (4, 18), (14, 11)), ((15.4, 4), (18, 4), (18, 18), (15.4, 18)))},
    "play": {"lines": ((1.8, ((6, 4), (6, 18), (17, 11), (6, 4))),)},
    "pause": {"polygons": (((6, 4), (9.4, 4), (9.4, 18), (6, 18)), ((12.6, 4), (16, 4), (16, 18), (12.6, 18)))},
    "undo": {"lines": ((2.0, ((5, 8), (15, 8), (18, 10.5), (18, 13.5), (15, 16), (9, 16))),),
             "polygons": (((8.5, 3.5), (8.5, 12.5), (2.5, 8)),)},
    "hint": {"lines": ((1.8, ((8, 15), (8, 13), (5.6, 10), (5.2, 6.6), (7.6, 3.2), (11, 2.2), (14.4, 3.2), (16.8, 6.6),
                               (16.4, 10), (14, 13), (14, 15), (8, 15))), (1.8, ((8.4, 18), (13.6, 18))))},
}


def paint_icon(name: str, size: int, colour: str) -> Raster:
    """An icon."""
    raster = Raster(size / 2)
    _paint_icon(raster, name, size, colour)
    return raster


def _paint_icon(raster: Raster, name: str, size: float, colour: str) -> None:
    """Paint an icon into the middle of a picture."""
    scale, shapes = size / 22, ICONS[name]
    for points in shapes.get("polygons", ()):
        raster.fill([[((x - 11) * scale, (y - 11) * scale) for x, y in points]], colour)
    for width, points in shapes.get("lines", ()):
        raster.stroke([((x - 11) * scale, (y - 11) * scale) for x, y in points], width * scale, colour)
    for x, y, radius in shapes.get("discs", ()):
        raster.disc((x - 11) * scale, (y - 11) * scale, radius * scale, colour)


def _bow(x: float, y: float, width: float, height: float, begin: float = 0, end: float = 360) -> Tuple[Point, ...]:
    """A part of an ellipse, in degrees from the right downwards."""
    angles = [math.radians(begin + (end - begin) * i / 16) for i in range(17)]
    return tuple((x + width * math.cos(angle), y + height * math.sin(angle)) for angle in angles)


_BOWL = _bow(1.6, -2, 1.6, 2)
#: The letters and figures on the plate in exported pictures, as strokes that stand on y = 0 (downwards), the large ones
#: six units high; how wide they are, and how thick their strokes.
GLYPH_WIDTH, GLYPH_STROKE = 3.3, 0.75
GLYPHS: Dict[str, Tuple[Tuple[Point, ...], ...]] = {
    "a": (_BOWL, ((3.2, -4), (3.2, 0))), "b": (((0, -6), (0, 0)), _BOWL), "c": (_bow(1.7, -2, 1.7, 2, 45, 315),),
    "d": (_BOWL, ((3.2, -6), (3.2, 0))), "e": (((0, -2), (3.2, -2)), _bow(1.6, -2, 1.6, 2, 50, 360)),
    "f": (((0.4, -4), (2.7, -4)), (*_bow(2.6, -4.8, 1.1, 1.2, 280, 180), (1.5, 0))),
    "g": (_BOWL, ((3.2, -4), (3.2, 0.4), *_bow(1.7, 0.4, 1.5, 1.4, 0, 150))),
    "h": (((0, -6), (0, 0)), (*_bow(1.6, -2.4, 1.6, 1.6, 180, 360), (3.2, 0))),
    "i": (((1.6, -4), (1.6, 0)), ((1.6, -5.7), (1.6, -5.5))),
    "k": (((0, -6), (0, 0)), ((2.9, -4), (0, -1.6)), ((1.1, -2.4), (3.1, 0))), "l": (((1.6, -6), (1.6, 0)),),
    "0": (_bow(1.7, -3, 1.7, 3),), "1": (((0.4, -4.8), (1.9, -6), (1.9, 0)),),
    "2": ((*_bow(1.7, -4.3, 1.6, 1.7, 180, 390), (0, 0), (3.4, 0)),),
    "3": ((*_bow(1.6, -4.5, 1.5, 1.5, 200, 450), *_bow(1.6, -1.6, 1.7, 1.6, 270, 520)),),
    "4": (((2.5, 0), (2.5, -6), (0, -1.6), (3.4, -1.6)),),
    "5": (((3.1, -6), (0.6, -6), (0.3, -3.2), *_bow(1.5, -1.9, 1.8, 1.9, 235, 510)),),
    "6": (_bow(1.7, -1.8, 1.6, 1.8), ((0.1, -1.8), (0.3, -3.6), (1.2, -5.2), (2.8, -6))),
    "7": (((0, -6), (3.4, -6), (1.2, 0)),),
    "8": (_bow(1.7, -4.5, 1.4, 1.5), _bow(1.7, -1.55, 1.7, 1.55)),
    "9": (_bow(1.7, -4.2, 1.6, 1.8), ((3.3, -4.2), (3.1, -2.4), (2.2, -0.8), (0.6, 0))),
}


def _paint_label(raster: Raster, label: str, x: float, y: float, unit: float, colour: str) -> None:
    """Paint letters or figures round a point; a unit has so many pixels."""
    step = GLYPH_WIDTH + 1.2
    left = x - unit * (step * len(label) - 1.2) / 2
    for number, character in enumerate(label):
        for stroke in GLYPHS[character]:
            points = [(left + unit * (number * step + across), y + unit * (down + 3)) for across, down in stroke]
            raster.stroke(points, unit * GLYPH_STROKE, colour)


def windowing_system(widget: tk.Misc) -> str:
    """What draws the windows: 'x11', 'win32' or 'aqua'."""
    return str(widget.tk.call("tk", "windowingsystem"))


def system_font(widget: tk.Misc) -> tkfont.Font:
    """The font that the system uses for texts."""
    return tkfont.Font(widget, name="TkDefaultFont", exists=True)


class Look:
    """Colours, fonts, styles and painted pictures of the window, in the theme and text size of the settings."""

    def __init__(self, root: tk.Tk, store: Store, texts: Texts) -> None:
        self.root = root
        self.store = store
        self.texts = texts
        #: Whether there is little room: buttons and headings are then smaller.
        self.is_dense = False
        #: By how much all text is larger because the window fills the screen.
        self.growth = 1.0
        self._pictures: Dict[Tuple[Any, ...], tk.PhotoImage] = {}
        base = system_font(root).actual()
        scaling = float(root.tk.call("tk", "scaling"))
        self._points = max(9, abs(int(base["size"])), round(root.winfo_screenheight() / scaling / SCREEN_TEXT_LINES))
        self._scaling = scaling
        self.family = base["family"]
        self.fonts = {name: tkfont.Font(root, family=self.family, weight="bold" if name in BOLD_FONTS else "normal",
                                        overstrike=name == "struck") for name in FONTS}
        self._set_fonts(0)
        lines = root.winfo_screenheight() / self.fonts["body"].metrics("linespace")
        self.largest_zoom = max(0, min(MAX_ZOOM, int(self._points * (lines / LINES_ON_SCREEN - 1))))
        self._set_fonts(self.zoom)

    @property
    def theme_name(self) -> str:
        """The name of the colours chosen."""
        settings = self.store.settings
        return settings.theme

    @property
    def theme(self) -> Theme:
        """The colours chosen."""
        return THEMES[self.theme_name]

    @property
    def zoom(self) -> int:
        """By how many points all text is larger than the system's; the screen may be too small for what is wished."""
        settings = self.store.settings
        return min(settings.zoom, self.largest_zoom)

    def _set_fonts(self, zoom: int) -> None:
        pixels = (self._points + zoom) * self._scaling * self.growth
        for name, share in FONTS.items():
            self.fonts[name].configure(size=-max(8, round(pixels * share)))
        #: The width of the letter m in pixels.
        self.em = self.fonts["body"].measure("m")

    def colours(self) -> Colours:
        """The colours of a picture on paper."""
        theme = self.theme
        return Colours(**{name: getattr(theme, name) for name in Colours._fields})

    def picture(self, paint: Callable[..., Raster], *values: Any, **named: Any) -> tk.PhotoImage:
        """A painted picture, made once."""
        key = (paint, values, tuple(named.items()))
        if key not in self._pictures:
            self._pictures[key] = tk.PhotoImage(master=self.root, data=paint(*values, **named).png(), format="png")
        return self._pictures[key]

    def icon(self, name: str, colour: str, share: float = 1.5) -> tk.PhotoImage:
        """An icon in the size of the text."""
        return self.picture(paint_icon, name, max(14, round(-share * self.fonts["body"].cget("size"))), colour)

    def sign(self, name: str) -> tk.PhotoImage:
        """A tick in green or a cross in red."""
        theme = self.theme
        colour = theme.allowed if name == "tick" else theme.forbidden
        return self.picture(paint_sign, round(-1.6 * self.fonts["body"].cget("size")), colour, name, theme.on_colour)

    def icons(self, name: str) -> Any:
        """An icon for a ttk widget, with a picture of its own for the disabled state."""
        theme = self.theme
        return self.icon(name, theme.text, 1.2), "disabled", self.icon(name, theme.disabled_text, 1.2)

    def apply(self) -> None:
        """Put colours and text size into force for all ttk widgets."""
        theme, style, fonts = self.theme, ttk.Style(self.root), self.fonts
        self._set_fonts(self.zoom)
        if style.theme_use() != "clam":
            style.theme_use("clam")  # the one theme of Tk that obeys colours on every system
        if windowing_system(self.root) == "aqua":
            root = self.root
            root.tk.call("::tk::unsupported::MacWindowStyle", "appearance", root,
                         "darkaqua" if theme is DARK else "aqua")
        self.root.configure(background=theme.window)
        style.configure(".", background=theme.panel, foreground=theme.text, font=fonts["body"],
                        bordercolor=theme.border, lightcolor=theme.panel, darkcolor=theme.panel,
                        troughcolor=theme.zebra, focuscolor=theme.allowed, insertcolor=theme.text,
                        fieldbackground=theme.list, selectbackground=theme.allowed, selectforeground=theme.on_colour)
        style.map(".", foreground=[("disabled", theme.disabled_text)])
        style.configure("Board.TFrame", background=theme.window)
        style.configure("Line.TFrame", background=theme.hairline)
        style.configure("Underline.TFrame", background=theme.allowed)
        title, lead, verdict = ("heading", "body", "bold") if self.is_dense else ("title", "lead", "heading")
        for name, font, colour in (("Title", title, theme.text), ("Heading", "heading", theme.text),
                                   ("Lead", lead, theme.text), ("Name", "name", theme.text),
                                   ("Bold", "bold", theme.text), ("Quiet", "body", theme.quiet_text),
                                   ("Small", "small", theme.quiet_text), ("Bad", verdict, theme.forbidden),
                                   ("Good", verdict, theme.allowed), ("Notice", "bold", theme.forbidden)):
            style.configure(f"{name}.TLabel", font=fonts[font], foreground=colour)
        self._style_buttons(style)
        self._style_boxes(style)
        self._style_choices(style)
        self._style_lists(style)

    def _style_buttons(self, style: ttk.Style) -> None:
        theme = self.theme
        for on, ground in (("", theme.panel), ("Card", theme.gold_tint)):
            box = partial(self.picture, paint_box, ground)
            self._element(style, on + "Button", box(theme.list, theme.border), [
                ("disabled", box(theme.panel, theme.hairline)), ("pressed", box(theme.good_tint, theme.allowed)),
                ("focus", box(theme.list, focus=theme.allowed)), ("active", box(theme.zebra, theme.border))])
            self._element(style, on + "Primary", box(theme.allowed), [
                ("disabled", box(theme.panel, theme.hairline)), ("pressed", box(mix(theme.allowed, theme.text, 0.25))),
                ("focus", box(mix(theme.allowed, theme.text, 0.1), focus=theme.text)),
                ("active", box(mix(theme.allowed, theme.text, 0.15)))])
        box, on_list = partial(self.picture, paint_box, theme.panel), partial(self.picture, paint_box, theme.list)
        self._element(style, "Place", box(theme.panel), [
            ("selected", "focus", box(theme.good_tint, focus=theme.allowed)), ("selected", box(theme.good_tint)),
            ("focus", box(theme.panel, focus=theme.allowed)), ("active", box(theme.zebra))])
        self._element(style, "Foot", on_list(theme.list), [
            ("focus", on_list(theme.list, focus=theme.allowed)), ("disabled", on_list(theme.list)),
            ("active", on_list(theme.zebra))])
        self._element(style, "Level", box(theme.list, theme.border), [
            ("disabled", box(theme.panel, theme.hairline)), ("selected", box(theme.allowed)),
            ("focus", box(theme.list, focus=theme.allowed)),
            ("active", box(theme.zebra, theme.border))])
        less, font, primary_font = (7, "small", "strong") if self.is_dense else (0, "body", "bold")
        for on, ground in (("", theme.panel), ("Card", theme.gold_tint)):
            prefix = on and on + "."
            self._button_style(style, prefix + "TButton", on + "Button", theme.text, font, (12 - less, 11 - less),
                               ground)
            self._button_style(style, prefix + "Primary.TButton", on + "Primary", theme.on_colour, primary_font,
                               (12 - less, 14 - less), ground)
        self._button_style(style, "Place.TRadiobutton", "Place", theme.text, "body", (12, 8), theme.panel)
        self._button_style(style, "Level.TRadiobutton", "Level", theme.text, "body", (9, 6), theme.panel)
        self._button_style(style, "Foot.TButton", "Foot", theme.text, "body", (4, 11 - less), theme.list)
        style.map("Place.TRadiobutton", foreground=[("selected", theme.allowed)],
                  font=[("selected", self.fonts["bold"])])
        style.configure("Level.TRadiobutton", font=self.fonts["small" if self.is_dense else "body"],
                        padding=(9 - less // 2, 6 - less))
        style.map("Level.TRadiobutton", foreground=[("disabled", theme.disabled_text), ("selected", theme.on_colour)])

    def _style_choices(self, style: ttk.Style) -> None:
        """Check boxes and radio buttons with painted boxes; who has the focus has a ring round it."""
        theme, size = self.theme, round(1.2 * self.fonts["body"].metrics("ascent"))
        for name, is_round in (("TCheckbutton", False), ("TRadiobutton", True)):
            paint = partial(self.picture, paint_choice, theme.panel, size, is_round)
            inner = (theme.list, theme.allowed) if is_round else (theme.allowed, theme.on_colour)
            chosen = (theme.allowed, *inner)
            element = f"{name}{size}"
            self._element(style, element, paint(theme.border, theme.list), [
                ("selected", "focus", paint(*chosen, theme.allowed)), ("selected", paint(*chosen)),
                ("focus", paint(theme.border, theme.list, "", theme.allowed)),
                ("active", paint(theme.text, theme.list))], border=0, sticky="w", width=size + 12, height=size + 6)
            style.layout(name, [("Checkbutton.padding", {"sticky": "nsew", "children": [
                (f"{element}.{self.theme_name}", {"side": "left", "sticky": ""}),
                ("Checkbutton.label", {"side": "left", "sticky": "w"})]})])
            style.configure(name, padding=(0, 1))
            style.map(name, background=[], indicatorbackground=[])

    def _style_lists(self, style: ttk.Style) -> None:
        """Scrollbars without arrows, fields with round corners, and plain tables."""
        theme, fonts = self.theme, self.fonts
        for way, size in (("Vertical", (5, 52)), ("Horizontal", (52, 5))):
            paint = partial(self.picture, paint_thumb, theme.list, *size)
            element = f"{way}.{self.theme_name}.thumb"
            if element not in style.element_names():
                style.element_create(element, "image", paint(theme.border), ("disabled", paint(theme.list)),
                                     ("active", paint(theme.quiet_text)), border=5, sticky="nsew",
                                     width=min(size[0], 16) * 2, height=min(size[1], 16) * 2)
            style.layout(f"{way}.TScrollbar", [(f"{way}.Scrollbar.trough", {"sticky": "nsew", "children": [
                (element, {"sticky": "nsew", "expand": True})]})])
        style.configure("TScrollbar", troughcolor=theme.list, background=theme.list, bordercolor=theme.list,
                        lightcolor=theme.list, darkcolor=theme.list, troughborderwidth=0)
        box = partial(self.picture, paint_box, theme.panel)
        self._element(style, "Field", box(theme.list, theme.border), [("focus", box(theme.list, focus=theme.allowed))])
        style.layout("TEntry", [(f"Field.{self.theme_name}", {"sticky": "nsew", "children": [
            ("Entry.padding", {"sticky": "nsew", "children": [("Entry.textarea", {"sticky": "nsew"})]})]})])
        style.configure("TEntry", foreground=theme.text, padding=(8, 7))
        style.layout("Treeview", [("Treeview.treearea", {"sticky": "nsew"})])
        style.configure("Treeview", background=theme.list, fieldbackground=theme.list, foreground=theme.text,
                        rowheight=fonts["body"].metrics("linespace") + 6)
        style.layout("Treeview.Heading", [("Treeheading.cell", {"sticky": "nsew"}), ("Treeheading.padding", {
            "sticky": "nsew", "children": [("Treeheading.text", {"sticky": "we"})]})])
        style.configure("Treeview.Heading", background=theme.zebra, foreground=theme.text, font=fonts["bold"],
                        padding=4)
        style.map("Treeview", background=[("selected", theme.allowed)], foreground=[("selected", theme.on_colour)])

    def _element(self, style: ttk.Style, name: str, picture: tk.PhotoImage, states: List[Tuple[Any, ...]],
                 **options: Any) -> None:
        """Make the image element of this name for the theme in force, unless it is there already."""
        name = f"{name}.{self.theme_name}"
        if name not in style.element_names():
            style.element_create(name, "image", picture, *states, **{
                "border": BOX_RADIUS + 3, "padding": 0, "sticky": "nsew", "width": BOX_SIZE, "height": BOX_SIZE,
                **options})

    def _button_style(self, style: ttk.Style, name: str, element: str, colour: str, font: str,
                      padding: Tuple[int, int], ground: str) -> None:
        style.layout(name, [(f"{element}.{self.theme_name}", {"sticky": "nsew", "children": [
            ("Button.padding", {"sticky": "nsew", "children": [("Button.label", {"sticky": "nsew"})]})]})])
        style.configure(name, foreground=colour, background=ground, padding=padding, anchor="center",
                        font=self.fonts[font], width=0)
        style.map(name, foreground=[("disabled", self.theme.disabled_text)], background=[])

    def _style_boxes(self, style: ttk.Style) -> None:
        """Boxes that hold labels: their picture, and labels on its tint."""
        theme = self.theme
        title, lead, verdict = ("heading", "bold", "bold") if self.is_dense else ("title", "name", "heading")
        for name, tint, border, bar in (
                ("Plain", theme.panel, theme.panel, ""), ("Alert", theme.bad_tint, "", theme.forbidden),
                ("Quietly", theme.panel, "", theme.recent), ("Task", theme.good_tint, "", theme.allowed),
                ("Card", theme.gold_tint, theme.gold, ""), ("Seat", theme.list, theme.hairline, ""),
                ("Active", theme.good_tint, "", theme.allowed), ("List", theme.list, theme.border, "")):
            self._element(style, f"{name}.box", self.picture(paint_box, theme.panel, tint, border, bar), [])
            style.layout(f"{name}.TFrame", [(f"{name}.box.{self.theme_name}", {"sticky": "nsew"})])
            style.configure(f"{name}.TFrame", background=theme.panel)
            style.configure(f"{name}Fill.TFrame", background=tint)
            heading = theme.forbidden if name == "Alert" else theme.text
            for kind, font, colour in (("", "body", theme.text), ("Heading", verdict, heading),
                                       ("Title", title, theme.text), ("Bold", "bold", theme.text),
                                       ("Name", lead, theme.text), ("Small", "small", theme.quiet_text)):
                style.configure(f"{name}{kind}.TLabel", background=tint, foreground=colour, font=self.fonts[font])

    def growth_on(self, width: int, height: int) -> float:
        """By how much text grows on a screen of this size (pixels) that the window fills; the zoom comes on top."""
        lines = height / (LINES_ON_SCREEN * 1.2 * (self._points + self.zoom) * self._scaling)
        return max(1.0, min(width / FULL_WIDTH, height / FULL_HEIGHT, lines))

    def fitted(self, width: int, height: int) -> Tuple[int, int]:
        """A size from widths of the letter m, no larger than the screen."""
        em = self.em
        return (min(width * em, self.root.winfo_screenwidth() - 40),
                min(height * em, self.root.winfo_screenheight() - 100))


# --- 12. Board -------------------------------------------------------------------

FRAME_MS = 16
#: A step glides this long; a dropped piece snaps onto its cell.
GLIDE_MS = 180
SNAP_MS = 90
#: The board is painted when its size has come to rest.
REST_MS = 120
#: After a piece has arrived a bar grows, then the trapped piece shakes, then the dots open.
BAR_MS, SHAKE_MS, DOTS_MS = 160, 240, 120
#: The end of a game: guards light up one after the other, rings grow dark, crown and glow grow.
LIGHT_MS, DIM_MS, CROWN_MS = 80, 60, 240
#: How dark each ring grows, and the crown and the glow from one picture to the next.
DIMMED = (0.0, 0.0, 0.14, 0.24, 0.34, 0.43)
CROWN_SIZES, GLOW_SIZES = (1.0, 1.1, 1.2, 1.2, 1.15), (0.0, 1.0, 1.1, 1.1, 1.0)
#: What lies on the board, from below.
GLOW, CONTOUR, GHOSTS, WAYS, PIECES, HEXAGONS, BARS, DOTS, CARRIED = range(9)


def news_ms(picture: Picture) -> int:
    """How long it takes to show what has come of a move, once its piece has arrived (milliseconds)."""
    if picture.winners:
        return 6 * LIGHT_MS + 4 * DIM_MS + (CROWN_MS if picture.is_celebrated else 0)
    return BAR_MS + SHAKE_MS + DOTS_MS if picture.bars else 0


class Sprite(NamedTuple):
    """A picture on the board: its layer, its middle (pixels), and how it is painted in the present size."""

    layer: int
    x: int
    y: int
    paint: Callable[..., Raster]
    values: Tuple[Any, ...]


class Scene:
    """What lies on the board at one moment: the colours of the cells, and the sprites over them.

    `moving` are the cells of pieces on their way and where they are now;
    `elapsed` is the time since the last piece arrived in milliseconds: -1 while
    it is on its way, infinite when all is at rest.
    """

    def __init__(self, picture: Picture, layout: Layout, theme: Theme, moving: Dict[Cell, Point],
                 elapsed: float = math.inf) -> None:
        self.picture, self.layout, self.theme = picture, layout, theme
        self.moving, self.elapsed = moving, elapsed
        self._sprites: List[Sprite] = []

    def _stage(self, begin: float, length: float) -> float:
        """How much of a stage that begins so late (milliseconds) is over, from 0 to 1."""
        return min(1.0, max(0.0, (self.elapsed - begin) / length))

    # -- cells --

    def colours(self) -> Dict[Cell, str]:
        """The colour of each cell's face."""
        theme, picture = self.theme, self.picture
        colours = {cell: theme.rings[RING[cell] or 0] for cell in CELLS}
        if not theme.shine:
            return colours
        if picture.winners:
            return {**colours, **self._end_colours()}
        tints = {cell: (theme.recent, 0.13) for cell in picture.last or () if cell is not None}
        tints.update((cell, (theme.forbidden, 0.1)) for cell in picture.trapped if self._stage(0, BAR_MS))
        tints.pop(THRONE, None)  # marks need all its light to be seen on it
        for cell, (colour, share) in tints.items():
            colours[cell] = mix(colours[cell], colour, share)
        return colours

    def _end_colours(self) -> Dict[Cell, str]:
        """The cells of a game that is won: the picture shines, the rings round it are dark."""
        theme, colours = self.theme, {}
        for cell in CELLS:
            ring = RING[cell] or 0
            dimmed = self._stage(6 * LIGHT_MS + (ring - 2) * DIM_MS, DIM_MS) >= 1 and ring > 1
            colours[cell] = mix(theme.rings[ring], theme.dimming, DIMMED[ring] if dimmed else 0)
        for number, cell in enumerate(self.clockwise()):
            if self._stage(number * LIGHT_MS, LIGHT_MS):
                colours[cell] = theme.shining[1]
                colours[THRONE] = theme.shining[0]
        return colours

    def clockwise(self) -> List[Cell]:
        """The cells of the winning guards, clockwise from the last one that arrived."""
        last, centre = self.picture.last, self.layout.centre(THRONE)

        def angle(cell: Optional[Cell]) -> float:
            x, y = self.layout.centre(THRONE if cell is None else cell)
            return math.atan2(y - centre[1], x - centre[0])

        first = angle(last.target if last else None)
        return sorted((cell for cell in self.picture.winners if cell != THRONE),
                      key=lambda cell: round((angle(cell) - first) % math.tau, 3))

    # -- sprites --

    def sprites(self) -> List[Sprite]:
        """All that lies over the cells."""
        self._sprites = []
        self._put_end()
        self._put_last()
        self._put_pieces()
        self._put_hexagons()
        self._put_bars()
        return self._sprites

    def _put(self, layer: int, place: Union[Cell, Point], paint: Callable[..., Raster], *values: Any) -> None:
        x, y = place if isinstance(place, tuple) else self.layout.centre(place)
        self._sprites.append(Sprite(layer, round(x), round(y), paint, values))

    def _put_end(self) -> None:
        """Contour, glow and rays of a game that is won."""
        theme, picture = self.theme, self.picture
        if not picture.winners or not self._stage(5 * LIGHT_MS, LIGHT_MS):
            return
        if picture.is_celebrated and theme.shine:
            stage = self._crown_stage()
            if stage:
                self._put(GLOW, THRONE, paint_glow, GLOW_SIZES[stage], GLOW_COLOUR)
            if stage == len(CROWN_SIZES) - 1:
                self._put(PIECES, THRONE, paint_rays, theme.contour[0])
        self._put(CONTOUR, THRONE, paint_contour, *theme.contour)

    def _crown_stage(self) -> int:
        """The number of the picture of the growing crown."""
        return int(self._stage(6 * LIGHT_MS + 4 * DIM_MS, CROWN_MS) * (len(CROWN_SIZES) - 1))

    def _put_last(self) -> None:
        """Where the last move has come from, and its way."""
        picture, theme, last = self.picture, self.theme, self.picture.last
        if last is None or last.source is None or last.target is None:
            return
        colours = theme.white if picture.position.side_at(last.target) == WHITE else theme.black
        colour = theme.contour[0] if picture.winners else theme.recent
        if picture.position.side_at(last.source) is None:  # the other side may have passed
            self._put(GHOSTS, last.source, paint_ghost, colours, picture.position.is_queen(last.target), colour)
        is_step = last.target in NEIGHBOURS[last.source]
        self._put_way(WAYS, last, WAY_FROM, WAY_TO, WAY_WIDTH, colour, not is_step or not theme.shine)

    def _put_way(self, layer: int, move: Move, start: float, end: float, width: float, colour: str,
                 is_dashed: bool) -> None:
        """A move as an arrow from `start` behind the middle of its cell to `end` before that of its target (radii)."""
        if move.source is None or move.target is None:
            return
        layout = self.layout
        position = self.picture.position
        pieces = tuple(layout.centre(cell) for cell in cells_of(position.pieces(WHITE) | position.pieces(BLACK))
                       if cell not in (move.source, move.target))
        first, last, size = layout.centre(move.source), layout.centre(move.target), layout.size
        middle = (round((first[0] + last[0]) / 2), round((first[1] + last[1]) / 2))
        around = tuple((round(x - middle[0], 1), round(y - middle[1], 1))
                       for x, y in free_way(first, last, start * size, end * size, pieces, 0.8 * size))
        self._put(layer, middle, paint_way, around, width, colour, is_dashed)

    def _put_pieces(self) -> None:
        picture, theme, layout = self.picture, self.theme, self.layout
        position = picture.position
        moving = dict(self.moving)
        if picture.carried:
            moving[picture.carried[0]] = picture.carried[1]
        shaking = self._stage(BAR_MS, SHAKE_MS)
        shift = 0.08 * layout.size * math.sin(2 * math.tau * shaking)
        stage = self._crown_stage() if picture.is_celebrated and picture.winners else 0
        for side, colours in ((WHITE, theme.white), (BLACK, theme.black)):
            for cell in cells_of(position.pieces(side)):
                x, y = moving.get(cell) or layout.centre(cell)
                crown = CROWN_SIZES[stage] if cell == THRONE and theme.shine else 1.0
                self._put(CARRIED if cell in moving else PIECES, (x + shift if cell in picture.trapped else x, y),
                          paint_board_piece, colours, position.is_queen(cell), crown)
            waiting = layout.tray(side)[:picture.tray[side]]
            is_moving = bool(waiting) and side == position.turn and TRAY in moving
            for place in waiting[:-1] if is_moving else waiting:
                self._put(PIECES, place, paint_board_piece, colours, False, 1.0)
            if is_moving:
                self._put(CARRIED, moving[TRAY], paint_board_piece, colours, False, 1.0)

    def _put_hexagons(self) -> None:
        """Hexagons, crosses and dots on cells, and the keyboard's cursor."""
        picture, theme = self.picture, self.theme
        marks: Dict[Cell, Tuple[str, float, float]] = {}
        if picture.last and picture.last.target is not None and not picture.winners:
            marks[picture.last.target] = (theme.recent, ARRIVED, 0.057)
        placed = [move.target for move in picture.arrows if move.is_placement]  # which have no way to be drawn
        for cell in (picture.pointed, picture.selected, picture.hovered, *placed):
            if cell is not None and cell != TRAY:
                marks[cell] = (theme.allowed, MARK, 0.095)
        trapped = picture.trapped if self._stage(0, BAR_MS) >= 1 else ()
        for cell in (*trapped, *picture.causes, *(() if picture.tried is None else (picture.tried,))):
            marks[cell] = (theme.forbidden, MARK, 0.105)
        for cell, (colour, share, width) in marks.items():
            self._put(HEXAGONS, cell, paint_hexagon, colour, share, width, theme.halo)
        for cell in picture.causes:
            self._put(DOTS, cell, paint_cross, theme.forbidden, theme.halo)
        opened = self._stage(BAR_MS + SHAKE_MS if picture.bars else 0, DOTS_MS)
        for cell in picture.targets if opened else ():
            is_on_ghost = picture.last is not None and cell == picture.last.source
            self._put(DOTS, cell, paint_dot, 0.5 + 0.5 * round(3 * opened) / 3, theme.allowed,
                      theme.halo if is_on_ghost else "")
        if picture.cursor is not None:
            self._put(DOTS, picture.cursor, paint_cursor, theme.text)

    def _put_bars(self) -> None:
        """Bars through trapped pieces, and the moves that are suggested."""
        grown = math.ceil(6 * self._stage(0, BAR_MS)) / 6
        for first, second in self.picture.bars if grown else ():
            (x1, y1), (x2, y2) = self.layout.centre(first), self.layout.centre(second)
            half = (round((x2 - x1) / 2), round((y2 - y1) / 2))
            self._put(BARS, (x1 + half[0], y1 + half[1]), paint_bar, half, grown, LIGHT.forbidden)
        if self.picture.blamed:
            self._put_way(DOTS, self.picture.blamed, 0.62, 0.1, 0.17, self.theme.forbidden, False)
        for i, move in enumerate(self.picture.arrows):
            self._put_way(DOTS, move, 0.62, 0.1, (0.17, 0.13, 0.09)[i], self.theme.allowed, False)


#: How far the two control points of a curve lie beside the straight line (in its lengths): the least bent first.
BENDS = sorted(((first, second) for first in range(-3, 4) for second in range(-3, 4)),
               key=lambda bend: (abs(bend[0]) + abs(bend[1]) + abs(bend[0] - bend[1])))


@functools.lru_cache(maxsize=8)
def free_way(first: Point, last: Point, start: float, end: float, obstacles: Tuple[Point, ...], distance: float
             ) -> List[Point]:
    """A line that begins so far behind one point and ends so far before another, bent so that it passes obstacles.

    All lengths are pixels; `distance` is what is kept from the middle of an
    obstacle.  Where no bend is free, the one that meets the fewest is taken.
    """
    (x1, y1), (x2, y2) = first, last
    length, least = math.dist(first, last), distance * distance
    times = [start / length + (1 - (start + end) / length) * i / 24 for i in range(25)]
    ways: List[Tuple[int, int, List[Point]]] = []
    for bend in BENDS:
        # A cubic Bezier curve, with its control points beside the line at a third and two thirds of it.
        (x, y), (x3, y3) = ((x1 + (x2 - x1) * part + 0.2 * side * (y2 - y1),
                             y1 + (y2 - y1) * part - 0.2 * side * (x2 - x1))
                            for part, side in zip((1 / 3, 2 / 3), bend))
        points = [((1 - t) ** 3 * x1 + 3 * t * (1 - t) ** 2 * x + 3 * t * t * (1 - t) * x3 + t ** 3 * x2,
                   (1 - t) ** 3 * y1 + 3 * t * (1 - t) ** 2 * y + 3 * t * t * (1 - t) * y3 + t ** 3 * y2)
                  for t in times]
        met = sum(any((px - ox) ** 2 + (py - oy) ** 2 < least for px, py in points) for ox, oy in obstacles)
        ways.append((met, len(ways), points if any(bend) else [points[0], points[-1]]))
        if not met:
            break
    return min(ways)[2]


#: The radius of a cell in pictures that are exported (pixels).
PICTURE_CELL = 40


def picture_png(picture: Picture, theme: Theme, flipped: bool, show_ranks: bool) -> bytes:
    """The board at rest as a PNG picture, with its letters and numbers."""
    layout = Layout(PICTURE_CELL, 0, 0, flipped)
    raster = paint_board(layout.scale, theme)
    scene = Scene(picture, layout, theme, {})
    for cell, colour in scene.colours().items():
        if colour != theme.rings[RING[cell] or 0]:
            tile = paint_cell(layout.scale, colour, theme.edge, theme.shine, theme.star if cell == THRONE else "")
            raster.lay(tile, [(round(x), round(y)) for x, y in [layout.centre(cell)]])
    for label, (x, y) in (*layout.letters().items(), *(layout.ranks().items() if show_ranks else ())):
        _paint_label(raster, str(label), x, y, layout.size * 0.36 / 6, theme.letters)
    for sprite in sorted(scene.sprites(), key=lambda sprite: sprite.layer):
        raster.lay(sprite.paint(layout.scale, *sprite.values), [(sprite.x, sprite.y)])
    return raster.png()


class BoardView(tk.Canvas):
    """The canvas: draws a Picture, and lets pieces glide to their cells.

    At rest the board is one painted picture; while the window is being resized
    plain polygons stand in for it.  Everything else lies over it as sprites.
    """

    #: So many painted sprites are kept; those that are seen are never dropped.
    MOST_IMAGES = 80

    def __init__(self, parent: tk.Misc, look: Look, jobs: Jobs) -> None:
        # Tk asks the screen for "white" with every picture that is made, unless something has that very colour already.
        super().__init__(parent, highlightthickness=0, borderwidth=0, takefocus=1, background=look.theme.window,
                         insertbackground="white")
        self.look = look
        self.jobs = jobs
        self.layout = Layout.fit(600, 600)
        self.picture: Optional[Picture] = None
        self._theme = look.theme
        #: The scale for which the pictures are painted, and the board if it is painted.
        self._scale = (0.0, 0.0)
        self._painted: Optional[tk.PhotoImage] = None
        self._images: Dict[Tuple[Any, ...], tk.PhotoImage] = {}
        #: What is shown: the colours of the cells, the items of the sprites, spare items by layer, options of items.
        self._colours: Dict[Cell, str] = {}
        self._items: Dict[Sprite, int] = {}
        self._spare: Dict[int, List[int]] = {layer: [] for layer in range(CARRIED + 1)}
        self._known: Dict[int, Dict[str, Any]] = {}
        self._show_ranks = True
        #: Where gliding pieces come from (pixels) by their cells, when the glide began, how long it takes (seconds),
        #: what follows it, and when the piece of the last move has arrived.
        self._origins: Dict[Cell, Point] = {}
        self._began, self._seconds = 0.0, 1.0
        self._then: Optional[Callable[[], None]] = None
        self._arrived: Optional[float] = None
        self._make_items()

    # -- items --

    def _make_items(self) -> None:
        hexagon: List[float] = [0] * 12
        self._plate = [self.create_polygon(*hexagon, tags="plain") for _ in range(2)]
        self._faces = {cell: self.create_polygon(*hexagon, tags="plain") for cell in CELLS}
        self._board = self.create_image(0, 0)
        self._letters = {letter: self.create_text(0, 0, text=letter) for letter in FILES}
        self._ranks = {rank: self.create_text(0, 0, text=str(rank)) for rank in range(1, 12)}
        #: Items that are never seen: the sprites of a layer lie directly below its own.
        self._lids = [self.create_line(0, 0, 0, 0, state="hidden") for _ in self._spare]

    def _set(self, item: int, **options: Any) -> None:
        """Configure an item, without troubling Tk when nothing has changed."""
        known = self._known.setdefault(item, {})
        changed = {name: value for name, value in options.items() if known.get(name) != value}
        if changed:
            known.update(changed)
            self.itemconfigure(item, **changed)

    def _image(self, paint: Callable[..., Raster], *values: Any) -> tk.PhotoImage:
        """A sprite's picture in the present size, painted when first needed."""
        key = (paint, values)
        image = self._images.pop(key, None)
        if image is None:
            image = tk.PhotoImage(master=self, data=paint(self._scale, *values).png(), format="png")
        self._images[key] = image  # the last one used stands last
        return image

    def _drop_images(self) -> None:
        """Forget pictures that have not been used for long, such as the ways of former moves."""
        seen = {(sprite.paint, sprite.values) for sprite in self._items}
        for key in [key for key in self._images if key not in seen][:max(0, len(self._images) - self.MOST_IMAGES)]:
            del self._images[key]

    # -- the board --

    def arrange(self, width: int, height: int, flipped: bool, show_ranks: bool) -> None:
        """Lay the board out anew for this size of the canvas."""
        layout = Layout.fit(width, height, flipped)
        if layout == self.layout and show_ranks == self._show_ranks and self._scale[0]:
            return
        self.end_motion()
        if self._painted:  # coloured cells are part of the painting, and stand elsewhere once it is turned
            self._show_colours({cell: self._theme.rings[RING[cell] or 0] for cell in CELLS})
        self.layout, self._show_ranks = layout, show_ranks
        if not self._scale[0]:
            self._scale = layout.scale
        self._place_board()
        if not self._painted or self._scale != layout.scale:
            self.jobs.later("rest", REST_MS, self._paint)

    def recolour(self) -> None:
        """Take the colours of the theme."""
        if self._theme == self.look.theme:
            return
        self._theme = self.look.theme
        self.configure(background=self._theme.window)
        self._images.clear()
        if self._painted:
            self._paint()
        elif self._scale[0]:
            self._place_board()

    def _paint(self) -> None:
        """Paint the board in the size that it has now; the sprites follow when they are shown."""
        if self._scale != self.layout.scale:
            self._images.clear()
        self._scale = self.layout.scale
        self._painted = tk.PhotoImage(master=self, data=paint_board(self._scale, self._theme).ppm(), format="ppm")
        self._place_board()

    def _place_board(self) -> None:
        """Show the painted board, or as long as there is none in this size, polygons."""
        layout, theme = self.layout, self._theme
        if self._scale != layout.scale:
            self._painted = None
        self._colours.clear()
        if self._painted:
            self._set(self._board, image=self._painted, state="normal")
            self.itemconfigure("plain", state="hidden")
            self.coords(self._board, layout.x, layout.y)
            self._colours = {cell: theme.rings[RING[cell] or 0] for cell in CELLS}
        else:
            self._set(self._board, image="", state="hidden")
            self.itemconfigure("plain", state="normal")
            line = max(1.0, layout.size / 18)
            for item, inset, colour in ((self._plate[0], 0.0, theme.frame),
                                        (self._plate[1], 0.14, theme.frame_hairline)):
                self.coords(item, *_pairs(layout.plate(inset)))
                self._set(item, fill=theme.frame, outline=colour)
            for cell, item in self._faces.items():
                self.coords(item, *layout.corners(cell))
                self._set(item, outline=theme.edge, width=line)
        font = (self.look.family, -max(10, round(layout.size * 0.36)))
        for letter, place in layout.letters().items():
            self.coords(self._letters[letter], *place)
            self._set(self._letters[letter], fill=theme.letters, font=font)
        for rank, place in layout.ranks().items():
            self.coords(self._ranks[rank], *place)
            self._set(self._ranks[rank], fill=theme.letters, font=font,
                      state="normal" if self._show_ranks else "hidden")
        self.refresh()

    # -- drawing --

    def png(self) -> bytes:
        """What is on the board, without what the hand does, as a PNG picture."""
        assert self.picture is not None
        picture = self.picture._replace(selected=None, targets=frozenset(), hovered=None, causes=frozenset(),
                                        tried=None, cursor=None, carried=None)
        return picture_png(picture, self._theme, self.layout.flipped, self._show_ranks)

    def render(self, picture: Picture) -> None:
        """Show this picture."""
        old, self.picture = self.picture, picture
        if old is not None and old.carried and picture.carried and old._replace(carried=picture.carried) == picture:
            for sprite in [sprite for sprite in self._items if sprite.layer == CARRIED]:
                item, (x, y) = self._items.pop(sprite), picture.carried[1]
                self._items[sprite._replace(x=round(x), y=round(y))] = item
                self.coords(item, x, y)
        elif picture != old:
            self.refresh()

    @property
    def sprites(self) -> Tuple[Sprite, ...]:
        """What lies over the cells now."""
        return tuple(self._items)

    def refresh(self) -> None:
        """Draw the present picture as it is at this moment."""
        picture = self.picture
        if picture is None or not self._scale[0]:
            return  # the size of the window is not known yet
        scene = Scene(picture, self.layout, self._theme, self._gliding(), self._elapsed())
        self._show_colours(scene.colours())
        # What is painted for another size fits as long as it is small.
        self._show_sprites([sprite for sprite in scene.sprites()
                            if self._scale == self.layout.scale or sprite.layer in (PIECES, CARRIED)])

    def _show_colours(self, colours: Dict[Cell, str]) -> None:
        theme = self._theme
        for cell, colour in colours.items():
            if self._colours.get(cell) == colour:
                continue
            if self._painted:
                tile = self._image(paint_cell, colour, theme.edge, theme.shine, theme.star if cell == THRONE else "")
                x, y = self.layout.centre(cell)
                left, top = self._painted.width() // 2 - self.layout.x - tile.width() // 2, \
                    self._painted.height() // 2 - self.layout.y - tile.height() // 2
                self.tk.call(self._painted, "copy", tile, "-to", round(x + left), round(y + top))
            else:
                self._set(self._faces[cell], fill=colour)
        self._colours = colours

    def _show_sprites(self, sprites: Sequence[Sprite]) -> None:
        """Show these sprites and no others; items are reused, and what stays as it is costs nothing."""
        wanted = set(sprites)
        for sprite in [sprite for sprite in self._items if sprite not in wanted]:
            self._spare[sprite.layer].append(self._items.pop(sprite))
        for sprite in sprites:
            item = self._items.get(sprite)
            if item is None:
                spare = self._spare[sprite.layer]
                item = self._items[sprite] = spare.pop() if spare else self.create_image(0, 0)
                self.tag_lower(item, self._lids[sprite.layer])
                self.coords(item, sprite.x, sprite.y)
            self._set(item, image=self._image(sprite.paint, *sprite.values), state="normal")
        for items in self._spare.values():
            for item in items:
                self._set(item, state="hidden", image="")
        self._drop_images()

    # -- motion: always from the clock --

    def glide(self, origins: Dict[Cell, Point], milliseconds: int, then: Callable[[], None]) -> None:
        """Let the pieces of some cells glide home, each from a point (in pixels), then go on."""
        self._origins, self._began, self._seconds = dict(origins), time.monotonic(), milliseconds / 1000
        self._then, self._arrived = then, None
        self.jobs.later("motion", FRAME_MS, self._step)

    @property
    def is_moving(self) -> bool:
        """Whether something moves or grows."""
        return bool(self._origins) or self._arrived is not None

    def _gliding(self) -> Dict[Cell, Point]:
        """Where the gliding pieces are now: fast at first, gentle at the end."""
        left = (1 - min(1.0, (time.monotonic() - self._began) / self._seconds)) ** 3
        places = {}
        for cell, (from_x, from_y) in self._origins.items():
            x, y = self._home(cell)
            places[cell] = (x + (from_x - x) * left, y + (from_y - y) * left)
        return places

    def _home(self, cell: Cell) -> Point:
        """Where the piece of a cell, or the next guard of the tray, belongs."""
        picture = self.picture
        if cell != TRAY or picture is None:
            return self.layout.centre(cell)
        turn = picture.position.turn
        return self.layout.tray(turn)[max(0, picture.tray[turn] - 1)]

    def _elapsed(self) -> float:
        """Milliseconds since the piece of the last move has arrived, as a Scene wants it."""
        if self._arrived is not None:
            return 1000 * (time.monotonic() - self._arrived)
        return -1.0 if self._brings_news() else math.inf

    def _brings_news(self) -> bool:
        """Whether the piece of the last move is on its way."""
        last = self.picture.last if self.picture else None
        return last is not None and last.target in self._origins

    def _step(self) -> None:
        """One frame: pieces glide, then it is shown what has come of the move, then all is at rest."""
        if self._origins and time.monotonic() - self._began >= self._seconds:
            self._arrived = time.monotonic() if self._brings_news() else None
            self._land()
        if self._arrived is not None and (self.picture is None or self._elapsed() >= news_ms(self.picture)):
            self._arrived = None
        if self.is_moving:
            self.jobs.later("motion", FRAME_MS, self._step)
        self.refresh()
        self.update_idletasks()  # where drawing is slow, the next frame would always come before it

    def _land(self) -> None:
        self._origins, then, self._then = {}, self._then, None
        if then:
            then()

    def end_news(self) -> None:
        """Show at once all that has come of the last move."""
        if self._arrived is not None:
            self._arrived = None
            self.refresh()

    def end_motion(self, goes_on: bool = True) -> None:
        """Put everything where it belongs at once, and go on unless something else has begun."""
        if self.is_moving:
            self.jobs.forget("motion")
            self._arrived = None
            if not goes_on:
                self._then = None
            self._land()
            self.refresh()


# --- 13. Panel -------------------------------------------------------------------

#: What the text of a label has on either side of it.
LABEL_BORDER = 2


def wanted_height(widget: tk.Misc) -> int:
    """The height that a widget needs for what has just been put into it (pixels); Tk itself knows only when idle."""
    if not isinstance(widget, ttk.Frame):
        return widget.winfo_reqheight()
    rows: Dict[int, int] = {}
    most = 0
    for child in widget.grid_slaves():
        place = child.grid_info()
        height = wanted_height(child) + sum(int(pad) * (1 if " " in str(place["pady"]) else 2)
                                            for pad in re.findall(r"[0-9]+", str(place["pady"])))
        if place["rowspan"] > 1:
            most = max(most, height)
        else:
            rows[place["row"]] = max(rows.get(place["row"], 0), height)
    for child in widget.pack_slaves():
        if child.pack_info()["side"] in ("left", "right"):
            most = max(most, wanted_height(child))
        else:
            rows[len(rows)] = wanted_height(child)
    left, top, right, bottom = (*(int(str(pad)) for pad in widget.cget("padding")), 0, 0, 0, 0)[:4]
    return max(most, sum(rows.values())) + top + bottom


def show_or_hide(widget: tk.Widget, is_shown: bool) -> None:
    """Show a widget in its place of the grid, or hide it there."""
    if is_shown:
        widget.grid()
    else:
        widget.grid_remove()


def leave_out(frame: ttk.Frame, height: int, widgets: Sequence[tk.Widget]) -> None:
    """Hide widgets that can be missed, the first ones first, until a frame needs no more than this height (pixels)."""
    for widget in widgets:
        if wanted_height(frame) <= height:
            return
        widget.grid_remove()


class SeatRow(ttk.Frame):
    """A player: disc, name, what the side is doing, and how far it has come."""

    def __init__(self, parent: tk.Misc, look: Look) -> None:
        super().__init__(parent, style="Seat.TFrame", padding=(14, 8, 12, 8))
        self.look = look
        self.shown: Optional[SeatView] = None
        self._width = 300
        self.columnconfigure(1, weight=1)
        self.disc = ttk.Label(self)
        self.disc.grid(row=0, column=0, rowspan=2, padx=(0, 10))
        self.name = ttk.Label(self)
        self.name.grid(row=0, column=1, sticky="w")
        self.caption = ttk.Label(self)
        self.caption.grid(row=1, column=1, sticky="w")
        self.guards = ttk.Label(self)
        self.guards.grid(row=0, column=2, sticky="e")
        self.pips = ttk.Label(self)
        self.pips.grid(row=1, column=2, sticky="e")
        self.clock = ttk.Label(self)
        self.clock.grid(row=0, column=3, rowspan=2, sticky="e", padx=(NEAR, 0))

    def arrange(self, width: int) -> None:
        """Take this width (in pixels); where there is little room, the second line goes."""
        is_dense, self._width = self.look.is_dense, width
        for label in (self.caption, self.guards):
            show_or_hide(label, not is_dense)
        self.pips.grid(row=0 if is_dense else 1)
        self.configure(padding=(10, 2, 6, 2) if is_dense else (14, 8, 12, 8))
        shown, self.shown = self.shown, None
        if shown:
            self.show(shown)

    def show(self, seat: SeatView) -> None:
        """Show a player."""
        if seat == self.shown:
            return
        self.shown = seat
        theme, kind = self.look.theme, "Active" if seat.is_active else "Seat"
        self.configure(style=f"{kind}.TFrame")
        colours = theme.black if seat.side == BLACK else theme.white
        share = 1.3 if self.look.is_dense else 2.4
        size = max(16, round(share * self.look.fonts["body"].metrics("ascent")))
        disc = self.look.picture(paint_piece, size, colours, False)
        self.disc.configure(image=disc, style=f"{kind}.TLabel")
        self.caption.configure(text=seat.caption, style=f"{kind}Small.TLabel")
        self.guards.configure(text=seat.guards, style=f"{kind}Small.TLabel")
        apart = round((0.75 if self.look.is_dense else 1.0) * self.look.fonts["body"].metrics("ascent"))
        is_dense = self.look.is_dense
        self.clock.configure(text=seat.clock, style=f"{kind}{'Bold' if is_dense else 'Name'}.TLabel",
                             foreground=theme.forbidden if seat.is_low else theme.text)
        if seat.clock:
            self.clock.grid()
        else:
            self.clock.grid_remove()
        steps = "" if seat.queen_steps is None else f" {seat.queen_steps}"
        self.pips.configure(style=f"{kind}Small.TLabel", text=steps, compound="left", image=self.look.picture(
            paint_pips, apart, seat.guards_home, seat.is_enthroned, theme.allowed, theme.border))
        self._show_name(seat, kind, self._width - disc.width() - (30 if self.look.is_dense else 38) - 2 * LABEL_BORDER)

    def _show_name(self, seat: SeatView, kind: str, room: int) -> None:
        """Show the name in so many pixels: first the number beside it goes, which the marks tell; then a part of it."""
        fonts, is_dense = self.look.fonts, self.look.is_dense
        font, name = fonts["bold" if is_dense else "name"], seat.name
        # Number and marks share a column, which is as wide as the wider of the two.
        room -= self.clock.winfo_reqwidth() + NEAR if seat.clock else 0
        beside = max(self.pips.winfo_reqwidth(), 0 if is_dense else self.guards.winfo_reqwidth())
        if is_dense or font.measure(name) <= room - beside:
            room -= beside
            self.name.grid(columnspan=1)
            if not is_dense:
                self.guards.grid()
        else:
            self.guards.grid_remove()
            self.name.grid(columnspan=2)
        name = shortened(seat.short or name if font.measure(name) > room else name, font, room)
        self.name.configure(text=name, style=f"{kind}{'Bold' if is_dense else 'Name'}.TLabel")


class ButtonGrid(ttk.Frame):
    """Buttons of a page or card: the primary one in a row of its own, the others in pairs."""

    def __init__(self, parent: tk.Misc, on_command: Callable[[str], None], focus_back: Callable[[], None],
                 on: str = "") -> None:
        super().__init__(parent, style=f"{on}Fill.TFrame" if on else "TFrame")
        #: The box on whose tint the buttons lie, if any: their corners show it.
        self.on = on
        self._on_command = on_command
        self._focus_back = focus_back
        self.buttons: List[ttk.Button] = []
        self._shown: Tuple[Button, ...] = ()

    def lie_on(self, box: str) -> None:
        """Lie on the tint of another box."""
        if box != self.on:
            self.on = box
            self.configure(style=f"{box}Fill.TFrame" if box else "TFrame")
            self.show(())

    def show(self, buttons: Tuple[Button, ...]) -> None:
        """Show these buttons; a button whose command stays is kept, and its focus with it."""
        if buttons == self._shown:
            return
        same_places = [(b.command, b.is_primary) for b in buttons] == [(b.command, b.is_primary) for b in self._shown]
        self._shown = buttons
        if not same_places:
            # Not focus_get(): it fails when the system's file dialog has the focus, which tkinter does not know.
            had_focus = str(self.tk.call("focus")) in map(str, self.buttons)
            for widget in self.buttons:
                widget.destroy()
            self.buttons = [self._make(button) for button in buttons]
            self._place()
            if had_focus and self.buttons:
                self.buttons[0].focus_set()
        for widget, button in zip(self.buttons, buttons):
            widget.configure(text=button.label)
            widget.state(["!disabled" if button.is_possible else "disabled"])

    def _make(self, button: Button) -> ttk.Button:
        style = ("Primary." if button.is_primary else "") + "TButton"
        widget = ttk.Button(self, width=1, style=f"{self.on}.{style}" if self.on else style,
                            command=partial(self._on_command, button.command))
        widget.bind("<ButtonRelease-1>", self._give_focus_back)
        return widget

    def _place(self) -> None:
        for column in (0, 1):
            self.columnconfigure(column, weight=1, uniform="buttons")
        place = 0
        for widget, button in zip(self.buttons, self._shown):
            span = 2 if button.is_primary or widget is self.buttons[-1] and place % 2 == 0 else 1
            widget.grid(row=place // 2, column=place % 2, columnspan=span, sticky="ew", pady=(0, NEAR),
                        padx=((0, NEAR // 2) if place % 2 == 0 else (NEAR // 2, 0)) if span == 1 else 0)
            place += 2 if button.is_primary else 1

    def _give_focus_back(self, _event: object) -> None:
        """Who presses a button by mouse goes on at the board, not at the button."""
        self._focus_back()


class MessageBox(ttk.Frame):
    """The window's only voice: what happened, why, and what to do."""

    KINDS = {"plain": "Plain", "alert": "Alert", "refused": "Alert", "quiet": "Quietly", "sign": "Card", "end": "Card"}

    def __init__(self, parent: tk.Misc, look: Look, on_command: Callable[[str], None],
                 focus_back: Callable[[], None]) -> None:
        super().__init__(parent)
        self.look = look
        self.columnconfigure(1, weight=1)
        #: The signs before the heading and the task, and the sentences.
        self.signs = [ttk.Label(self), ttk.Label(self)]
        self.heading, self.text, self.task = ttk.Label(self), ttk.Label(self), ttk.Label(self)
        self.buttons = ButtonGrid(self, on_command, focus_back, "Card")
        self.shown: Optional[Voice] = None
        self._width = 300

    def arrange(self, width: int) -> None:
        """Break the lines for this width in pixels."""
        if width != self._width:
            self._width, voice, self.shown = width, self.shown, None
            if voice:
                self.show(voice)

    def show(self, voice: Voice) -> None:
        """Say this."""
        if voice == self.shown:
            return
        self.shown = voice
        kind = self.KINDS[voice.kind]
        is_plain = kind == "Plain"
        above, beside = (4, 8) if self.look.is_dense else (12, 18)
        self.configure(style=f"{kind}.TFrame", padding=(0, 4, 0, 4) if is_plain else (beside, above, beside, above))
        size = "Title" if voice.kind in ("plain", "sign", "end") else "Heading"
        signs = self._signs(voice)
        for row, (sign, label, text, style) in enumerate((
                (self.signs[0], self.heading, voice.heading, f"{kind}{size}.TLabel"),
                (None, self.text, voice.text, f"{kind}.TLabel"),
                (self.signs[1], self.task, voice.task, f"{kind}Bold.TLabel"))):
            picture = signs[row] if text else None
            room = self._width - (0 if is_plain else 2 * beside) - 2 * LABEL_BORDER
            room -= picture.width() + 10 if picture else 0
            label.configure(text=text, style=style, wraplength=max(60, room))
            if text:
                column = 1 if picture else 0
                label.grid(row=row, column=column, columnspan=2 - column, sticky="ew", pady=2)
            else:
                label.grid_remove()
            if sign and picture:
                sign.configure(image=picture, style=style)
                sign.grid(row=row, column=0, sticky="n", padx=(0, 8), pady=3)
            elif sign:
                sign.grid_remove()
        self.buttons.lie_on("Card" if kind == "Card" else "")
        self.buttons.show(voice.buttons)
        if voice.buttons:
            self.buttons.grid(row=3, column=0, columnspan=2, sticky="ew", pady=(NEAR, 0))
        else:
            self.buttons.grid_remove()

    def _signs(self, voice: Voice) -> Tuple[Optional[tk.PhotoImage], None, Optional[tk.PhotoImage]]:
        """What stands before the heading, the text and the task: a cross, a crown, the dot that is on the board."""
        look, theme = self.look, self.look.theme
        heading = task = None
        if voice.kind == "refused":
            heading = look.sign("cross")
        elif voice.kind == "end" and voice.is_joy and not look.is_dense:
            size = round(-2.4 * look.fonts["body"].cget("size"))
            heading = look.picture(paint_sign, size, theme.gold, "crown", "#5c3d06")
        if voice.task and not look.is_dense:
            task = look.picture(paint_dot, (round(-4.4 * look.fonts["body"].cget("size")) / 2, 0.0), 1.0, theme.allowed)
        return heading, None, task


class MoveList(ttk.Frame):
    """The moves in two columns, of which only whole rows are seen; a click on one goes there, as do the arrow keys."""

    def __init__(self, parent: tk.Misc, look: Look, on_go: Callable[[int], None],
                 on_line: Callable[[int, int], None], on_command: Callable[[str], None]) -> None:
        super().__init__(parent, style="List.TFrame", padding=5)
        self.look = look
        self.on_go = on_go
        self.on_line = on_line
        self.shown = MovesView((), 0, WHITE)
        self._rows = self.shown.rows()
        self._titles = ("", "")
        self._empty_text = ""
        #: The first row that is seen.
        self.top = 0
        self.columnconfigure(0, weight=1)
        self.rowconfigure(0, weight=1)
        self.canvas = tk.Canvas(self, height=40, width=60, highlightthickness=0, borderwidth=0, takefocus=1)
        self.canvas.grid(row=0, column=0, sticky="nsew")
        self.scrollbar = ttk.Scrollbar(self, command=self._on_scroll)
        self.foot = ttk.Frame(self, style="ListFill.TFrame")
        ttk.Frame(self, style="Line.TFrame", height=1).grid(row=1, column=0, sticky="ew")
        self.foot.grid(row=2, column=0, sticky="ew")
        self.buttons: Dict[str, ttk.Button] = {}
        for column, key in enumerate(("first", "previous", "next", "last")):
            self.foot.columnconfigure(column, weight=1, uniform="foot")
            self.buttons[key] = ttk.Button(self.foot, style="Foot.TButton", command=partial(on_command, key),
                                           takefocus=0)
            self.buttons[key].grid(row=0, column=column, sticky="ew")
        self.canvas.bind("<Button-1>", self._on_click)
        self.canvas.bind("<Configure>", self._on_configure)
        self.canvas.bind("<MouseWheel>", self._on_wheel)
        for button, step in ((4, -3), (5, 3)):
            self.canvas.bind(f"<Button-{button}>", partial(self._scroll_by, step))
        for sequence, step in (("<Up>", -1), ("<Left>", -1), ("<Down>", 1), ("<Right>", 1)):
            self.canvas.bind(sequence, partial(self._on_arrow, step))

    @property
    def row_height(self) -> int:
        """The height of a row in pixels."""
        return self.look.fonts["body"].metrics("linespace") + 6

    @property
    def rows(self) -> int:
        """How many rows the moves and their variations take."""
        return len(self._rows)

    @property
    def visible_rows(self) -> int:
        """How many whole rows are seen below the titles."""
        return max(1, self.canvas.winfo_height() // self.row_height - 1)

    def arrange(self, titles: Tuple[str, str], empty_text: str) -> None:
        """Take the words of a language, and the colours of the theme."""
        self._titles, self._empty_text = titles, empty_text
        theme = self.look.theme
        self.canvas.configure(background=theme.list)
        for key, button in self.buttons.items():
            button.configure(image=self.look.icons(key))
        self._draw()

    def show(self, moves: MovesView, resting: FrozenSet[str]) -> None:
        """Show these moves; the one on the board is in view."""
        for key, button in self.buttons.items():
            button.state(["disabled" if key in resting else "!disabled"])
        if moves != self.shown:
            self.shown, self._rows = moves, moves.rows()
            self._see_current()
            self._draw()

    def _see_current(self) -> None:
        pair = max(0, self.shown.current - 1 + self.shown.first_side) // 2
        row = next((i for i, (number, line) in enumerate(self._rows) if number == pair and line is None), 0)
        self.top = min(max(self.top, row - self.visible_rows + 1), row)
        self.top = max(0, min(self.top, self.rows - self.visible_rows))

    def _draw(self) -> None:
        canvas, theme, fonts, height = self.canvas, self.look.theme, self.look.fonts, self.row_height
        width = max(60, canvas.winfo_width())
        canvas.delete("all")
        number_width = fonts["body"].measure("000. ")
        columns = (number_width + 12, number_width + 12 + (width - number_width) // 2)
        canvas.create_rectangle(0, 0, width, height, width=0, fill=theme.zebra)
        for x, title in zip(columns, self._titles):
            canvas.create_text(x, height / 2, text=title, anchor="w", fill=theme.quiet_text, font=fonts["bold"])
        if not self.shown.moves:
            canvas.create_text(width / 2, (height + canvas.winfo_height()) / 2, text=self._empty_text, width=width - 20,
                               justify="center", fill=theme.quiet_text, font=fonts["body"])
        for place, (pair, line) in enumerate(self._rows[self.top:self.top + self.visible_rows]):
            y = (place + 1.5) * height
            if pair % 2:
                canvas.create_rectangle(0, y - height / 2, width, y + height / 2, width=0, fill=theme.zebra)
            if line is not None:
                self._draw_line(columns[0], y, line.text, width - columns[0] - 16)
                continue
            canvas.create_text(number_width, y, text=f"{pair + 1}.", anchor="e", fill=theme.quiet_text,
                               font=fonts["small"])
            for side in (WHITE, BLACK):
                ply = 2 * pair + side - self.shown.first_side
                if 0 <= ply < len(self.shown.moves):
                    self._draw_move(columns[side], y, ply)
        first, last = self.top / max(1, self.rows), (self.top + self.visible_rows) / max(1, self.rows)
        self.scrollbar.set(first, min(1.0, last))
        if self.rows <= self.visible_rows:
            self.scrollbar.place_forget()
        else:  # beside the moves, below their titles
            self.scrollbar.place(in_=canvas, relx=1, anchor="ne", y=height, relheight=1, height=-height)

    def _draw_line(self, x: float, y: float, text: str, room: float) -> None:
        """A variation, as much of it as fits, in parentheses as in files."""
        theme, font, words = self.look.theme, self.look.fonts["small"], text.split()
        shown = f"({text})"
        while len(words) > 2 and font.measure(shown) > room:
            words.pop()
            shown = f"({' '.join(words)} …)"
        self.canvas.create_text(x, y, text=shown, anchor="w", fill=theme.quiet_text, font=font)

    def _draw_move(self, x: float, y: float, ply: int) -> None:
        """A move; the one on the board on a chip, those taken back in quiet colours."""
        theme, fonts = self.look.theme, self.look.fonts
        is_current = ply == self.shown.current - 1
        text = self.shown.moves[ply]
        colour = theme.on_colour if is_current else theme.text if ply < self.shown.current else theme.disabled_text
        item = self.canvas.create_text(x, y, text=text, anchor="w", fill=colour,
                                       font=fonts["bold"] if is_current else fonts["body"])
        if is_current:
            left, top, right, bottom = self.canvas.bbox(item)
            chip = self.look.picture(paint_chip, right - left + 16, bottom - top + 3, 6, theme.recent)
            self.canvas.tag_lower(self.canvas.create_image((left + right) / 2, y, image=chip), item)

    def line_at(self, y: int) -> Optional[LineView]:
        """The variation at this height in pixels."""
        row = self.top + y // self.row_height - 1
        return self._rows[row][1] if self.top <= row < self.rows else None

    def ply_at(self, x: int, y: int) -> Optional[int]:
        """The number of the move at a pixel, from 0."""
        row = self.top + y // self.row_height - 1
        if not self.top <= row < self.rows or self._rows[row][1]:
            return None
        number_width = self.look.fonts["body"].measure("000. ")
        side = WHITE if x < number_width + 6 + (self.canvas.winfo_width() - number_width) // 2 else BLACK
        ply = 2 * self._rows[row][0] + side - self.shown.first_side
        return ply if 0 <= ply < len(self.shown.moves) else None

    def _on_click(self, event: "tk.Event[Any]") -> None:
        self.canvas.focus_set()
        ply, line = self.ply_at(event.x, event.y), self.line_at(event.y)
        if line is not None:
            self.on_line(line.ply, line.number)
        elif ply is not None:
            self.on_go(ply + 1)

    def _on_arrow(self, step: int, _event: object) -> str:
        self.on_go(self.shown.current + step)
        return "break"

    def _on_configure(self, _event: object) -> None:
        self._see_current()
        self._draw()

    def _on_wheel(self, event: "tk.Event[Any]") -> None:
        self._scroll_by(-3 if event.delta > 0 else 3)

    def _scroll_by(self, rows: int, _event: object = None) -> None:
        self._scroll_to(self.top + rows)

    def _on_scroll(self, kind: str, amount: str, unit: str = "") -> None:
        if kind == "moveto":
            self._scroll_to(round(float(amount) * self.rows))
        else:
            self._scroll_by(int(amount) * (self.visible_rows if unit == "pages" else 1))

    def _scroll_to(self, row: int) -> None:
        self.top = max(0, min(row, self.rows - self.visible_rows))
        self._draw()


class AnalysisPanel(ttk.Frame):
    """What the engine thinks: a score bar, the best lines, and the score over the game as a curve."""

    BAR_HEIGHT, CHART_HEIGHT = 14, 72
    #: Scores beyond this many steps fill the bar and the chart to the edge.
    FULL = 20.0

    def __init__(self, parent: tk.Misc, look: Look, on_go: Callable[[int], None], is_low: bool = True) -> None:
        super().__init__(parent)
        self.look = look
        self.on_go = on_go
        #: Whether the curve is lower, and without marks, where there is little room.
        self.is_low = is_low
        self.shown = AnalysisView("")
        self.columnconfigure(0, weight=1)
        self.bar = tk.Canvas(self, height=self.BAR_HEIGHT, width=1, highlightthickness=0, borderwidth=0)
        self.bar.grid(row=0, column=0, sticky="ew", pady=(0, 4))
        self.summary = ttk.Label(self, style="Small.TLabel")
        self.summary.grid(row=1, column=0, sticky="ew")
        self.lines = [ttk.Label(self, width=1) for _ in range(Analyst.LINES)]
        for row, label in enumerate(self.lines):
            label.grid(row=2 + row, column=0, sticky="ew")
        self.chart = tk.Canvas(self, height=self.CHART_HEIGHT, width=1, highlightthickness=0, borderwidth=0)
        self.chart.grid(row=5, column=0, sticky="ew", pady=(NEAR, 0))
        #: The pictures in the two; the curve is never the same twice, so it is not kept for later.
        self._pictures: List[tk.PhotoImage] = []
        for canvas in (self.bar, self.chart):
            canvas.create_image(0, 0, anchor="nw", tags="picture")
        for widget in (self, self.bar, self.chart):  # the two may be hidden, and then have no width
            widget.bind("<Configure>", self._redraw)
        self.chart.bind("<Button-1>", self._on_click)

    def recolour(self) -> None:
        """Take the colours of the theme; where there is little room, the curve is lower."""
        theme = self.look.theme
        is_low = self.is_low and self.look.is_dense
        self.chart.configure(height=self.CHART_HEIGHT // 2 if is_low else self.CHART_HEIGHT)
        for canvas in (self.bar, self.chart):
            canvas.configure(background=theme.panel)
        self._redraw()

    def show(self, analysis: AnalysisView) -> None:
        """Show an analysis."""
        if analysis == self.shown:
            return
        self.shown = analysis
        self.summary.configure(text=analysis.summary)
        # Where there are no lines, the curve tells as much as the bar.
        for widget, is_shown in ((self.bar, bool(analysis.lines)), (self.summary, bool(analysis.summary)),
                                 (self.chart, bool(analysis.scores)),
                                 *((label, i < len(analysis.lines)) for i, label in enumerate(self.lines))):
            show_or_hide(widget, is_shown)
        self._redraw()

    def _fitting(self, words: Sequence[str], width: int) -> str:
        """As many of the words as fit into this width."""
        measure = self.look.fonts["body"].measure
        text = "  ".join(words[:1])
        for word in words[1:]:
            if measure(f"{text}  {word} …") > width:
                return text + " …"
            text += "  " + word
        return text

    def share(self, score: float) -> float:
        """White's share of the bar for a score (in steps)."""
        return 0.5 + 0.5 * max(-1.0, min(1.0, score / self.FULL))

    def _x(self, ply: int) -> float:
        return 6 + (self.winfo_width() - 12) * ply / max(1, self.shown.plies)

    def _redraw(self, _event: object = None) -> None:
        shown, width = self.shown, self.winfo_width()
        self.summary.configure(wraplength=max(100, width))
        for label, words in zip(self.lines, shown.lines):
            label.configure(text=self._fitting(words, width - 2 * LABEL_BORDER))
        self._pictures.clear()
        theme, width = self.look.theme, max(40, width)
        self.chart.delete("mark")
        self._put(self.bar, paint_share(width, self.BAR_HEIGHT, self.share(shown.score or 0.0), theme))
        points = self.points()
        if len(points) > 1:
            height = self.chart.winfo_height()
            around = [(x - width / 2, y - height / 2) for x, y in points]
            self._put(self.chart, paint_curve(width, height, around, self._x(shown.current) - width / 2, theme))
            self._draw_marks(points)

    def _draw_marks(self, points: Sequence[Point]) -> None:
        """The marks of moves beside the curve, where the position before the move stands."""
        width, height, room = self.chart.winfo_width(), self.chart.winfo_height(), 0.85 * self.look.em
        for ply, mark in self.shown.marks:
            if ply < len(points) and not (self.is_low and self.look.is_dense):
                x, y = points[ply]
                y += 1.6 * room if y < height / 2 else -1.6 * room
                place = min(max(room, x), width - room), min(max(room, y), height - room)
                draw_mark(self.chart, self.look, place, mark)

    def _put(self, canvas: tk.Canvas, raster: Raster) -> None:
        self._pictures.append(tk.PhotoImage(master=self, data=raster.png(), format="png"))
        canvas.itemconfigure("picture", image=self._pictures[-1])

    def points(self) -> List[Point]:
        """The scores as points of the curve (pixels), as far as they are known without a gap."""
        scores, height = dict(self.shown.scores), self.chart.winfo_height()
        known = next((ply for ply in range(self.shown.plies + 1) if ply not in scores), self.shown.plies + 1)
        return [(self._x(ply), height - 4 - (height - 8) * self.share(scores[ply])) for ply in range(known)]

    def _on_click(self, event: "tk.Event[Any]") -> None:
        if self.shown.scores:
            share = (event.x - 6) / max(1, self.chart.winfo_width() - 12)
            self.on_go(round(min(1.0, max(0.0, share)) * self.shown.plies))


#: A tile of the shelf in widths of the letter m: width, height, distance; its cells' radius as a share of its width.
TILE_WIDTH, TILE_HEIGHT, TILE_APART, TILE_CELL = 7.8, 9.0, 0.8, 0.05
#: The same of a tile with a title: width, height, cells' radius; the height of the title; so many letters are shown.
TITLED_WIDTH, TITLED_HEIGHT, TITLED_CELL, TITLE_HEIGHT, MOST_TITLE = 12.5, 12.8, 0.045, 1.8, 24


class Shelf(ttk.Frame):
    """All puzzles as tiles with small boards, in place of the board: a click or Enter opens one, arrow keys choose."""

    def __init__(self, parent: tk.Misc, look: Look, on_choice: Callable[[str], None]) -> None:
        super().__init__(parent, style="Board.TFrame")
        self.look = look
        self.on_choice = on_choice
        self.shown: Optional[ShelfView] = None
        #: By the number of a puzzle: where its tile begins (pixels), and the picture that is its border.
        self._places: Dict[int, Tuple[int, int]] = {}
        self._borders: Dict[int, int] = {}
        self.columnconfigure(0, weight=1)
        self.rowconfigure(0, weight=1)
        self.canvas = tk.Canvas(self, width=60, height=60, highlightthickness=0, borderwidth=0, takefocus=1)
        self.canvas.grid(row=0, column=0, sticky="nsew")
        self.scrollbar = ttk.Scrollbar(self, command=self.canvas.yview)
        self.scrollbar.grid(row=0, column=1, sticky="ns")
        self.canvas.configure(yscrollcommand=self.scrollbar.set)
        self.canvas.bind("<Button-1>", self._on_click)
        self.canvas.bind("<Configure>", self._on_configure)
        self.canvas.bind("<MouseWheel>", self._on_wheel)
        for button, step in ((4, -1), (5, 1)):
            self.canvas.bind(f"<Button-{button}>", partial(self._scroll_by, step))
        for key, columns, rows in (("Up", 0, -1), ("Down", 0, 1), ("Left", -1, 0), ("Right", 1, 0)):
            for sequence in (f"<{key}>", f"<KP_{key}>"):
                self.canvas.bind(sequence, partial(self._on_arrow, columns, rows))
        for sequence in ("<Return>", "<KP_Enter>", "<space>"):
            self.canvas.bind(sequence, self._on_enter)

    @property
    def tile_size(self) -> Tuple[int, int, int]:
        """Width and height of a tile, and what lies between two (pixels)."""
        em = self.look.em
        width, height = (TITLED_WIDTH, TITLED_HEIGHT) if self._is_titled else (TILE_WIDTH, TILE_HEIGHT)
        return round(width * em), round(height * em), round(TILE_APART * em)

    @property
    def _is_titled(self) -> bool:
        """Whether titles stand on the tiles, which are larger then: where there is room for two of them in a row."""
        groups = self.shown.groups if self.shown else ()
        has_room = self.canvas.winfo_width() > 2.2 * TITLED_WIDTH * self.look.em
        return has_room and any(tile.title for _title, _count, tiles in groups for tile in tiles)

    def show(self, shelf: ShelfView) -> None:
        """Show these puzzles, the chosen one in view."""
        old, self.shown = self.shown, shelf
        if old is None or old._replace(chosen=shelf.chosen) != shelf:
            self.draw()
        else:
            self._mark(old.chosen, False)
            self._mark(shelf.chosen, True)
        self._see(shelf.chosen)

    def draw(self) -> None:
        """Draw all tiles anew: the window has another size, the theme has changed, or a puzzle has been solved."""
        shelf, canvas, theme, fonts = self.shown, self.canvas, self.look.theme, self.look.fonts
        canvas.configure(background=theme.window)
        canvas.delete("all")
        self._places, self._borders = {}, {}
        if shelf is None:
            return
        width, height, apart = self.tile_size
        columns = max(1, (canvas.winfo_width() - 2 * apart) // (width + apart))
        y = apart
        for title, count, tiles in shelf.groups:
            item = canvas.create_text(2 * apart, y, text=title, anchor="nw", fill=theme.text, font=fonts["bold"])
            canvas.create_text(canvas.bbox(item)[2] + apart, y, text=count, anchor="nw", font=fonts["body"],
                               fill=theme.allowed if any(tile.state != "open" for tile in tiles) else theme.quiet_text)
            y += fonts["bold"].metrics("linespace") + apart // 2
            for place, tile in enumerate(tiles):
                row, column = divmod(place, columns)
                self._draw_tile(tile, 2 * apart + column * (width + apart), y + row * (height + apart))
            y += ((len(tiles) - 1) // columns + 1) * (height + apart) + apart // 2
        self._draw_legend(shelf.legend, 2 * apart, y)
        canvas.configure(scrollregion=(0, 0, canvas.winfo_width(), y + 2 * self.look.em), yscrollincrement=height // 4)
        self._mark(shelf.chosen, True)
        self._see(shelf.chosen)

    def _draw_tile(self, tile: Tile, x: int, y: int) -> None:
        canvas, look, theme = self.canvas, self.look, self.look.theme
        width, height, _apart = self.tile_size
        middle, em = (x + width / 2, y + height / 2), look.em
        self._places[tile.number] = x, y
        self._borders[tile.number] = canvas.create_image(*middle)
        self._mark(tile.number, False)
        canvas.create_image(*middle, image=look.picture(paint_chip, width - 2, height - 2, 6.0, theme.list))
        radius, lower = TILE_CELL * width, 0.06 * height
        if self._is_titled:
            radius, lower = TITLED_CELL * width, -0.35 * TITLE_HEIGHT * em
            canvas.create_text(middle[0], y + height - 0.5 * em, text=visible(tile.title, MOST_TITLE), anchor="s",
                               fill=theme.text, font=look.fonts["small"])
        layout = Layout(radius, middle[0], middle[1] + lower, tile.position.turn == BLACK)
        canvas.create_image(*layout.centre(THRONE), image=look.picture(paint_small_board, radius, theme))
        for cell in CELLS:
            side = tile.position.side_at(cell)
            if side is not None:
                colours = (theme.white, theme.black)[side]
                canvas.create_image(*layout.centre(cell), image=look.picture(
                    paint_small_piece, 0.86 * radius, colours, tile.position.is_queen(cell)))
        canvas.create_text(x + 0.5 * em, y + 0.3 * em, text=tile.number + 1, anchor="nw", fill=theme.text,
                           font=look.fonts["strong"])
        colours = (theme.white, theme.black)[tile.position.turn]
        canvas.create_image(x + 0.9 * em, y + height - (0.9 + TITLE_HEIGHT * self._is_titled) * em,
                            image=look.picture(paint_small_piece, 0.5 * em, colours, False))
        for place in range(tile.moves):
            canvas.create_image(x + width - (0.7 + 0.55 * place) * em, y + height - 0.8 * em,
                                image=look.picture(paint_small_dot, 0.2 * em, theme.quiet_text))
        if tile.state != "open":
            canvas.create_image(x + width - 0.9 * em, y + 0.9 * em, image=self._tick(tile.state))

    def _tick(self, state: str) -> tk.PhotoImage:
        """A full tick for what has been solved alone, an outlined one for what has been solved with a hint."""
        theme, size = self.look.theme, round(1.4 * self.look.em)
        if state == "solved":
            return self.look.picture(paint_sign, size, theme.allowed, "tick", theme.on_colour)
        return self.look.picture(paint_outlined_sign, size, theme.allowed, theme.list, "tick")

    def _draw_legend(self, legend: Tuple[str, str], x: int, y: int) -> None:
        theme = self.look.theme
        for state, text in zip(("solved", "helped"), legend):
            self.canvas.create_image(x + 0.7 * self.look.em, y, image=self._tick(state))
            item = self.canvas.create_text(x + 1.8 * self.look.em, y, text=text, anchor="w",
                                           font=self.look.fonts["small"], fill=theme.quiet_text)
            x = self.canvas.bbox(item)[2] + 2 * self.look.em

    def _mark(self, number: int, is_chosen: bool) -> None:
        """Give a tile the border of the chosen one, or that of all others."""
        width, height, _apart = self.tile_size
        theme, more = self.look.theme, 6 if is_chosen else 1
        border = self.look.picture(paint_chip, width + more, height + more, 7.0 if is_chosen else 6.0,
                                   theme.allowed if is_chosen else theme.border)
        self.canvas.itemconfigure(self._borders[number], image=border)

    def _see(self, number: int) -> None:
        """Scroll so far that a tile is wholly seen."""
        canvas, (_, height, apart) = self.canvas, self.tile_size
        seen, bottom = canvas.winfo_height(), max(1, float(str(canvas.cget("scrollregion")).split()[-1]))
        top = self._places[number][1]
        first = canvas.canvasy(0)
        if top - 3 * apart < first or number == 0:
            canvas.yview_moveto(max(0, top - 4 * apart) / bottom if number else 0)
        elif top + height + apart > first + seen:
            canvas.yview_moveto((top + height + 2 * apart - seen) / bottom)

    def number_at(self, x: int, y: int) -> Optional[int]:
        """The number of the puzzle whose tile lies at these pixels of the window."""
        width, height, _apart = self.tile_size
        at = self.canvas.canvasx(x), self.canvas.canvasy(y)
        return next((number for number, (left, top) in self._places.items()
                     if 0 <= at[0] - left < width and 0 <= at[1] - top < height), None)

    def _on_click(self, event: "tk.Event[Any]") -> None:
        self.canvas.focus_set()
        number = self.number_at(event.x, event.y)
        if number is not None:
            self.on_choice(f"open {number}")

    def _on_enter(self, _event: object) -> str:
        if self.shown:
            self.on_choice(f"open {self.shown.chosen}")
        return "break"

    def _on_arrow(self, columns: int, rows: int, _event: object) -> str:
        """To the next tile in a direction: along the order of the puzzles, or to the nearest one above or below."""
        if self.shown is None:
            return "break"
        chosen = self.shown.chosen + columns
        x, y = self._places[self.shown.chosen]
        beyond = [(abs(top - y), abs(left - x), number) for number, (left, top) in self._places.items()
                  if (top - y) * rows > 0]
        if rows and beyond:
            chosen = min(beyond)[2]
        if chosen in self._places:
            self.on_choice(f"look {chosen}")
        return "break"

    def _on_configure(self, _event: object) -> None:
        self.draw()

    def _on_wheel(self, event: "tk.Event[Any]") -> None:
        self._scroll_by(-1 if event.delta > 0 else 1)

    def _scroll_by(self, steps: int, _event: object = None) -> None:
        self.canvas.yview_scroll(2 * steps, "units")


#: The states of lines that have a box to be ticked.
BOXES = ("on", "off")


class RowList(ttk.Frame):
    """Lines of a page to choose from, of which only whole ones are seen, with a mark before and a sign behind them."""

    def __init__(self, parent: tk.Misc, look: Look, on_choice: Callable[[str], None]) -> None:
        super().__init__(parent, style="List.TFrame", padding=5)
        self.look = look
        self._on_choice = on_choice
        self.rows: Tuple[Row, ...] = ()
        self.chosen = ""
        self.top = 0
        self.columnconfigure(0, weight=1)
        self.rowconfigure(0, weight=1)
        self.canvas = tk.Canvas(self, height=1, width=60, highlightthickness=0, borderwidth=0, takefocus=1)
        self.canvas.grid(row=0, column=0, sticky="nsew")
        self.canvas.bind("<Button-1>", self._on_click)
        self.canvas.bind("<Configure>", self._on_configure)
        self.canvas.bind("<MouseWheel>", self._on_wheel)
        for button, step in ((4, -1), (5, 1)):
            self.canvas.bind(f"<Button-{button}>", partial(self._scroll_by, step))
        for sequence, step in (("<Up>", -1), ("<Down>", 1)):
            self.canvas.bind(sequence, partial(self._on_arrow, step))
        self.canvas.bind("<space>", self._on_space)

    @property
    def row_height(self) -> int:
        """The height of a line in pixels."""
        return self.look.fonts["body"].metrics("linespace") + (6 if self.look.is_dense else 14)

    @property
    def visible_rows(self) -> int:
        """How many whole lines are seen."""
        return max(1, self.canvas.winfo_height() // self.row_height)

    def show(self, rows: Tuple[Row, ...], chosen: str, least: int = 4) -> None:
        """Show these lines, so many of them at least; the chosen one is in view."""
        is_other = chosen != self.chosen  # else the list stays where it has been scrolled to
        self.rows, self.chosen = rows, chosen
        theme = self.look.theme
        self.canvas.configure(background=theme.list, height=self.row_height * min(least, max(1, len(rows))))
        if is_other:
            self._see_chosen()
        self._scroll_by(0)

    def _number(self) -> Optional[int]:
        return next((number for number, row in enumerate(self.rows) if row.name == self.chosen), None)

    def _see_chosen(self) -> None:
        number = self._number()
        if number is not None:
            self.top = min(max(self.top, number - self.visible_rows + 1), number)
        self.top = max(0, min(self.top, len(self.rows) - self.visible_rows))

    def _draw(self) -> None:
        canvas, theme, fonts, height = self.canvas, self.look.theme, self.look.fonts, self.row_height
        width = max(60, canvas.winfo_width())
        canvas.delete("all")
        for number, row in enumerate(self.rows[self.top:self.top + self.visible_rows]):
            y, x = (number + 0.5) * height, 8
            if row.name == self.chosen:
                canvas.create_rectangle(0, y - height / 2, width, y + height / 2, width=0, fill=theme.zebra)
                canvas.create_rectangle(0, y - height / 2, 4, y + height / 2, width=0, fill=theme.allowed)
            if row.mark:
                x += draw_mark(canvas, self.look, (x + 0.8 * self.look.em, y), row.mark)
            right = width - 8
            if row.state in BOXES:
                x += self._draw_box(x, y, row.state == "on")
            elif row.state:
                right -= self._draw_state(right, y, row.state)
            detail = canvas.create_text(right, y, text=row.detail, anchor="e", fill=theme.quiet_text,
                                        font=fonts["small"])
            text = canvas.create_text(x, y, text=row.text, anchor="w", fill=theme.text, font=fonts["bold"])
            if canvas.bbox(text)[2] > canvas.bbox(detail)[0] - 4:
                canvas.delete(detail)  # there is no room for both
        hidden = len(self.rows) - self.visible_rows
        if hidden > 0:  # how much there is, and where in it one is
            room = canvas.winfo_height()
            length = max(12, room * self.visible_rows // len(self.rows))
            y = (room - length) * self.top // hidden
            canvas.create_rectangle(width - 4, y, width, y + length, width=0, fill=theme.border)

    def _draw_box(self, x: float, y: float, is_on: bool) -> float:
        """A box with or without its tick; its width."""
        theme, size = self.look.theme, round(1.1 * self.look.em)
        box = self.look.picture(paint_choice, theme.list, size, False, theme.allowed if is_on else theme.border,
                                theme.allowed if is_on else theme.list, theme.on_colour if is_on else "")
        self.canvas.create_image(x + size / 2, y, image=box)
        return size + 10

    def _draw_state(self, right: float, y: float, state: str) -> float:
        """A ring, filled when it is done, half so when it was done with help; its width."""
        theme, size = self.look.theme, round(1.1 * self.look.em)
        fill = {"done": theme.allowed, "helped": theme.gold}.get(state, theme.list)
        dot = self.look.picture(paint_ring, size, theme.border if state == "open" else fill, fill)
        self.canvas.create_image(right - size / 2, y, image=dot)
        if state in ("done", "helped"):
            self.canvas.create_text(right - size / 2, y, text="✓", fill=theme.on_colour, font=self.look.fonts["small"])
        return size + 10

    def _on_click(self, event: "tk.Event[Any]") -> None:
        self.canvas.focus_set()
        number = self.top + event.y // self.row_height
        if number < min(len(self.rows), self.top + self.visible_rows):
            self._on_choice(self.rows[number].name)

    def _on_arrow(self, step: int, _event: object) -> str:
        number = self._number()
        if self.rows:
            new = self.rows[0 if number is None else max(0, min(number + step, len(self.rows) - 1))]
            if new.state in BOXES:  # to go there is not to tick it
                self.chosen = new.name
                self._on_configure(None)
            else:
                self._on_choice(new.name)
        return "break"

    def _on_space(self, _event: object) -> None:
        """Tick the box of the chosen line, or take the tick away."""
        number = self._number()
        if number is not None and self.rows[number].state in BOXES:
            self._on_choice(self.chosen)

    def _on_configure(self, _event: object) -> None:
        self._see_chosen()
        self._draw()

    def _on_wheel(self, event: "tk.Event[Any]") -> None:
        self._scroll_by(-1 if event.delta > 0 else 1)

    def _scroll_by(self, rows: int, _event: object = None) -> None:
        self.top = max(0, min(self.top + rows, len(self.rows) - self.visible_rows))
        self._draw()


class CrossTable(tk.Canvas):
    """A table of words and numbers: what has no room is left out, the least important columns first."""

    #: How much of the height of a page the table takes at most.
    SHARE = 0.5

    def __init__(self, parent: tk.Misc, look: Look) -> None:
        super().__init__(parent, height=1, width=60, highlightthickness=0, borderwidth=0)
        self.look = look
        self.rows: Tuple[Tuple[str, ...], ...] = ()
        self.top = 0
        self.bind("<Configure>", self._draw)
        self.bind("<MouseWheel>", self._on_wheel)
        for button, step in ((4, -1), (5, 1)):
            self.bind(f"<Button-{button}>", partial(self._scroll_by, step))

    def show(self, rows: Tuple[Tuple[str, ...], ...], room: int) -> None:
        """Show this table, its heads first, in a page of so many pixels."""
        self.rows = rows
        most = max(3, int(self.SHARE * room / self._height))
        self.configure(height=self._height * min(len(rows), most), background=self.look.theme.list)
        self._draw()

    @property
    def _height(self) -> int:
        return self.look.fonts["body"].metrics("linespace") + (4 if self.look.is_dense else 10)

    def _scroll_by(self, rows: int, _event: object = None) -> None:
        seen = max(1, self.winfo_height() // self._height)
        self.top = max(0, min(self.top + rows, len(self.rows) - seen))
        self._draw()

    def _on_wheel(self, event: "tk.Event[Any]") -> None:
        self._scroll_by(-1 if event.delta > 0 else 1)

    def _draw(self, _event: object = None) -> None:
        self.delete("all")
        if not self.rows:
            return
        theme, fonts, height = self.look.theme, self.look.fonts, self._height
        between = 12 if self.look.is_dense else 16
        widths = [max(fonts["bold"].measure(row[column]) for row in self.rows) + between
                  for column in range(len(self.rows[0]))]
        players = len(self.rows) - 1
        points = slice(2, 2 + players)
        widths[points] = [max(widths[points], default=0)] * len(widths[points])
        columns = columns_with_room(widths, players, max(60, self.winfo_width()))
        widths[1] += max(60, self.winfo_width()) - sum(widths[column] for column in columns)
        seen = self.rows[:1] + self.rows[1 + self.top:]
        for number, row in enumerate(seen[:max(1, self.winfo_height() // height)]):
            y, x = (number + 0.5) * height, 0
            if number == 0 or (number + self.top) % 2 == 0:
                self.create_rectangle(0, y - height / 2, self.winfo_width(), y + height / 2, width=0,
                                      fill=theme.hairline if number == 0 else theme.zebra)
            for column in columns:
                is_name = column == 1
                font = fonts["bold" if number == 0 or column == 2 + players else "body"]
                self.create_text(x + 8 if is_name else x + widths[column] - between / 2, y, font=font, fill=theme.text,
                                 anchor="w" if is_name else "e", text=shortened(row[column], font, widths[column] - 8))
                x += widths[column]


def columns_with_room(widths: Sequence[int], players: int, room: int) -> List[int]:
    """The columns of a crosstable of so many players that are shown in so many pixels: always number, name and points.

    If there is room for them, then the points against each other one, errors, and wins, draws and losses.
    """
    points, won, drawn, lost, *others = range(2 + players, len(widths))
    columns = [0, 1, points]
    for group in (list(range(2, points)), others, [won, drawn, lost]):
        if sum(widths[column] for column in columns + group) <= room:
            columns += group
    return sorted(columns)


def shortened(text: str, font: tkfont.Font, room: float) -> str:
    """As much of a text as has room (pixels)."""
    if font.measure(text) <= room:
        return text
    while text and font.measure(text + "…") > room:
        text = text[:-1]
    return text + "…"


def draw_mark(canvas: tk.Canvas, look: Look, place: Point, mark: str) -> float:
    """Draw the mark of a move ('?', '??', ...) on a disc around a place; the room that it takes (pixels)."""
    theme, size = look.theme, round(1.5 * look.em)
    colour = {"??": theme.forbidden, "?": theme.recent}.get(mark, theme.quiet_text)
    canvas.create_image(*place, image=look.picture(paint_ring, size, colour, colour), tags="mark")
    canvas.create_text(*place, text=mark, fill=theme.on_colour, font=look.fonts["bold"], tags="mark")
    return size + 10


class SidePage(ttk.Frame):
    """The page beside the board for tour, puzzles and set-up."""

    #: The rows of the room above and below, of the list that takes it when there is one, and of the feedback.
    ABOVE, BELOW, LIST, FEEDBACK = 4, 13, 11, 10
    #: So many lines are a short list.
    SHORT = 4

    def __init__(self, parent: tk.Misc, look: Look, on_command: Callable[[str], None],
                 on_choice: Callable[[str], None], focus_back: Callable[[], None]) -> None:
        super().__init__(parent)
        self.look = look
        self._on_choice = on_choice
        self._focus_back = focus_back
        self.shown: Optional[PageView] = None
        self.columnconfigure(0, weight=1)
        # The block of text stands near the board's middle: what is left is shared out above and below it.
        self.rowconfigure(self.ABOVE, weight=2)
        self.rowconfigure(self.BELOW, weight=3)
        self.head = head = ttk.Frame(self)
        head.grid(row=0, column=0, sticky="ew")
        head.columnconfigure(0, weight=1)
        self.title = ttk.Label(head, style="Name.TLabel")
        self.title.grid(row=0, column=0, sticky="w")
        self.context = ttk.Label(head, style="Small.TLabel")
        self.context.grid(row=1, column=0, sticky="w")
        self.dots = tk.Canvas(self, height=22, width=1, highlightthickness=0, borderwidth=0)
        self.dots.grid(row=1, column=0, sticky="ew", pady=(NEAR, 0))
        self.dots.bind("<Configure>", self._draw_dots)
        self.curve = AnalysisPanel(self, look, self._on_ply, is_low=False)
        self.table = CrossTable(self, look)
        self.list = RowList(self, look, on_choice)
        self.heading = ttk.Label(self, style="Title.TLabel")
        self.text = ttk.Label(self, style="Lead.TLabel")
        self.picture = ttk.Label(self)
        self.choices = ttk.Frame(self)
        self.task_box = ttk.Frame(self, style="Task.TFrame", padding=(18, 10, 12, 10))
        self.task = ttk.Label(self.task_box, style="TaskName.TLabel")
        self.task.grid(sticky="ew")
        self.feedback = ttk.Label(self)
        self.buttons = ButtonGrid(self, on_command, focus_back)
        self.note = ttk.Label(self, style="Small.TLabel", anchor="center", justify="center")
        for row, widget in ((2, self.curve), (3, self.table), (5, self.heading), (6, self.text), (7, self.picture),
                            (8, self.choices), (9, self.task_box), (self.FEEDBACK, self.feedback),
                            (self.LIST, self.list), (12, self.buttons), (14, self.note)):
            widget.grid(row=row, column=0, sticky="nsew" if widget is self.list else "ew", pady=(0, 10))
        #: What is chosen in each row of choices.
        self._chosen: List[tk.StringVar] = []
        self._shown_choices: Choices = ()
        self._width, self._height = 300, 600

    def arrange(self, width: int, height: int) -> None:
        """Fit into this room (pixels); where there is little, things stand closer together."""
        for label in (self.heading, self.text, self.note, self.title, self.context):
            label.configure(wraplength=width - 2 * LABEL_BORDER)
        self.task.configure(wraplength=width - 34)
        self._width, self._height = width, height
        page, self.shown = self.shown, None
        if page:
            self.show(page)

    def _stand_apart(self, is_close: bool) -> None:
        """Let things stand apart, or closer together."""
        self.task_box.configure(padding=(14, 2, 8, 2) if is_close else (18, 10, 12, 10))
        has_list = self.shown is not None and bool(self.shown.rows)  # which takes the room below the head
        self.head.grid_configure(pady=(0, APART if has_list and not is_close else 0))
        for widget in (self.heading, self.text, self.choices, self.task_box, self.feedback, self.buttons):
            if widget.winfo_manager():
                widget.grid_configure(pady=(0, 2 if is_close else 10))
        self.rowconfigure(self.FEEDBACK, minsize=0 if is_close else self._feedback_room())

    def _feedback_room(self) -> int:
        """What is kept free for two lines of feedback (pixels), so that choices do not jump when it comes or goes."""
        page = self.shown
        if page is None or not page.choices or page.rows:
            return 0
        verdict = self.look.fonts["bold" if self.look.is_dense else "heading"]
        return 2 * verdict.metrics("linespace") + 2 * LABEL_BORDER + 10

    def show(self, page: PageView) -> None:
        """Show a page."""
        if page == self.shown:
            return
        self.shown = page
        for label, text in ((self.title, page.title), (self.context, page.context), (self.heading, page.heading),
                            (self.text, page.text), (self.feedback, page.feedback), (self.note, page.note)):
            label.configure(text=text)
            show_or_hide(label, bool(text))
        self.task.configure(text=page.task)
        sign = self.look.sign("tick" if page.is_praise else "cross")
        style = "TLabel" if page.is_neutral else "Good.TLabel" if page.is_praise else "Bad.TLabel"
        self.feedback.configure(style=style, compound="left", image="" if page.is_neutral else sign,
                                wraplength=self._width - 4 * LABEL_BORDER - sign.width())
        has_picture = page.picture == "lines"
        if has_picture:
            size = round(1.15 * self.look.fonts["body"].metrics("ascent"))
            self.picture.configure(image=self.look.picture(paint_enclosures, self._width, size, self.look.theme))
        for widget, is_shown in ((self.task_box, bool(page.task)), (self.dots, bool(page.dots)),
                                 (self.picture, has_picture),
                                 (self.curve, page.curve is not None), (self.list, bool(page.rows)),
                                 (self.table, bool(page.table)),
                                 (self.choices, bool(page.choices)), (self.head, True)):
            show_or_hide(widget, is_shown)
        if page.curve:
            self.curve.show(page.curve)
        if page.table:
            self.table.show(page.table, self._height)
        self.list.show(page.rows, page.chosen_row, 2 if page.table else self.SHORT)
        self._show_choices(page.choices, page.chosen)
        self.buttons.show(page.buttons)
        self._draw_dots()
        self._stand_apart(is_close=False)
        if wanted_height(self) + (0 if page.feedback else self._feedback_room()) > self._height:
            self._stand_apart(is_close=True)
        first = (self.note, self.text, self.heading) if page.table else (self.note,)
        leave_out(self, self._height, (*first, self.picture, self.context, self.head, self.dots,
                                       *((self.text,) if page.feedback else ()), self.curve, self.choices if page.rows
                                       else self.note, self.list))
        self._share_out(page)

    def _share_out(self, page: PageView) -> None:
        """Give the room that is left to a long list; a short one is as high as its lines, and the page ends there."""
        is_short = len(page.rows) <= self.SHORT and not page.table and wanted_height(self) <= self._height
        has_list = bool(page.rows) and not is_short
        for row, weight in ((self.ABOVE, 0 if page.rows else 2), (self.LIST, int(has_list)),
                            (self.BELOW, 0 if has_list else 3)):
            self.rowconfigure(row, weight=weight)

    def _on_ply(self, ply: int) -> None:
        """A click on the curve chooses what is nearest to it."""
        self._on_choice(str(ply))

    def _draw_dots(self, _event: object = None) -> None:
        """The pages as dots: those behind are filled, the open one is a ring."""
        page, theme = self.shown, self.look.theme
        self.dots.configure(background=theme.panel)
        self.dots.delete("all")
        if page is None or not page.dots:
            return
        apart = min(1.9 * self.look.em, (self.dots.winfo_width() - 20) / max(1, page.dots - 1))
        for i in range(page.dots):
            is_behind = i <= page.current
            dot = self.look.picture(paint_ring, 10, theme.allowed if is_behind else theme.border,
                                    theme.allowed if is_behind else theme.panel,
                                    halo=theme.panel if i == page.current else "")
            self.dots.create_image(10 + i * apart, 11, image=dot)

    def _show_choices(self, choices: Choices, chosen: str) -> None:
        if choices != self._shown_choices:
            self._shown_choices = choices
            self._make_choices(choices)
        for variable, (_title, labels) in zip(self._chosen, choices):
            variable.set(next((name for name, _label in labels if name in chosen.split()), ""))

    def _make_choices(self, choices: Choices) -> None:
        for child in self.choices.winfo_children():
            child.destroy()
        self._chosen = [tk.StringVar(self) for _row in choices]
        for row, (title, labels) in enumerate(choices):
            ttk.Label(self.choices, text=title).grid(row=row, column=0, sticky="w", padx=(0, 10))
            for column, (name, label) in enumerate(labels, 1):
                choice = ttk.Radiobutton(self.choices, text=label, value=name, variable=self._chosen[row],
                                         command=partial(self._on_choice, name))
                span = 2 if len(labels) == 1 else 1  # a choice alone in its row does not widen the columns
                choice.grid(row=row, column=column, columnspan=span, sticky="w", padx=(0, 10), pady=1)
                choice.bind("<ButtonRelease-1>", self._give_focus_back)

    def _give_focus_back(self, _event: object) -> None:
        self._focus_back()


class StageCanvas(tk.Canvas):
    """The drawn tree of the theatre: shows a Stage; a click on a box selects it or unfolds what lies behind it."""

    #: How long a value takes to climb, in milliseconds.
    RISE_MS = 300
    BORDER = 2
    #: So many painted pictures are kept.
    MOST_PICTURES = 400

    def __init__(self, parent: tk.Misc, look: Look, jobs: Jobs, on_command: Callable[[str], None],
                 on_choice: Callable[[str], None]) -> None:
        super().__init__(parent, highlightthickness=self.BORDER, borderwidth=0, takefocus=1, width=1, height=1)
        self.look, self._jobs, self._on_choice = look, jobs, on_choice
        self.shown = Stage()
        self._words: Tuple[str, str] = ("", "")
        self._is_lively = False
        self._legend = [tk.Label(self, compound="left", borderwidth=0, padx=4, pady=0) for _ in range(2)]
        self._pictures: Dict[Tuple[Any, ...], tk.PhotoImage] = {}
        #: The middles of the boxes by path, and the way of the value that climbs (pixels).
        self.places: Dict[str, Point] = {}
        self._rise: Tuple[Point, Point, float] = ((0, 0), (0, 0), 0.0)
        #: The size inside the border (pixels).
        self._wide, self._high = 1, 1
        #: The job that lets a value climb.
        self._job = f"rise {self}"
        self.bind("<Configure>", self._redraw)
        self.bind("<Button-1>", self._on_click)
        for key, command in (("Right", "next"), ("Left", "previous"), ("space", "show_run")):
            self.bind(f"<{key}>", partial(self._on_key, on_command, command))
        for key, choice in (("Down", "node_down"), ("Up", "node_up"), ("Return", "fold_")):
            self.bind(f"<{key}>", partial(self._on_key, on_choice, choice))
        for sequence, step in (("<Button-4>", -1), ("<Button-5>", 1)):
            self.bind(sequence, partial(self._scroll, step))
        self.bind("<MouseWheel>", self._on_wheel)

    # -- measures (pixels) --

    def _least_column(self, stage: Stage) -> float:
        """The width that a leaf needs with what stands above it."""
        fonts = self.look.fonts
        labels = [node.label for node in stage.nodes] or [""]
        values = [node.value for node in stage.nodes] or [""]
        widest = max(max(map(fonts["small"].measure, labels)), max(map(fonts["strong"].measure, values)))
        return max(widest, 3.2 * self.look.em) + 6

    def _below(self, has_notes: bool) -> float:
        """What the lowest leaves need below their middle."""
        line, small = (self.look.fonts[name].metrics("linespace") for name in ("body", "small"))
        return 0.95 * line + (2 * small + 18 if has_notes else 8)

    def least_size(self, stage: Stage) -> Point:
        """The room in which a tree is easy to read, notes included, which come only as the show goes on."""
        line = self.look.fonts["body"].metrics("linespace")
        return (self._least_column(stage) * stage.columns + line + 26,
                1.5 * line + 16 + 3.9 * line * max(1, len(stage.levels) - 1) + self._below(True))

    def _measure(self) -> None:
        """Work out how large everything is, from the fonts and the words."""
        fonts, stage = self.look.fonts, self.shown
        line = fonts["body"].metrics("linespace")
        self._line, self._small = line, fonts["small"].metrics("linespace")
        values = [node.value for node in stage.nodes] or [""]
        self.least_column = self._least_column(stage)
        self._leaf = (self.least_column - 8, 1.9 * line)
        self._inner = (max(max(map(fonts["bold"].measure, values)) + 24, 5 * self.look.em), 2.0 * line)
        names = max([fonts["strong"].measure(name) for _, name, _ in stage.levels] or [0]) + line + 16
        lines = [word for _, _, words in stage.levels for word in words.split("\n")]
        words = max([fonts["small"].measure(word) for word in lines] or [0]) + 20
        # Where it is narrow, the words go first, then the names; the discs stay.
        spare = self._wide - self.least_column * stage.columns - 12
        self._left = next((margin for margin in (max(names, words), names) if margin <= max(spare, 0.2 * self._wide)),
                          line + 10)
        self._has_words = self._left >= max(names, words)
        self._has_names = self._left >= names
        room = self._wide - self._left - 12
        self._column = min(max(self.least_column, room / max(1.0, stage.columns)), 1.7 * self.least_column)
        self._begin = self._left + max(0.0, (room - self._column * stage.columns) / 2)
        bottom = self._below(bool(stage.notes))
        levels, top = max(1, len(stage.levels) - 1), 1.5 * line + 6
        spread = (self._high - top - bottom - 6) / levels
        self._top, self._apart = top, min(max(spread, 3.6 * line), 9 * line)
        self._reach = (self._begin + self._column * stage.columns + 12, top + self._apart * levels + bottom)

    def _place(self, node: StageNode) -> Point:
        return self._begin + self._column * node.column, self._top + self._apart * node.level

    def _size(self, node: StageNode) -> Point:
        return self._inner if node.kind in ("max", "min") else self._leaf

    # -- drawing --

    def show(self, stage: Stage, words: Tuple[str, str], is_lively: bool) -> None:
        """Show a tree; `words` explain the two colours of lines, and lively values climb."""
        if (stage, words) == (self.shown, self._words):
            return
        self.shown, self._words, self._is_lively = stage, words, is_lively
        self._redraw()

    def recolour(self) -> None:
        """Take colours and fonts anew."""
        theme = self.look.theme
        self.configure(background=theme.list, highlightbackground=theme.border, highlightcolor=theme.allowed)
        self._pictures.clear()
        self._redraw()

    def _redraw(self, _event: object = None) -> None:
        self.delete("all")
        if len(self._pictures) > self.MOST_PICTURES:
            self._pictures.clear()
        self._jobs.forget(self._job)
        stage = self.shown
        self.places = {}
        self._wide, self._high = self.winfo_width() - 2 * self.BORDER, self.winfo_height() - 2 * self.BORDER
        if self._wide <= 1 or not stage.nodes:
            return
        self._measure()
        self.configure(scrollregion=(0, 0, max(self._reach[0], self._wide),
                                     max(self._reach[1], self._high)))
        self._draw_levels()
        self.places = {node.path: self._place(node) for node in stage.nodes}
        nodes = {node.path: node for node in stage.nodes}
        order = ("waiting", "cut", "plain", "best", "current")
        for edge in sorted(stage.edges, key=lambda edge: order.index(edge.kind)):
            self._draw_edge(edge, nodes)
        for node in stage.nodes:
            self._draw_node(node)
        for note in stage.notes:
            self._draw_note(note)
        self._draw_window(nodes)
        self._draw_rise(nodes)
        self._see()
        self._draw_legend()

    def _draw_levels(self) -> None:
        """A band for each level with disc, name and what it looks for."""
        theme, fonts = self.look.theme, self.look.fonts
        right = max(self._reach[0], self._wide)
        for number, (side, name, word) in enumerate(self.shown.levels):
            y = self._top + self._apart * number
            if number % 2:
                self.create_rectangle(0, y - self._apart / 2, right, y + self._apart / 2, fill=theme.zebra, outline="")
            x, height = 8.0, y - (self._small if self._has_words else 0)
            if side is not None:
                disc = self._picture(paint_piece, round(0.9 * self._line), (theme.white, theme.black)[side], False)
                self.create_image(x + disc.width() / 2, height, image=disc)
                x += disc.width() + 2
            if self._has_names:
                self.create_text(x, height, text=name, font=fonts["strong"], fill=theme.text, anchor="w")
            if self._has_words:
                self.create_text(10, y - self._small * 0.4, text=word, font=fonts["small"], fill=theme.quiet_text,
                                 anchor="nw")

    def _draw_legend(self) -> None:
        """What the colours of lines mean, in the upper right corner, where it does not scroll away, nor over a box."""
        theme, font = self.look.theme, self.look.fonts["small"]
        left = self._wide - max(font.measure("  " + word) for word in self._words) - 60
        rights = [self._place(node)[0] + self._size(node)[0] / 2 for node in self.shown.nodes if not node.level]
        is_shown = self._wide > 36 * self.look.em and all(right - self.canvasx(0) < left for right in rights)
        for number, (label, word, colour) in enumerate(zip(self._legend, self._words, (theme.gold, theme.allowed))):
            line = self._picture(paint_chip, 26, 4, 2, colour)
            label.configure(text="  " + word, image=line, font=font, background=theme.list,
                            foreground=theme.quiet_text)
            if is_shown:
                label.place(relx=1.0, x=-6, y=4 + number * (self._small + 3), anchor="ne")
            else:
                label.place_forget()

    def _picture(self, paint: Callable[..., Raster], *values: Any) -> tk.PhotoImage:
        """A painted picture; there are too many of them to be kept for good."""
        key = (paint, values)
        if key not in self._pictures:
            self._pictures[key] = tk.PhotoImage(master=self, data=paint(*values).png(), format="png")
        return self._pictures[key]

    def _ends(self, edge: StageEdge, nodes: Dict[str, StageNode]) -> Tuple[Point, Point]:
        """Where the line of an edge begins and ends: below the parent's box, above the child's label."""
        (x1, y1), (x2, y2) = self.places[edge.parent], self.places[edge.child]
        return ((x1, y1 + self._inner[1] / 2),
                (x2, y2 - self._size(nodes[edge.child])[1] / 2 - self._small - 6))

    def _draw_edge(self, edge: StageEdge, nodes: Dict[str, StageNode]) -> None:
        theme = self.look.theme
        colour, width = {"waiting": (theme.border, 1.0), "cut": (theme.quiet_text, 1.5),
                         "plain": (theme.quiet_text, 2.0), "best": (theme.gold, 4.0),
                         "current": (theme.allowed, 4.0)}[edge.kind]
        (x1, y1), (x2, y2) = self._ends(edge, nodes)
        if len(nodes) > WHOLE_TREE:  # painting the long lines of a wide tree would take a second
            self.create_line(x1, y1, x2, y2, width=width, fill=colour, dash=(4, 4) if edge.kind == "cut" else ())
        else:
            line = self._picture(paint_line, round(x2 - x1), round(y2 - y1), width, colour, edge.kind == "cut")
            self.create_image((x1 + x2) / 2, (y1 + y2) / 2, image=line)
        if edge.kind == "cut":
            scissors = self._picture(paint_strokes, round(0.8 * self._line), theme.forbidden, theme.list)
            self.create_image(x1 + 0.62 * (x2 - x1), y1 + 0.62 * (y2 - y1), image=scissors)

    def _draw_node(self, node: StageNode) -> None:
        theme, fonts = self.look.theme, self.look.fonts
        (x, y), (width, height) = self.places[node.path], self._size(node)
        fill, text, border = theme.list, theme.text, theme.border
        if node.kind == "min":
            fill, text, border = theme.black.shaded, ON_PIECES[BLACK], theme.black.rim
        elif node.kind == "max":
            fill, text, border = theme.white.lit, ON_PIECES[WHITE], theme.white.rim
        if node.stage == "waiting":
            fill, text, border = mix(fill, theme.list, 0.6), theme.quiet_text, theme.border
        if node.is_best and node.kind in ("leaf", "folded"):
            border = theme.gold
        is_round = node.is_current or node.is_selected
        ring = theme.allowed if node.is_current else theme.text if node.is_selected else ""
        if node.is_current and node.kind in ("leaf", "folded"):
            fill = theme.good_tint
        self.create_image(x, y, image=self._picture(
            paint_card, round(width), round(height), fill, theme.quiet_text if node.stage == "cut" else border,
            ring if is_round else "", node.stage == "cut", node.kind == "folded"))
        font = fonts["bold" if node.kind in ("max", "min") else "strong"]
        value = "?" if node.stage == "cut" else node.value
        self.create_text(x, y, text=value, font=font, fill=theme.quiet_text if node.stage == "cut" else text)
        if node.label:
            is_quiet = node.stage in ("cut", "waiting")
            name = "struck" if node.stage == "cut" else "strong" if node.is_current or node.is_best else "small"
            self.create_text(x, y - height / 2 - self._small / 2 - 5, text=node.label, font=fonts[name],
                             fill=theme.quiet_text if is_quiet else theme.text)

    def _draw_note(self, note: StageNote) -> None:
        """A bracket below moves that were cut off, and why."""
        theme, small = self.look.theme, self._small
        x1, x2 = (self._begin + self._column * column for column in (note.begin, note.end))
        y = self._top + self._apart * note.level + self._leaf[1] / 2 + 5
        self.create_line(x1, y, x1, y + 5, x2, y + 5, x2, y, fill=theme.forbidden, width=1.6)
        middle, reach = self._begin + self._column * note.middle, 0.5 * self._column * note.room
        item = self.create_text((x1 + x2) / 2, y + 8, text=note.text, font=self.look.fonts["small"], fill=theme.text,
                                anchor="n", justify="center")
        left, _, right, _ = self.bbox(item)
        shift = max(0, middle - reach - left) - max(0, right - middle - reach)
        self.move(item, shift if right - left < 2 * reach else middle - (left + right) / 2, 0)
        self.configure(scrollregion=(0, 0, max(self._reach[0], self._wide),
                                     max(self._reach[1], self._high, y + 8 + 2 * small)))

    def _draw_window(self, nodes: Dict[str, StageNode]) -> None:
        """Alpha and beta beside the node that is being looked at."""
        theme, fonts, stage = self.look.theme, self.look.fonts, self.shown
        here = next((node for node in stage.nodes if node.is_current and node.kind in ("max", "min")), None)
        if stage.rising:
            here = nodes[stage.rising.rpartition(".")[0]]
        if here is None or not stage.alpha:
            return
        texts = (f"α = {stage.alpha}", f"β = {stage.beta}")
        width = max(map(fonts["strong"].measure, texts)) + 16
        x, y = self.places[here.path]
        beside = [place[0] for path, place in self.places.items() if nodes[path].level == here.level and place[0] < x]
        room = x - self._inner[0] / 2 - (max(beside) + self._inner[0] / 2 if beside else self._left)
        side = -1 if room > width + 14 else 1
        x += side * (self._inner[0] / 2 + 10 + width / 2)
        for text, colour, sign in zip(texts, (theme.gold, theme.allowed), (-1, 1)):
            chip = self._picture(paint_card, width, round(1.1 * self._line), theme.list, colour, "", False, False)
            self.create_image(x, y + sign * 0.58 * self._line, image=chip)
            self.create_text(x, y + sign * 0.58 * self._line, text=text, font=fonts["strong"], fill=theme.text)

    # -- the value that climbs --

    def _draw_rise(self, nodes: Dict[str, StageNode]) -> None:
        stage, theme, fonts = self.shown, self.look.theme, self.look.fonts
        if not stage.rising:
            return
        edge = StageEdge(stage.rising.rpartition(".")[0], stage.rising, "current")
        end, begin = self._ends(edge, nodes)
        text = "↑ " + nodes[stage.rising].value.lstrip("≤≥ ")
        width = fonts["strong"].measure(text) + 16
        height = round(1.15 * self._line)
        chip = self._picture(paint_card, width, height, theme.allowed, theme.allowed, "", False, False)
        middle = ((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
        self.create_image(*middle, image=chip, tags="rise")
        self.create_text(*middle, text=text, font=fonts["strong"], fill=theme.on_colour, tags="rise")
        if self._is_lively:
            self._is_lively = False
            self._rise = begin, middle, time.monotonic()
            self._climb()

    def _climb(self) -> None:
        (x1, y1), (x2, y2), began = self._rise
        share = min(1.0, 1000 * (time.monotonic() - began) / self.RISE_MS)
        for item in self.find_withtag("rise"):
            self.coords(item, x1 + (x2 - x1) * share, y1 + (y2 - y1) * share)
        if share < 1:
            self._jobs.later(self._job, FRAME_MS, self._climb)

    # -- seeing and pointing --

    def _see(self) -> None:
        """Scroll so that the present node is seen, with what lies around it."""
        here = next((node for node in self.shown.nodes if node.is_selected),
                    next((node for node in self.shown.nodes if node.is_current), None))
        if here is None or here.path not in self.places:
            return
        for place, size, reach, view, move in (
                (self.places[here.path][0], self._wide, self._reach[0], self.xview(), self.xview_moveto),
                (self.places[here.path][1], self._high, self._reach[1], self.yview(), self.yview_moveto)):
            begin, end = view[0] * reach, view[1] * reach
            if reach > size and not begin + 60 < place < end - 60:
                move(max(0.0, (place - size / 2) / reach))

    def node_at(self, x: int, y: int) -> str:
        """The path of the box at a place of the widget; '' if there is none."""
        where = self.canvasx(x), self.canvasy(y)
        for node in self.shown.nodes:
            width, height = self._size(node)
            place = self.places.get(node.path, (-1e9, 0))
            if abs(where[0] - place[0]) <= width / 2 and -height / 2 - self._small <= where[1] - place[1] <= height / 2:
                return node.path
        return ""

    def _on_click(self, event: "tk.Event[Any]") -> None:
        self.focus_set()
        path = self.node_at(event.x, event.y)
        node = next((node for node in self.shown.nodes if node.path == path), None)
        if node:
            self._on_choice(f"fold_{path}" if node.kind == "folded" or node.is_selected else f"node_{path}")

    def _on_key(self, action: Callable[[str], None], name: str, _event: object) -> str:
        action(name)
        return "break"

    def _scroll(self, step: int, event: "tk.Event[Any]") -> None:
        self.xview_scroll(step, "units") if int(event.state) & 1 else self.yview_scroll(step, "units")

    def _on_wheel(self, event: "tk.Event[Any]") -> None:
        self._scroll(-1 if event.delta > 0 else 1, event)


class ReasonBox(tk.Canvas):
    """Below the board of the theatre: why a position is worth what it is worth, as bars to either side."""

    MOST_ROWS = 8

    def __init__(self, parent: tk.Misc, look: Look, texts: Texts) -> None:
        super().__init__(parent, highlightthickness=0, borderwidth=0, width=1, height=1)
        self.look, self.texts = look, texts
        self.shown = Reasons()
        self.most_rows = self.MOST_ROWS
        self.bind("<Configure>", self._redraw)

    def show(self, reasons: Reasons, most_rows: int) -> None:
        """Show the reasons; the least of them are summed up when there are more than `most_rows`."""
        if (reasons, most_rows) != (self.shown, self.most_rows):
            self.shown, self.most_rows = reasons, most_rows
            self._redraw()

    @staticmethod
    def rows_of(reasons: Reasons, most: int, rest: str) -> List[Tuple[str, float]]:
        """The parts that are shown: the greatest, and the rest together."""
        parts = list(reasons.parts)
        if len(parts) > most:
            parts[most - 1:] = [(rest, sum(value for _, value in parts[most - 1:]))]
        return parts

    def _redraw(self, _event: object = None) -> None:
        self.delete("all")
        theme, fonts, reasons, texts = self.look.theme, self.look.fonts, self.shown, self.texts
        width, small, line = self.winfo_width(), fonts["small"].metrics("linespace"), fonts["body"].metrics("linespace")
        self.configure(background=theme.window)
        if not reasons.heading or width <= 1:
            return
        rows = self.rows_of(reasons, self.most_rows, texts("reasons_rest")) if self.most_rows else []
        left, y = 14, 10
        heading = self.create_text(left, y, text=reasons.heading, font=fonts["heading"], fill=theme.text, anchor="nw",
                                   width=width - 2 * left)
        y = self.bbox(heading)[3] + 2
        for text in (reasons.context, reasons.text):
            if text:
                item = self.create_text(left, y, text=text, font=fonts["small"], fill=theme.quiet_text, anchor="nw",
                                        width=width - 2 * left)
                y = self.bbox(item)[3] + 2
        numbers = max([fonts["strong"].measure(texts.steps(value)) for _, value in rows] or [0])
        words = min(max([fonts["small"].measure(name) for name, _ in rows] or [0]), 0.55 * width)
        begin, end = left + words + 10, width - left - numbers - 10
        most = max([abs(value) for _, value in rows] or [1])
        zero, scale = (begin + end) / 2, max(1.0, (end - begin) / 2) / most
        y += 4
        for name, value in rows:
            item = self.create_text(left, y, text=name, font=fonts["small"], fill=theme.text, anchor="nw",
                                    width=words + 4)
            self.create_text(width - left, y, text=texts.steps(value), font=fonts["strong"], fill=theme.text,
                             anchor="ne")
            colour = theme.allowed if value > 0 else theme.forbidden
            self.create_rectangle(zero, y + 2, zero + value * scale, y + small - 3, fill=colour, outline="")
            self.create_line(zero, y - 2, zero, self.bbox(item)[3] + 2, fill=theme.border)
            y = self.bbox(item)[3] + 3
        if rows:
            self.create_line(left, y, width - left, y, fill=theme.hairline)
            self.create_text(left, y + 4, text=texts("reasons_total"), font=fonts["bold"], fill=theme.text, anchor="nw")
            self.create_text(width - left, y + 4, text=texts.steps(reasons.total), font=fonts["bold"], fill=theme.text,
                             anchor="ne")
            y += line + 6
        self.create_line(0, 0, 0, y, width=2 * BAR_WIDTH, fill=theme.allowed)
        if abs(self.winfo_reqheight() - y - 4) > 1:
            self.configure(height=y + 4)


class TreeBox(ttk.Frame):
    """A drawn tree with a caption above it and, where it is larger than its room, with scrollbars."""

    def __init__(self, parent: tk.Misc, look: Look, jobs: Jobs, on_command: Callable[[str], None],
                 on_choice: Callable[[str], None]) -> None:
        super().__init__(parent)
        self.columnconfigure(0, weight=1)
        self.rowconfigure(1, weight=1)
        self.caption = ttk.Label(self, style="Bold.TLabel")
        self.caption.grid(row=0, column=0, sticky="w", pady=(0, 2))
        self.stage = StageCanvas(self, look, jobs, on_command, on_choice)
        self.stage.grid(row=1, column=0, sticky="nsew")
        self._bars = {"x": ttk.Scrollbar(self, orient="horizontal", command=self.stage.xview),
                      "y": ttk.Scrollbar(self, orient="vertical", command=self.stage.yview)}
        self._bars["x"].grid(row=2, column=0, sticky="ew")
        self._bars["y"].grid(row=1, column=1, sticky="ns")
        self.stage.configure(xscrollcommand=partial(self._scrolled, "x"), yscrollcommand=partial(self._scrolled, "y"))

    def _scrolled(self, way: str, first: str, last: str) -> None:
        """Show a scrollbar only where there is something to scroll."""
        bar = self._bars[way]
        bar.set(first, last)
        show_or_hide(bar, float(first) > 0 or float(last) < 1)

    def stand(self, place: Optional[Tuple[int, int]]) -> None:
        """Stand in this row and column of its parent; None: nowhere."""
        if place is None:
            self.grid_remove()
        else:
            self.grid(row=place[0], column=place[1], sticky="nsew", padx=(APART if place[1] else 0, 0),
                      pady=(NEAR if place[0] else 0, 0))

    def show(self, stage: Stage, caption: str, words: Tuple[str, str], is_lively: bool) -> None:
        """Show a tree as StageCanvas does, below its caption."""
        self.caption.configure(text=caption)
        show_or_hide(self.caption, bool(caption))
        self.stage.show(stage, words, is_lively)


class TheatrePage(ttk.Frame):
    """The theatre in the panel's place: choices, the drawn tree, a sentence, the code, and the buttons of the show."""

    ICONS = {"first": "first", "last": "last", "next": "next", "previous": "previous", "learning": "place_learn"}

    def __init__(self, parent: tk.Misc, look: Look, texts: Texts, jobs: Jobs, on_command: Callable[[str], None],
                 on_choice: Callable[[str], None]) -> None:
        super().__init__(parent)
        self.look, self.texts, self._jobs = look, texts, jobs
        self._on_command, self._on_choice = on_command, on_choice
        self.shown: Optional[TheatreView] = None
        self._width, self._height = 600, 600
        self._has_counts = True
        self.columnconfigure(0, weight=1)
        self.rowconfigure(3, weight=1)
        self.title = ttk.Label(self, style="Heading.TLabel")
        self.text = ttk.Label(self, style="Small.TLabel")
        self.choices = ttk.Frame(self)
        #: The choices: one variable for each row, their buttons by name, and the rows.
        self._rows: Dict[str, tk.StringVar] = {}
        self._labels: Dict[str, ttk.Radiobutton] = {}
        self._groups: List[ttk.Frame] = []
        self._shown_choices: Choices = ()
        self.trees = ttk.Frame(self)
        self.boxes = [TreeBox(self.trees, look, jobs, on_command, on_choice) for _ in range(2)]
        self.stage = self.boxes[0].stage
        self.said = ttk.Frame(self, style="Task.TFrame", padding=(18, 6, 12, 6))
        self.sentence = ttk.Label(self.said, style="Task.TLabel")
        self.conclusion = ttk.Label(self.said, style="TaskBold.TLabel")
        self.sentence.grid(row=0, sticky="ew")
        self.conclusion.grid(row=1, sticky="ew")
        self.below = ttk.Frame(self)
        self.below.columnconfigure(0, weight=1)
        self.code = tk.Text(self.below, height=10, width=1, wrap="none", borderwidth=0, padx=10, pady=6,
                            state="disabled", takefocus=0, highlightthickness=0, cursor="arrow")
        self._code_font = tkfont.Font(self, family="TkFixedFont")
        self.code.configure(font=self._code_font)
        self.code.grid(row=0, column=0, sticky="nsew")
        self.counts = tk.Canvas(self.below, width=10, height=10, highlightthickness=0, borderwidth=0)
        self.counts.grid(row=0, column=1, sticky="nsew", padx=(APART, 0))
        self.foot = ttk.Frame(self)
        self.progress = ttk.Label(self.foot, style="Small.TLabel")
        self.progress.pack(side="left")
        self._buttons: Dict[str, ttk.Button] = {}
        self._tips: Dict[str, ToolTip] = {}
        for row, widget in enumerate((self.title, self.text, self.choices, self.trees, self.said, self.below,
                                      self.foot)):
            widget.grid(row=row, column=0, sticky="nsew" if widget is self.trees else "ew", pady=(0, NEAR))

    def arrange(self, width: int, height: int) -> None:
        """Fit into this room (pixels)."""
        self._width, self._height = width, height
        for label in (self.title, self.text, self.sentence, self.conclusion):
            label.configure(wraplength=width - (34 if label.master is self.said else 2 * LABEL_BORDER))
        page, self.shown = self.shown, None
        if page:
            self.show(page, False)

    def dress(self) -> None:
        """Take colours, fonts and language anew."""
        theme, fonts = self.look.theme, self.look.fonts
        fixed = tkfont.Font(self, name="TkFixedFont", exists=True).actual()["family"]
        self._code_font.configure(family=fixed, size=fonts["small"].cget("size"))
        self.code.configure(background=CODE.ground, foreground=CODE.text)
        self.code.tag_configure("now", background=CODE.live, foreground=CODE.on_live)
        self.code.tag_configure("remark", foreground=CODE.live)
        self.code.tag_configure("number", foreground=CODE.number)
        self.counts.configure(background=theme.panel)
        self._shown_choices = ()
        for button in self._buttons.values():
            button.destroy()
        self._buttons.clear()
        for box in self.boxes:
            box.stage.recolour()
        self.shown = None

    # -- what is shown --

    def show(self, view: TheatreView, is_lively: bool) -> None:
        """Show the theatre at this moment."""
        old, self.shown = self.shown, view
        if view == old:
            return
        for label, text in ((self.title, view.title), (self.text, view.text), (self.sentence, view.sentence),
                            (self.conclusion, view.conclusion), (self.progress, view.progress)):
            label.configure(text=text)
        self._show_choices(view)
        self._show_buttons(view)
        self._has_counts = self._width > 36 * self.look.em
        self._draw_counts(view)
        self._show_code(view)
        for widget in (self.title, self.text, self.below, self.conclusion, self.counts):
            widget.grid()
        if not self._has_counts:
            self.counts.grid_remove()
        places = self._places(view)
        self._offer_both(bool(places), view)
        places = places if view.is_double else ()
        if places:
            self.below.grid_remove()  # the code is that of one search, and what has been counted stands above the trees
        self._leave_room(max(row for row, _ in places) + 1 if places else 1)
        for configure, second in ((self.trees.rowconfigure, (1, 0)), (self.trees.columnconfigure, (0, 1))):
            for line, is_used in ((0, True), (1, second in places)):
                configure(line, weight=int(is_used), uniform="trees" if is_used else "")
        words = (self.texts("tree_best_so_far"), self.texts("tree_here"))
        for number, (box, stage) in enumerate(zip(self.boxes, (view.stage, view.whole))):
            box.stand(places[number] if places else (0, 0) if number == 0 else None)
            box.show(stage, view.captions[number] if places else "", words, is_lively and old is not None)

    def _places(self, view: TheatreView) -> Sequence[Tuple[int, int]]:
        """Row and column of the two trees: beside each other, else one below the other, or none if they do not fit."""
        sizes = [self.stage.least_size(stage) for stage in (view.stage, view.whole)]
        caption = self.look.fonts["bold"].metrics("linespace") + NEAR
        room = self._height - self._said_height() - sum(
            wanted_height(part) + NEAR for part in (self.title, self.choices, self.foot))
        widest, highest = (max(size[way] for size in sizes) for way in (0, 1))
        if not view.whole.nodes or room < highest + caption:
            return ()
        if 2 * widest + APART <= self._width:
            return (0, 0), (0, 1)
        return ((0, 0), (1, 0)) if room >= 2 * (highest + caption) else ()

    def _said_height(self) -> int:
        """What the sentence takes with its second line, so that nothing comes and goes as the show goes on."""
        return max(wanted_height(self.said), 3 * self.look.fonts["body"].metrics("linespace") + 12) + NEAR

    def _leave_room(self, rows: int) -> None:
        """The trees, in so many rows, need their room: what can be missed goes, the text first, then the code."""
        least = rows * (20 if self._has_counts else 11) * self.look.fonts["body"].metrics("linespace")
        for widget, share in ((self.text, 1.0), (self.below, 0.66), (self.title, 0.5)):
            parts = (self.title, self.text, self.choices, self.below, self.foot)
            wanted = self._said_height() + sum(wanted_height(part) + NEAR for part in parts if part.winfo_manager())
            if wanted + share * least > self._height:
                widget.grid_remove()

    def _show_choices(self, view: TheatreView) -> None:
        chosen = {name.partition("_")[0]: name for name in view.chosen}
        if view.choices != self._shown_choices:
            names = [[name for name, _ in labels] for _, labels in view.choices]
            if names != [[name for name, _ in labels] for _, labels in self._shown_choices]:
                for child in self.choices.winfo_children():
                    child.destroy()
                self._rows = {}
                self._labels = {}
                self._groups = [self._make_choices(title, labels) for title, labels in view.choices]
            self._shown_choices = view.choices
            for name, label in (choice for _, labels in view.choices for choice in labels):
                self._labels[name].configure(text=label)
            self._flow()
        for kind, variable in self._rows.items():
            variable.set(chosen.get(kind, ""))

    def _offer_both(self, is_offered: bool, view: TheatreView) -> None:
        """Both trees at the same time can be chosen only where there is room for them."""
        both = self._labels.get("pruning_both")
        if both is not None and bool(both.winfo_manager()) != is_offered:
            both.pack(side="left") if is_offered else both.pack_forget()
            self._flow()
        if view.is_double and not is_offered:
            self._rows["pruning"].set("pruning_with")

    def _make_choices(self, title: str, labels: Sequence[Tuple[str, str]]) -> ttk.Frame:
        group = ttk.Frame(self.choices)
        ttk.Label(group, text=title, style="Small.TLabel").pack(side="left", padx=(0, 4))
        variable = self._rows[labels[0][0].partition("_")[0]] = tk.StringVar(self)
        for name, label in labels:
            choice = ttk.Radiobutton(group, text=label, value=name, variable=variable, style="Level.TRadiobutton",
                                     command=partial(self._on_choice, name))
            choice.pack(side="left")
            choice.bind("<ButtonRelease-1>", self._focus_stage, add=True)
            self._labels[name] = choice
        return group

    def _flow(self) -> None:
        """The rows of choices one beside the other, in as many lines as they need."""
        row, column, used = 0, 0, 0
        for group in self._groups:
            width = 8 + sum(child.winfo_reqwidth() for child in group.winfo_children() if child.winfo_manager())
            if column and used + width > self._width:
                row, column, used = row + 1, 0, 0
            group.place_forget()
            group.grid(row=row, column=0, sticky="w", padx=(used, 0), pady=(0 if row == 0 else 4, 0))
            used += width + APART
            column += 1

    def _focus_stage(self, _event: object) -> None:
        self.stage.focus_set()

    def _show_buttons(self, view: TheatreView) -> None:
        look = self.look
        for place in view.buttons:
            button = self._buttons.get(place.command)
            if button is None:
                style = "Primary.TButton" if place.is_primary else "TButton"
                button = self._buttons[place.command] = ttk.Button(
                    self.foot, style=style, command=partial(self._on_command, place.command), compound="left")
                button.bind("<ButtonRelease-1>", self._focus_stage, add=True)
                self._tips[place.command] = ToolTip(button, look, self._jobs)
                button.pack(side="right" if place.command == "page_close" else "left", padx=(NEAR, 0))
            has_words = place.is_primary or place.command == "show_run" and self._width > 46 * look.em
            if place.command == "page_close":
                has_words = self._width > 56 * look.em
            icon = self.ICONS.get(place.command)
            if not has_words and place.command == "page_close":
                icon = "cross"
            if place.command == "show_run":
                icon = "pause" if view.is_running else "play"
            button.configure(text=place.label if has_words else "")
            self._tips[place.command].text = "" if has_words else place.label
            if icon and not place.is_primary:
                button.configure(image=look.icons(icon))
            button.state(["!disabled" if place.is_possible else "disabled"])
        buttons = self._buttons.values()
        if self.progress.winfo_reqwidth() + sum(button.winfo_reqwidth() + NEAR for button in buttons) > self._width:
            self.progress.pack_forget()  # buttons without room could not be pressed
        elif not self.progress.winfo_manager():
            self.progress.pack(side="left", before=next(iter(buttons)))

    def _show_code(self, view: TheatreView) -> None:
        """The source as it stands in agon_ai.py, and the values of the moment beside it."""
        code, remarks = self.code, dict(view.remarks)
        longest = max(len(text) + len(remarks.get(number, "")) for number, text in enumerate(view.code)) + 7
        room = self._width - 24 - (self.counts.winfo_reqwidth() + APART if self._has_counts else 0)
        size, font = -self.look.fonts["small"].cget("size"), self._code_font
        font.configure(size=-size)
        while size > 9 and font.measure("0" * longest) > room:
            size -= 1
            font.configure(size=-size)
        columns = max(longest, int(room / max(1, font.measure("0"))))
        code.configure(state="normal", height=len(view.code))
        code.delete("1.0", "end")
        for number, text in enumerate(view.code):
            remark = remarks.get(number, "")
            tags = ("now",) if number == view.line else ()
            code.insert("end", f"{number + 1:2}  ", tags or ("number",))
            code.insert("end", text, tags)
            code.insert("end", " " * (columns - 5 - len(text) - len(remark)) + remark, tags or ("remark",))
            code.insert("end", " \n" if number < len(view.code) - 1 else " ", tags)
        code.configure(state="disabled")

    def _draw_counts(self, view: TheatreView) -> None:
        """The positions looked at, without and with pruning, and for each order of moves."""
        canvas, theme, fonts, texts = self.counts, self.look.theme, self.look.fonts, self.texts
        canvas.delete("all")
        small, width = fonts["small"].metrics("linespace"), round(16 * self.look.em)
        canvas.configure(width=width)
        if not view.counts:
            return
        y, most = 0, max(number for _, number in view.counts)
        begin = max(fonts["small"].measure(name) for name, _ in (*view.counts, *view.orders)) + 8
        end = width - fonts["strong"].measure(texts.number(most, "{:,}")) - 8
        rows = [(texts("tree_looked_at"), None), *view.counts]
        if len(view.orders) > 1:
            rows += [(texts("tree_by_order"), None), *view.orders]
        for name, number in rows:
            if number is None:
                y += 2
                item = canvas.create_text(0, y, text=name, font=fonts["strong"], fill=theme.text, anchor="nw",
                                          width=width)
                y = canvas.bbox(item)[3] + 1
                continue
            canvas.create_text(0, y, text=name, font=fonts["small"], fill=theme.text, anchor="nw")
            canvas.create_text(width, y, text=texts.number(number, "{:,}"), font=fonts["strong"], fill=theme.text,
                               anchor="ne")
            colour = theme.border if number == most else theme.allowed
            canvas.create_rectangle(begin, y + 4, begin + max(2, (end - begin) * number / most), y + small - 4,
                                    fill=colour, outline="")
            y += small + 1
        canvas.configure(height=y)


class LearningPage(ttk.Frame):
    """How the program has learnt: the curve of its error, and a table of its numbers that can be changed."""

    def __init__(self, parent: tk.Misc, look: Look, texts: Texts, on_command: Callable[[str], None],
                 on_choice: Callable[[str], None]) -> None:
        super().__init__(parent)
        self.look, self.texts, self._on_choice = look, texts, on_choice
        self.shown: Optional[LearningView] = None
        self._height = 600
        #: The pictures on the two canvases.
        self._pictures: List[tk.PhotoImage] = []
        self.columnconfigure(0, weight=1)
        self.rowconfigure(3, weight=1)
        self.title = ttk.Label(self, style="Heading.TLabel")
        self.text = ttk.Label(self, style="Small.TLabel")
        self.curve = tk.Canvas(self, height=10, width=1, highlightthickness=0, borderwidth=0)
        box = ttk.Frame(self)
        box.columnconfigure(0, weight=1)
        box.rowconfigure(0, weight=1)
        self.table = tk.Canvas(box, height=1, width=1, highlightthickness=2, borderwidth=0, takefocus=1)
        self.table.grid(row=0, column=0, sticky="nsew")
        self.bar = ttk.Scrollbar(box, command=self.table.yview)
        self.bar.grid(row=0, column=1, sticky="ns")
        self.table.configure(yscrollcommand=self.bar.set)
        self.buttons = ButtonGrid(self, on_command, self.table.focus_set)
        for row, widget in enumerate((self.title, self.text, self.curve, box, self.buttons)):
            widget.grid(row=row, column=0, sticky="nsew" if widget is box else "ew", pady=(0, NEAR))
        self.curve.bind("<Configure>", self._redraw)
        self.table.bind("<Configure>", self._redraw)
        self.table.bind("<Button-1>", self._on_click)
        for key, choice in (("Up", "row_up"), ("Down", "row_down"), ("Right", "percent_more"),
                            ("Left", "percent_less")):
            self.table.bind(f"<{key}>", partial(self._on_key, choice))
        for sequence, step in (("<Button-4>", -1), ("<Button-5>", 1), ("<MouseWheel>", 0)):
            self.table.bind(sequence, partial(self._on_wheel, step))

    def arrange(self, width: int, height: int) -> None:
        """Fit into this room (pixels)."""
        self._height = height
        for label in (self.title, self.text):
            label.configure(wraplength=width - 2 * LABEL_BORDER)
        page, self.shown = self.shown, None
        if page:
            self.show(page)

    def dress(self) -> None:
        """Take colours, fonts and language anew."""
        theme = self.look.theme
        self.curve.configure(background=theme.panel)
        self.table.configure(background=theme.list, highlightbackground=theme.border, highlightcolor=theme.allowed)
        self.shown = None

    def show(self, view: LearningView) -> None:
        """Show the page."""
        old, self.shown = self.shown, view
        if view == old:
            return
        self.title.configure(text=view.title)
        self.text.configure(text=view.text)
        self.buttons.show(view.buttons)
        line = self.look.fonts["body"].metrics("linespace")
        is_low = self._height < 32 * line
        self.curve.configure(height=(5 if is_low else 9) * line)
        if self._height < 26 * line:
            self.text.grid_remove()
        else:
            self.text.grid()
        self._redraw()

    def _redraw(self, _event: object = None) -> None:
        self._pictures.clear()
        if self.shown and self.winfo_width() > 1:
            self._draw_curve(self.shown)
            self._draw_table(self.shown)

    # -- the curve --

    def _draw_curve(self, view: LearningView) -> None:
        """The error by the games learnt from, one curve for each round, side by side."""
        canvas, theme, fonts = self.curve, self.look.theme, self.look.fonts
        canvas.delete("all")
        small, width, height = fonts["small"].metrics("linespace"), canvas.winfo_width(), canvas.winfo_height()
        raster = Raster(width / 2, height / 2)
        # Half a pixel gets lost where the width is odd.
        raster.fill([_rounded(width / 2 - 0.5, height / 2 - 0.5, 9)], theme.border)
        raster.fill([_rounded(width / 2 - 1.7, height / 2 - 1.7, 7.8)], theme.list)
        count, most = sum(map(len, view.curve)), max(error for curve in view.curve for _, error in curve)
        apart, number = (width - 5 * self.look.em) / count, 0
        words = []
        for round_name, curve in zip(self.texts("learning_rounds").split("|"), view.curve):
            points = []
            for games, error in curve:
                x = 4 * self.look.em + apart * (number + 0.5)
                y = small * 2.2 + (height - 3.8 * small) * (1 - error / most)
                points.append((x - width / 2, y - height / 2))
                words += [(x, y - 4, "s", str(error), "strong"), (x, height - 4, "s", str(games), "small")]
                number += 1
            raster.stroke(points, 2.4, theme.allowed)
            for x, y in points:
                raster.disc(x, y, 4, theme.allowed)
            words.append((points[1][0] + width / 2, 5, "nw", round_name, "strong"))
        self._pictures.append(tk.PhotoImage(master=self, data=raster.png(), format="png"))
        canvas.create_image(width / 2, height / 2, image=self._pictures[-1])
        words += [(8, 5, "nw", self.texts("learning_error"), "small"),
                  (8, height - 4, "sw", self.texts("learning_games"), "small")]
        for x, y, anchor, text, font in words:
            canvas.create_text(x, y, anchor=anchor, text=text, font=fonts[font], fill=theme.text)

    # -- the table --

    def _measures(self, view: LearningView) -> Tuple[float, float, float, float]:
        """The height of a row, and where numbers begin, where they end and the factors begin, how wide a factor is."""
        fonts, width = self.look.fonts, self.table.winfo_width() - 4
        labels = max(fonts["small"].measure(row.label) for row in view.rows) + 16
        factor = fonts["small"].measure("×0") + 16
        begin, height = min(labels, 0.45 * width), fonts["body"].metrics("linespace") + 10
        if begin < labels:  # a label may take two lines
            height = max(height, 2 * fonts["small"].metrics("linespace") + 4)
        return height, begin, width - len(Learning.PERCENTS) * factor - 10, factor

    def _draw_table(self, view: LearningView) -> None:
        """Each part with its numbers as bars, a beginner's pale behind the learnt, and what they are multiplied by."""
        canvas, theme, fonts, texts = self.table, self.look.theme, self.look.fonts, self.texts
        canvas.delete("all")
        height, begin, end, factor = self._measures(view)
        width = canvas.winfo_width()
        for x, key in ((8, "learning_part"), (begin, "learning_numbers"), (end + 4, "learning_factor")):
            item = canvas.create_text(x, height / 2, text=texts(key), font=fonts["strong"], fill=theme.text, anchor="w")
            if key == "learning_numbers" and canvas.bbox(item)[2] > end:
                canvas.delete(item)
        for number, row in enumerate(view.rows):
            y = height * (number + 1)
            if number == view.chosen:
                canvas.create_rectangle(2, y, width, y + height, fill=theme.good_tint, outline="")
                canvas.create_rectangle(2, y, 2 + BAR_WIDTH, y + height, fill=theme.allowed, outline="")
            canvas.create_text(12, y + height / 2, text=row.label, font=fonts["small"], fill=theme.text, anchor="w",
                               width=begin - 14)
            self._draw_numbers(row, begin, end - 8, y, height)
            for place, percent in enumerate(Learning.PERCENTS):
                is_chosen = percent == row.percent
                x = end + 4 + place * factor
                if is_chosen:
                    canvas.create_rectangle(x, y + 4, x + factor - 4, y + height - 4, fill=theme.allowed, outline="")
                canvas.create_text(x + factor / 2 - 2, y + height / 2, font=fonts["small"],
                                   text={50: "×½"}.get(percent, f"×{percent // 100}"),
                                   fill=theme.on_colour if is_chosen else theme.text)
        reach = height * (len(view.rows) + 1) + 4
        canvas.configure(scrollregion=(0, 0, width - 4, max(reach, canvas.winfo_height() - 4)))
        y, top, bottom = height * (view.chosen + 1), *(share * reach for share in canvas.yview())
        if reach > canvas.winfo_height() and not top <= y <= bottom - height:
            canvas.yview_moveto(max(0.0, (y - height) / reach))

    def _draw_numbers(self, row: WeightRow, begin: float, end: float, y: float, height: float) -> None:
        """The numbers of a part as bars up and down from a line, on one scale for the part."""
        canvas, theme = self.table, self.look.theme
        most = max(map(abs, (*row.before, *row.after, 0.01)))
        middle, scale = y + height / 2, (height / 2 - 3) / most
        apart = min((end - begin) / len(row.after), 22)
        canvas.create_line(begin, middle, begin + apart * len(row.after), middle, fill=theme.border)
        for number, (before, after) in enumerate(zip(row.before, row.after)):
            x = begin + apart * number
            canvas.create_rectangle(x, middle, x + 0.8 * apart, middle - before * scale, outline=theme.border,
                                    fill=theme.hairline)
            canvas.create_rectangle(x + 0.25 * apart, middle, x + 0.55 * apart, middle - after * scale, outline="",
                                    fill=theme.allowed if after > 0 else theme.forbidden)

    def _on_click(self, event: "tk.Event[Any]") -> None:
        self.table.focus_set()
        if not self.shown:
            return
        height, _, end, factor = self._measures(self.shown)
        row = int(self.table.canvasy(event.y) // height) - 1
        if not 0 <= row < len(self.shown.rows):
            return
        self._on_choice(f"row_{row}")
        place = int((event.x - end - 4) // factor)
        if 0 <= place < len(Learning.PERCENTS) and event.x > end + 4:
            self._on_choice(f"percent_{Learning.PERCENTS[place]}")

    def _on_key(self, choice: str, _event: object) -> str:
        self._on_choice(choice)
        return "break"

    def _on_wheel(self, step: int, event: "tk.Event[Any]") -> None:
        self.table.yview_scroll(step or (-1 if event.delta > 0 else 1), "units")


# --- 14. Window ------------------------------------------------------------------

#: Size of the first window, and the least of any, in widths of the letter m.
FIRST_WIDTH, FIRST_HEIGHT = 88, 66
LEAST_WIDTH, LEAST_HEIGHT = 42, 31
#: The panel's share of the window and its bounds (pixels); what stands round its content.
PANEL_SHARE, PANEL_LEAST, PANEL_MOST = 0.325, 320, 560
PANEL_PADDING = 24
#: The board's share of the window's width beside the theatre.
THEATRE_BOARD = 0.34
#: Below this width the places are icons without words, below this height the panel is denser.
NARROW, LOW = 900, 640
PLACES = ("place_game", "place_learn", "place_puzzles", "place_analysis")


class TalkPanel(ttk.Frame):
    """The conversation with the programs that play, told apart by who speaks; it can be copied."""

    def __init__(self, parent: tk.Misc, look: Look, texts: Texts, on_command: Callable[[str], None],
                 on_copy: Callable[[str], None]) -> None:
        super().__init__(parent)
        self.look, self.texts = look, texts
        self._on_copy = on_copy
        self.shown: Tuple[TalkLine, ...] = ()
        self._is_at_end = True
        self.columnconfigure((0, 1), weight=1)
        self.rowconfigure(1, weight=1)
        self.title = ttk.Label(self, style="Bold.TLabel")
        self.title.grid(row=0, column=0, columnspan=3, sticky="w", pady=(0, NEAR))
        self.text = tk.Text(self, width=10, height=2, padx=8, pady=4, borderwidth=0, highlightthickness=1, wrap="char",
                            state="disabled")
        self.text.grid(row=1, column=0, columnspan=2, sticky="nsew")
        self.scrollbar = ttk.Scrollbar(self, command=self.text.yview)
        self.scrollbar.grid(row=1, column=2, sticky="ns")
        self.text.configure(yscrollcommand=self.scrollbar.set)
        self.text.bind("<Button-1>", self._on_click)
        self.text.bind("<Configure>", self._see_end)
        for sequence in ("<<Copy>>", "<Command-c>" if IS_MAC else "<Control-c>"):
            self.text.bind(sequence, self._on_copy_key)
        self.copy_button = ttk.Button(self, command=self.copy)
        self.close_button = ttk.Button(self, command=partial(on_command, "conversation"))
        self.copy_button.grid(row=2, column=0, sticky="ew", pady=(NEAR, 0), padx=(0, NEAR))
        self.close_button.grid(row=2, column=1, columnspan=2, sticky="ew", pady=(NEAR, 0), padx=(NEAR, 0))

    def dress(self) -> None:
        """Take colours, text size and language that are in force."""
        theme, fonts, texts = self.look.theme, self.look.fonts, self.texts
        fixed = tkfont.Font(self, name="TkFixedFont", exists=True).actual()["family"]
        font = (fixed, fonts["small"].cget("size"))
        self.text.configure(font=font, background=theme.list, foreground=theme.text, highlightbackground=theme.border,
                            highlightcolor=theme.border, selectbackground=theme.allowed,
                            selectforeground=theme.on_colour)
        indent = round(0.8 * self.look.em)
        self.text.tag_configure("name", font=(*font, "bold"), spacing1=6)
        self.text.tag_configure(">", foreground=theme.quiet_text, lmargin1=indent, lmargin2=2 * indent)
        self.text.tag_configure("<", foreground=theme.text, lmargin1=indent, lmargin2=2 * indent)
        # Not wrapped, so that what points at a place in the line above does so.
        self.text.tag_configure("!", foreground=theme.forbidden, lmargin1=indent, wrap="none")
        self.text.tag_raise("sel")
        self.title.configure(text=texts("conversation"))
        self.copy_button.configure(text=texts("talk_copy"))
        self.close_button.configure(text=texts("talk_close"))

    def show(self, lines: Tuple[TalkLine, ...]) -> None:
        """Show these lines; who reads further up stays there, and what is selected stays so as long as it can."""
        if lines == self.shown:
            return
        text, count = self.text, len(self.shown)
        # Not yview(), which only estimates as long as lines have not been seen.
        is_at_end = not count or not text.winfo_viewable() or text.bbox("end-1c") is not None
        text.configure(state="normal")
        if not count or lines[:count] != self.shown:
            text.delete("1.0", "end")
            count = 0
        for line in lines[count:]:
            text.insert("end", line.text + "\n", line.kind)
        text.configure(state="disabled")
        self.shown, self._is_at_end = lines, is_at_end
        self._see_end()

    def _see_end(self, _event: object = None) -> None:
        """Show the last line, unless somebody reads further up."""
        if self._is_at_end:
            self.text.see("end")

    def copy(self) -> None:
        """Copy what is selected, or else all that has been said."""
        chosen = self.text.tag_ranges("sel")
        self._on_copy(self.text.get(*chosen[:2]) if chosen else self.text.get("1.0", "end").strip() + "\n")

    def _on_copy_key(self, _event: object) -> str:
        self.copy()
        return "break"

    def _on_click(self, _event: object) -> None:
        self.text.focus_set()  # a text that cannot be changed does not take the keyboard by itself


class ToolTip:
    """A word that appears below a widget while the pointer rests on it."""

    WAIT_MS = 600

    def __init__(self, widget: tk.Misc, look: Look, jobs: Jobs) -> None:
        self.text = ""
        self._widget, self._look, self._jobs = widget, look, jobs
        self._label: Optional[tk.Label] = None
        widget.bind("<Enter>", self._on_enter, add=True)
        for sequence in ("<Leave>", "<ButtonPress>", "<Unmap>", "<Destroy>"):
            widget.bind(sequence, self._on_leave, add=True)

    def _on_enter(self, _event: object) -> None:
        if self.text:
            self._jobs.later("tip", self.WAIT_MS, self._show)

    def _show(self) -> None:
        top, widget, theme = self._widget.winfo_toplevel(), self._widget, self._look.theme
        self._label = tk.Label(top, text=self.text, background=theme.text, foreground=theme.panel, padx=8, pady=4,
                               font=self._look.fonts["small"])
        x = widget.winfo_rootx() - top.winfo_rootx()
        x = max(0, min(x, top.winfo_width() - self._label.winfo_reqwidth()))
        self._label.place(x=x, y=widget.winfo_rooty() - top.winfo_rooty() + widget.winfo_height() + 2)

    def _on_leave(self, _event: object) -> None:
        self._jobs.forget("tip")
        if self._label is not None:
            self._label.destroy()
            self._label = None


class Toolbar(ttk.Frame):
    """The four places, and the buttons for a new game and the menu."""

    def __init__(self, parent: tk.Misc, look: Look, texts: Texts, jobs: Jobs, on_command: Callable[[str], None],
                 on_menu: Callable[[int, int], None], focus_back: Callable[[object], None]) -> None:
        super().__init__(parent, padding=(16, 8, 16, 8))
        self.look, self.texts = look, texts
        self._on_menu = on_menu
        self._place = tk.StringVar(self)
        self._is_narrow = False
        self.places = {key: ttk.Radiobutton(self, value=key, variable=self._place, style="Place.TRadiobutton",
                                            compound="left", command=partial(on_command, key))
                       for key in PLACES}
        for button in self.places.values():
            button.pack(side="left", padx=(0, NEAR))
        self.menu_button = ttk.Button(self, command=self.open_menu)
        self.menu_button.pack(side="right")
        self.new_button = ttk.Button(self, command=partial(on_command, "new_game"), compound="left")
        self.new_button.pack(side="right", padx=(0, NEAR))
        self._underline = ttk.Frame(self, style="Underline.TFrame")
        buttons = {**self.places, "new": self.new_button, "menu": self.menu_button}
        for button in buttons.values():
            button.bind("<ButtonRelease-1>", focus_back, add=True)
        self._tips = {key: ToolTip(button, look, jobs) for key, button in buttons.items()}

    def arrange(self, width: int) -> None:
        """Show words where there is room, else icons alone, whose words are tips."""
        is_narrow = width < max(NARROW, 64 * self.look.em)
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self.dress()

    def dress(self) -> None:
        """Take words and colours of the language and the theme."""
        for key, button in self.places.items():
            self._dress_button(key, button)
        self._dress_button("new", self.new_button)
        self.menu_button.configure(image=self.look.icon("menu", self.look.theme.text))
        self._tips["menu"].text = self.texts("menu") + " (F10)"

    def _dress_button(self, key: str, button: Any) -> None:
        theme = self.look.theme
        colour = theme.allowed if self._place.get() == key else theme.text
        text = self.texts(key)
        button.configure(image=self.look.icon(key, colour), text="" if self._is_narrow else " " + text)
        self._tips[key].text = text if self._is_narrow else ""

    def show(self, place: str) -> None:
        """Say where one is."""
        self._place.set(f"place_{place}")
        self._underline.place(in_=self.places[f"place_{place}"], relx=0.1, relwidth=0.8, rely=1.0, y=4, height=4)
        for key, button in self.places.items():
            self._dress_button(key, button)

    def open_menu(self) -> None:
        """Open the menu below its button."""
        button = self.menu_button
        self._on_menu(button.winfo_rootx(), button.winfo_rooty() + button.winfo_height())


class MainWindow:
    """All widgets of the main window: shows a View and holds no truth of its own."""

    def __init__(self, root: tk.Tk, look: Look, texts: Texts, jobs: Jobs, on_command: Callable[[str], None],
                 on_go: Callable[[int], None], on_line: Callable[[int, int], None], on_choice: Callable[[str], None],
                 on_menu: Callable[[int, int], None], on_copy: Callable[[str], None]) -> None:
        self.root, self.look, self.texts, self.jobs = root, look, texts, jobs
        self.shown: Optional[View] = None
        #: The size that the window is going to have (pixels), until it has one.
        self.first_size = (1, 1)
        #: Whether the card of a game's end waits until the board has shown that end.
        self._is_card_due = False
        #: Whether the panel is as wide as the theatre needs it.
        self._is_wide = False
        frame = ttk.Frame(root, style="Board.TFrame")
        frame.pack(fill="both", expand=True)
        frame.columnconfigure(0, weight=1)
        frame.rowconfigure(2, weight=1)
        self.toolbar = Toolbar(frame, look, texts, jobs, on_command, on_menu, self._focus_board)
        self.toolbar.grid(row=0, column=0, columnspan=2, sticky="ew")
        ttk.Frame(frame, style="Line.TFrame", height=1).grid(row=1, column=0, columnspan=2, sticky="ew")
        self.board = BoardView(frame, look, jobs)
        self.board.grid(row=2, column=0, sticky="nsew")
        self.shelf = Shelf(frame, look, partial(self._choose, "shelf", on_choice))
        self.panel = ttk.Frame(frame, padding=PANEL_PADDING)
        self.panel.grid(row=2, column=1, rowspan=2, sticky="ns")
        self.panel.grid_propagate(False)
        self.panel.columnconfigure(0, weight=1)
        self.panel.rowconfigure(0, weight=1)
        focus_back = partial(self._focus_board, None)
        self.column = ttk.Frame(self.panel)
        self.page = SidePage(self.panel, look, on_command, partial(self._choose, "page", on_choice), focus_back)
        self.theatre = TheatrePage(self.panel, look, texts, jobs, on_command,
                                   partial(self._choose, "theatre", on_choice))
        self.learning = LearningPage(self.panel, look, texts, on_command, partial(self._choose, "learning", on_choice))
        self.reasons = ReasonBox(frame, look, texts)
        self.talk = TalkPanel(self.column, look, texts, on_command, on_copy)
        self._build_column(on_command, on_go, on_line, focus_back)

    def _build_column(self, on_command: Callable[[str], None], on_go: Callable[[int], None],
                      on_line: Callable[[int, int], None], focus_back: Callable[[], None]) -> None:
        """The panel of a game: players, message box, card, analysis, moves, buttons."""
        column, look = self.column, self.look
        column.columnconfigure(0, weight=1)
        column.rowconfigure(6, weight=1)
        self.seats = [SeatRow(column, look) for _ in range(2)]
        for row, seat in enumerate(self.seats):
            seat.grid(row=row, column=0, sticky="ew", pady=(0, NEAR))
        self.voice = MessageBox(column, look, on_command, focus_back)
        self.voice.grid(row=2, column=0, sticky="ew", pady=(NEAR, APART))
        self.notice = ttk.Label(self.panel, style="Notice.TLabel")
        self.card = ttk.Frame(column, style="Card.TFrame", padding=(20, 16, 20, 12))
        self.card.columnconfigure(1, weight=1)
        self.card_picture = ttk.Label(self.card, style="Card.TLabel")
        self.card_picture.grid(row=0, column=0, rowspan=2, padx=(0, APART))
        self.card_heading = ttk.Label(self.card, style="CardHeading.TLabel")
        self.card_text = ttk.Label(self.card, style="CardSmall.TLabel")
        self.card_buttons = ButtonGrid(self.card, on_command, focus_back, "Card")
        for row, label in enumerate((self.card_heading, self.card_text)):
            label.grid(row=row, column=1, sticky="ew", pady=(0, NEAR))
        self.card_buttons.grid(row=2, column=0, columnspan=2, sticky="ew")
        self.analysis = AnalysisPanel(column, look, on_go)
        self.moves = MoveList(column, look, on_go, on_line, on_command)
        self._tips = {key: ToolTip(button, look, self.jobs) for key, button in self.moves.buttons.items()}
        self.moves.grid(row=6, column=0, sticky="nsew")
        self.button_row = ttk.Frame(column)
        self.button_row.grid(row=7, column=0, sticky="ew", pady=(APART, 0))
        self.buttons: Dict[str, ttk.Button] = {}
        for place, (key, weight) in enumerate((("undo", 5), ("hint", 3))):
            self.button_row.columnconfigure(place, weight=weight)
            self.buttons[key] = ttk.Button(self.button_row, command=partial(on_command, key), compound="left")
            self.buttons[key].bind("<ButtonRelease-1>", self._focus_board)
            self.buttons[key].grid(row=0, column=place, sticky="ew", padx=(0 if place == 0 else APART, 0))

    def open_menu(self) -> None:
        """Open the menu below its button."""
        self.toolbar.open_menu()

    @property
    def move_canvas(self) -> tk.Canvas:
        """The list of moves as the keyboard sees it."""
        return self.moves.canvas

    def _focus_board(self, _event: object) -> None:
        self.focus()

    def _choose(self, part: str, on_choice: Callable[[str], None], name: str) -> None:
        """Hand a choice on, unless its part of the window has gone: a press may come after that."""
        if getattr(self, part).winfo_manager():
            on_choice(name)

    def focus(self) -> None:
        """Give the keyboard to the board, or to what is shown in its place."""
        view = self.shown
        place: tk.Widget = self.board
        if view is not None:
            place = (self.theatre.stage if view.theatre else self.learning.table if view.learning else
                     self.shelf.canvas if view.shelf else self.board)
        place.focus_set()

    # -- look --

    def dress(self) -> None:
        """Take the colours, the text size and the language that are in force now."""
        texts, look = self.texts, self.look
        look.apply()
        em = look.em
        self.root.minsize(min(max(600, LEAST_WIDTH * em), self.root.winfo_screenwidth()),
                          min(max(440, LEAST_HEIGHT * em), self.root.winfo_screenheight()))
        self.root.tk.call("::msgcat::mclocale", texts.language)  # for Tk's own file dialogs
        self.card_picture.configure(image=look.picture(paint_piece, 3 * em, look.theme.white, True))
        for label in (self.card_text, self.card_picture):
            show_or_hide(label, not look.is_dense)
        self.toolbar.dress()
        self.board.recolour()
        self.shelf.shown = None
        self.analysis.recolour()
        self.page.curve.recolour()
        self.card_heading.configure(text=texts("welcome"))
        self.card_text.configure(text=texts("welcome_text"))
        for key, button in self.buttons.items():
            button.configure(text=" " + texts(key), image=look.icons(key))
        for key, tip in self._tips.items():
            tip.text = texts(key)
        for seat in self.seats:
            seat.shown = None
        self.voice.shown = None
        self.page.shown = None
        self.theatre.dress()
        self.learning.dress()
        self.talk.dress()
        shown, self.shown = self.shown, None
        self.arrange()
        if shown:
            self.show(shown)

    def arrange(self) -> None:
        """Fit the panel and its texts to the window."""
        look, root = self.look, self.root
        window, height = (root.winfo_width(), root.winfo_height()) if root.winfo_width() > 1 else self.first_size
        width = int(min(max(PANEL_SHARE * window, PANEL_LEAST, 23 * look.em), max(PANEL_MOST, 34 * look.em),
                        0.52 * window))
        if self._is_wide:
            width = window - max(200, int(THEATRE_BOARD * window))  # the board stands beside the tree
        is_dense = height < max(LOW, 46 * look.em) or width < 26 * look.em
        growth = look.growth_on(window, height) if self.root.attributes("-fullscreen") else 1.0
        if (is_dense, growth) != (look.is_dense, look.growth):
            look.is_dense, look.growth = is_dense, growth
            self.dress()
            return
        padding = PANEL_PADDING // 2 if is_dense else PANEL_PADDING
        self.panel.configure(width=width, padding=padding)
        inner = width - 2 * padding
        self.voice.arrange(inner)
        self.page.arrange(inner, self._room())
        self.theatre.arrange(inner, self._room())
        self.learning.arrange(inner, self._room())
        beside = inner - 44 - (0 if is_dense else 4 * look.em + APART)
        for label, room in ((self.notice, inner), (self.card_heading, beside), (self.card_text, beside)):
            label.configure(wraplength=room)
        self.card.configure(padding=(4, 4, 4, 4) if is_dense else (20, 16, 20, 12))
        self.button_row.grid_configure(pady=(NEAR if is_dense else APART, 0))
        for seat in self.seats:
            seat.arrange(inner)
        self.toolbar.arrange(window)
        self.moves.arrange((self.texts("white"), self.texts("black")), self.texts("no_moves"))
        if self.shown:
            self._arrange_board(self.shown)
            if self.column.winfo_manager():
                self.analysis.shown = AnalysisView("")  # what had no room in it may have some now
                self._show_column(self.shown)

    def _room(self) -> int:
        """The height of the panel without what stands round its content (pixels)."""
        height = self.panel.winfo_height()
        if height <= 1:  # not seen yet
            height = self.first_size[1] - self.toolbar.winfo_reqheight()
        return height - 2 * (PANEL_PADDING // 2 if self.look.is_dense else PANEL_PADDING)

    def _arrange_board(self, view: View) -> None:
        if self.board.winfo_width() > 1:
            self.board.arrange(self.board.winfo_width(), self.board.winfo_height(), view.flipped, view.ranks)

    # -- what is shown --

    def show(self, view: View) -> None:
        """Show this view; what is the same as before costs nothing."""
        old, self.shown = self.shown, view
        if view == old and not self._is_card_due:
            return
        is_same_panel = old is not None and old._replace(picture=view.picture) == view and not self._is_card_due
        if self._is_wide != view.is_wide:
            self._is_wide = view.is_wide
            self.arrange()
        if old is None or (old.flipped, old.ranks) != (view.flipped, view.ranks):
            self._arrange_board(view)
        self.board.render(view.picture)
        if is_same_panel:
            return
        if view.shelf:
            self.shelf.show(view.shelf)
        if (old is not None and old.shelf is not None) != (view.shelf is not None):
            self._change_place(view)
        if old is None or old.title != view.title:
            self.root.title(view.title)
        if old is None or old.place != view.place:
            self.toolbar.show(view.place)
        self._show_panel(view, old)

    def _change_place(self, view: View) -> None:
        """Put the shelf over the board, or away from it."""
        if view.shelf:
            self.shelf.grid(row=2, column=0, sticky="nsew")
            self.shelf.lift()
        else:
            self.shelf.grid_remove()
        self.focus()

    def _show_panel(self, view: View, old: Optional[View]) -> None:
        part = (self.theatre if view.theatre else self.learning if view.learning else self.page if view.page
                else self.column)
        if not part.winfo_manager():
            for other in (self.theatre, self.learning, self.page, self.column):
                other.grid_remove()
            part.grid(row=0, column=0, sticky="nsew")
            self.focus()
        if old is None or old.notice != view.notice:
            self._place(self.notice, bool(view.notice), row=1)
            self.notice.configure(text=view.notice)
        self._show_reasons(view.theatre or view.learning)
        if view.learning:
            self.learning.show(view.learning)
            return
        if view.theatre:
            self.theatre.show(view.theatre, self.look.store.settings.animation)
            return
        if view.page:
            self.page.show(view.page)
            return
        self._show_column(view)

    def _show_column(self, view: View) -> None:
        """Show players, message, card, analysis and moves, as far as there is room for them."""
        for row, seat in zip(self.seats, view.seats):
            row.show(seat)
        was_due, self._is_card_due = self._is_card_due, view.voice.kind == "end" and self.board.is_moving
        if self._is_card_due != was_due:  # until then the board speaks: the box is empty, and nothing moves beside it
            self.column.rowconfigure(2, minsize=self.voice.winfo_height() + NEAR + APART if self._is_card_due else 0)
            show_or_hide(self.voice, not self._is_card_due)
        if not self._is_card_due:
            self.voice.show(view.voice)
        self._place(self.moves, view.talk is None, row=6)
        self._place(self.talk, view.talk is not None, row=6)
        if view.talk is not None:
            self.talk.show(view.talk)
        self._place(self.card, bool(view.card), row=3)
        if view.card:
            self.card_heading.grid()
            self.card_buttons.show(view.card)
        self._place(self.analysis, view.analysis is not None, row=5)
        if view.analysis:
            self.analysis.show(view.analysis)
        self.moves.show(view.moves, view.resting)
        for key, button in self.buttons.items():
            button.state(["disabled" if key in view.resting else "!disabled"])
        analysis = self.analysis
        leave_out(self.column, self._room(), (self.moves, analysis.chart, analysis.summary, *analysis.lines[:0:-1],
                                              analysis, self.card_heading, self.talk))
        if not analysis.grid_slaves():
            analysis.grid_remove()  # to Tk a frame out of which all has gone is as large as before

    def _show_reasons(self, page: Union[TheatreView, LearningView, None]) -> None:
        """Below the board of the theatre, as many reasons as there is room for."""
        if page is None:
            self.reasons.grid_remove()
            return
        fonts, padding = self.look.fonts, PANEL_PADDING // 2
        width = self.root.winfo_width() - self.panel.winfo_reqwidth()
        room = self.panel.winfo_height() - width - 3 * padding - 6 * fonts["body"].metrics("linespace")
        self.reasons.grid(row=3, column=0, sticky="ew", padx=padding, pady=padding)
        rows = room // (fonts["small"].metrics("linespace") + 5)
        self.reasons.show(page.reasons, max(2, min(ReasonBox.MOST_ROWS, rows)))

    def _place(self, widget: tk.Widget, is_shown: bool, row: int) -> None:
        """Show a widget in its row, or hide it."""
        if is_shown and not widget.winfo_manager():
            is_list = widget in (self.moves, self.talk)
            widget.grid(row=row, column=0, sticky="nsew" if is_list else "ew", pady=0 if is_list else (0, APART))
        elif not is_shown:
            widget.grid_remove()


#: All menus by the keys of their commands; None is a line, a name in brackets a submenu.
MENUS: Tuple[Tuple[str, Tuple[Optional[str], ...]], ...] = (
    ("menu_file", ("open", "[recent]", "save", "save_as", "[export]", None, "[print]", "gather", None, "copy_position",
                   "copy_game", "paste", None, "quit")),
    ("menu_game", ("new_game", "with_computer", "previous_game", None, "undo", "redo", "first", "previous", "next",
                   "last", None, "hint", "move_now", "pause", "one_move", None, "[level_menu]", "swap", "offer_draw",
                   "resign")),
    ("menu_learn", ("tour", "small_games", "puzzles", "[own_pages]", "learn_mistakes", "progress", "set_up", None,
                    "tree", "learning", None, "own_program", "conversation", "tournament")),
    ("menu_view", ("flip", "ranks", "analysis", "animation", None, "[theme]", "larger", "smaller", "full_screen", None,
                   "[language]")),
    ("menu_help", ("help", "about")),
)
CONTEXT_MENU = ("undo", "redo", "hint", "flip", "copy_position", "paste")


class Submenu(NamedTuple):
    """A menu of choices that changes: its lines, which of them is chosen, and what choosing one does."""

    entries: Callable[[], Sequence[Tuple[Any, str]]]
    choose: Callable[[Any], None]
    chosen: Optional[Callable[[], Any]] = None


class Menus:
    """The menus, made from the table MENUS and the commands each time they are opened, so that they are always true."""

    def __init__(self, root: tk.Tk, look: Look, texts: Texts, store: Store, commands: Dict[str, Command],
                 submenus: Dict[str, Submenu], on_command: Callable[[str], None],
                 resting: Callable[[], FrozenSet[str]]) -> None:
        self.root, self.look, self.texts, self.store = root, look, texts, store
        self.commands, self.submenus = commands, submenus
        self.on_command = on_command
        self.resting = resting
        self.opened: Optional[tk.Menu] = None
        #: Keeps the check marks of the opened menu alive.
        self._variables: List[tk.Variable] = []
        self._is_padded = windowing_system(root) == "x11"

    def make_bar(self) -> None:
        """On the Mac the menus stand in the system's bar; it is made anew for each language."""
        bar = self._menu(self.root)
        for key, entries in MENUS:
            menu = self._menu(bar)
            menu.configure(postcommand=partial(self._refill, menu, entries))
            bar.add_cascade(label=self.texts(key), menu=menu)
        self.root.configure(menu=bar)

    def _refill(self, menu: tk.Menu, entries: Sequence[Optional[str]]) -> None:
        menu.delete(0, "end")
        self._fill(menu, [entry for entry in entries if entry != "quit"])  # the application's own menu has one

    def make(self) -> tk.Menu:
        """All menus, as they are now."""
        menu = self._new()
        for key, entries in MENUS:
            child = self._menu(menu)
            self._fill(child, entries)
            menu.add_cascade(label=self._padded(self.texts(key)), menu=child)
        return menu

    def make_context(self) -> tk.Menu:
        """The short menu of the other mouse button."""
        menu = self._new()
        self._fill(menu, CONTEXT_MENU)
        return menu

    def open(self, menu: tk.Menu, x: int, y: int) -> None:
        """Open a menu at a place of the screen, inside the window."""
        menu.update_idletasks()  # its width is known only then
        right = self.root.winfo_rootx() + self.root.winfo_width()
        menu.tk_popup(max(0, min(x, right - menu.winfo_reqwidth())), y)

    def _new(self) -> tk.Menu:
        if self.opened is not None:
            self.opened.destroy()
        self._variables.clear()
        self.opened = self._menu(self.root)
        return self.opened

    def _menu(self, parent: tk.Misc) -> tk.Menu:
        theme = self.look.theme
        return tk.Menu(parent, tearoff=False, background=theme.list, foreground=theme.text, borderwidth=1,
                       relief="solid", activebackground=theme.allowed, activeforeground=theme.on_colour,
                       activeborderwidth=0, selectcolor=theme.text, disabledforeground=theme.disabled_text,
                       font=self.look.fonts["body"])

    def _padded(self, label: str) -> str:
        """A menu's label; X11 sets it flush with the edge, so it gets some room there."""
        return f"  {label}  " if self._is_padded else label

    def _fill(self, menu: tk.Menu, entries: Sequence[Optional[str]]) -> None:
        resting = self.resting()
        for entry in entries:
            if entry is None:
                menu.add_separator()
            elif entry.startswith("["):
                self._add_submenu(menu, entry.strip("[]"))
            else:
                self._add_command(menu, self.commands[entry], entry in resting)

    def _add_command(self, menu: tk.Menu, command: Command, is_resting: bool) -> None:
        accelerator = shortcut_text(command.shortcut, self.texts) if command.shortcut else ""
        options: Dict[str, Any] = dict(
            label=self._padded(self.texts(command.key)), accelerator=self._padded(accelerator) if accelerator else "",
            command=partial(self.on_command, command.key), state="disabled" if is_resting else "normal")
        if command.setting:
            variable = tk.BooleanVar(self.root, getattr(self.store.settings, command.setting))
            self._variables.append(variable)
            menu.add_checkbutton(variable=variable, **options)
        else:
            menu.add_command(**options)

    def _add_submenu(self, menu: tk.Menu, key: str) -> None:
        submenu, child = self.submenus[key], self._menu(menu)
        chosen = tk.StringVar(self.root, str(submenu.chosen()) if submenu.chosen else "")
        self._variables.append(chosen)
        for value, label in submenu.entries():
            options: Dict[str, Any] = dict(label=self._padded(label), command=partial(submenu.choose, value))
            if submenu.chosen:
                child.add_radiobutton(value=str(value), variable=chosen, **options)
            else:
                child.add_command(state="disabled" if value is None else "normal", **options)
        menu.add_cascade(label=self._padded(self.texts(key)), menu=child)


# --- 15. Dialogs -----------------------------------------------------------------

def compose_letters(window: tk.Misc, is_wanted: bool) -> bool:
    """Let keys be composed to letters, as accents are, or leave that out; returns whether it was so before.

    It is wanted where words are typed.  Elsewhere it costs a question to the
    screen for each widget that there is, at the start.
    """
    was_wanted = bool(window.tk.getboolean(window.tk.call("tk", "useinputmethods")))
    window.tk.call("tk", "useinputmethods", is_wanted)
    return was_wanted


#: A dialog has seized the mouse: Tk hands it each click on another window of the program too, such as a page that has
#: been laid above it.  Nothing else would answer then, so the dialog comes to the front and takes the keyboard.
COME_FORWARD = "if {[winfo toplevel %W] eq {%W}} {raise %W; focus -force [focus -lastfor %W]}"


class Dialog(tk.Toplevel):
    """A window above the main one, with OK and Cancel.

    Return confirms, Escape cancels.  The answer goes to `on_done`; the main
    loop goes on meanwhile, so a computer that thinks is not held up.
    """

    def __init__(self, parent: tk.Tk, look: Look, title: str, ok: str, cancel: str,
                 on_done: Optional[Callable[..., Any]] = None) -> None:
        super().__init__(parent)
        self.withdraw()
        compose_letters(self, True)
        self.look = look
        self.title(title)
        self.resizable(False, False)
        self.configure(background=look.theme.panel)
        self.on_done = on_done
        body = ttk.Frame(self, padding=(GROUP, 16, GROUP, 8))
        body.pack(fill="both", expand=True)
        self.build(body)
        buttons = ttk.Frame(self, padding=(GROUP, 8, GROUP, 16))
        buttons.pack(fill="x")
        self.ok_button = ttk.Button(buttons, text=ok, command=self.on_ok, style="Primary.TButton")
        self.ok_button.pack(side="right")
        self.cancel_button = ttk.Button(buttons, text=cancel, command=self.on_cancel)
        if cancel:
            self.cancel_button.pack(side="right", padx=(0, APART))
        self.bind("<Return>", self.on_return)
        self.bind("<KP_Enter>", self.on_return)
        self.bind("<Escape>", self.on_cancel)
        self.bind("<ButtonPress>", COME_FORWARD)
        self.protocol("WM_DELETE_WINDOW", self.on_cancel)
        self._show_above(parent)

    def _show_above(self, parent: tk.Tk) -> None:
        self.transient(parent)
        if windowing_system(parent) == "x11":
            self.attributes("-type", "dialog")
        self.update_idletasks()
        x = parent.winfo_rootx() + (parent.winfo_width() - self.winfo_reqwidth()) // 2
        y = parent.winfo_rooty() + (parent.winfo_height() - self.winfo_reqheight()) // 3
        x = min(max(0, x), max(0, self.winfo_screenwidth() - self.winfo_reqwidth()))
        y = min(max(0, y), max(0, self.winfo_screenheight() - self.winfo_reqheight()))
        self.geometry(f"+{x}+{y}")
        self.deiconify()
        self.first_focus().focus_set()
        self._grab_job = self.after_idle(self._grab)

    def _grab(self) -> None:
        self._grab_job = ""
        try:
            self.grab_set()
        except tk.TclError:
            pass  # not visible yet, or gone already: it works without

    def destroy(self) -> None:
        """Close the window and cancel what still waits for it."""
        is_last = not any(isinstance(child, Dialog) and child is not self for child in self.master.winfo_children())
        compose_letters(self, not is_last)
        if getattr(self, "_grab_job", ""):
            self.after_cancel(self._grab_job)
            self._grab_job = ""
        super().destroy()

    def first_focus(self) -> tk.Misc:
        """What has the keyboard at the beginning."""
        return self.ok_button

    def on_return(self, _event: object) -> None:
        """Press the button that has the focus, or OK."""
        focused = self.focus_get()
        if isinstance(focused, ttk.Button):
            focused.invoke()
        else:
            self.on_ok()

    def build(self, body: ttk.Frame) -> None:
        """Fill the dialog; subclasses say with what."""

    def result(self) -> Tuple[Any, ...]:
        """What the dialog has been told: the values for `on_done`."""
        return ()

    def on_ok(self, _event: object = None) -> None:
        """Close and hand the result over."""
        result = self.result()
        self.destroy()
        if self.on_done:
            self.on_done(*result)

    def on_cancel(self, _event: object = None) -> None:
        """Close without a result."""
        self.destroy()


class MessageDialog(Dialog):
    """Shows a text with an OK button, or a question when `cancel` names a second one."""

    def __init__(self, parent: tk.Tk, look: Look, title: str, message: str, ok: str, cancel: str = "",
                 on_done: Optional[Callable[..., Any]] = None, on_no: Optional[Callable[[], Any]] = None,
                 is_safe: bool = True) -> None:
        self.message = message
        self.on_no = on_no
        self._is_safe = is_safe
        super().__init__(parent, look, title, ok, cancel, on_done)

    def build(self, body: ttk.Frame) -> None:
        """The text alone."""
        width = min(44 * self.look.em, self.winfo_screenwidth() - 80)
        ttk.Label(body, text=self.message, wraplength=width, justify="left").pack(anchor="w")

    def first_focus(self) -> tk.Misc:
        """OK, or Cancel where OK cannot be taken back."""
        return self.ok_button if self._is_safe else self.cancel_button

    def on_cancel(self, _event: object = None) -> None:
        super().on_cancel()
        if self.on_no:
            self.on_no()


class SeatForm(ttk.Frame):
    """A column of the New game dialog: who plays one side."""

    #: The kinds of players, each with the method that builds what is asked about it.
    KINDS = ("person", "level", "program", "other")

    def __init__(self, parent: tk.Misc, look: Look, texts: Texts, side: int, seat: Seat, browse: Callable[[], str]
                 ) -> None:
        super().__init__(parent)
        self.look, self.texts, self.side = look, texts, side
        self._browse = browse
        self.kind = tk.StringVar(self, seat.kind)
        self.name = tk.StringVar(self, seat.name)
        self.level = tk.IntVar(self, seat.level)
        self.program = tk.StringVar(self, seat.program)
        self.role, self.address, self.code = (tk.StringVar(self, text) for text in (seat.role, seat.address, seat.code))
        control = TimeControl.from_text(seat.clock)
        self.clock_kind = tk.StringVar(self, "clock_none" if not control.seconds else
                                       "clock_move" if control.is_per_move else "clock_total")
        self.minutes = tk.StringVar(self, str(round(control.seconds / 60, 2)).rstrip("0").rstrip(".")
                                    if control.seconds and not control.is_per_move else "10")
        self.increment = tk.StringVar(self, str(control.increment) if control.seconds else "5")
        self.seconds = tk.StringVar(self, str(control.seconds) if control.is_per_move else "30")
        disc = look.picture(paint_piece, 2 * look.em, look.theme.black if side == BLACK else look.theme.white, False)
        ttk.Label(self, text=f" {texts(SIDE_KEYS[side])}", image=disc, compound="left", style="Bold.TLabel").pack(
            anchor="w", pady=(0, 6))
        row = ttk.Frame(self)
        row.pack(anchor="w")
        for kind in self.KINDS:
            ttk.Radiobutton(row, text=texts(f"kind_{kind}"), variable=self.kind, value=kind, style="Level.TRadiobutton",
                            command=self._show_kind).pack(side="left", padx=1)
        details = ttk.Frame(self)
        details.pack(fill="x", pady=(8, 0))
        builders = (self._build_person, self._build_level, self._build_program, self._build_other)
        self._details = {kind: ttk.Frame(details) for kind in self.KINDS}
        for frame, build in zip(self._details.values(), builders):
            build(frame)
        self.update_idletasks()
        # As large as the largest, so that the dialog does not jump when another kind is chosen.
        details.rowconfigure(0, minsize=max(frame.winfo_reqheight() for frame in self._details.values()))
        details.columnconfigure(0, weight=1, minsize=max(frame.winfo_reqwidth() for frame in self._details.values()))
        self._show_kind()
        self._build_clock()

    def _build_clock(self) -> None:
        texts = self.texts
        ttk.Label(self, text=texts("clock"), style="Bold.TLabel").pack(anchor="w", pady=(8, 4))
        row = ttk.Frame(self)
        row.pack(anchor="w")
        self._clock_widgets: List[ttk.Widget] = []
        for kind in ("clock_none", "clock_total", "clock_move"):
            self._clock_widgets.append(ttk.Radiobutton(
                row, text=texts(kind), variable=self.clock_kind, value=kind, style="Level.TRadiobutton",
                command=self._show_clock))
            self._clock_widgets[-1].pack(side="left", padx=1)
        times = ttk.Frame(self)
        times.pack(anchor="w", pady=(6, 0))
        self._times = {kind: ttk.Frame(times) for kind in ("clock_none", "clock_total", "clock_move")}
        for kind, entries in (("clock_total", (("clock_minutes", self.minutes), ("clock_plus", self.increment))),
                              ("clock_move", (("clock_seconds", self.seconds),))):
            for key, variable in entries:
                ttk.Label(self._times[kind], text=texts(key), style="Quiet.TLabel").pack(side="left", padx=(0, 4))
                entry = self._entry(self._times[kind], variable)
                entry.configure(width=5)
                entry.pack(side="left", padx=(0, 8))
                self._clock_widgets.append(entry)
        for frame in self._times.values():
            frame.grid(row=0, column=0, sticky="w")
        self.update_idletasks()
        times.rowconfigure(0, minsize=max(frame.winfo_reqheight() for frame in self._times.values()))
        self._show_clock()

    def _show_clock(self) -> None:
        for kind, frame in self._times.items():
            if kind == self.clock_kind.get():
                frame.grid()
            else:
                frame.grid_remove()

    def allow_clock(self, is_allowed: bool) -> None:
        """Let a time be chosen, or not: games with another computer are played without clocks."""
        for widget in self._clock_widgets:
            widget.state(["!disabled" if is_allowed else "disabled"])

    def time_control(self) -> Optional[TimeControl]:
        """The side's time; None if it is not typed as it should be."""
        kind = self.clock_kind.get()
        typed = {"clock_none": ("0", "0"), "clock_move": (self.seconds.get(), "0"),
                 "clock_total": (self.minutes.get(), self.increment.get())}[kind]
        first, second = (text.strip() for text in typed)
        if kind == "clock_none":
            return TimeControl()
        if not (re.fullmatch("[0-9]{1,3}", first) and re.fullmatch("[0-9]{1,3}", second)) or not int(first):
            return None
        return TimeControl(int(first) * (1 if kind == "clock_move" else 60), int(second), kind == "clock_move")

    def _build_person(self, frame: ttk.Frame) -> None:
        ttk.Label(frame, text=self.texts("seat_name"), style="Quiet.TLabel").pack(anchor="w", pady=(0, 4))
        self._entry(frame, self.name).pack(fill="x")

    def _build_level(self, frame: ttk.Frame) -> None:
        row = ttk.Frame(frame)
        row.pack(anchor="w")
        for level in LEVELS:
            ttk.Radiobutton(row, text=str(level.number), variable=self.level, value=level.number,
                            style="Level.TRadiobutton", command=self._show_level).pack(side="left", padx=1)
        self.word = ttk.Label(frame, style="Quiet.TLabel")
        self.word.pack(anchor="w", pady=(4, 0))
        self._show_level()

    def _build_program(self, frame: ttk.Frame) -> None:
        row = ttk.Frame(frame)
        row.pack(fill="x")
        self.program_entry = self._entry(row, self.program)
        self.program_entry.pack(side="left", fill="x", expand=True)
        ttk.Button(row, text=self.texts("browse"), command=self._on_browse).pack(side="left", padx=(6, 0))
        self.state_label = ttk.Label(frame, style="Quiet.TLabel", text=self.texts("program_hint"), justify="left",
                                     wraplength=23 * self.look.em)
        self.state_label.pack(anchor="w", pady=(4, 0))

    def _build_other(self, frame: ttk.Frame) -> None:
        row = ttk.Frame(frame)
        row.pack(anchor="w")
        for role, key in (("host", "other_host"), ("join", "link_join")):
            ttk.Radiobutton(row, text=self.texts(key), variable=self.role, value=role).pack(side="left", padx=(0, 10))
        row = ttk.Frame(frame)
        row.pack(anchor="w", pady=(4, 0))
        for key, variable, width in (("link_address", self.address, 14), ("link_code", self.code, 5)):
            ttk.Label(row, text=self.texts(key), style="Quiet.TLabel").pack(side="left", padx=(0, 4))
            entry = self._entry(row, variable)
            entry.configure(width=width)
            entry.bind("<Key>", self._on_address)
            entry.pack(side="left", padx=(0, 6))
        ttk.Label(frame, style="Quiet.TLabel", text=self.texts("other_text"), justify="left",
                  wraplength=23 * self.look.em).pack(anchor="w", pady=(4, 0))

    def _on_address(self, event: "tk.Event[Any]") -> None:
        """Who types an address wants to go there."""
        if event.char and event.char.isprintable():
            self.role.set("join")

    def _entry(self, parent: tk.Misc, variable: tk.StringVar) -> ttk.Entry:
        entry = ttk.Entry(parent, textvariable=variable, width=22)
        entry.bind("<Control-a>", self._select_all)
        return entry

    def _select_all(self, event: "tk.Event[Any]") -> str:
        event.widget.selection_range(0, "end")
        return "break"

    def _show_kind(self) -> None:
        for kind, frame in self._details.items():
            if kind == self.kind.get():
                frame.grid(row=0, column=0, sticky="new")
            else:
                frame.grid_remove()
        self.event_generate("<<Kind>>")

    def _show_level(self) -> None:
        level = self.level.get()
        self.word.configure(text=self.texts("level_word", level=level, word=self.texts(f"word_{level}")))

    def _on_browse(self) -> None:
        path = self._browse()
        if path:
            self.program.set(shlex.quote(path) if os.name != "nt" else f'"{path}"')
            self.event_generate("<<Program>>")

    def say(self, text: str) -> None:
        """Say how the trial of the program stands."""
        self.state_label.configure(text=text)

    def seat(self, called: str) -> Seat:
        """Who is to play; `called` is what the program calls itself."""
        seat = Seat(self.kind.get(), tidy_name(self.name.get()), self.level.get(), self.program.get().strip(), called,
                    str(self.time_control() or TimeControl()))
        if seat.kind != "other":
            return seat
        return seat._replace(role=self.role.get(), address=self.address.get().strip(), code=self.code.get().strip())


class NewGameDialog(Dialog):
    """Asks who plays, who begins, and for the rule options; a program is tried before the game begins."""

    def __init__(self, parent: tk.Tk, look: Look, texts: Texts, before: NewGame, browse: Callable[[tk.Misc], str],
                 trial: Trial, on_done: Callable[[NewGame], None]) -> None:
        self.texts = texts
        self._before = before
        self._browse = browse
        self._trial = trial
        #: What programs that have passed the trial call themselves, by what was typed and the rules.
        self._passed: Dict[Tuple[str, Rules], str] = {}
        self.by_lot = tk.BooleanVar(parent, before.by_lot)
        self.rules = {name: tk.BooleanVar(parent, value) for name, value in before.rules._asdict().items()}
        super().__init__(parent, look, texts("new_title"), texts("start_game"), texts("cancel"), on_done)

    def build(self, body: ttk.Frame) -> None:
        """Both sides beside each other; below them who begins, and the rules."""
        texts = self.texts
        self.forms: List[SeatForm] = []
        for side in (WHITE, BLACK):
            form = SeatForm(body, self.look, texts, side, self._before.seats[side], partial(self._browse, self))
            form.grid(row=0, column=side, sticky="new", padx=(0, 32) if side == WHITE else 0)
            form.bind("<<Program>>", partial(self._on_program, form))
            form.bind("<<Kind>>", self._on_kind)
            self.forms.append(form)
        self._on_kind()
        self.error = ttk.Label(body, style="Notice.TLabel", justify="left", wraplength=48 * self.look.em)
        self.error.grid(row=1, column=0, columnspan=2, sticky="w")
        beginner = self._group(body, "beginner", 0)
        for by_lot, key in ((False, "white_begins"), (True, "drawn_by_lot")):
            ttk.Radiobutton(beginner, text=texts(key), variable=self.by_lot, value=by_lot).pack(anchor="w", pady=2)
        rules = self._group(body, "rule_options", 1)
        for key, variable in self.rules.items():
            ttk.Checkbutton(rules, text=texts(f"rule_{key}"), variable=variable).pack(anchor="w", pady=2)

    def _group(self, body: ttk.Frame, key: str, column: int) -> ttk.Frame:
        frame = ttk.Frame(body)
        frame.grid(row=2, column=column, sticky="new", pady=(12, 0))
        ttk.Label(frame, text=self.texts(key), style="Bold.TLabel").pack(anchor="w", pady=(0, 4))
        return frame

    @property
    def _rules(self) -> Rules:
        return Rules(**{name: variable.get() for name, variable in self.rules.items()})

    def result(self) -> Tuple[NewGame]:
        """The game asked for."""
        rules = self._rules
        white, black = (form.seat(self._passed.get((form.program.get().strip(), rules), "")) for form in self.forms)
        return (NewGame((white, black), self.by_lot.get(), rules),)

    def _on_kind(self, _event: object = None) -> None:
        is_linked = "other" in [form.kind.get() for form in self.forms]
        for form in self.forms:
            form.allow_clock(not is_linked)

    # -- programs --

    def _on_program(self, form: SeatForm, _event: object) -> None:
        """A program has been chosen: try it at once."""
        self._try(form, lambda: None)

    def on_ok(self, _event: object = None) -> None:
        """Start the game, once every program that is to play has been tried."""
        wrong = [form.side for form in self.forms if form.time_control() is None]
        link, kinds = self.result()[0].link, [form.kind.get() for form in self.forms]
        if wrong and not link:
            self.error.configure(text=self.texts("clock_wrong", side=wrong[0]))
            return
        if link and ("person" not in kinds or not link.is_complete):
            self.error.configure(text=self.texts("link_incomplete" if "person" in kinds else "other_person"))
            return
        untried = [form for form in self.forms if form.kind.get() == "program"
                   and (form.program.get().strip(), self._rules) not in self._passed]
        if untried:
            self._try(untried[0], self.on_ok)
        else:
            super().on_ok()

    def _try(self, form: SeatForm, then: Callable[[], None]) -> None:
        text, rules = form.program.get().strip(), self._rules
        if not text:
            self._refuse(form, Message.of("program_empty", side=form.side))
            return
        self.error.configure(text="")
        form.say(self.texts("program_trial", name=Player(program=program_command(text)).called))
        self.ok_button.state(["disabled"])
        self._trial.begin(text, rules, partial(self._tried, form, text, rules, then))

    def _tried(self, form: SeatForm, text: str, rules: Rules, then: Callable[[], None], name: str,
               failure: Optional[Message]) -> None:
        self.ok_button.state(["!disabled"])
        if failure is not None:
            form.say(self.texts("program_hint"))
            self._refuse(form, Message.of("program_failed", side=form.side, failure=failure))
            return
        self._passed[text, rules] = name
        form.say(self.texts("program_passed", name=name))
        then()

    def _refuse(self, form: SeatForm, message: Message) -> None:
        self.error.configure(text=self.texts.say(message))
        form.program_entry.focus_set()

    def destroy(self) -> None:
        """Close the dialog, and end what is being tried."""
        self._trial.stop()
        super().destroy()


class NameDialog(Dialog):
    """Asks for the name of who learns."""

    def __init__(self, parent: tk.Tk, look: Look, texts: Texts, name: str, on_done: Callable[[str], None]) -> None:
        self.texts = texts
        self.name = tk.StringVar(parent, name)
        super().__init__(parent, look, texts("progress"), texts("name_ok"), texts("cancel"), on_done)

    def build(self, body: ttk.Frame) -> None:
        """What the name is for, and the name."""
        ttk.Label(body, text=self.texts("name_text"), wraplength=380, justify="left").pack(anchor="w", pady=(0, 10))
        self.entry = ttk.Entry(body, textvariable=self.name, width=MAX_NAME)
        self.entry.pack(fill="x")
        self.entry.selection_range(0, "end")

    def first_focus(self) -> tk.Misc:
        """The name."""
        return self.entry

    def result(self) -> Tuple[str]:
        """The name as it was typed."""
        return (self.name.get(),)


class ExerciseDialog(Dialog):
    """Asks what is to be made of a position: a small game or a puzzle, with its goal, its words and its file."""

    def __init__(self, parent: tk.Tk, look: Look, texts: Texts, before: Exercise,
                 on_done: Callable[[Exercise], None]) -> None:
        self.texts = texts
        self.kind = tk.StringVar(parent, before.kind)
        self.goal = tk.StringVar(parent, before.goal)
        self.moves = tk.StringVar(parent, str(before.moves or ""))
        self.level = tk.IntVar(parent, before.level)
        self.has_rival = tk.BooleanVar(parent, before.has_rival)
        self.title_text, self.task, self.name = (tk.StringVar(parent, value) for value in (
            before.title, before.task, before.name))
        super().__init__(parent, look, texts("exercise_save"), texts("exercise_ok"), texts("cancel"), on_done)

    def build(self, body: ttk.Frame) -> None:
        """Kind and goal, then what belongs to a small game alone, then the words."""
        texts, look = self.texts, self.look
        body.columnconfigure(1, weight=1)
        width = min(40 * look.em, self.winfo_screenwidth() - 80)
        ttk.Label(body, text=texts("exercise_text"), style="Quiet.TLabel", wraplength=width).grid(
            row=0, columnspan=2, sticky="w", pady=(0, NEAR))
        kinds = ttk.Frame(body)
        kinds.grid(row=1, columnspan=2, sticky="w")
        for kind in EXERCISE_GOALS:
            ttk.Radiobutton(kinds, text=texts(f"exercise_{kind}"), value=kind, variable=self.kind,
                            command=self.show_kind).pack(side="left", padx=(0, APART))
        self.goals = ttk.Frame(body)
        self.goals.grid(row=2, columnspan=2, sticky="w", padx=(2 * look.em, 0), pady=(0, NEAR))
        ttk.Label(body, text=texts("exercise_moves")).grid(row=3, column=0, sticky="w", padx=(0, NEAR))
        moves = ttk.Frame(body)
        moves.grid(row=3, column=1, sticky="w", pady=1)
        self.moves_entry = ttk.Entry(moves, textvariable=self.moves, width=4)
        self.moves_entry.pack(side="left", padx=(0, NEAR))
        ttk.Label(moves, text=texts("exercise_moves_any"), style="Quiet.TLabel").pack(side="left")
        self.of_games: List[ttk.Widget] = [ttk.Label(body, text=texts("small_level"))]
        self.of_games[0].grid(row=4, column=0, sticky="w")
        levels = ttk.Frame(body)
        levels.grid(row=4, column=1, sticky="w")
        for level in LEVELS:
            choice = ttk.Radiobutton(levels, text=str(level.number), value=level.number, variable=self.level)
            choice.pack(side="left", padx=(0, 2))
            self.of_games.append(choice)
        rival = ttk.Checkbutton(body, text=texts("exercise_rival"), variable=self.has_rival)
        rival.grid(row=5, column=1, sticky="w")
        self.of_games.append(rival)
        for row, (key, variable) in enumerate((("exercise_title", self.title_text), ("exercise_task", self.task),
                                               ("exercise_file", self.name)), 6):
            ttk.Label(body, text=texts(key)).grid(row=row, column=0, sticky="w", padx=(0, NEAR))
            ttk.Entry(body, textvariable=variable).grid(row=row, column=1, sticky="ew", pady=1)
        self.error = ttk.Label(body, style="Notice.TLabel", wraplength=width)
        self.error.grid(row=9, columnspan=2, sticky="w")
        self.show_kind()

    def show_kind(self) -> None:
        """Offer the goals of the kind that is chosen; a puzzle has no level and nobody to be faster."""
        goals = EXERCISE_GOALS[self.kind.get()]
        for child in self.goals.winfo_children():
            child.destroy()
        for place, goal in enumerate(goals):
            ttk.Radiobutton(self.goals, text=self.texts("goal_" + goal.replace(" ", "_")), value=goal,
                            variable=self.goal).grid(row=place // 2, column=place % 2, sticky="w", padx=(0, APART))
        if self.goal.get() not in goals:
            self.goal.set(goals[0])
        for widget in self.of_games:
            widget.state(["!disabled" if self.kind.get() == "game" else "disabled"])

    def result(self) -> Tuple[Exercise]:
        """The exercise; the number of moves is sound by then."""
        moves, is_game = self.moves.get().strip(), self.kind.get() == "game"
        return (Exercise(self.kind.get(), self.goal.get(), int(moves or 0), self.has_rival.get() and is_game,
                         self.level.get(), self.title_text.get(), self.task.get(), self.name.get()),)

    def on_ok(self, _event: object = None) -> None:
        """Save, if the number of moves is one."""
        moves = self.moves.get().strip()
        if not moves or re.fullmatch("0?[1-9]|[1-9][0-9]", moves):
            super().on_ok()
            return
        self.error.configure(text=self.texts("exercise_bad_moves", text=visible(moves)))
        self.moves_entry.focus_set()


class LinkDialog(Dialog):
    """Asks whether to wait for another computer, to join it or to watch."""

    def __init__(self, parent: tk.Tk, look: Look, texts: Texts, before: LinkWanted, can_go_on: bool,
                 on_done: Callable[[LinkWanted], None]) -> None:
        self.texts = texts
        self.role = tk.StringVar(parent, before.role)
        self.side = tk.IntVar(parent, before.side)
        self.goes_on = tk.BooleanVar(parent, before.goes_on)
        self.may_watch = tk.BooleanVar(parent, before.may_watch)
        self.address = tk.StringVar(parent, before.address)
        self.code = tk.StringVar(parent)
        self._can_go_on = can_go_on
        super().__init__(parent, look, texts("link_title"), texts("link_start"), texts("cancel"), on_done)

    def build(self, body: ttk.Frame) -> None:
        """The three roles; below the first what is played, below the last where."""
        texts, indent = self.texts, 2 * self.look.em
        self._radios(body, 0, self.role, (("host", texts("link_host")),))
        self._quiet(body, "link_host_text", indent)
        self._radios(body, indent, self.side, [(side, texts("link_side", side=side)) for side in (WHITE, BLACK)])
        if self._can_go_on:
            self._radios(body, indent, self.goes_on, ((False, texts("link_new")), (True, texts("link_go_on"))))
        ttk.Checkbutton(body, text=texts("link_watchers"), variable=self.may_watch).pack(anchor="w", padx=(indent, 0),
                                                                                        pady=2)
        ttk.Frame(body, height=12).pack()
        self._radios(body, 0, self.role, (("join", texts("link_join")), ("watch", texts("link_watch"))))
        self._quiet(body, "link_join_text", indent)
        row = ttk.Frame(body)
        row.pack(anchor="w", padx=(indent, 0), pady=(4, 0))
        self.entries = []
        for key, variable, width in (("link_address", self.address, 24), ("link_code", self.code, 6)):
            ttk.Label(row, text=texts(key)).pack(side="left", padx=(0, 6))
            entry = ttk.Entry(row, textvariable=variable, width=width)
            entry.pack(side="left", padx=(0, 14))
            entry.bind("<Key>", self._on_key)
            self.entries.append(entry)
        self.error = ttk.Label(body, style="Notice.TLabel", wraplength=420)
        self.error.pack(anchor="w", pady=(6, 0))

    @staticmethod
    def _radios(body: ttk.Frame, indent: int, variable: tk.Variable, choices: Sequence[Tuple[Any, str]]) -> None:
        """Choices in one row."""
        row = ttk.Frame(body)
        row.pack(anchor="w", padx=(indent, 0), pady=2)
        for value, text in choices:
            ttk.Radiobutton(row, text=text, variable=variable, value=value).pack(side="left", padx=(0, 14))

    def _quiet(self, body: ttk.Frame, key: str, indent: int) -> None:
        ttk.Label(body, text=self.texts(key), style="Quiet.TLabel", wraplength=420, justify="left").pack(
            anchor="w", padx=(indent, 0))

    def _on_key(self, event: "tk.Event[Any]") -> None:
        """Who types an address wants to join."""
        if event.char and event.char.isprintable() and self.role.get() == "host":
            self.role.set("join")

    def first_focus(self) -> tk.Misc:
        """The code, if only that is missing; else OK."""
        return self.ok_button if self.role.get() == "host" else self.entries[1 if self.address.get() else 0]

    def result(self) -> Tuple[LinkWanted]:
        """What is wanted."""
        return (LinkWanted(self.role.get(), self.side.get(), self.goes_on.get() and self._can_go_on,
                           self.may_watch.get(), self.address.get().strip(), self.code.get().strip()),)

    def on_ok(self, _event: object = None) -> None:
        """Go, once address and code are there where they are needed."""
        wanted = self.result()[0]
        if wanted.is_complete:
            super().on_ok()
            return
        self.error.configure(text=self.texts("link_incomplete"))
        self.entries[1 if wanted.address else 0].focus_set()


class Dialogs:
    """Opens dialogs above the main window; what they lead to is carried out by `handle`."""

    def __init__(self, root: tk.Tk, look: Look, texts: Texts, handle: Callable[..., Any], trial: Trial) -> None:
        self.root, self.look, self.texts = root, look, texts
        self._handle = handle
        compose_letters(root, False)
        #: What tries the programs that are to play.
        self._trial = trial
        #: Whether a file dialog of the system is open: it has a loop of its own, so the window must outlive it.
        self.is_choosing = False

    @property
    def top(self) -> Optional[Dialog]:
        """The dialog that is open, the last one if there are several."""
        dialogs = [child for child in self.root.winfo_children() if isinstance(child, Dialog)]
        return dialogs[-1] if dialogs else None

    def cancel(self) -> bool:
        """Close what is open above the window, wherever the keyboard may be; whether there was anything."""
        if self.top:
            self.top.on_cancel()
            return True
        if self.is_choosing and windowing_system(self.root) == "x11":
            self.root.tk.eval("set ::tk::Priv(selectFilePath) {}")  # what its Cancel button does
        return self.is_choosing

    @property
    def is_open(self) -> bool:
        """Whether a dialog waits for an answer."""
        return self.is_choosing or self.top is not None

    def ask(self, title_key: str, question: Union[Message, AgonError], yes: str, no: str, on_yes: Callable[[], Any],
            on_no: Optional[Callable[[], Any]] = None, is_safe: bool = True) -> MessageDialog:
        """Ask a question; `is_safe` says that Yes may have the focus."""
        texts = self.texts
        return MessageDialog(self.root, self.look, texts(title_key).rstrip(" …"), texts.say(question), texts(yes),
                             texts(no), partial(self._handle, on_yes), on_no and partial(self._handle, on_no), is_safe)

    def tell(self, title_key: str, message: Union[Message, AgonError]) -> MessageDialog:
        """Say something that has to be noticed."""
        texts = self.texts
        return MessageDialog(self.root, self.look, texts(title_key).rstrip(" …"), texts.say(message), texts("ok"))

    def ask_new_game(self, before: NewGame, on_done: Callable[[NewGame], None]) -> NewGameDialog:
        """Ask for the next game."""
        return NewGameDialog(self.root, self.look, self.texts, before, self._browse, self._trial,
                             partial(self._handle, on_done))

    def ask_link(self, before: LinkWanted, can_go_on: bool, on_done: Callable[[LinkWanted], None]) -> LinkDialog:
        """Ask how to play with another computer."""
        return LinkDialog(self.root, self.look, self.texts, before, can_go_on, partial(self._handle, on_done))

    def ask_exercise(self, before: Exercise, on_done: Callable[[Exercise], None]) -> ExerciseDialog:
        """Ask what is to be made of a position."""
        return ExerciseDialog(self.root, self.look, self.texts, before, partial(self._handle, on_done))

    def ask_name(self, name: str, on_done: Callable[[str], None]) -> NameDialog:
        """Ask for the name of who learns."""
        return NameDialog(self.root, self.look, self.texts, name, partial(self._handle, on_done))

    def _browse(self, parent: tk.Misc) -> str:
        return self.choose_file("", parent=parent)

    def choose_file(self, kind: str, for_saving: bool = False, name: str = "", parent: Optional[tk.Misc] = None) -> str:
        """Let the user choose a file of a kind ('agon', 'svg'); '' when that is cancelled."""
        texts = self.texts
        types = [(texts("files_" + kind), f"*.{kind}")] if kind else []
        types.append((texts("files_all"), "*"))
        options: Dict[str, Any] = dict(parent=parent or self.root, filetypes=types)
        if for_saving:
            return self._choose("asksaveasfilename", defaultextension=f".{kind}", initialfile=name, **options)
        return self._choose("askopenfilename", **options)

    def choose_folder(self, before: str) -> str:
        """Let the user choose a folder, beginning with another one; '' when that is cancelled."""
        return self._choose("askdirectory", parent=self.root, initialdir=before, mustexist=True)

    def _choose(self, ask: str, parent: tk.Misc, **options: Any) -> str:
        """Open a file dialog of the system."""
        from tkinter import filedialog  # here, since it would slow the start down
        if self.is_choosing:
            return ""
        self.is_choosing = True
        did_compose = compose_letters(self.root, True)
        try:
            self._prepare_file_dialog(parent)
            return getattr(filedialog, ask)(parent=parent, **options) or ""
        except tk.TclError:
            return ""
        finally:
            self.is_choosing = False
            compose_letters(self.root, did_compose)

    def _prepare_file_dialog(self, parent: tk.Misc) -> None:
        """On X11 the file dialog is Tk's own: let it be made anew, in today's language and in colours that can be read.

        Its list of files is white whatever the theme, so the other old widgets in it are light, too.
        """
        if windowing_system(self.root) != "x11":
            return
        interpreter, prefix = self.root.tk, "" if parent is self.root else str(parent)
        for dialog in ("__tk_filedialog", "__tk_choosedir"):
            interpreter.eval(f"catch {{destroy {prefix}.{dialog}}}")
            for option, colour in (("background", LIGHT.list), ("foreground", LIGHT.text),
                                   ("selectBackground", LIGHT.allowed), ("selectForeground", LIGHT.on_colour)):
                self.root.option_add(f"*{dialog}*{option}", colour)
        for kind in ("TkFDialog", "TkChooseDir", "Dialog"):  # the last is the question whether a file may be replaced
            self.root.bind_class(kind, "<ButtonPress>", COME_FORWARD)
        # Dot files are hidden, and a check button shows them; both are variables of the dialog's own script.
        interpreter.eval("catch {tk_getOpenFile -foo}\nset ::tk::dialog::file::showHiddenBtn 1\n"
                         "set ::tk::dialog::file::showHiddenVar 0")


# -- windows that stay open --

class Page(tk.Toplevel):
    """A window that stays open beside the game and follows its language and colours."""

    def __init__(self, parent: tk.Tk, look: Look, texts: Texts, title_key: str, width: int, height: int) -> None:
        super().__init__(parent)
        self.look, self.texts = look, texts
        self._title_key = title_key
        #: What is read and scrolled; made by build().
        self.main: Union[tk.Text, ttk.Treeview, None] = None
        wide, high = look.fitted(width, height)
        self.geometry(f"{wide}x{high}")
        self.transient(parent)
        self.bind("<Escape>", self.on_close)
        self.protocol("WM_DELETE_WINDOW", self.on_close)

    def dress(self) -> None:
        """Fill the window anew, in the language and the colours chosen; a text stays where it was read."""
        has_focus = str(self.tk.call("focus", "-displayof", self)).startswith(str(self))
        place = self.main.yview()[0] if self.main else 0.0
        for child in self.winfo_children():
            child.destroy()
        self.title(self.texts(self._title_key))
        self.configure(background=self.look.theme.panel)
        self.main = self.build()
        self.main.yview_moveto(place)
        if has_focus:
            self.main.focus_set()

    def follow(self, game: Game) -> None:
        """The game has gone on."""

    def build(self) -> Union[tk.Text, ttk.Treeview]:
        """Fill the window; what is read and scrolled in it."""
        raise NotImplementedError

    def make_text(self, **options: Any) -> tk.Text:
        """A text with a scrollbar that fills the window."""
        theme, fonts = self.look.theme, self.look.fonts
        text = tk.Text(self, wrap="word", padx=24, pady=18, borderwidth=0, highlightthickness=0,
                       background=theme.panel, foreground=theme.text, **{"font": fonts["body"], **options})
        scrollbar = ttk.Scrollbar(self, command=text.yview)
        scrollbar.pack(side="right", fill="y")
        text.pack(side="left", fill="both", expand=True)
        text.configure(yscrollcommand=scrollbar.set)
        return text

    def on_close(self, _event: object = None) -> None:
        """Close the window; the game goes on."""
        self.destroy()


class HelpWindow(Page):
    """The rules and the keys on a page of its own that stays open while one plays."""

    def __init__(self, parent: tk.Tk, look: Look, texts: Texts, rules: Sequence[Lesson],
                 commands: Sequence[Command]) -> None:
        super().__init__(parent, look, texts, "help", 46, 40)
        self.rules, self.commands = rules, commands
        self.dress()

    def build(self) -> tk.Text:
        """The rules' text as it lies in the classroom folder, then the keys."""
        texts, fonts = self.texts, self.look.fonts
        page = self.make_text(spacing3=5, tabs=(fonts["body"].measure("m") * 14,))
        page.tag_configure("heading", font=fonts["heading"], spacing1=12)
        if not self.rules:
            page.insert("end", texts("no_classroom") + "\n")
        for lesson in self.rules:
            page.insert("end", lesson.title.get(texts.language, "") + "\n", "heading")
            page.insert("end", lesson.text.get(texts.language, "") + "\n")
        page.insert("end", texts("help_keys") + "\n", "heading")
        for command in self.commands:
            if command.shortcut:
                name = texts(command.key).rstrip(" …")
                page.insert("end", f"{shortcut_text(command.shortcut, texts)}\t{name}\n")
        page.configure(state="disabled")
        return page


# --- 16. Application -------------------------------------------------------------

GARBAGE_MS = 3000
ICON_MS = 300
#: How long the window, hidden already, waits at its end for a slow folder.
CLOSING_S = 30.0


class Pages:
    """The windows that stay open beside the game; there is one of each kind."""

    def __init__(self, root: tk.Tk, look: Look, texts: Texts, session: Session, dialogs: Dialogs,
                 shortcuts: Callable[[], Sequence[Command]]) -> None:
        self.root, self.look, self.texts, self.session = root, look, texts, session
        self.dialogs, self.shortcuts = dialogs, shortcuts
        #: The windows by the commands that open them.
        self.open_pages: Dict[str, Page] = {}

    def commands(self) -> Tuple[Command, ...]:
        """The commands, with their shortcuts."""
        return (Command("help", partial(self.open, "help", self._make_help), "F1"), Command("about", self._about))

    def open(self, key: str, make: Callable[[], Page]) -> None:
        """Open a window, in the place of an older one of its kind."""
        old = self.open_pages.pop(key, None)
        if old is not None and old.winfo_exists():
            old.destroy()
        page = self.open_pages[key] = make()
        if page.main:
            page.main.focus_set()

    def follow(self) -> None:
        """Let the windows that show something of the game show it as it is now."""
        for page in self.open_pages.values():
            if page.winfo_exists():
                page.follow(self.session.game)

    def _make_help(self) -> HelpWindow:
        return HelpWindow(self.root, self.look, self.texts, read_lessons("rules.agon")[0], self.shortcuts())

    def _about(self) -> None:
        """Say what this is and what it runs on."""
        self.dialogs.tell("about", Message.of("about_text", version=VERSION, python=sys.version.split()[0],
                                              tk=self.root.tk.call("info", "patchlevel")))

    def dress(self) -> None:
        """Let all windows take the colours and the language in force."""
        for page in self.open_pages.values():
            if page.winfo_exists():
                page.dress()

    def close(self) -> None:
        """Close all windows."""
        for page in self.open_pages.values():
            if page.winfo_exists():
                page.destroy()


class ViewCommands:
    """The commands that change how the window looks."""

    def __init__(self, root: tk.Tk, store: Store, look: Look, texts: Texts, dress: Callable[[], None],
                 analyse: Callable[[], None]) -> None:
        self.root, self.store, self.look, self.texts = root, store, look, texts
        self._dress, self._analyse = dress, analyse

    def commands(self) -> Tuple[Command, ...]:
        """The commands, with their shortcuts."""
        switches = [Command(key, partial(self.toggle, name), shortcut, name) for key, name, shortcut in (
            ("flip", "flipped", "Mod-f"), ("ranks", "ranks", ""), ("animation", "animation", ""),
            ("analysis", "analysis", "F8"),
            ("conversation", "conversation", ""))]
        return (*switches, Command("larger", partial(self.zoom, 1), "Mod-plus"),
                Command("smaller", partial(self.zoom, -1), "Mod-minus"),
                Command("full_screen", self.full_screen, "F11"))

    def toggle(self, name: str) -> None:
        """Switch a setting."""
        self.store.change(**{name: not getattr(self.store.settings, name)})
        if name == "analysis":
            self._analyse()

    def change_look(self, name: str, value: Any) -> None:
        """Take other colours, another text size or another language, at once and in all windows."""
        self.store.change(**{name: value})
        self._dress()

    def zoom(self, points: int) -> None:
        """Make all text larger, or smaller."""
        self.change_look("zoom", max(MIN_ZOOM, min(self.look.largest_zoom, self.look.zoom + points)))

    def set_language(self, language: str) -> None:
        """Speak another language."""
        self.texts.language = language
        self.change_look("language", language)

    def full_screen(self) -> None:
        """Fill the screen, or leave it again."""
        self.root.attributes("-fullscreen", not self.root.attributes("-fullscreen"))


def browse(address: str) -> bool:
    """Let the browser show an address; False where there is none."""
    import webbrowser  # here, since it would slow the start down
    try:
        return webbrowser.open(address)
    except (OSError, webbrowser.Error):
        return False


class Placement:
    """Where the window stands, and how large it is, from one start to the next."""

    #: What a title bar takes at most (pixels).
    TITLE_BAR = 40

    def __init__(self, root: tk.Tk, store: Store, look: Look) -> None:
        self.root, self.store, self.look = root, store, look

    def restore(self) -> Tuple[int, int]:
        """Put the window where it was last time, as far as the screen reaches today; its size then (pixels)."""
        root, settings = self.root, self.store.settings
        left, top = root.winfo_vrootx(), root.winfo_vrooty()
        wide = max(root.winfo_vrootwidth(), root.winfo_screenwidth())
        high = max(root.winfo_vrootheight(), root.winfo_screenheight())
        match = re.fullmatch(r"(\d{1,5})x(\d{1,5})\+(-?\d{1,5})\+(-?\d{1,5})", settings.geometry)
        if not match:
            width, height = self.look.fitted(FIRST_WIDTH, FIRST_HEIGHT)
            root.geometry(f"{width}x{height}")
        else:
            width, height, x, y = (int(number) for number in match.groups())
            width, height = min(width, wide), min(height, high - self.TITLE_BAR)
            x = max(left, min(x, left + wide - width))
            y = max(top, min(y, top + high - self.TITLE_BAR - height))
            root.geometry(f"{width}x{height}+{x}+{y}")
        if settings.is_maximised:
            self._maximise()
        return width, height

    def _maximise(self) -> None:
        try:
            self.root.state("zoomed")
        except tk.TclError:  # X11 knows it as an attribute
            self.root.attributes("-zoomed", True)

    def remember(self) -> None:
        """Remember place and size; those of a maximised window are not its own."""
        root = self.root
        if root.attributes("-fullscreen") or root.state() not in ("normal", "zoomed"):
            return
        is_maximised = root.state() == "zoomed" or "-zoomed" in root.attributes() and root.attributes("-zoomed")
        if is_maximised:
            self.store.change(is_maximised=True)
        else:
            self.store.change(is_maximised=False, geometry=root.geometry())


#: Bits of an event's state; on Windows the place of Alt (elsewhere 8) means Num Lock.
CONTROL_MASK, ALT_MASK = 4, 0x20000 if sys.platform == "win32" else 8


#: The keys of the Latin letters by their places: the codes of X11 for three rows of a keyboard.
_LETTER_ROWS = ((24, "qwertyuiop"), (38, "asdfghjkl"), (52, "zxcvbnm"))
LETTER_BY_CODE = {first + i: letter for first, row in _LETTER_ROWS for i, letter in enumerate(row)}


def latin_letter(event: "tk.Event[Any]") -> str:
    """The Latin letter on the key that was pressed, if the keyboard itself writes others; else ''."""
    if len(event.keysym) == 1 or not isinstance(event.keycode, int):
        return ""
    if sys.platform == "win32":
        return chr(event.keycode).lower() if 65 <= event.keycode <= 90 else ""
    is_foreign = "_" in event.keysym and not event.keysym.endswith(("_L", "_R")) and not event.keysym.startswith("KP_")
    return LETTER_BY_CODE.get(event.keycode, "") if is_foreign and not IS_MAC else ""


class Gestures:
    """Turns events of mouse and keyboard on the board into what the hand does."""

    def __init__(self, board: BoardView, moves: tk.Canvas, hand: Hand, handle: Callable[..., Any],
                 open_menu: Callable[[int, int], None]) -> None:
        self.board, self.hand, self.handle = board, hand, handle
        self._open_menu = open_menu
        board.bind("<ButtonPress-1>", self._on_press)
        board.bind("<B1-Motion>", partial(self._at_point, hand.motion))
        board.bind("<ButtonRelease-1>", partial(self._at_point, hand.release))
        for sequence in ("<ButtonPress-2>", "<ButtonPress-3>", *(("<Control-ButtonPress-1>",) if IS_MAC else ())):
            board.bind(sequence, self._on_other_button)
        board.bind("<Motion>", self._on_free_motion)
        board.bind("<Unmap>", partial(self._do, hand.lost))
        for key, columns, rows in (("Up", 0, -1), ("Down", 0, 1), ("Left", -1, 0), ("Right", 1, 0)):
            for sequence in (f"<{key}>", f"<KP_{key}>"):
                board.bind(sequence, partial(self._do, partial(hand.move_cursor, columns, rows)))
        for sequence, direction in (("<Tab>", 1), ("<Shift-Tab>", -1), ("<<PrevWindow>>", -1)):
            board.bind(sequence, partial(self._do, partial(hand.step_cursor, direction)))
        board.bind("<Control-Tab>", self._on_leave)
        for widget in (board, moves):
            widget.bind("<Key>", self._on_key)
            widget.bind("<space>", partial(self._do, hand.space))
            for sequence in ("<Return>", "<KP_Enter>"):
                widget.bind(sequence, partial(self._do, hand.enter))

    def _point(self, event: "tk.Event[Any]") -> Point:
        return self.board.canvasx(event.x), self.board.canvasy(event.y)

    def _do(self, action: Callable[[], None], _event: object) -> str:
        self.handle(self._act, action)
        return "break"

    def _act(self, action: Callable[[], None]) -> None:
        """Who acts has seen enough of the last move."""
        self.board.end_news()
        action()

    def _at_point(self, action: Callable[[Point], None], event: "tk.Event[Any]") -> None:
        self.handle(action, self._point(event))

    def _on_free_motion(self, _event: object) -> None:
        """The pointer moves without the button: if a piece is carried, its release got lost."""
        if self.hand.is_carrying:
            self.handle(self.hand.lost)

    def _on_press(self, event: "tk.Event[Any]") -> None:
        self.board.focus_set()
        self.handle(self._act, partial(self.hand.press, self._point(event)))

    def _on_other_button(self, event: "tk.Event[Any]") -> str:
        """Put the picked piece back; with nothing picked, open the context menu."""
        if self.hand.is_holding:
            self.handle(self.hand.escape)
        else:
            self._open_menu(event.x_root, event.y_root)
        return "break"

    def _on_leave(self, _event: object) -> str:
        """Let the keyboard leave the board for the buttons beside it."""
        following = self.board.tk_focusNext()
        if following is not None:
            following.focus_set()
        return "break"

    def _on_key(self, event: "tk.Event[Any]") -> None:
        has_modifier = isinstance(event.state, int) and event.state & (CONTROL_MASK | ALT_MASK)
        if event.keysym == "BackSpace":
            self.handle(self.hand.erase)
        elif len(event.char) == 1 and event.char.isprintable() and not has_modifier:
            self.handle(self.hand.type, event.char)


class App:
    """Brings the parts together: carries every event out as one change of the session, and shows it once."""

    def __init__(self, root: tk.Tk, engine_command: Sequence[str] = OWN_ENGINE, path: str = "") -> None:
        self.root = root
        self.is_closed = False
        #: How many events are being handled inside each other; the outermost shows what has come of them.
        self._depth = 0
        #: What the table wants next when its time has come.
        self._pending: Optional[Next] = None
        self.engine_command = tuple(engine_command)
        self.writer = Writer()
        self.store = Store(self.writer)
        self.texts = Texts(self.settings.language or system_language(root))
        self.look = Look(root, self.store, self.texts)
        self.jobs = Jobs(root.after, root.after_cancel, self.handle)
        self.thinker = Thinker("player", self.jobs, engine_command)
        self.analyst = Analyst(Thinker("analyst", self.jobs, engine_command))
        self.tree_thinker = Thinker("tree", self.jobs, engine_command)
        self.dialogs = Dialogs(root, self.look, self.texts, self.handle, Trial(Thinker("trial", self.jobs)))
        self.session = Session(RunningGame(Game(), (Player(), Player()), self.attempt))
        self.game_commands = GameCommands(self.session, self.store, self.thinker, self.dialogs, self.change, self.ask,
                                          self.perform, self._play_elsewhere)
        self.partner_commands = PartnerCommands(self.session, self.store, self.thinker, self.dialogs, self.change,
                                                self.game_commands.adopt)
        self.timekeeper = Timekeeper(self.session, self.jobs, self._has_dialog, self.game_commands.time_is_up)
        self.lesson_commands = LessonCommands(self.session, self.store, self.dialogs, self.change, self.attempt,
                                              self.game_commands.play_position, self._make_theatre,
                                              self.game_commands.play_against_weights)
        self.files = Files(self.session, self.store, self.writer, self.jobs, self.dialogs, self.texts, self._clipboard,
                           self.game_commands.adopt, self.look.colours, self._paint)
        self.exercises = Exercises(self.session, self.texts, self.dialogs, self.files.put)
        self.printer = Printer(self.session, self.store, self.texts, self.dialogs, self.files.put, browse)
        self.tournament_thinker = Thinker("tournament", self.jobs, engine_command, poll_ms=TOURNAMENT_MS)
        self.tournament_commands = TournamentCommands(self.session, self.store, self.tournament_thinker, self.dialogs,
                                                      self.texts, self.change, self.files.load, browse)
        self.window = MainWindow(root, self.look, self.texts, self.jobs, partial(self.handle, self.run),
                                 partial(self.handle, self.game_commands.go_to),
                                 partial(self.handle, self.game_commands.take_line), partial(self.handle, self._choose),
                                 self._open_menu, partial(self.handle, self.files.copy_talk))
        self.board = self.window.board
        self.hand = Hand(self.session, self.board, self.finish, self.glide_home, self.run)
        self.pages = Pages(root, self.look, self.texts, self.session, self.dialogs, self._shortcuts)
        self.view_commands = ViewCommands(root, self.store, self.look, self.texts, self._dress, self._analyse)
        self.commands = {command.key: command for command in self._commands()}
        self.menus = Menus(root, self.look, self.texts, self.store, self.commands, self._submenus(),
                           partial(self.handle, self.run), self._resting)
        self.placement = Placement(root, self.store, self.look)
        self.window.first_size = self.placement.restore()
        self.window.dress()
        Gestures(self.board, self.window.move_canvas, self.hand, self.handle, self._open_context_menu)
        self._bind()
        self.handle(self._begin, path)

    @property
    def settings(self) -> Settings:
        """The settings as they are now."""
        return self.store.settings

    def _begin(self, path: str) -> None:
        """Go on with the game that was running, or begin one; open the file named on the command line."""
        running = self.files.resume(self.attempt)
        self.files.adopt_orphan(self.attempt)
        message, is_refusal = self.session.message, self.session.is_refusal
        self.session.running = self.session.table = running or self.game_commands.make(self.game_commands.wanted())
        if running is None:
            self.game_commands.face()
        self.settle()
        self.session.say(message, is_refusal)
        if path:
            self.files.load(path)
        self.board.focus_set()
        self.jobs.later("icon", ICON_MS, self._set_icon)
        self.jobs.later("garbage", GARBAGE_MS, self._collect_garbage)

    # -- one event, one picture --

    def handle(self, action: Callable[..., Any], *values: Any) -> Any:
        """Carry an event out and then show, once, what has come of it; every event comes through here."""
        self._depth += 1
        self.jobs.wake()
        try:
            return action(*values)
        finally:
            self._depth -= 1
            if not self._depth and not self.is_closed:
                self.timekeeper.follow()
                self.window.show(view_of(self.session, self.hand.state, self.analyst.report(self.session.game),
                                         self.settings, self.texts, self.files.notice(), self._conversation()))

    def _conversation(self) -> Conversation:
        """What programs have said of late, if that is to be seen."""
        return self.thinker.conversation(self.session.running.players) if self.settings.conversation else ()

    def _has_dialog(self) -> bool:
        return self.dialogs.is_open

    def _resting(self) -> FrozenSet[str]:
        session = self.session
        return resting_commands(session, session.game.outcome())

    def run(self, key: str) -> None:
        """Carry out a command, if it has a meaning now: the table's own, or else that of the window."""
        if key in self._resting() or self.dialogs.top:
            return  # a key held down comes again before the dialog that it has opened has the keyboard
        table = self.session.table
        own = table.commands()
        if key in own:
            self.change(own[key])
        elif key in self.commands:  # not the button of a page that has gone
            self.commands[key].action()

    # -- transitions --

    def stop(self, by_player: bool = True) -> None:
        """Stop whatever is going on, before the table is changed: by the player, or by the computer's answer."""
        self.jobs.forget("next")
        self.timekeeper.hold()
        self._pending = None
        self.board.end_motion(goes_on=False)
        self.thinker.cancel()
        self.analyst.rest()
        if by_player:
            self.session.clear_marks()
        else:
            self.session.answered()
        self.hand.clear()
        self.session.enter(Mode.IDLE)

    def change(self, action: Callable[..., Any], *values: Any) -> None:
        """Stop, act, save, and go on; pieces glide whose cells and former cells the action returns."""
        session, layout = self.session, self.board.layout
        self.stop()
        session.running.helper = None
        came_from: Dict[Cell, Cell] = action(*values) or {}
        self.thinker.keep_only(session.running.players)
        if not session.is_lesson:
            self.files.autosave()
        self.glide({cell: layout.centre(other) for cell, other in came_from.items()}, GLIDE_MS, self.settle)

    def settle(self) -> None:
        """The board has come to rest: wait for the player, let the computer think, or go on by itself."""
        session = self.session
        self.hand.clear()
        session.enter(Mode.IDLE)
        if not session.is_lesson:
            self.game_commands.count_result()
        self.partner_commands.follow()
        self.perform(session.table.settled())
        self._analyse()
        self.pages.follow()

    def _analyse(self) -> None:
        session = self.session
        if self.settings.analysis and not session.is_lesson and session.mode is not Mode.THINKING:
            self.analyst.begin(session.game)
        else:
            self.analyst.rest()

    def perform(self, following: Next) -> None:
        """Do what is to happen next; a piece that is picked stays so only if the player goes on as before."""
        session = self.session
        if following.mode is not session.mode:
            self.hand.put_down()
        session.enter(following.mode)
        if following.say:
            session.say(following.say)
        if following.point is not None:
            session.mark(piece=following.point)
        if following.show:
            session.mark(hint=following.show, piece=None)
            session.say(following.say or Message.of("say_hint", move=session.game.describe(following.show)))
        if following.ask:
            self.ask(following.ask, session.table.answered)
        elif following.play is not None or following.take_back or following.put_up:
            self._pending = following
            self.jobs.later("next", following.delay, self._go_on)

    def _go_on(self) -> None:
        session, layout = self.session, self.board.layout
        following, self._pending = self._pending, None
        self.jobs.forget("next")
        if following is None:
            return
        if following.put_up:
            session.table.game = following.put_up
            self.settle()
        elif following.take_back:
            move = session.game.undo()
            session.clear_marks()
            if move is not None and move.source is not None and move.target is not None:
                self.glide({move.source: layout.centre(move.target)}, GLIDE_MS, self.settle)
        elif following.play is not None:
            self.play(following.play)

    def finish(self) -> None:
        """Bring what runs by itself to its end at once."""
        if self._pending:
            self._go_on()
        self.board.end_motion()

    def play(self, move: Move, origin: Optional[Point] = None) -> None:
        """Play a legal move; the piece glides from `origin` (in pixels), or from its cell."""
        session, running, layout = self.session, self.session.running, self.board.layout
        self.stop(by_player=session.is_lesson or not running.is_computers_turn)
        if not session.is_lesson:
            if not running.is_computers_turn:
                running.is_paused = False
            self._branch(move)
            if self.settings.is_new:
                self.store.change(is_new=False)
        game, running.helper = session.game, None
        home = home_of(game, move, layout)
        if not session.is_lesson:
            running.clock.moved(game.position.turn)
        if game.undone[:1] == (move,):
            game.redo()
        else:
            session.play(move)
        if not session.is_lesson:
            self.files.autosave()
        origins = {}
        if move.target is not None and home is not None:
            origins[move.target] = origin or home
        self.glide(origins, SNAP_MS if origin else GLIDE_MS, self.settle)

    def _branch(self, move: Move) -> None:
        """Who looks back and plays another move begins a new game; the one looked through stays whole."""
        running = self.session.running
        if running.looks_back and running.game.undone[0] != move:
            number = running.game.move_number(running.game.ply)
            self.session.branch()
            self.session.say(Message.of("say_branched", number=number))

    def attempt(self, move: Move, dropped_at: Optional[Point]) -> None:
        """Play the player's move, or say why not and mark the cells that forbid it."""
        session = self.session
        if session.game.refusal(move) is None:
            if not session.would_leave(move):
                self.play(move, dropped_at)
                return
            self.dialogs.ask("branch_title", Message("branch_text"), "branch_yes", "cancel", partial(self.play, move))
        else:
            session.refuse(move)
        if dropped_at is not None and move.target is not None:
            self.glide_home(TRAY if move.source is None else move.source, dropped_at)

    def glide_home(self, cell: Cell, point: Point) -> None:
        """Let a carried piece glide back to its cell; nothing has been moved."""
        self.glide({cell: point}, GLIDE_MS, partial(self.session.enter, Mode.IDLE))

    def glide(self, origins: Dict[Cell, Point], milliseconds: int, then: Callable[[], None]) -> None:
        """Let pieces glide home, each from a point (in pixels), then go on."""
        if self.settings.animation and origins:
            self.session.enter(Mode.ANIMATING)
            self.board.glide(origins, milliseconds, then)
        else:
            then()

    # -- engines --

    def ask(self, question: Question, on_answer: Callable[[Move, Optional[int]], Next]) -> None:
        """Ask an engine about the game on the board; what it leads to happens when it has answered."""
        session = self.session
        self.thinker.ask(Asked(question, question.game or session.game, partial(self._answered, on_answer),
                               self._engine_failed, session.table.heard, least_ms=question.least_ms))

    def _answered(self, on_answer: Callable[[Move, Optional[int]], Next], move: Optional[Move], score: Optional[int]
                  ) -> None:
        session = self.session
        if session.mode is Mode.THINKING:
            session.enter(Mode.IDLE)
        if move is None:
            game = session.game
            self.change(game.resign, game.position.turn)
        else:
            self.perform(on_answer(move, score))

    def _engine_failed(self, message: Message) -> None:
        """Say why an engine was ended, and hold the game up."""
        session = self.session
        self.hand.put_down()
        session.enter(Mode.IDLE)
        following = session.table.failed()
        if session.running.is_paused and not session.is_lesson and not session.running.has_partner:
            message = Message.of("say_try_again", failure=message, key=Shortcut(PAUSE_KEY))
        session.say(message, is_refusal=True)
        self.perform(following)
        self._analyse()

    def _paint(self) -> bytes:
        return self.board.png()

    # -- commands --

    def _commands(self) -> Iterator[Command]:
        """All commands of the window."""
        for part in (self.game_commands, self.partner_commands, self.lesson_commands, self.tournament_commands,
                     self.files, self.exercises, self.printer, self.pages, self.view_commands):
            yield from part.commands()
        yield Command("place_game", partial(self._go_to_place, False))
        yield Command("place_analysis", partial(self._go_to_place, True))
        yield Command("look_through", partial(self._go_to_place, True))
        yield Command("menu", self._open_main_menu, "F10")
        yield Command("quit", self.close, "Mod-q")

    def _shortcuts(self) -> Sequence[Command]:
        """The commands in the order of the menus, for the page of keys."""
        return [self.commands[key] for _menu, entries in MENUS for key in entries if key and key[0] != "["]

    def _submenus(self) -> Dict[str, Submenu]:
        """The menus of choices."""
        exports = partial(self._named, [key for key in self.commands if key.startswith("export_")])
        themes = partial(self._named, list(THEMES), "theme_")
        return {
            "recent": Submenu(self.files.recent, partial(self.handle, self.files.load)),
            "export": Submenu(exports, partial(self.handle, self.run)),
            "own_pages": Submenu(partial(self.lesson_commands.own_pages, self.texts),
                                 partial(self.handle, self.lesson_commands.open_own)),
            "print": Submenu(self.printer.choices, partial(self.handle, self.printer.choose)),
            "level_menu": Submenu(partial(self.game_commands.levels, self.texts),
                                  partial(self.handle, self.game_commands.set_level), self.game_commands.level),
            "theme": Submenu(themes, partial(self.handle, self.view_commands.change_look, "theme"),
                             partial(getattr, self.look, "theme_name")),
            "language": Submenu(partial(tuple, LANGUAGES.items()),
                                partial(self.handle, self.view_commands.set_language),
                                partial(getattr, self.texts, "language"))}

    def _named(self, keys: Sequence[str], prefix: str = "") -> Sequence[Tuple[str, str]]:
        """Keys with their texts."""
        return [(key, self.texts(prefix + key)) for key in keys]

    def _go_to_place(self, with_analysis: bool) -> None:
        """Go to the running game, with or without the analysis."""
        self.store.change(analysis=with_analysis)
        if self.session.is_lesson:
            self.lesson_commands.close()
        else:
            self._analyse()

    def _play_elsewhere(self, wanted: LinkWanted) -> None:
        self.partner_commands.start(wanted)

    def _make_theatre(self, game: Game, lessons: Sequence[Lesson]) -> Theatre:
        return Theatre(game, lessons, self.tree_thinker.ask, self.tree_thinker.close, self.jobs)

    def _choose(self, name: str) -> None:
        """A choice on the page of a lesson."""
        self.change(self.session.table.choose, name)

    # -- the window --

    def _dress(self) -> None:
        """Take colours, text size and language into force everywhere."""
        self.window.dress()
        self.pages.dress()
        if IS_MAC:
            self.menus.make_bar()

    def _bind(self) -> None:
        root = self.root
        # A board that has no room left, since the panel was made for a larger window, is not told of it.
        for widget in (self.board, self.board.master):
            widget.bind("<Configure>", partial(self._on_event, self._on_configure))
        root.bind("<FocusOut>", partial(self._on_event, self.hand.lost))
        root.bind("<Escape>", partial(self._on_event, self._escape))
        for command in self.commands.values():
            for sequence in shortcut_sequences(command.shortcut) if command.shortcut else ():
                root.bind(sequence, partial(self._on_event, partial(self.run, command.key)))
        # On American keyboards plus needs Shift, so the key without it does, too.
        root.bind("<Command-equal>" if IS_MAC else "<Control-equal>",
                  partial(self._on_event, partial(self.run, "larger")))
        root.bind("<Control-Key>", self._on_control_key)
        root.bind("<<Redo>>", partial(self._on_event, partial(self.run, "redo")))
        root.bind("<Alt-m>", partial(self._on_event, partial(self.run, "menu")))
        root.protocol("WM_DELETE_WINDOW", partial(self.handle, self.close))
        if IS_MAC:
            root.createcommand("::tk::mac::Quit", partial(self.handle, self.close))
            root.createcommand("::tk::mac::ShowHelp", partial(self.handle, self.run, "help"))
            self.menus.make_bar()

    def _on_control_key(self, event: "tk.Event[Any]") -> Optional[str]:
        """On a keyboard without Latin letters the key in the same place counts."""
        letter = latin_letter(event)
        for command in self.commands.values():
            if letter and command.shortcut == f"Mod-{letter}":
                return self._on_event(partial(self.run, command.key), event)
        return None

    def _on_event(self, action: Callable[[], None], _event: object) -> str:
        self.handle(action)
        return "break"

    def _escape(self) -> None:
        """Close the dialog that is open; else put the picked piece back; with nothing picked, leave the full screen."""
        if self.dialogs.cancel():
            return
        if self.session.mode not in (Mode.SELECTED, Mode.DRAGGING) and self.root.attributes("-fullscreen"):
            self.view_commands.full_screen()
        self.hand.escape()
        self.window.focus()

    def _open_menu(self, x: int, y: int) -> None:
        self.menus.open(self.menus.make(), x, y)

    def _open_main_menu(self) -> None:
        self.window.open_menu()

    def _open_context_menu(self, x: int, y: int) -> None:
        self.menus.open(self.menus.make_context(), x, y)

    def _clipboard(self, text: Optional[str] = None) -> str:
        """Read the clipboard, or write a text to it."""
        if text is not None:
            self.root.clipboard_clear()
            self.root.clipboard_append(text)
            return text
        try:
            return self.root.clipboard_get()
        except tk.TclError:
            return ""

    def _on_configure(self) -> None:
        """The canvas has another size: arrange the window once the events have run out."""
        self.hand.lost()
        if not self.jobs.waits("arrange"):
            self.jobs.later("arrange", "idle", self.window.arrange)

    def _set_icon(self) -> None:
        """Give the window its icon, once the board is there; a window not yet seen cannot take it on Windows."""
        if not self.root.winfo_viewable():
            self.jobs.later("icon", ICON_MS, self._set_icon)
            return
        self._icon = tk.PhotoImage(master=self.root, data=paint_piece(64, LIGHT.black, True).png(), format="png")
        self.root.iconphoto(True, self._icon)
        self.root.iconphoto(False, self._icon)  # Windows shows the default one in dialogs only

    def _collect_garbage(self) -> None:
        gc.collect()
        self.jobs.later("garbage", GARBAGE_MS, self._collect_garbage)

    def close(self) -> None:
        """End, once a tournament that would be cut short has been asked about."""
        if self.is_closed or self.dialogs.is_choosing:
            return  # the system's file dialog has a loop of its own, which must end first
        if self.tournament_commands.is_running:
            self.dialogs.ask("quit", Message("ask_close_tournament"), "close_anyway", "cancel", self._keep_and_end,
                             is_safe=False)
        else:
            self._keep_and_end()

    def _keep_and_end(self) -> None:
        """End, whatever is going on; a game that cannot be kept is offered another place first."""
        self.placement.remember()
        self.root.withdraw()
        self.writer.wait(CLOSING_S)
        notice = self.files.notice()
        running = self.session.running
        if notice and notice.key == "say_not_kept" and running.game.length:
            self.root.deiconify()
            self.dialogs.ask("quit", Message.of("ask_close", reason=notice), "save_elsewhere", "close_anyway",
                             self.files.save_as, self.end)
        else:
            self.end()

    def end(self) -> None:
        """End all that runs, and the window."""
        if self.is_closed:
            return
        self.is_closed = True
        self.jobs.forget()
        self.pages.close()
        self.thinker.close()
        self.analyst.close()
        self.tree_thinker.close()
        self.tournament_thinker.close()
        self.files.close()
        self.root.destroy()


def main() -> None:
    """Open the window."""
    arguments = sys.argv[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__.split("Contents")[0].strip() if __doc__ else "python agon.py [game.agon]")
        return
    if sys.platform == "win32":
        import ctypes
        try:  # sharp on scaled screens; must come before the first Tk()
            ctypes.windll.shcore.SetProcessDpiAwareness(1)
        except (AttributeError, OSError):  # before Windows 8.1
            ctypes.windll.user32.SetProcessDPIAware()
    try:
        root = tk.Tk(className="Agon")
    except tk.TclError as error:
        stop_with(f"Agon needs a screen to show its window ({error})")
    # Tk objects must be freed by this thread, but Python collects garbage in whichever thread
    # happens to allocate (CPython issue 83274); so the window does it, now and then.
    gc.disable()
    App(root, path=arguments[0] if arguments else "")
    try:
        root.mainloop()
    except KeyboardInterrupt:
        pass  # Ctrl+C in the terminal ends the program; the game has been kept after every move


if __name__ == "__main__":
    main()
