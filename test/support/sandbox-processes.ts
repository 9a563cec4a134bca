import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Ids of sandbox processes whose state is in a data folder. */
export async function processesOf(dataDir: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-eww', '-o', 'pid=,stat=,command=']);
  return stdout
    .split('\n')
    .filter((line) => line.includes(join(dataDir, 'sandbox.sqlite')) && !/^\s*\d+ Z/.test(line))
    .map((line) => Number.parseInt(line, 10));
}
