import type { BusinessKind } from '../activity/business-kind.ts';
import { gaussian, seededRandom } from '../activity/seeded-random.ts';
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

/** Search keywords of a page in a month (YYYY-MM), most frequent first. */
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
      const random = seededRandom(seed, page, keyword);
      const average = keyword.startsWith(name) ? 260 : 90;
      const expected = average * Math.exp(gaussian(random) * 0.9);
      const noise = 1 + 0.2 * gaussian(seededRandom(seed, page, keyword, month));
      return { keyword, month, impressions: Math.max(0, Math.round(expected * noise)) };
    })
    .filter(({ impressions }) => impressions >= 10)
    .sort((a, b) => b.impressions - a.impressions);
}
