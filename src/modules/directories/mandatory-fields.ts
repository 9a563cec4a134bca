import type { ListingProfile } from './connector.ts';
import type { Directory } from './directory.ts';

export function missingFields({ mandatoryFields }: Directory, profile: ListingProfile): string[] {
  const values = profile as unknown as Record<string, unknown>;
  return mandatoryFields.filter((name) => {
    const value = values[name];
    return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  });
}

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
