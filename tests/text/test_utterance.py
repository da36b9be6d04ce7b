import pytest
from hypothesis import given
from hypothesis import strategies as st

from crab_graph.text.utterance import MAX_CLAUSE, name_form, normalise, read_message


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
        ("At St. Mary's. Two", ["at st. mary's.", "two"]),
        ("At Main St. $4 each", ["at main st.", "$4 each"]),
        ("At the best. Mary knows", ["at the best.", "mary knows"]),
        ("Paid .... $4", ["paid .... $4"]),
        ("Well... Two", ["well...", "two"]),
        ("FL-1\u00b9 and FL-2\u2074", ["fl-1 and fl-2"]),
        ("one; two", ["one;", "two"]),
        ("good but dear, however fine", ["good", "but dear,", "however fine"]),
        ("a butter dish", ["a butter dish"]),
        ("| A. B | C; D |", ["| a. b | c; d |"]),
        ("A. B | C; D", ["a.", "b | c;", "d"]),
        ("A. B | C; D |", ["a. b | c; d |"]),
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


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("`FL-1` and ```FL-2```", "fl-1 and fl-2"),
        ("a ~~ b", "a b"),
        ("a ~ b", "a ~ b"),
        ("\ufdfa", "\ufdfa"),
        ("\u0390", "\u0390"),
        ("_a_ b_c", "a b_c"),
    ],
)
def test_what_is_left_of_signs(text, normal):
    assert normalise(text) == normal


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("a" * MAX_CLAUSE, [MAX_CLAUSE]),
        ("a" * (MAX_CLAUSE + 1), [MAX_CLAUSE, 1]),
        ("a" * (MAX_CLAUSE - 1) + " bc", [MAX_CLAUSE - 1, 2]),
        ("a" * (MAX_CLAUSE - 2) + " b c", [MAX_CLAUSE, 1]),
        ("a" * MAX_CLAUSE + " b c", [MAX_CLAUSE, 3]),
        ("a" * 10 + " " + "b" * MAX_CLAUSE + " c", [10, MAX_CLAUSE, 1]),
        ("a" * 2 * MAX_CLAUSE, [MAX_CLAUSE, MAX_CLAUSE]),
    ],
)
def test_a_very_long_clause_is_read_in_pieces_cut_at_blanks(text, lengths):
    said = read_message(f"One\n{text}")
    pieces = [said.words(clause) for clause in said.clauses[1:]]
    assert [len(piece) for piece in pieces] == lengths
    assert "".join(pieces) == text.replace(" ", "") or " ".join(pieces) == text
    assert {clause.line for clause in said.clauses[1:]} == {1}


def test_a_place_between_clauses_belongs_to_the_one_before_and_one_before_all_to_the_first():
    said = read_message("One. Two")
    first, second = said.clauses
    held = [said.clause_at(place) for place in (-1, 0, 3, 4, 5, 7, 99)]
    assert held == [first, first, first, first, second, second, second]


def test_how_each_line_is_written():
    lines = read_message("# Trip\n\n- a\n  1. b\n***\nc\n | d | e |\n\n**f**\ng").lines
    told = [(one.marker, one.indent, one.depth, one.parent, one.is_apart) for one in lines]
    assert told == [
        ("#", 0, 0, None, True),
        ("-", 0, 1, 0, True),
        ("1.", 2, 2, 1, False),
        ("", 0, 0, None, False),
        ("|", 1, 0, None, False),
        ("**", 0, 0, None, True),
        ("", 0, 0, None, False),
    ]
