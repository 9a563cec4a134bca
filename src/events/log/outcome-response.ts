import Type, { type Static } from 'typebox';
import {
  type Answer,
  explainOutcome,
  type Outcome,
  type Phases,
  type UnreachableReason,
  unreachableReasons,
} from '../transport/outcome.ts';

type ReasonName =
  Uppercase<UnreachableReason> extends infer Name
    ? Name extends `${infer Left}-${infer Right}`
      ? `${Left}_${Right}`
      : Name
    : never;

const reasonName = (reason: UnreachableReason) => reason.replace('-', '_').toUpperCase() as ReasonName;
const reasonNames = unreachableReasons.map(reasonName);

const Milliseconds = Type.Optional(Type.Number());

const Durations = Type.Object(
  {
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
      'Milliseconds by phase. Without a statusCode the last phase is the one that failed. The first three are absent when an open connection was used again',
  },
);

const CapturedAnswer = Type.Object({
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
  bodyEncoding: Type.Enum(['UTF-8', 'BASE64'], { description: 'BASE64 when the body is not text' }),
  truncated: Type.Boolean({ description: 'There was more than is kept' }),
});

/** What came of a request to a receiver, as clients see it. */
export const OutcomeAnswer = Type.Object({
  outcome: Type.Enum(['DELIVERED', 'REFUSED', 'GONE', 'UNREACHABLE']),
  statusCode: Type.Optional(Type.Integer()),
  reason: Type.Optional(Type.Enum([...reasonNames], { description: 'What kind of failure made it UNREACHABLE' })),
  error: Type.Optional(Type.String({ description: 'What went wrong, in plain words' })),
  hint: Type.Optional(Type.String({ description: 'What to do about it' })),
  durations: Durations,
  response: Type.Optional(CapturedAnswer),
});

export function outcomeAnswer(outcome: Outcome): Static<typeof OutcomeAnswer> {
  const { answer, phases } = outcome;
  return {
    outcome: outcomeName(outcome.kind),
    ...(answer && { statusCode: answer.status }),
    ...reasonAnswer(outcome),
    ...explainOutcome(outcome),
    durations: mapPhases(phases, hundredths),
    ...(answer && { response: capturedAnswer(answer) }),
  };
}

/** As clients see it: CONNECTION_REFUSED. */
export const reasonAnswer = (outcome: Pick<Outcome, 'kind'> & { reason?: UnreachableReason | null }) =>
  outcome.kind === 'unreachable' && outcome.reason ? { reason: reasonName(outcome.reason) } : {};

export const outcomeName = (kind: Outcome['kind']) => kind.toUpperCase() as Static<typeof OutcomeAnswer>['outcome'];

export const hundredths = (milliseconds: number) => Math.round(milliseconds * 100) / 100;

/** The phases that there were. */
export const mapPhases = (phases: { [Phase in keyof Phases]: Phases[Phase] | null }, map = (value: number) => value) =>
  Object.fromEntries(
    Object.entries(phases).flatMap(([phase, value]) => (typeof value === 'number' ? [[phase, map(value)]] : [])),
  ) as Phases;

function capturedAnswer({ headers, body, truncated }: Answer): Static<typeof CapturedAnswer> {
  const text = textOf(body, truncated);
  return text === undefined
    ? { headers, body: body.toString('base64'), bodyEncoding: 'BASE64', truncated }
    : { headers, body: text, bodyEncoding: 'UTF-8', truncated };
}

/** A body that was cut may end within a character; that alone does not make it binary. */
function textOf(body: Buffer, truncated: boolean): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body, { stream: truncated });
  } catch {
    return undefined;
  }
}
