import { Kysely, PostgresDialect } from 'kysely';
import { PostgresDialect as GeneratorDialect, generate } from 'kysely-codegen';
import type pg from 'pg';

/** TypeScript types of all tables, with camel-case names. */
export function schemaTypes(pool: pg.Pool): Promise<string> {
  return generate({
    db: new Kysely({ dialect: new PostgresDialect({ pool }) }),
    dialect: new GeneratorDialect(),
    camelCase: true,
    outFile: null,
    defaultSchemas: ['public'],
    includePattern: 'public.*',
    // The connections parse int8 as numbers.
    typeMapping: { int8: 'number' },
    logger: { debug() {}, error: console.error, info() {}, log() {}, success() {}, warn() {} } as never,
  });
}
