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
  /** Where the key was found, for the case that it is not accepted. */
  keySource: string;
}

/** The options of every command that talks to a server. */
export const credentialOptions = { url: { type: 'string' }, key: { type: 'string' } } as const;

export const credentialHelp = `  --url URL           server to talk to (or ${settings.serverUrl.variable}; otherwise the demo's, or this machine)
  --key KEY           private key of the partner (or ${settings.privateKey.variable}; otherwise the demo partner's)
`;

interface Demo {
  file: string;
  baseUrl: string;
  privateKey: string;
}

/** From the options, the environment, or what a demo installation wrote down for its users, in this order. */
export function findCredentials(given: { url?: string; key?: string }, env: NodeJS.ProcessEnv): Credentials {
  const demo = readDemo(env);
  const url = findUrl(given.url, env) ?? demo?.baseUrl ?? `http://127.0.0.1:${effectiveText(settings.port, env)}`;
  if (given.key) return { url, privateKey: given.key, keySource: '--key' };
  const { variable } = settings.privateKey;
  const fromEnvironment = env[variable];
  if (fromEnvironment) return { url, privateKey: fromEnvironment, keySource: variable };
  if (demo && isFor(demo, url)) return { url, privateKey: demo.privateKey, keySource: demo.file };
  throw new UsageError(
    `No private key to use at ${url}. Give it with --key or ${variable}, or run "npm start" for a demo partner with a key.`,
  );
}

function findUrl(given: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const { variable, parse } = settings.serverUrl;
  if (given !== undefined) return withoutSlash(readOption('--url', given, urlWithScheme('http', 'https')));
  const fromEnvironment = env[variable];
  return fromEnvironment ? withoutSlash(readOption(variable, fromEnvironment, parse)) : undefined;
}

/** The demo's key is for the demo: it is not sent to any other machine that --url may name. */
function isFor(demo: Demo, url: string): boolean {
  const own = ['localhost', '127.0.0.1', '[::1]', new URL(demo.baseUrl).hostname];
  return own.includes(new URL(url).hostname);
}

function readDemo(env: NodeJS.ProcessEnv): Demo | undefined {
  const file = join(effectiveText(settings.dataDir, env) ?? '', 'demo.json');
  const advice = 'Start Waypost, which writes it again, or give --url and --key.';
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
  throw new CommandError(`${file} does not hold the demo's baseUrl and privateKey. ${advice}`);
}

const withoutSlash = (url: string) => trimEndOf(url, /\//);
