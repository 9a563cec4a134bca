import Type, { type TSchema } from 'typebox';
import { invalidField } from '../problems.ts';
import { type PageQuery, pageOf, pageSchema } from './pagination.ts';

/** Lists that can be millions of entries long are counted up to here, and skipped over up to here. */
const mostCounted = 10_000;
const deepestOffset = 10_000;

/** One more than is counted, so that it shows when there are more. */
export const countLimit = mostCounted + 1;

export function checkOffset({ offset }: PageQuery): void {
  if (offset <= deepestOffset) return;
  throw invalidField(
    'offset',
    'maximum',
    `offset must be ${deepestOffset} or less. To go further give after, as the page before has it.`,
  );
}

export const longListSchema = <Name extends string, T extends TSchema>(plural: Name, entry: T, exceptions = '') =>
  Type.Object({
    ...pageSchema(plural, entry).properties,
    countIsExact: Type.Boolean({ description: `False when there are more than ${mostCounted}${exceptions}` }),
    after: Type.Optional(Type.Integer({ description: 'Leads to the next page; absent on the last one' })),
  });

/** `found` holds one entry more than the page when another page follows; `most` is how many were counted at most. */
export function longList<Name extends string, Found extends { id: number }, T>(
  plural: Name,
  query: PageQuery,
  counted: number,
  found: readonly Found[],
  answerOf: (entry: Found) => T,
  most = mostCounted,
) {
  const entries = found.slice(0, query.max);
  const last = found.length > query.max ? entries.at(-1) : undefined;
  return {
    ...pageOf(plural, query, Math.min(counted, most), entries.map(answerOf)),
    countIsExact: counted <= most,
    ...(last && { after: last.id }),
  };
}
