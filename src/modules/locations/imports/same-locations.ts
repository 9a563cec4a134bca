import type { LocationRow } from './location-row.ts';

/** By what the rows of a batch can mean the same location as those of another. */
export interface BatchKeys {
  identifiers: Set<string>;
  names: Set<string>;
  /** Names of rows without an identifier: they are matched by name and address. */
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

/** Whether one batch may have to see what the other has written; rather too often than once too seldom. */
export const mayMeanTheSame = (one: BatchKeys, other: BatchKeys): boolean =>
  !one.identifiers.isDisjointFrom(other.identifiers) ||
  !one.namesOfUnidentified.isDisjointFrom(other.names) ||
  !one.names.isDisjointFrom(other.namesOfUnidentified);
