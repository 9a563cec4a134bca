import type { Transaction } from '../../database/transaction.ts';
import { recordEvents } from '../../events/outbox/record-event.ts';
import { recordAudit } from '../../http/audit-trail.ts';
import type { FieldError } from '../../problems.ts';
import type { Actor } from '../accounts/index.ts';
import { cleanseJob } from './change-location.ts';
import { cleanse } from './cleansing.ts';
import type { LocationInput, LocationSource } from './location.ts';
import type { LocationRow } from './location-columns.ts';
import { requireFieldAccess } from './location-fields.ts';
import { insertLocations, reserveLocationIds } from './location-store.ts';
import { prepareCreation } from './prepare-changes.ts';
import { identifierNotUnique, problemOf } from './references.ts';
import { replaceServices } from './service-item.ts';

type Rejected = { errors: FieldError[] };

/** Creates a location and records its event. Throws a Problem for invalid input. */
export async function createLocation(
  transaction: Transaction,
  actor: Actor,
  source: LocationSource,
  input: LocationInput,
): Promise<LocationRow> {
  const { businessId: _, ...fields } = input;
  requireFieldAccess(actor.user, Object.keys(fields));
  const [created] = await writeLocations(transaction, actor, source, [input]);
  if (!created) throw new Error('Nothing was written.');
  if ('errors' in created) throw problemOf(created.errors);
  const { id: locationId, name, businessId, cleansingStatus } = created;
  await Promise.all([
    recordAudit(transaction, actor, 'CREATED', 'LOCATION', locationId, { name, businessId, source }),
    cleansingStatus === 'PENDING' && cleanseJob.enqueue(transaction, { locationId, partnerId: actor.partner.id }),
  ]);
  return created;
}

/** Creates the valid locations with their events, and returns the errors of the others. Cleanses addresses inline. */
export const createLocations = (
  transaction: Transaction,
  actor: Actor,
  source: LocationSource,
  inputs: readonly unknown[],
): Promise<({ id: number } | Rejected)[]> => writeLocations(transaction, actor, source, inputs, cleansed);

async function writeLocations(
  transaction: Transaction,
  actor: Actor,
  source: LocationSource,
  inputs: readonly unknown[],
  finish: (row: LocationRow) => LocationRow = (row) => row,
): Promise<(LocationRow | Rejected)[]> {
  const prepared = await prepareCreation(transaction, actor, inputs);
  const ready = prepared.filter((one) => 'row' in one);
  if (ready.length === 0) return prepared.filter((one) => 'errors' in one);
  const ids = await reserveLocationIds(transaction, ready.length);
  for (const [index, one] of ready.entries()) one.row = finish({ ...one.row, id: ids[index]?.id as number });
  const rows = ready.map(({ row }) => row);
  const inserted = await insertLocations(transaction, actor.partner.id, source, rows);
  const written = ready.filter(({ row }) => inserted.has(row.id));
  const lists = written.flatMap(({ row, services }) => (services ? [{ locationId: row.id, services }] : []));
  const events = written.map(({ row }) => ({
    partner: actor.partner,
    type: 'LOCATION_CREATED' as const,
    fields: { comment: describe(row), location: row.id, source },
  }));
  await Promise.all([
    lists.length > 0 && replaceServices(transaction, actor.partner.id, lists),
    recordEvents(transaction, events),
  ]);
  return prepared.map((one) => {
    if ('errors' in one) return one;
    const { row } = one;
    return inserted.has(row.id) ? row : { errors: [identifierNotUnique(row.identifier ?? '')] };
  });
}

function cleansed(row: LocationRow): LocationRow {
  if (row.cleansingStatus !== 'PENDING') return row;
  const { changes, status } = cleanse(row);
  return { ...row, ...changes, cleansingStatus: status };
}

/** "Bäckerei Lindner, Venloer Straße 310, 50823 Köln" */
const describe = ({ name, street, streetNo, zip, city }: LocationRow): string =>
  [name, [street, streetNo].filter(Boolean).join(' '), [zip, city].filter(Boolean).join(' ')].join(', ');
