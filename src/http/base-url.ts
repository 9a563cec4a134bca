import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { trimEndOf } from '../text.ts';

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The base URL of links to this API, without a closing slash: as configured, or the address that the connection was made
 * to. The Host header is the client's word and may name any site; it only chooses among the names of this machine.
 */
export function publicBaseUrl({ host, server, socket }: FastifyRequest): string {
  const { publicUrl, tlsCert } = server.services.config;
  if (publicUrl !== undefined) return trimEndOf(publicUrl, /\//);
  const { localAddress = '127.0.0.1', localPort } = socket;
  const own = bracketed(localAddress.replace(/^::ffff:(?=\d+\.)/, ''));
  const names = loopbackNames.includes(own) ? loopbackNames : [own];
  const name = names.find((known) => host === `${known}:${localPort}`) ?? own;
  return `${tlsCert ? 'https' : 'http'}://${name}:${localPort}`;
}

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);

/** Where a process that listens as configured is reached on this machine. */
export function localBaseUrl({ host, port, tlsCert }: Pick<Config, 'host' | 'port' | 'tlsCert'>): string {
  const name = host === '0.0.0.0' ? 'localhost' : bracketed(host);
  return `${tlsCert ? 'https' : 'http'}://${name}:${port}`;
}
