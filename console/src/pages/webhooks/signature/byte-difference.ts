type Reason =
  | 'BOM'
  | 'SPACE_ADDED'
  | 'SPACE_REMOVED'
  | 'EXTRA_END'
  | 'CUT'
  | 'ESCAPED'
  | 'UNESCAPED'
  | 'SLASH'
  | 'HTML'
  | 'ENCODING'
  | 'KEY_ORDER'
  | 'NUMBER'
  | 'VALUE'
  | 'TEXT';

export interface Difference {
  /** Offset of the first different byte. */
  offset: number;
  reason: Reason;
  /** The byte on each side; undefined past the end. */
  yours: number | undefined;
  theirs: number | undefined;
  /** Surrounding text on each side, with the different part marked. */
  around: { before: string; yours: string; theirs: string; yoursAfter: string; theirsAfter: string };
  /** Path of the field, such as location.name; undefined outside fields. */
  path?: string;
}

const shownBefore = 28;
const shownAfter = 24;

/** First difference in UTF-8 bytes and its likely cause; undefined if equal. */
export function differenceOf(yours: string, theirs: string): Difference | undefined {
  let at = 0;
  while (at < yours.length && at < theirs.length && yours[at] === theirs[at]) at++;
  // Do not split surrogate pairs.
  if (at > 0 && /[\ud800-\udbff]/.test(yours[at - 1] ?? '')) at--;
  if (at === yours.length && at === theirs.length) return undefined;
  const same = yours.slice(0, at);
  const [a, b] = [characterAt(yours, at), characterAt(theirs, at)];
  const path = pathAt(theirs, at);
  const encoder = new TextEncoder();
  const [bytesA, bytesB] = [encoder.encode(a), encoder.encode(b)];
  const common = [...bytesA].findIndex((byte, index) => byte !== bytesB[index]);
  const within = common === -1 ? bytesA.length : common;
  return {
    offset: encoder.encode(same).length + within,
    reason: reasonAt(yours, theirs, at),
    yours: bytesA[within],
    theirs: bytesB[within],
    around: {
      before: same.slice(-shownBefore),
      yours: a,
      theirs: b,
      yoursAfter: yours.slice(at + a.length, at + a.length + shownAfter),
      theirsAfter: theirs.slice(at + b.length, at + b.length + shownAfter),
    },
    ...(path && { path }),
  };
}

const characterAt = (text: string, at: number) =>
  at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : '';

function reasonAt(yours: string, theirs: string, at: number): Reason {
  const [mine, other] = [yours.slice(at), theirs.slice(at)];
  if (at === 0 && mine.startsWith('\ufeff')) return 'BOM';
  if (other === '') return 'EXTRA_END';
  if (mine === '') return 'CUT';
  const isInText = insideText(theirs, at);
  if (/^\s/.test(mine) && !isInText) return 'SPACE_ADDED';
  if (/^\\u[0-9a-f]{4}/i.test(mine)) return 'ESCAPED';
  if (/^\\\//.test(mine) && other.startsWith('/')) return 'SLASH';
  if (/^\\u[0-9a-f]{4}/i.test(other)) return 'UNESCAPED';
  if (/^&(amp|lt|gt|quot|#\d+|#x[0-9a-f]+);/i.test(mine)) return 'HTML';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches non-ASCII characters
  if (isInText && /^[^\x00-\x7f]/.test(other)) return 'ENCODING';
  if (isInText && /^\s/.test(other) && !/^\s/.test(mine)) return 'SPACE_REMOVED';
  if (isAtKey(theirs, at)) return 'KEY_ORDER';
  if (/^[-+0-9.eE]/.test(mine) && /[-+0-9.eE,}\]]/.test(other[0] ?? '') && sameNumber(yours, theirs, at))
    return 'NUMBER';
  return pathAt(theirs, at) ? 'VALUE' : 'TEXT';
}

const numberAround = (text: string, at: number) => {
  const start = text.slice(0, at).search(/[-+0-9.eE]*$/);
  return Number(/^[-+0-9.eE]*/.exec(text.slice(start))?.[0] || Number.NaN);
};

/** The same value, such as 1.0 and 1. */
const sameNumber = (yours: string, theirs: string, at: number) => numberAround(yours, at) === numberAround(theirs, at);

interface Place {
  isInText: boolean;
  isKey: boolean;
  /** Start of the current string. */
  names: readonly (string | number)[];
}

const insideText = (text: string, at: number) => placeOf(text, at).isInText;
const isAtKey = (text: string, at: number) => placeOf(text, at).isKey;

function pathAt(text: string, at: number): string {
  return placeOf(text, at)
    .names.map((name, index) => (typeof name === 'number' ? `[${name}]` : index === 0 ? name : `.${name}`))
    .join('');
}

/** Scans JSON up to an offset and returns its path. Accepts invalid JSON. */
function placeOf(text: string, at: number): Place {
  const open: { isObject: boolean; key: string; index: number; expectsKey: boolean }[] = [];
  let start = -1;
  for (let index = 0; index < at; index++) {
    const character = text[index];
    const inner = open.at(-1);
    if (start >= 0) {
      if (character === '\\') index++;
      else if (character === '"') {
        if (inner?.expectsKey) inner.key = text.slice(start + 1, index);
        start = -1;
      }
    } else if (character === '"') start = index;
    else if (character === '{') open.push({ isObject: true, key: '', index: 0, expectsKey: true });
    else if (character === '[') open.push({ isObject: false, key: '', index: 0, expectsKey: false });
    else if (character === '}' || character === ']') open.pop();
    else if (character === ':' && inner) inner.expectsKey = false;
    else if (character === ',' && inner) {
      inner.index++;
      inner.expectsKey = inner.isObject;
    }
  }
  const isKey = open.at(-1)?.expectsKey ?? false;
  return {
    isInText: start >= 0,
    isKey,
    names: open.flatMap<string | number>(({ isObject, key, index, expectsKey }) =>
      isObject ? (expectsKey ? [] : [key]) : [index],
    ),
  };
}
