import { eventClasses, type Field, frameFields, valueSets } from './event-model.ts';

export function phpEvents(): string {
  const sections = [
    '<?php\n\n// Generated from the event catalogue by receivers/generate.ts. Do not edit.',
    'declare(strict_types=1);',
    'namespace Waypost;',
    ...valueSets.map(
      ({ name, values }) =>
        `/** Known values. Values may be added. */\nfinal class ${name}\n{\n${values.map((value) => `    public const ${value} = '${value}';`).join('\n')}\n}`,
    ),
    classText('Fields of every event.', 'abstract class Event', frameFields, [
      '    /** @param array<string, mixed> $raw All fields, including fields that are newer than this package. */',
      '    public function __construct(public readonly array $raw)',
      '    {',
    ]),
    ...eventClasses.map(({ className, summary, fields }) =>
      classText(summary, `final class ${className} extends Event`, fields, [
        '    /** @param array<string, mixed> $raw */',
        '    public function __construct(array $raw)',
        '    {',
        '        parent::__construct($raw);',
      ]),
    ),
    [
      '/** @internal */',
      'final class EventClasses',
      '{',
      '    /** @var array<string, class-string<Event>> */',
      '    public const BY_TYPE = [',
      ...eventClasses.map(({ type: name, className }) => `        '${name}' => ${className}::class,`),
      '    ];',
      '}',
    ].join('\n'),
  ];
  return `${sections.join('\n\n')}\n`;
}

const classText = (summary: string, head: string, fields: Field[], constructorHead: string[]) =>
  [
    `/** ${summary} */`,
    head,
    '{',
    ...fields.map(property),
    '',
    ...constructorHead,
    ...fields.map(({ name }) => `        $this->${name} = $raw['${name}'] ?? null;`),
    '    }',
    '}',
  ].join('\n');

function property({ name, description, type, valueSet, isList, isOptional, isNullable }: Field): string {
  const single = { integer: 'int', string: 'string', boolean: 'bool' }[type];
  const mayBeNull = isOptional || isNullable;
  const documented = valueSet ? `${valueSet}::*|string` : isList ? `list<${single}>` : '';
  const comment = documented ? `@var ${documented}${mayBeNull ? '|null' : ''} ${description}` : description;
  return `    /** ${comment} */\n    public readonly ${mayBeNull ? '?' : ''}${isList ? 'array' : single} $${name};`;
}
