import type { ReactNode } from 'react';
import { t } from '../../../texts/t.ts';
import type { PostValues } from './post-form.ts';

/** All errors of a field and its entries, such as directories.0. */
export function errorsWithin(errors: Record<string, ReactNode>, field: string): ReactNode {
  const found = Object.entries(errors)
    .filter(([name]) => name === field || name.startsWith(`${field}.`))
    .map(([, message]) => message);
  return found.length > 0 ? found.join(' ') : undefined;
}

/** Checks required fields and dates; the API validates the rest. */
export function missingIn(values: PostValues): Record<string, ReactNode> {
  const { type, title, description, directories, locationIds, businessIds, labels } = values;
  const isNowhere = [locationIds, businessIds, labels].every((chosen) => chosen.length === 0);
  const hasText = type === 'POST' || type === 'QUESTION_AND_ANSWER';
  const isDated = type === 'OFFER' || type === 'EVENT';
  const { publicationDate, dateStart, dateEnd } = values;
  const begins = isDated && dateStart ? dateStart : publicationDate;
  return {
    ...(directories.length === 0 && { directories: t('posts.missing.directories') }),
    ...(type !== 'POST' && !title.trim() && { title: t('posts.missing.title') }),
    ...(hasText && !description.trim() && { description: t('posts.missing.text') }),
    ...(isNowhere && { locationIds: t('posts.missing.where') }),
    ...(isDated && !dateStart && { dateStart: t('posts.missing.start') }),
    ...(dateEnd && begins && dateEnd <= begins && { dateEnd: t('posts.missing.end') }),
  };
}
