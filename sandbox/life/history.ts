import { rulesOfType } from '../directories/directory-rules.ts';
import { findDataPoint, insertDataPoint, insertReply } from '../state/data-point-store.ts';
import type { Network } from '../state/network.ts';
import { type Page, updatePage } from '../state/page-store.ts';
import { compose, kindOf } from './compose.ts';
import { type Dice, diceOf, howMany, pick } from './seeded-random.ts';
import { liveliest, liveliness } from './rhythm.ts';
import { textsOf, toneOf } from './texts/write.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const usualPerMonth = 0.9;
const answered = 0.55;

/** Gives a page a past of so many days: datapoints with the owner's replies. Answers how many there are. */
export function giveHistory(network: Network, page: Page, days: number, perMonth?: number): number {
  const rules = rulesOfType(page.directory);
  const now = network.now();
  updatePage(network, { ...page, since: Math.min(page.since, now - days * dayMs) });
  if (!rules || rules.dataPoints.length === 0) return 0;
  const dice = diceOf(network.seed, 'history', page.directory, page.id, days);
  const count = howMany(dice, ((perMonth ?? usualPerMonth * rules.liveliness) * days) / 30);
  const times = Array.from({ length: count }, () => someTime(dice, now - days * dayMs, now)).sort((a, b) => a - b);
  for (const actedAt of times) {
    const point = { ...compose(dice, network.seed, page, kindOf(dice, rules)), actedAt };
    const id = insertDataPoint(network, point);
    const repliedAt = actedAt + hourMs * (1 + dice() ** 3 * 120);
    const takesReply = rules.offers.has('reply') && (point.type === 'REVIEW' || point.type === 'QUESTION');
    if (!takesReply || dice() > answered || repliedAt > now) continue;
    const texts = textsOf(point.language ?? 'en');
    const text = pick(dice, toneOf(point.rating ?? 5) === 'good' ? texts.thanks : texts.apologies);
    const written = findDataPoint(network, page.directory, id);
    if (written)
      insertReply(network, written, { author: page.profile.name, text, isOwner: true, at: Math.floor(repliedAt) });
  }
  return count;
}

/** By the rhythm of day and week. */
function someTime(dice: Dice, from: number, to: number): number {
  for (;;) {
    const time = from + Math.floor(dice() * (to - from));
    if (dice() * liveliest < liveliness(time)) return time;
  }
}
