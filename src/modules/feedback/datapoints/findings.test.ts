import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DirectoryDataPoint } from '../../directories/connector.ts';
import { compareDatapoints, compareReplies, type KnownReply, readShown, type ShownDatapoint } from './findings.ts';
import { figuresChange } from './rating-figures.ts';
import { isDoubtful, judgeConfirmed, missingFrom } from './vanished.ts';

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
const shown = (change: Partial<DirectoryDataPoint> = {}) => readShown({ ...review, ...change }) as ShownDatapoint;

describe('what a directory shows', () => {
  test('tells a change from a repetition, whatever happened in the thread', () => {
    const { fingerprint } = shown();
    expect(shown({ threadActionDate: '2026-04-01T00:00:00Z' }).fingerprint).toBe(fingerprint);
    for (const change of [
      { text: 'Very bad' },
      { rating: 1 },
      { author: 'Eve' },
      { actionDate: '2026-03-02T00:00:00Z' },
    ]) {
      expect(shown(change).fingerprint).not.toBe(fingerprint);
    }
  });

  test('a thread is never older than what is in it', () => {
    const reply = { externalId: 'a', author: 'x', text: 'y', isOwner: false, date: '2026-05-01T00:00:00Z' };
    expect(shown({ replies: [reply] }).threadActionDate).toEqual(new Date(reply.date));
    expect(shown({ threadActionDate: '2020-01-01T00:00:00Z' }).threadActionDate).toEqual(new Date(review.actionDate));
  });

  test('what a database cannot keep is left out', () => {
    expect(shown({ text: 'a\0b\uD800', author: '  ' })).toMatchObject({ text: 'ab\uFFFD', author: null });
  });

  test.each([
    { rating: 6 },
    { rating: -1 },
    { rating: Number.NaN },
    { actionDate: 'soon' },
    { externalId: '' },
    { type: 'RUMOUR' as 'REVIEW' },
  ])('nonsense is nothing: %j', (change) => {
    expect(readShown({ ...review, ...change })).toBeUndefined();
  });
});

test('however often and in whatever order pages repeat, each datapoint is new once', () => {
  const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 30 });
  fc.assert(
    fc.property(ids, fc.subarray(['a', 'b', 'c', 'd', 'e']), (given, before) => {
      const known = before.map((externalId, id) => ({
        id,
        externalId,
        status: 'VALID' as const,
        rating: 4,
        fingerprint: shown({ externalId }).fingerprint,
      }));
      const { added, changed } = compareDatapoints(
        given.map((externalId) => shown({ externalId })),
        known,
      );
      const expected = [...new Set(given)].filter((id) => !before.includes(id));
      expect(added.map(({ externalId }) => externalId)).toEqual(expected);
      expect(changed).toEqual([]);
    }),
  );
});

test('an answer of ours is recognised once, and only as the owner', () => {
  const own: KnownReply = {
    id: 7,
    datapointId: 1,
    externalId: null,
    author: 'Us',
    text: 'Thanks ',
    ownerReply: true,
    status: 'SENDING',
  };
  const there = (externalId: string, ownerReply: boolean) => ({
    externalId,
    author: 'Us',
    text: 'Thanks',
    ownerReply,
    date: new Date(0),
  });
  const result = compareReplies(1, [there('x', false), there('y', true), there('z', true)], [own]);
  expect(result.adopted).toMatchObject([{ id: 7, shown: { externalId: 'y' } }]);
  expect(result.added.map((entry) => entry.shown.externalId)).toEqual(['x', 'z']);
});

describe('what is missing', () => {
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
  ])('of %i known, %i missing is doubtful: %s', (known, missing, doubtful) => {
    expect(isDoubtful(known, missing)).toBe(doubtful);
  });

  test('more than a few count only after a quarter of an hour of doubt', () => {
    const now = new Date('2026-03-01T12:00:00Z');
    expect(judgeConfirmed(3, null, now)).toBe('believed');
    expect(judgeConfirmed(4, null, now)).toBe('doubted');
    expect(judgeConfirmed(4, new Date('2026-03-01T11:45:01Z'), now)).toBe('doubted');
    expect(judgeConfirmed(4, new Date('2026-03-01T11:45:00Z'), now)).toBe('believed');
  });

  test('what is INVALID already, or not on the directory yet, cannot vanish', () => {
    const known = (['VALID', 'INVALID'] as const).map((status, id) => ({
      id,
      externalId: `d${id}`,
      status,
      rating: null,
      fingerprint: '',
    }));
    const reply = { datapointId: 0, author: '', text: '', ownerReply: true };
    const replies: KnownReply[] = [
      { ...reply, id: 10, externalId: 'gone', status: 'PUBLISHED' },
      { ...reply, id: 11, externalId: 'there', status: 'PUBLISHED' },
      { ...reply, id: 12, externalId: null, status: 'SCHEDULED' },
      { ...reply, id: 13, externalId: 'deleted', status: 'DELETED' },
    ];
    const missing = missingFrom(new Map([['d0', new Set(['there'])]]), known, replies);
    expect(missing.datapoints).toEqual([]);
    expect(missing.replies.map(({ id }) => id)).toEqual([10]);
    expect(missingFrom(new Map(), known, replies)).toMatchObject({ datapoints: [{ id: 0 }], replies: [] });
  });
});

test('the figures of a location are what they would be if everything were counted anew', () => {
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
      const { dataPoints, ratings, ratingSum } = figuresChange(given);
      expect([dataPoints, ratings, ratingSum]).toEqual(after.map((figure, index) => figure - (before[index] ?? 0)));
    }),
  );
});
