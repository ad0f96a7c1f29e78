"""A place is told from a tool by a list of names; a word that means a tool more often is none."""

import pytest

from memory_core.claims.places import is_place


@pytest.mark.parametrize("name", ["Lisbon", "porto", "Rio de Janeiro", "New York", "Portugal", "the Netherlands"])
def test_towns_and_countries_are_places(name: str) -> None:
    assert is_place(name)


@pytest.mark.parametrize("name", ["Vim", "Postgres", "React", "Java", "Accounting", "Friday", "", "the sofa"])
def test_tools_and_departments_are_not(name: str) -> None:
    assert not is_place(name)
