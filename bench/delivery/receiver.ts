/**
 * The receiving end, a process of its own. It reads HTTP by hand and does as little as it can, because it is not what
 * is measured. Answers 200 at once under /quick, after ten seconds under /slow and never under /hang; tells its parent
 * how many arrived under each path, and when.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';

export type ReceiverQuestion = { ask: 'counts' } | { ask: 'reset'; keepTimes: boolean } | { ask: 'times' };
export type ReceiverAnswer =
  | { ready: true; quickPort: number; otherPort: number; deadPort: number }
  | { counts: Record<string, number> }
  | { times: [eventId: number, receivedAt: number][] };

const endOfHead = '\r\n\r\n';
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const pathStart = 'POST '.length;

let counts: Record<string, number> = {};
let times: [number, number][] = [];
let keepTimes = false;

function contentLength(head: string): number {
  const start = head.indexOf('content-length: ') + 'content-length: '.length;
  return Number.parseInt(head.slice(start, start + 9), 10);
}

function listen(handle: (path: string, head: string, socket: Socket) => void): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    let rest: Buffer | undefined;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      let bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
      for (;;) {
        const headEnd = bytes.indexOf(endOfHead);
        if (headEnd < 0) break;
        const head = bytes.toString('latin1', 0, headEnd);
        const end = headEnd + endOfHead.length + contentLength(head);
        if (bytes.length < end) break;
        handle(head.slice(pathStart, head.indexOf(' ', pathStart)), head, socket);
        if (bytes.length === end) {
          rest = undefined;
          return;
        }
        bytes = bytes.subarray(end);
      }
      rest = bytes;
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const quickPort = await listen((path, head, socket) => {
  counts[path] = (counts[path] ?? 0) + 1;
  if (keepTimes) {
    times.push([Number(/webhook-id: (\d+)/.exec(head)?.[1]), performance.timeOrigin + performance.now()]);
  }
  socket.write(answer, 'latin1');
});
const otherPort = await listen((path, _head, socket) => {
  if (path.startsWith('/slow')) setTimeout(() => socket.write(answer), 10_000);
});
// Nobody listens here: taken once and given back, so that connections are refused.
const deadPort = await new Promise<number>((resolve) => {
  const server = createServer();
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
});

const tell = (message: ReceiverAnswer) => process.send?.(message);
process.on('message', (question: ReceiverQuestion) => {
  if (question.ask === 'counts') tell({ counts });
  else if (question.ask === 'times') tell({ times });
  else {
    counts = {};
    times = [];
    keepTimes = question.keepTimes;
    tell({ counts });
  }
});
process.on('disconnect', () => process.exit());
tell({ ready: true, quickPort, otherPort, deadPort });
