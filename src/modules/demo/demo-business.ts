import type { BusinessInput } from '../catalog/index.ts';
import type { DemoCity } from './demo-address.ts';
import { bakeryCities, coffeeRoasterCities, fitnessClubCities } from './demo-cities.ts';

export type BusinessKey = 'bakery' | 'coffee' | 'fitness';

export interface DemoBusiness {
  readonly key: BusinessKey;
  readonly name: string;
  readonly website: string;
  readonly mailDomain: string;
  /** Category paths. The first is the main category; only some locations have the others. */
  readonly categories: readonly [string, ...string[]];
  readonly cities: readonly DemoCity[];
  readonly company: Omit<BusinessInput, 'identifier' | 'name'>;
}

/** Three fictional chains in different industries and countries. */
export const demoBusinesses: readonly DemoBusiness[] = [
  {
    key: 'bakery',
    name: 'Bäckerei Morgenkorn',
    website: 'https://www.morgenkorn.example',
    mailDomain: 'morgenkorn.example',
    categories: ['shop/bakery', 'amenity/cafe'],
    cities: bakeryCities,
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
    cities: coffeeRoasterCities,
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
    cities: fitnessClubCities,
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

/** Independent of the seed. */
export const businessIdentifier = ({ key }: Pick<DemoBusiness, 'key'>): string => `demo-${key}`;
