"""What is wrong with a domain's words, or weak: one line each, naming the part and the fix."""

import re
from collections.abc import Iterable, Iterator
from itertools import combinations
from string import Formatter

from crab_graph.domain.contract import TaskSlot
from crab_graph.domain.declaration import Declaration, Wording, texts_of
from crab_graph.domain.derived_claims import claims
from crab_graph.domain.derived_lexicon import briefing, lexicon
from crab_graph.domain.derived_vocabulary import kind_words, slot_words, vocabulary
from crab_graph.domain.english import joined, spoken
from crab_graph.domain.fields import Clock, Day
from crab_graph.domain.layout import Nature, nature
from crab_graph.domain.requirements import trace_rule
from crab_graph.domain.subjects import Subject, fields_of, subjects
from crab_graph.domain.wish_words import noun_of, slot_cue
from crab_graph.errors import UsageError
from crab_graph.personas.briefing import Fact, FactLevel
from crab_graph.personas.recognition import stated_facts
from crab_graph.personas.understanding import Reading
from crab_graph.personas.wordbook import DomainLexicon, FactWords, ValueForm, says
from crab_graph.personas.wording import as_one_person, word_fact, word_value
from crab_graph.text.articles import filled_in
from crab_graph.text.lexicon import pattern
from crab_graph.text.utterance import normalise

_TODAY = "2027-01-10"
_SAMPLES: dict[ValueForm, object] = {
    ValueForm.TEXT: "CU-20417",
    ValueForm.DATE: "2027-05-03",
    ValueForm.DATES: ["1990-04-02"],
    ValueForm.NAMES: ["Ana Ruiz"],
    ValueForm.COUNT: 3,
    ValueForm.MONEY: "900.00",
    ValueForm.FLAG: True,
    ValueForm.CARD: {"card_id": "CD-1", "brand": "Visa", "last4": "3045"},
}
_OF_SEVERAL = re.compile(r"\bus\b|\bwe(?:'re| are| will be|'ll be)\b", re.I)
"""What is of several people, and makes no sense said by one: `none of us`, `we are 20`."""
_OF_DAYS = re.compile(r"\b(?:days?|dates?|nights?)\b", re.I)
_PLACES = {"full": {"value", "phrase"}, "short": {"value", "phrase"}, "trade": {"value", "code"}}
_WORDED = {"full": "say", "short": "short", "trade": "trade", "none": "none"}


def word_problems(declaration: Declaration) -> list[str]:
    """Return what keeps a domain's users from being understood, for which it is refused."""
    problems = list(_broken_patterns(declaration)) or list(_unreadable(declaration))
    if problems:
        return problems
    words = lexicon(declaration).facts
    problems += [*_unwordable(declaration), *_short_openings(declaration)]
    for key, own in words.items():
        problems += [f"fact '{key}', {line}" for line in _bad_templates(own)]
    if not problems:
        problems += _approvals(declaration)
    return [*problems, *_alike(declaration), *_clashing(declaration), *_mistaken(declaration)]


def word_weaknesses(declaration: Declaration) -> list[str]:
    """Return what of a domain's words works, and could be better; of one without problems."""
    weak: list[str] = []
    known = lexicon(declaration)
    facts = [_sample(key, words) for key, words in known.facts.items() if not words.is_joint]
    slots = [TaskSlot(slot.id, slot.kind, slot.title) for slot in declaration.slots]
    brief = briefing(declaration)(slots, facts, "", _TODAY)
    for subject in (one for one in subjects(declaration) if not one.joint):
        question = plain_question(declaration, subject)
        if subject.key not in Reading(question, known, brief.slots).asked:
            weak.append(
                f"'{subject.key}': '{question}' is not heard as asking for it; add wording.ask"
            )
        is_rule = bool(subject.sentence) and not subject.same
        if known.facts[subject.key].conflict is None and subject.values and not is_rule:
            weak.append(
                f"'{subject.key}': nothing an agent says is heard to contradict it; give its "
                "values, or a `conflict` in the lexicon"
            )
        if is_rule and not subject.wording.say:
            weak.append(
                f"'{subject.key}': is told in the words of its rule; add wording.say as users "
                "would put it"
            )
    for fact in facts:
        text = word_fact(fact, known, None, short=False)
        told = stated_facts(text, brief)
        if fact.key not in told:
            fix = "name its slot and say its value as it is written"
            if known.facts[fact.key].form is ValueForm.FLAG:
                fix = "name its slot in it, and let wording.ask find words of it"
            weak.append(f"'{fact.key}': '{text}' is not recognised as telling it; {fix}")
        others = [key for key in told if key not in {fact.key, *_excused(declaration, fact.key)}]
        if others:
            weak.append(f"'{fact.key}': '{text}' also tells {', '.join(others)}; word it otherwise")
    weak += [*_half_told(known), *_shared_values(declaration), *_of_several(declaration)]
    return [*weak, *_days_or_hours(declaration)]


def _days_or_hours(declaration: Declaration) -> Iterator[str]:
    """Yield the rules that compare days of what has hours, too, and do not say that days count.

    Who reads that a test is not before an appointment takes one at 08:40 for too early where the
    appointment is at 08:45 of the same day.
    """
    offers = {slot.id: slot.offer.fields for slot in declaration.slots}
    for rule in declaration.rules:
        refs = trace_rule(declaration, rule).refs
        slots = {slot for slot, _ in refs}
        is_of_days = all(isinstance(offers[slot][name], Day) for slot, name in refs)
        has_hours = all(
            any(isinstance(one, Clock) for one in offers[slot].values()) for slot in slots
        )
        is_told = _OF_DAYS.search(rule.sentence)
        if len(slots) > 1 and is_of_days and has_hours and not is_told:
            yield (
                f"rule '{rule.name}': it compares days, and '{rule.sentence}' can be read of hours;"
                " say in it that the day counts"
            )


def _of_several(declaration: Declaration) -> Iterator[str]:
    """Yield what several people would say where a job is always for one, who says it of itself."""
    if declaration.people is not None:
        return
    for subject in subjects(declaration):
        said = subject.wording
        for text in dict.fromkeys((*texts_of(said.say), *texts_of(said.short))):
            if _OF_SEVERAL.search(text):
                alone = as_one_person(text)
                yield f"'{subject.key}': '{text}' is said as '{alone}'; word it for one person"


def _half_told(known: DomainLexicon) -> Iterator[str]:
    """Yield the statements of joint wishes that do not tell the whole of them by their parts."""
    for key, words in known.facts.items():
        for value in words.parts:
            said = int(value) if words.form is ValueForm.COUNT else value
            told = word_value(words.form, said, words)
            phrase = words.choices.get(value, told)
            for text in dict.fromkeys((*words.full, *words.short, *words.trade)):
                line = filled_in(text, value=told, phrase=phrase)
                low = line.casefold()
                if not (words.tells(low, value) and words.about.search(low)):
                    yield f"'{key}': '{line}' lacks a part, or what it is about; mend `parts`"


def _excused(declaration: Declaration, key: str) -> list[str]:
    """Return the facts that say the same as another whenever their values happen to be the same."""
    forms = {name: words.form for name, words in lexicon(declaration).facts.items()}
    same = {ValueForm.TEXT, ValueForm.DATE, ValueForm.COUNT}
    return [name for name, form in forms.items() if form is forms[key] and form in same]


def _patterns(declaration: Declaration) -> Iterator[tuple[str, str]]:
    """Yield the patterns that an author gives, each with where it stands."""
    for slot in declaration.slots:
        yield f"slot '{slot.id}', cue", slot.cue
    for name in ("groups", "amenities", "human", "nobody"):
        for one in texts_of(getattr(declaration, name)):
            yield name, one
    for key, wording in _wordings(declaration):
        for name in ("ask", "clarify", "outcome"):
            for one in texts_of(getattr(wording, name)):
                yield f"'{key}', wording.{name}", one
        for value, cue in wording.cues.items():
            yield f"'{key}', wording.cues of '{value}'", cue


def _wordings(declaration: Declaration) -> Iterator[tuple[str, Wording]]:
    yield from ((one.key, one.wording) for one in subjects(declaration))
    if declaration.budget is not None:
        yield "budget", declaration.budget.wording


def _broken_patterns(declaration: Declaration) -> Iterator[str]:
    for where, written in _patterns(declaration):
        try:
            re.compile(written)
        except re.error as error:
            yield f"{where}: '{written}' is no regular expression: {error}"


def _unreadable(declaration: Declaration) -> Iterator[str]:
    """Yield what of the author's documents cannot be read, in the words of their readers."""
    try:
        lexicon(declaration)
    except UsageError as error:
        yield str(error)
    try:
        vocabulary(declaration)
    except TypeError as error:
        yield f"vocabulary: {error}; see the fields of `TextVocabulary`"
    try:
        for claim in claims(declaration):
            re.compile(claim.pattern)
    except KeyError as error:
        yield f"claims: a pattern names {error}, which is no fragment; see `claims.toml`"
    except re.error as error:
        yield f"claims: '{error.pattern!s}' is no regular expression: {error}"


def _unwordable(declaration: Declaration) -> Iterator[str]:
    """Yield the wishes whose values have no words."""
    for want in declaration.wants:
        natures = {nature(offer, name) for _, offer, name in fields_of(declaration, want.on)}
        if natures & {Nature.MONEY, Nature.MINUTE} and want.wording.unit is None:
            yield (
                f"want '{want.key}', on: prices and clock times cannot be said; want what decides "
                "them, such as a time of day, or give wording.unit"
            )
        if want.wording.unit is not None and "{n}" not in want.wording.unit[1]:
            yield f"want '{want.key}', wording.unit: the plural must hold {{n}}"


def _short_openings(declaration: Declaration) -> Iterator[str]:
    """Yield the first turns that leave out what others say: users believe to have said it."""
    known = lexicon(declaration)
    texts = (*known.opening_full, *known.opening_short, *known.opening_trade)
    named = {text: {name for _, name, _, _ in Formatter().parse(text) if name} for text in texts}
    for text, names in named.items():
        for name in sorted(named[texts[0]] - names - {one.removesuffix("_code") for one in names}):
            yield f"opening: '{text}' leaves out {{{name}}}, which the first one names"


def _bad_templates(words: FactWords) -> Iterator[str]:
    """Yield the wordings of a fact that name what there is not, or do not tell it."""
    for part, known in (*_PLACES.items(), ("none", set[str]())):
        for text in getattr(words, part):
            try:
                named = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
            except ValueError as error:
                yield f"wording.{_WORDED[part]}: '{text}': {error}"
                continue
            for name in sorted(named - known):
                hint = joined([f"{{{one}}}" for one in sorted(known)]) if known else "none"
                yield f"wording.{_WORDED[part]}: '{text}' names {{{name}}}; known: {hint}"
            tells = words.form is ValueForm.FLAG or part in {"none", "trade"}
            if not tells and not named & known:
                yield f"wording.{_WORDED[part]}: '{text}' does not tell the value; add {{value}}"


def _approvals(declaration: Declaration) -> Iterator[str]:
    """Yield the sentences that could pass for an approval."""
    known = lexicon(declaration)
    said: dict[str, str] = {}
    for key, words in known.facts.items():
        value = word_value(words.form, _sample(key, words).value, words)
        for part in ("full", "short", "none"):
            for text in getattr(words, part):
                where = f"fact '{key}', wording.{_WORDED[part]}"
                said.setdefault(filled_in(text, value=value, phrase=value), where)
        said |= {text: f"fact '{key}', a value" for one in words.choices.items() for text in one}
    said |= dict.fromkeys((*known.opening_full, *known.opening_short), "opening")
    said |= dict.fromkeys((*known.asides, *known.asides_short), "asides")
    for text, where in said.items():
        found = pattern("approval", "strong").search(normalise(text))
        if found is not None:
            yield f"{where}: '{text}' can pass for an approval by '{found[0]}'; word it otherwise"


def _sample(key: str, words: FactWords) -> Fact:
    values = [one for one in words.others if one in words.choices] or [*words.choices]
    is_choice = words.form is ValueForm.CHOICE
    return Fact(key, values[0] if is_choice else _SAMPLES[words.form], FactLevel.DETAIL)


def _alike(declaration: Declaration) -> Iterator[str]:
    """Yield the facts that the same questions ask for, with no slot to tell them apart."""
    facts = lexicon(declaration).facts
    for (first, one), (second, other) in combinations(facts.items(), 2):
        asks = [{cue.pattern for cue in words.asks} for words in (one, other)]
        is_told = bool(one.slots) and bool(other.slots) and set(one.slots).isdisjoint(other.slots)
        if (asks[0] <= asks[1] or asks[1] <= asks[0]) and not is_told:
            yield (
                f"'{first}' and '{second}' are asked for by the same words; give one of them "
                "another wording.ask"
            )


def _clashing(declaration: Declaration) -> Iterator[str]:
    """Yield the words that mean two slots."""
    for one, other in combinations(declaration.slots, 2):
        both = set(slot_words(declaration, one)) & set(slot_words(declaration, other))
        for word in sorted(both):
            yield (
                f"slots '{one.id}' and '{other.id}': both are called '{word}'; leave it out of "
                "words, or put it into `groups`"
            )


def _mistaken(declaration: Declaration) -> Iterator[str]:
    """Yield the words of slots by which users believe to be handed over to a human agent."""
    known = lexicon(declaration)
    words = [word for slot in declaration.slots for word in slot_words(declaration, slot)]
    words += [word for offer in declaration.offers for word in kind_words(offer)]
    for word in dict.fromkeys(words):
        plain = known.plain(word.casefold())
        if says("offers_human", plain) or pattern("transfer", "people").search(plain):
            yield f"'{word}' means a human agent to users; add its pattern to `nobody`"


def plain_question(declaration: Declaration, subject: Subject) -> str:
    """Return the plainest question for a wish."""
    noun, titles = noun_of(declaration, subject), _titles(declaration, subject.slots)
    where = f" for the {joined(titles)}" if titles else ""
    match subject.form:
        case ValueForm.DATE:
            return f"On which day should it be{where}?"
        case ValueForm.COUNT if subject.wording.unit or not subject.slots:
            unit = (subject.wording.unit or ("", "{n} " + noun))[1]
            return f"How many {unit.partition('{n}')[2].strip()} do you need?"
        case ValueForm.FLAG if subject.same:
            return f"Should the {spoken(subject.field)} be the same{where}?"
        case ValueForm.FLAG if subject.sentence:
            return f"Does it matter to you that {subject.sentence}?"
    return f"Which {noun} should it be{where}?"


def _titles(declaration: Declaration, ids: Iterable[str]) -> list[str]:
    titles = {slot.id: slot.title for slot in declaration.slots}
    return [titles[one] for one in ids if one in titles]


def _shared_values(declaration: Declaration) -> Iterator[str]:
    """Yield the values that are words for a slot, or for the whole."""
    known = lexicon(declaration)
    for subject in subjects(declaration):
        others = [one for one in declaration.slots if one.id not in subject.slots]
        for value in () if subject.same else map(str, subject.known):
            low = value.casefold()
            slot = next((s for s in others if re.search(slot_cue(declaration, s), low)), None)
            if slot is not None:
                yield f"'{subject.key}': '{value}' is also heard as slot '{slot.id}'; add a cue"
            elif known.whole.search(low):
                yield f"'{subject.key}': '{value}' is also heard as everything; add a cue"
