import type Type from 'typebox';
import { eventTypes } from '../../src/events/catalogue/catalogue.ts';
import { commonFields, type EventType } from '../../src/events/catalogue/event-type.ts';

/** The event catalogue in the form that the templates of the languages use. */

export interface Field {
  name: string;
  description: string;
  type: 'integer' | 'string' | 'boolean';
  isList: boolean;
  /** The set of known values, such as SyncStatus. */
  valueSet?: string;
  isOptional: boolean;
  isNullable: boolean;
}

export interface EventClass {
  type: string;
  className: string;
  summary: string;
  /** Without id, time, type and salesPartnerIdentifier. */
  fields: Field[];
}

export interface ValueSet {
  name: string;
  values: string[];
}

/** The part of JSON Schema that the catalogue uses for a field. */
interface FieldSchema {
  type?: string;
  enum?: (string | null)[];
  items?: FieldSchema;
  title?: string;
  description?: string;
}

const catalogue: EventType[] = Object.values(eventTypes);

/** id, time and salesPartnerIdentifier. */
export const sharedFields: Field[] = fieldsOf(commonFields);

const typeField: Field = {
  name: 'type',
  description: 'Event type, such as LOCATION_CREATED.',
  type: 'string',
  isList: false,
  isOptional: false,
  isNullable: false,
};

/** id, time, type and salesPartnerIdentifier. */
export const frameFields: Field[] = sharedFields.flatMap((field) =>
  field.name === 'time' ? [field, typeField] : [field],
);

export const eventClasses: EventClass[] = catalogue.map(({ type, summary, fields }) => ({
  type,
  className: className(type),
  summary,
  fields: fieldsOf(fields.properties, fields.required),
}));

export const valueSets: ValueSet[] = [
  ...new Map(
    catalogue
      .flatMap(({ fields }) => Object.values(fields.properties) as FieldSchema[])
      .flatMap(({ title, enum: values }) => (title && values ? [[title, values] as const] : [])),
  ),
].map(([name, values]) => ({ name, values: values.filter((value) => value !== null) }));

/** LISTING_SYNC_CHECK → ListingSyncCheckEvent. */
export function className(type: string): string {
  return `${pascalCase(type.toLowerCase().split('_'))}Event`;
}

/** fromListingUrl → from, listing, url. */
export const wordsOf = (name: string) => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());

export const snakeCase = (name: string) => wordsOf(name).join('_');

export function pascalCase(words: string[]): string {
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function fieldsOf(fields: Type.TProperties, required: readonly string[] = Object.keys(fields)): Field[] {
  return Object.entries(fields as Record<string, FieldSchema>).map(([name, schema]) => ({
    name,
    description: schema.description ?? '',
    type: typeOf(schema),
    isList: schema.items !== undefined,
    ...(schema.enum && schema.title && { valueSet: schema.title }),
    isOptional: !required.includes(name),
    isNullable: schema.enum?.includes(null) ?? false,
  }));
}

function typeOf(schema: FieldSchema): Field['type'] {
  const type = schema.enum ? 'string' : (schema.items?.type ?? schema.type);
  if (type === 'integer' || type === 'string' || type === 'boolean') return type;
  throw new Error(`No type is known for the schema ${JSON.stringify(schema)}`);
}
