import type { Transaction } from '../../database/transaction.ts';
import type { FieldError } from '../../problems.ts';
import type { Actor } from '../accounts/index.ts';
import { deriveFields } from './derived-fields.ts';
import { identifierNotUnique } from './identifier-not-unique.ts';
import type { LocationRow } from './location-columns.ts';
import { type Draft, newContent } from './location-rules.ts';
import { reserveLocationIds } from './location-store.ts';
import type { ServiceItem } from './profile-values.ts';
import {
  businessNotFound,
  type KnownLabels,
  knownBusinesses,
  knownLabels,
  servicesOfOtherLocations,
  templatesIn,
} from './references.ts';
import { type NextService, nextServices } from './service-item.ts';

export interface PreparedLocation {
  row: LocationRow;
  services: readonly NextService[];
}

type Rejected = { errors: FieldError[] };

/** Validates the inputs, resolves their references and builds their rows. */
export async function prepareCreation(
  transaction: Transaction,
  actor: Actor,
  inputs: readonly unknown[],
): Promise<(PreparedLocation | Rejected)[]> {
  const drafts = draftsOf(inputs);
  const valid = drafts.filter((one): one is Draft => 'content' in one);
  const businesses = await knownBusinesses(
    transaction,
    actor,
    valid.map(({ content }) => content.businessId),
  );
  // Rejected inputs must not create labels.
  const accepted = valid.filter(({ content }) => businesses.has(content.businessId));
  const labels = await knownLabels(
    transaction,
    actor,
    accepted.map((draft) => draft.labels),
  );
  const templates = await servicesOfOtherLocations(
    transaction,
    actor,
    accepted.map((draft) => draft.services),
  );
  const prepared = drafts.map((one) => {
    if ('errors' in one) return one;
    const { businessId } = one.content;
    return businesses.has(businessId)
      ? complete(one, labels, templatesIn(templates, businessId))
      : { errors: [businessNotFound(businessId)] };
  });
  const ready = prepared.filter((one) => 'row' in one);
  const ids = ready.length > 0 ? await reserveLocationIds(transaction, ready.length) : [];
  for (const [index, { row }] of ready.entries()) row.id = ids[index] as number;
  return prepared;
}

/** Only the first of several inputs with the same identifier is accepted. */
function draftsOf(inputs: readonly unknown[]): (Draft | Rejected)[] {
  const identifiers = new Set<string>();
  return inputs.map((input) => {
    const checked = newContent(input);
    if ('errors' in checked) return checked;
    const { identifier } = checked.value.content;
    if (identifier !== null && identifiers.has(identifier)) return { errors: [identifierNotUnique(identifier)] };
    if (identifier !== null) identifiers.add(identifier);
    return checked.value;
  });
}

function complete(draft: Draft, labels: KnownLabels, templates: readonly ServiceItem[]): PreparedLocation | Rejected {
  const labelled = labels.idsOf(draft.labels ?? [], []);
  const services = nextServices([], templates, draft.services ?? [], false);
  if ('errors' in labelled || 'errors' in services) {
    return { errors: [labelled, services].flatMap((part) => ('errors' in part ? part.errors : [])) };
  }
  const servicesCount = services.value.length;
  const content = { ...draft.content, labelIds: labelled.ids };
  const row = { id: 0, ...content, servicesCount, ...deriveFields({ ...content, servicesCount }) };
  return { row, services: services.value };
}
