/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code unit, no white space. JSON.stringify of a sorted copy would not
 * work, because objects enumerate integer-like keys in numeric order.
 */
export function canonicalJson(value: unknown): string {
  return write(value) ?? 'null';
}

/**
 * The canonical text of an object before and after the value of one top-level key, so that the database can insert the id
 * that it generates.
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
