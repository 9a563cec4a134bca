import { driftable } from '../activity/drift.ts';
import { generateHistory } from '../activity/history.ts';
import { directoryRules, rulesOfType } from '../directories/directory-rules.ts';
import { RequestError } from '../http/request-error.ts';
import { profileProblems } from '../profile.ts';
import { findPage, type Page } from '../state/page-store.ts';
import type { ControlCall, ControlRoute } from './control-call.ts';
import { addBrandPage, addListing, duplicate } from './listing-controls.ts';

const dayMs = 86_400_000;
const maxHistoryDays = 365;
const maxLocations = 1000;

export const populateControls: readonly ControlRoute[] = [{ method: 'POST', path: '/populate', handle: populate }];

/** A location and its pages. Known keys are skipped. */
interface LocationInput {
  key: string;
  profile: unknown;
  pages: PageInput[];
}

interface PageInput {
  directory: string;
  claim?: string;
  /** Age of the page. */
  days?: number;
  /** Datapoints per month. */
  perMonth?: number;
  /** Fields to change. Fields that cannot change are ignored. */
  drift?: string[];
  duplicated?: boolean;
}

/** A brand page. Known keys are skipped. */
interface BrandInput {
  key: string;
  directory: string;
  name: string;
  followers?: number;
  perMonth?: number;
}

/** Adds locations and brand pages with their history. */
function populate(call: ControlCall) {
  const { network } = call;
  const added = { pages: 0, dataPoints: 0 };
  const addOnce = (key: string, directory: string, add: () => { id: string; dataPoints: number }) => {
    const fact = `populated ${directory} ${key}`;
    if (network.fact(fact) !== undefined) return;
    const { id, dataPoints } = add();
    network.setFact(fact, id);
    added.pages += 1;
    added.dataPoints += dataPoints;
  };
  for (const location of locationsOf(call)) {
    for (const page of location.pages) addOnce(location.key, page.directory, () => addPage(call, location, page));
  }
  for (const brand of brandsOf(call)) addOnce(brand.key, brand.directory, () => addBrand(call, brand));
  return added;
}

function addBrand(call: ControlCall, { directory, name, followers, perMonth }: BrandInput) {
  const { id } = addBrandPage({ ...call, body: { directory, name, followers } });
  const page = findPage(call.network, directory, id) as Page;
  return { id, dataPoints: generateHistory(call.network, page, maxHistoryDays, perMonth) };
}

function addPage(call: ControlCall, { profile }: LocationInput, page: PageInput): { id: string; dataPoints: number } {
  const { network, activity } = call;
  const { directory, claim, days = maxHistoryDays, perMonth, drift = [] } = page;
  const since = new Date(network.now() - days * dayMs).toISOString();
  const { id } = addListing({ ...call, body: { directory, profile, claim, since } });
  const current = () => findPage(network, directory, id) as Page;
  const dataPoints = generateHistory(network, current(), Math.min(days, maxHistoryDays), perMonth);
  for (const field of drift) {
    const fields = driftable(current().profile, rulesOfType(directory)?.fields ?? []);
    if (fields.includes(field)) activity.drift(current(), field);
  }
  if (page.duplicated) duplicate({ ...call, params: { directory, id } });
  return { id, dataPoints };
}

function locationsOf({ body }: ControlCall): LocationInput[] {
  const { places = [] } = body;
  if (!Array.isArray(places) || places.length > maxLocations) {
    throw new RequestError(400, `places must be an array with at most ${maxLocations} entries.`);
  }
  return places.map((location, at) => {
    const problems = [
      ...keyProblems(location),
      ...profileProblems(location?.profile),
      ...(Array.isArray(location?.pages) ? location.pages.flatMap(pageProblems) : ['pages must be an array.']),
    ];
    if (problems.length > 0) throw new RequestError(400, ...problems.map((problem) => `places[${at}]: ${problem}`));
    return location as LocationInput;
  });
}

/** Other fields are validated when the page is added. */
function brandsOf({ body }: ControlCall): BrandInput[] {
  const { brands = [] } = body;
  if (!Array.isArray(brands)) throw new RequestError(400, 'brands must be an array.');
  return brands.map((brand, at) => {
    const problems = [...keyProblems(brand), ...pageProblems(brand)];
    if (problems.length > 0) throw new RequestError(400, ...problems.map((problem) => `brands[${at}]: ${problem}`));
    return brand as BrandInput;
  });
}

const keyProblems = (entry: unknown) => {
  const { key } = (entry ?? {}) as Record<string, unknown>;
  return typeof key === 'string' && key !== '' ? [] : ['key must be a non-empty string.'];
};

function pageProblems(page: unknown): string[] {
  const { directory, days = 1, perMonth = 0, drift = [] } = (page ?? {}) as Record<string, unknown>;
  const isKnown = directoryRules.some(({ type }) => type === directory);
  return [
    ...(isKnown ? [] : [`Directory "${directory}" not found.`]),
    ...(isWithin(days, 1, 36_500) ? [] : ['days must be a number from 1 to 36500.']),
    ...(isWithin(perMonth, 0, 1000) ? [] : ['perMonth must be a number from 0 to 1000.']),
    ...(Array.isArray(drift) ? [] : ['drift must be an array of field names.']),
  ];
}

const isWithin = (value: unknown, min: number, max: number) =>
  typeof value === 'number' && value >= min && value <= max;
