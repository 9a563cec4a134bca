import { eventClasses, type Field, frameFields, pascalCase, valueSets, wordsOf } from './event-model.ts';

/** Go writes initialisms in upper case: FromListingURL. */
const initialisms: Record<string, string> = { id: 'ID', ids: 'IDs', url: 'URL', api: 'API', csv: 'CSV' };

export function goEvents(): string {
  const sections = [
    '// Code generated from the event catalogue by receivers/generate.ts. DO NOT EDIT.',
    'package receiver\n\nimport "encoding/json"',
    ...valueSets.map(
      ({ name, values }) =>
        `// ${name} has the known values below. Values may be added.\ntype ${name} string\n\nconst (\n${constants(name, values)}\n)`,
    ),
    [
      '// EventFrame has the fields of every event.',
      'type EventFrame struct {',
      ...frameFields.map(member),
      '\t// Text of the event, including fields that are newer than this package.\n\tRaw json.RawMessage `json:"-"`',
      '}',
    ].join('\n'),
    ...eventClasses.map(({ className, summary, fields }) =>
      [`// ${className}: ${summary}`, `type ${className} struct {`, '\tEventFrame', ...fields.map(member), '}'].join(
        '\n',
      ),
    ),
    [
      '// newEvent returns an empty event of the type, or nil if the type is unknown.',
      'func newEvent(eventType string) Event {',
      '\tswitch eventType {',
      ...eventClasses.map(({ type, className }) => `\tcase "${type}":\n\t\treturn &${className}{}`),
      '\t}\n\treturn nil\n}',
    ].join('\n'),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** Aligned like gofmt. */
function constants(name: string, values: string[]): string {
  const names = values.map((value) => name + goName(value.toLowerCase().split('_')));
  const width = Math.max(...names.map(({ length }) => length));
  return values.map((value, index) => `\t${names[index]?.padEnd(width)} ${name} = "${value}"`).join('\n');
}

function member(field: Field): string {
  const single = field.valueSet ?? { integer: 'int64', string: 'string', boolean: 'bool' }[field.type];
  const tag = `\`json:"${field.name}"\``;
  const note = field.isNullable
    ? ' Empty instead of null.'
    : field.isOptional && !field.isList
      ? ' Empty if absent.'
      : '';
  return `\t// ${field.description}${note}\n\t${goName(wordsOf(field.name))} ${field.isList ? '[]' : ''}${single} ${tag}`;
}

const goName = (words: string[]) => words.map((word) => initialisms[word] ?? pascalCase([word])).join('');
