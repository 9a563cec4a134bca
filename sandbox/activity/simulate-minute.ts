import { type DirectoryRules, rulesOfType } from '../directories/directory-rules.ts';
import {
  type DataPoint,
  editDataPoint,
  existingDataPoint,
  insertDataPoint,
  insertReply,
  removeDataPoint,
  removedDataPoint,
  repliesOf,
  restoreDataPoint,
} from '../state/data-point-store.ts';
import type { Network } from '../state/network.ts';
import { findPage, lastPageNumber, type Page, pageFrom, updatePage } from '../state/page-store.ts';
import { activityLevel } from './activity-level.ts';
import { compose, kindOf } from './compose.ts';
import { driftable, driftField } from './drift.ts';
import { gaussian, pick, poisson, type Random, seededRandom } from './seeded-random.ts';
import { reviewText, textsOf } from './texts/write.ts';

export const minuteMs = 60_000;
const minutesPerDay = 1440;

/** Averages per page and day, with a minimum for small networks. */
const arrivalsPerPage = 0.12;
const minArrivals = 24;
const driftsPerPage = 0.004;
const minDrifts = 2;
/** As shares of the arrivals. */
const edits = 0.05;
const removals = 0.03;
const restorations = 0.012;
const customerReplies = 0.04;
const maxPageAttempts = 6;

/** Simulates a minute since 1970. Deterministic for the same seed and state. */
export function simulateMinute(network: Network, minute: number): void {
  const random = seededRandom(network.seed, 'minute', minute);
  const at = minute * minuteMs;
  const pages = lastPageNumber(network);
  if (pages === 0) return;
  const perDay = Math.max(minArrivals, pages * arrivalsPerPage);
  const rate = (perDay / minutesPerDay) * activityLevel(at);
  const during = () => at + Math.floor(random() * minuteMs);
  repeat(poisson(random, rate), () => addDataPoint(network, random, pages, during()));
  repeat(poisson(random, rate * edits), () => editReview(network, random));
  repeat(poisson(random, rate * removals), () => remove(network, random));
  repeat(poisson(random, rate * restorations), () => restore(network, random));
  repeat(poisson(random, rate * customerReplies), () => replyToOwner(network, random, during()));
  const drifts = Math.max(minDrifts, pages * driftsPerPage) / minutesPerDay;
  repeat(poisson(random, drifts), () => drift(network, random, pages));
}

function repeat(times: number, work: () => void): void {
  for (let done = 0; done < times; done += 1) work();
}

function randomPage(
  network: Network,
  random: Random,
  last: number,
  fits: (page: Page, rules: DirectoryRules) => boolean,
): { page: Page; rules: DirectoryRules } | undefined {
  for (let attempt = 0; attempt < maxPageAttempts; attempt += 1) {
    const page = pageFrom(network, 1 + Math.floor(random() * last));
    const rules = page && rulesOfType(page.directory);
    if (page?.visible && rules && fits(page, rules)) return { page, rules };
  }
  return undefined;
}

function addDataPoint(network: Network, random: Random, last: number, actedAt: number): void {
  const found = randomPage(
    network,
    random,
    last,
    (_, { dataPoints, activityLevel: level }) => dataPoints.length > 0 && random() < level / 3,
  );
  if (!found) return;
  const { page, rules } = found;
  if (page.kind === 'brand') updatePage(network, { ...page, followers: grown(random, page.followers) });
  insertDataPoint(network, { ...compose(random, network.seed, page, kindOf(random, rules)), actedAt });
}

const grown = (random: Random, followers: number) =>
  Math.max(0, followers + Math.round((followers * 0.001 + 1) * (1 + gaussian(random))));

/** Prefers recent datapoints. */
const randomDataPoint = (network: Network, random: Random): DataPoint | undefined =>
  existingDataPoint(network, 1 - random() ** 2);

function editReview(network: Network, random: Random): void {
  const point = randomDataPoint(network, random);
  if (!point?.text || point.type !== 'REVIEW') return;
  const texts = textsOf(point.language ?? 'en');
  const rating = Math.min(5, Math.max(1, (point.rating ?? 3) + pick(random, [-1, 1, 2])));
  const business = pageOf(network, point)?.business ?? 'shop';
  const text =
    random() < 0.6
      ? `${point.text} ${pick(random, texts.secondThoughts)}`
      : reviewText(random, point.language ?? 'en', business, rating);
  editDataPoint(network, point, { text, rating });
}

const pageOf = (network: Network, { directory, page }: DataPoint) => findPage(network, directory, page);

function remove(network: Network, random: Random): void {
  const point = randomDataPoint(network, random);
  if (point) removeDataPoint(network, point);
}

function restore(network: Network, random: Random): void {
  const point = removedDataPoint(network, random());
  if (point) restoreDataPoint(network, point);
}

/** Adds a reply of the customer to a reply of the owner. */
function replyToOwner(network: Network, random: Random, at: number): void {
  const point = randomDataPoint(network, random);
  const last = point && repliesOf(network, point.directory, point.id).findLast((reply) => reply.removedAt === null);
  if (!point || last?.isOwner !== 1) return;
  const text = pick(random, textsOf(point.language ?? 'en').customerReplies);
  insertReply(network, point, { author: point.author, text, isOwner: false, at: Math.max(at, last.repliedAt + 1) });
}

function drift(network: Network, random: Random, last: number): void {
  const found = randomPage(network, random, last, (page, rules) => page.kind === 'listing' && rules.offers.has('view'));
  if (!found) return;
  const { page, rules } = found;
  const field = pick(random, driftable(page.profile, rules.fields));
  updatePage(network, { ...page, profile: driftField(random, page.profile, field) });
}
