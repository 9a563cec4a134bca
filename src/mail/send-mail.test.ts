import { expect, test } from 'vitest';
import { MailServer } from '../../test/support/mail-server.ts';
import { MailError, requiresStartTls, sendMail } from './send-mail.ts';

const mail = { to: ['anna@example.com'], subject: 'Grüße', text: 'Deliveries are failing.' };
/** Every limit alone is enough to end the test. */
const never = 3_600_000;
const patient = { connect: never, greeting: never, idle: never, total: never };

const send = (server: MailServer, limits = patient, changes = {}) =>
  sendMail(new URL(server.url), { ...mail, ...changes }, limits);

test('sends an e-mail to every recipient, with credentials', async () => {
  const server = await MailServer.start({ credentials: { user: 'waypost', password: 'p@ss/word' } });
  expect(await send(server, patient, { to: ['anna@example.com', 'b,c@example.com'] })).toEqual({ rejected: 0 });
  const [received] = server.mails;
  expect(received).toMatchObject({ from: 'waypost@example.com', to: ['anna@example.com', '"b,c"@example.com'] });
  expect(received?.data).toContain('Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=');
  expect(received?.data).toContain('\n\nDeliveries are failing.\n');
});

test('counts rejected recipients, and fails if there is no other', async () => {
  const server = await MailServer.start({
    respond: (command) => (command.startsWith('RCPT TO:<gone') ? '550 no such user' : undefined),
  });
  expect(await send(server, patient, { to: ['gone@example.com', 'anna@example.com'] })).toEqual({ rejected: 1 });
  expect(server.mails).toMatchObject([{ to: expect.arrayContaining(['anna@example.com']) }]);
  await expect(send(server, patient, { to: ['gone@example.com'] })).rejects.toThrow(/\(EENVELOPE 550 after RCPT\)\.$/);
});

test.each([
  ['RCPT', '550 no such user', true],
  ['RCPT', '450 try again', false],
  ['MAIL', '553 wrong sender', true],
  ['DATA END', '554 refused', true],
  ['DATA END', '451 try again', false],
  ['GREETING', '554 no service', false],
])('whether the server would reject the e-mail again: %s, %s', async (verb, response, isPermanent) => {
  const server = await MailServer.start({
    respond: (command) => (command.startsWith(verb) ? response : undefined),
  });
  await expect(send(server)).rejects.toMatchObject({ isPermanent });
});

test('an e-mail is not rejected permanently if one of the recipients is not', async () => {
  const responses = ['450 try again', '550 no such user'];
  const server = await MailServer.start({
    respond: (command) => (command.startsWith('RCPT') ? responses.shift() : undefined),
  });
  const to = ['later@example.com', 'gone@example.com'];
  await expect(send(server, patient, { to })).rejects.toMatchObject({ isPermanent: false });
});

test.each([
  ['sends no greeting', 'greeting', 'GREETING'],
  ['does not respond to EHLO', 'idle', 'EHLO'],
  ['does not respond after the text', 'idle', 'DATA END'],
  ['sends no greeting, by the total limit', 'total', 'GREETING'],
] as const)('a server that %s costs a limited time', async (_, limit, silentAt) => {
  const server = await MailServer.start({
    respond: (command) => (command.startsWith(silentAt) ? '' : undefined),
  });
  await expect(send(server, { ...patient, [limit]: 100 })).rejects.toThrow(MailError);
  await expect.poll(() => server.open).toBe(0);
});

test('a server that sends a byte from time to time is ended by the total limit', async () => {
  const server = await MailServer.start({
    respond: (command, socket) => {
      if (command !== 'GREETING') return undefined;
      socket.write('220');
      const drip = setInterval(() => socket.write('-'), 10);
      socket.once('close', () => clearInterval(drip));
      return '';
    },
  });
  await expect(send(server, { ...patient, idle: 1000, total: 200 })).rejects.toThrow(
    `The mail server ${new URL(server.url).host} did not accept an e-mail (ETIMEDOUT).`,
  );
  await expect.poll(() => server.open).toBe(0);
});

test.each([
  ['one endless line', 'x'.repeat(64 * 1024)],
  ['an endless response', '220-again\r\n'.repeat(8 * 1024)],
  ['endless responses', '500 again\r\n'.repeat(8 * 1024)],
])('a server that floods with %s is disconnected', async (_, chunk) => {
  let sent = 0;
  const server = await MailServer.start({
    respond: (command, socket) => {
      if (command !== 'GREETING') return '';
      const flood = () => {
        for (let isFlowing = true; isFlowing && socket.writable; sent += chunk.length) isFlowing = socket.write(chunk);
      };
      socket.on('drain', flood);
      flood();
      return '';
    },
  });
  await expect(send(server, { ...patient, idle: 2000 })).rejects.toThrow(MailError);
  await expect.poll(() => server.open).toBe(0);
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

test('the error names the server, but not the credentials that it repeats', async () => {
  const secret = 'wp-secret-password';
  const server = await MailServer.start({
    credentials: { user: 'waypost', password: secret },
    respond: (command) => (command.startsWith('AUTH') ? `535 ${command} ${secret}` : undefined),
  });
  const error = await send(server).catch((failure: Error) => failure);
  const { host } = new URL(server.url);
  expect(error).toEqual(new MailError(`The mail server ${host} did not accept an e-mail (EAUTH 535 after AUTH).`));
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(secret);
});

test('credentials are sent without TLS only on this machine', () => {
  const needsTls = (url: string) => requiresStartTls(new URL(url));
  expect(needsTls('smtp://user:secret@mail.example.com')).toBe(true);
  expect(needsTls('smtp://user:secret@192.0.2.1:25')).toBe(true);
  expect(needsTls('smtp://user:secret@127.0.0.1')).toBe(false);
  expect(needsTls('smtp://user:secret@[::1]')).toBe(false);
  expect(needsTls('smtp://user:secret@localhost')).toBe(false);
  expect(needsTls('smtp://mail.example.com')).toBe(false);
  expect(needsTls('smtps://user:secret@mail.example.com')).toBe(false);
});

// 0.0.0.0 reaches this machine but is not a loopback address.
test.each([
  ['smtp', 'ETLS'],
  ['smtps', 'ESOCKET'],
])('fails before the credentials are sent by %s if the server offers no TLS', async (protocol, reason) => {
  const commands: string[] = [];
  const server = await MailServer.start({
    credentials: { user: 'user', password: 'secret' },
    respond: (command) => void commands.push(command),
  });
  const login = new URL(server.url.replace('smtp:', `${protocol}:`).replace('127.0.0.1', '0.0.0.0'));
  await expect(sendMail(login, mail, patient)).rejects.toThrow(`(${reason}`);
  expect(commands[0]).toBe('GREETING');
  expect(commands.filter((command) => command.startsWith('AUTH'))).toEqual([]);
});
