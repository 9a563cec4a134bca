/** The ceiling of the API: one Fastify route and one statement per request, without keys, versions and validation. */
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import pg from 'pg';

const [url = '', templateFile = ''] = process.argv.slice(2);
/** The API's responses, for the parts that do not come from the table. */
const templates = JSON.parse(readFileSync(templateFile, 'utf8')) as {
  location: object;
  page: object;
  datapoints: { inbox: { dataPoints: object[] } };
};

pg.types.setTypeParser(20, Number);
const pool = new pg.Pool({ connectionString: url, max: 16 });
// The server is stopped before this process.
pool.on('error', () => {});
const server = Fastify();

const columns = `id, partner_id as "salesPartnerId", business_id as "businessId", identifier, status, name, street,
  street_no as "streetNo", address_extra as "addressExtra", zip, city, province, country, lat, lng, phone, fax, cellphone,
  website, email, categories, auto_sync as "autoSync", profile, date_created as "dateCreated",
  last_updated as "lastUpdated", last_sync_started as "lastSyncStarted"`;

interface Row {
  profile: object;
}

const shown = ({ profile, ...row }: Row) => ({ ...templates.location, ...profile, ...row });

server.get<{ Params: { id: string } }>('/locations/:id', async ({ params }) => {
  const { rows } = await pool.query<Row>({
    name: 'location',
    text: `select ${columns} from locations where id = $1`,
    values: [params.id],
  });
  return { status: 'SUCCESS', response: rows.map(shown)[0] };
});

server.get<{ Querystring: { partner: string } }>('/locations', async ({ query }) => {
  const { rows } = await pool.query<Row>({
    name: 'locations',
    text: `select ${columns} from locations where partner_id = $1 order by id limit 50`,
    values: [query.partner],
  });
  return { status: 'SUCCESS', response: { ...templates.page, locations: rows.map(shown) } };
});

server.patch<{ Params: { id: string }; Body: object }>('/locations/:id', async ({ params, body }) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<Row>({
      name: 'change-location',
      text: `update locations set profile = profile || $2, revision = revision + 1, last_updated = now()
             where id = $1 returning ${columns}`,
      values: [params.id, body],
    });
    await client.query('commit');
    return { status: 'SUCCESS', response: rows.map(shown)[0] };
  } finally {
    client.release();
  }
});

server.get<{ Querystring: { partner: string } }>('/data-points', async ({ query }) => {
  const { rows } = await pool.query({
    name: 'datapoints',
    text: `select id, location_id as "locationId", listing_id as "listingId", directory_type as "directoryType", type,
             text, rating, author, status, action_date as "actionDate"
           from datapoints where partner_id = $1 and status = 'VALID' order by thread_action_date desc, id desc limit 50`,
    values: [query.partner],
  });
  const { inbox } = templates.datapoints;
  const dataPoints = rows.map((row) => ({ ...inbox.dataPoints[0], ...row }));
  return { status: 'SUCCESS', response: { inbox: { ...inbox, dataPoints } } };
});

const address = await server.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ address });
process.on('disconnect', () => process.exit(0));
