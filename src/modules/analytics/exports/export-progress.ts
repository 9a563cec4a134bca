/** Progress in units of similar size: a location in a table, or the summary. */
export class ExportProgress {
  total = 1;
  done = 0;
  rows = 0;

  expect(units: number): void {
    this.total += units;
  }

  /** An arrow function, to be passed as a callback. */
  readonly advance = (): void => {
    this.done += 1;
  };
}
