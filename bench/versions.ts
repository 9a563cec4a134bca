/**
 * Cost of the oldest version: the same page of 50 full locations in the oldest and newest version, alternating. Reports
 * the ratio, because machines differ.
 */
import { newestVersion, oldestVersion } from '../src/api/versions/timeline.ts';
import { median } from './delivery/scene.ts';
import { type Load, measure } from './platform/load.ts';
import { fullLocation, poster } from './support/full-location.ts';
import { withBench } from './support/server.ts';

const maxRatio = 1.25;
const page = 50;

export const run = ({ quick }: { quick: boolean }): Promise<void> =>
  withBench(async ({ addPartner, startService }) => {
    const { privateKey } = await addPartner();
    const { origin } = await startService();
    const post = poster(origin, privateKey);
    const { id: businessId } = await post('/api/businesses', { name: 'Bench' });
    for (let n = 1; n <= page; n++) await post('/api/locations', fullLocation(businessId, n));
    const size = quick ? { rounds: 5, requests: 200 } : { rounds: 9, requests: 600 };
    report(await measureAlternating(origin, privateKey, size));
  });

interface Times {
  oldestMs: number[];
  newestMs: number[];
}

async function measureAlternating(
  origin: string,
  privateKey: string,
  { rounds, requests }: { rounds: number; requests: number },
): Promise<Times> {
  const times: Times = { oldestMs: [], newestMs: [] };
  const load = (version: string): Load => ({ method: 'GET', path: () => `/api/locations?max=${page}&v=${version}` });
  for (let n = 0; n < rounds; n++) {
    times.newestMs.push(1000 / (await measure(origin, privateKey, load(newestVersion), requests)).perSecond);
    times.oldestMs.push(1000 / (await measure(origin, privateKey, load(oldestVersion), requests)).perSecond);
  }
  return times;
}

function report({ oldestMs, newestMs }: Times): void {
  const [oldest, newest] = [median(oldestMs), median(newestMs)];
  const ratio = Number((oldest / newest).toFixed(3));
  console.log(
    `a page of ${page} full locations: _${newestVersion} ${newest.toFixed(2)} ms, _${oldestVersion} ${oldest.toFixed(2)} ms`,
  );
  console.log(`the oldest version costs ${ratio} times the newest (due ≤ ${maxRatio})`);
  console.log(
    JSON.stringify({
      newestMs: round(newest),
      oldestMs: round(oldest),
      ratio,
      due: maxRatio,
      holds: ratio <= maxRatio,
    }),
  );
}

const round = (value: number) => Number(value.toFixed(3));
