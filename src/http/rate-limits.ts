import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problems.ts';
import { clientNetwork } from './client-network.ts';

const windowMs = 60_000;
const networkOf = ({ ip }: FastifyRequest) => clientNetwork(ip);

type Count = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Counters of this process: requests by key or user, and requests without a known key or token by address. */
export interface RateLimits {
  byKey: Count;
  byAddress: Count;
  /** Files of the console: many for each page, cheap, and asked for by a whole office behind one address. */
  byConsoleAddress: Count;
}

const openFactor = 10;

export function rateLimits(server: FastifyInstance, perMinute: number): RateLimits {
  server.register(rateLimit, { global: false, max: perMinute, timeWindow: windowMs });
  const countKey = counter(server, { keyGenerator: ({ caller }) => caller?.countedAs ?? '' });
  const countAddress = counter(server, { keyGenerator: networkOf });
  const countOpen = counter(server, { max: perMinute * openFactor, keyGenerator: networkOf });
  return {
    byKey: async (request, reply) => refuseBeyond(await countKey(request), 'requests', reply),
    byAddress: async (request, reply) => refuseBeyond(await countAddress(request), 'requests', reply),
    byConsoleAddress: async (request, reply) => refuseBeyond(await countOpen(request), 'requests', reply),
  };
}

interface Limit {
  most: number;
  seconds: number;
  /** What is limited, in the plural, as the refusal calls it. */
  what: string;
  /** Whose requests are counted together; without it those of a client's network. */
  by?: (request: FastifyRequest) => string;
}

/** A limit of its own for something dear, to be asked where that begins. */
export function createLimiter(server: FastifyInstance, limit: Limit): (request: FastifyRequest) => Promise<void> {
  const { most, seconds, what, by = networkOf } = limit;
  const count = counter(server, { max: most, timeWindow: seconds * 1000, keyGenerator: by });
  return async (request) => refuseBeyond(await count(request), what);
}

type Counter = ReturnType<FastifyInstance['createRateLimit']>;
type State = Awaited<ReturnType<Counter>>;

/** Counters can be made only when their plugin is there. */
function counter(server: FastifyInstance, options: Parameters<FastifyInstance['createRateLimit']>[0]) {
  let count: Counter | undefined;
  server.addHook('onReady', async () => {
    count = server.createRateLimit(options);
  });
  return async (request: FastifyRequest): Promise<State | undefined> => count?.(request);
}

function refuseBeyond(state: State | undefined, what: string, reply?: FastifyReply): void {
  if (!state || state.isAllowed) return;
  reply?.header('x-ratelimit-limit', state.max);
  reply?.header('x-ratelimit-remaining', state.remaining);
  reply?.header('x-ratelimit-reset', state.ttlInSeconds);
  if (!state.isExceeded) return;
  const span = state.timeWindow === windowMs ? 'a minute' : `${state.timeWindow / 1000} s`;
  throw new Problem('QUOTA_LIMIT_EXCEED', {
    message: `More than ${state.max} ${what} within ${span}. Go on in ${state.ttlInSeconds} s.`,
    retryAfterSeconds: state.ttlInSeconds,
  });
}
