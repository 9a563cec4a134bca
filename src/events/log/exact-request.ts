import type { Sql } from '../../database/connection.ts';
import { version } from '../../version.ts';
import { loadTargets, type SignedRequest, signedRequest } from '../delivery/target.ts';
import type { Sealer } from '../signing/sealer.ts';
import type { DeliveryStory } from './delivery-store.ts';

/** What is sent, byte for byte. Signed with today's keys, so that a try from before a rotation had other signatures. */
export async function exactRequest(
  sql: Sql,
  sealer: Sealer,
  { delivery, eventText }: DeliveryStory,
  now: Date,
): Promise<SignedRequest | undefined> {
  const [target] = await loadTargets(sql, sealer, [delivery.webhookId]);
  const event = { id: delivery.eventId, text: eventText };
  return target && signedRequest(target, event, { now, userAgent: `Waypost/${version}` });
}
