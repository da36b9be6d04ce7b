"""How well the rule-based user understands agents' free text: labelled messages, in sets by style.

Each set is scored with the present reader; the first score of a set, by the reader that it met, and
what was left out of training are told in docs/users.md. Run this file by itself, with a set's name,
to see every message that is read otherwise than labelled.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.personas.message_text import ACT_NAMES
from crab_graph.personas.understanding import Reading

HERE = Path(__file__).resolve().parent
MESSAGES = HERE.parent / "tests" / "personas" / "agent_messages"
HALVES = ("blind", "open", "first_blind")
STYLES = ("casual", "telegraphic", "formal", "prose", "chatty")
FIRST = {
    "blind": (0.620, 0.460),
    "casual": (0.442, 0.600),
    "telegraphic": (0.459, 0.548),
    "formal": (0.592, 0.686),
    "prose": (0.622, 0.636),
    "chatty": (0.584, 0.649),
    "first_blind": (0.859, 0.842),
    "second_blind": (0.805, 0.854),
    "rare_acts": (0.747, 0.656),
    "third_blind": (0.892, 0.864),
    "fourth_blind": (0.825, 0.896),
    "fifth_blind": (0.901, 0.924),
    "sixth_blind": (0.788, 0.846),
    "seventh_blind": (0.894, 0.877),
    "eighth_blind": (0.859, 0.957),
    "ninth_blind": (0.847, 0.894),
}
"""F1 over facts and over intents of the reader that each set met first, before it was read."""
UNREAD = {"unread/tenth_blind": (0.944, 0.923), "unread/eleventh_blind": (0.883, 0.921)}
"""The same of the sets that nobody has learned from."""
TARGET = 0.95
KINDS = ("asked", "intents", "ids", "amounts")

_BRIEFING = TRAVEL.briefing(TRAVEL.slots, [], "S1-001", "2027-01-10")


@dataclass
class Score:
    """Right, needless and missed labels of each name."""

    right: Counter[str] = field(default_factory=Counter)
    needless: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)

    def add(self, labelled: set[str], read: set[str]) -> None:
        """Count one message."""
        self.right.update(labelled & read)
        self.needless.update(read - labelled)
        self.missed.update(labelled - read)

    def ratios(self, name: str | None = None) -> tuple[float, float, float]:
        """Return precision, recall and F1 of one name, or of all labels together (micro)."""
        right, needless, missed = (
            counts.total() if name is None else counts[name]
            for counts in (self.right, self.needless, self.missed)
        )
        precision = right / (right + needless) if right + needless else 1.0
        recall = right / (right + missed) if right + missed else 1.0
        f1 = 2 * right / (2 * right + needless + missed) if right + needless + missed else 1.0
        return precision, recall, f1

    @property
    def names(self) -> list[str]:
        """The names that are labelled at least once."""
        return sorted(set(self.right) | set(self.missed))

    @property
    def macro(self) -> float:
        """Mean F1 over the labelled names."""
        return sum(self.ratios(name)[2] for name in self.names) / max(len(self.names), 1)


def load_half(half: str) -> list[dict[str, Any]]:
    """Return the labelled messages of a half."""
    lines = (MESSAGES / f"{half}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def labels_of(message: Mapping[str, Any], *, corrected: bool) -> dict[str, set[str]]:
    """Return a message's labels, as they were first written or with what was corrected since."""
    changed = message.get("corrected", {}).get("labels", {}) if corrected else {}
    return {kind: set(map(str, {**message["labels"], **changed}[kind])) for kind in KINDS}


def read_labels(text: str, before: str | None = None) -> dict[str, set[str]]:
    """Return what the rules read in a message after another one, as labels."""
    reading = Reading(text, _BRIEFING.lexicon, _BRIEFING.slots, before)
    acts = {act for act in ACT_NAMES if act != "asks_anything" and getattr(reading, act)}
    intents = {act.removeprefix("is_") for act in acts}
    found: dict[str, Iterable[object]] = {
        "asked": reading.asked,
        "intents": intents,
        "ids": reading.ids,
        "amounts": reading.amounts,
    }
    return {kind: set(map(str, found[kind])) for kind in KINDS}


def score(messages: Iterable[Mapping[str, Any]], *, corrected: bool = True) -> dict[str, Score]:
    """Score the rules on messages, by kind of label."""
    scores = {kind: Score() for kind in KINDS}
    for message in messages:
        labelled = labels_of(message, corrected=corrected)
        read = read_labels(message["text"], message.get("before"))
        for kind in KINDS:
            scores[kind].add(labelled[kind], read[kind])
    return scores


def mistakes(messages: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield each message that is read otherwise than labelled, with what differs."""
    for message in messages:
        labelled = labels_of(message, corrected=True)
        read = read_labels(message["text"], message.get("before"))
        differing = [
            f"{kind}: " + " ".join([*(f"-{one}" for one in sorted(labelled[kind] - read[kind])),
                                    *(f"+{one}" for one in sorted(read[kind] - labelled[kind]))])
            for kind in KINDS
            if labelled[kind] != read[kind]
        ]  # fmt: skip
        if differing:
            yield f"{message['id']} {' | '.join(differing)}\n    {message['text']!r}"


def main() -> list[tuple[str, str, str]]:
    """Return precision, recall and F1 per half, kind and name."""
    rows = []
    for name, (facts, intents) in {**FIRST, **UNREAD}.items():
        now = score(load_half(name))
        first = f"{facts:.3f} / {intents:.3f}"
        present = " / ".join(f"{now[kind].ratios()[2]:.3f}" for kind in ("asked", "intents"))
        rows.append((f"understanding curve, {name}: first, now", f"{first}, {present}", ""))
    unread = score([message for name in UNREAD for message in load_half(name)])
    for kind in ("asked", "intents"):
        what = f"understanding {kind}, sets that nobody has learned from, together: F1"
        rows.append((what, f"{unread[kind].ratios()[2]:.3f}", "≥ 0.90"))
    for half in HALVES:
        messages = load_half(half)
        scores = score(messages)
        for kind in KINDS:
            found = scores[kind]
            what = f"understanding {kind}, {half}.jsonl, {len(messages)} messages"
            rows.append((f"{what}: P / R / F1", _ratios(found.ratios()), ""))
            rows.append((f"{what}: F1, micro", f"{found.ratios()[2]:.3f}", f"≥ {TARGET}"))
            if kind in {"asked", "intents"}:
                rows.append((f"{what}: F1, macro", f"{found.macro:.3f}", f"≥ {TARGET}"))
                rows += [(f"  {name}", _ratios(found.ratios(name)), "") for name in found.names]
    return rows


def _ratios(ratios: tuple[float, float, float]) -> str:
    return " / ".join(f"{one:.3f}" for one in ratios)


if __name__ == "__main__":
    for chosen in sys.argv[1:] or HALVES:
        print("\n".join(mistakes(load_half(chosen))))
        for kind, found in score(load_half(chosen)).items():
            print(f"{chosen} {kind}: {_ratios(found.ratios())}, macro {found.macro:.3f}")
