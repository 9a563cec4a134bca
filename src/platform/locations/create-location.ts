import { enqueueJob } from '../../database/job-queue.ts';
import type { Transaction } from '../../database/transaction.ts';
import { recordEvents } from '../../events/outbox/record-events.ts';
import { demandFields } from '../../http/access.ts';
import { type FieldError, notFound, Problem } from '../../problems.ts';
import type { Actor } from '../actor.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { cleansingTask } from './cleansing.ts';
import type { Location, LocationInput, LocationSource } from './location.ts';
import type { LocationRow } from './location-columns.ts';
import { type Draft, newContent } from './location-rules.ts';
import { drawLocationIds, insertLocations } from './location-store.ts';
import { elsewhereServices, knownBusinesses, knownLabels, noBusiness } from './references.ts';
import { type NextService, nextServices } from './service-item.ts';
import { replaceServices, servicesOf } from './service-item-store.ts';
import { standingOf } from './standing.ts';

export type Created = { id: number } | { errors: FieldError[] };

/** Creates a location and records its event; throws the problem when it cannot be. */
export async function createLocation(
  transaction: Transaction,
  actor: Actor,
  source: LocationSource,
  input: LocationInput,
): Promise<Location> {
  demandFields(
    actor.user,
    Object.keys(input).filter((field) => field !== 'businessId'),
  );
  const [written] = await writeLocations(transaction, actor, source, [input]);
  if (!written) throw new Error('Nothing was written.');
  if ('errors' in written) throw problemOf(written.errors);
  const { row, dateCreated } = written;
  await recordAudit(transaction, actor, {
    action: 'CREATED',
    subject: 'LOCATION',
    subjectId: row.id,
    details: { name: row.name, businessId: row.businessId, source },
  });
  const services = row.servicesCount > 0 ? (await servicesOf(transaction, [row.id])).get(row.id) : undefined;
  return {
    ...row,
    services: services ?? [],
    partnerId: actor.partner.id,
    status: 'CREATED',
    source,
    visibilityIndex: null,
    listings: 0,
    listingsInSync: 0,
    dataPoints: 0,
    ratingsCount: 0,
    ratingsSum: 0,
    revision: 1,
    dateCreated,
    lastUpdated: dateCreated,
    lastSyncStarted: null,
    nextCheckAt: null,
    endDate: null,
  };
}

/** Creates those that can be, with their events, and says for each of the others what is wrong with it. */
export async function createLocations(
  transaction: Transaction,
  actor: Actor,
  source: LocationSource,
  inputs: readonly unknown[],
): Promise<Created[]> {
  const written = await writeLocations(transaction, actor, source, inputs);
  return written.map((one) => ('errors' in one ? one : { id: one.row.id }));
}

/** One thing that is wrong with a location decides the problem: another's identifier or business before the rest. */
export function problemOf(errors: readonly FieldError[]): Problem {
  const taken = errors.find(({ rule }) => rule === identifierTaken);
  if (taken) return new Problem('IDENTIFIER_NOT_UNIQUE', { message: taken.message, errors });
  const missing = errors.find(({ field, rule }) => field === 'businessId' && rule === 'known');
  if (missing) return notFound(missing.message.replace(/^There is no |\.$/g, ''));
  const rules = new Set(errors.map(({ rule }) => rule));
  if (rules.has('required')) return new Problem('MISSING_PARAMETER', { errors });
  return new Problem(rules.has('type') ? 'WRONG_PARAMETER_TYPE' : 'INVALID_PARAMETER', { errors });
}

const identifierTaken = 'identifierNotUnique';

export const identifierNotUnique = (identifier: string): FieldError => ({
  field: 'identifier',
  rule: identifierTaken,
  message: `The identifier "${identifier}" is already in use. Choose another one.`,
});

type Written = { row: LocationRow; dateCreated: Date } | { errors: FieldError[] };

interface Ready {
  position: number;
  row: LocationRow;
  services: readonly NextService[];
}

async function writeLocations(
  transaction: Transaction,
  actor: Actor,
  source: LocationSource,
  inputs: readonly unknown[],
): Promise<Written[]> {
  const results: Written[] = inputs.map(() => ({ errors: [] }));
  const ready = await prepare(transaction, actor, inputs, results);
  if (ready.length === 0) return results;
  const created = await insertLocations(
    transaction,
    actor.partner.id,
    source,
    ready.map(({ row }) => row),
  );
  const written = ready.filter(({ position, row }) => {
    const dateCreated = created.get(row.id);
    results[position] = dateCreated ? { row, dateCreated } : { errors: [identifierNotUnique(row.identifier ?? '')] };
    return dateCreated !== undefined;
  });
  if (written.length === 0) return results;
  const lists = written.filter(({ services }) => services.length > 0);
  await Promise.all([
    lists.length > 0 &&
      replaceServices(
        transaction,
        actor.partner.id,
        lists.map(({ row, services }) => ({ locationId: row.id, services })),
      ),
    recordEvents(
      transaction,
      written.map(({ row }) => ({
        partner: actor.partner,
        type: 'LOCATION_CREATED' as const,
        fields: { comment: describe(row), location: row.id, source },
      })),
    ),
    enqueueCleansing(
      transaction,
      written.map(({ row }) => row),
    ),
  ]);
  return results;
}

/** Those that can be written, complete with what they refer to; for the others the results say why not. */
async function prepare(
  transaction: Transaction,
  actor: Actor,
  inputs: readonly unknown[],
  results: Written[],
): Promise<Ready[]> {
  const drafts: { position: number; draft: Draft }[] = [];
  const identifiers = new Set<string>();
  for (const [position, input] of inputs.entries()) {
    const checked = newContent(input);
    const identifier = 'value' in checked ? checked.value.content.identifier : null;
    if ('errors' in checked) results[position] = checked;
    else if (identifier !== null && identifiers.has(identifier)) {
      results[position] = { errors: [identifierNotUnique(identifier)] };
    } else {
      if (identifier !== null) identifiers.add(identifier);
      drafts.push({ position, draft: checked.value });
    }
  }
  if (drafts.length === 0) return [];
  const businesses = await knownBusinesses(
    transaction,
    actor,
    drafts.map(({ draft }) => draft.content.businessId),
  );
  const possible = drafts.filter(({ position, draft: { content } }) => {
    if (!businesses.has(content.businessId)) results[position] = { errors: [noBusiness(content.businessId)] };
    return businesses.has(content.businessId);
  });
  const labels = await knownLabels(
    transaction,
    actor,
    possible.map(({ draft }) => draft.labels),
  );
  const models = await elsewhereServices(
    transaction,
    actor,
    possible.map(({ draft }) => draft.services),
  );
  const ready = possible.flatMap(({ position, draft }): Ready[] => {
    const labelled = labels.idsOf(draft.labels ?? [], []);
    const services = nextServices([], models, draft.services ?? []);
    if ('errors' in labelled || 'errors' in services) {
      const errors = [labelled, services].flatMap((part) => ('errors' in part ? part.errors : []));
      results[position] = { errors };
      return [];
    }
    const servicesCount = services.value.length;
    const content = { ...draft.content, labelIds: labelled.ids };
    const row = { id: 0, ...content, servicesCount, ...standingOf({ ...content, servicesCount }) };
    return [{ position, row, services: services.value }];
  });
  const ids = ready.length > 0 ? await drawLocationIds(transaction, ready.length) : [];
  for (const [index, { row }] of ready.entries()) row.id = ids[index] as number;
  return ready;
}

/** One by one when they are few; many are found by a single job that looks for what is pending. */
async function enqueueCleansing(transaction: Transaction, rows: readonly LocationRow[]): Promise<void> {
  const pending = rows.filter(({ cleansingStatus }) => cleansingStatus === 'PENDING');
  if (pending.length === 0) return;
  const [only] = pending.length === 1 ? pending : [];
  await enqueueJob(transaction, cleansingTask, only ? { locationId: only.id } : {});
}

/** "Bäckerei Lindner, Venloer Straße 310, 50823 Köln" */
const describe = ({ name, street, streetNo, zip, city }: LocationRow): string =>
  [name, [street, streetNo].filter(Boolean).join(' '), [zip, city].filter(Boolean).join(' ')].join(', ');
