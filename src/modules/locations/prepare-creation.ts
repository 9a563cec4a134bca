import type { Transaction } from '../../database/transaction.ts';
import type { FieldError } from '../../problems.ts';
import type { Actor } from '../accounts/index.ts';
import { identifierNotUnique } from './identifier-not-unique.ts';
import type { LocationRow } from './location-columns.ts';
import { type Draft, newContent } from './location-rules.ts';
import { drawLocationIds } from './location-store.ts';
import type { ServiceItem } from './profile-values.ts';
import {
  elsewhereServices,
  type KnownLabels,
  knownBusinesses,
  knownLabels,
  modelsIn,
  noBusiness,
} from './references.ts';
import { type NextService, nextServices } from './service-item.ts';
import { standingOf } from './standing.ts';

export interface PreparedLocation {
  /** As it is to be written. */
  row: LocationRow;
  services: readonly NextService[];
}

type Refused = { errors: FieldError[] };

/** What each of the inputs comes to, complete with what it refers to, or what is wrong with it. */
export async function prepareCreation(
  transaction: Transaction,
  actor: Actor,
  inputs: readonly unknown[],
): Promise<(PreparedLocation | Refused)[]> {
  const drafts = draftsOf(inputs);
  const sound = drafts.filter((one): one is Draft => 'content' in one);
  const businesses = await knownBusinesses(
    transaction,
    actor,
    sound.map(({ content }) => content.businessId),
  );
  // Labels that only a refused input names must not come into being.
  const possible = sound.filter(({ content }) => businesses.has(content.businessId));
  const labels = await knownLabels(
    transaction,
    actor,
    possible.map((draft) => draft.labels),
  );
  const models = await elsewhereServices(
    transaction,
    actor,
    possible.map((draft) => draft.services),
  );
  const prepared = drafts.map((one) => {
    if ('errors' in one) return one;
    const { businessId } = one.content;
    return businesses.has(businessId)
      ? complete(one, labels, modelsIn(models, businessId))
      : { errors: [noBusiness(businessId)] };
  });
  const ready = prepared.filter((one) => 'row' in one);
  const ids = ready.length > 0 ? await drawLocationIds(transaction, ready.length) : [];
  for (const [index, { row }] of ready.entries()) row.id = ids[index] as number;
  return prepared;
}

/** Of inputs with the same identifier only the first can be. */
function draftsOf(inputs: readonly unknown[]): (Draft | Refused)[] {
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

function complete(draft: Draft, labels: KnownLabels, models: readonly ServiceItem[]): PreparedLocation | Refused {
  const labelled = labels.idsOf(draft.labels ?? [], []);
  const services = nextServices([], models, draft.services ?? [], false);
  if ('errors' in labelled || 'errors' in services) {
    return { errors: [labelled, services].flatMap((part) => ('errors' in part ? part.errors : [])) };
  }
  const servicesCount = services.value.length;
  const content = { ...draft.content, labelIds: labelled.ids };
  const row = { id: 0, ...content, servicesCount, ...standingOf({ ...content, servicesCount }) };
  return { row, services: services.value };
}
