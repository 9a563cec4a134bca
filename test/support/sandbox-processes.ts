import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The processes of the sandbox network that keep their state in a data folder. */
export async function processesOf(dataDir: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-eww', '-o', 'pid=,stat=,command=']);
  return stdout
    .split('\n')
    .filter((line) => line.includes(join(dataDir, 'sandbox.sqlite')) && !/^\s*\d+ Z/.test(line))
    .map((line) => Number.parseInt(line, 10));
}
