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
  'GET dashboard/search-keywords': 'getSearchKeywords',
  'GET dashboard/suppressed-duplicates': 'getSuppressedDuplicates',
  'DELETE data-points/:id/flag': 'unflagDataPoint',
  'DELETE data-points/:id/like': 'unlikeDataPoint',
  'POST data-points/:id/replies': 'replyToDataPoint',
  'POST directory-business-pages/discover': 'discoverDirectoryBusinessPages',
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
  'POST home/suggestions': 'queryHomeSuggestions',
  'DELETE home/suggestions/dismiss': 'restoreHomeSuggestion',
  'POST home/suggestions/dismiss': 'dismissHomeSuggestion',
  'GET home/suggestions/locations': 'listLocationsOfHomeSuggestion',
  'POST home/suggestions/locations': 'queryLocationsOfHomeSuggestion',
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
  'POST locations/:id/status': 'setLocationStatus',
  'PUT locations/:id/suggestions': 'decideLocationSuggestions',
  'POST locations/data-download': 'createLocationFromDirectory',
  'POST locations/sync': 'syncLocations',
  'GET near-me-check/categories': 'listNearMeCategories',
  'POST report': 'createNearMeReport',
  'GET report/:id': 'getNearMeReport',
  'POST sales-partners/:id/rotate-private-key': 'rotatePrivateKey',
  'POST sales-partners/webhooks/:id/rotate-secret': 'rotateWebhookSecret',
  'GET sales-partners/webhooks/:id/statistics': 'getWebhookStatistics',
  'POST sales-partners/webhooks/check-filter': 'checkWebhookFilter',
  'POST sales-partners/webhooks/check-url': 'checkWebhookUrl',
  'PATCH sales-partners/webhooks/destinations': 'updateWebhookDestination',
  'DELETE sales-partners/webhooks/destinations': 'deleteWebhookDestination',
  'POST sales-partners/webhooks/destinations/rotate-secret': 'rotateWebhookDestinationSecret',
  'DELETE sandbox/directories/:type/outage': 'endSandboxOutage',
  'PUT sandbox/directories/:type/outage': 'beginSandboxOutage',
  'POST social-ai/generate-content': 'generateSocialContent',
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

/** `getLocation`, `listLocations`, `createLocation`, `listLocationSuggestions`, `syncLocation`. */
export function operationName(method: string, path: string): string {
  const below = path.replace(/^\/api\//, '');
  const exception = exceptions[`${method} ${below}`];
  if (exception) return exception;
  const segments = below.replace(groups, '').split('/');
  const isItem = segments.at(-1)?.startsWith(':') ?? false;
  const words = segments.flatMap((segment, index) => {
    if (segment.startsWith(':')) return [];
    const word = pascal(segment);
    return index < segments.length - 1 ? [singular(word)] : [word];
  });
  const last = words.at(-1) ?? '';
  if (isItem) return (method === 'PATCH' ? 'update' : method.toLowerCase()) + words.join('');
  // A singular segment after an id is an action.
  const isAction = method === 'POST' && segments.at(-2)?.startsWith(':') && !isPlural(last);
  if (isAction) return last.charAt(0).toLowerCase() + last.slice(1) + words.slice(0, -1).join('');
  if (method === 'GET') return (isPlural(last) ? 'list' : 'get') + words.join('');
  const names = method === 'POST' ? [...words.slice(0, -1), singular(last)] : words;
  return (collectionVerbs[method] ?? '') + names.join('');
}

const pascal = (segment: string) => segment.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

const isPlural = (word: string) => /[^s]s$/.test(word);

const singular = (word: string) =>
  word
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/(?<!s)s$/, '');

/** Tags by the first segment of the path. */
const tags: Readonly<Record<string, { name: string; description: string }>> = {
  'audit-trail': { name: 'Audit trail', description: 'Who changed what, with the values before and after.' },
  businesses: { name: 'Businesses', description: 'Businesses own locations and have a product plan.' },
  categories: { name: 'Categories', description: 'The tree of categories for locations.' },
  checkout: { name: 'Locations', description: '' },
  'content-collections': { name: 'Content', description: 'Collections of content items that locations show.' },
  dam: { name: 'Assets', description: 'Digital assets: images, videos and documents in folders.' },
  dashboard: {
    name: 'Dashboard',
    description: 'Figures about feedback, insights, listings and profiles, with Excel exports.',
  },
  'dashboard-exports': { name: 'Dashboard', description: '' },
  'data-points': {
    name: 'Data points',
    description: 'Reviews, photos, questions and other feedback, and replies to them.',
  },
  deliveries: { name: 'Events and deliveries', description: '' },
  'demo-data': { name: 'Sandbox', description: '' },
  'deprecated-use': { name: 'Versions', description: '' },
  directories: {
    name: 'Directories',
    description: 'The directories that locations can be listed on, and what each supports.',
  },
  'directory-business-pages': {
    name: 'Brand pages',
    description: 'Pages of a business, not of a location, on directories.',
  },
  'event-types': { name: 'Event types', description: 'The event types with their JSON Schemas and examples.' },
  events: {
    name: 'Events and deliveries',
    description: 'Recorded events, their deliveries to each webhook, and why an event was or was not delivered.',
  },
  features: { name: 'Users', description: '' },
  home: { name: 'Home', description: 'Key metrics, scores, ranks, tasks and suggestions of the homepage.' },
  labels: { name: 'Labels', description: 'Labels that group locations.' },
  listings: {
    name: 'Listings',
    description: 'Locations on directories: claim, flow and sync status, fields and submissions.',
  },
  'location-imports': {
    name: 'Location imports',
    description: 'CSV uploads of locations with an error report by row.',
  },
  locations: { name: 'Locations', description: 'Locations with their profile, status, content, suggestions and sync.' },
  'near-me-check': {
    name: 'Near-me check',
    description: 'Listings of any business on the directories, without an account.',
  },
  'product-plans': { name: 'Product plans', description: 'Plans of businesses: price, directories and features.' },
  report: { name: 'Near-me check', description: '' },
  'sales-partners': { name: 'Sales partners', description: 'Partners, child partners and their keys.' },
  sandbox: { name: 'Sandbox', description: 'Demo mode: simulate events on the sandbox directories.' },
  'social-ai': { name: 'Social posts', description: '' },
  'social-posts': {
    name: 'Social posts',
    description: 'Posts, offers and events on directories, with approval and publication.',
  },
  'social-templates': { name: 'Assets', description: '' },
  'store-finders': { name: 'Store finder', description: 'Store finders and their public endpoints for websites.' },
  tasks: { name: 'Tasks', description: 'Long-running tasks with progress; they can be cancelled.' },
  users: {
    name: 'Users',
    description: 'Users with roles, features and access to businesses and locations; sign-in and sessions.',
  },
  versions: { name: 'Versions', description: 'The changelog, and the deprecated use of clients.' },
};

const webhooksTag = {
  name: 'Webhooks',
  description: 'Subscriptions of a URL to an event type: create, test, rotate the secret, replay events, statistics.',
};

export function tagOf(path: string): string {
  const isAboutWebhooks = path.startsWith('/api/sales-partners/webhooks') || path.endsWith('/subscribable-event-types');
  return isAboutWebhooks ? webhooksTag.name : partOf(path).name;
}

/** Falls back to the path for an unknown segment. */
function partOf(path: string): { name: string; description: string } {
  const [, , segment = ''] = path.split('/');
  const name = segment.charAt(0).toUpperCase() + segment.slice(1).replaceAll('-', ' ');
  return tags[segment] ?? { name, description: `Everything under /api/${segment}.` };
}

/** The tags of the paths, sorted by name. */
export function tagList(paths: readonly string[]): { name: string; description: string }[] {
  const used = new Set(paths.map(tagOf));
  const known = [...Object.values(tags), ...paths.map(partOf), webhooksTag];
  const described = known.filter(({ name, description }) => description !== '' && used.has(name));
  return [...new Map(described.map((tag) => [tag.name, tag])).values()].sort((a, b) => a.name.localeCompare(b.name));
}
