import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ResponseHead, type ResponseListener, ResponseReader } from './response-reader.ts';

/** Everything the listener received. */
interface Heard {
  heads: Pick<ResponseHead, 'status' | 'headers'>[];
  body: string;
  keepAliveMs: number | undefined;
  malformed: string | undefined;
}

function hear(pieces: readonly Buffer[]): Heard {
  const heard: Heard = { heads: [], body: '', keepAliveMs: undefined, malformed: undefined };
  const listener: ResponseListener = {
    onHead: ({ status, headers }) => heard.heads.push({ status, headers }),
    onBody: (bytes) => {
      heard.body += bytes.toString('latin1');
    },
    onEnd: (keepAliveMs) => {
      heard.keepAliveMs = keepAliveMs;
    },
    onMalformed: (cause) => {
      heard.malformed = cause;
    },
  };
  const reader = new ResponseReader();
  reader.begin(listener);
  for (const piece of pieces) reader.read(piece);
  reader.end();
  return heard;
}

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const name = fc
  .stringMatching(/^[a-z][a-z\d-]{0,15}$/)
  .filter((text) => !['content-length', 'transfer-encoding', 'connection', 'keep-alive'].includes(text));
const value = fc.stringMatching(/^[!-~]([ -~]{0,30}[!-~])?$/);
const headers = fc.uniqueArray(fc.tuple(name, value), { selector: ([each]) => each, maxLength: 6 });
const status = fc.integer({ min: 200, max: 599 }).filter((code) => code !== 204 && code !== 304);
const interim = fc.array(fc.constantFrom('HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103\r\nlink: </a>\r\n\r\n'), {
  maxLength: 2,
});

interface Framed {
  lines: string[];
  content: Buffer;
  written: Buffer;
}

const framed: fc.Arbitrary<Framed> = fc.oneof(
  bytes.map((content) => ({ lines: [`Content-Length: ${content.length}`], content, written: content })),
  bytes.map((content) => ({ lines: [], content, written: content })),
  fc
    .tuple(fc.array(bytes), fc.constantFrom('', ';name="value"', ' ;x'), fc.boolean())
    .map(([parts, extension, trailer]) => {
      const chunks = parts
        .filter((part) => part.length > 0)
        .map((part) => Buffer.concat([Buffer.from(`${part.length.toString(16)}${extension}\r\n`), part, crlf]));
      return {
        lines: ['transfer-encoding: Chunked'],
        content: Buffer.concat(parts),
        written: Buffer.concat([...chunks, Buffer.from(`0\r\n${trailer ? 'x-sum: 1\r\n' : ''}\r\n`)]),
      };
    }),
);
const crlf = Buffer.from('\r\n');

function cut(whole: Buffer, places: readonly number[]): Buffer[] {
  const at = [...places.map((place) => place % (whole.length + 1)), 0, whole.length].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => whole.subarray(at[index], end));
}

test('parses a response independently of its split into pieces', () => {
  fc.assert(
    fc.property(
      status,
      headers,
      framed,
      interim,
      fc.array(fc.nat(), { maxLength: 12 }),
      (code, list, body, first, at) => {
        const head = [`HTTP/1.1 ${code} Some Words`, ...list.map(([key, text]) => `${key}: ${text}`), ...body.lines];
        const whole = Buffer.concat([Buffer.from(`${first.join('')}${head.join('\r\n')}\r\n\r\n`), body.written]);
        const heard = hear(cut(whole, at));
        expect(heard.malformed).toBeUndefined();
        expect(heard.heads).toHaveLength(1);
        expect(heard.heads[0]).toMatchObject({ status: code, headers: Object.fromEntries(list) });
        expect(heard.body).toBe(body.content.toString('latin1'));
        expect(heard.keepAliveMs).toBe(body.lines.length === 0 ? 0 : Number.POSITIVE_INFINITY);
      },
    ),
  );
});

test('reports at most one response and one end or error for any bytes', () => {
  const beginning = fc.constantFrom('', 'HTTP/1.1 200\r\n', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
  const noise = fc.oneof(bytes, fc.string({ unit: fc.constantFrom('\r', '\n', '0', 'f', ':', ';', 'H', ' ') }));
  fc.assert(
    fc.property(beginning, fc.array(noise), fc.array(fc.nat(), { maxLength: 12 }), (start, parts, at) => {
      const whole = Buffer.concat([Buffer.from(start), ...parts.map((part) => Buffer.from(part))]);
      const heard = hear(cut(whole, at));
      expect(heard.heads.length).toBeLessThanOrEqual(1);
      expect(heard.malformed !== undefined && heard.keepAliveMs !== undefined).toBe(false);
      expect(heard).toEqual(hear([whole]));
    }),
  );
});

test.for([
  ['no status line', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ['HTTP/2 in the clear', 'HTTP/2 200\r\n\r\n'],
  ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
  ['a space before the colon', 'HTTP/1.1 200 OK\r\nname : x\r\n\r\n'],
  ['a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n'],
  ['a bare line feed', 'HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n'],
  ['two lengths that differ', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'],
  ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
  ['a length beside chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n'],
  ['a chunk size that is none', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
  ['a chunk longer than its size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n'],
  ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ['endless headers', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(17_000)}`],
] as const)('%s is refused', ([, text]) => {
  expect(hear([Buffer.from(text)]).malformed).toEqual(expect.any(String));
});

test.for([
  ['HTTP/1.1 200 OK\r\ncontent-length: 0', Number.POSITIVE_INFINITY],
  ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close', 0],
  ['HTTP/1.1 200 OK\r\ncontent-length: 0\r\nkeep-alive: timeout=5, max=100', 5000],
  ['HTTP/1.0 200 OK\r\ncontent-length: 0', 0],
  ['HTTP/1.0 200 OK\r\ncontent-length: 0\r\nconnection: Keep-Alive', Number.POSITIVE_INFINITY],
  ['HTTP/1.1 204 No Content', Number.POSITIVE_INFINITY],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: gzip', undefined],
] as const)('after %j the connection is kept for %s ms', ([head, expected]) => {
  const reader = new ResponseReader();
  let kept: number | undefined;
  reader.begin({
    onHead: () => {},
    onBody: () => {},
    onEnd: (ms) => {
      kept = ms;
    },
    onMalformed: () => {},
  });
  reader.read(Buffer.from(`${head}\r\n\r\n`));
  expect(kept).toBe(expected);
});

test('rejects a response in thousands of tiny pieces', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 9000\r\n\r\n';
  const pieces = [head, ...'x'.repeat(9000)].map((piece) => Buffer.from(piece));
  expect(hear(pieces).malformed).toMatch(/more than 2000 pieces/);
  expect(hear([Buffer.from(head), ...Array.from({ length: 900 }, () => Buffer.from('x'.repeat(10)))])).toMatchObject({
    malformed: undefined,
    body: 'x'.repeat(9000),
  });
});

test('does not reuse the connection after extra bytes', () => {
  expect(hear([Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200')]).keepAliveMs).toBe(0);
});

test('accepts headers named like built-in properties', () => {
  const { heads } = hear([Buffer.from('HTTP/1.1 204\r\nconstructor: a\r\n__proto__: b\r\ntoString: c\r\n\r\n')]);
  expect(heads[0]?.headers).toEqual({ constructor: 'a', tostring: 'c' });
});

test('reports the same error for other protocols, independently of the split into pieces', () => {
  const whole = Buffer.from('\r\r\n\r\n');
  const expected = { malformed: 'no HTTP/1.1 status line' };
  for (let at = 0; at <= whole.length; at++) expect(hear(cut(whole, [at])), `cut at ${at}`).toMatchObject(expected);
});
