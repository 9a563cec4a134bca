import type { Sql } from '../../../database/connection.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { recordEvent } from '../../../events/outbox/record-event.ts';
import { dayOf } from '../../../values/span.ts';
import type { Actor } from '../../accounts/index.ts';
import { type ComparedFields, sameValue } from '../field-comparison.ts';
import { type FieldSuggestion, type Suggestion, type SuggestionStatus, suggestionResponse } from './suggestion.ts';

const columns = `id, location_id as "locationId", listing_id as "listingId", directory_type as "directoryType", field,
  current_value as "currentValue", suggested_value as "suggestedValue", status, date_created as "dateCreated",
  last_updated as "lastUpdated", decided_by as "decidedBy"`;

/** Pending, declined and hidden suggestions of a listing, newest first. */
async function activeSuggestions(sql: Sql, listingId: number): Promise<Suggestion[]> {
  const { rows } = await sql.query<Suggestion>({
    name: 'active-suggestions',
    text: `select ${columns} from suggestions
           where listing_id = $1 and status in ('PENDING', 'DECLINED', 'HIDDEN') order by id desc`,
    values: [listingId],
  });
  return rows;
}

/** Replaces a pending suggestion for the same field. Returns the id. */
export async function upsertSuggestion(
  sql: Sql,
  listing: { id: number; partnerId: number; locationId: number; directoryType: string },
  { field, currentValue, suggestedValue }: FieldSuggestion,
): Promise<number> {
  const { rows } = await sql.query<{ id: number }>(
    `insert into suggestions (partner_id, location_id, listing_id, directory_type, field, current_value, suggested_value)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (listing_id, field) where status = 'PENDING' do update
       set current_value = excluded.current_value, suggested_value = excluded.suggested_value, last_updated = now()
     returning id`,
    [
      listing.partnerId,
      listing.locationId,
      listing.id,
      listing.directoryType,
      field,
      JSON.stringify(currentValue),
      JSON.stringify(suggestedValue),
    ],
  );
  return rows[0]?.id as number;
}

/** Oldest first. */
export async function listSuggestions(
  sql: Sql,
  { partnerId, locationId, statuses }: { partnerId: number; locationId: number; statuses: readonly string[] },
  page: { after: number; offset: number; limit: number },
): Promise<Suggestion[]> {
  const { rows } = await sql.query<Suggestion>(
    `select ${columns} from suggestions
     where partner_id = $1 and location_id = $2 and status = any ($3) and id > $4 order by id offset $5 limit $6`,
    [partnerId, locationId, statuses, page.after, page.offset, page.limit],
  );
  return rows;
}

/** Pending suggestions by location; locations without any are not in the map. */
export async function pendingSuggestions(
  sql: Sql,
  partnerId: number,
  locationIds: readonly number[],
): Promise<Map<number, object[]>> {
  const { rows } = await sql.query<Suggestion>(
    `select ${columns} from suggestions
     where partner_id = $1 and location_id = any ($2::bigint[]) and status = 'PENDING' order by id`,
    [partnerId, locationIds],
  );
  return Map.groupBy(rows.map(suggestionResponse), ({ locationId }) => locationId);
}

export async function countSuggestions(
  sql: Sql,
  { partnerId, locationId, statuses }: { partnerId: number; locationId: number; statuses: readonly string[] },
): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'select count(*) from suggestions where partner_id = $1 and location_id = $2 and status = any ($3)',
    [partnerId, locationId, statuses],
  );
  return rows[0]?.count ?? 0;
}

/** Finds and locks the suggestions of a location with these ids. */
export async function lockSuggestions(
  sql: Sql,
  { partnerId, locationId }: { partnerId: number; locationId: number },
  ids: readonly number[],
): Promise<Suggestion[]> {
  const { rows } = await sql.query<Suggestion>(
    `select ${columns} from suggestions where partner_id = $1 and location_id = $2 and id = any ($3)
     order by id for update`,
    [partnerId, locationId, ids],
  );
  return rows;
}

export async function decideSuggestion(
  sql: Sql,
  id: number,
  status: SuggestionStatus,
  decidedBy: string,
): Promise<Suggestion> {
  const { rows } = await sql.query<Suggestion>(
    `update suggestions set status = $2, decided_by = $3, last_updated = now() where id = $1 returning ${columns}`,
    [id, status, decidedBy],
  );
  return rows[0] as Suggestion;
}

interface SuggestionInput {
  listing: { id: number; partnerId: number; locationId: number; directoryType: string };
  businessId: number;
  country: string | undefined;
  fields: ComparedFields;
  suggestions: readonly FieldSuggestion[];
  now: Date;
}

/**
 * Creates suggestions and one event for all of them. Values that are already pending, declined or hidden are skipped.
 * Pending suggestions that the location already matches become HIDDEN.
 */
export async function raiseSuggestions(
  transaction: Transaction,
  { partner }: Actor,
  occasion: SuggestionInput,
): Promise<void> {
  const { listing, businessId, country, fields, suggestions, now } = occasion;
  const today = dayOf(now);
  const same = (field: string, a: unknown, b: unknown) => sameValue(field, a, b, country, today);
  const existing = await activeSuggestions(transaction, listing.id);
  for (const { id, field, suggestedValue, status } of existing) {
    const current = fields[field]?.expected;
    if (status === 'PENDING' && current !== undefined && same(field, current, suggestedValue)) {
      await decideSuggestion(transaction, id, 'HIDDEN', 'SYSTEM');
    }
  }
  const fresh = suggestions.filter(
    ({ field, suggestedValue }) =>
      !existing.some((known) => known.field === field && same(field, known.suggestedValue, suggestedValue)),
  );
  if (fresh.length === 0) return;
  const suggestionIds: number[] = [];
  for (const suggestion of fresh) suggestionIds.push(await upsertSuggestion(transaction, listing, suggestion));
  await recordEvent(transaction, {
    partner,
    type: 'LOCATION_DATA_SUGGESTION',
    fields: {
      business: businessId,
      location: listing.locationId,
      directoryType: listing.directoryType,
      suggestionIds,
      fields: fresh.map(({ field }) => field),
    },
  });
}
