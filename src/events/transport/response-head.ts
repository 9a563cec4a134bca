/** Length of the body (RFC 9112, section 6.3): a number of bytes or its framing. */
type BodyExtent = number | 'chunked' | 'until-close';

export interface ResponseHead {
  readonly status: number;
  /** Lower-case names; values of repeated headers are joined. Truncated. */
  readonly headers: Readonly<Record<string, string>>;
  readonly extent: BodyExtent;
  /** Keep-alive time announced by the receiver; Infinity if none, 0 if it closes the connection. */
  readonly keepAliveMs: number;
}

export interface Malformed {
  malformed: string;
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?=[ \r]|$)/;
const token = /^[!#$%&'*+\-.^_`|~\da-z]+$/;
// A bare CR, bare LF or NUL: parsers disagree about these, which allows response smuggling.
const strayControl = /\0|\r(?!\n)|(?<!\r)\n/;
const decimal = /^\d{1,15}$/;
const lineEnd = '\r\n';
const maxHeaders = 32;
const maxCharacters = 8 * 1024;

/** Parses the status line and the headers, without the empty line. */
export function parseResponseHead(text: string): ResponseHead | Malformed {
  if (strayControl.test(text)) return { malformed: 'stray control character in the head' };
  const firstEnd = endOfLine(text, 0);
  const start = statusLine.exec(text);
  if (!start) return { malformed: 'no HTTP/1.1 status line' };
  const headers = readHeaders(text, firstEnd + lineEnd.length);
  if ('malformed' in headers) return headers as unknown as Malformed;
  const status = Number(start[2]);
  const extent = extentOf(status, headers);
  if (typeof extent === 'object') return extent;
  return {
    status,
    headers: truncateHeaders(headers),
    extent,
    keepAliveMs: extent === 'until-close' ? 0 : keepAliveMs(start[1] === '0', headers),
  };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf(lineEnd, from);
  return end < 0 ? text.length : end;
}

function readHeaders(text: string, from: number): Record<string, string> | Malformed {
  const headers: Record<string, string> = {};
  for (let at = from; at < text.length; ) {
    const end = endOfLine(text, at);
    const colon = text.indexOf(':', at);
    const name = text.slice(at, colon).toLowerCase();
    if (colon < 0 || colon > end || !token.test(name)) return { malformed: 'invalid header line' };
    const value = text.slice(colon + 1, end).trim();
    // Assigning __proto__ would not create a property. hasOwn, because a header may be called "constructor".
    if (name !== '__proto__') headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
    at = end + lineEnd.length;
  }
  return headers;
}

function extentOf(status: number, headers: Record<string, string>): BodyExtent | Malformed {
  if (status < 200 || status === 204 || status === 304) return 0;
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (coding !== undefined) {
    if (length !== undefined) return { malformed: 'both content-length and transfer-encoding' };
    return /(?:^|,)\s*chunked$/i.test(coding) ? 'chunked' : 'until-close';
  }
  if (length === undefined) return 'until-close';
  if (decimal.test(length)) return Number(length);
  // Repeated identical lengths are allowed.
  const [first = '', ...others] = length.split(',').map((text) => text.trim());
  if (!decimal.test(first) || others.some((other) => other !== first)) {
    return { malformed: 'invalid content-length' };
  }
  return Number(first);
}

function keepAliveMs(isOld: boolean, headers: Record<string, string>): number {
  const { connection } = headers;
  if (connection !== undefined || isOld) {
    const options = (connection ?? '').toLowerCase();
    if (options.includes('close') || (isOld && !options.includes('keep-alive'))) return 0;
  }
  const announced = headers['keep-alive'];
  const seconds = announced === undefined ? undefined : /timeout=(\d{1,9})/i.exec(announced)?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}

/** Limits the stored headers to 32 headers and 8 KiB. */
function truncateHeaders(received: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(received);
  const kept: [string, string][] = [];
  let remaining = maxCharacters;
  for (const [name, value] of entries) {
    remaining -= name.length + value.length;
    if (kept.length === maxHeaders || remaining < 0) break;
    kept.push([name, value]);
  }
  return kept.length === entries.length ? received : Object.fromEntries(kept);
}
