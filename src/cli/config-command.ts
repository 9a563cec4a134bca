import { type Setting, settings } from '../config/settings.ts';
import { effectiveText, readConfig, sourceVariable } from '../config.ts';
import { defineCommand, table } from './command.ts';

const help = `Usage: waypost config

Prints every setting with its default, its current value and its meaning, and checks the values. Secrets are not
printed. A secret can also be read from a file: NAME_FILE is the path of the file with the value of NAME.

Examples:
  waypost config
  WAYPOST_DEMO=off waypost config
  DATABASE_URL_FILE=/run/secrets/database-url waypost config
`;

export const configCommand = defineCommand({ name: 'config', help }, async () => {
  process.stdout.write(settingsTable(process.env));
  readConfig(process.env);
});

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
  if (!setting.secret) return effectiveText(setting, env) ?? '-';
  const source = sourceVariable(setting, env);
  if (source !== setting.variable) return `in ${env[source]}`;
  return env[source] ? 'set' : 'not set';
}
