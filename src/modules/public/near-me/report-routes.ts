import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { hashKey } from '../../../events/signing/keys.ts';
import { responseSchemas, success } from '../../../http/envelope.ts';
import { sendError } from '../../../http/error-responses.ts';
import { idParams } from '../../../http/ids.ts';
import { corsHeaders, registerPreflight } from '../../../http/public-responses.ts';
import { checkQuery } from '../../../http/query-parameters.ts';
import { usualProblems } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { notFound, Problem } from '../../../problems.ts';
import { findPublicKey } from '../../accounts/index.ts';
import { acceptsPage } from './accepts-page.ts';
import { ReportAnswer } from './report.ts';
import { reportAnswer } from './report-answer.ts';
import { lostPage, pageHeaders, reportPage } from './report-page.ts';
import { findReport } from './report-store.ts';

const path = '/api/report/:id';

const query = Type.Object({
  token: Type.String({ maxLength: 200, description: 'The token that came with the id' }),
  publicKey: Type.Optional(
    Type.String({
      maxLength: 512,
      description: "Not needed; a key other than that of the report's partner finds none",
    }),
  ),
});

/**
 * One report, for programs as JSON and for people as a page. The token alone opens it, so that its link can be passed on;
 * a route of its own kind, because it answers in two media types, problems included.
 */
export function reportRoutes(server: FastifyInstance, { database }: Services): void {
  registerPreflight(server, path);

  const read = async (id: number, { token }: Static<typeof query>, publicKey: string | undefined) => {
    const report = await findReport(database.pool, id, hashKey(token));
    const key = report && publicKey !== undefined ? await findPublicKey(database.pool, publicKey) : undefined;
    const isForeign = publicKey !== undefined && key?.caller.partnerId !== report?.partnerId;
    if (!report || isForeign) {
      throw notFound(`report ${id} with this token, or it has expired: ask for a new one`);
    }
    return reportAnswer(report);
  };

  server.route({
    method: 'GET',
    url: path,
    schema: {
      summary: 'A near-me report; browsers that ask for text/html get it as a page that can be printed',
      params: idParams,
      querystring: query,
      produces: ['text/html'],
      response: responseSchemas(ReportAnswer, [...usualProblems('public'), 'NOT_FOUND']),
    } as object,
    onRequest: async (_request, reply) => {
      reply.headers({ ...corsHeaders, vary: 'accept' });
    },
    preValidation: async (request) => checkQuery(request, 'public', query),
    handler: async (request, reply) => {
      const { id } = request.params as Static<typeof idParams>;
      const asked = request.query as Static<typeof query>;
      const header = request.headers.publickey;
      const answer = await read(id, asked, asked.publicKey ?? (header === undefined ? undefined : String(header)));
      if (!acceptsPage(request.headers.accept)) return success(answer, request.warnings);
      return reply.headers(pageHeaders).send(reportPage(answer));
    },
    errorHandler: answerFailure,
  });
}

/** Whoever asked for a page is told on one what is wrong with the link. */
function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!(error instanceof Problem) || !acceptsPage(request.headers.accept)) return sendError(error, request, reply);
  return reply
    .code(error.httpCode)
    .headers({ ...error.headers, ...pageHeaders })
    .send(lostPage(error.message));
}
