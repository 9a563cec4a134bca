import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Directory, findDirectory } from '../directories/directory-list.ts';
import type { ComparedFields } from './field-comparison.ts';
import type { ClaimStatus, FlowStatus } from './listing.ts';
import { googleStatusChanged, nextStatuses, type Observation, type TransitionContext } from './status-transitions.ts';

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
  checkedRevision: null,
  unlinkedPages: [],
  connectStatus: 'NOT_NEEDED',
  duplicateOf: null,
  flowHeld: false,
  attemptedRevision: null,
  submittedRevision: null,
  lastSuccessfulUpdate: null,
  matchingFields: 0,
};
/** Claimed by us and submitted at the current revision. */
const ours: Before = {
  ...fresh,
  externalId: 'p1',
  claimStatus: 'CLAIMED_BY_US',
  flowStatus: 'ALL_INFORMATION_SUBMITTED',
  attemptedRevision: 3,
  submittedRevision: 3,
  lastSuccessfulUpdate: now,
};

const seen = (
  claim: ClaimStatus,
  fields = same,
  more: { pending?: boolean; drifted?: boolean; removable?: boolean } = {},
): Observation => ({
  kind: 'found',
  claim,
  fields,
  pending: false,
  drifted: false,
  ...more,
});

function move(
  listing: Partial<Before>,
  observation: Observation,
  more: { directory?: string; status?: string; covered?: boolean; base?: Before } = {},
) {
  const context: TransitionContext = {
    directory: directoryOf(more.directory ?? 'YELP'),
    location: { status: more.status ?? 'ACTIVE', revision: 3 },
    covered: more.covered ?? true,
    now,
  };
  return nextStatuses({ ...(more.base ?? ours), ...listing }, observation, context);
}

const flow = (...args: Parameters<typeof move>): FlowStatus => move(...args).flowStatus;

describe('sync status', () => {
  test('follows the comparison with the directory', () => {
    expect(move({}, seen('CLAIMED_BY_US')).syncStatus).toBe('IN_SYNC');
    expect(move({}, seen('CLAIMED_BY_US', other)).syncStatus).toBe('NOT_IN_SYNC');
    expect(move({}, { kind: 'not-found' }).syncStatus).toBe('NOT_FOUND');
  });

  test('is TECHNICAL_PROBLEMS when the directory cannot be reached, without other changes', () => {
    const before = { ...ours, flowStatus: 'NO_ACTION_NEEDED', syncStatus: 'IN_SYNC' } as const;
    expect(move(before, { kind: 'unreachable' })).toEqual({
      claimStatus: 'CLAIMED_BY_US',
      flowStatus: 'NO_ACTION_NEEDED',
      syncStatus: 'TECHNICAL_PROBLEMS',
    });
  });

  test('is NO_ONLINE_LISTING or LINK_ONLY by directory', () => {
    expect(move({}, { kind: 'skipped' }, { directory: 'TOMTOM' }).syncStatus).toBe('NO_ONLINE_LISTING');
    const linkOnly = move({}, seen('NOT_CLAIMABLE', {}), { directory: 'NEXTDOOR' });
    expect(linkOnly).toEqual({ claimStatus: 'NOT_CLAIMABLE', flowStatus: 'NOT_SUPPORTED', syncStatus: 'LINK_ONLY' });
  });

  test('is unchanged when the directory was not read', () => {
    const before = { syncStatus: 'IN_SYNC', connectStatus: 'NOT_CONNECTED' } as const;
    expect(move(before, { kind: 'skipped' }, { directory: 'GOOGLE' })).toMatchObject({
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

  test('is UNKNOWN without a listing, and otherwise the claim at the directory', () => {
    expect(move({}, { kind: 'not-found' }).claimStatus).toBe('UNKNOWN');
    expect(move({}, { kind: 'not-found' }, { directory: 'WAZE' }).claimStatus).toBe('UNKNOWN');
    expect(move({}, seen('NOT_CLAIMABLE', {}), { directory: 'WAZE' }).claimStatus).toBe('NOT_CLAIMABLE');
    expect(move({}, seen('CLAIMED_BY_US', {}), { directory: 'WAZE' }).claimStatus).toBe('CLAIMED_BY_US');
  });
});

describe('flow status of an active location', () => {
  test.each([
    ['not found', 'SUBMISSION_NEEDED', { base: fresh }, { kind: 'not-found' }],
    ['claimable', 'SUBMISSION_NEEDED', { base: fresh }, seen('CLAIMABLE')],
    ['ours and in sync', 'NO_ACTION_NEEDED', {}, seen('CLAIMED_BY_US')],
    ['ours and never submitted', 'SUBMISSION_NEEDED', { submittedRevision: null }, seen('CLAIMED_BY_US', other)],
    ['ours, and the location changed', 'SUBMISSION_NEEDED', { submittedRevision: 2 }, seen('CLAIMED_BY_US', other)],
    ['submitted and not shown yet', 'ALL_INFORMATION_SUBMITTED', {}, seen('CLAIMED_BY_US', other)],
    ['submitted and under review', 'WAITING_DIRECTORY_ACTION', {}, seen('CLAIMED_BY_US', other, { pending: true })],
    ['changed by the directory', 'SUBMISSION_NEEDED', {}, seen('CLAIMED_BY_US', other, { drifted: true })],
    ['rejected by review', 'NEEDS_REVIEW', { flowStatus: 'WAITING_DIRECTORY_ACTION' }, seen('CLAIMED_BY_US', other)],
    ['refused at this revision', 'NEEDS_REVIEW', { flowStatus: 'NEEDS_REVIEW' }, seen('CLAIMED_BY_US', other)],
    [
      'refused as it was, and changed since',
      'SUBMISSION_NEEDED',
      { flowStatus: 'NEEDS_REVIEW', attemptedRevision: 2, submittedRevision: 1 },
      seen('CLAIMED_BY_US', other),
    ],
    ['still to be submitted', 'SUBMISSION_NEEDED', { flowStatus: 'SUBMISSION_NEEDED' }, seen('CLAIMED_BY_US', other)],
    [
      'submitted long ago and never shown',
      'SUBMISSION_NEEDED',
      { lastSuccessfulUpdate: new Date('2026-11-01T00:00:00Z') },
      seen('CLAIMED_BY_US', other),
    ],
    ['claimed by others and different', 'WAITING_USER_ACTION', {}, seen('CLAIMED_BY_OTHERS', other)],
    ['claimed by others and in sync', 'NO_ACTION_NEEDED', {}, seen('CLAIMED_BY_OTHERS')],
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
    ['disappeared', 'SUBMISSION_NEEDED', { flowStatus: 'NO_ACTION_NEEDED' }, { kind: 'not-found' }],
    [
      'disappeared, and a user unlinked the only match',
      'WAITING_USER_ACTION',
      { flowStatus: 'SUBMISSION_NEEDED' },
      { kind: 'not-found', isUnlinked: true },
    ],
    [
      'requested by a user who unlinked the only match',
      'SUBMISSION_NEEDED',
      { base: fresh },
      { kind: 'not-found', isUnlinked: true },
    ],
    ['reactivated after removal', 'SUBMISSION_NEEDED', { flowStatus: 'REMOVED' }, { kind: 'not-found' }],
    [
      'reactivated while the directory is down',
      'SUBMISSION_NEEDED',
      { flowStatus: 'REMOVED' },
      { kind: 'unreachable' },
    ],
  ] as [string, FlowStatus, Partial<Before> & { base?: Before }, Observation][])(
    '%s: %s',
    (_case, expected, { base, ...listing }, observation) => {
      expect(flow(listing, observation, base ? { base } : {})).toBe(expected);
    },
  );

  test('is ALL_INFORMATION_SUBMITTED after a submission without online listings', () => {
    expect(flow({}, { kind: 'skipped' }, { directory: 'TOMTOM' })).toBe('ALL_INFORMATION_SUBMITTED');
    expect(flow({ submittedRevision: 2 }, { kind: 'skipped' }, { directory: 'TOMTOM' })).toBe('SUBMISSION_NEEDED');
  });

  test('is INACTIVE when the plan does not include the directory', () => {
    expect(flow({}, seen('CLAIMED_BY_US', other), { covered: false })).toBe('INACTIVE');
  });

  test('is unchanged when set by a user', () => {
    for (const flowStatus of ['MANUALLY_DEACTIVATED', 'MANUALLY_CREATED', 'NEEDS_REVIEW'] as const) {
      expect(flow({ flowStatus, flowHeld: true }, seen('CLAIMED_BY_US'))).toBe(flowStatus);
      expect(flow({ flowStatus, flowHeld: true }, { kind: 'not-found' }, { status: 'CLOSED' })).toBe(flowStatus);
    }
  });
});

test('advances a removal requested by a user until it is done', () => {
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

  test('is INACTIVE for a listing that is not ours or not linked', () => {
    const foreign = { claimStatus: 'CLAIMED_BY_OTHERS', lastSuccessfulUpdate: null } as const;
    expect(flow(foreign, seen('CLAIMED_BY_OTHERS'), { status: 'CLOSED' })).toBe('INACTIVE');
    expect(flow({}, { kind: 'not-found' }, { status: 'CLOSED', base: fresh })).toBe('INACTIVE');
  });

  test('is active for a cancelled location until its end date', () => {
    expect(flow({}, seen('CLAIMED_BY_US', other, { drifted: true }), { status: 'CANCELLED' })).toBe(
      'SUBMISSION_NEEDED',
    );
  });
});

test('removes a duplicate of ours, requires review otherwise, and is REMOVED when not found', () => {
  expect(flow({ duplicateOf: 1 }, seen('CLAIMED_BY_US', same, { removable: true }))).toBe('REMOVAL_NEEDED');
  expect(flow({ duplicateOf: 1 }, seen('CLAIMABLE'))).toBe('NEEDS_REVIEW');
  const removable = seen('CLAIMED_BY_US', same, { removable: true });
  expect(flow({ duplicateOf: 1, flowStatus: 'REMOVAL_SUBMITTED' }, removable)).toBe('REMOVAL_SUBMITTED');
  expect(flow({ duplicateOf: 1, flowStatus: 'REMOVAL_SUBMITTED' }, { kind: 'not-found' })).toBe('REMOVED');
  expect(flow({ duplicateOf: 1, flowStatus: 'REMOVED' }, removable)).toBe('REMOVAL_NEEDED');
});

test('reports googleStatusChanged for changes at Google, not for outages', () => {
  const before = { claimStatus: 'CLAIMABLE', flowStatus: 'SUBMISSION_NEEDED', syncStatus: 'NOT_IN_SYNC' } as const;
  expect(googleStatusChanged('GOOGLE', before, { ...before, claimStatus: 'CLAIMED_BY_US' })).toBe(true);
  expect(googleStatusChanged('GOOGLE', before, { ...before, syncStatus: 'IN_SYNC' })).toBe(true);
  expect(googleStatusChanged('GOOGLE', before, { ...before, flowStatus: 'NEEDS_REVIEW' })).toBe(false);
  expect(googleStatusChanged('GOOGLE', before, { ...before, syncStatus: 'TECHNICAL_PROBLEMS' })).toBe(false);
  expect(googleStatusChanged('YELP', before, { ...before, claimStatus: 'CLAIMED_BY_US' })).toBe(false);
});

test('is idempotent for the same observation', () => {
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
  const sights: fc.Arbitrary<Observation> = fc.oneof(
    fc.constantFrom<Observation>({ kind: 'not-found' }, { kind: 'unreachable' }),
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
      (observation, flowStatus, status, directory) => {
        const once = move({ flowStatus }, observation, { status, directory });
        expect(move(once, observation, { status, directory })).toEqual(once);
      },
    ),
  );
});
