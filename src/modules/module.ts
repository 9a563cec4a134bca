import type { FastifyInstance } from 'fastify';
import type { Services } from '../http/services.ts';
import type { JobImplementation, ReleaseLeases } from '../jobs/job.ts';

/** A part of the domain: its routes, jobs and stored files. */
export interface Module {
  routes: readonly ((server: FastifyInstance, services: Services) => void)[];
  jobs: readonly JobImplementation[];
  releaseLeases?: ReleaseLeases;
  /** Columns with names of stored files, by table: a backup contains these files. */
  storedFiles?: Readonly<Record<string, readonly string[]>>;
}
