import pg from 'pg';
import { noteDatabaseFault } from './faults.ts';
import { StatementNames } from './prepared-statements.ts';

/** Prepares statements that are used again, and notes the faults of its connection: they look like any other error. */
export class NotingClient extends pg.Client {
  readonly statementNames = new StatementNames();

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter };
    connection.on('error', noteDatabaseFault);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the library has ten signatures for this method
  override query(statement: any, values?: any, callback?: any): any {
    if (typeof statement !== 'string' || !Array.isArray(values)) return super.query(statement, values, callback);
    const name = this.statementNames.of(statement);
    return super.query({ text: statement, values, ...(name && { name }) } as never, callback);
  }
}
