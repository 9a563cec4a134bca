import { t } from '../texts/t.ts';
import { ApiProblem } from './api-problem.ts';
import type { Operations } from './api-types.ts';
import { apiVersion } from './api-version.ts';
import { waitForSignIn } from './session-state.ts';

export type OperationName = keyof Operations;
export type InputOf<Name extends OperationName> = Operations[Name]['input'];
export type ResponseOf<Name extends OperationName> = Operations[Name]['response'];

export type Arguments<Name extends OperationName> =
  object extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>];

interface Input {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

interface CallOptions {
  signal?: AbortSignal;
  /** Set for the session request itself, where 401 is an expected result. */
  allowNoSession?: boolean;
}

/** Returns the envelope's `response` or throws an ApiProblem. After a 401, asks the user to sign in and retries. */
export async function call<Name extends OperationName>(
  name: Name,
  ...args: Arguments<Name>
): Promise<ResponseOf<Name>> {
  return callWith(name, args[0] as InputOf<Name>, {});
}

export async function callWith<Name extends OperationName>(
  name: Name,
  input: InputOf<Name> | undefined,
  options: CallOptions,
): Promise<ResponseOf<Name>> {
  const [method = 'GET'] = name.split(' ', 1);
  const { path = {}, body } = (input ?? {}) as Input;
  // Invalid ids, for example from /locations/abc, are treated as not found.
  if (Object.values(path).some((id) => typeof id === 'number' && !(Number.isSafeInteger(id) && id > 0))) {
    throw new ApiProblem(404, { status: 'NOT_FOUND', message: t('errors.notFoundLead') });
  }
  const isForm = body instanceof FormData;
  const request: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      'x-waypost-console': '1',
      'x-api-version': apiVersion,
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': newIdempotencyKey() }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(options.signal && { signal: options.signal }),
  };
  const url = urlOf(name, input as Input);
  let response = await send(url, request);
  while (response.status === 401 && !options.allowNoSession && (await waitForSignIn()))
    response = await send(url, request);
  return (await read(response)) as ResponseOf<Name>;
}

/** URL for downloads and images; the browser sends the session cookie. */
export function apiUrl<Name extends OperationName>(name: Name, ...args: Arguments<Name>): string {
  const input = (args[0] ?? {}) as Input;
  return urlOf(name, { ...input, query: { ...input.query, v: apiVersion } });
}

async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    throw isAborted(error) ? error : unreachable();
  }
}

const isAborted = (error: unknown) => error instanceof DOMException && error.name === 'AbortError';

const unreachable = () => new ApiProblem(0, { status: 'UNREACHABLE', message: t('errors.unreachable') });

/** Every success has a `response`: without it, the connection was lost or a proxy sent its own page. */
async function read(response: Response): Promise<unknown> {
  const content = await response.json().catch((error) => {
    if (isAborted(error)) throw error;
  });
  if (response.ok && content?.response === undefined) throw unreachable();
  if (response.ok) return content.response;
  const wait = Number(response.headers.get('retry-after'));
  throw new ApiProblem(response.status, content ?? {}, wait > 0 ? wait : undefined);
}

function urlOf(name: string, { path = {}, query = {} }: Input = {}): string {
  const pattern = name.slice(name.indexOf(' ') + 1);
  const url = pattern.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(path[key])));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    for (const item of [value].flat())
      if (item !== undefined && item !== null && item !== '') search.append(key, String(item));
  }
  return search.size > 0 ? `${url}?${search}` : url;
}

/** A POST that is repeated after a sign-in keeps its key. A new attempt by the user has a new key. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
