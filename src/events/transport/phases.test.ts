import { expect, test } from 'vitest';
import {
  delivery,
  httpReceiver,
  rawReceiver,
  senderFor,
  tcpReceiver,
} from '../../../test/support/loopback-receivers.ts';
import type { Outcome } from './outcome.ts';

/** The last phase of a failed attempt is the one in which it failed. */

const timeoutMs = 1_000;
const phasesOf = ({ phases }: Outcome) => Object.keys(phases).filter((phase) => phase !== 'totalMs');
const send = (url: string) => senderFor({ timeoutMs }).send(delivery(url));

test('a timeout without a response counts as waiting for the response', async () => {
  const receiver = await tcpReceiver((socket) => socket.resume());
  const outcome = await send(receiver.url);
  expect(phasesOf(outcome)).toEqual(['dnsMs', 'connectMs', 'firstByteMs']);
  const { dnsMs = 0, connectMs = 0, firstByteMs = 0, totalMs } = outcome.phases;
  expect(firstByteMs).toBeGreaterThan(0);
  expect(dnsMs + connectMs + firstByteMs).toBeLessThanOrEqual(totalMs);
});

test('a timeout without a response on a reused connection counts as waiting for the response', async () => {
  let requests = 0;
  const receiver = await httpReceiver((_request, response) => {
    requests += 1;
    if (requests === 1) response.end();
  });
  const sender = senderFor({ timeoutMs });
  await sender.send(delivery(receiver.url));
  const outcome = await sender.send(delivery(receiver.url));
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'timeout' });
  expect(phasesOf(outcome)).toEqual(['firstByteMs']);
});

test('a handshake that never ends counts as TLS', async () => {
  const receiver = await tcpReceiver(() => {});
  const outcome = await send(`https://127.0.0.1:${receiver.port}/`);
  expect(new Set(phasesOf(outcome))).toEqual(new Set(['dnsMs', 'connectMs', 'tlsMs']));
});

test('a refused connection counts as connecting', async () => {
  const outcome = await send('http://127.0.0.1:1/');
  expect(new Set(phasesOf(outcome))).toEqual(new Set(['dnsMs', 'connectMs']));
});

test('a body that never ends counts as reading, after the wait for the response', async () => {
  const receiver = await rawReceiver('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc');
  const { response, phases } = await send(receiver.url);
  expect(response?.status).toBe(200);
  expect(phases.firstByteMs).toBeLessThan(phases.totalMs);
});

test.for([
  ['part of the headers', 'HTTP/1.1 200 OK\r\ncontent-'],
  ['an interim response', 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n'],
])('reports incomplete headers after %s', async ([, text = '']) => {
  const late = await send((await rawReceiver(text)).url);
  expect(late).toMatchObject({
    reason: 'timeout',
    detail: 'The receiver did not send complete response headers within 1 s.',
  });
  const closed = await send((await rawReceiver(text, 'end')).url);
  expect(closed).toMatchObject({
    reason: 'connection-reset',
    detail: 'The receiver closed the connection before the headers of its response were complete.',
  });
});
