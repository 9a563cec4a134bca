import type { Transaction } from '../../database/transaction.ts';
import { recordEvents } from '../../events/outbox/record-event.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import type { FieldError } from '../../problems.ts';
import type { Actor } from '../accounts/index.ts';
import { cleanseJob } from './change-location.ts';
import { cleanse } from './cleansing.ts';
import { deriveFields } from './derived-fields.ts';
import type { Checked } from './hours.ts';
import type { Location, LocationInput, LocationSource } from './location.ts';
import type { LocationRow } from './location-columns.ts';
import { requireFieldAccess } from './location-fields.ts';
import { type Draft, newContent } from './location-rules.ts';
import { insertLocations, reserveLocationIds } from './location-store.ts';
import {
  businessNotFound,
  identifierNotUnique,
  type KnownLabels,
  knownBusinesses,
  knownLabels,
  problemOf,
  servicesOfOtherLocations,
  templatesIn,
} from './references.ts';
import { type NextService, nextServices, replaceServices, servicesOf } from './service-item.ts';

type Created = { id: number } | { errors: FieldError[] };

/** Creates a location and records its event. Throws a Problem for invalid input. */
export async function createLocation(
  transaction: Transaction,
  actor: Actor,
  source: LocationSource,
  input: LocationInput,
): Promise<Location> {
  const { businessId: _, ...fields } = input;
  requireFieldAccess(actor.user, Object.keys(fields));
  const [written] = await writeLocations(transaction, actor, source, [input]);
  if (!written) throw new Error('Nothing was written.');
  if ('errors' in written) throw problemOf(written.errors);
  const { row, dateCreated } = written;
  await Promise.all([
    recordAudit(transaction, actor, 'CREATED', 'LOCATION', row.id, {
      name: row.name,
      businessId: row.businessId,
      source,
    }),
    row.cleansingStatus === 'PENDING' &&
      cleanseJob.enqueue(transaction, { locationId: row.id, partnerId: actor.partner.id }),
  ]);
  const services = row.servicesCount > 0 ? (await servicesOf(transaction, [row.id])).get(row.id) : undefined;
  return {
    ...row,
    services: services ?? [],
    partnerId: actor.partner.id,
    status: 'CREATED',
    source,
    visibilityIndex: null,
    listingsCount: 0,
    listingsInSync: 0,
    dataPointsCount: 0,
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

/** Creates the valid locations with their events, and returns the errors of the others. Cleanses addresses inline. */
export async function createLocations(
  transaction: Transaction,
  actor: Actor,
  source: LocationSource,
  inputs: readonly unknown[],
): Promise<Created[]> {
  const written = await writeLocations(transaction, actor, source, inputs, cleansed);
  return written.map((one) => ('errors' in one ? one : { id: one.row.id }));
}

type Written = { row: LocationRow; dateCreated: Date } | { errors: FieldError[] };

async function writeLocations(
  transaction: Transaction,
  actor: Actor,
  source: LocationSource,
  inputs: readonly unknown[],
  finish: (row: LocationRow) => LocationRow = (row) => row,
): Promise<Written[]> {
  const prepared = (await prepareCreation(transaction, actor, inputs)).map((one) =>
    'row' in one ? { ...one, row: finish(one.row) } : one,
  );
  const ready = prepared.filter((one): one is PreparedLocation => 'row' in one);
  if (ready.length === 0) return prepared.filter((one) => 'errors' in one);
  const rows = ready.map(({ row }) => row);
  const created = await insertLocations(transaction, actor.partner.id, source, rows);
  const results = prepared.map((one): Written => {
    if ('errors' in one) return one;
    const dateCreated = created.get(one.row.id);
    return dateCreated ? { row: one.row, dateCreated } : { errors: [identifierNotUnique(one.row.identifier ?? '')] };
  });
  const written = ready.filter(({ row }) => created.has(row.id));
  if (written.length === 0) return results;
  const lists = written
    .filter(({ services }) => services.length > 0)
    .map(({ row, services }) => ({ locationId: row.id, services }));
  const events = written.map(({ row }) => ({
    partner: actor.partner,
    type: 'LOCATION_CREATED' as const,
    fields: { comment: describe(row), location: row.id, source },
  }));
  await Promise.all([
    lists.length > 0 && replaceServices(transaction, actor.partner.id, lists),
    recordEvents(transaction, events),
  ]);
  return results;
}

function cleansed(row: LocationRow): LocationRow {
  if (row.cleansingStatus !== 'PENDING') return row;
  const { changes, status } = cleanse(row);
  return { ...row, ...changes, cleansingStatus: status };
}

/** "Bäckerei Lindner, Venloer Straße 310, 50823 Köln" */
const describe = ({ name, street, streetNo, zip, city }: LocationRow): string =>
  [name, [street, streetNo].filter(Boolean).join(' '), [zip, city].filter(Boolean).join(' ')].join(', ');

interface PreparedLocation {
  row: LocationRow;
  services: readonly NextService[];
}

type Rejected = { errors: FieldError[] };

/** Validates the inputs, resolves their references and builds their rows. */
async function prepareCreation(
  transaction: Transaction,
  actor: Actor,
  inputs: readonly unknown[],
): Promise<(PreparedLocation | Rejected)[]> {
  const drafts = draftsOf(inputs);
  const valid = drafts.filter((one): one is Draft => 'content' in one);
  const businessIds = valid.map(({ content }) => content.businessId);
  const businesses = await knownBusinesses(transaction, actor, businessIds);
  const accepted = valid.filter(({ content }) => businesses.has(content.businessId));
  const serviceLists = accepted.map((draft) => draft.services);
  const others = await servicesOfOtherLocations(transaction, actor, serviceLists);
  const services = new Map(
    accepted.map((draft) => {
      const templates = templatesIn(others, draft.content.businessId);
      return [draft, nextServices([], templates, draft.services ?? [], false)];
    }),
  );
  const labelLists = [...services].map(([draft, next]) => ({
    references: draft.labels ?? [],
    before: [],
    rejected: 'errors' in next,
  }));
  const labels = await knownLabels(transaction, actor, labelLists);
  const prepared = drafts.map((one) => {
    if ('errors' in one) return one;
    const next = services.get(one);
    return next ? complete(one, labels, next) : { errors: [businessNotFound(one.content.businessId)] };
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

function complete(draft: Draft, labels: KnownLabels, services: Checked<NextService[]>): PreparedLocation | Rejected {
  const labelled = labels.idsOf(draft.labels ?? [], []);
  if ('errors' in labelled || 'errors' in services) {
    return { errors: [labelled, services].flatMap((part) => ('errors' in part ? part.errors : [])) };
  }
  const servicesCount = services.value.length;
  const content = { ...draft.content, labelIds: labelled.ids };
  const row = { id: 0, ...content, servicesCount, ...deriveFields({ ...content, servicesCount }) };
  return { row, services: services.value };
}
