import { eventClasses, type Field, frameFields, pascalCase, valueSets, wordsOf } from './event-model.ts';

export function csharpEvents(): string {
  const sections = [
    '// Generated from the event catalogue by receivers/generate.ts. Do not edit.\n#nullable enable',
    [
      'using System;',
      'using System.Collections.Generic;',
      'using System.Text.Json;',
      'using System.Text.Json.Serialization;',
    ].join('\n'),
    'namespace Waypost;',
    recordText('Fields of every event.', 'abstract record WaypostEvent', [
      ...frameFields.map(property),
      [
        '    /// <summary>All fields, including fields that are newer than this package.</summary>',
        '    [JsonIgnore]',
        '    public JsonElement Raw { get; internal set; }',
      ].join('\n'),
    ]),
    recordText(
      'An event whose type is newer than this package, or whose fields have other types. Raw has its fields.',
      'sealed record UnknownEvent : WaypostEvent',
      [],
    ),
    ...eventClasses.map(({ className, summary, fields }) =>
      recordText(summary, `sealed record ${className} : WaypostEvent`, fields.map(property)),
    ),
    ...valueSets.map(({ name, values }) =>
      [
        '/// <summary>Known values. Values may be added.</summary>',
        `public static class ${name}`,
        '{',
        ...values.map((value) => `    public const string ${pascalCase(value.toLowerCase().split('_'))} = "${value}";`),
        '}',
      ].join('\n'),
    ),
    [
      'internal static class EventRecords',
      '{',
      '    internal static readonly Dictionary<string, Type> ByType = new()',
      '    {',
      ...eventClasses.map(({ type, className }) => `        ["${type}"] = typeof(${className}),`),
      '    };',
      '}',
    ].join('\n'),
  ];
  return `${sections.join('\n\n')}\n`;
}

const recordText = (summary: string, head: string, properties: string[]) =>
  `/// <summary>${escaped(summary)}</summary>\npublic ${head}\n{\n${properties.join('\n\n')}${properties.length > 0 ? '\n' : ''}}`;

function property({ name, description, type, valueSet, isList, isOptional, isNullable }: Field): string {
  const single = { integer: 'long', string: 'string', boolean: 'bool' }[type];
  const mayBeNull = isOptional || isNullable;
  const listOrSingle = isList ? `IReadOnlyList<${single}>` : single;
  const empty = isList ? ` = Array.Empty<${single}>();` : single === 'string' ? ' = "";' : '';
  const known = valueSet ? ` See <see cref="Waypost.${valueSet}"/>.` : '';
  return [
    `    /// <summary>${escaped(description)}${known}</summary>`,
    `    [JsonPropertyName("${name}")]`,
    `    public ${listOrSingle}${mayBeNull ? '?' : ''} ${pascalCase(wordsOf(name))} { get; init; }${mayBeNull ? '' : empty}`,
  ].join('\n');
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
