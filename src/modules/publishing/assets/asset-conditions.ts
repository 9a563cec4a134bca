import { Conditions } from '../../../database/conditions.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { dayOf } from '../../../values/span.ts';
import { searchExpression } from '../../locations/index.ts';
import type { AssetStatus, AssetType } from './asset.ts';
import type { Audience } from './asset-targets.ts';

export interface WantedAssets {
  /** Null stands for the top level. */
  folderId?: number | null;
  types?: readonly AssetType[];
  statuses?: readonly AssetStatus[];
  query?: string;
  labelIds?: readonly number[];
  /** Meant for any of these. */
  meantFor?: Audience;
  visibleOn?: string;
}

/** Whether somebody writes assets, and so sees those too that readers do not see (yet, or any more). */
const writesAssets = ({ user }: Caller) => !user || user.role === 'ADMIN' || user.features.has('ASSET_WRITE');

/** What somebody sees: what is meant for him, and as a reader, what is visible today. */
export function assetConditions(caller: Caller, audience: Audience | null, now: Date): Conditions {
  const conditions = new Conditions(caller.partnerId).add('partner_id = $1');
  if (audience) meantFor(conditions, audience);
  if (!writesAssets(caller)) {
    conditions.add("status = 'VISIBLE'");
    visibleOn(conditions, dayOf(now));
  }
  return conditions;
}

export function listConditions(conditions: Conditions, wanted: WantedAssets): Conditions {
  const { folderId, types, statuses, query, labelIds, visibleOn: day } = wanted;
  if (folderId === null) conditions.add('folder_id is null');
  else if (folderId !== undefined) conditions.add(`folder_id = ${conditions.value(folderId)}`);
  if (types) conditions.add(`type = any (${conditions.value(types)})`);
  if (statuses) conditions.add(`status = any (${conditions.value(statuses)})`);
  if (query !== undefined) {
    conditions.add(`search @@ to_tsquery('simple', ${conditions.value(searchExpression(query))})`);
  }
  if (labelIds) conditions.add(`label_ids && ${conditions.value(labelIds)}::bigint[]`);
  if (wanted.meantFor) meantFor(conditions, wanted.meantFor);
  if (day !== undefined) visibleOn(conditions, day);
  return conditions;
}

function meantFor(conditions: Conditions, { locationIds, businessIds, labelIds }: Audience): void {
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
