import type { Sql } from '../../../database/connection.ts';
import { defineJob, type JobContext, type JobImplementation } from '../../../jobs/job.ts';
import { isFault } from '../../directories/index.ts';
import { upsertBrandPages } from './brand-page-store.ts';

export const discoverBrandPages = defineJob<{ businessId: number }>('brand-pages.discover', {
  key: ({ businessId }) => `brand-pages.discover-${businessId}`,
});

/** Reads new datapoints of a brand page. */
export const checkPageDatapoints = defineJob<{ pageId: number }>('datapoints.check-brand-page', {
  key: ({ pageId }) => `datapoints-page-${pageId}`,
});

/** The same business is asked for again after a day. */
const everyHours = 24;
const batch = 200;

interface NamedBusiness {
  id: number;
  partnerId: number;
  name: string;
}

/** Asks every directory that has brand pages; one that does not answer does not hold up the others. */
async function discover({ database, directories, log }: JobContext, businessId: number): Promise<void> {
  const business = await findNamedBusiness(database.pool, businessId);
  if (!business) return;
  const asked = directories.list.filter(({ supports }) => supports.brandPages);
  const answers = await Promise.all(
    asked.map(async ({ type }) => ({ type, answer: await directories.connector(type).readBrandPages(business.name) })),
  );
  for (const { type, answer } of answers) {
    if (isFault(answer)) {
      log.info({ event: 'brand-pages.not-read', businessId, directory: type, ...answer });
      continue;
    }
    if (answer.length === 0) continue;
    await database.transaction(async (transaction) => {
      const added = await upsertBrandPages(transaction, business, type, answer);
      for (const pageId of added) await checkPageDatapoints.enqueue(transaction, { pageId });
    });
  }
  if (answers.every(({ answer }) => !isFault(answer))) await noteDiscovery(database.pool, businessId);
}

export const brandPageJobs: readonly JobImplementation[] = [
  discoverBrandPages.implement(({ businessId }, context) => discover(context, businessId)),
  defineJob('brand-pages.schedule', { schedule: '*/10 * * * *' }).implement(async (_, { database }) => {
    for (const businessId of await businessesToAskFor(database.pool))
      await discoverBrandPages.enqueue(database.pool, { businessId }, { maxAttempts: 1 });
  }),
];

async function findNamedBusiness(sql: Sql, id: number): Promise<NamedBusiness | undefined> {
  const { rows } = await sql.query<NamedBusiness>(
    `select id, partner_id as "partnerId", name from businesses where id = $1 and status <> 'DELETED'`,
    [id],
  );
  return rows[0];
}

async function businessesToAskFor(sql: Sql): Promise<number[]> {
  const { rows } = await sql.query<{ id: number }>(
    `select business.id from businesses business
     left join brand_page_discoveries discovery on discovery.business_id = business.id
     where business.status = 'ACTIVE'
       and (discovered_at is null or discovered_at < now() - make_interval(hours => ${everyHours}))
     order by discovered_at nulls first, business.id limit ${batch}`,
  );
  return rows.map(({ id }) => id);
}

async function noteDiscovery(sql: Sql, businessId: number): Promise<void> {
  await sql.query(
    `insert into brand_page_discoveries (business_id) values ($1)
     on conflict (business_id) do update set discovered_at = now()`,
    [businessId],
  );
}
