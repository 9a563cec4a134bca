import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { route } from '../../http/route.ts';
import type { Services } from '../../http/services.ts';
import { Problem } from '../../problems.ts';
import { DirectoryResponse } from './directory-list.ts';
import { directoriesOf } from './open-directories.ts';

export function directoryRoutes(server: FastifyInstance, { config }: Services): void {
  const directories = directoriesOf(config);

  route(server, {
    method: 'GET',
    path: '/api/directories',
    summary: 'List the directories and their capabilities',
    response: Type.Object({ count: Type.Integer(), directories: Type.Array(DirectoryResponse) }),
    handler: async () => ({
      count: directories.length,
      directories: directories.map((directory) => structuredClone(directory)),
    }),
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
      if (found) return structuredClone(found);
      const known = directories.map((directory) => directory.type).join(', ');
      const hint = known ? `Use one of ${known}.` : 'No directories are available: the sandbox network is disabled.';
      throw new Problem('NOT_FOUND', { message: `Directory "${type}" not found. ${hint}` });
    },
  });
}
