import { directoryRules, rulesOfType } from '../directories/directory-rules.ts';
import { Refusal } from '../http/refusal.ts';
import { Router } from '../http/router.ts';
import { driftable } from '../life/drift.ts';
import { profileProblems } from '../profile.ts';
import { findPage, type Page } from '../state/page-store.ts';
import type { ControlCall, ControlRoute } from './control-call.ts';
import { listingControls } from './listing-controls.ts';

const dayMs = 86_400_000;
const longestHistoryDays = 365;
const mostPlaces = 1000;

export const populateControls: readonly ControlRoute[] = [{ method: 'POST', path: '/populate', handle: populate }];

/** A place and its pages, by a key under which it is put there once. */
interface Place {
  key: string;
  profile: unknown;
  pages: PageOfPlace[];
}

interface PageOfPlace {
  directory: string;
  claim?: string;
  /** Its age. */
  days?: number;
  /** Datapoints that came in a month. */
  perMonth?: number;
  /** Fields that show something else; those that cannot are left alone. */
  drift?: string[];
  duplicated?: boolean;
}

/** A page of a brand, by a key under which it is put there once. */
interface Brand {
  key: string;
  directory: string;
  name: string;
  followers?: number;
  perMonth?: number;
}

const desk = new Router<ControlCall>(listingControls);

/** Many places and brands at once, with their pages and their past year. What was put there before stays as it is. */
function populate(call: ControlCall) {
  const { network } = call;
  const put = { pages: 0, dataPoints: 0 };
  const once = (key: string, directory: string, add: () => { id: string; dataPoints: number }) => {
    const fact = `populated ${directory} ${key}`;
    if (network.fact(fact) !== undefined) return;
    const { id, dataPoints } = add();
    network.keep(fact, id);
    put.pages += 1;
    put.dataPoints += dataPoints;
  };
  for (const place of placesOf(call)) {
    for (const page of place.pages) once(place.key, page.directory, () => addPage(call, place, page));
  }
  for (const brand of brandsOf(call)) once(brand.key, brand.directory, () => addBrand(call, brand));
  return put;
}

function addBrand(call: ControlCall, { directory, name, followers, perMonth }: Brand) {
  const { id } = tell(call, '/brand-pages', { directory, name, followers }) as { id: string };
  const page = findPage(call.network, directory, id) as Page;
  return { id, dataPoints: call.life.giveHistory(page, longestHistoryDays, perMonth) };
}

function addPage(call: ControlCall, { profile }: Place, page: PageOfPlace): { id: string; dataPoints: number } {
  const { network, life } = call;
  const { directory, claim, days = longestHistoryDays, perMonth, drift = [] } = page;
  const since = new Date(network.now() - days * dayMs).toISOString();
  const { id } = tell(call, '/listings', { directory, profile, claim, since }) as { id: string };
  const now = () => findPage(network, directory, id) as Page;
  const dataPoints = life.giveHistory(now(), Math.min(days, longestHistoryDays), perMonth);
  for (const field of drift) {
    const fields = driftable(now().profile, rulesOfType(directory)?.shows ?? []);
    if (fields.includes(field)) life.drift(now(), field);
  }
  if (page.duplicated) tell(call, `/listings/${directory}/${id}/duplicate`, {});
  return { id, dataPoints };
}

/** As if it had been asked for by itself. */
function tell(call: ControlCall, path: string, body: Record<string, unknown>): object {
  const { route, params } = desk.find('POST', path);
  return route.handle({ ...call, params, body });
}

function placesOf({ body }: ControlCall): Place[] {
  const { places = [] } = body;
  if (!Array.isArray(places) || places.length > mostPlaces) {
    throw new Refusal(400, `places must be a list of at most ${mostPlaces} places.`);
  }
  return places.map((place, at) => {
    const problems = [
      ...keyProblems(place),
      ...profileProblems(place?.profile),
      ...(Array.isArray(place?.pages) ? place.pages.flatMap(pageProblems) : ['pages must be a list.']),
    ];
    if (problems.length > 0) throw new Refusal(400, ...problems.map((problem) => `places[${at}]: ${problem}`));
    return place as Place;
  });
}

/** What is wrong with a brand beyond these is said when it is put there. */
function brandsOf({ body }: ControlCall): Brand[] {
  const { brands = [] } = body;
  if (!Array.isArray(brands)) throw new Refusal(400, 'brands must be a list.');
  return brands.map((brand, at) => {
    const problems = [...keyProblems(brand), ...pageProblems(brand)];
    if (problems.length > 0) throw new Refusal(400, ...problems.map((problem) => `brands[${at}]: ${problem}`));
    return brand as Brand;
  });
}

const keyProblems = (entry: unknown) => {
  const { key } = (entry ?? {}) as Record<string, unknown>;
  return typeof key === 'string' && key !== '' ? [] : ['key must be a text that is its own.'];
};

function pageProblems(page: unknown): string[] {
  const { directory, days = 1, perMonth = 0, drift = [] } = (page ?? {}) as Record<string, unknown>;
  const isKnown = directoryRules.some(({ type }) => type === directory);
  return [
    ...(isKnown ? [] : [`There is no directory "${directory}".`]),
    ...(isWithin(days, 1, 36_500) ? [] : ['days must be a number from 1 to 36500.']),
    ...(isWithin(perMonth, 0, 1000) ? [] : ['perMonth must be a number from 0 to 1000.']),
    ...(Array.isArray(drift) ? [] : ['drift must be a list of fields.']),
  ];
}

const isWithin = (value: unknown, least: number, most: number) =>
  typeof value === 'number' && value >= least && value <= most;
