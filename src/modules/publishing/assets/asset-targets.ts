import type { Sql } from '../../../database/connection.ts';
import { defineStatement, run } from '../../../database/statement.ts';
import { managesAccount, reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { parseId } from '../../../http/ids.ts';
import { invalidField, Problem, unknownReference } from '../../../problems.ts';
import { normalizeText } from '../../../text.ts';
import {
  findLabels,
  findLabelsByName,
  keepLabels,
  type Label,
  maxNamedUses,
  rejectDeletingOnlyTarget,
} from '../../catalog/index.ts';
import { audienceOfLocations, readScope } from '../../locations/index.ts';

export interface Audience {
  locationIds: number[];
  businessIds: number[];
  labelIds: number[];
}

/** Which locations an asset is for. */
export interface Targets extends Audience {
  allManagedResources: boolean;
}

type LabelInput = number | string | { id?: number; name?: string };

interface TargetsInput {
  allManagedResources?: boolean;
  locationIds?: number[] | null;
  businessIds?: number[] | null;
  labels?: LabelInput[] | null;
}

export function hasFullAccess(caller: Caller): boolean {
  const { businessIds, locationIds } = reachOf(caller);
  return businessIds === null || locationIds === null;
}

export function hasNoAccess(caller: Caller): boolean {
  const { businessIds, locationIds } = reachOf(caller);
  return businessIds?.length === 0 && locationIds?.length === 0;
}

/** The locations that the caller can access, with their businesses and labels. Null: no restriction. */
export async function audienceOf(sql: Sql, caller: Caller): Promise<Audience | null> {
  const reach = reachOf(caller);
  if (reach.businessIds === null || reach.locationIds === null) return null;
  const found = await audienceOfLocations(sql, { partnerId: caller.partnerId, reach, filter: {} });
  return { ...found, businessIds: [...new Set([...found.businessIds, ...reach.businessIds])] };
}

/** Resources that the caller cannot access are reported as not found. */
export async function readTargets(sql: Sql, caller: Caller, given: TargetsInput, before?: Targets): Promise<Targets> {
  const { allManagedResources, locationIds, businessIds, labels } = given;
  const isUnchanged = [allManagedResources, locationIds, businessIds, labels].every((value) => value === undefined);
  if (isUnchanged) return requireTarget(before ?? defaultTargets(caller));
  const isList = [locationIds, businessIds, labels].some((list) => list && list.length > 0);
  if (allManagedResources && isList) {
    const message =
      'allManagedResources: true cannot be combined with locationIds, businessIds or labels. Omit them, or send false.';
    throw invalidField('allManagedResources', 'contradiction', message);
  }
  const isForAllLocations = allManagedResources ?? (!isList && (before ?? defaultTargets(caller)).allManagedResources);
  if (!hasFullAccess(caller) && (isForAllLocations || (labels && labels.length > 0))) throw needsFullAccess(caller);
  await readScope(
    sql,
    caller,
    {
      ...(locationIds && locationIds.length > 0 && { locationIds }),
      ...(businessIds && businessIds.length > 0 && { businessIds }),
    },
    unknownReference,
  );
  if (isForAllLocations) return { ...noTargets, allManagedResources: true };
  const kept = before ?? noTargets;
  return requireTarget({
    allManagedResources: false,
    locationIds: unique(locationIds === undefined ? kept.locationIds : (locationIds ?? [])),
    businessIds: unique(businessIds === undefined ? kept.businessIds : (businessIds ?? [])),
    labelIds:
      labels === undefined
        ? await keepLabels(sql, caller.partnerId, kept.labelIds)
        : await labelIdsOf(sql, caller, labels ?? []),
  });
}

/** Returns only the targets: the given object can be an asset. */
function requireTarget({ allManagedResources, locationIds, businessIds, labelIds }: Targets): Targets {
  if (allManagedResources || locationIds.length + businessIds.length + labelIds.length > 0) {
    return { allManagedResources, locationIds, businessIds, labelIds };
  }
  const message =
    'The asset has no target. Send locationIds, businessIds or labels, or allManagedResources: true. To hide the asset, set status to HIDDEN.';
  throw invalidField('allManagedResources', 'audience', message);
}

const noTargets: Targets = { allManagedResources: false, locationIds: [], businessIds: [], labelIds: [] };

/** Everything that the caller can access. */
function defaultTargets(caller: Caller): Targets {
  const { businessIds, locationIds } = reachOf(caller);
  if (businessIds === null || locationIds === null) return { ...noTargets, allManagedResources: true };
  return { ...noTargets, businessIds: [...businessIds], locationIds: [...locationIds] };
}

/** A caller with partial access can change an asset only if all of its targets are accessible. */
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

/** The labels of posts or assets that the caller can see. */
export async function visibleLabels(
  sql: Sql,
  caller: Caller,
  labelled: readonly { labelIds: readonly number[] }[],
): Promise<Label[]> {
  const ids = unique(labelled.flatMap(({ labelIds }) => labelIds));
  const labels = ids.length > 0 ? await findLabels(sql, caller.partnerId, ids) : [];
  return labels.filter(({ adminOnly }) => !adminOnly || managesAccount(caller));
}

/** A check before a label is deleted: `isBlocking` selects the records that must keep a target other than the label. */
export function onlyTargetCheck({
  table,
  records,
  isBlocking,
}: {
  table: 'assets' | 'social_posts';
  records: string;
  isBlocking: string;
}) {
  const statement = defineStatement<{ id: number }>({
    name: `find-${table.replace('_', '-')}-targeted-only-by-label`,
    text: `select id from ${table}
           where partner_id = $1 and ${isBlocking}
             and label_ids @> array[$2::bigint] and location_ids = '{}' and business_ids = '{}'
             and not exists (select from labels where labels.id = any (label_ids) and labels.id <> $2)
           order by id limit $3`,
    columns: { id: 'int8' },
  });
  return async (sql: Sql, { partner }: { partner: { id: number } }, label: Label): Promise<void> => {
    const found = await run(sql, statement, [partner.id, label.id, maxNamedUses + 1]);
    const ids = found.map(({ id }) => id);
    rejectDeletingOnlyTarget(label, records, ids);
  };
}

/** Labels by id or name. Labels that the caller cannot use are reported as not found. */
export async function labelIdsOf(sql: Sql, caller: Caller, given: readonly LabelInput[]): Promise<number[]> {
  const references = given.map(referenceOf);
  const names = references.filter((reference) => typeof reference === 'string');
  const named = names.length > 0 ? await findLabelsByName(sql, caller.partnerId, names) : [];
  const ids = references.map((reference) => {
    if (typeof reference === 'number') return reference;
    const label = named.find(({ name }) => name.toLowerCase() === reference.toLowerCase());
    if (!label) throw unknownReference('labels', `label ${reference}`);
    return label.id;
  });
  await keepLabels(sql, caller.partnerId, ids);
  const usable = await visibleLabels(sql, caller, [{ labelIds: ids }]);
  const missing = ids.find((id) => !usable.some((label) => label.id === id));
  if (missing !== undefined) throw unknownReference('labels', `label ${missing}`);
  return unique(ids);
}

/** In form data an id is text. */
function referenceOf(label: LabelInput): number | string {
  if (typeof label === 'object') return label.id ?? normalizeText(label.name ?? '');
  return typeof label === 'string' ? (parseId(label) ?? normalizeText(label)) : label;
}

const unique = (ids: readonly number[]) => [...new Set(ids)];

const needsFullAccess = ({ user }: Caller) =>
  new Problem('FORBIDDEN', {
    message: `allManagedResources and labels require access to the whole account. Your role ${user?.role} has access to a part of it. Send locationIds or businessIds.`,
  });
