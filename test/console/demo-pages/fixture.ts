import type { ConsoleScene, ConsoleUser } from '../../support/console.ts';

/** Shared state, available when the tests run. */
export type ConsoleFixture = () => { scene: ConsoleScene; admin: ConsoleUser };
