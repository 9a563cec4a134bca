import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { Problem } from '../../problems.ts';
import type { Directory } from './directory.ts';
import { directoriesOf } from './open-directories.ts';

const names = Type.Array(Type.String());

export const DirectoryResponse = Type.Object({
  type: Type.String(),
  name: Type.String(),
  weight: Type.Integer({ description: 'How much it counts in the visibility index' }),
  supports: Type.Object({
    submission: Type.Boolean(),
    claim: Type.Boolean(),
    addressDisplay: Type.Boolean({ description: 'Shows street addresses' }),
    replies: Type.Boolean(),
    insights: Type.Boolean(),
    searchKeywords: Type.Boolean(),
    brandPages: Type.Boolean(),
    socialPosts: Type.Boolean(),
    onlineListing: Type.Boolean({ description: 'Has pages that can be looked at; car navigation has none' }),
    linkOnly: Type.Boolean({ description: 'Can be linked to and nothing else' }),
  }),
  needsCleansing: Type.Boolean(),
  needsConnection: Type.Boolean({ description: 'An account must be connected first' }),
  mandatoryFields: Type.Array(Type.String(), { description: 'Without these it takes no submission' }),
  fields: Type.Array(Type.String(), { description: 'Fields that it shows, and that are compared' }),
  dataPointTypes: names,
  replyMaxLength: Type.Integer(),
  postMaxLength: Type.Integer(),
  metrics: names,
  rateLimit: Type.Object({ requests: Type.Integer(), perSeconds: Type.Number() }),
});

const directoryResponse = (directory: Directory): Static<typeof DirectoryResponse> => ({
  ...directory,
  mandatoryFields: [...directory.mandatoryFields],
  fields: [...directory.fields],
  dataPointTypes: [...directory.dataPointTypes],
  metrics: [...directory.metrics],
});

export function directoryRoutes(server: FastifyInstance, { config }: Services): void {
  const directories = directoriesOf(config);

  route(server, {
    method: 'GET',
    path: '/api/directories',
    summary: 'Every directory that locations can be listed on, and what each can do',
    response: Type.Object({ count: Type.Integer(), directories: Type.Array(DirectoryResponse) }),
    handler: async () => ({ count: directories.length, directories: directories.map(directoryResponse) }),
  });

  route(server, {
    method: 'GET',
    path: '/api/directories/:type',
    summary: 'A directory and what it can do',
    params: Type.Object({ type: Type.String({ description: 'Such as GOOGLE' }) }),
    response: DirectoryResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ params: { type } }) => {
      const found = directories.find((directory) => directory.type === type.toUpperCase().replaceAll('-', '_'));
      if (found) return directoryResponse(found);
      const known = directories.map((directory) => directory.type).join(', ') || 'none: the sandbox network is off';
      throw new Problem('NOT_FOUND', { message: `There is no directory "${type}". There are ${known}.` });
    },
  });
}
