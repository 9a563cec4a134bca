import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Activity } from '../activity/activity.ts';
import type { ControlCall } from '../control/control-call.ts';
import { controlRoutes } from '../control/control-routes.ts';
import { dataPointRoutes } from '../directories/data-point-routes.ts';
import type { DirectoryCall } from '../directories/directory-call.ts';
import { type DirectoryRules, rulesOfPath } from '../directories/directory-rules.ts';
import { insightRoutes } from '../directories/insight-routes.ts';
import { pageRoutes } from '../directories/page-routes.ts';
import { postRoutes } from '../directories/post-routes.ts';
import { endDueReviews } from '../directories/submit.ts';
import { DemoReceiver, receiverPath } from '../receiver/demo-receiver.ts';
import { currentFailure, directorySetting } from '../state/directory-settings.ts';
import { findInstallation } from '../state/installation-store.ts';
import type { Network } from '../state/network.ts';
import { findResponse, saveResponse } from '../state/response-store.ts';
import { sendFailure, sendTruncated } from './failure-modes.ts';
import { RequestError } from './request-error.ts';
import { type Call, Router } from './router.ts';
import { Traffic } from './traffic.ts';

const directoryRouter = new Router<DirectoryCall>([...pageRoutes, ...dataPointRoutes, ...insightRoutes, ...postRoutes]);
const controlRouter = new Router<ControlCall>(controlRoutes);
const maxBytes = 1024 * 1024;

interface Parts {
  network: Network;
  activity: Activity;
  /** Default response time of directories in milliseconds. */
  latency: number;
  limits: boolean;
}

interface Request {
  method: string;
  path: string;
  call: Omit<Call, 'params'>;
  idempotencyKey: string | undefined;
}

/** Serves all directories, each below its own path, the control API and the demo receiver. */
export function createSandboxServer(parts: Parts): Server {
  const shared = {
    traffic: new Traffic(parts.network, parts.limits),
    receiver: new DemoReceiver(parts.network),
  };
  return createServer((message, response) => {
    respond(parts, shared, message, response).catch((error) => {
      if (response.headersSent || response.destroyed) return;
      const requestError =
        error instanceof RequestError ? error : new RequestError(500, 'Internal error of the sandbox.');
      if (requestError.status === 500) process.stderr.write(`sandbox: ${error.stack}\n`);
      send(response, requestError.status, { messages: requestError.messages });
    });
  });
}

interface Shared {
  traffic: Traffic;
  receiver: DemoReceiver;
}

async function respond(parts: Parts, shared: Shared, message: IncomingMessage, response: ServerResponse) {
  const { network, activity } = parts;
  const { pathname, searchParams } = new URL(message.url ?? '/', 'http://sandbox');
  if (pathname === '/health') return send(response, 200, { healthy: true });
  const [, first = '', rest = '/'] = /^\/([^/]*)(\/.*)?$/.exec(pathname) ?? [];
  // Deliveries have no sandbox key.
  if (first === receiverPath) return shared.receiver.respond(rest.slice(1), message, response);
  const installation = findInstallation(network, String(message.headers['x-sandbox-key'] ?? ''));
  if (installation === undefined)
    throw new RequestError(401, 'The header x-sandbox-key must contain the key of an installation.');
  const body = await readBody(message);
  const request: Request = {
    method: message.method ?? 'GET',
    path: rest,
    call: { network, installation, query: searchParams, body },
    idempotencyKey: message.headers['idempotency-key'] as string | undefined,
  };
  if (first === 'control') {
    const { route, params } = controlRouter.find(request.method, rest);
    return send(
      response,
      200,
      network.sql.transaction(() => route.handle({ ...request.call, params, activity, ...shared })),
    );
  }
  const rules = rulesOfPath(first);
  if (!rules) throw new RequestError(404, `Directory ${first} not found.`);
  await respondAs(rules, parts, shared.traffic, request, response);
}

async function respondAs(
  rules: DirectoryRules,
  { network, latency }: Parts,
  traffic: Traffic,
  request: Request,
  response: ServerResponse,
): Promise<void> {
  const wait = directorySetting(network, rules.type, 'latency')?.milliseconds ?? latency;
  if (wait > 0) await pause(wait);
  const seconds = traffic.take(rules, request.call.installation);
  if (seconds > 0) {
    response.setHeader('retry-after', String(Math.ceil(seconds)));
    throw new RequestError(429, `The rate limit of ${rules.name} is reached. Retry in ${Math.ceil(seconds)} s.`);
  }
  const failure = currentFailure(network, rules.type)?.kind;
  if (failure && sendFailure(failure, response)) return;
  const { status, body } = catchRequestError(() => network.sql.transaction(() => handle(rules, network, request)));
  if (failure === 'truncated') sendTruncated(response, status, body);
  else response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

/** Simulated failures also apply to error responses. */
function catchRequestError(work: () => { status: number; body: string }): { status: number; body: string } {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { status: error.status, body: JSON.stringify({ messages: error.messages }) };
  }
}

/** A repeated idempotency key returns the saved response. Errors are not saved. */
function handle(rules: DirectoryRules, network: Network, { method, path, call, idempotencyKey }: Request) {
  endDueReviews(network);
  const { route, params } = directoryRouter.find(method, path);
  const run = () => JSON.stringify(route.handle({ ...call, rules, params }));
  if (idempotencyKey === undefined || method === 'GET') return { status: 200, body: run() };
  const request = createHash('sha256')
    .update(`${method} ${path} ${JSON.stringify(call.body)}`)
    .digest('hex');
  const keyed = { installation: call.installation, directory: rules.type, key: idempotencyKey };
  const saved = findResponse(network, keyed);
  if (saved && saved.request !== request)
    throw new RequestError(409, 'This Idempotency-Key was used for another request.');
  if (saved) return saved;
  const done = { request, status: 200, body: run() };
  saveResponse(network, keyed, done);
  return done;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** An empty object without a body. */
async function readBody(message: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new RequestError(413, `The body must have at most ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  try {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch {
    // Reported below, like JSON that is not an object.
  }
  throw new RequestError(400, 'The body must be a JSON object.');
}
