import type { BrokerRefusal, FailureReason } from '../outcome.ts';
import { int8, int16, int32 } from './binary.ts';
import { type Broker, type BrokerLink, brokerText, type Publication } from './broker.ts';
import {
  type Api,
  apis,
  array,
  bytes,
  nullString,
  partitionOf,
  ResponseParser,
  type ResponseReader,
  recordBatch,
  request,
  string,
} from './kafka-wire.ts';
import { saslClient } from './sasl.ts';

type OnResponse = (fields: ResponseReader) => void;

const allReplicas = int16(-1);
/** Kafka handles the requests of a connection one by one. A second one is sent meanwhile. */
const maxProduces = 2;
/** Less than Kafka accepts by default, 1 MiB. */
const maxBatchBytes = 256 * 1024;
const withoutCreation = int8(0);

interface KafkaError {
  name: string;
  reason: BrokerRefusal;
  /** The leaders have changed, so the metadata must be read again. */
  isOutdated?: true;
  /** One message is the cause, and the others of the batch can be stored without it. */
  isOfBatch?: true;
}

/** By error code. */
const errors: Readonly<Record<number, KafkaError>> = {
  3: { name: 'UNKNOWN_TOPIC_OR_PARTITION', reason: 'unroutable', isOutdated: true },
  5: { name: 'LEADER_NOT_AVAILABLE', reason: 'rejected', isOutdated: true },
  6: { name: 'NOT_LEADER_OR_FOLLOWER', reason: 'rejected', isOutdated: true },
  7: { name: 'REQUEST_TIMED_OUT', reason: 'rejected' },
  10: { name: 'MESSAGE_TOO_LARGE', reason: 'rejected', isOfBatch: true },
  17: { name: 'INVALID_TOPIC_EXCEPTION', reason: 'unroutable' },
  19: { name: 'NOT_ENOUGH_REPLICAS', reason: 'rejected' },
  20: { name: 'NOT_ENOUGH_REPLICAS_AFTER_APPEND', reason: 'rejected' },
  29: { name: 'TOPIC_AUTHORIZATION_FAILED', reason: 'credentials' },
  31: { name: 'CLUSTER_AUTHORIZATION_FAILED', reason: 'credentials' },
  33: { name: 'UNSUPPORTED_SASL_MECHANISM', reason: 'credentials' },
  34: { name: 'ILLEGAL_SASL_STATE', reason: 'credentials' },
  44: { name: 'POLICY_VIOLATION', reason: 'rejected' },
  56: { name: 'KAFKA_STORAGE_ERROR', reason: 'rejected', isOutdated: true },
  58: { name: 'SASL_AUTHENTICATION_FAILED', reason: 'credentials' },
  87: { name: 'INVALID_RECORD', reason: 'rejected', isOfBatch: true },
};

const errorOf = (code: number): KafkaError => errors[code] ?? { name: `error ${code}`, reason: 'rejected' };

/** Publishes to a topic of Kafka. Each message is stored by the leader of its partition and all in-sync replicas. */
export class Kafka implements Broker {
  readonly #link: BrokerLink;
  readonly #responses = new ResponseParser();
  /** Requests without a response. Kafka responds in the order of the requests. */
  readonly #open: { id: number; onResponse: OnResponse }[] = [];
  /** URL of the leader by partition; undefined if a partition has none. */
  #leaders: (URL | undefined)[] = [];
  /** Messages that are not sent, oldest first. */
  readonly #waiting: Publication[] = [];
  /** Messages of a refused batch: they are sent again without others. */
  readonly #alone = new WeakSet<Publication>();
  /** Produce requests without a response. */
  #produces = 0;
  #lastId = 0;

  constructor(link: BrokerLink) {
    this.#link = link;
  }

  connected(): void {
    this.#request(apis.apiVersions, [], (fields) => this.#onVersions(fields));
  }

  receive(received: Buffer): void {
    for (const fields of this.#responses.parse(received)) {
      const open = this.#open.shift();
      if (fields.int32() !== open?.id) throw new Error('a response to another request');
      open.onResponse(fields);
      if (!this.#link.isOpen) return;
    }
  }

  /** The leader of the partition of a message, if it is another broker. */
  serverFor({ group }: Publication): URL | undefined {
    const leader = this.#leaders[this.#partitionOf(group)];
    return leader && leader.origin !== this.#link.queue.url.origin ? leader : undefined;
  }

  publish(publication: Publication): void {
    this.#waiting.push(publication);
    this.#produce();
  }

  /** Messages that arrive while Kafka stores others are sent together. */
  #produce(): void {
    while (this.#produces < maxProduces && this.#waiting.length > 0) {
      const batches = Map.groupBy(this.#nextBatch(), ({ group }) => this.#partitionOf(group));
      if (batches.size === 0) continue;
      const now = Date.now();
      const partitions = [...batches].map(([partition, publications]) =>
        Buffer.concat([int32(partition), bytes(recordBatch(publications, now))]),
      );
      const timeoutMs = Math.max(...[...batches.values()].flat().map((publication) => publication.timeoutMs));
      const data = array(Buffer.concat([string(this.#link.queue.key), array(...partitions)]));
      this.#produces += 1;
      this.#request(apis.produce, [nullString, allReplicas, int32(timeoutMs), data], (fields) => {
        this.#produces -= 1;
        this.#onProduced(batches, fields);
        this.#produce();
      });
    }
  }

  /** Removes the next messages from those that wait. */
  #nextBatch(): Publication[] {
    let size = 0;
    let count = 0;
    for (const publication of this.#waiting) {
      size += publication.body.length;
      if (count > 0 && (size > maxBatchBytes || this.#alone.has(publication))) break;
      count += 1;
      if (this.#alone.has(publication)) break;
    }
    return this.#waiting.splice(0, count).filter(({ isSettled }) => !isSettled);
  }

  #partitionOf(group: string): number {
    return partitionOf(group, this.#leaders.length);
  }

  #request(api: Api, fields: readonly Buffer[], onResponse: OnResponse): void {
    this.#lastId += 1;
    this.#open.push({ id: this.#lastId, onResponse });
    this.#link.write(request(api, this.#lastId, ...fields));
  }

  #onVersions(fields: ResponseReader): void {
    const code = fields.int16();
    if (code !== 0) throw new Error(`the error ${code} of ApiVersions`);
    const supported = fields.array(() => ({ key: fields.int16(), min: fields.int16(), max: fields.int16() }));
    const { credentials } = this.#link.queue;
    const needed: Api[] = [apis.produce, apis.metadata];
    if (credentials) needed.push(apis.saslHandshake, apis.saslAuthenticate);
    for (const { name, key, version } of needed) {
      if (!supported.some((range) => range.key === key && range.min <= version && version <= range.max)) {
        this.#fail('protocol', `The broker does not support version ${version} of ${name}: use Kafka 2.1 or later.`);
        return;
      }
    }
    if (credentials) this.#authenticate();
    else this.#readMetadata();
  }

  #authenticate(): void {
    const { credentials = { username: '', password: '' }, mechanism = 'PLAIN' } = this.#link.queue;
    const client = saslClient(mechanism, credentials);
    const send = (message: Buffer): void => {
      this.#request(apis.saslAuthenticate, [bytes(message)], (fields) => {
        const [code, text, challenge] = [fields.int16(), fields.string(), fields.bytes()];
        if (code !== 0) return this.#refused(code, text);
        client.next(challenge).then(
          (next) => {
            if (!this.#link.isOpen) return;
            if (next) send(next);
            else this.#readMetadata();
          },
          ({ message }: Error) => this.#fail('credentials', `The broker sent ${message}.`),
        );
      });
    };
    this.#request(apis.saslHandshake, [string(mechanism)], (fields) => {
      const code = fields.int16();
      const accepted = fields.array(() => fields.string()).join(', ');
      if (code === 0) send(client.first());
      else this.#refused(code, `${mechanism} is not one of the mechanisms of the broker: ${accepted}`);
    });
  }

  #readMetadata(): void {
    const topics = array(string(this.#link.queue.key));
    this.#request(apis.metadata, [topics, withoutCreation], (fields) => this.#onMetadata(fields));
  }

  #onMetadata(fields: ResponseReader): void {
    fields.int32();
    const brokers = new Map(fields.array(() => [fields.int32(), this.#address(fields)] as const));
    fields.string();
    fields.int32();
    const [topic, ...others] = fields.array(() => topicOf(fields));
    if (!topic || others.length > 0 || topic.name !== this.#link.queue.key) throw new Error('another topic');
    if (topic.code !== 0) {
      this.#refused(topic.code, `topic ${topic.name}`);
      return;
    }
    const { partitions } = topic;
    const leaders = new Map(partitions.map(({ index, leader }) => [index, leader]));
    const isComplete = partitions.length > 0 && partitions.every((_, index) => leaders.has(index));
    if (!isComplete) throw new Error('a topic without some of its partitions');
    this.#leaders = partitions.map((_, index) => brokers.get(leaders.get(index) ?? -1));
    this.#link.ready();
  }

  /** An address that is no URL cannot be connected to. The guard checks the others. */
  #address(fields: ResponseReader): URL | undefined {
    const [host, port] = [fields.string(), fields.int32()];
    fields.string();
    const { protocol } = this.#link.queue.url;
    const url =
      hostCharacters.test(host) && URL.parse(`${protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`);
    return url || undefined;
  }

  #onProduced(batches: ReadonlyMap<number, Publication[]>, fields: ResponseReader): void {
    const [topic] = fields.array(() => ({ name: fields.string(), partitions: fields.array(() => storedOf(fields)) }));
    const stored = new Map(topic?.partitions.map(({ index, ...result }) => [index, result]));
    for (const [partition, publications] of batches) {
      const result = stored.get(partition);
      if (topic?.name !== this.#link.queue.key || !result) throw new Error('a confirmation of another message');
      this.#settle(publications, partition, result);
    }
  }

  #settle(publications: readonly Publication[], partition: number, { code, offset }: { code: number; offset: bigint }) {
    if (code === 0) {
      for (const [index, publication] of publications.entries()) {
        const position = { partition: String(partition), offset: String(offset + BigInt(index)) };
        publication.confirm({ topic: publication.key, ...position });
      }
      return;
    }
    const { name, reason, isOutdated, isOfBatch } = errorOf(code);
    if (isOfBatch && publications.length > 1) {
      for (const publication of publications) this.#alone.add(publication);
      this.#waiting.unshift(...publications);
      return;
    }
    const detail = `Kafka did not store the message: ${name}.`;
    for (const publication of publications) publication.fail({ reason, detail });
    if (isOutdated) this.#link.outdated();
  }

  #refused(code: number, text: string): void {
    const { name, reason } = errorOf(code);
    this.#fail(reason, `Kafka refused the connection: ${name} (${brokerText(text, this.#link.queue)}).`);
  }

  #fail(reason: FailureReason, detail: string): void {
    this.#link.fail({ reason, detail });
  }
}

const hostCharacters = /^[\w.:-]+$/;

const topicOf = (fields: ResponseReader) => ({
  code: fields.int16(),
  name: fields.string(),
  isInternal: fields.boolean(),
  partitions: fields.array(() => partitionFields(fields)),
});

function partitionFields(fields: ResponseReader): { index: number; leader: number } {
  fields.int16();
  const partition = { index: fields.int32(), leader: fields.int32() };
  // Replicas, and those in sync.
  for (let list = 0; list < 2; list += 1) fields.array(() => fields.int32());
  return partition;
}

function storedOf(fields: ResponseReader): { index: number; code: number; offset: bigint } {
  const stored = { index: fields.int32(), code: fields.int16(), offset: fields.int64() };
  // Times of the log.
  fields.int64();
  fields.int64();
  return stored;
}
