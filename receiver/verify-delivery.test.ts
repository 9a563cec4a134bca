import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newPrivateKey, newSecret, signedBody, signedHeaders } from './independent-delivery.ts';
import { type Delivery, VerificationError, verifyDelivery } from './receiver.ts';

const privateKey = newPrivateKey();
const secret = newSecret();
const event = {
  id: 184467,
  time: '2026-11-15T01:02:03.456+00:00',
  type: 'LOCATION_CREATED',
  salesPartnerIdentifier: 'hansekontor',
  comment: 'Bäckerei Lindner, Köln 🥨, "signature":"',
  location: 51877,
  source: 'API',
};
const body = signedBody(privateKey, event);
const headers = signedHeaders([secret], body);

const [before = '', after = ''] = signedBody(privateKey, { comment: '\ufffd' }).split('\ufffd');
const notUtf8 = Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)]);

function failure(delivery: Delivery): string {
  try {
    verifyDelivery(delivery);
  } catch (error) {
    if (error instanceof VerificationError) return error.code;
    throw error;
  }
  return 'verified';
}

describe('the signature in the body', () => {
  test('is valid for the raw body, as text or bytes', () => {
    expect(verifyDelivery({ body, privateKey })).toEqual(event);
    expect(verifyDelivery({ body: Buffer.from(body), privateKey })).toEqual(event);
    expect(verifyDelivery({ body: new TextEncoder().encode(body).buffer, privateKey })).toEqual(event);
  });

  test('is valid for the parsed object in any key order', () => {
    const shuffled = Object.fromEntries(Object.entries(event).toReversed());
    expect(verifyDelivery({ body: { ...JSON.parse(body), event: shuffled }, privateKey })).toEqual(event);
  });

  test('is valid for a body reserialized by a proxy', () => {
    expect(verifyDelivery({ body: JSON.stringify(JSON.parse(body), null, 2), privateKey })).toEqual(event);
    expect(verifyDelivery({ body: body.replace('ä', '\\u00e4'), privateKey })).toEqual(event);
  });

  test('is valid for the exact signed bytes, sorted or not', () => {
    const unsorted = '{"type":"LOCATION_CREATED","id":184467.0}';
    const signature = createHmac('sha256', privateKey).update(unsorted).digest('base64');
    expect(verifyDelivery({ body: `{"event":${unsorted},"signature":"${signature}"}`, privateKey })).toEqual({
      type: 'LOCATION_CREATED',
      id: 184467,
    });
  });

  test('is invalid with another key, and valid with any key of a list', () => {
    expect(failure({ body, privateKey: newPrivateKey() })).toBe('body-signature-wrong');
    expect(verifyDelivery({ body, privateKey: [newPrivateKey(), privateKey] })).toEqual(event);
  });

  test('is invalid if only the unused bits of the Base64 differ', () => {
    const { signature } = JSON.parse(body);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const twin = `${signature.slice(0, 42)}${alphabet[alphabet.indexOf(signature[42]) + 1]}=`;
    expect(Buffer.from(twin, 'base64')).toEqual(Buffer.from(signature, 'base64'));
    expect(failure({ body: body.replace(signature, twin), privateKey })).toBe('body-signature-wrong');
  });

  test('does not cover a second event added to the body', () => {
    const smuggled = body.replace(/}$/, ',"event":{"type":"BUSINESS_CREATED"}}');
    expect(failure({ body: smuggled, privateKey })).toBe('body-signature-wrong');
  });
});

describe('the signature in the headers', () => {
  test('is valid for the raw body with Node or fetch headers in any case', () => {
    expect(verifyDelivery({ body, secret, headers })).toEqual(event);
    expect(verifyDelivery({ body: Buffer.from(body), secret, headers: new Headers(headers) })).toEqual(event);
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
    expect(verifyDelivery({ body, secret, headers: shouted })).toEqual(event);
  });

  test('is invalid with another secret, id or body', () => {
    expect(failure({ body, secret: newSecret(), headers })).toBe('header-signature-wrong');
    expect(failure({ body, secret, headers: { ...headers, 'webhook-id': '184468' } })).toBe('header-signature-wrong');
    expect(failure({ body: `${body} `, secret, headers })).toBe('header-signature-wrong');
  });

  test('may be one of several during a rotation of sender or receiver', () => {
    const next = newSecret();
    expect(verifyDelivery({ body, secret: next, headers: signedHeaders([secret, next], body) })).toEqual(event);
    expect(verifyDelivery({ body, secret: [next, secret], headers })).toEqual(event);
    expect(failure({ body, secret: newSecret(), headers: signedHeaders([secret, next], body) })).toBe(
      'header-signature-wrong',
    );
  });

  test('is ignored if its version is unknown', () => {
    const v2 = headers['webhook-signature'].replace('v1,', 'v2,');
    expect(failure({ body, secret, headers: { ...headers, 'webhook-signature': v2 } })).toBe('header-signature-wrong');
  });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('needs %s', (name) => {
    expect(failure({ body, secret, headers: { ...headers, [name]: undefined } })).toBe('header-missing');
    expect(() => verifyDelivery({ body, secret, headers: {} })).toThrow('header webhook-id is missing');
  });
});

describe('an Ed25519 signature in the headers', () => {
  function newKeyPair() {
    const pair = generateKeyPairSync('ed25519');
    const raw = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    return { publicKey: `whpk_${raw.toString('base64')}`, privateKey: pair.privateKey };
  }
  const pair = newKeyPair();
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  const v1a = `v1a,${sign(null, content, pair.privateKey).toString('base64')}`;
  const signed = { ...headers, 'webhook-signature': v1a };

  test('is valid for text and bytes, with any public key of a list', () => {
    expect(verifyDelivery({ body, publicKeys: pair.publicKey, headers: signed })).toEqual(event);
    const publicKeys = [newKeyPair().publicKey, pair.publicKey];
    expect(verifyDelivery({ body: Buffer.from(body), publicKeys, headers: signed })).toEqual(event);
  });

  test('is invalid with another key or body', () => {
    expect(failure({ body, publicKeys: newKeyPair().publicKey, headers: signed })).toBe('header-signature-wrong');
    expect(failure({ body: `${body} `, publicKeys: pair.publicKey, headers: signed })).toBe('header-signature-wrong');
  });

  test('is an alternative to the secret', () => {
    const keys = { secret, publicKeys: pair.publicKey };
    expect(verifyDelivery({ body, ...keys, headers })).toEqual(event);
    expect(verifyDelivery({ body, ...keys, headers: signed })).toEqual(event);
    expect(failure({ body, ...keys, secret: newSecret(), headers })).toBe('header-signature-wrong');
  });

  test('requires a valid public key, the raw body and the headers', () => {
    expect(() => verifyDelivery({ body, publicKeys: 'whpk_AAAA', headers: signed })).toThrow(
      'The public key is not valid',
    );
    expect(() => verifyDelivery({ body, publicKeys: '', headers: signed })).toThrow('publicKeys passed to');
    expect(() => verifyDelivery({ body, publicKeys: pair.publicKey })).toThrow('Pass headers to verifyDelivery');
    expect(() => verifyDelivery({ body: JSON.parse(body), publicKeys: pair.publicKey, headers: signed })).toThrow(
      'publicKeys requires the raw body',
    );
  });
});

describe('the age of a delivery', () => {
  const sent = new Date('2026-11-15T01:02:03Z');
  const at = (seconds: number, toleranceSeconds?: number) =>
    failure({
      body,
      secret,
      headers: signedHeaders([secret], body, sent),
      now: new Date(sent.getTime() + seconds * 1000),
      ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }),
    });

  test('may be five minutes in either direction, or toleranceSeconds', () => {
    expect([at(300), at(-300)]).toEqual(['verified', 'verified']);
    expect([at(301), at(-301)]).toEqual(['timestamp-outside-tolerance', 'timestamp-outside-tolerance']);
    expect([at(3600, 3600), at(11, 10)]).toEqual(['verified', 'timestamp-outside-tolerance']);
  });

  test.each(['soon', '', ' ', '1e9', '-5', 'Infinity'])('cannot be read from "%s"', (timestamp) => {
    const unreadable = { ...headers, 'webhook-timestamp': timestamp };
    expect(failure({ body, secret, headers: unreadable, toleranceSeconds: Number.POSITIVE_INFINITY })).toMatch(
      /timestamp-outside-tolerance|header-missing/,
    );
  });
});

test('requires both signatures with both keys', () => {
  expect(verifyDelivery({ body, privateKey, secret, headers })).toEqual(event);
  expect(failure({ body, privateKey: newPrivateKey(), secret, headers })).toBe('body-signature-wrong');
  expect(failure({ body, privateKey, secret: newSecret(), headers })).toBe('header-signature-wrong');
});

test.each([
  ['nothing', undefined],
  ['an empty body', ''],
  ['half a body', body.slice(0, 40)],
  ['another JSON value', '[1,2]'],
  ['null', 'null'],
  ['an event without a signature', JSON.stringify({ event })],
  ['a signature that is no string', JSON.stringify({ event, signature: 5 })],
  ['a byte that is not UTF-8 where the signed event has its replacement character', notUtf8],
  ['a body nested too deep', `{"event":${'['.repeat(500_000)}${']'.repeat(500_000)},"signature":"x"}`],
])('%s is refused as unreadable', (_what, unreadable) => {
  expect(failure({ body: unreadable, privateKey })).toBe('body-unreadable');
});

test('throws a TypeError for invalid arguments', () => {
  expect(() => verifyDelivery({ body })).toThrow(TypeError);
  expect(() => verifyDelivery({ body, privateKey: [] })).toThrow(TypeError);
  expect(() => verifyDelivery({ body, privateKey: '' })).toThrow('The privateKey passed to verifyDelivery is empty.');
  expect(() => verifyDelivery({ body, privateKey, secret: ['', secret], headers })).toThrow(TypeError);
  expect(() => verifyDelivery({ body, secret: 'whsec_', headers })).toThrow(TypeError);
  expect(() => verifyDelivery({ body, secret })).toThrow('Pass headers to verifyDelivery');
  expect(() => verifyDelivery({ body: JSON.parse(body), secret, headers })).toThrow('The secret requires the raw body');
});

test('does not reveal a key in messages', () => {
  const wrong = { privateKey: newPrivateKey(), secret: newSecret() };
  for (const keys of [{ privateKey: wrong.privateKey }, { secret: wrong.secret, headers }]) {
    expect(() => verifyDelivery({ body, ...keys })).not.toThrow(
      new RegExp(`${wrong.privateKey}|${wrong.secret.slice(6, 30).replaceAll('+', '\\+')}`),
    );
  }
});

describe('for any event', () => {
  const anyEvent = fc.jsonValue({ stringUnit: 'binary' });
  const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));

  test('verifies a signed delivery as raw bytes and as parsed object', () => {
    fc.assert(
      fc.property(anyEvent, (any) => {
        const raw = signedBody(privateKey, any);
        const signed = { privateKey, secret, headers: signedHeaders([secret], raw) };
        expect(verifyDelivery({ body: Buffer.from(raw), ...signed })).toEqual(asJson(any));
        expect(verifyDelivery({ body: JSON.parse(raw), privateKey })).toEqual(asJson(any));
        expect(verifyDelivery({ body: JSON.stringify(JSON.parse(raw), null, 1), privateKey })).toEqual(asJson(any));
      }),
    );
  });

  test('rejects a flipped bit, unless the parsed event is the same', () => {
    fc.assert(
      fc.property(anyEvent, fc.nat(), fc.nat({ max: 7 }), (any, place, bit) => {
        const raw = Buffer.from(signedBody(privateKey, any));
        const signed = { secret, headers: signedHeaders([secret], raw.toString()) };
        const at = place % raw.length;
        raw[at] = (raw[at] ?? 0) ^ (1 << bit);
        expect(failure({ body: raw, ...signed })).toBe('header-signature-wrong');
        // "\u001f" and "\u001F", or 1e+21 and 1E+21, differ in one bit and parse to the same event.
        if (failure({ body: raw, privateKey }) === 'verified') {
          expect(JSON.parse(raw.toString()).event).toEqual(asJson(any));
        }
      }),
      { numRuns: 1000 },
    );
  });
});
