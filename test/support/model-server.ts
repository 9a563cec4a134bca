import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ModelRequest {
  headers: IncomingMessage['headers'];
  body: {
    model: string;
    stream?: boolean;
    messages: { role: string; content: string }[];
  };
}

type Behaviour = (response: ServerResponse, request: ModelRequest) => void;

/** An HTTP server with the OpenAI protocol. Tests set its behaviour. */
export class ModelServer {
  readonly requests: ModelRequest[] = [];
  readonly #server: Server;
  #behaviour: Behaviour = streamText('Fresh bread is waiting for you.');
  /** Responses cancelled by clients since the last `setBehaviour`. */
  cancelled = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response));
  }

  static async start(): Promise<ModelServer> {
    const model = new ModelServer();
    await new Promise<void>((listening) => model.#server.listen(0, '127.0.0.1', listening));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The system message and the user's message of the last request. */
  get lastPrompt(): { instructions: string; prompt: string } {
    const messages = this.requests.at(-1)?.body.messages ?? [];
    const contentOf = (role: string) => messages.find((message) => message.role === role)?.content ?? '';
    return { instructions: contentOf('system'), prompt: contentOf('user') };
  }

  setBehaviour(behaviour: Behaviour): void {
    this.requests.length = 0;
    this.cancelled = 0;
    this.#behaviour = behaviour;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => '');
    if (body === '' || request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      response.writeHead(404).end();
      return;
    }
    const behaviour = this.#behaviour;
    response.on('close', () => {
      if (!response.writableEnded && behaviour === this.#behaviour) this.cancelled += 1;
    });
    const received = { headers: request.headers, body: JSON.parse(body) };
    this.requests.push(received);
    behaviour(response, received);
  }
}

interface Delta {
  content?: string;
  refusal?: string;
  reasoning_content?: string;
}

function send(response: ServerResponse, delta: Delta, finishReason: string | null = null): void {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  const event = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'stand-in', choices };
  response.write(`data: ${JSON.stringify(event)}\n\n`);
}

const startStream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });

/** Streams a text in chunks. */
export const streamText =
  (text: string | ((request: ModelRequest) => string), finishReason = 'stop'): Behaviour =>
  (response, request) => {
    startStream(response);
    const content = typeof text === 'string' ? text : text(request);
    for (const chunk of content.match(/[\s\S]{1,7}/gu) ?? []) send(response, { content: chunk });
    send(response, {}, finishReason);
    response.end('data: [DONE]\n\n');
  };

export const refuse =
  (message: string): Behaviour =>
  (response) => {
    startStream(response);
    send(response, { refusal: message });
    send(response, {}, 'stop');
    response.end('data: [DONE]\n\n');
  };

/** Never responds. */
export const hang: Behaviour = () => {};

/** Sends the first chunk and then nothing. */
export const stallMidStream: Behaviour = (response) => {
  startStream(response);
  send(response, { content: 'Fresh bread' });
};

/** Closes the connection after the first chunk. */
export const disconnectMidStream: Behaviour = (response) => {
  startStream(response);
  send(response, { content: 'Fresh bread' });
  setImmediate(() => response.destroy());
};

export const fail =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message: 'the secret of the operator', type: 'x', code: null } }));
  };

export const respondWith =
  (body: string, contentType = 'text/event-stream'): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
  };

/** Repeats a chunk until the client disconnects. */
export const endlessStream =
  (chunk: string): Behaviour =>
  (response) => {
    startStream(response);
    const writeChunks = () => {
      while (!response.destroyed && response.write(chunk)) {
        // Until the send buffer is full.
      }
      if (!response.destroyed) response.once('drain', writeChunks);
    };
    writeChunks();
  };

export const endlessEvents = endlessStream(
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'more and more bread '.repeat(20) } }] })}\n\n`,
);
