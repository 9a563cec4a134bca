const maxHeaders = 32;
const maxCharacters = 8 * 1024;

/** The headers of an answer as far as they are kept. */
export function keptHeaders(received: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(received);
  const kept: [string, string][] = [];
  let room = maxCharacters;
  for (const [name, value] of entries) {
    room -= name.length + value.length;
    if (kept.length === maxHeaders || room < 0) break;
    kept.push([name, value]);
  }
  return kept.length === entries.length ? received : Object.fromEntries(kept);
}
