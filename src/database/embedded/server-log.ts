import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const keptFiles = 5;
const reportedLines = 5;

/** Five files of 10 MB; PostgreSQL rotates files but never removes them. */
export const logSettings = {
  logging_collector: 'on',
  log_filename: 'server-%Y%m%d-%H%M%S.log',
  log_rotation_size: '10MB',
  log_rotation_age: '0',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
};

export function logFolder(home: string): string {
  return join(home, 'log');
}

export async function removeOldLogs(home: string): Promise<void> {
  for (const name of (await logFiles(home)).slice(0, -keptFiles))
    await rm(join(logFolder(home), name), { force: true });
}

/** The last log lines, for the error message of a failed start. */
export async function lastLogLines(home: string): Promise<string> {
  let text = await readFile(join(home, 'start.log'), 'utf8').catch(() => '');
  const newest = (await logFiles(home)).at(-1);
  if (newest && text.includes('redirecting log output')) text = await readFile(join(logFolder(home), newest), 'utf8');
  const lines = text.trim().split('\n');
  const errors = lines.filter((line) => /(FATAL|PANIC|ERROR|DETAIL|HINT): /.test(line));
  return (errors.length > 0 ? errors : lines).slice(-reportedLines).join(' ');
}

async function logFiles(home: string): Promise<string[]> {
  return (await readdir(logFolder(home)).catch(() => [])).sort();
}
