import { type DirectoryRules, rulesOfType } from '../directories/directory-rules.ts';
import {
  type DataPoint,
  editDataPoint,
  insertDataPoint,
  insertReply,
  lastingDataPoint,
  removeDataPoint,
  removedDataPoint,
  repliesOf,
  restoreDataPoint,
} from '../state/data-point-store.ts';
import type { Network } from '../state/network.ts';
import { findPage, lastPageNumber, type Page, pageFrom, updatePage } from '../state/page-store.ts';
import { compose, kindOf } from './compose.ts';
import { bell, type Dice, diceOf, howMany, pick } from './seeded-random.ts';
import { driftable, driftField } from './drift.ts';
import { liveliness } from './rhythm.ts';
import { reviewText, textsOf } from './texts/write.ts';

export const minuteMs = 60_000;
const minutesPerDay = 1440;

/** On average, per page and day; and no fewer in all, so that a small network lives too. */
const arrivalsPerPage = 0.12;
const fewestArrivals = 24;
const driftsPerPage = 0.004;
const fewestDrifts = 2;
/** As parts of the arrivals. */
const edits = 0.05;
const removals = 0.03;
const returns = 0.012;
const answers = 0.04;
const tries = 6;

/** What happens within one minute, by its number since 1970. The same seed and state give the same again. */
export function liveMinute(network: Network, minute: number): void {
  const dice = diceOf(network.seed, 'minute', minute);
  const at = minute * minuteMs;
  const pages = lastPageNumber(network);
  if (pages === 0) return;
  const perDay = Math.max(fewestArrivals, pages * arrivalsPerPage);
  const rate = (perDay / minutesPerDay) * liveliness(at);
  const during = () => at + Math.floor(dice() * minuteMs);
  repeat(howMany(dice, rate), () => arrive(network, dice, pages, during()));
  repeat(howMany(dice, rate * edits), () => reconsider(network, dice));
  repeat(howMany(dice, rate * removals), () => vanish(network, dice));
  repeat(howMany(dice, rate * returns), () => comeBack(network, dice));
  repeat(howMany(dice, rate * answers), () => answerOwner(network, dice, during()));
  const drifts = Math.max(fewestDrifts, pages * driftsPerPage) / minutesPerDay;
  repeat(howMany(dice, drifts), () => drift(network, dice, pages));
}

function repeat(times: number, work: () => void): void {
  for (let done = 0; done < times; done += 1) work();
}

function somePage(
  network: Network,
  dice: Dice,
  last: number,
  fits: (page: Page, rules: DirectoryRules) => boolean,
): { page: Page; rules: DirectoryRules } | undefined {
  for (let tried = 0; tried < tries; tried += 1) {
    const page = pageFrom(network, 1 + Math.floor(dice() * last));
    const rules = page && rulesOfType(page.directory);
    if (page?.visible && rules && fits(page, rules)) return { page, rules };
  }
  return undefined;
}

function arrive(network: Network, dice: Dice, last: number, actedAt: number): void {
  const found = somePage(
    network,
    dice,
    last,
    (_, { dataPoints, liveliness: liking }) => dataPoints.length > 0 && dice() < liking / 3,
  );
  if (!found) return;
  const { page, rules } = found;
  if (page.kind === 'brand') updatePage(network, { ...page, followers: grown(dice, page.followers) });
  insertDataPoint(network, { ...compose(dice, network.seed, page, kindOf(dice, rules)), actedAt });
}

const grown = (dice: Dice, followers: number) =>
  Math.max(0, followers + Math.round((followers * 0.001 + 1) * (1 + bell(dice))));

/** Rather something new than something old. */
const some = (network: Network, dice: Dice): DataPoint | undefined => lastingDataPoint(network, 1 - dice() ** 2);

function reconsider(network: Network, dice: Dice): void {
  const point = some(network, dice);
  if (!point?.text || point.type !== 'REVIEW') return;
  const texts = textsOf(point.language ?? 'en');
  const rating = Math.min(5, Math.max(1, (point.rating ?? 3) + pick(dice, [-1, 1, 2])));
  const business = pageOf(network, point)?.business ?? 'shop';
  const text =
    dice() < 0.6
      ? `${point.text} ${pick(dice, texts.secondThoughts)}`
      : reviewText(dice, point.language ?? 'en', business, rating);
  editDataPoint(network, point, { text, rating });
}

const pageOf = (network: Network, { directory, page }: DataPoint) => findPage(network, directory, page);

function vanish(network: Network, dice: Dice): void {
  const point = some(network, dice);
  if (point) removeDataPoint(network, point);
}

function comeBack(network: Network, dice: Dice): void {
  const point = removedDataPoint(network, dice());
  if (point) restoreDataPoint(network, point);
}

/** Whoever got an answer from the owner sometimes answers in turn. */
function answerOwner(network: Network, dice: Dice, at: number): void {
  const point = some(network, dice);
  const last = point && repliesOf(network, point.directory, point.id).findLast((reply) => reply.removedAt === null);
  if (!point || last?.isOwner !== 1) return;
  const text = pick(dice, textsOf(point.language ?? 'en').answers);
  insertReply(network, point, { author: point.author, text, isOwner: false, at: Math.max(at, last.repliedAt + 1) });
}

function drift(network: Network, dice: Dice, last: number): void {
  const found = somePage(network, dice, last, (page, rules) => page.kind === 'listing' && rules.offers.has('look'));
  if (!found) return;
  const { page, rules } = found;
  const field = pick(dice, driftable(page.profile, rules.shows));
  updatePage(network, { ...page, profile: driftField(dice, page.profile, field) });
}
