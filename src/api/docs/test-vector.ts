import { exampleEvent } from '../../events/catalogue/catalogue.ts';
import { canonicalJson } from '../../events/signing/canonical-json.ts';
import { deliveryBody, eventKey, signEvent, standardKey, standardSignature } from '../../events/signing/signature.ts';

const privateKey = 'wp_test_5vT2kQ9mZ4rX7bN1cL8dF3gH6jK0pS';
const secret = 'whsec_d2F5cG9zdC10ZXN0LXZlY3Rvci1zZWNyZXQtMDEyMw==';
const event = {
  ...exampleEvent('LOCATION_PROFILE_CHANGED'),
  // What libraries write in different ways: letters beyond ASCII, a slash, signs that some escape, a quotation mark.
  comment: 'Geändert: Öffnungszeiten 🕗, Straße/Hausnummer <12> & "Eingang"',
};
const timestamp = 1_794_704_523;

const eventText = canonicalJson(event);
const signature = signEvent(eventKey(privateKey), eventText);
const body = deliveryBody(eventText, signature);

/** One delivery with its keys, for anybody who writes a receiver. A test keeps it as it was published. */
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
