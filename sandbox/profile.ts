export interface Hours {
  dayOfWeek: number;
  closed?: boolean;
  from1?: string;
  to1?: string;
  from2?: string;
  to2?: string;
}

interface Values {
  text: string;
  number: number;
  boolean: boolean;
  texts: string[];
  hours: Hours[];
  specialHours: (Omit<Hours, 'dayOfWeek'> & { date: string })[];
}

type Kind = keyof Values;

const kinds = {
  name: 'text',
  street: 'text',
  streetNo: 'text',
  addressExtra: 'text',
  zip: 'text',
  city: 'text',
  province: 'text',
  country: 'text',
  lat: 'number',
  lng: 'number',
  addressDisplay: 'boolean',
  phone: 'text',
  website: 'text',
  email: 'text',
  descriptionShort: 'text',
  descriptionLong: 'text',
  categories: 'texts',
  openingHours: 'hours',
  specialOpeningHours: 'specialHours',
  photos: 'texts',
  temporarilyClosed: 'boolean',
} as const;

/** The data of a location on a page, as clients send it. */
export type Profile = { name: string } & { [Name in keyof typeof kinds]?: Values[(typeof kinds)[Name]] };

const areObjects = (value: unknown) =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'object' && entry !== null);

const fits: Record<Kind, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  texts: (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
  hours: areObjects,
  specialHours: areObjects,
};

const isProfileField = (name: string): name is keyof Profile => Object.hasOwn(kinds, name);

/** Validation errors of a profile. */
export function profileProblems(given: unknown, partial = false): string[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return ['profile must be an object.'];
  const problems = Object.entries(given).flatMap(([name, value]) => {
    if (!isProfileField(name)) return [`profile has no field "${name}". Use ${Object.keys(kinds).join(', ')}.`];
    if (value === null && partial && name !== 'name') return [];
    return fits[kinds[name]](value) ? [] : [`profile.${name} must be ${sentences[kinds[name]]}.`];
  });
  const { name = partial ? undefined : '' } = given as { name?: unknown };
  const isNameless = name === null || (typeof name === 'string' && name.trim() === '');
  return isNameless ? ['profile.name is required.', ...problems] : problems;
}

const sentences: Record<Kind, string> = {
  text: 'a string',
  number: 'a number',
  boolean: 'true or false',
  texts: 'an array of strings',
  hours: 'an array of objects',
  specialHours: 'an array of objects',
};

/** The fields that a directory shows. */
export function shownOf(profile: Profile, fields: readonly string[]): Profile {
  const shown = Object.entries(profile).filter(([name]) => name === 'name' || fields.includes(name));
  return Object.fromEntries(shown) as unknown as Profile;
}
