import { parseVersion } from '../api/versions/api-version.ts';
import { replacementsOf } from '../api/versions/replacements.ts';
import { timeline } from '../api/versions/timeline.ts';
import type { VersionChange } from '../api/versions/version-change.ts';
import { Problem } from '../problems.ts';
import { runCommand, UsageError } from './command.ts';

const help = `Usage: waypost versions [diff FROM TO]

Prints the change record; with diff, what a client that moves between two versions must change.

Examples:
  waypost versions
  waypost versions diff _20210729 _20230115
`;

export function versionsCommand(args: string[]): Promise<number> {
  return runCommand({ name: 'versions', help, options: {}, operands: 3 }, args, async (_values, operands) => {
    const [verb, from, to] = operands;
    if (verb === undefined) process.stdout.write(timeline.toReversed().map(entryText).join('\n'));
    else if (verb === 'diff') process.stdout.write(difference(date(from, 'FROM'), date(to, 'TO')));
    else throw new UsageError(`"${verb}" is not known: leave it away, or say diff FROM TO.`);
  });
}

function date(text: string | undefined, name: string): string {
  try {
    parseVersion(text ?? '', name);
  } catch (error) {
    throw error instanceof Problem ? new UsageError(error.message) : error;
  }
  return (text ?? '').replace('_', '');
}

/** What changes for a client on the way from one version to the other. */
export function difference(from: string, to: string): string {
  if (from > to) return `From _${from} back to _${to}: read it the other way round.\n\n${difference(to, from)}`;
  const between = timeline.filter(({ version }) => version > from && version <= to);
  const breaking = between.filter(({ kind }) => kind === 'BREAKING');
  const additive = between.filter(({ kind }) => kind === 'ADDITIVE');
  const must =
    breaking.length === 0
      ? `Nothing must change between _${from} and _${to}.\n`
      : `From _${from} to _${to} a client must follow ${breaking.length === 1 ? 'one change' : `${breaking.length} changes`}:\n\n${breaking.map(entryText).join('\n')}`;
  return additive.length === 0
    ? must
    : `${must}\nNew, and open in every version:\n\n${additive.map(entryText).join('\n')}`;
}

function entryText(entry: VersionChange): string {
  const { version, kind, description, touches } = entry;
  const replaced = replacementsOf(entry).map(({ where, before, now }) => `    ${where}: ${before} → ${now}`);
  const lines = [`_${version}  ${kind.toLowerCase()}`, `  ${description}`, ...replaced];
  if (touches.length > 0) lines.push(`  touches: ${touches.join('; ')}`);
  return `${lines.join('\n')}\n`;
}
