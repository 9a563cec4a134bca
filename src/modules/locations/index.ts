import type { Module } from '../module.ts';
import { locationImportJobs } from './imports/location-import-jobs.ts';
import { locationImportRoutes } from './imports/location-import-routes.ts';
import { locationBulkRoutes } from './location-bulk-routes.ts';
import { locationIntakeRoutes } from './location-intake-routes.ts';
import { locationJobs } from './location-jobs.ts';
import { locationListRoutes } from './location-list-routes.ts';
import { contentListRoutes, locationRoutes } from './location-routes.ts';

export const locationsModule: Module = {
  routes: [
    contentListRoutes,
    locationListRoutes,
    locationRoutes,
    locationBulkRoutes,
    locationIntakeRoutes,
    locationImportRoutes,
  ],
  jobs: [...locationJobs, ...locationImportJobs],
};

export { changeLocation, isVisible, locationChanged, locationNotFound, requireVisible } from './change-location.ts';
export { transitionLocations } from './change-status.ts';
export { createLocations } from './create-location.ts';
export { missingFieldsOf } from './derived-fields.ts';
export { checkUrl, languageCode, oneLine } from './field-checks.ts';
export { OpeningHours, type Periods, SpecialOpeningHours } from './hours.ts';
export { ImportErrorResponse, importType, LocationImportResponse } from './imports/location-import.ts';
export { listingProfileOf } from './listing-profile.ts';
export {
  type Classification,
  classifications,
  type Location,
  type LocationInput,
  type LocationPatch,
  type LocationStatus,
  locationStatuses,
  NewLocation,
  type ServedStatus,
  servedStatuses,
  submittableStatuses,
} from './location.ts';
export { columnFieldNames, type PublicField, publicFieldNames } from './location-fields.ts';
export { addRatings, claimDueForCheck, lockBusinessOf, markSynced, setListingFigures } from './location-figures.ts';
export {
  bulkFilter,
  countScope,
  maxLocations,
  readLocationFilter,
  readScope,
  requireAll,
  type Scope,
  type ScopeQuery,
  scopeQuery,
} from './location-filter.ts';
export { audienceOfLocations, listLocationIds, listLocations, searchExpression } from './location-list-store.ts';
export type { SearchArea } from './location-map-store.ts';
export {
  countPublicLocations,
  findPublicLocations,
  frequentValues,
  hiddenDecimals,
  type LocationValue,
  listByName,
  listNearest,
  listPublicLocations,
  type MapFilter,
  type ValueKind,
  valueKinds,
} from './location-map-store.ts';
export { serviceResponse } from './location-response.ts';
export {
  findLocation,
  findLocations,
  findPlannedLocation,
  locationsWithMedia,
  lockByIdentifier,
  lockLocations,
} from './location-store.ts';
export { hoursToday, openAt } from './open-now.ts';
export {
  Attribute,
  CustomField,
  Photo,
  ServiceArea,
  ServiceItem,
  SocialProfile,
  Utm,
  Video,
} from './profile-values.ts';
export { knownBusinesses } from './references.ts';
