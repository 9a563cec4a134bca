/** An error of one field of a request: the field, the rule and the accepted values. */
export interface FieldError {
  field: string;
  rule: string;
  message: string;
}

/** `problem` follows the name of the field, such as "must be a date". */
export const fieldError = (field: string, rule: string, problem: string): FieldError => ({
  field,
  rule,
  message: `${field} ${problem}.`,
});

/** Names and paths in a text, such as `zip` or `openingHours[0].from1`. */
const fieldPaths = /\w+(?:\[\d+\]|\.\w+)*/g;

/** Renames the field of an error, also in its message, which must not contain the name as an ordinary word. */
export const renameField = (error: FieldError, field: string): FieldError => ({
  ...error,
  field,
  message: error.message.replace(fieldPaths, (path) => (path === error.field ? field : path)),
});

/** The problems of every API, by the `status` of the response. */
const statuses = {
  MISSING_PARAMETER: { httpCode: 400, message: 'A required field is missing.' },
  INVALID_PARAMETER: { httpCode: 400, message: 'A field has a value that is not accepted.' },
  WRONG_PARAMETER_TYPE: { httpCode: 400, message: 'A field has the wrong type.' },
  BAD_REQUEST: { httpCode: 400, message: 'The request cannot be read.' },
  USER_ERROR: { httpCode: 400, message: 'The request cannot be processed. Correct it and send it again.' },
  NOT_AUTHORIZED: {
    httpCode: 401,
    message:
      'Authentication is required. Send your private key in the header "privateKey", or the "accessToken" of a signed-in user.',
  },
  BAD_PRIVATE_KEY: {
    httpCode: 401,
    message: 'The private key is invalid or expired. Check that it is complete and was not rotated.',
  },
  BAD_ACCESS_TOKEN: { httpCode: 401, message: 'The access token is invalid or expired. Sign in again.' },
  BAD_PUBLIC_KEY: { httpCode: 401, message: 'The public key is not valid.' },
  FORBIDDEN: { httpCode: 403, message: 'You are not allowed to do this.' },
  NOT_FOUND: { httpCode: 404, message: 'Not found.' },
  METHOD_NOT_ALLOWED: { httpCode: 405, message: 'This method is not allowed for this path.' },
  CONFLICT: { httpCode: 409, message: 'The request conflicts with existing data.' },
  RESOURCE_LOCKED: { httpCode: 423, message: 'The record is locked by an operation in progress. Try again later.' },
  QUOTA_LIMIT_EXCEED: {
    httpCode: 429,
    message: 'Too many requests. Retry after the number of seconds in Retry-After.',
  },
  SERVER_ERROR: { httpCode: 500, message: 'Internal server error. The request can be retried.' },
  SERVICE_UNAVAILABLE: {
    httpCode: 503,
    message: 'The database is unavailable. Retry after the number of seconds in Retry-After.',
  },
} satisfies Record<string, { httpCode: number; message: string }>;

/** Special cases of a status. The `errorCode` of the response defaults to the name of the case. */
const specialCases = {
  IDENTIFIER_NOT_UNIQUE: { status: 'CONFLICT', message: 'This identifier is already in use. Choose another one.' },
  REPLY_NOT_SUPPORTED: { status: 'USER_ERROR', message: 'Replies are not supported for this type of datapoint.' },
  REPLY_TOO_LONG: {
    status: 'INVALID_PARAMETER',
    message: 'The reply exceeds the maximum length of the directory. Shorten it.',
  },
  TOO_MANY_REPLIES: { status: 'CONFLICT', message: 'The maximum number of replies to this datapoint is reached.' },
  OVERLAPPING_SOCIALPOST: {
    status: 'CONFLICT',
    message: 'The same post already exists for this time and location.',
  },
  NO_PAGE_SELECTED: { status: 'USER_ERROR', message: 'None of the locations has a listing on these directories.' },
  NO_ACCOUNT_CONNECTED: { status: 'USER_ERROR', message: 'No account is connected on these directories.' },
  INACTIVE: { status: 'CONFLICT', message: 'The record is inactive.' },
  NOT_SYNCABLE: { status: 'CONFLICT', message: 'The location is incomplete for every directory of its plan.' },
  STORAGE_FULL: {
    status: 'USER_ERROR',
    errorCode: 'LIMIT_REACHED',
    message: 'The storage for digital assets is full. Delete assets that you no longer need.',
  },
  EXPORT_TOO_LARGE: {
    status: 'USER_ERROR',
    errorCode: 'LIMIT_REACHED',
    message: 'The export exceeds the maximum number of rows. Select fewer locations or days, or longer periods.',
  },
  CONTENT_REFUSED: {
    status: 'USER_ERROR',
    message: 'The model refuses to write about this topic. Rephrase it, or choose another topic.',
  },
  DIRECTORY_UNAVAILABLE: {
    status: 'SERVICE_UNAVAILABLE',
    message: 'The directory is unavailable. Retry after the number of seconds in Retry-After.',
  },
  MODEL_UNAVAILABLE: {
    status: 'SERVER_ERROR',
    message: 'The model server is unavailable or returned an invalid response. Try again later.',
  },
} satisfies Record<string, { status: keyof typeof statuses; message: string; errorCode?: string }>;

export type ProblemName = keyof typeof statuses | keyof typeof specialCases;

interface ProblemKind {
  status: string;
  httpCode: number;
  message: string;
  errorCode?: string;
}

export function problemKind(name: ProblemName): ProblemKind {
  if (name in statuses) return { status: name, ...statuses[name as keyof typeof statuses] };
  const special = specialCases[name as keyof typeof specialCases];
  return { errorCode: name, httpCode: statuses[special.status].httpCode, ...special };
}

interface ProblemDetail {
  message?: string;
  errors?: readonly FieldError[];
  /** Machine-readable data about the problem. */
  details?: object;
  retryAfterSeconds?: number;
  headers?: Readonly<Record<string, string>>;
}

/** Limits the size of the response to a large invalid body. */
const maxErrors = 100;

/** Thrown by rules and routes; sent as an error response. */
export class Problem extends Error {
  readonly httpCode: number;
  readonly status: string;
  readonly errorCode: string | undefined;
  readonly errors: readonly FieldError[];
  readonly details: object | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(name: ProblemName, detail: ProblemDetail = {}) {
    const kind = problemKind(name);
    const errors = (detail.errors ?? []).slice(0, maxErrors);
    super(detail.message ?? (errors.map(({ message }) => message).join(' ') || kind.message));
    this.httpCode = kind.httpCode;
    this.status = kind.status;
    this.errorCode = kind.errorCode;
    this.errors = errors;
    this.details = detail.details;
    this.headers =
      detail.retryAfterSeconds === undefined
        ? (detail.headers ?? {})
        : { ...detail.headers, 'retry-after': String(Math.ceil(detail.retryAfterSeconds)) };
  }
}

/** `record` names the missing record, such as "location 7". */
export const notFound = (record: string): Problem => new Problem('NOT_FOUND', { message: `There is no ${record}.` });

/** Returns the value, or throws NOT_FOUND for the record. */
export function requireFound<T>(value: T | undefined, record: string): T {
  if (value === undefined) throw notFound(record);
  return value;
}

/** A problem with one invalid field. */
export const invalidField = (field: string, rule: string, message: string): Problem =>
  new Problem('INVALID_PARAMETER', { errors: [{ field, rule, message }] });

/** A problem with one missing field. */
export const missingField = (field: string, message: string): Problem =>
  new Problem('MISSING_PARAMETER', { errors: [{ field, rule: 'required', message }] });

/** Throws unless exactly one of the fields is set. */
export function requireOneOf(fields: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(fields);
  const given = names.filter((name) => fields[name] !== undefined);
  if (given.length === 1) return;
  const [first = ''] = names;
  const message = `Either ${names.join(' or ')} is required, and not both.`;
  throw given.length === 0 ? missingField(first, message) : invalidField(first, 'either', message);
}

/** A field whose value conflicts with existing data. */
export const conflict = (field: string, rule: string, message: string): Problem =>
  new Problem('CONFLICT', { errors: [{ field, rule, message }] });

/** `owner` is the record that has the identifier, such as "another business". */
export const identifierInUse = (identifier: string | null | undefined, owner?: string): Problem => {
  const message = `The identifier "${identifier}" is already in use${owner ? ` by ${owner}` : ''}. Choose another one.`;
  return new Problem('IDENTIFIER_NOT_UNIQUE', { errors: [{ field: 'identifier', rule: 'unique', message }] });
};

/** A filter refers to a record that does not exist or that the caller cannot access. */
export const filterNotFound = (field: string, record: string): Problem => {
  const message = `There is no ${record}.`;
  return new Problem('NOT_FOUND', { message, errors: [{ field, rule: 'exists', message }] });
};

/** A field refers to a record that does not exist or that the caller cannot access. */
export const unknownReference = (field: string, record: string): Problem =>
  invalidField(field, 'exists', `There is no ${record}. Set ${field} to an existing one.`);
