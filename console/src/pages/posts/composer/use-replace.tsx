import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { t } from '../../../texts/t.ts';
import type { PostForm, PostValues } from './post-form.ts';

const entered = [
  'title',
  'description',
  'photos',
  'videos',
  'callToActions',
  'couponCode',
  'termsAndConditions',
] as const;

/** Replaces content of the form. Asks before that if the user has entered some of it. */
export function useReplace(
  form: PostForm,
  onReplaced = () => {},
): [replace: (content: Partial<PostValues>) => void, question: ReactNode] {
  const [replaced, setReplaced] = useState<Partial<PostValues>>({});
  const [asked, setAsked] = useState<Partial<PostValues>>();
  const apply = (content: Partial<PostValues>) => {
    form.setValues(content);
    setReplaced(content);
    onReplaced();
  };
  const isEntered = (field: (typeof entered)[number]) =>
    form.values[field].length > 0 &&
    form.isDirty(field) &&
    JSON.stringify(form.values[field]) !== JSON.stringify(replaced[field]);
  const replace = (content: Partial<PostValues>) =>
    entered.some((field) => field in content && isEntered(field)) ? setAsked(content) : apply(content);
  const question = (
    <ConfirmDialog
      isOpen={asked !== undefined}
      title={t('posts.compose.replaceTitle')}
      text={t('posts.compose.replaceText')}
      confirmLabel={t('posts.compose.replace')}
      onConfirm={async () => asked && apply(asked)}
      onClose={() => setAsked(undefined)}
    />
  );
  return [replace, question];
}
