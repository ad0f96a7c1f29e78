// What the model is told of the tools for what it made itself: texts, plans, code, designs.
import { object, text, whole, words } from "./argument_schemas.js";

export const creativeSchemas = [
  {
    name: "creative_capture",
    service: "creative_capture",
    label: "Keep a work",
    description:
      "Keep something you made that is worth having again: a text, plan, design, report, piece of code. Call it when a work is finished or reached " +
      "a state that the user may come back to, with the whole content and not a summary. The same title, project and kind again makes the next revision " +
      "and keeps the earlier ones. Answers a jobId at once; creative_job_status tells its address when it is kept. Facts about people go into memory_store instead.",
    parameters: object(
      {
        title: text("Short name that stays the same from revision to revision, such as: Shutter protocol."),
        content: text("The whole work as text, Markdown or source code."),
        creativeProject: text("What it belongs to as a whole, the first part of its address, such as: observatory."),
        project: text("The part of that it is about, the space it is found in, such as: dome-control."),
        kind: text("What it is, in one word, such as: design, draft, plan, report, code."),
        sourceMemoryKref: text("Address (kref) of the memory or work that it was made from."),
        tags: words("Words to find it by."),
      },
      ["title", "content", "creativeProject", "project", "kind"],
    ),
  },
  {
    name: "creative_recall",
    service: "creative_recall",
    label: "Find a work",
    description:
      "Find what you made earlier. Use it before you continue, revise or quote a work, and when the user asks for one. With a query the best matches come first; " +
      "without one everything in the space is listed. With ref one work comes whole: ?r=2 at the end of its address reads that revision.",
    parameters: object(
      {
        space: text("The project that the work was kept under, such as: dome-control."),
        creativeProject: text("What it belongs to as a whole, such as: observatory."),
        query: text("What you are looking for, in a few words. Leave it out to list everything there."),
        topK: whole("Most works, 1 to 50."),
        tag: text("Only works with this tag."),
        ref: text(
          "Address (kref) of one work, to read it whole; ?r=2 at its end reads that revision, ?r=1..2 compares two.",
        ),
        fromLine: whole("With ref: first line of a long one; the answer says when there is more."),
        lineCount: whole("With ref: how many lines."),
      },
      ["space", "creativeProject"],
    ),
  },
  {
    name: "creative_job_status",
    service: "creative_job_status",
    label: "Is the work kept?",
    description:
      "Whether a creative_capture is done. Done comes with the addresses (kref) of the work, its revision and the memory of it; failed comes with the reason. " +
      "Ask once when you need an address; don't wait in a loop.",
    parameters: object({ jobId: text("The jobId that creative_capture answered.") }, ["jobId"]),
  },
];
