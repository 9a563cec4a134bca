import { randomInt } from 'node:crypto';

/** Identifies this process in the database, where it holds an advisory lock by this number for as long as it lives. */
export const processId: number = randomInt(1, 2 ** 31 - 1);
