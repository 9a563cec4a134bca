import { mkdtemp, rm } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import pino from 'pino';
import { randomBytes } from 'node:crypto';
const root = '/work/main/';
const { startEmbeddedServer } = await import(root + 'src/database/embedded-server.ts');
const { Database } = await import(root + 'src/database/connection.ts');
const { migrate } = await import(root + 'src/database/migrate.ts');
const { createPartner } = await import(root + 'src/platform/partners/create-partner.ts');
const { Sealer } = await import(root + 'src/events/signing/sealer.ts');
const { importRate } = await import(root + 'bench/platform/csv.ts');
const folder = await mkdtemp('/tmp/g/db-');
const server = await startEmbeddedServer({ dataDir: folder, log: pino({ level: 'warn' }) });
const database = new Database(server.url, { connections: 4, name: 'x' });
await migrate(database);
await runMigrations({ connectionString: server.url });
const { partner } = await createPartner(database.pool, new Sealer(randomBytes(32)), { identifier: 'b', name: 'B' });
import { readFileSync } from 'node:fs'; import { execSync } from 'node:child_process';
const pm = Number(readFileSync(execSync(`find ${folder} -name postmaster.pid`).toString().trim(),'utf8').split('\n')[0]);
const cpu = () => { const f = readFileSync(`/proc/${pm}/stat`,'utf8').split(') ')[1].split(' '); return (Number(f[13])+Number(f[14]))/100; };
const c0 = cpu();
try { console.log(await importRate(database, partner, process.argv.slice(2).map(Number))); }
finally { console.log('pg cpu s', cpu()-c0); const f = readFileSync('/proc/self/stat','utf8').split(') ')[1].split(' '); console.log('child cpu s', (Number(f[13])+Number(f[14]))/100); await database.close(); await server.stop(); await rm(folder, { recursive: true, force: true }); }
