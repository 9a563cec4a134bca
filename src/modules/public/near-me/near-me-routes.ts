import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { hashKey } from '../../../events/signing/keys.ts';
import { newCredential } from '../../../http/credential.ts';
import { responseSchemas, sendError, success } from '../../../http/envelope.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { corsHeaders, registerPreflight } from '../../../http/public-responses.ts';
import { checkQuery } from '../../../http/query-parameters.ts';
import { clientNetwork } from '../../../http/rate-limits.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { route, usualProblems } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { invalidField, notFound, Problem } from '../../../problems.ts';
import { consumeHourlyQuota, findPublicKey } from '../../accounts/index.ts';
import { categoryLanguages, categoryName, isCategoryLanguage, searchCategories } from '../../catalog/index.ts';
import { directoriesOf, directoryName } from '../../directories/index.ts';
import { canBeLookedAt, recommendationsOf } from './judge-report.ts';
import { lookUpJob } from './near-me-jobs.ts';
import { checkBusiness, NewReport, type Report, ReportResponse } from './report.ts';
import { acceptsPage, errorPage, pageHeaders, reportPage } from './report-page.ts';
import { findReport, insertPending, insertReport } from './report-store.ts';

const categoriesCacheSeconds = 3600;

const { offset, max } = pageQuery;

/** Called from web pages with the partner's public key. */
export function nearMeRoutes(server: FastifyInstance, { config, sealer }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/near-me-check/categories',
    summary: 'List the categories for near-me reports',
    access: 'public',
    cacheSeconds: categoriesCacheSeconds,
    query: Type.Object({
      offset,
      max,
      language: Type.String({
        default: 'en',
        maxLength: 20,
        description: 'Language of names and search words, such as de',
      }),
      query: Type.Optional(Type.String({ maxLength: 200, description: 'Words of the name or synonyms' })),
    }),
    response: pageSchema(
      'categories',
      Type.Object({
        id: Type.Integer({ examples: [660800505] }),
        name: Type.String({ description: 'Name in the requested language', examples: ['Bakery'] }),
      }),
    ),
    handler: async ({ query }) => {
      const { language } = query;
      if (!isCategoryLanguage(language)) {
        throw invalidField('language', 'language', `language must be one of ${categoryLanguages.join(', ')}.`);
      }
      const found = searchCategories({ ...query, selectable: true });
      const page = found.slice(query.offset, query.offset + query.max);
      const categories = page.map((category) => ({ id: category.id, name: categoryName(category, language) }));
      return pageOf('categories', query, found.length, categories);
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/report',
    summary: 'Create a report on a business across all directories. Read it with its id and token',
    access: 'public',
    body: NewReport,
    response: Type.Object(
      {
        id: Type.Integer({ description: 'Id of the report', examples: [1201] }),
        token: Type.String({ description: 'Token to read the report; returned only once' }),
      },
      { title: 'NearMeReportReceipt' },
    ),
    alsoAtTop: ['id', 'token'],
    handler: async (request) => {
      const business = checkBusiness(request.body);
      const { partnerId } = request.caller;
      const visitor = sealer.digest(clientNetwork(request.ip)).toString('base64url');
      return idempotentTransaction(request, async (transaction) => {
        for (const quota of [
          { consumer: `visitor ${visitor}`, limit: config.nearMeReportsPerVisitor },
          { consumer: `partner ${partnerId}`, limit: config.nearMeReportsPerHour },
        ]) {
          await consumeHourlyQuota(transaction, { resource: 'near-me reports', ...quota });
        }
        const token = await newCredential(transaction, 'reportToken');
        const frame = { partnerId, tokenHash: hashKey(token), days: config.nearMeRetentionDays };
        const id = await insertReport(transaction, frame, business);
        const types = directoriesOf(config)
          .filter(canBeLookedAt)
          .map(({ type }) => type);
        await insertPending(transaction, id, types);
        await lookUpJob.enqueue(transaction, { reportId: id, partnerId });
        return { id, token };
      });
    },
  });
}

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
      const report = await read(id, parameters, parameters.publicKey ?? request.headers.publickey?.toString());
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
    .send(errorPage(error));
}

function reportResponse(report: Report): ReportResponse {
  const { id, status, results, pending } = report;
  const all = results.length + pending.length;
  const hasEnded = status !== 'RUNNING';
  return {
    id,
    status,
    // 100 only when the score is written.
    progress: hasEnded ? 100 : Math.min(99, Math.floor((100 * results.length) / Math.max(1, all))),
    score: report.score,
    business: recordResponse(ReportResponse.properties.business, report),
    directories: results.map((result) =>
      recordResponse(ReportResponse.properties.directories.items, {
        ...result,
        directoryName: directoryName(result.directoryType),
      }),
    ),
    pendingDirectories: pending,
    recommendations: hasEnded ? recommendationsOf(results, directoryName) : [],
    ...(report.error !== null && { message: report.error }),
    dateCreated: report.dateCreated.toISOString(),
    ...(report.dateFinished && { dateFinished: report.dateFinished.toISOString() }),
    expires: report.expiresAt.toISOString(),
  };
}
