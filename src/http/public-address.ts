import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';

/** Where others reach the API: as configured, or as this request reached it. Without a closing slash. */
export function publicAddress({ protocol, host, server }: FastifyRequest): string {
  const { publicUrl } = server.services.config;
  return publicUrl?.replace(/\/+$/, '') ?? `${protocol}://${host}`;
}

/** Where a process that listens as configured is reached on this machine. */
export function ownAddress({ host, port, tlsCert }: Pick<Config, 'host' | 'port' | 'tlsCert'>): string {
  const name = host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? 'localhost' : host;
  return `${tlsCert ? 'https' : 'http'}://${name}:${port}`;
}
