import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestPartner } from '../../../../test/support/api.ts';
import { FeedbackScene } from '../../../../test/support/feedback.ts';
import { SocialScene } from '../../../../test/support/social-posts.ts';

let feedback: FeedbackScene;
let social: SocialScene;
beforeAll(async () => {
  feedback = await FeedbackScene.open();
  social = await SocialScene.open();
});
afterAll(async () => {
  await feedback.close();
  await social.close();
});

const openAt = async ({ call }: TestPartner, type: string): Promise<number[]> =>
  (await call('GET', `/api/home/tasks/locations?type=${type}`)).body.response.locationIds;
const score = async ({ call }: TestPartner) =>
  (await call('GET', '/api/home/locations/score')).body.response.locations[0];
const points = async (partner: TestPartner, name: string) =>
  (await score(partner)).parts.find((part: { name: string }) => part.name === name).points;

test('a review is an open task until it is read and has a reply', async () => {
  const partner = await feedback.api.addPartner();
  const place = await feedback.addLinkedLocation(partner);
  expect(await points(partner, 'REVIEWS_ANSWERED')).toBe(20);
  await feedback.review(place, { rating: 2, text: 'Cold' });
  await feedback.check(place);
  expect(await openAt(partner, 'DATAPOINT_UNREAD')).toEqual([place.locationId]);
  expect(await openAt(partner, 'DATAPOINT_UNREPLIED')).toEqual([place.locationId]);
  expect(await points(partner, 'REVIEWS_ANSWERED')).toBe(0);

  const [review] = await feedback.datapoints(place);
  await partner.call('PATCH', `/api/data-points/${review.id}`, { read: true });
  expect(await openAt(partner, 'DATAPOINT_UNREAD')).toEqual([]);
  await partner.call('POST', `/api/data-points/${review.id}/replies`, { data: 'We are sorry.' });
  expect(await openAt(partner, 'DATAPOINT_UNREPLIED')).toEqual([place.locationId]);
  await feedback.runJobs();
  expect(await openAt(partner, 'DATAPOINT_UNREPLIED')).toEqual([]);
  expect(await points(partner, 'REVIEWS_ANSWERED')).toBe(20);
});

test('a post counts from its publication, also after it was withdrawn', async () => {
  const partner = await social.api.addPartner();
  const { locationId } = await social.addLinkedLocation(partner, { directories: ['GOOGLE'] });
  expect(await openAt(partner, 'LOCATION_SOCIAL_POST_MISSING')).toEqual([locationId]);
  const post = await social.create(partner, {
    description: 'Fresh bread',
    directories: ['GOOGLE'],
    locationIds: [locationId],
  });
  expect(await openAt(partner, 'LOCATION_SOCIAL_POST_MISSING')).toEqual([locationId]);
  await social.runJobs();
  expect(await openAt(partner, 'LOCATION_SOCIAL_POST_MISSING')).toEqual([]);
  expect(await points(partner, 'RECENT_POSTS')).toBe(10);
  await partner.call('DELETE', `/api/social-posts/${post.id}`);
  await social.runJobs();
  expect(await openAt(partner, 'LOCATION_SOCIAL_POST_MISSING')).toEqual([]);
});
