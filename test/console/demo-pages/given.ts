import type { ConsoleScene, Person } from '../../support/console.ts';

/** Shared state, available when the tests run. */
export type Given = () => { scene: ConsoleScene; admin: Person };

export const eventually = { timeout: 30_000 };
