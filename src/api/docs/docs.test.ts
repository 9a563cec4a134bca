import { isDeepStrictEqual } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import type { OpenApiDocument } from '../openapi/openapi-document.ts';
import type { Schema } from '../openapi/route-record.ts';
import { newestVersion, oldestVersion, timeline } from '../versions/timeline.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(() => api.close());

const documentOf = async (version: string): Promise<OpenApiDocument> => {
  const { code, body } = await api.call('GET', `/docs/openapi/${version}.json`);
  expect(code).toBe(200);
  return body;
};

/** As much of OpenAPI 3.1 as the documents use, after the published schema; what they do not use is not allowed. */
const openApi = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['openapi', 'info', 'paths', 'components'],
  additionalProperties: false,
  properties: {
    openapi: { const: '3.1.0' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      additionalProperties: false,
      properties: { title: { type: 'string' }, version: { type: 'string' }, description: { type: 'string' } },
    },
    paths: {
      type: 'object',
      additionalProperties: false,
      patternProperties: {
        '^/': {
          type: 'object',
          additionalProperties: false,
          patternProperties: { '^(get|put|post|patch|delete)$': { $ref: '#/$defs/operation' } },
        },
      },
    },
    components: {
      type: 'object',
      additionalProperties: false,
      properties: {
        schemas: {
          type: 'object',
          propertyNames: { pattern: '^[A-Za-z0-9._-]+$' },
          additionalProperties: { $ref: '#/$defs/schema' },
        },
        securitySchemes: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['type', 'in', 'name'],
            properties: { type: { const: 'apiKey' }, in: { enum: ['query', 'header', 'cookie'] } },
          },
        },
      },
    },
  },
  $defs: {
    schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' },
    media: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        type: 'object',
        required: ['schema'],
        additionalProperties: false,
        properties: { schema: { $ref: '#/$defs/schema' } },
      },
    },
    operation: {
      type: 'object',
      required: ['operationId', 'responses'],
      additionalProperties: false,
      properties: {
        operationId: { type: 'string', minLength: 1 },
        summary: { type: 'string', minLength: 1 },
        tags: { type: 'array', items: { type: 'string' } },
        parameters: {
          type: 'array',
          uniqueItems: true,
          items: {
            type: 'object',
            required: ['name', 'in', 'schema'],
            additionalProperties: false,
            properties: {
              name: { type: 'string' },
              in: { enum: ['query', 'header', 'path', 'cookie'] },
              required: { type: 'boolean' },
              description: { type: 'string' },
              schema: { $ref: '#/$defs/schema' },
            },
            if: { properties: { in: { const: 'path' } } },
            // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
            then: { properties: { required: { const: true } }, required: ['required'] },
          },
        },
        requestBody: {
          type: 'object',
          required: ['content'],
          additionalProperties: false,
          properties: { required: { type: 'boolean' }, content: { $ref: '#/$defs/media' } },
        },
        responses: {
          type: 'object',
          minProperties: 1,
          additionalProperties: false,
          patternProperties: {
            '^[1-5][0-9][0-9]$': {
              type: 'object',
              required: ['description'],
              additionalProperties: false,
              properties: { description: { type: 'string' }, content: { $ref: '#/$defs/media' } },
            },
          },
        },
        security: {
          type: 'array',
          items: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
        },
      },
    },
  },
};

describe('the OpenAPI document', () => {
  let isOpenApi: ValidateFunction;
  beforeAll(() => {
    isOpenApi = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(openApi);
  });

  test.for(timeline.map(({ version }) => version))('of _%s is valid', async (version) => {
    const document = await documentOf(version);
    isOpenApi(document);
    expect(isOpenApi.errors ?? []).toEqual([]);
    expect(document.info.version).toBe(`_${version}`);

    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) < index)).toEqual([]);
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    const unknown = [...references]
      .map(([, name]) => name as string)
      .filter((name) => !document.components.schemas[name]);
    expect(unknown).toEqual([]);
    for (const [path, methods] of Object.entries(document.paths)) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters } of Object.values(methods)) {
        const said = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
        expect(said.sort(), path).toEqual(inPath.sort());
      }
    }
  });

  test('has one schema for each name', () => {
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
    for (const { body, answers } of api.server.routeRecords) {
      look(body);
      look(answers);
    }
    expect(twice).toEqual([]);
    expect(byTitle.size).toBeGreaterThan(20);
  });

  test('shows the fields of its version', async () => {
    const fields = async (version: string, name: string) =>
      Object.keys((await documentOf(version)).components.schemas[name]?.properties ?? {});
    expect(await fields(newestVersion, 'Location')).toContain('openingDate');
    expect(await fields('20220221', 'Location')).toContain('futureOpeningDate');
    expect(await fields('20220221', 'NewLocation')).not.toContain('openingDate');
    expect(await fields('20230114', 'SocialPost')).toEqual(expect.arrayContaining(['callToAction', 'url']));
    expect(await fields('20200127', 'ProductPlan')).toContain('active');
    expect(await fields('20191021', 'DataPointFilter')).toContain('onlyUnread');
    expect(await fields('20190701', 'Location')).toContain('suggestions');
    expect(await fields(newestVersion, 'Location')).not.toContain('suggestions');
    expect(await fields('20230109', 'StoreFinderSettings')).toContain('googleAPIKey');
  });

  test('is there for a date between two entries, and for no other name', async () => {
    expect((await documentOf('_20230114')).info.version).toBe('_20230110');
    expect(await api.call('GET', '/docs/openapi/newest.json')).toMatchObject({ code: 404 });
    expect(await api.call('GET', '/docs/openapi/20211340.json')).toMatchObject({ code: 400 });
  });

  test('describes what is answered in an old version', async () => {
    const partner = await api.addPartner();
    await partner.call('POST', '/api/product-plans', { name: 'Presence', price: 2900, currency: 'EUR' });
    const { body } = await partner.call('GET', '/api/product-plans?v=20190104');
    const document = await documentOf(oldestVersion);
    const answer = document.paths['/api/product-plans']?.get?.responses['200']?.content['application/json'].schema;
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    const isAnswer = ajv.compile({ ...answer, components: document.components });
    isAnswer(body);
    expect(isAnswer.errors ?? []).toEqual([]);
    expect(body.response.productPlans).toMatchObject([{ active: false }]);
  });
});

describe('the pages', () => {
  test('the reference shows every path and field of a version, and needs neither a key nor a script', async () => {
    const { code, headers, body } = await api.call('GET', '/docs');
    expect(code).toBe(200);
    expect(headers.get('content-type')).toContain('text/html');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'unsafe-inline'");
    expect(body).toContain('/api/locations/{id}');
    expect(body).toContain('openingDate');
    expect(body).not.toContain('<script');
    expect((await api.call('GET', '/docs?v=20211102')).body).toContain('futureOpeningDate');
    expect((await api.call('GET', '/docs?v=20211340')).code).toBe(400);
  });

  test('the change record has every entry with its description', async () => {
    const { code, body } = await api.call('GET', '/docs/changes');
    expect(code).toBe(200);
    for (const { version } of timeline) expect(body).toContain(`id="_${version}"`);
    expect(body).toContain('The location field futureOpeningDate is called openingDate.');
  });

  test('programs read the change record, the newest entry first', async () => {
    const { call } = await api.addPartner();
    const { versions } = (await call('GET', '/api/versions')).body.response;
    expect(versions).toHaveLength(timeline.length);
    expect(versions[0]).toMatchObject({ version: newestVersion, date: '2026-07-13', kind: 'ADDITIVE' });
    expect(versions.at(-1)).toMatchObject({ version: oldestVersion, touches: ['GET /api/data-points'] });
  });
});
