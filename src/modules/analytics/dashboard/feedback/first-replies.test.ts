import { afterAll, beforeAll, expect, test } from 'vitest';
import { FeedbackScene } from '../../../../../test/support/feedback.ts';
import { dayOf, daysAfter } from '../../../../values/span.ts';

let scene: FeedbackScene;
beforeAll(async () => {
  scene = await FeedbackScene.open();
});
afterAll(() => scene.close());

test('a review counts as replied to when the reply is published', async () => {
  const partner = await scene.api.addPartner();
  const place = await scene.addLinkedLocation(partner);
  await scene.review(place, {
    text: 'Friendly staff',
    rating: 5,
    date: new Date(Date.now() - 7_200_000).toISOString(),
  });
  await scene.check(place);
  const [review] = await scene.datapoints(place);
  const today = dayOf(new Date());
  const ask = async () => {
    const path = `/api/dashboard/review-response-time?startDate=${daysAfter(today, -1)}&endDate=${today}`;
    return (await partner.call('GET', path)).body.response;
  };
  expect(await ask()).toMatchObject({ averageHours: null, respondedCount: 0, unrespondedCount: 1 });

  await partner.call('POST', `/api/data-points/${review.id}/replies`, { data: 'Thank you' });
  expect(await ask()).toMatchObject({ respondedCount: 0 });
  // Written an hour before it is published, like a reply that waits for its approval.
  await scene.query(`update datapoint_replies set date_created = now() - interval '1 hour' where datapoint_id = $1`, [
    review.id,
  ]);
  await scene.runJobs();
  const { rows } = await scene.query(
    `select floor(extract(epoch from now() - action_date))::integer as seconds from datapoints where id = $1`,
    [review.id],
  );
  const response = await ask();
  expect(response).toMatchObject({ respondedCount: 1, unrespondedCount: 0 });
  expect(Math.abs(response.averageHours * 3600 - rows[0].seconds)).toBeLessThanOrEqual(10);
  expect(response.averageHours).toBeGreaterThan(1.99);
});
