import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../src/database/migrate.ts';
import { eventTypes } from '../src/events/catalogue/catalogue.ts';
import { recordEvent } from '../src/events/outbox/record-event.ts';
import { createPartner } from '../src/modules/accounts/partners/partner-store.ts';
import { openPlatform } from '../src/service/open-platform.ts';
import { configFor } from './support/data-folder.ts';
import { createPlainDatabase } from './support/database.ts';
import { runJobs } from './support/jobs.ts';

test.each(['0', '3'])('a role that only owns its database can run cell %s', async (cell) => {
  const url = await createPlainDatabase();
  const config = configFor(
    { url },
    {
      DATABASE_URL: url,
      WAYPOST_CELL: cell,
      WAYPOST_MASTER_KEY: randomBytes(32).toString('base64'),
    },
  );
  const open = async () => {
    const platform = await openPlatform(config, pino({ level: 'silent' }));
    onTestFinished(() => platform.close());
    return platform;
  };
  await expect(open()).rejects.toThrow('must be migrated first');
  await migrate({ url });
  const { database, sealer } = await open();
  const partner = await createPartner(database.pool, sealer, { identifier: 'plain', name: 'Plain' });
  const event = { partner: { id: partner.partner.id, identifier: 'plain' }, type: 'LOCATION_CREATED' as const };
  const record = () =>
    database.transaction((sql) => recordEvent(sql, { ...event, fields: eventTypes.LOCATION_CREATED.example }));
  const first = await record();
  // A second process advances the ids.
  await open();
  expect(await record()).toBeGreaterThan(first + 1);
  await database.pool.query("select graphile_worker.add_job('upkeep')");
  await runJobs(database);
  expect((await database.pool.query('select last_error from graphile_worker.jobs')).rows).toEqual([]);
});
