import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { checkSync } from 'recheck';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApi } from './support/api.ts';
import { type Node, walk } from './support/syntax-tree.ts';

const root = join(import.meta.dirname, '..');
const checkMinutes = 5;

interface Expression {
  source: string;
  flags: string;
  where: string;
}

let api: TestApi;
beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.close());

/** Expressions that already passed. Checking all of them takes 15 seconds. */
const recorded = join(root, 'test/linear-expressions.txt');
const passed = new Set(existsSync(recorded) ? readFileSync(recorded, 'utf8').split('\n') : []);

// After a change of an expression: npx vitest run test/regular-expressions.test.ts --update
test('no regular expression takes more than linear time', { timeout: checkMinutes * 60_000 }, async () => {
  const expressions = [...sourceFiles().flatMap(expressionsIn), ...schemaPatterns()];
  const distinct = new Map(expressions.map((found) => [lineOf(found), found]));
  expect(distinct.size).toBeGreaterThan(200);
  const slow = [...distinct].flatMap(([line, { source, flags, where }]) => {
    if (passed.has(line)) return [];
    // Searches for the slowest input.
    const found = checkSync(source, flags.replace('v', 'u'), { timeout: null });
    if (found.status === 'safe') return [];
    return [`${line} in ${where}: ${found.status === 'vulnerable' ? found.complexity.summary : found.status}`];
  });
  expect(slow).toEqual([]);
  await expect(`${[...distinct.keys()].sort().join('\n')}\n`).toMatchFileSnapshot(recorded);
});

const lineOf = ({ source, flags }: Expression) => JSON.stringify(`/${source}/${flags}`);

const sourceFiles = () =>
  globSync('{src,sandbox,receiver}/**/*.ts', { cwd: root }).filter((file) => !/node_modules|\.test\.ts$/.test(file));

/** Literals, `new RegExp(…)` and `pattern` fields. */
function expressionsIn(where: string): Expression[] {
  const { program } = parseSync(where, readFileSync(join(root, where), 'utf8'));
  const constants = new Map<string, Node>();
  const found: Expression[] = [];
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier') constants.set(node.id.name, node.init);
  });
  walk(program, (node) => {
    if (node.type === 'Literal' && node.regex) {
      found.push({ source: node.regex.pattern, flags: node.regex.flags, where });
    }
    if (node.type === 'NewExpression' && node.callee.name === 'RegExp') {
      const [source, flags] = node.arguments;
      found.push({ source: textOf(source, constants), flags: flags?.value ?? '', where });
    }
    if (node.type === 'Property' && node.key.name === 'pattern' && node.value.type === 'Literal') {
      found.push({ source: node.value.value, flags: 'u', where });
    }
  });
  return found.filter(({ source }) => typeof source === 'string');
}

/** Dynamic parts are names or lists of words. A single letter replaces them. */
function textOf(node: Node, constants: ReadonlyMap<string, Node>): string {
  if (node?.type === 'Literal') return String(node.value);
  if (node?.type === 'Identifier' && constants.has(node.name)) return textOf(constants.get(node.name), constants);
  if (node?.type !== 'TemplateLiteral') return 'x';
  return node.quasis
    .map(({ value }: Node, index: number) => {
      const part = node.expressions[index];
      return `${value.cooked}${part ? textOf(part, constants) : ''}`;
    })
    .join('');
}

function schemaPatterns(): Expression[] {
  const found: Expression[] = [];
  for (const { method, path, ...schemas } of api.server.routeRecords) {
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { pattern, patternProperties = {} } = value as { pattern?: unknown; patternProperties?: object };
      const sources = [pattern, ...Object.keys(patternProperties)].filter((source) => typeof source === 'string');
      found.push(...sources.map((source) => ({ source, flags: 'u', where: `${method} ${path}` })));
      Object.values(value).forEach(visit);
    };
    visit(schemas);
  }
  return found;
}
