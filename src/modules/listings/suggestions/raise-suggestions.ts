import type { Transaction } from '../../../database/transaction.ts';
import { recordEvent } from '../../../events/outbox/record-event.ts';
import { dayOf } from '../../../values/days.ts';
import type { Actor } from '../../accounts/index.ts';
import { type ComparedFields, sameValue } from '../field-comparison.ts';
import type { FieldSuggestion } from './suggestion-rules.ts';
import { decideSuggestion, putSuggestion, standingSuggestions } from './suggestion-store.ts';

interface Occasion {
  listing: { id: number; partnerId: number; locationId: number; directoryType: string };
  businessId: number;
  country: string | undefined;
  /** How the page compared. */
  fields: ComparedFields;
  suggestions: readonly FieldSuggestion[];
  now: Date;
}

/**
 * Writes down what a directory suggests, with one event for all of it. What already waits, or what somebody did not
 * want, is not said again. A suggestion that waits for what the location has by now is put aside.
 */
export async function raiseSuggestions(
  transaction: Transaction,
  { partner }: Actor,
  occasion: Occasion,
): Promise<void> {
  const { listing, businessId, country, fields, suggestions, now } = occasion;
  const today = dayOf(now);
  const same = (field: string, a: unknown, b: unknown) => sameValue(field, a, b, country, today);
  const standing = await standingSuggestions(transaction, listing.id);
  for (const { id, field, suggestedValue, status } of standing) {
    const has = fields[field]?.expected;
    if (status === 'PENDING' && has !== undefined && same(field, has, suggestedValue)) {
      await decideSuggestion(transaction, id, 'HIDDEN', 'SYSTEM');
    }
  }
  const fresh = suggestions.filter(
    ({ field, suggestedValue }) =>
      !standing.some((known) => known.field === field && same(field, known.suggestedValue, suggestedValue)),
  );
  if (fresh.length === 0) return;
  const suggestionIds: number[] = [];
  for (const suggestion of fresh) suggestionIds.push(await putSuggestion(transaction, listing, suggestion));
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
