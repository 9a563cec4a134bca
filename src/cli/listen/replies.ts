import type { Readable } from 'node:stream';
import { request } from 'undici';
import type { ReceivedDelivery } from './verification.ts';

export interface Reply {
  status: number;
  /** Why it is not simply accepted. */
  remark?: string;
  headers?: Record<string, string>;
  body?: Readable | string;
}

/** How a verified delivery is answered. */
export type Respond = (delivery: ReceivedDelivery) => Promise<Reply>;

// As long as Waypost itself waits for an answer.
const patienceMs = 15_000;

// What belongs to one connection and not to what is sent over it.
const ofTheConnection = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
);
const passedBack = ['content-type', 'retry-after'];

export const accept: Respond = async () => ({ status: 204 });

/** A receiver that fails now and then, to try out retries with. */
export function failing(rate: number, status: number, otherwise: Respond): Respond {
  return async (delivery) =>
    Math.random() < rate ? { status, remark: 'on purpose', body: 'Answered so on purpose.' } : otherwise(delivery);
}

/** Passes deliveries on as they are, and answers what the other side answers. */
export function forwarding(url: string): Respond {
  return async ({ headers, body }) => {
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheConnection.has(name))),
        body,
        headersTimeout: patienceMs,
        bodyTimeout: patienceMs,
      });
      const kept = Object.entries(answer.headers).filter(([name]) => passedBack.includes(name));
      const passed = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
      return { status: answer.statusCode, remark: `from ${url}`, headers: passed, body: answer.body };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { status: 502, remark: `${url} does not answer (${code ?? message})`, body: 'Could not be passed on.' };
    }
  };
}
