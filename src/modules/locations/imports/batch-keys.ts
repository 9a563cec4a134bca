import type { LocationRow } from './location-row.ts';

/** Keys by which rows of two batches may match the same location. */
export interface BatchKeys {
  identifiers: Set<string>;
  names: Set<string>;
  /** Names of rows without an identifier, which are matched by name and address. */
  namesOfUnidentified: Set<string>;
}

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim().toLowerCase();

export function keysOf(rows: readonly LocationRow[]): BatchKeys {
  const keys: BatchKeys = { identifiers: new Set(), names: new Set(), namesOfUnidentified: new Set() };
  for (const row of rows) {
    if (!('input' in row)) continue;
    const { identifier, name } = row.input;
    const spelled = plain(name ?? '');
    keys.names.add(spelled);
    if (identifier) keys.identifiers.add(plain(identifier));
    else keys.namesOfUnidentified.add(spelled);
  }
  return keys;
}

/** Whether the batches may match the same location. May return false positives, never false negatives. */
export const mayOverlap = (one: BatchKeys, other: BatchKeys): boolean =>
  !one.identifiers.isDisjointFrom(other.identifiers) ||
  !one.namesOfUnidentified.isDisjointFrom(other.names) ||
  !one.names.isDisjointFrom(other.namesOfUnidentified);
