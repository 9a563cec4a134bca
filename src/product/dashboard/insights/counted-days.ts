import type { Sql } from '../../../database/connection.ts';
import { once } from '../../once.ts';
import type { Scope } from '../../scope.ts';
import { daysAfter, lengthOf, type Span } from '../../span.ts';
import { dataAvailability } from './data-availability.ts';

/** The part of a span that a directory has counted; nothing while it has counted none of it. */
function countedPart(span: Span, until: string | undefined): Span | undefined {
  if (until === undefined || until < span.from) return undefined;
  return { from: span.from, to: until < span.to ? until : span.to };
}

/**
 * Directories count a day or more late. What is compared is as many days of each span: those that a directory has counted,
 * and the days that stand at the same place in the span before.
 */
export class CountedDays {
  private readonly known: () => Promise<ReadonlyMap<string, string>>;
  private readonly span: Span;

  constructor(sql: Sql, scope: Scope, span: Span, directoryTypes: readonly string[]) {
    this.span = span;
    this.known = once(async () => {
      const all = await dataAvailability(sql, scope, directoryTypes);
      return new Map(all.map(({ directoryType, availableUntil }) => [directoryType, availableUntil]));
    });
  }

  async of(directoryType: string): Promise<Span | undefined> {
    return countedPart(this.span, (await this.known()).get(directoryType));
  }

  async before(directoryType: string): Promise<Span | undefined> {
    const counted = await this.of(directoryType);
    const days = -lengthOf(this.span);
    return counted && { from: daysAfter(counted.from, days), to: daysAfter(counted.to, days) };
  }

  /** The last day that all of them have counted which have counted any; nothing when none has. */
  async until(directoryTypes: readonly string[]): Promise<string | undefined> {
    const counted = await Promise.all(directoryTypes.map((type) => this.of(type)));
    return counted
      .flatMap((part) => (part ? [part.to] : []))
      .sort()
      .at(0);
  }
}
