import type { BusinessKind } from '../life/business-kind.ts';
import { bell, diceOf } from '../life/seeded-random.ts';
import type { Profile } from '../profile.ts';
import type { InsightSource } from './insights.ts';

const words: Record<BusinessKind, readonly string[]> = {
  food: ['restaurant', 'lunch', 'breakfast', 'dinner', 'coffee', 'takeaway', 'brunch', 'where to eat'],
  lodging: ['hotel', 'cheap hotel', 'hotel with parking', 'bed and breakfast', 'room for tonight', 'hotel breakfast'],
  health: ['doctor', 'pharmacy', 'dentist', 'emergency doctor', 'appointment', 'clinic', 'open pharmacy'],
  beauty: ['hairdresser', 'haircut', 'nail studio', 'massage', 'barber', 'beauty salon', 'gym'],
  office: ['insurance', 'bank', 'lawyer', 'tax advice', 'cash machine', 'estate agent', 'opening account'],
  car: ['garage', 'car repair', 'petrol station', 'tyre change', 'car wash', 'oil change', 'bike repair'],
  shop: ['shop', 'gift shop', 'clothes', 'shoes', 'open on saturday', 'sale', 'electronics', 'click and collect'],
};

/** The words by which a page was found in a month (YYYY-MM), the most frequent first. */
export function searchKeywords(source: InsightSource, profile: Profile, month: string) {
  const { seed, page, kind } = source;
  const city = profile.city?.toLowerCase();
  const name = profile.name.toLowerCase();
  const own = [name, ...(profile.categories ?? []).map((category) => category.toLowerCase())];
  const keywords = new Set([
    ...own,
    ...own.map((word) => `${word} near me`),
    ...words[kind],
    ...(city ? [...own, ...words[kind]].map((word) => `${word} ${city}`) : []),
  ]);
  return [...keywords]
    .map((keyword) => {
      const dice = diceOf(seed, page, keyword);
      const liking = keyword.startsWith(name) ? 260 : 90;
      const usual = liking * Math.exp(bell(dice) * 0.9);
      const chance = 1 + 0.2 * bell(diceOf(seed, page, keyword, month));
      return { keyword, month, impressions: Math.max(0, Math.round(usual * chance)) };
    })
    .filter(({ impressions }) => impressions >= 10)
    .sort((a, b) => b.impressions - a.impressions);
}
