import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Only the owner of a table has statements about it. */
const owners: Record<string, string[]> = {
  database: ['id_checkpoint', 'migrations', 'partner_moves'],
  storage: ['unsettled_files'],
  http: ['audit_trail', 'idempotency_keys'],
  jobs: ['job_workers', 'tasks'],
  service: ['installation'],
  events: [
    'attempts',
    'delivery_queue',
    'events',
    'replays',
    'request_settings',
    'webhook_alert_messages',
    'webhook_alerts',
    'webhook_health',
    'webhook_history',
    'webhook_leases',
    'webhook_statistics',
    'webhooks',
  ],
  'modules/accounts': [
    'deprecated_use',
    'hourly_uses',
    'login_attempts',
    'partner_keys',
    'sales_partners',
    'user_sessions',
    'users',
  ],
  'modules/catalog': ['businesses', 'content_collections', 'content_items', 'content_lists', 'labels', 'product_plans'],
  'modules/locations': ['location_changes', 'location_import_errors', 'locations', 'service_items'],
  'modules/listings': ['listing_submissions', 'listings', 'suggestions'],
  'modules/feedback': [
    'brand_page_discoveries',
    'datapoint_filters',
    'datapoint_replies',
    'datapoints',
    'directory_business_pages',
  ],
  'modules/publishing': ['asset_folders', 'assets', 'social_post_publications', 'social_posts'],
  'modules/analytics': [
    'datapoint_words',
    'exports',
    'feedback_businesses',
    'feedback_deltas',
    'feedback_figures',
    'feedback_keywords',
    'feedback_response_figures',
    'feedback_to_read',
    'feedback_word_figures',
    'feedback_words',
    'home_dismissals',
    'home_finding_counts',
    'home_findings',
    'home_key_metrics',
    'home_location_days',
    'home_locations',
    'home_totals',
    'home_waiting',
    'insight_deltas',
    'insight_figures',
    'insights',
    'keyword_deltas',
    'keyword_figures',
    'listing_deltas',
    'listing_figures',
    'location_deltas',
    'location_figures',
    'search_keywords',
    'visibility_changes',
    'visibility_deltas',
    'visibility_figures',
  ],
  'modules/public': ['near_me_reports', 'near_me_results', 'store_finders'],
};

/** Allowed reads of tables of other owners, with reasons. Writes are never allowed. */
const exceptions: { reason: string; reads: Record<string, string[]> }[] = [
  {
    reason: 'The audit log is shown by the module that owns its readers.',
    reads: { 'modules/accounts/audit/audit-routes.ts': ['audit_trail'] },
  },
  {
    reason: 'A request is authenticated in one statement.',
    reads: { 'modules/accounts/partners/partner-keys.ts': ['product_plans', 'store_finders'] },
  },
  {
    reason: 'Events are recorded, sent and shown with the identifier and keys of their partner, in one statement.',
    reads: {
      'events/alerts/alert-store.ts': ['sales_partners'],
      'events/delivery/target.ts': ['partner_keys'],
      'events/log/delivery-store.ts': ['sales_partners'],
      'events/log/event-store.ts': ['sales_partners'],
      'events/log/replay-candidates.ts': ['sales_partners'],
      'events/log/sent-request-store.ts': ['partner_keys'],
      'events/log/delivery-routes.ts': ['sales_partners'],
      'events/outbox/record-event.ts': ['sales_partners'],
      'events/subscriptions/webhook-store.ts': ['sales_partners'],
    },
  },
  {
    reason: 'A batch of rows is taken with the identifier of its partner, which its events carry.',
    reads: {
      'modules/locations/location-figures.ts': ['sales_partners'],
      'modules/locations/location-store.ts': ['sales_partners'],
      'modules/locations/location-status-store.ts': ['sales_partners'],
      'modules/listings/listing-progress.ts': ['locations', 'sales_partners'],
      'modules/feedback/brand-pages/brand-page-store.ts': ['sales_partners'],
      'modules/feedback/brand-pages/brand-page-jobs.ts': ['businesses'],
    },
  },
  {
    reason: 'A business is locked before its brand pages; those of deleted businesses are found in one statement.',
    reads: { 'modules/feedback/brand-pages/brand-page-store.ts': ['businesses'] },
  },
  {
    reason: 'Lists are filtered by properties of the location and of its labels before they are paged.',
    reads: {
      'modules/listings/listing-routes.ts': ['locations'],
      'modules/feedback/datapoints/inbox-store.ts': ['labels', 'locations'],
      'modules/publishing/social-posts/publication-store.ts': ['listings', 'locations'],
      'modules/publishing/social-posts/social-post-store.ts': ['locations'],
    },
  },
  {
    reason: 'Records whose only existing label is to be deleted are found in one statement.',
    reads: {
      'modules/public/store-finder/store-finder.ts': ['labels'],
      'modules/publishing/assets/asset-targets.ts': ['labels'],
    },
  },
  {
    reason: 'A collection is counted as used by locations that are not deleted, in one statement.',
    reads: { 'modules/catalog/content/content-list-store.ts': ['locations'] },
  },
  {
    reason: 'Locations of all partners are searched by the address and phone of a directory listing, in one statement.',
    reads: { 'modules/listings/other-locations.ts': ['locations'] },
  },
  {
    reason: 'The location is locked and read in the statement that writes its datapoints.',
    reads: { 'modules/feedback/datapoints/check-store.ts': ['locations'] },
  },
  {
    reason:
      'Figures are computed in the database from the rows of other modules; reading them out would be slower by far.',
    reads: {
      'modules/analytics/dashboard/feedback/feedback-store.ts': ['datapoints'],
      'modules/analytics/dashboard/feedback/keyword-store.ts': ['datapoints'],
      'modules/analytics/dashboard/feedback/feedback-source.ts': ['locations'],
      'modules/analytics/dashboard/insights/insight-warnings.ts': ['listings', 'locations'],
      'modules/analytics/dashboard/health/health-figures.ts': ['listings', 'locations'],
      'modules/analytics/homepage/home-location-store.ts': ['sales_partners'],
      'modules/analytics/homepage/location-facts.ts': [
        'datapoints',
        'listings',
        'social_post_publications',
        'suggestions',
      ],
      'modules/analytics/homepage/key-metric.ts': ['locations', 'social_post_publications', 'social_posts'],
    },
  },
];

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const tables = new Map(Object.entries(owners).flatMap(([owner, names]) => names.map((name) => [name, owner] as const)));

test('every table has one owner', () => {
  const created = [...read('src/database/schema.sql').matchAll(/^create (?:unlogged )?table ([a-z_]+)/gim)];
  expect([...tables.keys()].sort()).toEqual(created.map(([, name]) => name).sort());
});

test('a statement names only tables of its module, or is an exception with a reason', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const foreign = files.flatMap((file) => {
    const text = read(file);
    const inSql = [...text.matchAll(/\b(?:from|join|into|update)\s+(?:only\s+)?([a-z_]+)\b/g)];
    const inBuilder = [
      ...text.matchAll(/\b(?:selectFrom|[a-z]+Join|insertInto|updateTable|deleteFrom|using)\(\[?\s*'(\w+)/g),
    ];
    const names = [...inSql, ...inBuilder].map(([, name = '']) => snakeCase(name));
    const used = new Set(names.filter((name) => tables.has(name)));
    return [...used].flatMap((name) =>
      file.startsWith(`src/${tables.get(name)}/`) ? [] : [`${file.slice(4)} ${name}`],
    );
  });
  const allowed = exceptions.flatMap(({ reads }) =>
    Object.entries(reads).flatMap(([file, names]) => names.map((name) => `${file} ${name}`)),
  );
  expect(foreign.sort()).toEqual(allowed.sort());
});

/** Statements on private tables of graphile-worker, which has no function for them (decision 77). */
const usesPrivateTables = [
  'src/jobs/presence.ts',
  'src/jobs/tasks/task-store.ts',
  'src/service/partner-move/moved-jobs.ts',
];

test('only the files of decision 77 use private tables of graphile-worker', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  expect(files.filter((file) => read(file).includes('graphile_worker._private')).sort()).toEqual(usesPrivateTables);
});
