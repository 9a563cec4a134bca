import { daysAfter, type Group, periodOf, type Span } from '../../../../values/span.ts';
import { findDirectory } from '../../../directories/index.ts';
import type { FieldCount } from './health-store.ts';

/** Each field is weighted by its directory. */
interface Points {
  /** 0 to 100; absent if nothing could be compared. */
  score?: number;
  maxPoints: number;
  pointsReached: number;
}

export interface VisibilityIndex extends Points {
  byDirectory: (Points & { directoryType: string })[];
  /** Score at the end of each period. Periods before the first comparison are omitted. */
  history: { period: string; score: number }[];
}

type Fields = Pick<FieldCount, 'directoryType' | 'matching' | 'comparable'>;

const weightOf = (directoryType: string) => findDirectory(directoryType)?.weight ?? 0;

function pointsOf(fields: Iterable<Fields>): Points {
  let pointsReached = 0;
  let maxPoints = 0;
  for (const { directoryType, matching, comparable } of fields) {
    pointsReached += matching * weightOf(directoryType);
    maxPoints += comparable * weightOf(directoryType);
  }
  return { ...(maxPoints > 0 && { score: Math.round((100 * pointsReached) / maxPoints) }), maxPoints, pointsReached };
}

/** Derives the history from the current score by subtracting later changes. Future days have none. */
export function visibilityOf(counts: readonly FieldCount[], span: Span, group: Group, today: string): VisibilityIndex {
  const now = counts.filter(({ day }) => day === null);
  const changes = counts
    .filter((count): count is FieldCount & { day: string } => count.day !== null)
    .sort((a, b) => (a.day < b.day ? 1 : -1));
  const fields = new Map(now.map((count) => [count.directoryType, { ...count }]));
  const history: { period: string; score: number }[] = [];
  let next = 0;
  for (const { period, end } of periodEnds(
    { from: span.from, to: span.to < today ? span.to : today },
    group,
  ).reverse()) {
    for (let change = changes[next]; change && change.day > end; change = changes[++next]) {
      const { directoryType } = change;
      const known = fields.get(directoryType) ?? { directoryType, matching: 0, comparable: 0 };
      fields.set(directoryType, {
        ...known,
        day: null,
        matching: known.matching - change.matching,
        comparable: known.comparable - change.comparable,
      });
    }
    const { score } = pointsOf(fields.values());
    if (score !== undefined) history.unshift({ period, score });
  }
  return {
    ...pointsOf(now),
    byDirectory: now
      .filter(({ comparable }) => comparable > 0)
      .map((count) => ({ directoryType: count.directoryType, ...pointsOf([count]) }))
      .sort(
        (a, b) => weightOf(b.directoryType) - weightOf(a.directoryType) || (a.directoryType < b.directoryType ? -1 : 1),
      ),
    history,
  };
}

/** Periods with their last day within the span. */
function periodEnds(span: Span, group: Group): { period: string; end: string }[] {
  const ends = new Map<string, string>();
  for (let day = span.from; day <= span.to; day = daysAfter(day, 1)) ends.set(periodOf(day, group), day);
  return [...ends].map(([period, end]) => ({ period, end }));
}
