// Uses the embedded server of the data folder in its first argument until it is stopped.
import { pino } from 'pino';
import { startEmbeddedServer } from '../../src/database/embedded-server.ts';

const server = await startEmbeddedServer({
  dataDir: process.argv[2] as string,
  log: pino({ level: 'silent' }),
  settings: { fsync: 'off' },
});
process.send?.({ url: server.url, owned: server.owned });
process.once('message', async () => {
  await server.stop();
  process.disconnect?.();
});
