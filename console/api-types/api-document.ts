import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { OpenApiDocument } from '../../src/api/openapi/openapi-document.ts';
import { createServer } from '../../src/api/server.ts';
import { newestVersion } from '../../src/api/versions/timeline.ts';
import { readConfig } from '../../src/config.ts';
import { Database } from '../../src/database/connection.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { Sender } from '../../src/events/transport/sender.ts';
import type { Services } from '../../src/http/services.ts';

/** Reads the OpenAPI document from the routes; no database is needed. */
export async function apiDocument(): Promise<OpenApiDocument> {
  const config = readConfig({ WAYPOST_DEMO: 'on' });
  const database = new Database('postgres://nobody@127.0.0.1:1/none', { connections: 1, name: 'api-types' });
  const sender = new Sender({ policy: { allow: [], requireHttps: true }, timeoutMs: 1000, connectionsPerHost: 1 });
  // The other services are not used before the first request.
  const services: Partial<Services> = {
    config,
    database,
    sealer: new Sealer(randomBytes(32)),
    sender,
    log: pino({ level: 'silent' }),
    metrics: new Registry(),
  };
  const server = createServer(services as Services);
  try {
    const response = await server.inject(`/docs/openapi/${newestVersion}.json`);
    return response.json();
  } finally {
    await server.close();
    await sender.close();
    await database.close();
  }
}
