import Type from 'typebox';

/** A number that identifies a record. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export const idParams = Type.Object({ id: Id });
