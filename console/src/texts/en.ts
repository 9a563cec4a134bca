import { api } from './en/api.ts';
import { audit } from './en/audit.ts';
import { parts } from './en/parts.ts';
import { sandbox } from './en/sandbox.ts';
import { shell } from './en/shell.ts';
import { users } from './en/users.ts';

/** Every text that people see, by area: one file for each in texts/en/, one line for each here. */
export const en = {
  ...shell,
  api,
  audit,
  parts,
  sandbox,
  users,
} as const;
