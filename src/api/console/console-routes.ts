import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { acceptsEncoding } from '../../http/public-responses.ts';
import type { Services } from '../../http/services.ts';
import { notFound } from '../../problems.ts';

const builtFolder = fileURLToPath(new URL('../../../console/dist', import.meta.url));

const noncePlaceholder = '{{nonce}}';
const demoPlaceholder = '{{demo}}';

/** The component library adds style elements, hence the nonce. Images of reviews and locations can be on any host. */
const policyWith = (nonce: string, pictures: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data: blob: ${pictures}`,
    "media-src 'self' blob: https:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const notBuilt = 'The console is not built. Run "npm start", or "setup/with-runtime node console/build.ts".';

/** Serves the console under /console: one page for all paths, and its files. */
export function consoleRoutes(server: FastifyInstance, { config }: Services, folder = builtFolder): void {
  if (!config.console) return;
  let reading: Promise<BuiltConsole | undefined> | undefined;
  const built = async () => {
    reading ??= readConsole(folder);
    const known = await reading;
    // It can be built later.
    if (!known) reading = undefined;
    return known;
  };

  const sendPage = async (reply: FastifyReply) => {
    const known = await built();
    if (!known) return reply.code(503).type('text/plain; charset=utf-8').send(`${notBuilt}\n`);
    const nonce = randomBytes(16).toString('base64');
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        // Demo images are on the sandbox network, which uses plain HTTP.
        'content-security-policy': policyWith(nonce, config.demo ? 'https: http:' : 'https:'),
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
      })
      .send(known.page.replaceAll(noncePlaceholder, nonce).replaceAll(demoPlaceholder, config.demo ? 'on' : 'off'));
  };

  const options = { config: { access: 'open' } } as const;
  server.get('/', options, async (_request, reply) => reply.redirect('/console'));
  server.get('/console', options, async (_request, reply) => sendPage(reply));
  server.get('/console/*', options, async (request, reply) => {
    const { '*': path } = request.params as { '*': string };
    const file = (await built())?.files.get(path);
    if (!file) {
      if (path.startsWith('assets/')) throw notFound(`file ${path} in this build of the console`);
      return sendPage(reply);
    }
    const { bytes, encoding } = encoded(file, request.headers['accept-encoding']);
    return reply
      .headers({
        'content-type': file.type,
        'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
        vary: 'accept-encoding',
        ...(encoding && { 'content-encoding': encoding }),
      })
      .send(bytes);
  });
}

interface ConsoleFile {
  type: string;
  /** The name contains a hash of the content, so it can be cached forever. */
  isHashed: boolean;
  bytes: Buffer;
  /** Compressed at build time. */
  br?: Buffer;
  gzip?: Buffer;
}

/** The built console: its page, and the other files by path. */
interface BuiltConsole {
  page: string;
  files: ReadonlyMap<string, ConsoleFile>;
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

/** Reads all files into memory: no path traversal, and no mix with a later build. Undefined if it is not built. */
async function readConsole(folder: string): Promise<BuiltConsole | undefined> {
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined);
  if (page === undefined) return undefined;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const known = new Set(paths);
  const files = new Map<string, ConsoleFile>();
  for (const path of paths) {
    const type = types[extname(path)];
    if (!type) continue;
    const name = path
      .slice(folder.length + 1)
      .split(sep)
      .join('/');
    const compressed = (ending: string) => (known.has(path + ending) ? readFile(path + ending) : undefined);
    const [bytes, br, gzip] = await Promise.all([readFile(path), compressed('.br'), compressed('.gz')]);
    files.set(name, { type, isHashed: name.startsWith('assets/'), bytes, ...(br && { br }), ...(gzip && { gzip }) });
  }
  return { page, files };
}

/** The best encoding of a file that the browser accepts. */
function encoded(file: ConsoleFile, accepted: string | undefined): { bytes: Buffer; encoding?: 'br' | 'gzip' } {
  for (const encoding of ['br', 'gzip'] as const) {
    const bytes = file[encoding];
    if (bytes && acceptsEncoding(accepted, encoding)) return { bytes, encoding };
  }
  return { bytes: file.bytes };
}
