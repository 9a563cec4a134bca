import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { fieldStatuses } from '../../listings/index.ts';

const line = (maxLength: number, description: string, example: string) =>
  Type.String({ pattern: '\\S', maxLength, description, examples: [example] });

/** The business that somebody wants to know about. */
export const NewReport = Type.Object(
  {
    name: line(200, 'What the business is called', 'Bäckerei Lindner'),
    streetAndNo: line(230, 'Street and house number', 'Venloer Straße 310'),
    zip: Type.Optional(
      line(20, "Postal code in the form of the country; where the country has none, it's left out", '50823'),
    ),
    city: line(100, 'City', 'Köln'),
    country: line(2, 'Country code of two letters (ISO 3166-1)', 'DE'),
    categoryId: Type.Integer({ ...Id, description: 'What kind of business it is: GET /api/near-me-check/categories' }),
    phone: Type.Optional(line(50, 'Phone number, to be compared with what directories show', '+49 221 9524300')),
    website: Type.Optional(
      line(2048, 'Website, to be compared with what directories show', 'https://lindner.example/'),
    ),
  },
  { title: 'NewNearMeReport' },
);
export type NewReport = Static<typeof NewReport>;

/** The business as it is kept: checked, and spelled in our way. */
export interface Business {
  name: string;
  streetAndNo: string;
  zip: string | null;
  city: string;
  country: string;
  categoryId: number;
  phone: string | null;
  website: string | null;
}

const reportStatuses = ['RUNNING', 'FINISHED', 'FAILED'] as const;
export type ReportStatus = (typeof reportStatuses)[number];

const resultStatuses = ['FOUND', 'NOT_FOUND', 'ERROR'] as const;

const ReportField = Type.Object({
  field: Type.String({ examples: ['phone'] }),
  expected: Type.Optional(Type.String({ description: 'What was given; absent when nothing was' })),
  found: Type.Optional(Type.String({ description: 'What the directory shows; absent when it shows nothing' })),
  status: Type.Enum([...fieldStatuses]),
});
export type ReportField = Static<typeof ReportField>;

/** What came of the look at one directory. */
export interface Result {
  directoryType: string;
  status: (typeof resultStatuses)[number];
  listingUrl: string | null;
  /** Whose the page is, in the directory's words. */
  claim: string | null;
  /** Further pages about the same business. */
  duplicates: number;
  fields: ReportField[];
  matchingFields: number;
  comparableFields: number;
  /** Why there is no result. */
  message: string | null;
}

export interface Report extends Business {
  id: number;
  partnerId: number;
  status: ReportStatus;
  score: number | null;
  error: string | null;
  dateCreated: Date;
  dateFinished: Date | null;
  expiresAt: Date;
  /** Directories that have been asked. */
  results: Result[];
  /** Directories that are still to be asked. */
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
  field: Type.Optional(Type.String({ description: 'Of those about a field' })),
  directoryTypes: Type.Array(Type.String(), { description: 'Where something is to be done' }),
  message: Type.String({ examples: ['The phone number on Google and Yelp is another one. Correct it there.'] }),
});
export type Recommendation = Static<typeof Recommendation>;

const Moment = Type.String({ format: 'date-time' });

export const ReportAnswer = Type.Object(
  {
    id: Type.Integer(),
    status: Type.Enum([...reportStatuses]),
    progress: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'How many per cent of the directories were asked',
    }),
    score: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: '0 to 100; null while it is RUNNING, and when nothing could be compared',
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
        message: Type.Optional(Type.String({ description: 'With ERROR: why the directory could not be asked' })),
      }),
      { description: 'Those that have been asked' },
    ),
    pendingDirectories: Type.Array(Type.String(), { description: 'Those that are still to be asked' }),
    recommendations: Type.Array(Recommendation, { description: 'What is most worth doing comes first' }),
    message: Type.Optional(Type.String({ description: 'With FAILED: why' })),
    dateCreated: Moment,
    dateFinished: Type.Optional(Moment),
    expires: Type.String({ format: 'date-time', description: 'Until when the report can be read' }),
  },
  { title: 'NearMeReport' },
);
export type ReportAnswer = Static<typeof ReportAnswer>;
