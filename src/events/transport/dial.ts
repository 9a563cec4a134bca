import type { LookupAddress } from 'node:dns';
import net from 'node:net';
import tls from 'node:tls';
import { hostOf, resolveTarget, type TargetPolicy } from './address-guard.ts';
import { type Failure, failureOf } from './failure.ts';
import { isResolverDown } from './name-lookup.ts';
import type { Phases } from './outcome.ts';

// Node's default of 250 ms is shorter than a round trip to distant receivers.
const nextAddressAfterMs = 1000;

/** A connection being opened: its stage, for the error message of a timeout, and its timings. */
export class PendingConnection {
  stage: 'lookup' | 'connect' | 'tls' = 'lookup';
  readonly phases: Omit<Phases, 'totalMs'> = {};
  readonly #controller = new AbortController();
  #stageBeganAt = performance.now();

  startStage(stage: 'connect' | 'tls'): void {
    this.stage = stage;
    this.#stageBeganAt = performance.now();
  }

  /** Includes the current, unfinished phase. */
  phasesUntil(now: number): Omit<Phases, 'totalMs'> {
    return { [`${this.stage === 'lookup' ? 'dns' : this.stage}Ms`]: now - this.#stageBeganAt, ...this.phases };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller.abort(new Error('aborted'));
  }
}

/** Connects to the host of a URL, only to addresses that passed the guard. */
export async function dial(
  url: URL,
  policy: TargetPolicy,
  pending: PendingConnection,
  owner?: number,
): Promise<net.Socket | Failure> {
  const began = performance.now();
  const target = await resolveTarget(url, policy, owner);
  pending.phases.dnsMs = performance.now() - began;
  if ('unresolved' in target) {
    const failure: Failure = { reason: 'dns', detail: target.unresolved };
    return target.isServerFailure && (await isResolverDown()) ? { ...failure, isLocalFailure: true } : failure;
  }
  if ('rule' in target) return { reason: 'guarded', detail: target.message };
  if (pending.signal.aborted) return failureOf(pending.signal.reason, pending.stage);
  return connect(url, target.addresses, pending);
}

function connect(url: URL, addresses: LookupAddress[], pending: PendingConnection): Promise<net.Socket | Failure> {
  const { promise, resolve } = Promise.withResolvers<net.Socket | Failure>();
  const { phases, signal } = pending;
  const secure = url.protocol === 'https:';
  pending.startStage('connect');
  const began = performance.now();
  const socket = secure ? openTls(url, addresses) : net.connect(connectOptions(url, addresses, 80));
  socket.once('connect', () => {
    phases.connectMs = performance.now() - began;
    if (secure) pending.startStage('tls');
    else resolve(socket);
  });
  socket.once('secureConnect', () => {
    phases.tlsMs = performance.now() - began - (phases.connectMs ?? 0);
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

function openTls(url: URL, addresses: LookupAddress[]): tls.TLSSocket {
  const options = connectOptions(url, addresses, 443);
  return tls.connect({
    ...options,
    // RFC 6066 allows only names; a certificate for an IP address is checked against `host`.
    servername: net.isIP(options.host) ? '' : options.host,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
  });
}

function connectOptions(url: URL, addresses: LookupAddress[], defaultPort: number) {
  return {
    host: hostOf(url),
    port: url.port ? Number(url.port) : defaultPort,
    lookup: ((_name, _options, callback) => callback(null, addresses)) as net.LookupFunction,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    noDelay: true,
  };
}
