import type { Sql } from '../../../database/connection.ts';
import type { Scope } from '../../scope.ts';
import { daysAfter } from '../../span.ts';
import { knownDays, knownMonths } from './data-availability-store.ts';

export interface Availability {
  directoryType: string;
  availableFrom: string;
  availableUntil: string;
}

/** From when and until when directories have counted for at least one of the locations; those that have not are left out. */
export async function dataAvailability(
  sql: Sql,
  scope: Scope,
  directoryTypes: readonly string[],
): Promise<Availability[]> {
  const spans = await knownMonths(sql, scope, directoryTypes);
  const edges = spans.flatMap(({ directoryType, first, last }) =>
    [...new Set([first, last])].map((month) => ({ directoryType, month })),
  );
  const months = new Map(
    (await knownDays(sql, scope, edges)).map(({ directoryType, month, known }) => [`${directoryType} ${month}`, known]),
  );
  return directoryTypes.flatMap((directoryType) => {
    const span = spans.find((known) => known.directoryType === directoryType);
    const first = span && months.get(`${directoryType} ${span.first}`)?.indexOf(true);
    const last = span && months.get(`${directoryType} ${span.last}`)?.lastIndexOf(true);
    if (!span || first === undefined || last === undefined || first < 0 || last < 0) return [];
    return [{ directoryType, availableFrom: daysAfter(span.first, first), availableUntil: daysAfter(span.last, last) }];
  });
}
