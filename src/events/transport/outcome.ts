import { STATUS_CODES } from 'node:http';

/** Milliseconds per phase. Those of a new connection (DNS, connect, TLS) are absent when a connection was reused. */
export type Phases = {
  /** Until an access token was available, if one was requested. */
  tokenMs?: number;
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  firstByteMs?: number;
  totalMs: number;
};

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
  'token',
] as const;
export type UnreachableReason = (typeof unreachableReasons)[number];

/** Why a broker refused a message. */
export const brokerRefusals = ['credentials', 'unroutable', 'rejected'] as const;
export type BrokerRefusal = (typeof brokerRefusals)[number];

export type FailureReason = UnreachableReason | BrokerRefusal;

export const isBrokerRefusal = (reason: FailureReason): reason is BrokerRefusal =>
  brokerRefusals.some((refusal) => refusal === reason);

/** Properties of a stored message, as the broker reports them. */
export type Receipt = Readonly<Record<string, string>>;

/** Result of one delivery attempt. */
export type Outcome = HttpOutcome | BrokerOutcome;

type BrokerOutcome =
  | { kind: 'delivered'; response?: undefined; receipt: Receipt; phases: Phases }
  | { kind: 'refused'; response?: undefined; reason: BrokerRefusal; detail: string; phases: Phases };

export type HttpOutcome =
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
  | { kind: 'refused' | 'unreachable'; reason: FailureReason; detail: string };

export function outcomeOfResponse(response: ReceiverResponse, phases: Phases, now: () => number): HttpOutcome {
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
  if (outcome.kind === 'delivered') return undefined;
  if ('reason' in outcome) return { error: outcome.detail, hint: hintForReason[outcome.reason] };
  return { error: describeStatus(outcome.response), hint: hintForStatus(outcome.response.status) };
}

function describeStatus({ status, headers }: Pick<ReceiverResponse, 'status' | 'headers'>): string {
  const phrase = STATUS_CODES[status];
  const responded = `The receiver responded with ${status}${phrase ? ` ${phrase}` : ''}`;
  const origin = status >= 300 && status < 400 && originOf(headers.location);
  return origin ? `${responded} to ${origin}.` : `${responded}.`;
}

/** Without path and query, which can repeat a token of the push URL: errors are part of events and e-mails. */
function originOf(location = ''): string | undefined {
  const url = URL.parse(location);
  return url?.host ? `${url.protocol}//${url.host}`.slice(0, 200) : undefined;
}

// RFC 9110, section 5.6.7: the current date format and the two obsolete ones that recipients must accept.
const httpDate = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? .*\d\d:\d\d:\d\d/;

/** Retry-After in whole seconds from now; undefined if the value is invalid. */
export function retryAfterSeconds(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  if (!httpDate.test(text)) return undefined;
  // The asctime format has no zone and means GMT; Date.parse would assume local time.
  const date = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

const hintForReason: Record<FailureReason, string> = {
  timeout:
    'Respond with a 2xx status as soon as the event is stored, and process it afterwards. If there is never a response, check that the host is up and that its firewall allows this service. For a queue, check that the broker has no memory or disk alarm.',
  dns: 'Check the spelling of the host in the push URL, that its DNS records are public, and that its name servers respond.',
  'connection-refused':
    'No server accepts connections on this port. Check the port in the push URL, that the receiver is running, and that no firewall rejects the connection.',
  'connection-reset':
    'The receiver or a proxy in front of it closed the connection. Check their logs for crashes, restarts and limits.',
  tls: 'Install a valid certificate for this host name, with its intermediate certificates, and allow TLS 1.2 or 1.3. If the receiver requires a client certificate, set a valid clientCertificate of the webhook.',
  guarded:
    'Set the push URL to a host with a public IP address. For development, allow a range with WAYPOST_ALLOW_TARGETS.',
  protocol:
    'Check that the push URL points to an HTTP/1.1 server, or to a broker of its scheme, and that the port is the one for TLS or without TLS as in the URL.',
  unreachable: 'The host cannot be reached. Check that it is up, its routes and its firewall.',
  token:
    'The delivery was not sent. Check the token URL, client id, client secret and scope of the webhook, and that the token server responds.',
  credentials:
    'Set the push URL again with a valid user name and password, token or access key, and allow the user to publish.',
  unroutable:
    'Create the exchange, the queue and its binding, the topic, or the stream for the subject, or correct the push URL.',
  rejected:
    'The broker did not store the message. Check its logs, and its limits for queues, streams, topics and messages.',
};

const hints: Record<number, string> = {
  400: 'The receiver rejected the request as invalid. Check its logs and the response body recorded here.',
  401: 'The receiver requires authentication. Deliveries are authenticated by signature: exempt the push URL and verify the signature, or set oauth or a header of the webhook.',
  403: 'The receiver denied access. Check its firewall, bot protection and allowlists for this push URL.',
  404: 'The receiver has no endpoint at this path. Check the path of the push URL.',
  405: 'The endpoint does not accept POST. Accept POST at this path, or correct the push URL.',
  408: 'The receiver timed out waiting for the request. Check the proxy in front of it.',
  410: 'The receiver reported that the endpoint is gone, so the webhook was disabled. Correct the push URL and enable the webhook again.',
  411: 'The receiver did not get a Content-Length header. Check the proxy in front of it.',
  413: 'The request body is larger than the receiver allows. Raise its limit for request bodies.',
  415: 'The receiver does not accept application/json. Accept JSON at this path.',
  421: 'The receiver does not serve this host name. Check the host of the push URL and its certificate.',
  429: 'The receiver applied a rate limit. Retry-After is honoured. Raise the limit or allow bursts.',
  501: 'The receiver does not implement POST. Correct the push URL or the receiver.',
  502: 'A proxy in front of the receiver could not reach it. Check that the application behind it is running.',
  503: 'The receiver is overloaded or under maintenance. The delivery is retried, and Retry-After is honoured.',
  504: 'A proxy in front of the receiver timed out waiting for it. Store the event, respond with 2xx, and process it afterwards.',
};

function hintForStatus(status: number): string {
  const known = hints[status];
  if (known) return known;
  if (status >= 300 && status < 400) return 'Redirects are not followed. Set the push URL to the final URL.';
  if (status >= 400 && status < 500) return 'The receiver rejected the delivery. Check its logs and its response.';
  if (status >= 500 && status < 600) return 'The receiver failed. Check its logs for the error.';
  return 'The status code is not defined by HTTP. Respond with a 2xx status once the event is stored.';
}
