"""The prompt of an LLM user, composed of one fragment for each factor (paper section 3.3).

Composition is a pure function of the condition and what the user knows. Each factor has its own
passage, so that switching one on or off changes that passage alone. A persona also brings two-level
disclosure, whose passage D2 then replaces by its own.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff

from crab_graph.personas.behavior import Behavior, behavior_of, with_fields
from crab_graph.personas.briefing import Fact, FactLevel, UserBriefing, first_wish
from crab_graph.personas.condition import Dimension, Persona, ResolvedCondition
from crab_graph.personas.fragment_set import Fragments, built_in_fragments
from crab_graph.personas.user_guide import detail_limit, fact_label
from crab_graph.personas.wordbook import DomainLexicon
from crab_graph.personas.wording import join_words, word_fact, word_value

_NO_WISH = "no wish"
_BEYOND = (
    " (How that comes out, all the prices decide, which you do not know: told how, you neither"
    " confirm nor deny it, but say that you rely on the agent to compare, and you leave a choice"
    " that turns on it to the agent. A plan that claims it is fine.)"
)
_UNKNOWN = "(the facts of a task stand here)"


@dataclass(frozen=True, slots=True)
class Passage:
    """One part of a prompt, made of a fragment for a factor, such as `persona` or `d1`."""

    factor: str
    fragment: str
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A composed prompt."""

    passages: tuple[Passage, ...]

    @property
    def text(self) -> str:
        """The whole prompt."""
        return "\n\n".join(passage.text for passage in self.passages) + "\n"

    @property
    def sha256(self) -> str:
        """Hash of the text, as it is recorded with an episode."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def compose_prompt(
    condition: ResolvedCondition,
    briefing: UserBriefing | None = None,
    *,
    fragments: Fragments | None = None,
    before: UserBriefing | None = None,
    is_steady: bool = False,
) -> Prompt:
    """Compose the prompt of a condition, its persona settled; without a briefing it is left open.

    Where its task has the user change its mind it `is_steady` but for that: nothing of its own (D6)
    is said; once it has, `before` is what it knew until then.

    Raises:
        UsageError: a fragment names a fact that the domain lacks.
    """
    pieces = fragments or built_in_fragments()
    behavior = condition_behavior(condition, pieces)
    chosen = _fragments(condition, behavior, pieces)
    if is_steady:
        own = {stem for stem, rates in pieces.fields.items() if "changes_mind" in rates}
        chosen = [part for part in chosen if part[1] not in own]
    if before is not None:
        chosen.append(("second_thoughts", "second_thoughts"))
    return _composed(chosen, behavior, briefing, pieces, before)


def compose_wording_prompt(
    condition: ResolvedCondition, *, fragments: Fragments | None = None
) -> Prompt:
    """Compose the prompt of a model that words what the rules decide: how to talk, not what about.

    What a user changes its mind about stands in the draft.
    """
    pieces = fragments or built_in_fragments()
    behavior = condition_behavior(condition, pieces)
    changing = {stem for stem, rates in pieces.fields.items() if "changes_mind" in rates}
    style = {"persona", *map(str, (Dimension.D1, Dimension.D3, Dimension.D4))}
    style |= {*condition.added_dimensions} - {stem.partition("_")[0] for stem in changing}
    chosen = [part for part in _fragments(condition, behavior, pieces) if part[0] in style]
    return _composed([("wording", "wording"), *chosen], behavior, None, pieces)


def _composed(
    chosen: Sequence[tuple[str, str]],
    behavior: Behavior,
    briefing: UserBriefing | None,
    pieces: Fragments,
    before: UserBriefing | None = None,
) -> Prompt:
    values = _placeholders(briefing, behavior, pieces)
    if briefing is not None and before is not None:
        values |= _both_wishes(before, briefing)
    return Prompt(
        tuple(
            Passage(factor, name, pieces.texts[name].strip().format(**values))
            for factor, name in chosen
        )
    )


def diff_prompts(first: Prompt, second: Prompt, names: tuple[str, str]) -> str:
    """Return what differs between two prompts as a unified diff; nothing where they are equal."""
    before, after = (prompt.text.splitlines(keepends=True) for prompt in (first, second))
    return "".join(unified_diff(before, after, *names))


def changed_factors(first: Prompt, second: Prompt) -> list[str]:
    """Return the factors whose passages differ between two prompts, in the order of the prompt."""
    before, after = ({p.factor: p.text for p in prompt.passages} for prompt in (first, second))
    return [factor for factor in {**before, **after} if before.get(factor) != after.get(factor)]


def condition_behavior(condition: ResolvedCondition, fragments: Fragments) -> Behavior:
    """Return the behaviour of a condition, with the fields of the fragments it is made of."""
    behavior, variant = behavior_of(condition), _variant(condition)
    parts = [fragments.variant(name, variant) for name in condition.dimensions]
    for name in (f"persona_{condition.persona_name}", *parts):
        behavior = with_fields(behavior, fragments.fields.get(name, {}))
    return behavior


def _variant(condition: ResolvedCondition) -> str:
    return "default" if condition.persona is Persona.NONE else condition.persona_name


def _fragments(
    condition: ResolvedCondition, behavior: Behavior, pieces: Fragments
) -> list[tuple[str, str]]:
    """Return the fragments of a condition, in the order of the prompt."""
    persona, variant = condition.persona, _variant(condition)
    chosen = [("role", "role"), ("rules", "rules"), ("knowledge", "knowledge")]
    switch = f"disclosure_{'on' if behavior.two_levels else 'off'}"
    chosen.append(("disclosure", f"d2_{variant}" if condition.has(Dimension.D2) else switch))
    if persona is not Persona.NONE:
        chosen.append(("persona", f"persona_{variant}"))
    for dimension in (Dimension.D1, Dimension.D3, Dimension.D4):
        if condition.has(dimension):
            chosen.append((str(dimension), f"{dimension}_{variant}"))
    chosen += [(name, pieces.variant(name, variant)) for name in condition.added_dimensions]
    return chosen


def _placeholders(
    briefing: UserBriefing | None, behavior: Behavior, pieces: Fragments
) -> dict[str, str]:
    """Return what stands for the placeholders of fragments; errors as for `compose_prompt`."""
    rates = {
        "words": str(behavior.words),
        "patience": str(behavior.patience),
        "facts_per_answer": detail_limit(behavior),
    }
    if briefing is None:
        open_keys = ("basic", "details", "first_wish", "final_wish", "job", "things")
        left_open = dict.fromkeys(open_keys, _UNKNOWN)
        named = {key: f"({key.replace('_', ' ')})" for key in pieces.facts}
        return {**rates, "today": "(the day of the task)", **left_open, **named}
    facts, lexicon = briefing.facts, briefing.lexicon
    first = first_wish(briefing, behavior)
    values = {
        **rates,
        "today": briefing.today,
        "basic": _listed([fact for fact in facts if fact.level is FactLevel.BASIC], lexicon),
        "details": _listed([fact for fact in facts if fact.level is FactLevel.DETAIL], lexicon),
        "first_wish": _worded(first, lexicon),
        "job": briefing.job,
        "things": join_words([slot.word for slot in briefing.slots]),
        "final_wish": _worded(first and briefing.fact(first.key), lexicon),
    }
    pieces.check_facts(lexicon.facts)
    for key in pieces.facts:
        fact, words = briefing.fact(key), lexicon.facts[key]
        values[key] = _NO_WISH if fact is None else word_value(words.form, fact.value, words)
    return values


def _both_wishes(before: UserBriefing, after: UserBriefing) -> dict[str, str]:
    """Return what is wanted otherwise than before, and what was wanted then."""
    wanted = [fact for fact in after.facts if before.fact(fact.key) != fact]
    earlier = [before.fact(fact.key) for fact in wanted]
    return {
        "first_wish": " ".join(_worded(fact, before.lexicon) for fact in earlier),
        "final_wish": " ".join(_worded(fact, after.lexicon) for fact in wanted),
    }


def _listed(facts: Sequence[Fact], lexicon: DomainLexicon) -> str:
    return "\n".join(
        f"- {fact_label(fact.key)}: {_worded(fact, lexicon)}{_beside(fact, lexicon)}"
        for fact in facts
    )


def _beside(fact: Fact, lexicon: DomainLexicon) -> str:
    """Return what a fact means: the hours of a part of the day, or that prices decide the rest."""
    if fact.key in lexicon.undecided:
        return _BEYOND
    words = lexicon.facts.get(fact.key)
    hours = None if words is None else words.hours.get(str(fact.value))
    if hours is None:
        return ""
    start, end = (f"{int(hour)}:{round(hour % 1 * 60):02}" for hour in hours)
    return f" (it begins from {start} to before {end})"


def _worded(fact: Fact | None, lexicon: DomainLexicon) -> str:
    return _NO_WISH if fact is None else word_fact(fact, lexicon, None, short=False)
