"""How a user objects to what contradicts its wishes: when, to which detail, in which words."""

import re
from collections.abc import Sequence

from crab_graph.personas.briefing import Reason
from crab_graph.personas.declined_cards import is_declined, method_words
from crab_graph.personas.error_reactions import Reaction, gives_up, warns
from crab_graph.personas.fact_answers import name_detail
from crab_graph.personas.founded_denials import stands_in
from crab_graph.personas.own_tools import CARD_FACT
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.ways_out import offers_ways_out
from crab_graph.text.phrases import TerminalToken

_ASKS_WHAT_WRONG = re.compile(
    r"\b(?:what|which)\b[^.?!\n]{0,30}\b(?:wrong|incorrect|mistaken|not right|amiss)\b[^.!\n]*\?"
)
"""Asks what of the notes was wrong that the user said was."""


def objects(turn: Turn) -> bool:
    """Tell whether to object: to what is proposed, but no more to what was booked and paid.

    Of what is openly said to miss a wish, since nothing meets all, nobody need be told.
    """
    reading = turn.reading
    is_over = reading.claims_done and not (reading.asks_booking or reading.asks_wallet)
    # What was only told about is made exact where it is played back, and no plan is put.
    is_played = not (reading.ids or reading.asks_booking) and all(
        key in turn.playback.wrong and not turn.memory.record.is_settled(key)
        for key in turn.conflicts
    )
    return bool(turn.conflicts) and not (is_over or is_played or offers_ways_out(turn))


def objection(turn: Turn) -> Decision | None:
    """Return the turn that objects to a plan or to a card that is not meant, if there is one."""
    if objects(turn):
        return _object(turn, turn.conflicts)
    asks = turn.reading.asks_wallet and not turn.is_due
    wallet = turn.wallet
    is_named = wallet.method_id in turn.reading.ids
    is_choice = bool(wallet.earlier) and (is_named or is_declined(turn.reading))
    if asks and wallet.names_other_card(turn.reading) and not is_choice:
        if wallet.earlier and wallet.method_id is not None:
            words = (turn.speaker.phrase("other_card"), method_words(turn))
            return Decision(words)
        return name_detail(turn, "other_card", CARD_FACT, Reason.CORRECTED)
    return _explanation(turn)


def _explanation(turn: Turn) -> Decision | None:
    """Return the turn that says what was wrong, to one that was told only that something is."""
    key, reading = turn.memory.errors.hinted, turn.reading
    asks_what = _ASKS_WHAT_WRONG.search(reading.utterance.text) is not None
    if key is None and asks_what and not turn.playback.states:
        return _what_was_wrong(turn)
    is_past = reading.asks_booking or reading.asks_wallet or reading.claims_done
    if key is None or key not in turn.facts or is_past:
        return None
    if stands_in(reading.utterance.text, key, turn.briefing):
        # The agent has found it itself.
        return None
    corrected = (key, Reaction.CORRECTED)
    return name_detail(turn, "explain", key, Reason.CORRECTED, reaction=corrected)


def _what_was_wrong(turn: Turn) -> Decision:
    """Say once more what was corrected last, to one that asks which that was; else that all is."""
    corrected = [
        str(row["key"])
        for row in turn.memory.record.rows
        if row.get("reason") == Reason.CORRECTED and row["key"] in turn.facts
    ]
    if not corrected:
        return turn.say("nothing_wrong", is_answer=True, is_content=True)
    fact = turn.facts[corrected[-1]]
    return Decision((turn.speaker.fact(fact),), told=told_as_asked([fact]), is_answer=True)


def _object(turn: Turn, keys: Sequence[str]) -> Decision:
    """Name the one detail that is contradicted, the one objected to least often so far.

    The agent cannot be blamed for one that it is told now: it is worded as news. Under D4 a user
    may say only that something is wrong, and gives up on what is wrong again.
    """
    record, errors, behavior = turn.memory.record, turn.memory.errors, turn.behavior
    key = min(keys, key=lambda one: record.times(one, Reason.CORRECTED))
    if key not in turn.facts:
        return turn.say("object")
    if not record.has(key):
        act = "adds_late" if f"?{key}" in turn.memory.seen else "adds_wish"
        return name_detail(turn, act, key, Reason.CORRECTED)
    if record.is_slip(key):
        reaction = (key, Reaction.CORRECTED)
        return name_detail(turn, "misspoke", key, Reason.CORRECTED, reaction=reaction)
    if gives_up(key, behavior, errors):
        gave_up = (key, Reaction.GAVE_UP)
        return turn.say("give_up", token=TerminalToken.STOP, reaction=gave_up)
    hints = turn.speaker.happens("hint", 1 - behavior.names_errors)
    if hints and errors.hinted is None:
        return turn.say("object", reaction=(key, Reaction.HINTED))
    # What was said vaguely is no error of the agent's yet.
    is_warned = warns(key, behavior, errors) and record.is_settled(key)
    warning = turn.speaker.phrase("warn_repeat") if is_warned else ""
    return name_detail(
        turn,
        "object_to",
        key,
        Reason.CORRECTED,
        tail=(warning,) if warning else (),
        reaction=(key, Reaction.CORRECTED),
    )
