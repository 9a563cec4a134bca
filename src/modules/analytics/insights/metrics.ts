import { invalidField } from '../../../problems.ts';
import type { Directory } from '../../directories/index.ts';

/** Defaults to all metrics of the directory. */
export function readMetrics(
  requested: readonly string[] | undefined,
  { type, metrics }: Pick<Directory, 'type' | 'metrics'>,
) {
  const unknown = (requested ?? []).filter((name) => !metrics.includes(name));
  if (unknown.length === 0) return [...new Set(requested ?? metrics)];
  throw invalidField(
    'metrics',
    'enum',
    metrics.length > 0
      ? `metrics must contain only metrics of ${type}: ${metrics.join(', ')}. ${unknown.join(', ')} is not supported.`
      : `${type} has no metrics.`,
  );
}
