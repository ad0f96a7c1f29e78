// Every setting by name: what the plugin reads itself, what goes on to the service, ranges, and names that are understood too.

/** Names that users of other plugins type. */
export const ALIASES = {
  recallScope: "scope",
  memoryScope: "scope",
  minScore: "searchThreshold",
  timeout: "timeoutMs",
  "dreamState.schedule": "dreamStateSchedule",
  "dreamState.model": "dreamStateModel",
};
/** Default, least and most of each number. */
export const NUMBERS = {
  timeoutMs: [5000, 250, 120_000],
  recallBudgetMs: [1500, 50, 15_000],
  topK: [5, 1, 50],
  searchThreshold: [0.3, 0, 1],
  injectChars: [4000, 200, 40_000],
  dedupeWindow: [200, 0, 5000],
  "circuitBreaker.maxFailures": [3, 1, 100],
  "circuitBreaker.cooldownMs": [60_000, 1000, 600_000],
  "local.timeout": [30_000, 1000, 600_000],
};
/** Allowed words, the default first. */
export const CHOICES = {
  mode: ["local", "remote"],
  memorySlot: ["supplement", "replace"],
  reinject: ["relevant", "once"],
};
/** Default of each switch. */
export const SWITCHES = {
  autoRecall: true,
  autoCapture: true,
  corpusSupplement: true,
  promptSupplement: true,
  "privacy.uploadSummariesOnly": true,
  "privacy.ownRemote": false,
  "gate.interruptGate": true,
  "gate.ingestReasoning": true,
  "gate.forceRepass": false,
};
/** Told to the service with each call, so that they count wherever it runs. */
export const PER_CALL = new Set([
  "topK",
  "searchThreshold",
  "recallBudgetMs",
  "injectChars",
  "reinject",
  "dedupeWindow",
]);
/** Names that hold others. */
export const GROUPS = new Set([
  "local",
  "circuitBreaker",
  "privacy",
  "dreamState",
  "dreamBudget",
  "chatModel",
  "contextEngine",
  "gate",
  "embedding",
  "database",
  "qdrant",
  "prefect",
]);
/** Keys that only the plugin reads. */
export const OWN = new Set([
  "mode",
  "baseUrl",
  "apiKey",
  "local.command",
  "local.pythonPath",
  "local.home",
  "local.timeout",
  "autoRecall",
  "autoCapture",
  "corpusSupplement",
  "promptSupplement",
  "memorySlot",
  "dreaming",
  "timeoutMs",
  "circuitBreaker.maxFailures",
  "circuitBreaker.cooldownMs",
]);
/** Keys that mean something to the service; they reach it through the environment of the process we start. */
export const SERVICE = new Set([
  "listen",
  "project",
  "userId",
  "appName",
  "scope",
  "identityLinks",
  "timezone",
  "topK",
  "searchThreshold",
  "minPromptChars",
  "dedupeWindow",
  "reinject",
  "recallBudgetMs",
  "injectChars",
  "injectCharsPerMemory",
  "rerank",
  "consolidationThreshold",
  "idleConsolidationTimeout",
  "sessionTtl",
  "localSummarization",
  "piiRedaction",
  "privacy.uploadSummariesOnly",
  "privacy.ownRemote",
  "tags",
  "space",
  "compactionGrace",
  "archiveTtl",
  "dreamStateSchedule",
  "dreamStateModel",
  "dreamBudget.tokens",
  "dreamBudget.calls",
  "dreamBudget.minutes",
  "chatModel.provider",
  "chatModel.baseUrl",
  "chatModel.apiKey",
  "chatModel.model",
  "contextEngine.compactionMode",
  "contextEngine.protectTail",
  "contextEngine.recallLimit",
  "contextEngine.autoConsolidate",
  "gate.interruptGate",
  "gate.ingestReasoning",
  "gate.forceRepass",
  "gate.focus",
  "gate.sensitivity",
  "gate.stability",
  "embedding.model",
  "database.url",
  "qdrant.url",
  "qdrant.apiKey",
  "prefect.apiUrl",
  "prefect.apiKey",
]);

/** Every key a person may set. */
export const KEYS = [...new Set([...OWN, ...SERVICE])];
