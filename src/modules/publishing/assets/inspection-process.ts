import { setPriority } from 'node:os';
import { Problem } from '../../../problems.ts';
import { checkFile } from './file-content.ts';
import type { InspectionRequest, InspectionResult } from './file-inspector.ts';
import { loadSharp } from './photo-metadata.ts';

/**
 * Entry point of the child process that decodes untrusted files. It has no secrets and no connections, and is killed
 * when it exceeds its limits.
 */
setPriority(10);
process.on('disconnect', () => process.exit());
process.on('message', async ({ file, declared }: InspectionRequest) => {
  process.send?.(await inspect({ file, declared }));
});
// Before the time of the first file starts.
await loadSharp();
process.send?.('ready');

async function inspect({ file, declared }: InspectionRequest): Promise<InspectionResult> {
  try {
    const { kind, content: _, ...properties } = await checkFile(file, declared);
    return { checked: { mimeType: kind.mimeType, ...properties } };
  } catch (error) {
    return error instanceof Problem ? { errors: error.errors } : { fault: String((error as Error).stack) };
  }
}
