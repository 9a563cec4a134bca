import Type from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { brandDatapointCheck } from './brand-datapoint-check.ts';
import { businessCreated } from './business-created.ts';
import { businessProductPlanChanged } from './business-product-plan-changed.ts';
import { commonFields } from './common-fields.ts';
import type { EventType } from './define-event-type.ts';
import { directoryBusinessPageDataPointCheck } from './directory-business-page-data-point-check.ts';
import { directoryBusinessPageDataPointInvalid } from './directory-business-page-data-point-invalid.ts';
import { type FieldProblem, fieldProblems } from './field-problem.ts';
import { listingDatapointCheck } from './listing-datapoint-check.ts';
import { listingDatapointInvalid } from './listing-datapoint-invalid.ts';
import { listingLinkChange } from './listing-link-change.ts';
import { listingStatusChange } from './listing-status-change.ts';
import { listingSyncCheck } from './listing-sync-check.ts';
import { listingUpdate } from './listing-update.ts';
import { locationCreated } from './location-created.ts';
import { locationDataSuggestion } from './location-data-suggestion.ts';
import { locationProfileChanged } from './location-profile-changed.ts';
import { locationStatusChanged } from './location-status-changed.ts';

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
