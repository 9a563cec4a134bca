import { type EventTypeName, eventTypeNames, isEventType } from '../events/catalogue/catalogue.ts';
import { nearestName } from '../text.ts';
import { UsageError } from './command.ts';

/** Accepts `location-created` for LOCATION_CREATED. */
export function chooseEventType(typed: string): EventTypeName {
  const name = typed.trim().toUpperCase().replaceAll(/[-\s]/g, '_');
  if (isEventType(name)) return name;
  const near = similarTypes(name);
  const advice = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : '"waypost emit --list" prints all types.';
  throw new UsageError(`There is no event type "${typed}". ${advice}`);
}

/** Types that contain every typed word, or the one with the smallest edit distance. */
function similarTypes(name: string): string[] {
  const words = name.split('_').filter((word) => word !== '');
  const matching = words.length > 0 ? eventTypeNames.filter((type) => words.every((word) => type.includes(word))) : [];
  return matching.length > 0 ? matching : [nearestName(name, eventTypeNames) ?? []].flat();
}
