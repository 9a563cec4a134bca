import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import tls from 'node:tls';
import { type Admin, Kafka, logLevel } from 'kafkajs';
import { vi } from 'vitest';
import { type Certificate, createCertificate } from './certificates.ts';
import { freePort } from './free-port.ts';
import {
  type BrokerCommand,
  type BrokerMessage,
  login,
  password,
  startMs,
  TestBroker,
  username,
} from './test-broker.ts';

/** Brokers that run with Java are tested if a variable names the folder with their jars (CONTRIBUTING.md). */
const jars = { kafka: process.env.TEST_KAFKA_JARS, elasticMq: process.env.TEST_ELASTICMQ_JARS };
const java = (folder = '') => ['-XX:+UseSerialGC', '-Xmx512m', '-cp', join(folder, '*')];

const mechanisms = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];
const partitions = 3;

interface KafkaPorts {
  port: number;
  internal: number;
  controller: number;
  tls: number;
}

/** A cluster of one node. Topics have several partitions. */
export class KafkaBroker extends TestBroker {
  static async create(authority?: Certificate): Promise<KafkaBroker> {
    const ports = {
      port: await freePort(),
      internal: await freePort(),
      controller: await freePort(),
      tls: await freePort(),
    };
    return new KafkaBroker(ports, authority && (await createCertificate({ issuer: authority })));
  }

  static get isInstalled(): boolean {
    return jars.kafka !== undefined;
  }

  readonly #ports: KafkaPorts;
  readonly #properties: string;

  private constructor(ports: KafkaPorts, certificate?: Certificate) {
    super('Kafka', ports.port);
    this.#ports = ports;
    this.#properties = join(this.folder, 'server.properties');
    const users = `org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}="${password}";`;
    const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
    const listeners = certificate ? ['OPEN', 'SECURE'] : ['OPEN'];
    const settings: Record<string, string | number> = {
      'process.roles': 'broker,controller',
      'node.id': 1,
      'controller.quorum.voters': `1@127.0.0.1:${ports.controller}`,
      'controller.listener.names': 'CONTROLLER',
      'inter.broker.listener.name': 'INTERNAL',
      'listener.security.protocol.map': 'OPEN:SASL_PLAINTEXT,SECURE:SASL_SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
      listeners: `OPEN://127.0.0.1:${ports.port},INTERNAL://127.0.0.1:${ports.internal},CONTROLLER://127.0.0.1:${ports.controller}`,
      'advertised.listeners': `OPEN://127.0.0.1:${ports.port},INTERNAL://127.0.0.1:${ports.internal}`,
      'sasl.enabled.mechanisms': ['PLAIN', ...mechanisms].join(),
      'log.dirs': join(this.folder, 'log'),
      'auto.create.topics.enable': 'false',
      'num.partitions': partitions,
      'offsets.topic.replication.factor': 1,
      'offsets.topic.num.partitions': 1,
      'transaction.state.log.replication.factor': 1,
      'transaction.state.log.min.isr': 1,
      'group.initial.rebalance.delay.ms': 0,
    };
    for (const listener of listeners.map((name) => `listener.name.${name.toLowerCase()}`)) {
      settings[`${listener}.plain.sasl.jaas.config`] = users;
      for (const one of mechanisms) settings[`${listener}.${one.toLowerCase()}.sasl.jaas.config`] = scram;
    }
    if (certificate) {
      settings.listeners += `,SECURE://127.0.0.1:${ports.tls}`;
      settings['advertised.listeners'] += `,SECURE://localhost:${ports.tls}`;
      settings['ssl.keystore.type'] = 'PEM';
      settings['ssl.keystore.certificate.chain'] = onOneLine(certificate.cert);
      settings['ssl.keystore.key'] = onOneLine(certificate.key);
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(this.#properties, lines.join(''));
    const scramUsers = mechanisms.flatMap((one) => ['--add-scram', `${one}=[name=${username},password=${password}]`]);
    const format = ['format', '--cluster-id', 'waypost-test-cluster01', '--config', this.#properties, ...scramUsers];
    execFileSync('java', [...java(jars.kafka), 'kafka.tools.StorageTool', ...format], { stdio: 'ignore' });
  }

  url(queue: string, credentials = login, port = this.port): string {
    return `kafka://${credentials}@127.0.0.1:${port}?topic=${queue}`;
  }

  secureUrl(queue: string): string {
    return `kafkas://${login}@localhost:${this.#ports.tls}?topic=${queue}`;
  }

  unroutableUrl(): string {
    return this.url('unknown');
  }

  create(queue: string): Promise<void> {
    return this.#use(async (admin) => {
      await admin.createTopics({ topics: [{ topic: queue }], waitForLeaders: true });
      // Leaders are named before they accept requests.
      await vi.waitFor(() => admin.fetchTopicOffsets(queue), { timeout: startMs });
    });
  }

  async read(queue: string): Promise<BrokerMessage[]> {
    const messages: BrokerMessage[] = [];
    let expected = 0;
    await this.#use(async (admin) => {
      const offsets = await admin.fetchTopicOffsets(queue);
      expected = offsets.reduce((sum, { high }) => sum + Number(high), 0);
    });
    if (expected === 0) return messages;
    const consumer = this.#client().consumer({ groupId: `read-${crypto.randomUUID()}` });
    await consumer.connect();
    await consumer.subscribe({ topic: queue, fromBeginning: true });
    const { promise, resolve } = Promise.withResolvers<void>();
    await consumer.run({
      eachMessage: async ({ partition, message }) => {
        const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
        const properties = { 'property:key': String(message.key), 'property:partition': String(partition) };
        messages.push({ body: String(message.value), headers: { ...Object.fromEntries(headers), ...properties } });
        if (messages.length === expected) resolve();
      },
    });
    await promise;
    await consumer.disconnect();
    return messages;
  }

  protected command(): BrokerCommand {
    return { program: 'java', args: [...java(jars.kafka), 'kafka.Kafka', this.#properties] };
  }

  protected isReady(): Promise<void> {
    return this.#use((admin) => admin.listTopics());
  }

  #client(): Kafka {
    return new Kafka({
      brokers: [`127.0.0.1:${this.port}`],
      sasl: { mechanism: 'plain', username, password },
      logLevel: logLevel.NOTHING,
      retry: { retries: 3 },
    });
  }

  async #use(work: (admin: Admin) => Promise<unknown>): Promise<void> {
    const admin = this.#client().admin();
    try {
      await admin.connect();
      await work(admin);
    } finally {
      await admin.disconnect();
    }
  }
}

const onOneLine = (pem: string): string => pem.trim().replaceAll('\r', '').replaceAll('\n', ' ');

const account = '000000000000';

/** The interface of Amazon SQS without its checks of credentials, in memory. TLS ends at a proxy of the test. */
export class ElasticMqBroker extends TestBroker {
  static async create(authority?: Certificate): Promise<ElasticMqBroker> {
    const broker = new ElasticMqBroker(await freePort());
    if (authority) await broker.#serveTls(await createCertificate({ issuer: authority }));
    return broker;
  }

  static get isInstalled(): boolean {
    return jars.elasticMq !== undefined;
  }

  readonly #config: string;
  readonly #queues = new Set<string>();
  #secure: tls.Server | undefined;

  private constructor(port: number) {
    super('ElasticMQ (SQS)', port);
    this.#config = join(this.folder, 'elasticmq.conf');
    const settings = `
      include classpath("application.conf")
      node-address { protocol = http, host = "127.0.0.1", port = ${port}, context-path = "" }
      rest-sqs { enabled = true, bind-hostname = "127.0.0.1", bind-port = ${port}, sqs-limits = strict }
      rest-stats { enabled = false }
      aws { region = eu-central-1, accountId = ${account} }
`;
    writeFileSync(this.#config, settings);
  }

  override get checksCredentials(): boolean {
    return false;
  }

  override get isDurable(): boolean {
    return false;
  }

  /** Creates the queues that existed before. */
  override async start(): Promise<void> {
    await super.start();
    for (const queue of this.#queues) await this.create(queue);
  }

  url(queue: string, credentials = login, port = this.port): string {
    return `sqs+http://${credentials}@127.0.0.1:${port}/${account}/${queue}?region=eu-central-1`;
  }

  secureUrl(queue: string): string {
    if (!this.#secure) throw new Error('The broker was created without an authority.');
    const { port } = this.#secure.address() as net.AddressInfo;
    return `sqs://${login}@localhost:${port}/${account}/${queue}?region=eu-central-1`;
  }

  unroutableUrl(): string {
    return this.url('unknown');
  }

  async create(queue: string): Promise<void> {
    this.#queues.add(queue);
    const isFifo = queue.endsWith('.fifo');
    await this.#call('CreateQueue', { QueueName: queue, ...(isFifo && { Attributes: { FifoQueue: 'true' } }) });
  }

  async read(queue: string): Promise<BrokerMessage[]> {
    const QueueUrl = `http://127.0.0.1:${this.port}/${account}/${queue}`;
    const messages: BrokerMessage[] = [];
    const receipts: string[] = [];
    for (;;) {
      const { Messages = [] } = await this.#call('ReceiveMessage', {
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        AttributeNames: ['All'],
      });
      if (Messages.length === 0) break;
      for (const { Body, MessageAttributes, Attributes, ReceiptHandle } of Messages) {
        const own = Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]);
        const { headers = '{}', ...attributes } = Object.fromEntries(own);
        const properties = Object.entries(Attributes).map(([name, value]) => [`property:${name}`, value]);
        messages.push({
          body: Body,
          headers: { ...attributes, ...JSON.parse(headers), ...Object.fromEntries(properties) },
        });
        receipts.push(ReceiptHandle);
      }
    }
    // Visible again: the messages stay in the queue.
    for (let from = 0; from < receipts.length; from += 10) {
      const Entries = receipts
        .slice(from, from + 10)
        .map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }));
      await this.#call('ChangeMessageVisibilityBatch', { QueueUrl, Entries });
    }
    return messages;
  }

  override async stop(): Promise<void> {
    this.#secure?.close();
    await super.stop();
  }

  protected command(): BrokerCommand {
    const settings = [`-Dconfig.file=${this.#config}`, ...java(jars.elasticMq)];
    return { program: 'java', args: [...settings, 'org.elasticmq.server.Main'] };
  }

  protected async isReady(): Promise<void> {
    await this.#call('ListQueues', {});
  }

  async #serveTls(certificate: Certificate): Promise<void> {
    this.#secure = tls.createServer({ ...certificate }, (socket) => {
      const target = net.connect(this.port, '127.0.0.1');
      for (const one of [socket, target]) one.on('error', () => {});
      socket.pipe(target).pipe(socket);
    });
    this.#secure.listen(0, '127.0.0.1');
    await once(this.#secure, 'listening');
  }

  async #call(action: string, body: object): Promise<SqsResult> {
    const response = await fetch(`http://127.0.0.1:${this.port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${action}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  }
}

interface SqsResult {
  Messages?: {
    Body: string;
    ReceiptHandle: string;
    Attributes: Record<string, string>;
    MessageAttributes: Record<string, { StringValue: string }>;
  }[];
}
