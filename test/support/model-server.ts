import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a client sent. */
export interface ModelRequest {
  headers: IncomingMessage['headers'];
  body: {
    model: string;
    stream?: boolean;
    messages: { role: string; content: string }[];
  };
}

type Behaviour = (response: ServerResponse, request: ModelRequest) => void;

/** A model server that speaks the protocol of OpenAI over real HTTP, and does what the test tells it. */
export class ModelServer {
  readonly requests: ModelRequest[] = [];
  readonly #server: Server;
  #behaviour: Behaviour = write('Fresh bread is waiting for you.');
  /** Answers that clients have given up on since the behaviour was told. */
  abandoned = 0;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
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
    const said = (role: string) => messages.find((message) => message.role === role)?.content ?? '';
    return { instructions: said('system'), prompt: said('user') };
  }

  behave(behaviour: Behaviour): void {
    this.requests.length = 0;
    this.abandoned = 0;
    this.#behaviour = behaviour;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      response.writeHead(404).end();
      return;
    }
    const behaviour = this.#behaviour;
    response.on('close', () => {
      if (!response.writableEnded && behaviour === this.#behaviour) this.abandoned += 1;
    });
    const received = { headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) };
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

const begin = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });

/** The text in pieces, and the end as the protocol has it. */
export const write =
  (text: string | ((request: ModelRequest) => string), finishReason = 'stop'): Behaviour =>
  (response, request) => {
    begin(response);
    const whole = typeof text === 'string' ? text : text(request);
    for (const piece of whole.match(/[\s\S]{1,7}/gu) ?? []) send(response, { content: piece });
    send(response, {}, finishReason);
    response.end('data: [DONE]\n\n');
  };

export const refuse =
  (words: string): Behaviour =>
  (response) => {
    begin(response);
    send(response, { refusal: words });
    send(response, {}, 'stop');
    response.end('data: [DONE]\n\n');
  };

/** Takes the request and never says a word. */
export const hang: Behaviour = () => {};

/** Begins to answer and then falls silent. */
export const stallMidStream: Behaviour = (response) => {
  begin(response);
  send(response, { content: 'Fresh bread' });
};

/** Breaks the connection in the middle of the answer. */
export const disconnectMidStream: Behaviour = (response) => {
  begin(response);
  send(response, { content: 'Fresh bread' });
  setImmediate(() => response.destroy());
};

export const fail =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message: 'the secret of the operator', type: 'x', code: null } }));
  };

export const say =
  (body: string, contentType = 'text/event-stream'): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
  };

/** Never stops: events without end, or one line without end. */
export const endlessStream =
  (piece: string): Behaviour =>
  (response) => {
    begin(response);
    const more = () => {
      while (!response.destroyed && response.write(piece)) {
        // As fast as the connection takes it.
      }
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };

export const endlessEvents = endlessStream(
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'more and more bread '.repeat(20) } }] })}\n\n`,
);
