import type { Network } from './network.ts';

const retentionMs = 24 * 3_600_000;

interface SavedResponse {
  request: string;
  status: number;
  body: string;
}

/** The response to the same Idempotency-Key within the last day. */
export function findResponse(network: Network, installation: number, directory: string, key: string) {
  return network.sql.one<SavedResponse>(
    `select request, status, body from answers
     where installation = ? and directory = ? and key = ? and answered_at > ?`,
    installation,
    directory,
    key,
    network.now() - retentionMs,
  );
}

export function saveResponse(
  network: Network,
  installation: number,
  directory: string,
  key: string,
  response: SavedResponse,
): void {
  const now = network.now();
  network.sql.run('delete from answers where answered_at <= ?', now - retentionMs);
  network.sql.run(
    'insert or replace into answers values (?, ?, ?, ?, ?, ?, ?)',
    installation,
    directory,
    key,
    response.request,
    response.status,
    response.body,
    now,
  );
}
