import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** For tests: runs the commands of README.md, which are defined only there. */

const chapters = ['A first webhook in five minutes', 'Follow a change from cause to event', 'Develop a receiver'];
const timeoutMs = 300_000;
const root = join(import.meta.dirname, '../..');

interface Block {
  /** Commands of a terminal, or the expected output of the receiver. */
  kind: 'receiver' | 'commands' | 'output';
  text: string;
}

export function readmeBlocks(): Block[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  return chapters.flatMap((chapter) => {
    const text = readme.split(`## ${chapter}\n`)[1]?.split('\n## ')[0];
    if (text === undefined) throw new Error(`README.md has no chapter "${chapter}".`);
    return [...text.matchAll(/^```(sh)?\n(.*?)^```/gms)].map(([, language, content = '']) => {
      const isReceiver = content.startsWith('bin/waypost listen');
      return { kind: language ? (isReceiver ? 'receiver' : 'commands') : 'output', text: content };
    });
  });
}

interface Installation {
  baseUrl: string;
  dataDir: string;
  /** Port of the receiver. */
  port: number;
  /** Settings of the commands. */
  env?: NodeJS.ProcessEnv;
}

/** Runs the chapters. Throws, with the output, when a command fails or an event of the sample output is missing. */
export async function runReadmeCommands({ baseUrl, dataDir, port, env: settings }: Installation): Promise<void> {
  const env = { ...process.env, WAYPOST_DATA_DIR: dataDir, ...settings };
  const adapt = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:8080', baseUrl)
      .replaceAll('./.data/', `${dataDir}/`)
      .replaceAll(/\b4000\b/g, String(port))
      .replaceAll('listen --all', `listen --all --port ${port}`);
  const shell = new Terminal(spawn('bash', { cwd: root, env }));
  shell.type('set -euo pipefail\n');
  let receiver: Terminal | undefined;
  try {
    for (const { kind, text } of readmeBlocks()) {
      if (kind === 'receiver') {
        await receiver?.interrupt();
        const [program = '', ...args] = adapt(text).trim().split(' ');
        receiver = new Terminal(spawn(program, args, { cwd: root, env }));
        await receiver.waitFor(text.includes('--all') ? /^Webhooks at/m : /^Listening on/m);
      } else if (kind === 'commands') {
        const done = `ran ${Math.random()}`;
        shell.type(`${adapt(text)}\necho '${done}'\n`);
        await shell.waitFor(new RegExp(done));
      } else {
        for (const [line] of text.matchAll(/✔ \w+/g)) await receiver?.waitFor(new RegExp(`${line} `));
      }
    }
    await receiver?.interrupt();
    shell.end();
    checkResponses(shell.output);
  } finally {
    receiver?.kill();
    shell.kill();
  }
}

function checkResponses(output: string): void {
  const responses = output.split('\n').filter((line) => line.startsWith('{"'));
  if (responses.length < 5) throw new Error(`The README's commands printed too few responses:\n${output}`);
  const failed = responses.filter((line) => !line.includes('"status":"SUCCESS"'));
  if (failed.length > 0) throw new Error(`A command of the README failed:\n${failed.join('\n')}`);
}

/** A child process with its output. */
class Terminal {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;
  #hasExited = false;
  output = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exit = once(child, 'exit').finally(() => {
      this.#hasExited = true;
    });
    const append = (text: string) => {
      this.output += text;
    };
    child.stdout?.setEncoding('utf8').on('data', append);
    child.stderr?.setEncoding('utf8').on('data', append);
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  end(): void {
    this.#child.stdin?.end();
  }

  async waitFor(pattern: RegExp): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!pattern.test(this.output)) {
      if (this.#hasExited || Date.now() > deadline) throw new Error(`No output matches ${pattern}:\n${this.output}`);
      await pause(100);
    }
  }

  /** Sends Ctrl-C and expects exit code 0. */
  async interrupt(): Promise<void> {
    this.#child.kill('SIGINT');
    const [code] = await this.#exit;
    if (code !== 0) throw new Error(`Exit code ${code}:\n${this.output}`);
  }

  kill(): void {
    if (!this.#hasExited) this.#child.kill('SIGKILL');
  }
}
