import Type, { type Static, type TSchema } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { Moment, readMoment } from '../../../http/period.ts';
import { invalidField } from '../../../problems.ts';
import { dataPointTypes } from '../../directories/index.ts';
import { datapointStatuses } from './datapoint.ts';

const ids = (description: string) => Type.Array(Id, { maxItems: 1000, description });
const moments = {
  minActionDate: 'Earliest action date',
  maxActionDate: 'Latest action date',
  minThreadActionDate: 'Earliest date of the last activity in the thread',
  maxThreadActionDate: 'Latest date of the last activity in the thread',
};
type MomentField = keyof typeof moments;
const momentFields = <T extends TSchema>(schemaOf: (description: string) => T) =>
  Object.fromEntries(Object.entries(moments).map(([field, description]) => [field, schemaOf(description)])) as Record<
    MomentField,
    T
  >;
const rating = Type.Number({ minimum: 0, maximum: 5 });

/** Values of one field are combined with OR, fields with AND. */
export const filterFields = {
  types: Type.Array(Type.Enum([...dataPointTypes]), { maxItems: 100 }),
  directoryTypes: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }),
  locationIds: ids('Datapoints of these locations'),
  businessIds: ids('Datapoints of these businesses and their locations'),
  directoryBusinessPageIds: ids('Datapoints of these brand pages'),
  labels: Type.Array(Type.String({ maxLength: 200 }), {
    maxItems: 100,
    description: 'Datapoints of locations with one of these labels, by name or id',
  }),
  rating: Type.Array(rating, { maxItems: 20, description: 'Datapoints with one of these ratings' }),
  minRating: rating,
  maxRating: rating,
  isRead: Type.Boolean(),
  hasReply: Type.Boolean({ description: 'Whether the owner has replied' }),
  hasText: Type.Boolean({ description: 'Only reviews: true with text, false without text' }),
  flagged: Type.Boolean(),
  language: Type.Array(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 639-1, such as de' }), {
    maxItems: 50,
  }),
  query: Type.String({
    maxLength: 500,
    description:
      'Words in the text or the author. Quote a phrase: "several words". Exclude a word with a minus sign: -word',
  }),
  status: Type.Array(Type.Enum([...datapointStatuses]), { maxItems: 100, description: 'Defaults to VALID' }),
  ...momentFields((description) =>
    Type.Integer({
      minimum: 0,
      maximum: 253_402_300_799_999,
      description: `${description}, in milliseconds since the Unix epoch`,
    }),
  ),
};

export type FilterField = keyof typeof filterFields;

export const DatapointFilter = Type.Partial(Type.Object(filterFields));
export type DatapointFilter = Static<typeof DatapointFilter>;

/** Query parameters accept ISO 8601 date-times as well. */
export const filterQuery = {
  ...DatapointFilter.properties,
  ...momentFields((description) =>
    Type.Optional(
      Type.Unsafe<string | number>({
        ...Moment,
        description: `${description}: an ISO 8601 date-time, or milliseconds since the Unix epoch`,
      }),
    ),
  ),
};

type FilterParameters = Omit<DatapointFilter, MomentField> & Partial<Record<MomentField, string | number>>;

export function readFilterQuery(given: FilterParameters): DatapointFilter {
  const read = (Object.keys(moments) as MomentField[]).flatMap((field) => {
    const value = given[field];
    return value === undefined ? [] : [[field, readMoment(field, value).getTime()]];
  });
  return { ...(given as DatapointFilter), ...Object.fromEntries(read) };
}

/** A saved filter with an empty list does not restrict that field. */
export const withoutEmptyLists = (filter: DatapointFilter): DatapointFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => !Array.isArray(value) || value.length > 0));

/** Rules that span several fields. */
export function checkFilter(filter: DatapointFilter): void {
  checkOrder(filter, 'minRating', 'maxRating');
  checkOrder(filter, 'minActionDate', 'maxActionDate');
  checkOrder(filter, 'minThreadActionDate', 'maxThreadActionDate');
  if (filter.query !== undefined && !/[\p{L}\p{N}]/u.test(filter.query)) {
    throw invalidField('query', 'words', 'query must contain at least one letter or digit.');
  }
}

type Bound = 'Rating' | 'ActionDate' | 'ThreadActionDate';

function checkOrder<Of extends Bound>(filter: DatapointFilter, lower: `min${Of}`, upper: `max${Of}`): void {
  const [min, max] = [filter[lower], filter[upper]];
  if (min === undefined || max === undefined || min <= max) return;
  const shown = (value: number) => (lower === 'minRating' ? value : new Date(value).toISOString());
  throw invalidField(lower, 'order', `${lower} (${shown(min)}) must not be greater than ${upper} (${shown(max)}).`);
}
