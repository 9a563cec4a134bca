import '../modules/connect.ts';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';
import type { Config } from '../config.ts';
import { activityRoutes } from '../events/log/activity-routes.ts';
import { deliveryRoutes } from '../events/log/delivery-routes.ts';
import { eventRoutes } from '../events/log/event-routes.ts';
import { replayRoutes } from '../events/log/replay-routes.ts';
import { resumeRoutes } from '../events/log/resume-routes.ts';
import { statisticsRoutes } from '../events/log/statistics-routes.ts';
import { trialRoutes } from '../events/log/trial-routes.ts';
import { emitRoutes } from '../events/outbox/emit-routes.ts';
import { eventTypeRoutes } from '../events/subscriptions/event-type-routes.ts';
import { webhookRoutes } from '../events/subscriptions/webhook-routes.ts';
import { authenticate, KeyMemory } from '../http/authenticate.ts';
import { connectionLimits, serverLimits } from '../http/connection-limits.ts';
import { answerErrors, answerGarbage, sendError } from '../http/error-answers.ts';
import { acceptJsonOnly } from '../http/json-body.ts';
import { publicAnswers } from '../http/public-answers.ts';
import { parseQuery } from '../http/query-parameters.ts';
import { rateLimits } from '../http/rate-limits.ts';
import { logRequests } from '../http/request-log.ts';
import { equipRequests } from '../http/route.ts';
import { secureHeaders } from '../http/security-headers.ts';
import type { Services } from '../http/services.ts';
import { sessionCookies } from '../http/session-cookie.ts';
import { compileValidator } from '../http/validation.ts';
import { auditRoutes } from '../modules/accounts/audit/audit-routes.ts';
import { deprecatedUseRoutes } from '../modules/accounts/deprecated-use/deprecated-use-routes.ts';
import { openUseLedger } from '../modules/accounts/deprecated-use/use-ledger.ts';
import { readChildRecords } from '../modules/accounts/partners/child-records.ts';
import { findKey, findPublicKey, findStoreKey, partnersChannel } from '../modules/accounts/partners/partner-keys.ts';
import { partnerRoutes } from '../modules/accounts/partners/partner-routes.ts';
import { taskRoutes } from '../modules/accounts/tasks/task-routes.ts';
import { sessionRoutes } from '../modules/accounts/users/session-routes.ts';
import { findSession } from '../modules/accounts/users/session-store.ts';
import { userRoutes } from '../modules/accounts/users/user-routes.ts';
import { usersChannel } from '../modules/accounts/users/user-store.ts';
import { feedbackRoutes } from '../modules/analytics/dashboard/feedback/feedback-routes.ts';
import { insightsDataRoutes } from '../modules/analytics/dashboard/insights/insights-data-routes.ts';
import { standingRoutes } from '../modules/analytics/dashboard/standing/standing-routes.ts';
import { dashboardReportRoutes } from '../modules/analytics/exports/dashboard-report-routes.ts';
import { excelExportRoutes } from '../modules/analytics/exports/excel-export-routes.ts';
import { exportFileRoutes } from '../modules/analytics/exports/export-file-routes.ts';
import { homepageRoutes } from '../modules/analytics/homepage/homepage-routes.ts';
import { insightRoutes } from '../modules/analytics/insights/insight-routes.ts';
import { businessRoutes } from '../modules/catalog/businesses/business-routes.ts';
import { categoryRoutes } from '../modules/catalog/categories/category-routes.ts';
import { collectionRoutes } from '../modules/catalog/content/collection-routes.ts';
import { itemRoutes } from '../modules/catalog/content/item-routes.ts';
import { labelRoutes } from '../modules/catalog/labels/label-routes.ts';
import { productPlanRoutes } from '../modules/catalog/product-plans/product-plan-routes.ts';
import { demoRoutes } from '../modules/demo/demo-routes.ts';
import { receiverRoutes } from '../modules/demo/sandbox-panel/receiver-routes.ts';
import { sandboxPanelRoutes } from '../modules/demo/sandbox-panel/sandbox-panel-routes.ts';
import { directoryRoutes } from '../modules/directories/directory-routes.ts';
import { brandPageRoutes } from '../modules/feedback/brand-pages/brand-page-routes.ts';
import { datapointRoutes } from '../modules/feedback/datapoints/datapoint-routes.ts';
import { inboxRoutes } from '../modules/feedback/datapoints/inbox-routes.ts';
import { replyRoutes } from '../modules/feedback/datapoints/reply-routes.ts';
import { savedFilterRoutes } from '../modules/feedback/datapoints/saved-filter-routes.ts';
import { listingRoutes } from '../modules/listings/listing-routes.ts';
import { suggestionRoutes } from '../modules/listings/suggestions/suggestion-routes.ts';
import { syncRoutes } from '../modules/listings/sync-routes.ts';
import { contentListRoutes } from '../modules/locations/content-lists/content-list-routes.ts';
import { locationImportRoutes } from '../modules/locations/imports/location-import-routes.ts';
import { locationBulkRoutes } from '../modules/locations/location-bulk-routes.ts';
import { locationEntranceRoutes } from '../modules/locations/location-entrance-routes.ts';
import { locationListRoutes } from '../modules/locations/location-list-routes.ts';
import { locationRoutes } from '../modules/locations/location-routes.ts';
import { nearMeRoutes } from '../modules/public/near-me/near-me-routes.ts';
import { reportRoutes as nearMeReportRoutes } from '../modules/public/near-me/report-routes.ts';
import { publicFinderRoutes } from '../modules/public/store-finder/public-finder-routes.ts';
import { storeFinderRoutes } from '../modules/public/store-finder/store-finder-routes.ts';
import { assetFileRoutes } from '../modules/publishing/assets/asset-file-routes.ts';
import { assetRoutes } from '../modules/publishing/assets/asset-routes.ts';
import { assetUploadRoutes } from '../modules/publishing/assets/asset-upload-routes.ts';
import { folderRoutes } from '../modules/publishing/assets/folder-routes.ts';
import { socialTemplateRoutes } from '../modules/publishing/assets/social-template-routes.ts';
import { socialAiRoutes } from '../modules/publishing/social-ai/social-ai-routes.ts';
import { socialPostRoutes } from '../modules/publishing/social-posts/social-post-routes.ts';
import { Problem } from '../problems.ts';
import { consoleRoutes } from './console/console-routes.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import { versionRoutes } from './docs/version-routes.ts';
import { closeGracefully } from './graceful-close.ts';
import { healthRoutes } from './health-routes.ts';
import { gatherRoutes } from './openapi/route-record.ts';
import { PathMap } from './path-map.ts';
import { oldUseCounter } from './versions/old-use-counter.ts';
import { type CountOldUse, versionedAnswers } from './versions/versioned-answers.ts';

const bodyLimit = 1024 * 1024;

/** Every endpoint, by the module that defines it. */
const routes = [
  healthRoutes,
  versionRoutes,
  partnerRoutes,
  webhookRoutes,
  eventTypeRoutes,
  emitRoutes,
  eventRoutes,
  deliveryRoutes,
  replayRoutes,
  resumeRoutes,
  trialRoutes,
  statisticsRoutes,
  activityRoutes,
  auditRoutes,
  userRoutes,
  sessionRoutes,
  categoryRoutes,
  directoryRoutes,
  deprecatedUseRoutes,
  sandboxPanelRoutes,
  receiverRoutes,
  demoRoutes,
  productPlanRoutes,
  businessRoutes,
  labelRoutes,
  collectionRoutes,
  itemRoutes,
  contentListRoutes,
  locationListRoutes,
  locationRoutes,
  locationBulkRoutes,
  listingRoutes,
  syncRoutes,
  suggestionRoutes,
  locationEntranceRoutes,
  taskRoutes,
  locationImportRoutes,
  socialPostRoutes,
  inboxRoutes,
  savedFilterRoutes,
  datapointRoutes,
  replyRoutes,
  brandPageRoutes,
  insightRoutes,
  storeFinderRoutes,
  publicFinderRoutes,
  exportFileRoutes,
  excelExportRoutes,
  dashboardReportRoutes,
  assetRoutes,
  assetUploadRoutes,
  folderRoutes,
  socialTemplateRoutes,
  assetFileRoutes,
  socialAiRoutes,
  nearMeRoutes,
  nearMeReportRoutes,
  feedbackRoutes,
  insightsDataRoutes,
  standingRoutes,
  homepageRoutes,
];

export function createServer(services: Services): FastifyInstance {
  const { config, log, metrics } = services;
  const paths = new PathMap();
  const server = fastify({
    ...transport(config),
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    trustProxy: config.trustedProxy.length > 0 ? [...config.trustedProxy] : false,
    routerOptions: { querystringParser: parseQuery },
    rewriteUrl: ({ url = '/' }) => paths.rewrite(url),
    bodyLimit,
    ...connectionLimits,
    // What arrives on an open connection while the server stops is still answered.
    return503OnClosing: false,
    frameworkErrors: sendError,
    clientErrorHandler: answerGarbage,
  } as FastifyServerOptions) as FastifyInstance;

  server.addHook('onRoute', ({ method, path }) => {
    if (!path.includes('*')) for (const name of [method].flat()) paths.add(name, path);
  });
  server.decorate('paths', paths);
  server.setValidatorCompiler(compileValidator);
  // Schemas describe today's shape; an older version's answer has fields that they do not know.
  server.setSerializerCompiler(() => JSON.stringify);
  acceptJsonOnly(server);
  answerErrors(server);
  logRequests(server, metrics);
  secureHeaders(server);
  equipRequests(server, services);
  sessionCookies(server);

  authenticate(server, rememberedCallers(server, services), rateLimits(server, config.rateLimitPerMinute));
  readChildRecords(server, services.database.pool);
  versionedAnswers(server, countOldUse(server, services));
  publicAnswers(server);
  answerStrayRequests(server, paths);
  closeGracefully(server);

  const gathered = gatherRoutes(server);
  for (const add of routes) add(server, services);
  docsRoutes(server, gathered, config.publicUrl);
  consoleRoutes(server, services);
  return server;
}

/** Keys and access tokens; whoever changes what they stand for says so, and they are looked up again. */
function rememberedCallers(server: FastifyInstance, { config, database }: Services) {
  const keys = new KeyMemory((privateKey) => findKey(database.pool, privateKey));
  const sessions = new KeyMemory((token) => findSession(database.pool, token, config.sessionSeconds));
  const publicKeys = new KeyMemory((publicKey) => findPublicKey(database.pool, publicKey));
  const storeKeys = new KeyMemory((storeKey) => findStoreKey(database.pool, storeKey));
  const subscriptions = [
    database.notifications.subscribe(partnersChannel, () => publicKeys.doubt()),
    database.notifications.subscribe(partnersChannel, () => storeKeys.doubt()),
    database.notifications.subscribe(partnersChannel, () => keys.doubt()),
    database.notifications.subscribe(partnersChannel, () => sessions.doubt()),
    database.notifications.subscribe(usersChannel, () => sessions.doubt()),
  ];
  server.addHook('onClose', async () => {
    for (const unsubscribe of subscriptions) unsubscribe();
  });
  return { keys, sessions, publicKeys, storeKeys };
}

/** For operators, in the metrics; and for each partner, who sees its own. */
function countOldUse(server: FastifyInstance, { database, metrics }: Services): CountOldUse {
  const countForOperators = oldUseCounter(metrics);
  const ledger = openUseLedger(server, database.pool);
  return (request, name, replacedBy) => {
    countForOperators(request, name, replacedBy);
    const partnerId = request.caller?.partnerId;
    if (partnerId !== undefined) ledger.count({ partnerId, version: request.apiVersion, name, replacedBy });
  };
}

function transport({ tlsCert, tlsKey }: Config): object {
  if (!tlsCert || !tlsKey) return { http: serverLimits };
  const [cert, key] = [readFileSync(tlsCert), readFileSync(tlsKey)];
  return { https: { ...serverLimits, cert, key, minVersion: 'TLSv1.2' } };
}

function answerStrayRequests(server: FastifyInstance, paths: PathMap): void {
  server.setNotFoundHandler(({ method, url }) => {
    throw new Problem('NOT_FOUND', { message: `There is no endpoint ${method} ${pathOf(url)}.` });
  });
  // Not left to the router: to it, PUT …/webhooks is PUT …/:id with a strange id.
  server.addHook('onRequest', async ({ method, url }) => {
    const found = paths.find(pathOf(url));
    if (!found || found.methods.has(method)) return;
    const allowed = [...found.methods].join(', ');
    throw new Problem('METHOD_NOT_ALLOWED', {
      message: `${method} is not available on ${found.path}. Use ${allowed}.`,
      headers: { allow: allowed },
    });
  });
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? '';

declare module 'fastify' {
  interface FastifyInstance {
    /** Every path that is answered. */
    paths: PathMap;
  }
}
