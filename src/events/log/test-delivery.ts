import Type, { type Static } from 'typebox';
import { type EventTypeName, exampleEvent } from '../catalogue/catalogue.ts';
import { signedRequest, type Target } from '../delivery/target.ts';
import { eventTime } from '../outbox/record-event.ts';
import { canonicalJson } from '../signing/canonical-json.ts';
import type { Outcome } from '../transport/outcome.ts';
import { OutcomeAnswer, outcomeAnswer } from './outcome-answer.ts';

export const TrialAnswer = Type.Object({
  delivered: Type.Boolean(),
  eventId: Type.Integer({ description: 'The id of the example that was sent; it is in no log' }),
  url: Type.String(),
  ...OutcomeAnswer.properties,
});

/** The example of a type as a delivery that was really meant, but for the header that says it is a test. */
export function trialRequest(
  target: Target,
  event: { id: number; type: EventTypeName; partnerIdentifier: string },
  { now, userAgent }: { now: Date; userAgent: string },
): ReturnType<typeof signedRequest> {
  const { id, type, partnerIdentifier: salesPartnerIdentifier } = event;
  const text = canonicalJson({ ...exampleEvent(type), id, time: eventTime(now), salesPartnerIdentifier });
  const request = signedRequest(target, { id, text }, { now, userAgent });
  return { ...request, headers: { ...request.headers, 'waypost-test': 'true' } };
}

export const trialAnswer = (eventId: number, url: string, outcome: Outcome): Static<typeof TrialAnswer> => ({
  delivered: outcome.kind === 'delivered',
  eventId,
  url,
  ...outcomeAnswer(outcome),
});
