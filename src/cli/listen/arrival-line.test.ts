import { describe, expect, test } from 'vitest';
import type { WaypostEvent } from '../../../receiver/receiver.ts';
import { exampleEvent } from '../../events/catalogue/catalogue.ts';
import { importantFields } from './arrival-line.ts';

const told = (event: object) => importantFields(event as WaypostEvent);

describe('important fields', () => {
  test('starts with the subject, and shows changed statuses only', () => {
    expect(told(exampleEvent('LISTING_SYNC_CHECK'))).toBe(
      'business=2204 listing=918273 location=51877 directoryType=GOOGLE ' +
        'listingFlowStatus=ALL_INFORMATION_SUBMITTED→NO_ACTION_NEEDED listingSyncStatus=NOT_IN_SYNC→IN_SYNC',
    );
  });

  test('old and new value are one field', () => {
    expect(told(exampleEvent('BUSINESS_PRODUCT_PLAN_CHANGED'))).toBe(
      'business=4120 comment="Upgrade agreed for the new season" productPlanId=11→12 ' +
        'productPlanName=Presence→"Presence & Reviews" productPlanPrice=2900→4900 ' +
        'changedBy=anna.vogt@alpenblick-hotels.example',
    );
  });

  test('omits zero, false and empty values, and truncates long lists', () => {
    const event = { ...exampleEvent('LISTING_DATAPOINT_CHECK'), newDataPointIds: [1, 2, 3, 4, 5, 6, 7] };
    expect(told({ ...event, updatedDataPointIds: [] })).toBe(
      'business=2204 listing=918273 location=51877 directoryType=GOOGLE newPhotosFound=1 newReviewsFound=2 ' +
        'newDataPointIds=1,2,3,4,5,…2 more',
    );
  });

  test('shows all fields of an unknown type', () => {
    expect(told({ id: 1, time: 'now', type: 'MOON_LANDED', salesPartnerIdentifier: 'x', crater: 7, to: 'Tycho' })).toBe(
      'crater=7 to=Tycho',
    );
  });

  test('removes line breaks and control characters', () => {
    const comment = 'one\ntwo \u001b[2J\u009b31m "three" '.repeat(4);
    const line = told({ ...exampleEvent('LOCATION_PROFILE_CHANGED'), comment });
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(line).toContain('comment="one\\ntwo \\u001b[2J31m \\"three\\" ');
    expect(line).toContain('…"');
  });
});
