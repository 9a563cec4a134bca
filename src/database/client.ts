import pg from 'pg';
import { markDatabaseError } from './faults.ts';

/** Marks errors of its connection, so that `isDatabaseUnavailable` recognizes them. */
export class DatabaseClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter };
    connection.on('error', markDatabaseError);
  }
}
