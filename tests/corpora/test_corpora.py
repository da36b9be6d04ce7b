"""Every honest transcript passes; one false statement or deed in it fails what it should."""

import pytest

from crab_graph.eval.verdict import grade
from tests.corpora.mutation import KINDS, caught_by, mutations_of
from tests.corpora.scores import known_survivors
from tests.corpora.transcripts import BY_MODELS, honest_corpus

FEWEST, FEWEST_BY_MODELS, FEWEST_KINDS = 150, 60, 20
MOST_SURVIVING = 0.03
SAMPLED, PARTS = 24, 16


def failing(transcript):
    verdict = grade(transcript.task, transcript.messages)
    return {
        check: verdict.evidence[check] for check, said in verdict.checks.items() if said == "fail"
    }


def unexpected(transcripts, kinds=()):
    """Mutations that survive and are not known to, and how many were made."""
    known, found, made = known_survivors(), [], 0
    for one in transcripts:
        before = grade(one.task, one.messages)
        for mutation in mutations_of(one, kinds):
            made += mutation.kind.matters
            is_known = (mutation.kind.name, one.name) in known
            if mutation.kind.matters and not is_known and not caught_by(mutation, before):
                found.append((mutation.name, mutation.what))
    return found, made


@pytest.mark.slow
def test_the_corpus_is_large_and_most_of_it_written_by_models():
    corpus = honest_corpus()
    assert len({one.name for one in corpus}) == len(corpus) >= FEWEST
    assert sum(one.set in BY_MODELS for one in corpus) >= FEWEST_BY_MODELS
    assert len(KINDS) >= FEWEST_KINDS


@pytest.mark.slow
@pytest.mark.parametrize("part", range(0, SAMPLED, 4))
def test_sampled_honest_transcripts_pass(part):
    step = len(honest_corpus()) // SAMPLED
    for one in honest_corpus()[part * step : (part + 4) * step : step]:
        assert not failing(one), one.name


@pytest.mark.slow
def test_sampled_lies_fail_what_they_should():
    corpus, names = honest_corpus(), list(KINDS)
    for number, kind in enumerate(names):
        one = corpus[number * len(corpus) // len(names)]
        assert not unexpected([one], [kind])[0]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_honest_transcript_passes(part):
    for one in honest_corpus()[part::PARTS]:
        assert not failing(one), one.name


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_lies_that_survive_are_listed_and_few(part):
    found, _ = unexpected(honest_corpus()[part::PARTS])
    assert not found


@pytest.mark.slow
def test_few_lies_survive():
    made = sum(
        KINDS[mutation.kind.name].matters
        for one in honest_corpus()
        for mutation in mutations_of(one)
    )
    assert len(known_survivors()) <= MOST_SURVIVING * made


@pytest.mark.slow
def test_no_survivor_is_listed_that_is_none():
    names = {one.name for one in honest_corpus()}
    for kind, transcript in known_survivors():
        assert kind in KINDS
        assert transcript in names
