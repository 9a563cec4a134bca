import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import Type from 'typebox';

const minLength = 10;
/** Bounds the time that hashing takes. */
const maxLength = 200;

export const NewPassword = Type.String({
  minLength,
  maxLength,
  writeOnly: true,
  description: `${minLength} to ${maxLength} characters`,
});

export const ExistingPassword = Type.String({ maxLength, writeOnly: true });

// Keyboards compose the same character differently.
const normalize = (password: string) => password.normalize('NFKC');

export const hashPassword = (password: string): Promise<string> => hash(normalize(password));

let dummyHash: Promise<string> | undefined;

/** Takes the same time without a hash: response times must not reveal whether a user exists. */
export async function verifyPassword(password: string, passwordHash: string | null | undefined): Promise<boolean> {
  dummyHash ??= hashPassword(randomBytes(16).toString('base64url'));
  const matches = await verify(passwordHash ?? (await dummyHash), normalize(password));
  return matches && typeof passwordHash === 'string';
}
