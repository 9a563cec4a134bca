import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A benchmark process that handles one request at a time. */
export class Child<Request> {
  readonly process: ChildProcess;
  readonly #file: string;

  constructor(file: string, args: string[] = [], execArgv: string[] = []) {
    this.#file = file;
    this.process = fork(fileURLToPath(new URL(file, import.meta.url)), args, { stdio: 'inherit', execArgv });
  }

  next<Response>(): Promise<Response> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null, signal: NodeJS.Signals | null) =>
        reject(new Error(`${this.#file} ended with ${signal ?? `exit code ${code}`}.`));
      this.process.once('exit', ended);
      this.process.once('message', (message: { failed?: string }) => {
        this.process.off('exit', ended);
        if (message.failed) reject(new Error(message.failed));
        else resolve(message as Response);
      });
    });
  }

  ask<Response>(request: Request): Promise<Response> {
    const response = this.next<Response>();
    this.process.send(request as object);
    return response;
  }

  end(): void {
    if (this.process.connected) this.process.disconnect();
  }
}
