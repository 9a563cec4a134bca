import type { Sql } from '../../database/connection.ts';
import { defineStatement, run } from '../../database/statement.ts';
import type { Transaction } from '../../database/transaction.ts';
import { serviceObject } from './location-columns.ts';
import type { ServiceItem } from './profile-values.ts';
import type { NextService } from './service-item.ts';

/** Services by location, in order; locations without any are not in the map. */
export async function servicesOf(sql: Sql, locationIds: readonly number[]): Promise<Map<number, ServiceItem[]>> {
  const rows = await run(sql, servicesByLocation, [locationIds]);
  return new Map(rows.map(({ locationId, services }) => [locationId, services]));
}

const servicesByLocation = defineStatement<{ locationId: number; services: ServiceItem[] }>({
  name: 'services-of-locations',
  text: `select location_id, jsonb_agg(${serviceObject} order by position, id) as services
         from service_items where location_id = any ($1::bigint[]) group by location_id`,
  columns: { locationId: 'int8', services: 'jsonb' },
});

/** Services of the partner with these ids. */
export async function findServices(
  sql: Sql,
  partnerId: number,
  ids: readonly number[],
): Promise<(ServiceItem & { locationId: number; businessId: number })[]> {
  const rows = await run(sql, servicesById, [partnerId, ids]);
  return rows.map(({ service, locationId, businessId }) => ({ ...service, locationId, businessId }));
}

const servicesById = defineStatement<{ service: ServiceItem; locationId: number; businessId: number }>({
  name: 'find-services',
  text: `select ${serviceObject} as service, location_id, business_id
         from (
           select service_items.*, business_id
           from service_items join locations on locations.id = location_id
           where service_items.partner_id = $1 and service_items.id = any ($2::bigint[])
         ) as found`,
  columns: { service: 'jsonb', locationId: 'int8', businessId: 'int8' },
});

/** Replaces the services of each location. Existing services keep their ids. */
export async function replaceServices(
  transaction: Transaction,
  partnerId: number,
  lists: readonly { locationId: number; services: readonly NextService[] }[],
): Promise<void> {
  const locationIds = lists.map(({ locationId }) => locationId);
  const rows = lists.flatMap(({ locationId, services }) =>
    services.map((service, position) => ({ ...service, locationId, position })),
  );
  await Promise.all([
    run(transaction, deleteServices, [locationIds]),
    rows.length > 0 && run(transaction, insertServices, [partnerId, JSON.stringify(rows)]),
  ]);
}

const deleteServices = defineStatement({
  name: 'delete-services',
  text: 'delete from service_items where location_id = any ($1::bigint[])',
});

const insertServices = defineStatement({
  name: 'insert-services',
  text: `insert into service_items (id, partner_id, location_id, identifier, title, description, category, price,
           currency, google_service, translations, position)
         select coalesce(id, nextval(pg_get_serial_sequence('service_items', 'id'))), $1, "locationId", identifier,
           title, description, category, price, currency, "googleService", coalesce(translations, '{}'), position
         from json_to_recordset($2::json) as next (id bigint, "locationId" bigint, identifier text, title text,
           description text, category bigint, price integer, currency text, "googleService" text, translations jsonb,
           position integer)`,
});
