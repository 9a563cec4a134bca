import { keptHeaders } from './answer-headers.ts';

/** How far the body of an answer reaches (RFC 9112, section 6.3): so many bytes, or what its framing says. */
type BodyExtent = number | 'chunked' | 'until-close';

export interface AnswerHead {
  readonly status: number;
  /** Lower-case names; the values of a repeated one are joined. As far as they are kept. */
  readonly headers: Readonly<Record<string, string>>;
  readonly extent: BodyExtent;
  /** How long the receiver keeps the connection for the next request, as far as it says; 0 when it closes it. */
  readonly keptForMs: number;
}

export interface Malformed {
  /** What is wrong, in a few words. */
  malformed: string;
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?=[ \r]|$)/;
const token = /^[!#$%&'*+\-.^_`|~\da-z]+$/;
// A line break that is not one, or a NUL: where readers disagree about these, answers are smuggled.
const strayControl = /\0|\r(?!\n)|(?<!\r)\n/;
const decimal = /^\d{1,15}$/;
const lineEnd = '\r\n';

/** Reads the lines before the empty one. */
export function readAnswerHead(text: string): AnswerHead | Malformed {
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
    headers: keptHeaders(headers),
    extent,
    keptForMs: extent === 'until-close' ? 0 : keptForMs(start[1] === '0', headers),
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
    // An assignment to this name would not make a property. Own properties only: a header may be called "constructor".
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
  // The same length said twice is one length.
  const [first = '', ...others] = length.split(',').map((text) => text.trim());
  if (!decimal.test(first) || others.some((other) => other !== first)) {
    return { malformed: 'invalid content-length' };
  }
  return Number(first);
}

function keptForMs(isOld: boolean, headers: Record<string, string>): number {
  const { connection } = headers;
  if (connection !== undefined || isOld) {
    const options = (connection ?? '').toLowerCase();
    if (options.includes('close') || (isOld && !options.includes('keep-alive'))) return 0;
  }
  const announced = headers['keep-alive'];
  const seconds = announced === undefined ? undefined : /timeout=(\d{1,9})/i.exec(announced)?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
}
