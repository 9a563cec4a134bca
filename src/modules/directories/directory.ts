import type { ListingProfile } from './connector.ts';

/** A directory and its capabilities. */
export interface Directory {
  /** Upper-case name, such as GOOGLE. */
  readonly type: string;
  readonly name: string;
  /** Weight in the visibility index. */
  readonly weight: number;
  readonly supports: {
    readonly submission: boolean;
    readonly claim: boolean;
    /** Shows street addresses. Otherwise only locations with a hidden address can be submitted. */
    readonly addressDisplay: boolean;
    readonly replies: boolean;
    readonly insights: boolean;
    /** Reports search keywords per month. */
    readonly searchKeywords: boolean;
    readonly brandPages: boolean;
    readonly socialPosts: boolean;
    /** Listings have a web page. Car navigation systems have none. */
    readonly onlineListing: boolean;
    /** Listings can only be linked, not read or submitted. */
    readonly linkOnly: boolean;
  };
  readonly needsCleansing: boolean;
  /** An account must be connected before submissions and reads. */
  readonly needsConnection: boolean;
  /** ListingProfile fields required for a submission. */
  readonly mandatoryFields: readonly string[];
  /** ListingProfile fields that the directory shows and sync checks compare. */
  readonly fields: readonly string[];
  readonly dataPointTypes: readonly string[];
  readonly replyMaxLength: number;
  readonly postMaxLength: number;
  /** Names of insight metrics. */
  readonly metrics: readonly string[];
  readonly rateLimit: { readonly requests: number; readonly perSeconds: number };
}

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
