import { nearestName } from '../config/nearest-name.ts';
import { runCommand, UsageError } from './command.ts';
import { credentialHelp } from './credentials.ts';
import type { Action } from './sandbox/action.ts';
import { dataPointActions } from './sandbox/data-point-actions.ts';
import { networkActions } from './sandbox/network-actions.ts';
import { pageActions } from './sandbox/page-actions.ts';

const { status, ...otherNetworkActions } = networkActions;

const actions: Readonly<Record<string, Action>> = {
  status,
  ...pageActions,
  ...dataPointActions,
  ...otherNetworkActions,
};

const list = Object.values(actions)
  .map(({ usage, summary }) => `  ${usage}\n      ${summary}\n`)
  .join('');

const help = `Usage: waypost sandbox ACTION [options]

Makes things happen in the sandbox network of directories, now. It speaks with the one that runs beside the Waypost of
the data folder, or with the one of WAYPOST_SANDBOX_URL and WAYPOST_SANDBOX_KEY.

${list}
A PAGE is its id on the directory, or instead of it:
  --location ID       the listing of a location of Waypost on that directory
  --listing ID        a listing of Waypost; the directory need not be named then
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
    throw new UsageError(`Say what to do: ${Object.keys(actions).join(', ')}.`);
  });
}
