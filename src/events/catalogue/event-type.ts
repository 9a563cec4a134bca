import Type from 'typebox';

/** A rule across fields that JSON Schema cannot express. */
export interface ConsistencyRule<Fields> {
  readonly field: keyof Fields & string;
  readonly rule: string;
  readonly message: string;
  holds(fields: Fields): boolean;
}

/** `fields` does not include id, time, type and salesPartnerIdentifier, which every event has. */
export interface EventType<Name extends string = string, Fields extends Type.TProperties = Type.TProperties> {
  readonly type: Name;
  readonly summary: string;
  readonly fields: Type.TObject<Fields>;
  readonly rules: readonly ConsistencyRule<never>[];
  readonly example: Type.Static<Type.TObject<Fields>>;
}

interface EventTypeDefinition<Name extends string, Fields extends Type.TProperties> {
  type: Name;
  summary: string;
  fields: Fields;
  rules?: readonly ConsistencyRule<NoInfer<Type.Static<Type.TObject<Fields>>>>[];
  example: NoInfer<Type.Static<Type.TObject<Fields>>>;
}

export function defineEventType<const Name extends string, Fields extends Type.TProperties>({
  type,
  summary,
  fields,
  rules = [],
  example,
}: EventTypeDefinition<Name, Fields>): EventType<Name, Fields> {
  return { type, summary, fields: Type.Object(fields, { additionalProperties: false }), rules, example };
}

/** Fields shared by several event types. */

const id = (description: string) => Type.Integer({ minimum: 1, description });

export const ids = (description: string, options: { minItems?: number } = {}) =>
  Type.Array(Type.Integer({ minimum: 1 }), { ...options, description });

export const person = (description: string) => Type.String({ minLength: 1, description });

export const business = id('Id of the business.');

export const location = id('Id of the location. Read the location to get its current data.');

export const directoryType = Type.String({
  pattern: '^[A-Z][A-Z0-9_]*$',
  description: 'Name of the directory in upper case, such as GOOGLE or APPLE_MAPS.',
});

export const comment = Type.String({ description: 'Human-readable description.' });

export const changedBy = Type.String({
  pattern: '^(PRIVATE_TOKEN|SYSTEM|[^\\s@]+@[^\\s@]+)$',
  description:
    "Author of the change: the user's e-mail address, PRIVATE_TOKEN (an API client with a private key) or SYSTEM (the platform).",
});

export const listingReference = {
  business,
  listing: id('Id of the listing.'),
  location,
};

export const businessPageReference = {
  business,
  directoryType,
  directoryBusinessPage: id('Id of the brand page of the datapoints.'),
};

export const moment = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}\\+00:00$', description });

/** Fields of every event. */
export const commonFields = {
  id: Type.Integer({
    minimum: 1,
    description:
      'Unique across all partners and increasing. A delivery may arrive twice; use the id to detect duplicates.',
  }),
  time: moment('Time of the event in UTC with milliseconds: 2026-11-15T01:02:03.456+00:00.'),
  salesPartnerIdentifier: Type.String({ minLength: 1, description: 'Partner account of the event.' }),
};
