import { AnswerTooLong } from './bounded-fetch.ts';
import type { Written } from './writer.ts';

const usualWaitSeconds = 60;
const longestWaitSeconds = 86_400;

/** What the library knows of an answer that was no success. Read loosely: it comes from another program. */
interface CallFailure {
  statusCode?: unknown;
  responseHeaders?: Record<string, string>;
  cause?: unknown;
  name?: unknown;
  message?: unknown;
}

/** What it means for whoever waits that the model server failed. */
export function modelFault(error: unknown, model: string, now = new Date()): Written {
  if (isCausedBy(error, (cause) => cause instanceof AnswerTooLong)) {
    return { kind: 'unavailable', detail: 'sent an answer without end' };
  }
  const { statusCode, responseHeaders, name, message } = (error ?? {}) as CallFailure;
  if (name === 'TimeoutError') return { kind: 'unavailable', detail: 'did not finish in time' };
  if (name === 'AbortError') return { kind: 'unavailable', detail: 'was not waited for' };
  if (statusCode === 429) {
    return { kind: 'limited', retryAfterSeconds: waitOf(responseHeaders?.['retry-after'], now) };
  }
  if (statusCode === 401 || statusCode === 403) {
    return { kind: 'misconfigured', detail: 'does not accept the key in WAYPOST_AI_KEY' };
  }
  if (statusCode === 404) {
    return { kind: 'misconfigured', detail: `knows nothing of WAYPOST_AI_MODEL (${model}) at WAYPOST_AI_URL` };
  }
  if (typeof statusCode === 'number' && statusCode !== 200) {
    return { kind: 'unavailable', detail: `answered HTTP ${statusCode}` };
  }
  if (statusCode === undefined && typeof message === 'string' && /cannot connect/i.test(message)) {
    return { kind: 'unavailable', detail: 'cannot be reached' };
  }
  return { kind: 'unavailable', detail: 'sent an answer that makes no sense' };
}

function isCausedBy(error: unknown, test: (cause: unknown) => boolean): boolean {
  let cause = error;
  for (let depth = 0; depth < 5 && typeof cause === 'object' && cause !== null; depth += 1) {
    if (test(cause)) return true;
    cause = (cause as CallFailure).cause;
  }
  return false;
}

/** Seconds, or a date, as HTTP has it. */
function waitOf(header: string | undefined, now: Date): number {
  const text = header?.trim() ?? '';
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), longestWaitSeconds) : usualWaitSeconds;
}
