import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { hashKey } from '../../../events/signing/keys.ts';
import { newCredential } from '../../../http/credential.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { clientNetwork } from '../../../http/rate-limits.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { invalidField } from '../../../problems.ts';
import { consumeHourlyQuota } from '../../accounts/index.ts';
import { categoryLanguages, categoryName, isCategoryLanguage, searchCategories } from '../../catalog/index.ts';
import { directoriesOf } from '../../directories/index.ts';
import { canBeLookedAt } from './judge-directory.ts';
import { lookUpJob } from './near-me-jobs.ts';
import { checkBusiness, NewReport } from './report.ts';
import { insertPending, insertReport } from './report-store.ts';

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
        const resource = 'near-me reports';
        await consumeHourlyQuota(transaction, {
          resource,
          consumer: `visitor ${visitor}`,
          limit: config.nearMeReportsPerVisitor,
        });
        await consumeHourlyQuota(transaction, {
          resource,
          consumer: `partner ${partnerId}`,
          limit: config.nearMeReportsPerHour,
        });
        const token = await newCredential(transaction, 'reportToken');
        const frame = { partnerId, tokenHash: hashKey(token), days: config.nearMeDays };
        const id = await insertReport(transaction, frame, business);
        const types = directoriesOf(config)
          .filter(canBeLookedAt)
          .map(({ type }) => type);
        await insertPending(transaction, id, types);
        await lookUpJob.enqueue(transaction, { reportId: id });
        return { id, token };
      });
    },
  });
}
