import { type Setting, settings } from '../config/settings.ts';
import { ConfigurationProblem, effectiveText, readConfig } from '../config.ts';

/** Prints every setting; fails if the configuration is invalid. */
export async function configCommand(args: string[]): Promise<number> {
  if (args.length > 0) {
    process.stderr.write('waypost config does not accept arguments.\n');
    return 2;
  }
  process.stdout.write(settingsTable(process.env));
  try {
    readConfig(process.env);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigurationProblem)) throw error;
    process.stderr.write(`\n${error.message}\n`);
    return 1;
  }
}

export function settingsTable(env: NodeJS.ProcessEnv): string {
  const rows = Object.values<Setting>(settings).map((setting) => [
    setting.variable,
    shownDefault(setting),
    shownValue(setting, env),
    setting.meaning,
  ]);
  return aligned([['variable', 'default', 'value', 'meaning'], ...rows]);
}

function shownDefault(setting: Setting): string {
  const ordinary = setting.default ?? '-';
  return setting.demoDefault === undefined ? ordinary : `${ordinary} (demo: ${setting.demoDefault})`;
}

function shownValue(setting: Setting, env: NodeJS.ProcessEnv): string {
  const text = effectiveText(setting, env);
  if (setting.secret) return text === undefined ? 'not set' : 'set';
  return text ?? '-';
}

function aligned(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
