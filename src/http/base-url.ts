import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { trimEndOf } from '../text.ts';

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The base URL of links, without a trailing slash: the configured one, or the address of the connection. The Host header
 * is not trusted; it only selects one of the names of the loopback address.
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

/** The URL of this process on this machine. */
export function localBaseUrl({ host, port, tlsCert }: Pick<Config, 'host' | 'port' | 'tlsCert'>): string {
  const name = host === '0.0.0.0' ? 'localhost' : bracketed(host);
  return `${tlsCert ? 'https' : 'http'}://${name}:${port}`;
}
