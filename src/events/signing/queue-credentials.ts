import type { Sealer } from './sealer.ts';

/** User name and password for a broker. A NATS token is a user name without a password. */
export interface QueueCredentials {
  username: string;
  password: string;
}

export const sealQueueCredentials = (sealer: Sealer, { username, password }: QueueCredentials): Buffer =>
  sealer.seal(JSON.stringify({ username, password }));

export const openQueueCredentials = (sealer: Sealer, sealed: Buffer | null): QueueCredentials | undefined =>
  sealed ? JSON.parse(sealer.open(sealed)) : undefined;
