import Type, { type Static } from 'typebox';

/** Metadata of a private key, without the key itself. */
export interface ValidKey {
  id: number;
  dateCreated: Date;
  /** Null for the current key. */
  expiresAt: Date | null;
}

export const KeyResponse = Type.Object({
  id: Type.Integer(),
  dateCreated: Type.String({ examples: ['2026-11-15T08:30:00.000Z'] }),
  expires: Type.Optional(Type.String({ description: 'When a replaced key expires' })),
  signs: Type.Boolean({ description: 'Whether deliveries are currently signed with this key' }),
  signsFrom: Type.Optional(Type.String({ description: 'When deliveries start to be signed with a new key' })),
  signsUntil: Type.Optional(Type.String({ description: 'When deliveries stop being signed with a replaced key' })),
});

/** `keys` are sorted newest first. During an overlap the old key signs, so that receivers have time to switch. */
export function keyResponses(keys: readonly ValidKey[]): Static<typeof KeyResponse>[] {
  const signing = keys.findLast(({ expiresAt }) => expiresAt !== null) ?? keys[0];
  return keys.map((key) => ({
    id: key.id,
    dateCreated: key.dateCreated.toISOString(),
    ...(key.expiresAt && { expires: key.expiresAt.toISOString() }),
    signs: key === signing,
    ...(key === signing && key.expiresAt && { signsUntil: key.expiresAt.toISOString() }),
    ...(key !== signing &&
      key.expiresAt === null &&
      signing?.expiresAt && { signsFrom: signing.expiresAt.toISOString() }),
  }));
}
