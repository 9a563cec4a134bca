import type { Config } from '../../config.ts';
import type { Directories } from './directories.ts';

/** The directories of this installation. */
export function openDirectories(_config: Config): Directories {
  return {
    list: [],
    connector: (type) => {
      throw new Error(`There is no directory ${type}.`);
    },
  };
}
