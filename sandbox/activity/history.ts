import { rulesOfType } from '../directories/directory-rules.ts';
import { findDataPoint, insertDataPoint, insertReply } from '../state/data-point-store.ts';
import type { Network } from '../state/network.ts';
import { type Page, updatePage } from '../state/page-store.ts';
import { activityLevel, maxActivityLevel } from './activity-level.ts';
import { compose, kindOf } from './compose.ts';
import { pick, poisson, type Random, seededRandom } from './seeded-random.ts';
import { textsOf, toneOf } from './texts/write.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const defaultPerMonth = 0.9;
const repliedShare = 0.55;

/** Generates datapoints with owner replies for the last `days` days. Returns the number of datapoints. */
export function generateHistory(network: Network, page: Page, days: number, perMonth?: number): number {
  const rules = rulesOfType(page.directory);
  const now = network.now();
  updatePage(network, { ...page, since: Math.min(page.since, now - days * dayMs) });
  if (!rules || rules.dataPoints.length === 0) return 0;
  const random = seededRandom(network.seed, 'history', page.directory, page.id, days);
  const count = poisson(random, ((perMonth ?? defaultPerMonth * rules.activityLevel) * days) / 30);
  const times = Array.from({ length: count }, () => randomTime(random, now - days * dayMs, now)).sort((a, b) => a - b);
  for (const actedAt of times) {
    const point = { ...compose(random, network.seed, page, kindOf(random, rules)), actedAt };
    const id = insertDataPoint(network, point);
    const repliedAt = actedAt + hourMs * (1 + random() ** 3 * 120);
    const canReply = rules.offers.has('reply') && (point.type === 'REVIEW' || point.type === 'QUESTION');
    if (!canReply || random() > repliedShare || repliedAt > now) continue;
    const texts = textsOf(point.language ?? 'en');
    const text = pick(random, toneOf(point.rating ?? 5) === 'good' ? texts.thanks : texts.apologies);
    const inserted = findDataPoint(network, page.directory, id);
    if (inserted)
      insertReply(network, inserted, { author: page.profile.name, text, isOwner: true, at: Math.floor(repliedAt) });
  }
  return count;
}

/** Weighted by the activity level of hour and weekday. */
function randomTime(random: Random, from: number, to: number): number {
  for (;;) {
    const time = from + Math.floor(random() * (to - from));
    if (random() * maxActivityLevel < activityLevel(time)) return time;
  }
}
