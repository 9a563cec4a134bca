/** The ceiling, in a separate process: a bare loop of `undici` requests with the body and headers of a delivery. */
import { Pool } from 'undici';

const connections = 64;

const [origin = '', body = '', count = '0'] = process.argv.slice(2);
const headers = {
  'content-type': 'application/json',
  'user-agent': 'Waypost/bench',
  'webhook-id': '1234567',
  'webhook-timestamp': '1794700000',
  'webhook-signature': `v1,${'x'.repeat(43)}=`,
};
const pool = new Pool(origin, { connections, pipelining: 1 });

async function post(total: number): Promise<number> {
  let started = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (started++ < total) {
        const response = await pool.request({
          path: '/quick/ceiling',
          method: 'POST',
          headers,
          body,
        });
        await response.body.dump();
      }
    }),
  );
  return (total / (performance.now() - start)) * 1000;
}

await post(Math.min(10_000, Number(count)));
process.send?.({ perSecond: await post(Number(count)) });
await pool.close();
process.disconnect?.();
