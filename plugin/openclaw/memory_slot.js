// The two ways to live in the gateway: beside its own memory, or as its memory.
import { corpusSupplement } from "./corpus.js";
import { promptSection } from "./prompt_section.js";

/**
 * @param {any} api The gateway's plugin api.
 * @param {{ client: object, runs: object, settings: object, entryOf: (ctx: object) => object | undefined }} parts
 */
export function registerMemory(api, parts) {
  const { settings } = parts;
  const section = promptSection(settings);
  if (settings.ownsMemory) {
    // No plan: the gateway's turn that writes memory files before a compaction isn't needed, every turn is captured.
    api.registerMemoryCapability({ promptBuilder: section, flushPlanResolver: () => null });
    return;
  }
  if (settings.promptSupplement) api.registerMemoryPromptSupplement(section);
  if (settings.corpusSupplement) api.registerMemoryCorpusSupplement(corpusSupplement(parts));
}
