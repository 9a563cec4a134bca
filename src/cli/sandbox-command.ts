import { nearestName } from '../text.ts';
import { credentialHelp } from './api-client.ts';
import { runCommand, UsageError } from './command.ts';
import type { Action } from './sandbox/desk.ts';
import { networkActions } from './sandbox/network-actions.ts';
import { pageActions } from './sandbox/page-actions.ts';

const { status, ...otherNetworkActions } = networkActions;

const actions: Readonly<Record<string, Action>> = {
  status,
  ...pageActions,
  ...otherNetworkActions,
};

const list = Object.values(actions)
  .map(({ usage, summary }) => `  ${usage}\n      ${summary}\n`)
  .join('');

const help = `Usage: waypost sandbox ACTION [options]

Controls the sandbox directories. Uses the local sandbox of the data folder, or the one of WAYPOST_SANDBOX_URL and
WAYPOST_SANDBOX_KEY.

${list}
PAGE is the id of a page on the directory. Alternatives:
  --location ID       the listing of a Waypost location on that directory
  --listing ID        a Waypost listing; DIRECTORY is not needed
${credentialHelp}
Examples:
  waypost sandbox review google --location 12 --rating 2 --text "Waited an hour."
  waypost sandbox drift yelp --location 12 --field phone
  waypost sandbox down facebook --for 1m
  waypost sandbox life on
`;

export async function sandboxCommand(args: string[]): Promise<number> {
  const [name = '', ...rest] = args;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action) {
    const { options, operands, work } = action;
    return runCommand({ name: 'sandbox', help, options, operands }, rest, (given, positionals) =>
      work(given as never, positionals),
    );
  }
  return runCommand({ name: 'sandbox', help, options: {}, operands: Number.POSITIVE_INFINITY }, args, async () => {
    const nearest = nearestName(name, Object.keys(actions));
    if (nearest && name !== '') throw new UsageError(`There is no action ${name}. Did you mean ${nearest}?`);
    throw new UsageError(`The action is missing or unknown. Actions: ${Object.keys(actions).join(', ')}.`);
  });
}
