import { afterEach, beforeEach, expect, test } from 'vitest';
import { type PopulatedPlace, SandboxControl } from '../../src/modules/directories/sandbox-control.ts';
import { type Sandbox, startSandbox } from '../sandbox.ts';

const key = 'key of the test';
let sandbox: Sandbox;
let control: SandboxControl;

beforeEach(async () => {
  sandbox = await startSandbox({ key, seed: 1 });
  control = new SandboxControl({ url: () => sandbox.url, key });
});
afterEach(() => sandbox.close());

const profile = {
  name: 'Bäckerei Morgenkorn',
  street: 'Oranienstraße',
  streetNo: '12',
  zip: '10999',
  city: 'Berlin',
  country: 'DE',
  phone: '+493023125017',
  openingHours: [{ dayOfWeek: 1, from1: '06:30', to1: '18:30' }],
};
type PageInput = PopulatedPlace['pages'][number];
const page: PageInput = {
  directory: 'GOOGLE',
  claim: 'CLAIMED_BY_US',
  days: 500,
  perMonth: 5,
  drift: [],
  duplicated: false,
};
const place = (key: string, ...pages: Partial<PageInput>[]): PopulatedPlace => ({
  key,
  profile,
  pages: pages.map((one) => ({ ...page, ...one })),
});

test('adds listings with a year of datapoints and replies in several languages', async () => {
  const put = await control.populate([place('a', {}, { directory: 'YELP', claim: 'CLAIMED_BY_OTHERS' })]);
  expect(put.pages).toBe(2);
  const { listings } = await control.listings({ directory: 'GOOGLE' });
  expect(listings).toMatchObject([{ profile, claim: 'CLAIMED_BY_US' }]);
  expect((await control.listings({ directory: 'YELP' })).listings).toMatchObject([{ claim: 'CLAIMED_BY_OTHERS' }]);
  const { dataPoints } = await control.dataPoints('GOOGLE', { listing: listings[0]?.id ?? '' });
  expect(dataPoints.length).toBeGreaterThan(30);
  const dates = dataPoints.map(({ date = '' }) => Date.parse(date));
  expect(Math.min(...dates)).toBeGreaterThan(Date.now() - 366 * 86_400_000);
  expect(Math.max(...dates) - Math.min(...dates)).toBeGreaterThan(250 * 86_400_000);
  expect(dataPoints.some(({ replies }) => replies.some(({ isOwner }) => isOwner))).toBe(true);
  expect(new Set(dataPoints.map(({ language }) => language)).size).toBeGreaterThan(1);
});

test('skips known keys', async () => {
  const first = await control.populate([place('a', {}), place('b', {})]);
  const { directories } = await control.status();
  expect(await control.populate([place('a', {}), place('b', {})])).toEqual({ pages: 0, dataPoints: 0 });
  expect(first).toMatchObject({ pages: 2 });
  const counts = ({ type, listings, dataPoints }: (typeof directories)[number]) => ({ type, listings, dataPoints });
  expect((await control.status()).directories.map(counts)).toEqual(directories.map(counts));
});

test('adds outdated and duplicate listings', async () => {
  await control.populate([place('a', { drift: ['phone', 'openingHours', 'descriptionLong'], duplicated: true })]);
  const { listings } = await control.listings({ directory: 'GOOGLE' });
  const original = listings.find(({ duplicateOf }) => duplicateOf === undefined);
  expect(original?.profile.phone).not.toBe(profile.phone);
  expect(original?.profile.openingHours).not.toEqual(profile.openingHours);
  expect(original?.profile.street).toBe(profile.street);
  expect(listings.filter(({ duplicateOf }) => duplicateOf === original?.id)).toHaveLength(1);
});

test('adds a brand page once', async () => {
  const brand = { key: 'brand', directory: 'FACEBOOK', name: 'Bäckerei Morgenkorn', followers: 4200, perMonth: 6 };
  const put = await control.populate([], [brand]);
  expect(put.pages).toBe(1);
  expect(put.dataPoints).toBeGreaterThan(30);
  expect(await control.populate([], [brand])).toEqual({ pages: 0, dataPoints: 0 });
  const facebook = (await control.status()).directories.find(({ type }) => type === 'FACEBOOK');
  expect(facebook).toMatchObject({ brandPages: 1, dataPoints: put.dataPoints });
});

test('rejects invalid input with a message and adds nothing', async () => {
  await expect(control.populate([place('a', {}), place('', {})])).rejects.toThrow(
    /places\[1\]: key must be a non-empty string/,
  );
  await expect(control.populate([place('a', { directory: 'MYSPACE' })])).rejects.toThrow(
    /Directory "MYSPACE" not found/,
  );
  await expect(control.populate([place('a', { perMonth: -1 })])).rejects.toThrow(
    /perMonth must be a number from 0 to 1000/,
  );
  const { directories } = await control.status();
  expect(directories.every(({ listings }) => listings === 0)).toBe(true);
});
