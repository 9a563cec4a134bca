import { expect, test } from 'vitest';
import { blankPost, changesOf, newPostOf, type PostValues } from './post-form.ts';

test('sends an unreadable date, which the API rejects, instead of publishing at once', () => {
  const dates = { publicationDate: '20266-11-15T09:00', dateEnd: '20266-11-16T09:00' };
  expect(newPostOf({ ...blankPost, ...dates })).toMatchObject(dates);
});

test('omits empty dates and sends others in UTC', () => {
  const post = newPostOf({ ...blankPost, dateEnd: '2026-11-16T09:00' });
  expect(post).not.toHaveProperty('publicationDate');
  expect(post.dateEnd).toBe(new Date('2026-11-16T09:00').toISOString());
});

test('deletes the description of a photo that was cleared', () => {
  const photo = 'https://lindner.example/bread.jpg';
  const before = { ...blankPost, photos: [{ photo, description: 'Bread' }] };
  const changes = changesOf(before, { ...before, photos: [{ photo, description: ' ' }] });
  expect(changes).toEqual({ photos: [{ photo, description: '' }] });
});

test('deletes fields that the new type of a post does not have', () => {
  const offer: PostValues = {
    ...blankPost,
    type: 'OFFER',
    dateStart: '2026-11-16T09:00',
    dateEnd: '2026-11-17T09:00',
    couponCode: 'BREAD',
    termsAndConditions: 'Once per customer',
  };
  expect(changesOf(offer, { ...offer, type: 'POST' })).toEqual({
    type: 'POST',
    dateStart: null,
    couponCode: null,
    termsAndConditions: null,
  });
  expect(changesOf(offer, { ...offer, dateEnd: '' })).toEqual({ dateEnd: null });
});
