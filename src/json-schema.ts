/** A JSON Schema, with the keywords that Waypost reads. */
export interface Schema {
  title?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  patternProperties?: Record<string, Schema>;
  default?: unknown;
  examples?: unknown[];
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  writeOnly?: boolean;
  $ref?: string;
  /** The kind of record that the schema describes, for API versions. */
  'x-resource'?: string;
  /** The name of the OpenAPI parameter that several operations share. */
  'x-parameter'?: string;
  /** Aliases of a query parameter. */
  'x-also'?: readonly string[];
  [keyword: string]: unknown;
}

/** The fields of a schema; none unless it is that of an object. */
export const propertiesOf = (schema: object | undefined): Record<string, Schema> =>
  (schema as Schema | undefined)?.properties ?? {};

/** The schema of a field; undefined for a name that only the prototype of an object has. */
export const fieldOf = (properties: Record<string, Schema>, name: string): Schema | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;
