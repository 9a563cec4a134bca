import { useNavigate } from '@tanstack/react-router';

/**
 * Changes what the page keeps in its address. Whatever is changed, a list begins at its first page again, unless the
 * change is about the page itself. `undefined` takes a parameter out.
 */
export function useSearchChange<Search extends object>(): (change: Partial<Search>) => void {
  const navigate = useNavigate();
  return (change) => {
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, offset: undefined, page: undefined, ...change })) as never,
      replace: true,
      resetScroll: false,
    });
  };
}
