import type { BrokerFailure } from '../failure.ts';
import type { FailureReason, Receipt } from '../outcome.ts';
import {
  capabilities,
  FieldReader,
  FrameParser,
  frame,
  frameOverhead,
  frameTypes,
  longString,
  maxFrameBytes,
  method,
  methodId,
  protocolHeader,
  shortString,
  table,
} from './amqp-frames.ts';
import { int8, int16, int32, int64 } from './binary.ts';
import { type Broker, type BrokerLink, brokerText, type Publication } from './broker.ts';

const methods = {
  start: methodId(10, 10),
  startOk: methodId(10, 11),
  tune: methodId(10, 30),
  tuneOk: methodId(10, 31),
  open: methodId(10, 40),
  openOk: methodId(10, 41),
  close: methodId(10, 50),
  closeOk: methodId(10, 51),
  blocked: methodId(10, 60),
  unblocked: methodId(10, 61),
  channelOpen: methodId(20, 10),
  channelOpenOk: methodId(20, 11),
  channelClose: methodId(20, 40),
  publish: methodId(60, 40),
  returned: methodId(60, 50),
  ack: methodId(60, 80),
  nack: methodId(60, 120),
  confirmSelect: methodId(85, 10),
  confirmSelectOk: methodId(85, 11),
} as const;

const basicClass = 60;
const channel = 1;
const mandatory = int8(1);
const persistent = int8(2);
// RabbitMQ creates it for connections from its own host.
const defaultCredentials = { username: 'guest', password: 'guest' };
/** Property flags of a message: content type, headers, delivery mode and message id. */
const flags = { contentType: 0x8000, headers: 0x2000, deliveryMode: 0x1000, messageId: 0x0080 } as const;
const ourFlags = flags.contentType | flags.headers | flags.deliveryMode | flags.messageId;

const clientProperties = table({
  product: 'Waypost',
  capabilities: capabilities('publisher_confirms', 'basic.nack', 'connection.blocked', 'authentication_failure_close'),
});

/** Reply codes of a broker that closes a connection or channel. */
const closeReasons: Record<number, FailureReason> = {
  // The broker shuts down, or an operator closed the connection.
  320: 'connection-reset',
  403: 'credentials',
  404: 'unroutable',
  // The virtual host does not exist, or the user has no access to it.
  530: 'credentials',
};

const notAccepted: BrokerFailure = {
  reason: 'rejected',
  detail: 'The broker did not accept the message (basic.nack).',
};

/** Publishes to RabbitMQ (AMQP 0-9-1) on one channel with publisher confirms. */
export class RabbitMq implements Broker {
  readonly goodbye = method(methods.close, 0, int16(200), shortString('The connection is idle'), int16(0), int16(0));
  blocked: string | undefined;
  readonly #link: BrokerLink;
  readonly #frames = new FrameParser();
  /** By delivery tag, oldest first. */
  readonly #unconfirmed = new Map<number, Publication>();
  #lastTag = 0;
  #maxFrame = maxFrameBytes;
  /** The reply of a message that the broker is returning. */
  #returned: string | undefined;

  readonly #handlers: Readonly<Record<number, (fields: FieldReader) => void>> = {
    [methods.start]: () => this.#authenticate(),
    [methods.tune]: (fields) => this.#tune(fields),
    [methods.openOk]: () => this.#openChannel(),
    [methods.channelOpenOk]: () => {},
    [methods.confirmSelectOk]: () => this.#link.ready(),
    [methods.ack]: (fields) => this.#settle(fields, (publication) => publication.confirm(this.#receipt(publication))),
    [methods.nack]: (fields) => this.#settle(fields, (publication) => publication.fail(notAccepted)),
    [methods.returned]: (fields) => {
      this.#returned = `${fields.uint16()} ${this.#text(fields)}`;
    },
    [methods.blocked]: (fields) => {
      this.blocked = `The broker does not accept messages at the moment: ${this.#text(fields)}.`;
    },
    [methods.unblocked]: () => {
      this.blocked = undefined;
    },
    [methods.close]: (fields) => {
      this.#link.write(method(methods.closeOk, 0));
      this.#closed('connection', fields);
    },
    [methods.channelClose]: (fields) => this.#closed('channel', fields),
  };

  constructor(link: BrokerLink) {
    this.#link = link;
  }

  connected(): void {
    this.#link.write(protocolHeader);
  }

  receive(bytes: Buffer): void {
    for (const { type, payload } of this.#frames.parse(bytes)) {
      if (type === frameTypes.method) this.#onMethod(new FieldReader(payload));
      else if (type === frameTypes.header) this.#onReturnedHeader(new FieldReader(payload));
      else if (type !== frameTypes.body && type !== frameTypes.heartbeat) throw new Error(`a frame of type ${type}`);
      if (!this.#link.isOpen) return;
    }
  }

  publish(publication: Publication): void {
    const { exchange } = this.#link.queue;
    const { body } = publication;
    this.#lastTag += 1;
    this.#unconfirmed.set(this.#lastTag, publication);
    const parts = [
      method(methods.publish, channel, int16(0), shortString(exchange), shortString(publication.key), mandatory),
      frame(frameTypes.header, channel, ...contentHeader(publication)),
    ];
    const size = this.#maxFrame - frameOverhead;
    for (let from = 0; from < body.length; from += size) {
      parts.push(frame(frameTypes.body, channel, body.subarray(from, from + size)));
    }
    this.#link.write(Buffer.concat(parts));
  }

  #onMethod(fields: FieldReader): void {
    const id = fields.uint32();
    const handler = this.#handlers[id];
    if (!handler) throw new Error(`the method ${Math.floor(id / 65_536)}.${id % 65_536}`);
    handler(fields);
  }

  #authenticate(): void {
    const { username, password } = this.#link.queue.credentials ?? defaultCredentials;
    const response = longString(`\0${username}\0${password}`);
    this.#link.write(
      method(methods.startOk, 0, clientProperties, shortString('PLAIN'), response, shortString('en_US')),
    );
  }

  /** No heartbeats: publications have deadlines, and idle connections are closed. */
  #tune(fields: FieldReader): void {
    const [, maxFrame] = [fields.uint16(), fields.uint32()];
    if (maxFrame > 0) this.#maxFrame = Math.min(maxFrame, maxFrameBytes);
    if (this.#maxFrame < 4096) throw new Error(`a frame limit of ${maxFrame} bytes`);
    const { virtualHost } = this.#link.queue;
    this.#link.write(method(methods.tuneOk, 0, int16(channel), int32(this.#maxFrame), int16(0)));
    this.#link.write(method(methods.open, 0, shortString(virtualHost), shortString(''), int8(0)));
  }

  #openChannel(): void {
    this.#link.write(method(methods.channelOpen, channel, shortString('')));
    this.#link.write(method(methods.confirmSelect, channel, int8(0)));
  }

  #settle(fields: FieldReader, settle: (publication: Publication) => void): void {
    const tag = fields.uint64();
    const isMultiple = (fields.uint8() & 1) === 1;
    // All messages up to the tag; tag 0 means all.
    const tags = isMultiple ? [...this.#unconfirmed.keys()].filter((sent) => tag === 0 || sent <= tag) : [tag];
    for (const sent of tags) {
      const publication = this.#unconfirmed.get(sent);
      if (!publication) throw new Error(`a confirmation of message ${sent}, which is not open`);
      this.#unconfirmed.delete(sent);
      settle(publication);
    }
  }

  /** The broker returns a message that no queue received, and then confirms it. Returns are in the order of publishing. */
  #onReturnedHeader(fields: FieldReader): void {
    const reply = this.#returned;
    if (reply === undefined) throw new Error('a message, although nothing is consumed');
    this.#returned = undefined;
    const id = returnedId(fields);
    const detail = `The broker found no queue for the message (${reply}).`;
    const oldest = this.#unconfirmed.values().find((publication) => publication.id === id && !publication.isSettled);
    oldest?.fail({ reason: 'unroutable', detail });
  }

  #receipt({ key: routingKey }: Publication): Receipt {
    const { exchange } = this.#link.queue;
    return exchange === '' ? { queue: routingKey } : { exchange, routingKey };
  }

  #closed(target: 'connection' | 'channel', fields: FieldReader): void {
    const code = fields.uint16();
    const reason = closeReasons[code] ?? 'rejected';
    this.#link.fail({ reason, detail: `The broker closed the ${target}: ${code} ${this.#text(fields)}.` });
  }

  #text(fields: FieldReader): string {
    return brokerText(fields.shortString(), this.#link.queue);
  }
}

const contentHeader = ({ headers, body, id }: Publication): Buffer[] => [
  int16(basicClass),
  int16(0),
  int64(body.length),
  int16(ourFlags),
  shortString(headers['content-type'] ?? ''),
  table(headers),
  persistent,
  shortString(id),
];

function returnedId(fields: FieldReader): string {
  fields.uint16();
  fields.uint16();
  fields.uint64();
  if (fields.uint16() !== ourFlags) throw new Error('a returned message with other properties');
  fields.shortString();
  fields.skipTable();
  fields.uint8();
  return fields.shortString();
}
