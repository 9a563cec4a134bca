/**
 * Cost of the oldest version: the same page of 50 full locations in the oldest and newest version, alternating. Reports
 * the ratio, because machines differ.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newestVersion, oldestVersion } from '../src/api/versions/timeline.ts';
import { Database } from '../src/database/connection.ts';
import { migrate } from '../src/database/migrate.ts';
import { Sealer } from '../src/events/signing/sealer.ts';
import { createPartner } from '../src/modules/accounts/partners/partner-store.ts';
import { median } from './delivery/scene.ts';
import { type Load, measure } from './platform/load.ts';
import { startService } from './platform/service.ts';
import { fullLocation, poster } from './support/full-location.ts';
import { startServer } from './support/server.ts';

const maxRatio = 1.25;
const page = 50;

export async function run({ quick }: { quick: boolean }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-bench-'));
  const masterKey = randomBytes(32);
  const server = await startServer(folder);
  const database = new Database(server.url, { connections: 2, name: 'waypost bench driver', statementLimit: 'job' });
  await migrate(database);
  const bench = { identifier: 'bench', name: 'Bench' };
  const { privateKey } = await createPartner(database.pool, new Sealer(masterKey), bench);
  const service = await startService(server.url, masterKey, folder);
  try {
    const post = poster(service.origin, privateKey);
    const { id: businessId } = await post('/api/businesses', { name: 'Bench' });
    for (let n = 1; n <= page; n++) await post('/api/locations', fullLocation(businessId, n));
    report(
      await measureAlternating(
        service.origin,
        privateKey,
        quick ? { rounds: 5, requests: 200 } : { rounds: 9, requests: 600 },
      ),
    );
  } finally {
    service.stop();
    await database.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

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
