import { invalidField } from '../../problems.ts';

/** The newest entry of the change record; what a partner created today is pinned to. */
export const newestVersion = '20260713';

/** Reads `20230407` or `_20230407`. What lies after the newest entry means the newest. */
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
  const version = `${year}${month}${day}`;
  return version > newestVersion ? newestVersion : version;
}
