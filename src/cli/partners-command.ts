import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { wholeNumber } from '../config/parse.ts';
import { lastCell, maxOverlapHours } from '../config/settings.ts';
import { type Config, ConfigurationProblem, readConfig } from '../config.ts';
import { DatabaseProblem } from '../database/faults.ts';
import { recordAudit } from '../http/audit-trail.ts';
import {
  createPartner,
  Email,
  findPartner,
  hashPassword,
  Identifier,
  insertAdmin,
  listAllPartners,
  listEmails,
  Name,
  partnersChannel,
  rotateKey,
  systemActor,
} from '../modules/accounts/index.ts';
import { Problem } from '../problems.ts';
import { openPlatform, type Platform } from '../service/open-platform.ts';
import { PartnerMove } from '../service/partner-move/move-partner.ts';
import { type RoutingEntry, reload, writeMaps } from '../service/partner-move/routing-maps.ts';
import {
  anyId,
  CommandError,
  commandOfActions,
  defineCommand,
  flag,
  type Given,
  readOption,
  required,
  table,
  UsageError,
  value,
} from './command.ts';
import { log } from './command-log.ts';

const help = `Usage: waypost partners create --identifier X --name Y [--parent ID] [--admin-email E]
       waypost partners list
       waypost partners rotate-key ID [--overlap-hours H]
       waypost partners emails
       waypost partners move ID --to CELL --settings FILE [--maps FOLDER] [--reload COMMAND] [--undo | --finish]

Uses the database directly (DATABASE_URL, or the embedded one in the data folder), so no key is needed.

  create        create a partner and print its private key, once
    --identifier X      unique identifier: letters, digits, dots, hyphens, underscores
    --name Y            display name
    --parent ID         create it as a child of this partner
    --admin-email E     also create an admin user and print the password, once
  list          list all partners, children below their parents
  rotate-key    create a new private key; the old one stays valid and signs events until the overlap ends
    --overlap-hours H   length of the overlap (default: WAYPOST_KEY_OVERLAP_HOURS); 0 revokes the old key immediately
  emails        print the hash of every user's e-mail address with WAYPOST_CELL, for the load balancer of several cells
  move          move a root partner with its child partners from this cell to another one. The same command resumes an
                interrupted move. Until --finish, requests that change the partner get 503 on this cell.
    --to CELL           the number of the other cell
    --settings FILE     environment file with the settings of the other cell, such as DATABASE_URL and WAYPOST_CELL
    --maps FOLDER       update the maps of the load balancer in this folder; without it, their lines are printed
    --reload COMMAND    run this command after the maps were updated
    --undo              before the rows are on the other cell: remove the freeze and the copied files
    --finish            after the load balancer uses the new maps: delete the partner on this cell

Examples:
  waypost partners create --identifier hansekontor --name "Hansekontor GmbH" --admin-email admin@hansekontor.example
  waypost partners rotate-key 7 --overlap-hours 48
  waypost partners move 7 --to 1 --settings /etc/waypost/cell-1.env --maps /etc/haproxy/waypost-cells \\
    --reload "systemctl reload haproxy"
  waypost partners move 7 --to 1 --settings /etc/waypost/cell-1.env --finish
`;

const createOptions = { identifier: value, name: value, parent: value, 'admin-email': value } as const;

const rotateOptions = { 'overlap-hours': value } as const;

const moveOptions = {
  to: value,
  settings: value,
  maps: value,
  reload: value,
  undo: flag,
  finish: flag,
} as const;

const line = { name: 'partners', help };

/** In the audit log. */
const subject = 'SALES_PARTNER';

export const partnersCommand = commandOfActions(line, {
  create: defineCommand({ ...line, options: createOptions }, create),
  list: defineCommand(line, list),
  'rotate-key': defineCommand({ ...line, options: rotateOptions, operands: 1 }, rotate),
  emails: defineCommand(line, emails),
  move: defineCommand({ ...line, options: moveOptions, operands: 1 }, move),
});

async function create(given: Given<typeof createOptions>['values']) {
  const identifier = checked('--identifier', Identifier, given.identifier);
  const name = checked('--name', Name, given.name);
  const parentId = readOption('--parent', given.parent, anyId);
  const email = given['admin-email'];
  if (email !== undefined && !Check(Email, email)) {
    throw new UsageError(`--admin-email is "${email}": set it to an e-mail address such as admin@example.com.`);
  }
  await onPlatform(async ({ database, sealer }) => {
    const admin = email === undefined ? undefined : await newAdmin(email);
    const { partner, privateKey } = await database.transaction(async (transaction) => {
      const parent = parentId === undefined ? undefined : await findPartner(transaction, parentId, parentId);
      if (parentId !== undefined && !parent) throw noPartner(parentId);
      const created = await createPartner(transaction, sealer, {
        identifier,
        name,
        ...(parentId !== undefined && { parentId }),
      });
      if (admin) await insertAdmin(transaction, { partnerId: created.partner.id, ...admin });
      const { id } = created.partner;
      await recordAudit(transaction, systemActor(parent ?? created.partner), 'CREATED', subject, id, { identifier });
      transaction.notifyAfterCommit(partnersChannel);
      return created;
    });
    print({
      id: String(partner.id),
      identifier: partner.identifier,
      privateKey,
      publicKey: partner.publicKey,
      ...(admin && { adminEmail: admin.email, adminPassword: admin.password }),
    });
    process.stderr.write('Store the private key and the password now: they cannot be shown again.\n');
  });
}

async function newAdmin(email: string) {
  const password = randomBytes(12).toString('base64url');
  return { email, password, passwordHash: await hashPassword(password) };
}

async function list(): Promise<void> {
  await onPlatform(async ({ database }) => {
    const partners = await listAllPartners(database.pool);
    if (partners.length === 0)
      process.stderr.write('There are no partners yet. Create one with "waypost partners create".\n');
    for (const { id, identifier, name, status, parentId } of partners) {
      const parent = parentId === null ? '' : ` (child of ${parentId})`;
      process.stdout.write(`${id}  ${identifier}  ${name}  ${status}${parent}\n`);
    }
  });
}

/** The map by which a load balancer routes sign-ins. The addresses themselves leave the database only as hashes. */
async function emails(): Promise<void> {
  await onPlatform(async ({ database }, { cell }) => {
    for (const email of await listEmails(database.pool)) {
      process.stdout.write(`${createHash('sha256').update(email).digest('hex')} ${cell}\n`);
    }
  });
}

/** The operand ID. */
const readId = (text: string | undefined): number =>
  readOption('ID', required(text, 'The partner id is missing. "waypost partners list" prints the ids.'), anyId);

async function rotate(given: Given<typeof rotateOptions>['values'], [text]: string[]): Promise<void> {
  const id = readId(text);
  const overlap = readOption('--overlap-hours', given['overlap-hours'], wholeNumber(0, maxOverlapHours));
  await onPlatform(async ({ database, sealer }, config) => {
    const { privateKey, overlapEnds } = await database.transaction(async (transaction) => {
      const partner = await findPartner(transaction, id, id);
      if (!partner) throw noPartner(id);
      const overlapHours = overlap ?? config.keyOverlapHours;
      const rotated = await rotateKey(transaction, sealer, id, overlapHours);
      await recordAudit(transaction, systemActor(partner), 'KEY_ROTATED', subject, id, { overlapHours });
      return rotated;
    });
    print({ privateKey, signsFrom: overlapEnds.toISOString() });
    process.stderr.write(
      `Store the key now: it cannot be shown again. The old key is valid until ${overlapEnds.toISOString()}.\n`,
    );
  });
}

async function move(given: Given<typeof moveOptions>['values'], [text]: string[]): Promise<void> {
  const id = readId(text);
  const to = required(given.to, '--to is missing.');
  const file = required(given.settings, '--settings is missing.');
  if (given.undo && given.finish) throw new UsageError('--undo and --finish cannot be used together.');
  if (given.reload !== undefined && given.maps === undefined) throw new UsageError('--reload needs --maps.');
  const cell = readOption('--to', to, wholeNumber(0, lastCell));
  await solvable(async () => {
    const here = readConfig(process.env);
    const there = await readSettings(file);
    if (there.cell !== cell) {
      throw new CommandError(
        `--to is ${cell}, and WAYPOST_CELL in ${file} is ${there.cell}. Use the file of cell ${cell}.`,
      );
    }
    if (here.cell === cell) throw new CommandError(`--to is ${cell}, which is this cell (WAYPOST_CELL).`);
    const report = (message: string) => process.stderr.write(`${message}\n`);
    const partnerMove = await PartnerMove.open(id, [here, there], log, report);
    try {
      if (given.undo) await partnerMove.undo();
      else if (given.finish) await partnerMove.finish();
      else await route(await partnerMove.run(), cell, given);
    } finally {
      await partnerMove.close();
    }
  });
}

async function readSettings(file: string): Promise<Config> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new CommandError(
      `${file} cannot be read (${error.code}). Set --settings to the environment file of the cell.`,
    );
  });
  return readConfig(parseEnv(text) as NodeJS.ProcessEnv);
}

async function route(
  entries: RoutingEntry[],
  cell: number,
  { maps, reload: command }: { maps?: string; reload?: string },
) {
  if (maps === undefined) for (const { map, key } of entries) process.stdout.write(`${map} ${key} ${cell}\n`);
  else await writeMaps(maps, entries, cell);
  if (command !== undefined) await reload(command);
}

async function onPlatform(work: (platform: Platform, config: Config) => Promise<void>): Promise<void> {
  await solvable(async () => {
    const config = readConfig(process.env);
    const platform = await openPlatform(config, log);
    await work(platform, config).finally(() => platform.close());
  });
}

/** Errors that the operator can solve are printed without a stack. */
async function solvable(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isSolvable = [ConfigurationProblem, DatabaseProblem, Problem].some((type) => error instanceof type);
    if (isSolvable) throw new CommandError((error as Error).message);
    throw error;
  }
}

function checked(option: string, schema: TSchema & { description?: string }, given: string | undefined): string {
  const text = required(given, `${option} is missing.`);
  if (!Check(schema, text)) throw new UsageError(`${option} is "${text}", which is invalid. ${schema.description}.`);
  return text;
}

const noPartner = (id: number) =>
  new CommandError(`There is no partner ${id}. "waypost partners list" prints all partners.`);

const print = (values: Record<string, string>) => process.stdout.write(table(Object.entries(values)));
