import { wholeNumber } from '../config/parse.ts';
import { type EventTypeName, eventTypeNames, eventTypes, isEventType } from '../events/catalogue/catalogue.ts';
import { maxPerCall } from '../events/subscriptions/event-type-routes.ts';
import { propertiesOf } from '../json-schema.ts';
import { nearestName } from '../text.ts';
import { ApiClient, credentialHelp, credentialOptions, findCredentials } from './api-client.ts';
import { defineCommand, flag, readOption, required, table, UsageError, value } from './command.ts';

const help = `Usage: waypost emit TYPE [options]
       waypost emit --all | --list

Records example events, which are delivered like other events. Prints the id and type of each.

  --field NAME=VALUE  override a field of the example; can be repeated.
                      Write a list as 1,2,3 or JSON; an empty value omits an optional field
  --count N           number of events (default: 1)
  --all               one event of each type
  --list              print the event types with a summary
${credentialHelp}
Examples:
  waypost emit LOCATION_CREATED
  waypost emit location-status-changed --field from=ACTIVE --field to=CLOSED --field user=
  waypost emit LISTING_DATAPOINT_INVALID --field invalidDataPointIds=7718201,7718202
  waypost emit --all --count 10
`;

const options = {
  field: { type: 'string', multiple: true },
  count: value,
  all: flag,
  list: flag,
  ...credentialOptions,
} as const;

const maxCount = 1_000_000;

export const emitCommand = defineCommand({ name: 'emit', help, options, operands: 1 }, async (given, [typed]) => {
  if (given.list) {
    process.stdout.write(table(eventTypeNames.map((type) => [type, eventTypes[type].summary])));
    return;
  }
  const types = chosenTypes(typed, given.all ?? false);
  if (given.all && given.field) throw new UsageError('--field cannot be combined with --all.');
  const count = readOption('--count', given.count ?? '1', wholeNumber(1, maxCount));
  const examples = types.map((type) => ({ type, fields: readFields(type, given.field ?? []) }));
  const api = new ApiClient(findCredentials(given, process.env));
  for (const { type, fields } of examples) await emit(api, type, count, fields);
});

function chosenTypes(typed: string | undefined, all: boolean): readonly EventTypeName[] {
  if (all && typed !== undefined) throw new UsageError(`${typed} cannot be combined with --all.`);
  if (all) return eventTypeNames;
  return [chooseEventType(required(typed, 'The event type is missing. "waypost emit --list" prints all types.'))];
}

async function emit(api: ApiClient, type: EventTypeName, count: number, fields: object): Promise<void> {
  for (let left = count; left > 0; left -= maxPerCall) {
    const body = { fields, count: Math.min(left, maxPerCall) };
    const { eventIds } = await api.call<{ eventIds: number[] }>('POST', `/api/event-types/${type}/emit`, body);
    process.stdout.write(eventIds.map((id) => `${id} ${type}\n`).join(''));
  }
}

function readFields(type: EventTypeName, pairs: readonly string[]): Record<string, unknown> {
  const properties = propertiesOf(eventTypes[type].fields);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, text] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
      if (name === undefined || text === undefined)
        throw new UsageError(`--field is "${pair}": write it as NAME=VALUE.`);
      return [name, text === '' ? null : readValue(text, properties[name]?.type)];
    }),
  );
}

/** Invalid values are sent as text and rejected by the server. */
function readValue(text: string, type: unknown): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(type === 'array' && !text.startsWith('[') ? `[${text}]` : text);
  } catch {
    return type === 'array' ? text.split(',') : text;
  }
}

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
