import { alertRoutes } from './alerts/alert-routes.ts';
import { destinationRoutes } from './destinations/destination-routes.ts';
import { deliveryRoutes } from './log/delivery-routes.ts';
import { eventRoutes as eventLogRoutes } from './log/event-routes.ts';
import { filterRoutes } from './log/filter-routes.ts';
import { replayRoutes, resumeRoutes } from './log/replay-routes.ts';
import { activityRoutes, statisticsRoutes } from './log/statistics-routes.ts';
import { testDeliveryRoutes } from './log/test-delivery-routes.ts';
import { emitRoutes, eventTypeRoutes } from './subscriptions/event-type-routes.ts';
import { publicKeyRoutes } from './subscriptions/public-key-routes.ts';
import { webhookRoutes } from './subscriptions/webhook-routes.ts';

export const eventRoutes = [
  webhookRoutes,
  publicKeyRoutes,
  alertRoutes,
  destinationRoutes,
  filterRoutes,
  eventTypeRoutes,
  emitRoutes,
  eventLogRoutes,
  deliveryRoutes,
  replayRoutes,
  resumeRoutes,
  testDeliveryRoutes,
  statisticsRoutes,
  activityRoutes,
];
