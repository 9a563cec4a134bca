import type { Network } from './network.ts';

const retentionMs = 24 * 3_600_000;

/** A request with an Idempotency-Key. */
interface KeyedRequest {
  installation: number;
  directory: string;
  key: string;
}

interface SavedResponse {
  request: string;
  status: number;
  body: string;
}

/** The response to the same Idempotency-Key within the last day. */
export function findResponse(network: Network, { installation, directory, key }: KeyedRequest) {
  return network.sql.one<SavedResponse>`
    select request, status, body from answers
    where installation = ${installation} and directory = ${directory} and key = ${key}
      and answered_at > ${network.now() - retentionMs}`;
}

export function saveResponse(network: Network, keyed: KeyedRequest, response: SavedResponse): void {
  const now = network.now();
  network.sql.run`delete from answers where answered_at <= ${now - retentionMs}`;
  network.sql.replace('answers', { ...keyed, ...response, answeredAt: now });
}
