import type { Sql } from '../../../../database/connection.ts';
import { daysAfter, lengthOf, previousSpan, type Span } from '../../../../values/span.ts';
import type { Scope } from '../../../locations/index.ts';
import { type Availability, dataAvailability } from './data-availability.ts';

/** The counted days of a span, and the same days of the previous span. */
export interface Counted {
  span: Span;
  /** Absent if the directory started counting later. */
  before?: Span;
}

/** Directories with a longer delay are assumed to have stopped counting. */
const maxDelayDays = 7;

/** Directories report with a delay of a day or more: figures use counted days only. */
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

/** Last day of the span that all active directories have counted. */
function countedByAll(span: Span, known: readonly (Availability | undefined)[]): string | undefined {
  const ends = known.flatMap((one) => countedPart(span, one)?.span.to ?? []).toSorted();
  const latest = ends.at(-1);
  return latest && ends.find((day) => day >= daysAfter(latest, -maxDelayDays));
}

/** Counted days of a span and scope, read once. */
export class CountedDays {
  readonly #span: Span;
  readonly #read: () => Promise<readonly Availability[]>;
  #reading: Promise<ReadonlyMap<string, Availability>> | undefined;

  constructor(sql: Sql, scope: Scope, span: Span, directoryTypes: readonly string[]) {
    this.#span = span;
    this.#read = () => dataAvailability(sql, scope, directoryTypes);
  }

  #known(): Promise<ReadonlyMap<string, Availability>> {
    this.#reading ??= this.#read().then((all) => new Map(all.map((one) => [one.directoryType, one])));
    return this.#reading;
  }

  async of(directoryType: string): Promise<Counted | undefined> {
    return countedPart(this.#span, (await this.#known()).get(directoryType));
  }

  /** For sums over several directories: only days that all of them have counted. */
  async ofAll(directoryTypes: readonly string[]): Promise<{ until?: string; parts: ReadonlyMap<string, Counted> }> {
    const known = await this.#known();
    const until = countedByAll(
      this.#span,
      directoryTypes.map((type) => known.get(type)),
    );
    const parts = new Map<string, Counted>();
    for (const type of directoryTypes) {
      const part = countedPart(this.#span, known.get(type), until);
      if (part) parts.set(type, part);
    }
    return { ...(until !== undefined && { until }), parts };
  }
}
