import type { Transaction } from '../../../database/transaction.ts';
import { recordEvent } from '../../../events/outbox/record-event.ts';
import { dayOf } from '../../../values/span.ts';
import type { Actor } from '../../accounts/index.ts';
import { type ComparedFields, sameValue } from '../field-comparison.ts';
import type { FieldSuggestion } from './suggestion-rules.ts';
import { activeSuggestions, decideSuggestion, upsertSuggestion } from './suggestion-store.ts';

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
