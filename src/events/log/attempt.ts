import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DB } from '../../database/schema.ts';
import {
  brokerRefusals,
  explainOutcome,
  type FailureReason,
  isBrokerRefusal,
  type Outcome,
  type Phases,
  type Receipt,
  type ReceiverResponse,
  unreachableReasons,
} from '../transport/outcome.ts';

const SigningKey = Type.Object({
  signature: Type.Enum(['BODY', 'V1', 'V1A'], {
    description:
      'BODY: in the body, with a private key. V1, V1A: in webhook-signature, with a secret or an Ed25519 key',
  }),
  keyId: Type.String({ description: 'Id of the private key, fingerprint of the secret, or kid of the public key' }),
  isValid: Type.Boolean({ description: 'False if the key or secret has expired since' }),
});

/** The request of an attempt. Its body is `{"event":…,"signature":"…"}` with the text of the event and `signature`. */
export const SentRequest = Type.Object(
  {
    method: Type.String({ description: 'POST, or PUBLISH for a queue' }),
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: 'All headers in the order of the message. Values of custom headers and access tokens are masked',
    }),
    signature: Type.String({ description: 'The signature in the body' }),
    keys: Type.Array(SigningKey, { description: 'The keys that signed' }),
  },
  { description: 'The request as sent to url; absent if no request was sent, and for attempts of earlier releases' },
);

/** Spelled as in the API, for example CONNECTION_REFUSED. */
const reasonName = (reason: FailureReason) => reason.replace('-', '_').toUpperCase();
const reasonNames = [...unreachableReasons, ...brokerRefusals].map(reasonName);

const Milliseconds = Type.Optional(Type.Number());

const Durations = Type.Object(
  {
    tokenMs: Type.Optional(Type.Number({ description: 'Until an access token was available, if one was requested' })),
    dnsMs: Milliseconds,
    connectMs: Milliseconds,
    tlsMs: Milliseconds,
    firstByteMs: Type.Optional(
      Type.Number({ description: 'Waiting for the response: until its headers, or until the attempt failed' }),
    ),
    totalMs: Type.Number(),
  },
  {
    description:
      'Milliseconds per phase. Without a statusCode the last phase is the one that failed. dnsMs, connectMs and tlsMs are absent when a connection was reused',
  },
);

const RecordedResponse = Type.Object({
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
  bodyEncoding: Type.Enum(['UTF-8', 'BASE64'], { description: 'BASE64 if the body is not UTF-8 text' }),
  truncated: Type.Boolean({ description: 'The body was longer than 16 KiB and was truncated' }),
});

/** The outcome of a request to a receiver in API responses. */
export const OutcomeResponse = Type.Object({
  outcome: Type.Enum(['DELIVERED', 'REFUSED', 'GONE', 'UNREACHABLE']),
  statusCode: Type.Optional(Type.Integer()),
  reason: Type.Optional(
    Type.Enum([...reasonNames], {
      description: 'Type of failure, for the outcome UNREACHABLE and for messages that a broker refused',
    }),
  ),
  error: Type.Optional(Type.String({ description: 'Description of the failure' })),
  hint: Type.Optional(Type.String({ description: 'How to fix it' })),
  durations: Durations,
  response: Type.Optional(RecordedResponse),
  receipt: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: 'For a queue: properties of the stored message, for example stream and sequence of NATS',
    }),
  ),
});

export function outcomeResponse(outcome: Outcome): Static<typeof OutcomeResponse> {
  const { response, phases } = outcome;
  return {
    outcome: outcome.kind.toUpperCase() as Static<typeof OutcomeResponse>['outcome'],
    ...(response && { statusCode: response.status }),
    ...('reason' in outcome && { reason: reasonName(outcome.reason) }),
    ...explainOutcome(outcome),
    durations: mapPhases(phases, hundredths),
    ...(response && { response: recordedResponse(response) }),
    ...('receipt' in outcome && { receipt: outcome.receipt }),
  };
}

const hundredths = (milliseconds: number) => Math.round(milliseconds * 100) / 100;

const phaseNames = Object.keys(Durations.properties) as (keyof Phases)[];

/** Omits absent phases. */
const mapPhases = (phases: { [Phase in keyof Phases]: Phases[Phase] | null }, map = (value: number) => value) =>
  Object.fromEntries(
    phaseNames.flatMap((name) => {
      const value = phases[name];
      return typeof value === 'number' ? [[name, map(value)]] : [];
    }),
  ) as Phases;

function recordedResponse({ headers, body, truncated }: ReceiverResponse): Static<typeof RecordedResponse> {
  const text = textOf(body, truncated);
  return text === undefined
    ? { headers, body: body.toString('base64'), bodyEncoding: 'BASE64', truncated }
    : { headers, body: text, bodyEncoding: 'UTF-8', truncated };
}

/** A truncated body may end within a character; that does not make it binary. */
function textOf(body: Buffer, truncated: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body, { stream: truncated });
  } catch {
    return undefined;
  }
}

const verdicts = ['DELIVERED', 'RETRY', 'DISCARDED', 'SUPERSEDED'] as const;

export const summaryColumns = [
  'number',
  'startedAt',
  'outcome',
  'statusCode',
  'reason',
  'detail',
  'totalMs',
  'verdict',
] as const;

/** The part of an attempt that lists show. */
export interface AttemptSummary extends Pick<Selectable<DB['attempts']>, (typeof summaryColumns)[number]> {
  outcome: Outcome['kind'];
  headers: string | null;
  reason: FailureReason | null;
  verdict: (typeof verdicts)[number];
}

export const detailColumns = [
  'url',
  'tokenMs',
  'dnsMs',
  'connectMs',
  'tlsMs',
  'firstByteMs',
  'replayId',
  // Null for attempts that older releases made.
  'requestSettingsId',
  'waitedMs',
  'traceparent',
] as const;

export interface Attempt extends AttemptSummary, Pick<Selectable<DB['attempts']>, (typeof detailColumns)[number]> {
  body: Buffer | null;
  truncated: boolean;
}

const { durations: _durations, response: _response, receipt: _receipt, ...outcomeSummary } = OutcomeResponse.properties;

export const AttemptSummaryResponse = Type.Object({
  at: Type.String(),
  ...outcomeSummary,
  durationMs: Type.Number(),
});

export const AttemptResponse = Type.Object({
  number: Type.Integer(),
  at: Type.String(),
  url: Type.String(),
  request: Type.Optional(SentRequest),
  ...OutcomeResponse.properties,
  verdict: Type.Enum([...verdicts], {
    description: 'Effect on the delivery. SUPERSEDED: sent, but another attempt decided the delivery',
  }),
  replayId: Type.Optional(Type.Integer()),
});

export function attemptSummaryResponse(attempt: AttemptSummary): Static<typeof AttemptSummaryResponse> {
  const { durations, response: _response, receipt: _receipt, ...summary } = outcomeResponse(outcomeOf(attempt));
  return { at: attempt.startedAt.toISOString(), ...summary, durationMs: durations.totalMs };
}

export const attemptResponse = (
  attempt: Attempt,
  request: Static<typeof SentRequest> | undefined,
): Static<typeof AttemptResponse> => ({
  number: attempt.number,
  at: attempt.startedAt.toISOString(),
  url: attempt.url,
  ...(request && { request }),
  ...outcomeResponse(outcomeOf(attempt)),
  verdict: attempt.verdict,
  ...(attempt.replayId !== null && { replayId: attempt.replayId }),
});

function outcomeOf(attempt: AttemptSummary & Partial<Attempt>): Outcome {
  const { statusCode, reason, detail } = attempt;
  const phases = mapPhases(attempt);
  const headers = JSON.parse(attempt.headers ?? '{}') as Record<string, string>;
  if (reason && isBrokerRefusal(reason)) return { kind: 'refused', reason, detail: detail ?? '', phases };
  if (attempt.outcome === 'delivered' && statusCode === null) {
    return { kind: 'delivered', receipt: headers as Receipt, phases };
  }
  const response = {
    status: statusCode ?? 0,
    headers,
    body: attempt.body ?? Buffer.alloc(0),
    truncated: attempt.truncated ?? false,
  };
  if (attempt.outcome !== 'unreachable') return { kind: attempt.outcome, response, phases };
  return {
    kind: 'unreachable',
    reason: reason ?? 'unreachable',
    detail: detail ?? '',
    ...(statusCode !== null && { response }),
    phases,
  };
}
