import type { Setting } from './parse.ts';
import { deliverySettings } from './settings/delivery.ts';
import { operationSettings } from './settings/operation.ts';
import { productSettings } from './settings/product.ts';
import { servingSettings } from './settings/serving.ts';
import { storageSettings } from './settings/storage.ts';

export { maxOverlapHours } from './settings/operation.ts';
export { lastCell } from './settings/storage.ts';
export type { Setting };

/** All settings. To add one, add it to the file of its topic. */
export const settings = {
  ...servingSettings,
  ...storageSettings,
  ...productSettings,
  ...deliverySettings,
  ...operationSettings,
} satisfies Record<string, Setting>;
