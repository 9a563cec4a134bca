import type { ClientIdentity, OAuthCredentials } from '../signing/webhook-credentials.ts';
import type { TargetPolicy } from './address-guard.ts';
import type { EgressProxy } from './egress-proxy.ts';
import type { TargetQueue } from './queues/queue-url.ts';

export interface PushRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Id of the partner that owns the webhook; DNS look-ups are limited per partner. */
  owner?: number | undefined;
  /** Default: the timeout of the transport. */
  timeoutMs?: number | undefined;
  /** The request gets an access token of this client. */
  oauth?: OAuthCredentials | undefined;
  /** Client certificate for TLS. */
  identity?: ClientIdentity | undefined;
  /** The queue that the push URL names. */
  queue?: TargetQueue | undefined;
  group?: string | undefined;
}

/** A request for a broker. */
export interface QueueRequest extends PushRequest {
  queue: TargetQueue;
  /** The record that the event is about: key of a Kafka record, message group of a FIFO queue. */
  group: string;
}

export interface TransportOptions {
  policy: TargetPolicy;
  timeoutMs: number;
  connectionsPerHost: number;
  proxy?: EgressProxy | undefined;
}
