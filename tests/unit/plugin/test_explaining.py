from plugin.explaining import SHOWN, explained


def entry(**fields: object) -> dict[str, object]:
    row: dict[str, object] = {
        "kref": "kref://p/personal/m-1.fact",
        "text": "Ada rows",
        "score": 0.5,
        "parts": {},
        "outcome": "in the block",
    }
    return row | fields


def test_each_candidate_is_a_line_with_score_outcome_and_parts_in_columns() -> None:
    trace = [
        entry(score=0.8125, parts={"late": 0.25, "question": -1.5, "date": 0.0}),
        entry(score=0.1, outcome="left out: its score is below the threshold of 0.3"),
    ]
    head, first, second = explained(trace)
    assert first.startswith("0.812  in the block ")
    assert first.endswith("question -1.50 late +0.25  kref://p/personal/m-1.fact Ada rows")
    assert second.startswith("0.100  left out: its score is below the threshold of 0.3 ")
    assert {line.index(word) for line, word in ((head, "memory"), (first, "kref"), (second, "kref"))} == {
        head.index("memory")
    }


def test_hostile_text_can_not_steer_the_terminal() -> None:
    _, line = explained([entry(text="one\n\x1b[2Jtwo", outcome="a\nb")])
    assert "\x1b" not in line
    assert "one �[2Jtwo" in line


def test_a_long_text_and_a_long_list_are_cut() -> None:
    lines = list(explained([entry(text="word " * 100)] * (SHOWN + 3)))
    assert len(lines) == SHOWN + 2
    assert lines[1].endswith("…")
    assert lines[-1] == "... and 3 more with a lower score"


def test_nothing_found_is_a_table_without_rows() -> None:
    assert len(list(explained([]))) == 1
