import type { FastifyInstance } from 'fastify';
import type { Services } from '../http/services.ts';
import type { JobImplementation, ReleaseLeases } from '../jobs/job.ts';

/** What a part of the domain contributes to the API and to the background work. */
export interface Module {
  routes: readonly ((server: FastifyInstance, services: Services) => void)[];
  jobs: readonly JobImplementation[];
  releaseLeases?: ReleaseLeases;
  /** Columns with names of stored files, by table: a backup contains these files. */
  storedFiles?: Readonly<Record<string, readonly string[]>>;
}
