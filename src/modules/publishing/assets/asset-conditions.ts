import { Conditions } from '../../../database/conditions.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { dayOf } from '../../../values/span.ts';
import { searchExpression } from '../../locations/index.ts';
import type { AssetStatus, AssetType } from './asset.ts';
import type { Audience } from './asset-targets.ts';

export interface AssetFilter {
  /** Null: the top level. */
  folderId?: number | null;
  types?: readonly AssetType[];
  statuses?: readonly AssetStatus[];
  query?: string;
  labelIds?: readonly number[];
  audience?: Audience;
  visibleOn?: string;
}

/** Callers who can write assets also see hidden, future and expired ones. */
const canWriteAssets = ({ user }: Caller) => !user || user.role === 'ADMIN' || user.features.has('ASSET_WRITE');

export function assetConditions(caller: Caller, audience: Audience | null, now: Date): Conditions {
  const conditions = new Conditions(caller.partnerId).add('partner_id = $1');
  if (audience) targetedAt(conditions, audience);
  if (!canWriteAssets(caller)) {
    conditions.add("status = 'VISIBLE'");
    visibleOn(conditions, dayOf(now));
  }
  return conditions;
}

export function listConditions(conditions: Conditions, filter: AssetFilter): Conditions {
  const { folderId, types, statuses, query, labelIds, visibleOn: day } = filter;
  if (folderId === null) conditions.add('folder_id is null');
  else if (folderId !== undefined) conditions.add(`folder_id = ${conditions.value(folderId)}`);
  if (types) conditions.add(`type = any (${conditions.value(types)})`);
  if (statuses) conditions.add(`status = any (${conditions.value(statuses)})`);
  if (query !== undefined) {
    conditions.add(`search @@ to_tsquery('simple', ${conditions.value(searchExpression(query))})`);
  }
  if (labelIds) conditions.add(`label_ids && ${conditions.value(labelIds)}::bigint[]`);
  if (filter.audience) targetedAt(conditions, filter.audience);
  if (day !== undefined) visibleOn(conditions, day);
  return conditions;
}

function targetedAt(conditions: Conditions, { locationIds, businessIds, labelIds }: Audience): void {
  conditions.add(
    `(all_managed_resources or location_ids && ${conditions.value(locationIds)}::bigint[]
      or business_ids && ${conditions.value(businessIds)}::bigint[]
      or label_ids && ${conditions.value(labelIds)}::bigint[])`,
  );
}

function visibleOn(conditions: Conditions, day: string): void {
  const on = `${conditions.value(day)}::date`;
  conditions.add(`coalesce(start_date <= ${on}, true) and coalesce(end_date >= ${on}, true)`);
}
