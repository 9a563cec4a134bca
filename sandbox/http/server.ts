import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ControlCall } from '../control/control-call.ts';
import { controlRoutes } from '../control/control-routes.ts';
import { dataPointRoutes } from '../directories/data-point-routes.ts';
import type { DirectoryCall } from '../directories/directory-call.ts';
import { type DirectoryRules, rulesOfPath } from '../directories/directory-rules.ts';
import { insightRoutes } from '../directories/insight-routes.ts';
import { pageRoutes } from '../directories/page-routes.ts';
import { postRoutes } from '../directories/post-routes.ts';
import { endReviews } from '../directories/submit.ts';
import type { Life } from '../life/life.ts';
import { DemoReceiver, receiverPath } from '../receiver/demo-receiver.ts';
import { keepAnswer, keptAnswer } from '../state/answer-store.ts';
import { currentTrouble, directorySetting } from '../state/directory-settings.ts';
import { installationOf } from '../state/installation-store.ts';
import type { Network } from '../state/network.ts';
import { readBody } from './read-body.ts';
import { Refusal } from './refusal.ts';
import { type Call, Router } from './router.ts';
import { Traffic } from './traffic.ts';
import { answerInTrouble, sendHalf } from './trouble.ts';

const directoryRouter = new Router<DirectoryCall>([...pageRoutes, ...dataPointRoutes, ...insightRoutes, ...postRoutes]);
const controlRouter = new Router<ControlCall>(controlRoutes);

interface Parts {
  network: Network;
  life: Life;
  /** Milliseconds that a directory takes to answer, where nothing else is set. */
  latency: number;
  limits: boolean;
}

interface Request {
  method: string;
  path: string;
  call: Omit<Call, 'params'>;
  idempotencyKey: string | undefined;
}

/** All directories under one roof, each below its own path, and the desk from which they are told what to do. */
export function createSandboxServer(parts: Parts): Server {
  const desks = {
    traffic: new Traffic(parts.network, parts.limits),
    receiver: new DemoReceiver(parts.network),
  };
  return createServer((message, response) => {
    answer(parts, desks, message, response).catch((error) => {
      if (response.headersSent || response.destroyed) return;
      const known = error instanceof Refusal ? error : new Refusal(500, 'The sandbox itself has failed.');
      if (known.status === 500) process.stderr.write(`sandbox: ${error.stack}\n`);
      send(response, known.status, { messages: known.messages });
    });
  });
}

interface Desks {
  traffic: Traffic;
  receiver: DemoReceiver;
}

async function answer(parts: Parts, desks: Desks, message: IncomingMessage, response: ServerResponse) {
  const { network, life } = parts;
  const { pathname, searchParams } = new URL(message.url ?? '/', 'http://sandbox');
  if (pathname === '/health') return send(response, 200, { healthy: true });
  const [, first = '', rest = '/'] = /^\/([^/]*)(\/.*)?$/.exec(pathname) ?? [];
  // Deliveries come without a key, as they do to any receiver.
  if (first === receiverPath) return desks.receiver.respond(rest.slice(1), message, response);
  const installation = installationOf(network, String(message.headers['x-sandbox-key'] ?? ''));
  if (installation === undefined)
    throw new Refusal(401, 'The header x-sandbox-key must hold the key of an installation.');
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
      network.sql.transaction(() => route.handle({ ...request.call, params, life, ...desks })),
    );
  }
  const rules = rulesOfPath(first);
  if (!rules) throw new Refusal(404, `There is no directory ${first}.`);
  await answerAs(rules, parts, desks.traffic, request, response);
}

async function answerAs(
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
    throw new Refusal(429, `${rules.name} takes no more requests for ${Math.ceil(seconds)} s.`);
  }
  const trouble = currentTrouble(network, rules.type)?.kind;
  if (trouble && answerInTrouble(trouble, response)) return;
  const { status, body } = attempt(() => network.sql.transaction(() => carryOut(rules, network, request)));
  if (trouble === 'truncated') sendHalf(response, status, body);
  else response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

/** A refusal is an answer like any other, with the same trouble on its way. */
function attempt(work: () => { status: number; body: string }): { status: number; body: string } {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, body: JSON.stringify({ messages: error.messages }) };
  }
}

/** A request that was carried out before, by its key, gets the same answer. A refusal changes nothing and may change. */
function carryOut(rules: DirectoryRules, network: Network, { method, path, call, idempotencyKey }: Request) {
  endReviews(network);
  const { route, params } = directoryRouter.find(method, path);
  const run = () => JSON.stringify(route.handle({ ...call, rules, params }));
  if (idempotencyKey === undefined || method === 'GET') return { status: 200, body: run() };
  const request = createHash('sha256')
    .update(`${method} ${path} ${JSON.stringify(call.body)}`)
    .digest('hex');
  const kept = keptAnswer(network, call.installation, rules.type, idempotencyKey);
  if (kept && kept.request !== request) throw new Refusal(409, 'This Idempotency-Key was used for another request.');
  if (kept) return kept;
  const done = { request, status: 200, body: run() };
  keepAnswer(network, call.installation, rules.type, idempotencyKey, done);
  return done;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
