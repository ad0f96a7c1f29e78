"""People, agents and rooms drawn at random, what they said under each rule, and who may see it by SPEC section 2.

The oracle knows who really speaks, where and to whom, since it drew that itself; it shares no code with
`memory_core.identity`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from memory_core.identity import complete
from memory_core.settings import ScopeRule
from memory_core.values import ChatType, SessionRef, Trigger

OWNER = "owner"
_NAMES = ("ana", "Ana", "a:na", "an.a", "7", "default", "x" * 50, "x" * 51, "bo")
_ROOMS = ("1", "-1", "1.", "A", "a", "b:c")
_CHANNELS = ("signal", "slack")
_AGENTS = ("main", "work", "Work")


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """Somebody who speaks somewhere, with what is true about them.

    Attributes:
        who: The person; None when nobody can know.
        room: The group or channel; None in a direct chat.
        conversation: What the gateway calls the conversation; a subagent is in its parent's.
        is_person: A person began the turn; else nothing is kept from it.
        is_child: A subagent: it sees what its parent sees.
    """

    ref: SessionRef
    who: str | None
    room: str | None
    conversation: str
    is_person: bool = True
    is_child: bool = False

    @property
    def agent(self) -> str:
        """Whom they speak to."""
        return self.ref.agent_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Something that was said or made: the word that tells it apart, by whom and under which rule."""

    token: str
    voice: Voice
    rule: ScopeRule
    kref: str
    job_id: str | None = None


def may_see(reader: Voice, *, rule: ScopeRule, piece: Piece) -> bool:
    """SPEC section 2, row by row."""
    writer = piece.voice
    if rule is not piece.rule or (reader.room is None) != (writer.room is None):
        return False
    if reader.room is None and not reader.is_person and not reader.is_child:
        return False
    same_agent = reader.agent == writer.agent
    if rule is ScopeRule.SESSION:
        return same_agent and reader.conversation == writer.conversation
    if reader.room is None and reader.who is None:
        return False
    return {
        ScopeRule.USER: reader.room == writer.room if reader.room else reader.who == writer.who,
        ScopeRule.FIXED: True,
        ScopeRule.AGENT: same_agent,
        ScopeRule.SENDER: same_agent and reader.who == writer.who is not None and reader.room == writer.room,
    }[rule]


def _direct(name: str, *, channel: str, agent: str, own_key: bool) -> Voice:
    is_owner = name == OWNER
    key = f"agent:{agent}:{channel}:direct:{name}" if own_key else f"agent:{agent}:main"
    ref = SessionRef(
        session_key=key,
        agent_id=agent,
        channel=channel,
        sender_id=f"{name}-{channel}" if is_owner else name,
        sender_name=name,
        is_owner=is_owner or None,
        timezone="UTC",
    )
    return Voice(ref=ref, who=OWNER if is_owner else f"{channel}/{name}", room=None, conversation=key)


def _in_room(voice: Voice, *, room: str, kind: ChatType) -> Voice:
    channel = voice.ref.channel or ""
    key = f"agent:{voice.agent}:{channel}:{kind}:{room}"
    ref = replace(voice.ref, session_key=key, chat_type=kind, chat_id=room)
    return replace(voice, ref=ref, room=f"{channel}/{room}", conversation=key)


def _strangers(voice: Voice, *, agent: str) -> list[Voice]:
    """Who else may turn up where somebody speaks, without being them."""
    nobody = replace(voice.ref, sender_id=None, sender_name=None, is_owner=None)
    who = None
    voices = [replace(voice, ref=nobody, who=who)]
    for trigger in (Trigger.CRON, Trigger.HEARTBEAT):
        ref = replace(nobody if voice.room else voice.ref, trigger=trigger)
        voices.append(replace(voice, ref=ref, who=who if voice.room else voice.who, is_person=False))
    child = replace(
        voice.ref,
        session_key=f"agent:{agent}:subagent:5f",
        trigger=Trigger.SUBAGENT,
        parent_session_key=voice.ref.session_key,
    )
    return [*voices, replace(voice, ref=child, is_person=False, is_child=True)]


def _of_the_endpoint(user: str | None) -> Voice:
    key = f"agent:main:openai-user:{user}" if user else "agent:main:openai:5f3c"
    ref = complete(SessionRef(session_key=key, timezone="UTC", is_owner=True if user else None))
    return Voice(ref=ref, who=f"http/{user}" if user else None, room=None, conversation=key)


@st.composite
def crowds(draw: st.DrawFn) -> tuple[list[Voice], list[Voice]]:
    """Voices that say something, and more that only listen."""
    people = [OWNER, *draw(st.lists(st.sampled_from(_NAMES), min_size=3, max_size=3, unique=True))]
    agents = draw(st.lists(st.sampled_from(_AGENTS), min_size=2, max_size=2, unique=True))
    rooms = draw(st.lists(st.sampled_from(_ROOMS), min_size=2, max_size=2, unique=True))
    writers: list[Voice] = []
    for number, name in enumerate(people):
        voice = _direct(
            name,
            channel=draw(st.sampled_from(_CHANNELS)),
            agent=agents[number % 2],
            own_key=draw(st.booleans()),
        )
        room = _in_room(voice, room=draw(st.sampled_from(rooms)), kind=draw(st.sampled_from(list(ChatType)[1:])))
        writers += [voice, room]
    writers.append(_of_the_endpoint(people[1]))
    listeners = [_of_the_endpoint(None), _direct(people[1], channel="telegram", agent=agents[0], own_key=True)]
    listeners += _strangers(draw(st.sampled_from(writers[:-1:2])), agent=agents[0])
    listeners += _strangers(draw(st.sampled_from(writers[1::2])), agent=agents[0])
    return _apart(writers), listeners


def _apart(voices: Sequence[Voice]) -> list[Voice]:
    return list({(voice.ref.session_key, voice.ref.sender_id): voice for voice in voices}.values())
