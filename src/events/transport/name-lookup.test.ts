import { expect, test } from 'vitest';
import { nameServer, noNameServer, typeAaaa } from '../../../test/support/loopback-name-server.ts';
import { delivery, eventually, httpReceiver, senderFor } from '../../../test/support/loopback-receivers.ts';
import { resolveTarget, type TargetPolicy } from './address-guard.ts';
import { lookUpName } from './name-lookup.ts';

const onlyOneOpen: TargetPolicy = { allow: ['127.0.0.1/32'], requireHttps: false };

test('does not connect to an address that a name resolves to after the check', async () => {
  const { queriedNames } = await nameServer({ 'rebinding.example': [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']] });
  const receiver = await httpReceiver((_request, response) => response.end());
  const outcome = await senderFor({ policy: onlyOneOpen }).send(delivery(`http://rebinding.example:${receiver.port}/`));
  expect(outcome).toMatchObject({ kind: 'delivered' });
  expect(queriedNames).toHaveLength(1);
});

test('checks a name again for each new connection', async () => {
  await nameServer({ 'rebinding.example': [['127.0.0.1'], ['10.0.0.1']] });
  const receiver = await httpReceiver((_request, response) => response.writeHead(200, { connection: 'close' }).end());
  const sender = senderFor({ policy: onlyOneOpen });
  const url = `http://rebinding.example:${receiver.port}/`;
  expect(await sender.send(delivery(url))).toMatchObject({ kind: 'delivered' });
  expect(await sender.send(delivery(url))).toMatchObject({ kind: 'unreachable', reason: 'dns' });
});

test.for([
  [['93.184.215.14', '10.0.0.1']],
  [['93.184.215.14', '::1']],
  [['2606:4700::1111', '::ffff:10.0.0.1']],
  [['93.184.215.14', 'fe80::1']],
])('one guarded address among %s refuses the name', async ([addresses = []]) => {
  await nameServer({ 'mixed.example': [addresses] });
  const target = await resolveTarget(new URL('https://mixed.example/'), { allow: [], requireHttps: true });
  expect(target).toEqual({ unresolved: expect.stringContaining('mixed.example') });
});

test('connects to the next address if the first does not respond', async () => {
  await nameServer({ 'two.example': [['127.0.0.2', '127.0.0.1']] });
  const receiver = await httpReceiver((_request, response) => response.end());
  const outcome = await senderFor().send(delivery(`http://two.example:${receiver.port}/`));
  expect(outcome).toMatchObject({ kind: 'delivered' });
});

test('does not wait for name servers that ignore AAAA queries', async () => {
  const { state } = await nameServer({ 'fine.example': [['127.0.0.1']] });
  state.ignoredType = typeAaaa;
  const receiver = await httpReceiver((_request, response) => response.end());
  // Less than the time limit of one query.
  const outcome = await senderFor({ timeoutMs: 2000 }).send(delivery(`http://fine.example:${receiver.port}/`));
  expect(outcome).toMatchObject({ kind: 'delivered' });
});

test('shares one look-up among connections opened together', async () => {
  const { queriedNames } = await nameServer({ 'shared.example': [['127.0.0.1']] });
  const receiver = await httpReceiver((_request, response) => response.end());
  const sender = senderFor({ connectionsPerHost: 10 });
  const sends = Array.from({ length: 10 }, () => sender.send(delivery(`http://shared.example:${receiver.port}/`)));
  expect(await Promise.all(sends)).toMatchObject(Array(10).fill({ kind: 'delivered' }));
  expect(receiver.connections()).toBe(10);
  expect(queriedNames).toHaveLength(1);
});

test('times out a hanging look-up and does not start a second one', async () => {
  const { queriedNames } = await nameServer({ 'hanging.example': 'silent' });
  const sender = senderFor({ timeoutMs: 100 });
  for (let i = 0; i < 2; i++) {
    const outcome = await sender.send(delivery('https://hanging.example/'));
    expect(outcome).toMatchObject({ reason: 'timeout', detail: 'The host name was not resolved within 0.1 s.' });
  }
  expect(new Set(queriedNames)).toEqual(new Set(['hanging.example']));
});

test('hanging look-ups do not block other partners or the operating system', async () => {
  const hanging = Array.from({ length: 40 }, (_, index) => `hanging-${index}.example`);
  const { queriedNames } = await nameServer({
    'fine.example': [['127.0.0.1']],
    ...Object.fromEntries(hanging.map((name) => [name, 'silent' as const])),
  });
  const receiver = await httpReceiver((_request, response) => response.end());
  const sender = senderFor({ timeoutMs: 5000 });
  const stuck = hanging.map((name) => sender.send({ ...delivery(`http://${name}/`), owner: 1 }));
  await eventually(() => new Set(queriedNames).size).toBe(16);
  const fine = await sender.send({ ...delivery(`http://fine.example:${receiver.port}/`), owner: 2 });
  expect(fine).toMatchObject({ kind: 'delivered' });
  expect(new Set(queriedNames).size).toBe(17);
  const outcomes = await Promise.all(stuck);
  expect(outcomes).toMatchObject(Array(40).fill({ kind: 'unreachable' }));
});

test('a look-up that waits for others of its partner does not delay the same name for other partners', async () => {
  const hanging = Array.from({ length: 16 }, (_, index) => `hanging-${index}.example`);
  const { queriedNames } = await nameServer({
    'fine.example': [['127.0.0.1']],
    ...Object.fromEntries(hanging.map((name) => [name, 'silent' as const])),
  });
  const settled: string[] = [];
  const look = (name: string, owner: number) =>
    lookUpName(name, owner).then((result) => {
      settled.push(`${name} of ${owner}`);
      return result;
    });
  const stuck = hanging.map((name) => look(name, 1));
  const waiting = [look('fine.example', 1), look('fine.example', 1)];
  const address = [{ address: '127.0.0.1', family: 4 }];
  expect(await look('fine.example', 2)).toEqual(address);
  expect(settled).toEqual(['fine.example of 2']);
  await Promise.all(stuck);
  expect(await Promise.all(waiting)).toEqual([address, address]);
  expect(queriedNames.filter((name) => name === 'fine.example')).toHaveLength(2);
});

test('a delivery that timed out frees its connection slot while its look-up waits', async () => {
  const hanging = Array.from({ length: 16 }, (_, index) => `hanging-${index}.example`);
  await nameServer({
    'fine.example': [['127.0.0.1']],
    ...Object.fromEntries(hanging.map((name) => [name, 'silent' as const])),
  });
  const receiver = await httpReceiver((_request, response) => response.end());
  const sender = senderFor({ connectionsPerHost: 1 });
  let isStuck = true;
  const stuck = hanging.map(async (name) => {
    await lookUpName(name, 1);
    isStuck = false;
  });
  const request = delivery(`http://fine.example:${receiver.port}/`);
  const late = sender.send({ ...request, owner: 1, timeoutMs: 500 });
  expect(await sender.send({ ...request, owner: 2 })).toMatchObject({ kind: 'delivered' });
  expect(await late).toMatchObject({ reason: 'timeout', detail: 'The host name was not resolved within 0.5 s.' });
  expect(isStuck).toBe(true);
  await Promise.all(stuck);
});

test('resolves localhost names to loopback without DNS', async () => {
  const { queriedNames } = await nameServer({});
  expect(await lookUpName('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
  expect(await lookUpName('hooks.localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
  expect(queriedNames).toEqual([]);
});

test.for([
  ['missing.example', /does not exist/],
  ['empty.example', /has no address/],
  ['broken.example', /failed \(ESERVFAIL\)/],
] as const)('explains the failure of %s', async ([name, words]) => {
  await nameServer({ 'empty.example': [[]], 'broken.example': 'broken' });
  const outcome = await senderFor().send(delivery(`https://${name}/`));
  expect(outcome).toMatchObject({ reason: 'dns', detail: expect.stringMatching(words) });
});

test('fails for an internal name as for a name that does not exist', async () => {
  await nameServer({ 'db.internal.example': [['10.0.0.7']] });
  const sender = senderFor({ policy: { allow: [], requireHttps: false } });
  const [inside, missing] = await Promise.all(
    ['db', 'xx'].map(async (name) => {
      const { phases, ...outcome } = await sender.send(delivery(`https://${name}.internal.example/`));
      expect(Object.keys(phases)).toEqual(['dnsMs', 'totalMs']);
      return JSON.stringify(outcome);
    }),
  );
  expect(inside).toBe(missing?.replace('xx.', 'db.'));
  expect(inside).not.toContain('10.0.0.7');
});

const fast = { timeoutMs: 500 };

test.for(['silent', 'broken', 'refusing'] as const)(
  'name servers that are %s for every name are a fault of this service',
  { timeout: 30_000 },
  async (failure) => {
    await nameServer({}, failure);
    const outcomes = await Promise.all([
      senderFor(fast).send(delivery('https://fine.example/')),
      senderFor({ timeoutMs: 15_000 }).send(delivery('https://other.example/')),
    ]);
    expect(outcomes).toMatchObject(Array(2).fill({ kind: 'unreachable', isLocalFailure: true }));
  },
);

test('reports a local failure when no name server is running', async () => {
  await noNameServer();
  const outcome = await senderFor().send(delivery('https://fine.example/'));
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'dns', isLocalFailure: true });
});

test.for(['missing', 'silent', 'broken', 'refusing'] as const)(
  'one name that is %s, while the name servers respond, is a fault of its owner',
  { timeout: 30_000 },
  async (failure) => {
    await nameServer(failure === 'missing' ? {} : { 'dead.example': failure });
    const outcomes = await Promise.all([
      senderFor(fast).send(delivery('https://dead.example/')),
      senderFor({ timeoutMs: 15_000 }).send(delivery('https://dead.example/')),
    ]);
    expect(outcomes).toMatchObject(Array(2).fill({ kind: 'unreachable' }));
    for (const outcome of outcomes) expect(outcome).not.toHaveProperty('isLocalFailure');
  },
);

test.for(['silent', 'broken'] as const)(
  'one name that is %s is a fault of its owner, also if the name servers refuse queries for the root',
  { timeout: 30_000 },
  async (failure) => {
    await nameServer({ 'dead.example': failure, '': 'refusing' });
    const outcome = await senderFor(failure === 'silent' ? fast : {}).send(delivery('https://dead.example/'));
    expect(outcome).toMatchObject({ kind: 'unreachable' });
    expect(outcome).not.toHaveProperty('isLocalFailure');
  },
);
