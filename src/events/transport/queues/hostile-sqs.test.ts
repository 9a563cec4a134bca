import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { AwsV4Signer } from 'aws4fetch';
import { expect, test } from 'vitest';
import { httpReceiver, rawReceiver, senderFor } from '../../../../test/support/loopback-receivers.ts';
import { queueRequest } from '../../../../test/support/queue-request.ts';

const secret = 'abc/def+ghi';
const login = `AKIAEXAMPLE:${encodeURIComponent(secret)}`;
const urlOf = (port: number, queue = 'events') =>
  `sqs+http://${login}@127.0.0.1:${port}/123456789012/${queue}?region=eu-central-1`;
const md5 = (body: string) => createHash('md5').update(body).digest('hex');

const sqsThatSends = (status: number, body: string | object) =>
  httpReceiver((request, response) => {
    request.resume();
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  });

test('signs the request with the access key for the region', async () => {
  const requests: { headers: Record<string, string>; body: string }[] = [];
  const receiver = await httpReceiver(async (request, response) => {
    const body = await text(request);
    requests.push({ headers: request.headers as Record<string, string>, body });
    response.end(JSON.stringify({ MessageId: 'id-1', MD5OfMessageBody: md5(JSON.parse(body).MessageBody) }));
  });
  const outcome = await senderFor().send(queueRequest(urlOf(receiver.port), { body: '{"event":{"name":"Café"}}' }));
  expect(outcome).toMatchObject({ kind: 'delivered', receipt: { queue: '123456789012/events', messageId: 'id-1' } });
  const [sent] = requests;
  const { authorization, 'x-amz-date': datetime = '', 'x-amz-target': target = '' } = sent?.headers ?? {};
  expect(target).toBe('AmazonSQS.SendMessage');
  expect(authorization).toContain('/eu-central-1/sqs/aws4_request');
  const signer = new AwsV4Signer({
    method: 'POST',
    url: `http://127.0.0.1:${receiver.port}/`,
    headers: { 'x-amz-target': target },
    body: sent?.body ?? '',
    accessKeyId: 'AKIAEXAMPLE',
    secretAccessKey: secret,
    service: 'sqs',
    region: 'eu-central-1',
    datetime,
  });
  expect(authorization).toBe(await signer.authHeader());
});

test.each([
  [400, { __type: 'com.amazonaws.sqs#QueueDoesNotExist', message: 'No queue.' }, 'unroutable', 'QueueDoesNotExist'],
  [403, { __type: 'SignatureDoesNotMatch', message: `Not ${secret}.` }, 'credentials', 'SignatureDoesNotMatch Not'],
  [403, 'Forbidden', 'credentials', '403: no reason'],
  [400, { __type: 'com.amazonaws.sqs#InvalidMessageContents' }, 'rejected', 'InvalidMessageContents'],
  [429, { __type: 'com.amazonaws.sqs#RequestThrottled' }, 'rejected', 'RequestThrottled'],
  // A receiver of HTTP ends its webhook with this status; a queue does not.
  [410, '', 'rejected', '410'],
  [302, '', 'rejected', '302'],
  [500, '{"__type":5,"message":{}}', 'rejected', '500'],
])('a response of %d %o is a refusal', async (status, body, reason, detail) => {
  const receiver = await sqsThatSends(status, body);
  const outcome = await senderFor().send(queueRequest(urlOf(receiver.port)));
  expect(outcome).toMatchObject({ kind: 'refused', reason, detail: expect.stringContaining(detail) });
  expect(JSON.stringify(outcome)).not.toContain(secret);
});

test.each([
  ['a page', '<html>OK</html>'],
  ['null', 'null'],
  ['no id', { MD5OfMessageBody: md5('{"event":{}}') }],
  ['the hash of another body', { MessageId: 'id-1', MD5OfMessageBody: md5('other') }],
])('a confirmation with %s is not accepted', async (_, body) => {
  const receiver = await sqsThatSends(200, body);
  const outcome = await senderFor().send(queueRequest(urlOf(receiver.port)));
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'protocol' });
});

test('a receiver without HTTP is reported', async () => {
  const receiver = await rawReceiver('INFO {}\r\n\r\n');
  const outcome = await senderFor().send(queueRequest(urlOf(receiver.port)));
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'protocol' });
});

test('a message over the limit of SQS is not sent', async () => {
  const receiver = await sqsThatSends(200, {});
  const request = queueRequest(urlOf(receiver.port), { body: `"${'é'.repeat(530_000)}"` });
  const outcome = await senderFor().send(request);
  expect(outcome).toMatchObject({
    kind: 'refused',
    reason: 'rejected',
    detail: expect.stringMatching(/has 1060\d{3} bytes, .* at most 1048576/),
  });
  expect(receiver.connections()).toBe(0);
});

test('with an access key that no header can have nothing is sent', async () => {
  const receiver = await sqsThatSends(200, {});
  const request = queueRequest(urlOf(receiver.port));
  request.queue.credentials = { username: 'ключ', password: secret };
  expect(await senderFor().send(request)).toMatchObject({ kind: 'refused', reason: 'credentials' });
  expect(receiver.connections()).toBe(0);
});

test('without an access key nothing is sent', async () => {
  const receiver = await sqsThatSends(200, {});
  const outcome = await senderFor().send(queueRequest(urlOf(receiver.port).replace(`${login}@`, '')));
  expect(outcome).toMatchObject({
    kind: 'refused',
    reason: 'credentials',
    detail: expect.stringContaining('access key'),
  });
  expect(receiver.connections()).toBe(0);
});
