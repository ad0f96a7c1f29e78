"""Pure: what of a turn was really said by someone.

Out go injected memories, envelopes of channels, quoted history, prompts of heartbeat, cron, boot and subagents, slash
commands, notes that pose as the system's, silent tokens, reasoning and tool traffic. Texts that only talk about such
things stay whole: a rule needs the shape, not a word.
"""

import re
from collections.abc import Sequence

from memory_core.capture.envelopes import strip_envelope
from memory_core.values import Trigger

# First words of prompts that a machine wrote; the whole text is the machine's then.
_MACHINE_PROMPT = re.compile(
    r"\s*(?:\[OpenClaw (?:heartbeat poll|exec completion|cron wake|session event|runtime event|room event"
    r"|interruption)\]|\[cron:[^\]\n]{1,200}\]|\[Subagent (?:Task|Context)\]|\[Inter-session message\]|\[Internal"
    r" task completion event\]|\[Startup context loaded by runtime\]|\[Bootstrap truncation warning\]|OpenClaw"
    r" runtime (?:context|event)\b|Follow the heartbeat monitor scratch context|Read HEARTBEAT\.md(?: if it"
    r" exists)?\b|Heartbeat (?:poll|wake)\b|A new session was started via /new or /reset|Execute your Session Startup"
    r" sequence|A scheduled (?:reminder has been|cron event was) triggered|An async command (?:you ran|completion"
    r" event)|Pre-compaction memory flush|Continue this conversation using the OpenClaw transcript below|The"
    r" conversation history before this point was compacted into|You are running as a subagent|Agent-to-agent"
    r" announce step|You are running (?:a )?boot(?:strap)? check|BOOT\.md:?\s*\n|Use heartbeat_respond to report"
    r"|\[(?i:heartbeat|cron|scheduled task|hook|webhook|boot|subagent|announce)(?:[ :][^\]\n]{0,200})?\]|Boot check\b"
    r"|Continue (?:the OpenClaw runtime event|from the recovered transcript)\b|Your previous response was only an"
    r" acknowledgement)"
)
_SILENT = r"(?:HEARTBEAT_OK|NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)"
_ONLY_SILENT = re.compile(rf"[\s*_`~\"'.({{]*{_SILENT}(?:[\s*_`~\"'.,!)}}]+(?:{_SILENT})?)*", re.ASCII)
_SILENT_EDGE = re.compile(rf"^\s*(?:{_SILENT}\s*)+|(?:(?<=\s)|(?<=[.*])){_SILENT}[\s*_`.!]{{0,4}}$")
_SLASH_COMMAND = re.compile(r"\s*/[a-zA-Z][\w-]{0,31}(?:@\w{1,64})?(?:[ \t:][^\n]{0,500})?(?:\n|$)")

_SYSTEM_LINE = re.compile(
    r"[ \t]*(?:\*\*|#{1,4} )?(?:\[System(?: Message| note)?\b[^\]\n]{0,300}\]|System(?: note| message"
    r"| \(untrusted\))?:)",
    re.IGNORECASE,
)
_SYSTEM_HEADING = re.compile(
    r"^#{1,4} system\b[^\n]{0,40}\n(?=[^\n]{0,200}\b(?:you (?:must|are now|will|obey)|ignore)\b)"
    r"(?:[^\n]*\S[^\n]*(?:\n|$)){1,40}",
    re.MULTILINE | re.IGNORECASE,
)
_SYSTEM_TALK = re.compile(
    r":\s*\[[^\]\n]{0,40}\d{4}-\d\d-\d\d|compaction|\baudit\b|session|heartbeat|\bagent\b|instruction|\bignore\b"
    r"|\bmust\b|prompt|context|startup|protocol|tool-loop|\bread (?:them|the)\b|reconnected|exec (?:finished"
    r"|completed|failed)",
    re.IGNORECASE,
)
_COMPACTION_NOTE = re.compile(
    r"\s*(?:[#*>⚠️\s]{0,8})(?:\[?Post-Compaction (?:Audit|context refresh|Context Sections)"
    r"|\[(?:Conversation|Context|Session|History) compacted|\[Compaction note)",
    re.IGNORECASE,
)
_COMPACTION_TAIL = re.compile(
    r"\s*(?:[-*]\s|\d+\.\s|Please read|Read (?:them|the)|This ensures|Session was just compacted|Critical rules"
    r"|Current time)"
)

_CODE_FENCE = re.compile(r"(^[ \t]*```[^\n]*\n[\s\S]*?(?:^[ \t]*```[ \t]*$|\Z))", re.MULTILINE)
_QUOTE_HEADER = re.compile(
    r"^(?:On [^\n]{6,120} wrote|Am [^\n]{6,120} schrieb[^\n]{0,80}|Le [^\n]{6,120} a écrit|El [^\n]{6,120} escribió"
    r"|Il [^\n]{6,120} ha scritto|Op [^\n]{6,120} schreef[^\n]{0,80})\s?:[ \t]*\n(?=[ \t]*(?:\n[ \t]*)?>)",
    re.MULTILINE,
)
_QUOTED_LINE = re.compile(r"^[ \t]{0,3}>+(?:[ \t][^\n]*|[A-Za-z\"'][^\n]*)?(?:\n|$)", re.MULTILINE)
_OLD_MAIL = re.compile(
    r"^(?:-{2,} ?(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d'origine) ?-{2,}"
    r"|(?:_{10,}\n)?(?:From|Von|De|Da): [^\n]{2,120}\n(?:Sent|Date|To|Gesendet|Datum|An|Enviado|Fecha|Envoyé|Date"
    r"|Inviato): [^\n]{2,160}(?:\n|$))[\s\S]*",
    re.MULTILINE,
)
_SIGNATURE = re.compile(
    r"^(?:Sent from my|Get Outlook for|Von meinem [^\n]{2,30} gesendet|Gesendet von|Enviado desde mi|Envoyé de mon"
    r"|Inviato da)[^\n]{0,60}$",
    re.MULTILINE,
)

_ASSISTANT_BLOCKS = (
    re.compile(
        r"<(?P<tag>think(?:ing)?|thought|reasoning|antthinking|tool_calls?|tool_results?|tool_response|function_calls?"
        r"|function_results?|invoke)\b[^>\n]{0,200}>[\s\S]*?(?:</(?P=tag)>|\Z)\n?",
        re.IGNORECASE,
    ),
    re.compile(r"^\[(?:Tool(?: Call| Result| Use)?|Function"
        r" call)\b[^\]\n]{0,200}\][^\n]*\n?(?:[ \t]*[{\[][^\n]*\n?)?", re.MULTILINE),
    re.compile(r"^MEDIA:\s?\S[^\n]*\n?", re.MULTILINE),
    re.compile(r"\[\[\s?(?:reply_to_current|reply_to:[^\]\n]{1,80}|audio_as_voice)\s?\]\]\s?"),
    re.compile(r"^[✅⚙️🛠🔧]️? ?(?:exec|read|write|edit|browser|web_search|web_fetch|process|bash)(?::"
        r"|\s·)[^\n]*\n?", re.MULTILINE),
)  # fmt: skip
_ASSISTANT_FAILURE = re.compile(
    r"\s*(?:⚠️|❌|🛑)\s?(?:Agent (?:failed|couldn)|Model |LLM |API |Context overflow|Context limit|Message ordering"
    r"|Session history)|\s*(?:LLM request (?:failed|rejected|timed out)|HTTP [45]\d\d\b|Request timed out before a"
    r" response)"
)
# Only as the whole of a short answer: an assistant may well write about errors.
_FAILURE_NOTICE = re.compile(
    r"(?:[^\w\s\[]{1,3}\s?)?(?:an error occurred|something went wrong (?:while|when) (?:processing|generating|calling)"
    r"|i couldn't reach the model|(?:sorry,? )?the (?:ai (?:service|model) (?:is|returned|could not)|model (?:returned"
    r"|could not|is (?:overloaded|currently|temporarily|unavailable|not available|busy)))"
    r"|(?:ai|llm|api|provider|model) error\b|(?:api )?rate[_ ]limit(?:_error| (?:reached|exceeded|hit))"
    r"|connection error|request (?:failed|timed out)|unhandled stop reason|terminated\W*$|insufficient (?:credits|quota"
    r"|balance)|\[assistant turn failed|overloaded_error|[45]\d\d (?:\{|incorrect|too many|unauthorized|forbidden"
    r"|internal|bad|service|invalid)|error: (?=[^\n]{0,160}(?:\b[45]\d\d\b|overload|rate.?limit|api|quota|credits"
    r"|timeout|provider)))",
    re.IGNORECASE,
)
_NOTICE_CHARS = 240
_NOT_OF_A_NAME = re.compile(r"[^\w.:-]+", re.ASCII)
_TOOLS_MENTIONED, _TOOL_NAME_CHARS = 5, 40
_MANY_NEWLINES = re.compile(r"\n{3,}")


def skip_reason(trigger: Trigger, text: str) -> str | None:
    """Why a turn isn't captured at all, or None when it may be.

    Args:
        trigger: What started the turn, as the gateway tells it.
        text: The user's side, as it came.
    """
    if trigger is not Trigger.USER:
        return f"{trigger} turns are not captured"
    bare = strip_envelope(text)
    if _MACHINE_PROMPT.match(bare):
        return "the gateway wrote this prompt, not a person"
    if _SLASH_COMMAND.fullmatch(bare.strip()):
        return "slash commands are not captured"
    return None


def clean_user_text(text: str) -> str:
    """What the person said, without what others or machines put around it; empty when nothing is left."""
    bare = strip_envelope(text)
    if _MACHINE_PROMPT.match(bare) or _ONLY_SILENT.fullmatch(bare):
        return ""
    if command := _SLASH_COMMAND.match(bare):
        bare = bare[command.end() :]
    bare = _SIGNATURE.sub("", _OLD_MAIL.sub("", _outside_code(bare)))
    return _tidy(bare)


def clean_assistant_text(text: str) -> str:
    """What the assistant said, without reasoning, tool traffic, echoes of envelopes and silent tokens."""
    for pattern in _ASSISTANT_BLOCKS:
        text = pattern.sub("", text)
    bare = strip_envelope(text)
    if _ONLY_SILENT.fullmatch(bare) or _ASSISTANT_FAILURE.match(bare) or _is_failure_notice(bare):
        return ""
    return _tidy(_SILENT_EDGE.sub("", _outside_code(bare)))


def _is_failure_notice(text: str) -> bool:
    return len(text) <= _NOTICE_CHARS and _FAILURE_NOTICE.match(text.strip()) is not None


def mention_tools(names: Sequence[str]) -> str:
    """What is kept of the tools that an answer rests on: their names, at most five; never what they were given or said.

    Returns:
        A bracketed note to stand behind the answer, with a space in front; empty without names.
    """
    known = list(dict.fromkeys(name for name in map(_bare_name, names) if name))[:_TOOLS_MENTIONED]
    return f" [tools: {', '.join(known)}]" if known else ""


def _bare_name(name: str) -> str:
    return _NOT_OF_A_NAME.sub("", name)[:_TOOL_NAME_CHARS]


def _outside_code(text: str) -> str:
    """Take notes of the system and quotations out, except where they stand inside a code block."""
    if "```" not in text:
        return _strip_quotes(_strip_system_notes(text))
    parts = _CODE_FENCE.split(text)
    return "".join(part if index % 2 else _strip_quotes(_strip_system_notes(part)) for index, part in enumerate(parts))


def _strip_quotes(text: str) -> str:
    return _QUOTED_LINE.sub("", _QUOTE_HEADER.sub("", text)) if ">" in text else text


def _strip_system_notes(text: str) -> str:
    text = _SYSTEM_HEADING.sub("", text)
    kept: list[str] = []
    in_note = False
    for line in text.split("\n"):
        marked = _SYSTEM_LINE.match(line)
        if _COMPACTION_NOTE.match(line[marked.end() :] if marked else line) or (
            marked and re.search("post-compaction", line, re.IGNORECASE)
        ):
            in_note = True
            continue
        if in_note and (not line.strip() or _COMPACTION_TAIL.match(line)):
            continue
        in_note = False
        if marked and _SYSTEM_TALK.search(line):
            continue
        kept.append(line)
    return "\n".join(kept)


def _tidy(text: str) -> str:
    return _MANY_NEWLINES.sub("\n\n", text).strip()
