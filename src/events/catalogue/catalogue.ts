import Type from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { businessCreated, businessProductPlanChanged } from './business-events.ts';
import {
  brandDatapointCheck,
  directoryBusinessPageDataPointCheck,
  directoryBusinessPageDataPointInvalid,
  listingDatapointCheck,
  listingDatapointInvalid,
} from './datapoint-events.ts';
import { commonFields, type EventType } from './event-type.ts';
import { listingLinkChange, listingStatusChange, listingSyncCheck, listingUpdate } from './listing-events.ts';
import {
  locationCreated,
  locationDataSuggestion,
  locationProfileChanged,
  locationStatusChanged,
} from './location-events.ts';

export const eventTypes = byName([
  listingSyncCheck,
  listingStatusChange,
  listingLinkChange,
  listingUpdate,
  listingDatapointCheck,
  listingDatapointInvalid,
  directoryBusinessPageDataPointCheck,
  brandDatapointCheck,
  directoryBusinessPageDataPointInvalid,
  locationCreated,
  locationStatusChanged,
  locationProfileChanged,
  locationDataSuggestion,
  businessCreated,
  businessProductPlanChanged,
]);

export type EventTypeName = keyof typeof eventTypes;

/** The fields of an event beyond id, time, type and salesPartnerIdentifier. */
export type EventFields<T extends EventTypeName> = (typeof eventTypes)[T]['example'];

export type CatalogueEvent<T extends EventTypeName = EventTypeName> = {
  [Name in T]: Type.Static<Type.TObject<typeof commonFields>> & { type: Name } & EventFields<Name>;
}[T];

export const eventTypeNames = Object.keys(eventTypes) as readonly EventTypeName[];

export const isEventType = (name: string): name is EventTypeName => Object.hasOwn(eventTypes, name);

const validators = new Map<EventTypeName, Validator>();

/** All problems of the fields; empty if they are valid. */
export function checkEventFields(type: EventTypeName, fields: unknown): FieldProblem[] {
  const eventType: EventType = eventTypes[type];
  const validator = validatorOf(type);
  if (!validator.Check(fields)) return fieldProblems(eventType, validator.Errors(fields));
  return eventType.rules
    .filter((rule) => !rule.holds(fields as never))
    .map(({ field, rule, message }) => ({ field, rule, message }));
}

/** Compiled on first use: compiling takes about 1 ms, checking 1 µs. */
function validatorOf(type: EventTypeName): Validator {
  let validator = validators.get(type);
  if (!validator) {
    validator = Compile(eventTypes[type].fields as Type.TSchema);
    validators.set(type, validator);
  }
  return validator;
}

/** The whole event as JSON Schema. */
export function eventJsonSchema(type: EventTypeName) {
  const { summary, fields } = eventTypes[type];
  const { id, time, salesPartnerIdentifier } = commonFields;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: type,
    description: summary,
    ...Type.Object(
      { id, time, type: Type.Literal(type), salesPartnerIdentifier, ...fields.properties },
      // Fields may be added at any time, so receivers must accept unknown fields.
      { additionalProperties: true },
    ),
    examples: [exampleEvent(type)],
  };
}

export function exampleEvent<T extends EventTypeName>(type: T): CatalogueEvent<T> {
  const common = { id: 184467, time: '2026-11-15T01:02:03.456+00:00', type, salesPartnerIdentifier: 'hansekontor' };
  return { ...common, ...eventTypes[type].example } as CatalogueEvent<T>;
}

function byName<const Types extends readonly EventType[]>(types: Types) {
  return Object.fromEntries(types.map((eventType) => [eventType.type, eventType])) as {
    readonly [T in Types[number] as T['type']]: T;
  };
}

interface FieldProblem {
  field: string;
  rule: string;
  message: string;
}

/** Messages for validation errors. Never empty if the validator rejected the value. */
function fieldProblems(eventType: EventType, errors: readonly TLocalizedValidationError[]): FieldProblem[] {
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
