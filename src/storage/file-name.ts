import { randomUUID } from 'node:crypto';

const nameShape = /^[a-z][a-z-]*(\/[a-z0-9][a-z0-9-]*)+(\.[a-z0-9]+)?$/;

/** A name that nobody has used and nobody can guess. The folders between keep each of them short. */
export function newFileName(kind: string): string {
  const id = randomUUID();
  return `${kind}/${id.slice(0, 2)}/${id}`;
}

/** A name from anywhere else than `newFileName` is a bug, and must not lead out of the store. */
export function checkFileName(name: string): string {
  if (!nameShape.test(name)) throw new Error(`"${name}" is no name of a stored file.`);
  return name;
}
