import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** The rooms of the house from the ground up, and what each may import. A room imports only from rooms above it here. */
const rooms: Record<string, string[]> = {
  version: [],
  problems: [],
  text: [],
  config: [],
  receiver: [],
  database: [],
  storage: ['config', 'database'],
  telemetry: ['config', 'database'],
  'events/catalogue': [],
  'events/signing': [],
  'events/transport': [],
  'api/versions': ['problems'],
  http: ['config', 'database', 'events/signing', 'events/transport', 'problems', 'storage', 'text'],
  'events/outbox': ['config', 'database', 'events/catalogue', 'events/signing', 'http', 'problems'],
  'events/delivery': ['config', 'database', 'events/outbox', 'events/signing', 'events/transport', 'telemetry'],
  'events/subscriptions': [
    'database',
    'events/catalogue',
    'events/delivery',
    'events/outbox',
    'events/signing',
    'events/transport',
    'http',
    'problems',
  ],
  'events/log': [
    'database',
    'events/catalogue',
    'events/delivery',
    'events/outbox',
    'events/signing',
    'events/subscriptions',
    'events/transport',
    'http',
    'problems',
    'version',
  ],
  platform: [
    'api/versions',
    'config',
    'database',
    'events/catalogue',
    'events/outbox',
    'events/signing',
    'events/subscriptions',
    'http',
    'problems',
    'storage',
    'text',
  ],
  product: ['config', 'database', 'events/signing', 'http', 'platform', 'problems', 'storage', 'text'],
  sandbox: [],
  jobs: ['database', 'events/log', 'http', 'platform', 'product', 'storage'],
  api: [
    'api/versions',
    'config',
    'database',
    'events/catalogue',
    'events/log',
    'events/outbox',
    'events/signing',
    'events/subscriptions',
    'http',
    'platform',
    'problems',
    'product',
  ],
  service: [
    'api',
    'config',
    'database',
    'events/catalogue',
    'events/delivery',
    'events/signing',
    'events/subscriptions',
    'events/transport',
    'http',
    'jobs',
    'platform',
    'problems',
    'product',
    'storage',
    'telemetry',
    'text',
    'version',
  ],
  cli: [
    'api/versions',
    'config',
    'database',
    'events/catalogue',
    'events/outbox',
    'platform',
    'problems',
    'product',
    'receiver',
    'service',
    'text',
  ],
  main: ['cli', 'config'],
};

const files = globSync(['src/**/*.ts', 'receiver/*.ts', 'sandbox/**/*.ts'], { cwd: root }).filter(
  (file) => !file.endsWith('.test.ts'),
);

/** The files of this repository that a file imports, also those that it loads only when they are needed. */
function importsOf(file: string): string[] {
  const paths = readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g);
  return [...paths].map(([, path = '']) => normalize(join(dirname(file), path))).filter((path) => path.endsWith('.ts'));
}

/** The longest name in the table that a path begins with. */
function roomOf(file: string): string {
  const path = file.replace(/^src\//, '').replace(/\.ts$/, '');
  const names = Object.keys(rooms).filter((room) => path === room || path.startsWith(`${room}/`));
  return names.sort((a, b) => b.length - a.length)[0] ?? `no room for ${file}`;
}

test('every file belongs to a room and imports only what its room may import', () => {
  const strays = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => roomOf(imported) !== roomOf(file) && !rooms[roomOf(file)]?.includes(roomOf(imported)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(strays).toEqual([]);
});

test('the table is in order: no room imports one that is built upon it, and none may do what it does not', () => {
  const order = Object.keys(rooms);
  for (const [room, may] of Object.entries(rooms)) {
    expect(may.filter((other) => order.indexOf(other) >= order.indexOf(room))).toEqual([]);
    const does = files.filter((file) => roomOf(file) === room).flatMap((file) => importsOf(file).map(roomOf));
    expect({ room, may }).toEqual({ room, may: [...new Set(does)].filter((other) => other !== room).sort() });
  }
});

test('a worker and whoever records an event know nothing of the API', () => {
  const reached = new Set(['src/events/delivery/worker.ts', 'src/events/outbox/record-event.ts']);
  for (const file of reached) for (const imported of importsOf(file)) reached.add(imported);
  expect([...reached].filter((file) => /^src\/(http|api|platform|service|cli)\b/.test(file))).toEqual([]);
});

/** Dates of files are by the clock of their machine, like that of the process. */
const byOwnClock = ['src/jobs/storage-job.ts', 'src/modules/locations/imports/location-import-jobs.ts'];

test('due times are by the clock of the database: none is computed with that of a process', () => {
  const isWork = (file: string) => /^src\/(jobs|events\/(delivery|log|subscriptions))\/|-jobs?\.ts$/.test(file);
  const found = files.filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return /new Date\(Date\.now\(\)/.test(text) || (isWork(file) && text.includes('new Date()'));
  });
  expect(found.filter((file) => file.startsWith('src/') && !file.startsWith('src/cli/')).sort()).toEqual(byOwnClock);
});
