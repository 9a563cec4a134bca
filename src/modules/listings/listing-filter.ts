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

/** Which listings: those that fit every filter, and any value of each. */
export const listingFilter = {
  locationIds: Type.Optional(Type.Array(Id, several)),
  businessIds: Type.Optional(Type.Array(Id, several)),
  directoryType: directoryTypes('Such as GOOGLE'),
  type: directoryTypes('The same, by the name that listings have it by'),
  claimStatus: Type.Optional(Type.Array(listingClaimStatus('Whom the page belongs to.'))),
  flowStatus: Type.Optional(Type.Array(flowStatus('What is to be done.'))),
  syncStatus: Type.Optional(Type.Array(syncStatus('Whether it shows what the location has.'))),
  connectStatus: Type.Optional(Type.Array(Type.Enum([...connectStatuses]))),
  duplicates: Type.Optional(Type.Boolean({ description: 'Only duplicates, or only originals' })),
};

const shape = Type.Object(listingFilter);

/** What somebody may see of the listings. */
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
