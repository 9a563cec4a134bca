import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import type { WaypostEvent } from '../receiver/events.ts';
import type { CatalogueEvent } from '../src/events/catalogue/catalogue.ts';
import { generatedFiles } from './generator/generated-files.ts';

test.each(generatedFiles())('$path is up to date', ({ path, file, text }) => {
  expect(readFileSync(file, 'utf8'), `${path} is out of date: run node receivers/generate.ts`).toBe(text);
});

test('catalogue and receiver types are assignable to each other', () => {
  expectTypeOf<CatalogueEvent>().toExtend<WaypostEvent>();
  expectTypeOf<WaypostEvent>().toExtend<CatalogueEvent>();
});
