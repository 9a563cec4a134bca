import Type from 'typebox';

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

export const idParams = Type.Object({ id: Id });
