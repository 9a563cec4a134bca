import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TSchema } from 'typebox';
import { isDatabaseUnavailable, isDeadlock, isPartnerMoving } from '../database/faults.ts';
import { propertiesOf } from '../json-schema.ts';
import { Problem, type ProblemName, problemKind } from '../problems.ts';

/** The body of every JSON response. */
interface Envelope {
  status: string;
  response?: unknown;
  message?: string;
  errorCode?: string;
  warnings?: readonly string[];
  errors?: readonly { field: string; rule: string; message: string }[];
  details?: object;
}

export function success(response: unknown, warnings: readonly string[] = []): Envelope {
  const first = soleFailures(response)?.[0];
  return {
    status: first?.status ?? (hasFailures(response) ? 'PARTIAL_ERROR' : 'SUCCESS'),
    ...(first && { message: first.message }),
    response,
    ...(warnings.length > 0 && { warnings }),
  };
}

/** 200, or the code of the first failure if all records of a bulk operation failed. */
export function httpCodeOf(response: unknown): number {
  const first = soleFailures(response)?.[0];
  return first ? problemKind(first.status as ProblemName).httpCode : 200;
}

/** Copies fields of `response` to the top level of the envelope. */
export function withTop(envelope: unknown, names: readonly string[]): unknown {
  const { response } = envelope as Envelope;
  if (typeof response !== 'object' || response === null) return envelope;
  const fields = Object.entries(response).filter(([name]) => names.includes(name));
  return { ...(envelope as Envelope), ...Object.fromEntries(fields) };
}

/** Bulk operations return the failed records and their count. */
function hasFailures(response: unknown): boolean {
  const { failed, failedCount } = (response ?? {}) as { failed?: unknown; failedCount?: unknown };
  return Array.isArray(failed) && typeof failedCount === 'number' && failedCount > 0;
}

interface BulkResponse {
  failed?: readonly { status: string; message: string }[];
  /** The number of successes, under either name. */
  updatedCount?: number;
  acceptedCount?: number;
}

/** The failures of a bulk operation, if all records failed. */
function soleFailures(response: unknown): BulkResponse['failed'] {
  if (!hasFailures(response)) return undefined;
  const { failed, updatedCount, acceptedCount } = response as BulkResponse;
  return (updatedCount ?? acceptedCount) === 0 ? failed : undefined;
}

const failure = (problem: Problem, warnings: readonly string[] = []): Envelope => ({
  status: problem.status,
  message: problem.message,
  ...(problem.errorCode && { errorCode: problem.errorCode }),
  ...(problem.errors.length > 0 && { errors: problem.errors }),
  ...(problem.details && { details: problem.details }),
  ...(warnings.length > 0 && { warnings }),
});

const warningsSchema = Type.Optional(Type.Array(Type.String()));

function successSchema(response: TSchema, top: readonly string[]): TSchema {
  const fields = propertiesOf(response);
  const mayHaveFailures = 'failed' in fields && 'failedCount' in fields;
  return Type.Object({
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => top.includes(name))),
    status: Type.Enum(['SUCCESS', ...(mayHaveFailures ? ['PARTIAL_ERROR'] : [])]),
    response,
    warnings: warningsSchema,
  });
}

const failureFields = {
  message: Type.String(),
  errorCode: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(Type.Object({ field: Type.String(), rule: Type.String(), message: Type.String() }))),
  details: Type.Optional(Type.Object({})),
  warnings: warningsSchema,
};

const failureSchemas = new Map<string, TSchema>();

/** Shared by routes: creating the same schemas for every route was a third of the registration. */
function failureSchema(statuses: readonly string[]): TSchema {
  const key = statuses.join();
  const schema = failureSchemas.get(key) ?? Type.Object({ status: Type.Enum([...statuses]), ...failureFields });
  failureSchemas.set(key, schema);
  return schema;
}

/** The schemas of all responses of a route, by HTTP code. */
export function responseSchemas(
  response: TSchema,
  problems: Iterable<ProblemName>,
  alsoAtTop: readonly string[] = [],
): Record<number, TSchema> {
  const statuses = new Map<number, Set<string>>();
  for (const name of problems) {
    const { httpCode, status } = problemKind(name);
    statuses.set(httpCode, (statuses.get(httpCode) ?? new Set()).add(status));
  }
  const failures = [...statuses].map(([httpCode, names]) => [httpCode, failureSchema([...names])] as const);
  return { 200: successSchema(response, alsoAtTop), ...Object.fromEntries(failures) };
}

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
  if (isDatabaseUnavailable(error))
    return unavailable('The database is unavailable', 5, '; a POST with an Idempotency-Key is never executed twice');
  if (isDeadlock(error))
    return unavailable('Another request changed the same records at the same time. Nothing was changed', 1);
  if (isPartnerMoving(error))
    return unavailable('The partner is being moved to another cell. Only reads are possible', 30);
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>;
  const refusal = frameworkMessages[code];
  if (refusal) return new Problem('BAD_REQUEST', { message: refusal });
  if (statusCode >= 400 && statusCode < 500) return new Problem('BAD_REQUEST');
  return new Problem('SERVER_ERROR', { message: `Internal server error (request ${requestId}).` });
}

const unavailable = (reason: string, retryAfterSeconds: number, note = '') =>
  new Problem('SERVICE_UNAVAILABLE', {
    message: `${reason}. Try again in ${retryAfterSeconds} s${note}.`,
    retryAfterSeconds,
  });

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
