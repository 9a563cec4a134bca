/** Cost of an export of all data, in a separate process. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ExportCost {
  rows: number;
  fileMiB: number;
  seconds: number;
  peakMiB: number;
}

const child = fileURLToPath(new URL('./export-child.ts', import.meta.url));

export function exportAll(order: {
  url: string;
  partnerId: number;
  span: { from: string; to: string };
  folder: string;
}): Promise<ExportCost> {
  const { folder, ...rest } = order;
  const task = JSON.stringify({ ...rest, file: join(folder, 'export.xlsx') });
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, [child, task], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    running.stdout.on('data', (part) => {
      output += part;
    });
    running.on('exit', (code) =>
      code === 0 ? resolve(JSON.parse(output)) : reject(new Error(`The export ended with ${code}.`)),
    );
  });
}
