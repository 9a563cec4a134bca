import { randomBytes } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { Problem } from '../../../problems.ts';
import { GivenPassword } from './password.ts';
import { UserResponse } from './user.ts';

export const newAccessToken = (): string => randomBytes(32).toString('base64url');

export const LoginBody = Type.Object({
  email: Type.Optional(Type.String({ maxLength: 254 })),
  userId: Type.Optional(Id),
  password: Type.Optional(GivenPassword),
  privateKey: Type.Optional(
    Type.String({ maxLength: 512, writeOnly: true, description: "The key of the user's partner, here or as a header" }),
  ),
  session: Type.Optional(
    Type.Enum(['token', 'cookie'], {
      default: 'token',
      description: 'Where the session is kept: "cookie" is for the console, which gets no accessToken to look after',
    }),
  ),
});

export const LoginResponse = Type.Object({
  accessToken: Type.Optional(
    Type.String({
      description:
        'To be sent in the header accessToken, or as Authorization: Bearer; absent for a session in a cookie',
    }),
  ),
  access_token: Type.Optional(Type.String({ description: 'The same, for clients that look for it by this name' })),
  expires: Type.String({ description: 'When the session ends unless it is used before' }),
  user: UserResponse,
});

export type Login =
  | { with: 'password'; email: string; password: string }
  | { with: 'privateKey'; who: { email: string } | { userId: number }; privateKey: string };

/** A password decides where there is one: a client may send its key as a header with every request. */
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
        message: 'Log in with email and password, with email and privateKey, or with userId and privateKey.',
      },
    ],
  });
}
