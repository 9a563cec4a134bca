import { directoryRules } from '../directories/directory-rules.ts';
import { currentFailure } from '../state/directory-settings.ts';
import type { ControlCall } from './control-call.ts';

/** Contents and current behaviour of each directory. */
export function statusOf({ network, activity, traffic }: ControlCall) {
  const counts = network.sql.all<{ directory: string; kind: string; count: number }>`
    select directory, kind, count(*) as count from pages group by directory, kind
    union all
    select directory, 'data point', count(*) from data_points where removed_at is null group by directory`;
  return {
    now: new Date(network.now()).toISOString(),
    life: activity.isEnabled,
    seed: network.seed,
    directories: directoryRules.map((rules) => {
      const failure = currentFailure(network, rules.type);
      const countOf = (kind: string) =>
        counts.find((row) => row.directory === rules.type && row.kind === kind)?.count ?? 0;
      const until = failure?.until === undefined ? {} : { until: new Date(failure.until).toISOString() };
      return {
        type: rules.type,
        listings: countOf('listing'),
        brandPages: countOf('brand'),
        dataPoints: countOf('data point'),
        requests: traffic.requests(rules.type),
        limited: traffic.limited(rules.type),
        limit: traffic.limitOf(rules),
        ...(failure && { trouble: { kind: failure.kind, ...until } }),
      };
    }),
  };
}
