/** HTTP requests over several connections, one at a time per connection. */
import { Pool } from 'undici';
import { quantile } from '../delivery/scene.ts';

export interface Load {
  method: 'GET' | 'PATCH';
  /** The path of the nth request. */
  path: (n: number) => string;
  body?: (n: number) => object;
}

export interface Measured {
  perSecond: number;
  p99Ms: number;
}

export async function measure(
  origin: string,
  privateKey: string,
  load: Load,
  requests: number,
  connections = 32,
): Promise<Measured> {
  const pool = new Pool(origin, { connections, pipelining: 1 });
  try {
    await sendRequests(pool, privateKey, load, connections, Math.ceil(requests / 4), requests);
    return await sendRequests(pool, privateKey, load, connections, requests, 0);
  } finally {
    await pool.close();
  }
}

async function sendRequests(
  pool: Pool,
  privateKey: string,
  load: Load,
  connections: number,
  requests: number,
  from: number,
): Promise<Measured> {
  const tookMs: number[] = [];
  let started = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let n = started++; n < requests; n = started++) {
        const sent = performance.now();
        const path = load.path(from + n);
        const { statusCode, body } = await pool.request({
          path,
          method: load.method,
          headers: { privateKey, ...(load.body && { 'content-type': 'application/json' }) },
          ...(load.body && { body: JSON.stringify(load.body(from + n)) }),
        });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(`${load.method} ${path} returned ${statusCode}: ${text.slice(0, 300)}`);
        tookMs.push(performance.now() - sent);
      }
    }),
  );
  return { perSecond: (requests / (performance.now() - start)) * 1000, p99Ms: quantile(tookMs, 0.99) };
}
