import type { DirectoryListing, ListingProfile } from '../directories/index.ts';
import {
  normalizeCountry,
  normalizePhone,
  normalizeStreet,
  normalizeText,
  normalizeUrl,
  normalizeZip,
} from './field-comparison.ts';

/** Similarity of a directory listing and a location, 0 to 1, and whether it is high enough to link them. */
interface Match {
  score: number;
  sure: boolean;
  /** Only the name can be compared; the address is trusted because the directory's search returned the listing. */
  nameOnly: boolean;
}

const matchThreshold = 0.7;
/** How much better another listing must be to replace the link. */
const relinkMargin = 0.15;
const minNameSimilarity = 0.5;
const minNameSimilarityAlone = 0.8;

const legalForms = /\b(gmbh|co|kg|ag|mbh|inc|llc|ltd|limited|corp|sa|srl|sarl|bv|plc|spa)\b/g;

export function matchProfiles(expected: ListingProfile, shown: ListingProfile): Match {
  const names = similarity(nameWords(expected.name), nameWords(shown.name));
  const street = sameOf(streetOf(expected), streetOf(shown));
  const zip = sameOf(plain(expected.zip, normalizeZip), plain(shown.zip, normalizeZip));
  const city = sameOf(plain(expected.city, normalizeText), plain(shown.city, normalizeText));
  const country = sameOf(plain(expected.country, normalizeCountry), plain(shown.country, normalizeCountry));
  const phone = sameOf(
    plain(expected.phone, (text) => normalizePhone(text, expected.country)),
    plain(shown.phone, (text) => normalizePhone(text, shown.country ?? expected.country)),
  );
  const website = sameOf(plain(expected.website, normalizeUrl), plain(shown.website, normalizeUrl));
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
  // Branches of a chain share name, phone and website: another street in another city is another branch.
  const elsewhere = country === false || (street === false && (zip === false || city === false));
  const evidence = names >= minNameSimilarity ? street === true || phone === true : street === true && phone === true;
  const nameOnly = [street, area, phone, website].every((same) => same === undefined);
  const sure = nameOnly ? names >= minNameSimilarityAlone : score >= matchThreshold && evidence && !elsewhere;
  return { score, sure, nameOnly };
}

interface Choice {
  match: DirectoryListing | undefined;
  /** Other directory listings of the same location. */
  duplicates: DirectoryListing[];
}

/** Chooses the directory listing to link. `linked`: the current link, if it still exists; `held`: a user chose it. */
export function chooseListing(
  expected: ListingProfile,
  linked: DirectoryListing | undefined,
  candidates: readonly DirectoryListing[],
  { held }: { held: boolean } = { held: false },
): Choice {
  // A listing under review shows only its name, and its owner only to the submitter.
  const known = candidates.filter(({ pending }) => !pending);
  const scored = new Map(
    [...known, ...(linked ? [linked] : [])].map((listing) => [
      listing.externalId,
      { listing, ...matchProfiles(expected, listing.profile) },
    ]),
  );
  const sure = [...scored.values()].filter((match) => match.sure);
  const match = keepsLink(linked, sure, scored, held) ? linked : best(sure)?.listing;
  if (!match) return { match: undefined, duplicates: [] };
  const duplicates = [...scored.values()]
    .filter((other) => other.listing.externalId !== match.externalId)
    .filter((other) => (other.sure && !other.nameOnly) || other.listing.duplicateOf === match.externalId)
    .map((other) => other.listing);
  return { match, duplicates };
}

type Scored = Match & { listing: DirectoryListing };

function keepsLink(
  linked: DirectoryListing | undefined,
  sure: readonly Scored[],
  scored: ReadonlyMap<string, Scored>,
  held: boolean,
): boolean {
  if (!linked) return false;
  if (held || linked.claim === 'CLAIMED_BY_US') return true;
  const now = scored.get(linked.externalId);
  const original = linked.duplicateOf && sure.some(({ listing }) => listing.externalId === linked.duplicateOf);
  const better = best(sure);
  return !original && (!better || better.score < (now?.score ?? 0) + relinkMargin);
}

/** Listings claimed by us first, then originals before duplicates, then by score. */
function best(matches: readonly Scored[]): Scored | undefined {
  const rank = ({ listing, score }: Scored) =>
    (listing.claim === 'CLAIMED_BY_US' ? 4 : 0) + (listing.duplicateOf === undefined ? 2 : 0) + score;
  return matches.toSorted((a, b) => rank(b) - rank(a))[0];
}

const plain = (value: string | undefined, normalize: (text: string) => string) =>
  value ? normalize(value) : undefined;

const streetOf = ({ street, streetNo = '' }: ListingProfile) =>
  street ? normalizeStreet(`${street} ${streetNo}`) : undefined;

/** Undefined when a value is missing. */
const sameOf = (a: string | undefined, b: string | undefined) => (a && b ? a === b : undefined);

const number = (same: boolean | undefined) => (same === undefined ? undefined : Number(same));

const sum = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0);

const nameWords = (name: string) => normalizeText(name).replace(legalForms, ' ').replace(/\s+/g, ' ').trim();

/** Sørensen–Dice coefficient of letter pairs. */
function similarity(a: string, b: string): number {
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
