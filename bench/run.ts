/** `npm run bench NAME -- [--quick]` runs bench/NAME.ts, one file per performance claim. */
import { existsSync, readdirSync } from 'node:fs';

const [name, ...flags] = process.argv.slice(2);
const file = new URL(`./${name}.ts`, import.meta.url);

if (!name || name === 'run' || !existsSync(file)) {
  const names = readdirSync(new URL('.', import.meta.url))
    .filter((entry) => entry.endsWith('.ts') && entry !== 'run.ts')
    .map((entry) => entry.slice(0, -3));
  console.error(`Say which benchmark to run: npm run bench ${names.join(' | ')} [-- --quick]`);
  process.exit(2);
}

const { run } = (await import(file.href)) as { run: (options: { quick: boolean }) => Promise<void> };
await run({ quick: flags.includes('--quick') });
