import { expect, test } from 'vitest';
import { summaryOf } from './event-summary.ts';

const names = {
  location: (id: number) => (id === 51877 ? 'Bäckerei Lindner, Köln' : ''),
  directory: (type: string) => (type === 'GOOGLE' ? 'Google' : type),
};
const common = { id: 1, time: '2026-11-15T01:02:03.456+00:00', salesPartnerIdentifier: 'acme', business: 2204 };

test('starts with the location, then the change', () => {
  const event = {
    ...common,
    listing: 918273,
    location: 51877,
    directoryType: 'GOOGLE',
    syncStatusChanged: true,
    fromListingClaimStatus: 'NOT_CLAIMABLE',
    toListingClaimStatus: 'NOT_CLAIMABLE',
    fromListingFlowStatus: 'SUBMISSION_NEEDED',
    toListingFlowStatus: 'SUBMISSION_NEEDED',
    fromListingSyncStatus: 'NOT_IN_SYNC',
    toListingSyncStatus: 'IN_SYNC',
  };
  expect(summaryOf(event, names)).toBe('Bäckerei Lindner, Köln · Google · Sync status: Not in sync → In sync');
});

test.each([
  [{ location: 60233, from: 'ACTIVE', to: 'CANCELLED' }, 'Location 60233 · Status: Active → Cancelled'],
  [
    { location: 60233, comment: 'Changed: descriptionShort, zip' },
    'Location 60233 · Changed: Short description, Postal code',
  ],
  [{ comment: 'Harbour & Vine Ltd, Bristol' }, 'Business 2204 · Harbour & Vine Ltd, Bristol'],
  [
    { location: 51877, directoryType: 'GOOGLE', newReviewsFound: 2, newPhotosFound: 0, newDataPointIds: [7, 8] },
    'Bäckerei Lindner, Köln · Google · New reviews: 2',
  ],
  [{ location: 60233, invalidDataPointIds: [7655120], deletedDataPointIds: [] }, 'Location 60233 · No longer valid: 1'],
  [
    { oldProductPlanName: 'Presence', newProductPlanName: 'Presence & Reviews', comment: 'New season' },
    'Business 2204 · Product plan: Presence → Presence & Reviews · New season',
  ],
  [
    { location: 51877, directoryType: 'GOOGLE', fields: ['phone', 'openingHours'], suggestionIds: [1, 2] },
    'Bäckerei Lindner, Köln · Google · Phone, Opening hours',
  ],
  [
    { location: 51877, updateResult: 'UNDEFINED', updateStatus: 'MANDATORY_FIELD_MISSING', messages: ['No hours'] },
    'Bäckerei Lindner, Köln · Result unknown · Mandatory field missing · No hours',
  ],
])('summarizes %j', (fields, summary) => {
  expect(summaryOf({ ...common, ...fields }, names)).toBe(summary);
});

test('shows a placeholder while the name of the location loads', () => {
  const loading = { ...names, location: () => undefined };
  expect(summaryOf({ ...common, location: 51877, from: 'ACTIVE', to: 'CANCELLED' }, loading)).toBe(
    '… · Status: Active → Cancelled',
  );
});
