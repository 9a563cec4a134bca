import Type, { type Static } from 'typebox';
import { Conditions } from '../../database/conditions.ts';
import { flowStatus, listingClaimStatus, syncStatus } from '../../events/catalogue/status-values.ts';
import { reachOf, withinReach } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { Id } from '../../http/ids.ts';
import { connectStatuses } from './listing.ts';

const several = { maxItems: 1000 };

const directoryTypes = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { ...several, description }));

/** A listing must match every filter; values of one filter are alternatives. */
export const listingFilter = {
  locationIds: Type.Optional(Type.Array(Id, several)),
  businessIds: Type.Optional(Type.Array(Id, several)),
  directoryType: directoryTypes('Directory type, such as GOOGLE'),
  type: directoryTypes('Alias of directoryType'),
  claimStatus: Type.Optional(Type.Array(listingClaimStatus('Owner of the listing at the directory.'))),
  flowStatus: Type.Optional(Type.Array(flowStatus('Next step.'))),
  syncStatus: Type.Optional(Type.Array(syncStatus('Whether the directory shows the data of the location.'))),
  connectStatus: Type.Optional(Type.Array(Type.Enum([...connectStatuses]))),
  duplicates: Type.Optional(Type.Boolean({ description: 'true: only duplicates; false: only originals' })),
};

const shape = Type.Object(listingFilter);

/** Limits listings to those that the caller may see. */
export function listingConditions(caller: Caller, wanted: Static<typeof shape> & { id?: number } = {}): Conditions {
  const conditions = new Conditions(caller.partnerId).add('listings.partner_id = $1');
  withinReach(conditions, reachOf(caller), {
    business: '(select business_id from locations where locations.id = listings.location_id)',
    location: 'listings.location_id',
  });
  const among = (column: string, values: readonly unknown[] | undefined, type: string) => {
    if (values) conditions.add(`listings.${column} = any (${conditions.value(values)}::${type}[])`);
  };
  among('id', wanted.id === undefined ? undefined : [wanted.id], 'bigint');
  among('location_id', wanted.locationIds, 'bigint');
  for (const types of [wanted.directoryType, wanted.type]) {
    among(
      'directory_type',
      types?.map((type) => type.toUpperCase()),
      'text',
    );
  }
  among('claim_status', wanted.claimStatus, 'text');
  among('flow_status', wanted.flowStatus, 'text');
  among('sync_status', wanted.syncStatus, 'text');
  among('connect_status', wanted.connectStatus, 'text');
  if (wanted.businessIds) {
    const businesses = `${conditions.value(wanted.businessIds)}::bigint[]`;
    conditions.add(`listings.location_id in (select id from locations where business_id = any (${businesses}))`);
  }
  if (wanted.duplicates !== undefined) {
    conditions.add(`listings.duplicate_of is ${wanted.duplicates ? 'not null' : 'null'}`);
  }
  return conditions;
}
