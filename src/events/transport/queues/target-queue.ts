import { createHash } from 'node:crypto';
import type { ClientIdentity } from '../../signing/client-certificate.ts';
import type { QueueCredentials } from '../../signing/queue-credentials.ts';
import { isQueueUrl, parseQueueUrl, type Queue } from './queue-url.ts';

/** The queue of a webhook, with everything that is needed to publish to it. */
export interface TargetQueue extends Queue {
  credentials: QueueCredentials | undefined;
  /** Messages with the same id share a connection. */
  connectionId: string;
}

interface QueueOwner {
  pushUrl: string;
  type: string;
  partnerId: number;
  credentials: QueueCredentials | undefined;
  identity: ClientIdentity | undefined;
}

/** Undefined if the push URL names no queue. */
export function targetQueue({ pushUrl, type, partnerId, credentials, identity }: QueueOwner): TargetQueue | undefined {
  if (!isQueueUrl(pushUrl)) return undefined;
  const queue = parseQueueUrl(pushUrl);
  if ('rule' in queue) return undefined;
  const key = queue.key.replaceAll('{type}', type);
  // A connection to Kafka knows the leaders of one topic.
  const topic = queue.broker === 'kafka' ? key : undefined;
  const parts = [partnerId, pushUrl, topic, credentials?.username, credentials?.password, identity?.id];
  const connectionId = createHash('sha256').update(JSON.stringify(parts)).digest('base64');
  return { ...queue, key, credentials, connectionId };
}
