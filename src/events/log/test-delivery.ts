import Type, { type Static } from 'typebox';
import { type EventTypeName, exampleEvent } from '../catalogue/catalogue.ts';
import { signedRequest, type Target } from '../delivery/target.ts';
import { eventTime } from '../outbox/record-event.ts';
import { canonicalJson } from '../signing/canonical-json.ts';
import type { Outcome } from '../transport/outcome.ts';
import { OutcomeResponse, outcomeResponse } from './outcome-response.ts';

export const TestDeliveryResponse = Type.Object({
  delivered: Type.Boolean(),
  eventId: Type.Integer({ description: 'Id of the example event; it is not in the event log' }),
  url: Type.String(),
  ...OutcomeResponse.properties,
});

/** The example event as a real delivery, with an additional header that marks it as a test. */
export function testRequest(
  target: Target,
  event: { id: number; type: EventTypeName; partnerIdentifier: string },
  { now, userAgent }: { now: Date; userAgent: string },
): ReturnType<typeof signedRequest> {
  const { id, type, partnerIdentifier: salesPartnerIdentifier } = event;
  const text = canonicalJson({ ...exampleEvent(type), id, time: eventTime(now), salesPartnerIdentifier });
  const request = signedRequest(target, { id, text }, { now, userAgent });
  return { ...request, headers: { ...request.headers, 'waypost-test': 'true' } };
}

export const testDeliveryResponse = (
  eventId: number,
  url: string,
  outcome: Outcome,
): Static<typeof TestDeliveryResponse> => ({
  delivered: outcome.kind === 'delivered',
  eventId,
  url,
  ...outcomeResponse(outcome),
});
