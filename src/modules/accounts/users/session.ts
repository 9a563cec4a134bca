import { randomBytes } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { Problem } from '../../../problems.ts';
import { ExistingPassword } from './password.ts';
import { UserResponse } from './user.ts';

export const newAccessToken = (): string => randomBytes(32).toString('base64url');

export const LoginBody = Type.Object({
  email: Type.Optional(Type.String({ maxLength: 254 })),
  userId: Type.Optional(Id),
  password: Type.Optional(ExistingPassword),
  privateKey: Type.Optional(
    Type.String({
      maxLength: 512,
      writeOnly: true,
      description: "Private key of the user's partner, here or in the header",
    }),
  ),
  session: Type.Optional(
    Type.Enum(['token', 'cookie'], {
      default: 'token',
      description: '"token" returns an accessToken; "cookie" sets a session cookie instead, for the console',
    }),
  ),
});

export const LoginResponse = Type.Object({
  accessToken: Type.Optional(
    Type.String({
      description: 'Send it in the header accessToken or as Authorization: Bearer. Absent with session "cookie".',
    }),
  ),
  access_token: Type.Optional(Type.String({ description: 'Same value as accessToken' })),
  expires: Type.String({ description: 'When the session expires. Requests extend it.' }),
  user: UserResponse,
});

export type Login =
  | { with: 'password'; email: string; password: string }
  | { with: 'privateKey'; who: { email: string } | { userId: number }; privateKey: string };

/** A password takes precedence: clients may send their private key in the header of every request. */
export function readLogin(body: Static<typeof LoginBody>, headerKey: string | undefined): Login {
  const { email, userId, password, privateKey = headerKey } = body;
  if (email !== undefined && password !== undefined) return { with: 'password', email: email.trim(), password };
  if (privateKey !== undefined && email !== undefined) {
    return { with: 'privateKey', who: { email: email.trim() }, privateKey };
  }
  if (privateKey !== undefined && userId !== undefined) return { with: 'privateKey', who: { userId }, privateKey };
  const field = email === undefined && userId === undefined ? 'email' : 'password';
  throw new Problem('MISSING_PARAMETER', {
    errors: [
      {
        field,
        rule: 'required',
        message: `${field} is required. Sign in with email and password, email and privateKey, or userId and privateKey.`,
      },
    ],
  });
}
