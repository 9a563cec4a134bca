import Type, { type TSchema } from 'typebox';
import { type PageQuery, pageOf, pageQuery, pageSchema } from '../../http/pagination.ts';
import { invalidField } from '../../problems.ts';
import { periodQuery } from './period.ts';

/** Logs can be millions of entries long: they are counted up to here, and skipped over up to here. */
const mostCounted = 10_000;
const deepestOffset = 10_000;

/** One more than is counted, so that it shows when there are more. */
export const countLimit = mostCounted + 1;

/** Newest first; `after` is the event id that the page before ended with. */
export const logQuery = { ...pageQuery, ...periodQuery };

export function checkOffset({ offset }: PageQuery): void {
  if (offset <= deepestOffset) return;
  throw invalidField(
    'offset',
    'maximum',
    `offset must be ${deepestOffset} or less. To go further back give after, as the page before has it.`,
  );
}

export const logPageSchema = <Name extends string, T extends TSchema>(plural: Name, entry: T) =>
  Type.Object({
    ...pageSchema(plural, entry).properties,
    countIsExact: Type.Boolean({ description: `False when there are more than ${mostCounted}` }),
    after: Type.Optional(Type.Integer({ description: 'Leads to the next page; absent on the last one' })),
  });

/** `found` holds one entry more than the page when another page follows. */
export function logPage<Name extends string, Found extends { eventId: number }, T>(
  plural: Name,
  query: PageQuery,
  counted: number,
  found: readonly Found[],
  answerOf: (entry: Found) => T,
) {
  const entries = found.slice(0, query.max);
  const last = found.length > query.max ? entries.at(-1) : undefined;
  return {
    ...pageOf(plural, query, Math.min(counted, mostCounted), entries.map(answerOf)),
    countIsExact: counted <= mostCounted,
    ...(last && { after: last.eventId }),
  };
}
