import { randomInt } from 'node:crypto';

/** Identifies this process in the database. It holds an advisory lock with this number while it runs. */
export const processId: number = randomInt(1, 2 ** 31 - 1);
