import type { Sql } from '../../database/connection.ts';
import type { CallerUser } from '../../http/access.ts';
import { runsAccount } from '../account-managers.ts';
import { contentListAnswer } from '../content/content.ts';
import { contentListsOf } from '../content/content-store.ts';
import { labelAnswer } from '../labels/label.ts';
import { findLabels } from '../labels/label-store.ts';
import type { Location } from './location.ts';
import { everyField, type FieldMask, type LocationAnswer, locationAnswer } from './location-answer.ts';

/** Locations as clients see them, with what other nouns know about them. */
export async function describeLocations(
  sql: Sql,
  who: { partnerId: number; user?: CallerUser },
  locations: readonly (Pick<Location, 'id'> & Partial<Location>)[],
  mask: FieldMask = everyField,
): Promise<LocationAnswer[]> {
  const labelIds = mask.fields.has('labels') ? new Set(locations.flatMap((location) => location.labelIds ?? [])) : [];
  const wantsLists = mask.fields.has('contentLists') && locations.length > 0;
  const [labels, lists] = await Promise.all([
    [...labelIds].length > 0 ? findLabels(sql, who.partnerId, [...labelIds]) : [],
    wantsLists
      ? contentListsOf(
          sql,
          locations.map(({ id }) => id),
        )
      : new Map(),
  ]);
  const seesAll = runsAccount(who);
  const shown = labels.filter(({ adminOnly }) => seesAll || !adminOnly);
  const linked = {
    labels: new Map(shown.map((label) => [label.id, labelAnswer(label)])),
    contentLists: new Map([...lists].map(([id, list]) => [id, list.map(contentListAnswer)])),
  };
  return locations.map((location) => locationAnswer(location, mask, linked));
}

export async function describeLocation(
  sql: Sql,
  who: { partnerId: number; user?: CallerUser },
  location: Location,
): Promise<LocationAnswer> {
  const [answer] = await describeLocations(sql, who, [location]);
  return answer as LocationAnswer;
}
