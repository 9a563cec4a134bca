import type { FastifyInstance } from 'fastify';
import { parseId } from '../../http/ids.ts';
import type { Services } from '../../http/services.ts';
import { requireFound } from '../../problems.ts';
import { publicKeyOf, signingKey } from '../signing/ed25519.ts';
import { openWebhookSecret } from '../signing/webhook-secret.ts';
import { publicKeysPath } from './webhook.ts';
import { findPublishedSecrets } from './webhook-store.ts';

/** After a rotation without overlap, a receiver may use the old key for this long. */
const cacheSeconds = 300;

/** The public Ed25519 keys of a webhook: the current one, and during a rotation the previous one. */
export function publicKeyRoutes(server: FastifyInstance, { database, sealer }: Services): void {
  server.get(publicKeysPath(':id'), async (request, reply) => {
    const { id } = request.params as { id: string };
    const webhookId = parseId(id);
    const secrets = webhookId === undefined ? undefined : await findPublishedSecrets(database.pool, webhookId);
    const { secret, previousSecret } = requireFound(secrets, `webhook ${id.slice(0, 20)} with asymmetric signatures`);
    const sealed = [secret, ...(previousSecret ? [previousSecret] : [])];
    const keys = sealed.map((one) => publicKeyOf(signingKey(openWebhookSecret(sealer, one).seed)));
    return reply
      .header('content-type', 'application/jwk-set+json')
      .header('cache-control', `public, max-age=${cacheSeconds}`)
      .send(JSON.stringify({ keys }));
  });
}
