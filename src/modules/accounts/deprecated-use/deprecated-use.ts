import Type, { type Static } from 'typebox';

/** A deprecated field or parameter in a partner's request. */
export interface DeprecatedUse {
  partnerId: number;
  /** The version of the request. */
  version: string;
  /** A field, a format of a field, or a parameter. */
  name: string;
  /** The API version that replaced it. */
  replacedBy: string;
}

export interface CountedUse extends DeprecatedUse {
  count: number;
  lastUsed: Date;
}

export const maxDays = 90;

export const DeprecatedUseResponse = Type.Object({
  name: Type.String({ description: 'Name of the field or parameter', examples: ['websiteExtra'] }),
  version: Type.String({ description: 'API version of the requests that used it', examples: ['20220222'] }),
  replacedBy: Type.String({
    description: 'API version that replaced it. See GET /api/versions.',
    examples: ['20230407'],
  }),
  count: Type.Integer({ description: 'Number of requests that used it' }),
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
