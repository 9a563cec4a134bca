import { pino } from 'pino';
import { examine } from '../service/doctor/examine.ts';
import { flag, runCommand, table } from './command.ts';

const help = `Usage: waypost doctor [--json]

Checks the installation, the settings, the certificate, the disk, the file store, the mail server, the database and the
master key, and prints a line for each: OK, WARN or FAIL, with what to do. It changes no data: it writes and deletes one
small file. Without DATABASE_URL it starts the embedded server if it is not running.

  --json        print a list of {check, status, message}

Exit codes: 0 no check failed, 1 a check failed, 2 wrong usage.

Examples:
  waypost doctor
  waypost doctor --json
`;

export async function doctorCommand(args: string[]): Promise<number> {
  let hasFailed = false;
  const code = await runCommand({ name: 'doctor', help, options: { json: flag } }, args, async ({ json }) => {
    const findings = await examine(process.env, pino({ level: 'error' }, pino.destination(2)));
    hasFailed = findings.some(({ status }) => status === 'FAIL');
    process.stdout.write(
      json
        ? `${JSON.stringify(findings, null, 2)}\n`
        : table(findings.map(({ check, status, message }) => [status, check, message])),
    );
  });
  return hasFailed ? 1 : code;
}
