import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { LeaveGuard } from '../../parts/leave-guard.tsx';

interface Drafts {
  texts: ReadonlyMap<string, string>;
  keep: (key: string, text: string | undefined) => void;
}

const DraftsContext = createContext<Drafts>({ texts: new Map(), keep: () => {} });

/** Answers that were begun, for as long as the inbox is open: whoever looks at another entry comes back to his words. */
export function ReplyDrafts({ children }: { children: ReactNode }) {
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const keep = useCallback((key: string, text: string | undefined) => {
    setTexts((before) => {
      const after = new Map(before);
      if (text === undefined) after.delete(key);
      else after.set(key, text);
      return after;
    });
  }, []);
  return (
    <DraftsContext value={{ texts, keep }}>
      {children}
      <LeaveGuard isDirty={texts.size > 0} />
    </DraftsContext>
  );
}

/** The text of one draft, and how to keep another; undefined forgets it. */
export function useReplyDraft(key: string): [string | undefined, (text: string | undefined) => void] {
  const { texts, keep } = useContext(DraftsContext);
  return [texts.get(key), (text) => keep(key, text)];
}
