import { Problem } from '../../../problems.ts';
import { type SandboxAccess, SandboxControl, SandboxError } from '../../directories/index.ts';

/** Tells the sandbox what to do; a refusal becomes a problem that names it. */
export async function inSandbox<T>(
  sandbox: SandboxAccess | undefined,
  work: (control: SandboxControl) => Promise<T>,
): Promise<T> {
  if (!sandbox) {
    throw new Problem('CONFLICT', {
      message: 'No sandbox network runs beside this process: start Waypost with "npm start" and WAYPOST_SANDBOX on.',
    });
  }
  return work(new SandboxControl(sandbox)).catch((error: unknown) => {
    if (error instanceof SandboxError) throw new Problem('USER_ERROR', { message: error.message });
    throw error;
  });
}
