import { expect, test } from 'vitest';
import { runCli, startCli } from '../../test/support/cli.ts';
import { version } from '../config.ts';
import { commands } from './commands.ts';

test('"waypost help" has a line for every command', async () => {
  const { code, stdout } = await startCli(['help']).ended;
  expect(code).toBe(0);
  for (const [name, { summary }] of Object.entries(commands))
    expect(stdout).toMatch(new RegExp(`^  ${name} +${summary}$`, 'm'));
});

test('"waypost --version" prints the version of package.json', async () => {
  expect(await startCli(['--version']).ended).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each(Object.keys(commands))('"waypost %s --help" shows its options and examples', async (name) => {
  for (const asked of ['--help', '-h']) {
    const { code, stdout, stderr } = await runCli([name, asked]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: waypost ${name}\\b`));
    expect(stdout).toMatch(new RegExp(`^Examples?:\n(.*\n)*  .*waypost ${name}`, 'm'));
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  }
});

test.each(Object.keys(commands))('"waypost %s --nonsense" is refused', async (name) => {
  const { code, stdout, stderr } = await runCli([name, '--nonsense']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('--nonsense');
});
