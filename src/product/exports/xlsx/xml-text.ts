export const xmlHeader = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The most that Excel shows in a cell. */
export const longestCell = 32_767;

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these cannot stand in XML
const notXml = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9a-f]{4}_/gi;
const special = /[&<>"]/g;
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const needsCare = /[&<>"\0-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]|_x/;

/**
 * A text for an element or attribute of a spreadsheet. Characters that XML cannot hold are written as `_xHHHH_`, the way
 * ISO 29500 (ST_Xstring) has it, and what only looks like that is kept from being read so. A line break in a cell is LF;
 * CR alone is written as `_x000D_`, since XML readers make a line break of it.
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

/** As much of a text as a cell holds, without half a character at its end. */
export function cutToCell(text: string): string {
  if (text.length <= longestCell) return text;
  const end = longestCell - 1;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}
