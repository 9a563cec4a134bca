import type { SocialPost } from '../../api/api-types.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { t } from '../../texts/t.ts';
import { toneOf } from './post-values.ts';

export function PostStatus({ status }: Pick<SocialPost, 'status'>) {
  return <StatusBadge tone={toneOf[status]}>{t(`posts.statuses.${status}`)}</StatusBadge>;
}
