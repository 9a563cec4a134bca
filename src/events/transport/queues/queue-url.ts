import type { QueueCredentials } from '../../signing/queue-credentials.ts';
import { checkHost, checkPushUrl, checkText, type Refusal, type TargetPolicy } from '../address-guard.ts';

/** A queue of a broker, as named by a push URL. */
export interface Queue {
  broker: 'rabbitmq' | 'nats';
  /** Host and port of the broker, for the address guard. https means TLS. */
  url: URL;
  /** RabbitMQ only. */
  virtualHost: string;
  /** RabbitMQ only; empty for the default exchange. */
  exchange: string;
  /** Routing key or subject. `{type}` stands for the event type. */
  key: string;
}

const schemes: Record<string, { broker: Queue['broker']; isSecure: boolean; port: number }> = {
  'amqps:': { broker: 'rabbitmq', isSecure: true, port: 5671 },
  'amqp:': { broker: 'rabbitmq', isSecure: false, port: 5672 },
  'tls:': { broker: 'nats', isSecure: true, port: 4222 },
  'nats:': { broker: 'nats', isSecure: false, port: 4222 },
};

const rabbitForm =
  'Use the form amqps://user:password@rabbitmq.example.com/vhost?queue=NAME, or ?exchange=NAME&routingKey=KEY.';
const natsForm = 'Use the form tls://user:password@nats.example.com?subject=SUBJECT.';
// The limit of AMQP, with the longest event type.
const maxNameBytes = 255;
const longestType = 'X'.repeat(50);

export const isQueueUrl = (text: string): boolean => schemeOf(text) !== undefined;

const schemeOf = (text: string) => schemes[`${text.slice(0, text.indexOf(':')).toLowerCase()}:`];

/** Host and port that deliveries connect to, without DNS. */
export function checkDestination(text: string, policy: TargetPolicy): URL | Refusal {
  if (!isQueueUrl(text)) return checkPushUrl(text, policy);
  const refusal = checkText(text);
  if (refusal) return refusal;
  const queue = parseQueueUrl(text);
  return 'rule' in queue ? queue : (checkHost(queue.url, policy) ?? queue.url);
}

/** Scheme, host and port of a push URL. */
export function originOf(pushUrl: string): string | undefined {
  if (!isQueueUrl(pushUrl)) return URL.parse(pushUrl)?.origin;
  const queue = parseQueueUrl(pushUrl);
  return 'rule' in queue ? undefined : queue.url.origin;
}

export function parseQueueUrl(text: string): Queue | Refusal {
  const scheme = schemeOf(text);
  const url = URL.parse(text);
  if (!scheme || !url) return { rule: 'syntax', message: `The push URL is not a valid URL. ${rabbitForm}` };
  const { broker, isSecure, port } = scheme;
  const form = broker === 'rabbitmq' ? rabbitForm : natsForm;
  // The parser normalizes hosts of http and https only.
  const address = URL.parse(`${isSecure ? 'https' : 'http'}://${url.hostname}:${url.port || port}`);
  if (!address?.hostname) return { rule: 'host', message: `The push URL has no valid host. ${form}` };
  if (text.includes('#')) return { rule: 'fragment', message: `The push URL contains a fragment (#). ${form}` };
  if (url.port === '0') return { rule: 'port', message: 'The push URL has port 0. Use the port of the broker.' };
  if (credentialsOf(text) === 'malformed') {
    return { rule: 'credentials', message: 'The user name or password of the push URL is not percent-encoded.' };
  }
  const named = broker === 'rabbitmq' ? rabbitNames(url) : natsNames(url);
  return 'rule' in named ? named : { broker, url: address, ...named };
}

type Names = Pick<Queue, 'virtualHost' | 'exchange' | 'key'>;

function rabbitNames(url: URL): Names | Refusal {
  const parameters = readParameters(url, ['queue', 'exchange', 'routingKey'], rabbitForm);
  if ('rule' in parameters) return parameters;
  const { queue, exchange, routingKey } = parameters;
  if ((queue === undefined) === (exchange === undefined) || (queue !== undefined && routingKey !== undefined)) {
    return { rule: 'queue', message: `The push URL must name either a queue or an exchange. ${rabbitForm}` };
  }
  const path = url.pathname.slice(1);
  const virtualHost = path === '' ? '/' : decoded(path);
  if (virtualHost === undefined || path.includes('/') || Buffer.byteLength(virtualHost) > maxNameBytes) {
    return { rule: 'virtualHost', message: 'The virtual host of the push URL is not valid. Percent-encode it.' };
  }
  return { virtualHost, exchange: exchange ?? '', key: queue ?? routingKey ?? '{type}' };
}

const subjectToken = /^[^\s.*>\p{Cc}]+$/u;

function natsNames(url: URL): Names | Refusal {
  const parameters = readParameters(url, ['subject'], natsForm);
  if ('rule' in parameters) return parameters;
  if (url.pathname !== '' && url.pathname !== '/') {
    return { rule: 'path', message: `The push URL has a path, which NATS does not have. ${natsForm}` };
  }
  const { subject } = parameters;
  if (!subject?.split('.').every((token) => subjectToken.test(token))) {
    return {
      rule: 'subject',
      message: `The push URL must name a subject without spaces, wildcards and empty parts. ${natsForm}`,
    };
  }
  return { virtualHost: '', exchange: '', key: subject };
}

function readParameters<Name extends string>(
  { searchParams }: URL,
  names: readonly Name[],
  form: string,
): Partial<Record<Name, string>> | Refusal {
  for (const [name, value] of searchParams) {
    const problem = !names.includes(name as Name)
      ? 'is unknown'
      : searchParams.getAll(name).length > 1
        ? 'is repeated'
        : value === ''
          ? 'is empty'
          : Buffer.byteLength(value.replaceAll('{type}', longestType)) > maxNameBytes &&
            `is longer than ${maxNameBytes} bytes`;
    if (problem) return { rule: 'parameter', message: `The parameter ${name} of the push URL ${problem}. ${form}` };
  }
  return Object.fromEntries(searchParams) as Partial<Record<Name, string>>;
}

const userinfo = /^([a-z]+:\/\/)[^/?#]*@/i;

/** The push URL as it is stored and shown. */
export const withoutCredentials = (pushUrl: string): string =>
  isQueueUrl(pushUrl) ? pushUrl.replace(userinfo, '$1') : pushUrl;

/** Undefined if the push URL has none. */
export function queueCredentials(pushUrl: string): QueueCredentials | undefined {
  const credentials = isQueueUrl(pushUrl) ? credentialsOf(pushUrl) : undefined;
  return credentials === 'malformed' ? undefined : credentials;
}

function credentialsOf(text: string): QueueCredentials | 'malformed' | undefined {
  const url = URL.parse(text);
  if (!url?.username && !url?.password) return undefined;
  const [username, password] = [decoded(url.username), decoded(url.password)];
  return username === undefined || password === undefined || /[\p{Cc}]/u.test(username + password)
    ? 'malformed'
    : { username, password };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
