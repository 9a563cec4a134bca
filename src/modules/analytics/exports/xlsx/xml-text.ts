export const xmlHeader = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Limit of Excel. */
export const maxCellLength = 32_767;

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these cannot stand in XML
const notXml = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9a-f]{4}_/gi;
const special = /[&<>"]/g;
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const needsCare = /[&<>"\0-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_x/;

/**
 * Escapes text for SpreadsheetML. Characters that XML cannot represent, including CR, are written as `_xHHHH_` (ISO
 * 29500, ST_Xstring); literal occurrences of that pattern are escaped. CRLF becomes LF, the line break of a cell.
 */
export function xmlText(text: string): string {
  if (!needsCare.test(text)) return text;
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(notXml, (found) =>
      found.length > 1 ? `_x005F${found}` : `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(special, (sign) => entities[sign] ?? sign);
}

/** Truncates without splitting a surrogate pair. */
export function truncateToCell(text: string): string {
  if (text.length <= maxCellLength) return text;
  const end = maxCellLength - 1;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}
