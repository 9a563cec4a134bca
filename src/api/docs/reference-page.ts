import type { OpenApiDocument, Operation } from '../openapi/openapi-document.ts';
import { timeline } from '../versions/timeline.ts';
import { page, text } from './page.ts';
import { schemaFields, typeName } from './schema-fields.ts';

/** The API of one version for people. */
export function referencePage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const groups = Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? 'api');
  const version = document.info.version.slice(1);
  const contents = [...groups.keys()].map((tag) => `<li><a href="#${text(tag)}">${text(tag)}</a></li>`).join('');
  const sections = [...groups].map(
    ([tag, entries]) =>
      `<h2 id="${text(tag)}">${text(tag)}</h2>${entries.map((entry) => operationSection(entry, document)).join('')}`,
  );
  return page(
    `Waypost API ${document.info.version}`,
    `<div class="columns"><nav aria-label="Parts"><ul>${contents}</ul></nav><main>
<h1>API reference</h1>
<form method="get" action="/docs"><label>Version <select name="v">${timeline
      .toReversed()
      .map((entry) => `<option${entry.version === version ? ' selected' : ''}>${entry.version}</option>`)
      .join('')}</select></label> <button>Show</button>
<a href="/docs/openapi/${version}.json">OpenAPI document</a></form>
<p>${text(document.info.description)}</p>
${sections.join('')}</main></div>`,
  );
}

const answerOf = (mediaType: string, schema: Schema, schemas: Record<string, Schema>) =>
  schema.format === 'binary'
    ? `<p>A file: <code>${text(mediaType)}</code></p>`
    : schemaFields(schema, schemas);

function operationSection(
  { path, method, operation }: { path: string; method: string; operation: Operation },
  document: OpenApiDocument,
): string {
  const { schemas } = document.components;
  const { parameters, requestBody, responses, summary, operationId } = operation;
  const rows = parameters.map(
    ({ name, in: place, required, description = '', schema }) =>
      `<tr><td><code>${text(name)}</code></td><td>${place}${required ? ', required' : ''}</td><td>${text(
        typeName(schema, schemas),
      )}</td><td>${text(description)}</td></tr>`,
  );
  const body = requestBody?.content['application/json'].schema;
  const answers = Object.entries(responses).map(
    ([code, { description, content }]) =>
      `<details><summary>${code} ${text(description)}</summary>${Object.entries(content).map(([mediaType, { schema }]) => answerOf(mediaType, schema, schemas)).join('')}</details>`,
  );
  return `<section id="${text(operationId)}" aria-labelledby="${text(operationId)}-title">
<h3 id="${text(operationId)}-title"><span class="method">${method}</span> <code>${text(path)}</code></h3>
<p>${text(summary)}</p>
${rows.length > 0 ? `<table><thead><tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>` : ''}
${body ? `<h4>Body</h4>${schemaFields(body, schemas)}` : ''}
<h4>Answers</h4>${answers.join('')}</section>`;
}
