import type { FastifyRequest } from 'fastify';

/** Where others reach the API: as configured, or as this request reached it. Without a closing slash. */
export function publicAddress({ protocol, host, server }: FastifyRequest): string {
  const { publicUrl } = server.services.config;
  return publicUrl?.replace(/\/+$/, '') ?? `${protocol}://${host}`;
}
