import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problems.ts';

const windowMs = 60_000;

type Count = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Counters of this process: requests by key, and requests without a known key by address. */
export interface RateLimits {
  byKey: Count;
  byAddress: Count;
}

export function rateLimits(server: FastifyInstance, perMinute: number): RateLimits {
  server.register(rateLimit, { global: false, max: perMinute, timeWindow: windowMs });
  let countKey: Counter | undefined;
  let countAddress: Counter | undefined;
  server.addHook('onReady', async () => {
    countKey = server.createRateLimit({ keyGenerator: (request) => request.caller?.keyId ?? 0 });
    countAddress = server.createRateLimit({});
  });
  return {
    byKey: (request, reply) => count(countKey, request, reply),
    byAddress: (request, reply) => count(countAddress, request, reply),
  };
}

type Counter = ReturnType<FastifyInstance['createRateLimit']>;

async function count(counter: Counter | undefined, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const state = await counter?.(request);
  if (!state || state.isAllowed) return;
  reply.header('x-ratelimit-limit', state.max);
  reply.header('x-ratelimit-remaining', state.remaining);
  reply.header('x-ratelimit-reset', state.ttlInSeconds);
  if (!state.isExceeded) return;
  throw new Problem('QUOTA_LIMIT_EXCEED', {
    message: `More than ${state.max} requests within a minute. Go on in ${state.ttlInSeconds} s.`,
    retryAfterSeconds: state.ttlInSeconds,
  });
}
