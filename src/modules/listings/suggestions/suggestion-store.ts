import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { anyOf, db, pageById, raw } from '../../../database/query-builder.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { recordEvent } from '../../../events/outbox/record-event.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { fieldNames } from '../../../http/record-response.ts';
import type { Actor } from '../../accounts/index.ts';
import { type ComparedFields, sameValue } from '../field-comparison.ts';
import {
  type FieldSuggestion,
  type Suggestion,
  SuggestionResponse,
  type SuggestionStatus,
  suggestionResponse,
} from './suggestion.ts';

const columns = fieldNames(SuggestionResponse);

type Narrowed = Pick<Suggestion, 'status'>;

export type ActiveSuggestion = Pick<Suggestion, 'id' | 'field' | 'suggestedValue' | 'status'>;

/** Pending, declined and hidden suggestions of a listing, newest first. */
export const findActiveSuggestions = (sql: Sql, listingId: number): Promise<ActiveSuggestion[]> =>
  run(sql, activeSuggestions, [listingId]);

const activeSuggestions = defineStatement<ActiveSuggestion>({
  name: 'active-suggestions',
  text: `select id, field, suggested_value, status from suggestions
         where listing_id = $1 and status in ('PENDING', 'DECLINED', 'HIDDEN') order by id desc`,
  columns: { id: 'int8', field: 'text', suggestedValue: 'jsonb', status: 'text' },
});

/** Replaces a pending suggestion for the same field. Returns the id. */
export async function upsertSuggestion(
  sql: Sql,
  { id, partnerId, locationId, directoryType }: SuggestionInput['listing'],
  { field, currentValue, suggestedValue }: FieldSuggestion,
): Promise<number> {
  const values = [JSON.stringify(currentValue), JSON.stringify(suggestedValue)];
  const [suggestion] = await run(sql, upsert, [partnerId, locationId, id, directoryType, field, ...values]);
  return suggestion?.id as number;
}

const upsert = defineStatement<{ id: number }>({
  name: 'upsert-suggestion',
  text: `insert into suggestions
           (partner_id, location_id, listing_id, directory_type, field, current_value, suggested_value)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (listing_id, field) where status = 'PENDING' do update
           set current_value = excluded.current_value, suggested_value = excluded.suggested_value, last_updated = now()
         returning id`,
  columns: { id: 'int8' },
});

const suggestionsOf = (sql: Sql, { partnerId, locationId }: Omit<SuggestionFilter, 'statuses'>) =>
  db(sql).selectFrom('suggestions').where('partnerId', '=', partnerId).where('locationId', '=', locationId);

interface SuggestionFilter {
  partnerId: number;
  locationId: number;
  statuses: readonly SuggestionStatus[];
}

const matching = (sql: Sql, { statuses, ...location }: SuggestionFilter) =>
  suggestionsOf(sql, location).where('status', '=', anyOf(statuses, 'text'));

/** Oldest first. */
export const listSuggestions = (sql: Sql, filter: SuggestionFilter, page: PageQuery): Promise<Suggestion[]> =>
  pageById(matching(sql, filter).select(columns), page).$narrowType<Narrowed>().execute();

export const countSuggestions = (sql: Sql, filter: SuggestionFilter): Promise<number> =>
  countAll(matching(sql, filter));

/** Pending suggestions by location; locations without any are not in the map. */
export async function pendingSuggestions(
  sql: Sql,
  partnerId: number,
  locationIds: readonly number[],
): Promise<Map<number, object[]>> {
  const pending = await db(sql)
    .selectFrom('suggestions')
    .select(columns)
    .where('partnerId', '=', partnerId)
    .where('locationId', '=', anyOf(locationIds, 'bigint'))
    .where('status', '=', 'PENDING')
    .orderBy('id')
    .$narrowType<Narrowed>()
    .execute();
  return Map.groupBy(pending.map(suggestionResponse), ({ locationId }) => locationId);
}

/** Finds and locks the suggestions of a location with these ids. */
export function lockSuggestions(
  sql: Sql,
  location: Omit<SuggestionFilter, 'statuses'>,
  ids: readonly number[],
): Promise<Suggestion[]> {
  return suggestionsOf(sql, location)
    .select(columns)
    .where('id', '=', anyOf(ids, 'bigint'))
    .orderBy('id')
    .forUpdate()
    .$narrowType<Narrowed>()
    .execute();
}

export function decideSuggestion(
  sql: Sql,
  id: number,
  status: SuggestionStatus,
  decidedBy: string,
): Promise<Suggestion> {
  return db(sql)
    .updateTable('suggestions')
    .set({ status, decidedBy, lastUpdated: raw<Date>`now()` })
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

/** A user may have decided on a suggestion since it was read: their decision stays. */
async function hidePendingSuggestions(sql: Sql, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db(sql)
    .updateTable('suggestions')
    .set({ status: 'HIDDEN', decidedBy: 'SYSTEM', lastUpdated: raw<Date>`now()` })
    .where('id', '=', anyOf(ids, 'bigint'))
    .where('status', '=', 'PENDING')
    .execute();
}

interface SuggestionInput {
  listing: { id: number; partnerId: number; locationId: number; directoryType: string };
  businessId: number;
  country: string | undefined;
  fields: ComparedFields;
  suggestions: readonly FieldSuggestion[];
  active: readonly ActiveSuggestion[];
  /** The suggestions are of another directory listing than the pending ones. */
  isRelinked: boolean;
  /** YYYY-MM-DD, in the time zone of the location. */
  today: string;
}

/**
 * Creates suggestions and one event for all of them. Values that are already pending, declined or hidden are skipped.
 * Pending suggestions that the location already matches, or of a previous link, become HIDDEN.
 */
export async function raiseSuggestions(
  transaction: Transaction,
  { partner }: Actor,
  { listing, businessId, country, fields, suggestions, active: existing, isRelinked, today }: SuggestionInput,
): Promise<void> {
  const same = (field: string, a: unknown, b: unknown) => sameValue(field, a, b, country, today);
  const isHidden = ({ field, suggestedValue, status }: ActiveSuggestion) => {
    const current = fields[field]?.expected;
    const isApplied = current !== undefined && same(field, current, suggestedValue);
    const isOutdated =
      isRelinked && !suggestions.some((one) => one.field === field && same(field, one.suggestedValue, suggestedValue));
    return status === 'PENDING' && (isApplied || isOutdated);
  };
  await hidePendingSuggestions(
    transaction,
    existing.filter(isHidden).map(({ id }) => id),
  );
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
