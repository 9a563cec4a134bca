import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { countAll } from '../../../database/counting.ts';
import { db, pageById, raw } from '../../../database/query-builder.ts';
import type { DB } from '../../../database/schema.ts';
import { defineStatement, run, type Statement, selectionOf } from '../../../database/statement.ts';
import { Id } from '../../../http/ids.ts';
import type { PageQuery } from '../../../http/pagination.ts';
import { deletableFields } from '../../../http/validation.ts';
import { invalidField, requireFound } from '../../../problems.ts';
import { changedText } from '../../../text.ts';
import { type Label, maxNamedUses, rejectDeletingOnlyTarget } from '../../catalog/index.ts';
import { languageCode, valueKinds } from '../../locations/index.ts';
import { shownFields } from './shown-location.ts';

const themes = ['LIGHT', 'DARK', 'AUTO'] as const;
const units = ['KM', 'MI'] as const;
export const maxRadiusKm = 1000;

const list = <T extends string>(names: readonly T[], description: string) =>
  Type.Array(Type.Enum([...names]), { maxItems: names.length, description });

/** A pattern instead of an enum, because `deletable` adds null. */
const choice = <T extends string>(values: readonly T[], defaultText: string) =>
  Type.Unsafe<T>({
    type: 'string',
    pattern: `^(${values.join('|')})$`,
    description: `One of ${values.join(', ')}. Defaults to ${defaultText}`,
  });

const settingsFields = {
  mapApiKey: Type.String({
    pattern: '^[\\x21-\\x7e]+$',
    maxLength: 500,
    description: 'API key of the map service. It is visible to visitors of the page',
  }),
  language: Type.String({ maxLength: 35, description: 'Language code such as de or pt-BR. Defaults to en' }),
  theme: choice(themes, "AUTO, the browser's preference"),
  colour: Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: 'A colour such as #1c7ed6' }),
  unit: choice(units, 'KM. For display only, responses always use kilometres'),
  defaultRadiusKm: Type.Number({
    minimum: 0.1,
    maximum: maxRadiusKm,
    description: 'Radius of searches without radius. Defaults to 25',
  }),
  startLat: Type.Number({ minimum: -90, maximum: 90, description: 'Initial latitude of the map; requires startLng' }),
  startLng: Type.Number({
    minimum: -180,
    maximum: 180,
    description: 'Initial longitude of the map; requires startLat',
  }),
  startZoom: Type.Integer({ minimum: 1, maximum: 22, description: 'Initial zoom level of the map' }),
  filters: list(valueKinds, 'Filters for visitors. Defaults to all'),
  fields: list(shownFields, 'Fields that are shown in addition to name and address. Defaults to all'),
};
type SettingsField = keyof typeof settingsFields;

/** Settings that differ from the defaults. */
type ChosenSettings = { [Name in SettingsField]?: Static<(typeof settingsFields)[Name]> };

export interface StoreFinder extends Omit<Selectable<DB['storeFinders']>, 'settings'> {
  settings: ChosenSettings;
}

export const storeKeyParams = Type.Object({ storeKey: Type.String({ maxLength: 100 }) });

const name = Type.String({
  pattern: '\\S',
  maxLength: 200,
  description: 'Name of the store finder; must not be blank',
});
const businessIds = Type.Array(Id, {
  maxItems: 1000,
  description: 'Only locations of these businesses. Empty means all',
});
const labelIds = Type.Array(Id, {
  maxItems: 100,
  description:
    'Only locations with one of these labels. Empty means all. Labels with adminOnly are not shown to visitors',
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

export const StoreFinderChange = Type.Object(
  {
    name: Type.Optional(name),
    ...deletableFields({ businessIds, labelIds, ...settingsFields }),
  },
  { title: 'StoreFinderChange', 'x-resource': 'StoreFinderSettings' },
);

const { mapApiKey, startLat, startLng, startZoom, ...always } = settingsFields;

type FinderSettings = ChosenSettings & Required<Pick<ChosenSettings, keyof typeof always>>;

const shownSettings = {
  ...always,
  ...Type.Partial(Type.Object({ mapApiKey, startLat, startLng, startZoom })).properties,
};

/** For account managers. */
export const StoreFinderResponse = Type.Object(
  {
    id: Type.Integer(),
    storeKey: Type.String({ description: 'Key of the finder in public requests' }),
    name: Type.String(),
    businessIds: Type.Array(Type.Integer()),
    labelIds: Type.Array(Type.Integer()),
    ...shownSettings,
    dateCreated: Type.String(),
    lastUpdated: Type.String(),
  },
  { title: 'StoreFinder', 'x-resource': 'StoreFinderSettings' },
);

/** For web pages. */
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

export const settingsResponse = (finder: StoreFinder): Static<typeof StoreFinderSettings> => ({
  storeKey: finder.storeKey,
  name: finder.name,
  ...settingsOf(finder),
});

export const storeFinderResponse = (finder: StoreFinder): Static<typeof StoreFinderResponse> => ({
  id: finder.id,
  ...settingsResponse(finder),
  businessIds: finder.businessIds,
  labelIds: finder.labelIds,
  dateCreated: finder.dateCreated.toISOString(),
  lastUpdated: finder.lastUpdated.toISOString(),
});

export type FinderContent = Pick<StoreFinder, 'name' | 'businessIds' | 'labelIds' | 'settings'>;

export const emptyContent: FinderContent = { name: '', businessIds: [], labelIds: [], settings: {} };

/** null resets a setting; absent fields keep their values. */
export function changedContent(before: FinderContent, change: Static<typeof StoreFinderChange>): FinderContent {
  const { name: newName, businessIds: businesses, labelIds: labels, ...settingsPatch } = change;
  const settings: Record<string, unknown> = { ...before.settings, ...settingsPatch };
  for (const field in settings) {
    if (settings[field] === null) delete settings[field];
    else if (Array.isArray(settings[field])) settings[field] = [...new Set(settings[field])];
  }
  return {
    name: changedText(before.name, newName) ?? before.name,
    businessIds: businesses === undefined ? before.businessIds : [...new Set(businesses)],
    labelIds: labels === undefined ? before.labelIds : [...new Set(labels)],
    settings: checkedSettings(settings as ChosenSettings),
  };
}

function checkedSettings(settings: ChosenSettings): ChosenSettings {
  const { startLat: lat, startLng: lng, language } = settings;
  if ((lat === undefined) !== (lng === undefined)) {
    const missing = lat === undefined ? 'startLat' : 'startLng';
    throw invalidField(missing, 'together', 'startLat and startLng must be set and deleted together.');
  }
  if (language === undefined) return settings;
  const code = languageCode(language);
  if (code === undefined)
    throw invalidField('language', 'language', 'language must be a language code such as de or pt-BR.');
  return { ...settings, language: code };
}

const columnTypes: Statement<StoreFinder>['columns'] = {
  id: 'int8',
  partnerId: 'int8',
  storeKey: 'text',
  name: 'text',
  businessIds: 'int8[]',
  labelIds: 'int8[]',
  settings: 'jsonb',
  dateCreated: 'timestamptz',
  lastUpdated: 'timestamptz',
};
const columns = Object.keys(columnTypes) as (keyof StoreFinder)[];

type Narrowed = Pick<StoreFinder, 'settings'>;

export async function findStoreFinder(sql: Sql, partnerId: number, storeKey: string): Promise<StoreFinder | undefined> {
  return (await run(sql, storeFinderByKey, [partnerId, storeKey]))[0];
}

const storeFinderByKey = defineStatement<StoreFinder>({
  name: 'find-store-finder',
  text: `select ${selectionOf(columnTypes)} from store_finders where partner_id = $1 and store_key = $2`,
  columns: columnTypes,
});

export function lockStoreFinder(sql: Sql, partnerId: number, storeKey: string): Promise<StoreFinder | undefined> {
  return db(sql)
    .selectFrom('storeFinders')
    .select(columns)
    .where('partnerId', '=', partnerId)
    .where('storeKey', '=', storeKey)
    .forUpdate()
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

const findersOf = (sql: Sql, partnerId: number) =>
  db(sql).selectFrom('storeFinders').where('partnerId', '=', partnerId);

export function listStoreFinders(sql: Sql, partnerId: number, page: PageQuery): Promise<StoreFinder[]> {
  return pageById(findersOf(sql, partnerId).select(columns), page).$narrowType<Narrowed>().execute();
}

export const countStoreFinders = (sql: Sql, partnerId: number): Promise<number> => countAll(findersOf(sql, partnerId));

export function insertStoreFinder(
  sql: Sql,
  partnerId: number,
  storeKey: string,
  content: FinderContent,
): Promise<StoreFinder> {
  return db(sql)
    .insertInto('storeFinders')
    .values({ partnerId, storeKey, ...content, settings: JSON.stringify(content.settings) })
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

export function updateStoreFinder(sql: Sql, id: number, content: FinderContent): Promise<StoreFinder> {
  return db(sql)
    .updateTable('storeFinders')
    .set({ ...content, settings: JSON.stringify(content.settings), lastUpdated: raw`now()` })
    .where('id', '=', id)
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirstOrThrow();
}

export function deleteStoreFinder(sql: Sql, partnerId: number, storeKey: string): Promise<StoreFinder | undefined> {
  return db(sql)
    .deleteFrom('storeFinders')
    .where('partnerId', '=', partnerId)
    .where('storeKey', '=', storeKey)
    .returning(columns)
    .$narrowType<Narrowed>()
    .executeTakeFirst();
}

export const requireFinder = (finder: StoreFinder | undefined, storeKey: string): StoreFinder =>
  requireFound(finder, `store finder ${storeKey}`);

/** Finders that show only locations with this label. */
const findLimitedTo = defineStatement<{ name: string }>({
  name: 'find-store-finders-of-label',
  text: `select name from store_finders
         where partner_id = $1 and label_ids @> array[$2::bigint]
           and not exists (select from labels where labels.id = any (label_ids) and labels.id <> $2)
         order by id limit $3`,
  columns: { name: 'text' },
});

export async function rejectDeletingLabelOfFinders(
  sql: Sql,
  { partner }: { partner: { id: number } },
  label: Label,
): Promise<void> {
  const finders = await run(sql, findLimitedTo, [partner.id, label.id, maxNamedUses + 1]);
  const names = finders.map(({ name }) => `"${name}"`);
  rejectDeletingOnlyTarget(label, 'store finders', names);
}
