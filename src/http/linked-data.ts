import type { FastifyRequest } from 'fastify';
import Type, { type TSchema } from 'typebox';

export const linkedDataType = 'application/ld+json';

const formats = ['json', 'schema.org'] as const;
const format = Type.Optional(
  Type.Enum([...formats], {
    description: `schema.org returns a LocalBusiness as ${linkedDataType}, like that Accept header`,
  }),
);

/** The query of a route that also returns JSON-LD. */
export const withFormat = (query: TSchema | undefined): TSchema =>
  Type.Object({ ...(query as { properties?: Record<string, TSchema> } | undefined)?.properties, format });

export function wantsLinkedData({ query, headers }: FastifyRequest): boolean {
  const { format: asked } = query as { format?: (typeof formats)[number] };
  return asked === undefined ? (headers.accept ?? '').includes(linkedDataType) : asked === 'schema.org';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the Accept header decides between JSON and JSON-LD. */
    isLinkedData?: boolean;
  }
}
