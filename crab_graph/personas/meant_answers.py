"""How a user answers a message whose whole says what it wants, whatever words its clauses have."""

import re
from collections.abc import Callable, Mapping

from crab_graph.personas.briefing import Fact
from crab_graph.personas.fact_choice import chosen_facts
from crab_graph.personas.fact_scopes import is_named
from crab_graph.personas.party_questions import names_of, who_writes
from crab_graph.personas.pinned_facts import meant_wishes
from crab_graph.personas.plan_answers import wants_yes
from crab_graph.personas.sought_facts import asked_facts, asks_openly, new_facts
from crab_graph.personas.standing_wishes import has_just_changed
from crab_graph.personas.stated_values import clock_hours
from crab_graph.personas.turns import Decision, Turn, told_as_asked
from crab_graph.personas.unwished import asked_unwished
from crab_graph.personas.wordbook import ValueForm
from crab_graph.text.phrases import TerminalToken

OF_RULES = frozenset({"rule_hours", "hours"})
"""What a message means that asks of a rule that was told what a word answers."""
_CARD = re.compile(r"\b(?:cards?|visa|mastercard|amex|american express|daily|per day)\b")
"""What is about a card, or what it bears."""
_CARD_LIMIT = re.compile(
    r"\b(?:have|has|is there|know of)\b[^?]{0,30}\b(?:limit|cap|maximum|ceiling)\b[^?]*\?"
)
"""Asks whether a card bears only so much."""
_ORDER = re.compile(
    r"\b(?:at once|together|in one go|one by one|one after the other|singly|separately|first)\b"
    r"[^?]*,? or \b[^?]*\?|\bor\b[^?]{0,40}\b(?:order|sequence)\b[^?]*\?"
    r"|\bor (?:just )?wait\W*\?"
)
"""Asks in which order to do what is left, or whether all at once."""
_AT_ONCE = re.compile(
    r"\b(?:at once|in one go|together)\b[^?]*,? or (?:\w+ )?"
    r"(?:one by one|one after|separately)\b[^?]*\?"
)
"""Asks whether to do all at once or one by one."""
_KNOWS_HOW = re.compile(
    r"\b(?:do you know|are you able to see|can you see|do you see) (?:how|where)\b[^?]*\?"
)
"""Asks whether to explain something."""
_TIME_OK = re.compile(
    r"\b(?:is|are|would|will)\b[^?]*\b\d\d?(?::\d\d| ?[ap]\.?m\b)[^?]{0,60}"
    r"\b(?:ok(?:ay)?|acceptable|too (?:early|late)|al(?:l )?right|fine)\b[^?]*\?"
    r"|\b\d\d?(?::\d\d| ?[ap]\.?m\b)[^?]{0,60}\btoo (?:early|late)\b[^?]*\?"
)
_TIME_TOLD = re.compile(
    r"\b\d\d?:\d\d\b[^?$]{0,90}\. (?:is|would|will) (?:that|this|it|such a time) (?:be )?"
    r"(?:ok(?:ay)?|acceptable|too (?:early|late)|al(?:l )?right|fine)\b[^?]{0,24}\?",
    re.I,
)
"""Asks whether a time will do."""
_UPDATES = re.compile(r"\b(?:update|change|amend|correct)\b[^?]*\?")
"""Offers to store something else."""
_DAY_COUNTS = re.compile(
    r"\b(?:same|next|following) day\b[^?]*\b(?:fine|ok(?:ay)?|counts?|al(?:l )?right|possible"
    r"|included?|allowed)\b[^?]*\?"
)
"""Asks whether a day is one of those that a bound of days leaves."""
_LETTERED = re.compile(r"(?m:^)\W*A[).:].*(?:\$|\d:\d\d).*\n+\W*B[).:].*(?:\$|\d:\d\d)", re.I)
"""Two offers to choose from, without ids."""
_WHICHEVER = re.compile(r"\bwhichever (?:that|it|this) (?:is|may be)\b", re.I)
"""Says that it may be any."""
_SPELLS = re.compile(r"\bspell(?:ed|ing|t|s)?\b|\bletter by letter\b")
"""Asks how something is spelled."""
_BARE_TAG = re.compile(r"\W*(?:so,? |is (?:that|this) |all )*(?:right|correct|true|so)\W*\?\W*")
"""Asks if what was said is right, in a word."""


def answer_meant(turn: Turn) -> Decision | None:
    """Return the turn that answers what a message as a whole means; `None` where that is nothing.

    What it plays back wrongly, or offers otherwise than it is wished, is spoken of first.
    """
    if turn.playback.beyond or turn.conflicts:
        return None
    # Hours of which only is asked if they are those of the end are noted wrongly in no other way.
    if turn.playback.wrong and turn.reading.meant != "lands":
        return None
    if _only_checks(turn):
        return None
    answer = _ANSWERS.get(_shown(turn) or turn.reading.meant)
    return None if answer is None else answer(turn)


def _only_checks(turn: Turn) -> bool:
    """Tell whether all that a message asks is, in a word, if what it plays back is right."""
    asked = [one.text for one in turn.reading.segments if one.is_request]
    is_check = turn.reading.confirms and turn.playback.states and bool(asked)
    return is_check and all(map(_BARE_TAG.fullmatch, asked))


def _shown(turn: Turn) -> str:
    """Return what a question means that plain words of it show; else empty."""
    asked = [one.text for one in turn.reading.segments if one.is_request]
    is_dealing = bool(turn.wallet.bookings)
    if any(map(_SPELLS.search, asked)):
        return "" if turn.playback.is_asked or turn.reading.asks_wallet else "spelling"
    is_due = turn.reading.asks_wallet or turn.reading.tells_of_failed_card
    if any(_CARD_LIMIT.search(text) and _CARD.search(text) for text in asked) and not (
        turn.reading.tells_of_failed_card and turn.wallet.earlier
    ):
        return "card_limit"
    if any(_ORDER.search(text) if is_dealing else _AT_ONCE.search(text) for text in asked):
        return "either_way"
    if any(map(_KNOWS_HOW.search, asked)) and not is_due:
        return "knows_how"
    is_of_time = any(map(_TIME_OK.search, asked)) or _TIME_TOLD.search(turn.text) is not None
    if is_of_time and not turn.reading.ids:
        return "time_ok"
    if any(map(_DAY_COUNTS.search, asked)):
        return "day_counts"
    is_open = not turn.reading.ids and turn.choice is None
    return "trade_off" if is_open and _LETTERED.search(turn.text) else ""


def answer_guessed(turn: Turn) -> Decision | None:
    """Return the turn that answers what a message means that nothing else has understood."""
    answer = _ANSWERS.get(turn.reading.guessed)
    return None if answer is None else answer(turn)


def thanked(turn: Turn) -> Decision:
    """End the dialogue, with a word on what is asked beside that all is done."""
    reading = turn.reading
    asks = any(one.is_request and not one.says("open", "closing") for one in reading.segments)
    is_extra = reading.offers_extra or "extra" in (reading.meant, reading.guessed)
    act = ""
    if asks and _own_mails(turn, reading.utterance.text):
        act = "yes"
    elif asks and (reading.asks_foreign or is_extra):
        is_offer = any(_UPDATES.search(one.text) for one in reading.segments if one.is_request)
        act = "not_at_hand" if reading.asks_foreign and not is_offer else "no_extra"
    parts = (turn.speaker.phrase(act),) if act else ()
    return Decision((*parts, turn.speaker.phrase("thanks_end")), token=TerminalToken.STOP)


def _start(turn: Turn) -> Decision | None:
    """Have the agent begin to look, where nothing is left to say and nothing was offered."""
    reading = turn.reading
    if new_facts(turn) or turn.wallet.bookings or reading.ids or reading.asked:
        return None
    return turn.say("start", is_answer=True, is_content=True, moved=True)


def _choose(turn: Turn) -> Decision | None:
    """Say by what to choose, where nothing is offered yet."""
    is_of_other = turn.reading.ids or turn.reading.asks_of_extra or asked_unwished(turn)
    return None if is_of_other else _by_wish(turn)


def _trade(turn: Turn) -> Decision | None:
    """Say by what to choose where something dearer has what no wish is of."""
    return None if wants_yes(turn) or turn.choice is not None else _by_wish(turn)


def _by_wish(turn: Turn) -> Decision:
    """Say by what to choose: a wish for what costs least, else whatever fits."""
    undecided = turn.briefing.lexicon.undecided
    told = [fact for key, fact in turn.facts.items() if key in undecided]
    others = [one for one in chosen_facts(turn) if one not in told and _is_left(turn, one)]
    parts = [turn.speaker.fact(one) for one in (*told, *others)]
    parts = parts if told else [turn.speaker.phrase("you_choose"), *parts]
    return Decision(
        tuple(parts),
        told=told_as_asked([*told, *others]),
        is_answer=True,
        is_content=True,
        moved=True,
    )


def _is_left(turn: Turn, fact: Fact) -> bool:
    return fact.key in asked_facts(turn) and not turn.memory.record.is_settled(fact.key)


def _confirm_change(turn: Turn) -> Decision | None:
    """Affirm that a change was understood, and say it once more."""
    keys = turn.memory.record.told_last
    facts = [turn.facts[key] for key in keys if key in turn.facts]
    beside = [key for key in asked_facts(turn) if key not in keys]
    if not facts or beside or asks_openly(turn) or not has_just_changed(turn):
        return None
    parts = (turn.speaker.phrase("right"), *map(turn.speaker.fact, facts))
    return Decision(parts, told=told_as_asked(facts), is_answer=True, is_content=True)


def _name_oneself(turn: Turn) -> Decision | None:
    """Say who it is that writes."""
    if turn.playback.is_asked or new_facts(turn) or turn.reading.asked:
        return None
    said = who_writes(turn.briefing, turn.memory.record)
    words = turn.speaker.phrase(said.act, name=said.name)
    return Decision((words,), is_answer=True, is_content=True, moved=True)


def _any_one(turn: Turn) -> Decision | None:
    """Say that it does not matter which one it is, of what is only to be the same."""
    words, settled = turn.briefing.lexicon.facts, turn.memory.record.is_settled
    named = {key for how in turn.reading.features for key in how.facts}
    flags = {key for key in turn.facts if key in words and words[key].form is ValueForm.FLAG}
    flags = {key for key in flags if settled(key) and not words[key].is_joint}
    beside = [key for key in turn.reading.asked if key not in flags and is_named(turn, key)]
    if new_facts(turn) or beside or flags.isdisjoint(named) or _WHICHEVER.search(turn.text):
        return None
    if turn.reading.confirms and turn.playback.right:
        return None
    return turn.say("no_wish", is_answer=True, is_content=True, moved=True)


def _agree(turn: Turn) -> Decision | None:
    """Have no objection: to a plan that is a yes, to all else it is none."""
    return None if wants_yes(turn) else _plainly("no_objection")(turn)


def _like(turn: Turn) -> Decision | None:
    """Say that something that was found, or its price, is all right."""
    is_other = wants_yes(turn) or turn.reading.asks_choice
    return None if is_other else _plainly("suits")(turn)


def _explain(turn: Turn) -> Decision | None:
    """Say once more what was told last."""
    facts = [turn.facts[key] for key in turn.memory.record.told_last if key in turn.facts]
    if not facts or new_facts(turn):
        return None
    return turn.tell(facts)


def _price_freely(turn: Turn) -> Decision | None:
    """Say that the price does not matter, or what does."""
    words = turn.briefing.lexicon.facts
    if any(words[key].form is ValueForm.MONEY for key in turn.facts if key in words):
        return None
    if turn.briefing.lexicon.undecided.keys() & turn.facts.keys():
        return _by_wish(turn)
    return _plainly("any_price")(turn)


def _say_hours(turn: Turn) -> Decision | None:
    """Say from which hour on a word for a time counts, or that this was said rightly."""
    words, settled = turn.briefing.lexicon.facts, turn.memory.record.is_settled
    rules = [key for key in turn.facts if key in words and words[key].is_joint and settled(key)]
    said = " ".join(text.casefold() for key in rules for text in words[key].full)
    first = {
        own.hours[value][0]
        for own in words.values()
        for value, cue in own.cues.items()
        if value in own.hours and cue.search(said)
    }
    if len(first) != 1 or meant_wishes(turn):
        return None
    hour = int(first.pop())
    named = {of_day for one in turn.reading.segments for of_day in clock_hours(one.text)}
    if hour in named:
        return turn.say("right", is_answer=True, is_content=True)
    words_for = turn.speaker.phrase("from_hour", hour=f"{hour:02}:00")
    return Decision((words_for,), is_answer=True, is_content=True)


def _weigh_time(turn: Turn) -> Decision | None:
    """Say whether a time will do, by the hours that are wished."""
    words = turn.briefing.lexicon.facts
    named = {slot for one in turn.reading.segments if one.is_request for slot in one.named}
    times = [hour for one in turn.reading.segments for hour in clock_hours(one.text)]
    bounds = [
        words[key].hours[str(fact.value)]
        for key, fact in turn.facts.items()
        if key in words and words[key].hours and not words[key].is_joint
        if str(fact.value) in words[key].hours
        and not (named and named.isdisjoint(words[key].slots))
    ]
    fits = all(low <= hour < high for low, high in bounds for hour in times)
    act = "suits" if fits else "firm"
    if turn.reading.asks_booking and not turn.reading.stated:
        # What names a time alone puts no plan to the user.
        return turn.say(act, is_answer=True, is_content=True, moved=True)
    return _plainly(act)(turn)


def _spell(turn: Turn) -> Decision | None:
    """Say that a name is spelled as it stands there, where one does."""
    known = {part for name in names_of(turn.briefing) for part in name.casefold().split()}
    said = {word for one in turn.reading.segments for word in re.findall(r"\w+", one.text)}
    return None if known.isdisjoint(said) else _plainly("right")(turn)


def _mail(turn: Turn) -> Decision | None:
    """Say whether a mail address is the right one, or what it is."""
    facts = _own_mails(turn)
    if not facts or new_facts(turn):
        return None
    if _own_mails(turn, turn.reading.utterance.text):
        return turn.say("yes", is_answer=True, is_content=True, moved=True)
    return turn.tell(facts)


def _own_mails(turn: Turn, text: str | None = None) -> list[Fact]:
    """Return the mail addresses that the user has, or those that a text holds."""
    mails = [fact for fact in turn.facts.values() if "@" in str(fact.value)]
    return [one for one in mails if text is None or str(one.value).casefold() in text]


def _keep_card(turn: Turn) -> Decision | None:
    """Stay with the card that paid for something, where none has failed."""
    if not turn.wallet.earlier or turn.reading.tells_of_failed_card or turn.reading.asks_card:
        return None
    return turn.say("same_card", is_answer=True, is_content=True, moved=True)


def _plainly(act: str) -> Callable[[Turn], Decision | None]:
    """Return what answers in one phrase, where nothing is left that was asked for by its name."""

    def answer(turn: Turn) -> Decision | None:
        # What nobody has told yet is told first, and a plan has its yes.
        if turn.reading.asks_booking or not turn.reading.asks_anything:
            return None
        if any(is_named(turn, key) for key in new_facts(turn)):
            return None
        return turn.say(act, is_answer=True, is_content=True, moved=True)

    return answer


_ANSWERS: Mapping[str, Callable[[Turn], Decision | None]] = {
    "may_search": _start,
    "who": _name_oneself,
    "which_one": _any_one,
    "choose_by": _choose,
    "changed": _confirm_change,
    "either_way": _plainly("either_way"),
    "objection": _agree,
    "trade_off": _trade,
    "explain": _explain,
    "like_it": _like,
    "price_ok": _like,
    "small_talk": _plainly("small_talk"),
    "price_free": _price_freely,
    "rule_hours": _say_hours,
    "rule_scope": _plainly("for_both"),
    "most": _plainly("all_alike"),
    "book_now": _agree,
    "part_ok": _like,
    "spelling": _spell,
    "same_card": _keep_card,
    "lands": _plainly("when_it_starts"),
    "hours": _say_hours,
    "time_ok": _weigh_time,
    "card_limit": _plainly("knows_no_limit"),
    "day_counts": _plainly("fine_if_fits"),
    "knows_how": _plainly("no_extra"),
    "mail": _mail,
}
"""Of what is meant what no other part of the policy answers."""
