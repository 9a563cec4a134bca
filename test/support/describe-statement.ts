import type pg from 'pg';

interface Connection {
  parse(message: { text: string; name: string }): void;
  describe(message: { type: 'S'; name: string }): void;
  sync(): void;
}

/** Lets the server parse a statement without executing it. Returns the camel-case names and the types of its columns. */
export async function describeStatement(client: pg.Client, text: string): Promise<[name: string, type: string][]> {
  const fields = await new Promise<pg.FieldDef[]>((resolve, reject) => {
    let described: pg.FieldDef[] = [];
    client.query({
      submit(connection: Connection) {
        connection.parse({ text, name: '' });
        connection.describe({ type: 'S', name: '' });
        connection.sync();
      },
      handleRowDescription: ({ fields }: { fields: pg.FieldDef[] }) => {
        described = fields;
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(described),
    } as never);
  });
  const { rows } = await client.query<{ type: string }>(
    `select typname as type from unnest($1::oid[]) with ordinality as field (oid, position) join pg_type using (oid)
     order by position`,
    [fields.map(({ dataTypeID }) => dataTypeID)],
  );
  return fields.map(({ name }, index) => [camelCase(name), typeName(rows[index]?.type ?? '')]);
}

/** The server names the type of an array with a leading underscore. */
const typeName = (name: string) => name.replace(/^_(.*)/, '$1[]');

const camelCase = (name: string) => name.replace(/_+(\w)/g, (_, letter: string) => letter.toUpperCase());
