import type { Page } from 'playwright-core';
import type { ConsoleScene, Person } from '../../support/console.ts';
import type { Receiver } from '../../support/delivery.ts';

/** What the tests share; there when they run, not yet when they are listed. */
export type Given = () => {
  scene: ConsoleScene;
  receiver: Receiver;
  admin: Person;
  /** The tab of the administrator, and what it complained about. */
  page: Page;
  complaints: string[];
  /** The locations. */
  ids: readonly number[];
};

export const eventually = { timeout: 30_000 };
