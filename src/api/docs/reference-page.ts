import type { Schema } from '../../json-schema.ts';
import { type OpenApiDocument, type Operation, successOf } from '../openapi/openapi-document.ts';
import { type NamedResponse, responseSchema } from '../openapi/responses.ts';
import { timeline } from '../versions/timeline.ts';
import { page, text } from './page.ts';

interface Entry {
  path: string;
  method: string;
  operation: Operation;
}

export function referencePage(document: OpenApiDocument): string {
  const operations: Entry[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? 'api');
  const version = document.info.version.slice(1);
  const contents = [...groups.keys(), 'records'].map((tag) => `<li><a href="#${text(tag)}">${text(tag)}</a></li>`);
  const sections = [...groups].map(
    ([tag, entries]) =>
      `<h2 id="${text(tag)}">${text(tag)}</h2>${overview(entries)}${entries.map((entry) => operationSection(entry, document)).join('')}`,
  );
  return page(
    `Waypost API ${document.info.version}`,
    `<div class="columns"><nav aria-label="Contents"><ul>${contents.join('')}</ul></nav><main>
<h1>API reference</h1>
<form method="get" action="/docs"><label>Version <select name="v">${timeline
      .toReversed()
      .map((entry) => `<option${entry.version === version ? ' selected' : ''}>${entry.version}</option>`)
      .join('')}</select></label> <button>Show</button>
<a href="/docs/openapi/${version}.json">OpenAPI document</a> <a href="/docs/asyncapi.json">AsyncAPI document of the events</a> <a href="/docs/changes#_${version}">Changes in this version</a></form>
<p>${text(document.info.description)}</p>
<pre tabindex="0" role="group" aria-label="An example">curl -H "privateKey: $PRIVATE_KEY" -H "X-Api-Version: ${version}" "$WAYPOST/api/locations?fieldMask=name"</pre>
<p>Programs send the private key of their partner, users the <code>accessToken</code> of their session, websites the
<code>publicKey</code>. Every JSON response is an envelope: <code>{"status", "response", "message", "errorCode", "errors",
"details", "warnings"}</code>. Check <code>status</code>. <code>errors</code> list the field, the rule and the accepted values;
<code>warnings</code> list ignored and deprecated parts of the request.</p>
${sections.join('')}${recordSections(document.components.schemas)}</main></div>`,
  );
}

/** The operations of a tag. */
function overview(entries: readonly Entry[]): string {
  if (entries.length === 1) return '';
  const calls = entries.map(
    ({ path, method, operation }) =>
      `<li>${methodMark(method)}<a href="#${text(operation.operationId)}"><code>${text(path)}</code></a> ${text(operation.summary)}</li>`,
  );
  return `<ul class="calls">${calls.join('')}</ul>`;
}

const methodMark = (method: string): string => `<span class="method ${method.toLowerCase()}">${method}</span> `;

function operationSection({ path, method, operation }: Entry, document: OpenApiDocument): string {
  const { parameters, requestBody, description, operationId } = operation;
  const rows = parameters
    .filter((parameter) => 'in' in parameter)
    .map(
      ({ name, in: place, required, schema }) =>
        `<tr><td><code>${text(name)}</code></td><td>${place}${required ? ', required' : ''}</td><td>${typeName(schema)}${
          schema.default === undefined ? '' : `, ${text(JSON.stringify(schema.default))} by default`
        }</td><td>${text(schema.description ?? '')}</td></tr>`,
    );
  const success = successOf(operation, document);
  return `<section id="${text(operationId)}" aria-labelledby="${text(operationId)}-title">
<h3 id="${text(operationId)}-title">${methodMark(method)}<code>${text(path)}</code></h3>
<p>${text(description)}</p>
${rows.length > 0 ? `<table class="parameters"><thead><tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>` : ''}
${requestBody ? `<h4>Body</h4>${forms(requestBody.content, operationId)}` : ''}
<h4>Response</h4>${success ? forms(success.content, operationId) : ''}
<p class="failures">${Object.entries(operation['x-error-statuses']).map(failure).join(' · ')}</p></section>`;
}

/** A body or response by media type. */
const forms = (content: NamedResponse['content'], operationId: string): string =>
  Object.entries(content)
    .map(([mediaType, { schema, examples = {} }]) => {
      if (schema.format === 'binary') return `<p>A file: <code>${text(mediaType)}</code></p>`;
      const media = mediaType === 'application/json' ? '' : `<p><code>${text(mediaType)}</code></p>`;
      const example = examples[operationId] ?? examples.example;
      return `${media}${shown(responseSchema(schema) ?? schema)}${example ? exampleBlock(example.value) : ''}`;
    })
    .join('');

function exampleBlock(value: unknown): string {
  const shownText = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return `<details><summary>Example</summary><pre tabindex="0" role="group" aria-label="Example">${text(shownText)}</pre></details>`;
}

/** The fields of a schema, or the name of a record. */
const shown = (schema: Schema): string => schemaFields(schema) || `<p>${typeName(schema)}</p>`;

const failure = ([code, statuses]: [string, string[]]): string =>
  `<strong>${code}</strong> ${text(statuses.join(', '))}`;

function recordSections(schemas: Record<string, Schema>): string {
  const names = Object.keys(schemas).sort();
  const sections = names.map(
    (name) =>
      `<section id="record-${text(name)}"><h3>${text(name)}</h3>${
        schemas[name]?.description ? `<p>${text(schemas[name]?.description)}</p>` : ''
      }${schemaFields(schemas[name] ?? {})}</section>`,
  );
  return `<h2 id="records">Records</h2>${sections.join('')}`;
}

/** The fields of a schema as a collapsible list; named records are linked. */
function schemaFields({ properties, required = [], allOf }: Schema): string {
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

function typeName(schema: Schema): string {
  if (schema.$ref) return recordLink(schema.$ref.split('/').at(-1) ?? '');
  if (schema.enum) return text(schema.enum.map((value) => JSON.stringify(value)).join(' | '));
  if (schema.const !== undefined) return text(JSON.stringify(schema.const));
  if (schema.allOf) return (schema.allOf as Schema[]).map(typeName).join(' and ');
  if (schema.anyOf) return schema.anyOf.map(typeName).join(' | ');
  const types = [schema.type ?? 'anything'].flat();
  return types.map((type) => (type === 'array' ? `list of ${typeName(schema.items ?? {})}` : text(type))).join(' or ');
}

const recordLink = (name: string): string => `<a href="#record-${text(name)}">${text(name)}</a>`;
