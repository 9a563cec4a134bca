import type Type from 'typebox';
import type { TLocalizedValidationError } from 'typebox/error';
import type { EventType } from './define-event-type.ts';

export interface FieldProblem {
  field: string;
  rule: string;
  message: string;
}

/** Messages for validation errors. Never empty if the validator rejected the value. */
export function fieldProblems(eventType: EventType, errors: readonly TLocalizedValidationError[]): FieldProblem[] {
  return errors.flatMap((error) => describe(eventType, error));
}

function describe(eventType: EventType, error: TLocalizedValidationError): FieldProblem[] {
  const field = fieldName(error.instancePath);
  const must = (rule: string, what: string): FieldProblem[] => [{ field, rule, message: `${field} must ${what}.` }];
  const meaning = (name: string) => (eventType.fields.properties[name] as Type.TSchemaOptions | undefined)?.description;

  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        field: name,
        rule: 'required',
        message: `${name} is missing. ${meaning(name)}`,
      }));
    // Unknown fields are also reported one by one as the keyword 'boolean'; this summary may be cut off.
    case 'additionalProperties':
      return [];
    case 'boolean':
      return [
        {
          field,
          rule: 'unknown-field',
          message: `${field} is not a field of ${eventType.type}. Use ${namesOf(eventType).join(', ')}.`,
        },
      ];
    case 'type':
      return must('type', `be ${withArticle([error.params.type].flat().join(' or '))}`);
    case 'enum':
      return must('enum', `be one of ${error.params.allowedValues.join(', ')}`);
    case 'minimum':
      return must('minimum', `be at least ${error.params.limit}`);
    case 'minItems':
    case 'minLength':
      return must(error.keyword, 'not be empty');
    case 'pattern':
      return [{ field, rule: 'pattern', message: `${field} has an invalid format. ${meaning(field)}` }];
    default:
      return must(error.keyword, error.message.replace(/^must /, ''));
  }
}

const namesOf = (eventType: EventType) => Object.keys(eventType.fields.properties);

const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** Converts `/newDataPointIds/3` to `newDataPointIds[3]`; the root is `event`. */
function fieldName(instancePath: string): string {
  const [name, ...inner] = instancePath.split('/').slice(1).map(unescapePointer);
  return name === undefined ? 'event' : name + inner.map((step) => `[${step}]`).join('');
}

const unescapePointer = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');
