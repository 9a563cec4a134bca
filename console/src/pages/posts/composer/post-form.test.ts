import { expect, test } from 'vitest';
import { blankPost, newPostOf } from './post-form.ts';

test('sends an unreadable date, which the API rejects, instead of publishing at once', () => {
  const dates = { publicationDate: '20266-11-15T09:00', dateEnd: '20266-11-16T09:00' };
  expect(newPostOf({ ...blankPost, ...dates })).toMatchObject(dates);
});

test('omits empty dates and sends others in UTC', () => {
  const post = newPostOf({ ...blankPost, dateEnd: '2026-11-16T09:00' });
  expect(post).not.toHaveProperty('publicationDate');
  expect(post.dateEnd).toBe(new Date('2026-11-16T09:00').toISOString());
});
