import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { buildConsole } from '../../console/build.ts';
import type { Database } from '../../src/database/connection.ts';
import type { Feature, Role } from '../../src/http/access.ts';
import { plainName } from '../../src/http/session-cookie.ts';
import { hasEnded } from '../../src/jobs/tasks/task.ts';
import { findTaskById } from '../../src/jobs/tasks/task-store.ts';
import type { Partner } from '../../src/modules/accounts/partners/partner.ts';
import { createPartner } from '../../src/modules/accounts/partners/partner-store.ts';
import { createUser } from '../../src/modules/accounts/users/change-user.ts';
import { hashPassword } from '../../src/modules/accounts/users/password.ts';
import { endSessions } from '../../src/modules/accounts/users/session-store.ts';
import { startSession } from '../../src/modules/accounts/users/sign-in.ts';
import { findLoginCandidates, type LoginCandidate, usersChannel } from '../../src/modules/accounts/users/user-store.ts';
import { requestDemoData } from '../../src/modules/demo/demo-task.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { openTab, type Tab, type ViewOptions } from './browser.ts';
import { openBrowser } from './chromium.ts';
import { configFor } from './data-folder.ts';
import { createTestDatabase } from './database.ts';

export interface ConsoleUser {
  id: number;
  email: string;
  password: string;
}

interface UserInput {
  role: Role;
  name?: string;
  email?: string;
  features?: Feature[];
  businessIds?: number[];
  locationIds?: number[];
}

/**
 * The whole service as it runs, worker and jobs included, over a database of its own, with the console as built and a
 * real browser before it. One for each test file.
 */
export class ConsoleScene {
  readonly service: Service;
  readonly baseUrl: string;
  readonly partner: Partner;
  readonly privateKey: string;
  readonly browser: Browser;
  readonly #cleanUp: () => Promise<void>;

  private constructor(parts: {
    service: Service;
    baseUrl: string;
    partner: Partner;
    privateKey: string;
    browser: Browser;
    cleanUp: () => Promise<void>;
  }) {
    this.service = parts.service;
    this.baseUrl = parts.baseUrl;
    this.partner = parts.partner;
    this.privateKey = parts.privateKey;
    this.browser = parts.browser;
    this.#cleanUp = parts.cleanUp;
  }

  /** Without directories unless WAYPOST_SANDBOX is on; webhooks may reach this machine. */
  static async start(settings: NodeJS.ProcessEnv = {}): Promise<ConsoleScene> {
    await buildConsole();
    const database = await createTestDatabase();
    const config = configFor(database, {
      PORT: '0',
      DATABASE_URL: database.url,
      WAYPOST_DEMO: 'off',
      WAYPOST_SANDBOX: 'off',
      WAYPOST_ALLOW_TARGETS: '127.0.0.0/8,::1/128',
      WAYPOST_REQUIRE_HTTPS: 'off',
      WAYPOST_RATE_LIMIT: '100000',
      ...settings,
    });
    const service = await startService(config, { serve: true, work: true }, pino({ level: 'silent' }));
    const browser = await openBrowser();
    const { partner, privateKey } = await createPartner(service.database.pool, service.sealer, {
      identifier: `harbour-${randomBytes(3).toString('hex')}`,
      name: 'Harbour Coffee Group',
    });
    const cleanUp = async () => {
      await browser.close();
      await service.stop();
      await database.close();
    };
    return new ConsoleScene({ service, baseUrl: service.baseUrl ?? '', partner, privateKey, browser, cleanUp });
  }

  get database(): Database {
    return this.service.database;
  }

  close(): Promise<void> {
    return this.#cleanUp();
  }

  async addUser({ email, ...wanted }: UserInput): Promise<ConsoleUser> {
    const password = randomBytes(9).toString('base64url');
    const address = email ?? `${wanted.role.toLowerCase()}-${randomBytes(3).toString('hex')}@example.com`;
    const actor = { partner: this.partner, by: 'PRIVATE_TOKEN' };
    const hash = await hashPassword(password);
    const { id } = await this.database.transaction((sql) =>
      createUser(sql, actor, { ...wanted, email: address }, hash),
    );
    return { id, email: address, password };
  }

  /** The API with the partner's key, to bring things about; answers the envelope's response. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async call(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await fetch(this.baseUrl + path, {
      method,
      headers: { privateKey: this.privateKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const envelope = JSON.parse(await answer.text());
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${envelope.message}`);
    return envelope.response;
  }

  /**
   * Locations of three businesses with listings, reviews and insights, made by the service itself. The scene must have
   * been started with WAYPOST_SANDBOX on (and WAYPOST_SANDBOX_LIFE off, for nothing to happen by itself).
   */
  async createDemoData(locations = 6): Promise<void> {
    const { task } = await this.database.transaction((transaction) =>
      requestDemoData(transaction, this.partner, { locations, seed: '1' }),
    );
    for (;;) {
      const now = await findTaskById(this.database.pool, task.id);
      if (now && hasEnded(now)) return expect(now.status).toBe('FINISHED');
      await sleep(250);
    }
  }

  openTab(look?: ViewOptions): Promise<Tab> {
    return openTab(this.browser, this.baseUrl, look);
  }

  /**
   * A tab in which somebody is logged in already, at an address inside the console such as /settings/users. Not by the
   * form, for the log-ins of an address are counted.
   */
  async openAs(
    { email }: Pick<ConsoleUser, 'email'>,
    path = '/',
    look?: ViewOptions,
    prepare?: (page: Page) => void,
  ): Promise<Tab> {
    const [candidate] = (await findLoginCandidates(this.database.pool, { email })) as [LoginCandidate];
    const session = await this.database.transaction((sql) =>
      startSession(sql, candidate, { lifetimeSeconds: 3600, by: 'password' }),
    );
    const tab = await this.openTab(look);
    await tab.context.addCookies([
      { name: plainName, value: session?.accessToken ?? '', url: this.baseUrl, httpOnly: true, sameSite: 'Strict' },
    ]);
    prepare?.(tab.page);
    await tab.page.goto(`/console${path}`);
    return tab;
  }

  /** As if nobody had done anything for too long. */
  async endSessions({ id }: Pick<ConsoleUser, 'id'>): Promise<void> {
    await this.database.transaction(async (sql) => {
      await endSessions(sql, id);
      sql.notifyAfterCommit(usersChannel);
    });
  }
}

/** Fills in the log-in that is on the screen, and waits for the page behind it. */
export async function signIn(page: Page, { email, password }: Pick<ConsoleUser, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').waitFor();
}
