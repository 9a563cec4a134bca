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
import { textSpecsOf, writeAll } from './generate-content.ts';
import { ModelWriter, modelSettings } from './model-writer.ts';

export function socialAiRoutes(server: FastifyInstance, { config, database }: Services): void {
  const model = modelSettings(config);
  const writer = model ? new ModelWriter(model) : new BuiltInWriter(Math.random);
  if (writer instanceof ModelWriter) server.addHook('onReady', () => writer.open());

  const requireLocation = async (caller: Caller, id: number): Promise<Location> => {
    const location = await findLocation(database.pool, caller.partnerId, id);
    const isVisible = location && reaches(reachOf(caller), { businessId: location.businessId, locationId: id });
    if (!isVisible || location.status === 'DELETED') throw unknownReference('locationId', `location ${id}`);
    return location;
  };

  route(server, {
    method: 'POST',
    path: '/api/social-ai/generate-content',
    summary: 'Generate texts for social posts with the configured model or the built-in writer',
    needs: 'SOCIAL_POST_WRITE',
    body: ContentRequest,
    response: Type.Object({ contents: Type.Array(GeneratedContent) }),
    problems: ['NOT_FOUND', 'CONTENT_REFUSED', 'MODEL_UNAVAILABLE'],
    handler: async (request) => {
      const { caller, body } = request;
      const location = body.locationId === undefined ? undefined : await requireLocation(caller, body.locationId);
      const specs = textSpecsOf(body, location, new Date());
      const quota = { resource: 'texts', consumer: `partner ${caller.partnerId}`, limit: config.aiTextsPerHour };
      await consumeHourlyQuota(database.pool, quota, specs.length);
      const lifetime = requestLifetime(request, config.aiTimeoutMs);
      try {
        const { contents, warnings } = await writeAll(writer, specs, lifetime.signal);
        request.log.info({ event: 'social-ai.written', source: writer.source, texts: contents.length });
        request.warnings.push(...warnings);
        // The texts are complete before the transaction begins: it only stores the response for the Idempotency-Key.
        return await idempotentTransaction(request, async () => ({ contents }));
      } finally {
        lifetime.end();
      }
    },
  });
}

/** Aborts on timeout or when the client disconnects. */
function requestLifetime({ raw }: FastifyRequest, timeoutMs: number): { signal: AbortSignal; end(): void } {
  const disconnected = new AbortController();
  const disconnect = () => disconnected.abort();
  raw.socket.once('close', disconnect);
  return {
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), disconnected.signal]),
    end: () => raw.socket.off('close', disconnect),
  };
}
