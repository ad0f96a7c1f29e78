// Our memories behind the gateway's own memory_search and memory_get. These don't tell who asks: private memories are
// for the person of the run in progress on that session key, and for nobody when there is none or more than one.
const CORPUS = "nightshift";
const LABEL = "Nightshift";
const SHARED_LABEL = "Nightshift (shared)";
const HITS = 10;
const TITLE_CHARS = 60;
const ADDRESS = /^kref:\/\/\S+$/;

/**
 * @param {{ client: import("./client.js").Client, runs: import("./runs.js").Runs, settings: object, entryOf: (ctx: object) => object | undefined }} parts
 * @returns {{ search(query: object): Promise<object[]>, get(query: object): Promise<object | null> }} Both throw when the
 *   service is away: the gateway tells the model that this corpus is missing from what it found.
 */
export function corpusSupplement({ client, runs, settings, entryOf }) {
  /** Whose memory may be shown: the run's person's, else a room's own; undefined when that is nobody's. */
  function readerOf({ agentId, agentSessionKey: sessionKey }) {
    const run = sessionKey && runs.inProgress(sessionKey);
    if (run || !sessionKey) return run || undefined;
    const about = { sessionKey, agentId };
    const session = runs.ofSession(about, { entry: entryOf(about), settings });
    return session.chatType === "direct" ? undefined : session;
  }

  async function ask(tool, session, args) {
    const sent = await client.post(`/v1/tools/${tool}`, { session, arguments: args });
    if (!sent.ok) throw new Error(`long-term memory can't be used right now (${sent.reason})`);
    return sent.body;
  }

  return {
    async search(query) {
      const session = readerOf(query);
      if (!session) return [];
      const topK = Math.min(Math.max(Math.trunc(query.maxResults ?? HITS), 1), 50);
      const { text, details, isError } = await ask("memory_search", session, { query: query.query, topK });
      if (isError) throw new Error(text);
      return (details?.memories ?? []).map((memory) => hit(memory, details.shared));
    },

    async get(query) {
      // Everything else is a file of the gateway's own memory.
      const session = ADDRESS.test(query.lookup ?? "") && readerOf(query);
      if (!session) return null;
      const { text, details, isError } = await ask("memory_get", session, { ref: query.lookup });
      if (isError && details?.code === "not_found") return null;
      if (isError) throw new Error(text);
      return { ...described(details.memory, details.shared), ...excerpt(details.memory.text, query) };
    },
  };
}

function hit(memory, isShared) {
  const { text } = memory;
  return {
    ...described(memory, isShared),
    score: typeof memory.score === "number" ? memory.score : 0,
    snippet: memory.speaker ? `${memory.speaker}: ${text}` : text,
    startLine: 1,
    endLine: text.split("\n").length,
    citation: memory.kref,
  };
}

function described(memory, isShared) {
  return {
    corpus: CORPUS,
    path: memory.kref,
    id: memory.id,
    title: titleOf(memory),
    kind: memory.kind,
    ...(memory.speaker && { speaker: memory.speaker }),
    source: memory.imported ? `imported ${memory.origin}` : memory.origin,
    provenanceLabel: isShared ? SHARED_LABEL : LABEL,
    updatedAt: memory.eventAt ?? memory.createdAt,
  };
}

function titleOf({ text, eventAt, createdAt }) {
  const line = text.split("\n", 1)[0];
  const short = line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS).replace(/\s+\S*$/, "")} ...` : line;
  return `${String(eventAt ?? createdAt).slice(0, 10)} ${short}`;
}

/** The wanted lines, counted from 1. */
function excerpt(text, { fromLine, lineCount }) {
  const lines = text.split("\n");
  const from = Math.max(1, Math.trunc(fromLine ?? 1));
  const wanted = lines.slice(
    from - 1,
    lineCount === undefined ? undefined : from - 1 + Math.max(1, Math.trunc(lineCount)),
  );
  return { content: wanted.join("\n"), fromLine: from, lineCount: wanted.length };
}
