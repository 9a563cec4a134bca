import { expect, test } from 'vitest';
import { Gate, type Host, type Places, type Turn } from './gate.ts';

/** A gate, and turns by name that say when they start. */
function gateWith(limits: { perWebhook: number; perHost: number }) {
  const gate = new Gate(limits);
  const started: string[] = [];
  const turns = new Map<string, Turn>();
  const enter = (name: string, webhook: Places, host: Host) => {
    const turn = { webhook, host, start: () => void started.push(name) };
    turns.set(name, turn);
    gate.enter(turn);
  };
  const leave = (name: string) => gate.leave(turns.get(name) as Turn);
  return { gate, started, enter, leave, turns };
}

test('as many start as the webhook has places, and the next when one is left', () => {
  const { gate, started, enter, leave } = gateWith({ perWebhook: 2, perHost: 10 });
  const webhook = { underWay: 0 };
  for (const name of ['a', 'b', 'c', 'd']) enter(name, webhook, gate.host('http://one'));
  expect(started).toEqual(['a', 'b']);
  leave('a');
  expect(started).toEqual(['a', 'b', 'c']);
  expect(webhook.underWay).toBe(2);
});

test('a host has its places for all webhooks together', () => {
  const { gate, started, enter, leave } = gateWith({ perWebhook: 2, perHost: 3 });
  const [one, two] = [{ underWay: 0 }, { underWay: 0 }];
  const host = gate.host('http://one');
  for (const name of ['a', 'b', 'c']) enter(name, one, host);
  for (const name of ['d', 'e']) enter(name, two, host);
  expect(started).toEqual(['a', 'b', 'd']);
  leave('d');
  // The third of the first webhook came before, but its webhook has no place.
  expect(started).toEqual(['a', 'b', 'd', 'e']);
});

test('what waits for one host holds up no other', () => {
  const { gate, started, enter } = gateWith({ perWebhook: 10, perHost: 1 });
  enter('a', { underWay: 0 }, gate.host('http://one'));
  enter('b', { underWay: 0 }, gate.host('http://one'));
  enter('c', { underWay: 0 }, gate.host('http://two'));
  expect(started).toEqual(['a', 'c']);
});

test('a webhook that has moved to another host goes on there when its places are left', () => {
  const { gate, started, enter, leave } = gateWith({ perWebhook: 1, perHost: 10 });
  const webhook = { underWay: 0 };
  enter('a', webhook, gate.host('http://old'));
  enter('b', webhook, gate.host('http://new'));
  enter('c', webhook, gate.host('http://new'));
  expect(started).toEqual(['a']);
  leave('a');
  expect(started).toEqual(['a', 'b']);
  leave('b');
  expect(started).toEqual(['a', 'b', 'c']);
  leave('c');
  expect(webhook.underWay).toBe(0);
});

test('what has not started can be turned away, and does not start later', () => {
  const { gate, started, enter, leave, turns } = gateWith({ perWebhook: 1, perHost: 1 });
  const webhook = { underWay: 0 };
  for (const name of ['a', 'b', 'c']) enter(name, webhook, gate.host('http://one'));
  expect(gate.clear()).toEqual([turns.get('b'), turns.get('c')]);
  leave('a');
  expect(started).toEqual(['a']);
  expect(webhook.underWay).toBe(0);
});
