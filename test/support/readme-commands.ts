import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** For tests: what a newcomer types, as README.md has it. The README is the only place of these commands. */

const chapters = ['A first webhook in five minutes', 'Follow a change from cause to event'];
const patienceMs = 300_000;
const root = join(import.meta.dirname, '../..');

interface Block {
  /** The commands of a terminal, or the output that a receiver then shows. */
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

interface Place {
  baseUrl: string;
  dataDir: string;
  /** For the receiver. */
  port: number;
}

/** Follows both chapters. Throws, with what was said, when a command fails or an event of the sample output is missing. */
export async function followReadme({ baseUrl, dataDir, port }: Place): Promise<void> {
  const env = { ...process.env, WAYPOST_DATA_DIR: dataDir };
  const here = (text: string) =>
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
        const [program = '', ...args] = here(text).trim().split(' ');
        receiver = new Terminal(spawn(program, args, { cwd: root, env }));
        await receiver.says(text.includes('--all') ? /^Webhooks at/m : /^Listening on/m);
      } else if (kind === 'commands') {
        const done = `ran ${Math.random()}`;
        shell.type(`${here(text)}\necho '${done}'\n`);
        await shell.says(new RegExp(done));
      } else {
        for (const [line] of text.matchAll(/✔ \w+/g)) await receiver?.says(new RegExp(`${line} `));
      }
    }
    await receiver?.interrupt();
    shell.end();
    checkResponses(shell.said);
  } finally {
    receiver?.kill();
    shell.kill();
  }
}

function checkResponses(said: string): void {
  const responses = said.split('\n').filter((line) => line.startsWith('{"'));
  if (responses.length < 5) throw new Error(`The README's commands printed too little:\n${said}`);
  const failed = responses.filter((line) => !line.includes('"status":"SUCCESS"'));
  if (failed.length > 0) throw new Error(`A command of the README failed:\n${failed.join('\n')}`);
}

/** A program and all that it has said. */
class Terminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown[]>;
  #isOver = false;
  said = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit').finally(() => {
      this.#isOver = true;
    });
    const hear = (text: string) => {
      this.said += text;
    };
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', hear);
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  end(): void {
    this.#child.stdin?.end();
  }

  async says(pattern: RegExp): Promise<void> {
    const until = Date.now() + patienceMs;
    while (!pattern.test(this.said)) {
      if (this.#isOver || Date.now() > until) throw new Error(`Waited in vain for ${pattern}:\n${this.said}`);
      await pause(100);
    }
  }

  /** Ctrl-C: it must end in order. */
  async interrupt(): Promise<void> {
    this.#child.kill('SIGINT');
    const [code] = await this.#ended;
    if (code !== 0) throw new Error(`It ended with ${code}:\n${this.said}`);
  }

  kill(): void {
    if (!this.#isOver) this.#child.kill('SIGKILL');
  }
}
