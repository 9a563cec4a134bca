import Type, { type Static } from 'typebox';
import type { ListingProfile } from './connector.ts';

const names = Type.Array(Type.String());

/** A directory and its capabilities. */
export const DirectoryResponse = Type.Object({
  /** Upper-case name, such as GOOGLE. */
  type: Type.String(),
  name: Type.String(),
  weight: Type.Integer({ description: 'Weight in the visibility index' }),
  supports: Type.Object({
    submission: Type.Boolean(),
    claim: Type.Boolean(),
    /** Otherwise only locations with a hidden address can be submitted. */
    addressDisplay: Type.Boolean({ description: 'Shows street addresses' }),
    replies: Type.Boolean(),
    insights: Type.Boolean(),
    /** Reports search keywords per month. */
    searchKeywords: Type.Boolean(),
    brandPages: Type.Boolean(),
    socialPosts: Type.Boolean(),
    onlineListing: Type.Boolean({ description: 'Listings have a web page. Car navigation systems have none.' }),
    linkOnly: Type.Boolean({ description: 'Listings can only be linked, not read or submitted' }),
  }),
  needsCleansing: Type.Boolean(),
  /** Before submissions and reads. */
  needsConnection: Type.Boolean({ description: 'An account must be connected first' }),
  /** Names of fields of ListingProfile. */
  mandatoryFields: Type.Array(Type.String(), { description: 'Fields required for a submission' }),
  fields: Type.Array(Type.String(), { description: 'Fields that the directory shows and sync checks compare' }),
  dataPointTypes: names,
  replyMaxLength: Type.Integer(),
  postMaxLength: Type.Integer(),
  /** Names of insight metrics. */
  metrics: names,
  rateLimit: Type.Object({ requests: Type.Integer(), perSeconds: Type.Number() }),
});

export type Directory = Static<typeof DirectoryResponse>;

export function missingFields({ mandatoryFields }: Directory, profile: ListingProfile): string[] {
  const values = profile as unknown as Record<string, unknown>;
  return mandatoryFields.filter((name) => isEmpty(values[name]));
}

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

export const acceptsSubmissions = ({ supports }: Directory): boolean => supports.submission && !supports.linkOnly;

/** Missing fields per directory if no directory accepts the profile; empty if at least one does or none takes submissions. */
export function refusingDirectories(
  directories: readonly Directory[],
  profile: ListingProfile,
): { directory: Directory; missing: string[] }[] {
  const lacking = directories
    .filter(acceptsSubmissions)
    .map((directory) => ({ directory, missing: missingFields(directory, profile) }));
  return lacking.every(({ missing }) => missing.length > 0) ? lacking : [];
}
