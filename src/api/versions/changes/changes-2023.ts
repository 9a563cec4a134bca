import { described, entries, isShape, type Shape, type VersionChange, without } from '../version-change.ts';
import { added, renamed } from './kinds-of-change.ts';
import { locationWriteCalls, renamedInFieldNames } from './location-calls.ts';

const renamedKey = renamed('StoreFinderSettings', 'googleAPIKey', 'mapApiKey');

const mapApiKey: VersionChange = {
  version: '20230110',
  kind: 'BREAKING',
  description: 'In the store finder settings, googleAPIKey was renamed to mapApiKey, and googleAPIVersion was removed.',
  touches: ['GET /api/store-finders/{storeKey}/settings'],
  shapes: [
    {
      ...renamedKey,
      replaced: { ...renamedKey.replaced, googleAPIVersion: 'nothing' },
      upgrade: (old) => renamedKey.upgrade(without(old, 'googleAPIVersion')),
      downgrade: (today) => ({ ...renamedKey.downgrade(today), googleAPIVersion: '3' }),
      describe: (today) => described(renamedKey.describe(today), [], { googleAPIVersion: { type: 'string' } }),
    },
  ],
};

const callToActions: VersionChange = {
  version: '20230115',
  kind: 'BREAKING',
  description:
    'callToAction and url of social posts were removed. Use the list callToActions: [{directory, type, url}]. Versions from ' +
    '_20210824 accept and return both forms; callToAction and url are those of the first entry.',
  touches: ['callToAction, url and callToActions of a social post'],
  shapes: [
    {
      resource: 'SocialPost',
      replaced: { callToAction: 'callToActions', url: 'callToActions' },
      agrees: sendsBoth,
      upgrade: toCallToActions,
      downgrade: withFirst,
      describe: (today) => described(today, [], { callToAction: { type: 'string' }, url: { type: 'string' } }),
    },
  ],
};

/** A client that sends back a response sends both. */
function sendsBoth({ callToAction, url, callToActions }: Shape): boolean {
  const first = entries(callToActions).find(isShape);
  if (!Array.isArray(callToActions)) return false;
  return (callToAction ?? undefined) === first?.type && (url ?? undefined) === (first?.url ?? undefined);
}

function toCallToActions(old: Shape): Shape {
  const { callToAction, url, ...rest } = old;
  if (Object.hasOwn(rest, 'callToActions')) return rest;
  if (callToAction === undefined && url === undefined) return old;
  if (callToAction === null || callToAction === '') return { ...rest, callToActions: [] };
  const leads = url !== undefined && url !== null && url !== '';
  // Without a directory, it applies to all directories.
  return {
    ...rest,
    callToActions: [{ ...(callToAction !== undefined && { type: callToAction }), ...(leads && { url }) }],
  };
}

function withFirst(today: Shape): Shape {
  const first = entries(today.callToActions).find(isShape);
  if (!first) return today;
  return { ...today, callToAction: first.type, ...(first.url !== undefined && { url: first.url }) };
}

const utms: VersionChange = {
  version: '20230407',
  kind: 'BREAKING',
  description:
    'Locations have UTM parameters per directory in utms: [{type, parameters}]. websiteExtra is the entry of GOOGLE and can ' +
    'still be read and written.',
  touches: ['utms and websiteExtra of a location'],
  shapes: [added('Location', 'utms')],
  calls: renamedInFieldNames('websiteExtra', 'utms'),
};

/** Ignored in requests from old clients: their items are matched by identifier and keep the stored values. */
const newFields = ['id', 'translations'];

const serviceItems: VersionChange = {
  version: '20230721',
  kind: 'BREAKING',
  description:
    'For partners with Collections in a product plan, service items have an id and translations. Send the id to reuse an ' +
    'item of this or another location of the business; an item without an id is created. In earlier versions, and ' +
    'for partners without Collections, items are matched by identifier.',
  touches: ['services of a location'],
  onlyWith: 'COLLECTIONS',
  shapes: [{ ...added('ServiceItem', ...newFields), notYet: newFields }],
  calls: locationWriteCalls('SERVICES_BY_IDENTIFIER'),
};

export const changes2023: readonly VersionChange[] = [mapApiKey, callToActions, utms, serviceItems];
