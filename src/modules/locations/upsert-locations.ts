import type { Transaction } from '../../database/transaction.ts';
import type { FieldError } from '../../problems.ts';
import { countryCode } from '../../values/countries.ts';
import type { Actor } from '../accounts/index.ts';
import { isVisible, writeChanges } from './change-location.ts';
import { cleanse } from './cleansing.ts';
import { createLocations } from './create-location.ts';
import { oneLine } from './field-checks.ts';
import type { LocationPatch, LocationSource } from './location.ts';
import { fieldAccessError } from './location-fields.ts';
import { type LockedLocation, lockByIdentifier, lockByStreet } from './location-store.ts';
import { identifierNotUnique } from './references.ts';

export type Upserted = { id: number; outcome: 'created' | 'updated' | 'unchanged' } | { errors: FieldError[] };

/**
 * Creates or updates locations, matched by identifier, or without one by business, name and address. Several inputs
 * for one location are applied in order. Inputs in `withDefault` have a default business, which is not a change.
 */
export async function upsertLocations(
  transaction: Transaction,
  actor: Actor,
  source: LocationSource,
  inputs: readonly LocationPatch[],
  withDefault: ReadonlySet<LocationPatch> = new Set(),
): Promise<Upserted[]> {
  const results: Upserted[] = inputs.map(() => ({ errors: [] }));
  let waiting = queued(inputs);
  while (waiting.length > 0) {
    const round = firstOfLocations(await findExisting(transaction, actor, firstOfKeys(waiting)));
    const done = await upsertEach(transaction, actor, source, round, withDefault);
    for (const [index, { position }] of round.entries()) results[position] = done[index] as Upserted;
    const positions = new Set(round.map(({ position }) => position));
    waiting = waiting.filter(({ position }) => !positions.has(position));
  }
  return results;
}

type Key = string | number;

interface Queued {
  input: LocationPatch;
  position: number;
  /** The location is looked up by this key: the identifier, or without one the address. */
  key: Key;
  address: Key;
}

type Matched = Queued & { found: LockedLocation | undefined };

function queued(inputs: readonly LocationPatch[]): Queued[] {
  const usesAddresses = inputs.some(({ identifier }) => !identifier);
  return inputs.map((input, position) => {
    // An incomplete address has the position as its key, so that it matches no other input.
    const address = (usesAddresses ? addressKey(input) : undefined) ?? position;
    return { input, position, address, key: input.identifier ? identifierKey(oneLine(input.identifier)) : address };
  });
}

/**
 * The first inputs of each key. An input without an identifier waits for earlier ones with its address, which may create
 * its location, and later ones with that address wait with it.
 */
function firstOfKeys(waiting: readonly Queued[]): Queued[] {
  const seen = new Set<Key>();
  const deferred = new Set<Key>();
  return waiting.filter(({ key, address }) => {
    const isFirst = !seen.has(key) && !deferred.has(address);
    if (!isFirst) deferred.add(key);
    seen.add(key).add(address);
    return isFirst;
  });
}

/** The first inputs of each location: an identifier and an address can match the same one. */
function firstOfLocations(round: readonly Matched[]): Matched[] {
  const ids = new Set<number>();
  return round.filter(({ found }) => !found || ids.size < ids.add(found.id).size);
}

type Planned = { before: LockedLocation; patch: LocationPatch } | { input: LocationPatch } | { errors: FieldError[] };

/** Each input must be for another location. */
async function upsertEach(
  transaction: Transaction,
  actor: Actor,
  source: LocationSource,
  inputs: readonly Matched[],
  withDefault: ReadonlySet<LocationPatch>,
): Promise<Upserted[]> {
  const planned = inputs.map(({ input, found }): Planned => {
    // Without an identifier, a location outside the user's reach is not reported: the input is a new location.
    const before = found && (input.identifier || isVisible(actor, found)) ? found : undefined;
    const { businessId: _, ...fields } = input;
    const patch = before ? withoutKeys(input, before) : fields;
    // A location outside the user's reach cannot be changed, and its identifier stays in use.
    if (before && !isVisible(actor, before)) return { errors: [identifierNotUnique(input.identifier ?? '')] };
    if (before && withDefault.has(input) && input.businessId !== before.businessId) {
      return { errors: [otherBusiness(before)] };
    }
    const forbidden = fieldAccessError(actor.user, Object.keys(patch));
    if (forbidden !== undefined) return { errors: [{ field: 'row', rule: 'access', message: forbidden }] };
    return before ? { before, patch } : { input };
  });
  const changes = planned.filter((one) => 'before' in one);
  const fresh = planned.flatMap((one) => ('input' in one ? [one.input] : []));
  // Results are in the order of the planned rows.
  const changed = (await writeChanges(transaction, actor, changes)).values();
  const created = (await createLocations(transaction, actor, source, fresh)).values();
  return planned.map((one): Upserted => {
    if ('errors' in one) return one;
    const result = 'before' in one ? changed.next().value : created.next().value;
    if (!result) throw new Error('Nothing was written.');
    if ('errors' in result) return { errors: result.errors };
    if ('id' in result) return { id: result.id, outcome: 'created' };
    return { id: result.location.id, outcome: result.changedFields.length > 0 ? 'updated' : 'unchanged' };
  });
}

const otherBusiness = ({ identifier, businessId }: LockedLocation): FieldError => ({
  field: 'businessId',
  rule: 'move',
  message: `The location with the identifier "${identifier}" belongs to business ${businessId}. To move it, set its new business in the column businessId.`,
});

/** Without the business and the identifier by which the location was found: they are not changes. */
function withoutKeys(input: LocationPatch, before: LockedLocation): LocationPatch {
  const { businessId, identifier, ...fields } = input;
  const isSame = identifier && oneLine(identifier) === before.identifier;
  return {
    ...fields,
    ...(businessId !== undefined && businessId !== before.businessId && { businessId }),
    ...(identifier !== undefined && !isSame && { identifier }),
  };
}

async function findExisting(transaction: Transaction, actor: Actor, round: readonly Queued[]): Promise<Matched[]> {
  const identifiers = round.flatMap(({ input: { identifier } }) => (identifier ? [oneLine(identifier)] : []));
  const streets = round.flatMap(({ input }) => (input.identifier ? [] : streetsOf(input)));
  const { id: partnerId } = actor.partner;
  const identified = identifiers.length > 0 ? await lockByIdentifier(transaction, partnerId, identifiers) : [];
  const nearby =
    streets.length > 0
      ? await lockByStreet(
          transaction,
          partnerId,
          streets.map(({ businessId }) => businessId),
          streets.map(({ street }) => street.toLowerCase()),
        )
      : [];
  const byKey = new Map<Key, LockedLocation>();
  for (const location of identified) byKey.set(identifierKey(location.identifier), location);
  for (const location of nearby) {
    const key = addressKey(location);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, location);
  }
  return round.map((one) => ({ ...one, found: byKey.get(one.key) }));
}

const identifierKey = (identifier: string | null) => `identifier ${identifier}`;

/** The street as given and after cleansing, because either may be stored. */
function streetsOf(input: LocationPatch): { businessId: number; street: string }[] {
  const address = addressOf(input);
  if (!address || typeof input.businessId !== 'number') return [];
  const { businessId } = input;
  const streets = new Set([address.street, cleanse(address).changes.street ?? address.street]);
  return [...streets].map((street) => ({ businessId, street }));
}

/** Key of business, name and cleansed address. */
function addressKey(location: LocationPatch | LockedLocation): string | undefined {
  const address = addressOf(location);
  const { businessId, name } = location;
  if (!address || !businessId || typeof name !== 'string') return undefined;
  const { street, streetNo, city } = { ...address, ...cleanse(address).changes };
  const parts = [businessId, oneLine(name), street, streetNo ?? '', address.zip ?? '', city, address.country];
  return `address ${parts.join('\n').toLowerCase()}`;
}

function addressOf({ street, streetNo, zip, city, country }: LocationPatch | LockedLocation) {
  if (typeof street !== 'string' || typeof city !== 'string' || typeof country !== 'string') return undefined;
  return {
    street: oneLine(street),
    streetNo: streetNo ? oneLine(streetNo) : null,
    zip: zip ? oneLine(zip).toUpperCase() : null,
    city: oneLine(city),
    province: null,
    country: countryCode(country) ?? country,
    lat: null,
    lng: null,
  };
}
