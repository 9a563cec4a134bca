import Type, { type Static } from 'typebox';
import { type Answer, explainOutcome, type Outcome, type Phases } from '../transport/outcome.ts';

const Milliseconds = Type.Optional(Type.Number());

const Durations = Type.Object(
  {
    dnsMs: Milliseconds,
    connectMs: Milliseconds,
    tlsMs: Milliseconds,
    firstByteMs: Milliseconds,
    totalMs: Type.Number(),
  },
  { description: 'Milliseconds by phase. The first three are absent when an open connection was used again' },
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
    ...explainOutcome(outcome),
    durations: mapPhases(phases, hundredths),
    ...(answer && { response: capturedAnswer(answer) }),
  };
}

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
