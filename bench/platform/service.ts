import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The API process, as in production. */
export async function startService(databaseUrl: string, masterKey: Buffer, dataDir: string) {
  const port = await freePort();
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../src/main.ts', import.meta.url)), 'serve'], {
    env: {
      ...process.env,
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      WAYPOST_DATA_DIR: join(dataDir, 'service'),
      WAYPOST_MASTER_KEY: masterKey.toString('base64'),
      WAYPOST_DEMO: 'off',
      WAYPOST_SANDBOX: 'off',
      WAYPOST_RATE_LIMIT: '10000000',
      WAYPOST_LOG_LEVEL: 'warn',
      WAYPOST_REQUIRE_HTTPS: 'off',
      WAYPOST_ALLOW_TARGETS: '127.0.0.0/8',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const origin = `http://127.0.0.1:${port}`;
  for (;;) {
    const ready = await fetch(`${origin}/health/ready`).catch(() => undefined);
    if (ready?.ok) break;
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`);
    await pause(100);
  }
  return { origin, stop: () => child.kill('SIGTERM') };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
