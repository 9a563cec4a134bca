/** One thing that is wrong with a request: which field, by which rule, and what would be accepted. */
export interface FieldError {
  field: string;
  rule: string;
  message: string;
}

interface ProblemKind {
  httpCode: number;
  message: string;
  /** The status that clients see, where several problems share one. */
  status?: string;
  errorCode?: string;
}

const catalogue = {
  MISSING_PARAMETER: { httpCode: 400, message: 'A required field is missing.' },
  INVALID_PARAMETER: { httpCode: 400, message: 'A field has a value that is not accepted.' },
  WRONG_PARAMETER_TYPE: { httpCode: 400, message: 'A field has the wrong type.' },
  BAD_REQUEST: { httpCode: 400, message: 'The request cannot be read.' },
  USER_ERROR: { httpCode: 400, message: 'The request cannot be carried out as it is.' },
  NOT_AUTHORIZED: {
    httpCode: 401,
    message:
      'This call needs a key: send your private key in the header "privateKey", or the "accessToken" of a user who is logged in.',
  },
  BAD_PRIVATE_KEY: {
    httpCode: 401,
    message: 'The private key is not valid (any more). Check that it is complete and that it was not rotated.',
  },
  BAD_ACCESS_TOKEN: { httpCode: 401, message: 'The access token is not valid (any more). Log in again.' },
  BAD_PUBLIC_KEY: { httpCode: 401, message: 'The public key is not valid.' },
  FORBIDDEN: { httpCode: 403, message: 'You are not allowed to do this.' },
  NOT_FOUND: { httpCode: 404, message: 'There is nothing here.' },
  METHOD_NOT_ALLOWED: { httpCode: 405, message: 'This method is not available here.' },
  CONFLICT: { httpCode: 409, message: 'This contradicts what is already there.' },
  IDENTIFIER_NOT_UNIQUE: {
    httpCode: 409,
    status: 'CONFLICT',
    errorCode: 'IDENTIFIER_NOT_UNIQUE',
    message: 'This identifier is already in use. Choose another one.',
  },
  REPLY_NOT_SUPPORTED: {
    httpCode: 400,
    status: 'USER_ERROR',
    errorCode: 'REPLY_NOT_SUPPORTED',
    message: 'The directory takes no answer to this.',
  },
  REPLY_TOO_LONG: {
    httpCode: 400,
    status: 'INVALID_PARAMETER',
    errorCode: 'REPLY_TOO_LONG',
    message: 'The directory takes shorter answers only.',
  },
  TOO_MANY_REPLIES: {
    httpCode: 409,
    status: 'CONFLICT',
    errorCode: 'TOO_MANY_REPLIES',
    message: 'The directory takes no further answer to this.',
  },
  OVERLAPPING_SOCIALPOST: {
    httpCode: 409,
    status: 'CONFLICT',
    errorCode: 'OVERLAPPING_SOCIALPOST',
    message: 'The same post is there already for the same time and place.',
  },
  NO_PAGE_SELECTED: {
    httpCode: 400,
    status: 'USER_ERROR',
    errorCode: 'NO_PAGE_SELECTED',
    message: 'None of the locations has a page on these directories.',
  },
  NO_ACCOUNT_CONNECTED: {
    httpCode: 400,
    status: 'USER_ERROR',
    errorCode: 'NO_ACCOUNT_CONNECTED',
    message: 'No account is connected on these directories.',
  },
  INACTIVE: {
    httpCode: 409,
    status: 'CONFLICT',
    errorCode: 'INACTIVE',
    message: 'This is no longer active.',
  },
  NOT_SYNCABLE: {
    httpCode: 409,
    status: 'CONFLICT',
    errorCode: 'NOT_SYNCABLE',
    message: 'The location is incomplete for every directory of its plan.',
  },
  STORAGE_FULL: {
    httpCode: 400,
    status: 'USER_ERROR',
    errorCode: 'LIMIT_REACHED',
    message: 'The storage for digital assets is full. Delete assets that are not needed any more.',
  },
  EXPORT_TOO_LARGE: {
    httpCode: 400,
    status: 'USER_ERROR',
    errorCode: 'LIMIT_REACHED',
    message: 'The export would have more rows than are allowed. Choose fewer locations or days, or longer periods.',
  },
  CONTENT_REFUSED: {
    httpCode: 400,
    status: 'USER_ERROR',
    errorCode: 'CONTENT_REFUSED',
    message: 'The model refuses to write about this. Put the topic in other words, or choose another one.',
  },
  DIRECTORY_UNAVAILABLE: {
    httpCode: 503,
    status: 'SERVICE_UNAVAILABLE',
    errorCode: 'DIRECTORY_UNAVAILABLE',
    message: 'The directory cannot be reached. Wait as long as Retry-After says, and send the request again.',
  },
  MODEL_UNAVAILABLE: {
    httpCode: 500,
    status: 'SERVER_ERROR',
    errorCode: 'MODEL_UNAVAILABLE',
    message: 'The model server does not answer as it should. Try again later.',
  },
  RESOURCE_LOCKED: { httpCode: 423, message: 'This is locked by something that is under way. Try again later.' },
  QUOTA_LIMIT_EXCEED: { httpCode: 429, message: 'Too many requests. Wait as long as Retry-After says.' },
  SERVER_ERROR: { httpCode: 500, message: 'Something went wrong on our side. The request can be sent again.' },
  SERVICE_UNAVAILABLE: {
    httpCode: 503,
    message:
      'The database is not available at the moment. Wait as long as Retry-After says, and send the request again.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemName = keyof typeof catalogue;

export const problemKind = (name: ProblemName): ProblemKind & { status: string } => ({
  status: name,
  ...catalogue[name],
});

interface ProblemDetail {
  message?: string;
  errors?: readonly FieldError[];
  retryAfterSeconds?: number;
  headers?: Readonly<Record<string, string>>;
}

/** Thrown by rules and routes when a request cannot be answered as asked; becomes the error answer. */
/** A response names no more errors than this, however many a large body has. */
const mostErrors = 100;

export class Problem extends Error {
  readonly httpCode: number;
  readonly status: string;
  readonly errorCode: string | undefined;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(name: ProblemName, detail: ProblemDetail = {}) {
    const kind = problemKind(name);
    const errors = (detail.errors ?? []).slice(0, mostErrors);
    super(detail.message ?? (errors.map(({ message }) => message).join(' ') || kind.message));
    this.httpCode = kind.httpCode;
    this.status = kind.status;
    this.errorCode = kind.errorCode;
    this.errors = errors;
    this.headers =
      detail.retryAfterSeconds === undefined
        ? (detail.headers ?? {})
        : { ...detail.headers, 'retry-after': String(Math.ceil(detail.retryAfterSeconds)) };
  }
}

export const notFound = (what: string): Problem => new Problem('NOT_FOUND', { message: `There is no ${what}.` });

/** The most common one: a single field that is not accepted. */
export const invalidField = (field: string, rule: string, message: string): Problem =>
  new Problem('INVALID_PARAMETER', { errors: [{ field, rule, message }] });

/** A filter that names a record which does not exist, or not for the caller. */
export const filterNotFound = (field: string, what: string): Problem => {
  const message = `There is no ${what}.`;
  return new Problem('NOT_FOUND', { message, errors: [{ field, rule: 'exists', message }] });
};

/** A field of a change that names a record which does not exist, or not for the caller. */
export const unknownReference = (field: string, what: string): Problem =>
  invalidField(field, 'exists', `There is no ${what}. ${field} must name one that exists.`);
