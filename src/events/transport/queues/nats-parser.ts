export type Operation =
  | { name: 'INFO' | '-ERR'; text: string }
  | { name: 'PING' | 'PONG' | '+OK' }
  | { name: 'MSG'; subject: string; headers: string; payload: string };

// INFO lists the servers of a cluster. Acknowledgements have some hundred bytes.
const maxLineBytes = 64 * 1024;
const maxMessageBytes = 64 * 1024;
const lineEnd = '\r\n';

/** Splits the bytes of a NATS server into operations. Throws if they are invalid. */
export class NatsParser {
  #rest: Buffer = Buffer.alloc(0);

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
  const [name = '', text = ''] = [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)];
  switch (name.toUpperCase()) {
    case 'INFO':
      return { name: 'INFO', text };
    case '-ERR':
      return { name: '-ERR', text };
    case 'PING':
      return { name: 'PING' };
    case 'PONG':
      return { name: 'PONG' };
    case '+OK':
      return { name: '+OK' };
    default:
      throw new Error('an unknown operation');
  }
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
