import { isDeepStrictEqual } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import { DocumentedResponses, inlineContentOf, operationsOf } from '../../../test/support/documented-responses.ts';
import type { Schema } from '../../json-schema.ts';
import { locationReadCalls, locationWriteCalls } from '../versions/changes/location-calls.ts';
import { newestVersion, oldestVersion, timeline } from '../versions/timeline.ts';
import { exampleOf as exampleValueOf } from './examples.ts';
import { type OpenApiDocument, type Operation, openApiDocument, successOf } from './openapi-document.ts';
import { wholeEnvelope } from './responses.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(() => api.close());

const documents = new Map<string, OpenApiDocument>();
const documentOf = async (version: string): Promise<OpenApiDocument> => {
  const known = documents.get(version);
  if (known) return known;
  const { code, body } = await api.call('GET', `/docs/openapi/${version}.json`);
  expect(code).toBe(200);
  documents.set(version, body);
  return body;
};
const validator = new Validator();
const schemaValidator = new Ajv2020({ strict: false, logger: false });

const parametersOf = ({ parameters }: Operation) => parameters.filter((parameter) => 'in' in parameter);
/** The example of a successful response; a shared response can have an example per operation. */
function exampleOf(operation: Operation, document: OpenApiDocument): { value: unknown } | undefined {
  const { examples = {} } = successOf(operation, document)?.content['application/json'] ?? {};
  return examples[operation.operationId] ?? examples.example;
}

/** Examples with their schemas, which versions share: compiling all of them for each version takes a minute. */
const checkedExamples = new Set<string>();

/** The entries that differ from those of the documents before: versions share most of their content. */
function uncheckedEntries<Value>(record: Record<string, Value>, checked: Set<string>): Record<string, Value> {
  const entries = Object.entries(record).map((entry) => ({ entry, text: JSON.stringify(entry) }));
  const unchecked = entries.filter(({ text }) => !checked.has(text));
  for (const { text } of unchecked) checked.add(text);
  return Object.fromEntries(unchecked.map(({ entry }) => entry));
}

const checkedParts = new Set<string>();
const checkedSchemas = new Set<string>();

/** A part of a document as text, with the names of the schemas that it refers to. */
const describePart = (part: unknown) => {
  const text = JSON.stringify(part) ?? '';
  const references = text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  return { text, names: new Set([...references].map(([, name = '']) => name)) };
};

const describedSchemas = new WeakMap<OpenApiDocument, Map<string, ReturnType<typeof describePart>>>();

/** A part of a document with every schema that it refers to. */
function closureOf(part: unknown, document: OpenApiDocument): Record<string, string> {
  const schemas = describedSchemas.get(document) ?? new Map<string, ReturnType<typeof describePart>>();
  describedSchemas.set(document, schemas);
  const { text, names } = describePart(part);
  const found: Record<string, string> = { '': text };
  collect(names);
  return found;

  function collect(referenced: ReadonlySet<string>): void {
    for (const name of referenced) {
      if (name in found) continue;
      const schema = schemas.get(name) ?? describePart(document.components.schemas[name]);
      schemas.set(name, schema);
      found[name] = schema.text;
      collect(schema.names);
    }
  }
}

describe.for(timeline.map(({ version }) => version))('the document of _%s', (version) => {
  let document: OpenApiDocument;
  beforeAll(async () => {
    document = await documentOf(version);
  });

  test('is valid OpenAPI 3.1', async () => {
    const { paths, webhooks, components } = document;
    // The unchecked entries refer to them.
    const anySchemas = Object.fromEntries(Object.keys(components.schemas).map((name) => [name, {}]));
    const unchecked = {
      ...document,
      paths: uncheckedEntries(paths, checkedParts),
      webhooks: uncheckedEntries(webhooks, checkedParts),
      components: { ...components, schemas: { ...anySchemas, ...uncheckedEntries(components.schemas, checkedParts) } },
    };
    expect(await validator.validate(structuredClone(unchecked))).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(document.info.version).toBe(`_${version}`);
  });

  test('has valid JSON Schemas and references', () => {
    // The OpenAPI 3.1 meta-schema does not validate schemas.
    const $defs: Record<string, Schema> = { ...document.components.schemas };
    for (const { operation } of operationsOf(document)) {
      const { operationId, requestBody, responses } = operation;
      for (const { name, schema } of parametersOf(operation)) $defs[`${operationId} ${name}`] = schema;
      for (const [media, { schema }] of Object.entries(requestBody?.content ?? {})) {
        $defs[`${operationId} ${media}`] = schema;
      }
      for (const [code, response] of Object.entries(responses)) {
        for (const [media, { schema }] of Object.entries(inlineContentOf(response)))
          $defs[`${operationId} ${code} ${media}`] = schema;
      }
    }
    schemaValidator.validateSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: uncheckedEntries($defs, checkedSchemas),
    });
    expect(schemaValidator.errors ?? []).toEqual([]);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
    const valueAt = (path: string) =>
      path
        .split('/')
        .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], document);
    expect([...new Set(references)].filter((path) => valueAt(path) === undefined)).toEqual([]);
  });

  test('has examples of the version', () => {
    const responses = new DocumentedResponses(document);
    const faults = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const example = exampleOf(operation, document);
        const key = JSON.stringify([method, path, example, closureOf(successOf(operation, document), document)]);
        if (checkedExamples.has(key)) return [];
        checkedExamples.add(key);
        const fault = example && responses.faultOf(method.toUpperCase(), path, 200, example.value);
        return fault ? [`${method} ${path} ${fault}`] : [];
      }),
    );
    expect(faults).toEqual([]);
  });

  test('has unique operation names and all path parameters', () => {
    const operations = operationsOf(document);
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) < index)).toEqual([]);
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const said = parametersOf(operation)
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name);
      expect(said.sort(), path).toEqual(inPath.sort());
    }
  });
});

test('every JSON response of the newest version has an example', async () => {
  const document = await documentOf(newestVersion);
  const without = operationsOf(document).filter(
    ({ operation }) => successOf(operation, document)?.content['application/json'] && !exampleOf(operation, document),
  );
  expect(without.map(({ operation }) => operation.operationId)).toEqual(['getEventType']);
});

test('there is one schema for each name', () => {
  const byTitle = new Map<string, Schema>();
  const twice: string[] = [];
  const look = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { title, properties } = schema as Schema;
    if (typeof title === 'string' && properties) {
      const plain = JSON.parse(JSON.stringify(schema));
      const known = byTitle.get(title) ?? plain;
      if (!isDeepStrictEqual(known, plain)) twice.push(title);
      byTitle.set(title, known);
    }
    for (const inner of Object.values(schema)) look(inner);
  };
  for (const { body, responses } of api.server.routeRecords) {
    look(body);
    look(responses);
  }
  expect(twice).toEqual([]);
  expect(byTitle.size).toBeGreaterThan(20);
});

test('records have the fields of the version', async () => {
  const fields = async (version: string, name: string) => {
    const { schemas } = (await documentOf(version)).components;
    const namesOf = ({ $ref, allOf, properties = {} }: Schema): string[] =>
      $ref
        ? namesOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {})
        : [...Object.keys(properties), ...((allOf ?? []) as Schema[]).flatMap(namesOf)];
    return namesOf(schemas[name] ?? {});
  };
  expect(await fields(newestVersion, 'Location')).toContain('openingDate');
  expect(await fields('20220221', 'Location')).toContain('futureOpeningDate');
  expect(await fields('20220221', 'NewLocation')).not.toContain('openingDate');
  expect(await fields('20230114', 'SocialPost')).toEqual(expect.arrayContaining(['callToAction', 'url']));
  expect(await fields('20210213', 'ContentListInput')).toEqual(['id', 'name', 'type', 'items']);
  expect(await fields('20200127', 'ProductPlan')).toContain('active');
  expect(await fields('20191021', 'DataPointFilter')).toContain('onlyUnread');
  expect(await fields('20190701', 'Location')).toContain('suggestions');
  expect(await fields('20190701', 'NewLocation')).not.toContain('suggestions');
  expect(await fields(newestVersion, 'Location')).not.toContain('suggestions');
  expect(await fields('20230109', 'StoreFinderSettings')).toContain('googleAPIKey');
});

test('fields of some partners only are not required', async () => {
  const { required, properties } = (await documentOf(newestVersion)).components.schemas.ServiceItem ?? {};
  expect(properties).toHaveProperty('id');
  expect(required).toEqual(['title']);
  expect((await documentOf('20230720')).components.schemas.ServiceItem?.properties).not.toHaveProperty('id');
});

test('operations have the parameters and responses of the version', async () => {
  const parameters = async (version: string) =>
    parametersOf((await documentOf(version)).paths['/api/data-points']?.get as Operation).map(({ name }) => name);
  expect(await parameters('20191021')).toEqual(expect.arrayContaining(['onlyUnread', 'onlyUnreplied']));
  expect(await parameters('20191022')).toEqual(expect.arrayContaining(['isRead', 'hasReply', 'hasText']));
  expect(await parameters('20191022')).not.toContain('onlyUnread');
  const required = async (version: string) => (await documentOf(version)).components.schemas.NewSocialPost?.required;
  expect(await required('20210803')).toContain('dateStart');
  expect(await required('20210804')).not.toContain('dateStart');
});

test('JSON bodies and responses of the product API have examples', async () => {
  const { paths, components } = await documentOf(newestVersion);
  const hasExample = (schema: unknown): boolean => {
    if (typeof schema !== 'object' || schema === null) return false;
    const { examples, $ref } = schema as Schema;
    if (examples) return true;
    if ($ref) return hasExample(components.schemas[$ref.split('/').at(-1) ?? '']);
    return Object.values(schema).some(hasExample);
  };
  const isDone = ({ properties = {} }: Schema) =>
    Object.keys(properties.response?.properties ?? {}).join() === 'success';
  const without = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody, responses }]) => {
      const success = responses['200'];
      const shared =
        success && '$ref' in success ? components.responses[success.$ref.split('/').at(-1) ?? ''] : success;
      const media = inlineContentOf(shared)['application/json'];
      const schema = media && ({ ...wholeEnvelope(media.schema), examples: media.examples } as unknown as Schema);
      const isLacking = (requestBody && !hasExample(requestBody)) || (schema && !isDone(schema) && !hasExample(schema));
      return isLacking ? [`${method} ${path}`] : [];
    }),
  );
  const product = /^\w+ \/api\/(dashboard|home|dam|social-templates|social-ai|near-me-check|report)/;
  expect(without.filter((call) => product.test(call))).toEqual([]);
});

test('descriptions state the required roles and features', async () => {
  const { paths } = await documentOf(newestVersion);
  const requires = 'Requires a private key or the access token of a user';
  expect(paths['/api/users/me']?.get?.description).toContain('. Requires the access token of a user.');
  expect(paths['/api/users/login']?.post?.parameters).not.toContainEqual({
    $ref: expect.stringContaining('Idempotency'),
  });
  expect(paths['/api/users']?.get?.description).toContain(`${requires} with the role ADMIN.`);
  expect(paths['/api/locations']?.get?.description).toContain(`${requires} with the feature LOCATION_READ.`);
  expect(paths['/api/store-finders']?.get?.description).toContain(
    `${requires} with the role ADMIN or ACCOUNT_MANAGER.`,
  );
  expect(paths['/api/businesses']?.post?.description).toContain(
    `${requires} with the role ADMIN, or with the role ACCOUNT_MANAGER and the feature LOCATION_WRITE.`,
  );
  expect(paths['/api/labels']?.post?.description).toContain('the feature LOCATION_WRITE for the field group LABELS.');
});

test('only names of dates have a date as their example', () => {
  const names = ['at', 'date', 'until', 'since', 'expiresAt', 'endDate', 'chat', 'format', 'candidate', 'lat'];
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const example = exampleValueOf({ properties: { ...properties, id: { examples: [1] } }, required: names });
  const dates = Object.entries(example as object).filter(([, value]) => value === '2026-11-15T01:02:03.456Z');
  expect(dates.map(([name]) => name)).toEqual(['at', 'date', 'until', 'since', 'expiresAt', 'endDate']);
});

test('files are sent as forms or raw bodies', async () => {
  const { paths } = await documentOf(newestVersion);
  const sent = (path: string) => Object.entries(paths[path]?.post?.requestBody?.content ?? {});
  const upload = sent('/api/location-imports');
  expect(upload.map(([media]) => media)).toEqual(['multipart/form-data', 'text/csv']);
  expect(upload[0]?.[1].schema).toMatchObject({ required: ['file'], properties: { file: { format: 'binary' } } });
  expect(sent('/api/dam/assets').map(([media]) => media)).toEqual(['multipart/form-data']);
});

test('a parameter with a default is optional', async () => {
  const parameters = parametersOf((await documentOf(newestVersion)).paths['/api/locations']?.get as Operation);
  expect(parameters.filter(({ required }) => required)).toEqual([]);
  expect(parameters.find(({ name }) => name === 'offset')?.schema).toMatchObject({ default: 0 });
});

test('a document exists for a date between two versions, and for no other name', async () => {
  expect((await documentOf('_20230114')).info.version).toBe('_20230110');
  expect(await api.call('GET', '/docs/openapi/newest.json')).toMatchObject({ code: 404 });
  expect(await api.call('GET', '/docs/openapi/20211340.json')).toMatchObject({ code: 400 });
});

describe('responses are validated against the document of their version', () => {
  const responsesOf = new Map<string, DocumentedResponses>();
  const faultOf = (version: string, call: string, code: number, response: unknown) => {
    const [method = '', path = ''] = call.split(' ');
    const responses =
      responsesOf.get(version) ?? new DocumentedResponses(openApiDocument(api.server.routeRecords, version));
    responsesOf.set(version, responses);
    return responses.faultOf(method, path, code, { status: 'SUCCESS', response });
  };

  test.for([
    [
      '20220222',
      'GET /api/locations/:id',
      { id: 1, openingDate: '2031-01-01' },
      { id: 1, futureOpeningDate: '2031-01-01' },
    ],
    [
      '20220221',
      'GET /api/locations/:id',
      { id: 1, futureOpeningDate: '2031-01-01' },
      { id: 1, openingDate: '2031-01-01' },
    ],
    ['20230406', 'GET /api/locations/:id', { id: 1 }, { id: 1, utms: [] }],
    [
      '20191202',
      'GET /api/locations/:id',
      { id: 1, labels: ['A'] },
      { id: 1, labels: [{ id: 1, name: 'A', adminOnly: false }] },
    ],
    [
      '20191202',
      'GET /api/locations/fields',
      { fields: [{ name: 'phone' }] },
      { fields: [{ name: 'phone', classification: 'BASIC' }] },
    ],
  ] as const)('at _%s %s returns %j and not %j', ([version, call, right, wrong]) => {
    expect(faultOf(version, call, 200, right)).toBeUndefined();
    expect(faultOf(version, call, 200, wrong)).toContain('returned an undocumented response');
  });

  test('an undocumented status is an error', () => {
    expect(faultOf(oldestVersion, 'GET /api/locations/:id', 418, {})).toBe('has no documented JSON response for 418');
  });
});

test('the changes of locations apply to all calls that return or accept locations', async () => {
  const document = await documentOf(newestVersion);
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      returned: Object.keys(closureOf(successOf(operation, document), document)),
      accepted: Object.keys(closureOf(operation.requestBody, document)),
    })),
  );
  const reading = calls.filter(({ returned }) => returned.includes('Location'));
  const writing = calls.filter(({ accepted }) =>
    accepted.some((name) => name === 'LocationFields' || name === 'LocationChangeFields'),
  );
  const namesOf = (changes: readonly { call: string }[]) => changes.map(({ call }) => call).sort();
  expect(namesOf(locationReadCalls('UNCAPPED_LOCATIONS'))).toEqual(namesOf(reading));
  // A CSV file has no schema.
  expect(namesOf(locationWriteCalls('UNCAPPED_LOCATIONS'))).toEqual(
    namesOf([...writing, { call: 'POST /api/location-imports' }]),
  );
});
