import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import { newestVersion, oldestVersion } from '../versions/timeline.ts';

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
});
afterAll(() => api.close());

const versions = [newestVersion, oldestVersion];
const textOf = async (version: string) => JSON.stringify((await api.call('GET', `/docs/openapi/${version}.json`)).body);

test.each(versions)('redocly reports no problems in the document of _%s', { timeout: 120_000 }, async (version) => {
  const problems = await lintDocument({
    document: makeDocumentFromString(await textOf(version), `/${version}.json`),
    config: await createConfig({ extends: ['recommended'] }),
    externalRefResolver: new BaseResolver(),
  });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

test.each(versions)('spectral reports no problems in the document of _%s', { timeout: 120_000 }, async (version) => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [rulesets.oas] } as never);
  const problems = await linter.run(JSON.parse(await textOf(version)));
  expect(problems.map(({ code, message, path }) => [code, message, path.join('/')])).toEqual([]);
});
