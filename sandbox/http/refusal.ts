/** Thrown when a request is not done; becomes the answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly messages: string[];

  constructor(status: number, ...messages: string[]) {
    super(messages.join(' '));
    this.status = status;
    this.messages = messages;
  }
}
