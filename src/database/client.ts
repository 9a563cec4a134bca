import pg from 'pg';
import { markDatabaseError } from './faults.ts';
import { StatementNames } from './prepared-statements.ts';

/** Prepares repeated statements, and marks errors of its connection, so that `isDatabaseUnavailable` recognizes them. */
export class DatabaseClient extends pg.Client {
  readonly statementNames = new StatementNames();

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter };
    connection.on('error', markDatabaseError);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the library has ten signatures for this method
  override query(statement: any, values?: any, callback?: any): any {
    if (typeof statement !== 'string' || !Array.isArray(values)) return super.query(statement, values, callback);
    const name = this.statementNames.of(statement);
    return super.query({ text: statement, values, ...(name && { name }) } as never, callback);
  }
}
