import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createServer } from '../../src/api/server.ts';
import type { Database } from '../../src/database/connection.ts';
import { Sealer } from '../../src/events/signing/sealer.ts';
import { Sender } from '../../src/events/transport/sender.ts';
import type { Services } from '../../src/http/services.ts';
import type { Partner } from '../../src/modules/accounts/partners/partner.ts';
import { createPartner } from '../../src/modules/accounts/partners/partner-store.ts';
import { type Directories, openDirectories, pageFinder } from '../../src/modules/directories/open-directories.ts';
import { openFileStore } from '../../src/storage/open-file-store.ts';
import { logOptions } from '../../src/telemetry/logger.ts';
import { configFor } from './data-folder.ts';
import { createTestDatabase } from './database.ts';
import { validateResponses } from './documented-responses.ts';

export interface ApiResponse {
  code: number;
  headers: Headers;
  // Tests read responses of any shape.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
}

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string | undefined>,
) => Promise<ApiResponse>;

export interface TestPartner {
  partner: Partner;
  privateKey: string;
  call: Call;
}

/** The API over HTTP with its own database. Every response is validated against the OpenAPI document of its version. */
export class TestApi {
  readonly services: Services;
  readonly server: FastifyInstance;
  readonly database: Database;
  readonly logLines: Record<string, unknown>[];
  #partners = 0;

  private constructor(services: Services, logLines: Record<string, unknown>[]) {
    this.services = services;
    this.database = services.database;
    this.logLines = logLines;
    this.server = createServer(services);
    validateResponses(this.server);
  }

  static async start(
    env: NodeJS.ProcessEnv = {},
    database?: Database,
    directories?: Directories,
    sandbox?: Services['sandbox'],
    sealer = new Sealer(randomBytes(32)),
  ): Promise<TestApi> {
    const ownDatabase = database ?? (await createTestDatabase());
    const config = configFor(ownDatabase, env);
    const logLines: Record<string, unknown>[] = [];
    const services: Services = {
      config,
      database: ownDatabase,
      sealer,
      sender: new Sender({
        policy: { allow: config.allowTargets, requireHttps: config.requireHttps },
        timeoutMs: config.deliveryTimeoutMs,
        connectionsPerHost: config.hostConcurrency,
      }),
      files: openFileStore(config),
      log: pino(logOptions(config), collectInto(logLines)),
      metrics: new Registry(),
      pages: pageFinder(directories ?? openDirectories(config, undefined)),
      ...(sandbox && { sandbox }),
    };
    const api = new TestApi(services, logLines);
    await api.server.listen({ port: 0, host: '127.0.0.1' });
    return api;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  call: Call = async (method, path, body, headers = {}) => {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    const allHeaders = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: Object.fromEntries(Object.entries(allHeaders).filter(([, value]) => value !== undefined)) as Record<
        string,
        string
      >,
      ...(body !== undefined && { body: isText ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return { code: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };

  async addPartner(parent?: TestPartner): Promise<TestPartner> {
    const identifier = `partner-${++this.#partners}`;
    const created = await createPartner(this.database.pool, this.services.sealer, {
      identifier,
      name: `Partner ${this.#partners}`,
      ...(parent && { parentId: parent.partner.id }),
    });
    const call: Call = (method, path, body, headers) =>
      this.call(method, path, body, { privateKey: created.privateKey, ...headers });
    return { ...created, call };
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.services.sender.close();
    await this.services.files.close();
    await this.database.close();
  }
}

function collectInto(lines: Record<string, unknown>[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
}
