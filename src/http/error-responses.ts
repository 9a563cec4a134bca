import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../database/faults.ts';
import { Problem } from '../problems.ts';
import { failure } from './envelope.ts';

const databaseBackInSeconds = 5;
/** Time to read the response to a request that could not be read. */
const closeMs = 2000;

/** What the framework refuses by itself, in our words. */
const refusals: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be JSON: send it with "content-type: application/json".',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large: at most 1 MiB is read.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as content-length says.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_BAD_URL: 'The path is not a valid URL path: check its percent-encoding.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the path is too long.',
};

/** Every error becomes an envelope. What is not the client's doing is logged with the id that the answer names. */
export function registerErrorHandler(server: FastifyInstance): void {
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error, request.id);
  if (problem.httpCode >= 500) request.log.error({ event: 'request.failed', err: error });
  return reply
    .code(problem.httpCode)
    .headers(problem.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(failure(problem, problem.httpCode < 500 ? request.warnings : []));
}

function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (isDatabaseUnavailable(error)) {
    return new Problem('SERVICE_UNAVAILABLE', {
      message:
        `The database is not available at the moment. Try again in ${databaseBackInSeconds} s; ` +
        'a POST with an Idempotency-Key is never carried out twice.',
      retryAfterSeconds: databaseBackInSeconds,
    });
  }
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>;
  const refusal = refusals[code];
  if (refusal) return new Problem('BAD_REQUEST', { message: refusal });
  if (statusCode >= 400 && statusCode < 500) return new Problem('BAD_REQUEST');
  return new Problem('SERVER_ERROR', { message: `Something went wrong on our side (request ${requestId}).` });
}

/** Bytes that are no HTTP request never reach a route; they are answered on the bare socket. */
export function handleClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [line, message] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? ['408 Request Timeout', 'The request did not arrive in time.']
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? ['431 Request Header Fields Too Large', 'The headers are too large.']
        : ['400 Bad Request', 'This is not an HTTP request that can be read.'];
  const body = JSON.stringify(failure(new Problem('BAD_REQUEST', { message })));
  const head = `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${line}\r\n${head}\r\n\r\n${body}`);
  // A client that never closes its side would hold the connection for ever.
  const closing = setTimeout(() => socket.destroy(), closeMs).unref();
  socket.once('close', () => clearTimeout(closing));
}
