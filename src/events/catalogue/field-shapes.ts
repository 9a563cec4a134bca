import Type from 'typebox';

/** Fields that several event types share, each said once. */

const id = (description: string) => Type.Integer({ minimum: 1, description });

export const ids = (description: string, options: { minItems?: number } = {}) =>
  Type.Array(Type.Integer({ minimum: 1 }), { ...options, description });

export const person = (description: string) => Type.String({ minLength: 1, description });

export const business = id('Business that the event is about.');

export const location = id('Location that the event is about; read it to get its data as it is now.');

export const directoryType = Type.String({
  pattern: '^[A-Z][A-Z0-9_]*$',
  description: 'Directory by its upper-case name, such as GOOGLE or APPLE_MAPS.',
});

export const comment = Type.String({ description: 'What happened, in words for people.' });

export const changedBy = Type.String({
  pattern: '^(PRIVATE_TOKEN|SYSTEM|[^\\s@]+@[^\\s@]+)$',
  description:
    "Who made the change: the user's e-mail address, PRIVATE_TOKEN (made with a private key) or SYSTEM (the platform itself).",
});

export const listingReference = {
  business,
  listing: id('Listing that the event is about.'),
  location,
};

export const businessPageReference = {
  business,
  directoryType,
  directoryBusinessPage: id('Brand page, on that directory, that the datapoints belong to.'),
};
