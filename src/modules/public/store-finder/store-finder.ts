import { randomBytes } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { deletable } from '../../../http/validation.ts';
import { invalidField } from '../../../problems.ts';
import { languageCode, type ValueKind, valueKinds } from '../../locations/index.ts';
import { type ShownField, shownFields } from './shown-location.ts';

const themes = ['LIGHT', 'DARK', 'AUTO'] as const;
const units = ['KM', 'MI'] as const;
export const largestRadiusKm = 1000;

const list = <T extends string>(names: readonly T[], description: string) =>
  Type.Array(Type.Enum([...names]), { maxItems: names.length, description });

/** A text and no enumeration, so that null can take the choice back. */
const choice = <T extends string>(values: readonly T[], otherwise: string) =>
  Type.Unsafe<T>({
    type: 'string',
    pattern: `^(${values.join('|')})$`,
    description: `One of ${values.join(', ')}; unless it is given ${otherwise}`,
  });

/** What a finder looks like and begins with. */
const settingsFields = {
  mapApiKey: Type.String({
    pattern: '^[\\x21-\\x7e]+$',
    maxLength: 500,
    description: "The map service's key; everybody who opens the page can read it",
  }),
  language: Type.String({ maxLength: 35, description: 'A language code such as de or pt-BR; en unless it is given' }),
  theme: choice(themes, 'AUTO, as the browser wants it'),
  colour: Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'A colour such as #1c7ed6' }),
  unit: choice(units, 'KM; that is how distances are shown, answers have kilometres always'),
  defaultRadiusKm: Type.Number({
    minimum: 0.1,
    maximum: largestRadiusKm,
    description: 'How far a search looks that does not say; 25 unless it is given',
  }),
  startLat: Type.Number({ minimum: -90, maximum: 90, description: 'Where the map begins; together with startLng' }),
  startLng: Type.Number({ minimum: -180, maximum: 180, description: 'Where the map begins; together with startLat' }),
  startZoom: Type.Integer({ minimum: 1, maximum: 22, description: 'How close the map begins' }),
  filters: list(valueKinds, 'By what visitors can narrow a search; all unless it is given'),
  fields: list(shownFields, 'What of a location is shown beside its name and address; all unless it is given'),
};
type SettingsField = keyof typeof settingsFields;

/** What was chosen. */
type ChosenSettings = { [Name in SettingsField]?: Static<(typeof settingsFields)[Name]> };

export interface FinderSettings extends ChosenSettings {
  language: string;
  theme: (typeof themes)[number];
  colour: string;
  unit: (typeof units)[number];
  defaultRadiusKm: number;
  filters: ValueKind[];
  fields: ShownField[];
}

export interface StoreFinder {
  id: number;
  partnerId: number;
  storeKey: string;
  name: string;
  businessIds: number[];
  labelIds: number[];
  settings: ChosenSettings;
  dateCreated: Date;
  lastUpdated: Date;
}

export const newStoreKey = (): string => `sf_${randomBytes(18).toString('base64url')}`;

export const storeKeyParams = Type.Object({ storeKey: Type.String({ maxLength: 100 }) });

const name = Type.String({ pattern: '\\S', maxLength: 200, description: 'What you call it, not only spaces' });
const businessIds = Type.Array(Id, { maxItems: 1000, description: 'Only locations of these businesses; all if empty' });
const labelIds = Type.Array(Id, {
  maxItems: 100,
  description: 'Only locations with one of these labels; all if empty. adminOnly ones are not shown to visitors',
});

export const NewStoreFinder = Type.Object(
  {
    name,
    businessIds: Type.Optional(businessIds),
    labelIds: Type.Optional(labelIds),
    ...Type.Partial(Type.Object(settingsFields)).properties,
  },
  { title: 'NewStoreFinder', 'x-resource': 'StoreFinderSettings' },
);

type SettingsChange = {
  [Name in SettingsField]: Type.TOptional<Type.TUnsafe<Static<(typeof settingsFields)[Name]> | null>>;
};

export const StoreFinderChange = Type.Object(
  {
    name: Type.Optional(name),
    businessIds: Type.Optional(deletable(businessIds)),
    labelIds: Type.Optional(deletable(labelIds)),
    ...(Object.fromEntries(
      Object.entries(settingsFields).map(([field, schema]) => [field, Type.Optional(deletable(schema))]),
    ) as SettingsChange),
  },
  { title: 'StoreFinderChange', 'x-resource': 'StoreFinderSettings' },
);

const { mapApiKey, startLat, startLng, startZoom, ...always } = settingsFields;
const shownSettings = {
  ...always,
  mapApiKey: Type.Optional(mapApiKey),
  startLat: Type.Optional(startLat),
  startLng: Type.Optional(startLng),
  startZoom: Type.Optional(startZoom),
};

/** For whoever runs the partner's account. */
export const StoreFinderAnswer = Type.Object(
  {
    id: Type.Integer(),
    storeKey: Type.String({ description: 'Its name in every public call' }),
    name: Type.String(),
    businessIds: Type.Array(Type.Integer()),
    labelIds: Type.Array(Type.Integer()),
    ...shownSettings,
    dateCreated: Type.String(),
    lastUpdated: Type.String(),
  },
  { title: 'StoreFinder', 'x-resource': 'StoreFinderSettings' },
);

/** For the page that shows it. */
export const StoreFinderSettings = Type.Object(
  { storeKey: Type.String(), name: Type.String(), ...shownSettings },
  { title: 'StoreFinderSettings', 'x-resource': 'StoreFinderSettings' },
);

export const settingsOf = ({ settings }: Pick<StoreFinder, 'settings'>): FinderSettings => ({
  language: 'en',
  theme: 'AUTO',
  colour: '#1c7ed6',
  unit: 'KM',
  defaultRadiusKm: 25,
  filters: [...valueKinds],
  fields: [...shownFields],
  ...settings,
});

export const settingsAnswer = (finder: StoreFinder): Static<typeof StoreFinderSettings> => ({
  storeKey: finder.storeKey,
  name: finder.name,
  ...settingsOf(finder),
});

export const storeFinderAnswer = (finder: StoreFinder): Static<typeof StoreFinderAnswer> => ({
  id: finder.id,
  ...settingsAnswer(finder),
  businessIds: finder.businessIds,
  labelIds: finder.labelIds,
  dateCreated: finder.dateCreated.toISOString(),
  lastUpdated: finder.lastUpdated.toISOString(),
});

/** What the owner of a finder sets. */
export type FinderContent = Pick<StoreFinder, 'name' | 'businessIds' | 'labelIds' | 'settings'>;

export const emptyContent: FinderContent = { name: '', businessIds: [], labelIds: [], settings: {} };

/** A finder's content with a change made to it: null takes a choice back, what is absent stays. */
export function changedContent(before: FinderContent, change: Static<typeof StoreFinderChange>): FinderContent {
  const { name: newName, businessIds: businesses, labelIds: labels, ...chosen } = change;
  const settings: Record<string, unknown> = { ...before.settings, ...chosen };
  for (const field in settings) {
    if (settings[field] === null) delete settings[field];
    else if (Array.isArray(settings[field])) settings[field] = [...new Set(settings[field])];
  }
  return {
    name: newName?.trim() ?? before.name,
    businessIds: businesses === undefined ? before.businessIds : [...new Set(businesses)],
    labelIds: labels === undefined ? before.labelIds : [...new Set(labels)],
    settings: checkedSettings(settings as ChosenSettings),
  };
}

function checkedSettings(settings: ChosenSettings): ChosenSettings {
  const { startLat: lat, startLng: lng, language } = settings;
  if ((lat === undefined) !== (lng === undefined)) {
    const missing = lat === undefined ? 'startLat' : 'startLng';
    throw invalidField(missing, 'together', 'startLat and startLng are given and deleted together.');
  }
  if (language === undefined) return settings;
  const code = languageCode(language);
  if (code === undefined) throw invalidField('language', 'language', 'language must be a code such as de or pt-BR.');
  return { ...settings, language: code };
}
