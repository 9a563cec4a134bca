export type VerificationFailure =
  | 'body-unreadable'
  | 'body-signature-wrong'
  | 'header-missing'
  | 'header-signature-wrong'
  | 'timestamp-outside-tolerance';

/** The delivery is not authentic. Respond with 401 and do not process it. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly code: VerificationFailure;

  constructor(code: VerificationFailure, message: string) {
    super(message);
    this.code = code;
  }
}
