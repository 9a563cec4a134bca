import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VerificationError, verifyDelivery } from '../receiver/receiver.ts';
import type { Vector } from './generator/vectors.ts';

const file = new URL('vectors.json', import.meta.url);
const { vectors }: { vectors: Vector[] } = JSON.parse(readFileSync(file, 'utf8'));

function resultOf({ bodyBase64, headers, keys, now, toleranceSeconds }: Vector) {
  try {
    return verifyDelivery({
      body: Buffer.from(bodyBase64, 'base64'),
      headers,
      privateKey: keys.privateKeys,
      secret: keys.secrets,
      publicKeys: keys.publicKeys,
      now: new Date(now * 1000),
      toleranceSeconds,
    });
  } catch (error) {
    if (error instanceof VerificationError) return { error: error.code };
    throw error;
  }
}

test.each(vectors)('the TypeScript receiver verifies: $name', (vector) => {
  const { expected } = vector;
  const result = resultOf(vector) as unknown as Record<string, unknown>;
  if ('error' in expected) {
    expect(result).toEqual(expected);
    return;
  }
  for (const [name, value] of Object.entries(expected.fields)) {
    // Numbers above 2^53 are rounded.
    expect(result[name]).toBe(typeof result[name] === 'number' ? Number(value) : value);
  }
});

test('the vectors have a body as text and as Base64', () => {
  expect(vectors.length).toBeGreaterThan(50);
  for (const { body, bodyBase64 } of vectors) {
    if (body !== null) expect(Buffer.from(body).toString('base64')).toBe(bodyBase64);
  }
});
