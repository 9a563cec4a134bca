import type { Module } from '../module.ts';
import { contentListRoutes } from './content-lists/content-list-routes.ts';
import { locationImportJobs } from './imports/location-import-jobs.ts';
import { locationImportRoutes } from './imports/location-import-routes.ts';
import { locationBulkRoutes } from './location-bulk-routes.ts';
import { locationEntranceRoutes } from './location-entrance-routes.ts';
import { locationJobs } from './location-jobs.ts';
import { locationListRoutes } from './location-list-routes.ts';
import { locationRoutes } from './location-routes.ts';

export const locationsModule: Module = {
  routes: [
    contentListRoutes,
    locationListRoutes,
    locationRoutes,
    locationBulkRoutes,
    locationEntranceRoutes,
    locationImportRoutes,
  ],
  jobs: [...locationJobs, ...locationImportJobs],
};

export { changeLocation, noLocation } from './change-location.ts';
export { moveLocations } from './change-status.ts';
export { createLocations } from './create-location.ts';
export { checkUrl, languageCode, oneLine } from './field-checks.ts';
export { locationChanged } from './follow-ups.ts';
export { OpeningHours, type Periods, SpecialOpeningHours } from './hours.ts';
export { ImportErrorAnswer, LocationImportAnswer } from './imports/location-import.ts';
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
} from './location.ts';
export { addRatings, dueForCheck, holdBusiness, markSynced, setListingFigures } from './location-figures.ts';
export { changingFilter, readLocationFilter } from './location-filter.ts';
export { audienceOfLocations, listLocationIds, listLocations, searchExpression } from './location-list-store.ts';
export {
  countShown,
  hiddenDecimals,
  listByName,
  listNearest,
  listShown,
  type MapFilter,
  readShown,
} from './location-map-store.ts';
export { locationsWithMedia } from './location-media-store.ts';
export { findLocation, findLocations, lockIdentified, lockLocations } from './location-store.ts';
export { frequentValues, type LocationValue, type ValueKind, valueKinds } from './location-value-store.ts';
export type { Around } from './map-box.ts';
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
export { countScope, everyLocation, readScope, type Scope, type ScopeQuery, scopeQuery } from './scope.ts';
export { missingFieldsOf } from './standing.ts';
