import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import amqp from 'amqplib';
import { type Certificate, createCertificate } from './certificates.ts';
import { freePort } from './free-port.ts';
import { ElasticMqBroker, KafkaBroker } from './java-brokers.ts';
import {
  type BrokerCommand,
  type BrokerMessage,
  login,
  password,
  startMs,
  TestBroker,
  username,
} from './test-broker.ts';

const rabbitProgram = '/usr/lib/rabbitmq/bin/rabbitmq-server';

class RabbitMqBroker extends TestBroker {
  static async create(authority?: Certificate): Promise<RabbitMqBroker> {
    const ports = { port: await freePort(), node: await freePort(), epmd: await freePort(), tls: await freePort() };
    return new RabbitMqBroker(ports, authority && (await createCertificate({ issuer: authority })));
  }

  static get isInstalled(): boolean {
    return spawnSync('test', ['-x', rabbitProgram]).status === 0;
  }

  readonly #ports: { node: number; epmd: number; tls: number };

  private constructor(
    { port, ...ports }: { port: number; node: number; epmd: number; tls: number },
    certificate?: Certificate,
  ) {
    super('RabbitMQ', port);
    this.#ports = ports;
    const settings = [
      `listeners.tcp.1 = 127.0.0.1:${port}`,
      `default_user = ${username}`,
      `default_pass = ${password}`,
    ];
    if (certificate) {
      const files = this.writeCertificate(certificate);
      settings.push(
        `listeners.ssl.1 = 127.0.0.1:${ports.tls}`,
        `ssl_options.certfile = ${files.cert}`,
        `ssl_options.keyfile = ${files.key}`,
      );
    }
    writeFileSync(join(this.folder, 'rabbitmq.conf'), `${settings.join('\n')}\n`);
    writeFileSync(join(this.folder, 'plugins'), '[].');
  }

  url(queue: string, credentials = login, port = this.port): string {
    return `amqp://${credentials}@127.0.0.1:${port}/?queue=${queue}`;
  }

  secureUrl(queue: string): string {
    return `amqps://${login}@localhost:${this.#ports.tls}/?queue=${queue}`;
  }

  unroutableUrl(): string {
    return `amqp://${login}@127.0.0.1:${this.port}/?exchange=unknown`;
  }

  create(queue: string): Promise<void> {
    return this.#use((channel) => channel.assertQueue(queue, { durable: true }));
  }

  async read(queue: string): Promise<BrokerMessage[]> {
    const messages: BrokerMessage[] = [];
    await this.#use(async (channel) => {
      const { messageCount } = await channel.checkQueue(queue);
      const { promise, resolve } = Promise.withResolvers<void>();
      if (messageCount === 0) resolve();
      // Not acknowledged: the messages stay in the queue.
      await channel.consume(queue, (message) => {
        if (!message) return;
        const { contentType, messageId, deliveryMode } = message.properties;
        const headers = message.properties.headers as Record<string, string>;
        const properties = { 'property:content-type': contentType, 'property:message-id': messageId };
        messages.push({
          body: message.content.toString(),
          headers: { ...headers, ...properties, 'property:delivery-mode': String(deliveryMode) },
        });
        if (messages.length === messageCount) resolve();
      });
      await promise;
    });
    return messages;
  }

  override async stop(): Promise<void> {
    await super.stop();
    // The port mapper of Erlang is a process of its own.
    const until = Date.now() + startMs;
    while (spawnSync('epmd', ['-port', `${this.#ports.epmd}`, '-kill']).status !== 0) {
      if (Date.now() > until) throw new Error('The port mapper of Erlang did not stop.');
      await wait(100);
    }
  }

  /** Starts the port mapper first: the server exits if its own one does not listen in time. */
  override async start(): Promise<void> {
    const mapper = (...args: string[]) =>
      spawnSync('epmd', ['-port', `${this.#ports.epmd}`, '-address', '127.0.0.1', ...args], { stdio: 'ignore' });
    const until = Date.now() + startMs;
    while (mapper('-names').status !== 0) {
      if (Date.now() > until) throw new Error('The port mapper of Erlang did not start.');
      mapper('-daemon');
      await wait(100);
    }
    await super.start();
  }

  protected command(): BrokerCommand {
    const env = {
      HOME: this.folder,
      RABBITMQ_NODENAME: `waypost${this.port}@localhost`,
      RABBITMQ_CONFIG_FILE: join(this.folder, 'rabbitmq.conf'),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(this.folder, 'plugins'),
      RABBITMQ_MNESIA_BASE: join(this.folder, 'data'),
      RABBITMQ_LOG_BASE: join(this.folder, 'log'),
      RABBITMQ_PID_FILE: join(this.folder, 'pid'),
      RABBITMQ_DIST_PORT: `${this.#ports.node}`,
      ERL_EPMD_PORT: `${this.#ports.epmd}`,
      ERL_EPMD_ADDRESS: '127.0.0.1',
      // The program replaces the script, so that a signal reaches it.
      RUNNING_UNDER_SYSTEMD: 'true',
      // Idle schedulers do not keep the processor busy.
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none',
    };
    return { program: rabbitProgram, env };
  }

  protected isReady(): Promise<void> {
    return this.#use(async () => {});
  }

  async #use(work: (channel: amqp.Channel) => Promise<unknown>): Promise<void> {
    const connection = await amqp.connect(`amqp://${login}@127.0.0.1:${this.port}`);
    try {
      await work(await connection.createChannel());
    } finally {
      await connection.close();
    }
  }
}

class NatsBroker extends TestBroker {
  static async create(authority?: Certificate): Promise<NatsBroker> {
    return new NatsBroker(await freePort(), authority && (await createCertificate({ issuer: authority })));
  }

  readonly #certificate: Certificate | undefined;

  private constructor(port: number, certificate?: Certificate) {
    super('NATS', port);
    this.#certificate = certificate;
  }

  static get isInstalled(): boolean {
    return spawnSync('nats-server', ['--version']).status === 0;
  }

  url(queue: string, credentials = login, port = this.port): string {
    return `nats://${credentials}@127.0.0.1:${port}?subject=${queue}`;
  }

  secureUrl(queue: string): string {
    return `tls://${login}@localhost:${this.port}?subject=${queue}`;
  }

  unroutableUrl(): string {
    return this.url('unknown');
  }

  create(queue: string): Promise<void> {
    return this.#use(async (connection) => {
      const manager = await jetstreamManager(connection);
      await manager.streams.add({ name: queue, subjects: [queue, `${queue}.*`] });
    });
  }

  async read(queue: string): Promise<BrokerMessage[]> {
    const messages: BrokerMessage[] = [];
    await this.#use(async (connection) => {
      const manager = await jetstreamManager(connection);
      const { state } = await manager.streams.info(queue);
      if (state.messages === 0) return;
      const consumer = await jetstream(connection).consumers.get(queue, { deliver_policy: DeliverPolicy.All });
      const received = await consumer.consume();
      for await (const message of received) {
        const headers = [...(message.headers ?? [])].map(([name, values]) => [name, values.join()]);
        messages.push({ body: message.string(), headers: Object.fromEntries(headers) });
        if (messages.length === state.messages) break;
      }
    });
    return messages;
  }

  protected command(): BrokerCommand {
    const files = this.#certificate && this.writeCertificate(this.#certificate);
    const config = {
      ...(files && { tls: { cert_file: files.cert, key_file: files.key }, allow_non_tls: true }),
      listen: `127.0.0.1:${this.port}`,
      jetstream: { store_dir: this.folder },
      authorization: { user: username, password },
    };
    const file = join(this.folder, 'nats.conf');
    writeFileSync(file, JSON.stringify(config));
    return { program: 'nats-server', args: ['-c', file] };
  }

  protected isReady(): Promise<void> {
    return this.#use(async (connection) => {
      await jetstreamManager(connection);
    });
  }

  async #use(work: (connection: Awaited<ReturnType<typeof connectNats>>) => Promise<void>): Promise<void> {
    const connection = await connectNats({
      servers: `127.0.0.1:${this.port}`,
      user: username,
      pass: password,
      reconnect: false,
      tls: null,
    });
    try {
      await work(connection);
    } finally {
      await connection.close();
    }
  }
}

/** The brokers that tests run with, if they are installed. */
export const testBrokers = [
  { name: 'RabbitMQ', isInstalled: RabbitMqBroker.isInstalled, create: RabbitMqBroker.create },
  { name: 'NATS', isInstalled: NatsBroker.isInstalled, create: NatsBroker.create },
  { name: 'Kafka', isInstalled: KafkaBroker.isInstalled, create: KafkaBroker.create },
  { name: 'ElasticMQ (SQS)', isInstalled: ElasticMqBroker.isInstalled, create: ElasticMqBroker.create },
] as const;

/** Forwards connections to a broker and counts them. */
export async function countingProxy(to: number): Promise<{ port: number; connections: () => number; close(): void }> {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    const target = net.connect(to, '127.0.0.1');
    for (const one of [socket, target]) one.on('error', () => {});
    socket.pipe(target).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    connections: () => connections,
    close: () => server.close(),
  };
}
