import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differenceOf } from '../../console/src/pages/webhooks/signature/byte-difference.ts';
import { checkBody, checkHeader } from '../../console/src/pages/webhooks/signature/check-signature.ts';
import { canonicalJson } from '../../src/events/signing/canonical-json.ts';
import {
  deliveryBody,
  eventKey,
  signEvent,
  standardKey,
  standardSignature,
} from '../../src/events/signing/signature.ts';

const privateKey = 'kJ8dW2-private';
const event = {
  comment: 'Bäckerei Lindner, Köln/Süd',
  id: 4711,
  location: 51877,
  nested: { list: [1, 2.5], name: 'Ö' },
  type: 'LOCATION_CREATED',
};

const bodyOf = (value: object, key = privateKey) => {
  const text = canonicalJson(value);
  return deliveryBody(text, signEvent(eventKey(key), text));
};
const body = bodyOf(event);
const { signature } = JSON.parse(body);

describe('body signature', () => {
  test('is valid for everything that the service signs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string({ minLength: 1 }), async (value, key) => {
        const anyValue = bodyOf({ id: 1, value }, key);
        expect(await checkBody(anyValue, key, anyValue)).toEqual({ verdict: 'GOOD_BODY', isRight: true });
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['pretty printed', JSON.stringify(JSON.parse(body), null, 2), 'SPACE_ADDED', 1],
    ['spaces after colons', body.replace('"event":', '"event": '), 'SPACE_ADDED', 9],
    ['a line break at the end', `${body}\n`, 'EXTRA_END', Buffer.byteLength(body)],
    ['letters escaped', body.replace('ä', '\\u00e4'), 'ESCAPED', body.indexOf('ä')],
    ['slashes escaped', body.replace('/S', '\\/S'), 'SLASH', Buffer.byteLength(body.slice(0, body.indexOf('/S')))],
    ['a different number format', body.replace('51877', '51877.0'), 'NUMBER', undefined],
    ['a byte order mark', `\ufeff${body}`, 'BOM', 0],
  ])('explains the first different byte of an event with %s', async (_what, actual, reason, offset) => {
    const finding = await checkBody(actual, privateKey, body);
    expect(finding).toMatchObject({ verdict: 'REWRITTEN', isRight: false, difference: { reason } });
    if (offset !== undefined) expect(finding.difference?.offset).toBe(offset);
  });

  test('detects reordered fields', async () => {
    const { comment, ...rest } = event;
    const finding = await checkBody(JSON.stringify({ event: { ...rest, comment }, signature }), privateKey);
    expect(finding).toMatchObject({ verdict: 'REWRITTEN', difference: { reason: 'KEY_ORDER', offset: 11 } });
  });

  test('names the byte and the field of a modified event', async () => {
    const finding = await checkBody(body.replace('"name":"Ö"', '"name":"Oe"'), privateKey, body);
    expect(finding).toMatchObject({ verdict: 'CHANGED', difference: { path: 'event.nested.name' } });
    expect(finding.difference?.offset).toBe(Buffer.from(body).indexOf(Buffer.from('Ö"}')));
    const number = await checkBody(body.replace('51877', '51878'), privateKey, body);
    expect(number.difference).toMatchObject({ path: 'event.location', reason: 'VALUE', yours: 0x38, theirs: 0x37 });
  });

  test('distinguishes a wrong key from white space around the correct key', async () => {
    expect(await checkBody(body, `${privateKey}\n`, body)).toMatchObject({ verdict: 'SPACE_IN_KEY', isRight: false });
    expect(await checkBody(body, 'another', body)).toMatchObject({ verdict: 'WRONG_KEY' });
    expect(await checkBody(body, 'another', bodyOf(event, 'newer'))).toMatchObject({ verdict: 'OTHER_SIGNATURE' });
    expect(await checkBody(body, 'another')).toMatchObject({ verdict: 'UNKNOWN' });
  });

  test('rejects bodies that are not deliveries', async () => {
    expect(await checkBody('POST /hook', privateKey)).toMatchObject({ verdict: 'NOT_JSON' });
    expect(await checkBody(canonicalJson(event), privateKey)).toMatchObject({ verdict: 'NO_EVENT' });
    expect(await checkBody('{"event":{}}', privateKey)).toMatchObject({ verdict: 'NO_SIGNATURE' });
    expect(await checkBody(body.slice(0, -9), privateKey, body)).toMatchObject({
      verdict: 'NOT_JSON',
      difference: { reason: 'CUT', theirs: expect.any(Number) },
    });
  });
});

describe('header signature', () => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const headers = {
    id: '4711',
    timestamp: '1763198000',
    signature: `v1,${createHmac('sha256', 'old').update('x').digest('base64')} ${standardSignature(standardKey(secret), '4711', 1_763_198_000, body)}`,
  };

  test('is valid if one of several signatures is', async () => {
    expect(await checkHeader(body, headers, ` ${secret}\n`)).toEqual({ verdict: 'GOOD_HEADER', isRight: true });
    expect(await checkHeader(body, headers, secret.slice(6))).toMatchObject({ isRight: true });
  });

  test('is invalid for a modified body and names the difference', async () => {
    expect(await checkHeader(`${body}\n`, headers, secret)).toMatchObject({
      verdict: 'BODY_CHANGED',
      difference: { reason: 'EXTRA_END' },
    });
    const pretty = JSON.stringify(JSON.parse(body), null, 2);
    expect(await checkHeader(pretty, headers, secret)).toMatchObject({
      difference: { reason: 'SPACE_ADDED', offset: 1 },
    });
    const changed = body.replace('51877', '51878');
    expect(await checkHeader(changed, headers, secret, body)).toMatchObject({
      verdict: 'BODY_CHANGED',
      difference: { path: 'event.location' },
    });
  });

  test('is invalid with another secret, another id or no signature', async () => {
    const other = `whsec_${randomBytes(24).toString('base64')}`;
    expect(await checkHeader(body, headers, other, body)).toMatchObject({ verdict: 'WRONG_SECRET' });
    expect(await checkHeader(body, { ...headers, id: '1' }, secret, body)).toMatchObject({ verdict: 'WRONG_ID' });
    expect(await checkHeader(body, { ...headers, signature: 'abc' }, secret)).toMatchObject({ verdict: 'NO_ENTRY' });
    expect(await checkHeader(body, headers, 'whsec_%%%')).toMatchObject({ verdict: 'BAD_SECRET' });
  });
});

test('finds the first different byte of any two texts', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 });
  fc.assert(
    fc.property(text, text, (received, expected) => {
      const [a, b] = [Buffer.from(received), Buffer.from(expected)];
      let at = 0;
      while (at < a.length && at < b.length && a[at] === b[at]) at++;
      const isSame = at === a.length && at === b.length;
      const found = differenceOf(received, expected);
      expect(found?.offset).toBe(isSame ? undefined : at);
      if (found) expect([found.yours, found.theirs]).toEqual([a[at], b[at]]);
    }),
  );
});
