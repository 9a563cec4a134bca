import type { AliasableExpression } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../database/connection.ts';
import type { Counted } from '../../database/counting.ts';
import { db, raw, unprepared } from '../../database/query-builder.ts';
import { Id } from '../../http/ids.ts';
import { PartnerSlots } from '../../http/rate-limits.ts';
import { invalidField } from '../../problems.ts';
import type { EventTypeName } from '../catalogue/catalogue.ts';
import { directoryType } from '../catalogue/event-type.ts';
import { type Filter, filterPath, fitFilter } from '../subscriptions/filter.ts';
import type { LogPage } from './log-page.ts';

/** An index of the fields would slow down recording, so the number of searched events is limited. */
export const maxSearched = 20_000;

// Searches use the processor of the database, and connections of the API.
const slots = new PartnerSlots({ perPartner: 2, total: 6, what: 'searches', retryAfterSeconds: 5 });

const several = { minItems: 1, maxItems: 100 };

export const searchQuery = {
  locationIds: Type.Optional(Type.Array(Id, several)),
  businessIds: Type.Optional(Type.Array(Id, several)),
  directoryTypes: Type.Optional(Type.Array(directoryType, several)),
  filter: Type.Optional(
    Type.String({
      maxLength: 8000,
      description:
        'The filter of a webhook, as JSON. With filter, locationIds, businessIds or directoryTypes, only the first 20,000 events of the period in list order are searched; then countIsExact is false',
    }),
  ),
};

type SearchQuery = Static<Type.TObject<typeof searchQuery>>;

export interface LogSearch {
  /** The types that have the fields of the filter. */
  types: readonly EventTypeName[];
  /** The conditions as jsonpath. */
  path: string;
}

/** Undefined if the query has no condition on the content of events. */
export function readSearch(query: SearchQuery, types: readonly EventTypeName[]): LogSearch | undefined {
  const { locationIds, businessIds, directoryTypes } = query;
  const given = query.filter === undefined ? undefined : fitFilter(parseFilter(query.filter), types);
  const conditions: Filter[] = [
    ...(locationIds ? [{ field: 'location', in: locationIds }] : []),
    ...(businessIds ? [{ field: 'business', in: businessIds }] : []),
    ...(directoryTypes ? [{ field: 'directoryType', in: directoryTypes }] : []),
    ...(given ? [given.filter] : []),
  ];
  if (conditions.length === 0) return undefined;
  return { types: given?.types ?? types, path: filterPath({ all: conditions }) };
}

function parseFilter(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField(
      'filter',
      'json',
      'filter must be JSON, such as {"field": "updateResult", "equals": "FAILURE"}.',
    );
  }
}

type Candidates = AliasableExpression<{ eventId: number; recordedAt: Date }>;

interface Source<Found> {
  /** At most `maxSearched` events, in list order. */
  candidates: () => Candidates | Promise<Candidates>;
  /** The entries of these events. */
  list: (eventIds: readonly number[]) => Promise<Found[]>;
}

/** A page of the entries whose event matches. */
export const searchLog = <Found>(
  callerId: number,
  ...search: Parameters<typeof pageOfMatches<Found>>
): Promise<[Counted, Found[]]> => slots.run(callerId, () => pageOfMatches(...search));

async function pageOfMatches<Found>(
  sql: Sql,
  { path }: LogSearch,
  { candidates, list }: Source<Found>,
  page: LogPage & { after?: number | undefined },
): Promise<[Counted, Found[]]> {
  const { checked, ids } = await matchingEvents(sql, await candidates(), path);
  const { after, offset, limit, descending } = page;
  const rest = ids.toSorted((a, b) => (descending ? b - a : a - b));
  const isLater = (id: number) => after === undefined || (descending ? id < after : id > after);
  const shown = rest.filter(isLater).slice(offset, offset + limit);
  const counted = { count: ids.length, countIsExact: checked < maxSearched };
  return [counted, shown.length > 0 ? await list(shown) : []];
}

/** The ids of the candidates that match a filter, and the number of candidates. */
export const matchingEvents = (
  sql: Sql,
  candidates: Candidates,
  path: string,
): Promise<{ checked: number; ids: number[] }> =>
  db(unprepared(sql))
    .selectFrom(candidates.as('candidate'))
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('events')
        .select(['events.id', 'events.body'])
        .whereRef('events.id', '=', 'candidate.eventId')
        .whereRef('events.recordedAt', '=', 'candidate.recordedAt')
        // Keeps the plan from reading other events.
        .limit(raw.lit(1))
        .as('event'),
    )
    .select(({ fn, ref }) => [
      fn.countAll<number>().as('checked'),
      raw<number[]>`coalesce(
        array_agg(${ref('event.id')}) filter (where filter_matches(${path}::jsonpath, ${ref('event.body')})), '{}'
      )`.as('ids'),
    ])
    .executeTakeFirstOrThrow();
