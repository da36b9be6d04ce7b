"""Train the model that tells what a message as a whole wants to know (`personas/meanings.py`).

It learns from `tests/personas/ways`, messages written each for one meaning, and from the labelled
messages of `tests/personas/agent_messages`, which mean none of these where their labels say so.

    python -m benchmarks.train_meanings            # writes the weights
    python -m benchmarks.train_meanings --held     # scores writers that were not learned from
"""

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from benchmarks.train_reader import BRIEFINGS, load, sets
from crab_graph.personas import meanings
from crab_graph.personas.clause_words import ClauseWords
from crab_graph.personas.meanings import (
    NOTHING,
    SHIPPED,
    MeaningModel,
    letters_of,
    runs_of,
    tokens_of,
)
from crab_graph.personas.understanding import Reading
from crab_graph.personas.weight_files import packed

ROOT = Path(__file__).resolve().parents[1]
WAYS = ROOT / "tests" / "personas" / "ways"
PLAIN = frozenset(
    "facts several recap approve two_options approvals closing wait human joint declined".split()
)
"""What is read by other means: to this model it means nothing."""
UNSURE = frozenset(
    "open_question closing asks_method asks_card asks_change offers_extra asks_choice".split()
)
"""Intents of labelled messages that may be one of the meanings: such messages are left out."""
RARE = 3
"""Messages a feature must be found in."""
KEPT = 24_000
"""Features that are shipped: those that weigh most."""
HOUSE_TIMES = 4
"""How often each message of `ways/house.jsonl` counts: plain ways to ask for other things."""
SAMPLED = 20
"""One message in so many is looked at to tell whether messages are read as they were."""
ROUNDING = 0.05
"""So much the last digits of sums may change a probability."""
FREEDOM = 80.0
"""How far weights may grow (the inverse of the ridge)."""

Example = tuple[list[str], str]


def ways() -> Iterator[tuple[str, str, str]]:
    """Yield writer, meaning and text of each message of the ways to ask."""
    for path in sorted(WAYS.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            yield path.stem, NOTHING if row["act"] in PLAIN else row["act"], row["text"]


def others() -> Iterator[tuple[str, str, str]]:
    """Yield the labelled messages that mean nothing of what is learned."""
    for name in sets():
        for message in load(name):
            if UNSURE.isdisjoint(message["labels"]["intents"]):
                yield name, NOTHING, message["text"]


def tokens(text: str) -> list[str]:
    """Return the words of a message as the model reads it."""
    known = BRIEFINGS["travel"]
    reading = Reading(text, known.lexicon, known.slots)
    return tokens_of(reading.segments, ClauseWords(known.lexicon, reading.prefixes))


def train(examples: Sequence[Example]) -> MeaningModel:
    """Return the weights that tell what messages mean, the lightest features left out."""
    counted = [(runs_of(words), letters_of(words)) for words, _ in examples]
    found = Counter(name for pair in counted for one in pair for name in one)
    names = sorted(name for name, count in found.items() if count >= RARE)
    wanted = [meaning for _, meaning in examples]
    first = _fit(names, found, counted, wanted)
    heaviest = np.argsort(-_weight(first), kind="stable")[:KEPT]
    kept = sorted(names[place] for place in heaviest)
    return _fit(kept, found, counted, wanted)


def _weight(model: MeaningModel) -> Any:
    return np.abs(model.values.astype(float)).max(axis=1) * model.rarity


def _fit(
    names: Sequence[str], found: Counter[str], counted: Sequence[Any], wanted: Sequence[str]
) -> MeaningModel:
    rarity = np.array([1 + np.log((1 + len(counted)) / (1 + found[one])) for one in names])
    rows = {name: place for place, name in enumerate(names)}
    blank = MeaningModel((), rows, rarity.astype(np.float32), np.zeros((0, 0), np.int8), rarity, 1)
    places, weights, ends = list[int](), list[float](), [0]
    for pair in counted:
        for one in pair:
            at, heavy = blank.weighted(one)
            places += at
            weights += heavy.tolist()
        ends.append(len(places))
    matrix = sp.csr_matrix((weights, places, ends), shape=(len(counted), len(names)))
    model = LogisticRegression(C=FREEDOM, max_iter=400, class_weight="balanced", tol=1e-5)
    model.fit(matrix, wanted)
    values = model.coef_.T
    step = float(np.abs(values).max() / 127)
    return MeaningModel(
        tuple(model.classes_),
        rows,
        blank.rarity,
        np.rint(values / step).astype(np.int8),
        model.intercept_,
        step,
    )


def stamp() -> str:
    """Return a digest of what the weights are learned from, and of how it is read.

    That is the messages, this script, and the words of some of them as the model reads these.
    """
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(WAYS.glob("*.jsonl")):
        digest.update(path.read_bytes())
    for _, meaning, text in [*ways(), *others()][::SAMPLED]:
        digest.update(repr((meaning, tokens(text))).encode())
    return digest.hexdigest()[:16]


def are_alike(model: MeaningModel, other: MeaningModel) -> bool:
    """Tell whether two models say alike of nearly all messages, up to how sums were rounded."""
    shown = [tokens(text) for _, _, text in ways()][::SAMPLED]
    pairs = [(model.chances(words), other.chances(words)) for words in shown]
    apart = (max(abs(one[name] - two[name]) for name in one) for one, two in pairs)
    return model.meanings == other.meanings and all(gap < ROUNDING for gap in apart)


def save(model: MeaningModel, path: Path) -> None:
    """Write weights to a file, with the digest of what they come from."""
    np.savez_compressed(
        path,
        allow_pickle=False,
        rarity=model.rarity,
        values=model.values,
        start=model.start,
        step=np.array(model.step),
        meanings=packed(model.meanings),
        rows=packed(model.rows),
        stamp=packed([stamp()]),
    )


def examples(names: Sequence[str] = ()) -> tuple[list[Example], list[Example]]:
    """Return all examples to learn from, and those of some writers that are held out."""
    learned, held = list[Example](), list[Example]()
    for writer, meaning, text in ways():
        times = HOUSE_TIMES if writer == "house" else 1
        (held if writer in names else learned).extend([(tokens(text), meaning)] * times)
    for place, (_, meaning, text) in enumerate(others()):
        (held if names and place % 4 == 0 else learned).append((tokens(text), meaning))
    return learned, held


def score(model: MeaningModel, held: Sequence[Example]) -> None:
    """Print how often each meaning is found, and what it is taken for."""
    taken: dict[str, Counter[str]] = {}
    for words, meaning in held:
        taken.setdefault(meaning, Counter())[model.meant(words) or NOTHING] += 1
    for meaning, found in sorted(taken.items()):
        wrong = {name: count for name, count in found.most_common(5) if name != meaning}
        print(f"{meaning:14} {found[meaning]:4} of {found.total():4}  {wrong}")
    acts = [(m, found) for m, found in taken.items() if m != NOTHING]
    right, all_of = sum(found[m] for m, found in acts), sum(found.total() for _, found in acts)
    plain = taken.get(NOTHING, Counter())
    print(f"meanings {right} of {all_of} ({right / max(all_of, 1):.1%})", end=", ")
    print(f"nothing {plain[NOTHING]} of {plain.total()}")


def main() -> None:
    """Train and write, or score held-out writers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--held", nargs="*", metavar="WRITER")
    held_out = parser.parse_args().held
    learned, held = examples(held_out or ())
    model = train(learned)
    if held_out is not None:
        score(model, held)
        return
    save(model, Path(meanings.__file__).with_name(Path(SHIPPED).name))
    print(len(learned), "messages,", len(model.rows), "features,", len(model.meanings), "meanings")


if __name__ == "__main__":
    main()
