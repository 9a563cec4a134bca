import type { RecordSchema } from '../versions/shape.ts';
import type { ShapeChange, VersionChange } from '../versions/version-change.ts';
import { baseOf, isExtension, nameOf } from './named-schemas.ts';
import type { Schema } from './route-record.ts';

/** The entries of the change record as one version sees them. */
export interface EntriesSeen {
  /** Entries after the version, newest first. */
  later: readonly VersionChange[];
  /** Entries that apply to some partners only. */
  forSome: readonly VersionChange[];
}

const largeRecord = 20;

/** Named schemas are written once and referenced. */
export class Components {
  readonly schemas: Record<string, Schema> = {};
  readonly #entries: EntriesSeen;

  constructor(entries: EntriesSeen) {
    this.#entries = entries;
  }

  /** Replaces named schemas with references. */
  refer(schema: Schema): Schema {
    if (schema.enum && schema.title) return this.#referToEnum(schema.title, schema);
    const name = schema.properties && nameOf(schema);
    if (name === undefined) return this.#inner(schema);
    if (!Object.hasOwn(this.schemas, name)) {
      // Set before the recursion, for recursive schemas.
      this.schemas[name] = {};
      this.schemas[name] = this.#inner(this.#asOfThen(schema));
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** A large record that extends another one references it. */
  joinLargeRecords(): void {
    const isLarge = ({ properties = {} }: Schema) => Object.keys(properties).length >= largeRecord;
    const large = Object.entries(this.schemas).filter(([, schema]) => isLarge(schema));
    for (const [name, schema] of large) {
      const base = large.find(([, other]) => isExtension(schema, other));
      if (!base) continue;
      const reference = { $ref: `#/components/schemas/${base[0]}` };
      this.schemas[name] = { allOf: [reference, without(schema, base[1])] };
    }
  }

  /** The description and default stay with the use. */
  #referToEnum(name: string, { description, default: preset, title: _, ...values }: Schema): Schema {
    const { schemas } = this;
    const kept = schemas[name]?.enum ?? values.enum;
    // A use with other values, such as null, is inlined.
    if (JSON.stringify(kept) !== JSON.stringify(values.enum)) {
      return typed({
        ...values,
        ...(description && { description }),
        ...(preset !== undefined && { default: preset }),
      });
    }
    schemas[name] ??= typed(values);
    const reference = { $ref: `#/components/schemas/${name}` };
    return { ...reference, ...(description && { description }), ...(preset !== undefined && { default: preset }) };
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

  /** Without the title (the name) and the examples (next to the schema). */
  #inner(schema: Schema): Schema {
    const base = baseOf(schema);
    if (base) return { allOf: [this.refer(base), this.#inner(without(schema, base))] };
    const { properties, items, anyOf, patternProperties, title: _, examples: __, ...rest } = schema;
    return {
      ...typed(rest),
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

/** The additional fields of an extended record. */
function without(schema: Schema, base: Schema): Schema {
  const isOwn = (name: string) => !Object.hasOwn(base.properties ?? {}, name);
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => isOwn(name));
  const required = schema.required?.filter(isOwn) ?? [];
  const { required: _, ...rest } = schema;
  return { ...rest, ...(required.length > 0 && { required }), properties: Object.fromEntries(own) };
}

/** Tools need the type beside the values of an enum. */
function typed(schema: Schema): Schema {
  if (schema.type !== undefined || schema.enum === undefined) return schema;
  const types = [...new Set(schema.enum.map(typeOf))];
  return { type: types.length === 1 ? (types[0] as string) : types, ...schema };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** The union of two schemas; fields are required only if both require them. */
function either(one: RecordSchema, other: RecordSchema): RecordSchema {
  return {
    ...one,
    properties: { ...other.properties, ...one.properties },
    ...(one.required && { required: one.required.filter((name) => other.required?.includes(name)) }),
  };
}
