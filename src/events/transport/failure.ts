import { isIPv6 } from 'node:net';
import os from 'node:os';
import { type FailureReason, isBrokerRefusal, type Outcome, type Phases, type UnreachableReason } from './outcome.ts';

export interface Failure<Reason = UnreachableReason> {
  readonly reason: Reason;
  readonly detail: string;
  /** This process or its host lacks a resource; the receiver is not at fault. */
  readonly isLocalFailure?: true;
}

export type BrokerFailure = Failure<FailureReason>;

/** The outcome of a message that a broker did not store. */
export const failedOutcome = ({ reason, detail, isLocalFailure }: BrokerFailure, phases: Phases): Outcome =>
  isBrokerRefusal(reason)
    ? { kind: 'refused', reason, detail, phases }
    : { kind: 'unreachable', reason, detail, phases, ...(isLocalFailure && { isLocalFailure }) };

/** The stage of an exchange in which a failure happened. */
type Stage = 'waiting' | 'lookup' | 'proxy' | 'connect' | 'tls' | 'response' | 'head' | 'body';

const certificateProblems: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The certificate of the receiver has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the receiver is not valid yet.',
  CERT_REVOKED: 'The certificate of the receiver was revoked.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the receiver is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate of the receiver was issued by an unknown, self-signed authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The receiver does not send the intermediate certificate of its authority.',
  UNABLE_TO_GET_ISSUER_CERT: 'The certificate of the receiver was issued by an unknown authority.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate of the receiver was issued by an unknown authority.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the receiver is for another host name.',
  HOSTNAME_MISMATCH: 'The certificate of the receiver is for another host name.',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'The receiver supports neither TLS 1.2 nor TLS 1.3.',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'The receiver supports neither TLS 1.2 nor TLS 1.3.',
  ERR_SSL_WRONG_VERSION_NUMBER: 'The receiver does not use TLS on this port.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'The receiver does not use TLS on this port.',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'The receiver does not offer HTTP/1.1 over TLS.',
};

/** By the end of the code of a TLS alert. */
const clientCertificateProblems: Record<string, string> = {
  ALERT_CERTIFICATE_REQUIRED: 'The receiver requires a client certificate.',
  ALERT_UNKNOWN_CA: 'The receiver does not trust the authority of the client certificate.',
  ALERT_CERTIFICATE_EXPIRED: 'The receiver rejected the client certificate because it has expired.',
  ALERT_CERTIFICATE_REVOKED: 'The receiver rejected the client certificate because it was revoked.',
  ALERT_BAD_CERTIFICATE: 'The receiver rejected the client certificate.',
  ALERT_UNSUPPORTED_CERTIFICATE: 'The receiver rejected the client certificate.',
  ALERT_CERTIFICATE_UNKNOWN: 'The receiver rejected the client certificate.',
};

const closedMessages: Record<Stage, string> = {
  waiting: 'The connection was closed before it was open.',
  lookup: 'The connection was closed before it was open.',
  proxy: 'The egress proxy closed the connection.',
  connect: 'The connection was closed before it was open.',
  tls: 'The receiver closed the connection during the TLS handshake.',
  response: 'The receiver closed the connection without a response.',
  head: 'The receiver closed the connection before the headers of its response were complete.',
  body: 'The receiver closed the connection before its response was complete.',
};

export function localFailure(detail: string): Failure {
  return { reason: 'unreachable', detail, isLocalFailure: true };
}

const networkFailures: Record<string, Failure> = {
  ECONNREFUSED: { reason: 'connection-refused', detail: 'The receiver refused the connection.' },
  ETIMEDOUT: { reason: 'timeout', detail: 'Connecting to the receiver timed out.' },
  EHOSTUNREACH: { reason: 'unreachable', detail: 'There is no route to the receiver.' },
  ENETUNREACH: { reason: 'unreachable', detail: 'There is no route to the network of the receiver.' },
  EHOSTDOWN: { reason: 'unreachable', detail: 'The host of the receiver is down.' },
  ENETDOWN: localFailure('The network of this service is down.'),
  EADDRNOTAVAIL: localFailure('This service has no free local port.'),
  EADDRINUSE: localFailure('This service has no free local port.'),
  EACCES: { reason: 'unreachable', detail: 'A firewall of this service blocked the connection.' },
  EPERM: { reason: 'unreachable', detail: 'A firewall of this service blocked the connection.' },
  EMFILE: localFailure('This service has too many open files and connections.'),
  ENFILE: localFailure('The host of this service has too many open files and connections.'),
  ENOMEM: localFailure('This service is out of memory for connections.'),
  ENOBUFS: localFailure('This service is out of memory for connections.'),
};

const withoutIpv6: Failure = {
  reason: 'unreachable',
  detail: 'The receiver has only IPv6 addresses, and this service has none. Add an IPv4 address to the receiver.',
};

/** EADDRNOTAVAIL also means that no local port is free, but then this host has a public IPv6 address. */
function isIpv6Missing({ code = '', address = '' }: ConnectError): boolean {
  if (!isIPv6(address)) return false;
  if (code === 'EAFNOSUPPORT') return true;
  return code === 'EADDRNOTAVAIL' && !Object.values(os.networkInterfaces()).flat().some(isPublicIpv6);
}

const isPublicIpv6 = (one: os.NetworkInterfaceInfo | undefined): boolean =>
  one?.family === 'IPv6' && !one.internal && one.scopeid === 0;

const resets = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE']);

type ConnectError = NodeJS.ErrnoException & { address?: string };

export function failureOf(error: ConnectError, stage: Stage): Failure {
  // One error per address of the receiver.
  if (error instanceof AggregateError) {
    const errors: ConnectError[] = error.errors;
    const [first] = [...errors.filter((one) => !isIpv6Missing(one)), ...errors];
    if (first) return failureOf(first, stage);
  }
  if (isIpv6Missing(error)) return withoutIpv6;
  const { code = '' } = error;
  const known = networkFailures[code];
  if (known) return known;
  if (isReset(error)) return closedEarly(stage);
  const certificate = certificateProblems[code] ?? clientCertificateProblems[code.slice(code.indexOf('ALERT_'))];
  if (certificate) return { reason: 'tls', detail: certificate };
  const cause = code || error.message;
  if (stage === 'tls') return { reason: 'tls', detail: `The TLS handshake failed (${cause}).` };
  if (stage === 'lookup' || stage === 'connect') {
    return { reason: 'unreachable', detail: `The connection could not be opened (${cause}).` };
  }
  return { reason: 'unreachable', detail: `The connection was lost (${cause}).` };
}

export function closedEarly(stage: Stage): Failure {
  return { reason: 'connection-reset', detail: closedMessages[stage] };
}

export function malformedResponse(cause: string): Failure {
  return { reason: 'protocol', detail: `The response is not valid HTTP/1.1 (${cause}).` };
}

export function isReset({ code = '' }: NodeJS.ErrnoException): boolean {
  return resets.has(code);
}

export function timeoutFailure(stage: Stage, timeoutMs: number): Failure {
  const limit = `${timeoutMs / 1000} s`;
  const detail: Record<Stage, string> = {
    waiting: `All connections to the receiver were in use for ${limit}.`,
    lookup: `The host name was not resolved within ${limit}.`,
    proxy: `The egress proxy did not connect to the receiver within ${limit}.`,
    connect: `The connection was not opened within ${limit}.`,
    tls: `The TLS handshake was not finished within ${limit}.`,
    response: `No response within ${limit} after the request was sent.`,
    head: `The receiver did not send complete response headers within ${limit}.`,
    body: `The response was not complete within ${limit}.`,
  };
  return { reason: 'timeout', detail: detail[stage] };
}
