import { EventEmitter } from 'node:events';
import pg from 'pg';
import { clientSettings } from './client.ts';

// NOTIFY takes a database-wide lock at commit, so it is sent after the caller's transaction, at most once per channel and
// interval.
const quietMs = 10;
const reconnectMs = 500;
// Listeners also poll, so a notification need not be durable.
const notifyStatement = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;

/**
 * Notifications between processes. They can be lost, so every listener also polls. Listeners in this process are called
 * directly.
 */
export class Notifications {
  readonly #url: string;
  readonly #pool: pg.Pool;
  readonly #local = new EventEmitter();
  readonly #channels = new Set<string>();
  readonly #pending = new Map<string, NodeJS.Timeout>();
  readonly #again = new Set<string>();
  // Identifies the notifications of this process.
  readonly #origin = Math.random().toString(36).slice(2);
  #listener: pg.Client | undefined;
  /** Pending LISTEN statements; never rejects. */
  #listening: Promise<void> = Promise.resolve();
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string, pool: pg.Pool) {
    this.#url = url;
    this.#pool = pool;
    this.#local.setMaxListeners(0);
  }

  raise(channel: string): void {
    this.#local.emit(channel);
    if (this.#pending.has(channel)) {
      this.#again.add(channel);
      return;
    }
    this.#send(channel);
  }

  subscribe(channel: string, wake: () => void): () => void {
    this.#local.on(channel, wake);
    if (!this.#channels.has(channel)) {
      this.#channels.add(channel);
      if (this.#listener) this.#listenTo(this.#listener, channel);
      else this.#startListening();
    }
    return () => this.#local.off(channel, wake);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reconnect);
    for (const timer of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
    await this.#listener?.end().catch(() => {});
  }

  #send(channel: string): void {
    if (this.#closed) return;
    this.#pool.query({ name: 'notify', text: notifyStatement, values: [channel, this.#origin] }).catch(() => {});
    const timer = setTimeout(() => {
      this.#pending.delete(channel);
      if (this.#again.delete(channel)) this.#send(channel);
    }, quietMs);
    this.#pending.set(channel, timer);
  }

  /** Sequential: the client runs one statement at a time. */
  #listenTo(client: pg.Client, channel: string): void {
    this.#listening = this.#listening.then(async () => {
      if (this.#listener === client) await client.query(`listen ${pg.escapeIdentifier(channel)}`).catch(() => {});
    });
  }

  #startListening(): void {
    clearTimeout(this.#reconnect);
    this.#listening = this.#connect();
  }

  async #connect(): Promise<void> {
    const client = new pg.Client(clientSettings(this.#url, { name: 'waypost listen', statementLimit: 'delivery' }));
    this.#listener = client;
    client.on('notification', ({ channel, payload }) => {
      if (payload !== this.#origin) this.#local.emit(channel);
    });
    const lost = () => {
      if (this.#listener !== client) return;
      this.#listener = undefined;
      client.end().catch(() => {});
      if (!this.#closed) this.#reconnect = setTimeout(() => this.#startListening(), reconnectMs);
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
      for (const channel of this.#channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      // Notifications may have been lost while disconnected.
      for (const channel of this.#channels) this.#local.emit(channel);
    } catch {
      lost();
    }
  }
}
