import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ExampleRequests } from '../../../test/support/example-requests.ts';
import { ExampleWorld } from '../../../test/support/example-world.ts';
import { differences, recordedExample } from '../../../test/support/recorded-example.ts';
import type { Schema } from '../../json-schema.ts';
import { newestVersion, timeline } from '../versions/timeline.ts';
import { documentedPath, isAliasPath, requestExamples, responseExample, responseExamples } from './examples.ts';
import { openApiDocument } from './openapi-document.ts';

let world: ExampleWorld;
let examples: ExampleRequests;
beforeAll(async () => {
  world = await ExampleWorld.open();
  examples = new ExampleRequests(openApiDocument(world.api.server.routeRecords, newestVersion), world);
  await examples.prepare();
}, 240_000);
afterAll(() => world.close());

const routeOf = (key: string) =>
  world.api.server.routeRecords.find(
    ({ method, path }) => `${method} ${documentedPath(path)}` === key && !isAliasPath(path),
  );

/** The schema of the successful response. */
const successSchema = (key: string): Schema => routeOf(key)?.responses[200] ?? {};

test('every request body has an example', () => {
  const withBody = examples.operations.filter((key) => examples.hasBody(key));
  expect(withBody.filter((key) => !examples.exampleOf(key))).toEqual([]);
  expect(Object.keys(requestExamples).filter((key) => !withBody.includes(key))).toEqual([]);
});

test('examples of older versions have the fields of their responses', async () => {
  const differing: Record<string, string[]> = {};
  const newer = new Map<string, unknown>(Object.entries(responseExamples));
  for (const { version } of timeline.toReversed()) {
    for (const key of examples.operations.filter((one) => one.startsWith('GET '))) {
      const route = routeOf(key);
      const example = route && responseExample(route, version);
      if (!example || isDeepStrictEqual(example, newer.get(key))) continue;
      newer.set(key, example);
      const { body } = await examples.send(key, { 'x-api-version': version });
      const found = differences(JSON.parse(JSON.stringify(example)), body, undefined, successSchema(key));
      if (found.length > 0) differing[`${key} ${version}`] = found;
    }
  }
  expect(differing).toEqual({});
}, 240_000);

// After a change of a response: npx vitest run src/api/openapi/examples.test.ts --update
test('every request example is accepted, and every response has the fields of its example', async () => {
  const refused: unknown[] = [];
  const changed: Record<string, string[]> = {};
  const recorded: typeof responseExamples = {};
  for (const key of examples.operations) {
    // Warnings depend on the environment: crm.example does not resolve.
    const {
      code,
      request,
      body: { warnings: _, ...body },
    } = await examples.send(key);
    if (code !== 200) refused.push({ key, code, message: body.message, errors: body.errors });
    const differing = differences(responseExamples[key], body, successSchema(key));
    if (differing.length > 0) changed[key] = differing;
    const example = differing.length > 0 ? recordedExample({ request, body }, successSchema(key), world) : undefined;
    Object.assign(recorded, { [key]: example ?? responseExamples[key] });
  }
  expect(refused).toEqual([]);
  // Examples that are still valid are kept.
  const text = `${JSON.stringify(recorded, null, 2)}\n`;
  await expect(text, JSON.stringify(changed, null, 2)).toMatchFileSnapshot('response-examples.json');
}, 240_000);
