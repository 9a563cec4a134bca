import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import type { ForwardAttempt, ReceivedDelivery, Reply, Respond, VerifiedDelivery } from './local-receiver.ts';

interface Forwarding {
  retries: number;
  /** Ends the retries of deliveries in progress. */
  stopped: AbortSignal;
  /** `retryInMs` is undefined after the last attempt. */
  onAttempt(delivery: VerifiedDelivery, attempts: readonly ForwardAttempt[], retryInMs: number | undefined): void;
}

/** How long Waypost waits for the response to a delivery. */
export const timeoutSeconds = 15;
const totalMs = (timeoutSeconds - 1) * 1000;
const firstRetryMs = 500;
// Waypost logs this much of a response.
const maxResponseSize = 16 * 1024;

// Hop-by-hop headers, which are not forwarded.
const hopByHopHeaders = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
);
const returnedHeaders = ['content-type', 'retry-after'];

/** Forwards deliveries unchanged, with retries, and returns the last response. */
export function forwarding(url: string, { retries, stopped, onAttempt }: Forwarding): Respond {
  return async (delivery, verified) => {
    const end = performance.now() + totalMs;
    const attempts: ForwardAttempt[] = [];
    for (;;) {
      const attempt = await send(url, delivery, end - performance.now());
      attempts.push(attempt);
      const retryInMs = stopped.aborted ? undefined : retryDelay(attempts, retries, end - performance.now());
      onAttempt(verified, attempts, retryInMs);
      if (retryInMs === undefined) return replyOf(url, attempt, attempts);
      await pause(retryInMs, undefined, { signal: stopped }).catch(() => undefined);
      if (stopped.aborted) return replyOf(url, attempt, attempts);
    }
  };
}

export const isSuccess = ({ status }: { status: number }) => status >= 200 && status < 300;

/** Exponential, while there is time for the next response. 410 disables the webhook and is not retried. */
function retryDelay(attempts: readonly ForwardAttempt[], retries: number, leftMs: number): number | undefined {
  const last = attempts.at(-1);
  if (!last || isSuccess(last) || last.status === 410 || attempts.length > retries) return undefined;
  const delay = firstRetryMs * 2 ** (attempts.length - 1);
  return delay + last.tookMs + firstRetryMs < leftMs ? delay : undefined;
}

function replyOf(url: string, { status, failure, headers, body }: ForwardAttempt, attempts: ForwardAttempt[]): Reply {
  return { status, remark: failure ?? `from ${shownUrl(url)}`, headers, body, attempts };
}

/** Without user, password and parameters, which can be secret. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

async function send(url: string, { headers, body }: ReceivedDelivery, timeoutMs: number): Promise<ForwardAttempt> {
  const start = performance.now();
  const tookMs = () => Math.round(performance.now() - start);
  try {
    const response = await request(url, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHopHeaders.has(name))),
      body,
      signal: AbortSignal.timeout(Math.max(1, Math.round(timeoutMs))),
    });
    const returned = Object.entries(response.headers).filter(([name]) => returnedHeaders.includes(name));
    const received = await readBeginning(response.body);
    return {
      status: response.statusCode,
      statusText: response.statusText,
      tookMs: tookMs(),
      headers: Object.fromEntries(returned.map(([name, value]) => [name, headerText(String(value))])),
      ...received,
    };
  } catch (error) {
    return { ...failedAttempt(shownUrl(url), error as NodeJS.ErrnoException, timeoutMs), tookMs: tookMs() };
  }
}

/** Other characters cannot be returned in a header. */
const headerText = (value: string) => value.replaceAll(/[^\x20-\x7e]/g, '?');

function failedAttempt(url: string, { code, name, message }: NodeJS.ErrnoException, timeoutMs: number) {
  const isTimeout = name === 'TimeoutError';
  const failure = isTimeout
    ? `${url} did not respond within ${Math.round(timeoutMs / 100) / 10} s`
    : `${url} is unavailable (${code ?? message})`;
  return {
    status: isTimeout ? 504 : 502,
    statusText: '',
    failure,
    headers: {},
    body: Buffer.from(`${failure}.`),
    isComplete: true,
  };
}

async function readBeginning(body: AsyncIterable<Buffer>): Promise<{ body: Buffer; isComplete: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > maxResponseSize) return { body: Buffer.concat(chunks).subarray(0, maxResponseSize), isComplete: false };
  }
  return { body: Buffer.concat(chunks), isComplete: true };
}
