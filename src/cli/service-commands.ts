import { checkDemoHost, checkServing, readConfig } from '../config.ts';
import type { Roles } from '../service/service.ts';
import { defineCommand } from './command.ts';

const startHelp = `Usage: waypost start

Runs the whole platform in this process: API, console, deliveries and jobs. Ctrl-C stops it.

Examples:
  waypost start
  PORT=9000 WAYPOST_DATA_DIR=/srv/waypost waypost start
`;

const serveHelp = `Usage: waypost serve

Runs the API and the console only. "waypost work" on the same database sends deliveries and runs jobs.

Example:
  DATABASE_URL=postgres://… waypost serve
`;

const workHelp = `Usage: waypost work

Runs a worker only: deliveries and jobs. Several can share a database.

Example:
  DATABASE_URL=postgres://… waypost work
`;

const settingsHelp = `
Settings are environment variables; "waypost config" prints all of them.
`;

export const startCommand = serviceCommand('start', { serve: true, work: true }, startHelp);
export const serveCommand = serviceCommand('serve', { serve: true, work: false }, serveHelp);
export const workCommand = serviceCommand('work', { serve: false, work: true }, workHelp);

function serviceCommand(name: string, roles: Roles, help: string) {
  return defineCommand({ name, help: help + settingsHelp }, () => run(roles));
}

/** Checks the settings first: loading the service takes a second. */
async function run(roles: Roles): Promise<void> {
  const config = readConfig(process.env);
  if (roles.serve) checkServing(config);
  if (roles.serve) checkDemoHost(config, process.env);
  const { runAs } = await import('../service/run.ts');
  await runAs(roles, config);
}
