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
  weight: Type.Integer({ description: 'Weight in the visibility index' }),
  supports: Type.Object({
    submission: Type.Boolean(),
    claim: Type.Boolean(),
    addressDisplay: Type.Boolean({ description: 'Shows street addresses' }),
    replies: Type.Boolean(),
    insights: Type.Boolean(),
    searchKeywords: Type.Boolean(),
    brandPages: Type.Boolean(),
    socialPosts: Type.Boolean(),
    onlineListing: Type.Boolean({ description: 'Listings have a web page. Car navigation systems have none.' }),
    linkOnly: Type.Boolean({ description: 'Listings can only be linked, not read or submitted' }),
  }),
  needsCleansing: Type.Boolean(),
  needsConnection: Type.Boolean({ description: 'An account must be connected first' }),
  mandatoryFields: Type.Array(Type.String(), { description: 'Fields required for a submission' }),
  fields: Type.Array(Type.String(), { description: 'Fields that the directory shows and sync checks compare' }),
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
    summary: 'List the directories and their capabilities',
    response: Type.Object({ count: Type.Integer(), directories: Type.Array(DirectoryResponse) }),
    handler: async () => ({ count: directories.length, directories: directories.map(directoryResponse) }),
  });

  route(server, {
    method: 'GET',
    path: '/api/directories/:type',
    summary: 'Get a directory and its capabilities',
    params: Type.Object({ type: Type.String({ description: 'Directory type such as GOOGLE' }) }),
    response: DirectoryResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ params: { type } }) => {
      const found = directories.find((directory) => directory.type === type.toUpperCase().replaceAll('-', '_'));
      if (found) return directoryResponse(found);
      const known = directories.map((directory) => directory.type).join(', ');
      const hint = known ? `Use one of ${known}.` : 'No directories are available: the sandbox network is disabled.';
      throw new Problem('NOT_FOUND', { message: `Directory "${type}" not found. ${hint}` });
    },
  });
}
