/** A line of a CSV file. Everything is quoted: no reader has to guess. */
export const csvLine = (cells: readonly (string | number)[], delimiter = ','): string =>
  `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(delimiter)}\r\n`;
