import Type, { type TSchema } from 'typebox';
import { type Problem, type ProblemName, problemKind } from '../problems.ts';

/** The body of every JSON response. */
interface Envelope {
  status: string;
  response?: unknown;
  message?: string;
  errorCode?: string;
  warnings?: readonly string[];
  errors?: readonly { field: string; rule: string; message: string }[];
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

function mayHaveFailures({ properties = {} }: TSchema & { properties?: object }): boolean {
  return 'failed' in properties && 'failedCount' in properties;
}

export const failure = (problem: Problem, warnings: readonly string[] = []): Envelope => ({
  status: problem.status,
  message: problem.message,
  ...(problem.errorCode && { errorCode: problem.errorCode }),
  ...(problem.errors.length > 0 && { errors: problem.errors }),
  ...(warnings.length > 0 && { warnings }),
});

const successSchema = (response: TSchema & { properties?: Record<string, TSchema> }, top: readonly string[]) =>
  Type.Object({
    ...Object.fromEntries(Object.entries(response.properties ?? {}).filter(([name]) => top.includes(name))),
    status: Type.Enum(['SUCCESS', ...(mayHaveFailures(response) ? ['PARTIAL_ERROR'] : [])]),
    response,
    warnings: Type.Optional(Type.Array(Type.String())),
  });

const failureSchema = (statuses: readonly string[]) =>
  Type.Object({
    status: Type.Enum([...statuses]),
    message: Type.String(),
    errorCode: Type.Optional(Type.String()),
    errors: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), rule: Type.String(), message: Type.String() })),
    ),
    warnings: Type.Optional(Type.Array(Type.String())),
  });

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
