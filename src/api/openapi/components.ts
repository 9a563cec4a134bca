import type { VersionChange } from '../versions/version-change.ts';
import type { Schema } from './route-record.ts';

/** Schemas that have a name of their own are written once and referred to. */
export class Components {
  readonly schemas: Record<string, Schema> = {};
  readonly #changes: readonly VersionChange[];

  /** With the changes that a version does not have yet, the newest first. */
  constructor(changes: readonly VersionChange[]) {
    this.#changes = changes;
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
    const kind = today['x-resource'];
    const changes = this.#changes.flatMap(({ shapes = [] }) => shapes.filter(({ resource }) => resource === kind));
    return changes.reduce<Schema>(
      (schema, { describe }) => (describe?.(schema) as Schema | undefined) ?? schema,
      today,
    );
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
