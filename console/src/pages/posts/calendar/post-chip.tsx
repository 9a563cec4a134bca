import { VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { SocialPost } from '../../../api/api-types.ts';
import { t } from '../../../texts/t.ts';
import { nameOf, toneOf } from '../post-values.ts';
import classes from './calendar.module.css';
import { timeText } from './month.ts';

export function PostChip({ post }: { post: SocialPost }) {
  const name = nameOf(post) || t('posts.withoutText');
  const status = t(`posts.statuses.${post.status}`);
  return (
    <Link
      to={'/posts/$postId' as never}
      params={{ postId: String(post.id) } as never}
      className={classes.chip}
      data-tone={toneOf[post.status]}
      title={`${name} · ${status}`}
    >
      <span className={classes.time}>{timeText(post.publicationDate)}</span>
      <span className={classes.name}>{name}</span>
      <VisuallyHidden>{status}</VisuallyHidden>
    </Link>
  );
}
