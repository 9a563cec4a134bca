import { duration } from '../config/parse.ts';
import { settings } from '../config/settings.ts';
import { effectiveText } from '../config.ts';
import { type EventTypeName, eventTypeNames } from '../events/catalogue/catalogue.ts';
import { ApiClient, type Credentials, credentialHelp, credentialOptions, findCredentials } from './api-client.ts';
import { anyId, CommandError, defineCommand, readOption, required, value } from './command.ts';
import { chooseEventType } from './emit-command.ts';
import { businessTriggers } from './trigger/business-triggers.ts';
import { feedbackTriggers } from './trigger/feedback-triggers.ts';
import { locationTriggers } from './trigger/location-triggers.ts';
import { type Trigger, TriggerRun, timeoutOf } from './trigger/trigger.ts';

const triggers: Readonly<Record<EventTypeName, Trigger>> = {
  ...feedbackTriggers,
  ...locationTriggers,
  ...businessTriggers,
};

const list = eventTypeNames.map((type) => `  ${type}\n      ${triggers[type].change}\n`).join('');

const help = `Usage: waypost trigger TYPE [options]

Makes a real change through the API and on the sandbox directories, waits until the event of this type is recorded and
prints its id and type. Then it undoes the change where possible and prints what it did; undoing can cause more events.
Works only with a server in demo mode, or with the sandbox of WAYPOST_SANDBOX_URL and WAYPOST_SANDBOX_KEY, because it
changes data. "waypost emit" records an example event without any change.

${list}
  --location ID       location to change (default: one that is suitable)
  --timeout TIME      how long to wait, such as 2m (default: 1m; 40m for DIRECTORY_BUSINESS_PAGE_DATA_POINT_INVALID)
${credentialHelp}
Examples:
  waypost trigger LOCATION_STATUS_CHANGED
  waypost trigger listing-datapoint-check --location 12
`;

const options = { location: value, timeout: value, ...credentialOptions } as const;

export const triggerCommand = defineCommand({ name: 'trigger', help, options, operands: 1 }, async (given, [typed]) => {
  const type = chooseEventType(required(typed, 'The event type is missing. "waypost trigger --help" lists the types.'));
  const locationId = readOption('--location', given.location, anyId);
  const timeoutMs = readOption('--timeout', given.timeout, duration('ms', '1s', '1d')) ?? timeoutOf(triggers[type]);
  const credentials = findCredentials(given, process.env);
  await trigger(new ApiClient(credentials), credentials, { type, locationId, timeoutMs });
});

async function trigger(
  api: ApiClient,
  { url }: Credentials,
  wanted: { type: EventTypeName; locationId: number | undefined; timeoutMs: number },
): Promise<void> {
  await requireDemo(api, url);
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  // A second signal exits immediately.
  for (const signal of signals) process.once(signal, stop);
  const run = new TriggerRun({ api, ...wanted, stopped: stopped.signal });
  try {
    const { id } = await triggers[wanted.type].run(run);
    process.stdout.write(`${id} ${wanted.type}\n`);
  } finally {
    await run.restore();
    for (const signal of signals) process.removeListener(signal, stop);
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The data of a production server must not change: the server is in demo mode, or a sandbox is set explicitly. */
async function requireDemo(api: ApiClient, url: string): Promise<void> {
  const { sandboxUrl, sandboxKey } = settings;
  if (process.env[sandboxUrl.variable] && effectiveText(sandboxKey, process.env)) return;
  if (await api.find('/api/demo-data')) return;
  throw new CommandError(
    `${url} is not in demo mode, and this command changes data. If the server uses a sandbox, set ` +
      `${sandboxUrl.variable} and ${sandboxKey.variable}. "waypost emit" records an example event instead.`,
  );
}
