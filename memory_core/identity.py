"""Whose memory a turn reads and writes: from what the gateway saw to one scope; SPEC section 2.

What can't be told apart gets no private memory, never somebody else's. Everything here is pure.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b

from memory_core.settings import IdentitySettings, ScopeRule
from memory_core.values import ChatType, Scope, ScopeKey, SessionRef, Trigger

PERSONAL_SPACE = "personal"
_PART_CHARS = 40
"""Longest readable part of a scope key; longer ones are cut and told apart by their hash."""
_ROOM = re.compile(r"^agent:[^:]+:(?P<channel>[^:]+):(?P<type>group|channel):(?P<chat>.+?)(?::(?:thread|topic):.*)?$")
_HTTP_USER = re.compile(r"^agent:[^:]+:openai-user:(?P<user>.+)$")
_AGENT = re.compile(r"^agent:(?P<agent>[^:]+):")
_NO_PERSON_TRIGGERS = frozenset({Trigger.CRON, Trigger.HEARTBEAT, Trigger.BOOT})


def complete(ref: SessionRef, *, given: frozenset[str] = frozenset()) -> SessionRef:
    """Fill in from the session key what the caller left out.

    Args:
        ref: The reference as it came.
        given: Names of the fields that the caller did give; those stay.
    """
    found: dict[str, object] = {}
    if agent := _AGENT.match(ref.session_key):
        found["agent_id"] = agent["agent"]
    if room := _ROOM.match(ref.session_key):
        found |= {"channel": room["channel"], "chat_type": ChatType(room["type"]), "chat_id": room["chat"]}
    if (user := _HTTP_USER.match(ref.session_key)) and not ref.sender_id:
        found |= {"channel": "openai-user", "sender_id": user["user"]}
    return replace(ref, **{name: value for name, value in found.items() if name not in given})


def resolve_scope(ref: SessionRef, settings: IdentitySettings) -> Scope:
    """The scope of a turn.

    Args:
        ref: A completed reference.
        settings: The rule, the owner's name and the accounts that belong together.
    """
    person = _person(ref, settings)
    shared = ref.chat_type is not ChatType.DIRECT
    is_owner = person == settings.user_id
    reads, writes = _keys(ref, settings.scope, person=person)
    if ref.trigger in _NO_PERSON_TRIGGERS and not shared:
        reads, writes = (), None
    return Scope(
        reads=reads,
        writes=None if ref.trigger is not Trigger.USER else writes,
        space=f"room-{_digest(_room(ref))}" if shared else PERSONAL_SPACE,
        speaker=ref.sender_name or (None if shared else _name_of(person, settings)) or ref.sender_id,
        is_owner=is_owner,
        shared=shared or settings.scope is ScopeRule.FIXED,
        reason=_reason(ref, writes=writes),
    )


def reduce_key(*parts: str) -> ScopeKey:
    """A readable key of bounded length: two different inputs never share one.

    Returns:
        Lower-case letters, digits, dots, dashes and underscores; with a hash where reducing lost something.
    """
    reduced = [re.sub(r"[^a-z0-9_-]+", "-", part.lower())[:_PART_CHARS] for part in parts]
    key = ".".join(reduced)
    return ScopeKey(key if reduced == list(parts) else f"{key}.{_digest(json.dumps(parts))}")


def opaque_label(ref: SessionRef, scope: Scope, *, day: str, number: int) -> str:
    """Label of a session: `<user>-<context>:<opaque user id>:<YYYYMMDD>:<NNN>`; in a group the room is the user."""
    context = "room" if scope.space != PERSONAL_SPACE else "personal"
    user = "owner" if scope.is_owner and context == "personal" else "guest"
    key = scope.writes or ref.session_key
    return f"{user}-{context}:{_digest(key)}:{day}:{number:03d}"


def _person(ref: SessionRef, settings: IdentitySettings) -> str | None:
    if ref.user_id:
        return ref.user_id
    account = f"{ref.channel or 'direct'}:{ref.sender_id}" if ref.sender_id else None
    linked = _linked(account, ref.sender_id, links=settings.identity_links) if account else None
    if linked:
        return linked
    if ref.is_owner:
        return settings.user_id
    return account


def _linked(account: str, sender: str | None, *, links: Mapping[str, Sequence[str]]) -> str | None:
    return next((person for person, accounts in links.items() if account in accounts or sender in accounts), None)


def _keys(ref: SessionRef, rule: ScopeRule, *, person: str | None) -> tuple[tuple[ScopeKey, ...], ScopeKey | None]:
    if ref.chat_type is ChatType.DIRECT:
        own = _direct_key(ref, rule, person=person)
        return ((own,), own) if own else ((), None)
    own = _room_key(ref, rule, person=person)
    return ((own,), own) if own else ((), None)


def _direct_key(ref: SessionRef, rule: ScopeRule, *, person: str | None) -> ScopeKey | None:
    if rule is ScopeRule.SESSION:
        return reduce_key("session", ref.agent_id, ref.session_key)
    if person is None:
        return None
    if rule is ScopeRule.FIXED:
        return reduce_key("fixed")
    if rule is ScopeRule.AGENT:
        return reduce_key("agent", ref.agent_id)
    if rule is ScopeRule.SENDER:
        return reduce_key("sender", ref.agent_id, person)
    return reduce_key("user", person)


def _room_key(ref: SessionRef, rule: ScopeRule, *, person: str | None) -> ScopeKey | None:
    if rule is ScopeRule.SESSION:
        return reduce_key("session", ref.agent_id, ref.session_key)
    if rule is ScopeRule.FIXED:
        return reduce_key("fixed-rooms")
    if rule is ScopeRule.AGENT:
        return reduce_key("agent-rooms", ref.agent_id)
    if rule is ScopeRule.SENDER:
        return reduce_key("sender-room", ref.agent_id, _room(ref), person) if person else None
    return reduce_key("room", _room(ref))


def _room(ref: SessionRef) -> str:
    return f"{ref.channel or ''}:{ref.chat_id or ref.session_key}"


def _name_of(person: str | None, settings: IdentitySettings) -> str | None:
    return None if person is None or person == settings.user_id else person.split(":", 1)[-1]


def _reason(ref: SessionRef, *, writes: ScopeKey | None) -> str | None:
    if ref.trigger is Trigger.SUBAGENT:
        return "a subagent reads its parent's memory and writes none"
    if ref.trigger is not Trigger.USER:
        return f"nothing is kept from a turn started by {ref.trigger}"
    if writes is None:
        return "it isn't known who is speaking, so there is no memory to use"
    return None


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()
