import time

from memory_core.capture.tables import read_tables


def test_two_columns_become_pairs_and_the_heads_go() -> None:
    text = "Costs:\n| item | price |\n|------|------:|\n| boards | 240 EUR |\n| screws | 18 EUR |\nThat is all."
    assert read_tables(text) == "Costs:\nboards: 240 EUR\nscrews: 18 EUR\nThat is all."


def test_more_columns_carry_their_heads() -> None:
    text = "| train | leaves | gate |\n|---|---|---|\n| ICE 618 | 16:51 | 7 |\n| IC 2013 | 17:20 | |"
    assert read_tables(text) == "ICE 618: leaves 16:51, gate 7\nIC 2013: leaves 17:20\n"


def test_what_is_no_table_stays() -> None:
    for text in ("a | b", "| only one row |", "cat x | grep y | wc -l", "|x| is the absolute value of x\nfor all x"):
        assert read_tables(text) == text


def test_time_stays_linear() -> None:
    for piece in ("|", "| a ", "| a |\n", "|---|\n", "| a |\n|---|\n"):
        begin = time.process_time()
        read_tables((piece * 32_000)[:32_000])
        assert time.process_time() - begin < 1.0
