import type { RecordSchema } from '../versions/shape.ts';
import type { ShapeChange, VersionChange } from '../versions/version-change.ts';
import type { Schema } from './route-record.ts';

/** The entries of the change record as one version sees them. */
export interface EntriesSeen {
  /** Those that the version does not have yet, the newest first. */
  later: readonly VersionChange[];
  /** Those that it has for some partners only. */
  forSome: readonly VersionChange[];
}

/** Schemas that have a name of their own are written once and referred to. */
export class Components {
  readonly schemas: Record<string, Schema> = {};
  readonly #entries: EntriesSeen;

  constructor(entries: EntriesSeen) {
    this.#entries = entries;
  }

  /** The same schema with references in place of whatever has a name. */
  refer(schema: Schema): Schema {
    const { title } = schema;
    if (title === undefined || schema.properties === undefined) return this.#inner(schema);
    if (!Object.hasOwn(this.schemas, title)) {
      // First the name, so that a record that holds its own kind ends.
      this.schemas[title] = {};
      this.schemas[title] = this.#inner(this.#asOfThen(schema));
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  #asOfThen(today: Schema): Schema {
    const { later, forSome } = this.#entries;
    const changesIn = (entries: readonly VersionChange[]): ShapeChange[] =>
      entries.flatMap(({ shapes = [] }) => shapes.filter(({ resource }) => resource === today['x-resource']));
    let schema: RecordSchema = today;
    for (const { describe } of changesIn(forSome)) if (describe) schema = either(schema, describe(schema));
    for (const { describe } of changesIn(later)) if (describe) schema = describe(schema);
    return schema as Schema;
  }

  #inner(schema: Schema): Schema {
    const { properties, items, anyOf, patternProperties, ...rest } = schema;
    return {
      ...rest,
      ...(properties && { properties: this.#each(properties) }),
      ...(items && { items: this.refer(items) }),
      ...(anyOf && { anyOf: anyOf.map((choice) => this.refer(choice)) }),
      ...(patternProperties && { patternProperties: this.#each(patternProperties) }),
    };
  }

  #each(schemas: Record<string, Schema>): Record<string, Schema> {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.refer(schema)]));
  }
}

/** What two partners may see under one name: what either has, and nothing required that one of them has not. */
function either(one: RecordSchema, other: RecordSchema): RecordSchema {
  return {
    ...one,
    properties: { ...other.properties, ...one.properties },
    ...(one.required && { required: one.required.filter((name) => other.required?.includes(name)) }),
  };
}
