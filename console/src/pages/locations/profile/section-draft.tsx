import { type ReactNode, useMemo } from 'react';
import { type Draft, DraftContext, type Field, type SectionId, shownFields } from './profile-draft.ts';

interface Props {
  id: SectionId;
  draft: Draft;
  children: ReactNode;
}

const fieldsOf = (id: SectionId) => (Object.keys(shownFields) as Field[]).filter((field) => shownFields[field] === id);

/** The draft as one section sees it: another one only when something in it changed, so that typing draws no others. */
export function SectionDraft({ id, draft, children }: Props) {
  const { location, mayWrite, value, errorOf } = draft;
  const seen = fieldsOf(id).flatMap((field) => [value(field), errorOf(field)]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above; a section always has the same fields
  const own = useMemo(() => draft, [location, mayWrite, ...seen]);
  return <DraftContext value={own}>{children}</DraftContext>;
}
