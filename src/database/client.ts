import pg from 'pg';
import { markDatabaseError } from './faults.ts';

/** A client that notes the faults of its connection: by themselves they look like those of any other. */
export class DatabaseClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter };
    connection.on('error', markDatabaseError);
  }
}
