// Runs npm scripts at the same time: node setup/in-parallel.mjs lint types
// Prints the output of each script when it has ended, so that outputs do not mix. Fails if a script fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const names = process.argv.slice(2);
const failed = (await Promise.all(names.map(run))).filter((name) => name !== undefined);
if (failed.length > 0) {
  process.stderr.write(`Failed: ${failed.map((name) => `npm run ${name}`).join(', ')}\n`);
  process.exitCode = 1;
}

/** The name of the script if it failed. */
async function run(name) {
  // Both streams in one pipe, to keep their order.
  const child = spawn('/bin/sh', ['-c', 'exec npm run --silent "$0" 2>&1', name], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Without a terminal, the programs would print no colours.
    env: { ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...process.env },
  });
  const parts = [];
  child.stdout.on('data', (part) => parts.push(part));
  const [code, signal] = await once(child, 'close');
  const isDone = code === 0;
  process.stdout.write(`${name}: ${isDone ? 'passed' : `failed with ${signal ?? `exit code ${code}`}`}\n`);
  if (parts.length > 0) process.stdout.write(Buffer.concat(parts));
  return isDone ? undefined : name;
}
