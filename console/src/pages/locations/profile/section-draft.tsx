import { type ReactNode, useMemo } from 'react';
import { type Draft, DraftContext, fieldNames, type SectionId, shownFields } from './profile-draft.ts';

interface Props {
  id: SectionId;
  draft: Draft;
  children: ReactNode;
}

const fieldsOf = (id: SectionId) => fieldNames.filter((field) => shownFields[field] === id);

/** Memoised per section, so typing re-renders one section only. */
export function SectionDraft({ id, draft, children }: Props) {
  const { location, mayWrite, value, errorOf } = draft;
  const seen = fieldsOf(id).flatMap((field) => [value(field), errorOf(field)]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the fields of a section never change
  const own = useMemo(() => draft, [location, mayWrite, ...seen]);
  return <DraftContext value={own}>{children}</DraftContext>;
}
