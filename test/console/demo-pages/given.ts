import type { ConsoleScene, Person } from '../../support/console.ts';

/** What the tests share; there when they run, not yet when they are listed. */
export type Given = () => { scene: ConsoleScene; admin: Person };

export const eventually = { timeout: 30_000 };
