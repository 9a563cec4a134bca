import { invalidField } from '../../problems.ts';
import { datapointPages } from './changes/v20190104-datapoint-pages.ts';
import { suggestionStatus } from './changes/v20190401-suggestion-status.ts';
import { locationFeatures } from './changes/v20190423-location-features.ts';
import { suggestionsApart } from './changes/v20190702-suggestions-apart.ts';
import { pageStatus } from './changes/v20190716-page-status.ts';
import { datapointFilters } from './changes/v20191022-datapoint-filters.ts';
import { labelsAsObjects } from './changes/v20191203-labels-as-objects.ts';
import { inboxAndPlanStatus } from './changes/v20200128-inbox-and-plan-status.ts';
import { locationCap } from './changes/v20200430-location-cap.ts';
import { mergedCategories } from './changes/v20200518-merged-categories.ts';
import { storeLocator } from './changes/v20200728-store-locator.ts';
import { contentLists } from './changes/v20210214-content-lists.ts';
import { fieldsInSync } from './changes/v20210729-fields-in-sync.ts';
import { publicationDate } from './changes/v20210804-publication-date.ts';
import { openNow } from './changes/v20210824-open-now.ts';
import { allPhotos } from './changes/v20210907-all-photos.ts';
import { filterTranslations } from './changes/v20211005-filter-translations.ts';
import { servicesAsItems } from './changes/v20211102-services-as-items.ts';
import { openingDate } from './changes/v20220222-opening-date.ts';
import { photoDescriptions } from './changes/v20221208-photo-descriptions.ts';
import { mapApiKey } from './changes/v20230110-map-api-key.ts';
import { callToActions } from './changes/v20230115-call-to-actions.ts';
import { utms } from './changes/v20230407-utms.ts';
import { serviceItems } from './changes/v20230721-service-items.ts';
import type { VersionChange } from './version-change.ts';

/** The changelog, newest entry first. A breaking entry has a file of its own. */
const changelog: readonly VersionChange[] = [
  {
    version: '20260713',
    kind: 'ADDITIVE',
    description: 'Added the dashboard endpoints: customer feedback, insights, listing health, completeness, exports.',
    touches: ['/api/dashboard/*'],
  },
  {
    version: '20260408',
    kind: 'ADDITIVE',
    description: 'Added digital asset management and social templates.',
    touches: ['/api/dam/*', '/api/social-templates'],
  },
  {
    version: '20260325',
    kind: 'ADDITIVE',
    description: 'Added the homepage endpoints: key metrics, ranks, scores, tasks, suggestions.',
    touches: ['/api/home/*'],
  },
  {
    version: '20251118',
    kind: 'ADDITIVE',
    description: 'Added text generation for social posts.',
    touches: ['POST /api/social-ai/generate-content'],
  },
  {
    version: '20250729',
    kind: 'ADDITIVE',
    description: 'Added the near-me check: categories and reports.',
    touches: ['/api/near-me-check/categories', '/api/report'],
  },
  {
    version: '20240220',
    kind: 'INTERNAL',
    description: 'Internal changes only, not visible to clients.',
    touches: [],
  },
  serviceItems,
  utms,
  callToActions,
  mapApiKey,
  photoDescriptions,
  openingDate,
  servicesAsItems,
  filterTranslations,
  allPhotos,
  openNow,
  publicationDate,
  fieldsInSync,
  {
    version: '20210628',
    kind: 'ADDITIVE',
    description:
      'The features endpoint returns defaultFeatures, the features of a new user. Existing fields are unchanged.',
    touches: ['GET /api/features'],
  },
  {
    version: '20210215',
    kind: 'ADDITIVE',
    description:
      'Datapoints can be filtered by the last action in their thread: minThreadActionDate and maxThreadActionDate, in Unix milliseconds.',
    touches: ['GET /api/data-points'],
  },
  contentLists,
  storeLocator,
  mergedCategories,
  locationCap,
  inboxAndPlanStatus,
  labelsAsObjects,
  datapointFilters,
  pageStatus,
  suggestionsApart,
  locationFeatures,
  suggestionStatus,
  {
    version: '20190128',
    kind: 'ADDITIVE',
    description: 'Dashboard exports can be grouped by day, week, month or year with the parameter group.',
    touches: ['POST /api/dashboard-exports'],
  },
  datapointPages,
];

/** All entries, oldest first. */
export const timeline: readonly VersionChange[] = changelog.toSorted((a, b) => a.version.localeCompare(b.version));

export const newestVersion = timeline.at(-1)?.version ?? '';
export const oldestVersion = timeline[0]?.version ?? '';

/** The latest version that is not after the date, or the oldest version. */
export function entryFor(date: string): string {
  return timeline.findLast(({ version }) => version <= date)?.version ?? oldestVersion;
}

/** Parses `20230407` or `_20230407`. A date between two versions means the earlier one; earlier dates mean the oldest. */
export function parseVersion(text: string, field: string): string {
  const [, year, month, day] = /^_?(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) {
    throw invalidField(
      field,
      'version',
      `${field} must be a date like ${newestVersion} or _${newestVersion} (year, month, day), not "${text.slice(0, 40)}".`,
    );
  }
  return entryFor(`${year}${month}${day}`);
}

/** A field or parameter and its replacement, as text. */
interface Replacement {
  /** A resource or an endpoint. */
  readonly where: string;
  readonly before: string;
  readonly now: string;
}

export function replacementsOf({ shapes = [], calls = [] }: VersionChange): Replacement[] {
  return [...shapes, ...calls].flatMap((change) => {
    const where = 'call' in change ? change.call : change.resource;
    const reshaped = 'resource' in change ? Object.entries(change.reshaped ?? {}) : [];
    return [
      ...Object.entries(change.replaced ?? {}).map(([before, now]) => ({ where, before, now })),
      ...reshaped.map(([field, { before, now }]) => ({ where, before: `${field} ${before}`, now })),
    ];
  });
}
