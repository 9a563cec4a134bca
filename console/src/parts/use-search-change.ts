import { useNavigate, useRouter } from '@tanstack/react-router';

/** Parameters that say where on a page one is. Each change is a step of its own, for the browser's Back. */
const places = ['view', 'tab', 'folder'];
/** Parameters that name what lies open over a page or beside it. Back closes it. */
const details = ['open', 'listing', 'asset', 'delivery', 'add'];

type Search = Readonly<Record<string, unknown>>;
/** How an address is changed: as a step, as a step that Back and closing undo, by going back, or in its place. */
type Step = 'place' | 'opened' | 'closed' | 'same';

/** What filters or is typed stays in its place: nobody wants to go back letter by letter. */
export function stepOf(before: Search, change: Search, wasOpened: boolean): Step {
  const changed = Object.keys(change).filter((name) => change[name] !== before[name]);
  if (changed.some((name) => places.includes(name))) return 'place';
  const ofDetails = changed.filter((name) => details.includes(name));
  if (ofDetails.length === 0) return 'same';
  const hasOpen = details.some((name) => before[name] !== undefined);
  if (!hasOpen) return 'opened';
  const isClosing = details.every((name) => ({ ...before, ...change })[name] === undefined);
  return isClosing && wasOpened && ofDetails.length === changed.length ? 'closed' : 'same';
}

declare module '@tanstack/history' {
  interface HistoryState {
    /** What lies open was opened on the page that is one step back. */
    isOpened?: boolean;
  }
}

/**
 * Changes what the page keeps in its address. Whatever is changed, a list begins at its first page again, unless the
 * change is about the page itself. `undefined` takes a parameter out. What opens something is a step that the browser's
 * Back undoes, and so does closing it.
 */
export function useSearchChange<Kept extends object>(): (change: Partial<Kept>) => void {
  const navigate = useNavigate();
  const router = useRouter();
  return (change) => {
    const { search, state } = router.latestLocation;
    const wasOpened = state.isOpened === true;
    const step = stepOf(search, change as Search, wasOpened);
    if (step === 'closed') return router.history.back();
    // From one entry to the next is no step more: whoever reads ten of them is back in the list at once.
    const isNext = step === 'same' && details.some((name) => name in change);
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, offset: undefined, page: undefined, ...change })) as never,
      replace: step === 'same',
      state: { isOpened: step === 'opened' || (isNext && wasOpened) },
      resetScroll: false,
    });
  };
}
