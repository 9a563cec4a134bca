import { expect, test } from 'vitest';
import { detailsText, pageOf } from './audit-details.ts';

test.each([
  ['LOCATION', { fields: ['descriptionShort', 'zip'] }, 'Fields: Short description, Postal code'],
  ['LOCATION', { from: 'ACTIVE', to: 'CANCELLED' }, 'Status: Active → Cancelled'],
  ['LOCATION', { name: 'ACME', businessId: 7 }, 'Name: ACME · Business: 7'],
  ['LISTING', { flowStatus: 'INACTIVE', comment: 'closed' }, 'Next step: Inactive · Comment: closed'],
  ['SUGGESTION', { field: 'openingHours', applied: true }, 'Field: Opening hours · Applied: Yes'],
  [
    'USER',
    { changed: { role: { from: 'ADMIN', to: 'ACCOUNT_MANAGER' }, businessIds: { from: [], to: [1, 2] } } },
    'Role: Administrator → Account manager · Businesses: – → 1, 2',
  ],
  ['SOCIAL_POST', { status: 'ACTIVE' }, 'Status: Published'],
  ['WEBHOOK', {}, ''],
])('details of %s: %j', (subject, details, text) => {
  expect(detailsText({ subject, details })).toBe(text);
});

test('links objects that have a page and are not deleted', () => {
  expect(pageOf({ action: 'CHANGED', subject: 'LOCATION', subjectId: 111 })).toEqual({ to: '/locations/111' });
  expect(pageOf({ action: 'DELETED', subject: 'LOCATION', subjectId: 111 })).toBeUndefined();
  expect(pageOf({ action: 'SYNCED', subject: 'LOCATION' })).toBeUndefined();
  expect(pageOf({ action: 'CREATED', subject: 'LABEL', subjectId: 3 })).toBeUndefined();
});
