import { t } from '../texts/t.ts';

/** For a name that is undefined while it loads, and '' if unknown. */
export const nameOrId = (name: string | undefined, id: string | number): string =>
  name === undefined ? t('parts.choice.loading') : name || `#${id}`;
