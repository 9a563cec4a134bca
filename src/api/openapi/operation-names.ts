/** Exceptions to the naming rule, by method and path below `/api`. */
const exceptions: Readonly<Record<string, string>> = {
  'POST checkout/locations': 'createSoldLocation',
  'GET dam/files/:token': 'downloadAssetFile',
  'GET dam/thumbnails/:token': 'downloadAssetThumbnail',
  'GET dashboard-exports/:id/download': 'downloadDashboardExport',
  'GET dashboard/customer-feedback-keywords': 'getCustomerFeedbackKeywords',
  'GET dashboard/excel-export': 'downloadDashboardExcel',
  'GET dashboard/excel-exports/:id/download': 'downloadExcelExport',
  'GET dashboard/export-insights-data': 'downloadInsightsData',
  'GET dashboard/export-insights-data-with-threshold': 'exportInsightsDataWithThreshold',
  'GET dashboard/insights-data/warnings': 'getInsightsDataWarnings',
  'GET dashboard/listing-health/:locationId': 'getListingHealthOfLocation',
  'GET dashboard/profile-completeness': 'getProfileCompleteness',
  'GET dashboard/search-keywords': 'getSearchKeywords',
  'GET dashboard/suppressed-duplicates': 'getSuppressedDuplicates',
  'DELETE data-points/:id/flag': 'unflagDataPoint',
  'DELETE data-points/:id/like': 'unlikeDataPoint',
  'POST data-points/:id/replies': 'replyToDataPoint',
  'POST directory-business-pages/discover': 'discoverDirectoryBusinessPages',
  'GET event-types/:type': 'getEventType',
  'POST event-types/:type/emit': 'emitExampleEvents',
  'GET home/key-metrics': 'getKeyMetrics',
  'POST home/key-metrics': 'queryKeyMetrics',
  'GET home/key-metrics/configuration': 'getKeyMetricsConfiguration',
  'PUT home/key-metrics/configuration': 'setKeyMetricsConfiguration',
  'GET home/locations/ranks': 'getLocationRanks',
  'POST home/locations/ranks': 'queryLocationRanks',
  'GET home/locations/score': 'getLocationScores',
  'POST home/locations/score': 'queryLocationScores',
  'GET home/score-parts': 'getScoreParts',
  'POST home/score-parts': 'queryScoreParts',
  'GET home/suggestions': 'listHomeSuggestions',
  'POST home/suggestions': 'queryHomeSuggestions',
  'DELETE home/suggestions/dismiss': 'restoreHomeSuggestion',
  'POST home/suggestions/dismiss': 'dismissHomeSuggestion',
  'GET home/suggestions/locations': 'listLocationsOfHomeSuggestion',
  'POST home/suggestions/locations': 'queryLocationsOfHomeSuggestion',
  'GET home/tasks': 'listHomeTasks',
  'POST home/tasks': 'queryHomeTasks',
  'DELETE home/tasks/dismiss': 'restoreHomeTask',
  'POST home/tasks/dismiss': 'dismissHomeTask',
  'GET home/tasks/locations': 'listLocationsOfHomeTask',
  'POST home/tasks/locations': 'queryLocationsOfHomeTask',
  'GET listings/:id/insights': 'getListingInsights',
  'GET listings/by-directory': 'countListingsByDirectory',
  'GET location-imports/:id/errors.csv': 'downloadLocationImportErrors',
  'GET location-imports/template.csv': 'downloadLocationImportTemplate',
  'POST locations/:id': 'updateLocationByPost',
  'GET locations/:id/completeness': 'getLocationCompleteness',
  'POST locations/:id/status': 'setLocationStatus',
  'PUT locations/:id/content-lists': 'setLocationContentLists',
  'PUT locations/:id/suggestions': 'decideLocationSuggestions',
  'POST locations/data-download': 'createLocationFromDirectory',
  'GET locations/fields': 'listLocationFields',
  'POST locations/sync': 'syncLocations',
  'GET near-me-check/categories': 'listNearMeCategories',
  'POST report': 'createNearMeReport',
  'GET report/:id': 'getNearMeReport',
  'POST sales-partners/:id/rotate-private-key': 'rotatePrivateKey',
  'POST sales-partners/webhooks/:id/rotate-secret': 'rotateWebhookSecret',
  'GET sales-partners/webhooks/:id/statistics': 'getWebhookStatistics',
  'GET sales-partners/webhooks/activity': 'getWebhookActivity',
  'POST sales-partners/webhooks/check-url': 'checkWebhookUrl',
  'DELETE sandbox/directories/:type/outage': 'endSandboxOutage',
  'PUT sandbox/directories/:type/outage': 'beginSandboxOutage',
  'POST social-ai/generate-content': 'generateSocialContent',
  'GET store-finders/:storeKey/filters': 'listStoreFinderFilters',
  'GET store-finders/:storeKey/locations': 'searchStoreFinderLocations',
  'GET store-finders/:storeKey/locations/all': 'listAllStoreFinderLocations',
  'GET store-finders/:storeKey/settings': 'getStoreFinderSettings',
  'DELETE users/:id/all-sessions': 'endAllSessionsOfUser',
  'POST users/login': 'logIn',
  'POST users/logout': 'logOut',
  'GET users/me': 'getOwnUser',
};

/** Path prefixes that are not part of the name. */
const groups = /^(dam|dashboard|sales-partners(?=\/webhooks|\/subscribable))\//;
const collectionVerbs: Record<string, string> = { POST: 'create', PUT: 'set', PATCH: 'update', DELETE: 'delete' };
const itemVerbs: Record<string, string> = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'update',
  DELETE: 'delete',
};

/** `getLocation`, `listLocations`, `createLocation`, `listLocationSuggestions`, `syncLocation`. */
export function operationName(method: string, path: string): string {
  const below = path.replace(/^\/api\//, '');
  const exception = exceptions[`${method} ${below}`];
  if (exception) return exception;
  const segments = below.replace(groups, '').replace('data-points/filters', 'data-point-filters').split('/');
  const isItem = segments.at(-1)?.startsWith(':') ?? false;
  const words = segments.flatMap((segment, index) => {
    if (segment.startsWith(':')) return [];
    const word = pascal(segment);
    return segments[index + 1]?.startsWith(':') ? [singular(word)] : [word];
  });
  const last = words.at(-1) ?? '';
  if (isItem) return (itemVerbs[method] ?? '') + words.join('');
  // A singular segment after an id is an action.
  const isAction = method === 'POST' && segments.at(-2)?.startsWith(':') && !last.endsWith('s');
  if (isAction) return last.charAt(0).toLowerCase() + last.slice(1) + words.slice(0, -1).join('');
  if (method === 'GET') return (last.endsWith('s') ? 'list' : 'get') + words.join('');
  const names = method === 'POST' ? [...words.slice(0, -1), singular(last)] : words;
  return (collectionVerbs[method] ?? '') + names.join('');
}

const pascal = (segment: string) => segment.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

const singular = (word: string) =>
  word
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/(?<!s)s$/, '');
