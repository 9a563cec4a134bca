import { eventClasses, type Field, frameFields, valueSets } from './event-model.ts';

export function javaEvents(): string {
  const sections = [
    '// Generated from the event catalogue by receivers/generate.ts. Do not edit.\npackage waypost.receiver;',
    'import java.util.List;\nimport java.util.Map;',
    [
      '/** An event. Types may be added, so handle unknown ones. */',
      'public sealed interface WaypostEvent {',
      ...frameFields.map((field) => `    /** ${field.description} */\n    ${javaType(field)} ${field.name}();\n`),
      '    /** All fields, including fields that are newer than this package. Integers are Long or BigInteger. */',
      '    Map<String, Object> raw();',
    ].join('\n'),
    [
      '    /**',
      '     * An event whose type is newer than this package, or whose fields differ. Fields of every event that differ are 0 or',
      '     * null.',
      '     */',
      `    record UnknownEvent(${parameters(frameFields)}, Map<String, Object> raw) implements WaypostEvent {}`,
    ].join('\n'),
    ...eventClasses.map(({ className, summary, fields }) =>
      [
        '    /**',
        `     * ${summary}`,
        '     *',
        ...fields.map(parameterText),
        '     */',
        `    record ${className}(${parameters([...frameFields, ...fields])}, Map<String, Object> raw) implements WaypostEvent {}`,
      ].join('\n'),
    ),
    ...valueSets.map(
      ({ name, values }) =>
        `    /** Known values. Values may be added. */\n    final class ${name} {\n        private ${name}() {}\n\n${values.map((value) => `        public static final String ${value} = "${value}";`).join('\n')}\n    }`,
    ),
    '}',
  ];
  return `${sections.join('\n\n')}\n`;
}

/** In a file of its own, because all members of an interface are public. */
export function javaEventFactory(): string {
  return [
    '// Generated from the event catalogue by receivers/generate.ts. Do not edit.',
    'package waypost.receiver;',
    '',
    'import waypost.receiver.WaypostEvent.*;',
    '',
    'final class EventFactory {',
    '    private EventFactory() {}',
    '',
    '    /** Returns null if the type is unknown. */',
    '    static WaypostEvent create(String type, Fields fields) {',
    '        return switch (type) {',
    ...eventClasses.map(({ type, className, fields }) =>
      [
        `            case "${type}" -> new ${className}(`,
        ...[...frameFields, ...fields].map((field) => `                    ${read(field)},`),
        '                    fields.raw());',
      ].join('\n'),
    ),
    '            default -> null;',
    '        };',
    '    }',
    '}',
    '',
  ].join('\n');
}

function javaType({ type, isList }: Field): string {
  if (isList) return type === 'integer' ? 'List<Long>' : 'List<String>';
  return { integer: 'long', string: 'String', boolean: 'boolean' }[type];
}

const parameters = (fields: Field[]) => fields.map((field) => `${javaType(field)} ${field.name}`).join(', ');

function parameterText({ name, description, valueSet, isOptional, isNullable }: Field): string {
  const known = valueSet ? ` See {@link ${valueSet}}.` : '';
  return `     * @param ${name} ${description}${known}${isOptional || isNullable ? ' May be null.' : ''}`;
}

function read({ name, type, isList, isOptional, isNullable }: Field): string {
  const single = { integer: 'integer', string: 'text', boolean: 'bool' }[type];
  const method = isList ? { integer: 'integers', string: 'texts', boolean: '' }[type] : single;
  const mayBeNull = isOptional || isNullable;
  return `fields.${mayBeNull ? `optional${method.charAt(0).toUpperCase()}${method.slice(1)}` : method}("${name}")`;
}
