import { SeededRandom } from './seeded-random.ts';

/** A city with the data to generate plausible addresses. */
export interface DemoCity {
  readonly name: string;
  /** State or canton, in countries whose addresses contain it. */
  readonly province?: string;
  readonly country: 'AT' | 'CH' | 'DE' | 'ES' | 'FR' | 'GB' | 'IE' | 'IT' | 'US';
  readonly language: 'de' | 'en' | 'es' | 'fr' | 'it';
  readonly timeZone: string;
  /** Template with the city's area code: each x is a digit. From the range reserved for fiction, if the country has one. */
  readonly phone: string;
  readonly districts: readonly DemoDistrict[];
}

interface DemoDistrict {
  /** Each ? is a character of an Irish postal code, which identifies a single address. */
  readonly zip: string;
  readonly lat: number;
  readonly lng: number;
  readonly streets: readonly string[];
}

export const district = (zip: string, lat: number, lng: number, ...streets: string[]): DemoDistrict => ({
  zip,
  lat,
  lng,
  streets,
});

export const city = (own: Omit<DemoCity, 'districts'>, ...districts: DemoDistrict[]): DemoCity => ({
  ...own,
  districts,
});

export type DemoAddress = ReturnType<typeof addressOf>;

// In degrees: a district is about a kilometre across.
const reachNorth = 0.004;
const reachEast = 0.005;
const houses = 149;
// Coprime to `houses`: every house number is used before one repeats.
const houseStride = 37;
const suffixes = ['', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
// The alphabet of Irish postal codes.
const eircodeLetters = [...'0123456789ACDEFHKNPRTVWXY'];

interface Stop {
  city: DemoCity;
  district: DemoDistrict;
}

const orders = new WeakMap<readonly DemoCity[], { seed: string; stops: readonly Stop[] }>();

/** The districts in order of use, cached per seed. */
function stopsOf(cities: readonly DemoCity[], seed: string): readonly Stop[] {
  const known = orders.get(cities);
  if (known?.seed === seed) return known.stops;
  const random = new SeededRandom(seed, 'order of quarters', cities[0]?.name ?? '');
  // The first district of every city, then the second: a few locations already cover many cities.
  const widest = Math.max(...cities.map(({ districts }) => districts.length));
  const stops = Array.from({ length: widest }, (_, index) =>
    random.shuffled(cities).flatMap((city) => {
      const district = city.districts[index];
      return district ? [{ city, district }] : [];
    }),
  ).flat();
  orders.set(cities, { seed, stops });
  return stops;
}

/** City and district of a location. All districts are used before one repeats. `number` starts at 1. */
export function districtOf(cities: readonly DemoCity[], number: number, seed: string): Stop & { round: number } {
  const stops = stopsOf(cities, seed);
  const stop = stops[(number - 1) % stops.length];
  if (!stop) throw new Error('The business has no districts.');
  return { ...stop, round: Math.floor((number - 1) / stops.length) };
}

/** A unique address within the business, with coordinates in its district. */
export function addressOf(cities: readonly DemoCity[], number: number, seed: string) {
  const { city, district, round } = districtOf(cities, number, seed);
  const random = new SeededRandom(seed, 'address', city.name, district.streets[0] ?? '', number);
  const first = new SeededRandom(seed, 'houses', city.name, district.streets[0] ?? '').between(0, houses - 1);
  const turn = Math.floor(round / district.streets.length);
  const door = ((first + turn * houseStride) % houses) + 1;
  // American house numbers count by block.
  const house = city.country === 'US' ? 100 + door * 12 : door;
  return {
    street: district.streets[round % district.streets.length] as string,
    streetNo: `${house}${suffixes[Math.floor(turn / houses) % suffixes.length]}`,
    zip: district.zip.replaceAll('?', () => random.pick(eircodeLetters)),
    city: city.name,
    ...(city.province !== undefined && { province: city.province }),
    country: city.country,
    lat: near(district.lat, reachNorth, random),
    lng: near(district.lng, reachEast, random),
    phone: phoneOf(city, number),
  };
}

/** Numbers repeat if a city has more locations than numbers. */
function phoneOf({ phone }: DemoCity, number: number): string {
  const open = phone.split('x').length - 1;
  const digits = String((number * 7919 + 17) % 10 ** open).padStart(open, '0');
  let at = 0;
  return phone.replaceAll('x', () => digits.charAt(at++));
}

const near = (centre: number, reach: number, random: SeededRandom) =>
  Number((centre + (random.fraction() * 2 - 1) * reach).toFixed(5));
