import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { categoryName, currentCategory } from '../../catalog/index.ts';
import type { Directory } from '../../directories/index.ts';
import { hoursToday, type Location, type Periods } from '../../locations/index.ts';

/** Data of a location that a post may mention. */
export interface LocationFacts {
  name: string;
  city: string;
  country: string;
  /** Only if the location displays its address. */
  street?: string;
  /** In the language of the post, main category first. */
  categories: string[];
  /** Such as "08:00–12:00, 14:00–18:00"; empty if closed on that day. */
  openToday?: { date: string; hours: string };
  services: string[];
  website?: string;
  /** Contacts that a text may mention; not sent to the model. */
  contacts: { phones: string[]; emails: string[]; links: string[] };
}

const maxServices = 10;

export function factsOf(location: Location, language: string, now: Date): LocationFacts {
  const { profile, timeZone, temporarilyClosed } = location;
  const street = [location.street, location.streetNo].filter(Boolean).join(' ');
  const today = hoursToday({ ...profile, timeZone, temporarilyClosed }, now);
  const categories = location.categories.flatMap((id) => {
    const category = currentCategory(id);
    return category ? [categoryName(category, language)] : [];
  });
  return {
    name: location.name,
    city: location.city,
    country: location.country,
    ...(location.addressDisplay && { street }),
    categories,
    ...(today && { openToday: { date: today.date, hours: hoursText(today.periods) } }),
    services: location.services.slice(0, maxServices).map(({ title }) => title),
    ...(location.website && { website: location.website }),
    contacts: {
      phones: given(location.phone, location.cellphone, location.fax, ...(profile.callTrackingNumbers ?? [])),
      emails: given(location.email),
      links: given(location.website, ...(profile.socialProfiles ?? []).map(({ url }) => url)),
    },
  };
}

const given = (...values: (string | null)[]): string[] => values.filter((value) => value !== null);

function hoursText({ closed, from1, to1, from2, to2 }: Periods): string {
  if (closed) return '';
  const periods = [
    [from1, to1],
    [from2, to2],
  ].filter(([from, to]) => from !== undefined && to !== undefined);
  return periods.map(([from, to]) => `${from}–${to}`).join(', ');
}

export const tones = ['FRIENDLY', 'PROFESSIONAL', 'FUNNY', 'ENTHUSIASTIC', 'INFORMATIVE'] as const;
export type Tone = (typeof tones)[number];

export const lengths = ['SHORT', 'MEDIUM', 'LONG'] as const;
export type Length = (typeof lengths)[number];

const maxHashtags = 10;

export const ContentRequest = Type.Object(
  {
    topic: Type.String({
      pattern: '\\S',
      maxLength: 500,
      description: 'Topic of the post; must not be blank',
      examples: ['Fresh rye bread from our wood-fired oven'],
    }),
    tone: Type.Optional(Type.Enum([...tones], { description: 'Defaults to FRIENDLY' })),
    language: Type.Optional(
      Type.String({
        maxLength: 20,
        description: 'Language code such as de. Defaults to the first language of the location, or English',
        examples: ['en'],
      }),
    ),
    directories: Type.Optional(
      Type.Array(Type.String({ maxLength: 50 }), {
        maxItems: 20,
        description: 'Directories to write for. Defaults to all directories that support posts',
        examples: [['GOOGLE', 'FACEBOOK']],
      }),
    ),
    length: Type.Optional(
      Type.Enum([...lengths], { description: "Defaults to MEDIUM. Texts never exceed the directory's limit" }),
    ),
    keywords: Type.Optional(
      Type.Array(Type.String({ pattern: '\\S', maxLength: 50, description: 'A keyword; must not be blank' }), {
        maxItems: 10,
        description: 'Words that the text should contain',
      }),
    ),
    hashtags: Type.Optional(
      Type.Unsafe<boolean | string[]>({
        type: ['boolean', 'array'],
        items: { type: 'string', maxLength: 50 },
        maxItems: maxHashtags,
        description: `true for generated hashtags, or up to ${maxHashtags} hashtags to use. Defaults to none`,
      }),
    ),
    emoji: Type.Optional(Type.Boolean({ description: 'Whether to use emoji. Defaults to false' })),
    variants: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3, description: 'Texts per directory. Defaults to 1' }),
    ),
    locationId: Type.Optional(Type.Integer({ ...Id, description: 'Location whose data the text may use' })),
  },
  { title: 'ContentRequest' },
);
export type ContentRequest = Static<typeof ContentRequest>;

export const GeneratedContent = Type.Object(
  {
    text: Type.String({ description: 'Text of the post, with hashtags on the last line' }),
    hashtags: Type.Array(Type.String(), { description: 'Hashtags of the text, including #' }),
    characterCount: Type.Integer({ description: "Length of the text, within the directory's limit" }),
    directory: Type.String({ description: 'Directory that the text is written for', examples: ['GOOGLE'] }),
    source: Type.String({
      description: 'BUILT_IN for the built-in writer, otherwise the name of the model',
      examples: ['BUILT_IN'],
    }),
  },
  { title: 'GeneratedContent' },
);
export type GeneratedContent = Static<typeof GeneratedContent>;

/** Specification of one text. */
export interface TextSpec extends Required<Omit<ContentRequest, 'directories' | 'variants' | 'locationId'>> {
  directory: Directory;
  /** Index of the text among several for one directory. */
  variant: number;
  facts: LocationFacts | undefined;
}

export type WriteResult =
  | { kind: 'written'; text: string }
  /** The model declined to write about this topic. */
  | { kind: 'refused' }
  /** The model server is rate limited. */
  | { kind: 'limited'; retryAfterSeconds: number }
  /** The model server is misconfigured; the detail is for the operator. */
  | { kind: 'misconfigured'; detail: string }
  /** Timeout, outage or invalid response. A retry may succeed. */
  | { kind: 'unavailable'; detail: string };

export interface Writer {
  /** Value of `source` in the response. */
  readonly source: string;
  write(spec: TextSpec, signal: AbortSignal): Promise<WriteResult>;
}

/** Target lengths; the directory's limit may be lower. */
export const charactersOf: Readonly<Record<Length, number>> = { SHORT: 160, MEDIUM: 450, LONG: 1000 };
