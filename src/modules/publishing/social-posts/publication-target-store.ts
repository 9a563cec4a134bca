import { Conditions } from '../../../database/conditions.ts';
import type { Sql } from '../../../database/connection.ts';
import { type Reach, withinReach } from '../../../http/access.ts';
import type { PublicationTarget } from './publication.ts';
import type { PostTargets } from './social-post.ts';

/** Statuses of locations that can have posts. */
const published = "locations.status in ('CREATED', 'ACTIVE', 'NEEDS_REVIEW', 'CANCELLED')";

function targeted(partnerId: number, { locationIds, businessIds, labelIds }: PostTargets, reach: Reach): Conditions {
  const conditions = new Conditions(partnerId, locationIds, businessIds, labelIds);
  conditions
    .add('locations.partner_id = $1')
    .add(
      `(locations.id = any ($2::bigint[]) or locations.business_id = any ($3::bigint[])
        or locations.label_ids && $4::bigint[])`,
    )
    .add(published);
  return withinReach(conditions, reach, { business: 'locations.business_id', location: 'locations.id' });
}

/** Every location and directory of a post, with its listing. */
export async function findPublicationTargets(
  sql: Sql,
  partnerId: number,
  targets: PostTargets & { directories: readonly string[] },
  reach: Reach,
): Promise<PublicationTarget[]> {
  const conditions = targeted(partnerId, targets, reach);
  const directories = conditions.value(targets.directories);
  const { rows } = await sql.query<PublicationTarget>(
    `select locations.id as "locationId", locations.business_id as "businessId", wanted.type as "directoryType",
       listings.id as "listingId", listings.external_id as "pageId",
       coalesce(listings.connect_status <> 'NOT_CONNECTED', false) as "isConnected"
     from locations
     cross join unnest(${directories}::text[]) as wanted (type)
     left join listings on listings.location_id = locations.id and listings.directory_type = wanted.type
       and listings.duplicate_of is null
     ${conditions.where}
     order by locations.id, wanted.type`,
    conditions.values,
  );
  return rows;
}

export async function haveCommonLocation(
  sql: Sql,
  partnerId: number,
  one: { targets: PostTargets; reach: Reach },
  other: { targets: PostTargets; reach: Reach },
): Promise<boolean> {
  const conditions = targeted(partnerId, one.targets, one.reach);
  const { locationIds, businessIds, labelIds } = other.targets;
  conditions.add(
    `(locations.id = any (${conditions.value(locationIds)}::bigint[])
      or locations.business_id = any (${conditions.value(businessIds)}::bigint[])
      or locations.label_ids && ${conditions.value(labelIds)}::bigint[])`,
  );
  withinReach(conditions, other.reach, { business: 'locations.business_id', location: 'locations.id' });
  const { rowCount } = await sql.query(`select from locations ${conditions.where} limit 1`, conditions.values);
  return (rowCount ?? 0) > 0;
}
