"""Agon on the desktop: the window, the mouse, and the computer as a player.

    python agon.py [game.agon]

The picture on the canvas is a function of the game and of what the player is
just doing; nothing is ever decided from what is drawn.  All rules come from
agon_core.  The computer thinks in a child process (agon_ai.py serve), so the
window stays alive while it does.

Contents
     1. Start-up     a plain sentence where Python or Tk is missing
     2. Texts        every sentence in German and English, side by side
     3. Look         colours, sizes, the pictures of the pieces
     5. Board        the canvas: draws what it is given, reports cells
     6. Scores       what an engine's numbers mean
     7. Settings     what is remembered between two starts
     8. Dialogs      new game, questions and messages, help
     9. Panel        the list of moves, the analysis, the page of an activity
    10. Hand         mouse and keyboard: picking, carrying, dropping
    11. Analyst      a second engine that comments on the game
    12. Classroom    the tour, the puzzles, setting up a position, the search tree
    13. Parts        menus, files, programs that play, the sentences beside the board
    14. Application  the state machine that ties it all together
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

import copy
import errno
import gc
import json
import math
import operator
import os
import random
import re
import shlex
import struct
import threading
import time
import zlib
from enum import Enum
from functools import lru_cache, partial
from typing import IO, Any, Callable, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Tuple, Type, Union

from agon_core import (
    BLACK, CELLS, CROSS, ERROR_TEXTS, FILES, FRAME_SHARE, GUARD_SHAPES, MARGIN, NEIGHBOURS, PASS, PIECE_DIAMETER,
    PIECE_SHAPES, PRINT, QUEEN_SHAPES, QUIET_MOVES_TO_DRAW, RANK_MARGIN, RING, STAR, THRONE, WHITE, AgonError, Cell,
    Colours, Diagram, Disc, Ending, Game, IllegalMove, Layout, Move, PieceColours, Point, Position, Refusal, Rules,
    Shape, cell_name, cells_of, diagrams_svg, is_goal_reached, read_text, write_safely)
from agon_ai import (
    INFINITY, OWN_ENGINE, START_PATIENCE, SURE_WIN, Answer, EngineFailure, EngineProcess, Info, TreeLine,
    parse_tree_line, program_command, score_text)

VERSION = "1.0"
IS_MAC = sys.platform == "darwin"

# --- 2. Texts --------------------------------------------------------------------

LANGUAGES = {"de": "Deutsch", "en": "English"}

#: Every text of the window: key -> (German, English).
TEXTS: Dict[str, Tuple[str, str]] = {
    "white": ("Weiß", "White"),
    "black": ("Schwarz", "Black"),
    "level": ("Stufe {level}", "Level {level}"),
    # the panel beside the board
    "turn": ("{side} ist am Zug", "{side} to move"),
    "wins": ("{side} gewinnt", "{side} wins"),
    "drawn": ("Unentschieden", "Draw"),
    "move_number": ("Zug {number}", "Move {number}"),
    "ended_on": ("Ende im {number}. Zug", "ended on move {number}"),
    "paused": ("angehalten", "paused"),
    "two_players": ("zwei Spieler", "two players"),
    "against_computer": ("Computer Stufe {level}", "computer level {level}"),
    "computer_thinks": ("der Computer denkt …", "the computer is thinking …"),
    "say_thinking": ("Der Computer denkt …", "The computer is thinking …"),
    "undo_button": ("Zurück", "Undo"),
    "redo_button": ("Vor", "Redo"),
    "hint_button": ("Tipp", "Hint"),
    "analysis_summary": ("Tiefe {depth} · {nodes} Stellungen", "Depth {depth} · {nodes} positions"),
    "analysis_waits": ("Die Analyse wartet.", "The analysis is waiting."),
    "review": ("Das Spiel wird durchgesehen: {percent} %", "Analysing the game: {percent} %"),
    "review_done": ("Ein Klick auf die Kurve zeigt die Stellung.", "Click on the curve to see the position."),
    "wins_in": ("{side} gewinnt in {moves}", "{side} wins in {moves}"),
    # the status line below the board
    "say_start": ("Zieh einen deiner Steine mit der Maus; die möglichen Felder werden markiert.",
                  "Drag one of your pieces with the mouse; the possible cells will be marked."),
    "say_trapped": ("Eingeschlossen: {pieces}. {task}", "Trapped: {pieces}. {task}"),
    "piece_guard": ("Wache auf {cell}", "guard on {cell}"),
    "piece_queen": ("Königin auf {cell}", "queen on {cell}"),
    "task_guard": ("Setze sie auf ein freies Feld des Außenrings.",
                   "Put it on a free cell of the outer ring."),
    "task_queen": ("Setze sie auf irgendein freies Feld außer dem Thron.",
                   "Put her on any free cell except the throne."),
    "task_guards": ("Setze eine von ihnen auf ein freies Feld des Außenrings.",
                    "Put one of them on a free cell of the outer ring."),
    "task_several": ("Setze einen dieser Steine um: Wachen auf den Außenring, die Königin irgendwohin, nur nicht auf "
                     "den Thron.", "Relocate one of them: guards to the outer ring, the queen anywhere but the throne."),
    "task_queen_first": ("Die Königin geht vor: Setze sie auf irgendein freies Feld außer dem Thron.",
                         "The queen goes first: put her on any free cell except the throne."),
    "say_pass": ("{side} kann nicht ziehen und setzt aus.", "{side} cannot move and passes."),
    "say_hint": ("Vorschlag: {move}", "Suggestion: {move}"),
    "say_no_moves": ("Dieser Stein kann jetzt nicht ziehen.", "This piece cannot move now."),
    "say_wait": ("Der Computer ist am Zug.", "It is the computer's turn."),
    "say_paused": ("Angehalten: Der Computer ist am Zug. Weiter mit {key}.",
                   "Paused: it is the computer's turn. Go on with {key}."),
    "computer_player": ("Der Computerspieler", "The computer player"),
    "say_program_missing": ("{who} lässt sich nicht starten ({reason}).", "{who} cannot be started ({reason})."),
    "say_program_ended": ("{who} hat sich beendet.", "{who} has ended."),
    "say_program_slow": ("{who} antwortet nicht mehr und wurde beendet.", "{who} no longer answers and was ended."),
    "say_program_illegal": ("{who} hat keinen möglichen Zug genannt. {why}", "{who} named no possible move. {why}"),
    "say_try_again": ("{key} versucht es noch einmal.", "{key} tries again."),
    "say_repetition": ("Diese Stellung gab es jetzt zweimal; beim dritten Mal ist das Spiel unentschieden.",
                       "This position has occurred twice; the third time the game is drawn."),
    "say_quiet": ("Ohne Schritt nach innen oder Umsetzen ist das Spiel bald unentschieden. Züge bis dahin: {count}.",
                  "Without a step inwards or a relocation the game will soon be drawn. Moves until then: {count}."),
    "say_draw_declined": ("Der Computer lehnt das Remis ab.", "The computer declines the draw."),
    "say_saved": ("Gespeichert: {name}", "Saved: {name}"),
    "say_not_kept": ("Das laufende Spiel kann nicht aufgehoben werden ({reason}).",
                     "The running game cannot be kept ({reason})."),
    "say_copied_position": ("Die Stellung ist in der Zwischenablage.", "The position is on the clipboard."),
    "say_copied_game": ("Das Spiel ist in der Zwischenablage.", "The game is on the clipboard."),
    "say_typed": ("Zug: {text}", "Move: {text}"),
    "say_cell": ("{cell}: frei", "{cell}: free"),
    "say_guard": ("{cell}: Wache ({side})", "{cell}: guard ({side})"),
    "say_queen": ("{cell}: Königin ({side})", "{cell}: queen ({side})"),
    # menus
    "ctrl": ("Strg", "Ctrl"),
    "menu_file": ("Datei", "File"),
    "menu_game": ("Spiel", "Game"),
    "menu_view": ("Ansicht", "View"),
    "menu_help": ("Hilfe", "Help"),
    "open": ("Öffnen …", "Open …"),
    "recent": ("Zuletzt benutzt", "Recent files"),
    "no_recent": ("noch keine", "none yet"),
    "save": ("Speichern", "Save"),
    "save_as": ("Speichern unter …", "Save as …"),
    "export": ("Als Bild (SVG) ausgeben", "Export as picture (SVG)"),
    "export_board": ("Brett …", "Board …"),
    "export_board_print": ("Brett, schwarz auf weiß …", "Board, black on white …"),
    "export_game": ("Diagramme des Spiels …", "Diagrams of the game …"),
    "export_game_print": ("Diagramme des Spiels, schwarz auf weiß …", "Diagrams of the game, black on white …"),
    "copy_position": ("Stellung kopieren", "Copy position"),
    "copy_game": ("Spiel kopieren", "Copy game"),
    "paste": ("Stellung oder Spiel einfügen", "Paste position or game"),
    "quit": ("Beenden", "Quit"),
    "new_game": ("Neues Spiel …", "New game …"),
    "previous_game": ("Voriges Spiel zurückholen", "Bring back the previous game"),
    "undo": ("Zug zurück", "Undo move"),
    "redo": ("Zug vor", "Redo move"),
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
    "full_screen": ("Ganzer Bildschirm", "Full screen"),
    "language": ("Sprache", "Language"),
    "help": ("Regeln und Tasten", "Rules and keys"),
    "about": ("Über Agon", "About Agon"),
    "about_text": ("Agon {version}\n\nDas älteste bekannte Spiel auf einem Brett mit sechseckigen "
                   "Feldern, auch „Königinswache“ genannt (1842).\n\nPython {python} · Tk {tk}",
                   "Agon {version}\n\nThe oldest known game on a board of hexagons, also called “Queen’s Guards” "
                   "(1842).\n\nPython {python} · Tk {tk}"),
    "help_text": (
        """#Ziel
Bring deine Königin auf den Thron in der Mitte und deine sechs Wachen auf die sechs Felder um sie.
#Ziehen
Ein Stein zieht einen Schritt auf ein freies Nachbarfeld, auf seinem Ring oder nach innen, nie nach außen. \
Geschlagen wird nicht. Den Thron darf nur eine Königin betreten.
#Einschließen
Ein Stein, der in gerader Linie zwischen zwei gegnerischen steht, ist eingeschlossen. Sein Besitzer muss ihn mit dem \
nächsten Zug umsetzen: eine Wache auf ein freies Feld des Außenrings, die Königin auf irgendein freies Feld außer \
dem Thron. Mehrere werden Zug um Zug umgesetzt.
#Selbsteinschließung
Kein Stein darf selbst zwischen zwei gegnerische gehen, außer der Zug schließt diese beiden seinerseits ein.
#Ende
Sechs Wachen um einen Thron ohne die eigene Königin verlieren. Wer gar nicht ziehen kann, setzt aus. Unentschieden \
ist das Spiel, wenn keine Seite ziehen kann, wenn dieselbe Stellung zum dritten Mal entsteht oder nach 100 Zügen \
ohne Schritt nach innen und ohne Umsetzen.
#Bedienung
Zieh einen Stein mit der Maus, oder klicke erst ihn und dann das Zielfeld an. Esc oder die andere Maustaste legt ihn \
zurück. Mit der Tastatur: Pfeiltasten oder Tab bewegen den Zeiger, Eingabe nimmt und setzt; oder den Zug tippen, \
etwa b1c2, dann Eingabe. Strg+Tab führt zu den Knöpfen neben dem Brett; Bild↓ und Bild↑ \
blättern in Tour und Rätseln.
#Marken
Grüner Punkt: Dorthin darf der Stein. Rote Keile: Der Stein ist eingeschlossen, und woher. Rotes Kreuz: Dieser Stein \
verbietet den Zug. Orange: der letzte Zug. Grüner Pfeil: ein Vorschlag des Computers.
#Schreibweise
a5-b5 ist ein Schritt, Qf7-f6 einer der Königin, e5*a1 ein Umsetzen; + heißt: schließt ein, # heißt: gewinnt, \
-- heißt: setzt aus.
#Tasten""",
        """#Aim
Bring your queen to the throne in the middle and your six guards to the six cells around her.
#Moving
A piece moves one step to a free neighbouring cell, along its ring or inwards, never outwards. Nothing is captured. \
Only a queen may step on the throne.
#Trapping
A piece in a straight line between two enemies is trapped. Its owner must relocate it with the next move: a guard to \
a free cell of the outer ring, the queen to any free cell except the throne. Several are relocated one per turn.
#Self-enclosure
No piece may go between two enemies itself, unless that very move encloses both of them in turn.
#End
Six guards round a throne without their own queen lose. A side that cannot move at all passes. The game is drawn \
when neither side can move, when the same position occurs for the third time, or after 100 moves without a step \
inwards and without a relocation.
#Controls
Drag a piece with the mouse, or click the piece and then the cell. Esc or the other mouse button puts it back. With \
the keyboard: the arrow keys or Tab move the cursor, Enter picks and drops; or type the move, such as b1c2, then \
Enter. Ctrl+Tab leads to the buttons beside the board; PgDn and PgUp \
turn the pages of tour and puzzles.
#Marks
Green dot: the piece may go there. Red wedges: the piece is trapped, and from where. Red cross: this piece forbids the \
move. Orange: the last move. Green arrow: a suggestion of the computer.
#Notation
a5-b5 is a step, Qf7-f6 one of a queen, e5*a1 a relocation; + means: traps, # means: wins, -- means: passes.
#Keys"""),
    # tour, puzzles, set-up
    "menu_learn": ("Lernen", "Learn"),
    "tour": ("Agon kennenlernen", "Getting to know Agon"),
    "puzzles": ("Rätsel", "Puzzles"),
    "set_up": ("Stellung aufbauen", "Set up a position"),
    "tree": ("Minimax zusehen", "Watch minimax think"),
    "say_preview": ("Das Brett zeigt die im Suchbaum gewählte Stellung.",
                    "The board shows the position selected in the search tree."),
    "tree_depth": ("Tiefe", "Depth"),
    "tree_pruned": ("mit Alpha-Beta", "with alpha-beta"),
    "tree_summary": ("Ohne Abschneiden {plain} Stellungen, mit Alpha-Beta {pruned} ({share} %). Werte in Schritten, "
                     "aus der Sicht von Weiß.",
                     "Without pruning {plain} positions, with alpha-beta {pruned} ({share} %). Values in steps, from "
                     "White's point of view."),
    "tree_too_big": ("Zu viele Stellungen: weniger tief oder mit Alpha-Beta ansehen.",
                     "Too many positions: look less deep, or with alpha-beta."),
    "tree_root": ("Stellung", "position"),
    "tree_move": ("Zug", "Move"),
    "tree_value": ("Wert", "Value"),
    "tree_window": ("α … β", "α … β"),
    "tree_nodes": ("Stellungen", "Positions"),
    "tree_note": ("Was geschieht", "What happens"),
    "tree_max": ("Weiß nimmt den größten Wert", "White takes the largest value"),
    "tree_min": ("Schwarz nimmt den kleinsten Wert", "Black takes the smallest value"),
    "tree_cut": ("{count} abgeschnitten: {value} {reached}, {other} hat Besseres ({bound})",
                 "{count} cut off: {value} {reached}, {other} has better ({bound})"),
    "own_program": ("Eigenes Programm spielen lassen …", "Let your own program play …"),
    "output": ("Gespräch mit dem Programm", "Conversation with the program"),
    "program_title": ("Eigenes Programm", "Your own program"),
    "program_text": ("Ein Programm in beliebiger Sprache, das auf Standardein- und -ausgabe das Protokoll aus der "
                     "README spricht. Eine Python-Datei wird mit diesem Python gestartet.",
                     "A program in any language that speaks the protocol of the README on standard input and output. "
                     "A Python file is run with this Python."),
    "program_side": ("Es spielt {side}", "It plays {side}"),
    "browse": ("Suchen …", "Browse …"),
    "page_of": ("Seite {number} von {count}", "Page {number} of {count}"),
    "page_back": ("‹ Zurück", "‹ Back"),
    "page_next": ("Weiter ›", "Next ›"),
    "page_finish": ("Fertig", "Finish"),
    "page_again": ("Noch einmal", "Once more"),
    "page_close": ("Schließen", "Close"),
    "lesson_done": ("Richtig! Weiter geht es auf der nächsten Seite.", "Right! Go on to the next page."),
    "lesson_all_done": ("Geschafft: Jetzt kannst du Agon spielen!", "Done: now you can play Agon!"),
    "lesson_next_step": ("Gut! Nun der zweite Teil.", "Good! Now the second part."),
    "lesson_other": ("Das ist erlaubt, aber hier ist etwas anderes gefragt.",
                     "That is allowed, but something else is asked for here."),
    "lesson_board": (
        "Brett und Aufstellung|Das Brett hat 91 Felder: den goldenen Thron in der Mitte und fünf Ringe darum. Jede "
        "Seite hat eine Königin mit Krone und sechs Wachen. Sie beginnen auf dem äußersten Ring. Ziel: die eigene "
        "Königin auf dem Thron, alle sechs Wachen um sie.|Zieh eine weiße Wache einen Schritt nach innen.",
        "Board and start|The board has 91 cells: the golden throne in the middle and five rings around it. Each side "
        "has a queen with a crown and six guards. They start on the outermost ring. The aim: the own queen on the "
        "throne, all six guards around her.|Move a white guard one step inwards."),
    "lesson_steps": (
        "Die Schritte|Ein Stein zieht einen Schritt auf ein freies Nachbarfeld: auf seinem Ring oder auf den nächsten "
        "inneren, nie nach außen. Die grünen Punkte zeigen, wohin ein Stein ziehen darf.|Zieh erst einen Stein auf "
        "seinem Ring und dann einen nach innen.",
        "The steps|A piece moves one step to a free neighbouring cell: along its ring or to the next inner one, never "
        "outwards. The green dots show where a piece may go.|First move a piece along its ring, and then one "
        "inwards."),
    "lesson_throne": (
        "Der Thron|Den Thron darf nur eine Königin betreten, keine Wache.|Setz die weiße Königin auf den Thron.",
        "The throne|Only a queen may step on the throne, never a guard.|Put the white queen on the throne."),
    "lesson_trap": (
        "Einschließen|Ein Stein, der in gerader Linie zwischen zwei gegnerischen steht, ist eingeschlossen. Es gibt "
        "drei Richtungen.|Schließ die schwarze Wache ein. Zwei Züge führen zum Ziel.",
        "Trapping|A piece in a straight line between two enemies is trapped. There are three directions.|Trap the "
        "black guard. Two moves do it."),
    "lesson_guard": (
        "Eine Wache umsetzen|Wer einen eingeschlossenen Stein hat, muss ihn sofort umsetzen; etwas anderes ist nicht "
        "erlaubt. Eine Wache kommt auf ein freies Feld des Außenrings.|Setz die eingeschlossene Wache um.",
        "Relocating a guard|A player with a trapped piece must relocate it at once; nothing else is allowed. A guard "
        "goes to a free cell of the outer ring.|Relocate the trapped guard."),
    "lesson_queen": (
        "Eine Königin umsetzen|Eine eingeschlossene Königin darf auf jedes freie Feld, nur nicht auf den Thron. Steht "
        "sie weit außen, ist das ein Geschenk!|Setz die weiße Königin um, am besten nah an den Thron.",
        "Relocating a queen|A trapped queen may go to any free cell except the throne. Far outside that is a gift!|"
        "Relocate the white queen, best of all near the throne."),
    "lesson_several": (
        "Mehrere eingeschlossen|Sind mehrere Steine eingeschlossen, wird in jedem Zug einer umgesetzt, in beliebiger "
        "Reihenfolge. Dazwischen zieht der Gegner.|Setz beide eingeschlossenen Wachen um.",
        "Several trapped|When several pieces are trapped, one is relocated with each move, in any order. The opponent "
        "moves in between.|Relocate both trapped guards."),
    "lesson_self": (
        "Selbsteinschließung|Kein Stein darf selbst zwischen zwei gegnerische gehen.|Versuch es: Zieh die Wache von "
        "c4 nach d4 und sieh, was geschieht.",
        "Self-enclosure|No piece may go between two enemies itself.|Try it: move the guard from c4 to d4 and see what "
        "happens."),
    "lesson_stroke": (
        "Die Ausnahme|Zwischen zwei gegnerische Steine darf, wer damit beide seinerseits einschließt. Jetzt steht auch "
        "auf d6 eine weiße Wache.|Schließ mit einem Zug zwei schwarze Wachen ein.",
        "The exception|A piece may go between two enemies if it encloses both of them by that move. Now there is a "
        "white guard on d6, too.|Trap two black guards with one move."),
    "lesson_win": (
        "Der Gewinn|Die Königin sitzt auf dem Thron, fünf Wachen stehen um sie. Es fehlt nur noch eine.|Gewinn das "
        "Spiel mit einem Zug.",
        "The win|The queen is on the throne, five guards stand around her. Only one is missing.|Win the game with one "
        "move."),
    "lesson_order": (
        "Erst die Königin|Vorsicht: Sechs Wachen um einen Thron ohne die eigene Königin verlieren! Die Königin muss "
        "also auf den Thron, bevor der Kreis sich schließt.|Gewinn in zwei Zügen.",
        "The queen first|Beware: six guards round a throne without their own queen lose! So the queen must be on the "
        "throne before the circle closes.|Win in two moves."),
    "puzzle_of": ("Rätsel {number} von {count} · {solved} gelöst", "Puzzle {number} of {count} · {solved} solved"),
    "puzzle_win": ("{side} gewinnt {within}", "{side} wins {within}"),
    "within_one": ("in einem Zug", "in one move"),
    "within": ("in {count} Zügen", "in {count} moves"),
    "puzzle_trap_two": ("{side} schließt zwei Steine ein", "{side} traps two pieces"),
    "puzzle_trap": ("{side} schließt einen Stein ein", "{side} traps a piece"),
    "puzzle_text": ("Finde Züge, gegen die es keine Verteidigung gibt. Der Computer verteidigt sich so gut es geht.",
                    "Find moves against which there is no defence. The computer defends as well as possible."),
    "puzzle_known": ("Schon gelöst.", "Solved before."),
    "puzzle_solution": ("Lösung", "Solution"),
    "puzzle_solved": ("Gelöst!", "Solved!"),
    "puzzle_shown": ("Das war die Lösung.", "That was the solution."),
    "puzzle_go_on": ("Gut! Jetzt geht es {within}.", "Good! Now it can be done {within}."),
    "puzzle_too_long": ("Das dauert zu lange.", "That takes too long."),
    "puzzle_refuted": ("Dagegen gibt es eine Verteidigung: den Pfeil.", "There is a defence: the arrow."),
    "puzzle_failed": ("Der Computerspieler ist ausgefallen. Versuch es noch einmal.",
                      "The computer player has failed. Try once more."),
    "setup_title": ("Aufbauen", "Set up"),
    "setup_heading": ("Was soll ein Klick tun?", "What shall a click do?"),
    "setup_text": ("Ziehen verschiebt einen Stein; neben dem Brett verschwindet er.",
                   "Dragging moves a piece; beside the board it disappears."),
    "tool_guard": ("Wache", "guard"),
    "tool_queen": ("Königin", "queen"),
    "tool_remove": ("wegnehmen", "take away"),
    "setup_turn": ("Zug wechseln", "Change turn"),
    "setup_play": ("Weiterspielen", "Play on"),
    "setup_clear": ("Leeren", "Clear"),
    "setup_start": ("Anfang", "Start"),
    "setup_incomplete": ("Zum Spielen braucht jede Seite eine Königin und sechs Wachen.",
                         "To play, each side needs a queen and six guards."),
    # dialogs
    "ok": ("OK", "OK"),
    "cancel": ("Abbrechen", "Cancel"),
    "start_game": ("Spiel starten", "Start game"),
    "new_title": ("Neues Spiel", "New game"),
    "opponents": ("Wer spielt?", "Who plays?"),
    "play_white": ("Ich spiele Weiß gegen den Computer", "I play White against the computer"),
    "play_black": ("Ich spiele Schwarz gegen den Computer", "I play Black against the computer"),
    "play_both": ("Zwei Spieler an diesem Gerät", "Two players on this computer"),
    "play_none": ("Computer gegen Computer", "Computer against computer"),
    "strength": ("Spielstärke des Computers", "Strength of the computer"),
    "easy": ("leicht", "easy"),
    "hard": ("schwer", "hard"),
    "beginner": ("Wer beginnt?", "Who moves first?"),
    "white_begins": ("Weiß beginnt", "White moves first"),
    "drawn_by_lot": ("Das Los entscheidet", "Drawn by lot"),
    "rule_options": ("Regeln", "Rules"),
    "queen_first": ("Eingeschlossene Königin geht vor Wachen", "A trapped queen goes before guards"),
    "empty_throne_loses": ("Sechs Wachen um einen leeren Thron verlieren", "Six guards round an empty throne lose"),
    "ask_resign": ("Willst du wirklich aufgeben?", "Do you really want to resign?"),
    "ask_side_to_resign": ("{side}, willst du wirklich aufgeben?", "{side}, do you really want to resign?"),
    "resign_yes": ("Aufgeben", "Resign"),
    "draw_title": ("Remis", "Draw"),
    "draw_text": ("Von selbst unentschieden ist das Spiel,\n"
                  " • wenn dieselbe Stellung zum dritten Mal entsteht (jetzt: {repetitions}. Mal),\n"
                  " • nach 100 Zügen ohne Schritt nach innen und ohne Umsetzen (jetzt: {quiet}),\n"
                  " • wenn keine Seite mehr ziehen kann.\n\nMöchtest du der anderen Seite ein Remis anbieten?",
                  "The game is drawn by itself\n"
                  " • when the same position occurs for the third time (occurrences now: {repetitions}),\n"
                  " • after 100 moves without a step inwards and without a relocation (now: {quiet}),\n"
                  " • when neither side can move.\n\nDo you want to offer the other side a draw?"),
    "draw_yes": ("Remis anbieten", "Offer a draw"),
    "ask_draw": ("{side} bietet ein Remis an. {other}, nimmst du an?", "{side} offers a draw. {other}, do you accept?"),
    "accept": ("Annehmen", "Accept"),
    "decline": ("Ablehnen", "Decline"),
    "files_agon": ("Agon-Spiele", "Agon games"),
    "files_svg": ("Bilder", "Pictures"),
    "files_all": ("Alle Dateien", "All files"),
    "save_elsewhere": ("Anderswo speichern …", "Save elsewhere …"),
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
    "end_THRONE": "Die Königin sitzt auf dem Thron, alle sechs Wachen stehen um sie.",
    "end_EMPTY_THRONE": "Sechs Wachen stehen um einen Thron ohne ihre Königin: Das verliert.",
    "end_BLOCKED": "Keine Seite kann mehr ziehen.",
    "end_REPETITION": "Dreimal dieselbe Stellung.",
    "end_QUIET": "100 Züge ohne Schritt nach innen und ohne Umsetzen.",
    "end_RESIGNATION": "Die andere Seite hat aufgegeben.",
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
    "bad_rules": "„{token}“ ist keine Regel; erwartet wird queen_first=on|off oder empty_throne_loses=on|off",
    "bad_result": "„{token}“ ist kein Ergebnis; erwartet wird 1-0, 0-1, 1/2-1/2 oder *",
    "other_result": "Das Ergebnis {token} passt nicht zu {expected}, das Züge oder Kopfzeile ergeben",
    "cut_off": "Die Datei endet vor dem Ergebnis {token}, das ihre Kopfzeile ankündigt; sie ist wohl abgeschnitten",
    "after_end": "„{token}“ steht hinter dem Ende des Spiels",
    "open_comment": "Die Bemerkung, die hier beginnt, endet nirgends; erwartet wird }}",
    "bad_variation": "„{token}“ geht hier nicht: Eine Variante in Klammern steht hinter dem Zug, den sie ersetzt, und hat "
                     "mindestens einen Zug",
    "open_variation": "Die Variante, die hier beginnt, endet nirgends; erwartet wird )",
    "no_game": "In diesem Text ist kein Spiel; erwartet werden Züge wie 1. a5-b5 d1-d2",
    "too_big": "Das ist zu groß für ein Spiel ({token} Bytes; höchstens {expected})",
    "not_text": "Die Datei ist kein UTF-8-Text; erwartet wird ein Agon-Spiel",
    "repeated_header": "Die Kopfzeile {token} steht zweimal da; das nächste Spiel beginnt hinter einem Ergebnis (* wenn "
                       "es keines hat)",
    "bad_ply": "Die Kopfzeile Ply nennt „{token}“; erwartet wird, wie viele der {expected} Züge auf dem Brett sind",
    "several_games": "In diesem Text sind {token} Spiele; erwartet wird eines",
    "is_folder": "Das ist ein Ordner, keine Datei",
    "not_a_file": "Das ist eine Pipe oder ein Gerät, keine Datei",
    "write_protected": "Die Datei ist schreibgeschützt; bitte einen anderen Namen wählen",
    "missing_header": "Dieser Seite fehlt die Kopfzeile {token}; erwartet wird [{token} \"...\"]",
    "bad_kind": "„{token}“ ist keine Art von Seite; erwartet wird {expected}",
    "bad_goal": "„{token}“ ist kein Ziel; erwartet wird {expected}",
    "bad_number": "Die Kopfzeile {name} nennt „{token}“; erwartet wird eine Zahl ab 1",
    "bad_reply": "Die Kopfzeile Reply nennt „{token}“; erwartet wird höchstens ein Zug zwischen zwei Zielen",
    "unreadable": "lässt sich nicht lesen: {reason}",
    "unwritable": "lässt sich nicht schreiben: {reason}",
}
TEXTS.update({"error_" + code: (GERMAN_ERRORS[code], english) for code, english in ERROR_TEXTS.items()})


class Texts:
    """The texts in the language chosen: texts("undo"), texts("level", level=3), texts("turn", side=WHITE)."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, text_key: str, **values: Any) -> str:
        if "side" in values:
            names = self("white"), self("black")
            values.update(side=names[values["side"]], other=names[1 - values["side"]])
        return TEXTS[text_key][0 if self.language == "de" else 1].format(**values)


def system_language(root: tk.Tk) -> str:
    """'de' where the system speaks German, else 'en'; Tcl knows where each system keeps this."""
    return "de" if str(root.tk.eval("package require msgcat; ::msgcat::mclocale")).startswith("de") else "en"


# --- 3. Look ---------------------------------------------------------------------

class Theme(NamedTuple):
    """The colours of the window."""

    window: str
    panel: str
    text: str
    quiet_text: str
    line: str
    #: The cells by ring, from the throne (0) outwards.
    rings: Tuple[str, str, str, str, str, str]
    star: str
    frame: str
    edge: str
    #: May be done now.
    allowed: str
    #: The last move.
    recent: str
    #: Trapped pieces, and the cells that forbid a move.
    forbidden: str
    #: White's and Black's pieces: lit side, shaded side, rim, ring or crown.
    white: PieceColours
    black: PieceColours

    @property
    def colours(self) -> Colours:
        """The colours of a board on paper."""
        return Colours(*(getattr(self, name) for name in Colours._fields))


LIGHT = Theme(
    window="#f4f1ea", panel="#ffffff", text="#26221c", quiet_text="#77674e", line="#cfc6b6",
    rings=("#d9a441", "#f3e7c9", "#d2ba8c", "#efe2c2", "#d7c296", "#efe3c8"),
    star="#b8811d", frame="#5a4632", edge="#947a5a",
    allowed="#217d4c", recent="#e08a2e", forbidden="#c2342b",
    white=PieceColours("#ffffff", "#dcd6c8", "#8d7b5f", "#b9a57c", "#b07d16"),
    black=PieceColours("#4d5262", "#20222b", "#14151b", "#8f96ab", "#e3b54c"))

DARK = Theme(
    window="#24221e", panel="#2d2a25", text="#efe8da", quiet_text="#b3a58c", line="#5a5346",
    rings=("#b98228", "#6e6149", "#4b4231", "#695c45", "#483f2f", "#665a43"),
    star="#835914", frame="#14110d", edge="#2f291e",
    allowed="#7cf0b0", recent="#e8902c", forbidden="#ffa69d",
    white=PieceColours("#ffffff", "#d3cbb9", "#4a4130", "#b09b70", "#9a6b0c"),
    black=PieceColours("#343844", "#0f1014", "#8b91a6", "#a3aac0", "#f0c25c"))

CONTRAST = Theme(
    window="#ffffff", panel="#ffffff", text="#000000", quiet_text="#333333", line="#000000",
    rings=("#ffd84d", "#ffffff", "#cfcfcf", "#ffffff", "#cfcfcf", "#ffffff"),
    star="#7a5c00", frame="#000000", edge="#000000",
    allowed="#0050a0", recent="#f0a000", forbidden="#a03000",
    white=PieceColours("#ffffff", "#f2f2f2", "#000000", "#000000", "#000000"),
    black=PieceColours("#1a1a1a", "#000000", "#000000", "#ffffff", "#ffffff"))

THEMES = {"light": LIGHT, "dark": DARK, "contrast": CONTRAST}
#: Fonts of the window and how many points each is larger than the system's text.
FONTS = {"body": 0, "heading": 0, "status": 1, "title": 6, "small": -2, "tiny": -4}
STATUS_FONTS = ("status", "body", "small", "tiny")
#: Bounds of the text size, in points more than the system's.
MIN_ZOOM, MAX_ZOOM = -3, 12
#: Text is never smaller than this share of the screen's height: 4K screens do not always say what they are.
SCREEN_TEXT_LINES = 90
#: Text is never so large that the screen holds fewer lines of it: the dialogs need as many.
LINES_ON_SCREEN = 27
#: Size of the first window, and the least of any, in widths of the letter m.
FIRST_WIDTH, FIRST_HEIGHT = 88, 68
LEAST_WIDTH, LEAST_HEIGHT = 42, 31
#: What the text of a label has on either side of it.
LABEL_BORDER = 2

Colour = Tuple[int, int, int]


def rgb(text: str) -> Colour:
    """The three bytes of a colour such as '#d9a441'."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def mix(first: str, second: str, share: float) -> str:
    """The colour between two, `share` (0 to 1) of the way to the second."""
    return "#%02x%02x%02x" % tuple(round(a + (b - a) * share) for a, b in zip(rgb(first), rgb(second)))


class Raster:
    """A square picture with an alpha channel, painted by coverage so that its edges are smooth."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.rows = [bytearray(4 * size) for _ in range(size)]

    def blend(self, x: int, y: int, colour: Sequence[int], alpha: float) -> None:
        """Lay a colour over one pixel (Porter and Duff's "over")."""
        if not (0 <= x < self.size and 0 <= y < self.size):
            return
        row, at = self.rows[y], 4 * x
        if not row[at + 3]:
            row[at:at + 4] = bytes((*colour, int(alpha * 255 + 0.5)))
            return
        below = row[at + 3] / 255 * (1 - alpha)
        total = alpha + below
        for i in range(3):
            row[at + i] = int((colour[i] * alpha + row[at + i] * below) / total + 0.5)
        row[at + 3] = int(total * 255 + 0.5)

    def disc(self, x: float, y: float, radius: float, lit: str, shaded: Optional[str] = None,
             opacity: float = 1.0, softness: float = 1.0) -> None:
        """A disc lit from the upper left; its edge fades over `softness` pixels.

        Rows are filled by spans, and only the pixels of the edge are computed one
        by one.  The light depends on x + y alone, so every row of it is a slice of
        one strip of colours.
        """
        opaque = int(255 * opacity)
        if shaded is None:
            colours = [rgb(lit)] * (2 * self.size)
        else:
            begin, length = x + y - 1.5 * radius, 3 * radius
            (r, g, b), (r2, g2, b2) = rgb(lit), rgb(shaded)
            colours = []
            for i in range(2 * self.size):
                share = min(max((i - begin) / length, 0), 1)
                colours.append((int(r + (r2 - r) * share), int(g + (g2 - g) * share), int(b + (b2 - b) * share)))
        strip = b"".join(bytes((*colour, opaque)) for colour in colours)
        outer, inner = radius + softness / 2, max(radius - softness / 2, 0)
        for row_number in range(max(0, int(y - outer)), min(self.size, int(y + outer) + 1)):
            dy = row_number + 0.5 - y
            if abs(dy) >= outer:
                continue
            half = math.sqrt(outer * outer - dy * dy)
            left, right = max(0, int(x - half)), min(self.size, int(x + half) + 1)
            solid_left = solid_right = right
            if abs(dy) < inner:
                half = math.sqrt(inner * inner - dy * dy)
                solid_left, solid_right = max(0, math.ceil(x - half)), min(self.size, int(x + half))
                if solid_left < solid_right:
                    self.rows[row_number][4 * solid_left:4 * solid_right] = \
                        strip[4 * (solid_left + row_number):4 * (solid_right + row_number)]
                else:
                    solid_left = solid_right = right
            for column in (*range(left, solid_left), *range(solid_right, right)):
                cover = (outer - math.hypot(column + 0.5 - x, dy)) / softness
                if cover > 0:
                    self.blend(column, row_number, colours[column + row_number], min(cover, 1) * opacity)

    def polygon(self, points: Sequence[Point], colour: str) -> None:
        """A filled polygon; each row is sampled along four lines."""
        paint = rgb(colour)
        edges = list(zip(points, (*points[1:], points[0])))
        top, bottom = min(y for _, y in points), max(y for _, y in points)
        for row_number in range(max(0, int(top)), min(self.size, int(bottom) + 1)):
            cover: Dict[int, float] = {}
            for part in range(4):
                line = row_number + (part + 0.5) / 4
                crossings = sorted(x1 + (line - y1) * (x2 - x1) / (y2 - y1)
                                   for (x1, y1), (x2, y2) in edges if min(y1, y2) <= line < max(y1, y2))
                for begin, end in zip(crossings[::2], crossings[1::2]):
                    for x in range(int(begin), int(end) + 1):
                        cover[x] = cover.get(x, 0) + max(0, min(end, x + 1) - max(begin, x)) / 4
            for x, alpha in cover.items():
                self.blend(x, row_number, paint, min(alpha, 1))

    def png(self) -> bytes:
        """The picture as a PNG file (source: the PNG specification, sections 5 and 11)."""
        def chunk(kind: bytes, data: bytes) -> bytes:
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        header = struct.pack(">IIBBBBB", self.size, self.size, 8, 6, 0, 0, 0)
        data = b"".join(b"\0" + row for row in self.rows)
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                + chunk(b"IDAT", zlib.compress(data, 1)) + chunk(b"IEND", b""))


def _paint(raster: Raster, shapes: Sequence[Shape], radius: float, colours: PieceColours) -> None:
    """Paint shapes of a piece of this radius into the middle of a picture."""
    middle = raster.size / 2
    for shape in shapes:
        shaded = colours.shaded if shape.paint == "face" else None
        colour = colours.lit if shape.paint == "face" else getattr(colours, shape.paint)
        if isinstance(shape, Disc):
            raster.disc(middle + shape.x * radius, middle + shape.y * radius, shape.radius * radius, colour, shaded)
        else:
            raster.polygon([(middle + x * radius, middle + y * radius) for x, y in shape.points], colour)


@lru_cache(maxsize=2)
def _blank_piece(diameter: int, colours: PieceColours) -> Raster:
    """A piece of which the kind cannot be seen yet, with its shadow: the same for guards and queens."""
    raster = Raster(diameter + max(4, diameter // 6))
    radius, middle = diameter / 2, raster.size / 2
    drop = radius * 0.09
    raster.disc(middle + drop, middle + drop, radius * 0.97, "#20150a", opacity=0.38, softness=max(2, radius * 0.2))
    _paint(raster, PIECE_SHAPES, radius, colours)
    return raster


def piece_png(diameter: int, colours: PieceColours, is_queen: bool) -> bytes:
    """The picture of a piece: a disc with a ring for a guard, with a crown for a queen."""
    raster = copy.deepcopy(_blank_piece(diameter, colours))
    _paint(raster, QUEEN_SHAPES if is_queen else GUARD_SHAPES, diameter / 2, colours)
    return raster.png()


def dot_png(diameter: int, colour: str) -> bytes:
    """The picture of the mark on a cell where a piece may go."""
    raster = Raster(diameter + 2)
    raster.disc(raster.size / 2, raster.size / 2, diameter / 2, colour)
    return raster.png()


DOT_DIAMETER = 0.34

# --- 5. Board --------------------------------------------------------------------

class Picture(NamedTuple):
    """Everything that the board shows."""

    position: Position
    selected: Optional[Cell] = None
    targets: FrozenSet[Cell] = frozenset()
    #: The legal target under the pointer.
    hovered: Optional[Cell] = None
    trapped: FrozenSet[Cell] = frozenset()
    #: The cells that made the last try illegal.
    causes: FrozenSet[Cell] = frozenset()
    last: Optional[Move] = None
    arrows: Tuple[Move, ...] = ()
    cursor: Optional[Cell] = None
    #: The cell of the last illegal try.
    tried: Optional[Cell] = None
    #: The cells of the picture that has won.
    winners: FrozenSet[Cell] = frozenset()
    #: Pieces on their way: the cell each belongs to, and where it is now.
    carried: Tuple[Tuple[Cell, Point], ...] = ()


def system_font(widget: tk.Misc) -> tkfont.Font:
    """The font that the system uses for texts."""
    return tkfont.Font(widget, name="TkDefaultFont", exists=True)


def wrapped_lines(text: str, font: tkfont.Font, width: int) -> int:
    """How many lines a text takes when it is broken at this width in pixels."""
    lines, line = 1, ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and font.measure(longer) > width:
            lines, longer = lines + 1, word
        line = longer
    return lines


class BoardView(tk.Canvas):
    """The canvas: draws a Picture, and tells cells and pixels to whoever asks.

    All items are made once; later they are only moved and recoloured.
    """

    def __init__(self, parent: tk.Misc, theme: Theme) -> None:
        super().__init__(parent, highlightthickness=0, borderwidth=0, takefocus=1, background=theme.window)
        self.theme = theme
        self.layout = Layout.fit(600, 600)
        self.picture: Optional[Picture] = None
        self._images: Dict[str, tk.PhotoImage] = {}
        #: The cell radius for which the pictures are made.
        self._image_size = 0.0
        self._shown: Dict[int, Dict[str, Any]] = {}
        self._raised: List[int] = []
        self._show_ranks = False
        self._family = system_font(self).actual()["family"]
        self._is_arranged = False
        self._make_items()

    # -- items --

    def _make_items(self) -> None:
        hexagon: List[float] = [0] * 12
        hidden: Dict[str, Any] = {"state": "hidden"}
        outer = [cell for cell in CELLS if RING[cell] == len(self.theme.rings) - 1]
        self._frames = {cell: self.create_polygon(*hexagon) for cell in outer}
        self._faces = {cell: self.create_polygon(*hexagon) for cell in CELLS}
        self._star = [self.create_polygon(*[0] * 6) for _ in range(2)]
        self._trail = self.create_line(0, 0, 0, 0, capstyle="round", **hidden)
        self._outlines = {cell: self.create_polygon(*hexagon, fill="", **hidden) for cell in CELLS}
        self._letters = {letter: self.create_text(0, 0, text=letter) for letter in FILES}
        self._ranks = {rank: self.create_text(0, 0, text=str(rank), **hidden) for rank in range(1, 12)}
        self._dots = {cell: self.create_image(0, 0, **hidden) for cell in CELLS}
        self._pieces = {(side, queen): [self.create_image(0, 0, **hidden) for _ in range(1 if queen else 6)]
                        for side in (WHITE, BLACK) for queen in (False, True)}
        self._wedges = {cell: self.create_polygon(*hexagon, **hidden) for cell in CELLS}
        self._first_overlay = self._wedges[CELLS[0]]
        self._crosses = {cell: self.create_polygon(*hexagon, **hidden) for cell in CELLS}
        self._arrows = [self.create_line(0, 0, 0, 0, arrow="last", capstyle="round", **hidden) for _ in range(3)]
        self._cursor = self.create_polygon(*hexagon, fill="", **hidden)
        for item in (*self._outlines.values(), *self._dots.values(), *self._wedges.values(), *self._crosses.values()):
            self._shown[item] = dict(hidden)

    def _set(self, item: int, **options: Any) -> None:
        """Configure an item, without troubling Tk when nothing has changed."""
        known = self._shown.setdefault(item, {})
        changed = {name: value for name, value in options.items() if known.get(name) != value}
        if changed:
            known.update(changed)
            self.itemconfigure(item, **changed)

    def _image(self, kind: str) -> tk.PhotoImage:
        """The picture of a piece or a dot, made when first needed."""
        if kind not in self._images:
            diameter = max(8, round(self._image_size * (DOT_DIAMETER if kind == "dot" else PIECE_DIAMETER)))
            if kind == "dot":
                data = dot_png(diameter, self.theme.allowed)
            else:
                data = piece_png(diameter, self.theme.white if kind[0] == "w" else self.theme.black, kind[1] == "Q")
            self._images[kind] = tk.PhotoImage(master=self, data=data, format="png")
        return self._images[kind]

    # -- geometry --

    def pixel(self, event: "tk.Event[Any]") -> Point:
        """The canvas coordinates of a mouse event."""
        return self.canvasx(event.x), self.canvasy(event.y)

    def cell_under(self, point: Point) -> Optional[Cell]:
        """The cell at a pixel, or None beside the board."""
        return self.layout.cell_at(*point)

    def arrange(self, width: int, height: int, flipped: bool) -> None:
        """Lay the board out anew for this size of the canvas."""
        layout = Layout.fit(width, height, flipped, RANK_MARGIN if self._show_ranks else MARGIN)
        if layout != self.layout or not self._is_arranged:
            self.layout, self._is_arranged = layout, True
            if not self._image_size:
                self._image_size = layout.size
            self._draw_cells()

    def recolour(self, theme: Theme, show_ranks: bool) -> None:
        """Take the colours of a theme, and show rank numbers or not."""
        if theme != self.theme:
            self._images.clear()
        self.theme, self._show_ranks = theme, show_ranks
        self.configure(background=theme.window)
        if self._is_arranged:
            self._draw_cells()

    def _draw_cells(self) -> None:
        layout, theme = self.layout, self.theme
        for cell, item in self._frames.items():
            self.coords(item, *layout.corners(cell, FRAME_SHARE))
            self._set(item, fill=theme.frame, outline=mix(theme.frame, theme.window, 0.5), width=1)
        for cell, item in self._faces.items():
            self.coords(item, *layout.corners(cell))
        for item, triangle in zip(self._star, STAR):
            self.coords(item, *layout.outline(THRONE, triangle))
            self._set(item, fill=theme.star, outline=theme.star)
        self._draw_labels()
        self.refresh()

    def _draw_labels(self) -> None:
        layout = self.layout
        font = (self._family, -max(9, round(layout.size * 0.42)))
        for letter, place in layout.letters().items():
            self.coords(self._letters[letter], *place)
            self._set(self._letters[letter], fill=self.theme.quiet_text, font=font)
        for rank, place in layout.ranks().items():
            self.coords(self._ranks[rank], *place)
            self._set(self._ranks[rank], fill=self.theme.quiet_text, font=font,
                      state="normal" if self._show_ranks else "hidden")

    # -- drawing --

    def render(self, picture: Picture) -> None:
        """Show this picture."""
        old, self.picture = self.picture, picture
        if old is None or old._replace(carried=picture.carried) != picture:
            self.refresh()
        elif old.carried != picture.carried:
            self._draw_pieces(picture)

    def refresh(self) -> None:
        """Draw the present picture again."""
        picture = self.picture
        if picture is None or not self._is_arranged:
            return  # the size of the window is not known yet
        theme, layout = self.theme, self.layout
        recent = {cell for cell in picture.last or () if cell is not None}
        line = max(1.0, layout.size / 18)
        red, green = picture.causes | picture.trapped | {picture.tried}, {picture.selected, picture.hovered}
        for cell in CELLS:
            face = theme.rings[RING[cell] or 0]
            self._set(self._faces[cell], fill=mix(face, theme.recent, 0.42) if cell in recent else face,
                      outline=theme.edge, width=line)
            outline = (theme.forbidden if cell in red else theme.allowed if cell in green
                       else theme.star if cell in picture.winners else None)
            self._mark(self._outlines[cell], layout.corners(cell, 0.88) if outline else None, outline=outline,
                       width=max(2, round(layout.size / 11)))
            self._mark(self._wedges[cell], layout.wedges(cell, picture.position.enclosers(cell))
                       if cell in picture.trapped else None, fill=theme.forbidden)
            self._mark(self._crosses[cell], layout.outline(cell, CROSS) if cell in picture.causes else None,
                       fill=theme.forbidden, outline=theme.panel)
            image = self._image("dot") if cell in picture.targets else ""
            self._mark(self._dots[cell], layout.centre(cell) if image else None, image=image)
        self._draw_line(self._trail, picture.last, fill=mix(theme.recent, theme.frame, 0.2),
                        width=max(2, round(layout.size / 9)))
        for i, item in enumerate(self._arrows):
            size = layout.size * (1, 0.75, 0.5)[i]
            self._draw_line(item, picture.arrows[i] if i < len(picture.arrows) else None, start=0.62,
                            fill=mix(theme.allowed, theme.window, 0.2 * i), width=max(2, round(size / 5)),
                            arrowshape=tuple(round(size * share) for share in (0.5, 0.55, 0.28)))
        self._mark(self._cursor, None if picture.cursor is None else layout.corners(picture.cursor, 0.96),
                   outline=theme.text, dash=(4, 3), width=max(2, round(layout.size / 14)))
        self._draw_pieces(picture)

    def _mark(self, item: int, place: Optional[Sequence[float]], **options: Any) -> None:
        """Show a mark at these coordinates, or hide it when there are none."""
        if place:
            self.coords(item, *place)
            self._set(item, state="normal", **options)
        else:
            self._set(item, state="hidden")

    def _draw_line(self, item: int, move: Optional[Move], start: float = 0.0, **options: Any) -> None:
        """Draw a move as a line that begins `start` cell radii from the middle of its cell."""
        if move is None or move.source is None or move.target is None:
            self._mark(item, None)
            return
        (x1, y1), (x2, y2) = self.layout.centre(move.source), self.layout.centre(move.target)
        share = start * self.layout.size / math.hypot(x2 - x1, y2 - y1)
        self._mark(item, (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share, x2, y2), **options)

    def _draw_pieces(self, picture: Picture) -> None:
        position = picture.position
        carried = dict(picture.carried)
        for item in self._raised:
            self.tag_lower(item, self._first_overlay)
        self._raised.clear()
        for (side, is_queen), items in self._pieces.items():
            image = self._image("wb"[side] + ("Q" if is_queen else "G"))
            all_pieces = position.pieces(side)
            cells = list(cells_of(all_pieces & position.queens if is_queen else all_pieces & ~position.queens))
            for i, item in enumerate(items):
                if i >= len(cells):
                    self._set(item, state="hidden")
                    continue
                self._set(item, image=image, state="normal")
                if cells[i] in carried:
                    self.coords(item, *carried[cells[i]])
                    self.tag_raise(item)
                    self._raised.append(item)
                else:
                    self.coords(item, *self.layout.centre(cells[i]))

    def renew_images(self) -> None:
        """Make the pictures of the pieces anew in the present size, when resizing has come to rest."""
        if self._image_size != self.layout.size:
            self._image_size = self.layout.size
            self._images.clear()
            self.refresh()


# --- 6. Scores -------------------------------------------------------------------

#: Program and arguments of an engine.
Command = Tuple[str, ...]
#: A won game as a number of guard's steps.
WON_SCORE = 100.0


def score_value(score: int) -> float:
    """An engine's score as a number of guard's steps."""
    if abs(score) > SURE_WIN:
        return WON_SCORE if score > 0 else -WON_SCORE
    return score / 100


# --- 7. Settings -----------------------------------------------------------------

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


def write_user_file(name: str, text: str) -> None:
    """Write a file in the user's folder, making the folder if need be; AgonError if that fails."""
    path = os.path.join(user_folder(), name)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise AgonError("unwritable", reason=error.strerror or error, number=error.errno).at(path=path) from None
    write_safely(path, text, is_own=True)


SETTINGS_FILE = "settings.json"
MAX_WINDOWS = 20
MAX_RECENT = 8

def lock_autosave() -> Tuple[str, Optional[IO[str]]]:
    """The name of an autosave file that no other window uses, and the lock that keeps it ours.

    The system frees the lock when the process ends, however it ends.
    """
    for number in range(1, MAX_WINDOWS):
        name = "autosave.agon" if number == 1 else f"autosave-{number}.agon"
        try:
            os.makedirs(user_folder(), exist_ok=True)
            lock = open(os.path.join(user_folder(), f"{name}.lock"), "a", encoding="utf-8")
        except OSError:
            return name, None  # nothing can be written here; autosave will say so
        try:
            if sys.platform == "win32":
                import msvcrt
                msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return name, lock
        except OSError:
            lock.close()
    return name, None


#: The settings and their defaults; a stored value of another type is ignored.
DEFAULT_SETTINGS: Dict[str, Any] = {
    "language": "", "theme": "light", "zoom": 0, "geometry": "", "ranks": False, "flipped": False,
    "animation": True, "analysis": False, "recent": [], "solved": [], "program": "",
    "white": 0, "black": 2, "level": 2, "by_lot": False, "queen_first": False, "empty_throne_loses": True,
}


class Settings(Dict[str, Any]):
    """What is remembered between two starts; without a writable folder it lasts until the end."""

    def __init__(self) -> None:
        super().__init__(copy.deepcopy(DEFAULT_SETTINGS))
        try:
            stored = json.loads(read_text(os.path.join(user_folder(), SETTINGS_FILE)))
        except (ValueError, RecursionError):  # no file yet, unreadable, or damaged: the defaults are fine
            return
        if isinstance(stored, dict):
            self.update({name: value for name, value in stored.items()
                         if name in DEFAULT_SETTINGS and type(value) is type(DEFAULT_SETTINGS[name])})
        for name, allowed in (("white", range(9)), ("black", range(9)), ("level", range(1, 9)), ("theme", THEMES),
                              ("zoom", range(MIN_ZOOM, MAX_ZOOM + 1)), ("language", ("", *LANGUAGES))):
            if self[name] not in allowed:
                self[name] = DEFAULT_SETTINGS[name]
        for name in ("recent", "solved"):
            self[name] = [entry for entry in self[name] if isinstance(entry, str)]

    def save(self) -> None:
        """Store the settings; AgonError if they cannot be written."""
        write_user_file(SETTINGS_FILE, json.dumps(self, indent=1, ensure_ascii=False) + "\n")


# --- 8. Dialogs ------------------------------------------------------------------

def fitted_size(window: tk.Misc, font: tkfont.Font, width: int, height: int) -> str:
    """A window's size as Tk writes it, from widths of the letter m; no larger than the screen."""
    em = font.measure("m")
    return f"{min(width * em, window.winfo_screenwidth() - 40)}x{min(height * em, window.winfo_screenheight() - 100)}"


class Dialog(tk.Toplevel):
    """A window above the main one, with OK and Cancel.

    Return confirms, Escape cancels.  The answer goes to `on_done`; the main
    loop goes on meanwhile, so a computer that thinks is not held up.
    """

    def __init__(self, parent: tk.Tk, title: str, ok: str, cancel: str,
                 on_done: Optional[Callable[[Any], None]] = None) -> None:
        super().__init__(parent)
        self.withdraw()
        self.title(title)
        self.resizable(False, False)
        self.configure(background=ttk.Style(parent).lookup("TFrame", "background"))
        self.on_done = on_done
        body = ttk.Frame(self, padding=(20, 16, 20, 8))
        body.pack(fill="both", expand=True)
        self.build(body)
        buttons = ttk.Frame(self, padding=(20, 8, 20, 16))
        buttons.pack(fill="x")
        self.ok_button = ttk.Button(buttons, text=ok, command=self.on_ok)
        self.ok_button.pack(side="right")
        self.cancel_button = ttk.Button(buttons, text=cancel, command=self.on_cancel)
        if cancel:
            self.cancel_button.pack(side="right", padx=(0, 8))
        self.bind("<Return>", self.on_return)
        self.bind("<KP_Enter>", self.on_return)
        self.bind("<Escape>", self.on_cancel)
        self.protocol("WM_DELETE_WINDOW", self.on_cancel)
        self._show_above(parent)

    def _show_above(self, parent: tk.Tk) -> None:
        self.transient(parent)
        if parent.tk.call("tk", "windowingsystem") == "x11":
            self.attributes("-type", "dialog")
        self.update_idletasks()
        x = parent.winfo_rootx() + (parent.winfo_width() - self.winfo_reqwidth()) // 2
        y = parent.winfo_rooty() + (parent.winfo_height() - self.winfo_reqheight()) // 3
        x = min(max(0, x), max(0, self.winfo_screenwidth() - self.winfo_reqwidth()))
        y = min(max(0, y), max(0, self.winfo_screenheight() - self.winfo_reqheight()))
        self.geometry(f"+{x}+{y}")
        self.deiconify()
        self.ok_button.focus_set()
        self.after_idle(self._grab)

    def _grab(self) -> None:
        try:
            self.grab_set()
        except tk.TclError:
            pass  # not visible yet, or gone already: it works without

    def on_return(self, _event: object) -> None:
        """Press the button that has the focus, or OK."""
        focused = self.focus_get()
        if isinstance(focused, ttk.Button):
            focused.invoke()
        else:
            self.on_ok()

    def build(self, body: ttk.Frame) -> None:
        """Fill the dialog; subclasses say with what."""

    def result(self) -> Any:
        """What the dialog has been told."""

    def on_ok(self, _event: object = None) -> None:
        """Close and hand the result over."""
        result = self.result()
        self.destroy()
        if self.on_done:
            self.on_done(result)

    def on_cancel(self, _event: object = None) -> None:
        """Close without a result."""
        self.destroy()


class NewGame(NamedTuple):
    """What the New game dialog has been told; a level of 0 is a person."""

    levels: Tuple[int, int]
    level: int
    by_lot: bool
    rules: Rules


class NewGameDialog(Dialog):
    """Asks who plays, how strong the computer is, who begins, and for the rule options."""

    CHOICES = ("play_white", "play_black", "play_both", "play_none")

    def __init__(self, parent: tk.Tk, texts: Texts, before: NewGame, on_done: Callable[[NewGame], None]) -> None:
        self.texts = texts
        white_is_person, black_is_person = (level == 0 for level in before.levels)
        people = {(True, False): "play_white", (False, True): "play_black", (True, True): "play_both"}
        choice = people.get((white_is_person, black_is_person), "play_none")
        self.choice = tk.StringVar(parent, choice)
        self.level = tk.IntVar(parent, before.level)
        self.by_lot = tk.BooleanVar(parent, before.by_lot)
        self.queen_first = tk.BooleanVar(parent, before.rules.queen_first)
        self.empty_throne_loses = tk.BooleanVar(parent, before.rules.empty_throne_loses)
        super().__init__(parent, texts("new_title"), texts("start_game"), texts("cancel"), on_done)

    def build(self, body: ttk.Frame) -> None:
        """One group below the other, all on one left edge."""
        texts = self.texts
        self._group(body, "opponents", first=True)
        for choice in self.CHOICES:
            ttk.Radiobutton(body, text=texts(choice), variable=self.choice, value=choice).pack(anchor="w", pady=2)
        self._group(body, "strength")
        row = ttk.Frame(body)
        row.pack(anchor="w")
        ttk.Label(row, text=texts("easy"), style="Quiet.TLabel").pack(side="left", padx=(0, 8))
        for level in range(1, 9):
            ttk.Radiobutton(row, text=str(level), variable=self.level, value=level, style="Level.Toolbutton",
                            width=2).pack(side="left", padx=1)
        ttk.Label(row, text=texts("hard"), style="Quiet.TLabel").pack(side="left", padx=(8, 0))
        self._group(body, "beginner")
        for by_lot, key in ((False, "white_begins"), (True, "drawn_by_lot")):
            ttk.Radiobutton(body, text=texts(key), variable=self.by_lot, value=by_lot).pack(anchor="w", pady=2)
        self._group(body, "rule_options")
        for variable, key in ((self.queen_first, "queen_first"), (self.empty_throne_loses, "empty_throne_loses")):
            ttk.Checkbutton(body, text=texts(key), variable=variable).pack(anchor="w", pady=2)

    def _group(self, body: ttk.Frame, key: str, first: bool = False) -> None:
        ttk.Label(body, text=self.texts(key), style="Heading.TLabel").pack(anchor="w", pady=(0 if first else 14, 4))

    def result(self) -> NewGame:
        """The game asked for."""
        level = self.level.get()
        white = 0 if self.choice.get() in ("play_white", "play_both") else level
        black = 0 if self.choice.get() in ("play_black", "play_both") else level
        return NewGame((white, black), level, self.by_lot.get(),
                       Rules(self.queen_first.get(), self.empty_throne_loses.get()))


class ProgramDialog(Dialog):
    """Asks for a program of one's own and the side it is to play."""

    def __init__(self, parent: tk.Tk, texts: Texts, command: str, on_done: Callable[[Tuple[int, str]], None]) -> None:
        self.texts = texts
        self.side = tk.IntVar(parent, BLACK)
        self.command_text = tk.StringVar(parent, command)
        super().__init__(parent, texts("program_title"), texts("start_game"), texts("cancel"), on_done)
        self.entry.focus_set()

    def build(self, body: ttk.Frame) -> None:
        """The command with a button that looks for a file, and the side."""
        texts = self.texts
        ttk.Label(body, text=texts("program_text"), wraplength=420, justify="left").pack(anchor="w", pady=(0, 10))
        row = ttk.Frame(body)
        row.pack(fill="x")
        self.entry = ttk.Entry(row, textvariable=self.command_text, width=40)
        self.entry.pack(side="left", fill="x", expand=True)
        ttk.Button(row, text=texts("browse"), command=self.on_browse).pack(side="left", padx=(8, 0))
        for side in (WHITE, BLACK):
            ttk.Radiobutton(body, text=texts("program_side", side=side), variable=self.side,
                            value=side).pack(anchor="w", pady=(8, 0))

    def on_browse(self) -> None:
        """Choose the program's file."""
        from tkinter import filedialog
        path = filedialog.askopenfilename(parent=self)
        if path:
            self.command_text.set(shlex.quote(path) if os.name != "nt" else f'"{path}"')

    def result(self) -> Tuple[int, str]:
        """The side and the command."""
        return self.side.get(), self.command_text.get().strip()

    def on_ok(self, _event: object = None) -> None:
        """Start the game, once a program is named."""
        if self.command_text.get().strip():
            super().on_ok()
        else:
            self.entry.focus_set()


class Page(tk.Toplevel):
    """A window that stays open beside the game and follows its language and colours."""

    def __init__(self, app: "App", title_key: str, width: int, height: int) -> None:
        super().__init__(app.root)
        self.app = app
        self._title_key = title_key
        #: What is read and scrolled; made by build().
        self.main: Union[tk.Text, ttk.Treeview] = tk.Text(self)
        self.geometry(fitted_size(self, app.fonts["body"], width, height))
        self.bind("<Escape>", self.on_close)
        self.protocol("WM_DELETE_WINDOW", self.on_close)
        self.dress()
        self.main.focus_set()

    def dress(self) -> None:
        """Fill the window anew, in the language and the colours chosen; a text stays where it was read."""
        has_focus = str(self.tk.call("focus", "-displayof", self)).startswith(str(self))
        place = self.main.yview()[0]
        for child in self.winfo_children():
            child.destroy()
        self.title(self.app.texts(self._title_key))
        self.configure(background=self.app.theme.window)
        self.build()
        self.main.yview_moveto(place)
        if has_focus:
            self.main.focus_set()

    def build(self) -> None:
        """Fill the window; subclasses say with what."""

    def on_close(self, _event: object = None) -> None:
        """Close the window; the game goes on."""
        self.destroy()


class OutputWindow(Page):
    """Shows the conversation with a player's own program, or the computer player, as it goes on."""

    REFRESH_MS = 250

    def __init__(self, app: "App") -> None:
        self._shown: List[str] = []
        self._job = ""
        super().__init__(app, "output", 52, 24)
        self._refresh()

    def build(self) -> None:
        """The lines, as they come."""
        theme = self.app.theme
        self.main = tk.Text(self, padx=10, pady=8, borderwidth=0, highlightthickness=0, background=theme.panel,
                            foreground=theme.text, font=self.app.fonts["body"], state="disabled")
        self.main.pack(fill="both", expand=True)
        self._shown = []

    def _refresh(self) -> None:
        lines = list(self.app.computer.conversation())
        if lines != self._shown and isinstance(self.main, tk.Text):
            self._shown = lines
            self.main.configure(state="normal")
            self.main.delete("1.0", "end")
            self.main.insert("1.0", "\n".join(lines))
            self.main.configure(state="disabled")
            self.main.see("end")
        self._job = self.after(self.REFRESH_MS, self._refresh)

    def destroy(self) -> None:
        """Close the window and cancel the next refresh."""
        if self._job:
            self.after_cancel(self._job)
            self._job = ""
        super().destroy()


class MessageDialog(Dialog):
    """Shows a text with an OK button, or a question when `cancel` names a second one."""

    def __init__(self, parent: tk.Tk, title: str, message: str, ok: str, cancel: str = "",
                 on_done: Optional[Callable[[Any], None]] = None) -> None:
        self.message = message
        super().__init__(parent, title, ok, cancel, on_done)

    def build(self, body: ttk.Frame) -> None:
        """The text alone."""
        em = system_font(self).measure("m")
        ttk.Label(body, text=self.message, wraplength=44 * em, justify="left").pack(anchor="w")


class HelpWindow(Page):
    """The rules and the keys on a page of its own that stays open while one plays."""

    def __init__(self, app: "App") -> None:
        super().__init__(app, "help", 46, 40)

    def build(self) -> None:
        """The text, with a scrollbar."""
        texts, theme, fonts = self.app.texts, self.app.theme, self.app.fonts
        page = self.main = tk.Text(self, wrap="word", padx=24, pady=18, borderwidth=0, highlightthickness=0,
                                   background=theme.window, foreground=theme.text, font=fonts["body"], spacing3=5,
                                   tabs=(fonts["body"].measure("m") * 14,))
        scrollbar = ttk.Scrollbar(self, command=page.yview)
        scrollbar.pack(side="right", fill="y")
        page.pack(side="left", fill="both", expand=True)
        page.configure(yscrollcommand=scrollbar.set)
        page.tag_configure("heading", font=fonts["heading"], spacing1=12)
        for line in texts("help_text").splitlines():
            page.insert("end", line.lstrip("#") + "\n", "heading" if line.startswith("#") else "")
        for _menu, entries in MENUS:
            for entry in entries:
                if entry is not None and entry.shortcut:
                    page.insert("end", f"{shortcut_text(entry.shortcut, texts)}\t{texts(entry.key).rstrip(' …')}\n")
        page.configure(state="disabled")


# --- 9. Panel --------------------------------------------------------------------

class MoveList(tk.Frame):
    """The moves in two columns; a click on one goes there, as do the arrow keys.

    It is a text, since a tree cannot mark one half of a row.
    """

    def __init__(self, parent: tk.Misc, fonts: Dict[str, tkfont.Font], on_go: Callable[[int], None]) -> None:
        super().__init__(parent, highlightthickness=1)
        self.fonts = fonts
        self.on_go = on_go
        self._shown: List[str] = []
        self._current = 0
        self._blank = 0
        self.columnconfigure(0, weight=1)
        self.rowconfigure(1, weight=1)
        options: Dict[str, Any] = dict(borderwidth=0, highlightthickness=0, width=1, padx=10, cursor="arrow",
                                       font=fonts["body"], state="disabled", wrap="none", takefocus=0)
        self.head = tk.Text(self, height=1, pady=6, **options)
        self.head.grid(row=0, column=0, columnspan=2, sticky="ew")
        self.text = tk.Text(self, height=3, pady=0, spacing1=2, spacing3=2, **options)
        self.text.grid(row=1, column=0, sticky="nsew")
        self.scrollbar = ttk.Scrollbar(self, command=self.text.yview)
        self.scrollbar.grid(row=1, column=1, sticky="ns")
        self.text.configure(yscrollcommand=self._on_scroll)
        self.text.bind("<Button-1>", self._on_click)
        self.text.bind("<Configure>", self._see_current)
        for sequence, step in (("<Up>", -1), ("<Left>", -1), ("<Down>", 1), ("<Right>", 1)):
            self.text.bind(sequence, partial(self._on_arrow, step))
        for sequence in ("<B1-Motion>", "<Double-Button-1>", "<Triple-Button-1>"):
            self.text.bind(sequence, self._ignore)

    def recolour(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.configure(background=theme.panel, highlightbackground=theme.line, highlightcolor=theme.line)
        for text in (self.head, self.text):
            text.configure(background=theme.panel, foreground=theme.text, inactiveselectbackground=theme.panel,
                           selectbackground=theme.panel, selectforeground=theme.text)
        self.text.tag_configure("number", foreground=theme.quiet_text)
        self.text.tag_configure("undone", foreground=theme.quiet_text)
        self.text.tag_configure("current", background=mix(theme.panel, theme.recent, 0.4), foreground=theme.text)
        self.text.tag_raise("current")
        self.head.tag_configure("head", font=self.fonts["heading"])

    def arrange(self, width: int, titles: Tuple[str, str]) -> None:
        """Place the columns for this width in pixels and write their titles."""
        number = self.fonts["body"].measure("000. ")
        tabs = number, number + (width - number) // 2
        self.head.configure(tabs=tabs, state="normal")
        self.head.delete("1.0", "end")
        self.head.insert("end", f"\t {titles[0]}\t {titles[1]}", "head")
        self.head.configure(state="disabled")
        self.text.configure(tabs=tabs)

    def show(self, moves: List[str], current: int, first_side: int) -> None:
        """Show these moves, of which the first `current` are on the board."""
        if (moves, current, first_side) == (self._shown, self._current, self._blank):
            return
        same = 0
        if first_side == self._blank:
            while same < min(len(moves), len(self._shown)) and moves[same] == self._shown[same]:
                same += 1
        text = self.text
        text.configure(state="normal")
        ranges = text.tag_ranges(f"entry{same}")
        text.delete(ranges[0] if same and ranges else "1.0" if same == 0 else "end-1c", "end")
        for ply in range(same, len(moves)):
            place = ply + first_side
            tags = ("number", f"entry{ply}")
            if place % 2 == 0 or ply == 0:
                text.insert("end", ("\n" if ply else "") + f"{place // 2 + 1}.\t", tags)
                if place % 2:
                    text.insert("end", " … ", tags)
            if place % 2:
                text.insert("end", "\t", tags)
            text.insert("end", f" {moves[ply]} ", (f"entry{ply}", f"move{ply}"))
        text.tag_remove("current", "1.0", "end")
        text.tag_remove("undone", "1.0", "end")
        for tag, name in ((f"move{current - 1}", "current"), (f"entry{current}", "undone")):
            found = text.tag_ranges(tag)
            if found:
                text.tag_add(name, found[0], "end" if name == "undone" else found[1])
        text.configure(state="disabled")
        self._shown, self._current, self._blank = list(moves), current, first_side
        self._see_current()

    def _see_current(self, _event: object = None) -> None:
        found = self.text.tag_ranges(f"move{self._current - 1}")
        self.text.see(found[0] if found else "1.0")

    def _on_scroll(self, first: float, last: float) -> None:
        """Move the scrollbar; it is hidden while all moves fit."""
        self.scrollbar.set(first, last)
        if float(first) <= 0 and float(last) >= 1:
            self.scrollbar.grid_remove()
        else:
            self.scrollbar.grid()

    def _on_click(self, event: "tk.Event[Any]") -> str:
        self.text.focus_set()
        for tag in self.text.tag_names(f"@{event.x},{event.y}"):
            if tag.startswith("move"):
                self.on_go(int(tag[4:]) + 1)
        return "break"

    def _on_arrow(self, step: int, _event: object) -> str:
        self.on_go(self._current + step)
        return "break"

    @staticmethod
    def _ignore(_event: object) -> str:
        return "break"


class AnalysisPanel(ttk.Frame):
    """What the engine thinks: a score bar, the best lines, and the score over the game as a curve."""

    LINES = 3
    BAR_HEIGHT, CHART_HEIGHT = 14, 64
    #: Scores beyond this many steps fill the bar and the chart to the edge.
    FULL = 20.0

    def __init__(self, parent: tk.Misc, fonts: Dict[str, tkfont.Font], on_go: Callable[[int], None]) -> None:
        super().__init__(parent)
        self.fonts = fonts
        self.on_go = on_go
        self.theme = LIGHT
        self._words: List[List[str]] = []
        self.score: Optional[float] = None
        self.scores: Dict[int, float] = {}
        self.plies = self.current = 0
        self.columnconfigure(0, weight=1)
        self.bar = tk.Canvas(self, height=self.BAR_HEIGHT, width=1, highlightthickness=1, borderwidth=0)
        self.bar.grid(row=0, column=0, sticky="ew", pady=(8, 4))
        self._bar_fill = self.bar.create_rectangle(0, 0, 0, 0, width=0)
        self._bar_middle = self.bar.create_line(0, 0, 0, 0)
        self.summary = ttk.Label(self, style="Context.TLabel")
        self.summary.grid(row=1, column=0, sticky="ew")
        self.lines = [ttk.Label(self, style="Line.TLabel", width=1) for _ in range(self.LINES)]
        for row, label in enumerate(self.lines):
            label.grid(row=2 + row, column=0, sticky="ew")
        self.chart = tk.Canvas(self, height=self.CHART_HEIGHT, width=1, highlightthickness=1, borderwidth=0)
        self.chart.grid(row=5, column=0, sticky="ew", pady=(6, 0))
        self._chart_zero = self.chart.create_line(0, 0, 0, 0, dash=(2, 3))
        self._chart_now = self.chart.create_line(0, 0, 0, 0)
        self._chart_curve = self.chart.create_line(0, 0, 0, 0, width=2)
        for canvas in (self.bar, self.chart):
            canvas.bind("<Configure>", self._redraw)
        self.chart.bind("<Button-1>", self._on_click)

    def recolour(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self.bar.configure(background=theme.black[0], highlightbackground=theme.line)
        self.bar.itemconfigure(self._bar_fill, fill=theme.white[0])
        self.bar.itemconfigure(self._bar_middle, fill=theme.recent)
        self.chart.configure(background=theme.panel, highlightbackground=theme.line)
        self.chart.itemconfigure(self._chart_zero, fill=theme.quiet_text)
        self.chart.itemconfigure(self._chart_now, fill=theme.recent)
        self.chart.itemconfigure(self._chart_curve, fill=theme.allowed)

    def show(self, summary: str, lines: Sequence[Sequence[str]], score: Optional[float],
             scores: Dict[int, float], plies: int, current: int) -> None:
        """Show an analysis: lines of words, White's score now, and by the number of moves played (in steps)."""
        self.score, self.scores, self.plies, self.current = score, dict(scores), plies, current
        self._words = [list(line) for line in lines]
        self.summary.configure(text=summary, wraplength=max(100, self.bar.winfo_width()))
        if scores:
            self.chart.grid()
        else:
            self.chart.grid_remove()
        self._redraw()

    def _fitting(self, words: List[str], width: int) -> str:
        """As many of the words as fit into this width."""
        measure = self.fonts["body"].measure
        text = "  ".join(words[:1])
        for word in words[1:]:
            if measure(f"{text}  {word} …") > width:
                return text + " …"
            text += "  " + word
        return text

    def _share(self, score: float) -> float:
        return 0.5 + 0.5 * max(-1.0, min(1.0, score / self.FULL))

    def _x(self, ply: int) -> float:
        return 6 + (self.chart.winfo_width() - 12) * ply / max(1, self.plies)

    def _redraw(self, _event: object = None) -> None:
        width, height = self.bar.winfo_width(), self.bar.winfo_height()
        for i, label in enumerate(self.lines):
            label.configure(text=self._fitting(self._words[i], width - 2 * LABEL_BORDER) if i < len(self._words) else "")
        self.bar.coords(self._bar_fill, 0, 0, width * self._share(self.score or 0.0), height)
        self.bar.coords(self._bar_middle, width / 2, 0, width / 2, height)
        width, height = self.chart.winfo_width(), self.chart.winfo_height()
        self.chart.coords(self._chart_zero, 0, height / 2, width, height / 2)
        known = next((ply for ply in range(self.plies + 1) if ply not in self.scores), self.plies + 1)
        points = [coordinate for ply in range(known)
                  for coordinate in (self._x(ply), height - 4 - (height - 8) * self._share(self.scores[ply]))]
        self.chart.coords(self._chart_curve, *(points if len(points) >= 4 else [-9, -9, -9, -9]))
        now = self._x(self.current) if self.scores else -9
        self.chart.coords(self._chart_now, now, 0, now, height)

    def _on_click(self, event: "tk.Event[Any]") -> None:
        if self.scores:
            share = (event.x - 6) / max(1, self.chart.winfo_width() - 12)
            self.on_go(round(min(1.0, max(0.0, share)) * self.plies))


#: Rows of choices: a title, and labels by the name of what is chosen.
Choices = Sequence[Tuple[str, Dict[str, str]]]


class SidePage(ttk.Frame):
    """The page beside the board for tour, puzzles and set-up: heading, text, task, choices, buttons."""

    def __init__(self, parent: tk.Misc, board: tk.Misc) -> None:
        super().__init__(parent)
        self.board = board
        self.columnconfigure(0, weight=1)
        self.rowconfigure(5, weight=1)
        self.heading = ttk.Label(self, style="Heading.TLabel")
        self.text = ttk.Label(self)
        self.choices = ttk.Frame(self)
        self.task = ttk.Label(self, style="Heading.TLabel")
        self.feedback = ttk.Label(self, style="Feedback.TLabel")
        for row, widget in enumerate((self.heading, self.text, self.choices, self.task, self.feedback)):
            widget.grid(row=row, column=0, sticky="ew", pady=(0, 10))
        self.button_box = ttk.Frame(self)
        self.button_box.grid(row=6, column=0, sticky="ew")
        self.buttons: List[ttk.Button] = []
        self._commands: List[Callable[[], None]] = []
        self._chosen = tk.StringVar(self)
        self._shown_choices: Choices = ()
        self._on_choice: Callable[[str], object] = str

    def arrange(self, width: int) -> None:
        """Break the lines for this width in pixels."""
        for label in (self.heading, self.text, self.task, self.feedback):
            label.configure(wraplength=width)

    def show(self, heading: str, text: str, task: str, feedback: str,
             buttons: Sequence[Tuple[str, Callable[[], None], bool]], is_praise: bool = False,
             choices: Choices = (), chosen: str = "", on_choice: Callable[[str], object] = str) -> None:
        """Show a page; a button is its label, what it does, and whether it may be pressed."""
        self.heading.configure(text=heading)
        self.text.configure(text=text)
        self.task.configure(text=task)
        self.feedback.configure(text=feedback, style="Good.TLabel" if is_praise else "Feedback.TLabel")
        self._show_choices(choices, chosen, on_choice)
        while len(self.buttons) > len(buttons):
            self.buttons.pop().destroy()
        self._commands = [command for _label, command, _is_enabled in buttons]
        for i, (label, _command, is_enabled) in enumerate(buttons):
            if i == len(self.buttons):
                self.button_box.columnconfigure(i % 2, weight=1, uniform="page")
                self.buttons.append(ttk.Button(self.button_box, width=1, command=partial(self._press, i)))
                self.buttons[i].bind("<ButtonRelease-1>", self._give_focus_back)
                self.buttons[i].grid(row=i // 2, column=i % 2, sticky="ew", padx=(0 if i % 2 == 0 else 6, 0), pady=3)
            self.buttons[i].configure(text=label)
            self.buttons[i].state(["!disabled" if is_enabled else "disabled"])

    def _press(self, number: int) -> None:
        self._commands[number]()

    def _give_focus_back(self, _event: object) -> None:
        """Who presses a button by mouse goes on at the board, not at the button."""
        self.board.focus_set()

    def _show_choices(self, choices: Choices, chosen: str, on_choice: Callable[[str], object]) -> None:
        self._chosen.set(chosen)
        self._on_choice = on_choice
        if choices == self._shown_choices:
            return
        self._shown_choices = choices
        for child in self.choices.winfo_children():
            child.destroy()
        for row, (title, labels) in enumerate(choices):
            ttk.Label(self.choices, text=title).grid(row=row, column=0, sticky="w", padx=(0, 10))
            for column, (name, label) in enumerate(labels.items(), 1):
                choice = ttk.Radiobutton(self.choices, text=label, value=name, variable=self._chosen,
                                         command=partial(self._choose, name))
                span = 2 if len(labels) == 1 else 1  # a choice alone in its row does not widen the columns
                choice.grid(row=row, column=column, columnspan=span, sticky="w", padx=(0, 10), pady=1)
                choice.bind("<ButtonRelease-1>", self._give_focus_back)
        self.choices.configure(height=1)

    def _choose(self, name: str) -> None:
        self._on_choice(name)


# --- 10. Hand --------------------------------------------------------------------

class Mode(Enum):
    """What the window is doing; everything leads back to IDLE."""

    IDLE = "waiting for the player"
    SELECTED = "a piece is picked, its target not yet"
    DRAGGING = "a piece follows the pointer"
    ANIMATING = "something runs by itself and is soon over"
    THINKING = "the computer is to move"
    OVER = "the game has ended"


#: The pointer has to move this many pixels before a press becomes a drag.
DRAG_PIXELS = 5
#: Bits of an event's state; on Windows the place of Alt (elsewhere 8) means Num Lock.
CONTROL_MASK, ALT_MASK = 4, 0x20000 if sys.platform == "win32" else 8
_TYPED_MOVE = re.compile(r"q?([a-l][0-9]{1,2})[-* ]?([a-l][0-9]{1,2})[+#]?|--")


class Hand:
    """The player's hand: mouse and keyboard become picked pieces and attempted moves.

    It belongs to the application, whose mode it changes between IDLE, SELECTED
    and DRAGGING; whether a move is legal, the application asks the game.
    """

    def __init__(self, app: "App") -> None:
        self.app = app
        self.view = app.view
        self.selected: Optional[Cell] = None
        #: The legal target under the pointer.
        self.hovered: Optional[Cell] = None
        #: The picked piece and where it is carried (pixels).
        self.carried: Tuple[Tuple[Cell, Point], ...] = ()
        #: The cell the keyboard points at, once the keyboard is used.
        self.cursor: Optional[Cell] = None
        #: The letters of a move being typed.
        self.typed = ""
        self._pressed_at: Optional[Point] = None
        self._was_selected = False
        self._bind()

    def _bind(self) -> None:
        view = self.view
        view.bind("<ButtonPress-1>", self.on_press)
        view.bind("<B1-Motion>", self.on_motion)
        view.bind("<ButtonRelease-1>", self.on_release)
        for button in (2, 3):
            view.bind(f"<ButtonPress-{button}>", self.on_other_button)
        if IS_MAC:
            view.bind("<Control-ButtonPress-1>", self.on_other_button)
        view.bind("<Key>", self.on_key)
        view.bind("<Unmap>", self.on_lost)
        for key, step in (("Up", (0, -1)), ("Down", (0, 1)), ("Left", (-1, 0)), ("Right", (1, 0))):
            view.bind(f"<{key}>", partial(self.on_arrow, step))
            view.bind(f"<KP_{key}>", partial(self.on_arrow, step))
        for sequence, direction in (("<Tab>", 1), ("<Shift-Tab>", -1), ("<<PrevWindow>>", -1)):
            view.bind(sequence, partial(self.on_tab, direction))
        for sequence in ("<Return>", "<KP_Enter>", "<space>"):
            view.bind(sequence, self.on_enter)
        view.bind("<Control-Tab>", self.on_leave)

    # -- what it holds --

    def clear(self) -> None:
        """Hold nothing."""
        self.selected = self.hovered = self._pressed_at = None
        self.carried = ()
        self.typed = ""

    def targets(self) -> FrozenSet[Cell]:
        """Where the picked piece may go."""
        if self.selected is None or isinstance(self.app.activity, SetUp):
            return frozenset()
        return frozenset(move.target for move in self.app.game.legal_moves()
                         if move.source == self.selected and move.target is not None)

    def end_preview(self) -> None:
        """Show the game again in place of a line of the search tree."""
        if self.app.preview:
            self.app.show_preview(None, None)

    def _may_act(self) -> bool:
        app = self.app
        if app.preview or app.activity and not app.activity.accepts_moves:
            return False
        return app.mode in (Mode.IDLE, Mode.SELECTED) and not app.is_computers_turn

    def select(self, cell: Cell) -> None:
        """Pick an own piece, and say so when it cannot move at all."""
        app = self.app
        self.selected = cell
        app.mode = Mode.SELECTED
        if not self.targets():
            position = app.game.position
            first = position.must_relocate(app.game.rules)
            app.causes = frozenset(first)
            app.say("say_no_moves" if not first else
                    "no_QUEEN_FIRST" if cell in position.trapped() else "no_TRAPPED_FIRST")
        app.render()

    def put_down(self) -> None:
        """Lay the picked piece down where it was."""
        if self.app.mode in (Mode.SELECTED, Mode.DRAGGING):
            self.app.mode = Mode.IDLE
        self.clear()
        self.app.render()

    def choose(self, cell: Cell) -> None:
        """A click or Enter on a cell: pick the piece there, or name the target of the one picked."""
        app = self.app
        if isinstance(app.activity, SetUp):
            app.activity.click(cell)
        elif app.game.position.side_at(cell) == app.game.position.turn:
            self.select(cell)
        elif self.selected is not None:
            app.attempt(Move(self.selected, cell), None)
        elif app.game.position.side_at(cell) is not None and cell not in (app.game.moves or (PASS,))[-1]:
            app.say("no_NOT_YOURS")  # not after the second click of a double click on the target
            app.render()

    # -- mouse --

    def on_press(self, event: "tk.Event[Any]") -> None:
        """Pick a piece up, or name the target of the one already picked."""
        app = self.app
        self.view.focus_set()
        self.cursor = None
        if app.preview:
            app.show_preview(None, None)
            return
        if app.mode is Mode.DRAGGING:
            self.put_down()  # the release of that drag got lost
        if app.mode is Mode.ANIMATING:
            app.finish()
        point = self.view.pixel(event)
        cell = self.view.cell_under(point)
        if not self._may_act():
            if app.is_computers_turn and app.mode is not Mode.OVER and not app.activity:
                app.say_whose_turn()
                app.render()
            return
        app.clear_marks()
        self.typed = ""
        if cell is None:
            self.put_down()
            return
        if isinstance(app.activity, SetUp) and app.game.position.side_at(cell) is not None:
            self.selected, self._pressed_at = cell, point  # a drag moves it, a click uses the tool
            app.mode = Mode.SELECTED
            return
        self._was_selected = cell == self.selected
        self.choose(cell)
        if self.selected == cell:
            self._pressed_at = point
        app.render()

    def on_motion(self, event: "tk.Event[Any]") -> None:
        """Carry the picked piece under the pointer."""
        app = self.app
        point = self.view.pixel(event)
        if app.mode is Mode.SELECTED and self._pressed_at is not None:
            if math.dist(point, self._pressed_at) < DRAG_PIXELS:
                return
            app.mode = Mode.DRAGGING
        if app.mode is Mode.DRAGGING and self.selected is not None:
            cell = self.view.cell_under(point)
            self.carried = ((self.selected, point),)
            self.hovered = cell if cell in self.targets() else None
            app.render_board()

    def on_release(self, event: "tk.Event[Any]") -> None:
        """Drop the piece on the cell under the pointer."""
        app = self.app
        pressed_at, self._pressed_at = self._pressed_at, None
        if isinstance(app.activity, SetUp) and self.selected is not None:
            source, was_dragged = self.selected, app.mode is Mode.DRAGGING
            self.put_down()
            if was_dragged:
                app.activity.move(source, self.view.cell_under(self.view.pixel(event)))
            else:
                app.activity.click(source)
            return
        if app.mode is Mode.SELECTED and self._was_selected and pressed_at is not None:
            self.put_down()  # a second click on the same piece
        if app.mode is not Mode.DRAGGING or self.selected is None:
            return
        point = self.view.pixel(event)
        cell = self.view.cell_under(point)
        if cell is None or cell == self.selected:
            app.glide_home(self.selected, point)
        else:
            app.attempt(Move(self.selected, cell), point)

    def on_other_button(self, event: "tk.Event[Any]") -> str:
        """Put the picked piece back; with nothing picked, open the context menu."""
        if self.app.mode in (Mode.SELECTED, Mode.DRAGGING):
            self.on_escape()
        else:
            self.app.menus.show_context_menu(event.x_root, event.y_root)
        return "break"

    def on_escape(self, _event: object = None) -> None:
        """Escape: put the piece back and clear all marks."""
        self.end_preview()
        self.cursor = None
        self.app.clear_marks()
        self.put_down()

    def on_lost(self, _event: object = None) -> None:
        """Focus or visibility is lost, so the release of a drag may never come: put the piece back."""
        if self.app.mode is Mode.DRAGGING:
            self.put_down()

    # -- keyboard --

    def on_arrow(self, step: Tuple[int, int], _event: object) -> str:
        """Move the cursor to the cell above, below, left or right as one sees the board."""
        self.end_preview()
        if self.cursor is None:
            self.cursor = self.selected if self.selected is not None else THRONE
        else:
            self.cursor = self.view.layout.next_cell(self.cursor, *step)
        self._speak_cursor()
        return "break"

    def on_tab(self, direction: int, _event: object) -> str:
        """Move the cursor to the next piece that can move, or to the next target of the one picked."""
        self.end_preview()
        if not self._may_act():
            return "break"
        found = self.targets() or {move.source for move in self.app.game.legal_moves() if move.source is not None}
        cells = sorted((cell for cell in found), key=self.view.layout.reading_order)
        if cells:
            if self.cursor in cells:
                self.cursor = cells[(cells.index(self.cursor) + direction) % len(cells)]
            else:
                self.cursor = cells[0 if direction > 0 else -1]
        self._speak_cursor()
        return "break"

    def on_leave(self, _event: object) -> str:
        """Let the keyboard leave the board for the buttons beside it."""
        following = self.view.tk_focusNext()
        if following is not None:
            following.focus_set()
        return "break"

    def on_enter(self, _event: object = None) -> str:
        """Play the typed move, or pick and drop at the cursor."""
        self.end_preview()
        if not self._may_act():
            return "break"
        self.app.clear_marks()
        if self.typed:
            self._play_typed()
        elif self.cursor is not None and self.cursor == self.selected:
            self.put_down()
        elif self.cursor is not None:
            self.choose(self.cursor)
        return "break"

    def on_key(self, event: "tk.Event[Any]") -> None:
        """Letters and digits become a typed move."""
        if isinstance(self.app.activity, SetUp):
            return
        has_modifier = isinstance(event.state, int) and event.state & (CONTROL_MASK | ALT_MASK)
        if event.keysym == "BackSpace":
            self.typed = self.typed[:-1]
        elif event.char and event.char.lower() in "abcdefghiklq0123456789-*" and not has_modifier:
            self.typed = (self.typed + event.char.lower())[:9]
        else:
            return
        self.end_preview()
        self.app.say("say_typed", text=self.typed)
        if not self.typed:
            self.app.clear_marks()
        self.app.render()

    def _play_typed(self) -> None:
        app, text = self.app, self.typed
        self.typed = ""
        match = _TYPED_MOVE.fullmatch(text)
        try:
            move = PASS if text == "--" else Move.from_text("{}-{}".format(*match.groups()) if match else text)
        except AgonError as error:
            app.say_error(error)
            app.render()
            return
        app.attempt(move, None)

    def _speak_cursor(self) -> None:
        """Name the cell under the cursor and what stands there."""
        app = self.app
        if self.cursor is not None:
            position = app.game.position
            side = position.side_at(self.cursor)
            name = cell_name(self.cursor)
            if side is None:
                app.say("say_cell", cell=name)
            else:
                kind = "queen" if position.is_queen(self.cursor) else "guard"
                app.say(f"say_{kind}", side=side, cell=name)
        app.render()


# --- 11. Analyst -----------------------------------------------------------------

class Analyst:
    """A second engine that looks at the position on the board, or through a finished game.

    It belongs to the application and fills the analysis panel.
    """

    #: How long the engine looks at each position of a finished game.
    REVIEW_MS = 120

    def __init__(self, app: "App", command: Command) -> None:
        self.app = app
        self.engine = EngineProcess(command)
        #: The latest report on the best line, the second best, ...
        self._infos: Dict[int, Info] = {}
        #: White's score by the number of moves played, and the finished game that it belongs to.
        self._scores: Dict[int, float] = {}
        self._start = Position.start()
        self._line: List[str] = []
        self._reviewing: Optional[int] = None

    def begin(self) -> None:
        """Look at what is on the board now, if the analysis is switched on and the computer does not think."""
        app = self.app
        self.rest()
        if app.settings["analysis"] and app.mode is not Mode.THINKING and not app.activity:
            if app.game.outcome():
                self._review_next()
            else:
                self._ask(f"infinite multipv {AnalysisPanel.LINES}", None)
        self.show()

    def rest(self) -> None:
        """Stop looking."""
        self.app.forget("analysis")
        self.engine.cancel()
        self._infos.clear()
        self._reviewing = None

    def best_moves(self) -> Tuple[Move, ...]:
        """The first moves of the best lines found so far."""
        if self._reviewing is not None or not self._infos:
            return ()
        legal = {str(move): move for move in self.app.game.legal_moves() if move != PASS}
        firsts = [info.moves[0] for _, info in sorted(self._infos.items()) if info.moves]
        return tuple(legal[text] for text in firsts if text in legal)

    def _ask(self, limits: str, ply: Optional[int]) -> None:
        try:
            self.engine.ask(self.app.game, f"go {limits}", [("Level", BEST_LEVEL)], ply)
        except OSError:
            return  # the panel goes on saying that it waits
        self.app.later("analysis", 2 * POLL_MS, self._poll)

    def _poll(self) -> None:
        try:
            replies = self.engine.poll()
        except EngineFailure:
            self.engine.close()
            self._infos.clear()
            self.show()
            self.app.render_board()
            return
        for reply in replies:
            if isinstance(reply, Info):
                self._infos[reply.number] = reply
            elif self._reviewing is not None:
                sign = _sign(self.app.game.positions[self._reviewing].turn)
                best = self._infos.get(1)
                self._scores[self._reviewing] = sign * score_value(best.score) if best else 0.0
                self._review_next()
                self.show()
                return
        if replies and self._reviewing is None:
            self.show()
            self.app.render_board()
        if self.engine.is_busy:
            self.app.later("analysis", 2 * POLL_MS, self._poll)

    def _review_next(self) -> None:
        """Ask for the score of the first position of the finished game that has none yet."""
        game = self.app.game
        outcome, last = game.outcome(), len(game.moves)
        if (game.start, game.descriptions()) != (self._start, self._line):
            self._scores, self._start, self._line = {}, game.start, game.descriptions()
        if outcome:
            self._scores[last] = 0.0 if outcome.winner is None else _sign(outcome.winner) * WON_SCORE
        self._reviewing = next((ply for ply in range(last) if ply not in self._scores), None)
        self._infos.clear()
        if self._reviewing is not None:
            self._ask(f"movetime {self.REVIEW_MS}", self._reviewing)

    def show(self) -> None:
        """Fill the panel."""
        app = self.app
        if not app.settings["analysis"]:
            return
        game, texts = app.game, app.texts
        sign = _sign(game.position.turn)
        infos = [info for _, info in sorted(self._infos.items())] if self._reviewing is None else []
        if game.outcome():
            percent = 100 * len(self._scores) // (len(game.moves) + 1)
            summary = texts("review_done") if percent >= 100 else texts("review", percent=percent)
        elif infos:
            nodes = f"{infos[0].nodes:,}".replace(",", "." if texts.language == "de" else ",")
            summary = texts("analysis_summary", depth=infos[0].depth, nodes=nodes)
        else:
            summary = texts("analysis_waits")
        line = game.descriptions(with_undone=True)
        is_same = game.start == self._start and line[:len(self._line)] == self._line
        scores = self._scores if self._line and is_same else {}
        score = sign * score_value(infos[0].score) if infos else scores.get(len(game.moves))
        lines = [[self._score_text(info.score, sign)] + self._variation(info.moves) for info in infos]
        app.analysis.show(summary, lines, score, scores, len(self._line), len(game.moves))

    def _score_text(self, score: int, sign: int) -> str:
        """A score as people read it, from White's side: '+0.4', '−1.2', 'White wins in 3'."""
        if abs(score) > SURE_WIN:
            moves = score_text(score).split()[-1]
            return self.app.texts("wins_in", side=WHITE if score * sign > 0 else BLACK, moves=moves)
        value = sign * score_value(score)
        text = f"{abs(value):.1f}".replace(".", "," if self.app.texts.language == "de" else ".")
        return ("+" if value > 0 else "−" if value < 0 else "") + text

    def _variation(self, words: Sequence[str]) -> List[str]:
        """A principal variation in the notation for people, as far as it is legal."""
        rules, position, described = self.app.game.rules, self.app.game.position, []
        try:
            for word in words:
                move = Move.from_text(word)
                following = position.play(move, rules)
                described.append(position.describe(move, rules))
                position = following
        except AgonError:
            pass  # an engine may say what it likes; the legal beginning is shown
        return described


def _sign(side: int) -> int:
    """1 for White, -1 for Black: turns a side's score into White's."""
    return 1 if side == WHITE else -1


# --- 12. Classroom ---------------------------------------------------------------
# The tour, the puzzles and the set-up take the board over for a while; each
# fills the page beside it, and the running game comes back afterwards.

class Lesson(NamedTuple):
    """A page of the tour: a position, and what to try there, one goal after the other."""

    key: str
    position: str
    goals: Tuple[str, ...]
    #: Black's answer before the second goal; without one White simply moves again.
    reply: str = ""


LESSONS: Tuple[Lesson, ...] = (
    Lesson("board", str(Position.start()), ("inwards_guard",)),
    Lesson("steps", "Qf3 d4 / Qf9 w", ("along", "inwards")),
    Lesson("throne", "Qf5 d4 g3 / Qf10 d8 h8 w", ("throne",)),
    Lesson("trap", "Qf2 d4 c5 h4 / Qf10 d5 g8 w", ("trap",)),
    Lesson("guard", "Qf2 e5 h4 / Qf10 e4 e6 g8 w", ("relocate",)),
    Lesson("queen", "Qg4 a5 b1 d9 h9 k1 l5 / Qf11 a2 b7 g3 g5 k7 l2 w", ("relocate",)),
    Lesson("several", "Qf1 b7 d3 d5 h1 k7 l2 / Qf11 a5 d2 d4 d6 k1 l5 w", ("relocate", "relocate"), "k1-k2"),
    Lesson("self", "Qf1 a5 c4 d2 h9 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w", ("refused_self_enclosure",)),
    Lesson("stroke", "Qf1 a5 c4 d2 d6 k1 l5 / Qf11 b7 d3 d5 h1 k7 l2 w", ("trap_two",)),
    Lesson("win", "Qf6 e5 e6 f5 f7 g5 h5 / Qf11 a2 b7 d1 h1 k7 l2 w", ("win",)),
    Lesson("order", "Qg6 e5 e6 f5 f7 g5 h5 / Qf11 a2 b7 d1 h1 k7 l2 w", ("throne", "win"), "f11-f10"),
)


class Puzzle(NamedTuple):
    """A position and what the side to move can force within so many own moves: to 'win', 'trap' or 'trap_two'."""

    goal: str
    moves: int
    position: str


PUZZLES: Tuple[Puzzle, ...] = (
    Puzzle("trap", 1, "Qe5 b5 d4 f8 g4 g5 i3 / Qg6 a5 d2 e6 f9 g3 g7 w"),
    Puzzle("trap", 1, "Qf2 b2 c6 e7 g3 g7 h6 / Qf9 b3 d2 f4 f7 i4 i7 b"),
    Puzzle("trap", 1, "Qf6 b4 e6 f8 i6 k5 k6 / Qg6 b2 c3 e4 f9 g5 h4 b"),
    Puzzle("trap", 1, "Qf6 d5 e6 f8 g4 h4 i5 / Qg6 c2 c4 d4 f11 h5 h7 b"),
    Puzzle("trap_two", 1, "Qf4 d4 d5 e6 f5 g7 i5 / Qg6 b5 b6 d2 d7 g10 h5 w"),
    Puzzle("trap_two", 1, "Qe5 d4 e7 h6 h7 i4 i6 / Qg5 c3 e10 f7 g4 h4 h5 w"),
    Puzzle("trap_two", 1, "Qf2 e6 f5 f7 h6 h8 i3 / Qg6 c3 d5 e1 f8 g1 g5 w"),
    Puzzle("win", 1, "Qf6 e5 e6 e7 f5 g5 g6 / Qd5 a5 e10 f10 g7 i1 l5 w"),
    Puzzle("win", 1, "Qf6 e4 e5 e6 f7 g5 g6 / Qg4 b2 e9 f8 g7 i2 k5 w"),
    Puzzle("win", 1, "Qe9 b3 e4 f8 h6 i2 i6 / Qf6 d5 e6 f5 f7 g5 g6 b"),
    Puzzle("win", 2, "Qf6 e5 e6 f5 f7 g6 i5 / Qf4 a4 e9 f9 h8 k1 k5 w"),
    Puzzle("win", 2, "Qf6 d5 e6 e7 f5 g5 g6 / Qh6 d4 d7 f4 g8 h4 i6 w"),
    Puzzle("win", 2, "Qf6 d5 e6 f5 f7 g6 h5 / Qd4 b2 e4 e8 h6 i6 l5 w"),
    Puzzle("win", 2, "Qf6 e4 e5 e6 f7 g5 g7 / Qf8 c2 d4 e7 f10 g8 k2 w"),
    Puzzle("win", 2, "Qf6 d4 e6 f5 f7 g6 h5 / Qg7 b1 d5 e9 f8 g9 l5 w"),
    Puzzle("win", 2, "Qf3 d2 e9 f8 g4 g8 h5 / Qf6 e4 e6 f5 f7 g5 g7 b"),
    Puzzle("win", 2, "Qe4 d4 e3 f8 g7 h5 i6 / Qf6 c6 e5 f5 f7 g5 g6 b"),
    Puzzle("win", 3, "Qe4 e5 e6 f7 g4 g5 g6 / Qd5 c5 e7 f8 g8 h3 h6 w"),
    Puzzle("win", 3, "Qf6 d3 d5 f5 f7 g5 g6 / Qf8 d6 e3 e7 g4 h5 h6 w"),
    Puzzle("win", 3, "Qf4 d3 d6 e4 e7 f8 g8 / Qf6 d4 e6 f5 g6 g7 h5 b"),
    Puzzle("win", 3, "Qf6 e4 e5 e6 f7 g4 h5 / Qf8 c5 e7 f9 g7 i2 i4 w"),
    Puzzle("win", 3, "Qe5 d5 e4 f5 f7 g5 g6 / Qd4 b2 d2 e10 f9 g7 h2 w"),
    Puzzle("win", 3, "Qd6 a5 f10 f8 g7 h4 k5 / Qf6 d5 e5 f4 f7 g5 h6 b"),
    Puzzle("win", 3, "Qg4 d4 e8 f10 g10 h4 k1 / Qf6 d6 e4 e5 f8 g5 g6 b"),
    Puzzle("win", 4, "Qh6 a4 e10 f8 g8 k2 k5 / Qf6 c4 e4 e5 e6 g5 g6 b"),
    Puzzle("win", 4, "Qe5 d5 e6 f5 f8 g6 h5 / Qf10 b5 e8 f9 g2 g8 k5 w"),
    Puzzle("win", 4, "Qg4 a5 e9 f8 g9 k1 l5 / Qg5 d4 e4 e6 f7 g6 h5 b"),
    Puzzle("win", 4, "Qf6 e5 e7 f4 f7 g7 h4 / Qg6 a3 e10 f1 f10 g9 l5 w"),
)


class Activity:
    """Something that takes the board over for a while and then gives it back."""

    #: Whether pieces can be put anywhere, without rules.
    is_editor = False

    def __init__(self, app: "App") -> None:
        self.app = app
        self._says: Callable[[], str] = str
        #: Whether what it says is praise.
        self.is_praise = False
        self.before = app.running

    def begin(self) -> None:
        """Put something on the board."""
        raise NotImplementedError

    def close(self) -> None:
        """Give the board back to the game that was interrupted."""
        self.app.adopt(*self.before)

    def put_up(self, position: Position) -> None:
        """Put a position of the activity on the board."""
        self.app.interrupt()
        self.app.game = Game(position)
        self.app.players = [Player(), Player()]
        self.app.path = ""
        self.app.settle()

    @property
    def feedback(self) -> str:
        """What it says about what has been tried."""
        return self._says()

    def tell(self, text_key: str = "", is_praise: bool = False, **values: Any) -> None:
        """Say something below the task, in whatever language is chosen when it is read; without a key, nothing."""
        self._says = partial(self.app.texts, text_key, **values) if text_key else str
        self.is_praise = is_praise

    def take_back(self, text_key: str) -> None:
        """Say why a move is not what was asked for, and let it glide back."""
        self.tell(text_key)
        self.app.later("lesson", WRONG_MS, self.app.take_back)

    @property
    def accepts_moves(self) -> bool:
        """Whether the player may move now."""
        return True

    def commands(self) -> Dict[str, Callable[[], None]]:
        """What commands of the game's menu do in this activity; the others of GAME_COMMANDS rest."""
        return {}

    def title(self) -> str:
        """The large line of the panel."""
        raise NotImplementedError

    def context(self) -> str:
        """The small line below it."""
        return ""

    def on_settled(self) -> None:
        """The board has come to rest."""

    def on_refused(self, _refusal: Refusal) -> None:
        """The player has tried an illegal move."""

    def show(self) -> None:
        """Fill the page."""


class Tour(Activity):
    """The tour through the rules: one page after the other, each with something to try."""

    def __init__(self, app: "App") -> None:
        super().__init__(app)
        self.number = 0
        self.step = 0

    @property
    def lesson(self) -> Lesson:
        """The page that is open."""
        return LESSONS[self.number]

    @property
    def is_done(self) -> bool:
        """Whether everything on the page has been tried."""
        return self.step == len(self.lesson.goals)

    @property
    def accepts_moves(self) -> bool:
        """White moves until the page is done."""
        return not self.is_done and self.app.game.position.turn == WHITE

    def begin(self) -> None:
        """Open the first page."""
        self.open(0)

    def open(self, number: int) -> None:
        """Open a page."""
        self.number = max(0, min(number, len(LESSONS) - 1))
        self.step = 0
        self.tell()
        self.put_up(Position.from_text(self.lesson.position))

    def on_settled(self) -> None:
        """Check what has been tried."""
        app, game = self.app, self.app.game
        if self.is_done or not game.moves or game.position.turn == WHITE:
            return
        if not is_goal_reached(self.lesson.goals[self.step], game):
            self.take_back("lesson_other")
            return
        self._step_done()
        if not self.is_done and self.lesson.reply:
            app.later("lesson", REPLY_MS, partial(app.play, Move.from_text(self.lesson.reply)))
        elif not self.is_done:
            self.put_up(game.position.with_turn(WHITE))

    def on_refused(self, refusal: Refusal) -> None:
        """On the page about self-enclosure the refusal is what was asked for."""
        if not self.is_done and is_goal_reached(self.lesson.goals[self.step], self.app.game, refusal):
            self._step_done()

    def commands(self) -> Dict[str, Callable[[], None]]:
        """Previous and Next turn the pages."""
        return {"on_previous": partial(self.open, self.number - 1), "on_next": partial(self.open, self.number + 1)}

    def _step_done(self) -> None:
        self.step += 1
        is_last = self.number == len(LESSONS) - 1
        key = "lesson_next_step" if not self.is_done else "lesson_all_done" if is_last else "lesson_done"
        self.tell(key, is_praise=True)

    def title(self) -> str:
        """The name of the tour."""
        return self.app.texts("tour")

    def context(self) -> str:
        """Which page it is."""
        return self.app.texts("page_of", number=self.number + 1, count=len(LESSONS))

    def show(self) -> None:
        """The page's text and task."""
        texts, key = self.app.texts, self.lesson.key
        heading, text, task = texts("lesson_" + key).split("|")
        is_last = self.number == len(LESSONS) - 1
        self.app.page.show(heading, text, task, self.feedback, (
            (texts("page_back"), partial(self.open, self.number - 1), self.number > 0),
            (texts("page_finish") if is_last else texts("page_next"),
             self.close if is_last else partial(self.open, self.number + 1), True),
            (texts("page_again"), partial(self.open, self.number), True),
            (texts("page_close"), self.close, True)), self.is_praise)


class PuzzleBook(Activity):
    """The puzzles: find the moves that force a win or a trap against the best defence."""

    def __init__(self, app: "App") -> None:
        super().__init__(app)
        self.number = 0
        self.is_solved = False
        self.is_showing = False

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle on the board."""
        return PUZZLES[self.number]

    @property
    def side(self) -> int:
        """The side that solves it."""
        return self.app.game.start.turn

    @property
    def moves_left(self) -> int:
        """How many own moves are left to reach the goal."""
        return self.puzzle.moves - (len(self.app.game.moves) + 1) // 2

    @property
    def accepts_moves(self) -> bool:
        """The solver moves until the goal is reached."""
        return not self.is_solved and not self.is_showing and self.app.game.position.turn == self.side

    def open(self, number: int) -> None:
        """Put a puzzle on the board."""
        self.number = number % len(PUZZLES)
        self.is_solved = self.is_showing = False
        self.tell()
        self.put_up(Position.from_text(self.puzzle.position))

    def begin(self) -> None:
        """Open the first puzzle that has not been solved."""
        solved = self.app.settings["solved"]
        self.open(next((i for i, puzzle in enumerate(PUZZLES) if puzzle.position not in solved), 0))

    def on_settled(self) -> None:
        """Judge the move just made, or let the solution go on."""
        app, game = self.app, self.app.game
        if self.is_solved or not game.moves:
            return
        if game.position.turn == self.side:
            if self.is_showing:
                app.later("lesson", REPLY_MS, self._ask_for_move)
        elif is_goal_reached(self.puzzle.goal, game):
            self.is_solved = True
            self.tell("puzzle_shown" if self.is_showing else "puzzle_solved", is_praise=True)
            solved = app.settings["solved"]
            if not self.is_showing and self.puzzle.position not in solved:
                app.files.remember(solved=sorted({*Settings()["solved"], *solved, self.puzzle.position}))
        elif self.moves_left <= 0 or game.outcome():
            self.take_back("puzzle_too_long")
        else:
            app.computer.ask_for_puzzle(2 * self.moves_left)

    def on_answer(self, move: Move, score: int) -> None:
        """The engine's best move: the solution's next move, or the best defence."""
        app = self.app
        if app.game.position.turn == self.side:
            if self.is_showing:
                app.play(move)
            else:
                app.show_hint(move)
            return
        if score < -SURE_WIN and int(score_text(score).split()[-1]) <= self.moves_left:
            if not self.is_showing:
                self._says, self.is_praise = partial(self._go_on, self.moves_left), True
            app.later("lesson", REPLY_MS, partial(app.play, move))
        else:
            app.show_hint(move)
            self.take_back("puzzle_refuted")

    def on_failure(self) -> None:
        """The engine has failed: the player may make the move again."""
        self.is_showing = False
        if self.app.game.position.turn != self.side:
            self.take_back("puzzle_failed")

    def commands(self) -> Dict[str, Callable[[], None]]:
        """Previous and Next turn the pages; Hint shows the solution's next move."""
        commands: Dict[str, Callable[[], None]] = {
            "on_previous": partial(self.open, self.number - 1), "on_next": partial(self.open, self.number + 1)}
        if self.accepts_moves:
            commands["on_hint"] = self.on_hint
        return commands

    def _go_on(self, moves: int) -> str:
        return self.app.texts("puzzle_go_on", within=self._within(moves))

    def _within(self, moves: int) -> str:
        return self.app.texts("within_one") if moves == 1 else self.app.texts("within", count=moves)

    def on_hint(self) -> None:
        """Show the first move of the solution as an arrow."""
        if self.accepts_moves and self.app.mode is not Mode.THINKING:
            self.app.hand.on_escape()
            self._ask_for_move()

    def _ask_for_move(self) -> None:
        """Find the solution's next move: a win by the engine, a trap by trying all moves."""
        if self.puzzle.goal == "win":
            self.app.computer.ask_for_puzzle(2 * self.moves_left - 1)
            return
        for move in self.app.game.legal_moves():
            trial = Game(self.app.game.position)
            trial.play(move)
            if is_goal_reached(self.puzzle.goal, trial):
                self.on_answer(move, 0)
                break

    def on_solution(self) -> None:
        """Play the solution, the defender defending as well as possible."""
        self.open(self.number)
        self.is_showing = True
        self._ask_for_move()

    def title(self) -> str:
        """The name of the puzzles."""
        return self.app.texts("puzzles")

    def context(self) -> str:
        """Which puzzle it is, and how many have been solved."""
        solved = sum(puzzle.position in self.app.settings["solved"] for puzzle in PUZZLES)
        return self.app.texts("puzzle_of", number=self.number + 1, count=len(PUZZLES), solved=solved)

    def show(self) -> None:
        """The task."""
        texts = self.app.texts
        task = texts("puzzle_" + self.puzzle.goal, side=self.side, within=self._within(self.puzzle.moves))
        known = texts("puzzle_known") if self.puzzle.position in self.app.settings["solved"] else ""
        self.app.page.show(task, texts("puzzle_text"), known, self.feedback, (
            (texts("page_back"), partial(self.open, self.number - 1), True),
            (texts("page_next"), partial(self.open, self.number + 1), True),
            (texts("hint_button"), self.on_hint, self.accepts_moves),
            (texts("puzzle_solution"), self.on_solution, not self.is_showing),
            (texts("page_again"), partial(self.open, self.number), True),
            (texts("page_close"), self.close, True)), self.is_praise)


class SetUp(Activity):
    """Setting up a position by mouse: place, move and remove pieces without rules."""

    is_editor = True
    #: The tools by name: side and whether it is a queen; None takes pieces away.
    TOOLS: Dict[str, Optional[Tuple[int, bool]]] = {
        "tool_white_guard": (WHITE, False), "tool_black_guard": (BLACK, False),
        "tool_white_queen": (WHITE, True), "tool_black_queen": (BLACK, True), "tool_remove": None}

    def __init__(self, app: "App") -> None:
        super().__init__(app)
        self.tool = "tool_white_guard"

    def begin(self) -> None:
        """Begin with the position on the board."""
        self.put_up(self.app.game.position)

    def click(self, cell: Cell) -> None:
        """Use the tool on a cell; a piece of the tool's own kind is taken away."""
        position, tool = self.app.game.position, self.TOOLS[self.tool]
        is_same = tool is not None and (position.side_at(cell), position.is_queen(cell)) == tool
        if tool is None or is_same:
            self._change(position.without_piece(cell))
        else:
            try:
                self._change(position.with_piece(cell, *tool))
            except AgonError as error:
                self._complain(error)

    def move(self, source: Cell, target: Optional[Cell]) -> None:
        """Move a piece to another cell; beside the board it is taken away."""
        position = self.app.game.position
        side, is_queen = position.side_at(source), position.is_queen(source)
        if side is None:
            return
        position = position.without_piece(source)
        try:
            self._change(position if target is None else position.with_piece(target, side, is_queen))
        except AgonError as error:
            self._complain(error)

    def _change(self, position: Position) -> None:
        self.tell()
        self.put_up(position)

    def _complain(self, error: AgonError) -> None:
        self._says, self.is_praise = partial(self.app.error_text, error), False
        self.app.settle()

    def on_tool(self, tool: str) -> None:
        """Take another tool."""
        self.tool = tool

    def on_turn(self) -> None:
        """Let the other side move first."""
        self._change(self.app.game.position.with_turn(1 - self.app.game.position.turn))

    def on_play(self) -> None:
        """Play on from the position, with the players of the game before; a game needs all fourteen pieces."""
        position = self.app.game.position
        if position.is_complete:
            self.app.adopt(Game(position, self.before[0].rules, {"Date": time.strftime("%Y.%m.%d")}), self.before[1])
            self.app.files.autosave()
        else:
            self.tell("setup_incomplete")
            self.app.settle()

    def title(self) -> str:
        """What is being done."""
        return self.app.texts("setup_title")

    def context(self) -> str:
        """Who will be to move."""
        return self.app.texts("turn", side=self.app.game.position.turn)

    def show(self) -> None:
        """Tools and commands."""
        texts = self.app.texts
        empty = Position.from_text("/ w")
        self.app.page.show(texts("setup_heading"), texts("setup_text"), "", self.feedback, (
            (texts("setup_turn"), self.on_turn, True),
            (texts("setup_play"), self.on_play, True),
            (texts("setup_clear"), partial(self._change, empty), True),
            (texts("setup_start"), partial(self._change, Position.start()), True),
            (texts("save"), self.app.files.on_save_as, True),
            (texts("cancel"), self.close, True)),
            choices=(*((texts(side), {f"tool_{side}_{kind}": texts("tool_" + kind) for kind in ("guard", "queen")})
                       for side in ("white", "black")),
                     ("", {"tool_remove": texts("tool_remove")})),
            chosen=self.tool, on_choice=self.on_tool)


class TreeWindow(Page):
    """Shows how minimax thinks: the search tree of the position on the board, as far as one unfolds it.

    The tree comes from the engine, one line for each node; a line that is
    selected here is shown on the board.
    """

    COLUMNS = ("value", "window", "nodes", "note")
    DEPTHS = (1, 2, 3)

    def __init__(self, app: "App") -> None:
        self.position, self.rules = app.game.position, app.game.rules
        self.depth = tk.IntVar(app.root, 2)
        self.pruned = tk.BooleanVar(app.root, True)
        self.engine = EngineProcess(app.engine_command)
        self._job = ""
        #: The nodes below each path as the engine has told them; read when they are unfolded.
        self._below: Dict[str, List[str]] = {}
        #: The nodes that are in the table, by their path, and their positions.
        self._nodes: Dict[str, Tuple[TreeLine, Position]] = {}
        super().__init__(app, "tree", 78, 38)

    def build(self) -> None:
        """Depth and method above the tree, which begins to grow at once."""
        texts, fonts = self.app.texts, self.app.fonts
        bar = ttk.Frame(self, padding=(12, 10, 12, 6))
        bar.pack(fill="x")
        ttk.Label(bar, text=texts("tree_depth")).pack(side="left", padx=(0, 6))
        for depth in self.DEPTHS:
            ttk.Radiobutton(bar, text=str(depth), value=depth, variable=self.depth, command=self.on_change, width=2,
                            style="Level.Toolbutton").pack(side="left")
        ttk.Checkbutton(bar, text=texts("tree_pruned"), variable=self.pruned,
                        command=self.on_change).pack(side="left", padx=14)
        self.summary = ttk.Label(self, padding=(12, 0, 12, 8), style="Context.TLabel", wraplength=700)
        self.summary.pack(fill="x")
        box = ttk.Frame(self)
        box.pack(fill="both", expand=True, padx=12, pady=(0, 12))
        self.main = self.tree = ttk.Treeview(box, columns=self.COLUMNS, selectmode="browse")
        em = fonts["body"].measure("m")
        for name, width, stretch in (("#0", 14, False), ("value", 7, False), ("window", 11, False),
                                     ("nodes", 7, False), ("note", 32, True)):
            self.tree.heading(name, text=texts("tree_move" if name == "#0" else "tree_" + name),
                              anchor="w" if name in ("#0", "note") else "e")
            self.tree.column(name, width=width * em, minwidth=width * em, stretch=stretch,
                             anchor="w" if name in ("#0", "note") else "e")
        scrollbar = ttk.Scrollbar(box, command=self.tree.yview)
        below = ttk.Scrollbar(box, command=self.tree.xview, orient="horizontal")
        self.tree.configure(yscrollcommand=scrollbar.set, xscrollcommand=below.set)
        scrollbar.pack(side="right", fill="y")
        below.pack(side="bottom", fill="x")
        self.tree.pack(side="left", fill="both", expand=True)
        self.tree.bind("<<TreeviewOpen>>", self.on_open)
        self.tree.bind("<<TreeviewSelect>>", self.on_select)
        self.on_change()

    # -- the child process --

    def on_change(self) -> None:
        """Another depth or method: let the tree be computed anew."""
        self.app.show_preview(None, None)
        self._stop()
        self.tree.delete(*self.tree.get_children())
        self._nodes.clear()
        self._below.clear()
        self.summary.configure(text=self.app.texts("say_thinking"))
        try:
            self.engine.ask(Game(self.position, self.rules),
                            f"tree depth {self.depth.get()}{'' if self.pruned.get() else ' plain'}", until="treeok")
        except OSError as error:
            self.summary.configure(text=str(error))
            return
        self._poll()

    def _poll(self) -> None:
        self._job = ""
        try:
            replies = self.engine.poll()
        except EngineFailure:
            self.engine.close()
            self.summary.configure(text=self.app.texts("say_program_ended", who="minimax"))
            return
        for reply in replies:
            if isinstance(reply, Answer):
                self._show(reply.text)
                return
            line = str(reply)
            words = line.split(None, 2)
            if words[:1] == ["node"] and len(words) == 3:
                self._below.setdefault(words[1].rpartition(".")[0], []).append(line)
            elif words[:1] == ["error"]:
                self.engine.close()
                self.summary.configure(text=self.app.texts("tree_too_big"))
                return
        self._job = self.after(POLL_MS, self._poll)

    def _show(self, counts: str) -> None:
        """The tree is there: show its root and what is directly below."""
        words = counts.split()
        plain, pruned = int(words[1]), int(words[3])
        self.summary.configure(text=self.app.texts("tree_summary", plain=plain, pruned=pruned,
                                                   share=100 * pruned // max(1, plain)))
        self._fill("")
        self.tree.item("0", open=True)
        self.tree.focus("0")
        self._fill("0")

    def _stop(self) -> None:
        if self._job:
            self.after_cancel(self._job)
            self._job = ""
        self.engine.close()

    # -- the tree --

    def _fill(self, path: str) -> None:
        """Put the nodes below a path into the table, once."""
        if path:
            if not self.tree.exists(path + "?"):
                return
            self.tree.delete(path + "?")
        for text in self._below.get(path, ()):
            line = parse_tree_line(text)
            if line:
                self._insert(path, line)

    def _insert(self, parent: str, line: TreeLine) -> None:
        """Add one node; those below it follow when it is unfolded."""
        texts = self.app.texts
        position, label = self.position, texts("tree_root")
        if parent:
            before, move = self._nodes[parent][1], Move.from_text(line.move)
            position, label = before.play(move, self.rules), before.describe(move, self.rules)
        note = ""
        if line.left_out:
            reached, bound = ("≥ β", line.beta) if position.turn == WHITE else ("≤ α", line.alpha)
            note = texts("tree_cut", side=position.turn, value=self._number(line.value), reached=reached,
                         bound=self._number(bound), count=len(line.left_out))
        elif line.best:
            note = texts("tree_max" if position.turn == WHITE else "tree_min")
        window = f"{self._number(line.alpha)} … {self._number(line.beta)}" if self.pruned.get() else ""
        relation = {"<=": "≤ ", ">=": "≥ "}.get(line.relation, "")
        self._nodes[line.path] = line, position
        values = relation + self._number(line.value), window, line.nodes, note
        self.tree.insert(parent, "end", line.path, text=label, values=values)
        if line.path in self._below:
            self.tree.insert(line.path, "end", line.path + "?")  # replaced when the node is unfolded

    def _number(self, score: int) -> str:
        """A score for White in steps; a won game is named after the winner."""
        if abs(score) >= INFINITY:
            return "+∞" if score > 0 else "−∞"
        if abs(score) > SURE_WIN:
            return self.app.texts("white" if score > 0 else "black")
        return f"{score / 100:+.1f}".replace("-", "−").replace(".", "," if self.app.texts.language == "de" else ".")

    def on_open(self, _event: object = None) -> None:
        """A node is unfolded: put its moves below it."""
        self._fill(self.tree.focus())

    def on_select(self, _event: object = None) -> None:
        """Show the selected line on the board."""
        selected = self.tree.selection()
        if selected and selected[0] in self._nodes:
            line, position = self._nodes[selected[0]]
            self.app.show_preview(position, Move.from_text(line.move) if line.move else None)

    def destroy(self) -> None:
        """End the child process and give the board back."""
        self._stop()
        self.app.show_preview(None, None)
        super().destroy()


# --- 13. Parts -------------------------------------------------------------------

FRAME_MS = 16
POLL_MS = 30
#: How long the window waits for the game to be saved after a move, and at the end, if the folder is slow.
SAVING_S, CLOSING_S = 0.05, 3.0
#: A step glides this long; a press in the meantime ends the glide at once.
GLIDE_MS = 220
SNAP_MS = 90
#: How long the line "... passes" stands before the pass is made.
PASS_MS = 1400
#: Thinking time of a player's own program.
PROGRAM_MS = 2000
#: An instant answer would look as if the player's own move had done two things.
LEAST_THINK_MS = 350
HINT_MS = 1000
#: How long a wrong move in tour or puzzles is seen, and how long an answer waits.
WRONG_MS, REPLY_MS = 1100, 600
BEST_LEVEL = 8
#: The pictures of the pieces are made anew when resizing has come to rest.
REST_MS = 120
#: An exported game has a diagram after every so many moves.
DIAGRAM_PLIES = 10
GARBAGE_MS = 3000
ICON_MS = 300
#: From so many quiet moves on the player is told that a draw is coming.
QUIET_WARNING = 60
#: The computer takes a draw when the player is at least so many steps ahead, and after so many moves.
DRAW_SCORE = 0.5
DRAW_PLIES = 20


class Entry(NamedTuple):
    """A menu entry: text key, method of App or of one of its parts, shortcut, and the setting it switches if any."""

    key: str
    method: str
    shortcut: str = ""
    switch: str = ""


PAUSE_KEY = "Mod-p"
#: All menus; None is a line, a name in brackets a submenu built by the method of that name.
MENUS: Tuple[Tuple[str, Tuple[Optional[Entry], ...]], ...] = (
    ("menu_file", (Entry("open", "files.on_open", "Mod-o"), Entry("recent", "[_recent_menu]"),
                   Entry("save", "files.on_save", "Mod-s"), Entry("save_as", "files.on_save_as", "Mod-Shift-s"),
                   Entry("export", "[_export_menu]"), None,
                   Entry("copy_position", "files.on_copy_position", "Mod-c"),
                   Entry("copy_game", "files.on_copy_game", "Mod-Shift-c"),
                   Entry("paste", "files.on_paste", "Mod-v"), None,
                   Entry("quit", "on_close", "Mod-q"))),
    ("menu_game", (Entry("new_game", "on_new_game", "Mod-n"), Entry("previous_game", "on_previous_game"), None,
                   Entry("undo", "on_undo", "Mod-z"), Entry("redo", "on_redo", "Mod-y"),
                   Entry("first", "on_first", "Home"),
                   Entry("previous", "on_previous", "Prior"), Entry("next", "on_next", "Next"),
                   Entry("last", "on_last", "End"), None, Entry("hint", "on_hint", "Mod-t"),
                   Entry("move_now", "on_move_now", "Mod-g"), Entry("pause", "on_pause", PAUSE_KEY),
                   Entry("one_move", "on_one_move", "Mod-e"), None, Entry("level_menu", "[_level_menu]"),
                   Entry("swap", "on_swap"), Entry("offer_draw", "on_offer_draw"), Entry("resign", "on_resign"))),
    ("menu_learn", (Entry("tour", "on_tour", "F2"), Entry("puzzles", "on_puzzles", "F3"),
                    Entry("set_up", "on_set_up", "F4"), None, Entry("tree", "on_tree", "F6"),
                    Entry("own_program", "on_own_program"), Entry("output", "on_output"))),
    ("menu_view", (Entry("flip", "on_flip", "Mod-f"), Entry("ranks", "on_switch", "", "ranks"),
                   Entry("analysis", "on_switch", "F8", "analysis"),
                   Entry("animation", "on_switch", "", "animation"), None, Entry("theme", "[_theme_menu]"),
                   Entry("larger", "on_larger", "Mod-plus"), Entry("smaller", "on_smaller", "Mod-minus"),
                   Entry("full_screen", "on_full_screen", "F11"), None, Entry("language", "[_language_menu]"))),
    ("menu_help", (Entry("help", "on_help", "F1"), Entry("about", "on_about"))),
)
#: Commands that rest while tour, puzzles or set-up have the board, unless the activity gives them a meaning.
GAME_COMMANDS = ("on_undo", "on_redo", "on_first", "on_previous", "on_next", "on_last", "on_hint", "on_move_now",
                 "on_pause", "on_one_move", "on_swap", "on_offer_draw", "on_resign", "files.on_save")
CONTEXT_MENU = ("undo", "redo", "hint", "flip", "copy_position", "paste")

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
    plain, locked = (key.upper(), key) if "Shift" in shortcut else (key, key.upper())
    return [f"<{modifier}-Key-{plain}>", f"<{modifier}-Lock-Key-{locked}>"]


class Player(NamedTuple):
    """Who moves the pieces of a side: a person, the computer on a level, or a program of one's own."""

    level: int = 0
    program: Command = ()

    @property
    def is_person(self) -> bool:
        """Whether a person plays."""
        return self.level == 0 and not self.program

    def name(self) -> str:
        """The name written into game files."""
        if self.program:
            return f"Program {self.short_name()}"
        return "Person" if self.is_person else f"Computer level {self.level}"

    def short_name(self) -> str:
        """The name of a program's file."""
        scripts = [word for word in self.program if word.endswith(".py")]
        return os.path.basename((scripts or list(self.program) or [""])[0])

    @classmethod
    def from_name(cls, name: str) -> "Player":
        """The player a game file names; unknown names are persons, and no file ever starts a program."""
        match = re.fullmatch(r"Computer level ([1-8])", name)
        return cls(int(match.group(1)) if match else 0)


#: A game, its players, its file, and whether the computer is held up.
Running = Tuple[Game, List[Player], str, bool]


class Computer:
    """The players that are programs: asks them for moves, hints and opinions, and ends those that misbehave."""

    def __init__(self, app: "App", command: Command) -> None:
        self.app = app
        self.engine = EngineProcess(command)
        #: The players' own programs by their command.
        self.programs: Dict[Command, EngineProcess] = {}
        #: The engine asked last, when, and what becomes of its answer: 'move', 'hint', 'draw' or 'puzzle'.
        self.asked = self.engine
        self._asked_at = 0.0
        self._purpose = "move"
        self._score = 0

    def cancel(self) -> None:
        """Give up the present question."""
        self.app.forget("poll")
        self.app.forget("answer")
        self.asked.cancel()

    def close(self) -> None:
        """End all engines."""
        for engine in (self.engine, *self.programs.values()):
            engine.close()

    def ask_player(self) -> None:
        """Ask the computer or the program whose turn it is."""
        program = self.app.player.program
        if program:
            if program not in self.programs:
                self.programs[program] = EngineProcess(program, START_PATIENCE)
            self.ask("move", 0, f"go movetime {PROGRAM_MS}", self.programs[program])
        else:
            self.ask("move", self.app.player.level)

    def ask(self, purpose: str, level: int, go: str = "go", engine: Optional[EngineProcess] = None) -> None:
        self._purpose, self._score = purpose, 0
        self._asked_at = time.monotonic()
        self.asked = engine or self.engine
        try:
            self.asked.ask(self.app.game, go, [("Level", level)] if level else [])
        except OSError as error:
            reason = self.app.reason_text(getattr(error, "errno", None), getattr(error, "strerror", None) or error)
            self._engine_failed("say_program_missing", reason=reason)
            return
        self.app.later("poll", POLL_MS, self._poll)

    def _poll(self) -> None:
        try:
            replies = self.asked.poll()
        except EngineFailure as failure:
            self._engine_failed("say_program_ended" if failure.code == "ended" else "say_program_slow")
            return
        for reply in replies:
            if isinstance(reply, Info):
                self._score = reply.score if reply.number == 1 else self._score
            elif isinstance(reply, Answer):
                waited = int(1000 * (time.monotonic() - self._asked_at))
                pause = max(0, LEAST_THINK_MS - waited) if self._purpose == "move" else 0
                self.app.later("answer", pause, partial(self._answered, reply.text))
                return
        self.app.later("poll", POLL_MS, self._poll)

    def _answered(self, text: str) -> None:
        words = text.split()
        if words[:1] == ["resign"] and self._purpose == "move":
            self.app._resign(self.app.game.position.turn, None)
            return
        try:
            move = Move.from_text(words[0] if words else "")
            refusal = self.app.game.refusal(move)
            if refusal:
                raise IllegalMove(move, refusal)
        except AgonError as error:
            self._engine_failed("say_program_illegal", why=self.app.error_text(error))
            return
        if self._purpose == "move":
            self.app.play(move)
        elif self._purpose == "hint":
            self.app.show_hint(move)
        elif self._purpose == "puzzle" and isinstance(self.app.activity, PuzzleBook):
            self.app.mode = Mode.IDLE
            self.app.activity.on_answer(move, self._score)
            self.app.render()
        elif self._purpose == "draw":
            self._answer_offer()

    def ask_for_puzzle(self, plies: int) -> None:
        """Let the engine look for the best move of a puzzle; the activity gets the answer."""
        self.app.mode = Mode.THINKING
        self.ask("puzzle", BEST_LEVEL, f"go depth {plies}")
        self.app.render()

    def _answer_offer(self) -> None:
        """The computer agrees when the player to move, as it sees it, stands no worse than itself."""
        if score_value(self._score) >= DRAW_SCORE and len(self.app.game.moves) >= DRAW_PLIES:
            self.app._agree_draw(None)
        else:
            self.app.say("say_draw_declined")
            self.app.render()

    def _engine_failed(self, text_key: str, **values: object) -> None:
        """End an engine that does not play properly, say why, and hold the game up."""
        self.asked.close()
        self.app.hand.put_down()
        self.app._plays_one_move = False
        self.app.is_paused = self.app.is_computers_turn
        self.app.mode = Mode.IDLE
        who = self.app.player.short_name() if self.asked is not self.engine else self.app.texts("computer_player")
        self.app.say(text_key, who=who, **values)
        if self.app.is_paused:
            self.app.message += " " + self.app.texts("say_try_again", key=self.app.pause_key())
        if isinstance(self.app.activity, PuzzleBook):
            self.app.activity.on_failure()
        self.app.render()
        self.app.analyst.begin()

    def conversation(self) -> Sequence[str]:
        """What the program that plays, or else the computer player, has said and been told of late."""
        programs = [player.program for player in self.app.players if player.program]
        engine = self.programs.get(programs[0]) if programs else self.engine
        return [f"{speaker} {text}" for speaker, text in list(engine.log)] if engine else []

    def end_unused_programs(self) -> None:
        for command in set(self.programs) - {player.program for player in self.app.players}:
            self.programs.pop(command).close()


class Files:
    """Everything that leaves or enters the window: game files, autosave, clipboard, pictures."""

    def __init__(self, app: "App") -> None:
        self.app = app
        self.autosave_name, self._lock = lock_autosave()
        self._has_complained = False
        #: The text that waits for the thread that saves it, if any; both sides look at it under the guard.
        self._unsaved: Optional[str] = None
        self._saver: Optional[threading.Thread] = None
        self._guard = threading.Lock()
        self._failure: Optional[AgonError] = None

    def close(self) -> None:
        """Let another window have this autosave file."""
        self._wait_for_saver(CLOSING_S)
        if self._lock:
            self._lock.close()

    def _headers(self) -> Dict[str, str]:
        """Who plays, as written in game files; a person's name in the file stays."""
        headers = self.app.game.headers
        return {name: player.name() for name, player in zip(("White", "Black"), self.app.players)
                if not player.is_person or not headers.get(name) or not Player.from_name(headers[name]).is_person}

    def _game_text(self) -> str:
        return self.app.game.to_text(with_undone=True, headers=self._headers())

    def autosave(self) -> None:
        """Keep the running game for the next start; said once when that is impossible.

        A thread writes it, so that a slow folder does not hold the window up;
        as a rule it is done before this returns.
        """
        if self.app.activity:
            return
        try:
            text = self._game_text()
        except AgonError as error:
            self._complain_once(error)
            return
        with self._guard:
            self._unsaved = text
            if self._saver is None:
                self._saver = threading.Thread(target=self._save, daemon=True)
                self._saver.start()
        self._wait_for_saver(SAVING_S)
        if self._failure:
            self._complain_once(self._failure)

    def _save(self) -> None:
        while True:
            with self._guard:
                text, self._unsaved = self._unsaved, None
                if text is None:
                    self._saver = None
                    return
            try:
                write_user_file(self.autosave_name, text)
                self._failure = None
            except AgonError as error:
                self._failure = error

    def _wait_for_saver(self, seconds: float) -> None:
        saver = self._saver
        if saver is not None:
            saver.join(seconds)

    def remember(self, **values: Any) -> None:
        """Change settings and store them; said once when that is impossible."""
        self.app.settings.update(values)
        try:
            stored = Settings()  # another window may have changed other settings meanwhile
            stored.update(values)
            stored.save()
        except AgonError as error:
            self._complain_once(error)

    def _complain_once(self, error: AgonError) -> None:
        if not self._has_complained:
            self._has_complained = True
            self.app.notice = self.app.texts("say_not_kept", reason=self.app.error_text(error))

    def resume(self) -> bool:
        """Go on with the game that was running when the program last ended; False when there is none."""
        try:
            game = Game.load(os.path.join(user_folder(), self.autosave_name))
        except AgonError:
            return False  # none there, or damaged from outside
        if not (game.moves or game.undone) or game.outcome():
            return False
        self._adopt_paused(game)
        return True

    def _adopt_paused(self, game: Game, path: str = "") -> None:
        """Put a game from outside on the board; two computers wait until they are told to go on."""
        players = self.players_of(game)
        self.app.adopt(game, players, path, is_paused=not any(player.is_person for player in players))

    @staticmethod
    def players_of(game: Game) -> List[Player]:
        return [Player.from_name(game.headers.get(name, "")) for name in ("White", "Black")]

    def load(self, path: str) -> None:
        """Open a game file; when it cannot be read, say why and leave the running game alone."""
        try:
            game = Game.load(path)
        except AgonError as error:
            self.app.show_error(error)
            self._add_recent(path, is_readable=False)
            return
        self._adopt_paused(game, path)
        self._add_recent(path)
        self.autosave()

    def _add_recent(self, path: str, is_readable: bool = True) -> None:
        path = os.path.abspath(path)
        others = [other for other in self.app.settings["recent"] if other != path]
        self.remember(recent=([path] if is_readable else [])[:1] + others[:MAX_RECENT - 1])
        self.app.menus.build()

    def _ask_path(self, for_saving: bool, kind: str = "agon") -> str:
        """Let the user choose a file; '' when that is cancelled or the window closes meanwhile."""
        from tkinter import filedialog  # here, since it would slow the start down
        self.app.hand.put_down()
        types = [(self.app.texts("files_" + kind), f"*.{kind}"), (self.app.texts("files_all"), "*")]
        try:
            if for_saving:
                return filedialog.asksaveasfilename(parent=self.app.root, filetypes=types, defaultextension=f".{kind}")
            return filedialog.askopenfilename(parent=self.app.root, filetypes=types)
        except tk.TclError:
            return ""

    def on_open(self) -> None:
        """Choose a game file and open it."""
        path = self._ask_path(for_saving=False)
        if path:
            self.load(path)

    def on_save(self) -> None:
        """Save under the name the game has, or ask for one."""
        if self.app.path:
            self.save(self.app.path)
        else:
            self.on_save_as()

    def on_save_as(self, _result: object = None) -> None:
        """Ask for a name and save."""
        path = self._ask_path(for_saving=True)
        if path:
            self.save(path)

    def save(self, path: str) -> None:
        """Write the game to a file, or say why that is impossible."""
        try:
            self.app.game.save(path, with_undone=True, headers=self._headers())
        except AgonError as error:
            texts = self.app.texts
            self.app.dialog = MessageDialog(self.app.root, "Agon", self.app.error_text(error), texts("save_elsewhere"),
                                            texts("cancel"), self.on_save_as)
            return
        self.app.path = path
        self._add_recent(path)
        self.app.say("say_saved", name=os.path.basename(path))
        self.app.render()

    def on_export(self, of_game: bool, for_print: bool) -> None:
        """Ask for a name and write the board, or diagrams of the game, as an SVG picture."""
        path = self._ask_path(for_saving=True, kind="svg")
        if path:
            self.export(path, of_game, for_print)

    def export(self, path: str, of_game: bool, for_print: bool) -> None:
        """Write an SVG picture, or say why that is impossible."""
        game = self.app.game
        plies = list(range(0, len(game.moves), DIAGRAM_PLIES)) + [len(game.moves)] if of_game else [len(game.moves)]
        diagrams = [Diagram(game.positions[ply], self._caption(ply)) for ply in plies]
        colours = PRINT if for_print else self.app.theme.colours
        try:
            write_safely(path, diagrams_svg(diagrams, colours, self.app.settings["flipped"]))
        except AgonError as error:
            self.app.show_error(error)
            return
        self.app.say("say_saved", name=os.path.basename(path))
        self.app.render()

    def _caption(self, ply: int) -> str:
        """What stands below a diagram: the move that led to it, and who is to move."""
        game = self.app.game
        turn = self.app.texts("turn", side=game.positions[ply].turn)
        return f"{game.numbered(ply - 1)} · {turn}" if ply else turn

    def _copy(self, text: str, message: str) -> None:
        self.app.root.clipboard_clear()
        self.app.root.clipboard_append(text)
        self.app.say(message)
        self.app.render()

    def on_copy_position(self) -> None:
        """Copy the position on the board as a line of text."""
        self._copy(str(self.app.game.position), "say_copied_position")

    def on_copy_game(self) -> None:
        """Copy the game as the text of a game file."""
        try:
            self._copy(self._game_text(), "say_copied_game")
        except AgonError as error:
            self.app.show_error(error)

    def on_paste(self) -> None:
        """Put the position or game of the clipboard on the board."""
        try:
            text = self.app.root.clipboard_get()
        except tk.TclError:
            text = ""
        try:
            is_position = "/" in text and "[" not in text and "-" not in text
            game = (Game(Position.from_text(text), self.app.game.rules) if is_position
                    else Game.from_text(text))
        except AgonError as error:
            self.app.show_error(error)
            return
        if not (game.start.own and game.start.enemy):
            self.app.show_error(AgonError("no_game"))
            return
        if is_position:
            self.app.adopt(game, self.app.players)
        else:
            self._adopt_paused(game)
        self.autosave()


class Menus:
    """The menus and the shortcuts, both made from the table MENUS."""

    def __init__(self, app: "App") -> None:
        self.app = app
        #: The check marks by setting, and the radio buttons of the level.
        self.switches: Dict[str, tk.BooleanVar] = {}
        self._level = tk.StringVar(app.root)
        self._context_menu: Optional[tk.Menu] = None

    def build(self) -> None:
        bar = self._menu(self.app.root)
        self.switches.clear()
        for menu_key, entries in MENUS:
            menu = self._menu(bar)
            menu.configure(postcommand=partial(self.set_states, menu, entries))
            for entry in entries:
                if entry is None:
                    menu.add_separator()
                elif entry.method.startswith("["):
                    submenu = self._menu(menu)
                    getattr(self, entry.method.strip("[]"))(submenu)
                    menu.add_cascade(label=self._padded(self.app.texts(entry.key)), menu=submenu)
                elif entry.key != "quit" or not IS_MAC:  # the Mac's application menu has one
                    self._add_entry(menu, entry)
            bar.add_cascade(label=self.app.texts(menu_key), menu=menu)
        old = self.app.root.nametowidget(self.app.root.cget("menu")) if self.app.root.cget("menu") else None
        self.app.root.configure(menu=bar)
        if old is not None:
            old.destroy()

    def _menu(self, parent: tk.Misc) -> tk.Menu:
        theme = self.app.theme
        return tk.Menu(parent, tearoff=False, background=theme.window, foreground=theme.text, borderwidth=1,
                       relief="solid" if isinstance(parent, tk.Menu) else "flat", activebackground=theme.allowed,
                       activeforeground=theme.panel, activeborderwidth=0, selectcolor=theme.text,
                       font=self.app.fonts["body"])

    def _padded(self, label: str) -> str:
        """A menu's label; X11 sets it flush with the edge, so it gets some room there."""
        return f"  {label}  " if self.app.root.tk.call("tk", "windowingsystem") == "x11" else label

    def set_states(self, menu: tk.Menu, entries: Sequence[Optional[Entry]]) -> None:
        """Grey out what is not possible now, just before a menu opens."""
        shown = [entry for entry in entries if entry is None or entry.key != "quit" or not IS_MAC]
        for index, entry in enumerate(shown):
            if entry is not None:
                menu.entryconfigure(index, state="normal" if self.is_possible(entry.method) else "disabled")
        levels = [player.level for player in self.app.players if player.level] + [self.app.settings["level"]]
        self._level.set(str(levels[0]))

    def is_possible(self, method: str) -> bool:
        """Whether a command has a meaning now."""
        app, game = self.app, self.app.game
        is_over = game.outcome() is not None
        is_persons_turn = app.mode in (Mode.IDLE, Mode.SELECTED) and not app.is_computers_turn
        has_computer = not all(player.is_person for player in app.players)
        conditions = {
            "on_undo": app.undo_count() > 0 or game.is_declared, "on_redo": bool(game.undone),
            "on_first": bool(game.moves), "on_previous": bool(game.moves),
            "on_next": bool(game.undone), "on_last": bool(game.undone),
            "on_hint": is_persons_turn and not is_over, "on_move_now": app.mode is Mode.THINKING,
            "on_pause": has_computer and not is_over, "on_one_move": app.mode is Mode.IDLE and not is_over,
            "on_swap": has_computer, "on_offer_draw": is_persons_turn and not is_over,
            "on_resign": app.has_person and not is_over, "on_previous_game": app.previous_game is not None}
        if app.activity and method in GAME_COMMANDS:
            return method in app.activity.commands()
        return conditions.get(method, True)

    def _add_entry(self, menu: tk.Menu, entry: Entry) -> None:
        accelerator = shortcut_text(entry.shortcut, self.app.texts) if entry.shortcut else ""
        options: Dict[str, Any] = dict(label=self._padded(self.app.texts(entry.key)), accelerator=accelerator,
                                       command=partial(self._call, entry))
        if entry.switch:
            variable = tk.BooleanVar(self.app.root, self.app.settings[entry.switch])
            self.switches[entry.switch] = variable
            menu.add_checkbutton(variable=variable, **options)
        else:
            menu.add_command(**options)

    def _choices(self, menu: tk.Menu, name: str, choices: Dict[Any, str], chosen: Any,
                 method: Callable[[Any], None]) -> tk.StringVar:
        """Fill a menu with radio buttons."""
        variable = tk.StringVar(menu, str(chosen), name=f"{name}_{id(menu)}")
        menu.variable = variable  # type: ignore[attr-defined]  # keeps it alive as long as the menu
        for value, label in choices.items():
            menu.add_radiobutton(label=self._padded(label), value=str(value), variable=variable,
                                 command=partial(method, value))
        return variable

    def _language_menu(self, menu: tk.Menu) -> None:
        self._choices(menu, "language", LANGUAGES, self.app.texts.language, self.app.set_language)

    def _theme_menu(self, menu: tk.Menu) -> None:
        names = {name: self.app.texts("theme_" + name) for name in THEMES}
        self._choices(menu, "theme", names, self.app.settings["theme"], self.app.set_theme)

    def _level_menu(self, menu: tk.Menu) -> None:
        names = {level: self.app.texts("level", level=level) for level in range(1, BEST_LEVEL + 1)}
        self._level = self._choices(menu, "level", names, self.app.settings["level"], self.app.set_level)

    def _recent_menu(self, menu: tk.Menu) -> None:
        for path in self.app.settings["recent"]:
            folder, name = os.path.split(path)
            label = self._padded(f"{name}   ({folder[-40:]})")
            menu.add_command(label=label, command=partial(self.app.files.load, path))
        if not self.app.settings["recent"]:
            menu.add_command(label=self._padded(self.app.texts("no_recent")), state="disabled")

    def _export_menu(self, menu: tk.Menu) -> None:
        for key, of_game, for_print in (("export_board", False, False), ("export_board_print", False, True),
                                        ("export_game", True, False), ("export_game_print", True, True)):
            menu.add_command(label=self._padded(self.app.texts(key)),
                             command=partial(self.app.files.on_export, of_game, for_print))

    def show_context_menu(self, x: int, y: int) -> None:
        """Open the context menu at a place of the screen."""
        if self._context_menu:
            self._context_menu.destroy()
        menu = self._context_menu = self._menu(self.app.root)
        entries = {entry.key: entry for _menu, entries in MENUS for entry in entries if entry is not None}
        shown = [entries[key] for key in CONTEXT_MENU]
        for entry in shown:
            self._add_entry(menu, entry)
        self.set_states(menu, shown)
        self.app.later("menu", 0, partial(menu.tk_popup, x, y))

    def on_shortcut(self, entry: Entry, _event: "tk.Event[Any]") -> str:
        if entry.switch:
            self.switches[entry.switch].set(not self.app.settings[entry.switch])
        self._call(entry)
        return "break"

    def _call(self, entry: Entry) -> None:
        if entry.switch:
            self.app.on_switch(entry.switch)
        elif self.is_possible(entry.method):
            own = self.app.activity.commands() if self.app.activity else {}
            (own.get(entry.method) or operator.attrgetter(entry.method)(self.app))()


class Captions:
    """The sentences beside and below the board: whose turn, what is going on, what to do."""

    def __init__(self, app: "App") -> None:
        self.app = app

    def title(self) -> str:
        if self.app.activity:
            return self.app.activity.title()
        outcome = self.app.game.outcome()
        side = self.app.game.position.turn if outcome is None else outcome.winner
        if side is None:
            return self.app.texts("drawn")
        return self.app.texts("turn" if outcome is None else "wins", side=side)

    def context(self) -> str:
        if self.app.activity:
            return self.app.activity.context()
        outcome = self.app.game.outcome()
        if outcome:
            last = (len(self.app.game.moves) + self.app.game.start.turn + 1) // 2
            return f"{outcome.result} · " + self.app.texts("ended_on", number=last)
        ply = len(self.app.game.moves) + self.app.game.start.turn
        others = [self._player_text(player) for player in self.app.players if not player.is_person]
        if self.app.mode is Mode.THINKING and self.app.has_person:
            others = [self.app.texts("computer_thinks")]
        elif self.app.is_paused and self.app.is_computers_turn:
            others = [self.app.texts("paused")]
        return self.app.texts("move_number", number=ply // 2 + 1) + " · " + (
            " – ".join(others) or self.app.texts("two_players"))

    def _player_text(self, player: Player) -> str:
        key = "against_computer" if self.app.has_person else "level"
        return player.short_name() if player.program else self.app.texts(key, level=player.level)

    def status(self) -> str:
        """The line below the board: a message, the end, what is trapped, or a draw that comes near."""
        outcome = self.app.game.outcome()
        if self.app.preview:
            return self.app.texts("say_preview")
        if self.app.message:
            return self.app.message
        if self.app.activity and self.app.activity.is_editor:
            return ""
        if outcome:
            return self.app.texts("end_" + outcome.reason.name)
        if self.app.notice:
            return self.app.notice
        if self.app.is_computers_turn:
            return self.app.texts("say_paused", key=self.app.pause_key()) if self.app.is_paused else ""
        if self.app.game.position.trapped():
            return self._trapped_text()
        if self.app.game.repetitions() > 1:
            return self.app.texts("say_repetition")
        if self.app.game.quiet_moves() >= QUIET_WARNING:
            return self.app.texts("say_quiet", count=QUIET_MOVES_TO_DRAW - self.app.game.quiet_moves())
        return self.app.texts("say_start") if not self.app.game.moves else ""

    def _trapped_text(self) -> str:
        position, texts = self.app.game.position, self.app.texts
        trapped = position.trapped()
        has_queen = any(position.is_queen(cell) for cell in trapped)
        pieces = ", ".join(texts("piece_queen" if position.is_queen(cell) else "piece_guard", cell=cell_name(cell))
                           for cell in trapped)
        if len(trapped) == 1:
            task = "task_queen" if has_queen else "task_guard"
        elif has_queen:
            task = "task_queen_first" if self.app.game.rules.queen_first else "task_several"
        else:
            task = "task_guards"
        return texts("say_trapped", pieces=pieces, task=texts(task))


# --- 14. Application -------------------------------------------------------------

class App:
    """The window and the one state machine behind it."""

    def __init__(self, root: tk.Tk, engine_command: Command = OWN_ENGINE, path: str = "") -> None:
        self.root = root
        self.is_closed = False
        # Tk objects must be freed by this thread, but Python collects garbage in whichever
        # thread happens to allocate (CPython issue 83274); so it is done here, now and then.
        gc.disable()
        self.settings = Settings()
        self.texts = Texts(self.settings["language"] or system_language(root))
        self.engine_command = engine_command
        self.computer = Computer(self, engine_command)
        self.analyst = Analyst(self, engine_command)
        self.files = Files(self)
        self.menus = Menus(self)
        self.captions = Captions(self)
        self.game = Game()
        self.players: List[Player] = [Player(), Player()]
        self.path = ""
        #: The game that was on the board before the present one.
        self.previous_game: Optional[Running] = None
        #: A position shown in place of the game's, and the move that led to it.
        self.preview: Optional[Tuple[Position, Optional[Move]]] = None
        #: The tour, the puzzles or the set-up, while they have the board.
        self.activity: Optional[Activity] = None
        self.mode = Mode.IDLE
        self.is_paused = False
        self.causes: FrozenSet[Cell] = frozenset()
        self.tried: Optional[Cell] = None
        #: What the status line says until the next action, and what it says whenever there is room.
        self.message = self.notice = ""
        self.hint: Optional[Move] = None
        self.dialog: Optional[tk.Toplevel] = None
        #: Help, search tree and conversation, by the command that opens each.
        self.pages: Dict[str, Page] = {}
        self._plays_one_move = False
        self._finish: Optional[Callable[[], None]] = None
        self._jobs: Dict[str, str] = {}
        self._first_width = 0
        #: The style of buttons that Tk has chosen for this system.
        self._native_style = ttk.Style(root).theme_use()
        self._build()
        self.hand = Hand(self)
        self.moves.text.bind("<Key>", self.hand.on_key)
        self.moves.text.bind("<Return>", self.hand.on_enter)
        self._bind()
        self._apply_look()
        if not self.files.resume():
            self.new_game(self._remembered_game())
        if path:
            self.files.load(path)
        self.view.focus_set()
        self.later("icon", ICON_MS, self._set_icon)

    # -- building --

    def _build(self) -> None:
        root = self.root
        root.title("Agon")
        self._make_fonts()
        self._place_window()
        frame = ttk.Frame(root)
        frame.pack(fill="both", expand=True)
        frame.columnconfigure(0, weight=1)
        frame.rowconfigure(0, weight=1)
        self.view = BoardView(frame, LIGHT)
        self.view.grid(row=0, column=0, sticky="nsew")
        # Two lines are kept free for the status, so that the board never jumps.
        self._status_box = ttk.Frame(frame)
        self._status_box.grid(row=1, column=0, sticky="ew", padx=16, pady=(2, 10))
        self._status_box.pack_propagate(False)
        self.status = ttk.Label(self._status_box, style="Status.TLabel", anchor="n", justify="center")
        self.status.pack(fill="both", expand=True)
        self.panel = ttk.Frame(frame, padding=(8, 16, 16, 14))
        self.panel.grid(row=0, column=1, rowspan=2, sticky="ns")
        self.panel.grid_propagate(False)
        self.panel.columnconfigure(0, weight=1)
        self.panel.rowconfigure(2, weight=1)
        self.title = ttk.Label(self.panel, style="Title.TLabel")
        self.title.grid(row=0, column=0, sticky="ew")
        self.context = ttk.Label(self.panel, style="Context.TLabel")
        self.context.grid(row=1, column=0, sticky="ew", pady=(2, 12))
        self.moves = MoveList(self.panel, self.fonts, self.go_to)
        self.moves.grid(row=2, column=0, sticky="nsew")
        self.analysis = AnalysisPanel(self.panel, self.fonts, self.go_to)
        self.page = SidePage(self.panel, self.view)
        self._button_box = buttons = ttk.Frame(self.panel)
        buttons.grid(row=4, column=0, sticky="ew", pady=(12, 0))
        self.buttons: Dict[str, ttk.Button] = {}
        for column, (key, command) in enumerate((("undo_button", self.on_undo), ("redo_button", self.on_redo),
                                                 ("hint_button", self.on_hint))):
            buttons.columnconfigure(column, weight=1, uniform="buttons")
            self.buttons[key] = ttk.Button(buttons, command=command, takefocus=0, width=1)
            self.buttons[key].grid(row=0, column=column, sticky="ew", padx=(0 if column == 0 else 6, 0))

    def _set_icon(self) -> None:
        """Give the window its icon, once the board is there."""
        self._icon = tk.PhotoImage(master=self.root, data=piece_png(64, LIGHT.black, True), format="png")
        self.root.iconphoto(True, self._icon)

    def _place_window(self) -> None:
        """Put the window where it was last time, if that is still on the screen."""
        root = self.root
        left, top = root.winfo_vrootx(), root.winfo_vrooty()
        screen = (max(root.winfo_vrootwidth(), root.winfo_screenwidth()),
                  max(root.winfo_vrootheight(), root.winfo_screenheight()))
        match = re.fullmatch(r"(\d{1,5})x(\d{1,5})\+(-?\d{1,5})\+(-?\d{1,5})", self.settings["geometry"])
        if not match:
            size = fitted_size(root, self.fonts["body"], FIRST_WIDTH, FIRST_HEIGHT)
            self._first_width = int(size.partition("x")[0])
            root.geometry(size)
            return
        width, height, x, y = (int(number) for number in match.groups())
        width, height = min(width, screen[0]), min(height, screen[1])
        self._first_width = width
        x = max(left, min(x, left + screen[0] - width))
        y = max(top, min(y, top + screen[1] - height))
        root.geometry(f"{width}x{height}+{x}+{y}")

    def _make_fonts(self) -> None:
        base = system_font(self.root).actual()
        points = self.root.winfo_screenheight() / float(self.root.tk.call("tk", "scaling"))
        self._font_size = max(9, abs(int(base["size"])), round(points / SCREEN_TEXT_LINES))
        self.fonts = {name: tkfont.Font(self.root, family=base["family"], size=self._font_size + more)
                      for name, more in FONTS.items()}
        for name in ("heading", "title"):
            self.fonts[name].configure(weight="bold")
        lines = self.root.winfo_screenheight() / self.fonts["body"].metrics("linespace")
        self._largest_zoom = max(0, min(MAX_ZOOM, int(self._font_size * (lines / LINES_ON_SCREEN - 1))))

    def _bind(self) -> None:
        root = self.root
        self.view.bind("<Configure>", self.on_configure)
        root.bind("<FocusOut>", self.hand.on_lost)
        root.bind("<Escape>", self.on_escape)
        for _menu, entries in MENUS:
            for entry in entries:
                if entry is not None and entry.shortcut:
                    for sequence in shortcut_sequences(entry.shortcut):
                        root.bind(sequence, partial(self.menus.on_shortcut, entry))
        # On American keyboards plus needs Shift, so the key without it does, too.
        root.bind("<Command-equal>" if IS_MAC else "<Control-equal>",
                  partial(self.menus.on_shortcut, Entry("", "on_larger")))
        root.bind("<<Redo>>", partial(self.menus.on_shortcut, Entry("redo", "on_redo")))
        root.protocol("WM_DELETE_WINDOW", self.on_close)
        if IS_MAC:
            root.createcommand("::tk::mac::Quit", self.on_close)
            root.createcommand("::tk::mac::ShowHelp", self.on_help)

    # -- look --

    @property
    def theme(self) -> Theme:
        """The colours chosen."""
        return THEMES[self.settings["theme"]]

    @property
    def zoom(self) -> int:
        """By how many points all text is larger than the system's; the screen may be too small for what is wished."""
        return min(int(self.settings["zoom"]), self._largest_zoom)

    def _apply_look(self) -> None:
        """Put colours, text size and language into force everywhere."""
        theme, style, fonts = self.theme, ttk.Style(self.root), self.fonts
        for name, more in FONTS.items():
            fonts[name].configure(size=max(6, self._font_size + self.zoom + more))
        em = fonts["body"].measure("m")
        self.root.minsize(min(max(600, LEAST_WIDTH * em), self.root.winfo_screenwidth()),
                          min(max(440, LEAST_HEIGHT * em), self.root.winfo_screenheight()))
        windowing = self.root.tk.call("tk", "windowingsystem")
        style.theme_use(self._native_style if windowing != "x11" and theme is LIGHT else "clam")
        if windowing == "aqua":  # the window follows its own theme, not the system's dark mode
            self.root.tk.call("::tk::unsupported::MacWindowStyle", "appearance", self.root,
                              "darkaqua" if theme is DARK else "aqua")
        button = mix(theme.window, theme.panel, 0.5)
        style.configure(".", background=theme.window, foreground=theme.text, font=fonts["body"],
                        bordercolor=theme.line, lightcolor=theme.window, darkcolor=theme.window,
                        troughcolor=theme.window, focuscolor=theme.allowed, insertcolor=theme.text)
        style.configure("TButton", padding=(8, 6), background=button, lightcolor=button, darkcolor=button)
        style.map("TButton", background=[("active", theme.panel)],
                  foreground=[("disabled", mix(theme.window, theme.quiet_text, 0.6))])
        for name in ("TRadiobutton", "TCheckbutton"):
            style.configure(name, indicatorbackground=theme.panel, indicatorforeground=theme.text,
                            indicatorsize=round(0.8 * fonts["body"].metrics("ascent")), indicatormargin=(2, 2, 6, 2),
                            upperbordercolor=theme.quiet_text, lowerbordercolor=theme.quiet_text)
            style.map(name, background=[("active", theme.window)],
                      indicatorbackground=[("active", theme.panel)])
        style.configure("TScrollbar", background=button, arrowcolor=theme.quiet_text, troughcolor=theme.panel,
                        lightcolor=button, darkcolor=button, gripcount=0)
        style.map("TScrollbar", background=[("active", theme.line)])
        style.configure("Treeview", background=theme.panel, fieldbackground=theme.panel, foreground=theme.text,
                        rowheight=fonts["body"].metrics("linespace") + 6)
        style.configure("Treeview.Heading", background=button, foreground=theme.text, font=fonts["heading"])
        style.map("Treeview", background=[("selected", theme.allowed)], foreground=[("selected", theme.panel)])
        style.configure("Level.Toolbutton", padding=(4, 4), anchor="center", relief="flat", background=button,
                        bordercolor=theme.line, lightcolor=button, darkcolor=button, borderwidth=1)
        style.configure("TEntry", fieldbackground=theme.panel, foreground=theme.text)
        style.map("Level.Toolbutton", background=[("selected", theme.allowed), ("active", theme.panel)],
                  foreground=[("selected", theme.panel)])
        style.configure("Title.TLabel", font=fonts["title"])
        style.configure("Heading.TLabel", font=fonts["heading"])
        style.configure("Status.TLabel", font=fonts["status"])
        style.configure("Quiet.TLabel", foreground=theme.quiet_text)
        style.configure("Context.TLabel", foreground=theme.quiet_text)
        self.root.configure(background=theme.window)
        self.root.tk.call("::msgcat::mclocale", self.texts.language)  # for Tk's own file dialogs
        self.moves.recolour(theme)
        self.analysis.recolour(theme)
        self.view.recolour(theme, self.settings["ranks"])
        self.menus.build()
        for key, widget in self.buttons.items():
            widget.configure(text=self.texts(key))
        style.configure("Feedback.TLabel", foreground=theme.forbidden, font=fonts["heading"])
        style.configure("Good.TLabel", foreground=theme.allowed, font=fonts["heading"])
        self._lay_out_panel()

    def _lay_out_panel(self) -> None:
        """Give the panel a width that suits the window, and its texts the lines to go with it."""
        em = self.fonts["body"].measure("m")
        window = self.root.winfo_width() if self.root.winfo_ismapped() else self._first_width
        width = int(min(max(0.33 * window, 20 * em), 32 * em, 0.5 * window))
        self.panel.configure(width=width)
        inner = width - 24 - 2 * LABEL_BORDER
        has_page = self.activity is not None
        for widget, row, sticky, is_shown in ((self.page, 2, "nsew", has_page), (self.moves, 2, "nsew", not has_page),
                                              (self.analysis, 3, "ew", self.settings["analysis"] and not has_page),
                                              (self._button_box, 4, "ew", not has_page)):
            if is_shown:
                widget.grid(row=row, column=0, sticky=sticky)
            else:
                widget.grid_remove()
        self.page.arrange(inner)
        for label in (self.title, self.context):
            label.configure(wraplength=inner)
        self._status_width = max(200, window - width - 40)
        lines = 2 if self._status_width > 40 * em else 3
        self._status_box.configure(height=lines * self.fonts["status"].metrics("linespace") + 6)
        self.status.configure(wraplength=self._status_width)
        self.moves.arrange(width - 24, (self.texts("white"), self.texts("black")))

    # -- time --

    def later(self, name: str, milliseconds: int, action: Callable[[], Any]) -> None:
        """Do something later; a new job takes the place of an older one of the same name."""
        self.forget(name)
        self._jobs[name] = self.root.after(milliseconds, self._run_job, name, action)

    def _run_job(self, name: str, action: Callable[[], Any]) -> None:
        self._jobs.pop(name, None)
        action()

    def forget(self, name: str) -> None:
        """Cancel a job that waits."""
        job = self._jobs.pop(name, None)
        if job is not None:
            self.root.after_cancel(job)

    # -- the turn --

    @property
    def player(self) -> Player:
        """Who is to move."""
        return self.players[self.game.position.turn]

    @property
    def is_computers_turn(self) -> bool:
        """Whether the computer is to move, even if it is held up."""
        return not self.player.is_person

    def settle(self) -> None:
        """Go on from the present position: wait for the player, let the computer think, or stop."""
        self.hand.clear()
        self._finish = None
        if self.activity:
            self.mode = Mode.IDLE
            self.activity.on_settled()
        elif self.game.outcome():
            self.mode = Mode.OVER
        elif self.is_computers_turn and self.is_paused and not self._plays_one_move:
            self.mode = Mode.IDLE
        elif self.game.legal_moves() == [PASS] and not self.game.undone:
            self.mode = Mode.ANIMATING
            self.say("say_pass", side=self.game.position.turn)
            self._finish = partial(self.play, PASS)
            self.later("pass", PASS_MS, self.finish)
        elif self.is_computers_turn:
            self.mode = Mode.THINKING
            self.computer.ask_player()
        else:
            self.mode = Mode.IDLE
        self.render()
        self.analyst.begin()
        if "garbage" not in self._jobs:
            self.later("garbage", GARBAGE_MS, gc.collect)

    def interrupt(self) -> None:
        """Stop whatever is going on, before the game is changed."""
        for name in ("glide", "pass", "lesson"):
            self.forget(name)
        self.computer.cancel()
        self.analyst.rest()
        self.clear_marks()
        self.hand.clear()
        self._finish = None
        self._plays_one_move = False
        self.preview = None
        self.mode = Mode.IDLE

    def finish(self) -> None:
        """Bring what runs by itself to its end at once."""
        for name in ("glide", "pass"):
            self.forget(name)
        finish, self._finish = self._finish, None
        self.hand.carried = ()
        if finish:
            finish()

    def play(self, move: Move, origin: Optional[Point] = None) -> None:
        """Play a legal move; the piece glides from `origin` (in pixels), or from its cell."""
        is_persons = not self.is_computers_turn
        self.interrupt()
        if is_persons:
            self.is_paused = False
            self.notice = ""
        self.game.play(move)
        self.files.autosave()
        origins = {}
        if move.source is not None and move.target is not None:
            origins[move.target] = origin or self.view.layout.centre(move.source)
        self.glide(origins, SNAP_MS if origin else GLIDE_MS, self.settle)

    def attempt(self, move: Move, dropped_at: Optional[Point]) -> None:
        """Play the player's move, or say why not and mark the cells that forbid it."""
        if self.game.refusal(move) is None:
            self.play(move, dropped_at)
            return
        self.refuse(move)
        if dropped_at is None or self.hand.selected is None:
            self.hand.put_down()
        else:
            self.glide_home(self.hand.selected, dropped_at)

    def refuse(self, move: Move) -> None:
        """Say why a move is illegal and mark the cells that make it so."""
        refusal = self.game.refusal(move)
        if refusal is not None:
            self.say("no_" + refusal.name)
            self.causes = frozenset(self.game.position.causes(move, self.game.rules))
            self.tried = move.target
            if self.activity:
                self.activity.on_refused(refusal)

    # -- animation --

    def glide_home(self, cell: Cell, point: Point) -> None:
        """Let a carried piece glide back to its cell; nothing has been moved."""
        self.glide({cell: point}, GLIDE_MS, self._land)

    def _land(self) -> None:
        self.mode = Mode.IDLE
        self.hand.clear()
        self.render()

    def glide(self, origins: Dict[Cell, Point], duration: int, then: Callable[[], None]) -> None:
        """Let the pieces of some cells glide home, each from a point (in pixels), then go on."""
        self.hand.clear()
        self._finish = then
        if not self.settings["animation"] or not origins:
            self.finish()
            return
        self.mode = Mode.ANIMATING
        self._glide_step(origins, time.monotonic(), duration / 1000)
        self.render()

    def _glide_step(self, origins: Dict[Cell, Point], begin: float, seconds: float) -> None:
        share = (time.monotonic() - begin) / seconds
        if share >= 1:
            self.finish()
            return
        left = (1 - share) ** 3  # fast at first, gentle at the end
        homes = {cell: self.view.layout.centre(cell) for cell in origins}
        self.hand.carried = tuple(
            (cell, (x + (origins[cell][0] - x) * left, y + (origins[cell][1] - y) * left))
            for cell, (x, y) in homes.items())
        self.render_board()
        self.later("glide", FRAME_MS, partial(self._glide_step, origins, begin, seconds))

    # -- the computer --

    def show_hint(self, move: Move) -> None:
        """Show a move as an arrow."""
        self.hint = move
        self.say("say_hint", move=self.game.position.describe(move, self.game.rules))
        self.render()

    # -- what is shown --

    def say(self, text_key: str, **values: object) -> None:
        """Put a sentence into the status line."""
        self.message = self.texts(text_key, **values)

    def say_whose_turn(self) -> None:
        """Say why the player has to wait."""
        self.say("say_paused" if self.is_paused else "say_wait", key=self.pause_key())

    def pause_key(self) -> str:
        return shortcut_text(PAUSE_KEY, self.texts)

    def say_error(self, error: AgonError) -> None:
        """Put an error into the status line."""
        self.message = self.error_text(error)

    def reason_text(self, number: object, otherwise: object) -> object:
        """Why the system has refused something, by its error number."""
        key = "errno_" + errno.errorcode.get(number, "") if isinstance(number, int) else ""
        return self.texts(key) if key in TEXTS else otherwise

    def error_text(self, error: AgonError) -> str:
        """An error as a sentence in the language chosen, with its place."""
        details = dict(error.details)
        if isinstance(error, IllegalMove):
            details["reason"] = self.texts("no_" + error.refusal.name)
        elif "number" in details:
            details["reason"] = self.reason_text(details["number"], details["reason"])
        text = self.texts("error_" + error.code, **details)
        place = [os.path.basename(error.path)] if error.path else []
        place += [self.texts("line", number=error.line)] if error.line else []
        return ": ".join(place + [text])

    def clear_marks(self) -> None:
        """Forget message, hint and the cells marked by the last try."""
        self.message, self.causes, self.tried, self.hint = "", frozenset(), None, None

    def picture(self) -> Picture:
        """The board as it is to be shown now."""
        game, hand = self.game, self.hand
        if self.preview:
            position, last = self.preview
            return Picture(position=position, last=last, trapped=frozenset(position.trapped()))
        arrows = (self.hint,) if self.hint else self.analyst.best_moves() if self.mode is Mode.IDLE else ()
        return Picture(
            position=game.position, selected=hand.selected, targets=hand.targets(), hovered=hand.hovered,
            trapped=frozenset(game.position.trapped()) if not game.outcome() else frozenset(),
            causes=self.causes, tried=self.tried, winners=self._winners(), last=game.moves[-1] if game.moves else None,
            arrows=arrows, cursor=hand.cursor, carried=hand.carried)

    def _winners(self) -> FrozenSet[Cell]:
        outcome = self.game.outcome()
        if outcome is None or outcome.reason is not Ending.THRONE:
            return frozenset()
        return frozenset((THRONE, *NEIGHBOURS[THRONE]))

    def render_board(self) -> None:
        """Show the present state of the board alone."""
        self.view.render(self.picture())

    def render(self) -> None:
        """Show the present state everywhere."""
        if self.is_closed:
            return
        self.render_board()
        name = os.path.basename(self.path)
        self.root.title(f"{name} – Agon" if name else "Agon")
        self.title.configure(text=self.captions.title())
        self.context.configure(text=self.captions.context())
        self._render_status(self.captions.status())
        if self.activity:
            self.activity.show()
        self.moves.show(self.game.descriptions(with_undone=True), len(self.game.moves), self.game.start.turn)
        for key, method in (("undo_button", "on_undo"), ("redo_button", "on_redo"), ("hint_button", "on_hint")):
            self.buttons[key].state(["!disabled" if self.menus.is_possible(method) else "disabled"])

    def _render_status(self, text: str) -> None:
        """Show the status in the largest letters in which all of it can be read."""
        height = int(self._status_box.cget("height"))
        for name in STATUS_FONTS:
            font = self.fonts[name]
            if wrapped_lines(text, font, self._status_width) * font.metrics("linespace") <= height:
                break
        self.status.configure(text=text, font=font)

    def on_configure(self, _event: object) -> None:
        """The canvas has another size: arrange the board once the events have run out."""
        self.hand.on_lost()
        if "arrange" not in self._jobs:
            self._jobs["arrange"] = self.root.after_idle(self._run_job, "arrange", self.arrange)

    def arrange(self) -> None:
        """Fit board and panel to the window."""
        if self.mode is Mode.ANIMATING and self.hand.carried:
            self.finish()
        self._lay_out_panel()
        self.view.arrange(self.view.winfo_width(), self.view.winfo_height(), self.settings["flipped"])
        self.later("rest", REST_MS, self.view.renew_images)

    # -- game commands --

    def _remembered_game(self) -> NewGame:
        settings = self.settings
        return NewGame((settings["white"], settings["black"]), settings["level"], settings["by_lot"],
                       Rules(settings["queen_first"], settings["empty_throne_loses"]))

    def on_new_game(self) -> None:
        """Open the New game dialog."""
        self.hand.put_down()
        self.dialog = NewGameDialog(self.root, self.texts, self._remembered_game(), self.start_game)

    def start_game(self, wanted: NewGame) -> None:
        """Begin the game that the dialog describes, and remember it for the next time."""
        self.files.remember(white=wanted.levels[WHITE], black=wanted.levels[BLACK], level=wanted.level,
                      by_lot=wanted.by_lot, queen_first=wanted.rules.queen_first,
                      empty_throne_loses=wanted.rules.empty_throne_loses)
        people = [level == 0 for level in wanted.levels]
        if people[WHITE] != people[BLACK]:
            self.files.remember(flipped=people[BLACK])
        self.menus.build()
        self.new_game(wanted)
        self.arrange()
        self.files.autosave()

    def new_game(self, wanted: NewGame) -> None:
        """Begin a game."""
        turn = random.choice((WHITE, BLACK)) if wanted.by_lot else WHITE
        players = [Player(level) for level in wanted.levels]
        self.adopt(Game(Position.start(turn), wanted.rules, {"Date": time.strftime("%Y.%m.%d")}), players)

    def adopt(self, game: Game, players: Sequence[Player], path: str = "", is_paused: bool = False) -> None:
        """Put another game on the board; the computer waits, if it is paused or moves can be played again."""
        self.interrupt()
        old = self.activity.before if self.activity else self.running
        if old[0] is not game and (old[0].moves or old[0].undone):
            self.previous_game = old
        self.activity = None
        self._lay_out_panel()
        self.view.focus_set()
        self.hand.cursor = None
        self.game, self.players, self.path = game, list(players), path
        self.is_paused = is_paused or bool(game.undone)
        self.computer.end_unused_programs()
        self.settle()

    def on_previous_game(self) -> None:
        """Bring back the game that the present one has replaced."""
        if self.previous_game:
            self.adopt(*self.previous_game)
            self.files.autosave()

    def undo_count(self) -> int:
        """How many moves Undo takes back: to the player's own turn, if the computer plays too."""
        turn, moves = self.game.position.turn, self.game.moves
        if not self.has_person:
            return min(1, len(moves))
        for count in range(1, len(moves) + 1):
            if self.players[(turn + count) % 2].is_person and moves[-count] != PASS:
                return count
        return 0

    def on_undo(self) -> None:
        """Take back the last move, and the computer's answer with it; or a resignation."""
        if self.game.is_declared:
            self.interrupt()
            self.game.reopen()
            self.files.autosave()
            self.settle()
        else:
            self._travel(-self.undo_count())

    def on_redo(self) -> None:
        """Play again what was taken back, up to the player's next turn."""
        turn, undone = self.game.position.turn, self.game.undone
        count = 1 if undone else 0
        while 0 < count < len(undone) and not self.players[(turn + count) % 2].is_person and self.has_person:
            count += 1
        self._travel(count)

    def take_back(self) -> None:
        """Take one move back, its piece gliding home."""
        self._travel(-1)

    @property
    def running(self) -> Running:
        """The game on the board with all that adopt() needs to bring it back."""
        return self.game, self.players, self.path, self.is_paused

    @property
    def has_person(self) -> bool:
        return any(player.is_person for player in self.players)

    def _travel(self, count: int) -> None:
        """Take moves back (below 0) or play them again (above 0); their pieces glide all at once."""
        if not count:
            return
        self.interrupt()
        self.is_paused = not self.has_person
        came_from: Dict[Cell, Cell] = {}
        for _ in range(abs(count)):
            move = self.game.undo() if count < 0 else self.game.redo()
            if move is not None and move.source is not None and move.target is not None:
                here, there = (move.target, move.source) if count < 0 else (move.source, move.target)
                came_from[there] = came_from.pop(here, here)
        self.files.autosave()
        self.glide({cell: self.view.layout.centre(origin) for cell, origin in came_from.items()}, GLIDE_MS, self.settle)

    def go_to(self, ply: int) -> None:
        """Show the game after this many moves; a computer whose turn it is there waits."""
        played = len(self.game.moves)
        ply = max(0, min(ply, played + len(self.game.undone)))
        if ply == played:
            return
        self.interrupt()
        for _ in range(abs(ply - played)):
            if ply < played:
                self.game.undo()
            else:
                self.game.redo()
        self.is_paused = True
        self.files.autosave()
        self.settle()

    def on_first(self) -> None:
        """Go to the start of the game."""
        self.go_to(0)

    def on_previous(self) -> None:
        """Go back one move."""
        self.go_to(len(self.game.moves) - 1)

    def on_next(self) -> None:
        """Go forward one move."""
        self.go_to(len(self.game.moves) + 1)

    def on_last(self) -> None:
        """Go to the last move of the game."""
        self.go_to(len(self.game.moves) + len(self.game.undone))

    def on_hint(self) -> None:
        """Ask the engine what it would play here."""
        if self.mode in (Mode.IDLE, Mode.SELECTED) and not self.is_computers_turn and not self.computer.asked.is_busy:
            self.hand.on_escape()
            self.say("say_thinking")
            self.render()
            self.computer.ask("hint", BEST_LEVEL, f"go movetime {HINT_MS}")

    def on_move_now(self) -> None:
        """Let the computer play the best move it has found so far."""
        if self.mode is Mode.THINKING:
            self.computer.asked.hurry()

    def on_pause(self) -> None:
        """Hold the computer up, or let it go on."""
        if self.is_paused:
            self.is_paused = False
            self.clear_marks()
            if self.mode is Mode.IDLE:
                self.settle()
        else:
            self.interrupt()
            self.is_paused = True
            self.settle()

    def on_one_move(self) -> None:
        """Let the computer play a single move for the side to move, whoever plays it."""
        if self.mode not in (Mode.IDLE, Mode.SELECTED) or self.game.outcome():
            return
        self.interrupt()
        if self.is_computers_turn:
            self._plays_one_move = True
            self.settle()
        else:
            self.mode = Mode.THINKING
            self.render()
            self.computer.ask("move", self.settings["level"])

    def set_level(self, level: int) -> None:
        """Change the computer's level in the running game."""
        self.files.remember(level=level, **{name: level for name in ("white", "black") if self.settings[name]})
        self._change_players([Player(level) if player.level else player for player in self.players])

    def on_swap(self) -> None:
        """Change sides with the computer."""
        self._change_players(self.players[::-1])

    def _change_players(self, players: List[Player]) -> None:
        if self.activity:
            return
        self.interrupt()
        self.players = players
        self.computer.end_unused_programs()
        self.files.autosave()
        self.settle()

    def on_resign(self) -> None:
        """Ask whether the player whose turn it is really gives up."""
        if not self.game.outcome():
            side = self.game.position.turn if not self.is_computers_turn else 1 - self.game.position.turn
            self.hand.put_down()
            both = all(player.is_person for player in self.players)
            question = self.texts("ask_side_to_resign", side=side) if both else self.texts("ask_resign")
            dialog = MessageDialog(self.root, self.texts("resign_yes"), question, self.texts("resign_yes"),
                                   self.texts("cancel"), partial(self._resign, side))
            self.dialog = dialog
            dialog.cancel_button.focus_set()

    def _resign(self, side: int, _result: object) -> None:
        self.interrupt()
        self.game.resign(side)
        self.files.autosave()
        self.settle()

    def on_offer_draw(self) -> None:
        """Explain when a game is drawn by itself, and offer a draw to the other side."""
        if not self.game.outcome() and not self.is_computers_turn:
            self.hand.put_down()
            explanation = self.texts("draw_text", repetitions=self.game.repetitions(), quiet=self.game.quiet_moves())
            self.dialog = MessageDialog(self.root, self.texts("draw_title"), explanation, self.texts("draw_yes"),
                                        self.texts("cancel"), self._offer_draw)

    def _offer_draw(self, _result: object) -> None:
        side = self.game.position.turn
        if self.players[1 - side].is_person:
            question = self.texts("ask_draw", side=side)
            self.dialog = MessageDialog(self.root, self.texts("draw_title"), question, self.texts("accept"),
                                        self.texts("decline"), self._agree_draw)
        else:
            self.say("say_thinking")
            self.render()
            self.computer.ask("draw", BEST_LEVEL, f"go movetime {HINT_MS}")

    def _agree_draw(self, _result: object) -> None:
        self.interrupt()
        self.game.agree_draw()
        self.files.autosave()
        self.settle()

    # -- classroom --

    def _begin(self, kind: Type[Activity]) -> None:
        """Let an activity take the board over."""
        if self.activity:
            self.activity.close()
        self.interrupt()
        self.activity = kind(self)
        self._lay_out_panel()
        self.view.focus_set()
        self.activity.begin()

    def on_tour(self) -> None:
        """Open the tour through the rules."""
        self._begin(Tour)

    def on_puzzles(self) -> None:
        """Open the puzzles."""
        self._begin(PuzzleBook)

    def on_set_up(self) -> None:
        """Set up a position."""
        self._begin(SetUp)

    def on_tree(self) -> None:
        """Show how minimax thinks about the position on the board."""
        self.hand.put_down()
        self._open_page("on_tree", TreeWindow(self))

    def _open_page(self, method: str, page: Page) -> None:
        """Remember a window that stays open beside the game; there is one of each kind."""
        old = self.pages.get(method)
        if old is not None and old.winfo_exists():
            old.destroy()
        self.pages[method] = page
        self.dialog = page

    def show_preview(self, position: Optional[Position], move: Optional[Move]) -> None:
        """Show another position on the board, and the move that led there; None shows the game again."""
        self.preview = None if position is None else (position, move)
        self.render()

    def on_own_program(self) -> None:
        """Ask for a program of one's own and let it play."""
        self.hand.put_down()
        self.dialog = ProgramDialog(self.root, self.texts, self.settings["program"], self._let_program_play)

    def _let_program_play(self, answer: Tuple[int, str]) -> None:
        side, text = answer
        self.files.remember(program=text)
        players = [Player(), Player()]
        players[side] = Player(program=program_command(text))
        self.adopt(Game(rules=self.game.rules, headers={"Date": time.strftime("%Y.%m.%d")}), players)

    def on_output(self) -> None:
        """Show what the program that plays and this window say to each other."""
        self._open_page("on_output", OutputWindow(self))

    # -- files --

    def show_error(self, error: AgonError) -> None:
        """Show an error in a dialog."""
        self.dialog = MessageDialog(self.root, "Agon", self.error_text(error), self.texts("ok"))

    # -- view commands --

    def on_switch(self, name: str) -> None:
        """Take over a setting that has just been switched in its menu."""
        self.files.remember(**{name: self.menus.switches[name].get()})
        self._apply_look()
        self.arrange()
        self.render()
        if name == "analysis":
            self.analyst.begin()

    def on_flip(self) -> None:
        """Show the other side below."""
        if self.mode is Mode.ANIMATING and self.hand.carried:
            self.finish()
        self.hand.put_down()
        self.files.remember(flipped=not self.settings["flipped"])
        self.arrange()

    def set_language(self, language: str) -> None:
        """Take another language, at once."""
        self.texts.language = language
        self.message = self.notice = ""
        self._change_look(language=language)

    def set_theme(self, theme: str) -> None:
        """Take other colours, at once."""
        self._change_look(theme=theme)

    def on_larger(self) -> None:
        """Make all text larger."""
        self._change_look(zoom=min(self._largest_zoom, self.zoom + 1))

    def on_smaller(self) -> None:
        """Make all text smaller."""
        self._change_look(zoom=max(MIN_ZOOM, self.zoom - 1))

    def _change_look(self, **values: Any) -> None:
        self.files.remember(**values)
        self._apply_look()
        for page in self.pages.values():
            if page.winfo_exists():
                page.dress()
        self.render()
        self.analyst.show()

    def on_full_screen(self) -> None:
        """Fill the screen, or leave it again."""
        self.root.attributes("-fullscreen", not self.root.attributes("-fullscreen"))

    def on_escape(self, _event: object = None) -> None:
        """Put the picked piece back; with nothing picked, leave the full screen."""
        if self.mode in (Mode.IDLE, Mode.OVER, Mode.THINKING) and self.root.attributes("-fullscreen"):
            self.on_full_screen()
        self.hand.on_escape()
        self.view.focus_set()

    def on_help(self) -> None:
        """Show rules and keys in a window of their own."""
        self._open_page("on_help", HelpWindow(self))

    def on_about(self) -> None:
        """Say what this is and what it runs on."""
        message = self.texts("about_text", version=VERSION, python=sys.version.split()[0],
                             tk=self.root.tk.call("info", "patchlevel"))
        self.dialog = MessageDialog(self.root, self.texts("about"), message, self.texts("ok"))

    def on_close(self) -> None:
        """End at once, whatever is going on."""
        if self.is_closed:
            return
        self.is_closed = True
        if self.root.state() == "normal" and not self.root.attributes("-fullscreen"):
            self.files.remember(geometry=self.root.geometry())
        self.computer.close()
        self.analyst.engine.close()
        self.files.close()
        for name in list(self._jobs):
            self.forget(name)
        self.root.destroy()
        gc.enable()


def main() -> None:
    """Open the window."""
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
    App(root, path=sys.argv[1] if len(sys.argv) > 1 else "")
    root.mainloop()


if __name__ == "__main__":
    main()
