import { ResponseTooLarge } from './bounded-fetch.ts';
import type { WriteResult } from './writer.ts';

const defaultRetrySeconds = 60;
const maxRetrySeconds = 86_400;

/** Errors of the ai library, untrusted. */
interface CallFailure {
  statusCode?: unknown;
  responseHeaders?: Record<string, string>;
  cause?: unknown;
  name?: unknown;
  message?: unknown;
}

/** Maps an error of the model server to a result. */
export function modelFault(error: unknown, model: string, now = new Date()): WriteResult {
  if (isCausedBy(error, (cause) => cause instanceof ResponseTooLarge)) {
    return { kind: 'unavailable', detail: 'sent a response without end' };
  }
  const { statusCode, responseHeaders, name, message } = (error ?? {}) as CallFailure;
  if (name === 'TimeoutError') return { kind: 'unavailable', detail: 'did not finish in time' };
  if (name === 'AbortError') return { kind: 'unavailable', detail: 'was interrupted' };
  if (statusCode === 429) {
    return { kind: 'limited', retryAfterSeconds: retryAfterSeconds(responseHeaders?.['retry-after'], now) };
  }
  if (statusCode === 401 || statusCode === 403) {
    return { kind: 'misconfigured', detail: 'does not accept the key in WAYPOST_AI_KEY' };
  }
  if (statusCode === 404) {
    return { kind: 'misconfigured', detail: `does not have WAYPOST_AI_MODEL (${model}) at WAYPOST_AI_URL` };
  }
  if (typeof statusCode === 'number' && statusCode !== 200) {
    return { kind: 'unavailable', detail: `returned HTTP ${statusCode}` };
  }
  if (statusCode === undefined && typeof message === 'string' && /cannot connect/i.test(message)) {
    return { kind: 'unavailable', detail: 'cannot be reached' };
  }
  return { kind: 'unavailable', detail: 'sent an invalid response' };
}

function isCausedBy(error: unknown, test: (cause: unknown) => boolean): boolean {
  let cause = error;
  for (let depth = 0; depth < 5 && typeof cause === 'object' && cause !== null; depth += 1) {
    if (test(cause)) return true;
    cause = (cause as CallFailure).cause;
  }
  return false;
}

/** Retry-After: seconds or an HTTP date. */
function retryAfterSeconds(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? '';
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), maxRetrySeconds) : defaultRetrySeconds;
}
