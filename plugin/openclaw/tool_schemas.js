// What the model is told of each memory tool: when to use it, and its arguments as the service understands them.
import { flag, kind, KINDS, object, space, text, time, whole, words } from "./argument_schemas.js";
import { creativeSchemas } from "./creative_schemas.js";

/** @returns {{ name: string, service: string, label: string, description: string, parameters: object, isDirect?: boolean }[]} */
export function toolSchemas({ searchName, getName }) {
  return [
    {
      name: searchName,
      service: "memory_search",
      label: "Search long-term memory",
      isDirect: true,
      description:
        "Search what is remembered from earlier conversations: facts about people, preferences, decisions, plans, events. " +
        "Some memories already stand in the conversation; search when you need more, when the user asks what was said or agreed before, " +
        "or before you say that you don't know something personal. Each hit has an address (kref), its date and who said it.",
      parameters: object(
        {
          query: {
            type: "string",
            description:
              "What you want to know, in a few words of the user's language, such as: name of the user's cat.",
          },
          topK: whole("Most hits, 1 to 50, 5 if left out."),
          kind,
          space,
          from: time("Only what happened at or after"),
          to: time("Only what happened before it, or until the end of that day"),
          asOf: time("What held then instead of now"),
          includeSuperseded: {
            type: "boolean",
            description: "Also what no longer holds, for questions such as: what did I use before?",
          },
        },
        ["query"],
      ),
    },
    {
      name: "memory_store",
      service: "memory_store",
      label: "Remember",
      isDirect: true,
      description:
        "Remember one statement for good. Use it when the user asks you to remember something, or when a lasting fact, preference or decision " +
        "must not be lost. Ordinary conversation is remembered without it. The answer says what happened: ADD, UPDATE, SUPERSEDE, SKIP_DUPLICATE or REJECT with the reason.",
      parameters: object(
        {
          text: {
            type: "string",
            description:
              "One self-contained sentence that names who it is about and uses absolute dates, such as: Ada's sister Lin lives in Porto.",
          },
          kind: { type: "string", enum: KINDS, description: "What it is; fact if left out." },
          space: text("Space to put it in; leave it out for the usual one."),
          tags: words("Words to find it by."),
          pinned: flag("Never let it fade."),
          eventAt: time("When it happened or will happen"),
          replaces: text("Address (kref) of a memory that this one corrects."),
        },
        ["text"],
      ),
    },
    {
      name: getName,
      service: "memory_get",
      label: "Read a memory",
      description:
        "Read one memory whole, with its earlier revisions and what it is connected to. Use it after a search when a hit is cut or you need to know what it replaced.",
      parameters: object(
        {
          ref: {
            type: "string",
            description: "Address (kref://...) or id from a search; ?r=2 at the end reads that revision.",
          },
          fromLine: whole("First line of a long one."),
          lineCount: whole("How many lines."),
        },
        ["ref"],
      ),
    },
    {
      name: "memory_list",
      service: "memory_list",
      label: "List memories",
      description:
        "List memories, newest first, when the user wants to see what is remembered. To find something particular, search instead.",
      parameters: object({
        space,
        kind,
        tag: text("Only memories with this tag."),
        status: {
          type: "string",
          enum: ["active", "flagged", "superseded", "deprecated"],
          description: "Only this status; active and flagged if left out.",
        },
        limit: whole("Most memories, 1 to 200, 20 if left out."),
        cursor: text("nextCursor of the page before."),
      }),
    },
    {
      name: "memory_forget",
      service: "memory_forget",
      label: "Forget",
      description:
        "Erase memories for good, everywhere, when the user asks for it. Call it without confirm first: it shows what would be erased and gives a previewId. " +
        "Tell the user, and when they agree call it again with that previewId and confirm. Erasing can't be undone.",
      parameters: object({
        refs: words("Addresses (kref) or ids to erase; with a previewId also numbers of what it showed, such as 2."),
        query: text("Erase what this search finds."),
        person: text("Erase what is about or from this person, or me for the user."),
        sessionKey: text("Erase what came from this conversation."),
        from: time("Only what happened at or after"),
        to: time("Only what happened before it, or until the end of that day"),
        previewId: text("From the preview that the user agreed to."),
        confirm: flag("Really erase. Only after the user agreed."),
      }),
    },
    {
      name: "memory_consolidate",
      service: "memory_consolidate",
      label: "Consolidate now",
      description:
        "Turn what was said lately into memories now instead of later. Rarely needed: it happens by itself when a conversation rests.",
      parameters: object({
        wait: flag("Answer only when it is done, for at most two minutes."),
      }),
    },
    {
      name: "memory_dream",
      service: "memory_dream",
      label: "Tidy the memory",
      description:
        "Start the nightly work on the memory now: it reviews what changed, retires what no longer holds, joins duplicates and links what belongs together. " +
        "It happens by itself every night; call it only when the user asks for it. With dryRun it shows what it would do and changes nothing. Answers a jobId at once.",
      parameters: object({
        dryRun: flag("Only show what would change."),
        wait: flag("Answer only when it is done, for at most two minutes."),
      }),
    },
    ...creativeSchemas,
  ];
}
