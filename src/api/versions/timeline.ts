import { invalidField } from '../../problems.ts';
import { changeRecord } from './change-record.ts';
import type { VersionChange } from './version-change.ts';

/** All entries, oldest first. */
export const timeline: readonly VersionChange[] = checked(
  [...changeRecord].sort((a, b) => a.version.localeCompare(b.version)),
);

export const newestVersion = timeline.at(-1)?.version ?? '';
export const oldestVersion = timeline[0]?.version ?? '';

/** The latest version that is not after the date, or the oldest version. */
export function entryFor(date: string): string {
  return timeline.findLast(({ version }) => version <= date)?.version ?? oldestVersion;
}

/** Validates the entries at the start of the process. */
function checked(changes: readonly VersionChange[]): readonly VersionChange[] {
  for (const { version, kind, description, touches, shapes = [], calls = [] } of changes) {
    if (!/^\d{8}$/.test(version)) throw new Error(`The version ${version} is not a date.`);
    if (description.trim().length < 20) throw new Error(`The version ${version} has no description.`);
    if (kind !== 'INTERNAL' && touches.length === 0) throw new Error(`The version ${version} touches nothing.`);
    const changesShapes = shapes.length + calls.length > 0;
    if ((kind === 'BREAKING') !== changesShapes) {
      throw new Error(`The version ${version} is ${kind} but ${changesShapes ? 'has' : 'has no'} shape changes.`);
    }
  }
  const duplicate = changes.find(({ version }, index) => changes[index + 1]?.version === version);
  if (duplicate) throw new Error(`The version ${duplicate.version} exists twice.`);
  return changes;
}

/** Parses `20230407` or `_20230407`. A date between two versions means the earlier one; earlier dates mean the oldest. */
export function parseVersion(text: string, field: string): string {
  const [, year, month, day] = /^_?(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) {
    throw invalidField(
      field,
      'version',
      `${field} must be a date like ${newestVersion} or _${newestVersion} (year, month, day), not "${text.slice(0, 40)}".`,
    );
  }
  return entryFor(`${year}${month}${day}`);
}

/** A field or parameter and its replacement, as text. */
interface Replacement {
  /** A resource or an endpoint. */
  readonly where: string;
  readonly before: string;
  readonly now: string;
}

export function replacementsOf({ shapes = [], calls = [] }: VersionChange): Replacement[] {
  return [...shapes, ...calls].flatMap((change) => {
    const where = 'call' in change ? change.call : change.resource;
    const reshaped = 'resource' in change ? Object.entries(change.reshaped ?? {}) : [];
    return [
      ...Object.entries(change.replaced ?? {}).map(([before, now]) => ({ where, before, now })),
      ...reshaped.map(([field, { before, now }]) => ({ where, before: `${field} ${before}`, now })),
    ];
  });
}
