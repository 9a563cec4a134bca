import { createHash } from 'node:crypto';
import type { ClientIdentity, QueueCredentials } from '../../signing/webhook-credentials.ts';
import { checkHost, checkPushUrl, checkText, type Refusal, type TargetPolicy } from '../address-guard.ts';
import { type SaslMechanism, saslMechanisms } from './sasl.ts';

/** A queue of a broker, as named by a push URL. */
export interface Queue {
  broker: 'rabbitmq' | 'nats' | 'kafka' | 'sqs';
  /** Host and port of the broker, for the address guard. https means TLS. */
  url: URL;
  /** RabbitMQ only. */
  virtualHost: string;
  /** RabbitMQ only; empty for the default exchange. */
  exchange: string;
  /** Routing key, subject, topic, or account and name of a queue. `{type}` stands for the event type. */
  key: string;
  /** Kafka only. */
  mechanism?: SaslMechanism;
  /** Amazon SQS only. */
  region?: string;
}

const schemes: Record<string, { broker: Queue['broker']; isSecure: boolean; port: number }> = {
  'amqps:': { broker: 'rabbitmq', isSecure: true, port: 5671 },
  'amqp:': { broker: 'rabbitmq', isSecure: false, port: 5672 },
  'tls:': { broker: 'nats', isSecure: true, port: 4222 },
  'nats:': { broker: 'nats', isSecure: false, port: 4222 },
  'kafkas:': { broker: 'kafka', isSecure: true, port: 9093 },
  'kafka:': { broker: 'kafka', isSecure: false, port: 9092 },
  'sqs:': { broker: 'sqs', isSecure: true, port: 443 },
  'sqs+http:': { broker: 'sqs', isSecure: false, port: 80 },
};

const rabbitForm =
  'Use the form amqps://user:password@rabbitmq.example.com/vhost?queue=NAME, or ?exchange=NAME&routingKey=KEY.';
const natsForm = 'Use the form tls://user:password@nats.example.com?subject=SUBJECT.';
const kafkaForm =
  'Use the form kafkas://user:password@kafka.example.com:9093?topic=TOPIC, with &mechanism=SCRAM-SHA-512 if the broker requires it.';
const sqsForm =
  'Use the form sqs://KEY_ID:SECRET@sqs.eu-central-1.amazonaws.com/123456789012/NAME, with a percent-encoded secret.';
const readers: Record<Queue['broker'], Reader> = {
  rabbitmq: { form: rabbitForm, parameters: ['queue', 'exchange', 'routingKey'], read: rabbitNames },
  nats: { form: natsForm, parameters: ['subject'], withoutPath: 'NATS', read: natsNames },
  kafka: { form: kafkaForm, parameters: ['topic', 'mechanism'], withoutPath: 'Kafka', read: kafkaNames },
  sqs: { form: sqsForm, parameters: ['region'], read: sqsNames },
};
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
  const reader = readers[scheme?.broker ?? 'rabbitmq'];
  const { form } = reader;
  if (!scheme || !url) return { rule: 'syntax', message: `The push URL is not a valid URL. ${form}` };
  const { broker, isSecure, port } = scheme;
  // The parser normalizes hosts of http and https only.
  const address = URL.parse(`${isSecure ? 'https' : 'http'}://${url.hostname}:${url.port || port}`);
  if (!address?.hostname) return { rule: 'host', message: `The push URL has no valid host. ${form}` };
  if (text.includes('#')) return { rule: 'fragment', message: `The push URL contains a fragment (#). ${form}` };
  if (url.port === '0') return { rule: 'port', message: 'The push URL has port 0. Use the port of the broker.' };
  // A password with a slash ends up in the path, which is stored and shown.
  const credentials = credentialsOf(text);
  if (credentials === 'malformed' || url.pathname.includes('@')) {
    return { rule: 'credentials', message: 'The user name or password of the push URL is not percent-encoded.' };
  }
  if (broker === 'sqs' && credentials && !isAccessKey(credentials)) {
    return { rule: 'credentials', message: `The access key of the push URL is not visible ASCII text. ${sqsForm}` };
  }
  const refusal = checkParameters(url, reader);
  if (refusal) return refusal;
  if (reader.withoutPath && url.pathname !== '' && url.pathname !== '/') {
    return { rule: 'path', message: `The push URL has a path, which ${reader.withoutPath} does not have. ${form}` };
  }
  const named = reader.read(url, Object.fromEntries(url.searchParams));
  return 'rule' in named ? named : { broker, url: address, virtualHost: '', exchange: '', ...named };
}

type Parameters = Partial<Record<string, string>>;
type Names = Pick<Queue, 'key'> & Partial<Queue>;

interface Reader {
  form: string;
  parameters: readonly string[];
  /** Name of a broker whose push URLs have no path. */
  withoutPath?: string;
  read: (url: URL, parameters: Parameters) => Names | Refusal;
}

function rabbitNames(url: URL, { queue, exchange, routingKey }: Parameters): Names | Refusal {
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

function natsNames(_url: URL, { subject }: Parameters): Names | Refusal {
  if (!subject?.split('.').every((token) => subjectToken.test(token))) {
    return {
      rule: 'subject',
      message: `The push URL must name a subject without spaces, wildcards and empty parts. ${natsForm}`,
    };
  }
  return { key: subject };
}

// https://kafka.apache.org: letters, digits, dots, underscores and hyphens, up to 249 characters.
const topicName = /^(?!\.{1,2}$)[\w.-]{1,249}$/;

function kafkaNames(_url: URL, { topic = '', mechanism = 'PLAIN' }: Parameters): Names | Refusal {
  if (!topicName.test(withLongestType(topic))) {
    return {
      rule: 'topic',
      message: `The push URL must name a topic of up to 249 letters, digits, dots, underscores and hyphens. ${kafkaForm}`,
    };
  }
  const known = saslMechanisms.find((one) => one === mechanism);
  if (!known) {
    return { rule: 'mechanism', message: `The mechanism of the push URL must be ${saslMechanisms.join(', ')}.` };
  }
  return { key: topic, mechanism: known };
}

const queuePath = /^\/\w{1,64}\/[\w-]{1,80}$/;
const amazonHost = /\bsqs(?:-fips)?\.([a-z0-9-]+)\.(?:vpce\.)?(?:amazonaws\.com(?:\.cn)?|api\.aws)$/;
const regionName = /^[a-z0-9-]{1,64}$/;

/** The path of a queue is that of its URL at Amazon: account and name. */
function sqsNames(url: URL, parameters: Parameters): Names | Refusal {
  const path = decoded(url.pathname) ?? '';
  // The suffix counts: a name has up to 80 characters.
  if (!queuePath.test(withLongestType(path).replace(/\.fifo$/, '_fifo'))) {
    return {
      rule: 'queue',
      message: `The push URL must name the account and a queue of up to 80 letters, digits, underscores and hyphens. ${sqsForm}`,
    };
  }
  const region = parameters.region ?? amazonHost.exec(url.hostname.toLowerCase())?.[1];
  if (region === undefined || !regionName.test(region)) {
    return {
      rule: 'region',
      message: `The push URL must name a region: for a host that is not one of Amazon, add ?region=NAME. ${sqsForm}`,
    };
  }
  return { key: path.slice(1), region };
}

const withLongestType = (name: string): string => name.replaceAll('{type}', longestType);

function checkParameters({ searchParams }: URL, { parameters, form }: Reader): Refusal | undefined {
  const problemOf = (name: string, value: string): string | undefined => {
    if (!parameters.includes(name)) return 'is unknown';
    if (searchParams.getAll(name).length > 1) return 'is repeated';
    if (value === '') return 'is empty';
    const isTooLong = Buffer.byteLength(withLongestType(value)) > maxNameBytes;
    return isTooLong ? `is longer than ${maxNameBytes} bytes` : undefined;
  };
  for (const [name, value] of searchParams) {
    const problem = problemOf(name, value);
    if (problem) return { rule: 'parameter', message: `The parameter ${name} of the push URL ${problem}. ${form}` };
  }
  return undefined;
}

const userinfo = /^([a-z+]+:\/\/)[^/?#]*@/i;

/** The push URL as it is stored and shown. */
export const withoutCredentials = (pushUrl: string): string =>
  isQueueUrl(pushUrl) ? pushUrl.replace(userinfo, '$1') : pushUrl;

/** Whether the push URL of a queue has an empty user name, as in `amqps://@rabbitmq.example.com`. */
export const hasEmptyCredentials = (pushUrl: string): boolean =>
  isQueueUrl(pushUrl) && /^[a-z+]+:\/\/:?@/i.test(pushUrl);

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

/** Whether it can be part of a header of the signed request. */
export const isAccessKey = ({ username, password }: QueueCredentials): boolean =>
  /^[\x21-\x7e]+$/.test(username + password);

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The queue of a webhook, with everything that is needed to publish to it. */
export interface TargetQueue extends Queue {
  credentials: QueueCredentials | undefined;
  /** Messages with the same id share a connection. */
  connectionId: string;
}

interface QueueOwner {
  pushUrl: string;
  type: string;
  partnerId: number;
  credentials: QueueCredentials | undefined;
  identity: ClientIdentity | undefined;
}

/** Undefined if the push URL names no queue. */
export function targetQueue({ pushUrl, type, partnerId, credentials, identity }: QueueOwner): TargetQueue | undefined {
  if (!isQueueUrl(pushUrl)) return undefined;
  const queue = parseQueueUrl(pushUrl);
  if ('rule' in queue) return undefined;
  const key = queue.key.replaceAll('{type}', type);
  // One key per connection: Kafka names the leaders of a topic, and other brokers close a connection that used a wrong key.
  const parts = [partnerId, pushUrl, key, credentials?.username, credentials?.password, identity?.id];
  const connectionId = createHash('sha256').update(JSON.stringify(parts)).digest('base64');
  return { ...queue, key, credentials, connectionId };
}
