import { api } from './en/api.ts';
import { assets } from './en/assets.ts';
import { audit } from './en/audit.ts';
import { dashboard } from './en/dashboard.ts';
import { events } from './en/events.ts';
import { home } from './en/home.ts';
import { imports } from './en/imports.ts';
import { inbox } from './en/inbox.ts';
import { listings } from './en/listings.ts';
import { locations } from './en/locations.ts';
import { parts } from './en/parts.ts';
import { posts } from './en/posts.ts';
import { sandbox } from './en/sandbox.ts';
import { shell } from './en/shell.ts';
import { signature } from './en/signature.ts';
import { users } from './en/users.ts';
import { webhook } from './en/webhook.ts';
import { webhooks } from './en/webhooks.ts';

/** All console texts, one file per area in texts/en/. */
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
