import Type, { type Static } from 'typebox';
import type { CallerUser } from '../../../http/access.ts';
import { deletable } from '../../../http/validation.ts';
import { DatapointFilter, type FilterField, filterFields } from './datapoint-filter.ts';

/** A filter of the inbox that has a name. Without a user it is everybody's at the partner. */
export interface SavedFilter {
  id: number;
  userId: number | null;
  name: string;
  filter: DatapointFilter;
  dateCreated: Date;
  lastUpdated: Date;
}

const name = Type.String({ pattern: '\\S', maxLength: 200, description: 'What it is called, not only spaces' });

export const NewFilter = Type.Object(
  { name, ...DatapointFilter.properties },
  { title: 'NewDataPointFilter', 'x-resource': 'DataPointFilter' },
);

export const FilterChange = Type.Object(
  {
    name: Type.Optional(name),
    ...Object.fromEntries(
      Object.entries(filterFields).map(([field, schema]) => [field, Type.Optional(deletable(schema))]),
    ),
  },
  { title: 'DataPointFilterChange', 'x-resource': 'DataPointFilter' },
) as unknown as FilterChangeSchema;

type FilterChangeSchema = Type.TObject<
  { name: Type.TOptional<typeof name> } & {
    [Field in FilterField]: Type.TOptional<Type.TUnsafe<Static<(typeof filterFields)[Field]> | null>>;
  }
>;

const maybeBoolean = (description: string) => Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description });

export const FilterAnswer = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    shared: Type.Boolean({ description: "Whether it is everybody's at the partner" }),
    ...DatapointFilter.properties,
    isRead: maybeBoolean('null finds read and unread datapoints'),
    hasReply: maybeBoolean('null finds replied and unreplied datapoints'),
    hasText: maybeBoolean('true finds reviews with a text, false reviews without one; null does not look at texts'),
    dateCreated: Type.String(),
    lastUpdated: Type.String(),
  },
  { title: 'DataPointFilter', 'x-resource': 'DataPointFilter' },
);

export const filterAnswer = ({
  id,
  userId,
  name,
  filter,
  dateCreated,
  lastUpdated,
}: SavedFilter): Static<typeof FilterAnswer> => ({
  id,
  name,
  shared: userId === null,
  ...filter,
  isRead: filter.isRead ?? null,
  hasReply: filter.hasReply ?? null,
  hasText: filter.hasText ?? null,
  dateCreated: dateCreated.toISOString(),
  lastUpdated: lastUpdated.toISOString(),
});

/** What is given changes, null takes a field away, the rest stays. */
export function changedFilter(filter: DatapointFilter, change: Partial<Record<FilterField, unknown>>): DatapointFilter {
  const merged = Object.entries({ ...filter, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(merged) as DatapointFilter;
}

/** Who can say only "unread" or "all" says nothing about a filter for what was read; the same with replies. */
export function withoutSilence(
  filter: DatapointFilter,
  change: Partial<Record<FilterField, unknown>>,
): Partial<Record<FilterField, unknown>> {
  const says = ([field, value]: [string, unknown]) => value !== null || filter[field as FilterField] !== true;
  return Object.fromEntries(Object.entries(change).filter(says));
}

/** A user changes his own; what everybody uses is an administrator's, or that of the private key. */
export const mayChange = ({ userId }: SavedFilter, user: CallerUser | undefined) =>
  !user || userId === user.id || (userId === null && user.role === 'ADMIN');
