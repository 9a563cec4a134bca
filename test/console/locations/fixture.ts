import type { Page } from 'playwright-core';
import type { ConsoleScene, ConsoleUser } from '../../support/console.ts';
import type { Receiver } from '../../support/delivery.ts';

/** Shared state, available when the tests run. */
export type ConsoleFixture = () => {
  scene: ConsoleScene;
  receiver: Receiver;
  admin: ConsoleUser;
  page: Page;
  pageErrors: string[];
  ids: readonly number[];
};
