import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from '../../database/transaction.ts';
import type { FieldError } from '../../problems.ts';
import type { Actor } from '../accounts/index.ts';
import { cleanse } from './cleansing.ts';
import { deriveFields } from './derived-fields.ts';
import type { LocationContent, LocationPatch } from './location.ts';
import type { LocationRow } from './location-columns.ts';
import { columnFieldNames } from './location-fields.ts';
import { changedContent, changedFields, type Draft, sameAddress } from './location-rules.ts';
import { type LockedLocation, usedIdentifiers } from './location-store.ts';
import type { ServiceItem } from './profile-values.ts';
import {
  businessNotFound,
  identifierNotUnique,
  type KnownLabels,
  knownBusinesses,
  knownLabels,
  type ServiceOfBusiness,
  servicesOfOtherLocations,
  templatesIn,
} from './references.ts';
import { type NextService, nextServices, servicesOf } from './service-item.ts';

export interface PreparedChange {
  before: LockedLocation;
  row: LocationRow;
  /** Changed fields; without any, nothing is written. */
  fields: string[];
  /** The new services, when they differ. */
  services?: readonly NextService[];
}

type Rejected = { errors: FieldError[]; before?: LockedLocation };

interface Drafted {
  before: LockedLocation;
  draft: Draft;
}

/** Validates the changes and builds their rows. Results are in the order of `wanted`. */
export async function prepareChanges(
  transaction: Transaction,
  actor: Actor,
  wanted: readonly { before: LockedLocation; patch: LocationPatch }[],
): Promise<(PreparedChange | Rejected)[]> {
  const drafts = wanted.map(({ before, patch }): Drafted | Rejected => {
    if (before.status === 'DELETED') return { errors: [deletedError], before };
    const checked = changedContent(contentOf(before), patch);
    return 'errors' in checked ? checked : { before, draft: checked.value };
  });
  const valid = drafts.filter((one): one is Drafted => 'draft' in one);
  const known = await lookUp(transaction, actor, valid);
  const given = new Set<string>();
  return drafts.map((one) => {
    const prepared = 'draft' in one ? complete(one, known) : one;
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
  labels: KnownLabels;
  services: ReadonlyMap<number, readonly ServiceItem[]>;
  templates: readonly ServiceOfBusiness[];
  byName: boolean;
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
  // Rejected changes must not create labels.
  const accepted = drafts.filter((one) => referenceErrors(one, { businesses, identifiers }).length === 0);
  const labelled = accepted.filter(({ draft }) => draft.labels !== undefined);
  const served = drafts.filter(({ draft }) => draft.services !== undefined);
  return {
    businesses,
    identifiers,
    labels: await knownLabels(
      transaction,
      actor,
      labelled.map(({ draft }) => draft.labels),
      labelled.flatMap(({ before }) => before.labelIds),
    ),
    services:
      served.length === 0
        ? new Map()
        : await servicesOf(
            transaction,
            served.map(({ before }) => before.id),
          ),
    templates: await servicesOfOtherLocations(
      transaction,
      actor,
      served.map(({ draft }) => draft.services),
    ),
    byName: actor.findsServicesByName ?? false,
  };
}

const changesBusiness = ({ before, draft }: Drafted) => before.businessId !== draft.content.businessId;

const changesIdentifier = ({ before, draft }: Drafted) =>
  draft.content.identifier !== null && draft.content.identifier !== before.identifier;

/** Errors of the new business and the new identifier. */
function referenceErrors(one: Drafted, known: Pick<Known, 'businesses' | 'identifiers'>): FieldError[] {
  const { businessId, identifier } = one.draft.content;
  const isUsed = identifier !== null && changesIdentifier(one) && known.identifiers.has(identifier);
  return [
    ...(changesBusiness(one) && !known.businesses.has(businessId) ? [businessNotFound(businessId)] : []),
    ...(isUsed ? [identifierNotUnique(identifier)] : []),
  ];
}

function complete(drafted: Drafted, known: Known): PreparedChange | Rejected {
  const { before, draft } = drafted;
  const { content } = draft;
  const errors = referenceErrors(drafted, known);
  const labels = errors.length === 0 ? draft.labels : undefined;
  const labelled = labels ? known.labels.idsOf(labels, before.labelIds) : { ids: before.labelIds };
  if ('errors' in labelled) errors.push(...labelled.errors);
  const current = known.services.get(before.id) ?? [];
  const served =
    draft.services &&
    nextServices(current, templatesIn(known.templates, content.businessId), draft.services, known.byName);
  if (served && 'errors' in served) errors.push(...served.errors);
  if (errors.length > 0 || 'errors' in labelled) return { errors };

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
function keepCleansedAddress(before: LockedLocation, content: LocationContent): LocationContent {
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
