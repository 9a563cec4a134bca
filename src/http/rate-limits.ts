import type { Readable } from 'node:stream';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Problem } from '../problems.ts';

const windowMs = 60_000;
const networkOf = ({ ip }: FastifyRequest) => clientNetwork(ip);

type Count = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** In-memory counters: by key or user, and by address for requests without a known key or token. */
export interface RateLimits {
  byKey: Count;
  byAddress: Count;
  /** Console files: many per page, cheap, and often requested by a whole office behind one address. */
  byConsoleAddress: Count;
}

const openFactor = 10;

export function rateLimits(server: FastifyInstance, perMinute: number): RateLimits {
  server.register(rateLimit, { global: false, max: perMinute, timeWindow: windowMs });
  const limited = (options: CounterOptions): Count => {
    const count = counter(server, options);
    return async (request, reply) => enforce(await count(request), 'requests', reply);
  };
  return {
    byKey: limited({ keyGenerator: ({ caller }) => caller?.countedAs ?? '' }),
    byAddress: limited({ keyGenerator: networkOf }),
    byConsoleAddress: limited({ max: perMinute * openFactor, keyGenerator: networkOf }),
  };
}

interface Limit {
  most: number;
  seconds: number;
  /** The limited action in the error message, in the plural. */
  actions: string;
  /** Default: the client network. */
  by?: (request: FastifyRequest) => string;
}

/** A separate limit for an expensive operation; call the result before the operation. */
export function createLimiter(server: FastifyInstance, limit: Limit): (request: FastifyRequest) => Promise<void> {
  const { most, seconds, actions, by = networkOf } = limit;
  const count = counter(server, { max: most, timeWindow: seconds * 1000, keyGenerator: by });
  return async (request) => enforce(await count(request), actions);
}

type Counter = ReturnType<FastifyInstance['createRateLimit']>;
type CounterOptions = Parameters<FastifyInstance['createRateLimit']>[0];
type State = Awaited<ReturnType<Counter>>;

/** `createRateLimit` is available after the plugin has loaded. */
function counter(server: FastifyInstance, options: CounterOptions) {
  let count: Counter | undefined;
  server.addHook('onReady', async () => {
    count = server.createRateLimit(options);
  });
  return async (request: FastifyRequest): Promise<State | undefined> => count?.(request);
}

function enforce(state: State | undefined, actions: string, reply?: FastifyReply): void {
  if (!state || state.isAllowed) return;
  reply?.header('x-ratelimit-limit', state.max);
  reply?.header('x-ratelimit-remaining', state.remaining);
  reply?.header('x-ratelimit-reset', state.ttlInSeconds);
  if (!state.isExceeded) return;
  const span = state.timeWindow === windowMs ? 'a minute' : `${state.timeWindow / 1000} s`;
  throw new Problem('QUOTA_LIMIT_EXCEED', {
    message: `More than ${state.max} ${actions} within ${span}. Retry in ${state.ttlInSeconds} s.`,
    retryAfterSeconds: state.ttlInSeconds,
  });
}

/** A client has one IPv4 address, but a whole IPv6 network: the first 64 bits. */
const networkBits = 64;

/** The rate limit key of requests without an API key: an IPv4 address or an IPv6 network. */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const bytes = parsed.toByteArray().map((byte, index) => (index < networkBits / 8 ? byte : 0));
  return ipaddr.fromByteArray(bytes).toString();
}

interface SlotLimits {
  perPartner: number;
  total: number;
  /** The limited requests in the error message, in the plural. */
  requests: string;
  retryAfterSeconds: number;
}

/** Limits slow requests in progress, so that those of one partner do not delay the rest of the API. */
export class PartnerSlots {
  readonly #limits: SlotLimits;
  readonly #running: number[] = [];

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  async run<T>(partnerId: number, work: () => Promise<T>): Promise<T> {
    const release = this.#claim(partnerId);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Holds the slot until the stream is closed: after its end, an error, or when the client disconnects. */
  async open<T extends Readable>(partnerId: number, create: () => Promise<T>): Promise<T> {
    const release = this.#claim(partnerId);
    try {
      return (await create()).once('close', release);
    } catch (error) {
      release();
      throw error;
    }
  }

  #claim(partnerId: number): () => void {
    const { perPartner, total, requests, retryAfterSeconds } = this.#limits;
    const own = this.#running.filter((id) => id === partnerId).length;
    if (own >= perPartner || this.#running.length >= total) {
      const message = `Too many ${requests} are in progress. Try again when they have finished.`;
      throw new Problem('QUOTA_LIMIT_EXCEED', { message, retryAfterSeconds });
    }
    this.#running.push(partnerId);
    return () => this.#running.splice(this.#running.indexOf(partnerId), 1);
  }
}
