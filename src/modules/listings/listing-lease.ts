import { randomUUID } from 'node:crypto';
import type { Sql } from '../../database/connection.ts';
import { processId } from '../../database/process-id.ts';
import type { Transaction } from '../../database/transaction.ts';
import type { Listing } from './listing.ts';
import { listingColumns } from './listing-store.ts';

/**
 * Whoever speaks with a directory about a listing holds its lease meanwhile, so that no two processes do at once. No
 * transaction stays open for it. The lease of a process that dies is released with its jobs.
 */
export interface Lease {
  listing: Listing;
  token: string;
}

/** Longer than any conversation with a directory takes. */
const leaseSeconds = 180;

/** Nothing when somebody else holds it, or when there is no such listing. */
export async function leaseListing(sql: Sql, id: number): Promise<Lease | undefined> {
  const token = randomUUID();
  const { rows } = await sql.query<Listing>({
    name: 'lease-listing',
    text: `update listings set lease_until = now() + make_interval(secs => ${leaseSeconds}), lease_token = $2,
             lease_process = $3
           where id = $1 and (lease_until is null or lease_until < now())
           returning ${listingColumns}`,
    values: [id, token, processId],
  });
  return rows[0] && { listing: rows[0], token };
}

/** The listing as it is now, locked; nothing when the lease has passed on, and with it the right to write. */
export async function holdLeased(transaction: Transaction, { listing, token }: Lease): Promise<Listing | undefined> {
  const { rows } = await transaction.query<Listing>({
    name: 'hold-leased-listing',
    text: `select ${listingColumns} from listings where id = $1 and lease_token = $2 for update`,
    values: [listing.id, token],
  });
  return rows[0];
}

export async function releaseListing(sql: Sql, { listing, token }: Lease): Promise<void> {
  await sql.query({
    name: 'release-listing',
    text: 'update listings set lease_until = null, lease_token = null where id = $1 and lease_token = $2',
    values: [listing.id, token],
  });
}

/** Releases the leases of processes that have died. */
export async function releaseListingsOf(sql: Sql, processIds: readonly number[]): Promise<void> {
  await sql.query(
    'update listings set lease_until = null, lease_token = null where lease_process = any ($1) and lease_until > now()',
    [processIds],
  );
}
