import { useNavigate, useRouter } from '@tanstack/react-router';

/** Navigation parameters. Each change adds a history entry. */
const places = ['view', 'tab', 'folder'];
/** Parameters of open drawers. Back closes them. */
const details = ['open', 'listing', 'asset', 'delivery', 'add'];

type Search = Readonly<Record<string, unknown>>;

/** The search without open drawers. */
export const withoutDetails = (search: Search): Search =>
  Object.fromEntries(Object.entries(search).filter(([name]) => !details.includes(name)));

/** How the URL changes: push, push that closing undoes, back, or replace. */
type Step = 'place' | 'opened' | 'closed' | 'same';

/** Filters replace the history entry, so Back does not step through each letter. */
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
    /** The drawer was opened from the previous history entry. */
    isOpened?: boolean;
  }
}

/** Changes search parameters; `undefined` removes one. Resets `offset` unless it is set. Back closes drawers. */
export function useSearchChange<Kept extends object>(): (change: Partial<Kept>) => void {
  const navigate = useNavigate();
  const router = useRouter();
  return (change) => {
    const { search, state } = router.latestLocation;
    const wasOpened = state.isOpened === true;
    const step = stepOf(search, change as Search, wasOpened);
    // A drawer with unsaved changes has asked already.
    if (step === 'closed') return router.history.back({ ignoreBlocker: true });
    // Moving to the next item replaces the entry, so Back returns to the list.
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
