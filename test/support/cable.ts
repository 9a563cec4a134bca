import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The way to a database server, which can be cut and mended, or go silent. Ends with the test. */
export class Cable {
  readonly url: string;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #port: number;
  #silent = false;

  private constructor(url: string, server: net.Server) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    const address = new URL(url);
    address.host = `127.0.0.1:${this.#port}`;
    // A server on this machine also has a socket, which would lead past the cable.
    address.searchParams.delete('host');
    this.url = address.href;
  }

  static async to(url: string): Promise<Cable> {
    const target = new URL(url);
    const server = net.createServer((near) =>
      cable.#join(near, net.connect(Number(target.port || 5432), target.hostname)),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const cable = new Cable(url, server);
    onTestFinished(() => cable.cut());
    return cable;
  }

  /** Every connection breaks, and no new one is made. */
  async cut(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  /** Connections stay, but nothing comes through. */
  hush(): void {
    this.#silent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Connections of this moment stay open, and nothing comes through them any more; new ones work. */
  freeze(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  async mend(): Promise<void> {
    this.#silent = false;
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
      if (this.#silent) from.pause();
    }
  }
}
