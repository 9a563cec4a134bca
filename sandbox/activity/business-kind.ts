import type { Profile } from '../profile.ts';

/** Determines review texts and demand per weekday. */
export type BusinessKind = 'food' | 'lodging' | 'health' | 'beauty' | 'office' | 'car' | 'shop';

const patterns: [BusinessKind, RegExp][] = [
  ['food', /restaurant|caf[eé]|coffee|bar\b|pub|bak(ery|er)|food|pizz|ice cream|bistro|biergarten|deli|butcher/i],
  ['lodging', /hotel|hostel|guest|motel|bed and breakfast|camp|apartment|resort/i],
  ['health', /doctor|dentist|pharmac|clinic|hospital|physio|optic|medical|veterinar|health/i],
  ['beauty', /hair|beauty|spa\b|nail|cosmetic|barber|massage|tattoo|gym|fitness/i],
  ['office', /bank|insur|lawyer|attorney|notar|account|estate|office|agency|consult|travel|government/i],
  ['car', /\bcar\b|auto|garage|fuel|petrol|gas station|tyre|tire|motorcycle|bicycle|repair|parking/i],
];

export function businessKind({ categories = [], name }: Profile): BusinessKind {
  const words = `${categories.join(' ')} ${name}`;
  return patterns.find(([, pattern]) => pattern.test(words))?.[0] ?? 'shop';
}
