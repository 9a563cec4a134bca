import { createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import canonicalize from 'canonicalize';
import { eventTypeNames, exampleEvent } from '../../src/events/catalogue/catalogue.ts';
import { className } from './event-model.ts';

/** Deliveries for the tests of all receivers. Signed here with node:crypto, without code of the platform. */

export interface Vector {
  name: string;
  /** null if the body is not UTF-8. */
  body: string | null;
  bodyBase64: string;
  headers: Record<string, string>;
  keys: { privateKeys: string[]; secrets: string[]; publicKeys: string[] };
  /** Unix time in seconds. */
  now: number;
  toleranceSeconds: number;
  expected: { class: string; fields: Record<string, string> } | { error: string };
}

type Keys = Partial<Vector['keys']>;

const [privateKey, newPrivateKey, otherPrivateKey] = [
  'wp_test_5vT2kQ9mZ4rX7bN1cL8dF3gH6jK0pS',
  'wp_test_9cW4nB7xV2qT5yM8kJ1hG6fD3sA0zR',
  'wp_test_1aS4dF7gH0jK3lZ6xC9vB2nM5qW8eR',
] as const;
const secretOf = (text: string) => `whsec_${Buffer.from(text).toString('base64')}`;
const [secret, newSecret, otherSecret] = [
  secretOf('waypost-test-vector-secret-0123'),
  secretOf('waypost-test-vector-secret-next'),
  secretOf('waypost-test-vector-secret-else'),
] as const;
/** PKCS #8 (RFC 8410) of a seed of 32 equal bytes. */
const ed25519 = (byte: number) =>
  createPrivateKey({
    format: 'der',
    type: 'pkcs8',
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, byte)]),
  });
const [signingKey, newSigningKey, otherSigningKey] = [ed25519(1), ed25519(2), ed25519(3)] as const;
const publicKeyOf = (key: ReturnType<typeof ed25519>) =>
  `whpk_${createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`;
const [publicKey, newPublicKey] = [publicKeyOf(signingKey), publicKeyOf(newSigningKey)] as const;

const now = 1_794_704_523;
const id = '184467';
const event = {
  ...exampleEvent('LOCATION_PROFILE_CHANGED'),
  comment: 'Changed: openingHours',
};
const eventText = String(canonicalize(event));
const withComment = (comment: string) => String(canonicalize({ ...event, comment }));

const hmac = (key: string | Buffer, text: string | Buffer) => createHmac('sha256', key).update(text).digest('base64');
const bodyOf = (text: string, key: string = privateKey) => `{"event":${text},"signature":"${hmac(key, text)}"}`;
const signedContent = (body: string | Buffer, timestamp: number) =>
  Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
const v1 = (body: string | Buffer, by: string = secret, timestamp = now) =>
  `v1,${hmac(Buffer.from(by.slice('whsec_'.length), 'base64'), signedContent(body, timestamp))}`;
const v1a = (body: string | Buffer, by = signingKey) =>
  `v1a,${sign(null, signedContent(body, now), by).toString('base64')}`;
const headersOf = (signature: string, timestamp: number | string = now) => ({
  'webhook-id': id,
  'webhook-timestamp': `${timestamp}`,
  'webhook-signature': signature,
});

/** The same bytes in Base64, with other unused bits in the last character before the padding. */
function otherUnusedBits(base64: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const [, start = '', last = '', padding = ''] = /^(.*)(.)(=+)$/.exec(base64) ?? [];
  return `${start}${alphabet[alphabet.indexOf(last) + 1]}${padding}`;
}

interface Case {
  body: string | Buffer;
  headers?: Record<string, string>;
  keys?: Keys;
  now?: number;
  toleranceSeconds?: number;
}

const bothKeys: Keys = { privateKeys: [privateKey], secrets: [secret] };

function vector(name: string, given: Case, expected: Vector['expected']): Vector {
  const body = Buffer.from(given.body);
  const text = body.toString();
  return {
    name,
    body: Buffer.from(text).equals(body) ? text : null,
    bodyBase64: body.toString('base64'),
    headers: given.headers ?? headersOf(v1(body)),
    keys: { privateKeys: [], secrets: [], publicKeys: [], ...(given.keys ?? bothKeys) },
    now: given.now ?? now,
    toleranceSeconds: given.toleranceSeconds ?? 300,
    expected,
  };
}

const profileChanged = 'LocationProfileChangedEvent';
const valid = (name: string, given: Case, fields: Record<string, string> = {}, eventClass = profileChanged) =>
  vector(name, given, { class: eventClass, fields: { id, ...fields } });
const invalid = (name: string, error: string, given: Case) => vector(name, given, { error });

const plain = bodyOf(eventText);
const lineSeparators = 'first\u2028second\u2029third';
const unicode = 'Geändert: Öffnungszeiten 🕗, Straße <12> & "Eingang", 中文, עברית';
const quoted = 'a "quoted" ,"signature":"value"}';
const withId = (number: string) => eventText.replace(`"id":${id}`, `"id":${number}`);
const nested = String(
  canonicalize({ ...event, details: { list: [1, { signature: 'x' }], quoted: '{', signature: 'y' } }),
);
const signatureLast = String(canonicalize({ id: 184467, signature: hmac(privateKey, 'x'), type: 'SIGNATURE_LAST' }));

const textCases = [
  valid('plain', { body: plain }, { type: 'LOCATION_PROFILE_CHANGED', comment: 'Changed: openingHours' }),
  valid('unicode', { body: bodyOf(withComment(unicode)) }, { comment: unicode }),
  valid('U+2028 and U+2029', { body: bodyOf(withComment(lineSeparators)) }, { comment: lineSeparators }),
  valid('control characters', { body: bodyOf(withComment('tab\t line\n \u0001')) }, { comment: 'tab\t line\n \u0001' }),
  valid('unescaped slashes', { body: bodyOf(withComment('a/b </script>')) }, { comment: 'a/b </script>' }),
  valid('escaped slashes', { body: bodyOf(withComment('a/b').replace('a/b', 'a\\/b \\u00e4')) }, { comment: 'a/b ä' }),
  valid('largest safe integer', { body: bodyOf(withId('9007199254740991')) }, { id: '9007199254740991' }),
  valid('integer above 2^53', { body: bodyOf(withId('9007199254740993')) }, { id: '9007199254740993' }),
  valid('largest 64-bit integer', { body: bodyOf(withId('9223372036854775807')) }, { id: '9223372036854775807' }),
  valid('integer beyond 64 bits in an unknown field', {
    body: bodyOf(eventText.replace('{', '{"big":184467440737095516160,')),
  }),
  valid('"signature": in a text', { body: bodyOf(withComment(quoted)) }, { comment: quoted }),
  valid('a field "signature" inside the event', { body: bodyOf(nested) }),
  valid('a field "signature" at the end of the event', { body: bodyOf(signatureLast) }, {}, 'UnknownEvent'),
];

const typeCases = [
  ...eventTypeNames.map((type) =>
    valid(`event type ${type}`, { body: bodyOf(String(canonicalize(exampleEvent(type)))) }, { type }, className(type)),
  ),
  valid('unknown field', { body: bodyOf(String(canonicalize({ ...event, added: { in: ['future'] } }))) }),
  valid(
    'unknown status value',
    { body: bodyOf(String(canonicalize({ ...exampleEvent('LOCATION_STATUS_CHANGED'), to: 'MOVED' }))) },
    { to: 'MOVED' },
    'LocationStatusChangedEvent',
  ),
  valid(
    'unknown event type',
    { body: bodyOf(String(canonicalize({ ...event, type: 'LOCATION_MOVED' }))) },
    { type: 'LOCATION_MOVED' },
    'UnknownEvent',
  ),
];

const keyCases = [
  valid('private key only', { body: plain, headers: {}, keys: { privateKeys: [privateKey] } }),
  valid('secret only', { body: plain, keys: { secrets: [secret] } }),
  valid('header names in another case', {
    body: plain,
    headers: { 'Webhook-Id': id, 'Webhook-Timestamp': `${now}`, 'WEBHOOK-SIGNATURE': v1(plain) },
  }),
  valid('rotation: the receiver has old and new keys, signed with the old ones', {
    body: plain,
    keys: { privateKeys: [newPrivateKey, privateKey], secrets: [newSecret, secret] },
  }),
  valid('rotation: the receiver has old and new keys, signed with the new ones', {
    body: bodyOf(eventText, newPrivateKey),
    headers: headersOf(v1(bodyOf(eventText, newPrivateKey), newSecret)),
    keys: { privateKeys: [newPrivateKey, privateKey], secrets: [newSecret, secret] },
  }),
  valid('rotation: two signatures, the receiver has the old secret', {
    body: plain,
    headers: headersOf(`${v1(plain, newSecret)} ${v1(plain)}`),
  }),
  valid('rotation: two signatures, the receiver has the new secret', {
    body: plain,
    headers: headersOf(`${v1(plain, newSecret)} ${v1(plain)}`),
    keys: { secrets: [newSecret] },
  }),
  valid('v1a', { body: plain, headers: headersOf(v1a(plain)), keys: { publicKeys: [publicKey] } }),
  valid('v1a with several public keys', {
    body: bodyOf(withComment(unicode)),
    headers: headersOf(v1a(bodyOf(withComment(unicode)))),
    keys: { privateKeys: [privateKey], publicKeys: [newPublicKey, publicKey] },
  }),
  valid('v1a after v1, the receiver has the public key', {
    body: plain,
    headers: headersOf(`${v1(plain)} ${v1a(plain)}`),
    keys: { publicKeys: [publicKey] },
  }),
  valid('v1a and v1, the receiver has the secret', {
    body: plain,
    headers: headersOf(`${v1a(plain)} ${v1(plain)}`),
    keys: { secrets: [secret] },
  }),
  valid('secret and public key, only v1 sent', {
    body: plain,
    keys: { secrets: [secret], publicKeys: [publicKey] },
  }),
  invalid('v1a with another key', 'header-signature-wrong', {
    body: plain,
    headers: headersOf(v1a(plain, otherSigningKey)),
    keys: { publicKeys: [publicKey, newPublicKey] },
  }),
  invalid('v1a of another body', 'header-signature-wrong', {
    body: plain,
    headers: headersOf(v1a(bodyOf(withComment(unicode)))),
    keys: { publicKeys: [publicKey] },
  }),
  invalid('v1 signature given as v1a', 'header-signature-wrong', {
    body: plain,
    headers: headersOf(v1(plain).replace('v1,', 'v1a,')),
    keys: { publicKeys: [publicKey] },
  }),
  invalid('v1a signature with other unused bits', 'header-signature-wrong', {
    body: plain,
    headers: headersOf(otherUnusedBits(v1a(plain))),
    keys: { publicKeys: [publicKey] },
  }),
  invalid('v1a only, the receiver has the secret', 'header-signature-wrong', {
    body: plain,
    headers: headersOf(v1a(plain)),
  }),
  invalid('wrong secret', 'header-signature-wrong', { body: plain, keys: { secrets: [otherSecret] } }),
  invalid('wrong private key', 'body-signature-wrong', {
    body: plain,
    keys: { privateKeys: [otherPrivateKey], secrets: [secret] },
  }),
];

const timeCases = [
  valid('exactly at the tolerance', { body: plain, now: now + 300 }),
  valid('exactly at the tolerance, in the future', { body: plain, now: now - 300 }),
  valid('old, with a longer tolerance', { body: plain, now: now + 3600, toleranceSeconds: 3600 }),
  invalid('expired', 'timestamp-outside-tolerance', { body: plain, now: now + 301 }),
  invalid('from the future', 'timestamp-outside-tolerance', { body: plain, now: now - 301 }),
  invalid('old, with a shorter tolerance', 'timestamp-outside-tolerance', {
    body: plain,
    now: now + 11,
    toleranceSeconds: 10,
  }),
  ...['soon', '1e9', '-5', '17947045230000000000000', `${now}.0`].map((timestamp) =>
    invalid(`timestamp ${timestamp}`, 'timestamp-outside-tolerance', {
      body: plain,
      headers: headersOf(v1(plain), timestamp),
    }),
  ),
  invalid('another timestamp than the signed one', 'header-signature-wrong', {
    body: plain,
    headers: headersOf(v1(plain), now + 1),
  }),
];

const tampered = plain.replace('51877', '51878');
const smuggled = plain.replace(/}$/, ',"event":{"type":"BUSINESS_CREATED"}}');
const notUtf8 = Buffer.from(plain.replace('openingHours', '\xff'), 'latin1');
const signed = (body: string | Buffer): Case => ({ body, headers: headersOf(v1(body)) });

const bodyCases = [
  invalid('tampered body, private key only', 'body-signature-wrong', {
    body: tampered,
    keys: { privateKeys: [privateKey] },
  }),
  invalid('tampered body, headers of the original', 'header-signature-wrong', {
    body: tampered,
    headers: headersOf(v1(plain)),
  }),
  invalid('tampered signature in the body', 'body-signature-wrong', signed(bodyOf(eventText, otherPrivateKey))),
  invalid('tampered signature in the headers', 'header-signature-wrong', {
    body: plain,
    headers: headersOf(v1(plain).replace(/,./, (start) => (start === ',A' ? ',B' : ',A'))),
  }),
  invalid(
    'signature in the body with other unused bits',
    'body-signature-wrong',
    signed(plain.replace(/[^"]+(?="}$)/, otherUnusedBits)),
  ),
  invalid('signature in the headers with other unused bits', 'header-signature-wrong', {
    body: plain,
    headers: headersOf(otherUnusedBits(v1(plain))),
  }),
  invalid('signature of an unknown version', 'header-signature-wrong', {
    body: plain,
    headers: headersOf(v1(plain).replace('v1,', 'v2,')),
  }),
  invalid('a second event after the signature', 'body-signature-wrong', signed(smuggled)),
  ...Object.keys(headersOf('')).map((name) => {
    const { [name]: _missing, ...others } = headersOf(v1(plain)) as Record<string, string>;
    return invalid(`missing header ${name}`, 'header-missing', { body: plain, headers: others });
  }),
  invalid('no headers', 'header-missing', { body: plain, headers: {} }),
  invalid('empty signature header', 'header-missing', { body: plain, headers: headersOf('') }),
  invalid('empty body', 'body-unreadable', signed('')),
  invalid('empty body, private key only', 'body-unreadable', { body: '', keys: { privateKeys: [privateKey] } }),
  invalid('not JSON', 'body-unreadable', signed('event=1&signature=2')),
  invalid('half a body', 'body-unreadable', signed(plain.slice(0, 40))),
  invalid('a JSON list', 'body-unreadable', signed('[1,2]')),
  invalid('null', 'body-unreadable', signed('null')),
  invalid('no signature in the body', 'body-unreadable', signed(`{"event":${eventText}}`)),
  invalid('a signature that is not a string', 'body-unreadable', signed(`{"event":${eventText},"signature":5}`)),
  invalid('no event', 'body-unreadable', signed('{"signature":"x"}')),
  invalid('signed text that is not JSON', 'body-unreadable', signed(bodyOf('{"id":'))),
  invalid('byte order mark', 'body-unreadable', signed(`\ufeff${plain}`)),
  invalid('not UTF-8', 'body-unreadable', signed(notUtf8)),
];

const vectors: readonly Vector[] = [...textCases, ...typeCases, ...keyCases, ...timeCases, ...bodyCases];

export const vectorsText = () => `${JSON.stringify({ vectors }, null, 2)}\n`;
