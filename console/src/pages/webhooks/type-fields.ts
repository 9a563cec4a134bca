interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface Field {
  /** Full path: `location.name`, `changes[].field`. */
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
  values: string[];
}

/** Fields of a JSON Schema, including nested ones. */
export function fieldsOf(schema: unknown, prefix = ''): Field[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema;
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = prefix + key;
    const field = {
      name,
      type: typeText(property),
      isRequired: required.includes(key),
      description: property.description ?? '',
      values: valuesOf(property),
    };
    const inner = property.items?.properties
      ? fieldsOf(property.items, `${name}[].`)
      : property.properties
        ? fieldsOf(property, `${name}.`)
        : [];
    return [field, ...inner];
  });
}

function typeText({ type, items, anyOf, oneOf, enum: values, const: fixed }: Schema): string {
  if (items) return `${typeText(items)}[]`;
  if (type) return [type].flat().join(' | ');
  const either = anyOf ?? oneOf;
  if (either) return [...new Set(either.map(typeText))].join(' | ');
  const known = fixed ?? values?.[0];
  return known === undefined ? 'any' : typeof known;
}

function valuesOf({ enum: values = [], const: fixed, items }: Schema): string[] {
  const known = fixed === undefined ? values : [fixed];
  return known.length === 0 && items ? valuesOf(items) : known.map(String);
}
