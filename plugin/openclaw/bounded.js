/** A map that forgets its oldest entries: what the plugin remembers of runs and people never grows without end. */
export class BoundedMap extends Map {
  #limit;

  /** @param {number} limit Most entries kept. */
  constructor(limit) {
    super();
    this.#limit = limit;
  }

  /** Put an entry in as the newest one. */
  set(key, value) {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#limit) this.delete(this.keys().next().value);
    return this;
  }
}

/** The first `limit` characters of a text, without half a surrogate pair at the end. */
export function cut(text, limit) {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
}
