import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { explainOutcome, type Outcome } from '../../src/events/transport/outcome.ts';
import { countingProxy, testBrokers } from '../support/brokers.ts';
import { trustedAuthority } from '../support/certificates.ts';
import { loopbackOpen, senderFor } from '../support/loopback-receivers.ts';
import { queueRequest } from '../support/queue-request.ts';
import { brokerSecrets, type TestBroker } from '../support/test-broker.ts';

const startMs = 180_000;
// Brokers and their clients need more time than HTTP receivers on a busy machine.
const testMs = 60_000;
const connectionsPerHost = 8;
const trusted = trustedAuthority();

/** Properties of a message beside the headers of the delivery. */
const marks = {
  RabbitMQ: { 'property:message-id': '17', 'property:content-type': 'application/json', 'property:delivery-mode': '2' },
  NATS: { 'Nats-Msg-Id': expect.stringMatching(/^17@/) },
  Kafka: { 'property:key': 'locations/1' },
  'ElasticMQ (SQS)': { 'property:ApproximateReceiveCount': '1' },
};

/** The conformance suite of brokers: real servers, and messages read with the client of their makers. */
describe.each(testBrokers)('$name', { timeout: testMs }, ({ name, isInstalled, create }) => {
  let broker: TestBroker;
  let queues = 0;

  if (isInstalled) {
    beforeAll(async () => {
      broker = await create(trusted.authority);
      await broker.start();
    }, startMs);
    afterAll(() => broker.stop(), startMs);
  }

  async function newQueue(): Promise<string> {
    queues += 1;
    await broker.create(`queue-${queues}`);
    return `queue-${queues}`;
  }

  function expectNoSecret(outcome: Outcome): void {
    const shown = JSON.stringify([outcome, explainOutcome(outcome)]);
    for (const secret of brokerSecrets) expect(shown).not.toContain(secret);
  }

  const check = test.skipIf(!isInstalled);

  check('stores the body and the headers', async () => {
    const queue = await newQueue();
    const request = queueRequest(broker.url(queue), { id: '17', body: '{"event":{"name":"Café"}}' });
    const outcome = await senderFor().send(request);
    expect(outcome).toMatchObject({ kind: 'delivered', receipt: expect.any(Object) });
    expect(outcome.phases).toMatchObject({ connectMs: expect.any(Number), firstByteMs: expect.any(Number) });
    expectNoSecret(outcome);
    const [message, ...others] = await broker.read(queue);
    expect(others).toEqual([]);
    expect(message?.body).toBe(request.body);
    expect(message?.headers).toMatchObject(request.headers);
    expect(message?.headers).toMatchObject(marks[name]);
  });

  if (name === 'NATS') {
    check('stores an event once for each subject of a stream', async () => {
      const queue = await newQueue();
      const sender = senderFor();
      for (const subject of ['parent', 'parent', 'child']) {
        const request = queueRequest(broker.url(`${queue}.${subject}`), { id: '17' });
        expect(await sender.send(request)).toMatchObject({ kind: 'delivered' });
      }
      expect(await broker.read(queue)).toHaveLength(2);
    });
  }

  if (name === 'Kafka') {
    check('stores the messages of a group in one partition', async () => {
      const queue = await newQueue();
      const sender = senderFor();
      const groups = Array.from({ length: 12 }, (_, i) => `locations/${i % 6}`);
      for (const [i, group] of groups.entries()) {
        const outcome = await sender.send(queueRequest(broker.url(queue), { id: `${i}`, group }));
        expect(outcome).toMatchObject({ kind: 'delivered', receipt: { topic: queue, partition: expect.any(String) } });
      }
      const stored = await broker.read(queue);
      const partitions = stored.map(({ headers }) => `${headers['property:key']} ${headers['property:partition']}`);
      expect(new Set(partitions).size).toBe(6);
      expect(new Set(partitions.map((text) => text.split(' ')[1])).size).toBeGreaterThan(1);
    });

    check.each(['SCRAM-SHA-256', 'SCRAM-SHA-512'])('authenticates with %s', async (mechanism) => {
      const url = `${broker.url(await newQueue())}&mechanism=${mechanism}`;
      expect(await senderFor().send(queueRequest(url))).toMatchObject({ kind: 'delivered' });
      const refused = await senderFor().send(queueRequest(url.replace(broker.login, 'waypost-user:wrong-password')));
      expect(refused).toMatchObject({ kind: 'refused', reason: 'credentials' });
      expectNoSecret(refused);
    });

    check('reports a message that is too large', async () => {
      const request = queueRequest(broker.url(await newQueue()), { body: `"${'x'.repeat(1_100_000)}"` });
      const outcome = await senderFor().send(request);
      expect(outcome).toMatchObject({
        kind: 'refused',
        reason: 'rejected',
        detail: expect.stringContaining('TOO_LARGE'),
      });
    });
  }

  if (name === 'ElasticMQ (SQS)') {
    check('groups and deduplicates the messages of a FIFO queue', async () => {
      const queue = 'events.fifo';
      await broker.create(queue);
      const sender = senderFor();
      for (const id of ['1', '2', '2']) {
        const outcome = await sender.send(queueRequest(broker.url(queue), { id, group: 'locations/7' }));
        expect(outcome).toMatchObject({ kind: 'delivered', receipt: { messageId: expect.any(String) } });
      }
      const stored = await broker.read(queue);
      expect(stored.map(({ headers }) => headers['webhook-id'])).toEqual(['1', '2']);
      expect(stored[0]?.headers).toMatchObject({
        'property:MessageGroupId': 'locations/7',
        'property:MessageDeduplicationId': '1',
      });
    });

    check('stores more headers than a message has attributes', async () => {
      const queue = await newQueue();
      const request = queueRequest(broker.url(queue));
      const custom = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x-header-${i}`, `value ${i}`]));
      const headers = { ...request.headers, 'webhook-signature': 'v1,abc', ...custom, 'x-empty': '' };
      expect(await senderFor().send({ ...request, headers })).toMatchObject({ kind: 'delivered' });
      expect((await broker.read(queue))[0]?.headers).toMatchObject(headers);
    });
  }

  check('stores large messages and many at once, over few connections', { timeout: startMs }, async () => {
    const queue = await newQueue();
    const proxy = await countingProxy(broker.port);
    onTestFinished(proxy.close);
    const url = broker.url(queue, broker.login, proxy.port);
    const sender = senderFor({ connectionsPerHost, timeoutMs: startMs });
    const bodies = Array.from({ length: 300 }, (_, i) => `{"event":"${'x'.repeat(i * 800)}"}`);
    const sent = bodies.map((body, i) => sender.send(queueRequest(url, { id: `many-${i}`, body })));
    for (const { kind } of await Promise.all(sent)) expect(kind).toBe('delivered');
    const stored = await broker.read(queue);
    expect(stored.map(({ body }) => body).sort()).toEqual(bodies.sort());
    // HTTP connections have one request at a time.
    expect(proxy.connections()).toBeLessThanOrEqual(broker.name === 'ElasticMQ (SQS)' ? connectionsPerHost : 1);
  });

  check('uses the event type in the name of the queue', async () => {
    await broker.create('LOCATION_CREATED');
    expect(await senderFor().send(queueRequest(broker.url('{type}')))).toMatchObject({ kind: 'delivered' });
    expect(await broker.read('LOCATION_CREATED')).toHaveLength(1);
  });

  check('reports a queue that does not exist', async () => {
    const outcomes = [broker.url('missing'), broker.unroutableUrl()].map((url) => senderFor().send(queueRequest(url)));
    for (const outcome of await Promise.all(outcomes)) {
      expect(outcome).toMatchObject({ kind: 'refused', reason: 'unroutable' });
      expect(explainOutcome(outcome)?.hint).toContain('Create');
      expectNoSecret(outcome);
    }
  });

  check('reports refused credentials', async ({ skip }) => {
    const url = broker.url(await newQueue(), 'waypost-user:wrong-password');
    const outcome = await senderFor().send(queueRequest(url));
    if (!broker.checksCredentials) skip('The broker does not check credentials.');
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'credentials' });
    expect(outcome.phases.firstByteMs).toBeUndefined();
    expectNoSecret(outcome);
    expect(JSON.stringify(outcome)).not.toContain('wrong-password');
  });

  check('uses TLS and verifies the certificate', async () => {
    const queue = await newQueue();
    const request = queueRequest(broker.secureUrl(queue));
    const encryptedOnly = { policy: { ...loopbackOpen, requireHttps: true } };
    expect(await senderFor(encryptedOnly).send(request)).toMatchObject({ kind: 'delivered' });
    const otherName = broker.secureUrl(queue).replace('localhost', '127.0.0.1');
    const outcome = await senderFor().send(queueRequest(otherName));
    expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'tls' });
    expectNoSecret(outcome);
  });

  check('connects only to addresses that the guard allows', async () => {
    const proxy = await countingProxy(broker.port);
    onTestFinished(proxy.close);
    const url = broker.url('any', broker.login, proxy.port);
    const sender = senderFor({ policy: { allow: [], requireHttps: false } });
    for (const host of ['127.0.0.1', 'localhost']) {
      const outcome = await sender.send(queueRequest(url.replace('127.0.0.1', host)));
      expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'guarded' });
    }
    expect(proxy.connections()).toBe(0);
  });

  check(
    'delivers after the broker was restarted',
    async () => {
      const queue = await newQueue();
      const sender = senderFor();
      const request = (id: string) => queueRequest(broker.url(queue), { id });
      expect(await sender.send(request('1'))).toMatchObject({ kind: 'delivered' });
      await broker.kill();
      expect(await sender.send(request('2'))).toMatchObject({ kind: 'unreachable' });
      await broker.start();
      expect(await sender.send(request('3'))).toMatchObject({ kind: 'delivered' });
      const stored = (await broker.read(queue)).map(({ headers }) => headers['webhook-id']);
      expect(stored).toEqual(broker.isDurable ? ['1', '3'] : ['3']);
    },
    startMs,
  );
});
