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
import { auditRoutes } from '../platform/audit/audit-routes.ts';
import { brandPageRoutes } from '../platform/brand-pages/brand-page-routes.ts';
import { businessRoutes } from '../platform/businesses/business-routes.ts';
import { categoryRoutes } from '../platform/categories/category-routes.ts';
import { collectionRoutes } from '../platform/content/collection-routes.ts';
import { contentListRoutes } from '../platform/content/content-list-routes.ts';
import { itemRoutes } from '../platform/content/item-routes.ts';
import { datapointRoutes } from '../platform/datapoints/datapoint-routes.ts';
import { inboxRoutes } from '../platform/datapoints/inbox-routes.ts';
import { replyRoutes } from '../platform/datapoints/reply-routes.ts';
import { savedFilterRoutes } from '../platform/datapoints/saved-filter-routes.ts';
import { deprecatedUseRoutes } from '../platform/deprecated-use/deprecated-use-routes.ts';
import { openUseLedger } from '../platform/deprecated-use/use-ledger.ts';
import { directoryRoutes } from '../platform/directories/directory-routes.ts';
import { locationImportRoutes } from '../platform/imports/location-import-routes.ts';
import { insightRoutes } from '../platform/insights/insight-routes.ts';
import { labelRoutes } from '../platform/labels/label-routes.ts';
import { listingRoutes } from '../platform/listings/listing-routes.ts';
import { syncRoutes } from '../platform/listings/sync-routes.ts';
import { locationBulkRoutes } from '../platform/locations/location-bulk-routes.ts';
import { locationEntranceRoutes } from '../platform/locations/location-entrance-routes.ts';
import { locationListRoutes } from '../platform/locations/location-list-routes.ts';
import { locationRoutes } from '../platform/locations/location-routes.ts';
import { readChildRecords } from '../platform/partners/child-records.ts';
import { findKey, findPublicKey, findStoreKey, partnersChannel } from '../platform/partners/partner-keys.ts';
import { partnerRoutes } from '../platform/partners/partner-routes.ts';
import { productPlanRoutes } from '../platform/product-plans/product-plan-routes.ts';
import { receiverRoutes } from '../platform/sandbox-panel/receiver-routes.ts';
import { sandboxPanelRoutes } from '../platform/sandbox-panel/sandbox-panel-routes.ts';
import { socialPostRoutes } from '../platform/social-posts/social-post-routes.ts';
import { publicFinderRoutes } from '../platform/store-finder/public-finder-routes.ts';
import { storeFinderRoutes } from '../platform/store-finder/store-finder-routes.ts';
import { suggestionRoutes } from '../platform/suggestions/suggestion-routes.ts';
import { taskRoutes } from '../platform/tasks/task-routes.ts';
import { sessionRoutes } from '../platform/users/session-routes.ts';
import { findSession } from '../platform/users/session-store.ts';
import { userRoutes } from '../platform/users/user-routes.ts';
import { usersChannel } from '../platform/users/user-store.ts';
import { Problem } from '../problems.ts';
import { assetFileRoutes } from '../product/assets/asset-file-routes.ts';
import { assetRoutes } from '../product/assets/asset-routes.ts';
import { assetUploadRoutes } from '../product/assets/asset-upload-routes.ts';
import { folderRoutes } from '../product/assets/folder-routes.ts';
import { socialTemplateRoutes } from '../product/assets/social-template-routes.ts';
import { feedbackRoutes } from '../product/dashboard/feedback/feedback-routes.ts';
import { insightsDataRoutes } from '../product/dashboard/insights/insights-data-routes.ts';
import { standingRoutes } from '../product/dashboard/standing/standing-routes.ts';
import { demoRoutes } from '../product/demo/demo-routes.ts';
import { dashboardReportRoutes } from '../product/exports/dashboard-report-routes.ts';
import { excelExportRoutes } from '../product/exports/excel-export-routes.ts';
import { exportFileRoutes } from '../product/exports/export-file-routes.ts';
import { homepageRoutes } from '../product/homepage/homepage-routes.ts';
import { nearMeRoutes } from '../product/near-me/near-me-routes.ts';
import { reportRoutes as nearMeReportRoutes } from '../product/near-me/report-routes.ts';
import { socialAiRoutes } from '../product/social-ai/social-ai-routes.ts';
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
