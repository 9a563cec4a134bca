import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { beforeAll, expect, test } from 'vitest';
import { TestApi } from '../../../test/support/api.ts';
import { newestVersion, oldestVersion } from '../versions/timeline.ts';

const versions = [newestVersion, oldestVersion];
const documents = new Map<string, string>();
// Read first: linters block the event loop for longer than an idle connection is kept.
beforeAll(async () => {
  const api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000' });
  for (const version of versions) {
    const { body } = await api.call('GET', `/docs/openapi/${version}.json`);
    documents.set(version, JSON.stringify(body));
  }
  await api.close();
});

const textOf = (version: string) => documents.get(version) ?? '';

test.each(versions)('redocly reports no problems in the document of _%s', { timeout: 120_000 }, async (version) => {
  const problems = await lintDocument({
    document: makeDocumentFromString(textOf(version), `/${version}.json`),
    config: await createConfig({ extends: ['recommended'] }),
    externalRefResolver: new BaseResolver(),
  });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

test.each(versions)('spectral reports no problems in the document of _%s', { timeout: 120_000 }, async (version) => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [rulesets.oas] } as never);
  const problems = await linter.run(JSON.parse(textOf(version)));
  expect(problems.map(({ code, message, path }) => [code, message, path.join('/')])).toEqual([]);
});
