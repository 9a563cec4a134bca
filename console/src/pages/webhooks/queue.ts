import { t } from '../../texts/t.ts';

const sqs = 'Amazon SQS';
const names: Record<string, string> = {
  'amqps:': 'RabbitMQ',
  'amqp:': 'RabbitMQ',
  'tls:': 'NATS JetStream',
  'nats:': 'NATS JetStream',
  'kafkas:': 'Kafka',
  'kafka:': 'Kafka',
  'sqs:': sqs,
  'sqs+http:': sqs,
};

/** Whether a push URL names a queue of a broker. */
export const isQueue = (pushUrl: string): boolean => brokerOf(URL.parse(pushUrl)) !== undefined;

const brokerOf = (url: URL | null): string | undefined => (url ? names[url.protocol] : undefined);

/** The queue in words; undefined for other URLs and for URLs that are not complete. */
export function queueText(pushUrl: string): string | undefined {
  const url = URL.parse(pushUrl);
  const broker = brokerOf(url);
  if (!url?.host || !broker) return undefined;
  const [exchange, subject, topic] = ['exchange', 'subject', 'topic'].map((name) => url.searchParams.get(name));
  const queue =
    broker === sqs ? url.pathname.slice(1).replaceAll('%7Btype%7D', '{type}') : url.searchParams.get('queue');
  const values = { broker, host: url.host };
  if (topic) return t('webhooks.queue.topic', { ...values, topic });
  if (queue) return t('webhooks.queue.queue', { ...values, queue });
  if (subject) return t('webhooks.queue.subject', { ...values, subject });
  const key = url.searchParams.get('routingKey') ?? '{type}';
  return exchange ? t('webhooks.queue.exchange', { ...values, exchange, key }) : undefined;
}
