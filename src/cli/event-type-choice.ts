import { nearestName } from '../config/nearest-name.ts';
import { type EventTypeName, eventTypeNames, isEventType } from '../events/catalogue/catalogue.ts';
import { UsageError } from './command.ts';

/** The event type that was typed: `location-created` will do for LOCATION_CREATED. */
export function chooseEventType(typed: string): EventTypeName {
  const name = typed.trim().toUpperCase().replaceAll(/[-\s]/g, '_');
  if (isEventType(name)) return name;
  const near = similarTypes(name);
  const advice = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : '"waypost emit --list" prints all.';
  throw new UsageError(`There is no event type "${typed}". ${advice}`);
}

/** Those that have every typed word, or else the one that takes the fewest typing mistakes to get from. */
function similarTypes(name: string): string[] {
  const words = name.split('_').filter((word) => word !== '');
  const fitting = words.length > 0 ? eventTypeNames.filter((type) => words.every((word) => type.includes(word))) : [];
  return fitting.length > 0 ? fitting : [nearestName(name, eventTypeNames) ?? []].flat();
}
