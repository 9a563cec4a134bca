import { findCategoryByPath } from '../catalog/index.ts';
import type { LocationInput } from '../locations/index.ts';
import { addressOf, type DemoAddress, quarterOf } from './demo-address.ts';
import { type DemoBusiness, demoBusinesses } from './demo-business.ts';
import { openingHoursOf, specialHoursOf } from './demo-hours.ts';
import type { DemoPlace } from './demo-place.ts';
import { type DemoTexts, servicePrices, textsOf } from './demo-texts.ts';
import { Dice } from './dice.ts';

/** What shall become of a location once it is there. */
type DemoFate = 'SERVED' | 'NOT_SYNCED' | 'NEEDS_REVIEW' | 'CANCELLED' | 'CLOSED';

export interface DemoLocation {
  /** From 0, over all businesses. */
  index: number;
  business: DemoBusiness;
  language: DemoPlace['language'];
  fate: DemoFate;
  input: Omit<LocationInput, 'businessId'> & { identifier: string };
}

export interface DemoChoice {
  seed: string;
  /** YYYY-MM-DD: holidays lie ahead of it. */
  today: string;
}

/** The seed of the locations that the first start makes. They carry no mark of it. */
export const usualSeed = '1';

/** The same location for the same seed and day; businesses take turns. */
export function demoLocation(index: number, { seed, today }: DemoChoice): DemoLocation {
  const business = demoBusinesses[index % demoBusinesses.length] as DemoBusiness;
  const number = Math.floor(index / demoBusinesses.length) + 1;
  const { place } = quarterOf(business.places, number, seed);
  const address = addressOf(business.places, number, seed);
  const dice = new Dice(seed, 'location', business.key, number);
  const texts = textsOf(business.key, place.language);
  const identifier = locationIdentifier(business, number, seed);
  const full = {
    ...placeFields(business, place, address),
    ...contactFields(business, identifier, address, dice),
    ...wordFields(business, texts, address, dice),
    ...hourFields(business, place, today, dice),
    ...offerFields(business, place, texts, dice),
    ...mediaFields(business, identifier, dice),
    identifier,
  };
  const input = withGaps(full, new Dice(seed, 'gaps', business.key, number));
  return {
    index,
    business,
    language: place.language,
    // Directories require a phone number: a location without one waits for its first sync.
    fate: input.phone === undefined ? 'NOT_SYNCED' : fateOf(number),
    input,
  };
}

const locationIdentifier = ({ key }: Pick<DemoBusiness, 'key'>, number: number, seed: string): string =>
  `demo-${key}${seed === usualSeed ? '' : `-${seed}`}-${String(number).padStart(5, '0')}`;

/** By the number and not by chance, so that few locations show every fate. */
function fateOf(number: number): DemoFate {
  if (number % 20 === 7) return 'NOT_SYNCED';
  if (number % 20 === 13) return 'NEEDS_REVIEW';
  if (number % 20 === 17) return 'CANCELLED';
  if (number % 40 === 19) return 'CLOSED';
  return 'SERVED';
}

function placeFields({ name, categories }: DemoBusiness, place: DemoPlace, address: DemoAddress) {
  const { phone, ...where } = address;
  return {
    name,
    ...where,
    phone,
    timeZone: place.timeZone,
    categories: categories.slice(0, 1 + (address.streetNo.length % 2)).map(categoryOf),
  };
}

function categoryOf(path: string): number {
  const category = findCategoryByPath(path);
  if (!category) throw new Error(`There is no category ${path}.`);
  return category.mergedInto ?? category.id;
}

function contactFields({ website, mailDomain }: DemoBusiness, identifier: string, address: DemoAddress, dice: Dice) {
  const town = plain(address.city);
  return {
    website: `${website}/${town}/${plain(`${address.street} ${address.streetNo}`)}`,
    email: `${town}.${identifier.replace(/^demo-/, '')}@${mailDomain}`,
    ...(dice.chance(0.5) && { utms: [{ type: 'GOOGLE', parameters: 'utm_source=google&utm_medium=organic' }] }),
    customFields: [{ name: 'Cost centre', value: `CC-${dice.between(1000, 9999)}` }],
  };
}

function wordFields({ key, name }: DemoBusiness, texts: DemoTexts, { street, city }: DemoAddress, dice: Dice) {
  const filled = (text: string) => text.replaceAll('{street}', street).replaceAll('{city}', city);
  return {
    descriptionShort: filled(dice.pick(texts.short)),
    descriptionLong: filled(dice.pick(texts.long)),
    keywords: dice.shuffled(texts.keywords).slice(0, dice.between(3, texts.keywords.length)),
    ...(key !== 'fitness' && { brands: [name] }),
    ...(dice.chance(0.3) && { openingHoursNotes: texts.hoursNote }),
  };
}

function hourFields({ key }: DemoBusiness, place: DemoPlace, today: string, dice: Dice) {
  return {
    openingHours: openingHoursOf(key, place.country, dice),
    specialOpeningHours: specialHoursOf(place.country, today),
    openingDate: `${dice.between(1998, 2023)}-0${dice.between(1, 9)}-${dice.between(10, 28)}`,
    ...(dice.chance(0.02) && { temporarilyClosed: true }),
  };
}

const currencies: Record<DemoPlace['country'], string> = {
  AT: 'EUR',
  CH: 'CHF',
  DE: 'EUR',
  ES: 'EUR',
  FR: 'EUR',
  GB: 'GBP',
  IE: 'EUR',
  IT: 'EUR',
  US: 'USD',
};

const labels = ['Flagship', 'Franchise', 'City centre', 'Near a station', 'Renovated 2025', 'Pilot store'];

function offerFields({ key }: DemoBusiness, place: DemoPlace, texts: DemoTexts, dice: Dice) {
  const prices = servicePrices[key];
  return {
    services: texts.services.map((title, at) => ({
      identifier: `${key}-${at + 1}`,
      title,
      price: prices[at] as number,
      currency: currencies[place.country],
    })),
    attributes: [
      { key: 'wheelchair', value: dice.chance(0.8) },
      { key: 'internet_access', value: key === 'bakery' ? dice.chance(0.3) : true },
      ...(key === 'fitness' ? [{ key: 'sauna', value: dice.chance(0.6) }] : [{ key: 'takeaway', value: true }]),
    ],
    paymentOptions: ['CASH', 'CREDIT_CARDS', 'DEBIT_CARDS', ...(dice.chance(0.6) ? ['CONTACTLESS'] : [])],
    languages: [...new Set([place.language, 'en'])],
    labels: [place.country, ...dice.shuffled(labels).slice(0, dice.between(0, 2))],
  };
}

function mediaFields({ key, website, mailDomain }: DemoBusiness, identifier: string, dice: Dice) {
  const shots = Array.from({ length: dice.between(1, 5) }, (_, at) => ({
    url: `https://media.${mailDomain}/${identifier}/${at + 1}.jpg`,
  }));
  const handle = new URL(website).hostname.split('.')[1];
  return {
    photos: [
      { url: `https://media.${mailDomain}/${identifier}/main.jpg`, type: 'MAIN' as const },
      { url: `https://media.${mailDomain}/logo.png`, type: 'LOGO' as const },
      ...shots,
    ],
    socialProfiles: [
      { type: 'FACEBOOK', url: `https://www.facebook.com/${handle}.${key}` },
      { type: 'INSTAGRAM', url: `https://www.instagram.com/${handle}` },
    ],
    ...(dice.chance(0.15) && { autoSync: false }),
  };
}

type Optional = Exclude<keyof LocationInput, 'businessId' | 'name' | 'street' | 'city' | 'country' | 'categories'>;

/** What is missing together where something is missing; the rarer the worse. */
const gaps: readonly (readonly Optional[])[] = [
  ['photos'],
  ['services'],
  ['keywords'],
  ['email'],
  ['descriptionShort', 'descriptionLong'],
  ['attributes', 'paymentOptions'],
  ['openingHours', 'specialOpeningHours'],
  ['descriptionLong', 'photos', 'keywords', 'services'],
  ['phone'],
];

/** A third of the locations is not complete, as everywhere. */
function withGaps<T extends DemoLocation['input']>(full: T, dice: Dice): T {
  if (!dice.chance(0.33)) return full;
  const missing = new Set<string>(dice.shuffled(gaps).slice(0, dice.between(1, 2)).flat());
  return Object.fromEntries(Object.entries(full).filter(([field]) => !missing.has(field))) as T;
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-');
