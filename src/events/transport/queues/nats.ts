import { randomBytes } from 'node:crypto';
import { version } from '../../../config.ts';
import { parseJsonObject } from '../json-object.ts';
import { type Broker, type BrokerLink, brokerText, type Publication } from './broker.ts';
import type { TargetQueue } from './queue-url.ts';

/** The part of the INFO of a server that matters here. Addresses of other servers in it are not used. */
interface ServerInfo {
  headers?: boolean;
  max_payload?: number;
  tls_required?: boolean;
  tls_available?: boolean;
}

/** Response of JetStream to a published message. */
interface Acknowledgement {
  stream?: unknown;
  seq?: unknown;
  duplicate?: unknown;
  error?: { code?: unknown; description?: unknown };
}

const headersStart = 'NATS/1.0\r\n';
// Not encrypted, so it may come from another server: it must not be read as a response to encrypted messages.
const dataBeforeTls = 'data before the TLS handshake';
/** No stream and no subscriber has the subject. */
const noResponders = /^NATS\/1\.0 503/;

/** Publishes to NATS JetStream. Each message has a reply subject on which the stream acknowledges it. */
export class Nats implements Broker {
  readonly #link: BrokerLink;
  readonly #parser = new NatsParser();
  readonly #inbox = `_INBOX.${randomBytes(12).toString('hex')}`;
  /** By the last part of the reply subject. */
  readonly #unconfirmed = new Map<string, Publication>();
  #info: ServerInfo | undefined;
  #sent = 0;
  #isUpgrading = false;
  #isReady = false;

  constructor(link: BrokerLink) {
    this.#link = link;
  }

  secured(): void {
    this.#isUpgrading = false;
    this.#authenticate(true);
  }

  receive(bytes: Buffer): void {
    for (const operation of this.#parser.parse(bytes)) {
      if (this.#isUpgrading) throw new Error(dataBeforeTls);
      switch (operation.name) {
        case 'INFO':
          this.#onInfo(JSON.parse(operation.text));
          break;
        case 'PING':
          this.#link.write(Buffer.from('PONG\r\n'));
          break;
        case 'PONG':
          this.#onPong();
          break;
        case '-ERR':
          this.#onError(operation.text);
          break;
        case 'MSG':
          this.#onReply(operation.subject, operation.headers, operation.payload);
          break;
      }
      if (!this.#link.isOpen) return;
    }
    if (this.#isUpgrading && !this.#parser.isAtEnd) throw new Error(dataBeforeTls);
  }

  publish(publication: Publication): void {
    const { key, headers, body, id } = publication;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    // With the subject: a stream can store several subjects, and drops a message whose id it has seen.
    const head = Buffer.from(`${headersStart}Nats-Msg-Id: ${id}@${key}\r\n${lines.join('')}\r\n`);
    const size = head.length + body.length;
    const { max_payload: maxPayload = size } = this.#info ?? {};
    if (size > maxPayload) {
      const detail = `The message has ${size} bytes, and the broker accepts at most ${maxPayload}.`;
      publication.fail({ reason: 'rejected', detail });
      return;
    }
    this.#sent += 1;
    const reply = String(this.#sent);
    this.#unconfirmed.set(reply, publication);
    const line = `HPUB ${key} ${this.#inbox}.${reply} ${head.length} ${size}\r\n`;
    this.#link.write(Buffer.concat([Buffer.from(line), head, body, Buffer.from('\r\n')]));
  }

  #onInfo(info: ServerInfo): void {
    // Later ones announce changes of the cluster.
    if (this.#info) return;
    this.#info = info;
    const wantsTls = this.#link.queue.url.protocol === 'https:';
    if (info.headers !== true) throw new Error('no support of headers');
    if (wantsTls && !info.tls_required && !info.tls_available) {
      this.#link.fail({ reason: 'tls', detail: 'The broker does not offer TLS.' });
    } else if (wantsTls || info.tls_required) {
      this.#isUpgrading = true;
      this.#link.startTls();
    } else {
      this.#authenticate(false);
    }
  }

  #authenticate(isSecure: boolean): void {
    const options = {
      verbose: false,
      pedantic: false,
      tls_required: isSecure,
      name: 'Waypost',
      lang: 'node',
      version,
      protocol: 1,
      headers: true,
      no_responders: true,
      ...loginOf(this.#link.queue),
    };
    this.#link.write(Buffer.from(`CONNECT ${JSON.stringify(options)}\r\nSUB ${this.#inbox}.* 1\r\nPING\r\n`));
  }

  #onPong(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#link.ready();
  }

  #onError(text: string): void {
    const reason = /authori[sz]ation|authentication|permissions/i.test(text) ? 'credentials' : 'rejected';
    const shown = brokerText(text, this.#link.queue);
    this.#link.fail({ reason, detail: `The broker closed the connection: ${shown}.` });
  }

  #onReply(subject: string, headers: string, payload: string): void {
    const reply = subject.slice(this.#inbox.length + 1);
    const publication = this.#unconfirmed.get(reply);
    if (!publication) throw new Error('a confirmation of a message that is not open');
    this.#unconfirmed.delete(reply);
    if (noResponders.test(headers)) {
      publication.fail({ reason: 'unroutable', detail: `No stream stores the subject ${publication.key}.` });
      return;
    }
    const { stream, seq, duplicate, error } = (parseJsonObject(payload) ?? {}) as Acknowledgement;
    if (error) {
      const text = brokerText(`${error.code} ${error.description}`, this.#link.queue);
      publication.fail({ reason: 'rejected', detail: `The stream did not store the message: ${text}.` });
    } else if (typeof stream === 'string' && typeof seq === 'number') {
      const name = brokerText(stream, this.#link.queue);
      const receipt = { subject: publication.key, stream: name, sequence: String(seq) };
      publication.confirm(duplicate === true ? { ...receipt, duplicate: 'true' } : receipt);
    } else {
      publication.fail({ reason: 'rejected', detail: 'The response is not an acknowledgement of JetStream.' });
    }
  }
}

/** A user name without a password is a token. */
function loginOf({ credentials }: TargetQueue): object {
  if (!credentials) return {};
  const { username, password } = credentials;
  return password === '' ? { auth_token: username } : { user: username, pass: password };
}

type Operation =
  | { name: (typeof controlNames)[number]; text: string }
  | { name: 'MSG'; subject: string; headers: string; payload: string };

const controlNames = ['INFO', '-ERR', 'PING', 'PONG', '+OK'] as const;

// INFO lists the servers of a cluster. Acknowledgements have some hundred bytes.
const maxLineBytes = 64 * 1024;
const maxMessageBytes = 64 * 1024;
const lineEnd = '\r\n';

/** Splits the bytes of a NATS server into operations. Throws if they are invalid. */
class NatsParser {
  #rest: Buffer = Buffer.alloc(0);

  /** Whether all bytes have been parsed. */
  get isAtEnd(): boolean {
    return this.#rest.length === 0;
  }

  *parse(bytes: Buffer): Generator<Operation> {
    let rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    let end = rest.indexOf(lineEnd);
    for (; end >= 0; end = rest.indexOf(lineEnd)) {
      const line = rest.toString('utf8', 0, end);
      const from = end + lineEnd.length;
      const sizes = messageSizes(line);
      if (!sizes) {
        yield controlOperation(line);
        rest = rest.subarray(from);
        continue;
      }
      const to = from + sizes.total;
      if (rest.length < to + lineEnd.length) break;
      yield {
        name: 'MSG',
        subject: sizes.subject,
        headers: rest.toString('utf8', from, from + sizes.headers),
        payload: rest.toString('utf8', from + sizes.headers, to),
      };
      rest = rest.subarray(to + lineEnd.length);
    }
    if (end < 0 && rest.length > maxLineBytes) throw new Error('a line that is too long');
    this.#rest = rest;
  }
}

function controlOperation(line: string): Operation {
  const [word = ''] = line.split(' ', 1);
  const name = controlNames.find((known) => known === word.toUpperCase());
  if (!name) throw new Error('an unknown operation');
  return { name, text: line.slice(line.indexOf(' ') + 1) };
}

/** MSG subject sid [reply] total, or HMSG subject sid [reply] headers total. */
function messageSizes(line: string): { subject: string; headers: number; total: number } | undefined {
  const [name, subject = '', ...numbers] = line.split(' ');
  if (name !== 'MSG' && name !== 'HMSG') return undefined;
  const total = Number(numbers.at(-1));
  const headers = name === 'HMSG' ? Number(numbers.at(-2)) : 0;
  if (!Number.isInteger(total) || !(total <= maxMessageBytes) || !(headers >= 0 && headers <= total)) {
    throw new Error('a message that is too long');
  }
  return { subject, headers, total };
}
