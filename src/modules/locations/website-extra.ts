import type { FieldError } from '../../problems.ts';
import type { Checked } from './hours.ts';
import type { LocationPatch, LocationProfile } from './location.ts';

/** websiteExtra is from before utms, when only Google had parameters. */
const google = 'GOOGLE';

type Utms = NonNullable<LocationProfile['utms']>;

export const websiteExtraOf = ({ utms }: LocationProfile): string | undefined =>
  utms?.find(({ type }) => type === google)?.parameters;

/** Rewrites websiteExtra in a patch to the GOOGLE entry of utms. Other entries are unchanged. */
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
  message: 'websiteExtra and the GOOGLE entry of utms differ. Set only one of them.',
};
