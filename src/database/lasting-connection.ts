import { setTimeout as pause } from 'node:timers/promises';
import { clientSettings, DatabaseClient } from './client.ts';
import type { Sql } from './connection.ts';

const reconnectMs = 1000;

/**
 * A connection for advisory locks that last as long as the process: the server releases them when the connection ends. A
 * lost connection is opened again.
 */
export class LastingConnection {
  readonly #url: string;
  readonly #name: string;
  readonly #onOpen: (client: Sql) => Promise<void>;
  readonly #closing = new AbortController();
  #client: DatabaseClient | undefined;

  /** `onOpen` takes the locks. */
  constructor(url: string, name: string, onOpen: (client: Sql) => Promise<void>) {
    this.#url = url;
    this.#name = name;
    this.#onOpen = onOpen;
  }

  /** Throws if the connection cannot be opened. */
  async open(): Promise<void> {
    const client = new DatabaseClient(clientSettings(this.#url, { name: this.#name, statementLimit: 'delivery' }));
    let isLost = false;
    client.on('error', () => {});
    client.once('end', () => {
      isLost = true;
      if (this.#client === client) void this.openLater();
    });
    try {
      await client.connect();
      await this.#onOpen(client);
      if (isLost) throw new Error('The connection was lost.');
      // Without a client, close() has closed nothing.
      this.#closing.signal.throwIfAborted();
      this.#client = client;
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
  }

  /** Tries again until the connection is open. */
  async openLater(): Promise<void> {
    this.#client = undefined;
    const { signal } = this.#closing;
    for (let isOpen = false; !isOpen; ) {
      await pause(reconnectMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      isOpen = await this.open().then(
        () => true,
        () => false,
      );
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client?.end().catch(() => {});
  }
}
