import { writeFileSync } from 'node:fs';
import type Type from 'typebox';
import { eventTypes } from './catalogue.ts';
import { commonFields, type EventType } from './event-type.ts';

/** Generates receiver/events.ts: `node src/events/catalogue/generate-receiver-types.ts`. */

export const receiverTypesFile = new URL('../../../receiver/events.ts', import.meta.url);

const lineWidth = 120;

/** The part of JSON Schema that the catalogue uses for a field. */
interface FieldSchema {
  type?: string;
  enum?: (string | null)[];
  items?: FieldSchema;
  title?: string;
  description?: string;
}

export function receiverTypes(): string {
  const types: EventType[] = Object.values(eventTypes);
  const sections = [
    '// Generated from the event catalogue by src/events/catalogue/generate-receiver-types.ts. Do not edit.',
    ...valueSets(types),
    interfaceText('Fields of every event.', 'interface EventFrame', fieldTexts(commonFields)),
    ...types.map(eventInterface),
    [
      '/** Any event, discriminated by `type`. Types may be added, so handle unknown ones. */',
      unionType('WaypostEvent', types.map(interfaceName)),
    ].join('\n'),
    "export type WaypostEventType = WaypostEvent['type'];",
  ];
  return `${sections.join('\n\n')}\n`;
}

function eventInterface(eventType: EventType): string {
  const { properties, required } = eventType.fields;
  return interfaceText(eventType.summary, `export interface ${interfaceName(eventType)} extends EventFrame`, [
    `  type: '${eventType.type}';`,
    ...fieldTexts(properties, required),
  ]);
}

const interfaceText = (summary: string, head: string, fields: string[]) =>
  `/** ${summary} */\n${head} {\n${fields.join('\n')}\n}`;

function fieldTexts(fields: Type.TProperties, required: readonly string[] = Object.keys(fields)): string[] {
  return Object.entries(fields as Record<string, FieldSchema>).map(([name, schema]) => {
    const presence = required.includes(name) ? '' : '?';
    return `  /** ${schema.description} */\n  ${name}${presence}: ${typeText(schema)};`;
  });
}

function typeText(schema: FieldSchema): string {
  if (schema.enum) return schema.enum.includes(null) ? `${schema.title} | null` : `${schema.title}`;
  if (schema.items) return `${typeText(schema.items)}[]`;
  if (schema.type === 'integer') return 'number';
  if (schema.type === 'string' || schema.type === 'boolean') return schema.type;
  throw new Error(`No TypeScript type is known for the schema ${JSON.stringify(schema)}`);
}

function valueSets(types: EventType[]): string[] {
  const schemas = types.flatMap((eventType) => Object.values(eventType.fields.properties) as FieldSchema[]);
  const sets = new Map(schemas.flatMap(({ title, enum: values }) => (title && values ? [[title, values]] : [])));
  return [...sets].map(([title, values]) =>
    unionType(
      title,
      values.filter((value) => value !== null).map((value) => `'${value}'`),
    ),
  );
}

/** Formatted as Biome does: on one line if it fits, else one line per member. */
function unionType(name: string, members: string[]): string {
  const oneLine = `export type ${name} = ${members.join(' | ')};`;
  return oneLine.length <= lineWidth ? oneLine : `export type ${name} =\n  | ${members.join('\n  | ')};`;
}

/** LISTING_SYNC_CHECK → ListingSyncCheckEvent. */
function interfaceName({ type }: EventType): string {
  const words = type.split('_').map((word) => word.charAt(0) + word.slice(1).toLowerCase());
  return `${words.join('')}Event`;
}

if (import.meta.main) writeFileSync(receiverTypesFile, receiverTypes());
