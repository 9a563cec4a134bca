import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { urlWithScheme } from '../config/parse.ts';
import { settings } from '../config/settings.ts';
import { effectiveText } from '../config.ts';
import { trimEndOf } from '../text.ts';
import { CommandError, readOption, UsageError } from './command.ts';

export interface Credentials {
  url: string;
  privateKey: string;
  /** The source of the key, for the error message. */
  keySource: string;
}

/** The options of every command that talks to a server. */
export const credentialOptions = { url: { type: 'string' }, key: { type: 'string' } } as const;

export const credentialHelp = `  --url URL           server URL (or ${settings.serverUrl.variable}; default: the demo server, or this machine)
  --key KEY           private key of the partner (or ${settings.privateKey.variable}; default: the demo partner's)
`;

interface Demo {
  file: string;
  baseUrl: string;
  privateKey: string;
}

/** Precedence: options, environment, demo.json. */
export function findCredentials(given: { url?: string; key?: string }, env: NodeJS.ProcessEnv): Credentials {
  const demo = readDemo(env);
  const url = findUrl(given.url, env) ?? demo?.baseUrl ?? `http://127.0.0.1:${effectiveText(settings.port, env)}`;
  if (given.key) return { url, privateKey: given.key, keySource: '--key' };
  const { variable } = settings.privateKey;
  const fromEnvironment = env[variable];
  if (fromEnvironment) return { url, privateKey: fromEnvironment, keySource: variable };
  if (demo && isFor(demo, url)) return { url, privateKey: demo.privateKey, keySource: demo.file };
  throw new UsageError(
    `No private key for ${url}. Set --key or ${variable}, or run "npm start" to create a demo partner.`,
  );
}

function findUrl(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const { variable, parse } = settings.serverUrl;
  if (given !== undefined) return withoutSlash(readOption('--url', given, urlWithScheme('http', 'https')));
  const fromEnvironment = env[variable];
  return fromEnvironment ? withoutSlash(readOption(variable, fromEnvironment, parse)) : undefined;
}

/** The key of the demo partner is not sent to other machines. */
function isFor(demo: Demo, url: string): boolean {
  const own = ['localhost', '127.0.0.1', '[::1]', new URL(demo.baseUrl).hostname];
  return own.includes(new URL(url).hostname);
}

function readDemo(env: NodeJS.ProcessEnv): Demo | undefined {
  const file = join(effectiveText(settings.dataDir, env) ?? '', 'demo.json');
  const advice = 'Start Waypost to write it again, or set --url and --key.';
  try {
    const demo = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof demo?.baseUrl === 'string' && typeof demo.privateKey === 'string' && URL.canParse(demo.baseUrl)) {
      return { file, baseUrl: withoutSlash(demo.baseUrl), privateKey: demo.privateKey };
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`${file} cannot be read (${code ?? message}). ${advice}`);
  }
  throw new CommandError(`${file} does not contain baseUrl and privateKey. ${advice}`);
}

const withoutSlash = (url: string) => trimEndOf(url, /\//);
