import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FailureMode } from '../state/directory-settings.ts';

const hugeBytes = 256 * 1024 * 1024;

/** Returns false for failure modes that change a regular response: truncated and repeat. */
export function sendFailure(mode: FailureMode, response: ServerResponse): boolean {
  switch (mode) {
    case 'error':
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '30' });
      response.end('{"messages":["We are down for maintenance."]}');
      return true;
    case 'hang':
      return true;
    case 'reset':
      response.socket?.resetAndDestroy();
      return true;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(Buffer.from('\u0000\u0007}{"id":[[[\uFFFD NaN undefined', 'utf16le'));
      return true;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Sign in</title><h1>Your session has ended</h1>');
      return true;
    case 'empty':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end();
      return true;
    case 'wrong-shape':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"id":42,"results":{"length":-1},"dataPoints":"none","ids":null,"profile":7}');
      return true;
    case 'huge':
      response.writeHead(200, { 'content-type': 'application/json' });
      Readable.from(hugeBody())
        .on('error', () => {})
        .pipe(response);
      return true;
    default:
      return false;
  }
}

function* hugeBody() {
  const chunk = Buffer.alloc(64 * 1024, '[');
  for (let sent = 0; sent < hugeBytes; sent += chunk.length) yield chunk;
}

/** Sends half of the announced content and closes the connection. */
export function sendTruncated(response: ServerResponse, status: number, text: string): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.socket?.destroy());
}
