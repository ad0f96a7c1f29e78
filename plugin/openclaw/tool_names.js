// Names of tools that depend on how we live in the gateway: beside its own memory, or as its memory.

/** @param {boolean} ownsMemory Whether the gateway's memory slot is ours; else the gateway's own tools keep their names. */
export function toolNames(ownsMemory) {
  return ownsMemory
    ? { searchName: "memory_search", getName: "memory_get" }
    : { searchName: "nightshift_search", getName: "nightshift_get" };
}
