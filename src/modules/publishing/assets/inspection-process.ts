import { setPriority } from 'node:os';
import { Problem } from '../../../problems.ts';
import { checkFile } from './file-content.ts';
import type { InspectionRequest, InspectionResult } from './file-inspector.ts';

/**
 * Entry point of the child process that decodes untrusted files. It has no secrets and no connections, and is killed
 * when it exceeds its limits.
 */
setPriority(10);
process.on('disconnect', () => process.exit());
process.on('message', async ({ file, claimed }: InspectionRequest) => {
  process.send?.(await inspect({ file, claimed }));
});
process.send?.('ready');

async function inspect({ file, claimed }: InspectionRequest): Promise<InspectionResult> {
  try {
    const { kind, content: _, ...facts } = await checkFile(file, claimed);
    return { checked: { mimeType: kind.mimeType, ...facts } };
  } catch (error) {
    return error instanceof Problem ? { errors: error.errors } : { fault: String((error as Error).stack) };
  }
}
