import type { LookupAddress } from 'node:dns';
import net from 'node:net';
import tls from 'node:tls';
import { hostOf, resolveTarget, type TargetPolicy } from './address-guard.ts';
import { type Failure, failureOf } from './failure.ts';
import { isResolverDown } from './name-lookup.ts';
import type { Phases } from './outcome.ts';

// Node's 250 ms would give up on the first address of every receiver on the other side of the world.
const nextAddressAfterMs = 1000;

/** A connection on its way: how far it has come, so that a deadline can tell what it interrupts. */
export class Opening {
  stage: 'lookup' | 'connect' | 'tls' = 'lookup';
  readonly phases: Omit<Phases, 'totalMs'> = {};
  readonly #abandoned = new AbortController();
  #stageBeganAt = performance.now();

  enter(stage: 'connect' | 'tls'): void {
    this.stage = stage;
    this.#stageBeganAt = performance.now();
  }

  /** With the phase that an attempt ends in, as far as it has come. */
  phasesUntil(now: number): Omit<Phases, 'totalMs'> {
    return { [`${this.stage === 'lookup' ? 'dns' : this.stage}Ms`]: now - this.#stageBeganAt, ...this.phases };
  }

  get signal(): AbortSignal {
    return this.#abandoned.signal;
  }

  abandon(): void {
    this.#abandoned.abort(new Error('abandoned'));
  }
}

/** Connects to the host of a URL. Only addresses that passed the guard are dialled. */
export async function dial(
  url: URL,
  policy: TargetPolicy,
  opening: Opening,
  owner?: number,
): Promise<net.Socket | Failure> {
  const began = performance.now();
  const target = await resolveTarget(url, policy, owner);
  opening.phases.dnsMs = performance.now() - began;
  if ('unresolved' in target) {
    const failure: Failure = { reason: 'dns', detail: target.unresolved };
    return target.isUnanswered && (await isResolverDown()) ? { ...failure, isLocalFailure: true } : failure;
  }
  if ('rule' in target) return { reason: 'guarded', detail: target.message };
  if (opening.signal.aborted) return failureOf(opening.signal.reason, opening.stage);
  return connect(url, target.addresses, opening);
}

function connect(url: URL, addresses: LookupAddress[], opening: Opening): Promise<net.Socket | Failure> {
  const { promise, resolve } = Promise.withResolvers<net.Socket | Failure>();
  const { phases, signal } = opening;
  const secure = url.protocol === 'https:';
  opening.enter('connect');
  const began = performance.now();
  const socket = secure ? openTls(url, addresses) : net.connect(where(url, addresses, 80));
  socket.once('connect', () => {
    phases.connectMs = performance.now() - began;
    if (secure) opening.enter('tls');
    else resolve(socket);
  });
  socket.once('secureConnect', () => {
    phases.tlsMs = performance.now() - began - (phases.connectMs ?? 0);
    resolve(socket);
  });
  socket.on('error', (error) => resolve(failureOf(error, opening.stage)));
  socket.once('close', () => resolve({ reason: 'connection-reset', detail: 'The connection closed as it opened.' }));
  const abandon = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', abandon);
  return promise.finally(() => signal.removeEventListener('abort', abandon));
}

function openTls(url: URL, addresses: LookupAddress[]): tls.TLSSocket {
  const place = where(url, addresses, 443);
  return tls.connect({
    ...place,
    // RFC 6066 allows only names here; a certificate for an address is checked against `host`.
    servername: net.isIP(place.host) ? '' : place.host,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
  });
}

function where(url: URL, addresses: LookupAddress[], usualPort: number) {
  return {
    host: hostOf(url),
    port: url.port ? Number(url.port) : usualPort,
    lookup: ((_name, _options, answer) => answer(null, addresses)) as net.LookupFunction,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    noDelay: true,
  };
}
