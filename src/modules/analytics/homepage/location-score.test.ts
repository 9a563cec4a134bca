import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scoreOf } from './location-score.ts';

const worst = {
  completeness: 0,
  listings: 0,
  listingsInSync: 0,
  reviews: 1,
  reviewsAnswered: 0,
  messages: 1,
  messagesAnswered: 0,
  postsUntil: null,
};
const best = {
  completeness: 100,
  listings: 4,
  listingsInSync: 4,
  reviews: 3,
  reviewsAnswered: 3,
  messages: 2,
  messagesAnswered: 2,
  postsUntil: new Date(),
};

test.each([
  ['nothing done', worst, 0],
  ['everything done', best, 100],
  ['completeness alone', { ...worst, completeness: 100 }, 30],
  ['listings alone', { ...worst, listings: 2, listingsInSync: 2 }, 30],
  ['half of the listings', { ...worst, listings: 8, listingsInSync: 4 }, 15],
  ['reviews alone', { ...worst, reviewsAnswered: 1 }, 20],
  ['a post alone', { ...worst, postsUntil: new Date() }, 10],
  ['messages alone', { ...worst, messagesAnswered: 1 }, 10],
  ['no reviews and no messages', { ...worst, reviews: 0, messages: 0 }, 30],
  ['parts of everything', { ...best, completeness: 55, listingsInSync: 1, reviewsAnswered: 2, postsUntil: null }, 47],
])('%s', (_name, facts, expected) => {
  expect(scoreOf(facts).score).toBe(expected);
});

const counted = fc.nat({ max: 500 }).chain((of) => fc.tuple(fc.constant(of), fc.nat({ max: of })));

test('the parts add up to the score, and more done never reduces it', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 100 }),
      counted,
      counted,
      counted,
      fc.boolean(),
      (completeness, [listings, listingsInSync], [reviews, reviewsAnswered], [messages, messagesAnswered], posted) => {
        const facts = { completeness, listings, listingsInSync, reviews, reviewsAnswered, messages, messagesAnswered };
        const { score, parts } = scoreOf({ ...facts, postsUntil: posted ? new Date() : null });
        expect(parts.reduce((sum, { maxPoints }) => sum + maxPoints, 0)).toBe(100);
        expect(Math.abs(parts.reduce((sum, { points }) => sum + points, 0) - score)).toBeLessThan(0.8);
        expect(scoreOf({ ...facts, reviewsAnswered: reviews, postsUntil: new Date() }).score).toBeGreaterThanOrEqual(
          score,
        );
      },
    ),
  );
});
