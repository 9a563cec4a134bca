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
  'event-types': { name: 'Event types', description: 'The fifteen event types with their JSON Schemas and examples.' },
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
  versions: { name: 'Versions', description: 'The change record, and the deprecated use of clients.' },
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
