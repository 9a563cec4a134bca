import { hash } from 'node:crypto';

/**
 * An integer of 31 bits that follows from the path alone, so that it is the same on every installation and whatever
 * comes and goes around it. A test sees to it that no two categories of the package share one.
 */
export const categoryId = (path: string): number =>
  Buffer.from(hash('sha256', path, 'hex').slice(0, 8), 'hex').readUInt32BE() >>> 1;
