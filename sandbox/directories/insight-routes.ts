import { RequestError } from '../http/request-error.ts';
import { type DirectoryCall, type DirectoryRoute, pageOf, requireAbility } from './directory-call.ts';
import { dayOf, daysBetween, insightCounter } from './insights.ts';
import { searchKeywords } from './search-keywords.ts';

const dayMs = 86_400_000;
const maxDays = 550;

export const insightRoutes: readonly DirectoryRoute[] = [
  { method: 'GET', path: '/pages/:id/insights', handle: insights },
  { method: 'GET', path: '/pages/:id/keywords', handle: keywords },
];

/** From the creation of the page to the last day with insights. */
function insights(call: DirectoryCall) {
  requireAbility(call, 'insights');
  const { network, rules } = call;
  const page = pageOf(call);
  const [from, to] = [dayIn(call, 'from'), dayIn(call, 'to')];
  if (Date.parse(to) - Date.parse(from) > maxDays * dayMs) {
    throw new RequestError(400, `from and to must be at most ${maxDays} days apart.`);
  }
  const counted = dayOf(network.now() - rules.insightsLagDays * dayMs);
  const opened = dayOf(page.since);
  const [first, last] = [[from, opened].sort()[1] as string, [to, counted].sort()[0] as string];
  const days = daysBetween(first, last);
  const count = insightCounter({ seed: network.seed, directory: rules.type, page: page.id, kind: page.business });
  return {
    counts: Object.entries(rules.metrics).flatMap(([metric, level]) =>
      days.map((day) => ({ metric, day, count: count(metric, level, day) })),
    ),
  };
}

function dayIn({ query }: DirectoryCall, name: string): string {
  const day = query.get(name) ?? '';
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day))) {
    throw new RequestError(400, `${name} must be a date such as 2026-07-13, not "${day}".`);
  }
  return day;
}

/** Empty for future months and months before the page existed. */
function keywords(call: DirectoryCall) {
  requireAbility(call, 'keywords');
  const { network, rules, query } = call;
  const page = pageOf(call);
  const month = query.get('month') ?? '';
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) {
    throw new RequestError(400, `month must be a month such as 2026-07, not "${month}".`);
  }
  const known = month >= dayOf(page.since).slice(0, 7) && month <= dayOf(network.now()).slice(0, 7);
  const source = { seed: network.seed, directory: rules.type, page: page.id, kind: page.business };
  return { keywords: known ? searchKeywords(source, page.profile, month) : [] };
}
