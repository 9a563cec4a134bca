import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DirectoryDriver, describeConnector } from '../../../test/support/connector-conformance.ts';
import { anyCaller, startSandbox, type TestSandbox } from '../../../test/support/sandbox.ts';
import { directoryList } from './directory-list.ts';
import { connectorList } from './open-directories.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

test('directories and connectors match', () => {
  expect(Object.keys(connectorList)).toEqual(directoryList.map(({ type }) => type));
});

for (const directory of directoryList) {
  const { type } = directory;
  describeConnector(directory, async (): Promise<DirectoryDriver> => {
    const { control, directories } = sandbox;
    return {
      connector: directories.connector(type, anyCaller),
      addListing: async (profile) => (await control.addListing(type, profile)).id,
      addBrandPage: async (name) => (await control.addBrandPage(type, { name })).id,
      post: async (place, text) => (await control.postDataPoint(type, place, { text })).id,
      edit: (id, text) => control.editDataPoint(type, id, { text }),
      removeDataPoint: (id) => control.removeDataPoint(type, id),
      restoreDataPoint: (id) => control.restoreDataPoint(type, id),
      reply: async (id, text) => (await control.addReply(type, id, { text })).id,
      advanceClock: () => control.advanceClock(600),
      simulateFailure: (how) => control.simulateFailure(type, how),
      async recover() {
        await control.endFailure(type);
        // Pause of the test breaker.
        await sleep(60);
      },
    };
  });
}
