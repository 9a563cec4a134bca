import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';

export const tones = ['FRIENDLY', 'PROFESSIONAL', 'FUNNY', 'ENTHUSIASTIC', 'INFORMATIVE'] as const;
export type Tone = (typeof tones)[number];

export const lengths = ['SHORT', 'MEDIUM', 'LONG'] as const;
export type Length = (typeof lengths)[number];

const mostHashtags = 10;

/** What a post is to be about, and how it is to be written. */
export const ContentRequest = Type.Object(
  {
    topic: Type.String({
      pattern: '\\S',
      maxLength: 500,
      description: 'What the post is about, not only spaces',
      examples: ['Fresh rye bread from our wood-fired oven'],
    }),
    tone: Type.Optional(Type.Enum([...tones], { description: 'FRIENDLY unless it is given' })),
    language: Type.Optional(
      Type.String({
        maxLength: 20,
        description: 'Language code such as de; the first language of the location, or English, unless it is given',
        examples: ['en'],
      }),
    ),
    directories: Type.Optional(
      Type.Array(Type.String({ maxLength: 50 }), {
        maxItems: 20,
        description: 'Where the post is to appear; every directory that takes posts unless it is given',
        examples: [['GOOGLE', 'FACEBOOK']],
      }),
    ),
    length: Type.Optional(
      Type.Enum([...lengths], { description: 'MEDIUM unless it is given; never longer than the directory takes' }),
    ),
    keywords: Type.Optional(
      Type.Array(Type.String({ pattern: '\\S', maxLength: 50, description: 'A word, not only spaces' }), {
        maxItems: 10,
        description: 'Words that the text should have',
      }),
    ),
    hashtags: Type.Optional(
      Type.Unsafe<boolean | string[]>({
        type: ['boolean', 'array'],
        items: { type: 'string', maxLength: 50 },
        maxItems: mostHashtags,
        description: `true for hashtags that fit, or those to use, at most ${mostHashtags}; none unless it is given`,
      }),
    ),
    emoji: Type.Optional(Type.Boolean({ description: 'Whether the text has emoji; false unless it is given' })),
    variants: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3, description: 'Texts for each directory; 1 unless it is given' }),
    ),
    locationId: Type.Optional(
      Type.Integer({ ...Id, description: 'The location that the post speaks for: the text keeps to its data' }),
    ),
  },
  { title: 'ContentRequest' },
);
export type ContentRequest = Static<typeof ContentRequest>;

export const GeneratedContent = Type.Object(
  {
    text: Type.String({ description: 'Ready to be published, with its hashtags on the last line' }),
    hashtags: Type.Array(Type.String(), { description: 'Those of the text, each with its #' }),
    characterCount: Type.Integer({ description: "Of the whole text; within the directory's limit" }),
    directory: Type.String({ description: 'The directory that it is written for', examples: ['GOOGLE'] }),
    source: Type.String({
      description: 'Who wrote it: BUILT_IN for the built-in writer, otherwise the name of the model',
      examples: ['BUILT_IN'],
    }),
  },
  { title: 'GeneratedContent' },
);
export type GeneratedContent = Static<typeof GeneratedContent>;
