import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '../../database/transaction.ts';
import type { FieldError } from '../../problems.ts';
import type { Actor } from '../accounts/index.ts';
import { cleanse } from './cleansing.ts';
import { deriveFields } from './derived-fields.ts';
import type { Checked } from './hours.ts';
import type { LocationContent, LocationPatch } from './location.ts';
import type { LocationRow } from './location-columns.ts';
import { columnFieldNames } from './location-fields.ts';
import { changedContent, changedFields, type Draft, emptyContent, newContent, sameAddress } from './location-rules.ts';
import { type LockedLocation, usedIdentifiers } from './location-store.ts';
import type { ServiceItem } from './profile-values.ts';
import {
  businessNotFound,
  identifierNotUnique,
  knownBusinesses,
  knownLabels,
  type LabelLookup,
  servicesOfOtherLocations,
} from './references.ts';
import { type NextService, nextServices, servicesOf } from './service-item.ts';

/** The stored fields that a change depends on. */
type Stored = LocationContent & Pick<LocationRow, 'id' | 'servicesCount' | 'cleansingStatus'>;

export interface PreparedChange<Before = LockedLocation> {
  before: Before;
  row: LocationRow;
  /** Changed fields; without any, nothing is written. */
  fields: string[];
  /** The new services, when they differ. */
  services?: readonly NextService[];
}

type Rejected = { errors: FieldError[]; before?: LockedLocation };

interface Drafted<Before extends Stored = Stored> {
  before: Before;
  draft: Draft;
}

/** Validates the changes and builds their rows. Results are in the order of `wanted`. */
export function prepareChanges(
  transaction: Transaction,
  actor: Actor,
  wanted: readonly { before: LockedLocation; patch: LocationPatch }[],
): Promise<(PreparedChange | Rejected)[]> {
  const drafts = wanted.map(({ before, patch }) => {
    if (before.status === 'DELETED') return { errors: [deletedError], before };
    const checked = changedContent(contentOf(before), patch);
    return 'errors' in checked ? checked : { before, draft: checked.value };
  });
  return complete(transaction, actor, drafts);
}

/** The state before the creation. Its id is not used by any location. */
const emptyLocation: Stored = { ...emptyContent, id: 0, servicesCount: 0, cleansingStatus: 'NOT_CLEANSED' };

/** Validates new locations and builds their rows, without ids. Results are in the order of `inputs`. */
export function prepareCreation(transaction: Transaction, actor: Actor, inputs: readonly unknown[]) {
  const drafts = inputs.map((input) => {
    const checked = newContent(input);
    return 'errors' in checked ? checked : { before: emptyLocation, draft: checked.value };
  });
  return complete(transaction, actor, drafts);
}

/** Resolves the references of the valid drafts. */
async function complete<Before extends Stored>(
  transaction: Transaction,
  actor: Actor,
  drafts: readonly (Drafted<Before> | Rejected)[],
): Promise<(PreparedChange<Before> | Rejected)[]> {
  const valid = drafts.filter((one) => 'draft' in one);
  const known = await lookUp(transaction, actor, valid);
  const given = new Set<string>();
  return drafts.map((one) => {
    const prepared = 'draft' in one ? prepare(one, known) : one;
    const identifier = 'row' in prepared && prepared.fields.includes('identifier') ? prepared.row.identifier : null;
    if (identifier === null) return prepared;
    // Only the first of several changes with the same identifier is accepted.
    if (given.has(identifier)) return { errors: [identifierNotUnique(identifier)] };
    given.add(identifier);
    return prepared;
  });
}

interface Known {
  businesses: ReadonlySet<number>;
  identifiers: ReadonlySet<string>;
  labels: LabelLookup;
  services: ReadonlyMap<number, readonly ServiceItem[]>;
  /** Of the changes with services. */
  nextServices: ReadonlyMap<Drafted, Checked<NextService[]>>;
}

/** Queries only what the changes refer to. */
async function lookUp(transaction: Transaction, actor: Actor, drafts: readonly Drafted[]): Promise<Known> {
  const renamed = drafts.filter(changesIdentifier);
  const businesses = await knownBusinesses(
    transaction,
    actor,
    drafts.filter(changesBusiness).map(({ draft }) => draft.content.businessId),
  );
  const identifiers: ReadonlySet<string> =
    renamed.length === 0
      ? new Set()
      : await usedIdentifiers(
          transaction,
          actor.partner.id,
          renamed.map(({ draft }) => draft.content.identifier as string),
        );
  const known = { businesses, identifiers, ...(await lookUpServices(transaction, actor, drafts)) };
  const lists = drafts.flatMap((one) => {
    const { labels: references } = one.draft;
    const rejected = otherErrors(one, known).length > 0;
    return references ? [{ references, before: one.before.labelIds, rejected }] : [];
  });
  return { ...known, labels: await knownLabels(transaction, actor, lists) };
}

async function lookUpServices(transaction: Transaction, actor: Actor, drafts: readonly Drafted[]) {
  const served = drafts.filter(({ draft }) => draft.services !== undefined);
  if (served.length === 0) return { services: new Map(), nextServices: new Map() };
  const ids = served.map(({ before }) => before.id);
  const services = await servicesOf(transaction, ids);
  const wanted = served.map(({ draft }) => draft.services);
  const others = await servicesOfOtherLocations(transaction, actor, wanted);
  const next = ({ before, draft }: Drafted) => {
    // Services can be copied only within a business.
    const copied = others.filter(({ businessId }) => businessId === draft.content.businessId);
    return nextServices(
      services.get(before.id) ?? [],
      copied.map(({ service }) => service),
      draft.services ?? [],
      actor.findsServicesByName ?? false,
    );
  };
  return { services, nextServices: new Map(served.map((one) => [one, next(one)])) };
}

const changesBusiness = ({ before, draft }: Drafted) => before.businessId !== draft.content.businessId;

/** Whether the new identifier must be looked up; the insert of a new location detects one in use. */
const changesIdentifier = ({ before, draft }: Drafted) =>
  before.id !== emptyLocation.id && draft.content.identifier !== null && draft.content.identifier !== before.identifier;

/** Errors of the new business, the new identifier and the services. */
function otherErrors(one: Drafted, known: Omit<Known, 'labels'>): FieldError[] {
  const { businessId, identifier } = one.draft.content;
  const services = known.nextServices.get(one);
  const isUsed = identifier !== null && changesIdentifier(one) && known.identifiers.has(identifier);
  return [
    ...(changesBusiness(one) && !known.businesses.has(businessId) ? [businessNotFound(businessId)] : []),
    ...(isUsed ? [identifierNotUnique(identifier)] : []),
    ...(services && 'errors' in services ? services.errors : []),
  ];
}

function prepare<Before extends Stored>(drafted: Drafted<Before>, known: Known): PreparedChange<Before> | Rejected {
  const { before, draft } = drafted;
  const { content } = draft;
  const errors = otherErrors(drafted, known);
  const labelled = draft.labels ? known.labels.idsOf(draft.labels, before.labelIds) : { ids: before.labelIds };
  if ('errors' in labelled) return { errors: [...errors, ...labelled.errors] };
  if (errors.length > 0) return { errors };

  const current = known.services.get(before.id) ?? [];
  const served = known.nextServices.get(drafted);
  const services = served && 'value' in served && !isDeepStrictEqual(current, served.value) ? served.value : undefined;
  const after = { ...keepCleansedAddress(before, content), labelIds: labelled.ids };
  const servicesCount = services?.length ?? before.servicesCount;
  const derived = deriveFields(
    { ...after, servicesCount },
    { cleansingStatus: before.cleansingStatus, sameAddress: sameAddress(before, after) },
  );
  return {
    before,
    row: { id: before.id, ...after, servicesCount, ...derived },
    fields: [...changedFields(before, after), ...(services ? ['services'] : [])],
    ...(services && { services }),
  };
}

/** Input that cleansing turns into the stored address is not a change. */
function keepCleansedAddress(before: Stored, content: LocationContent): LocationContent {
  if (before.cleansingStatus !== 'CLEANSED' || sameAddress(before, content)) return content;
  const cleansed = { ...content, ...cleanse(content).changes };
  return sameAddress(before, cleansed) ? cleansed : content;
}

const contentFields = [...columnFieldNames, 'labelIds', 'profile'] as const;

/** Picks the fields that clients write. */
const contentOf = (location: LockedLocation): LocationContent =>
  Object.fromEntries(contentFields.map((field) => [field, location[field]])) as unknown as LocationContent;

const deletedError: FieldError = {
  field: 'status',
  rule: 'deleted',
  message: 'The location is deleted and cannot be changed.',
};
