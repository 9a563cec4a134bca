import Type, { type Static } from 'typebox';
import { explainOutcome, type Outcome, type UnreachableReason } from '../transport/outcome.ts';
import {
  hundredths,
  mapPhases,
  OutcomeResponse,
  outcomeName,
  outcomeResponse,
  reasonResponse,
} from './outcome-response.ts';

/** The part of an attempt that lists show. */
export interface AttemptSummary {
  number: number;
  startedAt: Date;
  outcome: Outcome['kind'];
  statusCode: number | null;
  headers: string | null;
  reason: UnreachableReason | null;
  detail: string | null;
  totalMs: number;
  verdict: 'DELIVERED' | 'RETRY' | 'DISCARDED' | 'SUPERSEDED';
}

export interface Attempt extends AttemptSummary {
  url: string;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  body: Buffer | null;
  truncated: boolean;
  replayId: number | null;
}

export const AttemptSummaryResponse = Type.Object({
  at: Type.String(),
  outcome: OutcomeResponse.properties.outcome,
  statusCode: OutcomeResponse.properties.statusCode,
  reason: OutcomeResponse.properties.reason,
  error: OutcomeResponse.properties.error,
  hint: OutcomeResponse.properties.hint,
  durationMs: Type.Number(),
});

export const AttemptResponse = Type.Object({
  number: Type.Integer(),
  at: Type.String(),
  url: Type.String(),
  ...OutcomeResponse.properties,
  verdict: Type.Enum(['DELIVERED', 'RETRY', 'DISCARDED', 'SUPERSEDED'], {
    description: 'Effect on the delivery. SUPERSEDED: sent, but another attempt decided the delivery',
  }),
  replayId: Type.Optional(Type.Integer()),
});

export const attemptSummaryResponse = (attempt: AttemptSummary): Static<typeof AttemptSummaryResponse> => ({
  at: attempt.startedAt.toISOString(),
  outcome: outcomeName(attempt.outcome),
  ...(attempt.statusCode !== null && { statusCode: attempt.statusCode }),
  ...reasonResponse({ kind: attempt.outcome, reason: attempt.reason }),
  ...explainOutcome(outcomeOf(attempt)),
  durationMs: hundredths(attempt.totalMs),
});

export const attemptResponse = (attempt: Attempt): Static<typeof AttemptResponse> => ({
  number: attempt.number,
  at: attempt.startedAt.toISOString(),
  url: attempt.url,
  ...outcomeResponse(outcomeOf(attempt)),
  verdict: attempt.verdict,
  ...(attempt.replayId !== null && { replayId: attempt.replayId }),
});

/** Restores the outcome from its row. */
function outcomeOf(attempt: AttemptSummary & Partial<Attempt>): Outcome {
  const { dnsMs = null, connectMs = null, tlsMs = null, firstByteMs = null, totalMs, statusCode } = attempt;
  const phases = mapPhases({ dnsMs, connectMs, tlsMs, firstByteMs, totalMs });
  const response = {
    status: statusCode ?? 0,
    headers: JSON.parse(attempt.headers ?? '{}') as Record<string, string>,
    body: attempt.body ?? Buffer.alloc(0),
    truncated: attempt.truncated ?? false,
  };
  if (attempt.outcome !== 'unreachable') return { kind: attempt.outcome, response, phases };
  const { reason, detail } = attempt;
  return {
    kind: 'unreachable',
    reason: reason ?? 'unreachable',
    detail: detail ?? '',
    ...(statusCode !== null && { response }),
    phases,
  };
}
