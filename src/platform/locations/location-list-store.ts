import { Conditions } from '../../database/conditions.ts';
import type { Sql } from '../../database/connection.ts';
import { type Reach, withinReach } from '../../http/access.ts';
import type { Location, LocationStatus } from './location.ts';
import { someColumns } from './location-columns.ts';

export interface LocationFilter {
  ids?: readonly number[];
  businessIds?: readonly number[];
  statuses?: readonly LocationStatus[];
  /** Locations with any of these. */
  labelIds?: readonly number[];
  cities?: readonly string[];
  countries?: readonly string[];
  categories?: readonly number[];
  /** Words that must all be there; the last one may be only begun. */
  query?: string;
  updatedSince?: Date;
}

export const sortableFields = ['id', 'name', 'city', 'dateCreated', 'lastUpdated'] as const;

/** As the indexes have them, each with the id behind it. */
const sortExpressions: Record<(typeof sortableFields)[number], string> = {
  id: 'id',
  name: 'lower(name)',
  city: 'lower(city)',
  dateCreated: 'date_created',
  lastUpdated: 'last_updated',
};

export interface LocationOrder {
  sort: (typeof sortableFields)[number];
  descending: boolean;
}

export interface Wanted {
  partnerId: number;
  reach: Reach;
  filter: LocationFilter;
}

/** A page of locations with no more than the named properties; `after` is the last one of the page before. */
export async function listLocations(
  sql: Sql,
  wanted: Wanted,
  { sort, descending }: LocationOrder,
  page: { offset: number; limit: number; after?: number },
  fields: ReadonlySet<string>,
): Promise<(Pick<Location, 'id'> & Partial<Location>)[]> {
  const conditions = conditionsOf(wanted);
  const by = sortExpressions[sort];
  if (page.after !== undefined) {
    const after = `${conditions.value(page.after)}::bigint`;
    const isBehind = descending ? '<' : '>';
    // A subquery of two columns could not be looked up in the index.
    const place = `(select ${by} from locations where id = ${after} and partner_id = $1)`;
    conditions.add(sort === 'id' ? `id ${isBehind} ${after}` : `(${by}, id) ${isBehind} (${place}, ${after})`);
  }
  const direction = descending ? 'desc' : 'asc';
  const order = sort === 'id' ? `id ${direction}` : `${by} ${direction}, id ${direction}`;
  // Not prepared: what is rare and what is frequent decides the plan.
  const { rows } = await sql.query<Location>(
    `select ${someColumns(new Set(['id', ...fields]))} from locations ${conditions.where}
     order by ${order} offset ${conditions.value(page.offset)} limit ${conditions.value(page.limit)}`,
    conditions.values,
  );
  return rows;
}

/** How many there are, if not more than the limit. */
export async function countLocations(sql: Sql, wanted: Wanted, limit: number): Promise<number> {
  const conditions = conditionsOf(wanted);
  const { rows } = await sql.query<{ count: number }>(
    `select count(*) from (
       select from locations ${conditions.where} limit ${conditions.value(limit)}
     ) as matching`,
    conditions.values,
  );
  return rows[0]?.count ?? 0;
}

/** The ids of those that fit, if not more than the limit. */
export async function listLocationIds(sql: Sql, wanted: Wanted, limit: number): Promise<number[]> {
  const conditions = conditionsOf(wanted);
  const { rows } = await sql.query<{ id: number }>(
    `select id from locations ${conditions.where} order by id limit ${conditions.value(limit)}`,
    conditions.values,
  );
  return rows.map(({ id }) => id);
}

/** Deleted locations are there only for those who ask for them. */
function conditionsOf({ partnerId, reach, filter }: Wanted): Conditions {
  const conditions = new Conditions(partnerId).add('partner_id = $1');
  withinReach(conditions, reach, { business: 'business_id', location: 'id' });
  const among = (column: string, values: readonly unknown[] | undefined, type: string) => {
    if (!values) return;
    // One value is looked up in an index that has its entries in order; of a list the server would have to sort them.
    const [only] = values;
    if (values.length === 1) conditions.add(`${column} = ${conditions.value(only)}::${type}`);
    else conditions.add(`${column} = any (${conditions.value(values)}::${type}[])`);
  };
  among('id', filter.ids, 'bigint');
  among('business_id', filter.businessIds, 'bigint');
  if (filter.statuses) among('status', filter.statuses, 'text');
  else conditions.add("status <> 'DELETED'");
  among(
    'lower(city)',
    filter.cities?.map((city) => city.toLowerCase()),
    'text',
  );
  among('country', filter.countries, 'text');
  if (filter.labelIds) conditions.add(`label_ids && ${conditions.value(filter.labelIds)}::bigint[]`);
  if (filter.categories) conditions.add(`categories && ${conditions.value(filter.categories)}::bigint[]`);
  if (filter.updatedSince) conditions.add(`last_updated >= ${conditions.value(filter.updatedSince)}`);
  if (filter.query !== undefined) {
    conditions.add(`search @@ to_tsquery('simple', ${conditions.value(searchExpression(filter.query))})`);
  }
  return conditions;
}

/** Words of letters and digits, as the search column has them. Nothing to look for finds nothing. */
export function searchExpression(query: string): string {
  const words = query.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length > 0 ? `${words.join(' & ')}:*` : '';
}
