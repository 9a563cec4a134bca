import type { Profile } from '../profile.ts';

/** Legal forms do not identify a business. Dots are spaces here: "Sp. z o.o." is "sp z o o". */
const legalForms = /\b(gmbh|ag|kg|ohg|ug|ltd|limited|llc|inc|plc|sarl|sas|srl|spa|bv|nv|sp z o ?o|co)\b/g;
const minScore = 0.75;
const nearMetres = 150;
const maxScoreInOtherArea = 0.4;

/** Likelihood that a page belongs to the location, from 0 to 1. */
export function matchScore(sought: Profile, page: Profile): number {
  const name = similarity(nameKey(sought.name), nameKey(page.name));
  const phone = phoneKey(sought.phone);
  const samePhone = phone !== '' && phone === phoneKey(page.phone);
  return Math.min(1, name * 0.5 + addressScore(sought, page) * 0.5 + (samePhone ? 0.1 : 0));
}

export const isMatch = (score: number): boolean => score >= minScore;

/** From 0 to 1 (same address). A page without an address gets a neutral score. */
function addressScore(sought: Profile, page: Profile): number {
  if (page.street === undefined && page.zip === undefined && page.city === undefined) return 0.6;
  const metres = distance(sought, page);
  const close = metres !== undefined && metres <= nearMetres ? 0.9 : 0;
  const area =
    sought.zip && page.zip
      ? Number(normalize(sought.zip) === normalize(page.zip))
      : similarity(normalize(sought.city ?? ''), normalize(page.city ?? ''));
  const street = sought.street
    ? similarity(streetKey(sought.street, sought.streetNo), streetKey(page.street ?? '', page.streetNo))
    : area;
  const near = street * 0.7 + area * 0.3;
  // Chains have branches with the same name in streets with the same name. Only the area distinguishes them.
  return Math.max(close, area < 0.5 ? Math.min(near, maxScoreInOtherArea) : near);
}

/** The name without legal forms, unless it has nothing else. */
export function nameKey(name: string): string {
  const whole = normalize(name);
  return whole.replace(legalForms, ' ').replace(/ +/g, ' ').trim() || whole;
}

/** The last digits, which are the same with and without a country code. */
export const phoneKey = (phone: string | undefined): string => (phone ?? '').replace(/\D/g, '').slice(-7);

/** Lower-case words without accents and punctuation. */
export const normalize = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const streetKey = (street: string, number = '') =>
  normalize(`${street} ${number}`)
    .replace(/str(asse|eet)?\b/g, 'str')
    .replace(/\b(avenue|av)\b/g, 'ave');

/** Sørensen–Dice coefficient of letter pairs. */
function similarity(a: string, b: string): number {
  if (a === b) return a === '' ? 0 : 1;
  const left = pairsOf(a);
  const right = pairsOf(b);
  if (left.length === 0 || right.length === 0) return 0;
  const counts = new Map<string, number>();
  for (const pair of left) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  let shared = 0;
  for (const pair of right) {
    const count = counts.get(pair) ?? 0;
    if (count === 0) continue;
    counts.set(pair, count - 1);
    shared += 1;
  }
  return (2 * shared) / (left.length + right.length);
}

const pairsOf = (text: string) =>
  Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));

/** In metres, by equirectangular approximation. */
function distance(a: Profile, b: Profile): number | undefined {
  if (a.lat === undefined || a.lng === undefined || b.lat === undefined || b.lng === undefined) return undefined;
  const north = (a.lat - b.lat) * 111_320;
  const east = (a.lng - b.lng) * 111_320 * Math.cos((a.lat * Math.PI) / 180);
  return Math.hypot(north, east);
}
