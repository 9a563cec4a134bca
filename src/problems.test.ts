import { expect, test } from 'vitest';
import { invalidField, Problem, renameField } from './problems.ts';

test('a problem without details has the message of the catalogue', () => {
  expect(new Problem('NOT_FOUND')).toMatchObject({ status: 'NOT_FOUND', httpCode: 404, errors: [], headers: {} });
  expect(new Problem('NOT_FOUND').message).not.toBe('');
});

test('several problems can share a status with different error codes', () => {
  expect(new Problem('IDENTIFIER_NOT_UNIQUE')).toMatchObject({
    status: 'CONFLICT',
    httpCode: 409,
    errorCode: 'IDENTIFIER_NOT_UNIQUE',
  });
});

test('the message of a problem with fields joins their messages', () => {
  expect(invalidField('pushUrl', 'scheme', 'pushUrl must be https.').message).toBe('pushUrl must be https.');
});

test('rounds Retry-After up to whole seconds', () => {
  expect(new Problem('QUOTA_LIMIT_EXCEED', { retryAfterSeconds: 1.2 }).headers).toEqual({ 'retry-after': '2' });
});

test('renames a field in its message as a whole name only', () => {
  const error = { field: 'lat', rule: 'pair', message: 'lat requires lng. Send the latest value of lat, not lat[0].' };
  expect(renameField(error, 'latitude')).toEqual({
    field: 'latitude',
    rule: 'pair',
    message: 'latitude requires lng. Send the latest value of latitude, not lat[0].',
  });
});
