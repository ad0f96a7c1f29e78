"""Pure: where a recall is made; what is kept from turn to turn is kept by it."""

from typing import NamedTuple

from memory_core.values import Scope, ScopeKey, SessionRef


class Place(NamedTuple):
    """A session as one person has it; many may share a session key, and one scope spans many sessions."""

    scopes: tuple[ScopeKey, ...]
    agent_id: str
    session_key: str
    person: tuple[str, ...]


def place_of(ref: SessionRef, scope: Scope) -> Place:
    """Where this recall or turn happens."""
    person = (ref.user_id or "", ref.channel or "", ref.sender_id) if ref.sender_id else (ref.user_id or "",)
    return Place(scopes=scope.reads, agent_id=ref.agent_id, session_key=ref.session_key, person=person)


def for_everybody(place: Place) -> Place:
    """The same session, whoever speaks."""
    return place._replace(person=())


def is_session(place: Place, ref: SessionRef) -> bool:
    """Whether a place lies in the session of a reference, whose person may not be known."""
    return (place.agent_id, place.session_key) == (ref.agent_id, ref.session_key)
