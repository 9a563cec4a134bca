import { EventEmitter } from 'node:events';
import pg from 'pg';
import { clientSettings } from './client-settings.ts';

// A NOTIFY takes a database-wide lock at commit, so it never rides in a caller's transaction:
// it is sent afterwards, and at most one per channel and interval, however many commits there were.
const quietMs = 10;
const reconnectMs = 500;
// A wake-up call that a crash forgets wakes nobody who would not look by himself: it need not wait for the disk.
const notifyStatement = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;

/**
 * Wake-up calls between processes. They may be lost (a connection breaks), so every listener also polls.
 * Listeners in this process are called at once, without the round trip.
 */
export class Notifications {
  readonly #url: string;
  readonly #pool: pg.Pool;
  readonly #local = new EventEmitter();
  readonly #channels = new Set<string>();
  readonly #pending = new Map<string, NodeJS.Timeout>();
  readonly #again = new Set<string>();
  // Recognises this process's own calls when they come back through the server.
  readonly #origin = Math.random().toString(36).slice(2);
  #listener: pg.Client | undefined;
  /** What has been asked of the listener; never rejects. */
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
      else this.#beginAgain();
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

  /** One after the other: a client takes one statement at a time. */
  #listenTo(client: pg.Client, channel: string): void {
    this.#listening = this.#listening.then(async () => {
      if (this.#listener === client) await client.query(`listen ${pg.escapeIdentifier(channel)}`).catch(() => {});
    });
  }

  #beginAgain(): void {
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
      if (!this.#closed) this.#reconnect = setTimeout(() => this.#beginAgain(), reconnectMs);
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
      for (const channel of this.#channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      // Whatever was said while nobody listened.
      for (const channel of this.#channels) this.#local.emit(channel);
    } catch {
      lost();
    }
  }
}
