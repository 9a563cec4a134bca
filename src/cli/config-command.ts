import { type Setting, settings } from '../config/settings.ts';
import { effectiveText, readConfig } from '../config.ts';
import { runCommand, table } from './command.ts';

const help = `Usage: waypost config

Prints every setting with its default, its current value and its meaning, and checks the values.

Examples:
  waypost config
  WAYPOST_DEMO=off waypost config
`;

export async function configCommand(args: string[]): Promise<number> {
  return runCommand({ name: 'config', help, options: {} }, args, async () => {
    process.stdout.write(settingsTable(process.env));
    readConfig(process.env);
  });
}

export function settingsTable(env: NodeJS.ProcessEnv): string {
  const rows = Object.values<Setting>(settings).map((setting) => [
    setting.variable,
    shownDefault(setting),
    shownValue(setting, env),
    setting.meaning,
  ]);
  return table([['variable', 'default', 'value', 'meaning'], ...rows]);
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
