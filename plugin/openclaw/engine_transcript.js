// A conversation's transcript as the gateway stores it: all that was said, and what of it the model's context is made of.

const FOR_PEOPLE = new Set(["delivery-mirror", "gateway-injected"]);
const RUNTIME_CONTEXT = "openclaw.runtime-context";

/** Everything that was said on the branch in use, before resets too. */
export async function readWhole(target) {
  return shownOf(await visibleEntries(target));
}

/**
 * What the gateway shows to an engine: behind the latest reset (daily, idle, by command) or summary of its own, with what
 * that kept of the end before it. A window that was counted from the whole transcript would not be found in it.
 */
export async function readShown(target) {
  const visible = await visibleEntries(target);
  const { readSessionTranscriptEvents } = await import("openclaw/plugin-sdk/session-transcript-runtime");
  const path = pathTo(visible.at(-1)?.entryId, await readSessionTranscriptEvents(target));
  const { buildSessionContext } = await import("openclaw/plugin-sdk/agent-sessions");
  const ids = new Set(path.map((event) => event.id));
  const isWhole = visible.every((entry) => ids.has(entry.entryId));
  return isWhole ? buildSessionContext(path).messages.filter(isShown) : shownOf(visible);
}

/** The events from a transcript's beginning to one of them, along its branch; each names the one before it. */
export function pathTo(id, events) {
  const byId = new Map(events.map((event) => [event?.id, event]));
  const path = new Set();
  for (let at = byId.get(id); at && !path.has(at); at = byId.get(at.parentId)) path.add(at);
  return [...path].reverse();
}

/** Whether a model sees a message: not what answers a command, a copy of what was delivered, or a turn's circumstances. */
export function isShown({ role, provider, model, customType, openclawDeliveryMirror }) {
  if (role === "assistant") return !openclawDeliveryMirror && !(provider === "openclaw" && FOR_PEOPLE.has(model));
  return !(role === "custom" && customType === RUNTIME_CONTEXT);
}

async function visibleEntries(target) {
  const { readVisibleSessionTranscriptMessageEntries } = await import("openclaw/plugin-sdk/session-transcript-runtime");
  return readVisibleSessionTranscriptMessageEntries(target);
}

const shownOf = (entries) => entries.map((entry) => entry.message).filter((message) => message && isShown(message));
