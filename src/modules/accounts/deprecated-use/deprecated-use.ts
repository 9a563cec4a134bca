import Type, { type Static } from 'typebox';

/** Something old that a partner used. */
export interface DeprecatedUse {
  partnerId: number;
  /** The version of the request. */
  version: string;
  /** A field, a form of one, or a parameter. */
  name: string;
  /** The entry of the change record that replaced it. */
  replacedBy: string;
}

export interface CountedUse extends DeprecatedUse {
  count: number;
  lastUsed: Date;
}

export const longestDays = 90;

export const DeprecatedUseResponse = Type.Object({
  name: Type.String({ description: 'The field or parameter', examples: ['websiteExtra'] }),
  version: Type.String({ description: 'The version of the requests that used it', examples: ['20220222'] }),
  replacedBy: Type.String({
    description: 'The version that replaced it: see GET /api/versions',
    examples: ['20230407'],
  }),
  count: Type.Integer({ description: 'How many requests used it' }),
  lastUsed: Type.String({ examples: ['2026-11-15T08:30:00.000Z'] }),
});

export const deprecatedUseResponse = ({
  name,
  version,
  replacedBy,
  count,
  lastUsed,
}: CountedUse): Static<typeof DeprecatedUseResponse> => ({
  name,
  version,
  replacedBy,
  count,
  lastUsed: lastUsed.toISOString(),
});
