import type { LookupAddress } from 'node:dns';
import resolver from 'node:dns/promises';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { resolveTarget, type TargetPolicy } from './address-guard.ts';
import { delivery, httpReceiver, senderFor } from './loopback-receivers.ts';

// The one part of the outside world that a test cannot start on loopback: the resolver of the operating system.
const lookup = vi.spyOn(resolver, 'lookup');
afterAll(() => lookup.mockRestore());

const onlyOneOpen: TargetPolicy = { allow: ['127.0.0.1/32'], requireHttps: false };

function answering(...answers: string[][]) {
  for (const answer of answers) {
    const addresses: LookupAddress[] = answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    lookup.mockResolvedValueOnce(addresses as never);
  }
}

beforeEach(() => {
  lookup.mockReset();
});

test('a name that changes its address after the check is not followed there', async () => {
  answering(['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']);
  const receiver = await httpReceiver((_request, response) => response.end());
  const outcome = await senderFor({ policy: onlyOneOpen }).send(delivery(`http://rebinding.example:${receiver.port}/`));
  expect(outcome).toMatchObject({ kind: 'delivered' });
  expect(lookup).toHaveBeenCalledTimes(1);
});

test('a name is checked again for every new connection', async () => {
  answering(['127.0.0.1'], ['10.0.0.1']);
  const receiver = await httpReceiver((_request, response) => response.writeHead(200, { connection: 'close' }).end());
  const sender = senderFor({ policy: onlyOneOpen });
  const url = `http://rebinding.example:${receiver.port}/`;
  expect(await sender.send(delivery(url))).toMatchObject({ kind: 'delivered' });
  expect(await sender.send(delivery(url))).toMatchObject({ kind: 'unreachable', reason: 'guarded' });
});

test.for([
  [['93.184.215.14', '10.0.0.1']],
  [['93.184.215.14', '::1']],
  [['2606:4700::1111', '::ffff:10.0.0.1']],
  [['93.184.215.14', 'fe80::1%eth0']],
])('one guarded address among %s refuses the name', async ([addresses = []]) => {
  answering(addresses);
  const target = await resolveTarget(new URL('https://mixed.example/'), { allow: [], requireHttps: true });
  expect(target).toMatchObject({ rule: 'address' });
});

test('when the first address does not answer, the next one is tried', async () => {
  answering(['127.0.0.2', '127.0.0.1']);
  const receiver = await httpReceiver((_request, response) => response.end());
  const outcome = await senderFor().send(delivery(`http://two.example:${receiver.port}/`));
  expect(outcome).toMatchObject({ kind: 'delivered' });
});

test('connections opened together share one look-up', async () => {
  answering(['127.0.0.1']);
  const receiver = await httpReceiver((_request, response) => response.end());
  const sender = senderFor({ connectionsPerHost: 10 });
  const sends = Array.from({ length: 10 }, () => sender.send(delivery(`http://shared.example:${receiver.port}/`)));
  expect(await Promise.all(sends)).toMatchObject(Array(10).fill({ kind: 'delivered' }));
  expect(receiver.connections()).toBe(10);
  expect(lookup).toHaveBeenCalledTimes(1);
});

test('a look-up that hangs costs the time of a delivery and is not started again', async () => {
  const { promise, resolve } = Promise.withResolvers<never>();
  lookup.mockReturnValue(promise);
  const sender = senderFor({ timeoutMs: 100 });
  for (let i = 0; i < 2; i++) {
    const outcome = await sender.send(delivery('https://hanging.example/'));
    expect(outcome).toMatchObject({ reason: 'timeout', detail: 'The host name could not be looked up within 0.1 s.' });
  }
  expect(lookup).toHaveBeenCalledTimes(1);
  resolve([] as never);
});

test.for([
  ['ENOTFOUND', /does not exist/],
  ['EAI_AGAIN', /gave no answer/],
  ['EAI_FAIL', /could not be looked up \(EAI_FAIL\)/],
] as const)('%s is told in words', async ([code, words]) => {
  lookup.mockRejectedValue(Object.assign(new Error(code), { code }));
  const outcome = await senderFor().send(delivery('https://broken.example/'));
  expect(outcome).toMatchObject({ reason: 'dns', detail: expect.stringMatching(words) });
});
