import { canonicalJson } from './canonical-json.ts';
import { hmacSha256, isSameSignature } from './hmac.ts';
import { VerificationError } from './verification-error.ts';

/** A delivery is `{"event":<event>,"signature":"<signature>"}`, where `<event>` is the exact signed text. */
const head = '{"event":';
const tail = /^,"signature":"([A-Za-z0-9+/]{43}=)"\}$/;
const tailLength = 60;

/** Returns the event if its signature was made with one of the keys. The body may be text or a parsed object. */
export function eventSignedWith(privateKeys: readonly string[], body: string | object): unknown {
  const exact = typeof body === 'string' ? cutOutEvent(body) : undefined;
  if (exact && isSignedWith(privateKeys, exact.eventText, exact.signature)) return parse(exact.eventText);

  // A proxy or framework may have reserialized the body. Its canonical form is still the signed text.
  const { event, signature, eventText } = canonicalEvent(body);
  if (isSignedWith(privateKeys, eventText, signature)) return event;

  throw new VerificationError(
    'body-signature-wrong',
    'The signature in the body does not match the private key. Check that it is the key of the partner that owns the ' +
      'webhook, and that the body was not modified.',
  );
}

/** Returns the event without checking its signature. */
export function eventIn(body: string | object): unknown {
  return envelopeOf(body).event;
}

function isSignedWith(privateKeys: readonly string[], eventText: string, signature: string): boolean {
  return privateKeys.some((key) => isSameSignature(hmacSha256(key, eventText), signature));
}

function cutOutEvent(body: string): { eventText: string; signature: string } | undefined {
  const signature = tail.exec(body.slice(-tailLength))?.[1];
  if (!signature || !body.startsWith(head)) return undefined;
  return { eventText: body.slice(head.length, -tailLength), signature };
}

function canonicalEvent(body: string | object) {
  const envelope = envelopeOf(body);
  try {
    return { ...envelope, eventText: canonicalJson(envelope.event) };
  } catch {
    throw unreadable('is nested too deeply');
  }
}

function envelopeOf(body: string | object): { event: unknown; signature: string } {
  const value = typeof body === 'string' ? parse(body) : body;
  if (typeof value !== 'object' || value === null || !('event' in value && 'signature' in value)) {
    throw unreadable('has no event and signature');
  }
  if (typeof value.signature !== 'string') throw unreadable('has a signature that is not a string');
  return { event: value.event, signature: value.signature };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable('is not JSON');
  }
}

const unreadable = (why: string) =>
  new VerificationError(
    'body-unreadable',
    `The body ${why}. A delivery has the form {"event": {…}, "signature": "…"}.`,
  );
