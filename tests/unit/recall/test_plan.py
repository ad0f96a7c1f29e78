"""What a question asks for besides its words."""

from datetime import UTC, datetime

import pytest

from memory_core.recall.plan import Plan, plan

ASKED = datetime(2025, 6, 11, 12, tzinfo=UTC)
PAIR = {"Ana": 50, "Bruno": 50}


def read(question: str, *, speakers: dict[str, int] | None = None, asker: str | None = None) -> Plan:
    return plan(question, asked_at=ASKED, zone="UTC", speakers=PAIR if speakers is None else speakers, asker=asker)


@pytest.mark.parametrize(
    ("question", "speaker"),
    [
        ("What did Ana buy?", "Ana"),
        ("What is ana's favourite tea?", "Ana"),
        ("What do Ana and Bruno share?", None),
        ("What did Carla buy?", None),
        ("How is the banana bread made?", None),
    ],
)
def test_one_named_speaker_is_asked_about(question: str, speaker: str | None) -> None:
    assert read(question).speaker == speaker


def test_whoever_says_i_asks_about_themselves() -> None:
    assert read("When is my birthday?", asker="Bruno").speaker == "Bruno"
    assert read("When is Ana's birthday? I forgot", asker="Bruno").speaker == "Ana"
    assert read("When is the fair?", asker="Bruno").speaker is None


def test_names_of_those_who_say_most_are_quiet() -> None:
    assert read("What did Ana tell Bruno about Carla?").quiet == {"ana", "bruno"}


def test_a_rare_speaker_is_not_quiet() -> None:
    read_in_group = read("What did Carla say?", speakers={"Ana": 500, "Bruno": 480, "Carla": 20})
    assert (read_in_group.speaker, read_in_group.quiet) == ("Carla", frozenset())


def test_each_word_of_a_long_name_counts() -> None:
    asked = read("What did Ana Sofia paint?", speakers={"Ana Sofia": 9, "Bruno": 9})
    assert (asked.speaker, asked.quiet) == ("Ana Sofia", {"ana", "sofia"})


def test_an_empty_scope_names_nobody() -> None:
    assert read("Is my key lost?", speakers={}) == Plan(reading="Is my key lost?")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who fixed the boiler?", True),
        ("Where does Ana swim?", True),
        ("What is the name of his dog?", True),
        ("Which films did they see?", True),
        ("What book did Ana lend me?", True),
        ("Do you know where she lives?", False),
        ("What did Ana say about the boat?", False),
        ("How does he feel?", False),
    ],
)
def test_a_wish_for_a_name_is_seen(question: str, name: bool) -> None:  # noqa: FBT001 - one row of the table
    assert read(question).asks_name is name


@pytest.mark.parametrize(
    ("question", "when", "number"),
    [
        ("When did she move?", True, False),
        ("What year was the house built?", True, False),
        ("In which month do we fly?", True, False),
        ("Do you remember when we met?", True, False),
        ("How long ago was that?", True, True),
        ("How many cats does he have?", False, True),
        ("What is the price of the oak table?", False, True),
        ("Call me when you arrive", False, False),
        ("What does he do?", False, False),
    ],
)
def test_a_wish_for_a_date_or_a_number_is_seen(question: str, when: bool, number: bool) -> None:  # noqa: FBT001, PLR0917 - one row of the table
    asked = read(question)
    assert (asked.asks_when, asked.asks_number) == (when, number)


@pytest.mark.parametrize(
    ("question", "history"),
    [
        ("What did I use before?", True),
        ("Which editor did I use to use? The one I used to like", True),
        ("What was my previous address?", True),
        ("Where did we live back then?", True),
        ("Did I lock the door before I left?", False),
        ("What is my address?", False),
        ("Call me before noon", False),
    ],
)
def test_a_question_about_the_past_is_seen(question: str, history: bool) -> None:  # noqa: FBT001 - one row of the table
    assert read(question).wants_history is history


def test_periods_are_part_of_the_plan() -> None:
    (period,) = read("What did we do in May 2024?").periods
    assert period.since == datetime(2024, 5, 1, tzinfo=UTC)
