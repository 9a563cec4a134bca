import type { Transaction } from '../../database/transaction.ts';
import type { FieldError } from '../../problems.ts';
import type { Actor } from '../accounts/index.ts';
import { cleanse } from './cleansing.ts';
import { identifierNotUnique } from './identifier-not-unique.ts';
import type { LocationContent, LocationPatch } from './location.ts';
import type { LocationRow } from './location-columns.ts';
import { addressStays, changedContent, changedFields, type Draft } from './location-rules.ts';
import { type LockedLocation, takenIdentifiers } from './location-store.ts';
import type { ServiceItem } from './profile-values.ts';
import {
  elsewhereServices,
  type KnownLabels,
  knownBusinesses,
  knownLabels,
  modelsIn,
  noBusiness,
  type ServiceOfBusiness,
} from './references.ts';
import { type NextService, nextServices, servicesDiffer } from './service-item.ts';
import { servicesOf } from './service-item-store.ts';
import { standingOf } from './standing.ts';

export interface PreparedChange {
  before: LockedLocation;
  /** As it is to be written. */
  row: LocationRow;
  /** Names of the fields that differ; nothing is written when there are none. */
  fields: string[];
  /** What takes the place of its services, when they differ. */
  services?: readonly NextService[];
}

type Refused = { errors: FieldError[]; before?: LockedLocation };

interface Drafted {
  before: LockedLocation;
  draft: Draft;
}

/** What each of the changes comes to, in the order of the changes. */
export async function prepareChanges(
  transaction: Transaction,
  actor: Actor,
  wanted: readonly { before: LockedLocation; patch: LocationPatch }[],
): Promise<(PreparedChange | Refused)[]> {
  const drafts = wanted.map(({ before, patch }): Drafted | Refused => {
    if (before.status === 'DELETED') return { errors: [deleted], before };
    const checked = changedContent(contentOf(before), patch);
    return 'errors' in checked ? checked : { before, draft: checked.value };
  });
  const sound = drafts.filter((one): one is Drafted => 'draft' in one);
  const known = await lookUp(transaction, actor, sound);
  const given = new Set<string>();
  return drafts.map((one) => {
    const prepared = 'draft' in one ? complete(one, known) : one;
    const identifier = 'row' in prepared && prepared.fields.includes('identifier') ? prepared.row.identifier : null;
    if (identifier === null) return prepared;
    // Of changes that give the same identifier only the first can be.
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
  models: readonly ServiceOfBusiness[];
  byName: boolean;
}

/** Only what the changes are about is asked for. */
async function lookUp(transaction: Transaction, actor: Actor, drafts: readonly Drafted[]): Promise<Known> {
  const renamed = drafts.filter(({ before, draft }) => namesAnother(before.identifier, draft.content.identifier));
  const labelled = drafts.filter(({ draft }) => draft.labels !== undefined);
  const served = drafts.filter(({ draft }) => draft.services !== undefined);
  return {
    businesses: await knownBusinesses(
      transaction,
      actor,
      drafts.filter(movesBusiness).map(({ draft }) => draft.content.businessId),
    ),
    identifiers:
      renamed.length === 0
        ? new Set()
        : await takenIdentifiers(
            transaction,
            actor.partner.id,
            renamed.map(({ draft }) => draft.content.identifier as string),
            [],
          ),
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
    models: await elsewhereServices(
      transaction,
      actor,
      served.map(({ draft }) => draft.services),
    ),
    byName: actor.findsServicesByName ?? false,
  };
}

const movesBusiness = ({ before, draft }: Drafted) => before.businessId !== draft.content.businessId;

const namesAnother = (before: string | null, after: string | null) => after !== null && after !== before;

function complete({ before, draft }: Drafted, known: Known): PreparedChange | Refused {
  const { content } = draft;
  const errors: FieldError[] = [];
  if (before.businessId !== content.businessId && !known.businesses.has(content.businessId)) {
    errors.push(noBusiness(content.businessId));
  }
  if (namesAnother(before.identifier, content.identifier) && known.identifiers.has(content.identifier as string)) {
    errors.push(identifierNotUnique(content.identifier as string));
  }
  const labelled = draft.labels ? known.labels.idsOf(draft.labels, before.labelIds) : { ids: before.labelIds };
  if ('errors' in labelled) errors.push(...labelled.errors);
  const current = known.services.get(before.id) ?? [];
  const served =
    draft.services && nextServices(current, modelsIn(known.models, content.businessId), draft.services, known.byName);
  if (served && 'errors' in served) errors.push(...served.errors);
  if (errors.length > 0 || 'errors' in labelled) return { errors };

  const services = served && 'value' in served && servicesDiffer(current, served.value) ? served.value : undefined;
  const after = { ...unlessTheSame(before, content), labelIds: labelled.ids };
  const servicesCount = services?.length ?? before.servicesCount;
  const standing = standingOf(
    { ...after, servicesCount },
    { cleansingStatus: before.cleansingStatus, addressStays: addressStays(before, after) },
  );
  return {
    before,
    row: { id: before.id, ...after, servicesCount, ...standing },
    fields: [...changedFields(before, after), ...(services ? ['services'] : [])],
    ...(services && { services }),
  };
}

/** An address that cleansing would make what it is already is no change, however often it comes in that way. */
function unlessTheSame(before: LockedLocation, content: LocationContent): LocationContent {
  if (before.cleansingStatus !== 'CLEANSED' || addressStays(before, content)) return content;
  const cleansed = { ...content, ...cleanse(content).changes };
  return addressStays(before, cleansed) ? cleansed : content;
}

/** Only what its owner sets, so that nothing else is carried over into what is written. */
function contentOf(location: LockedLocation): LocationContent {
  const { businessId, identifier, name, street, streetNo, addressExtra, zip, city, province, country } = location;
  const { lat, lng, addressDisplay, timeZone, phone, fax, cellphone, website, email } = location;
  const { autoSync, temporarilyClosed, categories, labelIds, profile } = location;
  const address = { street, streetNo, addressExtra, zip, city, province, country, lat, lng, addressDisplay, timeZone };
  const contact = { phone, fax, cellphone, website, email };
  return {
    businessId,
    identifier,
    name,
    ...address,
    ...contact,
    autoSync,
    temporarilyClosed,
    categories,
    labelIds,
    profile,
  };
}

const deleted: FieldError = {
  field: 'status',
  rule: 'deleted',
  message: 'The location is deleted and cannot be changed any more.',
};
