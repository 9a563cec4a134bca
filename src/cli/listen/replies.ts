import type { Readable } from 'node:stream';
import { request } from 'undici';
import type { ReceivedDelivery } from './verification.ts';

export interface Reply {
  status: number;
  /** A note for the output, for example why the delivery failed. */
  remark?: string;
  headers?: Record<string, string>;
  body?: Readable | string;
}

/** Creates the response to a verified delivery. */
export type Respond = (delivery: ReceivedDelivery) => Promise<Reply>;

// The default delivery timeout of Waypost.
const timeoutMs = 15_000;

// Hop-by-hop headers, which are not forwarded.
const hopByHopHeaders = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
);
const returnedHeaders = ['content-type', 'retry-after'];

export const accept: Respond = async () => ({ status: 204 });

/** Fails some deliveries, to test retries. */
export function failing(rate: number, status: number, otherwise: Respond): Respond {
  return async (delivery) =>
    Math.random() < rate ? { status, remark: 'on purpose', body: 'Failed on purpose.' } : otherwise(delivery);
}

/** Forwards deliveries unchanged and returns the response. */
export function forwarding(url: string): Respond {
  return async ({ headers, body }) => {
    try {
      const response = await request(url, {
        method: 'POST',
        headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHopHeaders.has(name))),
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const kept = Object.entries(response.headers).filter(([name]) => returnedHeaders.includes(name));
      const passed = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
      return { status: response.statusCode, remark: `from ${url}`, headers: passed, body: response.body };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { status: 502, remark: `${url} is unavailable (${code ?? message})`, body: 'Could not be forwarded.' };
    }
  };
}
