import { maxKeys } from '../config/parse.ts';
import { type Config, readConfig } from '../config.ts';
import { requireMigrated } from '../database/schema-state.ts';
import type { Transaction } from '../database/transaction.ts';
import { MasterKey, type Sealer } from '../events/signing/sealer.ts';
import {
  forgetKeys,
  type KeyUse,
  lockRegistry,
  readKeyUses,
  readRegistry,
  sealerOf,
  setCurrentKey,
} from '../service/master-keys/key-registry.ts';
import { areStored, findMasterKeys, newKey, replaceStoredKeys } from '../service/master-keys/key-source.ts';
import { type ResealResult, reseal } from '../service/master-keys/reseal.ts';
import { onDatabase } from '../service/open-database.ts';
import { openPlatform } from '../service/open-platform.ts';
import { CommandError, commandOfActions, defineCommand, flag, required, table } from './command.ts';
import { log } from './command-log.ts';

const help = `Usage: waypost keys status [--json]
       waypost keys rotate
       waypost keys reseal
       waypost keys remove FINGERPRINT

Shows and rotates the master keys, which encrypt the keys and secrets in the database. The first key of
WAYPOST_MASTER_KEY, of the output of WAYPOST_MASTER_KEY_COMMAND or of master.key in the data folder is the current one;
the others only decrypt. Keys are named by their fingerprints and never printed.

  status        list the keys, and how many values are encrypted with each
    --json            print a list of {fingerprint, state, values, processes}
  rotate        write a new current key to master.key and keep the former ones; restart Waypost afterwards
  reseal        encrypt all values again with the current key now, instead of in the background. Safe while Waypost is
                running; after an interruption, run it again
  remove        remove a former key, which no value uses any more, from master.key

With WAYPOST_MASTER_KEY or WAYPOST_MASTER_KEY_COMMAND, rotate in these steps, each on all machines:
  1. add the new key after the current one and restart
  2. put the new key first and restart; the background job encrypts all values again
  3. when "waypost keys status" shows the former key as unused, remove it and restart

Exit codes: 0 success, 1 a key is missing or the command failed, 2 wrong usage.

Examples:
  waypost keys status
  waypost keys rotate
`;

const line = { name: 'keys', help };

export const keysCommand = commandOfActions(line, {
  status: defineCommand({ ...line, options: { json: flag } }, status),
  rotate: defineCommand(line, rotate),
  reseal: defineCommand(line, resealAll),
  remove: defineCommand({ ...line, operands: 1 }, remove),
});

async function status({ json }: { json?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  const keys = await requireKeys(config);
  const { uses, sealer, current } = await onDatabase(config, log, async ({ database }) => {
    await requireMigrated(database.pool, log);
    const registry = await readRegistry(database.pool);
    const opened = sealerOf(keys, registry.unmarked);
    return { uses: await readKeyUses(database.pool, opened), sealer: opened, current: registry.current };
  });
  const rows = uses.map((use) => ({
    fingerprint: use.fingerprint,
    state: stateOf(use, sealer, current),
    values: use.values,
    processes: use.processes,
  }));
  const lines = rows.map((row) => Object.values(row).map(String));
  const heading = ['fingerprint', 'state', 'values', 'processes'];
  process.stdout.write(json ? `${JSON.stringify(rows, null, 2)}\n` : table([heading, ...lines]));
  const missing = rows.filter(({ state }) => state === 'missing').map(({ fingerprint }) => fingerprint);
  if (missing.length > 0)
    throw new CommandError(`Keys are missing: ${missing.join(', ')}. Add them after the current key.`);
}

/** `current` is the key that the running processes of the installation use. */
function stateOf({ fingerprint, isKnown, values, processes }: KeyUse, sealer: Sealer, current: string | undefined) {
  if (!isKnown) return values > 0 || fingerprint === current ? 'missing' : 'removed';
  if (fingerprint === sealer.current.fingerprint) return 'current';
  if (fingerprint === current) return 'current in the database';
  return values > 0 || processes > 0 ? 'former' : 'unused';
}

async function rotate(): Promise<void> {
  await changeStoredKeys(async (_, keys) => {
    if (keys.length >= maxKeys) {
      throw new CommandError(
        `master.key has ${keys.length} keys, the maximum. Remove an unused one with "waypost keys remove FINGERPRINT"; ` +
          '"waypost keys status" lists all keys.',
      );
    }
    const key = newKey();
    return { keys: [key, ...keys], message: `The new master key is ${fingerprintOf(key)}. Restart Waypost to use it.` };
  });
}

async function remove(_: object, [operand]: string[]): Promise<void> {
  const fingerprint = required(operand, 'The fingerprint is missing. "waypost keys status" prints all fingerprints.');
  await changeStoredKeys(async (transaction, keys) => {
    const position = keys.findIndex((key) => fingerprintOf(key) === fingerprint);
    if (position < 0) throw new CommandError(`master.key has no key with the fingerprint ${fingerprint}.`);
    if (position === 0) throw new CommandError(`${fingerprint} is the current key. Rotate it first.`);
    await requireMigrated(transaction, log);
    const { unmarked, current } = await readRegistry(transaction);
    const uses = await readKeyUses(transaction, sealerOf(keys, unmarked));
    const { values = 0, processes = 0 } = uses.find((use) => use.fingerprint === fingerprint) ?? {};
    if (values > 0 || processes > 0 || fingerprint === current) {
      throw new CommandError(
        `${fingerprint} is in use: ${values} values are encrypted with it, and ${processes} running processes use it. ` +
          'Restart Waypost, and run "waypost keys reseal" first.',
      );
    }
    await forgetKeys(transaction, [fingerprint]);
    return { keys: keys.toSpliced(position, 1), message: `The master key ${fingerprint} is removed.` };
  });
}

/** Changes master.key while no other process changes it or registers its keys. */
async function changeStoredKeys(
  change: (transaction: Transaction, keys: readonly Buffer[]) => Promise<{ keys: readonly Buffer[]; message: string }>,
): Promise<void> {
  const config = readConfig(process.env);
  if (!areStored(config)) {
    throw new CommandError(
      'The master key is not in master.key, but configured. Change WAYPOST_MASTER_KEY or the output of ' +
        'WAYPOST_MASTER_KEY_COMMAND; "waypost keys --help" lists the steps.',
    );
  }
  const message = await onDatabase(config, log, ({ database }) =>
    database.transaction(async (transaction) => {
      await lockRegistry(transaction);
      const changed = await change(transaction, await requireKeys(config));
      await replaceStoredKeys(config.dataDir, changed.keys);
      return changed.message;
    }),
  );
  process.stdout.write(`${message}\n`);
}

async function resealAll(): Promise<void> {
  const { database, sealer, close } = await openPlatform(readConfig(process.env), log);
  try {
    await database.transaction(async (transaction) => {
      await lockRegistry(transaction);
      await setCurrentKey(transaction, sealer.current.fingerprint);
    });
    let total = 0;
    let shownAt = 0;
    let result: ResealResult;
    do {
      const before = total;
      result = await reseal(database.pool, sealer, {
        onProgress: (resealed) => {
          if (Date.now() - shownAt < 1000) return;
          shownAt = Date.now();
          process.stderr.write(`${before + resealed} values encrypted again\n`);
        },
      });
      total += result.resealed;
    } while (result.changed > 0);
    process.stdout.write(`${total} values were encrypted again with ${sealer.current.fingerprint}.\n`);
    const { damaged = 0, ...missing } = result.failed;
    const problems = Object.entries(missing).map(([key, values]) => `${values} need the missing key ${key}`);
    if (damaged > 0) problems.push(`${damaged} are damaged`);
    if (problems.length > 0) throw new CommandError(`Some values cannot be decrypted: ${problems.join(', ')}.`);
  } finally {
    await close();
  }
}

async function requireKeys(config: Config): Promise<readonly Buffer[]> {
  const keys = await findMasterKeys(config);
  if (!keys) throw new CommandError('There is no master key yet. Start Waypost, or set WAYPOST_MASTER_KEY.');
  return keys;
}

const fingerprintOf = (key: Buffer) => new MasterKey(key).fingerprint;
