import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import type { Problem } from '../problems.ts';
import { shareLargeResponses } from './shared-responses.ts';

async function serverOf(options: Parameters<typeof shareLargeResponses>[1]) {
  const server = fastify();
  await server.register(rateLimit, { global: false });
  server.decorateRequest('caller', { getter: () => ({ partnerId: 1 }) as never });
  server.decorateRequest('client', { getter: () => ({ version: '20260713' }) as never });
  server.setErrorHandler((error: Problem, _request, reply) =>
    reply.code(error.status === 'QUOTA_LIMIT_EXCEED' ? 429 : 500).send(),
  );
  shareLargeResponses(server, options);
  let created = 0;
  server.get('/list', { config: { access: 'public', cacheSeconds: 60 } }, async ({ query }) => {
    created++;
    return 'x'.repeat(Number((query as { length: string }).length));
  });
  const codeOf = async (length: number, max: number) =>
    (await server.inject(`/list?length=${length}&max=${max}`)).statusCode;
  return { codeOf, created: () => created };
}

test('keeps large responses and limits the creation of very large ones', async () => {
  const { codeOf, created } = await serverOf({ minLength: 10, limitedLength: 100, most: 2 });
  for (let request = 0; request < 3; request++) expect(await codeOf(50, 50)).toBe(200);
  expect(created()).toBe(1);
  for (let request = 0; request < 3; request++) expect(await codeOf(9, 50)).toBe(200);
  expect(created()).toBe(4);

  // Pages of at least half the size of a very large one count.
  expect(await codeOf(100, 200)).toBe(200);
  const codes = [];
  for (const max of [201, 202, 203, 200, 100, 99]) codes.push(await codeOf(100, max));
  expect(codes).toEqual([200, 200, 429, 200, 429, 200]);
});
