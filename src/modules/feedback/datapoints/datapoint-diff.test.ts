import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DirectoryDataPoint } from '../../directories/connector.ts';
import {
  diffDatapoints,
  diffReplies,
  type FetchedDatapoint,
  findMissing,
  judgeConfirmedLoss,
  needsConfirmation,
  parseDatapoint,
  ratingDelta,
  type StoredReply,
} from './datapoint-diff.ts';

const review: DirectoryDataPoint = {
  externalId: 'r1',
  type: 'REVIEW',
  text: 'Very good',
  rating: 4,
  author: 'Ada',
  actionDate: '2026-03-01T10:00:00Z',
  threadActionDate: '2026-03-01T10:00:00Z',
  replies: [],
};
const parsed = (change: Partial<DirectoryDataPoint> = {}) =>
  parseDatapoint({ ...review, ...change }) as FetchedDatapoint;

describe('datapoints from a directory', () => {
  test('the fingerprint changes with the content, not with the thread', () => {
    const { fingerprint } = parsed();
    expect(parsed({ threadActionDate: '2026-04-01T00:00:00Z' }).fingerprint).toBe(fingerprint);
    for (const change of [
      { text: 'Very bad' },
      { rating: 1 },
      { author: 'Eve' },
      { actionDate: '2026-03-02T00:00:00Z' },
    ]) {
      expect(parsed(change).fingerprint).not.toBe(fingerprint);
    }
  });

  test('the thread date is never earlier than its replies', () => {
    const reply = { externalId: 'a', author: 'x', text: 'y', isOwner: false, date: '2026-05-01T00:00:00Z' };
    expect(parsed({ replies: [reply] }).threadActionDate).toEqual(new Date(reply.date));
    expect(parsed({ threadActionDate: '2020-01-01T00:00:00Z' }).threadActionDate).toEqual(new Date(review.actionDate));
  });

  test('dates before 1970, which stand for an unknown date, become 1970', () => {
    const unknown = '0000-01-01T00:00:00Z';
    const reply = { externalId: 'a', author: 'x', text: 'y', isOwner: false, date: unknown };
    const { actionDate, threadActionDate, replies } = parsed({
      actionDate: unknown,
      threadActionDate: unknown,
      replies: [reply],
    });
    expect([actionDate, threadActionDate, replies[0]?.date]).toEqual(Array(3).fill(new Date(0)));
  });

  test('removes characters that PostgreSQL rejects', () => {
    expect(parsed({ text: 'a\0b\uD800', author: '  ' })).toMatchObject({ text: 'ab\uFFFD', author: null });
  });

  test.each([
    { rating: 6 },
    { rating: -1 },
    { rating: Number.NaN },
    { actionDate: 'soon' },
    { externalId: '' },
    { type: 'RUMOUR' as 'REVIEW' },
  ])('nonsense is nothing: %j', (change) => {
    expect(parseDatapoint({ ...review, ...change })).toBeUndefined();
  });
});

test('adds each datapoint once when pages repeat in any order', () => {
  const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 30 });
  fc.assert(
    fc.property(ids, fc.subarray(['a', 'b', 'c', 'd', 'e']), (given, before) => {
      const known = before.map((externalId, id) => ({
        id,
        externalId,
        status: 'VALID' as const,
        rating: 4,
        fingerprint: parsed({ externalId }).fingerprint,
      }));
      const { added, changed } = diffDatapoints(
        given.map((externalId) => parsed({ externalId })),
        known,
      );
      const expected = [...new Set(given)].filter((id) => !before.includes(id));
      expect(added.map(({ externalId }) => externalId)).toEqual(expected);
      expect(changed).toEqual([]);
    }),
  );
});

test('adopts our own reply once, and only as an owner reply', () => {
  const own: StoredReply = {
    id: 7,
    datapointId: 1,
    externalId: null,
    author: 'Us',
    text: 'Thanks ',
    ownerReply: true,
    status: 'SENDING',
  };
  const remoteReply = (externalId: string, ownerReply: boolean) => ({
    externalId,
    author: 'Us',
    text: 'Thanks',
    ownerReply,
    date: new Date(0),
  });
  const result = diffReplies(1, [remoteReply('x', false), remoteReply('y', true), remoteReply('z', true)], [own]);
  expect(result.adopted).toMatchObject([{ id: 7, fetched: { externalId: 'y' } }]);
  expect(result.added.map((entry) => entry.fetched.externalId)).toEqual(['x', 'z']);
});

describe('missing datapoints', () => {
  test.each([
    [1, 1, true],
    [3, 3, true],
    [4, 3, false],
    [10, 3, false],
    [10, 4, true],
    [100, 20, false],
    [100, 21, true],
    [0, 0, false],
    [50, 0, false],
  ])('of %i stored, %i missing needs confirmation: %s', (known, missing, doubtful) => {
    expect(needsConfirmation(known, missing)).toBe(doubtful);
  });

  test('accepts a loss of more than 3 only after 15 minutes', () => {
    const now = new Date('2026-03-01T12:00:00Z');
    expect(judgeConfirmedLoss(3, null, now)).toBe('accepted');
    expect(judgeConfirmedLoss(4, null, now)).toBe('doubted');
    expect(judgeConfirmedLoss(4, new Date('2026-03-01T11:45:01Z'), now)).toBe('doubted');
    expect(judgeConfirmedLoss(4, new Date('2026-03-01T11:45:00Z'), now)).toBe('accepted');
  });

  test('ignores datapoints that are INVALID and replies that are not published', () => {
    const known = (['VALID', 'INVALID'] as const).map((status, id) => ({
      id,
      externalId: `d${id}`,
      status,
      rating: null,
      fingerprint: '',
    }));
    const reply = { datapointId: 0, author: '', text: '', ownerReply: true };
    const replies: StoredReply[] = [
      { ...reply, id: 10, externalId: 'gone', status: 'PUBLISHED' },
      { ...reply, id: 11, externalId: 'there', status: 'PUBLISHED' },
      { ...reply, id: 12, externalId: null, status: 'SCHEDULED' },
      { ...reply, id: 13, externalId: 'deleted', status: 'DELETED' },
    ];
    const missing = findMissing(new Map([['d0', new Set(['there'])]]), known, replies);
    expect(missing.datapoints).toEqual([]);
    expect(missing.replies.map(({ id }) => id)).toEqual([10]);
    expect(findMissing(new Map(), known, replies)).toMatchObject({ datapoints: [{ id: 0 }], replies: [] });
  });
});

test('the rating delta equals a full recount', () => {
  const rating = fc.option(fc.constantFrom(null, 1, 2, 3, 4, 5), { nil: undefined });
  const passage = fc.record({ before: rating, after: rating }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.array(passage), (passages) => {
      const count = (ratings: (number | null | undefined)[]) => {
        const counted = ratings.filter((one) => one !== undefined);
        const rated = counted.filter((one) => one !== null);
        return [counted.length, rated.length, rated.reduce((sum, one) => sum + one, 0)];
      };
      const before = count(passages.map((one) => one.before));
      const after = count(passages.map((one) => one.after));
      const given = passages.map(({ before, after }) => ({
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      }));
      const { dataPoints, ratings, ratingSum } = ratingDelta(given);
      expect([dataPoints, ratings, ratingSum]).toEqual(after.map((figure, index) => figure - (before[index] ?? 0)));
    }),
  );
});
