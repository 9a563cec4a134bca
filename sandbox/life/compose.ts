import type { DataPointKind, DirectoryRules } from '../directories/directory-rules.ts';
import type { NewDataPoint } from '../state/data-point-store.ts';
import type { Page } from '../state/page-store.ts';
import { bell, type Dice, diceOf, pick, weigh } from './seeded-random.ts';
import { authorIn, languageIn, reviewText, textsOf } from './texts/write.ts';

const wordless = 0.22;

/** What happens how often, where a directory has it. */
const frequency: Record<DataPointKind, number> = {
  REVIEW: 6,
  PHOTO: 1.5,
  CHECKIN: 2,
  CONVERSATION: 0.6,
  COMMENT: 2,
  QUESTION: 0.6,
};

export function kindOf(dice: Dice, rules: DirectoryRules): DataPointKind {
  const weights = Object.fromEntries(rules.dataPoints.map((kind) => [kind, frequency[kind]]));
  return weigh(dice, weights) as DataPointKind;
}

/** Some places are simply better than others. */
function ratingFor(dice: Dice, seed: number, page: Page): number {
  const quality = 3.4 + diceOf(seed, 'quality', page.profile.name, page.profile.street ?? '')() * 1.5;
  return Math.min(5, Math.max(1, Math.round(quality + bell(dice) * 1.1)));
}

/** Something that a visitor might leave on a page. */
export function compose(dice: Dice, seed: number, page: Page, type: DataPointKind): Omit<NewDataPoint, 'actedAt'> {
  const language = languageIn(dice, page.profile.country);
  const point = { directory: page.directory, page: page.id, type, author: authorIn(dice, language) };
  const texts = textsOf(language);
  switch (type) {
    case 'REVIEW': {
      const rating = ratingFor(dice, seed, page);
      if (dice() < wordless) return { ...point, rating };
      return { ...point, rating, language, text: reviewText(dice, language, page.business, rating) };
    }
    case 'PHOTO': {
      const name = Math.floor(dice() * 2 ** 32).toString(36);
      const photoUrl = `https://photos.${page.directory.toLowerCase().replaceAll('_', '-')}.example/${name}.jpg`;
      return { ...point, photoUrl, ...(dice() < 0.5 && { language, text: pick(dice, texts.captions) }) };
    }
    case 'CHECKIN':
      return point;
    case 'CONVERSATION':
      return { ...point, language, text: pick(dice, texts.messages) };
    case 'COMMENT':
      return { ...point, language, text: pick(dice, texts.comments) };
    case 'QUESTION':
      return { ...point, language, text: pick(dice, texts.questions) };
  }
}
