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
HTTP_CHANNEL = "http"
"""Channel of the users of the gateway's HTTP endpoint: each is a person of their own, never the owner."""
_PART_CHARS = 40
"""Longest readable part of a scope key; longer ones are cut and told apart by their hash."""
_HASH_BYTES = 16
_LABEL_BYTES = 6
"""Enough to tell labels apart for people; nothing is decided by a label."""
_HASH = re.compile(rf"[0-9a-f]{{{2 * _HASH_BYTES}}}")
_ROOM = re.compile(
    r"^agent:[^:]+:(?P<channel>[^:]+)(?::(?!direct:|dm:)[^:]+)??:(?P<type>group|channel|room):(?P<chat>.+?)"
    r"(?::(?:thread|topic):.*)?$"
)
"""Between channel and room the account of the bot may stand: whoever is in the room reads what either of them said."""
_HTTP = re.compile(r"^agent:[^:]+:(?:openai|openresponses)(?:-user:(?P<user>.+)|:.*|)$")
_MACHINE = re.compile(r"^(?:agent:[^:]+:)?(?P<word>subagent|cron|hook):")
"""Keys of sessions that no person opened."""
_AGENT = re.compile(r"^agent:(?P<agent>[^:]+):")
_OF_ONE_PERSON = frozenset({"user", "sender", "sender-room"})
"""First parts of such scope keys; see `_keys`."""
_NO_CHANNEL = "direct"
_NO_PERSON_TRIGGERS = frozenset({Trigger.CRON, Trigger.HEARTBEAT, Trigger.BOOT})


def complete(ref: SessionRef, *, given: frozenset[str] = frozenset()) -> SessionRef:
    """Fill in from the session key what the caller left out.

    Args:
        ref: The reference as it came.
        given: Names of the fields that the caller did give; those stay.
    """
    ref = _of_machine(ref)
    key = _conversation(ref)
    found: dict[str, object] = {}
    if agent := _AGENT.match(key):
        found["agent_id"] = agent["agent"]
    if room := _ROOM.match(key):
        kind = ChatType.GROUP if room["type"] == ChatType.GROUP else ChatType.CHANNEL
        found |= {"channel": room["channel"], "chat_type": kind, "chat_id": room["chat"]}
    completed = replace(ref, **{name: value for name, value in found.items() if name not in given})
    if http := _HTTP.match(key):
        # All callers of the endpoint hold the same token: whatever else is told, none of them is the owner by that.
        return replace(completed, channel=HTTP_CHANNEL, is_owner=False, sender_id=ref.sender_id or http["user"])
    return completed


def _of_machine(ref: SessionRef) -> SessionRef:
    """What the key of a session says that a program opened, where the caller took it for a person's."""
    match = _MACHINE.match(ref.session_key)
    if match is None:
        return ref
    triggers = {"subagent": Trigger.SUBAGENT, "cron": Trigger.CRON}
    trigger = triggers.get(match["word"], ref.trigger) if ref.trigger is Trigger.USER else ref.trigger
    return replace(ref, trigger=trigger, is_owner=ref.is_owner if trigger is Trigger.SUBAGENT else False)


def resolve_scope(ref: SessionRef, settings: IdentitySettings) -> Scope:
    """The scope of a turn.

    Args:
        ref: A completed reference.
        settings: The rule, the owner's name and the accounts that belong together.
    """
    person = _person(ref, settings)
    shared = ref.chat_type is not ChatType.DIRECT
    is_owner = person == (settings.user_id,)
    reads, writes = _keys(ref, settings.scope, person=person)
    if not shared and (ref.trigger in _NO_PERSON_TRIGGERS or _is_orphan(ref)):
        reads, writes = (), None
    return Scope(
        reads=reads,
        writes=None if ref.trigger is not Trigger.USER else writes,
        space=f"room-{_digest(*_room(ref), size=_LABEL_BYTES)}" if shared else PERSONAL_SPACE,
        speaker=ref.sender_name or (None if shared else _name_of(person, settings)) or ref.sender_id,
        is_owner=is_owner,
        shared=shared or settings.scope in {ScopeRule.FIXED, ScopeRule.AGENT},
        reason=_reason(ref, writes=writes),
    )


def reduce_key(*parts: str) -> ScopeKey:
    """A readable key of bounded length: two different inputs never share one.

    Returns:
        Lower-case letters, digits, dots, dashes and underscores; with a hash where reducing lost something, or where
        the last part looks like one.
    """
    reduced = [re.sub(r"[^a-z0-9_-]+", "-", part.lower())[:_PART_CHARS] for part in parts]
    key = ".".join(reduced)
    is_plain = reduced == list(parts) and not _HASH.fullmatch(parts[-1])
    return ScopeKey(key if is_plain else f"{key}.{_digest(*parts, size=_HASH_BYTES)}")


def is_one_persons(scope: ScopeKey) -> bool:
    """Whether all that is said in a scope is said by one person and the assistant, whatever names they go by."""
    return scope.partition(".")[0] in _OF_ONE_PERSON


def parts_shelf(scope: ScopeKey) -> ScopeKey:
    """Where the index keeps passages of a scope's artifacts, so that only a search for artifacts meets them.

    No scope is called so: keys hold no slash.
    """
    return ScopeKey(f"{scope}/parts")


def opaque_label(ref: SessionRef, scope: Scope, *, day: str, number: int) -> str:
    """Label of a session: `<user>-<context>:<opaque user id>:<YYYYMMDD>:<NNN>`; in a group the room is the user."""
    context = "room" if scope.space != PERSONAL_SPACE else "personal"
    user = "owner" if scope.is_owner and context == "personal" else "guest"
    key = scope.writes or ref.session_key
    return f"{user}-{context}:{_digest(key, size=_LABEL_BYTES)}:{day}:{number:03d}"


def _person(ref: SessionRef, settings: IdentitySettings) -> tuple[str, ...] | None:
    """The name of a known person, or channel and account of another one; None when nobody can be told."""
    if ref.user_id:
        return (ref.user_id,)
    if ref.sender_id:
        account = f"{ref.channel or _NO_CHANNEL}:{ref.sender_id}"
        # A user of the HTTP endpoint may call themselves what they like: also by the bare id of somebody's account.
        bare = None if ref.channel == HTTP_CHANNEL else ref.sender_id
        if linked := _linked(account, bare, links=settings.identity_links):
            return (linked,)
    if ref.is_owner and ref.channel != HTTP_CHANNEL:
        return (settings.user_id,)
    return (ref.channel or _NO_CHANNEL, ref.sender_id) if ref.sender_id else None


def _linked(account: str, sender: str | None, *, links: Mapping[str, Sequence[str]]) -> str | None:
    return next((person for person, accounts in links.items() if account in accounts or sender in accounts), None)


def _keys(
    ref: SessionRef, rule: ScopeRule, *, person: tuple[str, ...] | None
) -> tuple[tuple[ScopeKey, ...], ScopeKey | None]:
    if ref.chat_type is ChatType.DIRECT:
        own = _direct_key(ref, rule, person=person)
        return ((own,), own) if own else ((), None)
    own = _room_key(ref, rule, person=person)
    return ((own,), own) if own else ((), None)


def _direct_key(ref: SessionRef, rule: ScopeRule, *, person: tuple[str, ...] | None) -> ScopeKey | None:
    if rule is ScopeRule.SESSION:
        # By default the gateway holds all direct chats under one key: two people never have one conversation.
        return reduce_key("session", ref.agent_id, _conversation(ref), *(person or ()))
    if person is None:
        return None
    if rule is ScopeRule.FIXED:
        return reduce_key("fixed")
    if rule is ScopeRule.AGENT:
        return reduce_key("agent", ref.agent_id)
    if rule is ScopeRule.SENDER:
        return reduce_key("sender", ref.agent_id, *person)
    return reduce_key("user", *person)


def _room_key(ref: SessionRef, rule: ScopeRule, *, person: tuple[str, ...] | None) -> ScopeKey | None:
    if rule is ScopeRule.SESSION:
        return reduce_key("session", ref.agent_id, _conversation(ref))
    if rule is ScopeRule.FIXED:
        return reduce_key("fixed-rooms")
    if rule is ScopeRule.AGENT:
        return reduce_key("agent-rooms", ref.agent_id)
    if rule is ScopeRule.SENDER:
        return reduce_key("sender-room", ref.agent_id, *_room(ref), *person) if person else None
    return reduce_key("room", *_room(ref))


def _is_orphan(ref: SessionRef) -> bool:
    """A subagent of which nobody knows whose it is: its parent may have spoken in a group."""
    return ref.trigger is Trigger.SUBAGENT and not ref.parent_session_key


def _room(ref: SessionRef) -> tuple[str, str]:
    return (ref.channel or "", ref.chat_id) if ref.chat_id else ("", _conversation(ref))


def _conversation(ref: SessionRef) -> str:
    """The session key that tells whose conversation this is: a subagent works in its parent's."""
    is_child = ref.trigger is Trigger.SUBAGENT and ref.parent_session_key
    return ref.parent_session_key or ref.session_key if is_child else ref.session_key


def _name_of(person: tuple[str, ...] | None, settings: IdentitySettings) -> str | None:
    return None if person is None or person == (settings.user_id,) else person[-1]


def _reason(ref: SessionRef, *, writes: ScopeKey | None) -> str | None:
    if ref.trigger is Trigger.SUBAGENT:
        return "a subagent reads its parent's memory and writes none"
    if ref.trigger is not Trigger.USER:
        return f"nothing is kept from a turn started by {ref.trigger}"
    if writes is None:
        return "it isn't known who is speaking, so there is no memory to use"
    return None


def _digest(*parts: str, size: int) -> str:
    return blake2b(json.dumps(parts).encode(), digest_size=size).hexdigest()
