"""Train the model that reads what agents say, on the labelled messages; write its two files.

`python benchmarks/train_reader.py` writes them; with `--check` it tells whether they are what the
messages give. The sets are those of `tests/personas/agent_messages`.
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize

from crab_graph.domain.contract import find_domain
from crab_graph.domain.subjects import subjects
from crab_graph.domain.word_checks import plain_question
from crab_graph.domains.clinic.domain import CLINIC
from crab_graph.domains.travel.domain import TRAVEL
from crab_graph.personas import message_text as reader
from crab_graph.personas.clause_features import ClauseFeatures
from crab_graph.personas.message_text import INTENTS
from crab_graph.personas.reader_model import CANDIDATE, SHARED, Weights, reader_model, save_weights
from crab_graph.personas.spelling import Speller, words_of
from crab_graph.personas.understanding import features_of
from crab_graph.personas.wordbook import phrase_book

ROOT = Path(__file__).resolve().parents[1]
MESSAGES = ROOT / "tests" / "personas" / "agent_messages"
OWN = "crab_graph.domains.travel/asked.npz"
SAMPLED = 20
"""One message in so many is looked at to tell whether messages are read as they were."""
RARE = 2
"""Messages a feature must be found in."""
SCALED = ("c:", "m:", "req", "how:", "main", "sub", "cue:", "hint:", "v:", "sl:", "b:")
SCALE = 2.0
"""How much more is thought of the features that a person chose, before any message is seen."""
STEPS = 70
"""Steps of the minimiser."""
RIDGE_ACTS, RIDGE_FACTS, RIDGE_OWN = 0.6, 0.8, 1.5
READ: Any = {
    **dict.fromkeys("slots labels groups topics whole job extras parts people human".split(), True),
    "facts": {"__all__": {"asks", "hints", "cues", "slots", "needs_slot", "form"}},
}
"""What the model sees of a lexicon."""
BRIEFINGS = {
    domain.name: domain.briefing(domain.slots, [], "S1-001", "2027-01-10")
    for domain in (TRAVEL, CLINIC)
}

HOUSE, HOUSE_TIMES = {"agents", "rows"}, 3
"""Sets that must be read right, and how often each of their messages counts, as plain questions."""

Message = Mapping[str, Any]


@dataclass(frozen=True)
class Example:
    """One labelled message with the features of its clauses."""

    domain: str
    clauses: Sequence[ClauseFeatures]
    intents: frozenset[str]
    asked: frozenset[str]


def load(name: str) -> list[dict[str, Any]]:
    """Return the messages of a set."""
    lines = (MESSAGES / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def plain_questions() -> list[dict[str, Any]]:
    """Return the plainest question for each wish of the domains, as labelled messages."""
    found = []
    for domain in BRIEFINGS:
        declaration = find_domain(domain).declaration
        wishes = subjects(declaration) if declaration is not None else ()
        for subject in (one for one in wishes if not one.joint):
            labels = {"asked": [subject.key], "intents": []}
            text = plain_question(declaration, subject)
            found.append({"domain": domain, "text": text, "labels": labels})
    return found


def example(message: Message) -> Example:
    """Return a message as it is learned from."""
    labels = {**message["labels"], **message.get("corrected", {}).get("labels", {})}
    domain = message.get("domain", "travel")
    known = BRIEFINGS[domain]
    with patch.object(reader, "speller", _speller):
        clauses = features_of(message["text"], known.lexicon, known.slots, message.get("before"))
    return Example(domain, clauses, frozenset(labels["intents"]), frozenset(labels["asked"]))


@cache
def spelled() -> dict[str, tuple[list[str], list[str]]]:
    """Return the words of all messages for each file: travel's, and those that all domains have."""
    texts: dict[str, list[str]] = {name: [] for name in BRIEFINGS}
    for message in (one for name in sets() for one in load(name)):
        texts[message.get("domain", "travel")].append(message["text"])
    own, *others = (words_of(texts[name]) for name in BRIEFINGS)
    common = tuple([w for w in own[at] if all(w in one[0] for one in others)] for at in (0, 1))
    return {OWN: own, SHARED: (common[0], common[1])}


@cache
def _speller(learned: str = "") -> Speller:
    return Speller(*spelled()[learned or SHARED])


def train(examples: Sequence[Example]) -> tuple[Weights, Weights, Weights]:
    """Return the weights of acts, of candidate facts and of travel's own facts."""
    acts = _names(set().union(*(c.acts for c in one.clauses)) for one in examples)
    matrix, groups = (
        _matrix([c.acts for one in examples for c in one.clauses], acts),
        _groups(examples),
    )
    wanted = np.array([[name in one.intents for name in INTENTS] for one in examples], float)
    weights, start = _fit(matrix, groups, wanted, RIDGE_ACTS)
    learned = Weights.of(INTENTS, acts, weights * _scales(acts)[:, None], start)
    return learned, *_train_facts(examples, acts)


def _train_facts(examples: Sequence[Example], acts: Sequence[str]) -> tuple[Weights, Weights]:
    """Fit what all facts share and what each of travel's facts adds, together."""
    keys = list(dict.fromkeys(key for known in BRIEFINGS.values() for key in known.lexicon.facts))
    travel = list(BRIEFINGS["travel"].lexicon.facts)
    place = {key: at for at, key in enumerate(keys)}
    local = _names(
        set().union(*(f for c in one.clauses for f in c.facts.values())) for one in examples
    )
    shared = [*acts, *local, CANDIDATE]
    owned = _names(
        set().union(*(c.words for c in one.clauses)) for one in examples if one.domain == "travel"
    )
    clauses = [(one, clause) for one in examples for clause in one.clauses]
    own = _matrix([c.words if one.domain == "travel" else () for one, c in clauses], owned)
    pairs = [(row, key) for row, (_, c) in enumerate(clauses) for key in c.facts]
    rows = [(*clauses[row][1].acts, *clauses[row][1].facts[key], CANDIDATE) for row, key in pairs]
    both = _matrix(rows, shared)
    at = np.array([row for row, _ in pairs]), np.array([place[key] for _, key in pairs])
    wanted = np.array([[key in one.asked for key in keys] for one in examples], float)
    meant = np.array(
        [[key in BRIEFINGS[one.domain].lexicon.facts for key in keys] for one in examples]
    )
    fit = _fit_facts(own, both, at, _groups(examples), wanted, meant.astype(float), len(travel))
    weights, common, start, base = fit
    facts = Weights.of(("asked",), shared, (common * _scales(shared))[:, None], np.array([base]))
    kept = Weights.of(travel, owned, weights * _scales(owned)[:, None], base + start)
    return facts, kept


def _fit(matrix: Any, groups: Any, wanted: Any, ridge: float) -> tuple[Any, Any]:
    """Minimise the loss of a noisy-or over each message's clauses, with a quadratic penalty."""
    size, columns = matrix.shape[1], wanted.shape[1]
    turned = matrix.T.tocsr()

    def loss(flat: Any) -> tuple[float, Any]:
        weights = flat.reshape(size + 1, columns)
        value, slope = _noisy_or(matrix @ weights[:-1] + weights[-1], groups, wanted, 1.0)
        gradient = np.vstack([turned @ slope + ridge * weights[:-1], slope.sum(0)])
        return value + ridge / 2 * (weights[:-1] ** 2).sum(), gradient.ravel()

    first = np.zeros((size + 1, columns))
    first[-1] = -3
    found = _minimised(loss, first.ravel()).reshape(size + 1, columns)
    return found[:-1], found[-1]


def _fit_facts(
    own: Any, both: Any, at: Any, groups: Any, wanted: Any, meant: Any, columns: int
) -> tuple[Any, Any, Any, float]:
    """Return own weights, shared weights, what each own column adds at the start, and the start."""
    size, shared, keys = own.shape[1], both.shape[1], wanted.shape[1]
    turned, crossed, count = own.T.tocsr(), both.T.tocsr(), own.shape[0]
    ends = np.cumsum([size * columns, columns, shared])

    def loss(flat: Any) -> tuple[float, Any]:
        weights, start, common, base = (
            flat[: ends[0]].reshape(size, columns),
            flat[ends[0] : ends[1]],
            flat[ends[1] : ends[2]],
            flat[-1],
        )
        scores = np.full((count, keys), base)
        scores[:, :columns] += own @ weights + start
        scores[at] += both @ common
        value, slope = _noisy_or(scores, groups, wanted, meant)
        chosen = slope[at]
        gradient = np.concatenate(
            [
                (turned @ slope[:, :columns] + RIDGE_OWN * weights).ravel(),
                slope[:, :columns].sum(0) + RIDGE_OWN * start,
                crossed @ chosen + RIDGE_FACTS * common,
                [slope.sum()],
            ]
        )
        size_of = RIDGE_OWN * ((weights**2).sum() + (start**2).sum())
        return value + (size_of + RIDGE_FACTS * (common**2).sum()) / 2, gradient

    first = np.zeros(ends[2] + 1)
    first[-1] = -5
    found = _minimised(loss, first)
    weights = found[: ends[0]].reshape(size, columns)
    return weights, found[ends[1] : ends[2]], found[ends[0] : ends[1]], float(found[-1])


def _noisy_or(scores: Any, groups: Any, wanted: Any, meant: Any) -> tuple[float, Any]:
    """Return the log loss of messages that do what any clause does, and its slope by score."""
    none = np.clip(np.exp(-(groups @ np.logaddexp(0, scores))), 1e-12, 1 - 1e-12)
    value = -(meant * (wanted * np.log1p(-none) + (1 - wanted) * np.log(none))).sum()
    outer = meant * np.where(wanted > 0, -none / (1 - none), 1.0)
    return float(value), (groups.T @ outer) / (1 + np.exp(-np.clip(scores, -30, 30)))


def _minimised(loss: Any, first: Any) -> Any:
    return minimize(loss, first, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x


def _names(found: Iterable[Iterable[str]]) -> list[str]:
    """Return the features that are in enough messages, in order."""
    counts = Counter(name for names in found for name in names)
    return sorted(name for name, count in counts.items() if count >= RARE)


def _scales(names: Sequence[str]) -> Any:
    return np.array([SCALE if name.startswith(SCALED) else 1.0 for name in names])


def _matrix(rows: Sequence[Iterable[str]], names: Sequence[str]) -> Any:
    places, scales = {name: at for at, name in enumerate(names)}, _scales(names)
    columns, ends = [], [0]
    for row in rows:
        columns += sorted(places[name] for name in row if name in places)
        ends.append(len(columns))
    return sp.csr_matrix((scales[columns], columns, ends), shape=(len(rows), len(names)))


def _groups(examples: Sequence[Example]) -> Any:
    sizes = [len(one.clauses) for one in examples]
    of = np.repeat(np.arange(len(examples)), sizes)
    return sp.csr_matrix((np.ones(len(of)), (of, np.arange(len(of)))), (len(examples), len(of)))


def sets() -> list[str]:
    """Return the names of all sets."""
    return sorted(path.stem for path in MESSAGES.glob("*.jsonl"))


def stamp() -> str:
    """Return a digest of what the weights are learned from.

    That is the labelled messages, this script, the cues, and what some of the messages show to the
    model, so that it changes with the code that reads them, but not with how the code is written.
    """
    digest = hashlib.sha256(Path(__file__).read_bytes())
    digest.update(repr(plain_questions()).encode())
    digest.update(repr({key: cue.pattern for key, cue in phrase_book().cues.items()}).encode())
    for known in BRIEFINGS.values():
        digest.update(known.lexicon.model_dump_json(include=READ).encode())
    for name in sets():
        digest.update((MESSAGES / f"{name}.jsonl").read_bytes())
        for message in load(name)[::SAMPLED]:
            shown = [
                (
                    sorted(c.acts),
                    sorted(c.words),
                    sorted((k, *sorted(f)) for k, f in c.facts.items()),
                )
                for c in example(message).clauses
            ]
            digest.update(repr(shown).encode())
    return digest.hexdigest()[:16]


def counted(names: Iterable[str]) -> list[Example]:
    """Return the messages of some sets, and the plainest questions, each as often as it counts."""
    loaded = [(load(name), HOUSE_TIMES if name in HOUSE else 1) for name in names]
    loaded.append((plain_questions(), HOUSE_TIMES))
    return [one for found, times in loaded for one in map(example, found) for _ in range(times)]


def trained() -> tuple[Weights, Weights, Weights]:
    """Return the weights of acts, of candidate facts and of travel's own facts, from all sets."""
    return train(counted(sets()))


def are_alike(weights: Weights, others: Weights) -> bool:
    """Tell whether two weights are the same, up to how the last digits of a sum were rounded."""
    return weights.rows == others.rows and bool(
        np.all(np.abs(weights.values.astype(int) - others.values) <= 1)
        and np.allclose(weights.start, others.start, atol=0.01)
    )


def check() -> bool:
    """Tell whether the shipped weights are what the messages give now."""
    model = reader_model(OWN)
    return model.own is not None and all(
        are_alike(*pair)
        for pair in zip(trained(), (model.acts, model.facts, model.own), strict=True)
    )


def _target(source: str) -> Path:
    package, _, name = source.partition("/")
    return ROOT.joinpath(*package.split("."), name)


def main() -> None:
    """Train on all sets and write the files."""
    acts, facts, own = trained()
    mark = stamp()
    for source, parts in ((SHARED, {"acts": acts, "facts": facts}), (OWN, {"own": own})):
        with _target(source).open("wb") as file:
            save_weights(file, parts, spelled()[source], mark)
        print(source, {name: one.values.shape for name, one in parts.items()}, file=sys.stderr)


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(
            0 if check() else "the weights are not what the messages give: run it without --check"
        )
    main()
