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
import { startSession } from '../../src/modules/accounts/users/session-routes.ts';
import { endSessions } from '../../src/modules/accounts/users/session-store.ts';
import { type FieldGroup, hashPassword } from '../../src/modules/accounts/users/user.ts';
import { findLoginCandidates, type LoginCandidate, usersChannel } from '../../src/modules/accounts/users/user-store.ts';
import { requestDemoData } from '../../src/modules/demo/demo-task.ts';
import { type Service, startService } from '../../src/service/service.ts';
import { openTab, type Tab, type ViewOptions } from './browser.ts';
import { forShortVisits, openBrowser } from './chromium.ts';
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
  fieldGroups?: FieldGroup[];
  businessIds?: number[];
  locationIds?: number[];
}

/** The service with its own database, worker and jobs, the built console and a real browser. One per test file. */
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

  /** Directories require WAYPOST_SANDBOX=on. Webhooks may use loopback URLs. */
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
    const browser = await openBrowser(forShortVisits);
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

  async addUser({ email, ...user }: UserInput): Promise<ConsoleUser> {
    const password = randomBytes(9).toString('base64url');
    const address = email ?? `${user.role.toLowerCase()}-${randomBytes(3).toString('hex')}@example.com`;
    const actor = { partner: this.partner, by: 'PRIVATE_TOKEN' };
    const hash = await hashPassword(password);
    const { id } = await this.database.transaction((sql) => createUser(sql, actor, { ...user, email: address }, hash));
    return { id, email: address, password };
  }

  /** Calls the API with the partner's key and returns `response`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
  async call(method: string, path: string, body?: unknown): Promise<any> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { privateKey: this.privateKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const envelope = JSON.parse(await response.text());
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${envelope.message}`);
    return envelope.response;
  }

  /** Requires WAYPOST_SANDBOX=on. WAYPOST_SANDBOX_LIFE=off disables further simulated activity. */
  async createDemoData(locations = 6): Promise<void> {
    const { task } = await this.database.transaction((transaction) =>
      requestDemoData(transaction, this.partner, { locations, seed: '1' }),
    );
    for (;;) {
      const current = await findTaskById(this.database.pool, task.id);
      if (current && hasEnded(current)) return expect(current.status).toBe('FINISHED');
      await sleep(250);
    }
  }

  /** Waits for checks and submissions of a listing that are running or due soon. */
  async noWork({ id, locationId }: { id: number; locationId: number }): Promise<void> {
    const pending = () =>
      this.database.pool.query(
        `select from graphile_worker.jobs where key ~ $1 and run_at < now() + interval '1 minute'
         union all select from listings where id = $2 and lease_until > now()`,
        [`^listings\\.((check|submit)-${id}|(check-location|location-changed)-${locationId})(-|$)`, id],
      );
    while ((await pending()).rows.length > 0) await sleep(250);
  }

  openTab(view?: ViewOptions): Promise<Tab> {
    return openTab(this.browser, this.baseUrl, view);
  }

  /** Opens a tab with a session of the user. The sign-in form is not used, because it has a rate limit. */
  async openAs(
    { email }: Pick<ConsoleUser, 'email'>,
    path = '/',
    view?: ViewOptions,
    prepare?: (page: Page) => void,
  ): Promise<Tab> {
    const [candidate] = (await findLoginCandidates(this.database.pool, { email })) as [LoginCandidate];
    const session = await this.database.transaction((sql) =>
      startSession(sql, candidate, { lifetimeSeconds: 3600, by: 'password' }),
    );
    const tab = await this.openTab(view);
    await tab.context.addCookies([
      { name: plainName, value: session?.accessToken ?? '', url: this.baseUrl, httpOnly: true, sameSite: 'Strict' },
    ]);
    prepare?.(tab.page);
    await tab.page.goto(`/console${path}`);
    return tab;
  }

  /** Simulates expired sessions of the user. */
  async endSessions({ id }: Pick<ConsoleUser, 'id'>): Promise<void> {
    await this.database.transaction(async (sql) => {
      await endSessions(sql, id);
      sql.notifyAfterCommit(usersChannel);
    });
  }
}

/** Submits the sign-in form and waits for the page. */
export async function signIn(page: Page, { email, password }: Pick<ConsoleUser, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').waitFor();
}
