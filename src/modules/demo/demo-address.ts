import type { DemoPlace, DemoQuarter } from './demo-place.ts';
import { Dice } from './dice.ts';

export interface DemoAddress {
  street: string;
  streetNo: string;
  zip: string;
  city: string;
  province?: string;
  country: DemoPlace['country'];
  lat: number;
  lng: number;
  phone: string;
}

// A quarter is about a kilometre across.
const reachNorth = 0.004;
const reachEast = 0.005;
const houses = 149;
// Prime to the number of houses: each is come to before one is come to again.
const houseStride = 37;
const suffixes = ['', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
// Those that cannot be mistaken for one another, of which Irish postal codes are made.
const eircodeLetters = [...'0123456789ACDEFHKNPRTVWXY'];

interface Stop {
  place: DemoPlace;
  quarter: DemoQuarter;
}

const orders = new WeakMap<readonly DemoPlace[], { seed: string; stops: readonly Stop[] }>();

/** The quarters in the order in which a business comes to them, kept as long as the seed stays the same. */
function stopsOf(places: readonly DemoPlace[], seed: string): readonly Stop[] {
  const known = orders.get(places);
  if (known?.seed === seed) return known.stops;
  const dice = new Dice(seed, 'order of quarters', places[0]?.city ?? '');
  // The first quarter of every city, then the second: few locations are in many cities.
  const widest = Math.max(...places.map(({ quarters }) => quarters.length));
  const stops = Array.from({ length: widest }, (_, index) =>
    dice.shuffled(places).flatMap((place) => {
      const quarter = place.quarters[index];
      return quarter ? [{ place, quarter }] : [];
    }),
  ).flat();
  orders.set(places, { seed, stops });
  return stops;
}

/** The place and quarter of a business's location: all of them come before one comes again. Numbers begin with 1. */
export function quarterOf(
  places: readonly DemoPlace[],
  number: number,
  seed: string,
): { place: DemoPlace; quarter: DemoQuarter; round: number } {
  const stops = stopsOf(places, seed);
  const stop = stops[(number - 1) % stops.length];
  if (!stop) throw new Error('There is no place to be at.');
  return { ...stop, round: Math.floor((number - 1) / stops.length) };
}

/** An address that no other location of the business has, near where its street is. */
export function addressOf(places: readonly DemoPlace[], number: number, seed: string): DemoAddress {
  const { place, quarter, round } = quarterOf(places, number, seed);
  const dice = new Dice(seed, 'address', place.city, quarter.streets[0] ?? '', number);
  const first = new Dice(seed, 'houses', place.city, quarter.streets[0] ?? '').between(0, houses - 1);
  const turn = Math.floor(round / quarter.streets.length);
  const door = ((first + turn * houseStride) % houses) + 1;
  // American numbers count by block.
  const house = place.country === 'US' ? 100 + door * 12 : door;
  return {
    street: quarter.streets[round % quarter.streets.length] as string,
    streetNo: `${house}${suffixes[Math.floor(turn / houses) % suffixes.length]}`,
    zip: quarter.zip.replaceAll('?', () => dice.pick(eircodeLetters)),
    city: place.city,
    ...(place.province !== undefined && { province: place.province }),
    country: place.country,
    lat: near(quarter.lat, reachNorth, dice),
    lng: near(quarter.lng, reachEast, dice),
    phone: phoneOf(place, number),
  };
}

/** In the order of the locations; a chain with more locations in a city than it has numbers lets some share one. */
function phoneOf({ phone }: DemoPlace, number: number): string {
  const open = phone.split('x').length - 1;
  const digits = String((number * 7919 + 17) % 10 ** open).padStart(open, '0');
  let at = 0;
  return phone.replaceAll('x', () => digits.charAt(at++));
}

const near = (centre: number, reach: number, dice: Dice) =>
  Number((centre + (dice.fraction() * 2 - 1) * reach).toFixed(5));
