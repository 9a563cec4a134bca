import { invalidField } from '../../problems.ts';
import { entryFor, newestVersion } from './timeline.ts';

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
