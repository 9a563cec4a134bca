import { postcodeValidatorExistsForCountry } from 'postcode-validator';
import {
  type Classification,
  type CleansingStatus,
  classifications,
  type DerivedFields,
  type LocationContent,
} from './location.ts';

type ProfileField = 'name' | 'zip' | 'country' | 'phone' | 'website' | 'email' | 'categories' | 'profile';
type ProfileContent = Pick<LocationContent, ProfileField> & { servicesCount: number };

interface Part {
  fields: readonly string[];
  isFilled(location: ProfileContent): boolean;
}

const hasAny = (list: readonly unknown[] | undefined) => (list?.length ?? 0) > 0;

/** The postal code is set, or the country has none. */
const hasZip = ({ zip, country }: ProfileContent) => zip !== null || !postcodeValidatorExistsForCountry(country);

const parts: Record<Classification, { share: number; parts: readonly Part[] }> = {
  REQUIRED: {
    share: 25,
    parts: [
      { fields: ['name'], isFilled: ({ name }) => name !== '' },
      { fields: ['street', 'streetNo', 'zip', 'city', 'country'], isFilled: hasZip },
      { fields: ['phone'], isFilled: ({ phone }) => phone !== null },
      { fields: ['categories'], isFilled: ({ categories }) => categories.length > 0 },
    ],
  },
  BASIC: {
    share: 45,
    parts: [
      { fields: ['openingHours'], isFilled: ({ profile }) => hasAny(profile.openingHours) },
      {
        fields: ['descriptionShort', 'descriptionLong'],
        isFilled: ({ profile }) => Boolean(profile.descriptionShort || profile.descriptionLong),
      },
      { fields: ['photos'], isFilled: ({ profile }) => hasAny(profile.photos) },
      { fields: ['attributes'], isFilled: ({ profile }) => hasAny(profile.attributes) },
    ],
  },
  ADVANCED: {
    share: 20,
    parts: [
      { fields: ['keywords'], isFilled: ({ profile }) => hasAny(profile.keywords) },
      { fields: ['services'], isFilled: ({ servicesCount }) => servicesCount > 0 },
    ],
  },
  BONUS: {
    share: 10,
    parts: [
      { fields: ['website'], isFilled: ({ website }) => website !== null },
      { fields: ['email'], isFilled: ({ email }) => email !== null },
    ],
  },
};

/** The level of a field. Default: BONUS. */
export function classificationOf(field: string): Classification {
  return classifications.find((level) => parts[level].parts.some(({ fields }) => fields.includes(field))) ?? 'BONUS';
}

/** Weighted percentage of filled parts, and the first incomplete level. */
export function completenessOf(
  location: ProfileContent,
): Pick<DerivedFields, 'profileCompleteness' | 'classification'> {
  const levels = classifications.map((level) => {
    const { share, parts: wanted } = parts[level];
    return { level, share, filled: wanted.filter((part) => part.isFilled(location)).length / wanted.length };
  });
  return {
    profileCompleteness: Math.round(levels.reduce((sum, { share, filled }) => sum + share * filled, 0)),
    classification: levels.find(({ filled }) => filled < 1)?.level ?? 'BONUS',
  };
}

/** Missing parts of a level, each as its list of fields. */
export const missingFieldsOf = (location: ProfileContent, level: Classification): (readonly string[])[] =>
  parts[level].parts.filter((part) => !part.isFilled(location)).map(({ fields }) => fields);

/** Fields that most directories require; the directory list has the requirements of each. */
export function missingMandatoryFields(location: ProfileContent): string[] {
  return [
    ...(hasZip(location) ? [] : ['zip']),
    ...(location.phone === null ? ['phone'] : []),
    ...(location.categories.length === 0 ? ['categories'] : []),
  ];
}

/** Only a normalized address is cleansed, and only once until it changes. */
export function deriveFields(
  location: ProfileContent,
  before?: { cleansingStatus: CleansingStatus; sameAddress: boolean },
): DerivedFields {
  // Country, postal code and phone are normalized when they are written.
  const normalizationStatus = hasZip(location) ? 'NORMALIZED' : 'NOT_NORMALIZED';
  return {
    ...completenessOf(location),
    missingMandatoryFields: missingMandatoryFields(location),
    normalizationStatus,
    cleansingStatus:
      normalizationStatus === 'NOT_NORMALIZED'
        ? 'NOT_CLEANSED'
        : before?.sameAddress && before.cleansingStatus !== 'NOT_CLEANSED'
          ? before.cleansingStatus
          : 'PENDING',
  };
}
