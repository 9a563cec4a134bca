import { parseVersion, replacementsOf, timeline } from '../api/versions/timeline.ts';
import type { VersionChange } from '../api/versions/version-change.ts';
import { Problem } from '../problems.ts';
import { defineCommand, UsageError } from './command.ts';

const help = `Usage: waypost versions [diff FROM TO]

Prints the changelog, or with diff the changes between two versions.

Examples:
  waypost versions
  waypost versions diff _20210729 _20230115
`;

export const versionsCommand = defineCommand({ name: 'versions', help, operands: 3 }, async (_, [verb, from, to]) => {
  if (verb === undefined) process.stdout.write(timeline.toReversed().map(entryText).join('\n'));
  else if (verb === 'diff') process.stdout.write(difference(versionDate(from, 'FROM'), versionDate(to, 'TO')));
  else throw new UsageError(`Unknown action "${verb}". Use "diff FROM TO", or no arguments.`);
});

function versionDate(text: string | undefined, name: string): string {
  try {
    parseVersion(text ?? '', name);
  } catch (error) {
    throw error instanceof Problem ? new UsageError(error.message) : error;
  }
  return (text ?? '').replace('_', '');
}

/** The changes for a client that moves from one version to another. */
export function difference(from: string, to: string): string {
  if (from > to) return `From _${from} back to _${to}: apply these changes in reverse.\n\n${difference(to, from)}`;
  const between = timeline.filter(({ version }) => version > from && version <= to);
  const breaking = between.filter(({ kind }) => kind === 'BREAKING');
  const additive = between.filter(({ kind }) => kind === 'ADDITIVE');
  const breakingText =
    breaking.length === 0
      ? `No breaking changes between _${from} and _${to}.\n`
      : `From _${from} to _${to} there ${breaking.length === 1 ? 'is one breaking change' : `are ${breaking.length} breaking changes`}:\n\n${breaking.map(entryText).join('\n')}`;
  return additive.length === 0
    ? breakingText
    : `${breakingText}\nAdditions, available in every version:\n\n${additive.map(entryText).join('\n')}`;
}

function entryText(entry: VersionChange): string {
  const { version, kind, description, touches } = entry;
  const replaced = replacementsOf(entry).map(({ where, before, now }) => `    ${where}: ${before} → ${now}`);
  const lines = [`_${version}  ${kind.toLowerCase()}`, `  ${description}`, ...replaced];
  if (touches.length > 0) lines.push(`  affects: ${touches.join('; ')}`);
  return `${lines.join('\n')}\n`;
}
