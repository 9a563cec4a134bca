import type { Schema } from '../../../json-schema.ts';
import {
  described,
  describedEntries,
  describedField,
  isShape,
  omit,
  type Reshaped,
  renameField,
  type ShapeChange,
  withEntries,
} from '../version-change.ts';

export function renamed(
  resource: string,
  before: string,
  now: string,
): Required<Omit<ShapeChange, 'reshaped' | 'ignoredForOldClients' | 'oldPath' | 'lossWarning' | 'agrees'>> {
  return {
    resource,
    replaced: { [before]: now },
    upgrade: (old) => renameField(old, before, now),
    downgrade: (current) =>
      current[now] === undefined ? current : { ...current, [now]: undefined, [before]: current[now] },
    describe: (current) => ({
      ...current,
      properties: renameField(current.properties ?? {}, now, before) as Record<string, Schema>,
      ...(current.required && { required: current.required.map((name) => (name === now ? before : name)) }),
    }),
  };
}

/** New fields. They are accepted from old clients too. */
export function added(resource: string, ...fields: readonly string[]): ShapeChange {
  return {
    resource,
    downgrade: (current) => omit(current, ...fields),
    describe: (current) => described(current, fields, {}),
  };
}

/** A list of strings that became a list of objects with the string as a field. */
export function stringsToObjects(resource: string, list: string, field: string, now: string): ShapeChange {
  const path = new RegExp(`(${list}\\[\\d+\\])\\.${field}$`);
  return {
    resource,
    reshaped: { [list]: asStrings(now) },
    oldPath: (current) => current.replace(path, '$1'),
    upgrade: (old) => withEntries(old, list, (entry) => (typeof entry === 'string' ? { [field]: entry } : entry)),
    downgrade: (current) => withEntries(current, list, (entry) => (isShape(entry) ? entry[field] : entry)),
    describe: (current) =>
      describedField(current, list, ({ type, description = '' }) => ({
        ...listOfStrings(type),
        ...(description && { description }),
      })),
  };
}

const asStrings = (now: string): Reshaped => ({
  before: 'as strings',
  now,
  isOld: (value) => Array.isArray(value) && value.some((entry) => typeof entry === 'string'),
});

/** Keeps the type, which can include null. */
const listOfStrings = (type: Schema['type']): Schema => ({ type: type ?? 'array', items: { type: 'string' } });

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
    downgrade: (current) => withEntries(current, list, (name) => (name === now ? before : name)),
    describe: (current) =>
      describedEntries(current, list, (entry) => withEntries(entry, 'enum', (name) => (name === now ? before : name))),
  };
}
