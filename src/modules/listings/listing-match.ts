import type { DirectoryListing, ListingProfile } from '../directories/index.ts';
import {
  normalizeCountry,
  normalizePhone,
  normalizeText,
  normalizeUrl,
  normalizeZip,
  streetAndNumber,
} from './field-comparison.ts';

/** Similarity of a directory listing and a location, 0 to 1, and whether it is high enough to link them. */
interface Match {
  score: number;
  sure: boolean;
  /** Only the name can be compared; the address is trusted because the directory's search returned the listing. */
  nameOnly: boolean;
  /** Name, address and phone are the same. */
  identical: boolean;
  /** To compare matches of a directory listing with several locations: street, name, all fields. */
  closeness: readonly [number, number, number];
}

const matchThreshold = 0.7;
/** How much better another listing must be to replace the link. */
const relinkMargin = 0.15;
const minNameSimilarity = 0.5;
const minNameSimilarityAlone = 0.8;

const legalForms = /\b(gmbh|co|kg|ag|mbh|inc|llc|ltd|limited|corp|sa|srl|sarl|bv|plc|spa)\b/g;

type TextField = 'street' | 'zip' | 'city' | 'country' | 'phone' | 'website' | 'addressExtra';

export function matchProfiles(expected: ListingProfile, shown: ListingProfile): Match {
  const names = similarity(nameWords(expected.name), nameWords(shown.name));
  /** Undefined when a value is missing. */
  const same = (field: TextField, normalize: (text: string, profile: ListingProfile) => string) => {
    const [a, b] = [expected, shown].map((profile) => profile[field] && normalize(profile[field], profile));
    return a && b ? a === b : undefined;
  };
  const street = same('street', (_, profile) => streetAndNumber(profile));
  const zip = same('zip', normalizeZip);
  const city = same('city', normalizeText);
  const country = same('country', normalizeCountry);
  const phone = same('phone', (text, profile) => normalizePhone(text, profile.country ?? expected.country));
  const website = same('website', normalizeUrl);
  const area = zip ?? city;
  const parts: [number | undefined, number][] = [
    [names, 0.3],
    [number(street), 0.3],
    [number(area), 0.1],
    [number(phone), 0.2],
    [number(website), 0.1],
  ];
  const known = parts.filter((part): part is [number, number] => part[0] !== undefined);
  const points = sum(known.map(([value, weight]) => value * weight));
  const score = points / sum(known.map(([, weight]) => weight));
  // Branches of a chain share name, phone and website: another street in another city is another branch.
  const elsewhere = country === false || (street === false && (zip === false || city === false));
  const evidence = names >= minNameSimilarity ? street === true || phone === true : street === true && phone === true;
  const nameOnly = [street, area, phone, website].every((same) => same === undefined);
  const sure = nameOnly ? names >= minNameSimilarityAlone : score >= matchThreshold && evidence && !elsewhere;
  const sameName = normalizeText(expected.name) === normalizeText(shown.name);
  const extra = same('addressExtra', normalizeText);
  const sameAddress = street === true && area === true && city !== false && country !== false && extra !== false;
  const identical = sameName && sameAddress && phone === true;
  return { score, sure, nameOnly, identical, closeness: [Number(street === true), names, points] };
}

/** Another location that may match the same directory listings. */
export interface OtherLocation {
  profile: ListingProfile;
  /** Whether it is linked on the directory. */
  isLinked: boolean;
}

export interface Duplicate extends DirectoryListing {
  /** It can be removed without a decision of a user. */
  removable: boolean;
}

interface Choice {
  match: DirectoryListing | undefined;
  /** Other directory listings of the same location. */
  duplicates: Duplicate[];
  /** Ids of candidates that belong to another location. */
  elsewhere: ReadonlySet<string>;
}

/** Chooses the directory listing to link. `linked`: the current link, if it still exists; `held`: a user chose it. */
export function chooseListing(
  expected: ListingProfile,
  linked: DirectoryListing | undefined,
  candidates: readonly DirectoryListing[],
  { held = false, others = [] }: { held?: boolean; others?: readonly OtherLocation[] } = {},
): Choice {
  // A listing under review shows only its name, and its owner only to the submitter.
  const known = candidates.filter(({ pending }) => !pending);
  const matched = [...known, ...(linked ? [linked] : [])].map((listing): Scored => {
    const match = matchProfiles(expected, listing.profile);
    return { listing, ...match, rivals: rivalsOf(listing, match, others) };
  });
  const isOwn = ({ listing, rivals }: Scored) =>
    listing.externalId === linked?.externalId || !rivals.some(({ isCloser }) => isCloser);
  const scored = new Map(matched.filter(isOwn).map((match) => [match.listing.externalId, match]));
  const sure = [...scored.values()].filter((match) => match.sure);
  const match = keepsLink(linked, sure, scored, held) ? linked : best(sure)?.listing;
  // A location that is not linked yet may be linked to the listing.
  const isFree = ({ rivals }: Scored) => rivals.every(({ isLinked }) => isLinked);
  const duplicates = [...scored.values()]
    .filter((other) => match && other.listing.externalId !== match.externalId && isFree(other))
    .filter((other) => (other.sure && !other.nameOnly) || other.listing.duplicateOf === match?.externalId)
    .map((other) => ({ ...other.listing, removable: isRemovable(other, scored.get(match?.externalId ?? '')) }));
  const elsewhere = matched.filter(
    (other) => other.listing.externalId !== match?.externalId && !(isOwn(other) && isFree(other)),
  );
  return { match, duplicates, elsewhere: new Set(elsewhere.map(({ listing }) => listing.externalId)) };
}

type Scored = Match & { listing: DirectoryListing; rivals: readonly Rival[] };

/** A location that matches a directory listing at least as well as the expected one. */
interface Rival {
  isCloser: boolean;
  isLinked: boolean;
}

function rivalsOf({ profile }: DirectoryListing, own: Match, others: readonly OtherLocation[]): Rival[] {
  return others.flatMap((other) => {
    const match = matchProfiles(other.profile, profile);
    const [street = 0, name = 0, points = 0] = match.closeness.map((value, at) => value - (own.closeness[at] ?? 0));
    // The phone or website of the location may have changed: they do not decide whether the listing is linked.
    const isCloser = (street || name) > 0;
    const isAsClose = match.sure && (street || name || points) >= 0;
    return isAsClose ? [{ isCloser, isLinked: other.isLinked }] : [];
  });
}

/**
 * Only what the directory itself reports as a copy, or what is identical and claimed by us, and only if the listing that
 * is kept is ours and clearly belongs to the location.
 */
function isRemovable({ listing, identical, rivals }: Scored, kept: Scored | undefined): boolean {
  if (!kept?.sure || kept.listing.claim !== 'CLAIMED_BY_US' || rivals.length > 0) return false;
  const isCopy = listing.duplicateOf === kept.listing.externalId;
  if (listing.claim === 'CLAIMED_BY_US') return isCopy || identical;
  return isCopy && (listing.claim === 'CLAIMABLE' || listing.claim === 'NOT_CLAIMABLE');
}

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

const number = (same: boolean | undefined) => (same === undefined ? undefined : Number(same));

const sum = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0);

/** The name without legal forms, unless it has nothing else. */
function nameWords(name: string): string {
  const whole = normalizeText(name);
  return whole.replace(legalForms, ' ').replace(/\s+/g, ' ').trim() || whole;
}

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
