import type { Schema } from '../openapi/route-record.ts';
import { text } from './page.ts';

const deepest = 6;

/** The fields of a schema as a list that can be unfolded. */
export function schemaFields(schema: Schema, components: Record<string, Schema>, depth = 0): string {
  const { properties, required = [] } = followed(schema, components);
  const rows = Object.entries(properties ?? {}).map(([name, field]) => {
    const resolved = followed(field.items ?? field, components);
    const inner = resolved.properties && depth < deepest ? schemaFields(resolved, components, depth + 1) : '';
    const label = `<code>${text(name)}</code> ${text(typeName(field, components))}${required.includes(name) ? ', required' : ''}`;
    const note = field.description ? ` – ${text(field.description)}` : '';
    return inner
      ? `<li><details><summary>${label}${note}</summary>${inner}</details></li>`
      : `<li>${label}${note}</li>`;
  });
  return rows.length > 0 ? `<ul class="fields">${rows.join('')}</ul>` : '';
}

/** A type in a word or two. */
export function typeName(schema: Schema, components: Record<string, Schema>): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'object';
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map((choice) => typeName(choice, components)).join(' | ');
  if (schema.type === 'array') return `list of ${typeName(schema.items ?? {}, components)}`;
  return [schema.type ?? 'anything'].flat().join(' or ');
}

function followed(schema: Schema, components: Record<string, Schema>): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (components[name] ?? {});
}
