// biome-ignore lint/suspicious/noExplicitAny: nodes have many types
export type Node = any;

/** Visits a node of oxc-parser and all nodes in it. */
export function walk(node: Node, visit: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (typeof node.type === 'string') visit(node);
  for (const inner of Object.values(node)) walk(inner, visit);
}
