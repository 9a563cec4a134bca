import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../database/faults.ts';
import { Problem } from '../problems.ts';
import { failure } from './envelope.ts';

const databaseRetrySeconds = 5;
/** Time for the client to read the response to a malformed request. */
const closeMs = 2000;

/** Messages for errors of Fastify. */
const frameworkMessages: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be JSON: send it with "content-type: application/json".',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large: the limit is 1 MiB.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body does not match content-length.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
  FST_ERR_BAD_URL: 'The path is not a valid URL path: check its percent-encoding.',
  FST_ERR_MAX_PARAM_LENGTH: 'A part of the path is too long.',
};

/** Sends every error as an envelope. Server errors are logged with the request id of the response. */
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
        `The database is unavailable. Try again in ${databaseRetrySeconds} s; ` +
        'a POST with an Idempotency-Key is never executed twice.',
      retryAfterSeconds: databaseRetrySeconds,
    });
  }
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>;
  const refusal = frameworkMessages[code];
  if (refusal) return new Problem('BAD_REQUEST', { message: refusal });
  if (statusCode >= 400 && statusCode < 500) return new Problem('BAD_REQUEST');
  return new Problem('SERVER_ERROR', { message: `Internal server error (request ${requestId}).` });
}

/** Malformed HTTP never reaches a route; the response is written to the socket. */
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
        : ['400 Bad Request', 'The HTTP request is malformed.'];
  const body = JSON.stringify(failure(new Problem('BAD_REQUEST', { message })));
  const head = `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${line}\r\n${head}\r\n\r\n${body}`);
  // The client may never close its side.
  const closing = setTimeout(() => socket.destroy(), closeMs).unref();
  socket.once('close', () => clearTimeout(closing));
}
