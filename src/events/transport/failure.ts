import type { UnreachableReason } from './outcome.ts';

export interface Failure {
  readonly reason: UnreachableReason;
  readonly detail: string;
  /** A lack of this process or its machine: it says nothing about the receiver. */
  readonly isLocalFailure?: true;
}

/** How far an exchange has come: where a failure happened decides what it means. */
export type Stage = 'lookup' | 'connect' | 'tls' | 'answer' | 'head' | 'body';

const certificateProblems: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The certificate of the receiver has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the receiver is not valid yet.',
  CERT_REVOKED: 'The certificate of the receiver was revoked.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the receiver is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate of the receiver comes from an unknown, self-signed authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The receiver does not send the intermediate certificate of its authority.',
  UNABLE_TO_GET_ISSUER_CERT: 'The authority that signed the certificate of the receiver is not known.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The authority that signed the certificate of the receiver is not known.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the receiver is for another host name.',
  HOSTNAME_MISMATCH: 'The certificate of the receiver is for another host name.',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'The receiver speaks neither TLS 1.2 nor TLS 1.3.',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'The receiver speaks neither TLS 1.2 nor TLS 1.3.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'The receiver does not speak TLS on this port.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'The receiver does not speak TLS on this port.',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'The receiver does not offer HTTP/1.1 over TLS.',
};

const closings: Record<Stage, string> = {
  lookup: 'The connection was closed before it was open.',
  connect: 'The connection was closed before it was open.',
  tls: 'The receiver closed the connection during the TLS handshake.',
  answer: 'The receiver closed the connection without an answer.',
  head: 'The receiver closed the connection before the headers of its response were complete.',
  body: 'The receiver closed the connection in the middle of its answer.',
};

function ownFault(detail: string): Failure {
  return { reason: 'unreachable', detail, isLocalFailure: true };
}

const networkFailures: Record<string, Failure> = {
  ECONNREFUSED: { reason: 'connection-refused', detail: 'The receiver refused the connection.' },
  ETIMEDOUT: { reason: 'timeout', detail: 'The receiver did not react to the attempt to connect.' },
  EHOSTUNREACH: { reason: 'unreachable', detail: 'No route leads to the receiver.' },
  ENETUNREACH: { reason: 'unreachable', detail: 'No route leads to the network of the receiver.' },
  EHOSTDOWN: { reason: 'unreachable', detail: 'The host of the receiver is down.' },
  ENETDOWN: ownFault('The network of this service is down.'),
  EADDRNOTAVAIL: ownFault('This service has no local port free to connect from.'),
  EADDRINUSE: ownFault('This service has no local port free to connect from.'),
  EACCES: { reason: 'unreachable', detail: 'A firewall on this service forbids the connection.' },
  EPERM: { reason: 'unreachable', detail: 'A firewall on this service forbids the connection.' },
  EMFILE: ownFault('This service has too many files and connections open.'),
  ENFILE: ownFault('The machine of this service has too many files and connections open.'),
  ENOMEM: ownFault('This service has no memory left for a connection.'),
  ENOBUFS: ownFault('This service has no memory left for a connection.'),
};

const resets = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE']);

export function failureOf(error: NodeJS.ErrnoException, stage: Stage): Failure {
  const { code = '' } = error;
  const known = networkFailures[code];
  if (known) return known;
  if (isReset(error)) return closedEarly(stage);
  const certificate = certificateProblems[code];
  if (certificate) return { reason: 'tls', detail: certificate };
  const cause = code || error.message;
  if (stage === 'tls') return { reason: 'tls', detail: `The TLS handshake failed (${cause}).` };
  if (stage === 'lookup' || stage === 'connect') {
    return { reason: 'unreachable', detail: `No connection could be made (${cause}).` };
  }
  return { reason: 'unreachable', detail: `The connection broke (${cause}).` };
}

export function closedEarly(stage: Stage): Failure {
  return { reason: 'connection-reset', detail: closings[stage] };
}

export function malformedAnswer(cause: string): Failure {
  return { reason: 'protocol', detail: `The answer is not valid HTTP/1.1 (${cause}).` };
}

/** Whether the other side went away, as opposed to saying something wrong. */
export function isReset({ code = '' }: NodeJS.ErrnoException): boolean {
  return resets.has(code);
}

export function lateness(stage: Stage, timeoutMs: number): Failure {
  const limit = `${timeoutMs / 1000} s`;
  const detail: Record<Stage, string> = {
    lookup: `The host name could not be looked up within ${limit}.`,
    connect: `Could not connect within ${limit}.`,
    tls: `The TLS handshake was not finished within ${limit}.`,
    answer: `No answer within ${limit}: the request was sent, and nothing came back.`,
    head: `The receiver sent something, but no complete response headers within ${limit}.`,
    body: `The answer began, but was not complete within ${limit}.`,
  };
  return { reason: 'timeout', detail: detail[stage] };
}
