import type { Sql } from '../../database/connection.ts';
import { loadTargets, signedRequest } from '../delivery/target.ts';
import type { Sealer } from '../signing/sealer.ts';
import type { DeliveryStory } from './delivery-store.ts';

/** What is sent, byte for byte. Signed with today's key, so that a try from before a rotation had another signature. */
export async function exactBody(
  sql: Sql,
  sealer: Sealer,
  { delivery, eventText }: DeliveryStory,
  now: Date,
): Promise<string | undefined> {
  const [target] = await loadTargets(sql, sealer, [delivery.webhookId]);
  const event = { id: delivery.eventId, text: eventText };
  return target && signedRequest(target, event, { now, userAgent: '' }).body;
}
