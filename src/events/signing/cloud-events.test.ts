import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCodePoint } from '../../../test/support/any-code-point.ts';
import { cloudEventHeaders } from './cloud-events.ts';

const event = { id: 184467, type: 'LOCATION_CREATED', time: '2026-11-15T01:02:03.456+00:00', location: 51877 };

test('has the required attributes, the time and the subject', () => {
  expect(cloudEventHeaders(JSON.stringify({ ...event, salesPartnerIdentifier: 'harbour' }))).toEqual({
    'ce-specversion': '1.0',
    'ce-id': '184467',
    'ce-type': 'LOCATION_CREATED',
    'ce-source': '/sales-partners/harbour',
    'ce-time': '2026-11-15T01:02:03.456+00:00',
    'ce-subject': 'locations/51877',
  });
});

test.each([
  [{ listing: 1, location: 2, business: 3 }, 'listings/1'],
  [{ directoryBusinessPage: 4, business: 3 }, 'directory-business-pages/4'],
  [{ business: 3 }, 'businesses/3'],
  [{}, undefined],
])('the subject of %j is %s', (fields, subject) => {
  const { location: _, ...rest } = event;
  const text = JSON.stringify({ ...rest, salesPartnerIdentifier: 'harbour', ...fields });
  expect(cloudEventHeaders(text)['ce-subject']).toBe(subject);
});

test('encodes any partner identifier as the HTTP binding requires', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint, minLength: 1 }), (identifier) => {
      const salesPartnerIdentifier = identifier.toWellFormed();
      const source = cloudEventHeaders(JSON.stringify({ ...event, salesPartnerIdentifier }))['ce-source'] ?? '';
      // Section 3.1.3.2: printable ASCII without space and quotes; percent signs only before two hexadecimal digits.
      expect(source).toMatch(/^(?:[!#$&-~]|%[0-9A-F]{2})+$/);
      // A reader decodes the header once to get the URI reference, whose path segment is encoded again.
      const uri = decodeURIComponent(source);
      expect(uri).toBe(`/sales-partners/${encodeURIComponent(salesPartnerIdentifier)}`);
    }),
  );
});
