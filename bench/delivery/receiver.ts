/**
 * The receiving end, a process of its own. Answers 200 at once under /quick, after ten seconds under /slow and
 * never under /hang; tells its parent how many arrived under each path, and when.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceiverQuestion = { ask: 'counts' } | { ask: 'reset'; keepTimes: boolean } | { ask: 'times' };
export type ReceiverAnswer =
  | { ready: true; quickPort: number; otherPort: number; deadPort: number }
  | { counts: Record<string, number> }
  | { times: [eventId: number, receivedAt: number][] };

let counts: Record<string, number> = {};
let times: [number, number][] = [];
let keepTimes = false;

function listen(handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => handler(request, response));
  });
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const quickPort = await listen((request, response) => {
  const path = request.url ?? '/';
  counts[path] = (counts[path] ?? 0) + 1;
  if (keepTimes) times.push([Number(request.headers['webhook-id']), performance.timeOrigin + performance.now()]);
  response.writeHead(200).end('ok');
});
const otherPort = await listen((request, response) => {
  if (request.url?.startsWith('/slow')) setTimeout(() => response.writeHead(200).end('ok'), 10_000);
});
// Nobody listens here: taken once and given back, so that connections are refused.
const deadPort = await new Promise<number>((resolve) => {
  const server = createServer();
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
});

const tell = (answer: ReceiverAnswer) => process.send?.(answer);
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
