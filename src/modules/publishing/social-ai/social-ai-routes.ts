import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { reaches, reachOf } from '../../../http/access.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { unknownReference } from '../../../problems.ts';
import { consumeHourlyQuota } from '../../accounts/index.ts';
import { findLocation, type Location } from '../../locations/index.ts';
import { BuiltInWriter } from './built-in-writer.ts';
import { ContentRequest, GeneratedContent } from './content-request.ts';
import { ordersOf, writeAll } from './generate-content.ts';
import { ModelWriter, modelSettings } from './model-writer.ts';

export function socialAiRoutes(server: FastifyInstance, { config, database }: Services): void {
  const model = modelSettings(config);
  const writer = model ? new ModelWriter(model) : new BuiltInWriter(Math.random);
  if (writer instanceof ModelWriter) server.addHook('onReady', () => writer.open());

  const visible = async (caller: Caller, id: number): Promise<Location> => {
    const location = await findLocation(database.pool, caller.partnerId, id);
    const isVisible = location && reaches(reachOf(caller), { businessId: location.businessId, locationId: id });
    if (!isVisible || location.status === 'DELETED') throw unknownReference('locationId', `location ${id}`);
    return location;
  };

  route(server, {
    method: 'POST',
    path: '/api/social-ai/generate-content',
    summary: 'Have texts of social posts written, by a model or, without one, by the built-in writer',
    needs: 'SOCIAL_POST_WRITE',
    body: ContentRequest,
    response: Type.Object({ contents: Type.Array(GeneratedContent) }),
    problems: ['NOT_FOUND', 'CONTENT_REFUSED', 'MODEL_UNAVAILABLE'],
    handler: async (request) => {
      const { caller, body } = request;
      const location = body.locationId === undefined ? undefined : await visible(caller, body.locationId);
      const orders = ordersOf(body, location, new Date());
      const quota = { what: 'texts', whom: `partner ${caller.partnerId}`, most: config.aiTextsPerHour };
      await consumeHourlyQuota(database.pool, quota, orders.length);
      const waiting = whileWaitedFor(request, config.aiTimeoutMs);
      try {
        const { contents, warnings } = await writeAll(writer, orders, waiting.signal);
        request.log.info({ event: 'social-ai.written', source: writer.source, texts: contents.length });
        request.warnings.push(...warnings);
        // The texts are there before the transaction begins: it only keeps them for whoever sends the same key again.
        return await idempotentTransaction(request, async () => ({ contents }));
      } finally {
        waiting.end();
      }
    },
  });
}

/** A signal for the whole answer: aborted when the time is over, or when nobody is there any more to be answered. */
function whileWaitedFor({ raw }: FastifyRequest, timeoutMs: number): { signal: AbortSignal; end(): void } {
  const gone = new AbortController();
  const leave = () => gone.abort();
  raw.socket.once('close', leave);
  return {
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), gone.signal]),
    end: () => raw.socket.off('close', leave),
  };
}
