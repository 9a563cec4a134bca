import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy to a database server that can close, stall and restore its connections. Closed after the test. */
export class DatabaseProxy {
  readonly url: string;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #port: number;
  #stalled = false;
  #target: URL;

  private constructor(url: string, server: net.Server) {
    this.#server = server;
    this.#target = new URL(url);
    this.#port = (server.address() as AddressInfo).port;
    const address = new URL(url);
    address.host = `127.0.0.1:${this.#port}`;
    // A Unix socket would bypass the proxy.
    address.searchParams.delete('host');
    this.url = address.href;
  }

  static async to(url: string): Promise<DatabaseProxy> {
    const server = net.createServer((near) =>
      proxy.#join(near, net.connect(Number(proxy.#target.port || 5432), proxy.#target.hostname)),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new DatabaseProxy(url, server);
    onTestFinished(() => proxy.cut());
    return proxy;
  }

  /** Closes all connections and refuses new ones. */
  async cut(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  /** Closes all connections with an error instead of an end, as a crashed server does. New ones work. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** New connections lead to another server. */
  leadTo(url: string): void {
    this.#target = new URL(url);
  }

  /** All connections, also new ones, stay open without transferring data. */
  stall(): void {
    this.#stalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Current connections stay open without transferring data; new ones work. */
  freeze(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  async restore(): Promise<void> {
    this.#stalled = false;
    for (const socket of this.#sockets) socket.resume();
    if (this.#server.listening) return;
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  #join(near: net.Socket, far: net.Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (data) => to.write(data));
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#stalled) from.pause();
    }
  }
}
