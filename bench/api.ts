/**
 * Compares the API with a bare Fastify route that returns the same JSON from the same table. Reports ratios, because
 * machines differ.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from './delivery/child.ts';
import { median } from './delivery/scene.ts';
import { fill } from './platform/fill.ts';
import { type Load, measure } from './platform/load.ts';
import { fullLocation, poster } from './support/full-location.ts';
import { type Bench, withBench } from './support/server.ts';

const connections = 16;
const locations = 50;
const minRatios = { location: 0.5, list: 0.5, patch: 0.4, datapoints: 0.4 } as Record<string, number>;

export const run = ({ quick }: { quick: boolean }): Promise<void> => withBench((bench) => compare(bench, quick));

async function compare({ folder, database, addPartner, startService, atEnd }: Bench, quick: boolean): Promise<void> {
  const { partner, privateKey } = await addPartner();
  const inbox = await addPartner('inbox');
  await fill(database, inbox.partner.id, 1000);
  const service = await startService();
  const post = poster(service.origin, privateKey);
  const { id: businessId } = await post('/api/businesses', { name: 'Bench' });
  const ids: number[] = [];
  for (let n = 1; n <= locations; n++) ids.push((await post('/api/locations', fullLocation(businessId, n))).id);
  const read = async (path: string, key: string) => {
    const response = await fetch(service.origin + path, { headers: { privateKey: key } });
    return ((await response.json()) as { response: object }).response;
  };
  const inboxPath = '/api/data-points?max=50';
  const templates = join(folder, 'responses.json');
  await writeFile(
    templates,
    JSON.stringify({
      location: await read(`/api/locations/${ids[0]}`, privateKey),
      page: await read(`/api/locations?max=${locations}`, privateKey),
      datapoints: await read(inboxPath, inbox.privateKey),
    }),
  );
  const bare = new Child<never>('../api/bare.ts', [database.url, templates]);
  atEnd(() => bare.end());
  const { address } = await bare.next<{ address: string }>();
  const anyId = (n: number) => ids[n % ids.length];
  const change = (n: number) => ({ descriptionShort: `Changed ${n} times at ${performance.now()}` });
  const pairs: Record<string, Pair> = {
    location: [get((n) => `/api/locations/${anyId(n)}`), get((n) => `/locations/${anyId(n)}`)],
    list: [get(() => `/api/locations?max=${locations}`), get(() => `/locations?partner=${partner.id}`)],
    patch: [patch((n) => `/api/locations/${anyId(n)}`, change), patch((n) => `/locations/${anyId(n)}`, change)],
    datapoints: [get(() => inboxPath), get(() => `/data-points?partner=${inbox.partner.id}`)],
  };
  const ratios: Record<string, number> = {};
  for (const [name, [api, ceiling]] of Object.entries(pairs)) {
    const key = name === 'datapoints' ? inbox.privateKey : privateKey;
    const requests = (quick ? 0.2 : 1) * (name === 'list' || name === 'datapoints' ? 1000 : 5000);
    const seen: { ours: number; ceiling: number }[] = [];
    for (let round = 0; round < 5; round++) {
      const { perSecond: atMost } = await measure(address, key, ceiling, requests, connections);
      const { perSecond } = await measure(service.origin, key, api, requests, connections);
      seen.push({ ours: perSecond, ceiling: atMost });
    }
    const ratio = median(seen.map((round) => round.ours / round.ceiling));
    ratios[name] = Number(ratio.toFixed(2));
    const [rate, atMost] = [median(seen.map((round) => round.ours)), median(seen.map((round) => round.ceiling))];
    const target = minRatios[name] === undefined ? '' : ` (due ≥ ${minRatios[name]})`;
    console.log(`${name.padEnd(11)} ${rate.toFixed(0)} of ${atMost.toFixed(0)} requests/s: ${ratios[name]}${target}`);
  }
  console.log(JSON.stringify(ratios));
}

/** Requests to the API and to the bare route. */
type Pair = readonly [Load, Load];

const get = (path: (n: number) => string): Load => ({ method: 'GET', path });
const patch = (path: (n: number) => string, body: (n: number) => object): Load => ({ method: 'PATCH', path, body });
