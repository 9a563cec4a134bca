import type { ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true; strict: true }>
>['values'];

/** An action of "waypost sandbox". */
export interface Action {
  usage: string;
  summary: string;
  options: ParseArgsOptionsConfig;
  operands: number;
  // Typed by `defineAction`.
  work(given: never, operands: string[]): Promise<void>;
}

export const defineAction = <const Options extends ParseArgsOptionsConfig>(action: {
  usage: string;
  summary: string;
  options: Options;
  operands: number;
  work(given: Values<Options>, operands: string[]): Promise<void>;
}): Action => action as Action;
