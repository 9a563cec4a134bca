import { credentialHelp } from './api-client.ts';
import { commandOfActions, defineCommand } from './command.ts';
import { listingActions } from './sandbox/listing-actions.ts';
import { networkActions } from './sandbox/network-actions.ts';
import type { Action } from './sandbox/sandbox-client.ts';

const { status, ...otherNetworkActions } = networkActions;

const actions: Readonly<Record<string, Action>> = {
  status,
  ...listingActions,
  ...otherNetworkActions,
};

const list = Object.values(actions)
  .map(({ usage, summary }) => `  ${usage}\n      ${summary}\n`)
  .join('');

const help = `Usage: waypost sandbox ACTION [options]

Controls the sandbox directories. Uses the sandbox of WAYPOST_SANDBOX_URL and WAYPOST_SANDBOX_KEY; default: the local
sandbox of the data folder.

${list}
LISTING is the ID of a listing on the directory. Alternatives:
  --location ID       the listing of a Waypost location on that directory
  --listing ID        a Waypost listing; DIRECTORY is not needed
${credentialHelp}
Examples:
  waypost sandbox review google --location 12 --rating 2 --text "Waited an hour."
  waypost sandbox drift yelp --location 12 --field phone
  waypost sandbox down facebook --for 1m
  waypost sandbox life on
`;

const commandLine = { name: 'sandbox', help };

const runs = Object.entries(actions).map(([name, action]) => [
  name,
  defineCommand({ ...commandLine, ...action }, (given, operands) => action.run(given as never, operands)),
]);

export const sandboxCommand = commandOfActions(commandLine, Object.fromEntries(runs));
