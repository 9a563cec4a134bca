import type { Schema } from '../openapi/route-record.ts';
import { text } from './page.ts';

/** The fields of a schema as a collapsible list; named records are linked. */
export function schemaFields({ properties, required = [], allOf }: Schema): string {
  if (allOf) {
    return (allOf as Schema[])
      .map((part) => (part.$ref ? `<p>All of ${typeName(part)}, and:</p>` : schemaFields(part)))
      .join('');
  }
  const rows = Object.entries(properties ?? {}).map(([name, field]) => {
    const inner = schemaFields(entryOf(field));
    const label = `<code>${text(name)}</code> ${typeName(field)}${required.includes(name) ? ', required' : ''}`;
    const note = field.description ? ` – ${text(field.description)}` : '';
    return inner
      ? `<li><details><summary>${label}${note}</summary>${inner}</details></li>`
      : `<li>${label}${note}</li>`;
  });
  return rows.length > 0 ? `<ul class="fields">${rows.join('')}</ul>` : '';
}

/** The entry schema of a list at any depth. */
const entryOf = (schema: Schema): Schema => (schema.items ? entryOf(schema.items) : schema);

/** The type as HTML. */
export function typeName(schema: Schema): string {
  if (schema.$ref) return recordLink(schema.$ref.split('/').at(-1) ?? '');
  if (schema.enum) return text(schema.enum.map((value) => JSON.stringify(value)).join(' | '));
  if (schema.const !== undefined) return text(JSON.stringify(schema.const));
  if (schema.allOf) return (schema.allOf as Schema[]).map(typeName).join(' and ');
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' | ');
  const types = [schema.type ?? 'anything'].flat();
  return types.map((type) => (type === 'array' ? `list of ${typeName(schema.items ?? {})}` : text(type))).join(' or ');
}

const recordLink = (name: string): string => `<a href="#record-${text(name)}">${text(name)}</a>`;
