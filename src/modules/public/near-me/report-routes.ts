import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { hashKey } from '../../../events/signing/keys.ts';
import { responseSchemas, sendError, success } from '../../../http/envelope.ts';
import { idParams } from '../../../http/ids.ts';
import { corsHeaders, registerPreflight } from '../../../http/public-responses.ts';
import { checkQuery } from '../../../http/query-parameters.ts';
import { usualProblems } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { notFound, Problem } from '../../../problems.ts';
import { findPublicKey } from '../../accounts/index.ts';
import { findDirectory } from '../../directories/index.ts';
import { recommendationsOf } from './judge-report.ts';
import { type Report, ReportResponse } from './report.ts';
import { acceptsPage, lostPage, pageHeaders, reportPage } from './report-page.ts';
import { findReport } from './report-store.ts';

const path = '/api/report/:id';

const query = Type.Object({
  token: Type.String({ maxLength: 200, description: 'Token of the report' }),
  publicKey: Type.Optional(
    Type.String({
      maxLength: 512,
      description: 'Optional. With the key of another partner the report is not found',
    }),
  ),
});

/** Returns JSON or HTML, including errors. The token is sufficient, so that the link can be shared. */
export function reportRoutes(server: FastifyInstance, { database }: Services): void {
  registerPreflight(server, path);

  const read = async (id: number, { token }: Static<typeof query>, publicKey: string | undefined) => {
    const report = await findReport(database.pool, id, hashKey(token));
    const key = report && publicKey !== undefined ? await findPublicKey(database.pool, publicKey) : undefined;
    const isForeign = publicKey !== undefined && key?.caller.partnerId !== report?.partnerId;
    if (!report || isForeign) {
      throw notFound(`report ${id} with this token. It may have expired: create a new one`);
    }
    return reportResponse(report);
  };

  server.route({
    method: 'GET',
    url: path,
    schema: {
      summary: 'Get a near-me report as JSON, or as a printable page with Accept: text/html',
      params: idParams,
      querystring: query,
      produces: ['text/html'],
      response: responseSchemas(ReportResponse, [...usualProblems('public'), 'NOT_FOUND']),
    } as object,
    onRequest: async (_request, reply) => {
      reply.headers({ ...corsHeaders, vary: 'accept' });
    },
    preValidation: async (request) => checkQuery(request, 'public', query),
    handler: async (request, reply) => {
      const { id } = request.params as Static<typeof idParams>;
      const parameters = request.query as Static<typeof query>;
      const header = request.headers.publickey;
      const report = await read(
        id,
        parameters,
        parameters.publicKey ?? (header === undefined ? undefined : String(header)),
      );
      if (!acceptsPage(request.headers.accept)) return success(report, request.warnings);
      return reply.headers(pageHeaders).send(reportPage(report));
    },
    errorHandler: sendFailure,
  });
}

/** Clients that prefer HTML get errors as HTML. */
function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!(error instanceof Problem) || !acceptsPage(request.headers.accept)) return sendError(error, request, reply);
  return reply
    .code(error.httpCode)
    .headers({ ...error.headers, ...pageHeaders })
    .send(lostPage(error.message));
}

const nameOf = (type: string) => findDirectory(type)?.name ?? type;

function reportResponse(report: Report): ReportResponse {
  const { id, status, results, pending, zip, phone, website } = report;
  const all = results.length + pending.length;
  const hasEnded = status !== 'RUNNING';
  return {
    id,
    status,
    // 100 only when the score is written.
    progress: hasEnded ? 100 : Math.min(99, Math.floor((100 * results.length) / Math.max(1, all))),
    score: report.score,
    business: {
      name: report.name,
      streetAndNo: report.streetAndNo,
      ...(zip !== null && { zip }),
      city: report.city,
      country: report.country,
      categoryId: report.categoryId,
      ...(phone !== null && { phone }),
      ...(website !== null && { website }),
    },
    directories: results.map(({ directoryType, status: found, listingUrl, fields, message }) => ({
      directoryType,
      directoryName: nameOf(directoryType),
      status: found,
      ...(listingUrl !== null && { listingUrl }),
      fields,
      ...(message !== null && { message }),
    })),
    pendingDirectories: pending,
    recommendations: hasEnded ? recommendationsOf(results, nameOf) : [],
    ...(report.error !== null && { message: report.error }),
    dateCreated: report.dateCreated.toISOString(),
    ...(report.dateFinished && { dateFinished: report.dateFinished.toISOString() }),
    expires: report.expiresAt.toISOString(),
  };
}
