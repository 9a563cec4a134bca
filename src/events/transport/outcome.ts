import { STATUS_CODES } from 'node:http';
import { adviceForReason, adviceForStatus } from './advice.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** Milliseconds; the last phase of a failed attempt until it failed. The first three are absent when an open connection was reused. */
export type Phases = { dnsMs?: number; connectMs?: number; tlsMs?: number; firstByteMs?: number; totalMs: number };

export type Answer = { status: number; headers: Readonly<Record<string, string>>; body: Buffer; truncated: boolean };

export const unreachableReasons = [
  'timeout',
  'dns',
  'connection-refused',
  'connection-reset',
  'tls',
  'guarded',
  'protocol',
  'unreachable',
] as const;
export type UnreachableReason = (typeof unreachableReasons)[number];

/** What came of one try to deliver. */
export type Outcome =
  | { kind: 'delivered'; answer: Answer; phases: Phases }
  | { kind: 'refused'; answer: Answer; retryAfterSeconds?: number; phases: Phases }
  | { kind: 'gone'; answer: Answer; phases: Phases }
  | {
      kind: 'unreachable';
      reason: UnreachableReason;
      detail: string;
      answer?: Answer;
      phases: Phases;
      /** A lack of this process or its machine: it counts neither as an attempt nor against the receiver. */
      isLocalFailure?: true;
    };

/** The part of an outcome that its explanation needs; the delivery log has no more than this. */
type Explicable =
  | { kind: 'delivered' }
  | { kind: 'refused' | 'gone'; answer: Pick<Answer, 'status' | 'headers'> }
  | { kind: 'unreachable'; reason: UnreachableReason; detail: string };

export function outcomeOfAnswer(answer: Answer, phases: Phases, now: () => number): Outcome {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return { kind: 'delivered', answer, phases };
  if (status === 410) return { kind: 'gone', answer, phases };
  const asked = headers['retry-after'];
  const wait = asked === undefined ? undefined : retryAfterSeconds(asked, now());
  if (wait === undefined) return { kind: 'refused', answer, phases };
  return { kind: 'refused', answer, retryAfterSeconds: wait, phases };
}

/** Plain words for whoever reads the delivery log, and what to do; nothing for a success. */
export function explainOutcome(outcome: Explicable): { error: string; hint: string } | undefined {
  switch (outcome.kind) {
    case 'delivered':
      return undefined;
    case 'unreachable':
      return { error: outcome.detail, hint: adviceForReason[outcome.reason] };
    default:
      return { error: describeStatus(outcome.answer), hint: adviceForStatus(outcome.answer.status) };
  }
}

function describeStatus({ status, headers }: Pick<Answer, 'status' | 'headers'>): string {
  const phrase = STATUS_CODES[status];
  const answered = `The receiver answered ${status}${phrase ? ` ${phrase}` : ''}`;
  const { location } = headers;
  if (status >= 300 && status < 400 && location) return `${answered} and points to ${location.slice(0, 200)}.`;
  return `${answered}.`;
}
