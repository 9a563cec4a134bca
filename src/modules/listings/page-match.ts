import type { DirectoryListing, ListingProfile } from '../directories/index.ts';
import { plainCountry, plainPhone, plainStreet, plainText, plainUrl, plainZip } from './spelling.ts';

/** How sure we are that a page is about a location, 0 to 1, and whether that is enough to link it. */
export interface Match {
  score: number;
  sure: boolean;
  /** The page says nothing but its name: the directory alone knows where it is, and is believed. */
  bare: boolean;
}

const enough = 0.7;
/** A link is given up for another page only when that one is clearly better. */
const clearlyBetter = 0.15;
const sameName = 0.5;
const sameNameAlone = 0.8;

const legalForms = /\b(gmbh|co|kg|ag|mbh|inc|llc|ltd|limited|corp|sa|srl|sarl|bv|plc|spa)\b/g;

export function matchOf(expected: ListingProfile, shown: ListingProfile): Match {
  const names = likeness(nameWords(expected.name), nameWords(shown.name));
  const street = sameOf(streetOf(expected), streetOf(shown));
  const zip = sameOf(plain(expected.zip, plainZip), plain(shown.zip, plainZip));
  const city = sameOf(plain(expected.city, plainText), plain(shown.city, plainText));
  const country = sameOf(plain(expected.country, plainCountry), plain(shown.country, plainCountry));
  const phone = sameOf(
    plain(expected.phone, (text) => plainPhone(text, expected.country)),
    plain(shown.phone, (text) => plainPhone(text, shown.country ?? expected.country)),
  );
  const website = sameOf(plain(expected.website, plainUrl), plain(shown.website, plainUrl));
  const area = zip ?? city;
  const parts: [number | undefined, number][] = [
    [names, 0.3],
    [number(street), 0.3],
    [number(area), 0.1],
    [number(phone), 0.2],
    [number(website), 0.1],
  ];
  const known = parts.filter((part): part is [number, number] => part[0] !== undefined);
  const score =
    known.reduce((sum, [value, weight]) => sum + value * weight, 0) / sum(known.map(([, weight]) => weight));
  // Branches of a chain share name, phone and website. Another street elsewhere is another branch.
  const elsewhere = country === false || (street === false && (zip === false || city === false));
  const evidence = names >= sameName ? street === true || phone === true : street === true && phone === true;
  const bare = [street, area, phone, website].every((same) => same === undefined);
  const sure = bare ? names >= sameNameAlone : score >= enough && evidence && !elsewhere;
  return { score, sure, bare };
}

export interface Choice {
  /** The page that the listing is to point to. */
  page: DirectoryListing | undefined;
  /** Other pages about the same location. */
  duplicates: DirectoryListing[];
}

/**
 * Which of a directory's pages a listing points to. `linked` is the page that it points to now, if that is still there;
 * `held` says that a person chose it.
 */
export function choosePage(
  expected: ListingProfile,
  linked: DirectoryListing | undefined,
  candidates: readonly DirectoryListing[],
  { held }: { held: boolean } = { held: false },
): Choice {
  // Of a page under review only its name is known, and whose it is only to whoever submitted it.
  const known = candidates.filter(({ pending }) => !pending);
  const scored = new Map(
    [...known, ...(linked ? [linked] : [])].map((page) => [
      page.externalId,
      { page, ...matchOf(expected, page.profile) },
    ]),
  );
  const sure = [...scored.values()].filter((match) => match.sure);
  const page = stays(linked, sure, scored, held) ? linked : best(sure)?.page;
  if (!page) return { page: undefined, duplicates: [] };
  const duplicates = [...scored.values()]
    .filter((match) => match.page.externalId !== page.externalId)
    .filter((match) => (match.sure && !match.bare) || match.page.duplicateOf === page.externalId)
    .map((match) => match.page);
  return { page, duplicates };
}

type Scored = Match & { page: DirectoryListing };

function stays(
  linked: DirectoryListing | undefined,
  sure: readonly Scored[],
  scored: ReadonlyMap<string, Scored>,
  held: boolean,
): boolean {
  if (!linked) return false;
  if (held || linked.claim === 'CLAIMED_BY_US') return true;
  const now = scored.get(linked.externalId);
  const original = linked.duplicateOf && sure.some(({ page }) => page.externalId === linked.duplicateOf);
  const better = best(sure);
  return !original && (!better || better.score < (now?.score ?? 0) + clearlyBetter);
}

/** Ours before others, originals before what the directory takes for a duplicate, then by likeness. */
function best(matches: readonly Scored[]): Scored | undefined {
  const rank = ({ page, score }: Scored) =>
    (page.claim === 'CLAIMED_BY_US' ? 4 : 0) + (page.duplicateOf === undefined ? 2 : 0) + score;
  return matches.toSorted((a, b) => rank(b) - rank(a))[0];
}

const plain = (value: string | undefined, spell: (text: string) => string) => (value ? spell(value) : undefined);

const streetOf = ({ street, streetNo = '' }: ListingProfile) =>
  street ? plainStreet(`${street} ${streetNo}`) : undefined;

/** Nothing when one of the two does not say. */
const sameOf = (a: string | undefined, b: string | undefined) => (a && b ? a === b : undefined);

const number = (same: boolean | undefined) => (same === undefined ? undefined : Number(same));

const sum = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0);

const nameWords = (name: string) => plainText(name).replace(legalForms, ' ').replace(/\s+/g, ' ').trim();

/** The share of letter pairs that two names have in common. */
function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const [pairsOfA, pairsOfB] = [pairs(a), pairs(b)];
  if (pairsOfA.length === 0 || pairsOfB.length === 0) return 0;
  const left = [...pairsOfB];
  let common = 0;
  for (const pair of pairsOfA) {
    const at = left.indexOf(pair);
    if (at < 0) continue;
    left.splice(at, 1);
    common += 1;
  }
  return (2 * common) / (pairsOfA.length + pairsOfB.length);
}

const pairs = (text: string) =>
  text
    .split(' ')
    .flatMap((word) => Array.from({ length: Math.max(0, word.length - 1) }, (_, at) => word.slice(at, at + 2)));
