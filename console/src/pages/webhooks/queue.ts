import { t } from '../../texts/t.ts';

const names: Record<string, string> = {
  'amqps:': 'RabbitMQ',
  'amqp:': 'RabbitMQ',
  'tls:': 'NATS JetStream',
  'nats:': 'NATS JetStream',
};

/** Whether a push URL names a queue of a broker. */
export const isQueue = (pushUrl: string): boolean => brokerOf(URL.parse(pushUrl)) !== undefined;

const brokerOf = (url: URL | null): string | undefined => (url ? names[url.protocol] : undefined);

/** The queue in words; undefined for other URLs and for URLs that are not complete. */
export function queueText(pushUrl: string): string | undefined {
  const url = URL.parse(pushUrl);
  const broker = brokerOf(url);
  if (!url?.host || !broker) return undefined;
  const [queue, exchange, subject] = ['queue', 'exchange', 'subject'].map((name) => url.searchParams.get(name));
  const values = { broker, host: url.host };
  if (queue) return t('webhooks.queue.queue', { ...values, queue });
  if (subject) return t('webhooks.queue.subject', { ...values, subject });
  const key = url.searchParams.get('routingKey') ?? '{type}';
  return exchange ? t('webhooks.queue.exchange', { ...values, exchange, key }) : undefined;
}
