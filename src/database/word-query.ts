/** Converts search text to a tsquery that requires each word as a prefix. Empty if the text has no words. */
export function wordQuery(text: string): string {
  const words = text.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '');
  return words.map((word) => `'${word}':*`).join(' & ');
}
