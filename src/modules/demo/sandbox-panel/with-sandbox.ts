import { Problem } from '../../../problems.ts';
import { type SandboxAccess, SandboxControl, SandboxError } from '../../directories/index.ts';

/** Converts a SandboxError to a Problem. */
export async function withSandbox<T>(
  sandbox: SandboxAccess | undefined,
  work: (control: SandboxControl) => Promise<T>,
): Promise<T> {
  if (!sandbox) {
    throw new Problem('CONFLICT', {
      message: 'The sandbox network is not running. Start Waypost with "npm start" and set WAYPOST_SANDBOX to on.',
    });
  }
  return work(new SandboxControl(sandbox)).catch((error: unknown) => {
    if (error instanceof SandboxError) throw new Problem('USER_ERROR', { message: error.message });
    throw error;
  });
}
