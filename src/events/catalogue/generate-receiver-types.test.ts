import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import type { WaypostEvent } from '../../../receiver/events.ts';
import type { CatalogueEvent } from './catalogue.ts';
import { receiverTypes, receiverTypesFile } from './generate-receiver-types.ts';

test('receiver/events.ts is up to date', () => {
  expect(
    readFileSync(receiverTypesFile, 'utf8'),
    'receiver/events.ts is out of date: run node src/events/catalogue/generate-receiver-types.ts',
  ).toBe(receiverTypes());
});

test('catalogue and receiver types are assignable to each other', () => {
  expectTypeOf<CatalogueEvent>().toExtend<WaypostEvent>();
  expectTypeOf<WaypostEvent>().toExtend<CatalogueEvent>();
});
