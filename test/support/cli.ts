import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFailed, onTestFinished, vi } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { settings } from '../../src/config/settings.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
// The compile cache halves the start time of a process.
const compileCache = join(tmpdir(), 'waypost-tests-compiled');

/** Longer than the time limits of all parts of a shutdown. */
const stopLimitMs = 90_000;

interface ExitResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A temporary folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command in this process, which saves a second. */
export async function runCli(
  [name = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ExitResult> {
  const output = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      output[stream] += text;
      return true;
    }),
  );
  const environment: NodeJS.ProcessEnv = { WAYPOST_DATA_DIR: temporaryFolder(), ...env };
  for (const { variable } of Object.values(settings)) {
    for (const name of [variable, `${variable}_FILE`]) vi.stubEnv(name, environment[name]);
  }
  try {
    const run = await commands[name]?.load();
    return { code: (await run?.(args)) ?? null, ...output };
  } finally {
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs a command in a separate process. `program`: the main file of another release. */
export function startCli(args: readonly string[], env: NodeJS.ProcessEnv = {}, program = main) {
  const environment = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: compileCache,
    WAYPOST_DATA_DIR: temporaryFolder(),
    ...env,
  };
  const child = spawn(process.execPath, [program, ...args], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  const ended: Promise<ExitResult> = once(child, 'close').then(([code]) => ({ code, ...output }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  onTestFailed(() => {
    process.stderr.write(`waypost ${args.join(' ')}: ${(output.stdout + output.stderr).slice(-4000)}\n`);
  });
  return {
    child,
    ended,
    lines: () => output.stdout.split('\n').filter((line) => line !== ''),
    /** Waits for output that matches; returns the first group. */
    async waitForOutput(pattern: RegExp): Promise<string> {
      await expect.poll(() => output.stdout + output.stderr, { timeout: 60_000, interval: 50 }).toMatch(pattern);
      return pattern.exec(output.stdout + output.stderr)?.[1] ?? '';
    },
    /** Sends Ctrl-C and returns the result. */
    async interrupt(): Promise<ExitResult> {
      child.kill('SIGINT');
      const result = await Promise.race([ended, wait(stopLimitMs, undefined, { ref: false })]);
      if (!result) throw new Error(`waypost ${args.join(' ')} did not stop within ${stopLimitMs / 1000} s`);
      return result;
    },
  };
}
