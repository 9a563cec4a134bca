import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { Moment, readMoment } from '../../../http/period.ts';
import { invalidField } from '../../../problems.ts';
import { datapointStatuses, datapointTypes } from './datapoint.ts';

const ids = (description: string) => Type.Array(Id, { maxItems: 1000, description });
const moments = {
  minActionDate: 'Not left before this',
  maxActionDate: 'Not left after this',
  minThreadActionDate: 'Something happened in the thread after this',
  maxThreadActionDate: 'Nothing happened in the thread after this',
};
type MomentField = keyof typeof moments;
const moment = (field: MomentField) =>
  Type.Integer({
    minimum: 0,
    maximum: 253_402_300_799_999,
    description: `${moments[field]}, in milliseconds since 1970`,
  });
const rating = Type.Number({ minimum: 0, maximum: 5 });

/** What an inbox can be narrowed to. Values of one field are alternatives, fields add up. */
export const filterFields = {
  types: Type.Array(Type.Enum([...datapointTypes])),
  directoryTypes: Type.Array(Type.String(), { maxItems: 100 }),
  locationIds: ids('Datapoints of these locations'),
  businessIds: ids('Datapoints of these businesses and their locations'),
  directoryBusinessPageIds: ids('Datapoints of these brand pages'),
  labels: Type.Array(Type.String({ maxLength: 200 }), {
    maxItems: 100,
    description: 'Datapoints of locations with one of these labels, by name or id',
  }),
  rating: Type.Array(rating, { maxItems: 20, description: 'These ratings' }),
  minRating: rating,
  maxRating: rating,
  isRead: Type.Boolean(),
  hasReply: Type.Boolean({ description: 'Whether the owner has answered' }),
  hasText: Type.Boolean({ description: 'Reviews with, or without, a text; no other datapoints' }),
  flagged: Type.Boolean(),
  language: Type.Array(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 639-1, such as de' }), {
    maxItems: 50,
  }),
  query: Type.String({
    maxLength: 500,
    description:
      'Words of the text or the author; "several words" in quotes are looked for as they are, -word without it',
  }),
  status: Type.Array(Type.Enum([...datapointStatuses]), { description: 'VALID unless it is given' }),
  minActionDate: moment('minActionDate'),
  maxActionDate: moment('maxActionDate'),
  minThreadActionDate: moment('minThreadActionDate'),
  maxThreadActionDate: moment('maxThreadActionDate'),
};

export type FilterField = keyof typeof filterFields;

export const DatapointFilter = Type.Partial(Type.Object(filterFields));
export type DatapointFilter = Static<typeof DatapointFilter>;

const givenMoment = (field: MomentField) =>
  Type.Optional(
    Type.Unsafe<string | number>({
      ...Moment,
      description: `${moments[field]}: a moment in ISO 8601, or in milliseconds since 1970`,
    }),
  );

/** As a query gives it: moments also in the form that answers have them in. */
export const filterQuery = {
  ...DatapointFilter.properties,
  minActionDate: givenMoment('minActionDate'),
  maxActionDate: givenMoment('maxActionDate'),
  minThreadActionDate: givenMoment('minThreadActionDate'),
  maxThreadActionDate: givenMoment('maxThreadActionDate'),
};

type GivenFilter = Omit<DatapointFilter, MomentField> & Partial<Record<MomentField, string | number>>;

export function readFilterQuery(given: GivenFilter): DatapointFilter {
  const read = (Object.keys(moments) as MomentField[]).flatMap((field) => {
    const value = given[field];
    return value === undefined ? [] : [[field, readMoment(field, value).getTime()]];
  });
  return { ...(given as DatapointFilter), ...Object.fromEntries(read) };
}

/** What the schema of a single field cannot say. */
export function checkFilter(filter: DatapointFilter): void {
  checkOrder(filter, 'minRating', 'maxRating');
  checkOrder(filter, 'minActionDate', 'maxActionDate');
  checkOrder(filter, 'minThreadActionDate', 'maxThreadActionDate');
  if (filter.query !== undefined && !/[\p{L}\p{N}]/u.test(filter.query)) {
    throw invalidField('query', 'words', 'query must have a word to look for.');
  }
}

type Bound = 'Rating' | 'ActionDate' | 'ThreadActionDate';

function checkOrder<Of extends Bound>(filter: DatapointFilter, least: `min${Of}`, most: `max${Of}`): void {
  const [min, max] = [filter[least], filter[most]];
  if (min === undefined || max === undefined || min <= max) return;
  throw invalidField(least, 'order', `${least} (${min}) must not be more than ${most} (${max}).`);
}
