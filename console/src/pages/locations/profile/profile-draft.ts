import { createContext, useContext, useMemo, useState } from 'react';
import type { ApiProblem, FieldProblem } from '../../../api/api-problem.ts';
import type { Location, LocationChange } from '../../../api/api-types.ts';
import { fieldProblemText } from '../../../parts/field-problem-text.ts';

/** The fields that the editor changes; status moves and content lists have their own way. */
export type Field = Exclude<
  keyof LocationChange & keyof Location,
  'status' | 'endDate' | 'websiteExtra' | 'contentLists'
>;
type Value<Name extends Field> = Location[Name];

interface Edit {
  value: unknown;
  /** What the location had when the editing began, to see that somebody else changed it meanwhile. */
  from: unknown;
}

type Edits = Readonly<Partial<Record<Field, Edit>>>;

export interface Draft {
  location: Location;
  value<Name extends Field>(field: Name): Value<Name>;
  set<Name extends Field>(field: Name, value: Value<Name>): void;
  mayWrite(field: Field): boolean;
  /** What the API says of a field, or of something inside it. */
  errorOf(field: string): string | undefined;
  /** The same, one by one, for fields that say it beside their entries. */
  problemsOf(field: string): readonly FieldProblem[];
  /** What somebody else made of a field while it was edited here. */
  meanwhile(field: Field): { value: unknown } | undefined;
  changed: readonly Field[];
  /** What is to be sent: the changed fields and nothing else. */
  patch(): LocationChange;
  discard(): void;
  /** These were saved; what was typed since stays. */
  settle(sent: LocationChange): void;
  refuse(problem: ApiProblem): string | undefined;
}

/** Nothing, an empty text and an empty list are the same: not there. */
const plain = (value: unknown): unknown =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0) ? null : value;

const isSame = (a: unknown, b: unknown) => JSON.stringify(plain(a)) === JSON.stringify(plain(b));

/**
 * A location as it is, under what somebody has typed. What was not touched follows the location, also when somebody
 * else changes it meanwhile, and is not sent.
 */
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
      patch: () => Object.fromEntries(changed.map((field) => [field, plain(edits[field]?.value)])) as LocationChange,
      discard: () => {
        setEdits({});
        setErrors([]);
      },
      settle: (sent) => {
        setErrors([]);
        setEdits((before) =>
          Object.fromEntries(
            Object.entries(before).filter(
              ([field, edit]) => !(field in sent) || !isSame(edit.value, sent[field as keyof LocationChange]),
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

/** Rows of a list that are empty yet are kept while somebody fills them in. */
const isList = (value: unknown) => Array.isArray(value);

const rootOf = (path: string): string => path.split(/[.[]/, 1)[0] ?? path;

const isAbout = (name: string) => (problem: FieldProblem) => rootOf(problem.field) === name;

/** Where each field is found on the page: the section that has it. */
export const shownFields: Readonly<Record<Field, SectionId>> = {
  name: 'basics',
  identifier: 'basics',
  businessId: 'basics',
  autoSync: 'basics',
  labels: 'basics',
  openingDate: 'basics',
  street: 'address',
  streetNo: 'address',
  addressExtra: 'address',
  zip: 'address',
  city: 'address',
  province: 'address',
  country: 'address',
  lat: 'address',
  lng: 'address',
  addressDisplay: 'address',
  timeZone: 'address',
  phone: 'contact',
  fax: 'contact',
  cellphone: 'contact',
  website: 'contact',
  email: 'contact',
  imprint: 'contact',
  socialProfiles: 'contact',
  callTrackingNumbers: 'contact',
  utms: 'contact',
  openingHours: 'hours',
  specialOpeningHours: 'hours',
  openingHoursNotes: 'hours',
  temporarilyClosed: 'hours',
  descriptionShort: 'descriptions',
  descriptionLong: 'descriptions',
  keywords: 'descriptions',
  brands: 'descriptions',
  categories: 'categories',
  attributes: 'offers',
  paymentOptions: 'offers',
  languages: 'offers',
  serviceAreas: 'offers',
  photos: 'photos',
  videos: 'photos',
  services: 'services',
  customFields: 'offers',
};

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
