import type { LookupAddress } from 'node:dns';
import net from 'node:net';
import tls from 'node:tls';
import type { ClientIdentity } from '../signing/webhook-credentials.ts';
import { hostOf, isAllowed, resolveTarget, type TargetPolicy } from './address-guard.ts';
import type { EgressProxy } from './egress-proxy.ts';
import { type Failure, failureOf } from './failure.ts';
import { isResolverDown } from './name-lookup.ts';
import type { Phases } from './outcome.ts';

// Node's default of 250 ms is shorter than a round trip to distant receivers.
const nextAddressAfterMs = 1000;

const phaseOf = { lookup: 'dnsMs', proxy: 'connectMs', connect: 'connectMs', tls: 'tlsMs' } as const;

/** A connection being opened: its stage, for the error message of a timeout, and its timings. */
export class PendingConnection {
  stage: 'lookup' | 'proxy' | 'connect' | 'tls' = 'lookup';
  /** Whether a failure in the current stage is a local one. */
  isLocalFailure: (() => Promise<boolean>) | undefined = isResolverDown;
  readonly phases: Omit<Phases, 'totalMs'> = {};
  readonly #controller = new AbortController();
  #stageBeganAt = performance.now();

  startStage(stage: 'proxy' | 'connect' | 'tls', isLocalFailure?: () => Promise<boolean>): void {
    this.stage = stage;
    this.isLocalFailure = isLocalFailure;
    this.#stageBeganAt = performance.now();
  }

  /** Includes the current, unfinished phase. */
  phasesUntil(now: number): Omit<Phases, 'totalMs'> {
    return { [phaseOf[this.stage]]: now - this.#stageBeganAt, ...this.phases };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller.abort(new Error('aborted'));
  }
}

interface DialOptions {
  owner: number | undefined;
  identity: ClientIdentity | undefined;
  proxy: EgressProxy | undefined;
  /** Protocol to negotiate by TLS (ALPN). */
  alpn?: 'http/1.1';
  /** The TLS handshake begins later, with `upgrade`. */
  upgradesLater?: boolean;
}

/** Connects to the host of a URL, only to addresses that passed the guard. Never rejects. */
export async function dial(
  url: URL,
  policy: TargetPolicy,
  pending: PendingConnection,
  options: DialOptions,
): Promise<net.Socket | Failure> {
  try {
    return await resolveAndConnect(url, policy, pending, options);
  } catch (error) {
    return failureOf(error as NodeJS.ErrnoException, pending.stage);
  }
}

async function resolveAndConnect(
  url: URL,
  policy: TargetPolicy,
  pending: PendingConnection,
  { owner, identity, proxy, alpn, upgradesLater }: DialOptions,
): Promise<net.Socket | Failure> {
  const began = performance.now();
  const target = await untilAborted(resolveTarget(url, policy, owner), pending.signal);
  pending.phases.dnsMs = performance.now() - began;
  if ('unresolved' in target) {
    const failure: Failure = { reason: 'dns', detail: target.unresolved };
    return target.isServerFailure && (await isResolverDown(target)) ? { ...failure, isLocalFailure: true } : failure;
  }
  if ('rule' in target) return { reason: 'guarded', detail: target.message };
  if (pending.signal.aborted) return failureOf(pending.signal.reason, pending.stage);
  const isSecure = url.protocol === 'https:' && !upgradesLater;
  const options = { ...connectOptions(url, target.addresses), ...(alpn && { ALPNProtocols: [alpn] }) };
  if (proxy && !target.addresses.every(({ address }) => isAllowed(address, policy))) {
    const tunnel = await openTunnel(proxy, target.addresses, options.port, pending);
    return !isSecure || 'reason' in tunnel ? tunnel : secured(tunnel, options, identity, pending);
  }
  if (!isSecure) {
    pending.startStage('connect');
    return opened(net.connect(options), pending, false);
  }
  // A client certificate that OpenSSL rejects throws here.
  pending.startStage('tls');
  const socket = openTls(options, identity);
  pending.startStage('connect');
  return opened(socket, pending, true);
}

/** A look-up cannot be aborted, and may have to wait for other look-ups of its partner: the caller does not wait for it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}

/** Starts TLS on an open connection to the host of the URL. Never rejects. */
export async function upgrade(
  socket: net.Socket,
  url: URL,
  identity: ClientIdentity | undefined,
  pending: PendingConnection,
): Promise<net.Socket | Failure> {
  try {
    return await secured(socket, { host: hostOf(url) }, identity, pending);
  } catch (error) {
    return failureOf(error as NodeJS.ErrnoException, pending.stage);
  }
}

async function secured(
  socket: net.Socket,
  options: tls.ConnectionOptions & { host: string },
  identity: ClientIdentity | undefined,
  pending: PendingConnection,
): Promise<net.Socket | Failure> {
  pending.startStage('tls');
  try {
    return await opened(openTls({ ...options, socket }, identity), pending, true);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Tries one address of each family, because the proxy may have only IPv4 or only IPv6. */
async function openTunnel(
  proxy: EgressProxy,
  addresses: LookupAddress[],
  port: number,
  pending: PendingConnection,
): Promise<net.Socket | Failure> {
  const began = performance.now();
  pending.startStage('proxy', () => proxy.isDown());
  const candidates = [4, 6].flatMap((family) => addresses.find((address) => address.family === family) ?? []);
  let result: net.Socket | Failure | undefined;
  for (const candidate of candidates) {
    result = await proxy.open(candidate, port, pending.signal);
    if (!('reason' in result) || result.isLocalFailure || pending.signal.aborted) break;
  }
  pending.phases.connectMs = performance.now() - began;
  return result ?? { reason: 'dns', detail: 'The host has no address.' };
}

function opened(socket: net.Socket, pending: PendingConnection, secure: boolean): Promise<net.Socket | Failure> {
  const { promise, resolve } = Promise.withResolvers<net.Socket | Failure>();
  const { phases, signal } = pending;
  let began = performance.now();
  socket.once('connect', () => {
    phases.connectMs = performance.now() - began;
    began = performance.now();
    if (secure) pending.startStage('tls');
    else resolve(socket);
  });
  socket.once('secureConnect', () => {
    phases.tlsMs = performance.now() - began;
    resolve(socket);
  });
  socket.on('error', (error) => resolve(failureOf(error, pending.stage)));
  socket.once('close', () =>
    resolve({ reason: 'connection-reset', detail: 'The connection was closed while it was being opened.' }),
  );
  const abort = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', abort);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}

/** No TLS session is resumed: a session belongs to the client certificate with which it began. */
function openTls(
  options: tls.ConnectionOptions & { host: string },
  identity: ClientIdentity | undefined,
): tls.TLSSocket {
  return tls.connect({
    ...options,
    // RFC 6066 allows only names; a certificate for an IP address is checked against `host`.
    servername: net.isIP(options.host) ? '' : options.host,
    minVersion: 'TLSv1.2',
    ...(identity && { cert: identity.chain, key: identity.privateKey }),
  });
}

function connectOptions(url: URL, addresses: LookupAddress[]) {
  return {
    host: hostOf(url),
    port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    lookup: ((_name, _options, callback) => callback(null, addresses)) as net.LookupFunction,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    noDelay: true,
  };
}
