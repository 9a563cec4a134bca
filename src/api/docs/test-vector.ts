import { exampleEvent } from '../../events/catalogue/catalogue.ts';
import { canonicalJson } from '../../events/signing/canonical-json.ts';
import { deliveryBody, eventKey, signEvent, standardKey, standardSignature } from '../../events/signing/signature.ts';

const privateKey = 'wp_test_5vT2kQ9mZ4rX7bN1cL8dF3gH6jK0pS';
const secret = 'whsec_d2F5cG9zdC10ZXN0LXZlY3Rvci1zZWNyZXQtMDEyMw==';
const event = {
  ...exampleEvent('LOCATION_PROFILE_CHANGED'),
  // Characters that JSON libraries serialize differently: non-ASCII letters, a slash, HTML characters, quotes.
  comment: 'Geändert: Öffnungszeiten 🕗, Straße/Hausnummer <12> & "Eingang"',
};
const timestamp = 1_794_704_523;

const eventText = canonicalJson(event);
const signature = signEvent(eventKey(privateKey), eventText);
const body = deliveryBody(eventText, signature);

/** A delivery with its keys, for authors of receivers. Published, so it must not change. */
export const testVector = {
  privateKey,
  secret,
  body,
  eventText,
  signature,
  event,
  headers: {
    'webhook-id': String(event.id),
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardSignature(standardKey(secret), String(event.id), timestamp, body),
  },
};
