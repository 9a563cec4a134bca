import type { BusinessInput } from '../catalog/index.ts';
import type { DemoPlace } from './demo-place.ts';
import { placesOfTheBakery } from './places-of-the-bakery.ts';
import { placesOfTheCoffeeRoaster } from './places-of-the-coffee-roaster.ts';
import { placesOfTheFitnessClubs } from './places-of-the-fitness-clubs.ts';

export type BusinessKey = 'bakery' | 'coffee' | 'fitness';

export interface DemoBusiness {
  readonly key: BusinessKey;
  readonly name: string;
  readonly website: string;
  readonly mailDomain: string;
  /** By their paths; the first is the main one of every location, the others of some. */
  readonly categories: readonly [string, ...string[]];
  readonly places: readonly DemoPlace[];
  readonly company: Omit<BusinessInput, 'identifier' | 'name'>;
}

/** Three chains that do not exist, of different kinds and in different countries. */
export const demoBusinesses: readonly DemoBusiness[] = [
  {
    key: 'bakery',
    name: 'Bäckerei Morgenkorn',
    website: 'https://www.morgenkorn.example',
    mailDomain: 'morgenkorn.example',
    categories: ['shop/bakery', 'amenity/cafe'],
    places: placesOfTheBakery,
    company: {
      type: 'ENTERPRISE',
      address: { street: 'Invalidenstraße', streetNo: '34', zip: '10115', city: 'Berlin', country: 'DE' },
      phone: '+493023125900',
      email: 'zentrale@morgenkorn.example',
      website: 'https://www.morgenkorn.example',
    },
  },
  {
    key: 'coffee',
    name: 'Kettle & Quay Coffee Roasters',
    website: 'https://www.kettleandquay.example',
    mailDomain: 'kettleandquay.example',
    categories: ['amenity/cafe', 'shop/coffee'],
    places: placesOfTheCoffeeRoaster,
    company: {
      type: 'SMB',
      address: { street: 'Corn Street', streetNo: '41', zip: 'BS1 4DJ', city: 'Bristol', country: 'GB' },
      phone: '+441174960900',
      email: 'hello@kettleandquay.example',
      website: 'https://www.kettleandquay.example',
    },
  },
  {
    key: 'fitness',
    name: 'Velamonte Fitness',
    website: 'https://www.velamonte.example',
    mailDomain: 'velamonte.example',
    categories: ['leisure/fitness_centre', 'leisure/sports_centre'],
    places: placesOfTheFitnessClubs,
    company: {
      type: 'ENTERPRISE',
      address: {
        street: 'Congress Avenue',
        streetNo: '610',
        zip: '78701',
        city: 'Austin',
        province: 'TX',
        country: 'US',
      },
      phone: '+15125550199',
      email: 'office@velamonte.example',
      website: 'https://www.velamonte.example',
    },
  },
];

/** The businesses are the same for every seed. */
export const businessIdentifier = ({ key }: Pick<DemoBusiness, 'key'>): string => `demo-${key}`;
