import { canonicalJson } from './canonical-json.ts';
import { hmacSha256, isSameSignature } from './hmac.ts';
import { VerificationError } from './verification-error.ts';

/** Waypost sends exactly `{"event":<E>,"signature":"<S>"}`, where `<E>` is the signed text byte for byte. */
const head = '{"event":';
const tail = /^,"signature":"([A-Za-z0-9+/]{43}=)"\}$/;
const tailLength = 60;

/** The event of a body, given as text or as what it was parsed into, whose signature was made with one of the keys. */
export function eventSignedWith(privateKeys: readonly string[], body: string | object): unknown {
  const exact = typeof body === 'string' ? cutOutEvent(body) : undefined;
  if (exact && isSignedWith(privateKeys, exact.eventText, exact.signature)) return JSON.parse(exact.eventText);

  // What a proxy or a framework has parsed and written again no longer has the signed bytes, but its canonical form does.
  const { event, signature, eventText } = canonicalEvent(body);
  if (isSignedWith(privateKeys, eventText, signature)) return event;

  throw new VerificationError(
    'body-signature-wrong',
    'The signature in the body was not made with the private key. Check that the key is that of the partner who owns ' +
      'the webhook, and that the body is what was received.',
  );
}

/** The event of a body that is trusted for another reason. */
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
    throw unreadable('is nested too deep');
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
  new VerificationError('body-unreadable', `The body ${why}; a delivery is {"event": {…}, "signature": "…"}.`);
