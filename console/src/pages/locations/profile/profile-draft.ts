import { createContext, useContext, useMemo, useState } from 'react';
import type { ApiProblem, FieldProblem } from '../../../api/api-problem.ts';
import type { Location, LocationChange } from '../../../api/api-types.ts';
import { locationFields } from '../../../api/location-fields.ts';
import { fieldProblemText } from '../../../parts/field-problem-text.ts';

/** Fields of the editor. Status and content lists are edited elsewhere. */
export type Field = keyof typeof locationFields;
type Value<Name extends Field> = Location[Name];

interface Edit {
  value: unknown;
  /** Value at the start of editing, to detect concurrent changes. */
  from: unknown;
}

type Edits = Readonly<Partial<Record<Field, Edit>>>;

export interface Draft {
  location: Location;
  value<Name extends Field>(field: Name): Value<Name>;
  set<Name extends Field>(field: Name, value: Value<Name>): void;
  mayWrite(field: Field): boolean;
  /** API error of the field or of something inside it. */
  errorOf(field: string): string | undefined;
  /** The same errors for each entry. */
  problemsOf(field: string): readonly FieldProblem[];
  /** Value that another user saved meanwhile. */
  meanwhile(field: Field): { value: unknown } | undefined;
  changed: readonly Field[];
  /** PATCH body: changed fields only. */
  patch(): LocationChange;
  discard(): void;
  /** Marks these fields as saved; later edits are kept. */
  settle(sent: LocationChange): void;
  refuse(problem: ApiProblem): string | undefined;
}

/** Undefined, an empty string and an empty list are equal. */
const plain = (value: unknown): unknown =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0) ? null : value;

const isSame = (a: unknown, b: unknown) => JSON.stringify(plain(a)) === JSON.stringify(plain(b));

/** The value as it is sent. A field that is absent in a service is not changed by the API, so empty ones are null. */
export const bodyValue = (field: Field, value: unknown): unknown =>
  field === 'services' && Array.isArray(value) && value.length > 0
    ? value.map(({ description = null, price = null, currency = null, ...service }) => ({
        ...service,
        description,
        price,
        currency,
      }))
    : plain(value);

/** Edits on top of the saved location. Untouched fields follow the saved location and are not sent. */
export function useProfileDraft(location: Location, mayWrite: (field: Field) => boolean): Draft {
  const [edits, setEdits] = useState<Edits>({});
  const [errors, setErrors] = useState<readonly FieldProblem[]>([]);
  return useMemo<Draft>(() => {
    const changed = (Object.keys(edits) as Field[]).filter((field) => !isSame(edits[field]?.value, location[field]));
    return {
      location,
      value: (field) => (edits[field] ? edits[field].value : location[field]) as never,
      set: (field, value) => {
        setEdits((before) => {
          const from = before[field] ? before[field].from : location[field];
          const { [field]: _, ...others } = before;
          return isSame(value, location[field]) && !isList(value) ? others : { ...before, [field]: { value, from } };
        });
        setErrors((before) => before.filter((one) => !isAbout(field)(one)));
      },
      mayWrite,
      errorOf: (field) => {
        const texts = errors.filter(isAbout(field)).map((one) => fieldProblemText(one));
        return texts.length > 0 ? [...new Set(texts)].join(' ') : undefined;
      },
      problemsOf: (field) => errors.filter(isAbout(field)),
      meanwhile: (field) => {
        const edit = edits[field];
        if (!edit || isSame(edit.from, location[field]) || isSame(edit.value, location[field])) return undefined;
        return { value: location[field] };
      },
      changed,
      patch: () =>
        Object.fromEntries(changed.map((field) => [field, bodyValue(field, edits[field]?.value)])) as LocationChange,
      discard: () => {
        setEdits({});
        setErrors([]);
      },
      settle: (sent) => {
        setErrors([]);
        setEdits((before) =>
          Object.fromEntries(
            Object.entries(before).filter(
              ([field, { value }]) =>
                !(field in sent) || !isSame(bodyValue(field as Field, value), sent[field as keyof LocationChange]),
            ),
          ),
        );
      },
      refuse: (problem) => {
        const known = problem.fields.filter(({ field }) => rootOf(field) in shownFields);
        setErrors(known);
        const rest = problem.fields.filter((one) => !known.includes(one)).map(({ message }) => message);
        if (problem.fields.length === 0) return problem.message;
        return rest.length > 0 ? rest.join(' ') : undefined;
      },
    };
  }, [location, edits, errors, mayWrite]);
}

/** Keeps empty rows while the user fills them in. */
const isList = (value: unknown) => Array.isArray(value);

const rootOf = (path: string): string => path.split(/[.[]/, 1)[0] ?? path;

const isAbout = (name: string) => (problem: FieldProblem) => rootOf(problem.field) === name;

type Group = (typeof locationFields)[Field]['group'];

const sectionsOfGroups: Readonly<Record<Group, SectionId>> = {
  NAME: 'basics',
  ADMINISTRATION: 'basics',
  LABELS: 'basics',
  ADDRESS: 'address',
  CONTACT: 'contact',
  SOCIAL_PROFILES: 'contact',
  OPENING_HOURS: 'hours',
  DESCRIPTIONS: 'descriptions',
  CATEGORIES: 'categories',
  MEDIA: 'photos',
  SERVICES: 'services',
  ATTRIBUTES: 'offers',
  CUSTOM_FIELDS: 'offers',
};

/** Fields outside the section of their group. */
const movedFields: Partial<Record<Field, SectionId>> = { openingDate: 'basics', serviceAreas: 'offers' };

export const fieldNames = Object.keys(locationFields) as readonly Field[];

export const shownFields = Object.fromEntries(
  fieldNames.map((field) => [field, movedFields[field] ?? sectionsOfGroups[locationFields[field].group]]),
) as Readonly<Record<Field, SectionId>>;

export const sectionIds = [
  'basics',
  'address',
  'contact',
  'hours',
  'categories',
  'descriptions',
  'photos',
  'services',
  'offers',
] as const;
export type SectionId = (typeof sectionIds)[number];

export const DraftContext = createContext<Draft | null>(null);

export function useDraft(): Draft {
  const draft = useContext(DraftContext);
  if (!draft) throw new Error('Fields stand inside a profile editor');
  return draft;
}
