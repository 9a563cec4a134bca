/** Becomes the response with its status and messages. */
export class RequestError extends Error {
  readonly status: number;
  readonly messages: string[];

  constructor(status: number, ...messages: string[]) {
    super(messages.join(' '));
    this.status = status;
    this.messages = messages;
  }
}
