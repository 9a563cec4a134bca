import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Lowest layer first: a layer imports only from earlier ones. The longest matching prefix of a path is its layer. */
const layers = [
  'problems',
  'json-schema',
  'schema-errors',
  'breaker',
  'text',
  'hook',
  'config',
  'receiver',
  'telemetry/tracing',
  'database',
  'jobs/job',
  'values',
  'storage',
  'telemetry',
  'mail',
  'events/catalogue',
  'events/signing',
  'events/transport',
  'api/versions',
  'http',
  'jobs',
  'events/outbox',
  'events/alerts/review-alerts-job',
  'events/delivery',
  'events/subscriptions',
  'events/alerts',
  'events/log',
  'events/destinations',
  'events',
  'modules/module',
  'modules/directories',
  'modules/accounts',
  'modules/catalog',
  'modules/locations',
  'modules/listings',
  'modules/feedback',
  'modules/publishing',
  'modules/analytics',
  'modules/public',
  'modules/demo',
  'modules/modules',
  'sandbox',
  'api',
  'service',
  'cli',
  'main',
];

/** Modules that a module may import, including types. */
const moduleImports: Record<string, string[]> = {
  directories: [],
  accounts: [],
  catalog: ['accounts', 'directories'],
  locations: ['accounts', 'catalog', 'directories'],
  listings: ['accounts', 'catalog', 'directories', 'locations'],
  feedback: ['accounts', 'catalog', 'directories', 'listings', 'locations'],
  publishing: ['accounts', 'catalog', 'directories', 'listings', 'locations'],
  analytics: ['accounts', 'catalog', 'directories', 'feedback', 'listings', 'locations'],
  public: ['accounts', 'catalog', 'directories', 'feedback', 'listings', 'locations', 'publishing'],
  demo: ['accounts', 'analytics', 'catalog', 'directories', 'feedback', 'listings', 'locations', 'publishing'],
};

const files = globSync(['src/**/*.ts', 'receiver/*.ts', 'sandbox/**/*.ts'], { cwd: root }).filter(
  (file) => !file.endsWith('.test.ts'),
);

// Does not exist before the first `npm run types`.
const generated = 'console/src/api/api-types.ts';

/** Files that a file imports, including dynamic imports. */
function importsOf(file: string): string[] {
  if (file === generated) return [];
  const paths = readFileSync(join(root, file), 'utf8').matchAll(/\b(?:from|import) ?\(?'(\.[^']+)'/g);
  return [...paths].map(([, path = '']) => normalize(join(dirname(file), path))).filter((path) => /\.tsx?$/.test(path));
}

function layerOf(file: string): string {
  const path = file.replace(/^src\//, '').replace(/\.ts$/, '');
  const names = layers.filter((layer) => path === layer || path.startsWith(`${layer}/`));
  return names.sort((a, b) => b.length - a.length)[0] ?? `no layer for ${file}`;
}

const moduleOf = (file: string) => /^src\/modules\/([a-z]+)\//.exec(file)?.[1];

test('a file imports only from its own layer and from layers below it', () => {
  const position = (file: string) => layers.indexOf(layerOf(file));
  expect(files.filter((file) => position(file) < 0)).toEqual([]);
  const violations = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => !(position(imported) >= 0 && position(imported) <= position(file)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(violations).toEqual([]);
});

test('a module uses only the modules of the table, through their index', () => {
  const used = new Map(Object.keys(moduleImports).map((own) => [own, new Set<string>()]));
  const violations: string[] = [];
  for (const file of files) {
    const own = moduleOf(file);
    for (const imported of importsOf(file)) {
      const other = moduleOf(imported);
      if (!other || other === own || file === 'src/modules/modules.ts') continue;
      if (!imported.endsWith(`/${other}/index.ts`)) violations.push(`${file} imports ${imported}`);
      if (own) used.get(own)?.add(other);
    }
    if (own && importsOf(file).includes(`src/modules/${own}/index.ts`))
      violations.push(`${file} imports its own index`);
  }
  expect(violations).toEqual([]);
  const table = [...used].map(([own, others]) => [own, [...others].sort()]);
  expect(Object.fromEntries(table)).toEqual(moduleImports);
});

test('the delivery worker and the outbox do not depend on the API', () => {
  const reached = new Set(['src/events/delivery/worker.ts', 'src/events/outbox/record-event.ts']);
  for (const file of reached) for (const imported of importsOf(file)) reached.add(imported);
  expect([...reached].filter((file) => /^src\/(http|api|modules|service|cli)\b/.test(file))).toEqual([]);
});

/** Compares file dates, which use the clock of the machine. */
const usesProcessClock = ['src/modules/locations/imports/location-import-jobs.ts', 'src/storage/pending-files.ts'];

test('due times use the clock of the database instead of the process', () => {
  const isJobOrDelivery = (file: string) =>
    /^src\/(jobs|events\/(alerts|delivery|log|subscriptions))\/|event-service\.ts$|-jobs?\.ts$/.test(file);
  const found = files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return /new Date\(Date\.now\(\)/.test(text) || (isJobOrDelivery(file) && text.includes('new Date()'));
  });
  expect(found.filter((file) => file.startsWith('src/') && !file.startsWith('src/cli/')).sort()).toEqual(
    usesProcessClock,
  );
});

const consoleFiles = globSync('console/src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.test\.tsx?$/.test(file));

/** The first cycle of imports that is found, as a path from a file back to itself. */
function cycleAmong(all: readonly string[]): string[] {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return [];
    for (const imported of importsOf(file)) {
      const cycle = visit(imported, [...path, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  };
  return all.map((file) => visit(file, [])).find((cycle) => cycle.length > 0) ?? [];
}

test('the console has no import cycle, type imports and lazy imports included', () => {
  expect(consoleFiles.length).toBeGreaterThan(300);
  expect(cycleAmong(consoleFiles)).toEqual([]);
});

/** Imports between page folders, with the reason. Code that more pages need belongs in console/src/parts. */
const pageImports: Record<string, string> = {
  'assets/template-form.tsx imports posts/post-values.ts': 'a template is a draft of a post and has its types',
  'events/event-page.tsx imports webhooks/delivery-drawer.tsx': 'an event shows its deliveries',
  'events/event-page.tsx imports webhooks/webhook-values.ts': 'an event shows its deliveries',
  'listings/field-differences.tsx imports locations/value-text.ts': 'a listing shows fields of its location',
  'listings/sync-many.tsx imports locations/location-values.ts': 'a full sync selects all statuses',
  'locations/location-page.tsx imports listings/location-listings.tsx': 'a location shows its listings',
  'locations/location-page.tsx imports listings/use-location-listings.ts': 'a location shows its listings',
};

test('a page folder of the console imports another one only where the table allows it', () => {
  const folderOf = (file: string) => /^console\/src\/pages\/([a-z]+)\//.exec(file)?.[1];
  const short = (file: string) => file.replace('console/src/pages/', '');
  const found = consoleFiles.flatMap((file) =>
    importsOf(file)
      .filter((imported) => folderOf(file) && folderOf(imported) && folderOf(imported) !== folderOf(file))
      .map((imported) => `${short(file)} imports ${short(imported)}`),
  );
  expect([...new Set(found)].sort()).toEqual(Object.keys(pageImports));
});

test('shared code of the console imports nothing of a page but its texts', () => {
  const shared = consoleFiles.filter((file) => /^console\/src\/(api|parts|shell|texts)\//.test(file));
  const isOfPage = (path: string) => path.startsWith('console/src/pages') && !path.endsWith('-texts.ts');
  const strays = shared.filter((file) => importsOf(file).some(isOfPage));
  expect(strays).toEqual([]);
});
