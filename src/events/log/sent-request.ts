import Type from 'typebox';

const SigningKey = Type.Object({
  signature: Type.Enum(['BODY', 'V1', 'V1A'], {
    description:
      'BODY: in the body, with a private key. V1, V1A: in webhook-signature, with a secret or an Ed25519 key',
  }),
  keyId: Type.String({ description: 'Id of the private key, fingerprint of the secret, or kid of the public key' }),
  isValid: Type.Boolean({ description: 'False if the key or secret has expired since' }),
});

/** The request of an attempt. Its body is `{"event":…,"signature":"…"}` with the text of the event and `signature`. */
export const SentRequest = Type.Object(
  {
    method: Type.String({ description: 'POST, or PUBLISH for a queue' }),
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: 'All headers in the order of the message. Values of custom headers and access tokens are masked',
    }),
    signature: Type.String({ description: 'The signature in the body' }),
    keys: Type.Array(SigningKey, { description: 'The keys that signed' }),
  },
  { description: 'The request as sent to url; absent if no request was sent, and for attempts of earlier releases' },
);
