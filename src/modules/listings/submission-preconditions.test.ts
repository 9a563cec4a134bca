import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventTypes } from '../../events/catalogue/catalogue.ts';
import { type Directory, findDirectory } from '../directories/directory-list.ts';
import type { LocationStatus } from '../locations/index.ts';
import type { UpdateStatus } from './listing.ts';
import { findBlocker, preconditions, refusalStatus, type SubmissionState } from './submission-preconditions.ts';

const yelp = findDirectory('YELP') as Directory;
const waze = findDirectory('WAZE') as Directory;
const now = new Date('2026-11-15T12:00:00Z');

const ready: SubmissionState = {
  location: {
    status: 'ACTIVE',
    normalizationStatus: 'NORMALIZED',
    cleansingStatus: 'CLEANSED',
    lastSyncStarted: now,
  },
  directory: yelp,
  listing: {
    duplicateOf: null,
    externalId: 'p1',
    connectStatus: 'NOT_NEEDED',
    claimStatus: 'CLAIMED_BY_US',
    flowStatus: 'SUBMISSION_NEEDED',
    syncStatus: 'NOT_IN_SYNC',
    notBefore: null,
  },
  profile: { name: 'Lindner', street: 'Ring', city: 'Köln', country: 'DE', phone: '+492211', categories: ['Bakery'] },
  limited: false,
  now,
};

type Spoil = (state: SubmissionState) => SubmissionState;

/** In documented order. Each violates exactly one precondition. */
const spoilers: [UpdateStatus, Spoil][] = [
  ['INVALID_LOCATION_STATUS', (s) => ({ ...s, location: { ...s.location, status: 'NEEDS_REVIEW' } })],
  ['LOCATION_NOT_NORMALIZED', (s) => ({ ...s, location: { ...s.location, normalizationStatus: 'NOT_NORMALIZED' } })],
  [
    'LOCATION_NOT_CLEANSED',
    (s) => ({
      ...s,
      directory: { ...s.directory, needsCleansing: true },
      location: { ...s.location, cleansingStatus: 'PENDING' },
    }),
  ],
  ['LOCATION_NOT_SYNCED', (s) => ({ ...s, location: { ...s.location, lastSyncStarted: null } })],
  [
    'NOT_SUPPORTED',
    (s) => ({ ...s, directory: { ...s.directory, supports: { ...s.directory.supports, submission: false } } }),
  ],
  ['DUPLICATED', (s) => ({ ...s, listing: { ...s.listing, duplicateOf: 7 } })],
  ['INVALID_CLAIM_STATUS', (s) => ({ ...s, listing: { ...s.listing, claimStatus: 'CLAIMED_BY_OTHERS' } })],
  ['INVALID_FLOW_STATUS', (s) => ({ ...s, listing: { ...s.listing, flowStatus: 'NEEDS_REVIEW' } })],
  ['INVALID_SYNC_STATUS', (s) => ({ ...s, listing: { ...s.listing, syncStatus: 'TECHNICAL_PROBLEMS' } })],
  ['MANDATORY_FIELD_MISSING', (s) => ({ ...s, profile: { ...s.profile, phone: '' } })],
  [
    'ADDRESS_DISPLAY_NOT_SUPPORTED',
    (s) => ({ ...s, directory: { ...s.directory, supports: { ...s.directory.supports, addressDisplay: false } } }),
  ],
  ['DELAYED', (s) => ({ ...s, listing: { ...s.listing, notBefore: new Date(now.getTime() + 1000) } })],
  ['LIMIT_REACHED', (s) => ({ ...s, limited: true })],
];

test('has no blocker for a listing that is ready', () => {
  expect(findBlocker(ready)).toBeUndefined();
});

test.each([
  ['NOT_CONNECTED', 'requires a connected account'],
  ['CONNECTED', 'Link the listing, or set flowStatus to SUBMISSION_NEEDED'],
] as const)('states the next step for a listing that waits for a user (%s)', (connectStatus, step) => {
  const listing = { ...ready.listing, connectStatus, externalId: null, flowStatus: 'WAITING_USER_ACTION' } as const;
  const blocker = findBlocker({ ...ready, directory: { ...yelp, needsConnection: true }, listing });
  expect(blocker).toMatchObject({ status: 'INVALID_FLOW_STATUS', message: expect.stringContaining(step) });
});

test('has the thirteen values of the event in documented order', () => {
  expect(preconditions.map(({ status }) => status)).toEqual(spoilers.map(([status]) => status));
  const { updateStatus } = eventTypes.LISTING_UPDATE.fields.properties as unknown as {
    updateStatus: { enum: unknown[] };
  };
  expect(new Set(spoilers.map(([status]) => status))).toEqual(
    new Set(updateStatus.enum.filter((value) => value !== null)),
  );
});

describe('reports each precondition with a message', () => {
  test.each(spoilers)('%s', (status, spoil) => {
    const blocker = findBlocker(spoil(ready));
    expect(blocker?.status).toBe(status);
    expect(blocker?.message).toMatch(/^[A-Z].+\.$/);
  });
});

test('names the accepted statuses', () => {
  const message = (more: Partial<SubmissionState['listing']>) =>
    findBlocker({ ...ready, listing: { ...ready.listing, ...more } })?.message;
  expect(message({ flowStatus: 'NEEDS_REVIEW' })).toContain('set flowStatus to SUBMISSION_NEEDED');
  expect(message({ flowStatus: 'REMOVED' })).toContain('ALL_INFORMATION_SUBMITTED');
  expect(message({ syncStatus: 'TECHNICAL_PROBLEMS' })).toContain('NOT_IN_SYNC');
});

test('reports the first of several unmet preconditions', () => {
  const some = fc.subarray(
    spoilers.map((_, index) => index),
    { minLength: 1 },
  );
  fc.assert(
    fc.property(some, (indexes) => {
      const spoilt = indexes.reduce<SubmissionState>((state, index) => spoilers[index]?.[1](state) ?? state, ready);
      expect(findBlocker(spoilt)?.status).toBe(spoilers[Math.min(...indexes)]?.[0]);
    }),
  );
});

describe('allows', () => {
  const listing = (more: Partial<SubmissionState['listing']>) =>
    findBlocker({ ...ready, listing: { ...ready.listing, ...more } })?.status;
  const location = (status: LocationStatus) =>
    findBlocker({ ...ready, location: { ...ready.location, status } })?.status;

  test('locations that are ACTIVE or CANCELLED', () => {
    expect((['ACTIVE', 'CANCELLED'] as const).map(location)).toEqual([undefined, undefined]);
    // The first sync makes a location ACTIVE.
    expect(location('CREATED')).toBe('LOCATION_NOT_SYNCED');
    expect((['NEEDS_REVIEW', 'INACTIVE', 'CLOSED', 'DELETED'] as const).map(location)).toEqual(
      Array(4).fill('INVALID_LOCATION_STATUS'),
    );
  });

  test('a listing that is ours or not created yet', () => {
    expect(listing({ claimStatus: 'UNKNOWN', externalId: null })).toBeUndefined();
    expect(listing({ claimStatus: 'CLAIMABLE' })).toBe('INVALID_CLAIM_STATUS');
    expect(listing({ claimStatus: 'CLAIMED_BY_ANOTHER_US', externalId: null })).toBe('INVALID_CLAIM_STATUS');
    const ours = { ...ready, directory: waze };
    expect(findBlocker(ours)).toBeUndefined();
    const others = { ...ours, listing: { ...ready.listing, claimStatus: 'NOT_CLAIMABLE' as const } };
    expect(findBlocker(others)?.status).toBe('INVALID_CLAIM_STATUS');
  });

  test('an address that is not cleansed unless the directory requires it', () => {
    const dirty = { ...ready, location: { ...ready.location, cleansingStatus: 'NOT_CLEANSED' as const } };
    expect(findBlocker(dirty)).toBeUndefined();
    expect(findBlocker({ ...dirty, directory: waze })?.status).toBe('LOCATION_NOT_CLEANSED');
  });

  test('flow statuses of listings that we update', () => {
    const flows = [
      'WAITING_USER_ACTION',
      'NEEDS_REVIEW',
      'NOT_SUPPORTED',
      'INACTIVE',
      'MANUALLY_DEACTIVATED',
      'MANUALLY_CREATED',
      'REMOVAL_NEEDED',
      'REMOVAL_SUBMITTED',
      'REMOVED',
      'CANCELLATION_NEEDED',
      'CANCELLATION_SUBMITTED',
    ] as const;
    for (const flowStatus of flows) expect(listing({ flowStatus })).toBe('INVALID_FLOW_STATUS');
    for (const flowStatus of ['NO_ACTION_NEEDED', 'ALL_INFORMATION_SUBMITTED', 'WAITING_DIRECTORY_ACTION'] as const) {
      expect(listing({ flowStatus })).toBeUndefined();
    }
  });

  test('sync statuses of listings that can be updated', () => {
    for (const syncStatus of ['TECHNICAL_PROBLEMS', 'NOT_SUPPORTED', 'LINK_ONLY'] as const) {
      expect(listing({ syncStatus })).toBe('INVALID_SYNC_STATUS');
    }
    for (const syncStatus of ['IN_SYNC', 'NOT_FOUND', 'NO_ONLINE_LISTING'] as const) {
      expect(listing({ syncStatus })).toBeUndefined();
    }
  });

  test('a hidden address on a directory without addresses', () => {
    const instagram = findDirectory('INSTAGRAM') as Directory;
    const state = { ...ready, directory: instagram, profile: { ...ready.profile, website: 'https://a.example' } };
    expect(findBlocker(state)?.status).toBe('ADDRESS_DISPLAY_NOT_SUPPORTED');
    expect(findBlocker({ ...state, profile: { ...state.profile, addressDisplay: false } })).toBeUndefined();
  });

  test('a delay in the past', () => {
    expect(listing({ notBefore: now })).toBeUndefined();
  });
});

test('maps a refusal to the nearest status, or to INVALID_FLOW_STATUS', () => {
  expect(refusalStatus(['Opening hours are required by this directory'])).toBe('MANDATORY_FIELD_MISSING');
  expect(refusalStatus(['This page is a duplicate of another one'])).toBe('DUPLICATED');
  expect(refusalStatus(['You are not the owner of this page'])).toBe('INVALID_CLAIM_STATUS');
  expect(refusalStatus(['Only the owner of the page may change it on Yelp.'])).toBe('INVALID_CLAIM_STATUS');
  expect(refusalStatus(['Instagram shows no street addresses. Submit the location with its address hidden.'])).toBe(
    'ADDRESS_DISPLAY_NOT_SUPPORTED',
  );
  expect(refusalStatus(['Too many submissions today'])).toBe('LIMIT_REACHED');
  expect(refusalStatus(['Places in this country are not supported'])).toBe('NOT_SUPPORTED');
  expect(refusalStatus(['The name contains words that are not allowed'])).toBe('INVALID_FLOW_STATUS');
  expect(refusalStatus([])).toBe('INVALID_FLOW_STATUS');
});
