import Type, { type Static } from 'typebox';

/** A private key, without the key. */
export interface ValidKey {
  id: number;
  dateCreated: Date;
  /** Null for the one that stays. */
  expiresAt: Date | null;
}

export const KeyResponse = Type.Object({
  id: Type.Integer(),
  dateCreated: Type.String({ examples: ['2026-11-15T08:30:00.000Z'] }),
  expires: Type.Optional(Type.String({ description: 'Until when a key that was replaced is still good' })),
  signs: Type.Boolean({ description: 'Whether deliveries are signed with it now' }),
  signsFrom: Type.Optional(Type.String({ description: 'From when on a key that does not sign yet will' })),
  signsUntil: Type.Optional(Type.String({ description: 'Until when the key that signs will, if another follows it' })),
});

/** The keys of a partner, the newest first: during an overlap the one that goes signs, so that receivers have time. */
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
