import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and text, without soft line breaks. */
  data: string;
}

/** Responds to a command; undefined responds like a normal server. */
type Respond = (command: string, socket: net.Socket) => string | undefined;

interface Options {
  /** Called for GREETING, every command, and DATA END. A response of '' sends nothing. */
  respond?: Respond;
  credentials?: { user: string; password: string };
}

/** A mail server (SMTP) on loopback, closed when the test finishes. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  connections = 0;
  open = 0;
  respond: Respond;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #credentials: Options['credentials'];

  private constructor({ respond = () => undefined, credentials }: Options) {
    this.respond = respond;
    this.#credentials = credentials;
    this.#server = net.createServer((socket) => this.#serve(socket));
    onTestFinished(() => this.close());
  }

  static async start(options: Options = {}): Promise<MailServer> {
    const server = new MailServer(options);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    const { user, password } = this.#credentials ?? {};
    const login = user ? `${user}:${encodeURIComponent(password ?? '')}@` : '';
    return `smtp://${login}127.0.0.1:${(this.#server.address() as AddressInfo).port}?from=waypost@example.com`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: net.Socket): void {
    this.connections++;
    this.open++;
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => {
      this.open--;
      this.#sockets.delete(socket);
    });
    const mail: ReceivedMail = { from: '', to: [], data: '' };
    let isData = false;
    let rest = '';
    const reply = (command: string, usual: string) => {
      const response = this.respond(command, socket) ?? usual;
      if (response !== '' && socket.writable) socket.write(`${response}\r\n`);
    };
    reply('GREETING', '220 mail.test ESMTP');
    socket.on('data', (chunk) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (isData && line !== '.') mail.data += `${line}\n`;
        else if (isData) {
          isData = false;
          this.mails.push({ ...mail, data: mail.data.replace(/(?<!\?)=\n/g, '') });
          reply('DATA END', '250 stored');
        } else {
          isData = line === 'DATA';
          reply(line, this.#usual(line, mail));
        }
      }
    });
  }

  #usual(command: string, mail: ReceivedMail): string {
    const [verb = ''] = command.split(' ');
    switch (verb) {
      case 'EHLO':
        return this.#credentials ? '250-mail.test\r\n250 AUTH PLAIN' : '250 mail.test';
      case 'AUTH':
        return this.#isLogin(command) ? '235 authenticated' : '535 wrong credentials';
      case 'MAIL':
        mail.from = addressIn(command);
        return '250 ok';
      case 'RCPT':
        mail.to.push(addressIn(command));
        return '250 ok';
      case 'DATA':
        return '354 go on';
      case 'QUIT':
        return '221 bye';
      default:
        return '500 unknown command';
    }
  }

  #isLogin(command: string): boolean {
    const { user, password } = this.#credentials ?? {};
    return command === `AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`;
  }
}

const addressIn = (command: string): string => /<([^>]*)>/.exec(command)?.[1] ?? '';
