import {
  described,
  describedField,
  isShape,
  omit,
  type RecordSchema,
  type Reshaped,
  renameField,
  type ShapeChange,
  withEntries,
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
