import { eventClasses, type Field, frameFields, snakeCase, valueSets } from './event-model.ts';

export function rubyEvents(): string {
  const sections = [
    '# frozen_string_literal: true\n\n# Generated from the event catalogue by receivers/generate.ts. Do not edit.',
    'module Waypost',
    ...valueSets.map(
      ({ name, values }) =>
        `  # Known values. Values may be added.\n  module ${name}\n${values.map((value) => `    ${value} = "${value}"`).join('\n')}\n  end`,
    ),
    classText('Fields of every event.', 'Event', frameFields),
    '  # An event whose type is newer than this package. `raw` has its fields.\n  class UnknownEvent < Event\n  end',
    ...eventClasses.map(({ className, summary, fields }) => classText(summary, `${className} < Event`, fields)),
    `  EVENT_CLASSES = {\n${eventClasses.map(({ type: name, className }) => `    "${name}" => ${className},`).join('\n')}\n  }.freeze`,
    'end',
  ];
  return `${sections.join('\n\n')}\n`;
}

const classText = (summary: string, head: string, fields: Field[]) =>
  `  # ${summary}\n  class ${head}\n${fields.map(reader).join('\n\n')}\n  end`;

function reader({ name, description, type, valueSet, isList, isOptional, isNullable }: Field): string {
  const single = { integer: 'Integer', string: 'String', boolean: 'Boolean' }[type];
  const documented = `${isList ? `Array<${single}>` : single}${isOptional || isNullable ? ', nil' : ''}`;
  const known = valueSet ? ` See ${valueSet}.` : '';
  return `    # @return [${documented}] ${description}${known}\n    def ${snakeCase(name)} = raw["${name}"]`;
}
