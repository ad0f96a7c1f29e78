"""The name of every setting as people write it, where its value goes, and its range."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Where a wire name goes and what it may be."""

    group: str
    name: str
    low: float | None = None
    high: float | None = None


KEYS: Mapping[str, Key] = {
    "listen": Key(group="", name="listen"),
    "port": Key(group="", name="port", low=0, high=65535),
    "project": Key(group="identity", name="project"),
    "userId": Key(group="identity", name="user_id"),
    "appName": Key(group="identity", name="app_name"),
    "scope": Key(group="identity", name="scope"),
    "identityLinks": Key(group="identity", name="identity_links"),
    "timezone": Key(group="identity", name="timezone"),
    "topK": Key(group="recall", name="top_k", low=1, high=50),
    "searchThreshold": Key(group="recall", name="search_threshold", low=0, high=1),
    "minPromptChars": Key(group="recall", name="min_prompt_chars", low=0, high=4000),
    "recallBudgetMs": Key(group="recall", name="recall_budget_ms", low=50, high=15000),
    "injectChars": Key(group="recall", name="inject_chars", low=200, high=40000),
    "injectCharsPerMemory": Key(group="recall", name="inject_chars_per_memory", low=50, high=4000),
    "rerank": Key(group="recall", name="rerank"),
    "reinject": Key(group="recall", name="reinject"),
    "dedupeWindow": Key(group="recall", name="dedupe_window", low=0, high=5000),
    "consolidationThreshold": Key(group="capture", name="consolidation_threshold", low=2, high=1000),
    "idleConsolidationTimeout": Key(group="capture", name="idle_consolidation_timeout_s", low=1, high=86400),
    "sessionTtl": Key(group="capture", name="session_ttl_s", low=60, high=2592000),
    "piiRedaction": Key(group="capture", name="pii_redaction"),
    "compactionGrace": Key(group="capture", name="compaction_grace_s", low=0, high=600),
    "localSummarization": Key(group="capture", name="local_summarization"),
    "tags": Key(group="capture", name="tags"),
    "space": Key(group="capture", name="space"),
    "privacy.uploadSummariesOnly": Key(group="privacy", name="upload_summaries_only"),
    "privacy.ownRemote": Key(group="privacy", name="own_remote"),
    "dreamStateSchedule": Key(group="dream", name="schedule"),
    "dreamStateModel": Key(group="dream", name="model"),
    "dreamBudget.tokens": Key(group="dream", name="tokens", low=0, high=100_000_000),
    "dreamBudget.calls": Key(group="dream", name="calls", low=0, high=100_000),
    "dreamBudget.minutes": Key(group="dream", name="minutes", low=1, high=1440),
    "contextEngine.compactionMode": Key(group="context", name="compaction_mode"),
    "contextEngine.protectTail": Key(group="context", name="protect_tail", low=2, high=200),
    "contextEngine.recallLimit": Key(group="context", name="recall_limit", low=1, high=50),
    "contextEngine.autoConsolidate": Key(group="context", name="auto_consolidate"),
    "archiveTtl": Key(group="context", name="archive_ttl_days", low=0, high=3650),
    "gate.interruptGate": Key(group="gate", name="interrupt_gate"),
    "gate.ingestReasoning": Key(group="gate", name="ingest_reasoning"),
    "gate.forceRepass": Key(group="gate", name="force_repass"),
    "gate.focus": Key(group="gate", name="focus", low=0, high=1),
    "gate.sensitivity": Key(group="gate", name="sensitivity", low=0, high=1),
    "gate.stability": Key(group="gate", name="stability", low=0, high=1),
    "chatModel.provider": Key(group="chat", name="provider"),
    "chatModel.baseUrl": Key(group="chat", name="base_url"),
    "chatModel.apiKey": Key(group="chat", name="api_key"),
    "chatModel.model": Key(group="chat", name="model"),
    "embedding.model": Key(group="backends", name="embedding_model"),
    "database.url": Key(group="backends", name="database_url"),
    "qdrant.url": Key(group="backends", name="qdrant_url"),
    "qdrant.apiKey": Key(group="backends", name="qdrant_api_key"),
    "prefect.apiUrl": Key(group="backends", name="prefect_api_url"),
    "prefect.apiKey": Key(group="backends", name="prefect_api_key"),
}
"""Wire name of a setting to its place; a dot in the name is a level in the file."""

GATEWAY_KEYS: Mapping[str, Key] = {
    "mode": Key(group="gateway", name="mode"),
    "baseUrl": Key(group="gateway", name="base_url"),
    "apiKey": Key(group="gateway", name="api_key"),
    "memorySlot": Key(group="gateway", name="memory_slot"),
    "autoRecall": Key(group="gateway", name="auto_recall"),
    "autoCapture": Key(group="gateway", name="auto_capture"),
    "corpusSupplement": Key(group="gateway", name="corpus_supplement"),
    "promptSupplement": Key(group="gateway", name="prompt_supplement"),
    "timeoutMs": Key(group="gateway", name="timeout_ms", low=250, high=120_000),
    "circuitBreaker.maxFailures": Key(group="gateway", name="breaker_max_failures", low=1, high=100),
    "circuitBreaker.cooldownMs": Key(group="gateway", name="breaker_cooldown_ms", low=1000, high=600_000),
    "local.command": Key(group="gateway", name="local_command"),
    "local.pythonPath": Key(group="gateway", name="local_python_path"),
    "local.home": Key(group="gateway", name="local_home"),
    "local.timeout": Key(group="gateway", name="local_timeout_ms", low=1000, high=600_000),
    "dreaming": Key(group="gateway", name="dreaming"),
}
"""The same for what only a gateway acts on; it reads them from its own configuration, never from the environment."""

ALIASES: Mapping[str, str] = {
    "recallScope": "scope",
    "memoryScope": "scope",
    "minScore": "searchThreshold",
    "timeout": "timeoutMs",
    "dreamState.schedule": "dreamStateSchedule",
    "dreamState.model": "dreamStateModel",
}
"""Names that users of other plugins type; understood and reported."""
