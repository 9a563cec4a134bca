import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DB } from '../../../database/schema.ts';
import { Id } from '../../../http/ids.ts';
import { type FieldError, Problem } from '../../../problems.ts';
import { checkPostalCode, countryCode, notACountry } from '../../../values/countries.ts';
import { checkPhone } from '../../../values/phones.ts';
import { currentCategory, findCategory } from '../../catalog/index.ts';
import { fieldStatuses } from '../../listings/index.ts';
import { checkUrl, oneLine } from '../../locations/index.ts';

const line = (maxLength: number, description: string, example: string) =>
  Type.String({ pattern: '\\S', maxLength, description, examples: [example] });

export const NewReport = Type.Object(
  {
    name: line(200, 'Name of the business', 'Bäckerei Lindner'),
    streetAndNo: line(230, 'Street and house number', 'Venloer Straße 310'),
    zip: Type.Optional(line(20, 'Postal code in the format of the country; omit it if the country has none', '50823')),
    city: line(100, 'City', 'Köln'),
    country: line(2, 'Two-letter country code (ISO 3166-1)', 'DE'),
    categoryId: Type.Integer({ ...Id, description: 'Category of the business, see GET /api/near-me-check/categories' }),
    phone: Type.Optional(line(50, 'Phone number to compare', '+49 221 9524300')),
    website: Type.Optional(line(2048, 'Website to compare', 'https://lindner.example/')),
  },
  { title: 'NewNearMeReport' },
);
export type NewReport = Static<typeof NewReport>;

type ReportRow = Selectable<DB['nearMeReports']>;

/** A validated and normalized business. */
export type Business = Pick<ReportRow, keyof NewReport>;

const reportStatuses = ['RUNNING', 'FINISHED', 'FAILED'] as const;
export type ReportStatus = (typeof reportStatuses)[number];

const resultStatuses = ['FOUND', 'NOT_FOUND', 'ERROR'] as const;

const ReportField = Type.Object({
  field: Type.String({ examples: ['phone'] }),
  expected: Type.Optional(Type.String({ description: 'Value from the request; absent if none was given' })),
  found: Type.Optional(Type.String({ description: 'Value on the directory; absent if there is none' })),
  status: Type.Enum([...fieldStatuses]),
});
export type ReportField = Static<typeof ReportField>;

/** Result of one directory. */
export interface Result extends Omit<Selectable<DB['nearMeResults']>, 'reportId' | 'position' | 'status' | 'fields'> {
  status: (typeof resultStatuses)[number];
  fields: ReportField[];
}

export interface Report extends Omit<ReportRow, 'tokenHash' | 'status'> {
  status: ReportStatus;
  /** Directories that were queried. */
  results: Result[];
  /** Directories that are not queried yet. */
  pending: string[];
}

const recommendationTypes = [
  'CORRECT_FIELD',
  'CREATE_LISTING',
  'COMPLETE_FIELD',
  'CLAIM_LISTING',
  'REMOVE_DUPLICATES',
  'CHECK_AGAIN',
  'ALL_WELL',
] as const;

export const Recommendation = Type.Object({
  type: Type.Enum([...recommendationTypes]),
  field: Type.Optional(Type.String({ description: 'Field, for CORRECT_FIELD and COMPLETE_FIELD' })),
  directoryTypes: Type.Array(Type.String(), { description: 'Affected directories' }),
  message: Type.String({
    examples: ['The phone number on Google and Yelp differs from your entry. Correct it there.'],
  }),
});
export type Recommendation = Static<typeof Recommendation>;

const Moment = Type.String({ format: 'date-time' });

export const ReportResponse = Type.Object(
  {
    id: Type.Integer(),
    status: Type.Enum([...reportStatuses]),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Percentage of directories that were checked',
    }),
    score: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: '0 to 100; null while RUNNING, or if nothing could be compared',
    }),
    business: Type.Object({
      name: Type.String(),
      streetAndNo: Type.String(),
      zip: Type.Optional(Type.String()),
      city: Type.String(),
      country: Type.String(),
      categoryId: Type.Integer(),
      phone: Type.Optional(Type.String()),
      website: Type.Optional(Type.String()),
    }),
    directories: Type.Array(
      Type.Object({
        directoryType: Type.String({ examples: ['GOOGLE'] }),
        directoryName: Type.String({ examples: ['Google'] }),
        status: Type.Enum([...resultStatuses]),
        listingUrl: Type.Optional(Type.String()),
        fields: Type.Array(ReportField),
        message: Type.Optional(Type.String({ description: 'Reason for status ERROR' })),
      }),
      { description: 'Results of the directories that were checked' },
    ),
    pendingDirectories: Type.Array(Type.String(), { description: 'Directories that are not checked yet' }),
    recommendations: Type.Array(Recommendation, { description: 'Recommendations, most important first' }),
    message: Type.Optional(Type.String({ description: 'Reason for status FAILED' })),
    dateCreated: Moment,
    dateFinished: Type.Optional(Moment),
    expires: Type.String({ format: 'date-time', description: 'When the report expires' }),
  },
  { title: 'NearMeReport' },
);
export type ReportResponse = Static<typeof ReportResponse>;

/** Normalizes the business. Throws all field errors at once. */
export function checkBusiness(given: NewReport): Business {
  const errors: FieldError[] = [];
  const reject = (field: string, rule: string, message: string) =>
    errors.push({ field, rule, message: `${field} ${message}.` });
  const country = countryCode(given.country);
  if (country === undefined) reject('country', 'country', notACountry);
  const zip = given.zip === undefined || country === undefined ? undefined : checkPostalCode(given.zip, country);
  if (zip && 'problem' in zip) reject('zip', 'zip', zip.problem);
  const phone = given.phone === undefined || country === undefined ? undefined : checkPhone(given.phone, country);
  if (phone && 'problem' in phone) reject('phone', 'phone', phone.problem);
  const website = given.website === undefined ? undefined : checkUrl('website', given.website);
  if (website && 'errors' in website) errors.push(...website.errors);
  const category = findCategory(given.categoryId) && currentCategory(given.categoryId);
  if (!category?.selectable) {
    reject('categoryId', 'known', 'must be the id of a category from GET /api/near-me-check/categories');
  }
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return {
    name: oneLine(given.name),
    streetAndNo: oneLine(given.streetAndNo),
    zip: zip && 'zip' in zip ? zip.zip : null,
    city: oneLine(given.city),
    country: country ?? '',
    categoryId: category?.id ?? given.categoryId,
    phone: phone && 'phone' in phone ? phone.phone : null,
    website: website && 'value' in website ? website.value : null,
  };
}
