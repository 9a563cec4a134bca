/**
 * JSON as RFC 8785 writes it: keys sorted by UTF-16 code unit at every depth, no white space,
 * JSON.stringify's numbers and escapes. Written out by hand because a sorted copy would not do:
 * objects enumerate integer-like keys numerically, whatever order they were added in.
 */
export function canonicalJson(value: unknown): string {
  return write(value) ?? 'null';
}

/**
 * The canonical text of an object on both sides of one top-level number, so that the database can put
 * in the identifier it has just drawn.
 */
export function canonicalJsonAround(object: Record<string, unknown>, gap: string): { before: string; after: string } {
  const keys = [...Object.keys(object).filter((key) => key !== gap), gap].sort();
  const position = keys.indexOf(gap);
  const before = members(object, keys.slice(0, position));
  const after = members(object, keys.slice(position + 1));
  return {
    before: `{${before}${before && ','}${JSON.stringify(gap)}:`,
    after: `${after && ','}${after}}`,
  };
}

function write(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item) ?? 'null').join()}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON());
  return `{${members(value as Record<string, unknown>, Object.keys(value).sort())}}`;
}

function members(object: Record<string, unknown>, keys: string[]): string {
  let text = '';
  for (const key of keys) {
    const member = write(object[key]);
    if (member === undefined) continue;
    text += `${text && ','}${JSON.stringify(key)}:${member}`;
  }
  return text;
}
