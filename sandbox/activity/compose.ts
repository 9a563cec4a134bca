import type { DataPointKind, DirectoryRules } from '../directories/directory-rules.ts';
import type { NewDataPoint } from '../state/data-point-store.ts';
import type { Page } from '../state/page-store.ts';
import { gaussian, pick, type Random, seededRandom, weightedPick } from './seeded-random.ts';
import { authorIn, languageIn, reviewText, textsOf } from './texts/write.ts';

const ratingOnlyShare = 0.22;

/** Relative frequency of datapoint types. */
const frequency: Record<DataPointKind, number> = {
  REVIEW: 6,
  PHOTO: 1.5,
  CHECKIN: 2,
  CONVERSATION: 0.6,
  COMMENT: 2,
  QUESTION: 0.6,
};

export function kindOf(random: Random, rules: DirectoryRules): DataPointKind {
  const weights = Object.fromEntries(rules.dataPoints.map((kind) => [kind, frequency[kind]]));
  return weightedPick(random, weights) as DataPointKind;
}

/** Around a quality level per location. */
function ratingFor(random: Random, seed: number, page: Page): number {
  const quality = 3.4 + seededRandom(seed, 'quality', page.profile.name, page.profile.street ?? '')() * 1.5;
  return Math.min(5, Math.max(1, Math.round(quality + gaussian(random) * 1.1)));
}

/** Generates a datapoint. */
export function compose(random: Random, seed: number, page: Page, type: DataPointKind): Omit<NewDataPoint, 'actedAt'> {
  const language = languageIn(random, page.profile.country);
  const point = { directory: page.directory, page: page.id, type, author: authorIn(random, language) };
  const texts = textsOf(language);
  switch (type) {
    case 'REVIEW': {
      const rating = ratingFor(random, seed, page);
      if (random() < ratingOnlyShare) return { ...point, rating };
      return { ...point, rating, language, text: reviewText(random, language, page.business, rating) };
    }
    case 'PHOTO': {
      const name = Math.floor(random() * 2 ** 32).toString(36);
      const photoUrl = `https://photos.${page.directory.toLowerCase().replaceAll('_', '-')}.example/${name}.jpg`;
      return { ...point, photoUrl, ...(random() < 0.5 && { language, text: pick(random, texts.captions) }) };
    }
    case 'CHECKIN':
      return point;
    case 'CONVERSATION':
      return { ...point, language, text: pick(random, texts.messages) };
    case 'COMMENT':
      return { ...point, language, text: pick(random, texts.comments) };
    case 'QUESTION':
      return { ...point, language, text: pick(random, texts.questions) };
  }
}
