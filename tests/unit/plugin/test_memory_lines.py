from plugin.commands import memory_line


def test_a_memory_is_one_line_with_its_address_day_and_speaker() -> None:
    memory = {
        "kref": "kref://CognitiveMemory/personal/boat.fact",
        "kind": "fact",
        "text": "The boat is green.",
        "score": 0.7123,
        "eventAt": "2026-05-03T10:00:00+00:00",
        "speaker": "Ines",
    }
    assert (
        memory_line(memory)
        == "0.71  kref://CognitiveMemory/personal/boat.fact  [fact]  The boat is green.  (2026-05-03, Ines)"
    )


def test_text_and_speaker_can_not_break_the_line() -> None:
    memory = {"kref": "kref://p/s/x.fact", "kind": "fact", "text": "one\ntwo\x1b[2J", "speaker": "a\nb"}
    assert memory_line(memory) == "kref://p/s/x.fact  [fact]  one two�[2J  (a b)"
