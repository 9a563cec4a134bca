import { pino } from 'pino';
import { expect } from 'vitest';
import type { JobContext } from '../../src/jobs/job.ts';
import { runExport } from '../../src/modules/analytics/exports/export-jobs.ts';
import type { FileStore } from '../../src/storage/file-store.ts';
import type { TestApi, TestPartner } from './api.ts';
import type { TestUser } from './users.ts';

export interface DownloadedFile {
  code: number;
  headers: Headers;
  bytes: Buffer;
}

const authHeaders = (by: TestPartner | TestUser): Record<string, string> =>
  'privateKey' in by ? { privateKey: by.privateKey } : { accessToken: by.accessToken };

export async function download(api: TestApi, by: TestPartner | TestUser, path: string): Promise<DownloadedFile> {
  const response = await fetch(new URL(path, `http://127.0.0.1:${api.port}`), { headers: authHeaders(by) });
  return { code: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Downloads a file and expects 200. */
export async function downloadFile(api: TestApi, by: TestPartner | TestUser, path: string): Promise<Buffer> {
  const { code, bytes } = await download(api, by, path);
  expect(code, code === 200 ? '' : bytes.toString()).toBe(200);
  return bytes;
}

/** Job context for exports, by default with the file store of the API. */
export const exportContext = (
  { services }: TestApi,
  files: FileStore = services.files,
  signal: AbortSignal = new AbortController().signal,
): JobContext => ({
  ...services,
  files,
  signal,
  directories: { list: [], connector: () => Promise.reject(new Error('No directories.')) as never },
  log: pino({ level: 'silent' }),
});

/** Requests an export, runs it and returns its id. */
export async function addExport(api: TestApi, by: TestPartner, path: string, input: object = {}): Promise<number> {
  const { body } = await by.call('POST', path, input);
  expect(body).toMatchObject({ status: 'SUCCESS' });
  await runExport.run({ taskId: body.response.id }, exportContext(api));
  return body.response.id;
}

interface ListingIds {
  partnerId: number;
  businessId: number;
  locationId: number;
  listingId: number;
}

let reviews = 0;

/** Inserts a review, by default without a reply. */
export async function addReview(
  { database }: TestApi,
  { partnerId, businessId, locationId, listingId }: ListingIds,
  { day, rating, repliedAfterHours }: { day: string; rating: number; repliedAfterHours?: number },
): Promise<void> {
  const at = new Date(`${day}T10:00:00Z`);
  const repliedAt = repliedAfterHours === undefined ? null : new Date(at.getTime() + repliedAfterHours * 3_600_000);
  await database.pool.query(
    `insert into datapoints (partner_id, business_id, location_id, listing_id, directory_type, external_id, type, author,
       rating, action_date, thread_action_date, owner_replied_at, fingerprint)
     values ($1, $2, $3, $4, 'GOOGLE', $5, 'REVIEW', 'Anna', $6, $7, $7, $8, '')`,
    [partnerId, businessId, locationId, listingId, `export-review-${++reviews}`, rating, at, repliedAt],
  );
}
