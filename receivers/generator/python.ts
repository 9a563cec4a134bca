import { eventClasses, type Field, frameFields, snakeCase, valueSets } from './event-model.ts';

const keywords = new Set(['from', 'in', 'is', 'class', 'import', 'global', 'pass']);

export function pythonEvents(): string {
  const exported = [
    ...valueSets.map(({ name }) => name),
    'Event',
    'UnknownEvent',
    ...eventClasses.map(({ className }) => className),
  ];
  const sections = [
    [
      '"""Generated from the event catalogue by receivers/generate.ts. Do not edit."""',
      '',
      'from dataclasses import dataclass',
      'from typing import Any, Literal',
    ].join('\n'),
    `__all__ = [\n${exported.map((name) => `    "${name}",\n`).join('')}]`,
    valueSets
      .map(({ name, values }) => `${name} = Literal[\n${values.map((value) => `    "${value}",\n`).join('')}]`)
      .join('\n'),
    dataclass('Event', '', 'Fields of every event.', [
      ...frameFields.map(attribute),
      '    raw: dict[str, Any]\n    """All fields by their JSON names, including fields that are newer than this package."""',
    ]),
    dataclass('UnknownEvent', 'Event', 'An event whose type is newer than this package. `raw` has its fields.', []),
    ...eventClasses.map(({ type, className, summary, fields }) =>
      dataclass(className, 'Event', summary, [`    type: Literal["${type}"]`, ...fields.map(attribute)]),
    ),
    `EVENT_CLASSES: dict[str, type[Event]] = {\n${eventClasses.map(({ type, className }) => `    "${type}": ${className},\n`).join('')}}`,
  ];
  return `${sections.join('\n\n\n')}\n`;
}

const dataclass = (name: string, base: string, summary: string, attributes: string[]) =>
  [
    '@dataclass(frozen=True, kw_only=True)',
    `class ${name}${base && `(${base})`}:`,
    `    """${summary}"""`,
    ...(attributes.length > 0 ? ['', ...attributes] : []),
  ].join('\n');

function attribute(field: Field): string {
  const snake = snakeCase(field.name);
  const name = keywords.has(snake) ? `${snake}_` : snake;
  const single = field.valueSet ?? { integer: 'int', string: 'str', boolean: 'bool' }[field.type];
  const type = field.isList ? `list[${single}]` : single;
  const missing = field.isOptional ? ' | None = None' : field.isNullable ? ' | None' : '';
  return `    ${name}: ${type}${missing}\n    """${field.description}"""`;
}
