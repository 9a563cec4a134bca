import type { Page } from 'playwright-core';
import type { ConsoleScene, Person } from '../../support/console.ts';
import type { Receiver } from '../../support/delivery.ts';

/** Shared state, available when the tests run. */
export type Given = () => {
  scene: ConsoleScene;
  receiver: Receiver;
  admin: Person;
  page: Page;
  complaints: string[];
  ids: readonly number[];
};

export const eventually = { timeout: 30_000 };
