import { api } from '../pages/api/api-texts.ts';
import { assets } from '../pages/assets/assets-texts.ts';
import { audit } from '../pages/audit/audit-texts.ts';
import { dashboard } from '../pages/dashboard/dashboard-texts.ts';
import { events } from '../pages/events/events-texts.ts';
import { home } from '../pages/home/home-texts.ts';
import { inbox } from '../pages/inbox/inbox-texts.ts';
import { listings } from '../pages/listings/listings-texts.ts';
import { imports } from '../pages/locations/import/imports-texts.ts';
import { locations } from '../pages/locations/locations-texts.ts';
import { posts } from '../pages/posts/posts-texts.ts';
import { sandbox } from '../pages/sandbox/sandbox-texts.ts';
import { users } from '../pages/users/users-texts.ts';
import { signature } from '../pages/webhooks/signature/signature-texts.ts';
import { webhook } from '../pages/webhooks/webhook-texts.ts';
import { webhooks } from '../pages/webhooks/webhooks-texts.ts';
import { parts } from '../parts/parts-texts.ts';
import { shell } from '../shell/shell-texts.ts';

/** All console texts. Each area has its texts in its folder. */
export const en = {
  ...shell,
  api,
  assets,
  audit,
  dashboard,
  home,
  imports,
  inbox,
  listings,
  locations,
  parts,
  posts,
  sandbox,
  users,
  events,
  signature,
  webhook,
  webhooks,
} as const;
