import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import type { WaypostEvent } from '../../../receiver/events.ts';
import type { CatalogueEvent } from './catalogue.ts';
import { receiverTypes, receiverTypesFile } from './generate-receiver-types.ts';

test("the receiver's types are those of the catalogue", () => {
  expect(
    readFileSync(receiverTypesFile, 'utf8'),
    'receiver/events.ts is out of date: run node src/events/catalogue/generate-receiver-types.ts',
  ).toBe(receiverTypes());
});

test('an event of the catalogue is an event of the receiver, and the other way round', () => {
  expectTypeOf<CatalogueEvent>().toExtend<WaypostEvent>();
  expectTypeOf<WaypostEvent>().toExtend<CatalogueEvent>();
});
