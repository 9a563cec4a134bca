import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startReceiver as express } from './examples/express.ts';
import { startReceiver as fastify } from './examples/fastify.ts';
import { startReceiver as hono } from './examples/hono.ts';
import { startReceiver as nodeHttp } from './examples/node-http.ts';
import { newPrivateKey, newSecret, signedBody, signedHeaders } from './independent-delivery.ts';
import type { WaypostEvent } from './receiver.ts';

const privateKey = newPrivateKey();
const secret = newSecret();
const event: WaypostEvent = {
  id: 184467,
  time: '2026-11-15T01:02:03.456+00:00',
  type: 'LOCATION_PROFILE_CHANGED',
  salesPartnerIdentifier: 'hansekontor',
  comment: 'Geändert: Öffnungszeiten 🕗',
  location: 51877,
  user: 'jonas.lindner@baeckerei-lindner.example',
};
const body = signedBody(privateKey, event);

describe.each(Object.entries({ nodeHttp, express, fastify, hono }))('the %s example', (_name, startReceiver) => {
  async function deliver(request: { body?: string; headers?: Record<string, string> }, store = async () => {}) {
    const received: WaypostEvent[] = [];
    const server = await startReceiver(0, { privateKey, secret }, async (verified) => {
      received.push(verified);
      await store();
    });
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...request });
    return { status: response.status, text: await response.text(), received };
  }

  test('accepts a delivery with 204 and no body', async () => {
    const { status, text, received } = await deliver({ body, headers: signedHeaders([secret], body) });
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(received).toEqual([event]);
  });

  test('accepts a delivery during a rotation', async () => {
    const { status } = await deliver({ body, headers: signedHeaders([newSecret(), secret], body) });
    expect(status).toBe(204);
  });

  test('responds with 401 to a modified body and does not process it', async () => {
    const tampered = body.replace('51877', '51878');
    const { status, received } = await deliver({ body: tampered, headers: signedHeaders([secret], body) });
    expect({ status, received }).toEqual({ status: 401, received: [] });
  });

  test('responds with 401 to a body signed with another private key', async () => {
    const foreign = signedBody(newPrivateKey(), event);
    const { status, received } = await deliver({ body: foreign, headers: signedHeaders([secret], foreign) });
    expect({ status, received }).toEqual({ status: 401, received: [] });
  });

  test('responds with 401 to an old delivery', async () => {
    const tenMinutesAgo = new Date(Date.now() - 600_000);
    const { status, text, received } = await deliver({ body, headers: signedHeaders([secret], body, tenMinutesAgo) });
    expect({ status, received }).toEqual({ status: 401, received: [] });
    expect(text).toContain('webhook-timestamp');
  });

  test('responds with 401 to a request that is not a delivery', async () => {
    expect(await deliver({})).toMatchObject({ status: 401, received: [] });
    expect(
      await deliver({ body: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    ).toMatchObject({ status: 401, received: [] });
  });

  test('responds with an error if the event could not be stored', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    const { status } = await deliver({ body, headers: signedHeaders([secret], body) }, async () => {
      throw new Error('the disk is full');
    });
    expect(status).toBe(500);
  });
});
