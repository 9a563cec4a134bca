import { localTimes } from '../parts/time-text.ts';

/** An error response of the API. The message is written for users. */
export class ApiProblem extends Error {
  /** HTTP status code; 0 if there was no response. */
  readonly code: number;
  readonly status: string;
  readonly errorCode: string | undefined;
  readonly fields: readonly FieldProblem[];
  /** Data about the error; depends on the endpoint. */
  readonly details: object | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: number, response: Partial<ErrorResponse>, retryAfterSeconds?: number) {
    super(localTimes(response.message ?? `HTTP ${code}`));
    this.code = code;
    this.status = response.status ?? 'UNKNOWN';
    this.errorCode = response.errorCode;
    this.fields = (response.errors ?? []).map((error) => ({ ...error, message: localTimes(error.message) }));
    this.details = response.details;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get isForbidden(): boolean {
    return this.code === 403;
  }

  get isMissing(): boolean {
    return this.code === 404;
  }

  get isLimited(): boolean {
    return this.code === 429;
  }
}

export interface FieldProblem {
  field: string;
  rule: string;
  message: string;
}

interface ErrorResponse {
  status: string;
  message: string;
  errorCode: string;
  errors: FieldProblem[];
  details: object;
}
