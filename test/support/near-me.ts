import { expect } from 'vitest';
import type { ListingProfile } from '../../src/modules/directories/connector.ts';
import { TestApi, type TestPartner } from './api.ts';
import { bakery } from './locations.ts';
import { startSandbox } from './sandbox.ts';
import { SandboxScene } from './sandbox-scene.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
type ApiResponse = any;

interface ReportAccess {
  id: number;
  token: string;
}

export class NearMeScene extends SandboxScene {
  #businesses = 0;

  static async open(): Promise<NearMeScene> {
    const api = await TestApi.start({ WAYPOST_RATE_LIMIT: '100000', WAYPOST_NEAR_ME_REPORTS_PER_VISITOR: '10000' });
    return new NearMeScene({ api, sandbox: await startSandbox() });
  }

  /** A unique business, as a visitor enters it. */
  business(overrides: object = {}) {
    const number = ++this.#businesses;
    const word = (2 ** 20 + number * 7919).toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'.charAt(Number(digit)));
    return {
      name: `${word} ${word.split('').toReversed().join('')}`,
      streetAndNo: `${word}gasse ${number}`,
      zip: '50823',
      city: 'Köln',
      country: 'DE',
      categoryId: bakery,
      phone: `+49221952${String(4300 + number).padStart(4, '0')}`,
      ...overrides,
    };
  }

  /** A sandbox listing of the business with separate street and number, and opening hours. */
  addDirectoryListing(
    directory: string,
    business: ReturnType<NearMeScene['business']>,
    {
      claim = 'CLAIMED_BY_OTHERS',
      ...changes
    }: { claim?: 'CLAIMABLE' | 'CLAIMED_BY_OTHERS' } & Partial<ListingProfile> = {},
  ) {
    const { name, streetAndNo, zip, city, country, phone } = business;
    const [, street = '', streetNo = ''] = /^(.*) (\d+)$/.exec(streetAndNo) ?? [];
    const profile = {
      name,
      street,
      streetNo,
      zip,
      city,
      country,
      phone,
      website: 'https://found.example/',
      categories: ['Bakery'],
      openingHours: [{ dayOfWeek: 1, from1: '08:00', to1: '18:00' }],
      ...changes,
    };
    return this.control.addListing(directory, profile, { claim });
  }

  async requestReport(
    { partner }: TestPartner,
    business: object,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    return this.api.call('POST', '/api/report', business, { publicKey: partner.publicKey, ...headers });
  }

  async startReport(partner: TestPartner, business: object): Promise<ReportAccess> {
    const { code, body } = await this.requestReport(partner, business);
    expect(body, 'the report was started').toMatchObject({ status: 'SUCCESS' });
    expect(code).toBe(200);
    return body.response;
  }

  read({ id, token }: ReportAccess, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.api.call('GET', `/api/report/${id}?token=${token}`, undefined, headers);
  }

  page(access: ReportAccess): Promise<ApiResponse> {
    return this.read(access, { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' });
  }

  /** Runs all jobs and returns the completed report. */
  async finish(access: ReportAccess): Promise<ApiResponse> {
    await this.runJobs();
    return (await this.read(access)).body.response;
  }
}

export const directoryIn = (report: ApiResponse, type: string): ApiResponse =>
  report.directories.find((entry: ApiResponse) => entry.directoryType === type);
