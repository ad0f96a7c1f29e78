"""Whose memory a turn reads and writes: each rule, and that nobody gets somebody else's."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.identity import PERSONAL_SPACE, complete, opaque_label, reduce_key, resolve_scope
from memory_core.settings import IdentitySettings, ScopeRule
from memory_core.values import ChatType, Scope, SessionRef, Trigger

KEY = re.compile(r"[a-z0-9._-]{1,400}")
OWNER = IdentitySettings()
LINKED = IdentitySettings(identity_links={"default": ("signal:+351",), "ana": ("telegram:7", "slack:U7")})
ids = st.text(min_size=1, max_size=60)
tricky_ids = st.one_of(ids, st.text(alphabet="ab.:-_|A 1", min_size=1, max_size=8), st.from_regex(r"[0-9a-f]{32}"))


def direct(**fields: object) -> SessionRef:
    return replace(SessionRef(session_key="agent:main:main", channel="telegram", sender_id="7"), **fields)


def group(**fields: object) -> SessionRef:
    return replace(direct(chat_type=ChatType.GROUP, chat_id="-100"), **fields)


def under(rule: ScopeRule, ref: SessionRef, **fields: object) -> Scope:
    return resolve_scope(ref, replace(IdentitySettings(scope=rule), **fields))


@given(st.lists(tricky_ids, min_size=1, max_size=4), st.lists(tricky_ids, min_size=1, max_size=4))
def test_two_inputs_never_share_a_key(one: list[str], other: list[str]) -> None:
    assert (reduce_key(*one) == reduce_key(*other)) == (one == other)


@given(st.lists(tricky_ids, min_size=1, max_size=4))
def test_a_key_that_looks_like_the_key_of_another_input_is_not_its_key(parts: list[str]) -> None:
    forged = reduce_key(*parts).split(".")
    if forged != parts:
        assert reduce_key(*forged) != reduce_key(*parts)


@given(st.lists(ids, min_size=1, max_size=5))
def test_a_key_is_short_and_plain(parts: list[str]) -> None:
    assert KEY.fullmatch(reduce_key(*parts))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"channel": "a:b", "sender_id": "c"}, {"channel": "a", "sender_id": "b:c"}),
        ({"channel": "a", "sender_id": "B"}, {"channel": "a", "sender_id": "b"}),
        ({"channel": "a", "sender_id": "x" * 50}, {"channel": "a", "sender_id": "x" * 51}),
        ({"channel": "telegram", "sender_id": "7"}, {"channel": None, "sender_id": None, "user_id": "telegram:7"}),
        ({"channel": "telegram", "sender_id": "7"}, {"channel": "slack", "sender_id": "7"}),
    ],
)
def test_different_accounts_are_different_people(one: dict[str, object], other: dict[str, object]) -> None:
    assert resolve_scope(direct(**one), OWNER).reads != resolve_scope(direct(**other), OWNER).reads


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"channel": "a:b", "chat_id": "c"}, {"channel": "a", "chat_id": "b:c"}),
        ({"chat_id": "c"}, {"chat_id": "C"}),
        ({"channel": "slack"}, {"channel": "discord"}),
        ({"chat_id": None, "session_key": "agent:main:one"}, {"chat_id": None, "session_key": "agent:main:two"}),
    ],
)
@pytest.mark.parametrize("rule", [ScopeRule.USER, ScopeRule.SENDER])
def test_different_rooms_have_different_memories(
    one: dict[str, object], other: dict[str, object], *, rule: ScopeRule
) -> None:
    assert under(rule, group(**one)).reads != under(rule, group(**other)).reads


@given(
    rule=st.sampled_from(ScopeRule),
    agent=tricky_ids,
    sender=st.none() | tricky_ids,
    owner=st.booleans(),
    kind=st.sampled_from([ChatType.GROUP, ChatType.CHANNEL]),
)
def test_a_group_never_reads_a_key_that_any_direct_chat_reads(
    *, rule: ScopeRule, agent: str, sender: str | None, owner: bool, kind: ChatType
) -> None:
    settings = IdentitySettings(scope=rule)
    room = SessionRef(
        session_key=f"agent:{agent}:x:group:1", agent_id=agent, channel="x", chat_type=kind, chat_id="1",
        sender_id=sender, is_owner=owner,
    )  # fmt: skip
    private = replace(room, session_key=f"agent:{agent}:main", chat_type=ChatType.DIRECT, chat_id=None)
    assert not set(resolve_scope(room, settings).reads) & set(resolve_scope(private, settings).reads)


@pytest.mark.parametrize("rule", [ScopeRule.USER, ScopeRule.FIXED, ScopeRule.AGENT, ScopeRule.SENDER])
def test_someone_unknown_in_a_direct_chat_has_no_memory(rule: ScopeRule) -> None:
    scope = under(rule, direct(sender_id=None))
    assert (scope.reads, scope.writes) == ((), None)
    assert scope.reason


def test_what_is_written_can_be_read_again() -> None:
    for rule in ScopeRule:
        for ref in (direct(), group(), direct(is_owner=True)):
            scope = under(rule, ref)
            assert scope.writes in scope.reads


class TestRules:
    def test_user_spans_agents_and_session_keys(self) -> None:
        there = direct(agent_id="work", session_key="agent:work:telegram:direct:7")
        assert under(ScopeRule.USER, direct()).reads == under(ScopeRule.USER, there).reads

    def test_user_in_a_group_is_the_room_whoever_speaks_to_whichever_agent(self) -> None:
        there = group(sender_id="8", agent_id="work")
        assert under(ScopeRule.USER, group()).reads == under(ScopeRule.USER, there).reads
        assert under(ScopeRule.USER, group()).reads != under(ScopeRule.USER, group(chat_id="-200")).reads

    def test_fixed_is_one_memory_for_direct_chats_and_one_for_all_groups(self) -> None:
        assert under(ScopeRule.FIXED, direct()).reads == under(ScopeRule.FIXED, direct(sender_id="8")).reads
        assert under(ScopeRule.FIXED, group()).reads == under(ScopeRule.FIXED, group(chat_id="-200")).reads

    def test_agent_tells_agents_apart(self) -> None:
        for ref in (direct(), group()):
            other = replace(ref, agent_id="work")
            assert under(ScopeRule.AGENT, ref).reads != under(ScopeRule.AGENT, other).reads
        assert under(ScopeRule.AGENT, direct()).reads == under(ScopeRule.AGENT, direct(sender_id="8")).reads
        assert under(ScopeRule.AGENT, group()).reads == under(ScopeRule.AGENT, group(chat_id="-200")).reads

    def test_session_tells_conversations_apart(self) -> None:
        other = direct(session_key="agent:main:telegram:direct:7")
        assert under(ScopeRule.SESSION, direct()).reads != under(ScopeRule.SESSION, other).reads
        assert under(ScopeRule.SESSION, direct(sender_id=None)).writes is not None

    def test_two_people_under_one_session_key_have_two_conversations(self) -> None:
        apart = {
            under(ScopeRule.SESSION, ref).reads for ref in (direct(), direct(sender_id="8"), direct(sender_id=None))
        }
        assert len(apart) == 3
        assert under(ScopeRule.SESSION, group()).reads == under(ScopeRule.SESSION, group(sender_id="8")).reads

    def test_sender_is_one_human_per_agent(self) -> None:
        assert under(ScopeRule.SENDER, direct()).reads != under(ScopeRule.SENDER, direct(agent_id="work")).reads
        assert under(ScopeRule.SENDER, direct()).reads != under(ScopeRule.SENDER, direct(sender_id="8")).reads

    def test_sender_in_a_group_is_that_human_in_that_group_only(self) -> None:
        keys = {
            under(ScopeRule.SENDER, ref).reads
            for ref in (direct(), group(), group(sender_id="8"), group(chat_id="-200"))
        }
        assert len(keys) == 4
        assert under(ScopeRule.SENDER, group(sender_id=None)).reads == ()

    @pytest.mark.parametrize("rule", ScopeRule)
    def test_more_than_one_person_reads_along_where_the_memory_is_not_one_persons(self, rule: ScopeRule) -> None:
        assert under(rule, group()).shared
        assert under(rule, direct()).shared == (rule in {ScopeRule.FIXED, ScopeRule.AGENT})


class TestWhoSpeaks:
    def test_the_owner_has_one_memory_on_every_surface(self) -> None:
        surfaces = (
            direct(is_owner=True, sender_id="8"),
            direct(is_owner=True, channel="webchat", sender_id="gateway-client"),
            direct(is_owner=True, channel="cli", sender_id=None),
            direct(channel="signal", sender_id="+351"),
        )
        scopes = [resolve_scope(ref, LINKED) for ref in surfaces]
        assert len({scope.reads for scope in scopes}) == 1
        assert all(scope.is_owner for scope in scopes)

    @pytest.mark.parametrize("is_owner", [None, False])
    def test_without_evidence_nobody_is_the_owner(self, is_owner: bool | None) -> None:  # noqa: FBT001 a case
        scope = resolve_scope(direct(is_owner=is_owner), OWNER)
        assert not scope.is_owner
        assert scope.reads != resolve_scope(direct(is_owner=True), OWNER).reads

    def test_a_sender_named_like_the_owner_is_not_the_owner(self) -> None:
        scope = resolve_scope(direct(sender_id="default", channel=None), OWNER)
        assert not scope.is_owner
        assert scope.reads != resolve_scope(direct(is_owner=True), OWNER).reads

    def test_linked_accounts_are_one_person(self) -> None:
        ana = [direct(), direct(channel="slack", sender_id="U7"), direct(channel=None, sender_id=None, user_id="ana")]
        assert len({resolve_scope(ref, LINKED).reads for ref in ana}) == 1
        assert resolve_scope(direct(sender_id="8"), LINKED).reads != resolve_scope(ana[0], LINKED).reads

    def test_a_link_goes_before_the_owners_flag(self) -> None:
        scope = resolve_scope(direct(is_owner=True), LINKED)
        assert not scope.is_owner

    def test_each_user_of_the_http_endpoint_is_a_person_of_their_own(self) -> None:
        keys = ["agent:main:openai-user:bo", "agent:main:openai-user:cy"]
        scopes = [resolve_scope(complete(SessionRef(session_key=key, is_owner=True)), OWNER) for key in keys]
        assert scopes[0].reads != scopes[1].reads
        assert not any(scope.is_owner for scope in scopes)
        assert all(scope.reads for scope in scopes)

    def test_the_http_endpoint_without_a_user_has_no_memory(self) -> None:
        assert resolve_scope(complete(SessionRef(session_key="agent:main:openai:5f3c")), OWNER).reads == ()

    @pytest.mark.parametrize(
        "key", ["agent:main:openai:5f3c", "agent:main:openresponses:1", "agent:main:openresponses-user:bo"]
    )
    def test_no_caller_of_the_http_endpoint_is_the_owner(self, key: str) -> None:
        ref = SessionRef(session_key=key, is_owner=True, channel="webchat")
        scope = resolve_scope(complete(ref, given=frozenset({"session_key", "is_owner", "channel"})), OWNER)
        assert not scope.is_owner
        assert scope.reads != resolve_scope(direct(is_owner=True), OWNER).reads
        assert bool(scope.reads) == key.endswith(":bo")

    def test_a_user_of_the_http_endpoint_named_like_an_account_is_not_that_person(self) -> None:
        settings = IdentitySettings(identity_links={"default": ("+351", "http:me")})
        own = resolve_scope(direct(channel="signal", sender_id="+351"), settings)
        named = resolve_scope(complete(SessionRef(session_key="agent:main:openai-user:+351")), settings)
        assert own.is_owner
        assert not named.is_owner
        assert named.reads != own.reads
        linked = resolve_scope(complete(SessionRef(session_key="agent:main:openai-user:me")), settings)
        assert linked.reads == own.reads

    def test_memories_show_who_spoke(self) -> None:
        assert resolve_scope(direct(sender_name="Ana"), OWNER).speaker == "Ana"
        assert resolve_scope(direct(), LINKED).speaker == "ana"
        assert resolve_scope(group(), OWNER).speaker == "7"
        assert resolve_scope(direct(is_owner=True, sender_id=None), OWNER).speaker is None


class TestSessionKeys:
    @pytest.mark.parametrize(
        ("key", "channel", "kind", "chat"),
        [
            ("agent:main:telegram:group:-1001", "telegram", ChatType.GROUP, "-1001"),
            ("agent:main:telegram:group:-1001:topic:42", "telegram", ChatType.GROUP, "-1001"),
            ("agent:main:slack:channel:C07:thread:17.5", "slack", ChatType.CHANNEL, "C07"),
            ("agent:main:matrix:channel:!room:example.org", "matrix", ChatType.CHANNEL, "!room:example.org"),
            ("agent:main:telegram:bot2:group:-1001", "telegram", ChatType.GROUP, "-1001"),
            ("agent:main:matrix:room:!room:example.org", "matrix", ChatType.CHANNEL, "!room:example.org"),
            ("agent:main:telegram:group:channel:5", "telegram", ChatType.GROUP, "channel:5"),
            ("agent:main:telegram:direct:group:5", None, ChatType.DIRECT, None),
            ("agent:main:telegram:bot2:direct:7", None, ChatType.DIRECT, None),
            ("agent:main:telegram:direct:7", None, ChatType.DIRECT, None),
            ("agent:main:main", None, ChatType.DIRECT, None),
            ("cron:nightly", None, ChatType.DIRECT, None),
            ("", None, ChatType.DIRECT, None),
        ],
    )
    def test_the_room_is_read_from_the_session_key(
        self, key: str, *, channel: str | None, kind: ChatType, chat: str | None
    ) -> None:
        ref = complete(SessionRef(session_key=key))
        assert (ref.channel, ref.chat_type, ref.chat_id) == (channel, kind, chat)

    def test_threads_and_topics_are_their_room(self) -> None:
        keys = ("agent:main:t:group:1", "agent:main:t:group:1:topic:2", "agent:main:t:group:1:thread:3")
        assert len({resolve_scope(complete(SessionRef(session_key=key)), OWNER).reads for key in keys}) == 1

    def test_what_the_caller_gave_stays(self) -> None:
        ref = SessionRef(session_key="agent:work:telegram:group:1", agent_id="main", chat_id="2")
        completed = complete(ref, given=frozenset({"agent_id", "chat_id"}))
        assert (completed.agent_id, completed.chat_id, completed.chat_type) == ("main", "2", ChatType.GROUP)

    def test_the_agent_is_main_when_the_key_names_none(self) -> None:
        assert complete(SessionRef(session_key="hook:5f")).agent_id == "main"
        assert complete(SessionRef(session_key="agent:work:main")).agent_id == "work"

    @given(ids)
    def test_any_session_key_is_borne(self, key: str) -> None:
        scope = resolve_scope(complete(SessionRef(session_key=key)), OWNER)
        assert scope.space


class TestTriggers:
    @pytest.mark.parametrize("trigger", [Trigger.CRON, Trigger.HEARTBEAT, Trigger.BOOT])
    @pytest.mark.parametrize("rule", ScopeRule)
    def test_a_turn_that_no_person_began_has_no_private_memory(self, trigger: Trigger, rule: ScopeRule) -> None:
        scope = under(rule, direct(trigger=trigger, is_owner=True))
        assert (scope.reads, scope.writes) == ((), None)
        assert trigger in (scope.reason or "")

    @pytest.mark.parametrize("trigger", [trigger for trigger in Trigger if trigger is not Trigger.USER])
    def test_only_a_persons_turn_writes(self, trigger: Trigger) -> None:
        for ref in (direct(trigger=trigger), group(trigger=trigger)):
            scope = resolve_scope(ref, OWNER)
            assert scope.writes is None
            assert scope.reason

    @pytest.mark.parametrize("rule", ScopeRule)
    def test_a_subagent_reads_its_parents_memory(self, rule: ScopeRule) -> None:
        child_of = {"session_key": "agent:main:subagent:5f", "trigger": Trigger.SUBAGENT}
        for parent in (direct(), group()):
            child = replace(parent, parent_session_key=parent.session_key, **child_of)
            assert under(rule, child).reads == under(rule, parent).reads

    @pytest.mark.parametrize("rule", ScopeRule)
    @pytest.mark.parametrize("key", ["agent:main:subagent:5f", "agent:main:cron:nightly", "cron:nightly"])
    def test_a_key_that_no_person_opened_reads_nothing_private_whatever_the_caller_says(
        self, key: str, rule: ScopeRule
    ) -> None:
        ref = SessionRef(session_key=key, channel="telegram", sender_id="7", is_owner=True)
        scope = under(rule, complete(ref, given=frozenset({"session_key", "channel", "sender_id", "trigger"})))
        assert (scope.reads, scope.writes) == ((), None)
        assert scope.reason

    def test_a_hook_is_not_the_owner(self) -> None:
        assert not resolve_scope(complete(SessionRef(session_key="hook:5f", is_owner=True)), OWNER).is_owner

    def test_a_subagent_of_a_group_sees_nothing_private_even_if_only_its_parents_key_is_known(self) -> None:
        child = SessionRef(
            session_key="agent:main:subagent:5f",
            trigger=Trigger.SUBAGENT,
            parent_session_key="agent:main:telegram:group:-100",
            sender_id="7",
        )
        assert resolve_scope(complete(child), OWNER).reads == resolve_scope(group(), OWNER).reads


@given(people=st.lists(st.tuples(tricky_ids, tricky_ids, tricky_ids), min_size=2, max_size=6, unique=True))
def test_switching_the_scope_shows_nothing_that_was_stored_under_another_rule(
    people: list[tuple[str, str, str]],
) -> None:
    refs = [
        SessionRef(session_key=f"agent:{agent}:{sender}", agent_id=agent, channel=channel, sender_id=sender)
        for agent, channel, sender in people
    ]
    refs += [replace(ref, chat_type=ChatType.GROUP, chat_id=ref.sender_id) for ref in refs]
    written = {rule: {under(rule, ref).writes for ref in refs} for rule in ScopeRule}
    for rule in ScopeRule:
        for other in ScopeRule:
            assert rule is other or not written[rule] & written[other]
        # Back under the first rule everybody finds their own again: a key depends on nothing but who, where and rule.
        assert {under(rule, ref).writes for ref in refs} == written[rule]


def test_no_space_or_label_holds_a_raw_id() -> None:
    ref = group(chat_id="-100987654", sender_id="5551234567", sender_name="Ana")
    for rule in ScopeRule:
        scope = under(rule, ref)
        label = opaque_label(ref, scope, day="20260506", number=1)
        for raw in ("100987654", "5551234567", "Ana"):
            assert raw not in scope.space
            assert raw not in label
    assert under(ScopeRule.USER, direct()).space == PERSONAL_SPACE


def test_a_label_counts_the_sessions_of_a_day() -> None:
    scope = resolve_scope(direct(is_owner=True), OWNER)
    label = opaque_label(direct(), scope, day="20260506", number=7)
    assert re.fullmatch(r"owner-personal:[0-9a-f]{12}:20260506:007", label)
    room = resolve_scope(group(), OWNER)
    assert re.fullmatch(r"guest-room:[0-9a-f]{12}:20260506:001", opaque_label(group(), room, day="20260506", number=1))
