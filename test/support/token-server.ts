import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpReceiver } from './loopback-receivers.ts';

interface TokenRequest {
  headers: IncomingMessage['headers'];
  form: Record<string, string>;
}

/** A token server (OAuth 2.0) that issues t1, t2, … or sends the given response. */
export async function tokenServer(respond: (response: ServerResponse, token: string) => void = issueToken) {
  const requests: TokenRequest[] = [];
  const { url, sockets } = await httpReceiver(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams((await request.toArray()).join('')));
    requests.push({ headers: request.headers, form });
    respond(response, `t${requests.length}`);
  });
  return { url, requests, sockets };
}

export const issueToken = (response: ServerResponse, token: string, more: object = { expires_in: 3600 }) =>
  response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', ...more }));
