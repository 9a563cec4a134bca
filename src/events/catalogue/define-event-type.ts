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
