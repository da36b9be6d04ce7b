import pytest

from crab_graph.text.mentions import MentionForm, disclosed, find_mentions
from crab_graph.text.utterance import read_message
from tests.text.catalogues import small_catalogue

CATALOGUE = small_catalogue()


def disclosed_by(text, form=None):
    mentions = disclosed(find_mentions(read_message(text), CATALOGUE))
    return [item.entity_id for item in mentions if form is None or item.form is form]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("I found (fl-100), at 9", ["FL-100"]),
        ("I found FL-1000", ["FL-1000"]),
        ("seat FL-100-04B", []),
        ("FL-100_x", []),
        ("XFL-100", []),
        ("A-FL-100", []),
        ("FL-100 - good", ["FL-100"]),
        ("FL-100- good", ["FL-100"]),
        ("FL-100\u2013FL-110", []),
        ("FL-100/FL-200", ["FL-100", "FL-200"]),
        ("FL-100's price", ["FL-100"]),
        ("FL\u2011100", ["FL-100"]),
        ("FL<!-- -->-100", ["FL-100"]),
        ("<!-- FL-100 -->", []),
    ],
)
def test_an_id_is_mentioned_only_as_a_whole_token(text, ids):
    assert disclosed_by(text) == ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("The Juniper Court is fine", ["HT-10"]),
        ("The Juniper\nCourt is fine", ["HT-10"]),
        ("**Juniper Court**.", ["HT-10"]),
        ("Juniper Court's rooms", ["HT-10"]),
        ("hotel:Juniper Court", ["HT-10"]),
        ("Juniper Courtyard", []),
        ("Juniper", []),
        ("The Juniper Court Annex is fine", ["HT-11"]),
        ("Juniper Court and Juniper Court Annex", ["HT-10", "HT-11"]),
        ("st marys tour and show", ["AT-21"]),
        ("St. Mary\u2019s Tour & Show", ["AT-21"]),
    ],
)
def test_a_name_is_mentioned_only_in_full_and_the_longest_wins(text, ids):
    assert disclosed_by(text, MentionForm.NAME) == ids


@pytest.mark.parametrize(
    ("text", "is_disclosed"),
    [
        ("I recommend FL-100", True),
        ("I would not recommend FL-100", False),
        ("I wouldn't recommend the early FL-100", False),
        ("I cannot book FL-100", False),
        ("I will never suggest FL-100", False),
        ("I would not book it, so take FL-100", True),
        ("I would not recommend waiting and I propose FL-100", True),
        ("I will not book FL-100 until you confirm", True),
        ("I won't book FL-100 without your approval", True),
        ("I did not recommend it. FL-100 is good", True),
        ("Rather than FL-100 I found another", False),
        ("rather than the FL-100", False),
        ("rather than the very early FL-100", True),
        ("avoid FL-100", False),
        ("we avoid; FL-100", True),
        ("FL-100 is sold out", False),
        ("FL-100 is sadly not available", False),
        ("FL-100 does not fit", False),
        ("FL-100 exceeds the budget", False),
        ("FL-100 is a very early flight and sold out", True),
        ("FL-100 is available", True),
        ("~~FL-100~~ is what I meant", False),
    ],
)
def test_a_negated_mention_does_not_disclose(text, is_disclosed):
    assert bool(disclosed_by(text)) is is_disclosed


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("FL-100 (not FL-101)", {"FL-100"}),
        ("FL-100 (FL-101 is sold out)", {"FL-100"}),
        ("FL-100 (sold out), so FL-101", {"FL-101"}),
        ("I would not recommend Juniper Court (HT-10)", set()),
        ("I would not recommend HT-10, Juniper Court", set()),
        ("FL-100 and FL-101 are sold out, FL-200 is free", {"FL-200"}),
        ("Instead of FL-100 or FL-101 take FL-200", {"FL-200"}),
        ("I cannot book FL-100 today, FL-101 is free", {"FL-101"}),
        ("FL-101 (FL-100 and HT-10 are excluded) FL-200", {"FL-101", "FL-200"}),
    ],
)
def test_a_denial_reaches_the_nearest_reference_and_no_further(text, ids):
    assert set(disclosed_by(text)) == ids


def test_one_sound_mention_is_enough():
    assert disclosed_by("FL-100 is good. FL-100 is sold out") == ["FL-100"]


def test_eleven_ids_of_a_type_disclose_none_of_it_and_ten_do():
    ten = ", ".join(f"FL-{number}" for number in range(100, 110))
    assert len(disclosed_by(f"{ten} and HT-10")) == 11
    assert disclosed_by(f"{ten}, not FL-110, and HT-10") == ["HT-10"]


def test_the_cap_counts_distinct_ids():
    assert disclosed_by(" ".join(["FL-100"] * 11)) == ["FL-100"] * 11


def test_too_many_ids_leave_the_names_disclosed():
    hotels = ", ".join(f"HT-{number}" for number in range(10, 21))
    assert disclosed_by(f"{hotels}: Juniper Court") == ["HT-10"]
