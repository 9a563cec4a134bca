import type { FastifyInstance } from 'fastify';
import type { Services } from '../../../http/services.ts';
import { dismissalRoutes } from './dismissal-routes.ts';
import { keyMetricRoutes } from './key-metric-routes.ts';
import { scoreRoutes } from './score-routes.ts';
import { suggestionRoutes } from './suggestion-routes.ts';
import { taskRoutes } from './task-routes.ts';

export function homepageRoutes(server: FastifyInstance, services: Services): void {
  for (const add of [keyMetricRoutes, scoreRoutes, taskRoutes, suggestionRoutes, dismissalRoutes])
    add(server, services);
}
