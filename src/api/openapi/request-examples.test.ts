import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import { ExampleRequests } from '../../../test/support/example-requests.ts';
import { startSandbox } from '../../../test/support/sandbox.ts';
import { SandboxScene } from '../../../test/support/sandbox-scene.ts';
import { newestVersion } from '../versions/timeline.ts';
import { openApiDocument } from './openapi-document.ts';
import { requestExamples } from './request-examples.ts';

let scene: SandboxScene;
let examples: ExampleRequests;
beforeAll(async () => {
  const sandbox = await startSandbox();
  const api = await TestApi.start(
    { WAYPOST_DEMO: 'on', WAYPOST_RATE_LIMIT: '100000' },
    undefined,
    sandbox.directories,
    { url: () => sandbox.url, key: sandbox.key },
  );
  scene = new SandboxScene({ api, sandbox });
  const document = openApiDocument(api.server.routeRecords, newestVersion);
  examples = new ExampleRequests(document, scene, await api.addPartner());
});
afterAll(() => scene.close());

test('every request body has an example', () => {
  expect(examples.operations.filter((key) => !examples.exampleOf(key))).toEqual([]);
  expect(Object.keys(requestExamples).filter((key) => !examples.operations.includes(key))).toEqual([]);
});

test('every example is accepted', async () => {
  const refused: unknown[] = [];
  for (const key of examples.operations) {
    const { code, body } = await examples.send(key);
    if (code !== 200) refused.push({ key, code, message: body.message, errors: body.errors });
  }
  expect(refused).toEqual([]);
}, 120_000);
