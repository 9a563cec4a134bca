import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import Type from 'typebox';

const shortest = 10;
const longest = 200;

/** Length is what makes a password hard to guess; the upper bound keeps one request from costing seconds. */
export const NewPassword = Type.String({
  minLength: shortest,
  maxLength: longest,
  writeOnly: true,
  description: `${shortest} to ${longest} characters`,
});

/** One that was given before; whether it fits shows when it is compared. */
export const GivenPassword = Type.String({ maxLength: longest, writeOnly: true });

// A keyboard may compose characters differently from the one that the password was set on.
const composed = (password: string) => password.normalize('NFKC');

export const hashPassword = (password: string): Promise<string> => hash(composed(password));

let decoy: Promise<string> | undefined;

/** Takes the same time without a hash, so that nobody learns from it whether there is such a user. */
export async function verifyPassword(password: string, passwordHash: string | null | undefined): Promise<boolean> {
  decoy ??= hashPassword(randomBytes(16).toString('base64url'));
  const isRight = await verify(passwordHash ?? (await decoy), composed(password));
  return isRight && typeof passwordHash === 'string';
}
