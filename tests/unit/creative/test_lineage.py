"""Walking lineage: nearest first, each once, bounded, also in a circle."""

from collections.abc import Sequence

from memory_core.creative.lineage import MAX_RELATIVES, MAX_STEPS, Relative, walk


def steps(found: Sequence[Relative]) -> list[tuple[str, int]]:
    return [(one.node, one.steps) for one in found]


def walked(
    start: Sequence[str], pairs: Sequence[tuple[str, str]], *, kin: Sequence[Sequence[str]] = ()
) -> list[Relative]:
    def family(nodes: Sequence[str]) -> list[str]:
        return [member for group in kin if set(group) & set(nodes) for member in group]

    return walk(start, edges=lambda nodes: [pair for pair in pairs if pair[0] in nodes], kin=family)


def test_the_nearest_come_first_and_each_once() -> None:
    pairs = [("c", "b"), ("b", "a"), ("c", "a"), ("a", "seed")]
    assert steps(walked(["c"], pairs)) == [("b", 1), ("a", 1), ("seed", 2)]


def test_a_circle_ends() -> None:
    assert steps(walked(["a"], [("a", "b"), ("b", "c"), ("c", "a")])) == [("b", 1), ("c", 2)]


def test_other_revisions_of_what_was_reached_lead_on_but_are_no_relatives_themselves() -> None:
    pairs = [("poster", "plan 2"), ("plan 1", "draft")]
    assert steps(walked(["poster"], pairs, kin=[["plan 1", "plan 2"]])) == [("plan 2", 1), ("draft", 2)]


def test_long_and_wide_lineage_is_bounded() -> None:
    chain = [(str(number), str(number + 1)) for number in range(100)]
    assert len(walked(["0"], chain)) == MAX_STEPS
    fan = [("x", str(number)) for number in range(500)]
    assert len(walked(["x"], fan)) == MAX_RELATIVES
