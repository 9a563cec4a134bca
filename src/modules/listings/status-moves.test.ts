import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Directory } from '../directories/directory.ts';
import { findDirectory } from '../directories/directory-list.ts';
import type { ComparedFields } from './field-comparison.ts';
import type { ClaimStatus, FlowStatus } from './listing.ts';
import { googleStatusChanged, nextStatuses, type Sight, type Situation } from './status-moves.ts';

const directoryOf = (type: string) => findDirectory(type) as Directory;
const now = new Date('2026-11-15T12:00:00Z');
const same: ComparedFields = { name: { status: 'MATCH' } };
const other: ComparedFields = { name: { status: 'MATCH' }, phone: { status: 'MISMATCH' } };

type Before = Parameters<typeof nextStatuses>[0];

const fresh: Before = {
  claimStatus: 'UNKNOWN',
  flowStatus: 'SUBMISSION_NEEDED',
  syncStatus: 'NOT_FOUND',
  externalId: null,
  connectStatus: 'NOT_NEEDED',
  duplicateOf: null,
  suppressedAt: null,
  flowHeld: false,
  triedRevision: null,
  submittedRevision: null,
  lastSuccessfulUpdate: null,
  matchingFields: 0,
};
/** Submitted as it is now, and ours. */
const ours: Before = {
  ...fresh,
  externalId: 'p1',
  claimStatus: 'CLAIMED_BY_US',
  flowStatus: 'ALL_INFORMATION_SUBMITTED',
  triedRevision: 3,
  submittedRevision: 3,
  lastSuccessfulUpdate: now,
};

const seen = (
  claim: ClaimStatus,
  fields = same,
  more: { pending?: boolean; drifted?: boolean; removable?: boolean } = {},
): Sight => ({
  kind: 'found',
  claim,
  fields,
  pending: false,
  drifted: false,
  ...more,
});

function move(
  listing: Partial<Before>,
  sight: Sight,
  more: { directory?: string; status?: string; covered?: boolean; base?: Before } = {},
) {
  const situation: Situation = {
    directory: directoryOf(more.directory ?? 'YELP'),
    location: { status: more.status ?? 'ACTIVE', revision: 3 },
    covered: more.covered ?? true,
    now,
  };
  return nextStatuses({ ...(more.base ?? ours), ...listing }, sight, situation);
}

const flow = (...args: Parameters<typeof move>): FlowStatus => move(...args).flowStatus;

describe('sync status', () => {
  test('is what the directory shows', () => {
    expect(move({}, seen('CLAIMED_BY_US')).syncStatus).toBe('IN_SYNC');
    expect(move({}, seen('CLAIMED_BY_US', other)).syncStatus).toBe('NOT_IN_SYNC');
    expect(move({}, { kind: 'not-found' }).syncStatus).toBe('NOT_FOUND');
  });

  test('is TECHNICAL_PROBLEMS when the directory cannot be reached, and nothing else changes', () => {
    const before = { ...ours, flowStatus: 'NO_ACTION_NEEDED', syncStatus: 'IN_SYNC' } as const;
    expect(move(before, { kind: 'unreachable' })).toEqual({
      claimStatus: 'CLAIMED_BY_US',
      flowStatus: 'NO_ACTION_NEEDED',
      syncStatus: 'TECHNICAL_PROBLEMS',
    });
  });

  test('says that there is nothing to look at in car navigation, and only a link where there is only that', () => {
    expect(move({}, { kind: 'not-looked' }, { directory: 'TOMTOM' }).syncStatus).toBe('NO_ONLINE_LISTING');
    const linkOnly = move({}, seen('NOT_CLAIMABLE', {}), { directory: 'NEXTDOOR' });
    expect(linkOnly).toEqual({ claimStatus: 'NOT_CLAIMABLE', flowStatus: 'NOT_SUPPORTED', syncStatus: 'LINK_ONLY' });
  });

  test('stays as it was when nobody may look', () => {
    const before = { syncStatus: 'IN_SYNC', connectStatus: 'NOT_CONNECTED' } as const;
    expect(move(before, { kind: 'not-looked' }, { directory: 'GOOGLE' })).toMatchObject({
      syncStatus: 'IN_SYNC',
      flowStatus: 'WAITING_USER_ACTION',
    });
  });
});

describe('claim status', () => {
  test.each([
    'CLAIMABLE',
    'NOT_CLAIMABLE',
    'CLAIMED_BY_US',
    'CLAIMED_BY_OTHERS',
    'CLAIMED_BY_ANOTHER_US',
    'CLAIMING_IN_PROGRESS',
  ] as const)('is %s when the directory says so', (claim) => {
    expect(move({}, seen(claim)).claimStatus).toBe(claim);
  });

  test('is UNKNOWN without a page, and what the directory says of one, also where nothing can be claimed', () => {
    expect(move({}, { kind: 'not-found' }).claimStatus).toBe('UNKNOWN');
    expect(move({}, { kind: 'not-found' }, { directory: 'WAZE' }).claimStatus).toBe('UNKNOWN');
    expect(move({}, seen('NOT_CLAIMABLE', {}), { directory: 'WAZE' }).claimStatus).toBe('NOT_CLAIMABLE');
    expect(move({}, seen('CLAIMED_BY_US', {}), { directory: 'WAZE' }).claimStatus).toBe('CLAIMED_BY_US');
  });
});

describe('flow status of a location that is served', () => {
  test.each([
    ['nothing there yet', 'SUBMISSION_NEEDED', { base: fresh }, { kind: 'not-found' }],
    ['there and nobody has it', 'SUBMISSION_NEEDED', { base: fresh }, seen('CLAIMABLE')],
    ['ours and equal', 'NO_ACTION_NEEDED', {}, seen('CLAIMED_BY_US')],
    ['ours and never submitted', 'SUBMISSION_NEEDED', { submittedRevision: null }, seen('CLAIMED_BY_US', other)],
    ['ours, and the location changed', 'SUBMISSION_NEEDED', { submittedRevision: 2 }, seen('CLAIMED_BY_US', other)],
    ['submitted and not shown yet', 'ALL_INFORMATION_SUBMITTED', {}, seen('CLAIMED_BY_US', other)],
    ['submitted and under review', 'WAITING_DIRECTORY_ACTION', {}, seen('CLAIMED_BY_US', other, { pending: true })],
    ['changed by the directory', 'SUBMISSION_NEEDED', {}, seen('CLAIMED_BY_US', other, { drifted: true })],
    [
      'reviewed and not taken',
      'NEEDS_REVIEW',
      { flowStatus: 'WAITING_DIRECTORY_ACTION' },
      seen('CLAIMED_BY_US', other),
    ],
    ['refused as it is', 'NEEDS_REVIEW', { flowStatus: 'NEEDS_REVIEW' }, seen('CLAIMED_BY_US', other)],
    [
      'refused as it was, and changed since',
      'SUBMISSION_NEEDED',
      { flowStatus: 'NEEDS_REVIEW', triedRevision: 2, submittedRevision: 1 },
      seen('CLAIMED_BY_US', other),
    ],
    ['still to be submitted', 'SUBMISSION_NEEDED', { flowStatus: 'SUBMISSION_NEEDED' }, seen('CLAIMED_BY_US', other)],
    [
      'submitted long ago and never shown',
      'SUBMISSION_NEEDED',
      { lastSuccessfulUpdate: new Date('2026-11-01T00:00:00Z') },
      seen('CLAIMED_BY_US', other),
    ],
    ["somebody else's and different", 'WAITING_USER_ACTION', {}, seen('CLAIMED_BY_OTHERS', other)],
    ["somebody else's and equal", 'NO_ACTION_NEEDED', {}, seen('CLAIMED_BY_OTHERS')],
    ['being claimed', 'WAITING_DIRECTORY_ACTION', {}, seen('CLAIMING_IN_PROGRESS', other)],
    [
      'created and awaited',
      'WAITING_DIRECTORY_ACTION',
      { flowStatus: 'WAITING_DIRECTORY_ACTION' },
      { kind: 'not-found' },
    ],
    [
      'taken away by the review',
      'NEEDS_REVIEW',
      { flowStatus: 'WAITING_DIRECTORY_ACTION', matchingFields: 1 },
      { kind: 'not-found' },
    ],
    ['vanished', 'SUBMISSION_NEEDED', { flowStatus: 'NO_ACTION_NEEDED' }, { kind: 'not-found' }],
    ['back from its removal', 'SUBMISSION_NEEDED', { flowStatus: 'REMOVED' }, { kind: 'not-found' }],
    ['back, and the directory is down', 'SUBMISSION_NEEDED', { flowStatus: 'REMOVED' }, { kind: 'unreachable' }],
  ] as [string, FlowStatus, Partial<Before> & { base?: Before }, Sight][])(
    '%s: %s',
    (_case, expected, { base, ...listing }, sight) => {
      expect(flow(listing, sight, base ? { base } : {})).toBe(expected);
    },
  );

  test('in car navigation it is all submitted once it was submitted as it is now', () => {
    expect(flow({}, { kind: 'not-looked' }, { directory: 'TOMTOM' })).toBe('ALL_INFORMATION_SUBMITTED');
    expect(flow({ submittedRevision: 2 }, { kind: 'not-looked' }, { directory: 'TOMTOM' })).toBe('SUBMISSION_NEEDED');
  });

  test('rests when the plan does not include the directory', () => {
    expect(flow({}, seen('CLAIMED_BY_US', other), { covered: false })).toBe('INACTIVE');
  });

  test('stays where a person put it', () => {
    for (const flowStatus of ['MANUALLY_DEACTIVATED', 'MANUALLY_CREATED', 'NEEDS_REVIEW'] as const) {
      expect(flow({ flowStatus, flowHeld: true }, seen('CLAIMED_BY_US'))).toBe(flowStatus);
      expect(flow({ flowStatus, flowHeld: true }, { kind: 'not-found' }, { status: 'CLOSED' })).toBe(flowStatus);
    }
  });
});

test('a page that a person wants to be gone is followed until it is, though its location is served', () => {
  const held = { flowStatus: 'REMOVAL_NEEDED', flowHeld: true } as const;
  expect(flow(held, seen('CLAIMED_BY_US'))).toBe('REMOVAL_NEEDED');
  expect(flow({ ...held, flowStatus: 'REMOVAL_SUBMITTED' }, { kind: 'not-found' })).toBe('REMOVED');
  expect(flow({ ...held, flowStatus: 'REMOVED', externalId: null }, { kind: 'not-found' })).toBe('REMOVED');
});

describe('flow status of a location that is no longer served', () => {
  test.each([
    ['CLOSED', 'REMOVAL_NEEDED', 'REMOVAL_SUBMITTED', 'REMOVED'],
    ['DELETED', 'REMOVAL_NEEDED', 'REMOVAL_SUBMITTED', 'REMOVED'],
    ['INACTIVE', 'CANCELLATION_NEEDED', 'CANCELLATION_SUBMITTED', 'INACTIVE'],
  ] as const)('%s: %s, %s, %s', (status, needed, submitted, done) => {
    expect(flow({}, seen('CLAIMED_BY_US'), { status })).toBe(needed);
    expect(flow({}, { kind: 'unreachable' }, { status })).toBe(needed);
    expect(flow({ flowStatus: needed }, seen('CLAIMED_BY_US'), { status })).toBe(needed);
    expect(flow({ flowStatus: submitted }, seen('CLAIMED_BY_US'), { status })).toBe(submitted);
    expect(flow({ flowStatus: submitted }, { kind: 'not-found' }, { status })).toBe(done);
    expect(flow({ flowStatus: done, externalId: null }, { kind: 'not-found' }, { status })).toBe(done);
  });

  test('a page that was never ours is left alone, and so is a page that never was', () => {
    const foreign = { claimStatus: 'CLAIMED_BY_OTHERS', lastSuccessfulUpdate: null } as const;
    expect(flow(foreign, seen('CLAIMED_BY_OTHERS'), { status: 'CLOSED' })).toBe('INACTIVE');
    expect(flow({}, { kind: 'not-found' }, { status: 'CLOSED', base: fresh })).toBe('INACTIVE');
  });

  test('a cancelled location is served until its end date', () => {
    expect(flow({}, seen('CLAIMED_BY_US', other, { drifted: true }), { status: 'CANCELLED' })).toBe(
      'SUBMISSION_NEEDED',
    );
  });
});

test('a duplicate is removed when it is ours, looked at by somebody when it is not, and gone when it is gone', () => {
  expect(flow({ duplicateOf: 1 }, seen('CLAIMED_BY_US', same, { removable: true }))).toBe('REMOVAL_NEEDED');
  expect(flow({ duplicateOf: 1 }, seen('CLAIMABLE'))).toBe('NEEDS_REVIEW');
  expect(flow({ duplicateOf: 1, suppressedAt: now }, seen('CLAIMED_BY_US'))).toBe('REMOVAL_SUBMITTED');
  expect(flow({ duplicateOf: 1, suppressedAt: now }, { kind: 'not-found' })).toBe('REMOVED');
});

test("Google's own status changed when it says something else of the page, not when it cannot be reached", () => {
  const before = { claimStatus: 'CLAIMABLE', flowStatus: 'SUBMISSION_NEEDED', syncStatus: 'NOT_IN_SYNC' } as const;
  expect(googleStatusChanged('GOOGLE', before, { ...before, claimStatus: 'CLAIMED_BY_US' })).toBe(true);
  expect(googleStatusChanged('GOOGLE', before, { ...before, syncStatus: 'IN_SYNC' })).toBe(true);
  expect(googleStatusChanged('GOOGLE', before, { ...before, flowStatus: 'NEEDS_REVIEW' })).toBe(false);
  expect(googleStatusChanged('GOOGLE', before, { ...before, syncStatus: 'TECHNICAL_PROBLEMS' })).toBe(false);
  expect(googleStatusChanged('YELP', before, { ...before, claimStatus: 'CLAIMED_BY_US' })).toBe(false);
});

test('the same sight twice moves nothing the second time', () => {
  const claims = ['CLAIMABLE', 'CLAIMED_BY_US', 'CLAIMED_BY_OTHERS', 'CLAIMING_IN_PROGRESS', 'NOT_CLAIMABLE'] as const;
  const flows = [
    'SUBMISSION_NEEDED',
    'ALL_INFORMATION_SUBMITTED',
    'NO_ACTION_NEEDED',
    'NEEDS_REVIEW',
    'REMOVED',
    'INACTIVE',
    'WAITING_USER_ACTION',
    'REMOVAL_SUBMITTED',
  ] as const;
  const sights: fc.Arbitrary<Sight> = fc.oneof(
    fc.constantFrom<Sight>({ kind: 'not-found' }, { kind: 'unreachable' }),
    fc
      .record({ claim: fc.constantFrom(...claims), equal: fc.boolean(), pending: fc.boolean() })
      .map(({ claim, equal, pending }) => seen(claim, equal ? same : other, { pending })),
  );
  fc.assert(
    fc.property(
      sights,
      fc.constantFrom(...flows),
      fc.constantFrom('ACTIVE', 'CANCELLED', 'CLOSED', 'INACTIVE', 'DELETED'),
      fc.constantFrom('YELP', 'WAZE', 'NEXTDOOR', 'GOOGLE'),
      (sight, flowStatus, status, directory) => {
        const once = move({ flowStatus }, sight, { status, directory });
        expect(move(once, sight, { status, directory })).toEqual(once);
      },
    ),
  );
});
