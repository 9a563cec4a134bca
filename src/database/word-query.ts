/**
 * What somebody types into a search field as a query on a tsvector: each word, or its beginning, must be there.
 * Empty when there is no word in it.
 */
export function wordQuery(text: string): string {
  const words = text.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== '');
  return words.map((word) => `'${word}':*`).join(' & ');
}
