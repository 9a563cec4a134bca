import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import Type, { type Static, type TSchema } from 'typebox';
import { type Demand, demand } from '../../http/access.ts';
import type { Caller } from '../../http/authenticate.ts';
import { answerSchemas } from '../../http/envelope.ts';

interface CsvDownload<Params extends TSchema> {
  path: `/api/${string}.csv`;
  summary: string;
  params: Params;
  needs: Demand;
  fileName(params: Static<Params>): string;
  content(caller: Caller, params: Static<Params>): Promise<Readable>;
}

/** An endpoint that answers with a CSV file, written as fast as it is read. What goes wrong is answered as everywhere. */
export function csvDownload<Params extends TSchema>(server: FastifyInstance, download: CsvDownload<Params>): void {
  const { path, summary, params, needs, fileName, content } = download;
  server.route({
    method: 'GET',
    url: path,
    config: { access: 'partner' },
    schema: {
      summary,
      params,
      produces: ['text/csv'],
      response: answerSchemas(Type.String(), [
        'NOT_AUTHORIZED',
        'BAD_PRIVATE_KEY',
        'BAD_ACCESS_TOKEN',
        'FORBIDDEN',
        'NOT_FOUND',
        'INVALID_PARAMETER',
        'WRONG_PARAMETER_TYPE',
        'QUOTA_LIMIT_EXCEED',
        'SERVER_ERROR',
      ]),
    } as object,
    handler: async (request, reply) => {
      const caller = request.caller as Caller;
      demand(caller, needs);
      const given = request.params as Static<Params>;
      const stream = await content(caller, given);
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${fileName(given)}"`)
        .send(stream);
    },
  });
}
