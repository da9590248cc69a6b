"""The clean-up of replies: wrappings go, and a good question comes through whole, whatever names it holds."""

from __future__ import annotations

import pytest

from baselines.post_processing import post_process

ASKED = "Who led Norway after 2004?"


@pytest.mark.parametrize(
    "question",
    [
        "Who was president of the U.S. after Ida Holt?",
        "Who succeeded Martin Roe Jr. as president of the league?",
        "Who ran Yahoo! Inc. before Ida Holt?",
        "Who hosted Jeopardy! before Ida Holt?",
        "Which actor played Dr. Who before 1980?",
        "Who managed Arn F.C. between 2001 and 2004?",
        "Who hosted Who Wants to Be a Millionaire? before Ida Holt?",
        'Who starred in "Who\'s Afraid of Virginia Woolf?" after 2004?',
        "Who starred in What's Up, Doc? while Bo Lind was president?",
        "Who directed Star Wars: The Force Awakens after Lost ended?",
        "In which film did Dr. Who appear after 2004?",
        "After Ida Holt Jr. left, who joined?",
    ],
)
def test_a_question_comes_through_whole(question: str) -> None:
    assert post_process(question) == question
    assert post_process(f"Sure! {question}") == question
    assert post_process(f"```\n**Question:** {question}\n```\nIt asks for one person.") == question


@pytest.mark.parametrize(
    "reply",
    [
        "*{}*",
        "_{}_",
        "> {}",
        "Question - {}",
        "Question 2: {}",
        "<question>{}</question>",
        "<b>{}</b>",
        "「{}」",
        "\ufeff{}",
        "'{}'",
        "Q: {}",
        "Here is one. {}",
        "Who led Arn? {}",
        "Who led Arn?\n{}",
        '{{"question": "{}"}}',
        '```json\n{{"thought": "Who?", "question": "{}", "answer": "Bo"}}\n```',
        "**Final question:** *{}*",
    ],
)
def test_wrappings_and_talk_go(reply: str) -> None:
    assert post_process(reply.format(ASKED)) == ASKED


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ('{"question": "Who wrote \\"Emma\\" first?"}', 'Who wrote "Emma" first?'),
        ('{"question": "Who led \\u0141\\u00f3d\\u017a", "answer": "Bo"}', "Who led Łódź?"),
        ("'Who led Norway's party?'", "Who led Norway's party?"),
        ('"Who wrote "Emma" first?"', 'Who wrote "Emma" first?'),
        ("The answer is Bo. In which year did he lead Arn?", "In which year did he lead Arn?"),
        ('"Emma" was written by whom?', '"Emma" was written by whom?'),
        ("谁在2004年之后领导挪威？", "谁在2004年之后领导挪威？"),
        ("Name the leader of Norway.", "Name the leader of Norway?"),
        ("", ""),
        (' \n"" ```', ""),
    ],
)
def test_quotes_and_escapes_within_a_question_stay_as_they_read(reply: str, question: str) -> None:
    assert post_process(reply) == question


@pytest.mark.parametrize("part", ["a. In ", "```  ", "Who ", "> ", "'a'b ", "question ", "In a? ", "? ", " \n"])
def test_a_long_reply_takes_no_longer_than_its_length_asks_for(part: str) -> None:
    assert len(post_process(part * 20_000)) <= len(part) * 20_000 + 1
