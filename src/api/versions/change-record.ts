import { datapointPages } from './changes/v20190104-datapoint-pages.ts';
import { exportGroup } from './changes/v20190128-export-group.ts';
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
import { threadActionDates } from './changes/v20210215-thread-action-dates.ts';
import { defaultFeatures } from './changes/v20210628-default-features.ts';
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
import { internal20240220 } from './changes/v20240220-internal.ts';
import { nearMeCheck } from './changes/v20250729-near-me-check.ts';
import { socialAi } from './changes/v20251118-social-ai.ts';
import { homepage } from './changes/v20260325-homepage.ts';
import { digitalAssets } from './changes/v20260408-digital-assets.ts';
import { dashboard } from './changes/v20260713-dashboard.ts';
import type { VersionChange } from './version-change.ts';

/** The change record, newest entry first. */
export const changeRecord: readonly VersionChange[] = [
  dashboard,
  digitalAssets,
  homepage,
  socialAi,
  nearMeCheck,
  internal20240220,
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
  defaultFeatures,
  threadActionDates,
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
  exportGroup,
  datapointPages,
];
