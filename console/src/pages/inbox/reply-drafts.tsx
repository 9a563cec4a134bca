import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { LeaveGuard } from '../../parts/leave-guard.tsx';

interface Drafts {
  texts: ReadonlyMap<string, string>;
  keep: (key: string, text: string | undefined) => void;
}

const DraftsContext = createContext<Drafts>({ texts: new Map(), keep: () => {} });

/** Keeps unsent replies while the inbox is open. */
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

/** Undefined discards the draft. */
export function useReplyDraft(key: string): [string | undefined, (text: string | undefined) => void] {
  const { texts, keep } = useContext(DraftsContext);
  return [texts.get(key), (text) => keep(key, text)];
}
