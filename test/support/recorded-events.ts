import type { Database } from '../../src/database/connection.ts';
import type { TestPartner } from './api.ts';

/** The events of a partner, oldest first, without the common fields. */
export async function eventsOf(
  database: Database,
  { partner }: TestPartner,
  type: string,
): Promise<Record<string, unknown>[]> {
  const { rows } = await database.pool.query<{ body: string }>(
    'select body from events where partner_id = $1 and type = $2 order by id',
    [partner.id, type],
  );
  return rows.map(({ body }) => {
    const { id: _id, time: _time, type: _type, salesPartnerIdentifier, ...fields } = JSON.parse(body);
    if (salesPartnerIdentifier !== partner.identifier)
      throw new Error(`The event does not belong to ${partner.identifier}.`);
    return fields;
  });
}
