import pytest

from memory_core.dream.frames import replaces


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The ladder is in the cellar.", "The ladder is behind the barn now."),
        ("My train ticket costs 40 euros.", "My train ticket costs 44 euros now."),
        ("Our choir rehearsal is on Monday at 20:00.", "Our choir rehearsal was moved to Wednesday at 20:00."),
        ("The beam has a length of 3 metres.", "Correction: the beam has a length of 4 metres."),
        ("My brother works at the harbour office.", "My brother works at the customs office now."),
        ("Our parrot is called Coco.", "No, our parrot is called Kiki."),
        ("We host the archive on Dropbox.", "We moved the archive from Dropbox to a machine of our own."),
        ("I have a subscription to the Tribune.", "I cancelled my subscription to the Tribune."),
        ("I drive a green Corolla.", "I sold the Corolla and drive a van now."),
        ("The caretaker is Mr Lind.", "The caretaker is Mrs Falk now."),
        ("I weigh 82 kilos.", "I weigh 79 kilos now."),
        ("The museum opens on 2 April.", "The museum opens on 9 April, not 2 April."),
    ],
)
def test_another_value_and_a_word_that_says_so_replace(older: str, newer: str) -> None:
    assert replaces(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The ladder is in the cellar.", "The ladder is in the barn."),  # nothing says that it changed
        ("The ladder is in the cellar.", "The rope is in the barn now."),
        ("The ladder is in the cellar.", "The ladder is in use now."),
        ("The ladder is in the cellar.", "The ladder is broken now."),
        ("The ladder is in the cellar.", "Is the ladder in the barn now?"),
        ("The ladder is in the cellar.", "Maybe the ladder is in the barn now."),
        ("I have a dog called Otto.", "I have a cat called Momo now."),
        ("I have a picture of the Corolla.", "I sold the Corolla."),
        ("I have a subscription to the Tribune.", "I cancelled my subscription to the Herald."),
        ("The caretaker is Mr Lind.", "The caretaker is ill now."),
        ("The caretaker is tall.", "The caretaker is Mrs Falk now."),
        ("I like rye bread.", "I like spelt bread now."),
        ("The meeting is on Thursday.", "The meeting is on Friday now."),
        ("Our choir is on Monday.", "Our choir is in room 4 now."),
        ("I work at Nokia.", "I work at my desk now."),
        ("My brother works at Nokia.", "My brother works on the third floor now."),
        ("My sister lives in Faro.", "My brother lives in Braga now."),
        ("Dropbox sent us a bill for the archive.", "We moved the archive from Dropbox to a machine of our own."),
        ("Bo hosts the archive on Dropbox.", "We moved the archive from Dropbox to a machine of our own."),
    ],
)
def test_a_mention_of_another_value_replaces_nothing(older: str, newer: str) -> None:
    assert not replaces(older, newer)
