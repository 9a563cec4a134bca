import { randomUUID } from 'node:crypto';

const nameShape = /^[a-z][a-z-]*(\/[a-z0-9][a-z0-9-]*)+(\.[a-z0-9]+)?$/;

/** A unique, unguessable name. The two-character folders keep directories small. */
export function newFileName(kind: string): string {
  const id = randomUUID();
  return `${kind}/${id.slice(0, 2)}/${id}`;
}

/** Prevents path traversal. Only names from `newFileName` are valid. */
export function checkFileName(name: string): string {
  if (!nameShape.test(name)) throw new Error(`"${name}" is not a valid file name.`);
  return name;
}
