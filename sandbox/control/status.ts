import { directoryRules } from '../directories/directory-rules.ts';
import { currentFailure } from '../state/directory-settings.ts';
import type { ControlCall } from './control-call.ts';

/** Contents and current behaviour of each directory. */
export function statusOf({ network, activity, traffic }: ControlCall) {
  const countsOf = (statement: string) =>
    new Map(network.sql.all<{ directory: string; count: number }>(statement).map((row) => [row.directory, row.count]));
  const listings = countsOf(`select directory, count(*) as count from pages where kind = 'listing' group by directory`);
  const brands = countsOf(`select directory, count(*) as count from pages where kind = 'brand' group by directory`);
  const points = countsOf(
    'select directory, count(*) as count from data_points where removed_at is null group by directory',
  );
  return {
    now: new Date(network.now()).toISOString(),
    life: activity.isEnabled,
    seed: network.seed,
    directories: directoryRules.map((rules) => {
      const failure = currentFailure(network, rules.type);
      const until = failure?.until === undefined ? {} : { until: new Date(failure.until).toISOString() };
      return {
        type: rules.type,
        listings: listings.get(rules.type) ?? 0,
        brandPages: brands.get(rules.type) ?? 0,
        dataPoints: points.get(rules.type) ?? 0,
        requests: traffic.requests(rules.type),
        limited: traffic.limited(rules.type),
        limit: traffic.limitOf(rules),
        ...(failure && { trouble: { kind: failure.kind, ...until } }),
      };
    }),
  };
}
