/** A line of a CSV file. Everything is quoted: no reader has to guess. */
export const csvLine = (cells: readonly (string | number)[], delimiter = ','): string =>
  `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(delimiter)}\r\n`;

/** Spreadsheets run a text that begins like a formula; behind an apostrophe it stays text (OWASP: CSV injection). */
export const withoutFormula = (text: string): string => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text);
