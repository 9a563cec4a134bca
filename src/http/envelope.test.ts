import { describe, expect, test } from 'vitest';
import { success } from './envelope.ts';

describe('a bulk operation', () => {
  test.each([
    [{ updatedCount: 2, failedCount: 0, updatedIds: [1, 2], failed: [] }, 'SUCCESS'],
    [{ updatedCount: 1, failedCount: 1, updatedIds: [1], failed: [{ id: 2 }] }, 'PARTIAL_ERROR'],
    [{ updatedCount: 0, failedCount: 1, updatedIds: [], failed: [{ id: 2 }] }, 'PARTIAL_ERROR'],
  ])('%j is %s', (response, status) => {
    expect(success(response)).toMatchObject({ status, response });
  });

  test.each([null, 'text', [], { failedCount: 3 }, { failed: 2, failedCount: 1 }])('%j is not one', (response) => {
    expect(success(response).status).toBe('SUCCESS');
  });
});
