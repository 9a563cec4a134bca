import { postcodeValidatorExistsForCountry } from 'postcode-validator';
import {
  type Classification,
  type CleansingStatus,
  classifications,
  type LocationContent,
  type LocationStanding,
  type NormalizationStatus,
} from './location.ts';

/** What follows from a location's content: worked out when it changes, kept with it, and only read afterwards. */

type Described = Pick<LocationContent, 'name' | 'street' | 'city' | 'zip' | 'country' | 'phone' | 'website' | 'email'> &
  Pick<LocationContent, 'categories' | 'profile'> & { servicesCount: number };

interface Part {
  /** The location fields it is made of. */
  fields: readonly string[];
  isThere(location: Described): boolean;
}

const hasAny = (list: readonly unknown[] | undefined) => (list?.length ?? 0) > 0;

const needsZip = (country: string) => postcodeValidatorExistsForCountry(country);

const parts: Record<Classification, { share: number; parts: readonly Part[] }> = {
  REQUIRED: {
    share: 25,
    parts: [
      { fields: ['name'], isThere: ({ name }) => name !== '' },
      {
        fields: ['street', 'streetNo', 'zip', 'city', 'country'],
        isThere: ({ zip, country }) => zip !== null || !needsZip(country),
      },
      { fields: ['phone'], isThere: ({ phone }) => phone !== null },
      { fields: ['categories'], isThere: ({ categories }) => categories.length > 0 },
    ],
  },
  BASIC: {
    share: 45,
    parts: [
      { fields: ['openingHours'], isThere: ({ profile }) => hasAny(profile.openingHours) },
      {
        fields: ['descriptionShort', 'descriptionLong'],
        isThere: ({ profile }) => Boolean(profile.descriptionShort || profile.descriptionLong),
      },
      { fields: ['photos'], isThere: ({ profile }) => hasAny(profile.photos) },
      { fields: ['attributes'], isThere: ({ profile }) => hasAny(profile.attributes) },
    ],
  },
  ADVANCED: {
    share: 20,
    parts: [
      { fields: ['keywords'], isThere: ({ profile }) => hasAny(profile.keywords) },
      { fields: ['services'], isThere: ({ servicesCount }) => servicesCount > 0 },
    ],
  },
  BONUS: {
    share: 10,
    parts: [
      { fields: ['website'], isThere: ({ website }) => website !== null },
      { fields: ['email'], isThere: ({ email }) => email !== null },
    ],
  },
};

/** The level that a field counts for; fields that count for none are extras. */
export function classificationOf(field: string): Classification {
  return classifications.find((level) => parts[level].parts.some(({ fields }) => fields.includes(field))) ?? 'BONUS';
}

/** The share of each level that is there, and the first level that is not full. */
export function completenessOf(location: Described): { profileCompleteness: number; classification: Classification } {
  const levels = classifications.map((level) => {
    const { share, parts: wanted } = parts[level];
    return { level, share, filled: wanted.filter((part) => part.isThere(location)).length / wanted.length };
  });
  return {
    profileCompleteness: Math.round(levels.reduce((sum, { share, filled }) => sum + share * filled, 0)),
    classification: levels.find(({ filled }) => filled < 1)?.level ?? 'BONUS',
  };
}

/** The fields that a level lacks: each entry is a part of it, by the fields that any of them would fill it with. */
export const missingFieldsOf = (location: Described, level: Classification): (readonly string[])[] =>
  parts[level].parts.filter((part) => !part.isThere(location)).map(({ fields }) => fields);

/** Fields that directories commonly require; what each one requires is in the directory list. */
export function missingMandatoryFields(location: Described): string[] {
  return [
    ...(location.zip === null && needsZip(location.country) ? ['zip'] : []),
    ...(location.phone === null ? ['phone'] : []),
    ...(location.categories.length === 0 ? ['categories'] : []),
  ];
}

/**
 * NORMALIZED: the address is complete. Country, postal code and phone need no second look: whatever is written was
 * brought into the one form that it has in its country, or refused.
 */
const normalizationOf = ({ zip, country }: Pick<Described, 'zip' | 'country'>): NormalizationStatus =>
  zip !== null || !needsZip(country) ? 'NORMALIZED' : 'NOT_NORMALIZED';

/** Only a normalised address can be cleansed, and each is cleansed once. */
export function standingOf(
  location: Described,
  before?: { cleansingStatus: CleansingStatus; addressStays: boolean },
): LocationStanding {
  const normalizationStatus = normalizationOf(location);
  return {
    ...completenessOf(location),
    missingMandatoryFields: missingMandatoryFields(location),
    normalizationStatus,
    cleansingStatus:
      normalizationStatus === 'NOT_NORMALIZED'
        ? 'NOT_CLEANSED'
        : before?.addressStays && before.cleansingStatus !== 'NOT_CLEANSED'
          ? before.cleansingStatus
          : 'PENDING',
  };
}
