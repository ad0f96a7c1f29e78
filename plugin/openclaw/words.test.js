import assert from "node:assert/strict";
import { test } from "node:test";
import { isCommand, mediaOf, textOf, typedWords } from "./words.js";

for (const [dressed, words] of [
  [
    "[Chat messages since your last reply - for context]\nUser: first\nAssistant: answer\n\n[Current message - respond to this]\nUser: second question",
    "second question",
  ],
  ["[Mon 2026-11-30 17:44 UTC] Hello there", "Hello there"],
  [
    "[Subagent Context] You are running as a subagent (depth 1/5). Complete the current [Subagent Task]; inherited conversation is background context, not your assignment.\n\n[Subagent Task]\n\nFind the tide table\n\nBegin. Execute the assigned task to completion.\n\nRuntime: agent=main | channel=webchat",
    "Find the tide table",
  ],
  ["Note: [Subagent Task] is a phrase", "Note: [Subagent Task] is a phrase"],
  ["[1] is the first entry", "[1] is the first entry"],
  ["  plain  ", "plain"],
]) {
  test(`the words of ${JSON.stringify(dressed.slice(0, 40))} are found`, () =>
    assert.equal(typedWords(dressed), words));
}

test("commands are told from paths, text from everything else", () => {
  for (const text of ["/new", "/think:high", "/status please"]) assert.ok(isCommand(text), text);
  for (const text of ["/home/ada", "/", "a /new", "//", "1/2"]) assert.ok(!isCommand(text), text);
  const commentary = { type: "text", text: "thinking", textSignature: '{"v":1,"phase":"commentary"}' };
  assert.equal(
    textOf({
      content: [
        { type: "thinking", thinking: "x" },
        commentary,
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    }),
    "a\nb",
  );
  assert.deepEqual(
    mediaOf({
      content: [
        { type: "image", data: "…", fileName: "cat.png" },
        { type: "image", data: "…" },
        { type: "text", text: "x" },
      ],
    }),
    ["cat.png"],
  );
});
