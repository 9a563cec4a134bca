import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

const mostBytes = 1024 * 1024;

/** The object that a request carries; an empty one when it carries nothing. */
export async function readBody(message: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Refusal(413, `A request has at most ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  try {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  } catch {
    // Said below, together with what is JSON and no object.
  }
  throw new Refusal(400, 'The body must be a JSON object.');
}
