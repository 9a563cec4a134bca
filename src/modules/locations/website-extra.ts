import type { FieldError } from '../../problems.ts';
import type { Checked } from './hours.ts';
import type { LocationPatch, LocationProfile } from './location.ts';

/** The directory whose UTM parameters were the only ones once. */
const google = 'GOOGLE';

type Utms = NonNullable<LocationProfile['utms']>;

export const websiteExtraOf = ({ utms }: LocationProfile): string | undefined =>
  utms?.find(({ type }) => type === google)?.parameters;

/** A patch that says websiteExtra, as one that says utms: the entries of other directories stay. */
export function withoutWebsiteExtra(before: LocationProfile, patch: LocationPatch): Checked<LocationPatch> {
  const { websiteExtra, ...rest } = patch;
  if (websiteExtra === undefined) return { value: rest };
  const parameters = websiteExtra?.replace(/^[?&]/, '') ?? null;
  if (rest.utms !== undefined && websiteExtraOf({ utms: rest.utms ?? [] }) !== (parameters ?? undefined)) {
    return { errors: [contradiction] };
  }
  const present: Utms = rest.utms ?? before.utms ?? [];
  const known = present.some(({ type }) => type === google) ? present : [...present, { type: google, parameters: '' }];
  const utms = known.flatMap((utm) =>
    utm.type !== google ? [utm] : parameters === null ? [] : [{ type: google, parameters }],
  );
  return { value: { ...rest, utms: utms.length > 0 ? utms : null } };
}

const contradiction: FieldError = {
  field: 'websiteExtra',
  rule: 'contradiction',
  message: 'websiteExtra is the entry of GOOGLE in utms, and the two differ. Give one of them.',
};
