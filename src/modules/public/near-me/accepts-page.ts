/** Whether the client prefers HTML to JSON. Browsers ask for HTML; API clients send no Accept header or any type. */
export function acceptsPage(accept: string | undefined): boolean {
  const accepted = (accept ?? '').split(',').map((entry) => {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { type, weight: quality === undefined ? 1 : Number(quality) || 0 };
  });
  const weightOf = (...types: string[]) =>
    Math.max(0, ...accepted.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
  const page = weightOf('text/html', 'application/xhtml+xml');
  return page > 0 && page >= weightOf('application/json');
}
