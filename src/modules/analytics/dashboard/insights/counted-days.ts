import type { Sql } from '../../../../database/connection.ts';
import { daysAfter, lengthOf, previousSpan, type Span } from '../../../../values/span.ts';
import type { Scope } from '../../../locations/index.ts';
import { once } from '../../once.ts';
import { type Availability, dataAvailability } from './data-availability.ts';

/** The counted days of a span, and as many days at the same position of the previous span. */
export interface Counted {
  span: Span;
  /** Absent when the directory began to count after the previous span began. */
  before?: Span;
}

/** A directory that is further behind than this has stopped counting; the others do not wait for it. */
const longestDelayDays = 7;

/** Directories count a day or more late: figures are of the days they have counted, compared with as many before. */
export function countedPart(span: Span, known: Availability | undefined, until = span.to): Counted | undefined {
  if (!known) return undefined;
  const from = [known.availableFrom, span.from].toSorted()[1] as string;
  const to = [span.to, until, known.countedUntil].toSorted()[0] as string;
  if (from > to) return undefined;
  const before = previousSpan(span);
  const isComparable = known.availableFrom <= before.from;
  return {
    span: { from, to },
    ...(isComparable && { before: { from: before.from, to: daysAfter(to, -lengthOf(span)) } }),
  };
}

/** The last day of a span that all of the directories have counted which still count. */
function countedByAll(span: Span, known: readonly (Availability | undefined)[]): string | undefined {
  const ends = known.flatMap((one) => countedPart(span, one)?.span.to ?? []).toSorted();
  const latest = ends.at(-1);
  return latest && ends.find((day) => day >= daysAfter(latest, -longestDelayDays));
}

/** What is counted of one span in one scope, read once. */
export class CountedDays {
  private readonly known: () => Promise<ReadonlyMap<string, Availability>>;
  private readonly span: Span;

  constructor(sql: Sql, scope: Scope, span: Span, directoryTypes: readonly string[]) {
    this.span = span;
    this.known = once(async () => {
      const all = await dataAvailability(sql, scope, directoryTypes);
      return new Map(all.map((one) => [one.directoryType, one]));
    });
  }

  /** Of one directory. */
  async of(directoryType: string): Promise<Counted | undefined> {
    return countedPart(this.span, (await this.known()).get(directoryType));
  }

  /** Of several directories that are added up: no day is in it that one of them has not counted yet. */
  async ofAll(directoryTypes: readonly string[]): Promise<{ until?: string; parts: ReadonlyMap<string, Counted> }> {
    const known = await this.known();
    const until = countedByAll(
      this.span,
      directoryTypes.map((type) => known.get(type)),
    );
    const parts = new Map<string, Counted>();
    for (const type of directoryTypes) {
      const part = countedPart(this.span, known.get(type), until);
      if (part) parts.set(type, part);
    }
    return { ...(until !== undefined && { until }), parts };
  }
}
