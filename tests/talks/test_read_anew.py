"""What language models asked in kept talks, put to users of other tasks."""

from benchmarks.read_anew import put_to, questions_of
from crab_graph.domains.generate import generate_benchmark


def test_what_is_asked_of_anybody_is_kept_up_to_the_first_plan():
    said = [
        "Thanks, Ana. You said 3 stars, is that firm? Which seats would you like?",
        "1. Hotel: any wishes?\n2. Is June 5 right?\n3. Your budget?",
        "My plan: FL-48213. Shall I book it? Any other wish?",
        "What else?",
    ]
    assert questions_of(said) == [
        "Which seats would you like?",
        "Hotel: any wishes?\nYour budget?",
    ]


def test_each_question_gets_one_answer(tmp_path):
    (task,) = generate_benchmark(tmp_path / "bench", tasks=1, strata=(1,), distractors=60)
    asked = ["What are your wishes for the hotel?", "And your total budget?"]
    said = put_to(task, asked, 1)
    assert [one["content"] for one in said if one["role"] == "assistant"] == asked
    assert sum(one["role"] == "user" for one in said) == len(asked) + 1
