import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { InvalidSetting } from './config/parse.ts';
import { type Setting, settings } from './config/settings.ts';
import { nearestName } from './text.ts';

export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

type Settings = typeof settings;

export type Config = {
  readonly [Name in keyof Settings]: Settings[Name] extends { default: string }
    ? ReturnType<Settings[Name]['parse']>
    : ReturnType<Settings[Name]['parse']> | undefined;
};

/** The configuration is invalid. The message has one line per problem, with the setting to change. */
export class ConfigurationProblem extends Error {}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const problems = unknownVariables(env);
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    try {
      const text = effectiveText(setting, env);
      values[name] = text === undefined ? undefined : setting.parse(text);
    } catch (error) {
      if (error instanceof ConfigurationProblem) problems.push(error.message);
      else if (error instanceof InvalidSetting)
        problems.push(`${valueProblem(setting, env)}: set it to ${error.message}.`);
      else throw error;
    }
  }
  if (problems.length === 0) problems.push(...conflicts(values as Config));
  if (problems.length > 0) throw new ConfigurationProblem(problems.join('\n'));
  return values as Config;
}

/** The text of a setting: the variable, the file of a secret, or the default. An empty variable counts as not set. */
export function effectiveText(setting: Setting, env: NodeJS.ProcessEnv): string | undefined {
  const demo = (env[settings.demo.variable] || settings.demo.default) === 'on';
  return (
    secretInFile(setting, env) || env[setting.variable] || (demo ? setting.demoDefault : undefined) || setting.default
  );
}

/** The variable with the path of a file that contains the secret, as container platforms mount secrets. */
const fileVariable = ({ variable }: Setting) => `${variable}_FILE`;

/** The variable that a setting is read from: its own, or the one with the path of a file. */
export const sourceVariable = (setting: Setting, env: NodeJS.ProcessEnv): string =>
  setting.secret && env[fileVariable(setting)] ? fileVariable(setting) : setting.variable;

function secretInFile(setting: Setting, env: NodeJS.ProcessEnv): string | undefined {
  const source = sourceVariable(setting, env);
  if (source === setting.variable) return undefined;
  if (env[setting.variable]) {
    throw new ConfigurationProblem(`${setting.variable} and ${source} are both set. Remove one of them.`);
  }
  const path = env[source] as string;
  const text = readSecretFile(source, path).replace(/\r?\n$/, '');
  // The default would replace a secret that is missing by mistake.
  if (text === '')
    throw new ConfigurationProblem(`${source} is "${path}", which is empty. Write the value to this file.`);
  return text;
}

function readSecretFile(source: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigurationProblem(
      `${source} is "${path}", which cannot be read (${code}): set it to the path of a file that this user can read.`,
    );
  }
}

/** Plain HTTP is allowed on loopback or behind a trusted proxy that terminates TLS. */
export function checkServing(config: Config): void {
  const { host, tlsCert, tlsKey, trustedProxy } = config;
  if (tlsCert && tlsKey) {
    try {
      createSecureContext({ cert: readFileSync(tlsCert), key: readFileSync(tlsKey) });
    } catch (error) {
      throw new ConfigurationProblem(
        `The certificate and key cannot be used (${(error as Error).message}). Set WAYPOST_TLS_CERT and ` +
          'WAYPOST_TLS_KEY to a certificate and its private key, both in PEM format.',
      );
    }
  } else if (!isLoopback(host) && trustedProxy.length === 0) {
    throw new ConfigurationProblem(
      `HOST is "${host}", and plain HTTP is allowed on loopback only. Set WAYPOST_TLS_CERT and WAYPOST_TLS_KEY to ` +
        'serve HTTPS, or WAYPOST_TRUSTED_PROXY to the address range of an HTTPS proxy, or HOST to 127.0.0.1.',
    );
  }
}

/** Demo mode must be enabled explicitly on a host that other machines can reach. */
export function checkDemoHost({ demo, host }: Pick<Config, 'demo' | 'host'>, env: NodeJS.ProcessEnv): void {
  if (!demo || isLoopback(host) || env[settings.demo.variable]) return;
  throw new ConfigurationProblem(
    `HOST is "${host}", which other machines can reach, and demo mode is enabled by default. Set WAYPOST_DEMO to off, ` +
      'or to on to let other machines use the demo partner and webhooks reach this machine.',
  );
}

/** Whether connections to the host stay on this machine. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

const serviceLink = /_SERVICE_HOST$|_SERVICE_PORT(?:_|$)|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;

/** Kubernetes adds such variables for a Service whose name starts with "waypost". The value of …_PORT is a URL. */
const isServiceLink = (variable: string, env: NodeJS.ProcessEnv): boolean =>
  serviceLink.test(variable) || (variable.endsWith('_PORT') && /^(?:tcp|udp|sctp):/.test(env[variable] ?? ''));

function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = Object.values<Setting>(settings).flatMap((setting) =>
    setting.secret ? [setting.variable, fileVariable(setting)] : [setting.variable],
  );
  return Object.keys(env)
    .filter((variable) => variable.startsWith('WAYPOST_') && !known.includes(variable) && !isServiceLink(variable, env))
    .map((variable) => {
      const nearest = nearestName(variable, known);
      return `${variable} is not a setting. ${nearest ? `Did you mean ${nearest}?` : 'Remove it.'} "waypost config" lists all settings.`;
    });
}

function valueProblem(setting: Setting, env: NodeJS.ProcessEnv): string {
  if (!setting.secret) return `${setting.variable} is ${JSON.stringify(env[setting.variable])}`;
  const source = sourceVariable(setting, env);
  return source === setting.variable ? `${source} is invalid` : `The content of the file of ${source} is invalid`;
}

/** Settings that need others. */
const dependentSettings = [
  { given: 'sandboxUrl', needs: ['sandboxKey'], missing: 'a key' },
  { given: 's3BucketUrl', needs: ['s3KeyId', 's3Secret'], missing: 'an access key' },
  { given: 'databaseReadUrl', needs: ['databaseUrl'], missing: 'the URL of the primary' },
  { given: 'aiUrl', needs: ['aiModel'], missing: 'the name of a model' },
] as const;

function conflicts(config: Config): string[] {
  const problems: string[] = [];
  if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
    const missing = config.tlsCert === undefined ? settings.tlsCert : settings.tlsKey;
    problems.push(`A certificate requires its private key. Set ${missing.variable} as well.`);
  }
  if (config.breakerMaxPause < config.breakerFirstPause) {
    problems.push('WAYPOST_BREAKER_MAX_PAUSE is shorter than WAYPOST_BREAKER_PAUSE. Set it to the same value or more.');
  }
  for (const { given, needs, missing } of dependentSettings) {
    if (config[given] === undefined || needs.every((name) => config[name] !== undefined)) continue;
    const variables = needs.map((name) => settings[name].variable);
    problems.push(`${settings[given].variable} requires ${missing}. Set ${variables.join(' and ')} as well.`);
  }
  if (config.masterKeys !== undefined && config.masterKeyCommand !== undefined) {
    problems.push('WAYPOST_MASTER_KEY and WAYPOST_MASTER_KEY_COMMAND are both set. Remove one of them.');
  }
  if (config.otlpLogs === 'otlp' && (config.otlpLogsEndpoint ?? config.otlpEndpoint) === undefined) {
    problems.push('OTEL_LOGS_EXPORTER is otlp, which requires a collector. Set OTEL_EXPORTER_OTLP_ENDPOINT as well.');
  }
  return problems;
}
