/** How far an export has come, in pieces of about the same size: a location in a table, or the summary. */
export class ExportProgress {
  total = 1;
  done = 0;
  rows = 0;

  expect(pieces: number): void {
    this.total += pieces;
  }

  /** A method that can be handed on. */
  readonly advance = (): void => {
    this.done += 1;
  };
}
