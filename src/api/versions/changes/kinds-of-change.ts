import {
  type CallChange,
  described,
  describedField,
  entries,
  isShape,
  omit,
  type RecordSchema,
  type Reshaped,
  renameField,
  type Shape,
  type ShapeChange,
  withEntries,
  withField,
} from '../version-change.ts';

export function renamed(
  resource: string,
  before: string,
  now: string,
): Required<Omit<ShapeChange, 'reshaped' | 'notYet' | 'pathThen' | 'lostBy' | 'agrees'>> {
  return {
    resource,
    replaced: { [before]: now },
    upgrade: (old) => renameField(old, before, now),
    downgrade: (today) => (today[now] === undefined ? today : { ...today, [now]: undefined, [before]: today[now] }),
    describe: (today) => ({
      ...today,
      properties: renameField(today.properties ?? {}, now, before) as Record<string, object>,
      ...(today.required && { required: today.required.map((name) => (name === now ? before : name)) }),
    }),
  };
}

/** New fields. They are accepted from old clients too. */
export function added(resource: string, ...fields: readonly string[]): ShapeChange {
  return {
    resource,
    downgrade: (today) => omit(today, ...fields),
    describe: (today) => described(today, fields, {}),
  };
}

/** A list of strings that became a list of objects with the string as a field. */
export function textsToObjects(resource: string, list: string, field: string, now: string): ShapeChange {
  const path = new RegExp(`(${list}\\[\\d+\\])\\.${field}$`);
  return {
    resource,
    reshaped: { [list]: asTexts(now) },
    pathThen: (today) => today.replace(path, '$1'),
    upgrade: (old) => withEntries(old, list, (entry) => (typeof entry === 'string' ? { [field]: entry } : entry)),
    downgrade: (today) => withEntries(today, list, (entry) => (isShape(entry) ? entry[field] : entry)),
    describe: (today) =>
      describedField(today, list, ({ type, description }) => ({ ...listOfTexts(type), description })),
  };
}

const asTexts = (now: string): Reshaped => ({
  before: 'as texts',
  now,
  isOld: (value) => Array.isArray(value) && value.some((entry) => typeof entry === 'string'),
});

/** Keeps the type, which can include null. */
const listOfTexts = (type: unknown): RecordSchema => ({ type: type ?? 'array', items: { type: 'string' } });

export function renamedEntry(resource: string, list: string, before: string, now: string): ShapeChange {
  return {
    resource,
    reshaped: {
      [list]: {
        before: `with ${before}`,
        now,
        isOld: (value) => Array.isArray(value) && value.includes(before),
      },
    },
    upgrade: (old) => withEntries(old, list, (name) => (name === before ? now : name)),
    downgrade: (today) => withEntries(today, list, (name) => (name === now ? before : name)),
    describe: (today) =>
      describedField(today, list, (schema) => ({
        ...schema,
        items: renamedValue(schema.items as { enum?: unknown[] }, before, now),
      })),
  };
}

const renamedValue = (schema: { enum?: unknown[] }, before: string, now: string) => ({
  ...schema,
  ...(schema.enum && { enum: schema.enum.map((value) => (value === now ? before : value)) }),
});

interface SplitFeature {
  readonly whole: string;
  readonly description: string;
  readonly parts: readonly string[];
}

export function splitInUsers(feature: SplitFeature): ShapeChange {
  const { whole, parts } = feature;
  return {
    resource: 'User',
    reshaped: {
      features: {
        before: `with ${whole}`,
        now: parts.join(' and '),
        isOld: (value) => entries(value).includes(whole),
      },
    },
    upgrade: (old) => withField(old, 'features', (features) => splitFeature(features, feature)),
    downgrade: (today) => withField(today, 'features', (features) => joinFeature(features, feature)),
    describe: (today) => describedField(today, 'features', (features) => withName(features, whole)),
  };
}

/** The list of features with the original feature instead of its parts. */
export function splitInList(feature: SplitFeature): CallChange {
  const { whole, description, parts } = feature;
  const isPart = (entry: unknown) => isShape(entry) && parts.includes(String(entry.name));
  return {
    call: 'GET /api/features',
    downgradeResponse: (today) => ({
      ...today,
      features: [...entries(today.features).filter((entry) => !isPart(entry)), { name: whole, description }],
      defaultFeatures: Object.fromEntries(
        Object.entries(today.defaultFeatures as Shape).map(([role, held]) => [role, joinFeature(held, feature)]),
      ),
    }),
    describeResponse: (today) =>
      describedField(
        describedField(today, 'features', (features) => ({
          ...features,
          items: describedField(features.items as RecordSchema, 'name', (name) => withValue(name, whole)),
        })),
        'defaultFeatures',
        (roles) => ({
          ...roles,
          properties: Object.fromEntries(
            Object.entries(roles.properties ?? {}).map(([role, held]) => [role, withName(held as RecordSchema, whole)]),
          ),
        }),
      ),
  };
}

function splitFeature(features: unknown, { whole, parts }: SplitFeature): unknown {
  if (!Array.isArray(features)) return features;
  return [...new Set(features.flatMap((feature) => (feature === whole ? parts : [feature])))];
}

/** A user with only some of the parts keeps them: the whole would grant more when it is sent back. */
function joinFeature(features: unknown, { whole, parts }: SplitFeature): unknown {
  const held = entries(features);
  if (!parts.every((part) => held.includes(part))) return features;
  return [...held.filter((feature) => !parts.includes(String(feature))), whole];
}

const withName = (list: RecordSchema, name: string) => ({
  ...list,
  items: withValue(list.items as RecordSchema, name),
});

const withValue = (schema: RecordSchema, value: string) => ({ ...schema, enum: [...entries(schema.enum), value] });
