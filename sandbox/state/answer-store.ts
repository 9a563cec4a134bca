import type { Network } from './network.ts';

const keptMs = 24 * 3_600_000;

interface KeptAnswer {
  request: string;
  status: number;
  body: string;
}

/** What was answered to the same Idempotency-Key within the last day. */
export function keptAnswer(network: Network, installation: number, directory: string, key: string) {
  return network.sql.one<KeptAnswer>(
    `select request, status, body from answers
     where installation = ? and directory = ? and key = ? and answered_at > ?`,
    installation,
    directory,
    key,
    network.now() - keptMs,
  );
}

export function keepAnswer(
  network: Network,
  installation: number,
  directory: string,
  key: string,
  answer: KeptAnswer,
): void {
  const now = network.now();
  network.sql.run('delete from answers where answered_at <= ?', now - keptMs);
  network.sql.run(
    'insert or replace into answers values (?, ?, ?, ?, ?, ?, ?)',
    installation,
    directory,
    key,
    answer.request,
    answer.status,
    answer.body,
    now,
  );
}
