/** Whether whoever asks would rather have a page than JSON: a browser says so, a program says nothing or everything. */
export function acceptsPage(accept: string | undefined): boolean {
  const wishes = (accept ?? '').split(',').map((wish) => {
    const [type = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, weight: quality === undefined ? 1 : Number(quality) || 0 };
  });
  const weightOf = (...types: string[]) =>
    Math.max(0, ...wishes.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
  const page = weightOf('text/html', 'application/xhtml+xml');
  return page > 0 && page >= weightOf('application/json');
}
