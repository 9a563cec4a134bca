/**
 * The receiver, in a separate process: a Node HTTP server that responds 200 immediately under /quick, after ten seconds
 * under /slow and never under /hang. It reports the number and time of requests by path to its parent.
 */
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';

export type ReceiverRequest = { ask: 'counts' } | { ask: 'reset'; keepTimes: boolean } | { ask: 'times' };
/** The first message. */
export interface Ports {
  quickPort: number;
  otherPort: number;
  deadPort: number;
}

let counts: Record<string, number> = {};
let times: [number, number][] = [];
let keepTimes = false;

function listen(handle: (path: string, id: string | undefined, response: ServerResponse) => void): Promise<number> {
  const server = createHttpServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request
      .resume()
      .once('end', () => handle(request.url ?? '', request.headers['webhook-id'] as string | undefined, response));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const quickPort = await listen((path, id, response) => {
  counts[path] = (counts[path] ?? 0) + 1;
  if (keepTimes) {
    times.push([Number(id), performance.timeOrigin + performance.now()]);
  }
  response.end('ok');
});
const otherPort = await listen((path, _id, response) => {
  if (path.startsWith('/slow')) setTimeout(() => response.end('ok'), 10_000);
});
// A closed port, so that connections are refused.
const deadPort = await new Promise<number>((resolve) => {
  const server = createServer();
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(port));
  });
});

const tell = (message: object) => process.send?.(message);
process.on('message', (request: ReceiverRequest) => {
  if (request.ask === 'counts') tell({ counts });
  else if (request.ask === 'times') tell({ times });
  else {
    counts = {};
    times = [];
    keepTimes = request.keepTimes;
    tell({ counts });
  }
});
process.on('disconnect', () => process.exit());
tell({ quickPort, otherPort, deadPort } satisfies Ports);
