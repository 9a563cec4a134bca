import type { BrokerFailure } from '../failure.ts';
import type { Publication } from './publication.ts';
import type { TargetQueue } from './target-queue.ts';

/** The connection that a protocol runs on. */
export interface BrokerLink {
  readonly queue: TargetQueue;
  readonly isOpen: boolean;
  write(bytes: Buffer): void;
  /** Calls `secured` of the protocol afterwards. */
  startTls(): void;
  /** The broker accepted the connection: messages can be published. */
  ready(): void;
  /** The cluster has changed: messages after this one need a new connection. */
  outdated(): void;
  /** Closes the connection; all its publications fail. */
  fail(failure: BrokerFailure): void;
}

/** The client side of a broker's protocol. An exception means that the broker sent invalid data. */
export interface Broker {
  /** Why the broker accepts no messages at the moment, if it said so. */
  readonly blocked?: string | undefined;
  connected(): void;
  secured(): void;
  receive(bytes: Buffer): void;
  /** Another server of the cluster that has to get the message, if there is one. */
  serverFor?(publication: Publication): URL | undefined;
  publish(publication: Publication): void;
  /** Bytes that announce the end of the connection. */
  goodbye(): Buffer;
}

const maxText = 300;
/** Shorter ones would replace parts of words. */
const minSecret = 3;

/** A text of the broker for the log, without control characters and credentials. */
export function brokerText(text: string, { credentials }: Pick<TargetQueue, 'credentials'>): string {
  let shown = text.slice(0, 4 * maxText).replace(/\p{Cc}+/gu, ' ');
  for (const secret of [credentials?.password, credentials?.username]) {
    if (secret && secret.length >= minSecret) shown = shown.replaceAll(secret, '••••••');
  }
  return shown.slice(0, maxText).trim().replace(/\.$/, '');
}
