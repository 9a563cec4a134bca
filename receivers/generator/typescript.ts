import { eventClasses, type Field, sharedFields, valueSets } from './event-model.ts';

const lineWidth = 120;

export function typescriptEvents(): string {
  const sections = [
    '// Generated from the event catalogue by receivers/generate.ts. Do not edit.',
    ...valueSets.map(({ name, values }) =>
      unionType(
        name,
        values.map((value) => `'${value}'`),
      ),
    ),
    interfaceText('Fields of every event.', 'interface EventFrame', sharedFields.map(fieldText)),
    ...eventClasses.map(({ type, className, summary, fields }) =>
      interfaceText(summary, `export interface ${className} extends EventFrame`, [
        `  type: '${type}';`,
        ...fields.map(fieldText),
      ]),
    ),
    [
      '/** Any event, discriminated by `type`. Types may be added, so handle unknown ones. */',
      unionType(
        'WaypostEvent',
        eventClasses.map(({ className }) => className),
      ),
    ].join('\n'),
    "export type WaypostEventType = WaypostEvent['type'];",
  ];
  return `${sections.join('\n\n')}\n`;
}

const interfaceText = (summary: string, head: string, fields: string[]) =>
  `/** ${summary} */\n${head} {\n${fields.join('\n')}\n}`;

const fieldText = (field: Field) =>
  `  /** ${field.description} */\n  ${field.name}${field.isOptional ? '?' : ''}: ${typeText(field)};`;

function typeText({ type, valueSet, isList, isNullable }: Field): string {
  const single = valueSet ?? (type === 'integer' ? 'number' : type);
  return `${single}${isList ? '[]' : ''}${isNullable ? ' | null' : ''}`;
}

/** Formatted as Biome does: on one line if it fits, else one line per member. */
function unionType(name: string, members: string[]): string {
  const oneLine = `export type ${name} = ${members.join(' | ')};`;
  return oneLine.length <= lineWidth ? oneLine : `export type ${name} =\n  | ${members.join('\n  | ')};`;
}
