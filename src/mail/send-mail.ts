import { Socket } from 'node:net';
import { isLoopback } from '../config.ts';
import { withTimeout } from '../values/with-timeout.ts';

export interface Mail {
  to: readonly string[];
  subject: string;
  text: string;
}

/** In milliseconds. */
interface MailTimeouts {
  connect: number;
  greeting: number;
  /** Without any data from the server. */
  idle: number;
  /** For the whole e-mail: a server that sends a byte from time to time is never idle. */
  total: number;
}

const defaultTimeouts: MailTimeouts = { connect: 10_000, greeting: 10_000, idle: 15_000, total: 45_000 };
const maxResponseSize = 64 * 1024;

/** The mail server did not accept the e-mail. The message names the server, never its credentials or responses. */
export class MailError extends Error {
  /** The server rejected this e-mail or all of its recipients: it would do so again. */
  readonly isPermanent: boolean;

  constructor(message: string, isPermanent = false) {
    super(message);
    this.isPermanent = isPermanent;
  }
}

/** Sends one e-mail on its own connection. Returns how many recipients the server rejected; not all of them. */
export async function sendMail(server: URL, mail: Mail, timeouts = defaultTimeouts): Promise<{ rejected: number }> {
  const { rejected } = await withTransport(server, timeouts, 'did not accept an e-mail', (transport) =>
    transport.sendMail(messageOf(server, mail)),
  );
  return { rejected: rejected.length };
}

/** Connects and signs in, without an e-mail. */
export async function checkMailServer(server: URL, timeouts = defaultTimeouts): Promise<void> {
  await withTransport(server, timeouts, 'cannot be used', (transport) => transport.verify());
}

async function withTransport<T>(
  server: URL,
  timeouts: MailTimeouts,
  failure: string,
  work: (transport: Awaited<ReturnType<typeof transportTo>>) => Promise<T>,
): Promise<T> {
  const socket = new Socket();
  const onTimeout = () => {
    throw { code: 'ETIMEDOUT' };
  };
  try {
    return await withTimeout(timeouts.total, transportTo(server, socket, timeouts).then(work), onTimeout);
  } catch (error) {
    throw new MailError(`The mail server ${server.host} ${failure} (${reasonOf(error)}).`, isRejection(error));
  } finally {
    socket.destroy();
  }
}

async function transportTo(server: URL, socket: Socket, timeouts: MailTimeouts) {
  // Most processes send no e-mail: the library takes a tenth of the time to load the service.
  const { createTransport } = await import('nodemailer');
  const isSecure = server.protocol === 'smtps:';
  const user = decodeURIComponent(server.username);
  return createTransport({
    host: hostOf(server),
    port: Number(server.port) || (isSecure ? 465 : 587),
    secure: isSecure,
    requireTLS: requiresStartTls(server),
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(server.password) } }),
    socket,
    connectionTimeout: timeouts.connect,
    dnsTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.idle,
    maxResponseSize,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Credentials are sent only over TLS, except to this machine. */
export const requiresStartTls = (server: URL): boolean =>
  server.protocol === 'smtp:' && server.username !== '' && !isLoopback(hostOf(server));

const messageOf = (server: URL, { to, subject, text }: Mail) => ({
  from: { name: 'Waypost', address: server.searchParams.get('from') ?? '' },
  // Objects: a text would be parsed as a list of addresses.
  to: to.map((address) => ({ name: '', address })),
  subject,
  text,
});

/** The response of the server is omitted: it can repeat the credentials. */
function reasonOf(error: unknown): string {
  const { code = 'unknown error', responseCode, command } = error as Record<string, unknown>;
  return [code, responseCode, command && `after ${String(command).split(' ')[0]}`].filter(Boolean).join(' ');
}

/** Rejected credentials are not permanent: the administrator can correct them. */
function isRejection(error: unknown): boolean {
  const { code, responseCode } = error as Record<string, unknown>;
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && Number(responseCode) >= 500;
}
