import type { ListingProfile } from './connector.ts';
import type { Directory } from './directory.ts';

/** Fields that a directory requires and a profile lacks. */
export function missingFields({ mandatoryFields }: Directory, profile: ListingProfile): string[] {
  const values = profile as unknown as Record<string, unknown>;
  return mandatoryFields.filter((name) => {
    const value = values[name];
    return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  });
}

export const acceptsSubmissions = ({ supports }: Directory): boolean => supports.submission && !supports.linkOnly;

/**
 * Why none of some directories could accept a profile: the fields that each one requires. Nothing when one of them
 * could, or when none accepts submissions at all: then there is nothing to complete.
 */
export function refusingDirectories(
  directories: readonly Directory[],
  profile: ListingProfile,
): { directory: Directory; missing: string[] }[] {
  const lacking = directories
    .filter(acceptsSubmissions)
    .map((directory) => ({ directory, missing: missingFields(directory, profile) }));
  return lacking.every(({ missing }) => missing.length > 0) ? lacking : [];
}
