// Arguments that several tools share, as the model is told of them. The gateway refuses what breaks a schema, the service
// clamps and ignores: so ranges stand in words, and nothing is forbidden.

export const KINDS = [
  "fact",
  "preference",
  "decision",
  "correction",
  "action_item",
  "event",
  "entity",
  "summary",
  "artifact",
];
export const kind = { type: "string", enum: KINDS, description: "Only memories of this kind." };
export const space = {
  type: "string",
  description:
    "Only this space, the part of the address before the last slash. Leave it out to use everything you may see.",
};
export const text = (description) => ({ type: "string", description });
export const whole = (description) => ({ type: "integer", description });
export const flag = (description) => ({ type: "boolean", description });
export const words = (description) => ({ type: "array", items: { type: "string" }, description });
export const time = (what) =>
  text(`${what}: a day such as 2026-05-01, or a time with its offset such as 2026-05-01T09:00:00+02:00.`);
export const object = (properties, required = []) => ({ type: "object", properties, required });
