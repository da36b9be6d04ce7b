import pytest
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.text.utterance import name_form, normalise, read_message


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Book **FL-48213**, _please_", "book fl-48213, please"),
        ("FL\u2011482\u200b13 and FL\u201320955", "fl-48213 and fl-20955"),
        ("seen<!-- FL-48213 -->here", "seenhere"),
        ("open <!-- FL-48213", "open"),
        ("a<br>b <b>c</b>", "a b c"),
        ("[the hotel](https://example.com/HT-3316)", "the hotel"),
        ("[//]: # (HT-3316)", ""),
        ("tag\U000e0046\U000e004c characters", "tag characters"),
        ("\u201cJuniper\u2019s\u201d", '"juniper\'s"'),
        ("now \u2014 later", "now - later"),
        ("now\u2014later", "now - later"),
        ("9\u201310", "9-10"),
        ("from 9 \u2013 10", "from 9 \u2013 10"),
        ("\uff04\uff13\uff10\uff10", "$300"),
        ("2 * $150 and 2*$150", "2 * $150 and 2*$150"),
        ("**$300.00** for two", "$300.00 for two"),
        ("snake_case stays", "snake_case stays"),
        ("~$300, ~~$400~~ $200", "~$300, $200"),
        ("Caf\u00e9", "caf\u00e9"),
        ("$300 < $400 > $200", "$300 < $400 > $200"),
    ],
)
def test_only_what_a_reader_sees_is_left(text, normal):
    assert normalise(text) == normal


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalise(normalise(text)) == normalise(text)


def test_names_ignore_full_stops_apostrophes_and_ampersands():
    assert name_form(normalise("St. Mary's Bed & Breakfast")) == "st marys bed and breakfast"


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("One. Two", ["one.", "two"]),
        ("One. two", ["one. two"]),
        ("It is $3.50. $4 more", ["it is $3.50.", "$4 more"]),
        ("Yes! 4 of them", ["yes!", "4 of them"]),
        ('Yes. "Quoted"', ["yes.", '"quoted"']),
        ("Yes, FL-1: good - really", ["yes, fl-1: good - really"]),
        ("one; two", ["one;", "two"]),
        ("good but dear, however fine", ["good", "but dear,", "however fine"]),
        ("a butter dish", ["a butter dish"]),
        ("| A. B | C; D |", ["| a. b | c; d |"]),
        ("|---|---|\n| A | B |", ["| a | b |"]),
        ("1. Outbound. Fine", ["outbound.", "fine"]),
        ("", []),
    ],
)
def test_clauses_end_where_a_sentence_or_a_contrast_does(text, clauses):
    utterance = read_message(text)
    assert [utterance.words(clause) for clause in utterance.clauses] == clauses


@pytest.mark.parametrize(
    ("text", "parent"),
    [
        ("Hotel:\n- Price", "hotel:"),
        ("- Hotel\n  - Price", "hotel"),
        ("- Hotel\n- Price", None),
        ("Hotel:\n\n- Price", None),
        ("## Hotel\n\n- Price", "hotel"),
        ("**Hotel**\n\n- Price", "hotel"),
        ("## Hotel\n\n\n- Price", None),
        ("- Hotel\nPrice", None),
        ("Hotel\n  - Room\n- Price", "hotel"),
    ],
)
def test_the_parent_is_the_nearest_shallower_line_above(text, parent):
    utterance = read_message(text)
    line = utterance.parent(utterance.clauses[-1])
    assert (utterance.text[line.start : line.end] if line else None) == parent


@given(st.text())
def test_clauses_and_lines_are_spans_of_the_text(text):
    utterance = read_message(text)
    assert " ".join(utterance.words(clause) for clause in utterance.clauses) == utterance.text
    for index, line in enumerate(utterance.lines):
        assert line.parent is None or line.parent < index
