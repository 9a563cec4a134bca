import { findCategoryByPath } from '../catalog/index.ts';
import type { LocationInput, OpeningHours, SpecialOpeningHours } from '../locations/index.ts';
import { addressOf, type DemoAddress, type DemoCity, districtOf } from './demo-address.ts';
import { type BusinessKey, type DemoBusiness, demoBusinesses } from './demo-business.ts';
import { type DemoTexts, servicePrices, textsOf } from './demo-texts.ts';
import { SeededRandom } from './seeded-random.ts';

type Country = DemoCity['country'];
/** One or two periods such as 08:00-12:30. Empty: closed. */
type Day = readonly string[];
/** `monday` and `friday` override `weekdays`. */
interface Week {
  weekdays: Day;
  saturday: Day;
  sunday: Day;
  monday?: Day;
  friday?: Day;
}

const bakery: readonly Week[] = [
  { weekdays: ['06:30-18:30'], saturday: ['06:30-14:00'], sunday: ['07:30-11:00'] },
  { weekdays: ['06:00-19:00'], saturday: ['06:30-16:00'], sunday: ['08:00-17:00'] },
  { weekdays: ['06:00-12:30', '14:30-18:30'], saturday: ['06:00-12:30'], sunday: [] },
  { weekdays: ['06:30-13:00', '15:00-18:00'], saturday: ['07:00-13:00'], sunday: ['08:00-11:00'] },
];

const coffee: readonly Week[] = [
  { weekdays: ['07:30-18:00'], saturday: ['08:30-18:00'], sunday: ['09:00-17:00'] },
  { weekdays: ['07:00-17:30'], saturday: ['08:00-17:30'], sunday: [] },
  // Open past midnight on Friday and Saturday.
  { weekdays: ['08:00-22:00'], friday: ['08:00-01:00'], saturday: ['09:00-01:30'], sunday: ['09:30-18:00'] },
];

const frenchCoffee: readonly Week[] = [
  { weekdays: ['08:00-14:00', '15:30-19:00'], monday: [], saturday: ['09:00-19:00'], sunday: ['09:30-13:30'] },
  { weekdays: ['07:45-18:45'], saturday: ['09:00-19:00'], sunday: [] },
  { weekdays: ['08:30-19:00'], friday: ['08:30-00:30'], saturday: ['09:30-01:00'], sunday: ['10:00-18:00'] },
];

const americanFitness: readonly Week[] = [
  { weekdays: ['05:00-23:00'], saturday: ['06:00-21:00'], sunday: ['07:00-20:00'] },
  { weekdays: ['05:00-01:00'], saturday: ['06:00-00:00'], sunday: ['07:00-22:00'] },
  { weekdays: ['00:00-24:00'], saturday: ['00:00-24:00'], sunday: ['00:00-24:00'] },
];

const southernFitness: readonly Week[] = [
  { weekdays: ['07:00-14:30', '16:30-23:00'], saturday: ['09:00-20:00'], sunday: ['09:00-14:00'] },
  { weekdays: ['06:30-23:00'], saturday: ['08:00-20:00'], sunday: ['09:00-15:00'] },
  {
    weekdays: ['06:30-23:30'],
    friday: ['06:30-00:30'],
    saturday: ['09:00-00:30'],
    sunday: ['10:00-14:00', '17:00-21:00'],
  },
];

function openingHoursOf(key: BusinessKey, country: Country, random: SeededRandom): OpeningHours[] {
  const week = random.pick(weeksOf(key, country));
  const { weekdays, monday = weekdays, friday = weekdays, saturday, sunday } = week;
  return [monday, weekdays, weekdays, weekdays, friday, saturday, sunday].map((day, index) => ({
    dayOfWeek: index + 1,
    ...periodsOf(day),
  }));
}

function weeksOf(key: BusinessKey, country: Country): readonly Week[] {
  if (key === 'bakery') return bakery;
  if (key === 'coffee') return country === 'FR' ? frenchCoffee : coffee;
  return country === 'US' ? americanFitness : southernFitness;
}

function periodsOf([first, second]: Day): Omit<OpeningHours, 'dayOfWeek'> {
  if (first === undefined) return { closed: true };
  const [from1 = '', to1 = ''] = first.split('-');
  const [from2 = '', to2 = ''] = second?.split('-') ?? [];
  return { from1, to1, ...(second !== undefined && { from2, to2 }) };
}

/** National holidays (MM-DD), in addition to 01-01 and 12-25. */
const nationalDays: Record<Country, readonly string[]> = {
  AT: ['10-26', '12-26'],
  CH: ['08-01', '12-26'],
  DE: ['10-03', '12-26'],
  ES: ['10-12', '12-06'],
  FR: ['07-14', '11-11'],
  GB: ['12-26'],
  IE: ['03-17', '12-26'],
  IT: ['06-02', '08-15'],
  US: ['07-04'],
};

/** Holidays within a year from `today` (YYYY-MM-DD), and shorter hours on 12-24 and 12-31. */
function specialHoursOf(country: Country, today: string): SpecialOpeningHours[] {
  const next = (monthDay: string): string => {
    const year = Number(today.slice(0, 4));
    return `${monthDay >= today.slice(5) ? year : year + 1}-${monthDay}`;
  };
  const closed = ['01-01', '12-25', ...nationalDays[country]].map((day) => ({ date: next(day), closed: true }));
  const short = ['12-24', '12-31'].map((day) => ({ date: next(day), from1: '08:00', to1: '13:00' }));
  return [...closed, ...short].sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** Final state of a demo location. */
type DemoOutcome = 'ACTIVE' | 'NOT_SYNCED' | 'NEEDS_REVIEW' | 'CANCELLED' | 'CLOSED';

export interface DemoLocation {
  /** Across all businesses, from 0. */
  index: number;
  business: DemoBusiness;
  language: DemoCity['language'];
  outcome: DemoOutcome;
  input: Omit<LocationInput, 'businessId'> & { identifier: string };
}

export interface DemoChoice {
  seed: string;
  /** YYYY-MM-DD. Special opening hours are after this day. */
  today: string;
}

/** Seed of the first start. Identifiers of its locations do not contain the seed. */
export const defaultSeed = '1';

/** Deterministic for a seed and day. Consecutive indexes alternate between the businesses. */
export function demoLocation(index: number, { seed, today }: DemoChoice): DemoLocation {
  const business = demoBusinesses[index % demoBusinesses.length] as DemoBusiness;
  const number = Math.floor(index / demoBusinesses.length) + 1;
  const { city } = districtOf(business.cities, number, seed);
  const address = addressOf(business.cities, number, seed);
  const random = new SeededRandom(seed, 'location', business.key, number);
  const texts = textsOf(business.key, city.language);
  const identifier = locationIdentifier(business, number, seed);
  const full = {
    ...addressFields(business, city, address),
    ...contactFields(business, identifier, address, random),
    ...wordFields(business, texts, address, random),
    ...hourFields(business, city, today, random),
    ...offerFields(business, city, texts, random),
    ...mediaFields(business, identifier, random),
    identifier,
  };
  const input = withGaps(full, new SeededRandom(seed, 'gaps', business.key, number));
  return {
    index,
    business,
    language: city.language,
    // Most directories require a phone number: a location without one is not synced.
    outcome: input.phone === undefined ? 'NOT_SYNCED' : outcomeOf(number),
    input,
  };
}

const locationIdentifier = ({ key }: Pick<DemoBusiness, 'key'>, number: number, seed: string): string =>
  `demo-${key}${seed === defaultSeed ? '' : `-${seed}`}-${String(number).padStart(5, '0')}`;

/** By number, not at random: a small demo already contains every outcome. */
function outcomeOf(number: number): DemoOutcome {
  if (number % 20 === 7) return 'NOT_SYNCED';
  if (number % 20 === 13) return 'NEEDS_REVIEW';
  if (number % 20 === 17) return 'CANCELLED';
  if (number % 40 === 19) return 'CLOSED';
  return 'ACTIVE';
}

function addressFields({ name, categories }: DemoBusiness, city: DemoCity, address: DemoAddress) {
  return {
    name,
    ...address,
    timeZone: city.timeZone,
    categories: categories.slice(0, 1 + (address.streetNo.length % 2)).map(categoryOf),
  };
}

function categoryOf(path: string): number {
  const category = findCategoryByPath(path);
  if (!category) throw new Error(`Unknown category ${path}.`);
  return category.mergedInto ?? category.id;
}

function contactFields(
  { website, mailDomain }: DemoBusiness,
  identifier: string,
  address: DemoAddress,
  random: SeededRandom,
) {
  const town = plain(address.city);
  return {
    website: `${website}/${town}/${plain(`${address.street} ${address.streetNo}`)}`,
    email: `${town}.${identifier.replace(/^demo-/, '')}@${mailDomain}`,
    ...(random.chance(0.5) && { utms: [{ type: 'GOOGLE', parameters: 'utm_source=google&utm_medium=organic' }] }),
    customFields: [{ name: 'Cost centre', value: `CC-${random.between(1000, 9999)}` }],
  };
}

function wordFields(
  { key, name }: DemoBusiness,
  texts: DemoTexts,
  { street, city }: DemoAddress,
  random: SeededRandom,
) {
  const filled = (text: string) => text.replaceAll('{street}', street).replaceAll('{city}', city);
  return {
    descriptionShort: filled(random.pick(texts.short)),
    descriptionLong: filled(random.pick(texts.long)),
    keywords: random.shuffled(texts.keywords).slice(0, random.between(3, texts.keywords.length)),
    ...(key !== 'fitness' && { brands: [name] }),
    ...(random.chance(0.3) && { openingHoursNotes: texts.hoursNote }),
  };
}

function hourFields({ key }: DemoBusiness, city: DemoCity, today: string, random: SeededRandom) {
  return {
    openingHours: openingHoursOf(key, city.country, random),
    specialOpeningHours: specialHoursOf(city.country, today),
    openingDate: `${random.between(1998, 2023)}-0${random.between(1, 9)}-${random.between(10, 28)}`,
    ...(random.chance(0.02) && { temporarilyClosed: true }),
  };
}

/** Outside the euro area. */
const currencies: Partial<Record<DemoCity['country'], string>> = { CH: 'CHF', GB: 'GBP', US: 'USD' };

const labels = ['Flagship', 'Franchise', 'City centre', 'Near a station', 'Renovated 2025', 'Pilot store'];

function offerFields({ key }: DemoBusiness, city: DemoCity, texts: DemoTexts, random: SeededRandom) {
  const prices = servicePrices[key];
  return {
    services: texts.services.map((title, at) => ({
      identifier: `${key}-${at + 1}`,
      title,
      price: prices[at] as number,
      currency: currencies[city.country] ?? 'EUR',
    })),
    attributes: [
      { key: 'wheelchair', value: random.chance(0.8) },
      { key: 'internet_access', value: key === 'bakery' ? random.chance(0.3) : true },
      ...(key === 'fitness' ? [{ key: 'sauna', value: random.chance(0.6) }] : [{ key: 'takeaway', value: true }]),
    ],
    paymentOptions: ['CASH', 'CREDIT_CARDS', 'DEBIT_CARDS', ...(random.chance(0.6) ? ['CONTACTLESS'] : [])],
    languages: [...new Set([city.language, 'en'])],
    labels: [city.country, ...random.shuffled(labels).slice(0, random.between(0, 2))],
  };
}

function mediaFields({ key, website, mailDomain }: DemoBusiness, identifier: string, random: SeededRandom) {
  const shots = Array.from({ length: random.between(1, 5) }, (_, at) => ({
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
    ...(random.chance(0.15) && { autoSync: false }),
  };
}

type Optional = Exclude<keyof LocationInput, 'businessId' | 'name' | 'street' | 'city' | 'country' | 'categories'>;

/** Groups of fields that are missing together. */
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

/** A third of the locations is incomplete. */
function withGaps<T extends DemoLocation['input']>(full: T, random: SeededRandom): T {
  if (!random.chance(0.33)) return full;
  const missing = new Set<string>(random.shuffled(gaps).slice(0, random.between(1, 2)).flat());
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
