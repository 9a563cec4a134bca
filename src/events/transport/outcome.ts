import { STATUS_CODES } from 'node:http';
import { hintForReason, hintForStatus } from './failure-hints.ts';
import { retryAfterSeconds } from './retry-after.ts';

/** Milliseconds per phase. The first three are absent when a connection was reused. */
export type Phases = { dnsMs?: number; connectMs?: number; tlsMs?: number; firstByteMs?: number; totalMs: number };

export type ReceiverResponse = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  truncated: boolean;
};

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

/** Result of one delivery attempt. */
export type Outcome =
  | { kind: 'delivered'; response: ReceiverResponse; phases: Phases }
  | { kind: 'refused'; response: ReceiverResponse; retryAfterSeconds?: number; phases: Phases }
  | { kind: 'gone'; response: ReceiverResponse; phases: Phases }
  | {
      kind: 'unreachable';
      reason: UnreachableReason;
      detail: string;
      response?: ReceiverResponse;
      phases: Phases;
      /** This process lacks a resource: not counted as an attempt or against the receiver. */
      isLocalFailure?: true;
    };

/** The part of an outcome that the delivery log stores. */
type ExplainableOutcome =
  | { kind: 'delivered' }
  | { kind: 'refused' | 'gone'; response: Pick<ReceiverResponse, 'status' | 'headers'> }
  | { kind: 'unreachable'; reason: UnreachableReason; detail: string };

export function outcomeOfResponse(response: ReceiverResponse, phases: Phases, now: () => number): Outcome {
  const { status, headers } = response;
  if (status >= 200 && status < 300) return { kind: 'delivered', response, phases };
  if (status === 410) return { kind: 'gone', response, phases };
  const asked = headers['retry-after'];
  const wait = asked === undefined ? undefined : retryAfterSeconds(asked, now());
  if (wait === undefined) return { kind: 'refused', response, phases };
  return { kind: 'refused', response, retryAfterSeconds: wait, phases };
}

/** Error and hint for the delivery log; undefined for a success. */
export function explainOutcome(outcome: ExplainableOutcome): { error: string; hint: string } | undefined {
  switch (outcome.kind) {
    case 'delivered':
      return undefined;
    case 'unreachable':
      return { error: outcome.detail, hint: hintForReason[outcome.reason] };
    default:
      return { error: describeStatus(outcome.response), hint: hintForStatus(outcome.response.status) };
  }
}

function describeStatus({ status, headers }: Pick<ReceiverResponse, 'status' | 'headers'>): string {
  const phrase = STATUS_CODES[status];
  const responded = `The receiver responded with ${status}${phrase ? ` ${phrase}` : ''}`;
  const { location } = headers;
  if (status >= 300 && status < 400 && location) return `${responded} to ${location.slice(0, 200)}.`;
  return `${responded}.`;
}
