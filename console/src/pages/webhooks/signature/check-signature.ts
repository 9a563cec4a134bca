import { canonicalJson } from '../../../../../receiver/canonical-json.ts';
import { type Difference, differenceOf } from './byte-difference.ts';

type Verdict =
  | 'GOOD_BODY'
  | 'GOOD_HEADER'
  | 'NOT_JSON'
  | 'NO_EVENT'
  | 'NO_SIGNATURE'
  | 'SPACE_IN_KEY'
  | 'REWRITTEN'
  | 'WRONG_KEY'
  | 'OTHER_SIGNATURE'
  | 'CHANGED'
  | 'UNKNOWN'
  | 'BODY_CHANGED'
  | 'WRONG_ID'
  | 'NO_ENTRY'
  | 'BAD_SECRET'
  | 'WRONG_SECRET';

export interface Finding {
  verdict: Verdict;
  isRight: boolean;
  difference?: Difference;
}

const right = (verdict: Verdict): Finding => ({ verdict, isRight: true });
const wrong = (verdict: Verdict, difference?: Difference): Finding => ({
  verdict,
  isRight: false,
  ...(difference && { difference }),
});

export function eventIdIn(body: string): number | undefined {
  const id = parsed(body)?.event?.id;
  return typeof id === 'number' ? id : undefined;
}

/** Body signature, Base64(HMAC-SHA256(private key, event)). `sent` tells a wrong key from a modified event. */
export async function checkBody(body: string, privateKey: string, sent?: string): Promise<Finding> {
  const content = parsed(body);
  if (!content) return wrong('NOT_JSON', sent === undefined ? undefined : differenceOf(body, sent));
  const { event, signature } = content;
  if (typeof event !== 'object' || event === null) return wrong('NO_EVENT');
  if (typeof signature !== 'string') return wrong('NO_SIGNATURE');
  const asWritten = eventTextIn(body);
  const canonical = canonicalJson(event);
  const signs = async (key: string, text: string) => (await hmac(bytesOf(key), text)) === signature;
  if (asWritten !== undefined && (await signs(privateKey, asWritten))) return right('GOOD_BODY');
  const key = privateKey.trim();
  if (await signs(key, canonical)) {
    if (asWritten === canonical) return wrong('SPACE_IN_KEY');
    return wrong('REWRITTEN', differenceOf(body, `{"event":${canonical},"signature":"${signature}"}`));
  }
  const original = sent === undefined ? undefined : parsed(sent);
  if (!original || sent === undefined) return wrong('UNKNOWN');
  if (canonicalJson(original.event) !== canonical) return wrong('CHANGED', differenceOf(body, sent));
  return wrong(signature === original.signature ? 'WRONG_KEY' : 'OTHER_SIGNATURE');
}

export interface Headers {
  id: string;
  timestamp: string;
  signature: string;
}

/** The webhook-signature header of the Standard Webhooks specification. */
export async function checkHeader(body: string, headers: Headers, secret: string, sent?: string): Promise<Finding> {
  const key = secretBytes(secret.trim());
  if (!key) return wrong('BAD_SECRET');
  const entries = headers.signature
    .trim()
    .split(/\s+/)
    .flatMap((entry) => (entry.startsWith('v1,') ? [entry.slice(3)] : []));
  if (entries.length === 0) return wrong('NO_ENTRY');
  const [id, timestamp] = [headers.id.trim(), headers.timestamp.trim()];
  const fits = async (text: string) => entries.includes(await hmac(key, `${id}.${timestamp}.${text}`));
  if (await fits(body)) return right('GOOD_HEADER');
  for (const likely of [sent, rebuilt(body), body.trim(), body.replaceAll('\r\n', '\n')]) {
    if (likely !== undefined && likely !== body && (await fits(likely))) {
      return wrong('BODY_CHANGED', differenceOf(body, likely));
    }
  }
  const known = eventIdIn(body);
  if (known !== undefined && String(known) !== id) return wrong('WRONG_ID');
  if (sent !== undefined && eventTextIn(sent) !== eventTextIn(body)) return wrong('CHANGED', differenceOf(body, sent));
  return wrong(sent === undefined ? 'UNKNOWN' : 'WRONG_SECRET');
}

/** Re-creates the canonical body from a re-serialized one. */
function rebuilt(body: string): string | undefined {
  const content = parsed(body);
  if (!content || typeof content.signature !== 'string') return undefined;
  return `{"event":${canonicalJson(content.event)},"signature":"${content.signature}"}`;
}

/** Age of a timestamp in milliseconds; undefined if invalid. */
export function ageOf(timestamp: string, now: number): number | undefined {
  return /^\d{9,11}$/.test(timestamp.trim()) ? Math.abs(now - Number(timestamp) * 1000) : undefined;
}

interface Content {
  event?: { id?: unknown } | null;
  signature?: unknown;
}

function parsed(text: string): Content | undefined {
  try {
    const content: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return typeof content === 'object' && content !== null ? content : undefined;
  } catch {
    return undefined;
  }
}

/** The raw event of {"event":…,"signature":"…"}; undefined for other forms. */
const eventTextIn = (body: string): string | undefined =>
  /^\{"event":(.*),"signature":"[A-Za-z0-9+/=]*"\}$/s.exec(body)?.[1];

function secretBytes(secret: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0));
    return bytes.length > 0 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  // importKey rejects an empty key.
  const raw = key.length > 0 ? key : new Uint8Array(1);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', raw, algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', imported, bytesOf(text));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}
