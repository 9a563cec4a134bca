import { changeRecord } from './change-record.ts';
import type { VersionChange } from './version-change.ts';

/** Every entry, the oldest first. */
export const timeline: readonly VersionChange[] = checked(
  [...changeRecord].sort((a, b) => a.version.localeCompare(b.version)),
);

export const newestVersion = timeline.at(-1)?.version ?? '';
export const oldestVersion = timeline[0]?.version ?? '';

/** The entry that a date means: the nearest one that is not later, or the oldest. */
export function entryFor(date: string): string {
  return timeline.findLast(({ version }) => version <= date)?.version ?? oldestVersion;
}

/** An entry that says nothing, or that claims to break something and changes nothing, stops the start. */
function checked(changes: readonly VersionChange[]): readonly VersionChange[] {
  for (const { version, kind, description, touches, shapes = [], calls = [] } of changes) {
    if (!/^\d{8}$/.test(version)) throw new Error(`The version ${version} is not a date.`);
    if (description.trim().length < 20) throw new Error(`The version ${version} is not described.`);
    if (kind !== 'INTERNAL' && touches.length === 0) throw new Error(`The version ${version} touches nothing.`);
    const changesShapes = shapes.length + calls.length > 0;
    if ((kind === 'BREAKING') !== changesShapes) {
      throw new Error(`The version ${version} is ${kind} and ${changesShapes ? 'has' : 'has no'} changes of shape.`);
    }
  }
  const twice = changes.find(({ version }, index) => changes[index + 1]?.version === version);
  if (twice) throw new Error(`The version ${twice.version} is there twice.`);
  return changes;
}
