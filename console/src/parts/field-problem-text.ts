import type { FieldProblem } from '../api/api-problem.ts';
import { t, textIfAny } from '../texts/t.ts';

const path = /^(\w+)(?:\[(\d+)\])?(?:\.(.+))?$/;

/** Index of the list entry; undefined for the whole field. */
export function entryOf({ field }: FieldProblem): number | undefined {
  const index = path.exec(field)?.[2];
  return index === undefined ? undefined : Number(index);
}

const numbered = (index: number): string => t('parts.problems.entry', { number: index + 1 });

/** Message for a field error: the console's own text for the rule if there is one, otherwise the API message. */
export function fieldProblemText(problem: FieldProblem, entryName: (index: number) => string = numbered): string {
  const entry = entryOf(problem);
  const text = ownText(problem) ?? renamed(problem);
  return entry === undefined ? text : `${entryName(entry)}: ${text}`;
}

function ownText({ field, rule }: FieldProblem): string | undefined {
  const [, root, entry] = path.exec(field) ?? [];
  const stem = entry === undefined ? 'fields' : 'entries';
  return textIfAny(`parts.problems.${stem}.${root}.${rule}`) ?? textIfAny(`parts.problems.rules.${rule}`);
}

/** API messages often start with the field name. */
function renamed({ field, message }: FieldProblem): string {
  if (!message.startsWith(`${field} `)) return message.charAt(0).toUpperCase() + message.slice(1);
  return nameOf(field) + message.slice(field.length);
}

function nameOf(field: string): string {
  const inner = field.split('.').at(-1) ?? field;
  const label = textIfAny(`locations.fields.${inner}`);
  if (label !== undefined) return label;
  return /^[a-z]+$/.test(inner) ? inner.charAt(0).toUpperCase() + inner.slice(1) : t('parts.problems.this');
}
