import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { type BrokerFailure, failedOutcome } from '../failure.ts';
import { parseJsonObject } from '../json-object.ts';
import type { HttpOutcome, Outcome, Phases, ReceiverResponse } from '../outcome.ts';
import type { PushRequest, QueueRequest } from '../transport.ts';
import { brokerText } from './broker.ts';
import { isAccessKey } from './queue-url.ts';

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html */
const maxMessageBytes = 1024 * 1024;
/** A message has up to 10 attributes. The other headers share one. */
const ownAttributes = ['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
const sharedAttribute = 'headers';

type Attributes = Record<string, { DataType: 'String'; StringValue: string }>;

/** Reasons by error type of SQS. Other errors are `rejected`. */
const refusals: readonly [RegExp, BrokerFailure['reason']][] = [
  [/QueueDoesNotExist|NonExistentQueue/, 'unroutable'],
  [/AccessDenied|InvalidClientTokenId|SignatureDoesNotMatch|InvalidAccessKeyId|UnrecognizedClient/, 'credentials'],
  [/InvalidSecurity|MissingAuthentication|IncompleteSignature|ExpiredToken|OptInRequired|KmsAccess/, 'credentials'],
];

/** Publishes to queues of Amazon SQS by its JSON protocol. */
export class Sqs {
  readonly #post: (request: PushRequest) => Promise<HttpOutcome>;

  constructor(post: (request: PushRequest) => Promise<HttpOutcome>) {
    this.#post = post;
  }

  async send(request: QueueRequest): Promise<Outcome> {
    const attributes = attributesOf(request.headers);
    const bytes = sizeOf(request.body, attributes);
    if (bytes > maxMessageBytes) {
      const detail = `The message has ${bytes} bytes, and Amazon SQS accepts at most ${maxMessageBytes}.`;
      return failedOutcome({ reason: 'rejected', detail }, { totalMs: 0 });
    }
    const { queue, owner, timeoutMs, identity } = request;
    if (!queue.credentials) return failedOutcome(noCredentials, { totalMs: 0 });
    if (!isAccessKey(queue.credentials)) return failedOutcome(invalidCredentials, { totalMs: 0 });
    const url = `${queue.url.origin}/`;
    const body = JSON.stringify(messageOf(request, attributes));
    const headers = await signed(request, url, body);
    return judge(request, await this.#post({ url, headers, body, owner, timeoutMs, identity }));
  }
}

const noCredentials: BrokerFailure = {
  reason: 'credentials',
  detail: 'The webhook has no access key for Amazon SQS.',
};

/** Saved for another broker on the same host and port. */
const invalidCredentials: BrokerFailure = {
  reason: 'credentials',
  detail: 'The access key of the webhook is not visible ASCII text.',
};

function messageOf({ queue, headers, body, group }: QueueRequest, attributes: Attributes): object {
  const isFifo = queue.key.endsWith('.fifo');
  return {
    QueueUrl: `${queue.url.origin}/${queue.key}`,
    MessageBody: body,
    MessageAttributes: attributes,
    ...(isFifo && { MessageGroupId: group, MessageDeduplicationId: headers['webhook-id'] }),
  };
}

async function signed({ queue, headers }: QueueRequest, url: string, body: string): Promise<Record<string, string>> {
  const { username: accessKeyId = '', password: secretAccessKey = '' } = queue.credentials ?? {};
  const signer = new AwsV4Signer({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AmazonSQS.SendMessage',
      'user-agent': headers['user-agent'] ?? 'Waypost',
    },
    body,
    accessKeyId,
    secretAccessKey,
    service: 'sqs',
    region: queue.region ?? '',
  });
  // The transport writes host and content-length.
  const { host: _, ...all } = Object.fromEntries((await signer.sign()).headers);
  return all;
}

function attributesOf(headers: Readonly<Record<string, string>>): Attributes {
  const shared = Object.entries(headers).filter(([name]) => !ownAttributes.includes(name));
  const values = Object.fromEntries(Object.entries(headers).filter(([name]) => ownAttributes.includes(name)));
  if (shared.length > 0) values[sharedAttribute] = JSON.stringify(Object.fromEntries(shared));
  return Object.fromEntries(
    Object.entries(values).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
  );
}

/** As SQS counts: the body, and the names, types and values of attributes. */
function sizeOf(body: string, attributes: Attributes): number {
  const texts = Object.entries(attributes).flatMap(([name, { DataType, StringValue }]) => [
    name,
    DataType,
    StringValue,
  ]);
  return [body, ...texts].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function judge(request: QueueRequest, outcome: HttpOutcome): Outcome {
  const { response, phases } = outcome;
  if (outcome.kind === 'unreachable' || !response) return outcome;
  if (response.status === 200) return judgeStored(request, response, phases);
  const { type, text } = errorOf(response);
  const reason =
    refusals.find(([pattern]) => pattern.test(type))?.[1] ?? (response.status === 403 ? 'credentials' : 'rejected');
  const shown = brokerText(`${type} ${text}`.trim(), request.queue);
  return failedOutcome(
    { reason, detail: `Amazon SQS responded with ${response.status}: ${shown || 'no reason'}.` },
    phases,
  );
}

/** The hash shows that the queue has stored the same body. */
function judgeStored({ queue, body }: QueueRequest, { body: bytes }: ReceiverResponse, phases: Phases): Outcome {
  const { MessageId: id, MD5OfMessageBody: md5, SequenceNumber: sequence } = parseJsonObject(bytes.toString()) ?? {};
  if (typeof id !== 'string' || md5 !== createHash('md5').update(body).digest('hex')) {
    return failedOutcome({ reason: 'protocol', detail: 'The response is not a confirmation of Amazon SQS.' }, phases);
  }
  const receipt = { queue: queue.key, messageId: brokerText(id, queue) };
  const isOrdered = typeof sequence === 'string';
  return {
    kind: 'delivered',
    receipt: isOrdered ? { ...receipt, sequenceNumber: brokerText(sequence, queue) } : receipt,
    phases,
  };
}

/** `{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"…"}` */
function errorOf({ headers, body }: ReceiverResponse): { type: string; text: string } {
  const { __type: type, message, Message } = parseJsonObject(body.toString()) ?? {};
  const name = typeof type === 'string' ? type : (headers['x-amzn-query-error'] ?? '');
  const text = [message, Message].find((one) => typeof one === 'string');
  return { type: name.slice(name.indexOf('#') + 1), text: String(text ?? '') };
}
