import Type, { type Static } from 'typebox';
import { explainOutcome, type Outcome, type UnreachableReason } from '../transport/outcome.ts';
import { hundredths, mapPhases, OutcomeAnswer, outcomeAnswer, outcomeName, reasonAnswer } from './outcome-answer.ts';

/** What a list tells of a try. */
export interface AttemptGist {
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

export interface Attempt extends AttemptGist {
  url: string;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
  body: Buffer | null;
  truncated: boolean;
  replayId: number | null;
}

export const AttemptGistAnswer = Type.Object({
  at: Type.String(),
  outcome: OutcomeAnswer.properties.outcome,
  statusCode: OutcomeAnswer.properties.statusCode,
  reason: OutcomeAnswer.properties.reason,
  error: OutcomeAnswer.properties.error,
  hint: OutcomeAnswer.properties.hint,
  durationMs: Type.Number(),
});

export const AttemptAnswer = Type.Object({
  number: Type.Integer(),
  at: Type.String(),
  url: Type.String(),
  ...OutcomeAnswer.properties,
  verdict: Type.Enum(['DELIVERED', 'RETRY', 'DISCARDED', 'SUPERSEDED'], {
    description: 'What it meant for the delivery. SUPERSEDED: it was sent, but another try decides',
  }),
  replayId: Type.Optional(Type.Integer()),
});

export const attemptGistAnswer = (attempt: AttemptGist): Static<typeof AttemptGistAnswer> => ({
  at: attempt.startedAt.toISOString(),
  outcome: outcomeName(attempt.outcome),
  ...(attempt.statusCode !== null && { statusCode: attempt.statusCode }),
  ...reasonAnswer({ kind: attempt.outcome, reason: attempt.reason }),
  ...explainOutcome(outcomeOf(attempt)),
  durationMs: hundredths(attempt.totalMs),
});

export const attemptAnswer = (attempt: Attempt): Static<typeof AttemptAnswer> => ({
  number: attempt.number,
  at: attempt.startedAt.toISOString(),
  url: attempt.url,
  ...outcomeAnswer(outcomeOf(attempt)),
  verdict: attempt.verdict,
  ...(attempt.replayId !== null && { replayId: attempt.replayId }),
});

/** The outcome as it was before it became a row. */
function outcomeOf(attempt: AttemptGist & Partial<Attempt>): Outcome {
  const { dnsMs = null, connectMs = null, tlsMs = null, firstByteMs = null, totalMs, statusCode } = attempt;
  const phases = mapPhases({ dnsMs, connectMs, tlsMs, firstByteMs, totalMs });
  const answer = {
    status: statusCode ?? 0,
    headers: JSON.parse(attempt.headers ?? '{}') as Record<string, string>,
    body: attempt.body ?? Buffer.alloc(0),
    truncated: attempt.truncated ?? false,
  };
  if (attempt.outcome !== 'unreachable') return { kind: attempt.outcome, answer, phases };
  const { reason, detail } = attempt;
  return {
    kind: 'unreachable',
    reason: reason ?? 'unreachable',
    detail: detail ?? '',
    ...(statusCode !== null && { answer }),
    phases,
  };
}
