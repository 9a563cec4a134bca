import type { Sql } from '../../../database/connection.ts';
import { reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { Problem, unknownReference } from '../../../problems.ts';
import { managesAccount } from '../../accounts/index.ts';
import { findLabels, findLabelsByName } from '../../catalog/index.ts';
import { audienceOfLocations, readScope } from '../../locations/index.ts';

export interface Audience {
  locationIds: number[];
  businessIds: number[];
  labelIds: number[];
}

/** Who an asset is for. */
export interface Targets extends Audience {
  allManagedResources: boolean;
}

type GivenLabel = number | string | { id?: number; name?: string };

export interface GivenTargets {
  allManagedResources?: boolean;
  locationIds?: number[] | null;
  businessIds?: number[] | null;
  labels?: GivenLabel[] | null;
}

/** Whether somebody sees all of the partner's data. */
export function seesEverything(caller: Caller): boolean {
  const { businessIds, locationIds } = reachOf(caller);
  return businessIds === null || locationIds === null;
}

/** Whether a user has been given neither a business nor a location. */
export function seesNothing(caller: Caller): boolean {
  const { businessIds, locationIds } = reachOf(caller);
  return businessIds?.length === 0 && locationIds?.length === 0;
}

/**
 * What assets can be meant for so that somebody sees them: the locations within his reach, their businesses and their
 * labels. Null stands for everything.
 */
export async function audienceOf(sql: Sql, caller: Caller): Promise<Audience | null> {
  const reach = reachOf(caller);
  if (reach.businessIds === null || reach.locationIds === null) return null;
  const found = await audienceOfLocations(sql, { partnerId: caller.partnerId, reach, filter: {} });
  return { ...found, businessIds: [...new Set([...found.businessIds, ...reach.businessIds])] };
}

/** Who an asset is to be for, by what is given and by what was before. What the caller does not see does not exist. */
export async function readTargets(sql: Sql, caller: Caller, given: GivenTargets, before?: Targets): Promise<Targets> {
  const { allManagedResources, locationIds, businessIds, labels } = given;
  const isSilent = [allManagedResources, locationIds, businessIds, labels].every((value) => value === undefined);
  if (isSilent) return demandSomebody(targetsOf(before ?? usualTargets(caller)));
  const isList = [locationIds, businessIds, labels].some((list) => list && list.length > 0);
  if (allManagedResources && isList) throw contradiction();
  const isForAll = allManagedResources ?? (!isList && (before ?? usualTargets(caller)).allManagedResources);
  if (!seesEverything(caller) && (isForAll || (labels && labels.length > 0))) throw beyondReach(caller);
  await readScope(
    sql,
    caller,
    {
      ...(locationIds && locationIds.length > 0 && { locationIds }),
      ...(businessIds && businessIds.length > 0 && { businessIds }),
    },
    unknownReference,
  );
  if (isForAll) return { allManagedResources: true, locationIds: [], businessIds: [], labelIds: [] };
  const kept = before ?? nobody;
  return demandSomebody({
    allManagedResources: false,
    locationIds: unique(locationIds === undefined ? kept.locationIds : (locationIds ?? [])),
    businessIds: unique(businessIds === undefined ? kept.businessIds : (businessIds ?? [])),
    labelIds: labels === undefined ? kept.labelIds : await labelIdsOf(sql, caller, labels ?? []),
  });
}

function demandSomebody(targets: Targets): Targets {
  const { allManagedResources, locationIds, businessIds, labelIds } = targets;
  if (allManagedResources || locationIds.length + businessIds.length + labelIds.length > 0) return targets;
  throw forNobody();
}

/** Of something that has more than targets. */
const targetsOf = ({ allManagedResources, locationIds, businessIds, labelIds }: Targets): Targets => ({
  allManagedResources,
  locationIds,
  businessIds,
  labelIds,
});

const nobody: Targets = { allManagedResources: false, locationIds: [], businessIds: [], labelIds: [] };

/** For everybody; of somebody who sees a part, for that part. */
function usualTargets(caller: Caller): Targets {
  const { businessIds, locationIds } = reachOf(caller);
  if (businessIds === null || locationIds === null) return { ...nobody, allManagedResources: true };
  return { ...nobody, businessIds: [...businessIds], locationIds: [...locationIds] };
}

/** Whoever sees a part of the account changes what is for that part only. */
export function mayChange(caller: Caller, targets: Targets, audience: Audience | null): boolean {
  if (audience === null) return true;
  const { businessIds } = reachOf(caller);
  if (targets.allManagedResources || targets.labelIds.length > 0) return false;
  const locationIds = new Set(audience.locationIds);
  return (
    targets.businessIds.every((id) => businessIds?.includes(id)) &&
    targets.locationIds.every((id) => locationIds.has(id))
  );
}

async function labelIdsOf(sql: Sql, caller: Caller, given: readonly GivenLabel[]): Promise<number[]> {
  const references = given.map(referenceOf);
  const names = references.filter((one) => typeof one === 'string');
  const named = names.length > 0 ? await findLabelsByName(sql, caller.partnerId, names) : [];
  const ids = references.map((one) => {
    if (typeof one === 'number') return one;
    const label = named.find(({ name }) => name.toLowerCase() === one.toLowerCase());
    if (!label) throw unknownReference('labels', `label ${one}`);
    return label.id;
  });
  const known = await findLabels(sql, caller.partnerId, ids);
  const usable = known.filter(({ adminOnly }) => !adminOnly || managesAccount(caller));
  const missing = ids.find((id) => !usable.some((label) => label.id === id));
  if (missing !== undefined) throw unknownReference('labels', `label ${missing}`);
  return unique(ids);
}

/** Its id as a number, or its name. In a form an id is text. */
function referenceOf(label: GivenLabel): number | string {
  if (typeof label === 'object') return label.id ?? (label.name ?? '').trim();
  return typeof label === 'string' && /^\d{1,15}$/.test(label) ? Number(label) : label;
}

const unique = (ids: readonly number[]) => [...new Set(ids)];

const contradiction = () =>
  new Problem('INVALID_PARAMETER', {
    errors: [
      {
        field: 'allManagedResources',
        rule: 'contradiction',
        message:
          'With allManagedResources it is for everybody: leave out locationIds, businessIds and labels, or say false.',
      },
    ],
  });

const forNobody = () =>
  new Problem('INVALID_PARAMETER', {
    errors: [
      {
        field: 'allManagedResources',
        rule: 'audience',
        message:
          'It would be for nobody. Give locationIds, businessIds or labels, say allManagedResources: true, or hide it by status HIDDEN.',
      },
    ],
  });

const beyondReach = ({ user }: Caller) =>
  new Problem('FORBIDDEN', {
    message: `Assets for everybody or for labels need somebody who sees the whole account; you are ${user?.role} of a part. Give locationIds or businessIds.`,
  });
