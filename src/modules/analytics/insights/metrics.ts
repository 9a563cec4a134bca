import { invalidField } from '../../../problems.ts';
import type { Directory } from '../../directories/index.ts';

/** The metrics that were asked for, all of the directory's unless there are any. Those that it does not have are refused. */
export function readMetrics(
  asked: readonly string[] | undefined,
  { type, metrics }: Pick<Directory, 'type' | 'metrics'>,
) {
  const unknown = (asked ?? []).filter((name) => !metrics.includes(name));
  if (unknown.length === 0) return [...new Set(asked ?? metrics)];
  throw invalidField(
    'metrics',
    'enum',
    metrics.length > 0
      ? `metrics of ${type} are ${metrics.join(', ')}; not ${unknown.join(', ')}.`
      : `${type} has no metrics.`,
  );
}
